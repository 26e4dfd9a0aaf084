//! Tests of all families against the vectors, against other programs, and of properties.

mod inputs;
mod mrsh_v2;
mod pairs;
mod sdhash;
mod vectors;
