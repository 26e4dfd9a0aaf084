//! The plan of kernels that advance a number of lanes in the least time.

use super::LANES_MAX;
use super::kernel::{self, Kernel};

/// The kernels of one algorithm, and for each number of running lanes the one to begin with.
pub(super) struct Plan {
    kernels: Vec<&'static Kernel>,
    /// Kernel for the first lanes of this many; the plan for the others is that of their number.
    begin: [u8; LANES_MAX + 1],
    /// Picoseconds in which this many running lanes advance by one block.
    cost: [u64; LANES_MAX + 1],
    lanes: usize,
}

impl Plan {
    /// `None` without kernels. Those with more lanes than the one that hashes fastest are left out; where two are as
    /// fast within 8 %, which is more than measurements differ, the one with fewer lanes counts as faster, since the
    /// messages of its lanes take less of the caches.
    pub(super) fn new(mut kernels: Vec<&'static Kernel>) -> Option<Plan> {
        kernel::measure(&kernels);
        let time = |kernel: &Kernel| u64::from(kernel.cost()) * (LANES_MAX / kernel.lanes) as u64;
        let least = kernels.iter().map(|kernel| time(kernel)).min()?;
        let fastest = kernels.iter().filter(|kernel| time(kernel) <= least + least / 12);
        let lanes = fastest.map(|kernel| kernel.lanes).min()?;
        kernels.retain(|kernel| kernel.lanes <= lanes);
        let mut begin = [0; LANES_MAX + 1];
        let mut cost = [0_u64; LANES_MAX + 1];
        for running in 1..=LANES_MAX {
            let total = |kernel: &Kernel| u64::from(kernel.cost()) + cost[running.saturating_sub(kernel.lanes)];
            let best = (0..kernels.len()).min_by_key(|&index| total(kernels[index]))?;
            begin[running] = best as u8;
            cost[running] = total(kernels[best]);
        }
        Some(Plan { kernels, begin, cost, lanes })
    }

    /// Lanes of the kernel that hashes fastest.
    pub(super) fn lanes(&self) -> usize {
        self.lanes
    }

    /// Picoseconds in which this many running lanes (up to [`LANES_MAX`]) advance by one block, by the measured costs
    /// of the kernels.
    pub(super) fn cost(&self, running: usize) -> u64 {
        self.cost[running]
    }

    /// The kernels that run for some number of lanes, up to all; the widest first.
    pub(super) fn chosen(&self) -> Vec<&'static Kernel> {
        let mut chosen: Vec<_> = (1..=self.lanes).map(|running| self.begin[running]).collect();
        chosen.sort_unstable();
        chosen.dedup();
        let mut chosen: Vec<_> = chosen.into_iter().map(|index| self.kernels[usize::from(index)]).collect();
        chosen.sort_by_key(|kernel| std::cmp::Reverse(kernel.lanes));
        chosen
    }

    /// The kernel to begin with for this number of running lanes (1 to [`LANES_MAX`]).
    pub(super) fn kernel(&self, running: usize) -> &'static Kernel {
        self.kernels[usize::from(self.begin[running])]
    }
}
