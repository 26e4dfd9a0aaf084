/* OpenSSL's libcrypto through EVP, with the provider of the legacy algorithms. The reference that reports compare with. */
#include "../c/runner.h"

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/kdf.h>
#include <openssl/params.h>
#include <openssl/provider.h>
#include <stdlib.h>
#include <string.h>

static const struct { const char *name, *openssl; } DIGESTS[] = {
    {"md4", "MD4"},             {"md5", "MD5"},             {"sha1", "SHA1"},           {"sha224", "SHA2-224"},
    {"sha256", "SHA2-256"},     {"sha384", "SHA2-384"},     {"sha512", "SHA2-512"},     {"sha512-256", "SHA2-512/256"},
    {"sha3-224", "SHA3-224"},   {"sha3-256", "SHA3-256"},   {"sha3-384", "SHA3-384"},   {"sha3-512", "SHA3-512"},
    {"keccak256", "KECCAK-256"}, {"blake2b", "BLAKE2B-512"}, {"blake2s", "BLAKE2S-256"}, {"ripemd160", "RIPEMD160"},
    {"whirlpool", "WHIRLPOOL"}, {"sm3", "SM3"},
}, CIPHERS[] = {
    {"des-cbc", "DES-CBC"}, {"des-ede3-cbc", "DES-EDE3-CBC"}, {"rc2-128-cbc", "RC2-CBC"}, {"aes-128-cbc", "AES-128-CBC"},
};

static EVP_MD *digest;
static EVP_MD_CTX *digest_context;
static EVP_CIPHER *cipher;
static EVP_CIPHER_CTX *cipher_context;

static void check(int result, const char *what)
{
    if (result != 1)
        runner_fail(what);
}

void library_start(struct runner_library *library, int argc, char **argv)
{
    (void)argc, (void)argv;
    bool legacy = OSSL_PROVIDER_load(NULL, "legacy");
    if (!OSSL_PROVIDER_load(NULL, "default") || !(digest_context = EVP_MD_CTX_new()) ||
        !(cipher_context = EVP_CIPHER_CTX_new()))
        runner_fail("OpenSSL's default provider");
    /* "CPUINFO: OPENSSL_ia32cap=…": the capabilities after the mask of the environment. */
    const char *processor = OPENSSL_info(OPENSSL_INFO_CPU_SETTINGS);
    *library = (struct runner_library){
        .language = "C", .name = "OpenSSL", .version = OpenSSL_version(OPENSSL_FULL_VERSION_STRING),
        .provider = legacy ? "default,legacy" : "default", .backend = processor,
    };
}

size_t digest_select(const char *name)
{
    EVP_MD_free(digest);
    digest = NULL;
    for (size_t index = 0; index < sizeof DIGESTS / sizeof *DIGESTS; index++)
        if (!strcmp(name, DIGESTS[index].name))
            digest = EVP_MD_fetch(NULL, DIGESTS[index].openssl, NULL);
    return digest ? (size_t)EVP_MD_get_size(digest) : 0;
}

void digest_start(void)
{
    check(EVP_DigestInit_ex2(digest_context, digest, NULL), "EVP_DigestInit_ex2");
}

void digest_update(const uint8_t *data, size_t bytes)
{
    check(EVP_DigestUpdate(digest_context, data, bytes), "EVP_DigestUpdate");
}

void digest_finish(uint8_t *out)
{
    check(EVP_DigestFinal_ex(digest_context, out, NULL), "EVP_DigestFinal_ex");
}

size_t cipher_select(const char *name)
{
    EVP_CIPHER_free(cipher);
    cipher = NULL;
    for (size_t index = 0; index < sizeof CIPHERS / sizeof *CIPHERS; index++)
        if (!strcmp(name, CIPHERS[index].name))
            cipher = EVP_CIPHER_fetch(NULL, CIPHERS[index].openssl, NULL);
    return cipher ? (size_t)EVP_CIPHER_get_block_size(cipher) : 0;
}

void cipher_start(const uint8_t *key, const uint8_t *initialisation_vector)
{
    check(EVP_EncryptInit_ex2(cipher_context, cipher, key, initialisation_vector, NULL), "EVP_EncryptInit_ex2");
    check(EVP_CIPHER_CTX_set_padding(cipher_context, 0), "EVP_CIPHER_CTX_set_padding");
}

void cipher_update(const uint8_t *plaintext, size_t bytes, uint8_t *ciphertext)
{
    /* EVP counts in int: pieces of 1 GiB. */
    while (bytes) {
        int piece = bytes < 1 << 30 ? (int)bytes : 1 << 30, written;
        check(EVP_EncryptUpdate(cipher_context, ciphertext, &written, plaintext, piece), "EVP_EncryptUpdate");
        plaintext += piece;
        ciphertext += written;
        bytes -= (size_t)piece;
    }
}

bool password_derive(const struct runner_password *password, uint8_t *derived)
{
    size_t length = strlen(password->password ? password->password : "");
    if (!strcmp(password->name, "pbkdf2-hmac-sha256")) {
        if (derived)
            check(PKCS5_PBKDF2_HMAC(password->password, (int)length, password->salt, RUNNER_SALT_BYTES, (int)password->iterations,
                                    EVP_sha256(), (int)password->derived_bytes, derived), "PKCS5_PBKDF2_HMAC");
        return true;
    }
    if (!strcmp(password->name, "scrypt")) {
        /* Room for V and B of RFC 7914, and some. */
        uint64_t memory_bytes = 128 * password->r * (password->n + password->p + 2) + (1 << 20);
        if (derived)
            check(EVP_PBE_scrypt(password->password, length, password->salt, RUNNER_SALT_BYTES, password->n, password->r,
                                 password->p, memory_bytes, derived, password->derived_bytes), "EVP_PBE_scrypt");
        return true;
    }
    if (strcmp(password->name, "argon2id"))
        return false;
    EVP_KDF *function = EVP_KDF_fetch(NULL, "ARGON2ID", NULL); /* since 3.2 */
    EVP_KDF_CTX *context = function && derived ? EVP_KDF_CTX_new(function) : NULL;
    if (context) {
        uint32_t iterations = (uint32_t)password->iterations, lanes = (uint32_t)password->lanes,
                 memory_kib = (uint32_t)password->memory_kib;
        OSSL_PARAM parameters[] = {
            OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_PASSWORD, (void *)password->password, length),
            OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_SALT, (void *)password->salt, RUNNER_SALT_BYTES),
            OSSL_PARAM_construct_uint32(OSSL_KDF_PARAM_ITER, &iterations),
            OSSL_PARAM_construct_uint32("lanes", &lanes),
            OSSL_PARAM_construct_uint32("memcost", &memory_kib),
            OSSL_PARAM_construct_end(),
        };
        check(EVP_KDF_derive(context, derived, password->derived_bytes, parameters), "EVP_KDF_derive");
        EVP_KDF_CTX_free(context);
    }
    EVP_KDF_free(function);
    return function != NULL;
}
