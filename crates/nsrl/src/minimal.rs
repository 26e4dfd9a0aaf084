//! RDSv3 minimal: everything about a file in one row of FILE.

use rusqlite::Connection;

use crate::columns::{self, DigestColumn, Digests, algorithm};
use crate::error::Error;
use crate::row::{Counts, Options, RefusedRow, Row};
use crate::table::{Each, Refused, each_row, is_table, select};
use crate::texts::Texts;

pub(crate) const TABLE: &str = "FILE";

/// The columns with digests of NSRL's tables.
pub(crate) fn digest_columns() -> [DigestColumn; 3] {
    ["sha256", "sha1", "md5"].map(|name| DigestColumn { name, algorithm: algorithm(name) })
}

pub(crate) fn each(
    connection: &Connection,
    options: &Options,
    each: Each<'_>,
    refused: Refused<'_>,
) -> Result<Counts, Error> {
    let products = products(connection, options)?;
    let wanted = ["sha256", "sha1", "md5", "file_size", "package_id", "file_name"];
    let sql = select(connection, TABLE, &["sha256", "sha1", "md5", "file_name"], &wanted)?;
    let (digest_columns, mut digests, mut counts) = (digest_columns(), Digests::new(), Counts::default());
    each_row(connection, TABLE, &sql, |rowid, row| {
        if let Err(fault) = digests.read(row, 1, &digest_columns) {
            counts.refused += 1;
            return refused(RefusedRow { table: TABLE, rowid, fault }).map_err(Error::Stopped);
        }
        let package = columns::integer(row, 5);
        let product = products.get(package);
        counts.rows += 1;
        counts.without_product += u64::from(product.is_empty());
        let (size, name) = (columns::size(row, 4), columns::bytes(row, 6));
        each(Row { digests: digests.as_slice(), size, name, package, product, category: b"" }).map_err(Error::Stopped)
    })?;
    Ok(counts)
}

/// Returns the names of the packages. A package has a row for each of its languages and systems, with one name.
fn products(connection: &Connection, options: &Options) -> Result<Texts, Error> {
    const TABLE: &str = "PKG";
    let mut products = Texts::new(options.products_bytes_max);
    if is_table(connection, TABLE)? {
        let sql = select(connection, TABLE, &["package_id", "name"], &["package_id", "name", "version"])?;
        each_row(connection, TABLE, &sql, |_, row| {
            let Some(package) = columns::integer(row, 1) else { return Ok(()) };
            let parts = [columns::bytes(row, 2), columns::bytes(row, 3)];
            if products.add(package, &parts) { Ok(()) } else { Err(Error::Products(options.products_bytes_max)) }
        })?;
    }
    Ok(products)
}
