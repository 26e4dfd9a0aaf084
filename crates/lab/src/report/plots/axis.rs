//! Scales, and where they have their marks.

use crate::quantity::{number, size};

/// A scale from a least to a greatest value, with marks.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Axis {
    least: f64,
    greatest: f64,
    is_logarithmic: bool,
    /// Whether the least value is where the greatest would be: of distances, so that up is similar.
    is_reversed: bool,
    /// Values with their texts; a mark without one is only a line.
    pub(super) marks: Vec<(f64, String)>,
}

/// 1, 2, 5, and powers of ten of these.
const STEPS: [f64; 3] = [1.0, 2.0, 5.0];

impl Axis {
    /// A logarithmic scale that contains all positive values. `None` without any, or if one is infinite.
    pub(crate) fn logarithmic(values: impl IntoIterator<Item = f64>) -> Option<Axis> {
        let (least, greatest) = ends(values.into_iter().filter(|value| *value > 0.0))?;
        // Ends at 1, 2 or 5.
        let power = |value: f64| value.log10().floor() as i32;
        let steps = || {
            (power(least) - 1..=power(greatest) + 1)
                .flat_map(|power| STEPS.map(|step| step * 10_f64.powi(power)))
                .filter(|step| *step > 0.0 && step.is_finite())
        };
        let low = steps().rfind(|step| *step <= least).unwrap_or(least);
        let high = steps().find(|step| *step >= greatest && *step > low).unwrap_or(greatest);
        let decades = (high / low).log10();
        let is_shown = |step: &f64| {
            let leading = (step / 10_f64.powi((step * 1.000_001).log10().floor() as i32)).round();
            decades <= 3.0 || leading == 1.0
        };
        let mut marks: Vec<f64> = steps().filter(|step| *step >= low && *step <= high).filter(is_shown).collect();
        let every = marks.len().div_ceil(10).max(1);
        marks = marks.into_iter().step_by(every).collect();
        let marks = marks.into_iter().map(|mark| (mark, plain(mark))).collect();
        Some(Axis { least: low, greatest: high, is_logarithmic: true, is_reversed: false, marks })
    }

    /// A logarithmic scale of bytes, with marks at powers of two.
    pub(crate) fn sizes(values: impl IntoIterator<Item = f64>) -> Option<Axis> {
        let (least, greatest) = ends(values.into_iter().filter(|value| *value >= 1.0))?;
        let powers: Vec<f64> = (0..64).map(|power| 2_f64.powi(power)).collect();
        let within: Vec<f64> =
            powers.into_iter().filter(|power| *power >= least * 0.99 && *power <= greatest * 1.01).collect();
        let every = within.len().div_ceil(8).max(1);
        let marks = within.into_iter().step_by(every).map(|power| (power, size(power as u64))).collect();
        let greatest = if greatest > least { greatest } else { least * 2.0 };
        Some(Axis { least, greatest, is_logarithmic: true, is_reversed: false, marks })
    }

    /// A linear scale that contains all values.
    pub(crate) fn linear(values: impl IntoIterator<Item = f64>) -> Option<Axis> {
        let (least, greatest) = ends(values)?;
        let length = greatest - least;
        let rough = if length > 0.0 { length / 5.0 } else { least.abs().max(1.0) / 5.0 };
        let power = 10_f64.powf(rough.log10().floor());
        let step = [1.0, 2.0, 5.0, 10.0].map(|times| times * power).into_iter().find(|step| *step >= rough * 0.999)?;
        let (first, last) = ((least / step).floor(), (greatest / step).ceil().max((least / step).floor() + 1.0));
        let marks = (0..=(last - first).min(20.0) as u32).map(|mark| (first + f64::from(mark)) * step);
        // As many decimals as the step has, however near to each other the marks are.
        let decimals = (-step.log10().floor()).max(0.0) as usize;
        let text = |mark: f64| if (1..=6).contains(&decimals) { format!("{mark:.decimals$}") } else { plain(mark) };
        let marks = marks.map(|mark| (mark, text(mark))).collect();
        let (least, greatest) = (first * step, last * step);
        (greatest - least).is_finite().then_some(Axis {
            least,
            greatest,
            is_logarithmic: false,
            is_reversed: false,
            marks,
        })
    }

    /// The same scale the other way round.
    pub(crate) fn reversed(self) -> Axis {
        Axis { is_reversed: true, ..self }
    }

    /// The same scale with other texts.
    pub(crate) fn with_texts(mut self, text: impl Fn(f64) -> String) -> Axis {
        self.marks.iter_mut().for_each(|(value, own)| *own = text(*value));
        self
    }

    /// The place of a value: 0 to 1, and at an end if it lies beyond.
    pub(super) fn place(&self, value: f64) -> f64 {
        let scale = |value: f64| if self.is_logarithmic { value.max(f64::MIN_POSITIVE).log10() } else { value };
        let place = (scale(value) - scale(self.least)) / (scale(self.greatest) - scale(self.least));
        let place = if place.is_finite() { place.clamp(0.0, 1.0) } else { 0.0 };
        if self.is_reversed { 1.0 - place } else { place }
    }

    /// Marks, and whether there is room for the text of each.
    pub(super) fn texts(&self, length: f64, room: impl Fn(&str) -> f64) -> Vec<(f64, Option<&str>)> {
        let mut marks: Vec<_> = self.marks.iter().map(|(value, text)| (self.place(*value), text)).collect();
        marks.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut free = f64::NEG_INFINITY;
        let texts = marks.into_iter().map(|(place, text)| {
            let (at, half) = (place * length, room(text) / 2.0);
            let fits = at - half >= free;
            if fits {
                free = at + half + 6.0;
            }
            (place, fits.then_some(text.as_str()))
        });
        texts.collect()
    }
}

/// The least and the greatest of finite values.
fn ends(values: impl IntoIterator<Item = f64>) -> Option<(f64, f64)> {
    let mut ends: Option<(f64, f64)> = None;
    for value in values {
        if !value.is_finite() {
            return None;
        }
        let (least, greatest) = ends.unwrap_or((value, value));
        ends = Some((least.min(value), greatest.max(value)));
    }
    ends
}

/// A round number without needless zeros.
pub(super) fn plain(value: f64) -> String {
    let text = number(value);
    if text.contains('.') && !text.contains('×') {
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(axis: &Axis) -> Vec<&str> {
        axis.marks.iter().map(|(_, text)| text.as_str()).collect()
    }

    #[test]
    fn scales_have_round_marks_and_contain_all_values() {
        let axis = Axis::logarithmic([76.0, 1731.0, 0.0]).expect("values");
        assert_eq!(texts(&axis), ["50", "100", "200", "500", "1000", "2000"]);
        assert!((axis.place(50.0), axis.place(2000.0)) == (0.0, 1.0) && axis.place(76.0) > 0.1);
        let axis = Axis::linear([3.0, 97.0]).expect("values");
        assert_eq!(texts(&axis), ["0", "20", "40", "60", "80", "100"]);
        assert_eq!((axis.place(0.0), axis.place(50.0), axis.clone().reversed().place(25.0)), (0.0, 0.5, 0.75));
        let axis = Axis::linear([0.9978, 1.0]).expect("values");
        assert_eq!(texts(&axis), ["0.9975", "0.9980", "0.9985", "0.9990", "0.9995", "1.0000"]);
        let axis = Axis::sizes([16.0, 8_388_608.0]).expect("values");
        assert_eq!(texts(&axis)[..3], ["16 B", "128 B", "1 KiB"]);
        let wide = Axis::logarithmic([1e-9, 1e9]).expect("values");
        assert!(wide.marks.len() <= 10, "{wide:?}");
    }

    /// One value, none, and those at the ends of the range.
    #[test]
    fn odd_values_have_scales_or_none() {
        assert_eq!(Axis::logarithmic([0.0, -1.0]), None);
        assert_eq!(Axis::linear([f64::INFINITY]), None);
        for value in [1.0, 5e-324, 1e300, 1.7e308, 7.3] {
            for axis in [Axis::logarithmic([value]), Axis::linear([value]), Axis::linear([-value, value])] {
                let place = axis.map_or(0.5, |axis| axis.place(value));
                assert!((0.0..=1.0).contains(&place), "{value}: {place}");
            }
        }
        assert!(Axis::sizes([1.8e19]).is_some());
    }

    #[test]
    fn texts_do_not_overlap() {
        let axis = Axis::logarithmic([1.0, 1000.0]).expect("values");
        let shown =
            |length| axis.texts(length, |text| text.len() as f64 * 7.0).iter().filter(|mark| mark.1.is_some()).count();
        assert!(shown(100.0) < shown(1000.0) && shown(1000.0) == axis.marks.len());
    }
}
