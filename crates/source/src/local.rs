//! The file system of this machine as a [`Source`].

use std::cell::{Cell, RefCell};
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use pfh_record::{FileError, Metadata};
use rustix::fs::{AtFlags, CWD, fstat, statat};
use rustix::io::{Errno, retry_on_intr};

use crate::descriptor;
use crate::device::{Filesystems, Medium};
use crate::directory::{self, Directory, Identity, LocalHandle, Opened};
use crate::extent;
use crate::file::{self, LocalFile};
use crate::filter::{Filter, PatternError};
use crate::limits::Budget;
use crate::long_path;
use crate::options::{FileList, IoMethod, WalkOptions};
use crate::reading::Reading;
use crate::sizes;
use crate::source::{Entry, EntryKind, Found, Handle as _, Source, SourceFile};
use crate::stamp::Stamp;
use crate::standard;
use crate::walk::{LocalFound, Scope, Walk};

/// The files and directories of this machine.
///
/// The walk yields arguments in their order, and below a directory its names sorted by their bytes, each subdirectory's
/// contents at the place of its name. Hidden files are read. The walk skips symbolic links unless an option follows
/// them, and kernel filesystems (proc, sysfs, cgroup …); files in these that the user names are read as streams.
#[derive(Debug)]
pub struct LocalSource {
    pub(crate) scope: Scope,
    list: Mutex<Option<FileList>>,
    /// Whether there was a list.
    listed: bool,
    direct_fallbacks: Arc<AtomicU64>,
    reading: Arc<Reading>,
}

type LocalEntry = Entry<LocalHandle>;

/// Number of threads from which on each has a descriptor table of its own. Each then opens the directories that it
/// reads from once more: with two threads, small directories take 1.06 of the time (Zen 4). With four, small files take
/// 0.92 of it, and with sixteen less than half (Emerald Rapids).
const OWN_TABLE_THREADS_MIN: usize = 4;

/// The totals of a walk.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Totals {
    /// Number of files and streams to read.
    pub files: u64,
    /// Total size of the regular files among them, in bytes.
    pub bytes: u64,
}

impl Totals {
    /// Makes totals of this many files and bytes.
    pub fn new(files: u64, bytes: u64) -> Totals {
        Totals { files, bytes }
    }
}

impl LocalSource {
    /// Makes a source of the files that `options` name. Opens nothing yet.
    /// # Errors
    /// [`PatternError`] for an invalid pattern.
    pub fn new(mut options: WalkOptions) -> Result<Self, PatternError> {
        Ok(Self {
            listed: options.files_from.is_some(),
            list: Mutex::new(options.files_from.take()),
            direct_fallbacks: Arc::default(),
            reading: Arc::default(),
            scope: Scope {
                filter: Filter::new(&options)?,
                filesystems: Filesystems::new(options.medium),
                budget: Budget::of(options.open_directories_max),
                options,
            },
        })
    }

    /// Returns the number of files that could not be read around the page cache ([`crate::IoMethod::Direct`]) and were
    /// read through it.
    pub fn direct_fallbacks(&self) -> u64 {
        self.direct_fallbacks.load(Ordering::Relaxed)
    }

    /// Whether the name patterns let a walk come to a file of this path below a root. Opens nothing.
    pub fn wants_below(&self, root: &[u8], path: &[u8]) -> bool {
        self.scope.filter.wants_below(root, path)
    }

    /// Begins to note which files are open.
    pub fn watch(&self) {
        self.reading.watch();
    }

    /// Returns the path of the file that has been open for longest, if a file is open and [`LocalSource::watch`] was
    /// called before.
    pub fn being_read(&self) -> Option<Vec<u8>> {
        self.reading.oldest()
    }

    /// Walks without opening files to sum up their sizes, for a forecast during the real walk. `report` gets the sums
    /// at each directory and every 1024 files, and returns false to stop. Returns `None` if it was stopped, or if paths
    /// come from a list, which can be read only once.
    pub fn measure(&self, report: &mut dyn FnMut(Totals) -> bool) -> Option<Totals> {
        const REPORT_FILES: u64 = 1024;
        if self.listed {
            return None;
        }
        let (totals, stopped, report) = (Cell::new(Totals::default()), Cell::new(false), RefCell::new(report));
        let goes_on = || {
            stopped.set(!(*report.borrow_mut())(totals.get()));
            !stopped.get()
        };
        Walk::new(&self.scope, true, &goes_on, &mut |found| {
            let Found::Entry(entry) = found else { return true };
            let Totals { files, bytes } = totals.get();
            totals.set(Totals::new(files + 1, bytes + entry.size_hint.unwrap_or(0)));
            !(files + 1).is_multiple_of(REPORT_FILES) || goes_on()
        })
        .run(None);
        (!stopped.get()).then_some(totals.get())
    }

    /// Opens a directory by its displayed path.
    pub(crate) fn directory(&self, path: &[u8]) -> Result<(Arc<Directory>, Option<OwnedFd>), Errno> {
        let descriptor = directory::open(CWD, path, true)?;
        let identity = Identity::of(&fstat(&descriptor)?);
        let filesystem = self.scope.filesystems.of(identity.device, || Some(&descriptor));
        Ok(Directory::argument(path, Opened { descriptor, identity, filesystem }, &self.scope.budget))
    }

    fn how(&self, handle: &LocalHandle, kind: EntryKind) -> file::How {
        let directory = handle.directory();
        file::How {
            kind,
            named: directory.holds_arguments(),
            follow: self.follows(handle),
            io: self.scope.options.io,
            preserve_access_time: self.scope.options.preserve_access_time,
            holes_trusted: directory.filesystem().holes_trusted,
            local_times: directory.device().local_times,
            is_remote: directory.device().medium == Medium::Network,
        }
    }

    fn metadata(&self, handle: &LocalHandle) -> io::Result<Metadata> {
        let (directory, name) = (handle.directory(), handle.name());
        let start = directory.descriptor()?;
        let flags = if self.follows(handle) { AtFlags::empty() } else { AtFlags::SYMLINK_NOFOLLOW };
        let resolved = long_path::resolve(start.as_fd(), name)?;
        if !directory.device().local_times
            && let Some(metadata) = file::synchronised(&resolved, resolved.rest, flags)?
        {
            return Ok(metadata);
        }
        Ok(file::metadata_of(&retry_on_intr(|| statat(&resolved, resolved.rest, flags))?))
    }

    /// As [`Source::open`], for a file of this kind.
    pub(crate) fn open_at(&self, handle: &LocalHandle, kind: EntryKind) -> Result<LocalFile, FileError> {
        let file = if self.is_standard_input(handle, kind) {
            if standard::stdin_was_closed() {
                return Err(io::Error::from(Errno::BADF).into());
            }
            LocalFile::stream(io::stdin().as_fd().try_clone_to_owned()?)
        } else {
            let start = handle.directory().descriptor()?;
            LocalFile::open(start.as_fd(), handle.name(), self.how(handle, kind), &self.direct_fallbacks)?
        };
        Ok(file.noted(self.reading.note(|| handle.path())))
    }

    /// As [`Source::stamp`], for a file of this kind.
    pub(crate) fn stamp_at(&self, handle: &LocalHandle, kind: EntryKind) -> Result<Stamp, FileError> {
        if self.is_standard_input(handle, kind) || kind == EntryKind::BlockDevice {
            return self.open_at(handle, kind)?.stamp();
        }
        Ok(file::stamp_of(kind, self.metadata(handle)?, None))
    }

    /// As [`Source::physical_position`], for a file of this kind. Opens it to query its first extent.
    pub(crate) fn position_at(&self, handle: &LocalHandle, kind: EntryKind) -> Option<u64> {
        if kind != EntryKind::Regular {
            return None;
        }
        let start = handle.directory().descriptor().ok()?;
        extent::first(file::open(start.as_fd(), handle.name(), self.how(handle, kind)).ok()?.0)
    }

    fn is_standard_input(&self, handle: &LocalHandle, kind: EntryKind) -> bool {
        self.scope.options.reads_standard_input
            && handle.directory().holds_arguments()
            && kind == EntryKind::Stream
            && handle.name() == b"-"
    }

    /// Whether a final symbolic link of this entry is followed.
    fn follows(&self, handle: &LocalHandle) -> bool {
        handle.directory().holds_arguments() || self.scope.options.follow_files
    }
}

/// Threads with descriptor tables of their own leave what they cannot close to the others.
impl Drop for LocalSource {
    fn drop(&mut self) {
        descriptor::close_left();
    }
}

impl Source for LocalSource {
    type Handle = LocalHandle;
    type File = LocalFile;

    /// The first walk consumes the list [`WalkOptions::files_from`].
    fn walk(&self, visit: &mut dyn FnMut(LocalFound) -> bool) {
        self.walk_while(&|| true, visit);
    }

    fn walk_while(&self, goes_on: &dyn Fn() -> bool, visit: &mut dyn FnMut(LocalFound) -> bool) {
        let list = self.list.lock().unwrap_or_else(PoisonError::into_inner).take();
        // A filter needs sizes before it is known what is visited.
        if self.scope.options.want_size.unwrap_or(false) && !self.scope.filter.needs_size() {
            sizes::walk(&self.scope, list, goes_on, visit);
        } else {
            Walk::new(&self.scope, false, goes_on, visit).run(list);
        }
    }

    fn open(&self, entry: &LocalEntry) -> Result<LocalFile, FileError> {
        self.open_at(&entry.handle, entry.kind)
    }

    fn stamp(&self, entry: &LocalEntry) -> Result<Stamp, FileError> {
        self.stamp_at(&entry.handle, entry.kind)
    }

    fn begin_thread(&self) {
        let options = &self.scope.options;
        let pays = options.reading_threads.is_some_and(|threads| threads >= OWN_TABLE_THREADS_MIN);
        // The flag for direct reading belongs to one opening of a file, and can change while it is read.
        if options.own_descriptor_tables && pays && !self.is_direct() {
            descriptor::own_table(self.scope.budget.permits());
        }
    }

    fn is_direct(&self) -> bool {
        self.scope.options.io == IoMethod::Direct
    }

    fn physical_position(&self, entry: &LocalEntry) -> Option<u64> {
        self.position_at(&entry.handle, entry.kind)
    }
}
