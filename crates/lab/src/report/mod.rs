//! Reports of one experiment, or of two beside each other: [`Report`].
//!
//! A report is a [`Document`] of headings, paragraphs, plots and tables, which `pfh-page` prints as HTML or as
//! Markdown; and the figures alone, as CSV or as JSON Lines.

mod compare;
mod definition;
mod export;
mod format;
pub mod frash;
mod plots;
mod sections;

pub use compare::compare;
pub use export::ExportError;
pub use pfh_page::Document;

use crate::claims::{self, Finding};
use crate::measurements::Measurements;
use crate::published::HOUSEHOLD_BYTES;
use definition::Definition;

/// Options of a report.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Options {
    /// Volume in bytes to which times are projected.
    pub volume_bytes: u64,
    /// Number of keys whose exhaustion is projected.
    pub key_space: f64,
}

impl Default for Options {
    /// The 722 GB of the study's household, and all passwords of eight printable characters.
    fn default() -> Self {
        Options { volume_bytes: HOUSEHOLD_BYTES, key_space: 95_f64.powi(8) }
    }
}

/// The report of one experiment.
#[derive(Debug)]
pub struct Report<'a> {
    measurements: &'a Measurements,
    definition: Definition,
    findings: Vec<Finding>,
    options: Options,
}

impl<'a> Report<'a> {
    /// Judges the claims; the rest is done by what prints.
    #[must_use]
    pub fn new(measurements: &'a Measurements, options: Options) -> Report<'a> {
        let definition = Definition::of(&measurements.header);
        Report { measurements, definition, findings: claims::evaluate(measurements), options }
    }

    /// The findings on the claims.
    #[must_use]
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }

    /// Everything, to be printed as HTML or Markdown.
    #[must_use]
    pub fn document(&self) -> Document {
        sections::document(self)
    }

    /// A row for each cell: summary of its repeats.
    ///
    /// # Errors
    /// [`ExportError`] if `writer` fails.
    pub fn write_csv(&self, writer: impl std::io::Write) -> Result<(), ExportError> {
        export::csv(self, writer)
    }

    /// An object for each cell, fit and finding.
    ///
    /// # Errors
    /// [`ExportError`] if `writer` fails.
    pub fn write_json_lines(&self, writer: impl std::io::Write) -> Result<(), ExportError> {
        export::json_lines(self, writer)
    }
}
