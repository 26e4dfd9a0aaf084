//! How many requests the adaptive mode makes at once for files that come late: readers, and ranges of a long file.

use crate::sync::lock;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

/// Answers to each of the requests made at once, after which their number is judged.
const ANSWERS_EACH: u32 = 4;

/// A trial ends early where each of its first answers comes after so many times as long: that is no chance.
const EARLY_ANSWERS: u32 = 3;
const EARLY_DELAY: f64 = 1.9;

/// When trials of further readers end: twice the readers gain a sixth where a file's beginning comes after 1.7 times as
/// long, which a second one has to, since it may move a head (a head between two files makes it twice as long or more);
/// and a ninth where it comes after 1.8 times as long, as where they begin to fill a line. The first requests made at
/// once may have to wait for connections, and any one may be late by chance.
const READERS: Rule = Rule { delay_max: 1.7, parallel_delay_max: 1.8, outlier_answers: 4, pause_answers: 32 };

/// When trials of further ranges end. Announcing more of a file costs nothing, but it is to make no read longer: some
/// places serve a file in one order, and drop up to 16 MiB read ahead for a range that comes out of turn.
const RANGES: Rule = Rule { delay_max: 1.1, parallel_delay_max: 1.1, outlier_answers: u32::MAX, pause_answers: 256 };

/// Most ranges of a long file that are announced, and their length: enough for any place to have the next request
/// before it has answered this one. The kernel takes no more than 128 KiB of one announcement where that is its
/// read-ahead.
const RANGES_MAX: usize = 16;
pub(crate) const RANGE_BYTES: u64 = 128 << 10;

/// Bytes of long files that are read without announcements while twice the readers are tried, at most: a beginning that
/// has to wait for what is announced of other files comes late wherever it lies. Beyond that, announcing gains more.
const UNANNOUNCED_BYTES_MAX: u64 = 64 << 20;

/// The readers of a run.
pub(crate) struct Readers {
    state: Mutex<State>,
    /// Held while a long file is read from a place that was not found to answer several requests at once: in turns, two
    /// long files would move a head at every request.
    pub(crate) turn: Mutex<()>,
    pub(crate) depth: Arc<Depth>,
}

pub(crate) struct State {
    pub(crate) admission: Admission,
    /// Readers at work.
    pub(crate) active: usize,
    /// Files one after the other that left nearly no slots free.
    pub(crate) full_tables: u32,
    /// Whether the workers read by themselves: because the system grants no threads, or hashing takes longer.
    pub(crate) ended: bool,
}

#[derive(Clone, Copy)]
struct Rule {
    /// By how many times later answers may come with twice as many requests.
    delay_max: f64,
    /// The same where several requests are known to be answered at once.
    parallel_delay_max: f64,
    /// The number of usual answers that a late one counts for at most.
    outlier_answers: u32,
    /// Answers after a trial that failed before there is another one; then twice as many.
    pause_answers: u32,
}

/// Decides how many requests are made at once, by the time until they are answered.
pub(crate) struct Admission {
    requests_max: usize,
    rule: Rule,
    /// The number that is known to be worth while.
    confirmed: usize,
    /// Whether twice as many are being tried.
    is_trial: bool,
    /// The mean time of answers to the confirmed number.
    before: Duration,
    /// Answers since the number changed, and the time that those took which count.
    answers: u32,
    time: Duration,
    /// The shortest of those that count.
    shortest: Duration,
    /// Answers until the next trial, and after the one that fails next: a single slow answer may have been chance.
    pause: u32,
    next_pause: u32,
}

impl Admission {
    fn new(requests_max: usize, requests: usize, rule: Rule) -> Admission {
        Admission {
            requests_max,
            rule,
            confirmed: requests.clamp(1, requests_max.max(1)),
            is_trial: false,
            before: Duration::ZERO,
            answers: 0,
            time: Duration::ZERO,
            shortest: Duration::MAX,
            pause: 0,
            next_pause: rule.pause_answers,
        }
    }

    /// The number of requests that may be made at once.
    pub(crate) fn admitted(&self) -> usize {
        if self.is_trial { 2 * self.confirmed } else { self.confirmed }
    }

    /// The number of requests that proved worth while.
    pub(crate) fn confirmed(&self) -> usize {
        self.confirmed
    }

    /// Whether more are being tried than have proved worth while.
    pub(crate) fn is_trial(&self) -> bool {
        self.is_trial
    }

    /// Whether the place is known to answer several requests at once.
    pub(crate) fn is_parallel(&self) -> bool {
        self.confirmed > 1
    }

    /// Tries no more, because the system grants no threads.
    pub(crate) fn end_trials(&mut self) {
        (self.is_trial, self.requests_max) = (false, 1);
    }

    /// Takes the time until a request was answered.
    pub(crate) fn observe(&mut self, took: Duration) {
        if self.pause > 0 {
            self.pause -= 1;
            return;
        }
        if self.confirmed * 2 > self.requests_max {
            return;
        }
        let requests = self.admitted() as u32;
        self.answers += 1;
        // The first ones may have been asked for before the last request was made.
        let skipped = if self.is_trial { requests } else { 0 };
        let Some(counted) = self.answers.checked_sub(skipped).filter(|&counted| counted > 0) else { return };
        self.time += if self.is_trial { took.min(self.before.saturating_mul(self.rule.outlier_answers)) } else { took };
        self.shortest = self.shortest.min(took);
        let wanted = ANSWERS_EACH * requests;
        let delay_max = if self.is_parallel() { self.rule.parallel_delay_max } else { self.rule.delay_max };
        let is_hopeless = counted >= EARLY_ANSWERS && self.shortest > self.before.mul_f64(EARLY_DELAY);
        let has_failed = self.is_trial && (is_hopeless || self.time > self.before.mul_f64(delay_max) * wanted);
        if has_failed {
            self.is_trial = false;
            self.pause = self.next_pause;
            self.next_pause = self.next_pause.saturating_mul(2);
        } else if counted < wanted {
            return;
        } else {
            self.confirmed = requests as usize;
            self.before = self.time / counted;
            self.is_trial = self.confirmed * 2 <= self.requests_max;
        }
        (self.answers, self.time, self.shortest) = (0, Duration::ZERO, Duration::MAX);
    }
}

impl Readers {
    /// For at most `readers_max` readers, of which `readers` are worth while already.
    pub(crate) fn new(readers_max: usize, readers: usize) -> Readers {
        let admission = Admission::new(readers_max, readers, READERS);
        let state = State { admission, active: 0, full_tables: 0, ended: readers_max == 0 };
        Readers { state: Mutex::new(state), turn: Mutex::default(), depth: Arc::default() }
    }

    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }

    /// Takes the time until the beginning of a file was there.
    pub(crate) fn answered(&self, took: Duration) {
        let mut state = self.state();
        state.admission.observe(took);
        self.depth.pause_for(state.admission.is_trial().then(|| state.admission.admitted()));
    }

    /// Whether files that nobody can tell of are left to readers.
    pub(crate) fn is_wanted(&self) -> bool {
        !self.state().ended
    }
}

/// How many ranges of a long file are announced ahead of its reading.
pub(crate) struct Depth(Mutex<Reads>);

struct Reads {
    admission: Admission,
    /// Bytes read since the last range was counted, and the time that they took.
    bytes: u64,
    time: Duration,
    /// The number of readers that is being tried.
    readers_tried: Option<usize>,
    /// Bytes to be read before ranges are announced again.
    unannounced_bytes: u64,
}

impl Default for Depth {
    fn default() -> Depth {
        let admission = Admission::new(RANGES_MAX, 1, RANGES);
        let (bytes, time, readers_tried, unannounced_bytes) = (0, Duration::ZERO, None, 0);
        Depth(Mutex::new(Reads { admission, bytes, time, readers_tried, unannounced_bytes }))
    }
}

impl Depth {
    /// The number of ranges. Without any, the system reads ahead as it does for other programs.
    pub(crate) fn ranges(&self) -> usize {
        let reads = lock(&self.0);
        match reads.admission.admitted() {
            _ if reads.unannounced_bytes > 0 => 0,
            1 => 0,
            ranges => ranges,
        }
    }

    /// Announces nothing while a number of readers is being tried.
    fn pause_for(&self, readers_tried: Option<usize>) {
        let reads = &mut *lock(&self.0);
        if reads.readers_tried != readers_tried {
            reads.readers_tried = readers_tried;
            reads.unannounced_bytes = readers_tried.map_or(0, |_| UNANNOUNCED_BYTES_MAX);
        }
    }

    /// Takes the time that reading took.
    pub(crate) fn observe(&self, bytes: u64, took: Duration) {
        let reads = &mut *lock(&self.0);
        if reads.unannounced_bytes > 0 {
            reads.unannounced_bytes = reads.unannounced_bytes.saturating_sub(bytes);
            return;
        }
        reads.bytes += bytes;
        reads.time += took;
        if reads.bytes >= RANGE_BYTES {
            let each = reads.time.mul_f64(RANGE_BYTES as f64 / reads.bytes as f64);
            (reads.bytes, reads.time) = (0, Duration::ZERO);
            reads.admission.observe(each);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MOMENT: Duration = Duration::from_millis(1);

    /// Opens files, each in a time that depends on how many readers there are; returns the numbers of readers that were
    /// confirmed, and how many opens were part of a trial.
    fn opens(opens: u32, readers_max: usize, took: impl Fn(u32) -> Duration) -> (usize, u32) {
        let mut admission = Admission::new(readers_max, 1, READERS);
        let mut tried = 0;
        for _ in 0..opens {
            tried += u32::from(admission.is_trial);
            admission.observe(took(admission.admitted() as u32));
        }
        (admission.confirmed, tried)
    }

    #[test]
    fn one_reader_stays_where_requests_are_answered_one_by_one() {
        let (readers, tried) = opens(10_000, 32, |readers| MOMENT * readers);
        assert_eq!(readers, 1);
        assert!(tried <= 100, "{tried}");
        // As on a disk whose head moves between two files: the fifth answer of a trial decides it.
        assert_eq!(opens(4 + 5, 32, |readers| if readers == 1 { MOMENT } else { MOMENT.mul_f64(2.2) }), (1, 5));
        let slow = |readers| if readers == 1 { MOMENT } else { MOMENT * 40 };
        assert_eq!(opens(4 + 6, 32, slow), (1, 5));
        assert_eq!(opens(4 + 5 + READERS.pause_answers + 4, 32, slow), (1, 5));
    }

    #[test]
    fn readers_are_as_many_as_are_answered_at_once() {
        for at_once in [2, 4, 8, 16, 32, 64] {
            let (readers, _) = opens(2000, 32, |readers| MOMENT * readers.div_ceil(at_once));
            assert_eq!(readers, at_once.min(32) as usize);
        }
        // A line that ten readers fill: sixteen gain a quarter.
        assert_eq!(opens(2000, 32, |readers| MOMENT.mul_f64((f64::from(readers) / 10.0).max(1.0))).0, 16);
        assert_eq!(opens(2000, 32, |readers| if readers == 1 { MOMENT } else { MOMENT.mul_f64(1.75) }).0, 1);
        assert_eq!(opens(2000, 24, |_| MOMENT).0, 16);
        assert_eq!(opens(2000, 1, |_| MOMENT), (1, 0));
    }

    #[test]
    fn one_slow_answer_decides_nothing_and_several_are_forgotten() {
        let mut admission = Admission::new(32, 1, READERS);
        (0..4).for_each(|_| admission.observe(MOMENT));
        (0..10).for_each(|number| admission.observe(if number == 5 { MOMENT * 100 } else { MOMENT }));
        assert_eq!((admission.confirmed, admission.admitted()), (2, 4));

        let mut admission = Admission::new(32, 1, READERS);
        (0..4).for_each(|_| admission.observe(MOMENT));
        (0..6).for_each(|_| admission.observe(MOMENT * 100));
        assert_eq!(admission.admitted(), 1);
        (0..500).for_each(|_| admission.observe(MOMENT));
        assert_eq!(admission.confirmed, 32);
    }

    #[test]
    fn only_a_place_that_answers_several_at_once_is_parallel() {
        let mut admission = Admission::new(4, 1, READERS);
        let mut seen = Vec::new();
        for _ in 0..100 {
            seen.push((admission.admitted(), admission.is_parallel()));
            admission.observe(MOMENT);
        }
        seen.dedup();
        assert_eq!(seen, [(1, false), (2, false), (4, true)]);
    }

    /// Reads ranges, each in a time that depends on how many are announced; returns how many are in the end, and the
    /// most that were.
    fn ranges(reads: u32, took: impl Fn(u32) -> Duration) -> (usize, usize) {
        let depth = Depth::default();
        let mut most = 0;
        for _ in 0..reads {
            let announced = depth.ranges();
            most = most.max(announced);
            (0..2).for_each(|_| depth.observe(RANGE_BYTES / 2, took(announced as u32) / 2));
        }
        (depth.ranges(), most)
    }

    #[test]
    fn nothing_is_announced_while_readers_are_tried() {
        let readers = Readers::new(32, 1);
        (0..1000).for_each(|_| readers.depth.observe(RANGE_BYTES, MOMENT));
        assert_eq!(readers.depth.ranges(), RANGES_MAX);
        (0..4).for_each(|_| readers.answered(MOMENT));
        assert_eq!((readers.state().admission.admitted(), readers.depth.ranges()), (2, 0));
        // Long files get their announcements back before the trial has ended.
        readers.depth.observe(UNANNOUNCED_BYTES_MAX, MOMENT);
        assert_eq!(readers.depth.ranges(), RANGES_MAX);
        (0..10).for_each(|_| readers.answered(MOMENT));
        assert_eq!((readers.state().admission.admitted(), readers.depth.ranges()), (4, 0));
        (0..20).for_each(|_| readers.answered(MOMENT * 3));
        assert_eq!((readers.state().admission.admitted(), readers.depth.ranges()), (2, RANGES_MAX));
    }

    #[test]
    fn ranges_are_announced_while_reads_do_not_take_longer() {
        let in_parallel = |announced: u32| MOMENT / announced.max(1);
        assert_eq!(ranges(1000, in_parallel), (16, 16));
        assert_eq!(ranges(1000, |_| MOMENT), (16, 16));
        let in_one_order = |announced| if announced == 0 { MOMENT } else { MOMENT * 20 };
        assert_eq!(ranges(30, in_one_order), (0, 2));
    }
}
