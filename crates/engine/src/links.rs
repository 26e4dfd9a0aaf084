//! Hard links: content that was read once is not read again.

use crate::digesting::SIMILARITY_BYTES;
use crate::job::{HashedFile, Job};
use crate::sync::lock;
use pfh_record::Metadata;
use std::collections::HashMap;
use std::collections::hash_map::Entry as Place;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Content of files with several links, by device and inode. Bounded: when it is full, further files are simply read.
pub(crate) struct Links {
    known: Mutex<HashMap<(u64, u64), Known>>,
    count: AtomicUsize,
    most: usize,
}

enum Known {
    /// A worker is reading this (large) file; the jobs wait for what it finds.
    BeingRead(Vec<Job>),
    /// Read; so many links are still to come.
    Read { found: HashedFile, left: u64 },
}

/// Who reads a large file with several links.
pub(crate) enum Claim<T> {
    /// Whoever asked.
    Mine(T),
    /// Nobody any more: this was found.
    Known(T, HashedFile),
    /// Another worker.
    Waits,
}

impl Links {
    pub(crate) fn new(most: usize) -> Links {
        Links { known: Mutex::new(HashMap::new()), count: AtomicUsize::new(0), most }
    }

    /// True until the first file with several links was met: spares the lock.
    pub(crate) fn is_empty(&self) -> bool {
        self.count.load(Ordering::Relaxed) == 0
    }

    /// What is known of the content at this place. The caller confirms that its own metadata are [`same_content`].
    pub(crate) fn find(&self, device: u64, inode: u64) -> Option<HashedFile> {
        match lock(&self.known).get(&(device, inode)) {
            Some(Known::Read { found, .. }) => Some(found.clone()),
            _ => None,
        }
    }

    /// One link was answered from the table; forgets the content with its last link.
    pub(crate) fn used(&self, device: u64, inode: u64) {
        let mut known = lock(&self.known);
        if let Place::Occupied(mut place) = known.entry((device, inode))
            && let Known::Read { left, .. } = place.get_mut()
        {
            *left = left.saturating_sub(1);
            if *left == 0 {
                place.remove();
                self.count.store(known.len(), Ordering::Relaxed);
            }
        }
    }

    /// Remembers what a complete reading found.
    pub(crate) fn insert(&self, found: &HashedFile) {
        if let Some(metadata) = &found.metadata
            && metadata.links > 1
        {
            self.insert_into(&mut lock(&self.known), metadata, found);
        }
    }

    fn insert_into(&self, known: &mut HashMap<(u64, u64), Known>, metadata: &Metadata, found: &HashedFile) {
        // Long similarity digests are not kept: there is room for usual ones only.
        if known.len() < self.most
            && found.digests.similarities.iter().all(|one| one.text_bytes() as u64 <= SIMILARITY_BYTES)
        {
            let read = Known::Read { found: found.clone(), left: metadata.links - 1 };
            known.entry((metadata.device, metadata.inode)).or_insert(read);
            self.count.store(known.len(), Ordering::Relaxed);
        }
    }

    /// Asks to read a large file with several links. Returns what holds its job unless another worker is reading the same
    /// content; the job then waits for what that one finds.
    pub(crate) fn claim<T>(&self, metadata: &Metadata, holder: T, job: impl FnOnce(T) -> Job) -> Claim<T> {
        let mut known = lock(&self.known);
        let full = known.len() >= self.most;
        let claim = match known.entry((metadata.device, metadata.inode)) {
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
                Known::Read { found, .. } if found.metadata.is_some_and(|then| same_content(metadata, &then)) => {
                    Claim::Known(holder, found.clone())
                }
                Known::Read { .. } => Claim::Mine(holder),
            },
        };
        self.count.store(known.len(), Ordering::Relaxed);
        claim
    }

    /// Ends a claim, and returns the jobs that waited for it. What the reading found, if it went well, is known from then
    /// on: nobody can claim the file in between.
    pub(crate) fn settle(&self, metadata: &Metadata, found: Option<&HashedFile>) -> Vec<Job> {
        let mut known = lock(&self.known);
        let parked = match known.entry((metadata.device, metadata.inode)) {
            Place::Occupied(place) if matches!(place.get(), Known::BeingRead(_)) => match place.remove() {
                Known::BeingRead(parked) => parked,
                Known::Read { .. } => Vec::new(),
            },
            _ => Vec::new(),
        };
        if let Some(found) = found {
            self.insert_into(&mut known, metadata, found);
        }
        self.count.store(known.len(), Ordering::Relaxed);
        parked
    }
}

/// Whether two looks at a file saw the same content: place, size and both times.
pub(crate) fn same_content(one: &Metadata, other: &Metadata) -> bool {
    (one.device, one.inode, one.size, one.mtime, one.ctime)
        == (other.device, other.inode, other.size, other.mtime, other.ctime)
}
