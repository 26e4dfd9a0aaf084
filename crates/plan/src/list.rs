//! The list of a shard: what a walk found, each with a NUL at its end.
//!
//! A file is its size in decimal digits, a blank and its path; an `@` before the size says that the path was named. A
//! part of a file has `:OFFSET+LENGTH` after the size. All else is a record in JSON Lines, which begins with a brace:
//! what was not to be read, and what could not be listed.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use pfh_digest::{Algorithm, Hasher};
use pfh_list::open_regular;
use pfh_record::{FormatName, OBJECT_BYTES_MAX, ReadOptions, Reader, Record, Selection, WriteOptions};

use crate::PlanError;

const BUFFER_BYTES: usize = 1 << 18;

/// An entry of a list.
#[derive(Clone, Debug, PartialEq)]
pub enum ListEntry {
    /// A regular file.
    File {
        /// The displayed path in raw bytes.
        path: Vec<u8>,
        /// Its size when it was listed, in bytes.
        size: u64,
        /// Whether the path was named, so that a symbolic link there is followed.
        named: bool,
    },
    /// A part of a regular file, which is followed by the next one, if there is one.
    Part {
        /// The displayed path in raw bytes.
        path: Vec<u8>,
        /// The size of the whole file when it was listed, in bytes.
        size: u64,
        /// Whether the path was named, so that a symbolic link there is followed.
        named: bool,
        /// Offset of the first byte of the part.
        offset: u64,
        /// Length of the part in bytes, at least 1.
        length: u64,
    },
    /// Something that is not read: the record of it, which is also its result.
    Other(Box<Record>),
}

impl ListEntry {
    /// The displayed path in raw bytes.
    pub fn path(&self) -> &[u8] {
        match self {
            ListEntry::File { path, .. } | ListEntry::Part { path, .. } => path,
            ListEntry::Other(record) => &record.path,
        }
    }

    /// Appends the bytes of the entry, with a NUL at the end.
    pub fn push(&self, out: &mut Vec<u8>) {
        match self {
            ListEntry::File { path, size, named } => push_file(path, *size, None, *named, out),
            ListEntry::Part { path, size, named, offset, length } => {
                push_file(path, *size, Some((*offset, *length)), *named, out);
            }
            ListEntry::Other(record) => {
                if let Ok(writer) = FormatName::Jsonl.writer(&Selection::default(), &WriteOptions::default()) {
                    // JSON Lines can express every record.
                    let _ = writer.record(record, out);
                }
                // The line feed.
                out.pop();
                out.push(0);
            }
        }
    }

    /// Parses an entry, without its NUL.
    ///
    /// # Errors
    /// The reason, if it is none.
    pub fn parse(bytes: &[u8]) -> Result<ListEntry, String> {
        if bytes.first() == Some(&b'{') {
            return parse_record(bytes);
        }
        let (named, rest) = match bytes.strip_prefix(b"@") {
            Some(rest) => (true, rest),
            None => (false, bytes),
        };
        let no_size = || "an entry has no size and path".to_owned();
        let (size, rest) = decimal(rest).ok_or_else(no_size)?;
        if let Some(rest) = rest.strip_prefix(b":") {
            let part = || {
                let (offset, rest) = decimal(rest)?;
                let (length, rest) = decimal(rest.strip_prefix(b"+")?)?;
                let path = rest.strip_prefix(b" ").filter(|path| !path.is_empty())?.to_vec();
                let end = offset.checked_add(length).filter(|&end| (1..size).contains(&length) && end <= size);
                end.map(|_| ListEntry::Part { path, size, named, offset, length })
            };
            return part().ok_or_else(|| "an entry is no part of a file".to_owned());
        }
        match rest.strip_prefix(b" ") {
            Some(path) if !path.is_empty() => Ok(ListEntry::File { path: path.to_vec(), size, named }),
            _ => Err(no_size()),
        }
    }
}

/// Divides bytes into a decimal number and what follows it.
fn decimal(bytes: &[u8]) -> Option<(u64, &[u8])> {
    let digits = bytes.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (digits, rest) = bytes.split_at(digits);
    Some((std::str::from_utf8(digits).ok()?.parse().ok()?, rest))
}

/// Appends the bytes of a file's entry, or of a part with this offset and length.
pub(crate) fn push_file(path: &[u8], size: u64, part: Option<(u64, u64)>, named: bool, out: &mut Vec<u8>) {
    if named {
        out.push(b'@');
    }
    out.extend_from_slice(size.to_string().as_bytes());
    if let Some((offset, length)) = part {
        out.extend_from_slice(format!(":{offset}+{length}").as_bytes());
    }
    out.push(b' ');
    out.extend_from_slice(path);
    out.push(0);
}

/// The header that a line of JSON Lines needs to be read.
const HEADER: &[u8] = b"{\"type\":\"header\",\"version\":1,\"algorithms\":[]}\n";

fn parse_record(line: &[u8]) -> Result<ListEntry, String> {
    let mut reader = Reader::new(FormatName::Jsonl, HEADER.chain(line).chain(&b"\n"[..]), ReadOptions::default());
    match (reader.next(), reader.next()) {
        (Some(Ok(entry)), None) if entry.outcome.is_some() && !entry.is_complete() => {
            Ok(ListEntry::Other(Box::new(entry.into_record())))
        }
        (Some(Err(error)), _) => Err(error.to_string()),
        _ => Err("an entry is no record of something that was not read".to_owned()),
    }
}

/// Reads a NUL-ended entry. Returns false at the end.
pub(crate) fn read_entry(reader: &mut impl BufRead, entry: &mut Vec<u8>) -> Result<bool, io::Error> {
    entry.clear();
    reader.by_ref().take(OBJECT_BYTES_MAX as u64).read_until(0, entry)?;
    match entry.pop() {
        None => Ok(false),
        Some(0) => Ok(true),
        Some(_) => Err(io::Error::new(io::ErrorKind::InvalidData, "its last entry has no end")),
    }
}

/// A shard: a contiguous range of the listing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shard {
    /// Number of entries of its list, which is that of the records of its result.
    pub entries: u64,
    /// Number of files among them. A file that is split counts where its first part is.
    pub files: u64,
    /// Total size of the files and parts, in bytes.
    pub bytes: u64,
    /// Total weight of the entries.
    pub weight: u64,
    /// SHA-256 of its list.
    pub sha256: [u8; 32],
}

/// The list of a shard, entry by entry. At its end it was checked: the number of entries, and the digest.
pub struct ShardList {
    path: PathBuf,
    reader: BufReader<File>,
    expected: Shard,
    hasher: Hasher,
    entries: u64,
    entry: Vec<u8>,
    /// Whether the end was reached, and was the planned one.
    has_ended: bool,
}

impl ShardList {
    pub(crate) fn open(path: &Path, expected: &Shard) -> Result<ShardList, PlanError> {
        let file = open_regular(path).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => PlanError::List { path: path.to_owned(), reason: "it is not there".to_owned() },
            io::ErrorKind::InvalidInput => PlanError::List { path: path.to_owned(), reason: error.to_string() },
            _ => PlanError::Io { path: path.to_owned(), error },
        })?;
        Ok(ShardList {
            path: path.to_owned(),
            reader: BufReader::with_capacity(BUFFER_BYTES, file),
            expected: expected.clone(),
            hasher: Algorithm::SHA256.hasher(),
            entries: 0,
            entry: Vec::new(),
            has_ended: false,
        })
    }

    fn damaged(&self, reason: impl ToString) -> PlanError {
        PlanError::List { path: self.path.clone(), reason: reason.to_string() }
    }

    /// Reads the next entry into `self.entry`. Returns false at the end, after the check.
    fn advance(&mut self) -> Result<bool, PlanError> {
        if self.has_ended {
            return Ok(false);
        }
        let read = read_entry(&mut self.reader, &mut self.entry).map_err(|error| match error.kind() {
            io::ErrorKind::InvalidData => self.damaged(error),
            _ => PlanError::Io { path: self.path.clone(), error },
        })?;
        if read {
            self.entries += 1;
            self.hasher.update(&self.entry);
            self.hasher.update(&[0]);
            return Ok(true);
        }
        if self.entries != self.expected.entries {
            return Err(self.damaged(format_args!(
                "it has {} entries, and plan.json says {}",
                self.entries, self.expected.entries
            )));
        }
        if self.hasher.finish().bytes() != self.expected.sha256 {
            return Err(self.damaged("its SHA-256 is not the one in plan.json"));
        }
        self.has_ended = true;
        Ok(false)
    }

    /// Returns the next entry, or `None` at the end.
    ///
    /// # Errors
    /// [`PlanError::List`] if the list is not the one that was planned.
    #[expect(clippy::should_implement_trait, reason = "it can fail")]
    pub fn next(&mut self) -> Result<Option<ListEntry>, PlanError> {
        match self.advance()? {
            true => ListEntry::parse(&self.entry).map(Some).map_err(|reason| self.damaged(reason)),
            false => Ok(None),
        }
    }

    /// Reads the list to its end, and checks it. Contents of entries are not examined.
    pub(crate) fn verify(mut self) -> Result<(), PlanError> {
        while self.advance()? {}
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pfh_record::{ErrorKind, FileError, Outcome, SkipReason};

    #[test]
    fn entries_come_back() {
        let error = FileError::new(ErrorKind::PermissionDenied, "Permission denied (os error 13)").with_errno(Some(13));
        let file = |path: &[u8], size, named| ListEntry::File { path: path.to_vec(), size, named };
        let part =
            |size, offset, length| ListEntry::Part { path: b" 1:2+3 ".to_vec(), size, named: true, offset, length };
        let other = |path: &[u8], outcome| ListEntry::Other(Box::new(Record::new(path, outcome)));
        let entries = [
            file(b"a/b", 0, false),
            file(b" @5 x\n\xff", u64::MAX, true),
            file(b"{", 7, false),
            part(9, 0, 5),
            part(u64::MAX, u64::MAX - 1, 1),
            other(b"s\x01\xffocket", Outcome::Skipped(SkipReason::NotRegular)),
            other(b"closed", Outcome::Unreadable { offset: 0, error }),
        ];
        let mut bytes = Vec::new();
        entries.iter().for_each(|entry| entry.push(&mut bytes));
        assert!(bytes.starts_with(b"0 a/b\0@18446744073709551615  @5 x\n\xff\x007 {\0@9:0+5  1:2+3 \0@"));
        let (mut reader, mut read, mut entry) = (&bytes[..], Vec::new(), Vec::new());
        while read_entry(&mut reader, &mut entry).unwrap() {
            read.push(ListEntry::parse(&entry).unwrap());
        }
        let is_size_known = |entry: &ListEntry| match entry {
            ListEntry::Other(record) => record.is_size_known,
            ListEntry::File { .. } | ListEntry::Part { .. } => true,
        };
        // Whether a size is known is no part of a line.
        for (read, entry) in read.iter_mut().zip(&entries) {
            if let ListEntry::Other(record) = read {
                record.is_size_known = is_size_known(entry);
            }
        }
        assert_eq!(read, entries);
    }

    #[test]
    fn other_bytes_are_refused() {
        for entry in [
            "",
            "5",
            "5 ",
            " a",
            "@ a",
            "-5 a",
            "18446744073709551616 a",
            "5\ta",
            "{}",
            "{",
            "x a",
            "5:0+5",
            "5:0+5 ",
            "5:0+6 a",
            "5:1+5 a",
            "5:0+0 a",
            "5:0+5 a",
            "5:5+0 a",
            "5:0 a",
            "5:+5 a",
            "5:0+ a",
            "5:18446744073709551615+1 a",
        ] {
            assert!(ListEntry::parse(entry.as_bytes()).is_err(), "{entry}");
        }
        // A complete file is no entry: it would pass for read.
        let complete = br#"{"type":"file","path":"a","size":1,"digests":{},"outcome":"complete"}"#;
        assert!(ListEntry::parse(complete).is_err());
        let mut entry = Vec::new();
        assert_eq!(read_entry(&mut &b"5 a"[..], &mut entry).unwrap_err().kind(), io::ErrorKind::InvalidData);
    }
}
