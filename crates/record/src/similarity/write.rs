//! Writing of the families' lists.

use pfh_similarity::{Digest, Family, mrsh_v2, sdhash, ssdeep, tlsh};

use crate::{Format, NotExpressible, Record, RunFacts, Summary};

/// One entry for each file that has a digest of the family.
pub(crate) struct SimilarityList(pub(crate) Family);

impl Format for SimilarityList {
    fn header(&self, _run: &RunFacts, out: &mut Vec<u8>) {
        if self.0 == Family::Ssdeep {
            out.extend_from_slice(ssdeep::list::HEADER.as_bytes());
            out.push(b'\n');
        }
    }

    fn record(&self, record: &Record, out: &mut Vec<u8>) -> Result<(), NotExpressible> {
        let own = record.similarities.iter().find(|similarity| similarity.family == self.0);
        let Some(Ok(digest)) = own.map(|similarity| &similarity.digest) else { return Ok(()) };
        if record.path.ends_with(b"\r") && self.0 == Family::Tlsh {
            return Err(NotExpressible::FinalCarriageReturn);
        }
        let path = &*record.path;
        let length = out.len();
        let written = match digest {
            Digest::Ssdeep(digest) => ssdeep::list::write(digest, path, &mut *out),
            Digest::Sdhash(digest) => sdhash::list::write(&digest.clone().with_name(path), &mut *out),
            Digest::MrshV2(digest) => mrsh_v2::list::write(&digest.clone().with_name(path), &mut *out),
            Digest::Tlsh(digest) => tlsh::list::Writer::new(&mut *out).entry(digest, path),
        };
        // Writing to a vector cannot fail: what is refused is the name.
        written.map_err(|_| {
            out.truncate(length);
            NotExpressible::LineBreak
        })
    }

    fn footer(&self, _summary: &Summary, _out: &mut Vec<u8>) {}
}
