//! One file's way through a run: a job on the way in, a finished record on the way out.

use crate::digesting::FileDigests;
use pfh_record::{ErrorKind, FileError, Metadata, Outcome, Record, SkipReason};
use pfh_source::{Entry, Stamp};

/// Place in the order of output, and the waiting memory that the file occupies until its record is delivered.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ticket {
    pub(crate) sequence: u64,
    pub(crate) cost_bytes: u64,
}

/// A file to be read.
#[derive(Debug)]
pub(crate) struct Job<H> {
    pub(crate) ticket: Ticket,
    pub(crate) entry: Entry<H>,
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
pub(crate) struct HashedFile {
    /// The stamp of the file; absent for streams.
    pub(crate) stamp: Option<Stamp>,
    pub(crate) bytes_read: u64,
    pub(crate) digests: FileDigests,
}

impl HashedFile {
    pub(crate) fn into_record(self, path: Vec<u8>) -> Record {
        Record {
            path,
            metadata: self.stamp.map(|stamp| stamp.metadata),
            bytes_read: self.bytes_read,
            outcome: Outcome::Complete,
            digests: self.digests.digests,
            pieces: self.digests.pieces,
            similarities: self.digests.similarities,
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

    pub(crate) fn unreadable(offset: u64, error: FileError) -> Failure {
        let failure = Failure::new(Outcome::Unreadable { offset, error });
        Failure { bytes_read: offset, ..failure }
    }

    /// The run was stopped; no record will be made of this.
    pub(crate) fn not_reached(offset: u64) -> Failure {
        Failure { bytes_read: offset, ..Failure::new(Outcome::NotReached) }
    }

    pub(crate) fn too_many_pieces(metadata: Option<Metadata>) -> Failure {
        Failure { metadata, ..Failure::new(Outcome::Skipped(SkipReason::TooManyPieces)) }
    }

    pub(crate) fn panicked() -> Failure {
        let message = "internal error: the code that lists, reads or hashes this panicked; please report it";
        Failure::new(Outcome::Unreadable { offset: 0, error: FileError::new(ErrorKind::Internal, message) })
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
