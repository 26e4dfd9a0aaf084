//! Lists of digests: one on each line, followed by an empty line.

use std::io::{self, Write};

use super::Digest;
use crate::list::{LineError, LineFormat};

/// The lines of a list.
#[derive(Clone, Copy, Debug, Default)]
pub struct Lines;

impl LineFormat for Lines {
    type Digest = Digest;

    fn line(&mut self, text: &[u8]) -> Result<Option<(Vec<u8>, Digest)>, LineError> {
        if text.is_empty() {
            return Ok(None);
        }
        let digest = Digest::from_bytes(text).map_err(LineError::Line)?;
        Ok(Some((digest.name.clone(), digest)))
    }
}

/// Writes a digest as one entry of a list.
///
/// # Errors
/// Errors of writing to `out`, and [`io::ErrorKind::InvalidInput`] for a name with a line end in it, which no list can
/// hold.
pub fn write(digest: &Digest, out: &mut impl Write) -> io::Result<()> {
    if digest.name.contains(&b'\n') {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "a name with a line end does not fit on a line"));
    }
    let mut line = Vec::new();
    digest.write_to(&mut line);
    line.extend_from_slice(b"\n\n");
    out.write_all(&line)
}
