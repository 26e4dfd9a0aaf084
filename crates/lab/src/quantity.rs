//! Numbers and sizes as people read them.

/// Three significant digits, thousands apart by a narrow space; powers of ten where that would be long.
pub(crate) fn number(value: f64) -> String {
    let size = value.abs();
    if !value.is_finite() {
        return "–".to_owned();
    }
    if size == 0.0 {
        return "0".to_owned();
    }
    if !(1e-4..1e12).contains(&size) {
        let exponent = size.log10().floor();
        return format!("{:.2} × 10^{exponent}", value / 10_f64.powf(exponent));
    }
    let decimals_of = |size: f64| (2 - size.log10().floor() as i32).max(0) as usize;
    let decimals = decimals_of(size);
    // Rounding may make it a digit longer: 0.9997 is 1.00.
    let rounded = format!("{size:.decimals$}").parse().map_or(decimals, decimals_of);
    let text = format!("{value:.rounded$}");
    let (whole, fraction) = text.split_once('.').map_or((text.as_str(), ""), |(whole, fraction)| (whole, fraction));
    let (sign, digits) = whole.strip_prefix('-').map_or(("", whole), |digits| ("−", digits));
    let point = if fraction.is_empty() { "" } else { "." };
    format!("{sign}{}{point}{fraction}", spaced(digits))
}

/// Digits with thousands apart by a narrow space, from five on.
fn spaced(digits: &str) -> String {
    if digits.len() > 4 { grouped(digits, '\u{202f}') } else { digits.to_owned() }
}

/// Digits in groups of three.
pub(crate) fn grouped(digits: &str, separator: char) -> String {
    let mut grouped = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            grouped.push(separator);
        }
        grouped.push(digit);
    }
    grouped
}

/// A count: `1 000 000`.
pub(crate) fn count(value: u64) -> String {
    spaced(&value.to_string())
}

/// A count of things: `1 file`, `2 files`.
pub(crate) fn counted(number: impl TryInto<u64>, one: &str, many: &str) -> String {
    let number = number.try_into().unwrap_or(u64::MAX);
    format!("{} {}", count(number), if number == 1 { one } else { many })
}

/// A size in bytes: `16 B`, `64 KiB`, `722 GiB`.
pub(crate) fn size(bytes: u64) -> String {
    let units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
    let mut value = bytes as f64;
    let mut unit = 0;
    while value >= 1024.0 && unit + 1 < units.len() {
        value /= 1024.0;
        unit += 1;
    }
    let mut text = if value.fract() == 0.0 { format!("{value}") } else { number(value) };
    if text.contains('.') {
        text.truncate(text.trim_end_matches('0').trim_end_matches('.').len());
    }
    format!("{text} {}", units[unit])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_three_digits() {
        for (value, text) in [
            (0.0, "0"),
            (1.0, "1.00"),
            (0.012_345, "0.0123"),
            (0.9997, "1.00"),
            (99.97, "100"),
            (-9.876, "−9.88"),
            (1234.5, "1234"),
            (12_345.0, "12\u{202f}345"),
            (6.63e15, "6.63 × 10^15"),
            (2e-9, "2.00 × 10^-9"),
            (f64::NAN, "–"),
        ] {
            assert_eq!(number(value), text);
        }
    }

    #[test]
    fn one_is_no_plural() {
        let files = |number: usize| counted(number, "file", "files");
        assert_eq!([files(0), files(1), files(2)], ["0 files", "1 file", "2 files"]);
        assert_eq!(files(100_000), "100\u{202f}000 files");
    }

    #[test]
    fn sizes_have_units() {
        for (bytes, text) in [
            (0, "0 B"),
            (16, "16 B"),
            (1 << 10, "1 KiB"),
            (1 << 20, "1 MiB"),
            (3 << 29, "1.5 GiB"),
            (722 << 30, "722 GiB"),
            (100, "100 B"),
            (200 << 20, "200 MiB"),
            (64 << 20, "64 MiB"),
            (1_500_000, "1.43 MiB"),
            (419_954_688, "400 MiB"),
            (7_341_000, "7 MiB"),
        ] {
            assert_eq!(size(bytes), text);
        }
    }
}
