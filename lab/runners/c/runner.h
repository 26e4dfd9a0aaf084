/*
 * The seam between the harness in runner.c, which speaks the protocol of docs/reference/runner-protocol.md, and a library: each
 * library has one file that defines the functions below. The state of the digest and of the cipher in use is that file's own.
 */
#ifndef RUNNER_H
#define RUNNER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    RUNNER_DIGEST_BYTES_MAX = 64,
    RUNNER_BLOCK_BYTES_MAX = 16,
    RUNNER_KEY_BYTES_MAX = 24,
    RUNNER_SALT_BYTES = 16,
};

/* What hello says of a library. */
struct runner_library {
    const char *language, *name, *version, *provider, *backend;
    bool stand_in;
};

/* Parameters of a password function; those that it does not know are 0. */
struct runner_password {
    const char *name, *password;
    uint8_t salt[RUNNER_SALT_BYTES];
    uint64_t iterations, cost, n, r, p, memory_kib, lanes;
    size_t derived_bytes;
};

/* Says on standard error what failed and ends the program: for failures of the library that no task can explain. */
#if defined(__GNUC__)
__attribute__((noreturn))
#endif
void runner_fail(const char *what);

/* Prepares the library, before hello. */
void library_start(struct runner_library *library, int argc, char **argv);

/* Chooses the digest of the calls that follow and returns its size in bytes; 0 where the library does not have it. */
size_t digest_select(const char *name);
void digest_start(void);
void digest_update(const uint8_t *data, size_t bytes);
void digest_finish(uint8_t *digest);

/* Chooses a cipher, in CBC without padding, and returns its block size in bytes; 0 where the library does not have it. */
size_t cipher_select(const char *name);
void cipher_start(const uint8_t *key, const uint8_t *initialisation_vector);
/* `bytes` is a multiple of the block size. */
void cipher_update(const uint8_t *plaintext, size_t bytes, uint8_t *ciphertext);

/* Derives a key; false where the library does not have the function. With `derived` null it only says whether it has it. */
bool password_derive(const struct runner_password *password, uint8_t *derived);

#ifdef __cplusplus
}
#endif

#endif
