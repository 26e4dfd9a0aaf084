/* wolfCrypt, the library of wolfSSL. */
#include "../c/runner.h"

#include <wolfssl/options.h>
#include <wolfssl/version.h>
#include <wolfssl/wolfcrypt/aes.h>
#include <wolfssl/wolfcrypt/des3.h>
#include <wolfssl/wolfcrypt/hash.h>
#include <wolfssl/wolfcrypt/pwdbased.h>
#include <string.h>

/* wolfCrypt counts in 32 bits: pieces of 1 GiB. */
enum { PIECE_BYTES_MAX = 1 << 30 };

static const struct { const char *name; enum wc_HashType type; } DIGESTS[] = {
    {"md5", WC_HASH_TYPE_MD5},           {"sha1", WC_HASH_TYPE_SHA},          {"sha224", WC_HASH_TYPE_SHA224},
    {"sha256", WC_HASH_TYPE_SHA256},     {"sha384", WC_HASH_TYPE_SHA384},     {"sha512", WC_HASH_TYPE_SHA512},
    {"sha512-256", WC_HASH_TYPE_SHA512_256}, {"sha3-224", WC_HASH_TYPE_SHA3_224}, {"sha3-256", WC_HASH_TYPE_SHA3_256},
    {"sha3-384", WC_HASH_TYPE_SHA3_384}, {"sha3-512", WC_HASH_TYPE_SHA3_512},
};
static enum wc_HashType digest_type;
static wc_HashAlg digest;

enum cipher { DES, DES3, AES };
static enum cipher cipher;
static const struct { const char *name; size_t block_bytes; } CIPHERS[] = {
    [DES] = {"des-cbc", 8}, [DES3] = {"des-ede3-cbc", 8}, [AES] = {"aes-128-cbc", 16},
};
static Des des;
static Des3 des3;
static Aes aes;

static void check(int error, const char *what)
{
    if (error)
        runner_fail(what);
}

static word32 piece_of(size_t bytes)
{
    return bytes < PIECE_BYTES_MAX ? (word32)bytes : PIECE_BYTES_MAX;
}

void library_start(struct runner_library *library, int argc, char **argv)
{
    (void)argc, (void)argv;
    *library = (struct runner_library){.language = "C", .name = "wolfCrypt", .version = LIBWOLFSSL_VERSION_STRING};
    check(wc_AesInit(&aes, NULL, INVALID_DEVID), "wc_AesInit");
    check(wc_Des3Init(&des3, NULL, INVALID_DEVID), "wc_Des3Init");
}

size_t digest_select(const char *name)
{
    for (size_t index = 0; index < sizeof DIGESTS / sizeof *DIGESTS; index++) {
        digest_type = DIGESTS[index].type;
        if (strcmp(name, DIGESTS[index].name))
            continue;
        if (wc_HashInit(&digest, digest_type))
            return 0;
        wc_HashFree(&digest, digest_type);
        return (size_t)wc_HashGetDigestSize(digest_type);
    }
    return 0;
}

void digest_start(void)
{
    check(wc_HashInit(&digest, digest_type), "wc_HashInit");
}

void digest_update(const uint8_t *data, size_t bytes)
{
    while (bytes) {
        word32 piece = piece_of(bytes);
        check(wc_HashUpdate(&digest, digest_type, data, piece), "wc_HashUpdate");
        data += piece;
        bytes -= piece;
    }
}

void digest_finish(uint8_t *out)
{
    check(wc_HashFinal(&digest, digest_type, out), "wc_HashFinal");
    wc_HashFree(&digest, digest_type);
}

size_t cipher_select(const char *name)
{
    for (cipher = DES; cipher <= AES; cipher++)
        if (!strcmp(name, CIPHERS[cipher].name))
            return CIPHERS[cipher].block_bytes;
    return 0;
}

void cipher_start(const uint8_t *key, const uint8_t *initialisation_vector)
{
    switch (cipher) {
    case DES:
        check(wc_Des_SetKey(&des, key, initialisation_vector, DES_ENCRYPTION), "wc_Des_SetKey");
        break;
    case DES3:
        check(wc_Des3_SetKey(&des3, key, initialisation_vector, DES_ENCRYPTION), "wc_Des3_SetKey");
        break;
    case AES:
        check(wc_AesSetKey(&aes, key, 16, initialisation_vector, AES_ENCRYPTION), "wc_AesSetKey");
        break;
    }
}

void cipher_update(const uint8_t *plaintext, size_t bytes, uint8_t *ciphertext)
{
    while (bytes) {
        word32 piece = piece_of(bytes);
        check(cipher == AES    ? wc_AesCbcEncrypt(&aes, ciphertext, plaintext, piece)
              : cipher == DES3 ? wc_Des3_CbcEncrypt(&des3, ciphertext, plaintext, piece)
                               : wc_Des_CbcEncrypt(&des, ciphertext, plaintext, piece), "encryption");
        plaintext += piece;
        ciphertext += piece;
        bytes -= piece;
    }
}

bool password_derive(const struct runner_password *password, uint8_t *derived)
{
    if (!strcmp(password->name, "pbkdf2-hmac-sha256")) {
        if (derived)
            check(wc_PBKDF2(derived, (const byte *)password->password, (int)strlen(password->password), password->salt,
                            RUNNER_SALT_BYTES, (int)password->iterations, (int)password->derived_bytes, WC_SHA256), "wc_PBKDF2");
        return true;
    }
#ifdef HAVE_SCRYPT
    if (!strcmp(password->name, "scrypt")) {
        int cost = 0; /* n = 2^cost */
        while (cost < 31 && (uint64_t)1 << cost < password->n)
            cost++;
        if (derived)
            check(wc_scrypt(derived, (const byte *)password->password, (int)strlen(password->password), password->salt,
                            RUNNER_SALT_BYTES, cost, (int)password->r, (int)password->p, (int)password->derived_bytes), "wc_scrypt");
        return true;
    }
#endif
    return false;
}
