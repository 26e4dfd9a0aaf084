//! Bloom filters in the file format of DCSO (github.com/DCSO/bloom, version 1), in which CIRCL publishes the digests of
//! hashlookup: a small file that tells of most digests that they are not known.
//!
//! A filter never says that a digest is known: it says "no" or "maybe".

use std::fmt;
use std::io::{self, Write};
use std::path::Path;

use pfh_digest::Algorithm;
use pfh_source::MappedFile;
use serde_json::Value;

/// Bytes before the bits: version, capacity, probability, number of hash functions, number of bits, number of values.
const HEADER_BYTES: usize = 48;

/// Most bytes after the bits that are searched for the algorithm. Others may keep anything there.
const DATA_BYTES_MAX: usize = 1 << 16;

/// The field of the free data, a JSON object, that names the algorithm.
const ALGORITHM: &str = "algorithm";

/// The numbers of a filter.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct BloomShape {
    /// The number of values that the filter is made for.
    pub capacity: u64,
    /// The probability of "maybe" for a value that is not in a filter with `capacity` values.
    pub probability: f64,
    /// The number of hash functions.
    pub hashes: u64,
    /// The number of bits.
    pub bits: u64,
}

/// A Bloom filter that is being filled, in memory.
#[derive(Debug)]
pub struct BloomFilter {
    shape: BloomShape,
    words: Vec<u64>,
    values: u64,
}

/// A Bloom filter in a file, which is mapped.
#[derive(Debug)]
pub struct BloomFile {
    shape: BloomShape,
    values: u64,
    algorithm: Option<Algorithm>,
    file: MappedFile,
}

/// The reason why a Bloom filter cannot be opened. `Display` says what to do.
#[derive(Debug)]
#[non_exhaustive]
pub enum BloomError {
    /// The file cannot be read.
    Io(io::Error),
    /// It does not begin as a filter does.
    NotAFilter,
    /// Its numbers contradict each other, or it is shorter than they say.
    Damaged,
}

impl fmt::Display for BloomError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BloomError::Io(error) => write!(f, "{error}"),
            BloomError::NotAFilter => f.write_str("this is not a Bloom filter of version 1 by DCSO"),
            BloomError::Damaged => f.write_str("the Bloom filter is damaged or cut off; download or make it again"),
        }
    }
}

impl std::error::Error for BloomError {}

impl From<io::Error> for BloomError {
    fn from(error: io::Error) -> BloomError {
        BloomError::Io(error)
    }
}

impl BloomShape {
    /// Returns the numbers of a filter for `capacity` values, of which `probability` is the chance of a false "maybe";
    /// `None` unless there are values, and it is between 0 and 1.
    pub fn new(capacity: u64, probability: f64) -> Option<BloomShape> {
        if capacity == 0 || !(probability > 0.0 && probability < 1.0) {
            return None;
        }
        let ln_2 = std::f64::consts::LN_2;
        let bits = (capacity as f64 * probability.ln() / (ln_2 * ln_2)).ceil().abs();
        let hashes = (ln_2 * bits / capacity as f64).ceil();
        Some(BloomShape { capacity, probability, hashes: hashes as u64, bits: bits as u64 })
    }

    /// Returns the memory that the bits take, in bytes.
    pub fn memory_bytes(&self) -> u64 {
        self.bits.div_ceil(64) * 8
    }

    /// Returns the places of a value's bits.
    fn places(&self, value: &[u8]) -> impl Iterator<Item = u64> + use<> {
        const MODULUS: u64 = 18_446_744_073_709_551_557;
        const GENERATOR: u64 = 18_446_744_073_709_550_147;
        // FNV-1 of 64 bits (Fowler, Noll and Vo).
        let fnv_1 = |hash: u64, byte: &u8| hash.wrapping_mul(0x0000_0100_0000_01b3) ^ u64::from(*byte);
        let (mut hash, bits) = (value.iter().fold(0xcbf2_9ce4_8422_2325, fnv_1) % MODULUS, self.bits);
        (0..self.hashes).map(move |_| {
            hash = hash.wrapping_mul(GENERATOR) % MODULUS;
            hash % bits
        })
    }
}

impl BloomFilter {
    /// Begins with an empty filter.
    ///
    /// # Errors
    /// If the memory for its bits cannot be had.
    pub fn new(shape: BloomShape) -> io::Result<BloomFilter> {
        let words = usize::try_from(shape.bits.div_ceil(64)).map_err(|_| io::ErrorKind::OutOfMemory)?;
        let mut filter = BloomFilter { shape, words: Vec::new(), values: 0 };
        filter.words.try_reserve_exact(words).map_err(|_| io::ErrorKind::OutOfMemory)?;
        filter.words.resize(words, 0);
        Ok(filter)
    }

    /// Adds a value. One whose bits are all set already is not counted.
    pub fn insert(&mut self, value: &[u8]) {
        let mut is_new = false;
        for place in self.shape.places(value) {
            let (word, bit) = (&mut self.words[(place / 64) as usize], 1 << (place % 64));
            is_new |= *word & bit == 0;
            *word |= bit;
        }
        self.values += u64::from(is_new);
    }

    /// Writes the filter, and in the free data after its bits the algorithm whose digests its values are.
    ///
    /// # Errors
    /// If the output cannot be written.
    pub fn write(&self, output: &mut impl Write, algorithm: Option<Algorithm>) -> io::Result<()> {
        let BloomShape { capacity, probability, hashes, bits } = self.shape;
        for number in [1, capacity, probability.to_bits(), hashes, bits, self.values] {
            output.write_all(&number.to_le_bytes())?;
        }
        self.words.iter().try_for_each(|word| output.write_all(&word.to_le_bytes()))?;
        match algorithm {
            Some(algorithm) => writeln!(output, "{}", serde_json::json!({ ALGORITHM: algorithm.name() })),
            None => Ok(()),
        }
    }
}

impl BloomFile {
    /// Opens a filter. Its bits are read when they are asked for.
    ///
    /// # Errors
    /// [`BloomError`].
    pub fn open(path: &Path) -> Result<BloomFile, BloomError> {
        let file = MappedFile::open(path)?;
        let header = file.as_ref().first_chunk::<HEADER_BYTES>().ok_or(BloomError::NotAFilter)?;
        let mut numbers = [0; HEADER_BYTES / 8];
        for (number, bytes) in numbers.iter_mut().zip(header.as_chunks().0) {
            *number = u64::from_le_bytes(*bytes);
        }
        let [version, capacity, probability, hashes, bits, values] = numbers;
        let probability = f64::from_bits(probability);
        if version != 1 || !(probability > 0.0 && probability <= 1.0) {
            return Err(BloomError::NotAFilter);
        }
        let shape = BloomShape { capacity, probability, hashes, bits };
        // Other programs may round otherwise.
        let is_alike = BloomShape::new(capacity, probability)
            .is_some_and(|own| own.hashes.abs_diff(hashes) <= 1 && own.bits.abs_diff(bits) <= 1);
        let bytes = (file.as_ref().len() - HEADER_BYTES) as u64;
        if bits == 0 || hashes == 0 || !is_alike || values > capacity || shape.memory_bytes() > bytes {
            return Err(BloomError::Damaged);
        }
        let data = &file.as_ref()[HEADER_BYTES + shape.memory_bytes() as usize..];
        let algorithm = if data.len() <= DATA_BYTES_MAX { algorithm_in(data) } else { None };
        file.check()?;
        Ok(BloomFile { shape, values, algorithm, file })
    }

    /// Returns the numbers of the filter.
    pub fn shape(&self) -> BloomShape {
        self.shape
    }

    /// Returns the number of values that the filter was given, without those that it took for repeated ones.
    pub fn values(&self) -> u64 {
        self.values
    }

    /// Returns the algorithm whose digests the values are, if the filter says so; those of other programs do not.
    pub fn algorithm(&self) -> Option<Algorithm> {
        self.algorithm
    }

    /// Whether the filter may have been given this value; if not, it was not.
    ///
    /// # Errors
    /// If the file cannot be read, or was truncated.
    pub fn may_have(&self, value: &[u8]) -> io::Result<bool> {
        let bits = &self.file.as_ref()[HEADER_BYTES..];
        // The words are little-endian, so that their bits are those of the bytes.
        let is_set = |place: u64| bits.get((place / 8) as usize).is_some_and(|byte| byte >> (place % 8) & 1 == 1);
        let may_have = self.shape.places(value).all(is_set);
        self.file.check()?;
        Ok(may_have)
    }

    /// Checks that the file has not been overwritten in place since the filter was opened, as
    /// [`KnownSet::check_unchanged`](crate::KnownSet::check_unchanged).
    ///
    /// # Errors
    /// If the file was changed or truncated, or cannot be read.
    pub fn check_unchanged(&self) -> io::Result<()> {
        self.file.check_unchanged()
    }
}

fn algorithm_in(data: &[u8]) -> Option<Algorithm> {
    let data: Value = serde_json::from_slice(data).ok()?;
    Algorithm::from_name(data.get(ALGORITHM)?.as_str()?).ok()
}
