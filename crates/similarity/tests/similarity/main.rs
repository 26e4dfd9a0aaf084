//! Tests of all families against the vectors, against other programs, and of properties.

mod any;
mod disk;
mod index;
mod inputs;
mod mrsh_v2;
mod pairs;
mod sdhash;
mod seeds;
mod ssdeep;
mod tlsh;
mod vectors;
