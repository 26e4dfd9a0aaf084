//! Values measured again and again, round by round.

use crate::order::median;

/// Repeats of one measurement, in rounds.
///
/// Values of one round were taken one after another in one process, and share its fortunes: where its memory lay, how
/// warm the processor was. Rounds are apart in time and order. Resampling keeps the two kinds of variation apart.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Repeats {
    /// No round is empty.
    rounds: Vec<Vec<f64>>,
}

impl Repeats {
    /// Values of one round each.
    #[must_use]
    pub fn from_rounds(mut rounds: Vec<Vec<f64>>) -> Repeats {
        rounds.retain(|round| !round.is_empty());
        Repeats { rounds }
    }

    /// All values, round after round.
    pub fn values(&self) -> impl Iterator<Item = f64> + '_ {
        self.rounds.iter().flatten().copied()
    }

    /// Number of values.
    #[must_use]
    pub fn len(&self) -> usize {
        self.rounds.iter().map(Vec::len).sum()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rounds.is_empty()
    }

    /// Number of rounds.
    #[must_use]
    pub fn rounds(&self) -> usize {
        self.rounds.len()
    }

    /// The median of each round.
    pub(crate) fn medians(&self) -> impl Iterator<Item = Option<f64>> + '_ {
        self.rounds.iter().map(|round| median(&mut round.clone()))
    }

    /// How many values are independent of each other: those of different rounds, or of the only one.
    pub(crate) fn units(&self) -> usize {
        if self.rounds.len() > 1 { self.rounds.len() } else { self.len() }
    }

    /// Fills `into` with as many rounds, drawn with replacement, and in each with as many values as it has, drawn
    /// likewise.
    pub(crate) fn resample(&self, random: &mut fastrand::Rng, into: &mut Vec<f64>) {
        into.clear();
        for _ in 0..self.rounds.len() {
            let round = &self.rounds[random.usize(..self.rounds.len())];
            into.extend((0..round.len()).map(|_| round[random.usize(..round.len())]));
        }
    }
}

impl<const N: usize> From<[f64; N]> for Repeats {
    /// Values of a single round.
    fn from(values: [f64; N]) -> Repeats {
        Repeats::from(values.to_vec())
    }
}

impl From<Vec<f64>> for Repeats {
    /// Values of a single round.
    fn from(values: Vec<f64>) -> Repeats {
        Repeats::from_rounds(vec![values])
    }
}
