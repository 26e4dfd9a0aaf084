//! The families by name.

use std::fmt;
use std::str::FromStr;

use pfh_vector::{Backend, bloom, ctph, fnv1a_many, sdhash_popularity, sdhash_rank, tlsh_triplets};

/// A family of similarity digests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Family {
    /// Context-triggered piecewise hashing (J. Kornblum, "Identifying almost identical files", 2006).
    Ssdeep,
    /// Statistically improbable features in Bloom filters (V. Roussev, "Data fingerprinting with similarity digests",
    /// 2010).
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

    /// The vector kernels of the family with this backend: the one that takes most of the time to make a digest first,
    /// the one that finds similar digests last. The features of sdhash are hashed by the lanes of SHA-1.
    pub fn kernels(self, backend: Backend) -> Vec<FamilyKernel> {
        let kernel = |work, instructions| FamilyKernel { work, instructions };
        let pieces = || ctph::Kernels::new(backend).name();
        let filters = || kernel("filters", bloom::Kernels::new(backend).name());
        match self {
            Family::Ssdeep => vec![kernel("pieces", pieces())],
            Family::Sdhash => vec![
                kernel("ranks", sdhash_rank::Kernels::new(backend).name()),
                kernel("popularity", sdhash_popularity::Kernels::new(backend).name()),
                filters(),
            ],
            Family::MrshV2 => {
                vec![kernel("chunks", fnv1a_many::Kernels::new(backend).name()), kernel("ends", pieces()), filters()]
            }
            Family::Tlsh => vec![kernel("triplets", tlsh_triplets::Kernels::new(backend).name())],
        }
    }

    /// Whether digests of the family can be put into an index file.
    pub const fn has_index(self) -> bool {
        matches!(self, Family::Ssdeep | Family::Tlsh)
    }

    /// Length of the shortest input that has a digest, in bytes.
    pub const fn minimum_bytes(self) -> u64 {
        match self {
            Family::Ssdeep | Family::MrshV2 => 0,
            Family::Sdhash => 512,
            Family::Tlsh => 50,
        }
    }

    /// Length of the longest input that has a digest, in bytes; `None` for families whose digests grow with their
    /// inputs, so that memory is the bound.
    pub const fn maximum_bytes(self) -> Option<u64> {
        match self {
            Family::Ssdeep => Some(192 << 30),
            Family::Tlsh => Some(4_224_281_216),
            Family::Sdhash | Family::MrshV2 => None,
        }
    }

    /// Bytes that one [`Hasher`](crate::Hasher) occupies, rounded up, with the digest of a first MiB.
    pub const fn state_bytes(self) -> usize {
        match self {
            Family::Ssdeep | Family::Tlsh => 4 << 10,
            Family::Sdhash => 160 << 10,
            Family::MrshV2 => 224 << 10,
        }
    }

    /// Bytes that all hashers of a thread share, rounded up, beyond [`Family::state_bytes`].
    pub const fn shared_bytes(self) -> usize {
        match self {
            Family::Tlsh => 64 << 10,
            Family::Sdhash => 192 << 10,
            Family::Ssdeep | Family::MrshV2 => 0,
        }
    }

    /// Bytes that one [`ManyHasher`](crate::ManyHasher) occupies, rounded up; 0 for families that have none.
    pub const fn many_state_bytes(self) -> usize {
        match self {
            Family::Ssdeep => 128 << 10,
            Family::Tlsh => 256 << 10,
            Family::Sdhash | Family::MrshV2 => 0,
        }
    }

    /// Whether the family digests many messages at once faster than one after the other.
    pub const fn digests_many(self) -> bool {
        self.many_state_bytes() > 0
    }

    /// Whether digests of long messages are longer than those of short ones.
    pub const fn digests_grow(self) -> bool {
        match self {
            Family::Sdhash | Family::MrshV2 => true,
            Family::Ssdeep | Family::Tlsh => false,
        }
    }
}

/// A vector kernel of a family.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FamilyKernel {
    /// The data that it works on: `pieces`, `ranks` ….
    pub work: &'static str,
    /// The instructions that it is compiled for: `avx512`, `portable` ….
    pub instructions: &'static str,
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
