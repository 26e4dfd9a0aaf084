//! Reading of tables, line by line.

use super::Role;
use super::columns::{Columns, SEPARATORS};
use super::known::KnownTable;
use memchr::memchr;
use pfh_digest::Digest;
use std::iter;

use crate::csv::Fields;
use crate::parse::{DIGEST_DIGITS_MIN, Fault, FieldProblem, Found, Line, LineParser, add_digest, parse_unnamed_digest};
use crate::text::{hex_run, parse_decimal};
use crate::{Entry, FormatName, KnownList, Labels, ReadOptions};

pub(crate) struct TableParser {
    kind: Kind,
    options: ReadOptions,
    /// The first line and what follows from it; `None` before it.
    layout: Option<Layout>,
}

enum Kind {
    /// The first line tells the columns.
    Known(KnownList),
    Columns(Columns),
}

struct Layout {
    /// Comes again where lists were concatenated; empty if it is no header.
    header: Vec<u8>,
    separator: u8,
    roles: Vec<Role>,
    /// Number of digests in a line.
    digests: usize,
    /// Whether lines may have more columns than there are roles.
    is_open: bool,
    /// The number of columns after which a line may have more than the header, parts of the field before them; 0 if it
    /// must have none.
    before_surplus: usize,
}

impl TableParser {
    pub(crate) fn known(list: KnownList, options: ReadOptions) -> TableParser {
        TableParser { kind: Kind::Known(list), options, layout: None }
    }

    pub(crate) fn with_columns(columns: Columns, options: ReadOptions) -> TableParser {
        TableParser { kind: Kind::Columns(columns), options, layout: None }
    }

    fn not_this(&self, reason: &'static str) -> Fault {
        let format = match self.kind {
            Kind::Known(list) => FormatName::Known(list),
            Kind::Columns(_) => FormatName::Csv,
        };
        Fault::not_this_format(format, reason)
    }

    fn layout(&self, first_line: &[u8]) -> Result<Layout, Fault> {
        let (separator, roles, is_header, before_surplus) = match &self.kind {
            Kind::Known(list) => match KnownTable::of(first_line).filter(|table| table.list == *list) {
                Some(table) => (table.separator(), table.roles(), true, table.columns_before_commas()),
                None => return Err(self.not_this("its first line is another")),
            },
            Kind::Columns(columns) => match columns.roles(first_line) {
                Some(roles) => (columns.separator(first_line), roles, columns.are_named(), 0),
                None => return Err(self.not_this("its first line does not have these columns, each of them once")),
            },
        };
        let digests = roles.iter().filter(|role| matches!(role, Role::Digest(_))).count();
        let header = if is_header { first_line.to_vec() } else { Vec::new() };
        Ok(Layout { header, separator, roles, digests, is_open: !is_header, before_surplus })
    }
}

impl Layout {
    fn entry(&self, text: &[u8], number: u64, options: ReadOptions) -> Result<Entry, Fault> {
        const COUNT: &str = "as many fields as the header has";
        let mut entry = Entry::new(Vec::new(), Vec::with_capacity(self.digests), number);
        let (mut product, mut category) = Default::default();
        let surplus = match self.before_surplus {
            0 => 0,
            _ => Fields::new(text, self.separator).count().saturating_sub(self.roles.len()),
        };
        let (before, after) = self.roles.split_at(self.before_surplus);
        let mut roles = before.iter().chain(iter::repeat_n(&Role::Other, surplus)).chain(after);
        // Further columns matter only if a quote there may have joined several lines.
        let ends_with_roles = self.is_open && memchr(b'\n', text).is_none();
        for field in Fields::new(text, self.separator) {
            let role = roles.next();
            if role.is_none() && ends_with_roles {
                break;
            }
            let (at, field) = field?;
            let Some(role) = role else {
                if self.is_open {
                    continue;
                }
                return Err(Fault::shape(at, COUNT));
            };
            if field.is_empty() {
                continue;
            }
            match *role {
                Role::Digest(Some(algorithm)) => {
                    let digest = Digest::from_hex(algorithm, &field).ok_or(Fault::digest(at))?;
                    add_digest(&mut entry.digests, digest, Digest::algorithm, at)?;
                }
                Role::Digest(None) => {
                    let (digest, guessed) = parse_unnamed_digest(options, &field, at)?;
                    add_digest(&mut entry.digests, digest, Digest::algorithm, at)?;
                    entry.algorithm_guessed = guessed;
                }
                Role::Name => entry.path = field.into_owned(),
                Role::Size => {
                    let size = parse_decimal(&field).ok_or(Fault::field(at, "size", FieldProblem::NotANumber))?;
                    entry.expected.size = Some(size);
                }
                Role::Product => product = field,
                Role::Category => category = field,
                Role::Other => {}
            }
        }
        if roles.next().is_some() {
            return Err(Fault::shape(text.len(), if self.is_open { "more fields" } else { COUNT }));
        }
        if entry.digests.is_empty() {
            return Err(Fault::field(0, "digest", FieldProblem::Missing));
        }
        entry.labels = Labels::new(&product, &category);
        Ok(entry)
    }
}

/// Whether a field looks like a digest, of whatever length.
fn has_digits(text: &[u8], separator: u8) -> bool {
    Fields::new(text, separator).flatten().any(|(_, field)| {
        let digits = field.trim_ascii();
        digits.len() >= DIGEST_DIGITS_MIN && hex_run(digits) == digits.len()
    })
}

impl LineParser for TableParser {
    fn line(&mut self, line: Line<'_>, found: &mut Found) -> Result<(), Fault> {
        let text = line.text();
        let may_list = || SEPARATORS.iter().any(|&separator| has_digits(text, separator));
        if text.is_empty() || (text.starts_with(b"#") && !may_list()) {
            return Ok(());
        }
        let is_first = self.layout.is_none();
        let layout = match &self.layout {
            Some(layout) => layout,
            None => {
                let layout = self.layout(text)?;
                let kinds = layout.roles.iter().filter_map(|role| match role {
                    Role::Digest(algorithm) => Some(*algorithm),
                    _ => None,
                });
                found.header.selection = kinds.collect::<Option<Vec<_>>>().map(Into::into);
                found.separator = matches!(self.kind, Kind::Columns(_)).then_some(layout.separator);
                &*self.layout.insert(layout)
            }
        };
        if is_first && !layout.is_open {
            return Ok(());
        }
        match layout.entry(text, line.number, self.options) {
            Ok(entry) => found.push(entry),
            // Without names for its columns, a first line may still be a header, if nothing in it looks like a digest.
            // More than one line is none, but was joined by a quote.
            Err(_) if is_first && !text.contains(&b'\n') && !has_digits(text, layout.separator) => {}
            Err(_) if text.eq_ignore_ascii_case(&layout.header) => {}
            Err(fault) => return Err(fault),
        }
        Ok(())
    }

    fn end(&mut self, _found: &mut Found) -> Result<(), Fault> {
        match self.layout {
            Some(_) => Ok(()),
            None => Err(self.not_this("it is empty")),
        }
    }
}
