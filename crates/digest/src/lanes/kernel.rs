//! Kernels: a text over a vector, compiled for certain CPU features.

use super::definition::Compression;
use super::text::Text;
use super::vector::{LINE_BYTES, Vector};

pub(super) mod portable;
#[cfg(target_arch = "x86_64")]
pub(super) mod x86;

/// Advances all lanes by a number of blocks.
///
/// The chaining values lie as `[word][lane]`, each word in native byte order. Every lane has an input of at least that many
/// blocks; for a lane that is idle, any.
///
/// # Panics
/// When the slices are too short.
///
/// # Safety
/// The CPU has the features for which the kernel is compiled.
type Run = unsafe fn(chains: &mut [u8], inputs: &[&[u8]], blocks: usize);

/// One compiled kernel.
pub(super) struct Kernel {
    /// What it is made of: `avx512`, `sha-ni`, …
    pub(super) family: &'static str,
    pub(super) lanes: usize,
    /// Time that one block takes for all lanes together, full or not: clock cycles on the machine of
    /// `bench/kernels/RESULTS.md`. Only the ratios within an algorithm matter.
    pub(super) cost: u32,
    run: Run,
}

impl Kernel {
    /// Family and lanes: `avx512-x32`.
    pub(super) fn name(&self) -> String {
        format!("{}-x{}", self.family, self.lanes)
    }

    /// Advances all lanes by `blocks` blocks.
    ///
    /// # Panics
    /// When the slices are too short.
    pub(super) fn run(&self, chains: &mut [u8], inputs: &[&[u8]], blocks: usize) {
        // SAFETY: a kernel leaves its table only through `Backend::kernels`, and a `Backend` is made only where the CPU has
        // its features.
        unsafe { (self.run)(chains, inputs, blocks) }
    }
}

/// The kernel of a text over a vector; inlined into an entry that enables the features.
///
/// # Safety
/// The CPU has the features of `V`, and the entry enables them.
#[inline(always)]
unsafe fn run<T: Text<V::Word, N>, V: Vector, const N: usize>(chains: &mut [u8], inputs: &[&[u8]], blocks: usize) {
    let word_bytes = size_of::<V::Word>();
    let block_bytes = 16 * word_bytes;
    let row_bytes = V::LANES * word_bytes;
    check(inputs, V::LANES, blocks * block_bytes);

    // SAFETY: the features are the caller's promise.
    let mut chain = [unsafe { V::load(&chains[..row_bytes]) }; N];
    for word in 1..N {
        // SAFETY: as above.
        chain[word] = unsafe { V::load(&chains[word * row_bytes..][..row_bytes]) };
    }
    for block in 0..blocks {
        let offset = block * block_bytes;
        let mut message = [chain[0]; 16];
        // SAFETY: the features as above; `check` has found whole blocks in every input.
        unsafe {
            V::load_line(inputs, offset, T::BIG_ENDIAN, &mut message);
            if block_bytes > LINE_BYTES {
                V::load_line(inputs, offset + LINE_BYTES, T::BIG_ENDIAN, &mut message[8..]);
            }
        }
        chain = T::compress(chain, message);
    }
    for word in 0..N {
        chain[word].store(&mut chains[word * row_bytes..][..row_bytes]);
    }
}

/// What the loads in a kernel rely on.
#[inline(always)]
fn check(inputs: &[&[u8]], lanes: usize, bytes: usize) {
    assert!(inputs.len() >= lanes);
    for input in &inputs[..lanes] {
        assert!(input.len() >= bytes);
    }
}

/// Defines kernels of a family as `NAME: text, vector, cost;`, for the CPU features of an attribute at the front.
macro_rules! kernels {
    ($family:literal #[$features:meta] $($name:ident: $text:ty, $vector:ty, $cost:literal;)+) => {
        $(kernels!(@ $family, $name, $text, $vector, $cost, #[$features]);)+
    };
    ($family:literal $($name:ident: $text:ty, $vector:ty, $cost:literal;)+) => {
        $(kernels!(@ $family, $name, $text, $vector, $cost,);)+
    };
    (@ $family:literal, $name:ident, $text:ty, $vector:ty, $cost:literal, $(#[$features:meta])?) => {
        pub(super) const $name: Kernel = {
            $(#[$features])?
            fn entry(chains: &mut [u8], inputs: &[&[u8]], blocks: usize) {
                // SAFETY: this function enables the features of the vector; whoever calls it answers for the CPU.
                unsafe { $crate::lanes::kernel::run::<$text, $vector, _>(chains, inputs, blocks) }
            }
            let lanes = <$vector as $crate::lanes::vector::Vector>::LANES;
            Kernel { family: $family, lanes, cost: $cost, run: entry }
        };
    };
}
use kernels;
