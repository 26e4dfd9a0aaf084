//! Directories of a destination: found or made, one name at a time, without following symbolic links.

use std::collections::VecDeque;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::sync::Arc;

use rustix::fs::{Mode, OFlags, mkdirat, openat};
use rustix::io::Errno;

use crate::survey::parent;

/// Most directories that stay open.
const OPEN_MAX: usize = 32;

/// Opens directories below a root. The latest one and the nearest above it stay open, so paths may have any length, and
/// neighbours cost nothing, however deep they are.
#[derive(Debug)]
pub(crate) struct Directories {
    root: Arc<OwnedFd>,
    /// The path of the latest one.
    path: Vec<u8>,
    /// It and the nearest above it, each with the length of its path.
    open: VecDeque<(usize, Arc<OwnedFd>)>,
}

const FLAGS: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

impl Directories {
    pub(crate) fn new(root: Arc<OwnedFd>) -> Directories {
        Directories { root, path: Vec::new(), open: VecDeque::new() }
    }

    /// Opens the directory of a path, and returns it with the last name of the path. Directories that are not there
    /// are made, for this user alone, if `make` says so.
    ///
    /// # Errors
    /// The errors of the system, with the name at which they occurred.
    pub(crate) fn of<'p>(&mut self, path: &'p [u8], make: bool) -> io::Result<(Arc<OwnedFd>, &'p [u8])> {
        let directory = parent(path);
        let name = if directory.is_empty() { path } else { &path[directory.len() + 1..] };
        let is_above = |end: usize| {
            let rest = directory.strip_prefix(&self.path[..end]);
            rest.is_some_and(|rest| rest.is_empty() || rest[0] == b'/')
        };
        while self.open.back().is_some_and(|(end, _)| !is_above(*end)) {
            self.open.pop_back();
        }
        self.path.clear();
        self.path.extend_from_slice(directory);
        let (mut at, mut current) = match self.open.back() {
            Some((end, directory)) => (*end, Arc::clone(directory)),
            None => (0, Arc::clone(&self.root)),
        };
        while at < directory.len() {
            let from = at + usize::from(directory[at] == b'/');
            at = directory[from..].iter().position(|&byte| byte == b'/').map_or(directory.len(), |end| from + end);
            current = Arc::new(open_or_make(&current, &directory[from..at], make)?);
            if self.open.len() == OPEN_MAX {
                self.open.pop_front();
            }
            self.open.push_back((at, Arc::clone(&current)));
        }
        Ok((current, name))
    }
}

fn open_or_make(directory: impl AsFd, name: &[u8], make: bool) -> io::Result<OwnedFd> {
    let open = || openat(&directory, name, FLAGS, Mode::empty());
    let opened = match open() {
        Err(Errno::NOENT) if make => match mkdirat(&directory, name, Mode::RWXU) {
            Ok(()) | Err(Errno::EXIST) => open(),
            Err(error) => Err(error),
        },
        opened => opened,
    };
    match opened {
        // A symbolic link is not followed, because it can lead out of the destination.
        Err(Errno::NOTDIR | Errno::LOOP) => Err(io::Error::new(
            io::ErrorKind::NotADirectory,
            format!("{} is in the way and is no directory", pfh_record::quote::quoted(name)),
        )),
        opened => Ok(opened?),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn directories_are_made_and_links_are_not_followed() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("outside")).unwrap();
        fs::create_dir(folder.path().join("root")).unwrap();
        std::os::unix::fs::symlink("../outside", folder.path().join("root/link")).unwrap();
        let root = fs::File::open(folder.path().join("root")).unwrap();
        let mut directories = Directories::new(Arc::new(root.into()));
        let deep = vec!["a name of forty bytes, more or less, is it"; 200].join("/");
        // In any order, also paths beyond the system's limit.
        for path in ["a/b/c", "a/bc/d", "a/b/e", "f", &deep, "a/b/c", &deep] {
            let (directory, name) = directories.of(path.as_bytes(), true).unwrap();
            assert_eq!(name, path.rsplit('/').next().unwrap().as_bytes());
            let flags = OFlags::CREATE | OFlags::WRONLY | OFlags::CLOEXEC;
            openat(&directory, name, flags, Mode::RUSR | Mode::WUSR).unwrap();
        }
        assert!(folder.path().join("root/a/b/e").is_file() && folder.path().join("root/a/bc/d").is_file());
        let refused = directories.of(b"link/x", true).unwrap_err();
        assert_eq!(refused.to_string(), "`link` is in the way and is no directory");
        assert_eq!(directories.of(b"none/x", false).unwrap_err().kind(), io::ErrorKind::NotFound);
        assert!(fs::read_dir(folder.path().join("outside")).unwrap().next().is_none());
    }

    #[test]
    fn the_latest_directory_and_the_nearest_above_it_stay_open_however_deep_they_are() {
        let folder = tempfile::tempdir().unwrap();
        let root = fs::File::open(folder.path()).unwrap();
        let mut directories = Directories::new(Arc::new(root.into()));
        let deepest = 100;
        let mut open = |depth: usize, make: bool| {
            let path = "d/".repeat(depth) + "file";
            let (directory, _) = directories.of(path.as_bytes(), make).unwrap();
            assert!(directories.open.len() <= OPEN_MAX);
            directory
        };
        let opened: Vec<_> = (0..=deepest).map(|depth| open(depth, true)).collect();
        for depth in (deepest + 1 - OPEN_MAX..=deepest).rev() {
            assert!(Arc::ptr_eq(&open(depth, false), &opened[depth]), "{depth}");
        }
        // Those further above were closed, and are opened from the root.
        let above = open(deepest - OPEN_MAX, false);
        assert!(!Arc::ptr_eq(&above, &opened[deepest - OPEN_MAX]));
        assert!(Arc::ptr_eq(&open(deepest - OPEN_MAX, false), &above));
    }
}
