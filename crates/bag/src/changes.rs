//! New manifests of a payload, and how it differs from the old ones.

use std::io::{self, Read};

use pfh_digest::{Algorithm, Digest};
use pfh_list::ByteSort;

use crate::declaration::Declaration;
use crate::fetch::{FetchLine, read_fetch};
use crate::finding::{Finding, Report};
use crate::manifest::{ManifestEntry, ManifestName, read_manifest};
use crate::path::PATH_BYTES_MAX;
use crate::sorted::{Fields, Put};

// The kinds of records.
const FILE: u8 = 0;
const OLD: u8 = 1;
const FETCH: u8 = 2;

/// Most old manifests that are compared with.
const MANIFESTS_MAX: usize = 128;

/// How a file of the payload differs from the old manifests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// No old manifest lists it.
    Added,
    /// An old manifest lists it, and it is not there.
    Removed,
    /// An old manifest lists it with another digest.
    Changed,
    /// The old manifests list it as it is.
    Unchanged,
    /// It is not there, and fetch.txt lists it, so it keeps the old digests. The number is its length in bytes, if
    /// fetch.txt states that.
    NotFetched(Option<u64>),
}

/// Takes a path, how it differs, and its digests.
pub type EachFile<'a> = &'a mut dyn FnMut(&[u8], Change, &[Digest]) -> io::Result<()>;

/// Collects the files of a payload with their digests, and the lines of the old manifests.
pub struct Changes {
    /// Those by which files are hashed.
    algorithms: Vec<Algorithm>,
    old: Vec<ManifestName>,
    sort: ByteSort,
    record: Vec<u8>,
}

impl Changes {
    /// Makes a collection of files that are hashed by these algorithms, which takes about `memory_bytes` of memory.
    /// Files can be compared with an old manifest only by its own algorithm.
    pub fn new(algorithms: Vec<Algorithm>, memory_bytes: u64) -> Changes {
        Changes { algorithms, old: Vec::new(), sort: ByteSort::new(memory_bytes), record: Vec::new() }
    }

    /// The algorithms by which files are hashed, in the order of their digests.
    pub fn algorithms(&self) -> &[Algorithm] {
        &self.algorithms
    }

    /// Takes an old manifest of the payload. Lines that cannot be read are reported, and not compared with.
    ///
    /// # Errors
    /// The errors of `reader`, of temporary files and of `report`.
    pub fn old(
        &mut self,
        name: &ManifestName,
        declared: Declaration,
        reader: impl Read,
        report: Report<'_>,
    ) -> io::Result<()> {
        if self.old.len() == MANIFESTS_MAX {
            return Ok(());
        }
        let (number, sort, record) = (self.old.len() as u8, &mut self.sort, &mut self.record);
        self.old.push(name.clone());
        let mut each = |entry: ManifestEntry| {
            record.clear();
            record.extend_from_slice(&entry.path);
            record.extend_from_slice(&[0, OLD, number]);
            record.text(entry.digest.bytes());
            sort.push(record)
        };
        read_manifest(name, declared, reader, &mut each, report)
    }

    /// Takes fetch.txt, whose files keep their old digests while they are not there.
    ///
    /// # Errors
    /// The errors of `reader`, of temporary files and of `report`.
    pub fn fetch(&mut self, declared: Declaration, reader: impl Read, report: Report<'_>) -> io::Result<()> {
        let (sort, record) = (&mut self.sort, &mut self.record);
        let mut each = |line: FetchLine| {
            record.clear();
            record.extend_from_slice(&line.path);
            record.extend_from_slice(&[0, FETCH, u8::from(line.bytes.is_some())]);
            record.number(line.bytes.unwrap_or(0));
            sort.push(record)
        };
        read_fetch(declared, reader, &mut each, &mut |finding: Finding| report(finding))
    }

    /// Takes a file, by its path in the bag, with its digests by all algorithms in their order.
    ///
    /// # Errors
    /// If the path is too long for a bag, and the errors of temporary files.
    pub fn file(&mut self, path: &[u8], digests: &[Digest]) -> io::Result<()> {
        if path.len() > PATH_BYTES_MAX {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "a path is longer than 60,000 bytes"));
        }
        let record = &mut self.record;
        record.clear();
        record.extend_from_slice(path);
        record.extend_from_slice(&[0, FILE]);
        for digest in digests {
            record.text(digest.bytes());
        }
        self.sort.push(record)
    }

    /// Calls `each` with every path in order, how it differs, and its digests: none of a removed file. Of a file that
    /// is not fetched, digests by new algorithms are lacking.
    ///
    /// # Errors
    /// The errors of temporary files and of `each`.
    pub fn each(self, each: EachFile<'_>) -> io::Result<()> {
        let Changes { algorithms, old, sort, .. } = self;
        let (mut key, mut group) = (Vec::new(), Group::default());
        sort.into_each(|record| {
            let mut fields = Fields(record);
            let this = fields.key()?;
            if this != &key[..] {
                std::mem::take(&mut group).end(&key, &algorithms, each)?;
                key.clear();
                key.extend_from_slice(this);
            }
            group.take(&mut fields, &algorithms, &old)
        })?;
        group.end(&key, &algorithms, each)
    }
}

/// All records of a path.
#[derive(Default)]
struct Group {
    file: Option<Vec<Digest>>,
    /// The first digest by each algorithm.
    old: Vec<Digest>,
    is_changed: bool,
    /// The length that the first line of fetch.txt states, if there is a line and it does.
    fetch: Option<Option<u64>>,
}

impl Group {
    fn take(&mut self, fields: &mut Fields<'_>, algorithms: &[Algorithm], old: &[ManifestName]) -> io::Result<()> {
        let digest =
            |algorithm: Algorithm, bytes: &[u8]| Digest::new(algorithm, bytes).ok_or(io::ErrorKind::InvalidData);
        match fields.byte()? {
            FILE => {
                let mut digests = Vec::with_capacity(algorithms.len());
                for &algorithm in algorithms {
                    digests.push(digest(algorithm, fields.text()?)?);
                }
                self.file = Some(digests);
            }
            OLD => {
                let name = old.get(usize::from(fields.byte()?));
                let algorithm = name.and_then(|name| name.algorithm).ok_or(io::ErrorKind::InvalidData)?;
                let listed = digest(algorithm, fields.text()?)?;
                let is_same = |one: &&Digest| one.algorithm() == algorithm;
                let found = self.file.iter().flatten().find(is_same);
                self.is_changed |= found.is_some_and(|found| found.bytes() != listed.bytes());
                if !self.old.iter().any(|one| is_same(&one)) {
                    self.old.push(listed);
                }
            }
            _ => {
                let (has_length, bytes) = (fields.byte()? > 0, fields.number()?);
                self.fetch.get_or_insert(has_length.then_some(bytes));
            }
        }
        Ok(())
    }

    fn end(self, path: &[u8], algorithms: &[Algorithm], each: EachFile<'_>) -> io::Result<()> {
        match (self.file, self.fetch) {
            (Some(digests), _) if self.old.is_empty() => each(path, Change::Added, &digests),
            (Some(digests), _) if self.is_changed => each(path, Change::Changed, &digests),
            (Some(digests), _) => each(path, Change::Unchanged, &digests),
            (None, _) if self.old.is_empty() => Ok(()),
            (None, Some(bytes)) => {
                let kept = self.old.into_iter().filter(|digest| algorithms.contains(&digest.algorithm()));
                each(path, Change::NotFetched(bytes), &kept.collect::<Vec<_>>())
            }
            (None, None) => each(path, Change::Removed, &[]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_and_new_digests() {
        let [md5, sha1] = ["md5", "sha1"].map(|name| Algorithm::from_name(name).unwrap());
        let mut changes = Changes::new(vec![md5, sha1], 0);
        let text: String = ["gone", "long", "other", "same", "there"]
            .iter()
            .map(|name| format!("{}  data/{name}\n", md5.digest(if *name == "other" { b"old" } else { b"new" })))
            .collect();
        let declared = Declaration::default();
        let none = &mut |finding: Finding| panic!("{finding}");
        changes.old(&ManifestName::of(md5, false), declared, text.as_bytes(), none).unwrap();
        let fetch = b"https://a.example/ - data/there\nhttps://a.example/ 7 data/long\n";
        changes.fetch(declared, &fetch[..], none).unwrap();
        for path in ["data/same", "data/other", "data/first"] {
            changes.file(path.as_bytes(), &[md5.digest(b"new"), sha1.digest(b"new")]).unwrap();
        }
        let mut seen = Vec::new();
        let each = &mut |path: &[u8], change, digests: &[Digest]| {
            seen.push((String::from_utf8(path.to_vec()).unwrap(), change, digests.len()));
            Ok(())
        };
        changes.each(each).unwrap();
        let expected = [
            ("data/first", Change::Added, 2),
            ("data/gone", Change::Removed, 0),
            ("data/long", Change::NotFetched(Some(7)), 1),
            ("data/other", Change::Changed, 2),
            ("data/same", Change::Unchanged, 2),
            ("data/there", Change::NotFetched(None), 1),
        ];
        assert_eq!(seen, expected.map(|(path, change, digests)| (path.to_owned(), change, digests)));
    }
}
