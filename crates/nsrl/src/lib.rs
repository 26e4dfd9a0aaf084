//! Databases of known files.
//!
//! [`Database`] reads the databases of NSRL's Reference Data Set (RDSv3, minimal and full), those of the Sleuth Kit
//! (`.kdb`) and of IPED, row by row. [`Delta`] reads the changes from one release of NSRL to the next, without a
//! database. [`verify_chain`] compares a downloaded archive with the check values that NSRL publishes.
//!
//! Databases are read as they are: no view, trigger or computed column of theirs is run, and nothing is written.
#![forbid(unsafe_code)]

mod archive;
mod chain;
mod columns;
mod database;
mod dbhash;
mod delta;
mod error;
mod full;
mod iped;
mod minimal;
mod release;
mod row;
mod sleuth_kit;
mod sql;
mod table;
mod texts;

pub use chain::{ChainOptions, Link, Verdict, verify_chain};
pub use database::{Database, Kind};
pub use delta::{Change, Delta, DeltaCounts, DeltaError, RefusedStatement};
pub use error::Error;
pub use release::Release;
pub use row::{Counts, Options, RefusedRow, Row};
