//! The decisions of people: a change was intended, a file is no longer expected, the settings are others.

use rusqlite::params;
use serde_json::json;

use crate::event::{Event, Subject};
use crate::ledger::{Ledger, note};
use crate::state::{FileState, Status};
use crate::{Error, Finding, Settings, Undecided};

impl Ledger {
    /// Accepts the findings that are open for a file or below a directory: what was seen is expected from now on, and
    /// what is missing is no longer expected. Returns the files, each with the state that it had.
    ///
    /// # Errors
    /// [`Error::Undecided`] if nothing is open there, or nothing was seen that could be expected; and the errors of
    /// writing. Then nothing was changed.
    pub fn accept(&mut self, at: &Subject, by: &str, why: &str) -> Result<Vec<(Subject, Status)>, Error> {
        self.decide(at, Finding::Accepted, by, why)
    }

    /// Forgets a file or all files below a directory: nothing is expected of them any more. Their history stays.
    ///
    /// # Errors
    /// [`Error::Undecided`] if the ledger expects nothing there; and the errors of writing. Then nothing was changed.
    pub fn forget(&mut self, at: &Subject, by: &str, why: &str) -> Result<Vec<(Subject, Status)>, Error> {
        self.decide(at, Finding::Forgotten, by, why)
    }

    fn decide(&mut self, at: &Subject, finding: Finding, by: &str, why: &str) -> Result<Vec<(Subject, Status)>, Error> {
        let files = self.at(at)?;
        let is_meant = |state: &FileState| match finding {
            Finding::Accepted => state.status.finding().is_some(),
            _ => state.status != Status::Retired,
        };
        let note = note(&json!({"by": by, "why": why}))?;
        let mut decided = Vec::new();
        self.begin()?;
        for (subject, mut state) in files.into_iter().filter(|(_, state)| is_meant(state)) {
            let status = state.status;
            if finding == Finding::Accepted && matches!(status, Status::Unreadable | Status::Changing) {
                self.connection.execute_batch("ROLLBACK")?;
                return Err(Error::Undecided(subject, Undecided::NotRead));
            }
            let event = Event {
                subject: Some(subject.clone()),
                expected: state.expected,
                note: Some(note.clone()),
                ..self.blank(finding)
            };
            self.record(&mut state, event, None)?;
            decided.push((subject, status));
        }
        self.commit()?;
        if decided.is_empty() {
            let is_accepted = finding == Finding::Accepted;
            let reason = if is_accepted { Undecided::NoFinding } else { Undecided::NotExpected };
            return Err(Error::Undecided(at.clone(), reason));
        }
        Ok(decided)
    }

    /// Returns the file at a path, or all files below it.
    fn at(&self, at: &Subject) -> Result<Vec<(Subject, FileState)>, Error> {
        // Where a file is no longer expected, there may be a directory now.
        if let Some(state) = self.state(at)?.filter(|state| state.status != Status::Retired) {
            return Ok(vec![(at.clone(), state)]);
        }
        let (from, to) = at.range_below();
        let mut statement = self.connection.prepare(
            "SELECT root, path, id, status, expected, seen, checked FROM file \
             WHERE root = ?1 AND path >= ?2 AND (?3 IS NULL OR path < ?3) ORDER BY path",
        )?;
        let mut rows = statement.query(params![at.root, from, to])?;
        let mut files = Vec::new();
        while let Some(row) = rows.next()? {
            let subject = Subject { root: row.get(0)?, path: row.get(1)? };
            files.push((subject, crate::ledger::state_of(row, 2)?));
        }
        Ok(files)
    }

    /// Changes the settings.
    ///
    /// # Errors
    /// The errors of writing.
    pub fn set_settings(&mut self, settings: &Settings) -> Result<(), Error> {
        self.prepare_settings(settings)?;
        self.commit()
    }

    /// Changes the settings as a part of the run that begins next: they are recorded with its beginning, or not at all.
    ///
    /// # Errors
    /// The errors of writing.
    pub fn prepare_settings(&mut self, settings: &Settings) -> Result<(), Error> {
        self.begin()?;
        self.append_note(Finding::Settings, note(settings)?)?;
        Ok(())
    }
}
