//! The audit of hashdeep 4.4, rule by rule, for scripts that depend on it.
//!
//! Its classes are not [ours](crate::Class): an altered file is one that is new and one that was not found, files whose
//! digests differ in part do not fail, and which of several equal files was moved depends on their order.

use crate::file::File;
use pfh_digest::Digest;
use std::collections::HashMap;
use std::collections::hash_map::Entry;

/// Memory that a known file takes beside its name, in bytes: an entry here, and one in a table for each digest.
const FILE_BYTES: u64 = 400;

/// Memory that a digest takes, beside the name, which other files have before it in the list.
const SAME_BYTES: u64 = 200;

/// The result of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HashdeepResult<'a> {
    /// `Ok`.
    Match,
    /// `Hash collision with`: another digest, or the size, differs from that of the known file of this name.
    Partial(&'a [u8]),
    /// `Moved from` the known file of this name.
    Moved(&'a [u8]),
    /// `No match`.
    New,
}

/// An audit under way.
#[derive(Debug, Default)]
pub struct HashdeepAudit {
    files: Vec<File>,
    is_used: Vec<bool>,
    /// For each digest, the first file that has it.
    by_digest: HashMap<Digest, u32>,
    /// The further files, by their names, too.
    by_name: HashMap<(Digest, Vec<u8>), u32>,
    bytes: u64,
    /// Files that match.
    pub matched: u64,
    /// Files that match in part.
    pub partial: u64,
    /// Files that were moved.
    pub moved: u64,
    /// Files that match no known one.
    pub new: u64,
}

impl HashdeepAudit {
    /// Adds a known file, with its digests in hashdeep's order of algorithms.
    pub fn add(&mut self, file: File) {
        let number = self.files.len() as u32;
        self.bytes += FILE_BYTES + file.path.len() as u64;
        for digest in &file.digests {
            match self.by_digest.entry(*digest) {
                Entry::Vacant(entry) => {
                    entry.insert(number);
                }
                Entry::Occupied(_) => {
                    self.bytes += SAME_BYTES + file.path.len() as u64;
                    self.by_name.entry((*digest, file.path.clone())).or_insert(number);
                }
            }
        }
        self.files.push(file);
        self.is_used.push(false);
    }

    /// Returns approximately how much memory the known files take, in bytes.
    pub fn memory_bytes(&self) -> u64 {
        self.bytes
    }

    /// Takes the next file, with its digests in hashdeep's order of algorithms.
    pub fn take(&mut self, file: &File) -> HashdeepResult<'_> {
        // The first algorithm by which a file is known decides which one it is.
        let known = file.digests.iter().find_map(|digest| Some((digest, *self.by_digest.get(digest)?)));
        let Some((digest, first)) = known else {
            self.new += 1;
            return HashdeepResult::New;
        };
        let of_name = match self.files[first as usize].path == file.path {
            true => None,
            false => self.by_name.get(&(*digest, file.path.clone())),
        };
        let number = of_name.copied().unwrap_or(first) as usize;
        self.is_used[number] = true;
        let other = &self.files[number];
        let differs = |digest: &Digest| other.digest(digest.algorithm()).is_some_and(|other| other != digest);
        if file.digests.iter().any(differs) || file.size != other.size {
            self.partial += 1;
            HashdeepResult::Partial(&other.path)
        } else if file.path != other.path {
            self.moved += 1;
            HashdeepResult::Moved(&other.path)
        } else {
            self.matched += 1;
            HashdeepResult::Match
        }
    }

    /// Returns the names of known files that were not found, in the order of the list.
    pub fn missing(&self) -> impl Iterator<Item = &[u8]> {
        self.files.iter().zip(&self.is_used).filter(|(_, is_used)| !**is_used).map(|(file, _)| &*file.path)
    }

    /// Whether the audit passes. Files that match in part do not matter, whatever the manual of hashdeep says.
    pub fn passes(&self) -> bool {
        self.new == 0 && self.moved == 0 && self.missing().next().is_none()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pfh_digest::Algorithm;

    fn file(path: &str, size: u64, [md5, sha256]: [&str; 2]) -> File {
        let digest = |name: &str, of: &str| Algorithm::from_name(name).unwrap().digest(of.as_bytes());
        File { size: Some(size), digests: vec![digest("md5", md5), digest("sha256", sha256)], ..File::new(path) }
    }

    #[test]
    fn rules() {
        let mut audit = HashdeepAudit::default();
        for (path, contents) in [("a", "1"), ("b", "1"), ("c", "2"), ("d", "3"), ("e", "4")] {
            audit.add(file(path, 1, [contents; 2]));
        }
        assert_eq!(audit.take(&file("b", 1, ["1"; 2])), HashdeepResult::Match);
        assert_eq!(audit.take(&file("z", 1, ["1"; 2])), HashdeepResult::Moved(b"a"));
        assert_eq!(audit.take(&file("c", 1, ["2", "9"])), HashdeepResult::Partial(b"c"));
        assert_eq!(audit.take(&file("c", 1, ["9", "2"])), HashdeepResult::Partial(b"c"));
        assert_eq!(audit.take(&file("d", 2, ["3"; 2])), HashdeepResult::Partial(b"d"));
        assert_eq!(audit.take(&file("e", 1, ["9"; 2])), HashdeepResult::New);
        assert_eq!(audit.missing().collect::<Vec<_>>(), [b"e"]);
        assert_eq!((audit.matched, audit.partial, audit.moved, audit.new, audit.passes()), (1, 3, 1, 1, false));
        assert!(audit.memory_bytes() > 5 * FILE_BYTES);
    }

    /// A search among all files with the digest would make this a matter of minutes.
    #[test]
    fn many_equal_files_are_known_by_their_names() {
        let mut audit = HashdeepAudit::default();
        let file = |number: u32| file(&number.to_string(), 1, ["", ""]);
        (0..30_000).for_each(|number| audit.add(file(number)));
        (0..30_000).for_each(|number| assert_eq!(audit.take(&file(number)), HashdeepResult::Match));
        assert!(audit.passes());
    }

    #[test]
    fn files_that_match_in_part_do_not_fail() {
        let mut audit = HashdeepAudit::default();
        audit.add(file("a", 1, ["1"; 2]));
        assert!(!audit.passes());
        audit.take(&file("a", 1, ["1", "2"]));
        assert!(audit.passes());
    }
}
