//! `pfh match`.

use super::args::{MatchArguments, PairFormat, WalkArguments};
use super::compare;
use super::delivery::Delivery;
use super::exit::Failed;
use super::gather::{self, DigestCollector};
use super::keys;
use super::lists::{self, BrokenLines, Loaded};
use super::named_digests::NamedDigests;
use super::pairs::{PairWriter, Relation, own_format};
use super::reading;
use super::similar::Similar;
use super::warnings::{Missing, Wanted, Warning, Warnings};
use super::{Ending, message, named_paths, progress, warnings};
use pfh::Hash;
use pfh_digest::{Algorithm, Digest};
use pfh_engine::{Counters, Sink};
use pfh_list::{Contents, KnownDigests, List, Lookup as _, Match, Name};
use pfh_record::{DigestKind, FormatName, Md5deepForm, ReadOptions, Reader, Record, Summary};
use pfh_similarity::Family;
use std::ffi::OsString;
use std::io;
use std::ops::ControlFlow;
use std::os::unix::ffi::OsStrExt;

/// Does what `pfh match` is asked to.
pub(crate) fn run(arguments: MatchArguments) -> Ending {
    find(&arguments).unwrap_or_else(Failed::report)
}

fn find(arguments: &MatchArguments) -> Result<Ending, Failed> {
    let kind = arguments.algorithm.as_deref().map(str::parse::<DigestKind>).transpose().map_err(Failed::usage)?;
    let (algorithm, family) = match kind {
        Some(DigestKind::Algorithm(algorithm)) => (Some(algorithm), None),
        Some(DigestKind::Family(family)) => (None, Some(family)),
        None => (None, None),
    };
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
                known.push(&name, digest, None)?;
                similar(arguments, known, Vec::new())
            }
        };
    }
    let mut lists = open_lists(&arguments.known, algorithm)?;
    let kinds: Vec<DigestKind> = lists.iter_mut().filter_map(List::first_kind).collect();
    let has_similar = kinds.iter().any(|kind| matches!(kind, DigestKind::Family(_)));
    let has_cryptographic = kinds.iter().any(|kind| matches!(kind, DigestKind::Algorithm(_)));
    if family.is_none() && algorithm.is_none() && has_similar && has_cryptographic {
        return Err(Failed::usage(
            "lists of similarity digests and of cryptographic ones cannot be matched in one run, unless -a says which to look at",
        ));
    }
    if family.is_some() || (algorithm.is_none() && has_similar) {
        let family = family.map_or_else(|| compare::family_of(lists.iter_mut()), Ok)?;
        return similar(arguments, NamedDigests::new(family, arguments.how.memory / 4), lists);
    }
    let quiet = arguments.how.quiet;
    let mut known = KnownDigests::new(arguments.how.memory / 2, algorithm, arguments.all_names);
    let loaded: Result<Vec<_>, Failed> = lists.into_iter().map(|list| lists::load(&mut known, list, quiet)).collect();
    let unread = lists::unread(&loaded?, true, quiet)?;
    same(arguments, algorithm, known, unread)
}

/// Whether files, lists or paths come from standard input.
fn reads_input(arguments: &MatchArguments) -> bool {
    let mut lists = arguments.known.iter().chain(&arguments.digests);
    reading::reads_input(&arguments.paths, &arguments.walk) || lists.any(|path| path == "-")
}

fn open_lists(paths: &[OsString], algorithm: Option<Algorithm>) -> Result<Vec<List>, Failed> {
    let options = ReadOptions { algorithm, ..ReadOptions::default() };
    paths.iter().map(|path| lists::open(path, options)).collect()
}

/// A digest of the command line.
enum Query {
    /// `guessed`: by its length.
    Same {
        digest: Digest,
        guessed: bool,
    },
    Similar(pfh_similarity::Digest),
}

impl Query {
    /// `algorithm` or `family` say what it is; otherwise it is what it looks like.
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
            let refused = |error| Failed::usage(format_args!("--digest is no digest of {family}: {error}"));
            return digest.map(Query::Similar).map_err(refused);
        }
        // A list of one line, which has no name.
        let options = ReadOptions { algorithm, ..ReadOptions::default() };
        let listed = Reader::new(FormatName::Md5deep(Md5deepForm::default()), text, options).next();
        let looked = listed.and_then(|listed| {
            let listed = listed.ok()?;
            Some(Query::Same { digest: *listed.digests.first()?, guessed: listed.algorithm_guessed })
        });
        looked.ok_or_else(|| {
            Failed::usage(format_args!(
                "{} is no digest: neither of ssdeep, sdhash, mrsh-v2 or TLSH nor hexadecimal of the length of its \
                 algorithm, which -a names",
                message::quoted(text)
            ))
        })
    }
}

/// Files, and entries of lists, that are similar to known ones.
fn similar(arguments: &MatchArguments, mut known: NamedDigests, lists: Vec<List>) -> Result<Ending, Failed> {
    let how = &arguments.how;
    if arguments.all_names {
        return Err(Failed::usage(
            "--all-names is for cryptographic digests: similar ones are printed with all their names",
        ));
    }
    keys::load(&arguments.keys, &[], reads_input(arguments))?;
    let family = known.digests.family();
    let threshold = compare::threshold(family, how)?;
    let own_lists = lists::open_all(&arguments.digests)?;
    let delivery = Delivery::open(how.output.as_deref())?;
    let cancel = delivery.cancel().clone();
    let mut gather = DigestCollector::new(how, &arguments.families, &cancel, delivery.own_files());
    let has_lists = !lists.is_empty();
    gather.lists(lists, has_lists, &mut known)?;
    let mut own = NamedDigests::new(family, how.memory / 4);
    gather.paths(&arguments.paths, &arguments.walk, &mut own)?;
    gather.lists(own_lists, !arguments.has_files(), &mut own)?;
    let similar = Similar { how, profile: arguments.families.sdhash_profile.into(), left: &own, right: Some(&known) };
    let is_spared = delivery.empties(own.len(), how.allow_empty);
    if is_spared {
        delivery.say_spared();
    }
    gather.end();
    if is_spared {
        return Ok(Ending::UNREAD);
    }
    let mut sheet = PairWriter::new(delivery, how.format.unwrap_or(own_format(family)), Some(family));
    let written = sheet
        .header(&[family.name()], Some(threshold), false)
        .and_then(|()| similar.print_pairs(arguments.top, &mut sheet));
    let ending = Ending { findings: sheet.has_found(), unread: gather.unread > 0, ..Ending::DONE };
    sheet.end(written, similar.count(), ending)
}

/// Files, and entries of lists, that have a known cryptographic digest.
fn same(
    arguments: &MatchArguments,
    algorithm: Option<Algorithm>,
    known: KnownDigests,
    mut unread: u64,
) -> Result<Ending, Failed> {
    let how = &arguments.how;
    if how.threshold.is_some() || arguments.top.is_some() {
        return Err(Failed::usage(
            "--threshold and --top are for similarity digests; of cryptographic ones each file has one line for each list \
             that has its digest (--all-names: one for each name)",
        ));
    }
    let format = match how.format {
        None | Some(PairFormat::Ssdeep) => PairFormat::Ssdeep,
        Some(format @ (PairFormat::Csv | PairFormat::Jsonl)) => format,
        Some(_) => return Err(Failed::usage("this format shows scores: use csv or jsonl")),
    };
    let WalkArguments { files_from, files_from0, .. } = &arguments.walk;
    let takes_files = !arguments.paths.is_empty() || files_from.is_some() || files_from0.is_some();
    let keyed = if takes_files { known.algorithms() } else { &[] };
    let keys = keys::load(&arguments.keys, keyed, reads_input(arguments))?;
    let own_lists = open_lists(&arguments.digests, algorithm)?;
    let mut sheet = PairWriter::new(Delivery::open(how.output.as_deref())?, format, None);
    let names: Vec<&str> = known.algorithms().iter().map(|algorithm| algorithm.name()).collect();
    let mut result = sheet.header(&names, None, false);
    let (mut digests, mut summary) = (0, Summary::default());
    // Of the lists of what is known.
    let mut lines = unread;
    let files_from = reading::file_list(&arguments.walk)?;
    if result.is_ok() && (!arguments.paths.is_empty() || files_from.is_some()) {
        pfh_source::raise_open_file_limit();
        let mut engine = gather::engine_options(how, known.algorithms().into());
        engine.keys = keys;
        engine.own_files = sheet.delivery().own_files();
        let run = Hash { walk: reading::walk_options(&arguments.paths, &arguments.walk, files_from), engine };
        let (source, options) = run.into_parts().map_err(Failed::usage)?;
        let counters = Counters::default();
        let cancel = sheet.delivery().cancel().clone();
        let prepare = |record: Record| Item {
            matches: known.matches(&record.digests),
            warning: message::about(&record),
            unread: message::is_failure(&record.outcome),
            path: record.path,
        };
        let mut warnings = Warnings::new(Wanted::by(how.quiet, how.verbose));
        named_paths::look(&arguments.paths, &mut warnings);
        let (report, printer) = progress::of_run(how.progress, &source, &counters, || {
            let mut printer = Printer { sheet: &mut sheet, known: &known, warnings, unread: 0, digests: 0, result };
            let report = pfh::run_on(&options, &source, &prepare, &mut printer, None, &counters, &cancel);
            printer.warnings.end();
            (report, (printer.unread, printer.digests, printer.result))
        });
        summary = report.map_err(|error| gather::begun(error, how))?.summary;
        unread += printer.0;
        digests += printer.1;
        result = printer.2;
    }
    let mut loaded = Vec::new();
    for list in own_lists {
        let list_name = list.name().to_vec();
        let mut broken = BrokenLines::new(&list_name, how.quiet);
        let (mut contents, mut is_useless) = (Contents::default(), true);
        for listed in broken.entries(list) {
            contents.add(&listed);
            if listed.piece.is_some() || !listed.digests.iter().any(|own| known.algorithms().contains(&own.algorithm()))
            {
                continue;
            }
            is_useless = false;
            digests += 1;
            let name = Name { list: Some(&list_name), name: &listed.path };
            result = result.and_then(|()| print_matches(name, &known.matches(&listed.digests), &known, &mut sheet));
        }
        let useless = is_useless.then(|| contents.instead_of(&list_name, &names.join(", ")));
        loaded.push(Loaded { broken: broken.count, useless });
    }
    let broken = lists::unread(&loaded, !arguments.has_files(), how.quiet)?;
    lines += broken;
    unread += broken;
    if digests > 0 {
        let doubts = known.doubts();
        unread += doubts.len() as u64;
        if !how.quiet {
            doubts.iter().for_each(message::error);
        }
    }
    let is_spared = result.is_ok() && sheet.delivery().empties(digests, how.allow_empty);
    if is_spared {
        sheet.delivery().say_spared();
    }
    if unread > 0 {
        warnings::say_totals(&summary, Missing { lines, ..Missing::default() });
    }
    let ending = Ending { findings: sheet.has_found(), unread: unread > 0, ..Ending::DONE };
    if is_spared {
        return Ok(ending.and(Ending::UNREAD));
    }
    sheet.end(result, digests, ending)
}

/// Prints what a file, or an entry of a list, matches.
fn print_matches(name: Name<'_>, matches: &[Match], known: &KnownDigests, sheet: &mut PairWriter) -> io::Result<()> {
    matches.iter().try_for_each(|&Match { entry, names }| {
        known.confirm(entry);
        sheet.pair(name, known.name(entry), Relation::Same { names })
    })
}

/// A file on its way to the output.
struct Item {
    path: Vec<u8>,
    matches: Vec<Match>,
    warning: Option<Warning>,
    unread: bool,
}

struct Printer<'a> {
    sheet: &'a mut PairWriter,
    known: &'a KnownDigests,
    warnings: Warnings,
    unread: u64,
    digests: usize,
    result: io::Result<()>,
}

impl Sink for Printer<'_> {
    type Item = Item;

    fn deliver(&mut self, item: Item) -> ControlFlow<()> {
        self.unread += u64::from(item.unread);
        self.digests += usize::from(!item.unread);
        if let Some(warning) = &item.warning {
            self.warnings.say(warning);
        }
        let name = Name { list: None, name: &item.path };
        self.result = print_matches(name, &item.matches, self.known, self.sheet);
        if self.result.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    }
}
