//! The limit on reads announced ahead, over all files of a run: in bytes, which occupy memory somewhere, and in
//! requests, since a source serves only some at a time.

use crate::admission::{Depth, RANGE_BYTES};
use crate::limits::WINDOW_FILE_BYTES;
use crate::sync::lock;
use pfh_source::{LookAhead, SourceFile};
use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// The share of a run for announced reads.
pub(crate) struct InFlight {
    bytes_left: AtomicU64,
    requests_left: AtomicUsize,
    requests_max: usize,
    /// Length of one range; `None` if the source reads ahead by itself.
    range_bytes: Option<u64>,
    /// Number of files that have a part of the share.
    files: AtomicUsize,
}

impl InFlight {
    pub(crate) fn new(bytes_max: u64, look_ahead: LookAhead) -> Arc<InFlight> {
        let requests_max = look_ahead.requests_max.max(1);
        Arc::new(InFlight {
            bytes_left: AtomicU64::new(bytes_max),
            requests_left: AtomicUsize::new(requests_max),
            requests_max,
            range_bytes: look_ahead.range_bytes.map(|bytes| bytes.max(1)),
            files: AtomicUsize::new(0),
        })
    }

    /// Whether further ranges of a file are announced while it is read.
    pub(crate) fn goes_on(&self) -> bool {
        self.range_bytes.is_some()
    }

    fn take(&self, bytes: u64) -> bool {
        let one_less = |left: usize| left.checked_sub(1);
        if self.requests_left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, one_less).is_err() {
            return false;
        }
        let less = |left: u64| left.checked_sub(bytes);
        let taken = self.bytes_left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less).is_ok();
        if !taken {
            self.request_arrived();
        }
        taken
    }

    fn request_arrived(&self) {
        self.requests_left.fetch_add(1, Ordering::Relaxed);
    }

    fn bytes_read(&self, bytes: u64) {
        self.bytes_left.fetch_add(bytes, Ordering::Relaxed);
    }
}

/// The part of one file that is announced and not yet read. The request of a range is returned when reading has reached
/// it, since it has arrived then; its bytes are returned when all of it was read. Dropping this returns both.
pub(crate) struct Ahead {
    in_flight: Arc<InFlight>,
    /// Length of one range; `None` if only the beginning is announced.
    range_bytes: Option<u64>,
    /// Decides how many ranges may be on their way; `None` if only the share limits them.
    depth: Option<Arc<Depth>>,
    announced: Mutex<Announced>,
}

#[derive(Default)]
struct Announced {
    /// The announced ranges, in the order of the file.
    ranges: VecDeque<Range>,
    /// Number of ranges at the end that are not known to have arrived.
    on_their_way: usize,
    /// Offset of the next range.
    next: u64,
}

/// A range that was not yet read to its end.
struct Range {
    start: u64,
    bytes: u64,
}

impl Ahead {
    pub(crate) fn new(in_flight: &Arc<InFlight>) -> Ahead {
        Ahead::with(in_flight, in_flight.range_bytes, None)
    }

    /// Makes one that announces ranges also where the source reads ahead by itself, as many as proves worth while.
    pub(crate) fn with_depth(in_flight: &Arc<InFlight>, depth: &Arc<Depth>) -> Ahead {
        Ahead::with(in_flight, Some(RANGE_BYTES), Some(Arc::clone(depth)))
    }

    fn with(in_flight: &Arc<InFlight>, range_bytes: Option<u64>, depth: Option<Arc<Depth>>) -> Ahead {
        in_flight.files.fetch_add(1, Ordering::Relaxed);
        Ahead { in_flight: Arc::clone(in_flight), range_bytes, depth, announced: Mutex::default() }
    }

    /// Takes the time that reading a part of the file took.
    pub(crate) fn observe(&self, size: u64, bytes: u64, took: Duration) {
        if let Some(depth) = &self.depth {
            depth.observe(size, bytes, took);
        }
    }

    /// Whether further ranges of the file are announced while it is read.
    pub(crate) fn goes_on(&self) -> bool {
        self.range_bytes.is_some()
    }

    /// Announces the beginning of a file. Returns false if the share is used up.
    pub(crate) fn begin(&self, file: &impl SourceFile, size: u64) -> bool {
        let bytes = size.min(self.range_bytes.unwrap_or(WINDOW_FILE_BYTES));
        self.announce(&mut lock(&self.announced), file, bytes)
    }

    /// Notes that a read of `length` bytes begins at `offset`: returns the ranges before it, and announces further
    /// ranges up to this file's part of the share.
    pub(crate) fn read_on(&self, file: &impl SourceFile, offset: u64, length: u64, size: u64) {
        let announced = &mut *lock(&self.announced);
        while announced.first_on_its_way().is_some_and(|range| range.start < offset) {
            announced.on_their_way -= 1;
            self.in_flight.request_arrived();
        }
        while let Some(range) = announced.ranges.pop_front_if(|range| range.start + range.bytes <= offset) {
            self.in_flight.bytes_read(range.bytes);
        }
        let Some(range_bytes) = self.range_bytes else { return };
        // The range being read needs no announcement.
        announced.next = announced.next.max(offset);
        let part = self.in_flight.requests_max / self.in_flight.files.load(Ordering::Relaxed).max(1);
        let ranges_max = self.depth.as_ref().map_or(usize::MAX, |depth| match depth.ranges(size) {
            0 => 0,
            // Those of the read itself lie ahead of nothing.
            ranges => ranges + length.div_ceil(range_bytes) as usize,
        });
        while announced.next < size && announced.on_their_way < part.max(1).min(ranges_max) {
            // Ranges end at multiples of their length, as the source's requests do.
            let bytes = (range_bytes - announced.next % range_bytes).min(size - announced.next);
            if !self.announce(announced, file, bytes) {
                break;
            }
        }
    }

    fn announce(&self, announced: &mut Announced, file: &impl SourceFile, bytes: u64) -> bool {
        if !self.in_flight.take(bytes) {
            return false;
        }
        file.announce(announced.next, bytes);
        announced.ranges.push_back(Range { start: announced.next, bytes });
        announced.on_their_way += 1;
        announced.next += bytes;
        true
    }
}

impl Announced {
    fn first_on_its_way(&self) -> Option<&Range> {
        self.ranges.get(self.ranges.len() - self.on_their_way)
    }
}

impl Drop for Ahead {
    fn drop(&mut self) {
        let announced = &mut *lock(&self.announced);
        (0..announced.on_their_way).for_each(|_| self.in_flight.request_arrived());
        announced.ranges.drain(..).for_each(|range| self.in_flight.bytes_read(range.bytes));
        self.in_flight.files.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pfh_source::{FileError, Proof, Stamp};

    /// Records the announced ranges.
    #[derive(Default)]
    struct Noting(Mutex<Vec<(u64, u64)>>);

    impl SourceFile for Noting {
        fn read_at(&self, _: &mut [u8], _: u64) -> Result<usize, FileError> {
            Ok(0)
        }
        fn proof(&self) -> Proof {
            Proof::Unchanging
        }
        fn stamp(&self) -> Result<Stamp, FileError> {
            Err(std::io::Error::other("not asked for").into())
        }
        fn announce(&self, offset: u64, length: u64) {
            lock(&self.0).push((offset, length));
        }
    }

    impl Noting {
        fn take(&self) -> Vec<(u64, u64)> {
            std::mem::take(&mut *lock(&self.0))
        }
    }

    fn left(in_flight: &InFlight) -> (u64, usize) {
        (in_flight.bytes_left.load(Ordering::Relaxed), in_flight.requests_left.load(Ordering::Relaxed))
    }

    #[test]
    fn ranges_are_announced_as_the_reading_goes_on_and_given_back() {
        let in_flight = InFlight::new(1000, LookAhead::new(Some(100), 3));
        let file = Noting::default();
        let ahead = Ahead::new(&in_flight);
        assert!(ahead.begin(&file, 450));
        ahead.read_on(&file, 0, 1, 450);
        assert_eq!((file.take(), left(&in_flight)), (vec![(0, 100), (100, 100), (200, 100)], (700, 0)));
        ahead.read_on(&file, 30, 1, 450);
        assert_eq!((file.take(), left(&in_flight)), (vec![(300, 100)], (600, 0)));
        ahead.read_on(&file, 100, 1, 450);
        assert_eq!((file.take(), left(&in_flight)), (vec![], (700, 0)));
        ahead.read_on(&file, 330, 1, 450);
        assert_eq!((file.take(), left(&in_flight)), (vec![(400, 50)], (850, 2)));
        drop(ahead);
        assert_eq!(left(&in_flight), (1000, 3));
    }

    #[test]
    fn files_share_requests_and_bytes() {
        let in_flight = InFlight::new(350, LookAhead::new(Some(100), 8));
        let (one, other) = (Noting::default(), Noting::default());
        let first = Ahead::new(&in_flight);
        let second = Ahead::new(&in_flight);
        first.read_on(&one, 20, 1, 5000);
        // The range being read was not announced, so the first announcement is for its rest. Each file's part is four
        // requests, but the bytes run out first.
        assert_eq!(one.take(), [(20, 80), (100, 100), (200, 100)]);
        assert!(!second.begin(&other, 5000), "only 70 bytes are left");
        assert!(second.begin(&other, 70) && other.take() == [(0, 70)]);
        drop(first);
        drop(second);
        assert_eq!(left(&in_flight), (350, 8));
    }

    /// Ranges of a long read itself lie ahead of nothing, and are announced beside those that do.
    #[test]
    fn ranges_ahead_are_counted_from_the_end_of_the_read() {
        const LONG: u64 = 1 << 30;
        let in_flight = InFlight::new(u64::MAX, LookAhead::default());
        let depth = Arc::new(Depth::default());
        let file = Noting::default();
        let ahead = Ahead::with_depth(&in_flight, &depth);
        ahead.read_on(&file, 0, 5 * RANGE_BYTES, LONG);
        assert_eq!(file.take(), [], "nothing is known of the place");
        (0..4).for_each(|_| depth.observe(LONG, RANGE_BYTES, Duration::from_millis(1)));
        ahead.read_on(&file, 5 * RANGE_BYTES, 5 * RANGE_BYTES, LONG);
        let ranges = (5..12).map(|range| (range * RANGE_BYTES, RANGE_BYTES)).collect::<Vec<_>>();
        assert_eq!(file.take(), ranges);
    }

    #[test]
    fn what_reads_ahead_by_itself_is_announced_once() {
        let in_flight = InFlight::new(u64::MAX, LookAhead::default());
        let file = Noting::default();
        let ahead = Ahead::new(&in_flight);
        assert!(!in_flight.goes_on() && ahead.begin(&file, 1 << 40));
        ahead.read_on(&file, 0, 1, 1 << 40);
        ahead.read_on(&file, 1 << 30, 1, 1 << 40);
        assert_eq!(file.take(), [(0, WINDOW_FILE_BYTES)]);
        assert_eq!(left(&in_flight).0, u64::MAX);
    }
}
