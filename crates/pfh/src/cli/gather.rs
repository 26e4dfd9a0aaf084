//! Similarity digests to compare: from paths, by hashing, and from lists.

use super::args::{FamilyArguments, SimilarityArguments, WalkArguments};
use super::exit::Failed;
use super::lists;
use super::named_digests::NamedDigests;
use super::quantity::Count;
use super::reading;
use super::warnings::{Missing, Wanted, Warning, Warnings};
use super::{message, named_paths, progress, warnings};
use pfh::Hash;
use pfh_engine::{CancelToken, Counters, Options, Sink, StartError};
use pfh_list::FileIdentity;
use pfh_list::List;
use pfh_record::{Record, Selection, Summary};
use pfh_similarity::Digest;
use std::ffi::OsString;
use std::num::NonZero;
use std::ops::ControlFlow;

/// What is the same for all digests of a run, and what there is to say of it in the end.
pub(crate) struct DigestCollector<'a> {
    pub(crate) how: &'a SimilarityArguments,
    pub(crate) families: &'a FamilyArguments,
    pub(crate) cancel: &'a CancelToken,
    /// Files that are not to be read.
    pub(crate) own_files: Vec<FileIdentity>,
    /// Files and lines that could not be read.
    pub(crate) unread: u64,
    /// Lines of lists among them.
    pub(crate) lines: u64,
    /// What became of the files.
    pub(crate) summary: Summary,
}

impl<'a> DigestCollector<'a> {
    /// Nothing was read yet.
    pub(crate) fn new(
        how: &'a SimilarityArguments,
        families: &'a FamilyArguments,
        cancel: &'a CancelToken,
        own_files: Vec<FileIdentity>,
    ) -> DigestCollector<'a> {
        DigestCollector { how, families, cancel, own_files, unread: 0, lines: 0, summary: Summary::default() }
    }

    /// Adds what lists have. `only`: nothing else was given, so that one of them must have something.
    pub(crate) fn lists(&mut self, lists: Vec<List>, only: bool, named: &mut NamedDigests) -> Result<(), Failed> {
        let quiet = self.how.quiet;
        let loaded: Result<Vec<_>, Failed> = lists.into_iter().map(|list| named.load(list, quiet)).collect();
        let broken = lists::unread(&loaded?, only, quiet)?;
        self.unread += broken;
        self.lines += broken;
        Ok(())
    }

    /// Says the totals where something could not be read.
    pub(crate) fn end(&self) {
        if self.unread > 0 {
            warnings::say_totals(&self.summary, Missing { lines: self.lines, ..Missing::default() });
        }
    }

    /// Adds the digests of everything below the paths, and of a list of files.
    pub(crate) fn paths(
        &mut self,
        paths: &[OsString],
        walk: &WalkArguments,
        named: &mut NamedDigests,
    ) -> Result<(), Failed> {
        let files_from = reading::file_list(walk)?;
        if paths.is_empty() && files_from.is_none() {
            return Ok(());
        }
        pfh_source::raise_open_file_limit();
        let family = named.digests.family();
        let mut engine = engine_options(self.how, family.into());
        engine.similarity = self.families.similarity_options();
        engine.own_files.clone_from(&self.own_files);
        let run = Hash { walk: reading::walk_options(paths, walk, files_from), engine };
        let (source, options) = run.into_parts().map_err(Failed::usage)?;
        let counters = Counters::default();
        let mut warnings = Warnings::new(Wanted::by(self.how.quiet, self.how.verbose));
        named_paths::look(paths, &mut warnings);
        let (report, unfit, stop) = progress::of_run(self.how.progress, &source, &counters, || {
            let segment = self.families.segment();
            let mut collector = Collector { named, segment, warnings, unread: 0, unfit: 0, stop: None };
            let report = pfh::run_on(&options, &source, &Item::new, &mut collector, None, &counters, self.cancel);
            collector.warnings.end();
            self.unread += collector.unread;
            (report, collector.unfit, collector.stop)
        });
        self.summary.add(&report.map_err(|error| begun(error, self.how))?.summary);
        if unfit > 0 && !self.how.quiet {
            let files = if unfit == 1 { "file is" } else { "files are" };
            let count = Count(unfit);
            message::error(format_args!("{count} {files} too small or too uniform for {family}, and not compared"));
        }
        stop.map_or(Ok(()), Err)
    }
}

/// The engine has half of the memory while digests, which have the other half, are gathered.
pub(crate) fn engine_options(how: &SimilarityArguments, selection: Selection) -> Options {
    let mut engine = Options::new(selection);
    if let Some(threads) = how.threads {
        engine.threads = usize::from(threads);
    }
    engine.memory_bytes = how.memory / 2;
    engine
}

/// Why the engine did not begin, in terms of the option.
pub(crate) fn begun(error: pfh::Error, how: &SimilarityArguments) -> Failed {
    Failed::usage(match error {
        pfh::Error::Start(StartError::MemoryTooSmall { least_bytes, .. }) => {
            pfh::Error::Start(StartError::MemoryTooSmall { memory_bytes: how.memory, least_bytes: 2 * least_bytes })
        }
        error => error,
    })
}

/// A file on its way to the digests.
struct Item {
    path: Vec<u8>,
    digest: Option<Digest>,
    warning: Option<Warning>,
    unread: bool,
    unfit: bool,
}

impl Item {
    fn new(mut record: Record) -> Item {
        let warning = message::about(&record);
        let unread = message::is_failure(&record.outcome);
        let made = record.similarities.pop().map(|made| made.digest);
        let unfit = matches!(made, Some(Err(_)));
        Item { path: record.path, digest: made.and_then(Result::ok), warning, unread, unfit }
    }
}

struct Collector<'a> {
    named: &'a mut NamedDigests,
    /// Of sdhash, in MiB.
    segment: Option<NonZero<u32>>,
    warnings: Warnings,
    unread: u64,
    unfit: u64,
    stop: Option<Failed>,
}

impl Sink for Collector<'_> {
    type Item = Item;

    fn deliver(&mut self, item: Item) -> ControlFlow<()> {
        self.unread += u64::from(item.unread);
        self.unfit += u64::from(item.unfit);
        if let Some(warning) = &item.warning {
            self.warnings.say(warning);
        }
        let pushed = match (item.digest, self.segment) {
            (Some(Digest::Sdhash(digest)), Some(mebibytes)) => {
                let mut segments = digest.with_name(item.path).into_segments(mebibytes).into_iter();
                segments.try_for_each(|segment| {
                    let name = segment.name().to_vec();
                    self.named.push(&name, Digest::Sdhash(segment), None)
                })
            }
            (digest, _) => digest.map_or(Ok(()), |digest| self.named.push(&item.path, digest, None)),
        };
        self.stop = pushed.err();
        if self.stop.is_none() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    }
}
