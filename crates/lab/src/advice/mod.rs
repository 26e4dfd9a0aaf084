//! Advice on hashing a collection: what limits it, how long each algorithm takes, and which options to use.
//!
//! Everything here is arithmetic and words over [`Measured`], which another crate measures from outside: samples of the
//! collection are read in batches, and their times become a [`Cost`] for each file and each byte. [`Advice`] projects
//! these to a volume, [`words`] tells it, and [`Profile`] keeps the measurements and the options in a file.

mod choice;
mod cost;
mod judge;
mod measured;
mod profile;
mod projection;
mod span;
mod surveyor;
mod units;
pub mod words;

pub use choice::Choice;
pub use cost::Cost;
pub use judge::{Advice, Compared, Forecast, Limit, NotEnough, Plan, SIMULATED, Tried};
pub use measured::{Batch, Kind, Machine, Measured, ProcessorRun, Survey};
pub use profile::{Profile, ProfileError};
pub use projection::{
    GAIN, ROUNDS, candidate, is_worth_while, part_of_files, parts_of_usual, projected, rate, storage,
};
pub use surveyor::{Sampled, Surveyor};
