//! Files in memory whose calls go wrong by script.

use std::collections::HashMap;
use std::io;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use pfh_source::{
    CachedRead, Device, Entry, EntryKind, FileError, FileIdentity, Found, LookAhead, Medium, Metadata, OpenedAt,
    PathHandle, Posix, Proof, SkipReason, Source, SourceFile, Stamp, Timestamp, Version,
};

use crate::gate::Gate;
use crate::network::Network;

/// `S_IFREG`, `S_IFIFO` and `S_IFBLK`, all with permission to read.
const MODES: [u32; 3] = [0o100_444, 0o010_444, 0o060_444];

const ENOENT: i32 = 2;

/// When files that nobody changed were changed last.
const LONG_AGO: Timestamp = Timestamp { seconds: 1_000_000_000, nanoseconds: 0 };

/// The longest that a stalled call waits for a gate that nobody opens.
const STALL_LIMIT: Duration = Duration::from_secs(60);

/// A fault of one call.
#[derive(Clone, Debug)]
pub enum Fault {
    /// It fails with this error number.
    Fail(i32),
    /// It is interrupted, and made again: that is the next call.
    Interrupt,
    /// A read returns at most this number of bytes. Other calls are not affected.
    Shorten(usize),
    /// It waits for the gate (60 seconds at most), then goes on as usual.
    Stall(Gate),
    /// It takes so long, then goes on as usual.
    Delay(Duration),
    /// It panics.
    Panic,
}

/// A change of a file while it is read.
#[derive(Clone, Debug)]
pub enum Change {
    /// Bytes are appended.
    Grow(Vec<u8>),
    /// It is cut to this length.
    Shrink(u64),
    /// Its bytes are overwritten by these.
    Rewrite(Vec<u8>),
    /// Another file with these bytes takes its name: open handles keep the old one, whose link count falls to 0.
    Replace(Vec<u8>),
    /// It is removed: open handles keep it, opening fails with `ENOENT`.
    Remove,
}

/// Files in memory. Made with the builder methods, then handed to the engine; counters are read afterwards.
///
/// ```
/// use pfh_source::{Found, Source, SourceFile};
/// use pfh_testing::{Fault, ScriptedSource};
///
/// let source = ScriptedSource::new().file("a/b", b"hello").fault_at_call(2, Fault::Fail(5));
/// source.walk(&mut |found| {
///     if let Found::Entry(entry) = found {
///         assert_eq!(entry.path(), b"a/b");
///         let file = source.open(&entry).unwrap();
///         assert_eq!(file.read_at(&mut [0; 8], 0).unwrap_err().errno, Some(5));
///         assert_eq!(file.read_at(&mut [0; 8], 0).unwrap(), 5);
///     }
///     true
/// });
/// assert_eq!((source.calls(), source.open_files_max()), (3, 1));
/// ```
#[derive(Debug)]
pub struct ScriptedSource {
    device: Arc<Device>,
    script: Vec<Step>,
    files: HashMap<Vec<u8>, Arc<Mutex<Name>>>,
    read_bytes_max: usize,
    network: Option<(Arc<Network>, usize)>,
    shared: Arc<Shared>,
}

/// One thing that the walk yields.
#[derive(Debug)]
enum Step {
    Entry { handle: PathHandle, kind: EntryKind, size_hint: Option<u64> },
    Skipped(Vec<u8>, SkipReason),
    Failed(Vec<u8>, i32),
}

/// The inode of a path, and the changes planned for it.
#[derive(Debug)]
struct Name {
    inode: Option<Arc<Mutex<Inode>>>,
    /// After this number of reads of any file with this name.
    changes: Vec<(u64, Change)>,
    reads: u64,
    physical_position: Option<u64>,
    /// Faults on reads that touch these bytes, each time.
    bad_bytes: Vec<(u64, u64, i32)>,
    stated_size: Option<u64>,
}

#[derive(Debug)]
struct Inode {
    contents: Vec<u8>,
    kind: EntryKind,
    number: u64,
    links: u64,
    mtime: Timestamp,
    ctime: Timestamp,
    /// How far a stream was read.
    position: usize,
}

/// Counters, and the faults still to come.
#[derive(Debug, Default)]
struct Shared {
    calls: AtomicU64,
    faults: Mutex<HashMap<u64, Fault>>,
    open_files: AtomicUsize,
    open_files_max: AtomicUsize,
    announced_bytes: AtomicU64,
    read_bytes: AtomicU64,
    opened: Mutex<Vec<Vec<u8>>>,
    inodes: AtomicU64,
    files: AtomicU64,
}

impl Default for ScriptedSource {
    fn default() -> Self {
        Self::new()
    }
}

impl ScriptedSource {
    /// No files, on a solid-state device.
    pub fn new() -> Self {
        Self {
            device: device(Medium::SolidState),
            script: Vec::new(),
            files: HashMap::new(),
            read_bytes_max: usize::MAX,
            network: None,
            shared: Arc::default(),
        }
    }

    /// The medium of the files added after this.
    #[must_use]
    pub fn medium(mut self, medium: Medium) -> Self {
        self.device = device(medium);
        self
    }

    /// All files lie behind a network, in simulated time: a request for a range of `range_bytes` arrives `latency`
    /// after it was made, whatever else is on its way, and up to `requests_max` may be. Files cannot change then. The
    /// clock goes on only when all threads wait that have a file open, and not before `readers` of them have come:
    /// nothing of this takes time, and nothing depends on how long a thread takes for what it does.
    #[must_use]
    pub fn behind_a_network(
        mut self,
        latency: Duration,
        range_bytes: u64,
        requests_max: usize,
        readers: usize,
    ) -> Self {
        self.network = Some((Arc::new(Network::new(latency, range_bytes, readers)), requests_max));
        self
    }

    /// Adds a regular file. Files are walked in the order of these calls.
    #[must_use]
    pub fn file(self, path: impl AsRef<[u8]>, contents: impl Into<Vec<u8>>) -> Self {
        self.entry(path.as_ref(), contents.into(), EntryKind::Regular)
    }

    /// Adds a stream: read in order, without a size.
    #[must_use]
    pub fn stream(self, path: impl AsRef<[u8]>, contents: impl Into<Vec<u8>>) -> Self {
        self.entry(path.as_ref(), contents.into(), EntryKind::Stream)
    }

    /// Adds a block device.
    #[must_use]
    pub fn block_device(self, path: impl AsRef<[u8]>, contents: impl Into<Vec<u8>>) -> Self {
        self.entry(path.as_ref(), contents.into(), EntryKind::BlockDevice)
    }

    fn entry(mut self, path: &[u8], contents: Vec<u8>, kind: EntryKind) -> Self {
        let handle = PathHandle { path: path.into(), device: Arc::clone(&self.device) };
        self.script.push(Step::Entry { handle, kind, size_hint: None });
        let inode = Some(self.shared.inode(contents, kind));
        let file = Name {
            inode,
            changes: Vec::new(),
            reads: 0,
            physical_position: None,
            bad_bytes: Vec::new(),
            stated_size: None,
        };
        self.files.insert(path.to_vec(), Arc::new(Mutex::new(file)));
        self
    }

    /// Adds another name of the file `to`, which was added before.
    /// # Panics
    /// If there is no such file.
    #[must_use]
    pub fn hard_link(mut self, path: impl AsRef<[u8]>, to: impl AsRef<[u8]>) -> Self {
        let Some(inode) = self.name(to.as_ref()).inode.clone() else { panic!("the file was removed") };
        let kind = lock(&inode).kind;
        self = self.entry(path.as_ref(), Vec::new(), kind);
        lock(&inode).links += 1;
        self.name(path.as_ref()).inode = Some(inode);
        self
    }

    /// The walk states the size of the file added last.
    #[must_use]
    pub fn with_size_hint(mut self, size: u64) -> Self {
        if let Some(Step::Entry { size_hint, .. }) = self.script.last_mut() {
            *size_hint = Some(size);
        }
        self
    }

    /// The walk passes something over.
    #[must_use]
    pub fn skipped(mut self, path: impl Into<Vec<u8>>, reason: SkipReason) -> Self {
        self.script.push(Step::Skipped(path.into(), reason));
        self
    }

    /// The walk fails at something.
    #[must_use]
    pub fn failed(mut self, path: impl Into<Vec<u8>>, errno: i32) -> Self {
        self.script.push(Step::Failed(path.into(), errno));
        self
    }

    /// The `call`-th call (from 1; `open`, `metadata` and `read_at` of all files together) goes wrong.
    #[must_use]
    pub fn fault_at_call(self, call: u64, fault: Fault) -> Self {
        lock(&self.shared.faults).insert(call, fault);
        self
    }

    /// Reads that begin in `offset … offset + length` fail with `errno` each time; reads before it end there.
    /// # Panics
    /// If there is no such file.
    #[must_use]
    pub fn bad_bytes(self, path: impl AsRef<[u8]>, offset: u64, length: u64, errno: i32) -> Self {
        self.name(path.as_ref()).bad_bytes.push((offset, offset + length, errno));
        self
    }

    /// After `reads` reads of the file, this happens to it. 0: before it is opened.
    /// # Panics
    /// If there is no such file.
    #[must_use]
    pub fn change_after_reads(self, path: impl AsRef<[u8]>, reads: u64, change: Change) -> Self {
        self.name(path.as_ref()).changes.push((reads, change));
        self
    }

    /// Metadata state this size whatever the file holds, as `/proc` does.
    /// # Panics
    /// If there is no such file.
    #[must_use]
    pub fn stated_size(self, path: impl AsRef<[u8]>, size: u64) -> Self {
        self.name(path.as_ref()).stated_size = Some(size);
        self
    }

    /// The place of the file on the medium.
    /// # Panics
    /// If there is no such file.
    #[must_use]
    pub fn at_physical_position(self, path: impl AsRef<[u8]>, position: u64) -> Self {
        self.name(path.as_ref()).physical_position = Some(position);
        self
    }

    /// No read returns more than this.
    #[must_use]
    pub fn read_bytes_max(mut self, bytes: usize) -> Self {
        self.read_bytes_max = bytes;
        self
    }

    /// Calls made so far.
    pub fn calls(&self) -> u64 {
        self.shared.calls.load(Ordering::SeqCst)
    }

    /// Files that are open now.
    pub fn open_files(&self) -> usize {
        self.shared.open_files.load(Ordering::SeqCst)
    }

    /// The simulated time of [`ScriptedSource::behind_a_network`].
    pub fn simulated_time(&self) -> Duration {
        self.network.as_ref().map_or(Duration::ZERO, |(network, _)| network.now())
    }

    /// Requests made to the network so far.
    pub fn requests(&self) -> u64 {
        self.network.as_ref().map_or(0, |(network, _)| network.made())
    }

    /// Most requests that were on their way at one time.
    pub fn requests_at_once_max(&self) -> usize {
        self.network.as_ref().map_or(0, |(network, _)| network.at_once_max())
    }

    /// Most files that were open at once.
    pub fn open_files_max(&self) -> usize {
        self.shared.open_files_max.load(Ordering::SeqCst)
    }

    /// Bytes announced so far.
    pub fn announced_bytes(&self) -> u64 {
        self.shared.announced_bytes.load(Ordering::SeqCst)
    }

    /// Bytes handed out so far.
    pub fn read_bytes(&self) -> u64 {
        self.shared.read_bytes.load(Ordering::SeqCst)
    }

    /// Paths in the order in which they were opened.
    pub fn opened(&self) -> Vec<Vec<u8>> {
        lock(&self.shared.opened).clone()
    }

    fn name(&self, path: &[u8]) -> MutexGuard<'_, Name> {
        match self.files.get(path) {
            Some(name) => lock(name),
            None => panic!("no file `{}` in the script", path.escape_ascii()),
        }
    }

    fn identity(&self, handle: &PathHandle) -> Option<FileIdentity> {
        let name = self.name(&handle.path);
        name.inode.as_ref().map(|inode| FileIdentity::new(handle.device.number, lock(inode).number))
    }

    /// Changes a file now.
    /// # Panics
    /// If there is no such file.
    pub fn change(&self, path: impl AsRef<[u8]>, change: Change) {
        self.name(path.as_ref()).apply(change, &self.shared);
    }

    fn find(&self, path: &[u8]) -> Result<&Arc<Mutex<Name>>, FileError> {
        self.files.get(path).ok_or_else(no_entry)
    }
}

impl Shared {
    /// Counts a call, and follows the script for it. Returns the number of bytes that it may read.
    fn call(&self) -> Result<usize, FileError> {
        let call = self.calls.fetch_add(1, Ordering::SeqCst) + 1;
        let fault = lock(&self.faults).remove(&call);
        match fault {
            None => Ok(usize::MAX),
            Some(Fault::Fail(errno)) => Err(io::Error::from_raw_os_error(errno).into()),
            Some(Fault::Interrupt) => self.call(),
            Some(Fault::Shorten(bytes)) => Ok(bytes),
            Some(Fault::Stall(gate)) => {
                gate.pass(STALL_LIMIT);
                Ok(usize::MAX)
            }
            Some(Fault::Delay(time)) => {
                std::thread::sleep(time);
                Ok(usize::MAX)
            }
            Some(Fault::Panic) => panic!("scripted panic at call {call}"),
        }
    }

    fn inode(&self, contents: Vec<u8>, kind: EntryKind) -> Arc<Mutex<Inode>> {
        let number = self.inodes.fetch_add(1, Ordering::SeqCst) + 1;
        Arc::new(Mutex::new(Inode { contents, kind, number, links: 1, mtime: LONG_AGO, ctime: LONG_AGO, position: 0 }))
    }
}

impl Name {
    fn apply(&mut self, change: Change, shared: &Shared) {
        let Some(inode) = &self.inode else { return };
        let mut old = lock(inode);
        old.ctime = now();
        if !matches!(change, Change::Replace(_) | Change::Remove) {
            old.mtime = old.ctime;
        }
        let next = match change {
            Change::Grow(bytes) => {
                old.contents.extend(bytes);
                return;
            }
            Change::Shrink(size) => {
                old.contents.truncate(size as usize);
                return;
            }
            Change::Rewrite(contents) => {
                old.contents = contents;
                return;
            }
            Change::Replace(contents) => Some(shared.inode(contents, old.kind)),
            Change::Remove => None,
        };
        old.links -= 1;
        drop(old);
        self.inode = next;
    }

    fn apply_due(&mut self, shared: &Shared) {
        while let Some(due) = self.changes.iter().position(|(after, _)| *after <= self.reads) {
            let (_, change) = self.changes.remove(due);
            self.apply(change, shared);
        }
    }
}

impl Source for ScriptedSource {
    type Handle = PathHandle;
    type File = ScriptedFile;

    fn walk(&self, visit: &mut dyn FnMut(Found<PathHandle>) -> bool) {
        for step in &self.script {
            let found = match step {
                Step::Entry { handle, kind, size_hint } => {
                    let mut entry = Entry::new(handle.clone(), *kind);
                    (entry.identity_hint, entry.size_hint) = (self.identity(handle), *size_hint);
                    Found::Entry(entry)
                }
                Step::Skipped(path, reason) => Found::Skipped(path.clone(), *reason),
                Step::Failed(path, errno) => Found::Failed(path.clone(), io::Error::from_raw_os_error(*errno).into()),
            };
            if !visit(found) {
                return;
            }
        }
    }

    fn open(&self, entry: &Entry<PathHandle>) -> Result<ScriptedFile, FileError> {
        self.shared.call()?;
        let path = entry.path();
        let name = Arc::clone(self.find(&path)?);
        lock(&name).apply_due(&self.shared);
        let inode = lock(&name).inode.clone().ok_or_else(no_entry)?;
        lock(&self.shared.opened).push(path);
        let open = self.shared.open_files.fetch_add(1, Ordering::SeqCst) + 1;
        self.shared.open_files_max.fetch_max(open, Ordering::SeqCst);
        let number = self.shared.files.fetch_add(1, Ordering::SeqCst);
        if let Some((network, _)) = &self.network {
            network.open(number);
        }
        Ok(ScriptedFile {
            name,
            inode,
            kind: entry.kind,
            device: Arc::clone(entry.device()),
            opened_at: OpenedAt::now(),
            read_bytes_max: self.read_bytes_max,
            network: self.network.as_ref().map(|(network, _)| Arc::clone(network)),
            number,
            shared: Arc::clone(&self.shared),
        })
    }

    fn stamp(&self, entry: &Entry<PathHandle>) -> Result<Stamp, FileError> {
        self.shared.call()?;
        let mut name = lock(self.find(&entry.path())?);
        name.apply_due(&self.shared);
        let inode = name.inode.as_ref().ok_or_else(no_entry)?;
        Ok(stamp(&lock(inode), name.stated_size, self.device.number, None))
    }

    fn physical_position(&self, entry: &Entry<PathHandle>) -> Option<u64> {
        self.files.get(&entry.path()).and_then(|name| lock(name).physical_position)
    }

    fn look_ahead(&self) -> LookAhead {
        self.network.as_ref().map_or_else(LookAhead::default, |(network, requests_max)| {
            LookAhead::new(Some(network.range_bytes()), *requests_max)
        })
    }
}

/// An open file of a [`ScriptedSource`].
#[derive(Debug)]
pub struct ScriptedFile {
    name: Arc<Mutex<Name>>,
    inode: Arc<Mutex<Inode>>,
    kind: EntryKind,
    device: Arc<Device>,
    opened_at: OpenedAt,
    read_bytes_max: usize,
    network: Option<Arc<Network>>,
    /// Of this opening, for the network.
    number: u64,
    shared: Arc<Shared>,
}

impl ScriptedFile {
    fn read(&self, buffer: &mut [u8], offset: u64, allowed: usize) -> Result<usize, FileError> {
        let mut name = lock(&self.name);
        name.apply_due(&self.shared);
        name.reads += 1;
        let mut inode = lock(&self.inode);
        let stream = inode.kind == EntryKind::Stream;
        let start = if stream { inode.position } else { usize::try_from(offset).unwrap_or(usize::MAX) };
        let rest = inode.contents.get(start..).unwrap_or_default();
        let mut length = allowed.min(rest.len());
        for &(bad, end, errno) in &name.bad_bytes {
            if (bad..end).contains(&(start as u64)) {
                return Err(io::Error::from_raw_os_error(errno).into());
            }
            if let Some(good) = bad.checked_sub(start as u64) {
                length = length.min(usize::try_from(good).unwrap_or(usize::MAX));
            }
        }
        buffer[..length].copy_from_slice(&rest[..length]);
        let is_end = length == rest.len();
        if stream {
            inode.position += length;
        }
        self.shared.read_bytes.fetch_add(length as u64, Ordering::SeqCst);
        if let Some(network) = &self.network {
            network.take(self.number, offset + length as u64, is_end);
        }
        Ok(length)
    }

    /// No read goes beyond the range that it begins in.
    fn allowed(&self, buffer: &[u8], offset: u64) -> usize {
        let allowed = self.read_bytes_max.min(buffer.len());
        let left = self.network.as_ref().map(|network| network.range_bytes() - offset % network.range_bytes());
        left.map_or(allowed, |left| allowed.min(usize::try_from(left).unwrap_or(usize::MAX)))
    }
}

impl SourceFile for ScriptedFile {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> Result<usize, FileError> {
        let allowed = self.shared.call()?.min(self.allowed(buffer, offset));
        if let Some(network) = &self.network
            && offset < lock(&self.inode).contents.len() as u64
        {
            network.wait_for(self.number, offset);
        }
        self.read(buffer, offset, allowed)
    }

    fn tells_cached(&self) -> bool {
        self.network.is_some()
    }

    fn read_cached(&self, buffer: &mut [u8], offset: u64) -> CachedRead {
        let Some(network) = &self.network else { return CachedRead::Unknown };
        if !network.has(self.number, offset) {
            return CachedRead::WouldBlock;
        }
        let allowed = self.allowed(buffer, offset);
        self.read(buffer, offset, allowed).map_or(CachedRead::Unknown, CachedRead::Ready)
    }

    fn proof(&self) -> Proof {
        match self.kind {
            _ if self.network.is_some() => Proof::Unchanging,
            EntryKind::Regular if self.device.local_times => Proof::OneStamp,
            _ => Proof::TwoStamps,
        }
    }

    fn stamp(&self) -> Result<Stamp, FileError> {
        self.shared.call()?;
        let mut name = lock(&self.name);
        name.apply_due(&self.shared);
        Ok(stamp(&lock(&self.inode), name.stated_size, self.device.number, Some(self.opened_at)))
    }

    fn announce(&self, offset: u64, length: u64) {
        self.shared.announced_bytes.fetch_add(length, Ordering::SeqCst);
        if let Some(network) = &self.network {
            network.ask(self.number, offset, length);
        }
    }
}

impl Drop for ScriptedFile {
    fn drop(&mut self) {
        if let Some(network) = &self.network {
            network.close(self.number);
        }
        self.shared.open_files.fetch_sub(1, Ordering::SeqCst);
    }
}

fn no_entry() -> FileError {
    io::Error::from_raw_os_error(ENOENT).into()
}

fn device(medium: Medium) -> Arc<Device> {
    let (number, name) = (1 + medium as u64, format!("scripted {medium:?}"));
    let mut device = Device::new(number, medium, name);
    device.local_times = medium != Medium::Network;
    Arc::new(device)
}

/// The time of a change: as on a real filesystem, no earlier than any moment before it.
fn now() -> Timestamp {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    Timestamp { seconds: since.as_secs() as i64, nanoseconds: since.subsec_nanos() }
}

fn stamp(inode: &Inode, stated_size: Option<u64>, device: u64, opened_at: Option<OpenedAt>) -> Stamp {
    let (mode, size) = match inode.kind {
        EntryKind::Regular => (MODES[0], inode.contents.len() as u64),
        EntryKind::Stream => (MODES[1], 0),
        EntryKind::BlockDevice => (MODES[2], inode.contents.len() as u64),
    };
    let posix = Posix { ctime: inode.ctime, device, inode: inode.number, links: inode.links, mode, uid: 0, gid: 0 };
    let metadata = Metadata::new(stated_size.unwrap_or(size), Some(inode.mtime)).with_posix(posix);
    let identity = FileIdentity::new(device, inode.number);
    let mut stamp = Stamp::new(metadata, Some(identity), Version::of_times(inode.mtime, inode.ctime));
    stamp.links = inode.links;
    stamp.is_settled = opened_at.is_some_and(|opened_at| opened_at.settles(inode.ctime));
    stamp
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
