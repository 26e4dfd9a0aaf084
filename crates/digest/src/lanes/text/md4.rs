//! MD4 (RFC 1320).

use super::Compress;
use crate::lanes::vector::Vector;

pub(in crate::lanes) struct Md4;

impl Compress<u32, 4, 16> for Md4 {
    const BIG_ENDIAN: bool = false;

    #[inline(always)]
    fn compress<V: Vector<Word = u32>>(chain: [V; 4], message: &[V; 16], _last: bool) -> [V; 4] {
        let [mut a, mut b, mut c, mut d] = chain;

        // The sum without the function does not wait for the step before.
        macro_rules! step {
            ($function:ident $constant:literal $a:ident $b:ident $c:ident $d:ident $word:expr, $bits:literal) => {
                let ready = if $constant == 0 { $a } else { $a.add_word($constant) }.add(message[$word]);
                $a = ready.add(V::$function($b, $c, $d)).rol::<$bits>();
            };
        }
        macro_rules! round1 {
            ($($word:literal)+) => {$(
                step!(ch 0 a b c d $word, 3);
                step!(ch 0 d a b c $word + 1, 7);
                step!(ch 0 c d a b $word + 2, 11);
                step!(ch 0 b c d a $word + 3, 19);
            )+};
        }
        macro_rules! round2 {
            ($($word:literal)+) => {$(
                step!(maj 0x5a82_7999 a b c d $word, 3);
                step!(maj 0x5a82_7999 d a b c $word + 4, 5);
                step!(maj 0x5a82_7999 c d a b $word + 8, 9);
                step!(maj 0x5a82_7999 b c d a $word + 12, 13);
            )+};
        }
        macro_rules! round3 {
            ($($word:literal)+) => {$(
                step!(xor3 0x6ed9_eba1 a b c d $word, 3);
                step!(xor3 0x6ed9_eba1 d a b c $word + 8, 9);
                step!(xor3 0x6ed9_eba1 c d a b $word + 4, 11);
                step!(xor3 0x6ed9_eba1 b c d a $word + 12, 15);
            )+};
        }
        round1!(0 4 8 12);
        round2!(0 1 2 3);
        round3!(0 2 1 3);

        [chain[0].add(a), chain[1].add(b), chain[2].add(c), chain[3].add(d)]
    }
}
