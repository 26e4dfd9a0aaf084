//! Tests of the formats from outside: the written bytes, reading them back, and hostile input.
#![expect(clippy::unwrap_used, reason = "the functions that tests share are tests too")]

mod detect;
mod dfxml;
mod encodings;
mod exact;
mod hostile;
mod journal;
mod known;
#[cfg(unix)]
mod peers;
mod read;
mod round_trip;
mod samples;
mod schema;
mod seeds;
mod similarity;
/// Included from `pfh-testing`, which this crate cannot import because it is below it.
#[path = "../../../testing/src/skip.rs"]
mod skip;
