//! Value types: the facts about one file after a run.

use pfh_digest::Digest;
use pfh_facts::Facts;
use pfh_similarity::{Family, NoDigest};
use std::ffi::OsStr;
use std::fmt;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// A point in time: seconds since 1970-01-01T00:00:00Z (negative before it) and nanoseconds (0 … 999,999,999) after
/// that second.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Timestamp {
    /// Whole seconds, rounded down.
    pub seconds: i64,
    /// Nanoseconds after `seconds`.
    pub nanoseconds: u32,
}

/// Metadata of a file at the moment when all its bytes had been read, as its source states them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Metadata {
    /// Length in bytes.
    pub size: u64,
    /// Time of the last modification, if the source has it.
    pub mtime: Option<Timestamp>,
    /// Further metadata of a POSIX filesystem; `None` elsewhere.
    pub posix: Option<Posix>,
}

/// Metadata that only POSIX filesystems have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Posix {
    /// Time of the last change of the inode.
    pub ctime: Timestamp,
    /// Number of the device that holds the file (`st_dev`).
    pub device: u64,
    /// Inode number.
    pub inode: u64,
    /// Number of hard links.
    pub links: u64,
    /// Type and permission bits as in `st_mode`.
    pub mode: u32,
    /// Number of the owner.
    pub uid: u32,
    /// Number of the group.
    pub gid: u32,
}

impl Metadata {
    /// Makes metadata of a source that has no others.
    pub fn new(size: u64, mtime: Option<Timestamp>) -> Metadata {
        Metadata { size, mtime, posix: None }
    }

    /// Adds the metadata of a POSIX filesystem.
    #[must_use]
    pub fn with_posix(self, posix: Posix) -> Metadata {
        Metadata { posix: Some(posix), ..self }
    }
}

/// The identity of a file, whatever name leads to it: a number for the place that numbers its files, and the number
/// there (device and inode of a file system).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FileIdentity {
    /// The place: `st_dev` for files of this machine.
    pub device: u64,
    /// The number of the file in that place: `st_ino` for files of this machine.
    pub number: u64,
}

impl FileIdentity {
    /// Makes the identity of the file with this number in this place.
    pub const fn new(device: u64, number: u64) -> FileIdentity {
        FileIdentity { device, number }
    }
}

/// Digests of one piece of a file (`--piecewise`).
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Piece {
    /// Offset of the first byte.
    pub offset: u64,
    /// Length in bytes; only the last piece may be shorter than the others.
    pub length: u64,
    /// The digests, in the order of the run's algorithms.
    pub digests: Vec<Digest>,
}

/// The outcome of reading one file.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Outcome {
    /// Every expected byte was read and hashed.
    Complete,
    /// Size, modification time or identity changed between opening and the last read; there is no digest.
    ChangedWhileReading,
    /// The file ended before the size that the filesystem states.
    Short {
        /// Bytes expected.
        expected: u64,
        /// Bytes read.
        read: u64,
    },
    /// An error stopped the reading.
    Unreadable {
        /// Offset of the first byte that could not be read; 0 if the file could not be opened.
        offset: u64,
        /// The error.
        error: FileError,
    },
    /// The file was not read, on purpose.
    Skipped(SkipReason),
    /// The run was stopped before the file was read to its end; nothing is known about its contents.
    NotReached,
}

/// An error that belongs to one file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FileError {
    /// The kind of the error, for programs.
    pub kind: ErrorKind,
    /// The system's error number, if there is one.
    pub errno: Option<i32>,
    /// A message for display: what failed and why, without the path.
    pub message: String,
}

/// The kind of an error that stopped the reading of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The file does not exist any more.
    NotFound,
    /// Reading the file, or entering a directory on its path, is not permitted.
    PermissionDenied,
    /// The medium or the connection failed.
    Io,
    /// A name is longer than the filesystem allows.
    NameTooLong,
    /// Too many symbolic links were followed.
    Loop,
    /// The server no longer has the file.
    Vanished,
    /// A consumer of the file's bytes failed.
    Consumer,
    /// A defect: the code that lists, reads or hashes panicked.
    Internal,
    /// Another error; see the message and the number.
    Other,
}

impl ErrorKind {
    /// All kinds.
    pub const ALL: [ErrorKind; 9] = [
        ErrorKind::NotFound,
        ErrorKind::PermissionDenied,
        ErrorKind::Io,
        ErrorKind::NameTooLong,
        ErrorKind::Loop,
        ErrorKind::Vanished,
        ErrorKind::Consumer,
        ErrorKind::Internal,
        ErrorKind::Other,
    ];

    /// Returns the stable word for programs, the same in every format.
    pub const fn word(self) -> &'static str {
        match self {
            ErrorKind::NotFound => "not-found",
            ErrorKind::PermissionDenied => "permission-denied",
            ErrorKind::Io => "io",
            ErrorKind::NameTooLong => "name-too-long",
            ErrorKind::Loop => "loop",
            ErrorKind::Vanished => "vanished",
            ErrorKind::Consumer => "consumer",
            ErrorKind::Internal => "internal",
            ErrorKind::Other => "other",
        }
    }

    /// Returns the kind with this word.
    pub fn from_word(word: &str) -> Option<ErrorKind> {
        ErrorKind::ALL.into_iter().find(|kind| kind.word() == word)
    }
}

impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// Returns the kind of an error of the system.
impl From<&io::Error> for ErrorKind {
    fn from(error: &io::Error) -> ErrorKind {
        const EIO: i32 = 5;
        const ENAMETOOLONG: i32 = 36;
        const ELOOP: i32 = 40;
        match (error.kind(), error.raw_os_error()) {
            (io::ErrorKind::NotFound, _) => ErrorKind::NotFound,
            (io::ErrorKind::PermissionDenied, _) => ErrorKind::PermissionDenied,
            (io::ErrorKind::InvalidFilename, _) | (_, Some(ENAMETOOLONG)) => ErrorKind::NameTooLong,
            (io::ErrorKind::StaleNetworkFileHandle, _) => ErrorKind::Vanished,
            (_, Some(EIO)) => ErrorKind::Io,
            (_, Some(ELOOP)) => ErrorKind::Loop,
            _ => ErrorKind::Other,
        }
    }
}

/// Converts an error of the system, with its number and text.
impl From<io::Error> for FileError {
    fn from(error: io::Error) -> FileError {
        FileError { kind: ErrorKind::from(&error), errno: error.raw_os_error(), message: error.to_string() }
    }
}

impl fmt::Display for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for FileError {}

impl FileError {
    /// Makes an error that no system call reported.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> FileError {
        FileError { kind, errno: None, message: message.into() }
    }

    /// Adds the system's error number, if there is one.
    #[must_use]
    pub fn with_errno(self, errno: Option<i32>) -> FileError {
        FileError { errno, ..self }
    }
}

/// The reason why a file was not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SkipReason {
    /// It is a FIFO, socket or device that was not named as an argument.
    NotRegular,
    /// It is a directory that the walk is already in (a loop of symlinks or bind mounts).
    Loop,
    /// The digests of all its pieces would not fit the memory option.
    TooManyPieces,
    /// The caller of the run knows its digests already, because it is unchanged since an earlier list.
    Unchanged,
    /// The caller of the run wanted it only listed.
    NotWanted,
}

/// The record of one file after a run.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Record {
    /// The path in raw bytes, as the user named it and the walk extended it.
    pub path: Vec<u8>,
    /// The metadata; `None` if the file could not be opened, and for pipes.
    pub metadata: Option<Metadata>,
    /// Number of bytes that were hashed (`metadata.size` for a complete regular file).
    pub bytes_read: u64,
    /// Whether the size is known. It is after a run; lists of others may not state it, and then `bytes_read` and
    /// `metadata.size` are 0.
    pub is_size_known: bool,
    /// The outcome of reading the file.
    pub outcome: Outcome,
    /// One digest per algorithm of the run, or per algorithm requested for this file, in the run's order; empty unless
    /// `outcome` is complete.
    pub digests: Vec<Digest>,
    /// The digests of pieces in file order; empty unless requested, and `outcome` is complete.
    pub pieces: Vec<Piece>,
    /// One result per similarity family of the run, or per family requested for this file, in the run's order; empty
    /// unless `outcome` is complete.
    pub similarities: Vec<Similarity>,
    /// Facts about the contents of the whole file; `None` unless requested, and `outcome` is complete.
    pub facts: Option<Facts>,
}

/// The similarity digest of one file in a family, or the reason for its absence.
#[derive(Clone, Debug, PartialEq)]
pub struct Similarity {
    /// The family.
    pub family: Family,
    /// The digest, without a name in its text; or the reason why the family has none, which is no error.
    pub digest: Result<pfh_similarity::Digest, NoDigest>,
}

impl Similarity {
    /// Returns the approximate length of the digest's text without a name, in bytes: never less than the real one, and
    /// not much more.
    pub fn text_bytes(&self) -> usize {
        /// Upper bound for the text around the filters.
        const FRAME_BYTES: usize = 80;
        match &self.digest {
            Ok(pfh_similarity::Digest::Ssdeep(_)) => 160,
            // Base64 of 256 bytes, and in each block the number of its elements.
            Ok(pfh_similarity::Digest::Sdhash(digest)) => FRAME_BYTES + 348 * digest.filters(),
            Ok(pfh_similarity::Digest::MrshV2(digest)) => FRAME_BYTES + 512 * digest.filters(),
            Ok(pfh_similarity::Digest::Tlsh(_)) => 72,
            Err(_) => 0,
        }
    }
}

/// The result for the file as text for display, without its path.
impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Outcome::Complete => f.write_str("complete"),
            Outcome::ChangedWhileReading => {
                f.write_str("changed while it was read; no digest is given. Run again when it no longer changes")
            }
            Outcome::Short { expected, read } => write!(
                f,
                "ended after {read} of {expected} bytes; no digest is given. The filesystem states a larger size than it delivers"
            ),
            Outcome::Unreadable { offset: 0, error } => error.fmt(f),
            Outcome::Unreadable { offset, error } => write!(f, "unreadable from byte {offset} on: {error}"),
            Outcome::Skipped(reason) => reason.fmt(f),
            Outcome::NotReached => f.write_str("not read: the run was stopped before"),
        }
    }
}

/// The reason as text for display.
impl fmt::Display for SkipReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            SkipReason::NotRegular => "neither a regular file nor named as an argument; not read",
            SkipReason::Loop => {
                "this directory is already being read, through a loop of links; it is not entered again"
            }
            SkipReason::TooManyPieces => "the digests of its pieces do not fit the memory option; not read",
            SkipReason::Unchanged => "unchanged since an earlier list; not read",
            SkipReason::NotWanted => "not wanted; not read",
        })
    }
}

impl Outcome {
    /// Whether a file that was to be read could not be read or digested.
    pub fn is_failure(&self) -> bool {
        match self {
            Outcome::Complete
            | Outcome::Skipped(
                SkipReason::NotRegular | SkipReason::Loop | SkipReason::Unchanged | SkipReason::NotWanted,
            ) => false,
            Outcome::ChangedWhileReading
            | Outcome::Short { .. }
            | Outcome::Unreadable { .. }
            | Outcome::NotReached
            | Outcome::Skipped(SkipReason::TooManyPieces) => true,
        }
    }

    /// Returns the stable word for programs, the same in every format.
    pub fn word(&self) -> &'static str {
        match self {
            Outcome::Complete => "complete",
            Outcome::ChangedWhileReading => "changed-while-reading",
            Outcome::Short { .. } => "short",
            Outcome::Unreadable { .. } => "unreadable",
            Outcome::Skipped(_) => "skipped",
            Outcome::NotReached => "not-reached",
        }
    }
}

impl SkipReason {
    pub(crate) const ALL: [SkipReason; 5] = [
        SkipReason::NotRegular,
        SkipReason::Loop,
        SkipReason::TooManyPieces,
        SkipReason::Unchanged,
        SkipReason::NotWanted,
    ];

    /// Returns the stable word for programs, the same in every format.
    pub fn word(self) -> &'static str {
        match self {
            SkipReason::NotRegular => "not-regular",
            SkipReason::Loop => "loop",
            SkipReason::TooManyPieces => "too-many-pieces",
            SkipReason::Unchanged => "unchanged",
            SkipReason::NotWanted => "not-wanted",
        }
    }
}

impl Piece {
    /// Makes a piece that begins at `offset` and has `length` bytes.
    pub fn new(offset: u64, length: u64, digests: Vec<Digest>) -> Piece {
        Piece { offset, length, digests }
    }

    /// Whether the piece bears the marks of a known collision attack.
    pub fn collision_detected(&self) -> bool {
        self.digests.iter().any(Digest::collision_detected)
    }
}

impl Record {
    /// Makes a record with only path and outcome.
    pub fn new(path: impl Into<Vec<u8>>, outcome: Outcome) -> Record {
        Record {
            path: path.into(),
            metadata: None,
            bytes_read: 0,
            is_size_known: true,
            outcome,
            digests: Vec::new(),
            pieces: Vec::new(),
            similarities: Vec::new(),
            facts: None,
        }
    }

    /// Returns the path, for the file system's functions and for [`Path::display`].
    pub fn as_path(&self) -> &Path {
        Path::new(OsStr::from_bytes(&self.path))
    }

    /// Whether the file as a whole bears the marks of a known collision attack.
    pub fn collision_detected(&self) -> bool {
        self.digests.iter().any(Digest::collision_detected)
    }

    /// Returns the size in bytes, if it is known: as the filesystem states it, or the length of a complete stream.
    pub fn size(&self) -> Option<u64> {
        match (&self.metadata, &self.outcome) {
            _ if !self.is_size_known => None,
            (Some(metadata), _) => Some(metadata.size),
            (None, Outcome::Complete) => Some(self.bytes_read),
            (None, Outcome::Short { expected, .. }) => Some(*expected),
            (None, _) => None,
        }
    }
}

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
            (116, "vanished"),
            (22, "other"),
        ];
        for (errno, word) in words {
            let error = FileError::from(io::Error::from_raw_os_error(errno));
            assert_eq!((error.kind.word(), error.errno), (word, Some(errno)));
        }
    }

    #[test]
    fn words_lead_back_to_their_kinds() {
        for kind in ErrorKind::ALL {
            assert_eq!(ErrorKind::from_word(kind.word()), Some(kind));
        }
        assert_eq!(ErrorKind::from_word("elsewhere"), None);
    }
}
