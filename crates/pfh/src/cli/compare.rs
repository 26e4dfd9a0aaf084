//! `pfh compare`.

use super::args::{CompareArguments, PairFormat, SimilarityArguments, WalkArguments};
use super::digest_list::{self, IndexFile, List, Name, Named};
use super::hash::{self, Stop};
use super::output::Output;
use super::pairs::{Sheet, own_format};
use super::progress::{self, Progress};
use super::quantity::{Clock, Count};
use super::sorted::Sorted;
use super::{ExitStatus, heatmap, message};
use pfh::compare::{Compare, Found, Unhashed};
use pfh_engine::CancelToken;
use pfh_similarity::{Digest, Family, ssdeep, tlsh};
use pfh_source::LocalSource;
use std::ffi::OsString;
use std::io::{self, Write};
use std::num::NonZero;
use std::ops::ControlFlow;
use std::path::Path;
use std::time::Instant;

/// Does what `pfh compare` is asked to.
pub(crate) fn run(arguments: CompareArguments) -> ExitStatus {
    compare(&arguments).unwrap_or_else(|Stop(status, text)| {
        message::error(text);
        status
    })
}

fn compare(arguments: &CompareArguments) -> Result<ExitStatus, Stop> {
    let how = &arguments.how;
    let lists = open_lists(&arguments.digests)?;
    let (against_lists, against_paths): (Vec<_>, Vec<_>) =
        arguments.against.iter().cloned().partition(|path| digest_list::is_list(path));
    let against_lists = open_lists(&against_lists)?;
    let family = arguments
        .family
        .or_else(|| lists.iter().chain(&against_lists).map(|list| list.family).next())
        .unwrap_or(Family::Ssdeep);
    let has_against = !arguments.against.is_empty();
    let share = if has_against { 4 } else { 2 };
    let mut gathered = Gathered { how, walk: &arguments.walk, unread: 0 };
    let left = gathered.all(family, &arguments.paths, lists, how.memory / share)?;
    if let Some(path) = &arguments.build_index {
        build_index(path, left)?;
        return Ok(if gathered.unread > 0 { ExitStatus::Unread } else { ExitStatus::Done });
    }
    check_threshold(family, how)?;
    let format = how.format.unwrap_or(own_format(family));
    if let Some(index) = &arguments.index {
        return look_up(index, &left, how, format, gathered.unread);
    }
    let right = match has_against {
        true => {
            // The lists of files are of the left side.
            let walk = WalkArguments { files_from: None, files_from0: None, ..arguments.walk.clone() };
            let mut gathered_right = Gathered { how, walk: &walk, unread: 0 };
            let right = gathered_right.all(family, &against_paths, against_lists, how.memory / share)?;
            gathered.unread += gathered_right.unread;
            Some(right)
        }
        false => None,
    };
    if arguments.heatmap.is_some() && left.len() > heatmap::FILES_MAX {
        return Err(Stop::usage(format_args!(
            "--heatmap draws at most {} files, and there are {}: choose some with --include, or a smaller directory",
            heatmap::FILES_MAX,
            left.len()
        )));
    }
    let task = Task { how, family, format, left: &left, right: right.as_ref(), top: arguments.top };
    let unread = gathered.unread;
    if let Some(path) = &arguments.heatmap {
        let found = task.heatmap()?;
        let (worst, best) = if family == Family::Tlsh { (task.compare().threshold.max(1), 0) } else { (0, 100) };
        write_whole(path, heatmap::svg(&left, &found, worst, best).as_bytes())?;
        return Ok(if unread > 0 { ExitStatus::Unread } else { ExitStatus::Done });
    }
    if arguments.clusters { task.clusters(unread) } else { task.pairs(unread, false) }
}

pub(super) fn open_lists(paths: &[OsString]) -> Result<Vec<List>, Stop> {
    paths.iter().map(|path| digest_list::open_list(path)).collect()
}

/// Refuses a threshold that no score reaches.
pub(super) fn check_threshold(family: Family, how: &SimilarityArguments) -> Result<(), Stop> {
    match how.threshold {
        Some(threshold @ 101..) if family != Family::Tlsh => {
            Err(Stop::usage(format_args!("--threshold {threshold}: scores of {family} are at most 100")))
        }
        _ => Ok(()),
    }
}

/// Puts digests together, from paths and lists.
pub(super) struct Gathered<'a> {
    pub(super) how: &'a SimilarityArguments,
    pub(super) walk: &'a WalkArguments,
    /// Files and lines that could not be read.
    pub(super) unread: u64,
}

impl Gathered<'_> {
    /// The lists alone.
    pub(super) fn all_lists(&mut self, family: Family, lists: Vec<List>, bytes_max: u64) -> Result<Named, Stop> {
        let mut named = Named::new(family, bytes_max);
        for list in lists {
            self.unread += named.load(list, self.how.quiet)?;
        }
        Ok(named)
    }

    /// Everything below the paths, then the lists.
    pub(super) fn all(
        &mut self,
        family: Family,
        paths: &[OsString],
        lists: Vec<List>,
        bytes_max: u64,
    ) -> Result<Named, Stop> {
        let mut named = Named::new(family, bytes_max);
        let files_from = hash::file_list(self.walk)?;
        if !paths.is_empty() || files_from.is_some() {
            pfh_source::raise_open_file_limit();
            let source = LocalSource::new(hash::walk_options(paths, self.walk, files_from)).map_err(Stop::usage)?;
            for (path, result) in pfh::compare::hash_paths(&source, family, threads(self.how), &CancelToken::default())
            {
                match result {
                    Ok(digest) => named.push(&path, digest, None)?,
                    Err(why) => {
                        // Not an error of the file: the family has no digest for it.
                        self.unread += u64::from(!matches!(why, Unhashed::Unfit(_)));
                        if !self.how.quiet {
                            message::error(format_args!("{}: {why}", message::quoted(&path)));
                        }
                    }
                }
            }
        }
        for list in lists {
            self.unread += named.load(list, self.how.quiet)?;
        }
        Ok(named)
    }
}

fn threads(how: &SimilarityArguments) -> NonZero<usize> {
    let given = how.threads.and_then(|threads| NonZero::new(usize::from(threads)));
    given.or_else(|| std::thread::available_parallelism().ok()).unwrap_or(NonZero::<usize>::MIN)
}

/// One comparison and how its result is shown.
pub(super) struct Task<'a> {
    pub(super) how: &'a SimilarityArguments,
    pub(super) family: Family,
    pub(super) format: PairFormat,
    pub(super) left: &'a Named,
    /// `None`: all against all.
    pub(super) right: Option<&'a Named>,
    pub(super) top: Option<u32>,
}

impl Task<'_> {
    fn compare(&self) -> Compare {
        let mut compare = Compare::new(self.family);
        compare.threads = threads(self.how);
        compare.memory_bytes = self.how.memory / 4;
        if let Some(threshold) = self.how.threshold {
            compare.threshold = threshold;
        }
        compare
    }

    /// Calls `each` with all pairs, in no particular order, until it fails or `cancel` says so.
    fn find(&self, cancel: &CancelToken, mut each: impl FnMut(Found) -> io::Result<()> + Send) -> io::Result<()> {
        let compare = self.compare();
        let mut result = Ok(());
        std::thread::scope(|scope| {
            let progress = if progress::is_wanted(self.how.progress) {
                let (compare, started) = (&compare, Instant::now());
                let count = Count((self.left.len() + self.right.map_or(0, Named::len)) as u64);
                Progress::showing(scope, move || {
                    let done = compare.progress.get();
                    let mut text = format!("{count} digests, {:.0} % compared", done * 100.0);
                    if done > 0.0 {
                        text += &format!(", {} left", Clock(started.elapsed().mul_f64((1.0 - done) / done)));
                    }
                    text
                })
            } else {
                Progress::hidden()
            };
            let mut take = |found: &[Found]| {
                result = found.iter().try_for_each(|found| each(*found));
                if result.is_err() || cancel.is_cancelled() {
                    ControlFlow::Break(())
                } else {
                    ControlFlow::Continue(())
                }
            };
            match self.right {
                None => compare.all(&self.left.digests, &mut take),
                Some(right) => compare.between(&self.left.digests, &right.digests, &mut take),
            }
            drop(progress);
        });
        result
    }

    /// The more similar, the lower.
    fn rank(&self, score: u32) -> u32 {
        if self.family == Family::Tlsh { score } else { 100 - score }
    }

    /// Prints pairs.
    pub(super) fn pairs(&self, unread: u64, finds: bool) -> Result<ExitStatus, Stop> {
        let mut sheet = Sheet::open(self.how.output.as_deref(), self.format, Some(self.family))?;
        let mut sorted = Sorted::new(self.how.memory / 4);
        let one_side = self.right.is_none();
        let both = one_side && (self.top.is_some() || self.format == PairFormat::SsdeepPretty);
        let cancel = sheet.cancel.clone();
        let printed = self
            .find(&cancel, |Found { first, second, score }| {
                let row = |first, second| match self.top {
                    Some(_) => [first, self.rank(score), second],
                    None => [first, second, score],
                };
                // ssdeep names the later of two files first.
                if both || !(one_side && self.format == PairFormat::Ssdeep) {
                    sorted.push(row(first, second))?;
                }
                if both || (one_side && self.format == PairFormat::Ssdeep) {
                    sorted.push(row(second, first))?;
                }
                Ok(())
            })
            .and_then(|()| sheet.header(self.family.name(), Some(self.compare().threshold), false))
            .and_then(|()| {
                if cancel.is_cancelled() {
                    return Ok(());
                }
                let (mut file, mut count) = (None, 0);
                sorted.into_each(|[first, second, third]| {
                    if file != Some(first) {
                        if file.is_some() {
                            sheet.end_group()?;
                        }
                        (file, count) = (Some(first), 0);
                    }
                    count += 1;
                    let (second, score) = match self.top {
                        Some(top) if count > top => return Ok(()),
                        Some(_) => (third, self.rank(second)),
                        None => (second, third),
                    };
                    let second = self.right.unwrap_or(self.left).name(second);
                    sheet.pair(self.left.name(first), second, Some(score))
                })?;
                if file.is_some() { sheet.end_group() } else { Ok(()) }
            });
        sheet.end(printed, self.left.len() + self.right.map_or(0, Named::len), finds, unread)
    }

    /// Prints groups of files that matches join.
    fn clusters(&self, unread: u64) -> Result<ExitStatus, Stop> {
        let mut sheet = Sheet::open(self.how.output.as_deref(), self.format, Some(self.family))?;
        let mut parents: Vec<u32> = (0..self.left.len() as u32).collect();
        let cancel = sheet.cancel.clone();
        let found = self.find(&cancel, |Found { first, second, .. }| {
            let (one, other) = (root(&mut parents, first), root(&mut parents, second));
            // The first file of a cluster is its root.
            parents[one.max(other) as usize] = one.min(other);
            Ok(())
        });
        let printed = found
            .and_then(|()| sheet.header(self.family.name(), Some(self.compare().threshold), true))
            .and_then(|()| {
                let count = if cancel.is_cancelled() { 0 } else { parents.len() as u32 };
                let mut members: Vec<(u32, u32)> = (0..count).map(|file| (root(&mut parents, file), file)).collect();
                members.sort_unstable();
                let clusters = members.chunk_by(|one, other| one.0 == other.0).filter(|cluster| cluster.len() > 1);
                for cluster in clusters {
                    sheet.cluster(cluster.len(), cluster.iter().map(|&(_, file)| self.left.name(file)))?;
                }
                Ok(())
            });
        sheet.end(printed, self.left.len(), false, unread)
    }

    fn heatmap(&self) -> Result<Vec<Found>, Stop> {
        let mut found = Vec::new();
        let collected = self.find(&CancelToken::default(), |pair| {
            found.push(pair);
            Ok(())
        });
        collected.map_err(Stop::usage)?;
        found.sort_unstable();
        Ok(found)
    }
}

/// The first file of a cluster; paths to it become shorter.
fn root(parents: &mut [u32], mut file: u32) -> u32 {
    while parents[file as usize] != file {
        let above = parents[parents[file as usize] as usize];
        parents[file as usize] = above;
        file = above;
    }
    file
}

/// A file that appears whole or not at all, as what writes bytes.
struct Whole(Output);

impl Write for Whole {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes).map(|()| bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn write_whole(path: &Path, bytes: &[u8]) -> Result<(), Stop> {
    let mut output = hash::open_output(Some(path), None)?;
    output.write(bytes).and_then(|()| output.finish()).map_err(|error| unwritten(path, &error))
}

fn unwritten(path: &Path, error: &io::Error) -> Stop {
    Stop(ExitStatus::Internal, format!("`{}` could not be written: {error}", path.display()))
}

fn build_index(path: &Path, named: Named) -> Result<(), Stop> {
    let mut output = Whole(hash::open_output(Some(path), None)?);
    let built = match &named.digests {
        pfh::compare::Digests::Ssdeep(digests) => {
            let mut builder = ssdeep::IndexFileBuilder::new();
            let mut all = digests.iter().zip(0..);
            all.try_for_each(|(digest, number)| builder.push(digest.clone(), named.name(number).name))
                .and_then(|()| builder.write(&mut output).map(|_| ()))
        }
        pfh::compare::Digests::Tlsh(digests) => {
            let mut builder = tlsh::IndexFileBuilder::new();
            let mut all = digests.iter().zip(0..);
            all.try_for_each(|(digest, number)| builder.push(*digest, named.name(number).name))
                .and_then(|()| builder.write(&mut output).map(|_| ()))
        }
        _ => return Err(Stop::usage("there are indexes of ssdeep and tlsh only")),
    };
    built.and_then(|()| output.0.finish()).map_err(|error| unwritten(path, &error))
}

/// Looks every digest up in an index file.
fn look_up(
    path: &Path,
    named: &Named,
    how: &SimilarityArguments,
    format: PairFormat,
    unread: u64,
) -> Result<ExitStatus, Stop> {
    let family = named.digests.family();
    let threshold = how.threshold.unwrap_or(Compare::new(family).threshold);
    let mut index = digest_list::open_index(path, family)?;
    let mut sheet = Sheet::open(how.output.as_deref(), format, Some(family))?;
    let mut result = sheet.header(family.name(), Some(threshold), false);
    for number in 0..named.len() {
        if result.is_err() || sheet.cancel.is_cancelled() {
            break;
        }
        let name = named.name(number as u32);
        let mut matches: Vec<(Vec<u8>, u32)> = Vec::new();
        let found = match (&mut index, &named.digests) {
            (IndexFile::Ssdeep(index), pfh::compare::Digests::Ssdeep(digests)) => {
                let threshold = u8::try_from(threshold).unwrap_or(u8::MAX);
                index.matches(&digests[number], threshold, |found| -> ControlFlow<()> {
                    matches.push((found.name, found.score.into()));
                    ControlFlow::Continue(())
                })
            }
            (IndexFile::Tlsh(index), pfh::compare::Digests::Tlsh(digests)) => {
                index.matches(&digests[number], threshold, |found| -> ControlFlow<()> {
                    matches.push((found.name, found.distance));
                    ControlFlow::Continue(())
                })
            }
            _ => Ok(ControlFlow::Continue(())),
        };
        if let Err(error) = found {
            let path = message::quoted(std::os::unix::ffi::OsStrExt::as_bytes(path.as_os_str()));
            let _ = sheet.end(Ok(()), number, false, 1);
            return Err(Stop(ExitStatus::Unread, format!("{path}: {error}")));
        }
        if family == Family::Tlsh {
            matches.sort_unstable_by(|one, other| (one.1, &one.0).cmp(&(other.1, &other.0)));
        }
        result = matches
            .iter()
            .try_for_each(|(found, score)| sheet.pair(name, Name { list: None, name: found }, Some(*score)));
        if !matches.is_empty() && result.is_ok() {
            result = sheet.end_group();
        }
    }
    sheet.end(result, named.len(), false, unread)
}

/// Digests of a family, one of which is known: for `pfh match`.
pub(super) fn one(digest: Digest, name: &[u8]) -> Result<Named, Stop> {
    let mut named = Named::new(digest.family(), u64::MAX);
    named.push(name, digest, None)?;
    Ok(named)
}
