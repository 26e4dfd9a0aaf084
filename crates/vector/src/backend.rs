//! The choice of instructions for kernels: detected, or forced by the caller or the environment.

use std::fmt;
use std::str::FromStr;
use std::sync::OnceLock;

use crate::cpu::{Feature, Features};

/// Name of the environment variable that forces a backend.
pub const BACKEND_VARIABLE: &str = "PFH_BACKEND";

/// The instructions that kernels use: a level that this CPU offers, and a bound on what kernels may choose from. A
/// value exists only for what this CPU offers.
///
/// It is chosen once, detected or forced, and handed down. Digests are the same with each.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Backend(Level);

/// The levels of this architecture, best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// AVX-512 (F, BW, VL, DQ), and whatever else the CPU has.
    #[cfg(target_arch = "x86_64")]
    Avx512,
    /// AVX2 and SHA-NI.
    #[cfg(target_arch = "x86_64")]
    ShaNi,
    /// AVX2 without SHA-NI.
    #[cfg(target_arch = "x86_64")]
    Avx2,
    /// SSSE3.
    #[cfg(target_arch = "x86_64")]
    Ssse3,
    /// NEON.
    #[cfg(target_arch = "aarch64")]
    Neon,
    /// Plain words of any CPU.
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

    /// The CPU features that it requires.
    fn needs(self) -> &'static [Feature] {
        #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
        use Feature::*;
        match self {
            #[cfg(target_arch = "x86_64")]
            Level::Avx512 => &[Avx512f, Avx512bw, Avx512vl, Avx512dq, Avx2, Bmi1, Bmi2],
            #[cfg(target_arch = "x86_64")]
            Level::ShaNi => &[Sha, Sse41, Ssse3, Avx2, Bmi1, Bmi2],
            #[cfg(target_arch = "x86_64")]
            Level::Avx2 => &[Avx2, Bmi1, Bmi2],
            #[cfg(target_arch = "x86_64")]
            Level::Ssse3 => &[Ssse3],
            #[cfg(target_arch = "aarch64")]
            Level::Neon => &[Neon],
            Level::Portable => &[],
        }
    }

    /// Further features that its kernels may use where the CPU has them.
    fn extras(self) -> &'static [Feature] {
        match self {
            #[cfg(target_arch = "x86_64")]
            Level::Avx512 => Feature::ALL,
            #[cfg(target_arch = "x86_64")]
            Level::ShaNi | Level::Avx2 => &[Feature::Popcnt, Feature::Pclmulqdq, Feature::Vpclmulqdq],
            #[cfg(target_arch = "x86_64")]
            Level::Ssse3 => &[Feature::Popcnt, Feature::Pclmulqdq],
            #[cfg(target_arch = "aarch64")]
            Level::Neon => &[Feature::Aes],
            Level::Portable => &[],
        }
    }

    /// Those of a CPU's features that its kernels may use.
    pub(crate) fn bound(self, features: Features) -> Features {
        features.among(self.needs().iter().chain(self.extras()).copied())
    }

    fn is_offered(self) -> bool {
        Features::detected().has_all(self.needs())
    }
}

/// A backend of this architecture, whether this CPU offers it or not; see [`Backend::catalogue`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BackendEntry {
    /// The name by which it is forced.
    pub name: &'static str,
    /// One line for people.
    pub description: &'static str,
    /// CPU features that it needs and that this CPU lacks; empty for one that is offered.
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
            missing: level
                .needs()
                .iter()
                .filter(|&&one| !Features::detected().has(one))
                .map(|one| one.name())
                .collect(),
        })
    }

    /// The backends that this CPU offers, best first; the last one is always `portable`.
    pub fn offered() -> impl Iterator<Item = Backend> {
        LEVELS.iter().filter(|level| level.is_offered()).map(|&level| Backend(level))
    }

    /// Forces a backend.
    ///
    /// # Errors
    /// [`BackendError`] when there is none of that name, or this CPU does not offer it.
    pub fn from_name(name: &str) -> Result<Backend, BackendError> {
        let level = LEVELS.iter().find(|level| level.name() == name);
        match level {
            Some(level) if level.is_offered() => Ok(Backend(*level)),
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

    /// The backend that is used where nothing is forced: the environment's, else the best one. It is decided once per
    /// process.
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

    /// The level that it stands for.
    #[inline]
    pub fn level(self) -> Level {
        self.0
    }

    /// The features of this CPU that kernels of this backend may use: at most those of its level.
    pub fn features(self) -> Features {
        self.0.bound(Features::detected())
    }
}

/// The backend that is used where nothing is forced: [`Backend::chosen`].
impl Default for Backend {
    fn default() -> Backend {
        Backend::chosen()
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

/// A backend that is not available.
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
