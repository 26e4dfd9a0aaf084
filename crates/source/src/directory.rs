//! The directories of a walk: displayed path, device, and a descriptor as long as the budget allows one.

use std::io;
use std::ops::Range;
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::sync::{Arc, OnceLock};

use rustix::fs::{CWD, Mode, OFlags, openat};
use rustix::io::retry_on_intr;

use crate::descriptor::{self, Descriptor, Valid};
use crate::device::{Device, Filesystem};
use crate::limits::{Budget, Permit};
use crate::long_path;
use crate::source::Handle;
use crate::spent::Spent;

/// Longest piece of a path kept in one [`Directory`]. With a name of 255 bytes after it, it stays below `PATH_MAX`
/// (4096), and a chain of 10,000 directories holds at most 20 MB of paths.
const PIECE_BYTES_MAX: usize = 2048;

/// Flags for opening directories, for listing and as the start of `openat`.
const FLAGS: OFlags =
    OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC).union(OFlags::NOCTTY).union(OFlags::NONBLOCK);

/// Flags by which a thread with a descriptor table of its own opens a directory that is kept open in another: it only
/// resolves names there.
const COPY_FLAGS: OFlags = OFlags::PATH.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);

/// The handle of a local file: a name in a directory.
#[derive(Debug)]
pub struct LocalHandle {
    names: Arc<Names>,
    /// The place of the name.
    offset: usize,
    length: usize,
}

/// A directory, and names in it, one after the other. All handles of a listing share them: the thread that is done with
/// a handle is not the one that made it, and returning a piece of memory for each name to the thread that took it would
/// make them wait for each other.
#[derive(Debug)]
pub(crate) struct Names {
    pub(crate) directory: Arc<Directory>,
    /// In raw bytes. For an argument: the argument as typed, in a directory with an empty path.
    pub(crate) bytes: Vec<u8>,
    /// The way back to the walk; `None` for a single name.
    pub(crate) spent: Option<Arc<Spent<Names>>>,
}

impl LocalHandle {
    /// Makes the handle of one name.
    pub(crate) fn new(directory: &Arc<Directory>, name: &[u8]) -> LocalHandle {
        let names = Arc::new(Names { directory: Arc::clone(directory), bytes: name.to_vec(), spent: None });
        LocalHandle { names, offset: 0, length: name.len() }
    }

    /// Makes the handle of the name at this place.
    pub(crate) fn of(names: &Arc<Names>, place: Range<usize>) -> LocalHandle {
        LocalHandle { names: Arc::clone(names), offset: place.start, length: place.len() }
    }

    pub(crate) fn directory(&self) -> &Arc<Directory> {
        &self.names.directory
    }

    pub(crate) fn name(&self) -> &[u8] {
        &self.names.bytes[self.offset..self.offset + self.length]
    }

    /// Whether the user named this path, as an argument or in a list of paths; a symbolic link there is followed.
    pub fn is_named(&self) -> bool {
        self.directory().holds_arguments()
    }
}

/// The last handle of a listing gives the names back to the walk. If two handles end at the same time, neither may be
/// the last, and the names are freed here.
impl Drop for LocalHandle {
    fn drop(&mut self) {
        if let Some(spent) = &self.names.spent
            && Arc::strong_count(&self.names) == 1
        {
            spent.give_back(&self.names);
        }
    }
}

impl Handle for LocalHandle {
    fn path(&self) -> Vec<u8> {
        self.directory().join(self.name())
    }

    fn path_bytes(&self) -> usize {
        self.directory().prefix_bytes() + self.length
    }

    fn device(&self) -> &Arc<Device> {
        self.directory().device()
    }
}

/// A directory of the walk. It keeps a descriptor open while the budget for descriptors allows it.
#[derive(Debug)]
pub(crate) struct Directory {
    /// The directory before `piece`; `None` if `piece` begins at the argument.
    base: Option<Arc<Directory>>,
    /// The displayed path after `base`, with the slash that joins a name. The directory is opened by the same path.
    piece: Box<[u8]>,
    filesystem: Arc<Filesystem>,
    /// `None` for the holder of the arguments.
    place: Option<Place>,
}

/// The identity of a directory, and its descriptor.
#[derive(Debug)]
struct Place {
    identity: Identity,
    kept: OnceLock<(Descriptor, Permit)>,
    budget: Arc<Budget>,
}

/// Device and inode number: equal for the same directory, whatever path leads to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Identity {
    pub(crate) device: u64,
    pub(crate) inode: u64,
}

impl Directory {
    /// Makes the holder of arguments on one filesystem.
    pub(crate) fn of_arguments(filesystem: Arc<Filesystem>) -> Self {
        Self { base: None, piece: Box::default(), filesystem, place: None }
    }

    /// Makes a directory named as an argument.
    pub(crate) fn argument(path: &[u8], opened: Opened, budget: &Arc<Budget>) -> (Arc<Self>, Option<OwnedFd>) {
        let shown = path.iter().rposition(|&byte| byte != b'/').map_or(&b"/"[..], |last| &path[..=last]);
        Self::placed(None, with_slash(shown), opened, budget)
    }

    /// Makes the directory `name` in this one. A descriptor without permit is returned.
    pub(crate) fn child(
        self: &Arc<Self>,
        name: &[u8],
        opened: Opened,
        budget: &Arc<Budget>,
    ) -> (Arc<Self>, Option<OwnedFd>) {
        if self.piece.len() + name.len() < PIECE_BYTES_MAX {
            let piece = [&self.piece, name, b"/"].concat().into_boxed_slice();
            Self::placed(self.base.clone(), piece, opened, budget)
        } else {
            Self::placed(Some(Arc::clone(self)), with_slash(name), opened, budget)
        }
    }

    fn placed(
        base: Option<Arc<Self>>,
        piece: Box<[u8]>,
        opened: Opened,
        budget: &Arc<Budget>,
    ) -> (Arc<Self>, Option<OwnedFd>) {
        let kept = OnceLock::new();
        let left = match budget.take() {
            Some(permit) => {
                let _ = kept.set((Descriptor::new(opened.descriptor, Some(COPY_FLAGS)), permit));
                None
            }
            None => Some(opened.descriptor),
        };
        let place = Some(Place { identity: opened.identity, kept, budget: Arc::clone(budget) });
        (Arc::new(Self { base, piece, filesystem: opened.filesystem, place }), left)
    }

    /// Returns the displayed path in raw bytes: as the user named it and the walk extended it, without trailing slash
    /// except for `/` itself. It is empty for the holder of arguments, and assembled on each call.
    pub(crate) fn path(&self) -> Vec<u8> {
        let mut path = self.join(b"");
        if path.len() > 1 {
            path.pop();
        }
        path
    }

    /// Returns the displayed path of `name` in this directory.
    pub(crate) fn join(&self, name: &[u8]) -> Vec<u8> {
        let mut path = vec![0; self.prefix_bytes() + name.len()];
        let mut end = path.len() - name.len();
        path[end..].copy_from_slice(name);
        for link in self.chain() {
            let start = end - link.piece.len();
            path[start..end].copy_from_slice(&link.piece);
            end = start;
        }
        path
    }

    /// Returns the length of the path before a name, with the slash, in bytes.
    pub(crate) fn prefix_bytes(&self) -> usize {
        self.chain().map(|link| link.piece.len()).sum()
    }

    /// Iterates over this directory and its bases, up to the argument.
    fn chain(&self) -> impl Iterator<Item = &Self> {
        std::iter::successors(Some(self), |link| link.base.as_deref())
    }

    /// Returns the device of the directory.
    pub(crate) fn device(&self) -> &Arc<Device> {
        &self.filesystem.device
    }

    pub(crate) fn filesystem(&self) -> &Arc<Filesystem> {
        &self.filesystem
    }

    /// Returns the descriptor if it is kept, as the calling thread reaches it.
    /// # Errors
    /// As for [`Descriptor::here_if`].
    pub(crate) fn kept(&self) -> Option<io::Result<Valid<'_>>> {
        let place = self.place.as_ref()?;
        let (kept, _) = place.kept.get()?;
        Some(kept.here_if(|copy| Ok(Identity::of(&rustix::fs::fstat(copy)?) == place.identity)))
    }

    /// Whether its names are arguments as typed.
    pub(crate) fn holds_arguments(&self) -> bool {
        self.place.is_none()
    }

    pub(crate) fn identity(&self) -> Option<Identity> {
        self.place.as_ref().map(|place| place.identity)
    }

    /// Returns a descriptor to resolve names in this directory: the kept one, or one opened again by path.
    /// # Errors
    /// The errors of the system; `NotFound` if the path now leads to another directory.
    pub(crate) fn descriptor(&self) -> io::Result<Valid<'_>> {
        let Some(place) = &self.place else { return Ok(Valid::Borrowed(CWD)) };
        if let Some(kept) = self.kept() {
            return kept;
        }
        let opened = self.open_again()?;
        if Identity::of(&rustix::fs::fstat(&opened)?) != place.identity {
            return Err(io::Error::new(io::ErrorKind::NotFound, "the directory was replaced after it was listed"));
        }
        // Others could not open what a thread keeps in a table of its own once that thread has ended.
        let permit = if descriptor::has_own_table() { None } else { place.budget.take() };
        let Some(permit) = permit else { return Ok(Valid::Owned(opened)) };
        // If another thread was faster, its descriptor is kept.
        let _ = place.kept.set((Descriptor::new(opened, Some(COPY_FLAGS)), permit));
        self.descriptor()
    }

    fn open_again(&self) -> io::Result<OwnedFd> {
        let mut closed = Vec::new();
        let mut current = Valid::Borrowed(CWD);
        for link in self.chain() {
            if let Some(kept) = link.kept() {
                current = kept?;
                break;
            }
            closed.push(link);
        }
        for link in closed.into_iter().rev() {
            current = Valid::Owned(open(current.as_fd(), &link.piece, true)?);
        }
        current.into_owned() // another thread may have kept it meanwhile
    }
}

/// Drops the chain of bases, which is as long as the tree is deep, in a loop instead of by recursion.
impl Drop for Directory {
    fn drop(&mut self) {
        let mut next = self.base.take();
        while let Some(mut last) = next.and_then(Arc::into_inner) {
            next = last.base.take();
        }
    }
}

impl Identity {
    pub(crate) fn of(stat: &rustix::fs::Stat) -> Self {
        Self { device: stat.st_dev, inode: stat.st_ino }
    }
}

/// A directory just opened.
pub(crate) struct Opened {
    pub(crate) descriptor: OwnedFd,
    pub(crate) identity: Identity,
    pub(crate) filesystem: Arc<Filesystem>,
}

/// Opens a directory for listing.
pub(crate) fn open(start: BorrowedFd<'_>, path: &[u8], follow: bool) -> Result<OwnedFd, rustix::io::Errno> {
    let flags = if follow { FLAGS } else { FLAGS | OFlags::NOFOLLOW };
    let resolved = long_path::resolve(start, path)?;
    retry_on_intr(|| openat(&resolved, resolved.rest, flags, Mode::empty()))
}

/// Returns `path` with the slash that joins a name.
fn with_slash(path: &[u8]) -> Box<[u8]> {
    let slash: &[u8] = if path.is_empty() || path.ends_with(b"/") { b"" } else { b"/" };
    [path, slash].concat().into_boxed_slice()
}
