//! Destinations, and how it stands with a file at each of them.

use super::super::ended::lock;
use super::super::exit::Failed;
use pfh_copy::{Destination, ends_destination};
use pfh_list::{FormatName, Input, List, ReadOptions};
use pfh_record::Metadata;
use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Seek, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::{Arc, Mutex};

pub(super) fn path_of(path: &[u8]) -> &Path {
    Path::new(OsStr::from_bytes(path))
}

/// The destinations of a copy.
#[derive(Clone)]
pub(crate) struct Destinations(pub(super) Arc<Vec<Target>>);

impl Destinations {
    pub(super) fn new(targets: Vec<Target>) -> Destinations {
        Destinations(Arc::new(targets))
    }

    /// Removes what was made for a copy that does not begin.
    pub(crate) fn abandon(&self) {
        self.0.iter().for_each(|target| target.destination.abandon());
    }

    /// Removes what is staged, and keeps the journals, with which the next run goes on.
    pub(super) fn leave(&self) {
        for target in self.0.iter() {
            // A file that cannot be removed now is removed by the next run.
            let _ = target.destination.end(false).and_then(|()| target.destination.sync());
        }
    }
}

/// A destination, and the error after which nothing further was written to it.
pub(super) struct Target {
    pub(super) destination: Destination,
    pub(super) failure: Mutex<Option<io::Error>>,
    /// Whether each path there is that of one source, so that the journal tells of which file its lines are.
    pub(super) has_own_paths: bool,
    /// The beginning of a new journal.
    header: Vec<u8>,
    /// A temporary file that continues a journal for which the destination has no room.
    rest: Mutex<Option<File>>,
}

impl Target {
    pub(super) fn new(destination: Destination, has_own_paths: bool, header: Vec<u8>) -> Target {
        Target { destination, failure: Mutex::default(), has_own_paths, header, rest: Mutex::default() }
    }

    /// Whether an interrupted copy has copied and verified this file, in the state that `metadata` tells.
    pub(super) fn has(&self, path: &[u8], metadata: &Metadata) -> bool {
        self.has_own_paths && self.destination.has(path, metadata)
    }

    /// Returns the full path of a path below the destination, for messages and for reading.
    pub(super) fn full_path(&self, path: &[u8]) -> Vec<u8> {
        self.destination.path().join(path_of(path)).into_os_string().into_encoded_bytes()
    }

    pub(super) fn is_alive(&self) -> bool {
        lock(&self.failure).is_none()
    }

    /// Whether what is staged can get its names: a full disk has room for that.
    pub(super) fn takes_names(&self) -> bool {
        lock(&self.failure).as_ref().is_none_or(is_full)
    }

    /// Appends lines to the journal. For a full disk that is no failure: this run can list its files all the same, and
    /// the next one compares those that its journal lacks.
    ///
    /// # Errors
    /// If a temporary file cannot be used. An error of the journal ends the destination.
    pub(super) fn record(&self, lines: &[u8]) -> io::Result<()> {
        let mut rest = lock(&self.rest);
        if rest.is_none() {
            match self.destination.record(lines) {
                Ok(()) => return Ok(()),
                Err(error) if is_full(&error) || error.kind() == io::ErrorKind::FileTooLarge => {}
                Err(error) => {
                    self.fail(error);
                    return Ok(());
                }
            }
            rest.insert(tempfile::tempfile()?).write_all(&self.header)?;
        }
        rest.as_mut().map_or(Ok(()), |rest| rest.write_all(lines))
    }

    /// Opens the journal again, and what continues it. All is copied by then, so an error is none of the command line.
    pub(super) fn journal(&self) -> Result<Vec<List>, Failed> {
        let path = self.destination.journal_path().into_os_string();
        let open = |input| {
            let opened = List::open_as(FormatName::Jsonl, input, ReadOptions::default());
            opened.map_err(|error| {
                Failed::internal(format_args!("no list can be written: {error}; the same command goes on"))
            })
        };
        let mut lists = vec![open(Input::path(&path))?];
        if let Some(rest) = &mut *lock(&self.rest) {
            let file = rest.rewind().and_then(|()| rest.try_clone()).map_err(Failed::temporary)?;
            let input = Input::reader(path.into_encoded_bytes(), file);
            lists.push(open(input)?);
        }
        Ok(lists)
    }

    pub(super) fn fail(&self, error: io::Error) {
        lock(&self.failure).get_or_insert(error);
    }
}

/// Whether an error says that there is no room.
fn is_full(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded)
}

/// Whether there is a destination that has not failed.
pub(super) fn any_is_alive(targets: &[Target]) -> bool {
    targets.iter().any(Target::is_alive)
}

/// Takes an error of writing to a destination.
pub(super) fn failed(target: &Target, error: io::Error) -> State {
    let text = error.to_string();
    if ends_destination(&error) {
        target.fail(error);
    }
    State::Failed(text)
}

/// How it stands with a file at a destination.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// Nothing was tried.
    Waiting,
    /// An interrupted copy has copied and verified it.
    Done,
    /// A file of this size has the name.
    There,
    /// It is written under a number.
    Staged,
    /// It becomes a further name of a file that was copied before.
    Linked,
    /// It could not be written, for this reason.
    Failed(String),
    /// Something else has the name.
    InTheWay(&'static str),
}

/// A file on its way.
pub(super) struct FilePlan {
    pub(super) number: u64,
    /// Below the destinations.
    pub(super) path: Vec<u8>,
    pub(super) leader: Option<Vec<u8>>,
    /// One for each destination.
    pub(super) states: Mutex<Vec<State>>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use pfh_record::Selection;

    /// All is copied when the list is written, so the command line was right.
    #[test]
    fn a_journal_that_cannot_be_opened_again_is_no_error_of_the_command_line() {
        let directory = tempfile::tempdir().unwrap();
        let destination = Destination::open(directory.path(), &Selection::default(), b"").unwrap();
        std::fs::remove_file(destination.journal_path()).unwrap();
        let failed = Target::new(destination, true, Vec::new()).journal().map(|lists| lists.len()).unwrap_err();
        let told = format!("{failed:?}");
        assert!(told.contains("usage: false, internal: true") && told.contains("No such file"), "{told}");
    }
}
