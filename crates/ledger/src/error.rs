//! Why a ledger cannot be used.

use std::fmt;
use std::io;

use pfh_record::quote::quoted;
use rusqlite::{ErrorCode, ffi};

use crate::event::Subject;

/// The reason why a ledger cannot be opened, read or written. `Display` says what to do, without the ledger's path.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// The ledger's file or its lock cannot be used.
    Io(io::Error),
    /// A temporary file cannot be used.
    Temporary(io::Error),
    /// There is a file of this name already.
    Exists,
    /// There is no such file.
    NotFound,
    /// It is not a ledger.
    NotALedger,
    /// A later version of pfh made it.
    Newer(i64),
    /// Its contents contradict themselves.
    Damaged(String),
    /// Another run has it.
    InUse,
    /// Another program has it locked for longer than a few seconds.
    Locked,
    /// A run wrote to it while it was read as a file that does not change.
    Changed,
    /// There is no space left for it.
    NoSpace,
    /// It could not be made, for this reason, and nothing of it is left.
    NotMade(Box<Error>),
    /// It cannot be written, because it or its directory is read-only.
    ReadOnly,
    /// The file beside it that readers and writers share cannot be made or made longer.
    NotShared,
    /// The log beside it has changes that cannot be read there.
    LogNotRead,
    /// It could not be read or written.
    Failed(String),
    /// Another error of SQLite.
    Sqlite(rusqlite::Error),
    /// Nothing can be decided about a file or a directory.
    Undecided(Subject, Undecided),
    /// The request cannot be fulfilled; the text says why.
    Refused(String),
}

/// The reason why nothing can be decided about a file or a directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Undecided {
    /// No finding is open that could be accepted.
    NoFinding,
    /// The file could not be read, so nothing is known that could be expected of it.
    NotRead,
    /// The ledger expects nothing there that could be forgotten.
    NotExpected,
}

impl Undecided {
    /// Returns the reason as a sentence with this path, as whoever displays it writes paths.
    pub fn about(self, path: &str) -> String {
        match self {
            Undecided::NoFinding => format!("no finding is open for {path}"),
            Undecided::NotRead => format!(
                "{path} could not be read, so nothing was seen that could be accepted; `pfh audit forget` takes it off \
                 the ledger"
            ),
            Undecided::NotExpected => format!("the ledger expects nothing at {path}"),
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Io(error) => error.fmt(f),
            Error::Temporary(error) => write!(f, "a temporary file cannot be used: {error}"),
            Error::Exists => f.write_str("there is a file of this name already; a ledger is never overwritten"),
            Error::NotFound => f.write_str("there is no such ledger; `pfh audit init` makes one"),
            Error::NotALedger => f.write_str("this is not a ledger of pfh"),
            Error::Newer(version) => write!(
                f,
                "the ledger has version {version}, and this program knows version {} and older; use a later pfh",
                crate::VERSION
            ),
            Error::Damaged(reason) => write!(
                f,
                "the ledger is damaged: {reason}. Nothing was changed; `pfh audit verify-ledger` shows how far it is \
                 intact, and a copy of it can take its place"
            ),
            Error::InUse => f.write_str("another run has the ledger; --wait waits until it has ended"),
            Error::Locked => f.write_str("another program has the ledger locked; try again when it has ended"),
            Error::Changed => f.write_str("a run wrote to the ledger while it was read; try again when it has ended"),
            Error::NoSpace => f.write_str(
                "there is no space left for the ledger; everything written before is kept, and the next run goes on",
            ),
            Error::NotMade(reason) => match **reason {
                Error::NoSpace => f.write_str("there is no space left for a ledger, and none was made"),
                ref reason => write!(f, "{reason}; no ledger was made"),
            },
            Error::ReadOnly => f.write_str("the ledger, or its directory, is read-only"),
            Error::NotShared => f.write_str("no file can be written beside the ledger: is the disk full?"),
            Error::LogNotRead => f.write_str(
                "the newest changes are in the file with the ending `-wal` beside the ledger, and to read it a file must \
                 be written there: copy both into a directory that can be written",
            ),
            Error::Failed(reason) => write!(f, "the ledger could not be read or written: {reason}"),
            Error::Sqlite(error) => write!(f, "SQLite reports: {error}"),
            Error::Undecided(at, reason) => f.write_str(&reason.about(&quoted(&at.path))),
            Error::Refused(reason) => f.write_str(reason),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Error::Io(error) | Error::Temporary(error) => Some(error),
            Error::Sqlite(error) => Some(error),
            Error::NotMade(reason) => Some(&**reason),
            _ => None,
        }
    }
}

impl From<io::Error> for Error {
    fn from(error: io::Error) -> Error {
        match error.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Error::NoSpace,
            io::ErrorKind::ReadOnlyFilesystem => Error::ReadOnly,
            _ => Error::Io(error),
        }
    }
}

fn extended_code(error: &rusqlite::Error) -> i32 {
    error.sqlite_error().map_or(0, |error| error.extended_code)
}

impl From<rusqlite::Error> for Error {
    fn from(error: rusqlite::Error) -> Error {
        // SQLite's text for the error, without the statement in which it occurred.
        let text = || match &error {
            rusqlite::Error::SqliteFailure(_, Some(text)) => text.clone(),
            error => error.to_string(),
        };
        match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Error::Locked,
            Some(ErrorCode::DiskFull) => Error::NoSpace,
            Some(ErrorCode::SystemIoFailure) if extended_code(&error) == ffi::SQLITE_IOERR_SHMSIZE => Error::NotShared,
            Some(ErrorCode::SystemIoFailure) => Error::Failed(text()),
            Some(ErrorCode::ReadOnly) => Error::ReadOnly,
            Some(ErrorCode::NotADatabase) => Error::NotALedger,
            Some(ErrorCode::DatabaseCorrupt) => Error::Damaged(text()),
            // A table, or a column of it, which every ledger has.
            Some(ErrorCode::Unknown) if text().starts_with("no such ") => Error::Damaged(text()),
            _ => Error::Sqlite(error),
        }
    }
}
