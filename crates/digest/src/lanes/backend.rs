//! Which kernels this CPU gets.

use std::fmt;
use std::str::FromStr;
use std::sync::OnceLock;

use super::definition::{Compression, Definition};
#[cfg(target_arch = "aarch64")]
use super::kernel::neon;
#[cfg(target_arch = "x86_64")]
use super::kernel::x86;
use super::kernel::{Kernel, portable};
use super::plan::Plan;
use crate::Algorithm;

/// Name of the environment variable that forces a backend.
pub const BACKEND_VARIABLE: &str = "PFH_BACKEND";

/// A set of kernels. A value exists only for what this CPU offers.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Backend(Level);

#[derive(Clone, Copy, PartialEq, Eq)]
enum Level {
    #[cfg(target_arch = "x86_64")]
    Avx512,
    #[cfg(target_arch = "x86_64")]
    ShaNi,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    #[cfg(target_arch = "x86_64")]
    Ssse3,
    #[cfg(target_arch = "aarch64")]
    Neon,
    Portable,
}

/// Best first.
const LEVELS: &[Level] = &[
    #[cfg(target_arch = "x86_64")]
    Level::Avx512,
    #[cfg(target_arch = "x86_64")]
    Level::ShaNi,
    #[cfg(target_arch = "x86_64")]
    Level::Avx2,
    #[cfg(target_arch = "x86_64")]
    Level::Ssse3,
    #[cfg(target_arch = "aarch64")]
    Level::Neon,
    Level::Portable,
];

impl Level {
    fn name(self) -> &'static str {
        match self {
            #[cfg(target_arch = "x86_64")]
            Level::Avx512 => "avx512",
            #[cfg(target_arch = "x86_64")]
            Level::ShaNi => "sha-ni",
            #[cfg(target_arch = "x86_64")]
            Level::Avx2 => "avx2",
            #[cfg(target_arch = "x86_64")]
            Level::Ssse3 => "ssse3",
            #[cfg(target_arch = "aarch64")]
            Level::Neon => "neon",
            Level::Portable => "portable",
        }
    }

    fn description(self) -> &'static str {
        match self {
            #[cfg(target_arch = "x86_64")]
            Level::Avx512 => "AVX-512 (F, BW, VL, DQ): 16 or 32 lanes of 32 bits, 8 or 16 of 64; SHA-NI for few lanes",
            #[cfg(target_arch = "x86_64")]
            Level::ShaNi => "AVX2, and SHA-NI with up to 4 streams interleaved where that is faster",
            #[cfg(target_arch = "x86_64")]
            Level::Avx2 => "AVX2: 8 or 16 lanes of 32 bits, 4 of 64",
            #[cfg(target_arch = "x86_64")]
            Level::Ssse3 => "SSSE3: 4 or 8 lanes of 32 bits",
            #[cfg(target_arch = "aarch64")]
            Level::Neon => "NEON: 4 or 8 lanes of 32 bits",
            Level::Portable => "plain words of any CPU, up to 4 streams interleaved",
        }
    }

    /// The CPU features without which it cannot be had, by the names of the architecture's manuals in lower case.
    fn features(self) -> &'static [Feature] {
        match self {
            #[cfg(target_arch = "x86_64")]
            Level::Avx512 => &[AVX512F, AVX512BW, AVX512VL, AVX512DQ, AVX2, BMI1, BMI2],
            #[cfg(target_arch = "x86_64")]
            Level::ShaNi => &[SHA, SSE41, SSSE3, AVX2, BMI1, BMI2],
            #[cfg(target_arch = "x86_64")]
            Level::Avx2 => &[AVX2, BMI1, BMI2],
            #[cfg(target_arch = "x86_64")]
            Level::Ssse3 => &[SSSE3],
            #[cfg(target_arch = "aarch64")]
            Level::Neon => &[NEON],
            Level::Portable => &[],
        }
    }

    fn offered(self) -> bool {
        self.features().iter().all(|feature| (feature.detected)())
    }
}

/// A CPU feature that a kernel is compiled for.
struct Feature {
    name: &'static str,
    detected: fn() -> bool,
}

/// Names of features, with the macro of the standard library that asks for them.
macro_rules! features {
    ($arch:literal $detected:ident $($feature:ident = $name:tt),+) => {
        $(
            #[cfg(target_arch = $arch)]
            const $feature: Feature = Feature { name: $name, detected: || std::arch::$detected!($name) };
        )+
        #[cfg(target_arch = $arch)]
        static FEATURES: &[Feature] = &[$($feature),+];
    };
}

features! {
    "x86_64" is_x86_feature_detected
    SSSE3 = "ssse3", SSE41 = "sse4.1", AVX2 = "avx2", BMI1 = "bmi1", BMI2 = "bmi2", SHA = "sha", AVX512F = "avx512f",
    AVX512BW = "avx512bw", AVX512VL = "avx512vl", AVX512DQ = "avx512dq"
}
features! { "aarch64" is_aarch64_feature_detected NEON = "neon" }
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
static FEATURES: &[Feature] = &[];

#[cfg(target_arch = "x86_64")]
fn sha_ni() -> bool {
    [SHA, SSE41, SSSE3].iter().all(|feature| (feature.detected)())
}

/// A backend of this architecture, whether this CPU offers it or not; see [`Backend::catalogue`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BackendEntry {
    /// The name by which it is forced.
    pub name: &'static str,
    /// One line for people.
    pub description: &'static str,
    /// CPU features that it needs and that this CPU lacks; none for one that is offered.
    pub missing: Vec<&'static str>,
}

impl FromStr for Backend {
    type Err = BackendError;

    /// As [`Backend::from_name`].
    fn from_str(name: &str) -> Result<Backend, BackendError> {
        Backend::from_name(name)
    }
}

impl Backend {
    /// Names of all backends of this architecture, best first, whether this CPU offers them or not.
    pub fn names() -> impl Iterator<Item = &'static str> {
        LEVELS.iter().map(|level| level.name())
    }

    /// All backends of this architecture, best first, with what this CPU lacks for them.
    pub fn catalogue() -> impl Iterator<Item = BackendEntry> {
        LEVELS.iter().map(|level| BackendEntry {
            name: level.name(),
            description: level.description(),
            missing: level.features().iter().filter(|one| !(one.detected)()).map(|one| one.name).collect(),
        })
    }

    /// The CPU features that the backends of this architecture ask for, and whether this CPU has them.
    pub fn features() -> impl Iterator<Item = (&'static str, bool)> {
        FEATURES.iter().map(|feature| (feature.name, (feature.detected)()))
    }

    /// The backends that this CPU offers, best first; the last one is always `portable`.
    pub fn offered() -> impl Iterator<Item = Backend> {
        LEVELS.iter().filter(|level| level.offered()).map(|&level| Backend(level))
    }

    /// Forces a backend.
    ///
    /// # Errors
    /// [`BackendError`] when there is none of that name, or this CPU does not offer it.
    pub fn from_name(name: &str) -> Result<Backend, BackendError> {
        let level = LEVELS.iter().find(|level| level.name() == name);
        match level {
            Some(level) if level.offered() => Ok(Backend(*level)),
            _ => Err(BackendError { name: name.to_owned(), known: level.is_some() }),
        }
    }

    /// The backend that the environment variable [`BACKEND_VARIABLE`] names; `None` where it is not set or empty.
    ///
    /// # Errors
    /// [`BackendError`] when there is none of that name, or this CPU does not offer it.
    pub fn from_environment() -> Result<Option<Backend>, BackendError> {
        match std::env::var_os(BACKEND_VARIABLE) {
            Some(name) if !name.is_empty() => Backend::from_name(&name.to_string_lossy()).map(Some),
            _ => Ok(None),
        }
    }

    /// What is used where nothing is forced: the environment's backend, else the best one. Decided once per process.
    ///
    /// An environment that names no offered backend counts as unset; a program that wants to say so asks
    /// [`Backend::from_environment`] first.
    pub fn chosen() -> Backend {
        static CHOSEN: OnceLock<Backend> = OnceLock::new();
        *CHOSEN.get_or_init(|| {
            let forced = Backend::from_environment().ok().flatten();
            forced.or_else(|| Backend::offered().next()).unwrap_or(Backend(Level::Portable))
        })
    }

    /// The name by which it is forced.
    pub fn name(self) -> &'static str {
        self.0.name()
    }

    /// One line for people.
    pub fn description(self) -> &'static str {
        self.0.description()
    }

    /// The kernels that this backend has for an algorithm, as names and numbers of lanes; empty where there are no lanes for
    /// it. Which of them runs depends on how many lanes are busy.
    pub fn kernels_of(self, algorithm: Algorithm) -> Vec<(String, usize)> {
        let kernels = Definition::of(algorithm).map(|definition| self.kernels(definition.compression));
        kernels.iter().flatten().map(|kernel| (kernel.name(), kernel.lanes)).collect()
    }

    /// Those of [`Backend::kernels_of`] that run when some number of lanes, up to all, is busy; the widest, which takes full
    /// lanes, first. Where that one has a single lane, hashing many messages at once gains nothing.
    pub fn kernels_chosen(self, algorithm: Algorithm) -> Vec<(String, usize)> {
        let plan = Definition::of(algorithm).and_then(|definition| Plan::new(self.kernels(definition.compression)));
        plan.iter().flat_map(Plan::chosen).map(|kernel| (kernel.name(), kernel.lanes)).collect()
    }

    /// The kernels for a compression function. Which of them runs on how many lanes is decided by their costs.
    pub(super) fn kernels(self, compression: Compression) -> Vec<&'static Kernel> {
        let families: &[&'static [Kernel]] = match self.0 {
            #[cfg(target_arch = "x86_64")]
            Level::Avx512 if sha_ni() => {
                &[x86::avx512::of(compression), x86::sha_ni::of(compression), x86::bmi::of(compression)]
            }
            #[cfg(target_arch = "x86_64")]
            Level::Avx512 => &[x86::avx512::of(compression), x86::bmi::of(compression)],
            #[cfg(target_arch = "x86_64")]
            Level::ShaNi => &[x86::avx2::of(compression), x86::sha_ni::of(compression), x86::bmi::of(compression)],
            #[cfg(target_arch = "x86_64")]
            Level::Avx2 => &[x86::avx2::of(compression), x86::bmi::of(compression)],
            #[cfg(target_arch = "x86_64")]
            Level::Ssse3 => &[x86::ssse3::of(compression)],
            #[cfg(target_arch = "aarch64")]
            Level::Neon => &[neon::of(compression)],
            Level::Portable => &[],
        };
        families.iter().copied().flatten().chain(portable::of(compression)).collect()
    }
}

/// The name.
impl fmt::Display for Backend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// The name.
impl fmt::Debug for Backend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A backend that cannot be had.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BackendError {
    name: String,
    known: bool,
}

impl fmt::Display for BackendError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.known {
            write!(f, "this CPU does not offer the backend `{}`; it offers ", self.name)?;
        } else {
            write!(f, "there is no backend `{}`; this CPU offers ", self.name)?;
        }
        list(f, Backend::offered().map(Backend::name))
    }
}

fn list(f: &mut fmt::Formatter<'_>, names: impl Iterator<Item = &'static str>) -> fmt::Result {
    for (index, name) in names.enumerate() {
        f.write_str(if index > 0 { ", " } else { "" })?;
        write!(f, "`{name}`")?;
    }
    Ok(())
}

impl std::error::Error for BackendError {}
