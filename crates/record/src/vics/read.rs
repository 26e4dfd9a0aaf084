//! The items of the document. Unknown keys are ignored, and items are found at any depth: cases have them in `Media`.

use std::io::Read;

use pfh_digest::{Algorithm, Digest};

use crate::parse::{Fault, FieldProblem, Found, ReadError, ReadErrorKind, add_digest};
use crate::text::parse_decimal;
use crate::tokens::{Token, Tokens};
use crate::{Entry, Expected, FormatName, KnownList, Labels, ListEnd, Trailer};

/// The algorithms whose names are keys of an item.
const ALGORITHMS: [&str; 5] = ["md5", "sha1", "sha256", "sha384", "sha512"];

const DOCUMENT_KEYS: [(&str, Key); 2] = [("value", Key::Items), ("Media", Key::Items)];

const ITEM_KEYS: [(&str, Key); 6] = [
    ("MediaSize", Key::Size),
    ("Category", Key::Category),
    ("Series", Key::Series),
    ("RelativeFilePath", Key::Path),
    ("FileName", Key::FileName),
    ("Media", Key::Items),
];

const NESTED_KEYS: [(&str, Key); 4] =
    [("FileName", Key::FileName), ("HashName", Key::HashName), ("HashValue", Key::HashValue), ("Media", Key::Items)];

pub(crate) struct VicsReader<R> {
    tokens: Tokens<R>,
    limit_bytes: usize,
    algorithms: Vec<(&'static str, Algorithm)>,
    open: Vec<Part>,
    /// The latest key, if it matters.
    key: Key,
    /// The open items; a case is one that has others.
    items: Vec<Item>,
    /// Whether there was a list of items.
    has_list: bool,
}

/// An open object or array.
#[derive(Clone, Copy, PartialEq)]
enum Part {
    Document,
    /// A list of items.
    Items,
    Item,
    /// Something within an item: its files, its other digests.
    Nested,
    Other,
}

#[derive(Clone, Copy, PartialEq)]
enum Key {
    /// `value` or `Media`: a list of items.
    Items,
    Digest(Algorithm),
    Size,
    Category,
    Series,
    Path,
    FileName,
    HashName,
    HashValue,
    Other,
}

#[derive(Default)]
struct Item {
    line: u64,
    offset: u64,
    path: Option<Vec<u8>>,
    file_name: Option<Vec<u8>>,
    size: Option<u64>,
    digests: Vec<Digest>,
    /// Those in lists of others. One by an algorithm that the item has already does not count.
    other_digests: Vec<Digest>,
    series: Vec<u8>,
    category: Vec<u8>,
    /// The algorithm of another digest, and its text, which may come first.
    hash_name: Option<Algorithm>,
    hash_value: Option<Vec<u8>>,
    has_items: bool,
    /// The first error in the item; it is not listed then.
    error: Option<ReadError>,
}

impl<R: Read> VicsReader<R> {
    pub(crate) fn new(input: R, limit_bytes: usize) -> VicsReader<R> {
        let algorithms = ALGORITHMS.iter().filter_map(|name| Some((*name, Algorithm::from_name(name).ok()?)));
        VicsReader {
            tokens: Tokens::new(input, limit_bytes),
            limit_bytes,
            algorithms: algorithms.collect(),
            open: Vec::new(),
            key: Key::Other,
            items: Vec::new(),
            has_list: false,
        }
    }

    /// Reads one token. Returns `Ok(false)` at the end.
    pub(crate) fn next(&mut self, found: &mut Found) -> Result<bool, ReadError> {
        let token = self.tokens.next()?;
        match token {
            Token::Key => self.key = self.key_of(self.tokens.text().unwrap_or_default()),
            Token::Object | Token::Array => {
                let part = self.part(token);
                if self.open.is_empty() && part != Part::Document {
                    return Err(self.not_this("it is not a JSON object"));
                }
                if part == Part::Item {
                    let (line, offset) = (self.tokens.line, self.tokens.offset);
                    self.items.push(Item { line, offset, ..Item::default() });
                }
                self.has_list |= part == Part::Items;
                if let (Part::Items, Some(item)) = (part, self.items.last_mut()) {
                    item.has_items = true;
                }
                self.open.push(part);
                self.key = Key::Other;
            }
            Token::ObjectEnd | Token::ArrayEnd => {
                self.key = Key::Other;
                match (self.open.pop(), self.items.pop()) {
                    (Some(Part::Item), Some(item)) => found.entries.extend(item.finish()?),
                    (part, item) => self.items.extend(item.map(|mut item| {
                        if part == Some(Part::Nested) {
                            (item.hash_name, item.hash_value) = (None, None);
                        }
                        item
                    })),
                }
            }
            Token::Value | Token::Null => {
                if self.open.is_empty() {
                    return Err(self.not_this("it is not a JSON object"));
                }
                let key = std::mem::replace(&mut self.key, Key::Other);
                if token == Token::Value {
                    self.value(key);
                }
            }
            Token::End if self.has_list => {
                found.trailer = Trailer::new(ListEnd::Complete);
                return Ok(false);
            }
            Token::End => return Err(self.not_this("it has no list `value`")),
        }
        Ok(true)
    }

    fn not_this(&self, reason: &'static str) -> ReadError {
        let fault = Fault::not_this_format(FormatName::Known(KnownList::Vics), reason);
        ReadError { kind: fault.kind, line: self.tokens.line, offset: self.tokens.offset }
    }

    /// Returns what the object or array that begins now is.
    fn part(&self, token: Token) -> Part {
        match (self.open.last(), token, self.key) {
            (None, Token::Object, _) => Part::Document,
            (None, ..) => Part::Other,
            (Some(Part::Document | Part::Item | Part::Nested), Token::Array, Key::Items) => Part::Items,
            (Some(Part::Items), Token::Object, _) => Part::Item,
            (Some(Part::Item | Part::Nested), ..) => Part::Nested,
            _ => Part::Other,
        }
    }

    fn key_of(&self, name: &[u8]) -> Key {
        // Programs differ in the case of letters.
        let is = |other: &str| name.eq_ignore_ascii_case(other.as_bytes());
        let one_of = |keys: &[(&str, Key)]| keys.iter().find(|(other, _)| is(other)).map(|(_, key)| *key);
        let key = match self.open.last() {
            Some(Part::Document) => one_of(&DOCUMENT_KEYS),
            Some(Part::Item) => {
                let algorithm = self.algorithms.iter().find(|(other, _)| is(other));
                algorithm.map(|(_, algorithm)| Key::Digest(*algorithm)).or_else(|| one_of(&ITEM_KEYS))
            }
            Some(Part::Nested) => one_of(&NESTED_KEYS),
            _ => None,
        };
        key.unwrap_or(Key::Other)
    }

    /// Takes a value of the open item.
    fn value(&mut self, key: Key) {
        let (Some(item), false) = (self.items.last_mut(), key == Key::Other) else { return };
        let set = match self.tokens.text() {
            None => Err(Fault { kind: ReadErrorKind::TooLong { limit_bytes: self.limit_bytes }, at: 0 }),
            Some(text) => item.set(key, text.trim_ascii(), text, &self.algorithms),
        };
        if let Err(fault) = set {
            let (line, offset) = (self.tokens.line, self.tokens.offset);
            item.error.get_or_insert(ReadError { kind: fault.kind, line, offset });
        }
    }
}

impl Item {
    /// Takes the text of a value, without blanks around it and whole.
    fn set(
        &mut self,
        key: Key,
        text: &[u8],
        whole: &[u8],
        algorithms: &[(&'static str, Algorithm)],
    ) -> Result<(), Fault> {
        if text.is_empty() {
            return Ok(());
        }
        match key {
            Key::Digest(algorithm) => {
                let digest = Digest::from_hex(algorithm, text).ok_or(Fault::digest(0))?;
                return add_digest(&mut self.digests, digest, Digest::algorithm, 0);
            }
            Key::Size => {
                let size = parse_decimal(text).ok_or(Fault::field(0, "MediaSize", FieldProblem::NotANumber))?;
                self.size = Some(size);
            }
            Key::Category => self.category = text.to_vec(),
            Key::Series => self.series = text.to_vec(),
            Key::Path => self.path = Some(whole.to_vec()),
            Key::FileName => self.file_name = self.file_name.take().or_else(|| Some(whole.to_vec())),
            Key::HashName => {
                let letters = || text.iter().filter(|byte| **byte != b'-').map(u8::to_ascii_lowercase);
                self.hash_name = algorithms.iter().find(|(name, _)| letters().eq(name.bytes())).map(|(_, one)| *one);
            }
            Key::HashValue => self.hash_value = Some(text.to_vec()),
            Key::Items | Key::Other => {}
        }
        if let (Some(algorithm), Some(_)) = (self.hash_name, &self.hash_value) {
            let value = self.hash_value.take().unwrap_or_default();
            self.hash_name = None;
            self.other_digests.push(Digest::from_hex(algorithm, &value).ok_or(Fault::digest(0))?);
        }
        Ok(())
    }

    /// Ends the item. A case has no digest of its own.
    fn finish(mut self) -> Result<Option<Entry>, ReadError> {
        if let Some(error) = self.error {
            return Err(error);
        }
        for digest in self.other_digests {
            if self.digests.iter().all(|one| one.algorithm() != digest.algorithm()) {
                self.digests.push(digest);
            }
        }
        if self.digests.is_empty() {
            let missing = Fault::field(0, "digest", FieldProblem::Missing);
            let error = ReadError { kind: missing.kind, line: self.line, offset: self.offset };
            return if self.has_items { Ok(None) } else { Err(error) };
        }
        let path = self.path.or(self.file_name).unwrap_or_default();
        Ok(Some(Entry {
            expected: Expected { size: self.size, ..Expected::default() },
            labels: Labels::new(&self.series, &self.category),
            ..Entry::new(path, self.digests, self.line)
        }))
    }
}
