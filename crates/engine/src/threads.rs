//! Starting the threads of a run.

use std::io;
use std::thread::{Builder, Scope};

/// Starts this number of threads with the same work.
///
/// # Errors
/// The system's error for the first thread that it refuses; earlier ones are running then.
pub(crate) fn start<'scope>(
    scope: &'scope Scope<'scope, '_>,
    threads: usize,
    work: impl Fn() + Clone + Send + 'scope,
) -> io::Result<()> {
    (0..threads).try_for_each(|_| Builder::new().spawn_scoped(scope, work.clone()).map(drop))
}
