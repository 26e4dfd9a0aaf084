//! Families that digest many whole messages at once, and the files that wait for each other for that.
//!
//! A worker keeps the files that came whole into a slot until they are enough, or nothing else is left to begin. Then
//! they go on together: first these families digest all of them, and after that each goes into a lane, or is hashed
//! alone.

use crate::context::Worker;
use crate::job::Job;
use crate::limits::{BATCHED_BYTES_MAX, BATCHED_FILES_MAX};
use crate::sink::Sink;
use crate::stats::stop;
use crate::table::Slot;
use pfh_record::Similarity;
use pfh_similarity::{Backend, Family, Hasher, ManyHasher, SimilarityOptions};
use pfh_source::{Source, Stamp};
use std::collections::VecDeque;

impl<S: Source, K: Sink> Worker<'_, '_, '_, S, K> {
    /// The digests of each message by the families that make many at once.
    pub(crate) fn digest_many(&mut self, messages: &[&[u8]]) -> Vec<Similarities> {
        let families = &self.context.batched;
        let backend = self.context.options.backend;
        if families.is_empty() {
            return vec![Some(Vec::new()); messages.len()];
        }
        let started = self.context.clock.start();
        let all = self.guarded(|worker| {
            let hashers = worker.many_hashers.get_or_insert_with(|| {
                families.iter().filter_map(|family| ManyHasher::with_backend(*family, backend)).collect()
            });
            all_at_once(hashers, messages)
        });
        let digests = match all {
            Some(all) => all.into_iter().map(Some).collect(),
            // One of them is at fault, and the others are not to suffer.
            None => messages.iter().map(|message| self.guarded(|_| one_by_one(families, backend, message))).collect(),
        };
        stop(started, &mut self.timers.hash);
        digests
    }
}

/// The digests of each message.
fn all_at_once(hashers: &mut [ManyHasher], messages: &[&[u8]]) -> Vec<Vec<Similarity>> {
    let mut digests = vec![Vec::new(); messages.len()];
    for hasher in hashers {
        let family = hasher.family();
        for (digests, digest) in digests.iter_mut().zip(hasher.digest_many(messages)) {
            digests.push(Similarity { family, digest });
        }
    }
    digests
}

fn one_by_one(families: &[Family], backend: Backend, message: &[u8]) -> Vec<Similarity> {
    let similarity = |&family| {
        let mut hasher = Hasher::with_backend(family, &SimilarityOptions::default(), backend);
        hasher.update(message);
        Similarity { family, digest: hasher.finish() }
    };
    families.iter().map(similarity).collect()
}

/// A file that is whole in its slot, and closed.
pub(crate) struct WholeFile<'r, 'm, H> {
    pub(crate) job: Job<H>,
    pub(crate) slot: Slot<'r, 'm>,
    pub(crate) length: usize,
    pub(crate) stamp: Option<Stamp>,
}

/// The digests that these families made of a file; `None` where that panicked.
pub(crate) type Similarities = Option<Vec<Similarity>>;

impl<H> WholeFile<'_, '_, H> {
    pub(crate) fn content(&self) -> &[u8] {
        self.slot.filled(self.length)
    }
}

/// Files of one worker that wait for each other.
pub(crate) struct BatchQueue<'r, 'm, H> {
    waiting: Vec<WholeFile<'r, 'm, H>>,
    waiting_bytes: usize,
    /// Those that these families have digested.
    digested: VecDeque<(WholeFile<'r, 'm, H>, Similarities)>,
    /// The walk was given a moment since the last file came.
    paused: bool,
}

impl<H> Default for BatchQueue<'_, '_, H> {
    fn default() -> Self {
        BatchQueue { waiting: Vec::new(), waiting_bytes: 0, digested: VecDeque::new(), paused: false }
    }
}

impl<'r, 'm, H> BatchQueue<'r, 'm, H> {
    pub(crate) fn has_room(&self) -> bool {
        self.digested.is_empty() && self.fills_less_than(1)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.digested.is_empty() && self.waiting.is_empty()
    }

    /// Whether to wait for more files before these are digested: once after each that came.
    pub(crate) fn pauses(&mut self) -> bool {
        let few = self.digested.is_empty() && !self.waiting.is_empty() && self.fills_less_than(2);
        few && !std::mem::replace(&mut self.paused, true)
    }

    /// Less than this part of what it may be.
    fn fills_less_than(&self, divisor: usize) -> bool {
        self.waiting.len() < BATCHED_FILES_MAX / divisor && self.waiting_bytes < BATCHED_BYTES_MAX / divisor
    }

    pub(crate) fn add(&mut self, file: WholeFile<'r, 'm, H>) {
        self.waiting_bytes += file.length;
        self.waiting.push(file);
        self.paused = false;
    }

    /// Digests the files that wait, unless some are digested already.
    pub(crate) fn digest<S: Source, K: Sink>(&mut self, worker: &mut Worker<'_, 'r, 'm, S, K>) {
        if self.digested.is_empty() {
            let contents: Vec<&[u8]> = self.waiting.iter().map(WholeFile::content).collect();
            let made = worker.digest_many(&contents);
            self.digested.extend(self.waiting.drain(..).zip(made));
            self.waiting_bytes = 0;
        }
    }

    /// One that is digested.
    pub(crate) fn take(&mut self) -> Option<(WholeFile<'r, 'm, H>, Similarities)> {
        self.digested.pop_front()
    }
}
