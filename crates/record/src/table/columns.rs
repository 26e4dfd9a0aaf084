//! The columns of a table, as the user names them.

use std::fmt;
use std::slice;
use std::str::FromStr;

use super::{COLUMNS_MAX, Role};
use crate::csv::{Fields, unquote};

/// Which columns of a table hold what, parsed from `md5=MD5,name="File Name",size=4`: pairs of a role and a column,
/// between commas.
///
/// Roles are the names of algorithms, `digest` (the algorithm follows from the length), `name`, `size` (in bytes),
/// `product` and `category`. A column is a number from 1, or a name in the first line; a name in quotes can contain
/// commas, quotes (doubled), and be a number. `separator=comma`, `semicolon` or `tab` tells what stands between
/// columns; otherwise it is the one of these that the first line has most of.
///
/// Quotes are those of RFC 4180; blanks may come before them, and one that does not begin a field is a character of it.
/// Lines that begin with `#` and have no digest are comments. If all columns are numbers, a
/// first line in error is a header too, unless a field of it looks like a digest (eight hexadecimal digits or more), or
/// a line feed is in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Columns {
    places: Vec<(Role, Place)>,
    separator: Option<u8>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Place {
    /// The index, counted from 0.
    Index(usize),
    Named(Vec<u8>),
}

/// The error of a text that names no columns. `Display` says what is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ColumnsError {
    /// A part is not a role, `=` and a column.
    Shape(String),
    /// There is no such role.
    UnknownRole(String),
    /// A role has two columns, or a column two roles.
    Repeated(String),
    /// There is no column of this number.
    Number(String),
    /// There is no such separator.
    UnknownSeparator(String),
    /// No column holds digests.
    NoDigest,
}

impl fmt::Display for ColumnsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ColumnsError::Shape(part) => write!(f, "`{part}` is not of the form `md5=COLUMN`"),
            ColumnsError::UnknownRole(role) => write!(
                f,
                "`{role}` is neither the name of an algorithm, nor `digest`, `name`, `size`, `product`, `category` or \
                 `separator`"
            ),
            ColumnsError::Repeated(role) => write!(f, "`{role}` is there twice"),
            ColumnsError::Number(number) => {
                write!(f, "there is no column {number}: the first is 1, and the last {COLUMNS_MAX}")
            }
            ColumnsError::UnknownSeparator(name) => {
                write!(f, "there is no separator `{name}`; the separators are `comma`, `semicolon`, `tab`")
            }
            ColumnsError::NoDigest => f.write_str("no column holds digests; name one, as in `md5=COLUMN`"),
        }
    }
}

impl std::error::Error for ColumnsError {}

impl FromStr for Columns {
    type Err = ColumnsError;

    fn from_str(text: &str) -> Result<Columns, ColumnsError> {
        let mut columns = Columns { places: Vec::new(), separator: None };
        let mut rest = text;
        while !rest.is_empty() {
            let (role, column, is_quoted, after) = pair(rest).ok_or_else(|| ColumnsError::Shape(rest.to_owned()))?;
            columns.add(role, column, is_quoted)?;
            rest = after;
        }
        if !columns.places.iter().any(|(role, _)| matches!(role, Role::Digest(_))) {
            return Err(ColumnsError::NoDigest);
        }
        Ok(columns)
    }
}

/// Splits `ROLE=COLUMN` off the front. Returns the role, the column, whether it is in quotes, and what follows the
/// comma.
fn pair(text: &str) -> Option<(&str, String, bool, &str)> {
    let (role, value) = text.split_once('=')?;
    let (column, is_quoted, end) = match value.strip_prefix('"') {
        Some(quoted) => {
            let (column, bytes) = unquote(quoted.as_bytes()).ok()?;
            (String::from_utf8(column.into_owned()).ok()?, true, 1 + bytes)
        }
        None => {
            let end = value.find(',').unwrap_or(value.len());
            (value[..end].to_owned(), false, end)
        }
    };
    let rest = match &value[end..] {
        "" => "",
        after => after.strip_prefix(',').filter(|after| !after.is_empty())?,
    };
    (!column.is_empty()).then_some((role, column, is_quoted, rest))
}

/// The bytes that may be between columns.
pub(super) const SEPARATORS: &[u8] = b"\t;,";

/// Returns the separator that the first line has most of.
pub(super) fn likely_separator(first_line: &[u8]) -> u8 {
    let count = |separator: u8| first_line.iter().filter(|&&byte| byte == separator).count();
    // Of equal numbers, `max_by_key` takes the last.
    *SEPARATORS.iter().max_by_key(|separator| count(**separator)).unwrap_or(&b',')
}

impl Columns {
    fn add(&mut self, role: &str, column: String, is_quoted: bool) -> Result<(), ColumnsError> {
        let repeated = || Err(ColumnsError::Repeated(role.to_owned()));
        if role == "separator" {
            let separator = match &*column {
                "comma" | "," => b',',
                "semicolon" | ";" => b';',
                "tab" | "\t" => b'\t',
                _ => return Err(ColumnsError::UnknownSeparator(column)),
            };
            return if self.separator.replace(separator).is_some() { repeated() } else { Ok(()) };
        }
        let place = match !is_quoted && column.bytes().all(|byte| byte.is_ascii_digit()) {
            true => match column.parse() {
                Ok(number @ 1..=COLUMNS_MAX) => Place::Index(number - 1),
                _ => return Err(ColumnsError::Number(column)),
            },
            false => Place::Named(column.into_bytes()),
        };
        let role_found = Role::of(role).ok_or_else(|| ColumnsError::UnknownRole(role.to_owned()))?;
        if self.places.iter().any(|(one, other)| *one == role_found || *other == place) {
            return repeated();
        }
        self.places.push((role_found, place));
        Ok(())
    }

    /// Returns the separator, given or found in the first line.
    pub(super) fn separator(&self, first_line: &[u8]) -> u8 {
        self.separator.unwrap_or_else(|| likely_separator(first_line))
    }

    /// Returns the separator if it is given, otherwise all that it may be.
    pub(crate) fn separators(&self) -> &[u8] {
        self.separator.as_ref().map_or(SEPARATORS, slice::from_ref)
    }

    /// Whether the first line must be a header.
    pub(super) fn are_named(&self) -> bool {
        self.places.iter().any(|(_, place)| matches!(place, Place::Named(_)))
    }

    /// Returns the role of each column, as far as a role is known. With names, `first_line` is the header; `None` if it
    /// lacks one of them, or has too many columns.
    pub(super) fn roles(&self, first_line: &[u8]) -> Option<Vec<Role>> {
        let mut roles = Vec::new();
        if self.are_named() {
            let fields = Fields::new(first_line, self.separator(first_line)).take(COLUMNS_MAX + 1);
            let names = fields.map(|field| Some(field.ok()?.1)).collect::<Option<Vec<_>>>()?;
            let is_named = |place: &Place, name: &[u8]| matches!(place, Place::Named(one) if one == name.trim_ascii());
            for name in &names {
                let role = self.places.iter().find(|(_, place)| is_named(place, name));
                roles.push(role.map_or(Role::Other, |(role, _)| *role));
            }
            if roles.len() > COLUMNS_MAX {
                return None;
            }
        }
        for &(role, ref place) in &self.places {
            match place {
                Place::Named(_) if roles.iter().filter(|one| **one == role).count() != 1 => return None,
                Place::Named(_) => {}
                &Place::Index(index) => {
                    if index >= roles.len() {
                        if self.are_named() {
                            return None;
                        }
                        roles.resize(index + 1, Role::Other);
                    }
                    roles[index] = role;
                }
            }
        }
        Some(roles)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pfh_digest::Algorithm;

    fn parse(text: &str) -> Result<Columns, String> {
        text.parse::<Columns>().map_err(|error| error.to_string())
    }

    #[test]
    fn numbers_and_names() {
        let columns = parse("md5=MD5,name=\"File, \"\"Name\"\"\",size=4,separator=tab").unwrap();
        assert_eq!(columns.separator(b"a,b"), b'\t');
        let roles = columns.roles(b"\"File, \"\"Name\"\"\"\tMD5\tx\tSize").unwrap();
        let md5 = Role::Digest(Algorithm::from_name("md5").ok());
        assert_eq!(roles, [Role::Name, md5, Role::Other, Role::Size]);
        assert_eq!(columns.roles(b"MD5\tx\tSize"), None);
        let columns = parse("digest=2,category=1").unwrap();
        assert_eq!(columns.roles(b"anything").unwrap(), [Role::Category, Role::Digest(None)]);
        assert_eq!(parse("md5=\"2\"").unwrap().roles(b"1,2").unwrap(), [Role::Other, md5]);
    }

    #[test]
    fn the_separator_is_the_most_frequent() {
        let columns = parse("md5=1").unwrap();
        for (line, separator) in [("a;b;c,d", b';'), ("a\tb", b'\t'), ("a,b;c", b','), ("a", b',')] {
            assert_eq!(columns.separator(line.as_bytes()), separator, "{line}");
        }
    }

    #[test]
    fn what_is_no_column_is_refused() {
        for (text, message) in [
            ("", "no column holds digests; name one, as in `md5=COLUMN`"),
            ("name=1", "no column holds digests; name one, as in `md5=COLUMN`"),
            ("md5", "`md5` is not of the form `md5=COLUMN`"),
            ("md5=", "`md5=` is not of the form `md5=COLUMN`"),
            ("md5=1,", "`md5=1,` is not of the form `md5=COLUMN`"),
            ("md5=\"x", "`md5=\"x` is not of the form `md5=COLUMN`"),
            ("md5=\"x\"y", "`md5=\"x\"y` is not of the form `md5=COLUMN`"),
            ("md5=0", "there is no column 0: the first is 1, and the last 1024"),
            ("md5=1025", "there is no column 1025: the first is 1, and the last 1024"),
            ("md5=99999999999999999999", "there is no column 99999999999999999999: the first is 1, and the last 1024"),
            ("md5=1,md5=2", "`md5` is there twice"),
            ("md5=1,name=1", "`name` is there twice"),
            ("md5=1,separator=|", "there is no separator `|`; the separators are `comma`, `semicolon`, `tab`"),
            (
                "md6=1",
                "`md6` is neither the name of an algorithm, nor `digest`, `name`, `size`, `product`, `category` or \
                 `separator`",
            ),
        ] {
            assert_eq!(parse(text).unwrap_err(), message, "{text}");
        }
    }
}
