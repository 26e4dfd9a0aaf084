//! The traits of sources, through which the engine reads.

use std::fmt;
use std::sync::Arc;

use pfh_record::{FileError, FileIdentity, SkipReason};

use crate::device::Device;
use crate::stamp::{Proof, Stamp};

/// One finding of the walk, in the order of output. Exhaustive, as are [`EntryKind`] and [`CachedRead`]: an engine that
/// ignored unknown variants would leave files out. `H` is the source's own part of an entry ([`Source::Handle`]).
#[derive(Debug)]
pub enum Found<H> {
    /// A file to read.
    Entry(Entry<H>),
    /// A file that will not be read: its displayed path and the reason.
    Skipped(Vec<u8>, SkipReason),
    /// A directory or argument that could not be listed or examined.
    Failed(Vec<u8>, FileError),
    /// A name that is no file to read: its displayed path, and what it is. Only for callers who want to know all of a
    /// directory ([`WalkOptions::want_others`](crate::WalkOptions::want_others)).
    Other(Vec<u8>, Other),
    /// Nothing: the next finding has to be waited for, perhaps for ever. Earlier findings should not wait with it.
    Pause,
}

/// A name in a directory that is no file to read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Other {
    /// A symbolic link that is not followed, with its target.
    Link(Vec<u8>),
    /// A directory without names.
    EmptyDirectory,
    /// Something that the options leave out: by a filter, by the depth, or because it is on another filesystem.
    LeftOut,
}

/// A file to be read.
#[derive(Debug)]
#[non_exhaustive]
pub struct Entry<H> {
    /// The source's own part, which names the file and finds it.
    pub handle: H,
    /// The kind: regular file, block device, or a stream that the user named (standard input, FIFO, character device).
    pub kind: EntryKind,
    /// The identity that the listing states: a hint for ordering and for finding hard links, never proof.
    pub identity_hint: Option<FileIdentity>,
    /// Size in bytes, if the walk had to ask for it (size filter, size order, balancing) or learned it anyway.
    pub size_hint: Option<u64>,
}

impl<H> Entry<H> {
    /// Makes an entry without hints.
    pub fn new(handle: H, kind: EntryKind) -> Entry<H> {
        Entry { handle, kind, identity_hint: None, size_hint: None }
    }
}

impl<H: Handle> Entry<H> {
    /// Returns the displayed path in raw bytes.
    pub fn path(&self) -> Vec<u8> {
        self.handle.path()
    }

    /// Returns the length of [`Entry::path`] in bytes, without assembling it.
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
    /// Returns the displayed path of the entry in raw bytes: as the user named it and the walk extended it. It may be
    /// assembled on each call.
    fn path(&self) -> Vec<u8>;

    /// Returns the length of [`Handle::path`] in bytes.
    fn path_bytes(&self) -> usize {
        self.path().len()
    }

    /// Returns the device that the entry is on. Entries of one device share its readers.
    fn device(&self) -> &Arc<Device>;
}

/// A handle that is a path, for sources that find their files by path.
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
    /// A regular file, or anything else of which exactly `size` bytes are expected, as an object or a file in an image.
    Regular,
    /// A block device, of which exactly `size` bytes are expected too.
    BlockDevice,
    /// A stream of unknown length: standard input (`-`), a FIFO or character device named by the user, a pseudo file.
    Stream,
}

/// The extent to which a source wants ranges announced ahead of reading.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LookAhead {
    /// Length in bytes of the ranges that are announced one after the other while a file is read: the amount that one
    /// request fetches, 1 MiB or more. `None` if the source reads ahead by itself once reading has begun; then only the
    /// first MiB of a file is announced, before it is read.
    pub range_bytes: Option<u64>,
    /// Most ranges of all files that are in flight at any time: announced, and not yet read from. Reading a range that
    /// was not announced makes one request more.
    pub requests_max: usize,
}

impl LookAhead {
    /// Makes the extent for requests of `range_bytes`, at most `requests_max` of which are in flight.
    pub fn new(range_bytes: Option<u64>, requests_max: usize) -> LookAhead {
        LookAhead { range_bytes, requests_max }
    }
}

impl Default for LookAhead {
    /// The defaults for the file system of this machine.
    fn default() -> LookAhead {
        LookAhead { range_bytes: None, requests_max: usize::MAX }
    }
}

/// A place that lists and opens files. The engine is generic over it; [`LocalSource`](crate::LocalSource) is the file
/// system of this machine.
///
/// # How to write one
///
/// - [`Source::Handle`] carries the data to find an entry again, so that opening needs no second look-up.
///   [`PathHandle`] suits a source that finds its files by path.
/// - The source defines how an unchanged file is recognised: [`SourceFile::proof`] says how many stamps are taken and
///   when, and [`SourceFile::stamp`] has the values that must be equal. The engine compares them, and gives no digest
///   without proof.
/// - Identity and times are optional. Without an identity, hard links are read like other files.
/// - Errors have kinds; `FileError::from` maps those of the system. The source repeats interrupted calls.
/// - If requests take long, [`Source::look_ahead`] states their size and the number that may be in flight.
///   [`SourceFile::announce`] begins a request, and [`SourceFile::read_cached`] returns the bytes that have arrived, or
///   says that the caller would have to wait.
/// - `pfh_testing::source_conformance` tests all of this.
pub trait Source: Sync {
    /// The source's own part of an entry.
    type Handle: Handle;
    /// An open file.
    type File: SourceFile;

    /// Lists the files to read, in the order of output. Called once per run, on a thread of its own and by way of
    /// [`Source::walk_while`]. `visit` returns false to stop the walk. A panic ends it, and the run then counts as
    /// interrupted.
    fn walk(&self, visit: &mut dyn FnMut(Found<Self::Handle>) -> bool);

    /// Lists as [`Source::walk`] does, which is the default. A source that may find nothing for long asks `goes_on` now
    /// and then, such as once in each directory, and stops the walk where it returns false.
    fn walk_while(&self, goes_on: &dyn Fn() -> bool, visit: &mut dyn FnMut(Found<Self::Handle>) -> bool) {
        let _ = goes_on;
        self.walk(visit);
    }

    /// Opens an entry for reading. Must not block on a FIFO that the user did not name.
    ///
    /// # Errors
    /// The errors of the source; [`ErrorKind::NotFound`](pfh_record::ErrorKind::NotFound) if the file, or its
    /// directory, was replaced or removed since the walk.
    fn open(&self, entry: &Entry<Self::Handle>) -> Result<Self::File, FileError>;

    /// Returns the stamp of an entry that is not open. Follows a symlink only if the walk did.
    ///
    /// # Errors
    /// As [`Source::open`].
    fn stamp(&self, entry: &Entry<Self::Handle>) -> Result<Stamp, FileError>;

    /// Returns a number that grows with the position on the medium, for reading in that order; `None` if it is not
    /// known.
    fn physical_position(&self, entry: &Entry<Self::Handle>) -> Option<u64> {
        let _ = entry;
        None
    }

    /// Called once by each thread of a run that opens files or reads them, before anything else of the source.
    fn begin_thread(&self) {}

    /// Whether reads bypass the page cache, so that nothing is read ahead without a reader. The engine then has threads
    /// of its own for reading, and passes aligned buffers.
    fn is_direct(&self) -> bool {
        false
    }

    /// Returns the extent to which ranges are to be announced ahead of reading.
    fn look_ahead(&self) -> LookAhead {
        LookAhead::default()
    }
}

/// A shared source, such as one that the caller asks for its counts after a run that owns it.
impl<S: Source + Send + ?Sized> Source for Arc<S> {
    type Handle = S::Handle;
    type File = S::File;

    fn walk(&self, visit: &mut dyn FnMut(Found<S::Handle>) -> bool) {
        S::walk(self, visit);
    }

    fn walk_while(&self, goes_on: &dyn Fn() -> bool, visit: &mut dyn FnMut(Found<S::Handle>) -> bool) {
        S::walk_while(self, goes_on, visit);
    }

    fn open(&self, entry: &Entry<S::Handle>) -> Result<S::File, FileError> {
        S::open(self, entry)
    }

    fn stamp(&self, entry: &Entry<S::Handle>) -> Result<Stamp, FileError> {
        S::stamp(self, entry)
    }

    fn physical_position(&self, entry: &Entry<S::Handle>) -> Option<u64> {
        S::physical_position(self, entry)
    }

    fn begin_thread(&self) {
        S::begin_thread(self);
    }

    fn is_direct(&self) -> bool {
        S::is_direct(self)
    }

    fn look_ahead(&self) -> LookAhead {
        S::look_ahead(self)
    }
}

/// The result of [`SourceFile::read_cached`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CachedRead {
    /// This number of bytes was read; fewer than requested at the end of the file, or if the next ones are not in
    /// memory. 0 is the end.
    Ready(usize),
    /// The read would have to wait for the medium.
    WouldBlock,
    /// The source cannot tell without reading. Errors of the file show when it is read, too.
    Unknown,
}

/// An open file. Sequential reading needs only `read_at` with growing offsets; several readers may share one huge file.
pub trait SourceFile: Send + Sync {
    /// Reads at `offset` into `buffer` and returns the number of bytes, 0 at the end. May return fewer than requested.
    /// More than requested is an internal error of the file. With direct I/O the engine passes whole slots, whose
    /// address, length and offset are multiples of 4096, until a read returns fewer bytes: then it asks for the rest of
    /// the slot, also where the file has ended. Of that, and without direct I/O, nothing is aligned, and an
    /// implementation that needs alignment must copy. Streams ignore `offset`: one reader reads them in order.
    /// Interrupted calls are repeated, not reported.
    ///
    /// # Errors
    /// Any error ends the reading of the file.
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> Result<usize, FileError>;

    /// Whether [`SourceFile::read_cached`] can tell which bytes are in memory. Constant for one file.
    fn tells_cached(&self) -> bool {
        false
    }

    /// Reads bytes that are already in memory. A caller that gets [`CachedRead::WouldBlock`] announces the rest and
    /// comes back later.
    fn read_cached(&self, buffer: &mut [u8], offset: u64) -> CachedRead {
        let _ = (buffer, offset);
        CachedRead::Unknown
    }

    /// Returns the way to recognise an unchanged file.
    fn proof(&self) -> Proof;

    /// Returns the stamp of the open file. For a block device, `size` is the device's.
    ///
    /// # Errors
    /// The errors of the source.
    fn stamp(&self) -> Result<Stamp, FileError>;

    /// Announces that `length` bytes from `offset` will be read soon. Never blocks; errors are ignored.
    fn announce(&self, offset: u64, length: u64) {
        let _ = (offset, length);
    }

    /// Announces that bytes below `offset` will not be read again, so that caches and buffers can drop them.
    fn release(&self, offset: u64) {
        let _ = offset;
    }
}
