//! Errors of the laboratory.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// An error that ended a command of the laboratory. Failures of single runners are results, not errors.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// A definition or an option is wrong; nothing was done.
    Input(String),
    /// A file that the user named, or the data of an experiment, could not be read or made.
    File {
        /// Which.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// Results could not be written. Everything written before is whole.
    Output {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
}

impl Error {
    pub(crate) fn input(message: impl Into<String>) -> Error {
        Error::Input(message.into())
    }

    pub(crate) fn file(path: &Path) -> impl FnOnce(io::Error) -> Error {
        |source| Error::File { path: path.to_owned(), source }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Input(message) => f.write_str(message),
            Error::File { path, source } | Error::Output { path, source } => {
                write!(f, "`{}`: {source}", path.display())
            }
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Error::Input(_) => None,
            Error::File { source, .. } | Error::Output { source, .. } => Some(source),
        }
    }
}
