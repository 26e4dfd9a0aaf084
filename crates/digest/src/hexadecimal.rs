//! Reading and writing hexadecimal digits.

/// Reads the hexadecimal digits of these bytes, in upper or lower case. `None` if they are not twice as many as
/// `bytes`, or one of them is no digit; `bytes` then has no meaning.
pub fn decode_hexadecimal(digits: &[u8], bytes: &mut [u8]) -> Option<()> {
    if digits.len() != 2 * bytes.len() {
        return None;
    }
    let (groups, rest) = digits.as_chunks::<{ 2 * GROUP_BYTES }>();
    let (groups_of_bytes, rest_of_bytes) = bytes.as_chunks_mut::<GROUP_BYTES>();
    let mut all = 0;
    for (bytes, digits) in groups_of_bytes.iter_mut().zip(groups) {
        let values = digits.map(value);
        all |= values.iter().fold(0, |all, value| all | value);
        *bytes = std::array::from_fn(|byte| values[2 * byte] << 4 | values[2 * byte + 1] & 0xF);
    }
    for (byte, digits) in rest_of_bytes.iter_mut().zip(rest.as_chunks().0) {
        let [high, low] = digits.map(value);
        all |= high | low;
        *byte = high << 4 | low & 0xF;
    }
    (all <= 0xF).then_some(())
}

/// Bytes that are decoded side by side.
const GROUP_BYTES: usize = 16;

/// Returns the value of a digit; more than 15 for other bytes. There is no table, so that many are computed at once.
#[inline]
fn value(byte: u8) -> u8 {
    let (digit, letter) = (byte.wrapping_sub(b'0'), (byte | 0x20).wrapping_sub(b'a'));
    if digit < 10 {
        digit
    } else if letter < 6 {
        letter + 10
    } else {
        0xFF
    }
}

/// Returns these bytes in lower-case hexadecimal.
pub fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().flat_map(|&byte| HEX[usize::from(byte)]).map(char::from).collect()
}

/// The two hexadecimal digits of each byte.
pub(crate) const HEX: [[u8; 2]; 256] = {
    let digits = b"0123456789abcdef";
    let mut table = [[0; 2]; 256];
    let mut byte = 0;
    while byte < 256 {
        table[byte] = [digits[byte >> 4], digits[byte & 15]];
        byte += 1;
    }
    table
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hexadecimal_of_either_case() {
        let mut bytes = [0; 4];
        assert_eq!(decode_hexadecimal(b"00fFAb9c", &mut bytes), Some(()));
        assert_eq!(bytes, [0, 0xff, 0xab, 0x9c]);
        for byte in 0..=u8::MAX {
            assert_eq!(hexadecimal(&[byte, 9]), format!("{byte:02x}09"));
            let expected = (byte as char).to_digit(16);
            assert_eq!(decode_hexadecimal(&[b'0', byte], &mut bytes[..1]).map(|()| u32::from(bytes[0])), expected);
            // Among many, which are decoded together.
            let mut digits = [b'5'; 40];
            digits[17] = byte;
            let mut bytes = [0; 20];
            assert_eq!(decode_hexadecimal(&digits, &mut bytes).map(|()| u32::from(bytes[8] & 0xF)), expected);
            assert!(expected.is_none() || bytes[..8] == [0x55; 8] && bytes[9..] == [0x55; 11]);
        }
        for digits in [&b"0g"[..], b"g0", b"\xff\xff", b" 1", b"@1", b"/1", b"1", b"111", b"1111", b""] {
            assert_eq!(decode_hexadecimal(digits, &mut [0]), None, "{digits:?}");
        }
    }
}
