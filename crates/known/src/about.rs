//! Where the digests of a set come from.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// The meaning of a file being known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Class {
    /// It is looked for, and its being there matters.
    Bad,
    /// It is known, and nothing follows from that.
    Other,
    /// It may be left out of the view.
    Good,
}

impl Class {
    /// All classes. If a file is of several, the first of these counts.
    pub const ALL: [Class; 3] = [Class::Bad, Class::Other, Class::Good];

    /// Returns the name of the class in options and output.
    pub fn name(self) -> &'static str {
        match self {
            Class::Bad => "bad",
            Class::Other => "other",
            Class::Good => "good",
        }
    }
}

impl fmt::Display for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The error of an unknown class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownClass;

impl fmt::Display for UnknownClass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the classes are `good`, `bad` and `other`")
    }
}

impl std::error::Error for UnknownClass {}

impl FromStr for Class {
    type Err = UnknownClass;

    fn from_str(name: &str) -> Result<Class, UnknownClass> {
        Class::ALL.into_iter().find(|class| class.name() == name).ok_or(UnknownClass)
    }
}

/// Another set with which rows were compared.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct ComparedSet {
    /// The name of its file, without directories.
    pub name: String,
    /// Length of the file in bytes.
    pub bytes: u64,
    /// The SHA-256 digest of the file, in hexadecimal; empty where it was not computed.
    pub sha256: String,
}

/// A source of a set.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct Origin {
    /// The name of its file, without directories.
    pub name: String,
    /// The name of its format.
    pub format: String,
    /// Length of the file in bytes; 0 where it was not a file.
    pub bytes: u64,
    /// The SHA-256 digest of the file, in hexadecimal; empty where it was not computed.
    pub sha256: String,
    /// Its release, such as `2026.09.1`; empty where unknown.
    pub release: String,
    /// The date of the release as the source writes it; empty where unknown.
    pub date: String,
    /// The meaning of a file being known to it.
    pub class: Class,
    /// Notes of the person who built the set.
    pub note: String,
    /// Lines or rows with digests.
    pub rows: u64,
    /// Lines or rows that could not be read, or had no digest for the set.
    pub refused: u64,
    /// Algorithms of digests that were guessed from their length.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub guessed: Vec<String>,
    /// Sets whose files were left out of the rows.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub except: Vec<ComparedSet>,
    /// Sets all of which have the files of the rows.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub common: Vec<ComparedSet>,
    /// Rows that these sets left out, which [`Origin::rows`] does not count.
    pub left_out: u64,
    /// Entries of the set that are shown as of this source: those that no source before it, or of a class that counts
    /// more, has too.
    pub entries: u64,
}

impl Default for Origin {
    fn default() -> Origin {
        Origin {
            name: String::new(),
            format: String::new(),
            bytes: 0,
            sha256: String::new(),
            release: String::new(),
            date: String::new(),
            class: Class::Other,
            note: String::new(),
            rows: 0,
            refused: 0,
            guessed: Vec::new(),
            except: Vec::new(),
            common: Vec::new(),
            left_out: 0,
            entries: 0,
        }
    }
}

/// The facts that a set states about itself.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct About {
    /// The program that built it.
    pub program: String,
    /// Lines or rows with digests in all sources.
    pub rows: u64,
    /// Different digests, or tuples of digests where lines have several.
    pub entries: u64,
    /// Length of the blocks of files whose digests these are, in bytes; 0 for digests of whole files.
    pub block_bytes: u64,
    /// The sources, in the order in which they were given.
    pub sources: Vec<Origin>,
    /// The files and blocks of a set of blocks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub blocks: Option<BlockTotals>,
}

/// The files and blocks of which a set of blocks was made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct BlockTotals {
    /// Files with at least one whole block.
    pub files: u64,
    /// Files that are shorter than a block, and are not in the set.
    pub short_files: u64,
    /// Whole blocks of all files: those of [`About::rows`], and the next two.
    pub blocks: u64,
    /// Blocks of one byte value, which are left out.
    pub constant: u64,
    /// Other blocks that say nothing about where they come from, which are left out.
    pub nonprobative: u64,
    /// Places of blocks that are not kept, because the block has as many before.
    pub places_left_out: u64,
}
