//! Known digests, and whether a digest is among them.

use std::collections::HashMap;
use std::fmt;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};

use pfh_digest::{Algorithm, Digest};
use pfh_record::quote::quoted;
use pfh_record::{Entry, ReadError};

use crate::contents::{Contents, NothingUseful};
use crate::list::{List, names_of_length};

/// A collection of known digests that can be asked for one.
pub trait Lookup: Sync {
    /// The algorithms whose digests it has. Others need not be made to look files up.
    fn algorithms(&self) -> &[Algorithm];

    /// The entries that have this digest, in the order of their numbers: none where it is not known.
    ///
    /// # Errors
    /// Where the collection is not in memory and cannot be read.
    fn find(&self, digest: &Digest) -> io::Result<Vec<Hit>>;
}

/// Where a digest was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Hit {
    /// The set that has it: the place of the list among those that were loaded; absent for a digest that came from no
    /// list.
    pub set: Option<u32>,
    /// The number of the entry in the whole collection.
    pub entry: u64,
}

/// A name, and the list that it came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Name<'a> {
    /// The name of the list; absent for what came from none.
    pub list: Option<&'a [u8]>,
    /// The name, raw bytes.
    pub name: &'a [u8],
}

/// Digests of lists, in memory.
#[derive(Debug)]
pub struct KnownDigests {
    entries: Vec<Known>,
    /// Entries by their longest digest.
    places: HashMap<Digest, Vec<u32>>,
    algorithms: Vec<Algorithm>,
    /// Other algorithms are left out where one is asked for.
    wanted: Option<Algorithm>,
    /// One entry for each name that a list has for the same digests, instead of the first name and a count.
    all_names: bool,
    lists: Vec<Vec<u8>>,
    guesses: Vec<Guess>,
    bytes: u64,
    bytes_max: u64,
}

/// An algorithm that was guessed for digests of a list (`None`: for one that came from no list).
#[derive(Debug)]
struct Guess {
    list: Option<u32>,
    algorithm: Algorithm,
    /// A match has shown it to be right.
    is_right: AtomicBool,
}

#[derive(Debug)]
struct Known {
    name: Vec<u8>,
    /// How many names the list has for these digests, this one included.
    names: u64,
    list: Option<u32>,
    digests: Vec<Digest>,
}

/// Memory of an entry beside its name and digests, in bytes, about: a place and its key.
const ENTRY_BYTES: u64 = 200;

/// The digests that a collection has exceed its share of memory. `Display` says what to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooManyDigests {
    /// How many there were by then.
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
pub struct Match {
    /// The number of the first entry.
    pub entry: u64,
    /// How many names the list has for what matches.
    pub names: u64,
}

/// An algorithm that was only guessed, of digests of which none matched. `Display` says what to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Doubt {
    /// The name of the list; absent for a digest that came from none.
    pub list: Option<Vec<u8>>,
    /// The algorithm that was guessed from the length.
    pub algorithm: Algorithm,
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
            " taken for {name} by the length, and nothing matches; `-a {name}` says that this is right, and other \
             algorithms of this length are {}",
            others.join(", ")
        )
    }
}

impl Lookup for KnownDigests {
    fn algorithms(&self) -> &[Algorithm] {
        &self.algorithms
    }

    /// An entry with several digests is found by the longest of them.
    fn find(&self, digest: &Digest) -> io::Result<Vec<Hit>> {
        Ok(self.hits(digest).collect())
    }
}

impl KnownDigests {
    /// Begins a collection that takes at most about `bytes_max` bytes of memory. `wanted`: only digests of this
    /// algorithm.
    /// `all_names`: an entry for each name that a list has for the same digests.
    pub fn new(bytes_max: u64, wanted: Option<Algorithm>, all_names: bool) -> KnownDigests {
        KnownDigests {
            entries: Vec::new(),
            places: HashMap::new(),
            algorithms: Vec::new(),
            wanted,
            all_names,
            lists: Vec::new(),
            guesses: Vec::new(),
            bytes: 0,
            bytes_max,
        }
    }

    /// Adds a digest that is from no list. `guessed`: nothing named its algorithm.
    ///
    /// # Errors
    /// [`TooManyDigests`].
    pub fn push(&mut self, name: &[u8], digest: Digest, guessed: bool) -> Result<(), TooManyDigests> {
        self.push_entry(name.to_vec(), None, vec![digest], guessed)
    }

    /// Adds the digests of a list. `broken` is called with each line that cannot be read. Returns what the list has
    /// instead, where it has none of use.
    ///
    /// # Errors
    /// [`TooManyDigests`].
    pub fn load(
        &mut self,
        list: List,
        broken: &mut dyn FnMut(ReadError),
    ) -> Result<Option<NothingUseful>, TooManyDigests> {
        self.lists.push(list.name().to_vec());
        let place = self.lists.len() as u32 - 1;
        let (mut contents, mut is_useless) = (Contents::default(), true);
        for entry in list {
            let mut entry = match entry {
                Ok(entry) => entry,
                Err(error) => {
                    broken(error);
                    continue;
                }
            };
            contents.add(&entry);
            if let Some(wanted) = self.wanted {
                entry.digests.retain(|digest| digest.algorithm() == wanted);
            }
            let Entry { path, digests, piece: None, algorithm_guessed, .. } = entry else { continue };
            if !digests.is_empty() {
                is_useless = false;
                // Lists of mere digests have no names.
                let name = if path.is_empty() { digests[0].to_string().into_bytes() } else { path };
                self.push_entry(name, Some(place), digests, algorithm_guessed)?;
            }
        }
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
        let Some(longest) = digests.iter().max_by_key(|digest| digest.bytes().len()) else { return Ok(()) };
        let places = self.places.entry(*longest).or_default();
        let latest = places.last().and_then(|&place| self.entries.get_mut(place as usize));
        if let Some(latest) =
            latest.filter(|latest| !self.all_names && (latest.list, &latest.digests) == (list, &digests))
        {
            latest.names += 1;
            return Ok(());
        }
        places.push(self.entries.len() as u32);
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
        self.bytes += ENTRY_BYTES + (name.len() + size_of_val(&*digests)) as u64;
        self.entries.push(Known { name, names: 1, list, digests });
        if self.bytes > self.bytes_max || self.entries.len() >= u32::MAX as usize {
            return Err(TooManyDigests { count: self.entries.len() });
        }
        Ok(())
    }

    /// The name of an entry.
    ///
    /// # Panics
    /// Where there is no entry of this number.
    pub fn name(&self, entry: u64) -> Name<'_> {
        let Known { name, list, .. } = &self.entries[entry as usize];
        Name { list: list.map(|list| &*self.lists[list as usize]), name }
    }

    /// The entries whose digests are all among these, as far as these have their algorithms: the first of each list, or
    /// all.
    pub fn matches(&self, digests: &[Digest]) -> Vec<Match> {
        let agrees = |hit: &Hit| {
            self.entries[hit.entry as usize].digests.iter().all(|known| {
                let own = digests.iter().find(|own| own.algorithm() == known.algorithm());
                own.is_none_or(|own| own == known)
            })
        };
        let candidates = digests.iter().flat_map(|digest| self.hits(digest));
        let mut entries: Vec<u64> = candidates.filter(agrees).map(|hit| hit.entry).collect();
        entries.sort_unstable();
        let mut matches: Vec<Match> = Vec::new();
        for entry in entries {
            let Known { name, names, list, .. } = &self.entries[entry as usize];
            // A list's entries follow each other.
            let first = matches.last_mut().map(|last| (&self.entries[last.entry as usize], last));
            match first.filter(|(first, _)| !self.all_names && first.list == *list) {
                // Lists of lines for single algorithms name a file once for each.
                Some((first, last)) => last.names += names - u64::from(first.name == *name),
                None => matches.push(Match { entry, names: *names }),
            }
        }
        matches
    }

    fn hits(&self, digest: &Digest) -> impl Iterator<Item = Hit> + '_ {
        let places = self.places.get(digest).into_iter().flatten();
        places.map(|&entry| Hit { set: self.entries[entry as usize].list, entry: entry.into() })
    }

    /// Notes that an entry has matched: the algorithm that was guessed of it is right.
    ///
    /// # Panics
    /// Where there is no entry of this number.
    pub fn confirm(&self, entry: u64) {
        let Known { list, digests, .. } = &self.entries[entry as usize];
        for guess in self.guesses.iter().filter(|guess| guess.list == *list) {
            if digests.iter().any(|digest| digest.algorithm() == guess.algorithm) {
                guess.is_right.store(true, Ordering::Relaxed);
            }
        }
    }

    /// The algorithms that were only guessed, and of whose digests none matched.
    pub fn doubts(&self) -> Vec<Doubt> {
        let doubtful = self.guesses.iter().filter(|guess| !guess.is_right.load(Ordering::Relaxed));
        let doubt = |Guess { list, algorithm, .. }: &Guess| Doubt {
            list: list.map(|list| self.lists[list as usize].clone()),
            algorithm: *algorithm,
        };
        doubtful.map(doubt).collect()
    }
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
            let list = List::open(Input::bytes(*name, text.clone()), ReadOptions::default()).unwrap();
            assert_eq!(known.load(list, &mut |error| panic!("{error}")).unwrap(), None);
        }
        known
    }

    #[test]
    fn a_hit_tells_set_and_entry() {
        let line = |text, name| format!("{}  {name}\n", digest("md5", text));
        let lists = [("one.md5", line("a", "a") + &line("b", "b")), ("other.md5", line("b", "c"))];
        let known = known(false, &lists);
        assert_eq!(known.algorithms(), [Algorithm::from_name("md5").unwrap()]);
        let found = |text| known.find(&digest("md5", text)).unwrap();
        assert_eq!(found("a"), [Hit { set: Some(0), entry: 0 }]);
        assert_eq!(found("b"), [Hit { set: Some(0), entry: 1 }, Hit { set: Some(1), entry: 2 }]);
        assert_eq!(found("c"), []);
        assert_eq!(known.name(2), Name { list: Some(b"other.md5"), name: b"c" });
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
    }

    #[test]
    fn guesses_are_doubted_until_they_match() {
        let known = known(false, &[("list", format!("{}  x\n", digest("md5", "a")))]);
        assert_eq!(known.doubts().len(), 1);
        assert!(known.doubts()[0].to_string().starts_with("`list`: its digests were taken for md5 by the length"));
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
