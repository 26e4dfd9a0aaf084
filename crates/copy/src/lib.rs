//! Verified copies: what is to be copied, and the destinations, where a file gets its name after it was read back.
//!
//! A [`Survey`] takes what a walk finds, and gives it back as [`Items`]. A [`Destination`] has a directory `.pfh-copy`
//! in which files are staged under numbers. The caller writes them ([`StagedFile`]), makes them durable
//! ([`Destination::sync`]), reads them back, and only then gives them their names ([`Destination::publish`]), which
//! never replaces a file. A journal in the same directory says what is done, so that a copy can go on after an
//! interruption. This crate reads no contents and computes no digests.

#![forbid(unsafe_code)]

mod destination;
mod directories;
mod rename;
mod staged;
mod survey;

pub use destination::{Destination, Leader, OpenError, Place, STAGING, is_left_over};
pub use rename::rename_new;
pub use staged::{StagedFile, ends_destination};
pub use survey::{Item, Items, Kind, Survey, Totals};
