// Crypto++, a library in C++.
#define CRYPTOPP_ENABLE_NAMESPACE_WEAK 1
#include "../c/runner.h"

#include <cryptopp/aes.h>
#include <cryptopp/blake2.h>
#include <cryptopp/des.h>
#include <cryptopp/keccak.h>
#include <cryptopp/md4.h>
#include <cryptopp/md5.h>
#include <cryptopp/modes.h>
#include <cryptopp/pwdbased.h>
#include <cryptopp/rc2.h>
#include <cryptopp/ripemd.h>
#include <cryptopp/scrypt.h>
#include <cryptopp/sha.h>
#include <cryptopp/sha3.h>
#include <cryptopp/sm3.h>
#include <cryptopp/tiger.h>
#include <cryptopp/whrlpool.h>

#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <string>

namespace {

using Digest = std::unique_ptr<CryptoPP::HashTransformation>;

template <typename T>
Digest make()
{
    return std::make_unique<T>();
}

const std::map<std::string, std::function<Digest()>> DIGESTS = {
    {"md4", make<CryptoPP::Weak::MD4>},
    {"md5", make<CryptoPP::Weak::MD5>},
    {"sha1", make<CryptoPP::SHA1>},
    {"sha224", make<CryptoPP::SHA224>},
    {"sha256", make<CryptoPP::SHA256>},
    {"sha384", make<CryptoPP::SHA384>},
    {"sha512", make<CryptoPP::SHA512>},
    {"sha3-224", make<CryptoPP::SHA3_224>},
    {"sha3-256", make<CryptoPP::SHA3_256>},
    {"sha3-384", make<CryptoPP::SHA3_384>},
    {"sha3-512", make<CryptoPP::SHA3_512>},
    {"keccak256", make<CryptoPP::Keccak_256>},
    {"blake2b", make<CryptoPP::BLAKE2b>},
    {"blake2s", make<CryptoPP::BLAKE2s>},
    {"ripemd128", make<CryptoPP::RIPEMD128>},
    {"ripemd160", make<CryptoPP::RIPEMD160>},
    {"ripemd256", make<CryptoPP::RIPEMD256>},
    {"ripemd320", make<CryptoPP::RIPEMD320>},
    {"whirlpool", make<CryptoPP::Whirlpool>},
    {"tiger", make<CryptoPP::Tiger>},
    {"sm3", make<CryptoPP::SM3>},
};

struct Cipher {
    std::function<std::unique_ptr<CryptoPP::SymmetricCipher>()> make;
    std::size_t key_bytes, block_bytes;
};

template <typename T>
Cipher cbc(std::size_t key_bytes)
{
    return {[] { return std::make_unique<typename CryptoPP::CBC_Mode<T>::Encryption>(); }, key_bytes, T::BLOCKSIZE};
}

const std::map<std::string, Cipher> CIPHERS = {
    {"des-cbc", cbc<CryptoPP::DES>(8)},
    {"des-ede3-cbc", cbc<CryptoPP::DES_EDE3>(24)},
    {"rc2-128-cbc", cbc<CryptoPP::RC2>(16)},
    {"aes-128-cbc", cbc<CryptoPP::AES>(16)},
};

Digest digest;
Cipher chosen;
std::unique_ptr<CryptoPP::SymmetricCipher> cipher;

} // namespace

void library_start(runner_library *library, int, char **)
{
    static const std::string version = std::to_string(CRYPTOPP_VERSION / 100) + "." + std::to_string(CRYPTOPP_VERSION / 10 % 10)
                                       + "." + std::to_string(CRYPTOPP_VERSION % 10);
    // Which code it took here, of the two that differ most.
    static const std::string backend = "SHA-1: " + CryptoPP::SHA1().AlgorithmProvider()
                                       + ", SHA-256: " + CryptoPP::SHA256().AlgorithmProvider();
    *library = {"C++", "Crypto++", version.c_str(), "", backend.c_str(), false};
}

size_t digest_select(const char *name)
{
    const auto found = DIGESTS.find(name);
    digest = found == DIGESTS.end() ? nullptr : found->second();
    return digest ? digest->DigestSize() : 0;
}

void digest_start()
{
    digest->Restart();
}

void digest_update(const uint8_t *data, size_t bytes)
{
    digest->Update(data, bytes);
}

void digest_finish(uint8_t *out)
{
    digest->Final(out);
}

size_t cipher_select(const char *name)
{
    const auto found = CIPHERS.find(name);
    if (found == CIPHERS.end())
        return 0;
    chosen = found->second;
    cipher = chosen.make();
    return chosen.block_bytes;
}

void cipher_start(const uint8_t *key, const uint8_t *initialisation_vector)
{
    // RC2 has 1024 effective bits unless it is told otherwise; the other ciphers pass over the parameter.
    cipher->SetKey(key, chosen.key_bytes,
                   CryptoPP::MakeParameters(CryptoPP::Name::EffectiveKeyLength(), 128, false)(
                       CryptoPP::Name::IV(), CryptoPP::ConstByteArrayParameter(initialisation_vector, chosen.block_bytes)));
}

void cipher_update(const uint8_t *plaintext, size_t bytes, uint8_t *ciphertext)
{
    cipher->ProcessData(ciphertext, plaintext, bytes);
}

bool password_derive(const runner_password *password, uint8_t *derived)
{
    const std::string name = password->name;
    const auto *secret = reinterpret_cast<const CryptoPP::byte *>(password->password);
    if (name == "pbkdf2-hmac-sha256") {
        if (derived)
            CryptoPP::PKCS5_PBKDF2_HMAC<CryptoPP::SHA256>().DeriveKey(
                derived, password->derived_bytes, 0, secret, std::strlen(password->password), password->salt, RUNNER_SALT_BYTES,
                static_cast<unsigned>(password->iterations), 0.0);
        return true;
    }
    if (name == "scrypt") {
        if (derived)
            CryptoPP::Scrypt().DeriveKey(derived, password->derived_bytes, secret, std::strlen(password->password), password->salt,
                                         RUNNER_SALT_BYTES, password->n, password->r, password->p);
        return true;
    }
    return false;
}
