//! Bloom filters: the published example, and what a filter promises.
#![expect(clippy::unwrap_used, reason = "the functions that tests share are tests too")]

use std::fs;

use pfh_digest::Algorithm;
use pfh_known::{BloomError, BloomFile, BloomFilter, BloomShape};

fn file_of(shape: BloomShape, values: &[&[u8]]) -> Vec<u8> {
    let mut filter = BloomFilter::new(shape).unwrap();
    values.iter().for_each(|value| filter.insert(value));
    let mut bytes = Vec::new();
    filter.write(&mut bytes, None).unwrap();
    bytes
}

fn open(bytes: &[u8]) -> Result<BloomFile, BloomError> {
    let file = tempfile::NamedTempFile::new().unwrap();
    fs::write(file.path(), bytes).unwrap();
    BloomFile::open(file.path())
}

/// The example of the format's description: 10 values, 1 %, with `foo` in it.
const EXAMPLE: [u64; 8] = [1, 10, 0x3f84_7ae1_47ae_147b, 7, 95, 1, 0x2000_8100, 0x144];

#[test]
fn the_published_example_is_written_and_read() {
    let bytes: Vec<u8> = EXAMPLE.iter().flat_map(|number| number.to_le_bytes()).collect();
    let shape = BloomShape::new(10, 0.01).unwrap();
    assert_eq!((shape.bits, shape.hashes), (95, 7));
    assert_eq!(file_of(shape, &[b"foo"]), bytes);
    let filter = open(&bytes).unwrap();
    assert!(filter.may_have(b"foo").unwrap());
    assert!(!filter.may_have(b"AAF4C61DDCC5E8A2DABEDE0F3B482CD9AEA9434D").unwrap());
    // Free data may follow.
    assert!(open(&[&bytes[..], b"about"].concat()).unwrap().may_have(b"foo").unwrap());
}

#[test]
fn the_algorithm_follows_the_bits() {
    let mut filter = BloomFilter::new(BloomShape::new(10, 0.01).unwrap()).unwrap();
    filter.insert(b"foo");
    let (mut plain, mut named) = (Vec::new(), Vec::new());
    filter.write(&mut plain, None).unwrap();
    filter.write(&mut named, Algorithm::from_name("sha3-256").ok()).unwrap();
    let data = named.strip_prefix(&plain[..]).unwrap();
    assert_eq!(data, b"{\"algorithm\":\"sha3-256\"}\n");
    let named = open(&named).unwrap();
    assert_eq!(named.algorithm().map(Algorithm::name), Some("sha3-256"));
    assert!(named.may_have(b"foo").unwrap());
    // Free data of others, of any length.
    let long = [b"{\"algorithm\":\"md5\",\"text\":\"", &[b' '; 1 << 16][..], b"\"}"].concat();
    for other in [&b""[..], b"{", b"[]", b"\xff", b"{\"algorithm\":7}", b"{\"algorithm\":\"of tomorrow\"}", &long] {
        let filter = open(&[&plain[..], other].concat()).unwrap();
        assert_eq!(filter.algorithm(), None, "{}", other.escape_ascii());
    }
}

#[test]
fn a_value_that_was_given_is_never_denied() {
    let values: Vec<String> = (0..20_000).map(|number| format!("{:032X}", number * 7_919)).collect();
    let values: Vec<&[u8]> = values.iter().map(|value| value.as_bytes()).collect();
    let (given, others) = values.split_at(10_000);
    let filter = open(&file_of(BloomShape::new(10_000, 0.01).unwrap(), given)).unwrap();
    assert!(given.iter().all(|value| filter.may_have(value).unwrap()));
    let wrong = others.iter().filter(|value| filter.may_have(value).unwrap()).count();
    assert!((20..300).contains(&wrong), "{wrong} of 10,000 values, and 100 are expected");
    assert!((9_800..=10_000).contains(&filter.values()));
}

#[test]
fn damaged_filters_are_refused() {
    let bytes = file_of(BloomShape::new(1000, 0.001).unwrap(), &[b"one"]);
    for length in 0..bytes.len() {
        let refused =
            matches!(open(&bytes[..length]), Err(BloomError::NotAFilter | BloomError::Damaged | BloomError::Io(_)));
        assert!(refused, "cut to {length} bytes");
    }
    // Version, capacity, probability, hash functions, bits, values.
    for (place, number) in
        [(0, 2), (1, 0), (1, 999_999), (2, 0), (2, u64::MAX), (3, 0), (3, 99), (4, 0), (4, u64::MAX), (5, 1001)]
    {
        let mut changed = bytes.clone();
        changed[place * 8..][..8].copy_from_slice(&u64::to_le_bytes(number));
        assert!(open(&changed).is_err(), "number {place} is {number}");
    }
    assert!(
        BloomShape::new(0, 0.1).is_none()
            && BloomShape::new(1, 0.0).is_none()
            && BloomShape::new(1, f64::NAN).is_none()
    );
}
