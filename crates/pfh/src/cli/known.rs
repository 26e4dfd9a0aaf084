//! `pfh known`.

use super::blocks;
use super::command::{Command, Reporting};
use super::exit::{Ending, Failed};
use super::export;
use super::known_args::{BuildArguments, CheckArguments, InfoArguments, KeepArgument, KnownArguments, KnownCommand};
use super::lists::{self, BrokenLines, Loaded};
use super::lookup;
use super::message;
use super::output::{Output, interrupted};
use super::quantity::{Bytes, Count, plural};
use super::reading;
use super::serve;
use super::verdicts;
use super::written_set;
use pfh_digest::Algorithm;
use pfh_known::{
    BloomError, BloomFile, BloomShape, ComparedSet, Importer, Keep, KnownSet, OpenError, Origin, Row, SetBuilder,
};
use pfh_list::{Contents, List};
use pfh_record::Outcome;
use pfh_similarity::Family;
use std::cell::RefCell;
use std::ffi::{OsStr, OsString};
use std::fmt::Display;
use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// Runs `pfh known`.
pub(crate) fn run(arguments: &KnownArguments) -> Result<Ending, Failed> {
    match &arguments.command {
        KnownCommand::Build(arguments) => build(arguments),
        KnownCommand::Check(arguments) => check(arguments),
        KnownCommand::Info(arguments) => info(arguments),
        KnownCommand::Lookup(arguments) => lookup::run(arguments),
        KnownCommand::Export(arguments) => export::run(arguments),
        KnownCommand::Serve(arguments) => serve::run(arguments),
    }
}

fn build(arguments: &BuildArguments) -> Result<Ending, Failed> {
    if let Some(block_bytes) = arguments.blocks {
        return blocks::build(arguments, block_bytes, output_of(arguments)?);
    }
    reading::one_input(arguments.sources.iter().map(OsString::as_os_str), None)?;
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
    if !arguments.algorithms.is_empty() {
        importer.name_algorithms(&algorithms);
    }
    // A source that cannot be opened is reported in its turn.
    let has_delta = |source: &OsString| matches!(pfh_list::open_wanted(Path::new(source), is_delta), Ok(Some(_)));
    let has_deltas = arguments.sources.iter().any(|source| is_delta(source.as_bytes()) || has_delta(source));
    if has_deltas {
        importer.builder().expect_deletions();
    }
    for path in &arguments.except {
        let set = verdicts::open_intact_set(path)?;
        importer.leave_out(compared_of(path)?, set);
    }
    for path in &arguments.common {
        let set = verdicts::open_intact_set(path)?;
        importer.keep_only(compared_of(path)?, set);
    }
    let reporting = Reporting { quiet: arguments.quiet, allow_empty: arguments.allow_empty, ..Reporting::DEFAULT };
    let mut command = Command::begin(reporting, None);
    command.without_totals();
    command.set_output(output_of(arguments)?);
    command.name_output("set");
    let (mut loaded, mut before) = (Vec::new(), None);
    for source in &arguments.sources {
        let added = match add_database(&mut importer, source, arguments, &command, &mut before)? {
            Some(added) => Some(added),
            None => add_source(&mut importer, source, arguments, &command)?,
        };
        loaded.extend(added);
        if command.cancel().is_cancelled() {
            return command.finish(Err(interrupted()), 0, None);
        }
    }
    for (path, set) in arguments.except.iter().chain(&arguments.common).zip(importer.compared()) {
        verdicts::refuse_changed(path, set)?;
    }
    let mut unread = lists::unread(&loaded, true, arguments.quiet)?;
    let not_compared = importer.not_compared();
    if not_compared > 0 {
        unread += not_compared;
        message::error(format_args!(
            "{} cannot be compared with the sets of --common and --except, which have digests by other algorithms",
            plural(not_compared, "line")
        ));
    }
    if unread > 0 && !arguments.keep_going {
        return Err(Failed::unread(format_args!(
            "no set is made, because lines, rows or ends of lists are missing, or could not be read or compared: {}; \
             --keep-going leaves them out",
            Count(unread)
        )));
    }
    command.count_lines(unread);
    let left_out = importer.left_out();
    let (about, written) =
        written_set::write(&command, |output| importer.into_builder().write(output, super::PROGRAM))?;
    let ending = command.finish(written, about.as_ref().map_or(0, |about| about.entries), None)?;
    if let Some(about) = about.filter(|_| !arguments.quiet) {
        let duplicates = about.rows - about.entries;
        let others = if left_out > 0 { format!(", left out: {}", Count(left_out)) } else { String::new() };
        message::error(format_args!(
            "known files: {}, lines: {}, {}: {}{others}",
            Count(about.entries),
            Count(about.rows),
            if has_deltas { "repeated or deleted" } else { "repeated" },
            Count(duplicates)
        ));
    }
    Ok(ending)
}

/// Opens the file of the set. It may replace a set, even one that is a source, and nothing else: whoever forgets SET
/// names a list there.
fn output_of(arguments: &BuildArguments) -> Result<Output, Failed> {
    let BuildArguments { set, sources, except, common, .. } = arguments;
    let is_there =
        set.as_os_str() != "-" && fs::metadata(set).is_ok_and(|metadata| metadata.is_file() && metadata.len() > 0);
    let is_set = is_there
        && match KnownSet::open(set) {
            Err(OpenError::Io(error)) => {
                let set = message::quoted_path(set);
                return Err(Failed::usage(format_args!(
                    "{set} is there and cannot be read, so it is not replaced: {error}"
                )));
            }
            Err(OpenError::NotASet) => false,
            // A damaged one may be built again.
            _ => true,
        };
    let sets = except.iter().chain(common).map(|path| path.as_os_str());
    let inputs = sources.iter().map(OsString::as_os_str).chain(sets);
    let output = reading::open_output(Some(set), inputs.filter(|_| !is_set))?;
    if is_there && !is_set {
        let set = message::quoted_path(set);
        return Err(Failed::usage(format_args!(
            "{set} is there and is no known set, so it is not replaced; name another SET before the sources, or remove \
             it"
        )));
    }
    Ok(output)
}

/// Adds a list or a set. Returns the report on a list.
fn add_source(
    importer: &mut Importer,
    source: &OsStr,
    arguments: &BuildArguments,
    command: &Command,
) -> Result<Option<Loaded>, Failed> {
    let path = Path::new(source);
    let failed = |error: io::Error| match error.kind() {
        io::ErrorKind::InvalidInput | io::ErrorKind::InvalidData => {
            Failed::internal(format_args!("{}: {error}", message::quoted(source.as_bytes())))
        }
        _ => Failed::temporary(error),
    };
    let stops = || command.cancel().is_cancelled();
    if let Some(set) = verdicts::open_if_set(source)? {
        verdicts::refuse_damaged(path, &set, &stops)?;
        if stops() {
            return Ok(None);
        }
        let added = importer.add_set(&set, &stops);
        verdicts::refuse_changed(path, &set)?;
        let (is_useful, without_digest) = added.map_err(failed)?;
        if is_useful || set.is_empty() {
            let loaded = Loaded { broken: 0, useless: None };
            return Ok(Some(loaded.with_files(without_digest, source.as_bytes(), arguments.quiet, WANTED, "")));
        }
        let mut useless = Contents::default().instead_of(source.as_bytes(), WANTED);
        useless.has = set.algorithms().map(Algorithm::name).collect();
        return Ok(Some(Loaded { broken: 0, useless: Some(useless) }));
    }
    let algorithm = match &arguments.algorithms[..] {
        [name] => Some(Algorithm::from_name(name).map_err(Failed::usage)?),
        _ => None,
    };
    let options = lists::of_files(algorithm);
    let state = State::of(source);
    let mut list = match &arguments.columns {
        Some(columns) => {
            List::open_with_columns(columns.clone(), lists::input(source)?, options).map_err(Failed::usage)?
        }
        None => lists::open_as(source, arguments.format, options)?,
    };
    let origin = origin_of(source, list.header().format.name(), arguments)?;
    importer.builder().begin_source(origin).map_err(failed)?;
    let name = list.name().to_vec();
    let mut broken = BrokenLines::new(&name, arguments.quiet);
    let added = importer.add_list(&mut list, &mut |error| broken.report(&error), &stops).map_err(Failed::temporary)?;
    state.refuse_changed(source)?;
    let is_cut = broken.note_end(&list);
    let mut loaded = broken.end(added.contents, added.is_useful, added.without_digest, WANTED, "");
    if let Some(origin) = importer.builder().origin() {
        // A missing end is none of the lines.
        origin.refused += loaded.broken - u64::from(is_cut);
    }
    let is_family = |name: &&str| Family::ALL.iter().any(|family| family.name() == *name);
    if let Some(useless) =
        loaded.useless.as_mut().filter(|useless| useless.has.iter().all(is_family) && !useless.has.is_empty())
    {
        useless.wanted = SIMILAR.to_owned();
    }
    Ok(Some(loaded))
}

/// Returns the origin of a source.
fn origin_of(source: &OsStr, format: &str, arguments: &BuildArguments) -> Result<Origin, Failed> {
    let mut origin = Origin::default();
    origin.name = name_of(source);
    origin.format = format.to_owned();
    (origin.class, origin.release, origin.note) =
        (arguments.class.into(), arguments.release.clone(), arguments.note.clone());
    // An input that can be read only once, such as a pipe, has no digest of its own.
    if let Some(metadata) = metadata_of(source) {
        (origin.bytes, origin.sha256) = (metadata.len(), sha256_of(Path::new(source))?);
    }
    Ok(origin)
}

/// Returns the facts about a set of --except or --common.
fn compared_of(path: &Path) -> Result<ComparedSet, Failed> {
    let mut compared = ComparedSet::default();
    compared.name = name_of(path.as_os_str());
    compared.bytes = fs::metadata(path).map_or(0, |metadata| metadata.len());
    compared.sha256 = sha256_of(path)?;
    Ok(compared)
}

/// Returns the name of a file without directories.
fn name_of(path: &OsStr) -> String {
    String::from_utf8_lossy(Path::new(path).file_name().unwrap_or(path).as_bytes()).into_owned()
}

/// Returns the SHA-256 digest of a file, in hexadecimal.
fn sha256_of(path: &Path) -> Result<String, Failed> {
    let mut run = pfh::HashRun::new(["sha256"]).map_err(Failed::usage)?.path(path);
    // One file needs no more of them, and each would want files to be open.
    run.engine.threads = 1;
    match run.records().map_err(Failed::usage)?.pop() {
        Some(record) if record.outcome != Outcome::Complete => {
            Err(Failed::unread(pfh::Error::NotComplete(Box::new(record))))
        }
        record => Ok(record.and_then(|record| record.digests.first().map(ToString::to_string)).unwrap_or_default()),
    }
}

/// Returns the metadata of a source that can be read more than once.
fn metadata_of(source: &OsStr) -> Option<fs::Metadata> {
    fs::metadata(source).ok().filter(|metadata| metadata.is_file() && source != "-")
}

/// The state of a source before it is opened. Its rows and its digest are read one after the other, and are of the same
/// bytes only if the state stays.
struct State(Option<(u64, u64, u64, i64, i64)>);

impl State {
    fn of(source: &OsStr) -> State {
        let state = |one: fs::Metadata| (one.dev(), one.ino(), one.len(), one.mtime(), one.mtime_nsec());
        State(metadata_of(source).map(state))
    }

    /// Refuses a source that is in another state now.
    fn refuse_changed(&self, source: &OsStr) -> Result<(), Failed> {
        if State::of(source).0 == self.0 {
            return Ok(());
        }
        let source = message::quoted(source.as_bytes());
        Err(Failed::unread(format_args!("{source}: the source changed while it was read")))
    }
}

/// Whether a name is that of a delta of NSRL, which has the definition of its tables beside it in an archive.
fn is_delta(name: &[u8]) -> bool {
    name.ends_with(b".sql") && !name.ends_with(b".schema.sql")
}

/// The algorithms that a source lacks, if it is of no use.
const WANTED: &str = "the algorithms of the set (-a names others)";

/// The same where the source has similarity digests, which no set can have.
const SIMILAR: &str = "the algorithms of the set (similar files are found by the list: `pfh match --known LIST`)";

/// Returns a row of a database as one of a set.
fn row_of<'a>(row: &pfh_nsrl::Row<'a>) -> Row<'a> {
    let pfh_nsrl::Row { digests, size, name, package, product, category } = *row;
    Row { digests, size, name, product, category, package: package.unwrap_or(0) }
}

/// The last database of NSRL, which deltas after it change.
struct Before {
    kind: pfh_nsrl::Kind,
    /// The number of its source.
    base: usize,
    /// The release of it, or of the last delta after it. Parts that none of them told are empty.
    release: pfh_nsrl::Release,
}

impl Before {
    /// Refuses a delta that leads to a release to which none can lead from here, as far as both are told.
    fn judge(&self, to: &pfh_nsrl::Release) -> Result<(), String> {
        if let (Some(own), Some(other)) = (to.collection(), self.release.collection())
            && own != other
        {
            return Err(format!("it is a delta of the {own} set, and the database before it is of the {other} set"));
        }
        let (leads_to, before) = (&to.version, &self.release.version);
        if !leads_to.is_empty() && leads_to <= before {
            return Err(format!("it leads to release {leads_to}, and {before} is before it: give deltas in order"));
        }
        Ok(())
    }

    /// Goes on to the release that a delta leads to, unless it is refused.
    fn follow(&mut self, to: pfh_nsrl::Release) -> Result<(), String> {
        self.judge(&to)?;
        if !to.version.is_empty() {
            self.release.version = to.version;
        }
        if self.release.set.is_empty() {
            self.release.set = to.set;
        }
        Ok(())
    }
}

/// Adds a database, or a delta of one; `None` if the source is neither. `before` is the last database of NSRL.
fn add_database(
    importer: &mut Importer,
    source: &OsStr,
    arguments: &BuildArguments,
    command: &Command,
    before: &mut Option<Before>,
) -> Result<Option<Loaded>, Failed> {
    if source == "-" || arguments.columns.is_some() || arguments.format.is_some() {
        return Ok(None);
    }
    let state = State::of(source);
    let broken = RefCell::new(BrokenLines::new(source.as_bytes(), arguments.quiet));
    let mut adding = Adding { importer, source, arguments, command, broken, rows: Rows::default() };
    let read = match pfh_list::open_wanted(Path::new(source), is_delta) {
        Ok(Some((name, delta))) => adding.delta(&name, delta, before.as_mut()),
        _ => match adding.opened() {
            Ok(database) => adding.database(database, before),
            // It may be a list, or have one.
            Err(pfh_nsrl::Error::NotADatabase) => return Ok(None),
            Err(error) => Err(adding.database_failed(error)),
        },
    };
    // An interruption is the caller's to report.
    if !command.cancel().is_cancelled() {
        read?;
        state.refuse_changed(source)?;
    }
    Ok(Some(adding.end()))
}

/// A database, or a delta of one, that is being added.
struct Adding<'a> {
    importer: &'a mut Importer,
    source: &'a OsStr,
    arguments: &'a BuildArguments,
    command: &'a Command,
    broken: RefCell<BrokenLines>,
    rows: Rows,
}

/// The rows that were added.
#[derive(Default)]
struct Rows {
    /// Whether one of them has a digest by an algorithm of the set.
    is_useful: bool,
    without_digest: u64,
}

impl Rows {
    fn add(&mut self, is_of_use: bool) {
        self.is_useful |= is_of_use;
        self.without_digest += u64::from(!is_of_use);
    }
}

/// Stops rows after a signal.
fn goes_on(command: &Command) -> io::Result<()> {
    if command.cancel().is_cancelled() { Err(interrupted()) } else { Ok(()) }
}

impl Adding<'_> {
    fn path(&self) -> &Path {
        Path::new(self.source)
    }

    fn failed(&self, error: &dyn Display) -> Failed {
        Failed::usage(format_args!("{}: {error}", message::quoted_path(self.path())))
    }

    fn database_failed(&self, error: pfh_nsrl::Error) -> Failed {
        match error {
            // Rows are stopped only by the sorting of the set, and by signals, which the caller reports.
            pfh_nsrl::Error::Temporary(error) | pfh_nsrl::Error::Stopped(error) => Failed::temporary(error),
            pfh_nsrl::Error::Changed => Failed::unread(format_args!("{}: {error}", message::quoted_path(self.path()))),
            error => self.failed(&error),
        }
    }

    fn options(&self) -> pfh_nsrl::Options {
        let products_bytes_max = usize::try_from(self.arguments.memory / 4).unwrap_or(usize::MAX);
        pfh_nsrl::Options { products_bytes_max }
    }

    fn opened(&self) -> Result<pfh_nsrl::Database, pfh_nsrl::Error> {
        if pfh_nsrl::Database::is_in_archive(self.path()) {
            pfh_nsrl::Database::open_zip(self.path(), u64::MAX, &mut |_| goes_on(self.command))
        } else {
            pfh_nsrl::Database::open(self.path())
        }
    }

    /// Adds a database, which deltas after it change.
    fn database(&mut self, mut database: pfh_nsrl::Database, before: &mut Option<Before>) -> Result<(), Failed> {
        let kind = match database.kind() {
            pfh_nsrl::Kind::SleuthKit => "sleuthkit-database",
            pfh_nsrl::Kind::Iped => "iped",
            _ => "nsrl-database",
        };
        let mut origin = origin_of(self.source, kind, self.arguments)?;
        let mut own = database.release().cloned().unwrap_or_default();
        if origin.release.is_empty() {
            (origin.release, origin.date) = (own.version.clone(), own.date.clone());
        }
        let base = self.importer.builder().begin_source(origin).map_err(|error| self.failed(&error))?;
        // No other database has deltas.
        if matches!(database.kind(), pfh_nsrl::Kind::Minimal | pfh_nsrl::Kind::Full) {
            if own.set.is_empty() {
                let name = self.path().file_name().unwrap_or_default().to_string_lossy();
                own.set = pfh_nsrl::Release::from_file_name(&name).map_or_else(String::new, |named| named.set);
            }
            *before = Some(Before { kind: database.kind(), base, release: own });
        }
        let options = self.options();
        let mut row = |row: pfh_nsrl::Row<'_>| {
            goes_on(self.command)?;
            self.rows.add(self.importer.push(&row_of(&row))?);
            Ok(())
        };
        let mut refused = |row| {
            self.broken.borrow_mut().report(&row);
            Ok(())
        };
        let read = database.each(&options, &mut row, &mut refused);
        read.map(drop).map_err(|error| self.database_failed(error))
    }

    /// Adds a delta of the database before it. `name` is that of its file, or in its archive.
    fn delta(&mut self, name: &[u8], delta: impl io::Read, before: Option<&mut Before>) -> Result<(), Failed> {
        let name = String::from_utf8_lossy(name.rsplit(|byte| *byte == b'/').next().unwrap_or_default());
        let input = io::BufReader::with_capacity(1 << 16, delta);
        let mut delta = pfh_nsrl::Delta::new(input, &name, &self.options());
        let named = delta.release().cloned().unwrap_or_default();
        let Some(before) = before else { return Err(self.failed(&"a delta is given after its database")) };
        // That of the minimal set would leave rows of deleted files, of which a full set has more.
        if before.kind == pfh_nsrl::Kind::Full {
            if named.set.contains("minimal") {
                let reason = "it is a delta of a minimal set, and the database before it is a full one: take the minimal \
                              database, or the delta of the full set";
                return Err(self.failed(&reason));
            }
            return Err(self.failed(&pfh_nsrl::DeltaError::FullSet));
        }
        before.judge(&named).map_err(|reason| self.failed(&reason))?;
        let mut origin = origin_of(self.source, "nsrl-delta", self.arguments)?;
        if origin.release.is_empty() {
            origin.release = named.version;
        }
        self.importer.builder().begin_delta(origin, before.base).map_err(|error| self.failed(&error))?;
        let mut change = |change: pfh_nsrl::Change<'_>| {
            goes_on(self.command)?;
            self.rows.add(match change {
                pfh_nsrl::Change::Insert(row) => self.importer.push(&row_of(&row))?,
                pfh_nsrl::Change::Delete(row) if row.size.is_some() && row.package.is_some() => {
                    self.importer.builder().delete(&row_of(&row))?
                }
                pfh_nsrl::Change::Delete(_) => {
                    self.broken.borrow_mut().report(&"a deletion whose size or package is no number");
                    return Ok(());
                }
            });
            Ok(())
        };
        let mut refused = |statement| {
            self.broken.borrow_mut().report(&statement);
            Ok(())
        };
        let changed = delta.each(&mut change, &mut refused);
        let counts = changed.map_err(|error| match error {
            pfh_nsrl::DeltaError::Stopped(error) => Failed::temporary(error),
            error => self.failed(&error),
        })?;
        // A release may have changed no file.
        let is_empty = counts.inserted + counts.deleted + counts.refused == 0;
        self.rows.is_useful |= is_empty && delta.release().is_some();
        // Its statements may tell another release than its name.
        let leads_to = delta.release().cloned().unwrap_or_default();
        if leads_to.quarters_after(&before.release).is_some_and(|quarters| quarters > 1) {
            self.broken.borrow_mut().report(&format_args!(
                "it leads to release {}, and {} is before it: the delta of a quarter in between is missing",
                leads_to.version, before.release.version
            ));
        }
        before.follow(leads_to).map_err(|reason| self.failed(&reason))
    }

    /// Ends the source, of which rows were added.
    fn end(self) -> Loaded {
        let Rows { is_useful, without_digest } = self.rows;
        let loaded = self.broken.into_inner().end(Contents::default(), is_useful, without_digest, WANTED, "");
        if let Some(origin) = self.importer.builder().origin() {
            origin.refused += loaded.broken;
        }
        loaded
    }
}

fn check(arguments: &CheckArguments) -> Result<Ending, Failed> {
    let mut command = Command::printing()?;
    let cancel = command.cancel().clone();
    let mut progress = |_| if cancel.is_cancelled() { Err(interrupted()) } else { Ok(()) };
    let links = pfh_nsrl::verify_chain(&arguments.archive, &pfh_nsrl::ChainOptions::default(), &mut progress);
    let links = match links {
        Ok(links) => links,
        Err(_) if cancel.is_cancelled() => return command.finish(Err(interrupted()), 0, None),
        Err(error) => {
            return Err(Failed::usage(format_args!("{}: {error}", message::quoted_path(&arguments.archive))));
        }
    };
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
    match BloomFile::open(&arguments.set) {
        Ok(filter) => return info_of_filter(&filter, arguments),
        Err(error @ BloomError::Damaged) => {
            return Err(Failed::usage(format_args!("{}: {error}", message::quoted_path(&arguments.set))));
        }
        Err(_) => {}
    }
    let set = verdicts::open_any_set(&arguments.set)?;
    let failed = |error: io::Error| Failed::unread(format_args!("{}: {error}", message::quoted_path(&arguments.set)));
    let intact = if arguments.verify { Some(set.is_intact().map_err(failed)?) } else { None };
    let about = set.about();
    let mut command = Command::printing()?;
    if arguments.json {
        let mut facts = set.to_json();
        facts["intact"] = intact.into();
        command.write(format!("{facts}\n").as_bytes());
    } else {
        let mut text = format!("entries   {}\nbytes     {}\n", Count(set.entries()), Count(set.file_bytes()));
        for algorithm in set.algorithms() {
            text += &format!("{:<9} {}\n", algorithm.name(), Count(set.len(algorithm)));
        }
        if let Some(blocks) = &about.blocks {
            text += &format!("blocks    of {} bytes, of {} files\n", Count(about.block_bytes), Count(blocks.files));
        }
        let lines = if about.blocks.is_some() { "blocks" } else { "lines" };
        text += &format!("built by  {}, of {} {lines}\n", message::escaped_lines(&about.program), Count(about.rows));
        for origin in &about.sources {
            let Origin { name, format, bytes, sha256, release, date, class, note, rows, refused, entries, .. } = origin;
            let guessed = origin.guessed.join(", ");
            text += &format!("\nsource    {}\n", message::quoted(name.as_bytes()));
            text +=
                &format!("  class   {class}\n  {lines:<7} {}, {} of which are shown\n", Count(*rows), Count(*entries));
            if *refused > 0 {
                let refused = plural(*refused, if about.blocks.is_some() { "file" } else { "line" });
                text += &format!("  refused {refused} that could not be read, or had no digest\n");
            }
            if origin.left_out > 0 {
                text += &format!("  omitted {}, by the sets of --except and --common\n", Count(origin.left_out));
            }
            for (word, sets) in [("except", &origin.except), ("common", &origin.common)] {
                for set in sets {
                    let (name, sha256) = (message::quoted(set.name.as_bytes()), message::escaped_lines(&set.sha256));
                    text += &format!("  {word:<7} {name}, sha256 {sha256}\n");
                }
            }
            let facts = [
                ("guessed", &guessed),
                ("format", format),
                ("release", release),
                ("date", date),
                ("note", note),
                ("sha256", sha256),
            ];
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

fn info_of_filter(filter: &BloomFile, arguments: &InfoArguments) -> Result<Ending, Failed> {
    if arguments.verify {
        return Err(Failed::usage("--verify: a Bloom filter has nothing by which it could be verified"));
    }
    let BloomShape { capacity, probability, hashes, bits, .. } = filter.shape();
    let algorithm = filter.algorithm().map(Algorithm::name);
    let text = if arguments.json {
        let facts = serde_json::json!({
            "format": "bloom", "algorithm": algorithm, "values": filter.values(), "capacity": capacity,
            "probability": probability, "hash_functions": hashes, "bits": bits,
        });
        format!("{facts}\n")
    } else {
        format!(
            "Bloom filter of DCSO, version 1\nalgorithm {}\nvalues    {} of {}\nbits      {}, {hashes} for each value\n\
             false     {probability} of the digests that it was not given\n",
            algorithm.unwrap_or("unknown"),
            Count(filter.values()),
            Count(capacity),
            Count(bits)
        )
    };
    Command::printing()?.print(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_source_that_changes_is_refused() {
        let directory = tempfile::tempdir().unwrap();
        let source = directory.path().join("list");
        let source = source.as_os_str();
        let write = |text: &str| fs::write(source, text).unwrap();
        let is_refused = |state: &State| state.refuse_changed(source).is_err();
        write("one");
        let state = State::of(source);
        assert!(!is_refused(&state));
        write("one more");
        assert!(is_refused(&state), "it was appended to");
        let state = State::of(source);
        fs::write(directory.path().join("other"), "one more").unwrap();
        fs::rename(directory.path().join("other"), source).unwrap();
        assert!(is_refused(&state), "another file has its name");
        let state = State::of(source);
        fs::remove_file(source).unwrap();
        assert!(is_refused(&state), "it is gone");
        assert!(!is_refused(&State::of(source)), "nothing is told of what is no file");
    }
}
