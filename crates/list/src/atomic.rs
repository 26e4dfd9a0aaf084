//! Files that appear under their name whole or not at all.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Seek, Write};
use std::os::fd::AsRawFd;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt, fchown};
use std::path::{Path, PathBuf};

use pfh_record::FileIdentity;
use rustix::fs::{Access, AtFlags, CWD, OFlags, access, linkat};
use rustix::io::Errno;
use tempfile::TempPath;

const BUFFER_BYTES: usize = 256 << 10;

/// A file that takes its name only when it is whole: [`AtomicFile::persist`]. Dropped before that, nothing is left of
/// it, and a file that has the name already stays as it was.
///
/// Until then it has no name at all where the filesystem permits that, and otherwise one that begins with `.pfh-`
/// beside the target.
#[derive(Debug)]
pub struct AtomicFile {
    writer: BufWriter<File>,
    temporary: Temporary,
    target: PathBuf,
    replaces: bool,
    /// Why the new file does not have the owner and the mode of the old one.
    not_kept: Option<io::Error>,
}

/// Where a file is until it gets its name.
#[derive(Debug)]
enum Temporary {
    /// It has none: nothing stays, however the program ends.
    Unnamed,
    /// Where the filesystem has no unnamed files; it goes with this value.
    Named(TempPath),
}

impl AtomicFile {
    /// Begins a file that is to be called `target`. A symbolic link is followed. Mode and owner of a file that is there
    /// are kept, as far as that is permitted: see [`AtomicFile::not_kept`].
    ///
    /// # Errors
    /// Where the directory, or the file that is there, may not be written.
    pub fn create(target: &Path) -> io::Result<AtomicFile> {
        let existing = fs::metadata(target).ok();
        let target = followed(target)?;
        let directory = directory_of(&target);
        // Asked beforehand, so that the message does not speak of a temporary file.
        access(directory, Access::WRITE_OK | Access::EXEC_OK)?;
        if existing.is_some() {
            // Renaming would replace a list that its owner has protected from writing.
            access(&target, Access::WRITE_OK)?;
        }
        let (file, temporary) = temporary_in(directory)?;
        let not_kept = existing.as_ref().and_then(|existing| keep_owner_and_mode(&file, existing).err());
        let writer = BufWriter::with_capacity(BUFFER_BYTES, file);
        Ok(AtomicFile { writer, temporary, target, replaces: existing.is_some(), not_kept })
    }

    /// Why the new file will not have the owner or the mode of the one that it replaces; absent where it will.
    pub fn not_kept(&self) -> Option<&io::Error> {
        self.not_kept.as_ref()
    }

    /// The name that it will have, with symbolic links followed.
    pub fn target(&self) -> &Path {
        &self.target
    }

    /// Whether there was a file of this name.
    pub fn replaces(&self) -> bool {
        self.replaces
    }

    /// Device and inode of this file, and of the one that it replaces.
    pub fn identities(&self) -> Vec<FileIdentity> {
        let both = self.writer.get_ref().metadata().into_iter().chain(fs::metadata(&self.target));
        both.map(|metadata| FileIdentity::new(metadata.dev(), metadata.ino())).collect()
    }

    /// Ends the file, and gives it its name after its bytes have reached the disk.
    ///
    /// # Errors
    /// Where it cannot be written or named; nothing is left of it then.
    pub fn persist(self) -> io::Result<()> {
        let target = self.target.clone();
        self.persist_as(&target)
    }

    /// As [`AtomicFile::persist`], under another name in the same directory.
    ///
    /// # Errors
    /// Where it cannot be written or named.
    pub fn persist_as(self, target: &Path) -> io::Result<()> {
        let file = self.writer.into_inner().map_err(io::IntoInnerError::into_error)?;
        file.sync_all()?;
        match self.temporary {
            Temporary::Named(path) => path.persist(target).map_err(|error| error.error),
            Temporary::Unnamed => give_name(file, target),
        }
    }

    /// Gives the file up, without writing what is still in the buffer.
    pub fn discard(self) {
        drop(self.writer.into_parts());
    }
}

impl Write for AtomicFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.writer.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.writer.flush()
    }
}

/// Links that lead to one another without end are as many for the system, too.
const LINKS_MAX: usize = 40;

/// Where a name leads to, whether or not there is something.
fn followed(path: &Path) -> io::Result<PathBuf> {
    let mut path = path.to_owned();
    for _ in 0..LINKS_MAX {
        match fs::read_link(&path) {
            // (Joining an absolute path gives that path.)
            Ok(leads) => path = directory_of(&path).join(leads),
            Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::InvalidInput) => {
                return Ok(path);
            }
            Err(error) => return Err(error),
        }
    }
    Err(Errno::LOOP.into())
}

fn directory_of(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

/// How the temporary files are called that have a name.
const PREFIX: &str = ".pfh-";

/// An empty file on the filesystem of a directory: without a name where that is possible, so that nothing can be left
/// behind. As for an ordinary new file, the user's umask decides on its mode.
fn temporary_in(directory: &Path) -> io::Result<(File, Temporary)> {
    let mut unnamed = OpenOptions::new();
    unnamed.read(true).write(true).mode(0o666).custom_flags(OFlags::TMPFILE.bits().cast_signed());
    if let Ok(file) = unnamed.open(directory)
        && descriptor_path(&file).exists()
    {
        return Ok((file, Temporary::Unnamed));
    }
    let (file, path) = named_in(directory)?;
    Ok((file, Temporary::Named(path)))
}

fn named_in(directory: &Path) -> io::Result<(File, TempPath)> {
    let permissions = fs::Permissions::from_mode(0o666);
    let file = tempfile::Builder::new().prefix(PREFIX).permissions(permissions).tempfile_in(directory)?;
    // In parts: errors in writing the whole would speak of the temporary file.
    Ok(file.into_parts())
}

/// The name by which the system knows an open file; it needs a mounted /proc.
fn descriptor_path(file: &File) -> PathBuf {
    PathBuf::from(format!("/proc/self/fd/{}", file.as_raw_fd()))
}

/// Gives a file the owner and the mode of an existing one, as far as that is permitted.
fn keep_owner_and_mode(file: &File, existing: &fs::Metadata) -> io::Result<()> {
    let own = file.metadata().map(|own| (own.uid(), own.gid())).ok();
    let mut kept = Ok(());
    if own != Some((existing.uid(), existing.gid())) {
        // The group alone can often be kept.
        kept = fchown(file, Some(existing.uid()), Some(existing.gid()));
        if kept.is_err() {
            let _ = fchown(file, None, Some(existing.gid()));
        }
    }
    // After the owner: a change of owner takes bits away.
    kept.and(file.set_permissions(fs::Permissions::from_mode(existing.mode() & 0o7777)))
}

/// Gives a file without name its name. A link cannot take the place of another file: then it gets a temporary name
/// first.
fn give_name(mut file: File, target: &Path) -> io::Result<()> {
    let source = descriptor_path(&file);
    let link = |name: &Path| linkat(CWD, &source, CWD, name, AtFlags::SYMLINK_FOLLOW);
    match link(target) {
        Ok(()) => return Ok(()),
        Err(Errno::EXIST) => {
            let make = |name: &Path| link(name).map_err(io::Error::from);
            if let Ok(linked) = tempfile::Builder::new().prefix(PREFIX).make_in(directory_of(target), make) {
                return linked.into_temp_path().persist(target).map_err(|error| error.error);
            }
        }
        Err(_) => {}
    }
    // A filesystem that makes unnamed files and does not link them: better a copy than no list after hours.
    let (mut copy, path) = named_in(directory_of(target))?;
    copy.set_permissions(file.metadata()?.permissions())?;
    file.rewind()?;
    io::copy(&mut file, &mut copy)?;
    copy.sync_all()?;
    path.persist(target).map_err(|error| error.error)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<String> =
            fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn a_file_appears_whole_or_not_at_all() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("list");
        for (text, replaces) in [("first", false), ("second", true)] {
            let mut file = AtomicFile::create(&target).unwrap();
            file.write_all(text.as_bytes()).unwrap();
            assert_eq!((file.replaces(), file.target(), file.not_kept().is_none()), (replaces, &*target, true));
            assert_ne!(fs::read_to_string(&target).ok().as_deref(), Some(text));
            file.persist().unwrap();
            assert_eq!(fs::read_to_string(&target).unwrap(), text);
        }
        let mut dropped = AtomicFile::create(&target).unwrap();
        dropped.write_all(b"third").unwrap();
        dropped.discard();
        let mut partial = AtomicFile::create(&target).unwrap();
        partial.write_all(b"part").unwrap();
        partial.persist_as(&folder.path().join("list.partial")).unwrap();
        assert_eq!(names(folder.path()), ["list", "list.partial"]);
        assert_eq!(fs::read_to_string(&target).unwrap(), "second");
    }

    #[test]
    fn links_are_followed_and_modes_are_kept() {
        let folder = tempfile::tempdir().unwrap();
        let (target, link) = (folder.path().join("list"), folder.path().join("link"));
        fs::write(&target, "old").unwrap();
        fs::set_permissions(&target, fs::Permissions::from_mode(0o640)).unwrap();
        std::os::unix::fs::symlink("list", &link).unwrap();
        let mut file = AtomicFile::create(&link).unwrap();
        file.write_all(b"new").unwrap();
        file.persist().unwrap();
        assert!(link.is_symlink());
        assert_eq!(fs::read_to_string(&target).unwrap(), "new");
        assert_eq!(fs::metadata(&target).unwrap().mode() & 0o777, 0o640);
        assert_eq!(names(folder.path()), ["link", "list"]);
    }
}
