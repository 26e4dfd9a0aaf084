//! For tests only: a source whose calls fail, stall and shorten by script, trees with odd names, and (feature `fuse`) a
//! mounted filesystem that damages what it shows.
#![forbid(unsafe_code)]

mod gate;
mod odd;
mod scripted;

pub use gate::Gate;
pub use odd::{OddFile, odd_names, odd_tree};
pub use scripted::{Change, Fault, ScriptedFile, ScriptedSource};
