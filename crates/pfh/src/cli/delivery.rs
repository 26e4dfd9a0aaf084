//! Results that appear whole or not at all, and what signals and errors make of them.

use super::exit::Failed;
use super::interrupt::Interrupt;
use super::output::{Delivered, Output};
use super::reading;
use super::{Ending, message};
use pfh_engine::CancelToken;
use pfh_list::FileIdentity;
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
    pub(crate) fn open(path: Option<&Path>) -> Result<Delivery, Failed> {
        let delivered = Arc::new(Mutex::new(Delivered { output: Output::unopened(), summary: Summary::default() }));
        let cancel = CancelToken::default();
        // Before there is a file that a signal could leave behind.
        let interrupt = Interrupt::new(cancel.clone(), Arc::clone(&delivered), |_| None);
        let delivery = Delivery { delivered, cancel, _interrupt: interrupt };
        let output = reading::open_output(path)?;
        delivery.lock().output = output;
        Ok(delivery)
    }

    /// Whether it would take the place of a file that is there, with nothing in it.
    pub(crate) fn empties(&self, count: usize, allow_empty: bool) -> bool {
        count == 0 && !allow_empty && !self.cancel.is_cancelled() && self.lock().output.replaced().is_some()
    }

    /// Says that the file that is there is left as it is. (It is, where this value is dropped before its end.)
    pub(crate) fn say_spared(&self) {
        let replaced = self.lock().output.replaced().map(Path::to_owned);
        if let Some(path) = replaced {
            message::spared(&path);
        }
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
    pub(crate) fn end(self, result: io::Result<()>, ending: Ending) -> Result<Ending, Failed> {
        if self.cancel.is_cancelled() {
            message::interrupted(None);
            return Ok(ending.and(Ending::INTERRUPTED));
        }
        let after_error = self.lock().output.after_error();
        match result.and_then(|()| self.lock().output.finish()) {
            Ok(()) => Ok(ending),
            Err(error) => Failed::of_output(&error, after_error).map(|closed| ending.and(closed)),
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
