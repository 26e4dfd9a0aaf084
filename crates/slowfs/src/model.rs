//! The arithmetic of a device: when each request is answered. It knows no clock and no files: the caller brings the
//! time, so the same text serves a mount and tests in simulated time.

use crate::device::Device;
use std::time::Duration;

/// Most time by which a caller that woke up late may begin its next request early.
const OWED_MAX: Duration = Duration::from_millis(5);

/// The number of a file, for the head of the device.
pub type FileKey = u64;

/// A read.
#[derive(Clone, Copy, Debug)]
pub struct ReadRequest<'a> {
    /// The file.
    pub file: FileKey,
    /// The file's path below the directory, by which faults are chosen.
    pub path: &'a [u8],
    /// The first byte.
    pub offset: u64,
    /// The bytes that are transferred: none beyond the end of the file.
    pub length: u64,
}

/// The answer to a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reservation {
    /// When the request is answered.
    pub due: Duration,
    /// Whether the bytes can be read; otherwise the answer is an error.
    pub is_readable: bool,
    /// The place among the requests that are served at once.
    slot: usize,
}

/// A place for one request at a time.
#[derive(Clone, Copy, Debug, Default)]
struct Slot {
    /// When it is free again.
    free: Duration,
    /// How much later than due its last request was answered, because sleeping is not exact. The next request begins so
    /// much earlier, and the long-run rate is right.
    owed: Duration,
}

/// The state of a device. All times are since a moment of the caller's choice.
#[derive(Debug)]
pub struct DeviceModel {
    device: Device,
    random: fastrand::Rng,
    slots: Vec<Slot>,
    /// When the line over which all bytes go is free again.
    line_free: Duration,
    /// Where the last read ended.
    head: Option<(FileKey, u64)>,
    transferred_bytes: u64,
    /// Which stalls have happened.
    stalled: Vec<bool>,
}

impl DeviceModel {
    /// Makes an idle device.
    pub fn new(device: Device) -> DeviceModel {
        DeviceModel {
            random: fastrand::Rng::with_seed(device.seed),
            slots: vec![Slot::default(); device.at_once.max(1)],
            line_free: Duration::ZERO,
            head: None,
            transferred_bytes: 0,
            stalled: vec![false; device.stalls.len()],
            device,
        }
    }

    /// Returns the description of the device.
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// Takes an operation that reads no contents.
    pub fn operation(&mut self, now: Duration) -> Reservation {
        let time = self.jittered(self.device.operation);
        self.reserve(now, Duration::ZERO, time, 0)
    }

    /// Takes a read.
    pub fn read(&mut self, now: Duration, request: ReadRequest<'_>) -> Reservation {
        let ReadRequest { file, path, offset, length } = request;
        let end = offset.saturating_add(length);
        let mut time = self.jittered(self.device.read);
        let seek = self.jittered(self.device.seek);
        let mut ahead = Duration::ZERO;
        if self.head == Some((file, offset)) {
            ahead = self.transfer(self.device.read_ahead_bytes);
        } else {
            time += seek;
        }
        self.head = Some((file, end));
        let seed = self.device.seed;
        for (stall, happened) in self.device.stalls.iter().zip(&mut self.stalled) {
            if !*happened && self.transferred_bytes >= stall.after_bytes && stall.files.has(path, seed) {
                *happened = true;
                time += stall.duration;
            }
        }
        let bad = self.device.bad.iter().find(|bad| {
            offset < bad.offset.saturating_add(bad.length) && bad.offset < end && bad.files.has(path, seed)
        });
        time += bad.map_or(Duration::ZERO, |bad| bad.after);
        let is_readable = bad.is_none();
        let transferred = if is_readable { length } else { 0 };
        self.transferred_bytes = self.transferred_bytes.saturating_add(transferred);
        Reservation { is_readable, ..self.reserve(now, ahead, time, transferred) }
    }

    /// Is told when a request was really answered.
    pub fn answered(&mut self, reservation: &Reservation, now: Duration) {
        let slot = &mut self.slots[reservation.slot];
        // Another request may have been queued behind it, and then nothing was lost.
        if slot.free == reservation.due {
            slot.owed = now.saturating_sub(reservation.due).min(OWED_MAX);
        }
    }

    /// Gives a request the slot that is free first, and its bytes their time on the line. The bytes come before the
    /// other time, which is the same for the caller and leaves no gaps on the line. A device that was idle for `ahead`
    /// or less has worked on this request meanwhile.
    fn reserve(&mut self, now: Duration, ahead: Duration, time: Duration, bytes: u64) -> Reservation {
        let number = (0..self.slots.len()).min_by_key(|&number| self.slots[number].free).unwrap_or_default();
        let slot = self.slots[number];
        let begin = now.saturating_sub(slot.owed.max(ahead)).max(slot.free);
        let mut sent = begin;
        if bytes > 0 {
            sent = begin.max(self.line_free) + self.transfer(bytes);
            self.line_free = sent;
        }
        let due = sent + time;
        self.slots[number] = Slot { free: due, owed: Duration::ZERO };
        Reservation { due, is_readable: true, slot: number }
    }

    /// The time that bytes take on the line.
    fn transfer(&self, bytes: u64) -> Duration {
        Duration::from_secs_f64(bytes as f64 / self.device.bytes_per_second)
    }

    fn jittered(&mut self, time: Duration) -> Duration {
        // A number is drawn in any case, so that a sequence does not depend on which times are zero.
        let share = 1.0 + self.device.jitter * (2.0 * self.random.f64() - 1.0);
        time.mul_f64(share)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KIB: u64 = 1 << 10;

    fn milliseconds(number: u64) -> Duration {
        Duration::from_millis(number)
    }

    fn model(text: &str) -> DeviceModel {
        DeviceModel::new(Device::parse(text).expect("a device"))
    }

    fn read(file: FileKey, offset: u64, length: u64) -> ReadRequest<'static> {
        ReadRequest { file, path: b"file", offset, length }
    }

    /// Reads whose answer is waited for, each late by `overshoot`; returns the time of the last answer.
    fn one_by_one<'a>(
        model: &mut DeviceModel,
        requests: impl Iterator<Item = ReadRequest<'a>>,
        overshoot: Duration,
    ) -> Duration {
        requests.fold(Duration::ZERO, |now, request| {
            let reserved = model.read(now, request);
            let answered = reserved.due + overshoot;
            model.answered(&reserved, answered);
            answered
        })
    }

    #[test]
    fn reads_that_continue_take_their_transfer_and_one_seek() {
        let mut model = model("bytes_per_second = 1e6\nseek_seconds = 0.008");
        let requests = (0..100).map(|number| read(1, number * 10_000, 10_000));
        assert_eq!(one_by_one(&mut model, requests, Duration::ZERO), milliseconds(1008));
    }

    #[test]
    fn another_file_or_offset_is_a_seek() {
        let mut model = model("bytes_per_second = 1e6\nseek_seconds = 0.008");
        let two_files = (0..100).map(|number| read(number % 2, number / 2 * 10_000, 10_000));
        assert_eq!(one_by_one(&mut model, two_files, Duration::ZERO), milliseconds(1800));
        let backwards = (0..10).map(|number| read(5, (10 - number) * 1000, 1000));
        let end = milliseconds(1800);
        let reserved: Vec<Reservation> = backwards.map(|request| model.read(end, request)).collect();
        assert_eq!(reserved[9].due, end + milliseconds(90));
    }

    #[test]
    fn late_sleepers_do_not_slow_the_device() {
        let overshoot = Duration::from_micros(70);
        let mut model = model("bytes_per_second = 1e6");
        let end = one_by_one(&mut model, (0..1000).map(|number| read(1, number * 100, 100)), overshoot);
        assert_eq!(end, milliseconds(100) + overshoot);
        // A pause is no debt.
        let reserved = model.read(milliseconds(5000), read(1, 0, 1000));
        assert_eq!(reserved.due, milliseconds(5001) - overshoot);
        model.answered(&reserved, milliseconds(9000));
        assert_eq!(model.read(milliseconds(9000), read(1, 1000, 1000)).due, milliseconds(9001) - OWED_MAX);
    }

    #[test]
    fn a_device_that_reads_ahead_makes_up_for_pauses_between_reads_that_continue() {
        let mut model = model("bytes_per_second = 1e6\nseek_seconds = 0.5\nread_ahead_bytes = 5000");
        assert_eq!(model.read(Duration::ZERO, read(1, 0, 1000)).due, milliseconds(501));
        // It has read on for 3 ms, then for as long as its buffer takes.
        assert_eq!(model.read(milliseconds(504), read(1, 1000, 4000)).due, milliseconds(505));
        assert_eq!(model.read(milliseconds(600), read(1, 5000, 6000)).due, milliseconds(601));
        assert_eq!(model.read(milliseconds(700), read(2, 0, 1000)).due, milliseconds(1201));
    }

    #[test]
    fn requests_share_the_line_and_overlap_otherwise() {
        let mut model = model("bytes_per_second = 1e6\nread_seconds = 0.1\nat_once = 4");
        let due: Vec<Duration> = (0..8).map(|number| model.read(Duration::ZERO, read(number, 0, 10_000)).due).collect();
        let expected = [110, 120, 130, 140, 220, 230, 240, 250].map(milliseconds);
        assert_eq!(due, expected);
    }

    #[test]
    fn bandwidth_holds_over_any_number_of_readers() {
        for at_once in [1, 2, 32] {
            let mut model = model(&format!("bytes_per_second = 1e8\nread_seconds = 0.0001\nat_once = {at_once}"));
            // As many readers as slots, each of which waits for its answer.
            let mut readers = vec![Duration::ZERO; at_once];
            for number in 0..6400_u64 {
                let reader = readers.iter_mut().min().expect("a reader");
                *reader = model.read(*reader, read(number, 0, 128 * KIB)).due;
            }
            let end = readers.iter().max().expect("a reader").as_secs_f64();
            let line = 6400.0 * 131_072.0 / 1e8;
            assert!(end >= line, "{end}");
            let rest = if at_once == 1 { 0.64 } else { 0.001 };
            assert!(end <= line + rest, "{at_once}: {end} after {line}");
        }
    }

    #[test]
    fn operations_take_their_time_and_leave_the_head() {
        let mut model = model("bytes_per_second = 1e6\nseek_seconds = 1\noperation_seconds = 0.001");
        let first = model.read(Duration::ZERO, read(1, 0, 1000)).due;
        let operation = model.operation(first).due;
        assert_eq!(operation, first + milliseconds(1));
        assert_eq!(model.read(operation, read(1, 1000, 1000)).due, operation + milliseconds(1));
    }

    #[test]
    fn jitter_stays_in_its_bounds_and_repeats() {
        let text = "bytes_per_second = 1e6\noperation_seconds = 0.01\njitter = 0.5\nseed = 7";
        let times = |text: &str| -> Vec<Duration> {
            let mut model = model(text);
            (0..1000_u64)
                .map(|_| (model.slots[0].free, model.operation(Duration::ZERO).due))
                .map(|(a, b)| b - a)
                .collect()
        };
        let first = times(text);
        assert_eq!(first, times(text));
        assert_ne!(first, times(&text.replace('7', "8")));
        assert!(first.iter().all(|time| (5..=15).contains(&time.as_millis())));
        let sum: Duration = first.iter().sum();
        assert!((9.5..10.5).contains(&sum.as_secs_f64()), "{sum:?}");
    }

    #[test]
    fn bad_ranges_fail_after_their_time_and_transfer_nothing() {
        let text = "bytes_per_second = 1e6\n[[bad]]\nfile = \"file\"\noffset = 5000\nlength = 10\nseconds = 2";
        let mut bad = model(text);
        for (offset, length, is_readable) in
            [(0, 5000, true), (0, 5001, false), (5009, 1, false), (5010, 1, true), (4999, 12, false)]
        {
            let before = bad.slots[0].free;
            let reserved = bad.read(Duration::ZERO, read(1, offset, length));
            assert_eq!(reserved.is_readable, is_readable, "{offset} {length}");
            let time = if is_readable { Duration::from_micros(length) } else { milliseconds(2000) };
            assert_eq!(reserved.due - before, time, "{offset} {length}");
        }
        let other = ReadRequest { path: b"other", ..read(2, 0, 10_000) };
        assert!(bad.read(Duration::ZERO, other).is_readable);
    }

    #[test]
    fn a_stall_happens_once_and_holds_only_its_slot() {
        let text = "bytes_per_second = 1e6\nat_once = 2\n[[stall]]\nafter_bytes = 2000\nseconds = 30";
        let mut model = model(text);
        let due: Vec<Duration> =
            (0..5).map(|number| model.read(Duration::ZERO, read(1, number * 1000, 1000)).due).collect();
        assert_eq!(due, [1, 2, 30_003, 4, 5].map(milliseconds));
    }
}
