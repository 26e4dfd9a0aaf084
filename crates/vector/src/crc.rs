//! Cyclic redundancy checks of up to 64 bits, lowest bit first, by carry-less multiplication (V. Gopal et al., "Fast
//! CRC Computation for Generic Polynomials Using PCLMULQDQ Instruction", Intel 2009).
//!
//! A message is a polynomial over two elements, whose first bit has the highest power, and the register is the
//! remainder of it, times x⁶⁴, by that of the check. A part of the message is carried over any distance by two
//! products; so four vectors are carried over the bytes that the four after them stand for, added to them, and so on.
//!
//! Checks of fewer bits are the same with a polynomial times a power of x: the high bits of the register stay 0.
//!
//! ```
//! use pfh_vector::Backend;
//! use pfh_vector::crc::{Check, Kernels};
//!
//! static CRC32: Check = Check::new(0xedb8_8320);
//! let register = Kernels::new(Backend::chosen()).update(&CRC32, 0xffff_ffff, b"123456789");
//! assert_eq!(register ^ 0xffff_ffff, 0xcbf4_3926);
//! ```
#![allow(unsafe_code, reason = "vector instructions; each block argues")]

use crate::Backend;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
use crate::Feature;
use crate::kernels::kernels;

kernels! {
    /// Kernels that advance the register of a check.
    pub struct Kernels {
        Avx512Vpclmulqdq = "avx512-vpclmulqdq",
            &[Feature::Avx512f, Feature::Avx512vl, Feature::Vpclmulqdq, Feature::Pclmulqdq];
        Avx2Vpclmulqdq = "avx2-vpclmulqdq", &[Feature::Avx2, Feature::Vpclmulqdq, Feature::Pclmulqdq];
        Pclmulqdq = "pclmulqdq", &[Feature::Pclmulqdq];
        "aarch64":
        Pmull = "pmull", &[Feature::Neon, Feature::Aes];
    }
}

/// The lowest power that is multiplied by: x¹²⁷ carries eight bytes over eight others.
const UNIT: u64 = 1 << 63;

/// Distances over which vectors are carried, each twice as long as the one before; the first is that of one lane.
const DISTANCES: usize = 5;

/// Bytes of a lane, in which two words are carried at once.
const LANE_BYTES: usize = 16;

/// A check: what follows from its polynomial.
pub struct Check {
    /// The polynomial without its highest power, the bit of the power below it lowest.
    polynomial: u64,
    /// The register after a byte and as many zero bytes as the number of the table.
    tables: [[u64; 256]; 8],
    /// For each distance the factors of the two words of a lane.
    carries: [[u64; 2]; DISTANCES],
    /// The factor that carries a word over one word and the register.
    carry_word: u64,
    /// x¹²⁸ divided by the polynomial, without the last bit.
    quotient: u64,
}

impl Check {
    /// Returns the check of a polynomial, without its highest power, whose lowest bit is that of the power below.
    pub const fn new(polynomial: u64) -> Check {
        let mut tables = [[0; 256]; 8];
        let mut byte = 0;
        while byte < 256 {
            let mut register = byte as u64;
            let mut table = 0;
            while table < 8 {
                let mut bit = 0;
                while bit < 8 {
                    register = times_x(polynomial, register);
                    bit += 1;
                }
                tables[table][byte] = register;
                table += 1;
            }
            byte += 1;
        }

        let mut carries = [[0; 2]; DISTANCES];
        let mut index = 0;
        while index < DISTANCES {
            let bits = (LANE_BYTES as u64 * 8) << index;
            // The product of two words has one power of x more than they have.
            carries[index] = [power(polynomial, bits + 63), power(polynomial, bits - 1)];
            index += 1;
        }

        let (mut quotient, mut rest, mut bit) = (1, polynomial, 1);
        while bit < 64 {
            quotient |= (rest & 1) << bit;
            rest = times_x(polynomial, rest);
            bit += 1;
        }
        Check { polynomial, tables, carries, carry_word: power(polynomial, 127), quotient }
    }

    /// Returns the value of two messages one after the other, from their values and the length of the second one.
    ///
    /// A value is the register at the end with some bits inverted, and the register begins with the same bits set.
    pub fn join(&self, first: u64, second: u64, second_bytes: u64) -> u64 {
        // x to eight times the length, by squaring.
        let (mut carried, mut square, mut rest) = (first, power(self.polynomial, 8), second_bytes);
        while rest > 0 {
            if rest & 1 == 1 {
                carried = product(self.polynomial, carried, square);
            }
            square = product(self.polynomial, square, square);
            rest >>= 1;
        }
        carried ^ second
    }

    /// Advances the register by words and bytes.
    fn update(&self, mut register: u64, bytes: &[u8]) -> u64 {
        let (words, rest) = bytes.as_chunks();
        for word in words {
            let word = (register ^ u64::from_le_bytes(*word)).to_le_bytes();
            register = (0..8).fold(0, |sum, at| sum ^ self.tables[7 - at][usize::from(word[at])]);
        }
        for byte in rest {
            let [low, ..] = register.to_le_bytes();
            register = register >> 8 ^ self.tables[0][usize::from(low ^ byte)];
        }
        register
    }
}

/// The remainder of x times a remainder.
const fn times_x(polynomial: u64, remainder: u64) -> u64 {
    let carry = if remainder & 1 == 1 { polynomial } else { 0 };
    remainder >> 1 ^ carry
}

/// The remainder of a product.
const fn product(polynomial: u64, one: u64, other: u64) -> u64 {
    let (mut sum, mut bit) = (0, 0);
    while bit < 64 {
        sum = times_x(polynomial, sum);
        if one >> bit & 1 == 1 {
            sum ^= other;
        }
        bit += 1;
    }
    sum
}

/// The remainder of a power of x.
const fn power(polynomial: u64, exponent: u64) -> u64 {
    let (mut remainder, mut left) = (UNIT, exponent);
    while left > 0 {
        remainder = times_x(polynomial, remainder);
        left -= 1;
    }
    remainder
}

impl Kernels {
    /// Returns the kernels of a backend.
    pub fn new(backend: Backend) -> Kernels {
        Kernels::best(backend.features())
    }

    /// Returns the register after further bytes.
    #[inline]
    pub fn update(self, check: &Check, register: u64, bytes: &[u8]) -> u64 {
        if bytes.len() < LANE_BYTES {
            return check.update(register, bytes);
        }
        match self.0 {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: the form exists only where the CPU was found to have the features.
            Form::Avx512Vpclmulqdq => unsafe { x86::update_512(check, register, bytes) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: as above.
            Form::Avx2Vpclmulqdq => unsafe { x86::update_256(check, register, bytes) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: as above.
            Form::Pclmulqdq => unsafe { x86::update_128(check, register, bytes) },
            #[cfg(target_arch = "aarch64")]
            // SAFETY: as above.
            Form::Pmull => unsafe { neon::update(check, register, bytes) },
            Form::Portable => check.update(register, bytes),
        }
    }
}

/// Lanes side by side, which stand for bytes of the message one after another.
///
/// As in `bytes64`, a value is a proof that the CPU has the features: the first one is made by an `unsafe` load
/// inside a function that enables them, where the texts over it are inlined.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
trait Lanes: Copy {
    /// The bytes that are loaded.
    type Block;
    /// How many there are.
    const BYTES: usize = size_of::<Self::Block>();

    /// # Safety
    /// The CPU has the features of this type and the caller is compiled with them.
    unsafe fn load(block: &Self::Block) -> Self;

    /// Adds the register to the first bytes.
    fn with(self, register: u64) -> Self;

    /// Carries each lane by the factors of its words, and adds the `other` lanes.
    fn carry(self, factors: [u64; 2], other: Self) -> Self;

    /// The register after these lanes and the rest of the message.
    fn finish(self, check: &Check, rest: &[u8]) -> u64;

    /// The factors that carry lanes over several of their like, of which the number is a power of two.
    #[inline(always)]
    fn factors(check: &Check, count: usize) -> [u64; 2] {
        check.carries[(count * Self::BYTES / LANE_BYTES).ilog2() as usize]
    }

    /// Adds the rest, in blocks and then in shorter ones.
    #[inline(always)]
    fn rest(mut self, check: &Check, blocks: &[Self::Block], rest: &[u8]) -> u64 {
        for block in blocks {
            // SAFETY: `self` proves the features.
            self = self.carry(Self::factors(check, 1), unsafe { Self::load(block) });
        }
        self.finish(check, rest)
    }
}

/// Advances the register with four vectors side by side.
///
/// # Safety
/// As for [`Lanes::load`].
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
#[inline(always)]
unsafe fn update<L: Lanes<Block = [u8; BYTES]>, const BYTES: usize>(check: &Check, register: u64, bytes: &[u8]) -> u64 {
    let (blocks, rest) = bytes.as_chunks::<BYTES>();
    let (groups, after) = blocks.as_chunks::<4>();
    // SAFETY: the caller's promise.
    let load = |block: &[u8; BYTES]| unsafe { L::load(block) };
    let Some((first, groups)) = groups.split_first() else {
        let Some((first, blocks)) = blocks.split_first() else { return check.update(register, bytes) };
        return load(first).with(register).rest(check, blocks, rest);
    };
    let [a, b, c, d] = first;
    let (mut a, mut b, mut c, mut d) = (load(a).with(register), load(b), load(c), load(d));
    let far = L::factors(check, 4);
    for [next_a, next_b, next_c, next_d] in groups {
        a = a.carry(far, load(next_a));
        b = b.carry(far, load(next_b));
        c = c.carry(far, load(next_c));
        d = d.carry(far, load(next_d));
    }
    let two = L::factors(check, 2);
    let sum = a.carry(two, c).carry(L::factors(check, 1), b.carry(two, d));
    sum.rest(check, after, rest)
}

/// The register after a lane and up to fifteen bytes.
///
/// The first word is carried to the others, and what then has more powers than the register is divided with a quotient
/// that is computed beforehand (P. Barrett, CRYPTO '86).
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
#[inline(always)]
fn reduce(check: &Check, words: [u64; 2], rest: &[u8], multiply: impl Fn(u64, u64) -> [u64; 2]) -> u64 {
    let [first, second] = words;
    let [high, low] = multiply(first, check.carry_word);
    let [quotient, _] = multiply(high ^ second, check.quotient);
    let [_, register] = multiply(quotient, check.polynomial << 1 | 1);
    // The lowest power of the polynomial has no place in that word.
    let last = if check.polynomial >> 63 == 1 { quotient } else { 0 };
    check.update(register ^ last ^ low, rest)
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::*;

    use super::{Check, Lanes, reduce, update};

    #[target_feature(enable = "avx512f,avx512vl,vpclmulqdq,pclmulqdq")]
    pub(super) fn update_512(check: &Check, register: u64, bytes: &[u8]) -> u64 {
        // SAFETY: compiled with these features, and called only where they are there.
        unsafe { at_most::<Four, 64>(check, register, bytes) }
    }

    #[target_feature(enable = "avx2,vpclmulqdq,pclmulqdq")]
    pub(super) fn update_256(check: &Check, register: u64, bytes: &[u8]) -> u64 {
        // SAFETY: as above.
        unsafe { at_most::<Two, 32>(check, register, bytes) }
    }

    #[target_feature(enable = "pclmulqdq")]
    pub(super) fn update_128(check: &Check, register: u64, bytes: &[u8]) -> u64 {
        // SAFETY: as above.
        unsafe { update::<One, 16>(check, register, bytes) }
    }

    /// Wide lanes where there are bytes for them.
    ///
    /// # Safety
    /// As for [`Lanes::load`].
    #[inline(always)]
    unsafe fn at_most<L: Lanes<Block = [u8; BYTES]>, const BYTES: usize>(
        check: &Check,
        register: u64,
        bytes: &[u8],
    ) -> u64 {
        // SAFETY: the caller's promise, and wide lanes need more than the one.
        unsafe {
            if bytes.len() < BYTES {
                update::<One, 16>(check, register, bytes)
            } else {
                update::<L, BYTES>(check, register, bytes)
            }
        }
    }

    fn register_128(words: [u64; 2]) -> __m128i {
        // SAFETY: every CPU of this architecture has these registers, and any bits make one.
        unsafe { _mm_set_epi64x(words[1].cast_signed(), words[0].cast_signed()) }
    }

    #[derive(Clone, Copy)]
    struct One(__m128i);

    impl Lanes for One {
        type Block = [u8; 16];

        #[inline(always)]
        unsafe fn load(block: &[u8; 16]) -> One {
            // SAFETY: the load takes any alignment.
            One(unsafe { _mm_loadu_si128(block.as_ptr().cast()) })
        }

        #[inline(always)]
        fn with(self, register: u64) -> One {
            // SAFETY: `self` proves the features.
            One(unsafe { _mm_xor_si128(self.0, register_128([register, 0])) })
        }

        #[inline(always)]
        fn carry(self, factors: [u64; 2], other: One) -> One {
            // SAFETY: as above.
            unsafe {
                let factors = register_128(factors);
                let low = _mm_clmulepi64_si128::<0x00>(self.0, factors);
                let high = _mm_clmulepi64_si128::<0x11>(self.0, factors);
                One(_mm_xor_si128(_mm_xor_si128(low, high), other.0))
            }
        }

        #[inline(always)]
        fn finish(self, check: &Check, rest: &[u8]) -> u64 {
            let words = |lane: __m128i| {
                // SAFETY: `self` proves the features.
                let [low, high] = unsafe { [_mm_cvtsi128_si64(lane), _mm_cvtsi128_si64(_mm_srli_si128::<8>(lane))] };
                [low.cast_unsigned(), high.cast_unsigned()]
            };
            reduce(check, words(self.0), rest, |one, other| {
                // SAFETY: as above.
                words(unsafe { _mm_clmulepi64_si128::<0x00>(register_128([one, 0]), register_128([other, 0])) })
            })
        }
    }

    #[derive(Clone, Copy)]
    struct Two(__m256i);

    impl Lanes for Two {
        type Block = [u8; 32];

        #[inline(always)]
        unsafe fn load(block: &[u8; 32]) -> Two {
            // SAFETY: the caller's promise; the load takes any alignment.
            Two(unsafe { _mm256_loadu_si256(block.as_ptr().cast()) })
        }

        #[inline(always)]
        fn with(self, register: u64) -> Two {
            // SAFETY: `self` proves the features.
            Two(unsafe { _mm256_xor_si256(self.0, _mm256_zextsi128_si256(register_128([register, 0]))) })
        }

        #[inline(always)]
        fn carry(self, factors: [u64; 2], other: Two) -> Two {
            // SAFETY: as above.
            unsafe {
                let factors = _mm256_broadcastsi128_si256(register_128(factors));
                let low = _mm256_clmulepi64_epi128::<0x00>(self.0, factors);
                let high = _mm256_clmulepi64_epi128::<0x11>(self.0, factors);
                Two(_mm256_xor_si256(_mm256_xor_si256(low, high), other.0))
            }
        }

        #[inline(always)]
        fn finish(self, check: &Check, rest: &[u8]) -> u64 {
            // SAFETY: as above.
            let [first, second] =
                unsafe { [One(_mm256_castsi256_si128(self.0)), One(_mm256_extracti128_si256::<1>(self.0))] };
            let (blocks, rest) = rest.as_chunks();
            first.carry(One::factors(check, 1), second).rest(check, blocks, rest)
        }
    }

    #[derive(Clone, Copy)]
    struct Four(__m512i);

    impl Lanes for Four {
        type Block = [u8; 64];

        #[inline(always)]
        unsafe fn load(block: &[u8; 64]) -> Four {
            // SAFETY: the caller's promise; the load takes any alignment.
            Four(unsafe { _mm512_loadu_si512(block.as_ptr().cast()) })
        }

        #[inline(always)]
        fn with(self, register: u64) -> Four {
            // SAFETY: `self` proves the features.
            Four(unsafe { _mm512_xor_si512(self.0, _mm512_zextsi128_si512(register_128([register, 0]))) })
        }

        #[inline(always)]
        fn carry(self, factors: [u64; 2], other: Four) -> Four {
            // SAFETY: as above.
            unsafe {
                let factors = _mm512_broadcast_i32x4(register_128(factors));
                let low = _mm512_clmulepi64_epi128::<0x00>(self.0, factors);
                let high = _mm512_clmulepi64_epi128::<0x11>(self.0, factors);
                Four(_mm512_ternarylogic_epi64::<0x96>(low, high, other.0))
            }
        }

        #[inline(always)]
        fn finish(self, check: &Check, rest: &[u8]) -> u64 {
            // SAFETY: as above; a CPU with the instruction for four lanes has that for two.
            let [first, second] =
                unsafe { [Two(_mm512_castsi512_si256(self.0)), Two(_mm512_extracti64x4_epi64::<1>(self.0))] };
            let (blocks, rest) = rest.as_chunks();
            first.carry(Two::factors(check, 1), second).rest(check, blocks, rest)
        }
    }
}

#[cfg(target_arch = "aarch64")]
mod neon {
    use std::arch::aarch64::*;

    use super::{Check, Lanes, reduce};

    #[target_feature(enable = "neon,aes")]
    pub(super) fn update(check: &Check, register: u64, bytes: &[u8]) -> u64 {
        // SAFETY: compiled with these features, and called only where they are there.
        unsafe { super::update::<One, 16>(check, register, bytes) }
    }

    #[derive(Clone, Copy)]
    struct One(uint64x2_t);

    fn pair(words: [u64; 2]) -> uint64x2_t {
        // SAFETY: every CPU of this architecture has these registers; the words are two, in the order of memory.
        unsafe { vld1q_u64(words.as_ptr()) }
    }

    /// The sum of the products of the words of two lanes.
    #[inline]
    #[target_feature(enable = "neon,aes")]
    fn products(one: uint64x2_t, other: uint64x2_t) -> uint64x2_t {
        let low = multiply(vgetq_lane_u64::<0>(one), vgetq_lane_u64::<0>(other));
        let high = vmull_high_p64(vreinterpretq_p64_u64(one), vreinterpretq_p64_u64(other));
        veorq_u64(low, vreinterpretq_u64_p128(high))
    }

    #[inline]
    #[target_feature(enable = "neon,aes")]
    fn multiply(one: u64, other: u64) -> uint64x2_t {
        vreinterpretq_u64_p128(vmull_p64(one, other))
    }

    fn words(pair: uint64x2_t) -> [u64; 2] {
        // SAFETY: every CPU of this architecture has these registers.
        unsafe { [vgetq_lane_u64::<0>(pair), vgetq_lane_u64::<1>(pair)] }
    }

    impl Lanes for One {
        type Block = [u8; 16];

        #[inline(always)]
        unsafe fn load(block: &[u8; 16]) -> One {
            // SAFETY: the load takes any alignment.
            One(unsafe { vreinterpretq_u64_u8(vld1q_u8(block.as_ptr())) })
        }

        #[inline(always)]
        fn with(self, register: u64) -> One {
            // SAFETY: `self` proves the features.
            One(unsafe { veorq_u64(self.0, pair([register, 0])) })
        }

        #[inline(always)]
        fn carry(self, factors: [u64; 2], other: One) -> One {
            // SAFETY: as above.
            One(unsafe { veorq_u64(products(self.0, pair(factors)), other.0) })
        }

        #[inline(always)]
        fn finish(self, check: &Check, rest: &[u8]) -> u64 {
            reduce(check, words(self.0), rest, |one, other| {
                // SAFETY: as above.
                words(unsafe { multiply(one, other) })
            })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::numbers;

    static CRC32: Check = Check::new(0xedb8_8320);
    static CRC32C: Check = Check::new(0x82f6_3b78);
    static CRC64_NVME: Check = Check::new(0x9a6c_9329_ac4b_c9b5);
    /// One whose polynomial has few bits, and one of eight bits.
    static CRC64_GO_ISO: Check = Check::new(0xd800_0000_0000_0000);
    static CRC8_BLUETOOTH: Check = Check::new(0xe5);
    const CHECKS: [&Check; 5] = [&CRC32, &CRC32C, &CRC64_NVME, &CRC64_GO_ISO, &CRC8_BLUETOOTH];

    /// By the definition, bit after bit.
    fn defined(check: &Check, register: u64, bytes: &[u8]) -> u64 {
        bytes.iter().fold(register, |register, &byte| {
            (0..8).fold(register ^ u64::from(byte), |register, _| times_x(check.polynomial, register))
        })
    }

    /// The check values of the catalogue of parametrised CRC algorithms (G. Cook).
    #[test]
    fn values_are_those_of_the_catalogue() {
        for kernels in Kernels::offered() {
            let value = |check, all: u64| kernels.update(check, all, b"123456789") ^ all;
            assert_eq!(value(&CRC32, 0xffff_ffff), 0xcbf4_3926, "{kernels:?}");
            assert_eq!(value(&CRC32C, 0xffff_ffff), 0xe306_9283, "{kernels:?}");
            assert_eq!(value(&CRC64_NVME, u64::MAX), 0xae8b_1486_0a79_9888, "{kernels:?}");
            assert_eq!(value(&CRC64_GO_ISO, u64::MAX), 0xb909_56c7_75a4_1001, "{kernels:?}");
            assert_eq!(value(&CRC8_BLUETOOTH, 0), 0x26, "{kernels:?}");
        }
    }

    #[test]
    fn every_length_and_register_is_as_defined() {
        let mut number = numbers(1);
        let bytes: Vec<u8> = (0..1100).map(|_| number(256) as u8).collect();
        let lengths: Vec<usize> = if cfg!(miri) { vec![0, 15, 16, 31, 80, 300] } else { (0..bytes.len()).collect() };
        for kernels in Kernels::offered() {
            for check in CHECKS {
                let register = check.tables[0][number(256) as usize];
                for &length in &lengths {
                    let bytes = &bytes[bytes.len() - length..];
                    let expected = defined(check, register, bytes);
                    assert_eq!(kernels.update(check, register, bytes), expected, "{kernels:?}, {length} bytes");
                }
            }
        }
    }

    #[test]
    fn joined_values_are_those_of_the_whole() {
        let bytes = [7; 4096];
        for check in CHECKS {
            for cut in [0, 1, 5, 64, 4095, 4096] {
                // Begins with 0 and is not changed at the end.
                let [first, second, whole] = [&bytes[..cut], &bytes[cut..], &bytes].map(|part| check.update(0, part));
                assert_eq!(check.join(first, second, (bytes.len() - cut) as u64), whole, "{cut}");
            }
            // Two ways over 2⁶⁴ bytes.
            let one_way = check.join(check.join(1, 0, u64::MAX), 0, 1);
            let another = check.join(check.join(1, 0, 1 << 63), 0, 1 << 63);
            assert_eq!(one_way, another);
        }
    }
}
