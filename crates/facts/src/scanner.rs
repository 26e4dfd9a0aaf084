//! Finding the facts in one pass.

use crate::bytes::Frequencies;
use crate::sectors::ZeroSectors;
use crate::{Counting, Facts, Runs, SECTOR_BYTES};
use pfh_vector::Backend;
use pfh_vector::runs::Kernels;

/// Finds the facts about one message after the other, each in parts of any length.
///
/// Several scanners can share a message: each takes ranges of it by [`Scanner::begin_at`] and [`Scanner::end_range`],
/// one of them takes the counts of the others by [`Scanner::add`], and [`Scanner::conclude`] makes the facts of the
/// ranges' runs, joined in their order.
#[derive(Clone, Debug)]
pub struct Scanner {
    kernels: Kernels,
    /// Offset of the next byte in its message.
    offset: u64,
    /// Number of bytes seen.
    bytes: u64,
    runs: Option<Runs>,
    sectors: ZeroSectors,
    frequencies: Frequencies,
}

impl Scanner {
    /// Memory of a scanner, in bytes.
    pub const STATE_BYTES: usize = size_of::<Scanner>();

    /// Makes a scanner for a message that begins with the next byte.
    pub fn new(counting: Counting, backend: Backend) -> Scanner {
        Scanner {
            kernels: Kernels::new(backend),
            offset: 0,
            bytes: 0,
            runs: None,
            sectors: ZeroSectors::default(),
            frequencies: Frequencies::new(counting),
        }
    }

    /// Begins a range of the message at this offset.
    ///
    /// # Panics
    /// If the offset is no multiple of [`SECTOR_BYTES`].
    pub fn begin_at(&mut self, offset: u64) {
        assert!(offset.is_multiple_of(SECTOR_BYTES as u64), "ranges begin with a sector");
        self.offset = offset;
    }

    /// Adds the next bytes of the message.
    pub fn update(&mut self, bytes: &[u8]) {
        self.runs = Runs::extended(self.runs, self.kernels, self.offset, bytes);
        self.sectors.update(self.kernels, bytes);
        self.frequencies.update(self.offset, bytes);
        self.offset += bytes.len() as u64;
        self.bytes += bytes.len() as u64;
    }

    /// Ends a range, and returns its runs; `None` if it is empty. All ranges but the last one of the message end with a
    /// sector.
    pub fn end_range(&mut self) -> Option<Runs> {
        self.sectors.end_sector();
        self.runs.take()
    }

    /// Adds what another scanner counted in its ranges of the same message.
    pub fn add(&mut self, other: &Scanner) {
        self.sectors.add(&other.sectors);
        self.frequencies.add(&other.frequencies);
        self.bytes += other.bytes;
    }

    /// Returns the facts of a message whose ranges were all seen, and have these runs together. Forgets the message.
    pub fn conclude(&mut self, runs: Option<Runs>) -> Facts {
        let facts = Facts {
            bytes: self.bytes,
            longest_run: runs.map(Runs::longest),
            zero_sectors: self.sectors.count(),
            entropy: self.frequencies.entropy(self.bytes),
            entropy_bytes: self.frequencies.counted_bytes(),
        };
        self.reset();
        facts
    }

    /// Ends the message, and returns its facts. The next byte begins another one.
    pub fn finish(&mut self) -> Facts {
        let runs = self.end_range();
        self.conclude(runs)
    }

    fn reset(&mut self) {
        (self.offset, self.bytes, self.runs) = (0, 0, None);
        self.sectors = ZeroSectors::default();
        self.frequencies.reset();
    }
}
