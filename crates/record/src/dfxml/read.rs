//! Reading of DFXML, ours and others': `fileobject` elements wherever they are, and of them what we know. No entity but
//! the five of XML is expanded, and nothing outside the input is looked at.

use std::collections::VecDeque;
use std::io::BufRead;

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use pfh_digest::Digest;
use quick_xml::events::{BytesRef, BytesStart, Event};
use quick_xml::{Error as XmlError, Reader as XmlReader};

use super::input::{Widened, narrow};
use super::{ALGORITHM_ATTRIBUTE, BASE64_ATTRIBUTE};
use crate::read::{Fault, ReadError, ReadErrorKind};
use crate::similarity::parse_similarity;
use crate::text::{parse_decimal, parse_digest};
use crate::time::parse_rfc3339;
use crate::{DigestKind, Listed, PieceRange, Timestamp};

/// Deepest nesting that is followed. The schema's deepest is about ten.
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
}

/// A file object as far as it was read.
#[derive(Default)]
struct Object {
    /// Depth of its children.
    depth: usize,
    line: u64,
    offset: u64,
    path: Option<Vec<u8>>,
    size: Option<u64>,
    mtime: Option<Timestamp>,
    ctime: Option<Timestamp>,
    digests: Vec<Digest>,
    similarities: Vec<pfh_similarity::Digest>,
    pieces: Vec<(PieceRange, Vec<Digest>)>,
    /// The open run of bytes, and the depth of its children.
    run: Option<(PieceRange, usize)>,
    /// The open element whose text is wanted.
    field: Option<Field>,
    text: Vec<u8>,
    /// A digest of an algorithm that is not known.
    unknown: Option<Vec<u8>>,
    /// The first thing that was wrong; the object is then not listed.
    fault: Option<Fault>,
}

enum Field {
    /// With the raw bytes, where an attribute has them.
    Filename(Option<Vec<u8>>),
    Size,
    Mtime,
    Ctime,
    /// With the name of the algorithm.
    Digest(Vec<u8>),
}

impl<R: BufRead> DfxmlReader<R> {
    pub(crate) fn new(input: R, limit_bytes: usize) -> DfxmlReader<R> {
        let mut xml = XmlReader::from_reader(Widened::new(input, limit_bytes));
        let config = xml.config_mut();
        config.expand_empty_elements = true;
        config.allow_dangling_amp = true;
        DfxmlReader { xml, limit_bytes, buffer: Vec::new(), depth: 0, is_dfxml: false, object: None }
    }

    /// Reads one event. `Ok(false)` at the end.
    pub(crate) fn next(&mut self, found: &mut VecDeque<Listed>) -> Result<bool, ReadError> {
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
                }
                match &mut self.object {
                    Some(object) => object.start(&element, self.depth),
                    None if element.local_name().as_ref() == "fileobject" => {
                        let (line, offset) = (self.xml.get_ref().line, self.xml.get_ref().offset);
                        self.object = Some(Object { depth: self.depth + 1, line, offset, ..Object::default() });
                    }
                    None => {}
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
                // The parser has checked that every end has a start.
                self.depth = self.depth.saturating_sub(1);
            }
            Event::Text(text) => open_field(&mut self.object).map_or((), |object| narrow(&text, &mut object.text)),
            Event::CData(text) => open_field(&mut self.object).map_or((), |object| narrow(&text, &mut object.text)),
            Event::GeneralRef(reference) => {
                if let Some(object) = open_field(&mut self.object) {
                    match character(&reference) {
                        Some(character) => object.text.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes()),
                        None => object.fail(Fault::field(0, "text", "has a reference to an entity that is not known")),
                    }
                }
            }
            Event::Eof if !self.is_dfxml => return Err(self.error(not_dfxml("it has no document element"))),
            Event::Eof if self.depth > 0 => {
                return Err(self.error(ReadErrorKind::Markup("the document ends in the middle".to_owned())));
            }
            Event::Eof => return Ok(false),
            Event::Empty(_) | Event::Decl(_) | Event::PI(_) | Event::DocType(_) | Event::Comment(_) => {}
        }
        Ok(true)
    }

    fn error(&self, kind: ReadErrorKind) -> ReadError {
        let input = self.xml.get_ref();
        ReadError { kind, line: input.line, offset: input.offset }
    }
}

/// The object, while an element whose text is wanted is open in it.
fn open_field(object: &mut Option<Object>) -> Option<&mut Object> {
    object.as_mut().filter(|object| object.field.is_some())
}

fn not_dfxml(reason: &'static str) -> ReadErrorKind {
    ReadErrorKind::NotThisFormat { format: "dfxml", reason }
}

/// What a reference stands for: a character by its number, or one of the five entities of XML.
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

/// The value of an attribute; all that we look at are plain ASCII.
fn attribute(element: &BytesStart<'_>, name: &str) -> Option<Vec<u8>> {
    let attribute = element.try_get_attribute(name).ok().flatten()?;
    Some(attribute.value.as_bytes().to_vec())
}

impl Object {
    fn fail(&mut self, fault: Fault) {
        self.fault.get_or_insert(fault);
    }

    fn start(&mut self, element: &BytesStart<'_>, depth: usize) {
        let run_depth = self.run.as_ref().map(|&(_, depth)| depth);
        let name = element.local_name();
        let field = match name.as_ref() {
            // Runs lie in `byte_runs`, or with hashdeep right in the file object.
            "byte_run" if self.run.is_none() => {
                let number = |name| attribute(element, name).and_then(|value| parse_decimal(&value));
                if let (Some(offset), Some(length)) = (number("file_offset"), number("len")) {
                    self.run = Some((PieceRange { offset, length }, depth + 1));
                }
                return;
            }
            "hashdigest" if depth == self.depth || Some(depth) == run_depth => {
                let algorithm = attribute(element, ALGORITHM_ATTRIBUTE).or_else(|| attribute(element, "type"));
                Field::Digest(algorithm.unwrap_or_default())
            }
            _ if depth != self.depth => return,
            "filename" if self.path.is_none() => match attribute(element, BASE64_ATTRIBUTE) {
                None => Field::Filename(None),
                Some(base64) => match BASE64.decode(base64) {
                    Ok(path) => Field::Filename(Some(path)),
                    Err(_) => return self.fail(Fault::field(0, BASE64_ATTRIBUTE, "is not base64")),
                },
            },
            "filesize" => Field::Size,
            "mtime" => Field::Mtime,
            "ctime" => Field::Ctime,
            _ => return,
        };
        self.field = Some(field);
        self.text.clear();
    }

    /// An element within the object ends.
    fn end(&mut self, depth: usize) {
        if let Some(field) = self.field.take()
            && let Err(fault) = self.set(field)
        {
            self.fail(fault);
        }
        self.run.take_if(|&mut (_, run_depth)| depth < run_depth);
    }

    fn set(&mut self, field: Field) -> Result<(), Fault> {
        let text = self.text.trim_ascii();
        match field {
            Field::Filename(raw) => self.path = Some(raw.unwrap_or_else(|| self.text.clone())),
            Field::Size => {
                self.size = Some(parse_decimal(text).ok_or(Fault::field(0, "filesize", "is not a number"))?)
            }
            Field::Mtime => self.mtime = Some(parse_rfc3339(text).ok_or(Fault::field(0, "mtime", "is not a time"))?),
            Field::Ctime => self.ctime = Some(parse_rfc3339(text).ok_or(Fault::field(0, "ctime", "is not a time"))?),
            Field::Digest(name) => {
                let algorithm = match str::from_utf8(&name).unwrap_or_default().parse() {
                    Ok(DigestKind::Algorithm(algorithm)) => algorithm,
                    Ok(DigestKind::Family(family)) => {
                        self.similarities.push(parse_similarity(family, text)?);
                        return Ok(());
                    }
                    Err(_) => {
                        self.unknown.get_or_insert(name);
                        return Ok(());
                    }
                };
                let digest = parse_digest(algorithm, text).ok_or(Fault::digest(0))?;
                match self.run {
                    None => self.digests.push(digest),
                    Some((range, _)) => match self.pieces.last_mut() {
                        Some((last, digests)) if *last == range => digests.push(digest),
                        _ => self.pieces.push((range, vec![digest])),
                    },
                }
            }
        }
        Ok(())
    }

    /// The object is whole.
    fn finish(self, found: &mut VecDeque<Listed>) -> Result<(), ReadError> {
        let has_digest = !(self.digests.is_empty() && self.pieces.is_empty() && self.similarities.is_empty());
        let fault = match (self.fault, &self.path, self.unknown) {
            (Some(fault), ..) => Some(fault),
            (None, None, _) => Some(Fault::field(0, "filename", "is missing")),
            // A file with digests of which none can be checked must not pass for one without.
            (None, Some(_), Some(name)) if !has_digest => Some(Fault::unknown_algorithm(0, &name)),
            _ => None,
        };
        if let Some(fault) = fault {
            return Err(ReadError { kind: fault.kind, line: self.line, offset: self.offset });
        }
        let whole = Listed {
            size: self.size,
            mtime: self.mtime,
            ctime: self.ctime,
            ..Listed::new(self.path.unwrap_or_default(), self.digests, self.line)
        };
        let pieces = self.pieces.into_iter();
        let pieces = pieces.map(|(range, digests)| Listed { digests, piece: Some(range), ..whole.clone() });
        let pieces: Vec<Listed> = pieces.collect();
        found.push_back(Listed { similarities: self.similarities, ..whole });
        found.extend(pieces);
        Ok(())
    }
}
