//! The header of JSON Lines documents that are no lists: verdicts, groups, pairs, findings.

use pfh_record::jsonl::push_string;

/// Appends the beginning of the header, which all of them share. Facts of the command follow, and the end of the line.
pub(crate) fn begin(line: &mut Vec<u8>) {
    line.extend_from_slice(b"{\"type\":\"header\",\"version\":1,\"program\":\"pfh\",\"program_version\":");
    push_string(env!("CARGO_PKG_VERSION"), line);
}

/// Appends the names of the algorithms.
pub(crate) fn push_algorithms<'a>(names: impl IntoIterator<Item = &'a str>, line: &mut Vec<u8>) {
    line.extend_from_slice(b",\"algorithms\":[");
    for (place, name) in names.into_iter().enumerate() {
        line.extend_from_slice(if place > 0 { b"," } else { b"" });
        push_string(name, line);
    }
    line.push(b']');
}
