//! Filling a set from lists and other sets.

use std::io;

use pfh_digest::{Algorithm, Digest};
use pfh_list::{Contents, List, ReadError};

use crate::about::ComparedSet;
use crate::builder::{Row, SetBuilder};
use crate::set::{KnownSet, Text};

/// Fills a set: rows pass if they are in all sets that are to be in common, and in none of the excepted ones.
pub struct Importer {
    builder: SetBuilder,
    common: Vec<(ComparedSet, KnownSet)>,
    except: Vec<(ComparedSet, KnownSet)>,
    left_out: u64,
    not_compared: u64,
    memory_bytes: u64,
    /// Algorithms that are not guessed from the lengths of digests.
    named: Vec<Algorithm>,
}

/// The result of adding a list to a set.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct AddedList {
    /// The kinds of digests that the list has.
    pub contents: Contents,
    /// Whether any of it was of use.
    pub is_useful: bool,
    /// Whole files of the list without a digest for the set, such as those that could not be read.
    pub without_digest: u64,
}

impl Importer {
    /// Begins with an empty set. Other sets that keep no way from an entry to its digests are sorted in `memory_bytes`
    /// bytes of memory.
    pub fn new(builder: SetBuilder, memory_bytes: u64) -> Importer {
        let (common, except, named) = (Vec::new(), Vec::new(), Vec::new());
        Importer { builder, common, except, left_out: 0, not_compared: 0, memory_bytes, named }
    }

    /// Lets only files pass that this set has. `about` is what all sources tell of it.
    pub fn keep_only(&mut self, about: ComparedSet, set: KnownSet) {
        self.common.push((about, set));
    }

    /// Leaves out files that this set has. `about` is what all sources tell of it.
    pub fn leave_out(&mut self, about: ComparedSet, set: KnownSet) {
        self.except.push((about, set));
    }

    /// Returns the sets with which rows are compared: those that are left out, and then those that are to be in common.
    pub fn compared(&self) -> impl Iterator<Item = &KnownSet> {
        self.except.iter().chain(&self.common).map(|(_, set)| set)
    }

    /// Returns the number of rows that did not pass.
    pub fn left_out(&self) -> u64 {
        self.left_out
    }

    /// Returns the number of rows that did not pass, because they have no digest by which another set could tell
    /// whether it has them.
    pub fn not_compared(&self) -> u64 {
        self.not_compared
    }

    /// Takes the algorithms that somebody has named for plain digests: where only one of them has digests of a length,
    /// it is no guess.
    pub fn name_algorithms(&mut self, algorithms: &[Algorithm]) {
        let is_clear = |one: &&Algorithm| {
            algorithms.iter().all(|other| other == *one || other.digest_bytes() != one.digest_bytes())
        };
        self.named = algorithms.iter().filter(is_clear).copied().collect();
    }

    /// Returns the builder, to begin a source.
    pub fn builder(&mut self) -> &mut SetBuilder {
        &mut self.builder
    }

    /// Returns the builder, to write the set.
    pub fn into_builder(mut self) -> SetBuilder {
        let about = |sets: Vec<(ComparedSet, KnownSet)>| sets.into_iter().map(|(about, _)| about).collect::<Vec<_>>();
        let (except, common) = (about(self.except), about(self.common));
        for origin in self.builder.origins() {
            origin.except.extend_from_slice(&except);
            origin.common.extend_from_slice(&common);
        }
        self.builder
    }

    /// Adds a row of the latest source. Returns whether it has digests of the set's algorithms.
    ///
    /// # Errors
    /// If a set or a temporary file cannot be read or written.
    pub fn push(&mut self, row: &Row<'_>) -> io::Result<bool> {
        for (sets, wanted) in [(&self.common, true), (&self.except, false)] {
            for (_, set) in sets {
                let is_there = set.has_agreeing(row.digests)?;
                let has = |algorithm| row.digests.iter().any(|digest| digest.algorithm() == algorithm);
                if !is_there && !set.can_be_asked(has) {
                    self.not_compared += 1;
                    if let Some(origin) = self.builder.origin() {
                        origin.refused += 1;
                    }
                    return Ok(true);
                }
                if is_there != wanted {
                    self.left_out += 1;
                    if let Some(origin) = self.builder.origin() {
                        origin.left_out += 1;
                    }
                    return Ok(true);
                }
            }
        }
        self.builder.push(row)
    }

    /// Adds the digests of whole files of a list, as rows of the latest source. Calls `broken` with each line that
    /// cannot be read, and stops early when `stops` says so. Algorithms that were guessed are noted in the source.
    ///
    /// # Errors
    /// If a set or a temporary file cannot be read or written.
    pub fn add_list(
        &mut self,
        list: &mut List,
        broken: &mut dyn FnMut(ReadError),
        stops: &dyn Fn() -> bool,
    ) -> io::Result<AddedList> {
        let mut added = AddedList { contents: Contents::of(list), is_useful: false, without_digest: 0 };
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
            added.contents.add(&entry);
            if entry.piece.is_some() || !entry.is_file() {
                continue;
            }
            let row = Row {
                digests: &entry.digests,
                size: entry.expected.size,
                name: &entry.path,
                product: entry.labels.product(),
                category: entry.labels.category(),
                package: 0,
            };
            let is_useful = entry.is_complete() && self.push(&row)?;
            added.is_useful |= is_useful;
            added.without_digest += u64::from(!is_useful);
            if is_useful && entry.algorithm_guessed {
                self.note_guess(&entry.digests);
            }
        }
        Ok(added)
    }

    /// Notes algorithms in the current source whose names the list does not state.
    fn note_guess(&mut self, digests: &[Digest]) {
        let Some(origin) = self.builder.origin() else { return };
        for digest in digests.iter().filter(|digest| !self.named.contains(&digest.algorithm())) {
            let name = digest.algorithm().name();
            if !origin.guessed.iter().any(|noted| noted == name) {
                origin.guessed.push(name.to_owned());
            }
        }
    }

    /// Adds the entries of another set, with its sources. Returns whether any of them was of use, and the number of
    /// those that were not, since they have no digest by an algorithm of this set.
    ///
    /// # Errors
    /// If a set or a temporary file cannot be read or written.
    pub fn add_set(&mut self, set: &KnownSet, stops: &dyn Fn() -> bool) -> io::Result<(bool, u64)> {
        let (mut places, memory_bytes) = (Vec::new(), self.memory_bytes);
        let (mut is_useful, mut without_digest) = (false, 0);
        for origin in &set.about().sources {
            let mut origin = origin.clone();
            origin.guessed.retain(|guessed| self.named.iter().all(|named| named.name() != guessed));
            places.push(self.builder.begin_source(origin)?);
        }
        self.builder.push_sizes(set.sizes())?;
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
            let row = Row { digests, size, name: &name, product: &product, category: &category, package: 0 };
            let is_of_use = self.push(&row)?;
            is_useful |= is_of_use;
            without_digest += u64::from(!is_of_use);
            Ok(())
        };
        set.each_entry(memory_bytes, push)?;
        Ok((is_useful, without_digest))
    }
}
