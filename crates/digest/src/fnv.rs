//! FNV-1 and FNV-1a with 32 and 64 bits (RFC 9923).

use crate::Digest;
use crate::state::State;

/// The register; a byte is added (exclusive or) before the multiplication in FNV-1a, after it in FNV-1.
#[derive(Clone)]
pub(crate) struct Fnv<Word, const XOR_FIRST: bool>(Word);

macro_rules! width {
    ($word:ty, $offset_basis:literal, $prime:literal) => {
        impl<const XOR_FIRST: bool> Default for Fnv<$word, XOR_FIRST> {
            fn default() -> Self {
                Fnv($offset_basis)
            }
        }

        impl<const XOR_FIRST: bool> State for Fnv<$word, XOR_FIRST> {
            const DIGEST_BYTES: usize = size_of::<$word>();
            const BLOCK_BYTES: usize = 1;

            fn update(&mut self, bytes: &[u8]) {
                for &byte in bytes {
                    self.0 = if XOR_FIRST {
                        (self.0 ^ <$word>::from(byte)).wrapping_mul($prime)
                    } else {
                        self.0.wrapping_mul($prime) ^ <$word>::from(byte)
                    };
                }
            }

            fn finish(&mut self, digest: &mut Digest) {
                digest.set(&std::mem::take(self).0.to_be_bytes());
            }
        }
    };
}

width!(u32, 0x811c_9dc5, 0x0100_0193);
width!(u64, 0xcbf2_9ce4_8422_2325, 0x0000_0100_0000_01b3);
