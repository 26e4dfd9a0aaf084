//! Detection of the format of an input from its first bytes.

use pfh_similarity::Family;

use super::decoded::decoded_start;
use crate::parse::{BYTE_ORDER_MARK, DIGEST_DIGITS_MIN, Found, Line, LineParser};
use crate::similarity::SimilarityParser;
use crate::text::{hex_run, parse_decimal, split_once};
use crate::time::take_colon_time;
use crate::{
    Entry, FixityList, FormatName, KnownList, Md5deepForm, ReadOptions, Similarity, avp, csv, encase, gnu, hashdb,
    imager, jsonl, md5deep, ocfl, sfv, sleuthkit, table, vics,
};

/// Bytes of a digest that no word or date of a text can be taken for.
const LONG_DIGEST_BYTES: usize = 16;

/// Least length of a beginning that may be cut.
const CUT_BYTES: usize = 4096;

/// Files that are no lists, by the bytes that they begin with, and what to do with them.
const OTHER_FILES: [(&[u8], &str); 2] = [
    (
        b"pfh known set\r\n",
        "a known set: `pfh match --known` finds its files, and `pfh known export` makes a list of it",
    ),
    (
        b"SQLite format 3\0",
        "a database of SQLite: `pfh known build` reads those of NSRL, and `pfh audit` reads its own ledgers",
    ),
];

const CKSUM: &str = "a list of `cksum` without `-a`, whose CRC pfh does not compute: compare it (`diff`) with what `cksum` \
    prints for the files now; `cksum -a sha256` and `pfh hash` write lists that pfh reads";

const GET_FILE_HASH: &str = "a table of PowerShell's Get-FileHash: `pfh known build --columns digest=Hash,name=Path \
    SET LIST` makes a known set of it, and `Import-Csv LIST | ForEach-Object { \"$($_.Hash)  $($_.Path)\" }` (with \
    `-Delimiter ';'` where semicolons separate the columns) prints the lines that pfh reads";

const CERTUTIL: &str = "the output of certutil: pfh reads lines of the form `DIGEST  FILE`";

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
        return jsonl::report(start).is_none().then_some(FormatName::Jsonl);
    }
    if begins(b"%%%% HASHDEEP-") {
        return Some(FormatName::Hashdeep);
    }
    let header = start.split(|&byte| byte == b'\n').next().unwrap_or_default();
    if begins(b"path,size,") || csv::is_header(header.strip_suffix(b"\r").unwrap_or(header)) {
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
        return jsonl::report(visible).is_none().then_some(FormatName::Jsonl);
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
    if kind_of_other(start).is_some() {
        return None;
    }
    match bare_digests(start) {
        // Later ones may have blanks behind them, which would pass for the mark and the name of GNU's lines.
        Some((format, 32 | 40 | 64 | 128)) => Some(format),
        other => of_lines(start, options).or(other.map(|(format, _)| format)),
    }
}

/// Recognises files that are no lists that can be read, although they look like it or come from a well-known program.
/// Returns what it is, and what to do with it, as the end of a sentence about the file.
pub fn other_file(start: &[u8]) -> Option<&'static str> {
    let start = &*decoded_start(start);
    kind_of_other(start.strip_prefix(BYTE_ORDER_MARK).unwrap_or(start))
}

/// Returns the likely columns of a table, as [`Columns`](crate::Columns) are written, if a beginning is that of one and
/// not of a list. [`detect`] recognises tables of a few kinds only, and takes others for lists of digests and names.
pub fn table_columns(start: &[u8]) -> Option<String> {
    let start = &*decoded_start(start);
    table::likely_columns(start.strip_prefix(BYTE_ORDER_MARK).unwrap_or(start))
}

fn kind_of_other(start: &[u8]) -> Option<&'static str> {
    if let Some((_, kind)) = OTHER_FILES.iter().find(|(magic, _)| start.starts_with(magic)) {
        return Some(*kind);
    }
    if let Some(kind) = jsonl::report(start.trim_ascii_start()) {
        return Some(kind);
    }
    if is_of_cksum(start) {
        return Some(CKSUM);
    }
    if is_of_get_file_hash(start) {
        return Some(GET_FILE_HASH);
    }
    // The rest of its last line depends on the language.
    memchr::memmem::find(start, b"CertUtil: -hashfile").map(|_| CERTUTIL)
}

/// Whether all lines are those of `cksum`: a CRC in decimal, the size, the name. Nearly all CRCs have nine digits or
/// more; those of eight could be CRC-32 in hexadecimal, and shorter numbers anything.
fn is_of_cksum(start: &[u8]) -> bool {
    let digits_of_crc = |line: &[u8]| {
        let (crc, rest) = split_once(line, b' ')?;
        let bytes = split_once(rest, b' ').map_or(rest, |(bytes, _)| bytes);
        let is_crc = parse_decimal(crc).is_some_and(|crc| crc <= u64::from(u32::MAX));
        (is_crc && parse_decimal(bytes.trim_ascii_end()).is_some()).then_some(crc.len())
    };
    let mut is_long = false;
    let lines = whole_lines(start).split(|&byte| byte == b'\n');
    let mut lines = lines.filter(|line| !line.trim_ascii().is_empty());
    let is_all = lines.all(|line| {
        let digits = digits_of_crc(line);
        is_long |= digits.is_some_and(|digits| digits > DIGEST_DIGITS_MIN);
        digits.is_some()
    });
    is_all && is_long
}

/// Whether the first line, behind one with a type, names the columns of Get-FileHash, in any order.
fn is_of_get_file_hash(start: &[u8]) -> bool {
    let mut lines = start.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii);
    let first = lines.find(|line| !line.is_empty() && !line.starts_with(b"#")).unwrap_or_default();
    let unquoted = |name: &[u8]| {
        let inner = name.strip_prefix(b"\"").and_then(|name| name.strip_suffix(b"\""));
        inner.unwrap_or(name).to_ascii_lowercase()
    };
    let mut names: Vec<Vec<u8>> = first.split(|byte| matches!(byte, b',' | b';')).take(4).map(unquoted).collect();
    names.sort();
    names == [&b"algorithm"[..], b"hash", b"path"]
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
    let is_digest = digits >= DIGEST_DIGITS_MIN
        && digits.is_multiple_of(2)
        && matches!(first.get(digits), None | Some(b' ' | b'\t' | b','));
    is_digest.then_some(digits)
}

/// Whether the first record of a list ends with NUL, as those of `sha256sum -z` and `pfh hash -0` do, and `options` do
/// not say so. A NUL within a line does not make it one.
pub fn is_null_terminated(start: &[u8], options: ReadOptions) -> bool {
    let start = &*decoded_start(start);
    let mut records = start.splitn(3, |&byte| byte == 0);
    let (Some(first), Some(second)) = (records.next(), records.next()) else { return false };
    let is_record = !first.is_empty() && !first.contains(&b'\n');
    is_record && !options.null_terminated && (second.is_empty() || of_line(second, options).is_some())
}

/// Recognises the format by the first line that looks like one of a list. Words and dates before a list can look like a
/// line with a short digest, so a later one with a long digest decides; and nearly everything can look like SFV.
fn of_lines(start: &[u8], options: ReadOptions) -> Option<FormatName> {
    // SFV has no form with NUL, and what is between two of them in a program can look like its lines.
    let is_text = memchr::memchr(0, start).is_none();
    let is_sfv = |text: &[u8]| is_text && has_long_digest(&mut sfv::SfvParser::new(options), text).is_some();
    let (mut first, mut unsure, mut has_comment, mut has_others) = (None, None, false, false);
    for line in whole_lines(start).split(|&byte| byte == b'\n' || byte == 0) {
        let text = line.strip_suffix(b"\r").unwrap_or(line);
        if text.trim_ascii().is_empty() || text.starts_with(b"#") {
            continue;
        }
        if text.starts_with(b";") {
            has_comment = true;
            continue;
        }
        has_others = true;
        let guess = match (of_line(text, options), is_sfv(text)) {
            (Some((format, true)), false) => return Some(format),
            // A file whose name is a digest, behind a comment of SFV.
            (Some(_), true) if has_comment => Some(FormatName::Sfv),
            // Each end of the line can be a digest or a part of the name: clearer lines decide.
            (Some((format, false)), true) => {
                unsure = unsure.or(Some(format));
                None
            }
            (Some((format, _)), _) => Some(format),
            (None, true) => Some(FormatName::Sfv),
            (None, false) => None,
        };
        first = first.or(guess);
    }
    first.or(unsure).or((is_text && has_comment && !has_others).then_some(FormatName::Sfv))
}

/// Returns a beginning without its last line if that may go on: short ones are whole lists.
fn whole_lines(start: &[u8]) -> &[u8] {
    let end = if start.len() < CUT_BYTES { None } else { memchr::memrchr2(b'\n', 0, start) };
    end.map_or(start, |end| &start[..end])
}

/// Reads one line. Returns whether it has a digest that no word is taken for; `None` if it is no line of the format.
fn has_long_digest(parser: &mut dyn LineParser, text: &[u8]) -> Option<bool> {
    let line = Line { bytes: text, number: 2, offset: 0, terminated: true };
    let mut found = Found::new(FormatName::Gnu);
    parser.line(line, &mut found).ok()?;
    let is_long = |entry: &Entry| {
        let mut digests = entry.digests.iter();
        // The time of day in a log has the form of a digest of ssdeep.
        let is_short = |one: &Similarity| one.family == Family::Ssdeep && text.len() < 2 * LONG_DIGEST_BYTES;
        entry.similarities.iter().any(|one| !is_short(one))
            || digests.any(|digest| digest.bytes().len() >= LONG_DIGEST_BYTES)
    };
    Some(found.entries.iter().any(is_long))
}

/// Returns the format of one line, if it looks like a line of a list other than SFV, and whether its digest is long.
fn of_line(text: &[u8], options: ReadOptions) -> Option<(FormatName, bool)> {
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
    if form.size || form.comma || form.time {
        let is_long = has_long_digest(&mut md5deep::Md5deepParser::new(form, options), text)?;
        return Some((FormatName::Md5deep(form), is_long));
    }
    if let Some(is_long) = has_long_digest(&mut gnu::GnuParser::new(options), text) {
        let unmarked = text.trim_ascii_start();
        let unmarked = unmarked.strip_prefix(b"\\").unwrap_or(unmarked);
        // A digest is followed by white space; the names of algorithms are not hexadecimal.
        let is_untagged = matches!(unmarked.get(hex_run(unmarked)), Some(b' ' | b'\t'));
        return Some((if is_untagged { FormatName::Gnu } else { FormatName::Bsd }, is_long));
    }
    [Family::Tlsh, Family::Ssdeep, Family::MrshV2].into_iter().find_map(|family| {
        let is_long = has_long_digest(&mut SimilarityParser::new(family), text)?;
        Some((FormatName::Similarity(family), is_long))
    })
}
