"""Writes folds.txt: what implementations that pfh does not link find for many messages.

A fold is the SHA-256 of the digests of the messages of all LENGTHS, one after the other: one line stands for some 350
digests. Message n is the first n bytes of 0, 1, ... 250, 0, 1, ...; a key is the first bytes of 255, 254, ... 0, 255, ...
Every implementation computes its own folds; where two disagree, this script says so and fails.

    python3 -m venv V && V/bin/pip install awscrt gostcrypto xxhash pycryptodomex
    apt-get install php-cli libcryptx-perl libgcrypt20 golang
    V/bin/python generate.py > folds.txt
"""

import ctypes
import ctypes.util
import hashlib
import hmac
import importlib.metadata
import os
import platform
import ssl
import subprocess
import sys
import zlib

LENGTHS = [*range(301), 511, 512, 513, 1023, 1024, 1025, 2047, 2048, 2049, 3072, 3073, 4095, 4096, 4097, 5120, 6144, 7168,
           8191, 8192, 8193, 16384, 16385, 31744, 65535, 65536, 65537, 102400, 1048579]
# Slow ones, written in Python, get the shorter messages; the name of the fold says so.
SHORT = [length for length in LENGTHS if length <= 300]
HMAC_KEYS = [1, 20, 64, 65, 128, 129, 200]
CYCLE = bytes(range(251))

def message(length):
    return (CYCLE * (length // 251 + 1))[:length]

def key(length):
    return bytes(255 - i % 256 for i in range(length))

folds = []

def fold(name, implementation, key_bytes, digest, lengths=LENGTHS):
    value = hashlib.sha256()
    for length in lengths:
        value.update(digest(message(length)))
    which = "all" if lengths is LENGTHS else "short"
    folds.append((name, implementation, key_bytes, which, value.hexdigest()))

# OpenSSL, by Python's hashlib; BLAKE2 is Python's copy of the reference implementation there.
names = ("md5 sha1 sha224 sha256 sha384 sha512 sha512-224 sha512-256 sha3-224 sha3-256 sha3-384 sha3-512 ripemd160 sm3 "
         "md4 whirlpool").split()
for name in names:
    theirs = name.replace("-", "_")
    try:
        hashlib.new(theirs)
    except ValueError:
        continue
    fold(name, "openssl", 0, lambda m: hashlib.new(theirs, m, usedforsecurity=False).digest())
    if name == "sha1":
        fold("sha1dc", "openssl", 0, lambda m: hashlib.sha1(m).digest())
    for n in HMAC_KEYS:
        if name in hashlib.algorithms_guaranteed or name in ("sm3", "ripemd160", "sha512-224", "sha512-256"):
            fold("hmac-" + name, "openssl", n, lambda m: hmac.digest(key(n), m, theirs))
for strength in 128, 256:
    for n in 1, 16, 31, 32, 33, 64:
        fold(f"shake{strength}-{8 * n}", "openssl", 0, lambda m: hashlib.new(f"shake_{strength}", m).digest(n))
for name, new, most in ("blake2b", hashlib.blake2b, 64), ("blake2s", hashlib.blake2s, 32):
    for n in sorted({1, 16, 20, 31, 32, most}):
        fold(f"{name}-{8 * n}", "blake2-c", 0, lambda m: new(m, digest_size=n).digest())
        for k in sorted({1, 16, 32, most}):
            fold(f"keyed-{name}-{8 * n}", "blake2-c", k, lambda m: new(m, digest_size=n, key=key(k)).digest())
    for k in HMAC_KEYS:
        fold(f"hmac-{name}", "blake2-c", k, lambda m: hmac.new(key(k), m, new).digest())

# zlib, and the xxHash, AWS, PyCryptodome and gostcrypto packages.
fold("crc32", "zlib", 0, lambda m: zlib.crc32(m).to_bytes(4, "big"))
fold("adler32", "zlib", 0, lambda m: zlib.adler32(m).to_bytes(4, "big"))
import awscrt.checksums
import Cryptodome
import Cryptodome.Hash.keccak
import gostcrypto
import xxhash
fold("crc64nvme", "aws-c", 0, lambda m: awscrt.checksums.crc64nvme(m).to_bytes(8, "big"))
fold("crc32c", "aws-c", 0, lambda m: awscrt.checksums.crc32c(m).to_bytes(4, "big"))
fold("crc32", "aws-c", 0, lambda m: awscrt.checksums.crc32(m).to_bytes(4, "big"))
for name, new in (("xxh32", xxhash.xxh32), ("xxh64", xxhash.xxh64), ("xxh3-64", xxhash.xxh3_64),
                  ("xxh3-128", xxhash.xxh3_128)):
    fold(name, "xxhash", 0, lambda m: new(m).digest())

class Keccak256:
    "As the module hmac wants it."
    digest_size, block_size, name = 32, 136, "keccak256"
    def __init__(self, data=b""):
        self.data = data
    def update(self, data):
        self.data += data
    def copy(self):
        return Keccak256(self.data)
    def digest(self):
        return Cryptodome.Hash.keccak.new(digest_bits=256, data=self.data).digest()

fold("keccak256", "pycryptodome", 0, lambda m: Keccak256(m).digest())
for n in HMAC_KEYS:
    fold("hmac-keccak256", "pycryptodome", n, lambda m: hmac.new(key(n), m, Keccak256).digest())
for bits in 256, 512:
    fold(f"streebog{bits}", "gostcrypto", 0,
         lambda m: bytes(gostcrypto.gosthash.new(f"streebog{bits}", data=bytearray(m)).digest()), SHORT)

# libgcrypt.
gcrypt = ctypes.CDLL(ctypes.util.find_library("gcrypt"))
gcrypt.gcry_check_version.restype = ctypes.c_char_p
gcrypt_version = gcrypt.gcry_check_version(None).decode()
gcrypt.gcry_md_get_algo_dlen.restype = ctypes.c_uint
gcrypt.gcry_md_read.restype = ctypes.c_void_p
GCRYPT_HMAC = 2

def by_gcrypt(algorithm, m, hmac_key=None):
    handle = ctypes.c_void_p()
    assert gcrypt.gcry_md_open(ctypes.byref(handle), algorithm, GCRYPT_HMAC if hmac_key else 0) == 0
    if hmac_key:
        assert gcrypt.gcry_md_setkey(handle, hmac_key, ctypes.c_size_t(len(hmac_key))) == 0
    gcrypt.gcry_md_write(handle, m, ctypes.c_size_t(len(m)))
    digest = ctypes.string_at(gcrypt.gcry_md_read(handle, algorithm), gcrypt.gcry_md_get_algo_dlen(algorithm))
    gcrypt.gcry_md_close(handle)
    return digest

for name, number in {"md4": 301, "md5": 1, "sha1": 2, "sha224": 11, "sha256": 8, "sha384": 9, "sha512": 10,
                     "ripemd160": 3, "whirlpool": 305, "tiger": 306, "streebog256": 309, "streebog512": 310,
                     "sha3-224": 312, "sha3-256": 313, "sha3-384": 314, "sha3-512": 315, "sm3": 326,
                     "sha512-256": 327, "sha512-224": 328, "crc32": 302}.items():
    fold(name, "libgcrypt", 0, lambda m: by_gcrypt(number, m))
    if name in ("crc32", "tiger"):
        continue
    for n in HMAC_KEYS:
        fold("hmac-" + name, "libgcrypt", n, lambda m: by_gcrypt(number, m, key(n)))

# Other languages.
here = os.path.dirname(os.path.abspath(__file__))
for command in ["php", "folds.php"], ["perl", "folds.pl"], ["go", "run", "."]:
    printed = subprocess.run([*command, *map(str, LENGTHS)], check=True, capture_output=True, text=True, cwd=here).stdout
    for line in printed.splitlines():
        name, implementation, key_bytes, value = line.split()
        folds.append((name, implementation, int(key_bytes), "all", value))

def version(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True, cwd=here).stdout.strip()

package = importlib.metadata.version
print(f"""# Written by generate.py, which says how: NAME IMPLEMENTATION KEY_BYTES LENGTHS FOLD.
# LENGTHS is `all` or `short` (up to 300 bytes). The context of derive-key is "pfh 2026-11-22 test of derive-key".
# aws-c         AWS checksums in C, by awscrt {package("awscrt")} for Python
# go            golang.org/x/crypto and, for BLAKE3, github.com/zeebo/blake3 as go.mod says; {version("go", "version")}
# gostcrypto    gostcrypto {package("gostcrypto")}, Python
# blake2-c      BLAKE2 by its authors, in C, as in Python {platform.python_version()}
# libgcrypt     libgcrypt {gcrypt_version}
# libtomcrypt   LibTomCrypt in CryptX {version("perl", "-MCryptX", "-e", "print $CryptX::VERSION")} for Perl
# openssl       {ssl.OPENSSL_VERSION}, by Python's hashlib
# php           PHP {version("php", "-r", "echo PHP_VERSION;")}, its extension hash
# pycryptodome  PyCryptodome {package("pycryptodomex")}
# xxhash        the xxHash library {xxhash.XXHASH_VERSION}, by xxhash {package("xxhash")} for Python
# zlib          zlib {zlib.ZLIB_RUNTIME_VERSION}
""")
agreed = {}
for name, implementation, key_bytes, which, value in sorted(folds):
    first = agreed.setdefault((name, key_bytes, which), (implementation, value))
    if first[1] != value:
        sys.exit(f"{name}, key of {key_bytes} bytes: {implementation} disagrees with {first[0]}")
    print(name, implementation, key_bytes, which, value)
