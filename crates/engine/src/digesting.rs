//! All digests of one message, whole and in pieces, in one pass.

use pfh_digest::{Algorithm, Digest, Hasher};
use pfh_record::Piece;

/// The states of several algorithms that see the same bytes.
pub(crate) struct DigestSet {
    whole: Vec<Hasher>,
    pieces: Option<Pieces>,
}

struct Pieces {
    piece_bytes: u64,
    hashers: Vec<Hasher>,
    offset: u64,
    length: u64,
    done: Vec<Piece>,
}

impl DigestSet {
    pub(crate) fn new(algorithms: &[Algorithm], piece_bytes: Option<u64>) -> DigestSet {
        let hashers = || algorithms.iter().map(|algorithm| algorithm.hasher()).collect();
        DigestSet {
            whole: hashers(),
            pieces: piece_bytes.map(|piece_bytes| Pieces {
                piece_bytes,
                hashers: hashers(),
                offset: 0,
                length: 0,
                done: Vec::new(),
            }),
        }
    }

    pub(crate) fn update(&mut self, bytes: &[u8]) {
        for hasher in &mut self.whole {
            hasher.update(bytes);
        }
        if let Some(pieces) = &mut self.pieces {
            pieces.update(bytes);
        }
    }

    /// Ends the message and leaves the set as new.
    pub(crate) fn finish(&mut self) -> (Vec<Digest>, Vec<Piece>) {
        let digests = self.whole.iter_mut().map(Hasher::finish).collect();
        (digests, self.pieces.as_mut().map_or_else(Vec::new, Pieces::finish))
    }
}

impl Pieces {
    fn update(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            let room = usize::try_from(self.piece_bytes - self.length).unwrap_or(usize::MAX);
            let (now, later) = bytes.split_at(room.min(bytes.len()));
            for hasher in &mut self.hashers {
                hasher.update(now);
            }
            self.length += now.len() as u64;
            if self.length == self.piece_bytes {
                self.end_piece();
            }
            bytes = later;
        }
    }

    fn end_piece(&mut self) {
        let digests = self.hashers.iter_mut().map(Hasher::finish).collect();
        self.done.push(Piece { offset: self.offset, length: self.length, digests });
        self.offset += self.length;
        self.length = 0;
    }

    fn finish(&mut self) -> Vec<Piece> {
        // An empty message has one empty piece, as md5deep and hashdeep list it.
        if self.length > 0 || self.offset == 0 {
            self.end_piece();
        }
        self.offset = 0;
        std::mem::take(&mut self.done)
    }
}

/// Joins the pieces of sets that each saw the whole message with a part of the algorithms.
pub(crate) fn join_pieces(parts: Vec<Vec<Piece>>) -> Vec<Piece> {
    let mut parts = parts.into_iter();
    let mut joined = parts.next().unwrap_or_default();
    for part in parts {
        for (piece, more) in joined.iter_mut().zip(part) {
            piece.digests.extend(more.digests);
        }
    }
    joined
}

/// Bytes that the piecewise digests of a message of `size` bytes occupy.
pub(crate) fn pieces_memory_bytes(size: u64, piece_bytes: u64, algorithms: usize) -> u64 {
    let each = size_of::<Piece>() + algorithms * size_of::<Digest>();
    size.div_ceil(piece_bytes).saturating_mul(each as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_do_not_depend_on_how_the_bytes_arrive() {
        let algorithms: Vec<_> = ["md5", "crc32"].iter().map(|name| Algorithm::from_name(name).unwrap()).collect();
        let message: Vec<u8> = (0..1000u32).map(|i| (i % 251) as u8).collect();
        for (length, step) in [(0, 1), (1, 1), (299, 7), (300, 300), (301, 13), (1000, 999)] {
            let mut set = DigestSet::new(&algorithms, Some(100));
            for part in message[..length].chunks(step) {
                set.update(part);
            }
            let (whole, pieces) = set.finish();
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
}
