//! RDSv3 full and curated: FILE is a view there, which is not run; METADATA and its neighbours are read themselves.

use rusqlite::Connection;

use crate::columns::{self, Digests, push_from_base64};
use crate::error::{Error, in_table};
use crate::minimal::digest_columns;
use crate::row::{Counts, Options, RefusedRow, Row};
use crate::table::{Each, Refused, each_row, has_index, is_table, select, stored_columns};
use crate::texts::Texts;

pub(crate) const TABLE: &str = "METADATA";
const PACKAGES: &str = "PACKAGE_OBJECT";
const APPLICATION: &str = "APPLICATION";

/// Gives a row for each package that has a file, and one without a product for a file that no package has. Where
/// PACKAGE_OBJECT has no index by object, every file has one row and no product.
pub(crate) fn each(
    connection: &Connection,
    options: &Options,
    each: Each<'_>,
    refused: Refused<'_>,
) -> Result<Counts, Error> {
    let products = products(connection, options)?;
    let is_indexed = is_table(connection, PACKAGES)?
        && stored_columns(connection, PACKAGES, &["package_id", "object_id"])?.len() == 2
        && has_index(connection, PACKAGES, "object_id")?;
    let mut packages = if is_indexed {
        let sql = format!("SELECT package_id FROM {PACKAGES} WHERE object_id = ?1 ORDER BY rowid");
        Some(connection.prepare(&sql).map_err(in_table(PACKAGES, None))?)
    } else {
        None
    };
    let wanted =
        ["sha256", "sha1", "md5", "bytes", "object_id", "file_name", "file_name_b64", "extension", "extension_b64"];
    let sql = select(connection, TABLE, &["sha256", "sha1", "md5", "file_name"], &wanted)?;
    let (digest_columns, mut digests, mut counts) = (digest_columns(), Digests::new(), Counts::default());
    let mut name = Vec::new();
    each_row(connection, TABLE, &sql, |rowid, row| {
        if let Err(fault) = digests.read(row, 1, &digest_columns) {
            counts.refused += 1;
            return refused(RefusedRow { table: TABLE, rowid, fault }).map_err(Error::Stopped);
        }
        name.clear();
        push_text(row, 6, &mut name);
        let without_extension = name.len();
        name.push(b'.');
        push_text(row, 8, &mut name);
        if name.len() == without_extension + 1 {
            name.pop();
        }
        let row_of = |package, product| {
            let size = columns::size(row, 4);
            Row { digests: digests.as_slice(), size, name: &name, package, product, category: b"" }
        };
        let mut given = 0;
        if let (Some(packages), Some(object)) = (&mut packages, columns::integer(row, 5)) {
            let failed = in_table(PACKAGES, None);
            let mut rows = packages.query([object]).map_err(&failed)?;
            while let Some(row) = rows.next().map_err(&failed)? {
                let package = columns::integer(row, 0);
                let product = products.get(package);
                given += 1;
                counts.without_product += u64::from(product.is_empty());
                each(row_of(package, product)).map_err(Error::Stopped)?;
            }
        }
        if given == 0 {
            given = 1;
            counts.without_product += 1;
            each(row_of(None, b"")).map_err(Error::Stopped)?;
        }
        counts.rows += given;
        Ok(())
    })?;
    Ok(counts)
}

/// Appends a text, or where it is empty what the column after it has in base64.
fn push_text(row: &rusqlite::Row<'_>, index: usize, out: &mut Vec<u8>) {
    let text = columns::bytes(row, index);
    out.extend_from_slice(text);
    if text.is_empty() {
        push_from_base64(columns::bytes(row, index + 1), out);
    }
}

fn products(connection: &Connection, options: &Options) -> Result<Texts, Error> {
    let mut products = Texts::new(options.products_bytes_max);
    if is_table(connection, APPLICATION)? {
        let wanted = ["package_id", "name", "name_b64", "version"];
        let sql = select(connection, APPLICATION, &["package_id", "name"], &wanted)?;
        let mut name = Vec::new();
        each_row(connection, APPLICATION, &sql, |_, row| {
            let Some(package) = columns::integer(row, 1) else { return Ok(()) };
            name.clear();
            push_text(row, 2, &mut name);
            let is_added = products.add(package, &[&name, columns::bytes(row, 4)]);
            if is_added { Ok(()) } else { Err(Error::Products(options.products_bytes_max)) }
        })?;
    }
    Ok(products)
}
