//! Plain Rust, in loops that compilers turn into whatever vectors there are.

use super::{Bytes, Line, WIDTH};

#[derive(Clone, Copy)]
pub(crate) struct Plain(Line);

impl Plain {
    #[inline(always)]
    fn of(byte: impl Fn(usize) -> u8) -> Self {
        let mut bytes = [0; WIDTH];
        for (place, to) in bytes.iter_mut().enumerate() {
            *to = byte(place);
        }
        Plain(bytes)
    }

    /// The bytes of the halves of quarters that begin at `half`, in turn with those of `other`.
    #[inline(always)]
    fn interleave(self, other: Self, half: usize) -> Self {
        let mut bytes = [0; WIDTH];
        for quarter in 0..4 {
            for place in 0..WIDTH / 8 {
                let from = WIDTH / 4 * quarter + half + place;
                let to = WIDTH / 4 * quarter + 2 * place;
                bytes[to] = self.0[from];
                bytes[to + 1] = other.0[from];
            }
        }
        Plain(bytes)
    }
}

impl Bytes for Plain {
    #[inline(always)]
    unsafe fn load(line: &Line) -> Self {
        Plain(*line)
    }

    #[inline(always)]
    unsafe fn load_quarters(quarters: [&[u8; WIDTH / 4]; 4]) -> Self {
        let mut bytes = [0; WIDTH];
        for (to, quarter) in bytes.as_chunks_mut().0.iter_mut().zip(quarters) {
            *to = *quarter;
        }
        Plain(bytes)
    }

    #[inline(always)]
    fn store(self, line: &mut Line) {
        *line = self.0;
    }

    #[inline(always)]
    fn splat(self, byte: u8) -> Self {
        Plain([byte; WIDTH])
    }
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Plain::of(|place| self.0[place].wrapping_add(other.0[place]))
    }
    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        Plain::of(|place| self.0[place] ^ other.0[place])
    }
    #[inline(always)]
    fn and(self, other: Self) -> Self {
        Plain::of(|place| self.0[place] & other.0[place])
    }
    #[inline(always)]
    fn shl<const BITS: i32>(self) -> Self {
        Plain::of(|place| self.0[place] << BITS)
    }
    #[inline(always)]
    fn interleave_low(self, other: Self) -> Self {
        self.interleave(other, 0)
    }
    #[inline(always)]
    fn interleave_high(self, other: Self) -> Self {
        self.interleave(other, WIDTH / 8)
    }
    #[inline(always)]
    fn without(self, mask: Self) -> u64 {
        const LOW_SEVEN: u64 = 0x7F7F_7F7F_7F7F_7F7F;
        let mut places = 0;
        for (group, bytes) in self.and(mask).0.as_chunks::<8>().0.iter().enumerate() {
            let word = u64::from_le_bytes(*bytes);
            // The highest bit of each byte says that the byte is zero; the product collects these bits in its highest
            // byte.
            let zero = !(((word & LOW_SEVEN) + LOW_SEVEN) | word) & !LOW_SEVEN;
            places |= ((zero >> 7).wrapping_mul(0x0102_0408_1020_4080) >> 56) << (8 * group);
        }
        places
    }
}
