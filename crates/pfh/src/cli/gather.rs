//! Collecting similarity digests to compare: from paths, by hashing, and from lists.

use super::args::SimilarityArguments;
use super::command::{Command, Item};
use super::common_args::FamilyArguments;
use super::common_args::WalkArguments;
use super::exit::Failed;
use super::lists;
use super::message;
use super::quantity::Count;
use super::reading;
use pfh::HashRun;
use pfh_engine::{Options, StartError};
use pfh_list::{List, NamedDigests, NotAdded};
use pfh_record::{Record, Selection};
use pfh_similarity::Digest;
use std::ffi::OsString;
use std::ops::ControlFlow;

/// Collects digests for a command that compares them.
pub(crate) struct DigestCollector<'a> {
    pub(crate) options: &'a SimilarityArguments,
    pub(crate) families: &'a FamilyArguments,
}

impl DigestCollector<'_> {
    /// Adds the digests of lists. `only`: nothing else was given, so that at least one list must have some.
    pub(crate) fn lists(
        &self,
        command: &mut Command,
        lists: Vec<List>,
        only: bool,
        named: &mut NamedDigests,
    ) -> Result<(), Failed> {
        let quiet = command.is_quiet();
        let loaded: Result<Vec<_>, Failed> =
            lists.into_iter().map(|list| lists::load(list, quiet, |list, broken| named.load(list, broken))).collect();
        command.count_lines(lists::unread(&loaded?, only, quiet)?);
        Ok(())
    }

    /// Adds the digests of everything below the paths, and of a list of files.
    pub(crate) fn paths(
        &self,
        command: &mut Command,
        paths: &[OsString],
        walk: &WalkArguments,
        named: &mut NamedDigests,
    ) -> Result<(), Failed> {
        let files_from = reading::file_list(walk)?;
        if paths.is_empty() && files_from.is_none() {
            return Ok(());
        }
        pfh_source::raise_open_file_limit();
        let family = named.family();
        let mut engine = engine_options(self.options, family.into());
        engine.similarity = self.families.similarity_options();
        engine.own_files = command.own_files();
        let run = HashRun { walk: reading::walk_options(paths, walk, files_from), engine };
        let (source, options) = run.into_parts().map_err(Failed::usage)?;
        command.look_at(paths);
        let segment = self.families.segment();
        let (mut no_digest, mut failed): (_, Option<NotAdded>) = (0, None);
        let mut push = |FileDigest { path, digest, has_no_digest }: FileDigest| {
            no_digest += u64::from(has_no_digest);
            let pushed = match (digest, segment) {
                (Some(Digest::Sdhash(digest)), Some(mebibytes)) => {
                    let mut segments = digest.with_name(path).into_segments(mebibytes).into_iter();
                    segments.try_for_each(|segment| {
                        let name = segment.name().to_vec();
                        named.push(&name, Digest::Sdhash(segment))
                    })
                }
                (digest, _) => digest.map_or(Ok(()), |digest| named.push(&path, digest)),
            };
            failed = pushed.err();
            if failed.is_none() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        };
        let report = command.hash(&options, &source, None, &FileDigest::of, &mut push);
        report.map_err(|error| start_error(error, self.options))?;
        if no_digest > 0 && !command.is_quiet() {
            let files = if no_digest == 1 { "file is" } else { "files are" };
            let count = Count(no_digest);
            message::error(format_args!("{count} {files} too small or too uniform for {family}, and not compared"));
        }
        failed.map_or(Ok(()), |failed| Err(Failed::usage(failed)))
    }
}

/// Returns the engine's options. It gets half of the memory while digests, which have the other half, are collected.
pub(crate) fn engine_options(options: &SimilarityArguments, selection: Selection) -> Options {
    let mut engine = Options::new(selection);
    if let Some(threads) = options.threads {
        engine.threads = usize::from(threads);
    }
    engine.memory_bytes = options.memory / 2;
    engine
}

/// Converts an error of the engine, so that it names the whole memory option.
pub(crate) fn start_error(error: pfh::Error, options: &SimilarityArguments) -> Failed {
    start_error_of(error, options.memory)
}

/// Converts an error of the engine, which has half of this memory, so that it names all of it.
pub(crate) fn start_error_of(error: pfh::Error, memory_bytes: u64) -> Failed {
    Failed::usage(match error {
        pfh::Error::Start(StartError::MemoryTooSmall { least_bytes, .. }) => {
            pfh::Error::Start(StartError::MemoryTooSmall { memory_bytes, least_bytes: 2 * least_bytes })
        }
        error => error,
    })
}

/// A file whose digest is to be added.
struct FileDigest {
    path: Vec<u8>,
    digest: Option<Digest>,
    has_no_digest: bool,
}

impl FileDigest {
    fn of(mut record: Record) -> Item<FileDigest> {
        let made = record.similarities.pop().map(|made| made.digest);
        let has_no_digest = matches!(made, Some(Err(_)));
        let item = Item::new(&record, ());
        item.map(|()| FileDigest { path: record.path, digest: made.and_then(Result::ok), has_no_digest })
    }
}
