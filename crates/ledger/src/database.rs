//! Opening the database so that it is what it seems.

use std::fs::{self, Metadata};
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};

use crate::Error;
use crate::schema::{APPLICATION_ID, SCHEMA, VERSION};

/// How long an operation waits for another program's lock.
const PATIENCE: Duration = Duration::from_secs(5);

/// Makes a ledger of an empty file, and begins to write: nothing of it is there before the first commit.
pub(crate) fn create(path: &Path) -> Result<Connection, Error> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    set_up(&connection)?;
    connection.pragma_update_and_check(None, "journal_mode", "wal", |_| Ok(()))?;
    connection.execute_batch("BEGIN IMMEDIATE")?;
    connection.pragma_update(None, "application_id", APPLICATION_ID)?;
    connection.pragma_update(None, "user_version", VERSION)?;
    connection.execute_batch(SCHEMA)?;
    Ok(connection)
}

/// Opens a ledger, for reading only or also for writing. `is_of_others`: it can only be read, and nobody writes to it.
/// Returns also what the file was before, if SQLite takes it for one that does not change.
pub(crate) fn open(path: &Path, writes: bool, is_of_others: bool) -> Result<(Connection, Option<Stamp>), Error> {
    let metadata = fs::metadata(path).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => Error::NotFound,
        _ => Error::Io(error),
    })?;
    // Opening a pipe would wait, and SQLite takes an empty file for an empty database.
    if !metadata.is_file() || metadata.len() == 0 {
        return Err(Error::NotALedger);
    }
    let stamp = if writes || has_log(path) { None } else { Some(stamp_of(&metadata)) };
    let (connection, stamp) = match stamp {
        Some(stamp) if is_of_others => (open_unchanging(path)?, Some(stamp)),
        stamp => open_shared(path, stamp)?,
    };
    if !writes {
        connection.pragma_update(None, "query_only", true)?;
    }
    if writes && connection.is_readonly(rusqlite::MAIN_DB)? {
        return Err(Error::ReadOnly);
    }
    Ok((connection, stamp))
}

/// The length of a ledger's file, and its time of modification.
pub(crate) type Stamp = (u64, Option<SystemTime>);

pub(crate) fn stamp_of(metadata: &Metadata) -> Stamp {
    (metadata.len(), metadata.modified().ok())
}

/// Opens a ledger that others may read and write at the same time. With a stamp, it has no log and is only read; the
/// stamp is returned if it is opened as one that does not change.
fn open_shared(path: &Path, stamp: Option<Stamp>) -> Result<(Connection, Option<Stamp>), Error> {
    // A reader that may write, too, removes the files beside the ledger that it shares with writers. Where it may not
    // write, SQLite opens the ledger for reading.
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    match set_up(&connection).and_then(|()| judge_when_made(&connection, path)) {
        // The files beside it, which a reader shares with a writer, cannot be made on a medium that is read-only, or
        // full; but there is no writer either.
        Err(error) if stamp.is_some() && cannot_share(&error) => {
            drop(connection);
            Ok((open_unchanging(path)?, stamp))
        }
        Err(error) if cannot_share(&error) && has_log(path) => Err(Error::LogNotRead),
        judged => judged.map(|()| (connection, None)),
    }
}

/// Opens a ledger that nobody writes to, without the files that readers and writers share.
fn open_unchanging(path: &Path) -> Result<Connection, Error> {
    let mut uri = String::from("file:");
    for &byte in std::os::unix::ffi::OsStrExt::as_bytes(path.as_os_str()) {
        match byte {
            b'/' | b'.' | b'-' | b'_' | b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' => uri.push(char::from(byte)),
            _ => uri += &format!("%{byte:02X}"),
        }
    }
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_URI;
    let connection = Connection::open_with_flags(uri + "?immutable=1", flags)?;
    set_up(&connection).and_then(|()| judge(&connection))?;
    Ok(connection)
}

fn cannot_share(error: &Error) -> bool {
    match error {
        Error::Sqlite(error) => error.sqlite_error_code() == Some(rusqlite::ErrorCode::CannotOpen),
        error => matches!(error, Error::NotShared),
    }
}

/// Whether a log with changes lies beside the ledger.
fn has_log(path: &Path) -> bool {
    let mut log = path.as_os_str().to_owned();
    log.push("-wal");
    fs::metadata(log).is_ok_and(|metadata| metadata.len() > 0)
}

fn set_up(connection: &Connection) -> Result<(), Error> {
    connection.busy_timeout(PATIENCE)?;
    // A commit is on the medium when it is reported.
    connection.pragma_update(None, "synchronous", "full")?;
    // Nothing that somebody added to the file runs.
    connection.pragma_update(None, "trusted_schema", false)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_VIEW, false)?;
    connection.pragma_update(None, "cache_size", -32_768)?;
    connection.set_prepared_statement_cache_capacity(64);
    Ok(())
}

/// Judges as [`judge`] does, once whoever makes the ledger has committed it.
fn judge_when_made(connection: &Connection, path: &Path) -> Result<(), Error> {
    const MOMENT: Duration = Duration::from_millis(20);
    let began = Instant::now();
    loop {
        let judged = judge(connection);
        let is_being_made = || -> Result<bool, Error> {
            let tables = "SELECT count(*) FROM sqlite_schema";
            Ok(has_log(path) && connection.query_row(tables, [], |row| row.get::<_, i64>(0))? == 0)
        };
        if !matches!(judged, Err(Error::NotALedger)) || began.elapsed() > PATIENCE || !is_being_made()? {
            return judged;
        }
        thread::sleep(MOMENT);
    }
}

/// Checks that this is a ledger of a known version.
fn judge(connection: &Connection) -> Result<(), Error> {
    let id: i32 = connection.pragma_query_value(None, "application_id", |row| row.get(0))?;
    if id != APPLICATION_ID {
        return Err(Error::NotALedger);
    }
    let version: i64 = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
    if version > VERSION {
        return Err(Error::Newer(version));
    }
    Ok(())
}

/// Returns the definitions of all tables and indexes that a ledger has: their names and texts.
pub(crate) fn definitions(connection: &Connection) -> Result<Vec<(String, String)>, Error> {
    let sql = "SELECT name, ifnull(sql, '') FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%' ORDER BY name";
    let mut statement = connection.prepare(sql)?;
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Returns the definitions that a ledger must have.
pub(crate) fn expected_definitions() -> Result<Vec<(String, String)>, Error> {
    let connection = Connection::open_in_memory()?;
    connection.execute_batch(SCHEMA)?;
    definitions(&connection)
}
