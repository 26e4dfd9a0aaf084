//! Files that an earlier walk found, read again: whole, or only their beginnings.

use std::collections::{BTreeSet, HashMap};
use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, Builder};

use pfh_record::{FileError, FileIdentity};
use rustix::fs::{AtFlags, CWD, Mode, OFlags, fstatfs, openat};

use crate::device::Device;
use crate::directory::{Directory, LocalHandle};
use crate::extent;
use crate::file::LocalFile;
use crate::listed::walked;
use crate::local::{LocalSource, Totals};
use crate::long_path;
use crate::source::{CachedRead, Entry, EntryKind, Found, Handle, LookAhead, Source, SourceFile};
use crate::stamp::{Proof, Stamp};
use crate::watch::Watch;

/// Length of the ranges of [`FoundFiles::far_ahead`].
const FAR_AHEAD_BYTES: u64 = 2 << 20;

/// Directories that [`FoundFiles::as_walked`] opens at a time.
const OPENED_AT_ONCE: usize = 16;

/// A regular file as an earlier walk found it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundFile {
    /// The displayed path in raw bytes, by which it is opened.
    pub path: Vec<u8>,
    /// Size in bytes.
    pub size: u64,
    /// Its identity, if the walk knew it.
    pub identity: Option<FileIdentity>,
}

/// A source of files that an earlier walk found: each is visited once, in the given order. A file that by now has
/// another size or identity, or is no regular file, counts as changed while it was read.
///
/// With a limit, the source has the beginnings of the files: what is read, and every size in its stamps and entries, is
/// that of the beginning.
pub struct FoundFiles<'a> {
    local: LocalSource,
    /// Behind a pointer, so that the engine is compiled once for all such sources.
    files: Mutex<Option<Box<dyn Iterator<Item = FoundFile> + Send + 'a>>>,
    bytes_max: u64,
    totals: Totals,
    are_new: bool,
    are_sizes_known: bool,
    look_ahead: Option<LookAhead>,
    /// Open directories by their displayed paths. The files in all others are opened by path.
    directories: HashMap<Vec<u8>, Arc<Directory>>,
}

impl FoundFiles<'static> {
    /// Makes a source of the files of `paths` as a walk has them that asks for nothing: their sizes are unknown, and
    /// their directories are open, so that only the last name of each path is looked up. Opens the directories here,
    /// several at a time, since a walk is ahead of the reading. The files of one that cannot be opened have the errors.
    pub fn as_walked(local: LocalSource, paths: Vec<Vec<u8>>, bytes_max: Option<u64>) -> Self {
        let directories = open_parents(&local, &paths);
        let file = |path| FoundFile { path, size: 0, identity: None };
        let source = FoundFiles::new(local, paths.into_iter().map(file), bytes_max, Totals::default());
        FoundFiles { are_sizes_known: false, directories, ..source }
    }
}

impl<'a> FoundFiles<'a> {
    /// Makes a source of `files`, at most `bytes_max` bytes of each. `local` says how they are read, and names no files
    /// itself. `totals`, for a forecast, are of the whole files.
    pub fn new(
        local: LocalSource,
        files: impl Iterator<Item = FoundFile> + Send + 'a,
        bytes_max: Option<u64>,
        totals: Totals,
    ) -> FoundFiles<'a> {
        let bytes_max = bytes_max.unwrap_or(u64::MAX);
        FoundFiles {
            local,
            files: Mutex::new(Some(Box::new(files))),
            bytes_max,
            totals,
            are_new: false,
            are_sizes_known: true,
            look_ahead: None,
            directories: HashMap::new(),
        }
    }

    /// Has the system read far ahead in long files, for readers that do other work between their reads.
    #[must_use]
    pub fn far_ahead(self) -> FoundFiles<'a> {
        FoundFiles { look_ahead: Some(LookAhead::new(Some(FAR_AHEAD_BYTES), usize::MAX)), ..self }
    }

    /// States that the files were written a moment ago. One stamp after the reading would prove nothing then, and their
    /// beginnings would be read again.
    #[must_use]
    pub fn just_written(self) -> FoundFiles<'a> {
        FoundFiles { are_new: true, ..self }
    }
}

/// Opens the directories of files, several at a time; returns those that could be opened.
fn open_parents(local: &LocalSource, paths: &[Vec<u8>]) -> HashMap<Vec<u8>, Arc<Directory>> {
    let parents: BTreeSet<&[u8]> = paths.iter().filter_map(|path| Some(walked(path)?.0)).collect();
    let helpers = parents.len().min(OPENED_AT_ONCE).saturating_sub(1);
    let (waiting, opened) = (Mutex::new(parents.into_iter()), Mutex::new(HashMap::new()));
    let next = || waiting.lock().unwrap_or_else(PoisonError::into_inner).next();
    let open = || {
        while let Some(parent) = next() {
            if let Ok((directory, _)) = local.directory(parent) {
                opened.lock().unwrap_or_else(PoisonError::into_inner).insert(parent.to_vec(), directory);
            }
        }
    };
    thread::scope(|scope| {
        for _ in 0..helpers {
            // Without helpers it takes longer.
            let _ = Builder::new().spawn_scoped(scope, open);
        }
        open();
    });
    opened.into_inner().unwrap_or_else(PoisonError::into_inner)
}

/// Returns the number of the device that a file is on; 0, which no device has, if it cannot be examined. Opening the
/// file will tell why.
fn device_of(path: &[u8]) -> u64 {
    long_path::stat(path, AtFlags::empty()).map_or(0, |stat| stat.st_dev)
}

/// The handle of a [`FoundFile`].
#[derive(Debug)]
pub struct FoundHandle(Entry<LocalHandle>);

impl Handle for FoundHandle {
    fn path(&self) -> Vec<u8> {
        self.0.path()
    }

    fn path_bytes(&self) -> usize {
        self.0.path_bytes()
    }

    fn device(&self) -> &Arc<Device> {
        self.0.device()
    }
}

/// An open [`FoundFile`], or its beginning.
#[derive(Debug)]
pub struct FoundLocalFile {
    file: LocalFile,
    expected: Expected,
}

#[derive(Clone, Copy, Debug)]
struct Expected {
    size: Option<u64>,
    identity: Option<FileIdentity>,
    bytes_max: u64,
    is_new: bool,
}

impl Expected {
    /// Returns the stamp of the beginning of a file, from that of the file.
    fn stamp(&self, mut stamp: Stamp) -> Stamp {
        stamp.is_as_listed &= self.size.is_none_or(|size| size == stamp.metadata.size);
        stamp.is_as_listed &= self.identity.is_none() || self.identity == stamp.identity;
        stamp.metadata.size = stamp.metadata.size.min(self.bytes_max);
        stamp
    }

    /// Shortens a buffer to what lies before the limit.
    fn clip<'b>(&self, buffer: &'b mut [u8], offset: u64) -> &'b mut [u8] {
        let left = usize::try_from(self.bytes_max.saturating_sub(offset)).unwrap_or(usize::MAX);
        let length = buffer.len().min(left);
        &mut buffer[..length]
    }
}

impl FoundFiles<'_> {
    fn expected(&self, handle: &FoundHandle) -> Expected {
        let Entry { size_hint, identity_hint, .. } = handle.0;
        Expected { size: size_hint, identity: identity_hint, bytes_max: self.bytes_max, is_new: self.are_new }
    }
}

impl Source for FoundFiles<'_> {
    type Handle = FoundHandle;
    type File = FoundLocalFile;

    /// The first walk consumes the files.
    fn walk(&self, visit: &mut dyn FnMut(Found<FoundHandle>) -> bool) {
        let files = self.files.lock().unwrap_or_else(PoisonError::into_inner).take();
        let mut holders: HashMap<u64, Arc<Directory>> = HashMap::new();
        for FoundFile { path, size, identity } in files.into_iter().flatten() {
            let below = walked(&path).and_then(|(parent, name)| Some((self.directories.get(parent)?, name)));
            let handle = match below {
                Some((directory, name)) => LocalHandle::new(directory, name),
                None => {
                    let number = identity.map_or_else(|| device_of(&path), |identity| identity.device);
                    let directory = holders.entry(number).or_insert_with(|| {
                        Arc::new(Directory::of_arguments(self.local.scope.filesystems.of_path(number, &path)))
                    });
                    LocalHandle::new(directory, &path)
                }
            };
            let mut known = Entry::new(handle, EntryKind::Regular);
            (known.size_hint, known.identity_hint) = (self.are_sizes_known.then_some(size), identity);
            let mut entry = Entry::new(FoundHandle(known), EntryKind::Regular);
            entry.size_hint = entry.handle.0.size_hint.map(|size| size.min(self.bytes_max));
            entry.identity_hint = identity;
            if !visit(Found::Entry(entry)) {
                return;
            }
        }
    }

    fn open(&self, entry: &Entry<FoundHandle>) -> Result<FoundLocalFile, FileError> {
        let file = self.local.open(&entry.handle.0)?;
        Ok(FoundLocalFile { file, expected: self.expected(&entry.handle) })
    }

    fn stamp(&self, entry: &Entry<FoundHandle>) -> Result<Stamp, FileError> {
        Ok(self.expected(&entry.handle).stamp(self.local.stamp(&entry.handle.0)?))
    }

    fn physical_position(&self, entry: &Entry<FoundHandle>) -> Option<u64> {
        self.local.physical_position(&entry.handle.0)
    }

    fn begin_thread(&self) {
        self.local.begin_thread();
    }

    fn is_direct(&self) -> bool {
        self.local.is_direct()
    }

    fn look_ahead(&self) -> LookAhead {
        self.look_ahead.unwrap_or_else(|| self.local.look_ahead())
    }
}

impl Watch for FoundFiles<'_> {
    fn watch(&self) {
        self.local.watch();
    }

    fn being_read(&self) -> Option<Vec<u8>> {
        self.local.being_read()
    }

    fn expected(&self, report: &mut dyn FnMut(Totals) -> bool) -> Option<Totals> {
        report(self.totals);
        Some(self.totals)
    }
}

impl SourceFile for FoundLocalFile {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> Result<usize, FileError> {
        self.file.read_at(self.expected.clip(buffer, offset), offset)
    }

    fn tells_cached(&self) -> bool {
        self.file.tells_cached()
    }

    fn read_cached(&self, buffer: &mut [u8], offset: u64) -> CachedRead {
        self.file.read_cached(self.expected.clip(buffer, offset), offset)
    }

    fn proof(&self) -> Proof {
        match self.file.proof() {
            Proof::OneStamp if self.expected.is_new => Proof::TwoStamps,
            proof => proof,
        }
    }

    fn stamp(&self) -> Result<Stamp, FileError> {
        Ok(self.expected.stamp(self.file.stamp()?))
    }

    fn announce(&self, offset: u64, length: u64) {
        self.file.announce(offset, length.min(self.expected.bytes_max.saturating_sub(offset)));
    }

    fn release(&self, offset: u64) {
        self.file.release(offset);
    }
}

/// The filesystems of whose files several can share extents, by `f_type` of statfs(2): btrfs, XFS, bcachefs, OCFS2.
const SHARING: [u64; 4] = [0x9123_683e, 0x5846_5342, 0xca45_1a4e, 0x7461_636f];

/// Finds files that share extents. Asks each filesystem once whether it has such files.
#[derive(Debug, Default)]
pub struct SharedExtents {
    /// Whether files can share extents, by device.
    can_share: HashMap<u64, bool>,
}

impl SharedExtents {
    /// Returns a value that two files have in common if all of their extents are shared between them (reflinks). `None`
    /// if the filesystem has no such files or does not tell, if an extent is not shared, or if the file has none.
    /// `device` is that of the file, if it is known.
    ///
    /// # Errors
    /// The errors of opening the file.
    pub fn of(&mut self, path: &[u8], device: Option<u64>) -> io::Result<Option<Vec<u8>>> {
        if device.is_some_and(|device| self.can_share.get(&device) == Some(&false)) {
            return Ok(None);
        }
        let resolved = long_path::resolve(CWD, path)?;
        let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NOCTTY | OFlags::NONBLOCK;
        let file = openat(&resolved, resolved.rest, flags, Mode::empty())?;
        let can_share = SHARING.contains(&(fstatfs(&file)?.f_type as u64));
        if let Some(device) = device {
            self.can_share.insert(device, can_share);
        }
        Ok(if can_share { extent::shared(file) } else { None })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::WalkOptions;

    /// The facts about one filesystem would be wrong for files of another.
    #[test]
    fn a_file_of_unknown_identity_is_on_its_own_device() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("file");
        std::fs::write(&path, "1").unwrap();
        let own = path.into_os_string().into_encoded_bytes();
        // This one is on a filesystem of the kernel, whatever the other one is on.
        let paths = [own.clone(), b"/proc/self/mountinfo".to_vec(), own];
        let expected: Vec<u64> =
            paths.iter().map(|path| long_path::stat(path, AtFlags::empty()).unwrap().st_dev).collect();
        assert_ne!(expected[0], expected[1]);
        let files: Vec<FoundFile> = paths.into_iter().map(|path| FoundFile { path, size: 1, identity: None }).collect();
        let local = LocalSource::new(WalkOptions::default()).unwrap();
        let source = FoundFiles::new(local, files.into_iter(), None, Totals::default());
        let mut numbers = Vec::new();
        source.walk(&mut |found| {
            let Found::Entry(entry) = found else { panic!("{found:?}") };
            numbers.push(entry.device().number);
            true
        });
        assert_eq!(numbers, expected);
    }
}
