//! Lists as `tlsh -r` and `-f` write them: `DIGEST<TAB>NAME`, nothing escaped. Digests without names, as others publish
//! them, are read too.
//!
//! Lines with the digest `TNULL` (`-onull`: the file has none) and comments (`#`) are passed over.

use std::io::{self, Write};

use memchr::memchr;

use super::Digest;
use crate::list::{LineContents, LineError, LineFormat};

/// The form of the lines.
#[derive(Clone, Copy, Debug, Default)]
pub struct Lines;

impl LineFormat for Lines {
    type Digest = Digest;

    fn line(&mut self, text: &[u8]) -> Result<LineContents<Digest>, LineError> {
        if text.is_empty() || text == b"TNULL" || text.starts_with(b"TNULL\t") || text.starts_with(b"#") {
            return Ok(None);
        }
        let (digest, name) = match memchr(b'\t', text) {
            Some(tab) => (&text[..tab], &text[tab + 1..]),
            None => (text.trim_ascii_end(), &text[..0]),
        };
        let digest = Digest::from_bytes(digest).map_err(LineError::Line)?;
        Ok(Some((name.to_vec(), digest)))
    }
}

/// Writes a list.
pub struct Writer<W> {
    output: W,
}

impl<W: Write> Writer<W> {
    /// Returns a writer. A list has no header.
    pub fn new(output: W) -> Writer<W> {
        Writer { output }
    }

    /// Appends a line.
    ///
    /// # Errors
    /// [`io::ErrorKind::InvalidInput`] for a name that contains a line feed, and then nothing is written; those of
    /// `output`.
    pub fn entry(&mut self, digest: &Digest, name: &[u8]) -> io::Result<()> {
        if memchr(b'\n', name).is_some() {
            return Err(io::Error::new(
                io::ErrorKind::InvalidInput,
                "a TLSH list cannot express a name with a line feed",
            ));
        }
        write!(self.output, "{digest}\t")?;
        self.output.write_all(name)?;
        self.output.write_all(b"\n")
    }

    /// Returns the output, which is not flushed.
    pub fn into_inner(self) -> W {
        self.output
    }
}
