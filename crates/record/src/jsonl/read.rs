//! Reading of JSON Lines. Unknown fields and line types are ignored.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use pfh_digest::Digest;
use pfh_facts::Entropy;
use pfh_similarity::{Family, NoDigest};
use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, Error as _, IgnoredAny, MapAccess, Visitor};

use super::VERSION;
use super::check::{Checked, verify};
use super::part::parse_part;
use crate::entry::OutcomeParts;
use crate::facts_text::FactsParts;
use crate::parse::{
    CheckProblem, Fault, FieldProblem, Found, Line, LineParser, ReadErrorKind, add_digest, piece_range,
};
use crate::similarity_text::{parse_no_digest, parse_similarity};
use crate::time::parse_rfc3339;
use crate::{
    DigestKind, Entry, Expected, FormatName, Header, HostFacts, ListEnd, ReadOptions, Selection, Similarity, Summary,
    Trailer,
};

/// The fields that every line has.
#[derive(Deserialize)]
struct Kind<'a> {
    #[serde(borrow, rename = "type")]
    kind: Cow<'a, str>,
    check: Option<IgnoredAny>,
}

/// The type of a line.
pub(super) enum LineKind {
    Header,
    File,
    Summary,
    /// A part of a file.
    Part,
    /// A line type of a later version of pfh.
    Other,
}

/// The parts of a header that a reader needs.
#[derive(Deserialize)]
struct HeaderLine<'a> {
    version: u64,
    #[serde(borrow)]
    program: Option<Cow<'a, str>>,
    #[serde(borrow)]
    program_version: Option<Cow<'a, str>>,
    #[serde(default, borrow)]
    algorithms: Vec<Cow<'a, str>>,
    #[serde(default, borrow)]
    variants: BTreeMap<Cow<'a, str>, Cow<'a, str>>,
    piece_bytes: Option<u64>,
    #[serde(borrow)]
    facts: Option<Cow<'a, str>>,
    #[serde(borrow)]
    arguments: Option<Vec<Cow<'a, str>>>,
    #[serde(borrow)]
    arguments_base64: Option<Vec<Cow<'a, str>>>,
    #[serde(borrow)]
    started: Option<Cow<'a, str>>,
    #[serde(borrow)]
    directory: Option<Cow<'a, str>>,
    #[serde(borrow)]
    directory_base64: Option<Cow<'a, str>>,
    #[serde(borrow)]
    host: Option<HostFields<'a>>,
    uid: Option<u32>,
    converted: Option<IgnoredAny>,
}

/// The machine that the run was on.
#[derive(Deserialize)]
struct HostFields<'a> {
    #[serde(default, borrow)]
    name: Cow<'a, str>,
    #[serde(default, borrow)]
    system: Cow<'a, str>,
    #[serde(default, borrow)]
    release: Cow<'a, str>,
    #[serde(default, borrow)]
    version: Cow<'a, str>,
    #[serde(default, borrow)]
    architecture: Cow<'a, str>,
}

/// The parts of a file's line that a reader needs.
#[derive(Deserialize)]
pub(super) struct FileLine<'a> {
    #[serde(borrow)]
    path: Cow<'a, str>,
    #[serde(borrow)]
    path_base64: Option<Cow<'a, str>>,
    pub(super) size: Option<u64>,
    #[serde(borrow)]
    mtime: Option<Cow<'a, str>>,
    #[serde(borrow)]
    ctime: Option<Cow<'a, str>>,
    inode: Option<u64>,
    links: Option<u64>,
    mode: Option<u32>,
    uid: Option<u32>,
    gid: Option<u32>,
    #[serde(borrow)]
    outcome: Cow<'a, str>,
    #[serde(default)]
    digests: Digests,
    /// The families that have no digest of the file.
    #[serde(default, borrow, rename = "unfit")]
    no_digest: BTreeMap<Cow<'a, str>, NoDigestFields<'a>>,
    /// The algorithms whose digests bear the mark of a collision attack.
    #[serde(default, borrow)]
    collisions: Vec<Cow<'a, str>>,
    #[serde(default, borrow)]
    pieces: Vec<PieceFields<'a>>,
    facts: Option<FactsFields>,
    #[serde(default)]
    bytes_read: u64,
    #[serde(default, borrow)]
    reason: Cow<'a, str>,
    #[serde(default, borrow)]
    error: ErrorFields<'a>,
}

#[derive(Deserialize)]
struct PieceFields<'a> {
    offset: u64,
    length: u64,
    digests: Digests,
    #[serde(default, borrow)]
    collisions: Vec<Cow<'a, str>>,
}

/// Facts about contents, as far as they are not derived from the others.
#[derive(Clone, Copy, Deserialize)]
struct FactsFields {
    longest_run: Option<RunFields>,
    zero_sectors: Option<u64>,
    entropy: Option<f64>,
    entropy_bytes: Option<u64>,
}

#[derive(Clone, Copy, Deserialize)]
struct RunFields {
    byte: u8,
    offset: u64,
    bytes: u64,
}

impl FactsFields {
    fn parts(self) -> Result<FactsParts, Fault> {
        let FactsFields { longest_run, zero_sectors, entropy, entropy_bytes } = self;
        let checked = |bits| Entropy::checked(bits).ok_or(Fault::field(0, "entropy", FieldProblem::NotANumber));
        Ok(FactsParts {
            byte: longest_run.map(|run| run.byte),
            offset: longest_run.map(|run| run.offset),
            run_bytes: longest_run.map(|run| run.bytes),
            zero_sectors,
            entropy: entropy.map(checked).transpose()?,
            entropy_bytes,
        })
    }
}

#[derive(Deserialize)]
struct NoDigestFields<'a> {
    #[serde(default, borrow)]
    reason: Cow<'a, str>,
}

#[derive(Default, Deserialize)]
struct ErrorFields<'a> {
    #[serde(default, borrow)]
    kind: Cow<'a, str>,
    #[serde(default, borrow)]
    message: Cow<'a, str>,
    #[serde(default)]
    offset: u64,
    errno: Option<i32>,
}

/// The counts of a run. Missing ones are 0.
#[derive(Deserialize)]
struct SummaryLine {
    #[serde(default)]
    complete: u64,
    #[serde(default)]
    changed_while_reading: u64,
    #[serde(default)]
    short: u64,
    #[serde(default)]
    unreadable: u64,
    #[serde(default)]
    skipped: u64,
    #[serde(default)]
    not_reached: u64,
    #[serde(default)]
    bytes: u64,
    #[serde(default)]
    elapsed_seconds: f64,
    #[serde(default)]
    interrupted: bool,
}

/// The digests of one object, in their order. Unknown algorithms are ignored.
#[derive(Default)]
struct Digests {
    known: Vec<Digest>,
    similarities: Vec<pfh_similarity::Digest>,
    /// The first unknown name.
    unknown: Option<String>,
}

impl<'de> Deserialize<'de> for Digests {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Digests, D::Error> {
        deserializer.deserialize_map(DigestsVisitor)
    }
}

struct DigestsVisitor;

impl<'de> Visitor<'de> for DigestsVisitor {
    type Value = Digests;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object of algorithms and digests")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Digests, A::Error> {
        let mut digests = Digests::default();
        let contradictory = |fault: Fault| A::Error::custom(fault.kind);
        while let Some(name) = map.next_key_seed(Text)? {
            match name.parse() {
                Ok(DigestKind::Algorithm(algorithm)) => {
                    let hex = map.next_value_seed(Text)?;
                    let digest = Digest::from_hex(algorithm, hex.as_bytes()).ok_or_else(|| {
                        A::Error::custom(format_args!(
                            "digest is not {} bytes in hexadecimal",
                            algorithm.digest_bytes()
                        ))
                    })?;
                    add_digest(&mut digests.known, digest, Digest::algorithm, 0).map_err(contradictory)?;
                }
                Ok(DigestKind::Family(family)) => {
                    let text = map.next_value_seed(Text)?;
                    let digest = parse_similarity(family, text.as_bytes());
                    let digest = digest.map_err(|error| A::Error::custom(format_args!("{family} digest, {error}")))?;
                    let family = pfh_similarity::Digest::family;
                    add_digest(&mut digests.similarities, digest, family, 0).map_err(contradictory)?;
                }
                Err(_) => {
                    map.next_value::<IgnoredAny>()?;
                    digests.unknown.get_or_insert(name.into_owned());
                }
            }
        }
        Ok(digests)
    }
}

/// A string, borrowed if it has no escapes.
struct Text;

impl<'de> DeserializeSeed<'de> for Text {
    type Value = Cow<'de, str>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Cow<'de, str>, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl<'de> Visitor<'de> for Text {
    type Value = Cow<'de, str>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string")
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Cow<'de, str>, E> {
        Ok(Cow::Borrowed(text))
    }

    fn visit_str<E>(self, text: &str) -> Result<Cow<'de, str>, E> {
        Ok(Cow::Owned(text.to_owned()))
    }
}

/// Parses one object; an error of the JSON parser becomes a fault at its column.
pub(super) fn parse<'a, T: Deserialize<'a>>(text: &'a [u8]) -> Result<T, Fault> {
    serde_json::from_slice(text).map_err(|error| {
        let message = error.to_string();
        // The parser's position is relative to the line; the fault's will be relative to the file.
        let message = message.rsplit_once(" at line ").map_or(&*message, |(message, _)| message);
        Fault { kind: ReadErrorKind::Json(in_words(message)), at: error.column().saturating_sub(1) }
    })
}

/// Returns a message of the JSON parser with words in the place of a type of Rust.
fn in_words(message: &str) -> String {
    let Some((found, expected)) = message.rsplit_once(", expected ") else { return message.to_owned() };
    let words = match expected {
        "u8" => "an integer from 0 to 255",
        "u32" => "an integer from 0 to 4294967295",
        "u64" => "an integer from 0 to 18446744073709551615",
        "i32" => "an integer of 32 bits",
        "f64" => "a number",
        "a sequence" => "an array",
        "a map" => "an object",
        _ if expected.starts_with("struct ") => "an object",
        _ => expected,
    };
    format!("{found}, expected {words}")
}

/// Compares the lines of one list with their check values.
#[derive(Default)]
pub(super) struct Checks {
    /// Whether the header has a check value, so that every line must have one.
    promised: bool,
}

impl Checks {
    /// Checks that a line is as written and returns its type. Lists without check values are trusted.
    pub(super) fn kind(&mut self, text: &[u8]) -> Result<LineKind, Fault> {
        // Serde would also accept an array of the right length.
        if !text.starts_with(b"{") {
            return Err(Fault { kind: ReadErrorKind::Json("expected an object".to_owned()), at: 0 });
        }
        let checked = verify(text)?;
        let line = parse::<Kind<'_>>(text)?;
        let damaged = |reason| Err(Fault { kind: ReadErrorKind::Check(reason), at: 0 });
        match checked {
            Checked::Absent if line.check.is_some() => return damaged(CheckProblem::NotLast),
            Checked::Absent if self.promised => return damaged(CheckProblem::Missing),
            Checked::Absent | Checked::Right => {}
        }
        Ok(match &*line.kind {
            "header" => {
                self.promised |= checked == Checked::Right;
                LineKind::Header
            }
            "file" => LineKind::File,
            "part" => LineKind::Part,
            "summary" => LineKind::Summary,
            _ => LineKind::Other,
        })
    }
}

/// Returns the raw bytes of a name, which has a second field if it is not UTF-8.
fn raw(text: Cow<'_, str>, base64: Option<Cow<'_, str>>, field: &'static str) -> Result<Vec<u8>, Fault> {
    bytes_of_texts(text, base64).map_err(|_| Fault::field(0, field, FieldProblem::NotBase64))
}

/// Returns the raw bytes of what [`texts`](super::texts) returned for them.
///
/// # Errors
/// The reason, if the second text is not in base64.
pub fn bytes_of_texts(text: Cow<'_, str>, base64: Option<Cow<'_, str>>) -> Result<Vec<u8>, String> {
    match base64 {
        None => Ok(text.into_owned().into_bytes()),
        Some(base64) => BASE64.decode(&*base64).map_err(|error| error.to_string()),
    }
}

/// Parses a header. Refuses unknown versions of the layout and, with `all_known`, unknown digests.
pub(super) fn parse_header(text: &[u8], all_known: bool) -> Result<Header, Fault> {
    let line: HeaderLine<'_> = parse(text)?;
    if line.version != VERSION {
        return Err(Fault::not_this_format(FormatName::Jsonl, "its version is not known; a newer pfh wrote it"));
    }
    let mut selection = Selection::default();
    for name in &line.algorithms {
        match name.parse::<DigestKind>() {
            Ok(kind) => selection.extend([kind]),
            Err(_) if all_known => return Err(Fault::unknown_digest(0, name.as_bytes())),
            Err(_) => {}
        }
    }
    let facts = line.facts.map(|word| word.parse());
    if all_known && matches!(facts, Some(Err(_))) {
        return Err(Fault::not_this_format(FormatName::Jsonl, "its facts are not known; a newer pfh wrote it"));
    }
    let facts = facts.and_then(Result::ok);
    let arguments = match (line.arguments, line.arguments_base64) {
        (_, Some(all)) => Some(all.into_iter().map(|one| raw(Cow::default(), Some(one), "arguments_base64")).collect()),
        (Some(all), None) => Some(Ok(all.into_iter().map(|one| one.into_owned().into_bytes()).collect())),
        (None, None) => None,
    };
    let arguments: Option<Vec<Vec<u8>>> = arguments.transpose()?;
    let directory = line.directory.map(|text| raw(text, line.directory_base64, "directory_base64"));
    Ok(Header {
        format: FormatName::Jsonl,
        selection: Some(selection),
        variants: line.variants.into_iter().filter_map(variant).collect(),
        piece_bytes: line.piece_bytes,
        facts,
        program: line.program.map(Cow::into_owned),
        program_version: line.program_version.map(Cow::into_owned),
        command_line: arguments.map(|all| all.join(&b' ')),
        directory: directory.transpose()?,
        started: line.started.and_then(|time| parse_rfc3339(time.as_bytes())),
        host: line.host.map(|host| HostFacts {
            system: host.system.into_owned(),
            release: host.release.into_owned(),
            version: host.version.into_owned(),
            host: host.name.into_owned(),
            architecture: host.architecture.into_owned(),
        }),
        uid: line.uid,
        is_converted: line.converted.is_some(),
    })
}

/// Parses the variant of a family; `None` for an unknown family.
fn variant((family, variant): (Cow<'_, str>, Cow<'_, str>)) -> Option<(Family, String)> {
    Some((family.parse().ok()?, variant.into_owned()))
}

/// Parses the counts at the end of a list.
fn parse_summary(text: &[u8]) -> Result<Summary, Fault> {
    let line: SummaryLine = parse(text)?;
    Ok(Summary {
        complete: line.complete,
        changed: line.changed_while_reading,
        short: line.short,
        unreadable: line.unreadable,
        skipped: line.skipped,
        not_reached: line.not_reached,
        bytes: line.bytes,
        elapsed: Duration::try_from_secs_f64(line.elapsed_seconds).unwrap_or_default(),
        interrupted: line.interrupted,
    })
}

impl<'a> FileLine<'a> {
    pub(super) fn parse(text: &'a [u8]) -> Result<FileLine<'a>, Fault> {
        parse(text)
    }

    /// Whether the line of a complete file has all that the header promises: digests of the whole, and of pieces that
    /// make up the whole, and facts. Other files need none.
    pub(super) fn keeps(&self, header: &Header) -> bool {
        let Some(selection) = header.selection.as_ref().filter(|_| self.outcome == "complete") else { return true };
        let has_all = |digests: &Digests| {
            selection.algorithms().iter().all(|algorithm| digests.known.iter().any(|one| one.algorithm() == *algorithm))
        };
        let has_family = |family: &Family| {
            self.digests.similarities.iter().any(|one| one.family() == *family)
                || self.no_digest.contains_key(family.name())
        };
        let has_pieces = || {
            let end = self.pieces.iter().try_fold(0_u64, |end, piece| {
                (piece.offset == end && has_all(&piece.digests)).then(|| end.checked_add(piece.length)).flatten()
            });
            !self.pieces.is_empty() && end == self.size
        };
        let needs_pieces = header.piece_bytes.is_some() && !selection.algorithms().is_empty();
        let has_facts = header.facts.is_none() || self.facts.is_some();
        has_facts
            && has_all(&self.digests)
            && selection.families().iter().all(has_family)
            && (!needs_pieces || has_pieces())
    }

    /// Whether the file, or a piece of it, bears the marks of a collision attack.
    pub(super) fn has_collision_marks(&self) -> bool {
        !self.collisions.is_empty() || self.pieces.iter().any(|piece| !piece.collisions.is_empty())
    }

    /// Returns the entry of the whole file, with its known digests. `selection` has the order of similarity digests.
    pub(super) fn entry(&mut self, number: u64, selection: Option<&Selection>) -> Result<Entry, Fault> {
        let path = raw(std::mem::take(&mut self.path), self.path_base64.take(), "path_base64")?;
        let time = |text: &Option<Cow<'_, str>>, field| {
            let parse = |text: &Cow<'_, str>| parse_rfc3339(text.as_bytes());
            text.as_ref().map(|text| parse(text).ok_or(Fault::field(0, field, FieldProblem::NotATime))).transpose()
        };
        let (mtime, ctime) = (time(&self.mtime, "mtime")?, time(&self.ctime, "ctime")?);
        let (inode, links, mode, uid, gid) = (self.inode, self.links, self.mode, self.uid, self.gid);
        let Digests { known, similarities, .. } = std::mem::take(&mut self.digests);
        let fit = similarities.into_iter().map(|digest| Similarity { family: digest.family(), digest: Ok(digest) });
        let bytes = self.size.unwrap_or_default();
        let no_digest = self.no_digest.iter().filter_map(|(name, NoDigestFields { reason })| {
            let family = name.parse().ok()?;
            Some(Similarity { family, digest: Err(NoDigest::new(family, parse_no_digest(reason)?, bytes)) })
        });
        let mut similarities: Vec<Similarity> = fit.chain(no_digest).collect();
        if let Some(selection) = selection {
            similarities.sort_by_key(|one| selection.families().iter().position(|family| *family == one.family));
        }
        let outcome = OutcomeParts {
            word: &self.outcome,
            kind: &self.error.kind,
            message: &self.error.message,
            offset: self.error.offset,
            errno: self.error.errno,
            expected: bytes,
            read: self.bytes_read,
            reason: &self.reason,
        };
        Ok(Entry {
            expected: Expected { size: self.size, mtime, ctime, inode, links, mode, uid, gid },
            outcome: Some(outcome.outcome()),
            similarities,
            facts: self.facts.map_or(Ok(None), |facts| facts.parts()?.facts(self.size))?,
            ..Entry::new(path, marked(known, &self.collisions), number)
        })
    }
}

/// Returns the digests, with marks of collision attacks for the listed algorithms.
fn marked(mut digests: Vec<Digest>, collisions: &[Cow<'_, str>]) -> Vec<Digest> {
    for digest in &mut digests {
        if collisions.iter().any(|name| name == digest.algorithm().name()) {
            *digest = digest.with_collision_mark();
        }
    }
    digests
}

impl Digests {
    /// A file must not pass for one without digests if it has only unknown ones.
    fn check_usable(&self) -> Result<(), Fault> {
        match &self.unknown {
            Some(name) if self.known.is_empty() && self.similarities.is_empty() => {
                Err(Fault::unknown_digest(0, name.as_bytes()))
            }
            _ => Ok(()),
        }
    }
}

pub(crate) struct JsonlParser {
    checks: Checks,
    parts: bool,
    /// Whether the latest header has another directory than the first, which is the one that is told.
    is_elsewhere: bool,
}

impl JsonlParser {
    pub(crate) fn new(options: ReadOptions) -> JsonlParser {
        JsonlParser { checks: Checks::default(), parts: options.parts, is_elsewhere: false }
    }

    /// Refuses a path that would be taken for one in the directory of the first header.
    fn check_path(&self, entry: &Entry) -> Result<(), Fault> {
        if self.is_elsewhere && !entry.path.starts_with(b"/") {
            return Err(Fault::shape(0, "an absolute path, since the directory is not that of the first header"));
        }
        Ok(())
    }
}

impl LineParser for JsonlParser {
    fn line(&mut self, line: Line<'_>, found: &mut Found) -> Result<(), Fault> {
        let text = line.text();
        if text.is_empty() {
            return Ok(());
        }
        let parsed = parse_line(self, text, line.number, found);
        match parsed {
            // Whatever the parser reports, the cause is that the line is incomplete.
            Err(Fault { kind: ReadErrorKind::Json(_) | ReadErrorKind::Check(_), .. }) if !line.terminated => {
                found.trailer = Trailer::new(ListEnd::CutOff);
                Err(Fault { kind: ReadErrorKind::Torn, at: 0 })
            }
            parsed => parsed,
        }
    }
}

fn parse_line(parser: &mut JsonlParser, text: &[u8], number: u64, found: &mut Found) -> Result<(), Fault> {
    match parser.checks.kind(text)? {
        LineKind::Header => {
            let header = parse_header(text, false)?;
            match found.header.selection {
                // Every header of this format has a selection, so this is the first.
                None => found.header = header,
                Some(_) if found.header.promises_the_same(&header) => {
                    parser.is_elsewhere = found.header.directory != header.directory;
                }
                Some(_) => {
                    let reason = "it has a second header, of a run with other digests; give the lists one by one";
                    return Err(Fault::not_this_format(FormatName::Jsonl, reason));
                }
            }
            found.trailer = Trailer::new(ListEnd::CutOff);
        }
        LineKind::Summary => found.trailer = Trailer::of_summary(parse_summary(text)?),
        LineKind::Part if parser.parts => {
            let selection = found.header.selection.as_ref();
            let entry = parse_part(text, number, selection.map_or(&[], Selection::algorithms))?;
            parser.check_path(&entry)?;
            found.push(entry);
        }
        LineKind::Part | LineKind::Other => {}
        LineKind::File => {
            let mut file = FileLine::parse(text)?;
            file.digests.check_usable()?;
            let pieces = std::mem::take(&mut file.pieces);
            pieces.iter().try_for_each(|piece| piece.digests.check_usable())?;
            let whole = file.entry(number, found.header.selection.as_ref())?;
            parser.check_path(&whole)?;
            let pieces = pieces.into_iter().map(|PieceFields { offset, length, digests, collisions }| {
                let range = piece_range(offset, length, file.size)?;
                Ok((range, marked(digests.known, &collisions)))
            });
            let pieces = pieces.collect::<Result<Vec<_>, Fault>>()?;
            found.push_with_pieces(whole, pieces);
            if found.trailer.summary.is_some() {
                // A summary before other lines is that of an earlier run.
                found.trailer = Trailer::new(ListEnd::CutOff);
            }
        }
    }
    Ok(())
}
