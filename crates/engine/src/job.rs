//! One file's way through a run: a job on the way in, a finished record on the way out.

use crate::digesting::Made;
use pfh_record::{FileError, Metadata, Outcome, Record, SkipReason};
use pfh_source::Entry;
use std::io;

/// Place in the order of output, and the waiting memory that the file occupies until its record is delivered.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ticket {
    pub(crate) sequence: u64,
    pub(crate) cost_bytes: u64,
}

/// A file to be read.
#[derive(Debug)]
pub(crate) struct Job {
    pub(crate) ticket: Ticket,
    pub(crate) entry: Entry,
    /// How often `balance` preferred another job.
    pub(crate) passed_over: usize,
}

/// A file that is done with: its prepared record, or nothing where the caller wanted it left out.
pub(crate) struct Finished<T> {
    pub(crate) ticket: Ticket,
    pub(crate) item: Option<T>,
}

/// All that a complete reading yields.
#[derive(Clone, Debug)]
pub(crate) struct Yield {
    pub(crate) metadata: Option<Metadata>,
    pub(crate) bytes_read: u64,
    pub(crate) made: Made,
}

impl Yield {
    pub(crate) fn into_record(self, path: Vec<u8>) -> Record {
        Record {
            path,
            metadata: self.metadata,
            bytes_read: self.bytes_read,
            outcome: Outcome::Complete,
            digests: self.made.digests,
            pieces: self.made.pieces,
            similarities: self.made.similarities,
        }
    }
}

/// Why a reading yields no digest.
#[derive(Clone, Debug)]
pub(crate) struct Failure {
    pub(crate) outcome: Outcome,
    pub(crate) metadata: Option<Metadata>,
    pub(crate) bytes_read: u64,
}

impl Failure {
    pub(crate) fn new(outcome: Outcome) -> Failure {
        Failure { outcome, metadata: None, bytes_read: 0 }
    }

    pub(crate) fn unreadable(offset: u64, error: &io::Error) -> Failure {
        let failure = Failure::new(Outcome::Unreadable { offset, error: file_error(error) });
        Failure { bytes_read: offset, ..failure }
    }

    /// The run was stopped; no record will be made of this.
    pub(crate) fn cancelled(offset: u64) -> Failure {
        let message = "interrupted".to_owned();
        let outcome = Outcome::Unreadable { offset, error: FileError { kind: INTERRUPTED, errno: None, message } };
        Failure { bytes_read: offset, ..Failure::new(outcome) }
    }

    pub(crate) fn is_cancelled(&self) -> bool {
        matches!(&self.outcome, Outcome::Unreadable { error, .. } if error.kind == INTERRUPTED)
    }

    pub(crate) fn too_many_pieces(metadata: Option<Metadata>) -> Failure {
        Failure { metadata, ..Failure::new(Outcome::Skipped(SkipReason::TooManyPieces)) }
    }

    pub(crate) fn panicked() -> Failure {
        let message = "internal error: the code that lists, reads or hashes this panicked; please report it".to_owned();
        Failure::new(Outcome::Unreadable { offset: 0, error: FileError { kind: "internal", errno: None, message } })
    }

    pub(crate) fn into_record(self, path: Vec<u8>) -> Record {
        Record {
            path,
            metadata: self.metadata,
            bytes_read: self.bytes_read,
            outcome: self.outcome,
            digests: Vec::new(),
            pieces: Vec::new(),
            similarities: Vec::new(),
        }
    }
}

/// The stable word and the text for an error of the system.
pub(crate) fn file_error(error: &io::Error) -> FileError {
    use io::ErrorKind as Kind;
    let kind = match error.kind() {
        Kind::NotFound => "not-found",
        Kind::PermissionDenied => "permission-denied",
        Kind::InvalidFilename => "name-too-long",
        Kind::StaleNetworkFileHandle => "vanished",
        _ => match error.raw_os_error() {
            Some(EIO) => "io",
            Some(ELOOP) => "loop",
            Some(ENAMETOOLONG) => "name-too-long",
            _ => "other",
        },
    };
    FileError { kind, errno: error.raw_os_error(), message: error.to_string() }
}

const INTERRUPTED: &str = "interrupted";
const EIO: i32 = 5;
const ENAMETOOLONG: i32 = 36;
const ELOOP: i32 = 40;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn system_errors_have_stable_words() {
        let words = [
            (2, "not-found"),
            (13, "permission-denied"),
            (5, "io"),
            (40, "loop"),
            (36, "name-too-long"),
            (22, "other"),
        ];
        for (errno, word) in words {
            assert_eq!(file_error(&io::Error::from_raw_os_error(errno)).kind, word, "{errno}");
        }
    }
}
