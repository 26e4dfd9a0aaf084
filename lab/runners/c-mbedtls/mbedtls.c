/* Mbed TLS, for small devices. */
#include "../c/runner.h"

#include <mbedtls/cipher.h>
#include <mbedtls/md.h>
#include <mbedtls/pkcs5.h>
#include <mbedtls/version.h>
#include <string.h>

static const struct { const char *name, *mbedtls; } DIGESTS[] = {
    {"md4", "MD4"},       {"md5", "MD5"},       {"sha1", "SHA1"},     {"sha224", "SHA224"},      {"sha256", "SHA256"},
    {"sha384", "SHA384"}, {"sha512", "SHA512"}, {"ripemd160", "RIPEMD160"},
}, CIPHERS[] = {
    {"des-cbc", "DES-CBC"}, {"des-ede3-cbc", "DES-EDE3-CBC"}, {"aes-128-cbc", "AES-128-CBC"},
};

static mbedtls_md_context_t digest;
static mbedtls_cipher_context_t cipher;
static const mbedtls_cipher_info_t *cipher_information;

static void check(int error, const char *what)
{
    if (error)
        runner_fail(what);
}

void library_start(struct runner_library *library, int argc, char **argv)
{
    (void)argc, (void)argv;
    static char version[9];
    mbedtls_version_get_string(version);
    *library = (struct runner_library){.language = "C", .name = "Mbed TLS", .version = version};
    mbedtls_md_init(&digest);
    mbedtls_cipher_init(&cipher);
}

size_t digest_select(const char *name)
{
    mbedtls_md_free(&digest);
    mbedtls_md_init(&digest);
    for (size_t index = 0; index < sizeof DIGESTS / sizeof *DIGESTS; index++) {
        if (strcmp(name, DIGESTS[index].name))
            continue;
        const mbedtls_md_info_t *information = mbedtls_md_info_from_string(DIGESTS[index].mbedtls);
        if (!information || mbedtls_md_setup(&digest, information, 0))
            return 0;
        return mbedtls_md_get_size(information);
    }
    return 0;
}

void digest_start(void)
{
    check(mbedtls_md_starts(&digest), "mbedtls_md_starts");
}

void digest_update(const uint8_t *data, size_t bytes)
{
    check(mbedtls_md_update(&digest, data, bytes), "mbedtls_md_update");
}

void digest_finish(uint8_t *out)
{
    check(mbedtls_md_finish(&digest, out), "mbedtls_md_finish");
}

size_t cipher_select(const char *name)
{
    for (size_t index = 0; index < sizeof CIPHERS / sizeof *CIPHERS; index++) {
        if (strcmp(name, CIPHERS[index].name))
            continue;
        cipher_information = mbedtls_cipher_info_from_string(CIPHERS[index].mbedtls);
        return cipher_information ? (size_t)cipher_information->block_size : 0;
    }
    return 0;
}

void cipher_start(const uint8_t *key, const uint8_t *initialisation_vector)
{
    mbedtls_cipher_free(&cipher);
    mbedtls_cipher_init(&cipher);
    check(mbedtls_cipher_setup(&cipher, cipher_information), "mbedtls_cipher_setup");
    check(mbedtls_cipher_setkey(&cipher, key, mbedtls_cipher_get_key_bitlen(&cipher), MBEDTLS_ENCRYPT), "mbedtls_cipher_setkey");
    check(mbedtls_cipher_set_padding_mode(&cipher, MBEDTLS_PADDING_NONE), "mbedtls_cipher_set_padding_mode");
    check(mbedtls_cipher_set_iv(&cipher, initialisation_vector, mbedtls_cipher_get_block_size(&cipher)), "mbedtls_cipher_set_iv");
    check(mbedtls_cipher_reset(&cipher), "mbedtls_cipher_reset");
}

void cipher_update(const uint8_t *plaintext, size_t bytes, uint8_t *ciphertext)
{
    size_t written;
    check(mbedtls_cipher_update(&cipher, plaintext, bytes, ciphertext, &written) || written != bytes, "mbedtls_cipher_update");
}

bool password_derive(const struct runner_password *password, uint8_t *derived)
{
    if (strcmp(password->name, "pbkdf2-hmac-sha256"))
        return false;
    if (derived) {
        mbedtls_md_context_t hmac;
        mbedtls_md_init(&hmac);
        check(mbedtls_md_setup(&hmac, mbedtls_md_info_from_type(MBEDTLS_MD_SHA256), 1), "mbedtls_md_setup");
        check(mbedtls_pkcs5_pbkdf2_hmac(&hmac, (const uint8_t *)password->password, strlen(password->password), password->salt,
                                        RUNNER_SALT_BYTES, (unsigned)password->iterations, (uint32_t)password->derived_bytes,
                                        derived), "mbedtls_pkcs5_pbkdf2_hmac");
        mbedtls_md_free(&hmac);
    }
    return true;
}
