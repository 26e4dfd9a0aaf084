//! `pfh audit head` and `verify-ledger`.

use super::super::audit_args::{HeadArguments, VerifyArguments};
use super::super::command::{Command, Reporting};
use super::super::exit::{Ending, Failed};
use super::super::message;
use super::super::quantity::Count;
use super::super::reading;
use super::collection::{Collection, time};
use pfh_ledger::chain::Hash;
use pfh_ledger::{Head, Verified};
use std::fs;
use std::path::Path;

/// Returns the text of a head: what is printed, signed and time-stamped.
pub(super) fn text(ledger: &Path, head: &Head) -> String {
    let name = ledger.file_name().unwrap_or(ledger.as_os_str());
    let name = pfh_record::quote::escaped_lines(&name.to_string_lossy()).replace('\n', "\\n");
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
    let ledger = collection.open()?;
    let head = ledger.head().map_err(|error| collection.failed(error))?;
    let command = Command::begin(Reporting::DEFAULT, None);
    command.set_output(reading::open_output(arguments.output.as_deref())?);
    command.print(text(&collection.ledger, &head))
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
    let mut ledger = collection.open()?;
    let mut command = Command::printing()?;
    let cancel = command.cancel().clone();
    let verified = ledger.verify(kept, &|| cancel.is_cancelled());
    if cancel.is_cancelled() {
        return command.finish(Ok(()), 0, None);
    }
    let Verified { events, files, problems, clock_went_back, .. } =
        verified.map_err(|error| collection.failed(error))?;
    for problem in &problems {
        command.write(format!("{problem}\n").as_bytes());
    }
    if let Some(first) = clock_went_back.first() {
        message::error(format_args!(
            "the clock was set back before event {first} ({} times in all); the order of events is not affected",
            clock_went_back.len()
        ));
    }
    let (events, files) = (Count(events.cast_unsigned()), Count(files));
    let verdict = match (problems.is_empty(), kept) {
        (true, None) => format!("intact: {events} events, {files} files; --head compares with a head kept elsewhere"),
        (true, Some((event, _))) => {
            format!("intact: {events} events, {files} files, and event {event} is the head that was kept")
        }
        (false, _) => format!("damaged or changed: {events} events, {files} files"),
    };
    command.tally.findings = problems.len() as u64;
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
