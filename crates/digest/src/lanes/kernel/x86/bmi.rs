//! Plain words with the rotations and the and-not of BMI, where that gains something.

use super::{Compression, Cost, Kernel, kernels};
use crate::lanes::text::{Keccak, Sha256, Sha512};

kernels! {
    "bmi" #[target_feature(enable = "bmi1,bmi2")]
    Sha256 {
        sha256_x1: Sha256, u32, (193, 400);
    }
    Sha512 {
        sha512_x1: Sha512, u64, (241, 118);
    }
    Keccak9 {
        keccak9_x1: Keccak<9>, u64, (277, 100);
    }
    Keccak13 {
        keccak13_x1: Keccak<13>, u64, (277, 100);
    }
    Keccak17 {
        keccak17_x1: Keccak<17>, u64, (286, 100);
    }
    Keccak18 {
        keccak18_x1: Keccak<18>, u64, (286, 100);
    }
}
