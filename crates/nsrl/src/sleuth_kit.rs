//! The Sleuth Kit's `.kdb`: digests as bytes, and tables with names and comments that point to them.

use rusqlite::{Connection, Rows, Statement};

use crate::columns::{self, DigestColumn, Digests, algorithm};
use crate::error::{Error, in_table};
use crate::row::{Counts, RefusedRow, Row};
use crate::table::{Each, Refused, each_row, is_table, select, stored_columns};

pub(crate) const TABLE: &str = "hashes";

/// Gives a row for each name of a digest, or one without a name; its first comment is the product.
pub(crate) fn each(connection: &Connection, each: Each<'_>, refused: Refused<'_>) -> Result<Counts, Error> {
    let digest_columns = [("md5", "md5"), ("sha1", "sha1"), ("sha2_256", "sha256")]
        .map(|(name, of)| DigestColumn { name, algorithm: algorithm(of) });
    let sql = select(connection, TABLE, &["id", "md5"], &["id", "md5", "sha1", "sha2_256"])?;
    let mut names = by_hash(connection, "file_names", "name")?;
    let mut comments = by_hash(connection, "comments", "comment")?;
    let mut names = Following::new(names.as_mut(), "file_names")?;
    let mut comments = Following::new(comments.as_mut(), "comments")?;
    let (mut digests, mut counts, mut comment) = (Digests::new(), Counts::default(), Vec::new());
    each_row(connection, TABLE, &sql, |rowid, row| {
        comment.clear();
        while let Some(text) = comments.next(rowid)? {
            if comment.is_empty() {
                comment.extend_from_slice(text);
            }
        }
        let fault = digests.read(row, 2, &digest_columns);
        if let Err(fault) = fault {
            counts.refused += 1;
            refused(RefusedRow { table: TABLE, rowid, fault }).map_err(Error::Stopped)?;
        }
        let mut given = 0;
        let mut give = |name: &[u8]| {
            let row =
                Row { digests: digests.as_slice(), size: None, name, package: None, product: &comment, category: b"" };
            each(row).map_err(Error::Stopped)
        };
        while let Some(name) = names.next(rowid)? {
            if fault.is_ok() {
                give(name)?;
                given += 1;
            }
        }
        if fault.is_ok() && given == 0 {
            give(b"")?;
            given += 1;
        }
        counts.rows += given;
        counts.without_product += if comment.is_empty() { given } else { 0 };
        Ok(())
    })?;
    Ok(counts)
}

/// Returns the statement that reads the texts of a table in the order of the digests' numbers. SQLite sorts them, in
/// a temporary file where they are many: the table has no index by these numbers.
fn by_hash<'c>(
    connection: &'c Connection,
    table: &'static str,
    column: &'static str,
) -> Result<Option<Statement<'c>>, Error> {
    if !is_table(connection, table)? || stored_columns(connection, table, &[column, "hash_id"])?.len() < 2 {
        return Ok(None);
    }
    let sql = format!("SELECT hash_id, {column} FROM {table} NOT INDEXED ORDER BY hash_id");
    connection.prepare(&sql).map(Some).map_err(in_table(table, None))
}

/// Goes through sorted texts by the side of the digests.
struct Following<'s> {
    rows: Option<Rows<'s>>,
    table: &'static str,
    /// The text that is next, and the digest that it belongs to.
    next: Option<(i64, Vec<u8>)>,
    given: Vec<u8>,
}

impl<'s> Following<'s> {
    fn new(statement: Option<&'s mut Statement<'_>>, table: &'static str) -> Result<Following<'s>, Error> {
        let rows = statement.map(|statement| statement.query([])).transpose().map_err(in_table(table, None))?;
        let mut following = Following { rows, table, next: None, given: Vec::new() };
        following.advance(Vec::new())?;
        Ok(following)
    }

    /// Takes the next text into a buffer.
    fn advance(&mut self, mut buffer: Vec<u8>) -> Result<(), Error> {
        let Some(rows) = &mut self.rows else { return Ok(()) };
        self.next = None;
        while let Some(row) = rows.next().map_err(in_table(self.table, None))? {
            if let Some(hash) = columns::integer(row, 0) {
                buffer.clear();
                buffer.extend_from_slice(columns::bytes(row, 1));
                self.next = Some((hash, buffer));
                break;
            }
        }
        Ok(())
    }

    /// Returns the next text of a digest. Those of digests that do not exist are passed over.
    fn next(&mut self, hash: i64) -> Result<Option<&[u8]>, Error> {
        while let Some((of, _)) = self.next.as_ref().filter(|(of, _)| *of <= hash) {
            let is_its = *of == hash;
            let buffer = std::mem::take(&mut self.given);
            self.given = self.next.take().map(|(_, text)| text).unwrap_or_default();
            self.advance(buffer)?;
            if is_its {
                return Ok(Some(&self.given));
            }
        }
        Ok(None)
    }
}
