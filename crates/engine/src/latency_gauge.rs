//! Whether a worker looks ahead where the system does not tell if a read would wait: it judges by how long files took.

use std::time::Duration;

/// Quick files in a row after which looking ahead ends.
const QUICK_FILES: u32 = 64;

/// Open while reads wait, shut while everything is cached.
#[derive(Default)]
pub(crate) struct LatencyGauge {
    open: bool,
    quick: u32,
    /// The file before waited. One alone may have been interrupted by another thread.
    waited: bool,
}

impl LatencyGauge {
    pub(crate) fn is_open(&self) -> bool {
        self.open
    }

    /// Reports how long a file took to open and announce (window open) or to read (window shut).
    pub(crate) fn observe(&mut self, took: Duration, bytes: u64) {
        // A cached 4 KiB file takes 3 µs, and copying from the page cache goes at some 10 GB/s; flash answers in 60 µs.
        let waited = took > Duration::from_nanos(20_000 + bytes / 2);
        let again = std::mem::replace(&mut self.waited, waited);
        self.quick = if waited { 0 } else { self.quick + 1 };
        self.open = if self.open { self.quick < QUICK_FILES } else { waited && again };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const QUICK: Duration = Duration::from_micros(3);
    const SLOW: Duration = Duration::from_micros(90);

    #[test]
    fn opens_while_reads_wait_and_shuts_in_cache() {
        let mut gauge = LatencyGauge::default();
        for _ in 0..100 {
            gauge.observe(QUICK, 4096);
        }
        gauge.observe(SLOW, 4096);
        assert!(!gauge.is_open(), "once may be chance");
        gauge.observe(SLOW, 4096);
        assert!(gauge.is_open());
        for _ in 1..QUICK_FILES {
            gauge.observe(QUICK, 4096);
        }
        assert!(gauge.is_open());
        gauge.observe(QUICK, 4096);
        assert!(!gauge.is_open());
    }

    #[test]
    fn a_large_read_may_take_longer() {
        let mut gauge = LatencyGauge::default();
        for _ in 0..3 {
            gauge.observe(Duration::from_micros(100), 256 << 10);
        }
        assert!(!gauge.is_open());
    }
}
