//! One destination of a copy.

use std::fmt;
use std::fs::{self, File};
use std::io::{self, Seek, SeekFrom, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use pfh_list::{ResumeError, ResumedList, TEMPORARY_PREFIX};
use pfh_record::quote::{quoted, quoted_path};
use pfh_record::{FileIdentity, Metadata, Selection, Timestamp};
use rustix::fs::{
    AtFlags, Dir, FileType, Mode, OFlags, ResolveFlags, Stat, fstat, linkat, mkdirat, openat, openat2, readlinkat,
    statat, symlinkat, syncfs, unlinkat, utimensat,
};
use rustix::io::Errno;

use crate::directories::Directories;
use crate::rename::rename_new_at;
use crate::staged::{StagedFile, as_file, keep_attributes, times};

/// The directory of a destination in which files are until they were verified.
pub const STAGING: &str = ".pfh-copy";

const JOURNAL: &str = "journal.jsonl";

/// Prefix of the names under which damaged journals are kept. Numbers follow.
const DAMAGED: &str = "journal.jsonl.damaged-";

/// Prefix of the names of staged files. Their numbers follow.
const STAGED: &str = "file-";

/// Most names that a message states.
const NAMED_MAX: usize = 10;

/// Modification times are the same if they differ by no more than this, since FAT counts in steps of two seconds.
const TIME_STEP_SECONDS: i64 = 2;

/// How long a file may stay that was removed while it was open, after it was closed, and how often that is tried.
const HIDDEN_PATIENCE: Duration = Duration::from_secs(1);
const HIDDEN_STEP: Duration = Duration::from_millis(10);

/// The reason why a directory cannot be a destination. `Display` says what to do.
#[derive(Debug)]
pub enum OpenError {
    /// The directory cannot be made or opened.
    Io(PathBuf, io::Error),
    /// Another copy has it.
    InUse(PathBuf),
    /// Its directory for staged files, which has this path, has these names that no copy writes.
    NotOwn(PathBuf, Vec<Vec<u8>>),
}

impl fmt::Display for OpenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OpenError::Io(path, error) => write!(f, "{} cannot be written to: {error}", quoted_path(path)),
            OpenError::InUse(path) => {
                write!(f, "another copy to {} is under way: wait until it has ended", quoted_path(path))
            }
            OpenError::NotOwn(path, names) => {
                let first: Vec<_> = names.iter().take(NAMED_MAX).map(|name| quoted(name)).collect();
                let more = if names.len() > NAMED_MAX { ", …" } else { "" };
                write!(
                    f,
                    "{} is for unfinished copies, and pfh did not write {}{more} there: move that to another place",
                    quoted_path(path),
                    first.join(", ")
                )
            }
        }
    }
}

impl std::error::Error for OpenError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            OpenError::Io(_, error) => Some(error),
            OpenError::InUse(_) | OpenError::NotOwn(..) => None,
        }
    }
}

/// The present holder of a name in a destination.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// Nothing.
    Free,
    /// A regular file.
    File {
        /// Its size in bytes.
        size: u64,
        /// Time of its last modification.
        mtime: Timestamp,
        /// Its identity.
        identity: FileIdentity,
    },
    /// Something else.
    Other,
    /// A name above it is there, and is no directory: nothing can have the path before that is moved away.
    BelowOther,
}

/// A file that gets a further name.
#[derive(Clone, Copy, Debug)]
pub enum Leader<'p> {
    /// It is staged under this number.
    Staged(u64),
    /// It has this path below the destination.
    Named(&'p [u8]),
}

/// A directory that files are copied to.
#[derive(Debug)]
pub struct Destination {
    path: PathBuf,
    /// The directory itself and those above it, as far as they were not there before.
    made: Vec<PathBuf>,
    root: Arc<OwnedFd>,
    staging: OwnedFd,
    journal: ResumedList,
    has_hard_links: bool,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    /// Where the names of files and links go.
    directories: Directories,
    /// Where hard links come from.
    leaders: Directories,
    /// Open until the copy has ended.
    journal: Option<File>,
}

const DIRECTORY: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);

impl Destination {
    /// Makes the directory, if it is not there, and its directory for staged files; removes what an interrupted copy
    /// has staged, and continues its journal, if that has the same digests. `header` makes the beginning of a new
    /// journal, in JSON Lines.
    ///
    /// # Errors
    /// [`OpenError`] if it cannot be written to, or another copy has it.
    pub fn open(path: &Path, selection: &Selection, header: &[u8]) -> Result<Destination, OpenError> {
        let failed = |error: io::Error| OpenError::Io(path.to_owned(), error);
        let is_missing = |path: &&Path| !path.as_os_str().is_empty() && !path.exists();
        let made = path.ancestors().take_while(is_missing).map(Path::to_owned).collect();
        fs::create_dir_all(path).map_err(failed)?;
        let root = openat(rustix::fs::CWD, path, DIRECTORY, Mode::empty()).map_err(|error| failed(error.into()))?;
        match mkdirat(&root, STAGING, Mode::RWXU) {
            Ok(()) | Err(Errno::EXIST) => {}
            Err(error) => return Err(failed(error.into())),
        }
        let staging = openat(&root, STAGING, DIRECTORY | OFlags::NOFOLLOW, Mode::empty());
        let staging = staging.map_err(|error| OpenError::Io(path.join(STAGING), error.into()))?;
        let entries = Entries::of(&staging).map_err(failed)?;
        if !entries.others.is_empty() {
            return Err(OpenError::NotOwn(path.join(STAGING), entries.others));
        }
        let name = path.join(STAGING).join(JOURNAL);
        let (journal, file) = open_journal(&name, selection, header).map_err(|error| match error {
            ResumeError::InUse(_) => OpenError::InUse(path.to_owned()),
            ResumeError::Io { error, .. } => failed(error),
            other => failed(io::Error::other(other.to_string())),
        })?;
        let root = Arc::new(root);
        let directories = || Directories::new(Arc::clone(&root));
        let state = State { directories: directories(), leaders: directories(), journal: Some(file) };
        let (path, state) = (path.to_owned(), Mutex::new(state));
        let mut destination = Destination { path, made, root, staging, journal, has_hard_links: false, state };
        let probe = staged(0);
        let probed = destination
            .remove_staged()
            .map(|()| linkat(&destination.staging, JOURNAL, &destination.staging, &probe, AtFlags::empty()).is_ok());
        destination.has_hard_links = probed.map_err(failed)?;
        destination.discard(0);
        Ok(destination)
    }

    /// Returns its path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the path of a staged file.
    pub fn staged_path(&self, number: u64) -> PathBuf {
        self.path.join(STAGING).join(staged(number))
    }

    /// Returns the path of the journal: a JSON Lines list of what has been copied and verified.
    pub fn journal_path(&self) -> PathBuf {
        self.path.join(STAGING).join(JOURNAL)
    }

    /// Whether an interrupted copy has copied and verified this file, in the state that `metadata` tells, and its copy
    /// seems to be untouched.
    pub fn has(&self, path: &[u8], metadata: &Metadata) -> bool {
        if !self.journal.contains(path, metadata) {
            return false;
        }
        let is_near = |mtime: Timestamp| {
            metadata.mtime.is_none_or(|own| (own.seconds - mtime.seconds).abs() <= TIME_STEP_SECONDS)
        };
        matches!(self.place(path), Place::File { size, mtime, .. } if size == metadata.size && is_near(mtime))
    }

    /// Whether the journal of an interrupted copy has a line of this file, in whatever state.
    pub fn knew(&self, path: &[u8]) -> bool {
        self.journal.knows(path)
    }

    /// Whether it has no journal of an interrupted copy.
    pub fn is_new(&self) -> bool {
        !self.journal.has_header()
    }

    /// Whether files can have several names.
    pub fn has_hard_links(&self) -> bool {
        self.has_hard_links
    }

    /// Returns the number of bytes that can still be written, if the system knows it.
    pub fn free_bytes(&self) -> Option<u64> {
        let found = rustix::fs::fstatvfs(&self.root).ok()?;
        found.f_bavail.checked_mul(found.f_frsize)
    }

    /// Returns what has the name of this path. Symbolic links are not followed.
    pub fn place(&self, path: &[u8]) -> Place {
        match self.examine(path) {
            Ok(found) if FileType::from_raw_mode(found.st_mode) == FileType::RegularFile => Place::File {
                size: found.st_size.cast_unsigned(),
                mtime: Timestamp { seconds: found.st_mtime, nanoseconds: found.st_mtime_nsec as u32 },
                identity: FileIdentity::new(found.st_dev, found.st_ino),
            },
            Ok(_) => Place::Other,
            Err(Errno::LOOP | Errno::NOTDIR) => Place::BelowOther,
            // Any other error will come again when the file gets its name.
            Err(_) => Place::Free,
        }
    }

    fn examine(&self, path: &[u8]) -> Result<Stat, Errno> {
        let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
        match openat2(&self.root, path, flags, Mode::empty(), resolve) {
            Ok(file) => fstat(&file),
            // The path is too long for one call, the system is older than Linux 5.6, or a sandbox forbids the call.
            Err(Errno::NAMETOOLONG | Errno::NOSYS | Errno::PERM) => {
                let opened = self.state().leaders.of(path, false);
                // The error without a number is that of a name above that is no directory.
                let failed = |error: io::Error| Errno::from_io_error(&error).unwrap_or(Errno::NOTDIR);
                let (directory, name) = opened.map_err(failed)?;
                statat(&directory, name, AtFlags::SYMLINK_NOFOLLOW)
            }
            Err(error) => Err(error),
        }
    }

    /// Begins a staged file. `has_holes`: blocks of zeros become holes.
    ///
    /// # Errors
    /// If it cannot be made.
    pub fn stage(&self, number: u64, has_holes: bool) -> io::Result<StagedFile> {
        let flags = OFlags::CREATE | OFlags::EXCL | OFlags::WRONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let file = openat(&self.staging, staged(number), flags, Mode::RUSR | Mode::WUSR)?;
        Ok(StagedFile::new(file.into(), has_holes))
    }

    /// Stages a further name of a file that has a name already, or of a staged one.
    ///
    /// # Errors
    /// If the filesystem has no hard links, or the file is not there.
    pub fn stage_link(&self, number: u64, leader: Leader<'_>) -> io::Result<()> {
        let link = |directory: &OwnedFd, name: &[u8]| {
            linkat(directory, name, &self.staging, staged(number), AtFlags::empty()).map_err(io::Error::from)
        };
        match leader {
            Leader::Staged(leader) => link(&self.staging, staged(leader).as_bytes()),
            Leader::Named(path) => {
                let (directory, name) = self.state().leaders.of(path, false)?;
                link(&directory, name)
            }
        }
    }

    /// Removes a staged file.
    pub fn discard(&self, number: u64) {
        // A file that cannot be removed now is removed by the end of the copy, or by the next one.
        let _ = unlinkat(&self.staging, staged(number), AtFlags::empty());
    }

    /// Makes everything durable that was written to the filesystem.
    ///
    /// # Errors
    /// If some of it could not be written.
    pub fn sync(&self) -> io::Result<()> {
        Ok(syncfs(&self.root)?)
    }

    /// Gives a staged file its name. Directories are made as needed.
    ///
    /// # Errors
    /// [`io::ErrorKind::AlreadyExists`] if something has the name already, and the errors of the system.
    pub fn publish(&self, number: u64, path: &[u8]) -> io::Result<()> {
        let (directory, name) = self.state().directories.of(path, true)?;
        match rename_new_at((&self.staging, staged(number).as_bytes()), (&directory, name)) {
            Err(Errno::XDEV) => {
                let text = "its directory is on another filesystem; name that directory as a destination of its own";
                Err(io::Error::new(io::ErrorKind::CrossesDevices, text))
            }
            renamed => Ok(renamed?),
        }
    }

    /// Makes a directory, and those above it.
    ///
    /// # Errors
    /// If something else has the name, and the errors of the system.
    pub fn make_directory(&self, path: &[u8]) -> io::Result<()> {
        self.state().directories.of(&[path, b"/"].concat(), true).map(drop)
    }

    /// Makes a symbolic link with this text.
    ///
    /// # Errors
    /// [`io::ErrorKind::AlreadyExists`] if something else has the name, and the errors of the system.
    pub fn make_link(&self, path: &[u8], target: &[u8], mtime: Option<Timestamp>) -> io::Result<()> {
        let (directory, name) = self.state().directories.of(path, true)?;
        match symlinkat(target, &directory, name) {
            Ok(()) => {
                if let Some(mtime) = mtime {
                    let _ = utimensat(&directory, name, &times(mtime), AtFlags::SYMLINK_NOFOLLOW);
                }
                Ok(())
            }
            Err(Errno::EXIST) => match readlinkat(&directory, name, Vec::new()) {
                Ok(text) if text.as_bytes() == target => Ok(()),
                _ => Err(Errno::EXIST.into()),
            },
            Err(error) => Err(error.into()),
        }
    }

    /// Gives a directory owner, mode and time of its source, as far as the filesystem permits. Nothing can be done in
    /// it afterwards if the mode forbids that, so directories come last, and the deepest first.
    ///
    /// # Errors
    /// If the directory is not there.
    pub fn keep_attributes(&self, path: &[u8], metadata: &Metadata) -> io::Result<()> {
        // Opened with a directory `.` in it, so that it is the last one that is open.
        let (directory, _) = self.state().directories.of(&[path, b"/"].concat(), false)?;
        keep_attributes(&as_file(directory)?, metadata);
        Ok(())
    }

    /// Appends whole lines to the journal: all of them, or none.
    ///
    /// # Errors
    /// If it cannot be written, or the copy has ended.
    pub fn record(&self, lines: &[u8]) -> io::Result<()> {
        let mut state = self.state();
        let Some(journal) = &mut state.journal else { return Err(Errno::BADF.into()) };
        let before = journal.stream_position()?;
        let written = journal.write_all(lines);
        if written.is_err() {
            // A part of a line that stays nevertheless is found by whoever reads the journal.
            let _ = journal.set_len(before);
            let _ = journal.seek(SeekFrom::Start(before));
        }
        written
    }

    /// Ends the copy: removes staged files and, if `is_complete`, the journal and the directory of both. That is
    /// durable after [`Destination::sync`].
    ///
    /// # Errors
    /// If something cannot be removed. No file that was copied needs it.
    pub fn end(&self, is_complete: bool) -> io::Result<()> {
        self.remove_staged()?;
        if is_complete {
            let missing_is_fine = |removed: Result<(), Errno>| match removed {
                Ok(()) | Err(Errno::NOENT) => Ok(()),
                Err(error) => Err(io::Error::from(error)),
            };
            for name in Entries::of(&self.staging)?.own {
                let remove = || missing_is_fine(unlinkat(&self.staging, &name[..], AtFlags::empty()));
                if remove().is_err() {
                    // Some filesystems remove no file that is open.
                    self.state().journal = None;
                    remove()?;
                }
            }
            missing_is_fine(self.remove_staging())?;
        }
        Ok(())
    }

    /// Ends a copy that has not begun: removes what was made for it, and keeps the journal of an interrupted one.
    pub fn abandon(&self) {
        // Nothing needs what cannot be removed, and directories in which there is something stay.
        let _ = self.end(self.is_new());
        let _ = self.made.iter().try_for_each(fs::remove_dir);
    }

    /// Removes the directory for staged files, whose files were removed.
    fn remove_staging(&self) -> Result<(), Errno> {
        let mut left = HIDDEN_PATIENCE;
        loop {
            match unlinkat(&self.root, STAGING, AtFlags::REMOVEDIR) {
                // FUSE and NFS keep what was removed while it was open under another name until it is closed, and FUSE
                // for a moment longer. Elsewhere the journal stays open, since its lock keeps other copies off.
                Err(Errno::NOTEMPTY | Errno::EXIST) if !left.is_zero() => {
                    self.state().journal = None;
                    thread::sleep(HIDDEN_STEP);
                    left = left.saturating_sub(HIDDEN_STEP);
                }
                removed => return removed,
            }
        }
    }

    fn remove_staged(&self) -> io::Result<()> {
        for name in Entries::of(&self.staging)?.own.iter().filter(|name| is_numbered(name, STAGED)) {
            unlinkat(&self.staging, &name[..], AtFlags::empty())?;
        }
        Ok(())
    }

    /// Locks, also after a panic of another thread: nothing is half done while the lock is held.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn staged(number: u64) -> String {
    format!("{STAGED}{number}")
}

/// Whether a name is a prefix and a number.
fn is_numbered(name: &[u8], prefix: &str) -> bool {
    let number = name.strip_prefix(prefix.as_bytes());
    number.is_some_and(|number| !number.is_empty() && number.iter().all(u8::is_ascii_digit))
}

/// The names in a directory for staged files.
struct Entries {
    /// Regular files that a copy writes: the journal, damaged ones that were kept, and files without a name of their
    /// own yet.
    own: Vec<Vec<u8>>,
    /// Everything else, sorted.
    others: Vec<Vec<u8>>,
}

impl Entries {
    fn of(staging: impl AsFd) -> io::Result<Entries> {
        let mut entries = Entries { own: Vec::new(), others: Vec::new() };
        for entry in Dir::read_from(staging)? {
            let entry = entry?;
            let name = entry.file_name().to_bytes();
            // NFS and FUSE keep removed files that are still open somewhere under such names.
            if matches!(name, b"." | b"..") || name.starts_with(b".nfs") || name.starts_with(b".fuse_hidden") {
                continue;
            }
            // Some filesystems do not tell the type here.
            let is_file = matches!(entry.file_type(), FileType::RegularFile | FileType::Unknown);
            let is_own = name == JOURNAL.as_bytes()
                || is_numbered(name, STAGED)
                || is_numbered(name, DAMAGED)
                || name.starts_with(TEMPORARY_PREFIX.as_bytes());
            let place = if is_file && is_own { &mut entries.own } else { &mut entries.others };
            place.push(name.to_vec());
        }
        entries.others.sort_unstable();
        Ok(entries)
    }
}

/// Whether this path is a directory for staged files that an interrupted copy has left: it has a journal and nothing
/// that no copy writes, or it is empty.
pub fn is_left_over(path: &Path) -> bool {
    let opened = openat(rustix::fs::CWD, path, DIRECTORY | OFlags::NOFOLLOW, Mode::empty());
    let Ok(Ok(Entries { own, others })) = opened.map(Entries::of) else { return false };
    others.is_empty() && (own.is_empty() || own.iter().any(|name| name == JOURNAL.as_bytes()))
}

/// Continues a journal, or begins it anew if it is of no use: then what is there already is read and compared.
fn open_journal(path: &Path, selection: &Selection, header: &[u8]) -> Result<(ResumedList, File), ResumeError> {
    let load = || ResumedList::load(path, selection, None, None, None);
    let failed = |error: io::Error| ResumeError::Io { path: path.to_owned(), error };
    let mut list = match load() {
        Err(ResumeError::NotAJournal { .. } | ResumeError::OtherDigests { .. } | ResumeError::NotAFile(_)) => {
            fs::remove_file(path).map_err(failed)?;
            load()?
        }
        loaded => loaded?,
    };
    let mut file = list.begin(true).map_err(failed)?;
    if !list.has_header() {
        file.write_all(header).map_err(failed)?;
    }
    Ok((list, file))
}
