//! The queue of files for the algorithms and families that digest many whole messages at once.
//!
//! A worker keeps the files that fit into a slot until there are enough of them, or no other file is left to begin.
//! First these algorithms and families digest all of them together; then each file goes into a lane, or is hashed
//! alone.

use crate::batched::BatchHashers;
use crate::context::Worker;
use crate::digesting::BatchDigests;
use crate::job::Job;
use crate::limits::{BATCHED_BYTES_MAX, BATCHED_FILES_MAX};
use crate::stats::stop;
use crate::table::Slot;
use pfh_source::{Source, Stamp};
use std::collections::VecDeque;

impl<S: Source> Worker<'_, '_, '_, S> {
    /// Like [`Worker::digest_many`], for one message. Usually no algorithm of the run digests many at once.
    pub(crate) fn digest_one(&mut self, message: &[u8]) -> Option<BatchDigests> {
        match self.context.batched.is_empty() {
            true => Some(BatchDigests::default()),
            false => self.digest_many(&[message]).pop().flatten(),
        }
    }

    /// Computes the digests of each message by the algorithms and families that digest many messages at once; `None` if
    /// digesting it panicked.
    pub(crate) fn digest_many(&mut self, messages: &[&[u8]]) -> Vec<Option<BatchDigests>> {
        let (batched, options) = (&self.context.batched, self.context.options);
        let started = self.context.clock.start();
        let all = self.guarded(|worker| {
            let hashers = worker.batch_hashers.get_or_insert_with(|| BatchHashers::new(batched, options.backend));
            hashers.digest(messages)
        });
        let digests = match all {
            Some(all) => all.into_iter().map(Some).collect(),
            // One message made the code panic; digesting them one by one keeps the others.
            None => messages.iter().map(|message| self.guarded(|_| batched.digest(options, message))).collect(),
        };
        stop(started, &mut self.timers.hash);
        digests
    }
}

/// A file that is whole in its slot. The file itself is closed.
pub(crate) struct WholeFile<'r, 'm, H> {
    pub(crate) job: Job<H>,
    pub(crate) slot: Slot<'r, 'm>,
    pub(crate) length: usize,
    pub(crate) stamp: Option<Stamp>,
}

impl<H> WholeFile<'_, '_, H> {
    pub(crate) fn content(&self) -> &[u8] {
        self.slot.filled(self.length)
    }
}

/// The whole files of one worker that wait to be digested together.
pub(crate) struct BatchQueue<'r, 'm, H> {
    waiting: Vec<WholeFile<'r, 'm, H>>,
    waiting_bytes: usize,
    /// Files that these algorithms and families have digested, with the digests; `None` if digesting one panicked.
    digested: VecDeque<(WholeFile<'r, 'm, H>, Option<BatchDigests>)>,
    /// Whether the worker has already waited for the walk since the last file was added.
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

    /// Whether to wait for more files before digesting these: at most once after each added file.
    pub(crate) fn pauses(&mut self) -> bool {
        let few = self.digested.is_empty() && !self.waiting.is_empty() && self.fills_less_than(2);
        few && !std::mem::replace(&mut self.paused, true)
    }

    /// Whether the queue is filled to less than 1/`divisor` of its limits.
    fn fills_less_than(&self, divisor: usize) -> bool {
        self.waiting.len() < BATCHED_FILES_MAX / divisor && self.waiting_bytes < BATCHED_BYTES_MAX / divisor
    }

    pub(crate) fn add(&mut self, file: WholeFile<'r, 'm, H>) {
        self.waiting_bytes += file.length;
        self.waiting.push(file);
        self.paused = false;
    }

    /// Digests the waiting files, unless digested ones have yet to be taken.
    pub(crate) fn digest<S: Source>(&mut self, worker: &mut Worker<'_, 'r, 'm, S>) {
        if self.digested.is_empty() {
            let contents: Vec<&[u8]> = self.waiting.iter().map(WholeFile::content).collect();
            let made = worker.digest_many(&contents);
            self.digested.extend(self.waiting.drain(..).zip(made));
            self.waiting_bytes = 0;
        }
    }

    /// Takes a digested file.
    pub(crate) fn take(&mut self) -> Option<(WholeFile<'r, 'm, H>, Option<BatchDigests>)> {
        self.digested.pop_front()
    }
}
