//! SM3 (GB/T 32905-2016).

use super::Compress;
use crate::lanes::vector::Vector;

pub(in crate::lanes) struct Sm3;

/// Constant of each round, rotated by its number.
const CONSTANTS: [[u32; 16]; 4] = {
    let mut constants = [[0; 16]; 4];
    let mut round = 0;
    while round < 64 {
        let constant: u32 = if round < 16 { 0x79cc_4519 } else { 0x7a87_9d8a };
        constants[round / 16][round % 16] = constant.rotate_left(round as u32 % 32);
        round += 1;
    }
    constants
};

impl Compress<u32, 8, 16> for Sm3 {
    const BIG_ENDIAN: bool = true;

    #[inline(always)]
    fn compress<V: Vector<Word = u32>>(chain: [V; 8], message: &[V; 16], _last: bool) -> [V; 8] {
        let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = chain;
        // The last 16 words of the expansion; it runs four words ahead of the rounds.
        let mut expansion = *message;

        macro_rules! round {
            ($choose:ident $majority:ident $constant:expr, $expand:expr,
                $a:ident $b:ident $c:ident $d:ident $e:ident $f:ident $g:ident $h:ident $word:expr) => {
                let ahead = ($word + 4) % 16;
                if $expand {
                    let x = V::xor3(
                        expansion[($word + 1) % 16].rol::<15>(),
                        expansion[ahead],
                        expansion[($word + 11) % 16],
                    );
                    let x = V::xor3(x, x.rol::<15>(), x.rol::<23>());
                    expansion[ahead] = V::xor3(x, expansion[($word + 7) % 16].rol::<7>(), expansion[($word + 14) % 16]);
                }
                let a12 = $a.rol::<12>();
                let ss1 = a12.add($e.add_word($constant)).rol::<7>();
                let tt1 =
                    V::$majority($a, $b, $c).add($d).add(expansion[$word].xor(expansion[ahead])).add(ss1.xor(a12));
                let tt2 = V::$choose($e, $f, $g).add($h).add(expansion[$word]).add(ss1);
                $b = $b.rol::<9>();
                $d = tt1;
                $f = $f.rol::<19>();
                $h = V::xor3(tt2, tt2.rol::<9>(), tt2.rol::<17>());
            };
        }
        macro_rules! four_rounds {
            ($choose:ident $majority:ident $constants:expr, $expand:expr, $($word:literal)+) => {$(
                round!($choose $majority $constants[$word], $expand, a b c d e f g h $word);
                round!($choose $majority $constants[$word + 1], $expand, d a b c h e f g $word + 1);
                round!($choose $majority $constants[$word + 2], $expand, c d a b g h e f $word + 2);
                round!($choose $majority $constants[$word + 3], $expand, b c d a f g h e $word + 3);
            )+};
        }
        four_rounds!(xor3 xor3 CONSTANTS[0], false, 0 4 8);
        four_rounds!(xor3 xor3 CONSTANTS[0], true, 12);
        for constants in &CONSTANTS[1..] {
            four_rounds!(ch maj constants, true, 0 4 8 12);
        }

        [
            chain[0].xor(a),
            chain[1].xor(b),
            chain[2].xor(c),
            chain[3].xor(d),
            chain[4].xor(e),
            chain[5].xor(f),
            chain[6].xor(g),
            chain[7].xor(h),
        ]
    }
}
