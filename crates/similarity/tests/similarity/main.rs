//! Tests of all families against the vectors, against other programs, and of properties.

mod all_pairs;
mod any;
mod disk;
mod index;
mod inputs;
mod mrsh_v2;
mod pairs;
mod sdhash;
mod seeds;
/// One text for all crates: this one stands below `pfh-testing`.
#[path = "../../../testing/src/skip.rs"]
mod skip;
mod ssdeep;
mod tlsh;
mod vectors;
