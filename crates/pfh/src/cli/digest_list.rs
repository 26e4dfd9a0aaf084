//! Named similarity digests, and the lists that they come from.

use super::hash::Stop;
use super::message;
use pfh::compare::Digests;
use pfh_record::{FormatName, Listed, Md5deepForm, OBJECT_BYTES_MAX, ReadError, ReadOptions, Reader};
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

    /// Adds the digests of the family that a list has. Returns how many of its lines could not be read; each is said, unless `quiet`.
    pub(crate) fn load(&mut self, list: List, quiet: bool) -> Result<u64, Stop> {
        let place = u16::try_from(self.lists.len()).map_err(|_| Stop::usage("more than 65,536 lists"))?;
        self.lists.push(list.name.clone());
        let (mut broken, mut others) = (0, false);
        let (family, before) = (self.digests.family(), self.len());
        for entry in list.listed(quiet, &mut broken) {
            others |= !(entry.similarities.is_empty() && entry.digests.is_empty());
            let own = entry.similarities.into_iter().find(|digest| digest.family() == family);
            if let (Some(digest), None) = (own, entry.piece) {
                self.push(&entry.path, digest, Some(place))?;
            }
        }
        if others && self.len() == before && !quiet {
            let quoted = message::quoted(&self.lists[usize::from(place)]);
            message::error(format_args!("{quoted}: no digests of {family}, but others, which are not compared"));
        }
        Ok(broken)
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
        let mut input: Box<dyn Read> =
            if path == "-" { Box::new(io::stdin()) } else { Box::new(File::open(path).map_err(failed)?) };
        // A pipe gives what it has: the beginning is put together first.
        let mut start = Vec::new();
        let mut read = usize::MAX;
        while read > 0 && start.len() < OBJECT_BYTES_MAX && (start.len() < START_BYTES || !start.contains(&b'\n')) {
            read = input.by_ref().take(START_BYTES as u64).read_to_end(&mut start).map_err(failed)?;
        }
        let format = match pfh_record::detect(&start) {
            Some(format) => format,
            // Digests without names, as md5deep reads them.
            None if is_hexadecimal(&start) => FormatName::Md5deep(Md5deepForm::default()),
            // Nothing is in it.
            None if start.is_empty() => FormatName::Gnu,
            None => {
                let quoted = message::quoted(&name);
                return Err(Stop::usage(format_args!("{quoted}: no list of digests that pfh can read")));
            }
        };
        let input: Box<dyn Read> = Box::new(io::Cursor::new(start).chain(input));
        let rest = Reader::new(format, BufReader::with_capacity(START_BYTES, input), options);
        Ok(List { name, first: VecDeque::new(), rest })
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
        let List { name, first, rest } = self;
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

/// Whether the first line that is not empty is a hexadecimal number.
fn is_hexadecimal(start: &[u8]) -> bool {
    let mut lines = start.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii);
    lines.find(|line| !line.is_empty()).is_some_and(|line| line.iter().all(u8::is_ascii_hexdigit))
}
