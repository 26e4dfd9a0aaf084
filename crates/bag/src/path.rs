//! Paths in tag files: their encoding, their safety, and the form by which spellings of one name meet.

use std::borrow::Cow;

use unicode_normalization::{UnicodeNormalization, is_nfc};

use crate::declaration::Encoding;

/// Longest path in a bag that is looked for, in bytes.
pub const PATH_BYTES_MAX: usize = 60_000;

/// The directory of the payload, with its slash.
pub(crate) const PAYLOAD: &[u8] = b"data/";

/// Encodes a path for a manifest or fetch.txt of version 1.0: LF, CR and `%` become `%0A`, `%0D` and `%25` (RFC 8493,
/// section 2.1.3).
pub fn encode_path(path: &[u8], out: &mut Vec<u8>) {
    for &byte in path {
        match byte {
            b'\n' => out.extend_from_slice(b"%0A"),
            b'\r' => out.extend_from_slice(b"%0D"),
            b'%' => out.extend_from_slice(b"%25"),
            byte => out.push(byte),
        }
    }
}

/// Decodes the three characters that version 1.0 encodes, in either case of digits; all else stays as it is.
pub(crate) fn decode_path(path: &[u8]) -> Cow<'_, [u8]> {
    if !path.contains(&b'%') {
        return Cow::Borrowed(path);
    }
    let mut decoded = Vec::with_capacity(path.len());
    let mut rest = path;
    while let Some((&byte, after)) = rest.split_first() {
        let code = if byte == b'%' { after.first_chunk::<2>() } else { None };
        let character = match code {
            Some([b'0', b'a' | b'A']) => Some(b'\n'),
            Some([b'0', b'd' | b'D']) => Some(b'\r'),
            Some(b"25") => Some(b'%'),
            _ => None,
        };
        decoded.push(character.unwrap_or(byte));
        rest = if character.is_some() { &after[2..] } else { after };
    }
    Cow::Owned(decoded)
}

/// Returns the reason why a path must not be followed, if there is one.
pub(crate) fn danger(path: &[u8]) -> Option<&'static str> {
    if path.contains(&0) {
        return Some("the path contains a NUL, which no name can");
    }
    match path.first() {
        None => return Some("there is no path"),
        Some(b'/') => return Some("the path is absolute, and so leads out of the bag"),
        Some(b'~') => return Some("the path begins with `~`, which a shell takes for a home directory"),
        _ => {}
    }
    if path.split(|&byte| byte == b'/').any(|part| part == b"..") {
        return Some("the path contains `..`, and so may lead out of the bag");
    }
    (path.len() > PATH_BYTES_MAX).then_some("the path is longer than 60,000 bytes, and is not looked for")
}

/// Removes `./` and empty components; `None` if there are none.
pub(crate) fn without_dots(path: &[u8]) -> Option<Vec<u8>> {
    let is_odd = |part: &[u8]| part.is_empty() || part == b".";
    if !path.split(|&byte| byte == b'/').any(is_odd) {
        return None;
    }
    let parts: Vec<&[u8]> = path.split(|&byte| byte == b'/').filter(|part| !is_odd(part)).collect();
    Some(parts.join(&b'/'))
}

/// Returns the form in which all spellings of a name are equal: percent signs decoded, and Unicode composed. `encoding`
/// is that of the bytes.
pub(crate) fn canonical(path: &[u8], encoding: Encoding) -> Vec<u8> {
    let decoded = decode_path(path);
    let text: Cow<'_, str> = match (encoding, std::str::from_utf8(&decoded)) {
        (Encoding::Latin1, _) => decoded.iter().map(|&byte| char::from(byte)).collect::<String>().into(),
        (Encoding::Utf8, Ok(text)) => text.into(),
        (Encoding::Utf8, Err(_)) => return decoded.into_owned(),
    };
    if is_nfc(&text) { text.into_owned().into_bytes() } else { text.nfc().collect::<String>().into_bytes() }
}

/// Returns the form in which names are equal that some systems take for each other.
pub(crate) fn folded(path: &[u8]) -> Vec<u8> {
    match std::str::from_utf8(path) {
        Ok(text) if text.is_ascii() => text.to_ascii_lowercase().into_bytes(),
        Ok(text) => text.nfc().collect::<String>().to_lowercase().into_bytes(),
        Err(_) => path.to_ascii_lowercase(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_characters_are_encoded() {
        let mut encoded = Vec::new();
        encode_path(b"data/100%\r\n%41 \xc3\xa9", &mut encoded);
        assert_eq!(encoded, b"data/100%25%0D%0A%2541 \xc3\xa9");
        assert_eq!(&*decode_path(&encoded), b"data/100%\r\n%41 \xc3\xa9");
        // Other codes, broken ones, and what a decoded percent sign makes are left alone.
        assert_eq!(&*decode_path(b"%41%0a%0D%2%250A%"), b"%41\n\r%2%0A%");
    }

    #[test]
    fn paths_that_lead_out_are_known() {
        for path in [&b"/etc/passwd"[..], b"~/x", b"~root", b"../x", b"data/../../x", b"data/..", b"data/a\0b", b""] {
            assert!(danger(path).is_some(), "{}", path.escape_ascii());
        }
        assert!(danger(&b"a/".repeat(1_000_000)).is_some());
        for path in [&b"data/..."[..], b"data/a..b", b"data/~", b"data/x"] {
            assert_eq!(danger(path), None, "{}", path.escape_ascii());
        }
        assert_eq!(without_dots(b"./data//a/./b").as_deref(), Some(&b"data/a/b"[..]));
        assert_eq!(without_dots(b"data/.a/b"), None);
    }

    #[test]
    fn spellings_meet() {
        let spellings: [&[u8]; 3] = [b"data/\xc3\xa9%", b"data/e\xcc\x81%25", b"data/\xc3\xa9%25"];
        for spelling in spellings {
            assert_eq!(canonical(spelling, Encoding::Utf8), b"data/\xc3\xa9%");
        }
        assert_eq!(canonical(b"data/\xe9", Encoding::Latin1), b"data/\xc3\xa9");
        assert_eq!(canonical(b"data/\xff%25", Encoding::Utf8), b"data/\xff%");
        assert_eq!(folded("data/ÄE\u{301}".as_bytes()), folded("data/äé".as_bytes()));
    }
}
