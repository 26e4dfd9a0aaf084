//! Many messages at once on one core, each in a lane of the CPU's vectors.
//!
//! [`LaneManager`] hashes messages that come in chunks and end when they end. [`Backend`] says which instructions are
//! used. `docs/concepts/lanes.md` explains the design.

// Kernels are written with indices: iterators and closures would be functions of their own, compiled without the CPU
// features.
#![allow(clippy::needless_range_loop)]

mod backend;
mod blake3_batch;
mod definition;
#[allow(unsafe_code, reason = "kernels are compiled for CPU features; each block argues")]
mod kernel;
mod manager;
mod many;
mod plan;
mod schedule;
mod stream;
mod text;
mod track;
#[allow(unsafe_code, reason = "vector instructions; each block argues")]
mod vector;

pub use backend::{ChosenKernel, kernels_chosen, kernels_of};
pub use manager::{Detached, Event, LaneId, LaneManager};
pub use many::{BatchHasher, hash_many};
pub use pfh_vector::{BACKEND_VARIABLE, Backend, BackendError};
pub(crate) use stream::Md5;

/// Lanes of a manager, at most: sets of them are the bits of a word.
const LANES_MAX: usize = 64;
