//! Hard links: content that was read under one name is not read again under another.

use crate::digesting::SIMILARITY_BYTES;
use crate::job::{HashedFile, Job};
use crate::sync::lock;
use pfh_source::{FileIdentity, Stamp};
use std::collections::HashMap;
use std::collections::hash_map::Entry as Place;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Digests of files with several links, by identity. Bounded: when it is full, further files are simply read.
pub(crate) struct Links<H> {
    known: Mutex<HashMap<FileIdentity, Known<H>>>,
    count: AtomicUsize,
    most: usize,
}

#[expect(clippy::large_enum_variant, reason = "nearly all are of the large one")]
enum Known<H> {
    /// A worker is reading this large file; these jobs wait for its result.
    BeingRead(Vec<Job<H>>),
    /// The file was read; `left` further links are expected.
    Read { found: HashedFile, left: u64 },
}

/// The claim of a worker to read a file with several links for all of them.
#[derive(Clone, Copy)]
pub(crate) struct Claimed {
    identity: FileIdentity,
    links: u64,
}

impl Claimed {
    /// Returns the claim on a file; `None` if it has only one name.
    pub(crate) fn of(stamp: &Stamp) -> Option<Claimed> {
        stamp.shared_identity().map(|identity| Claimed { identity, links: stamp.links })
    }
}

/// The answer to a request to read a large file with several links.
#[expect(clippy::large_enum_variant, reason = "it is taken apart where it arrives")]
pub(crate) enum Claim<T> {
    /// The requesting worker reads it.
    Mine(T),
    /// The file was read already, with this result.
    Known(T, HashedFile),
    /// Another worker is reading it; the job waits.
    Waits,
}

impl<H> Links<H> {
    pub(crate) fn new(most: usize) -> Links<H> {
        Links { known: Mutex::new(HashMap::new()), count: AtomicUsize::new(0), most }
    }

    /// True until the first file with several links was met; saves taking the lock.
    pub(crate) fn is_empty(&self) -> bool {
        self.count.load(Ordering::Relaxed) == 0
    }

    /// Returns the known digests of this file. The caller must check by its own stamp that the content is the same.
    pub(crate) fn find(&self, identity: FileIdentity) -> Option<HashedFile> {
        match lock(&self.known).get(&identity) {
            Some(Known::Read { found, .. }) => Some(found.clone()),
            _ => None,
        }
    }

    /// Notes that one link was answered from the table. The content is forgotten with its last link.
    pub(crate) fn used(&self, identity: FileIdentity) {
        let mut known = lock(&self.known);
        if let Place::Occupied(mut place) = known.entry(identity)
            && let Known::Read { left, .. } = place.get_mut()
        {
            *left = left.saturating_sub(1);
            if *left == 0 {
                place.remove();
                self.count.store(known.len(), Ordering::Relaxed);
            }
        }
    }

    /// Remembers the result of reading a file completely.
    pub(crate) fn insert(&self, found: &HashedFile) {
        if let Some(stamp) = &found.stamp
            && let Some(identity) = stamp.shared_identity()
        {
            self.insert_into(&mut lock(&self.known), identity, stamp.links, found);
        }
    }

    fn insert_into(
        &self,
        known: &mut HashMap<FileIdentity, Known<H>>,
        identity: FileIdentity,
        links: u64,
        found: &HashedFile,
    ) {
        // Long similarity digests are not kept: the memory share covers only those of usual length.
        if known.len() < self.most
            && found.digests.similarities.iter().all(|one| one.text_bytes() as u64 <= SIMILARITY_BYTES)
        {
            let read = Known::Read { found: found.clone(), left: links - 1 };
            known.entry(identity).or_insert(read);
            self.count.store(known.len(), Ordering::Relaxed);
        }
    }

    /// Requests to read a large file with several links. If another worker is reading the same content, the job waits
    /// for its result.
    pub(crate) fn claim<T>(
        &self,
        identity: FileIdentity,
        stamp: &Stamp,
        holder: T,
        job: impl FnOnce(T) -> Job<H>,
    ) -> Claim<T> {
        let mut known = lock(&self.known);
        let full = known.len() >= self.most;
        let claim = match known.entry(identity) {
            Place::Vacant(place) => {
                if !full {
                    place.insert(Known::BeingRead(Vec::new()));
                }
                Claim::Mine(holder)
            }
            Place::Occupied(mut place) => match place.get_mut() {
                Known::BeingRead(parked) => {
                    parked.push(job(holder));
                    Claim::Waits
                }
                Known::Read { found, .. } if found.stamp.is_some_and(|then| stamp.is_same_content(&then)) => {
                    Claim::Known(holder, found.clone())
                }
                Known::Read { .. } => Claim::Mine(holder),
            },
        };
        self.count.store(known.len(), Ordering::Relaxed);
        claim
    }

    /// Ends a claim and returns the jobs that waited for it. A result is known from then on, so nobody can claim the
    /// file in between.
    pub(crate) fn settle(&self, claimed: Claimed, found: Option<&HashedFile>) -> Vec<Job<H>> {
        let mut known = lock(&self.known);
        let parked = match known.entry(claimed.identity) {
            Place::Occupied(place) if matches!(place.get(), Known::BeingRead(_)) => match place.remove() {
                Known::BeingRead(parked) => parked,
                Known::Read { .. } => Vec::new(),
            },
            _ => Vec::new(),
        };
        if let Some(found) = found {
            self.insert_into(&mut known, claimed.identity, claimed.links, found);
        }
        self.count.store(known.len(), Ordering::Relaxed);
        parked
    }
}
