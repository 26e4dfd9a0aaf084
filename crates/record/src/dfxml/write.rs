//! Writing of DFXML, with children in the order of the schema, and well-formed for every name.

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use pfh_digest::Digest;

use super::{
    ALGORITHM_ATTRIBUTE, BASE64_ATTRIBUTE, COLLISION_ATTRIBUTE, DIRECTORY_ATTRIBUTE, DUBLIN_CORE, NAMESPACE, OURS,
    SCHEMA_VERSION, TYPES,
};
use crate::facts_text;
use crate::format::within_limit;
use crate::similarity_text::push_similarity;
use crate::text::push_decimal;
use crate::time::push_rfc3339;
use crate::{Format, Metadata, NotExpressible, Outcome, Record, RunFacts, Similarity, Summary};

/// The writer of one document: facts about the run, then one `fileobject` per record.
pub(crate) struct Dfxml;

impl Format for Dfxml {
    fn header(&self, run: &RunFacts, out: &mut Vec<u8>) {
        push(out, "<?xml version='1.0' encoding='UTF-8'?>\n<dfxml xmlns='");
        push(out, NAMESPACE);
        push(out, "'\n       xmlns:dc='");
        push(out, DUBLIN_CORE);
        push(out, "'\n       xmlns:pfh='");
        push(out, OURS);
        push(out, "'\n       version='");
        push(out, SCHEMA_VERSION);
        push(out, "'>\n  <metadata>\n    <dc:type>Hash List</dc:type>\n");
        if let Some(conversion) = &run.conversion {
            push_element("    ", "dc:description", &conversion.sentence(), out);
        }
        push(out, "  </metadata>\n  <creator>\n");
        if run.states(&run.program) {
            push_element("    ", "program", run.program.as_bytes(), out);
            push_element("    ", "version", run.program_version.as_bytes(), out);
        }
        push(out, "    <execution_environment");
        if run.states(&run.directory) {
            push_directory(&run.directory, out);
        }
        push(out, ">\n");
        for (name, value) in [
            ("os_sysname", &run.host.system),
            ("os_release", &run.host.release),
            ("os_version", &run.host.version),
            ("host", &run.host.host),
            ("arch", &run.host.architecture),
        ] {
            if run.states(value) {
                push_element("      ", name, value.as_bytes(), out);
            }
        }
        if run.states(&run.command_line) {
            push_element("      ", "command_line", &run.command_line.join(&b' '), out);
        }
        if let Some(uid) = run.uid {
            push_number("      ", "uid", uid.into(), out);
        }
        if run.states(&run.started) {
            push_wrapped("      ", "start_time", out, |out| push_rfc3339(run.started, out));
        }
        push(out, "    </execution_environment>\n  </creator>\n");
    }

    fn record(&self, record: &Record, out: &mut Vec<u8>) -> Result<(), NotExpressible> {
        let start = out.len();
        push(out, "  <fileobject>\n");
        push_element("    ", "filename", &record.path, out);
        if record.outcome != Outcome::Complete {
            push_element("    ", "error", error_text(&record.outcome).as_bytes(), out);
        }
        if let Some(size) = record.size() {
            push_number("    ", "filesize", size, out);
        }
        if let Some(metadata) = &record.metadata {
            push_metadata(metadata, out);
        }
        if !record.pieces.is_empty() {
            push(out, "    <byte_runs>\n");
            for piece in &record.pieces {
                push(out, "      <byte_run file_offset='");
                push_decimal(piece.offset, out);
                push(out, "' len='");
                push_decimal(piece.length, out);
                push(out, "'>\n");
                push_digests("        ", &piece.digests, out);
                push(out, "      </byte_run>\n");
            }
            push(out, "    </byte_runs>\n");
        }
        push_digests("    ", &record.digests, out);
        push_similarities("    ", &record.similarities, out);
        push_facts(record, out);
        push_outcome(&record.outcome, out);
        push(out, "  </fileobject>\n");
        within_limit(start, out)
    }

    fn footer(&self, summary: &Summary, out: &mut Vec<u8>) {
        push(out, "  <pfh:summary");
        for (name, value) in summary.counts() {
            push(out, " ");
            push(out, name);
            push(out, "='");
            push_decimal(value, out);
            push(out, "'");
        }
        let (elapsed, interrupted) = (summary.elapsed.as_secs_f64(), summary.interrupted);
        push(out, &format!(" elapsed_seconds='{elapsed:.6}' interrupted='{interrupted}'/>\n</dfxml>\n"));
    }
}

fn push(out: &mut Vec<u8>, text: &str) {
    out.extend_from_slice(text.as_bytes());
}

/// Appends an element on a line of its own, with the content that `push_content` appends.
fn push_wrapped(indent: &str, name: &str, out: &mut Vec<u8>, push_content: impl FnOnce(&mut Vec<u8>)) {
    push(out, indent);
    push(out, "<");
    push(out, name);
    push(out, ">");
    push_content(out);
    push(out, "</");
    push(out, name);
    push(out, ">\n");
}

fn push_number(indent: &str, name: &str, value: u64, out: &mut Vec<u8>) {
    push_wrapped(indent, name, out, |out| push_decimal(value, out));
}

/// Appends an element with raw bytes. If XML cannot represent them, its text is an approximation, and an attribute has
/// the bytes.
fn push_element(indent: &str, name: &str, content: &[u8], out: &mut Vec<u8>) {
    push(out, indent);
    push(out, "<");
    push(out, name);
    let text = String::from_utf8_lossy(content);
    if text.as_bytes() != content || !text.chars().all(is_xml) {
        push_base64(content, out);
    }
    push(out, ">");
    push_text(&text, out);
    push(out, "</");
    push(out, name);
    push(out, ">\n");
}

fn push_base64(bytes: &[u8], out: &mut Vec<u8>) {
    push(out, " ");
    push(out, BASE64_ATTRIBUTE);
    push(out, "='");
    push(out, &BASE64.encode(bytes));
    push(out, "'");
}

/// Appends the current directory, for which the schema has no element.
fn push_directory(directory: &[u8], out: &mut Vec<u8>) {
    push(out, " ");
    push(out, DIRECTORY_ATTRIBUTE);
    push(out, "='");
    let text = String::from_utf8_lossy(directory);
    push_text(&text, out);
    push(out, "'");
    if text.as_bytes() != directory || !text.chars().all(is_xml) {
        push_base64(directory, out);
    }
}

/// Whether XML allows the character (XML 1.0, production 2, Char).
fn is_xml(character: char) -> bool {
    !matches!(character, '\0'..='\x08' | '\x0B' | '\x0C' | '\x0E'..='\x1F' | '\u{FFFE}' | '\u{FFFF}')
}

/// Escapes text for content and for attributes in either kind of quotes. White space other than the plain space is
/// written as references, which no reader changes.
fn push_text(text: &str, out: &mut Vec<u8>) {
    // The usual case.
    if text.bytes().all(|byte| matches!(byte, b' '..=b'~') && !b"&<>'\"".contains(&byte)) {
        return push(out, text);
    }
    for character in text.chars() {
        match character {
            '&' => push(out, "&amp;"),
            '<' => push(out, "&lt;"),
            '>' => push(out, "&gt;"),
            '\'' => push(out, "&apos;"),
            '"' => push(out, "&quot;"),
            '\t' => push(out, "&#9;"),
            '\n' => push(out, "&#10;"),
            '\r' => push(out, "&#13;"),
            character if is_xml(character) => push(out, character.encode_utf8(&mut [0; 4])),
            _ => push(out, "\u{FFFD}"),
        }
    }
}

fn error_text(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Complete => String::new(),
        Outcome::ChangedWhileReading => "changed while it was read".to_owned(),
        Outcome::Short { expected, read } => format!("ended after {read} of {expected} bytes"),
        Outcome::Unreadable { error, .. } => error.message.clone(),
        Outcome::Skipped(reason) => format!("skipped: {}", reason.word()),
        Outcome::NotReached => "the run was stopped before".to_owned(),
    }
}

fn push_metadata(metadata: &Metadata, out: &mut Vec<u8>) {
    if let Some(posix) = &metadata.posix {
        for (name, value) in [
            ("inode", posix.inode),
            // The bits of `st_mode` in base 10, as the schema requires.
            ("mode", posix.mode.into()),
            ("nlink", posix.links),
            ("uid", posix.uid.into()),
            ("gid", posix.gid.into()),
        ] {
            push_number("    ", name, value, out);
        }
    }
    for (name, time) in [("mtime", metadata.mtime), ("ctime", metadata.posix.map(|posix| posix.ctime))] {
        if let Some(time) = time {
            push_wrapped("    ", name, out, |out| push_rfc3339(time, out));
        }
    }
}

fn push_type(name: &str, out: &mut Vec<u8>) {
    push(out, " type='");
    match TYPES.iter().find(|(known, _)| *known == name) {
        Some((_, schema_type)) => push(out, schema_type),
        None => {
            push(out, "OTHER' ");
            push(out, ALGORITHM_ATTRIBUTE);
            push(out, "='");
            push(out, name);
        }
    }
    push(out, "'");
}

fn push_digests(indent: &str, digests: &[Digest], out: &mut Vec<u8>) {
    for digest in digests {
        push(out, indent);
        push(out, "<hashdigest");
        push_type(digest.algorithm().name(), out);
        if digest.collision_detected() {
            push(out, " ");
            push(out, COLLISION_ATTRIBUTE);
            push(out, "='true'");
        }
        push(out, ">");
        digest.push_hex(out);
        push(out, "</hashdigest>\n");
    }
}

/// Appends similarity digests, and in pfh's own elements the families that have no digest of the file, which is no
/// error.
fn push_similarities(indent: &str, similarities: &[Similarity], out: &mut Vec<u8>) {
    for digest in similarities.iter().filter_map(|similarity| similarity.digest.as_ref().ok()) {
        push(out, indent);
        push(out, "<hashdigest");
        push_type(digest.family().name(), out);
        push(out, ">");
        // Without a name, the text contains no character that needs escaping.
        push_similarity(digest, out);
        push(out, "</hashdigest>\n");
    }
    for (family, no_digest) in
        similarities.iter().filter_map(|one| one.digest.as_ref().err().map(|no_digest| (one.family, no_digest)))
    {
        push(out, indent);
        push(out, &format!("<pfh:unfit family='{family}' reason='{}'", no_digest.reason.word()));
        if let Some((name, bytes)) = no_digest.bound_bytes() {
            push(out, &format!(" {name}='{bytes}'"));
        }
        push(out, "/>\n");
    }
}

/// Appends the facts about contents, in an element of pfh's own namespace.
fn push_facts(record: &Record, out: &mut Vec<u8>) {
    let Some(facts) = &record.facts else { return };
    push(out, "    <pfh:facts");
    for (name, text) in facts_text::NAMES.iter().zip(facts_text::texts(facts)).filter(|(_, text)| !text.is_empty()) {
        push(out, " ");
        push(out, name);
        push(out, "='");
        out.extend_from_slice(&text);
        push(out, "'");
    }
    push(out, "/>\n");
}

/// Appends the facts about a failure that programs need, in an element of pfh's own namespace.
fn push_outcome(outcome: &Outcome, out: &mut Vec<u8>) {
    if *outcome == Outcome::Complete {
        return;
    }
    push(out, "    <pfh:outcome");
    match outcome {
        Outcome::Complete | Outcome::ChangedWhileReading | Outcome::NotReached => {}
        Outcome::Short { expected, read } => push(out, &format!(" expected='{expected}' read='{read}'")),
        Outcome::Skipped(reason) => push(out, &format!(" reason='{}'", reason.word())),
        Outcome::Unreadable { offset, error } => {
            push(out, &format!(" kind='{}' offset='{offset}'", error.kind));
            if let Some(errno) = error.errno {
                push(out, &format!(" errno='{errno}'"));
            }
        }
    }
    push(out, ">");
    push(out, outcome.word());
    push(out, "</pfh:outcome>\n");
}
