//! TLSH.
