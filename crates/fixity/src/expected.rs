//! The files that a list expects, in the order of a walk.

use crate::file::{Codec, File, damaged};
use crate::path::{PathError, below_root, push_key, split_key};
use pfh_digest::Algorithm;
use pfh_list::{ByteSort, Spool, SpoolReader};
use std::io;

/// Collects the files that lists expect, in any order and number: what does not fit the memory is in temporary files.
pub struct Expectations {
    /// The files so far if they came in the order of a walk, as in most lists; such files are not sorted again.
    merged: Option<Merged>,
    sort: ByteSort,
    codec: Codec,
    key: Vec<u8>,
    latest_key: Vec<u8>,
}

impl Expectations {
    /// Begins with no files. Takes at most `memory_bytes` of memory, or 256 KiB.
    pub fn new(memory_bytes: u64) -> Expectations {
        Expectations {
            merged: Some(Merged::default()),
            sort: ByteSort::new(memory_bytes),
            codec: Codec::default(),
            key: Vec::new(),
            latest_key: Vec::new(),
        }
    }

    /// Adds a file. Files of the same path are one, of which all digests are expected.
    ///
    /// # Errors
    /// The outer one if a temporary file cannot be written; the inner one if the path names no file below the root.
    pub fn push(&mut self, mut file: File) -> io::Result<Result<(), (File, PathError)>> {
        file.path = match below_root(&file.path) {
            Ok(path) => path,
            Err(error) => return Ok(Err((file, error))),
        };
        self.key.clear();
        push_key(&file.path, &mut self.key);
        let one = OneExpected { file, contradicts: false };
        if let Some(merged) = &mut self.merged {
            if self.key >= self.latest_key {
                std::mem::swap(&mut self.key, &mut self.latest_key);
                return merged.add(one, &mut self.codec).map(Ok);
            }
            let merged = self.merged.take().unwrap_or_default();
            let mut reader = merged.end(&mut self.codec)?.0.reader()?;
            while let Some(record) = reader.next()? {
                self.sort.push(record)?;
            }
        }
        self.key.clear();
        one.write(&mut self.codec, &mut self.key);
        self.sort.push(&self.key).map(Ok)
    }

    /// Returns the algorithms of all digests.
    pub fn algorithms(&self) -> &[Algorithm] {
        self.codec.algorithms()
    }

    /// Whether there is no file yet.
    pub fn is_empty(&self) -> bool {
        self.latest_key.is_empty()
    }

    /// Sorts the files.
    ///
    /// # Errors
    /// If a temporary file cannot be written or read.
    pub fn sorted(self) -> io::Result<Expected> {
        let Expectations { merged, sort, mut codec, .. } = self;
        let merged = match merged {
            Some(merged) => merged,
            None => {
                let mut merged = Merged::default();
                let reading = codec.clone();
                sort.into_each(|record| merged.add(OneExpected::read(&reading, record)?, &mut codec))?;
                merged
            }
        };
        let (spool, common) = merged.end(&mut codec)?;
        Ok(Expected { files: spool.len(), reader: spool.reader()?, codec, common })
    }
}

/// Files in the order of a walk, of which those with the same path are made one.
#[derive(Default)]
struct Merged {
    spool: Spool,
    /// The latest file, to which the next one may belong.
    latest: Option<OneExpected>,
    /// The longest directory, with a `/` at its end, below which all files are.
    common: Option<Vec<u8>>,
    record: Vec<u8>,
}

impl Merged {
    fn add(&mut self, one: OneExpected, codec: &mut Codec) -> io::Result<()> {
        if let Some(latest) = &mut self.latest
            && latest.file.path == one.file.path
        {
            latest.add(one);
            return Ok(());
        }
        let before = self.latest.replace(one);
        before.map_or(Ok(()), |before| self.write(&before, codec))
    }

    fn write(&mut self, one: &OneExpected, codec: &mut Codec) -> io::Result<()> {
        let path = &one.file.path;
        let directory = &path[..path.iter().rposition(|byte| *byte == b'/').map_or(0, |slash| slash + 1)];
        match &mut self.common {
            None => self.common = Some(directory.to_vec()),
            Some(common) => {
                let equal = common.iter().zip(directory).take_while(|(one, other)| one == other).count();
                let slash = common[..equal].iter().rposition(|byte| *byte == b'/');
                common.truncate(slash.map_or(0, |slash| slash + 1));
            }
        }
        self.record.clear();
        one.write(codec, &mut self.record);
        self.spool.push(&self.record)
    }

    /// Returns the files and their longest common directory.
    fn end(mut self, codec: &mut Codec) -> io::Result<(Spool, Vec<u8>)> {
        let latest = self.latest.take();
        latest.map_or(Ok(()), |latest| self.write(&latest, codec))?;
        Ok((self.spool, self.common.unwrap_or_default()))
    }
}

/// A file that a list expects.
#[derive(Clone, Debug, PartialEq, Eq)]
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
        let (path, rest) = split_key(record).ok_or_else(damaged)?;
        let (file, rest) = codec.read(path, rest)?;
        Ok(OneExpected { file, contradicts: rest == [1] })
    }
}

/// The files that lists expect, one for each path, in the order of a walk.
pub struct Expected {
    reader: SpoolReader,
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
        let Some(record) = self.reader.next()? else { return Ok(None) };
        OneExpected::read(&self.codec, record).map(Some)
    }

    /// Writes the files once more, for a second reader. This one begins again with the first file.
    ///
    /// # Errors
    /// If a temporary file cannot be written or read.
    pub fn copy(&mut self) -> io::Result<Expected> {
        self.rewind()?;
        let mut spool = Spool::default();
        while let Some(record) = self.reader.next()? {
            spool.push(record)?;
        }
        self.rewind()?;
        let Expected { codec, files, common, .. } = self;
        Ok(Expected { reader: spool.reader()?, codec: codec.clone(), files: *files, common: common.clone() })
    }

    /// Begins again with the first file.
    ///
    /// # Errors
    /// If a temporary file cannot be read.
    pub fn rewind(&mut self) -> io::Result<()> {
        self.reader.rewind()
    }
}
