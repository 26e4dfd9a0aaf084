//! Plain words: one stream, and two or four interleaved where the registers suffice.

use super::{Compression, Kernel, kernels};
use crate::lanes::text::{Md5, Sha1, Sha256, Sha512};
use crate::lanes::vector::Pair;

/// The kernels of a compression function.
pub(in crate::lanes) fn of(compression: Compression) -> &'static [Kernel] {
    match compression {
        Compression::Md5 => const { &[MD5_X4, MD5_X2, MD5_X1] },
        Compression::Sha1 => const { &[SHA1_X2, SHA1_X1] },
        Compression::Sha256 => const { &[SHA256_X1] },
        Compression::Sha512 => const { &[SHA512_X1] },
    }
}

kernels! {
    "portable"
    MD5_X4: Md5, Pair<Pair<u32>>, 600;
    MD5_X2: Md5, Pair<u32>, 450;
    MD5_X1: Md5, u32, 400;
    SHA1_X2: Sha1, Pair<u32>, 600;
    SHA1_X1: Sha1, u32, 400;
    SHA256_X1: Sha256, u32, 700;
    SHA512_X1: Sha512, u64, 900;
}
