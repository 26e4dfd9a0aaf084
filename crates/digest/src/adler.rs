//! Adler-32 (RFC 1950, section 8.2).

use crate::Digest;
use crate::parts::Joining;
use crate::state::State;

/// The two sums.
#[derive(Clone, Default)]
pub(crate) struct Adler32(simd_adler32::Adler32);

impl State for Adler32 {
    const DIGEST_BYTES: usize = 4;
    const BLOCK_BYTES: usize = 1;

    fn update(&mut self, bytes: &[u8]) {
        self.0.write(bytes);
    }

    fn finish(&mut self, digest: &mut Digest) {
        digest.set(&self.0.finish().to_be_bytes());
        self.0.reset();
    }
}

impl Adler32 {
    /// The first sum begins with 1 and adds each byte; the second one adds the first sum after each byte. So a part
    /// after another one has, in each of its steps, as much more in the first sum as that had at its end beyond 1.
    pub(crate) const JOINING: Joining = Joining::Checksums(|first, second, second_bytes| {
        const MODULUS: u64 = 65_521;
        let sums = |bytes: &[u8]| {
            let number = bytes.iter().fold(0, |number, &byte| number << 8 | u64::from(byte));
            (number & 0xffff, number >> 16)
        };
        let ((one, two), (one_after, two_after)) = (sums(first), sums(second));
        let more = one + MODULUS - 1;
        let one = (one_after + more) % MODULUS;
        let two = (two + two_after + second_bytes % MODULUS * (more % MODULUS)) % MODULUS;
        let mut bytes = [0; Digest::BYTES_MAX];
        bytes[..4].copy_from_slice(&((two << 16 | one) as u32).to_be_bytes());
        bytes
    });
}
