//! A row: everything that a database says about one file.

use std::fmt;

use pfh_digest::Digest;

/// A row: borrowed, and valid until the next one.
#[derive(Clone, Copy, Debug)]
pub struct Row<'a> {
    /// At least one, each of another algorithm.
    pub digests: &'a [Digest],
    /// In bytes; `None` if the row does not say.
    pub size: Option<u64>,
    /// Empty if the row has none; without a directory.
    pub name: &'a [u8],
    /// NSRL's number of the package.
    pub package: Option<i64>,
    /// Name and version of the package, or the comment of a Sleuth Kit database; empty if unknown.
    pub product: &'a [u8],
    /// The status that IPED gives; otherwise empty.
    pub category: &'a [u8],
}

/// How a database is read.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Most memory for names of products, in bytes: a package takes the length of its name and about 40 bytes.
    pub products_bytes_max: usize,
}

impl Default for Options {
    /// 256 MiB: millions of packages.
    fn default() -> Options {
        Options { products_bytes_max: 256 << 20 }
    }
}

/// The numbers of rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Rows that were given.
    pub rows: u64,
    /// Rows that were refused.
    pub refused: u64,
    /// Rows that were given without a product.
    pub without_product: u64,
}

/// A row that has no digests that can be used. `Display` says why.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RefusedRow {
    /// The table.
    pub table: &'static str,
    /// SQLite's number of the row.
    pub rowid: i64,
    pub(crate) fault: Fault,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// The column has something else.
    NotADigest(&'static str),
    NoDigest,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::NotADigest(column) => write!(f, "its {column} is not a digest"),
            Fault::NoDigest => f.write_str("it has no digest"),
        }
    }
}

impl fmt::Display for RefusedRow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "row {} of table {}: {}", self.rowid, self.table, self.fault)
    }
}
