//! SHA-1 (FIPS 180-4, sections 4.1.1 and 6.1).

use super::Compress;
use crate::lanes::vector::Vector;

pub(in crate::lanes) struct Sha1;

impl Compress<u32, 5, 16> for Sha1 {
    const BIG_ENDIAN: bool = true;

    #[inline(always)]
    fn compress<V: Vector<Word = u32>>(chain: [V; 5], message: &[V; 16], _last: bool) -> [V; 5] {
        let [mut a, mut b, mut c, mut d, mut e] = chain;
        // The last 16 words of the schedule.
        let mut schedule = *message;

        macro_rules! round {
            ($function:ident $constant:literal $a:ident $b:ident $c:ident $d:ident $e:ident $round:expr) => {
                if $round >= 16 {
                    let older =
                        V::xor3(schedule[($round + 13) % 16], schedule[($round + 8) % 16], schedule[($round + 2) % 16]);
                    schedule[$round % 16] = older.xor(schedule[$round % 16]).rol::<1>();
                }
                let ready = $e.add_word($constant).add(schedule[$round % 16]);
                $e = ready.add(V::$function($b, $c, $d)).add($a.rol::<5>());
                $b = $b.rol::<30>();
            };
        }
        macro_rules! twenty_rounds {
            ($function:ident $constant:literal $round:literal) => {
                twenty_rounds!(@ five $function $constant $round);
                twenty_rounds!(@ five $function $constant $round + 5);
                twenty_rounds!(@ five $function $constant $round + 10);
                twenty_rounds!(@ five $function $constant $round + 15);
            };
            (@ five $function:ident $constant:literal $round:expr) => {
                round!($function $constant a b c d e $round);
                round!($function $constant e a b c d $round + 1);
                round!($function $constant d e a b c $round + 2);
                round!($function $constant c d e a b $round + 3);
                round!($function $constant b c d e a $round + 4);
            };
        }
        twenty_rounds!(ch 0x5a82_7999 0);
        twenty_rounds!(xor3 0x6ed9_eba1 20);
        twenty_rounds!(maj 0x8f1b_bcdc 40);
        twenty_rounds!(xor3 0xca62_c1d6 60);

        [chain[0].add(a), chain[1].add(b), chain[2].add(c), chain[3].add(d), chain[4].add(e)]
    }
}
