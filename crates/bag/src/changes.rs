//! New manifests of a payload, and how it differs from the old ones.

use std::io::{self, Read};

use pfh_digest::{Algorithm, Digest};
use pfh_list::ByteSort;

use crate::declaration::{Declaration, Encoding};
use crate::fetch::{FetchLine, read_fetch};
use crate::finding::{Finding, Report};
use crate::judge::SPELLINGS_BYTES_MAX;
use crate::manifest::{ManifestEntry, ManifestName, read_manifest};
use crate::path::{PATH_BYTES_MAX, canonical};
use crate::sorted::{Fields, Put};

// The kinds of records.
const FILE: u8 = 0;
const OLD: u8 = 1;
const FETCH: u8 = 2;
/// The old lines of the path are those of another spelling.
const SPELT: u8 = 3;

/// Most old manifests that are compared with.
const MANIFESTS_MAX: usize = 128;

/// Most lines of a path in another spelling that are compared with.
const SPELT_LINES_MAX: usize = 2 * MANIFESTS_MAX;

/// Number of sorts that hold records at the same time.
const SORTS: u64 = 3;

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
    /// The old manifests list it as it is, by another spelling of its path.
    SpeltOtherwise,
    /// It is not there, and fetch.txt lists it, so it keeps the old digests. The number is its length in bytes, if
    /// fetch.txt states that.
    NotFetched(Option<u64>),
    /// It is not there, and fetch.txt lists it, and no old manifest: nobody knows its digest.
    NotListed,
}

/// Takes a path, how it differs, and its digests.
pub type EachFile<'a> = &'a mut dyn FnMut(&[u8], Change, &[Digest]) -> io::Result<()>;

/// Collects the files of a payload with their digests, and the lines of the old manifests.
pub struct Changes {
    /// Those by which files are hashed.
    algorithms: Vec<Algorithm>,
    old: Vec<ManifestName>,
    /// The encoding of the old manifests.
    encoding: Encoding,
    sort: ByteSort,
    memory_bytes: u64,
    record: Vec<u8>,
}

impl Changes {
    /// Makes a collection of files that are hashed by these algorithms, which takes about `memory_bytes` of memory.
    /// Files can be compared with an old manifest only by its own algorithm.
    pub fn new(algorithms: Vec<Algorithm>, memory_bytes: u64) -> Changes {
        let memory_bytes = memory_bytes / SORTS;
        let (old, sort) = (Vec::new(), ByteSort::new(memory_bytes));
        Changes { algorithms, old, encoding: Encoding::Utf8, sort, memory_bytes, record: Vec::new() }
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
        self.encoding = declared.encoding;
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

    /// Calls `each` with every path in order, how it differs, and its digests: none of a file that is removed or not
    /// listed. Of a file that is not fetched, digests by new algorithms are lacking. Where a listed path does not
    /// exist, and exactly one file that is not listed has the same name in another spelling, they are one, as in
    /// [`Judge`](crate::Judge).
    ///
    /// # Errors
    /// The errors of temporary files and of `each`.
    pub fn each(self, each: EachFile<'_>) -> io::Result<()> {
        let Changes { algorithms, old, encoding, sort, memory_bytes, .. } = self;
        // Files of a new bag have no old spellings.
        let sort = if old.is_empty() { sort } else { Spellings::new(encoding, memory_bytes).join(sort)? };
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

/// Gives old lines of which there is no file the path of the file that they mean.
struct Spellings {
    encoding: Encoding,
    /// The records by the paths that they have in the end.
    joined: ByteSort,
    /// Those of files that no line lists, and of lines without a file, by the form in which spellings are equal.
    others: ByteSort,
}

impl Spellings {
    fn new(encoding: Encoding, memory_bytes: u64) -> Spellings {
        Spellings { encoding, joined: ByteSort::new(memory_bytes), others: ByteSort::new(memory_bytes) }
    }

    fn join(mut self, sort: ByteSort) -> io::Result<ByteSort> {
        let (mut path, mut is_there) = (Vec::new(), false);
        // The record of a file, as long as no line lists it.
        let mut file: Option<Vec<u8>> = None;
        sort.into_each(|record| {
            let mut fields = Fields(record);
            let (this, kind) = (fields.key()?, fields.byte()?);
            if this != &path[..] {
                self.other(file.take())?;
                path.clear();
                path.extend_from_slice(this);
                is_there = kind == FILE;
            }
            match kind {
                FILE => file = Some(record.to_vec()),
                OLD if !is_there => self.other(Some(record.to_vec()))?,
                OLD => {
                    if let Some(file) = file.take() {
                        self.joined.push(&file)?;
                    }
                    self.joined.push(record)?;
                }
                _ => self.joined.push(record)?,
            }
            Ok(())
        })?;
        self.other(file)?;
        let Spellings { mut joined, others, .. } = self;
        let mut name = Name::default();
        others.into_each(|record| {
            let mut fields = Fields(record);
            let form = fields.key()?;
            if form != &name.form[..] {
                std::mem::take(&mut name).end(&mut joined)?;
                name.form.extend_from_slice(form);
            }
            name.take(fields.0, &mut joined)
        })?;
        name.end(&mut joined)?;
        Ok(joined)
    }

    /// Takes the record of a file that no line lists, or that of a line of which there is no file.
    fn other(&mut self, record: Option<Vec<u8>>) -> io::Result<()> {
        let Some(record) = record else { return Ok(()) };
        let mut fields = Fields(&record);
        let (path, kind) = (fields.key()?, fields.byte()?);
        if path.len() > SPELLINGS_BYTES_MAX {
            return self.joined.push(&record);
        }
        let mut spelt = canonical(path, if kind == FILE { Encoding::Utf8 } else { self.encoding });
        spelt.push(0);
        spelt.extend_from_slice(&record);
        self.others.push(&spelt)
    }
}

/// The records of all spellings of a name.
#[derive(Default)]
struct Name {
    /// The form in which all spellings are equal.
    form: Vec<u8>,
    /// The record of the file.
    file: Option<Vec<u8>>,
    /// The records of the lines, which have the same path.
    lines: Vec<Vec<u8>>,
    /// Whether there are several files or listed paths, so that nobody knows which belong together.
    is_ambiguous: bool,
}

impl Name {
    fn take(&mut self, record: &[u8], joined: &mut ByteSort) -> io::Result<()> {
        if self.is_ambiguous {
            return joined.push(record);
        }
        let mut fields = Fields(record);
        let (path, kind) = (fields.key()?, fields.byte()?);
        self.is_ambiguous = match (kind, self.lines.first()) {
            (FILE, _) => self.file.is_some(),
            (_, Some(first)) => Fields(first).key()? != path || self.lines.len() == SPELT_LINES_MAX,
            (_, None) => false,
        };
        if self.is_ambiguous {
            let mut before = self.file.take().into_iter().chain(std::mem::take(&mut self.lines));
            before.try_for_each(|record| joined.push(&record))?;
            return joined.push(record);
        }
        match kind {
            FILE => self.file = Some(record.to_vec()),
            _ => self.lines.push(record.to_vec()),
        }
        Ok(())
    }

    fn end(self, joined: &mut ByteSort) -> io::Result<()> {
        let Name { file, lines, .. } = self;
        let Some(file) = file else { return lines.iter().try_for_each(|line| joined.push(line)) };
        joined.push(&file)?;
        if lines.is_empty() {
            return Ok(());
        }
        let path = Fields(&file).key()?;
        joined.push(&[path, &[0, SPELT]].concat())?;
        lines.iter().try_for_each(|line| {
            let mut fields = Fields(line);
            fields.key()?;
            joined.push(&[path, b"\0", fields.0].concat())
        })
    }
}

/// All records of a path.
#[derive(Default)]
struct Group {
    file: Option<Vec<Digest>>,
    /// The first digest by each algorithm.
    old: Vec<Digest>,
    is_changed: bool,
    /// Whether the old lines have another spelling of the path.
    is_spelt_otherwise: bool,
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
            SPELT => self.is_spelt_otherwise = true,
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
            (Some(digests), _) if self.is_spelt_otherwise => each(path, Change::SpeltOtherwise, &digests),
            (Some(digests), _) => each(path, Change::Unchanged, &digests),
            (None, None) if self.old.is_empty() => Ok(()),
            (None, Some(_)) if self.old.is_empty() => each(path, Change::NotListed, &[]),
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
        let fetch = b"https://a.example/ - data/there\nhttps://a.example/ 7 data/long\nhttps://a.example/ 1 data/x\n";
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
            ("data/x", Change::NotListed, 0),
        ];
        assert_eq!(seen, expected.map(|(path, change, digests)| (path.to_owned(), change, digests)));
    }

    /// Other spellings of a name are those that verification knows.
    #[test]
    fn spellings_of_a_name_meet() {
        let md5 = Algorithm::from_name("md5").unwrap();
        let mut changes = Changes::new(vec![md5], 0);
        let listed =
            ["data/1e\u{301}", "data/2e\u{301}", "data/3%0A", "data/4e\u{301}%25", "data/4\u{e9}%25", "data/5"];
        let text: String = listed.iter().map(|path| format!("{}  {path}\n", md5.digest(b"old"))).collect();
        let none = &mut |finding: Finding| panic!("{finding}");
        changes.old(&ManifestName::of(md5, false), Declaration::default(), text.as_bytes(), none).unwrap();
        // A file that is to be fetched has come under another spelling.
        let fetch = b"https://a.example/ 3 data/2e\xcc\x81\n";
        changes.fetch(Declaration::default(), &fetch[..], none).unwrap();
        for (path, contents) in [
            ("data/1\u{e9}", "new"),
            ("data/2\u{e9}", "old"),
            ("data/3\n", "old"),
            ("data/4\u{e9}%", "old"),
            ("data/5", "old"),
        ] {
            changes.file(path.as_bytes(), &[md5.digest(contents.as_bytes())]).unwrap();
        }
        let mut seen = Vec::new();
        let each = &mut |path: &[u8], change, _: &[Digest]| {
            seen.push((String::from_utf8(path.to_vec()).unwrap(), change));
            Ok(())
        };
        changes.each(each).unwrap();
        let expected = [
            ("data/1\u{e9}", Change::Changed),
            // The new manifests have the spelling of the file, which fetch.txt does not list.
            ("data/2e\u{301}", Change::NotListed),
            ("data/2\u{e9}", Change::SpeltOtherwise),
            ("data/3\n", Change::SpeltOtherwise),
            // Two listed names are spellings of one file.
            ("data/4e\u{301}%25", Change::Removed),
            ("data/4\u{e9}%", Change::Added),
            ("data/4\u{e9}%25", Change::Removed),
            ("data/5", Change::Unchanged),
        ];
        assert_eq!(seen, expected.map(|(path, change)| (path.to_owned(), change)));
    }
}
