//! Code shared by the fuzz targets.

pub mod kernels;
pub mod property;
pub mod similarity;
