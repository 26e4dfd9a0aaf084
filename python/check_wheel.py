"""Checks what is in a wheel: `check_wheel.py WHEEL [--shipped FOLDER…]`. Prints findings, one a line; fails if there are any.

With --shipped, the wheel is one to be given to others: it must be small, and no file may name one of the folders, which
are those of the builder.
"""

import base64
import csv
import hashlib
import io
import re
import sys
import zipfile

# It is to download quickly, and package indexes have limits.
MAX_BYTES = 10_000_000


def findings(wheel: str, folders: list[str], shipped: bool) -> list[str]:
    found = []
    archive = zipfile.ZipFile(wheel)
    files = {name: archive.read(name) for name in archive.namelist()}
    tag = wheel.rsplit("/", 1)[-1].removesuffix(".whl").split("-", 2)[2]
    if not (tag.startswith("cp311-abi3-") or re.match(r"cp3\d\d-cp3\d\dt-", tag)):
        found.append(f"the tag is {tag}: neither of the stable interface of 3.11, nor of a free-threaded build")
    modules = [name for name in files if re.fullmatch(r"pfh/_native\..*so", name)]
    programs = [name for name in files if name.endswith(".data/scripts/pfh")]
    if len(modules) != 1 or len(programs) != 1:
        found.append(f"one module and one program are expected, and there are {modules} and {programs}")
    for name in ["pfh/__init__.py", "pfh/_native.pyi", "pfh/py.typed"]:
        if name not in files:
            found.append(f"{name} is missing")
    for name in programs:
        if not (archive.getinfo(name).external_attr >> 16) & 0o111:
            found.append(f"{name} is not executable")
    metadata = next(name for name in files if name.endswith(".dist-info/METADATA"))
    if b"\nRequires-Dist:" in files[metadata]:
        found.append("the wheel has dependencies")
    record = next(name for name in files if name.endswith(".dist-info/RECORD"))
    listed = {row[0]: row[1:] for row in csv.reader(io.StringIO(files[record].decode()))}
    for name, content in files.items():
        digest = "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        if name != record and listed.get(name) != [digest, str(len(content))]:
            found.append(f"{name} is not in RECORD as it is")
    if any("/sboms/" in name for name in files):
        found.append("there is a list of parts (SBOM), whose paths are those of the builder")
    # The installer trusts the tag, which is made of the module alone.
    newest = {name: versions(files[name]) for name in modules + programs}
    if len(set(newest.values())) > 1 and newest[programs[0]] > newest[modules[0]]:
        found.append(f"the program needs another C library than the module: {newest}")
    if shipped:
        size = sum(info.compress_size for info in archive.infolist())
        if size > MAX_BYTES:
            found.append(f"the wheel has {size} bytes, and is to have less than {MAX_BYTES}")
        for name, content in files.items():
            for folder in folders:
                at = content.find(folder.encode())
                if at >= 0:
                    excerpt = content[at : at + 120].split(b"\0")[0]
                    found.append(f"{name} names a folder of the builder: {excerpt!r}")
    return found


def versions(content: bytes) -> tuple[int, ...]:
    """The newest version of the C library that a binary needs."""
    needed = {tuple(map(int, version.split(b"."))) for version in re.findall(rb"GLIBC_(\d+(?:\.\d+)+)\0", content)}
    return max(needed, default=())


if __name__ == "__main__":
    arguments = sys.argv[1:]
    lines = findings(arguments[0], arguments[2:], "--shipped" in arguments)
    print("\n".join(lines))
    sys.exit(bool(lines))
