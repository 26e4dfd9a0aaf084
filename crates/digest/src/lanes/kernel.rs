//! Kernels: a text over a vector, compiled for certain CPU features.

use super::definition::Compression;
use super::text::Text;
use super::vector::{LINE_BYTES, Vector};

pub(super) mod portable;
#[cfg(target_arch = "x86_64")]
pub(super) mod x86;

/// Advances all lanes by a number of blocks.
///
/// The states lie as `[word][lane]`, each word in native byte order. Every lane has an input of at least that many
/// blocks; for a lane that is idle, any.
///
/// # Panics
/// When the slices are too short.
///
/// # Safety
/// The CPU has the features for which the kernel is compiled.
type Run = unsafe fn(states: &mut [u8], inputs: &[&[u8]], blocks: usize);

/// One compiled kernel.
pub(super) struct Kernel {
    /// What it is made of: `avx512`, `sha-ni`, …
    pub(super) family: &'static str,
    pub(super) lanes: usize,
    cost: Cost,
    run: Run,
}

/// Time that one block takes for all lanes together, full or not. Only the ratios within an algorithm matter.
struct Cost {
    /// On CPUs of Intel: nanoseconds as measured (`bench/kernels/RESULTS.md`).
    intel: u32,
    /// On others: as measured on a Zen 5.
    other: u32,
}

impl Cost {
    const fn new(intel: u32, other: u32) -> Cost {
        Cost { intel, other }
    }
}

impl Kernel {
    /// Family and lanes: `avx512-x32`.
    pub(super) fn name(&self) -> String {
        format!("{}-x{}", self.family, self.lanes)
    }

    /// Time that one block takes for all lanes together, full or not, on this CPU; comparable within an algorithm.
    pub(super) fn cost(&self) -> u32 {
        if is_intel() { self.cost.intel } else { self.cost.other }
    }

    /// Advances all lanes by `blocks` blocks.
    ///
    /// # Panics
    /// When the slices are too short.
    pub(super) fn run(&self, states: &mut [u8], inputs: &[&[u8]], blocks: usize) {
        // SAFETY: a kernel leaves its table only through `Backend::kernels`, and a `Backend` is made only where the CPU has
        // its features.
        unsafe { (self.run)(states, inputs, blocks) }
    }
}

/// Intel's vector and SHA units differ so much from AMD's that other kernels win.
fn is_intel() -> bool {
    #[cfg(target_arch = "x86_64")]
    {
        let vendor = std::arch::x86_64::__cpuid(0);
        [vendor.ebx, vendor.edx, vendor.ecx].map(u32::to_le_bytes).as_flattened() == b"GenuineIntel"
    }
    #[cfg(not(target_arch = "x86_64"))]
    false
}

/// The kernel of a text over a vector; inlined into an entry that enables the features.
///
/// # Safety
/// The CPU has the features of `V`, and the entry enables them.
#[inline(always)]
unsafe fn run<T, V, const N: usize, const M: usize>(states: &mut [u8], inputs: &[&[u8]], blocks: usize)
where
    T: Text<V::Word, N, M>,
    V: Vector,
{
    let word_bytes = size_of::<V::Word>();
    let line_words = LINE_BYTES / word_bytes;
    let row_bytes = V::LANES * word_bytes;
    check(inputs, V::LANES, blocks * M * word_bytes);

    // SAFETY: the features are the caller's promise.
    let mut state = [unsafe { V::load(&states[..row_bytes]) }; N];
    for word in 1..N {
        // SAFETY: as above.
        state[word] = unsafe { V::load(&states[word * row_bytes..][..row_bytes]) };
    }
    for block in 0..blocks {
        let mut message = [state[0]; M];
        // Whole lines; before them one that ends with the block, if that leaves words. Of what it loads twice the compiler keeps one.
        if M % line_words != 0 {
            let offset = (block * M + M - line_words) * word_bytes;
            // SAFETY: the features as above; `check` has found whole blocks in every input, and no block is shorter than a line.
            unsafe { V::load_line(inputs, offset, T::BIG_ENDIAN, &mut message[M - line_words..]) };
        }
        for line in 0..M / line_words {
            let offset = (block * M + line * line_words) * word_bytes;
            // SAFETY: as above.
            unsafe { V::load_line(inputs, offset, T::BIG_ENDIAN, &mut message[line * line_words..]) };
        }
        state = T::compress(state, message, block + 1 == blocks);
    }
    for word in 0..N {
        state[word].store(&mut states[word * row_bytes..][..row_bytes]);
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

/// Defines the kernels of a family, and `of`, which lists those of a compression function. The attribute enables their CPU
/// features. A line is `name: text, vector, costs;`.
macro_rules! kernels {
    ($family:literal #[$attribute:meta] $($compression:ident { $($name:ident: $text:ty, $vector:ty, $cost:tt;)+ })+) => {
        /// The kernels of a compression function.
        pub(in crate::lanes) fn of(compression: Compression) -> &'static [Kernel] {
            match compression {
                $(Compression::$compression => const { &[$(Kernel {
                    family: $family,
                    lanes: <$vector as $crate::lanes::vector::Vector>::LANES,
                    cost: Cost::new $cost,
                    run: $name,
                }),+] },)+
                #[allow(unreachable_patterns, reason = "some families have kernels for all")]
                _ => &[],
            }
        }

        $($(
            #[$attribute]
            fn $name(states: &mut [u8], inputs: &[&[u8]], blocks: usize) {
                // SAFETY: the attribute enables the features of the vector; whoever calls this answers for the CPU.
                unsafe { $crate::lanes::kernel::run::<$text, $vector, _, _>(states, inputs, blocks) }
            }
        )+)+
    };
}
use kernels;
