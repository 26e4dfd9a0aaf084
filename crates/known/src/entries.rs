//! The entries of a set one after the other, with all their digests.

use std::io;

use pfh_digest::{Algorithm, Digest};
use pfh_list::{ByteSort, be_number};

use crate::set::KnownSet;

impl KnownSet {
    /// Calls `each` with every entry and its digests, in order. A set that does not keep the way from an entry to its
    /// digests is sorted in about `memory_bytes` of memory; temporary files take the rest.
    ///
    /// # Errors
    /// If the file cannot be read, or was truncated, or a temporary file cannot be written; and the errors of `each`.
    pub fn each_entry(
        &self,
        memory_bytes: u64,
        mut each: impl FnMut(u64, &[Digest]) -> io::Result<()>,
    ) -> io::Result<()> {
        if self.keeps_digests() {
            return (0..self.entries()).try_for_each(|entry| each(entry, &self.digests(entry)?));
        }
        // The digests of an entry come together by sorting: its number, the algorithm, the digest.
        let algorithms: Vec<Algorithm> = self.algorithms().collect();
        let mut sort = ByteSort::new(memory_bytes);
        for (place, algorithm) in algorithms.iter().enumerate() {
            self.each(*algorithm, |entry, digest| {
                sort.push(&[&entry.to_be_bytes()[..], &[place as u8], digest].concat())
            })?;
        }
        let (mut digests, mut current) = (Vec::new(), None);
        sort.into_each(|record| {
            let (entry, rest) = record.split_at(8);
            let entry = be_number(entry);
            if let Some(last) = current.replace(entry).filter(|last| *last != entry) {
                each(last, &digests)?;
                digests.clear();
            }
            digests.extend(Digest::new(algorithms[usize::from(rest[0])], &rest[1..]));
            Ok(())
        })?;
        current.map_or(Ok(()), |last| each(last, &digests))
    }
}
