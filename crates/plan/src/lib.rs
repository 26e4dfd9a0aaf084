//! Hashing on many machines: a listing cut into shards, and their results joined.
//!
//! A [`Planner`] takes what a walk finds, and makes a [`Plan`] of it: a folder with `plan.json` and one list for each
//! shard, which are contiguous ranges of the order of the walk. Whoever hashes a shard reads its list
//! ([`Plan::list`]) and puts the result beside it, under the name [`Plan::result_path`], whole and at once.
//! [`Plan::join`] gives the records of all results, in the order of the walk. So nothing has to be sorted, and nothing
//! is in memory but one record. Long files may be listed in parts ([`Planner::splitting`]), whose values are joined.
//!
//! This crate opens no file of the listing and hashes no contents. The folder is described in
//! `docs/reference/plan-format.md`.
//!
//! ```
//! use std::sync::atomic::AtomicBool;
//!
//! use pfh_plan::{Cut, Plan, PlanOptions, Planner};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let scratch = tempfile::tempdir()?;
//! # let folder = scratch.path().join("plan");
//! let mut planner = Planner::create(&folder, 64 << 10)?;
//! planner.file(b"tree/a", 5_000_000, false)?;
//! planner.file(b"tree/b", 5_000_000, false)?;
//! let options = PlanOptions::new("sha256".parse()?, b"/data".to_vec());
//! planner.finish(options, Cut::Shards(2), &AtomicBool::new(false))?;
//!
//! let plan = Plan::open(&folder)?;
//! assert_eq!(plan.shards().len(), 2);
//! assert_eq!(plan.list(1)?.next()?.unwrap().path(), b"tree/b");
//! # Ok(())
//! # }
//! ```
#![forbid(unsafe_code)]

mod cut;
mod error;
mod list;
mod plan;
mod planner;
mod result;
mod split;

pub use cut::{Cut, Cutter, SHARDS_MAX, part_bytes, weight};
pub use error::PlanError;
pub use list::{ListEntry, Shard, ShardList};
pub use plan::{LongestFile, Plan, PlanOptions, PlanTotals, TreePlace, Variants, cannot_be_joined};
pub use planner::Planner;
pub use result::{Joined, ResultState};
