//! Checking a ledger: the database, the chain, and the tables against the events.

use std::fmt;

use rusqlite::{OptionalExtension, ffi};

use crate::chain::{Hash, ORIGIN};
use crate::database;
use crate::ledger::{EVENT_COLUMNS, EVENT_TABLES, Ledger, state_of};
use crate::state::FileState;
use crate::{Error, Finding, Subject};

/// Most problems that are kept.
const PROBLEMS_MAX: usize = 100;

/// Something that is wrong with a ledger.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Problem {
    /// SQLite finds the file damaged.
    Database(String),
    /// A table or index is not defined as it must be, is not there, or is none of a ledger's.
    Schema(String),
    /// An event has not the hash that follows from it and the events before it.
    Hash(i64),
    /// An event is not there, although later ones are.
    Gap(i64),
    /// An event has a number below that of the first one, so the chain does not cover it.
    Number(i64),
    /// The state of a file is not that which follows from its events.
    State(Subject),
    /// An event compares with other digests than those that were expected by the events before it.
    Expected(i64),
    /// A root is not as its events state it.
    Root(u32),
    /// An event belongs to a file, or a file to events, that are not there.
    Orphan(i64),
    /// The head that was kept elsewhere is not in the ledger: events were lost or replaced.
    Head {
        /// The number of its event.
        event: i64,
        /// Whether the ledger has an event of this number at all.
        is_there: bool,
    },
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Problem::Database(text) => write!(f, "the database is damaged: {text}"),
            Problem::Schema(name) => write!(f, "the definition of `{}` was changed", name.escape_debug()),
            Problem::Hash(event) => write!(f, "event {event} was changed, or one before it: its hash does not agree"),
            Problem::Gap(event) => write!(f, "event {event} is missing"),
            Problem::Number(event) => write!(f, "event {event} was added: numbers begin with 1"),
            Problem::State(subject) => {
                write!(f, "the state of {} is not what its events say", pfh_record::quote::quoted(&subject.path))
            }
            Problem::Expected(event) => write!(
                f,
                "event {event} compares with other digests than those that were expected by the events before it: the \
                 ledger was changed while that run was made"
            ),
            Problem::Root(root) => write!(f, "root {root} is not as its events say"),
            Problem::Orphan(id) => write!(f, "event {id} belongs to a file that the ledger does not have"),
            Problem::Head { event, is_there: true } => {
                write!(
                    f,
                    "event {event} has another hash than the head that was kept: the ledger was replaced or rewritten"
                )
            }
            Problem::Head { event, is_there: false } => {
                write!(f, "the head that was kept is event {event}, and the ledger ends before it: events were lost")
            }
        }
    }
}

/// The result of checking a ledger.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Verified {
    /// Number of events.
    pub events: i64,
    /// Number of files.
    pub files: u64,
    /// The problems that were found; at most 100.
    pub problems: Vec<Problem>,
    /// Events whose time is before that of the event before: the clock was set back. No sign of damage.
    pub clock_went_back: Vec<i64>,
}

impl Verified {
    fn add(&mut self, problem: Problem) -> bool {
        if self.problems.len() < PROBLEMS_MAX {
            self.problems.push(problem);
        }
        self.problems.len() < PROBLEMS_MAX
    }

    /// Takes the result of a step, whose errors are problems if they are those of the database.
    fn take(&mut self, step: Result<(), Error>) -> Result<(), Error> {
        let text = match step {
            Err(Error::Damaged(text)) => text,
            Err(Error::Sqlite(error)) => error.to_string(),
            step => return step,
        };
        let problem = Problem::Database(text);
        // The same damage may end several steps.
        if !self.problems.contains(&problem) {
            self.add(problem);
        }
        Ok(())
    }
}

impl Ledger {
    /// Checks everything. `head`: the number and the hash of an event that were kept elsewhere. `stops` is asked now
    /// and then whether to give up.
    ///
    /// # Errors
    /// If a part of the ledger cannot be read, if a run began to write to a ledger that was opened as one that nobody
    /// writes to, or `stops` says so. Damage is a result.
    pub fn verify(&mut self, head: Option<(i64, Hash)>, stops: &dyn Fn() -> bool) -> Result<Verified, Error> {
        let mut verified = Verified::default();
        let checked = self.check_database(&mut verified);
        verified.take(checked)?;
        let steps: [Step; 3] = [Ledger::check_chain, Ledger::check_states, Ledger::check_roots];
        for step in steps {
            let checked = step(self, &mut verified, stops);
            verified.take(checked)?;
        }
        if let Some((event, hash)) = head {
            let checked = self.check_head(event, &hash, &mut verified);
            verified.take(checked)?;
        }
        // SQLite takes a page that it cannot read for a damaged one.
        if verified.problems.iter().any(|problem| matches!(problem, Problem::Database(_))) {
            Ledger::read_whole(self.path())?;
        }
        if !verified.problems.is_empty() {
            self.check_unchanged()?;
        }
        Ok(verified)
    }

    /// Looks for the head that was kept elsewhere.
    fn check_head(&self, event: i64, hash: &Hash, verified: &mut Verified) -> Result<(), Error> {
        let sql = "SELECT hash FROM event WHERE id = ?1";
        let found: Option<Vec<u8>> = self.connection.query_row(sql, [event], |row| row.get(0)).optional()?;
        if found.as_deref() != Some(&hash[..]) {
            verified.add(Problem::Head { event, is_there: found.is_some() });
        }
        Ok(())
    }

    fn check_database(&self, verified: &mut Verified) -> Result<(), Error> {
        let (found, expected) = (database::definitions(&self.connection)?, database::expected_definitions()?);
        for (name, _) in expected.iter().filter(|definition| !found.contains(definition)) {
            verified.add(Problem::Schema(name.clone()));
        }
        for (name, _) in found.iter().filter(|(name, _)| expected.iter().all(|(known, _)| known != name)) {
            verified.add(Problem::Schema(name.clone()));
        }
        let mut statement = self.connection.prepare("PRAGMA integrity_check(10)")?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            let text: String = row.get(0)?;
            if let Some(code) = text.split("error code=").nth(1).and_then(|code| code.parse::<i32>().ok())
                && code & 0xFF == ffi::SQLITE_IOERR
            {
                return Err(Error::Failed(text));
            }
            if text != "ok" {
                verified.add(Problem::Database(text));
            }
        }
        Ok(())
    }

    fn check_chain(&mut self, verified: &mut Verified, stops: &dyn Fn() -> bool) -> Result<(), Error> {
        const GROUP: i64 = 10_000;
        let sql = format!(
            "SELECT {EVENT_COLUMNS}, event.file IS NULL OR subject.id IS NOT NULL FROM {EVENT_TABLES} \
             WHERE event.id >= ?1 ORDER BY event.id LIMIT ?2"
        );
        // Numbers begin with 1, but those that were written by others may not.
        let mut from = i64::MIN;
        let (mut last, mut previous, mut time) = (0, ORIGIN, i64::MIN);
        loop {
            if stops() {
                return Err(Error::Refused("interrupted".to_owned()));
            }
            let mut group = Vec::new();
            {
                let mut statement = self.connection.prepare_cached(&sql)?;
                let mut rows = statement.query([from, GROUP])?;
                while let Some(row) = rows.next()? {
                    let (event, hash) = Ledger::event_of(row)?;
                    if !row.get::<_, bool>(19)? && !verified.add(Problem::Orphan(event.id)) {
                        return Ok(());
                    }
                    group.push((event, hash));
                }
            }
            // No number follows the largest one.
            let next = group.last().and_then(|(event, _)| event.id.checked_add(1));
            for (event, hash) in group {
                if event.id < 1 {
                    if !verified.add(Problem::Number(event.id)) {
                        return Ok(());
                    }
                    continue;
                }
                if event.id != last + 1 && !verified.add(Problem::Gap(last + 1)) {
                    return Ok(());
                }
                // Once it is broken, the chain goes on from the hash that is there, so that each break shows.
                if self.hash(&previous, &event) != hash && !verified.add(Problem::Hash(event.id)) {
                    return Ok(());
                }
                if event.time < time && verified.clock_went_back.len() < PROBLEMS_MAX {
                    verified.clock_went_back.push(event.id);
                }
                (last, previous, time) = (event.id, hash, event.time);
                verified.events = event.id;
            }
            match next {
                Some(next) => from = next,
                None => return Ok(()),
            }
        }
    }

    /// Derives the state of each file from its events, and compares.
    fn check_states(&mut self, verified: &mut Verified, stops: &dyn Fn() -> bool) -> Result<(), Error> {
        let mut files =
            self.connection.prepare("SELECT root, path, id, status, expected, seen, checked FROM file ORDER BY id")?;
        let sql = format!("SELECT {EVENT_COLUMNS} FROM {EVENT_TABLES} WHERE event.file = ?1 ORDER BY event.id");
        let mut events = self.connection.prepare(&sql)?;
        let mut rows = files.query([])?;
        while let Some(row) = rows.next()? {
            let (subject, state) = (Subject { root: row.get(0)?, path: row.get(1)? }, state_of(row, 2)?);
            verified.files += 1;
            if verified.files.is_multiple_of(10_000) && stops() {
                return Err(Error::Refused("interrupted".to_owned()));
            }
            let mut derived = FileState::new(state.id);
            let mut rows = events.query([state.id])?;
            let mut is_any = false;
            while let Some(row) = rows.next()? {
                let event = Ledger::event_of(row)?.0;
                // The table may have been changed for the time of a run, and back. An event of a file that was moved or
                // copied has what was expected of the other file; numbers below 1 are told by the chain.
                let is_own = event.id > 0 && !matches!(event.finding, Finding::Moved | Finding::Copied);
                let is_other = event.expected.is_some() && event.expected != derived.expected;
                if is_own && is_other && !verified.add(Problem::Expected(event.id)) {
                    return Ok(());
                }
                derived.apply(&event);
                is_any = true;
            }
            if (derived != state || !is_any) && !verified.add(Problem::State(subject)) {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Compares the roots with their events.
    fn check_roots(&mut self, verified: &mut Verified, _: &dyn Fn() -> bool) -> Result<(), Error> {
        let ((stated, _), roots) = (self.stated_roots()?, self.roots()?);
        for number in 0..roots.len().max(stated.len()) {
            if roots.get(number) != stated.get(number) {
                verified.add(Problem::Root(number as u32));
            }
        }
        Ok(())
    }
}

/// A step of the check.
type Step = fn(&mut Ledger, &mut Verified, &dyn Fn() -> bool) -> Result<(), Error>;
