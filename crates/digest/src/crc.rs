//! Cyclic redundancy checks, whose kernels are those of [`pfh_vector::crc`].

use std::marker::PhantomData;

use pfh_vector::Backend;
use pfh_vector::crc::{Check, Kernels};

use crate::Digest;
use crate::parts::Joining;
use crate::state::State;

/// A check whose register begins with ones, and whose value is the inverted register.
pub(crate) trait Parameters: Clone + Send + Sync + 'static {
    const CHECK: &'static Check;
    /// How many of the low bytes of the register are the value.
    const DIGEST_BYTES: usize;
}

/// Defines the parameters of checks by their polynomials, lowest bit first.
macro_rules! checks {
    ($($(#[$doc:meta])* $name:ident = $polynomial:literal, $bytes:literal bytes;)+) => {
        $(
            $(#[$doc])*
            #[derive(Clone)]
            pub(crate) struct $name;

            impl Parameters for $name {
                const CHECK: &'static Check = {
                    static CHECK: Check = Check::new($polynomial);
                    &CHECK
                };
                const DIGEST_BYTES: usize = $bytes;
            }
        )+
    };
}

checks! {
    /// CRC-32 of IEEE 802.3 (CRC catalogue: CRC-32/ISO-HDLC).
    Crc32 = 0xedb8_8320, 4 bytes;
    /// CRC-32C (Castagnoli; CRC catalogue: CRC-32/ISCSI).
    Crc32c = 0x82f6_3b78, 4 bytes;
    /// CRC-64/NVME.
    Crc64Nvme = 0x9a6c_9329_ac4b_c9b5, 8 bytes;
}

/// The register of a check.
#[derive(Clone)]
pub(crate) struct Crc<P> {
    kernels: Kernels,
    register: u64,
    parameters: PhantomData<P>,
}

impl<P: Parameters> Crc<P> {
    /// All bits of the value.
    const ONES: u64 = u64::MAX >> (64 - 8 * P::DIGEST_BYTES);
}

impl<P: Parameters> Default for Crc<P> {
    fn default() -> Self {
        Crc { kernels: Kernels::new(Backend::chosen()), register: Self::ONES, parameters: PhantomData }
    }
}

impl<P: Parameters> State for Crc<P> {
    const DIGEST_BYTES: usize = P::DIGEST_BYTES;
    const BLOCK_BYTES: usize = 1;

    fn update(&mut self, bytes: &[u8]) {
        self.register = self.kernels.update(P::CHECK, self.register, bytes);
    }

    fn finish(&mut self, digest: &mut Digest) {
        let value = (self.register ^ Self::ONES).to_be_bytes();
        digest.set(&value[value.len() - P::DIGEST_BYTES..]);
        self.register = Self::ONES;
    }
}

impl<P: Parameters> Crc<P> {
    /// The register is linear in the message, so that of two parts follows from both and the length of the second.
    pub(crate) const JOINING: Joining = Joining::Checksums(|first, second, second_bytes| {
        let number = |bytes: &[u8]| bytes.iter().fold(0, |number, &byte| number << 8 | u64::from(byte));
        let joined = P::CHECK.join(number(first), number(second), second_bytes);
        let mut bytes = [0; Digest::BYTES_MAX];
        bytes[..P::DIGEST_BYTES].copy_from_slice(&joined.to_be_bytes()[8 - P::DIGEST_BYTES..]);
        bytes
    });
}
