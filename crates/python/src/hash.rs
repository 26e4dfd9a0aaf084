//! `hash`: files and trees.

use std::io::{self, Read};
use std::sync::{Arc, Mutex, PoisonError};

use pfh::source::{FileList, IoMethod};
use pfh::{HashRun, Mode};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyIterator, PyList, PyString, PyTuple};

use crate::arguments::{Threads, bytes_of, digests, path_bytes, threads_of, words};
use crate::columns::Shape;
use crate::errors;
use crate::feed::Feed;
use crate::hasher::{keys, useless};
use crate::interpreter::{caught, enter, inside, is_closing, outside};
use crate::interrupt::Interrupts;
use crate::records::{Begin, Records};

/// Paths of an iterable of Python, taken by the thread of the walk; each ends with NUL.
struct Paths {
    iterator: Py<PyIterator>,
    raised: Arc<Mutex<Option<PyErr>>>,
    text: Vec<u8>,
    taken: usize,
    has_ended: bool,
}

impl Paths {
    /// Paths that are taken at a time, since each time waits for the interpreter.
    const GROUP: usize = 256;

    fn take(&mut self, py: Python<'_>) -> PyResult<()> {
        let mut iterator = self.iterator.bind(py).clone();
        for _ in 0..Paths::GROUP {
            // A generator may wait before each path, and the interpreter would not wait for a whole group.
            if is_closing() {
                self.has_ended = true;
                break;
            }
            let Some(path) = iterator.next() else {
                self.has_ended = true;
                break;
            };
            let path = path_bytes(&path?)?;
            if path.contains(&0) {
                return Err(PyValueError::new_err("a path has a NUL in it; no file can have such a name"));
            }
            self.text.extend_from_slice(&path);
            self.text.push(0);
        }
        Ok(())
    }
}

impl Read for Paths {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.taken == self.text.len() && !self.has_ended {
            self.text.clear();
            self.taken = 0;
            match inside(|py| self.take(py)) {
                Some(Ok(())) => {}
                Some(Err(error)) => {
                    self.has_ended = true;
                    *self.raised.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
                }
                None => self.has_ended = true,
            }
        }
        let rest = &self.text[self.taken..];
        let count = rest.len().min(buffer.len());
        buffer[..count].copy_from_slice(&rest[..count]);
        self.taken += count;
        Ok(count)
    }
}

/// Begins to hash files and trees on all cores, and returns their records.
///
/// The records come in the order of the walk while the run goes on. Take them one by one, or hand all of them to
/// pyarrow, polars, pandas or DuckDB as a table; each record is used once.
///
/// >>> for record in pfh.hash("/data", algorithms="sha256,md5"):
/// ...     print(record.path_str, record.digests["md5"].hex() if record.ok else record.error)
/// >>> table = pyarrow.table(pfh.hash("/data"))
/// >>> frame = polars.DataFrame(pfh.hash("/data", exclude="*.tmp"))
/// >>> duckdb.sql("select path from records where size > 1e9")     # with records = pfh.hash("/data")
///
/// A file that cannot be read is a record whose ``outcome`` is not ``complete`` and whose ``error`` says why; a missing
/// path too. ``records.raise_for_failures()`` raises after the end, where that is wanted.
///
/// Files: ``paths`` are files and directories, and ``files`` an iterable of further ones, which is taken while
/// the run goes on. ``include`` and ``exclude`` are patterns of names, as of the program; ``min_size`` and ``max_size``
/// bound regular files. Links among ``paths`` are followed, others with ``follow_files`` and ``follow_directories``.
/// ``bytes`` are a path, too: :func:`digest` hashes a message.
///
/// Digests: ``algorithms`` are names of algorithms and of similarity families (``ssdeep``, ``tlsh``,
/// ``sdhash``, ``mrsh-v2``), SHA-256 by default; ``"none"`` reads without a digest, and an empty list is refused.
/// ``piece_bytes`` also digests every piece of that many bytes.
///
/// Speed: ``threads`` are as many as cores by default, ``memory`` bounds all buffers (256 MiB by default); sizes are
/// numbers or text such as ``"64M"``. ``mode`` and ``io`` are those of the program. ``unordered`` gives records as they
/// finish. ``progress`` is called about ten times a second by the thread that takes the records, and draws whatever
/// you like: ``lambda p: bar.update(p.new_bytes)`` with tqdm, ``lambda p: bar.update(task, completed=p.bytes)`` with
/// rich.
///
/// Ctrl-C ends the run and raises ``KeyboardInterrupt``, also from inside of a consumer. Leaving a ``with`` block stops
/// the run, and so does dropping the records.
///
/// Raises ``UnknownAlgorithm``; ``OptionError`` for a value that cannot be, and for a ``key`` or a ``context`` that no
/// algorithm takes; ``StartError`` if the system refuses threads, memory or open files.
#[pyfunction]
#[pyo3(signature = (
    *paths, algorithms = None, files = None, include = None, exclude = None, min_size = None, max_size = None,
    one_file_system = false, follow_files = false, follow_directories = false, threads = None, memory = None,
    mode = "adaptive", io = "buffered", piece_bytes = None, unordered = false, key = None, context = None,
    progress = None
))]
#[expect(clippy::too_many_arguments, reason = "the arguments of Python, by name")]
pub(crate) fn hash(
    py: Python<'_>,
    paths: &Bound<'_, PyTuple>,
    algorithms: Option<&Bound<'_, PyAny>>,
    files: Option<&Bound<'_, PyAny>>,
    include: Option<&Bound<'_, PyAny>>,
    exclude: Option<&Bound<'_, PyAny>>,
    min_size: Option<&Bound<'_, PyAny>>,
    max_size: Option<&Bound<'_, PyAny>>,
    one_file_system: bool,
    follow_files: bool,
    follow_directories: bool,
    threads: Option<Threads>,
    memory: Option<&Bound<'_, PyAny>>,
    mode: &str,
    io: &str,
    piece_bytes: Option<&Bound<'_, PyAny>>,
    unordered: bool,
    key: Option<&Bound<'_, PyAny>>,
    context: Option<String>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Records> {
    let _expected = enter()?;
    if paths.is_empty() && files.is_none() {
        return Err(PyTypeError::new_err("nothing to hash: name files and directories, or pass `files=`"));
    }
    let mut run = HashRun::new([]).map_err(|error| errors::unknown_algorithm(py, error))?;
    run.engine.selection = match algorithms {
        Some(names) => digests(names)?,
        None => crate::hasher::algorithm(py, "sha256")?.into(),
    };
    for path in paths {
        if path.cast::<PyList>().is_ok() || path.cast::<PyTuple>().is_ok() {
            return Err(PyTypeError::new_err("a list is no path; pass `*paths`, or `files=paths`"));
        }
        let path = path_bytes(&path)?;
        if path.contains(&0) {
            return Err(PyValueError::new_err("a path has a NUL in it; no file can have such a name"));
        }
        run.walk.roots.push(path);
    }
    let raised = Arc::default();
    if let Some(files) = files {
        if files.cast::<PyString>().is_ok() || files.cast::<PyBytes>().is_ok() {
            return Err(PyTypeError::new_err("`files=` is an iterable of paths; a single path goes before it"));
        }
        let iterator = files.try_iter()?.unbind();
        let paths = Paths { iterator, raised: Arc::clone(&raised), text: Vec::new(), taken: 0, has_ended: false };
        run.walk.files_from = Some(FileList::new(b"files=".to_vec(), Box::new(paths), 0));
    }
    let size = |size: Option<&Bound<'_, PyAny>>, name| size.map(|size| bytes_of(size, name)).transpose();
    run.walk.include = words(include)?;
    run.walk.exclude = words(exclude)?;
    run.walk.size_min = size(min_size, "min_size")?;
    run.walk.size_max = size(max_size, "max_size")?;
    run.walk.one_file_system = one_file_system;
    run.walk.follow_files = follow_files;
    run.walk.follow_directories = follow_directories;
    run.walk.io = match io {
        "buffered" => IoMethod::Buffered,
        "drop" => IoMethod::Drop,
        "direct" => IoMethod::Direct,
        other => {
            let message = format!("io: `{other}` is not a valid choice; choose one of buffered, drop, direct");
            return Err(errors::option(py, message));
        }
    };
    run.engine.threads = threads_of(threads);
    run.engine.mode = mode.parse::<Mode>().map_err(|error| errors::option(py, format!("mode: {error}")))?;
    if let Some(memory) = memory {
        run.engine.memory_bytes = bytes_of(memory, "memory")?;
    }
    run.engine.piece_bytes = size(piece_bytes, "piece_bytes")?;
    if run.engine.piece_bytes == Some(0) {
        return Err(errors::option(py, "piece_bytes=0: a piece has a byte at least"));
    }
    run.engine.unordered = unordered;
    run.engine.keys = keys(key, context)?;
    if let Some(reason) = useless(&run.engine.keys, run.engine.selection.algorithms()) {
        return Err(errors::option(py, reason));
    }
    let shape = Shape {
        selection: run.engine.selection.clone(),
        has_pieces: run.engine.piece_bytes.is_some(),
        has_parts: false,
    };
    let records = outside(py, || caught(|| run.stream()))?.map_err(|error| errors::of_run(py, error))?;
    Ok(Records::begin(Begin {
        feed: Feed::Run(records),
        shape,
        format: None,
        name: Vec::new(),
        is_strict: true,
        raised,
        progress,
        interrupts: Interrupts::of_thread(),
    }))
}
