//! The changes from one release of NSRL to the next, from the SQL in which they are published.

use std::io::{self, BufRead};
use std::{fmt, str};

use pfh_digest::decode_hexadecimal;
use rusqlite::types::ValueRef;

use crate::columns::{DigestColumn, Digests};
use crate::minimal::digest_columns;
use crate::release::Release;
use crate::row::{Fault, Options, Row};
use crate::sql::{Token, TokenError, Tokens};
use crate::texts::Texts;

/// A change of the table FILE.
#[derive(Clone, Copy, Debug)]
pub enum Change<'a> {
    /// The row is added.
    Insert(Row<'a>),
    /// The row is removed that has these digests, and this size, name and package: a deletion that does not name all of
    /// them is refused. A file may have further rows, with other names and packages.
    Delete(Row<'a>),
}

/// The numbers of changes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DeltaCounts {
    /// Rows that were inserted.
    pub inserted: u64,
    /// Deletions.
    pub deleted: u64,
    /// Statements and rows that were refused.
    pub refused: u64,
    /// Statements about tables that have no files and no packages, and those that change no table.
    pub other: u64,
}

/// A statement, or a row of one, that cannot be applied without the database. `Display` has its line and says why.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RefusedStatement {
    /// From 1.
    pub line: u64,
    reason: Reason,
}

impl fmt::Display for RefusedStatement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: ", self.line)?;
        match &self.reason {
            Reason::Statement(reason) => f.write_str(reason),
            Reason::Row(fault) => write!(f, "a row cannot be used: {fault}"),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reason {
    Statement(&'static str),
    Row(Fault),
}

/// The reason why a delta cannot be read on. `Display` has the line.
#[derive(Debug)]
#[non_exhaustive]
pub enum DeltaError {
    /// It cannot be read.
    Io(io::Error),
    /// The caller's function returned an error.
    Stopped(io::Error),
    /// It ends inside of a statement or a transaction: it is truncated.
    Unfinished(u64),
    /// It has a value longer than a mebibyte.
    TooLong(u64),
    /// It defines a trigger, of which nobody can tell what it does.
    Trigger(u64),
    /// It is that of a full set: only the database tells which files the rows of its tables belong to.
    FullSet,
    /// Names of products need more memory than this, in bytes.
    Products(usize),
}

impl fmt::Display for DeltaError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DeltaError::Io(error) | DeltaError::Stopped(error) => error.fmt(f),
            DeltaError::Unfinished(line) => write!(f, "line {line}: the delta ends before it is complete"),
            DeltaError::TooLong(line) => write!(f, "line {line}: a value is longer than 1 MiB"),
            DeltaError::Trigger(line) => write!(f, "line {line}: the delta defines a trigger, and none of NSRL's does"),
            DeltaError::FullSet => f.write_str(
                "a delta of a full set needs the database to tell its rows: apply it with SQLite \
                 (`sqlite3 DATABASE < DELTA`) and build from that, or take database and deltas of the minimal set",
            ),
            DeltaError::Products(bytes_max) => {
                write!(f, "the names of its products need more memory than {bytes_max} bytes")
            }
        }
    }
}

impl std::error::Error for DeltaError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            DeltaError::Io(error) | DeltaError::Stopped(error) => Some(error),
            _ => None,
        }
    }
}

/// Why a statement ends early.
enum Stop {
    Refused(&'static str),
    Failed(DeltaError),
}

impl From<DeltaError> for Stop {
    fn from(error: DeltaError) -> Stop {
        Stop::Failed(error)
    }
}

/// The use of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    Sha256,
    Sha1,
    Md5,
    Name,
    Size,
    Package,
    Version,
    Set,
    Date,
    Description,
    /// It does not matter.
    Crc32,
    Other,
}

impl Role {
    const COUNT: usize = Role::Other as usize + 1;
    const DIGESTS: [Role; 3] = [Role::Sha256, Role::Sha1, Role::Md5];
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Table {
    File,
    Packages,
    Versions,
    /// A table of a full set with files or packages.
    OfFullSet,
    Other,
}

impl Table {
    fn named(name: &[u8]) -> Table {
        let is = |other: &str| name.eq_ignore_ascii_case(other.as_bytes());
        match () {
            () if is("FILE") => Table::File,
            () if is("PKG") => Table::Packages,
            () if is("VERSION") => Table::Versions,
            () if ["METADATA", "PACKAGE_OBJECT", "APPLICATION"].into_iter().any(is) => Table::OfFullSet,
            () => Table::Other,
        }
    }

    fn role(self, column: &[u8]) -> Role {
        let roles: &[(&str, Role)] = match self {
            Table::File => &[
                ("sha256", Role::Sha256),
                ("sha1", Role::Sha1),
                ("md5", Role::Md5),
                ("crc32", Role::Crc32),
                ("file_name", Role::Name),
                ("file_size", Role::Size),
                ("package_id", Role::Package),
            ],
            Table::Packages => &[("package_id", Role::Package), ("name", Role::Name), ("version", Role::Version)],
            Table::Versions => &[
                ("version", Role::Version),
                ("build_set", Role::Set),
                ("release_date", Role::Date),
                ("description", Role::Description),
            ],
            Table::OfFullSet | Table::Other => &[],
        };
        let role = roles.iter().find(|(name, _)| column.eq_ignore_ascii_case(name.as_bytes()));
        role.map_or(Role::Other, |(_, role)| *role)
    }

    /// The columns where a statement names none: in the order in which NSRL defines them.
    fn columns(self, count: usize) -> &'static [Role] {
        use Role::{Crc32, Date, Description, Md5, Name, Other, Package, Set, Sha1, Sha256, Size, Version};
        match (self, count) {
            (Table::File, 6) => &[Sha256, Sha1, Md5, Name, Size, Package],
            (Table::File, 7) => &[Sha256, Sha1, Md5, Crc32, Name, Size, Package],
            (Table::Packages, 7) => &[Package, Name, Version, Other, Other, Other, Other],
            (Table::Versions, 5) => &[Version, Set, Other, Date, Description],
            _ => &[],
        }
    }
}

/// A literal.
#[derive(Clone, Copy, Debug, Default)]
enum Value {
    #[default]
    Null,
    Number(i64),
    /// A place in `Delta::bytes`, and whether a blob is there, and not a text.
    Bytes(usize, usize, bool),
    /// A number with a fraction or a keyword.
    Other,
}

/// Most columns of a row.
const COLUMNS_MAX: usize = 64;

/// A delta, read as a stream: it needs no database and little memory, however long it is.
#[derive(Debug)]
pub struct Delta<R> {
    tokens: Tokens<R>,
    /// The one that was read last.
    token: Token,
    release: Option<Release>,
    digest_columns: [DigestColumn; 3],
    products: Texts,
    products_bytes_max: usize,
    counts: DeltaCounts,
    /// The row, in the order of the statement, and the bytes of its values.
    values: Vec<Value>,
    bytes: Vec<u8>,
}

type Changed<'e> = &'e mut dyn FnMut(Change<'_>) -> io::Result<()>;
type Refused<'e> = &'e mut dyn FnMut(RefusedStatement) -> io::Result<()>;

impl<R: BufRead> Delta<R> {
    /// Begins to read. The file's name tells the release: `RDS_2026.06.1_modern_minimal_delta.sql`.
    pub fn new(input: R, file_name: &str, options: &Options) -> Delta<R> {
        Delta {
            tokens: Tokens::new(input),
            token: Token::End,
            release: Release::from_file_name(file_name),
            digest_columns: digest_columns(),
            products: Texts::new(options.products_bytes_max),
            products_bytes_max: options.products_bytes_max,
            counts: DeltaCounts::default(),
            values: Vec::new(),
            bytes: Vec::new(),
        }
    }

    /// Returns the release that it leads to: at first what the name of the file says, and after [`Delta::each`] what
    /// its statements say. Deltas must be applied in the order of their releases.
    pub fn release(&self) -> Option<&Release> {
        self.release.as_ref()
    }

    /// Calls `changed` with every change of the table FILE in their order, and `refused` with what cannot be applied. A
    /// row has a product if its package was inserted before.
    ///
    /// # Errors
    /// [`DeltaError`]; [`DeltaError::Stopped`] has an error of one of the functions.
    pub fn each(
        &mut self,
        changed: &mut dyn FnMut(Change<'_>) -> io::Result<()>,
        refused: &mut dyn FnMut(RefusedStatement) -> io::Result<()>,
    ) -> Result<DeltaCounts, DeltaError> {
        let mut is_transaction = false;
        loop {
            match self.advance()? {
                Token::End if is_transaction => return Err(DeltaError::Unfinished(self.tokens.line())),
                Token::End => return Ok(self.counts),
                Token::Symbol(b';') => continue,
                _ => {}
            }
            let line = self.tokens.line();
            let done = if self.is_word("BEGIN") {
                is_transaction = true;
                self.ignore_rest()
            } else if self.is_word("COMMIT") || self.is_word("END") {
                is_transaction = false;
                self.ignore_rest()
            } else if self.is_word("INSERT") || self.is_word("REPLACE") {
                self.insert(changed, refused)
            } else if self.is_word("DELETE") {
                self.delete(changed, refused)
            } else if self.is_word("UPDATE") {
                self.update()
            } else if self.is_word("PRAGMA") || self.is_word("ANALYZE") || self.is_word("VACUUM") {
                self.counts.other += 1;
                self.ignore_rest()
            } else if self.is_word("CREATE") {
                self.create(line)
            } else {
                Err(Stop::Refused("this is no statement that a delta has"))
            };
            match done {
                Ok(()) => {}
                Err(Stop::Failed(error)) => return Err(error),
                Err(Stop::Refused(reason)) => {
                    self.refuse(line, Reason::Statement(reason), refused)?;
                    while !matches!(self.token, Token::Symbol(b';') | Token::End) {
                        self.advance()?;
                    }
                }
            }
            if self.token == Token::End && is_transaction {
                return Err(DeltaError::Unfinished(self.tokens.line()));
            }
        }
    }

    fn refuse(&mut self, line: u64, reason: Reason, refused: Refused<'_>) -> Result<(), DeltaError> {
        self.counts.refused += 1;
        refused(RefusedStatement { line, reason }).map_err(DeltaError::Stopped)
    }

    fn advance(&mut self) -> Result<Token, DeltaError> {
        let line = self.tokens.line();
        self.token = self.tokens.next().map_err(|error| match error {
            TokenError::Io(error) => DeltaError::Io(error),
            TokenError::Unfinished => DeltaError::Unfinished(line),
            TokenError::TooLong => DeltaError::TooLong(line),
        })?;
        Ok(self.token)
    }

    fn is_word(&self, word: &str) -> bool {
        self.token == Token::Word && self.tokens.text().eq_ignore_ascii_case(word.as_bytes())
    }

    fn is_end(&self) -> bool {
        matches!(self.token, Token::Symbol(b';') | Token::End)
    }

    fn ignore_rest(&mut self) -> Result<(), Stop> {
        while !matches!(self.advance()?, Token::Symbol(b';') | Token::End) {}
        Ok(())
    }

    /// Reads the name of a table, after which comes the token that is then the last.
    fn table(&mut self) -> Result<Table, Stop> {
        const NO_NAME: Stop = Stop::Refused("the name of a table is missing");
        if self.token != Token::Word {
            return Err(NO_NAME);
        }
        let mut table = Table::named(self.tokens.text());
        if self.advance()? == Token::Symbol(b'.') {
            if self.advance()? != Token::Word {
                return Err(NO_NAME);
            }
            table = Table::named(self.tokens.text());
            self.advance()?;
        }
        if table == Table::OfFullSet {
            return Err(DeltaError::FullSet.into());
        }
        Ok(table)
    }

    fn insert(&mut self, changed: Changed<'_>, refused: Refused<'_>) -> Result<(), Stop> {
        const OTHER_FORM: Stop = Stop::Refused("it does not insert values");
        self.advance()?;
        if self.is_word("OR") {
            self.advance()?;
            self.advance()?;
        }
        if !self.is_word("INTO") {
            return Err(OTHER_FORM);
        }
        self.advance()?;
        let table = self.table()?;
        if table == Table::Other {
            self.counts.other += 1;
            return if self.is_end() { Ok(()) } else { self.ignore_rest() };
        }
        let mut columns = [Role::Other; COLUMNS_MAX];
        let mut named = 0;
        if self.token == Token::Symbol(b'(') {
            loop {
                if self.advance()? != Token::Word || named == COLUMNS_MAX {
                    return Err(OTHER_FORM);
                }
                columns[named] = table.role(self.tokens.text());
                named += 1;
                match self.advance()? {
                    Token::Symbol(b',') => {}
                    Token::Symbol(b')') => break,
                    _ => return Err(OTHER_FORM),
                }
            }
            self.advance()?;
        }
        if !self.is_word("VALUES") {
            return Err(OTHER_FORM);
        }
        loop {
            if self.advance()? != Token::Symbol(b'(') {
                return Err(OTHER_FORM);
            }
            let line = self.tokens.line();
            self.row()?;
            let columns = if named == 0 { table.columns(self.values.len()) } else { &columns[..named] };
            if columns.len() != self.values.len() {
                return Err(Stop::Refused("its values are not as many as the columns"));
            }
            let mut row = [Value::Null; Role::COUNT];
            columns.iter().zip(&self.values).for_each(|(role, value)| row[*role as usize] = *value);
            match table {
                Table::File => match self.give(&row, &mut *changed, true)? {
                    Ok(()) => self.counts.inserted += 1,
                    Err(fault) => self.refuse(line, Reason::Row(fault), &mut *refused)?,
                },
                Table::Packages => self.add_package(&row)?,
                Table::Versions => self.set_release(&row),
                Table::OfFullSet | Table::Other => {}
            }
            match self.advance()? {
                Token::Symbol(b',') => {}
                Token::Symbol(b';') | Token::End => break,
                _ => return Err(Stop::Refused("something follows its values")),
            }
        }
        self.counts.other += u64::from(table != Table::File);
        Ok(())
    }

    /// Reads the values of a row up to its end.
    fn row(&mut self) -> Result<(), Stop> {
        self.values.clear();
        self.bytes.clear();
        loop {
            self.advance()?;
            let value = self.value()?;
            self.values.push(value);
            match self.advance()? {
                Token::Symbol(b',') if self.values.len() < COLUMNS_MAX => {}
                Token::Symbol(b')') => return Ok(()),
                _ => return Err(Stop::Refused("a value is computed")),
            }
        }
    }

    /// Takes the value that begins with the last token.
    fn value(&mut self) -> Result<Value, Stop> {
        let sign = match self.token {
            Token::Symbol(sign @ (b'-' | b'+')) => {
                if self.advance()? != Token::Number {
                    return Err(Stop::Refused("a value is computed"));
                }
                i128::from(b',') - i128::from(sign)
            }
            _ => 1,
        };
        let text = self.tokens.text();
        Ok(match self.token {
            Token::Number => {
                let number = str::from_utf8(text).ok().and_then(|text| text.parse::<u64>().ok());
                let number = number.and_then(|number| i64::try_from(sign * i128::from(number)).ok());
                number.map_or(Value::Other, Value::Number)
            }
            Token::Text => {
                let start = self.bytes.len();
                self.bytes.extend_from_slice(text);
                Value::Bytes(start, self.bytes.len(), false)
            }
            Token::Blob => {
                let start = self.bytes.len();
                self.bytes.resize(start + text.len() / 2, 0);
                if decode_hexadecimal(text, &mut self.bytes[start..]).is_none() {
                    return Err(Stop::Refused("the bytes of a value are not written in hexadecimal"));
                }
                Value::Bytes(start, self.bytes.len(), true)
            }
            Token::Word if text.eq_ignore_ascii_case(b"NULL") => Value::Null,
            Token::Word => Value::Other,
            Token::Symbol(_) | Token::End => return Err(Stop::Refused("a value is missing")),
        })
    }

    fn delete(&mut self, changed: Changed<'_>, refused: Refused<'_>) -> Result<(), Stop> {
        const OTHER_FORM: Stop = Stop::Refused("which rows it deletes, only the database can tell");
        self.advance()?;
        if !self.is_word("FROM") {
            return Err(OTHER_FORM);
        }
        self.advance()?;
        let table = self.table()?;
        if table != Table::File {
            self.counts.other += 1;
            return if self.is_end() { Ok(()) } else { self.ignore_rest() };
        }
        let line = self.tokens.line();
        let mut row = [Value::Null; Role::COUNT];
        self.bytes.clear();
        if !self.is_word("WHERE") {
            return Err(OTHER_FORM);
        }
        while {
            self.advance()?;
            let (role, value) = self.equation(table)?;
            if role == Role::Other || !matches!(value, Value::Number(_) | Value::Bytes(..)) {
                return Err(OTHER_FORM);
            }
            // Two conditions about one column may contradict each other.
            if !matches!(std::mem::replace(&mut row[role as usize], value), Value::Null) {
                return Err(OTHER_FORM);
            }
            self.advance()?;
            self.is_word("AND")
        } {}
        if !self.is_end() {
            return Err(OTHER_FORM);
        }
        if Role::DIGESTS.iter().all(|role| matches!(row[*role as usize], Value::Null)) {
            return Err(OTHER_FORM);
        }
        // NSRL's deltas name whole rows. Which rows are meant by less, only the database can tell.
        let named = [Role::Sha256, Role::Sha1, Role::Md5, Role::Size, Role::Package];
        let is_whole = named.iter().all(|role| !matches!(row[*role as usize], Value::Null))
            && matches!(row[Role::Name as usize], Value::Bytes(..));
        if !is_whole {
            return Err(Stop::Refused("it does not name all digests, name, size and package of a row"));
        }
        match self.give(&row, changed, false)? {
            Ok(()) => self.counts.deleted += 1,
            Err(fault) => self.refuse(line, Reason::Row(fault), refused)?,
        }
        Ok(())
    }

    /// Reads `column = value`, which begins with the last token.
    fn equation(&mut self, table: Table) -> Result<(Role, Value), Stop> {
        const OTHER_FORM: Stop = Stop::Refused("its conditions are not values of columns");
        if self.token != Token::Word {
            return Err(OTHER_FORM);
        }
        let role = table.role(self.tokens.text());
        self.advance()?;
        if self.token != Token::Symbol(b'=') && !self.is_word("IS") {
            return Err(OTHER_FORM);
        }
        if self.advance()? == Token::Symbol(b'=') {
            self.advance()?;
        }
        Ok((role, self.value()?))
    }

    fn update(&mut self) -> Result<(), Stop> {
        self.advance()?;
        if self.is_word("OR") {
            self.advance()?;
            self.advance()?;
        }
        match self.table()? {
            Table::File => Err(Stop::Refused("which rows it changes, only the database can tell")),
            Table::Packages => Err(Stop::Refused("it changes names of packages that files already have")),
            Table::Versions => {
                let mut row = [Value::Null; Role::COUNT];
                self.bytes.clear();
                if !self.is_word("SET") {
                    return Err(Stop::Refused("it sets nothing"));
                }
                while {
                    self.advance()?;
                    let (role, value) = self.equation(Table::Versions)?;
                    row[role as usize] = value;
                    self.advance()? == Token::Symbol(b',')
                } {}
                self.set_release(&row);
                self.counts.other += 1;
                if self.is_end() { Ok(()) } else { self.ignore_rest() }
            }
            Table::OfFullSet | Table::Other => {
                self.counts.other += 1;
                if self.is_end() { Ok(()) } else { self.ignore_rest() }
            }
        }
    }

    fn create(&mut self, line: u64) -> Result<(), Stop> {
        while !matches!(self.advance()?, Token::Symbol(b';') | Token::End) {
            // Its body has statements of its own.
            if self.is_word("TRIGGER") {
                return Err(DeltaError::Trigger(line).into());
            }
        }
        Err(Stop::Refused("this is no statement that a delta has"))
    }

    /// Gives a change to the caller.
    fn give(
        &self,
        row: &[Value; Role::COUNT],
        changed: Changed<'_>,
        is_insert: bool,
    ) -> Result<Result<(), Fault>, DeltaError> {
        let mut digests = Digests::new();
        for (column, role) in self.digest_columns.into_iter().zip(Role::DIGESTS) {
            let value = match row[role as usize] {
                Value::Null => ValueRef::Null,
                Value::Number(number) => ValueRef::Integer(number),
                Value::Bytes(start, end, false) => ValueRef::Text(&self.bytes[start..end]),
                Value::Bytes(start, end, true) => ValueRef::Blob(&self.bytes[start..end]),
                Value::Other => return Ok(Err(Fault::NotADigest(column.name))),
            };
            if let Err(fault) = digests.add(column, value) {
                return Ok(Err(fault));
            }
        }
        if digests.as_slice().is_empty() {
            return Ok(Err(Fault::NoDigest));
        }
        let package = self.number(row, Role::Package);
        let row = Row {
            digests: digests.as_slice(),
            size: self.number(row, Role::Size).and_then(|size| u64::try_from(size).ok()),
            name: self.text(row, Role::Name),
            package,
            product: self.products.get(package),
            category: b"",
        };
        let change = if is_insert { Change::Insert(row) } else { Change::Delete(row) };
        changed(change).map(Ok).map_err(DeltaError::Stopped)
    }

    fn text(&self, row: &[Value; Role::COUNT], role: Role) -> &[u8] {
        match row[role as usize] {
            Value::Bytes(start, end, _) => &self.bytes[start..end],
            _ => &[],
        }
    }

    /// A number, also if it is written as a text.
    fn number(&self, row: &[Value; Role::COUNT], role: Role) -> Option<i64> {
        match row[role as usize] {
            Value::Number(number) => Some(number),
            _ => str::from_utf8(self.text(row, role)).ok()?.parse().ok(),
        }
    }

    fn add_package(&mut self, row: &[Value; Role::COUNT]) -> Result<(), DeltaError> {
        let Some(package) = self.number(row, Role::Package) else { return Ok(()) };
        let text = |role| match row[role as usize] {
            Value::Bytes(start, end, _) => &self.bytes[start..end],
            _ => &[],
        };
        let is_added = self.products.add(package, &[text(Role::Name), text(Role::Version)]);
        if is_added { Ok(()) } else { Err(DeltaError::Products(self.products_bytes_max)) }
    }

    fn set_release(&mut self, row: &[Value; Role::COUNT]) {
        let text = |role| String::from_utf8_lossy(self.text(row, role)).into_owned();
        let [version, set, date, description] = [Role::Version, Role::Set, Role::Date, Role::Description].map(text);
        if !version.is_empty() {
            let old = self.release.take().filter(|_| set.is_empty()).map(|old| old.set);
            self.release = Some(Release { version, set: old.unwrap_or(set), date, description });
        }
    }
}
