//! Lists that commands make of what they know already, without hashing: their writing, and the account of what is lost.

use super::message;
use super::output::SharedOutput;
use super::quantity::Count;
use pfh_record::{Format, FormatError, FormatName, NotExpressible, Record, RunFacts, Summary, WriteOptions};
use std::io::{self, Write as _};

/// Bytes of a list that are written together.
pub(crate) const BUFFER_BYTES: usize = 1 << 18;

/// A list that is being written.
pub(crate) struct WrittenList {
    writer: Box<dyn Format>,
    output: SharedOutput,
    /// Bytes that were not given to the output yet.
    waiting: Vec<u8>,
    /// The counts for the end of the list.
    pub(crate) summary: Summary,
}

impl WrittenList {
    /// Begins a list.
    ///
    /// # Errors
    /// [`FormatError`] if the format cannot list the digests of `facts`.
    pub(crate) fn begin(
        format: FormatName,
        facts: &RunFacts,
        options: &WriteOptions,
        output: SharedOutput,
    ) -> Result<WrittenList, FormatError> {
        let writer = format.writer(&facts.selection, options)?;
        let mut waiting = Vec::new();
        writer.header(facts, &mut waiting);
        Ok(WrittenList { writer, output, waiting, summary: Summary::default() })
    }

    /// Appends a record and counts it. Returns the reason if the format cannot express it.
    pub(crate) fn record(&mut self, record: &Record) -> io::Result<Result<(), NotExpressible>> {
        let written = self.writer.record(record, &mut self.waiting);
        if written.is_ok() {
            self.summary.count(record);
        }
        if self.waiting.len() > BUFFER_BYTES {
            self.output.write_all(&std::mem::take(&mut self.waiting))?;
        }
        Ok(written)
    }

    /// Appends the end of the list.
    pub(crate) fn end(mut self) -> io::Result<()> {
        self.writer.footer(&self.summary, &mut self.waiting);
        self.output.write_all(&self.waiting)
    }
}

/// Number of names that are reported as examples of a loss.
const EXAMPLES_MAX: usize = 3;

/// The account of what entries have and the list lacks: a number of entries for each kind of loss.
pub(crate) struct Losses {
    /// The kinds, in the order of the report: words that follow the number.
    kinds: &'static [&'static str],
    lost: Vec<(u64, Vec<Vec<u8>>)>,
}

impl Losses {
    pub(crate) fn new(kinds: &'static [&'static str]) -> Losses {
        Losses { kinds, lost: kinds.iter().map(|_| (0, Vec::new())).collect() }
    }

    /// Counts an entry for a kind of loss, if `is_lost`. `kind` is one of the words of [`Losses::new`].
    pub(crate) fn note(&mut self, kind: &'static str, is_lost: bool) {
        self.note_example(kind, is_lost, None);
    }

    /// As [`Losses::note`], and keeps the first names as examples.
    pub(crate) fn note_example(&mut self, kind: &'static str, is_lost: bool, example: Option<&[u8]>) {
        if let (true, Some(at)) = (is_lost, self.kinds.iter().position(|one| *one == kind)) {
            let (count, examples) = &mut self.lost[at];
            *count += 1;
            examples.extend(example.filter(|_| *count <= EXAMPLES_MAX as u64).map(<[u8]>::to_vec));
        }
    }

    /// Adds to the number of a kind.
    pub(crate) fn add(&mut self, kind: &'static str, entries: u64) {
        if let Some(at) = self.kinds.iter().position(|one| *one == kind) {
            self.lost[at].0 += entries;
        }
    }

    /// Returns the number of a kind.
    pub(crate) fn count(&self, kind: &'static str) -> u64 {
        self.kinds.iter().position(|one| *one == kind).map_or(0, |at| self.lost[at].0)
    }

    /// Reports every kind with a number.
    pub(crate) fn report(&self) {
        let lost = self.kinds.iter().zip(&self.lost).filter(|(_, (count, _))| *count > 0);
        for (kind, (count, examples)) in lost {
            let names: Vec<String> = examples.iter().map(|name| message::quoted(name)).collect();
            let more = if *count > names.len() as u64 { ", …" } else { "" };
            let names = if names.is_empty() { String::new() } else { format!(": {}{more}", names.join(", ")) };
            message::error(format_args!("entries: {} {kind}{names}", Count(*count)));
        }
    }
}
