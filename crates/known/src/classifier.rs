//! Classes of files, from several sets together.

use std::collections::BTreeSet;
use std::io;

use pfh_digest::{Algorithm, Digest};
use pfh_list::Answers;

use crate::about::{Class, Origin};
use crate::set::{KnownSet, Text};

/// A set, and what its entries mean.
#[derive(Debug)]
pub struct ClassifiedSet {
    /// The name of the set in output.
    pub name: Vec<u8>,
    /// The class of all entries; `None` for those of their sources.
    pub class: Option<Class>,
    /// The set.
    pub set: KnownSet,
}

impl ClassifiedSet {
    /// Returns the class of its entries that beats the others; `None` if it has no entries.
    pub fn best_class(&self) -> Option<Class> {
        let origins = self.set.about().sources.iter().filter(|origin| origin.entries > 0);
        origins.map(|origin| self.class.unwrap_or(origin.class)).min()
    }

    /// Whether the set knows no file of a size that it does not have: all of its entries are good, and it has the size
    /// of each. Sources may state wrong sizes, and that may hide a good file, but no other one.
    pub fn tells_by_size(&self) -> bool {
        self.set.has_sizes() && self.best_class().is_none_or(|class| class == Class::Good)
    }

    /// Whether the set knows no file of this size, whatever its digests.
    ///
    /// # Errors
    /// If the set cannot be read, or was truncated.
    pub fn rules_out_size(&self, size: u64) -> io::Result<bool> {
        Ok(self.tells_by_size() && !self.set.may_have_size(size)?)
    }

    /// Returns the names of the algorithms of those digests that the set has.
    fn algorithms_of(&self, digests: &[Digest]) -> io::Result<Vec<&'static str>> {
        let mut names = Vec::new();
        for digest in digests {
            if self.set.find(digest)?.is_some() {
                names.push(digest.algorithm().name());
            }
        }
        Ok(names)
    }

    /// Returns the class of the entries of a source.
    fn class_of(&self, source: usize) -> Class {
        let of_source = || self.set.about().sources.get(source).map_or(Class::Other, |source| source.class);
        self.class.unwrap_or_else(of_source)
    }
}

/// Several sets, by which files are classified. Bad beats other, and other beats good.
#[derive(Debug, Default)]
pub struct Classifier {
    sets: Vec<ClassifiedSet>,
    /// The answers of each set about digests that many of its entries have.
    answers: Vec<Answers<Answer>>,
}

/// The answer of a set.
#[derive(Clone, Debug, Default)]
struct Answer {
    entries: KnownEntries,
    /// Whether the entries were given to a function that notes them.
    is_noted: bool,
}

/// An entry that a file is. The first in order decides about the file: by class, set and number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Known {
    /// The class of the entry.
    pub class: Class,
    /// The place of its set among those of the classifier.
    pub set: usize,
    /// Its number in the set.
    pub entry: u64,
}

/// The entries that a file is: the one that decides, and how many there are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KnownEntries {
    first: Option<Known>,
    count: usize,
    /// Of the sets and sources of the entries, those of which algorithms were guessed, with each by which a digest was
    /// found.
    guesses: BTreeSet<(usize, usize, &'static str)>,
}

impl KnownEntries {
    /// Returns the entry that decides about the file; `None` if the file is unknown.
    pub fn first(&self) -> Option<&Known> {
        self.first.as_ref()
    }

    /// Returns the number of entries.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether the file is unknown.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Whether one of the entries is of this source of this set, of which algorithms were guessed, and has a digest by
    /// the one of this name: then it was guessed right.
    pub fn confirms(&self, set: usize, source: usize, algorithm: &str) -> bool {
        self.guesses.contains(&(set, source, algorithm))
    }

    fn append(&mut self, mut others: KnownEntries) {
        self.first = self.first.into_iter().chain(others.first).min();
        self.count += others.count;
        self.guesses.append(&mut others.guesses);
    }
}

/// The entries that have a digest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found {
    /// None has it.
    Nothing,
    /// One has it.
    One(Known),
    /// Several may have it: [`Classifier::first_known`] tells of them.
    Several,
}

/// The facts that a set states about an entry.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Facts<'a> {
    /// The name of the set.
    pub set: &'a [u8],
    /// The source of the entry.
    pub origin: Option<&'a Origin>,
    /// The product; empty where the set does not keep it.
    pub product: Vec<u8>,
    /// The category; empty where the set does not keep it.
    pub category: Vec<u8>,
    /// The name of the known file; empty where the set does not keep it.
    pub name: Vec<u8>,
    /// Size of the known file in bytes, if the set keeps it.
    pub size: Option<u64>,
}

impl Classifier {
    /// Adds a set.
    pub fn push(&mut self, set: ClassifiedSet) {
        self.sets.push(set);
        self.answers.push(Answers::default());
    }

    /// Returns the sets.
    pub fn sets(&self) -> &[ClassifiedSet] {
        &self.sets
    }

    /// Checks that no set was overwritten in place since it was opened; see [`KnownSet::check_unchanged`].
    ///
    /// # Errors
    /// If one was changed or truncated, or cannot be read. The error begins with its name.
    pub fn check_unchanged(&self) -> io::Result<()> {
        self.sets.iter().try_for_each(|one| {
            one.set.check_unchanged().map_err(|error| {
                io::Error::new(error.kind(), format!("{}: {error}", String::from_utf8_lossy(&one.name)))
            })
        })
    }

    /// Returns the algorithms with which files have to be hashed, so that each entry of each set can be found.
    pub fn needed_algorithms(&self) -> Vec<Algorithm> {
        let mut needed: Vec<Algorithm> = Vec::new();
        for algorithm in self.sets.iter().flat_map(|one| one.set.needed_algorithms()) {
            if !needed.contains(&algorithm) {
                needed.push(algorithm);
            }
        }
        needed
    }

    /// Appends the digests that digits in hexadecimal may be: one for each algorithm of the sets with digests of that
    /// length. None if the digits are not hexadecimal, or no set has digests of that length.
    pub fn push_digests_in_hex(&self, digits: &[u8], digests: &mut Vec<Digest>) {
        let before = digests.len();
        for algorithm in self.sets.iter().flat_map(|one| one.set.algorithms()) {
            if !digests[before..].iter().any(|digest| digest.algorithm() == algorithm) {
                digests.extend(Digest::from_hex(algorithm, digits));
            }
        }
    }

    /// Returns the digests that digits in hexadecimal may be; see [`Classifier::push_digests_in_hex`].
    pub fn digests_in_hex(&self, digits: &[u8]) -> Vec<Digest> {
        let mut digests = Vec::new();
        self.push_digests_in_hex(digits, &mut digests);
        digests
    }

    /// Fills `found` with the entries that have each of these digests. Many at once take less time than one after the
    /// other.
    ///
    /// # Errors
    /// If a set cannot be read, or was truncated.
    pub fn find_many(&self, digests: &[Digest], found: &mut Vec<Found>) -> io::Result<()> {
        found.clear();
        found.resize(digests.len(), Found::Nothing);
        for (set, one) in self.sets.iter().enumerate() {
            let (mut all, mut result) = (found.iter_mut(), Ok(()));
            one.set.find_many(digests, |digest, place| {
                let (Some(found), Some(place)) = (all.next(), place) else { return };
                *found = match (&found, one.set.only_entry(digest, place)) {
                    (Found::Nothing, Some(entry)) => match self.known(set, entry) {
                        Ok(known) => Found::One(known),
                        Err(error) => return result = Err(error),
                    },
                    _ => Found::Several,
                };
            })?;
            result?;
        }
        Ok(())
    }

    /// Returns the first of these digests that is known by itself, with the entries that have it; `None` if none of
    /// them is known.
    ///
    /// # Errors
    /// If a set cannot be read, or was truncated.
    pub fn first_known(&self, digests: &[Digest]) -> io::Result<Option<(Digest, KnownEntries)>> {
        for &digest in digests {
            let found = self.classify(&[digest])?;
            if !found.is_empty() {
                return Ok(Some((digest, found)));
            }
        }
        Ok(None)
    }

    /// Returns the entries that a file with these digests is; without any it is unknown.
    ///
    /// # Errors
    /// If a set cannot be read, or was truncated.
    pub fn classify(&self, digests: &[Digest]) -> io::Result<KnownEntries> {
        self.classify_by(None, digests, |_, _| true, None)
    }

    /// The same of a file of a size, if that is known: a set that rules it out is not asked. Other sets are asked only
    /// about digests by some algorithms: `is_asked` has the place of the set.
    /// Calls `note` with each of the entries, unless an earlier call did so for the same digests: of digests that many
    /// entries have, answers are kept.
    ///
    /// # Errors
    /// As for [`Classifier::classify`].
    pub fn classify_by(
        &self,
        size: Option<u64>,
        digests: &[Digest],
        is_asked: impl Fn(usize, Algorithm) -> bool,
        note: Option<&dyn Fn(&Known)>,
    ) -> io::Result<KnownEntries> {
        let (mut found, mut asked) = (KnownEntries::default(), Vec::new());
        for (set, one) in self.sets.iter().enumerate() {
            if let Some(size) = size
                && one.rules_out_size(size)?
            {
                continue;
            }
            let is_asked = |algorithm| one.set.len(algorithm) > 0 && is_asked(set, algorithm);
            asked.clear();
            asked.extend(digests.iter().copied().filter(|digest| is_asked(digest.algorithm())));
            found.append(self.ask(set, &asked, note)?);
        }
        Ok(found)
    }

    /// Returns the entries of one set.
    fn ask(&self, set: usize, digests: &[Digest], note: Option<&dyn Fn(&Known)>) -> io::Result<KnownEntries> {
        let (one, answers) = (&self.sets[set], &self.answers[set]);
        let candidates = one.set.candidates(digests)?;
        let is_kept = answers.keeps(candidates.count());
        if is_kept
            && let Some(answer) = answers.get(digests)
            && (answer.is_noted || note.is_none())
        {
            return Ok(answer.entries);
        }
        let (mut found, mut by) = (KnownEntries::default(), None);
        for entry in candidates.agreeing() {
            let source = one.set.source(entry)?;
            let known = Known { class: one.class_of(source), set, entry };
            found.first = found.first.into_iter().chain([known]).min();
            found.count += 1;
            if one.set.about().sources.get(source).is_some_and(|origin| !origin.guessed.is_empty()) {
                let by = match &mut by {
                    Some(by) => by,
                    None => by.insert(one.algorithms_of(digests)?),
                };
                found.guesses.extend(by.iter().map(|algorithm| (set, source, *algorithm)));
            }
            if let Some(note) = note {
                note(&known);
            }
        }
        one.set.check()?;
        if is_kept {
            answers.put(digests, Answer { entries: found.clone(), is_noted: note.is_some() });
        }
        Ok(found)
    }

    /// Returns an entry of a set with its class.
    ///
    /// # Errors
    /// If the set cannot be read, or was truncated.
    ///
    /// # Panics
    /// If there is no set at this place.
    pub fn known(&self, set: usize, entry: u64) -> io::Result<Known> {
        let one = &self.sets[set];
        let class = match one.class {
            Some(class) => class,
            None => one.class_of(one.set.source(entry)?),
        };
        Ok(Known { class, set, entry })
    }

    /// Returns what its set tells of an entry.
    ///
    /// # Errors
    /// If the set cannot be read, or was truncated.
    ///
    /// # Panics
    /// If it is not of a set of this classifier.
    pub fn facts(&self, known: &Known) -> io::Result<Facts<'_>> {
        let ClassifiedSet { name, set, .. } = &self.sets[known.set];
        let text = |text| set.text(text, known.entry);
        Ok(Facts {
            set: name,
            origin: set.about().sources.get(set.source(known.entry)?),
            product: text(Text::Product)?,
            category: text(Text::Category)?,
            name: text(Text::Name)?,
            size: set.size(known.entry)?,
        })
    }
}
