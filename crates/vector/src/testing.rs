//! Parts of the tests of several modules.

/// Numbers by chance, the same ones for each seed: each call takes what they stay below.
pub(crate) fn numbers(seed: u32) -> impl FnMut(u32) -> u32 {
    let mut state = seed;
    move |below| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        ((u64::from(state) * u64::from(below)) >> 32) as u32
    }
}
