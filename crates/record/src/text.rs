//! Small text functions that several formats share.

use pfh_digest::{Algorithm, Digest};

/// Appends a number in decimal.
pub(crate) fn push_decimal(mut value: u64, out: &mut Vec<u8>) {
    let mut digits = [0; 20];
    let mut start = digits.len();
    loop {
        start -= 1;
        digits[start] = b'0' + (value % 10) as u8;
        value /= 10;
        if value == 0 {
            break;
        }
    }
    out.extend_from_slice(&digits[start..]);
}

/// Appends a number below 100 as two digits.
pub(crate) fn push_two_digits(value: u8, out: &mut Vec<u8>) {
    out.extend_from_slice(&[b'0' + value / 10, b'0' + value % 10]);
}

/// Appends the suffix that md5deep and hashdeep add to the name of a piece: ` offset START-END`, with an inclusive end
/// (`0-0` for an empty piece).
pub(crate) fn push_piece_range(offset: u64, length: u64, out: &mut Vec<u8>) {
    out.extend_from_slice(b" offset ");
    push_decimal(offset, out);
    out.push(b'-');
    push_decimal(offset + length.saturating_sub(1), out);
}

/// Parses a decimal number: digits only, and not too large for 64 bits.
pub(crate) fn parse_decimal(digits: &[u8]) -> Option<u64> {
    if digits.is_empty() {
        return None;
    }
    digits.iter().try_fold(0u64, |value, &digit| {
        let digit = digit.is_ascii_digit().then(|| u64::from(digit - b'0'))?;
        value.checked_mul(10)?.checked_add(digit)
    })
}

/// Returns the bytes before and after the first `separator`.
pub(crate) fn split_once(bytes: &[u8], separator: u8) -> Option<(&[u8], &[u8])> {
    let at = memchr::memchr(separator, bytes)?;
    Some((&bytes[..at], &bytes[at + 1..]))
}

/// Returns the number of hexadecimal digits at the beginning.
pub(crate) fn hex_run(bytes: &[u8]) -> usize {
    // The compiler tests all bytes of a group at once.
    let is_all = |group: &&[u8; 32]| group.iter().fold(true, |all, byte| all & byte.is_ascii_hexdigit());
    let start = bytes.as_chunks().0.iter().take_while(is_all).count() * 32;
    start + bytes[start..].iter().take_while(|byte| byte.is_ascii_hexdigit()).count()
}

/// Appends bytes in base64 with padding (RFC 4648, section 4).
pub(crate) fn push_base64(bytes: &[u8], out: &mut Vec<u8>) {
    for group in bytes.chunks(3) {
        let word = group.iter().zip([16, 8, 0]).fold(0, |word, (&byte, shift)| word | u32::from(byte) << shift);
        for (place, shift) in [18, 12, 6, 0].into_iter().enumerate() {
            out.push(if place <= group.len() { BASE64[(word >> shift & 63) as usize] } else { b'=' });
        }
    }
}

/// Parses the base64 of a digest. Returns `None` if its length does not fit the algorithm, or its last bits are not
/// zero.
pub(crate) fn parse_base64(algorithm: Algorithm, text: &[u8]) -> Option<Digest> {
    if text.len() != algorithm.digest_bytes().div_ceil(3) * 4 {
        return None;
    }
    let mut bytes = Vec::with_capacity(algorithm.digest_bytes() + 2);
    for group in text.chunks(4) {
        let word = group.iter().try_fold(0, |word, &digit| {
            let value = if digit == b'=' { 0 } else { BASE64.iter().position(|&known| known == digit)? };
            Some(word << 6 | value as u32)
        })?;
        bytes.extend_from_slice(&word.to_be_bytes()[1..]);
    }
    let digest = Digest::new(algorithm, bytes.get(..algorithm.digest_bytes())?)?;
    // There is only one way to write it, so comparing also excludes padding in other places.
    let mut written = Vec::with_capacity(text.len());
    push_base64(digest.bytes(), &mut written);
    (written == text).then_some(digest)
}

const BASE64: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Whether a digest is that of the empty message. Always false for algorithms with keys.
pub(crate) fn is_of_nothing(digest: &Digest) -> bool {
    !digest.algorithm().is_keyed() && *digest == digest.algorithm().digest(b"")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_of_digits_ends_at_any_place() {
        for digits in 0..100 {
            for other in [b'g', b'/', b':', b'@', b'G', b'`', 0, 0xFF] {
                let mut text = b"09afAF".repeat(17)[..digits].to_vec();
                assert_eq!(hex_run(&text), digits);
                text.push(other);
                text.extend(b"0123456789abcdef".repeat(4));
                assert_eq!(hex_run(&text), digits, "{other}");
            }
        }
    }
}
