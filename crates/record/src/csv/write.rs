//! Writing of CSV.

use pfh_digest::Digest;

use super::{COLLISIONS_COLUMN, COLUMNS, FACTS_COLUMNS, PIECE_COLUMNS};
use crate::facts_text;
use crate::similarity_text::push_similarity;
use crate::text::push_decimal;
use crate::time::push_rfc3339;
use crate::{Format, NotExpressible, Outcome, Record, RunFacts, Selection, Summary};

/// The writer: one line per file, with CRLF line ends.
pub(crate) struct Csv {
    selection: Selection,
    piecewise: bool,
    facts: bool,
    collisions: bool,
}

impl Csv {
    pub(crate) fn new(selection: Selection, piecewise: bool, facts: bool) -> Csv {
        let collisions = selection.algorithms().iter().any(|algorithm| algorithm.name() == "sha1dc");
        Csv { selection, piecewise, facts, collisions }
    }

    fn push_line(&self, record: &Record, piece: Option<(u64, u64)>, digests: &[Digest], out: &mut Vec<u8>) {
        push_field(&record.path, out);
        out.push(b',');
        if let Some(size) = record.size() {
            push_decimal(size, out);
        }
        out.push(b',');
        if let Some(mtime) = record.metadata.and_then(|metadata| metadata.mtime) {
            push_rfc3339(mtime, out);
        }
        out.push(b',');
        out.extend_from_slice(record.outcome.word().as_bytes());
        out.push(b',');
        push_error(&record.outcome, out);
        if self.piecewise {
            out.push(b',');
            if let Some((offset, length)) = piece {
                push_decimal(offset, out);
                out.push(b',');
                push_decimal(length, out);
            } else {
                out.push(b',');
            }
        }
        // A record without digests, or with some of them, still has all columns.
        for algorithm in self.selection.algorithms() {
            out.push(b',');
            if let Some(digest) = digests.iter().find(|digest| digest.algorithm() == *algorithm) {
                digest.push_hex(out);
            }
        }
        // Pieces have no similarity digests.
        let similarities = if piece.is_none() { &*record.similarities } else { &[] };
        for family in self.selection.families() {
            out.push(b',');
            let similarity = similarities.iter().find(|similarity| similarity.family == *family);
            if let Some(Ok(digest)) = similarity.map(|similarity| &similarity.digest) {
                push_similarity(digest, out);
            }
        }
        if self.facts {
            match record.facts.as_ref().filter(|_| piece.is_none()) {
                Some(facts) => facts_text::texts(facts).for_each(|text| {
                    out.push(b',');
                    out.extend_from_slice(&text);
                }),
                None => out.extend_from_slice(&[b','; FACTS_COLUMNS.len()]),
            }
        }
        if self.collisions {
            out.push(b',');
            for (position, digest) in digests.iter().filter(|digest| digest.collision_detected()).enumerate() {
                if position > 0 {
                    out.push(b' ');
                }
                out.extend_from_slice(digest.algorithm().name().as_bytes());
            }
        }
        out.extend_from_slice(b"\r\n");
    }
}

fn push_error(outcome: &Outcome, out: &mut Vec<u8>) {
    match outcome {
        Outcome::Complete | Outcome::ChangedWhileReading | Outcome::NotReached => {}
        Outcome::Short { expected, read } => {
            push_field(format!("ended after {read} of {expected} bytes").as_bytes(), out);
        }
        Outcome::Unreadable { offset, error } => {
            push_field(format!("{}: {} (from byte {offset})", error.kind, error.message).as_bytes(), out);
        }
        Outcome::Skipped(reason) => push_field(reason.word().as_bytes(), out),
    }
}

/// Appends a field, quoted if RFC 4180, section 2, rules 6 and 7, requires it.
pub fn push_field(field: &[u8], out: &mut Vec<u8>) {
    if !field.iter().any(|byte| matches!(byte, b',' | b'"' | b'\r' | b'\n')) {
        out.extend_from_slice(field);
        return;
    }
    out.push(b'"');
    for &byte in field {
        if byte == b'"' {
            out.push(b'"');
        }
        out.push(byte);
    }
    out.push(b'"');
}

impl Format for Csv {
    fn header(&self, _run: &RunFacts, out: &mut Vec<u8>) {
        let pieces: &[&str] = if self.piecewise { &PIECE_COLUMNS } else { &[] };
        let facts: &[&str] = if self.facts { &FACTS_COLUMNS } else { &[] };
        let collisions = self.collisions.then_some(COLLISIONS_COLUMN);
        let names = COLUMNS
            .iter()
            .chain(pieces)
            .copied()
            .chain(self.selection.names())
            .chain(facts.iter().copied())
            .chain(collisions);
        for (position, name) in names.enumerate() {
            if position > 0 {
                out.push(b',');
            }
            out.extend_from_slice(name.as_bytes());
        }
        out.extend_from_slice(b"\r\n");
    }

    fn record(&self, record: &Record, out: &mut Vec<u8>) -> Result<(), NotExpressible> {
        if record.path.is_empty() {
            return Err(NotExpressible::NoName);
        }
        self.push_line(record, None, &record.digests, out);
        if self.piecewise {
            for piece in &record.pieces {
                self.push_line(record, Some((piece.offset, piece.length)), &piece.digests, out);
            }
        }
        Ok(())
    }

    fn footer(&self, _summary: &Summary, _out: &mut Vec<u8>) {}
}
