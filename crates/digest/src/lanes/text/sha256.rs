//! SHA-256 (FIPS 180-4, sections 4.1 and 6).

use super::Compress;
use crate::lanes::vector::Vector;

pub(in crate::lanes) struct Sha256;

/// Fractions of the cube roots of the first 64 primes.
#[rustfmt::skip]
pub(in crate::lanes) const CUBE_ROOTS: [u32; 64] = [
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
];

impl Compress<u32, 8, 16> for Sha256 {
    const BIG_ENDIAN: bool = true;

    #[inline(always)]
    fn compress<V: Vector<Word = u32>>(chain: [V; 8], message: &[V; 16], _last: bool) -> [V; 8] {
        let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = chain;
        // The last 16 words of the schedule.
        let mut schedule = *message;

        macro_rules! round {
            ($a:ident $b:ident $c:ident $d:ident $e:ident $f:ident $g:ident $h:ident $round:expr, $word:literal) => {
                let sum1 = V::xor3($e.rol::<26>(), $e.rol::<21>(), $e.rol::<7>());
                let sum0 = V::xor3($a.rol::<30>(), $a.rol::<19>(), $a.rol::<10>());
                let ready = $h.add_word(CUBE_ROOTS[$round + $word]).add(schedule[$word]);
                let first = ready.add(V::ch($e, $f, $g)).add(sum1);
                $d = $d.add(first);
                $h = first.add(sum0.add(V::maj($a, $b, $c)));
            };
        }
        macro_rules! rounds {
            ($round:expr, $each:ident) => {
                $each!(a b c d e f g h $round, 0);
                $each!(h a b c d e f g $round, 1);
                $each!(g h a b c d e f $round, 2);
                $each!(f g h a b c d e $round, 3);
                $each!(e f g h a b c d $round, 4);
                $each!(d e f g h a b c $round, 5);
                $each!(c d e f g h a b $round, 6);
                $each!(b c d e f g h a $round, 7);
                $each!(a b c d e f g h $round, 8);
                $each!(h a b c d e f g $round, 9);
                $each!(g h a b c d e f $round, 10);
                $each!(f g h a b c d e $round, 11);
                $each!(e f g h a b c d $round, 12);
                $each!(d e f g h a b c $round, 13);
                $each!(c d e f g h a b $round, 14);
                $each!(b c d e f g h a $round, 15);
            };
        }
        macro_rules! expanded_round {
            ($a:ident $b:ident $c:ident $d:ident $e:ident $f:ident $g:ident $h:ident $round:expr, $word:literal) => {
                let (back15, back2) = (schedule[($word + 1) % 16], schedule[($word + 14) % 16]);
                let sigma0 = V::xor3(back15.rol::<25>(), back15.rol::<14>(), back15.shr::<3>());
                let sigma1 = V::xor3(back2.rol::<15>(), back2.rol::<13>(), back2.shr::<10>());
                schedule[$word] = schedule[$word].add(sigma0).add(schedule[($word + 9) % 16]).add(sigma1);
                round!($a $b $c $d $e $f $g $h $round, $word);
            };
        }
        rounds!(0, round);
        // A loop here, for a quarter of the instructions: unrolled, they overflow the caches before the decoders.
        for sixteen in 1..4 {
            rounds!(16 * sixteen, expanded_round);
        }

        [
            chain[0].add(a),
            chain[1].add(b),
            chain[2].add(c),
            chain[3].add(d),
            chain[4].add(e),
            chain[5].add(f),
            chain[6].add(g),
            chain[7].add(h),
        ]
    }
}
