//! Tables of others: lists of known files whose first line is one of a few, and tables whose columns the user names.
//!
//! The first lines are those that md5deep 4.4 recognises, and that of ICSE.

mod columns;
mod known;
mod likely;
mod read;

pub use crate::csv::COLUMNS_MAX;
pub use columns::{Columns, ColumnsError};
pub(crate) use known::known_list;
pub(crate) use likely::likely_columns;
pub(crate) use read::TableParser;

use pfh_digest::Algorithm;

/// The contents of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    /// Digests of an algorithm; `None` if it follows from their length.
    Digest(Option<Algorithm>),
    Name,
    /// The size in bytes.
    Size,
    Product,
    Category,
    Other,
}

impl Role {
    /// Returns the role of this name.
    fn of(name: &str) -> Option<Role> {
        Some(match name {
            "digest" => Role::Digest(None),
            "name" => Role::Name,
            "size" => Role::Size,
            "product" => Role::Product,
            "category" => Role::Category,
            _ => Role::Digest(Some(Algorithm::from_name(name).ok()?)),
        })
    }
}
