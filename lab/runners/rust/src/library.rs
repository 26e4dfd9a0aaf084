//! The interface of a library that the modes need.

use std::error::Error;

use crate::protocol::Task;

pub struct Library {
    pub name: &'static str,
    pub version: String,
    pub backend: &'static str,
    pub digests: Vec<(&'static str, NewDigest)>,
    pub ciphers: Vec<(&'static str, NewEncryption)>,
    pub passwords: Vec<(&'static str, Derive)>,
}

pub type NewDigest = fn() -> Box<dyn Digest>;
pub type NewEncryption = fn() -> Box<dyn Encryption>;
pub type Derive = fn(&Task) -> Derived;

/// A digest under way.
pub trait Digest {
    fn update(&mut self, data: &[u8]);
    /// Writes the digest, at most 64 bytes, returns its length, and is ready for the next message.
    fn finish(&mut self, digest: &mut [u8; 64]) -> usize;
}

/// An encryption under way, in CBC without padding.
pub trait Encryption {
    fn block_bytes(&self) -> usize;
    /// `plaintext` is of whole blocks, and `ciphertext` a block longer at least; what precedes that block is written.
    fn encrypt(&mut self, plaintext: &[u8], ciphertext: &mut [u8]);
}

/// The derived bytes, or why there are none.
pub type Derived = Result<Vec<u8>, Box<dyn Error>>;

pub const PASSWORD: &[u8] = b"correct horse battery staple";
pub const SALT: [u8; 16] = sequence(0);

/// `first`, `first` + 1, …: the keys (from 1) and initialisation vectors (from 0) of the protocol.
pub const fn sequence<const N: usize>(first: u8) -> [u8; N] {
    let mut bytes = [0; N];
    let mut index = 0;
    while index < N {
        bytes[index] = first + index as u8;
        index += 1;
    }
    bytes
}

/// The version of a package in the lock file with which this program was built.
pub fn version(package: &str) -> String {
    let entry = include_str!("../Cargo.lock").split_once(&format!("name = \"{package}\"\nversion = \""));
    entry.and_then(|(_, rest)| rest.split('"').next()).unwrap_or("unknown").into()
}

/// For ring and aws-lc-rs, which have the same interface: their contexts are digests.
#[cfg(feature = "others")]
macro_rules! digest_of_context {
    () => {
        fn hash(algorithm: &'static Algorithm) -> Box<dyn Digest> {
            Box::new(Context::new(algorithm))
        }

        impl Digest for Context {
            fn update(&mut self, data: &[u8]) {
                Context::update(self, data);
            }

            fn finish(&mut self, digest: &mut [u8; 64]) -> usize {
                let next = Context::new(self.algorithm());
                let output = std::mem::replace(self, next).finish();
                digest[..output.as_ref().len()].copy_from_slice(output.as_ref());
                output.as_ref().len()
            }
        }
    };
}
#[cfg(feature = "others")]
pub(crate) use digest_of_context;
