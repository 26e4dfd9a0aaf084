//! Kernels of AArch64: NEON.

use super::{Compression, Kernel, kernels};
use crate::lanes::text::{Blake2s, Blake3, Md4, Md5, Ripemd160, Sha1, Sha256, Sm3};
use crate::lanes::vector::Pair;
use crate::lanes::vector::neon::Neonx32;

kernels! {
    "neon" #[target_feature(enable = "neon")]
    Md4 {
        md4_x8: Md4, Pair<Neonx32>;
    }
    Md5 {
        md5_x8: Md5, Pair<Neonx32>;
    }
    Sha1 {
        sha1_x4: Sha1, Neonx32;
    }
    Sha256 {
        sha256_x4: Sha256, Neonx32;
    }
    Ripemd160 {
        ripemd160_x4: Ripemd160, Neonx32;
    }
    Sm3 {
        sm3_x4: Sm3, Neonx32;
    }
    Blake2s {
        blake2s_x4: Blake2s, Neonx32;
    }
    Blake3 {
        blake3_x4: Blake3, Neonx32;
    }
}
