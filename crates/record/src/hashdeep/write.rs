//! Writing of the hashdeep format.

use memchr::memchr2;
use pfh_digest::{Algorithm, Digest};

use super::{ALGORITHMS, COLUMNS, FIRST_LINE};
use crate::text::{push_decimal, push_piece_range};
use crate::{Format, NotExpressible, Record, RunFacts, Summary};

/// The writer of `SIZE,DIGEST,…,NAME`, with the digests in the format's order.
pub(crate) struct Hashdeep {
    /// The algorithms of the run in the order of columns.
    columns: Vec<Algorithm>,
}

impl Hashdeep {
    pub(crate) fn new(algorithms: &[Algorithm]) -> Hashdeep {
        let own = |name: &str| algorithms.iter().copied().find(|algorithm| algorithm.name() == name);
        Hashdeep { columns: ALGORITHMS.into_iter().filter_map(own).collect() }
    }

    /// Every line of this format has a digest in each column.
    fn check_columns(&self, digests: &[Digest]) -> Result<(), NotExpressible> {
        let is_there = |algorithm: &Algorithm| digests.iter().any(|digest| digest.algorithm() == *algorithm);
        match self.columns.iter().find(|algorithm| !is_there(algorithm)) {
            Some(&algorithm) => Err(NotExpressible::MissingDigest { algorithm }),
            None => Ok(()),
        }
    }

    fn push_columns(&self, size: u64, digests: &[Digest], name: &[u8], out: &mut Vec<u8>) {
        push_decimal(size, out);
        for algorithm in &self.columns {
            out.push(b',');
            if let Some(digest) = digests.iter().find(|digest| digest.algorithm() == *algorithm) {
                digest.push_hex(out);
            }
        }
        out.push(b',');
        out.extend_from_slice(name);
    }
}

/// Appends the text of a comment with escaped line breaks, which would otherwise begin an entry.
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
        for algorithm in &self.columns {
            out.extend_from_slice(algorithm.name().as_bytes());
            out.push(b',');
        }
        out.extend_from_slice(b"filename\n");
        if run.states(&run.directory) {
            out.extend_from_slice(b"## Invoked from: ");
            push_comment(&run.directory, out);
            out.push(b'\n');
        }
        if run.states(&run.command_line) {
            out.extend_from_slice(if run.uid == Some(0) { b"## # " } else { b"## $ " });
            push_comment(&run.command_line.join(&b' '), out);
            out.push(b'\n');
        }
        if let Some(conversion) = &run.conversion {
            out.extend_from_slice(b"## ");
            push_comment(&conversion.sentence(), out);
            out.push(b'\n');
        }
        out.extend_from_slice(b"## \n");
    }

    fn record(&self, record: &Record, out: &mut Vec<u8>) -> Result<(), NotExpressible> {
        if record.digests.is_empty() && record.pieces.is_empty() {
            return Ok(());
        }
        let name: &[u8] = if record.path == b"-" { b"stdin" } else { &record.path };
        if name.is_empty() {
            return Err(NotExpressible::NoName);
        }
        match memchr2(b'\n', 0, name).map(|at| name[at]) {
            Some(0) => return Err(NotExpressible::Nul),
            Some(_) => return Err(NotExpressible::LineBreak),
            None => {}
        }
        let pieces = record.pieces.iter().map(|piece| &piece.digests);
        let listed = if record.pieces.is_empty() { Some(&record.digests) } else { None };
        listed.into_iter().chain(pieces).try_for_each(|digests| self.check_columns(digests))?;
        if record.pieces.is_empty() {
            if name.ends_with(b"\r") {
                return Err(NotExpressible::FinalCarriageReturn);
            }
            if !record.is_size_known {
                return Err(NotExpressible::NoSize);
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
