//! The families by name.

use std::fmt;
use std::str::FromStr;

/// A family of similarity digests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Family {
    /// Context-triggered piecewise hashing (J. Kornblum, "Identifying almost identical files", 2006).
    Ssdeep,
    /// Statistically improbable features in Bloom filters (V. Roussev, "Data fingerprinting with similarity digests", 2010).
    Sdhash,
    /// Content-defined chunks in Bloom filters (F. Breitinger, H. Baier, "Similarity preserving hashing", 2012).
    MrshV2,
    /// Locality-sensitive hashing of byte triplets (J. Oliver, C. Cheng, Y. Chen, "TLSH", 2013).
    Tlsh,
}

impl Family {
    /// All families.
    pub const ALL: [Family; 4] = [Family::Ssdeep, Family::Sdhash, Family::MrshV2, Family::Tlsh];

    /// The name: lower case, as on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Family::Ssdeep => "ssdeep",
            Family::Sdhash => "sdhash",
            Family::MrshV2 => "mrsh-v2",
            Family::Tlsh => "tlsh",
        }
    }

    /// Further names that are understood.
    pub const fn aliases(self) -> &'static [&'static str] {
        match self {
            Family::Ssdeep => &["ctph", "spamsum"],
            Family::Sdhash => &["sdbf"],
            Family::MrshV2 => &["mrshv2", "mrsh"],
            Family::Tlsh => &["tlsh1"],
        }
    }

    /// The least that has a digest, in bytes.
    pub const fn minimum_bytes(self) -> u64 {
        match self {
            Family::Ssdeep | Family::MrshV2 => 0,
            Family::Sdhash => 512,
            Family::Tlsh => 50,
        }
    }
}

impl fmt::Display for Family {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// There is no family of this name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownFamily(pub String);

impl fmt::Display for UnknownFamily {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "there is no similarity family `{}`: use ssdeep, sdhash, mrsh-v2 or tlsh", self.0)
    }
}

impl std::error::Error for UnknownFamily {}

impl FromStr for Family {
    type Err = UnknownFamily;

    /// Any case; `_` is read as `-`.
    fn from_str(name: &str) -> Result<Family, UnknownFamily> {
        let plain = name.to_ascii_lowercase().replace('_', "-");
        let found =
            Family::ALL.into_iter().find(|family| family.name() == plain || family.aliases().contains(&&*plain));
        found.ok_or_else(|| UnknownFamily(name.to_owned()))
    }
}
