//! Kernels of x86-64.

pub(in crate::lanes) mod avx2;
pub(in crate::lanes) mod avx512;
pub(in crate::lanes) mod bmi;
pub(in crate::lanes) mod sha_ni;
pub(in crate::lanes) mod ssse3;
pub(in crate::lanes) mod stitched;

use super::{Compression, Kernel, Line, check, kernels};
