//! Output on a terminal, which would obey the names of files in it.

use super::message;
use std::io::{self, Write};

/// A place to write to. If it is a terminal, unprintable characters are escaped there; any other place gets every byte
/// as it is.
pub(super) struct Shown<W> {
    to: W,
    /// The beginning of a line that goes on, if this is a terminal: a character may come in two parts.
    begun: Option<Vec<u8>>,
}

impl<W: Write> Shown<W> {
    pub(super) fn new(to: W, is_terminal: bool) -> Shown<W> {
        Shown { to, begun: is_terminal.then(Vec::new) }
    }

    pub(super) fn get_ref(&self) -> &W {
        &self.to
    }
}

impl<W: Write> Write for Shown<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let Some(begun) = &mut self.begun else { return self.to.write(bytes) };
        begun.extend_from_slice(bytes);
        let complete = begun.iter().rposition(|byte| ends_line(*byte)).map_or(0, |end| end + 1);
        let rest = begun.split_off(complete);
        let lines = std::mem::replace(begun, rest);
        self.to.write_all(&printable(&lines))?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        if let Some(begun) = &mut self.begun {
            self.to.write_all(&printable(&std::mem::take(begun)))?;
        }
        self.to.flush()
    }
}

fn ends_line(byte: u8) -> bool {
    matches!(byte, b'\n' | 0)
}

/// Returns lines in which everything unprintable is escaped except their ends, and tabs between columns.
fn printable(lines: &[u8]) -> Vec<u8> {
    let mut printable = Vec::with_capacity(lines.len());
    for line in lines.split_inclusive(|byte| ends_line(*byte)) {
        let ends: [&[u8]; 3] = [b"\r\n", b"\n", b"\0"];
        let text = ends.iter().find_map(|end| line.strip_suffix(*end)).unwrap_or(line);
        for (place, column) in text.split(|byte| *byte == b'\t').enumerate() {
            printable.extend_from_slice(if place > 0 { b"\t" } else { b"" });
            printable.extend_from_slice(message::escaped(column).as_bytes());
        }
        printable.extend_from_slice(&line[text.len()..]);
    }
    printable
}

#[cfg(test)]
mod tests {
    use super::*;

    const WRITTEN: &[u8] = b"d  a\x1b[31m\xc2\x9b\te\xcc\x81\r\n\"a\rb\"\r\nx\xff\n\ny\0\xe2\x80\xae";

    /// A terminal gets the same whatever the parts in which it is written.
    #[test]
    fn a_terminal_gets_nothing_that_it_obeys() {
        let expected = "d  a\\u{1b}[31m\\u{9b}\te\u{301}\r\n\"a\\rb\"\r\nx\\xff\n\ny\0\\u{202e}";
        for part_bytes in 1..=WRITTEN.len() {
            let mut shown = Shown::new(Vec::new(), true);
            for part in WRITTEN.chunks(part_bytes) {
                shown.write_all(part).unwrap();
            }
            shown.flush().unwrap();
            assert_eq!(String::from_utf8_lossy(shown.get_ref()), expected, "{part_bytes}");
        }
    }

    #[test]
    fn others_get_every_byte() {
        let mut shown = Shown::new(Vec::new(), false);
        shown.write_all(WRITTEN).unwrap();
        shown.flush().unwrap();
        assert_eq!(shown.get_ref(), WRITTEN);
    }
}
