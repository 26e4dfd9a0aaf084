//! Tests of all families against the vectors, against other programs, and of properties.

mod disk;
mod index;
mod inputs;
mod seeds;
mod ssdeep;
mod tlsh;
mod vectors;
