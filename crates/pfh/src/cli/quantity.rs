//! Parsing and printing of sizes.

use std::fmt;
use std::time::Duration;

pub(crate) use pfh::parse_bytes;

/// The reason against a number of 0.
pub(crate) const AT_LEAST_ONE: &str = "it has to be 1 or more";

/// Parses a time such as `90s`, `30m`, `2h`, `90d` or `4w`.
pub(crate) fn parse_duration(text: &str) -> Result<Duration, String> {
    let unclear = || format!("`{text}` is not a time; write for example 90s, 30m, 2h, 90d or 4w");
    let unit_seconds = match text.as_bytes().last() {
        Some(b's') => 1,
        Some(b'm') => 60,
        Some(b'h') => 3_600,
        Some(b'd') => 86_400,
        Some(b'w') => 7 * 86_400,
        _ => return Err(unclear()),
    };
    let digits = &text[..text.len() - 1];
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(unclear());
    }
    let seconds = digits.parse::<u64>().ok().and_then(|count| count.checked_mul(unit_seconds));
    // Times are compared with those of the clock, which have signs.
    let seconds = seconds.filter(|&seconds| seconds <= u64::from(u32::MAX) * 100);
    seconds.map(Duration::from_secs).ok_or_else(|| format!("`{text}` is too long"))
}

/// Parses a number of things: `1200000`, `1.2M`, `300k` (powers of 1000).
pub(crate) fn parse_count(text: &str) -> Result<u64, String> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let is_number = matches!(text[digits.len()..].to_ascii_lowercase().as_str(), "" | "k" | "m" | "g");
    let unclear = || format!("`{text}` is not a number; write for example 1200000, 300k or 1.2M");
    if !is_number {
        return Err(unclear());
    }
    // Powers of 1000 as sizes have them.
    let unit = if digits.len() == text.len() { "" } else { "b" };
    parse_bytes(&format!("{text}{unit}")).map_err(|_| unclear())
}

/// Parses a share such as `1/30`, and returns the number of parts.
pub(crate) fn parse_share(text: &str) -> Result<u64, String> {
    let parts = text.strip_prefix("1/").and_then(|parts| parts.parse().ok()).filter(|&parts| parts > 0);
    parts.ok_or_else(|| format!("`{text}` is not a share; write for example 1/30"))
}

/// A number of bytes, printed in decimal units with three digits: `4.31 GB`.
pub(crate) struct Bytes(pub(crate) u64);

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let units = ["kB", "MB", "GB", "TB", "PB", "EB"];
        if self.0 < 1000 {
            return write!(f, "{} B", self.0);
        }
        let mut value = self.0 as f64;
        let mut unit = "B";
        for next in units {
            if value < 999.5 {
                break;
            }
            value /= 1000.0;
            unit = next;
        }
        let decimals = if value < 9.995 { 2 } else { usize::from(value < 99.95) };
        write!(f, "{value:.decimals$} {unit}")
    }
}

/// A count, printed in groups of three: `1,234,567`.
pub(crate) struct Count(pub(crate) u64);

impl fmt::Display for Count {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = self.0.to_string();
        let mut grouped = String::with_capacity(digits.len() + digits.len() / 3);
        for (place, digit) in digits.chars().enumerate() {
            if place > 0 && (digits.len() - place).is_multiple_of(3) {
                grouped.push(',');
            }
            grouped.push(digit);
        }
        f.pad(&grouped)
    }
}

/// A count of things whose plural ends with an s: `1 file`, `2 files`.
pub(crate) fn plural(count: u64, word: &str) -> String {
    format!("{} {word}{}", Count(count), if count == 1 { "" } else { "s" })
}

/// A time, printed as `0:07`, `12:30`, `3:05:00`.
pub(crate) struct Clock(pub(crate) Duration);

impl fmt::Display for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = self.0.as_secs();
        let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
        if hours > 0 { write!(f, "{hours}:{minutes:02}:{seconds:02}") } else { write!(f, "{minutes}:{seconds:02}") }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_parse_as_people_write_them() {
        let cases = [
            ("0", 0),
            ("4096", 4096),
            ("64K", 65_536),
            ("64k", 65_536),
            ("20M", 20 << 20),
            ("20MiB", 20 << 20),
            ("20MB", 20_000_000),
            ("1.5G", 3 << 29),
            ("7b", 7),
            ("16E0", 0),
        ];
        for (text, bytes) in &cases[..9] {
            assert_eq!(parse_bytes(text), Ok(*bytes), "{text}");
        }
        for text in
            ["", "M", "-1", "1,5M", "1.M5", "12X", "99999999999999999999", "20000P", "1e3", "é", " 1", "1.5", "1.5b"]
        {
            assert!(parse_bytes(text).is_err(), "{text}");
        }
    }

    #[test]
    fn counts_parse() {
        for (text, count) in
            [("0", 0), ("1200000", 1_200_000), ("1.2M", 1_200_000), ("300k", 300_000), ("2G", 2_000_000_000)]
        {
            assert_eq!(parse_count(text), Ok(count), "{text}");
        }
        for text in ["", "M", "1.2MB", "3T", "-1", "1e6", "é", "1.5"] {
            assert!(parse_count(text).is_err(), "{text}");
        }
    }

    #[test]
    fn times_and_shares_parse() {
        for (text, seconds) in
            [("0s", 0), ("90s", 90), ("30m", 1800), ("2h", 7200), ("90d", 7_776_000), ("1w", 604_800)]
        {
            assert_eq!(parse_duration(text), Ok(Duration::from_secs(seconds)), "{text}");
        }
        for text in ["", "h", "2", "2 h", "-1h", "1.5h", "2y", "é", "99999999999999999999s", "99999999w"] {
            assert!(parse_duration(text).is_err(), "{text}");
        }
        assert_eq!((parse_share("1/30"), parse_share("1/1")), (Ok(30), Ok(1)));
        for text in ["", "1/0", "30", "2/3", "1/", "1/-3"] {
            assert!(parse_share(text).is_err(), "{text}");
        }
    }

    #[test]
    fn bytes_show_three_digits() {
        let cases = [
            (0, "0 B"),
            (999, "999 B"),
            (1000, "1.00 kB"),
            (12_345, "12.3 kB"),
            (999_499, "999 kB"),
            (999_500, "1.00 MB"),
            (4_310_000_000, "4.31 GB"),
            (u64::MAX, "18.4 EB"),
        ];
        for (bytes, text) in cases {
            assert_eq!(Bytes(bytes).to_string(), text);
        }
        assert_eq!(Count(1_234_567).to_string(), "1,234,567");
        assert_eq!(Count(123).to_string(), "123");
        assert_eq!(Clock(Duration::from_secs(3_905)).to_string(), "1:05:05");
        assert_eq!(Clock(Duration::from_secs(65)).to_string(), "1:05");
    }
}
