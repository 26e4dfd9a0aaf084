//! The gauge by which a worker decides whether to look ahead if the system cannot tell whether a read would wait: it
//! measures how long files take.

use std::time::Duration;

/// Number of consecutive quick files after which looking ahead ends.
const QUICK_FILES: u32 = 64;

/// A gauge that is open while reads wait, and shut while everything is cached.
#[derive(Default)]
pub(crate) struct LatencyGauge {
    open: bool,
    quick: u32,
    /// Whether the previous file waited. A single one may only have been interrupted by another thread.
    waited: bool,
}

impl LatencyGauge {
    pub(crate) fn is_open(&self) -> bool {
        self.open
    }

    /// Takes the time that a file took to open and announce (if open) or to read (if shut).
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
