//! How many readers the adaptive mode has for files that come late.

use crate::sync::lock;
use std::sync::{Mutex, MutexGuard};
use std::time::Duration;

/// Files that each reader opens before their number is judged.
const OPENS_EACH: u32 = 4;

/// Opens after a trial that failed before there is another one; then four times as many.
const PAUSE_OPENS: u32 = 32;

/// The readers of a run.
pub(crate) struct Readers {
    state: Mutex<State>,
    /// Held while a long file is read from a place that was not found to answer several requests at once: in turns, two
    /// long files would move a head at every request.
    pub(crate) turn: Mutex<()>,
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

/// Decides how many readers there are, by the time that opening takes.
pub(crate) struct Admission {
    readers_max: usize,
    /// The number that is known to be worth while.
    confirmed: usize,
    /// Whether twice as many are being tried.
    is_trial: bool,
    /// The mean time of opening by the confirmed number.
    before: Duration,
    /// Opens since the number changed, and the time that those took which count.
    opens: u32,
    time: Duration,
    /// Opens until the next trial, and after the one that fails next: a single slow answer may have been chance.
    pause: u32,
    next_pause: u32,
}

impl Admission {
    fn new(readers_max: usize, readers: usize) -> Admission {
        Admission {
            readers_max,
            confirmed: readers.clamp(1, readers_max.max(1)),
            is_trial: false,
            before: Duration::ZERO,
            opens: 0,
            time: Duration::ZERO,
            pause: 0,
            next_pause: PAUSE_OPENS,
        }
    }

    /// The number of readers that may be at work.
    pub(crate) fn readers(&self) -> usize {
        if self.is_trial { 2 * self.confirmed } else { self.confirmed }
    }

    /// The number of readers that proved worth while.
    pub(crate) fn confirmed(&self) -> usize {
        self.confirmed
    }

    /// Whether the place is known to answer several requests at once.
    pub(crate) fn is_parallel(&self) -> bool {
        self.confirmed > 1
    }

    /// Tries no more readers, because the system grants no threads.
    pub(crate) fn end_trials(&mut self) {
        (self.is_trial, self.readers_max) = (false, 1);
    }

    /// Takes the time that a reader took to open a file.
    pub(crate) fn observe(&mut self, took: Duration) {
        if self.pause > 0 {
            self.pause -= 1;
            return;
        }
        if self.confirmed * 2 > self.readers_max {
            return;
        }
        let readers = self.readers() as u32;
        self.opens += 1;
        // The first ones may have begun before the last reader did.
        let skipped = if self.is_trial { readers } else { 0 };
        let Some(counted) = self.opens.checked_sub(skipped).filter(|&counted| counted > 0) else { return };
        self.time += took;
        let wanted = OPENS_EACH * readers;
        // Twice the readers gain a third where opening takes half as long again.
        let has_failed = self.is_trial && self.time > self.before.mul_f64(1.5) * wanted;
        if has_failed {
            self.is_trial = false;
            self.pause = self.next_pause;
            self.next_pause = self.next_pause.saturating_mul(4);
        } else if counted < wanted {
            return;
        } else {
            self.confirmed = readers as usize;
            self.before = self.time / counted;
            self.is_trial = self.confirmed * 2 <= self.readers_max;
        }
        (self.opens, self.time) = (0, Duration::ZERO);
    }
}

impl Readers {
    /// For at most `readers_max` readers, of which `readers` are worth while already.
    pub(crate) fn new(readers_max: usize, readers: usize) -> Readers {
        let admission = Admission::new(readers_max, readers);
        let state = State { admission, active: 0, full_tables: 0, ended: readers_max == 0 };
        Readers { state: Mutex::new(state), turn: Mutex::default() }
    }

    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }

    /// Whether files that nobody can tell of are left to readers.
    pub(crate) fn is_wanted(&self) -> bool {
        !self.state().ended
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MOMENT: Duration = Duration::from_millis(1);

    /// Opens files, each in a time that depends on how many readers there are; returns the numbers of readers that were
    /// confirmed, and how many opens were part of a trial.
    fn opens(opens: u32, readers_max: usize, took: impl Fn(u32) -> Duration) -> (usize, u32) {
        let mut admission = Admission::new(readers_max, 1);
        let mut tried = 0;
        for _ in 0..opens {
            tried += u32::from(admission.is_trial);
            admission.observe(took(admission.readers() as u32));
        }
        (admission.confirmed, tried)
    }

    #[test]
    fn one_reader_stays_where_requests_are_answered_one_by_one() {
        let (readers, tried) = opens(10_000, 32, |readers| MOMENT * readers);
        assert_eq!(readers, 1);
        assert!(tried <= 60, "{tried}");
        // As on a disk whose head reads for others meanwhile: the third open of a trial decides it.
        let slow = |readers| if readers == 1 { MOMENT } else { MOMENT * 40 };
        assert_eq!(opens(4 + 3, 32, slow), (1, 3));
        assert_eq!(opens(4 + 3 + PAUSE_OPENS + 4, 32, slow), (1, 3));
    }

    #[test]
    fn readers_are_as_many_as_are_answered_at_once() {
        for at_once in [2, 4, 8, 16, 32, 64] {
            let (readers, _) = opens(2000, 32, |readers| MOMENT * readers.div_ceil(at_once));
            assert_eq!(readers, at_once.min(32) as usize);
        }
        assert_eq!(opens(2000, 24, |_| MOMENT).0, 16);
        assert_eq!(opens(2000, 1, |_| MOMENT), (1, 0));
    }

    #[test]
    fn a_slow_answer_by_chance_is_forgotten() {
        let mut admission = Admission::new(32, 1);
        (0..4).for_each(|_| admission.observe(MOMENT));
        (0..3).for_each(|_| admission.observe(MOMENT * 100));
        assert_eq!(admission.readers(), 1);
        (0..500).for_each(|_| admission.observe(MOMENT));
        assert_eq!(admission.confirmed, 32);
    }

    #[test]
    fn only_a_place_that_answers_several_at_once_is_parallel() {
        let mut admission = Admission::new(4, 1);
        let mut seen = Vec::new();
        for _ in 0..100 {
            seen.push((admission.readers(), admission.is_parallel()));
            admission.observe(MOMENT);
        }
        seen.dedup();
        assert_eq!(seen, [(1, false), (2, false), (4, true)]);
    }
}
