//! The forms of the md5deep family (md5deep, sha1deep, sha256deep, tigerdeep, whirlpooldeep).
//!
//! Source: the manual page md5deep(1); behaviour of md5deep 4.4.

mod read;
mod write;

pub(crate) use read::{Md5deepParser, take_size};
pub(crate) use write::Md5deep;

/// Largest size in the column; larger files have this one.
const SIZE_MAX: u64 = 9_999_999_999;

/// Width of the size column.
const SIZE_COLUMNS: usize = 10;
