//! `pfh certify`.

use super::certify_args::CertifyArguments;
use super::command::{Command, Reporting};
use super::exit::{Ending, Failed};
use super::lists::{self, BrokenLines};
use super::quantity::Count;
use super::{message, reading};
use pfh::HashRun;
use pfh_digest::Algorithm;
use pfh_list::{ExternalSort, Header, List, ListEnd, ReadOptions, Spool, SpoolReader};
use pfh_page::{Block, Cell, Document, Section, Signature, Table, Tone};
use pfh_record::jsonl::push_bytes_field;
use pfh_record::{Entry, HostFacts, Outcome, RunFacts, Summary, Timestamp};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// Most exceptions that a report names; it counts all, and the list has them.
const EXCEPTIONS_MAX: usize = 10_000;

/// Memory for sorting the lines of a list; the rest is in temporary files.
const SORT_BYTES: u64 = 64 << 20;

/// The algorithms by which the list and the program are identified.
const ALGORITHMS: [&str; 2] = ["sha256", "sha512"];

/// The running program, even if its file was replaced since it was started.
const EXECUTABLE: &str = "/proc/self/exe";

/// A file that systemd-timesyncd touches whenever it sets the clock.
const SYNCHRONISED: &str = "/run/systemd/timesync/synchronized";

const LIMITS: &str = "This report was made by a program. It is no legal advice, and by itself no certificate. Rules such as US Federal \
    Rule of Evidence 902(14), and section 63(4)(c) of India's Bharatiya Sakshya Adhiniyam, 2023, ask for the statement of a person, in a \
    form of their own, to which a report on hash values is attached. Whether this one suffices, a lawyer can say.";

/// Writes the report on a list.
pub(crate) fn run(arguments: &CertifyArguments) -> Result<Ending, Failed> {
    let by = arguments.by.as_deref().map(str::trim).filter(|by| !by.is_empty()).ok_or_else(|| {
        Failed::usage(
            "--by is missing: name the person who makes the report (`--by \"A. Person\"`). It is not guessed, because an account \
             is not a person, and whoever is named answers for the report",
        )
    })?;
    if arguments.list == "-" {
        return Err(Failed::usage(
            "a report is about a file, which others can compare with it; standard input is none",
        ));
    }
    let path = Path::new(&arguments.list);
    let mut command = Command::begin(Reporting::DEFAULT, None);
    command.without_totals();
    let list = lists::open_latest(&arguments.list, arguments.read_as, ReadOptions::default());
    if command.cancel().is_cancelled() {
        return command.finish(Ok(()), 0, None);
    }
    let list = list?;
    command.set_output(reading::open_output(arguments.output.as_deref(), [arguments.list.as_os_str()])?);
    let of_list = Identity::of(path)?;
    let files = Files::of(list, &command).map_err(Failed::temporary)?;
    let list = lists::open_latest(&arguments.list, arguments.read_as, ReadOptions::default())?;
    let account = Account::of(list, files, &command).map_err(Failed::temporary)?;
    if command.cancel().is_cancelled() {
        return command.finish(Ok(()), 0, None);
    }
    if account.files() == 0 && account.broken > 0 {
        return Err(lists::none_read(arguments.list.as_bytes(), account.header.format));
    }
    if Identity::of(path)? != of_list {
        let path = message::quoted_path(path);
        return Err(Failed::unread(format_args!("{path} changed while it was read; no report was written")));
    }
    let executable = std::env::current_exe().unwrap_or_else(|_| EXECUTABLE.into());
    let report = Report {
        arguments,
        by,
        of_list,
        account,
        executable: message::escaped_lines(&executable.to_string_lossy()),
        of_executable: Identity::of(Path::new(EXECUTABLE)).ok(),
        clock: clock(),
        facts: HashRun::new([]).map_err(Failed::usage)?.facts(),
    };
    let text = if arguments.json { format!("{:#}\n", report.json()) } else { report.document().html() };
    command.write(text.as_bytes());
    let Account { broken, end, .. } = report.account;
    command.count_lines(broken + u64::from(end == ListEnd::CutOff));
    command.finish(Ok(()), 1, None)
}

/// The length and the digests of a file.
#[derive(PartialEq)]
struct Identity {
    bytes: u64,
    /// By the algorithms of [`ALGORITHMS`].
    digests: Vec<String>,
}

impl Identity {
    fn of(path: &Path) -> Result<Identity, Failed> {
        let run = HashRun::new(ALGORITHMS).map_err(Failed::usage)?;
        let records = run.path(path).records().map_err(Failed::usage)?;
        match &records[..] {
            [record] if record.outcome == Outcome::Complete => Ok(Identity {
                bytes: record.bytes_read,
                digests: record.digests.iter().map(ToString::to_string).collect(),
            }),
            [record] => Err(Failed::unread(format_args!("{}: {}", message::quoted_path(path), record.outcome))),
            _ => Err(Failed::usage(format_args!("{} is not a file", message::quoted_path(path)))),
        }
    }
}

/// How the clock was set, as far as this system tells.
fn clock() -> String {
    match fs::metadata(SYNCHRONISED).and_then(|metadata| metadata.modified()) {
        Ok(set) => format!(
            "system clock, which systemd-timesyncd set from a time server at {}",
            Timestamp::from(set).to_seconds_text()
        ),
        Err(_) => "system clock; whether it is synchronised is unknown".to_owned(),
    }
}

/// Whether a line has a digest of a file, or of a piece of it.
fn has_digest(entry: &Entry) -> bool {
    !entry.digests.is_empty() || entry.similarity_digests().next().is_some()
}

/// The reason why a file has no digest, from a line that has none.
fn reason_without_digest(entry: &Entry) -> String {
    let reasons = entry.similarities.iter().filter_map(|similarity| {
        let reason = similarity.digest.as_ref().err()?;
        Some(format!("{}: {reason}", similarity.family.name()))
    });
    let reasons: Vec<String> = reasons.collect();
    match &reasons[..] {
        [] => "the list has no digest of it".to_owned(),
        reasons => format!("no digest by {}", reasons.join("; ")),
    }
}

/// The entries of a list that stand for files, in their order. Several can be about one file, since they have further
/// digests of it or those of its pieces: all count, and the first stands for it. Memory is bounded: the places of all
/// entries are sorted externally.
struct Files {
    places: SpoolReader,
    /// The next of them.
    next: Option<Place>,
}

/// The place of an entry in its list, and whether the file has a digest, by this line or by another that counts. Its
/// bytes have the order of the list.
#[derive(Clone, Copy)]
struct Place(u64);

impl Place {
    fn new(number: u64, has_digest: bool) -> Place {
        Place(number << 1 | u64::from(has_digest))
    }

    fn number(self) -> u64 {
        self.0 >> 1
    }

    fn has_digest(self) -> bool {
        self.0 & 1 == 1
    }
}

/// A path, as its fingerprint, with the place of an entry. No two paths have the same fingerprint, unless somebody
/// looks for such on purpose.
#[derive(Clone, Copy)]
struct Line {
    fingerprint: u128,
    place: Place,
}

impl Line {
    fn new(path: &[u8], place: Place) -> Line {
        let own = match path {
            // A digest without a name is that of a file of its own.
            [] => u128::from(place.number()),
            path => {
                let digest = Algorithm::BLAKE3.digest(path);
                digest.bytes().first_chunk::<16>().map_or(0, |first| u128::from_be_bytes(*first))
            }
        };
        Line { fingerprint: own, place }
    }

    fn to_bytes(self) -> [u8; 24] {
        let mut bytes = [0; 24];
        bytes[..16].copy_from_slice(&self.fingerprint.to_be_bytes());
        bytes[16..].copy_from_slice(&self.place.0.to_be_bytes());
        bytes
    }

    fn from_bytes(bytes: [u8; 24]) -> Line {
        let (mut fingerprint, mut place) = ([0; 16], [0; 8]);
        fingerprint.copy_from_slice(&bytes[..16]);
        place.copy_from_slice(&bytes[16..]);
        Line { fingerprint: u128::from_be_bytes(fingerprint), place: Place(u64::from_be_bytes(place)) }
    }
}

impl Files {
    fn of(mut list: List, command: &Command) -> io::Result<Files> {
        let mut lines = ExternalSort::new(SORT_BYTES);
        for (index, entry) in (0..).zip(list.by_ref()) {
            if command.cancel().is_cancelled() {
                break;
            }
            // Those that cannot be read are reported when the entries are counted.
            let Ok(entry) = entry else { continue };
            let place = Place::new(index, has_digest(&entry));
            lines.push(Line::new(&entry.path, place).to_bytes())?;
        }
        let mut places: ExternalSort<8> = ExternalSort::new(SORT_BYTES);
        let mut push = |line: Line| places.push(line.place.0.to_be_bytes());
        let mut last: Option<Line> = None;
        lines.into_each(|line| {
            let line = Line::from_bytes(line);
            let Some(file) = last.as_mut().filter(|file| file.fingerprint == line.fingerprint) else {
                return last.replace(line).map_or(Ok(()), &mut push);
            };
            file.place = Place::new(file.place.number(), file.place.has_digest() || line.place.has_digest());
            Ok(())
        })?;
        last.map_or(Ok(()), &mut push)?;
        let mut spool = Spool::default();
        places.into_each(|place| spool.push(&place))?;
        let mut files = Files { places: spool.reader()?, next: None };
        files.advance()?;
        Ok(files)
    }

    fn advance(&mut self) -> io::Result<()> {
        let place = self.places.next()?;
        self.next = place.and_then(|place| place.first_chunk::<8>()).map(|place| Place(u64::from_be_bytes(*place)));
        Ok(())
    }

    /// Returns the place of an entry, if it stands for a file. Entries are asked about in their order.
    fn take(&mut self, index: u64) -> io::Result<Option<Place>> {
        let place = self.next.filter(|next| next.number() == index);
        if place.is_some() {
            self.advance()?;
        }
        Ok(place)
    }
}

/// The contents of a list.
struct Account {
    header: Header,
    /// Files whose outcome the list states.
    outcomes: Summary,
    /// Files with digests in formats that state no outcomes.
    listed: u64,
    /// Files without any digest, although they are complete or listed; and those of them whose outcome is not stated.
    without: u64,
    listed_without: u64,
    /// Sum of the sizes that the list states, and the number of files with one.
    bytes: u64,
    sized: u64,
    /// Number of files with a digest, by its kind.
    digests: BTreeMap<&'static str, u64>,
    exceptions: Vec<(Vec<u8>, String)>,
    exceptions_count: u64,
    /// Lines that could not be read.
    broken: u64,
    /// Lines of a journal that do not count, since a later line is about the same path.
    superseded: u64,
    end: ListEnd,
    /// The counts that the list states at its end.
    stated: Option<Summary>,
}

impl Account {
    fn of(mut list: List, mut files: Files, command: &Command) -> io::Result<Account> {
        let mut broken = BrokenLines::new(list.name(), false);
        let mut account = Account {
            header: list.header().clone(),
            outcomes: Summary::default(),
            listed: 0,
            without: 0,
            listed_without: 0,
            bytes: 0,
            sized: 0,
            digests: BTreeMap::new(),
            exceptions: Vec::new(),
            exceptions_count: 0,
            broken: 0,
            superseded: list.superseded(),
            end: ListEnd::Unstated,
            stated: None,
        };
        for (index, entry) in (0..).zip(list.by_ref()) {
            match entry {
                Ok(entry) => {
                    let place = files.take(index)?;
                    account.add_digests(&entry);
                    if let Some(place) = place {
                        account.add(&entry, place.has_digest());
                    }
                }
                Err(error) => broken.report(&error),
            }
            if command.cancel().is_cancelled() {
                break;
            }
        }
        account.broken = broken.count;
        if let Some(trailer) = list.trailer() {
            (account.end, account.stated) = (trailer.end, trailer.summary);
        }
        Ok(account)
    }

    fn add_digests(&mut self, entry: &Entry) {
        if entry.piece.is_some() {
            return;
        }
        let families = entry.similarity_digests().map(|digest| digest.family().name());
        for name in entry.digests.iter().map(|digest| digest.algorithm().name()).chain(families) {
            *self.digests.entry(name).or_default() += 1;
        }
    }

    /// Adds a file.
    fn add(&mut self, entry: &Entry, has_digest: bool) {
        match &entry.outcome {
            Some(outcome) => *Summary::counter(outcome)(&mut self.outcomes) += 1,
            None => self.listed += 1,
        }
        if let (Some(size), true) = (entry.expected.size, entry.is_complete()) {
            self.bytes = self.bytes.saturating_add(size);
            self.sized += 1;
        }
        match &entry.outcome {
            Some(outcome) if *outcome != Outcome::Complete => self.except(&entry.path, outcome.to_string()),
            _ => {}
        }
        if entry.digests.iter().any(|digest| digest.collision_detected()) {
            self.except(&entry.path, "it bears the marks of a collision attack on SHA-1".to_owned());
        }
        if let Some(byte) = entry.facts.filter(|facts| facts.bytes > 1).and_then(|facts| facts.only_byte()) {
            self.except(&entry.path, format!("all of its bytes are {byte:#04x}"));
        }
        if entry.is_complete() && !has_digest {
            self.without += 1;
            self.listed_without += u64::from(entry.outcome.is_none());
            self.except(&entry.path, reason_without_digest(entry));
        }
    }

    fn except(&mut self, path: &[u8], reason: String) {
        self.exceptions_count += 1;
        if self.exceptions.len() < EXCEPTIONS_MAX {
            self.exceptions.push((path.to_vec(), reason));
        }
    }

    /// Returns the number of files by outcome, without outcomes that none has.
    fn counts(&self) -> Vec<(&'static str, Tone, u64)> {
        let Summary { complete, changed, short, unreadable, skipped, not_reached, .. } = self.outcomes;
        let counts = [
            ("complete", Tone::Good, complete),
            ("listed with digests", Tone::Good, self.listed - self.listed_without),
            ("listed without digests", Tone::Bad, self.listed_without),
            ("changed-while-reading", Tone::Bad, changed),
            ("short", Tone::Bad, short),
            ("unreadable", Tone::Bad, unreadable),
            ("skipped", Tone::Neutral, skipped),
            ("not-reached", Tone::Caution, not_reached),
        ];
        counts.into_iter().filter(|(_, _, count)| *count > 0).collect()
    }

    fn files(&self) -> u64 {
        self.outcomes.files() + self.listed
    }

    /// The end of the list in words.
    fn end(&self) -> &'static str {
        match self.end {
            ListEnd::Complete => "The list is whole: its run ended normally",
            ListEnd::Interrupted => "Its run was interrupted, so the list does not have all files",
            ListEnd::CutOff => "The end of the list is missing",
            _ => "The format of the list does not mark its end",
        }
    }
}

/// A report on its way to a page or to JSON.
struct Report<'a> {
    arguments: &'a CertifyArguments,
    by: &'a str,
    of_list: Identity,
    account: Account,
    executable: String,
    /// Absent if the system does not show the running program.
    of_executable: Option<Identity>,
    clock: String,
    /// The facts about this run.
    facts: RunFacts,
}

impl Report<'_> {
    /// The texts that the command line gives, with their names.
    fn given(&self) -> Vec<(&'static str, String)> {
        let CertifyArguments { role, case, evidence, devices, .. } = self.arguments;
        let one = |name, text: &Option<String>| text.clone().map(|text| (name, text));
        let by = Some(("Made by", self.by.to_owned()));
        let given = [by, one("Role", role), one("Case", case), one("Evidence", evidence)].into_iter().flatten();
        given.chain(devices.iter().map(|device| ("Device", device.clone()))).collect()
    }

    /// The facts that the header of the list states.
    fn header(&self) -> Vec<(&'static str, String)> {
        let header = &self.account.header;
        let program = header.program.as_ref().map(|program| {
            let version = header.program_version.as_deref().unwrap_or_default();
            format!("{program} {version}").trim().to_owned()
        });
        let bytes = |bytes: &Option<Vec<u8>>| bytes.as_deref().map(plain);
        let mut facts = vec![
            ("Program", program),
            ("Command line", bytes(&header.command_line)),
            ("Directory", bytes(&header.directory)),
            ("Started", header.started.map(Timestamp::to_seconds_text)),
            ("Length of pieces", header.piece_bytes.map(|bytes| format!("{} bytes", Count(bytes)))),
        ];
        if let Some(stated) = self.account.stated {
            facts.push(("Files, as the list counts them", Some(Count(stated.files()).to_string())));
            facts.push(("Bytes read", Some(Count(stated.bytes).to_string())));
            facts.push(("Took", Some(format!("{:.3} s", stated.elapsed.as_secs_f64()))));
        }
        if self.arguments.host {
            facts.push(("Machine", header.host.as_ref().map(machine)));
            facts.push(("User number", header.uid.map(|uid| uid.to_string())));
        }
        facts.into_iter().filter_map(|(name, fact)| Some((name, fact?))).collect()
    }

    fn version(&self) -> String {
        let commit = option_env!("PFH_COMMIT").map_or_else(String::new, |commit| format!(" (commit {commit})"));
        format!("{} {}{commit}", self.facts.program, self.facts.program_version)
    }

    fn document(&self) -> Document {
        let account = &self.account;
        let with_digests = account.outcomes.complete + account.listed - account.without;
        let (files, exceptions) = (account.files(), account.exceptions_count);
        let sentence = format!("{} of {} files in this list have digests.", Count(with_digests), Count(files));
        let mut sentences = match exceptions {
            0 => vec!["There are no exceptions.".to_owned()],
            count => vec![format!("Exceptions, listed below: {}.", Count(count))],
        };
        if account.broken > 0 {
            sentences.push(format!("Lines of the list that could not be read: {}.", Count(account.broken)));
        }
        if account.superseded > 0 {
            let superseded = Count(account.superseded);
            sentences.push(format!(
                "Earlier lines of the list that later lines of the same paths supersede, and which do not count: {superseded}."
            ));
        }
        sentences.push(format!("{}.", account.end()));
        if let Some(stated) = account.stated.filter(|stated| stated.files() != files) {
            sentences.push(format!("At its end the list counts {} files.", Count(stated.files())));
        }
        let given = owned(self.given());
        let facts = given.into_iter().chain([
            ("Made at".to_owned(), self.facts.started.to_seconds_text()),
            ("Time from".to_owned(), self.clock.clone()),
        ]);
        Document::new("Hash report")
            .question("What was hashed, by whom, when and how")
            .sentence(sentence)
            .sentences(sentences)
            .facts(facts)
            .section(self.list_section())
            .section(self.counts_section())
            .section(self.exceptions_section())
            .section(self.run_section())
            .section(self.report_section())
            .section(self.signatures_section())
    }

    fn list_section(&self) -> Section {
        let path = plain(self.arguments.list.as_bytes());
        let facts = [
            ("File", path),
            ("Format", self.account.header.format.name().to_owned()),
            ("Length", format!("{} bytes", Count(self.of_list.bytes))),
        ];
        Section::new("list", "The list")
            .text("The list itself is the evidence of the digests. It is the one meant here if it has these digests, which other programs compute too, such as sha256sum and sha512sum.")
            .with(Block::Facts(owned(facts.to_vec())))
            .with(identity_table("Digests of the list", &self.of_list))
    }

    fn counts_section(&self) -> Section {
        let account = &self.account;
        let mut outcomes = Table::new("Files by outcome", ["Outcome", "Files"]);
        for (outcome, tone, count) in account.counts() {
            outcomes.push([Cell::mark(tone, outcome), Cell::quantity(Count(count).to_string(), count as f64)]);
        }
        let mut digests = Table::new("Files by digest", ["Algorithm", "Files"]);
        for (name, count) in &account.digests {
            digests.push([Cell::text(*name), Cell::quantity(Count(*count).to_string(), *count as f64)]);
        }
        let mut section = Section::new("counts", "What was hashed").text(
            "A file is complete if every byte of it was read and it did not change meanwhile. Formats without outcomes list only \
             files with digests.",
        );
        if account.sized > 0 {
            let sizes =
                format!("{} files state their size: {} bytes in all.", Count(account.sized), Count(account.bytes));
            section.push(Block::Text(sizes));
        }
        let tables = [outcomes, digests].into_iter().filter(|table| !table.is_empty());
        tables.fold(section, Section::with)
    }

    fn exceptions_section(&self) -> Section {
        let account = &self.account;
        let section = Section::new("exceptions", "Exceptions");
        if account.exceptions_count == 0 {
            return section.text("None.");
        }
        let mut table = Table::new("Files without digests, and files to be examined", ["Path", "Reason"]).sortable();
        for (path, reason) in &account.exceptions {
            table.push([Cell::code(plain(path)), Cell::text(message::escaped_lines(reason))]);
        }
        let rest = account.exceptions_count - account.exceptions.len() as u64;
        let section = section.with(Block::folded_if_long(table));
        if rest == 0 { section } else { section.text(format!("and {} more, which the list has.", Count(rest))) }
    }

    fn run_section(&self) -> Section {
        let header = self.header();
        let section = Section::new("run", "How it was hashed, as the list states it");
        if header.is_empty() {
            return section.text("The format of the list has no place for facts about its run.");
        }
        section.with(Block::Facts(owned(header)))
    }

    fn report_section(&self) -> Section {
        let mut facts = vec![
            ("Program", self.version()),
            ("Command line", plain(&self.facts.command_line.join(&b' '))),
            ("Executable", self.executable.clone()),
        ];
        if self.arguments.host {
            facts.push(("Machine", machine(&self.facts.host)));
            facts.extend(self.facts.uid.map(|uid| ("User number", uid.to_string())));
        }
        let section = Section::new("report", "How this report was made").with(Block::Facts(owned(facts)));
        match &self.of_executable {
            Some(identity) => section.with(identity_table("Digests of the executable", identity)),
            None => section
                .text("The digests of the executable are unknown: this system does not show the running program."),
        }
    }

    fn signatures_section(&self) -> Section {
        let role = Signature::new("Role").printed(self.arguments.role.clone().unwrap_or_default());
        let lines = vec![
            Signature::new("Name").printed(self.by),
            role,
            Signature::new("Place"),
            Signature::new("Date"),
            Signature::new("Signature"),
        ];
        Section::new("signature", "Signature").text(LIMITS).with(Block::Signatures(lines))
    }

    fn json(&self) -> Value {
        let account = &self.account;
        let identity = |identity: &Identity| {
            let digests: Map<String, Value> =
                ALGORITHMS.iter().zip(&identity.digests).map(|(name, hex)| ((*name).to_owned(), json!(hex))).collect();
            json!({ "bytes": identity.bytes, "digests": digests })
        };
        let mut list = path_field(self.arguments.list.as_bytes());
        list.insert("format".to_owned(), json!(account.header.format.name()));
        list.insert("end".to_owned(), json!(account.end()));
        list.extend(object(identity(&self.of_list)));
        let exceptions: Vec<Value> = account
            .exceptions
            .iter()
            .map(|(path, reason)| {
                let mut exception = path_field(path);
                exception.insert("reason".to_owned(), json!(reason));
                Value::Object(exception)
            })
            .collect();
        let named = |facts: Vec<(&'static str, String)>| -> Map<String, Value> {
            facts.into_iter().map(|(name, fact)| (key(name), json!(fact))).collect()
        };
        let CertifyArguments { role, case, evidence, devices, host, .. } = self.arguments;
        let outcomes: Map<String, Value> =
            account.counts().into_iter().map(|(outcome, _, count)| (key(outcome), json!(count))).collect();
        let mut report = json!({
            "type": "hash-report",
            "version": 1,
            "by": self.by,
            "devices": devices,
            "created": self.facts.started.to_seconds_text(),
            "clock": self.clock,
            "program": self.version(),
            "arguments": self.facts.command_line.iter().map(|one| String::from_utf8_lossy(one)).collect::<Vec<_>>(),
            "executable": { "path": self.executable, "identity": self.of_executable.as_ref().map(identity) },
            "list": list,
            "run": named(self.header()),
            "files": account.files(),
            "outcomes": outcomes,
            "digests": account.digests,
            "files_with_size": account.sized,
            "bytes": account.bytes,
            "exceptions": exceptions,
            "exceptions_total": account.exceptions_count,
            "lines_not_read": account.broken,
            "lines_superseded": account.superseded,
            "limits": LIMITS,
        });
        for (name, text) in [("role", role), ("case", case), ("evidence", evidence)] {
            if let Some(text) = text {
                report[name] = json!(text);
            }
        }
        if *host {
            report["host"] = json!({ "machine": machine(&self.facts.host), "uid": self.facts.uid });
        }
        report
    }
}

/// The path of a file, and its bytes if they are not UTF-8, as JSON Lines have them.
fn path_field(path: &[u8]) -> Map<String, Value> {
    let mut field = Vec::new();
    push_bytes_field("path", "path_base64", path, &mut field);
    // It begins with the comma behind the field before it.
    field[0] = b'{';
    field.push(b'}');
    serde_json::from_slice(&field).map(object).unwrap_or_default()
}

fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(object) => object,
        _ => Map::new(),
    }
}

/// The name of a fact as a key of JSON.
fn key(name: &str) -> String {
    let words: String = name.chars().map(|c| if c.is_alphanumeric() { c.to_ascii_lowercase() } else { '_' }).collect();
    words.replace("__", "_")
}

/// A name without quotes around it, whose odd characters are escaped.
fn plain(name: &[u8]) -> String {
    let quoted = message::quoted(name);
    quoted.strip_prefix('`').and_then(|rest| rest.strip_suffix('`')).unwrap_or(&quoted).to_owned()
}

fn machine(host: &HostFacts) -> String {
    let HostFacts { host, system, release, architecture, .. } = host;
    [host, system, release, architecture]
        .into_iter()
        .filter(|part| !part.is_empty())
        .cloned()
        .collect::<Vec<_>>()
        .join(", ")
}

fn owned(facts: Vec<(&'static str, String)>) -> Vec<(String, String)> {
    facts.into_iter().map(|(name, fact)| (name.to_owned(), fact)).collect()
}

fn identity_table(caption: &str, identity: &Identity) -> Table {
    let mut table = Table::new(caption, ["Algorithm", "Digest"]);
    for (name, digest) in ["SHA-256", "SHA-512"].into_iter().zip(&identity.digests) {
        table.push([Cell::text(name), Cell::code(digest)]);
    }
    table
}
