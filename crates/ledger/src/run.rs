//! A run: from its first event to its last.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use pfh_digest::Digest;
use rusqlite::{OptionalExtension, params};
use serde::{Deserialize, Serialize};

use crate::event::{Digests, Event, Seen, Subject};
use crate::ledger::{Ledger, note, seen_of};
use crate::plan::Tasks;
use crate::settings::{RunOptions, Settings};
use crate::state::{FileState, Status};
use crate::surveyed::Surveyed;
use crate::{Counts, Error, Finding};

/// Results are committed together, at most this number of them.
const BATCH_FILES: u64 = 8192;

/// Results are committed together for at most this time.
const BATCH_TIME: Duration = Duration::from_secs(1);

/// The result of reading a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Observation {
    /// It was read to its end.
    Read {
        /// The answer of the filesystem after the last read.
        seen: Seen,
        /// Its digests by the algorithms of the run.
        digests: Digests,
    },
    /// It could not be read.
    Failed {
        /// Offset of the first byte that could not be read; 0 if the file could not be opened.
        offset: u64,
        /// The error.
        error: String,
    },
    /// It changed while it was read.
    Changing,
    /// It is not there any more.
    Vanished,
}

/// Why a run ended before all files were read that it should read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stopped {
    /// It did not.
    No,
    /// The limits that its user set were reached.
    Limit,
}

/// The note of the event with which a run ends.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct RunEnd {
    /// `complete`, `limited` (the limits that its user set were reached) or `abandoned` (another kind of run was begun
    /// after an interruption).
    pub state: String,
    /// Files that the walk found.
    pub files: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Files that were read to their end, in all parts of the run.
    pub read: u64,
    /// Their bytes.
    pub read_bytes: u64,
    /// Files that seem unchanged and were not read.
    pub unchanged: u64,
    /// Files that should have been read, and are left for the next run.
    pub left: u64,
    /// Files about which the walk tells nothing.
    pub unseen: u64,
    /// Files that are gone and may be moved: new files of the same size are left for the next run, which decides.
    pub waiting: u64,
    /// Files by finding.
    pub findings: BTreeMap<String, u64>,
    /// Files whose findings are open at the end of the run, also those of earlier runs.
    pub open: BTreeMap<String, u64>,
}

/// The note of the event with which a run begins.
#[derive(Debug, Serialize, Deserialize)]
struct RunBegin {
    #[serde(flatten)]
    options: RunOptions,
    settings: Settings,
}

/// A run of an audit. Dropping it leaves it unfinished, and the next run goes on with it. Until it compares a walk with
/// the ledger ([`Survey::compare`](crate::Survey::compare)), nothing of it is recorded.
#[derive(Debug)]
pub struct Run {
    ledger: Ledger,
    /// The event with which it began.
    began: i64,
    options: RunOptions,
    is_resumed: bool,
    counts: Counts,
    read_bytes: u64,
    batch_files: u64,
    batch_since: Instant,
}

impl Run {
    /// Begins a run, or goes on with one that was interrupted: with a first run whatever `options` are, with others if
    /// they are of the same kind and algorithms. The first run of a ledger is one of the kind `init`.
    ///
    /// # Errors
    /// If the ledger cannot be read or written.
    pub fn begin(mut ledger: Ledger, mut options: RunOptions, settings: &Settings) -> Result<Run, Error> {
        ledger.begin()?;
        if ledger.run == 0 {
            "init".clone_into(&mut options.mode);
        }
        let mut resumed = None;
        if let Some((began, earlier)) = unfinished(&ledger)? {
            let earlier: RunBegin = serde_json::from_slice(&earlier)
                .map_err(|error| Error::Damaged(format!("event {began} has a note that cannot be read: {error}")))?;
            let is_same = earlier.options.mode == options.mode && earlier.options.algorithms == options.algorithms;
            if is_same || earlier.options.mode == "init" {
                resumed = Some((began, earlier.options));
            } else {
                let end = RunEnd { state: "abandoned".to_owned(), ..RunEnd::default() };
                ledger.append_note(Finding::Ended, note(&end)?)?;
            }
        }
        let is_resumed = resumed.is_some();
        let (began, options) = match resumed {
            Some(resumed) => resumed,
            None => {
                ledger.connection.execute("DELETE FROM pending", [])?;
                ledger.run += 1;
                let begin = RunBegin { options: options.clone(), settings: settings.clone() };
                (ledger.append_note(Finding::Began, note(&begin)?)?, options)
            }
        };
        let mut run = Run {
            ledger,
            began,
            options,
            is_resumed,
            counts: Counts::default(),
            read_bytes: 0,
            batch_files: 0,
            batch_since: Instant::now(),
        };
        run.count_earlier()?;
        Ok(run)
    }

    /// Returns the kind and the algorithms of the run that was interrupted, if one was.
    ///
    /// # Errors
    /// If the ledger cannot be read.
    pub fn unfinished(ledger: &Ledger) -> Result<Option<RunOptions>, Error> {
        let Some((_, text)) = unfinished(ledger)? else { return Ok(None) };
        let begin: Option<RunBegin> = serde_json::from_slice(&text).ok();
        Ok(begin.map(|begin| begin.options))
    }

    /// Counts what an interrupted part of this run has found.
    fn count_earlier(&mut self) -> Result<(), Error> {
        let mut statement = self.ledger.connection.prepare(
            "SELECT event.kind, count(*), ifnull(sum(seen.size), 0) FROM event \
             JOIN file ON file.id = event.file LEFT JOIN event AS seen ON seen.id = file.seen \
             WHERE event.id > ?1 AND event.run = ?2 GROUP BY event.kind",
        )?;
        let mut rows = statement.query([self.began, self.ledger.run])?;
        while let Some(row) = rows.next()? {
            let finding = Finding::from_code(row.get(0)?);
            if let Some(finding) = finding.filter(|finding| Finding::OF_FILES.contains(finding)) {
                self.counts.add(finding, row.get::<_, i64>(1)?.cast_unsigned());
                if is_reading(finding) {
                    self.read_bytes += row.get::<_, i64>(2)?.cast_unsigned();
                }
            }
        }
        drop(rows);
        let pending = "SELECT ifnull(sum(size), 0) FROM pending";
        self.read_bytes += self.ledger.connection.query_row(pending, [], |row| row.get::<_, i64>(0))?.cast_unsigned();
        Ok(())
    }

    /// The ledger.
    pub fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    /// The number of the run.
    pub fn number(&self) -> i64 {
        self.ledger.run
    }

    /// How the run is done; of a run that is gone on with, how it was begun.
    pub fn options(&self) -> &RunOptions {
        &self.options
    }

    /// Whether this goes on with an interrupted run.
    pub fn is_resumed(&self) -> bool {
        self.is_resumed
    }

    pub(crate) fn began(&self) -> i64 {
        self.began
    }

    /// The algorithm to which digests are migrated: the last one of such a run.
    pub(crate) fn migrates_to(&self) -> Option<&str> {
        let target = self.options.algorithms.last().filter(|_| self.options.mode == "migrate");
        target.map(String::as_str)
    }

    /// Returns the stamp of a new file that an interrupted part of this run has read.
    pub(crate) fn pending_seen(&self, subject: &Subject) -> Result<Option<Seen>, Error> {
        let mut statement = self.ledger.connection.prepare_cached(
            "SELECT size, mtime, mtime_nanoseconds, ctime, ctime_nanoseconds, inode FROM pending \
             WHERE root = ?1 AND path = ?2",
        )?;
        let found = statement.query_row(params![subject.root, subject.path], |row| seen_of(row, 0)).optional()?;
        Ok(found.flatten())
    }

    /// Takes the result of reading a file. It is on the medium after about a second, or after [`Run::save`].
    ///
    /// # Errors
    /// If the ledger cannot be read or written. Results that were saved before stay.
    pub fn record(&mut self, subject: Subject, observation: Observation) -> Result<Option<Finding>, Error> {
        if self.batch_files == 0 {
            self.batch_since = Instant::now();
        }
        self.ledger.begin()?;
        let finding = match observation {
            Observation::Read { seen, digests } => self.read(subject, seen, digests)?,
            Observation::Failed { offset, error } => {
                let note = note(&serde_json::json!({"offset": offset, "error": error}))?;
                Some(self.failed(subject, Finding::Unreadable, note)?)
            }
            Observation::Changing => {
                let note = note(&serde_json::json!({"error": "changed while it was read"}))?;
                Some(self.failed(subject, Finding::Changing, note)?)
            }
            Observation::Vanished => {
                if let Some(state) = self.ledger.state(&subject)?.filter(|state| state.status != Status::Retired) {
                    let sql = "INSERT OR IGNORE INTO temp.gone VALUES(?1, ?2, ?3)";
                    self.ledger.connection.execute(sql, params![state.id, subject.root, subject.path])?;
                }
                None
            }
        };
        self.batch_files += 1;
        if self.batch_files >= BATCH_FILES || self.batch_since.elapsed() >= BATCH_TIME {
            self.save()?;
        }
        Ok(finding)
    }

    /// Saves all results so far.
    ///
    /// # Errors
    /// If the ledger cannot be written.
    pub fn save(&mut self) -> Result<(), Error> {
        self.batch_files = 0;
        self.ledger.commit()
    }

    /// Whether results wait to be saved.
    pub fn has_unsaved(&self) -> bool {
        self.batch_files > 0
    }

    /// Takes the files that limits have left. A file that is gone may be one of the new files among them, so it is not
    /// missing yet if one of these has its size.
    ///
    /// # Errors
    /// If a temporary file cannot be read or written.
    pub fn leave(&mut self, tasks: &mut Tasks) -> Result<(), Error> {
        self.ledger.begin()?;
        let sql = "INSERT OR IGNORE INTO temp.left_size VALUES(?1)";
        let mut insert = self.ledger.connection.prepare_cached(sql)?;
        while let Some(task) = tasks.read()? {
            if task.is_new {
                insert.execute([task.size.cast_signed()])?;
            }
        }
        Ok(())
    }

    fn failed(&mut self, subject: Subject, finding: Finding, note: Vec<u8>) -> Result<Finding, Error> {
        let mut state = self.ledger.state_or_new(&subject)?;
        let event =
            Event { subject: Some(subject), expected: state.expected, note: Some(note), ..self.ledger.blank(finding) };
        self.ledger.record(&mut state, event, None)?;
        self.counts.add(finding, 1);
        Ok(finding)
    }

    fn read(&mut self, subject: Subject, seen: Seen, digests: Digests) -> Result<Option<Finding>, Error> {
        self.read_bytes += seen.size;
        let mut state = self.ledger.state_or_new(&subject)?;
        let expected = self.ledger.digests_of(state.expected)?;
        let Some(expected) = expected else {
            if self.options.mode != "init" {
                // It may be moved or copied, which shows only when all that is gone and new is known.
                self.put_pending(&subject, &seen, &digests)?;
                return Ok(None);
            }
            let finding = Finding::First;
            let event = Event {
                subject: Some(subject),
                seen: Some(seen),
                digests: Some(digests),
                ..self.ledger.blank(finding)
            };
            self.ledger.record(&mut state, event, None)?;
            self.counts.add(finding, 1);
            return Ok(Some(finding));
        };
        let Some(agrees) = digests.agree_with(&expected) else {
            return Err(Error::Refused(format!(
                "the ledger has digests by {}, and the run computes {}: `pfh audit migrate` changes the algorithm",
                expected.algorithms, digests.algorithms
            )));
        };
        let earlier = self.ledger.seen_of(state.seen)?;
        let finding = match (agrees, state.status) {
            (true, _) if self.migrates(&expected) => Finding::Migrated,
            (true, Status::Sound) => Finding::Matched,
            (true, _) => Finding::Back,
            (false, _) => match self.found_before(&state, &digests)? {
                Some(finding) => finding,
                None => match earlier.filter(|earlier| seen.is_unwritten_since(earlier)) {
                    Some(earlier) if !self.ledger.may_hide_writes(&earlier, state.checked)? => Finding::BitRot,
                    _ => Finding::Changed,
                },
            },
        };
        let keeps_digests = !matches!(finding, Finding::Matched | Finding::Back);
        let event = Event {
            subject: Some(subject),
            seen: (keeps_digests || earlier != Some(seen)).then_some(seen),
            digests: keeps_digests.then_some(digests),
            expected: state.expected,
            ..self.ledger.blank(finding)
        };
        self.ledger.record(&mut state, event, None)?;
        self.counts.add(finding, 1);
        Ok(Some(finding))
    }

    /// Whether the digests that are expected of a file lack the algorithm to which this run migrates.
    fn migrates(&self, expected: &Digests) -> bool {
        self.migrates_to().is_some_and(|target| expected.algorithms.split(',').all(|name| name != target))
    }

    /// Returns the finding of the last reading, if the file differed then as it differs now: it is the same finding,
    /// although nothing was written since.
    fn found_before(&self, state: &FileState, digests: &Digests) -> Result<Option<Finding>, Error> {
        let Some(checked) = self.ledger.digests_of(state.checked)? else { return Ok(None) };
        if digests.agree_with(&checked) != Some(true) {
            return Ok(None);
        }
        let sql = "SELECT kind FROM event WHERE id = ?1";
        let code = self.ledger.connection.prepare_cached(sql)?.query_row([state.checked], |row| row.get(0))?;
        Ok(Finding::from_code(code).filter(|finding| matches!(finding, Finding::Changed | Finding::BitRot)))
    }

    fn put_pending(&mut self, subject: &Subject, seen: &Seen, digests: &Digests) -> Result<(), Error> {
        let algorithms = self.ledger.algorithms_id(&digests.algorithms)?;
        self.ledger
            .connection
            .prepare_cached("INSERT OR REPLACE INTO pending VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)")?
            .execute(params![
                subject.root,
                subject.path,
                seen.size.cast_signed(),
                seen.mtime.seconds,
                seen.mtime.nanoseconds,
                seen.ctime.seconds,
                seen.ctime.nanoseconds,
                seen.inode.cast_signed(),
                algorithms,
                digests.bytes,
            ])?;
        Ok(())
    }

    /// Ends the run: what is gone is paired with what is new, and the rest of both is missing and new. All of this is
    /// saved together. `is_gone` tells whether there is really nothing at a path now.
    ///
    /// Returns the end and the ledger.
    ///
    /// # Errors
    /// If the ledger cannot be read or written; then the run is unfinished.
    pub fn end(
        mut self,
        surveyed: &Surveyed,
        stopped: Stopped,
        is_gone: &mut dyn FnMut(&Subject) -> bool,
    ) -> Result<(RunEnd, Ledger), Error> {
        self.save()?;
        self.ledger.begin()?;
        let (not_gone, waiting) = self.conclude(is_gone)?;
        let mut end = RunEnd {
            state: if stopped == Stopped::Limit { "limited" } else { "complete" }.to_owned(),
            files: surveyed.files,
            bytes: surveyed.bytes,
            read: Finding::OF_FILES.iter().filter(|finding| is_reading(**finding)).map(|&f| self.counts.of(f)).sum(),
            read_bytes: self.read_bytes,
            unchanged: surveyed.unchanged,
            left: 0,
            unseen: surveyed.unseen + not_gone,
            waiting,
            ..RunEnd::default()
        };
        for finding in Finding::OF_FILES.into_iter().filter(|finding| *finding != Finding::MovedAway) {
            let count = self.counts.of(finding);
            if count > 0 {
                end.findings.insert(finding.word().to_owned(), count);
            }
        }
        let failed = self.counts.of(Finding::Unreadable) + self.counts.of(Finding::Changing);
        end.left = end.files.saturating_sub(end.read + failed + end.unchanged);
        if stopped == Stopped::No {
            // Files that vanished between the walk and the reading were found, and are not left.
            end.left = 0;
        }
        end.open = self.ledger.open_findings()?;
        self.ledger.append_note(Finding::Ended, note(&end)?)?;
        self.ledger.commit()?;
        Ok((end, self.ledger))
    }

    /// Decides about all that is gone and new. Returns the number of paths that are there after all, and of those about
    /// which the next run decides.
    fn conclude(&mut self, is_gone: &mut dyn FnMut(&Subject) -> bool) -> Result<(u64, u64), Error> {
        let not_gone = self.drop_returned(is_gone)?;
        self.match_contents()?;
        loop {
            let group = self.pending_group()?;
            if group.is_empty() {
                break;
            }
            for new in group {
                let sql = "DELETE FROM pending WHERE root = ?1 AND path = ?2";
                let key = params![new.subject.root, new.subject.path];
                self.ledger.connection.prepare_cached(sql)?.execute(key)?;
                // An interrupted part of the run may have read it, and now it is not there any more.
                if !is_gone(&new.subject) {
                    self.conclude_new(new)?;
                }
            }
        }
        Ok((not_gone, self.conclude_missing()?))
    }

    /// Takes paths off those that are gone where there is something now. Returns their number.
    fn drop_returned(&mut self, is_gone: &mut dyn FnMut(&Subject) -> bool) -> Result<u64, Error> {
        let connection = &self.ledger.connection;
        let mut returned = 0;
        let mut statement = connection.prepare("SELECT id, root, path FROM temp.gone")?;
        let mut rows = statement.query([])?;
        let mut ids = Vec::new();
        while let Some(row) = rows.next()? {
            if !is_gone(&Subject { root: row.get(1)?, path: row.get(2)? }) {
                ids.push(row.get::<_, i64>(0)?);
            }
        }
        for id in ids {
            returned += connection.prepare_cached("DELETE FROM temp.gone WHERE id = ?1")?.execute([id])? as u64;
        }
        Ok(returned)
    }

    /// Returns the digest by which files are recognised at other paths; `None` if it is too short to tell them apart.
    fn key<'d>(&self, digests: &'d [Digest]) -> Option<&'d [u8]> {
        const KEY_BYTES_MIN: usize = 16;
        let first = self.options.algorithms.first()?;
        let digest = digests.iter().find(|digest| digest.algorithm().name() == *first)?;
        Some(digest.bytes()).filter(|bytes| bytes.len() >= KEY_BYTES_MIN)
    }

    /// Pairs new files with files that are gone and had the same contents, one to one, and finds the originals of the
    /// other ones. Empty files have no contents by which they could be recognised.
    fn match_contents(&self) -> Result<(), Error> {
        let connection = &self.ledger.connection;
        connection.execute_batch(
            "DROP TABLE IF EXISTS temp.content;
             DROP TABLE IF EXISTS temp.lost;
             CREATE TEMP TABLE content(root INTEGER, path BLOB, name BLOB, key BLOB, size INTEGER, gone INTEGER, \
                original INTEGER, PRIMARY KEY(root, path)) WITHOUT ROWID;
             CREATE TEMP TABLE lost(id INTEGER PRIMARY KEY, root INTEGER, path BLOB, name BLOB, key BLOB, \
                size INTEGER, is_used INTEGER DEFAULT 0);",
        )?;
        let sql = "SELECT root, path, algorithms.names, digests, size FROM pending \
                   JOIN algorithms ON algorithms.id = pending.algorithms WHERE size > 0";
        let insert = "INSERT INTO temp.content(root, path, name, key, size) VALUES(?1, ?2, ?3, ?4, ?5)";
        self.each_content(sql, &mut |row, key| {
            let path: Vec<u8> = row.get(1)?;
            let values = params![row.get::<_, u32>(0)?, path, name(&path), key, row.get::<_, i64>(4)?];
            connection.prepare_cached(insert)?.execute(values)?;
            Ok(())
        })?;
        let is_any = |sql: &str| connection.query_row(sql, [], |row| row.get::<_, bool>(0));
        if !is_any("SELECT EXISTS(SELECT 1 FROM temp.content)")? {
            return Ok(());
        }
        // By all that is asked for, since very many files may have the same contents.
        connection.execute_batch("CREATE INDEX temp.content_key ON content(key, size, original)")?;
        let sql = "SELECT gone.root, gone.path, algorithms.names, event.digests, event.size, gone.id FROM temp.gone \
                   JOIN file ON file.root = gone.root AND file.path = gone.path JOIN event ON event.id = file.expected \
                   JOIN algorithms ON algorithms.id = event.algorithms WHERE event.size > 0";
        let insert = "INSERT INTO temp.lost(id, root, path, name, key, size) VALUES(?1, ?2, ?3, ?4, ?5, ?6)";
        self.each_content(sql, &mut |row, key| {
            let (path, id): (Vec<u8>, i64) = (row.get(1)?, row.get(5)?);
            let values = params![id, row.get::<_, u32>(0)?, path, name(&path), key, row.get::<_, i64>(4)?];
            connection.prepare_cached(insert)?.execute(values)?;
            Ok(())
        })?;
        if is_any("SELECT EXISTS(SELECT 1 FROM temp.lost)")? {
            connection.execute_batch(
                "CREATE INDEX temp.lost_name ON lost(key, size, name, is_used, root, path);
                 CREATE INDEX temp.lost_key ON lost(key, size, is_used, root, path);",
            )?;
            // A pair whose file keeps its name comes first.
            self.pair("AND name = ?3")?;
            self.pair("AND ?3 IS NOT NULL")?;
        }
        if is_any("SELECT EXISTS(SELECT 1 FROM temp.content WHERE gone IS NULL)")? {
            self.find_originals()?;
        }
        Ok(())
    }

    /// Calls `each` with the rows of a query about contents, and their keys. The columns are root, path, algorithms and
    /// digests, and others.
    fn each_content(&self, sql: &str, each: EachContent<'_>) -> Result<(), Error> {
        let mut statement = self.ledger.connection.prepare(sql)?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            let digests = Digests { algorithms: row.get(2)?, bytes: row.get(3)? }.split();
            if let Some(key) = self.key(&digests) {
                each(row, key)?;
            }
        }
        Ok(())
    }

    /// Pairs what is not paired yet. `condition` may compare with the name, which is `?3`.
    fn pair(&self, condition: &str) -> Result<(), Error> {
        let connection = &self.ledger.connection;
        let mut unpaired = connection
            .prepare("SELECT root, path, name, key, size FROM temp.content WHERE gone IS NULL ORDER BY root, path")?;
        let mut find = connection.prepare(&format!(
            "SELECT id FROM temp.lost WHERE key = ?1 AND is_used = 0 AND size = ?2 {condition} \
             ORDER BY root, path LIMIT 1"
        ))?;
        let mut pairs = Vec::new();
        let mut rows = unpaired.query([])?;
        while let Some(row) = rows.next()? {
            let (key, size, name): (Vec<u8>, i64, Vec<u8>) = (row.get(3)?, row.get(4)?, row.get(2)?);
            if let Some(gone) = find.query_row(params![key, size, name], |row| row.get::<_, i64>(0)).optional()? {
                connection.prepare_cached("UPDATE temp.lost SET is_used = 1 WHERE id = ?1")?.execute([gone])?;
                pairs.push((row.get::<_, u32>(0)?, row.get::<_, Vec<u8>>(1)?, gone));
            }
        }
        for (root, path, gone) in pairs {
            connection
                .prepare_cached("UPDATE temp.content SET gone = ?3 WHERE root = ?1 AND path = ?2")?
                .execute(params![root, path, gone])?;
        }
        Ok(())
    }

    /// Finds, for what is not paired, a file with the same contents that is still there.
    fn find_originals(&self) -> Result<(), Error> {
        let sql = "SELECT file.root, file.path, algorithms.names, event.digests, event.size, file.id FROM file \
                   JOIN event ON event.id = file.expected JOIN algorithms ON algorithms.id = event.algorithms \
                   WHERE file.status = 0 AND event.size > 0 AND file.id NOT IN (SELECT id FROM temp.gone)";
        let update = "UPDATE temp.content SET original = ?1 WHERE key = ?2 AND size = ?3 AND original IS NULL";
        self.each_content(sql, &mut |row, key| {
            let values = params![row.get::<_, i64>(5)?, key, row.get::<_, i64>(4)?];
            self.ledger.connection.prepare_cached(update)?.execute(values)?;
            Ok(())
        })
    }

    /// Returns the next new files, with what they are paired with.
    fn pending_group(&self) -> Result<Vec<NewFile>, Error> {
        const GROUP: i64 = 1000;
        let mut statement = self.ledger.connection.prepare_cached(
            "SELECT pending.root, pending.path, pending.size, mtime, mtime_nanoseconds, ctime, ctime_nanoseconds, \
             inode, (SELECT names FROM algorithms WHERE id = pending.algorithms), digests, content.gone, \
             content.original FROM pending LEFT JOIN temp.content \
             ON content.root = pending.root AND content.path = pending.path \
             ORDER BY pending.root, pending.path LIMIT ?1",
        )?;
        let mut rows = statement.query([GROUP])?;
        let mut group = Vec::new();
        while let Some(row) = rows.next()? {
            group.push(NewFile {
                subject: Subject { root: row.get(0)?, path: row.get(1)? },
                seen: seen_of(row, 2)?,
                digests: Digests { algorithms: row.get(8)?, bytes: row.get(9)? },
                gone: row.get(10)?,
                original: row.get(11)?,
            });
        }
        Ok(group)
    }

    /// Writes the event of a new file, and if it was moved, of the path that is gone.
    fn conclude_new(&mut self, new: NewFile) -> Result<(), Error> {
        let NewFile { subject, seen, digests, gone, original } = new;
        let gone = match gone {
            Some(id) => Some(self.ledger.file(id)?),
            None => None,
        };
        let original = match (&gone, original) {
            (None, Some(id)) => Some(self.ledger.file(id)?),
            _ => None,
        };
        let finding = match (&gone, &original) {
            (Some(_), _) => Finding::Moved,
            (None, Some(_)) => Finding::Copied,
            (None, None) => Finding::New,
        };
        let other = gone.as_ref().or(original.as_ref());
        let mut state = self.ledger.state_or_new(&subject)?;
        let event = Event {
            subject: Some(subject.clone()),
            seen,
            digests: Some(digests),
            expected: other.and_then(|(_, state)| state.expected),
            other: other.map(|(subject, _)| subject.clone()),
            ..self.ledger.blank(finding)
        };
        let other = other.map(|(_, state)| state.id);
        self.ledger.record(&mut state, event, other)?;
        self.counts.add(finding, 1);
        if let Some((from, mut gone)) = gone {
            let event = Event {
                subject: Some(from),
                expected: gone.expected,
                other: Some(subject),
                ..self.ledger.blank(Finding::MovedAway)
            };
            let id = gone.id;
            self.ledger.record(&mut gone, event, Some(state.id))?;
            self.counts.add(Finding::MovedAway, 1);
            self.ledger.connection.prepare_cached("DELETE FROM temp.gone WHERE id = ?1")?.execute([id])?;
        }
        Ok(())
    }

    /// Writes the events of what is gone, and was not gone before. Returns the number of files about which the next run
    /// decides.
    fn conclude_missing(&mut self) -> Result<u64, Error> {
        const GROUP: i64 = 1000;
        let (mut after, mut waiting) = (0, 0);
        loop {
            let ids: Vec<i64> = {
                let sql = "SELECT id FROM temp.gone WHERE id > ?1 ORDER BY id LIMIT ?2";
                let mut statement = self.ledger.connection.prepare_cached(sql)?;
                let rows = statement.query_map([after, GROUP], |row| row.get(0))?;
                rows.collect::<Result<_, _>>()?
            };
            let Some(&last) = ids.last() else { return Ok(waiting) };
            after = last;
            for id in ids {
                let (subject, mut state) = self.ledger.file(id)?;
                if state.status == Status::Missing {
                    continue;
                }
                if self.may_be_left(&state)? {
                    waiting += 1;
                    continue;
                }
                let event =
                    Event { subject: Some(subject), expected: state.expected, ..self.ledger.blank(Finding::Missing) };
                self.ledger.record(&mut state, event, None)?;
                self.counts.add(Finding::Missing, 1);
            }
        }
    }

    /// Whether a file that is gone may be a new one that limits have left: one of them has the size that is expected.
    fn may_be_left(&self, state: &FileState) -> Result<bool, Error> {
        // Empty files are never moved.
        let expected = self.ledger.seen_of(state.expected)?.filter(|expected| expected.size > 0);
        let Some(expected) = expected else { return Ok(false) };
        let sql = "SELECT EXISTS(SELECT 1 FROM temp.left_size WHERE size = ?1)";
        let mut statement = self.ledger.connection.prepare_cached(sql)?;
        Ok(statement.query_row([expected.size.cast_signed()], |row| row.get(0))?)
    }
}

/// Takes a row about contents, and the digest by which they are recognised.
type EachContent<'a> = &'a mut dyn FnMut(&rusqlite::Row<'_>, &[u8]) -> Result<(), Error>;

/// A new file that was read.
struct NewFile {
    subject: Subject,
    seen: Option<Seen>,
    digests: Digests,
    /// The file that is gone and had its contents.
    gone: Option<i64>,
    /// A file with its contents that is still there.
    original: Option<i64>,
}

/// Returns the last part of a path.
fn name(path: &[u8]) -> &[u8] {
    path.rsplit(|&byte| byte == b'/').next().unwrap_or(path)
}

/// Whether the finding follows from reading the file to its end.
fn is_reading(finding: Finding) -> bool {
    matches!(
        finding,
        Finding::First
            | Finding::Matched
            | Finding::Changed
            | Finding::BitRot
            | Finding::Moved
            | Finding::Copied
            | Finding::New
            | Finding::Back
            | Finding::Migrated
    )
}

/// Returns the event and the note of the run that has no end.
fn unfinished(ledger: &Ledger) -> Result<Option<(i64, Vec<u8>)>, Error> {
    let last = |finding: Finding| -> Result<Option<(i64, Vec<u8>)>, Error> {
        let sql = "SELECT id, note FROM event WHERE file IS NULL AND kind = ?1 ORDER BY id DESC LIMIT 1";
        let mut statement = ledger.connection.prepare(sql)?;
        Ok(statement.query_row([finding.code()], |row| Ok((row.get(0)?, row.get(1)?))).optional()?)
    };
    let ended = last(Finding::Ended)?.map_or(0, |(id, _)| id);
    Ok(last(Finding::Began)?.filter(|(began, _)| *began > ended))
}
