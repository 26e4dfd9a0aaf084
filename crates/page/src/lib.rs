//! Reports as documents: sections of text, tables and plots, printed as one HTML file that needs nothing else, or as
//! Markdown.
//!
//! ```
//! use pfh_page::{Block, Cell, Document, Section, Signature, Table, Tone};
//!
//! let mut table = Table::new("Files by outcome", ["Outcome", "Files"]).sortable();
//! table.push([Cell::mark(Tone::Good, "read to the end"), Cell::quantity("1,204", 1204.0)]);
//! table.push([Cell::mark(Tone::Bad, "unreadable"), Cell::quantity("2", 2.0)]);
//! let document = Document::new("Hash report")
//!     .sentence("1,204 of 1,206 files have digests.")
//!     .fact("List", "evidence.jsonl")
//!     .section(Section::new("outcomes", "Outcomes").with(table))
//!     .section(Section::new("signatures", "Signatures").with(Block::Signatures(vec![Signature::new("Date")])));
//! assert!(document.html().contains("<caption>Files by outcome</caption>"));
//! assert!(document.markdown().contains("| 1,204 |"));
//! ```
//!
//! | module | has |
//! | --- | --- |
//! | [`document`](Document) | the parts of a document, independent of its printed form |
//! | [`drawing`](Drawing) | pictures, for wide screens and for phones |
//! | `html` | the document as HTML, for screens of any width, for paper, and for those who do not see it |
//! | `markdown` | the document as Markdown |
//! | [`theme`] | colours, in pairs for light and dark |
//! | [`tone`](Tone) | kinds of judgements, each of which has colours of its own |
//!
//! This crate knows nothing of what it prints: neither files, nor digests, nor measurements.
#![forbid(unsafe_code)]

mod document;
mod drawing;
mod html;
mod markdown;
pub mod theme;
mod tone;

pub use document::{Block, Cell, Document, ROWS_UNFOLDED_MAX, Section, Signature, Table};
pub use drawing::{Anchor, Drawing, FONT, Plot, Stroke, series_colour};
pub use tone::Tone;
