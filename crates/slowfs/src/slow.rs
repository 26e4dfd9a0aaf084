//! The mounted filesystem.

use crate::device::Device;
use crate::model::{DeviceModel, ReadRequest, Reservation};
use crate::passthrough::{attributes, kind, no_entry, read_full};
use crate::pool::{Clock, Pool};
use fuser::{
    BackgroundSession, Config, Errno, FileAttr, FileHandle, FileType, Filesystem, FopenFlags, Generation, INodeNo,
    InitFlags, KernelConfig, LockOwner, MountOption, OpenFlags, ReplyAttr, ReplyData, ReplyDirectory, ReplyEmpty,
    ReplyEntry, ReplyOpen, ReplyStatfs, Request,
};
use rustix::fs::{AtFlags, CWD, StatxFlags, statx};
use rustix::mount::{UnmountFlags, unmount};
use std::collections::HashMap;
use std::ffi::OsStr;
use std::fmt;
use std::fs::{self, File};
use std::io::{self, PipeReader, PipeWriter};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirEntryExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

/// Threads beside those whose requests a device serves at once: they prepare what is due later.
const MORE_THREADS: usize = 3;

/// Read-ahead requests that the kernel may have under way, so that the device is the limit and not the kernel.
const BACKGROUND: u16 = 512;

/// Largest read (1 MiB); the kernel asks for at most 128 KiB.
const READ_BYTES_MAX: u64 = 1 << 20;

/// By which programs reach FUSE.
const FUSE: &str = "/dev/fuse";

/// The inode of the directory that is shown.
const ROOT: u64 = 1;

/// A directory that is shown as a device would give it; unmounted when dropped.
#[derive(Debug)]
pub struct SlowMount {
    session: Option<BackgroundSession>,
    mount_point: PathBuf,
    clock: Arc<Clock>,
    /// Gone when the mount has ended.
    shown: Weak<Shown>,
    /// Ends after that.
    running: PipeReader,
}

impl fmt::Debug for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Clock").finish_non_exhaustive()
    }
}

/// Returns the full path of a mount point that can be mounted on.
fn usable(mount_point: &Path) -> Result<PathBuf, MountError> {
    let of_system = |error: io::Error| match error.raw_os_error() {
        Some(code) if code == Errno::ENOTCONN.code() => MountError::Dead,
        _ => MountError::MountPoint(error),
    };
    let mount_point = fs::canonicalize(mount_point).map_err(of_system)?;
    let mut entries = fs::read_dir(&mount_point).map_err(of_system)?;
    if entries.next().is_some() {
        return Err(MountError::NotEmpty);
    }
    if is_mounted(&mount_point) { Err(MountError::Mounted) } else { Ok(mount_point) }
}

/// Whether something is mounted at a full path. No file system is asked to answer, as a mount that ends may not.
fn is_mounted(path: &Path) -> bool {
    let device = |path: &Path| {
        let found = statx(CWD, path, AtFlags::STATX_DONT_SYNC, StatxFlags::INO).ok()?;
        Some((found.stx_dev_major, found.stx_dev_minor))
    };
    path.parent().is_none_or(|parent| device(parent) != device(path))
}

/// The reason why a directory is not shown.
#[derive(Debug)]
pub enum MountError {
    /// The directory cannot be read.
    Directory(io::Error),
    /// The mount point cannot be read.
    MountPoint(io::Error),
    /// The mount point is not empty.
    NotEmpty,
    /// Something is mounted there.
    Mounted,
    /// A FUSE filesystem is mounted there whose program has ended.
    Dead,
    /// The mount point is the directory or lies in it, and would be shown in itself.
    Within,
    /// The system has no FUSE.
    NoFuse,
    /// The system refuses the mount or its threads.
    System(io::Error),
}

impl fmt::Display for MountError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MountError::Directory(error) => write!(f, "the directory cannot be shown: {error}"),
            MountError::MountPoint(error) => {
                write!(f, "the mount point cannot be used: {error}; it must be an empty directory")
            }
            MountError::NotEmpty => f.write_str("the mount point is not empty; name an empty directory"),
            MountError::Mounted => f.write_str("something is mounted at the mount point already"),
            MountError::Dead => f.write_str(
                "at the mount point is a mount whose program has ended; `fusermount3 -u MOUNT_POINT` removes it",
            ),
            MountError::Within => f.write_str("the mount point lies within the directory; name one outside of it"),
            MountError::NoFuse => f.write_str("this system has no FUSE (`/dev/fuse`); `modprobe fuse` may bring it"),
            MountError::System(error) => {
                write!(f, "the mount failed: {error}; without privileges it needs `fusermount3` (package fuse3)")
            }
        }
    }
}

impl std::error::Error for MountError {}

/// How a mount ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unmounted {
    /// Nobody used it.
    Unused,
    /// Somebody used it: it is gone from the tree, and whoever still has files of it open gets errors.
    InUse,
    /// Another program had unmounted it.
    Before,
}

/// Takes a mount out of the tree, whoever has the [`SlowMount`] and whatever that waits for: for programs that have to
/// end at once.
#[derive(Clone, Debug)]
pub struct Detacher {
    mount_point: PathBuf,
    /// Gone when the mount has ended.
    shown: Weak<Shown>,
}

impl Detacher {
    /// Takes the mount out of the tree, unless it has left it: another thread may be unmounting it. Whoever has files
    /// of it open gets errors as soon as the program ends.
    /// # Errors
    /// The error of the system.
    pub fn detach(&self) -> io::Result<()> {
        if self.shown.strong_count() == 0 || unmount(&self.mount_point, UnmountFlags::DETACH).is_ok() {
            return Ok(());
        }
        let mut command = Command::new("fusermount3");
        command.args(["-u", "-z", "--"]).arg(&self.mount_point).stdout(Stdio::null()).stderr(Stdio::null());
        let status = command.status();
        if !is_mounted(&self.mount_point) {
            return Ok(());
        }
        status.and(Err(io::ErrorKind::ResourceBusy.into()))
    }
}

impl SlowMount {
    /// Shows `directory` at `mount_point`, an empty directory that is not within it. The system lists the mount under
    /// `name`. Needs `/dev/fuse`, and privileges or `fusermount3`.
    /// # Errors
    /// [`MountError`].
    pub fn new(directory: &Path, mount_point: &Path, device: Device, name: &str) -> Result<SlowMount, MountError> {
        let directory = fs::canonicalize(directory).map_err(MountError::Directory)?;
        let root = fs::symlink_metadata(&directory).map_err(MountError::Directory)?;
        if !root.is_dir() {
            return Err(MountError::Directory(io::ErrorKind::NotADirectory.into()));
        }
        let mount_point = usable(mount_point)?;
        if mount_point.starts_with(&directory) {
            return Err(MountError::Within);
        }
        if !Path::new(FUSE).exists() {
            return Err(MountError::NoFuse);
        }
        let mut config = Config::default();
        config.mount_options = vec![
            MountOption::RO,
            MountOption::FSName(name.to_owned()),
            MountOption::Subtype("slowfs".into()),
            MountOption::DefaultPermissions,
        ];
        // One thread receives, so that requests are reserved in the order of the kernel: read-ahead that continues a
        // file must not become seeks by overtaking.
        config.n_threads = Some(1);
        let (remembered, threads) = (device.remembered, device.at_once + MORE_THREADS);
        let clock = Clock::new(DeviceModel::new(device));
        let pool = Pool::start(threads, &clock).map_err(MountError::System)?;
        let shown = Arc::new(Shown {
            directory,
            remembered,
            nodes: Mutex::new(Nodes::new(identity(&root))),
            files: Mutex::default(),
            listings: Mutex::default(),
        });
        let (running, held) = io::pipe().map_err(MountError::System)?;
        let weak = Arc::downgrade(&shown);
        let served = Served { pool, clock: Arc::clone(&clock), shown, _running: held };
        let session = fuser::spawn_mount(served, &mount_point, &config).map_err(MountError::System)?;
        Ok(SlowMount { session: Some(session), mount_point, clock, shown: weak, running })
    }

    /// Returns a pipe that ends when the mount does, also if another program unmounts it.
    /// # Errors
    /// The error of the system.
    pub fn running(&self) -> io::Result<PipeReader> {
        self.running.try_clone()
    }

    /// Returns what can take the mount away on another thread.
    #[must_use]
    pub fn detacher(&self) -> Detacher {
        Detacher { mount_point: self.mount_point.clone(), shown: self.shown.clone() }
    }

    /// Unmounts. Requests that wait are answered at once.
    /// # Errors
    /// The error of the system.
    pub fn unmount(mut self) -> io::Result<Unmounted> {
        self.end()
    }

    fn end(&mut self) -> io::Result<Unmounted> {
        let Some(session) = self.session.take() else { return Ok(Unmounted::Unused) };
        self.clock.end();
        if self.shown.strong_count() == 0 {
            return session.join().map(|()| Unmounted::Before);
        }
        if session.umount_and_join().is_ok() {
            return Ok(Unmounted::Unused);
        }
        // A mount in use can still leave the tree.
        self.detacher().detach().map(|()| Unmounted::InUse)
    }
}

impl Drop for SlowMount {
    fn drop(&mut self) {
        // There is nobody to tell.
        let _ = self.end();
    }
}

/// Device and inode of a file.
type Identity = (u64, u64);

fn identity(metadata: &fs::Metadata) -> Identity {
    (metadata.dev(), metadata.ino())
}

/// A file that the kernel knows. Hard links are one node.
struct Node {
    identity: Identity,
    /// The path by which it was found last, below the directory.
    path: PathBuf,
    /// How often the kernel was told of it and has not forgotten it.
    lookups: u64,
}

/// The files that the kernel knows.
struct Nodes {
    by_number: HashMap<u64, Node>,
    numbers: HashMap<Identity, u64>,
    /// A number that no inode has, for files whose inode is taken.
    spare: u64,
}

impl Nodes {
    fn new(root: Identity) -> Nodes {
        Nodes {
            by_number: HashMap::from([(ROOT, Node { identity: root, path: PathBuf::new(), lookups: 1 })]),
            numbers: HashMap::from([(root, ROOT)]),
            spare: u64::MAX,
        }
    }

    /// Returns the number of a file: that of its inode, unless another file system below the directory has it already.
    fn look_up(&mut self, identity: Identity, path: PathBuf) -> u64 {
        let number = self.numbers.get(&identity).copied().unwrap_or_else(|| {
            let mut number = identity.1;
            while number <= ROOT || self.by_number.contains_key(&number) {
                number = self.spare;
                self.spare -= 1;
            }
            self.numbers.insert(identity, number);
            number
        });
        let node = self.by_number.entry(number).or_insert_with(|| Node { identity, path: PathBuf::new(), lookups: 0 });
        node.lookups += 1;
        if number != ROOT {
            node.path = path;
        }
        number
    }

    fn forget(&mut self, number: u64, lookups: u64) {
        let Some(node) = self.by_number.get_mut(&number).filter(|_| number != ROOT) else { return };
        node.lookups = node.lookups.saturating_sub(lookups);
        if node.lookups == 0 {
            let identity = node.identity;
            self.by_number.remove(&number);
            self.numbers.remove(&identity);
        }
    }
}

/// Open files or listings, by numbers that the kernel was given.
struct Handles<T> {
    open: HashMap<u64, Arc<T>>,
    next: u64,
}

impl<T> Default for Handles<T> {
    fn default() -> Handles<T> {
        Handles { open: HashMap::new(), next: 1 }
    }
}

/// An entry of a listing.
struct Entry {
    number: u64,
    kind: FileType,
    name: Vec<u8>,
}

/// An open file.
struct OpenFile {
    file: File,
    path: PathBuf,
    number: u64,
    /// The length when it was opened, for the time that the device needs.
    length: u64,
}

/// The directory as it is shown.
struct Shown {
    directory: PathBuf,
    remembered: Duration,
    nodes: Mutex<Nodes>,
    files: Mutex<Handles<OpenFile>>,
    listings: Mutex<Handles<Vec<Entry>>>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn put<T>(handles: &Mutex<Handles<T>>, open: T) -> FileHandle {
    let mut handles = lock(handles);
    let number = handles.next;
    handles.next += 1;
    handles.open.insert(number, Arc::new(open));
    FileHandle(number)
}

fn get<T>(handles: &Mutex<Handles<T>>, handle: FileHandle) -> io::Result<Arc<T>> {
    lock(handles).open.get(&handle.0).cloned().ok_or_else(|| io::Error::from_raw_os_error(Errno::EBADF.code()))
}

impl Shown {
    /// The path of an inode, below the directory.
    fn path(&self, node: INodeNo) -> io::Result<PathBuf> {
        lock(&self.nodes).by_number.get(&node.0).map(|node| node.path.clone()).ok_or_else(no_entry)
    }

    fn find(&self, parent: INodeNo, name: &OsStr) -> io::Result<FileAttr> {
        let path = self.path(parent)?.join(name);
        let metadata = fs::symlink_metadata(self.directory.join(&path))?;
        let number = lock(&self.nodes).look_up(identity(&metadata), path);
        Ok(attributes(&metadata, INodeNo(number)))
    }

    fn attributes(&self, node: INodeNo) -> io::Result<FileAttr> {
        let metadata = fs::symlink_metadata(self.directory.join(self.path(node)?))?;
        Ok(attributes(&metadata, node))
    }

    fn open(&self, node: INodeNo) -> io::Result<FileHandle> {
        let path = self.path(node)?;
        let file = File::open(self.directory.join(&path))?;
        let length = file.metadata()?.len();
        Ok(put(&self.files, OpenFile { file, path, number: node.0, length }))
    }

    fn list(&self, node: INodeNo) -> io::Result<FileHandle> {
        let mut entries = vec![
            Entry { number: node.0, kind: FileType::Directory, name: b".".to_vec() },
            Entry { number: node.0, kind: FileType::Directory, name: b"..".to_vec() },
        ];
        for entry in fs::read_dir(self.directory.join(self.path(node)?))? {
            let entry = entry?;
            let (number, name) = (entry.ino(), entry.file_name().as_bytes().to_vec());
            entries.push(Entry { number, kind: kind(entry.file_type()?), name });
        }
        Ok(put(&self.listings, entries))
    }
}

/// The filesystem: one thread receives requests and reserves their times, the pool answers them.
struct Served {
    /// First, so that its threads have ended before the rest is dropped.
    pool: Pool,
    clock: Arc<Clock>,
    shown: Arc<Shown>,
    /// Nothing is written to it. The last one, so that all else is dropped when it closes.
    _running: PipeWriter,
}

impl Served {
    /// Answers an operation that reads no contents.
    fn operation<T>(
        &self,
        make: impl FnOnce(&Shown) -> T + Send + 'static,
        give: impl FnOnce(T, &Shown) + Send + 'static,
    ) {
        let reserved = self.clock.reserve(DeviceModel::operation);
        self.at(reserved, make, give);
    }

    fn at<T>(
        &self,
        reserved: Reservation,
        make: impl FnOnce(&Shown) -> T + Send + 'static,
        give: impl FnOnce(T, &Shown) + Send + 'static,
    ) {
        let (making, giving) = (Arc::clone(&self.shown), Arc::clone(&self.shown));
        self.pool.answer(reserved, move || make(&making), move |made| give(made, &giving));
    }
}

impl Filesystem for Served {
    fn init(&mut self, _request: &Request, config: &mut KernelConfig) -> io::Result<()> {
        // Both accept any number above 0.
        let _ = config.set_max_background(BACKGROUND);
        let _ = config.set_congestion_threshold(BACKGROUND);
        // Clients of servers look several names of a directory up at once; a kernel that cannot do so is slower.
        let _ = config.add_capabilities(InitFlags::FUSE_PARALLEL_DIROPS);
        Ok(())
    }

    fn lookup(&self, _request: &Request, parent: INodeNo, name: &OsStr, reply: ReplyEntry) {
        let name = name.to_owned();
        self.operation(
            move |shown| shown.find(parent, &name),
            |found, shown| match found {
                Ok(attributes) => reply.entry(&shown.remembered, &attributes, Generation(0)),
                Err(error) => reply.error(Errno::from(error)),
            },
        );
    }

    fn forget(&self, _request: &Request, node: INodeNo, lookups: u64) {
        lock(&self.shown.nodes).forget(node.0, lookups);
    }

    fn getattr(&self, _request: &Request, node: INodeNo, _handle: Option<FileHandle>, reply: ReplyAttr) {
        self.operation(
            move |shown| shown.attributes(node),
            |found, shown| match found {
                Ok(attributes) => reply.attr(&shown.remembered, &attributes),
                Err(error) => reply.error(Errno::from(error)),
            },
        );
    }

    fn readlink(&self, _request: &Request, node: INodeNo, reply: ReplyData) {
        self.operation(
            move |shown| fs::read_link(shown.directory.join(shown.path(node)?)),
            |target, _| match target {
                Ok(target) => reply.data(target.as_os_str().as_bytes()),
                Err(error) => reply.error(Errno::from(error)),
            },
        );
    }

    fn open(&self, _request: &Request, node: INodeNo, _flags: OpenFlags, reply: ReplyOpen) {
        self.operation(
            move |shown| shown.open(node),
            |opened, _| match opened {
                // Without the flag, opening a file drops it from the page cache, as no device does.
                Ok(handle) => reply.opened(handle, FopenFlags::FOPEN_KEEP_CACHE),
                Err(error) => reply.error(Errno::from(error)),
            },
        );
    }

    fn read(
        &self,
        _request: &Request,
        _node: INodeNo,
        handle: FileHandle,
        offset: u64,
        size: u32,
        _flags: OpenFlags,
        _owner: Option<LockOwner>,
        reply: ReplyData,
    ) {
        let open = match get(&self.shown.files, handle) {
            Ok(open) => open,
            Err(error) => return reply.error(Errno::from(error)),
        };
        let wanted = u64::from(size).min(READ_BYTES_MAX);
        let length = open.length.saturating_sub(offset).min(wanted);
        let reserved = self.clock.reserve(|model, now| {
            let path = open.path.as_os_str().as_bytes();
            model.read(now, ReadRequest { file: open.number, path, offset, length })
        });
        let make = move |_: &Shown| {
            if !reserved.is_readable {
                return Err(io::Error::from_raw_os_error(Errno::EIO.code()));
            }
            read_full(&open.file, wanted as usize, offset)
        };
        self.at(reserved, make, |read, _| match read {
            Ok(bytes) => reply.data(&bytes),
            Err(error) => reply.error(Errno::from(error)),
        });
    }

    fn release(
        &self,
        _request: &Request,
        _node: INodeNo,
        handle: FileHandle,
        _flags: OpenFlags,
        _owner: Option<LockOwner>,
        _flush: bool,
        reply: ReplyEmpty,
    ) {
        lock(&self.shown.files).open.remove(&handle.0);
        reply.ok();
    }

    fn opendir(&self, _request: &Request, node: INodeNo, _flags: OpenFlags, reply: ReplyOpen) {
        self.operation(
            move |shown| shown.list(node),
            |opened, _| match opened {
                Ok(handle) => reply.opened(handle, FopenFlags::empty()),
                Err(error) => reply.error(Errno::from(error)),
            },
        );
    }

    fn readdir(&self, _request: &Request, _node: INodeNo, handle: FileHandle, offset: u64, mut reply: ReplyDirectory) {
        self.operation(
            move |shown| get(&shown.listings, handle),
            move |listing, _| match listing {
                Ok(entries) => {
                    let from = usize::try_from(offset).unwrap_or(usize::MAX);
                    for (entry, next) in entries.iter().zip(1..).skip(from) {
                        if reply.add(INodeNo(entry.number), next, entry.kind, OsStr::from_bytes(&entry.name)) {
                            break;
                        }
                    }
                    reply.ok();
                }
                Err(error) => reply.error(Errno::from(error)),
            },
        );
    }

    fn releasedir(&self, _request: &Request, _node: INodeNo, handle: FileHandle, _flags: OpenFlags, reply: ReplyEmpty) {
        lock(&self.shown.listings).open.remove(&handle.0);
        reply.ok();
    }

    fn statfs(&self, _request: &Request, _node: INodeNo, reply: ReplyStatfs) {
        match rustix::fs::statvfs(&self.shown.directory) {
            Ok(real) => reply.statfs(
                real.f_blocks,
                real.f_bfree,
                real.f_bavail,
                real.f_files,
                real.f_ffree,
                real.f_bsize as u32,
                real.f_namemax as u32,
                real.f_frsize as u32,
            ),
            Err(error) => reply.error(Errno::from(io::Error::from(error))),
        }
    }

    fn flush(&self, _request: &Request, _node: INodeNo, _handle: FileHandle, _owner: LockOwner, reply: ReplyEmpty) {
        // The kernel asks only once: nothing is written that closing could flush.
        reply.error(Errno::ENOSYS);
    }
}
