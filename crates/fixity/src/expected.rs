//! The files that a list expects, in the order of a walk.

use crate::file::{Codec, File, damaged};
use crate::path::{PathError, below_root, push_key, split_key};
use crate::spool::{Spool, SpoolReader};
use pfh_digest::Algorithm;
use pfh_list::ByteSort;
use std::io;

/// Collects the files that lists expect, in any order and number: what does not fit the memory is in temporary files.
pub struct Expectations {
    sort: ByteSort,
    codec: Codec,
    record: Vec<u8>,
    is_empty: bool,
}

impl Expectations {
    /// Begins with no files. Takes at most `memory_bytes` of memory, or 256 KiB.
    pub fn new(memory_bytes: u64) -> Expectations {
        Expectations { sort: ByteSort::new(memory_bytes), codec: Codec::default(), record: Vec::new(), is_empty: true }
    }

    /// Adds a file. Files of the same path are one, of which all digests are expected.
    ///
    /// # Errors
    /// The outer one if a temporary file cannot be written; the inner one if the path names no file below the root.
    pub fn push(&mut self, file: &File) -> io::Result<Result<(), PathError>> {
        let path = match below_root(&file.path) {
            Ok(path) => path,
            Err(error) => return Ok(Err(error)),
        };
        self.record.clear();
        push_key(&path, &mut self.record);
        // So that of equal files the first line comes first.
        self.codec.write(file, &mut self.record);
        self.is_empty = false;
        self.sort.push(&self.record).map(Ok)
    }

    /// Returns the algorithms of all digests.
    pub fn algorithms(&self) -> &[Algorithm] {
        self.codec.algorithms()
    }

    /// Whether there is no file yet.
    pub fn is_empty(&self) -> bool {
        self.is_empty
    }

    /// Sorts the files.
    ///
    /// # Errors
    /// If a temporary file cannot be written or read.
    pub fn sorted(self) -> io::Result<Expected> {
        let Expectations { sort, codec, mut record, .. } = self;
        let mut spool = Spool::default();
        let mut common: Option<Vec<u8>> = None;
        let mut same: Option<OneExpected> = None;
        let mut writer = codec.clone();
        let mut write = |one: &OneExpected, spool: &mut Spool| {
            record.clear();
            push_key(&one.file.path, &mut record);
            writer.write(&one.file, &mut record);
            record.push(u8::from(one.contradicts));
            let directory = one.file.path.iter().rposition(|byte| *byte == b'/').map_or(0, |slash| slash + 1);
            let directory = &one.file.path[..directory];
            match &mut common {
                None => common = Some(directory.to_vec()),
                Some(common) => {
                    let equal = common.iter().zip(directory).take_while(|(one, other)| one == other).count();
                    let slash = common[..equal].iter().rposition(|byte| *byte == b'/');
                    common.truncate(slash.map_or(0, |slash| slash + 1));
                }
            }
            spool.push(&record)
        };
        sort.into_each(|bytes| {
            let (path, rest) = split_key(bytes).ok_or_else(damaged)?;
            let (file, _) = codec.read(path, rest)?;
            match &mut same {
                Some(one) if one.file.path == file.path => one.add(file),
                _ => {
                    let before = same.replace(OneExpected { file, contradicts: false });
                    before.map_or(Ok(()), |one| write(&one, &mut spool))?;
                }
            }
            Ok(())
        })?;
        same.map_or(Ok(()), |one| write(&one, &mut spool))?;
        Ok(Expected { files: spool.len(), reader: spool.reader()?, codec, common: common.unwrap_or_default() })
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
    fn add(&mut self, other: File) {
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
        let Some(bytes) = self.reader.next()? else { return Ok(None) };
        let (path, rest) = split_key(bytes).ok_or_else(damaged)?;
        let (file, rest) = self.codec.read(path, rest)?;
        Ok(Some(OneExpected { file, contradicts: rest == [1] }))
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
