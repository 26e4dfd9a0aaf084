//! Lists that commands make of what they know already, without hashing: their writing, and the account of what is lost.

use super::exit::Failed;
use super::message;
use super::output::SharedOutput;
use super::quantity::Count;
use pfh::HashRun;
use pfh_digest::{Algorithm, Digest};
use pfh_record::{
    Conversion, DigestKind, Format, FormatError, FormatName, NotExpressible, Record, RunFacts, Selection, Summary,
    WriteOptions,
};
use std::io::{self, Write as _};

/// Bytes of a list that are written together.
pub(crate) const BUFFER_BYTES: usize = 1 << 18;

/// Returns what this run of the program states in a list about its making.
pub(crate) fn conversion() -> Result<Conversion, Failed> {
    let own = HashRun::new([]).map_err(Failed::usage)?.facts();
    Ok(Conversion {
        program: own.program,
        program_version: own.program_version,
        command_line: own.command_line,
        started: own.started,
    })
}

/// Returns those of the digests that the format has a place for.
///
/// # Errors
/// [`FormatError`] if it has a place for none.
pub(crate) fn fitting(
    mut selection: Selection,
    format: FormatName,
    options: &WriteOptions,
) -> Result<Selection, FormatError> {
    let whole = selection.clone();
    loop {
        let without = match format.check(&selection, options) {
            Err(FormatError::Algorithm { algorithm, .. }) => without(&selection, algorithm.into()),
            Err(FormatError::NoSimilarity { family, .. }) => without(&selection, family.into()),
            Err(FormatError::OneFamily { family }) if selection.families().contains(&family) => Selection::from(family),
            _ => return Ok(selection),
        };
        if without.is_empty() {
            // The reason names all that was to be listed.
            return format.check(&whole, options).map(|()| without);
        }
        selection = without;
    }
}

fn without(selection: &Selection, kind: DigestKind) -> Selection {
    let algorithms = selection.algorithms().iter().map(|one| DigestKind::from(*one));
    let families = selection.families().iter().map(|one| DigestKind::from(*one));
    algorithms.chain(families).filter(|one| *one != kind).collect()
}

/// Returns the digests by these algorithms, in their order.
pub(crate) fn selected(algorithms: &[Algorithm], digests: &[Digest]) -> Vec<Digest> {
    let by = |algorithm: &Algorithm| digests.iter().find(|digest| digest.algorithm() == *algorithm).copied();
    algorithms.iter().filter_map(by).collect()
}

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

/// Kinds of loss that several commands report.
pub(crate) const DIGESTS: &str = "have other digests too, which the list lacks";
pub(crate) const SIZE: &str = "have a size, which the list lacks";
pub(crate) const MODIFIED: &str = "have a time of modification, which the list lacks";
pub(crate) const WITHOUT: &str = "have none of these digests, and are left out";
pub(crate) const NOT_EXPRESSED: &str = "cannot be expressed in this format, and are left out";

/// Most reasons that are reported for entries that the format cannot express, and for those that contradict others.
pub(crate) const REASONS_MAX: u64 = 10;

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

    /// Counts an entry that the format cannot express, and reports the first reasons unless `quiet`.
    pub(crate) fn refuse(&mut self, path: &[u8], reason: &str, quiet: bool) {
        self.note(NOT_EXPRESSED, true);
        if !quiet && self.count(NOT_EXPRESSED) <= REASONS_MAX {
            message::error(format_args!("{}: {reason}", message::quoted(path)));
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
