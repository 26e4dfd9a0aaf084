//! Sectors that are zero.

use pfh_vector::runs::Kernels;

/// Length of a sector: the unit in which disks are addressed, and images are padded.
pub const SECTOR_BYTES: usize = 512;

/// Counts sectors that are zero, from the beginning of a sector on.
#[derive(Clone, Debug, Default)]
pub(crate) struct ZeroSectors {
    zero: u64,
    /// Bytes of the sector that has not ended.
    begun_bytes: usize,
    /// Whether one of them is not zero.
    is_other: bool,
}

impl ZeroSectors {
    pub(crate) fn update(&mut self, kernels: Kernels, bytes: &[u8]) {
        let missing = (SECTOR_BYTES - self.begun_bytes) % SECTOR_BYTES;
        let (begun, rest) = bytes.split_at(missing.min(bytes.len()));
        self.begin(kernels, begun);
        let (sectors, end) = rest.as_chunks::<SECTOR_BYTES>();
        let mut at = 0;
        while let Some(sector) = sectors.get(at) {
            // Most sectors are told apart by their first word.
            let zero = match sector.first_chunk() {
                Some([0, 0, 0, 0, 0, 0, 0, 0]) => kernels.count_leading(sectors[at..].as_flattened(), 0) / SECTOR_BYTES,
                _ => 0,
            };
            self.zero += zero as u64;
            at += zero.max(1);
        }
        self.begin(kernels, end);
    }

    /// Adds bytes of one sector.
    fn begin(&mut self, kernels: Kernels, bytes: &[u8]) {
        self.begun_bytes += bytes.len();
        self.is_other |= kernels.count_leading(bytes, 0) < bytes.len();
        if self.begun_bytes == SECTOR_BYTES {
            self.end_sector();
        }
    }

    /// Ends a sector that has begun; the one at the end of a file may be shorter than the others.
    pub(crate) fn end_sector(&mut self) {
        self.zero += u64::from(self.begun_bytes > 0 && !self.is_other);
        (self.begun_bytes, self.is_other) = (0, false);
    }

    /// Adds the whole sectors of another part.
    pub(crate) fn add(&mut self, other: &ZeroSectors) {
        self.zero += other.zero;
    }

    /// Returns the number of zero sectors that have ended.
    pub(crate) fn count(&self) -> u64 {
        self.zero
    }
}
