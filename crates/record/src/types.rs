//! Value types: what is known of one file after a run.

use pfh_digest::Digest;
use pfh_similarity::{Family, Unfit};
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

/// Metadata of the file at the moment when all its bytes had been read, as the place that holds it states them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Metadata {
    /// Length in bytes.
    pub size: u64,
    /// Last modification, where the place has such a time.
    pub mtime: Option<Timestamp>,
    /// Further metadata of a POSIX filesystem; absent elsewhere.
    pub posix: Option<Posix>,
}

/// Metadata that only POSIX filesystems have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Posix {
    /// Last change of the inode.
    pub ctime: Timestamp,
    /// Device number that holds the file (`st_dev`).
    pub device: u64,
    /// Inode number.
    pub inode: u64,
    /// Number of hard links.
    pub links: u64,
    /// Type and permission bits as in `st_mode`.
    pub mode: u32,
    /// Owner.
    pub uid: u32,
    /// Group.
    pub gid: u32,
}

/// Identifies a file, whatever name leads to it: by a number for the place that numbers its files, and the number there
/// (device and inode of a file system).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FileIdentity {
    /// The place: `st_dev` for files of this machine.
    pub device: u64,
    /// Its number for the file: `st_ino` for files of this machine.
    pub number: u64,
}

impl FileIdentity {
    /// The file with this number in this place.
    pub const fn new(device: u64, number: u64) -> FileIdentity {
        FileIdentity { device, number }
    }
}

/// Digests of one piece of a file (`--piecewise`).
#[derive(Clone, Debug, PartialEq)]
pub struct Piece {
    /// First byte of the piece.
    pub offset: u64,
    /// Length in bytes; only the last piece may be shorter than the others.
    pub length: u64,
    /// In the order that the run's algorithms have.
    pub digests: Vec<Digest>,
}

/// How the reading of one file ended.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// Every expected byte was read and hashed.
    Complete,
    /// Size, content time or identity changed between opening and the last read; no digest is given.
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
        /// First byte that could not be read; 0 when the file could not be opened.
        offset: u64,
        /// The error.
        error: FileError,
    },
    /// Not read on purpose.
    Skipped(SkipReason),
    /// The run was stopped before the file was read to its end; nothing is known of its contents.
    NotReached,
}

/// An error that belongs to one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileError {
    /// The kind of the error, for programs.
    pub kind: ErrorKind,
    /// The system's error number, where there is one.
    pub errno: Option<i32>,
    /// For people: what failed and why, without the path.
    pub message: String,
}

/// The kind of an error that stopped the reading of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// There is no such file any more.
    NotFound,
    /// Reading it, or something on the way to it, is not permitted.
    PermissionDenied,
    /// The medium or the connection failed.
    Io,
    /// A name is longer than the place that holds the files allows.
    NameTooLong,
    /// Too many symbolic links were followed.
    Loop,
    /// The file is gone on the server.
    Vanished,
    /// Whoever asked for the file's bytes beside its digests could not take them.
    Consumer,
    /// A defect: the code that lists, reads or hashes panicked.
    Internal,
    /// Anything else; see the message and the number.
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

    /// Stable word for programs, the same in every format.
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

    /// The kind that has this word.
    pub fn from_word(word: &str) -> Option<ErrorKind> {
        ErrorKind::ALL.into_iter().find(|kind| kind.word() == word)
    }
}

impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// The kind that an error of the system has.
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

/// An error of the system, with its number and its text.
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
    /// An error that no system call reported.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> FileError {
        FileError { kind, errno: None, message: message.into() }
    }
}

/// Why a file was not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SkipReason {
    /// FIFO, socket or device that was not named as an argument.
    NotRegular,
    /// The walk met the directory it is in again (symlink or bind-mount loop).
    Loop,
    /// Digests of all pieces would not fit the memory option.
    TooManyPieces,
    /// The caller of the run knows its digests already: it is unchanged since an earlier list.
    Unchanged,
    /// The caller of the run wanted it listed only.
    NotWanted,
}

/// The record of one file after a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    /// The path as the user named it and the walk extended it: raw bytes.
    pub path: Vec<u8>,
    /// Absent when the file could not be opened, and for pipes.
    pub metadata: Option<Metadata>,
    /// Bytes that went through the digests (equals `metadata.size` for a complete regular file).
    pub bytes_read: u64,
    /// How the reading ended.
    pub outcome: Outcome,
    /// One per algorithm of the run, or of those that were asked for of this file, in the run's order; empty unless
    /// `outcome` is complete.
    pub digests: Vec<Digest>,
    /// Piecewise digests in file order; empty unless asked for and complete.
    pub pieces: Vec<Piece>,
    /// One per similarity family of the run, or of those that were asked for of this file, in the run's order; empty
    /// unless `outcome` is complete.
    pub similarities: Vec<Similarity>,
}

/// The similarity digest of one file in a family, or the reason for its absence.
#[derive(Clone, Debug, PartialEq)]
pub struct Similarity {
    /// The family.
    pub family: Family,
    /// The digest, without a name in its text; or why the family has none for such contents, which is no error.
    pub digest: Result<pfh_similarity::Digest, Unfit>,
}

impl Similarity {
    /// Length of the digest's text in bytes, without a name: at least as long as it is, and never much longer.
    pub fn text_bytes(&self) -> usize {
        /// More than what stands around the filters.
        const FRAME_BYTES: usize = 80;
        match &self.digest {
            Ok(pfh_similarity::Digest::Ssdeep(_)) => 160,
            // Base64 of 256 bytes, and of each block the number of its elements.
            Ok(pfh_similarity::Digest::Sdhash(digest)) => FRAME_BYTES + 348 * digest.filters(),
            Ok(pfh_similarity::Digest::MrshV2(digest)) => FRAME_BYTES + 512 * digest.filters(),
            Ok(pfh_similarity::Digest::Tlsh(_)) => 72,
            Err(_) => 0,
        }
    }
}

impl Outcome {
    /// Stable word for programs, the same in every format.
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

    /// Stable word for programs, the same in every format.
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
    /// Whether the piece bears the marks of a known collision attack.
    pub fn collision_detected(&self) -> bool {
        self.digests.iter().any(Digest::collision_detected)
    }
}

impl Record {
    /// The path, for the file system's functions and for [`Path::display`].
    pub fn as_path(&self) -> &Path {
        Path::new(OsStr::from_bytes(&self.path))
    }

    /// Whether the file as a whole bears the marks of a known collision attack.
    pub fn collision_detected(&self) -> bool {
        self.digests.iter().any(Digest::collision_detected)
    }

    /// Size in bytes as far as it is known: what the filesystem states, else what a complete stream delivered.
    pub fn size(&self) -> Option<u64> {
        match (&self.metadata, &self.outcome) {
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
