//! `Records`: the records of a run or of a list, one by one or as a stream of Arrow.

use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_schema::{ArrowError, DataType, SchemaRef};
use pfh::engine::Counters;
use pfh::similarity::Family;
use pfh::{CancelToken, Report as RunReport};
use pyo3::exceptions::{PyBaseException, PyKeyboardInterrupt, PyRuntimeError};
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyTuple};

use crate::array::schema_capsule;
use crate::capsule::fixed_widths;
use crate::columns::{Columns, Shape};
use crate::errors;
use crate::feed::{Fault, Feed, Next};
use crate::interpreter::{TICK, caught, defect, enter, inside, interrupt_again, look, outside, stay_while_closing};
use crate::interrupt::Interrupts;
use crate::process::Process;
use crate::record::{Item, Record, RecordError};

/// A feed that is stopped when it is dropped; but not in a process in which its threads do not exist.
struct Running {
    /// `None` once it is finished.
    feed: Option<Feed>,
    process: Process,
}

impl Drop for Running {
    fn drop(&mut self) {
        let Some(feed) = self.feed.take() else { return };
        if !self.process.is_this() {
            // Nothing here owns more than memory, and its threads would be waited for forever.
            std::mem::forget(feed);
            return;
        }
        // A read that is under way may take forever (a pipe, a network), and threads of the run may wait for the
        // interpreter, to take further paths from Python. So whoever drops it waits for a moment only.
        let (ended, when_ended) = sync_channel::<()>(0);
        let end = move || {
            drop(feed);
            drop(ended);
        };
        // Where the system has no thread for it, the closure drops the feed at once.
        if thread::Builder::new().name("pfh-end".to_owned()).spawn(end).is_ok() {
            let mut when_ended: Receiver<()> = when_ended;
            let receiver = &mut when_ended;
            let mut wait = move || {
                // It ends in time, or it does not.
                let _ = receiver.recv_timeout(ENDING_MAX);
            };
            if inside(|py| outside(py, &mut wait)).is_none() {
                wait();
            }
        }
    }
}

/// Longest time for which whoever stops a run waits for its end.
const ENDING_MAX: Duration = Duration::from_millis(30);

enum Slot {
    Here(Box<Running>),
    /// A call is in progress, on this thread or another.
    Busy,
    /// A stream has it.
    Exported,
    Ended,
}

/// The state that the object, its iterator and its stream have in common.
pub(crate) struct Shared {
    slot: Mutex<Slot>,
    shape: Shape,
    format: Option<&'static str>,
    /// The name of the list, for messages.
    name: Vec<u8>,
    is_strict: bool,
    cancel: CancelToken,
    counters: Arc<Counters>,
    report: Mutex<Option<RunReport>>,
    /// Whether it was stopped before its end; nothing as long as it has not ended.
    was_stopped: OnceLock<bool>,
    /// The first file that was not read to its end, and its record.
    failure: Mutex<Option<pfh::Record>>,
    broken: Mutex<Vec<String>>,
    /// An exception of an iterable of paths, on the thread of the walk.
    raised: Arc<Mutex<Option<PyErr>>>,
    /// An exception in a stream, whose consumer gets no more than its text.
    thrown: Mutex<Option<(String, Py<PyBaseException>)>>,
    progress: Option<Mutex<Watched>>,
    started: Instant,
    interrupts: Option<Interrupts>,
}

/// A callback, and what it was told last.
struct Watched {
    /// `None` once the interpreter has found that nobody else refers to it and these records.
    callback: Option<Py<PyAny>>,
    told: Option<Instant>,
    files: u64,
    bytes: u64,
}

/// Time between two calls of a callback of progress.
const PROGRESS: Duration = Duration::from_millis(100);

/// Broken lines of a list that are kept.
const BROKEN_MAX: usize = 1000;

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// `RuntimeError` where nothing tells that all records came.
fn lost() -> PyErr {
    defect("a thread ended early")
}

/// The parts of new records that are not the same for all.
pub(crate) struct Begin {
    pub(crate) feed: Feed,
    pub(crate) shape: Shape,
    pub(crate) format: Option<&'static str>,
    pub(crate) name: Vec<u8>,
    pub(crate) is_strict: bool,
    pub(crate) raised: Arc<Mutex<Option<PyErr>>>,
    pub(crate) progress: Option<Py<PyAny>>,
    pub(crate) interrupts: Option<Interrupts>,
}

impl Shared {
    /// Takes the feed for a call.
    fn take(&self, py: Python<'_>, next: Slot) -> PyResult<Option<Box<Running>>> {
        let mut slot = lock(&self.slot);
        match std::mem::replace(&mut *slot, next) {
            Slot::Here(running) if running.process.is_this() => return Ok(Some(running)),
            other => *slot = other,
        }
        let text = match &*slot {
            Slot::Ended => return Ok(None),
            Slot::Busy => return Err(PyRuntimeError::new_err("these records are being read by another call")),
            Slot::Exported => {
                "these records went to a stream; they can be used once. Keep them as a table: pyarrow.table(records)"
            }
            Slot::Here(running) => {
                let process = running.process;
                drop(slot);
                return process.check(py, "this run belongs", "begin a run of its own").map(|()| None);
            }
        };
        // Without the lock: the interpreter may pause this thread meanwhile, and never those that wait for the lock.
        drop(slot);
        Err(errors::error(py, text))
    }

    /// Looks at signals, at what others raised, and tells of progress.
    fn tick(&self, py: Python<'_>) -> PyResult<()> {
        look(py)?;
        if let Some(error) = lock(&self.raised).take() {
            return Err(error);
        }
        self.tell(py, false)
    }

    /// Tells the callback of progress, if it is time.
    fn tell(&self, py: Python<'_>, is_done: bool) -> PyResult<()> {
        let Some(progress) = &self.progress else { return Ok(()) };
        let (files, mut bytes) =
            (self.counters.files.load(Ordering::Relaxed), self.counters.bytes.load(Ordering::Relaxed));
        // The running total is that of what was read so far and lags behind; in the end there is an exact one.
        if let Some(report) = *lock(&self.report) {
            bytes = report.summary.bytes;
        }
        let told = {
            let mut watched = lock(progress);
            if !is_done && watched.told.is_some_and(|told| told.elapsed() < PROGRESS) {
                return Ok(());
            }
            let (new_files, new_bytes) = (files - watched.files.min(files), bytes - watched.bytes.min(bytes));
            (watched.told, watched.files, watched.bytes) = (Some(Instant::now()), files, bytes);
            let failed = self.counters.failed.load(Ordering::Relaxed);
            let seconds = self.started.elapsed().as_secs_f64();
            let progress = Progress { files, bytes, failed, new_files, new_bytes, seconds, done: is_done };
            (watched.callback.as_ref().map(|callback| callback.clone_ref(py)), progress)
        };
        let (Some(callback), progress) = told else { return Ok(()) };
        callback.call1(py, (progress,)).map(drop)
    }

    /// Returns the exception that ended a stream.
    fn thrown(&self, py: Python<'_>) -> Option<PyErr> {
        lock(&self.thrown).as_ref().map(|(_, error)| PyErr::from_value(error.bind(py).clone().into_any()))
    }

    /// Whether this is the exception that a consumer has made of the text of the one that ended its stream.
    fn is_of_thrown(&self, exception: &Bound<'_, PyAny>) -> bool {
        let text = exception.to_string();
        lock(&self.thrown).as_ref().is_some_and(|(thrown, error)| !exception.is(error) && text.contains(thrown))
    }

    /// Keeps what is known after the end.
    fn end(&self, py: Python<'_>, mut running: Box<Running>) -> PyResult<()> {
        if let Some(feed) = running.feed.take() {
            let report = outside(py, || caught(|| feed.finish()))?;
            *lock(&self.report) = report;
        }
        if let Some(error) = lock(&self.raised).take() {
            return Err(error);
        }
        let report = *lock(&self.report);
        let was_stopped = report.map_or_else(|| self.cancel.is_cancelled(), |report| report.summary.interrupted);
        // It ends once.
        let _ = self.was_stopped.set(was_stopped);
        self.tell(py, true)
    }

    /// Stops the run unless it is at its end, and keeps its report if it ends at once.
    fn leave(&self, py: Python<'_>, mut running: Box<Running>) -> PyResult<()> {
        let Some(mut feed) = running.feed.take() else { return Ok(()) };
        // It may be at its end, and is not stopped then.
        match outside(py, || feed.wait(ENDING_MAX).then(|| feed.next())) {
            Some(Next::End) => {
                running.feed = Some(feed);
                return self.end(py, running);
            }
            Some(Next::Item(item)) => self.note(&item),
            Some(Next::Broken(_) | Next::Lost) | None => {}
        }
        self.cancel.cancel();
        let deadline = Instant::now() + ENDING_MAX;
        let has_ended = outside(py, || {
            while Instant::now() < deadline {
                match feed.wait(Duration::from_millis(1)).then(|| feed.next()) {
                    Some(Next::Item(item)) => self.note(&item),
                    None | Some(Next::Broken(_)) => {}
                    Some(Next::Lost) => return false,
                    Some(Next::End) => return true,
                }
            }
            false
        });
        running.feed = Some(feed);
        if has_ended { self.end(py, running) } else { Ok(()) }
    }

    /// Notes a record that passes.
    fn note(&self, item: &Item) {
        if item.record.outcome.is_failure() {
            lock(&self.failure).get_or_insert_with(|| item.record.clone());
        }
    }

    /// Keeps a fault of a list.
    fn keep_broken(&self, fault: &Fault) {
        let mut broken = lock(&self.broken);
        if broken.len() < BROKEN_MAX {
            broken.push(fault.to_string());
        }
    }

    /// Waits for the next record.
    fn next(&self, py: Python<'_>, running: &mut Running) -> PyResult<Option<Item>> {
        let Some(feed) = &mut running.feed else { return Ok(None) };
        loop {
            if feed.wait(Duration::ZERO) || outside(py, || feed.wait(TICK)) {
                match caught(|| feed.next())? {
                    Next::Item(item) => {
                        self.note(&item);
                        // Where records are always at hand nobody waits.
                        if self.progress.is_some() {
                            self.tick(py)?;
                        }
                        return Ok(Some(item));
                    }
                    Next::Broken(fault) if self.is_strict => return Err(fault.error(py, &self.name)),
                    Next::Broken(fault) => self.keep_broken(&fault),
                    Next::Lost => return Err(lost()),
                    Next::End => return Ok(None),
                }
            } else {
                self.tick(py)?;
            }
        }
    }
}

/// Records, each used once.
#[pyclass(frozen, module = "pfh", name = "Records")]
pub(crate) struct Records {
    shared: Arc<Shared>,
}

impl Records {
    pub(crate) fn begin(begin: Begin) -> Records {
        let (cancel, counters) = match &begin.feed {
            Feed::Run(records) => (records.cancel_token(), records.counters()),
            Feed::List(list) => (list.cancel.clone(), Arc::clone(&list.counters)),
        };
        let watched = |callback| Mutex::new(Watched { callback: Some(callback), told: None, files: 0, bytes: 0 });
        let running = Box::new(Running { feed: Some(begin.feed), process: Process::this() });
        let shared = Shared {
            slot: Mutex::new(Slot::Here(running)),
            shape: begin.shape,
            format: begin.format,
            name: begin.name,
            is_strict: begin.is_strict,
            cancel,
            counters,
            report: Mutex::new(None),
            was_stopped: OnceLock::new(),
            failure: Mutex::new(None),
            broken: Mutex::new(Vec::new()),
            raised: begin.raised,
            thrown: Mutex::new(None),
            progress: begin.progress.map(watched),
            started: Instant::now(),
            interrupts: begin.interrupts,
        };
        Records { shared: Arc::new(shared) }
    }

    /// Takes the next record.
    pub(crate) fn next_item(&self, py: Python<'_>) -> PyResult<Option<Item>> {
        let _expected = enter()?;
        let shared = &self.shared;
        let Some(mut running) = shared.take(py, Slot::Busy)? else { return Ok(None) };
        let next = shared.next(py, &mut running);
        match next {
            Ok(Some(item)) => {
                *lock(&shared.slot) = Slot::Here(running);
                Ok(Some(item))
            }
            Ok(None) => {
                *lock(&shared.slot) = Slot::Ended;
                shared.end(py, running)?;
                Ok(None)
            }
            Err(error) => {
                shared.cancel.cancel();
                *lock(&shared.slot) = Slot::Ended;
                drop(running);
                Err(error)
            }
        }
    }

    /// Whether the records of a run have digests of a family; of a list, whether its beginning says so.
    pub(crate) fn states(&self, family: Family) -> bool {
        self.shared.shape.selection.families().contains(&family)
    }

    /// Whether they are those of a run, which all have the digests that it was asked for.
    pub(crate) fn are_of_run(&self) -> bool {
        self.shared.format.is_none()
    }

    fn state(&self) -> &'static str {
        match *lock(&self.shared.slot) {
            Slot::Here(_) if self.shared.cancel.is_cancelled() => "cancelled",
            Slot::Here(_) | Slot::Busy => "running",
            Slot::Exported => "in a stream",
            Slot::Ended => "ended",
        }
    }
}

#[pymethods]
impl Records {
    fn __iter__(records: PyRef<'_, Self>) -> PyRef<'_, Self> {
        records
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<Record>> {
        Ok(self.next_item(py)?.map(Record::from))
    }

    fn __enter__(records: PyRef<'_, Self>) -> PyRef<'_, Self> {
        records
    }

    #[pyo3(signature = (*exception))]
    fn __exit__(&self, py: Python<'_>, exception: &Bound<'_, PyTuple>) -> PyResult<()> {
        let _expected = enter()?;
        let shared = &self.shared;
        // A consumer of the stream may have made another exception of an interrupt, or of one that was raised.
        look(py).inspect_err(|_| shared.cancel.cancel())?;
        let consumers = exception.get_item(1).ok().filter(|consumers| shared.is_of_thrown(consumers));
        if let (Some(consumers), Some(error)) = (consumers, shared.thrown(py)) {
            error.value(py).setattr("__context__", consumers)?;
            return Err(error);
        }
        let slot = {
            let mut slot = lock(&shared.slot);
            matches!(*slot, Slot::Here(_)).then(|| std::mem::replace(&mut *slot, Slot::Ended))
        };
        match slot {
            Some(Slot::Here(running)) if running.process.is_this() => shared.leave(py, running),
            _ => {
                shared.cancel.cancel();
                Ok(())
            }
        }
    }

    /// Stops the run, from any thread. Records that are finished by then still come; a stream ends with an error.
    fn cancel(&self) {
        self.shared.cancel.cancel();
    }

    /// Files whose record is finished, whatever the outcome.
    #[getter]
    fn files(&self) -> u64 {
        self.shared.counters.files.load(Ordering::Relaxed)
    }

    /// Bytes read so far.
    #[getter]
    fn bytes(&self) -> u64 {
        self.shared.counters.bytes.load(Ordering::Relaxed)
    }

    /// Files so far that were not read to their end.
    #[getter]
    fn failed(&self) -> u64 {
        self.shared.counters.failed.load(Ordering::Relaxed)
    }

    /// The format of the list; `None` for a run.
    #[getter]
    fn format(&self) -> Option<&'static str> {
        self.shared.format
    }

    /// The kinds of digests that records have, in their order.
    #[getter]
    fn algorithms(&self) -> Vec<&'static str> {
        self.shared.shape.selection.names().collect()
    }

    /// Lines that could not be read, and a missing end of the list, with `strict=False`: the first thousand.
    #[getter]
    fn broken(&self) -> Vec<String> {
        lock(&self.shared.broken).clone()
    }

    /// The counts and times of a run that has ended; `None` before, and for a list.
    #[getter]
    fn report(&self) -> Option<Report> {
        lock(&self.shared.report).map(Report)
    }

    /// Raises `FileError` if a file was not read to its end, and `Error` if the run was stopped before it had read
    /// every file. The run must have ended. The exception that ended a stream is raised as it is.
    fn raise_for_failures(&self, py: Python<'_>) -> PyResult<()> {
        if let Some(error) = self.shared.thrown(py) {
            return Err(error);
        }
        let was_stopped = self.shared.was_stopped.get().copied();
        if was_stopped.is_none() && !matches!(*lock(&self.shared.slot), Slot::Ended) {
            return Err(errors::error(py, "the run has not ended; take all of its records first"));
        }
        let (failed, failure) = (self.failed(), lock(&self.shared.failure).clone());
        match (failure, was_stopped) {
            (Some(first), _) => {
                let first_of = format!("{failed} of {} files were not read, first ", self.files());
                let (kind, errno) =
                    RecordError::of(&first.outcome).map_or(("", None), |error| (error.kind, error.errno));
                Err(errors::file(py, &first, kind, errno, &first_of))
            }
            (None, Some(false)) => Ok(()),
            (None, _) => Err(errors::error(py, "the run was stopped before it had read every file")),
        }
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        // A stream that goes on needs them, even if nobody refers to this object any more.
        if Arc::strong_count(&self.shared) > 1 {
            return Ok(());
        }
        // Whatever is locked is in use.
        if let Some(Ok(watched)) = self.shared.progress.as_ref().map(Mutex::try_lock) {
            visit.call(&watched.callback)?;
        }
        self.shared.thrown.try_lock().map_or(Ok(()), |thrown| visit.call(thrown.as_ref().map(|(_, error)| error)))
    }

    fn __clear__(&self) {
        // Dropped without the locks, since other code may run then.
        let callback = self.shared.progress.as_ref().and_then(|watched| lock(watched).callback.take());
        let thrown = lock(&self.shared.thrown).take();
        drop((callback, thrown));
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        let schema = self.shared.shape.schema(&[]);
        schema_capsule(py, &DataType::Struct(schema.fields().clone()))
    }

    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let fixed = requested_schema.map(fixed_widths).transpose()?.unwrap_or_default();
        let shared = Arc::clone(&self.shared);
        // Whoever iterates instead needs no handler: Python tells of interrupts whoever asks.
        shared.interrupts.map_or(Ok(()), |interrupts| interrupts.listen(py))?;
        let running = shared.take(py, Slot::Exported)?;
        let columns = Columns::new(&shared.shape, &fixed);
        let schema = shared.shape.schema(&fixed);
        let interrupts = shared.interrupts;
        let reader = Batches { shared, running, columns, schema, interrupts };
        PyCapsule::new_with_value(py, FFI_ArrowArrayStream::new(Box::new(reader)), c"arrow_array_stream")
    }

    fn __repr__(&self) -> String {
        let names = self.algorithms().join(", ");
        format!("<pfh.Records by {names}: {}, {} files, {} failed>", self.state(), self.files(), self.failed())
    }

    fn _repr_html_(&self) -> String {
        let cells = [
            ("digests", self.algorithms().join(", ")),
            ("state", self.state().to_owned()),
            ("files", self.files().to_string()),
            ("bytes", self.bytes().to_string()),
            ("failed", self.failed().to_string()),
        ];
        let rows = cells.map(|(name, value)| format!("<tr><th scope=\"row\">{name}</th><td>{value}</td></tr>"));
        format!("<table><caption>pfh.Records</caption>{}</table>", rows.concat())
    }
}

/// The records as a stream of batches, for the thread of a consumer.
struct Batches {
    shared: Arc<Shared>,
    /// `None` once it has ended.
    running: Option<Box<Running>>,
    columns: Columns,
    schema: SchemaRef,
    interrupts: Option<Interrupts>,
}

/// The end of a step of filling a batch.
enum Step {
    Full,
    Waits,
    Broken(Box<Fault>),
    Lost,
    End,
}

impl Batches {
    /// Takes records until the batch is full, for about a tick.
    fn fill(&mut self) -> Result<Step, ArrowError> {
        let Some(feed) = self.running.as_mut().and_then(|running| running.feed.as_mut()) else {
            return Ok(Step::End);
        };
        let deadline = Instant::now() + TICK;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            if !feed.wait(left) || left.is_zero() {
                return Ok(Step::Waits);
            }
            // Records at hand cost no look at the clock.
            while feed.wait(Duration::ZERO) {
                match feed.next() {
                    Next::Item(item) => {
                        self.shared.note(&item);
                        self.columns.push(&item)?;
                    }
                    Next::Broken(fault) if self.shared.is_strict => return Ok(Step::Broken(fault)),
                    Next::Broken(fault) => self.shared.keep_broken(&fault),
                    Next::Lost => return Ok(Step::Lost),
                    Next::End => return Ok(Step::End),
                }
                if self.columns.is_full() {
                    return Ok(Step::Full);
                }
            }
        }
    }

    /// Fills a batch; `None` after the last.
    fn batch(&mut self, py: Python<'_>) -> Result<Option<RecordBatch>, ArrowError> {
        let shared = Arc::clone(&self.shared);
        let failed = |error: PyErr| {
            // The text comes first: the interpreter raises whatever it finds once the signal is set again.
            let text = match error.is_instance_of::<PyKeyboardInterrupt>(py) {
                true => "interrupted".to_owned(),
                false => error.to_string(),
            };
            interrupt_again(py, &error);
            let text = errors::without_nul(&text);
            if !error.is_instance_of::<PyKeyboardInterrupt>(py) {
                *lock(&shared.thrown) = Some((text.clone(), error.into_value(py)));
            }
            ArrowError::ComputeError(text)
        };
        loop {
            if self.interrupts.as_mut().is_some_and(Interrupts::came) {
                return Err(ArrowError::ComputeError("interrupted".to_owned()));
            }
            let step = outside(py, || caught(|| self.fill())).map_err(&failed)??;
            shared.tick(py).map_err(&failed)?;
            match step {
                Step::Full => return self.columns.finish().map(Some),
                Step::Broken(fault) => return Err(failed(fault.error(py, &shared.name))),
                Step::Lost => return Err(failed(lost())),
                Step::Waits => {}
                Step::End => {
                    if let Some(running) = self.running.take() {
                        shared.end(py, running).map_err(&failed)?;
                    }
                    if shared.cancel.is_cancelled() {
                        return Err(ArrowError::ComputeError("cancelled".to_owned()));
                    }
                    return if self.columns.is_empty() { Ok(None) } else { self.columns.finish().map(Some) };
                }
            }
        }
    }

    fn stop(&mut self) {
        self.shared.cancel.cancel();
        self.running = None;
    }
}

impl Iterator for Batches {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.running.is_none() && self.columns.is_empty() {
            return None;
        }
        let is_foreign = self.running.as_ref().is_some_and(|running| !running.process.is_this());
        let batch = match is_foreign {
            true => Err(ArrowError::ComputeError("the run belongs to the process that was forked".to_owned())),
            // Whether the consumer holds the interpreter or not.
            false => inside(|py| match caught(|| self.batch(py)) {
                Ok(batch) => batch,
                Err(error) => Err(ArrowError::ComputeError(error.to_string())),
            })
            .unwrap_or_else(|| Err(ArrowError::ComputeError("the interpreter is shutting down".to_owned()))),
        };
        if batch.is_err() {
            self.stop();
            // Nothing of a broken batch is handed over afterwards.
            self.columns = Columns::new(&self.shared.shape, &[]);
            stay_while_closing();
        }
        batch.transpose()
    }
}

impl RecordBatchReader for Batches {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }
}

/// The counts and times of a run.
#[pyclass(frozen, module = "pfh", name = "Report")]
pub(crate) struct Report(RunReport);

#[pymethods]
impl Report {
    /// Files and directories with a record.
    #[getter]
    fn files(&self) -> u64 {
        self.0.summary.files()
    }

    /// Files that were read and hashed to their end.
    #[getter]
    fn complete(&self) -> u64 {
        self.0.summary.complete
    }

    /// Files that changed while they were read.
    #[getter]
    fn changed(&self) -> u64 {
        self.0.summary.changed
    }

    /// Files that ended early.
    #[getter]
    fn short(&self) -> u64 {
        self.0.summary.short
    }

    /// Files and directories that an error stopped.
    #[getter]
    fn unreadable(&self) -> u64 {
        self.0.summary.unreadable
    }

    /// Files that were left out on purpose.
    #[getter]
    fn skipped(&self) -> u64 {
        self.0.summary.skipped
    }

    /// Bytes that were read.
    #[getter]
    fn bytes(&self) -> u64 {
        self.0.summary.bytes
    }

    /// The time that the run took, in seconds.
    #[getter]
    fn seconds(&self) -> f64 {
        self.0.summary.elapsed.as_secs_f64()
    }

    /// Whether the run was stopped before it had seen every file.
    #[getter]
    fn interrupted(&self) -> bool {
        self.0.summary.interrupted
    }

    fn __repr__(&self) -> String {
        let (summary, seconds) = (&self.0.summary, self.seconds());
        let interrupted = if summary.interrupted { ", interrupted" } else { "" };
        format!(
            "<pfh.Report: {} files, {} complete, {} bytes, {seconds:.3} s{interrupted}>",
            summary.files(),
            summary.complete,
            summary.bytes
        )
    }
}

/// The numbers that a callback of progress gets.
#[pyclass(frozen, get_all, module = "pfh", name = "Progress")]
pub(crate) struct Progress {
    /// Files so far.
    files: u64,
    /// Bytes so far.
    bytes: u64,
    /// Files so far that were not read to their end.
    failed: u64,
    /// Files since the last call.
    new_files: u64,
    /// Bytes since the last call.
    new_bytes: u64,
    /// Seconds since the run began.
    seconds: f64,
    /// Whether this is the last call.
    done: bool,
}

#[pymethods]
impl Progress {
    fn __repr__(&self) -> String {
        format!("<pfh.Progress: {} files, {} bytes, {:.1} s>", self.files, self.bytes, self.seconds)
    }
}
