//! The forms of one file in a run: the job that waits, and the result.

use crate::digesting::FileDigests;
use pfh_record::{ErrorKind, FileError, Metadata, Outcome, Record, SkipReason};
use pfh_source::{Entry, Stamp};

/// The place of a file in the order of output, and the waiting memory that it occupies until its record is delivered.
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
    /// Number of times that `balance` preferred another job.
    pub(crate) passed_over: usize,
}

/// The result of reading a file completely.
#[derive(Clone, Debug)]
pub(crate) struct HashedFile {
    /// The stamp of the file; `None` for streams.
    pub(crate) stamp: Option<Stamp>,
    pub(crate) bytes_read: u64,
    pub(crate) digests: FileDigests,
}

impl HashedFile {
    pub(crate) fn into_record(self, path: Vec<u8>) -> Record {
        let FileDigests { digests, pieces, similarities, facts, too_many_pieces: _ } = self.digests;
        let mut record = Record::new(path, Outcome::Complete);
        record.metadata = self.stamp.map(|stamp| stamp.metadata);
        record.bytes_read = self.bytes_read;
        (record.digests, record.pieces, record.similarities) = (digests, pieces, similarities);
        record.facts = facts;
        record
    }
}

/// The reason why a file has no digests.
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

    /// Returns the failure of a stopped run, of which no record is made.
    pub(crate) fn not_reached(offset: u64) -> Failure {
        Failure { bytes_read: offset, ..Failure::new(Outcome::NotReached) }
    }

    pub(crate) fn too_many_pieces(metadata: Option<Metadata>) -> Failure {
        Failure { metadata, ..Failure::new(Outcome::Skipped(SkipReason::TooManyPieces)) }
    }

    pub(crate) fn panicked() -> Failure {
        let message = "internal error: listing, reading or hashing this file panicked; please report it";
        Failure::new(Outcome::Unreadable { offset: 0, error: FileError::new(ErrorKind::Internal, message) })
    }

    pub(crate) fn into_record(self, path: Vec<u8>) -> Record {
        let mut record = Record::new(path, self.outcome);
        (record.metadata, record.bytes_read) = (self.metadata, self.bytes_read);
        record
    }
}
