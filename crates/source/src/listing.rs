//! The names in one directory, sorted.

use std::cmp::Ordering;
use std::io;
use std::mem::MaybeUninit;
use std::ops::Range;
use std::os::fd::BorrowedFd;

use rustix::fs::{FileType, RawDir};
use rustix::io::Errno;

/// Bytes of directory records fetched by one system call.
const RECORD_BYTES: usize = 256 * 1024;

/// Most names of a directory that are read into buffers which are used again.
const BUFFERED_NAMES_MAX: usize = 4096;

/// Buffers for [`Listing::read`], used again for each directory.
pub(crate) struct Buffers {
    records: Box<[MaybeUninit<u8>]>,
    listing: Listing,
}

impl Buffers {
    pub(crate) fn new() -> Buffers {
        Buffers { records: vec![MaybeUninit::uninit(); RECORD_BYTES].into_boxed_slice(), listing: Listing::default() }
    }
}

/// One name of a directory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Item {
    /// The first eight bytes of the name. Most comparisons end here, without reading the names.
    key: u64,
    offset: usize,
    length: u16,
    pub(crate) kind: FileType,
    pub(crate) inode: u64,
}

impl Item {
    /// Returns the place of the name among all names.
    pub(crate) fn place(&self) -> Range<usize> {
        self.offset..self.offset + usize::from(self.length)
    }

    /// Returns the same name with a type that the directory did not state.
    pub(crate) fn of_kind(self, kind: FileType) -> Self {
        Self { kind, ..self }
    }
}

/// All names in one directory, sorted by their bytes. Each takes 32 bytes in addition to the name.
#[derive(Clone, Debug, Default)]
pub(crate) struct Listing {
    names: Vec<u8>,
    items: Vec<Item>,
}

impl Listing {
    /// Reads the directory to its end. With an error, the listing holds the names before it. More than `names_max`
    /// names are an error.
    pub(crate) fn read(directory: BorrowedFd<'_>, buffers: &mut Buffers, names_max: usize) -> (Self, io::Result<()>) {
        let Buffers { records, listing } = buffers;
        listing.names.clear();
        listing.items.clear();
        let mut entries = RawDir::new(directory, records);
        let outcome = loop {
            match entries.next() {
                None => break Ok(()),
                Some(Ok(_)) if listing.items.len() == names_max => break Err(io::ErrorKind::FileTooLarge.into()),
                Some(Err(Errno::INTR)) => {}
                Some(Err(error)) => break Err(error.into()),
                Some(Ok(entry)) => {
                    listing.push(entry.file_name().to_bytes(), entry.file_type(), entry.ino());
                }
            }
        };
        listing.sort();
        // Memory that grows with each name is taken again and again, and threads wait for each other to take it.
        let few = listing.len() <= BUFFERED_NAMES_MAX;
        (if few { listing.clone() } else { std::mem::take(listing) }, outcome)
    }

    fn push(&mut self, name: &[u8], kind: FileType, inode: u64) {
        if matches!(name, b"." | b"..") {
            return;
        }
        let mut key = [0; 8];
        let prefix = name.len().min(8);
        key[..prefix].copy_from_slice(&name[..prefix]);
        // The length fits, because the length of a record has 16 bits.
        let length = name.len() as u16;
        let item = Item { key: u64::from_be_bytes(key), offset: self.names.len(), length, kind, inode };
        self.names.extend_from_slice(name);
        self.items.push(item);
    }

    fn sort(&mut self) {
        let names = &self.names;
        self.items.sort_unstable_by(|left, right| match left.key.cmp(&right.key) {
            // Names contain no NUL, so equal keys with a zero in them are equal names.
            Ordering::Equal => bytes(names, left).cmp(bytes(names, right)),
            unequal => unequal,
        });
    }

    pub(crate) fn len(&self) -> usize {
        self.items.len()
    }

    /// Returns the names, one after the other, and their places in the order of their bytes.
    pub(crate) fn into_parts(self) -> (Vec<u8>, Vec<Item>) {
        (self.names, self.items)
    }
}

fn bytes<'a>(names: &'a [u8], item: &Item) -> &'a [u8] {
    &names[item.place()]
}
