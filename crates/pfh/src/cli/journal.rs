//! `--resume`: what a JSON Lines file already records, and how the file is made ready to go on.

use super::latest::Latest;
use super::message::quoted;
use pfh_record::jsonl::{Journal, JournalEntry, JournalHeader, LineContent};
use pfh_record::{Metadata, ReadErrorKind, Selection, Timestamp};
use std::ffi::OsStr;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::hash::{BuildHasher, RandomState};
use std::io::{self, BufReader, BufWriter, Seek, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, fchown};
use std::path::{Path, PathBuf};

/// Fewer superseded lines are not worth a word.
const SUPERSEDED_MIN: u64 = 100;

/// The file that is to be continued.
pub(crate) struct Recorded {
    path: PathBuf,
    /// Locked; none where there is no file yet.
    file: Option<File>,
    journal: Journal,
    /// For each path, the identity that its latest line has.
    latest: Latest<1>,
    fingerprints: Fingerprints,
    /// What there is to say about the file.
    pub(crate) remarks: Vec<String>,
}

/// Fingerprints instead of paths. Their keys are random, so that nobody can choose names that have the same.
struct Fingerprints {
    path: RandomState,
    path_again: RandomState,
    identity: RandomState,
}

impl Fingerprints {
    fn new() -> Fingerprints {
        Fingerprints { path: RandomState::new(), path_again: RandomState::new(), identity: RandomState::new() }
    }

    /// Two files with the same, at one in 2⁶⁴, are hashed again: the identity tells them apart.
    fn path(&self, path: &[u8]) -> [u64; 1] {
        [self.path.hash_one(path)]
    }

    fn path_wide(&self, path: &[u8]) -> [u64; 2] {
        [self.path.hash_one(path), self.path_again.hash_one(path)]
    }

    /// Of a file as it was when it was hashed; never 0.
    fn identity(&self, path: &[u8], size: u64, mtime: Timestamp) -> u64 {
        self.identity.hash_one((path, size, mtime)) | 1
    }

    /// Of what a line says; 0 where the file is to be hashed again.
    fn of_entry(&self, entry: &JournalEntry<'_>) -> u64 {
        match (entry.complete, entry.size, entry.mtime) {
            (true, Some(size), Some(mtime)) => self.identity(entry.path, size, mtime),
            _ => 0,
        }
    }
}

impl Recorded {
    /// Locks and reads the file, if there is one, and changes nothing. The message of an error says what to do.
    pub(crate) fn load(path: &Path, selection: &Selection, piece_bytes: Option<u64>) -> Result<Recorded, String> {
        let mut recorded = Recorded {
            path: path.to_owned(),
            file: None,
            journal: Journal::default(),
            latest: Latest::new(),
            fingerprints: Fingerprints::new(),
            remarks: Vec::new(),
        };
        let (name, fingerprints) = (recorded.name(), &recorded.fingerprints);
        recorded.file = open_locked(path, &mut recorded.remarks)?;
        let Some(file) = &recorded.file else { return Ok(recorded) };
        let journal = Journal::read(BufReader::new(file), |line| {
            if let LineContent::File(entry) = line.content {
                recorded.latest.set(fingerprints.path(entry.path), fingerprints.of_entry(&entry));
            }
        });
        recorded.journal =
            journal.map_err(|error| format!("{name} is no JSON Lines file of pfh: {error}. Give -o another name"))?;
        recorded.latest.settle();
        if let Some(header) = &recorded.journal.header {
            fits(header, &name, selection, piece_bytes)?;
        }
        let lost = match &recorded.journal.torn {
            Some(torn) if recorded.has_header() || !matches!(torn.kind, ReadErrorKind::Zeros) => {
                Some(format!("the last line was incomplete and is written anew: {torn}"))
            }
            Some(_) => Some(format!("{name} holds zero bytes only, as a crash can leave it: it is begun anew")),
            None if recorded.has_header() => None,
            None => Some(format!("{name} is empty: it is begun anew")),
        };
        recorded.remarks.extend(lost);
        Ok(recorded)
    }

    fn name(&self) -> String {
        quoted(self.path.as_os_str().as_bytes())
    }

    /// The file has its header already.
    pub(crate) fn has_header(&self) -> bool {
        self.journal.header.is_some()
    }

    /// Lines of it were lost to something else than an interruption.
    pub(crate) fn is_damaged(&self) -> bool {
        self.journal.broken.count > 0
    }

    /// Whether the latest line about this path has the file as it is now.
    pub(crate) fn contains(&self, path: &[u8], metadata: &Metadata) -> bool {
        let identity = self.fingerprints.identity(path, metadata.size, metadata.mtime);
        self.latest.get(self.fingerprints.path(path)) == Some(identity)
    }

    /// Makes the file ready to be appended to: creates it, or cuts off what an interruption left, or, where lines are
    /// broken or superseded ones are to go (`compact`), puts a file of the other lines in its place. Writing goes on where
    /// the file that is returned stands.
    pub(crate) fn begin(&mut self, compact: bool) -> io::Result<File> {
        let Some(mut file) = self.file.take() else { return self.create() };
        let superseded = self.journal.entries - self.latest.len();
        if self.is_damaged() || (compact && superseded > 0) {
            return self.rewrite(file, compact);
        }
        if superseded > self.journal.entries / 2 && superseded >= SUPERSEDED_MIN {
            let (name, entries) = (self.name(), self.journal.entries);
            let remark =
                format!("{name}: {superseded} of {entries} lines are superseded by later ones; --compact drops them");
            self.remarks.push(remark);
        }
        let keep_bytes = self.journal.resume_offset();
        file.set_len(keep_bytes)?;
        file.seek(io::SeekFrom::Start(keep_bytes))?;
        Ok(file)
    }

    fn create(&mut self) -> io::Result<File> {
        let file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(&self.path)?;
        let locked = lock(&file, &mut self.remarks, &self.path).map_err(io::Error::other)?;
        if file.metadata()?.len() > 0 || !locked {
            return Err(io::Error::other("another run has begun it meanwhile"));
        }
        Ok(file)
    }

    /// Writes the lines that count to a file beside it, which then takes its place. What was damaged is kept.
    fn rewrite(&mut self, mut file: File, compact: bool) -> io::Result<File> {
        let target = fs::canonicalize(&self.path)?;
        let directory = target.parent().unwrap_or(Path::new("/"));
        let temporary = tempfile::Builder::new().prefix(".pfh-").tempfile_in(directory)?;
        let (new, temporary) = temporary.into_parts();
        let latest = if compact { Some(self.latest_offsets(&mut file)?) } else { None };
        let mut writer = BufWriter::new(new);
        let (mut written, mut superseded) = (Ok(()), 0);
        read_again(&mut file, |line| {
            let keep = match (line.content, &latest) {
                (LineContent::File(entry), Some(latest)) => {
                    let is_latest = latest.get(self.fingerprints.path_wide(entry.path)) == Some(line.offset);
                    superseded += u64::from(!is_latest);
                    is_latest
                }
                // The run that goes on will write its own.
                (LineContent::Summary, _) => false,
                _ => true,
            };
            if keep && written.is_ok() {
                written = writer.write_all(line.bytes).and_then(|()| writer.write_all(b"\n"));
            }
        })?;
        written?;
        let new = writer.into_inner().map_err(io::IntoInnerError::into_error)?;
        let old = file.metadata()?;
        if fchown(&new, Some(old.uid()), Some(old.gid())).is_ok() {
            new.set_permissions(old.permissions())?;
        }
        new.sync_all()?;
        // Before it has the name under which another run would find it. Where this file system has no locks, that was said.
        let _ = new.try_lock();
        let kept = if self.is_damaged() { Some(keep_beside(&target, &mut file)?) } else { None };
        temporary.persist(&target).map_err(|error| error.error)?;
        File::open(directory)?.sync_all()?;
        self.tell(kept.as_deref(), superseded);
        Ok(new)
    }

    /// For each path, the offset of its latest line.
    fn latest_offsets(&self, file: &mut File) -> io::Result<Latest<2>> {
        let mut latest = Latest::new();
        read_again(file, |line| {
            if let LineContent::File(entry) = line.content {
                latest.set(self.fingerprints.path_wide(entry.path), line.offset);
            }
        })?;
        latest.settle();
        Ok(latest)
    }

    /// What a rewriting dropped.
    fn tell(&mut self, kept: Option<&Path>, superseded: u64) {
        let (name, broken) = (self.name(), &self.journal.broken);
        if let Some(kept) = kept {
            let kept = quoted(kept.file_name().unwrap_or_default().as_bytes());
            self.remarks.push(format!(
                "{name} is damaged: {} of its lines cannot be believed; they are dropped, their files are hashed again, \
                 and the damaged file is kept beside it as {kept}",
                broken.count
            ));
            self.remarks.extend(broken.first.iter().map(|error| format!("{name}: {error}")));
            let more = broken.count - broken.first.len() as u64;
            self.remarks.extend((more > 0).then(|| format!("{name}: and {more} more")));
        }
        if superseded > 0 {
            let entries = self.journal.entries;
            self.remarks.push(format!("{name}: {superseded} of {entries} lines were superseded and are dropped"));
        }
    }
}

/// Refuses to mix what a journal has with something else.
fn fits(header: &JournalHeader, name: &str, selection: &Selection, piece_bytes: Option<u64>) -> Result<(), String> {
    if header.selection != *selection || header.piece_bytes != piece_bytes {
        let names: Vec<_> = header.selection.names().collect();
        let pieces = header.piece_bytes.map_or(String::new(), |bytes| format!(" --piecewise {bytes}"));
        return Err(format!(
            "{name} was begun with `-a {}{pieces}`: continue with the same, or give -o another name",
            names.join(",")
        ));
    }
    let here = std::env::current_dir().ok();
    if let (Some(there), Some(here)) = (&header.directory, &here)
        && there != here.as_os_str().as_bytes()
    {
        return Err(format!(
            "{name} was begun in {}, where its relative paths start: continue there, or give -o another name",
            quoted(there)
        ));
    }
    Ok(())
}

/// Opens and locks the file; `None` where there is none.
fn open_locked(path: &Path, remarks: &mut Vec<String>) -> Result<Option<File>, String> {
    let name = quoted(path.as_os_str().as_bytes());
    let failed = |error: io::Error| format!("{name}: {error}");
    loop {
        // Looked at before it is opened: opening a FIFO waits for somebody who writes.
        match fs::metadata(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(failed(error)),
            Ok(found) if !found.is_file() => {
                return Err(format!("{name} is no regular file: --resume cannot continue it. Give -o another name"));
            }
            Ok(_) => {}
        }
        let file = match OpenOptions::new().read(true).write(true).open(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            opened => opened.map_err(failed)?,
        };
        if !lock(&file, remarks, path)? {
            return Err(in_use(path));
        }
        // Until the lock was held, another run may have put a new file in its place.
        let (held, named) = (file.metadata().map_err(failed)?, fs::metadata(path));
        if named.is_ok_and(|named| (named.dev(), named.ino()) == (held.dev(), held.ino())) {
            return Ok(Some(file));
        }
    }
}

fn in_use(path: &Path) -> String {
    let name = quoted(path.as_os_str().as_bytes());
    format!("{name} is in use by another run: wait until that has ended, or give -o another name")
}

/// Takes the lock that all runs on this file take, and does not wait for it. Where the file system has no locks, that is
/// remarked, and the run goes on.
fn lock(file: &File, remarks: &mut Vec<String>, path: &Path) -> Result<bool, String> {
    match file.try_lock() {
        Ok(()) => Ok(true),
        Err(TryLockError::WouldBlock) => Ok(false),
        Err(TryLockError::Error(error)) => {
            let name = quoted(path.as_os_str().as_bytes());
            remarks
                .push(format!("{name} cannot be locked ({error}): see to it that no other run continues it meanwhile"));
            Ok(true)
        }
    }
}

/// Reads a journal that was read before.
fn read_again(file: &mut File, visit: impl FnMut(pfh_record::jsonl::JournalLine<'_>)) -> io::Result<()> {
    file.rewind()?;
    Journal::read(BufReader::new(&*file), visit).map(|_| ()).map_err(io::Error::other)
}

/// Keeps the file under a second name, with a number that no other has.
fn keep_beside(target: &Path, file: &mut File) -> io::Result<PathBuf> {
    let mut number = 0_u64;
    loop {
        number += 1;
        let mut kept = target.as_os_str().to_owned();
        kept.push(OsStr::new(&format!(".damaged-{number}")));
        let kept = PathBuf::from(kept);
        let is_taken = |error: &io::Error| error.kind() == io::ErrorKind::AlreadyExists;
        match fs::hard_link(target, &kept) {
            Ok(()) => return Ok(kept),
            Err(error) if is_taken(&error) => continue,
            // Not every file system has second names.
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
