//! The digests that a run computes, or a list has.

use std::fmt;
use std::str::FromStr;

use pfh_digest::{Algorithm, UnknownAlgorithm};
use pfh_similarity::Family;

/// A kind of digest that can be requested by name. Exhaustive: code that ignored a kind would lose digests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DigestKind {
    /// An algorithm of the registry.
    Algorithm(Algorithm),
    /// A family of similarity digests.
    Family(Family),
}

impl DigestKind {
    /// Returns the name, as on the command line and in the headers of lists.
    pub fn name(self) -> &'static str {
        match self {
            DigestKind::Algorithm(algorithm) => algorithm.name(),
            DigestKind::Family(family) => family.name(),
        }
    }
}

impl fmt::Display for DigestKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl From<Algorithm> for DigestKind {
    fn from(algorithm: Algorithm) -> DigestKind {
        DigestKind::Algorithm(algorithm)
    }
}

impl From<Family> for DigestKind {
    fn from(family: Family) -> DigestKind {
        DigestKind::Family(family)
    }
}

/// The error of a name that neither an algorithm nor a similarity family has. `Display` suggests similar names.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct UnknownDigest {
    /// The name as given.
    pub name: String,
}

impl fmt::Display for UnknownDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let families = Family::ALL.map(Family::name);
        UnknownAlgorithm::new(&self.name).describe(f, "algorithm or similarity family", &families)
    }
}

impl std::error::Error for UnknownDigest {}

impl FromStr for DigestKind {
    type Err = UnknownDigest;

    /// Understands the names and aliases of [`Algorithm::from_name`] and of [`Family`].
    fn from_str(name: &str) -> Result<DigestKind, UnknownDigest> {
        match (Algorithm::from_name(name), name.parse()) {
            (Ok(algorithm), _) => Ok(DigestKind::Algorithm(algorithm)),
            (Err(_), Ok(family)) => Ok(DigestKind::Family(family)),
            (Err(_), Err(_)) => Err(UnknownDigest { name: name.to_owned() }),
        }
    }
}

/// The digests that a run computes: algorithms and similarity families, each once, and each of the two in its own
/// order.
///
/// ```
/// use pfh_record::Selection;
///
/// let selection = Selection::parse("ssdeep, sha256")?;
/// assert_eq!(selection.names().collect::<Vec<_>>(), ["sha256", "ssdeep"]);
/// # Ok::<(), pfh_record::UnknownDigest>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    algorithms: Vec<Algorithm>,
    families: Vec<Family>,
}

impl Selection {
    /// Parses names with commas between them. Blanks around a name are ignored, and so are empty names.
    ///
    /// # Errors
    /// [`UnknownDigest`] for the first unknown name.
    pub fn parse(names: &str) -> Result<Selection, UnknownDigest> {
        let names = names.split(',').map(str::trim).filter(|name| !name.is_empty());
        names.map(str::parse::<DigestKind>).collect()
    }

    /// Adds an algorithm after the other algorithms, or a family after the other families. Returns false, and changes
    /// nothing, if it is there already.
    pub fn insert(&mut self, kind: impl Into<DigestKind>) -> bool {
        let kind = kind.into();
        let is_new = !self.contains(kind);
        match kind {
            _ if !is_new => {}
            DigestKind::Algorithm(algorithm) => self.algorithms.push(algorithm),
            DigestKind::Family(family) => self.families.push(family),
        }
        is_new
    }

    /// Whether a kind of digest is selected.
    pub fn contains(&self, kind: impl Into<DigestKind>) -> bool {
        match kind.into() {
            DigestKind::Algorithm(algorithm) => self.algorithms.contains(&algorithm),
            DigestKind::Family(family) => self.families.contains(&family),
        }
    }

    /// The algorithms, in the order in which records list their digests.
    pub fn algorithms(&self) -> &[Algorithm] {
        &self.algorithms
    }

    /// The families of similarity digests, in the order in which records list them.
    pub fn families(&self) -> &[Family] {
        &self.families
    }

    /// Iterates over the algorithms and then the families.
    pub fn iter(&self) -> impl Iterator<Item = DigestKind> + '_ {
        let algorithms = self.algorithms.iter().copied().map(DigestKind::Algorithm);
        algorithms.chain(self.families.iter().copied().map(DigestKind::Family))
    }

    /// Iterates over the names in the order of [`Selection::iter`], which is that of lists' headers.
    pub fn names(&self) -> impl Iterator<Item = &'static str> + '_ {
        self.iter().map(DigestKind::name)
    }

    /// The number of digests that each file gets.
    pub fn len(&self) -> usize {
        self.algorithms.len() + self.families.len()
    }

    /// Whether no digest is selected.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl FromStr for Selection {
    type Err = UnknownDigest;

    /// As [`Selection::parse`].
    fn from_str(names: &str) -> Result<Selection, UnknownDigest> {
        Selection::parse(names)
    }
}

impl<K: Into<DigestKind>> Extend<K> for Selection {
    fn extend<I: IntoIterator<Item = K>>(&mut self, kinds: I) {
        for kind in kinds {
            self.insert(kind);
        }
    }
}

impl<K: Into<DigestKind>> FromIterator<K> for Selection {
    fn from_iter<I: IntoIterator<Item = K>>(kinds: I) -> Selection {
        let mut selection = Selection::default();
        selection.extend(kinds);
        selection
    }
}

impl From<Algorithm> for Selection {
    fn from(algorithm: Algorithm) -> Selection {
        [algorithm].into_iter().collect()
    }
}

impl From<Family> for Selection {
    fn from(family: Family) -> Selection {
        [family].into_iter().collect()
    }
}

impl<K: Into<DigestKind>> From<Vec<K>> for Selection {
    fn from(kinds: Vec<K>) -> Selection {
        kinds.into_iter().collect()
    }
}

impl<K: Into<DigestKind> + Copy> From<&[K]> for Selection {
    fn from(kinds: &[K]) -> Selection {
        kinds.iter().copied().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_both_sorts_are_understood_and_each_is_taken_once() {
        let selection = Selection::parse(" TLSH,md5,, SHA-256 ,ctph,md5,ssdeep,").unwrap();
        assert_eq!(selection.names().collect::<Vec<_>>(), ["md5", "sha256", "tlsh", "ssdeep"]);
        assert_eq!((selection.algorithms().len(), selection.families()), (2, &[Family::Tlsh, Family::Ssdeep][..]));
        assert_eq!(selection, selection.iter().collect());
        assert!(Selection::parse(" , ").unwrap().is_empty());
    }

    #[test]
    fn every_name_is_its_own() {
        let kinds = Algorithm::all().map(DigestKind::from).chain(Family::ALL.map(DigestKind::from));
        for kind in kinds {
            assert_eq!(kind.to_string().parse(), Ok(kind));
        }
    }

    #[test]
    fn an_unknown_name_is_reported_with_close_ones_of_both_sorts() {
        let message = |names| Selection::parse(names).unwrap_err().to_string();
        let what = "unknown algorithm or similarity family";
        let all = "`pfh algorithms` lists them all";
        assert_eq!(message("md5,sdeep"), format!("{what} `sdeep`; close to `ssdeep`; {all}"));
        assert_eq!(message("sha255"), format!("{what} `sha255`; close to `sha256`; {all}"));
        assert_eq!(message("frobnicate"), format!("{what} `frobnicate`; {all}"));
    }
}
