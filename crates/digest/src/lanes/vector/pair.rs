//! Two vectors as one with twice the lanes: the two chains of dependent operations hide each other's latency.

use super::{LINE_BYTES, Line, ShortVector, Vector};

#[derive(Clone, Copy)]
pub(in crate::lanes) struct Pair<V>(V, V);

impl<V: Vector> Vector for Pair<V> {
    type Word = V::Word;
    const LANES: usize = 2 * V::LANES;

    #[inline(always)]
    unsafe fn load(words: &[u8]) -> Self {
        let (low, high) = words.split_at(words.len() / 2);
        // SAFETY: the caller's promise is the same.
        unsafe { Pair(V::load(low), V::load(high)) }
    }

    #[inline(always)]
    fn store(self, words: &mut [u8]) {
        let (low, high) = words.split_at_mut(words.len() / 2);
        self.0.store(low);
        self.1.store(high);
    }

    #[inline(always)]
    unsafe fn load_line(inputs: &[&[u8]], offset: usize, big_endian: bool, words: &mut [Self]) {
        let mut low = [words[0].0; LINE_BYTES / 4];
        let mut high = [words[0].1; LINE_BYTES / 4];
        // SAFETY: the caller's promise is the same, and it holds for all of the inputs.
        unsafe {
            V::load_line(&inputs[..V::LANES], offset, big_endian, &mut low);
            V::load_line(&inputs[V::LANES..], offset, big_endian, &mut high);
        }
        for index in 0..LINE_BYTES / size_of::<V::Word>() {
            words[index] = Pair(low[index], high[index]);
        }
    }

    #[inline]
    fn splat(self, word: V::Word) -> Self {
        Pair(self.0.splat(word), self.1.splat(word))
    }
    #[inline]
    fn add(self, other: Self) -> Self {
        Pair(self.0.add(other.0), self.1.add(other.1))
    }
    #[inline]
    fn sub(self, other: Self) -> Self {
        Pair(self.0.sub(other.0), self.1.sub(other.1))
    }
    #[inline]
    fn xor(self, other: Self) -> Self {
        Pair(self.0.xor(other.0), self.1.xor(other.1))
    }
    #[inline]
    fn and(self, other: Self) -> Self {
        Pair(self.0.and(other.0), self.1.and(other.1))
    }
    #[inline]
    fn not(self) -> Self {
        Pair(self.0.not(), self.1.not())
    }
    #[inline]
    fn rol<const BITS: i32>(self) -> Self {
        Pair(self.0.rol::<BITS>(), self.1.rol::<BITS>())
    }
    #[inline]
    fn shr<const BITS: i32>(self) -> Self {
        Pair(self.0.shr::<BITS>(), self.1.shr::<BITS>())
    }
    #[inline]
    fn xor3(x: Self, y: Self, z: Self) -> Self {
        Pair(V::xor3(x.0, y.0, z.0), V::xor3(x.1, y.1, z.1))
    }
    #[inline]
    fn ch(x: Self, y: Self, z: Self) -> Self {
        Pair(V::ch(x.0, y.0, z.0), V::ch(x.1, y.1, z.1))
    }
    #[inline]
    fn maj(x: Self, y: Self, z: Self) -> Self {
        Pair(V::maj(x.0, y.0, z.0), V::maj(x.1, y.1, z.1))
    }
    #[inline]
    fn xor_not_and(x: Self, y: Self, z: Self) -> Self {
        Pair(V::xor_not_and(x.0, y.0, z.0), V::xor_not_and(x.1, y.1, z.1))
    }
}

impl<V: ShortVector> ShortVector for Pair<V> {
    #[inline(always)]
    unsafe fn last_line(message: &[u8], offset: usize) -> Line {
        // SAFETY: the caller's promise is the same.
        unsafe { V::last_line(message, offset) }
    }

    #[inline(always)]
    fn store_lines(words: [Self; 8], big_endian: bool, lines: &mut [Line]) {
        let (mut low, mut high) = ([words[0].0; 8], [words[0].1; 8]);
        for index in 0..8 {
            (low[index], high[index]) = (words[index].0, words[index].1);
        }
        let (low_lines, high_lines) = lines.split_at_mut(V::LANES);
        V::store_lines(low, big_endian, low_lines);
        V::store_lines(high, big_endian, high_lines);
    }
}
