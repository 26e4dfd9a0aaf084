//! Measurement of hash and cipher implementations from outside.
//!
//! The laboratory links no hash implementation: a *runner* is another program, which speaks the protocol of
//! `docs/reference/runner-protocol.md`. An *experiment* says which tasks the runners get; what comes back is a list of
//! [`results::Entry`], from which statistics, claims and reports are made.
#![forbid(unsafe_code)]

pub mod results;
