//! The tables of a ledger, and the marks by which its file is recognised.

/// The number that tells a ledger from other SQLite databases (`PRAGMA application_id`): "pfhL".
pub const APPLICATION_ID: i32 = 0x7066_684c;

/// The version of the tables (`PRAGMA user_version`). A change that an old program would misread is a new one.
pub const VERSION: i64 = 1;

/// The tables.
pub const SCHEMA: &str = "\
CREATE TABLE root(
    id INTEGER PRIMARY KEY,
    path BLOB NOT NULL
) STRICT;
CREATE TABLE algorithms(
    id INTEGER PRIMARY KEY,
    names TEXT NOT NULL UNIQUE
) STRICT;
CREATE TABLE file(
    root INTEGER NOT NULL,
    path BLOB NOT NULL,
    id INTEGER NOT NULL UNIQUE,
    status INTEGER NOT NULL,
    expected INTEGER,
    seen INTEGER,
    checked INTEGER,
    PRIMARY KEY(root, path)
) STRICT, WITHOUT ROWID;
CREATE TABLE event(
    id INTEGER PRIMARY KEY,
    run INTEGER NOT NULL,
    kind INTEGER NOT NULL,
    file INTEGER,
    time INTEGER NOT NULL,
    size INTEGER,
    mtime INTEGER,
    mtime_nanoseconds INTEGER,
    ctime INTEGER,
    ctime_nanoseconds INTEGER,
    inode INTEGER,
    algorithms INTEGER,
    digests BLOB,
    expected INTEGER,
    other INTEGER,
    note BLOB,
    hash BLOB NOT NULL
) STRICT;
CREATE INDEX event_of_file ON event(file) WHERE file IS NOT NULL;
CREATE INDEX event_of_ledger ON event(kind) WHERE file IS NULL;
CREATE TABLE pending(
    root INTEGER NOT NULL,
    path BLOB NOT NULL,
    size INTEGER NOT NULL,
    mtime INTEGER NOT NULL,
    mtime_nanoseconds INTEGER NOT NULL,
    ctime INTEGER NOT NULL,
    ctime_nanoseconds INTEGER NOT NULL,
    inode INTEGER NOT NULL,
    algorithms INTEGER NOT NULL,
    digests BLOB NOT NULL,
    PRIMARY KEY(root, path)
) STRICT, WITHOUT ROWID;
";
