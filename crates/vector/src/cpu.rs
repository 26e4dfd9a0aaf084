//! The features of the CPU, which are detected once, here and nowhere else.

use std::fmt;
use std::sync::{LazyLock, OnceLock};

/// Defines the features of an architecture, with the macro of the standard library that asks for them.
macro_rules! features {
    ($arch:literal $detected:ident $($feature:ident = $name:tt),+) => {
        /// A feature of this architecture's CPUs on which a kernel depends. Manuals name it in capitals.
        #[cfg(target_arch = $arch)]
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[allow(missing_docs, reason = "the manuals say what each one is")]
        pub enum Feature {
            $($feature),+
        }

        #[cfg(target_arch = $arch)]
        impl Feature {
            /// All features of this architecture that matter here.
            pub const ALL: &[Feature] = &[$(Feature::$feature),+];

            /// The name: that of the manuals in lower case.
            pub fn name(self) -> &'static str {
                match self {
                    $(Feature::$feature => $name),+
                }
            }

            fn is_detected(self) -> bool {
                match self {
                    $(Feature::$feature => std::arch::$detected!($name)),+
                }
            }

            fn bit(self) -> u32 {
                1 << self as u32
            }
        }
    };
}

features! {
    "x86_64" is_x86_feature_detected
    Ssse3 = "ssse3", Sse41 = "sse4.1", Popcnt = "popcnt", Avx2 = "avx2", Bmi1 = "bmi1", Bmi2 = "bmi2", Sha = "sha",
    Avx512f = "avx512f", Avx512bw = "avx512bw", Avx512vl = "avx512vl", Avx512dq = "avx512dq",
    Avx512vbmi = "avx512vbmi", Avx512vbmi2 = "avx512vbmi2", Avx512ifma = "avx512ifma",
    Avx512vpopcntdq = "avx512vpopcntdq", Gfni = "gfni", Pclmulqdq = "pclmulqdq", Vpclmulqdq = "vpclmulqdq"
}
features! { "aarch64" is_aarch64_feature_detected Neon = "neon", Aes = "aes" }

/// A feature of this architecture's CPUs on which a kernel depends: there is none.
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Feature {}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
impl Feature {
    /// All features of this architecture that matter here.
    pub const ALL: &[Feature] = &[];

    /// The name: that of the manuals in lower case.
    pub fn name(self) -> &'static str {
        match self {}
    }

    fn is_detected(self) -> bool {
        match self {}
    }

    fn bit(self) -> u32 {
        match self {}
    }
}

/// A set of features that this CPU has: the proof that a kernel may be called.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Features(u32);

impl Features {
    /// Returns all features that this CPU has. They are detected once per process.
    pub fn detected() -> Features {
        static DETECTED: OnceLock<Features> = OnceLock::new();
        *DETECTED.get_or_init(|| Features::of(Feature::ALL.iter().copied().filter(|feature| feature.is_detected())))
    }

    /// True if a feature is in the set.
    pub fn has(self, feature: Feature) -> bool {
        self.0 & feature.bit() != 0
    }

    /// True if all these features are in the set.
    pub fn has_all(self, features: &[Feature]) -> bool {
        features.iter().all(|&feature| self.has(feature))
    }

    /// Those of them that are listed.
    pub(crate) fn among(self, features: impl IntoIterator<Item = Feature>) -> Features {
        Features(self.0 & Features::of(features).0)
    }

    /// Not a proof by itself: the caller answers for these features.
    fn of(features: impl IntoIterator<Item = Feature>) -> Features {
        Features(features.into_iter().fold(0, |set, feature| set | feature.bit()))
    }

    /// As if the CPU had these features: to see what would be chosen. Kernels that are chosen so must not be called.
    #[cfg(all(test, target_arch = "x86_64"))]
    pub(crate) fn pretended(features: impl IntoIterator<Item = Feature>) -> Features {
        Features::of(features)
    }
}

/// The names.
impl fmt::Debug for Features {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(Feature::ALL.iter().filter(|&&feature| self.has(feature)).map(|one| one.name())).finish()
    }
}

/// True on CPUs of Intel, whose vector and SHA units differ so much from AMD's that other kernels win.
pub fn is_intel() -> bool {
    // Asked once: in a virtual machine the instruction takes microseconds.
    static IS_INTEL: LazyLock<bool> = LazyLock::new(|| {
        #[cfg(all(target_arch = "x86_64", not(miri)))]
        {
            let vendor = std::arch::x86_64::__cpuid(0);
            [vendor.ebx, vendor.edx, vendor.ecx].map(u32::to_le_bytes).as_flattened() == b"GenuineIntel"
        }
        #[cfg(any(not(target_arch = "x86_64"), miri))]
        false
    });
    *IS_INTEL
}
