//! Sizes as people write them.

/// Parses `4096`, `64K`, `20M`, `1.5G` (powers of 1024; `KiB`, `MiB` … mean the same) and `20MB` (powers of 1000).
///
/// # Errors
/// A message for users, for what is not a size, or too large for 64 bits.
pub fn parse_bytes(text: &str) -> Result<u64, String> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit = &text[digits.len()..];
    let (prefix, base) = match unit.to_ascii_lowercase().as_str() {
        "" | "b" => (None, 1),
        other => match other.strip_suffix("ib") {
            Some(prefix) => (Some(prefix.to_owned()), 1024),
            None => match other.strip_suffix('b') {
                Some(prefix) => (Some(prefix.to_owned()), 1000),
                None => (Some(other.to_owned()), 1024),
            },
        },
    };
    let unclear = || format!("`{text}` is not a size; write for example 4096, 64K, 20M, 1.5G or 20MB");
    let power = match prefix.as_deref() {
        None => 0,
        Some("k") => 1,
        Some("m") => 2,
        Some("g") => 3,
        Some("t") => 4,
        Some("p") => 5,
        Some(_) => return Err(unclear()),
    };
    let factor = u64::pow(base, power);
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let all_digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    // There is no part of a byte.
    let is_divided = factor == 1 && digits.contains('.');
    if whole.is_empty() || !all_digits(whole) || !all_digits(fraction) || fraction.len() > 9 || is_divided {
        return Err(unclear());
    }
    let too_large = || format!("`{text}` is too large");
    let whole_bytes = whole.parse::<u64>().ok().and_then(|n| n.checked_mul(factor)).ok_or_else(too_large)?;
    let fraction_value = fraction.parse::<u64>().unwrap_or(0);
    let fraction_bytes = u128::from(fraction_value) * u128::from(factor) / 10u128.pow(fraction.len() as u32);
    u64::try_from(fraction_bytes).ok().and_then(|bytes| whole_bytes.checked_add(bytes)).ok_or_else(too_large)
}
