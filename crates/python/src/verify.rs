//! `verify`: what a list expects of files, against what is there.

use std::io;
use std::ops::ControlFlow;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};

use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{ArrayRef, BinaryArray, Int64Array, RecordBatch, RecordBatchReader, StringArray};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use pfh::digest::{Algorithm, Keys};
use pfh::engine::{Counters, Decide, Decision, Options, Sink};
use pfh::list::{Input, List, OpenError, ReadError, ReadOptions};
use pfh::record::quote::{quoted, quoted_path};
use pfh::record::{Metadata, SkipReason};
use pfh::source::{FileList, WalkOptions};
use pfh::{CancelToken, HashRun, Record, Selection};
use pfh_fixity::{
    Choice, Class, Comparison, Expected, File, Found, Ignored, Listed, OtherForms, PathForms, PathsBelow, Presence,
    Reading, Root, Sample, State, Totals, Useless, identity_of_list,
};
use pyo3::prelude::*;
use pyo3::sync::MutexExt;
use pyo3::types::{PyBytes, PyCapsule, PyDict};

use crate::arguments::{Threads, bytes_of, path_bytes, threads_of, whole_number, words};
use crate::array::schema_capsule;
use crate::columns::{ROWS_MAX, number};
use crate::errors;
use crate::hasher::{self, keys, useless};
use crate::interpreter::{TICK, apart, begin, enter, inside, interrupt_again, look, outside, stay_while_closing};
use crate::list;
use crate::process::Process;

/// Findings that are handed over together.
const GROUP: usize = 256;

/// The options of a verification.
struct Asked {
    list_path: PathBuf,
    root: Option<PathBuf>,
    algorithm: Option<Algorithm>,
    strip_prefix: Option<Vec<u8>>,
    backslashes: bool,
    lists_all: bool,
    is_strict: bool,
    structure: bool,
    choice: Choice,
    size_first: bool,
    ignore_new: bool,
    walk: WalkOptions,
    threads: usize,
    memory_bytes: u64,
    keys: Keys,
}

impl Asked {
    /// Returns the run that finds the files, and the names by which it finds listed ones.
    fn run(&self, root: &Root, expected: &mut Expected) -> io::Result<(HashRun, OtherForms)> {
        let mut other_forms = OtherForms::default();
        let mut engine = Options::new(Selection::from(expected.algorithms()));
        engine.threads = self.threads;
        engine.memory_bytes = self.memory_bytes / 2;
        engine.keys = self.keys.clone();
        engine.own_files.extend(identity_of_list(&self.list_path));
        let (roots, files_from) = if (self.ignore_new && !root.is_file) || root.are_devices(expected)? {
            let mut paths = PathsBelow::new(expected.copy()?, root);
            other_forms = paths.other_forms();
            (vec![], Some(FileList::of("the list", move || paths.next_path())))
        } else {
            match root.top(expected.common_directory()) {
                Ok(top) => (vec![top.into_os_string().into_vec()], None),
                // Nothing is compared, so that all files are missing.
                Err(_) => (vec![], Some(FileList::of("the list", || Ok(None)))),
            }
        };
        let walk = WalkOptions {
            roots,
            files_from,
            include: self.walk.include.clone(),
            exclude: self.walk.exclude.clone(),
            one_file_system: self.walk.one_file_system,
            follow_files: self.walk.follow_files,
            follow_directories: self.walk.follow_directories,
            ..WalkOptions::default()
        };
        Ok((HashRun { walk, engine }, other_forms))
    }

    /// Compares the expected files with those that are there, of which `decide` tells whether they are read.
    fn compare(
        &self,
        root: &Root,
        mut listed: Listed,
        lists_all: bool,
        decide: Option<Decide<'_>>,
        cancel: &CancelToken,
    ) -> Result<Compared, Failed> {
        let (run, other_forms) = self.run(root, &mut listed.expected)?;
        let comparison = listed.comparison(lists_all, self.memory_bytes / 8)?;
        let mut sink = Compared { comparison, other_forms, files: 0, result: Ok(()) };
        let prepare = |record: Record| root.found(record);
        run.run(&prepare, &mut sink, decide, &Counters::default(), cancel).map_err(Failed::Run)?;
        std::mem::replace(&mut sink.result, Ok(()))?;
        if cancel.is_cancelled() { Err(Failed::Cancelled) } else { Ok(sink) }
    }
}

enum Failed {
    Open(OpenError),
    Line(Vec<u8>, ReadError),
    /// A message about the list, whose name comes first.
    List(Vec<u8>, String),
    /// A key or a context that no digest of the list needs.
    Key(&'static str),
    Root(PathBuf, io::Error),
    Temporary(io::Error),
    Run(pfh::Error),
    Cancelled,
}

impl From<io::Error> for Failed {
    fn from(error: io::Error) -> Failed {
        Failed::Temporary(error)
    }
}

impl Failed {
    fn into_error(self, py: Python<'_>) -> PyErr {
        match self {
            Failed::Open(error) => errors::of_open(py, &error),
            Failed::Line(name, error) => errors::of_line(py, &name, &error),
            Failed::List(name, text) => errors::list(py, &text, &name, None),
            Failed::Key(reason) => errors::option(py, reason),
            Failed::Root(path, error) => errors::of_system(py, &error, path.as_os_str()),
            Failed::Temporary(error) => errors::start(py, format!("a temporary file: {error}")),
            Failed::Run(error) => errors::of_run(py, error),
            Failed::Cancelled => errors::error(py, "the verification was stopped"),
        }
    }
}

/// The result before the findings are taken.
struct Verified {
    findings: pfh_fixity::Findings,
    algorithms: Vec<Algorithm>,
    root: PathBuf,
    files: u64,
    broken: Vec<String>,
}

/// Compares records with expectations as they pass.
struct Compared {
    comparison: Comparison,
    other_forms: OtherForms,
    /// Files that were read to their ends.
    files: u64,
    result: io::Result<()>,
}

impl Sink for Compared {
    type Item = Option<Found>;

    fn deliver(&mut self, found: Option<Found>) -> ControlFlow<()> {
        self.files += u64::from(found.as_ref().is_some_and(|found| found.state == State::Hashed));
        self.result = found.map_or(Ok(()), |found| self.comparison.found_by(&self.other_forms, found));
        if self.result.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    }
}

/// Returns the message about a list that is of no use.
fn refused(useless: Useless, list: &[u8], root: &Root) -> Failed {
    let (name, root) = (quoted(list), quoted_path(&root.path));
    let text = match useless {
        Useless::NoFile => format!("{name} is empty: it has no line about a file"),
        Useless::NotBelow { paths, first, error } => format!(
            "{name}: {paths} of its paths are not below the root {root}, the first in line {}, {}: {error}; name another \
             `root`, or `strip_prefix`",
            first.line,
            quoted(&first.path)
        ),
        Useless::OtherNames => format!("{name} has several files, and none has the name of the root {root}"),
        Useless::SameNames { lines: [first, second] } => format!(
            "{name} has several files with the name of the root {root}, in lines {first} and {second} for instance, \
             and none has its path; name the directory that the paths start from"
        ),
        Useless::Name(error) => format!("{name}: {error}"),
        Useless::NoDigests { has, states_sizes } => {
            let sizes = if states_sizes { " and sizes" } else { "" };
            format!("{has}; `structure=True` compares names{sizes}")
        }
        Useless::Temporary(error) => return Failed::Temporary(error),
    };
    Failed::List(list.to_vec(), text)
}

/// Reads the list, hashes the files and compares.
fn run(input: Input, mut asked: Asked, cancel: &CancelToken) -> Result<Verified, Failed> {
    let options = ReadOptions { algorithm: asked.algorithm, ..ReadOptions::default() };
    let mut list = List::open(input, options).map_err(Failed::Open)?;
    let root =
        Root::new(asked.root.take(), &asked.list_path, &mut list).map_err(|(path, error)| Failed::Root(path, error))?;
    let forms = PathForms { backslashes: asked.backslashes, strip_prefix: asked.strip_prefix.as_deref() };
    let reading = Reading { root: &root, forms, structure: asked.structure, memory_bytes: asked.memory_bytes / 8 };
    let (mut broken, mut first_broken) = (Vec::new(), None);
    let mut note = |error: ReadError| {
        if asked.is_strict {
            first_broken = Some(error);
            return ControlFlow::Break(());
        }
        broken.push(error.to_string());
        ControlFlow::Continue(())
    };
    let format = list.header().format;
    let listed = reading.read(&mut list, &mut note, &|| cancel.is_cancelled());
    if cancel.is_cancelled() {
        return Err(Failed::Cancelled);
    }
    if let Some(error) = first_broken {
        return Err(Failed::Line(list.name().to_vec(), error));
    }
    if let (Err(Useless::NoFile), false) = (&listed, broken.is_empty()) {
        let text = format!("no line of {} could be read as {format}", quoted(list.name()));
        return Err(Failed::List(list.name().to_vec(), text));
    }
    let mut listed = listed.map_err(|useless| refused(useless, list.name(), &root))?;
    if let Some(missing) = list.trailer().and_then(|trailer| trailer.end.missing()) {
        if asked.is_strict {
            return Err(Failed::List(list.name().to_vec(), errors::end(list.name(), missing)));
        }
        broken.push(missing.to_owned());
    }
    let root = listed.root.take().unwrap_or(root);
    let algorithms = listed.expected.algorithms().to_vec();
    // Where only names and sizes are compared, nothing is hashed with it.
    if let Some(reason) = useless(&asked.keys, if asked.structure { &[] } else { &algorithms[..] }) {
        return Err(Failed::Key(reason));
    }
    let not_wanted = || Decision::RecordOnly(SkipReason::NotWanted);
    if asked.size_first {
        let decide = |_: &[u8], _: Option<&Metadata>| not_wanted();
        let copy = Listed { expected: listed.expected.copy()?, not_below: Vec::new(), root: None };
        let sizes = asked.compare(&root, copy, false, Some(&decide), cancel)?;
        asked.choice.leave_out_changed(sizes.comparison.finish(&mut |_| Presence::Gone)?)?;
    }
    let decide = |path: &[u8], _: Option<&Metadata>| {
        if asked.choice.reads(root.of_record(path)) { Decision::Hash } else { not_wanted() }
    };
    let decide: Option<Decide<'_>> = if asked.choice.leaves_out() { Some(&decide) } else { None };
    let Compared { comparison, files, .. } = asked.compare(&root, listed, asked.lists_all, decide, cancel)?;
    let list_file = identity_of_list(&asked.list_path);
    let is_left_out = |path: &Path| {
        asked.walk.one_file_system
            || list_file.is_some() && pfh::source::identity_of(path.as_os_str().as_bytes()).ok() == list_file
    };
    let patterns = [&asked.walk.include[..], &asked.walk.exclude];
    let left = root.left_out(comparison.common_directory(), patterns, asked.ignore_new, &is_left_out);
    let left = left.map_err(|error| Failed::Run(error.into()))?;
    let findings = comparison.finish(&mut |path| root.look(path, &left))?;
    Ok(Verified { findings, algorithms, root: root.path, files, broken })
}

/// Compares the files that a list expects with those that are there, and returns what became of each.
///
/// ``list`` is as of :func:`read`: a manifest of BagIt, the output of ``sha256sum``, a list of pfh ... ``root`` is the
/// directory (or the file) that its paths start from; by default that is where the list lies for BagIt and OCFL, and
/// the current directory otherwise. Every file below it is read, so moved, copied and new files are found too.
/// ``all`` also lists files that matched. ``strip_prefix`` is a directory that all paths of the list begin with.
///
/// ``structure`` compares names and sizes only. ``size_first`` compares them before any file is read, and leaves out
/// files whose size differs. ``sample`` reads only this share of the files, in percent, chosen at random; ``seed``
/// repeats the choice of the same seed. ``ignore_new`` looks for no files that the list does not have; then moved files
/// are missing. With ``ignore_missing`` missing files are no failures. The findings tell what was asked.
///
/// >>> findings = pfh.verify("bag/manifest-sha256.txt")
/// >>> findings.ok, findings.counts["changed"]
/// >>> [(finding.class_, finding.path_str, finding.reason) for finding in findings]
///
/// A list of which lines, or the end, cannot be read raises; with ``strict=False``, ``findings.broken`` tells of it,
/// and they are not ``ok``.
///
/// Raises ``ListError`` for a list that is of no use; ``OptionError`` for a share that is not above 0 and up to 100,
/// and for options that exclude each other; and as :func:`hash`.
#[pyfunction]
#[pyo3(signature = (
    list, root = None, *, all = false, algorithm = None, strip_prefix = None, backslashes = false, strict = true,
    sample = None, seed = None, structure = false, size_first = false, ignore_missing = false, ignore_new = false,
    include = None, exclude = None, one_file_system = false, follow_files = false, follow_directories = false,
    threads = None, memory = None, key = None, context = None
))]
#[expect(clippy::too_many_arguments, reason = "the arguments of Python, by name")]
pub(crate) fn verify(
    py: Python<'_>,
    list: &Bound<'_, PyAny>,
    root: Option<&Bound<'_, PyAny>>,
    all: bool,
    algorithm: Option<&str>,
    strip_prefix: Option<&Bound<'_, PyAny>>,
    backslashes: bool,
    strict: bool,
    sample: Option<f64>,
    seed: Option<&Bound<'_, PyAny>>,
    structure: bool,
    size_first: bool,
    ignore_missing: bool,
    ignore_new: bool,
    include: Option<&Bound<'_, PyAny>>,
    exclude: Option<&Bound<'_, PyAny>>,
    one_file_system: bool,
    follow_files: bool,
    follow_directories: bool,
    threads: Option<Threads>,
    memory: Option<&Bound<'_, PyAny>>,
    key: Option<&Bound<'_, PyAny>>,
    context: Option<String>,
) -> PyResult<Findings> {
    let _expected = enter()?;
    let path = |path: &Bound<'_, PyAny>| Ok::<_, PyErr>(PathBuf::from(std::ffi::OsString::from_vec(path_bytes(path)?)));
    if structure && (sample.is_some() || size_first) {
        let other = if size_first { "size_first" } else { "sample" };
        return Err(errors::option(py, format!("`structure` reads no file, so `{other}` has no use; leave out one")));
    }
    let sample = sample_of(py, sample, seed)?;
    let choice = Choice::new(structure, sample);
    let raised: Arc<Mutex<Option<PyErr>>> = Arc::default();
    let input = list::input(list, &raised)?;
    let list_path = if list.hasattr("read")? { PathBuf::new() } else { path(list)? };
    let asked = Asked {
        list_path,
        root: root.map(path).transpose()?,
        algorithm: algorithm.map(|name| hasher::algorithm(py, name)).transpose()?,
        strip_prefix: strip_prefix.map(path_bytes).transpose()?,
        backslashes,
        lists_all: all,
        is_strict: strict,
        structure,
        choice,
        size_first,
        ignore_new,
        walk: WalkOptions {
            include: words(include)?,
            exclude: words(exclude)?,
            one_file_system,
            follow_files,
            follow_directories,
            ..WalkOptions::default()
        },
        threads: threads_of(threads),
        memory_bytes: memory.map_or(Ok(Options::MEMORY_BYTES_DEFAULT), |memory| bytes_of(memory, "memory"))?,
        keys: keys(key, context)?,
    };
    let cancel = CancelToken::default();
    let work = {
        let cancel = cancel.clone();
        move || run(input, asked, &cancel)
    };
    let result = apart(py, "pfh-verify", work).inspect_err(|_| cancel.cancel())?;
    if let Some(error) = raised.lock().unwrap_or_else(PoisonError::into_inner).take() {
        return Err(error);
    }
    let Verified { findings, algorithms, root, files, broken } = result.map_err(|failed| failed.into_error(py))?;
    let totals = *findings.totals();
    let (process, (sender, groups)) = (Process::this(), sync_channel(1));
    // Findings lie in a temporary file, from which a thread takes them as they are wanted.
    begin(py, "pfh-findings", move || {
        let mut group = Vec::new();
        let ended = || io::Error::other("nobody takes the findings");
        let result = findings.into_each(|finding| {
            group.push(finding.clone());
            if group.len() < GROUP {
                return Ok(());
            }
            sender.send(Ok(std::mem::take(&mut group))).map_err(|_| ended())
        });
        // Where nobody takes them, nobody is told either.
        let _ = sender.send(Ok(group));
        if let Err(error) = result {
            let _ = sender.send(Err(error));
        }
    })?;
    let groups = Mutex::new(Groups { coming: Some(groups), group: Vec::new().into_iter(), process });
    Ok(Findings {
        totals,
        algorithms,
        root,
        broken,
        files,
        sample,
        structure,
        ignore_new,
        ignore_missing,
        process,
        groups,
    })
}

/// Returns the share of files that are read.
fn sample_of(py: Python<'_>, percent: Option<f64>, seed: Option<&Bound<'_, PyAny>>) -> PyResult<Option<Sample>> {
    let seed = seed.map(|seed| whole_number(seed, "seed", 0..=u64::MAX)).transpose()?;
    let Some(percent) = percent else {
        return match seed {
            Some(_) => Err(errors::option(py, "`seed` decides the choice of `sample`; name the share, too")),
            None => Ok(None),
        };
    };
    let refused = |error| errors::option(py, format!("`sample={percent}`: {error}, in percent"));
    Sample::new(percent, seed).map(Some).map_err(refused)
}

/// Findings that a thread hands over.
struct Groups {
    /// `None` only while it is dropped.
    coming: Option<Receiver<io::Result<Vec<pfh_fixity::Finding>>>>,
    /// Those that were handed over last.
    group: std::vec::IntoIter<pfh_fixity::Finding>,
    process: Process,
}

impl Drop for Groups {
    fn drop(&mut self) {
        if !self.process.is_this() {
            // The thread may have held the lock of the channel when the process was forked.
            std::mem::forget(self.coming.take());
        }
    }
}

/// The fates of the files of a list. Each finding is taken once, alone or as a row of a table.
#[pyclass(frozen, module = "pfh", name = "Findings")]
pub(crate) struct Findings {
    totals: Totals,
    algorithms: Vec<Algorithm>,
    root: PathBuf,
    broken: Vec<String>,
    files: u64,
    sample: Option<Sample>,
    structure: bool,
    ignore_new: bool,
    ignore_missing: bool,
    process: Process,
    groups: Mutex<Groups>,
}

impl Findings {
    /// Takes the next finding.
    fn next_finding(&self, py: Python<'_>) -> PyResult<Option<Finding>> {
        // Before the lock, which another thread may have held when the process was forked.
        self.process.check(py, "these findings belong", "verify by itself")?;
        loop {
            // Another thread may have the lock for a tick.
            let next = self.groups.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner).group.next();
            if let Some(finding) = next {
                return Ok(Some(Finding(finding)));
            }
            let next = outside(py, || {
                let mut groups = self.groups.lock().unwrap_or_else(PoisonError::into_inner);
                if groups.group.len() > 0 {
                    // Another thread has received them meanwhile.
                    return Ok(true);
                }
                let Some(coming) = &groups.coming else { return Ok(false) };
                match coming.recv_timeout(TICK) {
                    Ok(Ok(group)) => {
                        groups.group = group.into_iter();
                        Ok(true)
                    }
                    Ok(Err(error)) => Err(error),
                    Err(RecvTimeoutError::Timeout) => Ok(true),
                    Err(RecvTimeoutError::Disconnected) => Ok(false),
                }
            });
            if !next.map_err(|error| errors::start(py, format!("a temporary file: {error}")))? {
                return Ok(None);
            }
            look(py)?;
        }
    }

    /// Takes the findings of a batch.
    fn rows(&self, py: Python<'_>) -> Result<Vec<Finding>, ArrowError> {
        let mut taken = Vec::new();
        while taken.len() < ROWS_MAX {
            match self.next_finding(py) {
                Ok(Some(finding)) => taken.push(finding),
                Ok(None) => break,
                Err(error) => {
                    let text = error.to_string();
                    interrupt_again(py, &error);
                    return Err(ArrowError::ComputeError(errors::without_nul(&text)));
                }
            }
        }
        Ok(taken)
    }

    /// The columns of a table of findings.
    fn schema(&self) -> Schema {
        let mut fields = vec![
            Field::new("class", DataType::Utf8, false),
            Field::new("path", DataType::Binary, false),
            Field::new("expected_path", DataType::Binary, true),
            Field::new("line", DataType::Int64, true),
            Field::new("expected_size", DataType::Int64, true),
            Field::new("found_size", DataType::Int64, true),
            Field::new("reason", DataType::Utf8, false),
        ];
        for algorithm in &self.algorithms {
            let names = ["expected", "found"].map(|side| format!("{side}_{}", algorithm.name()));
            fields.extend(names.map(|name| Field::new(name, DataType::Binary, true)));
        }
        Schema::new(fields)
    }
}

/// Findings as a stream of batches.
struct Batches {
    /// `None` after the last one.
    findings: Option<Py<Findings>>,
    schema: SchemaRef,
}

impl Batches {
    /// Makes a batch of findings, which are not many: those that matched are among them only where that is asked for.
    fn batch(&self, taken: &[Finding], algorithms: &[Algorithm]) -> Result<RecordBatch, ArrowError> {
        let each = || taken.iter().map(|finding| &finding.0);
        let sizes = |file: Option<&File>| file?.size.and_then(number);
        let mut columns: Vec<ArrayRef> = vec![
            Arc::new(StringArray::from_iter_values(each().map(|one| one.class.word()))),
            Arc::new(BinaryArray::from_iter_values(each().map(pfh_fixity::Finding::path))),
            Arc::new(each().map(|one| one.expected.as_ref().map(|file| &file.path)).collect::<BinaryArray>()),
            Arc::new(taken.iter().map(|finding| finding.line().and_then(number)).collect::<Int64Array>()),
            Arc::new(each().map(|one| sizes(one.expected.as_ref())).collect::<Int64Array>()),
            Arc::new(each().map(|one| sizes(one.found.as_ref())).collect::<Int64Array>()),
            Arc::new(StringArray::from_iter_values(taken.iter().map(Finding::reason))),
        ];
        let digest = |file: Option<&File>, algorithm: &Algorithm| {
            let digest = file?.digests.iter().find(|digest| digest.algorithm() == *algorithm)?;
            Some(digest.bytes().to_vec())
        };
        for algorithm in algorithms {
            let expected = each().map(|one| digest(one.expected.as_ref(), algorithm));
            columns.push(Arc::new(expected.collect::<BinaryArray>()));
            let found = each().map(|one| digest(one.found.as_ref(), algorithm));
            columns.push(Arc::new(found.collect::<BinaryArray>()));
        }
        RecordBatch::try_new(Arc::clone(&self.schema), columns)
    }
}

impl Iterator for Batches {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        let findings = self.findings.take()?;
        let shutting_down = || Err(ArrowError::ComputeError("the interpreter is shutting down".to_owned()));
        // Whether the consumer holds the interpreter or not.
        let taken = inside(|py| findings.get().rows(py)).unwrap_or_else(shutting_down);
        let batch = match taken {
            Ok(taken) if taken.is_empty() => return None,
            Ok(taken) => self.batch(&taken, &findings.get().algorithms),
            Err(error) => Err(error),
        };
        if batch.is_ok() {
            self.findings = Some(findings);
        } else {
            stay_while_closing();
        }
        Some(batch)
    }
}

impl RecordBatchReader for Batches {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }
}

#[pymethods]
impl Findings {
    fn __iter__(findings: PyRef<'_, Self>) -> PyRef<'_, Self> {
        findings
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<Finding>> {
        self.next_finding(py)
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        schema_capsule(py, &DataType::Struct(self.schema().fields().clone()))
    }

    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        findings: Bound<'py, Self>,
        requested_schema: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let _ = requested_schema;
        let (py, schema) = (findings.py(), Arc::new(findings.get().schema()));
        let reader = Batches { findings: Some(findings.unbind()), schema };
        PyCapsule::new_with_value(py, FFI_ArrowArrayStream::new(Box::new(reader)), c"arrow_array_stream")
    }

    /// Whether everything that was expected is there and unchanged, as far as was asked: see `sample`, `structure` and
    /// `ignore_missing`. New files and copies are no failures; that no file was compared is one.
    #[getter]
    fn ok(&self) -> bool {
        let ignored = Ignored { new: true, missing: self.ignore_missing };
        ignored.is_verified(&self.totals, self.broken.len() as u64) && self.totals.verified(self.structure) > 0
    }

    /// The share of files that were to be read, in percent; `None` if it was all of them.
    #[getter]
    fn sample(&self) -> Option<f64> {
        self.sample.map(|sample| sample.percent())
    }

    /// The number that decided the choice of the sample; `None` without one.
    #[getter]
    fn seed(&self) -> Option<u64> {
        self.sample.map(|sample| sample.seed())
    }

    /// Whether names and sizes alone were compared; then no file was read, and those that agree are `not-checked`.
    #[getter]
    fn structure(&self) -> bool {
        self.structure
    }

    /// Whether files that the list does not have were not looked for.
    #[getter]
    fn ignore_new(&self) -> bool {
        self.ignore_new
    }

    /// Whether missing files were no failures.
    #[getter]
    fn ignore_missing(&self) -> bool {
        self.ignore_missing
    }

    /// The numbers of files by class.
    #[getter]
    fn counts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let counts = PyDict::new(py);
        for class in Class::ALL {
            counts.set_item(class.word(), self.totals.files.of(class))?;
        }
        Ok(counts)
    }

    /// The algorithms that were compared.
    #[getter]
    fn algorithms(&self) -> Vec<&'static str> {
        self.algorithms.iter().copied().map(Algorithm::name).collect()
    }

    /// The place that the paths of findings start from, in raw bytes.
    #[getter]
    fn root<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, self.root.as_os_str().as_bytes())
    }

    /// Files that were read to their ends.
    #[getter]
    fn files(&self) -> u64 {
        self.files
    }

    /// Lines of the list that could not be read, and that its end is missing, with `strict=False`.
    #[getter]
    fn broken(&self) -> Vec<String> {
        self.broken.clone()
    }

    fn __repr__(&self) -> String {
        let counts = Class::ALL.into_iter().filter(|class| self.totals.files.of(*class) > 0);
        let counts: Vec<String> = counts.map(|class| format!("{class}: {}", self.totals.files.of(class))).collect();
        let sample = self.sample.map(|sample| format!("sample of {} %: ", sample.percent())).unwrap_or_default();
        let structure = if self.structure { "names and sizes: " } else { "" };
        format!("<pfh.Findings {sample}{structure}{}>", counts.join(", "))
    }
}

/// The fate of one file.
#[pyclass(frozen, module = "pfh", name = "Finding")]
pub(crate) struct Finding(pfh_fixity::Finding);

/// The size and the digests of a file, as they were expected or found.
fn facts<'py>(py: Python<'py>, file: Option<&File>) -> PyResult<Option<Bound<'py, PyDict>>> {
    let Some(file) = file else { return Ok(None) };
    let digests = PyDict::new(py);
    for digest in &file.digests {
        digests.set_item(digest.algorithm().name(), PyBytes::new(py, digest.bytes()))?;
    }
    Ok(Some(digests))
}

#[pymethods]
impl Finding {
    /// The class: `matched`, `changed`, `moved`, `copied`, `new`, `missing`, `unreadable` or `not-checked`.
    #[getter]
    fn class_(&self) -> &'static str {
        self.0.class.word()
    }

    /// The path below the root, in raw bytes: where the file is, or else where it was expected.
    #[getter]
    fn path<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, self.0.path())
    }

    /// The path as text, by `os.fsdecode`.
    #[getter]
    fn path_str(&self) -> std::ffi::OsString {
        std::ffi::OsString::from_vec(self.0.path().to_vec())
    }

    /// Where the file was expected, in raw bytes; of a copy, the file whose contents it has.
    #[getter]
    fn expected_path<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyBytes>> {
        self.0.expected.as_ref().map(|file| PyBytes::new(py, &file.path))
    }

    /// The line of the list; `None` for a file that was not expected.
    #[getter]
    fn line(&self) -> Option<u64> {
        self.0.expected.as_ref().map(|file| file.line).filter(|&line| line > 0)
    }

    /// The size that was expected.
    #[getter]
    fn expected_size(&self) -> Option<u64> {
        self.0.expected.as_ref()?.size
    }

    /// The size that was found.
    #[getter]
    fn found_size(&self) -> Option<u64> {
        self.0.found.as_ref()?.size
    }

    /// The digests that were expected, by their algorithms.
    #[getter]
    fn expected<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDict>>> {
        facts(py, self.0.expected.as_ref())
    }

    /// The digests that were found, by their algorithms.
    #[getter]
    fn found<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDict>>> {
        facts(py, self.0.found.as_ref())
    }

    /// The reason in words, where the class alone does not tell it; else empty.
    #[getter]
    fn reason(&self) -> String {
        let reason = self.0.reason.replace("--follow-files", "follow_files=True");
        reason.replace("--follow-directories", "follow_directories=True").replace("as ROOT", "as `root`")
    }

    fn __repr__(&self) -> String {
        format!("<pfh.Finding {}: {}>", self.0.class, pfh::record::quote::quoted(self.0.path()))
    }
}
