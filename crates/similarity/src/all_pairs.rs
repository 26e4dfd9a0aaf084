//! All-pairs comparison: finds all pairs of similar digests, on any number of threads, within a bound on memory.
//!
//! ```
//! use pfh_similarity::all_pairs::{Compare, Digests};
//! use pfh_similarity::{Digest, Family};
//! use std::ops::ControlFlow;
//!
//! let mut digests = Digests::new(Family::Tlsh);
//! for text in [
//!     "T174BF20F876FFC474C0251908FCDCE4B314F68D9DCBD7A085A368932FF2B2D409DD3111",
//!     "T174BF20F876FFC474C0251908FCDCE4B314F68D9DCBD7A085A368932FF2B2D409DD3112",
//! ] {
//!     assert!(digests.push(Digest::from_bytes(Family::Tlsh, text.as_bytes())?).is_ok());
//! }
//! let mut found = Vec::new();
//! Compare::new(Family::Tlsh).all(&digests, &mut |pairs| {
//!     found.extend_from_slice(pairs);
//!     ControlFlow::Continue(())
//! });
//! assert_eq!((found.len(), found[0].score), (1, 1));
//! # Ok::<(), pfh_similarity::ParseError>(())
//! ```

use std::num::NonZero;
use std::ops::{ControlFlow, Range};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::equals::Equals;
use crate::filter::FILTER_BYTES;
use crate::{CancelToken, Digest, Family, Pair, mrsh_v2, sdhash, ssdeep, tlsh};

/// Digests of one family, numbered in the order in which they were appended.
#[derive(Clone, Debug)]
pub enum Digests {
    /// ssdeep.
    Ssdeep(Vec<ssdeep::Digest>),
    /// sdhash.
    Sdhash(Vec<sdhash::Digest>),
    /// mrsh-v2.
    MrshV2(Vec<mrsh_v2::Digest>),
    /// TLSH.
    Tlsh(Vec<tlsh::Digest>),
}

impl Digests {
    /// An empty collection of digests of a family.
    pub fn new(family: Family) -> Digests {
        match family {
            Family::Ssdeep => Digests::Ssdeep(Vec::new()),
            Family::Sdhash => Digests::Sdhash(Vec::new()),
            Family::MrshV2 => Digests::MrshV2(Vec::new()),
            Family::Tlsh => Digests::Tlsh(Vec::new()),
        }
    }

    /// The family.
    pub fn family(&self) -> Family {
        match self {
            Digests::Ssdeep(_) => Family::Ssdeep,
            Digests::Sdhash(_) => Family::Sdhash,
            Digests::MrshV2(_) => Family::MrshV2,
            Digests::Tlsh(_) => Family::Tlsh,
        }
    }

    /// Number of digests.
    pub fn len(&self) -> usize {
        match self {
            Digests::Ssdeep(digests) => digests.len(),
            Digests::Sdhash(digests) => digests.len(),
            Digests::MrshV2(digests) => digests.len(),
            Digests::Tlsh(digests) => digests.len(),
        }
    }

    /// True if there are no digests.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Appends a digest.
    ///
    /// # Errors
    /// The digest, if it is of another family.
    pub fn push(&mut self, digest: Digest) -> Result<(), Digest> {
        match (self, digest) {
            (Digests::Ssdeep(digests), Digest::Ssdeep(digest)) => digests.push(digest),
            (Digests::Sdhash(digests), Digest::Sdhash(digest)) => digests.push(digest),
            (Digests::MrshV2(digests), Digest::MrshV2(digest)) => digests.push(digest),
            (Digests::Tlsh(digests), Digest::Tlsh(digest)) => digests.push(digest),
            (_, digest) => return Err(digest),
        }
        Ok(())
    }

    /// The digest of this number, if there is one.
    pub fn get(&self, number: usize) -> Option<Digest> {
        match self {
            Digests::Ssdeep(digests) => digests.get(number).cloned().map(Digest::Ssdeep),
            Digests::Sdhash(digests) => digests.get(number).cloned().map(Digest::Sdhash),
            Digests::MrshV2(digests) => digests.get(number).cloned().map(Digest::MrshV2),
            Digests::Tlsh(digests) => digests.get(number).cloned().map(Digest::Tlsh),
        }
    }

    /// Estimated memory of the digest appended last, in bytes.
    pub fn last_bytes(&self) -> u64 {
        let filters = |filters: usize| (filters * FILTER_BYTES) as u64;
        match self {
            Digests::Ssdeep(_) => 160,
            Digests::Tlsh(_) => size_of::<tlsh::Digest>() as u64,
            Digests::Sdhash(digests) => 128 + digests.last().map_or(0, |digest| filters(digest.filters())),
            Digests::MrshV2(digests) => 128 + digests.last().map_or(0, |digest| filters(digest.filters())),
        }
    }

    /// Estimated memory of comparing digest `number`, in bytes.
    fn compared_bytes(&self, number: usize) -> u64 {
        match self {
            // Postings grow by doubling while they are collected.
            Digests::Ssdeep(_) => 1500,
            Digests::Tlsh(_) => 160,
            Digests::Sdhash(digests) => 256 + digests[number].filters() as u64 * 2 * 550,
            Digests::MrshV2(digests) => 256 + digests[number].filters() as u64 * 2 * 550,
        }
    }

    /// Which of the digests are equal. Those of sdhash and mrsh-v2 count as different: names and order can decide their
    /// scores.
    fn equals(&self, is_cancelled: &dyn Fn() -> bool) -> Option<Equals> {
        match self {
            Digests::Ssdeep(digests) => Equals::unless(is_cancelled, digests),
            Digests::Tlsh(digests) => Equals::unless(is_cancelled, digests),
            Digests::Sdhash(_) | Digests::MrshV2(_) => Some(Equals::default()),
        }
    }

    /// The score of one digest with another, in the family's measure; `None` where there is nothing to compare.
    fn score(&self, number: usize, others: &Digests, other: usize, how: &Compare) -> Option<u32> {
        match (self, others) {
            (Digests::Ssdeep(one), Digests::Ssdeep(others)) => Some(one[number].compare(&others[other]).into()),
            (Digests::Sdhash(one), Digests::Sdhash(others)) => {
                one[number].compare(&others[other], &how.sdhash).map(u32::from)
            }
            (Digests::MrshV2(one), Digests::MrshV2(others)) => {
                Some(one[number].compare(&others[other], how.mrsh_v2).into())
            }
            (Digests::Tlsh(one), Digests::Tlsh(others)) => Some(one[number].compare(&others[other])),
            _ => None,
        }
    }

    /// Divides the digests into consecutive blocks, each of which is compared in at most `bytes` or is a single digest.
    fn blocks(&self, bytes: u64) -> Vec<Range<usize>> {
        let mut blocks: Vec<Range<usize>> = Vec::new();
        let mut used = 0;
        for number in 0..self.len() {
            let own = self.compared_bytes(number);
            match blocks.last_mut() {
                Some(block) if used + own <= bytes => {
                    block.end = number + 1;
                    used += own;
                }
                _ => {
                    blocks.push(number..number + 1);
                    used = own;
                }
            }
        }
        blocks
    }
}

/// A pair of similar digests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SimilarPair {
    /// Number of the first: the lower one, or the one on the left side.
    pub first: u32,
    /// Number of the second.
    pub second: u32,
    /// The score, 0 to 100; with TLSH the distance.
    pub score: u32,
}

/// The purpose that pairs must suffice for. The pairs of equal digests grow with the square of their number: where not
/// all pairs are wanted, most of these are left out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Wanted {
    /// All pairs.
    #[default]
    All,
    /// Those of each digest with the digests that are most similar to it, as many as this says; of equally similar ones
    /// those with the lowest numbers. Others may be among them.
    Best(usize),
    /// Pairs that connect, directly or indirectly, the same digests as all pairs do.
    Links,
}

impl Wanted {
    /// Of equal digests, how many are paired with all that are similar to them.
    fn leading(self) -> usize {
        match self {
            Wanted::All => usize::MAX,
            Wanted::Best(count) => count,
            Wanted::Links => 1,
        }
    }
}

/// A comparison: its options, its progress, and the means to cancel it.
///
/// It finds exactly the pairs that comparing each digest with each would find, or those of them that are wanted.
#[derive(Debug)]
#[non_exhaustive]
pub struct Compare {
    /// The lowest score that is of interest; with TLSH the largest distance. For a family that has scores, 0 makes
    /// every pair count, so that each digest is compared with each, in time proportional to the number of pairs.
    pub threshold: u32,
    /// Which pairs are wanted.
    pub wanted: Wanted,
    /// Options of comparing digests of sdhash.
    pub sdhash: sdhash::Comparison,
    /// The measure that scores of mrsh-v2 state.
    pub mrsh_v2: mrsh_v2::Measure,
    /// Number of threads.
    pub threads: NonZero<usize>,
    /// Memory for comparing, in bytes, beside that of the digests. Where comparing all digests at once would take more,
    /// blocks of them are compared with each other.
    pub memory_bytes: u64,
    /// The part of the work that is done.
    pub progress: Fraction,
    /// Ends the comparison early: then pairs are missing.
    pub cancel: CancelToken,
}

/// The part of a comparison's work that is done.
#[derive(Debug, Default)]
pub struct Fraction {
    done: AtomicU64,
    all: AtomicU64,
}

/// Parts of a task in a [`Fraction`].
const TASK: u64 = 1 << 20;

impl Fraction {
    /// A number from 0 to 1.
    pub fn get(&self) -> f64 {
        let all = self.all.load(Ordering::Relaxed);
        if all == 0 { 0.0 } else { self.done.load(Ordering::Relaxed) as f64 / all as f64 }
    }
}

/// Receives pairs, in no particular order, until it breaks.
pub type Take<'a> = dyn FnMut(&[SimilarPair]) -> ControlFlow<()> + Send + 'a;

impl Compare {
    /// A comparison with the family's usual threshold (1; TLSH: 30), a thread for each core, and a gibibyte of memory.
    pub fn new(family: Family) -> Compare {
        Compare {
            threshold: if family == Family::Tlsh { 30 } else { 1 },
            wanted: Wanted::All,
            sdhash: sdhash::Comparison::default(),
            mrsh_v2: mrsh_v2::Measure::default(),
            threads: std::thread::available_parallelism().unwrap_or(NonZero::<usize>::MIN),
            memory_bytes: 1 << 30,
            progress: Fraction::default(),
            cancel: CancelToken::default(),
        }
    }

    /// Memory for comparing beside the knowledge of which digests are equal.
    fn blocks_bytes(&self, digests: usize) -> u64 {
        self.memory_bytes.saturating_sub(Equals::BYTES * digests as u64)
    }

    /// Finds all pairs among `digests` that are wanted, each once: the digest with the lower number comes first.
    pub fn all(&self, digests: &Digests, take: &mut Take<'_>) {
        let blocks = digests.blocks(self.blocks_bytes(digests.len()));
        let task_count = blocks.len() * (blocks.len() + 1) / 2;
        let run = Run::new(self, task_count, take);
        let stopped = || run.is_stopped();
        let Some(equals) = digests.equals(&stopped) else { return };
        for (place, block) in blocks.iter().enumerate() {
            match (digests, score_threshold(digests.family(), self.threshold)) {
                (Digests::Ssdeep(all), Some(threshold)) => {
                    let indexed = Block { digests: all, equals: &equals, range: block.clone() };
                    let Some(index) = ssdeep::Index::unless(&stopped, indexed.firsts()) else { return };
                    for other in &blocks[place..] {
                        let other = Block { range: other.clone(), ..indexed };
                        run.ssdeep(&index, &indexed, &other, threshold.get(), true);
                    }
                }
                (Digests::Tlsh(all), _) => {
                    let indexed = Block { digests: all, equals: &equals, range: block.clone() };
                    let Some(index) = tlsh::Index::unless(&stopped, indexed.firsts()) else { return };
                    for other in &blocks[place..] {
                        run.tlsh(&index, &indexed, &Block { range: other.clone(), ..indexed }, true);
                    }
                }
                (Digests::Sdhash(all), Some(threshold)) => {
                    for other in &blocks[place..] {
                        let (one, two) = (&all[block.clone()], &all[other.clone()]);
                        let two = (other != block).then_some(two);
                        let pairs = sdhash::Pairs::unless(&stopped, one, two, &self.sdhash, threshold);
                        let Some(pairs) = pairs else { return };
                        let second = if other == block { block.start } else { other.start };
                        run.parts(pairs.parts(), block.start, second, |part, found| {
                            pairs.part_unless(&stopped, part, found)
                        });
                    }
                }
                (Digests::MrshV2(all), Some(threshold)) => {
                    for other in &blocks[place..] {
                        let (one, two) = (&all[block.clone()], &all[other.clone()]);
                        let two = (other != block).then_some(two);
                        let pairs = mrsh_v2::Pairs::unless(&stopped, one, two, self.mrsh_v2, threshold);
                        let Some(pairs) = pairs else { return };
                        let second = if other == block { block.start } else { other.start };
                        run.parts(pairs.parts(), block.start, second, |part, found| {
                            pairs.part_unless(&stopped, part, found)
                        });
                    }
                }
                (_, None) => {
                    for other in &blocks[place..] {
                        run.each(digests, block, digests, other, other == block);
                    }
                }
            }
            if run.is_stopped() {
                return;
            }
        }
    }

    /// Finds all pairs of one digest on the left and one on the right that are wanted. There are none if the families
    /// differ.
    pub fn between(&self, left: &Digests, right: &Digests, take: &mut Take<'_>) {
        let bytes = self.blocks_bytes(left.len() + right.len()) / 2;
        let (lefts, rights) = (left.blocks(bytes), right.blocks(bytes));
        let run = Run::new(self, lefts.len() * rights.len(), take);
        let stopped = || run.is_stopped();
        let Some(left_equals) = left.equals(&stopped) else { return };
        let Some(right_equals) = right.equals(&stopped) else { return };
        let threshold = score_threshold(left.family(), self.threshold);
        for there in &rights {
            match (left, right, threshold) {
                (Digests::Ssdeep(left), Digests::Ssdeep(right), Some(threshold)) => {
                    let indexed = Block { digests: right, equals: &right_equals, range: there.clone() };
                    let Some(index) = ssdeep::Index::unless(&stopped, indexed.firsts()) else { return };
                    for here in &lefts {
                        let here = Block { digests: left, equals: &left_equals, range: here.clone() };
                        run.ssdeep(&index, &indexed, &here, threshold.get(), false);
                    }
                }
                (Digests::Tlsh(left), Digests::Tlsh(right), _) => {
                    let indexed = Block { digests: right, equals: &right_equals, range: there.clone() };
                    let Some(index) = tlsh::Index::unless(&stopped, indexed.firsts()) else { return };
                    for here in &lefts {
                        let here = Block { digests: left, equals: &left_equals, range: here.clone() };
                        run.tlsh(&index, &indexed, &here, false);
                    }
                }
                (Digests::Sdhash(left), Digests::Sdhash(right), Some(threshold)) => {
                    for here in &lefts {
                        let (one, two) = (&left[here.clone()], &right[there.clone()]);
                        let pairs = sdhash::Pairs::unless(&stopped, one, Some(two), &self.sdhash, threshold);
                        let Some(pairs) = pairs else { return };
                        run.parts(pairs.parts(), here.start, there.start, |part, found| {
                            pairs.part_unless(&stopped, part, found)
                        });
                    }
                }
                (Digests::MrshV2(left), Digests::MrshV2(right), Some(threshold)) => {
                    for here in &lefts {
                        let (one, two) = (&left[here.clone()], &right[there.clone()]);
                        let pairs = mrsh_v2::Pairs::unless(&stopped, one, Some(two), self.mrsh_v2, threshold);
                        let Some(pairs) = pairs else { return };
                        run.parts(pairs.parts(), here.start, there.start, |part, found| {
                            pairs.part_unless(&stopped, part, found)
                        });
                    }
                }
                _ => lefts.iter().for_each(|here| run.each(left, here, right, there, false)),
            }
            if run.is_stopped() {
                return;
            }
        }
    }
}

/// The threshold of a family with scores; `None` for TLSH, and where all pairs are of interest.
fn score_threshold(family: Family, threshold: u32) -> Option<NonZero<u8>> {
    match family {
        Family::Tlsh => None,
        _ => NonZero::new(u8::try_from(threshold).unwrap_or(u8::MAX)),
    }
}

/// The score of equal digests of ssdeep, whatever they are.
const EQUAL_SCORE: u8 = 100;

/// Consecutive digests of one side.
struct Block<'a, D> {
    /// All digests of the side.
    digests: &'a [D],
    /// Which of them are equal.
    equals: &'a Equals,
    /// The numbers of the block.
    range: Range<usize>,
}

impl<D> Block<'_, D> {
    /// The digests of the block for an index, without those that equal one before them on their side.
    fn firsts(&self) -> impl Iterator<Item = Option<&D>> {
        self.range.clone().map(move |number| self.equals.is_first(number).then_some(&self.digests[number]))
    }
}

/// State that all tasks of one comparison share.
struct Run<'a, 'b> {
    compare: &'a Compare,
    take: Mutex<&'a mut Take<'b>>,
    stopped: AtomicBool,
}

/// Number of pairs that are handed over at a time.
const BATCH: usize = 4096;

/// Comparisons of each with each between two looks at whether it is cancelled.
const PAIRS_PER_CHECK: usize = 256;

/// Pairs that one thread found and has not handed over yet.
struct Batch<'a, 'b, 'c> {
    run: &'c Run<'a, 'b>,
    found: Vec<SimilarPair>,
}

impl Batch<'_, '_, '_> {
    fn push(&mut self, first: usize, second: usize, score: u32) -> ControlFlow<()> {
        self.found.push(SimilarPair { first: first as u32, second: second as u32, score });
        if self.found.len() == BATCH { self.flush() } else { ControlFlow::Continue(()) }
    }

    /// Adds the pairs among the digests that equal `first`, the first of them, as far as they are wanted.
    fn push_equals(&mut self, first: usize, equals: &Equals, score: u32) -> ControlFlow<()> {
        for one in equals.starting_at(first).take(self.run.compare.wanted.leading()) {
            for other in equals.starting_at(one).skip(1) {
                self.push(one, other, score)?;
            }
        }
        ControlFlow::Continue(())
    }

    /// Adds the pair of two digests, each the first of those that equal it, and the pairs of those that equal them, as
    /// far as they are wanted. On one side the lower number comes first.
    fn push_similar(
        &mut self,
        (first, first_equals): (usize, &Equals),
        (second, second_equals): (usize, &Equals),
        score: u32,
        is_one_side: bool,
    ) -> ControlFlow<()> {
        let wanted = self.run.compare.wanted;
        let mut push = |one: usize, other: usize| match is_one_side {
            true => self.push(one.min(other), one.max(other), score),
            false => self.push(one, other, score),
        };
        if is_one_side && wanted == Wanted::Links {
            // The others are linked with the ones that they equal.
            return push(first, second);
        }
        let leading = wanted.leading();
        for (place, one) in first_equals.starting_at(first).enumerate() {
            let others = if place < leading { usize::MAX } else { leading };
            for other in second_equals.starting_at(second).take(others) {
                push(one, other)?;
            }
        }
        ControlFlow::Continue(())
    }

    fn flush(&mut self) -> ControlFlow<()> {
        if !self.run.is_stopped() {
            let mut take = self.run.take.lock().unwrap_or_else(PoisonError::into_inner);
            if take(&self.found).is_break() {
                self.run.stopped.store(true, Ordering::Relaxed);
            }
        }
        self.found.clear();
        if self.run.is_stopped() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

impl<'a, 'b> Run<'a, 'b> {
    fn new(compare: &'a Compare, task_count: usize, take: &'a mut Take<'b>) -> Run<'a, 'b> {
        compare.progress.done.store(0, Ordering::Relaxed);
        compare.progress.all.store(task_count as u64 * TASK, Ordering::Relaxed);
        Run { compare, take: Mutex::new(take), stopped: AtomicBool::new(false) }
    }

    fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed) || self.compare.cancel.is_cancelled()
    }

    /// Does the steps of one task on all threads. `work` gets a value of its thread, made by `worker`, and the step.
    fn task<W>(
        &self,
        steps: usize,
        worker: impl Fn() -> W + Sync,
        work: impl Fn(&mut W, usize, &mut Batch<'_, '_, '_>) -> ControlFlow<()> + Sync,
    ) {
        let next = AtomicUsize::new(0);
        let before = self.compare.progress.done.load(Ordering::Relaxed);
        let help = || {
            let mut own = worker();
            let mut batch = Batch { run: self, found: Vec::with_capacity(BATCH) };
            while !self.is_stopped() {
                let step = next.fetch_add(1, Ordering::Relaxed);
                if step >= steps || work(&mut own, step, &mut batch).is_break() {
                    break;
                }
                let part = TASK * (step as u64 + 1) / steps as u64;
                self.compare.progress.done.fetch_max(before + part, Ordering::Relaxed);
            }
            let _ = batch.flush();
        };
        std::thread::scope(|scope| {
            for _ in 1..self.compare.threads.get().min(steps) {
                // Where the system refuses a thread, the others do its part.
                if std::thread::Builder::new().spawn_scoped(scope, help).is_err() {
                    break;
                }
            }
            help();
        });
        self.compare.progress.done.store(before + TASK, Ordering::Relaxed);
    }

    /// Looks the digests of `block` up in the index of those of `indexed`. If both are of one side, each pair is found
    /// once.
    fn ssdeep(
        &self,
        index: &ssdeep::Index,
        indexed: &Block<'_, ssdeep::Digest>,
        block: &Block<'_, ssdeep::Digest>,
        threshold: u8,
        is_one_side: bool,
    ) {
        let is_same = is_one_side && indexed.range == block.range;
        self.task(
            block.range.len(),
            || index.searcher(),
            |searcher, step, batch| {
                let number = block.range.start + step;
                if !block.equals.is_first(number) {
                    return ControlFlow::Continue(());
                }
                if is_same && threshold <= EQUAL_SCORE {
                    batch.push_equals(number, block.equals, EQUAL_SCORE.into())?;
                }
                let found = |found: ssdeep::Match| {
                    let other = (indexed.range.start + found.number as usize, indexed.equals);
                    batch.push_similar((number, block.equals), other, found.score.into(), is_one_side)
                };
                match is_same {
                    true => searcher.matches_before(step as u32, threshold, found),
                    false => searcher.matches(&block.digests[number], threshold, found),
                }
            },
        );
    }

    /// Does the same with an index of TLSH.
    fn tlsh(
        &self,
        index: &tlsh::Index,
        indexed: &Block<'_, tlsh::Digest>,
        block: &Block<'_, tlsh::Digest>,
        is_one_side: bool,
    ) {
        let is_same = is_one_side && indexed.range == block.range;
        self.task(
            block.range.len(),
            || (),
            |(), step, batch| {
                let number = block.range.start + step;
                if !block.equals.is_first(number) {
                    return ControlFlow::Continue(());
                }
                if is_same {
                    batch.push_equals(number, block.equals, 0)?;
                }
                let found = |found: tlsh::Match| {
                    let other = (indexed.range.start + found.number as usize, indexed.equals);
                    batch.push_similar((number, block.equals), other, found.distance, is_one_side)
                };
                match is_same {
                    true => index.matches_before(step as u32, self.compare.threshold, found),
                    false => index.matches(&block.digests[number], self.compare.threshold, found),
                }
            },
        );
    }

    /// Finds the pairs of sdhash or mrsh-v2 part by part.
    fn parts(&self, parts: usize, first: usize, second: usize, part: impl Fn(usize, &mut dyn FnMut(Pair)) + Sync) {
        self.task(
            parts,
            || (),
            |(), step, batch| {
                let mut flow = ControlFlow::Continue(());
                part(step, &mut |pair| {
                    if flow.is_continue() {
                        flow = batch.push(first + pair.first, second + pair.second, pair.score.into());
                    }
                });
                flow
            },
        );
    }

    /// Compares each digest with each.
    fn each(&self, left: &Digests, here: &Range<usize>, right: &Digests, there: &Range<usize>, is_same: bool) {
        self.task(
            here.len(),
            || (),
            |(), step, batch| {
                let first = here.start + step;
                let from = if is_same { first + 1 } else { there.start };
                for second in from..there.end {
                    if second.is_multiple_of(PAIRS_PER_CHECK) && self.is_stopped() {
                        return ControlFlow::Break(());
                    }
                    if let Some(score) = left.score(first, right, second, self.compare) {
                        batch.push(first, second, score)?;
                    }
                }
                ControlFlow::Continue(())
            },
        );
    }
}
