//! The state of the page cache before a run.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

use rustix::fs::{Advice, fadvise};

/// Makes the kernel forget the contents of all files below a folder; their names it may still know.
///
/// # Errors
/// When a folder cannot be listed, or a file cannot be opened.
pub(super) fn evict(folder: &Path) -> io::Result<()> {
    each_file(folder, &mut |path| Ok(fadvise(&File::open(path)?, 0, None, Advice::DontNeed)?))
}

/// Makes the kernel forget all contents, names and inodes.
///
/// # Errors
/// When that is not permitted.
pub(super) fn drop_all() -> io::Result<()> {
    rustix::fs::sync();
    fs::write("/proc/sys/vm/drop_caches", "3")
}

/// Reads all files below a folder.
///
/// # Errors
/// When something cannot be read.
pub(super) fn fill(folder: &Path) -> io::Result<()> {
    let mut buffer = vec![0; 1 << 20];
    each_file(folder, &mut |path| {
        let mut file = File::open(path)?;
        while file.read(&mut buffer)? > 0 {}
        Ok(())
    })
}

/// Numbers of the regular files of a corpus.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    pub(crate) files: u64,
    pub(crate) bytes: u64,
    pub(crate) longest_bytes: u64,
}

/// Counts the regular files below a folder.
///
/// # Errors
/// When a folder cannot be listed.
pub(super) fn count(folder: &Path) -> io::Result<Counts> {
    let mut counts = Counts::default();
    each_file(folder, &mut |path| {
        let bytes = path.symlink_metadata()?.len();
        counts.files += 1;
        counts.bytes += bytes;
        counts.longest_bytes = counts.longest_bytes.max(bytes);
        Ok(())
    })?;
    Ok(counts)
}

/// The regular files below a folder, sorted by name in each folder.
#[cfg(test)]
pub(super) fn files(folder: &Path) -> io::Result<Vec<std::path::PathBuf>> {
    let mut files = Vec::new();
    each_file(folder, &mut |path| {
        files.push(path.to_owned());
        Ok(())
    })?;
    Ok(files)
}

fn each_file(folder: &Path, each: &mut dyn FnMut(&Path) -> io::Result<()>) -> io::Result<()> {
    let mut entries: Vec<fs::DirEntry> = fs::read_dir(folder)?.collect::<io::Result<_>>()?;
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let kind = entry.file_type()?;
        if kind.is_dir() {
            each_file(&entry.path(), each)?;
        } else if kind.is_file() {
            each(&entry.path())?;
        }
    }
    Ok(())
}
