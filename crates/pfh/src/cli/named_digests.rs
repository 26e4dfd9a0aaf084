//! Named similarity digests in memory.

use super::exit::Failed;
use super::lists::{BrokenLines, Loaded};
use pfh::compare::Digests;
use pfh_list::{Contents, List, Name, TooManyDigests};
use pfh_similarity::{Digest, Family};

/// Digests of one family with their names, in memory.
pub(crate) struct NamedDigests {
    pub(crate) digests: Digests,
    names: Vec<u8>,
    /// Where each name ends, and its list.
    ends: Vec<(usize, Option<u16>)>,
    lists: Vec<Vec<u8>>,
    bytes: u64,
    bytes_max: u64,
}

impl NamedDigests {
    /// None yet; no more than fit `bytes_max`.
    pub(crate) fn new(family: Family, bytes_max: u64) -> NamedDigests {
        NamedDigests {
            digests: Digests::new(family),
            names: Vec::new(),
            ends: Vec::new(),
            lists: Vec::new(),
            bytes: 0,
            bytes_max,
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    pub(crate) fn name(&self, number: u32) -> Name<'_> {
        let number = number as usize;
        let start = number.checked_sub(1).map_or(0, |before| self.ends[before].0);
        let (end, list) = self.ends[number];
        Name { list: list.map(|list| &*self.lists[usize::from(list)]), name: &self.names[start..end] }
    }

    /// Adds a digest of the family; `list` is the place of its list.
    pub(crate) fn push(&mut self, name: &[u8], digest: Digest, list: Option<u16>) -> Result<(), Failed> {
        // Scores of sdhash depend on names.
        if let Err(digest) = self.digests.push(digest.with_name(name)) {
            let (own, family) = (self.digests.family(), digest.family());
            return Err(Failed::usage(format_args!("digests of {own} and of {family} cannot be compared")));
        }
        self.names.extend_from_slice(name);
        self.ends.push((self.names.len(), list));
        self.bytes += self.digests.last_bytes() + 2 * name.len() as u64 + size_of::<(usize, Option<u16>)>() as u64;
        if self.bytes > self.bytes_max || self.ends.len() > u32::MAX as usize - 1 {
            return Err(Failed::usage(TooManyDigests { count: self.ends.len() }));
        }
        Ok(())
    }

    /// Adds the digests of the family that a list has. Lines that cannot be read are reported, unless `quiet`.
    pub(crate) fn load(&mut self, list: List, quiet: bool) -> Result<Loaded, Failed> {
        let place = u16::try_from(self.lists.len()).map_err(|_| Failed::usage("more than 65,536 lists"))?;
        self.lists.push(list.name().to_vec());
        let mut broken = BrokenLines::new(list.name(), quiet);
        let mut contents = Contents::default();
        let (family, before) = (self.digests.family(), self.len());
        for entry in broken.entries(list) {
            contents.add(&entry);
            let own = entry.similarities.into_iter().find(|one| one.family == family).and_then(|one| one.digest.ok());
            if let (Some(digest), None) = (own, entry.piece) {
                self.push(&entry.path, digest, Some(place))?;
            }
        }
        let name = &self.lists[usize::from(place)];
        let useless = (self.len() == before).then(|| contents.instead_of(name, family.name()));
        Ok(Loaded { broken: broken.count, useless })
    }
}
