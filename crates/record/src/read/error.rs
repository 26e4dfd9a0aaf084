//! What can be wrong with a list.

use std::{fmt, io};

/// What is wrong with a list, and where.
#[derive(Debug)]
pub struct ReadError {
    /// What is wrong.
    pub kind: ReadErrorKind,
    /// The line, counted from 1 (the record, in a NUL-terminated list).
    pub line: u64,
    /// The byte of the input at which the trouble lies, counted from 0.
    pub offset: u64,
}

/// What is wrong with a list.
#[derive(Debug)]
pub enum ReadErrorKind {
    /// The input could not be read. Ends the reading.
    Io(io::Error),
    /// The input is not what it was taken for. Ends the reading.
    NotThisFormat {
        /// Name of the format.
        format: &'static str,
        /// What is missing or too new.
        reason: &'static str,
    },
    /// Markup that cannot be read on from. Ends the reading.
    Markup(String),
    /// The line is longer than the reader accepts, and was passed over.
    TooLong {
        /// The most that is accepted, in bytes.
        limit_bytes: usize,
    },
    /// The line has not the shape that the format asks for.
    Shape {
        /// What was expected.
        expected: &'static str,
    },
    /// One field is wrong.
    Field {
        /// Which.
        field: &'static str,
        /// Why.
        problem: &'static str,
    },
    /// The list names an algorithm that is not in the registry.
    UnknownAlgorithm(String),
    /// The list names a digest that is neither of an algorithm nor of a similarity family.
    UnknownDigest(String),
    /// Not JSON, or not of the shape asked for; the text is the JSON parser's.
    Json(String),
    /// The line is not as it was written; the text says what tells so.
    Check(&'static str),
    /// Zero bytes stand where a line should begin: what a crash of the system leaves of what was not on the disk yet.
    Zeros,
    /// The last line has no end: the writer was interrupted. `offset` is where it begins, and where the file can be cut.
    Torn,
}

impl ReadError {
    /// True when nothing can be read after this error.
    pub fn is_fatal(&self) -> bool {
        matches!(self.kind, ReadErrorKind::Io(_) | ReadErrorKind::NotThisFormat { .. } | ReadErrorKind::Markup(_))
    }
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, byte {}: {}", self.line, self.offset, self.kind)
    }
}

impl fmt::Display for ReadErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReadErrorKind::Io(error) => write!(f, "cannot read: {error}"),
            ReadErrorKind::NotThisFormat { format, reason } => write!(f, "this is no `{format}` list: {reason}"),
            ReadErrorKind::Markup(message) => write!(f, "broken markup: {message}"),
            ReadErrorKind::TooLong { limit_bytes } => write!(f, "longer than {limit_bytes} bytes"),
            ReadErrorKind::Shape { expected } => write!(f, "expected {expected}"),
            ReadErrorKind::Field { field, problem } => write!(f, "{field} {problem}"),
            ReadErrorKind::UnknownAlgorithm(name) => write!(f, "there is no algorithm `{name}`"),
            ReadErrorKind::UnknownDigest(name) => write!(f, "there is no algorithm or similarity family `{name}`"),
            ReadErrorKind::Json(message) => f.write_str(message),
            ReadErrorKind::Check(reason) => write!(f, "the line is damaged: {reason}"),
            ReadErrorKind::Zeros => f.write_str("zero bytes instead of a line"),
            ReadErrorKind::Torn => f.write_str("the last line is incomplete"),
        }
    }
}

impl std::error::Error for ReadError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &self.kind {
            ReadErrorKind::Io(error) => Some(error),
            _ => None,
        }
    }
}

/// What a parser finds wrong within one line.
#[derive(Debug)]
pub(crate) struct Fault {
    pub(crate) kind: ReadErrorKind,
    /// Bytes from the beginning of the line.
    pub(crate) at: usize,
}

impl Fault {
    pub(crate) fn shape(at: usize, expected: &'static str) -> Fault {
        Fault { kind: ReadErrorKind::Shape { expected }, at }
    }

    pub(crate) fn field(at: usize, field: &'static str, problem: &'static str) -> Fault {
        Fault { kind: ReadErrorKind::Field { field, problem }, at }
    }

    /// The digest is not what its algorithm asks for.
    pub(crate) fn digest(at: usize) -> Fault {
        Fault::field(at, "digest", "has not as many hexadecimal digits as its algorithm asks for")
    }

    /// The same fault, found in a part that begins `bytes` further on.
    pub(crate) fn after(self, bytes: usize) -> Fault {
        Fault { at: self.at + bytes, ..self }
    }

    pub(crate) fn unknown_algorithm(at: usize, name: &[u8]) -> Fault {
        Fault { kind: ReadErrorKind::UnknownAlgorithm(short(name)), at }
    }

    pub(crate) fn unknown_digest(at: usize, name: &[u8]) -> Fault {
        Fault { kind: ReadErrorKind::UnknownDigest(short(name)), at }
    }

    pub(crate) fn not_this_format(format: &'static str, reason: &'static str) -> Fault {
        Fault { kind: ReadErrorKind::NotThisFormat { format, reason }, at: 0 }
    }
}

/// A name is short; a line of a megabyte that is taken for one need not be repeated.
fn short(name: &[u8]) -> String {
    String::from_utf8_lossy(&name[..name.len().min(64)]).into_owned()
}
