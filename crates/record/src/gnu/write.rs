//! Writing of the untagged and the tag form.

use memchr::{memchr, memchr3};
use pfh_digest::{Algorithm, Digest};

use super::tag;
use crate::text::push_piece_range;
use crate::{Encoding, Format, NotExpressible, Record, RunFacts, Summary};

/// The writer of `DIGEST  NAME`, the default form of the coreutils programs.
pub(crate) struct Gnu {
    line: LineForm,
    encoding: Encoding,
}

/// The writer of `ALGORITHM (NAME) = DIGEST`, the default of the BSD systems and of `cksum -a`.
pub(crate) struct Bsd {
    line: LineForm,
    encoding: Encoding,
    /// One per algorithm of the run.
    tags: Vec<(Algorithm, String)>,
}

/// The line end, which decides whether names are escaped.
#[derive(Clone, Copy)]
struct LineForm {
    null_terminated: bool,
}

impl Gnu {
    pub(crate) fn new(null_terminated: bool, encoding: Encoding) -> Gnu {
        Gnu { line: LineForm { null_terminated }, encoding }
    }
}

impl Bsd {
    pub(crate) fn new(algorithms: &[Algorithm], null_terminated: bool, encoding: Encoding) -> Bsd {
        Bsd {
            line: LineForm { null_terminated },
            encoding,
            tags: algorithms.iter().map(|&algorithm| (algorithm, tag(algorithm))).collect(),
        }
    }
}

impl LineForm {
    /// Calls `push_line` with the digests and the prepared name, first of the whole file and then of each piece.
    fn record(
        self,
        record: &Record,
        out: &mut Vec<u8>,
        push_line: impl Fn(&[Digest], Name<'_>, &mut Vec<u8>),
    ) -> Result<(), NotExpressible> {
        if record.digests.is_empty() && record.pieces.is_empty() {
            return Ok(());
        }
        if record.path.is_empty() {
            return Err(NotExpressible::NoName);
        }
        if memchr(0, &record.path).is_some() {
            return Err(NotExpressible::Nul);
        }
        let path = &record.path[..];
        let escaped = !self.null_terminated && memchr3(b'\\', b'\n', b'\r', path).is_some();
        let end = if self.null_terminated { 0 } else { b'\n' };
        push_line(&record.digests, Name { path, escaped, piece: None, end }, out);
        for piece in &record.pieces {
            let name = Name { path, escaped, piece: Some((piece.offset, piece.length)), end };
            push_line(&piece.digests, name, out);
        }
        Ok(())
    }
}

/// A name to be written into a line.
#[derive(Clone, Copy)]
struct Name<'a> {
    path: &'a [u8],
    /// Whether it contains a byte that must be escaped; the line then begins with a backslash.
    escaped: bool,
    /// Offset and length of a piece.
    piece: Option<(u64, u64)>,
    /// The byte that ends the line.
    end: u8,
}

impl Name<'_> {
    fn push_mark(self, out: &mut Vec<u8>) {
        if self.escaped {
            out.push(b'\\');
        }
    }

    fn push(self, out: &mut Vec<u8>) {
        if self.escaped {
            push_escaped_name(self.path, out);
        } else {
            out.extend_from_slice(self.path);
        }
        if let Some((offset, length)) = self.piece {
            push_piece_range(offset, length, out);
        }
    }
}

/// Appends a name with its backslashes, line feeds and carriage returns escaped, as coreutils does in lines that begin
/// with a backslash.
pub fn push_escaped_name(name: &[u8], out: &mut Vec<u8>) {
    for &byte in name {
        match byte {
            b'\\' => out.extend_from_slice(b"\\\\"),
            b'\n' => out.extend_from_slice(b"\\n"),
            b'\r' => out.extend_from_slice(b"\\r"),
            _ => out.push(byte),
        }
    }
}

impl Format for Gnu {
    fn header(&self, _run: &RunFacts, _out: &mut Vec<u8>) {}

    fn record(&self, record: &Record, out: &mut Vec<u8>) -> Result<(), NotExpressible> {
        self.line.record(record, out, |digests, name, out| {
            for digest in digests {
                name.push_mark(out);
                self.encoding.push(digest, out);
                out.extend_from_slice(b"  ");
                name.push(out);
                out.push(name.end);
            }
        })
    }

    fn footer(&self, _summary: &Summary, _out: &mut Vec<u8>) {}
}

impl Format for Bsd {
    fn header(&self, _run: &RunFacts, _out: &mut Vec<u8>) {}

    fn record(&self, record: &Record, out: &mut Vec<u8>) -> Result<(), NotExpressible> {
        self.line.record(record, out, |digests, name, out| {
            for digest in digests {
                // A file may have only some of the run's digests.
                let Some((_, tag)) = self.tags.iter().find(|(one, _)| *one == digest.algorithm()) else { continue };
                name.push_mark(out);
                out.extend_from_slice(tag.as_bytes());
                out.extend_from_slice(b" (");
                name.push(out);
                out.extend_from_slice(b") = ");
                self.encoding.push(digest, out);
                out.push(name.end);
            }
        })
    }

    fn footer(&self, _summary: &Summary, _out: &mut Vec<u8>) {}
}
