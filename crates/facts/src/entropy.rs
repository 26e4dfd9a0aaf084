//! The Shannon entropy of frequencies (C. E. Shannon, "A mathematical theory of communication", Bell System Technical
//! Journal 27, 1948).

use crate::counting::HEAD_BYTES;
use std::fmt;
use std::str::FromStr;
use std::sync::LazyLock;

/// The Shannon entropy of a byte: 0 to 8 bits, in steps of a millionth.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Entropy {
    millionths: u32,
}

/// Steps of a bit.
const STEPS: u32 = 1_000_000;

/// Most bits that a byte can have.
const BITS_MAX: u32 = 8;

impl Entropy {
    /// Returns the entropy of this number of bits, rounded; values outside of 0 to 8 become the nearest one inside.
    pub fn from_bits(bits: f64) -> Entropy {
        let millionths = (bits * f64::from(STEPS)).round().clamp(0.0, f64::from(BITS_MAX * STEPS));
        Entropy { millionths: millionths as u32 }
    }

    /// Returns the entropy of this number of bits, rounded; `None` unless it is from 0 to 8.
    pub fn checked(bits: f64) -> Option<Entropy> {
        (0.0..=f64::from(BITS_MAX)).contains(&bits).then(|| Entropy::from_bits(bits))
    }

    /// Returns the entropy in bits.
    pub fn bits(self) -> f64 {
        f64::from(self.millionths) / f64::from(STEPS)
    }

    /// Computes the entropy of a byte from how often each occurs: `log2(n) − Σ w·log2(w) / n`, where `n` is the sum of
    /// the weights. Adds what weights with these variances make too little, on average: `Σ v/w / (2·ln 2·n)`.
    pub(crate) fn of(weights: &[f64; 256], variances: &[f64; 256]) -> Entropy {
        let missing = sum(weights, |byte, weight| variances[byte] / weight.max(1.0));
        Entropy::of_sums(sum(weights, |_, weight| weight), sum(weights, |_, weight| weight * log2(weight)), missing)
    }

    /// Computes the entropy of a byte of at most [`HEAD_BYTES`] bytes from how often each occurs.
    pub(crate) fn of_counts(counts: &[i32; 256], bytes: u64) -> Entropy {
        /// `n·log2(n)` of each count, since short files would spend most of their time on logarithms.
        static PRODUCTS: LazyLock<[f64; HEAD_BYTES as usize + 1]> =
            LazyLock::new(|| std::array::from_fn(|count| count as f64 * log2(count as f64)));
        let products = &*PRODUCTS;
        Entropy::of_sums(bytes as f64, sum(counts, |_, count| products[count as usize]), 0.0)
    }

    fn of_sums(bytes: f64, products: f64, missing: f64) -> Entropy {
        if bytes == 0.0 {
            return Entropy::default();
        }
        Entropy::from_bits(log2(bytes) - products / bytes + missing * std::f64::consts::LOG2_E / (2.0 * bytes))
    }
}

/// Adds the terms of all bytes, in an order that is the same everywhere and leaves several sums to be computed side by
/// side.
fn sum<T: Copy>(values: &[T; 256], term: impl Fn(usize, T) -> f64) -> f64 {
    const SUMS: usize = 8;
    let mut sums = [0.0; SUMS];
    for (group, values) in values.as_chunks::<SUMS>().0.iter().enumerate() {
        for (place, (sum, value)) in sums.iter_mut().zip(values).enumerate() {
            *sum += term(group * SUMS + place, *value);
        }
    }
    sums.iter().sum()
}

/// Bits, with six decimals.
impl fmt::Display for Entropy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{:06}", self.millionths / STEPS, self.millionths % STEPS)
    }
}

/// The error of a text that is no entropy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotEntropy;

impl fmt::Display for NotEntropy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not a number from 0 to 8")
    }
}

impl std::error::Error for NotEntropy {}

impl FromStr for Entropy {
    type Err = NotEntropy;

    /// Parses a number of bits, with any number of decimals.
    fn from_str(text: &str) -> Result<Entropy, NotEntropy> {
        text.parse().ok().and_then(Entropy::checked).ok_or(NotEntropy)
    }
}

/// Computes the binary logarithm of a positive number to 10 decimals; any finite value for 0.
///
/// Made of the four basic operations alone, so that the result is the same everywhere, and many are computed side by
/// side. With `x = 2^e · m`: `log2(x) = e + 2/ln 2 · artanh((m − 1) / (m + 1))`.
fn log2(x: f64) -> f64 {
    /// The mantissa of the square root of 1/2, rounded, and the exponent of 1/2.
    const HALF_ROOT: u64 = 0x3FE6_A09E_667F_3BCC;
    const MANTISSA_BITS: u32 = f64::MANTISSA_DIGITS - 1;
    // `m` is between the roots of 1/2 and of 2.
    let above = x.to_bits().wrapping_sub(HALF_ROOT);
    let exponent = above.cast_signed() >> MANTISSA_BITS;
    let m = f64::from_bits(x.to_bits().wrapping_sub(exponent.cast_unsigned() << MANTISSA_BITS));
    let s = (m - 1.0) / (m + 1.0);
    let square = s * s;
    let mut series = 0.0;
    for odd in [13.0, 11.0, 9.0, 7.0, 5.0, 3.0, 1.0] {
        series = series * square + 1.0 / odd;
    }
    exponent as f64 + 2.0 * std::f64::consts::LOG2_E * s * series
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logarithms_are_exact_to_ten_decimals() {
        let mut x = 1e-3_f64;
        while x < 1e20 {
            assert!((log2(x) - x.log2()).abs() < 1e-10, "{x}");
            x *= 1.000_37;
        }
        for power in 0..64 {
            assert_eq!(log2((power as f64).exp2()), power as f64);
        }
        assert!(log2(0.0).is_finite());
    }

    #[test]
    fn entropy_is_that_of_the_definition() {
        let of = |counts: &[(usize, f64)]| {
            let mut weights = [0.0; 256];
            counts.iter().for_each(|&(byte, count)| weights[byte] = count);
            Entropy::of(&weights, &[0.0; 256]).to_string()
        };
        assert_eq!(Entropy::of(&[0.0; 256], &[0.0; 256]).to_string(), "0.000000");
        assert_eq!(of(&[(7, 1.0)]), "0.000000");
        assert_eq!(of(&[(7, 1e15)]), "0.000000");
        assert_eq!(of(&[(0, 5.0), (255, 5.0)]), "1.000000");
        // −(0.1·log2 0.1 + 0.9·log2 0.9)
        assert_eq!(of(&[(0, 1.0), (1, 9.0)]), "0.468996");
        assert_eq!(Entropy::of(&[3.5; 256], &[1.0; 256]).to_string(), "8.000000");
    }

    #[test]
    fn texts_are_read_back() {
        for text in ["0.000000", "7.999999", "8.000000", "0.000001", "3.141593"] {
            assert_eq!(text.parse::<Entropy>().unwrap().to_string(), text);
        }
        assert_eq!("7.5".parse(), Ok(Entropy::from_bits(7.5)));
        for text in ["", "x", "-1", "8.1", "NaN", "inf"] {
            assert_eq!(text.parse::<Entropy>(), Err(NotEntropy), "{text}");
        }
    }
}
