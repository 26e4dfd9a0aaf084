//! JSON, token by token, from an input of any length.

use std::io::{self, Read};

use memchr::{memchr_iter, memchr2};

use crate::parse::{BYTE_ORDER_MARK, ReadError, ReadErrorKind};

/// Deepest accepted nesting. Cases have about six levels.
const DEPTH_MAX: usize = 64;

/// Number of bytes that are read at a time.
const CHUNK_BYTES: usize = 16 << 10;

/// A token; [`Tokens::text`] has the text of keys and values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Token {
    Object,
    ObjectEnd,
    Array,
    ArrayEnd,
    Key,
    /// A string, without quotes and escapes, a number, `true` or `false`.
    Value,
    Null,
    /// The document and the input have ended.
    End,
}

/// The tokens that may come next.
#[derive(Clone, Copy, PartialEq)]
enum Expected {
    Value,
    ValueOrEnd,
    Key,
    KeyOrEnd,
    CommaOrEnd,
    Nothing,
}

/// Memory: one chunk, one text of at most the limit, and a byte for each level.
pub(crate) struct Tokens<R> {
    input: R,
    limit_bytes: usize,
    /// Bytes of the input; those from `start` to `end` are not consumed yet.
    chunk: Vec<u8>,
    start: usize,
    end: usize,
    /// The brackets of the open objects and arrays.
    open: Vec<u8>,
    expected: Expected,
    /// The text of the latest key or value; longer ones are cut.
    text: Vec<u8>,
    is_cut: bool,
    /// Where the latest token begins.
    pub(crate) line: u64,
    pub(crate) offset: u64,
    next_line: u64,
    next_offset: u64,
}

impl<R: Read> Tokens<R> {
    pub(crate) fn new(input: R, limit_bytes: usize) -> Tokens<R> {
        Tokens {
            input,
            limit_bytes,
            chunk: vec![0; CHUNK_BYTES],
            start: 0,
            end: 0,
            open: Vec::new(),
            expected: Expected::Value,
            text: Vec::new(),
            is_cut: false,
            line: 1,
            offset: 0,
            next_line: 1,
            next_offset: 0,
        }
    }

    /// Returns the text of the latest key or value; `None` if it is longer than the limit.
    pub(crate) fn text(&self) -> Option<&[u8]> {
        (!self.is_cut).then_some(&self.text)
    }

    /// Reads a token. Errors end the reading.
    pub(crate) fn next(&mut self) -> Result<Token, ReadError> {
        if self.next_offset == 0 {
            self.skip_mark()?;
        }
        let Some(mut byte) = self.visible()? else {
            let is_end = self.expected == Expected::Nothing;
            return if is_end { Ok(Token::End) } else { Err(self.error("the document is cut off")) };
        };
        if self.expected == Expected::CommaOrEnd && byte == b',' {
            self.consume(1);
            let in_object = self.open.last() == Some(&b'{');
            self.expected = if in_object { Expected::Key } else { Expected::Value };
            byte = self.visible()?.unwrap_or_default();
        }
        let may_be_value = matches!(self.expected, Expected::Value | Expected::ValueOrEnd);
        match (byte, self.expected) {
            (b'}', Expected::KeyOrEnd | Expected::CommaOrEnd) if self.open.last() == Some(&b'{') => {
                self.close();
                Ok(Token::ObjectEnd)
            }
            (b']', Expected::ValueOrEnd | Expected::CommaOrEnd) if self.open.last() == Some(&b'[') => {
                self.close();
                Ok(Token::ArrayEnd)
            }
            (b'{', _) if may_be_value => self.open(byte, Expected::KeyOrEnd, Token::Object),
            (b'[', _) if may_be_value => self.open(byte, Expected::ValueOrEnd, Token::Array),
            (b'"', Expected::Key | Expected::KeyOrEnd) => {
                let (line, offset) = (self.line, self.offset);
                self.string()?;
                if self.visible()? != Some(b':') {
                    return Err(self.error("a colon is missing after a key"));
                }
                self.consume(1);
                (self.line, self.offset, self.expected) = (line, offset, Expected::Value);
                Ok(Token::Key)
            }
            (b'"', _) if may_be_value => {
                self.string()?;
                self.value_ends();
                Ok(Token::Value)
            }
            (b'-' | b'0'..=b'9' | b't' | b'f' | b'n', _) if may_be_value => self.word(),
            _ => Err(self.error(match self.expected {
                Expected::Value | Expected::ValueOrEnd => "a value is missing",
                Expected::Key | Expected::KeyOrEnd => "a key is missing",
                Expected::CommaOrEnd => "a comma or a closing bracket is missing",
                Expected::Nothing => "something follows the document",
            })),
        }
    }

    fn open(&mut self, bracket: u8, expected: Expected, token: Token) -> Result<Token, ReadError> {
        if self.open.len() == DEPTH_MAX {
            return Err(self.error("nested too deeply"));
        }
        self.consume(1);
        self.open.push(bracket);
        self.expected = expected;
        Ok(token)
    }

    fn close(&mut self) {
        self.consume(1);
        self.open.pop();
        self.value_ends();
    }

    fn value_ends(&mut self) {
        self.expected = if self.open.is_empty() { Expected::Nothing } else { Expected::CommaOrEnd };
    }

    /// Reads a number or a literal name.
    fn word(&mut self) -> Result<Token, ReadError> {
        self.text.clear();
        self.is_cut = false;
        loop {
            let available = self.available()?;
            let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'+' | b'.');
            let bytes = available.iter().take_while(|byte| is_part(byte)).count();
            if bytes == 0 {
                break;
            }
            self.keep(bytes);
        }
        self.value_ends();
        match &self.text[..] {
            b"null" => Ok(Token::Null),
            b"true" | b"false" => Ok(Token::Value),
            [b'-' | b'0'..=b'9', ..] => Ok(Token::Value),
            _ => Err(self.error("there is no such value")),
        }
    }

    /// Reads a string, from its first quote to its last.
    fn string(&mut self) -> Result<(), ReadError> {
        self.consume(1);
        self.text.clear();
        self.is_cut = false;
        loop {
            let available = self.available()?;
            let end = memchr2(b'"', b'\\', available);
            let (bytes, byte) = (end.unwrap_or(available.len()), end.map(|end| available[end]));
            if available.is_empty() {
                return Err(self.error("the document is cut off within a string"));
            }
            self.keep(bytes);
            match byte {
                None => {}
                Some(b'"') => {
                    self.consume(1);
                    return Ok(());
                }
                Some(_) => {
                    self.consume(1);
                    self.escape()?;
                }
            }
        }
    }

    /// Reads what follows a backslash.
    fn escape(&mut self) -> Result<(), ReadError> {
        let character = match self.byte()? {
            Some(byte @ (b'"' | b'\\' | b'/')) => char::from(byte),
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{C}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => return self.escaped_unit(),
            _ => return Err(self.error("there is no such escape in a string")),
        };
        self.push(character);
        Ok(())
    }

    /// Reads the four digits after `\u`, and the second half of a pair. A half alone becomes U+FFFD.
    fn escaped_unit(&mut self) -> Result<(), ReadError> {
        let mut unit = self.unit()?;
        loop {
            if !(0xD800..0xDC00).contains(&unit) {
                self.push(char::from_u32(unit).unwrap_or(char::REPLACEMENT_CHARACTER));
                return Ok(());
            }
            if self.peek()? == Some(b'\\') {
                self.consume(1);
                if self.peek()? != Some(b'u') {
                    self.push(char::REPLACEMENT_CHARACTER);
                    return self.escape();
                }
                self.consume(1);
                let second = self.unit()?;
                if (0xDC00..0xE000).contains(&second) {
                    let character = char::from_u32(0x10000 + ((unit - 0xD800) << 10 | (second - 0xDC00)));
                    self.push(character.unwrap_or(char::REPLACEMENT_CHARACTER));
                    return Ok(());
                }
                self.push(char::REPLACEMENT_CHARACTER);
                unit = second;
            } else {
                self.push(char::REPLACEMENT_CHARACTER);
                return Ok(());
            }
        }
    }

    fn unit(&mut self) -> Result<u32, ReadError> {
        let mut unit = 0;
        for _ in 0..4 {
            let digit = self.byte()?.and_then(|byte| char::from(byte).to_digit(16));
            match digit {
                Some(digit) => unit = unit << 4 | digit,
                None => return Err(self.error("there is no such escape in a string")),
            }
        }
        Ok(unit)
    }

    fn push(&mut self, character: char) {
        let mut buffer = [0; 4];
        let bytes = character.encode_utf8(&mut buffer).as_bytes();
        self.is_cut |= self.text.len() + bytes.len() > self.limit_bytes;
        if !self.is_cut {
            self.text.extend_from_slice(bytes);
        }
    }

    /// Appends the next bytes, which are in the chunk, to the text.
    fn keep(&mut self, bytes: usize) {
        self.is_cut |= self.text.len() + bytes > self.limit_bytes;
        if !self.is_cut {
            self.text.extend_from_slice(&self.chunk[self.start..self.start + bytes]);
        }
        self.consume(bytes);
    }

    fn peek(&mut self) -> Result<Option<u8>, ReadError> {
        Ok(self.available()?.first().copied())
    }

    fn byte(&mut self) -> Result<Option<u8>, ReadError> {
        let byte = self.peek()?;
        self.consume(usize::from(byte.is_some()));
        Ok(byte)
    }

    /// Skips white space. Returns the next byte, and notes where it is.
    fn visible(&mut self) -> Result<Option<u8>, ReadError> {
        loop {
            let available = self.available()?;
            let bytes = available.iter().take_while(|byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r')).count();
            let next = available.get(bytes).copied();
            let is_end = available.is_empty();
            self.consume(bytes);
            if next.is_some() || is_end {
                (self.line, self.offset) = (self.next_line, self.next_offset);
                return Ok(next);
            }
        }
    }

    /// Skips a byte-order mark.
    fn skip_mark(&mut self) -> Result<(), ReadError> {
        for &byte in BYTE_ORDER_MARK {
            if self.peek()? != Some(byte) {
                break;
            }
            self.consume(1);
        }
        Ok(())
    }

    /// Returns what is left of the chunk, or the next one. Empty at the end.
    fn available(&mut self) -> Result<&[u8], ReadError> {
        while self.start == self.end {
            match self.input.read(&mut self.chunk) {
                Ok(0) => break,
                Ok(bytes) => (self.start, self.end) = (0, bytes),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => {
                    let kind = ReadErrorKind::Io(error);
                    return Err(ReadError { kind, line: self.next_line, offset: self.next_offset });
                }
            }
        }
        Ok(&self.chunk[self.start..self.end])
    }

    fn consume(&mut self, bytes: usize) {
        let consumed = &self.chunk[self.start..self.start + bytes];
        self.next_line += memchr_iter(b'\n', consumed).count() as u64;
        self.start += bytes;
        self.next_offset += bytes as u64;
    }

    /// Returns the error that the JSON is broken where it was read to.
    fn error(&self, reason: &'static str) -> ReadError {
        let kind = ReadErrorKind::Markup(reason.to_owned());
        ReadError { kind, line: self.next_line, offset: self.next_offset }
    }
}
