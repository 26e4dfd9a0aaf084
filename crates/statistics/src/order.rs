//! Order statistics.

/// Median of values in any order, which it leaves in another; `None` if there are none.
#[must_use]
pub fn median(values: &mut [f64]) -> Option<f64> {
    if values.is_empty() {
        return None;
    }
    let is_even = values.len().is_multiple_of(2);
    let (below, &mut upper, _) = values.select_nth_unstable_by(values.len() / 2, f64::total_cmp);
    let lower = if is_even { below.iter().copied().max_by(f64::total_cmp).unwrap_or(upper) } else { upper };
    Some(f64::midpoint(lower, upper))
}

/// Quantile of sorted, non-empty values: linear between the two nearest (definition 7 of Hyndman and Fan 1996, the
/// default of R and NumPy).
#[must_use]
pub fn quantile(sorted: &[f64], fraction: f64) -> f64 {
    let place = fraction * (sorted.len() - 1) as f64;
    let below = place.floor();
    let (lower, upper) = (sorted[below as usize], sorted[place.ceil() as usize]);
    lower + (place - below) * (upper - lower)
}
