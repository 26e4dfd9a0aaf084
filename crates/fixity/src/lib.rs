//! Fixity: what was expected of files against what was found.
//!
//! This crate opens and hashes no files. It is told what lists expect ([`Reading`], or [`Expectations`] one by one) and
//! what a run found ([`Comparison`]), and says in which [`Class`] each file is, and why ([`Findings`]).
//!
//! Everything that grows with the number of files is sorted externally ([`ByteSort`](pfh_list::ByteSort)) or lies in
//! temporary files without names, but for one bit for each expected file. So memory is bounded, and the findings are
//! the same for every memory limit.
//!
//! Found files come in the order of a walk: names sorted by their bytes, and what a directory contains at the place of
//! its name. The same order is that of the sorted expectations, so each file meets its expectation on the way, and only
//! what has no partner waits until the end.
#![forbid(unsafe_code)]

mod choice;
mod class;
mod comparison;
mod expected;
mod file;
mod finding;
mod found;
mod hashdeep;
mod kind;
mod listed;
mod pairing;
mod path;
mod paths_below;
mod root;

pub use choice::{Choice, Ignored, NoShare, Sample};
pub use class::{Class, Counts};
pub use comparison::Comparison;
pub use expected::{Expectations, Expected, OneExpected};
pub use file::{Agreement, File, compare};
pub use finding::{Finding, Findings, Shift, Totals};
pub use found::{Found, Look, Presence, State};
pub use hashdeep::{HashdeepAudit, HashdeepResult};
pub use listed::{Listed, Reading, Useless, identity_of_list};
pub use path::{PATH_BYTES_MAX, PathError, below_root, composes_otherwise};
pub use paths_below::{OtherForms, PathsBelow};
pub use root::{Left, PathForms, Root};
