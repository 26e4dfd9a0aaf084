//! The manifests of BagIt (RFC 8493, section 2.1.3): `HEX  PATH`, with line feeds, carriage returns and percent signs
//! of paths as `%0A`, `%0D` and `%25`.

use crate::parse::{Fault, FieldProblem, Found, Line, LineParser, parse_leading_digest};
use crate::text::hex_run;
use crate::{Entry, ReadOptions};

pub(crate) struct BagitParser {
    options: ReadOptions,
}

impl BagitParser {
    pub(crate) fn new(options: ReadOptions) -> BagitParser {
        BagitParser { options }
    }
}

impl LineParser for BagitParser {
    fn line(&mut self, line: Line<'_>, found: &mut Found) -> Result<(), Fault> {
        let text = line.text();
        if text.is_empty() {
            return Ok(());
        }
        let hex = hex_run(text);
        let (digest, algorithm_guessed) = parse_leading_digest(self.options, &text[..hex], 0)?;
        let blanks = text[hex..].iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
        if blanks == 0 {
            return Err(Fault::shape(hex, "a space and a path after the digest"));
        }
        let path = &text[hex + blanks..];
        // GNU's mark of binary files is no part of the format, but occurs.
        let path = path.strip_prefix(b"*").unwrap_or(path);
        if path.is_empty() {
            return Err(Fault::field(text.len(), "path", FieldProblem::Missing));
        }
        if let Some(nul) = memchr::memchr(0, path) {
            return Err(Fault::field(text.len() - path.len() + nul, "path", FieldProblem::Nul));
        }
        found.push(Entry { algorithm_guessed, ..Entry::new(decoded(path), vec![digest], line.number) });
        Ok(())
    }
}

/// Decodes the three characters that are encoded, and no others.
fn decoded(path: &[u8]) -> Vec<u8> {
    let mut decoded = Vec::with_capacity(path.len());
    let mut rest = path;
    while let [first, after @ ..] = rest {
        let character = match rest {
            [b'%', b'0', b'a' | b'A', ..] => Some(b'\n'),
            [b'%', b'0', b'd' | b'D', ..] => Some(b'\r'),
            [b'%', b'2', b'5', ..] => Some(b'%'),
            _ => None,
        };
        decoded.push(character.unwrap_or(*first));
        rest = if character.is_some() { &rest[3..] } else { after };
    }
    decoded
}
