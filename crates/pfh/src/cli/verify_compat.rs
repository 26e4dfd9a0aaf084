//! `pfh verify --compat`: the outputs of other programs.

use super::command::{Command, Item, Reporting};
use super::common_args::{KeyArguments, WalkArguments};
use super::ended::lock;
use super::exit::{Ending, Failed};
use super::gather::start_error_of;
use super::output::OwnFiles;
use super::verify_args::VerifyArguments;
use super::{lists, message, reading};
use pfh::HashRun;
use pfh_digest::{Algorithm, Digest};
use pfh_fixity::{File, HashdeepAudit, HashdeepResult};
use pfh_list::{Entry, FileIdentity, Input, List};
use pfh_record::{Coreutils, DigestKind, FormatName, Outcome, ReadOptions, Record, Selection};
use pfh_source::{FileList, WalkOptions};
use std::collections::VecDeque;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::{self, BufRead, BufReader, Write};
use std::ops::ControlFlow;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path;
use std::sync::{Arc, Mutex};

/// The algorithms of hashdeep 4.4, in its order.
const HASHDEEP: [&str; 5] = ["md5", "sha1", "sha256", "tiger", "whirlpool"];

/// Does what `hashdeep -r -a -k LIST ROOT` does; names are as in the list: relative (`-l`) or absolute.
pub(super) fn hashdeep(arguments: &VerifyArguments) -> Result<Ending, Failed> {
    let Some(root) = &arguments.root else {
        return Err(Failed::usage("--compat hashdeep: name the directory to audit, as for hashdeep itself"));
    };
    refuse_keys(arguments, "hashdeep")?;
    let mut command = begin(arguments)?;
    let list = lists::open(&arguments.list, ReadOptions::default());
    if command.cancel().is_cancelled() {
        return command.finish(Ok(()), 0, None);
    }
    let mut list = list?.unjoined();
    if list.header().format != FormatName::Hashdeep {
        return Err(Failed::usage("--compat hashdeep: hashdeep reads only its own lists; leave the option out"));
    }
    let is_absolute = list.first_path().is_some_and(|path| path.first() == Some(&b'/'));
    let (mut audit, mut algorithms) = (HashdeepAudit::default(), Vec::new());
    let name = list.name().to_vec();
    let mut broken = lists::BrokenLines::new(&name, arguments.quiet);
    let own_files = replaced(arguments, &command);
    for entry in broken.entries(&mut list) {
        if own_files.as_ref().is_some_and(|own| is_own(own, &entry.path)) {
            return Err(reading::is_output(&entry.path));
        }
        let mut file = File { size: entry.expected.size, ..File::new(entry.path) };
        file.digests = in_order(&entry.digests);
        for digest in &file.digests {
            if !algorithms.contains(&digest.algorithm()) {
                algorithms.push(digest.algorithm());
            }
        }
        audit.add(file);
        if audit.memory_bytes() > arguments.engine.memory / 2 {
            return Err(Failed::usage(
                "--compat hashdeep keeps the list in memory, as hashdeep does, and it does not fit; raise --memory, or leave the option out",
            ));
        }
    }
    command.count_lines(broken.count);
    let root = if is_absolute {
        path::absolute(root)
            .map_err(|error| Failed::usage(format_args!("{}: {error}", message::quoted(root.as_bytes()))))?
    } else {
        root.into()
    };
    let selection: Selection = (&algorithms[..]).into();
    let mut output = command.output();
    let mut written = Ok(());
    let verbosity = arguments.verbose;
    let mut deliver = |record: Record| {
        if record.outcome != Outcome::Complete {
            if let Outcome::Unreadable { error, .. } = &record.outcome {
                message::plain(format_args!(
                    "{}: {}",
                    String::from_utf8_lossy(&record.path),
                    system_message(error.errno)
                ));
            }
            return ControlFlow::Continue(());
        }
        let mut file = File { size: record.size(), ..File::new(record.path) };
        file.digests = in_order(&record.digests);
        let (least, result) = match audit.take(&file) {
            HashdeepResult::Partial(name) => (0, [b"Hash collision with ", name].concat()),
            HashdeepResult::Moved(name) => (2, [b"Moved from ", name].concat()),
            HashdeepResult::New => (2, b"No match".to_vec()),
            HashdeepResult::Match => (3, b"Ok".to_vec()),
        };
        if verbosity >= least {
            written = output.write_all(&[&file.path[..], b": ", &result, b"\n"].concat());
        }
        if written.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    };
    run(arguments, &mut command, selection, (vec![root.into_os_string()], None), &mut deliver)?;
    if command.cancel().is_cancelled() || written.is_err() || !command.is_writing() {
        // Files that were not read are not missing.
        command.tally.findings = audit.new + audit.moved;
        command.tally.unread = 0;
        return command.finish(written, 0, None);
    }
    let mut text = Vec::new();
    let mut missing = 0_u64;
    for name in audit.missing() {
        missing += 1;
        if verbosity >= 2 {
            text.extend_from_slice(&[name, b": Known file not used\n"].concat());
        }
    }
    let passes = audit.passes();
    text.extend_from_slice(format!("hashdeep: Audit {}\n", if passes { "passed" } else { "failed" }).as_bytes());
    if verbosity >= 2 {
        // It never counts these.
        text.extend_from_slice(b"   Input files examined: 0\n  Known files expecting: 0\n");
    }
    if verbosity >= 1 {
        let HashdeepAudit { matched, partial, moved, new, .. } = audit;
        let counts = format!(
            "          Files matched: {matched}\nFiles partially matched: {partial}\n            Files moved: {moved}\n        New files found: {new}\n  Known files not found: {missing}\n"
        );
        text.extend_from_slice(counts.as_bytes());
    }
    command.tally.findings = u64::from(!passes);
    command.tally.unread = 0;
    let written = written.and_then(|()| output.write_all(&text));
    command.finish(written, 1, None)
}

/// Returns the digests that hashdeep knows, in its order.
fn in_order(digests: &[Digest]) -> Vec<Digest> {
    HASHDEEP
        .iter()
        .filter_map(|name| digests.iter().find(|digest| digest.algorithm().name() == *name))
        .copied()
        .collect()
}

/// A line of a list for coreutils, until its turn comes.
enum Line {
    /// It is improperly formatted. Its number, and the algorithm that coreutils names there; at first that is CRC.
    Bad(u64, Option<Algorithm>),
    File(Listed),
    /// The name `-`.
    StandardInput(Listed),
}

/// A file of a list, until it was read.
struct Listed {
    path: Vec<u8>,
    digest: Digest,
    /// The reason why it is not read.
    refused: Option<Option<i32>>,
}

/// The list while it is read, and the lines whose files are on their way.
struct GnuList {
    list: List,
    /// The algorithm of all lines, or `None` if each must name its own, as for `cksum --check`.
    algorithm: Option<Algorithm>,
    /// The algorithms of the files that are being read.
    selection: Selection,
    /// A line with another algorithm: another run goes on from there, with that one too.
    waiting: Option<Entry>,
    /// The algorithm that the last line with one has named.
    last: Option<Algorithm>,
    is_standard_input: bool,
    /// The file that the output will replace, which is not to be one of the list.
    own_files: Option<OwnFiles>,
    /// The path that leads to it, at which reading the list has ended.
    own_path: Option<Vec<u8>>,
    lines: VecDeque<Line>,
    formatted: u64,
    misformatted: u64,
}

impl GnuList {
    /// Returns the path of the next file that is to be read, unless that needs an algorithm that the run lacks.
    fn next_path(&mut self) -> Option<Vec<u8>> {
        while self.own_path.is_none() {
            let entry = match self.waiting.take() {
                Some(entry) => entry,
                None => match self.list.next()? {
                    Ok(entry) => entry,
                    Err(error) => {
                        self.bad(error.line);
                        continue;
                    }
                },
            };
            let is_input = entry.path == b"-";
            let is_wanted = |digest: &&Digest| match self.algorithm {
                // `b2sum` takes digests of any length.
                Some(algorithm) => {
                    let found = digest.algorithm();
                    algorithm.with_digest_bytes(found.digest_bytes()) == Some(found)
                }
                None => !entry.algorithm_guessed,
            };
            let digest = entry.digests.first().filter(is_wanted).copied();
            self.last = digest.map(|digest| digest.algorithm()).or(self.last);
            let is_bad = is_input && self.is_standard_input;
            let Some(digest) = digest.filter(|_| !is_bad) else {
                self.bad(entry.line);
                continue;
            };
            if !is_input && !self.selection.algorithms().contains(&digest.algorithm()) {
                self.waiting = Some(entry);
                return None;
            }
            if !is_input && self.own_files.as_ref().is_some_and(|own| is_own(own, &entry.path)) {
                self.own_path = Some(entry.path);
                break;
            }
            self.formatted += 1;
            if is_input {
                self.lines.push_back(Line::StandardInput(Listed { path: entry.path, digest, refused: None }));
                continue;
            }
            let path = OsStr::from_bytes(&entry.path);
            let refused = match fs::metadata(path) {
                Ok(metadata) if metadata.is_dir() => Some(Some(rustix::io::Errno::ISDIR.raw_os_error())),
                Ok(_) => None,
                Err(error) => Some(error.raw_os_error()),
            };
            let is_refused = refused.is_some();
            self.lines.push_back(Line::File(Listed { path: entry.path.clone(), digest, refused }));
            if !is_refused {
                return Some(entry.path);
            }
        }
        None
    }

    /// Adds the algorithm of the waiting line to those of the run. Returns whether there was one.
    fn take_on(&mut self) -> bool {
        let digest = self.waiting.as_ref().and_then(|entry| entry.digests.first());
        self.selection.extend(digest.map(Digest::algorithm));
        self.waiting.is_some()
    }

    fn bad(&mut self, line: u64) {
        self.misformatted += 1;
        self.lines.push_back(Line::Bad(line, self.algorithm.or(self.last)));
    }
}

/// Does what `sha256sum --check LIST` and its kin do, or `cksum --check LIST` if the list names its algorithms.
pub(super) fn gnu(arguments: &VerifyArguments) -> Result<Ending, Failed> {
    if arguments.root.is_some() {
        return Err(Failed::usage("--compat gnu: paths start from the current directory; leave ROOT out"));
    }
    let without_effect = [
        ("--include", !arguments.walk.include.is_empty()),
        ("--exclude", !arguments.walk.exclude.is_empty()),
        ("--sample", arguments.sample.is_some()),
        ("--strip-prefix", arguments.strip_prefix.is_some()),
        ("--structure", arguments.structure),
        ("--ignore-new", arguments.ignore_new),
    ];
    refuse_keys(arguments, "gnu")?;
    if let Some((option, _)) = without_effect.iter().find(|(_, is_given)| *is_given) {
        return Err(Failed::usage(format_args!(
            "--compat gnu checks all lines of the list, as coreutils does: leave {option} out, or --compat"
        )));
    }
    let algorithm = arguments.algorithm.as_deref().map(Algorithm::from_name).transpose().map_err(Failed::usage)?;
    let name = if arguments.list == "-" { "'standard input'".to_owned() } else { shown(arguments.list.as_bytes()) };
    let options = ReadOptions { algorithm, ..ReadOptions::default() };
    let mut command = begin(arguments)?;
    let (opened, imitated) = open_gnu(&arguments.list, options);
    if command.cancel().is_cancelled() {
        return command.finish(Ok(()), 0, None);
    }
    let mut list = match opened {
        Ok(list) => list,
        Err(error) => {
            let program = algorithm.map_or("sha256sum", program);
            message::plain(format_args!("{program}: {name}: {}", system_message(error.raw_os_error())));
            command.tally.findings = 1;
            return command.finish(Ok(()), 0, None);
        }
    };
    let (algorithm, program) = kind_of(&mut list, algorithm, imitated)?;
    let list = GnuList {
        list,
        algorithm,
        selection: algorithm.into_iter().map(DigestKind::from).collect(),
        waiting: None,
        last: None,
        is_standard_input: arguments.list == "-",
        own_files: replaced(arguments, &command),
        own_path: None,
        lines: VecDeque::new(),
        formatted: 0,
        misformatted: 0,
    };
    let list = Arc::new(Mutex::new(list));
    let mut output = command.output();
    let mut results =
        Results { program, name: &name, arguments, written: Ok(()), matched: 0, mismatched: 0, unread: 0 };
    let cancel = command.cancel().clone();
    loop {
        let selection = lock(&list).selection.clone();
        // Before the first line there is no algorithm.
        if !selection.is_empty() {
            let files = Arc::clone(&list);
            let files = FileList::of("the list", move || Ok(lock(&files).next_path()));
            let mut deliver = |record: Record| {
                // Nothing is known of files that a signal kept from being read.
                while !cancel.is_cancelled() && results.written.is_ok() {
                    let line = lock(&list).lines.pop_front();
                    match line {
                        None => break,
                        Some(Line::File(file)) if file.refused.is_none() => {
                            let found = match &record.outcome {
                                Outcome::Complete => Ok(&record.digests[..]),
                                Outcome::Unreadable { error, .. } => Err(error.errno),
                                Outcome::NotReached => break,
                                _ => Err(Some(rustix::io::Errno::IO.raw_os_error())),
                            };
                            results.file(&file, found, &mut output);
                            return ControlFlow::Continue(());
                        }
                        Some(line) => results.line(line, &mut output),
                    }
                }
                ControlFlow::Break(())
            };
            run(arguments, &mut command, selection, (vec![], Some(files)), &mut deliver)?;
        } else {
            lock(&list).next_path();
        }
        if cancel.is_cancelled() || results.written.is_err() || !command.is_writing() {
            command.tally.findings = results.mismatched + results.unread;
            command.tally.unread = 0;
            return command.finish(results.written, 0, None);
        }
        let mut list = lock(&list);
        if let Some(path) = &list.own_path {
            return Err(reading::is_output(path));
        }
        if !list.take_on() {
            break;
        }
    }
    let mut list = lock(&list);
    while let Some(line) = list.lines.pop_front() {
        results.line(line, &mut output);
    }
    let is_verified = results.end(list.formatted, list.misformatted);
    command.tally.findings = u64::from(!is_verified);
    command.tally.unread = 0;
    command.finish(results.written, 1, None)
}

/// Returns the algorithm of all lines of a list for coreutils, or `None` if each names its own, and the program that
/// checks such lists. `named` is the algorithm of the command line.
fn kind_of(
    list: &mut List,
    named: Option<Algorithm>,
    imitated: Coreutils,
) -> Result<(Option<Algorithm>, &'static str), Failed> {
    if imitated == Coreutils::Cksum {
        return Ok((None, "cksum"));
    }
    let first = match list.first_kind() {
        Some(DigestKind::Algorithm(first)) => Some(first),
        _ => None,
    };
    // Of a list without a digest nothing is checked, by whatever algorithm.
    let algorithm = named.or(first).map_or_else(|| Algorithm::from_name("sha256"), Ok);
    let algorithm = algorithm.map_err(Failed::internal)?;
    Ok((Some(algorithm), program(algorithm)))
}

/// Whether the first line of a list that is no comment begins with the name of an algorithm.
fn begins_with_tag(list: &[u8]) -> bool {
    let mut lines = list.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii);
    let first = lines.find(|line| !line.is_empty() && !line.starts_with(b"#")).unwrap_or_default();
    let tag = first.strip_prefix(b"\\").unwrap_or(first).split(|byte| *byte == b'(').next().unwrap_or_default();
    let is_name = |tag: &str| Algorithm::from_name(tag).is_ok();
    tag.len() < first.len() && str::from_utf8(tag.trim_ascii_end()).is_ok_and(is_name)
}

/// Opens a list for coreutils. Also returns the program that would check it.
fn open_gnu(path: &OsStr, options: ReadOptions) -> (io::Result<List>, Coreutils) {
    let mut reader = match reading::open_input(path) {
        Ok(reader) => BufReader::new(reader),
        Err(error) => return (Err(error), Coreutils::Sum),
    };
    let imitated = match reader.fill_buf() {
        Ok(start) if options.algorithm.is_none() && begins_with_tag(start) => Coreutils::Cksum,
        Ok(_) => Coreutils::Sum,
        Err(error) => return (Err(error), Coreutils::Sum),
    };
    // Lines without tags are not taken to be by the algorithm in the name of a list that has tags.
    let name = if imitated == Coreutils::Cksum { b"-" } else { path.as_bytes() };
    let options = ReadOptions { coreutils: Some(imitated), ..options };
    let list = List::open_as(FormatName::Gnu, Input::reader(name, reader), options);
    (list.map(List::unjoined).map_err(|error| io::Error::other(error.to_string())), imitated)
}

/// Returns the digest of standard input, or the number of the error.
fn digest_of_input(algorithm: Algorithm) -> Result<Digest, Option<i32>> {
    let failed = |error: io::Error| error.raw_os_error();
    let mut input = BufReader::new(message::standard_input().map_err(failed)?.lock());
    let mut hasher = algorithm.hasher();
    loop {
        let bytes = match input.fill_buf() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            bytes => bytes.map_err(failed)?,
        };
        if bytes.is_empty() {
            return Ok(hasher.finish());
        }
        hasher.update(bytes);
        let count = bytes.len();
        input.consume(count);
    }
}

/// The results of files, as coreutils counts and prints them.
struct Results<'a> {
    program: &'static str,
    /// The name of the list.
    name: &'a str,
    arguments: &'a VerifyArguments,
    written: io::Result<()>,
    matched: u64,
    mismatched: u64,
    unread: u64,
}

impl Results<'_> {
    /// Tells of a line whose file, if it has one, was not read by the run.
    fn line(&mut self, line: Line, output: &mut impl Write) {
        match line {
            Line::File(file) => self.file(&file, Err(file.refused.flatten()), output),
            Line::StandardInput(file) => {
                let found = digest_of_input(file.digest.algorithm());
                self.file(&file, found.as_ref().map(std::slice::from_ref).map_err(|errno| *errno), output);
            }
            Line::Bad(number, of) if self.arguments.warn => {
                let Results { program, name, .. } = self;
                let of = match of.map(Algorithm::name) {
                    None => "CRC".to_owned(),
                    Some(name) if name.starts_with("blake2b") => "BLAKE2b".to_owned(),
                    Some(name) => name.to_uppercase(),
                };
                message::plain(format_args!("{program}: {name}: {number}: improperly formatted {of} checksum line"));
            }
            Line::Bad(..) => {}
        }
    }

    /// Tells the totals of a list that has this many proper lines, and others. Returns whether it is verified.
    fn end(&self, formatted: u64, misformatted: u64) -> bool {
        let Results { program, name, arguments, matched, mismatched, unread, .. } = *self;
        let plain = |text: String| message::plain(format_args!("{program}: {text}"));
        if formatted == 0 {
            plain(format!("{name}: no properly formatted checksum lines found"));
        } else if !arguments.status {
            let is = |count: u64| if count == 1 { " is" } else { "s are" };
            let s = |count: u64| if count == 1 { "" } else { "s" };
            if misformatted > 0 {
                plain(format!("WARNING: {misformatted} line{} improperly formatted", is(misformatted)));
            }
            if unread > 0 {
                plain(format!("WARNING: {unread} listed file{} could not be read", s(unread)));
            }
            if mismatched > 0 {
                plain(format!("WARNING: {mismatched} computed checksum{} did NOT match", s(mismatched)));
            }
            if arguments.ignore_missing && matched == 0 {
                plain(format!("{name}: no file was verified"));
            }
        }
        formatted > 0
            && mismatched + unread == 0
            && (!arguments.ignore_missing || matched > 0)
            && !(arguments.strict && misformatted > 0)
    }

    /// Tells of a file with its digests, or with the number of the error.
    fn file(&mut self, file: &Listed, found: Result<&[Digest], Option<i32>>, output: &mut impl Write) {
        let VerifyArguments { quiet, status, ignore_missing, .. } = *self.arguments;
        let result = match found {
            Err(errno) => {
                if ignore_missing && errno == Some(rustix::io::Errno::NOENT.raw_os_error()) {
                    return;
                }
                self.unread += 1;
                message::plain(format_args!("{}: {}: {}", self.program, shown(&file.path), system_message(errno)));
                "FAILED open or read"
            }
            Ok(digests) if digests.contains(&file.digest) => {
                self.matched += 1;
                if quiet {
                    return;
                }
                "OK"
            }
            Ok(_) => {
                self.mismatched += 1;
                "FAILED"
            }
        };
        if !status && self.written.is_ok() {
            let mut text = Vec::new();
            // Only names with line feeds are escaped here, and then carriage returns, too.
            if file.path.contains(&b'\n') {
                text.push(b'\\');
                pfh_record::push_escaped_name(&file.path, &mut text);
            } else {
                text.extend_from_slice(&file.path);
            }
            text.extend_from_slice(format!(": {result}\n").as_bytes());
            self.written = output.write_all(&text);
        }
    }
}

/// Returns the program of coreutils for an algorithm.
fn program(algorithm: Algorithm) -> &'static str {
    match algorithm.name() {
        "md5" => "md5sum",
        "sha1" => "sha1sum",
        "sha224" => "sha224sum",
        "sha256" => "sha256sum",
        "sha384" => "sha384sum",
        "sha512" => "sha512sum",
        name if name.starts_with("blake2b") => "b2sum",
        _ => "cksum",
    }
}

/// Returns a name as coreutils shows it in messages: in quotes if a shell would need that.
fn shown(name: &[u8]) -> String {
    let quoted = message::quoted(name);
    let text = String::from_utf8_lossy(name);
    // Where that escapes something, coreutils uses several kinds of quotes.
    if quoted.len() != name.len() + 2 || text.contains('\'') {
        return quoted;
    }
    let is_special = |character: char| " !\"$&()*:;<=>?[\\^`|".contains(character);
    if text.is_empty() || matches!(&*text, "{" | "}") || text.starts_with(['#', '~']) || text.contains(is_special) {
        format!("'{text}'")
    } else {
        text.into_owned()
    }
}

/// Returns the system's words for an error.
fn system_message(errno: Option<i32>) -> String {
    let Some(errno) = errno else { return "Input/output error".to_owned() };
    let text = io::Error::from_raw_os_error(errno).to_string();
    text.split(" (os error").next().unwrap_or_default().to_owned()
}

/// Refuses keys, which no list of these programs needs.
fn refuse_keys(arguments: &VerifyArguments, program: &str) -> Result<(), Failed> {
    let KeyArguments { key_file, derive_key, .. } = &arguments.keys;
    let option = match (key_file, derive_key) {
        (Some(_), _) => "--key-file",
        (None, Some(_)) => "--derive-key",
        (None, None) => return Ok(()),
    };
    Err(Failed::usage(format_args!(
        "--compat {program} does what a program without keyed digests does: leave {option} out, or --compat"
    )))
}

/// Returns the file that the output will replace, if there is one.
fn replaced(arguments: &VerifyArguments, command: &Command) -> Option<OwnFiles> {
    let output = command.output();
    let replaces = arguments.output.is_some() && output.lock().output.replaced().is_some();
    replaces.then(|| output.own_files())
}

/// Whether a path leads to one of these files.
fn is_own(own: &OwnFiles, path: &[u8]) -> bool {
    let found = fs::metadata(OsStr::from_bytes(path));
    found.is_ok_and(|found| own.has(FileIdentity::new(found.dev(), found.ino()), || path.to_vec()))
}

/// Begins the command.
fn begin(arguments: &VerifyArguments) -> Result<Command, Failed> {
    let reporting = Reporting { quiet: true, verbose: false, progress: arguments.progress, allow_empty: true };
    let mut command = Command::begin(reporting, None);
    command.without_totals();
    command.set_output(reading::open_output(arguments.output.as_deref(), [arguments.list.as_os_str()])?);
    Ok(command)
}

/// Reads files and delivers their records, without messages of ours about them.
fn run(
    arguments: &VerifyArguments,
    command: &mut Command,
    selection: Selection,
    (paths, files): (Vec<OsString>, Option<FileList>),
    deliver: &mut (dyn FnMut(Record) -> ControlFlow<()> + Send),
) -> Result<(), Failed> {
    let mut engine = reading::engine_options(&arguments.engine, selection);
    engine.memory_bytes = arguments.engine.memory / 2;
    engine.backend = reading::backend(arguments.engine.backend)?;
    let walk = WalkOptions {
        medium: arguments.engine.medium.map(Into::into),
        io: arguments.engine.io.into(),
        ..reading::walk_options(&paths, &WalkArguments::default(), files)
    };
    pfh_source::raise_open_file_limit();
    let (source, engine) = HashRun { walk, engine }.into_parts().map_err(Failed::usage)?;
    let prepare = |record: Record| {
        let mut item = Item::new(&record, ());
        item.is_unread = false;
        item.warning = None;
        item.map(|()| record)
    };
    let report = command.hash(&engine, &source, None, &prepare, deliver);
    report.map_err(|error| start_error_of(error, arguments.engine.memory))?;
    Ok(())
}
