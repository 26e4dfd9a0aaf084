//! Processor time of this thread: what else the machine does is not in it.

use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

pub fn thread_time() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}
