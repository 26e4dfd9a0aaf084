//! The place of a file of `-o`, for commands whose input or other output it could replace.

use super::output::Output;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// The place at which a file of `-o` will appear.
pub(crate) struct OutputPlace {
    /// Its path, without symbolic links.
    path: PathBuf,
    /// Whether it will replace a file.
    pub(crate) replaces: bool,
}

impl OutputPlace {
    /// Returns the place of an output; `None` if it is a stream.
    pub(crate) fn of(output: &Output) -> Option<OutputPlace> {
        let target = output.target()?;
        let directory = target.parent().filter(|parent| *parent != Path::new("")).unwrap_or(Path::new("."));
        let path = fs::canonicalize(directory).ok()?.join(target.file_name()?);
        Some(OutputPlace { path, replaces: output.replaced().is_some() })
    }

    /// Whether it will replace this file.
    pub(crate) fn is(&self, file: &Path) -> bool {
        let own = identity(&self.path);
        own.is_some() && own == identity(file)
    }

    /// Returns the path below a directory, if it is in that.
    pub(crate) fn below(&self, directory: &Path) -> Option<&Path> {
        let directory = identity(directory)?;
        let above = self.path.ancestors().skip(1).find(|above| identity(above) == Some(directory))?;
        self.path.strip_prefix(above).ok()
    }
}

/// Returns the device and the inode of the file to which a path leads, if there is one.
pub(crate) fn identity(path: &Path) -> Option<(u64, u64)> {
    fs::metadata(path).ok().map(|found| (found.dev(), found.ino()))
}
