//! `pfh known export`.

use super::command::{Command, Reporting};
use super::exit::{Ending, Failed, Written};
use super::known_args::{ExportArguments, ExportFormat, LetterCase};
use super::message;
use super::output::interrupted;
use super::quantity::{Bytes, Count};
use super::reading;
use super::verdicts;
use super::written_list::{BUFFER_BYTES, Losses, WrittenList};
use pfh::HashRun;
use pfh_digest::{Algorithm, Digest};
use pfh_known::{BloomFilter, BloomShape, Class, ClassifiedSet, Classifier, Known, KnownSet, Text};
use pfh_record::{Encoding, Feature, FormatName, Metadata, Outcome, Record, Selection, WriteOptions};
use std::io::{self, BufWriter, Write};

/// Writes the entries of a set as a list, or as a Bloom filter.
pub(crate) fn run(arguments: &ExportArguments) -> Result<Ending, Failed> {
    let set = verdicts::open_set(&arguments.set)?;
    let is_empty = set.algorithms().all(|algorithm| set.len(algorithm) == 0);
    if is_empty && !arguments.allow_empty {
        return Err(Failed::usage("the set has no digests; --allow-empty exports it"));
    }
    let mut algorithms: Vec<Algorithm> = if arguments.algorithms.is_empty() {
        // Of some, all digests may have been deleted by deltas.
        set.algorithms().filter(|algorithm| is_empty || set.len(*algorithm) > 0).collect()
    } else {
        verdicts::set_algorithms(&arguments.algorithms)?
    };
    if let Some(absent) = algorithms.iter().find(|algorithm| !is_empty && set.len(**algorithm) == 0) {
        return Err(Failed::usage(format_args!("-a {absent}: the set has no digests by it")));
    }
    let list = match arguments.format {
        ExportFormat::List(format) => Some(format),
        ExportFormat::Digests | ExportFormat::Bloom => {
            if is_empty && arguments.algorithms.is_empty() {
                // Of no entry, any will do.
                algorithms = vec![Algorithm::from_name("sha1").map_err(Failed::usage)?];
            } else if arguments.format == ExportFormat::Bloom && arguments.algorithms.is_empty() {
                // The digest that the filters of hashlookup have.
                let is_alone = algorithms.len() == 1;
                algorithms.retain(|algorithm| is_alone || algorithm.name() == "sha1");
            }
            if algorithms.len() != 1 {
                return Err(Failed::usage("this format has digests of one algorithm: name one with -a"));
            }
            None
        }
    };
    // Before signals are listened to, so that Ctrl-C ends this, too.
    verdicts::refuse_damaged(&arguments.set, &set, &|| false)?;
    let mut classifier = Classifier::default();
    classifier.push(ClassifiedSet { name: Vec::new(), class: None, set });
    let reporting = Reporting { quiet: arguments.quiet, allow_empty: arguments.allow_empty, ..Reporting::DEFAULT };
    let mut command = Command::begin(reporting, None);
    command.without_totals();
    command.set_output(reading::open_output(arguments.output.as_deref(), [arguments.set.as_os_str()])?);
    command.name_output(if arguments.format == ExportFormat::Bloom { "filter" } else { "list" });
    let mut export = Export {
        set: &classifier.sets()[0].set,
        classifier: &classifier,
        arguments,
        algorithms: &algorithms,
        lost: Losses::new(LOST),
        entries: 0,
        command: &command,
    };
    let written = match list {
        Some(format) => export.list(format)?,
        None if arguments.format == ExportFormat::Bloom => export.bloom()?,
        None => export.digests(),
    };
    verdicts::refuse_changed(&arguments.set, &classifier.sets()[0].set)?;
    let (lost, entries) = (export.lost, export.entries);
    command.count_lines(lost.count(NOT_EXPRESSED));
    let ending = command.finish(written, entries, None)?;
    // Only what was written to its end is told.
    if !arguments.quiet && !ending.interrupted && ending.written == Written::Whole {
        message::error(format_args!(
            "written: {}; the list does not have the class and the source of any",
            Count(entries)
        ));
        lost.report();
    }
    Ok(ending)
}

/// A set on its way to a list.
struct Export<'a> {
    set: &'a KnownSet,
    classifier: &'a Classifier,
    arguments: &'a ExportArguments,
    algorithms: &'a [Algorithm],
    lost: Losses,
    /// Entries that were written.
    entries: u64,
    command: &'a Command,
}

const DIGESTS: &str = "have digests by other algorithms too, which it lacks";
const WITHOUT_DIGEST: &str = "have no digest by the wanted algorithms, and are left out";
const NAMES: &str = "have a name, which it lacks";
const SIZES: &str = "have a size, which it lacks";
const PRODUCTS: &str = "have a product, which it lacks";
const CATEGORIES: &str = "have a category, which it lacks";
const UNNAMED: &str = "have no name in the set; their digest stands for it";
const NOT_EXPRESSED: &str = "cannot be expressed in this format, and are left out";

/// The facts of a set that a list lacks.
const LOST: &[&str] = &[DIGESTS, WITHOUT_DIGEST, NAMES, SIZES, PRODUCTS, CATEGORIES, UNNAMED, NOT_EXPRESSED];

impl Export<'_> {
    /// Whether an entry is of a wanted class.
    fn is_wanted(&self, entry: u64) -> io::Result<bool> {
        if self.command.cancel().is_cancelled() {
            return Err(interrupted());
        }
        let only = &self.arguments.only;
        if only.is_empty() {
            return Ok(true);
        }
        let Known { class, .. } = self.classifier.known(0, entry)?;
        Ok(only.iter().any(|one| Class::from(*one) == class))
    }

    fn list(&mut self, format: FormatName) -> Result<io::Result<()>, Failed> {
        let selection: Selection = self.algorithms.into();
        let mut options = WriteOptions::default();
        if self.arguments.letters == Some(LetterCase::Upper) {
            options.encoding = Encoding::UpperHexadecimal;
        }
        let mut facts = HashRun::new([]).map_err(Failed::usage)?.facts();
        facts.selection = selection;
        let mut list = WrittenList::begin(format, &facts, &options, self.command.output()).map_err(Failed::usage)?;
        let mut record = Record::new("", Outcome::Complete);
        let keeps_size = format.keeps(Feature::Size);
        let written = self.set.each_entry(self.arguments.memory, |entry, digests| {
            if !self.is_wanted(entry)? {
                return Ok(());
            }
            record.digests.clear();
            let wanted = |algorithm: &Algorithm| digests.iter().find(|digest| digest.algorithm() == *algorithm);
            record.digests.extend(self.algorithms.iter().filter_map(wanted));
            let Some(first) = record.digests.first() else {
                self.lost.note(WITHOUT_DIGEST, true);
                return Ok(());
            };
            let name = self.set.text(Text::Name, entry)?;
            let is_named = !name.is_empty();
            record.path = if is_named { name } else { first.to_string().into_bytes() };
            let size = self.set.size(entry)?;
            record.metadata = size.map(|size| Metadata::new(size, None));
            record.bytes_read = size.unwrap_or(0);
            record.is_size_known = size.is_some();
            if list.record(&record)?.is_err() {
                self.lost.note(NOT_EXPRESSED, true);
                return Ok(());
            }
            self.entries += 1;
            self.lost.note(UNNAMED, !is_named);
            self.lost.note(DIGESTS, digests.len() > record.digests.len());
            self.lost.note(SIZES, !keeps_size && size.is_some());
            self.note_texts(entry)
        });
        Ok(written.and_then(|()| list.end()))
    }

    fn digests(&mut self) -> io::Result<()> {
        let mut output = BufWriter::with_capacity(BUFFER_BYTES, self.command.output());
        self.each_digest(|text| {
            output.write_all(text)?;
            output.write_all(b"\n")
        })?;
        output.flush()
    }

    fn bloom(&mut self) -> Result<io::Result<()>, Failed> {
        let capacity = self.set.len(self.algorithms[0]);
        let shape = BloomShape::new(capacity.max(1), self.arguments.probability)
            .ok_or_else(|| Failed::usage("--probability: give a number between 0 and 1, such as 0.0001"))?;
        if shape.memory_bytes() > self.arguments.memory {
            return Err(Failed::usage(format_args!(
                "the filter takes {} of memory, more than -m allows; allow more, or a greater --probability",
                Bytes(shape.memory_bytes())
            )));
        }
        let mut filter = BloomFilter::new(shape).map_err(|error| Failed::internal(error.to_string()))?;
        let filled = self.each_digest(|text| {
            filter.insert(text);
            Ok(())
        });
        let mut output = BufWriter::with_capacity(BUFFER_BYTES, self.command.output());
        Ok(filled.and_then(|()| filter.write(&mut output, Some(self.algorithms[0]))).and_then(|()| output.flush()))
    }

    /// Calls `each` with every different digest of the algorithm, in hexadecimal.
    fn each_digest(&mut self, mut each: impl FnMut(&[u8]) -> io::Result<()>) -> io::Result<()> {
        let is_bloom = self.arguments.format == ExportFormat::Bloom;
        let is_upper = match self.arguments.letters {
            Some(letters) => letters == LetterCase::Upper,
            // As in the filters of hashlookup.
            None => is_bloom,
        };
        let (set, algorithm) = (self.set, self.algorithms[0]);
        let (mut text, mut last) = (Vec::new(), None);
        // Without a report, nobody asks for it.
        let mut without_digest = if self.arguments.quiet { 0 } else { self.wanted_entries()? };
        set.each(algorithm, |entry, digest| {
            if !self.is_wanted(entry)? {
                return Ok(());
            }
            if !self.arguments.quiet {
                without_digest = without_digest.saturating_sub(1);
                self.lost.note(DIGESTS, set.algorithms_of(entry) > 1);
                self.lost.note(NAMES, !set.text(Text::Name, entry)?.is_empty());
                self.lost.note(SIZES, set.size(entry)?.is_some());
                self.note_texts(entry)?;
            }
            let digest = Digest::new(algorithm, digest);
            if let (Some(digest), true) = (digest, last != digest) {
                last = Some(digest);
                text.clear();
                digest.push_hex(&mut text);
                if is_upper {
                    text.make_ascii_uppercase();
                }
                each(&text)?;
                self.entries += 1;
            }
            Ok(())
        })?;
        self.lost.add(WITHOUT_DIGEST, without_digest);
        Ok(())
    }

    /// Returns the number of entries of wanted classes.
    fn wanted_entries(&self) -> io::Result<u64> {
        if self.arguments.only.is_empty() {
            return Ok(self.set.entries());
        }
        let mut entries = 0;
        for entry in 0..self.set.entries() {
            entries += u64::from(self.is_wanted(entry)?);
        }
        Ok(entries)
    }

    /// Counts the texts of an entry that no list has.
    fn note_texts(&mut self, entry: u64) -> io::Result<()> {
        self.lost.note(PRODUCTS, !self.set.text(Text::Product, entry)?.is_empty());
        self.lost.note(CATEGORIES, !self.set.text(Text::Category, entry)?.is_empty());
        Ok(())
    }
}
