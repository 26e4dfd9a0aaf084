//! Parallel framework for hashing.
