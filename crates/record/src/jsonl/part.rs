//! Parts of a file that several tasks share: lines of type `part` in the results of shards.

use std::borrow::Cow;
use std::collections::BTreeMap;

use pfh_digest::Algorithm;
use pfh_digest::parts::PartValue;
use serde::Deserialize;

use super::end_line;
use super::read::{FileLine, parse};
use super::write::{push_file_fields, push_key, push_number_field, push_outcome, push_quoted, push_string};
use crate::parse::{Fault, FieldProblem, piece_range};
use crate::{Entry, Outcome, Part, Record};

/// Appends the line of a part. The record has the path, the metadata of the whole file, and the outcome of reading the
/// part; offsets in it are those in the file.
pub fn push_part(record: &Record, part: &Part, out: &mut Vec<u8>) {
    let start = out.len();
    out.extend_from_slice(b"{\"type\":\"part\"");
    push_file_fields(record, true, out);
    push_number_field("offset", part.offset, out);
    push_number_field("length", part.length, out);
    if part.any_tree {
        push_key("any_tree", out);
        out.extend_from_slice(b"true");
    }
    if record.outcome == Outcome::Complete {
        push_key("values", out);
        for (place, value) in part.values.iter().enumerate() {
            out.push(if place == 0 { b'{' } else { b',' });
            push_string(value.algorithm().name(), out);
            out.push(b':');
            let digits = |out: &mut Vec<u8>| {
                value.bytes().iter().for_each(|byte| out.extend_from_slice(format!("{byte:02x}").as_bytes()));
            };
            push_quoted(out, digits);
        }
        if part.values.is_empty() {
            out.push(b'{');
        }
        out.push(b'}');
    }
    push_outcome(&record.outcome, out);
    end_line(start, out);
}

/// The fields that the line of a whole file has not.
#[derive(Deserialize)]
struct PartFields<'a> {
    offset: u64,
    length: u64,
    #[serde(default)]
    any_tree: bool,
    #[serde(default, borrow)]
    values: BTreeMap<Cow<'a, str>, Cow<'a, str>>,
}

/// Parses the line of a part. Values of algorithms that this version does not know are left out.
pub(super) fn parse_part(text: &[u8], number: u64, order: &[Algorithm]) -> Result<Entry, Fault> {
    let PartFields { offset, length, any_tree, values } = parse(text)?;
    // The file may have become shorter since it was divided.
    piece_range(offset, length, None)?;
    let values = values.iter().filter_map(|(name, digits)| {
        let algorithm = name.parse::<Algorithm>().ok()?;
        let value = PartValue::from_hex(algorithm, digits.as_bytes());
        Some(value.ok_or(Fault::field(0, "values", FieldProblem::DigestLength)))
    });
    let mut values = values.collect::<Result<Vec<PartValue>, Fault>>()?;
    values.sort_by_key(|value| order.iter().position(|&algorithm| algorithm == value.algorithm()));
    let mut file = FileLine::parse(text)?;
    let entry = file.entry(number, None)?;
    Ok(Entry { part: Some(Box::new(Part { offset, length, values, any_tree })), ..entry })
}
