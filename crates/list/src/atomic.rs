//! Files that appear under their name complete, or not at all.

use std::ffi::OsStr;
use std::fmt;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, BufWriter, Seek, Write};
use std::os::fd::AsRawFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt, fchown};
use std::path::{Path, PathBuf};

use pfh_record::FileIdentity;
use rustix::fs::{Access, AtFlags, CWD, Mode, OFlags, StatxFlags, access, linkat, statx};
use rustix::io::Errno;
use rustix::process::geteuid;
use tempfile::TempPath;

const BUFFER_BYTES: usize = 256 << 10;

/// A file that gets its name only when it is complete, by [`AtomicFile::persist`]. If it is dropped before, nothing
/// remains of it, and an existing file of that name is unchanged.
///
/// Until then it has no name if the filesystem permits that, and otherwise a name that begins with `.pfh-`, in the same
/// directory.
#[derive(Debug)]
pub struct AtomicFile {
    writer: BufWriter<File>,
    temporary: Temporary,
    target: PathBuf,
    replaces: bool,
    /// The reason why the new file does not have the owner and the mode of the old one.
    not_kept: Option<io::Error>,
}

/// The form of a file until it gets its name.
#[derive(Debug)]
enum Temporary {
    /// It has no name, so nothing remains, however the program ends.
    Unnamed,
    /// It has a temporary name, because the filesystem has no unnamed files. Dropping this removes it.
    Named(TempPath),
}

impl AtomicFile {
    /// Begins a file with the final name `target`. A symbolic link is followed. Mode and owner of an existing file are
    /// kept as far as permitted: see [`AtomicFile::not_kept`].
    ///
    /// # Errors
    /// If the directory or an existing file is not writable, if there is something else than a regular file, or if the
    /// path does not end with the name of a file.
    pub fn create(target: &Path) -> io::Result<AtomicFile> {
        let existing = fs::metadata(target).ok();
        AtomicFile::in_place_of(existing, followed(target)?)
    }

    /// Like [`AtomicFile::create`], for a name that the user did not give. A symbolic link is not followed, since
    /// whoever can write to the directory would choose the file: it is replaced.
    ///
    /// # Errors
    /// Those of [`AtomicFile::create`].
    pub fn create_unfollowed(target: &Path) -> io::Result<AtomicFile> {
        let existing = fs::symlink_metadata(target).ok().filter(|found| !found.is_symlink());
        AtomicFile::in_place_of(existing, target.to_owned())
    }

    fn in_place_of(existing: Option<fs::Metadata>, target: PathBuf) -> io::Result<AtomicFile> {
        check_name(&target, existing.as_ref())?;
        let directory = directory_of(&target);
        // Checked first, so that the message does not name a temporary file.
        access(directory, Access::WRITE_OK | Access::EXEC_OK)?;
        if let Some(existing) = &existing {
            // Renaming would replace a list even if its owner has protected it from writing.
            access(&target, Access::WRITE_OK)?;
            can_be_replaced(&target, existing, directory)?;
        }
        let (file, temporary) = temporary_in(directory)?;
        let not_kept = existing.as_ref().and_then(|existing| keep_owner_and_mode(&file, existing).err());
        let writer = BufWriter::with_capacity(BUFFER_BYTES, file);
        Ok(AtomicFile { writer, temporary, target, replaces: existing.is_some(), not_kept })
    }

    /// Returns the reason why the new file will not have the owner or the mode of the file that it replaces; `None` if
    /// it will.
    pub fn not_kept(&self) -> Option<&io::Error> {
        self.not_kept.as_ref()
    }

    /// Returns the final name, with symbolic links followed.
    pub fn target(&self) -> &Path {
        &self.target
    }

    /// Whether a file of this name existed.
    pub fn replaces(&self) -> bool {
        self.replaces
    }

    /// Returns the identities of this file and of the one that it replaces.
    pub fn identities(&self) -> Vec<FileIdentity> {
        let both = self.writer.get_ref().metadata().into_iter().chain(fs::metadata(&self.target));
        both.map(|metadata| FileIdentity::new(metadata.dev(), metadata.ino())).collect()
    }

    /// Ends the file, and gives it its name after its bytes have reached the disk. The name has reached it, too, when
    /// this returns.
    ///
    /// # Errors
    /// If it cannot be written or named; nothing remains of it then. Also if the disk fails after that: [`NotDurable`].
    pub fn persist(self) -> io::Result<()> {
        let target = self.target.clone();
        self.persist_as(&target)
    }

    /// Like [`AtomicFile::persist`], under another name in the same directory.
    ///
    /// # Errors
    /// If it cannot be written or named.
    pub fn persist_as(self, target: &Path) -> io::Result<()> {
        self.named(target).map(drop)
    }

    /// Like [`AtomicFile::persist`], for a file in which this process goes on writing: it is locked, and other
    /// processes that lock it too never find it unlocked under its name. A filesystem without locks is no error.
    pub(crate) fn persist_locked(self) -> io::Result<File> {
        let _ = self.writer.get_ref().try_lock();
        let target = self.target.clone();
        let file = self.named(&target)?;
        // Only a copy, on a filesystem that does not link unnamed files, is not locked before.
        let _ = file.try_lock();
        Ok(file)
    }

    /// Gives the file its name, and returns it.
    fn named(self, target: &Path) -> io::Result<File> {
        let file = self.writer.into_inner().map_err(io::IntoInnerError::into_error)?;
        file.sync_all()?;
        let named = match self.temporary {
            Temporary::Named(path) => path.persist(target).map(|()| file).map_err(|error| error.error),
            Temporary::Unnamed => give_name(file, target),
        }?;
        sync_name(target)?;
        Ok(named)
    }

    /// Like [`AtomicFile::persist`], but leaves a file alone that has the name by then. Returns whether this file got
    /// it: of several that are ended at once, one does.
    ///
    /// # Errors
    /// If it cannot be written or named, and there is no file of this name either.
    pub fn persist_new(self) -> io::Result<bool> {
        let target = self.target.clone();
        let named = self.named_new();
        match named {
            // Whoever gave the name may also have removed what others left behind, and so this file.
            Err(error) if !NotDurable::is(&error) && fs::symlink_metadata(target).is_ok() => Ok(false),
            named => named,
        }
    }

    fn named_new(self) -> io::Result<bool> {
        let file = self.writer.into_inner().map_err(io::IntoInnerError::into_error)?;
        file.sync_all()?;
        let target = self.target.clone();
        let unless_it_exists = |named: io::Result<()>| match named {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
            named => named.and_then(|()| sync_name(&target)).map(|()| true),
        };
        let path = match self.temporary {
            Temporary::Named(path) => path,
            Temporary::Unnamed => match link_descriptor(&file, &self.target) {
                Err(error) if error != Errno::EXIST => copied(file, &self.target)?.1,
                linked => return unless_it_exists(linked.map_err(io::Error::from)),
            },
        };
        unless_it_exists(path.persist_noclobber(&self.target).map_err(|error| error.error))
    }

    /// Discards the file without writing the rest of the buffer.
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

/// Makes the names in a directory durable: those that were added, removed and renamed.
///
/// # Errors
/// If the directory cannot be opened or written to the disk.
pub fn sync_directory(directory: &Path) -> io::Result<()> {
    match File::open(directory)?.sync_all() {
        // Some filesystems have no such operation, and do it at once.
        Err(error) if error.kind() == io::ErrorKind::InvalidInput => Ok(()),
        synced => synced,
    }
}

/// Makes the name of a file durable. A directory may be writable and not readable; then the system does that in its
/// time.
fn sync_name(target: &Path) -> io::Result<()> {
    match sync_directory(directory_of(target)) {
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => Ok(()),
        synced => synced.map_err(|error| io::Error::new(error.kind(), NotDurable(error))),
    }
}

/// The error of a file that is complete and has its name, which a failure of power may undo: its directory could not be
/// written to the disk.
#[derive(Debug)]
pub struct NotDurable(io::Error);

impl NotDurable {
    /// Whether this is the reason of an error.
    pub fn is(error: &io::Error) -> bool {
        error.get_ref().is_some_and(|reason| reason.is::<NotDurable>())
    }
}

impl fmt::Display for NotDurable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "it is complete and in its place, but its directory could not be written to the disk: {}", self.0)
    }
}

impl std::error::Error for NotDurable {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.0)
    }
}

/// Keeps other processes from locking a directory until it is dropped, or its process ends in whatever way.
#[derive(Debug)]
pub struct DirectoryLock(#[expect(dead_code, reason = "locked while open")] File);

/// Locks a directory, without a file in it and without waiting. Returns `None` if somebody else has locked it.
///
/// # Errors
/// If the directory cannot be opened, or its filesystem cannot lock it.
pub fn lock_directory(directory: &Path) -> io::Result<Option<DirectoryLock>> {
    let directory = File::open(directory)?;
    match directory.try_lock() {
        Ok(()) => Ok(Some(DirectoryLock(directory))),
        Err(TryLockError::WouldBlock) => Ok(None),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

/// Most symbolic links that are followed, as in Linux.
const LINKS_MAX: usize = 40;

/// Returns the path that a name leads to, whether or not it exists.
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

/// Returns the path without symbolic links at which a file is, or will be when it is made: links are followed also
/// where they lead to nothing, and names below a directory that is not there stay as they are.
pub fn place_of(path: &Path) -> PathBuf {
    let path = followed(path).unwrap_or_else(|_| path.to_owned());
    let real = path.ancestors().find_map(|above| {
        let real = fs::canonicalize(if above == Path::new("") { Path::new(".") } else { above }).ok()?;
        let rest = path.strip_prefix(above).ok()?;
        // (Joining nothing would append a slash.)
        Some(if rest == Path::new("") { real } else { real.join(rest) })
    });
    real.unwrap_or(path)
}

/// Returns the directory of a path, which may be relative.
pub(crate) fn directory_of(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

/// Longest name of a file, in bytes, on most filesystems.
const NAME_BYTES_MAX: usize = 255;

/// Returns the path of a file beside another: `end`, of at most 255 bytes, follows the name of the other one, of which
/// the last characters are left out where both would be too long.
///
/// The result may then belong to another file as well, whose name begins alike: whoever writes there must not count on
/// being the only one.
pub fn named_after(target: &Path, end: &str) -> PathBuf {
    let name = target.file_name().unwrap_or_default().as_bytes();
    let mut bytes = name.len().min(NAME_BYTES_MAX.saturating_sub(end.len()));
    // No character is left in part; its bytes after the first begin with the bits 10.
    while bytes > 0 && name.get(bytes).is_some_and(|byte| byte >> 6 == 0b10) {
        bytes -= 1;
    }
    target.with_file_name(OsStr::from_bytes(&[&name[..bytes], end.as_bytes()].concat()))
}

/// Prefix of temporary names. A file with such a name in which nobody writes is left over from a program that was
/// killed.
pub const TEMPORARY_PREFIX: &str = ".pfh-";

/// Creates an empty file on the filesystem of a directory: without a name if that is possible, so that nothing can
/// remain. As for any new file, the user's umask limits its mode.
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
    let file = tempfile::Builder::new().prefix(TEMPORARY_PREFIX).permissions(permissions).tempfile_in(directory)?;
    // In parts, because errors of writing the whole would name the temporary file.
    Ok(file.into_parts())
}

/// Returns the system's path of an open file, which needs a mounted /proc.
fn descriptor_path(file: &File) -> PathBuf {
    PathBuf::from(format!("/proc/self/fd/{}", file.as_raw_fd()))
}

/// Refuses a path that cannot become the name of a file, and one of which a file would displace something else: a FIFO
/// or a device would lose its name.
fn check_name(target: &Path, existing: Option<&fs::Metadata>) -> io::Result<()> {
    if existing.is_some_and(fs::Metadata::is_dir) || target.as_os_str().as_bytes().ends_with(b"/") {
        return Err(Errno::ISDIR.into());
    }
    let text = match existing {
        Some(existing) if !existing.is_file() => "it is no regular file, and a new file would take its name",
        None if target.file_name().is_none() => "it is not the name of a file",
        _ => return Ok(()),
    };
    Err(io::Error::new(io::ErrorKind::InvalidInput, text))
}

/// Refuses a file that another one cannot replace, before hours of work are done for it.
fn can_be_replaced(target: &Path, existing: &fs::Metadata, directory: &Path) -> io::Result<()> {
    let mount = |path: &Path| {
        let found = statx(CWD, path, AtFlags::empty(), StatxFlags::MNT_ID).ok()?;
        (found.stx_mask & StatxFlags::MNT_ID.bits() != 0).then_some(found.stx_mnt_id)
    };
    if let (Some(own), Some(around)) = (mount(target), mount(directory))
        && own != around
    {
        let text = "it is a mount point, which cannot be replaced; name a file in a mounted directory";
        return Err(io::Error::new(io::ErrorKind::ResourceBusy, text));
    }
    let (directory, user) = (fs::metadata(directory)?, geteuid());
    let is_sticky = directory.mode() & Mode::SVTX.as_raw_mode() != 0;
    let is_own = [existing.uid(), directory.uid()].contains(&user.as_raw());
    if is_sticky && !is_own && !user.is_root() {
        let text = "it belongs to somebody else, in a directory where only owners may replace files (sticky bit)";
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, text));
    }
    Ok(())
}

/// Gives a file the owner and the mode of an existing one, as far as permitted.
fn keep_owner_and_mode(file: &File, existing: &fs::Metadata) -> io::Result<()> {
    let own = file.metadata().map(|own| (own.uid(), own.gid())).ok();
    let mut kept = Ok(());
    if own != Some((existing.uid(), existing.gid())) {
        // Often only the group can be kept.
        kept = fchown(file, Some(existing.uid()), Some(existing.gid()));
        if kept.is_err() {
            let _ = fchown(file, None, Some(existing.gid()));
        }
    }
    // The mode comes after the owner, because a change of owner removes bits.
    kept.and(file.set_permissions(fs::Permissions::from_mode(existing.mode() & 0o7777)))
}

/// Gives an unnamed file its name. A link cannot replace another file, so in that case the file gets a temporary name
/// first. Returns the file that has the name.
fn give_name(file: File, target: &Path) -> io::Result<File> {
    match link_descriptor(&file, target) {
        Ok(()) => return Ok(file),
        Err(Errno::EXIST) => {
            let make = |name: &Path| link_descriptor(&file, name).map_err(io::Error::from);
            if let Ok(linked) = tempfile::Builder::new().prefix(TEMPORARY_PREFIX).make_in(directory_of(target), make) {
                return linked.into_temp_path().persist(target).map(|()| file).map_err(|error| error.error);
            }
        }
        Err(_) => {}
    }
    let (copy, path) = copied(file, target)?;
    path.persist(target).map(|()| copy).map_err(|error| error.error)
}

fn link_descriptor(file: &File, name: &Path) -> Result<(), Errno> {
    linkat(CWD, descriptor_path(file), CWD, name, AtFlags::SYMLINK_FOLLOW)
}

/// Copies an unnamed file to one with a temporary name beside `target`: some filesystems make unnamed files but do not
/// link them, and a copy is better than no list after hours.
fn copied(mut file: File, target: &Path) -> io::Result<(File, TempPath)> {
    let (mut copy, path) = named_in(directory_of(target))?;
    copy.set_permissions(file.metadata()?.permissions())?;
    file.rewind()?;
    io::copy(&mut file, &mut copy)?;
    copy.sync_all()?;
    Ok((copy, path))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::fs::{FileType, mknodat};

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
    fn only_regular_files_are_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        fs::create_dir(path("directory")).unwrap();
        mknodat(CWD, path("fifo"), FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
        std::os::unix::fs::symlink("fifo", path("link")).unwrap();
        for (name, kind) in [
            ("directory", io::ErrorKind::IsADirectory),
            ("directory/..", io::ErrorKind::IsADirectory),
            ("new/", io::ErrorKind::IsADirectory),
            ("fifo", io::ErrorKind::InvalidInput),
            ("link", io::ErrorKind::InvalidInput),
        ] {
            assert_eq!(AtomicFile::create(&path(name)).map(drop).map_err(|error| error.kind()), Err(kind), "{name}");
        }
        let nothing = AtomicFile::create(Path::new("")).map(drop).map_err(|error| error.kind());
        assert_eq!(nothing, Err(io::ErrorKind::InvalidInput));
        assert_eq!(names(folder.path()), ["directory", "fifo", "link"]);
    }

    #[test]
    fn one_of_several_gets_a_new_name() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("list");
        let mut files: Vec<AtomicFile> = (0..3).map(|_| AtomicFile::create(&target).unwrap()).collect();
        for (number, file) in files.iter_mut().enumerate() {
            write!(file, "{number}").unwrap();
        }
        // One as it would be on a filesystem without unnamed files, and one of which somebody has disposed.
        for name in ["kept", "removed"] {
            let mut file = AtomicFile::create(&target).unwrap();
            let (named, path) = named_in(folder.path()).unwrap();
            if name == "removed" {
                fs::remove_file(&path).unwrap();
            }
            file.writer = BufWriter::new(named);
            file.temporary = Temporary::Named(path);
            file.write_all(name.as_bytes()).unwrap();
            files.push(file);
        }
        let named: Vec<bool> = files.into_iter().map(|file| file.persist_new().unwrap()).collect();
        assert_eq!(named, [true, false, false, false, false]);
        assert_eq!(
            (fs::read_to_string(&target).unwrap(), names(folder.path())),
            ("0".to_owned(), vec!["list".to_owned()])
        );
        fs::remove_file(&target).unwrap();
        let mut file = AtomicFile::create(&target).unwrap();
        let (named, path) = named_in(folder.path()).unwrap();
        (file.writer, file.temporary) = (BufWriter::new(named), Temporary::Named(path));
        assert!(file.persist_new().unwrap());
        assert_eq!(names(folder.path()), ["list"]);
    }

    #[test]
    fn names_after_others_are_not_too_long() {
        let part = |name: &str| named_after(Path::new(name), ".partial").to_str().unwrap().to_owned();
        assert_eq!([part("list"), part("a/list")], ["list.partial", "a/list.partial"]);
        assert_eq!(part(&"n".repeat(247)), "n".repeat(247) + ".partial");
        assert_eq!(part(&format!("a/{}", "n".repeat(255))), format!("a/{}.partial", "n".repeat(247)));
        // The second byte of a character would be the 248th.
        assert_eq!(part(&("n".repeat(246) + "é.jsonl")), "n".repeat(246) + ".partial");
        assert_eq!(part(&("n".repeat(245) + "é.jsonl")), "n".repeat(245) + "é.partial");
    }

    #[test]
    fn the_place_of_a_file_is_known_before_it_is_made() {
        let folder = tempfile::tempdir().unwrap();
        let real = fs::canonicalize(folder.path()).unwrap();
        fs::create_dir(real.join("in")).unwrap();
        fs::write(real.join("in/list"), "").unwrap();
        for (link, leads) in
            [("all", "in"), ("list", "in/list"), ("new", "in/new"), ("chain", "all/../new"), ("loop", "loop")]
        {
            std::os::unix::fs::symlink(leads, real.join(link)).unwrap();
        }
        for (path, place) in [
            ("in/list", "in/list"),
            ("list", "in/list"),
            ("all/list", "in/list"),
            ("all/", "in"),
            // They lead to a file that is not there.
            ("new", "in/new"),
            ("chain", "in/new"),
            ("all/new", "in/new"),
            ("all/new/", "in/new"),
            ("all/none/new", "in/none/new"),
            ("all/../new", "in/new"),
            ("loop", "loop"),
        ] {
            let found = place_of(&folder.path().join(path));
            assert_eq!(found.as_os_str(), real.join(place).as_os_str(), "{path}");
        }
        let here = std::env::current_dir().unwrap().canonicalize().unwrap();
        assert_eq!(place_of(Path::new("none/new")), here.join("none/new"));
        assert_eq!([place_of(Path::new("")), place_of(Path::new("."))], [here.clone(), here]);
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

    #[test]
    fn a_link_is_replaced_where_links_are_not_followed() {
        let folder = tempfile::tempdir().unwrap();
        let (target, link) = (folder.path().join("list"), folder.path().join("link"));
        fs::write(&target, "old").unwrap();
        for (leads, text) in [("list", "new"), ("none", "newer")] {
            let _ = fs::remove_file(&link);
            std::os::unix::fs::symlink(leads, &link).unwrap();
            let mut file = AtomicFile::create_unfollowed(&link).unwrap();
            assert_eq!((file.target(), file.replaces()), (&*link, false));
            file.write_all(text.as_bytes()).unwrap();
            file.persist().unwrap();
            assert!(!link.is_symlink());
            assert_eq!(fs::read_to_string(&link).unwrap(), text);
            assert_eq!((fs::read_to_string(&target).unwrap(), names(folder.path()).len()), ("old".to_owned(), 2));
        }
        // A link that has the name already keeps it.
        fs::remove_file(&link).unwrap();
        std::os::unix::fs::symlink("none", &link).unwrap();
        assert!(!AtomicFile::create_unfollowed(&link).unwrap().persist_new().unwrap());
        assert_eq!(names(folder.path()), ["link", "list"]);
    }
}
