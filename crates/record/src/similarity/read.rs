//! Reading of the families' lists.

use pfh_similarity::list::{LineError, LineFormat};
use pfh_similarity::{Digest, Family, mrsh_v2, sdhash, ssdeep, tlsh};

use crate::parse::{Fault, Found, Line, LineParser, ReadErrorKind};
use crate::{Entry, FormatName, Similarity};

/// A family's reader of lines.
pub(crate) enum SimilarityParser {
    Ssdeep(ssdeep::list::Lines),
    Sdhash(sdhash::list::Lines),
    MrshV2(mrsh_v2::list::Lines),
    Tlsh(tlsh::list::Lines),
}

impl SimilarityParser {
    pub(crate) fn new(family: Family) -> SimilarityParser {
        match family {
            Family::Ssdeep => SimilarityParser::Ssdeep(Default::default()),
            Family::Sdhash => SimilarityParser::Sdhash(Default::default()),
            Family::MrshV2 => SimilarityParser::MrshV2(Default::default()),
            Family::Tlsh => SimilarityParser::Tlsh(Default::default()),
        }
    }

    fn family(&self) -> Family {
        match self {
            SimilarityParser::Ssdeep(_) => Family::Ssdeep,
            SimilarityParser::Sdhash(_) => Family::Sdhash,
            SimilarityParser::MrshV2(_) => Family::MrshV2,
            SimilarityParser::Tlsh(_) => Family::Tlsh,
        }
    }

    fn fault(&self, kind: LineError) -> Fault {
        let kind = match kind {
            LineError::NotThisFormat { reason } => {
                ReadErrorKind::NotThisFormat { format: FormatName::Similarity(self.family()), reason }
            }
            LineError::Line(error) => return error.into(),
        };
        Fault { kind, at: 0 }
    }
}

/// Reads name and digest of a line. The name in the digest is dropped, because the path is beside it.
fn read<F: LineFormat>(
    lines: &mut F,
    text: &[u8],
    digest: impl Fn(F::Digest) -> Digest,
) -> Result<Option<(Vec<u8>, Digest)>, LineError> {
    Ok(lines.line(text)?.map(|(name, found)| (name, digest(found).with_name(b""))))
}

impl LineParser for SimilarityParser {
    fn line(&mut self, line: Line<'_>, found: &mut Found) -> Result<(), Fault> {
        let text = line.text();
        let read = match self {
            SimilarityParser::Ssdeep(lines) => read(lines, text, Digest::Ssdeep),
            SimilarityParser::Sdhash(lines) => read(lines, text, Digest::Sdhash),
            SimilarityParser::MrshV2(lines) => read(lines, text, Digest::MrshV2),
            SimilarityParser::Tlsh(lines) => read(lines, text, Digest::Tlsh),
        };
        let read = read.map_err(|kind| self.fault(kind))?;
        let family = self.family();
        if let Some((path, digest)) = read {
            let similarities = vec![Similarity { family, digest: Ok(digest) }];
            found.push(Entry { similarities, ..Entry::new(path, Vec::new(), line.number) });
        }
        Ok(())
    }

    fn end(&mut self, _found: &mut Found) -> Result<(), Fault> {
        let ended = match self {
            SimilarityParser::Ssdeep(lines) => lines.end(),
            SimilarityParser::Sdhash(lines) => lines.end(),
            SimilarityParser::MrshV2(lines) => lines.end(),
            SimilarityParser::Tlsh(lines) => lines.end(),
        };
        ended.map_err(|kind| self.fault(kind))
    }
}
