//! `pfh bag verify`.

use super::bag_args::{BagFormat, VerifyArguments};
use super::bag_files::{self, below, fail, root_of, with_tag_file};
use super::command::{Command, Reporting};
use super::exit::{Ending, Failed};
use super::output::{Output, SharedOutput};
use super::quantity::{Bytes, Count, plural};
use super::reading;
use super::{json_header, message};
use pfh_bag::{Declaration, Finding, FoundKind, Info, Judge, Judged, ManifestName, Plan, Profile, Severity, Wanted};
use pfh_digest::Algorithm;
use pfh_record::jsonl::{end_line, push_bytes_field, push_string};
use pfh_source::{
    Entry, EntryKind, FileIdentity, Found, FoundFile, FoundFiles, LocalHandle, LocalSource, Other, SkipReason, Totals,
    WalkOptions,
};
use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, BufWriter, Seek, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::{Arc, Mutex};

/// Largest profile that is read.
const PROFILE_BYTES_MAX: u64 = 16 << 20;

/// Runs `pfh bag verify`.
pub(crate) fn run(arguments: &VerifyArguments) -> Result<Ending, Failed> {
    let profile = arguments.profile.as_deref().map(|path| {
        let json = reading::read_small(path, PROFILE_BYTES_MAX)?;
        let failed = |error| Failed::usage(format_args!("{}: {error}", message::quoted_path(path)));
        Profile::parse(&json).map_err(failed)
    });
    let profile = profile.transpose()?;
    let wanted = match (arguments.oxum, arguments.complete) {
        (true, _) => Wanted::Oxum,
        (false, true) => Wanted::Complete,
        (false, false) => Wanted::Valid,
    };
    pfh_source::raise_open_file_limit();
    let mut command = Command::begin(Reporting::of(arguments.options.messages, true), None);
    let inputs = arguments.profile.as_ref().map(|profile| profile.as_os_str());
    let output = reading::open_output(arguments.output.as_deref(), inputs)?;
    refuse_report(&output, arguments)?;
    command.set_output(output);
    let mut writer = Writer { output: command.output(), format: arguments.format };
    let (mut sums, mut written) = (Sums::default(), writer.header());
    for path in &arguments.bags {
        let verdict = Verifier { command: &mut command, arguments, wanted, profile: profile.as_ref() }.bag(path)?;
        if command.cancel().is_cancelled() {
            return command.finish(Ok(()), 0, None);
        }
        sums.add(&verdict);
        written = written.and_then(|()| writer.bag(path, verdict));
    }
    command.report_totals();
    written = written.and_then(|()| writer.end(&sums));
    command.tally.findings = sums.not_valid;
    command.finish(written, sums.bags, None)
}

/// Refuses a report that would change a bag that it is about. A new file beside the tag files is permitted.
fn refuse_report(output: &Output, arguments: &VerifyArguments) -> Result<(), Failed> {
    for bag in &arguments.bags {
        let Some(path) = output.below(Path::new(bag)) else { continue };
        if output.replaced().is_some() || path.starts_with("data") || is_tag_file(path.as_os_str().as_bytes()) {
            return Err(Failed::usage(format_args!(
                "the report would change the bag {}: name another file with -o",
                message::quoted(bag.as_bytes())
            )));
        }
    }
    Ok(())
}

/// Whether the standard defines a tag file of this path in a bag.
fn is_tag_file(path: &[u8]) -> bool {
    let is_named = matches!(path, b"bagit.txt" | b"bag-info.txt" | b"package-info.txt" | b"fetch.txt");
    is_named || (!path.contains(&b'/') && ManifestName::parse(path).is_some())
}

/// The result for a bag.
struct Verdict {
    findings: Findings,
    /// Files and directories that could not be read.
    unread: u64,
    /// Absent if it could not be judged.
    judged: Option<Judged>,
    wanted: Wanted,
}

impl Verdict {
    fn is_not_valid(&self) -> bool {
        self.findings.errors > 0
    }

    /// Returns the word for programs.
    fn word(&self) -> &'static str {
        match self.wanted {
            _ if self.is_not_valid() => "not-valid",
            _ if self.unread > 0 || self.judged.is_none() => "undecided",
            Wanted::Oxum => "oxum",
            Wanted::Complete => "complete",
            Wanted::Valid => "valid",
        }
    }

    /// Returns the verdict in plain words.
    fn text(&self) -> String {
        let Findings { errors, warnings, .. } = self.findings;
        let mut text = match self.word() {
            "not-valid" => format!("not valid: {}", plural(errors, "error")),
            "undecided" => "undecided".to_owned(),
            "oxum" => "as many files and bytes as Payload-Oxum states; nothing else was checked".to_owned(),
            "complete" => "complete, but not hashed".to_owned(),
            word => word.to_owned(),
        };
        let mut opening = if self.is_not_valid() { ", " } else { ": " };
        let mut add = |part: String| {
            text += opening;
            text += &part;
            opening = ", ";
        };
        if self.unread > 0 {
            add(format!("{} could not be read", plural(self.unread, "file")));
        }
        if warnings > 0 {
            add(plural(warnings, "warning"));
        }
        if let Some(Judged { version, payload, algorithms, .. }) = &self.judged {
            let names: Vec<_> = algorithms.iter().map(|algorithm| algorithm.name()).collect();
            let by = if names.is_empty() { String::new() } else { format!(", {}", names.join(" and ")) };
            text += &format!(" (BagIt {version}, {} of {}{by})", plural(payload.files, "file"), Bytes(payload.bytes));
        }
        text
    }
}

/// The findings of a bag, which may be many, in a temporary file as they will be printed.
struct Findings {
    file: Option<BufWriter<File>>,
    format: BagFormat,
    errors: u64,
    warnings: u64,
}

impl Findings {
    fn add(&mut self, finding: &Finding) -> io::Result<()> {
        match finding.severity {
            Severity::Error => self.errors += 1,
            Severity::Warning => self.warnings += 1,
        }
        let line = match self.format {
            BagFormat::Text => format!("    {}: {finding}\n", finding.severity.word()).into_bytes(),
            BagFormat::Jsonl => json(finding),
        };
        let file = match &mut self.file {
            Some(file) => file,
            None => self.file.insert(BufWriter::new(tempfile::tempfile()?)),
        };
        file.write_all(&line)
    }

    fn copy(self, output: &mut SharedOutput) -> io::Result<()> {
        let Some(file) = self.file else { return Ok(()) };
        let mut file = file.into_inner().map_err(io::IntoInnerError::into_error)?;
        file.rewind()?;
        io::copy(&mut file, output).map(drop)
    }
}

fn json(finding: &Finding) -> Vec<u8> {
    let mut line = b"{\"type\":\"finding\",\"severity\":\"".to_vec();
    line.extend_from_slice(finding.severity.word().as_bytes());
    line.extend_from_slice(b"\",\"rule\":\"");
    line.extend_from_slice(finding.rule.word().as_bytes());
    line.push(b'"');
    if let Some(path) = &finding.path {
        push_bytes_field("path", "path_base64", path, &mut line);
    }
    if let Some(file) = &finding.tag_file {
        push_bytes_field("tag_file", "tag_file_base64", file.as_bytes(), &mut line);
    }
    if let Some(number) = finding.line {
        line.extend_from_slice(format!(",\"line\":{number}").as_bytes());
    }
    line.extend_from_slice(b",\"message\":");
    push_string(&finding.text, &mut line);
    end_line(0, &mut line);
    line
}

/// The numbers of bags by verdict.
#[derive(Default)]
struct Sums {
    bags: u64,
    not_valid: u64,
    undecided: u64,
}

impl Sums {
    fn add(&mut self, verdict: &Verdict) {
        self.bags += 1;
        self.not_valid += u64::from(verdict.is_not_valid());
        self.undecided += u64::from(verdict.word() == "undecided");
    }
}

struct Writer {
    output: SharedOutput,
    format: BagFormat,
}

impl Writer {
    fn line(&mut self, mut line: Vec<u8>) -> io::Result<()> {
        end_line(0, &mut line);
        self.output.write_all(&line)
    }

    fn header(&mut self) -> io::Result<()> {
        if self.format == BagFormat::Text {
            return Ok(());
        }
        let mut line = Vec::new();
        json_header::begin(&mut line);
        self.line(line)
    }

    fn bag(&mut self, path: &OsStr, verdict: Verdict) -> io::Result<()> {
        match self.format {
            BagFormat::Text => {
                let text = format!("{}: {}\n", message::quoted(path.as_bytes()), verdict.text());
                self.output.write_all(text.as_bytes())?;
            }
            BagFormat::Jsonl => {
                let mut line = b"{\"type\":\"bag\"".to_vec();
                push_bytes_field("path", "path_base64", path.as_bytes(), &mut line);
                let Findings { errors, warnings, .. } = verdict.findings;
                write!(line, ",\"verdict\":\"{}\",\"errors\":{errors}", verdict.word())?;
                write!(line, ",\"warnings\":{warnings},\"unread\":{}", verdict.unread)?;
                if let Some(Judged { version, payload, algorithms, .. }) = &verdict.judged {
                    let names: Vec<_> = algorithms.iter().map(|one| format!("\"{one}\"")).collect();
                    let (files, bytes, names) = (payload.files, payload.bytes, names.join(","));
                    write!(line, ",\"bagit_version\":\"{version}\",\"files\":{files},\"bytes\":{bytes}")?;
                    write!(line, ",\"algorithms\":[{names}]")?;
                }
                self.line(line)?;
            }
        }
        verdict.findings.copy(&mut self.output)?;
        self.output.flush()
    }

    fn end(&mut self, sums: &Sums) -> io::Result<()> {
        let Sums { bags, not_valid, undecided } = *sums;
        let valid = bags - not_valid - undecided;
        match self.format {
            BagFormat::Text if bags < 2 => Ok(()),
            BagFormat::Text => {
                let mut text = format!("{} bags: {} without error", Count(bags), Count(valid));
                for (count, word) in [(not_valid, "not valid"), (undecided, "undecided")] {
                    if count > 0 {
                        text += &format!(", {} {word}", Count(count));
                    }
                }
                self.output.write_all(format!("{text}\n").as_bytes())
            }
            BagFormat::Jsonl => self.line(
                format!(
                    "{{\"type\":\"summary\",\"bags\":{bags},\"without_error\":{valid},\"not_valid\":{not_valid},\
                     \"undecided\":{undecided}"
                )
                .into_bytes(),
            ),
        }
    }
}

/// Verifies a bag.
struct Verifier<'a> {
    command: &'a mut Command,
    arguments: &'a VerifyArguments,
    wanted: Wanted,
    profile: Option<&'a Profile>,
}

impl Verifier<'_> {
    fn bag(mut self, path: &OsStr) -> Result<Verdict, Failed> {
        let root = root_of(path.as_bytes());
        let mut findings = Findings { file: None, format: self.arguments.format, errors: 0, warnings: 0 };
        let unread = self.command.tally.unread;
        let judged = self.judge(&root, &mut findings)?;
        if let Some(judged) = &judged
            && self.wanted == Wanted::Valid
            && !self.command.cancel().is_cancelled()
        {
            self.hash(&root, &judged.plan, &mut findings)?;
        }
        Ok(Verdict { findings, unread: self.command.tally.unread - unread, judged, wanted: self.wanted })
    }

    /// Judges all but digests; `None` if the bag itself cannot be read.
    fn judge(&mut self, root: &[u8], findings: &mut Findings) -> Result<Option<Judged>, Failed> {
        let options = &self.arguments.options;
        let walk = WalkOptions { roots: vec![root.to_vec()], want_size: Some(true), ..WalkOptions::default() };
        let source = bag_files::survey(options, walk)?;
        let mut judge = Judge::new(options.memory / 2);
        let (mut tag_files, mut is_there) = (Vec::new(), true);
        let mut report = |finding: Finding| findings.add(&finding);
        let walked = bag_files::walk(self.command, &source, &mut |command, found| {
            found_in(command, root, found, &mut judge, &mut tag_files, &mut is_there, &mut report)
        });
        walked.map_err(Failed::temporary)?;
        if !is_there || self.command.cancel().is_cancelled() {
            return Ok(None);
        }
        self.tag_files(&source, tag_files, &mut judge, &mut report)?;
        judge.judge(self.wanted, self.profile, &mut report).map(Some).map_err(Failed::temporary)
    }

    /// Reads the tag files that the standard defines.
    fn tag_files(
        &mut self,
        source: &LocalSource,
        tag_files: Vec<(Vec<u8>, Entry<LocalHandle>)>,
        judge: &mut Judge,
        report: &mut (dyn FnMut(Finding) -> io::Result<()> + Send),
    ) -> Result<(), Failed> {
        let find = |name: &str| tag_files.iter().find(|(one, _)| one == name.as_bytes()).map(|(_, entry)| entry);
        let declared = find("bagit.txt")
            .map(|entry| with_tag_file(self.command, source, entry, |reader| Declaration::read(reader, &mut *report)));
        match declared.transpose()? {
            // A declaration that cannot be read is not a missing one.
            Some(None) => {}
            declared => judge.declaration(declared.flatten(), report).map_err(Failed::temporary)?,
        }
        let name = judge.info_name();
        if let Some(entry) = find(name) {
            let declared = judge.declared();
            let read = |reader: &mut _| Info::read(name, declared, reader, &mut *report);
            if let Some(info) = with_tag_file(self.command, source, entry, read)? {
                judge.info(info);
            }
        }
        for (name, entry) in &tag_files {
            let Some(manifest) = ManifestName::parse(name) else { continue };
            if self.wanted == Wanted::Oxum {
                continue;
            }
            let mut is_open = false;
            let read = |reader: &mut _| {
                is_open = true;
                judge.manifest(manifest.clone(), reader, &mut *report)
            };
            with_tag_file(self.command, source, entry, read)?;
            if !is_open {
                judge.unread_manifest(manifest);
            }
        }
        if let Some(entry) = find("fetch.txt") {
            with_tag_file(self.command, source, entry, |reader| judge.fetch(reader, &mut *report))?;
        }
        Ok(())
    }

    /// Hashes the planned files once, by all algorithms of the manifests, and compares.
    fn hash(&mut self, root: &[u8], plan: &Plan, findings: &mut Findings) -> Result<(), Failed> {
        let mut algorithms: Vec<Algorithm> = plan.manifests().iter().filter_map(|name| name.algorithm).collect();
        algorithms.sort_by_key(|algorithm| algorithm.name());
        algorithms.dedup();
        let (local, engine) = bag_files::source(&self.arguments.options, Vec::new(), &algorithms)?;
        let failed: Arc<Mutex<Option<io::Error>>> = Arc::default();
        let files = {
            let (failed, root) = (Arc::clone(&failed), root.to_vec());
            plan.read().map_while(move |file| match file {
                Ok(file) => Some(FoundFile {
                    path: [&root[..], b"/", &file.path].concat(),
                    size: file.bytes,
                    identity: file.identity.map(|(device, number)| FileIdentity::new(device, number)),
                }),
                Err(error) => {
                    *super::ended::lock(&failed) = Some(error);
                    None
                }
            })
        };
        let source = FoundFiles::new(local, files, None, Totals::new(plan.files(), plan.bytes()));
        // The records come in the same order.
        let mut planned = plan.read();
        let mut deliver = |hashed: bag_files::Hashed| {
            let file = planned.next().unwrap_or_else(|| Err(io::ErrorKind::UnexpectedEof.into()))?;
            match hashed.is_complete {
                true => plan.compare(&file, &hashed.digests, &mut |finding| findings.add(&finding)),
                false => Ok(()),
            }
        };
        bag_files::hash(self.command, self.arguments.options.memory, &engine, &source, &mut deliver)?;
        let failed = super::ended::lock(&failed).take();
        failed.map_or(Ok(()), |error| Err(Failed::temporary(error)))
    }
}

/// Takes a finding of the walk.
fn found_in(
    command: &mut Command,
    root: &[u8],
    found: Found<LocalHandle>,
    judge: &mut Judge,
    tag_files: &mut Vec<(Vec<u8>, Entry<LocalHandle>)>,
    is_there: &mut bool,
    report: &mut (dyn FnMut(Finding) -> io::Result<()> + Send),
) -> io::Result<()> {
    let (path, kind) = match found {
        Found::Entry(entry) => {
            let path = entry.path();
            if path == root {
                *is_there = false;
                fail(command, path, bag_files::other_error("a bag is a directory; unpack an archive first"));
                return Ok(());
            }
            let kind = match entry.kind {
                EntryKind::Regular => {
                    let identity = entry.identity_hint.map(|identity| (identity.device, identity.number));
                    FoundKind::File { bytes: entry.size_hint.unwrap_or(0), identity }
                }
                _ => FoundKind::Other,
            };
            let name = below(root, &path);
            if is_tag_file(name) && kind != FoundKind::Other {
                tag_files.push((name.to_vec(), entry));
            }
            (path, kind)
        }
        Found::Skipped(path, SkipReason::NotRegular) | Found::Other(path, Other::LeftOut) => (path, FoundKind::Other),
        Found::Skipped(..) | Found::Pause => return Ok(()),
        Found::Failed(path, error) => {
            *is_there &= path != root;
            judge.unseen(below(root, &path));
            fail(command, path, error);
            return Ok(());
        }
        Found::Other(path, Other::Link(_)) => (path, FoundKind::Link),
        Found::Other(path, Other::EmptyDirectory) => (path, FoundKind::EmptyDirectory),
    };
    judge.found(below(root, &path), kind, report)
}
