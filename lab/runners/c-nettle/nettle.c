/* Nettle, the library of GnuTLS. */
#include "../c/runner.h"

#include <nettle/aes.h>
#include <nettle/arctwo.h>
#include <nettle/cbc.h>
#include <nettle/des.h>
#include <nettle/nettle-meta.h>
#include <nettle/pbkdf2.h>
#include <nettle/version.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct nettle_hash *digest;
static void *digest_context;

enum cipher { DES, DES3, RC2, AES };
static enum cipher cipher;
static const struct { const char *name; size_t block_bytes; } CIPHERS[] = {
    [DES] = {"des-cbc", DES_BLOCK_SIZE},
    [DES3] = {"des-ede3-cbc", DES3_BLOCK_SIZE},
    [RC2] = {"rc2-128-cbc", ARCTWO_BLOCK_SIZE},
    [AES] = {"aes-128-cbc", AES_BLOCK_SIZE},
};
static union {
    struct des_ctx des;
    struct des3_ctx des3;
    struct arctwo_ctx arctwo;
    struct aes128_ctx aes;
} cipher_context;
static uint8_t chained[RUNNER_BLOCK_BYTES_MAX];

void library_start(struct runner_library *library, int argc, char **argv)
{
    (void)argc, (void)argv;
    static char version[24];
    snprintf(version, sizeof version, "%d.%d", nettle_version_major(), nettle_version_minor());
    *library = (struct runner_library){.language = "C", .name = "Nettle", .version = version};
}

size_t digest_select(const char *name)
{
    static const char *const OFFERED[] = {"md4", "md5", "sha1", "sha224", "sha256", "sha384", "sha512", "sha3-224",
        "sha3-256", "sha3-384", "sha3-512", "ripemd160", "sm3", "streebog256", "streebog512"};
    free(digest_context);
    digest = NULL;
    digest_context = NULL;
    for (size_t index = 0; index < sizeof OFFERED / sizeof *OFFERED; index++) {
        if (strcmp(name, OFFERED[index]))
            continue;
        char nettle_name[16];
        strcpy(nettle_name, name);
        for (char *letter = nettle_name; *letter; letter++)
            if (*letter == '-')
                *letter = '_';
        digest = nettle_lookup_hash(nettle_name);
    }
    if (!digest)
        return 0;
    digest_context = malloc(digest->context_size);
    if (!digest_context)
        runner_fail("allocation of memory");
    return digest->digest_size;
}

void digest_start(void)
{
    digest->init(digest_context);
}

void digest_update(const uint8_t *data, size_t bytes)
{
    digest->update(digest_context, bytes, data);
}

void digest_finish(uint8_t *out)
{
    digest->digest(digest_context, digest->digest_size, out);
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
    memcpy(chained, initialisation_vector, CIPHERS[cipher].block_bytes);
    switch (cipher) {
    case DES:
        des_set_key(&cipher_context.des, key);
        break;
    case DES3:
        des3_set_key(&cipher_context.des3, key);
        break;
    case RC2:
        arctwo_set_key_ekb(&cipher_context.arctwo, 16, key, 128);
        break;
    case AES:
        aes128_set_encrypt_key(&cipher_context.aes, key);
        break;
    }
}

void cipher_update(const uint8_t *plaintext, size_t bytes, uint8_t *ciphertext)
{
    static nettle_cipher_func *const ENCRYPT[] = {
        [DES] = (nettle_cipher_func *)des_encrypt,
        [DES3] = (nettle_cipher_func *)des3_encrypt,
        [RC2] = (nettle_cipher_func *)arctwo_encrypt,
    };
    if (cipher == AES)
        cbc_aes128_encrypt(&cipher_context.aes, chained, bytes, ciphertext, plaintext);
    else
        cbc_encrypt(&cipher_context, ENCRYPT[cipher], CIPHERS[cipher].block_bytes, chained, bytes, ciphertext, plaintext);
}

bool password_derive(const struct runner_password *password, uint8_t *derived)
{
    if (strcmp(password->name, "pbkdf2-hmac-sha256"))
        return false;
    if (derived)
        pbkdf2_hmac_sha256(strlen(password->password), (const uint8_t *)password->password, (unsigned)password->iterations,
                           RUNNER_SALT_BYTES, password->salt, password->derived_bytes, derived);
    return true;
}
