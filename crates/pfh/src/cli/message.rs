//! Messages on standard error, and the standard streams, which may be closed when the program starts.

use super::line;
pub(crate) use pfh_record::quote::{escaped, escaped_lines, is_plain, quoted, quoted_path};
use rustix::io::Errno;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

/// Returns standard output, or an error if the program was started without it, so that nothing is written to nowhere.
pub(crate) fn standard_output() -> io::Result<io::Stdout> {
    if pfh_source::stdout_was_closed() { Err(Errno::BADF.into()) } else { Ok(io::stdout()) }
}

/// Returns standard input, or an error if the program was started without it, so that it is not taken for empty.
pub(crate) fn standard_input() -> io::Result<io::Stdin> {
    if pfh_source::stdin_was_closed() { Err(Errno::BADF.into()) } else { Ok(io::stdin()) }
}

/// Prints a requested text on standard error.
pub(crate) fn plain(text: impl std::fmt::Display) {
    // If standard error is closed, the run goes on, and only the exit status remains.
    line::above_line(|| {
        let _ = writeln!(io::stderr(), "{text}");
    });
}

/// Prints an error or a warning on standard error. The texts of other crates may contain unquoted names, which are
/// escaped here.
pub(crate) fn error(text: impl std::fmt::Display) {
    plain(format_args!("pfh: {}", escaped_lines(&text.to_string())));
}

/// Reports that an old list was not replaced by an empty one.
pub(crate) fn spared(path: &Path) {
    let path = quoted_path(path);
    error(format_args!("no file was completed, so {path} is left as it was; --allow-empty replaces it"));
}

/// The place of the finished part of a list.
pub(crate) enum Partial {
    File(PathBuf),
    Stream,
}

/// Reports that a signal stopped the run, and the place of the finished part of its list if it is of use.
pub(crate) fn interrupted(partial: Option<&Partial>) {
    match partial {
        Some(Partial::File(path)) => {
            error(format_args!("interrupted; what was finished is in {}", quoted_path(path)));
        }
        Some(Partial::Stream) => error("interrupted; what was finished is on standard output"),
        None => error("interrupted"),
    }
}

/// Whether a name has control characters, which would break a text into other lines or fields.
pub(crate) fn has_control(name: &[u8]) -> bool {
    name.utf8_chunks().any(|chunk| chunk.valid().contains(char::is_control))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_found() {
        for name in [&b"a\nb"[..], b"\xff\x1b[31m", b"a\t", b"\x7f", "\u{9b}31m".as_bytes()] {
            assert!(has_control(name), "{name:?}");
        }
        for name in [&b""[..], b"a b\\n", b"\xff\x9b", "é\u{a0}".as_bytes()] {
            assert!(!has_control(name), "{name:?}");
        }
    }
}
