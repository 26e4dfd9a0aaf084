//! Reading of lists: one door to all formats.

mod decoded;
mod detect;
mod error;
mod lines;

use std::collections::VecDeque;
use std::io::BufRead;

use pfh_digest::Algorithm;
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
use crate::{Entry, FormatName, Header, ListEnd, Trailer};

/// Longest line that is read by default, in bytes. A path is rarely longer than 4 KiB, escaped twice that.
pub const LINE_BYTES_MAX: usize = 1 << 20;

/// Longest JSON line and longest DFXML file object that are read by default, in bytes: at some 150 bytes for each piece
/// of a file it holds 400,000 pieces.
pub const OBJECT_BYTES_MAX: usize = 64 << 20;

/// How a list is to be read.
#[derive(Clone, Copy, Debug, Default)]
pub struct ReadOptions {
    /// The algorithm of digests that the list does not name. Default: by length, 8 hexadecimal digits CRC-32, 32 MD5,
    /// 40 SHA-1, 56 SHA-224, 64 SHA-256, 96 SHA-384, 128 SHA-512.
    pub algorithm: Option<Algorithm>,
    /// The algorithm of digests that the list does not name, as far as they have its length and `algorithm` is not
    /// given.
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

/// Entries that were read and are not yet handed out, with header and trailer.
pub(crate) struct Found {
    entries: VecDeque<Entry>,
    pub(crate) header: Header,
    /// As far as is known: it counts once the input has ended.
    pub(crate) trailer: Trailer,
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
        }
    }

    pub(crate) fn push(&mut self, entry: Entry) {
        self.entries.push_back(entry);
    }
}

/// What reads one line of a format.
pub(crate) trait LineParser: Send {
    /// Appends what the line lists: nothing for comments and the like. Lines of the header and of the trailer change
    /// those.
    fn line(&mut self, line: Line<'_>, found: &mut Found) -> Result<(), Fault>;

    /// Says whether the input as a whole was what it should be.
    fn end(&mut self, _found: &mut Found) -> Result<(), Fault> {
        Ok(())
    }
}

/// Iterates over a list in any format. A line that cannot be read is an error, and the next call goes on with the line
/// after it, unless [`ReadError::is_fatal`] says that this was the end. Memory: one line and what it lists.
pub struct Reader<R> {
    input: Input<R>,
    found: Found,
    /// The error that stopped the search for the first entry, and is still to be handed out.
    failed: Option<ReadError>,
    /// An entry or an error was found, so that the header is over.
    begun: bool,
    ended: bool,
}

enum Input<R> {
    Lines { lines: Lines<Decoded<R>>, parser: Box<dyn LineParser> },
    Dfxml(Box<DfxmlReader<Decoded<R>>>),
}

impl<R: BufRead> Reader<R> {
    /// Reads `input` as `format`. `gnu` and `bsd` read each other's lines, and OpenSSL's. A byte-order mark of UTF-8 is
    /// passed over; an input that begins with one of UTF-16 is decoded, and offsets are then those of the text in
    /// UTF-8.
    pub fn new(format: FormatName, input: R, options: ReadOptions) -> Reader<R> {
        let line_bytes_max = options.line_bytes_max.unwrap_or(match format {
            FormatName::Csv | FormatName::Jsonl | FormatName::Dfxml => OBJECT_BYTES_MAX,
            FormatName::Similarity(Family::Sdhash | Family::MrshV2) => OBJECT_BYTES_MAX,
            _ => LINE_BYTES_MAX,
        });
        let found = Found::new(format);
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
                return Reader { input, found, failed: None, begun: false, ended: false };
            }
        };
        Reader { input: Input::Lines { lines, parser }, found, failed: None, begun: false, ended: false }
    }

    /// The header: reads on until the first entry, which is where headers end. What an entry contradicts is not changed
    /// later.
    pub fn header(&mut self) -> &Header {
        while !self.begun && !self.ended {
            self.failed = self.read_on().err();
        }
        &self.found.header
    }

    /// The trailer, once the iteration has ended; before that it is not known.
    pub fn trailer(&self) -> Option<&Trailer> {
        let is_over = self.ended && self.failed.is_none() && self.found.entries.is_empty();
        is_over.then_some(&self.found.trailer)
    }

    /// Reads one line, or one event of markup. `Ok(false)` at the end.
    fn advance(&mut self) -> Result<bool, ReadError> {
        match &mut self.input {
            Input::Dfxml(reader) => reader.next(&mut self.found),
            Input::Lines { lines, parser } => {
                let Some(line) = lines.next()? else {
                    return parser.end(&mut self.found).map(|()| false).map_err(|fault| lines.error(fault));
                };
                let parsed = parser.line(line, &mut self.found);
                parsed.map(|()| true).map_err(|fault| lines.error(fault))
            }
        }
    }

    /// As [`Reader::advance`], and keeps account of where header and list end.
    fn read_on(&mut self) -> Result<(), ReadError> {
        let advanced = self.advance();
        self.begun |= advanced.is_err() || !self.found.entries.is_empty();
        match advanced {
            Ok(true) => Ok(()),
            Ok(false) => {
                self.ended = true;
                Ok(())
            }
            Err(error) => {
                self.ended = error.is_fatal();
                if self.ended {
                    self.found.trailer = Trailer::new(ListEnd::CutOff);
                }
                self.found.entries.clear();
                Err(error)
            }
        }
    }
}

impl<R: BufRead> Iterator for Reader<R> {
    type Item = Result<Entry, ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(error) = self.failed.take() {
                return Some(Err(error));
            }
            if let Some(entry) = self.found.entries.pop_front() {
                return Some(Ok(entry));
            }
            if self.ended {
                return None;
            }
            self.failed = self.read_on().err();
        }
    }
}
