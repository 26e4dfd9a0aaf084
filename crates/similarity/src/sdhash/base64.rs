//! Base64 (RFC 4648, section 4), strict: padded, and the unused bits of the last character are 0.

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const INVALID: u8 = 0xFF;
const VALUES: [u8; 256] = {
    let mut values = [INVALID; 256];
    let mut value = 0;
    while value < ALPHABET.len() {
        values[ALPHABET[value] as usize] = value as u8;
        value += 1;
    }
    values
};

/// Length of the text for this number of bytes.
pub(super) const fn text_bytes(bytes: usize) -> usize {
    bytes.div_ceil(3) * 4
}

/// Appends the text of `bytes`.
pub(super) fn encode(bytes: &[u8], out: &mut Vec<u8>) {
    let (groups, rest) = bytes.as_chunks::<3>();
    let start = out.len();
    out.resize(start + text_bytes(bytes.len()), b'=');
    let (texts, _) = out[start..].as_chunks_mut();
    for (text, &group) in texts.iter_mut().zip(groups) {
        *text = text_of(group);
    }
    if let (Some(text), false) = (texts.last_mut(), rest.is_empty()) {
        let mut group = [0; 3];
        group[..rest.len()].copy_from_slice(rest);
        text[..=rest.len()].copy_from_slice(&text_of(group)[..=rest.len()]);
    }
}

fn text_of([a, b, c]: [u8; 3]) -> [u8; 4] {
    let word = u32::from_be_bytes([0, a, b, c]);
    [18, 12, 6, 0].map(|shift| ALPHABET[(word >> shift) as usize % 64])
}

/// Appends the bytes of `text`, or tells where it is wrong.
pub(super) fn decode(text: &[u8], out: &mut Vec<u8>) -> Result<(), usize> {
    let (groups, rest) = text.as_chunks::<4>();
    let padding = text.iter().rev().take(2).take_while(|&&character| character == b'=').count();
    let Some((last, groups)) = groups.split_last() else { return if rest.is_empty() { Ok(()) } else { Err(0) } };
    if !rest.is_empty() {
        return Err(text.len() - rest.len());
    }
    out.reserve(text.len() / 4 * 3);
    for (index, group) in groups.iter().enumerate() {
        let values = group.map(|character| VALUES[usize::from(character)]);
        if (values[0] | values[1] | values[2] | values[3]) > 63 {
            return Err(index * 4 + values.iter().take_while(|&&value| value != INVALID).count());
        }
        out.extend_from_slice(&bytes_of(values));
    }
    let mut values = [0; 4];
    for (place, (value, &character)) in values[..4 - padding].iter_mut().zip(last).enumerate() {
        *value = VALUES[usize::from(character)];
        if *value == INVALID {
            return Err(groups.len() * 4 + place);
        }
    }
    let bytes = bytes_of(values);
    let (bytes, unused) = bytes.split_at(3 - padding);
    if unused.iter().any(|&byte| byte != 0) {
        return Err(text.len() - padding - 1);
    }
    out.extend_from_slice(bytes);
    Ok(())
}

fn bytes_of(values: [u8; 4]) -> [u8; 3] {
    let word = values.iter().fold(0_u32, |word, &value| word << 6 | u32::from(value));
    [(word >> 16) as u8, (word >> 8) as u8, word as u8]
}

#[cfg(test)]
mod tests {
    use super::{decode, encode, text_bytes};

    fn both(bytes: &[u8], text: &str) {
        let (mut encoded, mut decoded) = (Vec::new(), Vec::new());
        encode(bytes, &mut encoded);
        assert_eq!((encoded.as_slice(), text_bytes(bytes.len())), (text.as_bytes(), text.len()));
        assert_eq!(decode(text.as_bytes(), &mut decoded), Ok(()));
        assert_eq!(decoded, bytes);
    }

    /// RFC 4648, section 10.
    #[test]
    fn published() {
        let texts = ["", "Zg==", "Zm8=", "Zm9v", "Zm9vYg==", "Zm9vYmE=", "Zm9vYmFy"];
        (0..texts.len()).for_each(|bytes| both(&b"foobar"[..bytes], texts[bytes]));
        both(&[0xFB, 0xFF, 0xBF], "+/+/");
    }

    #[test]
    fn refuses_what_it_would_not_write() {
        for (text, at) in [
            ("Z", 0),
            ("Zg=", 0),
            ("Zg==Z", 4),
            ("Zh==", 1),
            ("Zm9=", 2),
            ("Z===", 1),
            ("=Zm9", 0),
            ("Zg==Zg==", 2),
            ("Zm\nv", 2),
            ("Zm9vZ-9v", 5),
        ] {
            assert_eq!(decode(text.as_bytes(), &mut Vec::new()), Err(at), "{text:?}");
        }
    }
}
