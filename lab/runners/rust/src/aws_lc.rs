//! aws-lc-rs, over Amazon's fork of BoringSSL.

use std::num::NonZero;

use aws_lc_rs::cipher::{AES_128, EncryptionContext, StreamingEncryptingKey, UnboundCipherKey};
use aws_lc_rs::digest::{self, Algorithm, Context};
use aws_lc_rs::{iv::FixedLength, pbkdf2};

use crate::library::{Digest, Encryption, Library, PASSWORD, SALT, digest_of_context, sequence, version};

pub fn library() -> Library {
    Library {
        name: "aws-lc-rs",
        version: version("aws-lc-rs"),
        backend: "",
        digests: vec![
            ("sha1", || hash(&digest::SHA1_FOR_LEGACY_USE_ONLY)),
            ("sha224", || hash(&digest::SHA224)),
            ("sha256", || hash(&digest::SHA256)),
            ("sha384", || hash(&digest::SHA384)),
            ("sha512", || hash(&digest::SHA512)),
            ("sha512-256", || hash(&digest::SHA512_256)),
            ("sha3-256", || hash(&digest::SHA3_256)),
            ("sha3-384", || hash(&digest::SHA3_384)),
            ("sha3-512", || hash(&digest::SHA3_512)),
        ],
        ciphers: vec![("aes-128-cbc", || {
            let key = UnboundCipherKey::new(&AES_128, &sequence::<16>(1)).expect("a key of 16 bytes");
            let vector = EncryptionContext::Iv128(FixedLength::from(sequence::<16>(0)));
            Box::new(Aes(StreamingEncryptingKey::less_safe_cbc_pkcs7(key, vector).expect("a key for this mode")))
        })],
        passwords: vec![("pbkdf2-hmac-sha256", |task| {
            let iterations = NonZero::new(task.iterations).ok_or("no iterations")?;
            let mut derived = vec![0; 32];
            pbkdf2::derive(pbkdf2::PBKDF2_HMAC_SHA256, iterations, &SALT, PASSWORD, &mut derived);
            Ok(derived)
        })],
    }
}

digest_of_context!();

/// The padding would come with `finish`, which is never called.
struct Aes(StreamingEncryptingKey);

impl Encryption for Aes {
    fn block_bytes(&self) -> usize {
        16
    }

    fn encrypt(&mut self, plaintext: &[u8], ciphertext: &mut [u8]) {
        self.0.update(plaintext, ciphertext).expect("room for a block more");
    }
}
