/* Cryptography API: Next Generation, of Windows Vista and later. */
#include "../c/runner.h"
#include "../c/windows.h"

#include <bcrypt.h>
#include <string.h>

/* CNG counts in 32 bits: pieces of 1 GiB. */
enum { PIECE_BYTES_MAX = 1 << 30 };

static const struct { const char *name; const wchar_t *cng; } DIGESTS[] = {
    {"md4", L"MD4"},       {"md5", L"MD5"},       {"sha1", L"SHA1"},         {"sha256", L"SHA256"},     {"sha384", L"SHA384"},
    {"sha512", L"SHA512"}, {"sha3-256", L"SHA3-256"}, {"sha3-384", L"SHA3-384"}, {"sha3-512", L"SHA3-512"},
};
static const struct { const char *name; const wchar_t *cng; ULONG key_bytes, block_bytes; } CIPHERS[] = {
    {"des-cbc", L"DES", 8, 8}, {"des-ede3-cbc", L"3DES", 24, 8}, {"rc2-128-cbc", L"RC2", 16, 8}, {"aes-128-cbc", L"AES", 16, 16},
};

static BCRYPT_ALG_HANDLE digest_algorithm, cipher_algorithm;
static BCRYPT_HASH_HANDLE digest;
static BCRYPT_KEY_HANDLE key_handle;
static ULONG digest_bytes, key_bytes, block_bytes;
static uint8_t chained[RUNNER_BLOCK_BYTES_MAX];

static void check(NTSTATUS status, const char *what)
{
    if (status < 0)
        runner_fail(what);
}

static ULONG piece_of(size_t bytes)
{
    return bytes < PIECE_BYTES_MAX ? (ULONG)bytes : PIECE_BYTES_MAX;
}

static void close_algorithm(BCRYPT_ALG_HANDLE *algorithm)
{
    if (*algorithm)
        BCryptCloseAlgorithmProvider(*algorithm, 0);
    *algorithm = NULL;
}

void library_start(struct runner_library *library, int argc, char **argv)
{
    (void)argc, (void)argv;
    *library = (struct runner_library){.language = "C", .name = "CNG", .provider = "Microsoft Primitive Provider"};
    windows_describe(library);
}

size_t digest_select(const char *name)
{
    close_algorithm(&digest_algorithm);
    for (size_t index = 0; index < sizeof DIGESTS / sizeof *DIGESTS; index++) {
        ULONG written;
        if (strcmp(name, DIGESTS[index].name))
            continue;
        if (BCryptOpenAlgorithmProvider(&digest_algorithm, DIGESTS[index].cng, NULL, 0) < 0)
            return 0;
        if (BCryptGetProperty(digest_algorithm, BCRYPT_HASH_LENGTH, (PUCHAR)&digest_bytes, sizeof digest_bytes, &written, 0) < 0)
            return 0;
        return digest_bytes;
    }
    return 0;
}

void digest_start(void)
{
    check(BCryptCreateHash(digest_algorithm, &digest, NULL, 0, NULL, 0, 0), "BCryptCreateHash");
}

void digest_update(const uint8_t *data, size_t bytes)
{
    while (bytes) {
        ULONG piece = piece_of(bytes);
        check(BCryptHashData(digest, (PUCHAR)data, piece, 0), "BCryptHashData");
        data += piece;
        bytes -= piece;
    }
}

void digest_finish(uint8_t *out)
{
    check(BCryptFinishHash(digest, out, digest_bytes, 0), "BCryptFinishHash");
    BCryptDestroyHash(digest);
}

size_t cipher_select(const char *name)
{
    if (key_handle)
        BCryptDestroyKey(key_handle);
    key_handle = NULL;
    close_algorithm(&cipher_algorithm);
    for (size_t index = 0; index < sizeof CIPHERS / sizeof *CIPHERS; index++) {
        if (strcmp(name, CIPHERS[index].name))
            continue;
        key_bytes = CIPHERS[index].key_bytes;
        block_bytes = CIPHERS[index].block_bytes;
        if (BCryptOpenAlgorithmProvider(&cipher_algorithm, CIPHERS[index].cng, NULL, 0) < 0 ||
            BCryptSetProperty(cipher_algorithm, BCRYPT_CHAINING_MODE, (PUCHAR)BCRYPT_CHAIN_MODE_CBC, sizeof BCRYPT_CHAIN_MODE_CBC, 0) < 0)
            return 0;
        return block_bytes;
    }
    return 0;
}

void cipher_start(const uint8_t *key, const uint8_t *initialisation_vector)
{
    if (key_handle)
        BCryptDestroyKey(key_handle);
    check(BCryptGenerateSymmetricKey(cipher_algorithm, &key_handle, NULL, 0, (PUCHAR)key, key_bytes, 0), "BCryptGenerateSymmetricKey");
    memcpy(chained, initialisation_vector, block_bytes);
}

void cipher_update(const uint8_t *plaintext, size_t bytes, uint8_t *ciphertext)
{
    while (bytes) {
        ULONG piece = piece_of(bytes), written;
        check(BCryptEncrypt(key_handle, (PUCHAR)plaintext, piece, NULL, chained, block_bytes, ciphertext, piece, &written, 0),
              "BCryptEncrypt");
        plaintext += piece;
        ciphertext += piece;
        bytes -= piece;
    }
}

bool password_derive(const struct runner_password *password, uint8_t *derived)
{
    BCRYPT_ALG_HANDLE hmac;
    if (strcmp(password->name, "pbkdf2-hmac-sha256") ||
        BCryptOpenAlgorithmProvider(&hmac, L"SHA256", NULL, BCRYPT_ALG_HANDLE_HMAC_FLAG) < 0)
        return false;
    if (derived)
        check(BCryptDeriveKeyPBKDF2(hmac, (PUCHAR)password->password, (ULONG)strlen(password->password), (PUCHAR)password->salt,
                                    RUNNER_SALT_BYTES, password->iterations, derived, (ULONG)password->derived_bytes, 0),
              "BCryptDeriveKeyPBKDF2");
    BCryptCloseAlgorithmProvider(hmac, 0);
    return true;
}
