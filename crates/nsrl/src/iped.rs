//! IPED's database: digests as bytes, and properties of them.

use rusqlite::Connection;

use crate::columns::{self, DigestColumn, Digests, algorithm};
use crate::error::{Error, in_table};
use crate::row::{Counts, RefusedRow, Row};
use crate::table::{Each, Refused, each_row, has_index, select, stored_columns};

pub(crate) const TABLE: &str = "HASHES";
const VALUES: &str = "HASHES_PROPERTIES";
const PROPERTIES: &str = "PROPERTIES";

/// Gives a row for each digest: its property `set` is the product, and `status` the category.
pub(crate) fn each(connection: &Connection, each: Each<'_>, refused: Refused<'_>) -> Result<Counts, Error> {
    let digest_columns = [("MD5", "md5"), ("SHA1", "sha1"), ("SHA256", "sha256"), ("SHA512", "sha512")]
        .map(|(name, of)| DigestColumn { name, algorithm: algorithm(of) });
    let sql = select(connection, TABLE, &["HASH_ID", "MD5"], &["HASH_ID", "MD5", "SHA1", "SHA256", "SHA512"])?;
    let [set, status] = [property(connection, "set")?, property(connection, "status")?];
    judge_values(connection)?;
    let values = format!("SELECT VALUE FROM {VALUES} WHERE HASH_ID = ?1 AND PROPERTY_ID = ?2 LIMIT 1");
    let failed = in_table(VALUES, None);
    let mut values = connection.prepare(&values).map_err(&failed)?;
    let mut take = |hash: i64, property: Option<i64>, text: &mut Vec<u8>| -> Result<(), Error> {
        text.clear();
        let Some(property) = property else { return Ok(()) };
        let mut rows = values.query([hash, property]).map_err(&failed)?;
        if let Some(row) = rows.next().map_err(&failed)? {
            text.extend_from_slice(columns::bytes(row, 0));
        }
        Ok(())
    };
    let (mut digests, mut counts) = (Digests::new(), Counts::default());
    let (mut product, mut category) = (Vec::new(), Vec::new());
    each_row(connection, TABLE, &sql, |rowid, row| {
        if let Err(fault) = digests.read(row, 2, &digest_columns) {
            counts.refused += 1;
            return refused(RefusedRow { table: TABLE, rowid, fault }).map_err(Error::Stopped);
        }
        let hash = columns::integer(row, 1).unwrap_or(rowid);
        take(hash, set, &mut product)?;
        take(hash, status, &mut category)?;
        counts.rows += 1;
        counts.without_product += u64::from(product.is_empty());
        let row = Row {
            digests: digests.as_slice(),
            size: None,
            name: b"",
            package: None,
            product: &product,
            category: &category,
        };
        each(row).map_err(Error::Stopped)
    })?;
    Ok(counts)
}

/// Returns the number of a property.
fn property(connection: &Connection, name: &str) -> Result<Option<i64>, Error> {
    let sql = select(connection, PROPERTIES, &["PROPERTY_ID", "PROPERTY_NAME"], &["PROPERTY_ID", "PROPERTY_NAME"])?;
    let mut found = None;
    each_row(connection, PROPERTIES, &sql, |_, row| {
        if columns::bytes(row, 2).eq_ignore_ascii_case(name.as_bytes()) {
            found = columns::integer(row, 1);
        }
        Ok(())
    })?;
    Ok(found)
}

/// The values are looked up one by one, so there must be an index by digest, as IPED makes it.
fn judge_values(connection: &Connection) -> Result<(), Error> {
    let needed = ["HASH_ID", "PROPERTY_ID", "VALUE"];
    if stored_columns(connection, VALUES, &needed)?.len() < needed.len() {
        return Err(Error::Schema(format!("table {VALUES} lacks one of the columns {}", needed.join(", "))));
    }
    let has_index = has_index(connection, VALUES, "HASH_ID")?;
    if has_index { Ok(()) } else { Err(Error::Schema(format!("table {VALUES} has no index by HASH_ID"))) }
}
