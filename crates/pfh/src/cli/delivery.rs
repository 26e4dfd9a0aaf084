//! Results that appear whole or not at all, and what signals and errors make of them.

use super::hash::{self, Stop};
use super::interrupt::Interrupt;
use super::output::{Delivered, FileIdentity};
use super::{Ending, message};
use pfh_engine::CancelToken;
use pfh_record::Summary;
use std::io::{self, Write};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// An output of which a part is of no use. While it is there, signals cancel the run.
pub(crate) struct Delivery {
    delivered: Arc<Mutex<Delivered>>,
    cancel: CancelToken,
    _interrupt: Interrupt,
}

impl Delivery {
    /// Opens a file, or standard output.
    pub(crate) fn open(path: Option<&Path>) -> Result<Delivery, Stop> {
        let output = hash::open_output(path)?;
        let delivered = Arc::new(Mutex::new(Delivered { output, summary: Summary::default() }));
        let cancel = CancelToken::default();
        let interrupt = Interrupt::new(cancel.clone(), Arc::clone(&delivered), |_| None);
        Ok(Delivery { delivered, cancel, _interrupt: interrupt })
    }

    /// What says that the run is to end.
    pub(crate) fn cancel(&self) -> &CancelToken {
        &self.cancel
    }

    /// The files that it consists of, which are not to be read.
    pub(crate) fn own_files(&self) -> Vec<FileIdentity> {
        self.lock().output.identities()
    }

    fn lock(&self) -> MutexGuard<'_, Delivered> {
        self.delivered.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends it. `result`: how writing went; `ending`: what else happened.
    pub(crate) fn end(self, result: io::Result<()>, ending: Ending) -> Result<Ending, Stop> {
        if self.cancel.is_cancelled() {
            message::interrupted(None);
            return Ok(ending.and(Ending::INTERRUPTED));
        }
        let after_error = self.lock().output.after_error();
        match result.and_then(|()| self.lock().output.finish()) {
            Ok(()) => Ok(ending),
            Err(error) => Stop::of_output(&error, after_error).map(|closed| ending.and(closed)),
        }
    }
}

impl Write for Delivery {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.cancel.is_cancelled() {
            return Err(io::Error::other("interrupted"));
        }
        self.lock().output.write(bytes).map(|()| bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.lock().output.end_group()
    }
}

/// Nothing is left behind where the end was not reached. (The signal handler holds on to the output.)
impl Drop for Delivery {
    fn drop(&mut self) {
        self.lock().output.discard();
    }
}
