//! Named similarity digests, and the lists that they come from.

use super::hash::Stop;
use super::message;
use pfh::compare::Digests;
use pfh_digest::Algorithm;
use pfh_record::{FormatName, Listed, OBJECT_BYTES_MAX, ReadError, ReadOptions, Reader};
use pfh_similarity::{Digest, Family};
use std::collections::VecDeque;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, BufReader, Read};
use std::os::unix::ffi::OsStrExt;

/// Digests of one family with their names, in memory.
pub(crate) struct Named {
    pub(crate) digests: Digests,
    names: Vec<u8>,
    /// Where each name ends, and its list.
    ends: Vec<(usize, Option<u16>)>,
    lists: Vec<Vec<u8>>,
    bytes: u64,
    bytes_max: u64,
}

/// A name, and the list that it came from.
#[derive(Clone, Copy)]
pub(crate) struct Name<'a> {
    pub(crate) list: Option<&'a [u8]>,
    pub(crate) name: &'a [u8],
}

impl Named {
    /// None yet; no more than fit `bytes_max`.
    pub(crate) fn new(family: Family, bytes_max: u64) -> Named {
        Named {
            digests: Digests::new(family),
            names: Vec::new(),
            ends: Vec::new(),
            lists: Vec::new(),
            bytes: 0,
            bytes_max,
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    pub(crate) fn name(&self, number: u32) -> Name<'_> {
        let number = number as usize;
        let start = number.checked_sub(1).map_or(0, |before| self.ends[before].0);
        let (end, list) = self.ends[number];
        Name { list: list.map(|list| &*self.lists[usize::from(list)]), name: &self.names[start..end] }
    }

    /// Adds a digest of the family; `list` is the place of its list.
    pub(crate) fn push(&mut self, name: &[u8], digest: Digest, list: Option<u16>) -> Result<(), Stop> {
        // Scores of sdhash depend on names.
        if let Err(digest) = self.digests.push(digest.with_name(name)) {
            let (own, family) = (self.digests.family(), digest.family());
            return Err(Stop::usage(format_args!("digests of {own} and of {family} cannot be compared")));
        }
        self.names.extend_from_slice(name);
        self.ends.push((self.names.len(), list));
        self.bytes += self.digests.last_bytes() + 2 * name.len() as u64 + size_of::<(usize, Option<u16>)>() as u64;
        if self.bytes > self.bytes_max || self.ends.len() > u32::MAX as usize - 1 {
            return Err(too_many(self.ends.len()));
        }
        Ok(())
    }

    /// Adds the digests of the family that a list has. Lines that cannot be read are reported, unless `quiet`.
    pub(crate) fn load(&mut self, list: List, quiet: bool) -> Result<Loaded, Stop> {
        let place = u16::try_from(self.lists.len()).map_err(|_| Stop::usage("more than 65,536 lists"))?;
        self.lists.push(list.name.clone());
        let (mut broken, mut others) = (0, Others::default());
        let (family, before) = (self.digests.family(), self.len());
        for entry in list.listed(quiet, &mut broken) {
            others.add(&entry);
            let own = entry.similarities.into_iter().find(|digest| digest.family() == family);
            if let (Some(digest), None) = (own, entry.piece) {
                self.push(&entry.path, digest, Some(place))?;
            }
        }
        let name = &self.lists[usize::from(place)];
        let useless = (self.len() == before).then(|| others.instead_of(name, Some(family.name())));
        Ok(Loaded { broken, useless })
    }
}

/// What came of the loading of a list.
pub(crate) struct Loaded {
    /// Lines that could not be read.
    pub(crate) broken: u64,
    /// What there is to say of a list that had nothing to use.
    pub(crate) useless: Option<String>,
}

/// How many lines, and lists that had nothing to use, could not be read. That no list had anything is an error where nothing
/// but lists was given (`only`): the answer "nothing is found" would be wrong.
pub(crate) fn unread(loaded: &[Loaded], only: bool, quiet: bool) -> Result<u64, Stop> {
    let useless: Vec<&String> = loaded.iter().filter_map(|loaded| loaded.useless.as_ref()).collect();
    if only && !loaded.is_empty() && useless.len() == loaded.len() {
        let all: Vec<&str> = useless.iter().map(|text| text.as_str()).collect();
        return Err(Stop::usage(all.join("; ")));
    }
    if !quiet {
        useless.iter().for_each(message::error);
    }
    Ok(loaded.iter().map(|loaded| loaded.broken).sum::<u64>() + useless.len() as u64)
}

/// The first digests of a list, by name, of which none may be of use.
#[derive(Default)]
pub(crate) struct Others(Vec<String>);

/// As many names as are shown.
const OTHERS_MAX: usize = 8;

impl Others {
    pub(crate) fn add(&mut self, entry: &Listed) {
        let algorithms = entry.digests.iter().map(|digest| digest.algorithm().to_string());
        let families = entry.similarities.iter().map(|digest| digest.family().to_string());
        let piece = entry.piece.map(|_| "pieces of files".to_owned());
        let whole = algorithms.chain(families).filter(|_| entry.piece.is_none());
        for name in whole.chain(piece) {
            if self.0.len() < OTHERS_MAX && !self.0.contains(&name) {
                self.0.push(name);
            }
        }
    }

    /// What there is to say of a list without any `wanted` digest.
    pub(crate) fn instead_of(&self, list: &[u8], wanted: Option<&str>) -> String {
        let quoted = message::quoted(list);
        match (wanted, &self.0[..]) {
            (Some(wanted), names @ [_, ..]) => {
                format!("{quoted} has no digests of {wanted}; it has {}", names.join(", "))
            }
            _ => format!("{quoted} has no digests"),
        }
    }
}

/// More digests than memory is meant to hold.
pub(crate) fn too_many(count: usize) -> Stop {
    Stop::usage(format_args!("{count} digests take more than their share of the memory option; give a larger -m"))
}

/// A list of digests.
pub(crate) struct List {
    name: Vec<u8>,
    /// Entries that were looked at to see what the list has.
    first: VecDeque<Result<Listed, ReadError>>,
    format: FormatName,
    rest: Reader<BufReader<Box<dyn Read>>>,
}

/// As much of a list as is looked at to recognise it, or all of its first line.
const START_BYTES: usize = 1 << 16;

/// As many entries as are looked at to see of which family a list has digests: the first files may have none.
const FIRST_ENTRIES: usize = 256;

/// A file that is no list, or another one than it seems, has as many as lines.
const BROKEN_LINES_SAID: u64 = 100;

impl List {
    /// Opens a list in any format that `pfh hash` writes, or of hexadecimal digests; `-` is standard input.
    pub(crate) fn open(path: &OsStr, options: ReadOptions) -> Result<List, Stop> {
        let name = path.as_bytes().to_vec();
        let failed = |error: io::Error| Stop::usage(format_args!("{}: {error}", message::quoted(&name)));
        let mut input: Box<dyn Read> = if path == "-" {
            Box::new(message::standard_input().map_err(failed)?)
        } else {
            Box::new(File::open(path).map_err(failed)?)
        };
        // A pipe gives what it has: the beginning is put together first.
        let mut start = Vec::new();
        let mut read = usize::MAX;
        while read > 0 && start.len() < OBJECT_BYTES_MAX && (start.len() < START_BYTES || !start.contains(&b'\n')) {
            read = input.by_ref().take(START_BYTES as u64).read_to_end(&mut start).map_err(failed)?;
        }
        let options = ReadOptions { likely_algorithm: algorithm_in_name(&name), ..options };
        let format = match pfh_record::detect(&start, options) {
            Some(format) => format,
            // Lines that only this algorithm's digests can begin, such as base64.
            None if options.algorithm.is_some()
                && matches!(Reader::new(FormatName::Gnu, &*start, options).next(), Some(Ok(_))) =>
            {
                FormatName::Gnu
            }
            // Nothing is in it.
            None if start.is_empty() => FormatName::Gnu,
            None => return Err(Stop::usage(unknown_list(&name, &start, options.algorithm))),
        };
        let input: Box<dyn Read> = Box::new(io::Cursor::new(start).chain(input));
        let rest = Reader::new(format, BufReader::with_capacity(START_BYTES, input), options);
        Ok(List { name, first: VecDeque::new(), format, rest })
    }

    /// Opens lists of similarity digests.
    pub(crate) fn open_all(paths: &[OsString]) -> Result<Vec<List>, Stop> {
        paths.iter().map(|path| List::open(path, ReadOptions::default())).collect()
    }

    /// The path of the list.
    pub(crate) fn name(&self) -> &[u8] {
        &self.name
    }

    /// What the first digest of the list is.
    pub(crate) fn kind(&mut self) -> Option<Kind> {
        self.first(|listed| match (listed.digests.is_empty(), listed.similarities.is_empty()) {
            (false, _) => Some(Kind::Cryptographic),
            (true, false) => Some(Kind::Similarity),
            (true, true) => None,
        })
    }

    /// What the list was taken for.
    pub(crate) fn format(&self) -> FormatName {
        self.format
    }

    /// The algorithm of the first cryptographic digest of the list.
    pub(crate) fn algorithm(&mut self) -> Option<Algorithm> {
        self.first(|listed| listed.digests.first().map(|digest| digest.algorithm()))
    }

    /// The family of the first similarity digest of the list.
    pub(crate) fn family(&mut self) -> Option<Family> {
        self.first(|listed| listed.similarities.first().map(Digest::family))
    }

    /// The first thing that is looked for, if one of the first entries has it.
    fn first<T>(&mut self, what: impl Fn(&Listed) -> Option<T>) -> Option<T> {
        loop {
            if let Some(found) = self.first.iter().flatten().find_map(&what) {
                return Some(found);
            }
            if self.first.len() >= FIRST_ENTRIES {
                return None;
            }
            let next = self.rest.next()?;
            self.first.push_back(next);
        }
    }

    /// The entries. Lines that cannot be read are counted, and said, the first [`BROKEN_LINES_SAID`] of them, unless `quiet`.
    pub(crate) fn listed(self, quiet: bool, broken: &mut u64) -> impl Iterator<Item = Listed> {
        let List { name, first, rest, .. } = self;
        first.into_iter().chain(rest).filter_map(move |entry| {
            entry
                .inspect_err(|error| {
                    *broken += 1;
                    let quoted = message::quoted(&name);
                    match *broken {
                        _ if quiet => {}
                        ..=BROKEN_LINES_SAID => message::error(format_args!("{quoted}: {error}")),
                        count if count == BROKEN_LINES_SAID + 1 => {
                            message::error(format_args!("{quoted}: more lines cannot be read"));
                        }
                        _ => {}
                    }
                })
                .ok()
        })
    }
}

/// What a list has digests of.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Cryptographic,
    Similarity,
}

/// Why a list cannot be read, by its beginning.
fn unknown_list(name: &[u8], start: &[u8], algorithm: Option<Algorithm>) -> String {
    let quoted = message::quoted(name);
    let Some(digits) = pfh_record::unnamed_digits(start) else {
        return format!("{quoted}: no list of digests that pfh can read");
    };
    let fitting = match &algorithms_of(digits)[..] {
        [] => "no algorithm has digests of this length".to_owned(),
        names => format!("`-a` says of which algorithm: {}", names.join(", ")),
    };
    match algorithm {
        Some(algorithm) => {
            let own = 2 * algorithm.digest_bytes();
            format!("{quoted}: its digests have {digits} digits, and those of {algorithm} have {own}; {fitting}")
        }
        None => format!("{quoted}: its digests have {digits} digits, which does not tell their algorithm; {fitting}"),
    }
}

/// The algorithms whose digests have so many hexadecimal digits.
pub(crate) fn algorithms_of(digits: usize) -> Vec<String> {
    let fitting = Algorithm::all().filter(|algorithm| 2 * algorithm.digest_bytes() == digits);
    // It only looks closer: its digests are those of SHA-1.
    fitting.map(|algorithm| algorithm.to_string()).filter(|name| name != "sha1dc").collect()
}

/// The algorithm that the name of a list tells: `SHA256SUMS`, `photos.md5`, `known-sha3-256.txt`. None where it names two.
fn algorithm_in_name(path: &[u8]) -> Option<Algorithm> {
    let name = path.rsplit(|&byte| byte == b'/').next().and_then(|name| str::from_utf8(name).ok())?;
    let mut found = None;
    for part in name.split(['.', '_', ' ']) {
        // The longest run of words that is a name: `known-sha3-256-old` has `sha3-256`.
        let words: Vec<&str> = part.split('-').collect();
        let mut first = 0;
        while first < words.len() {
            let named = (first + 1..=words.len()).rev().find_map(|end| {
                let text = words[first..end].join("-").to_ascii_lowercase();
                let bare = text.strip_suffix("sums").or_else(|| text.strip_suffix("sum"));
                // Short names (`b2`) mean an algorithm only where nothing else is said.
                let is_sure = bare.is_some() || text.len() > 2 || (first, end) == (0, words.len());
                Algorithm::from_name(bare.unwrap_or(&text)).ok().filter(|_| is_sure).map(|algorithm| (algorithm, end))
            });
            let Some((algorithm, end)) = named else {
                first += 1;
                continue;
            };
            if found.is_some_and(|other| other != algorithm) {
                return None;
            }
            found = Some(algorithm);
            first = end;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_lists_tell_algorithms() {
        for (name, expected) in [
            ("SHA256SUMS", Some("sha256")),
            ("/mnt/b/sha512sum.txt", Some("sha512")),
            ("B3SUMS", Some("blake3")),
            ("photos.md5", Some("md5")),
            ("photos.b2", Some("blake2b")),
            ("known-sha3-256-old.txt", Some("sha3-256")),
            ("list_BLAKE3.txt", Some("blake3")),
            ("sha256.sha256", Some("sha256")),
            ("md5-and-sha1.txt", None),
            ("backup-b2-2026", None),
            ("known", None),
            ("2026", None),
            ("blake3/list", None),
        ] {
            let found = algorithm_in_name(name.as_bytes()).map(|algorithm| algorithm.to_string());
            assert_eq!(found.as_deref(), expected, "{name}");
        }
        assert_eq!(algorithm_in_name(b"\xff.md5"), None);
    }
}
