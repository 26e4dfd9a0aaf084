//! Filling a set from lists and other sets.

use std::io;

use pfh_digest::Digest;
use pfh_list::{Contents, List, ReadError};

use crate::builder::{Row, SetBuilder};
use crate::set::{KnownSet, Text};

/// Fills a set: rows pass if they are in all sets that are to be in common, and in none of the excepted ones.
pub struct Importer {
    builder: SetBuilder,
    common: Vec<KnownSet>,
    except: Vec<KnownSet>,
    left_out: u64,
    memory_bytes: u64,
}

impl Importer {
    /// Begins with an empty set. Other sets that keep no way from an entry to its digests are sorted in `memory_bytes`
    /// bytes of memory.
    pub fn new(builder: SetBuilder, memory_bytes: u64) -> Importer {
        Importer { builder, common: Vec::new(), except: Vec::new(), left_out: 0, memory_bytes }
    }

    /// Lets only files pass that this set has.
    pub fn keep_only(&mut self, set: KnownSet) {
        self.common.push(set);
    }

    /// Leaves out files that this set has.
    pub fn leave_out(&mut self, set: KnownSet) {
        self.except.push(set);
    }

    /// Returns the number of rows that did not pass.
    pub fn left_out(&self) -> u64 {
        self.left_out
    }

    /// Returns the builder, to begin a source.
    pub fn builder(&mut self) -> &mut SetBuilder {
        &mut self.builder
    }

    /// Returns the builder, to write the set.
    pub fn into_builder(self) -> SetBuilder {
        self.builder
    }

    /// Adds a row of the latest source. Returns whether it has digests of the set's algorithms.
    ///
    /// # Errors
    /// If a set or a temporary file cannot be read or written.
    pub fn push(&mut self, row: &Row<'_>) -> io::Result<bool> {
        for (sets, wanted) in [(&self.common, true), (&self.except, false)] {
            for set in sets {
                if set.agreeing(row.digests)?.is_empty() == wanted {
                    self.left_out += 1;
                    return Ok(true);
                }
            }
        }
        self.builder.push(row)
    }

    /// Adds the digests of whole files of a list, as rows of the latest source. Calls `broken` with each line that
    /// cannot be read, and stops early when `stops` says so. Returns what the list has, and whether any of it was of
    /// use.
    ///
    /// # Errors
    /// If a set or a temporary file cannot be read or written.
    pub fn add_list(
        &mut self,
        list: List,
        broken: &mut dyn FnMut(ReadError),
        stops: &dyn Fn() -> bool,
    ) -> io::Result<(Contents, bool)> {
        let (mut contents, mut is_useful) = (Contents::default(), false);
        for entry in list {
            if stops() {
                break;
            }
            let entry = match entry {
                Ok(entry) => entry,
                Err(error) => {
                    broken(error);
                    continue;
                }
            };
            contents.add(&entry);
            if entry.piece.is_some() || !entry.is_complete() {
                continue;
            }
            is_useful |= self.push(&Row {
                digests: &entry.digests,
                size: entry.expected.size,
                name: &entry.path,
                product: entry.labels.product(),
                category: entry.labels.category(),
                package: 0,
            })?;
        }
        Ok((contents, is_useful))
    }

    /// Adds the entries of another set, with its sources.
    ///
    /// # Errors
    /// If a set or a temporary file cannot be read or written.
    pub fn add_set(&mut self, set: &KnownSet, stops: &dyn Fn() -> bool) -> io::Result<()> {
        let (mut places, memory_bytes) = (Vec::new(), self.memory_bytes);
        for origin in &set.about().sources {
            places.push(self.builder.begin_source(origin.clone())?);
        }
        let push = |entry: u64, digests: &[Digest]| {
            if stops() {
                return Ok(());
            }
            let source = set.source(entry)?;
            let place = places.get(source).copied().ok_or(io::ErrorKind::InvalidData)?;
            self.builder.select_source(place);
            let [category, product, name] =
                [Text::Category, Text::Product, Text::Name].map(|text| set.text(text, entry));
            let (category, product, name) = (category?, product?, name?);
            let size = set.size(entry)?;
            self.push(&Row { digests, size, name: &name, product: &product, category: &category, package: 0 }).map(drop)
        };
        set.each_entry(memory_bytes, push)
    }
}
