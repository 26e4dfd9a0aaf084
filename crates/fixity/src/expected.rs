//! The files that a list expects, in the order of a walk.

use crate::file::{Codec, File, damaged};
use crate::path::{PathError, below_root, push_key, push_path, split_key};
use pfh_digest::Algorithm;
use pfh_list::{ByteSort, Spool, SpoolReader};
use std::io;

/// Collects the files that lists expect, in any order and number: what does not fit the memory is in temporary files.
pub struct Expectations {
    /// The files so far if they came in the order of a walk, as in most lists; such files are not sorted again.
    merged: Option<Merged>,
    sort: ByteSort,
    codec: Codec,
    record: Vec<u8>,
    /// Whether the latest line of each path counts alone.
    latest_only: bool,
}

impl Expectations {
    /// Begins with no files. Takes at most `memory_bytes` of memory, or 256 KiB.
    pub fn new(memory_bytes: u64) -> Expectations {
        Expectations {
            merged: Some(Merged::default()),
            latest_only: false,
            sort: ByteSort::new(memory_bytes),
            codec: Codec::default(),
            record: Vec::new(),
        }
    }

    /// Lets the latest line of each path count alone, as in a list that several runs continued.
    #[must_use]
    pub fn latest_only(mut self) -> Expectations {
        self.latest_only = true;
        self
    }

    /// Adds a file. Files of the same path are one, of which all digests are expected, or the latest line counts.
    ///
    /// # Errors
    /// The outer one if a temporary file cannot be written; the inner one if the path names no file below the root.
    pub fn push(&mut self, file: &File) -> io::Result<Result<(), PathError>> {
        self.push_one(file, false)
    }

    fn push_one(&mut self, file: &File, contradicts: bool) -> io::Result<Result<(), PathError>> {
        self.record.clear();
        match below_root(&file.path) {
            Ok(path) => push_key(&path, &mut self.record),
            Err(error) => return Ok(Err(error)),
        }
        let key_bytes = self.record.len();
        self.codec.write(file, &mut self.record);
        self.record.push(u8::from(contradicts));
        if let Some(merged) = &mut self.merged {
            if self.record[..key_bytes] >= *merged.latest_key() {
                return merged.add(&self.record, key_bytes, &mut self.codec, self.latest_only).map(Ok);
            }
            let merged = self.merged.take().unwrap_or_default();
            let mut reader = merged.end()?.0.reader()?;
            while reader.advance()? {
                self.sort.push(reader.record())?;
            }
        }
        self.sort.push(&self.record).map(Ok)
    }

    /// Moves the files so far below a directory, into `other`, which has none yet.
    ///
    /// # Errors
    /// If a temporary file cannot be written or read.
    pub(crate) fn below(self, directory: &[u8], mut other: Expectations) -> io::Result<Expectations> {
        let mut files = self.sorted()?;
        while let Some(mut one) = files.next_file()? {
            one.file.path = [directory, b"/", &one.file.path].concat();
            // A path that is too long now is so for the system, too.
            let _ = other.push_one(&one.file, one.contradicts)?;
        }
        Ok(other)
    }

    /// Returns the algorithms of all digests.
    pub fn algorithms(&self) -> &[Algorithm] {
        self.codec.algorithms()
    }

    /// Whether there is no file yet.
    pub fn is_empty(&self) -> bool {
        self.merged.as_ref().is_some_and(|merged| merged.latest.is_empty())
    }

    /// Sorts the files.
    ///
    /// # Errors
    /// If a temporary file cannot be written or read.
    pub fn sorted(self) -> io::Result<Expected> {
        let Expectations { merged, latest_only, sort, mut codec, .. } = self;
        let merged = match merged {
            Some(merged) => merged,
            None => {
                let mut merged = Merged::default();
                sort.into_each(|record| {
                    let (key, _) = split_key(record).ok_or_else(damaged)?;
                    merged.add(record, key.len(), &mut codec, latest_only)
                })?;
                merged
            }
        };
        let (spool, common) = merged.end()?;
        Ok(Expected { files: spool.len(), reader: spool.reader()?, key_bytes: 0, codec, common })
    }
}

/// Files in the order of a walk, of which those with the same path are made one.
#[derive(Default)]
struct Merged {
    spool: Spool,
    /// The record of the latest file, to which the next one may belong; empty before the first.
    latest: Vec<u8>,
    key_bytes: usize,
    /// The longest directory below which all files are, as the beginning of a key: with a NUL at its end.
    common: Option<Vec<u8>>,
}

impl Merged {
    fn latest_key(&self) -> &[u8] {
        &self.latest[..self.key_bytes]
    }

    /// Adds the record of a file, which begins with a key of `key_bytes`. `latest_only`: of those with one path, which
    /// come in the order of their lines, the latest counts alone.
    fn add(&mut self, record: &[u8], key_bytes: usize, codec: &mut Codec, latest_only: bool) -> io::Result<()> {
        if record[..key_bytes] == *self.latest_key() {
            if latest_only {
                self.latest.clear();
                self.latest.extend_from_slice(record);
                return Ok(());
            }
            let mut latest = OneExpected::read(codec, &self.latest)?;
            latest.add(OneExpected::read(codec, record)?);
            self.latest.clear();
            latest.write(codec, &mut self.latest);
            return Ok(());
        }
        self.write()?;
        self.latest.clear();
        self.latest.extend_from_slice(record);
        self.key_bytes = key_bytes;
        Ok(())
    }

    /// Writes the latest file.
    fn write(&mut self) -> io::Result<()> {
        let Some(path) = self.latest[..self.key_bytes].strip_suffix(&[0, 0]) else { return Ok(()) };
        let after_last = |part: &[u8]| part.iter().rposition(|byte| *byte == 0).map_or(0, |nul| nul + 1);
        match &mut self.common {
            None => self.common = Some(path[..after_last(path)].to_vec()),
            Some(common) if path.starts_with(common) => {}
            Some(common) => {
                let equal = common.iter().zip(path).take_while(|(one, other)| one == other).count();
                common.truncate(after_last(&common[..equal]));
            }
        }
        self.spool.push(&self.latest)
    }

    /// Returns the files and their longest common directory.
    fn end(mut self) -> io::Result<(Spool, Vec<u8>)> {
        self.write()?;
        let mut common = Vec::new();
        push_path(&self.common.unwrap_or_default(), &mut common);
        Ok((self.spool, common))
    }
}

/// A file that a list expects.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OneExpected {
    /// The file. Its path is that of [`below_root`].
    pub file: File,
    /// Whether the list states two sizes of it, or two digests by one algorithm.
    pub contradicts: bool,
}

impl OneExpected {
    /// Adds what another line states of the same file.
    fn add(&mut self, other: OneExpected) {
        self.contradicts |= other.contradicts;
        let other = other.file;
        match (self.file.size, other.size) {
            (Some(one), Some(other)) => self.contradicts |= one != other,
            (None, size) => self.file.size = size,
            (Some(_), None) => {}
        }
        for digest in other.digests {
            match self.file.digest(digest.algorithm()) {
                Some(own) => self.contradicts |= *own != digest,
                None => self.file.digests.push(digest),
            }
        }
    }
}

impl OneExpected {
    fn write(&self, codec: &mut Codec, record: &mut Vec<u8>) {
        push_key(&self.file.path, record);
        codec.write(&self.file, record);
        record.push(u8::from(self.contradicts));
    }

    fn read(codec: &Codec, record: &[u8]) -> io::Result<OneExpected> {
        let mut one = OneExpected::default();
        let (key, rest) = split_key(record).ok_or_else(damaged)?;
        one.read_again(codec, key, rest)?;
        Ok(one)
    }

    /// Reads another file into this one, whose memory is used again.
    fn read_again(&mut self, codec: &Codec, key: &[u8], rest: &[u8]) -> io::Result<()> {
        self.contradicts = codec.read_after(key, &mut self.file, rest)? == [1];
        Ok(())
    }
}

/// The files that lists expect, one for each path, in the order of a walk.
pub struct Expected {
    reader: SpoolReader,
    /// Length of the key in the record of the reader.
    key_bytes: usize,
    codec: Codec,
    files: u64,
    common: Vec<u8>,
}

impl Expected {
    /// Returns the number of files.
    pub fn len(&self) -> u64 {
        self.files
    }

    /// Whether no file is expected.
    pub fn is_empty(&self) -> bool {
        self.files == 0
    }

    /// Returns the longest directory, with a `/` at its end, below which all files are; empty if that is the root.
    pub fn common_directory(&self) -> &[u8] {
        &self.common
    }

    /// Returns the algorithms of all digests.
    pub fn algorithms(&self) -> &[Algorithm] {
        self.codec.algorithms()
    }

    pub(crate) fn codec(&self) -> &Codec {
        &self.codec
    }

    /// Returns the next file.
    ///
    /// # Errors
    /// If a temporary file cannot be read.
    pub fn next_file(&mut self) -> io::Result<Option<OneExpected>> {
        let mut one = OneExpected::default();
        if self.advance()? { self.read(&mut one).map(|()| Some(one)) } else { Ok(None) }
    }

    /// Goes to the next file. Returns whether there is one.
    pub(crate) fn advance(&mut self) -> io::Result<bool> {
        let is_there = self.reader.advance()?;
        if is_there {
            self.key_bytes = split_key(self.reader.record()).ok_or_else(damaged)?.0.len();
        }
        Ok(is_there)
    }

    /// Returns the key of the file that [`Expected::advance`] went to.
    pub(crate) fn key(&self) -> &[u8] {
        &self.reader.record()[..self.key_bytes]
    }

    /// Reads the file that [`Expected::advance`] went to into `one`, whose memory is used again.
    pub(crate) fn read(&self, one: &mut OneExpected) -> io::Result<()> {
        let (key, rest) = self.reader.record().split_at(self.key_bytes);
        one.read_again(&self.codec, key, rest)
    }

    /// Writes the files once more, for a second reader. This one begins again with the first file.
    ///
    /// # Errors
    /// If a temporary file cannot be written or read.
    pub fn copy(&mut self) -> io::Result<Expected> {
        self.rewind()?;
        let mut spool = Spool::default();
        while self.reader.advance()? {
            spool.push(self.reader.record())?;
        }
        self.rewind()?;
        let Expected { codec, files, common, .. } = self;
        let (reader, key_bytes) = (spool.reader()?, 0);
        Ok(Expected { reader, key_bytes, codec: codec.clone(), files: *files, common: common.clone() })
    }

    /// Begins again with the first file.
    ///
    /// # Errors
    /// If a temporary file cannot be read.
    pub fn rewind(&mut self) -> io::Result<()> {
        self.reader.rewind()
    }
}
