//! What to walk, and what of it to read.

use std::io::{BufReader, Read};
use std::sync::{Mutex, PoisonError};

use crate::device::Medium;

/// What [`crate::LocalSource`] walks and how it reads.
///
/// **Patterns** are globs on raw bytes: `*` and `?` (one byte) do not match `/`, `**` does, `[…]` and `{a,b}` work as in
/// a shell, and a leading dot is nothing special. A pattern without `/` is matched with the name, one with `/` with the
/// whole displayed path (a leading `./` counts on neither side). A file is read if some `include` pattern matches or
/// there is none, and no `exclude` pattern does. A directory that `exclude` matches is not descended; a pattern that
/// ends in `/` means directories only. Filters hold for files named as arguments too, not for directories and streams
/// named so.
#[derive(Debug, Default)]
pub struct WalkOptions {
    /// Arguments as typed, in order: files, directories, `-` for standard input. Symbolic links among them are followed.
    pub roots: Vec<Vec<u8>>,
    /// More arguments, read while walking, after `roots`.
    pub files_from: Option<FileList>,
    /// Read regular files that symbolic links lead to.
    pub follow_files: bool,
    /// Descend into directories that symbolic links lead to.
    pub follow_directories: bool,
    /// Do not enter directories on another filesystem than that of the argument.
    pub one_file_system: bool,
    /// Levels below an argument: 0 reads only arguments that are files, 1 the files directly in a directory.
    pub max_depth: Option<usize>,
    /// Patterns of which one must match.
    pub include: Vec<String>,
    /// Patterns of which none may match.
    pub exclude: Vec<String>,
    /// Regular files with fewer bytes are passed over.
    pub size_min: Option<u64>,
    /// Regular files with more bytes are passed over.
    pub size_max: Option<u64>,
    /// Fill [`crate::Entry::size_hint`] for every regular file: one more system call for each.
    pub want_size: bool,
    /// Take every device for this medium instead of asking the system.
    pub medium: Option<Medium>,
    /// How contents pass the page cache.
    pub io: IoMethod,
    /// Directories that may stay open ([`crate::OpenFiles::directories`]); a quarter of the limit where this is not said.
    pub open_directories_max: Option<usize>,
    /// Leave access times as they are (`O_NOATIME`) where the system lets us: as owner of the file, or privileged.
    pub preserve_access_time: bool,
}

/// A list of paths to read as if they were arguments, except that `-` in it is a file of that name.
pub struct FileList {
    name: Vec<u8>,
    /// Never locked: it makes the whole shareable between threads.
    reader: Mutex<Box<dyn Read + Send>>,
    separator: u8,
}

impl FileList {
    /// A list read from `reader`, in which `separator` (LF or NUL) ends each path. Empty paths are passed over; the last
    /// path may lack its end. `name` is the path of the list, for messages. Reading is buffered here.
    pub fn new(name: Vec<u8>, reader: Box<dyn Read + Send>, separator: u8) -> Self {
        Self { name, reader: Mutex::new(reader), separator }
    }

    pub(crate) fn into_parts(self) -> (Vec<u8>, BufReader<Box<dyn Read + Send>>, u8) {
        let reader = self.reader.into_inner().unwrap_or_else(PoisonError::into_inner);
        (self.name, BufReader::new(reader), self.separator)
    }
}

impl std::fmt::Debug for FileList {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("FileList")
            .field("name", &self.name.escape_ascii().to_string())
            .field("separator", &self.separator)
            .finish_non_exhaustive()
    }
}

/// The way of file contents through the page cache (`--io`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum IoMethod {
    /// Plain reads; the system caches as it likes.
    #[default]
    Buffered,
    /// Buffered, but cached pages are dropped before and after the reading: the medium is read, the cache is not
    /// flooded.
    Drop,
    /// `O_DIRECT`: around the page cache. Falls back to `Drop` where the filesystem refuses, and says so once.
    Direct,
}
