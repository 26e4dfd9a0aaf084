//! Kernels of x86-64.

use super::{Compression, Kernel, kernels};

/// AVX-512: pairs of vectors, and one vector for few lanes.
pub(in crate::lanes) mod avx512 {
    use super::*;
    use crate::lanes::text::{Md5, Sha1, Sha256, Sha512};
    use crate::lanes::vector::Pair;
    use crate::lanes::vector::avx512::{Avx512x32, Avx512x64};

    pub(in crate::lanes) fn of(compression: Compression) -> &'static [Kernel] {
        match compression {
            Compression::Md5 => const { &[MD5_X32] },
            Compression::Sha1 => const { &[SHA1_X32] },
            Compression::Sha256 => const { &[SHA256_X32] },
            Compression::Sha512 => const { &[SHA512_X16] },
        }
    }

    kernels! {
        "avx512"
        #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx2")]
        MD5_X32: Md5, Pair<Avx512x32>, 480;
        SHA1_X32: Sha1, Pair<Avx512x32>, 900;
        SHA256_X32: Sha256, Pair<Avx512x32>, 1800;
        SHA512_X16: Sha512, Pair<Avx512x64>, 2300;
    }
}

/// AVX2.
pub(in crate::lanes) mod avx2 {
    use super::*;
    use crate::lanes::text::{Md5, Sha1, Sha256, Sha512};
    use crate::lanes::vector::Pair;
    use crate::lanes::vector::avx2::{Avx2x32, Avx2x64};

    pub(in crate::lanes) fn of(compression: Compression) -> &'static [Kernel] {
        match compression {
            Compression::Md5 => const { &[MD5_X16] },
            Compression::Sha1 => const { &[SHA1_X16] },
            Compression::Sha256 => const { &[SHA256_X8] },
            Compression::Sha512 => const { &[SHA512_X4] },
        }
    }

    kernels! {
        "avx2"
        #[target_feature(enable = "avx2")]
        MD5_X16: Md5, Pair<Avx2x32>, 600;
        SHA1_X16: Sha1, Pair<Avx2x32>, 1000;
        SHA256_X8: Sha256, Avx2x32, 1000;
        SHA512_X4: Sha512, Avx2x64, 1400;
    }
}

/// Plain words with the rotations and and-not of BMI.
pub(in crate::lanes) mod bmi {
    use super::*;
    use crate::lanes::text::{Md5, Sha1, Sha256, Sha512};
    use crate::lanes::vector::Pair;

    pub(in crate::lanes) fn of(compression: Compression) -> &'static [Kernel] {
        match compression {
            Compression::Md5 => const { &[MD5_X4, MD5_X2, MD5_X1] },
            Compression::Sha1 => const { &[SHA1_X2, SHA1_X1] },
            Compression::Sha256 => const { &[SHA256_X1] },
            Compression::Sha512 => const { &[SHA512_X1] },
        }
    }

    kernels! {
        "bmi"
        #[target_feature(enable = "bmi1,bmi2")]
        MD5_X4: Md5, Pair<Pair<u32>>, 600;
        MD5_X2: Md5, Pair<u32>, 450;
        MD5_X1: Md5, u32, 400;
        SHA1_X2: Sha1, Pair<u32>, 600;
        SHA1_X1: Sha1, u32, 400;
        SHA256_X1: Sha256, u32, 700;
        SHA512_X1: Sha512, u64, 900;
    }
}
