//! A walk compared with the ledger: what is unchanged, what is to be read, what is gone.

use std::collections::{BTreeMap, HashSet};
use std::io;

use pfh_list::ByteSort;
use pfh_record::Timestamp;
use rusqlite::params;

use crate::event::{Seen, Subject};
use crate::ledger::{now, seen_of, state_of};
use crate::plan::{Plan, Task, Tasker, Tasks};
use crate::state::{FileState, Status};
use crate::surveyed::Surveyed;
use crate::{Error, Run};

/// Most names that a walk could not see into and that are kept apart; with more of them, no path counts as gone.
const UNSEEN_MAX: usize = 100_000;

/// Bytes of a record after the path.
const STAMP_BYTES: usize = 1 + 8 + 12 + 12 + 8 + 8 + 1;

/// Collects what a walk finds.
pub struct Survey {
    sort: ByteSort,
    memory_bytes: u64,
    record: Vec<u8>,
    files: u64,
    bytes: u64,
    left_out: u64,
    unseen: HashSet<Subject>,
    unseen_overflows: bool,
    is_wanted: Box<IsWanted>,
}

/// Whether filters let a walk come to a path.
type IsWanted = dyn Fn(&Subject) -> bool;

impl Survey {
    /// Longest path, in bytes.
    pub const PATH_BYTES_MAX: usize = 60_000;

    /// Makes an empty survey that takes at most `memory_bytes` of memory; the rest waits in temporary files.
    pub fn new(memory_bytes: u64) -> Survey {
        Survey {
            sort: ByteSort::new(memory_bytes / 2),
            memory_bytes,
            record: Vec::new(),
            files: 0,
            bytes: 0,
            left_out: 0,
            unseen: HashSet::new(),
            unseen_overflows: false,
            is_wanted: Box::new(|_| true),
        }
    }

    /// Sets which paths the filters of the walk accept: the walk tells nothing about the other ones, also where they
    /// are gone.
    #[must_use]
    pub fn filtered(self, is_wanted: impl Fn(&Subject) -> bool + 'static) -> Survey {
        Survey { is_wanted: Box::new(is_wanted), ..self }
    }

    /// Adds a file that the walk found, on the device with this number.
    ///
    /// # Errors
    /// If a temporary file cannot be used, or the path is longer than [`Survey::PATH_BYTES_MAX`].
    pub fn push(&mut self, subject: &Subject, seen: &Seen, device: u64) -> io::Result<()> {
        self.files += 1;
        self.bytes += seen.size;
        self.push_record(subject, seen, device, false)
    }

    /// Adds a file that the walk found, and whose size lies outside the limits of the settings. It counts only if the
    /// ledger expects another size of it, because then it changed.
    ///
    /// # Errors
    /// As [`Survey::push`].
    pub fn push_left_out(&mut self, subject: &Subject, seen: &Seen, device: u64) -> io::Result<()> {
        self.left_out += 1;
        self.push_record(subject, seen, device, true)
    }

    fn push_record(&mut self, subject: &Subject, seen: &Seen, device: u64, is_left_out: bool) -> io::Result<()> {
        self.record.clear();
        self.record.extend_from_slice(&subject.root.to_be_bytes());
        self.record.extend_from_slice(&subject.path);
        self.record.push(0);
        self.record.extend_from_slice(&seen.size.to_be_bytes());
        for time in [seen.mtime, seen.ctime] {
            self.record.extend_from_slice(&time.seconds.to_be_bytes());
            self.record.extend_from_slice(&time.nanoseconds.to_be_bytes());
        }
        self.record.extend_from_slice(&seen.inode.to_be_bytes());
        self.record.extend_from_slice(&device.to_be_bytes());
        self.record.push(u8::from(is_left_out));
        self.sort.push(&self.record)
    }

    /// Notes that the walk tells nothing about a path and all below it.
    pub fn unseen(&mut self, subject: Subject) {
        self.unseen_overflows |= self.unseen.len() == UNSEEN_MAX;
        if !self.unseen_overflows {
            self.unseen.insert(subject);
        }
    }

    /// Number of files so far, with those that their sizes leave out.
    pub fn found(&self) -> u64 {
        self.files + self.left_out
    }

    fn is_unseen(&self, subject: &Subject) -> bool {
        if self.unseen_overflows {
            return true;
        }
        if self.unseen.is_empty() {
            return false;
        }
        let root = subject.root;
        let mut part = Subject { root, path: subject.path.clone() };
        loop {
            if self.unseen.contains(&part) {
                return true;
            }
            match part.path.iter().rposition(|&byte| byte == b'/') {
                Some(end) => part.path.truncate(end),
                None if part.path.is_empty() => return false,
                None => part.path.clear(),
            }
        }
    }

    /// Compares the walk with the ledger of a run, in one pass over both. Returns the files to read, too.
    ///
    /// # Errors
    /// If the ledger or a temporary file cannot be read or written.
    pub fn compare(mut self, run: &Run, plan: &Plan) -> Result<(Surveyed, Tasks), Error> {
        let sort = std::mem::replace(&mut self.sort, ByteSort::new(0));
        let ledger = run.ledger();
        let connection = &ledger.connection;
        // From here on, the run is recorded.
        ledger.commit()?;
        connection.execute_batch(
            "DROP TABLE IF EXISTS temp.gone;
             DROP TABLE IF EXISTS temp.left_size;
             CREATE TEMP TABLE gone(id INTEGER PRIMARY KEY, root INTEGER NOT NULL, path BLOB NOT NULL);
             CREATE TEMP TABLE left_size(size INTEGER PRIMARY KEY);
             BEGIN",
        )?;
        let mut pass = Pass {
            run,
            plan,
            tasker: Tasker::new(self.memory_bytes / 4),
            has_pending: connection.query_row("SELECT EXISTS(SELECT 1 FROM pending)", [], |row| row.get(0))?,
            now: now(),
            files: self.files,
            bytes: self.bytes,
            unchanged: 0,
            done: 0,
            done_bytes: 0,
            unseen: 0,
            began: BTreeMap::new(),
        };
        let mut statement = connection.prepare(
            "SELECT file.root, file.path, file.id, file.status, file.expected, file.seen, file.checked, seen.size, \
             seen.mtime, seen.mtime_nanoseconds, seen.ctime, seen.ctime_nanoseconds, seen.inode, \
             reading.run, reading.time \
             FROM file LEFT JOIN event AS seen ON seen.id = file.seen \
             LEFT JOIN event AS reading ON reading.id = file.checked ORDER BY file.root, file.path",
        )?;
        let mut rows = statement.query([])?;
        let mut next = || -> Result<Option<Known>, Error> {
            let Some(row) = rows.next()? else { return Ok(None) };
            let subject = Subject { root: row.get(0)?, path: row.get(1)? };
            let reading = row.get::<_, Option<i64>>(13)?.zip(row.get::<_, Option<i64>>(14)?);
            Ok(Some(Known { subject, state: state_of(row, 2)?, seen: seen_of(row, 7)?, reading }))
        };
        let mut known = next()?;
        let mut failed = None;
        let sorted = sort.into_each(|record| {
            let mut compare = || -> Result<(), Error> {
                let found = Found::of(record)?;
                while let Some(gone) = known.take_if(|known| known.subject < found.subject) {
                    pass.gone(&gone, &self)?;
                    known = next()?;
                }
                match known.take_if(|known| known.subject == found.subject) {
                    Some(same) => {
                        if found.is_left_out {
                            pass.left_out(&same, &found)?;
                        } else {
                            pass.known(&same, &found)?;
                        }
                        known = next()?;
                        Ok(())
                    }
                    None if found.is_left_out => Ok(()),
                    None => pass.new_file(&found),
                }
            };
            compare().map_err(|error| {
                failed = Some(error);
                io::Error::other("stopped")
            })
        });
        match (sorted, failed) {
            (_, Some(error)) => return Err(error),
            (sorted, None) => sorted.map_err(Error::Temporary)?,
        }
        while let Some(gone) = known {
            pass.gone(&gone, &self)?;
            known = next()?;
        }
        drop(rows);
        drop(statement);
        let Pass { tasker, files, bytes, unchanged, done, done_bytes, unseen, .. } = pass;
        connection.execute_batch("COMMIT")?;
        let tasks = tasker.end(plan, bytes, done_bytes).map_err(Error::Temporary)?;
        Ok((Surveyed { files, bytes, unchanged, done, unseen }, tasks))
    }
}

/// A file of the ledger.
struct Known {
    subject: Subject,
    state: FileState,
    seen: Option<Seen>,
    /// The run that last read it, and when that wrote its event.
    reading: Option<(i64, i64)>,
}

/// A file that the walk found.
struct Found {
    subject: Subject,
    seen: Seen,
    device: u64,
    /// Whether its size lies outside the limits of the settings.
    is_left_out: bool,
}

impl Found {
    fn of(record: &[u8]) -> Result<Found, Error> {
        let damaged = || Error::Io(io::ErrorKind::InvalidData.into());
        let (front, stamp) =
            record.len().checked_sub(STAMP_BYTES).and_then(|at| record.split_at_checked(at)).ok_or_else(damaged)?;
        let (root, path) = front.split_first_chunk::<4>().ok_or_else(damaged)?;
        let long = |at: usize| {
            let mut bytes = [0; 8];
            bytes.copy_from_slice(&stamp[at..at + 8]);
            u64::from_be_bytes(bytes)
        };
        let time = |at: usize| {
            let mut bytes = [0; 4];
            bytes.copy_from_slice(&stamp[at + 8..at + 12]);
            Timestamp { seconds: long(at).cast_signed(), nanoseconds: u32::from_be_bytes(bytes) }
        };
        Ok(Found {
            subject: Subject { root: u32::from_be_bytes(*root), path: path.to_vec() },
            seen: Seen { size: long(1), mtime: time(9), ctime: time(21), inode: long(33) },
            device: long(41),
            is_left_out: stamp[49] == 1,
        })
    }

    fn task(&self, is_unchanged: bool, is_new: bool) -> Task {
        let Found { subject, seen, device, .. } = self;
        Task { subject: subject.clone(), size: seen.size, device: *device, inode: seen.inode, is_unchanged, is_new }
    }
}

/// The pass over the walk and the ledger.
struct Pass<'a> {
    run: &'a Run,
    plan: &'a Plan,
    tasker: Tasker,
    /// Whether an interrupted run has read new files.
    has_pending: bool,
    now: i64,
    /// Files that the walk found and that count, and their bytes.
    files: u64,
    bytes: u64,
    unchanged: u64,
    done: u64,
    /// The bytes of those of them that seemed unchanged.
    done_bytes: u64,
    unseen: u64,
    /// When earlier runs began, as far as somebody asked.
    began: BTreeMap<i64, Option<i64>>,
}

impl Pass<'_> {
    /// A file of the ledger that the walk did not find.
    fn gone(&mut self, known: &Known, survey: &Survey) -> Result<(), Error> {
        if known.state.status == Status::Retired {
            return Ok(());
        }
        if survey.is_unseen(&known.subject) || !(survey.is_wanted)(&known.subject) {
            self.unseen += 1;
            return Ok(());
        }
        self.run.ledger().connection.prepare_cached("INSERT INTO temp.gone VALUES(?1, ?2, ?3)")?.execute(params![
            known.state.id,
            known.subject.root,
            known.subject.path
        ])?;
        Ok(())
    }

    /// A file that is in both.
    fn known(&mut self, known: &Known, found: &Found) -> Result<(), Error> {
        let FileState { id, status, expected, seen, checked } = known.state;
        let since = self.run.began();
        let is_same = known.seen.as_ref() == Some(&found.seen);
        let mut tried = checked;
        let is_done = match status {
            Status::Retired => return self.new_file(found),
            _ if expected.is_none() && self.is_pending(found)? => true,
            Status::Sound | Status::Changed | Status::BitRot => {
                is_same && checked.is_some_and(|checked| checked >= since)
            }
            Status::Missing => false,
            Status::Unreadable | Status::Changing => {
                let sql = "SELECT max(id) FROM event WHERE file = ?1";
                tried = self.run.ledger().connection.prepare_cached(sql)?.query_row([id], |row| row.get(0))?;
                tried.is_some_and(|tried| tried >= since)
            }
        };
        if is_done {
            self.done += 1;
            // A reading keeps what the filesystem tells only if that is new.
            if status == Status::BitRot || (status == Status::Sound && seen != checked) {
                self.done_bytes += found.seen.size;
            }
            return Ok(());
        }
        let seems_unchanged = is_same
            && matches!(status, Status::Sound | Status::Changed | Status::BitRot)
            && !self.may_hide_writes(known, found)?;
        if seems_unchanged && !self.wants_unchanged(expected, checked)? {
            self.unchanged += 1;
            return Ok(());
        }
        self.tasker.push(&found.task(seems_unchanged, expected.is_none()), tried).map_err(Error::Temporary)?;
        Ok(())
    }

    /// Whether a file whose stamp is the same may have been written after its last reading.
    fn may_hide_writes(&mut self, known: &Known, found: &Found) -> Result<bool, Error> {
        let Some((run, written)) = known.reading.filter(|_| found.seen.has_whole_seconds()) else { return Ok(false) };
        let began = match self.began.get(&run) {
            Some(began) => *began,
            None => {
                let began = self.run.ledger().began_at(run)?;
                self.began.insert(run, began);
                began
            }
        };
        Ok(began.is_some_and(|began| found.seen.may_hide_writes(began, written)))
    }

    /// A file that is in both, and whose size lies outside the limits of the settings.
    fn left_out(&mut self, known: &Known, found: &Found) -> Result<(), Error> {
        if known.state.status == Status::Retired {
            return Ok(());
        }
        let expected = self.run.ledger().seen_of(known.state.expected)?;
        if expected.is_none_or(|expected| expected.size == found.seen.size) {
            self.unseen += 1;
            return Ok(());
        }
        self.files += 1;
        self.bytes += found.seen.size;
        self.known(known, found)
    }

    /// Whether a file that seems unchanged is to be read.
    fn wants_unchanged(&self, expected: Option<i64>, checked: Option<i64>) -> Result<bool, Error> {
        if let Some(target) = self.run.migrates_to() {
            let digests = self.run.ledger().digests_of(expected)?.unwrap_or_default();
            return Ok(!digests.algorithms.split(',').any(|name| name == target));
        }
        match (self.plan.unchanged, self.plan.verified_before) {
            (wanted, None) => Ok(wanted),
            (_, Some(before)) => {
                // A time to come is that of a clock that was ahead, and says nothing.
                let sql = "SELECT time < ?2 OR time > ?3 FROM event WHERE id = ?1";
                let mut statement = self.run.ledger().connection.prepare_cached(sql)?;
                let mut rows = statement.query(params![checked, before, self.now])?;
                Ok(match rows.next()? {
                    Some(row) => row.get(0)?,
                    None => true,
                })
            }
        }
    }

    /// A file that is not in the ledger.
    fn new_file(&mut self, found: &Found) -> Result<(), Error> {
        if self.is_pending(found)? {
            self.done += 1;
            return Ok(());
        }
        self.tasker.push(&found.task(false, true), None).map_err(Error::Temporary)?;
        Ok(())
    }

    /// Whether an interrupted part of this run has read a file of which the ledger expects nothing yet.
    fn is_pending(&self, found: &Found) -> Result<bool, Error> {
        Ok(self.has_pending && self.run.pending_seen(&found.subject)? == Some(found.seen))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::{Digests, Event};
    use crate::{Finding, Ledger, Observation, RunOptions, Settings, Stopped};

    /// Returns the number of files to read, and of those that are overdue, where the only one was last read at a time.
    fn due(time: i64) -> (u64, u64) {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("ledger");
        let mut ledger = Ledger::create(&path, &[b"/a".to_vec()], &Settings::default()).unwrap();
        let (subject, seen) = (Subject { root: 0, path: b"f".to_vec() }, Seen::default());
        ledger.begin().unwrap();
        let mut state = ledger.state_or_new(&subject).unwrap();
        let event = Event { time, subject: Some(subject.clone()), seen: Some(seen), ..ledger.blank(Finding::First) };
        ledger.record(&mut state, event, None).unwrap();
        ledger.commit().unwrap();
        let before = now() - 1000;
        let overdue = ledger.standing(Some(before)).unwrap().overdue;
        let run = Run::begin(ledger, RunOptions::default(), &Settings::default()).unwrap();
        let mut survey = Survey::new(1 << 20);
        survey.push(&subject, &seen, 7).unwrap();
        let plan = Plan { unchanged: true, verified_before: Some(before), ..Plan::default() };
        let (_, tasks) = survey.compare(&run, &plan).unwrap();
        (tasks.files(), overdue)
    }

    /// Returns the number of files to read after a first run over one with this stamp, and the finding about it when it
    /// has other contents then.
    fn after_the_first_run(seen: Seen) -> (u64, Option<Finding>) {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("ledger");
        let ledger = Ledger::create(&path, &[b"/a".to_vec()], &Settings::default()).unwrap();
        let subject = Subject { root: 0, path: b"f".to_vec() };
        let begin = |ledger| {
            let run = Run::begin(ledger, RunOptions::default(), &Settings::default()).unwrap();
            let mut survey = Survey::new(1 << 20);
            survey.push(&subject, &seen, 7).unwrap();
            let (surveyed, tasks) = survey.compare(&run, &Plan::default()).unwrap();
            (run, surveyed, tasks.files())
        };
        let read = |contents: &[u8]| {
            let digests = Digests::new(&[pfh_digest::Algorithm::BLAKE3.digest(contents)]);
            Observation::Read { seen, digests }
        };
        let (mut run, surveyed, _) = begin(ledger);
        run.record(subject.clone(), read(b"one")).unwrap();
        let (_, ledger) = run.end(&surveyed, Stopped::No, &mut |_| true).unwrap();
        let (mut run, _, files) = begin(ledger);
        (files, run.record(subject.clone(), read(b"two")).unwrap())
    }

    #[test]
    fn a_file_that_was_written_in_the_second_of_its_reading_is_read_again() {
        let seen = |seconds, nanoseconds| {
            let time = Timestamp { seconds, nanoseconds };
            Seen { size: 3, mtime: time, ctime: time, inode: 1 }
        };
        assert_eq!(after_the_first_run(seen(now(), 0)), (1, Some(Finding::Changed)));
        assert_eq!(after_the_first_run(seen(now(), 1)), (0, Some(Finding::BitRot)));
        assert_eq!(after_the_first_run(seen(now() - 100, 0)), (0, Some(Finding::BitRot)));
    }

    #[test]
    fn a_reading_by_a_clock_that_was_ahead_is_too_long_ago() {
        assert_eq!(due(now() - 10), (0, 0));
        assert_eq!(due(now() - 100_000), (1, 1));
        assert_eq!(due(now() + 100_000), (1, 1));
    }
}
