//! mrsh_v2.
