//! Reading of lists: one door to all formats.

mod decoded;
mod detect;
mod error;
mod lines;

use std::collections::VecDeque;
use std::io::BufRead;

use pfh_digest::{Algorithm, Digest};
use pfh_similarity::Family;

use decoded::Decoded;
pub use detect::{detect, unnamed_digits};
pub(crate) use error::Fault;
pub use error::{ReadError, ReadErrorKind};
pub(crate) use lines::{Line, Lines};

use crate::csv::CsvParser;
use crate::dfxml::DfxmlReader;
use crate::gnu::GnuParser;
use crate::hashdeep::HashdeepParser;
use crate::jsonl::JsonlParser;
use crate::md5deep::Md5deepParser;
use crate::sfv::SfvParser;
use crate::similarity::SimilarityParser;
use crate::{FormatName, Timestamp};

/// Longest line that is read by default, in bytes. A path is rarely longer than 4 KiB, escaped twice that.
pub const LINE_BYTES_MAX: usize = 1 << 20;

/// Longest JSON line and longest DFXML file object that are read by default, in bytes: at some 150 bytes for each piece
/// of a file it holds 400,000 pieces.
pub const OBJECT_BYTES_MAX: usize = 64 << 20;

/// One file, or one piece of a file, as a list has it.
#[derive(Clone, Debug, PartialEq)]
pub struct Listed {
    /// The path, raw bytes. Empty where the list has a digest without a name.
    pub path: Vec<u8>,
    /// Size of the file in bytes (of a piece: see `piece`).
    pub size: Option<u64>,
    /// Last modification.
    pub mtime: Option<Timestamp>,
    /// Last change of the inode.
    pub ctime: Option<Timestamp>,
    /// What the list says of the contents. Empty where it names a file that has no digest, as one that was unreadable.
    pub digests: Vec<Digest>,
    /// Whether nothing named the algorithm of the digests, so that it is the usual one of their length.
    pub algorithm_guessed: bool,
    /// Similarity digests, without names in their texts.
    pub similarities: Vec<pfh_similarity::Digest>,
    /// The part of the file that the digests are of; absent for the whole file.
    pub piece: Option<PieceRange>,
    /// The line it began on, counted from 1 (the record, in a NUL-terminated list).
    pub line: u64,
}

/// A part of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PieceRange {
    /// First byte.
    pub offset: u64,
    /// Length in bytes.
    pub length: u64,
}

impl Listed {
    /// An entry of which only path, digests and line are known.
    pub(crate) fn new(path: Vec<u8>, digests: Vec<Digest>, line: u64) -> Listed {
        Listed {
            path,
            size: None,
            mtime: None,
            ctime: None,
            digests,
            algorithm_guessed: false,
            similarities: Vec::new(),
            piece: None,
            line,
        }
    }

    /// Takes ` offset START-END` off the path where it is there, and makes it the piece. The end is inclusive, and an
    /// empty piece is written `0-0`: `is_empty` decides between that and one byte.
    pub(crate) fn split_piece(&mut self, is_empty: bool) {
        let Some((name_bytes, offset, end)) = piece_suffix(&self.path) else { return };
        let length = if is_empty && (offset, end) == (0, 0) { 0 } else { end - offset + 1 };
        self.path.truncate(name_bytes);
        self.piece = Some(PieceRange { offset, length });
        self.size = None;
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

/// How a list is to be read.
#[derive(Clone, Copy, Debug, Default)]
pub struct ReadOptions {
    /// The algorithm of digests that the list does not name. Default: by length, 8 hexadecimal digits CRC-32, 32 MD5,
    /// 40 SHA-1, 56 SHA-224, 64 SHA-256, 96 SHA-384, 128 SHA-512.
    pub algorithm: Option<Algorithm>,
    /// The algorithm of digests that the list does not name, as far as they have its length and `algorithm` is not given.
    pub likely_algorithm: Option<Algorithm>,
    /// Records end with NUL, and nothing is escaped (`gnu`, `bsd`, `md5deep`).
    pub null_terminated: bool,
    /// Names that end with ` offset START-END` stand for pieces (`gnu`, `bsd`, `hashdeep`, `md5deep`; the other formats
    /// say so themselves).
    pub piecewise: bool,
    /// Longest line to accept, in bytes. Default: [`LINE_BYTES_MAX`], and [`OBJECT_BYTES_MAX`] where lists of pieces or
    /// long similarity digests may stand: in CSV, JSON Lines, DFXML and the lists of sdhash and mrsh-v2.
    pub line_bytes_max: Option<usize>,
}

/// What reads one line of a format.
pub(crate) trait LineParser: Send {
    /// Appends what the line lists: nothing for comments and the like.
    fn line(&mut self, line: Line<'_>, found: &mut VecDeque<Listed>) -> Result<(), Fault>;

    /// Says whether the input as a whole was what it should be.
    fn end(&mut self) -> Result<(), Fault> {
        Ok(())
    }
}

/// Iterates over a list in any format. A line that cannot be read is an error, and the next call goes on with the line
/// after it, unless [`ReadError::is_fatal`] says that this was the end. Memory: one line and what it lists.
pub struct Reader<R> {
    input: Input<R>,
    found: VecDeque<Listed>,
    ended: bool,
}

enum Input<R> {
    Lines { lines: Lines<Decoded<R>>, parser: Box<dyn LineParser> },
    Dfxml(Box<DfxmlReader<Decoded<R>>>),
}

impl<R: BufRead> Reader<R> {
    /// Reads `input` as `format`. `gnu` and `bsd` read each other's lines, and OpenSSL's. A byte-order mark of UTF-8 is passed
    /// over; an input that begins with one of UTF-16 is decoded, and offsets are then those of the text in UTF-8.
    pub fn new(format: FormatName, input: R, options: ReadOptions) -> Reader<R> {
        let line_bytes_max = options.line_bytes_max.unwrap_or(match format {
            FormatName::Csv | FormatName::Jsonl | FormatName::Dfxml => OBJECT_BYTES_MAX,
            FormatName::Similarity(Family::Sdhash | Family::MrshV2) => OBJECT_BYTES_MAX,
            _ => LINE_BYTES_MAX,
        });
        let input = Decoded::new(input);
        let terminator = if options.null_terminated { 0 } else { b'\n' };
        let line_feed = |input| Lines::new(input, b'\n', line_bytes_max);
        let (lines, parser): (_, Box<dyn LineParser>) = match format {
            FormatName::Gnu | FormatName::Bsd => {
                (Lines::new(input, terminator, line_bytes_max), Box::new(GnuParser::new(options)))
            }
            FormatName::Md5deep(form) => {
                (Lines::new(input, terminator, line_bytes_max), Box::new(Md5deepParser::new(form, options)))
            }
            FormatName::Hashdeep => (line_feed(input), Box::new(HashdeepParser::new(options))),
            FormatName::Sfv => (line_feed(input), Box::new(SfvParser::new(options))),
            FormatName::Csv => (line_feed(input).with_quotes(), Box::<CsvParser>::default()),
            FormatName::Jsonl => (line_feed(input), Box::<JsonlParser>::default()),
            FormatName::Similarity(family) => (line_feed(input), Box::new(SimilarityParser::new(family))),
            FormatName::Dfxml => {
                let input = Input::Dfxml(Box::new(DfxmlReader::new(input, line_bytes_max)));
                return Reader { input, found: VecDeque::new(), ended: false };
            }
        };
        Reader { input: Input::Lines { lines, parser }, found: VecDeque::new(), ended: false }
    }

    /// Reads on until something is found. `Ok(false)` at the end.
    fn advance(&mut self) -> Result<bool, ReadError> {
        match &mut self.input {
            Input::Dfxml(reader) => reader.next(&mut self.found),
            Input::Lines { lines, parser } => {
                let Some(line) = lines.next()? else {
                    return parser.end().map(|()| false).map_err(|fault| lines.error(fault));
                };
                let parsed = parser.line(line, &mut self.found);
                parsed.map(|()| true).map_err(|fault| lines.error(fault))
            }
        }
    }
}

impl<R: BufRead> Iterator for Reader<R> {
    type Item = Result<Listed, ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        while !self.ended {
            if let Some(listed) = self.found.pop_front() {
                return Some(Ok(listed));
            }
            match self.advance() {
                Ok(true) => {}
                Ok(false) => self.ended = true,
                Err(error) => {
                    self.ended = error.is_fatal();
                    self.found.clear();
                    return Some(Err(error));
                }
            }
        }
        self.found.pop_front().map(Ok)
    }
}
