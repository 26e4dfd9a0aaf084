//! A check of the command line's paths before hashing, so that missing ones are reported at once.

use super::warnings::{Warning, Warnings};
use pfh_list::FileIdentity;
use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::sync::mpsc::channel;
use std::thread::Builder;
use std::time::{Duration, Instant};

/// Longest wait for the check: a path on a dead network filesystem does not answer, and the run begins without it.
const PATIENCE: Duration = Duration::from_secs(2);

/// Length from which paths must be resolved in parts; the walk does that, a single system call cannot.
const PATH_BYTES_MAX: usize = 4096;

/// Reports paths that cannot be examined; their records still come in the order of the list. Returns the identities of
/// the others, with their places among the paths.
pub(crate) fn look(paths: &[OsString], warnings: &mut Warnings) -> Vec<(usize, FileIdentity)> {
    let (sender, looked) = channel();
    let own = paths.to_vec();
    let look_at_each = move || {
        for (place, path) in own.iter().enumerate() {
            let is_one = path != "-" && path.len() < PATH_BYTES_MAX;
            if is_one && sender.send((place, fs::metadata(path))).is_err() {
                return;
            }
        }
    };
    // If the system refuses a thread, the run will report it.
    let _ = Builder::new().spawn(look_at_each);
    let until = Instant::now() + PATIENCE;
    let mut identities = Vec::new();
    while let Ok((place, metadata)) = looked.recv_timeout(until.saturating_duration_since(Instant::now())) {
        match metadata {
            Ok(metadata) => identities.push((place, FileIdentity::new(metadata.dev(), metadata.ino()))),
            Err(error) => warnings.say_early(&Warning::new(paths[place].as_bytes(), error.to_string())),
        }
    }
    identities
}
