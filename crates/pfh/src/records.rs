//! The records of a run as an iterator.

use crate::{Error, run_on};
use pfh_engine::{CancelToken, Counters, Options, Report, Sink, StartError};
use pfh_record::{Piece, Record, Similarity};
use pfh_source::Source;
use std::fmt;
use std::iter::FusedIterator;
use std::ops::ControlFlow;
use std::panic::resume_unwind;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread::{self, Builder, JoinHandle};
use std::time::Duration;

/// Number of records in a group. At most three groups exist: one is being filled, one waits, and the caller takes
/// records from one.
const GROUP_RECORDS_MAX: usize = 64;

/// Size in bytes from which a group of fewer records is handed over: once they are delivered, the engine no longer
/// counts long lists of pieces and long similarity digests.
const GROUP_BYTES_MAX: usize = 64 << 10;

/// The records of a run, in the order of the walk unless [`Options::unordered`] is set.
/// [`HashRun::stream`](crate::HashRun::stream) and [`stream_on`](crate::stream_on) return it.
///
/// The run has threads of its own and goes on while the caller works on a record. It waits for a slow caller: at most
/// [`Records::AHEAD_MAX`] records are finished ahead of it, beside those that the memory option pays for.
///
/// Dropping it stops the run, and returns when all of its threads have ended: after the reads that are under way.
///
/// # Panics
/// Iterating panics with the panic of the run, if it has one. (A panic that belongs to a file is an outcome of its
/// record.)
pub struct Records {
    /// `None` once the run has ended.
    groups: Option<Receiver<Vec<Record>>>,
    group: std::vec::IntoIter<Record>,
    /// `None` once it is joined.
    run: Option<JoinHandle<Result<Report, Error>>>,
    /// The report, once the run has ended without a panic.
    report: Option<Report>,
    cancel: CancelToken,
    counters: Arc<Counters>,
}

impl Records {
    /// The most records that the run has delivered and the caller has not yet taken.
    pub const AHEAD_MAX: usize = 3 * GROUP_RECORDS_MAX;

    /// Returns a token that stops the run, from any thread. Records that are finished by then still come out of the
    /// iterator, which then ends.
    pub fn cancel_token(&self) -> CancelToken {
        self.cancel.clone()
    }

    /// Returns the running totals, for progress displays in any thread.
    pub fn counters(&self) -> Arc<Counters> {
        Arc::clone(&self.counters)
    }

    /// Waits until [`Iterator::next`] returns at once, with a record or because the run has ended, but no longer than
    /// `timeout`. Returns whether it does. For callers who have other things to look at meanwhile.
    pub fn wait(&mut self, timeout: Duration) -> bool {
        if self.group.len() > 0 {
            return true;
        }
        let Some(groups) = &self.groups else { return true };
        match groups.recv_timeout(timeout) {
            Ok(group) => {
                let is_ready = !group.is_empty();
                self.group = group.into_iter();
                is_ready
            }
            // The run drops its end of the channel when all of its threads have ended.
            Err(RecvTimeoutError::Disconnected) => true,
            Err(RecvTimeoutError::Timeout) => false,
        }
    }

    /// Returns counts and times of the run. If the iterator has not ended, the run is stopped first, and the summary
    /// says that it was [interrupted](pfh_record::Summary::interrupted); records that the caller has not taken are
    /// dropped, and counted.
    ///
    /// # Panics
    /// Resumes the panic of the run, if it has one. If iterating has panicked with it before, it panics with a text
    /// that says so.
    pub fn finish(mut self) -> Report {
        self.stop();
        match self.join() {
            Ok(_) => self.report.unwrap_or_else(|| panic!("the run has no report: iterating panicked with its panic")),
            Err(panic) => resume_unwind(panic),
        }
    }

    /// Starts a run on a thread of its own, and returns when all of its threads have started.
    pub(crate) fn start<S: Source + Send + 'static>(options: Options, source: S) -> Result<Records, Error> {
        let (sender, groups) = sync_channel(1);
        let (cancel, counters) = (CancelToken::default(), Arc::new(Counters::default()));
        let threads = options.threads.max(1).saturating_add(1);
        let run = {
            let (cancel, counters) = (cancel.clone(), Arc::clone(&counters));
            move || {
                let mut sink = Groups { sender, group: Vec::new(), bytes: 0 };
                run_on(&options, &source, &|record| record, &mut sink, None, &counters, &cancel)
            }
        };
        let run = Builder::new().name("pfh-run".to_owned()).spawn(run);
        let run = Some(run.map_err(|_| Error::Start(StartError::ThreadsRefused { threads }))?);
        // The first group is empty, and reports that the run has begun.
        let has_begun = groups.recv().is_ok();
        let group = Vec::new().into_iter();
        let mut records = Records { groups: Some(groups), group, run, report: None, cancel, counters };
        match if has_begun { Ok(Ok(())) } else { records.join() } {
            Ok(begun) => begun.map(|()| records),
            Err(panic) => resume_unwind(panic),
        }
    }

    /// Stops the run if it has not ended.
    fn stop(&mut self) {
        if self.run.is_some() {
            self.cancel.cancel();
        }
        self.groups = None;
    }

    /// Waits for the end of the run, once: a panic is returned by the first call only.
    fn join(&mut self) -> thread::Result<Result<(), Error>> {
        self.groups = None;
        match self.run.take().map(JoinHandle::join).transpose()? {
            Some(Ok(report)) => self.report = Some(report),
            Some(Err(error)) => return Ok(Err(error)),
            None => {}
        }
        Ok(Ok(()))
    }
}

impl Iterator for Records {
    type Item = Record;

    /// Waits for the next record. Returns `None` when the run, with all of its threads, has ended.
    fn next(&mut self) -> Option<Record> {
        loop {
            if let Some(record) = self.group.next() {
                return Some(record);
            }
            match self.groups.as_ref()?.recv() {
                Ok(group) => self.group = group.into_iter(),
                Err(_) => match self.join() {
                    Ok(_) => return None,
                    Err(panic) => resume_unwind(panic),
                },
            }
        }
    }
}

impl FusedIterator for Records {}

impl Drop for Records {
    /// A panic of the run is lost here, like the records.
    fn drop(&mut self) {
        self.stop();
        let _ = self.join();
    }
}

impl fmt::Debug for Records {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Records { report, counters, .. } = self;
        f.debug_struct("Records").field("report", report).field("counters", counters).finish_non_exhaustive()
    }
}

/// A sink that hands records over in groups, and waits while the caller has one group to take from and one that waits.
struct Groups {
    sender: SyncSender<Vec<Record>>,
    group: Vec<Record>,
    /// Approximate memory of the records in `group`.
    bytes: usize,
}

impl Groups {
    fn send(&mut self) -> ControlFlow<()> {
        self.bytes = 0;
        match self.sender.send(std::mem::take(&mut self.group)) {
            Ok(()) => ControlFlow::Continue(()),
            Err(_) => ControlFlow::Break(()),
        }
    }
}

impl Sink for Groups {
    type Item = Record;

    fn begin(&mut self) -> ControlFlow<()> {
        self.send()
    }

    fn deliver(&mut self, record: Record) -> ControlFlow<()> {
        self.bytes += record_bytes(&record);
        self.group.push(record);
        if self.group.len() < GROUP_RECORDS_MAX && self.bytes < GROUP_BYTES_MAX {
            return ControlFlow::Continue(());
        }
        self.send()
    }

    fn end_group(&mut self) -> ControlFlow<()> {
        if self.group.is_empty() { ControlFlow::Continue(()) } else { self.send() }
    }
}

/// Returns the approximate memory of a record, in bytes.
fn record_bytes(record: &Record) -> usize {
    let pieces = record.pieces.iter().map(|piece| size_of::<Piece>() + size_of_val(&*piece.digests));
    let similarities = record.similarities.iter().map(Similarity::text_bytes);
    size_of::<Record>() + record.path.len() + size_of_val(&*record.digests) + pieces.chain(similarities).sum::<usize>()
}
