//! What the fuzz targets share.

pub mod kernels;
pub mod property;
pub mod similarity;
