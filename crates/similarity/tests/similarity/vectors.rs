//! Reader of `tests/vectors/similarity.jsonl`; its fields are described in the README beside it.

use std::collections::HashMap;
use std::sync::LazyLock;

use pfh_digest::Algorithm;
use serde_json::Value;

use crate::inputs::generate;

const TEXT: &str = include_str!("../vectors/similarity.jsonl");

static LINES: LazyLock<Vec<Value>> =
    LazyLock::new(|| TEXT.lines().map(|line| serde_json::from_str(line).expect("a line of JSON")).collect());

/// The input lines.
pub(crate) fn inputs() -> impl Iterator<Item = &'static Value> {
    LINES.iter().filter(|line| line.get("input").is_some())
}

/// The pair lines.
pub(crate) fn pairs() -> impl Iterator<Item = &'static Value> {
    LINES.iter().filter(|line| line.get("a").is_some())
}

/// The bytes of every input, by its id; made once.
pub(crate) static CONTENTS: LazyLock<HashMap<&'static str, Vec<u8>>> =
    LazyLock::new(|| inputs().map(|line| (text(line, "id"), generate(&line["input"]))).collect());

/// The bytes of one input.
pub(crate) fn contents(line: &Value) -> &'static [u8] {
    &CONTENTS[text(line, "id")]
}

/// A field that is text.
pub(crate) fn text<'a>(line: &'a Value, field: &str) -> &'a str {
    line[field].as_str().unwrap_or_else(|| panic!("no text `{field}` in {}", line["id"]))
}

#[test]
fn inputs_are_rebuilt_byte_for_byte() {
    for line in inputs() {
        let bytes = contents(line);
        assert_eq!(bytes.len() as u64, line["len"].as_u64().expect("a length"), "{}", line["id"]);
        let sha256 = Algorithm::from_name("sha256").expect("known").digest(bytes);
        assert_eq!(sha256.to_string(), text(line, "sha256"), "{}", line["id"]);
    }
    assert_eq!((inputs().count(), pairs().count()), (76, 170));
}
