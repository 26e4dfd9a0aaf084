//! ring: digests and PBKDF2; its block ciphers are for authenticated modes only.

use std::num::NonZero;

use ring::digest::{self, Algorithm, Context};
use ring::pbkdf2;

use crate::library::{Digest, Library, PASSWORD, SALT, digest_of_context, version};

pub fn library() -> Library {
    Library {
        name: "ring",
        version: version("ring"),
        backend: "",
        digests: vec![
            ("sha1", || hash(&digest::SHA1_FOR_LEGACY_USE_ONLY)),
            ("sha256", || hash(&digest::SHA256)),
            ("sha384", || hash(&digest::SHA384)),
            ("sha512", || hash(&digest::SHA512)),
            ("sha512-256", || hash(&digest::SHA512_256)),
        ],
        ciphers: vec![],
        passwords: vec![("pbkdf2-hmac-sha256", |task| {
            let iterations = NonZero::new(task.iterations).ok_or("no iterations")?;
            let mut derived = vec![0; 32];
            pbkdf2::derive(pbkdf2::PBKDF2_HMAC_SHA256, iterations, &SALT, PASSWORD, &mut derived);
            Ok(derived)
        })],
    }
}

digest_of_context!();
