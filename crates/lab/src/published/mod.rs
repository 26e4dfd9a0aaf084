//! The tables of the studies, as published: what the laboratory prints beside its own figures, and tests its statistics
//! on.
//!
//! The files lie under `lab/published/`; its README says where each figure comes from, and which rows a study swapped.

mod adhiwijna;
mod avpreserve;
mod breitinger;
mod gurjar;

pub use adhiwijna::{StringsRun, strings_medians_ms, strings_runs};
pub use avpreserve::{FixityRun, fixity_runs};
pub use breitinger::{TreeTime, tree_cell_seconds, tree_projection_seconds, tree_seconds, tree_times};
pub use gurjar::{
    HOUSEHOLD_BYTES, PublishedFit, PublishedProjection, PublishedTime, Refit, fits, project_seconds, projections,
    refit, times,
};

use serde::de::DeserializeOwned;

/// The rows of an embedded file. The files are part of the program and tested, so a row that does not parse is a
/// mistake of the developer that a test finds; a reader of a report gets the rows before it.
fn rows<T: DeserializeOwned>(text: &str) -> Vec<T> {
    csv::Reader::from_reader(text.as_bytes()).into_deserialize().map_while(Result::ok).collect()
}
