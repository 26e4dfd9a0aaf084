//! `verify`: what a list expects of files, against what is there.

use std::io;
use std::ops::ControlFlow;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use pfh::digest::{Algorithm, Keys};
use pfh::engine::{Counters, Options, Sink};
use pfh::list::{FileIdentity, Input, List, OpenError, ReadError, ReadOptions};
use pfh::record::SkipReason;
use pfh::source::WalkOptions;
use pfh::{CancelToken, HashRun, Outcome, Record, Selection};
use pfh_fixity::{Class, Comparison, Expectations, File, Found, PathError, PathForms, Root, Totals};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use crate::errors;
use crate::hash::{bytes_of, path_bytes, words};
use crate::hasher::{self, keys};
use crate::interpreter::{TICK, look, outside};
use crate::list;
use crate::many::threads_of;

/// Findings that are handed over together.
const GROUP: usize = 256;

/// Most files whose paths are not below the root. A list with more is for another root.
const NOT_BELOW_MAX: usize = 10_000;

/// The options of a verification.
struct Asked {
    list_path: PathBuf,
    root: Option<PathBuf>,
    algorithm: Option<Algorithm>,
    strip_prefix: Option<Vec<u8>>,
    backslashes: bool,
    lists_all: bool,
    is_strict: bool,
    walk: WalkOptions,
    threads: usize,
    memory_bytes: u64,
    keys: Keys,
}

enum Failed {
    Open(OpenError),
    Line(Vec<u8>, ReadError),
    /// A message about the list, whose name comes first.
    List(Vec<u8>, String),
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
            Failed::Root(path, error) => {
                pyo3::exceptions::PyOSError::new_err((error.raw_os_error(), error.to_string(), path.into_os_string()))
            }
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
    broken: Vec<String>,
}

/// Compares records with expectations as they pass.
struct Compared {
    comparison: Comparison,
    result: io::Result<()>,
}

impl Sink for Compared {
    type Item = Option<Found>;

    fn deliver(&mut self, found: Option<Found>) -> ControlFlow<()> {
        self.result = found.map_or(Ok(()), |found| self.comparison.found(found));
        if self.result.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    }
}

/// Reads the list, hashes the files and compares.
fn run(input: Input, asked: Asked, counters: &Counters, cancel: &CancelToken) -> Result<Verified, Failed> {
    let options = ReadOptions { algorithm: asked.algorithm, ..ReadOptions::default() };
    let mut list = List::open(input, options).map_err(Failed::Open)?;
    let name = list.name().to_vec();
    let quoted = pfh::record::quote::quoted(&name);
    let refused = |text: String| Failed::List(name.clone(), text);
    let root = Root::new(asked.root, &asked.list_path, &mut list).map_err(|(path, error)| Failed::Root(path, error))?;
    let forms = PathForms { backslashes: asked.backslashes, strip_prefix: asked.strip_prefix.as_deref() };
    let mut expectations = Expectations::new(asked.memory_bytes / 8);
    let (mut not_below, mut broken) = (Vec::<(File, PathError)>::new(), Vec::new());
    let (mut files, mut other) = (0_u64, None);
    for entry in list {
        if cancel.is_cancelled() {
            return Err(Failed::Cancelled);
        }
        let entry = match entry {
            Ok(entry) => entry,
            Err(error) if asked.is_strict => return Err(Failed::Line(name, error)),
            Err(error) => {
                broken.push(error.to_string());
                continue;
            }
        };
        // If it was skipped when the list was made, it is no file to expect.
        if matches!(entry.outcome, Some(Outcome::Skipped(SkipReason::NotRegular | SkipReason::Loop))) {
            continue;
        }
        files += 1;
        let mut file = File::new(root.below(&entry.path, &forms));
        file.line = entry.line;
        if entry.piece.is_none() && entry.is_complete() {
            (file.size, file.digests) = (entry.expected.size, entry.digests);
        }
        if root.is_file && file.name() != root.name() {
            other.get_or_insert(file);
            continue;
        }
        if let Err((mut file, error)) = expectations.push(file)? {
            file.path = entry.path;
            not_below.push((file, error));
        }
        if not_below.len() > NOT_BELOW_MAX {
            break;
        }
    }
    if files == 0 {
        return Err(refused(format!("{quoted} expects no file")));
    }
    if not_below.len() as u64 == files || not_below.len() > NOT_BELOW_MAX {
        let (file, error) = &not_below[0];
        let (count, path) = (not_below.len(), pfh::record::quote::quoted(&file.path));
        return Err(refused(format!(
            "{quoted}: {count} of its paths are not below the root, the first in line {}, {path}: {error}; name another \
             `root`, or `strip_prefix`",
            file.line
        )));
    }
    if let Some(mut other) = other.filter(|_| expectations.is_empty()) {
        if files > 1 {
            return Err(refused(format!("{quoted} has several files, and none has the name of the root")));
        }
        // The only file of the list is meant, whatever its name was.
        other.path = root.name().to_vec();
        expectations.push(other)?.map_err(|(_, error)| refused(format!("{quoted}: {error}")))?;
    }
    let expected = expectations.sorted()?;
    let algorithms = expected.algorithms().to_vec();
    if algorithms.is_empty() {
        return Err(refused(format!("{quoted} has no digests of whole files")));
    }
    let mut engine = Options::new(Selection::from(&algorithms[..]));
    engine.threads = asked.threads;
    engine.memory_bytes = asked.memory_bytes / 2;
    engine.keys = asked.keys;
    // The list itself is no new file.
    if let Ok(metadata) = std::fs::metadata(&asked.list_path) {
        engine.own_files.push(FileIdentity::new(metadata.dev(), metadata.ino()));
    }
    let mut walk = asked.walk;
    walk.roots = vec![root.top(&expected).into_os_string().into_vec()];
    let mut comparison = Comparison::new(expected, asked.lists_all, asked.memory_bytes / 8)?;
    for (file, error) in not_below {
        comparison.not_below(file, error)?;
    }
    let mut sink = Compared { comparison, result: Ok(()) };
    let prepare = |record: Record| root.found(record);
    HashRun { walk, engine }.run(&prepare, &mut sink, None, counters, cancel).map_err(Failed::Run)?;
    let Compared { comparison, result } = sink;
    result?;
    if cancel.is_cancelled() {
        return Err(Failed::Cancelled);
    }
    let findings = comparison.finish(&mut |path| root.look(path))?;
    Ok(Verified { findings, algorithms, root: root.path, broken })
}

/// Compares the files that a list expects with those that are there, and returns what became of each.
///
/// ``list`` is as of :func:`read`: a manifest of BagIt, the output of ``sha256sum``, a list of pfh ... ``root`` is the
/// directory (or the file) that its paths start from; by default that is where the list lies for BagIt and OCFL, and
/// the current directory otherwise. Every file below it is read, so moved, copied and new files are found too.
/// ``all`` also lists files that matched. ``strip_prefix`` is a directory that all paths of the list begin with.
///
/// >>> findings = pfh.verify("bag/manifest-sha256.txt")
/// >>> findings.ok, findings.counts["changed"]
/// >>> [(finding.class_, finding.path_str, finding.reason) for finding in findings]
///
/// Raises ``ListError`` for a list that is of no use, and as :func:`hash`.
#[pyfunction]
#[pyo3(signature = (
    list, root = None, *, all = false, algorithm = None, strip_prefix = None, backslashes = false, strict = true,
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
    include: Option<&Bound<'_, PyAny>>,
    exclude: Option<&Bound<'_, PyAny>>,
    one_file_system: bool,
    follow_files: bool,
    follow_directories: bool,
    threads: Option<isize>,
    memory: Option<&Bound<'_, PyAny>>,
    key: Option<&Bound<'_, PyAny>>,
    context: Option<String>,
) -> PyResult<Findings> {
    let path = |path: &Bound<'_, PyAny>| Ok::<_, PyErr>(PathBuf::from(std::ffi::OsString::from_vec(path_bytes(path)?)));
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
        walk: WalkOptions {
            include: words(include)?,
            exclude: words(exclude)?,
            one_file_system,
            follow_files,
            follow_directories,
            ..WalkOptions::default()
        },
        threads: threads_of(py, threads)?,
        memory_bytes: memory.map_or(Ok(Options::MEMORY_BYTES_DEFAULT), |memory| bytes_of(memory, "memory"))?,
        keys: keys(key, context)?,
    };
    let (cancel, counters) = (CancelToken::default(), Arc::new(Counters::default()));
    let (sender, mut verified) = sync_channel(1);
    let worker = {
        let (cancel, counters) = (cancel.clone(), Arc::clone(&counters));
        move || drop(sender.send(run(input, asked, &counters, &cancel)))
    };
    // Nobody joins it: a list from a pipe may keep it forever.
    let spawned = thread::Builder::new().name("pfh-verify".to_owned()).spawn(worker);
    spawned.map_err(|error| errors::start(py, format!("the system refused a thread: {error}")))?;
    let result = loop {
        let receiver = &mut verified;
        match outside(py, move || receiver.recv_timeout(TICK)) {
            Ok(result) => break result,
            Err(RecvTimeoutError::Timeout) => look(py).inspect_err(|_| cancel.cancel())?,
            Err(RecvTimeoutError::Disconnected) => {
                return Err(pyo3::exceptions::PyRuntimeError::new_err(
                    "a defect in pfh: the verification ended early; please report it",
                ));
            }
        }
    };
    if let Some(error) = raised.lock().unwrap_or_else(PoisonError::into_inner).take() {
        return Err(error);
    }
    let Verified { findings, algorithms, root, broken } = result.map_err(|failed| failed.into_error(py))?;
    let totals = *findings.totals();
    let (sender, groups) = sync_channel(1);
    // Findings lie in a temporary file, from which a thread takes them as they are wanted.
    let taking = thread::Builder::new().name("pfh-findings".to_owned()).spawn(move || {
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
    });
    taking.map_err(|error| errors::start(py, format!("the system refused a thread: {error}")))?;
    let state = Mutex::new((groups, Vec::new().into_iter()));
    Ok(Findings { totals, algorithms, root, broken, files: counters, state })
}

type Groups = (Receiver<io::Result<Vec<pfh_fixity::Finding>>>, std::vec::IntoIter<pfh_fixity::Finding>);

/// The fates of the files of a list. Each finding is taken once.
#[pyclass(frozen, module = "pfh", name = "Findings")]
pub(crate) struct Findings {
    totals: Totals,
    algorithms: Vec<Algorithm>,
    root: PathBuf,
    broken: Vec<String>,
    files: Arc<Counters>,
    state: Mutex<Groups>,
}

#[pymethods]
impl Findings {
    fn __iter__(findings: PyRef<'_, Self>) -> PyRef<'_, Self> {
        findings
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<Finding>> {
        loop {
            if let Some(finding) = self.state.lock().unwrap_or_else(PoisonError::into_inner).1.next() {
                return Ok(Some(Finding(finding)));
            }
            let next = outside(py, || {
                let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
                match state.0.recv_timeout(TICK) {
                    Ok(Ok(group)) => {
                        state.1 = group.into_iter();
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

    /// Whether everything that was expected is there and unchanged. New files and copies are no failures.
    #[getter]
    fn ok(&self) -> bool {
        let bad = [Class::Changed, Class::Missing, Class::Unreadable, Class::Moved];
        bad.into_iter().all(|class| self.totals.files.of(class) == 0)
            && self.totals.not_comparable == 0
            && self.broken.is_empty()
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

    /// Files that were read.
    #[getter]
    fn files(&self) -> u64 {
        self.files.files.load(std::sync::atomic::Ordering::Relaxed)
    }

    /// Lines of the list that could not be read, with `strict=False`.
    #[getter]
    fn broken(&self) -> Vec<String> {
        self.broken.clone()
    }

    fn __repr__(&self) -> String {
        let counts = Class::ALL.into_iter().filter(|class| self.totals.files.of(*class) > 0);
        let counts: Vec<String> = counts.map(|class| format!("{class}: {}", self.totals.files.of(class))).collect();
        format!("<pfh.Findings {}>", counts.join(", "))
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
        reason.replace("--follow-directories", "follow_directories=True")
    }

    fn __repr__(&self) -> String {
        format!("<pfh.Finding {}: {}>", self.0.class, pfh::record::quote::quoted(self.0.path()))
    }
}
