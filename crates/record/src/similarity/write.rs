//! Writing of the families' lists.

use std::num::NonZero;

use pfh_similarity::{Digest, Family, mrsh_v2, sdhash, ssdeep, tlsh};

use crate::{Format, NotExpressible, Record, RunFacts, Summary};

/// The writer: one entry for each file that has a digest of the family.
pub(crate) struct SimilarityList {
    pub(crate) family: Family,
    /// Length of the segments in MiB; `None` for no segments.
    pub(crate) sdhash_segment: Option<NonZero<u32>>,
}

impl Format for SimilarityList {
    fn header(&self, _run: &RunFacts, out: &mut Vec<u8>) {
        if self.family == Family::Ssdeep {
            out.extend_from_slice(ssdeep::list::HEADER.as_bytes());
            out.push(b'\n');
        }
    }

    fn record(&self, record: &Record, out: &mut Vec<u8>) -> Result<(), NotExpressible> {
        let own = record.similarities.iter().find(|similarity| similarity.family == self.family);
        let Some(Ok(digest)) = own.map(|similarity| &similarity.digest) else { return Ok(()) };
        if record.path.ends_with(b"\r") && self.family == Family::Tlsh {
            return Err(NotExpressible::FinalCarriageReturn);
        }
        let path = &*record.path;
        let length = out.len();
        let written = match digest {
            Digest::Ssdeep(digest) => ssdeep::list::write(digest, path, &mut *out),
            Digest::Sdhash(digest) => {
                let digest = digest.clone().with_name(path);
                let segments = match self.sdhash_segment {
                    Some(mebibytes) => digest.into_segments(mebibytes),
                    None => vec![digest],
                };
                segments.iter().try_for_each(|segment| sdhash::list::write(segment, &mut *out))
            }
            Digest::MrshV2(digest) => mrsh_v2::list::write(&digest.clone().with_name(path), &mut *out),
            Digest::Tlsh(digest) => tlsh::list::Writer::new(&mut *out).entry(digest, path),
        };
        // Writing to a vector cannot fail, so the error is about the name.
        written.map_err(|_| {
            out.truncate(length);
            NotExpressible::LineBreak
        })
    }

    fn footer(&self, _summary: &Summary, _out: &mut Vec<u8>) {}
}
