//! Similarity digests with their names, in memory, and indexes of them in files.

use std::ffi::OsStr;
use std::fmt;
use std::fs::File;
use std::io::{self, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use pfh_record::ReadError;
use pfh_record::quote::quoted;
use pfh_similarity::all_pairs::Digests;
use pfh_similarity::{Digest, Family, IndexError, IndexFile, IndexMatch, write_index};

use crate::contents::{Contents, NothingUseful, WithoutDigest};
use crate::list::List;
use crate::lookup::{Name, TooManyDigests};

/// Digests of one family with their names, in memory, numbered in the order in which they were added.
#[derive(Debug)]
pub struct NamedDigests {
    digests: Digests,
    names: Vec<u8>,
    /// The end of each name, and its list.
    ends: Vec<(usize, Option<u32>)>,
    lists: Vec<Vec<u8>>,
    without: WithoutDigest,
    bytes: u64,
    bytes_max: u64,
}

/// The reason why a digest cannot be added to others. `Display` is a message for the user.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NotAdded {
    /// The digest is of another family than the others.
    OtherFamily {
        /// The family of the others.
        own: Family,
        /// The family of the digest.
        other: Family,
    },
    /// The digests exceed their share of memory.
    TooMany(TooManyDigests),
}

impl fmt::Display for NotAdded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NotAdded::OtherFamily { own, other } => write!(f, "digests of {own} and of {other} cannot be compared"),
            NotAdded::TooMany(too_many) => too_many.fmt(f),
        }
    }
}

impl std::error::Error for NotAdded {}

impl NamedDigests {
    /// Makes an empty collection of at most about `bytes_max` bytes of memory.
    pub fn new(family: Family, bytes_max: u64) -> NamedDigests {
        NamedDigests {
            digests: Digests::new(family),
            names: Vec::new(),
            ends: Vec::new(),
            lists: Vec::new(),
            without: WithoutDigest::default(),
            bytes: 0,
            bytes_max,
        }
    }

    /// Returns the numbers of files in the lists without a digest of the family.
    pub fn without_digest(&self) -> WithoutDigest {
        self.without
    }

    /// Returns the family of the digests.
    pub fn family(&self) -> Family {
        self.digests.family()
    }

    /// Returns the digests, without their names.
    pub fn digests(&self) -> &Digests {
        &self.digests
    }

    /// Returns the number of digests.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are no digests.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Returns the name of a digest, and its list.
    ///
    /// # Panics
    /// If there is no digest of this number.
    pub fn name(&self, number: u32) -> Name<'_> {
        let number = number as usize;
        let start = number.checked_sub(1).map_or(0, |before| self.ends[before].0);
        let (end, list) = self.ends[number];
        Name { list: list.map(|list| &*self.lists[list as usize]), name: &self.names[start..end] }
    }

    /// Adds a digest of the family that is not from a list.
    ///
    /// # Errors
    /// [`NotAdded`] if the digest is of another family, or exceeds the memory.
    pub fn push(&mut self, name: &[u8], digest: Digest) -> Result<(), NotAdded> {
        self.push_of(None, name, digest)
    }

    fn push_of(&mut self, list: Option<u32>, name: &[u8], digest: Digest) -> Result<(), NotAdded> {
        // The scores of sdhash depend on names.
        if let Err(digest) = self.digests.push(digest.with_name(name)) {
            return Err(NotAdded::OtherFamily { own: self.family(), other: digest.family() });
        }
        self.names.extend_from_slice(name);
        self.ends.push((self.names.len(), list));
        self.bytes += self.digests.last_bytes() + 2 * name.len() as u64 + size_of::<(usize, Option<u32>)>() as u64;
        if self.bytes > self.bytes_max || self.ends.len() > u32::MAX as usize - 1 {
            return Err(NotAdded::TooMany(TooManyDigests { count: self.ends.len() }));
        }
        Ok(())
    }

    /// Adds the digests of whole files of the family in a list. `broken` is called with each line that cannot be read.
    /// Returns the description of a list without such digests.
    ///
    /// # Errors
    /// [`NotAdded`] if the digests exceed the memory.
    pub fn load(
        &mut self,
        list: &mut List,
        broken: &mut dyn FnMut(ReadError),
    ) -> Result<Option<NothingUseful>, NotAdded> {
        self.lists.push(list.name().to_vec());
        let place = self.lists.len() as u32 - 1;
        let mut contents = Contents::default();
        let (family, before, without) = (self.family(), self.len(), self.without);
        for entry in list {
            let entry = match entry {
                Ok(entry) => entry,
                Err(error) => {
                    broken(error);
                    continue;
                }
            };
            contents.add(&entry);
            if entry.piece.is_some() || !entry.is_file() {
                continue;
            }
            let own = entry.similarities.into_iter().find(|one| one.family == family);
            match own.map(|own| own.digest) {
                // Without a name, the digest stands for it.
                Some(Ok(digest)) if entry.path.is_empty() => {
                    self.push_of(Some(place), digest.to_string().as_bytes(), digest)?;
                }
                Some(Ok(digest)) => self.push_of(Some(place), &entry.path, digest)?,
                Some(Err(no_digest)) => self.without.add(no_digest.reason),
                None => self.without.others += 1,
            }
        }
        let is_useless = self.len() == before;
        Ok(is_useless.then(|| NothingUseful {
            without: self.without.since(without),
            ..contents.instead_of(&self.lists[place as usize], family.name())
        }))
    }

    /// Writes an index of the digests, which [`DigestIndex`] opens.
    ///
    /// # Errors
    /// The errors of [`write_index`].
    pub fn write_index(&self, output: &mut impl Write) -> io::Result<()> {
        let names = (0..self.len() as u32).map(|number| self.name(number).name);
        write_index(&self.digests, names, output)
    }
}

/// An opened index of similarity digests in a file.
pub struct DigestIndex {
    path: Vec<u8>,
    file: IndexFile<File>,
}

/// The reason why an index cannot be opened or read. `Display` names the index too.
#[derive(Debug)]
#[non_exhaustive]
pub struct DigestIndexError {
    /// The path in raw bytes.
    pub path: Vec<u8>,
    /// The reason.
    pub error: IndexError,
}

impl fmt::Display for DigestIndexError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.error {
            IndexError::Io(error) => write!(f, "{}: {error}", quoted(&self.path)),
            error => write!(f, "{}: {error}", quoted(&self.path)),
        }
    }
}

/// Its text includes that of the reason, which is therefore no source.
impl std::error::Error for DigestIndexError {}

impl DigestIndex {
    /// Opens an index of digests of `family`; without one, of the family in its header.
    ///
    /// # Errors
    /// [`DigestIndexError`] if the file cannot be read, or is no such index.
    pub fn open(path: impl AsRef<Path>, family: Option<Family>) -> Result<DigestIndex, DigestIndexError> {
        let path = path.as_ref().as_os_str().as_bytes().to_vec();
        let opened = File::open(OsStr::from_bytes(&path)).map_err(IndexError::Io);
        match opened.and_then(|file| IndexFile::open(file, family)) {
            Ok(file) => Ok(DigestIndex { path, file }),
            Err(error) => Err(DigestIndexError { path, error }),
        }
    }

    /// Returns the family of the digests.
    pub fn family(&self) -> Family {
        self.file.family()
    }

    /// Returns the digests that are similar to `digest`; see [`IndexFile::matches`].
    ///
    /// # Errors
    /// [`DigestIndexError`] if the index cannot be read, or is damaged.
    pub fn matches(&mut self, digest: &Digest, threshold: u32) -> Result<Vec<IndexMatch>, DigestIndexError> {
        let found = self.file.matches(digest, threshold);
        found.map_err(|error| DigestIndexError { path: self.path.clone(), error })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Input, ReadOptions};

    const ONE: &str = "T1A6A0022A30002A0A0C0E0A0AE00002A00080E00000C0E3008A0A28A8A000CB00200A80";

    fn tlsh(text: &str) -> Digest {
        Digest::from_bytes(Family::Tlsh, text.as_bytes()).unwrap()
    }

    #[test]
    fn digests_of_lists_have_the_names_of_their_lists() {
        let mut named = NamedDigests::new(Family::Tlsh, u64::MAX);
        named.push(b"own", tlsh(ONE)).unwrap();
        let mut broken = 0;
        let list = |name: &str, text: String| List::open(Input::bytes(name, text), ReadOptions::default()).unwrap();
        let text = format!("{ONE}\ta\n{ONE}\tb\nbroken\n");
        assert_eq!(named.load(&mut list("one", text), &mut |_| broken += 1), Ok(None));
        let mut two = list("two", "d41d8cd98f00b204e9800998ecf8427e  x\n".to_owned());
        let useless = named.load(&mut two, &mut |_| broken += 1);
        let useless = useless.unwrap().unwrap().to_string();
        assert_eq!((useless.as_str(), broken), ("`two` has no digests of tlsh; it has md5", 1));
        let names: Vec<Name<'_>> = (0..3).map(|number| named.name(number)).collect();
        let expected = [(None, &b"own"[..]), (Some(&b"one"[..]), b"a"), (Some(b"one"), b"b")];
        assert_eq!(names, expected.map(|(list, name)| Name { list, name }));
    }

    /// As others publish them: the digest stands for the name.
    #[test]
    fn digests_alone_are_lists() {
        let own = ["192:abcdefghijklmnop:ABCDEFGH", "3:a6/G:asG"];
        for (family, text, names) in [
            (Family::Tlsh, format!("# of a feed\n{ONE}\n\n{}\r\nTNULL\n", &ONE[2..]), vec![ONE, ONE]),
            (Family::Tlsh, format!("{}\n{ONE}\tb\n", &ONE[2..]), vec![ONE, "b"]),
            (Family::Ssdeep, format!("# of a feed\n{}\r\n{}\n", own[0], own[1]), own.to_vec()),
            (Family::Ssdeep, format!("{},\"a\"\n{}\n", own[0], own[1]), vec!["a", own[1]]),
        ] {
            let mut list = List::open(Input::bytes("feed", text.clone()), ReadOptions::default()).unwrap();
            let mut named = NamedDigests::new(family, u64::MAX);
            assert_eq!(named.load(&mut list, &mut |error| panic!("{error}")), Ok(None), "{text}");
            let found = (0..named.len() as u32).map(|number| String::from_utf8(named.name(number).name.to_vec()));
            assert_eq!(found.collect::<Result<Vec<_>, _>>().unwrap(), names, "{text}");
        }
        for text in ["12:30:45 begun\n", "hello:world:x\n"] {
            assert!(List::open(Input::bytes("log", text), ReadOptions::default()).is_err(), "{text}");
        }
    }

    #[test]
    fn files_without_a_digest_are_counted() {
        let file = |path: &str, more: &str| format!("{{\"type\":\"file\",\"path\":\"{path}\",{more}}}\n");
        let unfit = |reason: &str| {
            format!("\"outcome\":\"complete\",\"unfit\":{{\"tlsh\":{{\"reason\":\"{reason}\",\"minimum_bytes\":50}}}}")
        };
        let text = [
            file("one", &format!("\"outcome\":\"complete\",\"digests\":{{\"tlsh\":\"{ONE}\"}}")),
            file("short", &unfit("too-short")),
            file("uniform", &unfit("too-uniform")),
            file("long", &unfit("too-long")),
            file("gone", "\"outcome\":\"unreadable\",\"error\":{\"kind\":\"not-found\"}"),
            file("other", "\"outcome\":\"complete\",\"digests\":{\"md5\":\"d41d8cd98f00b204e9800998ecf8427e\"}"),
            file("directory", "\"outcome\":\"skipped\",\"reason\":\"not-regular\""),
        ];
        let mut named = NamedDigests::new(Family::Tlsh, u64::MAX);
        let list = List::open_as(crate::FormatName::Jsonl, Input::bytes("list", text.concat()), ReadOptions::default());
        assert_eq!(named.load(&mut list.unwrap(), &mut |error| panic!("{error}")), Ok(None));
        assert_eq!(
            (named.len(), named.without_digest()),
            (1, WithoutDigest { too_short: 1, too_uniform: 1, too_long: 1, others: 2 })
        );
    }

    #[test]
    fn other_families_and_too_many_are_refused() {
        let mut named = NamedDigests::new(Family::Ssdeep, u64::MAX);
        let refused = named.push(b"x", tlsh(ONE)).unwrap_err();
        assert_eq!(refused.to_string(), "digests of ssdeep and of tlsh cannot be compared");
        let mut named = NamedDigests::new(Family::Tlsh, 1000);
        let refused = (0..1000).find_map(|_| named.push(b"name", tlsh(ONE)).err());
        assert!(matches!(refused, Some(NotAdded::TooMany(TooManyDigests { count: 2.. }))), "{refused:?}");
    }

    #[test]
    fn an_index_finds_its_digests_and_says_what_is_amiss() {
        let mut named = NamedDigests::new(Family::Tlsh, u64::MAX);
        named.push(b"one", tlsh(ONE)).unwrap();
        let mut file = tempfile::NamedTempFile::new().unwrap();
        named.write_index(&mut file).unwrap();
        let mut index = DigestIndex::open(file.path(), None).unwrap();
        assert_eq!(index.family(), Family::Tlsh);
        let found = index.matches(&tlsh(ONE), 0).unwrap();
        assert_eq!((found.len(), &found[0].name[..], found[0].score), (1, &b"one"[..], 0));
        let refused = |path: &Path, family| DigestIndex::open(path, family).map(|_| ()).unwrap_err().to_string();
        let name = quoted(file.path().as_os_str().as_bytes());
        assert_eq!(refused(file.path(), Some(Family::Ssdeep)), format!("{name}: this is no index of ssdeep digests"));
        let absent = refused(Path::new("/nonexistent/index"), None);
        assert_eq!(absent, "`/nonexistent/index`: No such file or directory (os error 2)");
    }
}
