//! Which files must be read: those that have others of the same size, and of these those whose beginnings agree.

use crate::digested::Digested;
use crate::group::Digests;
use crate::item::{Content, Presences, Side};
use crate::paths::{PathReader, Paths};
use crate::record_file::{RecordFile, Scan, each_group, number, record};
use pfh_list::ExternalSort;
use std::collections::BTreeMap;
use std::io;

/// Length of the beginnings by which larger files are told apart before they are read whole, in bytes.
pub const BEGINNING_BYTES: u64 = 16 << 10;

/// A file that must be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Needed {
    /// Its number, for [`Sifted::push_beginning`] and [`Agreeing::push`].
    pub item: u64,
    /// The path in raw bytes.
    pub path: Vec<u8>,
    /// Size in bytes.
    pub size: u64,
    /// Device and number that identify it, if they are known.
    pub identity: Option<(u64, u64)>,
    /// The side that it belongs to.
    pub side: Side,
}

/// The files that must be read, in the order of finding.
pub struct NeededFiles {
    paths: PathReader,
    items: Scan<8>,
}

impl Iterator for NeededFiles {
    type Item = io::Result<Needed>;

    fn next(&mut self) -> Option<io::Result<Needed>> {
        let item = self.items.next()?;
        Some(item.and_then(|item| needed(&mut self.paths, number(&item, 0))))
    }
}

fn needed(paths: &mut PathReader, item: u64) -> io::Result<Needed> {
    let found = paths.get(item)?;
    let Content::File { size, identity } = found.content else { return Err(io::ErrorKind::InvalidData.into()) };
    Ok(Needed { item, path: found.path, size, identity, side: found.side })
}

/// The files of each size: how many there are, and on which sides.
#[derive(Default)]
struct Same {
    identities: u64,
    last: Option<(u64, u64)>,
    listed: bool,
    sides: [bool; 2],
}

impl Same {
    fn see(&mut self, identity: (u64, u64), side: u8) {
        self.identities += u64::from(self.last.replace(identity) != Some(identity));
        self.sides[usize::from(side & 1)] = true;
    }

    /// Whether files among them can be copies of each other.
    fn has_others(&self, two_sides: bool) -> bool {
        if two_sides { self.sides == [true; 2] } else { self.identities > 1 }
    }
}

/// Files whose sizes were compared. Next, the beginnings of some are needed.
pub struct Sifted {
    paths: Paths,
    digested: Digested,
    beginnings: RecordFile<8>,
    whole: ExternalSort<8>,
    /// Size, digest of the beginning, identity, number, side.
    begun: ExternalSort<65>,
    memory_bytes: u64,
    two_sides: bool,
    files: u64,
    /// Of the lists, by the numbers of their places.
    pub(crate) presences: BTreeMap<u32, Presences>,
}

impl Sifted {
    pub(crate) fn new(
        paths: Paths,
        digested: Digested,
        sizes: ExternalSort<34>,
        memory_bytes: u64,
        two_sides: bool,
        has_sizeless: bool,
        files: u64,
    ) -> io::Result<Sifted> {
        let (mut beginnings, mut whole) = (ExternalSort::new(memory_bytes), ExternalSort::new(memory_bytes));
        each_group(
            sizes,
            8,
            |same: &mut Same, size| {
                same.see((number(size, 9), number(size, 17)), size[33]);
                same.listed |= size[8] == 0;
            },
            |same, _| Ok(has_sizeless || same.has_others(two_sides)),
            |same, size| {
                let item = number(size, 25).to_be_bytes();
                let is_read_whole = same.listed || has_sizeless || number(size, 0) <= BEGINNING_BYTES;
                match (size[8], is_read_whole) {
                    (0, _) => Ok(()),
                    (_, true) => whole.push(item),
                    (_, false) => beginnings.push(item),
                }
            },
        )?;
        let beginnings = RecordFile::of(beginnings, memory_bytes)?;
        let begun = ExternalSort::new(memory_bytes);
        let presences = BTreeMap::new();
        Ok(Sifted { paths, digested, beginnings, whole, begun, memory_bytes, two_sides, files, presences })
    }

    /// Returns what is known of the files of each list now, by the numbers of the places. Files that are
    /// [`Presence::Changed`](crate::Presence::Changed) are not compared, nor are those that are
    /// [`Presence::Gone`](crate::Presence::Gone) or [`Presence::Unseen`](crate::Presence::Unseen) while others of their
    /// list are there.
    pub fn presences(&self) -> &BTreeMap<u32, Presences> {
        &self.presences
    }

    /// Number of files whose beginnings are needed.
    pub fn len(&self) -> u64 {
        self.beginnings.len()
    }

    /// Whether no beginnings are needed.
    pub fn is_empty(&self) -> bool {
        self.beginnings.is_empty()
    }

    /// Returns the files whose beginnings are needed, in the order of finding.
    pub fn needed(&self) -> NeededFiles {
        NeededFiles { paths: self.paths.reader(), items: self.beginnings.scan(0) }
    }

    /// Takes the digest of the first [`BEGINNING_BYTES`] bytes of a file, of which 32 bytes are used; `None` if it
    /// could not be read.
    ///
    /// # Errors
    /// If a temporary file cannot be written.
    pub fn push_beginning(&mut self, file: &Needed, digest: Option<&[u8]>) -> io::Result<()> {
        let Some(digest) = digest else { return self.digested.fail(file.item) };
        let mut padded = [0; 32];
        let length = digest.len().min(32);
        padded[..length].copy_from_slice(&digest[..length]);
        let (device, inode) = file.identity.unwrap_or((u64::MAX, file.item));
        self.begun.push(record(&[
            &file.size.to_be_bytes(),
            &padded,
            &device.to_be_bytes(),
            &inode.to_be_bytes(),
            &file.item.to_be_bytes(),
            &[file.side as u8],
        ]))
    }

    /// Decides which files must be read whole.
    ///
    /// # Errors
    /// If a temporary file cannot be written or read.
    pub fn agree(self) -> io::Result<Agreeing> {
        let Sifted { paths, digested, mut whole, begun, memory_bytes, two_sides, files, .. } = self;
        each_group(
            begun,
            40,
            |same: &mut Same, begun| same.see((number(begun, 40), number(begun, 48)), begun[64]),
            |same, _| Ok(same.has_others(two_sides)),
            |_, begun| whole.push(number(begun, 56).to_be_bytes()),
        )?;
        Ok(Agreeing { paths, digested, whole: RecordFile::of(whole, memory_bytes)?, memory_bytes, files })
    }
}

/// Files that must be read whole.
pub struct Agreeing {
    paths: Paths,
    digested: Digested,
    whole: RecordFile<8>,
    memory_bytes: u64,
    files: u64,
}

impl Agreeing {
    /// Number of files that must be read whole.
    pub fn len(&self) -> u64 {
        self.whole.len()
    }

    /// Whether no file must be read.
    pub fn is_empty(&self) -> bool {
        self.whole.is_empty()
    }

    /// Returns the files that must be read, in the order of finding.
    pub fn needed(&self) -> NeededFiles {
        NeededFiles { paths: self.paths.reader(), items: self.whole.scan(0) }
    }

    /// Takes the digest of a file; `None` if it could not be read.
    ///
    /// # Errors
    /// If a temporary file cannot be written.
    pub fn push(&mut self, file: &Needed, digest: Option<&[u8]>) -> io::Result<()> {
        let identity = file.identity.unwrap_or((u64::MAX, file.item));
        match digest {
            Some(digest) => self.digested.push(file.item, identity, file.size, file.side, digest),
            None => self.digested.fail(file.item),
        }
    }

    /// Ends the reading.
    pub fn finish(self) -> Digests {
        let Agreeing { paths, digested, memory_bytes, files, .. } = self;
        Digests { paths, digested, memory_bytes, files }
    }
}
