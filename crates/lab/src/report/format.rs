//! Numbers as people read them.

use pfh_statistics::Estimate;

use crate::claims::Figure;
pub(super) use crate::quantity::{count, counted, number, size};

/// A value and its interval: `1.98 (1.95 to 2.01)`.
pub(super) fn estimate(estimate: &Estimate) -> String {
    match estimate.interval {
        Some(interval) => format!("{} ({} to {})", number(estimate.value), number(interval.low), number(interval.high)),
        None => number(estimate.value),
    }
}

/// A figure of a claim with its interval.
pub(super) fn figure(figure: Figure, measured: &Estimate) -> String {
    match figure {
        Figure::Ratio => format!("{} ×", estimate(measured)),
        Figure::Share => format!("{} %", estimate(&measured.map(|share| share * 100.0))),
        Figure::Minutes => time(&measured.map(|minutes| minutes * 60.0)),
        Figure::RSquared => match measured.interval {
            Some(interval) => format!("{:.5} ({:.5} to {:.5})", measured.value, interval.low, interval.high),
            None => format!("{:.5}", measured.value),
        },
    }
}

/// A published figure of a claim.
pub(super) fn published(figure: Figure, value: f64) -> String {
    match figure {
        Figure::Ratio => format!("{} ×", number(value)),
        Figure::Share => format!("{} %", number(value * 100.0)),
        Figure::Minutes => duration(value * 60.0),
        Figure::RSquared => format!("{value:.5}"),
    }
}

/// A percentage: `0.2 %`, `98.5 %`.
pub(super) fn percent(value: f64) -> String {
    format!("{} %", number(value))
}

/// A time from nanoseconds to ages: `1.20 µs`, `12.3 s`, `6 min 30 s`, `1 h 43 min`, `12 days`, `2 100 years`.
pub(super) fn duration(seconds: f64) -> String {
    const DAY: f64 = 86_400.0;
    const YEAR: f64 = 365.25 * DAY;
    let size = seconds.abs();
    match size {
        _ if !size.is_finite() => "–".to_owned(),
        _ if size == 0.0 => "0 s".to_owned(),
        _ if size < 0.999_5e-6 => format!("{} ns", number(seconds * 1e9)),
        _ if size < 0.999_5e-3 => format!("{} µs", number(seconds * 1e6)),
        _ if size < 0.999_5 => format!("{} ms", number(seconds * 1e3)),
        _ if size < 99.95 => format!("{} s", number(seconds)),
        _ if seconds < 0.0 => format!("−{}", duration(-seconds)),
        _ if size < 3599.5 => {
            let whole = size.round() as u64;
            format!("{} min {} s", whole / 60, whole % 60)
        }
        _ if size < 2.0 * DAY => {
            let minutes = (size / 60.0).round() as u64;
            format!("{} h {} min", minutes / 60, minutes % 60)
        }
        _ if size < 2.0 * YEAR => format!("{} days", number(seconds / DAY)),
        _ => format!("{} years", number(seconds / YEAR)),
    }
}

/// A time and its interval: `12.3 s (12.1 s to 12.6 s)`.
pub(super) fn time(seconds: &Estimate) -> String {
    let interval = seconds.interval.map(|i| format!(" ({} to {})", duration(i.low), duration(i.high)));
    format!("{}{}", duration(seconds.value), interval.unwrap_or_default())
}

/// The common name of an algorithm, if it differs from its name here; of several that are parted by commas, of each.
pub(super) fn algorithm(name: &str) -> String {
    if name.contains(',') {
        return name.split(',').map(algorithm).collect::<Vec<_>>().join(" + ");
    }
    let known = [
        ("none", "reading alone"),
        ("des-cbc", "DES-CBC"),
        ("des-ede3-cbc", "3DES-CBC"),
        ("rc2-128-cbc", "RC2-CBC"),
        ("aes-128-cbc", "AES-128-CBC"),
        ("whirlpool", "Whirlpool"),
        ("tiger", "Tiger"),
        ("blake2b", "BLAKE2b"),
        ("blake2s", "BLAKE2s"),
        ("blake3", "BLAKE3"),
        ("pbkdf2-hmac-sha256", "PBKDF2-HMAC-SHA256"),
        ("argon2id", "Argon2id"),
        ("sha1dc", "SHA-1 with collision detection"),
        ("sha512-224", "SHA-512/224"),
        ("sha512-256", "SHA-512/256"),
        ("keccak256", "Keccak-256"),
        ("adler32", "Adler-32"),
        ("crc32", "CRC-32"),
        ("crc32c", "CRC-32C"),
        ("crc64nvme", "CRC-64/NVME"),
        ("xxh32", "XXH32"),
        ("xxh64", "XXH64"),
        ("xxh3-64", "XXH3-64"),
        ("xxh3-128", "XXH3-128"),
    ];
    if let Some((_, known)) = known.iter().find(|(id, _)| *id == name) {
        return (*known).to_owned();
    }
    // Families whose members are numbered: their prefix, and how it is spelt.
    let families = [
        ("sha3-", "SHA3-"),
        ("sha", "SHA-"),
        ("ripemd", "RIPEMD-"),
        ("streebog", "Streebog-"),
        ("shake", "SHAKE"),
        ("fnv1a-", "FNV-1a-"),
        ("fnv1-", "FNV-1-"),
        ("md", "MD"),
        ("sm", "SM"),
    ];
    let is_numbered = |rest: &str| !rest.is_empty() && rest.chars().all(|c| c.is_ascii_digit() || c == '-');
    families
        .iter()
        .find_map(|(prefix, spelt)| Some((name.strip_prefix(prefix).filter(|rest| is_numbered(rest))?, spelt)))
        .map_or_else(|| name.to_owned(), |(number, spelt)| format!("{spelt}{number}"))
}

/// Cuts a text to a number of characters, the last of which is an ellipsis if something was cut.
pub(super) fn shorten(text: &str, characters: usize) -> String {
    if text.chars().count() <= characters {
        return text.to_owned();
    }
    text.chars().take(characters - 1).chain(['…']).collect()
}

/// The first letter large.
pub(super) fn sentence(text: &str) -> String {
    let mut characters = text.chars();
    characters.next().map_or_else(String::new, |first| first.to_uppercase().chain(characters).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times() {
        for (seconds, text) in [
            (1.2e-8, "12.0 ns"),
            (0.0021, "2.10 ms"),
            (12.34, "12.3 s"),
            (390.2, "6 min 30 s"),
            (6180.0, "1 h 43 min"),
            (86_400.0 * 12.0, "12.0 days"),
            (1e12, "31\u{202f}688 years"),
            (-390.0, "−6 min 30 s"),
        ] {
            assert_eq!(duration(seconds), text);
        }
        assert_eq!((count(1000), count(1_000_000)), ("1000".to_owned(), "1\u{202f}000\u{202f}000".to_owned()));
    }

    #[test]
    fn algorithms_have_their_usual_names() {
        for (id, name) in [
            ("sha1", "SHA-1"),
            ("sha512-256", "SHA-512/256"),
            ("sha3-256", "SHA3-256"),
            ("md5", "MD5"),
            ("sha1dc", "SHA-1 with collision detection"),
            ("shake128", "SHAKE128"),
            ("ripemd128", "RIPEMD-128"),
            ("streebog512", "Streebog-512"),
            ("fnv1a-64", "FNV-1a-64"),
            ("sm3", "SM3"),
            ("md6x", "md6x"),
            ("des-ede3-cbc", "3DES-CBC"),
            ("sha", "sha"),
            ("crc32", "CRC-32"),
            ("md5,sha256", "MD5 + SHA-256"),
        ] {
            assert_eq!(algorithm(id), name);
        }
    }
}
