//! Values brought together by their keys, in temporary files.

use std::fs::File;
use std::io::{self, BufWriter, Seek, Write};
use std::os::unix::fs::FileExt;

use pfh_digest::Algorithm;

use crate::ExternalSort;

/// Bytes of the fingerprint of a key. No two keys have the same, unless somebody looks for such on purpose.
const FINGERPRINT_BYTES: usize = 16;

/// Brings the values of each key together: keys in the order of their first values, and the values of a key in the
/// order in which they came. All of it lies in temporary files without names, of which nothing remains.
///
/// ```
/// use std::io::Read;
///
/// let mut grouping = pfh_list::Grouping::new(1 << 20)?;
/// for (key, value) in [("sea", "shell "), ("air", "port "), ("sea", "weed ")] {
///     grouping.push(key.as_bytes(), value.as_bytes())?;
/// }
/// let mut text = String::new();
/// grouping.into_file()?.read_to_string(&mut text)?;
/// assert_eq!(text, "shell weed port ");
/// # Ok::<(), std::io::Error>(())
/// ```
pub struct Grouping {
    values: BufWriter<File>,
    /// Bytes of all values.
    end: u64,
    /// Fingerprints, and the offsets and lengths of their values.
    places: ExternalSort<{ FINGERPRINT_BYTES + 16 }>,
    memory_bytes: u64,
}

impl Grouping {
    /// Makes a grouping that sorts within `memory_bytes` of memory, as far as [`ExternalSort`] does.
    ///
    /// # Errors
    /// If a temporary file cannot be created.
    pub fn new(memory_bytes: u64) -> io::Result<Grouping> {
        let values = BufWriter::new(tempfile::tempfile()?);
        // The second sort begins while the first one ends.
        let memory_bytes = memory_bytes / 2;
        Ok(Grouping { values, end: 0, places: ExternalSort::new(memory_bytes), memory_bytes })
    }

    /// Adds a value.
    ///
    /// # Errors
    /// If a temporary file cannot be created, written or read.
    pub fn push(&mut self, key: &[u8], value: &[u8]) -> io::Result<()> {
        let fingerprint = Algorithm::BLAKE3.digest(key);
        let mut place = [0; FINGERPRINT_BYTES + 16];
        place[..FINGERPRINT_BYTES].copy_from_slice(&fingerprint.bytes()[..FINGERPRINT_BYTES]);
        place[FINGERPRINT_BYTES..].copy_from_slice(&span(self.end, value.len() as u64));
        self.places.push(place)?;
        self.values.write_all(value)?;
        self.end += value.len() as u64;
        Ok(())
    }

    /// Returns a file with all values in their new order, at its beginning.
    ///
    /// # Errors
    /// If a temporary file cannot be created, written or read.
    pub fn into_file(self) -> io::Result<File> {
        let values = self.values.into_inner().map_err(io::IntoInnerError::into_error)?;
        // The offsets of the first values of the keys, and the places of all.
        let mut order: ExternalSort<24> = ExternalSort::new(self.memory_bytes);
        let (mut last, mut first) = (None, [0; 8]);
        self.places.into_each(|place| {
            let (fingerprint, span) = place.split_at(FINGERPRINT_BYTES);
            if last.as_ref().is_none_or(|last: &[u8; FINGERPRINT_BYTES]| last[..] != *fingerprint) {
                last = Some(array(fingerprint));
                first = array(&span[..8]);
            }
            let mut record = [0; 24];
            record[..8].copy_from_slice(&first);
            record[8..].copy_from_slice(span);
            order.push(record)
        })?;
        let mut ordered = BufWriter::new(tempfile::tempfile()?);
        let mut value = Vec::new();
        order.into_each(|record| {
            let [offset, length] = [8, 16].map(|at| u64::from_be_bytes(array(&record[at..at + 8])));
            value.resize(usize::try_from(length).map_err(io::Error::other)?, 0);
            values.read_exact_at(&mut value, offset)?;
            ordered.write_all(&value)
        })?;
        let mut ordered = ordered.into_inner().map_err(io::IntoInnerError::into_error)?;
        ordered.rewind()?;
        Ok(ordered)
    }
}

/// Returns an offset and a length as bytes whose order is theirs.
fn span(offset: u64, length: u64) -> [u8; 16] {
    (u128::from(offset) << 64 | u128::from(length)).to_be_bytes()
}

/// Returns the first bytes as an array; there are as many.
fn array<const N: usize>(bytes: &[u8]) -> [u8; N] {
    let mut array = [0; N];
    array.copy_from_slice(&bytes[..N]);
    array
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;

    #[test]
    fn values_come_by_key_in_the_order_of_the_first() {
        // Enough for temporary files at the least memory: 1024 records.
        let (keys, rounds) = (3_000_u64, 4_u64);
        let mut grouping = Grouping::new(0).unwrap();
        for round in 0..rounds {
            for at in 0..keys {
                // Each round has another order; the first one is that of the keys.
                let key = at * (2 * round + 1) % keys;
                grouping.push(&key.to_le_bytes(), format!("{key}.{round}\n").as_bytes()).unwrap();
            }
        }
        let mut text = String::new();
        grouping.into_file().unwrap().read_to_string(&mut text).unwrap();
        let mut expected = String::new();
        for key in 0..keys {
            for round in 0..rounds {
                let times = (0..keys).filter(|at| at * (2 * round + 1) % keys == key).count();
                expected += &format!("{key}.{round}\n").repeat(times);
            }
        }
        assert!(text == expected);
        assert_eq!(Grouping::new(0).unwrap().into_file().unwrap().metadata().unwrap().len(), 0);
    }
}
