//! The candidates: for each algorithm one function per crate. Ratios refer to the first; the last is `pfh-digest`
//! itself.

/// Hashes `message`, given to the hasher `piece_bytes` at a time, and writes the value to the front of the array.
/// A message of one piece goes through the crate's one-shot function where there is one.
pub type Run = fn(message: &[u8], piece_bytes: usize, value: &mut [u8; 64]);

pub struct Group {
    pub algorithm: &'static str,
    pub candidates: Vec<(&'static str, Run)>,
}

/// Hasher with the `Digest` trait of RustCrypto.
macro_rules! traited {
    ($digest:path, $hasher:ty) => {
        |message, piece_bytes, value| {
            use $digest as Trait;
            let mut hasher = <$hasher as Trait>::new();
            message.chunks(piece_bytes).for_each(|piece| Trait::update(&mut hasher, piece));
            put(value, &Trait::finalize(hasher));
        }
    };
}

/// `ring` and `aws-lc-rs` have the same face.
macro_rules! ring_like {
    ($library:ident, $algorithm:ident) => {
        |message, piece_bytes, value| {
            use $library::digest::{Context, digest, $algorithm};
            if message.len() <= piece_bytes {
                return put(value, digest(&$algorithm, message).as_ref());
            }
            let mut context = Context::new(&$algorithm);
            message.chunks(piece_bytes).for_each(|piece| context.update(piece));
            put(value, context.finish().as_ref());
        }
    };
}

/// Anything else: a one-shot expression, a new hasher, how it takes a piece, and how it ends.
macro_rules! other {
    (|$whole:ident| $once:expr, $new:expr, |$hasher:ident, $piece:ident| $update:expr, $end:expr) => {
        |$whole, piece_bytes, value| {
            if $whole.len() <= piece_bytes {
                return put(value, $once.as_ref());
            }
            let mut $hasher = $new;
            for $piece in $whole.chunks(piece_bytes) {
                $update;
            }
            put(value, $end.as_ref());
        }
    };
}

fn put(value: &mut [u8; 64], bytes: &[u8]) {
    value[..bytes.len()].copy_from_slice(bytes);
}

/// The crate itself, with its dispatch: a hasher that the thread keeps, as a worker does.
macro_rules! ours {
    ($name:literal) => {
        ("pfh-digest", |message, piece_bytes, value| {
            thread_local!(static HASHER: std::cell::RefCell<pfh_digest::Hasher> =
                std::cell::RefCell::new(pfh_digest::Algorithm::from_name($name).unwrap().hasher()));
            HASHER.with_borrow_mut(|hasher| {
                message.chunks(piece_bytes).for_each(|piece| hasher.update(piece));
                put(value, hasher.finish().bytes());
            });
        })
    };
}

pub fn groups() -> Vec<Group> {
    use crc_fast::CrcAlgorithm::{Crc32Iscsi, Crc32IsoHdlc, Crc64Nvme};
    use std::hash::Hasher;
    use xxhash_rust::{xxh3, xxh32, xxh64};

    macro_rules! group {
        ($name:literal: $($crate_name:literal => $run:expr),* $(,)?) => {
            Group { algorithm: $name, candidates: vec![$(($crate_name, $run),)* ours!($name)] }
        };
    }
    macro_rules! crc_fast {
        ($algorithm:ident, $width:literal) => {
            other!(
                |message| low::<$width>(crc_fast::checksum($algorithm, message)),
                crc_fast::Digest::new($algorithm),
                |hasher, piece| hasher.update(piece),
                low::<$width>(hasher.finalize())
            )
        };
    }
    vec![
        group!("md5":
            "md-5" => traited!(md5_rust_crypto::Digest, md5_rust_crypto::Md5),
            "md5" => other!(|message| md5::compute(message).0, md5::Context::new(), |hasher, piece| hasher.consume(piece), hasher.finalize().0)),
        group!("sha1":
            "sha1" => traited!(sha1::Digest, sha1::Sha1),
            "ring" => ring_like!(ring, SHA1_FOR_LEGACY_USE_ONLY),
            "aws-lc-rs" => ring_like!(aws_lc_rs, SHA1_FOR_LEGACY_USE_ONLY)),
        group!("sha256":
            "sha2" => traited!(sha2::Digest, sha2::Sha256),
            "ring" => ring_like!(ring, SHA256),
            "aws-lc-rs" => ring_like!(aws_lc_rs, SHA256)),
        group!("sha512":
            "sha2" => traited!(sha2::Digest, sha2::Sha512),
            "ring" => ring_like!(ring, SHA512),
            "aws-lc-rs" => ring_like!(aws_lc_rs, SHA512)),
        group!("sha3-256":
            "sha3" => traited!(sha3::Digest, sha3::Sha3_256),
            "tiny-keccak" => |message, piece_bytes, value| {
                use tiny_keccak::Hasher;
                let mut hasher = tiny_keccak::Sha3::v256();
                message.chunks(piece_bytes).for_each(|piece| hasher.update(piece));
                hasher.finalize(&mut value[..32]);
            },
            "keccak-asm" => traited!(keccak_asm::Digest, keccak_asm::Sha3_256),
            "aws-lc-rs" => ring_like!(aws_lc_rs, SHA3_256)),
        group!("blake2b":
            "blake2" => traited!(blake2::Digest, blake2::Blake2b512),
            "blake2b_simd" => other!(|message| blake2b_simd::blake2b(message), blake2b_simd::State::new(), |hasher, piece| hasher.update(piece), hasher.finalize())),
        group!("blake2s":
            "blake2" => traited!(blake2::Digest, blake2::Blake2s256),
            "blake2s_simd" => other!(|message| blake2s_simd::blake2s(message), blake2s_simd::State::new(), |hasher, piece| hasher.update(piece), hasher.finalize())),
        group!("blake3":
            "blake3" => other!(|message| blake3::hash(message).as_bytes(), blake3::Hasher::new(), |hasher, piece| hasher.update(piece), hasher.finalize().as_bytes())),
        group!("crc32":
            "crc32fast" => other!(|message| crc32fast::hash(message).to_be_bytes(), crc32fast::Hasher::new(), |hasher, piece| hasher.update(piece), hasher.finalize().to_be_bytes()),
            "crc-fast" => crc_fast!(Crc32IsoHdlc, 4)),
        group!("crc32c":
            "crc-fast" => crc_fast!(Crc32Iscsi, 4),
            "crc32c" => other!(|message| crc32c::crc32c(message).to_be_bytes(), 0, |hasher, piece| hasher = crc32c::crc32c_append(hasher, piece), hasher.to_be_bytes())),
        group!("crc64nvme":
        "crc-fast" => crc_fast!(Crc64Nvme, 8),
        "crc64fast-nvme" => |message, piece_bytes, value| {
            let mut hasher = crc64fast_nvme::Digest::new();
            message.chunks(piece_bytes).for_each(|piece| hasher.write(piece));
            put(value, &hasher.sum64().to_be_bytes());
        }),
        group!("adler32":
            "simd-adler32" => other!(|message| simd_adler32::adler32(&message).to_be_bytes(), simd_adler32::Adler32::new(), |hasher, piece| hasher.write(piece), hasher.finish().to_be_bytes()),
            "adler2" => other!(|message| adler2::adler32_slice(message).to_be_bytes(), adler2::Adler32::new(), |hasher, piece| hasher.write_slice(piece), hasher.checksum().to_be_bytes())),
        group!("xxh32":
            "xxhash-rust" => other!(|message| xxh32::xxh32(message, 0).to_be_bytes(), xxh32::Xxh32::new(0), |hasher, piece| hasher.update(piece), hasher.digest().to_be_bytes()),
            "twox-hash" => other!(|message| twox_hash::XxHash32::oneshot(0, message).to_be_bytes(), twox_hash::XxHash32::with_seed(0), |hasher, piece| hasher.write(piece), hasher.finish_32().to_be_bytes())),
        group!("xxh64":
            "xxhash-rust" => other!(|message| xxh64::xxh64(message, 0).to_be_bytes(), xxh64::Xxh64::new(0), |hasher, piece| hasher.update(piece), hasher.digest().to_be_bytes()),
            "twox-hash" => other!(|message| twox_hash::XxHash64::oneshot(0, message).to_be_bytes(), twox_hash::XxHash64::with_seed(0), |hasher, piece| hasher.write(piece), hasher.finish().to_be_bytes())),
        group!("xxh3-64":
            "xxhash-rust" => other!(|message| xxh3::xxh3_64(message).to_be_bytes(), xxh3::Xxh3::new(), |hasher, piece| hasher.update(piece), hasher.digest().to_be_bytes()),
            "twox-hash" => other!(|message| twox_hash::XxHash3_64::oneshot(message).to_be_bytes(), twox_hash::xxhash3_64::RawHasher::new(twox_hash::xxhash3_64::SecretBuffer::default()), |hasher, piece| hasher.write(piece), hasher.finish().to_be_bytes())),
        group!("xxh3-128":
            "xxhash-rust" => other!(|message| xxh3::xxh3_128(message).to_be_bytes(), xxh3::Xxh3::new(), |hasher, piece| hasher.update(piece), hasher.digest128().to_be_bytes()),
            "twox-hash" => other!(|message| twox_hash::XxHash3_128::oneshot(message).to_be_bytes(), twox_hash::xxhash3_128::RawHasher::new(twox_hash::xxhash3_128::SecretBuffer::default()), |hasher, piece| hasher.write(piece), hasher.finish_128().to_be_bytes())),
        // No rival crate: only the rate.
        group!("md4":),
        group!("sha1dc":),
        group!("ripemd128":),
        group!("ripemd160":),
        group!("whirlpool":),
        group!("tiger":),
        group!("sm3":),
        group!("streebog256":),
        group!("fnv1a-64":),
    ]
}

/// The low bytes of a register, most significant first.
fn low<const WIDTH: usize>(register: u64) -> [u8; WIDTH] {
    std::array::from_fn(|index| (register >> (8 * (WIDTH - 1 - index))) as u8)
}
