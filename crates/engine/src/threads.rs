//! Starting the threads of a run.

use std::io;
use std::thread::{Builder, Scope};

/// Starts this many threads that do the same, or as many as the system grants.
///
/// # Errors
/// The system's, at the first thread that it does not grant.
pub(crate) fn start<'scope>(
    scope: &'scope Scope<'scope, '_>,
    threads: usize,
    work: impl Fn() + Clone + Send + 'scope,
) -> io::Result<()> {
    (0..threads).try_for_each(|_| Builder::new().spawn_scoped(scope, work.clone()).map(drop))
}
