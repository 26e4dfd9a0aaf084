//! Requests for many digests, as JSON.

use serde::Deserializer;
use serde::de::{DeserializeSeed, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor};
use std::borrow::Cow;
use std::cell::Cell;
use std::fmt;

/// The error of a request that is not understood, or asks for too much.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RequestError {
    /// It is not a JSON object with an array there.
    NotJson(String),
    /// The object has no such key.
    NoKey(String),
    /// It has more digests than this.
    TooMany(usize),
}

impl fmt::Display for RequestError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RequestError::NotJson(error) => write!(f, "the request is not understood: {error}"),
            RequestError::NoKey(key) => write!(f, "the request has no key \"{key}\" with an array of digests"),
            RequestError::TooMany(most) => write!(f, "more than {most} digests are asked for at once"),
        }
    }
}

impl std::error::Error for RequestError {}

/// Returns the texts of the array at `key` in a JSON object; `None` for what is no text. Nothing else of the request is
/// kept, so that the result is not much larger than the request.
///
/// # Errors
/// [`RequestError`]. There may be at most `digests_max` values.
pub fn parse_digests<'a>(
    body: &'a [u8],
    key: &str,
    digests_max: usize,
) -> Result<Vec<Option<Cow<'a, str>>>, RequestError> {
    let is_too_many = Cell::new(false);
    let mut json = serde_json::Deserializer::from_slice(body);
    let array = Array { digests_max, is_too_many: &is_too_many };
    let parsed = json.deserialize_map(Object { key, array }).and_then(|found| json.end().map(|()| found));
    match parsed {
        Ok(Some(digests)) => Ok(digests),
        Ok(None) => Err(RequestError::NoKey(key.to_owned())),
        Err(_) if is_too_many.get() => Err(RequestError::TooMany(digests_max)),
        Err(error) => Err(RequestError::NotJson(error.to_string())),
    }
}

type Texts<'de> = Vec<Option<Cow<'de, str>>>;

struct Object<'s> {
    key: &'s str,
    array: Array<'s>,
}

impl<'de> Visitor<'de> for Object<'_> {
    type Value = Option<Texts<'de>>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "an object with the key \"{}\"", self.key)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut found = None;
        while let Some(key) = map.next_key_seed(Text)? {
            if key.as_deref() != Some(self.key) {
                map.next_value::<IgnoredAny>()?;
            } else if found.is_none() {
                found = Some(map.next_value_seed(self.array)?);
            } else {
                return Err(A::Error::custom(format_args!("\"{}\" is there twice", self.key)));
            }
        }
        Ok(found)
    }
}

#[derive(Clone, Copy)]
struct Array<'s> {
    digests_max: usize,
    /// Set where the error is that there are too many.
    is_too_many: &'s Cell<bool>,
}

impl<'de> DeserializeSeed<'de> for Array<'_> {
    type Value = Texts<'de>;

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<Self::Value, D::Error> {
        json.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for Array<'_> {
    type Value = Texts<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array of digests")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut values: A) -> Result<Self::Value, A::Error> {
        let mut texts = Vec::new();
        while let Some(text) = values.next_element_seed(Text)? {
            if texts.len() == self.digests_max {
                self.is_too_many.set(true);
                return Err(A::Error::custom("too many digests"));
            }
            texts.push(text);
        }
        Ok(texts)
    }
}

/// A text, or `None` for any other value.
struct Text;

impl<'de> DeserializeSeed<'de> for Text {
    type Value = Option<Cow<'de, str>>;

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<Self::Value, D::Error> {
        json.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Text {
    type Value = Option<Cow<'de, str>>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
        Ok(Some(Cow::Borrowed(text)))
    }

    fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Some(Cow::Owned(text.to_owned())))
    }

    fn visit_bool<E>(self, _: bool) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut values: A) -> Result<Self::Value, A::Error> {
        while values.next_element::<IgnoredAny>()?.is_some() {}
        Ok(None)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_read_and_refused() {
        let parse = |body: &str| parse_digests(body.as_bytes(), "hashes", 3).map(|texts| format!("{texts:?}"));
        let read = Ok(r#"[Some("ab"), None, Some("c")]"#.to_owned());
        assert_eq!(parse(r#"{"hashes":["ab",7,"\u0063"]}"#), read);
        assert_eq!(parse(r#" {"other":{"hashes":[1]},"hashes":["ab",[{"c":[]}],"c"],"more":null} "#), read);
        assert_eq!(parse(r#"{"hashes":[]}"#), Ok("[]".to_owned()));
        assert_eq!(parse(r#"{"hashes":[1.5,null,true]}"#), Ok("[None, None, None]".to_owned()));
        assert_eq!(parse(r#"{"hash":["ab"]}"#), Err(RequestError::NoKey("hashes".to_owned())));
        assert_eq!(parse(r#"{"hashes":[1,2,3,4]}"#), Err(RequestError::TooMany(3)));
        let deep = "[".repeat(100_000);
        for wrong in [
            "",
            "[]",
            "null",
            r#"{"hashes":"ab"}"#,
            r#"{"hashes":["ab"]"#,
            r#"{"hashes":["ab"]}}"#,
            r#"{"hashes":["ab"],"hashes":["ab"]}"#,
            r#"{"hashes":["\ud800"]}"#,
            &deep,
            &format!(r#"{{"hashes":[{deep}"#),
        ] {
            assert!(matches!(parse(wrong), Err(RequestError::NotJson(_))), "{wrong:.40}");
        }
    }
}
