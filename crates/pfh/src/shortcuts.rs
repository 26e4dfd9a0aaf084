//! Shortcuts for hashing one file, and bytes in memory.

use crate::{Error, HashRun};
use pfh_digest::Keys;
use pfh_engine::StartError;
use pfh_record::{DigestKind, FileError, Outcome, Record, Selection, Similarity};
use pfh_similarity::{Hasher, SimilarityOptions};
use pfh_source::WalkOptions;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

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
    // A path is not an argument of the command line, so `-` does not mean standard input.
    let root = if path == b"-" { b"./-" } else { path };
    let mut run = HashRun::new(names)?;
    run.walk = WalkOptions { roots: vec![root.to_vec()], max_depth: Some(0), ..WalkOptions::default() };
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
    let kinds = names.into_iter().map(str::parse::<DigestKind>);
    let selection = kinds.collect::<Result<Selection, _>>()?;
    let mut record = Record::new(Vec::new(), Outcome::Complete);
    record.bytes_read = bytes.len() as u64;
    for algorithm in selection.algorithms() {
        let mut hasher = algorithm.hasher_with(&Keys::default()).map_err(StartError::Key)?;
        hasher.update(bytes);
        record.digests.push(hasher.finish());
    }
    let mut options = SimilarityOptions::default();
    options.sdhash.input_bytes = Some(record.bytes_read);
    for &family in selection.families() {
        let mut hasher = Hasher::with_options(family, &options);
        hasher.update(bytes);
        record.similarities.push(Similarity { family, digest: hasher.finish() });
    }
    Ok(record)
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
        }
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
