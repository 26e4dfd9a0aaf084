//! Times and sizes as people say them.

use crate::quantity::number;

/// Stands between a number and its unit, where no line ends. It becomes a space.
pub(super) const JOINT: char = '\u{a0}';

/// From here on, hours are days, too.
const DAYS_SECONDS: f64 = 240_000.0;

/// Sizes that differ by less than this factor count as one.
const ONE_SIZE: f64 = 1.05;

/// The unit in which people say a time, and its seconds.
pub(super) fn unit(seconds: f64) -> (&'static str, f64) {
    match seconds {
        seconds if seconds < 0.001 => ("µs", 1e-6),
        seconds if seconds < 1.0 => ("ms", 1e-3),
        seconds if seconds < 120.0 => ("s", 1.0),
        seconds if seconds < 7200.0 => ("min", 60.0),
        _ => ("h", 3600.0),
    }
}

/// A time as people say it; number and unit are joined by [`JOINT`].
pub(super) fn time(seconds: f64) -> String {
    let (unit, divisor) = unit(seconds);
    let value = seconds / divisor;
    let text = format!("{}{JOINT}{unit}", short(value));
    if seconds < DAYS_SECONDS { text } else { format!("{text} ({}{JOINT}days)", short(seconds / 86_400.0)) }
}

/// Two or three digits.
fn short(value: f64) -> String {
    if value < 9.95 { format!("{value:.1}") } else { number(value.round()).trim_end_matches(".0").to_owned() }
}

/// A number of bytes in decimal units.
pub(super) fn bytes(bytes: f64) -> String {
    let units = ["B", "kB", "MB", "GB", "TB", "PB", "EB"];
    let (mut value, mut unit) = (bytes, 0);
    while value >= 999.5 && unit + 1 < units.len() {
        value /= 1000.0;
        unit += 1;
    }
    let value = if unit == 0 { format!("{value:.0}") } else { number(value) };
    format!("{value}{JOINT}{}", units[unit])
}

/// Sizes from the least to the greatest; see [`bytes`].
pub(super) fn sizes([least, most]: [f64; 2]) -> String {
    if most <= ONE_SIZE * least { bytes(least) } else { format!("{} to {}", bytes(least), bytes(most)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_and_bytes_as_people_say_them() {
        for (seconds, text) in [
            (0.000_25, "250 µs"),
            (0.0082, "8.2 ms"),
            (3.0, "3.0 s"),
            (600.0, "10 min"),
            (28_800.0, "8.0 h"),
            (216_000.0, "60 h"),
            (864_000.0, "240 h (10 days)"),
        ] {
            assert_eq!(time(seconds).replace(JOINT, " "), text);
        }
        let said = [bytes(25e12), bytes(118e6), bytes(17.0), sizes([1.2e6, 1.3e6]), sizes([1e5, 1.01e5])].join(", ");
        assert_eq!(said.replace(JOINT, " "), "25.0 TB, 118 MB, 17 B, 1.20 MB to 1.30 MB, 100 kB");
    }
}
