//! The reports that a policy wants after each run: files, metrics, and a message.

use super::super::audit_args::ReportFormat;
use super::super::exit::Failed;
use super::super::message;
use super::collection::failed;
use super::policy::{Mail, Policy};
use super::report;
use pfh_ledger::Ledger;
use pfh_list::AtomicFile;
use std::fmt::Display;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Most bytes of a report in a message.
const MAIL_BYTES_MAX: usize = 256 << 10;

/// How a run went, for those who only need to know that.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum News {
    /// All that was to be compared is as expected.
    Good,
    /// Something could not be listed or read.
    Incomplete,
    /// An alarm is open.
    Alarm,
}

/// Writes and sends what the policy wants. A failure holds back nothing else.
pub(super) fn deliver(
    policy: &Policy,
    ledger: &Ledger,
    number: i64,
    summary: &str,
    news: News,
) -> Vec<Result<(), Failed>> {
    let mail = policy.mail.as_ref().filter(|mail| news != News::Good || mail.always);
    // Somebody is told of an alarm before anything else is tried.
    let sent = mail.map(|mail| send(mail, ledger, number, &stem(ledger.path()), summary, news));
    if let Some(directory) = policy.reports.directory.as_deref().filter(|_| !policy.formats.is_empty()) {
        // Not those above it, one of which may be a disk that is not mounted. If it cannot be made, files in it cannot
        // either.
        let _ = fs::create_dir(directory);
    }
    let files = files(policy, ledger.path(), number).into_iter();
    sent.into_iter().chain(files.map(|file| write(ledger, number, &file))).collect()
}

/// A file that a policy wants of a run.
pub(super) struct ReportFile {
    pub(super) path: PathBuf,
    format: ReportFormat,
    /// Whether the policy names the file itself, and so the one that a symbolic link leads to. Of the others it names
    /// the directory.
    is_named: bool,
}

/// Returns the files that a policy wants of a run.
pub(super) fn files(policy: &Policy, ledger: &Path, number: i64) -> Vec<ReportFile> {
    let of_run = policy.formats.iter().filter_map(|&format| {
        let directory = policy.reports.directory.as_deref()?;
        let path = directory.join(format!("{}-run-{number:05}.{}", stem(ledger), ending(format)));
        Some(ReportFile { path, format, is_named: false })
    });
    let metrics = policy.reports.prometheus.iter().map(|path| ReportFile {
        path: path.clone(),
        format: ReportFormat::Prometheus,
        is_named: true,
    });
    of_run.chain(metrics).collect()
}

/// Returns the name of a collection: that of its ledger, without the ending.
fn stem(ledger: &Path) -> String {
    ledger.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

/// Returns the ending of the names of reports.
fn ending(format: ReportFormat) -> &'static str {
    match format {
        ReportFormat::Text => "txt",
        ReportFormat::Jsonl => "jsonl",
        ReportFormat::Csv => "csv",
        ReportFormat::Premis => "premis.xml",
        ReportFormat::Prometheus => "prom",
        ReportFormat::Html => "html",
    }
}

fn write(ledger: &Ledger, number: i64, file: &ReportFile) -> Result<(), Failed> {
    let ReportFile { path, format, is_named } = file;
    let not_written = |error: &dyn Display| {
        Failed::internal(format_args!("the report {} cannot be written: {error}", message::quoted_path(path)))
    };
    let file = if *is_named { AtomicFile::create(path) } else { AtomicFile::create_unfollowed(path) };
    let mut file = io::BufWriter::new(file.map_err(|error| not_written(&error))?);
    report::write_whole(ledger, number, *format, &mut file).map_err(|error| not_written(&error))?;
    let file = file.into_inner().map_err(|error| not_written(error.error()))?;
    file.persist().map_err(|error| not_written(&error))
}

/// Gives a message to `sendmail`.
fn send(mail: &Mail, ledger: &Ledger, number: i64, collection: &str, summary: &str, news: News) -> Result<(), Failed> {
    let not_sent = |error: &dyn Display| {
        Failed::internal(format_args!(
            "the message about run {number} was not sent: {}: {error}",
            message::quoted_path(&mail.sendmail)
        ))
    };
    let mut body = Vec::new();
    report::write(ledger, number, ReportFormat::Text, &mut body).map_err(|error| failed(ledger.path(), error))?;
    if body.len() > MAIL_BYTES_MAX {
        body.truncate(body[..MAIL_BYTES_MAX].iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1));
        body.extend_from_slice("… and more; `pfh audit report` has all\n".as_bytes());
    }
    // A name must not become a header.
    let header = |text: &str| text.replace(|character: char| character.is_control() || !character.is_ascii(), "?");
    let verdict = match news {
        News::Good => "all is well",
        News::Incomplete => "not all could be read",
        News::Alarm => "ALARM",
    };
    let mut text = String::new();
    if let Some(from) = &mail.from {
        text += &format!("From: {}\n", header(from));
    }
    text += &format!(
        "To: {}\nSubject: [pfh audit] {}: {verdict}\nMIME-Version: 1.0\nContent-Type: text/plain; charset=utf-8\n\
         Content-Transfer-Encoding: 8bit\n\n{summary}\n\n",
        header(&mail.to.join(", ")),
        header(collection)
    );
    let mut sendmail = Command::new(&mail.sendmail)
        .args(["-t", "-i"])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .map_err(|error| not_sent(&error))?;
    if let Some(mut input) = sendmail.stdin.take() {
        let given = input.write_all(text.as_bytes()).and_then(|()| input.write_all(&body));
        given.map_err(|error| not_sent(&error))?;
    }
    let status = sendmail.wait().map_err(|error| not_sent(&error))?;
    if status.success() { Ok(()) } else { Err(not_sent(&status)) }
}
