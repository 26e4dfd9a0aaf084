//! `read`: the entries of a list as records.

use std::ffi::OsString;
use std::io::{self, Read};
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use pfh::engine::Counters;
use pfh::list::{Entry, FormatName, Input, List, OpenError, ReadError, ReadOptions};
use pfh::{CancelToken, Selection};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::columns::Shape;
use crate::hash::{path_bytes, selection};
use crate::interpreter::{begin, inside, wait_for};
use crate::interrupt::Interrupts;
use crate::record::Item;
use crate::records::{Begin, Feed, Records};
use crate::{errors, hasher};

/// Entries that are handed over together; what the first of them have decides about the columns.
const GROUP: usize = 256;

type Group = Vec<Result<Item, ReadError>>;

/// The facts about a list that its beginning tells.
struct Opened {
    name: Vec<u8>,
    format: FormatName,
    selection: Selection,
    first: Group,
}

/// The entries of a list, which a thread reads.
pub(crate) struct ListFeed {
    groups: Receiver<Group>,
    group: std::vec::IntoIter<Result<Item, ReadError>>,
    has_ended: bool,
    pub(crate) cancel: CancelToken,
    pub(crate) counters: Arc<Counters>,
}

impl ListFeed {
    /// Waits until `next` returns at once, no longer than `timeout`; false if it does not.
    pub(crate) fn wait(&mut self, timeout: Duration) -> bool {
        if self.group.len() > 0 || self.has_ended || self.cancel.is_cancelled() {
            return true;
        }
        match self.groups.recv_timeout(timeout) {
            Ok(group) => self.group = group.into_iter(),
            Err(RecvTimeoutError::Disconnected) => self.has_ended = true,
            Err(RecvTimeoutError::Timeout) => return false,
        }
        self.has_ended || self.group.len() > 0
    }
}

impl Iterator for ListFeed {
    type Item = Result<Item, ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.cancel.is_cancelled() {
            return None;
        }
        while self.group.len() == 0 {
            self.group = self.groups.recv().ok()?.into_iter();
        }
        let next = self.group.next();
        if let Some(Ok(item)) = &next {
            self.counters.files.fetch_add(1, Ordering::Relaxed);
            let is_failure = item.record.outcome.is_failure();
            self.counters.failed.fetch_add(u64::from(is_failure), Ordering::Relaxed);
        }
        next
    }
}

/// A file of Python, read by the thread of a list.
struct PythonFile {
    file: Py<PyAny>,
    raised: Arc<Mutex<Option<PyErr>>>,
}

impl Read for PythonFile {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = inside(|py| {
            let part = self.file.call_method1(py, "read", (buffer.len(),))?;
            let part = part.bind(py).cast::<PyBytes>().map_err(|_| {
                PyTypeError::new_err("the file returned no bytes; open it in binary mode: open(path, \"rb\")")
            })?;
            let part = part.as_bytes();
            let count = part.len().min(buffer.len());
            buffer[..count].copy_from_slice(&part[..count]);
            Ok::<usize, PyErr>(count)
        });
        match read {
            Some(Ok(count)) => Ok(count),
            Some(Err(error)) => {
                let text = error.to_string();
                *self.raised.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = Some(error);
                Err(io::Error::other(text))
            }
            None => Err(io::Error::other("the interpreter is shutting down")),
        }
    }
}

fn item(mut entry: Entry) -> Item {
    let part = entry.piece.take();
    Item { record: entry.into_record(), part }
}

/// Reads the next group of a list.
fn group(list: &mut List) -> Group {
    let mut group = Group::new();
    for entry in list.by_ref().take(GROUP) {
        let is_fatal = entry.as_ref().is_err_and(ReadError::is_fatal);
        group.push(entry.map(item));
        if is_fatal {
            break;
        }
    }
    group
}

/// Opens a list and reads all of it, on a thread of its own: a pipe may keep it waiting.
fn run(
    input: Input,
    format: Option<FormatName>,
    options: ReadOptions,
    opened: &SyncSender<Result<Opened, OpenError>>,
    groups: &SyncSender<Group>,
) {
    let list = match format {
        Some(format) => List::open_as(format, input, options),
        None => List::open(input, options),
    };
    let mut list = match list {
        Ok(list) => list,
        Err(error) => return drop(opened.send(Err(error))),
    };
    let mut selection = list.header().selection.clone().unwrap_or_default();
    let first = group(&mut list);
    for item in first.iter().flatten() {
        selection.extend(item.record.digests.iter().map(pfh::Digest::algorithm));
        selection.extend(item.record.similarities.iter().map(|one| one.family));
    }
    let mut is_last = first.len() < GROUP;
    let format = list.header().format;
    if opened.send(Ok(Opened { name: list.name().to_vec(), format, selection, first })).is_err() {
        return;
    }
    while !is_last {
        let group = group(&mut list);
        is_last = group.len() < GROUP;
        if groups.send(group).is_err() {
            return;
        }
    }
}

/// Returns the input of a path, or of a file of Python.
pub(crate) fn input(list: &Bound<'_, PyAny>, raised: &Arc<Mutex<Option<PyErr>>>) -> PyResult<Input> {
    if !list.hasattr("read")? {
        let path = path_bytes(list)?;
        return Ok(Input::path(PathBuf::from(OsString::from_vec(path))));
    }
    let name = list.getattr_opt("name")?.and_then(|name| path_bytes(&name).ok()).unwrap_or_else(|| b"<file>".to_vec());
    let file = PythonFile { file: list.clone().unbind(), raised: Arc::clone(raised) };
    Ok(Input::reader(name, file))
}

/// Reads a list of digests in any format that pfh reads, and returns its entries as records.
///
/// ``list`` is a path, also of a zip archive, or a file that is open for reading bytes. ``format`` is the name of a
/// format; it is recognised by default. ``algorithm`` is that of digests whose algorithm the list does not name.
/// ``algorithms`` name the columns of a table; by default they are those of the header and of the first 256 entries.
/// A line that cannot be read raises; with ``strict=False`` it is left out, and ``records.broken`` tells of it.
///
/// >>> {record.path_str: record.digests["sha256"] for record in pfh.read("SHA256SUMS")}
///
/// Raises ``ListError`` with the line, and ``OSError`` if the list cannot be opened.
#[pyfunction]
#[pyo3(signature = (list, format = None, *, algorithm = None, algorithms = None, strict = true))]
pub(crate) fn read(
    py: Python<'_>,
    list: &Bound<'_, PyAny>,
    format: Option<&str>,
    algorithm: Option<&str>,
    algorithms: Option<&Bound<'_, PyAny>>,
    strict: bool,
) -> PyResult<Records> {
    let format = format.map(str::parse::<FormatName>).transpose().map_err(|error| errors::option(py, error))?;
    let algorithm = algorithm.map(|name| hasher::algorithm(py, name)).transpose()?;
    let asked = algorithms.map(selection).transpose()?;
    let raised = Arc::default();
    let input = input(list, &raised)?;
    let options = ReadOptions { algorithm, ..ReadOptions::default() };
    let ((opened, when_opened), (sender, groups)) = (sync_channel(1), sync_channel(2));
    // It ends when nobody takes its groups, and a pipe may keep it forever.
    begin(py, "pfh-list", move || run(input, format, options, &opened, &sender))?;
    let opened = wait_for(py, when_opened)?;
    if let Some(error) = raised.lock().unwrap_or_else(std::sync::PoisonError::into_inner).take() {
        return Err(error);
    }
    let opened = opened.map_err(|error| errors::of_open(py, &error))?;
    let feed = ListFeed {
        groups,
        group: opened.first.into_iter(),
        has_ended: false,
        cancel: CancelToken::default(),
        counters: Arc::default(),
    };
    let shape = Shape { selection: asked.unwrap_or(opened.selection), has_pieces: false, has_parts: true };
    Ok(Records::begin(Begin {
        feed: Feed::List(feed),
        shape,
        format: Some(opened.format.name()),
        name: opened.name,
        is_strict: strict,
        raised,
        progress: None,
        interrupts: Interrupts::of(py)?,
    }))
}
