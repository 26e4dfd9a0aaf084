//! What the fuzz targets share.

pub mod property;
pub mod similarity;
