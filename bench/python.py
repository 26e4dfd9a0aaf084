"""Measures the Python package: `bench/python.py PFH_PROGRAM [TREE]`, in an environment with pfh and pyarrow. Prints ratios, medians of several runs
that take turns; the arguments of `digest_many` and the claims are those of bench/results."""

import hashlib
import os
import statistics
import subprocess
import sys
import time

import pyarrow

import pfh

MESSAGES = 1_000_000
MESSAGE_BYTES = 100
ROUNDS = 5


def seconds(work):
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def medians(works, rounds=ROUNDS):
    """The median time of each, in turns, so that a disturbance meets all of them."""
    times = {name: [] for name in works}
    for _ in range(rounds):
        for name, work in works.items():
            times[name].append(seconds(work))
    return {name: statistics.median(values) for name, values in times.items()}


def loop(data, name):
    make = getattr(hashlib, name)
    return [make(message).digest() for message in data]


def messages():
    data = [os.urandom(MESSAGE_BYTES) for _ in range(MESSAGES)]
    arrow = pyarrow.array(data, pyarrow.binary())
    print("| a million messages of 100 bytes, one thread | from Arrow, to a loop over hashlib | from a list |")
    print("| --- | --- | --- |")
    for name in ["sha256", "sha1", "md5"]:
        assert list(pfh.digest_many(arrow[:1000], name)) == loop(data[:1000], name)
        works = {
            "loop": lambda name=name: loop(data, name),
            "arrow": lambda name=name: pfh.digest_many(arrow, name),
            "list": lambda name=name: pfh.digest_many(data, name),
        }
        times = medians(works, 7)
        print(f"| {name} | {times['loop'] / times['arrow']:.1f} | {times['loop'] / times['list']:.1f} |", flush=True)


def tree(program, path):
    with open(os.devnull, "wb") as null:
        list_it = [program, "hash", "-q", "-f", "jsonl", path]
        works = {
            "program": lambda: subprocess.run(list_it, stdout=null, stderr=null),
            "table": lambda: pyarrow.table(pfh.hash(path)),
        }
        medians(works, 1)
        times = medians(works)
    print(f"`pfh.hash` of {path} into a table, to the program writing JSON Lines: {times['table'] / times['program']:.3f}")


def imports():
    run = lambda code: subprocess.run([sys.executable, "-c", code], check=True)  # noqa: E731
    times = medians({"none": lambda: run("pass"), "pfh": lambda: run("import pfh"), "pyarrow": lambda: run("import pyarrow")}, 9)
    own, other = times["pfh"] - times["none"], times["pyarrow"] - times["none"]
    print(f"`import pfh` to `import pyarrow`, without the start of the interpreter: {own / other:.3f}")


if __name__ == "__main__":
    print(f"Python {sys.version.split()[0]}, OpenSSL of hashlib: {__import__('ssl').OPENSSL_VERSION}")
    messages()
    if len(sys.argv) > 1:
        tree(sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else "/usr")
    imports()
