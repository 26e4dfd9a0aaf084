//! RIPEMD-160 (H. Dobbertin, A. Bosselaers, B. Preneel, RIPEMD-160: a strengthened version of RIPEMD, 1996; ISO/IEC
//! 10118-3).

use super::Compress;
use crate::lanes::vector::Vector;

pub(in crate::lanes) struct Ripemd160;

/// Message word of each step, in the left line and the right line.
#[rustfmt::skip]
const WORDS: [[usize; 80]; 2] = [
    [
        0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15,
        7, 4, 13, 1, 10, 6, 15, 3, 12, 0, 9, 5, 2, 14, 11, 8,
        3, 10, 14, 4, 9, 15, 8, 1, 2, 7, 0, 6, 13, 11, 5, 12,
        1, 9, 11, 10, 0, 8, 12, 4, 13, 3, 7, 15, 14, 5, 6, 2,
        4, 0, 5, 9, 7, 12, 2, 10, 14, 1, 3, 8, 11, 6, 15, 13,
    ],
    [
        5, 14, 7, 0, 9, 2, 11, 4, 13, 6, 15, 8, 1, 10, 3, 12,
        6, 11, 3, 7, 0, 13, 5, 10, 14, 15, 8, 12, 4, 9, 1, 2,
        15, 5, 1, 3, 7, 14, 6, 9, 11, 8, 12, 2, 10, 0, 4, 13,
        8, 6, 4, 1, 3, 11, 15, 0, 5, 12, 2, 13, 9, 7, 10, 14,
        12, 15, 10, 4, 1, 5, 8, 7, 6, 2, 13, 14, 0, 3, 9, 11,
    ],
];

/// Rotation of each step.
#[rustfmt::skip]
const BITS: [[i32; 80]; 2] = [
    [
        11, 14, 15, 12, 5, 8, 7, 9, 11, 13, 14, 15, 6, 7, 9, 8,
        7, 6, 8, 13, 11, 9, 7, 15, 7, 12, 15, 9, 11, 7, 13, 12,
        11, 13, 6, 7, 14, 9, 13, 15, 14, 8, 13, 6, 5, 12, 7, 5,
        11, 12, 14, 15, 14, 15, 9, 8, 9, 14, 5, 6, 8, 6, 5, 12,
        9, 15, 5, 11, 6, 8, 13, 12, 5, 12, 13, 14, 11, 8, 5, 6,
    ],
    [
        8, 9, 9, 11, 13, 15, 15, 5, 7, 7, 8, 11, 14, 14, 12, 6,
        9, 13, 15, 7, 12, 8, 9, 11, 7, 7, 12, 7, 6, 15, 13, 11,
        9, 7, 15, 11, 8, 6, 6, 14, 12, 13, 5, 14, 13, 13, 7, 5,
        15, 5, 8, 11, 14, 14, 6, 14, 6, 9, 12, 9, 12, 5, 15, 8,
        8, 5, 12, 9, 12, 5, 14, 6, 8, 13, 6, 5, 15, 13, 11, 11,
    ],
];

/// Constant of each sixteen steps.
const CONSTANTS: [[u32; 5]; 2] =
    [[0, 0x5a82_7999, 0x6ed9_eba1, 0x8f1b_bcdc, 0xa953_fd4e], [0x50a2_8be6, 0x5c4d_d124, 0x6d70_3ef3, 0x7a6d_76e9, 0]];

#[expect(clippy::manual_div_ceil, reason = "the number of a step, rounded down, is its round")]
impl Compress<u32, 5, 16> for Ripemd160 {
    const BIG_ENDIAN: bool = false;

    #[inline(always)]
    fn compress<V: Vector<Word = u32>>(chain: [V; 5], message: &[V; 16], _last: bool) -> [V; 5] {
        let [mut a, mut b, mut c, mut d, mut e] = chain;
        let [mut aa, mut bb, mut cc, mut dd, mut ee] = chain;

        macro_rules! step {
            ($line:literal $a:ident $b:ident $c:ident $d:ident $e:ident $step:expr) => {
                // The right line uses the functions in the opposite order. Two of them are complements of
                // `xor_not_and`; to add the complement of a word is to subtract the word, and 1.
                let function = if $line == 0 { $step / 16 } else { 4 - $step / 16 };
                let complement = function == 2 || function == 4;
                let constant = CONSTANTS[$line][$step / 16].wrapping_sub(complement as u32);
                let ready = if constant == 0 { $a } else { $a.add_word(constant) }.add(message[WORDS[$line][$step]]);
                let sum = match function {
                    0 => ready.add(V::xor3($b, $c, $d)),
                    1 => ready.add(V::ch($b, $c, $d)),
                    2 => ready.sub(V::xor_not_and($d, $b, $c)),
                    3 => ready.add(V::ch($d, $b, $c)),
                    _ => ready.sub(V::xor_not_and($b, $c, $d)),
                };
                $a = sum.rol::<{ BITS[$line][$step] }>().add($e);
                $c = $c.rol::<10>();
            };
        }
        // The lines do not depend on each other, so their steps alternate.
        macro_rules! five_steps {
            ($($step:literal)+) => {$(
                step!(0 a b c d e $step);
                step!(1 aa bb cc dd ee $step);
                step!(0 e a b c d $step + 1);
                step!(1 ee aa bb cc dd $step + 1);
                step!(0 d e a b c $step + 2);
                step!(1 dd ee aa bb cc $step + 2);
                step!(0 c d e a b $step + 3);
                step!(1 cc dd ee aa bb $step + 3);
                step!(0 b c d e a $step + 4);
                step!(1 bb cc dd ee aa $step + 4);
            )+};
        }
        five_steps!(0 5 10 15 20 25 30 35 40 45 50 55 60 65 70 75);

        [
            chain[1].add(c).add(dd),
            chain[2].add(d).add(ee),
            chain[3].add(e).add(aa),
            chain[4].add(a).add(bb),
            chain[0].add(b).add(cc),
        ]
    }
}
