//! A first look at the paths of the command line: what is missing is said before the hashing, not when the list comes to it.

use super::warnings::{Warning, Warnings};
use pfh_list::FileIdentity;
use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::sync::mpsc::channel;
use std::thread::Builder;
use std::time::{Duration, Instant};

/// A path on a dead network filesystem does not answer: the look ends without it, and the run begins.
const PATIENCE: Duration = Duration::from_secs(2);

/// Paths this long are valid in parts only; the walk can do that, a single call cannot.
const PATH_BYTES_MAX: usize = 4096;

/// Says which paths cannot be looked at. Their records come in the order of the list all the same. Returns device and inode of
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
    // Where the system refuses a thread, the run will say so.
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
