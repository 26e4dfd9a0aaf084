//! The kernels of a backend.

use pfh_vector::{Backend, Level};

use super::definition::{Compression, Definition};
#[cfg(target_arch = "aarch64")]
use super::kernel::neon;
#[cfg(target_arch = "x86_64")]
use super::kernel::x86;
use super::kernel::{Kernel, Stitched, portable};
use super::plan::Plan;
use crate::Algorithm;

/// The kernels that a backend has for an algorithm, as names and numbers of lanes; empty where there are no lanes for
/// it. Which of them runs depends on how many lanes are busy.
pub fn kernels_of(backend: Backend, algorithm: Algorithm) -> Vec<(String, usize)> {
    let kernels = Definition::of(algorithm).map(|definition| kernels(backend, definition.compression));
    kernels.iter().flatten().map(|kernel| (kernel.name(), kernel.lanes)).collect()
}

/// A kernel that runs when some number of lanes is busy.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ChosenKernel {
    /// Its instructions and lanes: `avx512-x32`.
    pub name: String,
    /// Messages that it hashes at once.
    pub lanes: usize,
    /// Picoseconds for one block of each lane, as this process has measured them.
    pub block_picoseconds: u32,
}

/// Those of [`kernels_of`] that run when some number of lanes, up to all, is busy; the widest, which takes full lanes,
/// first. Where that one has a single lane, hashing many messages at once gains nothing. Which ones these are depends
/// on the times of all, which the first call measures.
pub fn kernels_chosen(backend: Backend, algorithm: Algorithm) -> Vec<ChosenKernel> {
    let plan = Definition::of(algorithm).and_then(|definition| Plan::new(kernels(backend, definition.compression)));
    let chosen =
        |kernel: &Kernel| ChosenKernel { name: kernel.name(), lanes: kernel.lanes, block_picoseconds: kernel.cost() };
    plan.iter().flat_map(Plan::chosen).map(chosen).collect()
}

/// The kernels for a compression function, those of the newest instructions first. Which of them runs on how many lanes
/// is decided by their costs.
pub(super) fn kernels(backend: Backend, compression: Compression) -> Vec<&'static Kernel> {
    let families: &[&'static [Kernel]] = match backend.level() {
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 if has_sha_ni(backend) => {
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

/// The kernel that computes MD5 and these of one message at once, if the backend has it.
#[cfg_attr(not(target_arch = "x86_64"), expect(unused_variables, reason = "only x86-64 has such kernels"))]
pub(super) fn stitched(backend: Backend, sha1: bool, sha256: bool) -> Option<Stitched> {
    match backend.level() {
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 | Level::ShaNi if has_sha_ni(backend) => x86::stitched::of(sha1, sha256),
        _ => None,
    }
}

#[cfg(target_arch = "x86_64")]
fn has_sha_ni(backend: Backend) -> bool {
    use pfh_vector::Feature::{Sha, Sse41, Ssse3};
    backend.features().has_all(&[Sha, Sse41, Ssse3])
}
