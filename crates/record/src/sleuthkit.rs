//! The index of the Sleuth Kit over a list of known files: `DIGEST|OFFSET`, as `hfind -i` writes it.

use pfh_digest::{Algorithm, Digest};

use crate::Entry;
use crate::parse::{Fault, FieldProblem, Found, Line, LineParser};
use crate::text::{parse_decimal, split_once};

/// The beginning of both lines of the header, whose keys are longer than digests.
pub(crate) const HEADER: &[u8] = b"0000000000000000000000000000000000000000";

#[derive(Default)]
pub(crate) struct SleuthKitParser;

impl LineParser for SleuthKitParser {
    fn line(&mut self, line: Line<'_>, found: &mut Found) -> Result<(), Fault> {
        let text = line.text();
        if text.is_empty() || is_header(text) {
            return Ok(());
        }
        let (hex, offset) = split_once(text, b'|').ok_or(Fault::shape(0, "a digest, `|` and an offset"))?;
        let name = if hex.len() == 32 { "md5" } else { "sha1" };
        let digest = Algorithm::from_name(name).ok().and_then(|algorithm| Digest::from_hex(algorithm, hex));
        let digest = digest.ok_or(Fault::digest(0))?;
        // It is of no use here, but shows that the line is whole.
        parse_decimal(offset).ok_or(Fault::field(hex.len() + 1, "offset", FieldProblem::NotANumber))?;
        found.push(Entry::new(Vec::new(), vec![digest], line.number));
        Ok(())
    }
}

/// Whether a line is one of the two that begin an index: the kind and the name of the list.
pub(crate) fn is_header(line: &[u8]) -> bool {
    matches!(line.strip_prefix(HEADER), Some([b'0' | b'1', b'|', ..]))
}
