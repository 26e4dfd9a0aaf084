//! The trait that connects the reader of lists with the parsers of formats: their input, and their results.

mod error;
mod lines;

use std::collections::VecDeque;
use std::sync::LazyLock;
use std::vec;

use pfh_digest::{Algorithm, Digest};

pub(crate) use error::Fault;
pub use error::{CheckProblem, FieldProblem, ReadError, ReadErrorKind};
pub(crate) use lines::{BYTE_ORDER_MARK, Line, Lines};

use crate::{Entry, FormatName, Header, ListEnd, PieceRange, Trailer};

/// Longest line that is read by default, in bytes. Paths are rarely longer than 4 KiB, or twice that when escaped.
pub const LINE_BYTES_MAX: usize = 1 << 20;

/// Longest JSON line and DFXML file object that are read by default, in bytes. With some 150 bytes for each piece of a
/// file, it holds 400,000 pieces.
pub const OBJECT_BYTES_MAX: usize = 64 << 20;

/// Options of reading a list.
#[derive(Clone, Copy, Debug, Default)]
pub struct ReadOptions {
    /// The algorithm of digests whose algorithm the list does not name. By default, it follows from the number of
    /// hexadecimal digits: 8 CRC-32, 32 MD5, 40 SHA-1, 56 SHA-224, 64 SHA-256, 96 SHA-384, 128 SHA-512.
    pub algorithm: Option<Algorithm>,
    /// The algorithm to prefer to the default, for digests of its length, if `algorithm` is not given.
    pub likely_algorithm: Option<Algorithm>,
    /// Whether records end with NUL and nothing is escaped (`gnu`, `bsd`, `md5deep`).
    pub null_terminated: bool,
    /// Whether names that end with ` offset START-END` are of pieces (`gnu`, `bsd`, `hashdeep`, `md5deep`; the other
    /// formats mark pieces).
    pub piecewise: bool,
    /// Whether parts of files are entries, as in the results of shards (JSON Lines). Otherwise their lines are ignored.
    pub parts: bool,
    /// The program of coreutils that is imitated: lines that it does not take are errors, also those with a byte-order
    /// mark or in UTF-16, and names may be empty (`gnu`, `bsd`). Lines by algorithms that it does not have are read as
    /// without this option.
    pub coreutils: Option<Coreutils>,
    /// Longest accepted line, in bytes. Default: [`LINE_BYTES_MAX`], but [`OBJECT_BYTES_MAX`] for formats with pieces
    /// or long similarity digests in a line: CSV, JSON Lines, DFXML, and the lists of sdhash and mrsh-v2.
    pub line_bytes_max: Option<usize>,
}

/// A program of coreutils 9.1 that checks lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Coreutils {
    /// A program of one algorithm, such as `md5sum --check`.
    Sum,
    /// `cksum --check`, for which each line names its algorithm.
    Cksum,
}

/// The entries that were read and not yet returned, with header and trailer.
pub(crate) struct Found {
    pub(crate) entries: VecDeque<Entry>,
    pub(crate) header: Header,
    /// The trailer so far; it is final once the input has ended.
    pub(crate) trailer: Trailer,
    /// The separator of a table with columns of the user's, when its first line has told it.
    pub(crate) separator: Option<u8>,
    /// The pieces of the file that was found last.
    pieces: Option<PieceEntries>,
}

/// The entries of the pieces of a file, each made when it is taken: all of them together would have its path as often
/// as there are pieces.
struct PieceEntries {
    /// The file, without digests.
    file: Entry,
    pieces: vec::IntoIter<(PieceRange, Vec<Digest>)>,
}

impl Iterator for PieceEntries {
    type Item = Entry;

    fn next(&mut self) -> Option<Entry> {
        let (range, digests) = self.pieces.next()?;
        Some(Entry { digests, piece: Some(range), ..self.file.clone() })
    }
}

impl Found {
    pub(crate) fn new(format: FormatName) -> Found {
        let selection = match format {
            FormatName::Similarity(family) => Some(family.into()),
            _ => None,
        };
        Found {
            entries: VecDeque::new(),
            header: Header { selection, ..Header::new(format) },
            trailer: Trailer::new(ListEnd::Unstated),
            separator: None,
            pieces: None,
        }
    }

    pub(crate) fn push(&mut self, entry: Entry) {
        self.entries.push_back(entry);
    }

    /// Appends a file and then its pieces, all of which are to be taken before more is found.
    pub(crate) fn push_with_pieces(&mut self, whole: Entry, pieces: Vec<(PieceRange, Vec<Digest>)>) {
        if !pieces.is_empty() {
            let file = Entry::new(whole.path.clone(), Vec::new(), whole.line);
            let file = Entry { expected: whole.expected, outcome: whole.outcome.clone(), ..file };
            self.pieces = Some(PieceEntries { file, pieces: pieces.into_iter() });
        }
        self.push(whole);
    }

    /// Whether an entry is left.
    pub(crate) fn has_entry(&self) -> bool {
        !self.entries.is_empty() || self.pieces.as_ref().is_some_and(|left| left.pieces.len() > 0)
    }

    /// Returns the next entry, which stays the next one.
    pub(crate) fn first(&mut self) -> Option<&mut Entry> {
        if self.entries.is_empty() {
            self.entries.extend(self.pieces.as_mut().and_then(Iterator::next));
        }
        self.entries.front_mut()
    }

    /// Drops all entries.
    pub(crate) fn clear(&mut self) {
        self.entries.clear();
        self.pieces = None;
    }
}

/// A parser of single lines of a format.
pub(crate) trait LineParser: Send {
    /// Appends the entries of the line, none for comments and the like. Lines of the header and of the trailer change
    /// these instead.
    fn line(&mut self, line: Line<'_>, found: &mut Found) -> Result<(), Fault>;

    /// Checks the input as a whole, at its end.
    fn end(&mut self, _found: &mut Found) -> Result<(), Fault> {
        Ok(())
    }
}

/// Adds a digest of a file, or of a piece, to the others of the same entry. One that is there already counts once, and
/// another one of the same kind, which `kind` tells, contradicts it.
pub(crate) fn add_digest<D: PartialEq, K: PartialEq>(
    digests: &mut Vec<D>,
    digest: D,
    kind: impl Fn(&D) -> K,
    at: usize,
) -> Result<(), Fault> {
    match digests.iter().find(|other| kind(other) == kind(&digest)) {
        Some(other) if *other == digest => {}
        Some(_) => return Err(Fault::field(at, "digests", FieldProblem::Contradictory)),
        None => digests.push(digest),
    }
    Ok(())
}

/// Makes the range of a piece. Its end must be a number of 64 bits, and in the file if the size of that is known.
pub(crate) fn piece_range(offset: u64, length: u64, size: Option<u64>) -> Result<PieceRange, Fault> {
    match offset.checked_add(length) {
        Some(end) if size.is_none_or(|size| end <= size) => Ok(PieceRange { offset, length }),
        _ => Err(Fault::field(0, "pieces", FieldProblem::ContradictsSize)),
    }
}

/// The usual algorithms of digests without one, each of another length. Found once: every line of a list asks for one.
static USUAL: LazyLock<Vec<Algorithm>> = LazyLock::new(|| {
    let names = ["crc32", "md5", "sha1", "sha224", "sha256", "sha384", "sha512"];
    names.into_iter().filter_map(|name| Algorithm::from_name(name).ok()).collect()
});

/// Parses a digest whose algorithm the format does not name: the given algorithm, otherwise the likely or the usual one
/// of this length. Also returns whether it is a guess.
pub(crate) fn parse_unnamed_digest(options: ReadOptions, hex: &[u8], at: usize) -> Result<(Digest, bool), Fault> {
    if let Some(likely) = options.likely_algorithm.and_then(|algorithm| Digest::from_hex(algorithm, hex))
        && options.algorithm.is_none()
    {
        return Ok((likely, false));
    }
    let usual = || USUAL.iter().find(|algorithm| 2 * algorithm.digest_bytes() == hex.len()).copied();
    let unknown = Fault::field(at, "digest", FieldProblem::UnknownDigestLength);
    let algorithm = options.algorithm.or_else(usual).ok_or(unknown)?;
    let digest = Digest::from_hex(algorithm, hex).ok_or(Fault::digest(at))?;
    Ok((digest, options.algorithm.is_none()))
}

/// Fewest hexadecimal digits of a digest, unless its length is given.
pub(crate) const DIGEST_DIGITS_MIN: usize = 8;

/// As [`parse_unnamed_digest`], of all hexadecimal digits that a line begins with. A few of them begin a word.
pub(crate) fn parse_leading_digest(options: ReadOptions, hex: &[u8], at: usize) -> Result<(Digest, bool), Fault> {
    let parsed = parse_unnamed_digest(options, hex, at);
    match hex.len() {
        ..DIGEST_DIGITS_MIN => parsed.map_err(|_| Fault::shape(at, "a digest at the beginning of the line")),
        _ => parsed,
    }
}
