#!/usr/bin/env python3
"""Writes a database with the tables of NSRL's RDSv3 minimal sets and contents that are made up.

    python3 bench/known/make_rds.py --rows 20000000 --seed 1 rds.db

As in the published sets, a file lies in several packages: there are about 2.7 rows for each SHA-256. A few names and packages are
frequent, and most are rare. Rows are in the order of SHA-256, so that the index of the primary key is written from front to back.
The same seed gives the same rows.
"""

import argparse
import itertools
import pathlib
import random
import sqlite3

SCHEMA = """
CREATE TABLE FILE (sha256 VARCHAR NOT NULL, sha1 VARCHAR NOT NULL, md5 VARCHAR NOT NULL, crc32 VARCHAR NOT NULL,
    file_name VARCHAR NOT NULL, file_size INTEGER NOT NULL, package_id INTEGER NOT NULL,
    CONSTRAINT PK_FILE PRIMARY KEY (sha256, sha1, md5, crc32, file_name, file_size, package_id));
CREATE TABLE MFG (manufacturer_id INTEGER NOT NULL, name VARCHAR NOT NULL,
    CONSTRAINT PK_MFG PRIMARY KEY (manufacturer_id));
CREATE TABLE OS (operating_system_id INTEGER NOT NULL, name VARCHAR NOT NULL, version VARCHAR NOT NULL,
    manufacturer_id INTEGER NOT NULL, CONSTRAINT PK_OS PRIMARY KEY (operating_system_id, manufacturer_id));
CREATE TABLE PKG (package_id INTEGER NOT NULL, name VARCHAR NOT NULL, version VARCHAR NOT NULL,
    operating_system_id INTEGER NOT NULL, manufacturer_id INTEGER NOT NULL, language VARCHAR NOT NULL,
    application_type VARCHAR NOT NULL, CONSTRAINT PK_PKG
    PRIMARY KEY (package_id, operating_system_id, manufacturer_id, language, application_type));
CREATE TABLE VERSION (version VARCHAR UNIQUE NOT NULL, build_set VARCHAR,
    build_date TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP, release_date TIMESTAMP, description VARCHAR,
    CONSTRAINT PK_VERSION PRIMARY KEY (version));
CREATE VIEW DISTINCT_HASH AS SELECT DISTINCT sha256, sha1, md5, crc32 FROM FILE;
"""

ROWS_PER_FILE = 2.7
BATCH = 1 << 16
ENDINGS = ["dll", "exe", "png", "html", "js", "xml", "txt", "class", "h", "so", "mui", "json", "py", "gif", "dat", "manifest"]


def skewed(source, count):
    """A number below `count`; small ones are frequent, as by Zipf's law."""
    return min(int(count ** source.random()) - 1, count - 1)


def files(count, seed):
    """SHA-256 in ascending order, with SHA-1, MD5 and CRC-32, in upper case."""
    source = random.Random(seed)
    step = (1 << 64) // count
    for start in range(0, count, BATCH):
        size = min(BATCH, count - start)
        digits = source.randbytes(64 * size).hex().upper()
        for index in range(size):
            first = (start + index) * step
            rest = digits[128 * index : 128 * index + 128]
            yield f"{first:016X}{rest[:48]}", rest[48:88], rest[88:120], rest[120:]


def rows(count, seed):
    source = random.Random(seed + 1)
    distinct = max(1, round(count / ROWS_PER_FILE))
    packages = max(100, count // 1000)
    names = [f"{source.choice(['lib', 'ui', 'res', 'x', 'Microsoft.', 'icon_'])}{number:x}" for number in range(max(1000, count // 50))]
    left = count
    for number, digests in enumerate(files(distinct, seed)):
        files_left = distinct - number - 1
        # The number of packages of a file has a mean of 2.7, and a long tail.
        copies = 1
        while source.random() < 1 - 1 / ROWS_PER_FILE:
            copies += 1
        copies = left if files_left == 0 else min(copies, left - files_left)
        name = f"{names[skewed(source, len(names))]}.{ENDINGS[skewed(source, len(ENDINGS))]}"
        size = int(2 ** source.uniform(0, 24))
        taken = {skewed(source, packages) + 1 for _ in range(copies)}
        following = itertools.count(1)
        while len(taken) < copies:
            taken.add(packages + next(following))
        for package in sorted(taken):
            yield (*digests, name, size, package)
        left -= copies


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("database", type=pathlib.Path)
    options = parser.parse_args()
    if options.rows < 1:
        parser.error("--rows must be at least 1")
    if options.database.exists():
        parser.error(f"{options.database} exists")
    database = sqlite3.connect(options.database, isolation_level=None)
    for pragma in ["journal_mode = OFF", "synchronous = OFF", "locking_mode = EXCLUSIVE", "cache_size = -200000"]:
        database.execute(f"PRAGMA {pragma}")
    database.executescript(SCHEMA)
    database.execute("BEGIN")
    database.executemany("INSERT INTO FILE VALUES (?, ?, ?, ?, ?, ?, ?)", rows(options.rows, options.seed))
    source = random.Random(options.seed + 2)
    # A few more than `rows` takes, since a file that has many packages may need further ones.
    packages = max(100, options.rows // 1000) + 100
    database.executemany(
        "INSERT INTO PKG VALUES (?, ?, ?, 1, 1, ?, 'Unknown')",
        (
            (number, f"Application {number}", f"{source.randrange(20)}.{source.randrange(100)}", language)
            for number in range(1, packages + 1)
            for language in ["English", "German"][: source.randrange(1, 3)]
        ),
    )
    database.execute("INSERT INTO MFG VALUES (1, 'A manufacturer')")
    database.execute("INSERT INTO OS VALUES (1, 'A system', '1', 1)")
    version = ("2026.03.1", "modern_minimal", "2026-02-27", "2026-03-01", "made up")
    database.execute("INSERT INTO VERSION VALUES (?, ?, ?, ?, ?)", version)
    database.execute("COMMIT")
    database.close()


if __name__ == "__main__":
    main()
