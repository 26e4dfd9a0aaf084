//! Arrow data of others, through the PyCapsule interface.
//!
//! The structures are those of the Arrow C data interface and C stream interface
//! (<https://arrow.apache.org/docs/format/CDataInterface.html>, `CStreamInterface.html`), stable by their definition.
//! Whatever can be checked is checked before a byte is read: counts, signs, null pointers, every offset and every view.
//! The interface states no lengths of buffers but for views, so an array whose offsets grow properly beyond its memory
//! cannot be told from a good one.
#![allow(unsafe_code)]

use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr::{self, NonNull};
use std::sync::atomic::{AtomicPtr, Ordering};

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyTuple};

use crate::interpreter::{look, outside};

#[repr(C)]
struct Schema {
    format: *const c_char,
    name: *const c_char,
    metadata: *const c_char,
    flags: i64,
    n_children: i64,
    children: *mut *mut Schema,
    dictionary: *mut Schema,
    release: Option<unsafe extern "C" fn(*mut Schema)>,
    private_data: *mut c_void,
}

#[repr(C)]
struct Array {
    length: i64,
    null_count: i64,
    offset: i64,
    n_buffers: i64,
    n_children: i64,
    buffers: *mut *const c_void,
    children: *mut *mut Array,
    dictionary: *mut Array,
    release: Option<unsafe extern "C" fn(*mut Array)>,
    private_data: *mut c_void,
}

#[repr(C)]
struct Stream {
    get_schema: Option<unsafe extern "C" fn(*mut Stream, *mut Schema) -> c_int>,
    get_next: Option<unsafe extern "C" fn(*mut Stream, *mut Array) -> c_int>,
    get_last_error: Option<unsafe extern "C" fn(*mut Stream) -> *const c_char>,
    release: Option<unsafe extern "C" fn(*mut Stream)>,
    private_data: *mut c_void,
}

/// The function by which a structure is released; none in one that was released or moved.
type Release<T> = Option<unsafe extern "C" fn(*mut T)>;

/// A structure of the interface, which somebody else has filled and whoever has it last releases.
trait Released: Sized {
    /// The name of its capsule.
    const NAME: &'static CStr;
    /// Returns the place of the function.
    ///
    /// # Safety
    /// There is a structure, which others may use at the same time.
    unsafe fn place(structure: *mut Self) -> *mut Release<Self>;

    fn release(&mut self) -> &mut Release<Self> {
        // SAFETY: the structure is there, and nobody else uses it.
        unsafe { &mut *Self::place(self) }
    }
}

impl Released for Schema {
    const NAME: &'static CStr = c"arrow_schema";
    unsafe fn place(structure: *mut Schema) -> *mut Release<Schema> {
        // SAFETY: as the trait demands.
        unsafe { &raw mut (*structure).release }
    }
}

impl Released for Array {
    const NAME: &'static CStr = c"arrow_array";
    unsafe fn place(structure: *mut Array) -> *mut Release<Array> {
        // SAFETY: as the trait demands.
        unsafe { &raw mut (*structure).release }
    }
}

impl Released for Stream {
    const NAME: &'static CStr = c"arrow_array_stream";
    unsafe fn place(structure: *mut Stream) -> *mut Release<Stream> {
        // SAFETY: as the trait demands.
        unsafe { &raw mut (*structure).release }
    }
}

/// A structure that is ours to release.
struct Owned<T: Released>(T);

// SAFETY: the interface lets a structure be moved and released by any thread.
unsafe impl<T: Released> Send for Owned<T> {}
// SAFETY: shared references only read the structure and the buffers, which nobody changes.
unsafe impl Sync for Owned<Array> {}

impl<T: Released> Owned<T> {
    /// A structure that a producer is to fill. All of its fields may be zero, which means released.
    fn empty() -> Owned<T> {
        // SAFETY: every field is an integer, a pointer or an optional function.
        Owned(unsafe { std::mem::zeroed() })
    }

    /// Moves a structure out of a capsule, in which it is released afterwards.
    fn of(capsule: &Bound<'_, PyAny>) -> PyResult<Owned<T>> {
        let name = T::NAME.to_string_lossy();
        let capsule = capsule.cast::<PyCapsule>().map_err(|_| PyTypeError::new_err(format!("no capsule `{name}`")))?;
        let pointer = capsule
            .pointer_checked(Some(T::NAME))
            .map_err(|_| PyTypeError::new_err(format!("the capsule is no `{name}`")))?
            .cast::<T>();
        if !pointer.is_aligned() {
            return Err(PyValueError::new_err(format!("the capsule `{name}` is not aligned")));
        }
        // SAFETY: a capsule of this name has such a structure, and an optional function is a pointer that may be null.
        let release = unsafe { AtomicPtr::from_ptr(T::place(pointer.as_ptr()).cast::<*mut c_void>()) };
        // Moving it marks it as released, as the interface demands. Several threads may have been given the same
        // capsule, and without a global lock nothing else keeps them apart: the one that finds the function moves it.
        let release = release.swap(ptr::null_mut(), Ordering::AcqRel);
        if release.is_null() {
            return Err(PyValueError::new_err(format!("the capsule `{name}` was used before; ask for a new one")));
        }
        let mut moved = Owned::<T>::empty();
        let (from, to) = (pointer.as_ptr().cast::<u8>(), (&raw mut moved.0).cast::<u8>());
        // SAFETY: nobody else moves the structure, but others may look at the place of its function meanwhile: what is
        // before and behind that is copied. The pointer was that of the function.
        unsafe {
            let before = T::place(pointer.as_ptr()).byte_offset_from_unsigned(from);
            let behind = before + size_of::<Release<T>>();
            ptr::copy_nonoverlapping(from, to, before);
            ptr::copy_nonoverlapping(from.add(behind), to.add(behind), size_of::<T>() - behind);
            *moved.0.release() = std::mem::transmute::<*mut c_void, Release<T>>(release);
        }
        Ok(moved)
    }
}

impl<T: Released> Drop for Owned<T> {
    fn drop(&mut self) {
        if let Some(release) = self.0.release().take() {
            // The function finds itself in the structure.
            *self.0.release() = Some(release);
            // SAFETY: it is called once, on a structure that was not released.
            unsafe { release(&raw mut self.0) };
            *self.0.release() = None;
        }
    }
}

impl Owned<Stream> {
    /// Has a function of the stream fill a structure, and returns the status.
    fn fill<T: Released>(
        &mut self,
        function: unsafe extern "C" fn(*mut Stream, *mut T) -> c_int,
        room: &mut Owned<T>,
    ) -> c_int {
        // SAFETY: the stream was not released, and the structure is ours to fill.
        unsafe { function(&raw mut self.0, &raw mut room.0) }
    }
}

/// How the messages of an array lie in its buffers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Layout {
    Offsets32,
    Offsets64,
    Views,
    Fixed(usize),
}

impl Layout {
    fn of(schema: &Owned<Schema>) -> PyResult<Layout> {
        let schema = &schema.0;
        if schema.format.is_null() {
            return Err(PyValueError::new_err("the Arrow schema has no format"));
        }
        if !schema.dictionary.is_null() {
            return Err(PyTypeError::new_err("the messages are dictionary-encoded (categorical); cast them to binary"));
        }
        // SAFETY: the interface demands a string with a NUL at its end.
        let format = unsafe { CStr::from_ptr(schema.format) }.to_bytes();
        Ok(match format {
            b"z" | b"u" => Layout::Offsets32,
            b"Z" | b"U" => Layout::Offsets64,
            b"vz" | b"vu" => Layout::Views,
            b"+s" => {
                return Err(PyTypeError::new_err("a table or a struct has no messages; pass one of its columns"));
            }
            format => {
                let width = format.strip_prefix(b"w:").and_then(|width| std::str::from_utf8(width).ok()?.parse().ok());
                let width = width.filter(|&width: &usize| width <= i32::MAX as usize);
                width.map(Layout::Fixed).ok_or_else(|| {
                    let format = String::from_utf8_lossy(format);
                    PyTypeError::new_err(format!(
                        "an Arrow array of format `{format}` has no messages; cast it to binary or string"
                    ))
                })?
            }
        })
    }
}

/// Messages in an Arrow array of somebody else.
pub(crate) struct ForeignMessages {
    /// Keeps the buffers.
    array: Owned<Array>,
    layout: Layout,
    validity: Option<NonNull<u8>>,
    /// Offsets, views, or the values of fixed length.
    first: *const u8,
    values: *const u8,
    /// The buffers of views, and their lengths.
    view_buffers: Vec<(*const u8, usize)>,
    longest: usize,
    /// The last offset; 0 without values.
    end: usize,
}

// SAFETY: the pointers lead into buffers that `array` keeps and nobody changes.
unsafe impl Send for ForeignMessages {}
// SAFETY: the same.
unsafe impl Sync for ForeignMessages {}

impl ForeignMessages {
    fn new(array: Owned<Array>, layout: Layout) -> Result<ForeignMessages, String> {
        let raw = &array.0;
        let lies = |what: &str| Err(format!("the Arrow array is not valid: {what}"));
        let (Ok(length), Ok(offset)) = (usize::try_from(raw.length), usize::try_from(raw.offset)) else {
            return lies("its length or its offset is negative");
        };
        // The largest element of a buffer takes 16 bytes, and there is one more offset than messages.
        let end = length.checked_add(offset).filter(|&end| end < isize::MAX as usize / 32);
        let Some(end) = end else { return lies("its length exceeds the memory") };
        if let Layout::Fixed(width) = layout
            && end.checked_mul(width).is_none_or(|bytes| bytes > isize::MAX as usize)
        {
            return lies("its length exceeds the memory");
        }
        let count = match layout {
            Layout::Fixed(_) => raw.n_buffers == 2,
            Layout::Views => (3..=i64::from(i32::MAX)).contains(&raw.n_buffers),
            Layout::Offsets32 | Layout::Offsets64 => raw.n_buffers == 3,
        };
        if !count || raw.buffers.is_null() {
            return lies("it has not the buffers of its type");
        }
        // SAFETY: `buffers` points to `n_buffers` pointers.
        let buffers = unsafe { std::slice::from_raw_parts(raw.buffers, raw.n_buffers as usize) };
        let validity = NonNull::new(buffers[0].cast_mut().cast::<u8>());
        if validity.is_none() && raw.null_count > 0 {
            return lies("it counts nulls, and does not tell which");
        }
        let first = buffers[1].cast::<u8>();
        let is_without_bytes = length == 0 || layout == Layout::Fixed(0);
        if first.is_null() && !is_without_bytes {
            return lies("a buffer is missing");
        }
        let mut view_buffers = Vec::new();
        if layout == Layout::Views && length > 0 {
            let (views, lengths) = (&buffers[2..buffers.len() - 1], buffers[buffers.len() - 1].cast::<i64>());
            if lengths.is_null() && !views.is_empty() {
                return lies("the lengths of its buffers are missing");
            }
            for (number, view) in views.iter().enumerate() {
                // SAFETY: the last buffer has a length for each buffer between.
                let bytes = unsafe { lengths.add(number).read_unaligned() };
                match usize::try_from(bytes) {
                    Ok(bytes) if bytes == 0 || !view.is_null() => view_buffers.push((view.cast::<u8>(), bytes)),
                    _ => return lies("the length of a buffer is negative, or the buffer is missing"),
                }
            }
        }
        let values = if matches!(layout, Layout::Offsets32 | Layout::Offsets64) { buffers[2] } else { ptr::null() };
        let values = values.cast::<u8>();
        let mut messages = ForeignMessages { array, layout, validity, first, values, view_buffers, longest: 0, end: 0 };
        messages.check()?;
        Ok(messages)
    }

    /// Checks every offset and every view, and notes the length of the longest message and the last offset.
    fn check(&mut self) -> Result<(), String> {
        if self.len() == 0 {
            return Ok(());
        }
        match self.layout {
            Layout::Fixed(width) => self.longest = width,
            Layout::Offsets32 | Layout::Offsets64 => {
                let first = self.offset_at(0);
                let (mut before, mut least, mut most) = (first, first, 0);
                for number in 1..=self.len() {
                    let offset = self.offset_at(number);
                    // Neither is near the end of its range, or the first is negative.
                    let bytes = offset.wrapping_sub(before);
                    least = least.min(bytes).min(offset);
                    most = most.max(bytes);
                    before = offset;
                }
                if least < 0 {
                    return Err("the Arrow array is not valid: its offsets decrease".to_owned());
                }
                if self.values.is_null() && before > first {
                    return Err("the Arrow array is not valid: its values are missing".to_owned());
                }
                self.longest = most as usize;
                self.end = if self.values.is_null() { 0 } else { before as usize };
            }
            Layout::Views => {
                let mut most = 0;
                for number in (0..self.len()).filter(|&number| self.is_valid(number)) {
                    let Some(message) = self.view(number) else {
                        return Err(format!("the Arrow array is not valid: view {number} leads beyond its buffer"));
                    };
                    most = most.max(message.len());
                }
                self.longest = most;
            }
        }
        Ok(())
    }

    /// The number of messages and nulls.
    pub(crate) fn len(&self) -> usize {
        self.array.0.length as usize
    }

    /// The length of the longest message in bytes.
    pub(crate) fn longest(&self) -> usize {
        self.longest
    }

    /// Returns a message; `None` for a null.
    ///
    /// # Panics
    /// If there is no message of this number.
    #[inline]
    pub(crate) fn get(&self, number: usize) -> Option<&[u8]> {
        assert!(number < self.len(), "a message of the array");
        if !self.is_valid(number) {
            return None;
        }
        match self.layout {
            Layout::Fixed(0) => Some(&[]),
            Layout::Fixed(width) => {
                // SAFETY: the buffer has `length + offset` values, whose product with the width was checked.
                Some(unsafe { std::slice::from_raw_parts(self.first.add(self.place(number) * width), width) })
            }
            Layout::Views => self.view(number),
            Layout::Offsets32 | Layout::Offsets64 => {
                let (start, end) = (self.offset_at(number) as usize, self.offset_at(number + 1) as usize);
                // Empty; or somebody has changed the offsets since they were checked.
                if start >= end || end > self.end {
                    return Some(&[]);
                }
                // SAFETY: the values reach the last offset that `check` has found.
                Some(unsafe { std::slice::from_raw_parts(self.values.add(start), end - start) })
            }
        }
    }

    #[inline]
    fn place(&self, number: usize) -> usize {
        number + self.array.0.offset as usize
    }

    #[inline]
    fn is_valid(&self, number: usize) -> bool {
        let place = self.place(number);
        // SAFETY: the bits reach the last message.
        self.validity.is_none_or(|bits| unsafe { bits.add(place / 8).read() } >> (place % 8) & 1 == 1)
    }

    /// The offset before message `number`, in an array that has messages.
    #[inline]
    fn offset_at(&self, number: usize) -> i64 {
        let place = self.place(number);
        // SAFETY: there is an offset before each message and one after the last.
        unsafe {
            match self.layout {
                Layout::Offsets32 => self.first.cast::<i32>().add(place).read_unaligned().into(),
                _ => self.first.cast::<i64>().add(place).read_unaligned(),
            }
        }
    }

    /// The message of a view; `None` if it leads beyond its buffer.
    fn view(&self, number: usize) -> Option<&[u8]> {
        const INLINE_BYTES_MAX: usize = 12;
        // SAFETY: there is a view of 16 bytes for each message.
        let view = unsafe { &*self.first.add(16 * self.place(number)).cast::<[u8; 16]>() };
        let part =
            |at: usize| usize::try_from(i32::from_le_bytes([view[at], view[at + 1], view[at + 2], view[at + 3]]));
        let bytes = part(0).ok()?;
        if bytes <= INLINE_BYTES_MAX {
            return Some(&view[4..4 + bytes]);
        }
        let &(buffer, buffer_bytes) = self.view_buffers.get(part(8).ok()?)?;
        let start = part(12).ok()?;
        if start.checked_add(bytes)? > buffer_bytes {
            return None;
        }
        // SAFETY: the view was found to lie within its buffer, whose length the array states.
        Some(unsafe { std::slice::from_raw_parts(buffer.add(start), bytes) })
    }
}

/// Hands every array of an object with `__arrow_c_stream__` or `__arrow_c_array__` to `take`. Returns false for an
/// object that has neither.
pub(crate) fn each_array<'py>(
    object: &Bound<'py, PyAny>,
    mut take: impl FnMut(&ForeignMessages) -> PyResult<()>,
) -> PyResult<bool> {
    let py = object.py();
    let mut take = |array, layout| {
        let messages = outside(py, || ForeignMessages::new(array, layout)).map_err(PyValueError::new_err)?;
        let result = take(&messages);
        // Releasing may take long, and may need the interpreter.
        outside(py, || drop(messages));
        result
    };
    // An array first: it is at hand, and what has both gives the same.
    if let Some(export) = object.getattr_opt("__arrow_c_array__")? {
        let both = export.call0()?.cast_into::<PyTuple>();
        let both = both.map_err(|_| PyTypeError::new_err("__arrow_c_array__ returned no tuple of two capsules"))?;
        if both.len() != 2 {
            return Err(PyTypeError::new_err("__arrow_c_array__ returned no tuple of two capsules"));
        }
        let layout = Layout::of(&Owned::<Schema>::of(&both.get_item(0)?)?)?;
        take(Owned::<Array>::of(&both.get_item(1)?)?, layout)?;
        return Ok(true);
    }
    let Some(export) = object.getattr_opt("__arrow_c_stream__")? else { return Ok(false) };
    let mut stream = Owned::<Stream>::of(&export.call0()?)?;
    let (Some(get_schema), Some(get_next)) = (stream.0.get_schema, stream.0.get_next) else {
        return Err(PyValueError::new_err("the Arrow stream lacks its functions"));
    };
    let mut schema = Owned::<Schema>::empty();
    let status = outside(py, || stream.fill(get_schema, &mut schema));
    if status != 0 {
        return Err(stream_failed(&mut stream, status));
    }
    let layout = Layout::of(&schema)?;
    loop {
        let mut array = Owned::<Array>::empty();
        let status = outside(py, || stream.fill(get_next, &mut array));
        look(py)?;
        if status != 0 {
            return Err(stream_failed(&mut stream, status));
        }
        if array.0.release.is_none() {
            return Ok(true);
        }
        take(array, layout)?;
    }
}

fn stream_failed(stream: &mut Owned<Stream>, status: c_int) -> PyErr {
    let text = stream.0.get_last_error.map(|get| {
        // SAFETY: the last call on the stream failed, after which this one is allowed; the text lives until the next.
        unsafe {
            let text = get(&raw mut stream.0);
            if text.is_null() { String::new() } else { CStr::from_ptr(text).to_string_lossy().into_owned() }
        }
    });
    PyValueError::new_err(format!("the Arrow stream failed with error {status}: {}", text.unwrap_or_default()))
}

/// The lengths that a requested schema asks for its columns of fixed length, by their names. Whatever else it asks is
/// not our matter: by the interface, a request is a wish.
pub(crate) fn fixed_widths(requested: &Bound<'_, PyAny>) -> PyResult<Vec<(String, usize)>> {
    let schema = Owned::<Schema>::of(requested)?;
    let mut widths = Vec::new();
    let count = usize::try_from(schema.0.n_children).unwrap_or(0);
    if schema.0.children.is_null() {
        return Ok(widths);
    }
    for number in 0..count {
        // SAFETY: `children` points to `n_children` pointers to schemas, whose strings have a NUL at their end.
        unsafe {
            let child = *schema.0.children.add(number);
            if child.is_null() || (*child).format.is_null() || (*child).name.is_null() {
                continue;
            }
            let (format, name) = (CStr::from_ptr((*child).format), CStr::from_ptr((*child).name));
            let width = format.to_str().ok().and_then(|format| format.strip_prefix("w:")?.parse().ok());
            if let (Some(width), Ok(name)) = (width, name.to_str()) {
                widths.push((name.to_owned(), width));
            }
        }
    }
    Ok(widths)
}
