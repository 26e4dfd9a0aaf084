//! Lists of digests: one on each line.

use std::io::{self, BufRead, Write};

use super::Digest;
use crate::list::{self, LineFormat, ListErrorKind};

/// The lines of a list. Empty lines are passed over. (The original takes the first one for the end of the list.)
#[derive(Clone, Copy, Debug, Default)]
pub struct Lines;

impl LineFormat for Lines {
    type Digest = Digest;

    /// The digest of 2 GiB in stream mode, of 3 GiB in blocks of 16 KiB.
    const LINE_BYTES_MAX: usize = 64 << 20;

    fn line(&mut self, text: &[u8]) -> Result<Option<(Vec<u8>, Digest)>, ListErrorKind> {
        if text.is_empty() {
            return Ok(None);
        }
        let digest = Digest::from_bytes(text).map_err(ListErrorKind::Line)?;
        Ok(Some((digest.name.clone(), digest)))
    }
}

/// Reads a list.
pub type Reader<R> = list::Reader<R, Lines>;

/// Reads a list: see [`list::Reader`].
pub fn reader<R: BufRead>(input: R) -> Reader<R> {
    Reader::new(input)
}

/// Writes a digest as one line of a list.
///
/// # Errors
/// Those of `out`, and [`io::ErrorKind::InvalidInput`] for a name with a line end in it, which no list can hold.
pub fn write(digest: &Digest, out: &mut impl Write) -> io::Result<()> {
    if digest.name.contains(&b'\n') {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "a name with a line end does not fit on a line"));
    }
    let mut line = Vec::new();
    digest.write_to(&mut line);
    line.push(b'\n');
    out.write_all(&line)
}
