//! Collecting similarity digests to compare: from paths, by hashing, and from lists.

use super::args::SimilarityArguments;
use super::command::{Command, Item};
use super::common_args::{FamilyArguments, WalkArguments};
use super::exit::Failed;
use super::lists::{self, Loaded};
use super::message;
use super::output::OwnFiles;
use super::quantity::plural;
use super::reading;
use pfh::HashRun;
use pfh_engine::{Options, StartError};
use pfh_list::{List, NamedDigests, NotAdded, WithoutDigest};
use pfh_record::{Record, Selection};
use pfh_similarity::{Digest, Family, NoDigestReason};
use pfh_source::{FileList, LocalSource};
use std::ffi::OsString;
use std::ops::ControlFlow;

/// Collects digests for a command that compares them.
pub(crate) struct DigestCollector<'a> {
    pub(crate) options: &'a SimilarityArguments,
    pub(crate) families: &'a FamilyArguments,
    /// Once there are more digests, no more files are read.
    pub(crate) files_max: usize,
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
        let (quiet, family) = (command.is_quiet(), named.family());
        let mut load = |mut list: List| -> Result<Loaded, Failed> {
            self.refuse_other_variant(&mut list, family)?;
            let (name, before) = (list.name().to_vec(), named.without_digest());
            let loaded = lists::load(list, quiet, |list, broken| named.load(list, broken))?;
            if loaded.useless.is_some() {
                // The list is reported, and not its files.
                return Ok(loaded);
            }
            let since = named.without_digest().since(before);
            let place = format!("{}: ", message::quoted(&name));
            say_unfit(since, &place, family, "", quiet);
            let loaded = Loaded { broken: loaded.broken + since.too_long, ..loaded };
            Ok(loaded.with_files(since.others, &name, quiet, family.name(), " cannot be compared"))
        };
        let loaded: Result<Vec<_>, Failed> = lists.into_iter().map(&mut load).collect();
        command.count_lines(lists::unread(&loaded?, only, quiet)?);
        Ok(())
    }

    /// Refuses a list that states another variant than that of the options: scores of different variants mean nothing.
    fn refuse_other_variant(&self, list: &mut List, family: Family) -> Result<(), Failed> {
        let own = self.families.similarity_options().variant(family);
        let (Some(stated), Some(own)) = (list.header().variants.get(&family).cloned(), own) else { return Ok(()) };
        if stated == own {
            return Ok(());
        }
        let way = match (family, &*stated) {
            (Family::Sdhash, "3.4" | "4.0") => format!("`--sdhash-profile {stated}` compares its digests"),
            (Family::MrshV2, "network") => "`--mrsh-network` compares its digests".to_owned(),
            (Family::MrshV2, "normal") => "without --mrsh-network its digests are compared".to_owned(),
            _ => "this pfh does not know it".to_owned(),
        };
        Err(Failed::usage(format_args!(
            "{} has {family} digests of the variant {}, which cannot be compared with those of {own}; {way}",
            message::quoted(list.name()),
            message::quoted(stated.as_bytes()),
        )))
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
        let family = named.family();
        let mut engine = engine_options(self.options, family.into());
        engine.similarity = self.families.similarity_options();
        let (source, engine, own_files) = prepare_run(command, paths, walk, files_from, engine)?;
        let segment = self.families.segment();
        let (mut without, mut failed): (WithoutDigest, Option<NotAdded>) = Default::default();
        let mut push = |FileDigest { path, digest, lacks }: FileDigest| {
            if let Some(reason) = lacks {
                without.add(reason);
            }
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
            if failed.is_none() && named.len() <= self.files_max {
                ControlFlow::Continue(())
            } else {
                ControlFlow::Break(())
            }
        };
        let decide = own_files.before(None);
        let report = command.hash(&engine, &source, decide.as_deref(), &FileDigest::of, &mut push);
        report.map_err(|error| start_error(error, self.options))?;
        // Not by their contents, as the others: the answer could be another.
        command.tally.unread += without.too_long;
        let more = if family.digests_grow() { "; give a larger -m" } else { "" };
        say_unfit(without, "", family, more, command.is_quiet());
        failed.map_or(Ok(()), |failed| Err(Failed::usage(failed)))
    }
}

/// Reports the files that are not compared for a reason that is known. `place` is the beginning of the messages, and
/// `more` the end of that about files that are too long.
fn say_unfit(without: WithoutDigest, place: &str, family: Family, more: &str, quiet: bool) {
    let WithoutDigest { too_short, too_uniform, too_long, .. } = without;
    for (files, reason, more) in
        [(too_short, "too small", ""), (too_uniform, "too uniform", ""), (too_long, "too long", more)]
    {
        if files > 0 && !quiet {
            let are = if files == 1 { "is" } else { "are" };
            let files = plural(files, "file");
            message::error(format_args!("{place}{files} {are} {reason} for {family}, and not compared{more}"));
        }
    }
}

/// Returns the engine's options. It gets half of the memory while digests, which have the other half, are collected.
pub(crate) fn engine_options(options: &SimilarityArguments, selection: Selection) -> Options {
    reading::engine(selection, options.threads, options.memory / 2)
}

/// Prepares a run over paths of the command line. Returns the source, the options, and the files that are not read.
pub(crate) fn prepare_run(
    command: &mut Command,
    paths: &[OsString],
    walk: &WalkArguments,
    files_from: Option<FileList>,
    mut engine: Options,
) -> Result<(LocalSource, Options, OwnFiles), Failed> {
    pfh_source::raise_open_file_limit();
    let own_files = command.output().own_files();
    engine.own_files = own_files.identities();
    let run = HashRun { walk: reading::walk_options(paths, walk, files_from), engine };
    let (source, engine) = run.into_parts().map_err(Failed::usage)?;
    command.look_at(paths, walk)?;
    Ok((source, engine, own_files))
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
    /// Why there is no digest of a file that was read.
    lacks: Option<NoDigestReason>,
}

impl FileDigest {
    fn of(mut record: Record) -> Item<FileDigest> {
        let made = record.similarities.pop().map(|made| made.digest);
        let lacks = made.as_ref().and_then(|made| made.as_ref().err()).map(|no_digest| no_digest.reason);
        let item = Item::new(&record, ());
        item.map(|()| FileDigest { path: record.path, digest: made.and_then(Result::ok), lacks })
    }
}
