//! `compare`: pairs of similar digests.

use std::ffi::OsString;
use std::num::NonZero;
use std::ops::ControlFlow;
use std::os::unix::ffi::OsStringExt;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use arrow_array::builder::{Int32Builder, StringBuilder};
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{ArrayRef, RecordBatch, RecordBatchReader};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use pfh::similarity::all_pairs::{Compare, Digests, SimilarPair};
use pfh::similarity::{Digest, Family};
use pyo3::exceptions::{PyIndexError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyCapsule, PyList, PyMapping, PySlice, PyString, PyTuple};

use crate::arguments::{Threads, path_bytes, threads_of, whole_number};
use crate::array::schema_capsule;
use crate::capsule::each_array;
use crate::columns::{BATCH_BYTES, ROWS_MAX};
use crate::errors;
use crate::interpreter::{apart, enter, look};
use crate::records::Records;

/// Similarity digests with their names.
struct Named {
    digests: Digests,
    names: Vec<Vec<u8>>,
    /// The number of digests so far, whether they were of use or not.
    seen: usize,
}

/// Digests between two looks at signals: parsing those of any family takes some milliseconds.
const DIGESTS_PER_LOOK: usize = 1 << 10;

impl Named {
    /// Takes digests from records, a mapping, pairs of a name and a digest, digests alone, or an Arrow array.
    fn of(object: &Bound<'_, PyAny>, family: Family) -> PyResult<Named> {
        let py = object.py();
        let mut named = Named { digests: Digests::new(family), names: Vec::new(), seen: 0 };
        if let Ok(records) = object.cast::<Records>() {
            let records = records.get();
            let mut has_family = records.states(family);
            if !has_family && records.are_of_run() {
                return Err(lacking(py, family));
            }
            let mut count = 0_u64;
            while let Some(item) = records.next_item(py)? {
                named.look(py)?;
                count += 1;
                let own = item.record.similarities.into_iter().find(|one| one.family == family);
                has_family |= own.is_some();
                if let Some(Ok(digest)) = own.map(|own| own.digest) {
                    // The scores of sdhash depend on names.
                    let digest = digest.with_name(&item.record.path);
                    named.push(item.record.path, digest);
                }
            }
            // Lines beyond the beginning of a list may have had some.
            return if has_family || count == 0 { Ok(named) } else { Err(lacking(py, family)) };
        }
        if let Ok(mapping) = object.cast::<PyMapping>() {
            for pair in mapping.items()?.try_iter()? {
                named.pair(&pair?)?;
            }
            return Ok(named);
        }
        if object.cast::<PyString>().is_ok() || object.cast::<PyBytes>().is_ok() {
            return Err(PyTypeError::new_err("one digest is not compared with itself; pass a list of digests"));
        }
        let mut place = 0;
        let is_array = each_array(object, |array| {
            for number in 0..array.len() {
                if let Some(text) = array.get(number) {
                    named.text(py, (place + number).to_string().into_bytes(), text)?;
                }
            }
            place += array.len();
            look(py)
        })?;
        if !is_array {
            for (place, item) in object.try_iter()?.enumerate() {
                let item = item?;
                if item.cast::<PyTuple>().is_ok() {
                    named.pair(&item)?;
                } else {
                    named.digest(place.to_string().into_bytes(), &item)?;
                }
            }
        }
        Ok(named)
    }

    /// Looks at signals once in a while.
    fn look(&mut self, py: Python<'_>) -> PyResult<()> {
        self.seen += 1;
        if self.seen.is_multiple_of(DIGESTS_PER_LOOK) { look(py) } else { Ok(()) }
    }

    fn push(&mut self, name: Vec<u8>, digest: Digest) {
        if self.digests.push(digest).is_ok() {
            self.names.push(name);
        }
    }

    fn pair(&mut self, pair: &Bound<'_, PyAny>) -> PyResult<()> {
        let (name, digest): (Bound<'_, PyAny>, Bound<'_, PyAny>) = pair.extract()?;
        let name = path_bytes(&name)?;
        // A file too short for a digest has none.
        if digest.is_none() { Ok(()) } else { self.digest(name, &digest) }
    }

    fn digest(&mut self, name: Vec<u8>, digest: &Bound<'_, PyAny>) -> PyResult<()> {
        let py = digest.py();
        match (digest.cast::<PyString>(), digest.cast::<PyBytes>()) {
            (Ok(text), _) => self.text(py, name, text.to_cow()?.as_bytes()),
            (_, Ok(text)) => self.text(py, name, text.as_bytes()),
            _ => Err(PyTypeError::new_err(format!(
                "digest {}: expected str, not {}",
                String::from_utf8_lossy(&name),
                digest.get_type().name()?
            ))),
        }
    }

    fn text(&mut self, py: Python<'_>, name: Vec<u8>, text: &[u8]) -> PyResult<()> {
        self.look(py)?;
        let family = self.digests.family();
        match Digest::from_bytes(family, text) {
            Ok(digest) => {
                self.push(name, digest);
                Ok(())
            }
            Err(error) => Err(errors::option(
                py,
                format!("digest {} is none of {family}: {error}", String::from_utf8_lossy(&name)),
            )),
        }
    }
}

/// `OptionError` for records that have no digests of a family.
fn lacking(py: Python<'_>, family: Family) -> PyErr {
    errors::option(
        py,
        format!("the records have no digests of {family}, so none are compared; hash with `algorithms=\"{family}\"`"),
    )
}

/// Finds the pairs of similar digests: all pairs among ``a``, or with ``b`` those of one of each.
///
/// ``a`` and ``b`` are records, a mapping of names to digests, pairs of a name and a digest, digests alone (their names
/// are their places, from 0), or an Arrow array of strings. ``family`` is ``ssdeep``, ``tlsh``, ``sdhash`` or
/// ``mrsh-v2``. ``threshold`` is the lowest score (1 by default); with TLSH, the largest distance (30).
///
/// In a table, names are text: bytes that are no UTF-8 become U+FFFD. Pairs themselves have them (``os.fsdecode``).
///
/// >>> pairs = pfh.compare(pfh.hash("/samples", algorithms="tlsh"), family="tlsh", threshold=50)
/// >>> polars.DataFrame(pairs).sort("score")
///
/// Raises ``UnknownAlgorithm`` for a family that there is not, ``OptionError`` for what is no digest of it, and for
/// records of which none has one by their algorithms.
#[pyfunction]
#[pyo3(signature = (a, b = None, *, family, threshold = None, threads = None))]
pub(crate) fn compare(
    py: Python<'_>,
    a: &Bound<'_, PyAny>,
    b: Option<&Bound<'_, PyAny>>,
    family: &str,
    threshold: Option<&Bound<'_, PyAny>>,
    threads: Option<Threads>,
) -> PyResult<Pairs> {
    let _expected = enter()?;
    let family: Family = family.parse().map_err(|error| errors::unknown_algorithm(py, error))?;
    let mut compare = Compare::new(family);
    if let Some(threshold) = threshold {
        let threshold_max = if family == Family::Tlsh { u32::MAX } else { 100 };
        compare.threshold = whole_number(threshold, "threshold", 0..=threshold_max.into())? as u32;
    }
    compare.threads = NonZero::new(threads_of(threads)).unwrap_or(NonZero::<usize>::MIN);
    let left = Named::of(a, family)?;
    let right = b.map(|b| Named::of(b, family)).transpose()?;
    let cancel = compare.cancel.clone();
    let work = move || {
        let mut pairs: Vec<SimilarPair> = Vec::new();
        let mut take = |found: &[SimilarPair]| {
            pairs.extend_from_slice(found);
            ControlFlow::Continue(())
        };
        match &right {
            None => compare.all(&left.digests, &mut take),
            Some(right) => compare.between(&left.digests, &right.digests, &mut take),
        }
        pairs.sort_unstable();
        (pairs, left.names, right.map(|right| right.names))
    };
    // The thread ends soon after an interrupted caller has left it behind.
    let compared = apart(py, "pfh-compare", work).inspect_err(|_| cancel.cancel())?;
    let (pairs, left_names, right_names) = compared;
    let left_names = Arc::new(left_names);
    let right_names = right_names.map_or_else(|| Arc::clone(&left_names), Arc::new);
    Ok(Pairs { family, pairs: Arc::new(pairs), names: [left_names, right_names] })
}

/// Pairs of similar digests, in the order of the digests.
#[pyclass(frozen, sequence, module = "pfh", name = "Pairs")]
pub(crate) struct Pairs {
    family: Family,
    pairs: Arc<Vec<SimilarPair>>,
    names: [Arc<Vec<Vec<u8>>>; 2],
}

/// Pairs as a stream of batches: an array of text has at most 2 GiB.
struct Batches {
    pairs: Arc<Vec<SimilarPair>>,
    names: [Arc<Vec<Vec<u8>>>; 2],
    schema: SchemaRef,
    /// The first pair of the next batch; `None` after the last one.
    next: Option<usize>,
}

impl Iterator for Batches {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        let start = self.next?;
        let (mut first, mut second, mut score) = (StringBuilder::new(), StringBuilder::new(), Int32Builder::new());
        let (mut rows, mut bytes) = (0, 0);
        for pair in &self.pairs[start..] {
            if rows == ROWS_MAX || bytes >= BATCH_BYTES {
                break;
            }
            let left = String::from_utf8_lossy(&self.names[0][pair.first as usize]);
            let right = String::from_utf8_lossy(&self.names[1][pair.second as usize]);
            first.append_value(&left);
            second.append_value(&right);
            score.append_value(pair.score as i32);
            rows += 1;
            bytes += left.len() + right.len();
        }
        // Without a pair there is one batch without rows.
        self.next = Some(start + rows).filter(|&next| next < self.pairs.len());
        let columns: Vec<ArrayRef> =
            vec![Arc::new(first.finish()), Arc::new(second.finish()), Arc::new(score.finish())];
        Some(RecordBatch::try_new(Arc::clone(&self.schema), columns))
    }
}

impl RecordBatchReader for Batches {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }
}

/// Two digests that are similar.
#[pyclass(frozen, module = "pfh", name = "Pair")]
pub(crate) struct Pair {
    first: Vec<u8>,
    second: Vec<u8>,
    score: u32,
}

#[pymethods]
impl Pair {
    /// The name of the first, or its place.
    #[getter]
    fn first(&self) -> OsString {
        OsString::from_vec(self.first.clone())
    }

    /// The name of the second.
    #[getter]
    fn second(&self) -> OsString {
        OsString::from_vec(self.second.clone())
    }

    /// The score, 0 to 100; with TLSH the distance.
    #[getter]
    fn score(&self) -> u32 {
        self.score
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        let other = other.cast::<Pair>();
        other.is_ok_and(|other| {
            let other = other.get();
            (&self.first, &self.second, self.score) == (&other.first, &other.second, other.score)
        })
    }

    fn __repr__(&self) -> String {
        let quoted = pfh::record::quote::quoted;
        format!("<pfh.Pair {} {} {}>", quoted(&self.first), quoted(&self.second), self.score)
    }
}

impl Pairs {
    fn pair(&self, pair: &SimilarPair) -> Pair {
        let name = |side: usize, number: u32| self.names[side][number as usize].clone();
        Pair { first: name(0, pair.first), second: name(1, pair.second), score: pair.score }
    }

    fn at(&self, place: isize) -> PyResult<Pair> {
        let length = self.pairs.len();
        let from_start = if place < 0 { place + length as isize } else { place };
        let pair = usize::try_from(from_start).ok().and_then(|place| self.pairs.get(place));
        let pair = pair.ok_or_else(|| PyIndexError::new_err(format!("there is no pair {place} among {length}")))?;
        Ok(self.pair(pair))
    }

    fn schema() -> Schema {
        let names = ["first", "second"].map(|name| Field::new(name, DataType::Utf8, false));
        let [first, second] = names;
        Schema::new(vec![first, second, Field::new("score", DataType::Int32, false)])
    }
}

#[pymethods]
impl Pairs {
    /// The family of the digests.
    #[getter]
    fn family(&self) -> &'static str {
        self.family.name()
    }

    fn __len__(&self) -> usize {
        self.pairs.len()
    }

    /// A pair, or a list of some of them.
    fn __getitem__<'py>(&self, py: Python<'py>, place: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        if let Ok(slice) = place.cast::<PySlice>() {
            let places = slice.indices(self.pairs.len() as isize)?;
            let place = |number: usize| (places.start + number as isize * places.step) as usize;
            let pairs = (0..places.slicelength).map(|number| self.pair(&self.pairs[place(number)]));
            return Ok(PyList::new(py, pairs.map(|pair| Py::new(py, pair)).collect::<PyResult<Vec<_>>>()?)?.into_any());
        }
        Ok(self.at(place.extract()?)?.into_pyobject(py)?.into_any())
    }

    fn __iter__(pairs: Bound<'_, Self>) -> PairsIterator {
        PairsIterator { pairs: pairs.unbind(), next: AtomicUsize::new(0) }
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        schema_capsule(py, &DataType::Struct(Pairs::schema().fields().clone()))
    }

    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let _ = requested_schema;
        let (pairs, names, schema) = (Arc::clone(&self.pairs), self.names.clone(), Arc::new(Pairs::schema()));
        let reader = Batches { pairs, names, schema, next: Some(0) };
        PyCapsule::new_with_value(py, FFI_ArrowArrayStream::new(Box::new(reader)), c"arrow_array_stream")
    }

    fn __repr__(&self) -> String {
        format!("<pfh.Pairs: {} similar by {}>", self.pairs.len(), self.family)
    }

    fn _repr_html_(&self) -> String {
        /// Rows that are shown.
        const SHOWN: usize = 10;
        let escaped =
            |text: &[u8]| String::from_utf8_lossy(text).replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
        let rows = self.pairs.iter().take(SHOWN).map(|pair| {
            let Pair { first, second, score } = self.pair(pair);
            format!("<tr><td>{}</td><td>{}</td><td>{score}</td></tr>", escaped(&first), escaped(&second))
        });
        let rows: String = rows.collect();
        let more = match self.pairs.len().saturating_sub(SHOWN) {
            0 => String::new(),
            more => format!("<tr><td colspan=\"3\">and {more} more</td></tr>"),
        };
        let measure = if self.family == Family::Tlsh { "distance" } else { "score" };
        format!(
            "<table><caption>pfh.Pairs: {} similar by {}</caption><tr><th scope=\"col\">first</th>\
             <th scope=\"col\">second</th><th scope=\"col\">{measure}</th></tr>{rows}{more}</table>",
            self.pairs.len(),
            self.family
        )
    }
}

/// Iterates over pairs.
#[pyclass(frozen, module = "pfh", name = "PairsIterator")]
pub(crate) struct PairsIterator {
    pairs: Py<Pairs>,
    next: AtomicUsize,
}

#[pymethods]
impl PairsIterator {
    fn __iter__(iterator: PyRef<'_, Self>) -> PyRef<'_, Self> {
        iterator
    }

    fn __next__(&self) -> Option<Pair> {
        let pairs = self.pairs.get();
        pairs.pairs.get(self.next.fetch_add(1, Ordering::Relaxed)).map(|pair| pairs.pair(pair))
    }
}
