//! Tests of the formats from outside: what is written byte for byte, what comes back, what hostile input does.
#![expect(clippy::unwrap_used, reason = "the functions that tests share are tests too")]

mod detect;
mod dfxml;
mod encodings;
mod exact;
mod hostile;
mod journal;
#[cfg(unix)]
mod peers;
mod read;
mod round_trip;
mod samples;
mod schema;
mod seeds;
mod similarity;
/// One text for all crates: this one stands below `pfh-testing`.
#[path = "../../../testing/src/skip.rs"]
mod skip;
