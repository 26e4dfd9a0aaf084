//! Hundreds of thousands of small files: neither a one-shot digest nor a hasher that is used again allocates.

mod common;

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use pfh_digest::Algorithm;

/// The system's allocator, counting what each thread asks of it.
struct Counting;

thread_local!(static ALLOCATIONS: Cell<usize> = const { Cell::new(0) });

// SAFETY: every call is the system allocator's, with the caller's arguments; the counter neither allocates nor unwinds.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.set(ALLOCATIONS.get() + 1);
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the pointer came from `alloc` above, which is the system's.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

fn allocations(call: impl FnOnce()) -> usize {
    let before = ALLOCATIONS.get();
    call();
    ALLOCATIONS.get() - before
}

#[test]
fn hashing_does_not_allocate() {
    for length in [0, 4096, 1 << 20] {
        let message = common::cycle251(length);
        for algorithm in Algorithm::all() {
            // Crates may set up their tables at the first call.
            algorithm.digest(&message);
            let one_shot = allocations(|| {
                algorithm.digest(&message);
            });
            assert_eq!(one_shot, 0, "{algorithm}, one shot of {length} bytes");

            let mut hasher = algorithm.hasher();
            let streamed = allocations(|| {
                for _ in 0..2 {
                    message.chunks(1000).for_each(|piece| hasher.update(piece));
                    hasher.finish();
                }
            });
            assert_eq!(streamed, 0, "{algorithm}, streaming {length} bytes");
        }
    }
}

#[test]
fn the_counter_counts() {
    let sha256 = common::algorithm("sha256");
    assert_eq!(allocations(|| drop(sha256.hasher())), 1, "a hasher is one allocation");
}

#[test]
fn printing_allocates_only_the_line() {
    let digest = common::algorithm("sha512").digest(b"");
    let mut line = Vec::with_capacity(128);
    assert_eq!(allocations(|| digest.push_hex(&mut line)), 0);
    assert_eq!(line.len(), 128);
}
