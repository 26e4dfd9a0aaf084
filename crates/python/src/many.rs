//! `digest_many`: messages side by side in the lanes of a core.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, Builder};
use std::time::Duration;

use arrow_array::FixedSizeBinaryArray;
use arrow_array::builder::BooleanBufferBuilder;
use pfh::digest::lanes::BatchHasher;
use pfh::digest::{Algorithm, Digest};
use pyo3::exceptions::{PyRuntimeError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes, PyList, PyMemoryView, PyString, PyTuple};

use crate::arguments::{Threads, threads_of};
use crate::array::Array;
use crate::capsule::{ForeignMessages, each_array};
use crate::data::{Data, copy};
use crate::errors;
use crate::hasher::algorithm;
use crate::interpreter::{PIECE_BYTES, TICK, defect, enter, look, outside};

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
    signature = (messages, algorithm = "sha256", *, threads = Some(Threads(1))),
    text_signature = "(messages, algorithm='sha256', *, threads=1)"
)]
pub(crate) fn digest_many<'py>(
    py: Python<'py>,
    messages: &Bound<'py, PyAny>,
    algorithm: &str,
    threads: Option<Threads>,
) -> PyResult<Array> {
    let _expected = enter()?;
    let algorithm = self::algorithm(py, algorithm)?;
    if algorithm.is_keyed() {
        return Err(errors::option(py, format!("{algorithm} needs a key; use pfh.digest or pfh.new with `key=`")));
    }
    let mut many = Many::new(algorithm, threads_of(threads));
    if let Ok(list) = messages.cast::<PyList>() {
        let length = list.len();
        let changed = || PyRuntimeError::new_err("the list of messages changed while it was hashed");
        many.sequence(py, length, |place| list.get_item(place).map_err(|_| changed()))?;
        if list.len() != length {
            return Err(changed());
        }
    } else if let Ok(tuple) = messages.cast::<PyTuple>() {
        many.sequence(py, tuple.len(), |place| tuple.get_item(place))?;
    } else if messages.cast::<PyBytes>().is_ok() || messages.cast::<PyByteArray>().is_ok() {
        return Err(PyTypeError::new_err("one bytes object is one message; use pfh.digest, or pass a list"));
    } else if messages.cast::<PyString>().is_ok() {
        return Err(PyTypeError::new_err("a str is no sequence of messages; pass a list of bytes"));
    } else if each_array(messages, |array| many.range(py, array))? {
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
    Ok(Array::new(many.finish(py)?, algorithm.name()))
}

/// The digests so far.
struct Many {
    algorithm: Algorithm,
    threads: usize,
    hasher: BatchHasher,
    found: Found,
}

/// Digests one after the other, and which of them are there.
#[derive(Default)]
struct Found {
    bytes: Vec<u8>,
    count: usize,
    /// The places of nulls, in order.
    nulls: Vec<usize>,
}

impl Found {
    fn push(&mut self, digest: &Digest) {
        self.bytes.extend_from_slice(digest.bytes());
        self.count += 1;
    }

    fn append(&mut self, other: &Found) {
        self.bytes.extend_from_slice(&other.bytes);
        self.nulls.extend(other.nulls.iter().map(|place| self.count + place));
        self.count += other.count;
    }
}

/// Messages by their numbers.
pub(crate) trait Messages: Sync {
    /// The number of messages and nulls.
    fn len(&self) -> usize;
    /// A message; `None` for a null.
    fn get(&self, number: usize) -> Option<&[u8]>;
    /// The length of the longest message in bytes.
    fn longest(&self) -> usize;
}

impl Messages for ForeignMessages {
    fn len(&self) -> usize {
        self.len()
    }

    #[inline]
    fn get(&self, number: usize) -> Option<&[u8]> {
        self.get(number)
    }

    fn longest(&self) -> usize {
        self.longest()
    }
}

impl Messages for [&[u8]] {
    fn len(&self) -> usize {
        self.len()
    }

    #[inline]
    fn get(&self, number: usize) -> Option<&[u8]> {
        Some(self[number])
    }

    fn longest(&self) -> usize {
        self.iter().map(|message| message.len()).max().unwrap_or(0)
    }
}

impl Many {
    fn new(algorithm: Algorithm, threads: usize) -> Many {
        Many { algorithm, threads, hasher: BatchHasher::new(algorithm), found: Found::default() }
    }

    fn finish(self, py: Python<'_>) -> PyResult<FixedSizeBinaryArray> {
        let Found { bytes, count, nulls } = self.found;
        let validity = (!nulls.is_empty()).then(|| {
            let mut bits = BooleanBufferBuilder::new(count);
            bits.append_n(count, true);
            nulls.iter().for_each(|&place| bits.set_bit(place, false));
            bits.finish().into()
        });
        let digest_bytes = self.algorithm.digest_bytes() as i32;
        FixedSizeBinaryArray::try_new(digest_bytes, bytes.into(), validity).map_err(|error| errors::error(py, error))
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
            self.range(py, &messages[..])?;
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
            let rows = bytes.chunks_exact(row_bytes.max(1)).map(|row| match is_padded {
                true => &row[..row.iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1)],
                false => row,
            });
            let mut rows: Vec<&[u8]> = rows.collect();
            // Rows without bytes are messages, too.
            rows.resize(end - start, &[]);
            self.range(py, &rows[..])?;
            look(py)?;
        }
        Ok(())
    }

    /// Hashes messages, part by part, and looks at signals in between.
    fn range<M: Messages + ?Sized>(&mut self, py: Python<'_>, messages: &M) -> PyResult<()> {
        let (length, longest) = (messages.len(), messages.longest());
        if length > GROUP {
            self.found.bytes.reserve(length.saturating_mul(self.algorithm.digest_bytes()));
        }
        let mut start = 0;
        while start < length {
            // Without long messages, this number of them has at most `PIECE_BYTES`.
            let part = if self.threads == 1 { PIECE_BYTES / longest.max(64) } else { usize::MAX };
            let end = match longest < LONG_BYTES {
                true => start.saturating_add(part.max(GROUP)).min(length),
                false => self.end_before_long(start, messages),
            };
            if end == start {
                self.long(py, messages.get(start).unwrap_or_default())?;
                start += 1;
            } else {
                start = self.part(py, start..end, messages)?;
            }
            if start < length {
                look(py)?;
            }
        }
        Ok(())
    }

    /// Returns the end of a part of short messages, of about a piece for each thread. It is the start where a long
    /// message is.
    fn end_before_long<M: Messages + ?Sized>(&self, start: usize, messages: &M) -> usize {
        let mut left = PIECE_BYTES * self.threads;
        for place in start..messages.len() {
            let bytes = messages.get(place).map_or(0, <[u8]>::len);
            if bytes >= LONG_BYTES || left == 0 {
                return place;
            }
            // An empty message takes its time, too.
            left = left.saturating_sub(bytes.max(64));
        }
        messages.len()
    }

    /// Hashes a part, and returns the end of it. Where the system refuses a thread, that is an earlier one, and there
    /// are fewer threads from then on.
    fn part<M: Messages + ?Sized>(&mut self, py: Python<'_>, range: Range<usize>, messages: &M) -> PyResult<usize> {
        let stop = &AtomicBool::new(false);
        let threads = if range.len() < 2 * GROUP { 1 } else { self.threads.min(range.len() / GROUP) };
        if threads == 1 {
            let Many { hasher, found, .. } = self;
            let end = range.end;
            outside(py, || hash(hasher, range, messages, stop, found));
            return Ok(end);
        }
        let algorithm = self.algorithm;
        let share = range.len().div_ceil(threads);
        let parts: Vec<Range<usize>> =
            range.clone().step_by(share).map(|start| start..range.end.min(start + share)).collect();
        let mut outcome = Ok(());
        let hashed: Vec<Found> = thread::scope(|scope| {
            let work = |part: Range<usize>| {
                let (mut hasher, mut found) = (BatchHasher::new(algorithm), Found::default());
                hash(&mut hasher, part, messages, stop, &mut found);
                found
            };
            let start = |part| Builder::new().spawn_scoped(scope, move || work(part)).ok();
            let workers: Vec<_> = parts.into_iter().map_while(start).collect();
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
        let end = range.end.min(range.start + hashed.len() * share);
        if hashed.iter().map(|found| found.count).sum::<usize>() != end - range.start {
            return Err(defect("a thread ended early"));
        }
        hashed.iter().for_each(|found| self.found.append(found));
        if end < range.end {
            self.threads = hashed.len().max(1);
        }
        Ok(end)
    }

    /// Hashes one long message in pieces.
    fn long(&mut self, py: Python<'_>, message: &[u8]) -> PyResult<()> {
        let mut hasher = self.algorithm.hasher();
        for piece in message.chunks(PIECE_BYTES) {
            outside(py, || hasher.update(piece));
            look(py)?;
        }
        self.found.push(&hasher.finish());
        Ok(())
    }
}

/// Hashes a range of messages on this thread, and appends the digests to `found`, in order.
fn hash<M: Messages + ?Sized>(
    hasher: &mut BatchHasher,
    range: Range<usize>,
    messages: &M,
    stop: &AtomicBool,
    found: &mut Found,
) {
    let digest_bytes = hasher.algorithm().digest_bytes();
    let mut group: [&[u8]; GROUP] = [&[]; GROUP];
    for start in range.clone().step_by(GROUP) {
        if stop.load(Ordering::Relaxed) {
            return;
        }
        let count = GROUP.min(range.end - start);
        let first_null = found.nulls.len();
        for (number, slot) in group[..count].iter_mut().enumerate() {
            let message = messages.get(start + number);
            if message.is_none() {
                found.nulls.push(found.count + number);
            }
            *slot = message.unwrap_or_default();
        }
        let first = found.bytes.len();
        found.bytes.resize(first + count * digest_bytes, 0);
        hasher.hash_into_bytes(&group[..count], &mut found.bytes[first..]);
        found.count += count;
        for place in &found.nulls[first_null..] {
            found.bytes[place * digest_bytes..][..digest_bytes].fill(0);
        }
    }
}

/// Adds the place of a message to an error.
fn at_place(py: Python<'_>, error: PyErr, place: usize) -> PyErr {
    let message = format!("message {place}: {}", error.value(py));
    PyErr::from_type(error.get_type(py), (message,))
}
