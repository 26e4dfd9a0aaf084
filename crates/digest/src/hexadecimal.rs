//! Reading hexadecimal digits.

/// Reads the hexadecimal digits of these bytes, in upper or lower case. `None` if they are not twice as many as
/// `bytes`, or one of them is no digit; `bytes` then has no meaning.
pub fn decode_hexadecimal(digits: &[u8], bytes: &mut [u8]) -> Option<()> {
    let (pairs, []) = digits.as_chunks::<2>() else { return None };
    if pairs.len() != bytes.len() {
        return None;
    }
    let mut values = 0;
    for (byte, [high, low]) in bytes.iter_mut().zip(pairs) {
        let (high, low) = (VALUES[usize::from(*high)], VALUES[usize::from(*low)]);
        values |= high | low;
        *byte = high << 4 | low & 0xF;
    }
    (values <= 0xF).then_some(())
}

/// The value of each digit; more than 15 for other bytes.
const VALUES: [u8; 256] = {
    let mut values = [0xFF; 256];
    let mut value = 0;
    while value < 16 {
        values[b"0123456789abcdef"[value] as usize] = value as u8;
        values[b"0123456789ABCDEF"[value] as usize] = value as u8;
        value += 1;
    }
    values
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hexadecimal_of_either_case() {
        let mut bytes = [0; 4];
        assert_eq!(decode_hexadecimal(b"00fFAb9c", &mut bytes), Some(()));
        assert_eq!(bytes, [0, 0xff, 0xab, 0x9c]);
        for digits in [&b"0g"[..], b"g0", b"\xff\xff", b" 1", b"@1", b"/1", b"1", b"111", b"1111", b""] {
            assert_eq!(decode_hexadecimal(digits, &mut [0]), None, "{digits:?}");
        }
    }
}
