//! Questions to a ledger.

use std::collections::BTreeMap;

use rusqlite::{OptionalExtension, params};
use serde_json::Value;

use crate::chain::Hash;
use crate::event::{Digests, Event, Seen, Subject};
use crate::ledger::{EVENT_COLUMNS, EVENT_TABLES, Ledger, now, seen_of, state_of};
use crate::state::{FileState, Status};
use crate::{Error, Finding, RunEnd, RunOptions, Settings};

/// The end of the chain: who has it can tell later that nothing before it was changed or lost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Head {
    /// The number of the last run.
    pub run: i64,
    /// The number of events, which is that of the last event.
    pub events: i64,
    /// The hash of the last event.
    pub hash: Hash,
    /// The time of the last event, in seconds since 1970-01-01T00:00:00Z.
    pub time: i64,
}

/// A run.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct RunInfo {
    /// Its number.
    pub number: i64,
    /// How it was done.
    pub options: RunOptions,
    /// The events with which it began and ended.
    pub events: (i64, Option<i64>),
    /// When it began and ended, in seconds since 1970-01-01T00:00:00Z.
    pub times: (i64, Option<i64>),
    /// How it ended; `None` if it was interrupted, or goes on.
    pub end: Option<RunEnd>,
}

/// A file with what is known of it now.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct FileInfo {
    /// The file.
    pub subject: Subject,
    /// Its state.
    pub state: FileState,
    /// The last answer of the filesystem about it.
    pub seen: Option<Seen>,
    /// The digests that are expected.
    pub expected: Option<Digests>,
    /// When it was last read to its end, in seconds since 1970-01-01T00:00:00Z.
    pub checked: Option<i64>,
}

/// How a ledger stands.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Standing {
    /// Files that are expected.
    pub files: u64,
    /// The bytes of these files.
    pub bytes: u64,
    /// Files whose findings are open, by the words of the findings.
    pub open: BTreeMap<String, u64>,
    /// The time at which the file was read that was not read since for longest.
    pub oldest: Option<i64>,
    /// Files that were last read before the time that was asked for, or after now by the clock: then that of the
    /// reading was ahead.
    pub overdue: u64,
    /// Files that were never read to their end.
    pub never: u64,
}

impl Ledger {
    /// Returns the roots: absolute paths in raw bytes, by number.
    ///
    /// # Errors
    /// If the ledger cannot be read.
    pub fn roots(&self) -> Result<Vec<Vec<u8>>, Error> {
        let mut statement = self.connection.prepare("SELECT path FROM root ORDER BY id")?;
        Ok(statement.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?)
    }

    /// Returns the settings.
    ///
    /// # Errors
    /// If the ledger cannot be read.
    pub fn settings(&self) -> Result<Settings, Error> {
        let sql = "SELECT id, note FROM event WHERE file IS NULL AND kind IN (?1, ?2) ORDER BY id DESC LIMIT 1";
        let kinds = [Finding::Created.code(), Finding::Settings.code()];
        let found = self.connection.query_row(sql, kinds, |row| Ok((row.get::<_, i64>(0)?, row.get::<_, Vec<u8>>(1)?)));
        let (id, note) = found.optional()?.ok_or_else(|| Error::Damaged("it has no settings".to_owned()))?;
        serde_json::from_slice(&note).map_err(|error| Error::Damaged(format!("the settings in event {id}: {error}")))
    }

    /// Returns the end of the chain.
    ///
    /// # Errors
    /// If the ledger cannot be read.
    pub fn head(&self) -> Result<Head, Error> {
        let (events, hash) = self.last_event();
        let sql = "SELECT time FROM event WHERE id = ?1";
        let time = self.connection.query_row(sql, [events], |row| row.get(0)).optional()?.unwrap_or(0);
        Ok(Head { run: self.run, events, hash, time })
    }

    /// Returns the runs, the first one first.
    ///
    /// # Errors
    /// If the ledger cannot be read.
    pub fn runs(&self) -> Result<Vec<RunInfo>, Error> {
        let sql = "SELECT id, run, kind, time, note FROM event WHERE file IS NULL AND kind IN (?1, ?2) ORDER BY id";
        let mut statement = self.connection.prepare(sql)?;
        let mut rows = statement.query([Finding::Began.code(), Finding::Ended.code()])?;
        let mut runs: Vec<RunInfo> = Vec::new();
        while let Some(row) = rows.next()? {
            let (id, number, code, time, note): (i64, i64, i64, i64, Vec<u8>) =
                (row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?);
            let damaged = |error: serde_json::Error| Error::Damaged(format!("the note of event {id}: {error}"));
            if code == Finding::Began.code() {
                let options = serde_json::from_slice(&note).map_err(damaged)?;
                runs.push(RunInfo { number, options, events: (id, None), times: (time, None), end: None });
            } else if let Some(run) = runs.last_mut().filter(|run| run.number == number) {
                run.end = Some(serde_json::from_slice(&note).map_err(damaged)?);
                (run.events.1, run.times.1) = (Some(id), Some(time));
            }
        }
        Ok(runs)
    }

    /// Calls `each` with the events from one number to another, in order, and with their hashes.
    ///
    /// # Errors
    /// If the ledger cannot be read, and the errors of `each`.
    pub fn each_event(
        &self,
        from: i64,
        to: i64,
        each: &mut dyn FnMut(Event, Hash) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let sql =
            format!("SELECT {EVENT_COLUMNS} FROM {EVENT_TABLES} WHERE event.id BETWEEN ?1 AND ?2 ORDER BY event.id");
        let mut statement = self.connection.prepare(&sql)?;
        let mut rows = statement.query([from, to])?;
        while let Some(row) = rows.next()? {
            let (event, hash) = Ledger::event_of(row)?;
            each(event, hash)?;
        }
        Ok(())
    }

    /// Returns the events of a file, in order; `None` if the ledger does not have it.
    ///
    /// # Errors
    /// If the ledger cannot be read.
    pub fn history(&self, subject: &Subject) -> Result<Option<Vec<Event>>, Error> {
        let Some(state) = self.state(subject)? else { return Ok(None) };
        let sql = format!("SELECT {EVENT_COLUMNS} FROM {EVENT_TABLES} WHERE event.file = ?1 ORDER BY event.id");
        let mut statement = self.connection.prepare(&sql)?;
        let mut rows = statement.query([state.id])?;
        let mut events = Vec::new();
        while let Some(row) = rows.next()? {
            events.push(Ledger::event_of(row)?.0);
        }
        Ok(Some(events))
    }

    /// Returns the digests that an event states, or those that it says were expected.
    ///
    /// # Errors
    /// If the ledger cannot be read.
    pub fn digests(&self, event: i64) -> Result<Option<Digests>, Error> {
        self.digests_of(Some(event))
    }

    /// Returns what the filesystem told about the file of an event, as far as the event states it.
    ///
    /// # Errors
    /// If the ledger cannot be read.
    pub fn seen(&self, event: i64) -> Result<Option<Seen>, Error> {
        self.seen_of(Some(event))
    }

    /// Calls `each` with the files that are in the ledger, in order of their paths; `only_open`: those with a finding
    /// that is open.
    ///
    /// # Errors
    /// If the ledger cannot be read, and the errors of `each`.
    pub fn each_file(&self, only_open: bool, each: &mut dyn FnMut(FileInfo) -> Result<(), Error>) -> Result<(), Error> {
        let mut statement = self.connection.prepare(
            "SELECT file.root, file.path, file.id, file.status, file.expected, file.seen, file.checked, seen.size, \
             seen.mtime, seen.mtime_nanoseconds, seen.ctime, seen.ctime_nanoseconds, seen.inode, \
             (SELECT names FROM algorithms WHERE algorithms.id = expected.algorithms), expected.digests, checked.time \
             FROM file LEFT JOIN event AS seen ON seen.id = file.seen \
             LEFT JOIN event AS expected ON expected.id = file.expected \
             LEFT JOIN event AS checked ON checked.id = file.checked \
             WHERE NOT ?1 OR file.status NOT IN (?2, ?3) ORDER BY file.root, file.path",
        )?;
        let mut rows = statement.query(params![only_open, Status::Sound as i64, Status::Retired as i64])?;
        while let Some(row) = rows.next()? {
            let (names, bytes): (Option<String>, Option<Vec<u8>>) = (row.get(13)?, row.get(14)?);
            each(FileInfo {
                subject: Subject { root: row.get(0)?, path: row.get(1)? },
                state: state_of(row, 2)?,
                seen: seen_of(row, 7)?,
                expected: names.zip(bytes).map(|(algorithms, bytes)| Digests { algorithms, bytes }),
                checked: row.get(15)?,
            })?;
        }
        Ok(())
    }

    /// Returns how the ledger stands. `before`: the time before which the last reading of a file is too long ago.
    ///
    /// # Errors
    /// If the ledger cannot be read.
    pub fn standing(&self, before: Option<i64>) -> Result<Standing, Error> {
        let sql = "SELECT count(*), ifnull(sum(seen.size), 0), min(checked.time), \
                   ifnull(sum(checked.time IS NULL OR checked.time < ?1 OR checked.time > ?3), 0), \
                   ifnull(sum(checked.time IS NULL), 0) \
                   FROM file \
                   LEFT JOIN event AS seen ON seen.id = file.seen LEFT JOIN event AS checked ON checked.id = file.checked \
                   WHERE file.status != ?2";
        let before = before.unwrap_or(i64::MIN);
        let (files, bytes, oldest, overdue, never): (i64, i64, Option<i64>, i64, i64) =
            self.connection.query_row(sql, params![before, Status::Retired as i64, now()], |row| {
                Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?))
            })?;
        Ok(Standing {
            files: files.cast_unsigned(),
            bytes: bytes.cast_unsigned(),
            open: self.open_findings()?,
            oldest,
            never: never.cast_unsigned(),
            overdue: if before == i64::MIN { 0 } else { overdue.cast_unsigned() },
        })
    }

    /// Returns the number of files whose findings are open, by the words of the findings.
    pub(crate) fn open_findings(&self) -> Result<BTreeMap<String, u64>, Error> {
        let mut open = BTreeMap::new();
        let mut statement = self.connection.prepare("SELECT status, count(*) FROM file GROUP BY status")?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            let finding = Status::from_code(row.get(0)?).and_then(Status::finding);
            if let Some(finding) = finding {
                open.insert(finding.word().to_owned(), row.get::<_, i64>(1)?.cast_unsigned());
            }
        }
        Ok(open)
    }

    /// Returns the number of files that are expected and whose digests lack an algorithm.
    ///
    /// # Errors
    /// If the ledger cannot be read.
    pub fn without(&self, algorithm: &str) -> Result<u64, Error> {
        let mut statement = self.connection.prepare("SELECT id, names FROM algorithms")?;
        let lists = statement.query_map([], |row| Ok((row.get::<_, i64>(0)?, row.get::<_, String>(1)?)))?;
        let mut count = 0;
        for list in lists {
            let (id, names) = list?;
            if names.split(',').all(|name| name != algorithm) {
                let sql = "SELECT count(*) FROM file JOIN event ON event.id = file.expected \
                           WHERE file.status != ?1 AND event.algorithms = ?2";
                let files: i64 =
                    self.connection.query_row(sql, params![Status::Retired as i64, id], |row| row.get(0))?;
                count += files.cast_unsigned();
            }
        }
        Ok(count)
    }

    /// Whether the ledger expects a file at a path or below it.
    ///
    /// # Errors
    /// If the ledger cannot be read.
    pub fn has(&self, at: &Subject) -> Result<bool, Error> {
        let (from, to) = at.range_below();
        let sql = "SELECT 1 FROM file WHERE root = ?1 AND (path = ?2 OR path >= ?3 AND (?4 IS NULL OR path < ?4)) \
                   AND status != ?5 LIMIT 1";
        let mut statement = self.connection.prepare_cached(sql)?;
        Ok(statement.exists(params![at.root, at.path, from, to, Status::Retired as i64])?)
    }

    /// Returns the text of a note of people's decisions: who and why.
    pub fn decision(note: &[u8]) -> Option<(String, String)> {
        let value: Value = serde_json::from_slice(note).ok()?;
        Some((value["by"].as_str()?.to_owned(), value["why"].as_str()?.to_owned()))
    }

    /// Returns the text of a note about a file that could not be read, and the offset.
    pub fn failure(note: &[u8]) -> Option<(u64, String)> {
        let value: Value = serde_json::from_slice(note).ok()?;
        Some((value["offset"].as_u64().unwrap_or(0), value["error"].as_str()?.to_owned()))
    }
}

impl Head {
    /// Returns the hash in hexadecimal.
    pub fn hash_text(&self) -> String {
        pfh_digest::hexadecimal(&self.hash)
    }
}
