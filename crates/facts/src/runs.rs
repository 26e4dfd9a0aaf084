//! The runs of one byte in a part of a message.

use crate::Run;
use pfh_vector::runs::Kernels;

/// The runs of a part that has at least one byte, as far as they decide about the longest one of the whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Runs {
    /// The run at the beginning of the part.
    first: Run,
    /// The run at its end, which may go on.
    last: Run,
    longest: Run,
}

impl Runs {
    /// Continues the runs up to `start` with the bytes from there on.
    pub(crate) fn extended(before: Option<Runs>, kernels: Kernels, start: u64, bytes: &[u8]) -> Option<Runs> {
        let Some(&next) = bytes.first() else { return before };
        let place = |from: usize| start + from as u64;
        let mut runs = before.unwrap_or_else(|| {
            let none = Run { byte: next, offset: start, bytes: 0 };
            Runs { first: none, last: none, longest: none }
        });
        let mut from = kernels.count_leading(bytes, runs.last.byte);
        let is_one = runs.is_one();
        runs.last.bytes += from as u64;
        if is_one {
            runs.first = runs.last;
        }
        runs.note(runs.last);
        // A run begins at `from`, and nothing before it is needed any more.
        while from < bytes.len() {
            let least = usize::try_from(runs.longest.bytes + 1).unwrap_or(usize::MAX).max(2);
            let rest = &bytes[from..];
            // The run at the end counts however short it is, because it may go on.
            let run = kernels.find(rest, least).unwrap_or_else(|| kernels.last_run(rest));
            runs.last = Run { byte: rest[run.start], offset: place(from + run.start), bytes: run.len() as u64 };
            runs.note(runs.last);
            from += run.end;
        }
        Some(runs)
    }

    /// Joins the runs of two parts, of which the later one begins where the earlier one ends.
    #[must_use]
    pub fn join(self, later: Runs) -> Runs {
        if self.last.byte != later.first.byte {
            let mut joined = Runs { last: later.last, ..self };
            joined.note(later.longest);
            return joined;
        }
        let middle = Run { bytes: self.last.bytes + later.first.bytes, ..self.last };
        let mut joined = Runs {
            first: if self.is_one() { middle } else { self.first },
            last: if later.is_one() { middle } else { later.last },
            longest: self.longest,
        };
        joined.note(middle);
        joined.note(later.longest);
        joined
    }

    /// Returns the longest run, and the first one if several are as long.
    pub fn longest(self) -> Run {
        self.longest
    }

    /// Whether the part is one run.
    fn is_one(self) -> bool {
        self.first.offset == self.last.offset
    }

    /// Notes a run that does not begin before those noted so far.
    fn note(&mut self, run: Run) {
        if run.bytes > self.longest.bytes {
            self.longest = run;
        }
    }
}
