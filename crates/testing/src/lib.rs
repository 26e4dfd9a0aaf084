//! For tests only: a source whose calls fail, stall and shorten by script, trees with odd names, and (feature `fuse`) a
//! mounted filesystem that damages what it shows.
#![forbid(unsafe_code)]

mod conformance;
#[cfg(feature = "fuse")]
mod faulty;
mod gate;
mod network;
mod odd;
mod random;
mod scripted;
mod skip;

pub use conformance::{SourceUnderTest, source_conformance};
#[cfg(feature = "fuse")]
pub use faulty::{FaultPlan, FaultyMount, FaultyOptions, PlanError, Writing, rewritten};
pub use gate::Gate;
pub use odd::{OddFile, odd_names, odd_tree};
pub use random::Random;
pub use scripted::{Change, Fault, ScriptedFile, ScriptedSource};
pub use skip::{Need, skipped};
