//! Sizes in definitions: a number of bytes, or text such as `64K`, `2M`, `1G` (powers of 1024).

use serde::de::{Deserialize, Deserializer, Error};

/// A number of bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Size(pub u64);

impl Size {
    pub(crate) fn parse(text: &str) -> Option<Size> {
        let shift = match text.trim_start_matches(|c: char| c.is_ascii_digit()) {
            "" => 0,
            "K" => 10,
            "M" => 20,
            "G" => 30,
            _ => return None,
        };
        let number: u64 = text.trim_end_matches(['K', 'M', 'G']).parse().ok()?;
        number.checked_mul(1 << shift).map(Size)
    }
}

impl<'de> Deserialize<'de> for Size {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(serde::Deserialize)]
        #[serde(untagged, expecting = "a size: bytes as a number, or text such as \"64K\", \"2M\" or \"1G\"")]
        enum Either {
            Number(u64),
            Text(String),
        }
        match Either::deserialize(deserializer)? {
            Either::Number(bytes) => Ok(Size(bytes)),
            Either::Text(text) => Size::parse(&text)
                .ok_or_else(|| D::Error::custom(format!("`{text}` is not a size; write for example 64K, 2M or 1G"))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_as_people_write_them() {
        assert_eq!(Size::parse("16"), Some(Size(16)));
        assert_eq!(Size::parse("64K"), Some(Size(65_536)));
        assert_eq!(Size::parse("1G"), Some(Size(1 << 30)));
        for bad in ["", "K", "1KB", "-1", "1.5M", "99999999999G", "KK", "1KM"] {
            assert_eq!(Size::parse(bad), None, "{bad}");
        }
    }
}
