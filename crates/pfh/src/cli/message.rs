//! Lines for people on standard error, and what a command that only tells something prints.

use super::Ending;
use super::exit::Written;
use pfh_record::{Outcome, Piece, Record, Similarity, SkipReason};
use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// A path in backticks; bytes that are not printable are escaped, so that a name cannot pass for another line.
pub(crate) fn quoted(path: &[u8]) -> String {
    let mut text = String::with_capacity(path.len() + 2);
    text.push('`');
    for chunk in path.utf8_chunks() {
        for character in chunk.valid().chars() {
            if character.is_control() {
                text.extend(character.escape_default());
            } else {
                text.push(character);
            }
        }
        for byte in chunk.invalid() {
            let _ = write!(text, "\\x{byte:02x}");
        }
    }
    text.push('`');
    text
}

/// What there is to say about a record beside its digests: nothing for most.
pub(crate) fn about(record: &Record) -> Option<String> {
    let path = || quoted(&record.path);
    match &record.outcome {
        Outcome::Complete if record.collision_detected() => {
            Some(format!("{}: made by a known SHA-1 collision attack: another file with the same SHA-1 exists", path()))
        }
        Outcome::Complete => record.pieces.iter().find(|piece| piece.collision_detected()).map(|piece| {
            format!("{}: the piece at byte {} bears the marks of a known SHA-1 collision attack", path(), piece.offset)
        }),
        Outcome::ChangedWhileReading => {
            Some(format!("{}: changed while it was read; no digest is given. Run again when it is at rest", path()))
        }
        Outcome::Short { expected, read } => Some(format!(
            "{}: ended after {read} of {expected} bytes; no digest is given. The filesystem states a size that it does not deliver",
            path()
        )),
        Outcome::Unreadable { offset: 0, error } => Some(format!("{}: {}", path(), error.message)),
        Outcome::Unreadable { offset, error } => {
            Some(format!("{}: unreadable from byte {offset} on: {}", path(), error.message))
        }
        Outcome::Skipped(SkipReason::Loop) => Some(format!("{}: a loop of links leads back here; not entered", path())),
        Outcome::Skipped(SkipReason::TooManyPieces) => Some(format!(
            "{}: digests of so many pieces do not fit the memory option; use a larger `--piecewise` or `--memory`",
            path()
        )),
        // Devices, sockets and FIFOs are passed over as a matter of course; `--stats` counts them.
        Outcome::Skipped(SkipReason::NotRegular) => None,
    }
}

/// What there is to say of a file that has no digest of a family, which is no failure.
pub(crate) fn unfit(record: &Record) -> Option<String> {
    let why = |one: &Similarity| one.digest.as_ref().err().map(|unfit| format!("no {} digest: {unfit}", one.family));
    let why: Vec<String> = record.similarities.iter().filter_map(why).collect();
    (!why.is_empty()).then(|| format!("{}: {}", quoted(&record.path), why.join("; ")))
}

/// Whether a file, or a piece of it, bears the marks of a collision attack.
pub(crate) fn has_finding(record: &Record) -> bool {
    record.collision_detected() || record.pieces.iter().any(Piece::collision_detected)
}

/// Whether an outcome means that some input could not be read.
pub(crate) fn is_failure(outcome: &Outcome) -> bool {
    match outcome {
        Outcome::Complete | Outcome::Skipped(SkipReason::NotRegular | SkipReason::Loop) => false,
        Outcome::ChangedWhileReading
        | Outcome::Short { .. }
        | Outcome::Unreadable { .. }
        | Outcome::Skipped(SkipReason::TooManyPieces) => true,
    }
}

/// What a command tells, on standard output.
pub(crate) fn print(text: impl AsRef<[u8]>) -> Ending {
    let mut stdout = io::stdout().lock();
    printed(stdout.write_all(text.as_ref()).and_then(|()| stdout.flush()))
}

/// How writing to standard output went; an error is said, unless it is that nobody reads any more.
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
    let _ = writeln!(io::stderr(), "{text}");
}

/// An error or a warning, on standard error.
pub(crate) fn error(text: impl std::fmt::Display) {
    plain(format_args!("pfh: {text}"));
}

/// The run was stopped by a signal; where its list is, if that is a file.
pub(crate) fn interrupted(partial: Option<&Path>) {
    match partial {
        Some(partial) => {
            error(format_args!("interrupted; what was finished is in {}", quoted(partial.as_os_str().as_bytes())));
        }
        None => error("interrupted"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn odd_names_cannot_forge_lines() {
        assert_eq!(quoted(b"a b"), "`a b`");
        assert_eq!(quoted(b"a\nb\x1b[31m"), "`a\\nb\\u{1b}[31m`");
        assert_eq!(quoted(b"\xff\xfe\xc3\xa9"), "`\\xff\\xfeé`");
    }
}
