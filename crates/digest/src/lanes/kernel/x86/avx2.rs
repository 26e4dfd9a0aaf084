//! AVX2: pairs of vectors, and one vector for half as many lanes or where a pair has too few registers.

use super::{Compression, Kernel, kernels};
use crate::lanes::text::{Blake2b, Blake2s, Blake3, Keccak, Md4, Md5, Ripemd160, Sha1, Sha256, Sha512, Sm3};
use crate::lanes::vector::Pair;
use crate::lanes::vector::avx2::{Avx2x32, Avx2x64};

kernels! {
    "avx2" #[target_feature(enable = "avx2")]
    Md4 {
        md4_x16: Md4, Pair<Avx2x32>;
        md4_x8: Md4, Avx2x32;
    }
    Md5 {
        md5_x16: Md5, Pair<Avx2x32>;
        md5_x8: Md5, Avx2x32;
    }
    Sha1 {
        sha1_x16: Sha1, Pair<Avx2x32>;
        sha1_x8: Sha1, Avx2x32;
    }
    Sha256 {
        sha256_x8: Sha256, Avx2x32;
    }
    Sha512 {
        sha512_x4: Sha512, Avx2x64;
    }
    Ripemd160 {
        ripemd160_x16: Ripemd160, Pair<Avx2x32>;
        ripemd160_x8: Ripemd160, Avx2x32;
    }
    Sm3 {
        sm3_x8: Sm3, Avx2x32;
    }
    Keccak9 {
        keccak9_x4: Keccak<9>, Avx2x64;
    }
    Keccak13 {
        keccak13_x4: Keccak<13>, Avx2x64;
    }
    Keccak17 {
        keccak17_x4: Keccak<17>, Avx2x64;
    }
    Keccak18 {
        keccak18_x4: Keccak<18>, Avx2x64;
    }
    Blake2b {
        blake2b_x4: Blake2b, Avx2x64;
    }
    Blake2s {
        blake2s_x8: Blake2s, Avx2x32;
    }
    Blake3 {
        blake3_x8: Blake3, Avx2x32;
    }
}
