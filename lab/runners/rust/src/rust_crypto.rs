//! RustCrypto: one crate for each algorithm.

use cbc::cipher::{Block, BlockCipherEncrypt, BlockModeEncrypt, InnerIvInit, KeyInit};
use digest::{FixedOutputReset, Update};

use crate::library::{Derived, Digest, Encryption, Library, PASSWORD, SALT, sequence, version};
use crate::protocol::Task;

pub fn library() -> Library {
    Library {
        name: "RustCrypto",
        version: ["digest", "md-5", "sha1", "sha2", "sha3", "aes"]
            .map(|package| format!("{package} {}", version(package)))
            .join(", "),
        backend: if cfg!(sha2_backend = "soft") { "soft" } else { "" },
        digests: vec![
            ("md4", hash::<md4::Md4>),
            ("md5", hash::<md5::Md5>),
            ("sha1", hash::<sha1::Sha1>),
            ("sha224", hash::<sha2::Sha224>),
            ("sha256", hash::<sha2::Sha256>),
            ("sha384", hash::<sha2::Sha384>),
            ("sha512", hash::<sha2::Sha512>),
            ("sha512-256", hash::<sha2::Sha512_256>),
            ("sha3-224", hash::<sha3::Sha3_224>),
            ("sha3-256", hash::<sha3::Sha3_256>),
            ("sha3-384", hash::<sha3::Sha3_384>),
            ("sha3-512", hash::<sha3::Sha3_512>),
            ("keccak256", hash::<sha3::Keccak256>),
            ("blake2b", hash::<blake2::Blake2b512>),
            ("blake2s", hash::<blake2::Blake2s256>),
            ("ripemd128", hash::<ripemd::Ripemd128>),
            ("ripemd160", hash::<ripemd::Ripemd160>),
            ("ripemd256", hash::<ripemd::Ripemd256>),
            ("ripemd320", hash::<ripemd::Ripemd320>),
            ("whirlpool", hash::<whirlpool::Whirlpool>),
            ("tiger", hash::<tiger::Tiger>),
            ("sm3", hash::<sm3::Sm3>),
            ("streebog256", hash::<streebog::Streebog256>),
            ("streebog512", hash::<streebog::Streebog512>),
        ],
        ciphers: vec![
            ("des-cbc", || encryption(des::Des::new(&sequence::<8>(1).into()))),
            ("des-ede3-cbc", || encryption(des::TdesEde3::new(&sequence::<24>(1).into()))),
            ("rc2-128-cbc", || encryption(rc2::Rc2::new_with_eff_key_len(&sequence::<16>(1), 128))),
            ("aes-128-cbc", || encryption(aes::Aes128::new(&sequence::<16>(1).into()))),
        ],
        passwords: vec![
            ("pbkdf2-hmac-sha256", derive_pbkdf2),
            ("bcrypt", derive_bcrypt),
            ("scrypt", derive_scrypt),
            ("argon2id", derive_argon2id),
        ],
    }
}

/// For the check of a whole ciphertext, whichever library encrypted it.
pub fn sha256() -> Box<dyn Digest> {
    hash::<sha2::Sha256>()
}

fn hash<H: Default + Update + FixedOutputReset + 'static>() -> Box<dyn Digest> {
    Box::new(Hash(H::default()))
}

struct Hash<H>(H);

impl<H: Update + FixedOutputReset> Digest for Hash<H> {
    fn update(&mut self, data: &[u8]) {
        self.0.update(data);
    }

    fn finish(&mut self, digest: &mut [u8; 64]) -> usize {
        let output = self.0.finalize_fixed_reset();
        digest[..output.len()].copy_from_slice(&output);
        output.len()
    }
}

fn encryption<C: BlockCipherEncrypt + 'static>(cipher: C) -> Box<dyn Encryption> {
    let vector = Block::<C>::try_from(&sequence::<16>(0)[..C::block_size()]).expect("no block is longer than 16 bytes");
    Box::new(Cbc(cbc::Encryptor::inner_iv_init(cipher, &vector)))
}

struct Cbc<C: BlockCipherEncrypt>(cbc::Encryptor<C>);

impl<C: BlockCipherEncrypt> Encryption for Cbc<C> {
    fn block_bytes(&self) -> usize {
        C::block_size()
    }

    fn encrypt(&mut self, plaintext: &[u8], ciphertext: &mut [u8]) {
        let (plaintext, _) = Block::<C>::slice_as_chunks(plaintext);
        let (ciphertext, _) = Block::<C>::slice_as_chunks_mut(ciphertext);
        self.0.encrypt_blocks_b2b(plaintext, &mut ciphertext[..plaintext.len()]).expect("two slices of one length");
    }
}

fn derive_pbkdf2(task: &Task) -> Derived {
    Ok(pbkdf2::pbkdf2_hmac_array::<sha2::Sha256, 32>(PASSWORD, &SALT, task.iterations).into())
}

fn derive_bcrypt(task: &Task) -> Derived {
    let password = [PASSWORD, &[0]].concat(); // bcrypt hashes the 0 that ends a C string, too
    Ok(bcrypt::bcrypt(task.cost, SALT, &password)[..23].into())
}

fn derive_scrypt(task: &Task) -> Derived {
    let mut derived = vec![0; 32];
    let parameters = scrypt::Params::new(task.n.checked_ilog2().unwrap_or(0) as u8, task.r, task.p)?;
    scrypt::scrypt(PASSWORD, &SALT, &parameters, &mut derived)?;
    Ok(derived)
}

fn derive_argon2id(task: &Task) -> Derived {
    let mut derived = vec![0; 32];
    let parameters = argon2::Params::new(task.memory_kib, task.iterations, task.lanes, Some(32))
        .map_err(|error| error.to_string())?;
    argon2::Argon2::new(argon2::Algorithm::Argon2id, argon2::Version::V0x13, parameters)
        .hash_password_into(PASSWORD, &SALT, &mut derived)
        .map_err(|error| error.to_string())?;
    Ok(derived)
}
