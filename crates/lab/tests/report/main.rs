//! From results to reports: statistics on published data, claims on results of known truth, damaged files, and the
//! reports.

mod browser;
/// One text for all crates: the laboratory imports none of them.
#[path = "../../../testing/src/chromium.rs"]
mod chromium;
mod claims;
mod comparison;
mod frash;
mod hostile;
/// One text for all crates: the laboratory imports none of them.
#[path = "../../../testing/src/looked_at.rs"]
mod looked_at;
/// One text for all crates: the laboratory imports none of them.
#[path = "../../../testing/src/on_paper.rs"]
mod on_paper;
mod pages;
mod programs;
mod published;
mod recorded;
/// One text for all crates: the laboratory imports none of them.
#[path = "../../../testing/src/skip.rs"]
mod skip;
mod studies;
mod synthetic;
