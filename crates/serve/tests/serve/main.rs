//! Servers as their clients see them.
#![cfg(target_os = "linux")]
#![forbid(unsafe_code)]
#![expect(clippy::unwrap_used, reason = "the functions that tests share are tests too")]

mod answers;
mod client;
mod described;
mod limits;
mod others;
