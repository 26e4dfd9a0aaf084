//! Measurement of hash and cipher implementations from outside.
//!
//! The laboratory links no hash implementation: a *runner* is another program, which speaks the protocol of
//! `docs/reference/runner-protocol.md`. An *experiment* says which tasks the runners get; what comes back is a list of
//! [`results::Entry`], from which statistics, claims and reports are made.
//!
//! [`catalogue`] finds runners and experiments, [`builder`] makes runners ready, [`session`] talks to one of them, over
//! a [`process`] that is not trusted, [`truth`] says which answers are right, and [`run`] does the whole. Whole
//! [`programs`] over files on a device are measured beside runners.
//!
//! [`measurements`] reads what was saved, [`claims`] judges it beside the [`published`] figures, and
//! [`report`] prints it.
//!
//! It deliberately does not know how a digest is computed, or how anything looks on a terminal.
#![forbid(unsafe_code)]

pub mod advice;
pub mod builder;
pub mod catalogue;
pub mod claims;
pub mod data;
mod embedded;
pub mod environment;
mod error;
pub mod experiment;
pub mod measurements;
mod mounts;
pub mod plan;
mod plausibility;
pub mod process;
pub mod programs;
pub mod protocol;
pub mod published;
mod quantity;
pub mod report;
pub mod results;
pub mod roster;
pub mod run;
pub mod runner;
pub mod session;
mod size;
pub mod store;
pub mod truth;

pub use error::Error;
pub use size::Size;
