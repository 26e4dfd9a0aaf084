//! The layout of a set: sections, and a footer that names them.

use std::fmt;
use std::io;

use pfh_digest::Algorithm;

use crate::filter::BLOCK_BYTES;
use crate::index::GROUP_BYTES;
use crate::starts::START_BYTES;

/// The first bytes of a set, and of its footer.
pub(crate) const MAGIC: &[u8; 16] = b"pfh known set\r\n\x1a";
/// The version of sets of files.
pub(crate) const VERSION: u32 = 1;
/// The version of sets of blocks, which a reader of sets of files would take for these.
pub(crate) const BLOCKS_VERSION: u32 = 2;
/// The version of sets of files with more sections than the footer has room for.
const LONG_VERSION: u32 = 3;
pub(crate) const FOOTER_BYTES: usize = 4096;
/// Sections begin at multiples of a cache line.
pub(crate) const ALIGN_BYTES: u64 = 64;
const TABLE_AT: usize = 72;
const SECTION_BYTES: usize = 64;
const NAME_BYTES: usize = 32;
/// Most sections of a set of files.
pub(crate) const SECTIONS_MAX: usize = 128;
/// Most sections that the footer has itself, and so all of a set of blocks.
pub(crate) const FOOTER_SECTIONS_MAX: usize = 61;
const CHECK_BYTES: usize = 32;
/// Where the footer has the check of the entries before it.
const FURTHER_CHECK_AT: usize = TABLE_AT + FOOTER_SECTIONS_MAX * SECTION_BYTES;
/// Length of a record about a file in a set of blocks.
pub(crate) const FILE_BYTES: usize = 32;

/// The contents of a section.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// The digests of an algorithm, in order.
    Digests,
    /// The index of the digests of the same algorithm.
    Index,
    /// The filter, which tells of most digests that the section of the same algorithm lacks them.
    Filter,
    /// Where the digests begin that have in common what the section leaves out of them.
    Starts,
    /// The entry of each digest of the same algorithm.
    Links,
    /// The place of each entry's digest of the same algorithm.
    Places,
    /// The shapes of entries.
    Shapes,
    /// A number for each entry.
    Numbers,
    /// The number of a text for each entry.
    Texts,
    /// Texts in order, front-coded.
    Strings,
    /// The offset of each block of texts.
    Blocks,
    /// All sizes of files.
    Sizes,
    /// A text about the set, in JSON.
    About,
    /// Of each block, and at their end, the number of the first of its places.
    Firsts,
    /// The places of blocks: numbers among all blocks of all files.
    Located,
    /// How often each block occurs.
    Occurs,
    /// The files whose blocks these are.
    Files,
}

impl Kind {
    const ALL: [Kind; 17] = [
        Kind::Digests,
        Kind::Index,
        Kind::Filter,
        Kind::Starts,
        Kind::Links,
        Kind::Places,
        Kind::Shapes,
        Kind::Numbers,
        Kind::Texts,
        Kind::Strings,
        Kind::Blocks,
        Kind::Sizes,
        Kind::About,
        Kind::Firsts,
        Kind::Located,
        Kind::Occurs,
        Kind::Files,
    ];

    fn name(self) -> &'static [u8; 8] {
        match self {
            Kind::Digests => b"digests\0",
            Kind::Index => b"index\0\0\0",
            Kind::Filter => b"filter\0\0",
            Kind::Starts => b"starts\0\0",
            Kind::Links => b"links\0\0\0",
            Kind::Places => b"places\0\0",
            Kind::Shapes => b"shapes\0\0",
            Kind::Numbers => b"numbers\0",
            Kind::Texts => b"texts\0\0\0",
            Kind::Strings => b"strings\0",
            Kind::Blocks => b"blocks\0\0",
            Kind::Sizes => b"sizes\0\0\0",
            Kind::About => b"about\0\0\0",
            Kind::Firsts => b"firsts\0\0",
            Kind::Located => b"located\0",
            Kind::Occurs => b"occurs\0\0",
            Kind::Files => b"files\0\0\0",
        }
    }

    /// Whether records of this length are possible.
    fn has_records_of(self, bytes: u32) -> bool {
        match self {
            Kind::Digests => (8..=64).contains(&bytes),
            Kind::Index => bytes == GROUP_BYTES as u32,
            Kind::Filter => bytes == BLOCK_BYTES as u32,
            Kind::Places | Kind::Numbers | Kind::Texts | Kind::Sizes | Kind::Firsts | Kind::Located | Kind::Occurs => {
                (1..=8).contains(&bytes)
            }
            Kind::Files => bytes == FILE_BYTES as u32,
            Kind::Shapes => bytes == 16,
            Kind::Blocks => bytes == 8,
            Kind::Starts => bytes == START_BYTES as u32,
            Kind::Links | Kind::Strings | Kind::About => bytes == 1,
        }
    }
}

/// One section.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Section {
    pub(crate) kind: Kind,
    /// The name of the algorithm or the column; empty for what a set has once.
    pub(crate) name: String,
    pub(crate) offset: u64,
    pub(crate) records: u64,
    pub(crate) record_bytes: u32,
}

impl Section {
    /// Returns the range of the file that the section takes.
    pub(crate) fn range(&self) -> std::ops::Range<usize> {
        let start = self.offset as usize;
        start..start + (self.records * u64::from(self.record_bytes)) as usize
    }

    /// Returns the entry of the section in the footer.
    fn to_bytes(&self) -> [u8; SECTION_BYTES] {
        let mut entry = [0; SECTION_BYTES];
        entry[..8].copy_from_slice(self.kind.name());
        entry[8..8 + self.name.len()].copy_from_slice(self.name.as_bytes());
        entry[40..48].copy_from_slice(&self.offset.to_le_bytes());
        entry[48..56].copy_from_slice(&self.records.to_le_bytes());
        entry[56..60].copy_from_slice(&self.record_bytes.to_le_bytes());
        entry
    }

    /// Reads an entry of a section that ends at `end` at the latest; `None` if it is damaged.
    fn read(entry: &[u8; SECTION_BYTES], end: u64) -> Option<Section> {
        let kind = Kind::ALL.into_iter().find(|kind| kind.name()[..] == entry[..8])?;
        let name = std::str::from_utf8(&entry[8..8 + NAME_BYTES]).ok()?.trim_end_matches('\0');
        let (offset, records) = (number(&entry[40..48]), number(&entry[48..56]));
        let record_bytes = number(&entry[56..60]) as u32;
        let own_end = records.checked_mul(record_bytes.into())?.checked_add(offset)?;
        let is_whole = own_end <= end && offset.is_multiple_of(ALIGN_BYTES) && kind.has_records_of(record_bytes);
        is_whole.then(|| Section { kind, name: name.to_owned(), offset, records, record_bytes })
    }
}

/// The footer of a set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Footer {
    pub(crate) version: u32,
    /// Length of the whole file.
    pub(crate) file_bytes: u64,
    /// BLAKE3 of everything before the footer.
    pub(crate) contents: [u8; 32],
    pub(crate) sections: Vec<Section>,
}

/// The reason why a set cannot be opened. `Display` says what to do.
#[derive(Debug)]
#[non_exhaustive]
pub enum OpenError {
    /// The file cannot be read.
    Io(io::Error),
    /// It does not begin as a set does.
    NotASet,
    /// It is shorter or longer than when it was written.
    OtherLength,
    /// Its footer is damaged.
    Damaged,
    /// It is of a later version, which is given.
    Version(u32),
}

impl fmt::Display for OpenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OpenError::Io(error) => write!(f, "{error}"),
            OpenError::NotASet => f.write_str("this is not a known set, which `pfh known build` makes"),
            OpenError::OtherLength => {
                f.write_str("the set is shorter or longer than when it was written; build or copy it again")
            }
            OpenError::Damaged => f.write_str("the end of the set is damaged; build or copy it again"),
            OpenError::Version(version) => {
                write!(
                    f,
                    "the set is of version {version}, and this program reads versions {VERSION} to {LONG_VERSION}"
                )
            }
        }
    }
}

impl std::error::Error for OpenError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            OpenError::Io(error) => Some(error),
            _ => None,
        }
    }
}

impl From<io::Error> for OpenError {
    fn from(error: io::Error) -> OpenError {
        OpenError::Io(error)
    }
}

impl Footer {
    /// Returns the entries of the sections for which the footer has no room. They come right before it.
    pub(crate) fn further_entries(sections: &[Section]) -> Vec<u8> {
        sections.iter().skip(FOOTER_SECTIONS_MAX).flat_map(Section::to_bytes).collect()
    }

    pub(crate) fn to_bytes(&self) -> [u8; FOOTER_BYTES] {
        let further = Footer::further_entries(&self.sections);
        let mut bytes = [0; FOOTER_BYTES];
        bytes[..16].copy_from_slice(MAGIC);
        let version = if further.is_empty() { self.version } else { LONG_VERSION };
        bytes[16..20].copy_from_slice(&version.to_le_bytes());
        bytes[20..24].copy_from_slice(&(self.sections.len() as u32).to_le_bytes());
        bytes[24..32].copy_from_slice(&self.file_bytes.to_le_bytes());
        bytes[32..64].copy_from_slice(&self.contents);
        let entries = bytes[TABLE_AT..FURTHER_CHECK_AT].as_chunks_mut::<SECTION_BYTES>().0;
        for (section, entry) in self.sections.iter().zip(entries) {
            *entry = section.to_bytes();
        }
        if !further.is_empty() {
            let check = Algorithm::BLAKE3.digest(&further);
            bytes[FURTHER_CHECK_AT..FURTHER_CHECK_AT + CHECK_BYTES].copy_from_slice(check.bytes());
        }
        let check = Algorithm::BLAKE3.digest(&bytes[..FOOTER_BYTES - CHECK_BYTES]);
        bytes[FOOTER_BYTES - CHECK_BYTES..].copy_from_slice(check.bytes());
        bytes
    }

    /// Reads the footer of a set of these bytes.
    pub(crate) fn read(all: &[u8]) -> Result<Footer, OpenError> {
        if !all.starts_with(MAGIC) {
            return Err(OpenError::NotASet);
        }
        let whole = all.split_last_chunk::<FOOTER_BYTES>();
        let Some((before, bytes)) =
            whole.filter(|(before, footer)| before.len() >= MAGIC.len() && footer.starts_with(MAGIC))
        else {
            return Err(OpenError::OtherLength);
        };
        let (checked, check) = bytes.split_at(FOOTER_BYTES - CHECK_BYTES);
        if Algorithm::BLAKE3.digest(checked).bytes() != check {
            return Err(OpenError::Damaged);
        }
        let version = number(&bytes[16..20]) as u32;
        if !matches!(version, VERSION | BLOCKS_VERSION | LONG_VERSION) {
            return Err(OpenError::Version(version));
        }
        let file_bytes = number(&bytes[24..32]);
        if file_bytes != all.len() as u64 {
            return Err(OpenError::OtherLength);
        }
        let count = number(&bytes[20..24]) as usize;
        let further_bytes = SECTION_BYTES * count.saturating_sub(FOOTER_SECTIONS_MAX);
        let is_long = version == LONG_VERSION;
        if count > SECTIONS_MAX || is_long != (further_bytes > 0) || further_bytes > before.len() {
            return Err(OpenError::Damaged);
        }
        let (before, further) = before.split_at(before.len() - further_bytes);
        let further_check = &bytes[FURTHER_CHECK_AT..FURTHER_CHECK_AT + CHECK_BYTES];
        if is_long && Algorithm::BLAKE3.digest(further).bytes() != further_check {
            return Err(OpenError::Damaged);
        }
        let mut contents = [0; 32];
        contents.copy_from_slice(&bytes[32..64]);
        let own = bytes[TABLE_AT..FURTHER_CHECK_AT].as_chunks::<SECTION_BYTES>().0;
        let entries = own.iter().take(count).chain(further.as_chunks::<SECTION_BYTES>().0);
        let sections = entries.map(|entry| Section::read(entry, before.len() as u64)).collect::<Option<Vec<_>>>();
        Ok(Footer { version, file_bytes, contents, sections: sections.ok_or(OpenError::Damaged)? })
    }

    /// Returns the section of this kind and name.
    pub(crate) fn section(&self, kind: Kind, name: &str) -> Option<&Section> {
        self.sections.iter().find(|section| section.kind == kind && section.name == name)
    }
}

/// Reads a number of up to 8 bytes, the lowest first.
pub(crate) fn number(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte))
}
