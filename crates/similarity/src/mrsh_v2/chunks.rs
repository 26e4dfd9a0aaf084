//! Chunks become numbers: FNV-1a in 64 bits (G. Fowler, L. Noll, K.-P. Vo).

/// The value of an empty chunk.
pub(super) const BASIS: u64 = 0xcbf2_9ce4_8422_2325;
const PRIME: u64 = 0x0100_0000_01b3;

/// The value of a chunk that goes on with `bytes`.
pub(super) fn fnv1a(value: u64, bytes: &[u8]) -> u64 {
    bytes.iter().fold(value, |value, &byte| (value ^ u64::from(byte)).wrapping_mul(PRIME))
}
