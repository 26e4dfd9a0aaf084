//! sdhash.
