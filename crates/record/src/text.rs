//! Small pieces of text that several formats share.

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

/// Appends what md5deep and hashdeep add to the name of a piece: ` offset START-END`, the end inclusive (`0-0` for an
/// empty piece, as these programs have it).
pub(crate) fn push_piece_range(offset: u64, length: u64, out: &mut Vec<u8>) {
    out.extend_from_slice(b" offset ");
    push_decimal(offset, out);
    out.push(b'-');
    push_decimal(offset + length.saturating_sub(1), out);
}
