//! The families' types with the family chosen at run time.

use std::fmt;

use pfh_vector::Backend;

use crate::{Family, NoDigest, ParseError, mrsh_v2, sdhash, ssdeep, tlsh};

/// Options of making digests, for the families that have any. A digest does not say with which it was made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SimilarityOptions {
    /// Version, and division into blocks, of sdhash.
    pub sdhash: sdhash::Options,
    /// Build of mrsh-v2.
    pub mrsh_v2: mrsh_v2::Build,
}

/// Makes a digest of any family from pieces of any sizes.
#[derive(Debug)]
pub enum Hasher {
    /// ssdeep.
    Ssdeep(Box<ssdeep::Hasher>),
    /// sdhash.
    Sdhash(Box<sdhash::Hasher>),
    /// mrsh-v2.
    MrshV2(Box<mrsh_v2::Hasher>),
    /// TLSH.
    Tlsh(Box<tlsh::Hasher>),
}

impl Hasher {
    /// Returns a hasher at the beginning of an input, with the family's default options.
    pub fn new(family: Family) -> Hasher {
        Hasher::with_options(family, &SimilarityOptions::default())
    }

    /// Returns a hasher at the beginning of an input, with these options.
    pub fn with_options(family: Family, options: &SimilarityOptions) -> Hasher {
        Hasher::with_backend(family, options, Backend::chosen())
    }

    /// Returns a hasher at the beginning of an input, with these options and instructions. The instructions are no
    /// option: they do not change the digest.
    pub fn with_backend(family: Family, options: &SimilarityOptions, backend: Backend) -> Hasher {
        match family {
            Family::Ssdeep => Hasher::Ssdeep(Box::new(ssdeep::Hasher::with_backend(backend))),
            Family::Sdhash => Hasher::Sdhash(Box::new(sdhash::Hasher::with_backend(options.sdhash, backend))),
            Family::MrshV2 => Hasher::MrshV2(Box::new(mrsh_v2::Hasher::with_backend(options.mrsh_v2, backend))),
            Family::Tlsh => Hasher::Tlsh(Box::new(tlsh::Hasher::with_backend(backend))),
        }
    }

    /// The family.
    pub fn family(&self) -> Family {
        match self {
            Hasher::Ssdeep(_) => Family::Ssdeep,
            Hasher::Sdhash(_) => Family::Sdhash,
            Hasher::MrshV2(_) => Family::MrshV2,
            Hasher::Tlsh(_) => Family::Tlsh,
        }
    }

    /// Appends bytes.
    pub fn update(&mut self, bytes: &[u8]) {
        match self {
            Hasher::Ssdeep(hasher) => hasher.update(bytes),
            Hasher::Sdhash(hasher) => hasher.update(bytes),
            Hasher::MrshV2(hasher) => hasher.update(bytes),
            Hasher::Tlsh(hasher) => hasher.update(bytes),
        }
    }

    /// Bytes that the digest made so far, and its text, occupy, for the family whose contents decide how fast it grows
    /// (mrsh-v2); 0 for the others, which keep to [`Family::digest_bytes`].
    pub fn grown_bytes(&self) -> u64 {
        /// A filter of 256 bytes, twice that where vectors grow by doubling, and 512 digits.
        const FILTER_BYTES: u64 = 1 << 10;
        match self {
            Hasher::MrshV2(hasher) => hasher.filters() as u64 * FILTER_BYTES,
            Hasher::Ssdeep(_) | Hasher::Sdhash(_) | Hasher::Tlsh(_) => 0,
        }
    }

    /// Ends the input and returns its digest.
    ///
    /// # Errors
    /// [`NoDigest`] if the family has no digest for such an input.
    pub fn finish(self) -> Result<Digest, NoDigest> {
        match self {
            Hasher::Ssdeep(hasher) => hasher.finish().map(Digest::Ssdeep),
            Hasher::Sdhash(hasher) => hasher.finish().map(Digest::Sdhash),
            Hasher::MrshV2(hasher) => hasher.finish().map(Digest::MrshV2),
            Hasher::Tlsh(hasher) => hasher.finish().map(Digest::Tlsh),
        }
    }
}

/// Digests many whole messages at once, for the families that are faster so ([`Family::digests_many`]).
pub enum ManyHasher {
    /// ssdeep.
    Ssdeep(Box<ssdeep::ManyHasher>),
    /// TLSH.
    Tlsh(Box<tlsh::ManyHasher>),
}

impl ManyHasher {
    /// `None` where the family gains nothing by it.
    pub fn new(family: Family) -> Option<ManyHasher> {
        ManyHasher::with_backend(family, Backend::chosen())
    }

    /// The same with these instructions, which do not change digests.
    pub fn with_backend(family: Family, backend: Backend) -> Option<ManyHasher> {
        match family {
            Family::Ssdeep => Some(ManyHasher::Ssdeep(Box::new(ssdeep::ManyHasher::with_backend(backend)))),
            Family::Tlsh => Some(ManyHasher::Tlsh(Box::new(tlsh::ManyHasher::with_backend(backend)))),
            Family::Sdhash | Family::MrshV2 => None,
        }
    }

    /// The family.
    pub fn family(&self) -> Family {
        match self {
            ManyHasher::Ssdeep(_) => Family::Ssdeep,
            ManyHasher::Tlsh(_) => Family::Tlsh,
        }
    }

    /// The digest of each message, in their order; [`NoDigest`] for one that the family has no digest for.
    pub fn digest_many(&mut self, messages: &[&[u8]]) -> Vec<Result<Digest, NoDigest>> {
        match self {
            ManyHasher::Ssdeep(hasher) => {
                hasher.digest_many(messages).into_iter().map(|digest| digest.map(Digest::Ssdeep)).collect()
            }
            ManyHasher::Tlsh(hasher) => {
                hasher.digest_many(messages).into_iter().map(|digest| digest.map(Digest::Tlsh)).collect()
            }
        }
    }
}

/// A digest of any family.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Digest {
    /// ssdeep.
    Ssdeep(ssdeep::Digest),
    /// sdhash.
    Sdhash(sdhash::Digest),
    /// mrsh-v2.
    MrshV2(mrsh_v2::Digest),
    /// TLSH.
    Tlsh(tlsh::Digest),
}

/// How similar two digests are, in the measure of their family.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Score {
    /// 0 (nothing in common) to 100.
    Similarity(u8),
    /// 0 (equal) and up.
    Distance(u32),
}

impl Digest {
    /// Parses the text of a digest: of ssdeep and TLSH the digest alone, of sdhash and mrsh-v2 the whole line, which
    /// has a name.
    ///
    /// # Errors
    /// [`ParseError`], with the place in the text.
    pub fn from_bytes(family: Family, text: &[u8]) -> Result<Digest, ParseError> {
        match family {
            Family::Ssdeep => ssdeep::Digest::from_bytes(text).map(Digest::Ssdeep),
            Family::Sdhash => sdhash::Digest::from_bytes(text).map(Digest::Sdhash),
            Family::MrshV2 => mrsh_v2::Digest::from_bytes(text).map(Digest::MrshV2),
            Family::Tlsh => tlsh::Digest::from_bytes(text).map(Digest::Tlsh),
        }
    }

    /// The family.
    pub fn family(&self) -> Family {
        match self {
            Digest::Ssdeep(_) => Family::Ssdeep,
            Digest::Sdhash(_) => Family::Sdhash,
            Digest::MrshV2(_) => Family::MrshV2,
            Digest::Tlsh(_) => Family::Tlsh,
        }
    }

    /// The same digest with a name in its text, for the families that have one there.
    #[must_use]
    pub fn with_name(self, name: &[u8]) -> Digest {
        match self {
            Digest::Sdhash(digest) => Digest::Sdhash(digest.with_name(name)),
            Digest::MrshV2(digest) => Digest::MrshV2(digest.with_name(name)),
            digest @ (Digest::Ssdeep(_) | Digest::Tlsh(_)) => digest,
        }
    }

    /// Compares with the default options of the family. `None` for digests of different families, and for those that
    /// have nothing to compare (-1 of sdhash).
    pub fn compare(&self, other: &Digest) -> Option<Score> {
        match (self, other) {
            (Digest::Ssdeep(one), Digest::Ssdeep(other)) => Some(Score::Similarity(one.compare(other))),
            (Digest::Sdhash(one), Digest::Sdhash(other)) => {
                one.compare(other, &sdhash::Comparison::default()).map(Score::Similarity)
            }
            (Digest::MrshV2(one), Digest::MrshV2(other)) => {
                Some(Score::Similarity(one.compare(other, mrsh_v2::Measure::Containment)))
            }
            (Digest::Tlsh(one), Digest::Tlsh(other)) => Some(Score::Distance(one.compare(other))),
            _ => None,
        }
    }
}

impl fmt::Display for Digest {
    /// As the family's own program prints it. Names that are not UTF-8 are replaced; the families' `write_to` keeps
    /// them.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Digest::Ssdeep(digest) => digest.fmt(f),
            Digest::Sdhash(digest) => digest.fmt(f),
            Digest::MrshV2(digest) => digest.fmt(f),
            Digest::Tlsh(digest) => digest.fmt(f),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_at_once_are_what_each_is_alone() {
        let messages: Vec<Vec<u8>> = (0..70u32)
            .map(|seed| (0..seed * 97).map(|at| ((at * at + seed) >> 5) as u8 ^ (at % 251) as u8).collect())
            .collect();
        let messages: Vec<&[u8]> = messages.iter().map(Vec::as_slice).collect();
        for (family, backend) in
            Family::ALL.into_iter().flat_map(|family| Backend::offered().map(move |one| (family, one)))
        {
            let Some(mut many) = ManyHasher::with_backend(family, backend) else {
                assert!(!family.digests_many());
                continue;
            };
            assert!(family.digests_many() && many.family() == family);
            for part in [&messages[..], &messages[3..4], &[]] {
                let alone = part.iter().map(|message| {
                    let mut hasher = Hasher::new(family);
                    hasher.update(message);
                    hasher.finish()
                });
                assert_eq!(many.digest_many(part), alone.collect::<Vec<_>>(), "{family} {backend}");
            }
        }
    }
}
