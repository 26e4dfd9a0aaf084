//! Open files: reading through or around the page cache, and skipping holes.

use std::io;
use std::num::NonZeroU64;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use pfh_record::{FileError, FileIdentity, Metadata, Posix, Timestamp};
use rustix::fs::{
    Advice, AtFlags, FileType, Mode, OFlags, SeekFrom, Stat, Statx, StatxFlags, fadvise, fcntl_getfl, fcntl_setfl,
    fstat, makedev, openat, seek, statx,
};
use rustix::io::{Errno, ReadWriteFlags, pread, preadv2, read, retry_on_intr};

use crate::descriptor::{Descriptor, Valid};
use crate::long_path;
use crate::options::IoMethod;
use crate::reading::Noted;
use crate::source::{CachedRead, EntryKind, SourceFile};
use crate::stamp::{OpenedAt, Proof, Stamp, Version};

/// Alignment of address, length and offset that `O_DIRECT` requires on every usual device.
const DIRECT_ALIGNMENT: usize = 4096;

/// Most bytes copied by one unaligned call under `O_DIRECT`.
const BOUNCE_BYTES_MAX: usize = 1024 * 1024;

/// Least size of files whose holes are looked for; for smaller ones that costs more than reading them.
const SPARSE_BYTES_MIN: u64 = 1024 * 1024;

/// Unit of `st_blocks`.
const STAT_BLOCK_BYTES: u64 = 512;

/// Longest wait for a lease to be given up. The system takes it away after 45 seconds, unless that was changed.
const LEASE_PATIENCE: Duration = Duration::from_secs(60);

/// Time between two attempts meanwhile.
const LEASE_STEP: Duration = Duration::from_millis(10);

/// The manner of opening a file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct How {
    pub(crate) kind: EntryKind,
    /// Whether the user named this path.
    pub(crate) named: bool,
    pub(crate) follow: bool,
    pub(crate) io: IoMethod,
    pub(crate) preserve_access_time: bool,
    pub(crate) holes_trusted: bool,
    /// See [`crate::Device::local_times`].
    pub(crate) local_times: bool,
    /// Whether the medium is reached over a network.
    pub(crate) is_remote: bool,
}

/// An open file of [`crate::LocalSource`].
#[derive(Debug)]
pub struct LocalFile {
    descriptor: Descriptor,
    kind: EntryKind,
    /// Whether `O_DIRECT` is set.
    direct: AtomicBool,
    /// Whether cached pages are dropped after they were read.
    drop_behind: AtomicBool,
    /// Offset up to which pages were dropped.
    released: AtomicU64,
    holes_trusted: bool,
    local_times: bool,
    is_remote: bool,
    opened_at: OpenedAt,
    /// Whether the file has holes that the system reports.
    sparse: AtomicBool,
    /// Counter of files that left direct reading; present only if this file began with it.
    direct_fallbacks: Option<Arc<AtomicU64>>,
    /// Notes the file as open, for progress displays.
    noted: Option<Noted>,
}

impl LocalFile {
    /// Returns the file, noted as open.
    pub(crate) fn noted(mut self, noted: Option<Noted>) -> Self {
        self.noted = noted;
        self
    }

    /// Makes a stream from a descriptor.
    pub(crate) fn stream(opened: OwnedFd) -> Self {
        Self {
            descriptor: Descriptor::new(opened, None),
            kind: EntryKind::Stream,
            direct: AtomicBool::new(false),
            drop_behind: AtomicBool::new(false),
            released: AtomicU64::new(0),
            holes_trusted: false,
            local_times: true,
            is_remote: false,
            opened_at: OpenedAt::now(),
            sparse: AtomicBool::new(false),
            direct_fallbacks: None,
            noted: None,
        }
    }

    fn new((opened, flags): (OwnedFd, OFlags), how: How, direct_fallbacks: Option<Arc<AtomicU64>>) -> Self {
        Self {
            descriptor: Descriptor::new(opened, Some(flags)),
            kind: how.kind,
            direct: AtomicBool::new(how.io == IoMethod::Direct),
            drop_behind: AtomicBool::new(how.io == IoMethod::Drop),
            released: AtomicU64::new(0),
            holes_trusted: how.holes_trusted,
            local_times: how.local_times,
            is_remote: how.is_remote,
            opened_at: OpenedAt::now(),
            sparse: AtomicBool::new(false),
            direct_fallbacks,
            noted: None,
        }
    }

    pub(crate) fn open(
        start: BorrowedFd<'_>,
        path: &[u8],
        mut how: How,
        direct_fallbacks: &Arc<AtomicU64>,
    ) -> io::Result<Self> {
        if how.kind == EntryKind::Stream {
            return Ok(Self::stream(open(start, path, how)?.0));
        }
        let mut opened = open_without_lease(start, path, how);
        if how.io == IoMethod::Direct && matches!(opened, Err(Errno::INVAL)) {
            direct_fallbacks.fetch_add(1, Ordering::Relaxed);
            how.io = IoMethod::Drop;
            opened = open_without_lease(start, path, how);
        }
        let counter = (how.io == IoMethod::Direct).then(|| Arc::clone(direct_fallbacks));
        let file = Self::new(opened?, how, counter);
        if file.drops_behind() {
            file.drop_pages(0, 0);
        }
        Ok(file)
    }

    fn drops_behind(&self) -> bool {
        self.drop_behind.load(Ordering::Relaxed)
    }

    /// Drops cached pages; `length` 0 means up to the end. This is advice, so errors are ignored.
    fn drop_pages(&self, offset: u64, length: u64) {
        if let Ok(file) = self.descriptor.here() {
            let _ = fadvise(&file, offset, NonZeroU64::new(length), Advice::DontNeed);
        }
    }

    fn read_direct(&self, file: &Valid<'_>, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        // The kernel pins every page of the buffer, which for a small file costs more than the read.
        let length = if self.kind == EntryKind::Regular {
            let left = (fstat(file)?.st_size as u64).saturating_sub(offset).max(1);
            usize::try_from(left.next_multiple_of(DIRECT_ALIGNMENT as u64)).unwrap_or(usize::MAX).min(buffer.len())
        } else {
            buffer.len()
        };
        let buffer = &mut buffer[..length];
        let aligned = buffer.as_ptr().align_offset(DIRECT_ALIGNMENT) == 0
            && buffer.len().is_multiple_of(DIRECT_ALIGNMENT)
            && offset.is_multiple_of(DIRECT_ALIGNMENT as u64);
        let outcome = if aligned { pread(file, &mut *buffer, offset) } else { read_bounced(file, buffer, offset) };
        match outcome {
            Err(Errno::INVAL) => {
                self.leave_direct(file)?;
                Ok(pread(file, buffer, offset)?)
            }
            // An earlier read ended within a block, for example before a bad sector, so this is not the end of the
            // file.
            Ok(0) if !buffer.is_empty() && !aligned && self.metadata()?.size > offset => {
                self.leave_direct(file)?;
                Ok(pread(file, buffer, offset)?)
            }
            outcome => Ok(outcome?),
        }
    }

    /// Continues through the page cache, because the filesystem accepted `O_DIRECT` but refuses to read with it.
    fn leave_direct(&self, file: &Valid<'_>) -> io::Result<()> {
        fcntl_setfl(file, fcntl_getfl(file)? - OFlags::DIRECT)?;
        if self.direct.swap(false, Ordering::Relaxed)
            && let Some(fallbacks) = &self.direct_fallbacks
        {
            fallbacks.fetch_add(1, Ordering::Relaxed);
        }
        self.drop_behind.store(true, Ordering::Relaxed);
        Ok(())
    }

    /// Fills `buffer` with zeros if there is a hole at `offset`; returns `None` if there may be data. Each call asks
    /// anew, so a hole that is written to meanwhile gives the same bytes as a read.
    fn read_hole(&self, file: &Valid<'_>, buffer: &mut [u8], offset: u64) -> Option<usize> {
        let end = match seek(file, SeekFrom::Data(offset)) {
            Ok(data) => data,
            // There is no data after `offset`: it is in the last hole, or at the end of the file.
            Err(Errno::NXIO) => fstat(file).ok()?.st_size as u64,
            Err(_) => {
                self.sparse.store(false, Ordering::Relaxed);
                return None;
            }
        };
        let length = usize::try_from(end.saturating_sub(offset)).unwrap_or(usize::MAX).min(buffer.len());
        if length == 0 {
            return None;
        }
        buffer[..length].fill(0);
        Some(length)
    }
}

impl LocalFile {
    fn read(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        let file = &self.descriptor.here()?;
        if self.kind == EntryKind::Stream {
            return Ok(read(file, buffer)?);
        }
        if self.sparse.load(Ordering::Relaxed)
            && let Some(length) = self.read_hole(file, buffer, offset)
        {
            return Ok(length);
        }
        if self.direct.load(Ordering::Relaxed) {
            return self.read_direct(file, buffer, offset);
        }
        Ok(pread(file, buffer, offset)?)
    }

    fn metadata(&self) -> io::Result<Metadata> {
        let file = &self.descriptor.here()?;
        let asked = match self.local_times {
            true => None,
            false => synchronised(file, b"", AtFlags::EMPTY_PATH)?,
        };
        // Without a block count, holes are not looked for.
        let (mut metadata, blocks) = match asked {
            Some(metadata) => (metadata, u64::MAX),
            None => {
                let stat = fstat(file)?;
                (metadata_of(&stat), stat.st_blocks as u64)
            }
        };
        if metadata.posix.map(|posix| FileType::from_raw_mode(posix.mode)) == Some(FileType::BlockDevice) {
            metadata.size = seek(file, SeekFrom::End(0))?;
        }
        let sparse = self.holes_trusted
            && self.kind == EntryKind::Regular
            && metadata.size > SPARSE_BYTES_MIN
            && blocks.saturating_mul(STAT_BLOCK_BYTES) < metadata.size;
        self.sparse.store(sparse, Ordering::Relaxed);
        Ok(metadata)
    }
}

impl SourceFile for LocalFile {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> Result<usize, FileError> {
        loop {
            match self.read(buffer, offset) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                outcome => return Ok(outcome?),
            }
        }
    }

    fn tells_cached(&self) -> bool {
        self.kind == EntryKind::Regular && !self.is_remote && !self.direct.load(Ordering::Relaxed)
    }

    fn read_cached(&self, buffer: &mut [u8], offset: u64) -> CachedRead {
        if !self.tells_cached() {
            return CachedRead::Unknown;
        }
        // An ordinary read will report the error.
        let Ok(file) = self.descriptor.here() else { return CachedRead::Unknown };
        let mut buffers = [io::IoSliceMut::new(buffer)];
        match preadv2(&file, &mut buffers, offset, ReadWriteFlags::NOWAIT) {
            Ok(length) => CachedRead::Ready(length),
            Err(Errno::AGAIN) => CachedRead::WouldBlock,
            // The filesystem does not support it, or there is an error that an ordinary read will report.
            Err(_) => CachedRead::Unknown,
        }
    }

    fn proof(&self) -> Proof {
        match self.kind == EntryKind::Regular && self.local_times {
            true => Proof::OneStamp,
            false => Proof::TwoStamps,
        }
    }

    fn stamp(&self) -> Result<Stamp, FileError> {
        Ok(stamp_of(self.kind, self.metadata()?, Some(self.opened_at)))
    }

    fn announce(&self, offset: u64, length: u64) {
        if self.kind != EntryKind::Stream
            && !self.direct.load(Ordering::Relaxed)
            && let Some(length) = NonZeroU64::new(length)
            && let Ok(file) = self.descriptor.here()
        {
            let _ = fadvise(&file, offset, Some(length), Advice::WillNeed);
        }
    }

    fn release(&self, offset: u64) {
        if self.drops_behind() {
            let released = self.released.fetch_max(offset, Ordering::Relaxed);
            if let Some(length) = offset.checked_sub(released).filter(|&length| length > 0) {
                self.drop_pages(released, length);
            }
        }
    }
}

/// Drops the pages that were read but not released.
impl Drop for LocalFile {
    fn drop(&mut self) {
        if self.drops_behind() {
            self.drop_pages(self.released.load(Ordering::Relaxed), 0);
        }
    }
}

/// Reads an aligned range around one that `O_DIRECT` refuses, and copies the part from it.
fn read_bounced(file: &Valid<'_>, buffer: &mut [u8], offset: u64) -> Result<usize, Errno> {
    let before = (offset % DIRECT_ALIGNMENT as u64) as usize;
    let wanted = buffer.len().min(BOUNCE_BYTES_MAX);
    let length = (before + wanted).next_multiple_of(DIRECT_ALIGNMENT);
    let mut space = vec![0; length + DIRECT_ALIGNMENT];
    let start = space.as_ptr().align_offset(DIRECT_ALIGNMENT);
    let aligned = &mut space[start..start + length];
    let read = pread(file, &mut *aligned, offset - before as u64)?;
    let count = read.saturating_sub(before).min(wanted);
    buffer[..count].copy_from_slice(&aligned[before..before + count]);
    Ok(count)
}

/// Opens `path` for reading, and returns the flags that it was opened with. A final symbolic link is followed only if
/// `how` says so.
pub(crate) fn open(start: BorrowedFd<'_>, path: &[u8], how: How) -> Result<(OwnedFd, OFlags), Errno> {
    let mut flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NOCTTY;
    if !how.follow {
        flags |= OFlags::NOFOLLOW;
    }
    // Opening must not wait for a FIFO that has replaced a file, but may wait for one that the user named.
    if how.kind == EntryKind::Regular || !how.named {
        flags |= OFlags::NONBLOCK;
    }
    if how.io == IoMethod::Direct && how.kind != EntryKind::Stream {
        flags |= OFlags::DIRECT;
    }
    let resolved = long_path::resolve(start, path)?;
    let open = |flags| {
        let opened = retry_on_intr(|| openat(&resolved, resolved.rest, flags, Mode::empty()));
        opened.map(|opened| (opened, flags))
    };
    if how.preserve_access_time {
        match open(flags | OFlags::NOATIME) {
            Err(Errno::PERM) => {} // neither owner nor privileged
            outcome => return outcome,
        }
    }
    open(flags)
}

/// Opens as [`open`] does. If somebody has a lease of the file, such as a file server whose client writes to it, the
/// first attempt asks for it, and this waits until it is given up. An open that may wait would wait for that, too.
fn open_without_lease(start: BorrowedFd<'_>, path: &[u8], how: How) -> Result<(OwnedFd, OFlags), Errno> {
    let mut left = LEASE_PATIENCE;
    loop {
        match open(start, path, how) {
            Err(Errno::AGAIN) if how.kind == EntryKind::Regular && !left.is_zero() => {
                thread::sleep(LEASE_STEP);
                left = left.saturating_sub(LEASE_STEP);
            }
            opened => return opened,
        }
    }
}

/// Asks the server or the FUSE program for the metadata of `path`, bypassing cached attributes. Returns `None` if the
/// system lacks the call (before Linux 4.11) or a sandbox forbids it; only cached attributes are available then.
pub(crate) fn synchronised(start: impl AsFd, path: &[u8], flags: AtFlags) -> io::Result<Option<Metadata>> {
    let flags = flags | AtFlags::STATX_FORCE_SYNC;
    match retry_on_intr(|| statx(&start, path, flags, StatxFlags::BASIC_STATS)) {
        Ok(statx) => Ok(Some(metadata_of_statx(&statx))),
        Err(Errno::NOSYS | Errno::PERM | Errno::INVAL) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

fn metadata_of_statx(statx: &Statx) -> Metadata {
    let mtime = Timestamp { seconds: statx.stx_mtime.tv_sec, nanoseconds: statx.stx_mtime.tv_nsec };
    Metadata::new(statx.stx_size, Some(mtime)).with_posix(Posix {
        ctime: Timestamp { seconds: statx.stx_ctime.tv_sec, nanoseconds: statx.stx_ctime.tv_nsec },
        device: makedev(statx.stx_dev_major, statx.stx_dev_minor),
        inode: statx.stx_ino,
        links: statx.stx_nlink.into(),
        mode: statx.stx_mode.into(),
        uid: statx.stx_uid,
        gid: statx.stx_gid,
    })
}

/// Returns the metadata of what a path of any length leads to; with `follow`, also by a symbolic link at its end.
///
/// # Errors
/// If there is nothing, or it cannot be examined.
pub fn metadata_at(path: &[u8], follow: bool) -> io::Result<Metadata> {
    Ok(metadata_of(&long_path::stat(path, long_path::following(follow))?))
}

/// Returns the number of bytes that a file takes on its medium: fewer than its size, if it has holes. A path of any
/// length leads to it, also by symbolic links.
///
/// # Errors
/// If there is none, or it cannot be examined.
pub fn allocated_bytes(path: &[u8]) -> io::Result<u64> {
    let stat = long_path::stat(path, AtFlags::empty())?;
    Ok((stat.st_blocks as u64).saturating_mul(STAT_BLOCK_BYTES))
}

#[expect(clippy::unnecessary_cast, reason = "the widths of these fields differ between architectures")]
pub(crate) fn metadata_of(stat: &Stat) -> Metadata {
    let mtime = Timestamp { seconds: stat.st_mtime as i64, nanoseconds: stat.st_mtime_nsec as u32 };
    Metadata::new(stat.st_size as u64, Some(mtime)).with_posix(Posix {
        ctime: Timestamp { seconds: stat.st_ctime as i64, nanoseconds: stat.st_ctime_nsec as u32 },
        device: stat.st_dev as u64,
        inode: stat.st_ino as u64,
        links: stat.st_nlink as u64,
        mode: stat.st_mode as u32,
        uid: stat.st_uid as u32,
        gid: stat.st_gid as u32,
    })
}

/// Returns the stamp of an entry listed as `kind`. It can be settled only if `opened_at` is known.
pub(crate) fn stamp_of(kind: EntryKind, metadata: Metadata, opened_at: Option<OpenedAt>) -> Stamp {
    let posix = metadata.posix.unwrap_or_default();
    Stamp {
        metadata,
        identity: Some(FileIdentity::new(posix.device, posix.inode)),
        version: Version::of_times(metadata.mtime.unwrap_or_default(), posix.ctime),
        links: posix.links,
        is_as_listed: kind != EntryKind::Regular || FileType::from_raw_mode(posix.mode) == FileType::RegularFile,
        is_settled: opened_at.is_some_and(|opened_at| opened_at.settles(posix.ctime)),
    }
}

#[cfg(test)]
mod tests {
    use std::fs::{self, File};
    use std::os::unix::fs::FileExt;

    use rustix::fs::CWD;

    use super::*;

    fn how(io: IoMethod) -> How {
        How {
            kind: EntryKind::Regular,
            named: true,
            follow: true,
            io,
            preserve_access_time: false,
            holes_trusted: true,
            local_times: true,
            is_remote: false,
        }
    }

    fn open(path: &std::path::Path, io: IoMethod, fallbacks: &Arc<AtomicU64>) -> LocalFile {
        LocalFile::open(CWD, std::os::unix::ffi::OsStrExt::as_bytes(path.as_os_str()), how(io), fallbacks).unwrap()
    }

    /// Few filesystems refuse `O_DIRECT` only when reading, so the test takes the fallback itself.
    #[test]
    fn a_file_that_leaves_direct_reading_is_counted_once_and_read_on() {
        let directory = tempfile::tempdir_in(env!("CARGO_MANIFEST_DIR")).unwrap();
        let path = directory.path().join("file");
        fs::write(&path, b"0123456789").unwrap();
        let fallbacks = Arc::default();
        let file = open(&path, IoMethod::Direct, &fallbacks);
        assert!(file.direct.load(Ordering::Relaxed));
        file.leave_direct(&file.descriptor.here().unwrap()).unwrap();
        file.leave_direct(&file.descriptor.here().unwrap()).unwrap();
        assert_eq!(fallbacks.load(Ordering::Relaxed), 1);
        assert!(!fcntl_getfl(file.descriptor.here().unwrap()).unwrap().contains(OFlags::DIRECT) && file.drops_behind());
        let mut buffer = [0; 3];
        assert_eq!((file.read_at(&mut buffer, 7).unwrap(), &buffer), (3, b"789"));
    }

    #[test]
    fn a_synchronised_look_tells_what_a_local_one_does() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("file");
        fs::write(&path, b"0123456789").unwrap();
        let bytes = std::os::unix::ffi::OsStrExt::as_bytes(path.as_os_str());
        for io in [IoMethod::Buffered, IoMethod::Direct] {
            let [local, foreign] = [true, false].map(|local_times| {
                let how = How { local_times, ..how(io) };
                LocalFile::open(CWD, bytes, how, &Arc::default()).unwrap().metadata().unwrap()
            });
            assert_eq!(local, foreign);
            assert_eq!(synchronised(CWD, bytes, AtFlags::empty()).unwrap(), Some(local));
        }
        let missing = synchronised(CWD, b"/no/such/file", AtFlags::empty()).unwrap_err();
        assert_eq!(missing.kind(), io::ErrorKind::NotFound);
    }

    #[test]
    fn holes_are_found_and_never_reach_beyond_the_end() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("sparse");
        let writer = File::create(&path).unwrap();
        writer.set_len(8 << 20).unwrap();
        writer.write_all_at(b"data", 4 << 20).unwrap();
        let file = open(&path, IoMethod::Buffered, &Arc::default());
        assert!(!file.sparse.load(Ordering::Relaxed), "not before the metadata were looked at");
        file.metadata().unwrap();
        assert!(file.sparse.load(Ordering::Relaxed));
        let mut buffer = vec![1; 16 << 20];
        let descriptor = file.descriptor.here().unwrap();
        assert_eq!(file.read_hole(&descriptor, &mut buffer, 0), Some(4 << 20));
        assert_eq!(file.read_hole(&descriptor, &mut buffer, 4 << 20), None);
        assert_eq!(file.read_hole(&descriptor, &mut buffer, 6 << 20), Some(2 << 20));
        assert_eq!(file.read_hole(&descriptor, &mut buffer, 8 << 20), None);
        assert_eq!(file.read_hole(&descriptor, &mut buffer, 9 << 20), None);
        writer.set_len(5 << 20).unwrap();
        assert_eq!(file.read_hole(&descriptor, &mut buffer, 6 << 20), None);
    }
}
