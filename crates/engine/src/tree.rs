//! BLAKE3 of one huge file on all threads: every helper reads and hashes its own pieces, and the chaining values are
//! joined in order (BLAKE3 paper, section 2.1).

use crate::context::{Task, Worker};
use crate::digesting::FileDigests;
use crate::job::{Failure, HashedFile};
use crate::links::Claimed;
use crate::options::Options;
use crate::reading::Opened;
use crate::stats::stop;
use crate::sync::lock;
use pfh_digest::blake3_tree::{ChainingValue, Join, PIECE_BYTES, PieceHasher};
use pfh_digest::{Algorithm, Digest};
use pfh_facts::{Runs, Scanner};
use pfh_source::{Source, Stamp};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, Weak};

/// Most chaining values that may wait for an earlier one. A helper that meets the limit leaves the rest to the others.
const WAITING_MAX: usize = 1 << 14;

/// A file whose pieces are hashed by several workers.
pub(crate) struct TreeFile<S: Source> {
    opened: Opened<S>,
    stamp: Stamp,
    pieces: u64,
    /// Number of the next piece that no helper has taken.
    next: AtomicU64,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    join: Join,
    joined: u64,
    waiting: BTreeMap<u64, (ChainingValue, Option<Runs>)>,
    /// The runs of the joined pieces, if the run has facts about contents.
    runs: Option<Runs>,
    /// The counts of the helpers that have left.
    scanner: Option<Box<Scanner>>,
    helpers: usize,
    failure: Option<Failure>,
    concluded: bool,
}

impl State {
    /// Whether a failure at an offset below `end` is known.
    fn failed_before(&self, end: u64) -> bool {
        self.failure.as_ref().is_some_and(|failure| failure.bytes_read < end)
    }
}

/// Whether a file can be hashed like this: with BLAKE3 only, without pieces, and long enough for a tree.
pub(crate) fn applies(options: &Options, stamp: &Stamp) -> bool {
    options.piece_bytes.is_none()
        && options.selection.families().is_empty()
        && options.selection.algorithms() == [Algorithm::BLAKE3]
        && stamp.metadata.size > 2 * PIECE_BYTES as u64
}

/// Reads and hashes a file with the help of all idle workers.
pub(crate) fn spread_tree<S: Source>(worker: &mut Worker<'_, '_, '_, S>, opened: Opened<S>, stamp: Stamp) {
    let pieces = stamp.metadata.size.div_ceil(PIECE_BYTES as u64);
    let state = Mutex::new(State::default());
    let tree = Arc::new(TreeFile { opened, stamp, pieces, next: AtomicU64::new(0), state });
    let queue = &worker.context.queue;
    queue.large_file_began();
    for _ in 1..worker.context.options.threads {
        queue.push_ready(Box::new(Arc::downgrade(&tree)));
    }
    tree.help(worker);
    drop(tree);
    queue.drop_ready(|task| task.is_over());
}

/// Help that is asked for. It keeps no file open: while other files wait, nobody takes it, and the file may be done.
impl<'r, 'm, S: Source> Task<'r, 'm, S> for Weak<TreeFile<S>> {
    fn run(self: Box<Self>, worker: &mut Worker<'_, 'r, 'm, S>) {
        if let Some(tree) = self.upgrade() {
            tree.help(worker);
        }
    }

    fn is_over(&self) -> bool {
        self.strong_count() == 0
    }
}

impl<S: Source> TreeFile<S> {
    /// Takes pieces until none is left. The last helper to leave makes the record.
    fn help(&self, worker: &mut Worker<'_, '_, '_, S>) {
        {
            let mut state = lock(&self.state);
            if state.concluded {
                return;
            }
            state.helpers += 1;
        }
        let options = worker.context.options;
        let mut scanner = options.facts.map(|counting| Box::new(Scanner::new(counting, options.backend)));
        let taken = worker.guarded(|worker| self.take_pieces(worker, scanner.as_deref_mut()));
        let taken = taken.unwrap_or_else(|| Err(Failure::panicked()));
        let mut state = lock(&self.state);
        if let Some(scanner) = scanner {
            match &mut state.scanner {
                Some(all) => all.add(&scanner),
                none => *none = Some(scanner),
            }
        }
        if let Err(failure) = taken
            && !state.failed_before(failure.bytes_read + 1)
        {
            state.failure = Some(failure);
        }
        state.helpers -= 1;
        let over = state.failure.is_some() || state.joined == self.pieces;
        if state.helpers > 0 || !over {
            return;
        }
        state.concluded = true;
        let result = worker.guarded(|_| self.result(&mut state)).unwrap_or_else(|| Err(Failure::panicked()));
        drop(state);
        let claimed = Claimed::of(&self.stamp);
        let job = &self.opened.job;
        worker.conclude(job.ticket, job.entry.path(), result, claimed);
        worker.flush();
        worker.context.queue.large_file_ended();
    }

    fn take_pieces(
        &self,
        worker: &mut Worker<'_, '_, '_, S>,
        mut scanner: Option<&mut Scanner>,
    ) -> Result<(), Failure> {
        let context = worker.context;
        let mut slot = worker.acquire_slot();
        loop {
            {
                let state = lock(&self.state);
                if state.failure.is_some() || state.waiting.len() >= WAITING_MAX {
                    return Ok(());
                }
            }
            let piece = self.next.fetch_add(1, Ordering::Relaxed);
            if piece >= self.pieces {
                return Ok(());
            }
            let first = piece * PIECE_BYTES as u64;
            let last = (first + PIECE_BYTES as u64).min(self.stamp.metadata.size);
            let mut hasher = PieceHasher::new(first);
            if let Some(scanner) = &mut scanner {
                scanner.begin_at(first);
            }
            let mut offset = first;
            while offset < last {
                if context.is_cancelled() {
                    return Err(Failure::not_reached(offset));
                }
                // A failure at a higher offset does not stop this piece: the record names the first unreadable byte.
                if lock(&self.state).failed_before(offset + 1) {
                    return Ok(());
                }
                let started = context.clock.start();
                // The last piece has room for more than is expected, which would show that the file has more.
                let room = slot.bytes().len().min(PIECE_BYTES);
                let read = self.opened.next(&mut slot.bytes()[..room], offset, Some(&self.stamp));
                stop(started, &mut worker.timers.read);
                let length = read?.min((last - offset) as usize);
                if length == 0 {
                    // The file is shorter than it was; the stamp says how it changed.
                    let found = self.opened.confirm(&self.stamp, offset);
                    return Err(found.err().unwrap_or_else(Failure::panicked));
                }
                let started = context.clock.start();
                hasher.update(slot.filled(length));
                if let Some(scanner) = &mut scanner {
                    scanner.update(slot.filled(length));
                }
                stop(started, &mut worker.timers.hash);
                context.counters.add_bytes(length as u64);
                offset += length as u64;
            }
            let runs = scanner.as_mut().and_then(|scanner| scanner.end_range());
            self.join_piece(piece, hasher.finish(), runs);
        }
    }

    fn join_piece(&self, piece: u64, value: ChainingValue, runs: Option<Runs>) {
        let state = &mut *lock(&self.state);
        state.waiting.insert(piece, (value, runs));
        while let Some((value, runs)) = state.waiting.remove(&state.joined) {
            state.join.push(value);
            state.runs = match (state.runs, runs) {
                (Some(earlier), Some(later)) => Some(earlier.join(later)),
                (earlier, later) => earlier.or(later),
            };
            state.joined += 1;
        }
    }

    fn result(&self, state: &mut State) -> Result<HashedFile, Failure> {
        if let Some(failure) = state.failure.take() {
            return Err(failure);
        }
        self.opened.confirm(&self.stamp, self.stamp.metadata.size)?;
        let digest: Digest = std::mem::take(&mut state.join).finish();
        let runs = state.runs;
        let facts = state.scanner.as_mut().map(|scanner| scanner.conclude(runs));
        Ok(HashedFile {
            stamp: Some(self.stamp),
            bytes_read: self.stamp.metadata.size,
            digests: FileDigests { digests: vec![digest], facts, ..FileDigests::default() },
        })
    }
}
