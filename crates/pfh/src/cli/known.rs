//! `pfh known`.

use super::command::{Command, Reporting};
use super::exit::{Ending, Failed};
use super::known_args::{
    BuildArguments, CheckArguments, InfoArguments, KeepArgument, KnownArguments, KnownCommand, LookupArguments,
};
use super::lists::{self, BrokenLines, Loaded};
use super::message;
use super::quantity::{Bytes, Count};
use super::reading;
use super::verdicts::{self, Counts, Verdict, VerdictWriter};
use pfh_digest::{Algorithm, Digest};
use pfh_known::{Classifier, Importer, Keep, KnownSet, OpenError, Origin, Row, SetBuilder};
use pfh_list::{Contents, Input, List};
use pfh_record::ReadOptions;
use std::ffi::OsStr;
use std::fs;
use std::io::{self, BufRead, Read};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// Runs `pfh known`.
pub(crate) fn run(arguments: &KnownArguments) -> Result<Ending, Failed> {
    match &arguments.command {
        KnownCommand::Build(arguments) => build(arguments),
        KnownCommand::Check(arguments) => check(arguments),
        KnownCommand::Info(arguments) => info(arguments),
        KnownCommand::Lookup(arguments) => lookup(arguments),
    }
}

fn build(arguments: &BuildArguments) -> Result<Ending, Failed> {
    let algorithms = verdicts::set_algorithms(&arguments.algorithms)?;
    let mut keep = Keep::default();
    for kept in &arguments.keep {
        *match kept {
            KeepArgument::Size => &mut keep.size,
            KeepArgument::Name => &mut keep.name,
            KeepArgument::Product => &mut keep.product,
            KeepArgument::Category => &mut keep.category,
            KeepArgument::Digests => &mut keep.digests,
        } = true;
    }
    let builder = SetBuilder::new(&algorithms, keep, arguments.memory);
    let mut importer = Importer::new(builder, arguments.memory / 4);
    if arguments.sources.iter().any(|source| is_delta(source)) {
        importer.builder().expect_deletions();
    }
    arguments.except.iter().try_for_each(|path| verdicts::open_set(path).map(|set| importer.leave_out(set)))?;
    arguments.common.iter().try_for_each(|path| verdicts::open_set(path).map(|set| importer.keep_only(set)))?;
    let reporting = Reporting { quiet: arguments.quiet, allow_empty: false, ..Reporting::DEFAULT };
    let mut command = Command::begin(reporting, None);
    command.without_totals();
    command.set_output(reading::open_output(Some(&arguments.set))?);
    let mut loaded = Vec::new();
    let mut release = String::new();
    for source in &arguments.sources {
        let added = match add_database(&mut importer, source, arguments, &command, &mut release)? {
            Some(added) => Some(added),
            None => add_source(&mut importer, source, arguments, &command)?,
        };
        loaded.extend(added);
    }
    command.count_lines(lists::unread(&loaded, true, arguments.quiet)?);
    let left_out = importer.left_out();
    let (mut about, mut written) = (None, Err(io::Error::other("interrupted")));
    if !command.cancel().is_cancelled() {
        let program = concat!("pfh ", env!("CARGO_PKG_VERSION"));
        let made = importer.into_builder().write(&mut io::BufWriter::with_capacity(1 << 20, command.output()), program);
        written = made.map(|made| about = Some(made));
    }
    if let (Some(about), Ok(()), false) = (&about, &written, arguments.quiet) {
        let duplicates = about.rows - about.entries;
        let others = if left_out > 0 { format!(", left out: {}", Count(left_out)) } else { String::new() };
        message::error(format_args!(
            "known files: {}, lines: {}, {}: {}{others}",
            Count(about.entries),
            Count(about.rows),
            if arguments.sources.iter().any(|source| is_delta(source)) { "repeated or deleted" } else { "repeated" },
            Count(duplicates)
        ));
    }
    command.finish(written, about.map_or(0, |about| about.entries), None)
}

/// Adds a list or a set. Returns the report on a list.
fn add_source(
    importer: &mut Importer,
    source: &OsStr,
    arguments: &BuildArguments,
    command: &Command,
) -> Result<Option<Loaded>, Failed> {
    let path = Path::new(source);
    let failed = |error: io::Error| Failed::internal(format_args!("{}: {error}", message::quoted(source.as_bytes())));
    let stops = || command.cancel().is_cancelled();
    if source != "-" {
        match KnownSet::open(path) {
            Ok(set) => return importer.add_set(&set, &stops).map(|()| None).map_err(failed),
            Err(OpenError::NotASet | OpenError::Io(_)) => {}
            Err(error) => return Err(Failed::usage(format_args!("{}: {error}", message::quoted_path(path)))),
        }
    }
    let algorithm = match &arguments.algorithms[..] {
        [name] => Some(Algorithm::from_name(name).map_err(Failed::usage)?),
        _ => None,
    };
    let options = ReadOptions { algorithm, ..ReadOptions::default() };
    let input = || -> Result<Input, Failed> {
        if source == "-" {
            let stdin = message::standard_input().map_err(|error| Failed::usage(format_args!("`-`: {error}")))?;
            Ok(Input::reader("-", stdin))
        } else {
            Ok(Input::path(path))
        }
    };
    let mut list = match (&arguments.columns, arguments.format) {
        (Some(columns), _) => List::open_with_columns(columns.clone(), input()?, options).map_err(Failed::usage)?,
        (None, Some(format)) => List::open_as(format, input()?, options).map_err(Failed::usage)?,
        (None, None) => lists::open(source, options)?,
    };
    let origin = origin_of(source, list.header().format.name(), arguments)?;
    importer.builder().begin_source(origin).map_err(failed)?;
    let name = list.name().to_vec();
    let mut broken = BrokenLines::new(&name, arguments.quiet);
    let (contents, is_useful) = importer.add_list(list, &mut |error| broken.report(&error), &stops).map_err(failed)?;
    if let Some(origin) = importer.builder().origin() {
        origin.refused = broken.count;
    }
    let wanted = "the algorithms of the set (-a names others)";
    Ok(Some(Loaded { broken: broken.count, useless: (!is_useful).then(|| contents.instead_of(&name, wanted)) }))
}

/// Returns the origin of a source.
fn origin_of(source: &OsStr, format: &str, arguments: &BuildArguments) -> Result<Origin, Failed> {
    let path = Path::new(source);
    let mut origin = Origin::default();
    origin.name = String::from_utf8_lossy(path.file_name().unwrap_or(source).as_bytes()).into_owned();
    origin.format = format.to_owned();
    (origin.class, origin.release, origin.note) =
        (arguments.class.into(), arguments.release.clone(), arguments.note.clone());
    // An input that can be read only once, such as a pipe, has no digest of its own.
    if let Some(metadata) = fs::metadata(path).ok().filter(|metadata| metadata.is_file() && source != "-") {
        origin.bytes = metadata.len();
        let record = pfh::hash_file(path, ["sha256"]).map_err(|error| Failed::internal(error.to_string()))?;
        origin.sha256 = record.digests.first().map_or_else(String::new, ToString::to_string);
    }
    Ok(origin)
}

/// Whether a source is a delta of NSRL, by its name.
fn is_delta(source: &OsStr) -> bool {
    source.as_bytes().ends_with(b".sql")
}

/// Adds a database, or a delta of one; `None` if the source is neither. `release` is that of the source before.
fn add_database(
    importer: &mut Importer,
    source: &OsStr,
    arguments: &BuildArguments,
    command: &Command,
    release: &mut String,
) -> Result<Option<Loaded>, Failed> {
    let (path, is_delta) = (Path::new(source), is_delta(source));
    if source == "-" || arguments.columns.is_some() || arguments.format.is_some() {
        return Ok(None);
    }
    let failed =
        |error: &dyn std::fmt::Display| Failed::usage(format_args!("{}: {error}", message::quoted(source.as_bytes())));
    let stops = || if command.cancel().is_cancelled() { Err(io::Error::other("interrupted")) } else { Ok(()) };
    let mut refused = 0;
    let mut refuse = |reason: &dyn std::fmt::Display| {
        refused += 1;
        if refused <= 100 && !arguments.quiet {
            message::error(format_args!("{}: {reason}", message::quoted(source.as_bytes())));
        }
    };
    let row_of = |row: &pfh_nsrl::Row<'_>| -> (Option<u64>, i64) { (row.size, row.package.unwrap_or(0)) };
    let is_useful = std::cell::Cell::new(false);
    let options = pfh_nsrl::Options { products_bytes_max: usize::try_from(arguments.memory / 4).unwrap_or(usize::MAX) };
    if is_delta {
        let mut delta = pfh_nsrl::Delta::open(path, &options).map_err(|error| failed(&error))?;
        let leads_to = delta.release().map(|release| release.version.clone()).unwrap_or_default();
        if !leads_to.is_empty() && leads_to <= *release {
            return Err(failed(&format_args!(
                "it leads to release {leads_to}, and the source before is {release}: give deltas in order"
            )));
        }
        let mut origin = origin_of(source, "nsrl-delta", arguments)?;
        if origin.release.is_empty() {
            origin.release.clone_from(&leads_to);
        }
        importer.builder().begin_source(origin).map_err(|error| failed(&error))?;
        let refuse = std::cell::RefCell::new(&mut refuse);
        let read = delta.each(
            &mut |change| {
                stops()?;
                let (row, adds) = match change {
                    pfh_nsrl::Change::Insert(row) => (row, true),
                    pfh_nsrl::Change::Delete(row) => (row, false),
                };
                let (size, package) = row_of(&row);
                let known = Row {
                    digests: row.digests,
                    size,
                    name: row.name,
                    product: row.product,
                    category: row.category,
                    package,
                };
                if adds {
                    is_useful.set(importer.push(&known)? || is_useful.get());
                } else if row.size.is_none() || row.package.is_none() {
                    (refuse.borrow_mut())(&"a deletion that does not name size and package of its row");
                } else {
                    is_useful.set(importer.builder().delete(&known)? || is_useful.get());
                }
                Ok(())
            },
            &mut |statement| {
                (refuse.borrow_mut())(&statement);
                Ok(())
            },
        );
        read.map_err(|error| failed(&error))?;
        *release = leads_to;
    } else {
        let opened = if path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("zip")) {
            pfh_nsrl::Database::open_zip(path, u64::MAX, &mut |_| stops())
        } else {
            pfh_nsrl::Database::open(path)
        };
        let mut database = match opened {
            Ok(database) => database,
            // It may be a list, or have one.
            Err(pfh_nsrl::Error::NotADatabase | pfh_nsrl::Error::Io(_) | pfh_nsrl::Error::Archive(_)) => {
                return Ok(None);
            }
            Err(error) => return Err(failed(&error)),
        };
        let kind = match database.kind() {
            pfh_nsrl::Kind::SleuthKit => "sleuthkit-database",
            pfh_nsrl::Kind::Iped => "iped",
            _ => "nsrl-database",
        };
        let mut origin = origin_of(source, kind, arguments)?;
        if let Some(own) = database.release() {
            release.clone_from(&own.version);
            if origin.release.is_empty() {
                (origin.release, origin.date) = (own.version.clone(), own.date.clone());
            }
        }
        importer.builder().begin_source(origin).map_err(|error| failed(&error))?;
        let read = database.each(
            &options,
            &mut |row| {
                stops()?;
                let (size, package) = row_of(&row);
                let known = Row {
                    digests: row.digests,
                    size,
                    name: row.name,
                    product: row.product,
                    category: row.category,
                    package,
                };
                is_useful.set(importer.push(&known)? || is_useful.get());
                Ok(())
            },
            &mut |row| {
                refuse(&row);
                Ok(())
            },
        );
        read.map_err(|error| failed(&error))?;
    }
    if let Some(origin) = importer.builder().origin() {
        origin.refused = refused;
    }
    let wanted = "the algorithms of the set (-a names others)";
    let useless = (!is_useful.get()).then(|| Contents::default().instead_of(source.as_bytes(), wanted));
    Ok(Some(Loaded { broken: refused, useless }))
}

fn check(arguments: &CheckArguments) -> Result<Ending, Failed> {
    let mut command = Command::printing()?;
    let cancel = command.cancel().clone();
    let mut progress = |_| if cancel.is_cancelled() { Err(io::Error::other("interrupted")) } else { Ok(()) };
    let links = pfh_nsrl::verify_chain(&arguments.archive, &pfh_nsrl::ChainOptions::default(), &mut progress);
    let links =
        links.map_err(|error| Failed::usage(format_args!("{}: {error}", message::quoted_path(&arguments.archive))))?;
    for link in links {
        command.write(format!("{}\n", message::escaped_lines(&link.to_string())).as_bytes());
        match link.verdict {
            pfh_nsrl::Verdict::Agrees => {}
            pfh_nsrl::Verdict::Differs { .. } => command.tally.findings += 1,
            pfh_nsrl::Verdict::CannotBeChecked(_) => command.tally.unread += 1,
        }
    }
    command.finish(Ok(()), 1, None)
}

fn info(arguments: &InfoArguments) -> Result<Ending, Failed> {
    let set = verdicts::open_set(&arguments.set)?;
    let failed = |error: io::Error| Failed::unread(format_args!("{}: {error}", message::quoted_path(&arguments.set)));
    let intact = if arguments.verify { Some(set.is_intact().map_err(failed)?) } else { None };
    let about = set.about();
    let mut command = Command::printing()?;
    if arguments.json {
        let digests: serde_json::Map<_, _> =
            set.algorithms().map(|algorithm| (algorithm.name().to_owned(), set.len(algorithm).into())).collect();
        let facts = serde_json::json!({
            "file_bytes": set.file_bytes(), "entries": set.entries(), "digests": digests, "intact": intact,
            "sizes": set.has_sizes(), "about": about,
        });
        command.write(format!("{facts}\n").as_bytes());
    } else {
        let mut text = format!("entries   {}\nbytes     {}\n", Count(set.entries()), Count(set.file_bytes()));
        for algorithm in set.algorithms() {
            text += &format!("{:<9} {}\n", algorithm.name(), Count(set.len(algorithm)));
        }
        text += &format!("built by  {}, of {} lines\n", message::escaped_lines(&about.program), Count(about.rows));
        for origin in &about.sources {
            let Origin { name, format, bytes, sha256, release, date, class, note, rows, refused, entries, .. } = origin;
            text += &format!("\nsource    {}\n", message::quoted(name.as_bytes()));
            text += &format!("  class   {class}\n  lines   {}, {} of which are shown\n", Count(*rows), Count(*entries));
            if *refused > 0 {
                text += &format!("  refused {} lines that could not be read\n", Count(*refused));
            }
            let facts = [("format", format), ("release", release), ("date", date), ("note", note), ("sha256", sha256)];
            for (word, fact) in facts {
                if !fact.is_empty() {
                    text += &format!("  {word:<7} {}\n", message::escaped_lines(fact));
                }
            }
            if *bytes > 0 {
                text += &format!("  bytes   {}\n", Bytes(*bytes));
            }
        }
        if let Some(intact) = intact {
            text += if intact { "\nintact: every byte is as it was written\n" } else { "\nDAMAGED\n" };
        }
        command.write(text.as_bytes());
    }
    if intact == Some(false) {
        message::error(format_args!("{} is damaged; build or copy it again", message::quoted_path(&arguments.set)));
        command.tally.findings = 1;
    }
    command.finish(Ok(()), 1, None)
}

/// Digests that are looked up together.
const TOGETHER: usize = 4096;

/// Longest line of standard input, in bytes.
const LINE_BYTES_MAX: u64 = 4096;

fn lookup(arguments: &LookupArguments) -> Result<Ending, Failed> {
    let (classifier, unread) = verdicts::open_all(std::slice::from_ref(&arguments.set), None, 256 << 20, false)?;
    let mut algorithms: Vec<Algorithm> = Vec::new();
    for algorithm in classifier.sets().iter().flat_map(|one| one.set.algorithms()) {
        algorithms.push(algorithm);
    }
    let mut command = Command::printing()?;
    command.count_lines(unread);
    let mut lookup = Lookup {
        writer: VerdictWriter::new(arguments.format, false),
        classifier: &classifier,
        algorithms,
        counts: Counts::default(),
        out: Vec::new(),
    };
    lookup.writer.header(&lookup.algorithms, &mut lookup.out);
    if arguments.digests.is_empty() {
        let stdin = message::standard_input().map_err(|error| Failed::usage(format_args!("`-`: {error}")))?;
        let mut stdin = stdin.lock();
        let (mut line, mut number) = (Vec::new(), 0_u64);
        let failed = |error: io::Error| Failed::unread(format_args!("standard input: {error}"));
        while !command.cancel().is_cancelled() {
            line.clear();
            number += 1;
            if stdin.by_ref().take(LINE_BYTES_MAX).read_until(b'\n', &mut line).map_err(failed)? == 0 {
                break;
            }
            let text = line.trim_ascii();
            if !text.is_empty() && !text.starts_with(b"#") && !lookup.one(text)? {
                message::error(format_args!("line {number}: {} is no digest of this set", message::quoted(text)));
                command.count_lines(1);
            }
            if lookup.out.len() > TOGETHER * 64 {
                command.write(&std::mem::take(&mut lookup.out));
            }
        }
    }
    for text in &arguments.digests {
        if !lookup.one(text.as_bytes())? {
            return Err(Failed::usage(format_args!("{} is no digest of this set", message::quoted(text.as_bytes()))));
        }
    }
    lookup.writer.summary(lookup.counts, command.tally.lines, &mut lookup.out);
    command.write(&lookup.out);
    command.finish(Ok(()), lookup.counts.all(), None)
}

/// Look-ups of digests on the way to the output.
struct Lookup<'a> {
    writer: VerdictWriter,
    classifier: &'a Classifier,
    algorithms: Vec<Algorithm>,
    counts: Counts,
    out: Vec<u8>,
}

impl Lookup<'_> {
    /// Looks up a digest in hexadecimal. Returns `false` if it is none of the set's algorithms.
    fn one(&mut self, text: &[u8]) -> Result<bool, Failed> {
        let digests: Vec<Digest> = self.algorithms.iter().filter_map(|algorithm| digest_of(*algorithm, text)).collect();
        if digests.is_empty() {
            return Ok(false);
        }
        // Algorithms of the same length: the one that is known, if any.
        let failed = |error: io::Error| Failed::unread(error.to_string());
        let (mut found, mut shown) = (Vec::new(), digests[0]);
        for digest in digests {
            found = self.classifier.classify(&[digest]).map_err(failed)?;
            if !found.is_empty() {
                shown = digest;
                break;
            }
        }
        let known = match found.first() {
            Some(first) => Some((first.class, self.classifier.facts(first).map_err(failed)?)),
            None => None,
        };
        self.counts.add(known.as_ref().map(|(class, _)| *class));
        let verdict = Verdict { list: None, name: text, digests: &[shown], known, entries: found.len() };
        self.writer.verdict(&verdict, &self.algorithms, &mut self.out);
        Ok(true)
    }
}

/// Reads a digest in hexadecimal.
fn digest_of(algorithm: Algorithm, text: &[u8]) -> Option<Digest> {
    if text.len() != 2 * algorithm.digest_bytes() {
        return None;
    }
    let nibble = |byte: u8| char::from(byte).to_digit(16).map(|nibble| nibble as u8);
    let bytes = text.as_chunks::<2>().0.iter().map(|[high, low]| Some(nibble(*high)? << 4 | nibble(*low)?));
    Digest::new(algorithm, &bytes.collect::<Option<Vec<u8>>>()?)
}
