//! Whether the times that a runner tells can be true, by what the laboratory has seen of it.
//!
//! A runner holds the clock itself: nobody else knows when its work begins and ends to the microsecond. But it cannot
//! have worked longer than passed, nor much less than the processor time that it took between two of its lines.

use crate::process::CpuTime;
use crate::protocol::{Sample, Task};
use crate::quantity::counted;
use std::time::Instant;

/// Upper bound of the bytes that are hashed, encrypted or read in a nanosecond on one thread: the fastest checksum does
/// in the first-level cache about a tenth of it.
const BYTES_PER_NS_MAX: u64 = 1000;

/// Work that other threads of a runtime (compiler, garbage collector) may do beside a pass.
const RUNTIME_NS: u64 = 20_000_000;

/// Work that a runner may do between two lines beside the pass (formatting and writing one), for each repeat.
const ALLOWANCE_NS: u64 = 5_000_000;

/// By how much the work that was seen may exceed what was claimed. Half of the true time passes; a third does not.
const FACTOR: u64 = 2;

/// A moment of a conversation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Moment {
    pub(crate) at: Instant,
    pub(crate) cpu: CpuTime,
}

impl Moment {
    /// The work since an earlier moment.
    pub(crate) fn work_since(self, earlier: Moment) -> Work {
        let passed_ns = u64::try_from((self.at - earlier.at).as_nanos()).unwrap_or(u64::MAX);
        let first_ns = self.cpu.first_thread_ns.saturating_sub(earlier.cpu.first_thread_ns);
        let all_ns = self.cpu.all_threads_ns.saturating_sub(earlier.cpu.all_threads_ns);
        let thread_ns = first_ns.max(all_ns.saturating_sub(RUNTIME_NS));
        Work { all_ns: passed_ns.min(all_ns), thread_ns: passed_ns.min(thread_ns) }
    }
}

/// Work that was seen of a process: no more than time passed, and no more than it got of the processor, so that other
/// work on the machine does not count.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Work {
    /// Of all threads.
    pub(crate) all_ns: u64,
    /// Of the one that does the task, at least: a clock of one thread rightly omits the others.
    pub(crate) thread_ns: u64,
}

/// Describes the times that cannot be true; `None` if nothing speaks against them.
///
/// `passed_ns` is the time from the task to its last line. `work` is, for each repeat of which it is known, the work
/// that was seen while the repeat was timed.
pub(crate) fn objection(
    task: &Task,
    samples: &[Sample],
    passed_ns: u128,
    work: &[Option<Work>],
    clock_ns: u64,
) -> Option<String> {
    let claimed: u128 = samples.iter().map(|sample| u128::from(sample.wall_ns)).sum();
    if claimed > passed_ns {
        return Some(format!("its repeats took {claimed} ns together, more than passed ({passed_ns} ns)"));
    }
    for sample in samples {
        let (repeat, wall_ns) = (sample.repeat, sample.wall_ns);
        if wall_ns == 0 {
            return Some(format!("repeat {repeat} took 0 ns by its clock"));
        }
        if task.bytes > wall_ns.saturating_mul(BYTES_PER_NS_MAX) {
            return Some(format!(
                "repeat {repeat} took {wall_ns} ns by its clock for {} bytes, which is beyond any processor",
                task.bytes
            ));
        }
    }
    let seen: Vec<(&Sample, Work)> =
        samples.iter().zip(work).filter_map(|(sample, work)| Some((sample, (*work)?))).collect();
    let count = seen.len() as u64;
    let sum = |values: &mut dyn Iterator<Item = u64>| values.fold(0, u64::saturating_add);
    let too_little = |claimed: u64, work: u64, step_ns: u64| {
        let most = claimed.saturating_mul(FACTOR).saturating_add(count.saturating_mul(ALLOWANCE_NS + step_ns));
        count > 0 && work > most
    };
    let repeats = counted(count, "repeat", "repeats");
    let wall = sum(&mut seen.iter().map(|(sample, _)| sample.wall_ns));
    let work = sum(&mut seen.iter().map(|(_, work)| work.all_ns));
    if too_little(wall, work, 0) {
        return Some(format!(
            "{repeats} took {wall} ns by its clock, while the process worked {work} ns of the processor's time"
        ));
    }
    let cpu: Option<Vec<u64>> = seen.iter().map(|(sample, _)| sample.cpu_ns).collect();
    let cpu = sum(&mut cpu?.into_iter());
    let work = sum(&mut seen.iter().map(|(_, work)| work.thread_ns));
    // A clock of the processor that goes in steps may miss one for each repeat.
    too_little(cpu, work, clock_ns).then(|| {
        format!("{repeats} took {cpu} ns of the processor's time by its clock, while the process worked {work} ns")
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::Mode;
    use std::collections::BTreeMap;

    fn task(bytes: u64, repeats: u32) -> Task {
        Task {
            id: 1,
            mode: Mode::Digest,
            algorithm: "md5".to_owned(),
            path: String::new(),
            repeat_path: String::new(),
            bytes,
            count: 1,
            chunk_bytes: 0,
            warm_up: 0,
            repeats,
            parameters: BTreeMap::new(),
        }
    }

    /// Two repeats that claim these times while so much work was seen.
    fn judge(wall_ns: u64, cpu_ns: Option<u64>, work_ns: u64) -> Option<String> {
        judge_threads(wall_ns, cpu_ns, Work { all_ns: work_ns, thread_ns: work_ns })
    }

    fn judge_threads(wall_ns: u64, cpu_ns: Option<u64>, work: Work) -> Option<String> {
        let sample = |repeat| Sample { id: 1, repeat, wall_ns, cpu_ns, answer: String::new() };
        objection(&task(16 << 20, 2), &[sample(0), sample(1)], 1 << 40, &[Some(work); 2], 1)
    }

    #[test]
    fn times_are_held_against_what_was_seen() {
        const MS: u64 = 1_000_000;
        // An honest runner: as much, somewhat more for printing, or less because the system does not tell.
        assert_eq!(judge(22 * MS, Some(22 * MS), 22 * MS), None);
        assert_eq!(judge(22 * MS, Some(22 * MS), 27 * MS), None);
        assert_eq!(judge(22 * MS, None, 0), None);
        // Small tasks, where printing is most of the work.
        assert_eq!(judge(MS / 20, Some(MS / 20), 4 * MS), None);
        // 1 ns, a quarter and a third of the real time.
        assert!(judge(0, None, 22 * MS).is_some_and(|text| text.contains("0 ns")));
        assert!(judge(1, None, 22 * MS).is_some_and(|text| text.contains("beyond any processor")));
        assert!(judge(40_000, None, 22 * MS).is_some_and(|text| text.contains("worked 44000000 ns")));
        assert!(judge(22 * MS / 4, None, 22 * MS).is_some());
        assert!(judge(30 * MS / 3, None, 30 * MS).is_some());
        // A runtime that compiled beside the pass, and work in a second thread that the wall time hides.
        let beside = Work { all_ns: 22 * MS, thread_ns: 2 * MS };
        assert_eq!(judge_threads(22 * MS, Some(2 * MS), beside), None);
        assert!(judge_threads(2 * MS, Some(2 * MS), beside).is_some_and(|text| text.contains("worked 44000000 ns")));
        // The time of the processor alone.
        assert!(
            judge(22 * MS, Some(1), 22 * MS).is_some_and(|text| text.contains("of the processor's time by its clock"))
        );
    }

    #[test]
    fn a_coarse_clock_of_the_processor_is_no_lie() {
        let sample = |repeat| Sample { id: 1, repeat, wall_ns: 14_000_000, cpu_ns: Some(0), answer: String::new() };
        let samples = [sample(0), sample(1)];
        let work = Work { all_ns: 14_000_000, thread_ns: 14_000_000 };
        let objection = |clock_ns| objection(&task(1, 2), &samples, 1 << 40, &[Some(work); 2], clock_ns);
        assert_eq!(objection(15_625_000), None);
        assert!(objection(1).is_some());
    }

    #[test]
    fn more_than_passed_is_impossible() {
        let sample = Sample { id: 1, repeat: 0, wall_ns: 1000, cpu_ns: None, answer: String::new() };
        assert!(objection(&task(1, 1), std::slice::from_ref(&sample), 999, &[None], 1).is_some());
        assert_eq!(objection(&task(1, 1), std::slice::from_ref(&sample), 1000, &[None], 1), None);
    }
}
