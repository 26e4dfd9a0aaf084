//! Median and spread.

/// Median, least and greatest of some values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Spread {
    pub(super) median: f64,
    pub(super) least: f64,
    pub(super) greatest: f64,
}

impl Spread {
    /// `None` when there are no values. The median of an even number of values is the mean of the two in the middle.
    pub(super) fn of(values: impl IntoIterator<Item = f64>) -> Option<Self> {
        let mut values: Vec<f64> = values.into_iter().collect();
        values.sort_unstable_by(f64::total_cmp);
        let (least, greatest) = (*values.first()?, *values.last()?);
        let half = values.len() / 2;
        let median = if values.len() % 2 == 1 { values[half] } else { f64::midpoint(values[half - 1], values[half]) };
        Some(Self { median, least, greatest })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn median_and_spread() {
        assert_eq!(Spread::of([]), None);
        assert_eq!(Spread::of([3.0]), Some(Spread { median: 3.0, least: 3.0, greatest: 3.0 }));
        assert_eq!(Spread::of([9.0, 1.0, 2.0]), Some(Spread { median: 2.0, least: 1.0, greatest: 9.0 }));
        assert_eq!(Spread::of([4.0, 1.0, 2.0, 9.0]), Some(Spread { median: 3.0, least: 1.0, greatest: 9.0 }));
    }
}
