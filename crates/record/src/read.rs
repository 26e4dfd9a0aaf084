//! Reading of lists in all formats.

mod decoded;
mod detect;

use std::io::BufRead;

use pfh_similarity::Family;

use decoded::Decoded;
pub use detect::{detect, is_null_terminated, other_file, table_columns, unnamed_digits};

use crate::avp::{AvpParser, AvpReportParser};
use crate::bagit::BagitParser;
use crate::csv::CsvParser;
use crate::dfxml::DfxmlReader;
use crate::encase::EncaseReader;
use crate::gnu::GnuParser;
use crate::hashdb::HashdbParser;
use crate::hashdeep::HashdeepParser;
use crate::imager::ImagerParser;
use crate::jsonl::JsonlParser;
use crate::md5deep::Md5deepParser;
use crate::ocfl::OcflReader;
use crate::parse::{Found, LINE_BYTES_MAX, LineParser, Lines, OBJECT_BYTES_MAX};
use crate::sfv::SfvParser;
use crate::similarity::SimilarityParser;
use crate::sleuthkit::SleuthKitParser;
use crate::table::TableParser;
use crate::vics::VicsReader;
use crate::{
    Columns, Entry, FixityList, FormatName, Header, KnownList, ListEnd, ReadError, ReadErrorKind, ReadOptions, Trailer,
};

/// Iterates over a list in any format. A line that cannot be read is an error, and the next call continues with the
/// line after it, unless [`ReadError::is_fatal`]. Memory: one line and its entries.
pub struct Reader<R> {
    input: Input<R>,
    found: Found,
    /// Whether the first entry was lent, and is to be dropped.
    is_lent: bool,
    /// The error that ended the search for the first entry, yet to be returned.
    failed: Option<ReadError>,
    /// Whether an entry or an error was found, which ends the header.
    begun: bool,
    ended: bool,
}

enum Input<R> {
    Lines { lines: Lines<Decoded<R>>, parser: Box<dyn LineParser> },
    Dfxml(Box<DfxmlReader<Decoded<R>>>),
    Encase(Box<EncaseReader<Decoded<R>>>),
    Vics(Box<VicsReader<Decoded<R>>>),
    Ocfl(Box<OcflReader<Decoded<R>>>),
}

impl<R: BufRead> Reader<R> {
    /// Reads `input` as `format`. `gnu` and `bsd` also read each other's lines, and OpenSSL's. A byte-order mark of
    /// UTF-8 is skipped. An input that begins with one of UTF-16 is decoded, and offsets are then those of the text in
    /// UTF-8. Neither is done for [`ReadOptions::coreutils`].
    pub fn new(format: FormatName, input: R, options: ReadOptions) -> Reader<R> {
        let line_bytes_max = options.line_bytes_max.unwrap_or(match format {
            FormatName::Csv | FormatName::Jsonl | FormatName::Dfxml => OBJECT_BYTES_MAX,
            FormatName::Similarity(Family::Sdhash | Family::MrshV2) => OBJECT_BYTES_MAX,
            FormatName::Known(KnownList::Hashdb) => OBJECT_BYTES_MAX,
            _ => LINE_BYTES_MAX,
        });
        let is_exact = options.coreutils.is_some();
        let input = if is_exact { Decoded::unchanged(input) } else { Decoded::new(input) };
        let terminator = if options.null_terminated { 0 } else { b'\n' };
        let line_feed = |input| Lines::new(input, b'\n', line_bytes_max);
        let (lines, parser): (_, Box<dyn LineParser>) = match format {
            FormatName::Gnu | FormatName::Bsd => {
                let lines = Lines::new(input, terminator, line_bytes_max);
                (if is_exact { lines.with_mark() } else { lines }, Box::new(GnuParser::new(options)))
            }
            FormatName::Md5deep(form) => {
                (Lines::new(input, terminator, line_bytes_max), Box::new(Md5deepParser::new(form, options)))
            }
            FormatName::Hashdeep => (line_feed(input), Box::new(HashdeepParser::new(options))),
            FormatName::Sfv => (line_feed(input), Box::new(SfvParser::new(options))),
            FormatName::Csv => (line_feed(input).with_quotes(b","), Box::<CsvParser>::default()),
            FormatName::Jsonl => (line_feed(input), Box::new(JsonlParser::new(options))),
            FormatName::Similarity(family) => (line_feed(input), Box::new(SimilarityParser::new(family))),
            FormatName::Known(KnownList::SleuthKit) => (line_feed(input), Box::<SleuthKitParser>::default()),
            FormatName::Known(KnownList::Hashdb) => (line_feed(input), Box::new(HashdbParser::new(options))),
            FormatName::Known(
                list @ (KnownList::Nsrl | KnownList::HashKeeper | KnownList::ILook | KnownList::Icse),
            ) => (line_feed(input), Box::new(TableParser::known(list, options))),
            FormatName::Fixity(FixityList::Bagit) => {
                (line_feed(input).with_carriage_returns(), Box::new(BagitParser::new(options)))
            }
            FormatName::Fixity(FixityList::Avp) => (line_feed(input), Box::<AvpParser>::default()),
            FormatName::Fixity(FixityList::AvpReport) => (line_feed(input), Box::<AvpReportParser>::default()),
            FormatName::Fixity(FixityList::Imager) => (line_feed(input), Box::<ImagerParser>::default()),
            FormatName::Fixity(FixityList::Ocfl) => {
                return Reader::of(format, Input::Ocfl(Box::new(OcflReader::new(input, line_bytes_max))));
            }
            FormatName::Dfxml => {
                return Reader::of(format, Input::Dfxml(Box::new(DfxmlReader::new(input, line_bytes_max))));
            }
            FormatName::Known(KnownList::Encase) => {
                return Reader::of(format, Input::Encase(Box::new(EncaseReader::new(input))));
            }
            FormatName::Known(KnownList::Vics) => {
                return Reader::of(format, Input::Vics(Box::new(VicsReader::new(input, line_bytes_max))));
            }
        };
        Reader::of(format, Input::Lines { lines, parser })
    }

    /// Reads `input` as a table whose columns are given (RFC 4180 but for the separator). Its format is `csv`.
    pub fn with_columns(columns: Columns, input: R, options: ReadOptions) -> Reader<R> {
        let line_bytes_max = options.line_bytes_max.unwrap_or(LINE_BYTES_MAX);
        let lines = Lines::new(Decoded::new(input), b'\n', line_bytes_max).with_quotes(columns.separators());
        let parser = Box::new(TableParser::with_columns(columns, options));
        Reader::of(FormatName::Csv, Input::Lines { lines, parser })
    }

    fn of(format: FormatName, input: Input<R>) -> Reader<R> {
        Reader { input, found: Found::new(format), is_lent: false, failed: None, begun: false, ended: false }
    }

    /// Returns the header, after reading up to the first entry, where headers end. Later entries do not change it, even
    /// if they contradict it.
    pub fn header(&mut self) -> &Header {
        while !self.begun && !self.ended {
            self.failed = self.read_on().err();
        }
        &self.found.header
    }

    /// Returns the trailer once the iteration has ended, and `None` before.
    pub fn trailer(&self) -> Option<&Trailer> {
        let is_over = self.ended && self.failed.is_none() && !self.found.has_entry();
        is_over.then_some(&self.found.trailer)
    }

    /// Lends the next entry or error of the iteration. An entry is large, so this is faster for callers who keep little
    /// of it.
    pub fn next_entry(&mut self) -> Option<Result<&mut Entry, ReadError>> {
        if std::mem::take(&mut self.is_lent) {
            self.found.entries.drain(..1);
        }
        loop {
            if let Some(error) = self.failed.take() {
                return Some(Err(error));
            }
            if self.found.has_entry() {
                self.is_lent = true;
                return self.found.first().map(Ok);
            }
            if self.ended {
                return None;
            }
            self.failed = self.read_on().err();
        }
    }

    /// Reads one line, or one event of markup. Returns `Ok(false)` at the end.
    fn advance(&mut self) -> Result<bool, ReadError> {
        match &mut self.input {
            Input::Dfxml(reader) => reader.next(&mut self.found),
            Input::Encase(reader) => reader.next(&mut self.found),
            Input::Vics(reader) => reader.next(&mut self.found),
            Input::Ocfl(reader) => reader.next(&mut self.found),
            Input::Lines { lines, parser } => {
                let Some(line) = lines.next()? else {
                    return parser.end(&mut self.found).map(|()| false).map_err(|fault| lines.error(fault));
                };
                let parsed = parser.line(line, &mut self.found);
                if let Some(separator) = self.found.separator.take() {
                    lines.set_separator(separator);
                }
                parsed.map(|()| true).map_err(|fault| lines.error(fault))
            }
        }
    }

    /// Calls [`Reader::advance`] and notes where header and list end.
    fn read_on(&mut self) -> Result<(), ReadError> {
        let advanced = self.advance();
        self.begun |= advanced.is_err() || self.found.has_entry();
        match advanced {
            Ok(true) => Ok(()),
            Ok(false) => {
                self.ended = true;
                Ok(())
            }
            Err(error) => {
                self.ended = error.is_fatal();
                // Another file has no end of this format.
                let is_other = matches!(error.kind, ReadErrorKind::NotThisFormat { .. });
                if self.ended && !is_other {
                    self.found.trailer = Trailer::new(ListEnd::CutOff);
                }
                self.found.clear();
                Err(error)
            }
        }
    }
}

impl<R: BufRead> Iterator for Reader<R> {
    type Item = Result<Entry, ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        if let Err(error) = self.next_entry()? {
            return Some(Err(error));
        }
        self.is_lent = false;
        self.found.entries.pop_front().map(Ok)
    }
}
