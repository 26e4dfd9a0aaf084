//! `read`: the entries of a list as records.

use std::ffi::OsString;
use std::io::{self, Read};
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::sync::{Arc, Mutex};

use pfh::Selection;
use pfh::list::{Entry, FormatName, Input, List, OpenError, ReadError, ReadOptions};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::arguments::{path_bytes, selection};
use crate::columns::Shape;
use crate::feed::{Fault, Feed, Group, ListFeed};
use crate::interpreter::{begin, enter, inside, wait_for};
use crate::interrupt::Interrupts;
use crate::record::Item;
use crate::records::{Begin, Records};
use crate::{errors, hasher};

/// Entries that are handed over together; what the first of them have decides about the columns.
const GROUP: usize = 256;

/// The facts about a list that its beginning tells.
struct Opened {
    name: Vec<u8>,
    format: FormatName,
    selection: Selection,
    first: Group,
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
            let Some(room) = buffer.get_mut(..part.len()) else {
                let (count, room) = (part.len(), buffer.len());
                let text =
                    format!("read({room}) of the file returned {count} bytes; it must return no more than asked");
                return Err(PyValueError::new_err(text));
            };
            room.copy_from_slice(part);
            Ok::<usize, PyErr>(part.len())
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

/// Reads the next group of a list, and tells whether it is the last.
fn group(list: &mut List) -> (Group, bool) {
    let mut group = Group::new();
    for entry in list.by_ref().take(GROUP) {
        let is_fatal = entry.as_ref().is_err_and(ReadError::is_fatal);
        group.push(entry.map(item).map_err(Fault::Line));
        if is_fatal {
            break;
        }
    }
    let is_last = group.len() < GROUP;
    if is_last && let Some(missing) = list.trailer().and_then(|trailer| trailer.end.missing()) {
        group.push(Err(Fault::End(missing)));
    }
    (group, is_last)
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
    let (first, mut is_last) = group(&mut list);
    for item in first.iter().flatten() {
        selection.extend(item.record.digests.iter().map(pfh::Digest::algorithm));
        selection.extend(item.record.similarities.iter().map(|one| one.family));
    }
    let format = list.header().format;
    if opened.send(Ok(Opened { name: list.name().to_vec(), format, selection, first })).is_err() {
        return;
    }
    while !is_last {
        let next = group(&mut list);
        is_last = next.1;
        if groups.send(next.0).is_err() {
            return;
        }
    }
    // Nobody may wait for it any more.
    let _ = groups.send(Group::new());
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
/// A line that cannot be read raises, and so does the end of a list that has not all files of its run: it was cut, or
/// the run was interrupted. With ``strict=False`` the line is left out, and ``records.broken`` tells of both.
///
/// >>> {record.path_str: record.digests["sha256"] for record in pfh.read("SHA256SUMS")}
///
/// Raises ``ListError`` with the line, ``OSError`` if the list cannot be opened, and ``TypeError`` or ``ValueError``
/// for a file whose ``read(n)`` returns no bytes, or more than ``n``.
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
    let _expected = enter()?;
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
    let feed = ListFeed::new(opened.first, groups);
    let shape = Shape { selection: asked.unwrap_or(opened.selection), has_pieces: false, has_parts: true };
    Ok(Records::begin(Begin {
        feed: Feed::List(feed),
        shape,
        format: Some(opened.format.name()),
        name: opened.name,
        is_strict: strict,
        raised,
        progress: None,
        interrupts: Interrupts::of_thread(),
    }))
}
