//! Cryptographic digests that are looked for.

use super::digest_list::{List, Name, too_many};
use super::hash::Stop;
use pfh_digest::{Algorithm, Digest};
use pfh_record::Listed;
use std::collections::HashMap;

/// Digests of lists, in memory.
pub(crate) struct Known {
    entries: Vec<Entry>,
    /// Entries by their longest digest.
    places: HashMap<Digest, Vec<u32>>,
    algorithms: Vec<Algorithm>,
    lists: Vec<Vec<u8>>,
    bytes: u64,
    bytes_max: u64,
}

struct Entry {
    name: Vec<u8>,
    list: Option<u32>,
    digests: Vec<Digest>,
}

/// Memory of an entry beside its name and digests, in bytes, about: a place and its key.
const ENTRY_BYTES: u64 = 200;

impl Known {
    /// None yet; no more than fit `bytes_max`.
    pub(crate) fn new(bytes_max: u64) -> Known {
        let (entries, algorithms, lists) = (Vec::new(), Vec::new(), Vec::new());
        Known { entries, places: HashMap::new(), algorithms, lists, bytes: 0, bytes_max }
    }

    /// Adds one digest.
    pub(crate) fn push(&mut self, name: &[u8], digest: Digest) -> Result<(), Stop> {
        self.push_entry(name.to_vec(), None, vec![digest])
    }

    /// Adds a list. Returns how many of its lines could not be read; each is said, unless `quiet`.
    pub(crate) fn load(&mut self, list: List, quiet: bool) -> Result<u64, Stop> {
        self.lists.push(list.name().to_vec());
        let place = self.lists.len() as u32 - 1;
        let mut broken = 0;
        for Listed { path, digests, piece, .. } in list.listed(quiet, &mut broken) {
            if piece.is_none() && !digests.is_empty() {
                // Lists of mere digests have no names.
                let name = if path.is_empty() { digests[0].to_string().into_bytes() } else { path };
                self.push_entry(name, Some(place), digests)?;
            }
        }
        Ok(broken)
    }

    fn push_entry(&mut self, name: Vec<u8>, list: Option<u32>, digests: Vec<Digest>) -> Result<(), Stop> {
        let Some(longest) = digests.iter().max_by_key(|digest| digest.bytes().len()) else { return Ok(()) };
        self.places.entry(*longest).or_default().push(self.entries.len() as u32);
        for digest in &digests {
            if !self.algorithms.contains(&digest.algorithm()) {
                self.algorithms.push(digest.algorithm());
            }
        }
        self.bytes += ENTRY_BYTES + (name.len() + size_of_val(&*digests)) as u64;
        self.entries.push(Entry { name, list, digests });
        if self.bytes > self.bytes_max || self.entries.len() >= u32::MAX as usize {
            return Err(too_many(self.entries.len()));
        }
        Ok(())
    }

    /// All algorithms of the digests.
    pub(crate) fn algorithms(&self) -> &[Algorithm] {
        &self.algorithms
    }

    pub(crate) fn name(&self, entry: u32) -> Name<'_> {
        let Entry { name, list, .. } = &self.entries[entry as usize];
        Name { list: list.map(|list| &*self.lists[list as usize]), name }
    }

    /// The entries whose digests are all among these, as far as these have their algorithms.
    pub(crate) fn matches(&self, digests: &[Digest]) -> Vec<u32> {
        let agrees = |entry: &u32| {
            self.entries[*entry as usize].digests.iter().all(|known| {
                let own = digests.iter().find(|own| own.algorithm() == known.algorithm());
                own.is_none_or(|own| own == known)
            })
        };
        let candidates = digests.iter().filter_map(|digest| self.places.get(digest)).flatten();
        let mut matches: Vec<u32> = candidates.copied().filter(agrees).collect();
        matches.sort_unstable();
        matches
    }
}
