//! `pfh match`.

use super::args::{MatchArguments, PairFormat};
use super::command::{Command, Item, Reporting};
use super::common_args::WalkArguments;
use super::exit::{Ending, Failed};
use super::gather::{self, DigestCollector};
use super::keys;
use super::lists::{self, Answer, Loaded};
use super::message;
use super::output::interrupted;
use super::pairs::{PairWriter, Relation, own_format};
use super::reading;
use super::similar::{Comparison, checked_threshold, family_of, refuse_others};
use super::{classify, fragments, verdicts};
use pfh_digest::{Algorithm, Digest};
use pfh_list::{KnownDigests, List, Match, Name, NamedDigests};
use pfh_record::{DigestKind, FormatName, Md5deepForm, ReadOptions, Reader, Record};
use pfh_similarity::Family;
use std::ffi::OsString;
use std::io;
use std::ops::ControlFlow;
use std::os::unix::ffi::OsStrExt;

/// Runs `pfh match`.
pub(crate) fn run(arguments: &MatchArguments) -> Result<Ending, Failed> {
    let known = arguments.known.iter().map(|argument| verdicts::split_class(argument).1);
    let words = arguments.digests.iter().chain(&arguments.paths).map(OsString::as_os_str).chain(known);
    reading::one_input(words, Some(&arguments.walk))?;
    lists::refuse_needless_format(arguments.read_as, !(arguments.known.is_empty() && arguments.digests.is_empty()))?;
    let kind = arguments.algorithm.as_deref().map(str::parse::<DigestKind>).transpose().map_err(Failed::usage)?;
    let (algorithm, family) = match kind {
        Some(DigestKind::Algorithm(algorithm)) => (Some(algorithm), None),
        Some(DigestKind::Family(family)) => (None, Some(family)),
        None => (None, None),
    };
    if let Some(block_bytes) = arguments.fragments.blocks {
        return fragments::run(arguments, algorithm, family, block_bytes);
    }
    if verdicts::are_classified(&arguments.known) {
        if let Some(family) = family {
            return Err(Failed::usage(format_args!("-a {family}: sets and classes are for cryptographic digests")));
        }
        return classify::run(arguments, algorithm, reads_input(arguments));
    }
    if !arguments.only.is_empty() || arguments.not_found || arguments.names_only || !arguments.fail_on.is_empty() {
        return Err(Failed::usage(
            "--only, --not-found, --names-only and --fail-on need a set or a class: `--known bad=LIST`",
        ));
    }
    if let Some(text) = &arguments.digest {
        return match Query::parse(text.as_bytes(), algorithm, family)? {
            Query::Same { digest, guessed } => {
                let mut known = KnownDigests::new(u64::MAX, None, arguments.all_names);
                known.push(text.as_bytes(), digest, guessed).map_err(Failed::usage)?;
                same(arguments, algorithm, known, 0)
            }
            Query::Similar(digest) => {
                let name = match &digest {
                    pfh_similarity::Digest::Sdhash(digest) => digest.name().to_vec(),
                    pfh_similarity::Digest::MrshV2(digest) => digest.name().to_vec(),
                    _ => text.as_bytes().to_vec(),
                };
                let mut known = NamedDigests::new(digest.family(), u64::MAX);
                known.push(&name, digest).map_err(Failed::usage)?;
                similar(arguments, known, Vec::new())
            }
        };
    }
    let mut lists = open_lists(&arguments.known, arguments.read_as, algorithm)?;
    let kinds: Vec<DigestKind> = lists.iter_mut().filter_map(List::first_kind).collect();
    let has_similar = kinds.iter().any(|kind| matches!(kind, DigestKind::Family(_)));
    let has_cryptographic = kinds.iter().any(|kind| matches!(kind, DigestKind::Algorithm(_)));
    if family.is_none() && algorithm.is_none() && has_similar && has_cryptographic {
        return Err(Failed::usage(
            "lists of similarity digests and of cryptographic ones cannot be matched in one run, unless -a selects one kind",
        ));
    }
    if family.is_some() || (algorithm.is_none() && has_similar) {
        let family = family.map_or_else(|| family_of(lists.iter_mut()), Ok)?;
        return similar(arguments, NamedDigests::new(family, arguments.options.memory / 4), lists);
    }
    let quiet = arguments.options.messages.quiet;
    let mut known = KnownDigests::new(arguments.options.memory / 2, algorithm, arguments.all_names);
    let wanted = algorithm.map_or("cryptographic algorithms", |algorithm| algorithm.name());
    let mut load = |list: List| -> Result<Loaded, Failed> {
        let (name, before) = (list.name().to_vec(), (known.may_be_pieces(), known.without_digest()));
        let loaded = lists::load(list, quiet, |list, broken| known.load(list, broken))?;
        if loaded.useless.is_some() {
            // The list is reported.
            return Ok(loaded);
        }
        let loaded = loaded.with_pieces(known.may_be_pieces() - before.0, &name, quiet);
        Ok(loaded.with_files(known.without_digest() - before.1, &name, quiet, wanted, " cannot be found"))
    };
    let loaded: Result<Vec<_>, Failed> = lists.into_iter().map(&mut load).collect();
    let unread = lists::unread(&loaded?, true, quiet)?;
    same(arguments, algorithm, known, unread)
}

/// Whether files, lists or paths come from standard input.
fn reads_input(arguments: &MatchArguments) -> bool {
    let mut lists = arguments.known.iter().chain(&arguments.digests);
    reading::reads_input(&arguments.paths, &arguments.walk) || lists.any(|path| path == "-")
}

fn open_lists(
    paths: &[OsString],
    format: Option<FormatName>,
    algorithm: Option<Algorithm>,
) -> Result<Vec<List>, Failed> {
    let options = lists::of_files(algorithm);
    paths.iter().map(|path| lists::open_as(path, format, options)).collect()
}

/// A digest on the command line.
enum Query {
    /// A cryptographic digest; `guessed`: its algorithm follows from its length.
    Same {
        digest: Digest,
        guessed: bool,
    },
    Similar(pfh_similarity::Digest),
}

impl Query {
    /// Parses a digest. Its kind is `algorithm` or `family` if given, otherwise it is recognised by its form.
    fn parse(text: &[u8], algorithm: Option<Algorithm>, family: Option<Family>) -> Result<Query, Failed> {
        let is_hexadecimal = text.iter().all(u8::is_ascii_hexdigit);
        let family = match family {
            _ if algorithm.is_some() => None,
            Some(family) => Some(family),
            None if text.starts_with(b"sdbf") => Some(Family::Sdhash),
            // Versions of TLSH before 4 write no `T1`.
            None if text.starts_with(b"T1") || (is_hexadecimal && text.len() == 70) => Some(Family::Tlsh),
            None => match text.iter().filter(|&&byte| byte == b':').count() {
                0 => None,
                1..=3 => Some(Family::Ssdeep),
                _ => Some(Family::MrshV2),
            },
        };
        if let Some(family) = family {
            let digest = pfh_similarity::Digest::from_bytes(family, text);
            let refused = |error| Failed::usage(format_args!("--digest is not a digest of {family}: {error}"));
            return digest.map(Query::Similar).map_err(refused);
        }
        // It is read as a list of one line without a name.
        let options = ReadOptions { algorithm, ..ReadOptions::default() };
        let listed = Reader::new(FormatName::Md5deep(Md5deepForm::default()), text, options).next();
        let looked = listed.and_then(|listed| {
            let listed = listed.ok()?;
            Some(Query::Same { digest: *listed.digests.first()?, guessed: listed.algorithm_guessed })
        });
        looked.ok_or_else(|| {
            Failed::usage(format_args!(
                "{} is not a digest: neither one of ssdeep, sdhash, mrsh-v2 or TLSH, nor a hexadecimal one with the length \
                 of its algorithm; name the algorithm with -a",
                message::quoted(text)
            ))
        })
    }
}

/// Prints files, and entries of lists, that are similar to known ones.
fn similar(arguments: &MatchArguments, mut known: NamedDigests, lists: Vec<List>) -> Result<Ending, Failed> {
    let options = &arguments.options;
    if arguments.all_names {
        return Err(Failed::usage(
            "--all-names is for cryptographic digests: similar ones are printed with all their names",
        ));
    }
    keys::load(&arguments.keys, &[], reads_input(arguments))?;
    let family = known.family();
    let threshold = checked_threshold(family, options)?;
    let own_lists = lists::open_all(&arguments.digests, arguments.read_as, None)?;
    let mut command = Command::begin(Reporting::of(options.messages, options.allow_empty), None);
    command.set_output(reading::open_output(options.output.as_deref(), verdicts::inputs(arguments))?);
    let collector = DigestCollector { options, families: &arguments.families, files_max: usize::MAX };
    let has_lists = !lists.is_empty();
    collector.lists(&mut command, lists, has_lists, &mut known)?;
    let mut own = NamedDigests::new(family, options.memory / 4);
    collector.paths(&mut command, &arguments.paths, &arguments.walk, &mut own)?;
    collector.lists(&mut command, own_lists, !arguments.has_files(), &mut own)?;
    let count = own.len() as u64;
    if command.spares(count) {
        return command.finish(Ok(()), count, None);
    }
    command.report_totals();
    let profile = arguments.families.sdhash_profile.into();
    let comparison = Comparison { options, profile, left: &own, right: Some(&known) };
    let format = options.format.unwrap_or(own_format(family));
    let mut writer = PairWriter::new(command.output(), format, Some(family), options.messages.quiet);
    let written = writer
        .header(&[family.name()], Some(threshold), false)
        .and_then(|()| comparison.print_pairs(arguments.top, &mut writer));
    command.tally.findings = writer.found();
    writer.finish(command, written, comparison.count())
}

/// Prints files, and entries of lists, that have a known cryptographic digest. `broken` is the number of unreadable
/// lines in the known lists.
fn same(
    arguments: &MatchArguments,
    algorithm: Option<Algorithm>,
    known: KnownDigests,
    broken: u64,
) -> Result<Ending, Failed> {
    let options = &arguments.options;
    if options.threshold.is_some() || arguments.top.is_some() {
        return Err(Failed::usage(
            "--threshold and --top are for similarity digests; of cryptographic ones each file has one line for each list \
             that has its digest (--all-names: one for each name)",
        ));
    }
    refuse_others(None, options)?;
    let format = match options.format {
        None | Some(PairFormat::Ssdeep) => PairFormat::Ssdeep,
        Some(format @ (PairFormat::Csv | PairFormat::Jsonl)) => format,
        Some(_) => {
            return Err(Failed::usage(
                "--format: cryptographic digests have no scores, which this format shows; use csv or jsonl",
            ));
        }
    };
    let WalkArguments { files_from, files_from0, .. } = &arguments.walk;
    let takes_files = !arguments.paths.is_empty() || files_from.is_some() || files_from0.is_some();
    let keyed = if takes_files { known.algorithms() } else { &[] };
    let keys = keys::load(&arguments.keys, keyed, reads_input(arguments))?;
    let own_lists = lists::open_all(&arguments.digests, arguments.read_as, algorithm)?;
    let mut command = Command::begin(Reporting::of(options.messages, options.allow_empty), None);
    command.set_output(reading::open_output(options.output.as_deref(), verdicts::inputs(arguments))?);
    command.count_lines(broken);
    let mut writer = PairWriter::new(command.output(), format, None, options.messages.quiet);
    let names: Vec<&str> = known.algorithms().iter().map(|algorithm| algorithm.name()).collect();
    let mut written = writer.header(&names, None, false);
    let mut digests = 0;
    let files_from = reading::file_list(&arguments.walk)?;
    if written.is_ok() && (!arguments.paths.is_empty() || files_from.is_some()) {
        let mut engine = gather::engine_options(options, known.algorithms().into());
        engine.keys = keys;
        let (source, engine, own_files) =
            gather::prepare_run(&mut command, &arguments.paths, &arguments.walk, files_from, engine)?;
        let prepare = |record: Record| {
            let item = Item::new(&record, ());
            let (is_read, matches) = (!item.is_unread, known.matches(&record.digests));
            item.map(|()| FileMatches { path: record.path, is_read, matches })
        };
        let mut print = |FileMatches { path, is_read, matches }: FileMatches| {
            digests += usize::from(is_read);
            written = print_matches(Name { list: None, name: &path }, &matches, &known, &mut writer);
            if written.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        };
        let report = command.hash(&engine, &source, own_files.before(None).as_deref(), &prepare, &mut print);
        report.map_err(|error| gather::start_error(error, options))?;
    }
    let (only, wanted) = (!arguments.has_files(), names.join(", "));
    let is_whole = lists::ask(&mut command, own_lists, only, &wanted, " cannot be matched", &mut |_, list, entry| {
        if written.is_err() {
            return Ok(None);
        }
        let is_known = |own: &Digest| known.algorithms().contains(&own.algorithm());
        let is_useful = entry.is_complete() && entry.digests.iter().any(is_known);
        if is_useful {
            digests += 1;
            let name = Name { list: Some(list), name: &entry.path };
            written = print_matches(name, &known.matches(&entry.digests), &known, &mut writer);
        }
        Ok(Some(Answer { is_useful, is_told: is_useful }))
    })?;
    if !is_whole {
        return command.finish(written.and(Err(interrupted())), digests as u64, None);
    }
    if digests > 0 {
        let doubts = known.doubts();
        command.tally.unread += doubts.len() as u64;
        if !options.messages.quiet {
            doubts.iter().for_each(message::error);
        }
    }
    command.tally.findings = writer.found();
    if written.is_ok() && command.spares(digests as u64) {
        return command.finish(written, digests as u64, None);
    }
    command.report_totals();
    writer.finish(command, written, digests)
}

/// Prints the matches of a file, or of an entry of a list.
fn print_matches(name: Name<'_>, matches: &[Match], known: &KnownDigests, writer: &mut PairWriter) -> io::Result<()> {
    matches.iter().try_for_each(|&Match { entry, names, .. }| {
        known.confirm(entry);
        writer.pair(name, known.name(entry), Relation::Same { names })
    })
}

/// A file with its matches, to be printed.
struct FileMatches {
    path: Vec<u8>,
    is_read: bool,
    matches: Vec<Match>,
}
