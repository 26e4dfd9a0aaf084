//! Every limit of a run, in one place, with the sums behind it.

use crate::batched::Batched;
use crate::digesting::{FamilyRule, SIMILARITY_BYTES};
use crate::options::{Mode, Options};
use pfh_digest::KeyError;
use pfh_facts::Scanner;
use pfh_similarity::{Backend, Family, Hasher, SimilarityOptions};
use std::fmt;

/// Largest slot. A copy from the page cache reaches its full rate from 64 KiB on; 256 KiB keeps system calls below 1 %
/// and stays inside a 1 MiB second-level cache together with the hash states.
const SLOT_BYTES_MAX: usize = 256 << 10;
/// Largest slot if a worker fills many lanes at once: 32 lanes of 64 KiB are the 2 MiB of a second-level cache.
const LANE_SLOT_BYTES_MAX: usize = 64 << 10;
/// Largest slot if files are digested together; longer files gain nothing by that. Short files touch little more than
/// the first page of a slot.
const BATCHED_SLOT_BYTES_MAX: usize = 1 << 20;
/// Largest slot with direct I/O, where each read waits for the device: with 256 KiB a virtual disk gave 74 % of its
/// rate at a third of a core, with 4 MiB all of it at 7 %.
const DIRECT_SLOT_BYTES_MAX: usize = 4 << 20;
/// Smallest slot. With smaller ones the cost of system calls dominates.
pub(crate) const SLOT_BYTES_MIN: usize = 16 << 10;
/// Alignment of slots, of which their length is a multiple, so that direct I/O can fill them.
pub(crate) const SLOT_ALIGN_BYTES: usize = 4096;
/// Slots that each worker must be able to hold at once: one being filled, one being hashed, two in transit.
const SLOTS_PER_THREAD_MIN: usize = 4;
/// Bytes between slots: room for the padding after a message, and a distance that is no multiple of 4096, so that lanes
/// do not compete for the same cache sets. Direct I/O has no gap, because it requires aligned slots.
pub(crate) const SLOT_GAP_BYTES: usize = 704;

/// Jobs that a worker takes at a time, so that files of one directory stay together and the lock is taken once for all.
pub(crate) const GRAB_MAX: usize = 16;
/// Jobs that a worker takes at least while the walk brings more. A short file is read in microseconds, so workers that
/// took one at a time would wait for the lock.
pub(crate) const GRAB_MIN: usize = 4;
/// Records that a worker keeps before it hands them to the collector.
pub(crate) const RECORDS_HELD_MAX: usize = 32;
/// Entries that the walk collects before it takes the queue's lock.
pub(crate) const WALK_GROUP_MAX: usize = 64;

/// Least size of a file whose digests are spread over workers: MD5 of 8 MiB takes 10 ms, handing work over some 10 µs.
pub(crate) const SPREAD_FILE_BYTES: u64 = 8 << 20;
/// Bytes of one spread file that are read ahead of its slowest digest.
pub(crate) const SPREAD_AHEAD_BYTES: usize = 2 << 20;

/// Least size of a file that may get an exclusive lane: 16 MiB take some 0.1 s in full lanes, and 30 ms alone.
pub(crate) const EXCLUSIVE_FILE_BYTES: u64 = 16 << 20;

/// Most readers of the adaptive mode. Network storage serves some tens of requests at a time.
pub(crate) const READERS_MAX: usize = 32;
/// Slots for each reader: one being filled, and one in transit. Hashing is quicker than the place.
const READER_SLOTS: usize = 2;

/// Opened files in the look-ahead window of a worker. 256 reads in flight are as fast as io_uring on solid state.
pub(crate) const WINDOW_FILES_MAX: usize = 256;
/// Bytes announced for each file of the look-ahead window.
pub(crate) const WINDOW_FILE_BYTES: u64 = 1 << 20;

/// Most small files in one slot that a prefetcher fills.
pub(crate) const BATCH_FILES_MAX: usize = 32;
/// Most whole files digested together: twice the number that the kernel processes side by side, so that it has another
/// one when a short one ends.
pub(crate) const BATCHED_FILES_MAX: usize = 64;
/// Most bytes digested together. The kernel also processes parts of long files side by side, so a few long ones are
/// enough: eight of 1 MiB each gave 2.9 GB/s, four 2.5 and two 1.7.
pub(crate) const BATCHED_BYTES_MAX: usize = 8 << 20;
/// Number of jobs that `balance` considers, and how often a job may be passed over.
pub(crate) const BALANCE_JOBS: usize = 256;

/// Bytes that a waiting job, and later its record, occupies besides path and digests (allocations, queue places).
pub(crate) const JOB_BYTES: u64 = 192;
/// Bytes of one known hard link (map entry, metadata, two digests), besides similarity digests.
const LINK_BYTES: u64 = 512;

/// Bytes of the facts about one file's contents and of their text, while its record waits.
pub(crate) const FACTS_BYTES: u64 = 512;

/// Scanners for facts about contents of one thread beside those in its lanes: three that it keeps, one of a chain, and
/// one of a file of which it reads pieces or which has treatment of its own.
const SCANNERS_MORE: usize = 5;

/// The least share of a family whose digests grow. It suffices for any file of 1 MiB, or of 512 KiB with the smallest
/// blocks of sdhash.
const GROWTH_BYTES_MIN: u64 = 512 << 10;

const _: () = assert!(
    SLOT_BYTES_MAX.is_multiple_of(SLOT_ALIGN_BYTES)
        && DIRECT_SLOT_BYTES_MAX.is_multiple_of(SLOT_ALIGN_BYTES)
        && SLOT_BYTES_MIN.is_multiple_of(SLOT_ALIGN_BYTES)
);
// A batch of small files needs room for each of its files.
const _: () = assert!(SLOT_BYTES_MIN / BATCH_FILES_MAX >= 512);

/// The division of the memory option. The parts never exceed it together; fractions are of the rest after the states of
/// the similarity families and of facts about contents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Budget {
    /// Length of one slot.
    pub(crate) slot_bytes: usize,
    /// Distance from one slot to the next.
    pub(crate) stride_bytes: usize,
    /// Number of slots: ⅝ of the memory if prefetchers fill them ahead (⅜ if digests grow), otherwise as many as the
    /// workers can hold.
    pub(crate) slots: usize,
    /// Lanes that each worker may fill; 0 if there are none, or too little memory for them.
    pub(crate) lanes: usize,
    /// Whether algorithms or families digest many whole files together.
    pub(crate) is_batched: bool,
    /// Files that each worker may collect for that, beside those in its lanes.
    pub(crate) batched_files: usize,
    /// Bytes that may be announced ahead, which occupy the page cache: ¼.
    pub(crate) announced_bytes: u64,
    /// Bytes of waiting jobs and records: the rest, at least 1/16. They limit how far other files get ahead of a huge
    /// one if the output is in order.
    pub(crate) waiting_bytes: u64,
    /// Bytes of digests that grow with their files, while these are read: ¾ of the rest. 0 if no digests grow.
    pub(crate) growth_bytes: u64,
    /// Most readers of the adaptive mode for places that answer late.
    pub(crate) readers_max: usize,
    /// Number of hard links whose content is kept, from 1/16 of the memory.
    pub(crate) links: usize,
}

/// The reason why a run could not start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum StartError {
    /// The memory option is too small for the number of threads.
    MemoryTooSmall {
        /// The memory option, in bytes.
        memory_bytes: u64,
        /// The least option that works with these threads and prefetchers, in bytes.
        least_bytes: u64,
    },
    /// The system refused the memory table.
    MemoryRefused {
        /// Size of the memory table, in bytes.
        table_bytes: u64,
    },
    /// The system refused the threads.
    ThreadsRefused {
        /// The requested number of threads, prefetchers included.
        threads: usize,
    },
    /// The key or the context of an algorithm is missing or wrong.
    Key(KeyError),
    /// Pieces are to have no bytes.
    EmptyPieces,
}

impl fmt::Display for StartError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StartError::MemoryTooSmall { memory_bytes, least_bytes } => write!(
                f,
                "{memory_bytes} bytes of memory are too few for these threads and prefetchers: give at least {least_bytes} bytes, \
                 or use fewer threads"
            ),
            StartError::MemoryRefused { table_bytes } => write!(
                f,
                "the system refused {table_bytes} bytes for the memory table; ask for less memory, or for fewer threads"
            ),
            StartError::Key(error) => error.fmt(f),
            StartError::EmptyPieces => f.write_str("pieces of 0 bytes cannot be; a piece has a byte at least"),
            StartError::ThreadsRefused { threads: 1 } => {
                f.write_str("the system refused a thread; raise its limit (ulimit -u)")
            }
            StartError::ThreadsRefused { threads } => {
                write!(f, "the system refused {threads} threads; ask for fewer, or raise its limit (ulimit -u)")
            }
        }
    }
}

/// Its text includes that of a [`KeyError`], which is therefore no source.
impl std::error::Error for StartError {}

/// The memory that a run needs if its workers fill this many lanes, and digest files together or not.
struct Needs<'o> {
    options: &'o Options,
    many: &'o Batched,
    is_direct: bool,
    prefetchers: usize,
    lanes: usize,
    is_batched: bool,
}

impl Needs<'_> {
    /// Threads that hold slots.
    fn holders(&self) -> usize {
        self.options.threads.saturating_add(self.prefetchers)
    }

    fn gap_bytes(&self) -> usize {
        if self.is_direct { 0 } else { SLOT_GAP_BYTES }
    }

    /// Families whose digests grow.
    fn growing(&self) -> u64 {
        self.options.selection.families().iter().filter(|family| family.digests_grow()).count() as u64
    }

    /// States of the families for one file.
    fn family_bytes(&self) -> usize {
        self.options.selection.families().iter().map(|family| family.state_bytes()).sum()
    }

    fn scanner_bytes(&self) -> usize {
        self.options.facts.map_or(0, |_| Scanner::STATE_BYTES)
    }

    /// A thread has a file in each lane, another one, and a chain, and each of them has states of the families.
    fn states_bytes(&self) -> u64 {
        let shared_bytes: usize = self.options.selection.families().iter().map(|family| family.shared_bytes()).sum();
        let states = (self.lanes + 2).saturating_mul(self.family_bytes())
            + shared_bytes
            + if self.is_batched { self.many.state_bytes() } else { 0 }
            + (self.lanes + SCANNERS_MORE) * self.scanner_bytes();
        (self.holders().saturating_mul(states) as u64).saturating_add(self.growing() * GROWTH_BYTES_MIN)
    }

    /// States of the file that a reader passes on.
    fn reader_bytes(&self) -> usize {
        2 * self.family_bytes() + SCANNERS_MORE * self.scanner_bytes()
    }

    /// Prefetchers already pass on several files in one slot.
    fn batched_files(&self) -> usize {
        if self.is_batched && self.prefetchers == 0 { BATCHED_FILES_MAX } else { 0 }
    }

    fn table_eighths(&self) -> usize {
        if self.growing() > 0 { 3 } else { 5 }
    }

    /// One alignment unit is lost at the start of the allocation.
    fn table_bytes(&self) -> usize {
        let memory_bytes = self.options.memory_bytes.saturating_sub(self.states_bytes());
        let eighth = usize::try_from(memory_bytes / 8).unwrap_or(usize::MAX);
        eighth.saturating_mul(self.table_eighths()).saturating_sub(SLOT_ALIGN_BYTES)
    }

    fn slots_least(&self) -> usize {
        self.holders().saturating_mul(SLOTS_PER_THREAD_MIN + self.lanes + self.batched_files())
    }

    /// Returns the length of a slot that leaves room for this many readers.
    fn slot_bytes(&self, readers: usize) -> usize {
        let slots = self.slots_least().saturating_add(READER_SLOTS.saturating_mul(readers));
        let table_bytes = self.table_bytes().saturating_sub(readers.saturating_mul(self.reader_bytes()));
        let share = (table_bytes / slots).saturating_sub(self.gap_bytes());
        let waits_for_families = self.batched_files() > 0 && !self.many.families.is_empty();
        let growing = self.growing();
        let most = match self.lanes {
            // Where digests grow, hashing is slower than the device, so larger reads gain nothing.
            _ if self.is_direct && growing == 0 => DIRECT_SLOT_BYTES_MAX,
            _ if waits_for_families && growing == 0 => BATCHED_SLOT_BYTES_MAX,
            0 => SLOT_BYTES_MAX,
            _ if waits_for_families => SLOT_BYTES_MAX,
            _ => LANE_SLOT_BYTES_MAX,
        };
        let most = self.options.slot_bytes_max.map_or(most, |wanted| wanted.max(SLOT_BYTES_MIN));
        share.min(most) / SLOT_ALIGN_BYTES * SLOT_ALIGN_BYTES
    }
}

impl Budget {
    /// Divides the memory. `lanes` is the most that one worker can fill; `is_direct` is [`Options::direct`], or the
    /// source's decision; `many` are the algorithms and families that digest many messages at once.
    pub(crate) fn new(options: &Options, is_direct: bool, lanes: usize, many: &Batched) -> Result<Budget, StartError> {
        let prefetchers = if options.mode == Mode::Mtp || is_direct { options.prefetchers } else { 0 };
        // One reader at least, since without any, workers read from a place that may have a single head; as many as
        // leave slots of 256 KiB, and otherwise up to a fifth of the table. Each worker may have one more, for a file
        // that it has opened.
        let has_readers = options.mode == Mode::Adaptive && prefetchers == 0;
        let threads = options.threads;
        let readers_least = if has_readers { threads.saturating_add(1) } else { 0 };
        let needs =
            |(lanes, is_batched): (usize, bool)| Needs { options, many, is_direct, prefetchers, lanes, is_batched };
        // Lanes get memory only if the rest keeps enough. Batches of families come before them, because families are
        // slower.
        let fits = |needs: &Needs<'_>| {
            needs.states_bytes() <= options.memory_bytes / 4 && needs.slot_bytes(readers_least) >= SLOT_BYTES_MIN
        };
        let second = if many.families.is_empty() { (lanes, false) } else { (0, true) };
        let needs = [(lanes, !many.is_empty()), second, (lanes, false)]
            .into_iter()
            .map(needs)
            .find(fits)
            .unwrap_or_else(|| needs((0, false)));
        let (gap_bytes, table_bytes, slots_least) = (needs.gap_bytes(), needs.table_bytes(), needs.slots_least());
        let readers_wanted = if has_readers {
            let slots_possible = table_bytes / (SLOT_BYTES_MAX + gap_bytes);
            let readers = (slots_least / 4).max(slots_possible.saturating_sub(slots_least)) / READER_SLOTS;
            readers.clamp(readers_least, threads.saturating_add(READERS_MAX))
        } else {
            0
        };
        let (readers_certain, slot_bytes) = [readers_wanted, readers_least, 0]
            .into_iter()
            .map(|readers| (readers, needs.slot_bytes(readers)))
            .find(|&(_, bytes)| bytes >= SLOT_BYTES_MIN)
            .unwrap_or_default();
        if slot_bytes < SLOT_BYTES_MIN {
            let least = needs.holders().saturating_mul(SLOTS_PER_THREAD_MIN).saturating_mul(SLOT_BYTES_MIN + gap_bytes);
            let least = least.saturating_add(SLOT_ALIGN_BYTES) as u64;
            let least = least.div_ceil(needs.table_eighths() as u64).saturating_mul(8).saturating_add(8);
            // Nothing fits, so these are the needs without lanes.
            let least_bytes = least.saturating_add(needs.states_bytes());
            return Err(StartError::MemoryTooSmall { memory_bytes: options.memory_bytes, least_bytes });
        }
        let memory_bytes = options.memory_bytes - needs.states_bytes();
        let stride_bytes = slot_bytes + gap_bytes;
        let slots_wanted = if prefetchers > 0 {
            usize::MAX
        } else {
            slots_least + needs.holders() * SPREAD_AHEAD_BYTES.div_ceil(slot_bytes)
        };
        let slots_possible = table_bytes / stride_bytes;
        // Readers have what the workers can do without.
        let spare_bytes = slots_possible.saturating_sub(slots_least) * stride_bytes;
        let readers_max = if has_readers {
            let possible = spare_bytes / (READER_SLOTS * stride_bytes + needs.reader_bytes());
            possible.max(readers_certain).saturating_sub(threads).min(READERS_MAX)
        } else {
            0
        };
        let with_own_files = with_own_files(readers_max, threads);
        let readers_bytes = with_own_files * needs.reader_bytes();
        let slots = slots_wanted
            .saturating_add(READER_SLOTS * with_own_files)
            .min(slots_possible - readers_bytes.div_ceil(stride_bytes));
        let announced_bytes = memory_bytes / 4;
        let links_bytes = memory_bytes / 16;
        let table_bytes = (slots * stride_bytes + SLOT_ALIGN_BYTES) as u64;
        let table_bytes = table_bytes + readers_bytes as u64;
        let left_bytes = memory_bytes - table_bytes - announced_bytes - links_bytes;
        let growth_share = if needs.growing() > 0 { left_bytes / 4 * 3 } else { 0 };
        let facts_bytes = options.facts.map_or(0, |_| FACTS_BYTES);
        Ok(Budget {
            slot_bytes,
            stride_bytes,
            slots,
            lanes: needs.lanes,
            is_batched: needs.is_batched,
            batched_files: needs.batched_files(),
            announced_bytes,
            readers_max,
            waiting_bytes: left_bytes - growth_share,
            growth_bytes: growth_share + needs.growing() * GROWTH_BYTES_MIN,
            links: usize::try_from(
                links_bytes / (LINK_BYTES + facts_bytes + options.selection.families().len() as u64 * SIMILARITY_BYTES),
            )
            .unwrap_or(usize::MAX),
        })
    }

    /// Returns the number of files that all workers together may hold open, of those that the run may. Readers have one
    /// each; the look-ahead windows get at least half.
    pub(crate) fn open_files_of_workers(&self, options: &Options) -> usize {
        let most = options.open_files_max.unwrap_or(Options::OPEN_FILES_DEFAULT);
        most.saturating_sub(with_own_files(self.readers_max, options.threads)).max(most / 2)
    }

    /// Returns the rules of the families, with the length limits that follow from their parts of the growth share.
    pub(crate) fn family_rules(
        &self,
        families: &[Family],
        similarity: SimilarityOptions,
        backend: Backend,
    ) -> Vec<FamilyRule> {
        let growing = families.iter().filter(|family| family.digests_grow()).count() as u64;
        let rule = |&family: &Family| {
            let share = self.growth_bytes.checked_div(growing).unwrap_or(0);
            let bytes_max = similarity.message_bytes_max(family, share);
            FamilyRule { family, similarity, backend, bytes_max }
        };
        families.iter().map(rule).collect()
    }
}

/// Returns the number of threads that read files of their own: each worker may have left one file to a reader for it.
fn with_own_files(readers_max: usize, threads: usize) -> usize {
    if readers_max > 0 { readers_max + threads } else { 0 }
}

impl FamilyRule {
    /// Returns the memory to reserve for the digest of a file of this length, in bytes; 0 if the digests do not grow.
    pub(crate) fn growth_bytes(&self, bytes: u64) -> u64 {
        self.similarity.digest_bytes(self.family, bytes.min(self.bytes_max))
    }

    /// Whether the digest so far of a file of this length exceeds the memory reserved for it. A file of one slot never
    /// does.
    pub(crate) fn is_exceeded_by(&self, hasher: &Hasher, bytes: u64) -> bool {
        hasher.grown_bytes() > self.similarity.digest_bytes(self.family, bytes).max(GROWTH_BYTES_MIN)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pfh_digest::Algorithm;
    use pfh_facts::Counting;
    use pfh_record::Selection;

    fn options(threads: usize, memory_bytes: u64) -> Options {
        Options { threads, memory_bytes, ..Options::new(Selection::default()) }
    }

    fn budget_of(options: &Options, lanes: usize) -> Result<Budget, StartError> {
        Budget::new(options, false, lanes, &Batched::of(options))
    }

    #[test]
    fn refused_threads_are_told() {
        let said = |threads| StartError::ThreadsRefused { threads }.to_string();
        assert_eq!(said(1), "the system refused a thread; raise its limit (ulimit -u)");
        assert_eq!(said(2), "the system refused 2 threads; ask for fewer, or raise its limit (ulimit -u)");
    }

    #[test]
    fn no_number_of_threads_overflows() {
        for mode in [Mode::Adaptive, Mode::Mtp, Mode::Smt] {
            for direct in [false, true] {
                for (threads, prefetchers) in [(usize::MAX, 1), (usize::MAX, usize::MAX), (usize::MAX / 2, 1)] {
                    let options = Options { mode, prefetchers, ..options(threads, 1 << 30) };
                    let budget = Budget::new(&options, direct, 0, &Batched::of(&options));
                    assert!(matches!(budget, Err(StartError::MemoryTooSmall { .. })), "{mode:?} {threads}: {budget:?}");
                }
            }
        }
    }

    #[test]
    fn parts_stay_below_the_option() {
        for shift in 20..36 {
            for threads in [1, 2, 3, 8, 64, 256] {
                let memory_bytes = (1u64 << shift) + 12_345;
                for lanes in [0, 8, 32, 64] {
                    let Ok(budget) = budget_of(&options(threads, memory_bytes), lanes) else { continue };
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
    fn slots_have_the_length_that_is_wanted_if_the_memory_is_enough() {
        for (mode, direct) in [(Mode::Adaptive, false), (Mode::Mtp, false), (Mode::Smt, false), (Mode::Adaptive, true)]
        {
            for (wanted, memory_bytes, slot_bytes) in [
                (64 << 10, 256 << 20, 64 << 10),
                (1 << 20, 256 << 20, 1 << 20),
                ((64 << 10) + 4095, 256 << 20, 64 << 10),
                (1, 256 << 20, SLOT_BYTES_MIN),
            ] {
                let options = Options { slot_bytes_max: Some(wanted), mode, ..options(2, memory_bytes) };
                let budget = Budget::new(&options, direct, 0, &Batched::of(&options)).unwrap();
                assert_eq!(budget.slot_bytes, slot_bytes, "{mode:?} {wanted}");
                assert!((budget.stride_bytes * budget.slots) as u64 <= memory_bytes);
            }
            let options = Options { slot_bytes_max: Some(1 << 30), mode, ..options(2, 4 << 20) };
            let budget = Budget::new(&options, direct, 0, &Batched::of(&options)).unwrap();
            assert!((SLOT_BYTES_MIN..1 << 20).contains(&budget.slot_bytes), "{budget:?}");
        }
    }

    /// A place that may have a single head is left to one reader, however the rest of the memory is used.
    #[test]
    fn the_adaptive_mode_has_a_reader() {
        for threads in [1, 2, 8] {
            for memory_bytes in [20 << 20, 256 << 20] {
                let names = ["md5", "md5,ssdeep", "md5,blake3,ssdeep"].into_iter();
                let cells = names.flat_map(|name| (0..=64).map(move |lanes| (name, lanes)));
                for (name, lanes) in cells.chain(Family::ALL.map(|family| (family.name(), 0))) {
                    let selection = Selection::parse(name).unwrap();
                    let options = Options { selection, ..options(threads, memory_bytes) };
                    let budget = budget_of(&options, lanes).unwrap();
                    let least = if memory_bytes > 100 << 20 { READERS_MAX } else { 1 };
                    assert!(budget.readers_max >= least, "{name} {lanes} {threads}: {budget:?}");
                }
            }
        }
    }

    #[test]
    fn states_of_families_are_part_of_the_memory() {
        let families = Family::ALL.to_vec();
        for threads in [1, 2, 16] {
            let budget = |families: &[Family], memory_bytes, lanes| {
                budget_of(&Options { selection: families.into(), ..options(threads, memory_bytes) }, lanes)
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
    fn scanners_are_part_of_the_memory() {
        for threads in [1, 2, 16] {
            for facts in [None, Some(Counting::Sampled), Some(Counting::Exact)] {
                for (memory_bytes, lanes) in [(32 << 20, 0), (32 << 20, 64), (1 << 30, 32)] {
                    let options = Options { facts, ..options(threads, memory_bytes) };
                    let budget = budget_of(&options, lanes).unwrap();
                    let table = (budget.stride_bytes * budget.slots + SLOT_ALIGN_BYTES) as u64;
                    let link_bytes = LINK_BYTES + if facts.is_some() { FACTS_BYTES } else { 0 };
                    let shares = budget.announced_bytes + budget.waiting_bytes + budget.links as u64 * link_bytes;
                    let scanners = if facts.is_some() { threads * (budget.lanes + SCANNERS_MORE) } else { 0 };
                    let sum = table + shares + (scanners * Scanner::STATE_BYTES) as u64;
                    assert!(sum <= memory_bytes, "{threads} threads, {memory_bytes}: {sum}");
                }
                let Err(StartError::MemoryTooSmall { least_bytes, .. }) =
                    budget_of(&Options { facts, ..options(threads, 1) }, 32)
                else {
                    panic!("one byte is enough?");
                };
                assert!(budget_of(&Options { facts, ..options(threads, least_bytes) }, 32).is_ok(), "{least_bytes}");
            }
        }
    }

    #[test]
    fn files_wait_for_each_other_where_there_is_memory_for_it() {
        let budget = |families: &[Family], mode, memory_bytes, lanes| {
            let options = Options { selection: families.into(), mode, ..options(2, memory_bytes) };
            budget_of(&options, lanes).unwrap()
        };
        let (ssdeep, both) = ([Family::Ssdeep], [Family::Tlsh, Family::Ssdeep]);
        for (families, lanes) in [(&ssdeep[..], 0), (&both, 32)] {
            let large = budget(families, Mode::Adaptive, 256 << 20, lanes);
            assert_eq!((large.batched_files, large.lanes), (BATCHED_FILES_MAX, lanes));
            assert!(large.slot_bytes >= 512 << 10);
            let small = budget(families, Mode::Adaptive, 1 << 20, lanes);
            assert_eq!((small.batched_files, small.is_batched, small.lanes), (0, false, 0));
        }
        // Lanes are given up first.
        let some = budget(&ssdeep, Mode::Adaptive, 5 << 20, 32);
        assert_eq!((some.batched_files, some.lanes), (BATCHED_FILES_MAX, 0));
        for (mode, many) in [(Mode::Mtp, true), (Mode::Smt, false)] {
            let budget = budget(&both, mode, 256 << 20, 0);
            assert_eq!((budget.batched_files, budget.is_batched), (0, many));
        }
        assert!(!budget(&[Family::Sdhash, Family::MrshV2], Mode::Adaptive, 256 << 20, 0).is_batched);
    }

    /// Applies if the vectors of this CPU hash chunks of different files side by side.
    #[test]
    fn blake3_waits_for_other_files_in_slots_as_short_as_without() {
        let blake3 = Selection::from(&[Algorithm::from_name("blake3").unwrap()][..]);
        let options = Options { selection: blake3, ..options(2, 256 << 20) };
        let many = Batched::of(&options);
        let of = |many: &Batched| Budget::new(&options, false, 0, many).unwrap();
        let (with, without) = (of(&many), of(&Batched::default()));
        assert_eq!((with.is_batched, with.slot_bytes), (!many.is_empty(), without.slot_bytes));
        assert_eq!(with.batched_files, if many.is_empty() { 0 } else { BATCHED_FILES_MAX });
        // Neither with pieces nor with threads that each hash their own files.
        for other in [Options { piece_bytes: Some(4096), ..options.clone() }, Options { mode: Mode::Smt, ..options }] {
            assert!(Batched::of(&other).is_empty());
        }
    }

    #[test]
    fn digests_of_the_longest_files_fit_their_share() {
        for memory_bytes in [8 << 20, 64 << 20, 256 << 20, 1 << 40] {
            for families in [vec![Family::Sdhash], Family::ALL.to_vec()] {
                let options = Options { selection: families[..].into(), ..options(2, memory_bytes) };
                let budget = budget_of(&options, 32).unwrap();
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
            let Err(StartError::MemoryTooSmall { least_bytes, .. }) = budget_of(&options(threads, 1), 32) else {
                panic!("one byte is enough?");
            };
            assert!(budget_of(&options(threads, least_bytes), 32).is_ok(), "{least_bytes}");
        }
    }
}
