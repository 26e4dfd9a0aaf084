//! Every limit of a run, in one place, with the sums behind it.

use crate::digesting::{FamilyRule, SIMILARITY_BYTES};
use crate::options::{Mode, Options};
use pfh_digest::KeyError;
use pfh_similarity::{Backend, Family, Hasher, SimilarityOptions};
use std::fmt;

/// Largest slot. A copy from the page cache reaches its full rate from 64 KiB on; 256 KiB keeps system calls below 1 %
/// and stays inside a 1 MiB second-level cache together with the hash states.
const SLOT_BYTES_MAX: usize = 256 << 10;
/// Largest slot where a worker fills many lanes at once: 32 lanes of 64 KiB are the 2 MiB of a second-level cache.
const LANE_SLOT_BYTES_MAX: usize = 64 << 10;
/// Largest slot where files wait for each other to be digested many at once: what is longer gains nothing by that. Of short
/// files little more than the first page of a slot is touched.
const BATCHED_SLOT_BYTES_MAX: usize = 1 << 20;
/// Largest slot with direct I/O, where each read waits for the device: with 256 KiB a virtual disk gave 74 % of its rate at
/// a third of a core, with 4 MiB all of it at 7 %.
const DIRECT_SLOT_BYTES_MAX: usize = 4 << 20;
/// Smallest slot: below this the system calls dominate.
pub(crate) const SLOT_BYTES_MIN: usize = 16 << 10;
/// Slots are aligned to this, and a multiple of it, so that direct I/O can fill them.
pub(crate) const SLOT_ALIGN_BYTES: usize = 4096;
/// Slots that each worker must be able to hold at once: one being filled, one being hashed, two on their way.
const SLOTS_PER_THREAD_MIN: usize = 4;
/// Bytes between slots: room for padding behind a message, and a distance that is no multiple of 4096, so that lanes do
/// not compete for the same cache sets. None with direct I/O, which wants every slot aligned.
pub(crate) const SLOT_GAP_BYTES: usize = 704;

/// Jobs handed to a worker at a time: files of one directory stay together, and the lock is taken once for all of them.
pub(crate) const GRAB_MAX: usize = 16;
/// Records that a worker keeps before it hands them to the collector.
pub(crate) const RECORDS_HELD_MAX: usize = 32;
/// Entries that the walk collects before it takes the queue's lock.
pub(crate) const WALK_GROUP_MAX: usize = 64;

/// From this size on a file with several digests is spread over workers: 8 MiB of MD5 is 10 ms, against some 10 µs
/// for handing work over.
pub(crate) const SPREAD_FILE_BYTES: u64 = 8 << 20;
/// Bytes of one spread file that are read ahead of its slowest digest.
pub(crate) const SPREAD_AHEAD_BYTES: usize = 2 << 20;

/// From this size on a file may get a worker's lanes nearly to itself: in full lanes, 16 MiB take some 0.1 s, and alone 30 ms.
pub(crate) const EXCLUSIVE_FILE_BYTES: u64 = 16 << 20;

/// Look-ahead window: opened files per worker. 256 reads in flight reach what io_uring reaches on solid state.
pub(crate) const WINDOW_FILES_MAX: usize = 256;
/// Bytes announced per file of the window.
pub(crate) const WINDOW_FILE_BYTES: u64 = 1 << 20;

/// Files in one slot of prefetched small files.
pub(crate) const BATCH_FILES_MAX: usize = 32;
/// Whole files that wait for each other to be digested many at once: twice what the kernel takes side by side, so that it has
/// another one when a short one ends.
pub(crate) const BATCHED_FILES_MAX: usize = 64;
/// Their bytes. The kernel also takes parts of long files side by side, so that few of these are enough: eight of 1 MiB each gave
/// 2.9 GB/s, four 2.5 and two 1.7.
pub(crate) const BATCHED_BYTES_MAX: usize = 8 << 20;
/// Jobs that `balance` looks at, and times a job may be passed over.
pub(crate) const BALANCE_JOBS: usize = 256;

/// Bytes that a waiting job and, later, its record cost besides path and digests (allocations, queue places).
pub(crate) const JOB_BYTES: u64 = 192;
/// Bytes of one known hard link (map entry, metadata, two digests), besides those of families.
const LINK_BYTES: u64 = 512;

/// The least share of a family whose digests grow: any file of 1 MiB has one.
const GROWTH_BYTES_MIN: u64 = 512 << 10;

const _: () = assert!(
    SLOT_BYTES_MAX.is_multiple_of(SLOT_ALIGN_BYTES)
        && DIRECT_SLOT_BYTES_MAX.is_multiple_of(SLOT_ALIGN_BYTES)
        && SLOT_BYTES_MIN.is_multiple_of(SLOT_ALIGN_BYTES)
);
// A batch of small files needs room for each of its files.
const _: () = assert!(SLOT_BYTES_MIN / BATCH_FILES_MAX >= 512);

/// How the memory option is divided. The parts add up to no more than it; shares are of what the states of the similarity
/// families leave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Budget {
    /// Length of one slot.
    pub(crate) slot_bytes: usize,
    /// Distance from one slot to the next.
    pub(crate) stride_bytes: usize,
    /// Number of slots: where readers fill them ahead, ⅝ of the memory, or ⅜ where digests grow; otherwise what the workers
    /// can hold.
    pub(crate) slots: usize,
    /// Lanes that each worker may fill; 0 where there are none, or too little memory for them.
    pub(crate) lanes: usize,
    /// Whether families digest many whole files at once.
    pub(crate) is_batched: bool,
    /// Files that each worker may let wait for each other for that, beside those in its lanes.
    pub(crate) batched_files: usize,
    /// Bytes that may be announced ahead (they sit in the page cache): ¼.
    pub(crate) announced_bytes: u64,
    /// Jobs and records that wait: what is left, at least 1/16. It decides how far other files may get ahead of a huge
    /// one in a run whose output is in order.
    pub(crate) waiting_bytes: u64,
    /// Digests that grow with their files, while these are read: ¾ of what would be left otherwise. 0 where there are none.
    pub(crate) growth_bytes: u64,
    /// Known hard links: 1/16.
    pub(crate) links: usize,
}

/// Why a run could not start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum StartError {
    /// The memory option cannot hold a run with so many threads.
    MemoryTooSmall {
        /// What was asked.
        memory_bytes: u64,
        /// The least that works with these threads and prefetchers.
        least_bytes: u64,
    },
    /// The system does not grant the memory table.
    MemoryRefused {
        /// Its size.
        table_bytes: u64,
    },
    /// The system does not grant the threads.
    ThreadsRefused {
        /// How many there were to be, prefetchers included.
        threads: usize,
    },
    /// An algorithm does not get the key or the context that it needs.
    Key(KeyError),
}

impl fmt::Display for StartError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StartError::MemoryTooSmall { memory_bytes, least_bytes } => write!(
                f,
                "{memory_bytes} bytes of memory are too few for these threads and prefetchers; {least_bytes} is the least"
            ),
            StartError::MemoryRefused { table_bytes } => write!(
                f,
                "the system does not grant {table_bytes} bytes for the memory table; ask for less memory, or for fewer threads"
            ),
            StartError::Key(error) => error.fmt(f),
            StartError::ThreadsRefused { threads } => {
                write!(
                    f,
                    "the system does not grant {threads} threads; ask for fewer, or let it grant more (ulimit -u)"
                )
            }
        }
    }
}

impl std::error::Error for StartError {}

impl Budget {
    /// `lanes` is what one worker can fill at best.
    pub(crate) fn new(options: &Options, lanes: usize) -> Result<Budget, StartError> {
        let readers = if options.mode == Mode::Mtp || options.direct { options.prefetchers } else { 0 };
        let holders = options.threads.max(1).saturating_add(readers);
        let gap_bytes = if options.direct { 0 } else { SLOT_GAP_BYTES };
        // A holder has a file in each lane, one of its own, and works on a chain; families' states exist only then.
        let growing = options.selection.families().iter().filter(|family| family.digests_grow()).count() as u64;
        let family_bytes: usize = options.selection.families().iter().map(|family| family.state_bytes()).sum();
        let shared_bytes: usize = options.selection.families().iter().map(|family| family.shared_bytes()).sum();
        let many_bytes: usize = match options.mode {
            Mode::Smt => 0,
            Mode::Adaptive | Mode::Mtp => {
                options.selection.families().iter().map(|family| family.many_state_bytes()).sum()
            }
        };
        let states_bytes = |lanes: usize, is_batched: bool| {
            let states =
                (lanes + 2).saturating_mul(family_bytes) + shared_bytes + if is_batched { many_bytes } else { 0 };
            (holders.saturating_mul(states) as u64).saturating_add(growing * GROWTH_BYTES_MIN)
        };
        // Prefetchers hand over several files in a slot anyway.
        let batched = |is_batched: bool| if is_batched && readers == 0 { BATCHED_FILES_MAX } else { 0 };
        let table_eighths: usize = if growing > 0 { 3 } else { 5 };
        // One alignment unit is lost at the start of the allocation.
        let table_bytes_for = |lanes: usize, is_batched: bool| {
            let memory_bytes = options.memory_bytes.saturating_sub(states_bytes(lanes, is_batched));
            let eighth = usize::try_from(memory_bytes / 8).unwrap_or(usize::MAX);
            eighth.saturating_mul(table_eighths).saturating_sub(SLOT_ALIGN_BYTES)
        };
        let slot_bytes_for = |lanes: usize, is_batched: bool| {
            let table_bytes = table_bytes_for(lanes, is_batched);
            let slots_least = holders.saturating_mul(SLOTS_PER_THREAD_MIN + lanes + batched(is_batched));
            let share = (table_bytes / slots_least).saturating_sub(gap_bytes);
            let most = match lanes {
                // Where digests grow, no device waits for its reader.
                _ if options.direct && growing == 0 => DIRECT_SLOT_BYTES_MAX,
                _ if batched(is_batched) > 0 && growing == 0 => BATCHED_SLOT_BYTES_MAX,
                0 => SLOT_BYTES_MAX,
                _ if batched(is_batched) > 0 => SLOT_BYTES_MAX,
                _ => LANE_SLOT_BYTES_MAX,
            };
            (share / SLOT_ALIGN_BYTES * SLOT_ALIGN_BYTES).min(most)
        };
        // Lanes are not worth what all else needs, and less than digesting in batches: families take longer.
        let fits = |&(lanes, is_batched): &(usize, bool)| {
            states_bytes(lanes, is_batched) <= options.memory_bytes / 4
                && slot_bytes_for(lanes, is_batched) >= SLOT_BYTES_MIN
        };
        let pays = many_bytes > 0;
        let (lanes, is_batched) =
            [(lanes, pays), (0, pays), (lanes, false)].into_iter().find(fits).unwrap_or((0, false));
        let slot_bytes = slot_bytes_for(lanes, is_batched);
        if slot_bytes < SLOT_BYTES_MIN {
            let least = holders.saturating_mul(SLOTS_PER_THREAD_MIN).saturating_mul(SLOT_BYTES_MIN + gap_bytes);
            let least = (least + SLOT_ALIGN_BYTES) as u64;
            let least = least.div_ceil(table_eighths as u64).saturating_mul(8) + 8;
            let least_bytes = least.saturating_add(states_bytes(0, false));
            return Err(StartError::MemoryTooSmall { memory_bytes: options.memory_bytes, least_bytes });
        }
        let memory_bytes = options.memory_bytes - states_bytes(lanes, is_batched);
        let table_bytes = table_bytes_for(lanes, is_batched);
        let stride_bytes = slot_bytes + gap_bytes;
        let slots_wanted = if readers > 0 {
            usize::MAX
        } else {
            holders * (SLOTS_PER_THREAD_MIN + lanes + batched(is_batched) + SPREAD_AHEAD_BYTES.div_ceil(slot_bytes))
        };
        let slots = (table_bytes / stride_bytes).min(slots_wanted);
        let announced_bytes = memory_bytes / 4;
        let links_bytes = memory_bytes / 16;
        let table_bytes = (slots * stride_bytes + SLOT_ALIGN_BYTES) as u64;
        let left_bytes = memory_bytes - table_bytes - announced_bytes - links_bytes;
        let growth_share = if growing > 0 { left_bytes / 4 * 3 } else { 0 };
        Ok(Budget {
            slot_bytes,
            stride_bytes,
            slots,
            lanes,
            is_batched,
            batched_files: batched(is_batched),
            announced_bytes,
            waiting_bytes: left_bytes - growth_share,
            growth_bytes: growth_share + growing * GROWTH_BYTES_MIN,
            links: usize::try_from(
                links_bytes / (LINK_BYTES + options.selection.families().len() as u64 * SIMILARITY_BYTES),
            )
            .unwrap_or(usize::MAX),
        })
    }

    /// The families, each of which has its part of the share for digests that grow.
    pub(crate) fn family_rules(
        &self,
        families: &[Family],
        similarity: SimilarityOptions,
        backend: Backend,
    ) -> Vec<FamilyRule> {
        let growing = families.iter().filter(|family| family.digests_grow()).count() as u64;
        let rule = |&family: &Family| {
            let bytes_max = family.message_bytes_max(self.growth_bytes.checked_div(growing).unwrap_or(0));
            FamilyRule { family, similarity, backend, bytes_max }
        };
        families.iter().map(rule).collect()
    }
}

impl FamilyRule {
    /// Bytes that may be reserved for the digest of a file of this many bytes while it is made; 0 where digests do
    /// not grow.
    pub(crate) fn growth_bytes(&self, bytes: u64) -> u64 {
        self.family.digest_bytes(bytes.min(self.bytes_max))
    }

    /// Whether what was made so far of a file of this many bytes exceeds what is reserved for it. A file of one slot
    /// never does.
    pub(crate) fn is_exceeded_by(&self, hasher: &Hasher, bytes: u64) -> bool {
        hasher.grown_bytes() > self.family.digest_bytes(bytes).max(GROWTH_BYTES_MIN)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pfh_record::Selection;

    fn options(threads: usize, memory_bytes: u64) -> Options {
        Options { threads, memory_bytes, ..Options::new(Selection::default()) }
    }

    #[test]
    fn parts_stay_below_the_option() {
        for shift in 20..36 {
            for threads in [1, 2, 3, 8, 64, 256] {
                let memory_bytes = (1u64 << shift) + 12_345;
                for lanes in [0, 8, 32, 64] {
                    let Ok(budget) = Budget::new(&options(threads, memory_bytes), lanes) else { continue };
                    let table = (budget.stride_bytes * budget.slots + SLOT_ALIGN_BYTES) as u64;
                    let sum = table + budget.announced_bytes + budget.waiting_bytes + budget.links as u64 * LINK_BYTES;
                    assert!(sum <= memory_bytes, "{threads} threads, {memory_bytes}: {sum}");
                    assert!(budget.slots >= threads * (SLOTS_PER_THREAD_MIN + budget.lanes));
                    assert!(budget.lanes == 0 || budget.lanes == lanes);
                }
            }
        }
    }

    #[test]
    fn states_of_families_are_part_of_the_memory() {
        let families = Family::ALL.to_vec();
        for threads in [1, 2, 16] {
            let budget = |families: &[Family], memory_bytes, lanes| {
                Budget::new(&Options { selection: families.into(), ..options(threads, memory_bytes) }, lanes)
            };
            let Err(StartError::MemoryTooSmall { least_bytes, .. }) = budget(&families, 1, 32) else {
                panic!("one byte is enough?");
            };
            assert!(budget(&families, least_bytes, 32).is_ok(), "{least_bytes}");
            assert!(budget(&families, least_bytes - 100_000 * threads as u64, 32).is_err());
            for memory_bytes in [32 << 20, 64 << 20, 1 << 30] {
                let (without, with) =
                    (budget(&[], memory_bytes, 32).unwrap(), budget(&families, memory_bytes, 32).unwrap());
                let table = (with.stride_bytes * with.slots) as u64;
                let shares = with.announced_bytes + with.waiting_bytes + with.growth_bytes;
                let states = (with.lanes + 2) * families.iter().map(|one| one.state_bytes()).sum::<usize>();
                let many =
                    families.iter().map(|one| one.many_state_bytes()).sum::<usize>() * usize::from(with.is_batched);
                let shared = families.iter().map(|one| one.shared_bytes()).sum::<usize>();
                let states = threads * (states + shared + many);
                assert!(table + shares + states as u64 <= memory_bytes, "{threads} threads, {memory_bytes}");
                assert!(with.slots >= threads * (SLOTS_PER_THREAD_MIN + with.lanes + with.batched_files));
                assert!(!without.is_batched && without.batched_files == 0);
                assert!(without.lanes >= with.lanes && without.growth_bytes == 0);
            }
        }
    }

    #[test]
    fn files_wait_for_each_other_where_there_is_memory_for_it() {
        let budget = |families: &[Family], mode, memory_bytes, lanes| {
            let options = Options { selection: families.into(), mode, ..options(2, memory_bytes) };
            Budget::new(&options, lanes).unwrap()
        };
        let (ssdeep, both) = ([Family::Ssdeep], [Family::Tlsh, Family::Ssdeep]);
        for (families, lanes) in [(&ssdeep[..], 0), (&both, 32)] {
            let large = budget(families, Mode::Adaptive, 256 << 20, lanes);
            assert_eq!((large.batched_files, large.lanes), (BATCHED_FILES_MAX, lanes));
            assert!(large.slot_bytes >= 512 << 10);
            let small = budget(families, Mode::Adaptive, 1 << 20, lanes);
            assert_eq!((small.batched_files, small.is_batched, small.lanes), (0, false, 0));
        }
        // Lanes go first.
        let some = budget(&ssdeep, Mode::Adaptive, 5 << 20, 32);
        assert_eq!((some.batched_files, some.lanes), (BATCHED_FILES_MAX, 0));
        for (mode, many) in [(Mode::Mtp, true), (Mode::Smt, false)] {
            let budget = budget(&both, mode, 256 << 20, 0);
            assert_eq!((budget.batched_files, budget.is_batched), (0, many));
        }
        assert!(!budget(&[Family::Sdhash, Family::MrshV2], Mode::Adaptive, 256 << 20, 0).is_batched);
    }

    #[test]
    fn digests_of_the_longest_files_fit_their_share() {
        for memory_bytes in [8 << 20, 64 << 20, 256 << 20, 1 << 40] {
            for families in [vec![Family::Sdhash], Family::ALL.to_vec()] {
                let options = Options { selection: families[..].into(), ..options(2, memory_bytes) };
                let budget = Budget::new(&options, 32).unwrap();
                let rules = budget.family_rules(&families, SimilarityOptions::default(), Backend::chosen());
                let growth = |bytes| rules.iter().map(|rule| rule.growth_bytes(bytes)).sum::<u64>();
                assert!(growth(u64::MAX) <= budget.growth_bytes && growth(u64::MAX) > budget.growth_bytes / 2);
                assert!(rules.iter().all(|rule| rule.bytes_max >= 1 << 20));
            }
        }
    }

    #[test]
    fn the_least_that_is_named_works_and_one_byte_less_does_not_pass_silently() {
        for threads in [1, 2, 7, 100] {
            let Err(StartError::MemoryTooSmall { least_bytes, .. }) = Budget::new(&options(threads, 1), 32) else {
                panic!("one byte is enough?");
            };
            assert!(Budget::new(&options(threads, least_bytes), 32).is_ok(), "{least_bytes}");
        }
    }
}
