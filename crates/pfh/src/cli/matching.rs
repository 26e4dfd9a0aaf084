//! `pfh match`.

use super::args::{MatchArguments, PairFormat};
use super::compare::{self, Gathered, Task};
use super::digest_list::{self, Name, Opened};
use super::hash::{self, Stop};
use super::pairs::{Sheet, own_format};
use super::{ExitStatus, message};
use pfh_digest::{Algorithm, Digest};
use pfh_engine::{Counters, Options, Sink};
use pfh_record::{FormatName, Md5deepForm, ReadOptions, Reader, Record};
use pfh_similarity::Family;
use std::collections::HashMap;
use std::ffi::OsStr;
use std::io::{self, BufRead, BufReader, Cursor, Read};
use std::ops::ControlFlow;
use std::os::unix::ffi::OsStrExt;
use std::str::FromStr;

/// Does what `pfh match` is asked to.
pub(crate) fn run(arguments: MatchArguments) -> ExitStatus {
    find(&arguments).unwrap_or_else(|Stop(status, text)| {
        message::error(text);
        status
    })
}

fn find(arguments: &MatchArguments) -> Result<ExitStatus, Stop> {
    let family = arguments.algorithm.as_deref().and_then(|name| Family::from_str(name).ok());
    let algorithm = match (&arguments.algorithm, family) {
        (Some(name), None) => Some(Algorithm::from_name(name).map_err(Stop::usage)?),
        _ => None,
    };
    if let Some(text) = &arguments.digest {
        let text = text.as_bytes();
        let digest = match algorithm {
            Some(_) => None,
            None => similarity_digest(family, text)?,
        };
        return match digest {
            Some(digest) => {
                let name = match &digest {
                    pfh_similarity::Digest::Sdhash(digest) => digest.name().to_vec(),
                    pfh_similarity::Digest::MrshV2(digest) => digest.name().to_vec(),
                    _ => text.to_vec(),
                };
                similar(arguments, Known::One(digest, name))
            }
            None => {
                let mut known = Digests::new(algorithm);
                let line = [text, b"  ", text, b"\n"].concat();
                known.load(FormatName::Gnu, None, Cursor::new(line), true);
                if known.entries.is_empty() {
                    return Err(Stop::usage(format_args!(
                        "{} is no digest: neither of ssdeep, sdhash, mrsh-v2 or TLSH nor hexadecimal of the length of \
                         an algorithm; -a names the algorithm",
                        message::quoted(text)
                    )));
                }
                same(arguments, &known)
            }
        };
    }
    let mut lists = Vec::new();
    let mut known = Digests::new(algorithm);
    for path in &arguments.known {
        match digest_list::open(path)? {
            Opened::Similarity(list) => lists.push(list),
            Opened::Other(input) => load(&mut known, path, input, arguments.how.quiet)?,
        }
    }
    match (lists.is_empty(), known.entries.is_empty()) {
        (false, true) if known.broken == 0 => similar(arguments, Known::Lists(lists)),
        (true, _) => same(arguments, &known),
        _ => Err(Stop::usage("lists of similarity digests and of others cannot be matched in one run")),
    }
}

/// A list in any format of `pfh hash`.
fn load(known: &mut Digests, path: &OsStr, mut input: BufReader<Box<dyn Read>>, quiet: bool) -> Result<(), Stop> {
    let quoted = || message::quoted(path.as_bytes());
    let start = input.fill_buf().map_err(|error| Stop::usage(format_args!("{}: {error}", quoted())))?;
    let plain = start.split(|&byte| byte == b'\n').next().unwrap_or_default().trim_ascii();
    let format = match pfh_record::detect(start) {
        Some(format) => format,
        // Digests without names.
        None if !plain.is_empty() && plain.iter().all(u8::is_ascii_hexdigit) => {
            FormatName::Md5deep(Md5deepForm::default())
        }
        None => return Err(Stop::usage(format_args!("{}: no list of digests that pfh can read", quoted()))),
    };
    known.load(format, Some(path.as_bytes()), input, quiet);
    Ok(())
}

/// The digest of a similarity family that this text is; `None` if it looks like a cryptographic one.
fn similarity_digest(family: Option<Family>, text: &[u8]) -> Result<Option<pfh_similarity::Digest>, Stop> {
    let family = match family {
        Some(family) => family,
        None if text.starts_with(b"sdbf") => Family::Sdhash,
        None if text.starts_with(b"T1") || (text.len() == 70 && text.iter().all(u8::is_ascii_hexdigit)) => Family::Tlsh,
        None => match text.iter().filter(|&&byte| byte == b':').count() {
            0 => return Ok(None),
            1..=3 => Family::Ssdeep,
            _ => Family::MrshV2,
        },
    };
    let digest = pfh_similarity::Digest::from_bytes(family, text);
    digest.map(Some).map_err(|error| Stop::usage(format_args!("--digest is no digest of {family}: {error}")))
}

/// Similarity digests that are looked for.
enum Known {
    One(pfh_similarity::Digest, Vec<u8>),
    Lists(Vec<digest_list::List>),
}

fn similar(arguments: &MatchArguments, known: Known) -> Result<ExitStatus, Stop> {
    let how = &arguments.how;
    let mut gathered = Gathered { how, walk: &arguments.walk, unread: 0 };
    let right = match known {
        Known::One(digest, name) => compare::one(digest, &name)?,
        Known::Lists(lists) => {
            let family = lists.first().map_or(Family::Ssdeep, |list| list.family);
            gathered.all_lists(family, lists, how.memory / 4)?
        }
    };
    let family = right.digests.family();
    let lists = compare::open_lists(&arguments.digests)?;
    let left = gathered.all(family, &arguments.paths, lists, how.memory / 4)?;
    compare::check_threshold(family, how)?;
    let format = how.format.unwrap_or(own_format(family));
    let task = Task { how, family, format, left: &left, right: Some(&right), top: arguments.top };
    task.pairs(gathered.unread, true)
}

/// Cryptographic digests that are looked for.
struct Digests {
    /// For digests whose list does not name it.
    algorithm: Option<Algorithm>,
    algorithms: Vec<Algorithm>,
    entries: Vec<Entry>,
    /// Entries by their longest digest.
    places: HashMap<(&'static str, Vec<u8>), Vec<usize>>,
    lists: Vec<Vec<u8>>,
    broken: u64,
}

struct Entry {
    name: Vec<u8>,
    list: Option<usize>,
    digests: Vec<Digest>,
}

fn key(digest: &Digest) -> (&'static str, Vec<u8>) {
    (digest.algorithm().name(), digest.bytes().to_vec())
}

impl Digests {
    fn new(algorithm: Option<Algorithm>) -> Digests {
        let (algorithms, entries, lists) = (Vec::new(), Vec::new(), Vec::new());
        Digests { algorithm, algorithms, entries, places: HashMap::new(), lists, broken: 0 }
    }

    fn load(&mut self, format: FormatName, list: Option<&[u8]>, input: impl BufRead, quiet: bool) {
        let place = list.map(|list| {
            self.lists.push(list.to_vec());
            self.lists.len() - 1
        });
        let options = ReadOptions { algorithm: self.algorithm, ..ReadOptions::default() };
        for listed in Reader::new(format, input, options) {
            match listed {
                Ok(listed) if listed.piece.is_some() => {}
                Ok(listed) => {
                    let Some(longest) = listed.digests.iter().max_by_key(|digest| digest.bytes().len()) else {
                        continue;
                    };
                    self.places.entry(key(longest)).or_default().push(self.entries.len());
                    for digest in &listed.digests {
                        if !self.algorithms.contains(&digest.algorithm()) {
                            self.algorithms.push(digest.algorithm());
                        }
                    }
                    self.entries.push(Entry { name: listed.path, list: place, digests: listed.digests });
                }
                Err(error) => {
                    self.broken += 1;
                    if let (Some(list), false) = (list, quiet) {
                        message::error(format_args!("{}: {error}", message::quoted(list)));
                    }
                }
            }
        }
    }

    /// The entries whose digests are all among these, as far as these have their algorithms.
    fn matches(&self, digests: &[Digest]) -> Vec<usize> {
        let agrees = |entry: &usize| {
            self.entries[*entry].digests.iter().all(|known| {
                let own = digests.iter().find(|own| own.algorithm() == known.algorithm());
                own.is_none_or(|own| own.bytes() == known.bytes())
            })
        };
        let candidates = digests.iter().filter_map(|digest| self.places.get(&key(digest))).flatten();
        let mut matches: Vec<usize> = candidates.copied().filter(agrees).collect();
        matches.sort_unstable();
        matches
    }

    fn name(&self, entry: usize) -> Name<'_> {
        let Entry { name, list, .. } = &self.entries[entry];
        Name { list: list.map(|list| &*self.lists[list]), name }
    }
}

/// Files, and entries of lists, that have a known digest.
fn same(arguments: &MatchArguments, known: &Digests) -> Result<ExitStatus, Stop> {
    let how = &arguments.how;
    if how.threshold.is_some() || arguments.top.is_some() {
        return Err(Stop::usage("--threshold and --top are for similarity digests"));
    }
    let format = match how.format {
        None | Some(PairFormat::Ssdeep) => PairFormat::Ssdeep,
        Some(format @ (PairFormat::Csv | PairFormat::Jsonl)) => format,
        Some(_) => return Err(Stop::usage("this format shows scores: use csv or jsonl")),
    };
    let names: Vec<&str> = known.algorithms.iter().map(|algorithm| algorithm.name()).collect();
    let mut sheet = Sheet::open(how.output.as_deref(), format, None)?;
    let mut result = sheet.header(&names.join(","), None, false);
    let (mut unread, mut digests) = (known.broken, 0);
    for path in &arguments.digests {
        let mut listed = Digests::new(known.algorithm);
        match digest_list::open(path)? {
            Opened::Similarity(_) => {
                return Err(Stop::usage("similarity digests cannot be matched with cryptographic ones"));
            }
            Opened::Other(input) => load(&mut listed, path, input, how.quiet)?,
        }
        unread += listed.broken;
        digests += listed.entries.len();
        for (number, entry) in listed.entries.iter().enumerate() {
            for known_entry in known.matches(&entry.digests) {
                result = result.and_then(|()| sheet.pair(listed.name(number), known.name(known_entry), None));
            }
        }
    }
    let files_from = hash::file_list(&arguments.walk)?;
    if result.is_ok() && !known.entries.is_empty() && (!arguments.paths.is_empty() || files_from.is_some()) {
        pfh_source::raise_open_file_limit();
        let mut engine = Options::new(known.algorithms.clone());
        if let Some(threads) = how.threads {
            engine.threads = usize::from(threads);
        }
        engine.memory_bytes = how.memory;
        let walk = hash::walk_options(&arguments.paths, &arguments.walk, files_from);
        let cancel = sheet.cancel.clone();
        let mut printer = Printer { sheet: &mut sheet, known, quiet: how.quiet, unread: 0, digests: 0, result: Ok(()) };
        let prepare = |record: Record| Item {
            matches: known.matches(&record.digests),
            message: message::about(&record),
            unread: message::is_failure(&record.outcome),
            path: record.path,
        };
        pfh::Hash { walk, engine }
            .run(&prepare, &mut printer, None, &Counters::default(), &cancel)
            .map_err(Stop::usage)?;
        unread += printer.unread;
        digests += printer.digests;
        result = printer.result;
    }
    sheet.end(result, digests, true, unread)
}

/// A file on its way to the output.
struct Item {
    path: Vec<u8>,
    matches: Vec<usize>,
    message: Option<String>,
    unread: bool,
}

struct Printer<'a> {
    sheet: &'a mut Sheet,
    known: &'a Digests,
    quiet: bool,
    unread: u64,
    digests: usize,
    result: io::Result<()>,
}

impl Sink for Printer<'_> {
    type Item = Item;

    fn deliver(&mut self, item: Item) -> ControlFlow<()> {
        self.unread += u64::from(item.unread);
        self.digests += usize::from(!item.unread);
        if let (Some(text), false) = (&item.message, self.quiet) {
            message::error(text);
        }
        let name = Name { list: None, name: &item.path };
        let mut matches = item.matches.iter();
        self.result = matches.try_for_each(|&entry| self.sheet.pair(name, self.known.name(entry), None));
        if self.result.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    }
}
