//! Reading of DFXML, pfh's own and that of other programs: `fileobject` elements at any place, and the known parts of
//! them. Only the five entities of XML are expanded, and nothing outside the input is accessed.

use std::io::BufRead;
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use pfh_digest::Digest;
use pfh_similarity::NoDigest;
use quick_xml::events::{BytesRef, BytesStart, Event};
use quick_xml::{Error as XmlError, Reader as XmlReader};

use super::input::{Widened, narrow};
use super::{ALGORITHM_ATTRIBUTE, BASE64_ATTRIBUTE, COLLISION_ATTRIBUTE, DIRECTORY_ATTRIBUTE};
use crate::entry::OutcomeParts;
use crate::facts_text::{self, FactsParts};
use crate::parse::{Fault, FieldProblem, Found, ReadError, ReadErrorKind, add_digest, piece_range};
use crate::similarity_text::{parse_no_digest, parse_similarity};
use crate::text::parse_decimal;
use crate::time::parse_rfc3339;
use crate::{
    DigestKind, Entry, Expected, FormatName, Header, HostFacts, ListEnd, Outcome, PieceRange, Similarity, SkipReason,
    Summary, Timestamp, Trailer,
};

/// Deepest accepted nesting. The schema's deepest is about ten.
const DEPTH_MAX: usize = 64;

pub(crate) struct DfxmlReader<R> {
    xml: XmlReader<Widened<R>>,
    limit_bytes: usize,
    buffer: Vec<u8>,
    /// Number of open elements.
    depth: usize,
    /// Whether the document element was seen.
    is_dfxml: bool,
    /// The file object that is open.
    object: Option<Object>,
    /// The element of the header that is open, and its text.
    heading: Option<(Heading, Vec<u8>)>,
}

/// The elements of the header that are read.
#[derive(Clone, Copy)]
enum Heading {
    Program,
    Version,
    CommandLine,
    Started,
    /// One of the facts about the machine.
    Host(fn(&mut HostFacts) -> &mut String),
    User,
}

impl Heading {
    fn of(element: &BytesStart<'_>) -> Option<Heading> {
        match element.local_name().as_ref() {
            "program" => Some(Heading::Program),
            "version" => Some(Heading::Version),
            "command_line" => Some(Heading::CommandLine),
            "start_time" => Some(Heading::Started),
            "os_sysname" => Some(Heading::Host(|host| &mut host.system)),
            "os_release" => Some(Heading::Host(|host| &mut host.release)),
            "os_version" => Some(Heading::Host(|host| &mut host.version)),
            "host" => Some(Heading::Host(|host| &mut host.host)),
            "arch" => Some(Heading::Host(|host| &mut host.architecture)),
            "uid" => Some(Heading::User),
            _ => None,
        }
    }

    fn set(self, text: Vec<u8>, header: &mut Header) {
        let string = || Some(String::from_utf8_lossy(&text).into_owned());
        match self {
            Heading::Program if header.program.is_none() => header.program = string(),
            Heading::Version if header.program_version.is_none() => header.program_version = string(),
            Heading::CommandLine if header.command_line.is_none() => header.command_line = Some(text),
            Heading::Started if header.started.is_none() => header.started = parse_rfc3339(text.trim_ascii()),
            Heading::Host(fact) => {
                let fact = fact(header.host.get_or_insert_default());
                if fact.is_empty() {
                    *fact = String::from_utf8_lossy(&text).into_owned();
                }
            }
            Heading::User if header.uid.is_none() => header.uid = parse_number(&text),
            _ => {}
        }
    }
}

/// A file object that is being read.
#[derive(Default)]
struct Object {
    /// Depth of its children.
    depth: usize,
    line: u64,
    offset: u64,
    path: Option<Vec<u8>>,
    expected: Expected,
    digests: Vec<Digest>,
    similarities: Vec<Similarity>,
    facts: FactsParts,
    /// Whether it is a regular file, by its entry in a directory and by its inode: programs that read images tell it.
    is_regular_by_name: Option<bool>,
    is_regular_by_inode: Option<bool>,
    /// The failure as the schema's element states it, and as pfh's element does.
    error: Option<String>,
    outcome: Option<OutcomeFields>,
    pieces: Vec<(PieceRange, Vec<Digest>)>,
    /// The offset and the length of the open run of bytes, and the depth of its children.
    run: Option<(u64, u64, usize)>,
    /// The open element, if its text is read.
    field: Option<Field>,
    text: Vec<u8>,
    /// The name of the first unknown algorithm that has a digest.
    unknown: Option<Vec<u8>>,
    /// The first fault of the object; it is not listed then.
    fault: Option<Fault>,
}

enum Field {
    /// The name, with the raw bytes if an attribute has them.
    Filename(Option<Vec<u8>>),
    Size,
    Mtime,
    Ctime,
    Inode,
    Links,
    Mode,
    User,
    Group,
    NameType,
    MetaType,
    /// A digest, with the name of its algorithm, and whether it bears the mark of a collision attack.
    Digest(Vec<u8>, bool),
    Error,
    Outcome,
}

/// The attributes and the text of pfh's own element for a failure.
struct OutcomeFields {
    word: String,
    kind: String,
    reason: String,
    offset: u64,
    errno: Option<i32>,
    expected: u64,
    read: u64,
}

impl OutcomeFields {
    fn of(element: &BytesStart<'_>) -> OutcomeFields {
        let text =
            |name| attribute(element, name).map_or_else(String::new, |value| String::from_utf8_lossy(&value).into());
        let number = |name| attribute(element, name).and_then(|value| parse_decimal(&value)).unwrap_or_default();
        OutcomeFields {
            word: String::new(),
            kind: text("kind"),
            reason: text("reason"),
            offset: number("offset"),
            errno: text("errno").parse().ok(),
            expected: number("expected"),
            read: number("read"),
        }
    }
}

impl<R: BufRead> DfxmlReader<R> {
    pub(crate) fn new(input: R, limit_bytes: usize) -> DfxmlReader<R> {
        let mut xml = XmlReader::from_reader(Widened::new(input, limit_bytes));
        let config = xml.config_mut();
        config.expand_empty_elements = true;
        config.allow_dangling_amp = true;
        DfxmlReader { xml, limit_bytes, buffer: Vec::new(), depth: 0, is_dfxml: false, object: None, heading: None }
    }

    /// Reads one event. Returns `Ok(false)` at the end.
    pub(crate) fn next(&mut self, found: &mut Found) -> Result<bool, ReadError> {
        if self.object.is_none() {
            self.xml.get_mut().allow();
        }
        self.buffer.clear();
        let event = match self.xml.read_event_into(&mut self.buffer) {
            Ok(event) => event,
            Err(error) => {
                let kind = match error {
                    _ if self.xml.get_ref().is_over_limit() => {
                        ReadErrorKind::Markup(format!("one object is longer than {} bytes", self.limit_bytes))
                    }
                    XmlError::Io(error) => ReadErrorKind::Io(std::io::Error::new(error.kind(), error)),
                    error => ReadErrorKind::Markup(error.to_string()),
                };
                return Err(self.error(kind));
            }
        };
        match event {
            Event::Start(element) => {
                self.depth += 1;
                if self.depth > DEPTH_MAX {
                    return Err(self.error(ReadErrorKind::Markup("nested too deeply".to_owned())));
                }
                if !self.is_dfxml {
                    if element.local_name().as_ref() != "dfxml" {
                        return Err(self.error(not_dfxml("its document element is not `dfxml`")));
                    }
                    self.is_dfxml = true;
                    found.trailer = Trailer::new(ListEnd::CutOff);
                }
                match &mut self.object {
                    Some(object) => object.start(&element, self.depth),
                    None if element.local_name().as_ref() == "fileobject" => {
                        let (line, offset) = (self.xml.get_ref().line, self.xml.get_ref().offset);
                        self.object = Some(Object { depth: self.depth + 1, line, offset, ..Object::default() });
                        self.heading = None;
                    }
                    None => {
                        self.heading = Heading::of(&element).map(|heading| (heading, Vec::new()));
                        match element.local_name().as_ref() {
                            "execution_environment" => found.header.directory = directory(&element),
                            "summary" => found.trailer = Trailer::of_summary(summary(&element)),
                            _ => {}
                        }
                    }
                }
            }
            Event::End(_) => {
                if let Some(object) = &mut self.object {
                    if self.depth >= object.depth {
                        object.end(self.depth);
                    } else if let Some(object) = self.object.take() {
                        self.depth -= 1;
                        return object.finish(found).map(|()| true);
                    }
                }
                if let Some((heading, text)) = self.heading.take() {
                    heading.set(text, &mut found.header);
                }
                // The parser has checked that every end tag has a start tag.
                self.depth = self.depth.saturating_sub(1);
            }
            Event::Text(text) => open_text(&mut self.heading, &mut self.object).map_or((), |open| narrow(&text, open)),
            Event::CData(text) => open_text(&mut self.heading, &mut self.object).map_or((), |open| narrow(&text, open)),
            Event::GeneralRef(reference) => {
                if let (Some((_, text)), Some(character)) = (&mut self.heading, character(&reference)) {
                    text.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
                } else if let Some(object) = open_field(&mut self.object) {
                    match character(&reference) {
                        Some(character) => object.text.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes()),
                        None => object.fail(Fault::field(0, "text", FieldProblem::Entity)),
                    }
                }
            }
            Event::Eof if !self.is_dfxml => return Err(self.error(not_dfxml("it has no document element"))),
            Event::Eof if self.depth > 0 => {
                return Err(self.error(ReadErrorKind::Markup("the document ends in the middle".to_owned())));
            }
            Event::Eof => {
                if found.trailer.summary.is_none() {
                    // The markup is complete, and its program writes no counts.
                    found.trailer = Trailer::new(ListEnd::Complete);
                }
                return Ok(false);
            }
            Event::Empty(_) | Event::Decl(_) | Event::PI(_) | Event::DocType(_) | Event::Comment(_) => {}
        }
        Ok(true)
    }

    fn error(&self, kind: ReadErrorKind) -> ReadError {
        let input = self.xml.get_ref();
        ReadError { kind, line: input.line, offset: input.offset }
    }
}

/// Returns the buffer for the text of the open element, if it is read.
fn open_text<'a>(
    heading: &'a mut Option<(Heading, Vec<u8>)>,
    object: &'a mut Option<Object>,
) -> Option<&'a mut Vec<u8>> {
    match heading {
        Some((_, text)) => Some(text),
        None => open_field(object).map(|object| &mut object.text),
    }
}

/// Returns the object, if an element is open in it whose text is read.
fn open_field(object: &mut Option<Object>) -> Option<&mut Object> {
    object.as_mut().filter(|object| object.field.is_some())
}

fn not_dfxml(reason: &'static str) -> ReadErrorKind {
    ReadErrorKind::NotThisFormat { format: FormatName::Dfxml, reason }
}

/// Returns the character of a reference: by its number, or one of the five entities of XML.
fn character(reference: &BytesRef<'_>) -> Option<char> {
    if reference.is_char_ref() {
        return reference.resolve_char_ref().ok().flatten();
    }
    match &**reference {
        "amp" => Some('&'),
        "lt" => Some('<'),
        "gt" => Some('>'),
        "apos" => Some('\''),
        "quot" => Some('"'),
        _ => None,
    }
}

/// Returns the value of an attribute as written. No attribute read here contains escapes.
fn attribute(element: &BytesStart<'_>, name: &str) -> Option<Vec<u8>> {
    let attribute = element.try_get_attribute(name).ok().flatten()?;
    Some(attribute.value.as_bytes().to_vec())
}

/// Returns the directory from pfh's own attributes.
fn directory(element: &BytesStart<'_>) -> Option<Vec<u8>> {
    if let Some(base64) = attribute(element, BASE64_ATTRIBUTE) {
        return BASE64.decode(base64).ok();
    }
    let value = element.try_get_attribute(DIRECTORY_ATTRIBUTE).ok().flatten()?.value;
    let mut directory = Vec::new();
    narrow(&quick_xml::escape::unescape(&value).ok()?, &mut directory);
    Some(directory)
}

/// Returns the counts from pfh's own element.
fn summary(element: &BytesStart<'_>) -> Summary {
    let number = |name| attribute(element, name).and_then(|value| parse_decimal(&value)).unwrap_or_default();
    let seconds = attribute(element, "elapsed_seconds").and_then(|value| str::from_utf8(&value).ok()?.parse().ok());
    Summary {
        complete: number("complete"),
        changed: number("changed_while_reading"),
        short: number("short"),
        unreadable: number("unreadable"),
        skipped: number("skipped"),
        not_reached: number("not_reached"),
        bytes: number("bytes"),
        elapsed: Duration::try_from_secs_f64(seconds.unwrap_or_default()).unwrap_or_default(),
        interrupted: attribute(element, "interrupted").is_some_and(|value| value == b"true"),
    }
}

impl Object {
    fn fail(&mut self, fault: Fault) {
        self.fault.get_or_insert(fault);
    }

    fn start(&mut self, element: &BytesStart<'_>, depth: usize) {
        let run_depth = self.run.map(|(.., depth)| depth);
        let name = element.local_name();
        let field = match name.as_ref() {
            // Runs are in `byte_runs`, or with hashdeep directly in the file object.
            "byte_run" if self.run.is_none() => {
                let number = |name| attribute(element, name).and_then(|value| parse_decimal(&value));
                if let (Some(offset), Some(length)) = (number("file_offset"), number("len")) {
                    self.run = Some((offset, length, depth + 1));
                }
                return;
            }
            "hashdigest" if depth == self.depth || Some(depth) == run_depth => {
                let algorithm = attribute(element, ALGORITHM_ATTRIBUTE).or_else(|| attribute(element, "type"));
                let is_marked = attribute(element, COLLISION_ATTRIBUTE).is_some_and(|value| value == b"true");
                Field::Digest(algorithm.unwrap_or_default(), is_marked)
            }
            _ if depth != self.depth => return,
            "filename" if self.path.is_none() => match attribute(element, BASE64_ATTRIBUTE) {
                None => Field::Filename(None),
                Some(base64) => match BASE64.decode(base64) {
                    Ok(path) => Field::Filename(Some(path)),
                    Err(_) => return self.fail(Fault::field(0, BASE64_ATTRIBUTE, FieldProblem::NotBase64)),
                },
            },
            "filesize" => Field::Size,
            "mtime" => Field::Mtime,
            "ctime" => Field::Ctime,
            "inode" => Field::Inode,
            "nlink" => Field::Links,
            "mode" => Field::Mode,
            "uid" => Field::User,
            "gid" => Field::Group,
            "name_type" => Field::NameType,
            "meta_type" => Field::MetaType,
            "error" => Field::Error,
            "outcome" => {
                self.outcome = Some(OutcomeFields::of(element));
                Field::Outcome
            }
            "facts" => return self.set_facts(element),
            "unfit" => return self.similarities.extend(no_digest(element)),
            _ => return,
        };
        self.field = Some(field);
        self.text.clear();
    }

    /// Parses pfh's own element for facts about contents.
    fn set_facts(&mut self, element: &BytesStart<'_>) {
        for (place, name) in facts_text::NAMES.iter().enumerate() {
            if let Some(text) = attribute(element, name)
                && let Err(fault) = self.facts.set(place, &text)
            {
                self.fail(fault);
            }
        }
    }

    /// Ends an element within the object.
    fn end(&mut self, depth: usize) {
        if let Some(field) = self.field.take()
            && let Err(fault) = self.set(field)
        {
            self.fail(fault);
        }
        self.run.take_if(|&mut (.., run_depth)| depth < run_depth);
    }

    fn set(&mut self, field: Field) -> Result<(), Fault> {
        let text = self.text.trim_ascii();
        match field {
            Field::Filename(raw) => self.path = Some(raw.unwrap_or_else(|| self.text.clone())),
            Field::Size => {
                self.expected.size =
                    Some(parse_decimal(text).ok_or(Fault::field(0, "filesize", FieldProblem::NotANumber))?)
            }
            Field::Mtime => self.expected.mtime = Some(parse_time(text, "mtime")?),
            Field::Ctime => self.expected.ctime = Some(parse_time(text, "ctime")?),
            // No digest depends on these, so values of other programs that are not numbers are ignored.
            Field::Inode => self.expected.inode = parse_decimal(text),
            Field::Links => self.expected.links = parse_decimal(text),
            Field::Mode => self.expected.mode = parse_number(text),
            Field::User => self.expected.uid = parse_number(text),
            Field::Group => self.expected.gid = parse_number(text),
            Field::NameType => self.is_regular_by_name = is_regular(text),
            Field::MetaType => self.is_regular_by_inode = is_regular(text),
            Field::Error => self.error = Some(String::from_utf8_lossy(text).into_owned()),
            Field::Outcome => {
                if let Some(outcome) = &mut self.outcome {
                    outcome.word = String::from_utf8_lossy(text).into_owned();
                }
            }
            Field::Digest(name, is_marked) => {
                let algorithm = match str::from_utf8(&name).unwrap_or_default().parse() {
                    Ok(DigestKind::Algorithm(algorithm)) => algorithm,
                    Ok(DigestKind::Family(family)) => {
                        let similarity = Similarity { family, digest: Ok(parse_similarity(family, text)?) };
                        return add_digest(&mut self.similarities, similarity, |one| one.family, 0);
                    }
                    Err(_) => {
                        self.unknown.get_or_insert(name);
                        return Ok(());
                    }
                };
                let digest = Digest::from_hex(algorithm, text).ok_or(Fault::digest(0))?;
                let digest = if is_marked { digest.with_collision_mark() } else { digest };
                // Programs that take the size 0 of a device from the system have runs behind it.
                let range = self.run.map(|(offset, length, _)| piece_range(offset, length, None)).transpose()?;
                let digests = match (range, self.pieces.last_mut()) {
                    (None, _) => &mut self.digests,
                    (Some(range), Some((last, digests))) if *last == range => digests,
                    (Some(range), _) => {
                        self.pieces.push((range, vec![digest]));
                        return Ok(());
                    }
                };
                return add_digest(digests, digest, Digest::algorithm, 0);
            }
        }
        Ok(())
    }

    /// Ends the object and lists it with its pieces.
    fn finish(mut self, found: &mut Found) -> Result<(), ReadError> {
        let mut outcome = outcome(self.outcome.as_ref(), self.error.as_deref());
        if self.outcome.is_none() && self.is_regular_by_inode.or(self.is_regular_by_name) == Some(false) {
            outcome = Some(Outcome::Skipped(SkipReason::NotRegular));
            // Those of a directory are digests of the filesystem's own data.
            (self.digests, self.similarities, self.pieces, self.unknown) = Default::default();
        }
        let has_similarity = self.similarities.iter().any(|one| one.digest.is_ok());
        let has_digest = !(self.digests.is_empty() && self.pieces.is_empty()) || has_similarity;
        let fault = match (self.fault, &self.path, self.unknown) {
            (Some(fault), ..) => Some(fault),
            (None, None, _) => Some(Fault::field(0, "filename", FieldProblem::Missing)),
            // A file must not pass for one without digests if it has only unknown ones.
            (None, Some(_), Some(name)) if !has_digest => Some(Fault::unknown_digest(0, &name)),
            _ => None,
        };
        let facts = self.facts.facts(self.expected.size);
        let (facts, fault) = match facts {
            Ok(facts) => (facts, fault),
            Err(contradictory) => (None, fault.or(Some(contradictory))),
        };
        if let Some(fault) = fault {
            return Err(ReadError { kind: fault.kind, line: self.line, offset: self.offset });
        }
        for similarity in &mut self.similarities {
            if let Err(no_digest) = &mut similarity.digest {
                no_digest.bytes = self.expected.size.unwrap_or_default();
            }
        }
        let whole = Entry {
            expected: self.expected,
            outcome,
            ..Entry::new(self.path.unwrap_or_default(), self.digests, self.line)
        };
        found.push_with_pieces(Entry { similarities: self.similarities, facts, ..whole }, self.pieces);
        Ok(())
    }
}

/// Whether the type of a directory's entry or of an inode is that of a regular file, by the letters and the numbers of
/// the Sleuth Kit; `None` if it is undefined.
fn is_regular(text: &[u8]) -> Option<bool> {
    match text {
        b"" | b"-" | b"0" => None,
        text => Some(matches!(text, b"r" | b"1")),
    }
}

/// Parses a number of 32 bits; `None` for other text.
fn parse_number(text: &[u8]) -> Option<u32> {
    parse_decimal(text.trim_ascii()).and_then(|number| u32::try_from(number).ok())
}

fn parse_time(text: &[u8], field: &'static str) -> Result<Timestamp, Fault> {
    parse_rfc3339(text).ok_or(Fault::field(0, field, FieldProblem::NotATime))
}

/// Parses pfh's own element for a family that has no digest of the file.
fn no_digest(element: &BytesStart<'_>) -> Option<Similarity> {
    let text = |name| attribute(element, name).map(|value| String::from_utf8_lossy(&value).into_owned());
    let family = text("family")?.parse().ok()?;
    let reason = parse_no_digest(&text("reason")?)?;
    Some(Similarity { family, digest: Err(NoDigest::new(family, reason, 0)) })
}

/// Returns the outcome of reading the file. Other programs write only the error.
fn outcome(fields: Option<&OutcomeFields>, error: Option<&str>) -> Option<Outcome> {
    let message = error.unwrap_or_default();
    let parts = match fields {
        None if error.is_none() => return None,
        None => OutcomeParts { word: "unreadable", message, ..OutcomeParts::default() },
        Some(fields) => OutcomeParts {
            word: &fields.word,
            kind: &fields.kind,
            message,
            offset: fields.offset,
            errno: fields.errno,
            expected: fields.expected,
            read: fields.read,
            reason: &fields.reason,
        },
    };
    Some(parts.outcome())
}
