//! The findings of an earlier walk, perhaps on another machine, as a source.

use std::os::fd::OwnedFd;
use std::sync::{Arc, Mutex, PoisonError};

use pfh_record::{ErrorKind, FileError, SkipReason};
use rustix::fs::AtFlags;
use rustix::io::Errno;

use crate::directory::{Directory, LocalHandle};
use crate::local::{LocalSource, Totals};
use crate::long_path;
use crate::part::{FilePart, ListedFile, ListedHandle};
use crate::source::{Entry, EntryKind, Found, Source};
use crate::stamp::Stamp;
use crate::walk::kind_on;
use crate::watch::Watch;

/// A finding of an earlier walk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Listed {
    /// A regular file.
    File {
        /// The displayed path in raw bytes.
        path: Vec<u8>,
        /// Its size then, in bytes: a hint.
        size: u64,
        /// Whether the path was named rather than walked to ([`LocalHandle::is_named`]).
        named: bool,
        /// The part of it that is to be read, and nothing else; its path is then that of a part
        /// ([`FilePart::of_path`]).
        part: Option<FilePart>,
    },
    /// Something that was not to be read, and the reason.
    Skipped(Vec<u8>, SkipReason),
    /// Something that could not be listed or examined, and the error.
    Failed(Vec<u8>, FileError),
}

/// A source of what an earlier walk found, in its order. Each file is read as it is now: a path that leads to a
/// directory by now is not walked, and one that is gone is an error of that file. Where the tree is unchanged, the
/// engine makes the same records of it as of the walk itself.
pub struct ListedFiles<'a> {
    local: LocalSource,
    /// Behind a pointer, so that the engine is compiled once for all such sources.
    listed: Mutex<Option<Box<dyn Iterator<Item = Listed> + Send + 'a>>>,
    totals: Totals,
}

impl<'a> ListedFiles<'a> {
    /// Makes a source of `listed`. `local` says how files are read, and names none itself. `totals` are for a forecast.
    pub fn new(
        local: LocalSource,
        listed: impl Iterator<Item = Listed> + Send + 'a,
        totals: Totals,
    ) -> ListedFiles<'a> {
        ListedFiles { local, listed: Mutex::new(Some(Box::new(listed))), totals }
    }
}

impl ListedFiles<'_> {
    /// Returns the entry of a path that was named.
    fn named(&self, path: &[u8], size: u64, holder: &mut Option<Arc<Directory>>) -> Result<Entry<ListedHandle>, Errno> {
        let stat = long_path::stat(path, AtFlags::empty())?;
        let filesystem = self.local.scope.filesystems.of_path(stat.st_dev, path);
        let directory = match holder.take() {
            Some(holder) if Arc::ptr_eq(holder.filesystem(), &filesystem) => holder,
            _ => Arc::new(Directory::of_arguments(filesystem)),
        };
        *holder = Some(Arc::clone(&directory));
        Ok(entry(&directory, path, size))
    }

    /// Returns the finding of a file.
    fn file(
        &self,
        path: Vec<u8>,
        size: u64,
        named: bool,
        levels: &mut Levels,
        holder: &mut Option<Arc<Directory>>,
    ) -> Found<ListedHandle> {
        let entry = match walked(&path) {
            _ if named => self.named(&path, size, holder),
            Some((parent, name)) => {
                levels.get(parent, |path| self.local.directory(path)).map(|directory| entry(&directory, name, size))
            }
            None => {
                return Found::Failed(path, FileError::new(ErrorKind::Other, "no walk leads to this path"));
            }
        };
        match entry {
            Ok(entry) => Found::Entry(entry),
            Err(error) => Found::Failed(path, std::io::Error::from(error).into()),
        }
    }
}

fn entry(directory: &Arc<Directory>, name: &[u8], size: u64) -> Entry<ListedHandle> {
    let kind = kind_on(directory.filesystem(), EntryKind::Regular);
    let mut entry = Entry::new(ListedHandle { local: LocalHandle::new(directory, name), part: None }, kind);
    entry.size_hint = (kind == EntryKind::Regular).then_some(size);
    entry
}

/// Returns the finding of a file as that of a part of it.
fn of_part(found: Found<ListedHandle>, part: FilePart) -> Found<ListedHandle> {
    let failed = |mut path: Vec<u8>, error| {
        part.push(&mut path);
        Found::Failed(path, error)
    };
    match found {
        Found::Entry(entry) if entry.kind != EntryKind::Regular => {
            let error = FileError::new(ErrorKind::Other, "a file here has no size, so no part of it can be read");
            failed(entry.path(), error)
        }
        Found::Entry(mut entry) => {
            entry.handle.part = Some(Box::new(part));
            entry.size_hint = Some(part.length);
            Found::Entry(entry)
        }
        Found::Failed(path, error) => failed(path, error),
        found => found,
    }
}

/// The open directories that lead to the latest file, the outermost first: a walk comes back to them. One that could
/// not be opened has its error.
#[derive(Default)]
struct Levels(Vec<Level>);

/// The path of a directory, and the directory.
type Level = (Vec<u8>, Result<Arc<Directory>, Errno>);

impl Levels {
    /// Returns the directory of this path, which `open` opens if it is not open yet.
    fn get(
        &mut self,
        path: &[u8],
        open: impl FnOnce(&[u8]) -> Result<(Arc<Directory>, Option<OwnedFd>), Errno>,
    ) -> Result<Arc<Directory>, Errno> {
        let leads = |above: &[u8]| {
            path.strip_prefix(above).is_some_and(|rest| rest.is_empty() || above == b"/" || rest[0] == b'/')
        };
        while self.0.last().is_some_and(|(above, _)| !leads(above)) {
            self.0.pop();
        }
        if let Some((known, directory)) = self.0.last()
            && *known == path
        {
            return directory.clone();
        }
        // A descriptor beyond the budget is closed; the directory is opened again for each file then.
        let directory = open(path).map(|(directory, _)| directory);
        self.0.push((path.to_vec(), directory.clone()));
        directory
    }
}

impl Source for ListedFiles<'_> {
    type Handle = ListedHandle;
    type File = ListedFile;

    /// The first walk consumes what was listed.
    fn walk(&self, visit: &mut dyn FnMut(Found<ListedHandle>) -> bool) {
        let listed = self.listed.lock().unwrap_or_else(PoisonError::into_inner).take();
        let (mut levels, mut holder) = (Levels::default(), None);
        for one in listed.into_iter().flatten() {
            let found = match one {
                Listed::Skipped(path, reason) => Found::Skipped(path, reason),
                Listed::Failed(path, error) => Found::Failed(path, error),
                Listed::File { path, size, named, part } => {
                    let found = self.file(path, size, named, &mut levels, &mut holder);
                    match part {
                        Some(part) => of_part(found, part),
                        None => found,
                    }
                }
            };
            if !visit(found) {
                return;
            }
        }
    }

    fn open(&self, entry: &Entry<ListedHandle>) -> Result<ListedFile, FileError> {
        let ListedHandle { local, part } = &entry.handle;
        Ok(ListedFile { file: self.local.open_at(local, entry.kind)?, part: part.as_deref().copied() })
    }

    fn stamp(&self, entry: &Entry<ListedHandle>) -> Result<Stamp, FileError> {
        let ListedHandle { local, part } = &entry.handle;
        let stamp = self.local.stamp_at(local, entry.kind)?;
        Ok(part.as_deref().map_or(stamp, |part| part.stamp(stamp)))
    }

    fn physical_position(&self, entry: &Entry<ListedHandle>) -> Option<u64> {
        self.local.position_at(&entry.handle.local, entry.kind)
    }

    fn begin_thread(&self) {
        self.local.begin_thread();
    }

    fn is_direct(&self) -> bool {
        self.local.is_direct()
    }
}

/// Divides a path that a walk has displayed into that of the directory and the name. `None` if a walk would display it
/// otherwise.
pub(crate) fn walked(path: &[u8]) -> Option<(&[u8], &[u8])> {
    let slash = path.iter().rposition(|&byte| byte == b'/')?;
    let (parent, name) = (&path[..slash], &path[slash + 1..]);
    match parent {
        _ if name.is_empty() => None,
        b"" => Some((b"/", name)),
        parent if parent.ends_with(b"/") => None,
        parent => Some((parent, name)),
    }
}

impl Watch for ListedFiles<'_> {
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
