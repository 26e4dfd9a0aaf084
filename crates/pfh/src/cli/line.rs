//! The line of the terminal that shows the progress; everything else is printed above it.

use indicatif::ProgressBar;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The line on the terminal.
static LINE: Mutex<Option<ProgressBar>> = Mutex::new(None);

/// Locks the line.
pub(crate) fn line() -> MutexGuard<'static, Option<ProgressBar>> {
    LINE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Prints above the line, if there is one, so that lines do not mix.
pub(crate) fn above_line(print: impl FnOnce()) {
    match &*line() {
        Some(line) => line.suspend(print),
        None => print(),
    }
}

/// Removes the line from the terminal.
pub(crate) fn clear() {
    if let Some(line) = line().take() {
        line.finish_and_clear();
    }
}
