//! SM3 (GB/T 32905-2016).

use super::Text;
use crate::lanes::vector::Vector;

pub(in crate::lanes) struct Sm3;

impl Text<u32, 8, 16> for Sm3 {
    const BIG_ENDIAN: bool = true;

    #[inline(always)]
    fn compress<V: Vector<Word = u32>>(chain: [V; 8], message: [V; 16], _last: bool) -> [V; 8] {
        let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = chain;
        // The last 16 words of the expansion; it runs four words ahead of the rounds.
        let mut expansion = message;

        macro_rules! round {
            ($choose:ident $majority:ident $constant:literal
                $a:ident $b:ident $c:ident $d:ident $e:ident $f:ident $g:ident $h:ident $round:expr) => {
                let ahead = ($round + 4) % 16;
                if $round >= 12 {
                    let x = V::xor3(
                        expansion[($round + 1) % 16].rol::<15>(),
                        expansion[ahead],
                        expansion[($round + 11) % 16],
                    );
                    let x = V::xor3(x, x.rol::<15>(), x.rol::<23>());
                    expansion[ahead] =
                        V::xor3(x, expansion[($round + 7) % 16].rol::<7>(), expansion[($round + 14) % 16]);
                }
                let a12 = $a.rol::<12>();
                let constant = u32::rotate_left($constant, $round % 32);
                let ss1 = a12.add($e.add_word(constant)).rol::<7>();
                let tt1 = V::$majority($a, $b, $c)
                    .add($d)
                    .add(expansion[$round % 16].xor(expansion[ahead]))
                    .add(ss1.xor(a12));
                let tt2 = V::$choose($e, $f, $g).add($h).add(expansion[$round % 16]).add(ss1);
                $b = $b.rol::<9>();
                $d = tt1;
                $f = $f.rol::<19>();
                $h = V::xor3(tt2, tt2.rol::<9>(), tt2.rol::<17>());
            };
        }
        macro_rules! four_rounds {
            ($choose:ident $majority:ident $constant:literal, $($round:literal)+) => {$(
                round!($choose $majority $constant a b c d e f g h $round);
                round!($choose $majority $constant d a b c h e f g $round + 1);
                round!($choose $majority $constant c d a b g h e f $round + 2);
                round!($choose $majority $constant b c d a f g h e $round + 3);
            )+};
        }
        four_rounds!(xor3 xor3 0x79cc_4519, 0 4 8 12);
        four_rounds!(ch maj 0x7a87_9d8a, 16 20 24 28 32 36 40 44 48 52 56 60);

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
