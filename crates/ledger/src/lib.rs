//! Fixity over time: a ledger of what was expected of files and what was found.
//!
//! A [`Ledger`] is an SQLite database. Everything that happened is an [`Event`], which is never changed: when it was,
//! what was expected, what was seen. Each event has a hash over itself and the event before it ([`chain`]), so that a
//! change or a loss inside the ledger shows ([`Ledger::verify`]). The state of each file follows from its events.
//!
//! This crate opens and hashes no files. A [`Run`] is told what a walk found, says which files are to be read and in
//! which order, takes the results, and decides what became of each file ([`Finding`]).
#![forbid(unsafe_code)]

pub mod chain;
mod changes;
mod database;
mod error;
mod event;
mod finding;
mod ledger;
mod plan;
mod queries;
mod relocation;
mod run;
mod schema;
mod settings;
mod state;
mod survey;
mod surveyed;
pub mod timestamp;
mod verify;

pub use error::{Error, Undecided};
pub use event::{Digests, Event, Seen, Subject};
pub use finding::{Counts, Finding};
pub use ledger::{Ledger, Lock};
pub use plan::{Plan, Task, Tasks};
pub use queries::{FileInfo, Head, RunInfo, Standing};
pub use relocation::Relocation;
pub use run::{Observation, Run, RunEnd, Stopped};
pub use schema::{APPLICATION_ID, SCHEMA, VERSION};
pub use settings::{RunOptions, Settings};
pub use state::{FileState, Status};
pub use survey::Survey;
pub use surveyed::Surveyed;
pub use verify::{Problem, Verified};
