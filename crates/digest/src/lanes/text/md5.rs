//! MD5 (RFC 1321).

use super::Compress;
use crate::lanes::vector::Vector;

pub(in crate::lanes) struct Md5;

/// `floor(2³² · |sin(i + 1)|)`
#[rustfmt::skip]
const SINES: [u32; 64] = [
    0xd76aa478, 0xe8c7b756, 0x242070db, 0xc1bdceee, 0xf57c0faf, 0x4787c62a, 0xa8304613, 0xfd469501,
    0x698098d8, 0x8b44f7af, 0xffff5bb1, 0x895cd7be, 0x6b901122, 0xfd987193, 0xa679438e, 0x49b40821,
    0xf61e2562, 0xc040b340, 0x265e5a51, 0xe9b6c7aa, 0xd62f105d, 0x02441453, 0xd8a1e681, 0xe7d3fbc8,
    0x21e1cde6, 0xc33707d6, 0xf4d50d87, 0x455a14ed, 0xa9e3e905, 0xfcefa3f8, 0x676f02d9, 0x8d2a4c8a,
    0xfffa3942, 0x8771f681, 0x6d9d6122, 0xfde5380c, 0xa4beea44, 0x4bdecfa9, 0xf6bb4b60, 0xbebfbc70,
    0x289b7ec6, 0xeaa127fa, 0xd4ef3085, 0x04881d05, 0xd9d4d039, 0xe6db99e5, 0x1fa27cf8, 0xc4ac5665,
    0xf4292244, 0x432aff97, 0xab9423a7, 0xfc93a039, 0x655b59c3, 0x8f0ccc92, 0xffeff47d, 0x85845dd1,
    0x6fa87e4f, 0xfe2ce6e0, 0xa3014314, 0x4e0811a1, 0xf7537e82, 0xbd3af235, 0x2ad7d2bb, 0xeb86d391,
];

/// The constant that each step adds. In the last round the steps subtract a word and 1 where the standard adds the
/// word's complement.
const ADDENDS: [u32; 64] = {
    let mut addends = SINES;
    let mut step = 48;
    while step < 64 {
        addends[step] = addends[step].wrapping_sub(1);
        step += 1;
    }
    addends
};

/// Work between the steps of MD5. A trait and no closure, because only functions can be told to be inlined always, and
/// code for certain features of the CPU has to be.
pub(in crate::lanes) trait Beside {
    /// Called after each four of the 64 steps, with their number from 0.
    fn four_steps(&mut self, four: usize);
}

struct Nothing;

impl Beside for Nothing {
    #[inline(always)]
    fn four_steps(&mut self, _four: usize) {}
}

impl Compress<u32, 4, 16> for Md5 {
    const BIG_ENDIAN: bool = false;

    #[inline(always)]
    fn compress<V: Vector<Word = u32>>(chain: [V; 4], message: &[V; 16], _last: bool) -> [V; 4] {
        Md5::compress_beside(chain, message, &mut Nothing)
    }
}

impl Md5 {
    /// Compresses a block, with other work between the steps. Where that needs other units of the CPU it takes no time
    /// of its own, because each step waits for the one before.
    #[inline(always)]
    pub(in crate::lanes) fn compress_beside<V: Vector<Word = u32>>(
        chain: [V; 4],
        message: &[V; 16],
        beside: &mut impl Beside,
    ) -> [V; 4] {
        let [mut a, mut b, mut c, mut d] = chain;
        // A constant that the compiler knows is moved to the end of the sum, behind what the step waits for.
        let addends = std::hint::black_box(&ADDENDS);

        // The sum without `$function` does not wait for the step before. That of the last round is the complement of
        // `xor_not_and`.
        macro_rules! step {
            ($join:ident $function:ident($x:ident, $y:ident, $z:ident), $a:ident, $b:ident, $bits:literal, $step:expr, $word:expr) => {
                let ready = $a.add_word(addends[$step]).add(message[$word % 16]);
                $a = $b.add(ready.$join(V::$function($x, $y, $z)).rol::<$bits>());
            };
        }
        // Where few lanes leave the step waiting for the one before: of `(x & y) | (!x & z)`, whose sides have no bit
        // in common, only one side waits.
        macro_rules! step_g {
            ($x:ident, $y:ident, $z:ident, $a:ident, $b:ident, $bits:literal, $step:expr, $word:expr) => {
                if V::LANES <= 2 {
                    let ready = $a.add_word(addends[$step]).add(message[$word % 16]).add($x.not().and($z));
                    $a = $b.add(ready.add($x.and($y)).rol::<$bits>());
                } else {
                    step!(add ch($x, $y, $z), $a, $b, $bits, $step, $word);
                }
            };
        }
        macro_rules! four_steps {
            (F $step:literal) => {
                step!(add ch(b, c, d), a, b, 7, $step, $step);
                step!(add ch(a, b, c), d, a, 12, $step + 1, $step + 1);
                step!(add ch(d, a, b), c, d, 17, $step + 2, $step + 2);
                step!(add ch(c, d, a), b, c, 22, $step + 3, $step + 3);
            };
            (G $step:literal) => {
                step_g!(d, b, c, a, b, 5, $step, 5 * $step + 1);
                step_g!(c, a, b, d, a, 9, $step + 1, 5 * $step + 6);
                step_g!(b, d, a, c, d, 14, $step + 2, 5 * $step + 11);
                step_g!(a, c, d, b, c, 20, $step + 3, 5 * $step + 16);
            };
            (H $step:literal) => {
                step!(add xor3(b, c, d), a, b, 4, $step, 3 * $step + 5);
                step!(add xor3(a, b, c), d, a, 11, $step + 1, 3 * $step + 8);
                step!(add xor3(d, a, b), c, d, 16, $step + 2, 3 * $step + 11);
                step!(add xor3(c, d, a), b, c, 23, $step + 3, 3 * $step + 14);
            };
            (I $step:literal) => {
                step!(sub xor_not_and(c, b, d), a, b, 6, $step, 7 * $step);
                step!(sub xor_not_and(b, a, c), d, a, 10, $step + 1, 7 * $step + 7);
                step!(sub xor_not_and(a, d, b), c, d, 15, $step + 2, 7 * $step + 14);
                step!(sub xor_not_and(d, c, a), b, c, 21, $step + 3, 7 * $step + 21);
            };
        }
        four_steps!(F 0);
        beside.four_steps(0);
        four_steps!(F 4);
        beside.four_steps(1);
        four_steps!(F 8);
        beside.four_steps(2);
        four_steps!(F 12);
        beside.four_steps(3);
        four_steps!(G 16);
        beside.four_steps(4);
        four_steps!(G 20);
        beside.four_steps(5);
        four_steps!(G 24);
        beside.four_steps(6);
        four_steps!(G 28);
        beside.four_steps(7);
        four_steps!(H 32);
        beside.four_steps(8);
        four_steps!(H 36);
        beside.four_steps(9);
        four_steps!(H 40);
        beside.four_steps(10);
        four_steps!(H 44);
        beside.four_steps(11);
        four_steps!(I 48);
        beside.four_steps(12);
        four_steps!(I 52);
        beside.four_steps(13);
        four_steps!(I 56);
        beside.four_steps(14);
        four_steps!(I 60);
        beside.four_steps(15);

        [chain[0].add(a), chain[1].add(b), chain[2].add(c), chain[3].add(d)]
    }
}
