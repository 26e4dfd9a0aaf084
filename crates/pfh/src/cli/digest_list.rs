//! Named similarity digests: from lists in the families' own formats, from paths, and indexes of them.

use super::hash::Stop;
use super::message;
use pfh::compare::Digests;
use pfh_similarity::list::{Entry, ListError};
use pfh_similarity::{Digest, Family, mrsh_v2, sdhash, ssdeep, tlsh};
use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, BufReader, Read};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// Digests with their names, in memory.
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

    /// Adds a digest; `list` is the place of its list.
    pub(crate) fn push(&mut self, name: &[u8], digest: Digest, list: Option<u16>) -> Result<(), Stop> {
        let family = digest.family();
        if self.digests.push(digest).is_err() {
            let own = self.digests.family();
            return Err(Stop::usage(format_args!("digests of {own} and of {family} cannot be compared")));
        }
        self.names.extend_from_slice(name);
        self.ends.push((self.names.len(), list));
        self.bytes += self.digests.last_bytes() + name.len() as u64 + 24;
        if self.bytes > self.bytes_max || self.ends.len() > u32::MAX as usize - 1 {
            return Err(Stop::usage(format_args!(
                "{} digests take more than half of the memory option; give a larger -m",
                self.ends.len()
            )));
        }
        Ok(())
    }

    /// Adds a list. Returns how many of its lines could not be read; each is said, unless `quiet`.
    pub(crate) fn load(&mut self, list: List, quiet: bool) -> Result<u64, Stop> {
        let too_many = || Stop::usage("more than 65535 lists");
        let place = u16::try_from(self.lists.len()).map_err(|_| too_many())?;
        self.lists.push(list.name.clone());
        let List { name, family, input } = list;
        let mut fill = Fill { named: self, name: &name, place, quiet, broken: 0 };
        match family {
            Family::Ssdeep => fill.all(ssdeep::list::Reader::new(input), Digest::Ssdeep),
            Family::Sdhash => fill.all(sdhash::list::reader(input), Digest::Sdhash),
            Family::MrshV2 => fill.all(mrsh_v2::list::reader(input), Digest::MrshV2),
            Family::Tlsh => fill.all(tlsh::list::Reader::new(input), Digest::Tlsh),
        }
    }
}

struct Fill<'a> {
    named: &'a mut Named,
    name: &'a [u8],
    place: u16,
    quiet: bool,
    broken: u64,
}

impl Fill<'_> {
    fn all<D>(
        &mut self,
        entries: impl Iterator<Item = Result<Entry<D>, ListError>>,
        digest: impl Fn(D) -> Digest,
    ) -> Result<u64, Stop> {
        for entry in entries {
            match entry {
                Ok(entry) => self.named.push(&entry.name, digest(entry.digest), Some(self.place))?,
                Err(error) => {
                    self.broken += 1;
                    if !self.quiet {
                        message::error(format_args!("{}: {error}", message::quoted(self.name)));
                    }
                }
            }
        }
        Ok(self.broken)
    }
}

/// A list that was recognised.
pub(crate) struct List {
    name: Vec<u8>,
    pub(crate) family: Family,
    input: BufReader<Box<dyn Read>>,
}

/// As much of a list as is looked at to recognise it.
const START_BYTES: usize = 1 << 16;

/// What a file turned out to be.
pub(crate) enum Opened {
    /// A list of similarity digests.
    Similarity(List),
    /// Something else; read from its beginning.
    Other(BufReader<Box<dyn Read>>),
}

/// Opens a file (`-`: standard input) and looks what it is.
pub(crate) fn open(path: &OsStr) -> Result<Opened, Stop> {
    let failed = |error: io::Error| Stop::usage(format_args!("{}: {error}", message::quoted(path.as_bytes())));
    let input: Box<dyn Read> =
        if path == "-" { Box::new(io::stdin()) } else { Box::new(File::open(path).map_err(failed)?) };
    let mut input = input;
    let mut start = Vec::new();
    // A pipe gives what it has: the beginning is put together first.
    input.by_ref().take(START_BYTES as u64).read_to_end(&mut start).map_err(failed)?;
    let family = recognise(&start);
    let input: Box<dyn Read> = Box::new(io::Cursor::new(start).chain(input));
    let input = BufReader::with_capacity(START_BYTES, input);
    Ok(match family {
        Some(family) => Opened::Similarity(List { name: path.as_bytes().to_vec(), family, input }),
        None => Opened::Other(input),
    })
}

/// Opens a list of similarity digests.
pub(crate) fn open_list(path: &OsStr) -> Result<List, Stop> {
    match open(path)? {
        Opened::Similarity(list) => Ok(list),
        Opened::Other(_) => Err(Stop::usage(format_args!(
            "{}: line 1 is not of a list of ssdeep, sdhash, mrsh-v2 or TLSH",
            message::quoted(path.as_bytes())
        ))),
    }
}

/// The family whose list begins so, by its first line that is not empty.
pub(crate) fn recognise(start: &[u8]) -> Option<Family> {
    let mut lines = start.split(|&byte| byte == b'\n');
    let line = lines.find(|line| !line.trim_ascii().is_empty())?.trim_ascii_end();
    if line.starts_with(b"ssdeep,1.") {
        return Some(Family::Ssdeep);
    }
    if line.starts_with(b"sdbf:") || line.starts_with(b"sdbf-dd:") {
        return Some(Family::Sdhash);
    }
    if let Some(tab) = line.iter().position(|&byte| byte == b'\t')
        && (&line[..tab] == b"TNULL" || tlsh::Digest::from_bytes(&line[..tab]).is_ok())
    {
        return Some(Family::Tlsh);
    }
    // NAME:SIZE:FULL:LAST:FILTERS, of which the beginning may be all that is here.
    let mut fields = line.rsplit(|&byte| byte == b':');
    let is = |field: Option<&[u8]>, of: fn(&u8) -> bool| {
        field.is_some_and(|field| !field.is_empty() && field.iter().all(of))
    };
    let hexadecimal = |byte: &u8| byte.is_ascii_digit() || (b'A'..=b'F').contains(byte);
    let is_mrsh = is(fields.next(), hexadecimal)
        && (0..3).all(|_| is(fields.next(), u8::is_ascii_digit))
        && fields.next().is_some();
    is_mrsh.then_some(Family::MrshV2)
}

/// An index file of either family.
pub(crate) enum IndexFile {
    Ssdeep(ssdeep::IndexFile<File>),
    Tlsh(tlsh::IndexFile<File>),
}

/// Opens an index of digests of a family.
pub(crate) fn open_index(path: &Path, family: Family) -> Result<IndexFile, Stop> {
    let quoted = || message::quoted(path.as_os_str().as_bytes());
    let file = File::open(path).map_err(|error| Stop::usage(format_args!("{}: {error}", quoted())))?;
    let opened = match family {
        Family::Ssdeep => ssdeep::IndexFile::open(file).map(IndexFile::Ssdeep),
        Family::Tlsh => tlsh::IndexFile::open(file).map(IndexFile::Tlsh),
        Family::Sdhash | Family::MrshV2 => {
            return Err(Stop::usage("there are indexes of ssdeep and tlsh only"));
        }
    };
    opened.map_err(|error| Stop::usage(format_args!("{}: {error}", quoted())))
}

/// Whether a path is a regular file that begins as a list of similarity digests.
pub(crate) fn is_list(path: &OsStr) -> bool {
    std::fs::metadata(path).is_ok_and(|metadata| metadata.is_file()) && matches!(open(path), Ok(Opened::Similarity(_)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_recognised_by_their_first_line() {
        for (start, family) in [
            (&b"ssdeep,1.1--blocksize:hash:hash,filename\n"[..], Some(Family::Ssdeep)),
            (b"sdbf:03:1:a:600:sha1", Some(Family::Sdhash)),
            (b"\nsdbf-dd:03:1:a:600:sha1", Some(Family::Sdhash)),
            (b"TNULL\tname\n", Some(Family::Tlsh)),
            (b"a:b:100:0:12:00FF", Some(Family::MrshV2)),
            (b"a:100:0:12:00ff", None),
            (b"100:0:12:00FF", None),
            (b"d41d8cd98f00b204e9800998ecf8427e  a\n", None),
            (b"", None),
        ] {
            assert_eq!(recognise(start), family, "{}", start.escape_ascii());
        }
    }
}
