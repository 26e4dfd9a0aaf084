//! The ledger: opening, writing events, and reading them.

use std::collections::HashMap;
use std::fmt;
use std::fs::{self, File, TryLockError};
use std::io::{self, Read};
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use pfh_list::{open_own, open_regular};
use pfh_record::Timestamp;
use pfh_record::quote::quoted_path;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OptionalExtension, Row, params};

use crate::chain::{Chain, Hash, ORIGIN};
use crate::database::{self, Stamp};
use crate::event::{Digests, Event, Seen, Subject};
use crate::schema;
use crate::state::{FileState, Status};
use crate::{Error, Finding, Settings};

/// The columns of an event, with the file and the other file it names, for [`Ledger::event_of`].
pub(crate) const EVENT_COLUMNS: &str = "event.id, event.run, event.kind, event.time, event.size, event.mtime, \
    event.mtime_nanoseconds, event.ctime, event.ctime_nanoseconds, event.inode, \
    (SELECT names FROM algorithms WHERE algorithms.id = event.algorithms), event.digests, event.expected, \
    event.note, event.hash, subject.root, subject.path, other.root, other.path";

/// The tables from which [`EVENT_COLUMNS`] are taken.
pub(crate) const EVENT_TABLES: &str = "event LEFT JOIN file AS subject ON subject.id = event.file \
    LEFT JOIN file AS other ON other.id = event.other";

/// The endings of the names of a ledger and of the files that SQLite has beside it.
const ENDINGS: [&str; 4] = ["", "-wal", "-shm", "-journal"];

/// A ledger.
pub struct Ledger {
    pub(crate) connection: Connection,
    path: PathBuf,
    chain: Chain,
    /// The number and the hash of the last event.
    last: (i64, Hash),
    /// The number of the last run.
    pub(crate) run: i64,
    last_file: i64,
    algorithms: HashMap<String, i64>,
    /// The time of the last event.
    last_time: i64,
    clock_went_back: bool,
    /// The stamp of the file before it was opened as one that does not change.
    unchanging: Option<Stamp>,
}

impl fmt::Debug for Ledger {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ledger").field("path", &self.path).field("events", &self.last.0).finish_non_exhaustive()
    }
}

/// Keeps other runs off a ledger until it is dropped, or its process ends in whatever way.
#[derive(Debug)]
pub struct Lock(#[expect(dead_code, reason = "locked while open")] File);

impl Lock {
    /// Locks the ledger at `path`, by a file `….lock` beside it, or beside the file to which a symbolic link leads.
    /// `waits`: until another run has ended.
    ///
    /// # Errors
    /// [`Error::InUse`] if another run has it, and [`Error::Refused`] if something else than a regular file has its
    /// name: a symbolic link is not followed.
    pub fn take(path: &Path, waits: bool) -> Result<Lock, Error> {
        let name = lock_path(path);
        // A file of its own: closing a descriptor of the database would end SQLite's own locks.
        let file = open_own(&name).map_err(|error| match error.kind() {
            io::ErrorKind::InvalidInput => {
                Error::Refused(format!("its lock {} is not a regular file: remove that", quoted_path(&name)))
            }
            io::ErrorKind::PermissionDenied => Error::Refused(format!(
                "its lock {} cannot be opened: {error}. Somebody else may have made it: give it the ledger's owner, or \
                 remove it if no run is at work",
                quoted_path(&name)
            )),
            _ => error.into(),
        })?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) if waits => file.lock()?,
            Err(TryLockError::WouldBlock) => return Err(Error::InUse),
            Err(TryLockError::Error(error)) => return Err(error.into()),
        }
        Ok(Lock(file))
    }
}

/// Returns the path of the file that a run locks.
fn lock_path(path: &Path) -> PathBuf {
    // A ledger that is not made yet has no link to it.
    let mut name = path.canonicalize().unwrap_or_else(|_| path.to_owned()).into_os_string();
    name.push(".lock");
    PathBuf::from(name)
}

/// Whether a ledger can only be read, and no run has it. If a reader made the files that SQLite has beside it, they
/// would be the reader's, and keep the owner from writing.
fn is_of_others(path: &Path) -> bool {
    if File::options().write(true).open(path).is_ok() {
        return false;
    }
    match File::open(lock_path(path)) {
        Ok(lock) => !matches!(lock.try_lock_shared(), Err(TryLockError::WouldBlock)),
        Err(_) => true,
    }
}

fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    PathBuf::from(name)
}

/// Returns the time in seconds since 1970-01-01T00:00:00Z.
pub(crate) fn now() -> i64 {
    match SystemTime::now().duration_since(UNIX_EPOCH) {
        Ok(since) => since.as_secs().cast_signed(),
        Err(before) => -before.duration().as_secs().cast_signed(),
    }
}

/// Whether a file that SQLite does not open has the number of a ledger in its header: it was one.
fn has_mark(path: &Path) -> bool {
    let mut header = [0; 72];
    let is_read = open_regular(path).and_then(|mut file| file.read_exact(&mut header)).is_ok();
    is_read && header[68..] == schema::APPLICATION_ID.to_be_bytes()
}

impl Ledger {
    /// Makes a ledger for these roots, which are absolute paths in raw bytes. The caller has its [`Lock`].
    ///
    /// # Errors
    /// [`Error::Exists`] if there is a file of this name; and [`Error::NotMade`] with those of writing.
    pub fn create(path: &Path, roots: &[Vec<u8>], settings: &Settings) -> Result<Ledger, Error> {
        // The name is taken first, so that only what is made here is removed again.
        let taken = File::options().write(true).create_new(true).mode(0o644).open(path);
        taken.map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => Error::Exists,
            _ => Error::NotMade(Box::new(error.into())),
        })?;
        Ledger::create_new(path, roots, settings).map_err(|error| {
            // A file that is no ledger would keep the name.
            for made in ENDINGS {
                let _ = fs::remove_file(beside(path, made));
            }
            Error::NotMade(Box::new(error))
        })
    }

    fn create_new(path: &Path, roots: &[Vec<u8>], settings: &Settings) -> Result<Ledger, Error> {
        let connection = database::create(path)?;
        let mut ledger = Ledger::of(connection, path)?;
        ledger.append_note(Finding::Created, note(settings)?)?;
        for (id, root) in roots.iter().enumerate() {
            ledger.connection.execute("INSERT INTO root VALUES(?1, ?2)", params![id as i64, root])?;
            ledger.append_note(Finding::Root, root.clone())?;
        }
        ledger.commit()?;
        Ok(ledger)
    }

    /// Returns the paths of a ledger, which has no symbolic link in its own, and of the files that its lock and SQLite
    /// have beside it.
    pub fn files(path: &Path) -> Vec<PathBuf> {
        ENDINGS.into_iter().chain([".lock"]).map(|ending| beside(path, ending)).collect()
    }

    /// Opens a ledger. `writes`: also for writing.
    ///
    /// # Errors
    /// If it is none, is damaged as far as can be seen at once, is locked, or is of a later version.
    pub fn open(path: &Path, writes: bool) -> Result<Ledger, Error> {
        Ledger::open_as(path, writes, !writes && is_of_others(path))
    }

    fn open_as(path: &Path, writes: bool, is_of_others: bool) -> Result<Ledger, Error> {
        let is_unknown = |error: &rusqlite::Error| error.sqlite_error_code() == Some(rusqlite::ErrorCode::Unknown);
        let connection = database::open(path, writes, is_of_others).map_err(|error| match error {
            Error::NotALedger if has_mark(path) => Error::Damaged("its header is not that of a database".to_owned()),
            Error::Sqlite(error) if is_unknown(&error) && has_mark(path) => Error::Damaged(error.to_string()),
            error => error,
        });
        let ledger = |(connection, unchanging)| Ok(Ledger { unchanging, ..Ledger::of(connection, path)? });
        let opened = connection.and_then(ledger).map_err(|error| match error {
            // A table is not there, or is none.
            Error::Sqlite(error) if is_unknown(&error) => Error::Damaged(error.to_string()),
            error => error,
        });
        opened.map_err(|error| Ledger::unless_unread(path, error))
    }

    /// Returns the error of a ledger, and of one that is called damaged why it cannot be read, if that is the reason:
    /// SQLite takes a page that it cannot read for a damaged one.
    pub fn unless_unread(path: &Path, error: Error) -> Error {
        match error {
            Error::Damaged(reason) => Ledger::read_whole(path).err().unwrap_or(Error::Damaged(reason)),
            error => error,
        }
    }

    /// Reads the file of a ledger to its end: one that cannot be read is not damaged.
    ///
    /// # Errors
    /// [`Error::Failed`] if the file cannot be read.
    pub(crate) fn read_whole(path: &Path) -> Result<(), Error> {
        let failed = |error: io::Error| Error::Failed(error.to_string());
        let file = open_regular(path).map_err(failed)?;
        let (mut buffer, mut offset) = (vec![0; 1 << 20], 0);
        loop {
            match file.read_at(&mut buffer, offset).map_err(failed)? {
                0 => return Ok(()),
                bytes => offset += bytes as u64,
            }
        }
    }

    fn of(connection: Connection, path: &Path) -> Result<Ledger, Error> {
        let last = "SELECT id, hash, run, time FROM event ORDER BY id DESC LIMIT 1";
        let row = connection
            .query_row(last, [], |row| Ok((row.get(0)?, row.get::<_, Vec<u8>>(1)?, row.get(2)?, row.get(3)?)))
            .optional()?;
        let (id, hash, run, last_time) = row.unwrap_or((0, ORIGIN.to_vec(), 0, i64::MIN));
        let hash = Hash::try_from(hash).map_err(|_| Error::Damaged("the last event has no whole hash".to_owned()))?;
        let last_file = connection.query_row("SELECT ifnull(max(id), 0) FROM file", [], |row| row.get(0))?;
        let mut algorithms = HashMap::new();
        {
            let mut statement = connection.prepare("SELECT names, id FROM algorithms")?;
            let mut rows = statement.query([])?;
            while let Some(row) = rows.next()? {
                algorithms.insert(row.get(0)?, row.get(1)?);
            }
        }
        Ok(Ledger {
            connection,
            path: path.to_owned(),
            chain: Chain::new()?,
            last: (id, hash),
            run,
            last_file,
            algorithms,
            last_time,
            clock_went_back: false,
            unchanging: None,
        })
    }

    /// Checks that a ledger which was opened as one that does not change has not been written to since: a run that
    /// began meanwhile makes it look damaged.
    ///
    /// # Errors
    /// [`Error::Changed`] if it has been.
    pub(crate) fn check_unchanged(&self) -> Result<(), Error> {
        match self.unchanging {
            Some(stamp) if stamp != database::stamp_of(&fs::metadata(&self.path)?) => Err(Error::Changed),
            _ => Ok(()),
        }
    }

    /// Limits the memory that SQLite takes to keep pages of the ledger.
    ///
    /// # Errors
    /// If the ledger cannot be read.
    pub fn limit_memory(&self, bytes: u64) -> Result<(), Error> {
        // A negative number is one of KiB.
        let kib = i64::try_from(bytes >> 10).unwrap_or(i64::MAX).max(1024);
        Ok(self.connection.pragma_update(None, "cache_size", -kib)?)
    }

    /// The path of the ledger.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The number and the hash of the last event.
    pub fn last_event(&self) -> (i64, Hash) {
        self.last
    }

    /// Whether an event that was written since the ledger was opened is earlier than the one before, by the clock.
    pub fn clock_went_back(&self) -> bool {
        self.clock_went_back
    }

    /// Begins to write. Nothing is written for others to see before [`Ledger::commit`].
    pub(crate) fn begin(&self) -> Result<(), Error> {
        if self.connection.is_autocommit() {
            self.connection.execute_batch("BEGIN IMMEDIATE")?;
        }
        Ok(())
    }

    pub(crate) fn commit(&self) -> Result<(), Error> {
        if !self.connection.is_autocommit() {
            self.connection.execute_batch("COMMIT")?;
        }
        Ok(())
    }

    /// Appends an event that is about no file.
    pub(crate) fn append_note(&mut self, finding: Finding, note: Vec<u8>) -> Result<i64, Error> {
        let event = Event { note: Some(note), ..self.blank(finding) };
        self.append(event, None, None).map(|event| event.id)
    }

    /// Returns an event of this kind, of the current run and of now.
    pub(crate) fn blank(&self, finding: Finding) -> Event {
        Event {
            id: 0,
            run: self.run,
            finding,
            time: now(),
            subject: None,
            seen: None,
            digests: None,
            expected: None,
            other: None,
            note: None,
        }
    }

    /// Appends an event about a file, and brings its state up to date.
    pub(crate) fn record(&mut self, state: &mut FileState, event: Event, other: Option<i64>) -> Result<i64, Error> {
        let event = self.append(event, Some(state.id), other)?;
        state.apply(&event);
        let Some(Subject { root, path }) = &event.subject else {
            return Err(Error::Refused("an event about a file names it".to_owned()));
        };
        let FileState { id, status, expected, seen, checked } = *state;
        self.connection
            .prepare_cached(
                "INSERT INTO file VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7) ON CONFLICT(root, path) DO UPDATE SET \
                 status = excluded.status, expected = excluded.expected, seen = excluded.seen, \
                 checked = excluded.checked",
            )?
            .execute(params![root, path, id, status as i64, expected, seen, checked])?;
        Ok(event.id)
    }

    /// Gives the event its number, and appends it with its hash.
    fn append(&mut self, mut event: Event, file: Option<i64>, other: Option<i64>) -> Result<Event, Error> {
        event.id = self.last.0 + 1;
        self.clock_went_back |= event.time < self.last_time;
        self.last_time = event.time;
        let hash = self.chain.hash(&self.last.1, &event);
        let algorithms = match &event.digests {
            Some(digests) => Some(self.algorithms_id(&digests.algorithms)?),
            None => None,
        };
        let seen = event.seen.as_ref();
        self.connection
            .prepare_cached(
                "INSERT INTO event VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17)",
            )?
            .execute(params![
                event.id,
                event.run,
                event.finding.code(),
                file,
                event.time,
                seen.map(|seen| seen.size.cast_signed()),
                seen.map(|seen| seen.mtime.seconds),
                seen.map(|seen| seen.mtime.nanoseconds),
                seen.map(|seen| seen.ctime.seconds),
                seen.map(|seen| seen.ctime.nanoseconds),
                seen.map(|seen| seen.inode.cast_signed()),
                algorithms,
                event.digests.as_ref().map(|digests| &digests.bytes),
                event.expected,
                other,
                event.note,
                &hash[..],
            ])?;
        self.last = (event.id, hash);
        Ok(event)
    }

    /// Returns the number of a list of algorithms.
    pub(crate) fn algorithms_id(&mut self, names: &str) -> Result<i64, Error> {
        if let Some(&id) = self.algorithms.get(names) {
            return Ok(id);
        }
        self.connection.execute("INSERT INTO algorithms(names) VALUES(?1)", [names])?;
        let id = self.connection.last_insert_rowid();
        self.algorithms.insert(names.to_owned(), id);
        Ok(id)
    }

    /// Returns the state of a file, if the ledger has it.
    pub(crate) fn state(&self, subject: &Subject) -> Result<Option<FileState>, Error> {
        let mut statement = self
            .connection
            .prepare_cached("SELECT id, status, expected, seen, checked FROM file WHERE root = ?1 AND path = ?2")?;
        let mut rows = statement.query(params![subject.root, subject.path])?;
        match rows.next()? {
            Some(row) => Ok(Some(state_of(row, 0)?)),
            None => Ok(None),
        }
    }

    /// Returns the path and the state of the file with a number.
    pub(crate) fn file(&self, id: i64) -> Result<(Subject, FileState), Error> {
        let sql = "SELECT root, path, id, status, expected, seen, checked FROM file WHERE id = ?1";
        let mut statement = self.connection.prepare_cached(sql)?;
        let mut rows = statement.query([id])?;
        let row = rows.next()?.ok_or_else(|| Error::Damaged(format!("file {id} is not there")))?;
        Ok((Subject { root: row.get(0)?, path: row.get(1)? }, state_of(row, 2)?))
    }

    /// Returns the state of a file that may be new.
    pub(crate) fn state_or_new(&mut self, subject: &Subject) -> Result<FileState, Error> {
        match self.state(subject)? {
            Some(state) => Ok(state),
            None => {
                self.last_file += 1;
                Ok(FileState::new(self.last_file))
            }
        }
    }

    /// Returns the digests that an event states.
    pub(crate) fn digests_of(&self, event: Option<i64>) -> Result<Option<Digests>, Error> {
        let Some(event) = event else { return Ok(None) };
        let mut statement = self.connection.prepare_cached(
            "SELECT algorithms.names, event.digests FROM event JOIN algorithms ON algorithms.id = event.algorithms \
             WHERE event.id = ?1",
        )?;
        let mut rows = statement.query([event])?;
        let Some(row) = rows.next()? else { return Ok(None) };
        Ok(Some(Digests { algorithms: row.get(0)?, bytes: row.get(1)? }))
    }

    /// Returns when a run began, in seconds since 1970-01-01T00:00:00Z.
    pub(crate) fn began_at(&self, run: i64) -> Result<Option<i64>, Error> {
        let sql = "SELECT min(time) FROM event WHERE kind = ?1 AND file IS NULL AND run = ?2";
        let mut statement = self.connection.prepare_cached(sql)?;
        Ok(statement.query_row(params![Finding::Began.code(), run], |row| row.get(0))?)
    }

    /// Whether a file with this stamp may have been written after the event of its last reading, and have it still.
    pub(crate) fn may_hide_writes(&self, seen: &Seen, reading: Option<i64>) -> Result<bool, Error> {
        if !seen.has_whole_seconds() {
            return Ok(false);
        }
        let sql = "SELECT run, time FROM event WHERE id = ?1";
        let mut statement = self.connection.prepare_cached(sql)?;
        let mut rows = statement.query([reading])?;
        let Some(row) = rows.next()? else { return Ok(false) };
        let (run, written) = (row.get(0)?, row.get(1)?);
        Ok(self.began_at(run)?.is_some_and(|began| seen.may_hide_writes(began, written)))
    }

    /// Returns what the filesystem told when an event was written.
    pub(crate) fn seen_of(&self, event: Option<i64>) -> Result<Option<Seen>, Error> {
        let Some(event) = event else { return Ok(None) };
        let mut statement = self.connection.prepare_cached(
            "SELECT size, mtime, mtime_nanoseconds, ctime, ctime_nanoseconds, inode FROM event WHERE id = ?1",
        )?;
        let mut rows = statement.query([event])?;
        match rows.next()? {
            Some(row) => Ok(seen_of(row, 0)?),
            None => Ok(None),
        }
    }

    /// Makes an event of a row with [`EVENT_COLUMNS`], and returns it with its hash.
    pub(crate) fn event_of(row: &Row<'_>) -> Result<(Event, Hash), Error> {
        let id: i64 = row.get(0)?;
        let damaged = |what: &str| Error::Damaged(format!("event {id} has {what}"));
        let finding = Finding::from_code(row.get(2)?).ok_or_else(|| damaged("an unknown kind"))?;
        let subject = |root: usize| -> Result<Option<Subject>, Error> {
            let (root, path): (Option<u32>, Option<Vec<u8>>) = (row.get(root)?, row.get(root + 1)?);
            Ok(root.zip(path).map(|(root, path)| Subject { root, path }))
        };
        let (algorithms, bytes): (Option<String>, Option<Vec<u8>>) = (row.get(10)?, row.get(11)?);
        let hash = match row.get_ref(14)? {
            ValueRef::Blob(bytes) => Hash::try_from(bytes).map_err(|_| damaged("no whole hash"))?,
            _ => return Err(damaged("no hash")),
        };
        let event = Event {
            id,
            run: row.get(1)?,
            finding,
            time: row.get(3)?,
            subject: subject(15)?,
            seen: seen_of(row, 4)?,
            digests: algorithms.zip(bytes).map(|(algorithms, bytes)| Digests { algorithms, bytes }),
            expected: row.get(12)?,
            other: subject(17)?,
            note: row.get(13)?,
        };
        Ok((event, hash))
    }

    /// Computes the hash of an event that follows one with the hash `previous`.
    pub(crate) fn hash(&mut self, previous: &Hash, event: &Event) -> Hash {
        self.chain.hash(previous, event)
    }
}

/// Returns the state in the five columns from `first` on.
pub(crate) fn state_of(row: &Row<'_>, first: usize) -> Result<FileState, Error> {
    let (id, code): (i64, i64) = (row.get(first)?, row.get(first + 1)?);
    let status =
        Status::from_code(code).ok_or_else(|| Error::Damaged(format!("file {id} has an unknown status {code}")))?;
    Ok(FileState { id, status, expected: row.get(first + 2)?, seen: row.get(first + 3)?, checked: row.get(first + 4)? })
}

/// Returns the stamp in the six columns from `first` on.
pub(crate) fn seen_of(row: &Row<'_>, first: usize) -> Result<Option<Seen>, rusqlite::Error> {
    let Some(size) = row.get::<_, Option<i64>>(first)? else { return Ok(None) };
    let time = |at: usize| -> Result<Timestamp, rusqlite::Error> {
        Ok(Timestamp { seconds: row.get(at)?, nanoseconds: row.get(at + 1)? })
    };
    Ok(Some(Seen {
        size: size.cast_unsigned(),
        mtime: time(first + 1)?,
        ctime: time(first + 3)?,
        inode: row.get::<_, i64>(first + 5)?.cast_unsigned(),
    }))
}

/// Makes the note of an event.
pub(crate) fn note(value: &impl serde::Serialize) -> Result<Vec<u8>, Error> {
    serde_json::to_vec(value).map_err(|error| Error::Refused(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The log has pages of the ledger before any of them count.
    #[test]
    fn a_ledger_that_is_being_made_is_waited_for() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("ledger");
        File::create_new(&path).unwrap();
        let connection = database::create(&path).unwrap();
        connection.execute_batch("PRAGMA cache_size = 1").unwrap();
        connection.execute("INSERT INTO root VALUES(0, zeroblob(100000))", []).unwrap();
        connection.execute("INSERT INTO root VALUES(1, zeroblob(100000))", []).unwrap();
        assert!(std::fs::metadata(directory.path().join("ledger-wal")).unwrap().len() > 0);
        let opening = std::thread::spawn(move || Ledger::open(&path, false).map(drop));
        std::thread::sleep(std::time::Duration::from_millis(200));
        connection.execute_batch("COMMIT").unwrap();
        opening.join().unwrap().unwrap();
    }

    /// The order of events is that of their numbers, whatever the clock says.
    #[test]
    fn a_clock_that_was_set_back_is_noticed_and_does_no_harm() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("ledger");
        let mut ledger = Ledger::create(&path, &[b"/a".to_vec()], &Settings::default()).unwrap();
        assert!(!ledger.clock_went_back());
        ledger.begin().unwrap();
        let later = Event { time: now() + 1_000_000, note: Some(Vec::new()), ..ledger.blank(Finding::Root) };
        let later = Event { finding: Finding::Settings, note: Some(note(&Settings::default()).unwrap()), ..later };
        ledger.append(later, None, None).unwrap();
        assert!(!ledger.clock_went_back());
        ledger.set_settings(&Settings::default()).unwrap();
        assert!(ledger.clock_went_back());
        drop(ledger);
        let mut ledger = Ledger::open(&path, false).unwrap();
        let verified = ledger.verify(None, &|| false).unwrap();
        assert_eq!((verified.events, verified.problems, verified.clock_went_back), (4, Vec::new(), vec![4]));
    }

    /// A reader that may not write leaves nothing beside a ledger, and so does not see what a run writes meanwhile.
    #[test]
    fn what_is_written_while_a_ledger_is_read_as_unchanging_is_no_damage() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("ledger");
        drop(Ledger::create(&path, &[b"/a".to_vec()], &Settings::default()).unwrap());
        // Clocks of files may stand still for some milliseconds.
        File::options().write(true).open(&path).unwrap().set_modified(UNIX_EPOCH).unwrap();
        let mut reader = Ledger::open_as(&path, false, true).unwrap();
        Connection::open(&path).unwrap().execute("UPDATE root SET path = x'2f62'", []).unwrap();
        assert!(matches!(reader.verify(None, &|| false), Err(Error::Changed)));
        let mut reader = Ledger::open_as(&path, false, true).unwrap();
        assert_eq!(reader.verify(None, &|| false).unwrap().problems, [crate::Problem::Root(0)]);
    }
}
