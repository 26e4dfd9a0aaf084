//! Source to memory table to workers to records.
#![deny(unsafe_code)]
