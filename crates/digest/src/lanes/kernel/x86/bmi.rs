//! Plain words with the rotations and the and-not of BMI, where that gains something.

use super::{Compression, Kernel, kernels};
use crate::lanes::text::{Keccak, Md5, Sha256, Sha512};
use crate::lanes::vector::Pair;

kernels! {
    "bmi" #[target_feature(enable = "bmi1,bmi2")]
    Md5 {
        md5_x2: Md5, Pair<u32>;
        md5_x1: Md5, u32;
    }
    Sha256 {
        sha256_x1: Sha256, u32;
    }
    Sha512 {
        sha512_x1: Sha512, u64;
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
}
