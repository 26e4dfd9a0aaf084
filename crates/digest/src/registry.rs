//! The registry: one line for each algorithm. Everything else in the crate finds an algorithm through it.

use std::ops::RangeInclusive;

use crate::adler::Adler32;
use crate::algorithm::Mode;
use crate::backend::{self, portable};
use crate::blake2::{self, Blake2b, Blake2s};
use crate::blake3::{self, Blake3};
use crate::crc::{Crc, Crc32, Crc32c, Crc64Nvme};
use crate::fnv::Fnv;
use crate::hmac::Hmac;
use crate::lanes::Md5;
use crate::parameterized::Parameters;
use crate::parts::Joining;
use crate::rust_crypto::RustCrypto;
use crate::sha1dc::Sha1dc;
use crate::shake::{Shake128, Shake256};
use crate::state::{DynState, State};
use crate::xxhash::{Xxh3_64, Xxh3_128, Xxh32, Xxh64};
use crate::{Algorithm, Digest, KeyError, Keys, Status};
use Status::{Broken, Checksum, Current, Legacy};

/// The registry's line of one algorithm.
pub(crate) struct Entry {
    pub(crate) name: &'static str,
    pub(crate) aliases: &'static [&'static str],
    pub(crate) status: Status,
    pub(crate) backend: fn() -> &'static str,
    pub(crate) reference: &'static str,
    pub(crate) digest_bytes: usize,
    pub(crate) block_bytes: usize,
    pub(crate) state: fn() -> Box<dyn DynState>,
    pub(crate) digest: fn(&[u8], &mut Digest),
    /// The state of HMAC over it with a key; used only where [`Entry::has_hmac`].
    pub(crate) hmac: fn(&[u8], Algorithm) -> Box<dyn DynState>,
    /// Other lengths, keys and contexts, where the algorithm defines them.
    pub(crate) parameters: Option<Parameters>,
    /// How values of parts of a message are joined, where that is possible.
    joining: Option<Joining>,
}

/// An algorithm without aliases.
const fn entry<S: State>(
    name: &'static str,
    status: Status,
    backend: fn() -> &'static str,
    reference: &'static str,
) -> Entry {
    assert!(S::DIGEST_BYTES <= Digest::BYTES_MAX);
    Entry {
        name,
        aliases: &[],
        status,
        backend,
        reference,
        digest_bytes: S::DIGEST_BYTES,
        block_bytes: S::BLOCK_BYTES,
        state: || Box::new(S::default()),
        digest: S::digest,
        hmac: |key, algorithm| Box::new(Hmac::<S>::new(key, algorithm)),
        parameters: None,
        joining: None,
    }
}

impl Entry {
    /// Further names. Case, `-`, `_` and `/` hardly matter (see `names`), so spellings that differ in nothing else are
    /// not listed.
    const fn aliases(mut self, aliases: &'static [&'static str]) -> Entry {
        self.aliases = aliases;
        self
    }

    /// Input that it takes beside the message.
    const fn parameters(mut self, parameters: Parameters) -> Entry {
        assert!(parameters.digest_bytes_max <= Digest::BYTES_MAX);
        self.parameters = Some(parameters);
        self
    }

    /// The way to join values of parts of a message.
    const fn joining(mut self, joining: Joining) -> Entry {
        self.joining = Some(joining);
        self
    }

    /// Whether HMAC over it is defined and of use: it is made for hashes with one length of output, and no checksum
    /// becomes secure by it. With `sha1dc` it would be that of `sha1`.
    pub(crate) fn has_hmac(&self) -> bool {
        let is_extendable = self.parameters.as_ref().is_some_and(|parameters| parameters.is_extendable);
        self.status != Checksum && !is_extendable && self.name != "sha1dc"
    }
}

type Fnv1<Word> = Fnv<Word, false>;
type Fnv1a<Word> = Fnv<Word, true>;

/// All algorithms: families together, and in each the order of their appearance.
#[rustfmt::skip]
pub(crate) static REGISTRY: &[Entry] = &[
    entry::<RustCrypto<md4::Md4>>("md4", Broken, portable, "RFC 1320"),
    entry::<Md5>("md5", Broken, Md5::backend, "RFC 1321"),
    entry::<RustCrypto<sha1::Sha1>>("sha1", Broken, backend::sha1, "FIPS 180-4").aliases(&["sha160"]),
    entry::<Sha1dc>("sha1dc", Broken, portable, "FIPS 180-4; M. Stevens, Counter-cryptanalysis, CRYPTO 2013").aliases(&["sha1cd", "sha1-checked"]),
    entry::<RustCrypto<sha2::Sha224>>("sha224", Current, backend::sha256, "FIPS 180-4").aliases(&["sha2-224"]),
    entry::<RustCrypto<sha2::Sha256>>("sha256", Current, backend::sha256, "FIPS 180-4").aliases(&["sha2-256"]),
    entry::<RustCrypto<sha2::Sha384>>("sha384", Current, backend::sha512, "FIPS 180-4").aliases(&["sha2-384"]),
    entry::<RustCrypto<sha2::Sha512>>("sha512", Current, backend::sha512, "FIPS 180-4").aliases(&["sha2-512"]),
    entry::<RustCrypto<sha2::Sha512_224>>("sha512-224", Current, backend::sha512, "FIPS 180-4").aliases(&["sha512t224", "sha2-512-224"]),
    entry::<RustCrypto<sha2::Sha512_256>>("sha512-256", Current, backend::sha512, "FIPS 180-4").aliases(&["sha512t256", "sha2-512-256"]),
    entry::<RustCrypto<sha3::Sha3_224>>("sha3-224", Current, backend::keccak, "FIPS 202"),
    entry::<RustCrypto<sha3::Sha3_256>>("sha3-256", Current, backend::keccak, "FIPS 202"),
    entry::<RustCrypto<sha3::Sha3_384>>("sha3-384", Current, backend::keccak, "FIPS 202"),
    entry::<RustCrypto<sha3::Sha3_512>>("sha3-512", Current, backend::keccak, "FIPS 202"),
    entry::<Shake128>("shake128", Current, backend::keccak, "FIPS 202; 256 bits as in RFC 8702").parameters(Shake128::PARAMETERS),
    entry::<Shake256>("shake256", Current, backend::keccak, "FIPS 202; 512 bits as in RFC 8702").parameters(Shake256::PARAMETERS),
    entry::<RustCrypto<sha3::Keccak256>>("keccak256", Current, backend::keccak, "The Keccak reference 3.0 (2011), padding 0x01"),
    entry::<Blake2b>("blake2b", Current, backend::blake2, "RFC 7693").aliases(&["blake2b512", "b2"]).parameters(blake2::PARAMETERS_2B),
    entry::<Blake2s>("blake2s", Current, backend::blake2, "RFC 7693").aliases(&["blake2s256"]).parameters(blake2::PARAMETERS_2S),
    entry::<Blake3>("blake3", Current, backend::blake3, "BLAKE3 paper (2020)").aliases(&["b3", "blake3-256"]).parameters(blake3::PARAMETERS).joining(Joining::Tree),
    entry::<RustCrypto<ripemd::Ripemd128>>("ripemd128", Legacy, portable, "RIPEMD page (Bosselaers, 1996)").aliases(&["rmd128"]),
    entry::<RustCrypto<ripemd::Ripemd160>>("ripemd160", Legacy, portable, "ISO/IEC 10118-3").aliases(&["rmd160"]),
    entry::<RustCrypto<ripemd::Ripemd256>>("ripemd256", Legacy, portable, "RIPEMD page (Bosselaers, 1996)").aliases(&["rmd256"]),
    entry::<RustCrypto<ripemd::Ripemd320>>("ripemd320", Legacy, portable, "RIPEMD page (Bosselaers, 1996)").aliases(&["rmd320"]),
    entry::<RustCrypto<whirlpool::Whirlpool>>("whirlpool", Current, portable, "ISO/IEC 10118-3"),
    entry::<RustCrypto<tiger::Tiger>>("tiger", Legacy, portable, "Anderson and Biham, Tiger, FSE 1996; padding 0x01").aliases(&["tiger192", "tiger1"]),
    entry::<RustCrypto<sm3::Sm3>>("sm3", Current, portable, "GB/T 32905-2016").aliases(&["sm3-256"]),
    entry::<RustCrypto<streebog::Streebog256>>("streebog256", Current, portable, "RFC 6986").aliases(&["gost2012-256", "gost12-256", "md_gost12_256"]),
    entry::<RustCrypto<streebog::Streebog512>>("streebog512", Current, portable, "RFC 6986").aliases(&["gost2012-512", "gost12-512", "md_gost12_512"]),
    entry::<Crc<Crc32>>("crc32", Checksum, backend::crc, "IEEE 802.3").aliases(&["crc32b", "crc32-ieee", "crc32-iso-hdlc"]).joining(Crc::<Crc32>::JOINING),
    entry::<Crc<Crc32c>>("crc32c", Checksum, backend::crc, "RFC 3720").aliases(&["crc32-iscsi", "castagnoli"]).joining(Crc::<Crc32c>::JOINING),
    entry::<Crc<Crc64Nvme>>("crc64nvme", Checksum, backend::crc, "NVM Express NVM Command Set 1.0").joining(Crc::<Crc64Nvme>::JOINING),
    entry::<Adler32>("adler32", Checksum, backend::adler32, "RFC 1950").aliases(&["adler"]).joining(Adler32::JOINING),
    entry::<Xxh32>("xxh32", Checksum, portable, "xxHash specification").aliases(&["xxhash32"]),
    entry::<Xxh64>("xxh64", Checksum, portable, "xxHash specification").aliases(&["xxhash64"]),
    entry::<Xxh3_64>("xxh3-64", Checksum, backend::xxh3, "xxHash specification").aliases(&["xxh3", "xxhash3", "xxhash3-64"]),
    entry::<Xxh3_128>("xxh3-128", Checksum, backend::xxh3, "xxHash specification").aliases(&["xxh128", "xxhash128", "xxhash3-128"]),
    entry::<Fnv1<u32>>("fnv1-32", Checksum, portable, "RFC 9923").aliases(&["fnv32"]),
    entry::<Fnv1<u64>>("fnv1-64", Checksum, portable, "RFC 9923").aliases(&["fnv64"]),
    entry::<Fnv1a<u32>>("fnv1a-32", Checksum, portable, "RFC 9923").aliases(&["fnv32a"]),
    entry::<Fnv1a<u64>>("fnv1a-64", Checksum, portable, "RFC 9923").aliases(&["fnv64a"]),
];

// An `Algorithm` has its position in one byte.
const _: () = assert!(REGISTRY.len() <= 1 << u8::BITS);

/// Position of an algorithm that this crate itself needs; a name that is not in the registry does not compile in a
/// constant.
pub(crate) const fn position(name: &str) -> u8 {
    let mut index = 0;
    while index < REGISTRY.len() {
        if equal(REGISTRY[index].name.as_bytes(), name.as_bytes()) {
            return index as u8;
        }
        index += 1;
    }
    panic!("not in the registry")
}

const fn equal(a: &[u8], b: &[u8]) -> bool {
    let mut index = 0;
    while index < a.len() && index < b.len() && a[index] == b[index] {
        index += 1;
    }
    index == a.len() && index == b.len()
}

/// The facts of the registry on an algorithm.
impl Algorithm {
    /// SHA-1, on which other formats are built.
    pub const SHA1: Algorithm = Algorithm::at(position("sha1"));
    /// CRC-32C, with which lists check their own lines.
    pub const CRC32C: Algorithm = Algorithm::at(position("crc32c"));

    /// SHA-256 (FIPS 180-4).
    pub const SHA256: Algorithm = Algorithm::at(position("sha256"));
    /// BLAKE3 (BLAKE3 paper, 2020).
    pub const BLAKE3: Algorithm = Algorithm::at(position("blake3"));

    /// A line of the registry as it is.
    const fn at(position: u8) -> Algorithm {
        Algorithm { position, mode: Mode::Plain, digest_bytes: REGISTRY[position as usize].digest_bytes as u8 }
    }

    /// All algorithms with their usual lengths and without keys, in registry order.
    pub fn all() -> impl Iterator<Item = Algorithm> {
        (0..REGISTRY.len()).map(|position| Algorithm::at(position as u8))
    }

    /// All algorithms that need a key or a context, with their usual lengths, in registry order.
    pub fn all_keyed() -> impl Iterator<Item = Algorithm> {
        Algorithm::all().flat_map(|plain| {
            [Mode::Hmac, Mode::Keyed, Mode::DeriveKey].into_iter().filter_map(move |mode| plain.with_mode(mode))
        })
    }

    /// The same line of the registry in another mode; `None` where it has none.
    pub(crate) fn with_mode(self, mode: Mode) -> Option<Algorithm> {
        let exists = match mode {
            Mode::Plain => true,
            Mode::Hmac => self.entry().has_hmac() && self.has_usual_length(),
            Mode::Keyed => self.parameters().is_some_and(|parameters| parameters.keyed.is_some()),
            Mode::DeriveKey => self.parameters().is_some_and(|parameters| parameters.derive_key.is_some()),
        };
        exists.then_some(Algorithm { mode, ..self })
    }

    /// The same algorithm with digests of another length; `None` where it has none of that length.
    pub fn with_digest_bytes(self, digest_bytes: usize) -> Option<Algorithm> {
        self.digest_bytes_range()
            .contains(&digest_bytes)
            .then_some(Algorithm { digest_bytes: digest_bytes as u8, ..self })
    }

    /// The lengths that its digests may have, in bytes: a name with another one ends with it, in bits (`blake3-512`).
    pub fn digest_bytes_range(self) -> RangeInclusive<usize> {
        match self.parameters() {
            Some(parameters) if self.mode != Mode::Hmac => 1..=parameters.digest_bytes_max,
            _ => self.entry().digest_bytes..=self.entry().digest_bytes,
        }
    }

    /// True where a longer digest begins with the shorter one (SHAKE, BLAKE3).
    pub fn is_extendable(self) -> bool {
        self.parameters().is_some_and(|parameters| parameters.is_extendable)
    }

    /// True where values of parts of a message can be joined into its digest ([`parts`](crate::parts)).
    pub fn joins_parts(self) -> bool {
        self.joining().is_some()
    }

    pub(crate) fn joining(self) -> Option<Joining> {
        self.entry().joining.filter(|_| self.mode == Mode::Plain)
    }

    /// The lengths of keys that it takes; `None` where it takes no key.
    pub fn key_bytes(self) -> Option<RangeInclusive<usize>> {
        match self.mode {
            Mode::Plain | Mode::DeriveKey => None,
            Mode::Hmac => Some(1..=usize::MAX),
            Mode::Keyed => Some(self.parameters()?.keyed.as_ref()?.key_bytes.clone()),
        }
    }

    pub(crate) fn entry(self) -> &'static Entry {
        &REGISTRY[usize::from(self.position)]
    }

    fn parameters(self) -> Option<&'static Parameters> {
        self.entry().parameters.as_ref()
    }

    pub(crate) fn has_usual_length(self) -> bool {
        usize::from(self.digest_bytes) == self.entry().digest_bytes
    }

    /// True for a line of the registry as it is.
    pub(crate) fn is_usual(self) -> bool {
        self.mode == Mode::Plain && self.has_usual_length()
    }

    /// Further names that [`Algorithm::from_name`] accepts.
    pub fn aliases(self) -> &'static [&'static str] {
        if self.is_usual() { self.entry().aliases } else { &[] }
    }

    /// Length of the block that the compression function takes, in bytes (1 where there is none).
    pub fn block_bytes(self) -> usize {
        self.entry().block_bytes
    }

    /// How far it may be trusted.
    pub fn status(self) -> Status {
        match self.entry().status {
            // So few bits withstand no attack.
            _ if self.digest_bytes < 16 => Status::Checksum,
            // A collision of the hash is none of its HMAC (M. Bellare, "New Proofs for NMAC and HMAC", CRYPTO 2006).
            Status::Broken if self.mode == Mode::Hmac => Status::Legacy,
            status => status,
        }
    }

    /// Name of the code path that this CPU gets (`sha-ni`, `avx512`, `portable`, …).
    pub fn backend(self) -> &'static str {
        (self.entry().backend)()
    }

    /// The standard or paper that defines it.
    pub fn reference(self) -> &'static str {
        self.entry().reference
    }

    /// A new state, with the key or the context that the algorithm needs.
    pub(crate) fn state(self, keys: &Keys) -> Result<Box<dyn DynState>, KeyError> {
        let key = || match (&keys.key, self.key_bytes()) {
            (Some(key), Some(lengths)) if lengths.contains(&key.bytes().len()) => Ok(key.bytes()),
            (Some(key), _) => Err(KeyError::KeyLength { algorithm: self, key_bytes: key.bytes().len() }),
            (None, _) => Err(KeyError::NoKey { algorithm: self }),
        };
        let context = || keys.context.as_deref().ok_or(KeyError::NoContext { algorithm: self });
        let (entry, digest_bytes) = (self.entry(), self.digest_bytes());
        Ok(match (self.mode, &entry.parameters) {
            (Mode::Hmac, _) => (entry.hmac)(key()?, self),
            (Mode::Keyed, Some(Parameters { keyed: Some(keyed), .. })) => (keyed.state)(key()?, digest_bytes),
            (Mode::DeriveKey, Some(Parameters { derive_key: Some(state), .. })) => state(context()?, digest_bytes),
            (_, Some(parameters)) if !self.has_usual_length() => (parameters.state)(digest_bytes),
            _ => (entry.state)(),
        })
    }
}
