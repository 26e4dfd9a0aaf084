//! Detection of the format of an input from its first bytes.

use pfh_similarity::Family;

use super::decoded::decoded_start;
use crate::parse::{BYTE_ORDER_MARK, Found, Line, LineParser};
use crate::similarity::SimilarityParser;
use crate::text::{hex_run, split_once};
use crate::time::take_colon_time;
use crate::{
    FixityList, FormatName, KnownList, Md5deepForm, ReadOptions, avp, encase, gnu, hashdb, imager, jsonl, md5deep,
    ocfl, sfv, sleuthkit, table, vics,
};

/// Guesses the format from the beginning of an input: some kilobytes, and more bytes make it more certain. Returns
/// `None` if no format matches. `options` may name the algorithm of digests of unusual length.
///
/// md5deep's plain form is reported as `gnu`, and so is the form with an asterisk: they differ only in names that need
/// escaping.
pub fn detect(start: &[u8], options: ReadOptions) -> Option<FormatName> {
    let start = &*decoded_start(start);
    let start = start.strip_prefix(BYTE_ORDER_MARK).unwrap_or(start);
    let begins = |prefix: &[u8]| start.get(..prefix.len()).is_some_and(|start| start.eq_ignore_ascii_case(prefix));
    if start.starts_with(jsonl::START) {
        return Some(FormatName::Jsonl);
    }
    if begins(b"%%%% HASHDEEP-") {
        return Some(FormatName::Hashdeep);
    }
    if begins(b"path,size,") {
        return Some(FormatName::Csv);
    }
    if begins(b"ssdeep,1.") {
        return Some(FormatName::Similarity(Family::Ssdeep));
    }
    if begins(b"sdbf:03:") || begins(b"sdbf-dd:03:") {
        return Some(FormatName::Similarity(Family::Sdhash));
    }
    if start.starts_with(encase::SIGNATURE) {
        return Some(FormatName::Known(KnownList::Encase));
    }
    let first_line = start.split(|&byte| byte == b'\n').find(|line| !line.trim_ascii().is_empty()).unwrap_or_default();
    if let Some(list) = table::known_list(first_line.strip_suffix(b"\r").unwrap_or(first_line)) {
        return Some(FormatName::Known(list));
    }
    if sleuthkit::is_header(first_line) {
        return Some(FormatName::Known(KnownList::SleuthKit));
    }
    let visible = start.trim_ascii_start();
    if let Some(list) = of_json(start) {
        return Some(FormatName::Known(list));
    }
    if ocfl::is_inventory(visible) {
        return Some(FormatName::Fixity(FixityList::Ocfl));
    }
    if visible.starts_with(b"{") {
        return Some(FormatName::Jsonl);
    }
    if visible.starts_with(b"<?xml") || visible.starts_with(b"<dfxml") {
        return Some(FormatName::Dfxml);
    }
    for (is_one, list) in [
        (avp::is_history as fn(&[u8]) -> bool, FixityList::Avp),
        (avp::is_report, FixityList::AvpReport),
        (imager::is_log, FixityList::Imager),
    ] {
        if is_one(start) {
            return Some(FormatName::Fixity(list));
        }
    }
    let of_lines = || start.split(|&byte| byte == b'\n' || byte == 0).find_map(|line| of_line(line, options));
    match bare_digests(start) {
        // Later ones may have blanks behind them, which would pass for the mark and the name of GNU's lines.
        Some((format, 32 | 40 | 64 | 128)) => Some(format),
        other => of_lines().or(other.map(|(format, _)| format)),
    }
}

/// Recognises the JSON of others by its first key. Comments may come before it.
fn of_json(start: &[u8]) -> Option<KnownList> {
    let mut rest = start.trim_ascii_start();
    while rest.starts_with(b"#") {
        rest = split_once(rest, b'\n')?.1.trim_ascii_start();
    }
    let key = rest.strip_prefix(b"{")?.trim_ascii_start();
    let is_first = |name: &&[u8]| key.starts_with(name);
    if vics::FIRST_KEYS.iter().any(is_first) {
        return Some(KnownList::Vics);
    }
    hashdb::KEYS.iter().any(is_first).then_some(KnownList::Hashdb)
}

/// Recognises digests without names, as md5deep reads them: the first line that is neither empty nor a comment is a
/// hexadecimal number. Also returns the number of its digits.
fn bare_digests(start: &[u8]) -> Option<(FormatName, usize)> {
    let mut lines = start.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii);
    let first = lines.find(|line| !line.is_empty() && !line.starts_with(b"#"))?;
    let is_number = first.iter().all(u8::is_ascii_hexdigit);
    is_number.then(|| (FormatName::Md5deep(Md5deepForm::default()), first.len()))
}

/// Returns the number of hexadecimal digits of a list's digests if [`detect`] needs to be told their algorithm, because
/// no usual one has this length.
pub fn unnamed_digits(start: &[u8]) -> Option<usize> {
    let start = &*decoded_start(start);
    let start = start.strip_prefix(BYTE_ORDER_MARK).unwrap_or(start);
    let mut lines = start.split(|&byte| byte == b'\n' || byte == 0).map(<[u8]>::trim_ascii);
    let first = lines.find(|line| !line.is_empty() && !line.starts_with(b"#"))?;
    let first = first.strip_prefix(b"\\").unwrap_or(first);
    let digits = hex_run(first);
    let is_digest =
        digits >= 8 && digits.is_multiple_of(2) && matches!(first.get(digits), None | Some(b' ' | b'\t' | b','));
    is_digest.then_some(digits)
}

/// Returns the format of one line, if it looks like a line of a list.
fn of_line(line: &[u8], options: ReadOptions) -> Option<FormatName> {
    let text = line.strip_suffix(b"\r").unwrap_or(line);
    if text.starts_with(b";") {
        return Some(FormatName::Sfv);
    }
    if text.is_empty() || text.starts_with(b"#") {
        return None;
    }
    let sized = md5deep::take_size(text);
    let rest = sized.map_or(text, |(_, rest)| rest);
    let after = &rest[hex_run(rest)..];
    let mut after_time = after.get(1..).unwrap_or_default();
    let time = take_colon_time(&mut after_time).is_some();
    let before_name = if time { after_time } else { after };
    let form = Md5deepForm {
        asterisk: before_name.starts_with(b" *"),
        size: sized.is_some(),
        comma: after.starts_with(b","),
        time,
    };
    let whole = |parser: &mut dyn LineParser| {
        let line = Line { bytes: text, number: 2, offset: 0, terminated: true };
        parser.line(line, &mut Found::new(FormatName::Gnu)).is_ok()
    };
    if form.size || form.comma || form.time {
        return whole(&mut md5deep::Md5deepParser::new(form, options)).then_some(FormatName::Md5deep(form));
    }
    if whole(&mut gnu::GnuParser::new(options)) {
        let unmarked = text.trim_ascii_start();
        let unmarked = unmarked.strip_prefix(b"\\").unwrap_or(unmarked);
        // A digest is followed by white space; the names of algorithms are not hexadecimal.
        let is_untagged = matches!(unmarked.get(hex_run(unmarked)), Some(b' ' | b'\t'));
        return Some(if is_untagged { FormatName::Gnu } else { FormatName::Bsd });
    }
    for family in [Family::Tlsh, Family::MrshV2] {
        if whole(&mut SimilarityParser::new(family)) {
            return Some(FormatName::Similarity(family));
        }
    }
    whole(&mut sfv::SfvParser::new(options)).then_some(FormatName::Sfv)
}
