//! `pfh match` with sets of known files: the class of each file.

use super::args::MatchArguments;
use super::command::{Command, Item, Reporting};
use super::exit::{Ending, Failed};
use super::known_args::{VerdictClass, VerdictFormat};
use super::lists::Answer;
use super::output::interrupted;
use super::quantity::{Count, plural};
use super::similar::refuse_others;
use super::verdicts::{self, Counts, Verdict, VerdictWriter};
use super::warnings::Warning;
use super::{gather, keys, lists, message, reading};
use pfh_digest::{Algorithm, Digest, Keys};
use pfh_engine::{Decide, Decision};
use pfh_known::{Class, ClassifiedSet, Classifier, Known, KnownEntries};
use pfh_list::{Doubt, List};
use pfh_record::{Metadata, Outcome, Record, SkipReason};
use pfh_source::FileList;
use std::io;
use std::ops::ControlFlow;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// The reason why a name is not printed.
const LEFT_OUT: &str = "left out, because only --null can express a line feed in a name";

/// Prints the class of each file, and of each entry of lists. `reads_input`: something of them is on standard input.
pub(crate) fn run(
    arguments: &MatchArguments,
    algorithm: Option<Algorithm>,
    reads_input: bool,
) -> Result<Ending, Failed> {
    let options = &arguments.options;
    if options.threshold.is_some() || arguments.top.is_some() || arguments.all_names {
        return Err(Failed::usage(
            "--threshold, --top and --all-names do not go with sets and classes, with which each file has one line",
        ));
    }
    refuse_others(None, options)?;
    let format = VerdictFormat::of(options.format, "sets and classes")?;
    let (check, format_of_lists, memory_bytes) = (arguments.check_sets, arguments.read_as, options.memory / 4);
    let (classifier, broken) =
        verdicts::open_all(&arguments.known, check, format_of_lists, algorithm, memory_bytes, options.messages.quiet)?;
    let algorithms = algorithms_of(&classifier, algorithm)?;
    let asked = |one: &ClassifiedSet| match algorithm {
        Some(algorithm) => vec![algorithm],
        None => one.set.needed_algorithms(),
    };
    let files_from = reading::file_list(&arguments.walk)?;
    let takes_files = !arguments.paths.is_empty() || files_from.is_some();
    let keys = keys::load(&arguments.keys, if takes_files { &algorithms } else { &[] }, reads_input)?;
    let own_lists = lists::open_all(&arguments.digests, arguments.read_as, algorithm)?;
    let mut command = Command::begin(Reporting::of(options.messages, options.allow_empty), None);
    command.set_output(reading::open_output(options.output.as_deref(), verdicts::inputs(arguments))?);
    command.count_lines(broken);
    let run = Classification {
        classifier: &classifier,
        algorithms: &algorithms,
        asked: classifier.sets().iter().map(asked).collect(),
        arguments,
        format,
        writer: match (arguments.names_only, arguments.null) {
            (false, _) => VerdictWriter::new(format),
            (true, false) => VerdictWriter::of_names(b'\n'),
            (true, true) => VerdictWriter::of_names(0),
        },
        found: arguments.not_found.then(|| Found::new(&classifier)),
        guesses: if algorithm.is_none() { Guess::all(&classifier) } else { Vec::new() },
        failed: OnceLock::new(),
    };
    let mut out = Vec::new();
    run.writer.header(&algorithms, &mut out);
    command.write(&out);
    let mut counts = Counts::default();
    if takes_files {
        run.files(&mut command, files_from, keys, &mut counts)?;
    }
    if !run.lists(&mut command, own_lists, &mut counts)? {
        return command.finish(Err(interrupted()), 0, None);
    }
    if let Some(error) = run.failed.get() {
        return Err(run.unread(error));
    }
    if counts.all() > 0 {
        run.say_guesses(&mut command);
    }
    if let Some(found) = &run.found {
        run.print_not_found(found, &mut command).map_err(|error| run.unread(&error))?;
    }
    verdicts::refuse_any_changed(&arguments.known, &classifier)?;
    out.clear();
    run.writer.summary(counts, command.tally.unread, &mut out);
    command.write(&out);
    if !options.messages.quiet {
        say(counts);
    }
    command.report_totals();
    command.finish(Ok(()), counts.all(), None)
}

/// Returns the algorithms by which files are hashed: the one that is named, if all sets can be asked by it, or all that
/// the sets need.
fn algorithms_of(classifier: &Classifier, named: Option<Algorithm>) -> Result<Vec<Algorithm>, Failed> {
    let Some(algorithm) = named else { return Ok(classifier.needed_algorithms()) };
    // Other files of such a set could not be found.
    if let Some(one) = classifier.sets().iter().find(|one| !one.set.can_be_asked(|own| own == algorithm)) {
        let how_many = if one.set.len(algorithm) > 0 { "all" } else { "any" };
        return Err(Failed::usage(format_args!(
            "-a {algorithm}: {} does not have {how_many} of its files by it",
            message::quoted(&one.name)
        )));
    }
    Ok(vec![algorithm])
}

/// Says how many files there are of each class.
fn say(counts: Counts) {
    let Counts { bad, other, good, unknown } = counts;
    message::error(format_args!(
        "files: {}, known-bad: {}, known-other: {}, known-good: {}, unknown: {}",
        Count(counts.all()),
        Count(bad),
        Count(other),
        Count(good),
        Count(unknown)
    ));
}

/// A run that classifies files.
struct Classification<'a> {
    classifier: &'a Classifier,
    algorithms: &'a [Algorithm],
    /// Of each set, the algorithms by which files are looked up in it. Those that other sets need do not count: their
    /// digests in this one may be wrong.
    asked: Vec<Vec<Algorithm>>,
    arguments: &'a MatchArguments,
    format: VerdictFormat,
    writer: VerdictWriter,
    /// With --not-found, which entries were found.
    found: Option<Found>,
    /// Sources whose algorithms were guessed.
    guesses: Vec<Guess>,
    /// The first error of a set.
    failed: OnceLock<io::Error>,
}

impl Classification<'_> {
    /// Reads and classifies the files of paths, and of a list of paths.
    fn files(
        &self,
        command: &mut Command,
        files_from: Option<FileList>,
        keys: Keys,
        counts: &mut Counts,
    ) -> Result<(), Failed> {
        let MatchArguments { paths, walk, options, .. } = self.arguments;
        let mut engine = gather::engine_options(options, self.algorithms.into());
        engine.keys = keys;
        let (source, engine, own_files) = gather::prepare_run(command, paths, walk, files_from, engine)?;
        let prepare = |record: Record| {
            let mut item = Item::new(&record, ());
            let is_told_by_size = record.outcome == Outcome::Skipped(SkipReason::NotWanted);
            // Sets without files need no digest.
            let is_told_by_nothing = self.algorithms.is_empty() && record.outcome == Outcome::Complete;
            // Of a file that was not read nothing is known, and it is not unknown either.
            let class = if record.digests.is_empty() && !is_told_by_size && !is_told_by_nothing {
                Ok(None)
            } else {
                let file = Named { list: None, name: &record.path, size: record.size(), digests: &record.digests };
                self.verdict(file, &mut item.bytes).map(Some)
            };
            let class = class.unwrap_or_else(|error| self.fail(error));
            item.is_finding = class.is_some_and(|class| self.is_finding(class));
            if class.is_some_and(|class| self.is_left_out(class, &record.path)) {
                item.warning = Some(Box::new(Warning::new(&record.path, LEFT_OUT.to_owned())));
                item.is_not_expressed = true;
            }
            item.map(|()| class)
        };
        let mut deliver = |class: Option<Option<Class>>| {
            class.into_iter().for_each(|class| counts.add(class));
            if self.failed.get().is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let sets = self.classifier.sets();
        // A file that every set rules out by its size need not be read. The other formats show its digests.
        let tells_by_size = self.format == VerdictFormat::Text && sets.iter().all(ClassifiedSet::tells_by_size);
        let decide = |_: &[u8], metadata: Option<&Metadata>| {
            // One that cannot tell is asked about the digests, and fails then.
            let is_unknown = metadata
                .is_some_and(|metadata| sets.iter().all(|one| matches!(one.rules_out_size(metadata.size), Ok(true))));
            if is_unknown { Decision::RecordOnly(SkipReason::NotWanted) } else { Decision::Hash }
        };
        let decide: Option<Decide<'_>> = if tells_by_size { Some(&decide) } else { None };
        let report = command.hash(&engine, &source, own_files.before(decide).as_deref(), &prepare, &mut deliver);
        report.map(drop).map_err(|error| gather::start_error(error, options))
    }

    /// Classifies the entries of lists. Returns whether all were.
    fn lists(&self, command: &mut Command, own_lists: Vec<List>, counts: &mut Counts) -> Result<bool, Failed> {
        let names: Vec<&str> = self.algorithms.iter().map(|algorithm| algorithm.name()).collect();
        let (only, wanted, mut out) = (!self.arguments.has_files(), names.join(", "), Vec::new());
        let mut left_out = 0;
        let is_whole =
            lists::ask(command, own_lists, only, &wanted, " cannot be classified", &mut |command, list, entry| {
                let digests: &[Digest] = if entry.is_complete() { &entry.digests } else { &[] };
                let is_useful = digests.iter().any(|own| self.is_wanted_of_list(own.algorithm()));
                out.clear();
                // Lists of plain digests have no names.
                let digest = entry.digests.first().filter(|_| entry.path.is_empty()).map(ToString::to_string);
                let name = digest.as_ref().map_or(&entry.path[..], |digest| digest.as_bytes());
                let file = Named { list: Some(list), name, size: entry.expected.size, digests };
                let class = self.listed_verdict(file, &mut out).map_err(|error| self.unread(&error))?;
                if let Some(class) = class {
                    counts.add(class);
                    command.tally.findings += u64::from(self.is_finding(class));
                    left_out += u64::from(self.is_left_out(class, name));
                    command.write(&out);
                }
                Ok(Some(Answer { is_useful, is_told: class.is_some() }))
            })?;
        note_left_out(left_out, command);
        Ok(is_whole)
    }

    /// Reports the algorithms that were guessed and by which no file was found.
    fn say_guesses(&self, command: &mut Command) {
        for guess in self.guesses.iter().filter(|guess| !guess.is_right.load(Ordering::Relaxed)) {
            command.tally.unread += 1;
            if !command.is_quiet() {
                message::error(&guess.doubt);
            }
        }
    }

    /// Returns the failure of a look-up.
    fn unread(&self, error: &io::Error) -> Failed {
        verdicts::unread(&self.arguments.known, self.classifier, error)
    }

    /// Classifies a file and appends its line to `out`, if it is wanted and not left out.
    fn verdict(&self, file: Named<'_>, out: &mut Vec<u8>) -> io::Result<Option<Class>> {
        let known = self.known(file, self.found.as_ref())?;
        let Named { list, name, digests, .. } = file;
        let class = known.first().map(|known| known.class);
        self.guesses.iter().for_each(|guess| guess.note(&known));
        if self.found.is_none() && self.is_wanted(class) && self.writer.can_express(name) {
            let facts = known.first().map(|first| self.classifier.facts(first).map(|facts| (first.class, facts)));
            let verdict =
                Verdict { list, name, digests, known: facts.transpose()?, entries: known.len(), others: None };
            self.writer.verdict(&verdict, self.algorithms, out);
        }
        Ok(class)
    }

    /// Classifies an entry of a list; `None` if a set that could make it known, or of a class that beats the one found,
    /// has digests by other algorithms only.
    fn listed_verdict(&self, file: Named<'_>, out: &mut Vec<u8>) -> io::Result<Option<Option<Class>>> {
        let has = |algorithm| {
            self.is_wanted_of_list(algorithm) && file.digests.iter().any(|digest| digest.algorithm() == algorithm)
        };
        let not_told: Vec<_> = self.classifier.sets().iter().filter(|one| !one.set.can_be_asked(has)).collect();
        if !not_told.is_empty() {
            let Some(found) = self.known(file, None)?.first().map(|known| known.class) else {
                return Ok(None);
            };
            if not_told.iter().any(|one| one.best_class().is_some_and(|best| best < found)) {
                return Ok(None);
            }
        }
        self.verdict(file, out).map(Some)
    }

    /// Returns the entries that a file is, and notes them in `found`. A set is asked only about the digests that it
    /// needs. An entry of a list may lack some: then the set is asked about all that count.
    fn known(&self, file: Named<'_>, found: Option<&Found>) -> io::Result<KnownEntries> {
        let Named { size, digests, .. } = file;
        let has = |algorithm: &Algorithm| digests.iter().any(|digest| digest.algorithm() == *algorithm);
        let is_asked = |set: usize, algorithm: Algorithm| {
            let asked = &self.asked[set];
            if asked.iter().all(has) { asked.contains(&algorithm) } else { self.is_wanted_of_list(algorithm) }
        };
        match found {
            Some(found) => {
                self.classifier.classify_by(size, digests, is_asked, Some(&|known: &Known| found.note(known)))
            }
            None => self.classifier.classify_by(size, digests, is_asked, None),
        }
    }

    /// Whether digests of lists by this algorithm count: by any of the sets, unless one is named.
    fn is_wanted_of_list(&self, algorithm: Algorithm) -> bool {
        match self.arguments.algorithm {
            Some(_) => self.algorithms.contains(&algorithm),
            None => self.classifier.sets().iter().any(|one| one.set.len(algorithm) > 0),
        }
    }

    /// Whether files of a class are printed.
    fn is_wanted(&self, class: Option<Class>) -> bool {
        let MatchArguments { only, negate, .. } = self.arguments;
        only.is_empty() || only.iter().any(|one| one.has(class)) != *negate
    }

    /// Whether a file of a class would be printed, if its name could be.
    fn is_left_out(&self, class: Option<Class>, name: &[u8]) -> bool {
        self.found.is_none() && self.is_wanted(class) && !self.writer.can_express(name)
    }

    fn is_finding(&self, class: Option<Class>) -> bool {
        match &self.arguments.fail_on[..] {
            [] => VerdictClass::Bad.has(class),
            classes => classes.iter().any(|one| one.has(class)),
        }
    }

    /// Notes an error of a set, which ends the run.
    fn fail(&self, error: io::Error) -> Option<Option<Class>> {
        // Later errors follow from the first.
        let _ = self.failed.set(error);
        None
    }

    /// Prints the entries that no file was.
    fn print_not_found(&self, found: &Found, command: &mut Command) -> io::Result<()> {
        let memory_bytes = self.arguments.options.memory / 4;
        let mut left_out = 0;
        for (place, one) in self.classifier.sets().iter().enumerate() {
            let mut out = Vec::new();
            one.set.each_entry(memory_bytes, |entry, digests| {
                if found.has(place, entry) || command.cancel().is_cancelled() {
                    return Ok(());
                }
                let known = self.classifier.known(place, entry)?;
                let mut facts = self.classifier.facts(&known)?;
                let digest = digests.first().map_or_else(String::new, ToString::to_string).into_bytes();
                let name = if facts.name.is_empty() { digest.clone() } else { facts.name.clone() };
                if !self.writer.can_express(&name) {
                    left_out += 1;
                    return Ok(());
                }
                // The name is there already, and several entries may have it.
                if self.format == VerdictFormat::Text && !facts.name.is_empty() {
                    facts.name = digest;
                }
                let known = Some((known.class, facts));
                let verdict = Verdict { list: None, name: &name, digests, known, entries: 1, others: None };
                self.writer.verdict(&verdict, self.algorithms, &mut out);
                if out.len() > 1 << 16 {
                    command.write(&std::mem::take(&mut out));
                }
                Ok(())
            })?;
            command.write(&out);
        }
        note_left_out(left_out, command);
        Ok(())
    }
}

/// A file, or an entry of a list, that is to be classified.
#[derive(Clone, Copy)]
struct Named<'a> {
    /// The list of the entry; `None` for a file.
    list: Option<&'a [u8]>,
    name: &'a [u8],
    /// The size in bytes, if it is known.
    size: Option<u64>,
    digests: &'a [Digest],
}

/// Counts and reports names of lists and sets that are left out.
fn note_left_out(names: u64, command: &mut Command) {
    command.tally.unread += names;
    command.tally.not_expressed += names;
    if names > 0 && !command.is_quiet() {
        message::error(format_args!("{} {LEFT_OUT}", plural(names, "listed name")));
    }
}

/// A source of a set whose digests were taken for those of an algorithm because of their length.
struct Guess {
    set: usize,
    source: usize,
    algorithm: Algorithm,
    doubt: Doubt,
    is_right: AtomicBool,
}

impl Guess {
    /// All guesses about entries that are shown as of their source.
    fn all(classifier: &Classifier) -> Vec<Guess> {
        let mut guesses = Vec::new();
        for (set, one) in classifier.sets().iter().enumerate() {
            let sources = &one.set.about().sources;
            for (source, origin) in sources.iter().enumerate().filter(|(_, origin)| origin.entries > 0) {
                // Another source of the set may well have matched.
                let name = match sources.len() {
                    1 => one.name.clone(),
                    _ => [origin.name.as_bytes(), b" in ", &one.name].concat(),
                };
                for algorithm in origin.guessed.iter().filter_map(|name| Algorithm::from_name(name).ok()) {
                    let doubt = Doubt::new(Some(name.clone()), algorithm);
                    guesses.push(Guess { set, source, algorithm, doubt, is_right: AtomicBool::new(false) });
                }
            }
        }
        guesses
    }

    /// Takes the entries that a file is.
    fn note(&self, known: &KnownEntries) {
        if known.confirms(self.set, self.source, self.algorithm.name()) {
            self.is_right.store(true, Ordering::Relaxed);
        }
    }
}

/// Which entries of each set were found: a bit for each.
struct Found(Vec<Vec<AtomicU64>>);

impl Found {
    fn new(classifier: &Classifier) -> Found {
        let bits = |entries: u64| (0..entries.div_ceil(64)).map(|_| AtomicU64::new(0)).collect();
        Found(classifier.sets().iter().map(|one| bits(one.set.entries())).collect())
    }

    fn note(&self, known: &Known) {
        self.0[known.set][known.entry as usize / 64].fetch_or(1 << (known.entry % 64), Ordering::Relaxed);
    }

    fn has(&self, set: usize, entry: u64) -> bool {
        self.0[set][entry as usize / 64].load(Ordering::Relaxed) >> (entry % 64) & 1 == 1
    }
}
