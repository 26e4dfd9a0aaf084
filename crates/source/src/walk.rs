//! The walk: arguments in their order, and below a directory its names in byte order, each subdirectory at its place.
//!
//! There is one [`Level`] on the heap for each directory between the argument and the current one, so a deep tree costs
//! memory, never stack. A directory is opened from its parent's descriptor, so no path is too long.

use std::collections::VecDeque;
use std::io::{self, BufRead, Read};
use std::ops::ControlFlow;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::Arc;
use std::time::Instant;

use pfh_record::{FileIdentity, SkipReason};
use rustix::fs::{AtFlags, CWD, FileType, Stat, fstat, readlinkat, statat};
use rustix::io::{Errno, retry_on_intr};

use crate::ahead::{Ahead, Listed, Slot, WINDOW};
use crate::descriptor::Valid;
use crate::device::{Filesystem, Filesystems};
use crate::directory::{self, Directory, Identity, LocalHandle, Names, Opened};
use crate::filter::Filter;
use crate::limits::Budget;
use crate::listing::{Buffers, Item, Listing};
use crate::long_path;
use crate::options::{FileList, WalkOptions};
use crate::source::{Entry, EntryKind, Found, Other};
use crate::spent::Spent;

/// Longest path in a list; a longer one means that the list is damaged.
const LISTED_PATH_BYTES_MAX: u64 = 16 * 1024 * 1024;

/// The options of a walk, and the state that walks share.
#[derive(Debug)]
pub(crate) struct Scope {
    pub(crate) options: WalkOptions,
    pub(crate) filter: Filter,
    pub(crate) filesystems: Filesystems,
    pub(crate) budget: Arc<Budget>,
}

/// A finding of this walk.
pub(crate) type LocalFound = Found<LocalHandle>;

/// One walk over all files that the options name.
pub(crate) struct Walk<'a> {
    source: &'a Scope,
    /// Asked in each directory.
    goes_on: &'a dyn Fn() -> bool,
    visit: &'a mut dyn FnMut(LocalFound) -> bool,
    /// Whether the size of every regular file is needed.
    sizes: bool,
    buffers: Buffers,
    spent: Arc<Spent<Names>>,
    ahead: Ahead,
    levels: Vec<Level>,
    /// The directory of arguments on the filesystem used last; each filesystem has one.
    holder: Option<Arc<Directory>>,
    /// Makes the walk ignore the types that directories state.
    #[cfg(test)]
    unknown_types: bool,
}

/// A directory that is being walked.
struct Level {
    names: Arc<Names>,
    /// The places of the names, sorted.
    items: Vec<Item>,
    /// Its descriptor, if the budget did not allow the directory to keep one.
    descriptor: Option<OwnedFd>,
    next: usize,
    /// Subdirectories that are listed ahead, by index.
    ahead: VecDeque<(usize, Arc<Slot>)>,
    /// The index at which the search for further ones continues.
    ahead_next: usize,
}

impl Level {
    fn directory(&self) -> &Arc<Directory> {
        &self.names.directory
    }

    fn name(&self, item: &Item) -> &[u8] {
        &self.names.bytes[item.place()]
    }

    fn descriptor(&mut self) -> io::Result<BorrowedFd<'_>> {
        if self.descriptor.is_none() {
            match self.names.directory.descriptor()? {
                Valid::Borrowed(kept) => return Ok(kept),
                opened => self.descriptor = Some(opened.into_owned()?),
            }
        }
        self.descriptor.as_ref().map(AsFd::as_fd).ok_or_else(|| io::ErrorKind::NotFound.into())
    }
}

/// `Break` stops the walk at the caller's request.
type Flow = ControlFlow<()>;

impl<'a> Walk<'a> {
    pub(crate) fn new(
        source: &'a Scope,
        sizes: bool,
        goes_on: &'a dyn Fn() -> bool,
        visit: &'a mut dyn FnMut(LocalFound) -> bool,
    ) -> Self {
        Self {
            source,
            goes_on,
            visit,
            sizes,
            buffers: Buffers::new(),
            spent: Arc::new(Spent::new()),
            ahead: Ahead::new(source.budget.permits(), source.options.reading_threads),
            levels: Vec::new(),
            holder: None,
            #[cfg(test)]
            unknown_types: false,
        }
    }

    /// Walks the roots, then the list.
    pub(crate) fn run(mut self, list: Option<FileList>) {
        let source = self.source;
        for root in &source.options.roots {
            let is_input = source.options.reads_standard_input && root == b"-";
            let flow = if is_input { self.standard_input() } else { self.argument(root) };
            if flow.is_break() {
                return;
            }
        }
        if let Some(list) = list {
            // After this a break has nothing left to stop.
            let _ = self.list(list);
        }
    }

    fn list(&mut self, list: FileList) -> Flow {
        let (name, mut reader, separator) = list.into_parts();
        let mut path = Vec::new();
        loop {
            path.clear();
            if !reader.buffer().contains(&separator) {
                // The writer of the list may take long for the next path.
                self.visit(Found::Pause)?;
            }
            match reader.by_ref().take(LISTED_PATH_BYTES_MAX).read_until(separator, &mut path) {
                Ok(0) => return Flow::Continue(()),
                Ok(_) => {}
                Err(error) => return self.failed(name, error),
            }
            if path.last() == Some(&separator) {
                path.pop();
            } else if path.len() as u64 == LISTED_PATH_BYTES_MAX {
                let message = format!("a path in this list is longer than {LISTED_PATH_BYTES_MAX} bytes");
                return self.failed(name, io::Error::new(io::ErrorKind::InvalidData, message));
            }
            match path.as_slice() {
                b"" => {}
                b"-" => self.argument(b"./-")?,
                path => self.argument(path)?,
            }
        }
    }

    fn standard_input(&mut self) -> Flow {
        let stdin = io::stdin();
        match fstat(&stdin) {
            Ok(stat) => {
                let filesystem = self.source.filesystems.of(stat.st_dev, || Some(&stdin));
                self.named(b"-", EntryKind::Stream, &stat, filesystem)
            }
            Err(error) => self.failed(b"-".to_vec(), error.into()),
        }
    }

    fn argument(&mut self, path: &[u8]) -> Flow {
        let stat = match long_path::stat(path, AtFlags::empty()) {
            Ok(stat) => stat,
            Err(error) => return self.failed(path.to_vec(), error.into()),
        };
        let kind = match FileType::from_raw_mode(stat.st_mode) {
            FileType::Directory => return self.argument_directory(path),
            FileType::RegularFile => EntryKind::Regular,
            FileType::BlockDevice => EntryKind::BlockDevice,
            FileType::Fifo | FileType::CharacterDevice => EntryKind::Stream,
            _ => {
                let error = io::Error::new(
                    io::ErrorKind::Unsupported,
                    "a socket cannot be read; name a file, a directory or a FIFO",
                );
                return self.failed(path.to_vec(), error);
            }
        };
        let filesystem = if kind == EntryKind::BlockDevice {
            self.source.filesystems.of_block_device(stat.st_rdev)
        } else {
            self.source.filesystems.of_path(stat.st_dev, path)
        };
        if kind == EntryKind::Regular && !filesystem.pseudo {
            let name = path.rsplit(|&byte| byte == b'/').next().unwrap_or(path);
            let filter = &self.source.filter;
            if !filter.wants_file(name, || path.to_vec()) || !filter.wants_size(stat.st_size as u64) {
                return Flow::Continue(());
            }
        }
        self.named(path, kind, &stat, filesystem)
    }

    /// Visits an argument that is not a directory.
    fn named(&mut self, path: &[u8], kind: EntryKind, stat: &Stat, filesystem: Arc<Filesystem>) -> Flow {
        let kind = kind_on(&filesystem, kind);
        let holder = match self.holder.take() {
            Some(holder) if Arc::ptr_eq(holder.filesystem(), &filesystem) => holder,
            _ => Arc::new(Directory::of_arguments(filesystem)),
        };
        self.holder = Some(Arc::clone(&holder));
        self.visit(Found::Entry(Entry {
            identity_hint: identity_hint(&holder, stat.st_ino),
            handle: LocalHandle::new(&holder, path),
            kind,
            size_hint: (kind == EntryKind::Regular).then_some(stat.st_size as u64),
        }))
    }

    fn argument_directory(&mut self, path: &[u8]) -> Flow {
        if self.source.options.max_depth == Some(0) {
            return Flow::Continue(());
        }
        let start = Instant::now();
        let opened = directory::open(CWD, path, true).map_err(io::Error::from).and_then(|descriptor| {
            let identity = Identity::of(&fstat(&descriptor)?);
            let filesystem = self.source.filesystems.of(identity.device, || Some(&descriptor));
            Ok(Opened { descriptor, identity, filesystem })
        });
        match opened {
            Ok(opened) => {
                let (directory, descriptor) = Directory::argument(path, opened, &self.source.budget);
                self.enter(directory, descriptor, None, start)?;
                self.descend()
            }
            Err(error) => self.failed(path.to_vec(), error),
        }
    }

    /// Makes a directory the current level and lists it, unless it was listed ahead. Opening it began at `start`.
    fn enter(
        &mut self,
        directory: Arc<Directory>,
        descriptor: Option<OwnedFd>,
        listing: Option<Listing>,
        start: Instant,
    ) -> Flow {
        if !(self.goes_on)() {
            return Flow::Break(());
        }
        self.spent.free();
        // Only the innermost level may hold a descriptor that is not in the budget.
        if let Some(parent) = self.levels.last_mut() {
            parent.descriptor = None;
        }
        let (listing, outcome) = match listing {
            Some(listing) => (listing, Ok(())),
            None => {
                let opened = match &descriptor {
                    Some(opened) => Ok(Valid::Borrowed(opened.as_fd())),
                    None => directory.descriptor(),
                };
                let (listing, outcome) = match opened {
                    Ok(opened) => Listing::read(opened.as_fd(), &mut self.buffers, usize::MAX),
                    Err(error) => (Listing::default(), Err(error)),
                };
                self.ahead.took(start.elapsed(), listing.len());
                (listing, outcome)
            }
        };
        let is_empty = listing.len() == 0 && outcome.is_ok() && self.source.options.want_others;
        let empty = is_empty.then(|| Found::Other(directory.path(), Other::EmptyDirectory));
        let failed = outcome.err().map(|error| Found::Failed(directory.path(), error.into()));
        let (bytes, items) = listing.into_parts();
        let names = Arc::new(Names { directory, bytes, spent: Some(Arc::clone(&self.spent)) });
        self.levels.push(Level { names, items, descriptor, next: 0, ahead: VecDeque::new(), ahead_next: 0 });
        failed.or(empty).map_or(Flow::Continue(()), |found| self.visit(found))
    }

    /// Queues the next subdirectories of the current level for listing ahead, if that is useful, and takes the listing
    /// of the current one if there is one.
    fn listed_ahead(&mut self) -> Option<Listed> {
        let filter = &self.source.filter;
        let (level, outer) = self.levels.split_last_mut()?;
        let here = level.next - 1;
        let mut slot = None;
        while level.ahead.front().is_some_and(|(index, _)| *index <= here) {
            slot = level.ahead.pop_front();
        }
        if self.ahead.is_useful() {
            // The outermost levels need their listings last, so they lose them first.
            let mut held: usize = outer.iter().map(|level| level.ahead.len()).sum();
            for level in outer {
                if held + 2 * WINDOW <= self.ahead.slots_max() {
                    break;
                }
                held -= level.ahead.len();
                level.ahead.clear();
            }
            let names = Arc::clone(&level.names);
            let (mut indices, mut places) = (Vec::new(), Vec::new());
            level.ahead_next = level.ahead_next.max(level.next);
            let room = WINDOW - level.ahead.len();
            while room >= self.ahead.used_up()
                && places.len() < room
                && let Some(item) = level.items.get(level.ahead_next)
            {
                let name = &names.bytes[item.place()];
                if item.kind == FileType::Directory && filter.wants_directory(name, || names.directory.join(name)) {
                    indices.push(level.ahead_next);
                    places.push(item.place());
                }
                level.ahead_next += 1;
            }
            level.ahead.extend(indices.into_iter().zip(self.ahead.list(&names, places)));
        }
        slot.filter(|(index, _)| *index == here)?.1.take()
    }

    /// Walks the current level and all levels below it.
    fn descend(&mut self) -> Flow {
        while let Some(level) = self.levels.last_mut() {
            let Some(&item) = level.items.get(level.next) else {
                self.levels.pop();
                continue;
            };
            level.next += 1;
            #[cfg(test)]
            let item = if self.unknown_types { item.of_kind(FileType::Unknown) } else { item };
            if let flow @ Flow::Break(()) = self.item(&item) {
                self.levels.clear();
                return flow;
            }
        }
        Flow::Continue(())
    }

    /// Visits one name in the current directory.
    fn item(&mut self, item: &Item) -> Flow {
        match item.kind {
            FileType::RegularFile => self.file(item, None),
            FileType::Directory => self.subdirectory(item, false),
            FileType::Symlink => self.link(item),
            FileType::Unknown => match self.stat(item, false) {
                Ok(stat) => {
                    let kind = FileType::from_raw_mode(stat.st_mode);
                    match kind {
                        FileType::Unknown => self.not_regular(item),
                        kind => self.item(&item.of_kind(kind)),
                    }
                }
                Err(error) => self.failed(self.path(item), error),
            },
            _ => self.not_regular(item),
        }
    }

    fn link(&mut self, item: &Item) -> Flow {
        let options = &self.source.options;
        if !options.follow_files && !options.follow_directories {
            return self.not_followed(item);
        }
        match self.stat(item, true) {
            Ok(stat) => match FileType::from_raw_mode(stat.st_mode) {
                FileType::Directory if options.follow_directories => self.subdirectory(item, true),
                FileType::RegularFile if options.follow_files => self.file(item, Some(stat)),
                FileType::Directory | FileType::RegularFile => self.not_followed(item),
                _ if options.follow_files => self.not_regular(item),
                _ => self.not_followed(item),
            },
            Err(error) if options.follow_files => self.failed(self.path(item), error),
            Err(_) => self.not_followed(item),
        }
    }

    /// Visits a symbolic link as such, if the caller wants to know it.
    fn not_followed(&mut self, item: &Item) -> Flow {
        if !self.source.options.want_others {
            return Flow::Continue(());
        }
        if !self.wants(item) {
            return self.left_out(item);
        }
        match self.target(item) {
            Ok(target) => self.other(item, Other::Link(target)),
            Err(error) => self.failed(self.path(item), error),
        }
    }

    fn target(&mut self, item: &Item) -> io::Result<Vec<u8>> {
        let level = self.levels.last_mut().ok_or(Errno::NOENT)?;
        let name = level.name(item).to_vec();
        let start = level.descriptor()?;
        Ok(retry_on_intr(|| readlinkat(start, name.as_slice(), Vec::new()))?.into_bytes())
    }

    /// Visits a regular file; `stat` is given if it is known already.
    fn file(&mut self, item: &Item, mut stat: Option<Stat>) -> Flow {
        if !self.wants(item) {
            return self.left_out(item);
        }
        let filter = &self.source.filter;
        if stat.is_none() && (self.sizes || filter.needs_size()) {
            match self.stat(item, false) {
                Ok(found) => stat = Some(found),
                Err(error) => return self.failed(self.path(item), error),
            }
        }
        let size_hint = stat.map(|stat| stat.st_size as u64);
        if size_hint.is_some_and(|size| !filter.wants_size(size)) {
            return self.left_out(item);
        }
        let Some(level) = self.levels.last() else { return Flow::Continue(()) };
        let kind = kind_on(level.directory().filesystem(), EntryKind::Regular);
        let identity_hint = match stat {
            Some(stat) => Some(FileIdentity::new(stat.st_dev, stat.st_ino)),
            None => identity_hint(level.directory(), item.inode),
        };
        let handle = LocalHandle::of(&level.names, item.place());
        self.visit(Found::Entry(Entry { handle, kind, identity_hint, size_hint }))
    }

    fn not_regular(&mut self, item: &Item) -> Flow {
        if self.wants(item) { self.skipped(item, SkipReason::NotRegular) } else { self.left_out(item) }
    }

    fn subdirectory(&mut self, item: &Item, follow: bool) -> Flow {
        let source = self.source;
        let depth = self.levels.len();
        let Some(level) = self.levels.last() else { return Flow::Continue(()) };
        let parent = Arc::clone(level.directory());
        let filter = &source.filter;
        if source.options.max_depth.is_some_and(|max| depth >= max)
            || !filter.wants_directory(level.name(item), || parent.join(level.name(item)))
        {
            return self.left_out(item);
        }
        let name = level.name(item).to_vec();
        let start = Instant::now();
        let (opened, listing) = match self.listed_ahead() {
            Some(listed) => {
                let filesystem = Arc::clone(parent.filesystem());
                (
                    Ok(Opened { descriptor: listed.descriptor, identity: listed.identity, filesystem }),
                    Some(listed.listing),
                )
            }
            None => (self.open_subdirectory(&parent, &name, follow), None),
        };
        let opened = match opened {
            Ok(opened) => opened,
            Err(error) => return self.failed(parent.join(&name), error),
        };
        if !Arc::ptr_eq(&opened.filesystem, parent.filesystem())
            && (opened.filesystem.pseudo || source.options.one_file_system)
        {
            return self.left_out(item);
        }
        if self.levels.iter().any(|level| level.directory().identity() == Some(opened.identity)) {
            return self.skipped(item, SkipReason::Loop);
        }
        let (directory, descriptor) = parent.child(&name, opened, &source.budget);
        self.enter(directory, descriptor, listing, start)
    }

    fn open_subdirectory(&mut self, parent: &Directory, name: &[u8], follow: bool) -> io::Result<Opened> {
        let level = self.levels.last_mut().ok_or(Errno::NOENT)?;
        let descriptor = directory::open(level.descriptor()?, name, follow)?;
        let identity = Identity::of(&fstat(&descriptor)?);
        let filesystem = if Some(identity.device) == parent.identity().map(|parent| parent.device) {
            Arc::clone(parent.filesystem())
        } else {
            self.source.filesystems.of(identity.device, || Some(&descriptor))
        };
        Ok(Opened { descriptor, identity, filesystem })
    }

    fn wants(&self, item: &Item) -> bool {
        self.levels.last().is_some_and(|level| {
            let name = level.name(item);
            self.source.filter.wants_file(name, || level.directory().join(name))
        })
    }

    fn stat(&mut self, item: &Item, follow: bool) -> io::Result<Stat> {
        let level = self.levels.last_mut().ok_or(Errno::NOENT)?;
        let name = level.name(item).to_vec();
        let flags = if follow { AtFlags::empty() } else { AtFlags::SYMLINK_NOFOLLOW };
        let start = level.descriptor()?;
        Ok(retry_on_intr(|| statat(start, name.as_slice(), flags))?)
    }

    fn path(&self, item: &Item) -> Vec<u8> {
        self.levels.last().map(|level| level.directory().join(level.name(item))).unwrap_or_default()
    }

    /// Visits what the options leave out, if the caller wants to know it.
    fn left_out(&mut self, item: &Item) -> Flow {
        self.other(item, Other::LeftOut)
    }

    fn other(&mut self, item: &Item, other: Other) -> Flow {
        if !self.source.options.want_others {
            return Flow::Continue(());
        }
        let path = self.path(item);
        self.visit(Found::Other(path, other))
    }

    fn skipped(&mut self, item: &Item, reason: SkipReason) -> Flow {
        let path = self.path(item);
        self.visit(Found::Skipped(path, reason))
    }

    fn failed(&mut self, path: Vec<u8>, error: io::Error) -> Flow {
        self.visit(Found::Failed(path, error.into()))
    }

    fn visit(&mut self, found: LocalFound) -> Flow {
        if (self.visit)(found) { Flow::Continue(()) } else { Flow::Break(()) }
    }
}

impl Drop for Walk<'_> {
    fn drop(&mut self) {
        self.spent.end();
    }
}

/// Returns the kind as which a file is read: the stated size of a pseudo file is meaningless.
pub(crate) fn kind_on(filesystem: &Filesystem, kind: EntryKind) -> EntryKind {
    if kind == EntryKind::Regular && filesystem.pseudo { EntryKind::Stream } else { kind }
}

fn identity_hint(directory: &Directory, inode: u64) -> Option<FileIdentity> {
    (inode != 0).then(|| FileIdentity::new(directory.device().number, inode))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::ffi::OsStrExt;
    use std::os::unix::fs::symlink;

    use super::*;
    use crate::local::LocalSource;

    fn walked(source: &LocalSource, prepare: impl FnOnce(&mut Walk<'_>)) -> Vec<(Vec<u8>, bool, &'static str)> {
        let mut found = Vec::new();
        let mut visit = |item: LocalFound| {
            found.push(match item {
                Found::Entry(entry) => (entry.path(), entry.identity_hint.is_some(), "entry"),
                Found::Skipped(path, _) => (path, true, "skipped"),
                Found::Failed(path, _) => (path, true, "failed"),
                Found::Other(path, _) => (path, true, "other"),
                Found::Pause => unreachable!("there is no list"),
            });
            true
        };
        let mut walk = Walk::new(&source.scope, false, &|| true, &mut visit);
        prepare(&mut walk);
        walk.run(None);
        found
    }

    fn source(root: &std::path::Path, options: WalkOptions) -> LocalSource {
        let roots = vec![root.as_os_str().as_bytes().to_vec()];
        LocalSource::new(WalkOptions { roots, ..options }).unwrap()
    }

    #[test]
    fn listing_ahead_changes_nothing() {
        let root = tempfile::tempdir().unwrap();
        for path in (0..1000).map(|number| format!("{:02}/{:02}/{}", number / 40, number / 2 % 20, number % 2)) {
            fs::create_dir_all(root.path().join(&path)).unwrap();
            fs::write(root.path().join(&path).join("file"), "").unwrap();
        }
        symlink(".", root.path().join("07/loop")).unwrap();
        let options = || WalkOptions { follow_directories: true, exclude: vec!["13".into()], ..WalkOptions::default() };
        let expected = walked(&source(root.path(), options()), |_| ());
        assert!(expected.len() > 900 && expected.iter().any(|found| found.2 == "skipped"));
        for slots_max in [2 * WINDOW, 256] {
            for budget in [0, 5, 10_000] {
                let mut source = source(root.path(), options());
                source.scope.budget = crate::limits::Budget::new(budget);
                let found = walked(&source, |walk| walk.ahead = Ahead::eager(slots_max));
                assert!(found == expected, "{slots_max} slots, {budget} kept directories");
            }
        }
        // Stopped in the middle, the walk ends its helpers.
        let source = source(root.path(), options());
        let mut count = 0;
        let mut visit = |_: LocalFound| {
            count += 1;
            count < 100
        };
        let mut walk = Walk::new(&source.scope, false, &|| true, &mut visit);
        walk.ahead = Ahead::eager(256);
        walk.run(None);
        assert_eq!(count, 100);
    }

    /// Some filesystems do not state types in directories; asking for each must have the same result.
    #[test]
    fn names_without_a_type_are_looked_at() {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir_all(root.path().join("d/e")).unwrap();
        fs::write(root.path().join("d/e/file"), "").unwrap();
        fs::write(root.path().join("file"), "").unwrap();
        symlink("file", root.path().join("link")).unwrap();
        drop(std::os::unix::net::UnixListener::bind(root.path().join("socket")).unwrap());
        let source = source(root.path(), WalkOptions { follow_files: true, ..WalkOptions::default() });
        let expected = walked(&source, |_| ());
        assert_eq!(expected.len(), 4);
        assert_eq!(walked(&source, |walk| walk.unknown_types = true), expected);
    }
}
