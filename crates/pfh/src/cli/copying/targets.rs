//! Destinations, and how it stands with a file at each of them.

use super::super::ended::lock;
use pfh_copy::{Destination, ends_destination};
use pfh_record::Metadata;
use std::ffi::OsStr;
use std::io;
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

    /// Removes what is staged, and keeps the journals, with which the next run goes on.
    pub(super) fn leave(&self) {
        for target in self.0.iter() {
            // A file that cannot be removed now is removed by the next run.
            let _ = target.destination.end(false);
        }
    }
}

/// A destination, and the error after which nothing further was written to it.
pub(super) struct Target {
    pub(super) destination: Destination,
    pub(super) failure: Mutex<Option<io::Error>>,
    /// Whether each path there is that of one source, so that the journal tells of which file its lines are.
    pub(super) has_own_paths: bool,
}

impl Target {
    pub(super) fn new(destination: Destination, has_own_paths: bool) -> Target {
        Target { destination, failure: Mutex::default(), has_own_paths }
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
        let is_full =
            |error: &io::Error| matches!(error.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded);
        lock(&self.failure).as_ref().is_none_or(is_full)
    }

    pub(super) fn fail(&self, error: io::Error) {
        lock(&self.failure).get_or_insert(error);
    }
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
