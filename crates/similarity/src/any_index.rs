//! The families' index files with the family chosen at run time.

use std::io::{self, Read, Seek, Write};
use std::ops::ControlFlow;

use crate::all_pairs::Digests;
use crate::index_file::IndexError;
use crate::{Digest, Family, ssdeep, tlsh};

/// An opened index of digests in a file, which finds similar ones without reading all. ssdeep and TLSH have such files.
#[non_exhaustive]
pub enum IndexFile<R> {
    /// ssdeep.
    Ssdeep(ssdeep::IndexFile<R>),
    /// TLSH.
    Tlsh(tlsh::IndexFile<R>),
}

/// A digest of an index that is similar to the digest asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct IndexMatch {
    /// Its name, raw bytes.
    pub name: Vec<u8>,
    /// The score of ssdeep, or the distance of TLSH.
    pub score: u32,
}

impl<R: Read + Seek> IndexFile<R> {
    /// Opens an index of digests of `family`; without one, of the family in its header. Memory: one page.
    ///
    /// # Errors
    /// [`IndexError`], also for a family that has no indexes.
    pub fn open(mut input: R, family: Option<Family>) -> Result<IndexFile<R>, IndexError> {
        match family {
            Some(Family::Ssdeep) => ssdeep::IndexFile::open(input).map(IndexFile::Ssdeep),
            Some(Family::Tlsh) => tlsh::IndexFile::open(input).map(IndexFile::Tlsh),
            Some(family @ (Family::Sdhash | Family::MrshV2)) => Err(IndexError::NotThisFamily { family }),
            None => {
                // An index that is damaged, or of another version, is one of its family nevertheless.
                let is_other = matches!(tlsh::IndexFile::open(&mut input), Err(IndexError::NotThisFamily { .. }));
                IndexFile::open(input, Some(if is_other { Family::Ssdeep } else { Family::Tlsh }))
            }
        }
    }

    /// Returns the family of the digests.
    pub fn family(&self) -> Family {
        match self {
            IndexFile::Ssdeep(_) => Family::Ssdeep,
            IndexFile::Tlsh(_) => Family::Tlsh,
        }
    }

    /// Returns the digests that are similar to `digest`: for ssdeep those that score at least `threshold` (0 means 1),
    /// in the order of the index; for TLSH those whose distance is at most `threshold`, the closest first. A digest of
    /// another family has none.
    ///
    /// # Errors
    /// [`IndexError`] if what is needed cannot be read or is damaged.
    pub fn matches(&mut self, digest: &Digest, threshold: u32) -> Result<Vec<IndexMatch>, IndexError> {
        let mut found = Vec::new();
        match (self, digest) {
            (IndexFile::Ssdeep(index), Digest::Ssdeep(digest)) => {
                let _ = index.matches(digest, u8::try_from(threshold).unwrap_or(u8::MAX), |one| {
                    found.push(IndexMatch { name: one.name, score: one.score.into() });
                    ControlFlow::<()>::Continue(())
                })?;
            }
            (IndexFile::Tlsh(index), Digest::Tlsh(digest)) => {
                let _ = index.matches(digest, threshold, |one| {
                    found.push(IndexMatch { name: one.name, score: one.distance });
                    ControlFlow::<()>::Continue(())
                })?;
                found.sort_unstable_by(|one, other| (one.score, &one.name).cmp(&(other.score, &other.name)));
            }
            _ => {}
        }
        Ok(found)
    }
}

/// Writes an index file of the digests, each with its name.
///
/// # Errors
/// [`io::ErrorKind::InvalidInput`] for a family that has no indexes, and for a name of a mebibyte; errors of the
/// output.
pub fn write_index<'a>(
    digests: &Digests,
    names: impl Iterator<Item = &'a [u8]>,
    output: &mut impl Write,
) -> io::Result<()> {
    match digests {
        Digests::Ssdeep(digests) => {
            let mut builder = ssdeep::IndexFileBuilder::new();
            digests.iter().zip(names).try_for_each(|(digest, name)| builder.push(digest.clone(), name))?;
            builder.write(output)?;
        }
        Digests::Tlsh(digests) => {
            let mut builder = tlsh::IndexFileBuilder::new();
            digests.iter().zip(names).try_for_each(|(digest, name)| builder.push(*digest, name))?;
            builder.write(output)?;
        }
        Digests::Sdhash(_) | Digests::MrshV2(_) => {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "only ssdeep and tlsh digests can be indexed"));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every family: an index tells its own family and finds each digest under its name, or there is none.
    #[test]
    fn an_index_of_any_family_finds_what_was_put_in() {
        for family in Family::ALL {
            let mut digests = Digests::new(family);
            for seed in 1..9_u32 {
                let mut hasher = crate::Hasher::new(family);
                let number = |at: u32| at.wrapping_mul(seed.wrapping_mul(2_654_435_761)).rotate_left(at % 31);
                let bytes: Vec<u8> = (0..5000).map(|at| (number(at) >> 13) as u8).collect();
                hasher.update(&bytes);
                digests.push(hasher.finish().unwrap()).unwrap();
            }
            let names: Vec<Vec<u8>> = (0..digests.len()).map(|number| format!("name {number}").into_bytes()).collect();
            let mut file = Vec::new();
            let written = write_index(&digests, names.iter().map(Vec::as_slice), &mut file);
            assert_eq!(written.is_ok(), family.has_index(), "{family}");
            if !family.has_index() {
                assert!(IndexFile::open(io::Cursor::new(file), Some(family)).is_err(), "{family}");
                continue;
            }
            let mut index = IndexFile::open(io::Cursor::new(&file), None).unwrap();
            assert_eq!(index.family(), family);
            let (threshold, best) = if family == Family::Tlsh { (0, 0) } else { (100, 100) };
            for (number, name) in names.into_iter().enumerate() {
                let found = index.matches(&digests.get(number).unwrap(), threshold).unwrap();
                assert!(found.contains(&IndexMatch { name, score: best }), "{family} {number}: {found:?}");
            }
            for other in Family::ALL.into_iter().filter(|&other| other != family) {
                assert!(IndexFile::open(io::Cursor::new(&file), Some(other)).is_err(), "{family} as {other}");
            }
        }
    }

    /// Every family: an index that is damaged is reported as such, and not as an index of another family.
    #[test]
    fn a_damaged_index_keeps_its_family() {
        for family in Family::ALL.into_iter().filter(|family| family.has_index()) {
            let mut file = Vec::new();
            write_index(&Digests::new(family), std::iter::empty(), &mut file).unwrap();
            // After the name of the family.
            file[20] ^= 1;
            let error = IndexFile::open(io::Cursor::new(&file), None).map(|_| ()).unwrap_err();
            assert!(matches!(error, IndexError::Corrupt { .. }), "{family}: {error}");
        }
    }
}
