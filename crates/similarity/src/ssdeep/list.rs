//! Lists as ssdeep writes them: a header, then `BLOCKSIZE:H1:H2,"NAME"` for each file.
//!
//! A `"` in a name is written `\"`, and nothing else is escaped, so a name with a line feed cannot be expressed.
//!
//! Lists without a header, digests without names, and comments (`#`), as others publish them, are read too.

use std::io::{self, Write};

use memchr::{memchr, memchr_iter};

use super::Digest;
use crate::ParseError;
use crate::list::{LineContents, LineError, LineFormat};

/// First line of a list.
pub const HEADER: &str = "ssdeep,1.1--blocksize:hash:hash,filename";

/// First line of a list of ssdeep 1, which is read too.
const OLD_HEADER: &str = "ssdeep,1.0--blocksize:hash:hash,filename";

/// The form of the lines.
#[derive(Clone, Copy, Debug, Default)]
pub struct Lines {
    is_begun: bool,
}

impl LineFormat for Lines {
    type Digest = Digest;

    fn line(&mut self, text: &[u8]) -> Result<LineContents<Digest>, LineError> {
        if !self.is_begun && (text == HEADER.as_bytes() || text == OLD_HEADER.as_bytes()) {
            self.is_begun = true;
            return Ok(None);
        }
        if text.is_empty() || text.starts_with(b"#") {
            return Ok(None);
        }
        match entry(text) {
            Err(_) if !self.is_begun => Err(LineError::NotThisFormat {
                reason: "this is no ssdeep list: its first line is neither the header \
                         `ssdeep,1.1--blocksize:hash:hash,filename` nor a digest",
            }),
            entry => {
                self.is_begun = true;
                entry.map(Some).map_err(LineError::Line)
            }
        }
    }

    fn end(&mut self) -> Result<(), LineError> {
        match self.is_begun {
            true => Ok(()),
            false => Err(LineError::NotThisFormat { reason: "this is no ssdeep list: it is empty" }),
        }
    }
}

fn entry(text: &[u8]) -> Result<(Vec<u8>, Digest), ParseError> {
    let Some(comma) = memchr(b',', text) else {
        return Ok((Vec::new(), Digest::from_bytes(text.trim_ascii_end())?));
    };
    let digest = Digest::from_bytes(&text[..comma])?;
    let quoted = &text[comma + 1..];
    let name = quoted.strip_prefix(b"\"").ok_or(ParseError::new(comma + 1, "name", "does not begin with a quote"))?;
    let name = name.strip_suffix(b"\"").ok_or(ParseError::new(text.len(), "name", "does not end with a quote"))?;
    Ok((unescape(name), digest))
}

fn unescape(name: &[u8]) -> Vec<u8> {
    let mut plain = Vec::with_capacity(name.len());
    for (at, &byte) in name.iter().enumerate() {
        if byte != b'\\' || name.get(at + 1) != Some(&b'"') {
            plain.push(byte);
        }
    }
    plain
}

/// Writes a list.
pub struct Writer<W> {
    output: W,
}

impl<W: Write> Writer<W> {
    /// Begins a list with its header.
    ///
    /// # Errors
    /// Errors of writing to `output`.
    pub fn new(mut output: W) -> io::Result<Writer<W>> {
        writeln!(output, "{HEADER}")?;
        Ok(Writer { output })
    }

    /// Appends a line.
    ///
    /// # Errors
    /// [`io::ErrorKind::InvalidInput`] for a name that contains a line feed, and then nothing is written; those of
    /// `output`.
    pub fn entry(&mut self, digest: &Digest, name: &[u8]) -> io::Result<()> {
        write(digest, name, &mut self.output)
    }

    /// Returns the output, which is not flushed.
    pub fn into_inner(self) -> W {
        self.output
    }
}

/// Writes a digest as one line of a list, which comes after the [`HEADER`].
///
/// # Errors
/// Errors of writing to `out`, and [`io::ErrorKind::InvalidInput`] for a name that contains a line feed, and then
/// nothing is written.
pub fn write(digest: &Digest, name: &[u8], out: &mut impl Write) -> io::Result<()> {
    if memchr(b'\n', name).is_some() {
        return Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "an ssdeep list cannot express a name with a line feed",
        ));
    }
    write!(out, "{digest},\"")?;
    let mut written = 0;
    for quote in memchr_iter(b'"', name) {
        out.write_all(&name[written..quote])?;
        out.write_all(b"\\")?;
        written = quote;
    }
    out.write_all(&name[written..])?;
    out.write_all(b"\"\n")
}
