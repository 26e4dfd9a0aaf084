//! The paths of expected files that are there, for runs that look for no others.

use crate::expected::Expected;
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
    /// The latest directory, and whether it is below the root.
    directory: PathBuf,
    is_directory_below: bool,
}

/// Whether a path, with all symbolic links followed, is below a directory without such links.
fn leads_below(path: &Path, canonical: &Path) -> bool {
    fs::canonicalize(path).is_ok_and(|path| path.starts_with(canonical))
}

impl PathsBelow {
    /// Begins with the first expected file.
    pub fn new(expected: Expected, root: &Root) -> PathsBelow {
        let (root, canonical) = (root.path.clone(), root.canonical.clone());
        PathsBelow { expected, root, canonical, directory: PathBuf::new(), is_directory_below: false }
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
        match fs::symlink_metadata(path).map(|metadata| metadata.file_type()) {
            Ok(kind) if kind.is_file() => {
                let directory = path.parent().unwrap_or(path);
                if self.directory != directory {
                    directory.clone_into(&mut self.directory);
                    self.is_directory_below = leads_below(directory, &self.canonical);
                }
                self.is_directory_below
            }
            Ok(kind) if kind.is_symlink() => {
                fs::metadata(path).is_ok_and(|metadata| metadata.is_file()) && leads_below(path, &self.canonical)
            }
            _ => false,
        }
    }
}
