//! How far a worker looks ahead: not at all while everything is cached, far while reads wait.

use crate::limits::WINDOW_FILES_MAX;
use std::time::Duration;

const FIRST: usize = 8;
/// Quick files in a row after which the window halves.
const QUIET_FILES: u32 = 64;

/// The window's size, driven by how long files took.
pub(crate) struct Window {
    files: usize,
    most: usize,
    quiet: u32,
}

impl Window {
    pub(crate) fn new(most: usize) -> Window {
        Window { files: 0, most: most.min(WINDOW_FILES_MAX), quiet: 0 }
    }

    /// How many files to keep opened and announced ahead.
    pub(crate) fn files(&self) -> usize {
        self.files
    }

    /// Reports how long a file took to open and announce (window open) or to open and read (window shut).
    pub(crate) fn observe(&mut self, took: Duration, bytes: u64) {
        // A cached 4 KiB file takes 3 µs, and copying from the page cache goes at some 10 GB/s; flash answers in 60 µs.
        let waited = took > Duration::from_nanos(20_000 + bytes / 2);
        if waited {
            self.quiet = 0;
            self.files = (self.files * 2).max(FIRST).min(self.most);
        } else {
            self.quiet += 1;
            if self.quiet >= QUIET_FILES {
                self.quiet = 0;
                self.files = if self.files <= FIRST { 0 } else { self.files / 2 };
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const QUICK: Duration = Duration::from_micros(3);
    const SLOW: Duration = Duration::from_micros(90);

    #[test]
    fn grows_while_reads_wait_and_vanishes_in_cache() {
        let mut window = Window::new(1000);
        for _ in 0..100 {
            window.observe(QUICK, 4096);
        }
        assert_eq!(window.files(), 0);
        for _ in 0..6 {
            window.observe(SLOW, 4096);
        }
        assert_eq!(window.files(), WINDOW_FILES_MAX);
        for _ in 0..QUIET_FILES * 6 {
            window.observe(QUICK, 4096);
        }
        assert_eq!(window.files(), 0);
    }

    #[test]
    fn a_large_read_may_take_longer() {
        let mut window = Window::new(1000);
        window.observe(Duration::from_micros(100), 256 << 10);
        assert_eq!(window.files(), 0);
    }
}
