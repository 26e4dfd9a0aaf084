//! The value that SQLite's program `dbhash` computes, as its documentation describes it.

use std::io;

use pfh_digest::{Digest, Hasher};
use rusqlite::Connection;
use rusqlite::types::ValueRef;

use crate::columns::{algorithm, bytes};
use crate::error::{Error, in_table};

const SCHEMA: &str = "sqlite_schema";

/// Rows between two calls of `progress`.
const ROWS: u64 = 1 << 14;

pub(crate) fn digest(
    connection: &Connection,
    file_bytes: u64,
    progress: &mut dyn FnMut(u64) -> io::Result<()>,
) -> Result<Digest, Error> {
    let mut hasher = algorithm("sha1").hasher();
    let names = "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%' \
        AND name NOT LIKE 'sqlite_%' ORDER BY name COLLATE nocase";
    let mut statement = connection.prepare(names).map_err(in_table(SCHEMA, None))?;
    let mut rows = statement.query([]).map_err(in_table(SCHEMA, None))?;
    while let Some(row) = rows.next().map_err(in_table(SCHEMA, None))? {
        let name = String::from_utf8_lossy(bytes(row, 0)).into_owned();
        // The order is the one in which SQLite finds the rows, as in the program.
        let sql = format!("SELECT * FROM \"{}\"", name.replace('"', "\"\""));
        query(connection, &name, &sql, file_bytes, &mut hasher, progress)?;
    }
    let sql =
        "SELECT type, name, tbl_name, sql FROM sqlite_schema WHERE tbl_name LIKE '%' ORDER BY name COLLATE nocase";
    query(connection, SCHEMA, sql, file_bytes, &mut hasher, progress)?;
    Ok(hasher.finish())
}

fn query(
    connection: &Connection,
    table: &str,
    sql: &str,
    file_bytes: u64,
    hasher: &mut Hasher,
    progress: &mut dyn FnMut(u64) -> io::Result<()>,
) -> Result<(), Error> {
    let failed = in_table(table, None);
    let mut statement = connection.prepare(sql).map_err(&failed)?;
    let columns = statement.column_count();
    let mut rows = statement.query([]).map_err(&failed)?;
    // The values of a row, so that the hasher is called once for each row.
    let mut values = Vec::new();
    let mut count = 0;
    while let Some(row) = rows.next().map_err(&failed)? {
        values.clear();
        for index in 0..columns {
            match row.get_ref(index).map_err(&failed)? {
                ValueRef::Null => values.push(b'0'),
                ValueRef::Integer(value) => push(b'1', &value.to_be_bytes(), &mut values),
                ValueRef::Real(value) => push(b'2', &value.to_bits().to_be_bytes(), &mut values),
                ValueRef::Text(value) => push(b'3', value, &mut values),
                ValueRef::Blob(value) => push(b'4', value, &mut values),
            }
        }
        hasher.update(&values);
        count += 1;
        if count % ROWS == 0 {
            progress(ROWS).map_err(Error::Stopped)?;
        }
        // A row takes two bytes at least: where there are more, pages point back to each other.
        if count > file_bytes / 2 {
            let reason = "it has more rows than fit the file".to_owned();
            return Err(Error::Damaged { table: table.to_owned(), after_row: None, reason });
        }
    }
    progress(count % ROWS).map_err(Error::Stopped)
}

fn push(kind: u8, value: &[u8], values: &mut Vec<u8>) {
    values.push(kind);
    values.extend_from_slice(value);
}
