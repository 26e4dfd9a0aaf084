//! The families' types with the family chosen at run time.

use std::collections::BTreeMap;
use std::fmt;

use pfh_vector::Backend;

use crate::{Family, NoDigest, ParseError, mrsh_v2, sdhash, ssdeep, tlsh};

/// Options of making digests, for the families that have any. [`SimilarityOptions::variant`] names those that the text
/// of a digest does not tell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SimilarityOptions {
    /// Version, and division into blocks, of sdhash.
    pub sdhash: sdhash::Options,
    /// Build of mrsh-v2.
    pub mrsh_v2: mrsh_v2::Build,
}

/// Below this length, sdhash makes digests in two modes, of which it keeps one at the end.
const TWO_MODES_BYTES: u64 = 16 << 20;

/// Bytes that the filter of a block of sdhash, and its text, occupy at most: 256 bytes and a number, twice that where
/// vectors grow by doubling, and 348 characters.
const BLOCK_DIGEST_BYTES: u64 = 1 << 10;

impl SimilarityOptions {
    /// Returns the word for the variant of a family that the text of its digests does not tell, and that must be the
    /// same in digests that are compared: the version of sdhash, the build of mrsh-v2. `None` for the other families.
    pub fn variant(&self, family: Family) -> Option<&'static str> {
        match (family, self.sdhash.profile, self.mrsh_v2) {
            (Family::Sdhash, sdhash::Profile::V3_4, _) => Some("3.4"),
            (Family::Sdhash, sdhash::Profile::V4_0, _) => Some("4.0"),
            (Family::MrshV2, _, mrsh_v2::Build::Normal) => Some("normal"),
            (Family::MrshV2, _, mrsh_v2::Build::Network) => Some("network"),
            (Family::Ssdeep | Family::Tlsh, ..) => None,
        }
    }

    /// Returns the variants of those of these families that have one, for the header of a list.
    pub fn variants(&self, families: &[Family]) -> BTreeMap<Family, String> {
        let variant = |&family: &Family| Some((family, self.variant(family)?.to_owned()));
        families.iter().filter_map(variant).collect()
    }

    /// Bytes that the digest of a message of this length, and its text, occupy while they are made; 0 where digests
    /// do not grow. Contents made for it can exceed this for mrsh-v2; [`Hasher::grown_bytes`] tells.
    ///
    /// sdhash: one filter of 256 bytes for 160 features of 17 bytes at least makes 9.4 % of a message in stream mode,
    /// twice that where vectors grow by doubling, and the text another 12.8 %: in all less than a half. In block mode
    /// there is a filter for each block: from 16 MiB on for each 16 KiB, unless the options choose the mode. mrsh-v2:
    /// one filter for 160 chunks of some 200 bytes makes 0.8 %, the text 1.6 %.
    pub fn digest_bytes(&self, family: Family, message_bytes: u64) -> u64 {
        match (family, self.sdhash.mode) {
            (Family::Ssdeep | Family::Tlsh, _) => 0,
            (Family::Sdhash, sdhash::Mode::Stream) => message_bytes / 2,
            (Family::Sdhash, sdhash::Mode::Blocks(size)) => {
                message_bytes.div_ceil(size.bytes().into()).saturating_mul(BLOCK_DIGEST_BYTES)
            }
            (Family::Sdhash | Family::MrshV2, _) => (message_bytes.min(TWO_MODES_BYTES) / 2).max(message_bytes / 16),
        }
    }

    /// Length in bytes of the longest message whose [`SimilarityOptions::digest_bytes`] are no more than this.
    pub fn message_bytes_max(&self, family: Family, digest_bytes: u64) -> u64 {
        match (family, self.sdhash.mode) {
            (Family::Ssdeep | Family::Tlsh, _) => u64::MAX,
            (Family::Sdhash, sdhash::Mode::Stream) => digest_bytes.saturating_mul(2),
            (Family::Sdhash, sdhash::Mode::Blocks(size)) => {
                (digest_bytes / BLOCK_DIGEST_BYTES).saturating_mul(size.bytes().into())
            }
            (Family::Sdhash | Family::MrshV2, _) if digest_bytes < TWO_MODES_BYTES / 2 => 2 * digest_bytes,
            (Family::Sdhash | Family::MrshV2, _) => digest_bytes.saturating_mul(16),
        }
    }
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
    /// (mrsh-v2); 0 for the others, which keep to [`SimilarityOptions::digest_bytes`].
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

    /// All modes of sdhash that bound a digest in their own way.
    fn options() -> impl Iterator<Item = SimilarityOptions> {
        let blocks = [1, 4, 7, 16].into_iter().filter_map(sdhash::BlockSize::from_kibibytes).map(sdhash::Mode::Blocks);
        [sdhash::Mode::Automatic, sdhash::Mode::Stream].into_iter().chain(blocks).map(|mode| SimilarityOptions {
            sdhash: sdhash::Options { mode, ..sdhash::Options::default() },
            ..SimilarityOptions::default()
        })
    }

    #[test]
    fn a_message_of_the_longest_length_has_a_digest_within_the_bound() {
        for (family, options) in Family::ALL.into_iter().flat_map(|family| options().map(move |one| (family, one))) {
            for shift in 10..40 {
                for digest_bytes in [(1 << shift) - 1, 1 << shift, 3 << shift] {
                    let longest = options.message_bytes_max(family, digest_bytes);
                    assert!(options.digest_bytes(family, longest) <= digest_bytes, "{family}, {digest_bytes}");
                    let longer = options.digest_bytes(family, longest.saturating_add(32));
                    assert!(longer > digest_bytes || !family.digests_grow(), "{family}, {digest_bytes}");
                }
            }
        }
    }

    /// Contents that were not made for it keep to the bound: mrsh-v2 has one filter of 1 KiB, with its text, for 160
    /// chunks of some 200 bytes.
    #[test]
    fn digests_of_usual_contents_are_within_the_bound() {
        let options = SimilarityOptions::default();
        for message_bytes in (20..40).flat_map(|shift| [1 << shift, 3 << shift]) {
            let bound = options.digest_bytes(Family::MrshV2, message_bytes);
            assert!(bound > message_bytes / 20_000 * 1024, "{message_bytes}");
        }
    }

    /// In each mode, twice the filters and their text are within the bound: with small blocks they are as long as the
    /// message.
    #[test]
    fn digests_of_sdhash_are_within_the_bound_of_their_mode() {
        let mut state = 1_u32;
        let noise = std::iter::repeat_with(|| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 24) as u8
        });
        let bytes: Vec<u8> = noise.take(200_000).collect();
        for options in options() {
            let mut hasher = Hasher::with_options(Family::Sdhash, &options);
            hasher.update(&bytes);
            let digest = hasher.finish().unwrap();
            let Digest::Sdhash(filters) = &digest else { panic!("another family") };
            let occupied = (2 * 257 * filters.filters() + digest.to_string().len()) as u64;
            let bound = options.digest_bytes(Family::Sdhash, bytes.len() as u64);
            assert!(occupied <= bound, "{options:?}: {occupied}, {bound}");
        }
    }

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
