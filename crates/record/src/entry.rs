//! One file or piece, as read from a list.

use pfh_digest::Digest;

use crate::{ErrorKind, FileError, Metadata, Outcome, Posix, Record, Similarity, SkipReason, Timestamp};

/// One file, or one piece of a file, as a list has it, in whatever format.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// The path, raw bytes. Empty where the list has a digest without a name.
    pub path: Vec<u8>,
    /// Size and times of the file when it was hashed.
    pub expected: Expected,
    /// The digests of the contents. Empty where the list names a file that has none, as one that was unreadable.
    pub digests: Vec<Digest>,
    /// Whether nothing named the algorithm of the digests, so that it is the usual one of their length.
    pub algorithm_guessed: bool,
    /// Similarity digests, without names in their texts, and the families that had none of the file.
    pub similarities: Vec<Similarity>,
    /// The part of the file that the digests are of; absent for the whole file.
    pub piece: Option<PieceRange>,
    /// How the reading of the file had ended. Absent where the list does not tell, since its format lists digests only,
    /// or since it tells of failures only. What a later version may have added is read as unreadable, with its words as
    /// the message.
    pub outcome: Option<Outcome>,
    /// The line it began on, counted from 1 (the record, in a NUL-terminated list).
    pub line: u64,
}

/// Size and times that a list promises of a file, as far as its format tells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Expected {
    /// Size of the whole file in bytes.
    pub size: Option<u64>,
    /// Last modification.
    pub mtime: Option<Timestamp>,
    /// Last change of the inode.
    pub ctime: Option<Timestamp>,
}

/// A part of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PieceRange {
    /// First byte.
    pub offset: u64,
    /// Length in bytes.
    pub length: u64,
}

impl Entry {
    /// An entry of which only path, digests and line are known.
    pub(crate) fn new(path: Vec<u8>, digests: Vec<Digest>, line: u64) -> Entry {
        Entry {
            path,
            expected: Expected::default(),
            digests,
            algorithm_guessed: false,
            similarities: Vec::new(),
            piece: None,
            outcome: None,
            line,
        }
    }

    /// Whether every byte of the file had been hashed. Formats without outcomes list only such files.
    pub fn is_complete(&self) -> bool {
        self.outcome.as_ref().is_none_or(|outcome| *outcome == Outcome::Complete)
    }

    /// The similarity digests that the file has.
    pub fn similarity_digests(&self) -> impl Iterator<Item = &pfh_similarity::Digest> {
        self.similarities.iter().filter_map(|similarity| similarity.digest.as_ref().ok())
    }

    /// The record that says as much: what the list does not tell is unknown, and metadata that it cannot have are 0.
    /// Digests of a piece stand for the whole.
    pub fn into_record(self) -> Record {
        let Expected { size, mtime, ctime } = self.expected;
        let metadata = Metadata {
            size: size.unwrap_or_default(),
            mtime,
            posix: ctime.map(|ctime| Posix { ctime, ..Posix::default() }),
        };
        let bytes_read = match self.outcome {
            Some(Outcome::Short { read, .. }) => read,
            Some(Outcome::Unreadable { offset, .. }) => offset,
            _ => metadata.size,
        };
        Record {
            path: self.path,
            metadata: (size.is_some() || mtime.is_some() || ctime.is_some()).then_some(metadata),
            bytes_read,
            outcome: self.outcome.unwrap_or(Outcome::Complete),
            digests: self.digests,
            pieces: Vec::new(),
            similarities: self.similarities,
        }
    }

    /// Takes ` offset START-END` off the path where it is there, and makes it the piece. The end is inclusive, and an
    /// empty piece is written `0-0`: `is_empty` decides between that and one byte.
    pub(crate) fn split_piece(&mut self, is_empty: bool) {
        let Some((name_bytes, offset, end)) = piece_suffix(&self.path) else { return };
        let length = if is_empty && (offset, end) == (0, 0) { 0 } else { end - offset + 1 };
        self.path.truncate(name_bytes);
        self.piece = Some(PieceRange { offset, length });
        self.expected.size = None;
    }
}

/// Finds ` offset START-END` at the end of a name: length of the name proper, start, inclusive end.
fn piece_suffix(name: &[u8]) -> Option<(usize, u64, u64)> {
    const MARK: &[u8] = b" offset ";
    let name_bytes = memchr::memmem::rfind(name, MARK)?;
    let (start, end) = crate::text::split_once(&name[name_bytes + MARK.len()..], b'-')?;
    let (start, end) = (crate::text::parse_decimal(start)?, crate::text::parse_decimal(end)?);
    // `u64::MAX` as the end would make a length that no `u64` holds.
    (start <= end && end < u64::MAX).then_some((name_bytes, start, end))
}

/// The parts into which the formats divide an outcome.
#[derive(Debug, Default)]
pub(crate) struct OutcomeParts<'a> {
    pub(crate) word: &'a str,
    pub(crate) kind: &'a str,
    pub(crate) message: &'a str,
    pub(crate) offset: u64,
    pub(crate) errno: Option<i32>,
    pub(crate) expected: u64,
    pub(crate) read: u64,
    pub(crate) reason: &'a str,
}

impl OutcomeParts<'_> {
    /// Words that are not known come from a later version: such a file is not complete, whatever they mean.
    pub(crate) fn outcome(&self) -> Outcome {
        let reason = || SkipReason::ALL.into_iter().find(|reason| reason.word() == self.reason);
        let error = |kind, message: String| FileError { kind, errno: self.errno, message };
        match self.word {
            "complete" => Outcome::Complete,
            "not-reached" => Outcome::NotReached,
            "changed-while-reading" => Outcome::ChangedWhileReading,
            "short" => Outcome::Short { expected: self.expected, read: self.read },
            "unreadable" => {
                let kind = ErrorKind::from_word(self.kind).unwrap_or(ErrorKind::Other);
                Outcome::Unreadable { offset: self.offset, error: error(kind, self.message.to_owned()) }
            }
            word => match reason().filter(|_| word == "skipped") {
                Some(reason) => Outcome::Skipped(reason),
                None => {
                    let parts = [word, self.reason, self.message].into_iter().filter(|part| !part.is_empty());
                    let message = parts.collect::<Vec<_>>().join(": ");
                    Outcome::Unreadable { offset: self.offset, error: error(ErrorKind::Other, message) }
                }
            },
        }
    }
}
