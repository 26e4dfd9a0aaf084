//! AVX-512: pairs of vectors, and one vector for half as many lanes or where a pair has too few registers.

use super::{Compression, Cost, Kernel, Line, kernels};
use crate::lanes::text::{Blake2b, Blake2s, Blake3, Keccak, Md4, Md5, Ripemd160, Sha1, Sha256, Sha512, Sm3};
use crate::lanes::vector::Pair;
use crate::lanes::vector::avx512::{Avx512x32, Avx512x64};

kernels! {
    "avx512" #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx2")]
    Md4 {
        md4_x32: Md4, Pair<Avx512x32>, (125, 118), short md4_short_x32;
    }
    Md5 {
        md5_x32: Md5, Pair<Avx512x32>, (182, 182), short md5_short_x32;
        md5_x16: Md5, Avx512x32, (111, 213);
    }
    Sha1 {
        sha1_x32: Sha1, Pair<Avx512x32>, (325, 542);
        sha1_x16: Sha1, Avx512x32, (159, 348), short sha1_short_x16;
    }
    Sha256 {
        sha256_x32: Sha256, Pair<Avx512x32>, (650, 865);
        sha256_x16: Sha256, Avx512x32, (309, 516), short sha256_short_x16;
    }
    Sha512 {
        sha512_x16: Sha512, Pair<Avx512x64>, (794, 296);
        sha512_x8: Sha512, Avx512x64, (381, 190);
    }
    Ripemd160 {
        ripemd160_x32: Ripemd160, Pair<Avx512x32>, (444, 110);
        ripemd160_x16: Ripemd160, Avx512x32, (206, 94), short ripemd160_short_x16;
    }
    Sm3 {
        sm3_x16: Sm3, Avx512x32, (304, 400);
    }
    Keccak9 {
        keccak9_x8: Keccak<9>, Avx512x64, (399, 100);
    }
    Keccak13 {
        keccak13_x8: Keccak<13>, Avx512x64, (399, 100);
    }
    Keccak17 {
        keccak17_x8: Keccak<17>, Avx512x64, (418, 100);
    }
    Keccak18 {
        keccak18_x8: Keccak<18>, Avx512x64, (418, 100);
    }
    Blake2b {
        blake2b_x8: Blake2b, Avx512x64, (262, 400);
    }
    Blake2s {
        blake2s_x16: Blake2s, Avx512x32, (219, 300);
    }
    Blake3 {
        blake3_x16: Blake3, Avx512x32, (153, 210);
    }
}
