//! `digest_many`: messages side by side in the lanes of a core.

use std::num::NonZero;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use arrow_array::FixedSizeBinaryArray;
use arrow_array::builder::FixedSizeBinaryBuilder;
use pfh::digest::lanes::BatchHasher;
use pfh::digest::{Algorithm, Digest};
use pyo3::exceptions::{PyRuntimeError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes, PyList, PyMemoryView, PyString, PyTuple};

use crate::array::Array;
use crate::capsule::each_array;
use crate::data::{Data, copy};
use crate::errors;
use crate::hasher::algorithm;
use crate::interpreter::{PIECE_BYTES, TICK, look, outside};

/// Messages that are taken together: a multiple of all lanes, whose digests stay in the cache of a core.
const GROUP: usize = 1024;

/// Messages from which threads share the work of a list, which the caller collects.
const SHARED_GROUP: usize = 64 << 10;

/// Length from which a message is hashed by itself, in pieces.
const LONG_BYTES: usize = 1 << 20;

/// Returns the digests of many messages, hashed side by side in the lanes of a core.
///
/// ``messages`` are a list or another sequence of bytes-like objects; an Arrow array or stream of binary or strings
/// (of pyarrow, a Series of polars or pandas, nanoarrow ...), which is the fast way, since nothing is taken out of
/// objects; or a numpy array: of dtype ``S`` (without the NULs at the ends of values), ``V``, or rows of ``uint8`` in
/// two dimensions. Null stays null. ``threads=None`` is one for each core; by default the caller's thread works alone.
///
/// >>> digests = pfh.digest_many([b"a", b"b"], "md5")
/// >>> digests.hex()
/// ['0cc175b9c0f1b6a831c399e269772661', '92eb5ffee6ae2fec3ad71c777531578f']
/// >>> pyarrow.array(digests).type
/// FixedSizeBinaryType(fixed_size_binary[16])
///
/// Raises ``TypeError`` with the place of a message that has no bytes, and ``ValueError`` for an Arrow array that
/// contradicts itself.
#[pyfunction]
#[pyo3(
    signature = (messages, algorithm = "sha256", *, threads = Some(1)),
    text_signature = "(messages, algorithm='sha256', *, threads=1)"
)]
pub(crate) fn digest_many<'py>(
    py: Python<'py>,
    messages: &Bound<'py, PyAny>,
    algorithm: &str,
    threads: Option<isize>,
) -> PyResult<Array> {
    let algorithm = self::algorithm(py, algorithm)?;
    if algorithm.is_keyed() {
        return Err(errors::option(py, format!("{algorithm} needs a key; use pfh.digest or pfh.new with `key=`")));
    }
    let mut many = Many::new(algorithm, threads_of(py, threads)?);
    if let Some(list) = messages.cast::<PyList>().ok() {
        let length = list.len();
        many.sequence(py, length, |place| match list.len() == length {
            true => list.get_item(place),
            false => Err(PyRuntimeError::new_err("the list of messages changed while it was hashed")),
        })?;
    } else if let Ok(tuple) = messages.cast::<PyTuple>() {
        many.sequence(py, tuple.len(), |place| tuple.get_item(place))?;
    } else if messages.cast::<PyBytes>().is_ok() || messages.cast::<PyByteArray>().is_ok() {
        return Err(PyTypeError::new_err("one bytes object is one message; use pfh.digest, or pass a list"));
    } else if messages.cast::<PyString>().is_ok() {
        return Err(PyTypeError::new_err("a str is no sequence of messages; pass a list of bytes"));
    } else if each_array(messages, |array| many.range(py, array.len(), &|place| array.get(place)))? {
        // All arrays are hashed.
    } else if let Ok(view) = PyMemoryView::from(messages) {
        many.rows(&view, messages)?;
    } else {
        let mut iterator = messages.try_iter().map_err(|_| {
            PyTypeError::new_err(
                "messages are a list of bytes-like objects, an Arrow array or stream, or a numpy array",
            )
        })?;
        let mut end = false;
        while !end {
            let group: Vec<Bound<'py, PyAny>> = iterator.by_ref().take(GROUP).collect::<PyResult<_>>()?;
            end = group.len() < GROUP;
            many.sequence(py, group.len(), |place| Ok(group[place].clone()))?;
        }
    }
    Ok(Array::new(many.finish(), algorithm.name()))
}

/// The number of threads of an option; `None` is one for each core that the process may use.
pub(crate) fn threads_of(py: Python<'_>, threads: Option<isize>) -> PyResult<usize> {
    match threads {
        None => Ok(thread::available_parallelism().map_or(1, NonZero::get)),
        Some(threads @ 1..=4096) => Ok(threads as usize),
        Some(threads) => Err(errors::option(py, format!("threads={threads} is not from 1 to 4096"))),
    }
}

/// The digests so far.
struct Many {
    algorithm: Algorithm,
    threads: usize,
    hasher: BatchHasher,
    digests: FixedSizeBinaryBuilder,
    scratch: Vec<Digest>,
}

/// A function that returns the message of a place; `None` for a null.
type Get<'a> = &'a (dyn Fn(usize) -> Option<&'a [u8]> + Sync);

impl Many {
    fn new(algorithm: Algorithm, threads: usize) -> Many {
        Many {
            algorithm,
            threads,
            hasher: BatchHasher::new(algorithm),
            digests: FixedSizeBinaryBuilder::new(algorithm.digest_bytes() as i32),
            scratch: Vec::new(),
        }
    }

    fn finish(mut self) -> FixedSizeBinaryArray {
        self.digests.finish()
    }

    /// Hashes the messages of a sequence, which `item` returns.
    fn sequence<'py>(
        &mut self,
        py: Python<'py>,
        length: usize,
        item: impl Fn(usize) -> PyResult<Bound<'py, PyAny>>,
    ) -> PyResult<()> {
        let group = if self.threads > 1 { SHARED_GROUP } else { GROUP };
        let mut owners = Vec::with_capacity(group.min(length));
        for start in (0..length).step_by(group) {
            owners.clear();
            for place in start..length.min(start + group) {
                let message = item(place)?;
                owners.push(match message.cast_into::<PyBytes>() {
                    Ok(bytes) => bytes,
                    Err(error) => {
                        let data = Data::of(&error.into_inner()).and_then(Data::into_bytes);
                        data.map_err(|error| at_place(py, error, place))?
                    }
                });
            }
            let messages: Vec<&[u8]> = owners.iter().map(|bytes| bytes.as_bytes()).collect();
            self.range(py, messages.len(), &|place| Some(messages[place]))?;
            look(py)?;
        }
        Ok(())
    }

    /// Hashes the rows of a numpy array, or of another buffer.
    fn rows<'py>(&mut self, view: &Bound<'py, PyMemoryView>, object: &Bound<'py, PyAny>) -> PyResult<()> {
        let py = view.py();
        let format: String = view.getattr("format")?.extract()?;
        let shape: Vec<usize> = view.getattr("shape")?.extract()?;
        let item_bytes: usize = view.getattr("itemsize")?.extract()?;
        let letters = format.trim_start_matches(['@', '=', '<', '>', '!', '|']);
        let last = letters.chars().last().unwrap_or('B');
        let (rows, row_bytes) = match shape[..] {
            [rows] if matches!(last, 's' | 'x') && letters.len() > 1 => (rows, item_bytes),
            // numpy's `S1` is an `s` of its own.
            [rows] if letters == "s" || letters == "x" => (rows, item_bytes),
            [rows, row_bytes] if item_bytes == 1 => (rows, row_bytes),
            [rows] if last == 'O' => return self.sequence(py, rows, |place| object.get_item(place)),
            _ => {
                return Err(PyTypeError::new_err(format!(
                    "a buffer of format `{format}` and {} dimensions has no messages; pass rows of bytes: dtype 'S' or \
                     'V', or uint8 in two dimensions",
                    shape.len()
                )));
            }
        };
        // numpy pads its strings with NUL, and takes that away from what it returns.
        let is_padded = last == 's';
        let step = (PIECE_BYTES / row_bytes.max(1)).max(1);
        for start in (0..rows).step_by(step) {
            let end = rows.min(start + step);
            let bytes = copy(view.as_any(), start, end)?;
            let bytes = bytes.as_bytes();
            self.range(py, end - start, &|place| {
                let mut row = &bytes[place * row_bytes..(place + 1) * row_bytes];
                while let (true, [before @ .., 0]) = (is_padded, row) {
                    row = before;
                }
                Some(row)
            })?;
            look(py)?;
        }
        Ok(())
    }

    /// Hashes `length` messages, part by part, and looks at signals in between.
    fn range(&mut self, py: Python<'_>, length: usize, get: Get<'_>) -> PyResult<()> {
        let part_bytes = PIECE_BYTES * self.threads;
        let part_messages = if self.threads == 1 { SHARED_GROUP } else { usize::MAX };
        let mut start = 0;
        while start < length {
            let (mut end, mut bytes) = (start, 0);
            while end < length && bytes < part_bytes && end - start < part_messages {
                let message_bytes = get(end).map_or(0, <[u8]>::len);
                if message_bytes >= LONG_BYTES {
                    break;
                }
                bytes += message_bytes;
                end += 1;
            }
            if end == start {
                self.long(py, get(start).unwrap_or_default())?;
                end = start + 1;
            } else {
                self.part(py, start..end, get)?;
            }
            start = end;
            if start < length {
                look(py)?;
            }
        }
        Ok(())
    }

    fn part(&mut self, py: Python<'_>, range: Range<usize>, get: Get<'_>) -> PyResult<()> {
        let stop = &AtomicBool::new(false);
        let threads = if range.len() < 2 * GROUP { 1 } else { self.threads.min(range.len() / GROUP) };
        if threads == 1 {
            let (hasher, digests, scratch) = (&mut self.hasher, &mut self.digests, &mut self.scratch);
            outside(py, || {
                hash(hasher, scratch, range, get, stop, &mut |message| match message {
                    Some(bytes) => digests.append_value(bytes).is_ok(),
                    None => {
                        digests.append_null();
                        true
                    }
                })
            });
            return Ok(());
        }
        let algorithm = self.algorithm;
        let share = range.len().div_ceil(threads);
        let parts: Vec<Range<usize>> =
            range.clone().step_by(share).map(|start| start..range.end.min(start + share)).collect();
        let mut outcome = Ok(());
        let hashed: Vec<Vec<Option<Digest>>> = thread::scope(|scope| {
            let workers: Vec<_> = parts
                .into_iter()
                .map(|part| {
                    scope.spawn(move || {
                        let (mut hasher, mut found) = (BatchHasher::new(algorithm), Vec::with_capacity(part.len()));
                        hash(&mut hasher, &mut Vec::new(), part, get, stop, &mut |message| {
                            found.push(message.and_then(|bytes| Digest::new(algorithm, bytes)));
                            true
                        });
                        found
                    })
                })
                .collect();
            while !workers.iter().all(thread::ScopedJoinHandle::is_finished) {
                // Short work should not wait for a whole tick.
                outside(py, || thread::sleep(TICK.min(Duration::from_micros(500))));
                outcome = look(py);
                if outcome.is_err() {
                    stop.store(true, Ordering::Relaxed);
                    break;
                }
            }
            outside(py, || workers.into_iter().map(|worker| worker.join().unwrap_or_default()).collect())
        });
        outcome?;
        if hashed.iter().map(Vec::len).sum::<usize>() != range.len() {
            return Err(PyRuntimeError::new_err("a defect in pfh: a thread ended early; please report it"));
        }
        for digest in hashed.iter().flatten() {
            match digest {
                Some(digest) => self.digests.append_value(digest.bytes()).map_err(|error| errors::error(py, error))?,
                None => self.digests.append_null(),
            }
        }
        Ok(())
    }

    /// Hashes one long message in pieces.
    fn long(&mut self, py: Python<'_>, message: &[u8]) -> PyResult<()> {
        let mut hasher = self.algorithm.hasher();
        for piece in message.chunks(PIECE_BYTES) {
            outside(py, || hasher.update(piece));
            look(py)?;
        }
        self.digests.append_value(hasher.finish().bytes()).map_err(|error| errors::error(py, error))
    }
}

/// Hashes a range of messages on this thread, and gives the digests to `put`, in order.
fn hash(
    hasher: &mut BatchHasher,
    scratch: &mut Vec<Digest>,
    range: Range<usize>,
    get: Get<'_>,
    stop: &AtomicBool,
    put: &mut dyn FnMut(Option<&[u8]>) -> bool,
) {
    let mut messages: [&[u8]; GROUP] = [&[]; GROUP];
    let mut nulls = [false; GROUP];
    let algorithm = hasher.algorithm();
    scratch.resize_with(GROUP, || algorithm.digest(b""));
    for start in range.clone().step_by(GROUP) {
        if stop.load(Ordering::Relaxed) {
            return;
        }
        let count = GROUP.min(range.end - start);
        let mut has_nulls = false;
        for (slot, (message, is_null)) in messages.iter_mut().zip(&mut nulls).take(count).enumerate() {
            let got = get(start + slot);
            *is_null = got.is_none();
            has_nulls |= *is_null;
            *message = got.unwrap_or_default();
        }
        hasher.hash(&messages[..count], &mut scratch[..count]);
        for (digest, is_null) in scratch[..count].iter().zip(&nulls) {
            if !put((!(has_nulls && *is_null)).then(|| digest.bytes())) {
                return;
            }
        }
    }
}

/// Adds the place of a message to an error.
fn at_place(py: Python<'_>, error: PyErr, place: usize) -> PyErr {
    let message = format!("message {place}: {}", error.value(py));
    PyErr::from_type(error.get_type(py), (message,))
}
