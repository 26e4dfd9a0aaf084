/* CryptoAPI, of Windows 95 and later: the interface that CNG replaced. */
#include "../c/runner.h"
#include "../c/windows.h"

#include <wincrypt.h>
#include <string.h>

/* CryptoAPI counts in 32 bits: pieces of 1 GiB. */
enum { PIECE_BYTES_MAX = 1 << 30 };

static const struct { const char *name; ALG_ID algorithm; DWORD digest_bytes; } DIGESTS[] = {
    {"md4", CALG_MD4, 16},       {"md5", CALG_MD5, 16},       {"sha1", CALG_SHA1, 20},
    {"sha256", CALG_SHA_256, 32}, {"sha384", CALG_SHA_384, 48}, {"sha512", CALG_SHA_512, 64},
};
static const struct { const char *name; ALG_ID algorithm; DWORD key_bytes, block_bytes; } CIPHERS[] = {
    {"des-cbc", CALG_DES, 8, 8}, {"des-ede3-cbc", CALG_3DES, 24, 8}, {"rc2-128-cbc", CALG_RC2, 16, 8},
    {"aes-128-cbc", CALG_AES_128, 16, 16},
};

static HCRYPTPROV provider;
static HCRYPTHASH digest;
static HCRYPTKEY key_handle;
static size_t digest_index, cipher_index;

static void check(BOOL succeeded, const char *what)
{
    if (!succeeded)
        runner_fail(what);
}

static DWORD piece_of(size_t bytes)
{
    return bytes < PIECE_BYTES_MAX ? (DWORD)bytes : PIECE_BYTES_MAX;
}

void library_start(struct runner_library *library, int argc, char **argv)
{
    (void)argc, (void)argv;
    check(CryptAcquireContextA(&provider, NULL, NULL, PROV_RSA_AES, CRYPT_VERIFYCONTEXT), "CryptAcquireContext");
    *library = (struct runner_library){.language = "C", .name = "CryptoAPI", .provider = "PROV_RSA_AES"};
    windows_describe(library);
}

size_t digest_select(const char *name)
{
    for (digest_index = 0; digest_index < sizeof DIGESTS / sizeof *DIGESTS; digest_index++) {
        HCRYPTHASH example;
        if (strcmp(name, DIGESTS[digest_index].name))
            continue;
        if (!CryptCreateHash(provider, DIGESTS[digest_index].algorithm, 0, 0, &example))
            return 0;
        CryptDestroyHash(example);
        return DIGESTS[digest_index].digest_bytes;
    }
    return 0;
}

void digest_start(void)
{
    check(CryptCreateHash(provider, DIGESTS[digest_index].algorithm, 0, 0, &digest), "CryptCreateHash");
}

void digest_update(const uint8_t *data, size_t bytes)
{
    while (bytes) {
        DWORD piece = piece_of(bytes);
        check(CryptHashData(digest, data, piece, 0), "CryptHashData");
        data += piece;
        bytes -= piece;
    }
}

void digest_finish(uint8_t *out)
{
    DWORD bytes = DIGESTS[digest_index].digest_bytes;
    check(CryptGetHashParam(digest, HP_HASHVAL, out, &bytes, 0), "CryptGetHashParam");
    CryptDestroyHash(digest);
}

/* Imports the key, or returns 0. */
static HCRYPTKEY import_key(const uint8_t *key)
{
    struct {
        BLOBHEADER header;
        DWORD key_bytes;
        uint8_t key[RUNNER_KEY_BYTES_MAX];
    } blob = {{PLAINTEXTKEYBLOB, CUR_BLOB_VERSION, 0, CIPHERS[cipher_index].algorithm}, CIPHERS[cipher_index].key_bytes, {0}};
    memcpy(blob.key, key, blob.key_bytes);
    HCRYPTKEY imported;
    DWORD effective_bits = 128;
    if (!CryptImportKey(provider, (const BYTE *)&blob, sizeof blob - sizeof blob.key + blob.key_bytes, 0, 0, &imported))
        return 0;
    if (CIPHERS[cipher_index].algorithm == CALG_RC2)
        check(CryptSetKeyParam(imported, KP_EFFECTIVE_KEYLEN, (BYTE *)&effective_bits, 0), "CryptSetKeyParam");
    return imported; /* in CBC, which is the default */
}

size_t cipher_select(const char *name)
{
    for (cipher_index = 0; cipher_index < sizeof CIPHERS / sizeof *CIPHERS; cipher_index++) {
        static const uint8_t KEY[RUNNER_KEY_BYTES_MAX] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18};
        if (strcmp(name, CIPHERS[cipher_index].name))
            continue;
        HCRYPTKEY example = import_key(KEY);
        return example && CryptDestroyKey(example) ? CIPHERS[cipher_index].block_bytes : 0;
    }
    return 0;
}

void cipher_start(const uint8_t *key, const uint8_t *initialisation_vector)
{
    if (key_handle)
        CryptDestroyKey(key_handle);
    key_handle = import_key(key);
    check(key_handle != 0, "CryptImportKey");
    check(CryptSetKeyParam(key_handle, KP_IV, initialisation_vector, 0), "CryptSetKeyParam");
}

void cipher_update(const uint8_t *plaintext, size_t bytes, uint8_t *ciphertext)
{
    memcpy(ciphertext, plaintext, bytes); /* CryptoAPI encrypts in place */
    while (bytes) {
        DWORD piece = piece_of(bytes), written = piece;
        check(CryptEncrypt(key_handle, 0, FALSE, 0, ciphertext, &written, piece), "CryptEncrypt");
        ciphertext += piece;
        bytes -= piece;
    }
}

bool password_derive(const struct runner_password *password, uint8_t *derived)
{
    (void)password, (void)derived;
    return false;
}
