//! The laboratory with runners that misbehave in every way that we could think of.
#![cfg(target_os = "linux")]
#![forbid(unsafe_code)]
#![expect(clippy::unwrap_used, reason = "the functions that tests share are tests too")]

mod faults;
mod fixture;
mod order;
mod saved;
/// One text for all crates: the laboratory imports none of them.
#[path = "../../../testing/src/skip.rs"]
mod skip;
