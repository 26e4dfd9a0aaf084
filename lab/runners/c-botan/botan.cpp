// Botan, a library in C++.
#include "../c/runner.h"

#include <botan/cipher_mode.h>
#include <botan/hash.h>
#include <botan/mem_ops.h>
#include <botan/pwdhash.h>
#include <botan/version.h>

#include <cstring>
#include <map>
#include <memory>
#include <string>

namespace {

const std::map<std::string, std::string> DIGESTS = {
    {"md4", "MD4"}, {"md5", "MD5"}, {"sha1", "SHA-1"}, {"sha224", "SHA-224"}, {"sha256", "SHA-256"}, {"sha384", "SHA-384"},
    {"sha512", "SHA-512"}, {"sha512-256", "SHA-512-256"}, {"sha3-224", "SHA-3(224)"}, {"sha3-256", "SHA-3(256)"},
    {"sha3-384", "SHA-3(384)"}, {"sha3-512", "SHA-3(512)"}, {"keccak256", "Keccak-1600(256)"}, {"blake2b", "BLAKE2b(512)"},
    {"ripemd160", "RIPEMD-160"}, {"whirlpool", "Whirlpool"}, {"tiger", "Tiger(24,3)"}, {"sm3", "SM3"},
    {"streebog256", "Streebog-256"}, {"streebog512", "Streebog-512"},
};

struct Cipher {
    std::string botan_name;
    std::size_t key_bytes, block_bytes;
};
const std::map<std::string, Cipher> CIPHERS = {
    {"des-cbc", {"DES/CBC/NoPadding", 8, 8}},
    {"des-ede3-cbc", {"TripleDES/CBC/NoPadding", 24, 8}},
    {"aes-128-cbc", {"AES-128/CBC/NoPadding", 16, 16}},
};

// Made before what lives in the memory that it hands out, and so destroyed after.
Botan::Allocator_Initializer allocator;
std::unique_ptr<Botan::HashFunction> digest;
std::unique_ptr<Botan::Cipher_Mode> cipher;
Cipher chosen;

} // namespace

void library_start(runner_library *library, int, char **)
{
    static const std::string version = Botan::short_version_string();
    static std::string backend;
    if (const auto example = Botan::HashFunction::create("SHA-256"))
        backend = "SHA-256: " + example->provider();
    *library = {"C++", "Botan", version.c_str(), "", backend.c_str(), false};
}

size_t digest_select(const char *name)
{
    const auto found = DIGESTS.find(name);
    digest = found == DIGESTS.end() ? nullptr : Botan::HashFunction::create(found->second);
    return digest ? digest->output_length() : 0;
}

void digest_start()
{
    digest->clear();
}

void digest_update(const uint8_t *data, size_t bytes)
{
    digest->update(data, bytes);
}

void digest_finish(uint8_t *out)
{
    digest->final(out);
}

size_t cipher_select(const char *name)
{
    const auto found = CIPHERS.find(name);
    if (found == CIPHERS.end())
        return 0;
    chosen = found->second;
    cipher = Botan::Cipher_Mode::create(chosen.botan_name, Botan::ENCRYPTION);
    return cipher ? chosen.block_bytes : 0;
}

void cipher_start(const uint8_t *key, const uint8_t *initialisation_vector)
{
    cipher->clear();
    cipher->set_key(key, chosen.key_bytes);
    cipher->start(initialisation_vector, chosen.block_bytes);
}

void cipher_update(const uint8_t *plaintext, size_t bytes, uint8_t *ciphertext)
{
    std::memcpy(ciphertext, plaintext, bytes); // Botan encrypts in place
    cipher->process(ciphertext, bytes);
}

bool password_derive(const runner_password *password, uint8_t *derived)
{
    const std::string name = password->name;
    const std::map<std::string, std::string> names = {
        {"pbkdf2-hmac-sha256", "PBKDF2(SHA-256)"}, {"scrypt", "Scrypt"}, {"argon2id", "Argon2id"}};
    const auto found = names.find(name);
    const auto family = found == names.end() ? nullptr : Botan::PasswordHashFamily::create(found->second);
    if (!family || !derived)
        return family != nullptr;
    const auto function = name == "scrypt"     ? family->from_params(password->n, password->r, password->p)
                          : name == "argon2id" ? family->from_params(password->memory_kib, password->iterations, password->lanes)
                                               : family->from_params(password->iterations);
    function->derive_key(derived, password->derived_bytes, password->password, std::strlen(password->password), password->salt,
                         RUNNER_SALT_BYTES);
    return true;
}
