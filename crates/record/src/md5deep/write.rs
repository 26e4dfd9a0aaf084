//! Writing of md5deep's forms.

use memchr::memchr2;
use pfh_digest::Digest;

use super::{SIZE_COLUMNS, SIZE_MAX};
use crate::text::{push_decimal, push_piece_range};
use crate::time::push_colon_time;
use crate::{Format, Md5deepForm, NotExpressible, Record, RunFacts, Summary, Timestamp};

/// The writer of `[SIZE  ]DIGEST[ TIME]  NAME` or `[SIZE, ]DIGEST,[TIME,]NAME`.
pub(crate) struct Md5deep {
    form: Md5deepForm,
    null_terminated: bool,
}

impl Md5deep {
    pub(crate) fn new(form: Md5deepForm, null_terminated: bool) -> Md5deep {
        Md5deep { form, null_terminated }
    }

    fn push_line(
        &self,
        size: u64,
        digest: &Digest,
        record: &Record,
        name: Option<&[u8]>,
        piece: Option<(u64, u64)>,
        out: &mut Vec<u8>,
    ) {
        if self.form.size {
            let start = out.len();
            push_decimal(size.min(SIZE_MAX), out);
            let padding = SIZE_COLUMNS - (out.len() - start);
            out.splice(start..start, std::iter::repeat_n(b' ', padding));
            out.extend_from_slice(if self.form.comma { b", " } else { b"  " });
        }
        digest.push_hex(out);
        if let Some(name) = name {
            if let (true, Some(ctime)) = (self.form.time, changed(record)) {
                out.push(if self.form.comma { b',' } else { b' ' });
                push_colon_time(ctime, out);
            }
            out.extend_from_slice(match (self.form.comma, self.form.asterisk) {
                (true, _) => b",",
                (false, true) => b" *",
                (false, false) => b"  ",
            });
            out.extend_from_slice(name);
        }
        if let Some((offset, length)) = piece {
            push_piece_range(offset, length, out);
        }
        out.push(if self.null_terminated { 0 } else { b'\n' });
    }
}

/// Returns the time that md5deep writes, the last change of the inode.
fn changed(record: &Record) -> Option<Timestamp> {
    record.metadata?.posix.map(|posix| posix.ctime)
}

impl Format for Md5deep {
    fn header(&self, _run: &RunFacts, _out: &mut Vec<u8>) {}

    fn record(&self, record: &Record, out: &mut Vec<u8>) -> Result<(), NotExpressible> {
        let path = &record.path[..];
        let is_stdin = path == b"-";
        if record.digests.is_empty() && record.pieces.is_empty() {
            return Ok(());
        }
        if path.is_empty() {
            return Err(NotExpressible::NoName);
        }
        match memchr2(b'\n', 0, path).map(|at| path[at]) {
            Some(0) => return Err(NotExpressible::Nul),
            Some(_) if !self.null_terminated => return Err(NotExpressible::LineBreak),
            _ => {}
        }
        if path.ends_with(b"\r") && record.pieces.is_empty() && !self.null_terminated {
            return Err(NotExpressible::FinalCarriageReturn);
        }
        if self.form.time && changed(record).is_none() && !is_stdin {
            return Err(NotExpressible::NoTime);
        }
        if self.form.size && !record.is_size_known && record.pieces.is_empty() {
            return Err(NotExpressible::NoSize);
        }
        if record.pieces.is_empty() {
            for digest in &record.digests {
                self.push_line(record.bytes_read, digest, record, (!is_stdin).then_some(path), None, out);
            }
        }
        let name = if is_stdin { b"stdin" } else { path };
        for piece in &record.pieces {
            for digest in &piece.digests {
                self.push_line(piece.length, digest, record, Some(name), Some((piece.offset, piece.length)), out);
            }
        }
        Ok(())
    }

    fn footer(&self, _summary: &Summary, _out: &mut Vec<u8>) {}
}
