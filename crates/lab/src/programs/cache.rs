//! The state of the page cache before a run.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::Path;

use rustix::fs::{Advice, fadvise};

use super::watch::Watch;
use crate::data::check_room;

/// So much is read at once: less than a second of a device that gives a quarter of a megabyte in one.
const BUFFER_BYTES: usize = 128 << 10;

/// Makes the kernel forget the contents of all files below a folder; their names it may still know.
///
/// # Errors
/// When a folder cannot be listed, or a file cannot be opened.
pub(super) fn evict(folder: &Path, watch: &Watch) -> io::Result<()> {
    each_file(folder, watch, &mut |path| Ok(fadvise(&File::open(path)?, 0, None, Advice::DontNeed)?))
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
pub(super) fn fill(folder: &Path, watch: &Watch) -> io::Result<()> {
    let mut buffer = vec![0; BUFFER_BYTES];
    each_file(folder, watch, &mut |path| {
        let mut file = File::open(path)?;
        while file.read(&mut buffer)? > 0 {
            watch.step()?;
        }
        Ok(())
    })
}

/// Copies the regular files of a tree into an empty folder.
///
/// # Errors
/// When something cannot be read or written, or there is no room for all of it.
pub(super) fn copy(from: &Path, to: &Path, watch: &Watch) -> io::Result<()> {
    check_room(to, count(from, watch)?.bytes)?;
    let mut buffer = vec![0; BUFFER_BYTES];
    copy_tree(from, to, watch, &mut buffer)
}

fn copy_tree(from: &Path, to: &Path, watch: &Watch, buffer: &mut [u8]) -> io::Result<()> {
    watch.at(from)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let (kind, to) = (entry.file_type()?, to.join(entry.file_name()));
        if kind.is_dir() {
            fs::create_dir(&to)?;
            copy_tree(&entry.path(), &to, watch, buffer)?;
        } else if kind.is_file() {
            watch.at(&entry.path())?;
            let mut source = File::open(entry.path())?;
            // The path of an error is that of the copy where that cannot be written.
            let unwritten = |error| watch.at(&to).err().unwrap_or(error);
            let mut copy = File::create(&to).map_err(unwritten)?;
            loop {
                let length = source.read(buffer)?;
                if length == 0 {
                    break;
                }
                copy.write_all(&buffer[..length]).map_err(unwritten)?;
                watch.step()?;
            }
            copy.set_permissions(source.metadata()?.permissions()).map_err(unwritten)?;
        }
    }
    Ok(())
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
pub(super) fn count(folder: &Path, watch: &Watch) -> io::Result<Counts> {
    let mut counts = Counts::default();
    each_file(folder, watch, &mut |path| {
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
    each_file(folder, &Watch::default(), &mut |path| {
        files.push(path.to_owned());
        Ok(())
    })?;
    Ok(files)
}

fn each_file(folder: &Path, watch: &Watch, each: &mut dyn FnMut(&Path) -> io::Result<()>) -> io::Result<()> {
    watch.at(folder)?;
    let mut entries: Vec<fs::DirEntry> = fs::read_dir(folder)?.collect::<io::Result<_>>()?;
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let kind = entry.file_type()?;
        if kind.is_dir() {
            each_file(&entry.path(), watch, each)?;
        } else if kind.is_file() {
            watch.at(&entry.path())?;
            each(&entry.path())?;
        }
    }
    Ok(())
}
