//! The engine: reads the files of a source and computes their digests on many threads.
//!
//! [`run`] takes a [`Source`](pfh_source::Source) (what to read), [`Options`] (how) and a [`Sink`] (where the records
//! go), and returns a [`Report`] of counts and times. It plans, prefetches, schedules, counts and cancels.
//!
//! It knows no formats, no terminal and no paths of the system. It prints nothing and opens nothing itself.
//!
//! # How a run flows
//! One thread walks the source and numbers the files it finds. Workers take jobs from a bounded queue, read into slots
//! of the [memory table](Options::memory_bytes), hash, and pass records to a collector, which restores the order of the
//! walk. All waiting data are bounded: jobs and finished records by a share of the memory option (the walk pauses when
//! it is used up), bytes by the slots of the table, look-ahead by bytes and by open files.
//!
//! # Errors
//! An error belongs to a file: it becomes the outcome of that file's record, and the run goes on. A panic while a file
//! is hashed becomes an `internal` error of that file.
#![forbid(unsafe_code)]

mod adaptive;
mod admission;
mod alone;
mod batch_queue;
mod batched;
mod chain;
mod collect;
mod consumer;
mod context;
mod control;
mod digest_budget;
mod digesting;
mod in_flight;
mod individual;
mod job;
mod lane_file;
mod lanes;
mod latency_gauge;
mod limits;
mod links;
mod mtp;
mod opening;
mod options;
mod pace;
mod prefetcher;
mod queue;
mod readers;
mod reading;
mod run;
mod sink;
mod smt;
mod stats;
mod sync;
mod table;
mod threads;
mod tree;

pub use consumer::Consumer;
pub use control::{CancelToken, Counters};
pub use limits::StartError;
pub use options::{Mode, Options, Order};
pub use run::{check, run};
pub use sink::{Decide, Decision, FileOptions, Prepare, Sink};
pub use stats::{Report, Timers};
