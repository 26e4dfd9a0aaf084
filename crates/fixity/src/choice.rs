//! The extent of a check: the files that are read, and the classes that are no failures.

use crate::class::Class;
use crate::finding::{Findings, Totals};
use pfh_digest::Algorithm;
use std::collections::HashSet;
use std::fmt;
use std::io;
use std::time::{SystemTime, UNIX_EPOCH};

/// Most files that are remembered as of another size. Further ones are read, with the same result.
const OTHER_SIZES_MAX: usize = 1 << 20;

/// A share of the files, chosen at random. The same share and seed choose the same paths.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    percent: f64,
    seed: u64,
}

/// A share that is not above 0 and up to 100.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NoShare;

impl fmt::Display for NoShare {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a share is a number above 0 and up to 100")
    }
}

impl std::error::Error for NoShare {}

impl Sample {
    /// Returns a share in percent, chosen by a seed; without one, by another seed each time.
    ///
    /// # Errors
    /// [`NoShare`].
    pub fn new(percent: f64, seed: Option<u64>) -> Result<Sample, NoShare> {
        if percent > 0.0 && percent <= 100.0 {
            let now = || SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| u64::from(time.subsec_nanos()));
            Ok(Sample { percent, seed: seed.unwrap_or_else(now) })
        } else {
            Err(NoShare)
        }
    }

    /// Returns the share in percent.
    pub fn percent(&self) -> f64 {
        self.percent
    }

    /// Returns the number that decides the choice.
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// Whether a path below the root is in the share.
    pub fn has(&self, path: &[u8]) -> bool {
        let digest =
            Algorithm::from_name("xxh3-64").map(|xxh3| xxh3.digest(&[&self.seed.to_be_bytes(), path].concat()));
        let first = digest.ok().and_then(|digest| digest.bytes().first_chunk().copied());
        (u64::from_be_bytes(first.unwrap_or_default()) as f64) < self.percent / 100.0 * 2_f64.powi(64)
    }
}

/// The files whose contents are read. Of others, names and sizes are compared. By default, all are read.
#[derive(Clone, Debug, Default)]
pub struct Choice {
    structure: bool,
    sample: Option<Sample>,
    /// Paths below the root of files that have another size.
    other_sizes: HashSet<Vec<u8>>,
}

impl Choice {
    /// Chooses all files, or a share of them; with `structure`, none.
    pub fn new(structure: bool, sample: Option<Sample>) -> Choice {
        Choice { structure, sample, other_sizes: HashSet::new() }
    }

    /// Leaves out the files that changed by the findings of a comparison for which nothing was read: their sizes
    /// differ.
    ///
    /// # Errors
    /// If a temporary file cannot be read.
    pub fn leave_out_changed(&mut self, findings: Findings) -> io::Result<()> {
        findings.into_each(|finding| {
            if finding.class == Class::Changed && self.other_sizes.len() < OTHER_SIZES_MAX {
                self.other_sizes.insert(finding.path().to_vec());
            }
            Ok(())
        })
    }

    /// Whether some files are not read.
    pub fn leaves_out(&self) -> bool {
        self.structure || self.sample.is_some() || !self.other_sizes.is_empty()
    }

    /// Whether the file at a path below the root is read.
    pub fn reads(&self, path: &[u8]) -> bool {
        !self.structure && self.sample.is_none_or(|sample| sample.has(path)) && !self.other_sizes.contains(path)
    }
}

/// The differences that are no failures.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ignored {
    /// Whether new files, and copies, are none.
    pub new: bool,
    /// Whether missing files are none.
    pub missing: bool,
}

impl Ignored {
    /// Whether files of this class are not as the list says.
    pub fn fails(self, class: Class) -> bool {
        match class {
            Class::Changed | Class::Moved => true,
            Class::Copied | Class::New => !self.new,
            Class::Missing => !self.missing,
            // Nothing is known of an unreadable file, and of others nothing was asked.
            Class::Matched | Class::Unreadable | Class::NotChecked => false,
        }
    }

    /// Returns the number of files that are not as the list says.
    pub fn failures(self, totals: &Totals) -> u64 {
        let classes = Class::ALL.into_iter().filter(|class| self.fails(*class));
        classes.map(|class| totals.files.of(class)).sum()
    }

    /// Whether nothing differs from the list, and all could be compared and read, `broken` lines of the list, too.
    pub fn is_verified(self, totals: &Totals, broken: u64) -> bool {
        self.failures(totals) == 0 && totals.unknown() + broken == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_is_a_share_that_its_seed_repeats() {
        let paths: Vec<String> = (0..10_000).map(|number| format!("files/{number}")).collect();
        let chosen = |percent, seed| {
            let sample = Sample::new(percent, Some(seed)).unwrap();
            paths.iter().filter(|path| sample.has(path.as_bytes())).collect::<Vec<_>>()
        };
        assert_eq!(chosen(100.0, 1).len(), 10_000);
        let fifth = chosen(20.0, 7);
        assert!((1_800..2_200).contains(&fifth.len()), "{}", fifth.len());
        assert_eq!(chosen(20.0, 7), fifth);
        assert_ne!(chosen(20.0, 8), fifth);
        // A larger share of the same seed has the smaller one.
        let half = chosen(50.0, 7);
        assert!(fifth.iter().all(|path| half.contains(path)));
        for percent in [0.0, -1.0, 100.1, f64::NAN, f64::INFINITY] {
            assert_eq!(Sample::new(percent, Some(1)), Err(NoShare), "{percent}");
        }
    }

    #[test]
    fn what_is_ignored_fails_no_more() {
        let fails = |new, missing| {
            let ignored = Ignored { new, missing };
            Class::ALL.into_iter().filter(|class| ignored.fails(*class)).map(Class::word).collect::<Vec<_>>()
        };
        assert_eq!(fails(false, false), ["changed", "moved", "copied", "new", "missing"]);
        assert_eq!(fails(true, false), ["changed", "moved", "missing"]);
        assert_eq!(fails(false, true), ["changed", "moved", "copied", "new"]);
        let mut totals = Totals::default();
        totals.files.add(Class::Missing);
        let [ignored, all] = [true, false].map(|missing| Ignored { new: false, missing });
        assert_eq!([ignored.failures(&totals), all.failures(&totals)], [0, 1]);
        assert_eq!([ignored.is_verified(&totals, 0), ignored.is_verified(&totals, 1)], [true, false]);
        // Nothing is known of it, so it is no difference.
        totals.not_comparable = 1;
        assert_eq!((ignored.failures(&totals), ignored.is_verified(&totals, 0)), (0, false));
        totals.not_comparable = 0;
        totals.files.add(Class::Unreadable);
        assert!(!ignored.is_verified(&totals, 0));
    }
}
