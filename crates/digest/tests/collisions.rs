//! `sha1dc` gives the true SHA-1 and knows the published attacks.

mod common;

use pfh_digest::Digest;

/// The pairs of `vectors/sha1-collisions.txt`.
fn pairs() -> Vec<(&'static str, Vec<u8>, Vec<u8>)> {
    let lines: Vec<_> =
        include_str!("vectors/sha1-collisions.txt").lines().filter(|line| !line.starts_with('#')).collect();
    assert_eq!(lines.len(), 4);
    lines
        .chunks(2)
        .map(|pair| {
            let [one, other] = [0, 1].map(|index| pair[index].split_once(' ').expect("NAME HEXADECIMAL"));
            assert_eq!(one.0, other.0);
            (one.0, common::from_hex(one.1), common::from_hex(other.1))
        })
        .collect()
}

#[test]
fn the_known_attacks_are_detected() {
    let (sha1, sha1dc) = (common::algorithm("sha1"), common::algorithm("sha1dc"));
    for (name, one, other) in pairs() {
        assert_ne!(one, other, "{name}");
        assert_eq!(sha1.digest(&one), sha1.digest(&other), "{name} is a collision");
        for message in [one, other] {
            // A file that goes on after the collision, as the published documents do, is detected as well.
            for tail in [&b""[..], &[0; 1000]] {
                let message = [&message, tail].concat();
                let mut hasher = sha1dc.hasher();
                message.chunks(13).for_each(|piece| hasher.update(piece));
                for digest in [hasher.finish(), sha1dc.digest(&message)] {
                    assert!(digest.collision_detected(), "{name}");
                    assert_eq!(digest.bytes(), sha1.digest(&message).bytes(), "{name}: the true SHA-1");
                    assert_eq!(format!("{digest:?}"), format!("sha1dc:{digest}!"));
                    let read_back = Digest::new(sha1dc, digest.bytes()).unwrap();
                    assert!(!read_back.collision_detected());
                    assert_eq!(read_back, digest, "the mark is not part of the value");
                }
                // The mark does not stay for the next message.
                hasher.update(b"harmless");
                assert!(!hasher.finish().collision_detected(), "{name}");
            }
        }
    }
}

#[test]
fn other_messages_are_not_suspected() {
    let (sha1, sha1dc) = (common::algorithm("sha1"), common::algorithm("sha1dc"));
    for (name, mut one, _) in pairs() {
        // One bit of the first near-collision block changed: no attack any more.
        let last_blocks = one.len() - 128;
        one[last_blocks + 20] ^= 1;
        let digest = sha1dc.digest(&one);
        assert_eq!(digest.bytes(), sha1.digest(&one).bytes());
        assert!(!digest.collision_detected(), "{name} with one bit changed");
    }
    for length in (0..100_000).step_by(997) {
        let message = common::cycle251(length);
        let digest = sha1dc.digest(&message);
        assert_eq!(digest.bytes(), sha1.digest(&message).bytes());
        assert!(!digest.collision_detected(), "{length} harmless bytes");
    }
}

#[test]
fn plain_sha1_marks_nothing() {
    for (_, one, _) in pairs() {
        assert!(!common::algorithm("sha1").digest(&one).collision_detected());
    }
}
