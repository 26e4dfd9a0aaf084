//! `pfh audit head` and `verify-ledger`.

use super::super::audit_args::{HeadArguments, VerifyArguments};
use super::super::command::{Command, Reporting};
use super::super::exit::{Ending, Failed};
use super::super::message;
use super::super::quantity::Count;
use super::super::reading::{self, cannot_be_written};
use super::collection::{Collection, one_line, output_file, time};
use super::reported;
use pfh_digest::Algorithm;
use pfh_ledger::chain::Hash;
use pfh_ledger::timestamp::{self, Answer};
use pfh_ledger::{Error, Head, Ledger, Problem, Verified};
use pfh_list::AtomicFile;
use std::collections::hash_map::RandomState;
use std::fs;
use std::hash::{BuildHasher, Hasher};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{self, Stdio};

/// Returns the text of a head: what is printed, signed and time-stamped.
pub(super) fn text(ledger: &Path, head: &Head) -> String {
    let name = ledger.file_name().unwrap_or(ledger.as_os_str());
    let name = one_line(&name.to_string_lossy());
    format!(
        "pfh ledger head\nledger: {name}\nrun: {}\nevents: {}\ntime: {}\nsha256: {}\n",
        head.run,
        head.events,
        time(head.time),
        head.hash_text()
    )
}

/// Runs `pfh audit head`.
pub(super) fn head(arguments: &HeadArguments) -> Result<Ending, Failed> {
    let collection = Collection::of(&arguments.ledger)?;
    let output = output_file(arguments.output.as_deref());
    let signature = arguments.sign.as_ref().map(|_| {
        let mut name = output.clone().into_os_string();
        name.push(".sig");
        PathBuf::from(name)
    });
    let others = signature.into_iter().chain(arguments.timestamp_request.clone());
    let others: Vec<PathBuf> = others.collect();
    collection.spare([output].into_iter().chain(others.iter().cloned()))?;
    let ledger = collection.open()?;
    let roots = ledger.roots().map_err(|error| collection.failed(error))?;
    let named: Vec<PathBuf> = arguments.output.iter().cloned().chain(others).collect();
    collection.stay_outside(&roots, &collection.settings(&ledger)?, &named, &[], false)?;
    let head = ledger.head().map_err(|error| collection.failed(error))?;
    let text = text(&collection.ledger, &head);
    let mut command = Command::begin(Reporting::DEFAULT, None);
    command.without_totals();
    command.set_output(reading::open_output(arguments.output.as_deref(), [])?);
    command.write(text.as_bytes());
    let ending = command.finish(Ok(()), 1, None)?;
    if let Some(path) = &arguments.timestamp_request {
        let nonce = RandomState::new().build_hasher().finish();
        let request = timestamp::request(&digest(text.as_bytes())?, nonce);
        let not_written = |error: io::Error| cannot_be_written(path, error);
        let mut file = AtomicFile::create(path).map_err(not_written)?;
        file.write_all(&request).and_then(|()| file.persist()).map_err(not_written)?;
    }
    if let (Some(key), Some(file)) = (&arguments.sign, &arguments.output) {
        let mut ssh = process::Command::new("ssh-keygen");
        let ssh = ssh.args(["-Y", "sign", "-n", "pfh-ledger", "-f"]).arg(key).arg(file).stdout(Stdio::null());
        let status = ssh.status().map_err(|error| Failed::internal(format_args!("ssh-keygen: {error}")))?;
        if !status.success() {
            let file = message::quoted_path(file);
            return Err(Failed::internal(format_args!("{file} was written and not signed: ssh-keygen: {status}")));
        }
    }
    Ok(ending)
}

/// Returns the SHA-256 digest of a text.
fn digest(text: &[u8]) -> Result<Hash, Failed> {
    let digest = Algorithm::from_name("sha256").map_err(Failed::internal)?.digest(text);
    let mut hash = Hash::default();
    hash.copy_from_slice(digest.bytes());
    Ok(hash)
}

/// Checks that a file is a time stamp of a head. Returns what is wrong with it, or its time.
fn check_timestamp(arguments: &VerifyArguments, head: &Path, answer: &Path) -> Result<Result<String, String>, Failed> {
    let read = |path: &Path| {
        fs::read(path).map_err(|error| Failed::usage(format_args!("{}: {error}", message::quoted_path(path))))
    };
    let stamped = match Answer::parse(&read(answer)?) {
        Ok(stamped) => stamped,
        Err(error) => return Ok(Err(format!("the time stamp: {error}"))),
    };
    if stamped.digest != digest(&read(head)?)? {
        return Ok(Err("the time stamp is of another file than the head".to_owned()));
    }
    if let Some(path) = &arguments.timestamp_request {
        match timestamp::parse_request(&read(path)?) {
            Ok((_, nonce)) if stamped.nonce.as_ref() == Some(&nonce) => {}
            Ok(_) => return Ok(Err("the time stamp answers another request: its nonce differs".to_owned())),
            Err(error) => return Ok(Err(format!("the request for the time stamp: {error}"))),
        }
    }
    let Some(certificates) = &arguments.timestamp_ca else {
        return Ok(Ok(format!("{}; its signature was not checked (--timestamp-ca)", stamped.time)));
    };
    let openssl = process::Command::new("openssl")
        .args(["ts", "-verify", "-data"])
        .arg(head)
        .arg("-in")
        .arg(answer)
        .arg("-CAfile")
        .arg(certificates)
        .stdin(Stdio::null())
        .output()
        .map_err(|error| Failed::unread(format_args!("the signature cannot be checked: openssl: {error}")))?;
    if openssl.status.success() {
        return Ok(Ok(format!("{}; openssl finds its signature valid", stamped.time)));
    }
    let reason = String::from_utf8_lossy(&openssl.stderr);
    let reason = reason.lines().map(str::trim).collect::<Vec<_>>().join("; ");
    Ok(Err(format!("the signature of the time stamp is not valid: {reason}")))
}

/// Returns the event and the hash in the text of a head.
fn parse(text: &str) -> Option<(i64, Hash)> {
    let value = |name: &str| text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "));
    let digest = value("sha256")?.trim();
    let mut hash = Hash::default();
    pfh_digest::decode_hexadecimal(digest.as_bytes(), &mut hash)?;
    let is_head = text.lines().next()? == "pfh ledger head" && digest.len() == 2 * hash.len();
    Some((value("events")?.trim().parse().ok()?, hash)).filter(|_| is_head)
}

/// Runs `pfh audit verify-ledger`.
pub(super) fn verify(arguments: &VerifyArguments) -> Result<Ending, Failed> {
    let collection = Collection::of(&arguments.ledger)?;
    let kept = match &arguments.head {
        None => None,
        Some(path) => {
            let shown = message::quoted_path(path);
            let text = fs::read_to_string(path).map_err(|error| Failed::usage(format_args!("{shown}: {error}")))?;
            let no_head = || Failed::usage(format_args!("{shown} is no head of a ledger"));
            Some(parse(&text).ok_or_else(no_head)?)
        }
    };
    let opened = Ledger::open(&collection.ledger, false);
    let mut command = Command::printing()?;
    let mut ledger = match opened {
        Ok(ledger) => ledger,
        Err(Error::Damaged(reason)) => {
            command.tally.findings = 1;
            let problem = Problem::Database(one_line(&reason));
            return command
                .print(format!("{problem}\ndamaged: it cannot be opened, and a copy of it can take its place\n"));
        }
        Err(error) => return Err(collection.failed(error)),
    };
    let cancel = command.cancel().clone();
    let verified = ledger.verify(kept, &|| cancel.is_cancelled());
    if cancel.is_cancelled() {
        return command.finish(Ok(()), 0, None);
    }
    let Verified { events, files, problems, clock_went_back, .. } =
        verified.map_err(|error| collection.failed(error))?;
    for problem in &problems {
        command.write(format!("{}\n", message::escaped_lines(&problem.to_string())).as_bytes());
    }
    if let Some(first) = clock_went_back.first() {
        message::error(format_args!(
            "the clock was set back before event {first} ({} times in all); the order of events is not affected",
            clock_went_back.len()
        ));
    }
    command.tally.findings = problems.len() as u64;
    if let (Some(head), Some(answer)) = (&arguments.head, &arguments.timestamp) {
        match check_timestamp(arguments, head, answer)? {
            Ok(time) => command.write(format!("the head was stamped at {time}\n").as_bytes()),
            Err(problem) => {
                command.tally.findings += 1;
                command.write(format!("{}\n", message::escaped_lines(&problem)).as_bytes());
            }
        }
    }
    let (events, files) = (Count(events.cast_unsigned()), reported::files(files));
    let verdict = match (problems.is_empty(), kept) {
        (true, None) => format!("intact: {events} events, {files}; --head compares with a head kept elsewhere"),
        (true, Some((event, _))) => {
            format!("intact: {events} events, {files}, and event {event} is the head that was kept")
        }
        (false, _) => format!("damaged or changed: {events} events, {files}"),
    };
    command.print(format!("{verdict}\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_head_comes_back_from_its_text() {
        let head = Head { run: 3, events: 42, hash: [0xab; 32], time: 1_795_183_702 };
        let text = text(Path::new("/x/a\n.pfhl"), &head);
        assert_eq!(
            text,
            format!(
                "pfh ledger head\nledger: a\\n.pfhl\nrun: 3\nevents: 42\ntime: 2026-11-20T14:08:22Z\nsha256: {}\n",
                "ab".repeat(32)
            )
        );
        assert_eq!(parse(&text), Some((42, [0xab; 32])));
        for broken in ["", "events: 42\n", &text.replace("sha256", "md5"), &text.replace("ab\n", "a\n"), &text[4..]] {
            assert_eq!(parse(broken), None, "{broken}");
        }
    }
}
