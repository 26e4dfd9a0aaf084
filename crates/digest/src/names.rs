//! Names as people type them: finding the algorithm that is meant, or the ones that may have been.

use std::collections::HashMap;
use std::fmt;
use std::str::FromStr;
use std::sync::LazyLock;

use crate::algorithm::{Algorithm, Mode};

/// The name given is not in the registry. `Display` states it, and the close names that exist.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct UnknownAlgorithm {
    /// The name as given.
    pub name: String,
}

impl UnknownAlgorithm {
    /// No algorithm has this name.
    pub fn new(name: impl Into<String>) -> UnknownAlgorithm {
        UnknownAlgorithm { name: name.into() }
    }
}

/// A name without what does not matter in it: lower case, and no `-`, `_` or `/` but between two digits, where a `-`
/// stays (`SHA-512/256` → `sha512-256`, `fnv1a-64` → `fnv1a64`).
fn plain(name: &str) -> String {
    let mut plain = String::with_capacity(name.len());
    let mut parted = false;
    for character in name.chars() {
        if matches!(character, '-' | '_' | '/') {
            parted = true;
            continue;
        }
        if parted && character.is_ascii_digit() && plain.ends_with(|last: char| last.is_ascii_digit()) {
            plain.push('-');
        }
        parted = false;
        plain.push(character.to_ascii_lowercase());
    }
    plain
}

/// Every plain name, and those with two numbers also as one (`sha3256`), where that is nobody's plain name.
static NAMES: LazyLock<HashMap<String, Algorithm>> = LazyLock::new(|| {
    let all = || Algorithm::all().flat_map(|algorithm| names(algorithm).map(move |name| (plain(name), algorithm)));
    let mut names: HashMap<String, Algorithm> =
        all().map(|(name, algorithm)| (name.replace('-', ""), algorithm)).collect();
    names.extend(all());
    names
});

/// The official name and the aliases.
fn names(algorithm: Algorithm) -> impl Iterator<Item = &'static str> {
    std::iter::once(algorithm.name()).chain(algorithm.aliases().iter().copied())
}

/// The algorithm with this name or alias.
fn find(name: &str) -> Option<Algorithm> {
    let plain = plain(name);
    NAMES.get(plain.as_str()).or_else(|| PARAMETERS.found.get(plain.as_str())).copied()
}

/// The name of an algorithm with a mode or a length of its own.
fn of_parameters(algorithm: Algorithm) -> &'static str {
    PARAMETERS.names.get(&algorithm).map_or("", String::as_str)
}

/// Names of all algorithms that are no line of the registry as it is, some two thousand: made when the first is asked
/// for.
struct Parameters {
    names: HashMap<Algorithm, String>,
    /// By plain name.
    found: HashMap<String, Algorithm>,
}

static PARAMETERS: LazyLock<Parameters> = LazyLock::new(|| {
    let mut parameters = Parameters { names: HashMap::new(), found: HashMap::new() };
    for usual in Algorithm::all() {
        for algorithm in
            [Mode::Plain, Mode::Hmac, Mode::Keyed, Mode::DeriveKey].into_iter().filter_map(|mode| usual.with_mode(mode))
        {
            for name in names(usual) {
                let name = match algorithm.mode() {
                    Mode::Plain => name.to_owned(),
                    Mode::Hmac => format!("hmac-{name}"),
                    Mode::Keyed => format!("keyed-{name}"),
                    Mode::DeriveKey => format!("{name}-derive-key"),
                };
                parameters.add(algorithm, name.clone());
                let has_length = name.ends_with(&(8 * usual.digest_bytes()).to_string());
                let bytes = algorithm.digest_bytes_range().filter(|_| !has_length);
                for one in bytes.filter_map(|bytes| algorithm.with_digest_bytes(bytes)) {
                    parameters.add(one, format!("{name}-{}", 8 * one.digest_bytes()));
                }
            }
        }
    }
    parameters
});

impl Parameters {
    /// The first name of an algorithm is its own; a plain name belongs to the first that has it.
    fn add(&mut self, algorithm: Algorithm, name: String) {
        let plain = plain(&name);
        self.found.entry(plain.replace('-', "")).or_insert(algorithm);
        self.found.entry(plain).or_insert(algorithm);
        self.names.entry(algorithm).or_insert(name);
    }
}

impl Algorithm {
    /// Finds an algorithm by name or alias. Case, `-`, `_` and `/` do not matter (`SHA-256`, `sha_256`, `sha512/256`),
    /// but two numbers that they part are not read as another one: `sha3-84` is not `sha384`. A length in bits may
    /// follow (`shake128-512`, `blake2b-256`) and `hmac-` or `keyed-` precede (`hmac-sha256`, `keyed-blake3`).
    ///
    /// # Errors
    /// [`UnknownAlgorithm`] when no name or alias fits.
    pub fn from_name(name: &str) -> Result<Algorithm, UnknownAlgorithm> {
        find(name).ok_or_else(|| UnknownAlgorithm { name: name.to_owned() })
    }

    /// Name in output: lower case (`sha256`, `sha3-256`, `xxh3-64`).
    pub fn name(self) -> &'static str {
        if self.is_usual() { self.entry().name } else { of_parameters(self) }
    }
}

/// The name in output.
impl fmt::Display for Algorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// The name in output.
impl fmt::Debug for Algorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Algorithm {
    type Err = UnknownAlgorithm;

    /// As [`Algorithm::from_name`].
    fn from_str(name: &str) -> Result<Algorithm, UnknownAlgorithm> {
        Algorithm::from_name(name)
    }
}

/// The algorithm that has digests of several lengths, where `name` asks for one that it has not.
fn with_lengths(name: &str) -> Option<Algorithm> {
    let (base, bits) = name.rsplit_once(['-', '_', '/'])?;
    let is_number = !bits.is_empty() && bits.bytes().all(|byte| byte.is_ascii_digit());
    find(base).filter(|algorithm| is_number && algorithm.digest_bytes_range().count() > 1)
}

/// A name longer than this is a mistake of another kind: it is not compared with all others, and not repeated in full.
const NAME_CHARS_MAX: usize = 32;
/// As many as one can take in at a glance.
const SUGGESTIONS_MAX: usize = 5;

/// The names closest to `name`, of algorithms and among `others`: those that it is the beginning of, or else those with
/// the fewest typing errors.
fn suggestions(name: &str, others: &[&'static str]) -> Vec<&'static str> {
    let asked = plain(name);
    let length = asked.chars().count();
    if length > NAME_CHARS_MAX {
        return Vec::new();
    }
    let distance = |name: &str| {
        let known = plain(name);
        if length >= 3 && known.starts_with(&asked) { 0 } else { typing_errors(&asked, &known) }
    };
    let distances: Vec<(usize, &str)> = Algorithm::all()
        .filter_map(|algorithm| Some((names(algorithm).map(distance).min()?, algorithm.name())))
        .chain(others.iter().map(|other| (distance(other), *other)))
        .filter(|(distance, _)| *distance <= (length / 3).min(2))
        .collect();
    let least = distances.iter().map(|(distance, _)| *distance).min();
    distances
        .into_iter()
        .filter(|(distance, _)| Some(*distance) == least)
        .map(|(_, name)| name)
        .take(SUGGESTIONS_MAX)
        .collect()
}

/// How many characters were left out, put in, mistaken for another or swapped with their neighbour
/// (optimal string alignment; E. Ukkonen, "Algorithms for Approximate String Matching", 1985).
fn typing_errors(from: &str, to: &str) -> usize {
    let (from, to): (Vec<char>, Vec<char>) = (from.chars().collect(), to.chars().collect());
    // Row `i` has, at `j`, the errors between the first `i` characters of `from` and the first `j` of `to`.
    let mut rows = vec![(0..=to.len()).collect::<Vec<usize>>()];
    for i in 1..=from.len() {
        let mut row = vec![i];
        for j in 1..=to.len() {
            let mistaken = rows[i - 1][j - 1] + usize::from(from[i - 1] != to[j - 1]);
            let mut least = mistaken.min(rows[i - 1][j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && from[i - 1] == to[j - 2] && from[i - 2] == to[j - 1] {
                least = least.min(rows[i - 2][j - 2] + 1);
            }
            row.push(least);
        }
        rows.push(row);
    }
    rows[from.len()][to.len()]
}

impl UnknownAlgorithm {
    /// Writes that there is no `what` of this name, and which close names there are: of algorithms, and among `others`
    /// where further things can be asked for by the side of algorithms.
    ///
    /// # Errors
    /// Those of the formatter.
    pub fn describe(&self, f: &mut fmt::Formatter<'_>, what: &str, others: &[&'static str]) -> fmt::Result {
        let shown: String = self.name.chars().take(NAME_CHARS_MAX).collect();
        let rest = if shown.len() < self.name.len() { "…" } else { "" };
        let length = with_lengths(&self.name);
        // Where only the length is wrong, the algorithm is known.
        let what = if length.is_some() { "algorithm" } else { what };
        write!(f, "unknown {what} `{}{rest}`", shown.escape_debug())?;
        if let Some(algorithm) = length {
            let most = 8 * algorithm.digest_bytes_range().end();
            return write!(f, "; the length in `{algorithm}-N` is a multiple of 8 bits from 8 to {most}");
        }
        for (index, name) in suggestions(&self.name, others).into_iter().enumerate() {
            write!(f, "{} `{name}`", if index == 0 { "; close to" } else { "," })?;
        }
        f.write_str("; `pfh algorithms` lists them all")
    }
}

impl fmt::Display for UnknownAlgorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.describe(f, "algorithm", &[])
    }
}

impl std::error::Error for UnknownAlgorithm {}
