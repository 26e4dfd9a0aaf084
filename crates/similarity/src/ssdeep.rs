//! ssdeep: context-triggered piecewise hashing.
