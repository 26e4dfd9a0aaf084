//! The check value at the end of every line, which reveals accidental changes.

use pfh_digest::Algorithm;

use crate::parse::{CheckProblem, Fault, ReadErrorKind};

/// The bytes between the checked part and the value.
const FIELD: &[u8] = b",\"check\":\"";
const VALUE_BYTES: usize = 8;
const END: &[u8] = b"\"}";

/// Returns the CRC-32C of the line before the field. In a line of up to 655 bytes it detects every change of up to five
/// bits.
fn check(bytes: &[u8]) -> [u8; VALUE_BYTES] {
    const HEX: &[u8; 16] = b"0123456789abcdef";
    let digest = Algorithm::CRC32C.digest(bytes);
    let mut text = [b'0'; VALUE_BYTES];
    for (digits, byte) in text.chunks_exact_mut(2).zip(digest.bytes()) {
        digits.copy_from_slice(&[HEX[usize::from(byte >> 4)], HEX[usize::from(byte & 15)]]);
    }
    text
}

/// Ends the object that begins at `start` with its check value, and the line.
pub fn end_line(start: usize, out: &mut Vec<u8>) {
    let check = check(&out[start..]);
    out.extend_from_slice(FIELD);
    out.extend_from_slice(&check);
    out.extend_from_slice(END);
    out.push(b'\n');
}

/// The result of checking a line.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Checked {
    /// The bytes match the check value.
    Right,
    /// The line does not end with a check value.
    Absent,
}

/// Compares a line with its check value.
pub(super) fn verify(line: &[u8]) -> Result<Checked, Fault> {
    let parts = line.strip_suffix(END).and_then(|rest| rest.split_last_chunk::<VALUE_BYTES>());
    match parts.and_then(|(rest, value)| Some((rest.strip_suffix(FIELD)?, value))) {
        None => Ok(Checked::Absent),
        Some((body, value)) if check(body) == *value => Ok(Checked::Right),
        Some((body, _)) => Err(Fault { kind: ReadErrorKind::Check(CheckProblem::Differs), at: body.len() }),
    }
}
