#!/usr/bin/env python3
"""Holds a runner against docs/reference/runner-protocol.md and its answers against independent values.

    python3 lab/runners/conformance.py lab/runners/perl                  # all variants
    python3 lab/runners/conformance.py lab/runners/java java-accp --profile no-sha --fetch

References: Python's hashlib, else `pfh hash`; ciphers `openssl enc`; password functions the constants below.
It exits with 1 where a runner breaks the contract, and names what it could not compare.
"""

import argparse
import hashlib
import json
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import tomllib

LINE_BYTES_MAX = 64 * 1024
CIPHERS = {"des-cbc": (8, 8), "des-ede3-cbc": (24, 8), "rc2-128-cbc": (16, 8), "aes-128-cbc": (16, 16)}  # key, block bytes

SHAKE_BYTES = {"shake128": 32, "shake256": 64}

# Parameters, and what the password and salt of the protocol give with them. Each figure was given by two implementations that
# share no code: OpenSSL and PyCryptodome (PBKDF2, scrypt), libxcrypt and PyCryptodome (bcrypt), OpenSSL and Go (Argon2id).
PASSWORDS = {
    "pbkdf2-hmac-sha256": ({"iterations": 1000}, "a69b179e3add3c1e0aaf227a0eb3aa2aa8645ab86fecf6ca00c17512697c719e"),
    "bcrypt": ({"cost": 4}, "710628a4f587872413a890003a1c231a3703907b9a1a12"),
    "scrypt": ({"n": 1024, "r": 8, "p": 1}, "9a9f74cc441de571a18c4bf8580ad51f86745d14b39065ad24ad92fc05c99515"),
    "argon2id": ({"memory_kib": 64, "iterations": 3, "lanes": 1}, "bc240e180a205bd2e782cdc64983f247e76aeb8fb2133aec1570b70cccd68bff"),
}


class References:
    """Digests and ciphertexts from elsewhere; None where there is no second source."""

    def __init__(self, folder, pfh):
        self.folder, self.pfh = folder, pfh
        self.digests = {}

    def digest(self, algorithm, data):
        """The digest of `data`."""
        return self.all(algorithm, [data])[0]

    def all(self, algorithm, messages):
        missing = [message for message in dict.fromkeys(messages) if (algorithm, message) not in self.digests]
        for message, digest in zip(missing, self.hashlib(algorithm, missing) or self.from_pfh(algorithm, missing)):
            self.digests[algorithm, message] = digest
        return [self.digests[algorithm, message] for message in messages]

    def hashlib(self, algorithm, messages):
        # Functions with output of any length are told how much.
        length = [SHAKE_BYTES[algorithm]] if algorithm in SHAKE_BYTES else []
        try:
            return [hashlib.new(algorithm.replace("-", "_"), message).digest(*length) for message in messages]
        except ValueError:
            return None

    def from_pfh(self, algorithm, messages):
        if not self.pfh or not messages:
            return [None] * len(messages)
        folder = self.folder / "messages"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        for index, message in enumerate(messages):
            (folder / f"{index:08}").write_bytes(message)
        listing = subprocess.run([self.pfh, "hash", "-a", algorithm, "-f", "gnu", folder], capture_output=True, text=True)
        if listing.returncode:
            return [None] * len(messages)
        return [bytes.fromhex(line.split()[0]) for line in listing.stdout.splitlines()]

    def ciphertext(self, algorithm, path):
        key_bytes, block_bytes = CIPHERS[algorithm]
        name = {"rc2-128-cbc": "rc2-cbc"}.get(algorithm, algorithm)
        return subprocess.run(
            ["openssl", "enc", f"-{name}", "-nopad", "-K", bytes(range(1, key_bytes + 1)).hex(),
             "-iv", bytes(range(block_bytes)).hex(), "-provider", "default", "-provider", "legacy", "-in", path],
            check=True, capture_output=True).stdout


class Varied(list):
    """What the repeats must answer, each of its own."""


class Tasks:
    """Tasks and what their answers must be: `kinds` of the last line, and two answers, None where nothing is known."""

    def __init__(self, folder, references):
        self.folder, self.references = folder, references
        self.tasks, self.expected = [], []
        self.varies = False
        self.incomparable = set()

    def add(self, expected, **task):
        task = {"type": "task", "id": len(self.tasks) + 1, "warm_up": 1, "repeats": 2, "a new field": None} | task
        self.tasks.append(task)
        self.expected.append(expected)

    def file(self, data, name=None):
        path = self.folder / (name or f"{len(data)}-{hashlib.sha256(data).hexdigest()[:8]}")
        path.write_bytes(data)
        return {"path": str(path), "bytes": len(data)}

    def known(self, answer, algorithm):
        if answer is None:
            self.incomparable.add(algorithm)
        return answer and answer.hex()

    def varied(self, algorithm, file, data):
        """Writes other data for each of two repeats; their answers, and what stands before the number in their names."""
        prefix, size = f"{file['path']}-{len(self.tasks)}-repeat-", file["bytes"]
        answers = []
        for repeat in range(2):
            self.file(data[repeat * size:(repeat + 1) * size], f"{prefix}{repeat}")
            answers.append(self.known(self.references.digest(algorithm, data[repeat * size:(repeat + 1) * size]), algorithm))
        return Varied(answers), prefix

    def digests(self, algorithm, random_bytes):
        for size in [1, 63, 64, 65, 127, 128, 129, 100000]:
            file = self.file(random_bytes(size))
            digest = self.known(self.references.digest(algorithm, pathlib.Path(file["path"]).read_bytes()), algorithm)
            for chunk_bytes in [0, 64, 65536] + ([1, 17] if size < 1000 else [1000]):
                self.add(("done", digest, digest), mode="digest", algorithm=algorithm, chunk_bytes=chunk_bytes, **file)
            if self.varies:
                varied, prefix = self.varied(algorithm, file, random_bytes(2 * size))
                self.add(("done", digest, varied), mode="digest", algorithm=algorithm, chunk_bytes=64, repeat_path=prefix, **file)
            for chunk_bytes in [0, 4096]:
                self.add(("done", digest, digest), mode="digest-file", algorithm=algorithm, chunk_bytes=chunk_bytes, **file)
        generator = random.Random(algorithm)
        strings = [bytes(generator.randint(0x20, 0x7E) for _ in range(generator.randint(1, 100))) for _ in range(200)]
        digests = self.references.all(algorithm, strings)
        last = self.known(digests[-1], algorithm)
        every = last and self.known(self.references.digest(algorithm, b"".join(digests)), algorithm)
        file = self.file(b"".join(string + b"\n" for string in strings))
        self.add(("done", every, last), mode="strings", algorithm=algorithm, chunk_bytes=0, **file)
        data = b"".join(strings)[:6400]
        for count in [1, 100, 6400]:
            messages = [data[start:start + 6400 // count] for start in range(0, 6400, 6400 // count)]
            digests = self.references.all(algorithm, messages)
            last = self.known(digests[-1], algorithm)
            every = last and self.known(self.references.digest(algorithm, b"".join(digests)), algorithm)
            file = self.file(data)
            self.add(("done", every, last), mode="messages", algorithm=algorithm, chunk_bytes=0, count=count, **file)

    def ciphers(self, algorithm, random_bytes):
        block_bytes = CIPHERS[algorithm][1]
        for size in [16, 4096, 100000]:
            file = self.file(random_bytes(size))
            ciphertext = self.references.ciphertext(algorithm, file["path"])
            last = ciphertext[-block_bytes:].hex()
            every = (hashlib.sha256(ciphertext).hexdigest(), last)  # the last block where the library has no SHA-256
            for chunk_bytes in [0, 16, 4096]:
                self.add(("done", every, last), mode="cipher", algorithm=algorithm, chunk_bytes=chunk_bytes, **file)
                self.add(("done", last, last), mode="cipher-file", algorithm=algorithm, chunk_bytes=chunk_bytes, **file)

    def passwords(self, algorithm):
        parameters, derived = PASSWORDS[algorithm]
        self.add(("done", derived, derived), mode="password", algorithm=algorithm, count=2, **parameters)

    def others(self, algorithm, random_bytes, stand_in):
        file = self.file(random_bytes(100000))
        # A stand-in for Windows has Windows' rules for names.
        odd = self.file(b"odd", 'odd \u00e9\U0001f512' if stand_in else 'odd "name" \\ \u00e9\U0001f512')
        for chunk_bytes in [0, 4096, 100000]:
            self.add(("done", "100000", "100000"), mode="read-file", algorithm="none", chunk_bytes=chunk_bytes, **file)
        for _ in range(2):  # once with the path in UTF-8, once in escapes
            self.add(("done", "3", "3"), mode="read-file", algorithm="none", chunk_bytes=16, **odd)
        self.add(("not-offered",), mode="no-such-mode", algorithm=algorithm, chunk_bytes=0, **file)
        for mode in ["digest", "digest-file", "cipher", "cipher-file", "strings", "messages", "password"]:
            self.add(("not-offered",), mode=mode, algorithm="no-such-algorithm", chunk_bytes=0, count=1, **file)
        for count in [0, 7] if algorithm else []:
            self.add(("error",), mode="messages", algorithm=algorithm, chunk_bytes=0, count=count, **file)
        lines = self.file(b"a\nb\n")
        for size in [3, 5] if algorithm else []:
            self.add(("error",), mode="strings", algorithm=algorithm, chunk_bytes=0, count=2, **lines | {"bytes": size})
        for mode, name in [("digest", algorithm), ("digest-file", algorithm), ("read-file", "none")]:
            if name:
                absent = {"path": str(self.folder / "absent"), "bytes": 1}
                self.add(("error",), mode=mode, algorithm=name, chunk_bytes=4096, **absent)
                for size in [99999, 100001]:
                    self.add(("error",), mode=mode, algorithm=name, chunk_bytes=4096, **file | {"bytes": size})
        self.add(("done", "100000", "100000"), mode="read-file", algorithm="none", chunk_bytes=0, **file)


def is_count(value):
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def check_hello(hello):
    texts = ["language", "language_version", "library", "library_version", "provider", "backend"]
    yield from (f"hello: `{name}` is no text" for name in texts if not isinstance(hello.get(name), str))
    yield from (f"hello: `{name}` is empty" for name in texts[:4] if hello.get(name) == "")
    if hello.get("type") != "hello" or hello.get("protocol") != 1:
        yield "the first line is no hello of protocol 1"
    if not isinstance(hello.get("varies", False), bool):
        yield "hello: `varies` is neither true nor false"
    if not is_count(hello.get("clock_ns")) or not isinstance(hello.get("stand_in"), bool):
        yield "hello: `clock_ns` or `stand_in` is missing"
    if len(set(hello.get("algorithms", []))) != len(hello.get("algorithms", [])):
        yield "hello: an algorithm is named twice"


def check_task(task, expected, lines):
    """What is wrong with the `lines` that answer one task."""
    kinds = [line["type"] for line in lines]
    repeat = ["begin", "sample"] if "repeat_path" in task else ["sample"]
    wanted = ["check"] + repeat * task["repeats"] + ["done"] if expected[0] == "done" else [expected[0]]
    if kinds != wanted:
        return [f"expected {wanted}, got {kinds}: {lines[-1].get('message', '')}"]
    wrong = []
    for repeat, line in enumerate(line for line in lines if line["type"] == "sample"):
        if line["repeat"] != repeat or not is_count(line["wall_ns"]) or not is_count(line.get("cpu_ns", 0)):
            wrong.append(f"a sample without its fields: {line}")
    for line in (line for line in lines if line["type"] in ("check", "sample")):
        answer = expected[1 if line["type"] == "check" else 2]
        if isinstance(answer, Varied):
            answer = answer[line["repeat"]]
        if answer is not None and line["answer"] not in ((answer,) if isinstance(answer, str) else answer):
            wrong.append(f"{line['type']}: {line['answer']}, expected {answer}")
    if kinds[-1] == "done" and not all(is_count(lines[-1].get(name, 0)) for name in ("peak_bytes", "gc_count", "gc_ns")):
        wrong.append("done without its fields")
    return wrong


def converse(command, environment, source, tasks):
    """Sends all tasks and returns (the lines of JSON, what is wrong with the program's end)."""
    conversation = subprocess.run(
        command, cwd=source, env=os.environ | environment, timeout=300, capture_output=True,
        input="".join(json.dumps(task, ensure_ascii=task["id"] % 2) + "\n" for task in tasks).encode())
    wrong = [f"ended with status {conversation.returncode}"] if conversation.returncode else []
    lines = []
    for line in conversation.stdout.splitlines():
        if len(line) > LINE_BYTES_MAX:
            wrong.append("a line of more than 64 KiB")
        try:
            lines.append(json.loads(line.decode()))
        except ValueError:
            wrong.append(f"no JSON in UTF-8: {line[:200]!r}")
    if wrong:
        wrong.append("standard error: " + conversation.stderr.decode(errors="replace")[-2000:])
    return lines, wrong


def check_variant(command, environment, source, references, folder, witness_for):
    """Prints the outcome; whether the variant kept the contract."""
    lines, wrong = converse(command, environment, source, [])
    if not wrong and len(lines) == 1 and lines[0]["type"] == "unavailable":
        print(f"  unavailable: {lines[0]['message']}")
        return True
    if wrong or len(lines) != 1:
        print("  no hello:", *wrong, sep="\n    ")
        return False
    hello = lines[0]
    wrong = list(check_hello(hello))
    wrong += [f"`witness_for` has {name}, `hello` has not" for name in witness_for if name not in hello["algorithms"]]
    print(f"  {hello['language']} {hello['language_version']}, {hello['library']} {hello['library_version']}"
          f" [{hello['provider']}] {hello['backend']}{' STAND-IN' if hello['stand_in'] else ''}")
    print(f"  {' '.join(hello['algorithms'])}")
    tasks = Tasks(folder, references)
    random_bytes = random.Random(1).randbytes
    digests = [name for name in hello["algorithms"] if name not in CIPHERS and name not in PASSWORDS]
    tasks.varies = hello.get("varies", False)
    for name in digests:
        tasks.digests(name, random_bytes)
    for name in hello["algorithms"]:
        if name in CIPHERS:
            tasks.ciphers(name, random_bytes)
        if name in PASSWORDS:
            tasks.passwords(name)
    tasks.others(digests[0] if digests else None, random_bytes, hello["stand_in"])
    lines, more = converse(command, environment, source, tasks.tasks)
    wrong += more
    answers = {}
    for line in lines[1:]:
        answers.setdefault(line.get("id"), []).append(line)
    refused = {task["mode"] for task, expected in zip(tasks.tasks, tasks.expected) if expected[0] == "done"}
    for task, expected in zip(tasks.tasks, tasks.expected):
        if expected[0] == "done" and [line["type"] for line in answers.get(task["id"], [])] != ["not-offered"]:
            refused.discard(task["mode"])
    for task, expected in zip(tasks.tasks, tasks.expected):
        if task["mode"] in refused:
            expected = ("not-offered",)
        found = check_task(task, expected, answers.pop(task["id"], [])) if task["id"] in answers else ["no answer"]
        wrong += [f"{json.dumps(task)}\n      {what}" for what in found]
    wrong += [f"lines for a task that nobody gave: {lines}" for lines in answers.values()]
    if refused:
        print("  modes that it does not have:", *sorted(refused))
    if tasks.incomparable:
        print("  no reference here, so not compared:", *sorted(tasks.incomparable))
    print(f"  {len(tasks.tasks)} tasks,", f"{len(wrong)} WRONG" if wrong else "all as they should be")
    for what in wrong[:10]:
        print("   ", what)
    return not wrong


def find_pfh():
    target = pathlib.Path(__file__).resolve().parents[2] / "target"
    candidates = [shutil.which("pfh"), target / "release/pfh", target / "debug/pfh"]
    return next((str(path) for path in candidates if path and os.path.exists(path)), None)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("variant", nargs="*", help="identifiers; all where none is named")
    parser.add_argument("--profile", help="identifier of a profile of the runner")
    parser.add_argument("--build", type=pathlib.Path, help="folder in the place of {build}")
    parser.add_argument("--fetch", action="store_true", help="also run the commands of `fetch`")
    parser.add_argument("--no-build", action="store_true", help="take what is in the build folder")
    parser.add_argument("--pfh", default=find_pfh(), help="the program `pfh`, for digests that hashlib does not have")
    options = parser.parse_intermixed_args()

    source = options.folder.resolve()
    build = (options.build or pathlib.Path(tempfile.gettempdir(), "pfh-runners", source.name)).resolve()
    build.mkdir(parents=True, exist_ok=True)
    runner = tomllib.loads((source / "runner.toml").read_text())

    def filled(text):
        places = {"{build}": str(build), "{source}": str(source), "{pfh}": options.pfh or "pfh"}
        for name, place in places.items():
            text = text.replace(name, place)
        return text

    missing = [program for program in runner.get("needs", []) if not shutil.which(program)]
    if missing:
        sys.exit(f"not found: {' '.join(missing)}; install: {runner.get('install')}")
    steps = (runner.get("fetch", []) if options.fetch else []) + ([] if options.no_build else runner.get("build", []))
    for step in steps:
        subprocess.run([filled(part) for part in step], cwd=source, check=True)

    profiles = [profile for profile in runner.get("profile", []) if profile["id"] == options.profile]
    if options.profile and not profiles:
        sys.exit(f"there is no profile `{options.profile}`")
    kept = True
    for variant in runner["variant"]:
        identifier = variant["id"]
        own = [profile for profile in profiles or [{}] if identifier in profile.get("variants", [identifier])]
        if options.variant and identifier not in options.variant or not own:
            continue
        profile = own[0]
        print(identifier, options.profile or "")
        absent = [name for name in variant.get("requires", []) if not (build / name).exists()]
        if absent:
            print("  unavailable: run with --fetch to have", *absent)
            continue
        program, *arguments = profile.get("run", runner["run"])
        command = [program, *profile.get("arguments_before", []), *arguments, *variant.get("arguments", [])]
        environment = variant.get("environment", {}) | profile.get("environment", {})
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            kept &= check_variant([filled(part) for part in command], {name: filled(value) for name, value in environment.items()},
                                  source, References(folder, options.pfh), folder, variant.get("witness_for", []))
    sys.exit(0 if kept else 1)


if __name__ == "__main__":
    main()
