//! Computing all digests of one message, whole and in pieces, in one pass.

use crate::options::Options;
use pfh_digest::{Algorithm, Digest, Hasher, Keys};
use pfh_facts::{Facts, Scanner};
use pfh_record::{Piece, Selection, Similarity};
use pfh_similarity::{Backend, Family, NoDigest, NoDigestReason, SimilarityOptions};

/// The states of several algorithms and families that see the same bytes.
pub(crate) struct DigestSet {
    whole: Vec<Hasher>,
    similar: Vec<Similar>,
    pieces: Option<Pieces>,
    /// Boxed, since sets move from lane to lane.
    facts: Option<Box<Scanner>>,
}

/// The length of pieces, and how many pieces of one message may be kept.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PieceRule {
    piece_bytes: u64,
    pieces_max: usize,
}

impl PieceRule {
    /// Makes a rule whose limit keeps the digests of all pieces of one message within `memory_bytes`.
    pub(crate) fn new(piece_bytes: u64, algorithms: usize, memory_bytes: u64) -> PieceRule {
        let pieces_max = memory_bytes / pieces_memory_bytes(1, algorithms);
        PieceRule { piece_bytes, pieces_max: usize::try_from(pieces_max).unwrap_or(usize::MAX) }
    }

    /// Returns the rule without its limit, for pieces that a consumer takes as they come.
    pub(crate) fn without_limit(self) -> PieceRule {
        PieceRule { pieces_max: usize::MAX, ..self }
    }

    pub(crate) fn piece_bytes(self) -> u64 {
        self.piece_bytes
    }

    pub(crate) fn are_too_many_for(self, size: u64) -> bool {
        size.div_ceil(self.piece_bytes) > self.pieces_max as u64
    }
}

/// A family of similarity digests, with its options and the length limit of its messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FamilyRule {
    pub(crate) family: Family,
    pub(crate) similarity: SimilarityOptions,
    pub(crate) backend: Backend,
    /// Longer messages get no digest, because it would take too much memory.
    pub(crate) bytes_max: u64,
}

/// The state of a family.
struct Similar {
    rule: FamilyRule,
    /// Created with the first bytes of each message: hashers are large, and cannot be used again.
    hasher: Option<pfh_similarity::Hasher>,
    bytes: u64,
    /// Length of the message, if it is known before its end.
    expected: Option<u64>,
    /// Whether the digest needs more memory than it may have.
    is_too_long: bool,
}

/// All digests of one message.
#[derive(Clone, Debug, Default)]
pub(crate) struct FileDigests {
    pub(crate) digests: Vec<Digest>,
    /// At least one, unless pieces are not requested, are too many to keep, or go to a consumer.
    pub(crate) pieces: Vec<Piece>,
    pub(crate) similarities: Vec<Similarity>,
    /// Facts about the whole content, if they are requested.
    pub(crate) facts: Option<Facts>,
    /// Whether there were more pieces than may be kept.
    pub(crate) too_many_pieces: bool,
}

/// The digests of a message that was digested together with others.
#[derive(Clone, Debug, Default)]
pub(crate) struct BatchDigests {
    pub(crate) digests: Vec<Digest>,
    pub(crate) similarities: Vec<Similarity>,
}

impl FileDigests {
    /// Joins the results of several sets that each saw the whole message, with a part of the algorithms and families.
    pub(crate) fn join(parts: impl IntoIterator<Item = FileDigests>) -> FileDigests {
        let mut parts = parts.into_iter();
        let mut joined = parts.next().unwrap_or_default();
        for part in parts {
            joined.too_many_pieces |= part.too_many_pieces;
            joined.digests.extend(part.digests);
            for (piece, more) in joined.pieces.iter_mut().zip(part.pieces) {
                piece.digests.extend(more.digests);
            }
            joined.similarities.extend(part.similarities);
            joined.facts = joined.facts.or(part.facts);
        }
        joined
    }

    /// Adds digests that were made in a batch, and sorts all of them into the order of the selection.
    pub(crate) fn add(&mut self, more: BatchDigests, selection: &Selection) {
        if !more.digests.is_empty() {
            let algorithms = selection.algorithms();
            self.digests.extend(more.digests);
            self.digests.sort_by_key(|one| algorithms.iter().position(|&algorithm| algorithm == one.algorithm()));
        }
        if !more.similarities.is_empty() {
            let families = selection.families();
            self.similarities.extend(more.similarities);
            self.similarities.sort_by_key(|one| families.iter().position(|&family| family == one.family));
        }
    }

    /// Returns the memory of pieces and similarity digests, in bytes, as far as it exceeds the share that every file
    /// has for this number of digests.
    pub(crate) fn extra_bytes(pieces: &[Piece], similarities: &[Similarity], algorithms: usize) -> u64 {
        let usual = similarities.len() as u64 * SIMILARITY_BYTES;
        let texts: usize = similarities.iter().map(Similarity::text_bytes).sum();
        pieces_memory_bytes(pieces.len(), algorithms) + (texts as u64).saturating_sub(usual)
    }
}

/// Memory of a short similarity digest and its text, in bytes.
pub(crate) const SIMILARITY_BYTES: u64 = 1 << 10;

impl Similar {
    fn new(rule: FamilyRule) -> Similar {
        Similar { rule, hasher: None, bytes: 0, expected: None, is_too_long: false }
    }

    fn update(&mut self, bytes: &[u8]) {
        self.bytes += bytes.len() as u64;
        let length = self.expected.unwrap_or(0).max(self.bytes);
        self.is_too_long |= length > self.rule.bytes_max;
        if self.is_too_long {
            self.hasher = None;
            return;
        }
        let hasher = self.hasher.get_or_insert_with(|| self.rule.hasher(self.expected));
        hasher.update(bytes);
        self.is_too_long = self.rule.is_exceeded_by(hasher, length);
    }

    fn finish(&mut self) -> Similarity {
        let rule = self.rule;
        let Similar { hasher, bytes, is_too_long, .. } = std::mem::replace(self, Similar::new(rule));
        let family = rule.family;
        let digest = if is_too_long {
            Err(NoDigest::new(family, NoDigestReason::TooLong, bytes))
        } else {
            hasher.unwrap_or_else(|| rule.hasher(Some(0))).finish()
        };
        Similarity { family, digest }
    }
}

impl FamilyRule {
    /// Returns a hasher for a message of `bytes` bytes, if the length is known.
    fn hasher(&self, bytes: Option<u64>) -> pfh_similarity::Hasher {
        let mut similarity = self.similarity;
        similarity.sdhash.input_bytes = bytes;
        pfh_similarity::Hasher::with_backend(self.family, &similarity, self.backend)
    }
}

struct Pieces {
    rule: PieceRule,
    hashers: Vec<Hasher>,
    offset: u64,
    length: u64,
    done: Vec<Piece>,
    /// Whether there were more pieces than the rule allows.
    overflowed: bool,
}

impl DigestSet {
    /// Makes new states. Pieces are digested with the algorithms only.
    ///
    /// # Panics
    /// If `keys` lacks the key of an algorithm. A run checks this before it begins.
    pub(crate) fn new(
        algorithms: &[Algorithm],
        keys: &Keys,
        families: &[FamilyRule],
        rule: Option<PieceRule>,
    ) -> DigestSet {
        let hasher = |algorithm: &Algorithm| algorithm.hasher_with(keys).expect("the run looked at its keys first");
        let hashers = || algorithms.iter().map(hasher).collect();
        DigestSet {
            whole: hashers(),
            similar: families.iter().map(|&rule| Similar::new(rule)).collect(),
            pieces: rule.map(|rule| Pieces {
                rule,
                hashers: hashers(),
                offset: 0,
                length: 0,
                done: Vec::new(),
                overflowed: false,
            }),
            facts: None,
        }
    }

    /// Adds facts about contents to the set, if the run has them.
    #[must_use]
    pub(crate) fn with_facts(self, options: &Options) -> DigestSet {
        let scanner = |counting| Box::new(Scanner::new(counting, options.backend));
        DigestSet { facts: options.facts.map(scanner), ..self }
    }

    /// Announces the length of the next message. If its file changes meanwhile, its digests are discarded anyway.
    pub(crate) fn expect(&mut self, bytes: u64) {
        self.similar.iter_mut().for_each(|similar| similar.expected = Some(bytes));
    }

    /// Returns all digests of a whole message.
    pub(crate) fn digest(&mut self, message: &[u8]) -> FileDigests {
        self.expect(message.len() as u64);
        self.update(message);
        self.finish()
    }

    pub(crate) fn update(&mut self, bytes: &[u8]) {
        for hasher in &mut self.whole {
            hasher.update(bytes);
        }
        for similar in &mut self.similar {
            similar.update(bytes);
        }
        if let Some(pieces) = &mut self.pieces {
            pieces.update(bytes);
        }
        if let Some(facts) = &mut self.facts {
            facts.update(bytes);
        }
    }

    pub(crate) fn piece_rule(&self) -> Option<PieceRule> {
        self.pieces.as_ref().map(|pieces| pieces.rule)
    }

    /// Takes the pieces that have ended since the last call. [`DigestSet::finish`] returns the others.
    pub(crate) fn take_pieces(&mut self) -> Vec<Piece> {
        self.pieces.as_mut().map_or_else(Vec::new, |pieces| std::mem::take(&mut pieces.done))
    }

    /// Ends the message, returns its digests and resets the set.
    pub(crate) fn finish(&mut self) -> FileDigests {
        let pieces = self.pieces.as_mut().map_or(Some(Vec::new()), Pieces::finish);
        FileDigests {
            digests: self.whole.iter_mut().map(Hasher::finish).collect(),
            too_many_pieces: pieces.is_none(),
            pieces: pieces.unwrap_or_default(),
            similarities: self.similar.iter_mut().map(Similar::finish).collect(),
            facts: self.facts.as_mut().map(|facts| facts.finish()),
        }
    }
}

impl Pieces {
    fn update(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() && !self.overflowed {
            let room = usize::try_from(self.rule.piece_bytes - self.length).unwrap_or(usize::MAX);
            let (now, later) = bytes.split_at(room.min(bytes.len()));
            for hasher in &mut self.hashers {
                hasher.update(now);
            }
            self.length += now.len() as u64;
            if self.length == self.rule.piece_bytes {
                self.end_piece();
            }
            bytes = later;
        }
    }

    fn end_piece(&mut self) {
        if self.done.len() == self.rule.pieces_max {
            self.overflowed = true;
            self.done = Vec::new();
            return;
        }
        let digests = self.hashers.iter_mut().map(Hasher::finish).collect();
        self.done.push(Piece::new(self.offset, self.length, digests));
        self.offset += self.length;
        self.length = 0;
    }

    /// Ends the message. Returns `None` if there were too many pieces.
    fn finish(&mut self) -> Option<Vec<Piece>> {
        // An empty message has one empty piece, as md5deep and hashdeep list it.
        if !self.overflowed && (self.length > 0 || self.offset == 0) {
            self.end_piece();
        }
        let overflowed = std::mem::take(&mut self.overflowed);
        if overflowed {
            for hasher in &mut self.hashers {
                hasher.finish();
            }
        }
        (self.offset, self.length) = (0, 0);
        let done = std::mem::take(&mut self.done);
        (!overflowed).then_some(done)
    }
}

/// Memory of this number of pieces, in bytes.
pub(crate) fn pieces_memory_bytes(pieces: usize, algorithms: usize) -> u64 {
    (pieces as u64).saturating_mul((size_of::<Piece>() + algorithms * size_of::<Digest>()) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use pfh_vector::ctph::rolling_hash;

    #[test]
    fn families_have_the_kernels_of_the_backend() {
        for backend in Backend::offered() {
            for family in Family::ALL {
                let rule =
                    FamilyRule { family, similarity: SimilarityOptions::default(), backend, bytes_max: u64::MAX };
                let expected = pfh_similarity::Hasher::with_backend(family, &SimilarityOptions::default(), backend);
                assert_eq!(format!("{:?}", rule.hasher(None)), format!("{expected:?}"), "{family} {backend}");
            }
        }
    }

    #[test]
    fn pieces_do_not_depend_on_how_the_bytes_arrive() {
        let algorithms: Vec<_> = ["md5", "crc32"].iter().map(|name| Algorithm::from_name(name).unwrap()).collect();
        let message: Vec<u8> = (0..1000u32).map(|i| (i % 251) as u8).collect();
        for (length, step) in [(0, 1), (1, 1), (299, 7), (300, 300), (301, 13), (1000, 999)] {
            let mut set = DigestSet::new(
                &algorithms,
                &Keys::default(),
                &[],
                Some(PieceRule::new(100, algorithms.len(), 1 << 20)),
            );
            for part in message[..length].chunks(step) {
                set.update(part);
            }
            let FileDigests { digests: whole, pieces, .. } = set.finish();
            assert_eq!(whole, algorithms.iter().map(|a| a.digest(&message[..length])).collect::<Vec<_>>());
            assert_eq!(pieces.len(), length.div_ceil(100).max(1));
            for piece in &pieces {
                let (from, to) = (piece.offset as usize, (piece.offset + piece.length) as usize);
                assert_eq!(piece.digests[0], algorithms[0].digest(&message[from..to]));
                assert_eq!(piece.digests[1], algorithms[1].digest(&message[from..to]));
            }
            assert_eq!(pieces.iter().map(|piece| piece.length).sum::<u64>(), length as u64);
        }
    }

    #[test]
    fn families_begin_anew_with_each_message_and_keep_to_their_limit() {
        let rule = |family| FamilyRule {
            family,
            similarity: SimilarityOptions::default(),
            backend: Backend::chosen(),
            bytes_max: 6000,
        };
        let mut set =
            DigestSet::new(&[], &Keys::default(), &Family::ALL.map(rule), Some(PieceRule::new(100, 0, 1 << 20)));
        for (length, step) in [(0, 1), (3000, 7), (6001, 6001), (6000, 999), (6001, 1), (40, 3)] {
            let message: Vec<u8> = (0..length).map(|i: u32| ((i * i) >> 7) as u8 ^ (i % 251) as u8).collect();
            for part in message.chunks(step) {
                set.update(part);
            }
            let made = set.finish();
            assert_eq!(made.similarities.len(), Family::ALL.len());
            for (family, found) in Family::ALL.into_iter().zip(made.similarities) {
                let mut hasher = pfh_similarity::Hasher::new(family);
                hasher.update(&message);
                let expected = match u64::from(length) {
                    bytes @ 6001.. => Err(NoDigest::new(family, NoDigestReason::TooLong, bytes)),
                    _ => hasher.finish(),
                };
                assert_eq!(found, Similarity { family, digest: expected }, "{length} bytes");
            }
        }
    }

    /// A message known to be too long creates no hasher, and does not affect the next message.
    #[test]
    fn a_message_known_to_be_too_long_is_refused_at_once() {
        let rule = |family| FamilyRule {
            family,
            similarity: SimilarityOptions::default(),
            backend: Backend::chosen(),
            bytes_max: 6000,
        };
        let mut set = DigestSet::new(&[], &Keys::default(), &Family::ALL.map(rule), None);
        set.expect(6001);
        set.update(&[7; 10]);
        assert!(set.similar.iter().all(|similar| similar.hasher.is_none() && similar.is_too_long));
        set.update(&[7; 5991]);
        let no_digest = |found: Similarity| found.digest.map_err(|no_digest| (no_digest.bytes, no_digest.reason));
        assert!(
            set.finish().similarities.into_iter().all(|found| no_digest(found) == Err((6001, NoDigestReason::TooLong)))
        );
        let message: Vec<u8> = (0..6000u32).map(|i| ((i * i) >> 7) as u8 ^ (i % 251) as u8).collect();
        set.update(&message);
        for found in set.finish().similarities {
            let mut hasher = pfh_similarity::Hasher::new(found.family);
            hasher.update(&message);
            assert_eq!(found.digest, hasher.finish());
        }
    }

    /// Returns some 64 KiB that are divided into nearly as many chunks as possible, also when they are repeated. The 40
    /// bytes after the end of a chunk are skipped, and after most windows there is a byte that ends the next chunk.
    fn shortest_chunks() -> Vec<u8> {
        let after = |window: [u8; 7], byte| std::array::from_fn(|at| *window.get(at + 1).unwrap_or(&byte));
        let is_end = |window: &[u8; 7]| rolling_hash(window) % 160 == 159;
        let noise = |at: usize| (at.wrapping_mul(2_654_435_761) >> 13) as u8;
        let (mut bytes, mut window) = (vec![0; 7], [0; 7]);
        loop {
            let byte = (0..=u8::MAX).find(|&byte| is_end(&after(window, byte)));
            window = after(window, byte.unwrap_or(noise(bytes.len())));
            bytes.push(window[6]);
            if byte.is_some() {
                let end = bytes.len();
                bytes.extend((end..end + 40).map(noise));
            }
            // Repetition continues with the seven zeros of the beginning, and none of them may end a chunk.
            let mut zeros = std::iter::successors(Some(window), |&window| Some(after(window, 0))).skip(1).take(7);
            if bytes.len() > 64 << 10 && !zeros.any(|window| is_end(&window)) {
                return bytes;
            }
        }
    }

    /// A crafted file whose mrsh-v2 digest would need more memory than is reserved gets none.
    #[test]
    fn chunks_of_41_bytes_cannot_exceed_what_is_reserved() {
        let chunks = shortest_chunks();
        let rule = FamilyRule {
            family: Family::MrshV2,
            similarity: SimilarityOptions::default(),
            backend: Backend::chosen(),
            bytes_max: u64::MAX,
        };
        let mut set = DigestSet::new(&[], &Keys::default(), &[rule], None);
        let mut given_up = 0;
        for repetitions in [100, 800, 900, 1] {
            let parts = || std::iter::repeat_n(&*chunks, repetitions);
            let mut hasher = pfh_similarity::Hasher::new(Family::MrshV2);
            set.expect(parts().map(|part| part.len() as u64).sum());
            for part in parts() {
                hasher.update(part);
                set.update(part);
            }
            let bytes = (repetitions * chunks.len()) as u64;
            let [found] = &set.finish().similarities[..] else { panic!("one family") };
            if !rule.is_exceeded_by(&hasher, bytes) {
                assert_eq!(found.digest, hasher.finish(), "{bytes} bytes");
            } else {
                let no_digest = found.digest.as_ref().expect_err("too many filters");
                assert_eq!((no_digest.bytes, no_digest.reason), (bytes, NoDigestReason::TooLong));
                given_up += 1;
            }
        }
        assert_eq!(given_up, 1);
    }

    #[test]
    fn too_many_pieces_leave_no_trace_in_the_next_message() {
        let algorithms = [Algorithm::from_name("crc32").unwrap()];
        let rule = PieceRule::new(10, 1, pieces_memory_bytes(3, 1));
        assert!(!rule.are_too_many_for(30) && rule.are_too_many_for(31));
        let mut set = DigestSet::new(&algorithms, &Keys::default(), &[], Some(rule));
        for (length, pieces) in [(30, 3), (31, 0), (1000, 0), (0, 1), (35, 0), (29, 3)] {
            let message = vec![7; length];
            set.update(&message);
            let FileDigests { digests: whole, pieces: found, .. } = set.finish();
            assert_eq!(whole, [algorithms[0].digest(&message)]);
            assert_eq!(found.len(), pieces, "{length}");
            for (piece, part) in found.iter().zip(message.chunks(10)) {
                assert_eq!(piece.digests, [algorithms[0].digest(part)]);
            }
        }
    }
}
