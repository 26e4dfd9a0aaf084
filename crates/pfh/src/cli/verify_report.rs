//! The report of `pfh verify`: the verdict, the counts and the findings, as text, JSON Lines or a page.

use super::quantity::{Count, plural};
use super::verdicts::push_escaped;
use super::verify_args::ReportFormat;
use super::{json_header, message};
use pfh_digest::Algorithm;
use pfh_fixity::{Agreement, Class, File, Finding, Findings, Ignored, Sample, Totals, compare};
use pfh_page::{Block, Cell, Document, Section, Table, Tone};
use pfh_record::Timestamp;
use pfh_record::jsonl::{end_line, push_bytes_field, push_string};
use std::io::{self, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::time::SystemTime;

/// Most findings of a class that a page shows.
const PAGE_FINDINGS_MAX: u64 = 10_000;

/// The request, and the list.
pub(super) struct Asked<'a> {
    pub(super) list: &'a [u8],
    pub(super) root: &'a Path,
    pub(super) algorithms: &'a [Algorithm],
    /// Whether the list does not name them, so that the length of its digests did.
    pub(super) is_guess: bool,
    /// The share of files that were to be read.
    pub(super) sample: Option<Sample>,
    pub(super) structure: bool,
    pub(super) ignored: Ignored,
    pub(super) quiet: bool,
    pub(super) unread: UnreadList,
}

/// The parts of a list that could not be read.
#[derive(Clone, Copy, Default)]
pub(super) struct UnreadList {
    /// The number of lines.
    pub(super) lines: u64,
    /// Whether its end is missing, or states that its run was interrupted.
    pub(super) has_no_end: bool,
}

impl UnreadList {
    /// Returns the number of things that could not be read.
    pub(super) fn count(self) -> u64 {
        self.lines + u64::from(self.has_no_end)
    }
}

impl Asked<'_> {
    /// Whether files were verified, and nothing is wrong with any, nor with the list.
    fn is_verified(&self, totals: &Totals) -> bool {
        self.ignored.is_verified(totals, self.unread.count()) && totals.verified(self.structure) > 0
    }

    /// Whether next to nothing supports the guess of the algorithm: files differ, and not even the hundredth part of
    /// them is as the list says, which can happen by accident. Files about which the list contradicts itself would
    /// differ by any algorithm, and those without contents may be the same by several.
    fn is_guess_doubtful(&self, totals: &Totals) -> bool {
        let count = |class| totals.files.of(class);
        let agreeing = count(Class::Matched) - totals.matched_empty + count(Class::Moved) + count(Class::Copied);
        self.is_guess && !self.structure && agreeing * 100 < count(Class::Changed).saturating_sub(totals.contradicted)
    }

    /// Returns the verdict in a few sentences, with advice for lists that may be meant otherwise.
    pub(super) fn verdict(&self, totals: &Totals) -> String {
        let mut text = self.result(totals);
        if self.is_guess_doubtful(totals) {
            let names: Vec<&str> = self.algorithms.iter().map(|algorithm| algorithm.name()).collect();
            let agreeing = if totals.files.of(Class::Matched) == 0 { "No" } else { "Hardly any" };
            text += &format!(
                " {agreeing} file agrees with the list, which does not name its algorithm: by the length of its digests it \
                 is {}, and -a names another.",
                names.join(" and ")
            );
        }
        if totals.missing_pieces > 0 {
            let have = if totals.missing_pieces == 1 { "has the name of a piece" } else { "have names of pieces" };
            let files = plural(totals.missing_pieces, "missing file");
            text += &format!(" {files} {have} (`NAME offset START-END`), which --piecewise reads as such.");
        }
        text
    }

    fn result(&self, totals: &Totals) -> String {
        let unreadable = totals.files.of(Class::Unreadable);
        let UnreadList { lines, has_no_end } = self.unread;
        if self.ignored.failures(totals) > 0 {
            let mut parts: Vec<String> = Vec::new();
            for (class, word) in WORDS {
                let count = totals.files.of(class);
                if count > 0 && self.ignored.fails(class) {
                    parts.push(format!("{} {word}", Count(count)));
                }
            }
            if totals.not_comparable > 0 {
                parts.push(format!("{} could not be compared", Count(totals.not_comparable)));
            }
            if unreadable > 0 {
                parts.push(format!("{} could not be read", Count(unreadable)));
            }
            parts.extend(not_listed(totals));
            let mut text = format!("Not verified: {}.", parts.join(", "));
            match lines {
                0 => {}
                1 => text += " One line of the list could not be read.",
                lines => text += &format!(" {} lines of the list could not be read.", Count(lines)),
            }
            if has_no_end {
                text += " The list has not all files of its run.";
            }
            return text;
        }
        let matched = totals.files.of(Class::Matched);
        let verified = totals.verified(self.structure);
        if totals.unknown() + self.unread.count() > 0 {
            let mut parts = Vec::new();
            if totals.not_comparable > 0 {
                parts.push(format!("{} could not be compared", files(totals.not_comparable)));
            }
            if unreadable > 0 {
                parts.push(format!("{} could not be read", files(unreadable)));
            }
            parts.extend(not_listed(totals));
            if lines > 0 {
                parts.push(format!("{} of the list could not be read", plural(lines, "line")));
            }
            if has_no_end {
                parts.push("the list has not all files of its run".to_owned());
            }
            return format!("Not verified: {}; {} as the list says.", parts.join(", "), are(verified));
        }
        let mut text = if let (0, Some(sample)) = (verified, self.sample) {
            format!(
                "Nothing was verified: none of {} was read ({} %, seed {}).",
                files(totals.expected.all()),
                sample.percent(),
                sample.seed()
            )
        } else if verified == 0 {
            "Nothing was verified: no file of the list was compared.".to_owned()
        } else if self.structure {
            match totals.sized {
                0 => format!(
                    "Names are as the list says: {}. It states no sizes of files, and no contents were read.",
                    files(verified)
                ),
                sized if sized < verified => format!(
                    "Names are as the list says: {}. It states sizes of {}, and they agree. No contents were read.",
                    files(verified),
                    files(sized)
                ),
                _ => format!("Names and sizes are as the list says: {}. No contents were read.", files(verified)),
            }
        } else if let Some(sample) = self.sample {
            format!(
                "Verified by a sample: {} of {} were read ({} %, seed {}), and all of them are as the list says.",
                Count(matched),
                files(totals.expected.all()),
                sample.percent(),
                sample.seed()
            )
        } else if totals.files.of(Class::NotChecked) > 0 {
            format!("Verified as far as asked: {} as the list says.", are(matched))
        } else if matched == 1 {
            "Verified: the file is as the list says.".to_owned()
        } else {
            format!("Verified: all {} are as the list says.", files(matched))
        };
        for (class, ignored) in [(Class::Missing, self.ignored.missing), (Class::New, self.ignored.new)] {
            if ignored && totals.files.of(class) > 0 {
                text += &format!(" Ignored: {} {class}.", Count(totals.files.of(class)));
            }
        }
        if self.ignored.new {
            text += " Other files were not looked for.";
        }
        text
    }
}

/// The classes that fail, with the words for them in a verdict.
const WORDS: [(Class, &str); 5] = [
    (Class::Changed, "changed"),
    (Class::Missing, "missing"),
    (Class::Moved, "moved"),
    (Class::Copied, "copied"),
    (Class::New, "new"),
];

fn files(count: u64) -> String {
    plural(count, "file")
}

fn are(count: u64) -> String {
    format!("{} {}", files(count), if count == 1 { "is" } else { "are" })
}

/// A report in one of its formats.
pub(super) struct Report<'a> {
    pub(super) asked: &'a Asked<'a>,
    pub(super) format: ReportFormat,
}

impl Report<'_> {
    /// Writes the report.
    pub(super) fn write(&self, findings: Findings, output: &mut impl Write) -> io::Result<()> {
        match self.format {
            ReportFormat::Text => self.text(findings, output),
            ReportFormat::Jsonl => self.json_lines(findings, output),
            ReportFormat::Html => self.page(findings, output),
        }
    }

    fn text(&self, findings: Findings, output: &mut impl Write) -> io::Result<()> {
        let totals = *findings.totals();
        writeln!(output, "{}", self.asked.verdict(&totals))?;
        if self.asked.quiet {
            return Ok(());
        }
        writeln!(
            output,
            "Expected {}, found {}: {}",
            Count(totals.expected.all()),
            Count(totals.found.all()),
            counts(&totals)
        )?;
        let mut line = b"\n".to_vec();
        findings.into_each(|finding| {
            line.extend_from_slice(format!("{:<11}  ", finding.class.word()).as_bytes());
            push_finding(finding, &mut line);
            line.push(b'\n');
            output.write_all(&line)?;
            line.clear();
            Ok(())
        })
    }

    fn json_lines(&self, findings: Findings, output: &mut impl Write) -> io::Result<()> {
        let totals = *findings.totals();
        let mut line = Vec::new();
        json_header::begin(&mut line);
        push_bytes_field("list", "list_base64", self.asked.list, &mut line);
        push_bytes_field("root", "root_base64", self.asked.root.as_os_str().as_bytes(), &mut line);
        json_header::push_algorithms(self.asked.algorithms.iter().map(|one| one.name()), &mut line);
        end_line(0, &mut line);
        let start = line.len();
        let is_verified = self.asked.is_verified(&totals);
        line.extend_from_slice(format!("{{\"type\":\"verdict\",\"verified\":{is_verified},\"text\":").as_bytes());
        push_string(&self.asked.verdict(&totals), &mut line);
        if let Some(sample) = self.asked.sample {
            let (percent, seed) = (sample.percent(), sample.seed());
            line.extend_from_slice(format!(",\"sample_percent\":{percent},\"seed\":{seed}").as_bytes());
        }
        end_line(start, &mut line);
        output.write_all(&line)?;
        findings.into_each(|finding| {
            line.clear();
            line.extend_from_slice(b"{\"type\":\"finding\",\"class\":");
            push_string(finding.class.word(), &mut line);
            push_bytes_field("path", "path_base64", finding.path(), &mut line);
            if finding.is_directory {
                line.extend_from_slice(b",\"directory\":true");
            }
            for (key, file) in [("expected", &finding.expected), ("found", &finding.found)] {
                if let Some(file) = file {
                    push_file(key, file, &mut line);
                }
            }
            if !finding.reason.is_empty() {
                push_bytes_field("reason", "", finding.reason.as_bytes(), &mut line);
            }
            end_line(0, &mut line);
            output.write_all(&line)
        })?;
        line.clear();
        let (expected, found) = (totals.expected.all(), totals.found.all());
        line.extend_from_slice(format!("{{\"type\":\"summary\",\"expected\":{expected},\"found\":{found}").as_bytes());
        for class in Class::ALL {
            let word = class.word().replace('-', "_");
            line.extend_from_slice(format!(",\"{word}\":{}", totals.files.of(class)).as_bytes());
        }
        let (directories, lines) = (totals.directories, self.asked.unread.lines);
        line.extend_from_slice(format!(",\"unlisted_directories\":{directories},\"unread_lines\":{lines}").as_bytes());
        end_line(0, &mut line);
        output.write_all(&line)
    }

    fn page(&self, findings: Findings, output: &mut impl Write) -> io::Result<()> {
        let totals = *findings.totals();
        let algorithms: Vec<&str> = self.asked.algorithms.iter().map(|algorithm| algorithm.name()).collect();
        let mut classes = Table::new("Files by class", ["Class", "Files", "Expected", "Found"]);
        for class in Class::ALL {
            let count = |count: u64| Cell::quantity(Count(count).to_string(), count as f64);
            let of = [&totals.files, &totals.expected, &totals.found].map(|counts| count(counts.of(class)));
            classes
                .push([vec![Cell::mark(self.tone(class, totals.files.of(class)), class.word())], of.to_vec()].concat());
        }
        let mut document = Document::new("Verification")
            .question("Are the files as the list says?")
            .sentence(self.asked.verdict(&totals))
            .fact("List", shown(self.asked.list))
            .fact("Root", shown(self.asked.root.as_os_str().as_bytes()))
            .fact("Algorithms", algorithms.join(", "))
            .fact("Ended", Timestamp::from(SystemTime::now()).to_seconds_text())
            .fact("Program", super::PROGRAM)
            .section(Section::new("counts", "Counts").with(classes));
        let mut tables: Vec<(Class, u64, Table)> = Vec::new();
        findings.into_each(|finding| {
            if tables.last().is_none_or(|(class, ..)| *class != finding.class) {
                let title = format!("Files that are {}", finding.class.word());
                let table = Table::new(title, ["Path", "Expected", "Found", "Reason"]).sortable();
                tables.push((finding.class, 0, table));
            }
            if let Some((class, rows, table)) = tables.last_mut().filter(|(_, rows, _)| *rows < PAGE_FINDINGS_MAX) {
                *rows += 1;
                table.push(row(*class, finding));
            }
            Ok(())
        })?;
        for (class, rows, table) in tables {
            let mut title = format!("{} {class}", Count(totals.files.of(class)));
            let mut count = totals.files.of(class);
            if let Some(directories) = not_listed(&totals).filter(|_| class == Class::Unreadable) {
                title = format!("{title}, and {directories}");
                count += totals.directories;
            }
            let mut section = Section::new(class.word(), title);
            if rows == PAGE_FINDINGS_MAX && rows < count {
                section = section
                    .text(format!("The first {} are here; `--format jsonl` lists all.", Count(PAGE_FINDINGS_MAX)));
            }
            document = document.section(section.with(Block::folded_if_long(table.without_empty_columns())));
        }
        output.write_all(document.html().as_bytes())
    }

    fn tone(&self, class: Class, count: u64) -> Tone {
        match class {
            _ if count == 0 => Tone::Faint,
            Class::Matched => Tone::Good,
            Class::Unreadable => Tone::Caution,
            _ if self.asked.ignored.fails(class) => Tone::Bad,
            _ => Tone::Neutral,
        }
    }
}

/// Returns the counts of all classes that have files, and of directories, which are none.
fn counts(totals: &Totals) -> String {
    let some = Class::ALL.into_iter().filter(|class| totals.files.of(*class) > 0);
    let parts: Vec<String> = some.map(|class| format!("{} {class}", Count(totals.files.of(class)))).collect();
    let files = if parts.is_empty() { "no file".to_owned() } else { parts.join(", ") };
    not_listed(totals).map_or(files.clone(), |directories| format!("{files}; {directories}"))
}

/// Returns the words for the directories that could not be listed, if there are some.
fn not_listed(totals: &Totals) -> Option<String> {
    let directories = totals.directories;
    let words = if directories == 1 { "directory" } else { "directories" };
    (directories > 0).then(|| format!("{} {words} could not be listed", Count(directories)))
}

/// Appends the paths of a finding and its reason.
fn push_finding(finding: &Finding, line: &mut Vec<u8>) {
    let Finding { class, expected, found, reason, .. } = finding;
    match (expected, found) {
        (Some(expected), Some(found)) if expected.path != found.path => {
            push_escaped(&expected.path, line);
            line.extend_from_slice(if *class == Class::Matched { b" = " } else { b" -> " });
            push_escaped(&found.path, line);
        }
        _ => push_escaped(finding.path(), line),
    }
    let mut notes = Vec::new();
    if !reason.is_empty() {
        notes.push(reason.clone());
    }
    if let Some(expected) = expected.as_ref().filter(|expected| expected.line > 0 && *class != Class::Matched) {
        notes.push(format!("line {}", expected.line));
    }
    if !notes.is_empty() {
        line.extend_from_slice(format!("  ({})", message::escaped_lines(&notes.join("; "))).as_bytes());
    }
}

/// Appends a file as a field of an object.
fn push_file(key: &str, file: &File, line: &mut Vec<u8>) {
    line.extend_from_slice(format!(",\"{key}\":").as_bytes());
    let start = line.len();
    push_bytes_field("path", "path_base64", &file.path, line);
    // In place of the comma before a field.
    line[start] = b'{';
    if let Some(size) = file.size {
        line.extend_from_slice(format!(",\"size\":{size}").as_bytes());
    }
    if file.line > 0 {
        line.extend_from_slice(format!(",\"line\":{}", file.line).as_bytes());
    }
    line.extend_from_slice(b",\"digests\":{");
    for (place, digest) in file.digests.iter().enumerate() {
        line.extend_from_slice(if place > 0 { b"," } else { b"" });
        push_string(digest.algorithm().name(), line);
        line.push(b':');
        push_string(&digest.to_string(), line);
    }
    line.extend_from_slice(b"}}");
}

/// Returns a name for a page.
fn shown(name: &[u8]) -> String {
    let mut escaped = Vec::new();
    push_escaped(name, &mut escaped);
    String::from_utf8_lossy(&escaped).into_owned()
}

/// Returns the row of a finding on a page.
fn row(class: Class, finding: &Finding) -> Vec<Cell> {
    let told = match (class, &finding.expected, &finding.found) {
        (Class::Changed, Some(expected), Some(found)) => {
            [value(expected, expected, found), value(found, expected, found)]
        }
        // Where it has another name in the list.
        (_, Some(expected), _) if expected.path != finding.path() => [shown(&expected.path), String::new()],
        _ => [String::new(), String::new()],
    };
    let [expected, found] = told.map(Cell::code);
    vec![Cell::code(shown(finding.path())), expected, found, Cell::text(finding.reason.clone())]
}

/// Returns the size or the digest of one of two files in which they differ.
fn value(of: &File, expected: &File, found: &File) -> String {
    match compare(expected, found) {
        Agreement::OtherDigest(algorithm) => of.digest(algorithm).map_or_else(String::new, ToString::to_string),
        _ => of.size.map_or_else(String::new, |size| format!("{} bytes", Count(size))),
    }
}
