//! All digests of one message, whole and in pieces, in one pass.

use pfh_digest::{Algorithm, Digest, Hasher};
use pfh_record::{Piece, Similarity};
use pfh_similarity::{Family, Unfit, UnfitReason};

/// The states of several algorithms and families that see the same bytes.
pub(crate) struct DigestSet {
    whole: Vec<Hasher>,
    similar: Vec<Similar>,
    pieces: Option<Pieces>,
}

/// How messages are cut into pieces, and how many pieces of one message may be kept.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PieceRule {
    piece_bytes: u64,
    pieces_max: usize,
}

impl PieceRule {
    /// `memory_bytes` bounds what the digests of all pieces of one message occupy.
    pub(crate) fn new(piece_bytes: u64, algorithms: usize, memory_bytes: u64) -> PieceRule {
        let pieces_max = memory_bytes / pieces_memory_bytes(1, algorithms);
        PieceRule { piece_bytes, pieces_max: usize::try_from(pieces_max).unwrap_or(usize::MAX) }
    }

    pub(crate) fn are_too_many_for(self, size: u64) -> bool {
        size.div_ceil(self.piece_bytes) > self.pieces_max as u64
    }
}

/// A family, and how long the messages are that it digests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FamilyRule {
    pub(crate) family: Family,
    /// Longer ones have no digest: it would take too much memory.
    pub(crate) bytes_max: u64,
}

/// The state of a family.
struct Similar {
    rule: FamilyRule,
    /// Made for each message with its first bytes: they are large, and cannot be used again.
    hasher: Option<pfh_similarity::Hasher>,
    bytes: u64,
}

/// What one message yields.
#[derive(Clone, Debug, Default)]
pub(crate) struct Made {
    pub(crate) digests: Vec<Digest>,
    /// At least one, unless they are not asked for or too many to keep.
    pub(crate) pieces: Vec<Piece>,
    pub(crate) similarities: Vec<Similarity>,
}

impl Made {
    /// Joins what sets yield that each saw the whole message with a part of the algorithms and families.
    pub(crate) fn join(parts: impl IntoIterator<Item = Made>) -> Made {
        let mut parts = parts.into_iter();
        let mut joined = parts.next().unwrap_or_default();
        for part in parts {
            joined.digests.extend(part.digests);
            for (piece, more) in joined.pieces.iter_mut().zip(part.pieces) {
                piece.digests.extend(more.digests);
            }
            joined.similarities.extend(part.similarities);
        }
        joined
    }

    /// Bytes that the pieces and similarity digests occupy and, as a part of a list, will occupy beyond what every file
    /// of this many digests may.
    pub(crate) fn extra_bytes(pieces: &[Piece], similarities: &[Similarity], algorithms: usize) -> u64 {
        let usual = similarities.len() as u64 * SIMILARITY_BYTES;
        let texts: usize = similarities.iter().map(Similarity::text_bytes).sum();
        pieces_memory_bytes(pieces.len(), algorithms) + (texts as u64).saturating_sub(usual)
    }
}

/// Bytes of a short similarity digest with its text.
pub(crate) const SIMILARITY_BYTES: u64 = 1 << 10;

impl Similar {
    fn update(&mut self, bytes: &[u8]) {
        self.bytes += bytes.len() as u64;
        if self.bytes > self.rule.bytes_max {
            self.hasher = None;
        } else {
            self.hasher.get_or_insert_with(|| pfh_similarity::Hasher::new(self.rule.family)).update(bytes);
        }
    }

    fn finish(&mut self) -> Similarity {
        let FamilyRule { family, bytes_max } = self.rule;
        let (bytes, hasher) = (std::mem::take(&mut self.bytes), self.hasher.take());
        let digest = if bytes > bytes_max {
            Err(Unfit { minimum_bytes: family.minimum_bytes(), bytes, reason: UnfitReason::TooLong })
        } else {
            hasher.unwrap_or_else(|| pfh_similarity::Hasher::new(family)).finish()
        };
        Similarity { family, digest }
    }
}

struct Pieces {
    rule: PieceRule,
    hashers: Vec<Hasher>,
    offset: u64,
    length: u64,
    done: Vec<Piece>,
    /// There were more than the rule allows.
    overflowed: bool,
}

impl DigestSet {
    /// Pieces are digested with the algorithms only.
    pub(crate) fn new(algorithms: &[Algorithm], families: &[FamilyRule], rule: Option<PieceRule>) -> DigestSet {
        let hashers = || algorithms.iter().map(|algorithm| algorithm.hasher()).collect();
        DigestSet {
            whole: hashers(),
            similar: families.iter().map(|&rule| Similar { rule, hasher: None, bytes: 0 }).collect(),
            pieces: rule.map(|rule| Pieces {
                rule,
                hashers: hashers(),
                offset: 0,
                length: 0,
                done: Vec::new(),
                overflowed: false,
            }),
        }
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
    }

    /// Ends the message and leaves the set as new.
    pub(crate) fn finish(&mut self) -> Made {
        Made {
            digests: self.whole.iter_mut().map(Hasher::finish).collect(),
            pieces: self.pieces.as_mut().map_or_else(Vec::new, Pieces::finish),
            similarities: self.similar.iter_mut().map(Similar::finish).collect(),
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
        self.done.push(Piece { offset: self.offset, length: self.length, digests });
        self.offset += self.length;
        self.length = 0;
    }

    fn finish(&mut self) -> Vec<Piece> {
        // An empty message has one empty piece, as md5deep and hashdeep list it.
        if !self.overflowed && (self.length > 0 || self.offset == 0) {
            self.end_piece();
        }
        if std::mem::take(&mut self.overflowed) {
            for hasher in &mut self.hashers {
                hasher.finish();
            }
        }
        (self.offset, self.length) = (0, 0);
        std::mem::take(&mut self.done)
    }
}

/// Bytes that so many pieces occupy.
pub(crate) fn pieces_memory_bytes(pieces: usize, algorithms: usize) -> u64 {
    (pieces as u64).saturating_mul((size_of::<Piece>() + algorithms * size_of::<Digest>()) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_do_not_depend_on_how_the_bytes_arrive() {
        let algorithms: Vec<_> = ["md5", "crc32"].iter().map(|name| Algorithm::from_name(name).unwrap()).collect();
        let message: Vec<u8> = (0..1000u32).map(|i| (i % 251) as u8).collect();
        for (length, step) in [(0, 1), (1, 1), (299, 7), (300, 300), (301, 13), (1000, 999)] {
            let mut set = DigestSet::new(&algorithms, &[], Some(PieceRule::new(100, algorithms.len(), 1 << 20)));
            for part in message[..length].chunks(step) {
                set.update(part);
            }
            let Made { digests: whole, pieces, .. } = set.finish();
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
        let rule = |family| FamilyRule { family, bytes_max: 6000 };
        let mut set = DigestSet::new(&[], &Family::ALL.map(rule), Some(PieceRule::new(100, 0, 1 << 20)));
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
                    bytes @ 6001.. => {
                        Err(Unfit { minimum_bytes: family.minimum_bytes(), bytes, reason: UnfitReason::TooLong })
                    }
                    _ => hasher.finish(),
                };
                assert_eq!(found, Similarity { family, digest: expected }, "{length} bytes");
            }
        }
    }

    #[test]
    fn too_many_pieces_leave_no_trace_in_the_next_message() {
        let algorithms = [Algorithm::from_name("crc32").unwrap()];
        let rule = PieceRule::new(10, 1, pieces_memory_bytes(3, 1));
        assert!(!rule.are_too_many_for(30) && rule.are_too_many_for(31));
        let mut set = DigestSet::new(&algorithms, &[], Some(rule));
        for (length, pieces) in [(30, 3), (31, 0), (1000, 0), (0, 1), (35, 0), (29, 3)] {
            let message = vec![7; length];
            set.update(&message);
            let Made { digests: whole, pieces: found, .. } = set.finish();
            assert_eq!(whole, [algorithms[0].digest(&message)]);
            assert_eq!(found.len(), pieces, "{length}");
            for (piece, part) in found.iter().zip(message.chunks(10)) {
                assert_eq!(piece.digests, [algorithms[0].digest(part)]);
            }
        }
    }
}
