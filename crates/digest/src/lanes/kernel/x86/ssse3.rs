//! SSSE3, for CPUs without AVX2.

use super::{Compression, Kernel, kernels};
use crate::lanes::text::{Blake2s, Blake3, Md4, Md5, Ripemd160, Sha1, Sha256, Sm3};
use crate::lanes::vector::Pair;
use crate::lanes::vector::ssse3::Ssse3x32;

kernels! {
    "ssse3" #[target_feature(enable = "ssse3")]
    Md4 {
        md4_x8: Md4, Pair<Ssse3x32>;
    }
    Md5 {
        md5_x8: Md5, Pair<Ssse3x32>;
    }
    Sha1 {
        sha1_x4: Sha1, Ssse3x32;
    }
    Sha256 {
        sha256_x4: Sha256, Ssse3x32;
    }
    Ripemd160 {
        ripemd160_x4: Ripemd160, Ssse3x32;
    }
    Sm3 {
        sm3_x4: Sm3, Ssse3x32;
    }
    Blake2s {
        blake2s_x4: Blake2s, Ssse3x32;
    }
    Blake3 {
        blake3_x4: Blake3, Ssse3x32;
    }
}
