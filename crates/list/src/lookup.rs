//! Looking up digests in a collection of known digests.

use std::collections::HashMap;
use std::fmt;
use std::iter;
use std::sync::atomic::{AtomicBool, Ordering};

use pfh_digest::{Algorithm, Digest};
use pfh_record::quote::quoted;
use pfh_record::{Entry, ReadError};

use crate::answers::Answers;
use crate::contents::{Contents, NothingUseful};
use crate::list::{List, names_of_length};

/// The name of an entry, and its list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Name<'a> {
    /// The name of the list; `None` for an entry from no list.
    pub list: Option<&'a [u8]>,
    /// The name in raw bytes.
    pub name: &'a [u8],
}

/// Digests from lists, in memory.
#[derive(Debug)]
pub struct KnownDigests {
    entries: Vec<Known>,
    /// Entries by each of their digests.
    places: HashMap<Digest, Vec<Alike>>,
    algorithms: Vec<Algorithm>,
    answers: Answers<Vec<Match>>,
    /// The only algorithm to load; `None` for all.
    wanted: Option<Algorithm>,
    /// Whether each name that a list has for the same digests is an entry, instead of the first name and a count.
    all_names: bool,
    lists: Vec<Vec<u8>>,
    guesses: Vec<Guess>,
    without_digest: u64,
    may_be_pieces: u64,
    bytes: u64,
    bytes_max: u64,
}

/// Entries that have a digest, and digests by the same algorithms. They are in order.
#[derive(Debug)]
struct Alike {
    /// Their algorithms: a bit for each of the first 64 of the collection.
    algorithms: u64,
    /// Most digests have one entry, which takes no memory of its own here.
    first: u32,
    others: Vec<u32>,
}

impl Alike {
    fn entries(&self) -> impl Iterator<Item = u64> {
        iter::once(&self.first).chain(&self.others).map(|&entry| u64::from(entry))
    }

    fn last(&self) -> u32 {
        *self.others.last().unwrap_or(&self.first)
    }
}

/// An algorithm that was guessed for digests of a list, or of no list (`None`).
#[derive(Debug)]
struct Guess {
    list: Option<u32>,
    algorithm: Algorithm,
    /// Whether a match has confirmed it.
    is_right: AtomicBool,
}

#[derive(Debug)]
struct Known {
    name: Vec<u8>,
    /// Number of names that the list has for these digests, including this one.
    names: u64,
    list: Option<u32>,
    digests: Vec<Digest>,
}

/// Approximate memory of an entry beside its name and digests, in bytes.
const ENTRY_BYTES: u64 = 80;

/// Approximate memory of the place of an entry by one digest, with its key, in bytes.
const PLACE_BYTES: u64 = 240;

/// The error that a collection of digests exceeds its share of memory. `Display` says what to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooManyDigests {
    /// Number of digests up to then.
    pub count: usize,
}

impl fmt::Display for TooManyDigests {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} digests take more than their share of the memory option; give a larger -m", self.count)
    }
}

impl std::error::Error for TooManyDigests {}

/// A match of a file, or of an entry of a list, in one list of known digests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Match {
    /// The number of the first entry.
    pub entry: u64,
    /// Number of names that the list has for these digests.
    pub names: u64,
}

/// A guessed algorithm none of whose digests matched. `Display` says what to do.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Doubt {
    /// The name of the list; `None` for a digest from no list.
    pub list: Option<Vec<u8>>,
    /// The algorithm that was guessed from the length.
    pub algorithm: Algorithm,
}

impl Doubt {
    /// Makes the doubt about a list, or about a digest from none.
    pub fn new(list: Option<Vec<u8>>, algorithm: Algorithm) -> Doubt {
        Doubt { list, algorithm }
    }
}

impl fmt::Display for Doubt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.list {
            Some(list) => write!(f, "{}: its digests were", quoted(list))?,
            None => f.write_str("--digest was")?,
        }
        let name = self.algorithm.name();
        let mut others = names_of_length(2 * self.algorithm.digest_bytes());
        others.retain(|other| *other != name);
        write!(
            f,
            " taken for {name} because of the length, and nothing matches; `-a {name}` confirms this, and other \
             algorithms of this length are {}",
            others.join(", ")
        )
    }
}

impl KnownDigests {
    /// Begins a collection that takes at most about `bytes_max` bytes of memory. With `wanted`, it keeps only digests
    /// of this algorithm. With `all_names`, each name that a list has for the same digests is an entry.
    pub fn new(bytes_max: u64, wanted: Option<Algorithm>, all_names: bool) -> KnownDigests {
        KnownDigests {
            entries: Vec::new(),
            places: HashMap::new(),
            algorithms: Vec::new(),
            answers: Answers::default(),
            wanted,
            all_names,
            lists: Vec::new(),
            guesses: Vec::new(),
            without_digest: 0,
            may_be_pieces: 0,
            bytes: 0,
            bytes_max,
        }
    }

    /// Adds a digest from no list, if it is wanted. `guessed`: its algorithm is a guess.
    ///
    /// # Errors
    /// [`TooManyDigests`].
    pub fn push(&mut self, name: &[u8], digest: Digest, guessed: bool) -> Result<(), TooManyDigests> {
        if self.wanted.is_some_and(|wanted| digest.algorithm() != wanted) {
            return Ok(());
        }
        self.push_entry(name.to_vec(), None, vec![digest], guessed)
    }

    /// Adds the digests of a list. Calls `broken` with each line that cannot be read. If the list has no wanted digest,
    /// returns what it has instead.
    ///
    /// # Errors
    /// [`TooManyDigests`].
    pub fn load(
        &mut self,
        list: &mut List,
        broken: &mut dyn FnMut(ReadError),
    ) -> Result<Option<NothingUseful>, TooManyDigests> {
        self.lists.push(list.name().to_vec());
        let place = self.lists.len() as u32 - 1;
        let (mut contents, mut is_useless) = (Contents::of(list), true);
        for entry in list {
            let mut entry = match entry {
                Ok(entry) => entry,
                Err(error) => {
                    broken(error);
                    continue;
                }
            };
            contents.add(&entry);
            // A line of another algorithm is no such entry: lists may have a line for each algorithm.
            let has_none = entry.digests.is_empty() && entry.similarities.is_empty();
            self.without_digest += u64::from(has_none && entry.piece.is_none() && entry.is_file());
            if let Some(wanted) = self.wanted {
                entry.digests.retain(|digest| digest.algorithm() == wanted);
            }
            let Entry { path, digests, piece: None, algorithm_guessed, .. } = entry else { continue };
            if !digests.is_empty() {
                is_useless = false;
                // Lists of only digests have no names.
                let name = if path.is_empty() { digests[0].to_string().into_bytes() } else { path };
                self.push_entry(name, Some(place), digests, algorithm_guessed)?;
            }
        }
        self.may_be_pieces += contents.may_be_pieces();
        let wanted = self.wanted.map_or("cryptographic algorithms", |wanted| wanted.name());
        Ok(is_useless.then(|| contents.instead_of(&self.lists[place as usize], wanted)))
    }

    fn push_entry(
        &mut self,
        name: Vec<u8>,
        list: Option<u32>,
        digests: Vec<Digest>,
        guessed: bool,
    ) -> Result<(), TooManyDigests> {
        let Some(first) = digests.first() else { return Ok(()) };
        self.answers.clear();
        let alike = self.places.get(first);
        let latest = alike.and_then(|alike| alike.iter().map(Alike::last).max());
        let latest = latest.and_then(|latest| self.entries.get_mut(latest as usize));
        if let Some(latest) =
            latest.filter(|latest| !self.all_names && (latest.list, &latest.digests) == (list, &digests))
        {
            latest.names += 1;
            return Ok(());
        }
        let place = self.entries.len() as u32;
        for digest in &digests {
            let algorithm = digest.algorithm();
            if !self.algorithms.contains(&algorithm) {
                self.algorithms.push(algorithm);
            }
            let is_same = |guess: &Guess| (guess.list, guess.algorithm) == (list, algorithm);
            if guessed && !self.guesses.iter().any(is_same) {
                self.guesses.push(Guess { list, algorithm, is_right: AtomicBool::new(false) });
            }
        }
        let algorithms = digests.iter().fold(0_u64, |algorithms, digest| algorithms | self.bit(digest.algorithm()));
        for digest in &digests {
            let alike = self.places.entry(*digest).or_insert_with(|| Vec::with_capacity(1));
            match alike.iter_mut().find(|alike| alike.algorithms == algorithms) {
                Some(alike) => alike.others.push(place),
                None => alike.push(Alike { algorithms, first: place, others: Vec::new() }),
            }
        }
        self.bytes += ENTRY_BYTES + PLACE_BYTES * digests.len() as u64 + (name.len() + size_of_val(&*digests)) as u64;
        self.entries.push(Known { name, names: 1, list, digests });
        if self.bytes > self.bytes_max || self.entries.len() >= u32::MAX as usize {
            return Err(TooManyDigests { count: self.entries.len() });
        }
        Ok(())
    }

    /// Returns the algorithms of its digests. A look-up of files needs no others.
    pub fn algorithms(&self) -> &[Algorithm] {
        &self.algorithms
    }

    /// Returns the number of files in the lists that no file can be found to be, because they have no digest, such as
    /// those that could not be read.
    pub fn without_digest(&self) -> u64 {
        self.without_digest
    }

    /// Returns the number of entries of the lists that are left out, because their names tell that they may be of
    /// pieces; see [`Contents::may_be_pieces`].
    pub fn may_be_pieces(&self) -> u64 {
        self.may_be_pieces
    }

    /// Returns the name of an entry.
    ///
    /// # Panics
    /// If there is no entry of this number.
    pub fn name(&self, entry: u64) -> Name<'_> {
        let Known { name, list, .. } = &self.entries[entry as usize];
        Name { list: list.map(|list| &*self.lists[list as usize]), name }
    }

    /// Returns the entries whose digests all equal these, as far as these have the algorithms: the first entry of each
    /// list, or all entries.
    pub fn matches(&self, digests: &[Digest]) -> Vec<Match> {
        let first_by = |algorithm: &Algorithm| digests.iter().find(|own| own.algorithm() == *algorithm).copied();
        let asked: Vec<Digest> = self.algorithms.iter().filter_map(first_by).collect();
        let candidates = self.candidates(&asked);
        // All names take as long to tell as to find.
        let is_kept = !self.all_names && self.answers.keeps(count(candidates.iter().copied()));
        if is_kept && let Some(matches) = self.answers.get(&asked) {
            return matches;
        }
        let agrees = |entry: &u64| {
            self.entries[*entry as usize].digests.iter().all(|known| {
                let own = asked.iter().find(|own| own.algorithm() == known.algorithm());
                own.is_none_or(|own| own == known)
            })
        };
        let mut entries: Vec<u64> = candidates.iter().flat_map(|alike| alike.entries()).filter(agrees).collect();
        entries.sort_unstable();
        entries.dedup();
        let mut matches: Vec<Match> = Vec::new();
        for entry in entries {
            let Known { name, names, list, .. } = &self.entries[entry as usize];
            // The entries of a list are consecutive.
            let first = matches.last_mut().map(|last| (&self.entries[last.entry as usize], last));
            match first.filter(|(first, _)| !self.all_names && first.list == *list) {
                // Lists with one line per algorithm name a file once for each.
                Some((first, last)) => last.names += names - u64::from(first.name == *name),
                None => matches.push(Match { entry, names: *names }),
            }
        }
        if is_kept {
            self.answers.put(&asked, matches.clone());
        }
        matches
    }

    /// Returns the entries among which are those that agree with these digests. One that has several of their
    /// algorithms is there for the digest that the fewest entries have, even if millions have another one.
    fn candidates(&self, digests: &[Digest]) -> Vec<&Alike> {
        let of_digest = |digest: &Digest| {
            let alike = self.places.get(digest).map(Vec::as_slice).unwrap_or_default();
            (self.bit(digest.algorithm()), alike)
        };
        let mut by_digest: Vec<(u64, &[Alike])> = digests.iter().map(of_digest).collect();
        by_digest.sort_by_key(|(_, alike)| count(*alike));
        let (mut candidates, mut done) = (Vec::new(), 0);
        for (algorithm, alike) in by_digest {
            candidates.extend(alike.iter().filter(|alike| alike.algorithms & done == 0));
            done |= algorithm;
        }
        candidates
    }

    /// Returns the bit of an algorithm among those of [`Alike`]; none if it is not one of the first.
    fn bit(&self, algorithm: Algorithm) -> u64 {
        let place = self.algorithms.iter().position(|own| *own == algorithm);
        place.and_then(|place| 1_u64.checked_shl(place as u32)).unwrap_or(0)
    }

    /// Notes that an entry has matched, which confirms its guessed algorithm.
    ///
    /// # Panics
    /// If there is no entry of this number.
    pub fn confirm(&self, entry: u64) {
        let Known { list, digests, .. } = &self.entries[entry as usize];
        for guess in self.guesses.iter().filter(|guess| guess.list == *list) {
            if digests.iter().any(|digest| digest.algorithm() == guess.algorithm) {
                guess.is_right.store(true, Ordering::Relaxed);
            }
        }
    }

    /// Returns the guessed algorithms none of whose digests matched.
    pub fn doubts(&self) -> Vec<Doubt> {
        let doubtful = self.guesses.iter().filter(|guess| !guess.is_right.load(Ordering::Relaxed));
        let doubt = |Guess { list, algorithm, .. }: &Guess| Doubt {
            list: list.map(|list| self.lists[list as usize].clone()),
            algorithm: *algorithm,
        };
        doubtful.map(doubt).collect()
    }
}

/// Returns the number of entries.
fn count<'a>(alike: impl IntoIterator<Item = &'a Alike>) -> u64 {
    alike.into_iter().map(|alike| 1 + alike.others.len() as u64).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Input;
    use pfh_record::ReadOptions;

    fn digest(algorithm: &str, text: &str) -> Digest {
        Algorithm::from_name(algorithm).unwrap().digest(text.as_bytes())
    }

    fn known(all_names: bool, lists: &[(&'static str, String)]) -> KnownDigests {
        let mut known = KnownDigests::new(u64::MAX, None, all_names);
        for (name, text) in lists {
            let mut list = List::open(Input::bytes(*name, text.clone()), ReadOptions::default()).unwrap();
            assert_eq!(known.load(&mut list, &mut |error| panic!("{error}")).unwrap(), None);
        }
        known
    }

    #[test]
    fn a_digest_is_found_in_every_list() {
        let line = |text, name| format!("{}  {name}\n", digest("md5", text));
        let lists = [("one.md5", line("a", "a") + &line("b", "b")), ("other.md5", line("b", "c"))];
        let known = known(false, &lists);
        assert_eq!(known.algorithms(), [Algorithm::from_name("md5").unwrap()]);
        let found = |text| known.matches(&[digest("md5", text)]);
        assert_eq!(found("a"), [Match { entry: 0, names: 1 }]);
        assert_eq!(found("b"), [Match { entry: 1, names: 1 }, Match { entry: 2, names: 1 }]);
        assert_eq!(found("c"), []);
        assert_eq!(known.name(1), Name { list: Some(b"one.md5"), name: b"b" });
        assert_eq!(known.name(2), Name { list: Some(b"other.md5"), name: b"c" });
    }

    #[test]
    fn only_wanted_digests_are_kept() {
        let mut known = KnownDigests::new(u64::MAX, Some(Algorithm::from_name("md5").unwrap()), false);
        known.push(b"other", digest("sha1", "a"), false).unwrap();
        known.push(b"wanted", digest("md5", "a"), false).unwrap();
        assert_eq!(known.algorithms(), [Algorithm::from_name("md5").unwrap()]);
        assert_eq!(known.matches(&[digest("sha1", "a")]), []);
        assert_eq!(known.matches(&[digest("md5", "a")]), [Match { entry: 0, names: 1 }]);
    }

    #[test]
    fn names_for_the_same_digests_are_counted_or_kept() {
        let text: String = ["x", "y", "z"].iter().map(|name| format!("{}  {name}\n", digest("md5", "a"))).collect();
        let looked_up = [digest("md5", "a")];
        assert_eq!(known(false, &[("l.md5", text.clone())]).matches(&looked_up), [Match { entry: 0, names: 3 }]);
        let all = known(true, &[("l.md5", text)]).matches(&looked_up);
        assert_eq!(all.iter().map(|found| found.entry).collect::<Vec<_>>(), [0, 1, 2]);
    }

    #[test]
    fn all_digests_of_an_entry_have_to_agree() {
        let text = format!(
            "%%%% HASHDEEP-1.0\n%%%% size,md5,sha1,filename\n1,{},{},x\n",
            digest("md5", "a"),
            digest("sha1", "a")
        );
        let known = known(false, &[("list", text)]);
        let matches = |md5: &str, sha1: &str| known.matches(&[digest("md5", md5), digest("sha1", sha1)]).len();
        assert_eq!([matches("a", "a"), matches("b", "a"), matches("a", "b")], [1, 0, 0]);
        // Of a list that has one of the algorithms, one has to.
        for (algorithm, text, found) in [("md5", "a", 1), ("sha1", "a", 1), ("md5", "b", 0)] {
            assert_eq!(known.matches(&[digest(algorithm, text)]).len(), found, "{algorithm} of {text}");
        }
    }

    /// Otherwise the time would grow with the files that have the digest times the entries.
    #[test]
    fn the_entries_of_a_common_digest_are_not_gone_through_for_each_file() {
        let common = digest("md5", "common");
        let line = |file: u32| format!("1,{common},{},{file}\n", digest("sha256", &file.to_string()));
        let lines: String = (0..200).map(line).collect();
        let lists = [
            ("list", format!("%%%% HASHDEEP-1.0\n%%%% size,md5,sha256,filename\n{lines}")),
            ("other", format!("{common}  x\n")),
        ];
        let mut all = known(false, &lists);
        let candidates = |digests: &[Digest]| count(all.candidates(digests));
        assert_eq!(candidates(&[common]), 201);
        // With the other digest, one entry of the one list and one of the other.
        assert_eq!(candidates(&[common, digest("sha256", "7")]), 2);
        assert_eq!(candidates(&[common, digest("sha256", "new")]), 1);
        assert_eq!(candidates(&[digest("sha256", "7"), digest("md5", "new")]), 0);
        let matches = [Match { entry: 0, names: 200 }, Match { entry: 200, names: 1 }];
        assert_eq!(all.matches(&[common]), matches);
        assert_eq!(all.matches(&[common, digest("sha256", "7")]), [Match { entry: 7, names: 1 }, matches[1]]);
        assert_eq!(all.matches(&[common, digest("sha256", "new")]), [matches[1]]);
        // An answer that took long is kept, until there are more entries.
        assert_eq!(all.answers.get(&[common]).unwrap(), matches);
        all.answers.put(&[common], Vec::new());
        assert_eq!(all.matches(&[digest("sha1", "of no list"), common]), []);
        all.push(b"y", common, false).unwrap();
        assert_eq!(all.matches(&[common]), [matches[0], matches[1], Match { entry: 201, names: 1 }]);
        // With all names, there is nothing to save.
        let named = known(true, &lists);
        assert_eq!(named.matches(&[common]).len(), 201);
        assert_eq!(named.answers.get(&[common]), None);
    }

    #[test]
    fn guesses_are_doubted_until_they_match() {
        let known = known(false, &[("list", format!("{}  x\n", digest("md5", "a")))]);
        assert_eq!(known.doubts().len(), 1);
        assert!(
            known.doubts()[0].to_string().starts_with("`list`: its digests were taken for md5 because of the length")
        );
        known.confirm(0);
        assert_eq!(known.doubts(), []);
    }

    #[test]
    fn more_than_the_memory_allows_is_refused() {
        let mut known = KnownDigests::new(1000, None, false);
        let pushed = (0..100).try_for_each(|i| known.push(b"x", digest("md5", &i.to_string()), false));
        assert!(pushed.is_err_and(|error| error.count < 10));
    }
}
