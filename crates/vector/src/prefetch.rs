//! Announcing memory before it is read.
#![allow(unsafe_code, reason = "an instruction without effect on values")]

/// Announces that the cache line of this element will be read soon, so that later reads wait less. Does not wait
/// itself, and ignores places outside of the slice. Does nothing on CPUs other than x86-64.
#[inline]
pub fn prefetch<T>(elements: &[T], place: usize) {
    #[cfg(target_arch = "x86_64")]
    if let Some(element) = elements.get(place) {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: the instruction reads nothing that the program sees, and the address is valid.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(element).cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (elements, place);
}
