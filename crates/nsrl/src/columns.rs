//! Values of columns: digests, numbers, texts.

use std::sync::LazyLock;

use pfh_digest::{Algorithm, Digest};
use rusqlite::types::ValueRef;

use crate::row::Fault;

/// A column with digests.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DigestColumn {
    pub(crate) name: &'static str,
    pub(crate) algorithm: Algorithm,
}

/// Returns an algorithm that the registry is known to have.
pub(crate) fn algorithm(name: &'static str) -> Algorithm {
    Algorithm::from_name(name).expect("the registry has the algorithms of these databases")
}

/// The digests of one row.
#[derive(Debug)]
pub(crate) struct Digests {
    digests: [Digest; Digests::COUNT_MAX],
    count: usize,
}

impl Digests {
    const COUNT_MAX: usize = 4;

    pub(crate) fn new() -> Digests {
        static NOTHING: LazyLock<Digest> = LazyLock::new(|| algorithm("md5").digest(b""));
        Digests { digests: [*NOTHING; Digests::COUNT_MAX], count: 0 }
    }

    pub(crate) fn clear(&mut self) {
        self.count = 0;
    }

    pub(crate) fn as_slice(&self) -> &[Digest] {
        &self.digests[..self.count]
    }

    /// Adds the value of a column: a text or a blob in hexadecimal of either case, or a blob of the bytes themselves.
    /// NULL and an empty value are no digest, which is not a fault.
    pub(crate) fn add(&mut self, column: DigestColumn, value: ValueRef<'_>) -> Result<(), Fault> {
        let digest = match value {
            ValueRef::Null | ValueRef::Text([]) | ValueRef::Blob([]) => return Ok(()),
            // The digits of a shorter digest can be as many as the bytes of a longer one.
            ValueRef::Text(digits) => Digest::from_hex(column.algorithm, digits),
            ValueRef::Blob(bytes) => {
                Digest::from_hex(column.algorithm, bytes).or_else(|| Digest::new(column.algorithm, bytes))
            }
            ValueRef::Integer(_) | ValueRef::Real(_) => None,
        };
        self.digests[self.count] = digest.ok_or(Fault::NotADigest(column.name))?;
        self.count += 1;
        Ok(())
    }

    /// Takes a row's digests: those of `columns`, whose values begin at the column `first` of the result.
    pub(crate) fn read(
        &mut self,
        row: &rusqlite::Row<'_>,
        first: usize,
        columns: &[DigestColumn],
    ) -> Result<(), Fault> {
        self.clear();
        for (index, column) in columns.iter().enumerate() {
            let value = row.get_ref(first + index).map_err(|_| Fault::NotADigest(column.name))?;
            self.add(*column, value)?;
        }
        if self.count == 0 { Err(Fault::NoDigest) } else { Ok(()) }
    }
}

/// Appends what the base64 stands for (RFC 4648, section 4); nothing if it is none.
pub(crate) fn push_from_base64(text: &[u8], out: &mut Vec<u8>) {
    let start = out.len();
    let digits = text.strip_suffix(b"==").or_else(|| text.strip_suffix(b"=")).unwrap_or(text);
    let (mut bits, mut count) = (0_u32, 0);
    for &digit in digits {
        let value = match digit {
            b'A'..=b'Z' => digit - b'A',
            b'a'..=b'z' => digit - b'a' + 26,
            b'0'..=b'9' => digit - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => return out.truncate(start),
        };
        bits = bits << 6 | u32::from(value);
        count += 6;
        if count >= 8 {
            count -= 8;
            out.push((bits >> count) as u8);
        }
    }
    // A digit that is left alone stands for nothing.
    if count == 6 {
        out.truncate(start);
    }
}

/// Returns a text or the bytes of a blob; nothing for other values.
pub(crate) fn bytes<'r>(row: &'r rusqlite::Row<'_>, index: usize) -> &'r [u8] {
    match row.get_ref(index) {
        Ok(ValueRef::Text(bytes) | ValueRef::Blob(bytes)) => bytes,
        _ => &[],
    }
}

/// Returns a number, also if it is written as a text.
pub(crate) fn integer(row: &rusqlite::Row<'_>, index: usize) -> Option<i64> {
    match row.get_ref(index) {
        Ok(ValueRef::Integer(value)) => Some(value),
        Ok(ValueRef::Text(text)) => std::str::from_utf8(text).ok()?.parse().ok(),
        _ => None,
    }
}

/// Returns a size in bytes; `None` for what cannot be one.
pub(crate) fn size(row: &rusqlite::Row<'_>, index: usize) -> Option<u64> {
    integer(row, index).and_then(|size| u64::try_from(size).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64() {
        let of = |text: &[u8]| {
            let mut out = b"before ".to_vec();
            push_from_base64(text, &mut out);
            out.split_off(7)
        };
        for (text, bytes) in [("", ""), ("Zg==", "f"), ("Zm8=", "fo"), ("Zm9v", "foo"), ("Zm9vYmFy", "foobar")] {
            assert_eq!(of(text.as_bytes()), bytes.as_bytes(), "{text}");
        }
        assert_eq!(of(b"/w=="), [0xff]);
        for text in [&b"Z"[..], b"Zm9vY", b"Zm 9v", b"Zg=a", b"\xff"] {
            assert_eq!(of(text), b"", "{text:?}");
        }
    }
}
