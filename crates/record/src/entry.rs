//! Entries of lists.

use std::fmt;

use pfh_digest::Digest;
use pfh_facts::Facts;

use crate::part::Part;
use crate::{ErrorKind, FileError, Metadata, Outcome, Posix, Record, Similarity, SkipReason, Timestamp};

/// One file, or one piece of a file, as read from a list of any format.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Entry {
    /// The path in raw bytes. Empty for a digest without a name.
    pub path: Vec<u8>,
    /// Metadata of the file when it was hashed.
    pub expected: Expected,
    /// The digests of the contents. Empty if the list names a file without digests, such as an unreadable one.
    pub digests: Vec<Digest>,
    /// Whether the algorithm of the digests is a guess from their length, because neither the list nor an option names
    /// it.
    pub algorithm_guessed: bool,
    /// Similarity digests, without names in their texts, and the families that have no digest of the file.
    pub similarities: Vec<Similarity>,
    /// Facts about the contents of the whole file, if the list states them. Pieces have none.
    pub facts: Option<Facts>,
    /// The part of the file that the digests are of; `None` for the whole file.
    pub piece: Option<PieceRange>,
    /// The values of a part of a file that several tasks share, instead of digests; only if they are asked for
    /// ([`ReadOptions::parts`](crate::ReadOptions::parts)).
    pub part: Option<Box<Part>>,
    /// The outcome of reading the file. `None` if the list does not state it: its format lists only digests, or states
    /// only failures. Words that a later version may have added are read as unreadable, with these words as the
    /// message.
    pub outcome: Option<Outcome>,
    /// Product and category, which only lists of known files tell.
    pub labels: Labels,
    /// The line on which the entry begins, counted from 1 (the record, in a NUL-terminated list).
    pub line: u64,
}

/// The product and the category of a known file, as raw text of its list. Takes one allocation, and none if both are
/// empty.
#[derive(Clone, Default, PartialEq, Eq, Hash)]
pub struct Labels {
    /// The product, then the category.
    text: Box<[u8]>,
    product_bytes: usize,
}

impl Labels {
    /// Makes labels; an empty one stands for none.
    pub fn new(product: &[u8], category: &[u8]) -> Labels {
        Labels { text: [product, category].concat().into_boxed_slice(), product_bytes: product.len() }
    }

    /// Returns what the file belongs to: a product code, the name or the description of a set. Empty if the list does
    /// not tell.
    pub fn product(&self) -> &[u8] {
        &self.text[..self.product_bytes]
    }

    /// Returns the category: that of VICS or EnCase, NSRL's `SpecialCode`. Empty if the list does not tell.
    pub fn category(&self) -> &[u8] {
        &self.text[self.product_bytes..]
    }
}

impl fmt::Debug for Labels {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
        let mut labels = f.debug_struct("Labels");
        labels.field("product", &text(self.product())).field("category", &text(self.category())).finish()
    }
}

/// Metadata of a file that a list states, as far as its format has them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Expected {
    /// Size of the whole file in bytes.
    pub size: Option<u64>,
    /// Time of the last modification.
    pub mtime: Option<Timestamp>,
    /// Time of the last change of the inode.
    pub ctime: Option<Timestamp>,
    /// Inode number.
    pub inode: Option<u64>,
    /// Number of hard links.
    pub links: Option<u64>,
    /// Type and permission bits as in `st_mode`.
    pub mode: Option<u32>,
    /// Number of the owner.
    pub uid: Option<u32>,
    /// Number of the group.
    pub gid: Option<u32>,
}

/// A part of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PieceRange {
    /// Offset of the first byte.
    pub offset: u64,
    /// Length in bytes.
    pub length: u64,
}

impl Entry {
    /// Makes an entry with only path, digests and line.
    pub fn new(path: Vec<u8>, digests: Vec<Digest>, line: u64) -> Entry {
        Entry {
            path,
            expected: Expected::default(),
            digests,
            algorithm_guessed: false,
            similarities: Vec::new(),
            facts: None,
            piece: None,
            part: None,
            outcome: None,
            labels: Labels::default(),
            line,
        }
    }

    /// Whether the whole file was hashed. Formats without outcomes list only such files.
    pub fn is_complete(&self) -> bool {
        self.outcome.as_ref().is_none_or(|outcome| *outcome == Outcome::Complete)
    }

    /// Whether it is about a file, and not about something that only has a name, such as a directory.
    pub fn is_file(&self) -> bool {
        !matches!(self.outcome, Some(Outcome::Skipped(SkipReason::NotRegular)))
    }

    /// Iterates over the similarity digests that the file has.
    pub fn similarity_digests(&self) -> impl Iterator<Item = &pfh_similarity::Digest> {
        self.similarities.iter().filter_map(|similarity| similarity.digest.as_ref().ok())
    }

    /// Converts the entry to a record. Facts that the list does not state are unknown, and metadata that it cannot have
    /// are 0. Digests of a piece become those of the whole file.
    pub fn into_record(self) -> Record {
        let Expected { size, mtime, ctime, inode, links, mode, uid, gid } = self.expected;
        let posix = Posix {
            ctime: ctime.unwrap_or_default(),
            device: 0,
            inode: inode.unwrap_or_default(),
            links: links.unwrap_or_default(),
            mode: mode.unwrap_or_default(),
            uid: uid.unwrap_or_default(),
            gid: gid.unwrap_or_default(),
        };
        let none = Expected { size, mtime, ..Expected::default() };
        let metadata =
            Metadata { size: size.unwrap_or_default(), mtime, posix: (self.expected != none).then_some(posix) };
        let bytes_read = match self.outcome {
            Some(Outcome::Short { read, .. }) => read,
            Some(Outcome::Unreadable { offset, .. }) => offset,
            _ => metadata.size,
        };
        Record {
            path: self.path,
            metadata: (self.expected != Expected::default()).then_some(metadata),
            bytes_read,
            is_size_known: size.is_some() || matches!(self.outcome, Some(Outcome::Short { .. })),
            outcome: self.outcome.unwrap_or(Outcome::Complete),
            digests: self.digests,
            pieces: Vec::new(),
            similarities: self.similarities,
            facts: self.facts,
        }
    }

    /// If the path ends with ` offset START-END`, removes that and makes it the piece. The end is inclusive, and an
    /// empty piece is written `0-0`: `is_empty` decides between that and one byte.
    pub(crate) fn split_piece(&mut self, is_empty: bool) {
        let Some((name_bytes, offset, end)) = piece_suffix(&self.path) else { return };
        let length = if is_empty && (offset, end) == (0, 0) { 0 } else { end - offset + 1 };
        self.path.truncate(name_bytes);
        self.piece = Some(PieceRange { offset, length });
        self.expected.size = None;
    }
}

/// Whether a name ends with ` offset START-END`, as those of pieces do in lists of hashdeep and md5deep.
pub fn is_piece_name(name: &[u8]) -> bool {
    piece_suffix(name).is_some()
}

/// Finds ` offset START-END` at the end of a name. Returns the length of the name before it, the start and the
/// inclusive end.
fn piece_suffix(name: &[u8]) -> Option<(usize, u64, u64)> {
    const MARK: &[u8] = b" offset ";
    let name_bytes = memchr::memmem::rfind(name, MARK)?;
    let (start, end) = crate::text::split_once(&name[name_bytes + MARK.len()..], b'-')?;
    let (start, end) = (crate::text::parse_decimal(start)?, crate::text::parse_decimal(end)?);
    // With `u64::MAX` as the end, the length might not fit `u64`.
    (start <= end && end < u64::MAX).then_some((name_bytes, start, end))
}

/// The parts of an outcome, as the formats write them.
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
    /// Returns the outcome. Unknown words come from a later version, and such a file is not complete, whatever they
    /// mean.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_told_apart() {
        let labels = |product: &str, category: &str| Labels::new(product.as_bytes(), category.as_bytes());
        for (product, category) in [("", ""), ("1234", ""), ("", "M"), ("1234", "M")] {
            let both = labels(product, category);
            assert_eq!((both.product(), both.category()), (product.as_bytes(), category.as_bytes()));
        }
        assert_eq!(labels("", ""), Labels::default());
        assert_ne!(labels("a", "b"), labels("ab", ""));
        assert_eq!(format!("{:?}", labels("a", "\u{E9}")), "Labels { product: \"a\", category: \"\u{E9}\" }");
        assert!(size_of::<Labels>() <= 24);
    }
}
