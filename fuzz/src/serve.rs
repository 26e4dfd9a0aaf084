//! Properties of the requests that servers read.

use pfh_serve::{Line, RequestError, parse_digests};
use serde_json::Value;

/// Most digests of a request.
const DIGESTS_MAX: usize = 8;

/// A line of nsrlsvr's protocol is read as the words in it say, whatever is around them and in whatever case.
pub fn line(input: &[u8]) {
    let read = Line::parse(input, DIGESTS_MAX);
    let words: Vec<&[u8]> = input.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()).collect();
    assert_eq!(read == Line::Bye, words.is_empty() || words.len() == 1 && words[0].eq_ignore_ascii_case(b"bye"));
    if let Line::Query(digests) = &read {
        assert!(words[0].eq_ignore_ascii_case(b"query") && digests[..] == words[1..]);
        assert!((1..=DIGESTS_MAX).contains(&digests.len()));
        let is_digest = |word: &&[u8]| (16..=128).contains(&word.len()) && word.iter().all(u8::is_ascii_hexdigit);
        assert!(digests.iter().all(is_digest));
    }
    let spaced = [b" \t", &words.join(&b"  "[..])[..], b" \r"].concat();
    assert_eq!(Line::parse(&spaced, DIGESTS_MAX), read);
    let upper = input.to_ascii_uppercase();
    assert_eq!(std::mem::discriminant(&Line::parse(&upper, DIGESTS_MAX)), std::mem::discriminant(&read));
}

/// A request is read as a general reader of JSON reads it.
pub fn digests(input: &[u8]) {
    let read = parse_digests(input, "digests", DIGESTS_MAX);
    if let Ok(read) = &read {
        assert!(read.len() <= DIGESTS_MAX);
    }
    // The general reader refuses more, such as numbers that are too great.
    let Ok(value) = serde_json::from_slice::<Value>(input) else { return };
    let expected = value.as_object().map(|object| object.get("digests").map(Value::as_array));
    match (expected, read) {
        (Some(Some(Some(values))), Ok(read)) => {
            let texts: Vec<Option<&str>> = values.iter().map(Value::as_str).collect();
            assert_eq!(read.iter().map(Option::as_deref).collect::<Vec<_>>(), texts);
        }
        (Some(Some(Some(values))), Err(RequestError::TooMany(most))) => assert!(values.len() > most || is_twice(input)),
        // The key may be there twice.
        (Some(Some(_)), Err(RequestError::NotJson(text))) => {
            assert!(value["digests"].as_array().is_none() || text.contains("twice") || is_twice(input), "{text}");
        }
        (Some(None), read) => assert!(matches!(read, Err(RequestError::NoKey(_)))),
        (None, read) => assert!(matches!(read, Err(RequestError::NotJson(_)))),
        (expected, read) => panic!("{expected:?}: {read:?}"),
    }
}

/// Whether there may be two keys of which the general reader takes the last.
fn is_twice(input: &[u8]) -> bool {
    // A key may be written with escapes.
    input.iter().filter(|byte| **byte == b':').count() > 1
}
