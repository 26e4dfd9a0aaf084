//! A file as a list expects it, or as a run found it; and its form in temporary files.

use crate::path::{push_path, split_key};
use pfh_digest::{Algorithm, Digest};
use std::io;

/// A file: its path and what is known of its contents.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct File {
    /// The path below the root, components separated by `/`, in raw bytes.
    pub path: Vec<u8>,
    /// Size in bytes, if it is known.
    pub size: Option<u64>,
    /// Digests by different algorithms.
    pub digests: Vec<Digest>,
    /// The line of the list, counted from 1; 0 if there is none.
    pub line: u64,
}

impl File {
    /// Makes a file of which only the path is known.
    pub fn new(path: impl Into<Vec<u8>>) -> File {
        File { path: path.into(), size: None, digests: Vec::new(), line: 0 }
    }

    /// Returns the digest by an algorithm.
    pub fn digest(&self, algorithm: Algorithm) -> Option<&Digest> {
        self.digests.iter().find(|digest| digest.algorithm() == algorithm)
    }

    /// Returns the part of the path after the last `/`.
    pub fn name(&self) -> &[u8] {
        self.path.rsplit(|byte| *byte == b'/').next().unwrap_or_default()
    }

    /// Whether it is known to be empty.
    pub(crate) fn is_empty(&self) -> bool {
        self.size == Some(0)
    }
}

/// How what was expected of a file compares with what was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Agreement {
    /// At least one digest was compared, and all that was compared agrees.
    Same,
    /// The sizes differ.
    OtherSize,
    /// The digests by this algorithm differ.
    OtherDigest(Algorithm),
    /// Nothing differs, and no digest could be compared.
    NotCompared,
}

/// Compares sizes and all digests that both have.
pub fn compare(expected: &File, found: &File) -> Agreement {
    if let (Some(expected), Some(found)) = (expected.size, found.size)
        && expected != found
    {
        return Agreement::OtherSize;
    }
    let mut agreement = Agreement::NotCompared;
    for digest in &expected.digests {
        match found.digest(digest.algorithm()) {
            Some(other) if other != digest => return Agreement::OtherDigest(digest.algorithm()),
            Some(_) => agreement = Agreement::Same,
            None => {}
        }
    }
    agreement
}

/// Writes files to bytes and reads them back. Algorithms are numbered in the order in which they come.
#[derive(Clone, Debug, Default)]
pub(crate) struct Codec {
    algorithms: Vec<Algorithm>,
}

impl Codec {
    /// The algorithms that came so far.
    pub(crate) fn algorithms(&self) -> &[Algorithm] {
        &self.algorithms
    }

    /// Appends everything but the path.
    pub(crate) fn write(&mut self, file: &File, out: &mut Vec<u8>) {
        out.extend_from_slice(&file.line.to_be_bytes());
        out.push(u8::from(file.size.is_some()));
        out.extend_from_slice(&file.size.unwrap_or(0).to_be_bytes());
        out.extend_from_slice(&(file.digests.len() as u16).to_be_bytes());
        for digest in &file.digests {
            let number = self.algorithms.iter().position(|algorithm| *algorithm == digest.algorithm());
            let number = number.unwrap_or_else(|| {
                self.algorithms.push(digest.algorithm());
                self.algorithms.len() - 1
            });
            out.extend_from_slice(&(number as u16).to_be_bytes());
            out.extend_from_slice(digest.bytes());
        }
    }

    /// Reads what [`Codec::write`] wrote into `file`, all but the path. Returns the bytes that follow.
    pub(crate) fn read<'a>(&self, file: &mut File, mut bytes: &'a [u8]) -> io::Result<&'a [u8]> {
        file.line = u64::from_be_bytes(take(&mut bytes)?);
        let [has_size] = take(&mut bytes)?;
        let size = u64::from_be_bytes(take(&mut bytes)?);
        file.size = (has_size == 1).then_some(size);
        let count = u16::from_be_bytes(take(&mut bytes)?);
        file.digests.clear();
        file.digests.reserve(count.into());
        for _ in 0..count {
            let number = u16::from_be_bytes(take(&mut bytes)?);
            let algorithm = *self.algorithms.get(usize::from(number)).ok_or_else(damaged)?;
            let (digest, rest) = bytes.split_at_checked(algorithm.digest_bytes()).ok_or_else(damaged)?;
            bytes = rest;
            file.digests.push(Digest::new(algorithm, digest).ok_or_else(damaged)?);
        }
        Ok(bytes)
    }

    /// Reads a file whose key stands before what [`Codec::write`] wrote, into `file`. Returns the bytes that follow.
    pub(crate) fn read_with_key<'a>(&self, file: &mut File, bytes: &'a [u8]) -> io::Result<&'a [u8]> {
        let (key, rest) = split_key(bytes).ok_or_else(damaged)?;
        self.read_after(key, file, rest)
    }

    /// As [`Codec::read_with_key`], where the key was split from what follows.
    pub(crate) fn read_after<'a>(&self, key: &[u8], file: &mut File, rest: &'a [u8]) -> io::Result<&'a [u8]> {
        file.path.clear();
        push_path(key, &mut file.path);
        self.read(file, rest)
    }
}

/// Takes the first `N` bytes.
pub(crate) fn take<const N: usize>(bytes: &mut &[u8]) -> io::Result<[u8; N]> {
    let (first, rest) = bytes.split_first_chunk().ok_or_else(damaged)?;
    *bytes = rest;
    Ok(*first)
}

/// Returns the error of a temporary file that somebody else has changed.
pub(crate) fn damaged() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "a temporary file was damaged")
}
