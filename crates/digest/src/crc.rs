//! Cyclic redundancy checks by carry-less multiplication (V. Gopal et al., "Fast CRC Computation for Generic
//! Polynomials Using PCLMULQDQ Instruction", Intel 2009).

use std::marker::PhantomData;

use crc_fast::CrcAlgorithm;

use crate::Digest;
use crate::parts::Joining;
use crate::state::State;

/// One check of crate `crc-fast`.
pub(crate) trait Check: Clone + Send + Sync + 'static {
    /// Its parameters.
    const ALGORITHM: CrcAlgorithm;
    /// How many of the low bytes of the 64-bit register are the value.
    const DIGEST_BYTES: usize;
}

/// CRC-32 of IEEE 802.3 (CRC catalogue: CRC-32/ISO-HDLC).
#[derive(Clone)]
pub(crate) struct Crc32;

impl Check for Crc32 {
    const ALGORITHM: CrcAlgorithm = CrcAlgorithm::Crc32IsoHdlc;
    const DIGEST_BYTES: usize = 4;
}

/// CRC-32C (Castagnoli; CRC catalogue: CRC-32/ISCSI).
#[derive(Clone)]
pub(crate) struct Crc32c;

impl Check for Crc32c {
    const ALGORITHM: CrcAlgorithm = CrcAlgorithm::Crc32Iscsi;
    const DIGEST_BYTES: usize = 4;
}

/// CRC-64/NVME.
#[derive(Clone)]
pub(crate) struct Crc64Nvme;

impl Check for Crc64Nvme {
    const ALGORITHM: CrcAlgorithm = CrcAlgorithm::Crc64Nvme;
    const DIGEST_BYTES: usize = 8;
}

/// The register of any [`Check`].
#[derive(Clone)]
pub(crate) struct Crc<C> {
    register: crc_fast::Digest,
    check: PhantomData<C>,
}

impl<C: Check> Default for Crc<C> {
    fn default() -> Self {
        Crc { register: crc_fast::Digest::new(C::ALGORITHM), check: PhantomData }
    }
}

impl<C: Check> State for Crc<C> {
    const DIGEST_BYTES: usize = C::DIGEST_BYTES;
    const BLOCK_BYTES: usize = 1;

    fn update(&mut self, bytes: &[u8]) {
        self.register.update(bytes);
    }

    fn finish(&mut self, digest: &mut Digest) {
        let register = self.register.finalize_reset().to_be_bytes();
        digest.set(&register[register.len() - C::DIGEST_BYTES..]);
    }
}

impl<C: Check> Crc<C> {
    /// The register is linear in the message, so that of two parts follows from both and the length of the second.
    pub(crate) const JOINING: Joining = Joining::Checksums(|first, second, second_bytes| {
        let number = |bytes: &[u8]| bytes.iter().fold(0, |number, &byte| number << 8 | u64::from(byte));
        let joined = crc_fast::checksum_combine(C::ALGORITHM, number(first), number(second), second_bytes);
        let mut bytes = [0; Digest::BYTES_MAX];
        bytes[..C::DIGEST_BYTES].copy_from_slice(&joined.to_be_bytes()[8 - C::DIGEST_BYTES..]);
        bytes
    });
}
