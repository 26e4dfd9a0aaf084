//! The options of a walk and of reading.

use std::io::{self, BufReader, Read};
use std::sync::{Mutex, PoisonError};

use crate::device::Medium;

/// The options of [`crate::LocalSource`]: what it walks and how it reads.
///
/// **Patterns** are globs on raw bytes: `*` and `?` (one byte) do not match `/`, `**` does, `[…]` and `{a,b}` work as
/// in a shell, and a leading dot is not special. A pattern without `/` is matched against the name, one with `/`
/// against the whole displayed path (a leading `./` is ignored in both). A file is read if an `include` pattern matches
/// it, or there is none, and no `exclude` pattern matches it. A directory that an `exclude` pattern matches is not
/// entered; a pattern that ends with `/` matches only directories. Filters also apply to files named as arguments, but
/// not to directories and streams named as arguments.
#[derive(Debug, Default)]
pub struct WalkOptions {
    /// Files and directories, in order. Symbolic links among them are followed.
    pub roots: Vec<Vec<u8>>,
    /// A root `-` is standard input, as on command lines, and not a file of this name.
    pub reads_standard_input: bool,
    /// Further arguments after `roots`, read while walking.
    pub files_from: Option<FileList>,
    /// Read regular files that symbolic links lead to.
    pub follow_files: bool,
    /// Descend into directories that symbolic links lead to.
    pub follow_directories: bool,
    /// Do not enter directories on another filesystem than the argument's.
    pub one_file_system: bool,
    /// Levels to descend below an argument: 0 reads only arguments that are files, 1 the files directly in a directory.
    pub max_depth: Option<usize>,
    /// Patterns at least one of which must match.
    pub include: Vec<String>,
    /// Patterns none of which may match.
    pub exclude: Vec<String>,
    /// Smallest size of a regular file to read, in bytes.
    pub size_min: Option<u64>,
    /// Largest size of a regular file to read, in bytes.
    pub size_max: Option<u64>,
    /// Fill [`crate::Entry::size_hint`] for every regular file, which costs a system call for each. `None`: no, unless
    /// the caller that makes a source of these options needs sizes, such as for an order of reading.
    pub want_size: Option<bool>,
    /// Also visit what is no file to read ([`crate::Found::Other`]), so that the caller knows all of each directory.
    pub want_others: bool,
    /// Take every device for this medium instead of asking the system.
    pub medium: Option<Medium>,
    /// How contents are read through the page cache, or around it.
    pub io: IoMethod,
    /// Number of directories that may stay open ([`crate::OpenFiles::directories`]); by default a quarter of the limit.
    pub open_directories_max: Option<usize>,
    /// Number of threads that read what the walk finds, if it is known. With many of them, the walk has helpers also
    /// where it waits for nothing.
    pub reading_threads: Option<usize>,
    /// Give each thread that reads a descriptor table of its own, if there are four or more of them and the system
    /// permits it: they otherwise wait for the one table of the process most of the time, if files are small.
    ///
    /// The code of the caller that runs in these threads (`sink`, `prepare`, `decide`, consumers) may then use
    /// descriptors that were open when the run began. One that it opens later is valid in that thread only, and what
    /// the process closes meanwhile stays open in the threads until the run ends. Has no effect with
    /// [`IoMethod::Direct`].
    pub own_descriptor_tables: bool,
    /// Leave access times unchanged (`O_NOATIME`) if the system permits it: as owner of the file, or privileged.
    pub preserve_access_time: bool,
}

/// A list of paths that are read like arguments, except that `-` in it names a file.
pub struct FileList {
    name: Vec<u8>,
    /// Never locked; the mutex makes the list shareable between threads.
    reader: Mutex<Box<dyn Read + Send>>,
    separator: u8,
}

impl FileList {
    /// Makes a list that is read from `reader`, where `separator` (LF or NUL) ends each path. Empty paths are skipped,
    /// and the last path may lack its end. `name` is the path of the list, for messages. Reading is buffered.
    pub fn new(name: Vec<u8>, reader: Box<dyn Read + Send>, separator: u8) -> Self {
        Self { name, reader: Mutex::new(reader), separator }
    }

    /// Makes a list of the paths that `next` returns, one after the other. `name` is as of [`FileList::new`].
    pub fn of(name: &str, next: impl FnMut() -> io::Result<Option<Vec<u8>>> + Send + 'static) -> Self {
        Self::new(name.into(), Box::new(EndedPaths { next, path: io::Cursor::default() }), 0)
    }

    pub(crate) fn into_parts(self) -> (Vec<u8>, BufReader<Box<dyn Read + Send>>, u8) {
        let reader = self.reader.into_inner().unwrap_or_else(PoisonError::into_inner);
        (self.name, BufReader::new(reader), self.separator)
    }
}

/// Paths, each with a NUL at its end.
struct EndedPaths<F> {
    next: F,
    path: io::Cursor<Vec<u8>>,
}

impl<F: FnMut() -> io::Result<Option<Vec<u8>>>> Read for EndedPaths<F> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self.path.read(buffer)? {
            0 => {}
            bytes => return Ok(bytes),
        }
        let Some(mut path) = (self.next)()? else { return Ok(0) };
        path.push(0);
        self.path = io::Cursor::new(path);
        self.path.read(buffer)
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

/// The way of reading file contents through the page cache (`--io`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum IoMethod {
    /// Ordinary reads, cached as the system chooses.
    #[default]
    Buffered,
    /// Buffered, but cached pages are dropped before and after reading, so that the medium is read and the cache is not
    /// filled with these files.
    Drop,
    /// `O_DIRECT`, around the page cache. Where the filesystem refuses it, `Drop` is used and the file counted.
    Direct,
}
