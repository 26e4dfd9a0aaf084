//! Plain words: one stream, and two or four interleaved where the registers suffice.

use super::{Compression, Kernel, kernels};
use crate::lanes::text::{Blake2b, Blake2s, Blake3, Keccak, Md4, Md5, Ripemd160, Sha1, Sha256, Sha512, Sm3};
use crate::lanes::vector::Pair;

kernels! {
    "portable" #[inline(never)]
    Md4 {
        md4_x4: Md4, Pair<Pair<u32>>;
        md4_x2: Md4, Pair<u32>;
        md4_x1: Md4, u32;
    }
    Md5 {
        md5_x4: Md5, Pair<Pair<u32>>;
        md5_x2: Md5, Pair<u32>;
        md5_x1: Md5, u32;
    }
    Sha1 {
        sha1_x1: Sha1, u32;
    }
    Sha256 {
        sha256_x1: Sha256, u32;
    }
    Sha512 {
        sha512_x1: Sha512, u64;
    }
    Ripemd160 {
        ripemd160_x2: Ripemd160, Pair<u32>;
        ripemd160_x1: Ripemd160, u32;
    }
    Sm3 {
        sm3_x1: Sm3, u32;
    }
    Keccak9 {
        keccak9_x1: Keccak<9>, u64;
    }
    Keccak13 {
        keccak13_x1: Keccak<13>, u64;
    }
    Keccak17 {
        keccak17_x1: Keccak<17>, u64;
    }
    Keccak18 {
        keccak18_x1: Keccak<18>, u64;
    }
    Blake2b {
        blake2b_x1: Blake2b, u64;
    }
    Blake2s {
        blake2s_x1: Blake2s, u32;
    }
    Blake3 {
        blake3_x1: Blake3, u32;
    }
}
