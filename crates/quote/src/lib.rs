//! Names and foreign texts, printed so that they command nothing: no terminal, no page, and no line beside them.
//!
//! ```
//! assert_eq!(pfh_quote::quoted(b"a\x1b[31m\xff"), "`a\\u{1b}[31m\\xff`");
//! ```
//!
//! This crate knows nothing of what is printed, nor where.
#![forbid(unsafe_code)]

use std::fmt::Write as _;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// Returns a path in backticks, with unprintable characters escaped, so that a name cannot pass for another line,
/// control the terminal or reorder the text beside it.
pub fn quoted(path: &[u8]) -> String {
    format!("`{}`", escaped(path))
}

/// Like [`quoted`], for a [`Path`].
pub fn quoted_path(path: &Path) -> String {
    quoted(path.as_os_str().as_bytes())
}

/// Returns a name with what is unprintable escaped, for where something else marks its ends.
pub fn escaped(name: &[u8]) -> String {
    let mut text = String::with_capacity(name.len());
    push_escaped(name, &mut text);
    text
}

fn push_escaped(bytes: &[u8], text: &mut String) {
    for chunk in bytes.utf8_chunks() {
        for character in chunk.valid().chars() {
            if is_unprintable(character) {
                text.extend(character.escape_default());
            } else {
                text.push(character);
            }
        }
        for byte in chunk.invalid() {
            let _ = write!(text, "\\x{byte:02x}");
        }
    }
}

/// Whether a name is UTF-8 without unprintable characters, so that it needs no escapes.
pub fn is_plain(name: &[u8]) -> bool {
    std::str::from_utf8(name).is_ok_and(|name| !name.contains(is_unprintable))
}

/// Whether a character is a control, or is invisible and can hide, break or reorder the text beside it.
pub fn is_unprintable(character: char) -> bool {
    character.is_control() || is_invisible(character)
}

/// Whether a character is a format character (general category Cf of Unicode 16: bidirectional controls, zero widths,
/// tags, the byte order mark) or a separator of lines or paragraphs.
fn is_invisible(character: char) -> bool {
    matches!(u32::from(character),
        0xAD | 0x600..=0x605 | 0x61C | 0x6DD | 0x70F | 0x890..=0x891 | 0x8E2 | 0x180E | 0x200B..=0x200F
        | 0x2028..=0x202E | 0x2060..=0x206F | 0xFEFF | 0xFFF0..=0xFFFB | 0x110BD | 0x110CD | 0x13430..=0x1343F
        | 0x1BCA0..=0x1BCA3 | 0x1D173..=0x1D17A | 0xE0000..=0xE007F)
}

/// Returns a text that quotes user input, with everything unprintable escaped except its line feeds.
pub fn escaped_lines(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for (place, line) in text.split('\n').enumerate() {
        if place > 0 {
            escaped.push('\n');
        }
        push_escaped(line.as_bytes(), &mut escaped);
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn odd_names_cannot_forge_lines() {
        assert_eq!(quoted(b"a b"), "`a b`");
        assert_eq!(quoted(b"a\nb\x1b[31m"), "`a\\nb\\u{1b}[31m`");
        assert_eq!(quoted(b"\xff\xfe\xc3\xa9"), "`\\xff\\xfeé`");
        assert!(!is_plain(b"\x9b31m") && is_plain(b"") && is_plain(b"a b\\n"));
    }

    /// Characters that reorder, hide or break a line are escaped; letters, marks and spaces of all scripts are not.
    #[test]
    fn invisible_characters_are_escaped() {
        for character in
            "\u{202a}\u{202e}\u{2066}\u{2069}\u{200e}\u{200f}\u{61c}\u{2028}\u{2029}\u{200b}\u{200d}\u{2060}\u{feff}\
            \u{ad}\u{180e}\u{e0041}\u{fff9}\u{85}\u{9b}\u{7f}\0\t"
                .chars()
        {
            let text = quoted(format!("a{character}b").as_bytes());
            assert_eq!(text, format!("`a{}b`", character.escape_default()));
            assert!(text.is_ascii());
            assert!(!is_plain(format!("a{character}b").as_bytes()), "{character:?}");
        }
        let visible = "äöü ελληνικά 日本語 עברית العربية हिन्दी e\u{301} \u{1f600}";
        assert_eq!(quoted(visible.as_bytes()), format!("`{visible}`"));
        assert!(is_plain(visible.as_bytes()));
    }

    #[test]
    fn lines_of_a_text_stay_apart() {
        assert_eq!(escaped_lines("error: '\x1b[2J'\n\nUsage: x\n"), "error: '\\u{1b}[2J'\n\nUsage: x\n");
    }
}
