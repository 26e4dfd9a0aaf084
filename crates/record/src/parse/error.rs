//! Errors of reading a list.

use std::{fmt, io};

use pfh_similarity::ParseError;

use crate::FormatName;

/// An error of reading a list, with its place.
#[derive(Debug)]
#[non_exhaustive]
pub struct ReadError {
    /// The kind of the error.
    pub kind: ReadErrorKind,
    /// The line, counted from 1 (the record, in a NUL-terminated list).
    pub line: u64,
    /// Offset of the error in the input, counted from 0.
    pub offset: u64,
}

/// The kinds of errors of a list. Texts in it are for users; programs decide by variants.
#[derive(Debug)]
#[non_exhaustive]
pub enum ReadErrorKind {
    /// The input is unreadable. Ends the reading.
    Io(io::Error),
    /// The input does not have this format. Ends the reading.
    NotThisFormat {
        /// The format.
        format: FormatName,
        /// The missing or too recent part, for display.
        reason: &'static str,
    },
    /// The markup is invalid. Ends the reading. The text is for users.
    Markup(String),
    /// The list is shorter or longer than its header says. Ends the reading.
    Length {
        /// Length of the whole list by its header, in bytes.
        expected_bytes: u64,
    },
    /// The line is longer than the reader accepts, and was skipped.
    TooLong {
        /// Length of the longest accepted line, in bytes.
        limit_bytes: usize,
    },
    /// The line does not have the form that the format requires.
    Shape {
        /// The expected part, for display.
        expected: &'static str,
    },
    /// One field is wrong.
    Field {
        /// The name of the field in the format.
        field: &'static str,
        /// The problem of the field.
        problem: FieldProblem,
    },
    /// A similarity digest is wrong.
    SimilarityDigest(ParseError),
    /// The list names an algorithm that is not in the registry.
    UnknownAlgorithm(String),
    /// The list names a digest that is neither of an algorithm nor of a similarity family.
    UnknownDigest(String),
    /// The line is not JSON, or lacks a field; the text is the JSON parser's.
    Json(String),
    /// The line was changed since it was written.
    Check(CheckProblem),
    /// There are zero bytes where a line should begin, as after a crash of the system before the data were on the disk.
    Zeros,
    /// The last line has no end, because the writer was interrupted. `offset` is its beginning, where the file can be
    /// cut.
    Torn,
}

/// The problem of a field of a list. `Display` follows the field's name in a sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FieldProblem {
    /// It is absent, or empty where an empty field stands for an absent one.
    Missing,
    /// It is empty.
    Empty,
    /// It is not a decimal number, or it is too large.
    NotANumber,
    /// It is not a time, or not a representable one.
    NotATime,
    /// It is not base64.
    NotBase64,
    /// It contains a NUL byte.
    Nul,
    /// It has a backslash with something else than `\\`, `n` or `r` after it.
    Escape,
    /// It refers to an entity that XML does not have.
    Entity,
    /// It does not have the number of digits of its algorithm.
    DigestLength,
    /// It has the number of digits of no usual algorithm, and no algorithm is named.
    UnknownDigestLength,
    /// It lacks digests that the header of the list promises.
    DigestsMissing,
    /// It contradicts another field of its name.
    Contradictory,
    /// No file of this size has it.
    ContradictsSize,
}

impl fmt::Display for FieldProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            FieldProblem::Missing => "is missing",
            FieldProblem::Empty => "is empty",
            FieldProblem::NotANumber => "is not a number",
            FieldProblem::NotATime => "is not a time",
            FieldProblem::NotBase64 => "is not base64",
            FieldProblem::Nul => "contains a NUL byte",
            FieldProblem::Escape => "has a backslash that is not followed by `\\`, `n` or `r`",
            FieldProblem::Entity => "has a reference to an entity that is not known",
            FieldProblem::DigestLength => "does not have the number of hexadecimal digits of its algorithm",
            FieldProblem::UnknownDigestLength => "has a length of no usual algorithm; name the algorithm",
            FieldProblem::DigestsMissing => "do not include all that the header promises",
            FieldProblem::Contradictory => "contradict each other",
            FieldProblem::ContradictsSize => "contradict the size of the file",
        })
    }
}

/// The sign that a line of JSON Lines was changed since it was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CheckProblem {
    /// Its check value is that of other bytes.
    Differs,
    /// Its check value is not in its last place.
    NotLast,
    /// It has no check value, and the header has one.
    Missing,
}

impl fmt::Display for CheckProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            CheckProblem::Differs => "its check value does not match",
            CheckProblem::NotLast => "its check value is not its last field",
            CheckProblem::Missing => "it has no check value, and the header has one",
        })
    }
}

impl ReadError {
    /// Makes the error of an input of which nothing can be read from a line on.
    pub fn unreadable(error: io::Error, line: u64) -> ReadError {
        ReadError { kind: ReadErrorKind::Io(error), line, offset: 0 }
    }

    /// Whether nothing can be read after this error.
    pub fn is_fatal(&self) -> bool {
        matches!(
            self.kind,
            ReadErrorKind::Io(_)
                | ReadErrorKind::NotThisFormat { .. }
                | ReadErrorKind::Markup(_)
                | ReadErrorKind::Length { .. }
        )
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
            ReadErrorKind::NotThisFormat { format, reason } => {
                write!(f, "this is not a list in the format `{format}`: {reason}")
            }
            ReadErrorKind::Markup(message) => write!(f, "invalid markup: {message}"),
            ReadErrorKind::Length { expected_bytes } => {
                write!(f, "by its header the list has {expected_bytes} bytes, and it does not end there")
            }
            ReadErrorKind::TooLong { limit_bytes } => write!(f, "the line is longer than {limit_bytes} bytes"),
            ReadErrorKind::Shape { expected } => write!(f, "expected {expected}"),
            ReadErrorKind::Field { field, problem } => write!(f, "{field} {problem}"),
            ReadErrorKind::SimilarityDigest(error) => error.without_place().fmt(f),
            ReadErrorKind::UnknownAlgorithm(name) => write!(f, "there is no algorithm `{name}`"),
            ReadErrorKind::UnknownDigest(name) => write!(f, "there is no algorithm or similarity family `{name}`"),
            ReadErrorKind::Json(message) => f.write_str(message),
            ReadErrorKind::Check(reason) => write!(f, "the line is damaged: {reason}"),
            ReadErrorKind::Zeros => f.write_str("there are zero bytes instead of a line"),
            ReadErrorKind::Torn => f.write_str("the last line is incomplete"),
        }
    }
}

/// Its text includes that of the error within, which is therefore no source.
impl std::error::Error for ReadError {}

/// An error within one line.
#[derive(Debug)]
pub(crate) struct Fault {
    pub(crate) kind: ReadErrorKind,
    /// Offset in the line.
    pub(crate) at: usize,
}

impl Fault {
    pub(crate) fn shape(at: usize, expected: &'static str) -> Fault {
        Fault { kind: ReadErrorKind::Shape { expected }, at }
    }

    pub(crate) fn field(at: usize, field: &'static str, problem: FieldProblem) -> Fault {
        Fault { kind: ReadErrorKind::Field { field, problem }, at }
    }

    /// The digest does not have the form that its algorithm requires.
    pub(crate) fn digest(at: usize) -> Fault {
        Fault::field(at, "digest", FieldProblem::DigestLength)
    }

    /// Returns the same fault, for a part that begins `bytes` further on.
    pub(crate) fn after(self, bytes: usize) -> Fault {
        Fault { at: self.at + bytes, ..self }
    }

    pub(crate) fn unknown_algorithm(at: usize, name: &[u8]) -> Fault {
        Fault { kind: ReadErrorKind::UnknownAlgorithm(short(name)), at }
    }

    pub(crate) fn unknown_digest(at: usize, name: &[u8]) -> Fault {
        Fault { kind: ReadErrorKind::UnknownDigest(short(name)), at }
    }

    pub(crate) fn not_this_format(format: FormatName, reason: &'static str) -> Fault {
        Fault { kind: ReadErrorKind::NotThisFormat { format, reason }, at: 0 }
    }
}

/// Cuts a name, since a line of a megabyte that was taken for one need not be repeated.
fn short(name: &[u8]) -> String {
    String::from_utf8_lossy(&name[..name.len().min(64)]).into_owned()
}
