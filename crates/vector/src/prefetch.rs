//! Announcing memory before it is read.
#![allow(unsafe_code, reason = "an instruction without effect on values")]

#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::{_MM_HINT_T0, _MM_HINT_T1, _mm_prefetch};

/// Announces that the cache line of this element will be read soon, so that later reads wait less. Does not wait
/// itself, and ignores places outside of the slice. Does nothing on CPUs other than x86-64.
#[inline]
pub fn prefetch<T>(elements: &[T], place: usize) {
    announce::<T, 1>(elements, place);
}

/// Like [`prefetch`], for dozens of lines at a time: they come to the second cache, since the first one has few places
/// for lines on their way, and waits where these are taken.
#[inline]
pub fn prefetch_many<T>(elements: &[T], place: usize) {
    announce::<T, 2>(elements, place);
}

/// Announces an element to the cache of this level.
#[inline]
fn announce<T, const LEVEL: u8>(elements: &[T], place: usize) {
    #[cfg(target_arch = "x86_64")]
    if let Some(element) = elements.get(place) {
        let line = std::ptr::from_ref(element).cast();
        // SAFETY: the instruction reads nothing that the program sees, and the address is valid.
        unsafe {
            if LEVEL == 1 {
                _mm_prefetch::<_MM_HINT_T0>(line);
            } else {
                _mm_prefetch::<_MM_HINT_T1>(line);
            }
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (elements, place);
}
