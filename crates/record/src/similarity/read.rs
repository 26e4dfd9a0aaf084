//! Reading of the families' lists.

use std::collections::VecDeque;

use pfh_similarity::list::{LineFormat, ListErrorKind};
use pfh_similarity::{Digest, Family, mrsh_v2, sdhash, ssdeep, tlsh};

use crate::Listed;
use crate::read::{Fault, Line, LineParser, ReadErrorKind};

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

    fn fault(&self, kind: ListErrorKind) -> Fault {
        let kind = match kind {
            ListErrorKind::Io(error) => ReadErrorKind::Io(error),
            ListErrorKind::NotThisFormat { reason } => {
                ReadErrorKind::NotThisFormat { format: self.family().name(), reason }
            }
            ListErrorKind::TooLong { limit_bytes } => ReadErrorKind::TooLong { limit_bytes },
            ListErrorKind::Line(error) => return error.into(),
        };
        Fault { kind, at: 0 }
    }
}

/// Name and digest of a line, the digest without the name: it is the path beside it.
fn read<F: LineFormat>(
    lines: &mut F,
    text: &[u8],
    digest: impl Fn(F::Digest) -> Digest,
) -> Result<Option<(Vec<u8>, Digest)>, ListErrorKind> {
    Ok(lines.line(text)?.map(|(name, found)| (name, digest(found).with_name(b""))))
}

impl LineParser for SimilarityParser {
    fn line(&mut self, line: Line<'_>, found: &mut VecDeque<Listed>) -> Result<(), Fault> {
        let text = line.text();
        let read = match self {
            SimilarityParser::Ssdeep(lines) => read(lines, text, Digest::Ssdeep),
            SimilarityParser::Sdhash(lines) => read(lines, text, Digest::Sdhash),
            SimilarityParser::MrshV2(lines) => read(lines, text, Digest::MrshV2),
            SimilarityParser::Tlsh(lines) => read(lines, text, Digest::Tlsh),
        };
        if let Some((path, digest)) = read.map_err(|kind| self.fault(kind))? {
            found.push_back(Listed { similarities: vec![digest], ..Listed::new(path, Vec::new(), line.number) });
        }
        Ok(())
    }

    fn end(&mut self) -> Result<(), Fault> {
        let ended = match self {
            SimilarityParser::Ssdeep(lines) => lines.end(),
            SimilarityParser::Sdhash(lines) => lines.end(),
            SimilarityParser::MrshV2(lines) => lines.end(),
            SimilarityParser::Tlsh(lines) => lines.end(),
        };
        ended.map_err(|kind| self.fault(kind))
    }
}
