//! What the engine asks of a place that holds files.

use std::io;
use std::sync::Arc;

use pfh_record::{Metadata, SkipReason};

use crate::Directory;

/// What the walk yields, in the order of output.
#[derive(Debug)]
pub enum Found {
    /// Something to read.
    Entry(Entry),
    /// Something that will not be read, with its displayed path and the reason.
    Skipped(Vec<u8>, SkipReason),
    /// A directory or argument that could not be listed or looked at.
    Failed(Vec<u8>, io::Error),
    /// Nothing to list: what comes next has to be waited for, perhaps for ever. What was found so far should not wait with it.
    Pause,
}

/// A file to be read.
#[derive(Debug)]
pub struct Entry {
    /// The directory that holds it.
    pub directory: Arc<Directory>,
    /// Its name in that directory, raw bytes. For an argument: the argument as typed, in a directory with an empty path.
    pub name: Box<[u8]>,
    /// Regular file, or a stream that the user named (standard input, FIFO, character device), or a block device.
    pub kind: EntryKind,
    /// Inode number as the directory states it (0: unknown). A hint for ordering and for finding hard links, never proof.
    pub inode_hint: u64,
    /// Size, only where the walk had to ask for it (size filter, size order, balancing).
    pub size_hint: Option<u64>,
}

impl Entry {
    /// The displayed path: directory, slash, name.
    pub fn path(&self) -> Vec<u8> {
        self.directory.join(&self.name)
    }

    /// Length in bytes of [`Entry::path`], without assembling it.
    pub fn path_bytes(&self) -> usize {
        self.directory.prefix_bytes() + self.name.len()
    }
}

/// What kind of thing an entry is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryKind {
    /// Regular file: its size is a promise.
    Regular,
    /// Block device: its size is a promise too.
    BlockDevice,
    /// Ends when it ends: standard input (`-`), FIFO or character device named by the user, pseudo file.
    Stream,
}

/// How file contents pass the page cache (`--io`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum IoMethod {
    /// Plain reads; the system caches as it likes.
    #[default]
    Buffered,
    /// Buffered, but cached pages are dropped before and behind the reading: the medium is read, the cache is not flooded.
    Drop,
    /// `O_DIRECT`: around the page cache. Falls back to `Drop` where the filesystem refuses, and says so once.
    Direct,
}

/// A place that lists and opens files. The engine is generic over it; `LocalSource` is the real one, tests script others.
pub trait Source: Sync {
    /// An open file.
    type File: SourceFile;
    /// Lists what there is to read, in the order of output. Called once per run, on a thread of its own.
    /// `visit` returns false to stop the walk.
    fn walk(&self, visit: &mut dyn FnMut(Found) -> bool);
    /// Opens an entry for reading. Must not block on a FIFO that the user did not name.
    ///
    /// An entry whose kind is [`EntryKind::Regular`] may have been replaced since the walk saw it: the caller looks at
    /// the `mode` of [`SourceFile::metadata`], which it asks for anyway, and refuses what is not a regular file.
    /// # Errors
    /// What the system says; `NotFound` where the directory was replaced since the walk.
    fn open(&self, entry: &Entry) -> io::Result<Self::File>;
    /// Metadata without opening (does not follow a symlink unless the walk did).
    /// # Errors
    /// As [`Source::open`].
    fn metadata(&self, entry: &Entry) -> io::Result<Metadata>;
    /// A number that grows with the place on the medium, for `--order physical`. `None` where the filesystem does not tell.
    fn physical_position(&self, entry: &Entry) -> Option<u64>;
}

/// What [`SourceFile::read_cached`] found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CachedRead {
    /// This many bytes were read; fewer than asked at the end of the file, or where the next ones are not in memory. 0 is the end.
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
    /// that needs it must copy. Streams ignore `offset` (they are read in order by one reader).
    /// # Errors
    /// `Interrupted` is retried by the caller; anything else ends the file.
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize>;
    /// Reads what is in memory already. A caller that is told [`CachedRead::WouldBlock`] announces the rest and comes back later.
    fn read_cached(&self, buffer: &mut [u8], offset: u64) -> CachedRead {
        let _ = (buffer, offset);
        CachedRead::Unknown
    }
    /// Metadata of the open file (`fstat`); for a block device `size` is the device's.
    /// # Errors
    /// What the system says.
    fn metadata(&self) -> io::Result<Metadata>;
    /// Announces that `length` bytes from `offset` will be read soon; never blocks, errors are ignored.
    fn announce(&self, offset: u64, length: u64);
    /// Tells that bytes below `offset` will not be read again (drop-behind). No effect on buffered reading.
    fn release(&self, offset: u64);
}
