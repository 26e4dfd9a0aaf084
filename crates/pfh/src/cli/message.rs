//! Lines for people on standard error, and what a command that only tells something prints.

use super::exit::Written;
use super::warnings::Warning;
use super::{Ending, progress};
pub(crate) use pfh_record::quote::{escaped_lines, quoted, quoted_path};
use pfh_record::{Outcome, Piece, Record, Similarity, SkipReason};
use rustix::io::Errno;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

/// What there is to say about a record beside its digests: nothing for most.
pub(crate) fn about(record: &Record) -> Option<Warning> {
    let warning = |reason: &str| Some(Warning::new(&record.path, reason.to_owned()));
    match &record.outcome {
        Outcome::Complete if record.collision_detected() => Some(Warning::of_finding(
            &record.path,
            "made by a known SHA-1 collision attack: another file with the same SHA-1 exists".to_owned(),
        )),
        Outcome::Complete => record.pieces.iter().find(|piece| piece.collision_detected()).map(|piece| {
            let reason =
                format!("the piece at byte {} bears the marks of a known SHA-1 collision attack", piece.offset);
            Warning::of_finding(&record.path, reason)
        }),
        Outcome::ChangedWhileReading => {
            warning("changed while it was read; no digest is given. Run again when it is at rest")
        }
        Outcome::Short { expected, read } => {
            let end = "no digest is given. The filesystem states a size that it does not deliver";
            let reason = format!("ended after {read} of {expected} bytes; {end}");
            Some(Warning::of_kind(&record.path, reason, format!("ended early; {end}")))
        }
        Outcome::Unreadable { offset: 0, error } => warning(&error.message),
        Outcome::Unreadable { offset, error } => {
            let reason = format!("unreadable from byte {offset} on: {}", error.message);
            Some(Warning::of_kind(&record.path, reason, error.message.clone()))
        }
        Outcome::Skipped(SkipReason::Loop) => warning("a loop of links leads back here; not entered"),
        Outcome::Skipped(SkipReason::TooManyPieces) => {
            warning("digests of so many pieces do not fit the memory option; use a larger `--piecewise` or `--memory`")
        }
        // Devices, sockets and FIFOs are passed over as a matter of course; `--stats` counts them.
        Outcome::Skipped(SkipReason::NotRegular | SkipReason::Unchanged | SkipReason::NotWanted) => None,
        Outcome::NotReached => warning("not read: the run was stopped before"),
    }
}

/// What there is to say of a file that has no digest of a family, which is no failure.
pub(crate) fn unfit(record: &Record) -> Option<Warning> {
    let why = |one: &Similarity| one.digest.as_ref().err().map(|unfit| format!("no {} digest: {unfit}", one.family));
    let why: Vec<String> = record.similarities.iter().filter_map(why).collect();
    (!why.is_empty()).then(|| Warning::new(&record.path, why.join("; ")))
}

/// Whether a file, or a piece of it, bears the marks of a collision attack.
pub(crate) fn has_finding(record: &Record) -> bool {
    record.collision_detected() || record.pieces.iter().any(Piece::collision_detected)
}

/// Whether an outcome means that some input could not be read.
pub(crate) fn is_failure(outcome: &Outcome) -> bool {
    match outcome {
        Outcome::Complete
        | Outcome::Skipped(SkipReason::NotRegular | SkipReason::Loop | SkipReason::Unchanged | SkipReason::NotWanted) => {
            false
        }
        Outcome::ChangedWhileReading
        | Outcome::Short { .. }
        | Outcome::Unreadable { .. }
        | Outcome::NotReached
        | Outcome::Skipped(SkipReason::TooManyPieces) => true,
    }
}

/// What a command tells, on standard output.
pub(crate) fn print(text: impl AsRef<[u8]>) -> Ending {
    printed(standard_output().and_then(|mut stdout| {
        stdout.write_all(text.as_ref())?;
        stdout.flush()
    }))
}

/// Standard output; an error where the program was started without, so that nothing is written to nowhere.
pub(crate) fn standard_output() -> io::Result<io::Stdout> {
    if pfh_source::stdout_was_closed() { Err(Errno::BADF.into()) } else { Ok(io::stdout()) }
}

/// Standard input; an error where the program was started without, so that it is not taken for an empty one.
pub(crate) fn standard_input() -> io::Result<io::Stdin> {
    if pfh_source::stdin_was_closed() { Err(Errno::BADF.into()) } else { Ok(io::stdin()) }
}

/// How writing to standard output went; an error is reported, unless it is that nobody reads any more.
pub(crate) fn printed(result: io::Result<()>) -> Ending {
    let Err(error) = result else { return Ending::DONE };
    let ending = Ending::of_output(&error);
    if ending.written == Written::Failed {
        self::error(format_args!("standard output: {error}"));
    }
    ending
}

/// Text that was asked for, on standard error.
pub(crate) fn plain(text: impl std::fmt::Display) {
    // Where nobody can be told, the run goes on, and the exit status tells.
    progress::above_line(|| {
        let _ = writeln!(io::stderr(), "{text}");
    });
}

/// An error or a warning, on standard error. Texts of other crates may have names in them that are not quoted.
pub(crate) fn error(text: impl std::fmt::Display) {
    plain(format_args!("pfh: {}", escaped_lines(&text.to_string())));
}

/// An old list was not replaced by an empty one.
pub(crate) fn spared(path: &Path) {
    let path = quoted_path(path);
    error(format_args!("no file was completed, so {path} is left as it was; --allow-empty replaces it"));
}

/// Where the finished part of a list is.
pub(crate) enum Partial {
    File(PathBuf),
    Stream,
}

/// The run was stopped by a signal; where the part of its list that was finished is, if that is of any use.
pub(crate) fn interrupted(partial: Option<&Partial>) {
    match partial {
        Some(Partial::File(path)) => {
            error(format_args!("interrupted; what was finished is in {}", quoted_path(path)));
        }
        Some(Partial::Stream) => error("interrupted; what was finished is on standard output"),
        None => error("interrupted"),
    }
}
