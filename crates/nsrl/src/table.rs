//! Tables that are read row by row, without anything of the database's running.

use std::io;

use rusqlite::Connection;

use crate::columns;
use crate::error::{Error, in_table};
use crate::row::{RefusedRow, Row};

/// The function that is given the rows.
pub(crate) type Each<'e> = &'e mut dyn FnMut(Row<'_>) -> io::Result<()>;

/// The function that is given the rows without digests that can be used.
pub(crate) type Refused<'e> = &'e mut dyn FnMut(RefusedRow) -> io::Result<()>;

/// A kind of table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Table {
    /// A table with rowids.
    Ordinary,
    /// A view, a virtual table, or a table without rowids.
    Other,
}

/// Returns the kind of the table of this name.
pub(crate) fn kind_of_table(connection: &Connection, name: &str) -> Result<Option<Table>, Error> {
    let sql =
        "SELECT type = 'table' AND wr = 0 FROM pragma_table_list WHERE schema = 'main' AND name = ?1 COLLATE nocase";
    let mut statement = connection.prepare(sql).map_err(in_table("sqlite_schema", None))?;
    let mut rows = statement.query([name]).map_err(in_table("sqlite_schema", None))?;
    let row = rows.next().map_err(in_table("sqlite_schema", None))?;
    Ok(row.map(|row| if columns::integer(row, 0) == Some(1) { Table::Ordinary } else { Table::Other }))
}

/// Whether there is an ordinary table of this name.
pub(crate) fn is_table(connection: &Connection, name: &str) -> Result<bool, Error> {
    Ok(kind_of_table(connection, name)? == Some(Table::Ordinary))
}

/// Whether a table has an index whose first column is this one, so that looking up does not read the whole table.
pub(crate) fn has_index(connection: &Connection, table: &'static str, column: &'static str) -> Result<bool, Error> {
    let sql = "SELECT 1 FROM pragma_index_list(?1) AS list, pragma_index_info(list.name) AS info \
        WHERE list.partial = 0 AND info.seqno = 0 AND info.name = ?2 COLLATE nocase";
    let mut statement = connection.prepare(sql).map_err(in_table(table, None))?;
    statement.exists([table, column]).map_err(in_table(table, None))
}

/// Returns those of `wanted` that are stored columns of a table, in their order.
///
/// # Errors
/// [`Error::Schema`] if one of them is computed: that could take forever.
pub(crate) fn stored_columns(
    connection: &Connection,
    table: &'static str,
    wanted: &[&'static str],
) -> Result<Vec<&'static str>, Error> {
    let failed = in_table(table, None);
    let mut found = Vec::new();
    for &column in wanted {
        let sql = "SELECT hidden FROM pragma_table_xinfo(?1) WHERE name = ?2 COLLATE nocase";
        let mut statement = connection.prepare(sql).map_err(&failed)?;
        let mut rows = statement.query([table, column]).map_err(&failed)?;
        if let Some(row) = rows.next().map_err(&failed)? {
            if columns::integer(row, 0) != Some(0) {
                return Err(Error::Schema(format!("column {column} of table {table} is computed")));
            }
            found.push(column);
        }
    }
    Ok(found)
}

/// Returns the statement that reads the columns of a table after the rowid, in the order of the file. Columns that the
/// table lacks are NULL, but for those `needed`.
///
/// # Errors
/// [`Error::Schema`] if a needed column is missing, or one is computed.
pub(crate) fn select(
    connection: &Connection,
    table: &'static str,
    needed: &[&'static str],
    wanted: &[&'static str],
) -> Result<String, Error> {
    let stored = stored_columns(connection, table, wanted)?;
    if let Some(missing) = needed.iter().find(|column| !stored.contains(column)) {
        return Err(Error::Schema(format!("table {table} has no column {missing}")));
    }
    let mut sql = "SELECT rowid".to_owned();
    for column in wanted {
        sql.push_str(", ");
        sql.push_str(if stored.contains(column) { column } else { "NULL" });
    }
    Ok(format!("{sql} FROM {table} NOT INDEXED"))
}

/// Calls `each` with every row of a statement whose first column is the rowid.
///
/// # Errors
/// [`Error`]: among others if the rows are not in the order of their numbers, for then the table may have no end.
pub(crate) fn each_row(
    connection: &Connection,
    table: &'static str,
    sql: &str,
    mut each: impl FnMut(i64, &rusqlite::Row<'_>) -> Result<(), Error>,
) -> Result<(), Error> {
    let mut statement = connection.prepare(sql).map_err(in_table(table, None))?;
    let mut rows = statement.query([]).map_err(in_table(table, None))?;
    let mut last = None;
    while let Some(row) = rows.next().map_err(|error| in_table(table, last)(error))? {
        let rowid = columns::integer(row, 0);
        let Some(rowid) = rowid.filter(|&rowid| last.is_none_or(|last| rowid > last)) else {
            let reason = "its rows are out of order".to_owned();
            return Err(Error::Damaged { table: table.to_owned(), after_row: last, reason });
        };
        last = Some(rowid);
        each(rowid, row)?;
    }
    Ok(())
}
