//! The engine from outside: scripted sources in, records out, in every mode, with any number of threads and any memory.
//!
//! Every test runs under a [`common::watchdog`], so that a hang is a failure with a name.

#![expect(clippy::unwrap_used, reason = "a failure is the test's answer")]

mod cancel;
mod changes;
mod common;
mod decisions;
mod facts;
mod faults;
mod latency;
mod links;
mod memory;
mod observed;
mod order;
mod panics;
mod random;
mod readers;
mod same;
mod similarity;
