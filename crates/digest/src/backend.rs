//! The code paths between which the crates behind the registry choose, asked in the way in which each of them asks.

/// Returns the name that follows the first list of CPU features that are all there, or goes on.
/// `x86` is for crates that ask on both widths of that architecture.
macro_rules! first_detected {
    (@ x86 $features:tt $name:literal) => {
        #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
        first_detected!(@ all is_x86_feature_detected $features $name);
    };
    (@ x86_64 $features:tt $name:literal) => {
        #[cfg(target_arch = "x86_64")]
        first_detected!(@ all is_x86_feature_detected $features $name);
    };
    (@ aarch64 $features:tt $name:literal) => {
        #[cfg(target_arch = "aarch64")]
        first_detected!(@ all is_aarch64_feature_detected $features $name);
    };
    (@ all $detected:ident [$($feature:tt)+] $name:literal) => {
        if $(std::arch::$detected!($feature))&&+ {
            return $name;
        }
    };
    ($($family:ident $features:tt $name:literal;)+) => {
        $(first_detected!(@ $family $features $name);)+
    };
}

/// Plain Rust, the same everywhere.
pub(crate) fn portable() -> &'static str {
    "portable"
}

/// Crate `sha1`.
pub(crate) fn sha1() -> &'static str {
    first_detected! {
        x86 ["sha" "sse2" "ssse3" "sse4.1"] "sha-ni";
        aarch64 ["sha2"] "sha2";
    }
    portable()
}

/// Crate `sha2`, 32-bit words.
pub(crate) fn sha256() -> &'static str {
    first_detected! {
        x86 ["sha" "sse4.1"] "sha-ni";
        aarch64 ["sha2"] "sha2";
    }
    portable()
}

/// Crate `sha2`, 64-bit words.
pub(crate) fn sha512() -> &'static str {
    first_detected! {
        x86 ["avx2"] "avx2";
        aarch64 ["sha3"] "sha3";
    }
    portable()
}

/// Crate `keccak`.
pub(crate) fn keccak() -> &'static str {
    first_detected! {
        aarch64 ["sha3"] "sha3";
    }
    portable()
}

/// Crates `blake2b_simd` and `blake2s_simd`.
pub(crate) fn blake2() -> &'static str {
    first_detected! {
        x86 ["avx2"] "avx2";
        x86 ["sse4.1"] "sse4.1";
    }
    portable()
}

/// Crate `blake3`, which answers for itself.
pub(crate) fn blake3() -> &'static str {
    use ::blake3::platform::Platform;
    match Platform::detect() {
        Platform::Portable => portable(),
        #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
        Platform::SSE2 => "sse2",
        #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
        Platform::SSE41 => "sse4.1",
        #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
        Platform::AVX2 => "avx2",
        // AVX512 and NEON exist only where the crate's build script found an assembler for them.
        #[allow(unreachable_patterns)]
        widest => match widest.simd_degree() {
            16 => "avx512",
            _ => "neon",
        },
    }
}

/// Ours.
pub(crate) fn crc() -> &'static str {
    pfh_vector::crc::Kernels::new(pfh_vector::Backend::chosen()).name()
}

/// Crate `simd-adler32`.
pub(crate) fn adler32() -> &'static str {
    first_detected! {
        x86 ["avx2"] "avx2";
        x86 ["ssse3"] "ssse3";
        x86 ["sse2"] "sse2";
        aarch64 ["neon"] "neon";
    }
    portable()
}

/// Crate `twox-hash`, XXH3.
pub(crate) fn xxh3() -> &'static str {
    first_detected! {
        x86_64 ["avx2"] "avx2";
        x86_64 ["sse2"] "sse2";
        aarch64 ["neon"] "neon";
    }
    portable()
}
