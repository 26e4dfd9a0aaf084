//! Keccak-f[1600] as a sponge (FIPS 202). The rate decides how many words of a block there are.

use super::Compress;
use crate::lanes::vector::Vector;

pub(in crate::lanes) struct Keccak<const RATE_WORDS: usize>;

#[rustfmt::skip]
const ROUND_CONSTANTS: [u64; 24] = [
    0x0000_0000_0000_0001, 0x0000_0000_0000_8082, 0x8000_0000_0000_808a, 0x8000_0000_8000_8000,
    0x0000_0000_0000_808b, 0x0000_0000_8000_0001, 0x8000_0000_8000_8081, 0x8000_0000_0000_8009,
    0x0000_0000_0000_008a, 0x0000_0000_0000_0088, 0x0000_0000_8000_8009, 0x0000_0000_8000_000a,
    0x0000_0000_8000_808b, 0x8000_0000_0000_008b, 0x8000_0000_0000_8089, 0x8000_0000_0000_8003,
    0x8000_0000_0000_8002, 0x8000_0000_0000_0080, 0x0000_0000_0000_800a, 0x8000_0000_8000_000a,
    0x8000_0000_8000_8081, 0x8000_0000_0000_8080, 0x0000_0000_8000_0001, 0x8000_0000_8000_8008,
];

impl<const RATE_WORDS: usize> Compress<u64, 25, RATE_WORDS> for Keccak<RATE_WORDS> {
    const BIG_ENDIAN: bool = false;

    #[inline(always)]
    fn compress<V: Vector<Word = u64>>(chain: [V; 25], message: &[V; RATE_WORDS], _last: bool) -> [V; 25] {
        let mut a = chain;
        for word in 0..RATE_WORDS {
            a[word] = a[word].xor(message[word]);
        }
        for round in 0..24 {
            // Theta: the parities of the columns; what is added to column x is `parity[x - 1] ^ rotated[x + 1]`.
            let mut parity = [a[0]; 5];
            let mut rotated = [a[0]; 5];
            for x in 0..5 {
                parity[x] = V::xor3(V::xor3(a[x], a[x + 5], a[x + 10]), a[x + 15], a[x + 20]);
                rotated[x] = parity[x].rol::<1>();
            }
            let mut next = a;
            // Theta of one lane, then rho: place and rotation of the lane that pi brings here.
            macro_rules! lane {
                ($from:literal 0) => {
                    V::xor3(a[$from], parity[($from + 4) % 5], rotated[($from + 1) % 5])
                };
                ($from:literal $bits:literal) => {
                    lane!($from 0).rol::<$bits>()
                };
            }
            // A row after pi, and chi.
            macro_rules! row {
                ($row:literal, $f0:literal $b0:tt, $f1:literal $b1:tt, $f2:literal $b2:tt, $f3:literal $b3:tt, $f4:literal $b4:tt) => {
                    let (b0, b1, b2) = (lane!($f0 $b0), lane!($f1 $b1), lane!($f2 $b2));
                    let (b3, b4) = (lane!($f3 $b3), lane!($f4 $b4));
                    next[$row] = V::xor_not_and(b0, b1, b2);
                    next[$row + 1] = V::xor_not_and(b1, b2, b3);
                    next[$row + 2] = V::xor_not_and(b2, b3, b4);
                    next[$row + 3] = V::xor_not_and(b3, b4, b0);
                    next[$row + 4] = V::xor_not_and(b4, b0, b1);
                };
            }
            row!(0, 0 0, 6 44, 12 43, 18 21, 24 14);
            row!(5, 3 28, 9 20, 10 3, 16 45, 22 61);
            row!(10, 1 1, 7 6, 13 25, 19 8, 20 18);
            row!(15, 4 27, 5 36, 11 10, 17 15, 23 56);
            row!(20, 2 62, 8 55, 14 39, 15 41, 21 2);
            next[0] = next[0].xor(next[0].splat(ROUND_CONSTANTS[round]));
            a = next;
        }
        a
    }
}
