//! Writing of the hashdeep format.

use memchr::memchr2;
use pfh_digest::{Algorithm, Digest};

use super::{ALGORITHMS, COLUMNS, FIRST_LINE};
use crate::text::{push_decimal, push_piece_range};
use crate::{Format, NotExpressible, Record, RunFacts, Summary};

/// `SIZE,DIGEST,…,NAME`, the digests in the format's order.
pub(crate) struct Hashdeep {
    /// The algorithms of the run in the order of columns, each with its place in the run's order.
    columns: Vec<(&'static str, usize)>,
}

impl Hashdeep {
    pub(crate) fn new(algorithms: &[Algorithm]) -> Hashdeep {
        let place = |name: &'static str| Some((name, algorithms.iter().position(|a| a.name() == name)?));
        Hashdeep { columns: ALGORITHMS.into_iter().filter_map(place).collect() }
    }

    fn push_columns(&self, size: u64, digests: &[Digest], name: &[u8], out: &mut Vec<u8>) {
        push_decimal(size, out);
        for &(_, place) in &self.columns {
            out.push(b',');
            if let Some(digest) = digests.get(place) {
                digest.push_hex(out);
            }
        }
        out.push(b',');
        out.extend_from_slice(name);
    }
}

/// A line break within a comment would begin a line that is none.
fn push_comment(text: &[u8], out: &mut Vec<u8>) {
    for &byte in text {
        match byte {
            b'\n' => out.extend_from_slice(b"\\n"),
            b'\r' => out.extend_from_slice(b"\\r"),
            _ => out.push(byte),
        }
    }
}

impl Format for Hashdeep {
    fn header(&self, run: &RunFacts, out: &mut Vec<u8>) {
        out.extend_from_slice(FIRST_LINE);
        out.push(b'\n');
        out.extend_from_slice(COLUMNS);
        for (name, _) in &self.columns {
            out.extend_from_slice(name.as_bytes());
            out.push(b',');
        }
        out.extend_from_slice(b"filename\n## Invoked from: ");
        push_comment(&run.directory, out);
        out.extend_from_slice(if run.uid == Some(0) { b"\n## # " } else { b"\n## $ " });
        push_comment(&run.command_line.join(&b' '), out);
        out.extend_from_slice(b"\n## \n");
    }

    fn record(&self, record: &Record, out: &mut Vec<u8>) -> Result<(), NotExpressible> {
        if record.digests.is_empty() && record.pieces.is_empty() {
            return Ok(());
        }
        let name: &[u8] = if record.path == b"-" { b"stdin" } else { &record.path };
        match memchr2(b'\n', 0, name).map(|at| name[at]) {
            Some(0) => return Err(NotExpressible::Nul),
            Some(_) => return Err(NotExpressible::LineBreak),
            None => {}
        }
        if record.pieces.is_empty() {
            if name.ends_with(b"\r") {
                return Err(NotExpressible::FinalCarriageReturn);
            }
            self.push_columns(record.bytes_read, &record.digests, name, out);
            out.push(b'\n');
        }
        for piece in &record.pieces {
            self.push_columns(piece.length, &piece.digests, name, out);
            push_piece_range(piece.offset, piece.length, out);
            out.push(b'\n');
        }
        Ok(())
    }

    fn footer(&self, _summary: &Summary, _out: &mut Vec<u8>) {}
}
