//! JSON Lines (RFC 8259, one object per line): pfh's own format for programs. Described in
//! `docs/reference/json-lines.md`.

mod check;
mod journal;
mod part;
mod read;
mod report;
mod write;

pub use check::end_line;
pub use journal::{BrokenLines, Journal, JournalLine, LineContent};
pub use part::push_part;
pub(crate) use read::JsonlParser;
pub use read::bytes_of_texts;
pub(crate) use report::report;
pub(crate) use write::Jsonl;
pub use write::{push_bytes_field, push_string, texts};

/// Version of the layout, in the header. New fields do not change it; no field changes its meaning without a new
/// version.
const VERSION: u64 = 1;

/// The beginning of every file.
pub(crate) const START: &[u8] = b"{\"type\":\"header\",";
