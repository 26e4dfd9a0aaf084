//! Code shared by the fuzz targets.

pub mod bag;
pub mod fixity;
pub mod kernels;
pub mod known;
pub mod ledger;
pub mod list;
pub mod nsrl;
pub mod plan;
pub mod property;
pub mod serve;
pub mod similarity;
