//! Writing of JSON Lines. This is a hot path, so text is appended directly to the buffer.

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use pfh_digest::Digest;

use super::{START, VERSION, end_line};
use crate::format::within_limit;
use crate::similarity_text::push_similarity;
use crate::text::push_decimal;
use crate::time::push_rfc3339;
use crate::{Format, NotExpressible, Outcome, Posix, Record, RunFacts, Similarity, Summary};

/// The writer. It does not keep the digests of the run, because the names of the algorithms are beside every digest.
pub(crate) struct Jsonl {
    /// Whether the metadata of POSIX filesystems are written.
    pub(crate) posix: bool,
}

impl Format for Jsonl {
    fn header(&self, run: &RunFacts, out: &mut Vec<u8>) {
        let start = out.len();
        out.extend_from_slice(START);
        out.extend_from_slice(b"\"version\":");
        push_decimal(VERSION, out);
        if run.states(&run.program) {
            push_text_field("program", &run.program, out);
            push_text_field("program_version", &run.program_version, out);
        }
        push_key("algorithms", out);
        let names: Vec<&str> = run.selection.names().collect();
        push_array(&names, out, |name, out| push_string(name, out));
        if !run.variants.is_empty() {
            push_key("variants", out);
            for (place, (family, variant)) in run.variants.iter().enumerate() {
                out.push(if place > 0 { b',' } else { b'{' });
                push_string(family.name(), out);
                out.push(b':');
                push_string(variant, out);
            }
            out.push(b'}');
        }
        if let Some(piece_bytes) = run.piece_bytes {
            push_number_field("piece_bytes", piece_bytes, out);
        }
        if let Some(counting) = run.facts {
            push_text_field("facts", counting.word(), out);
        }
        if run.states(&run.command_line) {
            push_arguments(&run.command_line, out);
        }
        if run.states(&run.directory) {
            push_bytes_field("directory", "directory_base64", &run.directory, out);
        }
        if run.states(&run.started) {
            push_key("started", out);
            push_quoted(out, |out| push_rfc3339(run.started, out));
        }
        if run.states(&run.host) {
            push_key("host", out);
            out.extend_from_slice(b"{\"name\":");
            push_string(&run.host.host, out);
            push_text_field("system", &run.host.system, out);
            push_text_field("release", &run.host.release, out);
            push_text_field("version", &run.host.version, out);
            push_text_field("architecture", &run.host.architecture, out);
            out.push(b'}');
        }
        if let Some(uid) = run.uid {
            push_number_field("uid", uid.into(), out);
        }
        if let Some(conversion) = &run.conversion {
            push_key("converted", out);
            out.extend_from_slice(b"{\"program\":");
            push_string(&conversion.program, out);
            push_text_field("program_version", &conversion.program_version, out);
            push_arguments(&conversion.command_line, out);
            push_key("started", out);
            push_quoted(out, |out| push_rfc3339(conversion.started, out));
            out.push(b'}');
        }
        end_line(start, out);
    }

    fn record(&self, record: &Record, out: &mut Vec<u8>) -> Result<(), NotExpressible> {
        let start = out.len();
        out.extend_from_slice(b"{\"type\":\"file\"");
        push_file_fields(record, self.posix, out);
        if record.outcome == Outcome::Complete {
            push_digests(&record.digests, &record.similarities, out);
            push_no_digest(&record.similarities, out);
            push_collisions(&record.digests, out);
            push_facts(record, out);
            push_pieces(record, out);
        }
        push_outcome(&record.outcome, out);
        end_line(start, out);
        within_limit(start, out)
    }

    fn footer(&self, summary: &Summary, out: &mut Vec<u8>) {
        let start = out.len();
        out.extend_from_slice(b"{\"type\":\"summary\"");
        for (name, value) in summary.counts() {
            push_number_field(name, value, out);
        }
        push_key("elapsed_seconds", out);
        out.extend_from_slice(format!("{:.6}", summary.elapsed.as_secs_f64()).as_bytes());
        push_key("interrupted", out);
        out.extend_from_slice(if summary.interrupted { b"true" } else { b"false" });
        end_line(start, out);
    }
}

/// Appends the path and the metadata.
pub(super) fn push_file_fields(record: &Record, with_posix: bool, out: &mut Vec<u8>) {
    push_bytes_field("path", "path_base64", &record.path, out);
    if let Some(size) = record.size() {
        push_number_field("size", size, out);
    }
    if let Some(mtime) = record.metadata.and_then(|metadata| metadata.mtime) {
        push_key("mtime", out);
        push_quoted(out, |out| push_rfc3339(mtime, out));
    }
    if let (true, Some(posix)) = (with_posix, record.metadata.and_then(|metadata| metadata.posix)) {
        push_posix(&posix, out);
    }
}

pub(super) fn push_outcome(outcome: &Outcome, out: &mut Vec<u8>) {
    push_key("outcome", out);
    push_quoted(out, |out| out.extend_from_slice(outcome.word().as_bytes()));
    match outcome {
        Outcome::Complete | Outcome::ChangedWhileReading | Outcome::NotReached => {}
        Outcome::Short { read, .. } => push_number_field("bytes_read", *read, out),
        Outcome::Skipped(reason) => push_text_field("reason", reason.word(), out),
        Outcome::Unreadable { offset, error } => {
            push_key("error", out);
            out.extend_from_slice(b"{\"kind\":");
            push_string(error.kind.word(), out);
            push_text_field("message", &error.message, out);
            push_number_field("offset", *offset, out);
            if let Some(errno) = error.errno {
                push_key("errno", out);
                out.extend_from_slice(errno.to_string().as_bytes());
            }
            out.push(b'}');
        }
    }
}

fn push_posix(posix: &Posix, out: &mut Vec<u8>) {
    push_key("ctime", out);
    push_quoted(out, |out| push_rfc3339(posix.ctime, out));
    let numbers = [
        ("inode", posix.inode),
        ("links", posix.links),
        ("mode", posix.mode.into()),
        ("uid", posix.uid.into()),
        ("gid", posix.gid.into()),
    ];
    for (name, number) in numbers {
        push_number_field(name, number, out);
    }
}

fn push_arguments(arguments: &[Vec<u8>], out: &mut Vec<u8>) {
    push_key("arguments", out);
    push_array(arguments, out, |argument, out| push_string(&String::from_utf8_lossy(argument), out));
    if arguments.iter().any(|argument| str::from_utf8(argument).is_err()) {
        push_key("arguments_base64", out);
        push_array(arguments, out, |argument, out| push_base64(argument, out));
    }
}

fn push_digests(digests: &[Digest], similarities: &[Similarity], out: &mut Vec<u8>) {
    push_key("digests", out);
    out.push(b'{');
    for (position, digest) in digests.iter().enumerate() {
        if position > 0 {
            out.push(b',');
        }
        push_string(digest.algorithm().name(), out);
        out.push(b':');
        push_quoted(out, |out| digest.push_hex(out));
    }
    let fit = similarities.iter().filter_map(|similarity| similarity.digest.as_ref().ok());
    for (position, digest) in fit.enumerate() {
        if position > 0 || !digests.is_empty() {
            out.push(b',');
        }
        push_string(digest.family().name(), out);
        out.push(b':');
        // Without a name, the text contains no character that needs escaping.
        push_quoted(out, |out| push_similarity(digest, out));
    }
    out.push(b'}');
}

/// Appends the families that have no digest of the file, which is no error.
fn push_no_digest(similarities: &[Similarity], out: &mut Vec<u8>) {
    let no_digest =
        similarities.iter().filter_map(|one| one.digest.as_ref().err().map(|no_digest| (one.family, no_digest)));
    for (position, (family, no_digest)) in no_digest.clone().enumerate() {
        if position == 0 {
            push_key("unfit", out);
        }
        out.push(if position == 0 { b'{' } else { b',' });
        push_string(family.name(), out);
        out.extend_from_slice(b":{\"reason\":");
        push_string(no_digest.reason.word(), out);
        if let Some((name, bytes)) = no_digest.bound_bytes() {
            push_number_field(name, bytes, out);
        }
        out.push(b'}');
    }
    if no_digest.count() > 0 {
        out.push(b'}');
    }
}

fn push_collisions(digests: &[Digest], out: &mut Vec<u8>) {
    if !digests.iter().any(Digest::collision_detected) {
        return;
    }
    push_key("collisions", out);
    let mut names = digests.iter().filter(|digest| digest.collision_detected()).peekable();
    out.push(b'[');
    while let Some(digest) = names.next() {
        push_string(digest.algorithm().name(), out);
        if names.peek().is_some() {
            out.push(b',');
        }
    }
    out.push(b']');
}

/// Appends the facts about contents: each with its name, and those of the longest run together.
fn push_facts(record: &Record, out: &mut Vec<u8>) {
    let Some(facts) = &record.facts else { return };
    push_key("facts", out);
    out.extend_from_slice(b"{\"all_zero\":");
    out.extend_from_slice(if facts.is_all_zero() { b"true" } else { b"false" });
    if let Some(run) = facts.longest_run {
        push_key("longest_run", out);
        out.extend_from_slice(b"{\"byte\":");
        push_decimal(run.byte.into(), out);
        push_number_field("offset", run.offset, out);
        push_number_field("bytes", run.bytes, out);
        out.push(b'}');
    }
    push_number_field("zero_sectors", facts.zero_sectors, out);
    push_number_field("sectors", facts.sectors(), out);
    push_key("entropy", out);
    out.extend_from_slice(facts.entropy.to_string().as_bytes());
    push_number_field("entropy_bytes", facts.entropy_bytes, out);
    out.push(b'}');
}

fn push_pieces(record: &Record, out: &mut Vec<u8>) {
    if record.pieces.is_empty() {
        return;
    }
    push_key("pieces", out);
    push_array(&record.pieces, out, |piece, out| {
        out.extend_from_slice(b"{\"offset\":");
        push_decimal(piece.offset, out);
        push_number_field("length", piece.length, out);
        push_digests(&piece.digests, &[], out);
        push_collisions(&piece.digests, out);
        out.push(b'}');
    });
}

/// Appends `,"key":`. Keys are pfh's own and need no escaping.
pub(super) fn push_key(key: &str, out: &mut Vec<u8>) {
    out.extend_from_slice(b",\"");
    out.extend_from_slice(key.as_bytes());
    out.extend_from_slice(b"\":");
}

pub(super) fn push_number_field(key: &str, value: u64, out: &mut Vec<u8>) {
    push_key(key, out);
    push_decimal(value, out);
}

fn push_text_field(key: &str, value: &str, out: &mut Vec<u8>) {
    push_key(key, out);
    push_string(value, out);
}

/// Appends `,"key":` and raw bytes as text, and if they are not UTF-8 a second time in base64 (RFC 4648, section 4).
/// Keys are not escaped.
pub fn push_bytes_field(key: &str, key_base64: &str, bytes: &[u8], out: &mut Vec<u8>) {
    match str::from_utf8(bytes) {
        Ok(text) => push_text_field(key, text, out),
        Err(_) => {
            push_text_field(key, &String::from_utf8_lossy(bytes), out);
            push_key(key_base64, out);
            push_base64(bytes, out);
        }
    }
}

/// Returns raw bytes as text, and a second time in base64 (RFC 4648, section 4) if they are not UTF-8.
pub fn texts(bytes: &[u8]) -> (String, Option<String>) {
    let base64 = str::from_utf8(bytes).is_err().then(|| BASE64.encode(bytes));
    (String::from_utf8_lossy(bytes).into_owned(), base64)
}

fn push_base64(bytes: &[u8], out: &mut Vec<u8>) {
    push_quoted(out, |out| out.extend_from_slice(BASE64.encode(bytes).as_bytes()));
}

pub(super) fn push_quoted(out: &mut Vec<u8>, push: impl FnOnce(&mut Vec<u8>)) {
    out.push(b'"');
    push(out);
    out.push(b'"');
}

fn push_array<T>(items: &[T], out: &mut Vec<u8>, push: impl Fn(&T, &mut Vec<u8>)) {
    out.push(b'[');
    for (position, item) in items.iter().enumerate() {
        if position > 0 {
            out.push(b',');
        }
        push(item, out);
    }
    out.push(b']');
}

/// Appends a JSON string (RFC 8259, section 7): only `"`, `\` and control characters below U+0020 need escaping.
pub fn push_string(text: &str, out: &mut Vec<u8>) {
    out.push(b'"');
    let mut rest = text.as_bytes();
    while let Some(at) = rest.iter().position(|&byte| byte < 0x20 || byte == b'"' || byte == b'\\') {
        out.extend_from_slice(&rest[..at]);
        match rest[at] {
            b'\n' => out.extend_from_slice(b"\\n"),
            b'\r' => out.extend_from_slice(b"\\r"),
            b'\t' => out.extend_from_slice(b"\\t"),
            control if control < 0x20 => {
                const HEX: &[u8; 16] = b"0123456789abcdef";
                out.extend_from_slice(b"\\u00");
                out.extend_from_slice(&[HEX[usize::from(control >> 4)], HEX[usize::from(control & 15)]]);
            }
            quote_or_backslash => out.extend_from_slice(&[b'\\', quote_or_backslash]),
        }
        rest = &rest[at + 1..];
    }
    out.extend_from_slice(rest);
    out.push(b'"');
}
