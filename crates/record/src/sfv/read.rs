//! Reading of SFV.

use std::collections::VecDeque;

use memchr::memrchr2;
use pfh_digest::Algorithm;

use super::ALGORITHM;
use crate::read::{Fault, Line, LineParser};
use crate::text::parse_digest;
use crate::{Listed, ReadOptions};

pub(crate) struct SfvParser {
    algorithm: Option<Algorithm>,
}

impl SfvParser {
    pub(crate) fn new(options: ReadOptions) -> SfvParser {
        SfvParser { algorithm: options.algorithm.or_else(|| Algorithm::from_name(ALGORITHM).ok()) }
    }
}

impl LineParser for SfvParser {
    fn line(&mut self, line: Line<'_>, found: &mut VecDeque<Listed>) -> Result<(), Fault> {
        let text = line.text();
        if text.trim_ascii().is_empty() || text[0] == b';' {
            return Ok(());
        }
        let algorithm = self.algorithm.ok_or(Fault::unknown_algorithm(0, ALGORITHM.as_bytes()))?;
        // The digest is the last word; exactly one blank parts it from the name, which may contain and end with blanks.
        let text = text.trim_ascii_end();
        let blank = memrchr2(b' ', b'\t', text).ok_or(Fault::shape(0, "a name, a space and a digest"))?;
        let (name, hex) = (&text[..blank], &text[blank + 1..]);
        let digest = parse_digest(algorithm, hex).ok_or(Fault::digest(blank + 1))?;
        if name.is_empty() {
            return Err(Fault::field(0, "name", "is missing"));
        }
        found.push_back(Listed::new(name.to_vec(), vec![digest], line.number));
        Ok(())
    }
}
