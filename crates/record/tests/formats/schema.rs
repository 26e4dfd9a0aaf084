//! The written lists follow the published schema. The checker below knows the keywords that the schema uses (of
//! `pattern`, the patterns in it) and is stricter than JSON Schema in one point: a field must be in the schema.

use pfh_record::{Conversion, FormatName, RunFacts};
use pfh_similarity::{Digest, Family};
use serde_json::Value;

use crate::samples::*;
use crate::similarity;

const SCHEMA: &str = include_str!("../../../../docs/reference/json-lines.schema.json");

/// The patterns of similarity digests accept more than their readers do.
fn is_digest(family: Family, text: &str) -> bool {
    Digest::from_bytes(family, text.as_bytes()).is_ok_and(|digest| digest == digest.clone().with_name(b""))
}

fn check(schema: &Value, value: &Value, root: &Value) -> Result<(), String> {
    let fail = |why: &str| Err(format!("{why}: {value} against {schema}"));
    for (keyword, argument) in schema.as_object().unwrap() {
        let holds = match keyword.as_str() {
            "$schema" | "title" | "description" | "$defs" | "additionalProperties" => true,
            "type" => match argument.as_str().unwrap() {
                "object" => value.is_object(),
                "array" => value.is_array(),
                "string" => value.is_string(),
                "boolean" => value.is_boolean(),
                "integer" => value.is_i64() || value.is_u64(),
                "number" => value.is_number(),
                other => panic!("type {other}"),
            },
            "const" => value == argument,
            "enum" => argument.as_array().unwrap().contains(value),
            "minimum" => value.as_f64().unwrap() >= argument.as_f64().unwrap(),
            "minItems" => value.as_array().unwrap().len() as u64 >= argument.as_u64().unwrap(),
            "minProperties" => value.as_object().unwrap().len() as u64 >= argument.as_u64().unwrap(),
            "required" => argument.as_array().unwrap().iter().all(|name| value.get(name.as_str().unwrap()).is_some()),
            "items" => {
                value.as_array().unwrap().iter().try_for_each(|item| check(argument, item, root))?;
                true
            }
            "properties" => {
                for (name, value) in value.as_object().unwrap() {
                    let Some(schema) = argument.get(name).or(schema.get("additionalProperties")) else {
                        return fail(&format!("`{name}` is not in the schema"));
                    };
                    check(schema, value, root)?;
                }
                true
            }
            "pattern" => {
                let text = value.as_str().unwrap();
                match argument.as_str().unwrap() {
                    "^[0-9a-f]{8}$" => text.len() == 8 && text.bytes().all(|byte| b"0123456789abcdef".contains(&byte)),
                    "^[0-9a-f]+$" => text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f')),
                    "^[0-9]+:[A-Za-z0-9+/]*:[A-Za-z0-9+/]*$" => is_digest(Family::Ssdeep, text),
                    "^sdbf(-dd)?:03:0::" => is_digest(Family::Sdhash, text),
                    "^:[0-9]+:[0-9]+:[0-9]+:[0-9A-F]+$" => is_digest(Family::MrshV2, text),
                    "^T1[0-9A-F]{70}$" => is_digest(Family::Tlsh, text),
                    _ => {
                        let shape: String = text.chars().map(|c| if c.is_ascii_digit() { '0' } else { c }).collect();
                        shape == "0000-00-00T00:00:00.000000000Z"
                    }
                }
            }
            "$ref" => {
                let target = root.pointer(argument.as_str().unwrap().strip_prefix('#').unwrap()).unwrap();
                check(target, value, root)?;
                true
            }
            "oneOf" => {
                let results: Vec<_> =
                    argument.as_array().unwrap().iter().map(|schema| check(schema, value, root)).collect();
                match results.iter().filter(|result| result.is_ok()).count() {
                    1 => true,
                    _ => return fail(&format!("{results:?}")),
                }
            }
            other => panic!("keyword {other}"),
        };
        if !holds {
            return fail(keyword);
        }
    }
    if let (Some(schema), None, Some(object)) =
        (schema.get("additionalProperties"), schema.get("properties"), value.as_object())
    {
        object.values().try_for_each(|value| check(schema, value, root))?;
    }
    Ok(())
}

#[test]
fn output_follows_the_schema() {
    let schema: Value = serde_json::from_str(SCHEMA).unwrap();
    let mut lines = 0;
    let documents = documents().into_iter().filter(|(format, ..)| format.name() == "jsonl");
    let documents = documents.map(|(_, _, document)| document);
    let conversion = Some(Conversion { command_line: vec![b"\xFF".to_vec()], ..Conversion::default() });
    let mut converted = Vec::new();
    let writer = FormatName::Jsonl.writer(&Default::default(), &Default::default()).unwrap();
    writer.header(&RunFacts { conversion, ..RunFacts::default() }, &mut converted);
    for document in documents.chain([converted, similarity::sample(FormatName::Jsonl, &similarity::contents())]) {
        for line in str::from_utf8(&document).unwrap().lines() {
            let value: Value = serde_json::from_str(line).unwrap();
            check(&schema, &value, &schema).unwrap();
            lines += 1;
        }
    }
    assert!(lines > 40);
}

/// The checker detects errors.
#[test]
fn the_checker_refuses() {
    let schema: Value = serde_json::from_str(SCHEMA).unwrap();
    for line in [
        r#"{}"#,
        r#"{"type":"later"}"#,
        r#"{"type":"file","path":"x"}"#,
        r#"{"type":"file","path":"x","outcome":"fine"}"#,
        r#"{"type":"file","path":"x","outcome":"complete","unknown":1}"#,
        r#"{"type":"file","path":"x","outcome":"complete","size":-1}"#,
        r#"{"type":"file","path":"x","outcome":"complete","digests":{"md5":"XY"}}"#,
        r#"{"type":"file","path":"x","outcome":"complete","digests":{"tlsh":"T1XY"}}"#,
        r#"{"type":"file","path":"x","outcome":"complete","unfit":{"tlsh":{"reason":"dull","minimum_bytes":50}}}"#,
        r#"{"type":"file","path":"x","outcome":"complete","mtime":"2026-11-20"}"#,
        r#"{"type":"file","path":"x","outcome":"complete","pieces":[]}"#,
        r#"{"type":"file","path":"x","outcome":"complete","check":"0000000"}"#,
    ] {
        assert!(check(&schema, &serde_json::from_str(line).unwrap(), &schema).is_err(), "{line}");
    }
}
