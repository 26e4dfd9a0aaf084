//! Kernels: a text over a vector, compiled for certain CPU features.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use super::LANES_MAX;
use super::definition::{BLOCK_BYTES_MAX, Compression, STATE_BYTES_MAX};
use super::text::Compress;
use super::vector::{LINE_BYTES, Line, ShortVector, Vector};

#[cfg(target_arch = "aarch64")]
pub(super) mod neon;
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

/// Like [`Run`] for whole messages of one or two blocks, which come without padding. The first 32 bytes of a line get
/// the final state of its lane, as a digest and with zeros behind it.
type RunShort = unsafe fn(states: &[u8], lines: &mut [Line], messages: &[&[u8]], blocks: usize);

/// One compiled kernel.
pub(super) struct Kernel {
    /// The instructions that it is compiled for: `avx512`, `sha-ni`, …
    pub(super) family: &'static str,
    pub(super) lanes: usize,
    /// See [`Kernel::cost`]; 0 before the measurement.
    cost: AtomicU32,
    run: Run,
    run_short: Option<RunShort>,
}

impl Kernel {
    const fn new(family: &'static str, lanes: usize, run: Run, run_short: Option<RunShort>) -> Kernel {
        Kernel { family, lanes, cost: AtomicU32::new(0), run, run_short }
    }

    /// True if the kernel takes whole messages of one or two blocks.
    pub(super) fn takes_short(&self) -> bool {
        self.run_short.is_some()
    }

    /// Hashes a message in each lane, all of `blocks` blocks with their padding, from these states on; see
    /// [`RunShort`].
    ///
    /// # Panics
    /// When the slices are too short, a message does not have that many blocks, or there is no such kernel.
    pub(super) fn run_short(&self, states: &[u8], lines: &mut [Line], messages: &[&[u8]], blocks: usize) {
        let run_short = self.run_short.expect("the kernel takes short messages");
        // SAFETY: as for `run`.
        unsafe { run_short(states, lines, messages, blocks) }
    }

    /// Family and lanes: `avx512-x32`.
    pub(super) fn name(&self) -> String {
        format!("{}-x{}", self.family, self.lanes)
    }

    /// Picoseconds that one block takes for all lanes together, full or not, on this CPU: see [`measure`].
    ///
    /// # Panics
    /// When the kernel was not measured.
    pub(super) fn cost(&self) -> u32 {
        match self.cost.load(Ordering::Relaxed) {
            0 => panic!("{} was not measured", self.name()),
            cost => cost,
        }
    }

    /// Advances all lanes by `blocks` blocks.
    ///
    /// # Panics
    /// When the slices are too short.
    pub(super) fn run(&self, states: &mut [u8], inputs: &[&[u8]], blocks: usize) {
        // SAFETY: a kernel leaves its table only through `backend::kernels`, and a `Backend` is made only where the CPU
        // has its features.
        unsafe { (self.run)(states, inputs, blocks) }
    }
}

/// Advances one message by several algorithms at once: MD5, SHA-1 and SHA-256, of which some kernels leave one of the
/// latter out.
///
/// # Safety
/// The CPU has the features for which the kernel is compiled.
type RunStitched = unsafe fn(states: [&mut [u8]; 3], input: &[u8], blocks: usize);

/// One compiled kernel of several algorithms.
#[derive(Clone, Copy)]
pub(super) struct Stitched {
    run: RunStitched,
}

impl Stitched {
    #[cfg(target_arch = "x86_64")]
    const fn new(run: RunStitched) -> Stitched {
        Stitched { run }
    }

    /// Advances the message by `blocks` blocks. The states are those of one lane, by MD5, SHA-1 and SHA-256; that of an
    /// algorithm that the kernel leaves out may be empty.
    ///
    /// # Panics
    /// When the slices are too short.
    pub(super) fn run(self, states: [&mut [u8]; 3], input: &[u8], blocks: usize) {
        // SAFETY: as for [`Kernel::run`].
        unsafe { (self.run)(states, input, blocks) }
    }
}

/// Measures the costs of kernels that this process has not measured yet.
///
/// Which kernel wins depends on the CPU: in widths of the units, in latencies, in how fast SHA instructions are. Costs
/// that were recorded on one model misled on others, so each process measures its own, once, in some 10 µs for each
/// kernel. The least of several rounds counts, which neighbours on the same core disturb least.
pub(super) fn measure(kernels: &[&Kernel]) {
    const BLOCKS: usize = if cfg!(miri) { 1 } else { 16 };
    const ROUNDS: usize = if cfg!(miri) { 1 } else { 4 };
    /// One thread measures at a time.
    static MEASURING: Mutex<()> = Mutex::new(());

    let is_measured = |kernel: &Kernel| kernel.cost.load(Ordering::Relaxed) != 0;
    if kernels.iter().all(|kernel| is_measured(kernel)) {
        return;
    }
    let _guard = MEASURING.lock().unwrap_or_else(PoisonError::into_inner);
    let kernels: Vec<_> = kernels.iter().filter(|kernel| !is_measured(kernel)).collect();
    let mut states = [0; LANES_MAX * STATE_BYTES_MAX];
    let input = [0; BLOCKS * BLOCK_BYTES_MAX];
    let mut least = vec![u32::MAX; kernels.len()];
    for _ in 0..ROUNDS {
        for (kernel, least) in kernels.iter().zip(&mut least) {
            let start = Instant::now();
            kernel.run(&mut states, &[&input[..]; LANES_MAX], BLOCKS);
            let picoseconds = start.elapsed().as_nanos() * 1000 / BLOCKS as u128;
            *least = (*least).min(u32::try_from(picoseconds).unwrap_or(u32::MAX));
        }
    }
    for (kernel, least) in kernels.iter().zip(least) {
        kernel.cost.store(least.max(1), Ordering::Relaxed);
    }
}

/// The kernel of a text over a vector; inlined into an entry that enables the features.
///
/// # Safety
/// The CPU has the features of `V`, and the entry enables them.
#[inline(always)]
unsafe fn run<T, V, const N: usize, const M: usize>(states: &mut [u8], inputs: &[&[u8]], blocks: usize)
where
    T: Compress<V::Word, N, M>,
    V: Vector,
{
    let word_bytes = size_of::<V::Word>();
    let line_words = LINE_BYTES / word_bytes;
    let row_bytes = V::LANES * word_bytes;
    check(inputs, V::LANES, blocks * M * word_bytes);

    // SAFETY: the features are the caller's promise.
    let mut state = unsafe { load_state::<V, N>(states) };
    for block in 0..blocks {
        let mut message = [state[0]; M];
        // Whole lines; before them one that ends with the block, if that leaves words. Of what it loads twice the
        // compiler keeps one.
        if !M.is_multiple_of(line_words) {
            let offset = (block * M + M - line_words) * word_bytes;
            // SAFETY: the features as above; `check` has found whole blocks in every input, and no block is shorter
            // than a line.
            unsafe { V::load_line(inputs, offset, T::BIG_ENDIAN, &mut message[M - line_words..]) };
        }
        for line in 0..M / line_words {
            let offset = (block * M + line * line_words) * word_bytes;
            // SAFETY: as above.
            unsafe { V::load_line(inputs, offset, T::BIG_ENDIAN, &mut message[line * line_words..]) };
        }
        state = T::compress(state, &message, block + 1 == blocks);
    }
    for word in 0..N {
        state[word].store(&mut states[word * row_bytes..][..row_bytes]);
    }
}

/// Hashes messages that end within this number of blocks, and leaves the final states in the lines, in the byte order
/// of the message and with zeros up to 8 words; inlined into an entry that enables the features.
///
/// # Panics
/// When the slices are too short, or a message with its padding does not have that many blocks.
///
/// # Safety
/// The CPU has the features of `V`, and the entry enables them.
#[cfg_attr(not(target_arch = "x86_64"), allow(dead_code, reason = "AVX-512 has the masks for it"))]
#[inline(always)]
unsafe fn run_short<T, V, const N: usize>(states: &[u8], lines: &mut [Line], messages: &[&[u8]], blocks: usize)
where
    T: Compress<u32, N, 16>,
    V: ShortVector,
{
    let lines = &mut lines[..V::LANES];
    let mut bits = [0; 4 * LANES_MAX];
    let (mut least, mut most) = (usize::MAX, 0);
    for lane in 0..V::LANES {
        let bytes = messages[lane].len();
        least = least.min(bytes);
        most = most.max(bytes);
        bits[4 * lane..][..4].copy_from_slice(&(8 * bytes as u32).to_ne_bytes());
    }
    for bytes in [least, most] {
        assert!((bytes + 8) / LINE_BYTES + 1 == blocks);
    }
    // SAFETY: the features are the caller's promise.
    let mut state = unsafe { load_state::<V, N>(states) };
    let length_word = if T::BIG_ENDIAN { 15 } else { 14 };
    let mut message = [state[0]; 16];
    if least == LINE_BYTES && most == LINE_BYTES {
        // SAFETY: as above, and each message is a line.
        unsafe { V::load_line(messages, 0, T::BIG_ENDIAN, &mut message) };
        state = T::compress(state, &message, false);
        // The rest is the same for all, so that the compiler knows its schedule.
        message = [state[0].splat(0); 16];
        message[0] = state[0].splat(if T::BIG_ENDIAN { 0x8000_0000 } else { 0x80 });
        message[length_word] = state[0].splat(8 * LINE_BYTES as u32);
        state = T::compress(state, &message, true);
        store_short(state, T::BIG_ENDIAN, lines);
        return;
    }
    for block in 0..blocks {
        let offset = block * LINE_BYTES;
        if least >= offset + LINE_BYTES {
            // SAFETY: as above, and each message has a whole line there.
            unsafe { V::load_line(messages, offset, T::BIG_ENDIAN, &mut message) };
        } else {
            for lane in 0..V::LANES {
                // SAFETY: as above.
                lines[lane] = unsafe { V::last_line(messages[lane], offset) };
            }
            let mut inputs = [&lines[0][..]; LANES_MAX];
            for lane in 1..V::LANES {
                inputs[lane] = &lines[lane];
            }
            // SAFETY: as above, and each input is a line.
            unsafe { V::load_line(&inputs, 0, T::BIG_ENDIAN, &mut message) };
        }
        if block + 1 == blocks {
            // The upper half of the length is zero.
            // SAFETY: as above.
            message[length_word] = unsafe { V::load(&bits[..4 * V::LANES]) };
        }
        state = T::compress(state, &message, block + 1 == blocks);
    }
    store_short(state, T::BIG_ENDIAN, lines);
}

/// Stores the states of [`run_short`].
#[cfg_attr(not(target_arch = "x86_64"), allow(dead_code, reason = "AVX-512 has the masks for it"))]
#[inline(always)]
fn store_short<V: ShortVector, const N: usize>(state: [V; N], big_endian: bool, lines: &mut [Line]) {
    let mut words = [state[0].splat(0); 8];
    words[..N].copy_from_slice(&state);
    V::store_lines(words, big_endian, lines);
}

/// Loads the states `[word][lane]`.
///
/// # Safety
/// As for [`run`].
#[inline(always)]
unsafe fn load_state<V: Vector, const N: usize>(states: &[u8]) -> [V; N] {
    let row_bytes = V::LANES * size_of::<V::Word>();
    // SAFETY: the features are the caller's promise.
    let mut state = [unsafe { V::load(&states[..row_bytes]) }; N];
    for word in 1..N {
        // SAFETY: as above.
        state[word] = unsafe { V::load(&states[word * row_bytes..][..row_bytes]) };
    }
    state
}

/// The conditions on which the loads in a kernel rely.
#[inline(always)]
fn check(inputs: &[&[u8]], lanes: usize, bytes: usize) {
    assert!(inputs.len() >= lanes);
    for input in &inputs[..lanes] {
        assert!(input.len() >= bytes);
    }
}

/// Defines the kernels of a family, and `of`, which lists those of a compression function. The attribute enables their
/// CPU features. A line is `name: text, vector;`, or `name: text, vector, short name;` for a kernel of
/// short messages too.
macro_rules! kernels {
    ($family:literal #[$attribute:meta] $($compression:ident { $($name:ident: $text:ty, $vector:ty $(, short $short:ident)?;)+ })+) => {
        /// The kernels of a compression function.
        pub(in crate::lanes) fn of(compression: Compression) -> &'static [Kernel] {
            match compression {
                $(Compression::$compression => {
                    static KERNELS: [Kernel; [$(stringify!($name)),+].len()] = [$(Kernel::new(
                        $family,
                        <$vector as $crate::lanes::vector::Vector>::LANES,
                        $name,
                        kernels!(@ short $($short)?),
                    )),+];
                    &KERNELS
                })+
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
            $(
                #[$attribute]
                fn $short(states: &[u8], lines: &mut [Line], messages: &[&[u8]], blocks: usize) {
                    // SAFETY: as above.
                    unsafe { $crate::lanes::kernel::run_short::<$text, $vector, _>(states, lines, messages, blocks) }
                }
            )?
        )+)+
    };
    (@ short) => {
        None
    };
    (@ short $short:ident) => {
        Some($short)
    };
}
use kernels;
