//! Ctrl-C and SIGTERM.

use super::message::Partial;
use super::output::Delivered;
use super::{Ending, message, progress};
use pfh_engine::CancelToken;
use pfh_record::Summary;
use std::process;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// A run that stands in a read that does not come back gets this long before it is left behind.
const PATIENCE: Duration = Duration::from_secs(2);

/// Stops a run on the first signal, and the program on the second, or when the run does not end by itself. Dropping it
/// says that the run has ended.
pub(crate) struct Interrupt {
    cancel: CancelToken,
    _ended: Option<Sender<()>>,
}

impl Interrupt {
    /// Listens from now on. Where signals cannot be caught, they end the program in the system's own way. `footer` makes
    /// the end of a list with so many records; `None` where a part of it is of no use.
    pub(crate) fn new(
        cancel: CancelToken,
        delivered: Arc<Mutex<Delivered>>,
        footer: impl Fn(Summary) -> Option<Vec<u8>> + Send + 'static,
    ) -> Interrupt {
        let (ended, run_ended) = channel::<()>();
        let run_ended = Mutex::new(run_ended);
        let token = cancel.clone();
        let again = AtomicBool::new(false);
        let handler = move || {
            if again.swap(true, Ordering::Relaxed) {
                leave(None);
            }
            token.cancel();
            let Ok(run_ended) = run_ended.lock() else { leave(None) };
            if run_ended.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout) {
                // A read that hangs holds no lock on the output: what is finished can be saved.
                let saved = delivered.try_lock().ok().and_then(|mut delivered| {
                    let Some(footer) = footer(delivered.summary) else {
                        delivered.output.discard();
                        return None;
                    };
                    delivered.output.finish_partial(&footer).ok().flatten()
                });
                leave(saved.as_ref());
            }
        };
        let listening = ctrlc::set_handler(handler).is_ok();
        Interrupt { cancel, _ended: listening.then_some(ended) }
    }

    /// Whether a signal came.
    pub(crate) fn came(&self) -> bool {
        self.cancel.is_cancelled()
    }
}

#[expect(clippy::exit, reason = "threads that hang in a read cannot be joined")]
fn leave(partial: Option<&Partial>) -> ! {
    progress::clear();
    message::interrupted(partial);
    process::exit(i32::from(Ending::INTERRUPTED.status().code()))
}
