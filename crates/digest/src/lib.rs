//! Bytes in, digest out.
//!
//! This crate holds the registry of algorithms ([`Algorithm`]), the streaming hasher ([`Hasher`]) and the value that
//! comes out ([`Digest`]).
//!
//! | to hash | use |
//! | --- | --- |
//! | one message that is in memory | [`Algorithm::digest`] |
//! | a message that arrives in parts | [`Algorithm::hasher`] |
//! | many messages in memory, side by side in a core's lanes | [`lanes::hash_many`], [`lanes::BatchHasher`] |
//! | many messages that arrive in parts, side by side | [`lanes::LaneManager`] |
//! | one message on many threads (BLAKE3) | [`blake3_tree`] |
//! | one message in parts on many machines (BLAKE3, CRCs, Adler-32) | [`parts`] |
//!
//! This crate opens no files, starts no threads, and does not know how a list of digests is written.
//!
//! ```
//! use pfh_digest::Algorithm;
//!
//! let sha256 = Algorithm::from_name("SHA-256")?;
//! let mut hasher = sha256.hasher();
//! hasher.update(b"hel");
//! hasher.update(b"lo");
//! let digest = hasher.finish();
//! assert_eq!(digest, sha256.digest(b"hello"));
//! assert_eq!(digest.to_string(), "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824");
//! # Ok::<(), pfh_digest::UnknownAlgorithm>(())
//! ```
//!
//! Many small messages are hashed several times as fast side by side:
//!
//! ```
//! use pfh_digest::{Algorithm, lanes};
//!
//! let md5 = Algorithm::from_name("md5")?;
//! let messages: Vec<Vec<u8>> = (0..1000_u32).map(|number| number.to_le_bytes().to_vec()).collect();
//! let digests = lanes::hash_many(md5, &messages);
//! assert_eq!(digests[7], md5.digest(&messages[7]));
//! # Ok::<(), pfh_digest::UnknownAlgorithm>(())
//! ```
//!
//! # Limits
//! - Whole bytes, no seeds, and digests of at most 64 bytes, those of extendable-output functions included.
//! - Keys are not wiped from memory, and comparing digests takes a time that depends on them: for lists that a key
//!   protects, not for a service that an attacker can time.
//! - A message is at most 2⁶⁴ − 1 bits long for the algorithms whose padding holds a 64-bit length (MD4, MD5, SHA-1,
//!   SHA-224, SHA-256, RIPEMD, Tiger, SM3), 2⁶⁴ − 1 bytes for the others.
#![deny(unsafe_code)]

mod adler;
mod algorithm;
mod backend;
mod blake2;
mod blake3;
pub mod blake3_tree;
mod crc;
mod digest;
mod fnv;
mod hasher;
mod hexadecimal;
mod hmac;
mod keys;
pub mod lanes;
mod names;
mod parameterized;
pub mod parts;
mod registry;
mod rust_crypto;
mod sha1dc;
mod shake;
mod state;
mod xxhash;

pub use algorithm::{Algorithm, Status};
pub use digest::Digest;
pub use hasher::Hasher;
pub use hexadecimal::{decode_hexadecimal, hexadecimal};
pub use keys::{Key, KeyError, Keys, Useless};
pub use names::UnknownAlgorithm;
