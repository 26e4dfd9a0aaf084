//! Reading of JSON Lines. Fields and line types that are not known are passed over.

use std::borrow::Cow;
use std::collections::{BTreeMap, VecDeque};
use std::fmt;

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use pfh_digest::Digest;
use pfh_similarity::Family;
use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, Error as _, IgnoredAny, MapAccess, Visitor};

use super::VERSION;
use super::check::{Checked, verify};
use super::journal::JournalHeader;
use crate::read::{Fault, Line, LineParser, ReadErrorKind};
use crate::similarity::parse_similarity;
use crate::text::parse_digest;
use crate::time::parse_rfc3339;
use crate::{DigestKind, Listed, PieceRange, Timestamp};

/// What every line has.
#[derive(Deserialize)]
struct Kind<'a> {
    #[serde(borrow, rename = "type")]
    kind: Cow<'a, str>,
    check: Option<IgnoredAny>,
}

/// What kind of line it is.
pub(super) enum LineKind {
    Header,
    File,
    Summary,
    /// From a later version of pfh.
    Other,
}

/// The parts of a header that a reader needs.
#[derive(Deserialize)]
pub(super) struct HeaderLine<'a> {
    version: u64,
    #[serde(default, borrow)]
    pub(super) algorithms: Vec<Cow<'a, str>>,
    pub(super) piece_bytes: Option<u64>,
    #[serde(borrow)]
    directory: Option<Cow<'a, str>>,
    #[serde(borrow)]
    directory_base64: Option<Cow<'a, str>>,
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
    pub(super) outcome: Cow<'a, str>,
    #[serde(default)]
    digests: Digests,
    /// The families that have no digest of the file.
    #[serde(default, borrow)]
    unfit: BTreeMap<Cow<'a, str>, IgnoredAny>,
    #[serde(default)]
    pieces: Vec<PieceLine>,
}

#[derive(Deserialize)]
struct PieceLine {
    offset: u64,
    length: u64,
    digests: Digests,
}

/// The digests of one object, in their order. Algorithms that are not known are passed over.
#[derive(Default)]
struct Digests {
    known: Vec<Digest>,
    similarities: Vec<pfh_similarity::Digest>,
    /// The first of those passed over.
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
        while let Some(name) = map.next_key_seed(Text)? {
            match name.parse() {
                Ok(DigestKind::Algorithm(algorithm)) => {
                    let hex = map.next_value_seed(Text)?;
                    let digest = parse_digest(algorithm, hex.as_bytes());
                    digests.known.push(digest.ok_or_else(|| {
                        A::Error::custom(format_args!(
                            "digest is not {} bytes in hexadecimal",
                            algorithm.digest_bytes()
                        ))
                    })?);
                }
                Ok(DigestKind::Family(family)) => {
                    let text = map.next_value_seed(Text)?;
                    let digest = parse_similarity(family, text.as_bytes());
                    let digest = digest.map_err(|error| A::Error::custom(format_args!("{family} digest, {error}")))?;
                    digests.similarities.push(digest);
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

/// A string, borrowed where it has no escapes.
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
fn parse<'a, T: Deserialize<'a>>(text: &'a [u8]) -> Result<T, Fault> {
    serde_json::from_slice(text).map_err(|error| {
        let message = error.to_string();
        // The parser's own place is about the line alone; ours is about the file.
        let message = message.rsplit_once(" at line ").map_or(&*message, |(message, _)| message).to_owned();
        Fault { kind: ReadErrorKind::Json(message), at: error.column().saturating_sub(1) }
    })
}

/// Holds the lines of one list against their check values.
#[derive(Default)]
pub(super) struct Checks {
    /// The header has a check value, so every line must have one.
    promised: bool,
}

impl Checks {
    /// What kind of line it is, once it is known to be as it was written. Lists that have no check values are believed.
    pub(super) fn kind(&mut self, text: &[u8]) -> Result<LineKind, Fault> {
        // To serde, an array of the right length would do as well.
        if !text.starts_with(b"{") {
            return Err(Fault { kind: ReadErrorKind::Json("expected an object".to_owned()), at: 0 });
        }
        let checked = verify(text)?;
        let line = parse::<Kind<'_>>(text)?;
        let damaged = |reason| Err(Fault { kind: ReadErrorKind::Check(reason), at: 0 });
        match checked {
            Checked::Absent if line.check.is_some() => return damaged("its check value is not its last field"),
            Checked::Absent if self.promised => return damaged("it has no check value, and the header has one"),
            Checked::Absent | Checked::Right => {}
        }
        Ok(match &*line.kind {
            "header" => {
                self.promised |= checked == Checked::Right;
                LineKind::Header
            }
            "file" => LineKind::File,
            "summary" => LineKind::Summary,
            _ => LineKind::Other,
        })
    }
}

/// The raw bytes of a name that has a second field where it is not UTF-8.
fn raw(text: Cow<'_, str>, base64: Option<Cow<'_, str>>, field: &'static str) -> Result<Vec<u8>, Fault> {
    match base64 {
        None => Ok(text.into_owned().into_bytes()),
        Some(base64) => BASE64.decode(&*base64).map_err(|_| Fault::field(0, field, "is not base64")),
    }
}

impl<'a> HeaderLine<'a> {
    /// Refuses layouts that are not known.
    pub(super) fn parse(text: &'a [u8]) -> Result<HeaderLine<'a>, Fault> {
        let header: HeaderLine<'_> = parse(text)?;
        match header.version {
            VERSION => Ok(header),
            _ => Err(Fault::not_this_format("jsonl", "its version is not known; a newer pfh wrote it")),
        }
    }

    pub(super) fn directory(&mut self) -> Result<Option<Vec<u8>>, Fault> {
        let base64 = self.directory_base64.take();
        self.directory.take().map(|text| raw(text, base64, "directory_base64")).transpose()
    }
}

impl<'a> FileLine<'a> {
    pub(super) fn parse(text: &'a [u8]) -> Result<FileLine<'a>, Fault> {
        parse(text)
    }

    pub(super) fn is_complete(&self) -> bool {
        self.outcome == "complete"
    }

    /// Whether the line has the digests that the header promises: of the whole, and of pieces that make up the whole.
    pub(super) fn keeps(&self, header: &JournalHeader) -> bool {
        let has_all = |digests: &Digests| {
            header
                .selection
                .algorithms()
                .iter()
                .all(|algorithm| digests.known.iter().any(|one| one.algorithm() == *algorithm))
        };
        let has_family = |family: &Family| {
            self.digests.similarities.iter().any(|one| one.family() == *family)
                || self.unfit.contains_key(family.name())
        };
        let has_pieces = || {
            let end = self.pieces.iter().try_fold(0_u64, |end, piece| {
                (piece.offset == end && has_all(&piece.digests)).then(|| end.checked_add(piece.length)).flatten()
            });
            !self.pieces.is_empty() && end == self.size
        };
        let needs_pieces = header.piece_bytes.is_some() && !header.selection.algorithms().is_empty();
        has_all(&self.digests) && header.selection.families().iter().all(has_family) && (!needs_pieces || has_pieces())
    }

    pub(super) fn path(&mut self) -> Result<Vec<u8>, Fault> {
        let path = raw(std::mem::take(&mut self.path), self.path_base64.take(), "path_base64")?;
        if path.is_empty() { Err(Fault::field(0, "path", "is empty")) } else { Ok(path) }
    }

    pub(super) fn mtime(&self) -> Result<Option<Timestamp>, Fault> {
        let parse =
            |text: &Cow<'_, str>| parse_rfc3339(text.as_bytes()).ok_or(Fault::field(0, "mtime", "is not a time"));
        self.mtime.as_ref().map(parse).transpose()
    }
}

impl Digests {
    /// A file with digests of which none can be checked must not pass for one without.
    fn usable(self) -> Result<(Vec<Digest>, Vec<pfh_similarity::Digest>), Fault> {
        match self.unknown {
            Some(name) if self.known.is_empty() && self.similarities.is_empty() => {
                Err(Fault::unknown_algorithm(0, name.as_bytes()))
            }
            _ => Ok((self.known, self.similarities)),
        }
    }
}

#[derive(Default)]
pub(crate) struct JsonlParser {
    checks: Checks,
}

impl LineParser for JsonlParser {
    fn line(&mut self, line: Line<'_>, found: &mut VecDeque<Listed>) -> Result<(), Fault> {
        let text = line.text();
        if text.is_empty() {
            return Ok(());
        }
        let parsed = parse_line(&mut self.checks, text, line.number, found);
        match parsed {
            // Whatever the parser stumbled on, the cause is that the line stops.
            Err(Fault { kind: ReadErrorKind::Json(_) | ReadErrorKind::Check(_), .. }) if !line.terminated => {
                Err(Fault { kind: ReadErrorKind::Torn, at: 0 })
            }
            parsed => parsed,
        }
    }
}

fn parse_line(checks: &mut Checks, text: &[u8], number: u64, found: &mut VecDeque<Listed>) -> Result<(), Fault> {
    match checks.kind(text)? {
        LineKind::Header => HeaderLine::parse(text).map(|_| ()),
        LineKind::Summary | LineKind::Other => Ok(()),
        LineKind::File => {
            let mut file = FileLine::parse(text)?;
            let (digests, similarities) = std::mem::take(&mut file.digests).usable()?;
            let mut whole = Listed::new(file.path()?, digests, number);
            whole.size = file.size;
            whole.mtime = file.mtime()?;
            let pieces = std::mem::take(&mut file.pieces).into_iter().map(|piece| {
                let range = PieceRange { offset: piece.offset, length: piece.length };
                let (digests, similarities) = piece.digests.usable()?;
                Ok(Listed { digests, similarities, piece: Some(range), ..whole.clone() })
            });
            let pieces = pieces.collect::<Result<Vec<Listed>, Fault>>()?;
            whole.similarities = similarities;
            found.push_back(whole);
            found.extend(pieces);
            Ok(())
        }
    }
}
