//! Collections that are at another path than before.

use pfh_record::jsonl::{bytes_of_texts, texts};
use rusqlite::params;
use serde::{Deserialize, Serialize};

use crate::ledger::{Ledger, note};
use crate::state::Status;
use crate::{Error, Finding};

/// A root that is at another path from now on.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Relocation {
    /// Number of the root, from 0.
    pub root: u32,
    /// The path before, in raw bytes.
    pub from: Vec<u8>,
    /// The path since, in raw bytes.
    pub to: Vec<u8>,
    /// When it was recorded, in seconds since 1970-01-01T00:00:00Z.
    pub time: i64,
    /// Who recorded it.
    pub by: String,
    /// The reason.
    pub why: String,
}

/// The note of the event.
#[derive(Serialize, Deserialize)]
struct Note {
    root: u32,
    path: String,
    /// The bytes of the path, if they are not UTF-8.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    path_base64: Option<String>,
    by: String,
    why: String,
}

impl Ledger {
    /// Records that a root, whose files are expected as before, is at another absolute path. The caller has the
    /// [`Lock`](crate::Lock).
    ///
    /// # Errors
    /// If there is no such root, and the errors of writing. Then nothing was changed.
    pub fn relocate(&mut self, root: u32, path: &[u8], by: &str, why: &str) -> Result<(), Error> {
        let (text, path_base64) = texts(path);
        let note = note(&Note { root, path: text, path_base64, by: by.to_owned(), why: why.to_owned() })?;
        self.begin()?;
        if self.connection.execute("UPDATE root SET path = ?2 WHERE id = ?1", params![root, path])? != 1 {
            self.connection.execute_batch("ROLLBACK")?;
            return Err(Error::Refused(format!("the ledger has no root {root}")));
        }
        self.append_note(Finding::Relocated, note)?;
        self.commit()
    }

    /// Returns the relocations of roots, in order.
    ///
    /// # Errors
    /// If the ledger cannot be read, or an event is not as it must be.
    pub fn relocations(&self) -> Result<Vec<Relocation>, Error> {
        Ok(self.stated_roots()?.1)
    }

    /// Returns the roots as their events state them, by number, and the relocations.
    pub(crate) fn stated_roots(&self) -> Result<(Vec<Vec<u8>>, Vec<Relocation>), Error> {
        let sql = "SELECT id, kind, time, note FROM event WHERE file IS NULL AND kind IN (?1, ?2) ORDER BY id";
        let mut statement = self.connection.prepare(sql)?;
        let mut rows = statement.query([Finding::Root.code(), Finding::Relocated.code()])?;
        let (mut roots, mut relocations) = (Vec::<Vec<u8>>::new(), Vec::new());
        while let Some(row) = rows.next()? {
            let (id, code, time, note): (i64, i64, i64, Vec<u8>) = (row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?);
            if code == Finding::Root.code() {
                roots.push(note);
                continue;
            }
            let damaged = |what: &str| Error::Damaged(format!("the note of event {id}: {what}"));
            let note: Note = serde_json::from_slice(&note).map_err(|error| damaged(&error.to_string()))?;
            let Note { root, path, path_base64, by, why } = note;
            let to = bytes_of_texts(path.into(), path_base64.map(Into::into)).map_err(|reason| damaged(&reason))?;
            let place = roots.get_mut(root as usize).ok_or_else(|| damaged("there is no such root"))?;
            let from = std::mem::replace(place, to.clone());
            relocations.push(Relocation { root, from, to, time, by, why });
        }
        Ok((roots, relocations))
    }

    /// Returns the paths below a root of files that are expected, in order, of at most `most`.
    ///
    /// # Errors
    /// If the ledger cannot be read.
    pub fn expected_below(&self, root: u32, most: u32) -> Result<Vec<Vec<u8>>, Error> {
        let sql = "SELECT path FROM file WHERE root = ?1 AND status <> ?2 ORDER BY path LIMIT ?3";
        let mut statement = self.connection.prepare(sql)?;
        let paths = statement.query_map(params![root, Status::Retired as i64, most], |row| row.get(0))?;
        Ok(paths.collect::<Result<_, _>>()?)
    }
}
