"""Runner of four Python libraries; the protocol is in docs/reference/runner-protocol.md."""

import base64
import gc
import json
import platform
import resource
import sys
import time
from dataclasses import dataclass, field
from typing import Callable

PASSWORD = b"correct horse battery staple"
SALT = bytes(range(16))
INITIALISATION_VECTOR = bytes(range(16))


class NotOffered(Exception):
    """The library does not have the algorithm or the mode."""


@dataclass
class Library:
    name: str
    version: str
    provider: str = ""
    backend: str = ""
    digests: dict[str, Callable] = field(default_factory=dict)  # makes an object with update()
    finish: str = "digest"  # the method of that object which returns the digest
    ciphers: dict[str, Callable] = field(default_factory=dict)  # makes the function that encrypts the next piece
    passwords: dict[str, Callable] = field(default_factory=dict)  # derives from the parameters of a task


# Libraries


def scrypt_memory(task):
    """What V and B of RFC 7914 take, and some."""
    return 128 * task["r"] * (task["n"] + task["p"] + 2) + (1 << 20)


def hashlib_library():
    import hashlib
    import ssl

    names = {name: name.replace("-", "_") for name in
             "md4 md5 sha1 sha224 sha256 sha384 sha512 sha3-224 sha3-256 sha3-384 sha3-512 blake2b blake2s sm3 whirlpool "
             "ripemd160".split()} | {"sha512-256": "sha512_256"}
    digests = {}
    for name, python_name in names.items():
        try:
            hashlib.new(python_name)
        except ValueError:  # OpenSSL has it in a provider that is not loaded
            continue
        constructor = getattr(hashlib, python_name, None)
        digests[name] = constructor or (lambda python_name=python_name: hashlib.new(python_name))
    passwords = {"pbkdf2-hmac-sha256": lambda task: hashlib.pbkdf2_hmac("sha256", PASSWORD, SALT, task["iterations"], 32)}
    if hasattr(hashlib, "scrypt"):
        passwords["scrypt"] = lambda task: hashlib.scrypt(
            PASSWORD, salt=SALT, n=task["n"], r=task["r"], p=task["p"], dklen=32, maxmem=scrypt_memory(task))
    return Library("hashlib", ssl.OPENSSL_VERSION, provider="OpenSSL; BLAKE2 is CPython's own", digests=digests,
                   passwords=passwords)


def cryptography_library():
    import cryptography
    from cryptography.hazmat.backends.openssl import backend
    from cryptography.hazmat.decrepit.ciphers import algorithms as decrepit
    from cryptography.hazmat.primitives import hashes
    from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
    from cryptography.hazmat.primitives.kdf import argon2, pbkdf2, scrypt

    digests = {
        "md5": hashes.MD5(), "sha1": hashes.SHA1(), "sha224": hashes.SHA224(), "sha256": hashes.SHA256(),
        "sha384": hashes.SHA384(), "sha512": hashes.SHA512(), "sha512-256": hashes.SHA512_256(),
        "sha3-224": hashes.SHA3_224(), "sha3-256": hashes.SHA3_256(), "sha3-384": hashes.SHA3_384(),
        "sha3-512": hashes.SHA3_512(), "blake2b": hashes.BLAKE2b(64), "blake2s": hashes.BLAKE2s(32), "sm3": hashes.SM3(),
    }
    # (algorithm, block bytes, how the key is made): one DES is triple DES with the same key three times.
    ciphers = {
        "des-cbc": (decrepit.TripleDES, 8, bytes(range(1, 9)) * 3),
        "des-ede3-cbc": (decrepit.TripleDES, 8, bytes(range(1, 25))),
        "rc2-128-cbc": (decrepit.RC2, 8, bytes(range(1, 17))),
        "aes-128-cbc": (algorithms.AES, 16, bytes(range(1, 17))),
    }

    def encryption(algorithm, block_bytes, key):
        return lambda: Cipher(algorithm(key), modes.CBC(INITIALISATION_VECTOR[:block_bytes])).encryptor().update

    return Library(
        "cryptography", f"{cryptography.__version__} ({backend.openssl_version_text()})", provider="OpenSSL of the wheel",
        digests={name: lambda algorithm=algorithm: hashes.Hash(algorithm) for name, algorithm in digests.items()
                 if backend.hash_supported(algorithm)},
        finish="finalize",
        ciphers={name: encryption(*values) for name, values in ciphers.items()},
        passwords={
            "pbkdf2-hmac-sha256": lambda task: pbkdf2.PBKDF2HMAC(hashes.SHA256(), 32, SALT, task["iterations"]).derive(PASSWORD),
            "scrypt": lambda task: scrypt.Scrypt(SALT, 32, task["n"], task["r"], task["p"]).derive(PASSWORD),
            "argon2id": lambda task: argon2.Argon2id(
                salt=SALT, length=32, iterations=task["iterations"], lanes=task["lanes"],
                memory_cost=task["memory_kib"]).derive(PASSWORD),
        })


def bcrypt_bytes(text):
    """The 23 bytes at the end of a modular crypt text, which has an alphabet of its own for base64."""
    letters = b"./ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
    standard = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    return base64.b64decode(text[-31:].translate(bytes.maketrans(letters, standard)) + b"=")


def pycryptodome_library():
    import Crypto
    from Crypto.Cipher import AES, ARC2, DES, DES3
    from Crypto.Hash import (BLAKE2b, BLAKE2s, MD4, MD5, RIPEMD160, SHA1, SHA224, SHA256, SHA384, SHA512, SHA3_224, SHA3_256,
                             SHA3_384, SHA3_512, keccak)
    from Crypto.Protocol import KDF

    modules = {"md4": MD4, "md5": MD5, "ripemd160": RIPEMD160, "sha1": SHA1, "sha224": SHA224, "sha256": SHA256,
               "sha384": SHA384, "sha512": SHA512, "sha3-224": SHA3_224, "sha3-256": SHA3_256, "sha3-384": SHA3_384,
               "sha3-512": SHA3_512}

    def encryption(module, key_bytes, **options):
        key, vector = bytes(range(1, key_bytes + 1)), INITIALISATION_VECTOR[:module.block_size]
        return lambda: module.new(key, module.MODE_CBC, iv=vector, **options).encrypt

    return Library(
        "pycryptodome", Crypto.__version__,
        digests={name: module.new for name, module in modules.items()} | {
            "sha512-256": lambda: SHA512.new(truncate="256"), "keccak256": lambda: keccak.new(digest_bits=256),
            "blake2b": lambda: BLAKE2b.new(digest_bits=512), "blake2s": lambda: BLAKE2s.new(digest_bits=256)},
        ciphers={"des-cbc": encryption(DES, 8), "des-ede3-cbc": encryption(DES3, 24),
                 "rc2-128-cbc": encryption(ARC2, 16, effective_keylen=128), "aes-128-cbc": encryption(AES, 16)},
        passwords={
            "pbkdf2-hmac-sha256": lambda task: KDF.PBKDF2(PASSWORD, SALT, 32, count=task["iterations"], hmac_hash_module=SHA256),
            "scrypt": lambda task: KDF.scrypt(PASSWORD, SALT, 32, task["n"], task["r"], task["p"]),
            "bcrypt": lambda task: bcrypt_bytes(KDF.bcrypt(PASSWORD, task["cost"], SALT)),
        })


def blake3_library():
    import blake3

    return Library("blake3", blake3.__version__, digests={"blake3": blake3.blake3})


LIBRARIES = {"hashlib": hashlib_library, "cryptography": cryptography_library, "pycryptodome": pycryptodome_library,
             "blake3": blake3_library}


# Modes: each prepares outside the clock and returns the pass that is timed, and another for the check where that differs


def pieces(path, task):
    """Reads a file in pieces of `chunk_bytes`; the piece is overwritten by the next."""
    buffer = bytearray(task["chunk_bytes"] or task["bytes"] + 1)
    view = memoryview(buffer)
    total = 0
    with open(path, "rb", buffering=0) as file:
        while got := file.readinto(view):
            total += got
            yield view[:got] if got < len(buffer) else view
    expect(total, task)


def expect(total, task):
    if total != task["bytes"]:
        raise ValueError(f"the file has {total} bytes, the task says {task['bytes']}")


def read(path, task):
    with open(path, "rb") as file:
        data = file.read()
    expect(len(data), task)
    return data


def digest_mode(library, task):
    new, view = offered(library.digests, task), memoryview(read(task["path"], task))
    step = task["chunk_bytes"] or max(len(view), 1)

    def one_pass():
        state = new()
        for start in range(0, len(view), step):
            state.update(view[start:start + step])
        return getattr(state, library.finish)()

    return one_pass, one_pass


def digest_file_mode(library, task):
    new = offered(library.digests, task)

    def one_pass():
        state = new()
        for piece in pieces(task["path"], task):
            state.update(piece)
        return getattr(state, library.finish)()

    return one_pass, one_pass


def read_file_mode(library, task):
    def one_pass():
        return str(sum(len(piece) for piece in pieces(task["path"], task)))

    return one_pass, one_pass


def cipher_mode(library, task):
    new, view = offered(library.ciphers, task), memoryview(read(task["path"], task))
    step = task["chunk_bytes"] or max(len(view), 1)
    block_bytes = 16 if task["algorithm"].startswith("aes") else 8

    def one_pass():
        encrypt, ciphertext = new(), b""
        for start in range(0, len(view), step):
            ciphertext = encrypt(view[start:start + step])
        return ciphertext[-block_bytes:]

    def check():
        import hashlib
        encrypt, sha256 = new(), hashlib.sha256()
        for start in range(0, len(view), step):
            sha256.update(encrypt(view[start:start + step]))
        return sha256.digest()

    return one_pass, check


def cipher_file_mode(library, task):
    new = offered(library.ciphers, task)
    block_bytes = 16 if task["algorithm"].startswith("aes") else 8

    def one_pass():
        encrypt, ciphertext = new(), b""
        for piece in pieces(task["path"], task):
            ciphertext = encrypt(piece)
        return ciphertext[-block_bytes:]

    return one_pass, one_pass


def strings_mode(library, task):
    new, strings = offered(library.digests, task), read(task["path"], task).split(b"\n")[:-1]
    return digest_each(library, new, strings)


def messages_mode(library, task):
    new, data, count = offered(library.digests, task), read(task["path"], task), task["count"]
    if not data or not count or len(data) % count:
        raise ValueError(f"{len(data)} bytes are not {count} messages of one length")
    step = len(data) // count
    return digest_each(library, new, [data[start:start + step] for start in range(0, len(data), step)])


def digest_each(library, new, messages):
    def digest(message):
        state = new()
        state.update(message)
        return getattr(state, library.finish)()

    def one_pass():
        last = b""
        for message in messages:
            last = digest(message)
        return last

    return one_pass, lambda: digest(b"".join(map(digest, messages)))


def password_mode(library, task):
    derive = offered(library.passwords, task)

    def one_pass():
        derived = b""
        for _ in range(task["count"]):
            derived = derive(task)
        return derived

    return one_pass, one_pass


MODES = {"digest": digest_mode, "digest-file": digest_file_mode, "read-file": read_file_mode, "cipher": cipher_mode,
         "cipher-file": cipher_file_mode, "strings": strings_mode, "messages": messages_mode, "password": password_mode}


# The conversation


def offered(choices, task):
    try:
        return choices[task["algorithm"]]
    except KeyError:
        raise NotOffered(f"{task['algorithm']} is not in this library") from None


def say(kind, **values):
    print(json.dumps({"type": kind} | values, separators=(",", ":")), flush=True)


def text(answer):
    return answer if isinstance(answer, str) else answer.hex()


def peak_bytes():
    """Linux hands getrusage's figure on from the process that started this one, so the status file is asked first."""
    try:
        with open("/proc/self/status") as status:
            return next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmHWM"))
    except (OSError, StopIteration):
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def collections():
    return sum(generation["collections"] for generation in gc.get_stats())


def carry_out(library, task):
    if task["mode"] not in MODES:
        raise NotOffered("unknown mode")
    collections_before = collections()
    one_pass, check = MODES[task["mode"]](library, task)
    say("check", id=task["id"], answer=text(check()))
    for _ in range(task["warm_up"]):
        one_pass()
    for repeat in range(task["repeats"]):
        if "repeat_path" in task:  # other data for each repeat
            one_pass, _ = MODES[task["mode"]](library, task | {"path": f"{task['repeat_path']}{repeat}"})
            say("begin", id=task["id"], repeat=repeat)
        wall_ns, cpu_ns = time.perf_counter_ns(), time.thread_time_ns()
        answer = one_pass()
        cpu_ns, wall_ns = time.thread_time_ns() - cpu_ns, time.perf_counter_ns() - wall_ns
        say("sample", id=task["id"], repeat=repeat, wall_ns=wall_ns, cpu_ns=cpu_ns, answer=text(answer))
    say("done", id=task["id"], gc_count=collections() - collections_before, peak_bytes=peak_bytes())


def main():
    try:
        library = LIBRARIES[sys.argv[1]]()
    except ImportError as error:
        return say("unavailable", message=str(error))
    say("hello", protocol=1, language="Python", language_version=platform.python_version(), library=library.name,
        library_version=library.version, provider=library.provider, backend=library.backend, stand_in=False, varies=True,
        clock_ns=max(1, round(time.get_clock_info("thread_time").resolution * 1e9)),
        algorithms=[*library.digests, *library.ciphers, *library.passwords])
    for line in sys.stdin.buffer:
        task = json.loads(line)
        try:
            carry_out(library, task)
        except NotOffered as reason:
            say("not-offered", id=task["id"], message=str(reason))
        except Exception as error:  # whatever a library raises ends the task, not the runner
            say("error", id=task["id"], message=f"{type(error).__name__}: {error}")


if __name__ == "__main__":
    main()
