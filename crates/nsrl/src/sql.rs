//! Tokens of SQL, from a stream.

use std::io::{self, BufRead};

/// Longest word or literal, in bytes.
const TOKEN_BYTES_MAX: usize = 1 << 20;

/// The byte order mark in UTF-8, which some editors put before a text. Before a token, SQLite takes it for a space.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// A token, whose text [`Tokens::text`] has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Token {
    /// A keyword, or a name that may stand in quotes or brackets.
    Word,
    /// A text literal.
    Text,
    /// A literal of bytes, such as `X'00'`.
    Blob,
    /// A number without sign.
    Number,
    Symbol(u8),
    End,
}

/// Why tokens cannot be read.
#[derive(Debug)]
pub(crate) enum TokenError {
    Io(io::Error),
    /// It ends inside of a literal, a name or a comment.
    Unfinished,
    TooLong,
}

impl From<io::Error> for TokenError {
    fn from(error: io::Error) -> TokenError {
        TokenError::Io(error)
    }
}

/// Reads tokens one by one.
#[derive(Debug)]
pub(crate) struct Tokens<R> {
    input: R,
    text: Vec<u8>,
    line: u64,
}

impl<R: BufRead> Tokens<R> {
    pub(crate) fn new(input: R) -> Tokens<R> {
        Tokens { input, text: Vec::new(), line: 1 }
    }

    /// The text of the last token, without its quotes; of a blob, the hexadecimal digits.
    pub(crate) fn text(&self) -> &[u8] {
        &self.text
    }

    /// The line that was reached, from 1.
    pub(crate) fn line(&self) -> u64 {
        self.line
    }

    pub(crate) fn next(&mut self) -> Result<Token, TokenError> {
        self.text.clear();
        loop {
            let Some(first) = self.peek()? else { return Ok(Token::End) };
            match first {
                b'\n' => {
                    self.line += 1;
                    self.input.consume(1);
                }
                b' ' | b'\t' | b'\r' | b'\x0c' => self.input.consume(1),
                b'-' => {
                    self.input.consume(1);
                    if self.peek()? != Some(b'-') {
                        return Ok(Token::Symbol(b'-'));
                    }
                    self.skip_line()?;
                }
                b'/' => {
                    self.input.consume(1);
                    if self.peek()? != Some(b'*') {
                        return Ok(Token::Symbol(b'/'));
                    }
                    self.input.consume(1);
                    self.skip_comment()?;
                }
                b'\'' => {
                    self.quoted(b'\'')?;
                    return Ok(Token::Text);
                }
                b'"' | b'`' => {
                    self.quoted(first)?;
                    return Ok(Token::Word);
                }
                b'[' => {
                    self.quoted(b']')?;
                    return Ok(Token::Word);
                }
                b'0'..=b'9' => {
                    self.take_while(|byte| byte.is_ascii_alphanumeric() || byte == b'.')?;
                    return Ok(Token::Number);
                }
                b'a'..=b'z' | b'A'..=b'Z' | b'_' | 0x80.. => {
                    self.take_while(|byte| {
                        byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$' || byte >= 0x80
                    })?;
                    // It was taken for letters.
                    if self.text.starts_with(BYTE_ORDER_MARK) {
                        self.text.drain(..BYTE_ORDER_MARK.len());
                        if self.text.is_empty() {
                            continue;
                        }
                    }
                    if self.text.eq_ignore_ascii_case(b"x") && self.peek()? == Some(b'\'') {
                        self.text.clear();
                        self.quoted(b'\'')?;
                        return Ok(Token::Blob);
                    }
                    return Ok(Token::Word);
                }
                symbol => {
                    self.input.consume(1);
                    return Ok(Token::Symbol(symbol));
                }
            }
        }
    }

    fn peek(&mut self) -> Result<Option<u8>, TokenError> {
        Ok(self.fill()?.first().copied())
    }

    fn fill(&mut self) -> Result<&[u8], TokenError> {
        while let Err(error) = self.input.fill_buf() {
            if error.kind() != io::ErrorKind::Interrupted {
                return Err(error.into());
            }
        }
        Ok(self.input.fill_buf()?)
    }

    fn take_while(&mut self, belongs: impl Fn(u8) -> bool) -> Result<(), TokenError> {
        loop {
            let (taken, is_whole) = self.take(|byte| !belongs(byte))?;
            if is_whole || taken == 0 {
                return Ok(());
            }
        }
    }

    /// Appends the bytes before the first that `ends` in what is buffered. Returns their number, and whether there is
    /// such a byte.
    fn take(&mut self, ends: impl Fn(u8) -> bool) -> Result<(usize, bool), TokenError> {
        let length_max = TOKEN_BYTES_MAX.saturating_sub(self.text.len());
        self.fill()?;
        let buffer = self.input.fill_buf()?;
        let end = buffer.iter().position(|&byte| ends(byte));
        let taken = end.unwrap_or(buffer.len());
        if taken > length_max {
            return Err(TokenError::TooLong);
        }
        self.text.extend_from_slice(&buffer[..taken]);
        self.input.consume(taken);
        Ok((taken, end.is_some()))
    }

    /// Takes what stands between quotes, where the second one doubled stands for itself.
    fn quoted(&mut self, quote: u8) -> Result<(), TokenError> {
        self.input.consume(1);
        let start = self.text.len();
        loop {
            let (taken, is_end) = self.take(|byte| byte == quote)?;
            if is_end {
                self.input.consume(1);
                if quote == b']' || self.peek()? != Some(quote) {
                    self.line += self.text[start..].iter().filter(|&&byte| byte == b'\n').count() as u64;
                    return Ok(());
                }
                self.text.push(quote);
                self.input.consume(1);
            } else if taken == 0 {
                return Err(TokenError::Unfinished);
            }
        }
    }

    fn skip_line(&mut self) -> Result<(), TokenError> {
        loop {
            let buffer = self.fill()?;
            let end = buffer.iter().position(|&byte| byte == b'\n');
            let length = end.unwrap_or(buffer.len());
            self.input.consume(length);
            if end.is_some() || length == 0 {
                return Ok(());
            }
        }
    }

    fn skip_comment(&mut self) -> Result<(), TokenError> {
        let mut last = 0;
        loop {
            let byte = self.peek()?.ok_or(TokenError::Unfinished)?;
            self.input.consume(1);
            self.line += u64::from(byte == b'\n');
            if (last, byte) == (b'*', b'/') {
                return Ok(());
            }
            last = byte;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::BufReader;

    use super::*;

    /// The tokens of a text, read in pieces of every small length.
    fn tokens(sql: &str) -> Vec<(Token, String)> {
        let read = |capacity| {
            let mut tokens = Tokens::new(BufReader::with_capacity(capacity, sql.as_bytes()));
            let mut all = Vec::new();
            loop {
                match tokens.next().unwrap() {
                    Token::End => return all,
                    token => all.push((token, String::from_utf8_lossy(tokens.text()).into_owned())),
                }
            }
        };
        let all = read(1);
        (2..20).for_each(|capacity| assert_eq!(read(capacity), all));
        all
    }

    #[test]
    fn of_every_kind() {
        let found = tokens("INSERT--x\n'it''s' \"a\"\"b\" [c d] /* ' **/ x'00fF' 12.5e3 -1;'' `w` é a.b");
        let expected = [
            (Token::Word, "INSERT"),
            (Token::Text, "it's"),
            (Token::Word, "a\"b"),
            (Token::Word, "c d"),
            (Token::Blob, "00fF"),
            (Token::Number, "12.5e3"),
            (Token::Symbol(b'-'), ""),
            (Token::Number, "1"),
            (Token::Symbol(b';'), ""),
            (Token::Text, ""),
            (Token::Word, "w"),
            (Token::Word, "é"),
            (Token::Word, "a"),
            (Token::Symbol(b'.'), ""),
            (Token::Word, "b"),
        ];
        assert!(found.iter().map(|(token, text)| (*token, text.as_str())).eq(expected), "{found:?}");
    }

    #[test]
    fn a_byte_order_mark_is_no_part_of_a_word() {
        for sql in ["\u{feff}BEGIN", "\u{feff}\nBEGIN", "\u{feff}-- x\nBEGIN", "\u{feff}\"BEGIN\""] {
            assert_eq!(tokens(sql), [(Token::Word, "BEGIN".to_owned())], "{sql:?}");
        }
        assert_eq!(tokens("\u{feff}x'00'"), [(Token::Blob, "00".to_owned())]);
        assert!(tokens("\u{feff}").is_empty());
    }

    #[test]
    fn what_does_not_end_is_an_error() {
        for sql in ["'abc", "\"abc", "[abc", "/* abc *", "x'00"] {
            assert!(matches!(Tokens::new(sql.as_bytes()).next(), Err(TokenError::Unfinished)), "{sql}");
        }
        let long = format!("'{}'", "a".repeat(TOKEN_BYTES_MAX + 1));
        assert!(matches!(Tokens::new(long.as_bytes()).next(), Err(TokenError::TooLong)));
    }

    #[test]
    fn lines_are_counted() {
        let mut tokens = Tokens::new("a\n'x\ny'\n/*\n*/b".as_bytes());
        for line in [1, 3, 5] {
            tokens.next().unwrap();
            assert_eq!(tokens.line(), line);
        }
    }
}
