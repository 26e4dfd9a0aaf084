//! A mounted filesystem that shows a directory, read-only unless asked otherwise, and damages what its list says.
//!
//! For whole-program tests: the program under test meets the damage through the system, as it would on a failing disk
//! or a directory that others write to. Damaged files are opened with direct I/O, so that each read reaches this
//! filesystem with the offset and length that the program asked for, and errors come at their byte.

mod plan;
mod writing;

use std::collections::HashMap;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use fuser::{
    BackgroundSession, BsdFileFlags, Config, Errno, FileAttr, FileHandle, FileType, Filesystem, FopenFlags, Generation,
    INodeNo, InitFlags, KernelConfig, LockOwner, MountOption, OpenFlags, RenameFlags, ReplyAttr, ReplyCreate,
    ReplyData, ReplyDirectory, ReplyEmpty, ReplyEntry, ReplyOpen, ReplyStatfs, ReplyWrite, Request, TimeOrNow,
    WriteFlags,
};

use pfh_slowfs::passthrough::{self, no_entry, read_full};

pub use plan::{FaultPlan, PlanError, rewritten};
pub use writing::Writing;

/// Requests served at once: a stalled read must not hold back the others.
const THREADS: usize = 16;

/// Largest request of the kernel (1 MiB).
const READ_BYTES_MAX: usize = 1 << 20;

/// How the kernel and this filesystem get on.
#[derive(Clone, Copy, Debug, Default)]
pub struct FaultyOptions {
    /// For how long the kernel answers with the names and attributes that it was told before; by default not at all.
    pub remembered: Duration,
    /// Damaged files pass through the page cache, in requests of the kernel's choice, and no fault can be placed at its
    /// byte.
    pub page_cache: bool,
    /// By how much the clock that stamps the files is slow.
    pub slow_by: Duration,
    /// How the directory can be written to; by default not at all.
    pub writing: Option<Writing>,
}

/// A mounted [`FaultPlan`]; unmounted when dropped.
#[derive(Debug)]
pub struct FaultyMount {
    session: Option<BackgroundSession>,
}

impl FaultyMount {
    /// Shows `directory` at `mount_point`, damaged by `plan`. Needs `/dev/fuse`, and privileges or `fusermount3`.
    /// # Errors
    /// The error of the mount.
    pub fn new(directory: &Path, mount_point: &Path, plan: FaultPlan) -> io::Result<Self> {
        Self::with(FaultyOptions::default(), directory, mount_point, plan)
    }

    /// The same with options.
    /// # Errors
    /// The error of the mount.
    pub fn with(options: FaultyOptions, directory: &Path, mount_point: &Path, plan: FaultPlan) -> io::Result<Self> {
        let mut config = Config::default();
        config.mount_options = vec![
            if options.writing.is_some() { MountOption::RW } else { MountOption::RO },
            MountOption::FSName("faulty".into()),
            MountOption::Subtype("faulty".into()),
            MountOption::DefaultPermissions,
        ];
        config.n_threads = Some(THREADS);
        let shown = Shown {
            options,
            directory: fs::canonicalize(directory)?,
            plan,
            nodes: Mutex::new(Nodes {
                paths: vec![vec![PathBuf::new()]],
                numbers: HashMap::from([(PathBuf::new(), 1)]),
                opened: HashMap::new(),
                hidden: HashMap::new(),
            }),
        };
        Ok(Self { session: Some(fuser::spawn_mount(shown, mount_point, &config)?) })
    }

    /// Unmounts, and waits until all requests are answered.
    /// # Errors
    /// The error of the system, for example if the mount is in use.
    pub fn unmount(mut self) -> io::Result<()> {
        self.session.take().map_or(Ok(()), BackgroundSession::umount_and_join)
    }
}

/// The directory as it is shown.
struct Shown {
    options: FaultyOptions,
    directory: PathBuf,
    plan: FaultPlan,
    nodes: Mutex<Nodes>,
}

/// Inode numbers are places in `paths`, from 1. Hard links made here are one inode with several paths, and what was
/// removed has none.
#[derive(Debug)]
struct Nodes {
    paths: Vec<Vec<PathBuf>>,
    numbers: HashMap<PathBuf, u64>,
    /// By inode, how many times it is open.
    opened: HashMap<u64, u64>,
    /// By inode, the name that a removed file has until it is closed.
    hidden: HashMap<u64, PathBuf>,
}

impl Shown {
    fn nodes(&self) -> MutexGuard<'_, Nodes> {
        self.nodes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The path of an inode, below the directory.
    fn path(&self, node: INodeNo) -> io::Result<PathBuf> {
        let index = usize::try_from(node.0).ok().and_then(|number| number.checked_sub(1));
        index.and_then(|index| self.nodes().paths.get(index)?.first().cloned()).ok_or_else(no_entry)
    }

    fn number(&self, path: &Path) -> u64 {
        let mut nodes = self.nodes();
        if let Some(&number) = nodes.numbers.get(path) {
            return number;
        }
        nodes.paths.push(Vec::new());
        let number = nodes.paths.len() as u64;
        nodes.add(path.to_owned(), number);
        number
    }

    /// How a file is opened: one with faults, so that they come at their byte.
    fn open_flags(&self, path: &Path) -> FopenFlags {
        let is_cached = self.options.page_cache || self.options.writing.is_some_and(|writing| writing.late);
        let is_damaged = self.plan.of(path.as_os_str().as_bytes()).is_some();
        if is_damaged && !is_cached { FopenFlags::FOPEN_DIRECT_IO } else { FopenFlags::empty() }
    }

    /// Answers with something that was found or made.
    fn entry(&self, found: io::Result<FileAttr>, reply: ReplyEntry) {
        match found {
            Ok(attributes) => reply.entry(&self.options.remembered, &attributes, Generation(0)),
            Err(error) => reply.error(Errno::from(error)),
        }
    }

    fn attributes(&self, path: &Path) -> io::Result<FileAttr> {
        let metadata = fs::symlink_metadata(self.directory.join(path))?;
        let faults = self.plan.of(path.as_os_str().as_bytes());
        let size = faults.map_or(metadata.len(), |faults| faults.size(metadata.len()));
        let touched = Duration::from_secs(faults.map_or(0, plan::FileFaults::touched));
        let real = passthrough::attributes(&metadata, INodeNo(self.number(path)));
        let time = |real: SystemTime| real + touched - self.options.slow_by;
        Ok(FileAttr {
            size,
            blocks: size.div_ceil(512),
            atime: time(real.atime),
            mtime: time(real.mtime),
            ctime: time(real.ctime),
            ..real
        })
    }

    fn find(&self, parent: INodeNo, name: &OsStr) -> io::Result<FileAttr> {
        let path = self.path(parent)?.join(name);
        if let Some(faults) = self.plan.of(path.as_os_str().as_bytes()) {
            faults.look_up()?;
        }
        self.attributes(&path)
    }

    fn read_file(&self, node: INodeNo, offset: u64, length: usize) -> io::Result<Vec<u8>> {
        let path = self.path(node)?;
        let file = File::open(self.directory.join(&path))?;
        let length = length.min(READ_BYTES_MAX);
        let Some(faults) = self.plan.of(path.as_os_str().as_bytes()) else {
            return read_full(&file, length, offset);
        };
        // Beyond the end of the real file a grown one holds zeros.
        let size = file.metadata()?.len();
        let reached_before = faults.reached();
        let allowed = faults.read(offset, length, size)?;
        let mut bytes = read_full(&file, allowed, offset)?;
        bytes.resize(allowed, 0);
        faults.rewrite(offset, &mut bytes, reached_before);
        Ok(bytes)
    }

    fn entries(&self, node: INodeNo) -> io::Result<Vec<(u64, FileType, Vec<u8>)>> {
        let path = self.path(node)?;
        let mut entries = Vec::new();
        for entry in fs::read_dir(self.directory.join(&path))? {
            let name = entry?.file_name();
            if let Ok(found) = self.find(node, &name) {
                entries.push((found.ino.0, found.kind, name.as_bytes().to_vec()));
            }
        }
        entries.sort_by(|left, right| left.2.cmp(&right.2));
        entries.insert(0, (node.0, FileType::Directory, b".".to_vec()));
        entries.insert(1, (node.0, FileType::Directory, b"..".to_vec()));
        Ok(entries)
    }
}

impl Filesystem for Shown {
    fn init(&mut self, _request: &Request, config: &mut KernelConfig) -> io::Result<()> {
        if self.options.writing.is_some_and(|writing| writing.late) {
            let cached = config.add_capabilities(InitFlags::FUSE_WRITEBACK_CACHE);
            return cached.map_err(|_| io::Error::other("this kernel cannot hold writes back"));
        }
        Ok(())
    }

    fn lookup(&self, _request: &Request, parent: INodeNo, name: &OsStr, reply: ReplyEntry) {
        self.entry(self.find(parent, name), reply);
    }

    fn getattr(&self, _request: &Request, node: INodeNo, _handle: Option<FileHandle>, reply: ReplyAttr) {
        match self.path(node).and_then(|path| self.attributes(&path)) {
            Ok(attributes) => reply.attr(&self.options.remembered, &attributes),
            Err(error) => reply.error(Errno::from(error)),
        }
    }

    fn readlink(&self, _request: &Request, node: INodeNo, reply: ReplyData) {
        match self.path(node).and_then(|path| fs::read_link(self.directory.join(path))) {
            Ok(target) => reply.data(target.as_os_str().as_bytes()),
            Err(error) => reply.error(Errno::from(error)),
        }
    }

    fn opendir(&self, _request: &Request, node: INodeNo, _flags: OpenFlags, reply: ReplyOpen) {
        let opened = self.path(node).and_then(|path| match self.plan.of(path.as_os_str().as_bytes()) {
            Some(faults) => faults.list(),
            None => Ok(()),
        });
        match opened {
            Ok(()) => reply.opened(FileHandle(0), FopenFlags::empty()),
            Err(error) => reply.error(Errno::from(error)),
        }
    }

    fn open(&self, _request: &Request, node: INodeNo, _flags: OpenFlags, reply: ReplyOpen) {
        let path = match self.path(node) {
            Ok(path) => path,
            Err(error) => return reply.error(Errno::from(error)),
        };
        match self.plan.of(path.as_os_str().as_bytes()).map_or(Ok(()), plan::FileFaults::open) {
            Ok(()) => {
                self.opened(node);
                reply.opened(FileHandle(0), self.open_flags(&path));
            }
            Err(error) => reply.error(Errno::from(error)),
        }
    }

    fn read(
        &self,
        _request: &Request,
        node: INodeNo,
        _handle: FileHandle,
        offset: u64,
        size: u32,
        _flags: OpenFlags,
        _owner: Option<LockOwner>,
        reply: ReplyData,
    ) {
        match self.read_file(node, offset, size as usize) {
            Ok(bytes) => reply.data(&bytes),
            Err(error) => reply.error(Errno::from(error)),
        }
    }

    fn readdir(&self, _request: &Request, node: INodeNo, _handle: FileHandle, offset: u64, mut reply: ReplyDirectory) {
        match self.entries(node) {
            Ok(entries) => {
                let rest = entries.into_iter().zip(1..).skip(usize::try_from(offset).unwrap_or(usize::MAX));
                for ((number, kind, name), next) in rest {
                    if reply.add(INodeNo(number), next, kind, OsStr::from_bytes(&name)) {
                        break;
                    }
                }
                reply.ok();
            }
            Err(error) => reply.error(Errno::from(error)),
        }
    }

    fn statfs(&self, _request: &Request, _node: INodeNo, reply: ReplyStatfs) {
        match self.space() {
            Ok([blocks, free]) => {
                reply.statfs(blocks, free, free, 0, 0, writing::BLOCK_BYTES, 255, writing::BLOCK_BYTES)
            }
            Err(error) => reply.error(Errno::from(error)),
        }
    }

    fn create(
        &self,
        _request: &Request,
        parent: INodeNo,
        name: &OsStr,
        mode: u32,
        _umask: u32,
        _flags: i32,
        reply: ReplyCreate,
    ) {
        let made = self.make(parent, name, |path| writing::create(path, mode));
        match made.and_then(|attributes| Ok((attributes, self.path(attributes.ino)?))) {
            Ok((attributes, path)) => {
                let flags = self.open_flags(&path);
                self.opened(attributes.ino);
                reply.created(&self.options.remembered, &attributes, Generation(0), FileHandle(0), flags);
            }
            Err(error) => reply.error(Errno::from(error)),
        }
    }

    fn mkdir(&self, _request: &Request, parent: INodeNo, name: &OsStr, mode: u32, _umask: u32, reply: ReplyEntry) {
        self.entry(self.make(parent, name, |path| writing::make_directory(path, mode)), reply);
    }

    fn symlink(&self, _request: &Request, parent: INodeNo, name: &OsStr, target: &Path, reply: ReplyEntry) {
        self.entry(self.make(parent, name, |path| std::os::unix::fs::symlink(target, path)), reply);
    }

    fn link(&self, _request: &Request, node: INodeNo, parent: INodeNo, name: &OsStr, reply: ReplyEntry) {
        self.entry(self.make_link(node, parent, name), reply);
    }

    fn unlink(&self, _request: &Request, parent: INodeNo, name: &OsStr, reply: ReplyEmpty) {
        answer(self.remove_file(parent, name), reply);
    }

    fn release(
        &self,
        _request: &Request,
        node: INodeNo,
        _handle: FileHandle,
        _flags: OpenFlags,
        _owner: Option<LockOwner>,
        _flush: bool,
        reply: ReplyEmpty,
    ) {
        self.closed(node);
        reply.ok();
    }

    fn rmdir(&self, _request: &Request, parent: INodeNo, name: &OsStr, reply: ReplyEmpty) {
        answer(self.remove(parent, name, |path| fs::remove_dir(path)), reply);
    }

    fn rename(
        &self,
        _request: &Request,
        parent: INodeNo,
        name: &OsStr,
        new_parent: INodeNo,
        new_name: &OsStr,
        flags: RenameFlags,
        reply: ReplyEmpty,
    ) {
        answer(self.give_name((parent, name), (new_parent, new_name), flags), reply);
    }

    fn setattr(
        &self,
        _request: &Request,
        node: INodeNo,
        mode: Option<u32>,
        user: Option<u32>,
        group: Option<u32>,
        size: Option<u64>,
        accessed: Option<TimeOrNow>,
        modified: Option<TimeOrNow>,
        _changed: Option<SystemTime>,
        _handle: Option<FileHandle>,
        _made: Option<SystemTime>,
        _changed_by_macos: Option<SystemTime>,
        _saved: Option<SystemTime>,
        _flags: Option<BsdFileFlags>,
        reply: ReplyAttr,
    ) {
        let set = self.path(node).and_then(|path| {
            writing::set(&self.directory.join(&path), mode, (user, group), size, (accessed, modified))?;
            self.attributes(&path)
        });
        match set {
            Ok(attributes) => reply.attr(&self.options.remembered, &attributes),
            Err(error) => reply.error(Errno::from(error)),
        }
    }

    fn write(
        &self,
        _request: &Request,
        node: INodeNo,
        _handle: FileHandle,
        offset: u64,
        data: &[u8],
        _write_flags: WriteFlags,
        _flags: OpenFlags,
        _owner: Option<LockOwner>,
        reply: ReplyWrite,
    ) {
        match self.write_file(node, offset, data) {
            Ok(length) => reply.written(length as u32),
            Err(error) => reply.error(Errno::from(error)),
        }
    }

    fn flush(&self, _request: &Request, _node: INodeNo, _handle: FileHandle, _owner: LockOwner, reply: ReplyEmpty) {
        // Nothing is held back here.
        reply.ok();
    }

    fn fsync(&self, _request: &Request, node: INodeNo, _handle: FileHandle, _data_only: bool, reply: ReplyEmpty) {
        answer(self.sync_file(node), reply);
    }
}

fn answer(done: io::Result<()>, reply: ReplyEmpty) {
    match done {
        Ok(()) => reply.ok(),
        Err(error) => reply.error(Errno::from(error)),
    }
}
