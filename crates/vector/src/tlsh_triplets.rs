//! Counts of triplets of bytes by Pearson's hash (TLSH).
//!
//! Every window of five bytes has six triplets with its last byte in them. Each is hashed by four look-ups in a table
//! of 256 bytes, and those whose hash is below 128 are counted.
//!
//! With AVX-512, 64 windows are looked up at once: the table is in four registers. Those below 128 are written one
//! after the other and counted in pairs, since counting is then what takes the time: one increment for two triplets.
//!
//! Source: J. Oliver, C. Cheng, Y. Chen, "TLSH: a locality sensitive hash", 4th Cybercrime and Trustworthy Computing
//! Workshop, 2013; P. Pearson, "Fast hashing of variable-length text strings", Communications of the ACM 33(6), 1990.
#![allow(unsafe_code, reason = "vector instructions; each block argues")]

#[cfg(target_arch = "x86_64")]
mod avx512;

use crate::Backend;
#[cfg(target_arch = "x86_64")]
use crate::bytes64;
use crate::kernels::kernels;

/// Bytes of a window that come before its last.
pub const HISTORY_BYTES: usize = 4;

/// Hashes that are counted.
pub const BUCKETS: usize = 128;

/// Windows that are counted at once, at most.
pub const WINDOWS_MAX: usize = 1 << 14;

/// Pearson's permutation (table I of his article).
pub const PEARSON: [u8; 256] = [
    1, 87, 49, 12, 176, 178, 102, 166, 121, 193, 6, 84, 249, 230, 44, 163, 14, 197, 213, 181, 161, 85, 218, 80, 64,
    239, 24, 226, 236, 142, 38, 200, 110, 177, 104, 103, 141, 253, 255, 50, 77, 101, 81, 18, 45, 96, 31, 222, 25, 107,
    190, 70, 86, 237, 240, 34, 72, 242, 20, 214, 244, 227, 149, 235, 97, 234, 57, 22, 60, 250, 82, 175, 208, 5, 127,
    199, 111, 62, 135, 248, 174, 169, 211, 58, 66, 154, 106, 195, 245, 171, 17, 187, 182, 179, 0, 243, 132, 56, 148,
    75, 128, 133, 158, 100, 130, 126, 91, 13, 153, 246, 216, 219, 119, 68, 223, 78, 83, 88, 201, 99, 122, 11, 92, 32,
    136, 114, 52, 10, 138, 30, 48, 183, 156, 35, 61, 26, 143, 74, 251, 94, 129, 162, 63, 152, 170, 7, 115, 167, 241,
    206, 3, 150, 55, 59, 151, 220, 90, 53, 23, 131, 125, 173, 15, 238, 79, 95, 89, 16, 105, 137, 225, 224, 217, 160,
    37, 123, 118, 73, 2, 157, 46, 116, 9, 145, 134, 228, 207, 212, 202, 215, 69, 229, 27, 188, 67, 124, 168, 252, 42,
    4, 29, 108, 21, 247, 19, 205, 39, 203, 233, 40, 186, 147, 198, 192, 155, 33, 164, 191, 98, 204, 165, 180, 117, 76,
    140, 36, 210, 172, 41, 54, 159, 8, 185, 232, 113, 196, 231, 47, 146, 120, 51, 65, 28, 144, 254, 221, 93, 189, 194,
    139, 112, 43, 71, 109, 184, 209,
];

/// Triplets of a window: the salt that is hashed first, and how far back the middle and the oldest byte are.
#[cfg(target_arch = "x86_64")]
const TRIPLETS: [(u8, usize, usize); 6] = [(2, 1, 2), (3, 1, 3), (11, 1, 4), (5, 2, 3), (7, 2, 4), (13, 3, 4)];

/// Salt and middle byte of the checksum's step.
#[cfg(target_arch = "x86_64")]
const CHECKSUM: (u8, usize) = (0, 1);

kernels! {
    /// Kernels that count triplets. The portable one is one look-up after the other, and its callers have it.
    pub struct Kernels {
        Avx512 = "avx512", bytes64::AVX512;
    }
}

impl Kernels {
    /// Returns the kernels of a backend.
    pub fn new(backend: Backend) -> Kernels {
        Kernels::best(backend.features())
    }

    /// True if a [`Counter`] can be made.
    pub fn count_many(self) -> bool {
        self.0 != Form::Portable
    }
}

/// Counts triplets. Memory: some 40 KiB.
#[derive(Clone, Debug)]
pub struct Counter {
    #[cfg(target_arch = "x86_64")]
    pairs: Box<avx512::Pairs>,
    #[cfg(not(target_arch = "x86_64"))]
    never: std::convert::Infallible,
}

impl Counter {
    /// Returns a counter; `None` where these kernels gain nothing over one look-up after the other.
    pub fn new(kernels: Kernels) -> Option<Counter> {
        match kernels.0 {
            #[cfg(target_arch = "x86_64")]
            Form::Avx512 => Some(Counter { pairs: Box::default() }),
            Form::Portable => None,
        }
    }

    /// Adds the triplets of the windows in `bytes` to `counts`. The first window ends with the fifth byte. `steps`
    /// becomes the step of the checksum for each window: `checksum = PEARSON[step ^ checksum]`.
    ///
    /// # Panics
    /// When there are more than [`WINDOWS_MAX`] windows, or `steps` is not as long as there are.
    pub fn count(&mut self, bytes: &[u8], counts: &mut [u32; BUCKETS], steps: &mut [u8]) {
        assert_eq!(bytes.len().saturating_sub(HISTORY_BYTES), steps.len(), "a step for each window");
        assert!(steps.len() <= WINDOWS_MAX, "few windows");
        #[cfg(target_arch = "x86_64")]
        // SAFETY: a counter exists only where the CPU was found to have the features.
        unsafe {
            avx512::count(&mut self.pairs, bytes, counts, steps);
        }
        #[cfg(not(target_arch = "x86_64"))]
        {
            let _ = counts;
            match self.never {}
        }
    }
}

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    use super::*;
    use crate::testing::numbers;

    fn noise(bytes: usize, values: u32) -> Vec<u8> {
        let mut number = numbers(7);
        (0..bytes).map(|_| number(values) as u8).collect()
    }

    fn pearson(salt: u8, bytes: &[u8]) -> u8 {
        bytes.iter().fold(PEARSON[usize::from(salt)], |hash, byte| PEARSON[usize::from(hash ^ byte)])
    }

    #[test]
    fn counts_are_those_of_the_definition() {
        for values in [1, 2, 256] {
            let bytes = noise(HISTORY_BYTES + WINDOWS_MAX, values);
            for kernels in Kernels::offered() {
                let Some(mut counter) = Counter::new(kernels) else { continue };
                for length in (0..300).chain([1000, 1028, 5000, bytes.len()]) {
                    let bytes = &bytes[..length];
                    let mut expected = [3; BUCKETS];
                    let mut expected_steps = Vec::new();
                    for window in bytes.windows(HISTORY_BYTES + 1) {
                        let back = |back: usize| window[HISTORY_BYTES - back];
                        for (salt, middle, oldest) in TRIPLETS {
                            let hash = pearson(salt, &[back(0), back(middle), back(oldest)]);
                            if let Some(count) = expected.get_mut(usize::from(hash)) {
                                *count += 1;
                            }
                        }
                        let (salt, middle) = CHECKSUM;
                        expected_steps.push(pearson(salt, &[back(0), back(middle)]));
                    }
                    let mut counts = [3; BUCKETS];
                    let mut steps = vec![0; expected_steps.len()];
                    counter.count(bytes, &mut counts, &mut steps);
                    assert_eq!(counts, expected, "{kernels:?}, {length} bytes of {values} values");
                    assert_eq!(steps, expected_steps, "{kernels:?}, {length} bytes of {values} values");
                }
            }
        }
    }
}
