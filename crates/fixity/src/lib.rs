//! Fixity: what was expected of files against what was found.
//!
//! This crate opens and hashes no files. It is told what a list expects and what a run found, and says in which
//! [`Class`] each file is.
#![forbid(unsafe_code)]

mod class;

pub use class::{Class, Counts};
