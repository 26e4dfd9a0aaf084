//! Opening a file, and going on with one that turned out to be long: what is known from another link is not read, and what
//! could not be kept is refused.

use crate::context::Worker;
use crate::job::{Failure, Finished, Job, Yield};
use crate::links::{Claim, same_content};
use crate::reading::Opened;
use crate::sink::{Sink, Skip};
use crate::stats::stop;
use pfh_record::Metadata;
use pfh_source::{EntryKind, Source, SourceFile};
use std::io;

/// What became of a job whose file was to be opened.
enum Opening<F> {
    Open(F),
    /// Its content is known from another link.
    Known(Yield),
    LeftOut,
    Failed(io::Error),
}

impl<S: Source, K: Sink> Worker<'_, '_, '_, S, K> {
    /// Opens a job's file, unless its content is known from another link or the caller leaves it out.
    pub(crate) fn open(&mut self, job: Job) -> Option<Opened<S::File>> {
        if job.entry.kind == EntryKind::Stream {
            // Somebody must open its other end first, which may take for ever.
            self.flush();
        }
        let opening = self.guarded(|worker| worker.begin_to_open(&job));
        match opening {
            Some(Opening::Open(file)) => return Some(Opened::new(job, file)),
            Some(Opening::Known(found)) => self.finish_known(job.ticket, found, job.entry.path()),
            Some(Opening::LeftOut) => self.push(Finished { ticket: job.ticket, item: None }),
            Some(Opening::Failed(error)) => {
                self.fail(job.ticket, job.entry.path(), Failure::unreadable(0, &error));
            }
            None => self.fail(job.ticket, job.entry.path(), Failure::panicked()),
        }
        None
    }

    fn begin_to_open(&mut self, job: &Job) -> Opening<S::File> {
        if self.is_own(job) {
            return Opening::LeftOut;
        }
        if let Some(known) = self.answer_from_links(job) {
            return known;
        }
        let started = self.context.clock.start();
        let opened = self.context.source.open(&job.entry);
        stop(started, &mut self.timers.read);
        match opened {
            Ok(file) => {
                let skips = |skip: Skip<'_>| file.metadata().is_ok_and(|metadata| skip(&job.entry.path(), &metadata));
                if self.context.skip.is_some_and(skips) {
                    self.left_out += 1;
                    return Opening::LeftOut;
                }
                Opening::Open(file)
            }
            Err(error) => Opening::Failed(error),
        }
    }

    fn is_own(&self, job: &Job) -> bool {
        let own = &self.context.options.own_files;
        let hint = job.entry.inode_hint;
        // The hint spares nearly all files the look at their metadata.
        own.iter().any(|(_, inode)| hint == 0 || *inode == hint)
            && self.context.source.metadata(&job.entry).is_ok_and(|found| own.contains(&(found.device, found.inode)))
    }

    /// What another link of the same file has yielded already.
    fn answer_from_links(&mut self, job: &Job) -> Option<Opening<S::File>> {
        let links = &self.context.links;
        if links.is_empty() || job.entry.inode_hint == 0 {
            return None;
        }
        let (device, inode) = (job.entry.directory.device().number, job.entry.inode_hint);
        // The directory's inode number is a hint; the file's own metadata decide.
        let found = links.find(device, inode)?;
        let now = self.context.source.metadata(&job.entry).ok()?;
        if !found.metadata.is_some_and(|then| same_content(&now, &then)) {
            return None;
        }
        links.used(device, inode);
        if self.context.skip.is_some_and(|skip| skip(&job.entry.path(), &now)) {
            self.left_out += 1;
            return Some(Opening::LeftOut);
        }
        Some(Opening::Known(found))
    }

    /// Before the rest of a long file is read: hands over what is finished, refuses what would not fit the memory
    /// option, leaves the file to another worker that is already reading the same content, and waits for room for its digests.
    pub(crate) fn begin_long(
        &mut self,
        opened: Opened<S::File>,
        metadata: Option<Metadata>,
    ) -> Option<(Opened<S::File>, Option<Metadata>)> {
        self.flush();
        let Some(known) = metadata else { return Some((opened, None)) };
        if self.context.pieces.is_some_and(|pieces| pieces.are_too_many_for(known.size)) {
            self.fail(opened.job.ticket, opened.job.entry.path(), Failure::too_many_pieces(metadata));
            return None;
        }
        if known.links <= 1 {
            return Some((self.with_growth(opened, &known), metadata));
        }
        match self.context.links.claim(&known, opened, |opened| opened.job) {
            Claim::Mine(opened) => Some((self.with_growth(opened, &known), metadata)),
            Claim::Known(opened, found) => {
                self.context.links.used(known.device, known.inode);
                self.finish_known(opened.job.ticket, found, opened.job.entry.path());
                None
            }
            Claim::Waits => None,
        }
    }

    /// Waits for room for digests that grow. Others may have it, but nothing that this thread holds.
    fn with_growth(&mut self, mut opened: Opened<S::File>, metadata: &Metadata) -> Opened<S::File> {
        let bytes = self.context.families.iter().map(|rule| rule.growth_bytes(metadata.size)).sum();
        let started = self.context.clock.start();
        opened.growth = self.context.growth.reserve(bytes);
        stop(started, &mut self.timers.wait_space);
        opened
    }
}
