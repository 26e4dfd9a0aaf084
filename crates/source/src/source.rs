//! The traits that the engine reads through.

use std::fmt;
use std::sync::Arc;

use pfh_record::{FileError, FileIdentity, SkipReason};

use crate::device::Device;
use crate::stamp::{Proof, Stamp};

/// One finding of the walk, in the order of output. `H` is the source's own part of an entry ([`Source::Handle`]).
#[derive(Debug)]
pub enum Found<H> {
    /// Something to read.
    Entry(Entry<H>),
    /// Something that will not be read, with its displayed path and the reason.
    Skipped(Vec<u8>, SkipReason),
    /// A directory or argument that could not be listed or looked at.
    Failed(Vec<u8>, FileError),
    /// Nothing to list: what comes next has to be waited for, perhaps for ever. What was found so far should not wait with it.
    Pause,
}

/// A file to be read.
#[derive(Debug)]
pub struct Entry<H> {
    /// The source's own part: it shows and finds the file.
    pub handle: H,
    /// Regular file, or a stream that the user named (standard input, FIFO, character device), or a block device.
    pub kind: EntryKind,
    /// Which file it is, as far as the listing tells: a hint for ordering and for finding hard links, never proof.
    pub identity_hint: Option<FileIdentity>,
    /// Size in bytes, only where the walk had to ask for it (size filter, size order, balancing) or learned it anyway.
    pub size_hint: Option<u64>,
}

impl<H: Handle> Entry<H> {
    /// The displayed path: raw bytes.
    pub fn path(&self) -> Vec<u8> {
        self.handle.path()
    }

    /// Length in bytes of [`Entry::path`], without assembling it.
    pub fn path_bytes(&self) -> usize {
        self.handle.path_bytes()
    }

    /// The device that it is on.
    pub fn device(&self) -> &Arc<Device> {
        self.handle.device()
    }
}

/// A source's own part of an entry: a name in a directory, the inode of an image, the version of an object. It is
/// kept while the entry waits, so it should be small.
pub trait Handle: fmt::Debug + Send + Sync {
    /// The displayed path of the entry, raw bytes: as the user named it and the walk extended it. It may be assembled
    /// on each call.
    fn path(&self) -> Vec<u8>;

    /// Length in bytes of [`Handle::path`].
    fn path_bytes(&self) -> usize {
        self.path().len()
    }

    /// Returns the device that the entry is on. Entries of one device share its readers.
    fn device(&self) -> &Arc<Device>;
}

/// A handle that is a path: enough for a source that finds its files by that.
#[derive(Clone, Debug)]
pub struct PathHandle {
    /// The displayed path.
    pub path: Box<[u8]>,
    /// The device that it is on.
    pub device: Arc<Device>,
}

impl Handle for PathHandle {
    fn path(&self) -> Vec<u8> {
        self.path.to_vec()
    }

    fn path_bytes(&self) -> usize {
        self.path.len()
    }

    fn device(&self) -> &Arc<Device> {
        &self.device
    }
}

/// The kind of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryKind {
    /// Regular file, or whatever else has a size that is a promise: an object, a file in an image.
    Regular,
    /// Block device: its size is a promise too.
    BlockDevice,
    /// Ends when it ends: standard input (`-`), FIFO or character device named by the user, pseudo file.
    Stream,
}

/// The extent to which a source wants ranges announced ahead of reading.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LookAhead {
    /// Length in bytes of the ranges of a file that are announced one after the other while it is read: what one
    /// request fetches, 1 MiB or more. `None` where the place reads ahead by itself once reading has begun; then only
    /// the first MiB of a file is announced, before it is read.
    pub range_bytes: Option<u64>,
    /// Most ranges of all files that are on their way at any time: announced, and nothing of them was read. Whoever
    /// reads what was not announced makes one request more.
    pub requests_max: usize,
}

impl Default for LookAhead {
    /// As the file system of this machine wants it.
    fn default() -> LookAhead {
        LookAhead { range_bytes: None, requests_max: usize::MAX }
    }
}

/// A place that lists and opens files. The engine is generic over it; [`LocalSource`](crate::LocalSource) is the file
/// system of this machine.
///
/// # How to write one
///
/// - [`Source::Handle`] carries what finds an entry again, so that opening needs no second look-up. [`PathHandle`] serves
///   where a path does.
/// - The source says how an unchanged file is recognised: by [`SourceFile::proof`] how many stamps are taken and when, by
///   [`SourceFile::stamp`] what must be equal in them. The engine compares, and gives no digest without proof.
/// - Identity and times are optional. Without an identity, hard links are read like other files.
/// - Errors have kinds; `FileError::from` maps those of the system. A call that was interrupted is made again by the source.
/// - Where requests take long, [`Source::look_ahead`] names their size and how many may be on their way;
///   [`SourceFile::announce`] begins one, and [`SourceFile::read_cached`] gives what has arrived, or says that it would
///   have to be waited for.
/// - `pfh_testing::source_conformance` tests all of that.
pub trait Source: Sync {
    /// The source's own part of an entry.
    type Handle: Handle;
    /// An open file.
    type File: SourceFile;

    /// Lists what there is to read, in the order of output. Called once per run, on a thread of its own.
    /// `visit` returns false to stop the walk.
    fn walk(&self, visit: &mut dyn FnMut(Found<Self::Handle>) -> bool);

    /// Opens an entry for reading. Must not block on a FIFO that the user did not name.
    ///
    /// # Errors
    /// The errors of the place; [`ErrorKind::NotFound`](pfh_record::ErrorKind::NotFound) where the file, or the directory
    /// that held it, was replaced or removed since the walk.
    fn open(&self, entry: &Entry<Self::Handle>) -> Result<Self::File, FileError>;

    /// The stamp of an entry that is not open (it does not follow a symlink unless the walk did).
    ///
    /// # Errors
    /// As [`Source::open`].
    fn stamp(&self, entry: &Entry<Self::Handle>) -> Result<Stamp, FileError>;

    /// A number that grows with the place on the medium, for reading in that order; `None` where it is not known.
    fn physical_position(&self, entry: &Entry<Self::Handle>) -> Option<u64> {
        let _ = entry;
        None
    }

    /// Returns how far ahead of reading ranges are to be announced.
    fn look_ahead(&self) -> LookAhead {
        LookAhead::default()
    }
}

/// The result of [`SourceFile::read_cached`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CachedRead {
    /// This many bytes were read; fewer than asked at the end of the file, or where the next ones are not in memory.
    /// 0 is the end.
    Ready(usize),
    /// The medium would have to be waited for.
    WouldBlock,
    /// It cannot be told without reading; any error of the file will show then, too.
    Unknown,
}

/// An open file. Sequential reading only needs `read_at` with growing offsets; several readers may share one huge file.
pub trait SourceFile: Send + Sync {
    /// Reads at `offset` into `buffer`; 0 means end. May return less than asked. With direct I/O the engine offers whole
    /// slots, whose address, length and offset are multiples of 4096; otherwise nothing is aligned, and an implementation
    /// that needs it must copy. Streams ignore `offset` (they are read in order by one reader). An interrupted call is
    /// made again, not reported.
    ///
    /// # Errors
    /// Any error ends the file.
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> Result<usize, FileError>;

    /// Whether [`SourceFile::read_cached`] tells what is in memory: constant for one file.
    fn tells_cached(&self) -> bool {
        false
    }

    /// Reads what is in memory already. A caller that is told [`CachedRead::WouldBlock`] announces the rest and comes
    /// back later.
    fn read_cached(&self, buffer: &mut [u8], offset: u64) -> CachedRead {
        let _ = (buffer, offset);
        CachedRead::Unknown
    }

    /// Returns how an unchanged file is recognised.
    fn proof(&self) -> Proof;

    /// Returns the stamp of the open file; for a block device `size` is the device's.
    ///
    /// # Errors
    /// The errors of the place.
    fn stamp(&self) -> Result<Stamp, FileError>;

    /// Announces that `length` bytes from `offset` will be read soon; never blocks, errors are ignored.
    fn announce(&self, offset: u64, length: u64) {
        let _ = (offset, length);
    }

    /// Tells that bytes below `offset` will not be read again (drop-behind, buffers that can go).
    fn release(&self, offset: u64) {
        let _ = offset;
    }
}
