//! The chain: each event's hash covers the event and the hash before it.
//!
//! The bytes that are hashed with SHA-256 are the hash of the event before (32 zero bytes for the first event), and
//! then the fields in this order: number, run, kind, time, root, path, size, modification time (seconds,
//! nanoseconds), time of the inode (seconds, nanoseconds), inode, names of the algorithms, digests, number of the
//! expected event, root and path of the other file, note. An absent field is the byte 0; an integer is the byte 1 and
//! eight bytes, most significant first, in two's complement; bytes are the byte 2, their number in eight bytes, and
//! themselves.

use pfh_digest::{Algorithm, Hasher};

use crate::{Error, Event, Subject};

/// A hash of the chain: SHA-256.
pub type Hash = [u8; 32];

/// The hash before the first event.
pub const ORIGIN: Hash = [0; 32];

/// Computes the hashes of events.
#[derive(Debug)]
pub struct Chain {
    hasher: Hasher,
    bytes: Vec<u8>,
}

impl Chain {
    /// Makes a chain.
    ///
    /// # Errors
    /// If this build has no SHA-256.
    pub fn new() -> Result<Chain, Error> {
        let algorithm = Algorithm::from_name("sha256")
            .map_err(|error| Error::Refused(format!("the chain needs SHA-256: {error}")))?;
        Ok(Chain { hasher: algorithm.hasher(), bytes: Vec::new() })
    }

    /// Returns the hash of an event that follows one with the hash `previous`.
    pub fn hash(&mut self, previous: &Hash, event: &Event) -> Hash {
        self.bytes.clear();
        self.bytes.extend_from_slice(previous);
        push(event, &mut self.bytes);
        self.hasher.update(&self.bytes);
        let mut hash = ORIGIN;
        hash.copy_from_slice(self.hasher.finish().bytes());
        hash
    }
}

/// Appends the fields of an event.
fn push(event: &Event, out: &mut Vec<u8>) {
    for number in [event.id, event.run, event.finding.code(), event.time] {
        push_number(Some(number), out);
    }
    push_subject(event.subject.as_ref(), out);
    let seen = event.seen.as_ref();
    push_number(seen.map(|seen| seen.size.cast_signed()), out);
    push_number(seen.map(|seen| seen.mtime.seconds), out);
    push_number(seen.map(|seen| i64::from(seen.mtime.nanoseconds)), out);
    push_number(seen.map(|seen| seen.ctime.seconds), out);
    push_number(seen.map(|seen| i64::from(seen.ctime.nanoseconds)), out);
    push_number(seen.map(|seen| seen.inode.cast_signed()), out);
    push_bytes(event.digests.as_ref().map(|digests| digests.algorithms.as_bytes()), out);
    push_bytes(event.digests.as_ref().map(|digests| &digests.bytes[..]), out);
    push_number(event.expected, out);
    push_subject(event.other.as_ref(), out);
    push_bytes(event.note.as_deref(), out);
}

fn push_subject(subject: Option<&Subject>, out: &mut Vec<u8>) {
    push_number(subject.map(|subject| i64::from(subject.root)), out);
    push_bytes(subject.map(|subject| &subject.path[..]), out);
}

fn push_number(number: Option<i64>, out: &mut Vec<u8>) {
    match number {
        None => out.push(0),
        Some(number) => {
            out.push(1);
            out.extend_from_slice(&number.to_be_bytes());
        }
    }
}

fn push_bytes(bytes: Option<&[u8]>, out: &mut Vec<u8>) {
    match bytes {
        None => out.push(0),
        Some(bytes) => {
            out.push(2);
            out.extend_from_slice(&(bytes.len() as u64).to_be_bytes());
            out.extend_from_slice(bytes);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Digests, Finding, Seen};
    use pfh_record::Timestamp;

    fn full() -> Event {
        let time = |seconds, nanoseconds| Timestamp { seconds, nanoseconds };
        Event {
            id: 7,
            run: 2,
            finding: Finding::Changed,
            time: 1_795_183_702,
            subject: Some(Subject { root: 0, path: b"a/\xff".to_vec() }),
            seen: Some(Seen { size: 5, mtime: time(-1, 9), ctime: time(3, 4), inode: u64::MAX }),
            digests: Some(Digests { algorithms: "crc32".to_owned(), bytes: vec![1, 2, 3, 4] }),
            expected: Some(3),
            other: None,
            note: Some(b"{}".to_vec()),
        }
    }

    /// The value is from Python's hashlib and struct over the fields as the module describes them.
    #[test]
    fn the_hash_is_that_of_the_description() {
        let hash = Chain::new().unwrap().hash(&ORIGIN, &full());
        assert_eq!(pfh_digest::hexadecimal(&hash), "38c0a4173d239fbbcd8abe20b789310fca2e10c9ef35dacb37231559929e31c7");
    }

    /// No field can be changed, removed, or traded for its neighbour without another hash.
    #[test]
    fn every_field_counts() {
        let mut chain = Chain::new().unwrap();
        let base = chain.hash(&ORIGIN, &full());
        let changes: [fn(&mut Event); 14] = [
            |event| event.id = 8,
            |event| event.run = 3,
            |event| event.finding = Finding::BitRot,
            |event| event.time += 1,
            |event| event.subject = None,
            |event| event.subject.iter_mut().for_each(|subject| subject.path.push(b'x')),
            |event| event.seen.iter_mut().for_each(|seen| seen.size += 1),
            |event| event.seen.iter_mut().for_each(|seen| std::mem::swap(&mut seen.mtime, &mut seen.ctime)),
            |event| event.seen = None,
            |event| event.digests.iter_mut().for_each(|digests| digests.bytes[0] = 0),
            |event| event.digests.iter_mut().for_each(|digests| digests.algorithms = "adler32".to_owned()),
            |event| event.expected = None,
            |event| event.other = event.subject.take(),
            |event| event.note = None,
        ];
        let mut seen = vec![base, chain.hash(&base, &full())];
        for change in changes {
            let mut event = full();
            change(&mut event);
            let hash = chain.hash(&ORIGIN, &event);
            assert!(!seen.contains(&hash));
            seen.push(hash);
        }
        assert_eq!(chain.hash(&ORIGIN, &full()), base);
    }
}
