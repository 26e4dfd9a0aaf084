//! `pfh verify --compat`: the outputs of other programs.

use super::command::{Command, Item, Reporting};
use super::common_args::WalkArguments;
use super::ended::lock;
use super::exit::{Ending, Failed};
use super::gather::start_error_of;
use super::verify_args::VerifyArguments;
use super::{lists, message, reading};
use pfh::HashRun;
use pfh_digest::{Algorithm, Digest};
use pfh_fixity::{File, HashdeepAudit, HashdeepResult};
use pfh_list::{Input, List};
use pfh_record::{DigestKind, FormatName, Outcome, ReadOptions, Record, Selection};
use pfh_source::{FileList, WalkOptions};
use std::collections::VecDeque;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::{self, BufRead, BufReader, Write};
use std::ops::ControlFlow;
use std::os::unix::ffi::OsStrExt;
use std::path;
use std::sync::{Arc, Mutex};

/// The algorithms of hashdeep 4.4, in its order.
const HASHDEEP: [&str; 5] = ["md5", "sha1", "sha256", "tiger", "whirlpool"];

/// Does what `hashdeep -r -a -k LIST ROOT` does; names are as in the list: relative (`-l`) or absolute.
pub(super) fn hashdeep(arguments: &VerifyArguments) -> Result<Ending, Failed> {
    let Some(root) = &arguments.root else {
        return Err(Failed::usage("--compat hashdeep: name the directory to audit, as for hashdeep itself"));
    };
    let mut list = lists::open(&arguments.list, ReadOptions::default())?;
    if list.header().format != FormatName::Hashdeep {
        return Err(Failed::usage("--compat hashdeep: hashdeep reads only its own lists; leave the option out"));
    }
    let is_absolute = list.first_path().is_some_and(|path| path.first() == Some(&b'/'));
    let (mut audit, mut algorithms) = (HashdeepAudit::default(), Vec::new());
    let name = list.name().to_vec();
    let mut broken = lists::BrokenLines::new(&name, arguments.quiet);
    for entry in broken.entries(list) {
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
    let mut command = begin(arguments, broken.count)?;
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
    if command.cancel().is_cancelled() {
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
    /// It is improperly formatted. Its number.
    Bad(u64),
    File(Listed),
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
    algorithm: Algorithm,
    /// Whether the first line begins with a mark of UTF-8, which coreutils does not take.
    has_mark: bool,
    lines: VecDeque<Line>,
    formatted: u64,
    misformatted: u64,
}

impl GnuList {
    /// Returns the path of the next file that is to be read.
    fn next_path(&mut self) -> Option<Vec<u8>> {
        loop {
            let entry = match self.list.next()? {
                Ok(entry) => entry,
                Err(error) => {
                    self.bad(error.line);
                    continue;
                }
            };
            let digest = entry.digests.first().filter(|digest| digest.algorithm() == self.algorithm).copied();
            let Some(digest) = digest.filter(|_| !(self.has_mark && entry.line == 1)) else {
                self.bad(entry.line);
                continue;
            };
            self.formatted += 1;
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
    }

    fn bad(&mut self, line: u64) {
        self.misformatted += 1;
        self.lines.push_back(Line::Bad(line));
    }
}

/// Does what `sha256sum --check LIST` and its kin do.
pub(super) fn gnu(arguments: &VerifyArguments) -> Result<Ending, Failed> {
    if arguments.root.is_some() {
        return Err(Failed::usage("--compat gnu: paths start from the current directory; leave ROOT out"));
    }
    let algorithm = arguments.algorithm.as_deref().map(Algorithm::from_name).transpose().map_err(Failed::usage)?;
    let name = if arguments.list == "-" { "'standard input'".to_owned() } else { shown(arguments.list.as_bytes()) };
    let options = ReadOptions { algorithm, ..ReadOptions::default() };
    let (opened, has_mark) = open_gnu(&arguments.list, options);
    let (algorithm, program, list) = match opened {
        Ok(mut list) => {
            let first = match list.first_kind() {
                Some(DigestKind::Algorithm(first)) => Some(first),
                _ => None,
            };
            // Of a list without a digest nothing is checked, by whatever algorithm.
            let algorithm = algorithm.or(first).map_or_else(|| Algorithm::from_name("sha256"), Ok);
            let algorithm = algorithm.map_err(Failed::internal)?;
            (algorithm, program(algorithm), list)
        }
        Err(error) => {
            let program = algorithm.map_or("sha256sum", program);
            message::plain(format_args!("{program}: {name}: {}", system_message(error.raw_os_error())));
            let mut command = begin(arguments, 0)?;
            command.tally.findings = 1;
            return command.finish(Ok(()), 0, None);
        }
    };
    let mut command = begin(arguments, 0)?;
    let list = GnuList { list, algorithm, has_mark, lines: VecDeque::new(), formatted: 0, misformatted: 0 };
    let list = Arc::new(Mutex::new(list));
    let files = {
        let list = Arc::clone(&list);
        reading::list_of(move || Ok(lock(&list).next_path()))
    };
    let mut output = command.output();
    let of = algorithm.name().to_uppercase();
    let mut results =
        Results { program, name: &name, of: &of, arguments, written: Ok(()), matched: 0, mismatched: 0, unread: 0 };
    let mut deliver = |record: Record| {
        loop {
            let line = lock(&list).lines.pop_front();
            match line {
                None => return ControlFlow::Break(()),
                Some(Line::File(file)) if file.refused.is_none() => {
                    results.file(&file, Some(&record), &mut output);
                    return if results.written.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) };
                }
                Some(line) => results.line(line, &mut output),
            }
        }
    };
    run(arguments, &mut command, algorithm.into(), (vec![], Some(files)), &mut deliver)?;
    let mut list = lock(&list);
    while let Some(line) = list.lines.pop_front() {
        results.line(line, &mut output);
    }
    let Results { written, matched, mismatched, unread, .. } = results;
    let plain = |text: String| message::plain(format_args!("{program}: {text}"));
    if list.formatted == 0 {
        plain(format!("{name}: no properly formatted checksum lines found"));
    } else if !arguments.status {
        let (is, s) =
            (|count: u64| if count == 1 { " is" } else { "s are" }, |count: u64| if count == 1 { "" } else { "s" });
        if list.misformatted > 0 {
            plain(format!("WARNING: {} line{} improperly formatted", list.misformatted, is(list.misformatted)));
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
    let is_verified = list.formatted > 0
        && mismatched + unread == 0
        && (!arguments.ignore_missing || matched > 0)
        && !(arguments.strict && list.misformatted > 0);
    command.tally.findings = u64::from(!is_verified);
    command.tally.unread = 0;
    command.finish(written, 1, None)
}

/// Opens a list for coreutils. Also returns whether it begins with a mark of UTF-8.
fn open_gnu(path: &OsStr, options: ReadOptions) -> (io::Result<List>, bool) {
    let mut reader = match reading::open_input(path) {
        Ok(reader) => BufReader::new(reader),
        Err(error) => return (Err(error), false),
    };
    let has_mark = match reader.fill_buf() {
        Ok(start) => start.starts_with(b"\xef\xbb\xbf"),
        Err(error) => return (Err(error), false),
    };
    let list = List::open_as(FormatName::Gnu, Input::reader(path.as_bytes(), reader), options);
    (list.map_err(|error| io::Error::other(error.to_string())), has_mark)
}

/// The results of files, as coreutils counts and prints them.
struct Results<'a> {
    program: &'static str,
    /// The name of the list.
    name: &'a str,
    /// The algorithm in upper case.
    of: &'a str,
    arguments: &'a VerifyArguments,
    written: io::Result<()>,
    matched: u64,
    mismatched: u64,
    unread: u64,
}

impl Results<'_> {
    /// Tells of a line whose file, if it has one, was not read.
    fn line(&mut self, line: Line, output: &mut impl Write) {
        match line {
            Line::File(file) => self.file(&file, None, output),
            Line::Bad(number) if self.arguments.warn => {
                let Results { program, name, of, .. } = self;
                message::plain(format_args!("{program}: {name}: {number}: improperly formatted {of} checksum line"));
            }
            Line::Bad(_) => {}
        }
    }

    fn file(&mut self, file: &Listed, record: Option<&Record>, output: &mut impl Write) {
        let VerifyArguments { quiet, status, ignore_missing, .. } = *self.arguments;
        let errno = match record.map(|record| &record.outcome) {
            Some(Outcome::Complete) => None,
            Some(Outcome::Unreadable { error, .. }) => Some(error.errno),
            Some(_) => Some(Some(rustix::io::Errno::IO.raw_os_error())),
            None => file.refused,
        };
        let result = match errno {
            Some(errno) => {
                if ignore_missing && errno == Some(rustix::io::Errno::NOENT.raw_os_error()) {
                    return;
                }
                self.unread += 1;
                message::plain(format_args!("{}: {}: {}", self.program, shown(&file.path), system_message(errno)));
                "FAILED open or read"
            }
            None if record.is_some_and(|record| record.digests.contains(&file.digest)) => {
                self.matched += 1;
                if quiet {
                    return;
                }
                "OK"
            }
            None => {
                self.mismatched += 1;
                "FAILED"
            }
        };
        if !status && self.written.is_ok() {
            let mut text = Vec::new();
            // Only names with line feeds are escaped here.
            if file.path.contains(&b'\n') {
                text.push(b'\\');
                for byte in &file.path {
                    match byte {
                        b'\n' => text.extend_from_slice(b"\\n"),
                        b'\\' => text.extend_from_slice(b"\\\\"),
                        byte => text.push(*byte),
                    }
                }
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

/// Returns a name as coreutils shows it in messages: quoted if a shell would need that.
fn shown(name: &[u8]) -> String {
    let is_plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"/._-+,:@%".contains(byte);
    if !name.is_empty() && name.iter().all(is_plain) {
        String::from_utf8_lossy(name).into_owned()
    } else {
        message::quoted(name)
    }
}

/// Returns the system's words for an error.
fn system_message(errno: Option<i32>) -> String {
    let Some(errno) = errno else { return "Input/output error".to_owned() };
    let text = io::Error::from_raw_os_error(errno).to_string();
    text.split(" (os error").next().unwrap_or_default().to_owned()
}

/// Begins the command.
fn begin(arguments: &VerifyArguments, broken: u64) -> Result<Command, Failed> {
    let reporting = Reporting { quiet: true, verbose: false, progress: arguments.progress, allow_empty: true };
    let mut command = Command::begin(reporting, None);
    command.without_totals();
    command.set_output(reading::open_output(arguments.output.as_deref())?);
    command.count_lines(broken);
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
