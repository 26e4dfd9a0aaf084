//! Why a database cannot be read.

use std::{fmt, io};

/// The reason why a database cannot be read (on). `Display` names the table and the row.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// The file cannot be opened or read.
    Io(io::Error),
    /// A temporary file cannot be made or written.
    Temporary(io::Error),
    /// The caller's function returned an error.
    Stopped(io::Error),
    /// It is not an SQLite database.
    NotADatabase,
    /// A file with this ending beside the database holds changes that it does not have yet.
    InUse(&'static str),
    /// It is shorter than its header says.
    Truncated {
        /// The length that the header states, in bytes.
        expected_bytes: u64,
        /// The length of the file, in bytes.
        found_bytes: u64,
    },
    /// Its tables are not those of a known kind.
    Schema(String),
    /// Its contents contradict themselves.
    Damaged {
        /// The table that was being read.
        table: String,
        /// The last row that could be read.
        after_row: Option<i64>,
        /// The words of SQLite.
        reason: String,
    },
    /// It changed while it was read.
    Changed,
    /// Names of products need more memory than this, in bytes.
    Products(usize),
    /// The archive cannot be read, or lacks a member.
    Archive(String),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Io(error) | Error::Stopped(error) | Error::Temporary(error) => error.fmt(f),
            Error::NotADatabase => f.write_str("this is not an SQLite database"),
            Error::InUse(ending) => {
                write!(
                    f,
                    "the database is in use, or was not closed: a file with `{ending}` after its name lies beside it"
                )
            }
            Error::Truncated { expected_bytes, found_bytes } => {
                write!(f, "the database is truncated: it has {found_bytes} bytes of {expected_bytes}")
            }
            Error::Schema(reason) => f.write_str(reason),
            Error::Damaged { table, after_row: Some(row), reason } => {
                write!(f, "the database is damaged in table {table} after row {row}: {reason}")
            }
            Error::Damaged { table, after_row: None, reason } => {
                write!(f, "the database cannot be read in table {table}: {reason}")
            }
            Error::Changed => f.write_str("the database changed while it was read"),
            Error::Products(bytes_max) => {
                write!(f, "the names of its products need more memory than {bytes_max} bytes")
            }
            Error::Archive(reason) => write!(f, "the archive cannot be read: {reason}"),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Error::Io(error) | Error::Stopped(error) | Error::Temporary(error) => Some(error),
            _ => None,
        }
    }
}

impl From<io::Error> for Error {
    fn from(error: io::Error) -> Error {
        Error::Io(error)
    }
}

/// Makes an error of SQLite's that occurred in a table.
pub(crate) fn in_table(table: &str, after_row: Option<i64>) -> impl Fn(rusqlite::Error) -> Error {
    move |error| Error::Damaged { table: table.to_owned(), after_row, reason: error.to_string() }
}
