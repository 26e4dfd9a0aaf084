/* libgcrypt, the library of GnuPG. */
#include "../c/runner.h"

#include <gcrypt.h>
#include <string.h>

static const struct { const char *name; int algorithm; } DIGESTS[] = {
    {"md4", GCRY_MD_MD4},             {"md5", GCRY_MD_MD5},             {"sha1", GCRY_MD_SHA1},
    {"sha224", GCRY_MD_SHA224},       {"sha256", GCRY_MD_SHA256},       {"sha384", GCRY_MD_SHA384},
    {"sha512", GCRY_MD_SHA512},       {"sha512-256", GCRY_MD_SHA512_256}, {"sha3-224", GCRY_MD_SHA3_224},
    {"sha3-256", GCRY_MD_SHA3_256},   {"sha3-384", GCRY_MD_SHA3_384},   {"sha3-512", GCRY_MD_SHA3_512},
    {"blake2b", GCRY_MD_BLAKE2B_512}, {"blake2s", GCRY_MD_BLAKE2S_256}, {"ripemd160", GCRY_MD_RMD160},
    {"whirlpool", GCRY_MD_WHIRLPOOL}, {"tiger", GCRY_MD_TIGER1},        {"sm3", GCRY_MD_SM3},
    {"streebog256", GCRY_MD_STRIBOG256}, {"streebog512", GCRY_MD_STRIBOG512},
}, CIPHERS[] = {
    {"des-cbc", GCRY_CIPHER_DES}, {"des-ede3-cbc", GCRY_CIPHER_3DES}, {"rc2-128-cbc", GCRY_CIPHER_RFC2268_128},
    {"aes-128-cbc", GCRY_CIPHER_AES128},
};

static int digest_algorithm, cipher_algorithm;
static gcry_md_hd_t digest;
static gcry_cipher_hd_t cipher;

static void check(gcry_error_t error)
{
    if (error)
        runner_fail(gcry_strerror(error));
}

void library_start(struct runner_library *library, int argc, char **argv)
{
    (void)argc, (void)argv;
    gcry_control(GCRYCTL_DISABLE_SECMEM, 0);
    gcry_control(GCRYCTL_INITIALIZATION_FINISHED, 0);
    *library = (struct runner_library){
        .language = "C", .name = "libgcrypt", .version = gcry_check_version(NULL), .backend = gcry_get_config(0, "hwflist"),
    };
}

size_t digest_select(const char *name)
{
    gcry_md_close(digest);
    digest = NULL;
    for (size_t index = 0; index < sizeof DIGESTS / sizeof *DIGESTS; index++) {
        digest_algorithm = DIGESTS[index].algorithm;
        if (!strcmp(name, DIGESTS[index].name))
            return gcry_md_open(&digest, digest_algorithm, 0) ? 0 : gcry_md_get_algo_dlen(digest_algorithm);
    }
    return 0;
}

void digest_start(void)
{
    gcry_md_reset(digest);
}

void digest_update(const uint8_t *data, size_t bytes)
{
    gcry_md_write(digest, data, bytes);
}

void digest_finish(uint8_t *out)
{
    memcpy(out, gcry_md_read(digest, digest_algorithm), gcry_md_get_algo_dlen(digest_algorithm));
}

size_t cipher_select(const char *name)
{
    gcry_cipher_close(cipher);
    cipher = NULL;
    for (size_t index = 0; index < sizeof CIPHERS / sizeof *CIPHERS; index++) {
        cipher_algorithm = CIPHERS[index].algorithm;
        if (!strcmp(name, CIPHERS[index].name))
            return gcry_cipher_open(&cipher, cipher_algorithm, GCRY_CIPHER_MODE_CBC, 0)
                       ? 0 : gcry_cipher_get_algo_blklen(cipher_algorithm);
    }
    return 0;
}

void cipher_start(const uint8_t *key, const uint8_t *initialisation_vector)
{
    check(gcry_cipher_reset(cipher));
    check(gcry_cipher_setkey(cipher, key, gcry_cipher_get_algo_keylen(cipher_algorithm)));
    check(gcry_cipher_setiv(cipher, initialisation_vector, gcry_cipher_get_algo_blklen(cipher_algorithm)));
}

void cipher_update(const uint8_t *plaintext, size_t bytes, uint8_t *ciphertext)
{
    check(gcry_cipher_encrypt(cipher, ciphertext, bytes, plaintext, bytes));
}

static void derive(const struct runner_password *password, int algorithm, int parameter, unsigned long iterations, uint8_t *derived)
{
    check(gcry_kdf_derive(password->password, strlen(password->password), algorithm, parameter, password->salt, RUNNER_SALT_BYTES,
                          iterations, password->derived_bytes, derived));
}

bool password_derive(const struct runner_password *password, uint8_t *derived)
{
    if (!strcmp(password->name, "pbkdf2-hmac-sha256")) {
        if (derived)
            derive(password, GCRY_KDF_PBKDF2, GCRY_MD_SHA256, password->iterations, derived);
        return true;
    }
    if (!strcmp(password->name, "scrypt") && (!password->r || password->r == 8)) { /* the only r that it has */
        if (derived)
            derive(password, GCRY_KDF_SCRYPT, (int)password->n, password->p, derived);
        return true;
    }
    if (!strcmp(password->name, "argon2id") && password->lanes == 1) { /* more lanes would ask for threads */
        unsigned long parameters[] = {password->derived_bytes, password->iterations, password->memory_kib, password->lanes};
        gcry_kdf_hd_t function;
        if (derived) {
            check(gcry_kdf_open(&function, GCRY_KDF_ARGON2, GCRY_KDF_ARGON2ID, parameters, 4, password->password,
                                strlen(password->password), password->salt, RUNNER_SALT_BYTES, NULL, 0, NULL, 0));
            check(gcry_kdf_compute(function, NULL));
            check(gcry_kdf_final(function, password->derived_bytes, derived));
            gcry_kdf_close(function);
        }
        return true;
    }
    return false;
}
