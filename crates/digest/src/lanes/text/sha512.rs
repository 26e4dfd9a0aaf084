//! SHA-512 (FIPS 180-4, sections 4.1 and 6).

use super::Compress;
use crate::lanes::vector::Vector;

pub(in crate::lanes) struct Sha512;

/// Fractions of the cube roots of the first 80 primes.
#[rustfmt::skip]
const CUBE_ROOTS: [u64; 80] = [
    0x428a2f98d728ae22, 0x7137449123ef65cd, 0xb5c0fbcfec4d3b2f, 0xe9b5dba58189dbbc,
    0x3956c25bf348b538, 0x59f111f1b605d019, 0x923f82a4af194f9b, 0xab1c5ed5da6d8118,
    0xd807aa98a3030242, 0x12835b0145706fbe, 0x243185be4ee4b28c, 0x550c7dc3d5ffb4e2,
    0x72be5d74f27b896f, 0x80deb1fe3b1696b1, 0x9bdc06a725c71235, 0xc19bf174cf692694,
    0xe49b69c19ef14ad2, 0xefbe4786384f25e3, 0x0fc19dc68b8cd5b5, 0x240ca1cc77ac9c65,
    0x2de92c6f592b0275, 0x4a7484aa6ea6e483, 0x5cb0a9dcbd41fbd4, 0x76f988da831153b5,
    0x983e5152ee66dfab, 0xa831c66d2db43210, 0xb00327c898fb213f, 0xbf597fc7beef0ee4,
    0xc6e00bf33da88fc2, 0xd5a79147930aa725, 0x06ca6351e003826f, 0x142929670a0e6e70,
    0x27b70a8546d22ffc, 0x2e1b21385c26c926, 0x4d2c6dfc5ac42aed, 0x53380d139d95b3df,
    0x650a73548baf63de, 0x766a0abb3c77b2a8, 0x81c2c92e47edaee6, 0x92722c851482353b,
    0xa2bfe8a14cf10364, 0xa81a664bbc423001, 0xc24b8b70d0f89791, 0xc76c51a30654be30,
    0xd192e819d6ef5218, 0xd69906245565a910, 0xf40e35855771202a, 0x106aa07032bbd1b8,
    0x19a4c116b8d2d0c8, 0x1e376c085141ab53, 0x2748774cdf8eeb99, 0x34b0bcb5e19b48a8,
    0x391c0cb3c5c95a63, 0x4ed8aa4ae3418acb, 0x5b9cca4f7763e373, 0x682e6ff3d6b2b8a3,
    0x748f82ee5defb2fc, 0x78a5636f43172f60, 0x84c87814a1f0ab72, 0x8cc702081a6439ec,
    0x90befffa23631e28, 0xa4506cebde82bde9, 0xbef9a3f7b2c67915, 0xc67178f2e372532b,
    0xca273eceea26619c, 0xd186b8c721c0c207, 0xeada7dd6cde0eb1e, 0xf57d4f7fee6ed178,
    0x06f067aa72176fba, 0x0a637dc5a2c898a6, 0x113f9804bef90dae, 0x1b710b35131c471b,
    0x28db77f523047d84, 0x32caab7b40c72493, 0x3c9ebe0a15c9bebc, 0x431d67c49c100d4c,
    0x4cc5d4becb3e42b6, 0x597f299cfc657e2a, 0x5fcb6fab3ad6faec, 0x6c44198c4a475817,
];

impl Compress<u64, 8, 16> for Sha512 {
    const BIG_ENDIAN: bool = true;

    #[inline(always)]
    fn compress<V: Vector<Word = u64>>(chain: [V; 8], message: &[V; 16], _last: bool) -> [V; 8] {
        let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = chain;
        // The last 16 words of the schedule.
        let mut schedule = *message;

        macro_rules! round {
            ($a:ident $b:ident $c:ident $d:ident $e:ident $f:ident $g:ident $h:ident $round:expr, $word:literal) => {
                let sum1 = V::xor3($e.rol::<50>(), $e.rol::<46>(), $e.rol::<23>());
                let sum0 = V::xor3($a.rol::<36>(), $a.rol::<30>(), $a.rol::<25>());
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
                let sigma0 = V::xor3(back15.rol::<63>(), back15.rol::<56>(), back15.shr::<7>());
                let sigma1 = V::xor3(back2.rol::<45>(), back2.rol::<3>(), back2.shr::<6>());
                schedule[$word] = schedule[$word].add(sigma0).add(schedule[($word + 9) % 16]).add(sigma1);
                round!($a $b $c $d $e $f $g $h $round, $word);
            };
        }
        rounds!(0, round);
        // A loop here, for a quarter of the instructions: unrolled, they overflow the caches before the decoders.
        for sixteen in 1..5 {
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
