//! Continuing a JSON Lines file: the files that it records, and preparing it for appending.

use crate::atomic::{AtomicFile, named_after};
use crate::latest::Latest;
use pfh_facts::Counting;
use pfh_record::jsonl::{Journal, JournalLine, LineContent};
use pfh_record::quote::{quoted, quoted_path};
use pfh_record::{Entry, FileIdentity, Header, Metadata, ReadError, ReadErrorKind, Selection, Timestamp};
use std::collections::HashSet;
use std::fmt;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::hash::{BuildHasher, RandomState};
use std::io::{self, BufReader, Seek, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// Least number of superseded lines that is reported.
const SUPERSEDED_MIN: u64 = 100;

/// A list that an earlier run began and this one continues. The file is locked against other runs until this value is
/// dropped.
#[derive(Debug)]
pub struct ResumedList {
    path: PathBuf,
    /// The locked file; `None` if there is none yet.
    file: Option<File>,
    journal: Journal,
    /// For each path, the identity in its latest line.
    latest: Latest<1>,
    /// The paths whose latest line states the marks of a collision attack.
    marked: HashSet<[u64; 1]>,
    fingerprints: Fingerprints,
    remarks: Vec<Remark>,
}

/// The reason why a list cannot be continued. `Display` names the file and says what to do.
#[derive(Debug)]
#[non_exhaustive]
pub enum ResumeError {
    /// The file cannot be opened or examined.
    Io {
        /// The file.
        path: PathBuf,
        /// The error of the system.
        error: io::Error,
    },
    /// The path is a directory, a FIFO or a device.
    NotAFile(PathBuf),
    /// The file is no JSON Lines file of pfh.
    NotAJournal {
        /// The file.
        path: PathBuf,
        /// The first error in it.
        error: ReadError,
    },
    /// Another run is using the file.
    InUse(PathBuf),
    /// The file has other digests or facts, or pieces of another length.
    OtherDigests {
        /// The file.
        path: PathBuf,
        /// Its digests.
        selection: Selection,
        /// The length of its pieces in bytes.
        piece_bytes: Option<u64>,
        /// The bytes that its entropies are taken from, if it has facts about contents.
        facts: Option<Counting>,
        /// The options of this run that the file was begun without.
        without: Vec<&'static str>,
    },
    /// The relative paths in the file start from another directory.
    OtherDirectory {
        /// The file.
        path: PathBuf,
        /// The directory in raw bytes.
        directory: Vec<u8>,
    },
}

impl fmt::Display for ResumeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ResumeError::Io { path, error } => write!(f, "{}: {error}", quoted_path(path)),
            ResumeError::NotAFile(path) => {
                let name = quoted_path(path);
                write!(f, "{name} is not a regular file, so --resume cannot continue it; give -o another name")
            }
            ResumeError::NotAJournal { path, error } => {
                let name = quoted_path(path);
                write!(f, "{name} is not a JSON Lines file of pfh: {error}; give -o another name")
            }
            ResumeError::InUse(path) => {
                let name = quoted_path(path);
                write!(f, "{name} is in use by another run: wait until that has ended, or give -o another name")
            }
            ResumeError::OtherDigests { path, selection, piece_bytes, facts, without } => {
                let names: Vec<_> = selection.names().collect();
                write!(f, "{} was begun with `-a {}", quoted_path(path), names.join(","))?;
                if let Some(bytes) = piece_bytes {
                    write!(f, " --piecewise {bytes}")?;
                }
                match facts {
                    Some(Counting::Sampled) => f.write_str(" --facts")?,
                    Some(counting) => write!(f, " --facts={counting}")?,
                    None => {}
                }
                f.write_str("`")?;
                if !without.is_empty() {
                    write!(f, " and without {}", without.join(" or "))?;
                }
                f.write_str(": continue with the same, or give -o another name")
            }
            ResumeError::OtherDirectory { path, directory } => write!(
                f,
                "{} was begun in {}, where its relative paths start: continue there, or give -o another name",
                quoted_path(path),
                quoted(directory)
            ),
        }
    }
}

/// The text has those of the errors beneath.
impl std::error::Error for ResumeError {}

/// A remark about a continued list. `Display` is its text.
#[derive(Debug)]
#[non_exhaustive]
pub enum Remark {
    /// The file could not be locked.
    NotLocked {
        /// The file.
        path: PathBuf,
        /// The error of the system.
        error: io::Error,
    },
    /// The last line was incomplete, with this error, and is removed.
    Torn(ReadError),
    /// The file has no lines, only zero bytes, as after a crash.
    Zeros(PathBuf),
    /// The file is empty.
    Empty(PathBuf),
    /// Lines are damaged and are dropped.
    Damaged {
        /// The file.
        path: PathBuf,
        /// The damaged file, kept in the same directory.
        kept: PathBuf,
        /// Number of damaged lines.
        lines: u64,
    },
    /// One of the first damaged lines.
    Line {
        /// The file.
        path: PathBuf,
        /// The error in the line.
        error: ReadError,
    },
    /// Further damaged lines.
    More {
        /// The file.
        path: PathBuf,
        /// Number of these lines.
        lines: u64,
    },
    /// Lines are superseded by later ones.
    Superseded {
        /// The file.
        path: PathBuf,
        /// Number of superseded lines.
        lines: u64,
        /// Number of all lines of files.
        entries: u64,
        /// Whether they were dropped.
        dropped: bool,
    },
}

impl fmt::Display for Remark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Remark::NotLocked { path, error } => {
                let name = quoted_path(path);
                write!(f, "{name} cannot be locked ({error}): make sure that no other run continues it meanwhile")
            }
            Remark::Torn(error) => write!(f, "the last line was incomplete and is written anew: {error}"),
            Remark::Zeros(path) => {
                write!(f, "{} holds zero bytes only, as a crash can leave it: it is begun anew", quoted_path(path))
            }
            Remark::Empty(path) => write!(f, "{} is empty: it is begun anew", quoted_path(path)),
            Remark::Damaged { path, kept, lines } => {
                let dropped = if *lines == 1 { "line, which is dropped" } else { "lines, which are dropped" };
                let (name, kept) = (quoted_path(path), quoted(kept.file_name().unwrap_or_default().as_bytes()));
                write!(
                    f,
                    "{name} has {lines} damaged {dropped}: the files are hashed again, and the damaged list is kept \
                     beside it as {kept}"
                )
            }
            Remark::Line { path, error } => write!(f, "{}: {error}", quoted_path(path)),
            Remark::More { path, lines } => write!(f, "{}: and {lines} more", quoted_path(path)),
            Remark::Superseded { path, lines, entries, dropped: true } => {
                write!(f, "{}: {lines} of {entries} lines were superseded and are dropped", quoted_path(path))
            }
            Remark::Superseded { path, lines, entries, dropped: false } => write!(
                f,
                "{}: {lines} of {entries} lines are superseded by later ones; --compact drops them",
                quoted_path(path)
            ),
        }
    }
}

/// Makes fingerprints of paths, which take less memory. Their keys are random, so that nobody can choose names with
/// equal fingerprints.
#[derive(Debug)]
pub(crate) struct Fingerprints {
    path: RandomState,
    path_again: RandomState,
    identity: RandomState,
}

impl Fingerprints {
    pub(crate) fn new() -> Fingerprints {
        Fingerprints { path: RandomState::new(), path_again: RandomState::new(), identity: RandomState::new() }
    }

    /// Returns the fingerprint of a path. If two paths have the same (one pair in 2⁶⁴), their identities differ, and
    /// the files are hashed again.
    fn path(&self, path: &[u8]) -> [u64; 1] {
        [self.path.hash_one(path)]
    }

    pub(crate) fn path_wide(&self, path: &[u8]) -> [u64; 2] {
        [self.path.hash_one(path), self.path_again.hash_one(path)]
    }

    /// Returns the fingerprint of a file in the state in which it was hashed; never 0.
    fn identity(&self, path: &[u8], size: u64, mtime: Timestamp) -> u64 {
        self.identity.hash_one((path, size, mtime)) | 1
    }

    /// Returns the fingerprint of the state in an entry; 0 if the file is to be hashed again.
    fn of_entry(&self, entry: &Entry) -> u64 {
        match (entry.is_complete(), entry.expected.size, entry.expected.mtime) {
            (true, Some(size), Some(mtime)) => self.identity(&entry.path, size, mtime),
            _ => 0,
        }
    }
}

impl ResumedList {
    /// Locks and reads the file, if there is one, without changing it. `directory` is where the relative paths of this
    /// run start, in raw bytes, if it is known.
    ///
    /// # Errors
    /// [`ResumeError`] if a run with these digests and facts in that directory cannot continue the file.
    pub fn load(
        path: &Path,
        selection: &Selection,
        piece_bytes: Option<u64>,
        facts: Option<Counting>,
        directory: Option<&[u8]>,
    ) -> Result<ResumedList, ResumeError> {
        let mut list = ResumedList {
            path: path.to_owned(),
            file: None,
            journal: Journal::default(),
            latest: Latest::new(),
            marked: HashSet::new(),
            fingerprints: Fingerprints::new(),
            remarks: Vec::new(),
        };
        let fingerprints = &list.fingerprints;
        list.file = open_locked(path, &mut list.remarks)?;
        let Some(file) = &list.file else { return Ok(list) };
        let journal = Journal::read(BufReader::new(file), |line| {
            if let LineContent::File(entry) = line.content {
                let path = fingerprints.path(&entry.path);
                list.latest.set(path, fingerprints.of_entry(entry));
                if line.has_collision_marks {
                    list.marked.insert(path);
                } else if !list.marked.is_empty() {
                    list.marked.remove(&path);
                }
            }
        });
        list.journal = journal.map_err(|error| ResumeError::NotAJournal { path: path.to_owned(), error })?;
        list.latest.settle();
        if let Some(header) = &list.journal.header {
            fits(header, path, selection, piece_bytes, facts, directory)?;
        }
        let has_header = list.has_header();
        let lost = match list.journal.torn.take() {
            Some(torn) if has_header || !matches!(torn.kind, ReadErrorKind::Zeros) => Some(Remark::Torn(torn)),
            Some(_) => Some(Remark::Zeros(path.to_owned())),
            None if has_header => None,
            None => Some(Remark::Empty(path.to_owned())),
        };
        list.remarks.extend(lost);
        Ok(list)
    }

    /// Returns the remarks so far; [`ResumedList::begin`] may add to them.
    pub fn remarks(&self) -> &[Remark] {
        &self.remarks
    }

    /// Returns the identity of the locked file. `None` if there is none yet, after [`ResumedList::begin`], which gives
    /// the file away, and if the system does not tell.
    pub fn identity(&self) -> Option<FileIdentity> {
        let metadata = self.file.as_ref()?.metadata().ok()?;
        Some(FileIdentity::new(metadata.dev(), metadata.ino()))
    }

    /// Whether the file has its header already.
    pub fn has_header(&self) -> bool {
        self.journal.header.is_some()
    }

    /// Whether lines are damaged in a way that an interruption does not cause.
    pub fn is_damaged(&self) -> bool {
        self.journal.broken.count > 0
    }

    /// Whether the latest line of this path describes the file as it is now.
    pub fn contains(&self, path: &[u8], metadata: &Metadata) -> bool {
        let Some(mtime) = metadata.mtime else { return false };
        let identity = self.fingerprints.identity(path, metadata.size, mtime);
        self.latest.get(self.fingerprints.path(path)) == Some(identity)
    }

    /// Whether the time of modification of a file that a run since `began` read, and reports `now`, may not show that
    /// the file is written once more: the filesystem keeps whole seconds, of which the last may not have been over. In
    /// a line without the time, the file is hashed again by the next run.
    pub fn may_hide_writes(metadata: &Metadata, began: Timestamp, now: Timestamp) -> bool {
        let is_coarse = |time: Timestamp| time.nanoseconds == 0;
        // A time to come is no time of writing. Otherwise the file would be hashed again by each run.
        metadata.mtime.is_some_and(|mtime| is_coarse(mtime) && mtime.may_be_within(began.seconds, now.seconds))
            && metadata.posix.is_none_or(|posix| is_coarse(posix.ctime))
    }

    /// Whether the latest line of this path states that the file, or a piece of it, bears the marks of a collision
    /// attack.
    pub fn has_collision_marks(&self, path: &[u8]) -> bool {
        self.marked.contains(&self.fingerprints.path(path))
    }

    /// Whether the file has a line of this path, in whatever state.
    pub fn knows(&self, path: &[u8]) -> bool {
        self.latest.get(self.fingerprints.path(path)).is_some()
    }

    /// Prepares the file for appending, and returns it positioned there. Creates it, or cuts off the remains of an
    /// interruption, or, if lines are broken or superseded ones are to be dropped (`compact`), replaces it by a file
    /// with the other lines.
    ///
    /// # Errors
    /// If the file cannot be written, or another run has begun it meanwhile.
    pub fn begin(&mut self, compact: bool) -> io::Result<File> {
        let Some(mut file) = self.file.take() else { return self.create() };
        let superseded = self.journal.entries - self.latest.len();
        if self.is_damaged() || (compact && superseded > 0) {
            return self.rewrite(file, compact);
        }
        if superseded > self.journal.entries / 2 && superseded >= SUPERSEDED_MIN {
            self.remark_superseded(superseded, false);
        }
        let keep_bytes = self.journal.resume_offset();
        file.set_len(keep_bytes)?;
        file.seek(io::SeekFrom::Start(keep_bytes))?;
        Ok(file)
    }

    fn create(&mut self) -> io::Result<File> {
        let file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(&self.path)?;
        let locked = lock(&file, &mut self.remarks, &self.path);
        if file.metadata()?.len() > 0 || !locked {
            return Err(io::Error::other("another run has begun it meanwhile"));
        }
        Ok(file)
    }

    /// Writes the valid lines to a new file, which then replaces it. A damaged file is kept under another name.
    fn rewrite(&mut self, mut file: File, compact: bool) -> io::Result<File> {
        let mut new = AtomicFile::create(&self.path)?;
        let target = new.target().to_owned();
        let latest = if compact { Some(self.latest_offsets(&mut file)?) } else { None };
        let (mut written, mut superseded) = (Ok(()), 0);
        read_again(&mut file, |line| {
            let keep = match (line.content, &latest) {
                (LineContent::File(entry), Some(latest)) => {
                    let is_latest = latest.get(self.fingerprints.path_wide(&entry.path)) == Some(line.offset);
                    superseded += u64::from(!is_latest);
                    is_latest
                }
                // The continuing run will write its own.
                (LineContent::Summary, _) => false,
                _ => true,
            };
            if keep && written.is_ok() {
                written = new.write_all(line.bytes).and_then(|()| new.write_all(b"\n"));
            }
        })?;
        written?;
        let kept = if self.is_damaged() { Some(keep_beside(&target, &mut file)?) } else { None };
        // A filesystem without locks was reported before.
        let new = new.persist_locked()?;
        self.tell(kept, superseded);
        Ok(new)
    }

    /// Returns the offset of the latest line of each path.
    fn latest_offsets(&self, file: &mut File) -> io::Result<Latest<2>> {
        let mut latest = Latest::new();
        read_again(file, |line| {
            if let LineContent::File(entry) = line.content {
                latest.set(self.fingerprints.path_wide(&entry.path), line.offset);
            }
        })?;
        latest.settle();
        Ok(latest)
    }

    /// Adds the remarks about the lines that rewriting dropped.
    fn tell(&mut self, kept: Option<PathBuf>, superseded: u64) {
        let path = &self.path;
        if let Some(kept) = kept {
            let broken = std::mem::take(&mut self.journal.broken);
            self.remarks.push(Remark::Damaged { path: path.clone(), kept, lines: broken.count });
            let more = broken.count - broken.first.len() as u64;
            let first = broken.first.into_iter().map(|error| Remark::Line { path: path.clone(), error });
            self.remarks.extend(first);
            self.remarks.extend((more > 0).then(|| Remark::More { path: path.clone(), lines: more }));
            self.journal.broken.count = broken.count;
        }
        if superseded > 0 {
            self.remark_superseded(superseded, true);
        }
    }

    fn remark_superseded(&mut self, lines: u64, dropped: bool) {
        let entries = self.journal.entries;
        self.remarks.push(Remark::Superseded { path: self.path.clone(), lines, entries, dropped });
    }
}

/// Checks that a journal has these digests, pieces and facts, and this directory, so that runs do not mix.
fn fits(
    header: &Header,
    path: &Path,
    selection: &Selection,
    piece_bytes: Option<u64>,
    facts: Option<Counting>,
    directory: Option<&[u8]>,
) -> Result<(), ResumeError> {
    let own = header.selection.clone().unwrap_or_default();
    if own != *selection || header.piece_bytes != piece_bytes || header.facts != facts {
        let lacks = [
            ("--piecewise", piece_bytes.is_some(), header.piece_bytes.is_none()),
            ("--facts", facts.is_some(), header.facts.is_none()),
        ];
        let without = lacks.into_iter().filter(|(_, is_asked, is_absent)| *is_asked && *is_absent);
        let without = without.map(|(option, ..)| option).collect();
        let Header { piece_bytes, facts, .. } = *header;
        return Err(ResumeError::OtherDigests { path: path.to_owned(), selection: own, piece_bytes, facts, without });
    }
    match (&header.directory, directory) {
        (Some(there), Some(here)) if there != here => {
            Err(ResumeError::OtherDirectory { path: path.to_owned(), directory: there.clone() })
        }
        _ => Ok(()),
    }
}

/// Opens and locks the file. Returns `None` if there is none.
fn open_locked(path: &Path, remarks: &mut Vec<Remark>) -> Result<Option<File>, ResumeError> {
    let failed = |error: io::Error| ResumeError::Io { path: path.to_owned(), error };
    loop {
        // Its type is checked first, because opening a FIFO would wait for a writer.
        match fs::metadata(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(failed(error)),
            Ok(found) if !found.is_file() => return Err(ResumeError::NotAFile(path.to_owned())),
            Ok(_) => {}
        }
        let file = match OpenOptions::new().read(true).write(true).open(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            opened => opened.map_err(failed)?,
        };
        if !lock(&file, remarks, path) {
            return Err(ResumeError::InUse(path.to_owned()));
        }
        // Before the lock was taken, another run may have replaced the file.
        let (held, named) = (file.metadata().map_err(failed)?, fs::metadata(path));
        if named.is_ok_and(|named| (named.dev(), named.ino()) == (held.dev(), held.ino())) {
            return Ok(Some(file));
        }
    }
}

/// Takes the lock that all runs on this file take, without waiting. Returns false if another run has it. If the file
/// system has no locks, that is remarked, and the run continues.
fn lock(file: &File, remarks: &mut Vec<Remark>, path: &Path) -> bool {
    match file.try_lock() {
        Ok(()) => true,
        Err(TryLockError::WouldBlock) => false,
        Err(TryLockError::Error(error)) => {
            remarks.push(Remark::NotLocked { path: path.to_owned(), error });
            true
        }
    }
}

/// Reads a journal again from its beginning.
fn read_again(file: &mut File, visit: impl FnMut(JournalLine<'_>)) -> io::Result<()> {
    file.rewind()?;
    Journal::read(BufReader::new(&*file), visit).map(|_| ()).map_err(io::Error::other)
}

/// Keeps the file under a second name, with an unused number.
fn keep_beside(target: &Path, file: &mut File) -> io::Result<PathBuf> {
    let mut number = 0_u64;
    loop {
        number += 1;
        let kept = named_after(target, &format!(".damaged-{number}"));
        let is_taken = |error: &io::Error| error.kind() == io::ErrorKind::AlreadyExists;
        match fs::hard_link(target, &kept) {
            Ok(()) => return Ok(kept),
            Err(error) if is_taken(&error) => continue,
            // Not every file system has hard links.
            Err(_) => match OpenOptions::new().write(true).create_new(true).open(&kept) {
                Err(error) if is_taken(&error) => continue,
                Err(error) => return Err(error),
                Ok(mut copy) => {
                    file.rewind()?;
                    io::copy(file, &mut copy)?;
                    copy.set_permissions(file.metadata()?.permissions())?;
                    copy.sync_all()?;
                    return Ok(kept);
                }
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_damaged_list_is_kept_however_long_its_name_is() {
        let folder = tempfile::tempdir().unwrap();
        let end_bytes = ".damaged-1".len();
        for length in [10, 255 - end_bytes, 255] {
            let target = folder.path().join("n".repeat(length));
            fs::write(&target, "damaged").unwrap();
            let mut file = OpenOptions::new().read(true).open(&target).unwrap();
            let kept = keep_beside(&target, &mut file).unwrap();
            let name = kept.file_name().unwrap().to_str().unwrap();
            let number = if length == 255 { 2 } else { 1 };
            assert_eq!(name, format!("{}.damaged-{number}", "n".repeat(length.min(255 - end_bytes))));
            assert_eq!(fs::read_to_string(&kept).unwrap(), "damaged");
        }
    }

    #[test]
    fn only_recent_times_of_whole_seconds_may_hide_writes() {
        let time = |seconds, nanoseconds| Timestamp { seconds, nanoseconds };
        let (began, now) = (time(100, 5), time(110, 5));
        for (mtime, may_hide) in [
            (time(97, 0), false),
            (time(98, 0), true),
            (time(98, 1), false),
            (time(112, 0), true),
            (time(113, 0), false),
        ] {
            let metadata = Metadata::new(1, Some(mtime));
            assert_eq!(ResumedList::may_hide_writes(&metadata, began, now), may_hide, "{mtime:?}");
        }
        assert!(!ResumedList::may_hide_writes(&Metadata::new(1, None), began, now));
        // A program set the time of modification, but the filesystem keeps finer ones.
        for (nanoseconds, may_hide) in [(0, true), (7, false)] {
            let posix = pfh_record::Posix { ctime: time(105, nanoseconds), ..pfh_record::Posix::default() };
            let metadata = Metadata::new(1, Some(time(100, 0))).with_posix(posix);
            assert_eq!(ResumedList::may_hide_writes(&metadata, began, now), may_hide);
        }
    }

    #[test]
    fn the_identity_is_that_of_the_locked_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal");
        let load = || ResumedList::load(&path, &Selection::default(), None, None, None).unwrap();
        let mut list = load();
        assert_eq!(list.identity(), None);
        drop(list.begin(false).unwrap());
        let mut list = load();
        let metadata = fs::metadata(&path).unwrap();
        assert_eq!(list.identity(), Some(FileIdentity::new(metadata.dev(), metadata.ino())));
        let file = list.begin(false).unwrap();
        assert_eq!((list.identity(), file.metadata().unwrap().ino()), (None, metadata.ino()));
    }
}
