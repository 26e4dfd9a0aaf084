//! Opening a file, and continuing with one that is longer than a slot. Files whose content is known from another link,
//! or which the caller does not want, are not read; pieces that could not be kept are refused.

use crate::context::Worker;
use crate::individual::Individual;
use crate::job::{Failure, HashedFile, Job};
use crate::links::Claim;
use crate::reading::Opened;
use crate::sink::{Decision, FileOptions};
use crate::stats::stop;
use pfh_record::{FileError, Metadata, Outcome, SkipReason};
use pfh_source::{EntryKind, Source, SourceFile, Stamp};

/// An open file, and its own digests and consumer, if its treatment differs from the run's.
type Open<F> = (F, Option<Box<Individual>>);

/// The reason why a job's file is not read. Boxed, since few files have one and every opened file would be moved with
/// the space for it.
#[expect(clippy::large_enum_variant, reason = "it is taken apart where it arrives")]
enum Unopened {
    /// The content is known from another link.
    Known(HashedFile),
    RecordOnly(Metadata, SkipReason),
    LeftOut,
    Failed(FileError),
}

impl From<FileError> for Box<Unopened> {
    fn from(error: FileError) -> Self {
        Box::new(Unopened::Failed(error))
    }
}

impl<S: Source> Worker<'_, '_, '_, S> {
    /// Opens a job's file, unless its content is known from another link or the caller does not want it read.
    pub(crate) fn open(&mut self, job: Job<S::Handle>) -> Option<Opened<S>> {
        if job.entry.kind == EntryKind::Stream {
            // Opening a stream waits until somebody opens its other end, which may take for ever.
            self.flush();
        }
        let unopened = match self.guarded(|worker| worker.begin_to_open(&job)) {
            Some(Ok((file, individual))) => return Some(Opened::new(job, file, individual)),
            Some(Err(unopened)) => *unopened,
            None => {
                self.fail(job.ticket, job.entry.path(), Failure::panicked());
                return None;
            }
        };
        match unopened {
            Unopened::Known(found) => self.finish_known(job.ticket, found, job.entry.path()),
            Unopened::RecordOnly(metadata, reason) => {
                let failure = Failure { metadata: Some(metadata), ..Failure::new(Outcome::Skipped(reason)) };
                self.fail(job.ticket, job.entry.path(), failure);
            }
            Unopened::LeftOut => self.add(job.ticket, None),
            Unopened::Failed(error) => self.fail(job.ticket, job.entry.path(), Failure::unreadable(0, error)),
        }
        None
    }

    fn begin_to_open(&mut self, job: &Job<S::Handle>) -> Result<Open<S::File>, Box<Unopened>> {
        if self.is_own(job) {
            return Err(Unopened::LeftOut.into());
        }
        if let Some((found, now)) = self.answer_from_links(job) {
            let wanted = self.decide(job, &now)?;
            return match wanted {
                None => Err(Unopened::Known(found).into()),
                // The caller wants other digests than those known, or a consumer, so the file is read.
                Some(wanted) => Ok((self.open_file(job)?, Some(self.individual(wanted)))),
            };
        }
        let file = self.open_file(job)?;
        if self.context.decide.is_none() {
            return Ok((file, None));
        }
        // Reading the file will report the same error.
        let Ok(Stamp { metadata, .. }) = file.stamp() else { return Ok((file, None)) };
        let wanted = self.decide(job, &metadata)?;
        Ok((file, wanted.map(|wanted| self.individual(wanted))))
    }

    fn open_file(&mut self, job: &Job<S::Handle>) -> Result<S::File, FileError> {
        let started = self.context.clock.start();
        let opened = self.context.source.open(&job.entry);
        stop(started, &mut self.timers.read);
        opened
    }

    /// Asks the caller what to do with a file. Returns its own options, if it is to be hashed with others than those of
    /// the run.
    fn decide(&mut self, job: &Job<S::Handle>, metadata: &Metadata) -> Result<Option<FileOptions>, Box<Unopened>> {
        let told = (job.entry.kind == EntryKind::Regular).then_some(metadata);
        match self.context.decide.map_or(Decision::Hash, |decide| decide(&job.entry.path(), told)) {
            Decision::Hash => Ok(None),
            Decision::HashWith(wanted) => Ok(Some(wanted)),
            Decision::RecordOnly(reason) => Err(Unopened::RecordOnly(*metadata, reason).into()),
            Decision::LeaveOut => {
                self.left_out += 1;
                Err(Unopened::LeftOut.into())
            }
        }
    }

    fn individual(&self, wanted: FileOptions) -> Box<Individual> {
        let context = self.context;
        Box::new(Individual::new(context.options, &context.families, context.pieces, wanted))
    }

    /// Ends an opened file without digests.
    pub(crate) fn fail_opened(&mut self, opened: Opened<S>, failure: Failure) {
        let Opened { job, individual, .. } = opened;
        let path = job.entry.path();
        let failure = match individual {
            None => failure,
            Some(individual) => individual.conclude(&path, Err(failure)).err().unwrap_or_else(Failure::panicked),
        };
        self.fail(job.ticket, path, failure);
    }

    fn is_own(&self, job: &Job<S::Handle>) -> bool {
        let own = &self.context.options.own_files;
        let hint = job.entry.identity_hint;
        // The hint saves asking for the identity of nearly all files.
        own.iter().any(|own| hint.is_none_or(|hint| hint.number == own.number))
            && self
                .context
                .source
                .stamp(&job.entry)
                .is_ok_and(|stamp| stamp.identity.is_some_and(|id| own.contains(&id)))
    }

    /// Returns the digests known from another link of the same file, and the file's metadata.
    fn answer_from_links(&mut self, job: &Job<S::Handle>) -> Option<(HashedFile, Metadata)> {
        let links = &self.context.links;
        if links.is_empty() {
            return None;
        }
        // The listing gives a hint; the file's own stamp decides.
        let hint = job.entry.identity_hint?;
        let found = links.find(hint)?;
        let now = self.context.source.stamp(&job.entry).ok()?;
        if !found.stamp.is_some_and(|then| now.is_same_content(&then)) {
            return None;
        }
        links.used(hint);
        Some((found, now.metadata))
    }

    /// Prepares reading the rest of a long file: hands over finished records, refuses too many pieces, leaves the file
    /// to another worker that is reading the same content, and waits for memory for its digests.
    pub(crate) fn begin_long(
        &mut self,
        mut opened: Opened<S>,
        stamp: Option<Stamp>,
    ) -> Option<(Opened<S>, Option<Stamp>)> {
        self.flush();
        opened.begin_reading(&self.context.in_flight);
        let Some(known) = stamp else { return Some((opened, None)) };
        let size = known.metadata.size;
        if self.context.pieces.is_some_and(|pieces| pieces.are_too_many_for(size)) {
            self.fail(opened.job.ticket, opened.job.entry.path(), Failure::too_many_pieces(Some(known.metadata)));
            return None;
        }
        let Some(identity) = known.shared_identity() else { return Some((self.with_growth(opened, size), stamp)) };
        match self.context.links.claim(identity, &known, opened, |opened| opened.job) {
            Claim::Mine(opened) => Some((self.with_growth(opened, size), stamp)),
            Claim::Known(opened, found) => {
                self.context.links.used(identity);
                self.finish_known(opened.job.ticket, found, opened.job.entry.path());
                None
            }
            Claim::Waits => None,
        }
    }

    fn with_growth(&mut self, mut opened: Opened<S>, size: u64) -> Opened<S> {
        let bytes = self.context.families.iter().map(|rule| rule.growth_bytes(size)).sum();
        self.reserve_growth(&mut opened, bytes);
        opened
    }

    /// Waits for memory for digests that grow. A worker hashes meanwhile what readers have read: their files may hold
    /// all of it. Other workers that hold some need nothing that this thread holds.
    pub(crate) fn reserve_growth(&mut self, opened: &mut Opened<S>, bytes: u64) {
        let budget = &self.context.digest_budget;
        opened.growth = (bytes > 0).then(|| self.hash_until(|moment| budget.reserve_soon(bytes, moment)));
    }
}
