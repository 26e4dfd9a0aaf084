//! The sections of sets of blocks.

use crate::layout::{Footer, Kind, OpenError, Section};

/// The name of the sections of the names of files.
pub(crate) const FILE: &str = "file";

/// The sections of a set of blocks.
#[derive(Debug)]
pub(crate) struct BlockSections {
    pub(crate) firsts: Section,
    pub(crate) located: Section,
    pub(crate) occurs: Section,
    pub(crate) files: Section,
    pub(crate) strings: Section,
    pub(crate) blocks: Section,
}

impl BlockSections {
    pub(crate) fn of(footer: &Footer, entries: u64) -> Result<BlockSections, OpenError> {
        let section = |kind, name| footer.section(kind, name).cloned().ok_or(OpenError::Damaged);
        let sections = BlockSections {
            firsts: section(Kind::Firsts, "")?,
            located: section(Kind::Located, "")?,
            occurs: section(Kind::Occurs, "")?,
            files: section(Kind::Files, "")?,
            strings: section(Kind::Strings, FILE)?,
            blocks: section(Kind::Blocks, FILE)?,
        };
        let is_whole = entries.checked_add(1) == Some(sections.firsts.records) && sections.occurs.records == entries;
        if is_whole { Ok(sections) } else { Err(OpenError::Damaged) }
    }
}
