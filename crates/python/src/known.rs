//! `match` against known files: sets and lists, in which records are looked up.

use std::io;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use pfh::digest::Algorithm;
use pfh::list::{Input, List, OpenError, ReadError, ReadOptions};
use pfh::{CancelToken, Outcome};
use pfh_known::{ALGORITHMS_MAX, Class, ClassifiedSet, Classifier, Importer, Keep, KnownSet, Origin, SetBuilder};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::arguments::{bytes_of, path_bytes};
use crate::errors;
use crate::hasher;
use crate::interpreter::{apart, enter};
use crate::record::Record;

/// Memory for making sets of lists.
const MEMORY_BYTES: u64 = 64 << 20;

/// Shortest digest that a set has.
const DIGEST_BYTES_MIN: usize = 8;

/// Known files, in which records are looked up: sets of `pfh known build`, and lists in any format.
#[pyclass(frozen, module = "pfh", name = "KnownFiles")]
pub(crate) struct KnownFiles {
    classifier: Classifier,
    guesses: Vec<Guess>,
    broken: Vec<String>,
    without_digest: u64,
}

/// Digests of a source of a set whose algorithm was guessed from their length.
struct Guess {
    /// The place of the set, since several sets may have the same name.
    set: usize,
    source: usize,
    path: PathBuf,
    algorithm: String,
}

/// A set that was opened or made.
struct Opened {
    set: KnownSet,
    /// Lines that could not be read.
    broken: Vec<String>,
    /// Number of listed files without a digest for the set.
    without_digest: u64,
}

enum Failed {
    Set(PathBuf, pfh_known::OpenError),
    List(OpenError),
    Line(Vec<u8>, ReadError),
    Useless(Vec<u8>, String),
    /// The list has not all files of its run; the words tell why.
    End(Vec<u8>, &'static str),
    Temporary(io::Error),
}

/// Opens a set, or makes one of a list in a temporary file.
fn open(
    path: &Path,
    algorithm: Option<Algorithm>,
    is_strict: bool,
    memory_bytes: u64,
    cancel: &CancelToken,
) -> Result<Opened, Failed> {
    match KnownSet::open(path) {
        Ok(set) => return Ok(Opened { set, broken: Vec::new(), without_digest: 0 }),
        // Neither says that it is no list.
        Err(pfh_known::OpenError::NotASet | pfh_known::OpenError::Io(_)) => {}
        Err(error) => return Err(Failed::Set(path.to_owned(), error)),
    }
    // The digest of a piece is none of a file.
    let options = ReadOptions { algorithm, piecewise: true, ..ReadOptions::default() };
    let mut list = List::open(Input::path(path), options).map_err(Failed::List)?;
    let name = list.name().to_vec();
    let kinds = list.header().selection.clone().map_or_else(Vec::new, |selection| selection.algorithms().to_vec());
    let is_of_set = |algorithm: &Algorithm| algorithm.digest_bytes() >= DIGEST_BYTES_MIN && !algorithm.is_keyed();
    let mut algorithms: Vec<Algorithm> = kinds.into_iter().filter(is_of_set).collect();
    if algorithms.is_empty() {
        // A list without a header: those that such lists have.
        let usual = ["md5", "sha1", "sha256", "sha512", "sha3-256", "blake3"];
        algorithms.extend(usual.iter().filter_map(|name| Algorithm::from_name(name).ok()));
        if let Some(pfh::DigestKind::Algorithm(first)) = list.first_kind()
            && is_of_set(&first)
            && !algorithms.contains(&first)
        {
            algorithms.push(first);
        }
    }
    // A set has room for twelve.
    algorithms.sort_by_key(|algorithm| std::cmp::Reverse(algorithm.digest_bytes()));
    algorithms.truncate(ALGORITHMS_MAX);
    let mut keep = Keep::default();
    (keep.name, keep.product, keep.category) = (true, true, true);
    let mut importer = Importer::new(SetBuilder::new(&algorithms, keep, memory_bytes), memory_bytes);
    importer.builder().begin_source(Origin::default()).map_err(Failed::Temporary)?;
    let (mut first, mut broken) = (None, Vec::new());
    let mut note = |error: ReadError| match is_strict {
        true => drop(first.get_or_insert(error)),
        false => broken.push(format!("{}: {error}", pfh::record::quote::quoted(&name))),
    };
    let added = importer.add_list(&mut list, &mut note, &|| cancel.is_cancelled()).map_err(Failed::Temporary)?;
    if let Some(error) = first {
        return Err(Failed::Line(name, error));
    }
    if !added.is_useful {
        let text = added.contents.instead_of(&name, "at least 8 bytes").to_string();
        return Err(Failed::Useless(name, text));
    }
    if added.contents.may_be_pieces() > 0 {
        let text = format!(
            "{}: names that end with ` offset START-END` may be of pieces, and are left out: {}",
            pfh::record::quote::quoted(&name),
            added.contents.may_be_pieces()
        );
        if is_strict {
            return Err(Failed::Useless(name, text));
        }
        broken.push(text);
    }
    if let Some(missing) = list.trailer().and_then(|trailer| trailer.end.missing()) {
        if is_strict {
            return Err(Failed::End(name, missing));
        }
        broken.push(format!("{}: {missing}", pfh::record::quote::quoted(&name)));
    }
    let mut file = tempfile::tempfile().map_err(Failed::Temporary)?;
    importer.into_builder().write(&mut file, "pfh").map_err(Failed::Temporary)?;
    let set = KnownSet::of_file(&file).map_err(|error| Failed::Set(path.to_owned(), error))?;
    Ok(Opened { set, broken, without_digest: added.without_digest })
}

#[pymethods]
impl KnownFiles {
    #[new]
    #[pyo3(signature = (*known, algorithm = None, class_ = None, strict = true, memory = None))]
    fn open(
        py: Python<'_>,
        known: Vec<Bound<'_, PyAny>>,
        algorithm: Option<&str>,
        class_: Option<&str>,
        strict: bool,
        memory: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<KnownFiles> {
        let _expected = enter()?;
        let algorithm = algorithm.map(|name| hasher::algorithm(py, name)).transpose()?;
        let class = class_.map(str::parse::<Class>).transpose().map_err(|error| errors::option(py, error))?;
        let memory = memory.map_or(Ok(MEMORY_BYTES), |memory| bytes_of(memory, "memory"))?;
        let (classifier, guesses, broken) = (Classifier::default(), Vec::new(), Vec::new());
        let mut all = KnownFiles { classifier, guesses, broken, without_digest: 0 };
        for (place, path) in known.iter().enumerate() {
            let path = PathBuf::from(std::ffi::OsString::from_vec(path_bytes(path)?));
            let opened_path = path.clone();
            let name = path.file_name().unwrap_or(path.as_os_str()).as_bytes().to_vec();
            let cancel = CancelToken::default();
            let work = {
                let cancel = cancel.clone();
                move || open(&opened_path, algorithm, strict, memory, &cancel)
            };
            let opened = apart(py, "pfh-known", work).inspect_err(|_| cancel.cancel())?;
            let opened = opened.map_err(|failed| match failed {
                Failed::Set(path, error) => {
                    let path = path.as_os_str().as_bytes();
                    errors::list(py, &format!("{}: {error}", pfh::record::quote::quoted(path)), path, None)
                }
                Failed::List(error) => errors::of_open(py, &error),
                Failed::Line(name, error) => errors::of_line(py, &name, &error),
                Failed::Useless(name, text) => errors::list(py, &text, &name, None),
                Failed::End(name, missing) => errors::of_end(py, &name, missing),
                Failed::Temporary(error) => errors::start(py, format!("a temporary file: {error}")),
            })?;
            all.broken.extend(opened.broken);
            all.without_digest += opened.without_digest;
            for (source, origin) in opened.set.about().sources.iter().enumerate().filter(|(_, one)| one.entries > 0) {
                all.guesses.extend(origin.guessed.iter().map(|algorithm| Guess {
                    set: place,
                    source,
                    path: path.clone(),
                    algorithm: algorithm.clone(),
                }));
            }
            all.classifier.push(ClassifiedSet { name, class, set: opened.set });
        }
        Ok(all)
    }

    /// The algorithms with which files are to be hashed, so that each known file can be found.
    #[getter]
    fn algorithms(&self) -> Vec<&'static str> {
        self.classifier.needed_algorithms().into_iter().map(Algorithm::name).collect()
    }

    /// Lines, and ends, of lists that could not be read, with `strict=False`.
    #[getter]
    fn broken(&self) -> Vec<String> {
        self.broken.clone()
    }

    /// The number of files in lists that no file can be found to be, because their line has no digest for it.
    #[getter]
    fn without_digest(&self) -> u64 {
        self.without_digest
    }

    /// Digests whose algorithm was guessed from their length: the name of the set or the list, and the algorithm.
    #[getter]
    fn guessed(&self) -> Vec<(String, String)> {
        let mut guessed = Vec::new();
        for one in self.classifier.sets() {
            let name = String::from_utf8_lossy(&one.name);
            for algorithm in one.set.about().sources.iter().flat_map(|origin| &origin.guessed) {
                let pair = (name.to_string(), algorithm.clone());
                if !guessed.contains(&pair) {
                    guessed.push(pair);
                }
            }
        }
        guessed
    }

    /// The guesses one by one: the path of the set or the list, and the algorithm.
    #[getter(_guesses)]
    fn guesses(&self) -> Vec<(String, String)> {
        self.guesses.iter().map(|guess| (guess.path.to_string_lossy().into_owned(), guess.algorithm.clone())).collect()
    }

    fn __len__(&self) -> usize {
        self.classifier.sets().iter().map(|one| one.set.entries() as usize).sum()
    }

    /// The sets and lists of which some files cannot be found by digests of these algorithms alone.
    #[pyo3(signature = (algorithms))]
    fn not_told_by(&self, py: Python<'_>, algorithms: Vec<String>) -> PyResult<Vec<String>> {
        let algorithms: PyResult<Vec<Algorithm>> = algorithms.iter().map(|name| hasher::algorithm(py, name)).collect();
        let algorithms = algorithms?;
        let asked = |one: &&ClassifiedSet| !one.set.can_be_asked(|own| algorithms.contains(&own));
        let sets = self.classifier.sets().iter().filter(asked);
        Ok(sets.map(|one| String::from_utf8_lossy(&one.name).into_owned()).collect())
    }

    /// Returns the known file that a record is.
    fn find(&self, py: Python<'_>, record: &Bound<'_, Record>) -> PyResult<Match> {
        let digests = &record.get().inner().digests;
        let failed = |error: io::Error| errors::start(py, format!("a set cannot be read: {error}"));
        let size = record.get().inner().size();
        let known = self.classifier.classify_by(size, digests, |_, _| true, None).map_err(failed)?;
        let facts = known.first().map(|first| self.classifier.facts(first)).transpose().map_err(failed)?;
        self.classifier.check_unchanged().map_err(failed)?;
        let is_right = |guess: &Guess| known.confirms(guess.set, guess.source, &guess.algorithm);
        let guesses = self.guesses.iter().enumerate().filter(|(_, guess)| is_right(guess));
        let confirmed = guesses.map(|(place, _)| place).collect();
        Ok(Match {
            record: record.clone().unbind(),
            class: known.first().map(|first| first.class.name()),
            set: facts.as_ref().map(|facts| String::from_utf8_lossy(facts.set).into_owned()),
            name: facts.as_ref().map(|facts| facts.name.clone()),
            product: facts.as_ref().map(|facts| String::from_utf8_lossy(&facts.product).into_owned()),
            entries: known.len(),
            confirmed,
        })
    }

    fn __repr__(&self) -> String {
        format!("<pfh.KnownFiles: {} entries of {} sets>", self.__len__(), self.classifier.sets().len())
    }
}

/// A record, and the known file that it is.
#[pyclass(frozen, module = "pfh", name = "Match")]
pub(crate) struct Match {
    record: Py<Record>,
    class: Option<&'static str>,
    set: Option<String>,
    name: Option<Vec<u8>>,
    product: Option<String>,
    entries: usize,
    confirmed: Vec<usize>,
}

#[pymethods]
impl Match {
    /// The record of the file.
    #[getter]
    fn record(&self, py: Python<'_>) -> Py<Record> {
        self.record.clone_ref(py)
    }

    /// Whether the file is known; `None` if nobody can tell, because it could not be read or has no digest.
    #[getter]
    fn known(&self) -> Option<bool> {
        let record = self.record.get().inner();
        let is_told = record.outcome == Outcome::Complete && !record.digests.is_empty();
        (self.class.is_some() || is_told).then_some(self.class.is_some())
    }

    /// The meaning of being known: `bad`, `other` or `good`; `None` for a file that is not.
    #[getter]
    fn class_(&self) -> Option<&'static str> {
        self.class
    }

    /// The name of the set or the list that knows it.
    #[getter]
    fn set(&self) -> Option<&str> {
        self.set.as_deref()
    }

    /// The name of the known file in raw bytes; empty where the set keeps none.
    #[getter]
    fn name<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyBytes>> {
        self.name.as_ref().map(|name| PyBytes::new(py, name))
    }

    /// The product that has the known file; empty where the set keeps none.
    #[getter]
    fn product(&self) -> Option<&str> {
        self.product.as_deref()
    }

    /// The number of known files that it is.
    #[getter]
    fn entries(&self) -> usize {
        self.entries
    }

    /// The places of the guesses of `KnownFiles` that this match confirms.
    #[getter(_confirmed)]
    fn confirmed(&self) -> Vec<usize> {
        self.confirmed.clone()
    }

    fn __repr__(&self) -> String {
        let record = self.record.get().inner();
        let path = pfh::record::quote::quoted(&record.path).to_string();
        match self.class {
            Some(class) => format!("<pfh.Match {path}: known-{class}>"),
            None if record.outcome != Outcome::Complete => format!("<pfh.Match {path}: {}>", record.outcome),
            None => format!("<pfh.Match {path}: unknown>"),
        }
    }
}
