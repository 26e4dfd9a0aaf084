//! How many requests the adaptive mode makes at once for files that come late: readers, and ranges of a long file.

use crate::sync::lock;
use std::sync::{Arc, Mutex, MutexGuard, RwLock};
use std::time::Duration;

/// Answers to each of the requests made at once, after which their number is judged.
const ANSWERS_EACH: usize = 4;

/// When trials of further readers end: twice the readers gain a sixth where a file's beginning comes after 1.7 times as
/// long, which a second one has to, since it may move a head: one between two files makes it twice as long or more.
/// They gain a ninth where it comes after 1.8 times as long, as where they begin to fill a line. Any one may be late by
/// chance, or early because the other reader did not read just then.
/// Where every answer was late, as on a single head, that was hardly chance, and the next trial comes later. No head
/// has moved where an answer comes within 2 ms: half a revolution alone takes 4 ms (7,200 a minute). A second reader
/// costs nothing there, even if the line is full and answers come late for that reason. An answer is also late if its
/// reader waited for a processor, so at a parallel place late ones do not count while no worker waits.
const READERS: Rule = Rule {
    delay_max: 1.7,
    parallel_delay_max: 1.8,
    never_late: Duration::from_millis(2),
    statistic: Statistic::Median,
    pause_answers: 32,
    clear_pauses: 4,
};

/// When trials of further ranges end. Announcing more of a file costs nothing, but it is to make no read longer: some
/// places serve a file in one order, and drop up to 16 MiB read ahead for a range out of turn. Such reads are rare, and
/// so long that they count.
const RANGES: Rule = Rule {
    delay_max: 1.1,
    parallel_delay_max: 1.1,
    never_late: Duration::ZERO,
    statistic: Statistic::Mean,
    pause_answers: 256,
    clear_pauses: 1,
};

/// Answers to a single reader, all so quick that no head has moved, after which this number of readers is tried. With
/// two readers after four answers, workers waited in the first quarter of a second, and long files were read one after
/// the other.
const QUICK_ANSWERS: usize = 2;
const QUICK_READERS: usize = 4;

/// Most ranges of a long file that are announced, and their length: enough for any place to have the next request
/// before it has answered this one. The kernel takes no more than 128 KiB of one announcement where that is its
/// read-ahead.
const RANGES_MAX: usize = 16;
pub(crate) const RANGE_BYTES: u64 = 128 << 10;

/// The longest files of which nothing is announced while more readers are tried: the beginning of another file
/// would wait for it, and come late wherever it lies. In longer ones, announcing gains more than a second reader, who
/// only fills the time from one file to the next.
const UNANNOUNCED_FILE_BYTES_MAX: u64 = 8 << 20;

/// Readers between two trials at a place that was not found to answer several requests at once. They open files while
/// others are read, and read short ones side by side, each of which takes one request: the place has the next request
/// before it has answered this one, and long files are still read one after the other. On a simulated disk whose head
/// takes 8 ms to move, 1,000 files of 6 KB took 6 % longer with one.
const READERS_IN_PAUSE: usize = 4;

/// Answers before the next trial for which a single reader is left, so that files of the others do not count.
const ALONE_ANSWERS: u32 = 2 * READERS_IN_PAUSE as u32;

/// The readers of a run.
pub(crate) struct Readers {
    state: Mutex<State>,
    /// Written while a long file is read from a place that was not found to answer several requests at once: in turns,
    /// two long files would move a head at every request. Read while a short one is.
    pub(crate) turn: RwLock<()>,
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
    /// An answer to two requests that comes within this time is not late.
    never_late: Duration,
    statistic: Statistic,
    /// Answers after a trial that failed before there is another one; then twice as many.
    pause_answers: u32,
    /// By how many times later the next trial comes after one in which every answer was late.
    clear_pauses: u32,
}

/// The time that stands for several answers.
#[derive(Clone, Copy)]
enum Statistic {
    Median,
    Mean,
}

/// Decides how many requests are made at once, by the time until they are answered.
pub(crate) struct Admission {
    requests_max: usize,
    rule: Rule,
    /// The number that is known to be worth while.
    confirmed: usize,
    /// The number that is being tried; 0 if none is.
    tried: usize,
    /// Whether an answer of the present trial was late.
    is_doubtful: bool,
    /// The median or mean time of answers to the confirmed number.
    before: Duration,
    /// Answers since the number changed that do not count, and the times of the others.
    skipped: usize,
    times: Vec<Duration>,
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
            tried: 0,
            is_doubtful: false,
            before: Duration::ZERO,
            skipped: 0,
            times: Vec::new(),
            pause: 0,
            next_pause: rule.pause_answers,
        }
    }

    /// The number of requests that may be made at once.
    pub(crate) fn admitted(&self) -> usize {
        self.tried.max(self.confirmed)
    }

    /// Whether no trial is due for some time.
    fn pauses(&self) -> bool {
        self.pause > ALONE_ANSWERS
    }

    /// The number of requests that proved worth while.
    pub(crate) fn confirmed(&self) -> usize {
        self.confirmed
    }

    /// Whether more are being tried than have proved worth while.
    pub(crate) fn is_trial(&self) -> bool {
        self.tried > 0
    }

    /// Whether the place is taken to answer several requests at once: that is known, or it is being tried where no head
    /// has moved until now.
    pub(crate) fn is_parallel(&self) -> bool {
        self.confirmed > 1 || (self.is_trial() && !self.is_doubtful && self.is_quick(self.before))
    }

    /// Whether an answer to one reader came so quickly that no head has moved.
    fn is_quick(&self, took: Duration) -> bool {
        took.mul_f64(self.rule.delay_max) <= self.rule.never_late
    }

    /// Tries no more, because the system grants no threads.
    pub(crate) fn end_trials(&mut self) {
        (self.tried, self.requests_max) = (0, 1);
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
        self.is_doubtful |= self.is_late(took);
        let requests = self.admitted();
        // The first ones may have been asked for before the last request was made, or waited for connections.
        if self.is_trial() && self.skipped < requests {
            self.skipped += 1;
            return;
        }
        self.times.push(took);
        let wanted = ANSWERS_EACH * requests;
        if self.is_trial() && self.has_failed(wanted) {
            self.tried = 0;
            let pauses = if self.late() == self.times.len() { self.rule.clear_pauses } else { 1 };
            self.pause = self.next_pause.saturating_mul(pauses);
            self.next_pause = self.next_pause.saturating_mul(2);
        } else if self.times.len() < wanted && !self.is_decided(wanted) {
            return;
        } else {
            let answers = self.times.len();
            self.confirmed = requests;
            self.before = match self.rule.statistic {
                Statistic::Median => *self.times.select_nth_unstable((answers - 1) / 2).1,
                Statistic::Mean => self.times.iter().sum::<Duration>() / answers as u32,
            };
            let is_quick = requests == 1 && self.is_quick(self.before);
            let next = if is_quick { QUICK_READERS.min(self.requests_max) } else { 2 * requests };
            self.tried = if next <= self.requests_max { next } else { 0 };
        }
        (self.is_doubtful, self.skipped) = (false, 0);
        self.times.clear();
    }

    /// Whether the answers so far tell that those wanted come too late, whatever the others will be.
    fn has_failed(&self, wanted: usize) -> bool {
        match self.rule.statistic {
            Statistic::Median => 2 * self.late() >= wanted,
            Statistic::Mean => self.times.iter().sum::<Duration>() > self.time_max() * wanted as u32,
        }
    }

    /// Whether no further answers are needed: those of a trial come in time, whatever the others will be, or the first
    /// ones to a single reader were quick.
    fn is_decided(&self, wanted: usize) -> bool {
        match self.rule.statistic {
            Statistic::Mean => false,
            Statistic::Median if self.is_trial() => 2 * (self.times.len() - self.late()) > wanted,
            Statistic::Median => {
                self.confirmed == 1
                    && self.times.len() == QUICK_ANSWERS
                    && self.times.iter().all(|&time| self.is_quick(time))
            }
        }
    }

    /// The longest time in which an answer to twice as many requests may come.
    fn time_max(&self) -> Duration {
        let Rule { delay_max, parallel_delay_max, never_late, .. } = self.rule;
        if self.confirmed > 1 {
            self.before.mul_f64(parallel_delay_max)
        } else {
            self.before.mul_f64(delay_max).max(never_late)
        }
    }

    /// Whether an answer of a trial took longer.
    fn is_late(&self, took: Duration) -> bool {
        self.is_trial() && took > self.time_max()
    }

    /// Number of answers of the trial that took longer.
    fn late(&self) -> usize {
        let time_max = self.time_max();
        self.times.iter().filter(|&&time| time > time_max).count()
    }
}

impl State {
    /// The number of readers that may be at work.
    pub(crate) fn readers_max(&self) -> usize {
        if !self.admission.is_parallel() && self.admission.pauses() {
            READERS_IN_PAUSE.min(self.admission.requests_max)
        } else {
            self.admission.admitted()
        }
    }
}

impl Readers {
    /// For at most `readers_max` readers, of which `readers` are worth while already.
    pub(crate) fn new(readers_max: usize, readers: usize) -> Readers {
        let admission = Admission::new(readers_max, readers, READERS);
        let state = State { admission, active: 0, full_tables: 0, ended: readers_max == 0 };
        Readers { state: Mutex::new(state), turn: RwLock::default(), depth: Arc::default() }
    }

    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }

    /// Takes the time until the beginning of a file was there. `all_hash` tells that no worker waited for it.
    pub(crate) fn answered(&self, took: Duration, all_hash: bool) {
        let mut state = self.state();
        // Where hashing takes all processors, the reader may have waited for one of them and not for the place.
        if !(all_hash && state.admission.is_parallel() && state.admission.is_late(took)) {
            state.admission.observe(took);
        }
        lock(&self.depth.0).readers_are_tried = state.admission.is_trial();
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
    readers_are_tried: bool,
}

impl Default for Depth {
    fn default() -> Depth {
        let admission = Admission::new(RANGES_MAX, 1, RANGES);
        Depth(Mutex::new(Reads { admission, bytes: 0, time: Duration::ZERO, readers_are_tried: false }))
    }
}

impl Depth {
    /// The number of ranges for a file of this size. Without any, the system reads ahead as it does for other programs.
    pub(crate) fn ranges(&self, size: u64) -> usize {
        let reads = lock(&self.0);
        match reads.admission.admitted() {
            _ if reads.is_paused(size) => 0,
            1 => 0,
            ranges => ranges,
        }
    }

    /// Takes the time that reading a part of a file of this size took.
    pub(crate) fn observe(&self, size: u64, bytes: u64, took: Duration) {
        let reads = &mut *lock(&self.0);
        if reads.is_paused(size) {
            return;
        }
        reads.bytes += bytes;
        reads.time += took;
        let ranges = reads.bytes / RANGE_BYTES;
        if ranges > 0 {
            let each = reads.time.mul_f64(RANGE_BYTES as f64 / reads.bytes as f64);
            (reads.bytes, reads.time) = (0, Duration::ZERO);
            (0..ranges).for_each(|_| reads.admission.observe(each));
        }
    }
}

impl Reads {
    /// Whether nothing is announced of a file of this size.
    fn is_paused(&self, size: u64) -> bool {
        self.readers_are_tried && size <= UNANNOUNCED_FILE_BYTES_MAX
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MOMENT: Duration = Duration::from_millis(10);

    /// Opens files, each in a time that depends on how many readers there are; returns the numbers of readers that were
    /// confirmed, and how many opens were part of a trial.
    fn opens(opens: u32, readers_max: usize, took: impl Fn(u32) -> Duration) -> (usize, u32) {
        let mut admission = Admission::new(readers_max, 1, READERS);
        let mut tried = 0;
        for _ in 0..opens {
            tried += u32::from(admission.is_trial());
            admission.observe(took(admission.admitted() as u32));
        }
        (admission.confirmed, tried)
    }

    #[test]
    fn one_reader_stays_where_requests_are_answered_one_by_one() {
        let (readers, tried) = opens(10_000, 32, |readers| MOMENT * readers);
        assert_eq!(readers, 1);
        assert!(tried <= 100, "{tried}");
        // As on a disk whose head reads for others meanwhile: the sixth answer of a trial decides it.
        let slow = |readers| if readers == 1 { MOMENT } else { MOMENT * 40 };
        assert_eq!(opens(4 + 6, 32, slow), (1, 6));
        let pause = READERS.pause_answers * READERS.clear_pauses + 4;
        assert_eq!(opens(4 + 6 + pause, 32, slow), (1, 6));
        assert_eq!(opens(4 + 6 + pause + 1, 32, slow), (1, 7));
    }

    /// Between trials there are more readers than one, but not for the answers that a trial is compared with.
    #[test]
    fn a_single_head_gets_several_readers_between_trials() {
        let pause = READERS.pause_answers * READERS.clear_pauses;
        for (possible, together) in [(2, 2), (3, 3), (32, READERS_IN_PAUSE)] {
            let readers = Readers::new(possible, 1);
            let is_trial = || readers.state().admission.is_trial();
            (0..4).for_each(|_| readers.answered(MOMENT, false));
            while is_trial() {
                readers.answered(MOMENT * 3, false);
            }
            for answer in 0..pause + 4 {
                let expected = if answer < pause - ALONE_ANSWERS { together } else { 1 };
                assert!(!is_trial());
                assert_eq!(readers.state().readers_max(), expected, "{answer}");
                readers.answered(MOMENT, false);
            }
            assert!(is_trial());
        }
        assert_eq!(Readers::new(1, 1).state().readers_max(), 1);
    }

    /// As where one reader fills a line nearly: the beginning of another file waits for it.
    #[test]
    fn no_head_moves_within_a_moment() {
        let answers = |one: u64, two: u64| {
            let took = |readers| Duration::from_micros(if readers == 1 { one } else { two });
            opens(100, 2, took).0
        };
        assert_eq!((answers(500, 1900), answers(500, 2100), answers(1500, 2500)), (2, 1, 2));
    }

    /// After two answers within a moment, four readers read beside each other, and the trial ends as soon as enough of
    /// their answers are in time.
    #[test]
    fn a_quick_place_is_taken_to_be_parallel_at_once() {
        const QUICK: Duration = Duration::from_millis(1);
        for possible in [2, 3, 32] {
            let tried = QUICK_READERS.min(possible);
            for (answer, confirmed) in [(QUICK, tried), (MOMENT, 1)] {
                let mut admission = Admission::new(possible, 1, READERS);
                (0..QUICK_ANSWERS).for_each(|_| admission.observe(QUICK));
                assert_eq!((admission.confirmed(), admission.admitted(), admission.is_parallel()), (1, tried, true));
                // The first ones do not count.
                (0..tried + 2 * tried + 1).for_each(|_| admission.observe(answer));
                assert_eq!((admission.confirmed(), admission.is_parallel()), (confirmed, confirmed > 1), "{possible}");
            }
        }
        // One slow answer, and the place may have a head: what came first may have been in a cache.
        let mut admission = Admission::new(32, 1, READERS);
        [QUICK, QUICK, MOMENT].into_iter().for_each(|took| admission.observe(took));
        assert_eq!((admission.admitted(), admission.is_parallel()), (QUICK_READERS, false));
        let mut admission = Admission::new(32, 1, READERS);
        [QUICK, MOMENT, QUICK].into_iter().for_each(|took| admission.observe(took));
        assert_eq!((admission.admitted(), admission.is_parallel()), (1, false));
    }

    /// A reader that waits for a processor does not tell that the place is slow.
    #[test]
    fn late_answers_do_not_count_while_all_hash() {
        for (all_hash, expected) in [(true, 4), (false, 2)] {
            let readers = Readers::new(32, 2);
            (0..8).for_each(|_| readers.answered(MOMENT, all_hash));
            assert_eq!(readers.state().admission.admitted(), 4);
            (0..40).for_each(|_| readers.answered(MOMENT * 10, all_hash));
            assert_eq!(readers.state().admission.admitted(), expected);
        }
        // Where a head may have moved, they do.
        let readers = Readers::new(32, 1);
        (0..4).for_each(|_| readers.answered(MOMENT, true));
        (0..20).for_each(|_| readers.answered(MOMENT * 10, true));
        assert_eq!(readers.state().admission.admitted(), 1);
    }

    /// A trial that some answers spoke for may have failed by chance, and is soon repeated.
    #[test]
    fn what_was_not_clear_is_soon_tried_again() {
        let mut admission = Admission::new(32, 1, READERS);
        (0..4).for_each(|_| admission.observe(MOMENT));
        let mut answers = 0;
        while admission.is_trial() {
            admission.observe(if answers == 2 { MOMENT } else { MOMENT * 2 });
            answers += 1;
        }
        assert_eq!((answers, admission.pause), (7, READERS.pause_answers));
    }

    /// As on a disk, where one reader has a slow answer now and then, and where every third answer to two is quick: the
    /// file of the other one is so long that it waits for its turn, and no head moves.
    #[test]
    fn a_disk_is_no_server_because_readers_wait_for_each_other_now_and_then() {
        for first in 0..4 {
            let mut admission = Admission::new(32, 1, READERS);
            for number in 0..10_000 {
                let is_late = if admission.is_trial() { (number + first) % 3 != 0 } else { (number + first) % 4 == 0 };
                admission.observe(if is_late { MOMENT * 2 } else { MOMENT });
            }
            assert_eq!(admission.confirmed, 1, "{first}");
        }
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
        const LONG: u64 = UNANNOUNCED_FILE_BYTES_MAX + 1;
        let depth = Depth::default();
        let mut most = 0;
        for _ in 0..reads {
            let announced = depth.ranges(LONG);
            most = most.max(announced);
            (0..2).for_each(|_| depth.observe(LONG, RANGE_BYTES / 2, took(announced as u32) / 2));
        }
        (depth.ranges(LONG), most)
    }

    /// Each range of a long read counts as an answer: trials take the same number of bytes, however long a slot is.
    #[test]
    fn long_reads_are_several_answers() {
        const LONG: u64 = UNANNOUNCED_FILE_BYTES_MAX + 1;
        let ranges_after = |reads: u32, ranges: u32| {
            let depth = Depth::default();
            (0..reads).for_each(|_| depth.observe(LONG, RANGE_BYTES * u64::from(ranges), MOMENT * ranges));
            depth.ranges(LONG)
        };
        for bytes in [24, 60, 180] {
            assert_eq!(ranges_after(bytes, 1), ranges_after(bytes / 6, 6), "{bytes}");
        }
        assert_eq!(ranges_after(30, 6), RANGES_MAX);
    }

    #[test]
    fn nothing_is_announced_of_short_files_while_readers_are_tried() {
        const SHORT: u64 = UNANNOUNCED_FILE_BYTES_MAX;
        let readers = Readers::new(32, 1);
        let ranges = || (readers.depth.ranges(SHORT), readers.depth.ranges(SHORT + 1));
        (0..1000).for_each(|_| readers.depth.observe(SHORT, RANGE_BYTES, MOMENT));
        assert_eq!(ranges(), (RANGES_MAX, RANGES_MAX));
        (0..4).for_each(|_| readers.answered(MOMENT, false));
        assert_eq!((readers.state().admission.admitted(), ranges()), (2, (0, RANGES_MAX)));
        // Without announcements reads take longer, which says nothing against those.
        (0..1000).for_each(|_| readers.depth.observe(SHORT, RANGE_BYTES, MOMENT * 100));
        (0..10).for_each(|_| readers.answered(MOMENT, false));
        assert_eq!((readers.state().admission.admitted(), ranges()), (4, (0, RANGES_MAX)));
        (0..20).for_each(|_| readers.answered(MOMENT * 3, false));
        assert_eq!((readers.state().admission.admitted(), ranges()), (2, (RANGES_MAX, RANGES_MAX)));
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
