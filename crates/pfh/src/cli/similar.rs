//! Pairs and groups of similar digests, in the order of the output.

use super::args::{PairFormat, SimilarityArguments};
use super::exit::Failed;
use super::message;
use super::pairs::{PairWriter, Relation};
use super::progress;
use super::quantity::{Clock, Count};
use pfh_engine::CancelToken;
use pfh_list::{ExternalSort, List, NamedDigests};
use pfh_record::DigestKind;
use pfh_similarity::all_pairs::{Compare, SimilarPair, Wanted};
use pfh_similarity::{Family, mrsh_v2, sdhash};
use std::io;
use std::num::NonZero;
use std::ops::ControlFlow;
use std::time::Instant;

/// A comparison of digests.
pub(crate) struct Comparison<'a> {
    pub(crate) options: &'a SimilarityArguments,
    pub(crate) profile: sdhash::Profile,
    pub(crate) left: &'a NamedDigests,
    /// The other side; `None` to compare all with all.
    pub(crate) right: Option<&'a NamedDigests>,
}

/// Returns the requested threshold, or the family's default.
pub(crate) fn threshold(family: Family, options: &SimilarityArguments) -> u32 {
    options.threshold.unwrap_or(Compare::new(family).threshold)
}

impl Comparison<'_> {
    fn family(&self) -> Family {
        self.left.family()
    }

    /// Returns the number of compared digests.
    pub(crate) fn count(&self) -> usize {
        self.left.len() + self.right.map_or(0, NamedDigests::len)
    }

    /// Calls `each` with the pairs that are wanted, in unspecified order, until it fails or is cancelled.
    fn find(
        &self,
        wanted: Wanted,
        cancel: &CancelToken,
        mut each: impl FnMut(SimilarPair) -> io::Result<()> + Send,
    ) -> io::Result<()> {
        let mut compare = Compare::new(self.family());
        if let Some(threads) = self.options.threads.and_then(|threads| NonZero::new(usize::from(threads))) {
            compare.threads = threads;
        }
        compare.memory_bytes = self.options.memory / 4;
        compare.sdhash = sdhash::Comparison {
            profile: self.profile,
            direction: if self.options.symmetric { sdhash::Direction::Symmetric } else { sdhash::Direction::Original },
            sample: self.options.sample.map_or(0, |filters| filters as usize),
            fast: self.options.fast,
        };
        if self.options.resemblance {
            compare.mrsh_v2 = mrsh_v2::Measure::Resemblance;
        }
        compare.threshold = threshold(self.family(), self.options);
        compare.wanted = wanted;
        compare.cancel = cancel.clone();
        let mut result = Ok(());
        let (compare, started, count) = (&compare, Instant::now(), Count(self.count() as u64));
        let text = || {
            let done = compare.progress.get();
            let mut text = format!("{count} digests, {:.0} % compared", done * 100.0);
            if done > 0.0 {
                text += &format!(", {} left", Clock(started.elapsed().mul_f64((1.0 - done) / done)));
            }
            text
        };
        let mut take = |found: &[SimilarPair]| {
            result = found.iter().try_for_each(|found| each(*found));
            if result.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        };
        progress::of_work(self.options.messages.progress, text, || match self.right {
            None => compare.all(self.left.digests(), &mut take),
            Some(right) => compare.between(self.left.digests(), right.digests(), &mut take),
        });
        result
    }

    /// Maps a score to a rank, which is lower for more similar files, and back.
    fn rank(&self, score: u32) -> u32 {
        if self.family() == Family::Tlsh { score } else { 100 - score }
    }

    /// Prints all pairs of each file, or only the `top` most similar.
    pub(crate) fn print_pairs(&self, top: Option<u32>, writer: &mut PairWriter) -> io::Result<()> {
        let mut sorted = ExternalSort::new(self.options.memory / 4);
        let one_side = self.right.is_none();
        // The directions in which a pair is shown. ssdeep names the later of two files first.
        let both = one_side && (top.is_some() || writer.format() == PairFormat::SsdeepPretty);
        let backward = both || (one_side && writer.format() == PairFormat::Ssdeep);
        let forward = both || !backward;
        let wanted = top.map_or(Wanted::All, |top| Wanted::Best(top as usize));
        self.find(wanted, &writer.cancel().clone(), |SimilarPair { first, second, score }| {
            let row = |first, second| match top {
                Some(_) => [first, self.rank(score), second],
                None => [first, second, score],
            };
            if forward {
                sorted.push(record(row(first, second)))?;
            }
            if backward {
                sorted.push(record(row(second, first)))?;
            }
            Ok(())
        })?;
        let (mut file, mut count) = (None, 0);
        sorted.into_each(|record| {
            let [first, second, third] = row_of(record);
            if file != Some(first) {
                if file.is_some() {
                    writer.end_group()?;
                }
                (file, count) = (Some(first), 0);
            }
            count += 1;
            let (second, score) = match top {
                Some(top) if count > top => return Ok(()),
                Some(_) => (third, self.rank(second)),
                None => (second, third),
            };
            let second = self.right.unwrap_or(self.left).name(second);
            writer.pair(self.left.name(first), second, Relation::Similar(score))
        })?;
        if file.is_some() { writer.end_group() } else { Ok(()) }
    }

    /// Prints groups of files that are connected by pairs.
    pub(crate) fn print_clusters(&self, writer: &mut PairWriter) -> io::Result<()> {
        let mut parents: Vec<u32> = (0..self.left.len() as u32).collect();
        self.find(Wanted::Links, &writer.cancel().clone(), |SimilarPair { first, second, .. }| {
            let (one, other) = (root(&mut parents, first), root(&mut parents, second));
            // The first file of a cluster is its root.
            parents[one.max(other) as usize] = one.min(other);
            Ok(())
        })?;
        let count = parents.len() as u32;
        let mut members: Vec<(u32, u32)> = (0..count).map(|file| (root(&mut parents, file), file)).collect();
        members.sort_unstable();
        let mut clusters = members.chunk_by(|one, other| one.0 == other.0).filter(|cluster| cluster.len() > 1);
        clusters.try_for_each(|cluster| writer.cluster(cluster.iter().map(|&(_, file)| self.left.name(file))))
    }

    /// Returns all pairs in order, for a picture.
    pub(crate) fn collect(&self, cancel: &CancelToken) -> io::Result<Vec<SimilarPair>> {
        let mut found = Vec::new();
        self.find(Wanted::All, cancel, |pair| {
            found.push(pair);
            Ok(())
        })?;
        found.sort_unstable();
        Ok(found)
    }
}

/// Returns the family of the first list with similarity digests, or ssdeep.
pub(crate) fn family_of<'a>(lists: impl Iterator<Item = &'a mut List>) -> Result<Family, Failed> {
    let mut family = None;
    for list in lists {
        match list.family() {
            Some(first) => family = family.or(Some(first)),
            None if matches!(list.first_kind(), Some(DigestKind::Algorithm(_))) => {
                let name = message::quoted(list.name());
                return Err(Failed::usage(format_args!(
                    "{name} begins with cryptographic digests; if it has similarity digests too, name their family with -a"
                )));
            }
            None => {}
        }
    }
    Ok(family.unwrap_or(Family::Ssdeep))
}

/// Refuses options of other families than this one; without it, the digests are cryptographic.
pub(crate) fn refuse_others(family: Option<Family>, options: &SimilarityArguments) -> Result<(), Failed> {
    let own = [
        ("symmetric", options.symmetric, Family::Sdhash),
        ("sample", options.sample.is_some(), Family::Sdhash),
        ("fast", options.fast, Family::Sdhash),
        ("resemblance", options.resemblance, Family::MrshV2),
    ];
    let other = own.into_iter().find(|&(_, is_given, owner)| is_given && Some(owner) != family);
    let Some((name, _, owner)) = other else { return Ok(()) };
    let digests = family.map_or("cryptographic".to_owned(), |family| format!("of {family}"));
    Err(Failed::usage(format_args!("--{name} is for {owner}, and the digests are {digests}")))
}

/// Returns the threshold. Refuses one that no score reaches, and options of other families.
pub(crate) fn checked_threshold(family: Family, options: &SimilarityArguments) -> Result<u32, Failed> {
    refuse_others(Some(family), options)?;
    match options.threshold {
        Some(threshold @ 101..) if family != Family::Tlsh => {
            Err(Failed::usage(format_args!("--threshold {threshold}: scores of {family} are at most 100")))
        }
        _ => Ok(threshold(family, options)),
    }
}

/// Encodes three numbers as bytes that sort in the same order.
fn record(row: [u32; 3]) -> [u8; 12] {
    let mut record = [0; 12];
    for (bytes, number) in record.as_chunks_mut().0.iter_mut().zip(row) {
        *bytes = number.to_be_bytes();
    }
    record
}

/// Decodes the three numbers of a [`record`].
fn row_of(record: [u8; 12]) -> [u32; 3] {
    let mut row = [0; 3];
    for (number, bytes) in row.iter_mut().zip(record.as_chunks().0) {
        *number = u32::from_be_bytes(*bytes);
    }
    row
}

/// Returns the first file of a cluster, and shortens the path to it.
fn root(parents: &mut [u32], mut file: u32) -> u32 {
    while parents[file as usize] != file {
        let above = parents[parents[file as usize] as usize];
        parents[file as usize] = above;
        file = above;
    }
    file
}
