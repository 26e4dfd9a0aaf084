//! The paths of expected files that are there, for runs that look for no others.

use crate::expected::Expected;
use crate::kind::{Kind, kind_of};
use crate::root::Root;
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

/// The paths of expected files: only those of files that are below the root.
pub struct PathsBelow {
    expected: Expected,
    root: PathBuf,
    canonical: PathBuf,
    /// The directory that has all expected files, without symbolic links: those that lead to it may leave the root.
    top: PathBuf,
    /// Whether devices are read as files are, as if each had been named.
    takes_devices: bool,
    /// The latest directory, and whether it is below the root.
    directory: PathBuf,
    is_directory_below: bool,
}

impl PathsBelow {
    /// Begins with the first expected file.
    pub fn new(expected: Expected, root: &Root) -> PathsBelow {
        // Below a named root, as in an image that is mounted, a node would lead to a device of this machine.
        let takes_devices = !root.is_named;
        let top = root.top(expected.common_directory()).and_then(|top| fs::canonicalize(&top).map_err(|_| top));
        let (root, canonical) = (root.path.clone(), root.canonical.clone());
        let top = top.unwrap_or_else(|_| canonical.clone());
        PathsBelow {
            expected,
            root,
            canonical,
            top,
            takes_devices,
            directory: PathBuf::new(),
            is_directory_below: false,
        }
    }

    /// Returns the path of the next expected file that is there, which begins with that of the root.
    ///
    /// # Errors
    /// If a temporary file cannot be read.
    pub fn next_path(&mut self) -> io::Result<Option<Vec<u8>>> {
        while let Some(one) = self.expected.next_file()? {
            let path = self.root.join(OsStr::from_bytes(&one.file.path));
            if self.is_below(&path) {
                return Ok(Some(path.into_os_string().into_vec()));
            }
        }
        Ok(None)
    }

    /// Whether a path leads to a file below the root. Symbolic links are followed, as for paths of the command line.
    fn is_below(&mut self, path: &Path) -> bool {
        let takes_devices = self.takes_devices;
        let is_file = |kind: Kind| kind == Kind::File || (takes_devices && kind == Kind::BlockDevice);
        match kind_of(path, false) {
            Ok(kind) if is_file(kind) => {
                let directory = path.parent().unwrap_or(path);
                if self.directory != directory {
                    directory.clone_into(&mut self.directory);
                    self.is_directory_below = self.leads_below(directory);
                }
                self.is_directory_below
            }
            Ok(Kind::Link) => kind_of(path, true).is_ok_and(is_file) && self.leads_below(path),
            _ => false,
        }
    }

    /// Whether a path, with all symbolic links followed, is below the root.
    fn leads_below(&self, path: &Path) -> bool {
        match fs::canonicalize(path) {
            Ok(path) => path.starts_with(&self.canonical) || path.starts_with(&self.top),
            // It is too long for one call of the system. If it has directories only, no link leads out of the root.
            Err(error) if error.kind() == io::ErrorKind::InvalidFilename => {
                let mut parts = path.ancestors().take_while(|part| *part != self.root);
                parts.all(|part| kind_of(part, false).is_ok_and(|kind| kind == Kind::Directory))
            }
            Err(_) => false,
        }
    }
}
