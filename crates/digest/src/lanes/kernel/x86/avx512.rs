//! AVX-512: pairs of vectors, and one vector for half as many lanes or where a pair has too few registers.

use super::{Compression, Kernel, Line, kernels};
use crate::lanes::text::{Blake2b, Blake2s, Blake3, Keccak, Md4, Md5, Ripemd160, Sha1, Sha256, Sha512, Sm3};
use crate::lanes::vector::Pair;
use crate::lanes::vector::avx512::{Avx512x32, Avx512x64};
use crate::lanes::vector::avx512vl::{Avx512x32In128, Avx512x32In256};

kernels! {
    "avx512" #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx2")]
    Md4 {
        md4_x32: Md4, Pair<Avx512x32>, short md4_short_x32;
        md4_x16: Md4, Avx512x32;
        md4_x8: Md4, Avx512x32In256;
        md4_x4: Md4, Avx512x32In128;
    }
    Md5 {
        md5_x32: Md5, Pair<Avx512x32>, short md5_short_x32;
        md5_x16: Md5, Avx512x32;
        md5_x8: Md5, Avx512x32In256;
        md5_x4: Md5, Avx512x32In128;
    }
    Sha1 {
        sha1_x32: Sha1, Pair<Avx512x32>;
        sha1_x16: Sha1, Avx512x32, short sha1_short_x16;
    }
    Sha256 {
        sha256_x32: Sha256, Pair<Avx512x32>;
        sha256_x16: Sha256, Avx512x32, short sha256_short_x16;
    }
    Sha512 {
        sha512_x16: Sha512, Pair<Avx512x64>;
        sha512_x8: Sha512, Avx512x64;
    }
    Ripemd160 {
        ripemd160_x32: Ripemd160, Pair<Avx512x32>;
        ripemd160_x16: Ripemd160, Avx512x32, short ripemd160_short_x16;
        ripemd160_x8: Ripemd160, Avx512x32In256;
        ripemd160_x4: Ripemd160, Avx512x32In128;
    }
    Sm3 {
        sm3_x16: Sm3, Avx512x32;
    }
    Keccak9 {
        keccak9_x8: Keccak<9>, Avx512x64;
    }
    Keccak13 {
        keccak13_x8: Keccak<13>, Avx512x64;
    }
    Keccak17 {
        keccak17_x8: Keccak<17>, Avx512x64;
    }
    Keccak18 {
        keccak18_x8: Keccak<18>, Avx512x64;
    }
    Blake2b {
        blake2b_x8: Blake2b, Avx512x64;
    }
    Blake2s {
        blake2s_x16: Blake2s, Avx512x32;
    }
    Blake3 {
        blake3_x16: Blake3, Avx512x32;
    }
}
