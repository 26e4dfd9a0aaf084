//! Cyclic redundancy checks by carry-less multiplication (V. Gopal et al., "Fast CRC Computation for Generic Polynomials
//! Using PCLMULQDQ Instruction", Intel 2009), as crate `crc-fast` does them.

use crc_fast::CrcAlgorithm;

use crate::Digest;
use crate::state::State;

/// Which check, and how many of the low bytes of its 64-bit register are the value.
pub(crate) trait Parameters: Clone + Default + Send + Sync + 'static {
    const ALGORITHM: CrcAlgorithm;
    const DIGEST_BYTES: usize;
}

/// CRC-32 of IEEE 802.3 (ISO-HDLC).
#[derive(Clone, Default)]
pub(crate) struct Crc32;
impl Parameters for Crc32 {
    const ALGORITHM: CrcAlgorithm = CrcAlgorithm::Crc32IsoHdlc;
    const DIGEST_BYTES: usize = 4;
}

/// CRC-32C (Castagnoli, iSCSI).
#[derive(Clone, Default)]
pub(crate) struct Crc32c;
impl Parameters for Crc32c {
    const ALGORITHM: CrcAlgorithm = CrcAlgorithm::Crc32Iscsi;
    const DIGEST_BYTES: usize = 4;
}

/// CRC-64/NVME.
#[derive(Clone, Default)]
pub(crate) struct Crc64Nvme;
impl Parameters for Crc64Nvme {
    const ALGORITHM: CrcAlgorithm = CrcAlgorithm::Crc64Nvme;
    const DIGEST_BYTES: usize = 8;
}

/// Any check of the crate.
#[derive(Clone)]
pub(crate) struct Crc<P> {
    register: crc_fast::Digest,
    parameters: std::marker::PhantomData<P>,
}

impl<P: Parameters> Default for Crc<P> {
    fn default() -> Self {
        Crc { register: crc_fast::Digest::new(P::ALGORITHM), parameters: std::marker::PhantomData }
    }
}

impl<P: Parameters> State for Crc<P> {
    const DIGEST_BYTES: usize = P::DIGEST_BYTES;
    const BLOCK_BYTES: usize = 1;

    fn update(&mut self, bytes: &[u8]) {
        self.register.update(bytes);
    }

    fn finish(&mut self, digest: &mut Digest) {
        let value = self.register.finalize_reset().to_be_bytes();
        digest.set(&value[value.len() - P::DIGEST_BYTES..]);
    }

    fn digest(message: &[u8], digest: &mut Digest) {
        let value = crc_fast::checksum(P::ALGORITHM, message).to_be_bytes();
        digest.set(&value[value.len() - P::DIGEST_BYTES..]);
    }
}
