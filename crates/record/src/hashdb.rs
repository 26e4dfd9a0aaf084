//! The export of hashdb 3: a line of JSON for each source (a file) and for each block of one.
//!
//! Only sources are read. A line of a block tells neither where the block is nor how long, so its digest would pass for
//! that of a file.

use std::borrow::Cow;

use serde::Deserialize;

use crate::parse::{Fault, Found, Line, LineParser, ReadErrorKind, parse_unnamed_digest};
use crate::{Entry, Expected, Labels, ReadOptions};

/// The first keys of the lines.
pub(crate) const KEYS: [&[u8]; 2] = [b"\"file_hash\"", b"\"block_hash\""];

pub(crate) struct HashdbParser {
    options: ReadOptions,
}

impl HashdbParser {
    pub(crate) fn new(options: ReadOptions) -> HashdbParser {
        HashdbParser { options }
    }
}

#[derive(Deserialize)]
struct SourceOrBlock<'a> {
    #[serde(borrow)]
    file_hash: Option<Cow<'a, str>>,
    filesize: Option<u64>,
    /// Names of repositories, each followed by that of the file in it.
    #[serde(default, borrow)]
    name_pairs: Vec<Cow<'a, str>>,
    block_hash: Option<serde::de::IgnoredAny>,
}

impl LineParser for HashdbParser {
    fn line(&mut self, line: Line<'_>, found: &mut Found) -> Result<(), Fault> {
        let text = line.text();
        if text.is_empty() || text.starts_with(b"#") {
            return Ok(());
        }
        let json = |error: serde_json::Error| Fault { kind: ReadErrorKind::Json(error.to_string()), at: 0 };
        let parsed: SourceOrBlock<'_> = serde_json::from_slice(text).map_err(json)?;
        let Some(hash) = parsed.file_hash else {
            let is_block = parsed.block_hash.is_some();
            return if is_block { Ok(()) } else { Err(Fault::shape(0, "a key `file_hash` or `block_hash`")) };
        };
        let (digest, algorithm_guessed) = parse_unnamed_digest(self.options, hash.as_bytes(), 0)?;
        let entry = |repository: &str, name: &str| Entry {
            expected: Expected { size: parsed.filesize, ..Expected::default() },
            algorithm_guessed,
            labels: Labels::new(repository.as_bytes(), b""),
            ..Entry::new(name.as_bytes().to_vec(), vec![digest], line.number)
        };
        let pairs = parsed.name_pairs.as_chunks::<2>().0;
        pairs.iter().for_each(|[repository, name]| found.push(entry(repository, name)));
        if pairs.is_empty() {
            found.push(entry("", ""));
        }
        Ok(())
    }
}
