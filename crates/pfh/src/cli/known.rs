//! Cryptographic digests that are looked for.

use super::digest_list::{List, Loaded, Name, Others, algorithms_of, too_many};
use super::hash::Stop;
use super::message;
use pfh_digest::{Algorithm, Digest};
use pfh_record::Listed;
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};

/// Digests of lists, in memory.
pub(crate) struct Known {
    entries: Vec<Entry>,
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

/// An algorithm that was guessed for digests of a list (`None`: for that of the command line).
struct Guess {
    list: Option<u32>,
    algorithm: Algorithm,
    /// A match has shown it to be right.
    is_right: AtomicBool,
}

struct Entry {
    name: Vec<u8>,
    /// How many names the list has for these digests, this one included.
    names: u64,
    list: Option<u32>,
    digests: Vec<Digest>,
}

/// Memory of an entry beside its name and digests, in bytes, about: a place and its key.
const ENTRY_BYTES: u64 = 200;

/// What a file, or an entry of a list, matches in one list.
pub(crate) struct Match {
    /// The first entry.
    pub(crate) entry: u32,
    /// How many names the list has for what matches.
    pub(crate) names: u64,
}

impl Known {
    /// None yet; no more than fit `bytes_max`.
    pub(crate) fn new(bytes_max: u64, wanted: Option<Algorithm>, all_names: bool) -> Known {
        Known {
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

    /// Adds the digest of the command line.
    pub(crate) fn push(&mut self, name: &[u8], digest: Digest, guessed: bool) -> Result<(), Stop> {
        self.push_entry(name.to_vec(), None, vec![digest], guessed)
    }

    /// Adds a list. Lines that cannot be read are reported, unless `quiet`.
    pub(crate) fn load(&mut self, list: List, quiet: bool) -> Result<Loaded, Stop> {
        self.lists.push(list.name().to_vec());
        let place = self.lists.len() as u32 - 1;
        let (mut broken, mut others, mut is_useless) = (0, Others::default(), true);
        for mut listed in list.listed(quiet, &mut broken) {
            others.add(&listed);
            if let Some(wanted) = self.wanted {
                listed.digests.retain(|digest| digest.algorithm() == wanted);
            }
            let Listed { path, digests, piece: None, algorithm_guessed, .. } = listed else { continue };
            if !digests.is_empty() {
                is_useless = false;
                // Lists of mere digests have no names.
                let name = if path.is_empty() { digests[0].to_string().into_bytes() } else { path };
                self.push_entry(name, Some(place), digests, algorithm_guessed)?;
            }
        }
        let wanted = self.wanted.map_or("cryptographic algorithms".to_owned(), |wanted| wanted.to_string());
        let useless = is_useless.then(|| others.instead_of(&self.lists[place as usize], Some(&wanted)));
        Ok(Loaded { broken, useless })
    }

    fn push_entry(
        &mut self,
        name: Vec<u8>,
        list: Option<u32>,
        digests: Vec<Digest>,
        guessed: bool,
    ) -> Result<(), Stop> {
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
        self.entries.push(Entry { name, names: 1, list, digests });
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

    /// The entries whose digests are all among these, as far as these have their algorithms: the first of each list, or all.
    pub(crate) fn matches(&self, digests: &[Digest]) -> Vec<Match> {
        let agrees = |entry: &u32| {
            self.entries[*entry as usize].digests.iter().all(|known| {
                let own = digests.iter().find(|own| own.algorithm() == known.algorithm());
                own.is_none_or(|own| own == known)
            })
        };
        let candidates = digests.iter().filter_map(|digest| self.places.get(digest)).flatten();
        let mut entries: Vec<u32> = candidates.copied().filter(agrees).collect();
        entries.sort_unstable();
        let mut matches: Vec<Match> = Vec::new();
        for entry in entries {
            let Entry { name, names, list, .. } = &self.entries[entry as usize];
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

    /// An entry has matched: what was guessed of it is right.
    pub(crate) fn confirm(&self, entry: u32) {
        let Entry { list, digests, .. } = &self.entries[entry as usize];
        for guess in self.guesses.iter().filter(|guess| guess.list == *list) {
            if digests.iter().any(|digest| digest.algorithm() == guess.algorithm) {
                guess.is_right.store(true, Ordering::Relaxed);
            }
        }
    }

    /// What there is to say where nothing matched of digests whose algorithm was only guessed.
    pub(crate) fn doubts(&self) -> Vec<String> {
        let doubtful = self.guesses.iter().filter(|guess| !guess.is_right.load(Ordering::Relaxed));
        let text = |Guess { list, algorithm, .. }: &Guess| {
            let what = match list {
                Some(list) => format!("{}: its digests were", message::quoted(&self.lists[*list as usize])),
                None => "--digest was".to_owned(),
            };
            let name = algorithm.to_string();
            let mut others = algorithms_of(2 * algorithm.digest_bytes());
            others.retain(|other| *other != name);
            format!(
                "{what} taken for {name} by the length, and nothing matches; `-a {name}` says that this is right, and \
                 other algorithms of this length are {}",
                others.join(", ")
            )
        };
        doubtful.map(text).collect()
    }
}
