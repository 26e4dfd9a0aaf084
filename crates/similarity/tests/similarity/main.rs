//! Tests of all families against the vectors, against other programs, and of properties.

mod inputs;
mod ssdeep;
mod tlsh;
mod vectors;
