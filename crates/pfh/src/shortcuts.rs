//! Shortcuts for hashing one file, a stream, and bytes in memory.

use crate::{Error, HashRun};
use pfh_digest::Keys;
use pfh_engine::StartError;
use pfh_record::{DigestKind, FileError, Outcome, Record, Selection, Similarity};
use pfh_similarity::{Family, Hasher, SimilarityOptions};
use pfh_source::WalkOptions;
use std::io::{self, Read};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// Bytes that are read from a stream at once.
const BUFFER_BYTES: usize = 256 << 10;

/// Hashes one file with the defaults of [`HashRun`], and returns its complete record. A symbolic link is followed; a
/// FIFO or a device is read to its end. The file is proven unchanged as in every run. For many files a [`HashRun`] is
/// faster, since a run has threads and buffers to set up.
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let scratch = tempfile::tempdir()?;
/// # let path = scratch.path().join("hello.txt");
/// # std::fs::write(&path, "hello")?;
/// let record = pfh::hash_file(&path, ["md5"])?;
/// assert_eq!(record.digests[0].to_string(), "5d41402abc4b2a76b9719d911017c592");
/// assert!(matches!(pfh::hash_file("no such file", ["md5"]), Err(pfh::Error::NotComplete(_))));
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// [`Error::NotComplete`], with the record, if the file is not read to its end, or is a directory; otherwise as
/// [`HashRun::new`] and [`HashRun::records`].
pub fn hash_file<'a>(path: impl AsRef<Path>, names: impl IntoIterator<Item = &'a str>) -> Result<Record, Error> {
    const EISDIR: i32 = 21;
    let path = path.as_ref().as_os_str().as_bytes();
    let mut run = HashRun::new(names)?;
    run.walk = WalkOptions { roots: vec![path.to_vec()], max_depth: Some(0), ..WalkOptions::default() };
    let mut record = run.records()?.pop().unwrap_or_else(|| {
        // Nothing is listed of a directory at this depth.
        let error = FileError::from(io::Error::from_raw_os_error(EISDIR));
        Record::new(Vec::new(), Outcome::Unreadable { offset: 0, error })
    });
    record.path = path.to_vec();
    if record.outcome == Outcome::Complete { Ok(record) } else { Err(Error::NotComplete(Box::new(record))) }
}

/// Hashes bytes in memory, and returns the record that a file of these bytes would have, without a path: most formats
/// write it only after [`Record::path`] is set. Digests of algorithms are in [`Record::digests`], those of similarity
/// families in [`Record::similarities`], each once, also if it is named again.
///
/// ```
/// let record = pfh::hash_bytes("hello", ["md5", "ssdeep"])?;
/// assert_eq!(record.digests[0].to_string(), "5d41402abc4b2a76b9719d911017c592");
/// assert!(record.similarities[0].digest.is_ok());
/// # Ok::<(), pfh::Error>(())
/// ```
///
/// # Errors
/// As [`HashRun::new`], and [`StartError::Key`] for an algorithm that needs a key.
pub fn hash_bytes<'a>(bytes: impl AsRef<[u8]>, names: impl IntoIterator<Item = &'a str>) -> Result<Record, Error> {
    let bytes = bytes.as_ref();
    let mut hashers = Hashers::new(names, Some(bytes.len() as u64))?;
    hashers.update(bytes);
    Ok(hashers.finish())
}

/// Hashes all that a reader returns, such as standard input or an object of a store, in pieces of 256 KiB, and returns
/// a record as [`hash_bytes`] does. Only digests of sdhash and mrsh-v2 take memory in proportion to what is read.
///
/// ```
/// let record = pfh::hash_reader(&b"hello"[..], ["md5"])?;
/// assert_eq!((record.digests[0].to_string().as_str(), record.bytes_read), ("5d41402abc4b2a76b9719d911017c592", 5));
/// # Ok::<(), pfh::Error>(())
/// ```
///
/// # Errors
/// [`Error::NotComplete`], with a record without a path, if the reader returns an error other than
/// [`io::ErrorKind::Interrupted`]; otherwise as [`hash_bytes`].
pub fn hash_reader<'a>(mut reader: impl Read, names: impl IntoIterator<Item = &'a str>) -> Result<Record, Error> {
    let mut hashers = Hashers::new(names, None)?;
    let mut buffer = vec![0; BUFFER_BYTES];
    loop {
        match reader.read(&mut buffer) {
            Ok(0) => return Ok(hashers.finish()),
            Ok(length) => hashers.update(&buffer[..length]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => {
                let offset = hashers.bytes;
                let record = Record::new(Vec::new(), Outcome::Unreadable { offset, error: error.into() });
                return Err(Error::NotComplete(Box::new(record)));
            }
        }
    }
}

/// The digests under way of one stream of bytes.
struct Hashers {
    algorithms: Vec<pfh_digest::Hasher>,
    families: Vec<(Family, Hasher)>,
    bytes: u64,
}

impl Hashers {
    fn new<'a>(names: impl IntoIterator<Item = &'a str>, input_bytes: Option<u64>) -> Result<Hashers, Error> {
        let kinds = names.into_iter().map(str::parse::<DigestKind>);
        let selection = kinds.collect::<Result<Selection, _>>()?;
        let algorithms = selection.algorithms().iter().map(|algorithm| algorithm.hasher_with(&Keys::default()));
        let mut options = SimilarityOptions::default();
        options.sdhash.input_bytes = input_bytes;
        let families = selection.families().iter().map(|&family| (family, Hasher::with_options(family, &options)));
        Ok(Hashers {
            algorithms: algorithms.collect::<Result<_, _>>().map_err(StartError::Key)?,
            families: families.collect(),
            bytes: 0,
        })
    }

    fn update(&mut self, bytes: &[u8]) {
        self.bytes += bytes.len() as u64;
        self.algorithms.iter_mut().for_each(|hasher| hasher.update(bytes));
        self.families.iter_mut().for_each(|(_, hasher)| hasher.update(bytes));
    }

    fn finish(self) -> Record {
        let mut record = Record::new(Vec::new(), Outcome::Complete);
        record.bytes_read = self.bytes;
        record.digests = self.algorithms.into_iter().map(|mut hasher| hasher.finish()).collect();
        let similarities = self.families.into_iter();
        record.similarities =
            similarities.map(|(family, hasher)| Similarity { family, digest: hasher.finish() }).collect();
        record
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn a_file_and_its_bytes_have_the_same_digests() {
        let scratch = tempfile::tempdir().unwrap();
        let path = scratch.path().join("file");
        let bytes: Vec<u8> = (0..70_000u32).flat_map(|number| number.wrapping_mul(number).to_le_bytes()).collect();
        let names = ["sha256", "ssdeep", "blake3", "tlsh", "sdhash", "mrsh-v2"];
        for length in [0, 1, 5000, bytes.len()] {
            fs::write(&path, &bytes[..length]).unwrap();
            let (mut file, memory) = (hash_file(&path, names).unwrap(), hash_bytes(&bytes[..length], names).unwrap());
            assert_eq!(file.path, path.as_os_str().as_bytes());
            (file.path, file.metadata) = (Vec::new(), None);
            assert_eq!(memory, file);
            assert_eq!(hash_reader(unwilling(&bytes[..length], None), names).unwrap(), file);
        }
    }

    /// Returns few bytes at a time, every other time none because of a signal, and at the end an error if there is one.
    struct Unwilling<'a> {
        bytes: &'a [u8],
        was_interrupted: bool,
        error: Option<io::Error>,
    }

    impl Read for Unwilling<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            self.was_interrupted = !self.was_interrupted;
            if self.was_interrupted {
                return Err(io::ErrorKind::Interrupted.into());
            }
            let length = buffer.len().min(4999);
            match (self.bytes.read(&mut buffer[..length])?, self.error.take()) {
                (0, Some(error)) => Err(error),
                (length, error) => {
                    self.error = error;
                    Ok(length)
                }
            }
        }
    }

    fn unwilling(bytes: &[u8], error: Option<io::Error>) -> Unwilling<'_> {
        Unwilling { bytes, was_interrupted: false, error }
    }

    #[test]
    fn a_stream_that_fails_tells_where() {
        let error = hash_reader(unwilling(&[7; 10_000], Some(io::Error::other("no more"))), ["md5"]).unwrap_err();
        assert_eq!(error.to_string(), "unreadable from byte 10000 on: no more");
        let Error::NotComplete(record) = error else { panic!("{error}") };
        assert!(record.path.is_empty() && record.digests.is_empty());
    }

    /// Only a command line means standard input by it.
    #[test]
    fn a_path_of_a_hyphen_is_that_of_a_file() {
        let records = HashRun::new(["md5"]).unwrap().path("-").records().unwrap();
        assert_eq!((records.len(), &records[0].path[..]), (1, &b"-"[..]));
        let Outcome::Unreadable { error, .. } = &records[0].outcome else { panic!("{:?}", records[0].outcome) };
        assert_eq!(error.errno, Some(2));
    }

    #[test]
    fn a_run_without_paths_or_digests_has_none() {
        assert!(HashRun::new(["md5"]).unwrap().records().unwrap().is_empty());
        let scratch = tempfile::tempdir().unwrap();
        fs::write(scratch.path().join("file"), "hello").unwrap();
        let records = HashRun::new([]).unwrap().path(scratch.path()).records().unwrap();
        assert_eq!((records.len(), &records[0].outcome, records[0].bytes_read), (1, &Outcome::Complete, 5));
        assert!(records[0].digests.is_empty());
    }

    #[test]
    fn a_file_without_digests_is_an_error_that_says_why() {
        let scratch = tempfile::tempdir().unwrap();
        let failed = |path: &Path| match hash_file(path, ["md5"]) {
            Err(error @ Error::NotComplete(_)) => {
                assert!(error.to_string().starts_with(&format!("`{}`: ", path.display())), "{error}");
                assert!(std::error::Error::source(&error).is_none(), "its text would be told twice");
                let Error::NotComplete(record) = error else { unreachable!() };
                match record.outcome {
                    Outcome::Unreadable { offset: 0, error } => error.errno,
                    outcome => panic!("{outcome:?}"),
                }
            }
            other => panic!("{other:?}"),
        };
        assert_eq!(failed(&scratch.path().join("missing")), Some(2));
        fs::write(scratch.path().join("beside"), "x").unwrap();
        assert_eq!(failed(scratch.path()), Some(21));
        assert!(matches!(hash_file(scratch.path(), ["md6"]), Err(Error::UnknownDigest(_))));
        assert!(matches!(
            hash_file(scratch.path().join("beside"), ["hmac-sha256"]),
            Err(Error::Start(StartError::Key(_)))
        ));
        assert!(matches!(hash_bytes("x", ["hmac-sha256"]), Err(Error::Start(StartError::Key(_)))));
    }
}
