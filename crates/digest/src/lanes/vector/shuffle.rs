//! Orders for the instructions that move bytes within 16.

use std::arch::asm;

/// Order of the bytes of 16 that reverses each word of 4.
pub(super) const REVERSED_32: [u8; 16] = [3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12];
/// Order of the bytes of 16 that reverses each word of 8.
pub(super) const REVERSED_64: [u8; 16] = [7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8];

/// Rotation of each word left by whole bytes.
pub(super) struct Rotated<const WORD_BYTES: usize, const BITS: i32>;

impl<const WORD_BYTES: usize, const BITS: i32> Rotated<WORD_BYTES, BITS> {
    /// Order of the bytes of 16, whose values the compiler does not see.
    ///
    /// Where it sees them, it takes shuffles of an exclusive or apart to join them with earlier shuffles, which are
    /// needed as well: LLVM 21 makes 224 shuffles of the 112 in a block of BLAKE3.
    #[inline(always)]
    #[allow(clippy::pointers_in_nomem_asm_block, reason = "the block is empty")]
    pub(super) fn order() -> &'static [u8; 16] {
        let mut order: *const [u8; 16] = &Self::ORDER;
        // SAFETY: no instruction, so the pointer stays what it was, that of a constant.
        unsafe {
            asm!("/* {0} */", inout(reg) order, options(pure, nomem, nostack, preserves_flags));
            &*order
        }
    }

    const ORDER: [u8; 16] = {
        let mut order = [0; 16];
        let mut index = 0;
        while index < 16 {
            let word = index / WORD_BYTES * WORD_BYTES;
            order[index] = (word + (index + WORD_BYTES - BITS as usize / 8) % WORD_BYTES) as u8;
            index += 1;
        }
        order
    };
}
