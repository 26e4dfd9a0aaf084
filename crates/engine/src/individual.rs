//! Files that are treated otherwise than the run's: with some of its digests only, or with a consumer of their bytes.

use crate::consumer::Consumer;
use crate::digesting::{DigestSet, FamilyRule, FileDigests, PieceRule};
use crate::job::{Failure, HashedFile};
use crate::options::Options;
use crate::sink::FileOptions;
use crate::sync::get_mut;
use pfh_record::{ErrorKind, FileError, Outcome};
use pfh_source::Stamp;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;

/// Pieces whose digests wait for the consumer at most.
const PIECES_HELD_MAX: u64 = 64;

/// The digests of one file, and the consumer of its bytes. Dropped before its end, it retracts what the consumer has: the run was stopped.
pub(crate) struct Individual {
    set: DigestSet,
    families: Vec<FamilyRule>,
    /// A lock that nobody takes: an opened file can be shared, and consumers need not be.
    consumer: Mutex<Option<Box<dyn Consumer>>>,
    /// Bytes between two looks for pieces, where the consumer takes these.
    step_bytes: Option<usize>,
}

impl Individual {
    /// `families` and `pieces`: those of the run.
    pub(crate) fn new(
        options: &Options,
        families: &[FamilyRule],
        pieces: Option<PieceRule>,
        wanted: FileOptions,
    ) -> Individual {
        let FileOptions { selection, consumer } = wanted;
        let mut algorithms = options.selection.algorithms().to_vec();
        algorithms.retain(|one| selection.as_ref().is_none_or(|some| some.algorithms().contains(one)));
        let mut families = families.to_vec();
        families.retain(|rule| selection.as_ref().is_none_or(|some| some.families().contains(&rule.family)));
        let takes_pieces = consumer.as_ref().is_some_and(|consumer| consumer.takes_pieces());
        let pieces = pieces.map(|rule| if takes_pieces { rule.without_limit() } else { rule });
        let step_bytes = pieces
            .filter(|_| takes_pieces)
            .map(|rule| usize::try_from(rule.piece_bytes().saturating_mul(PIECES_HELD_MAX)).unwrap_or(usize::MAX));
        Individual {
            set: DigestSet::new(&algorithms, &options.keys, &families, pieces),
            families,
            consumer: Mutex::new(consumer),
            step_bytes,
        }
    }

    /// Bytes that its digests may take while they are made.
    pub(crate) fn growth_bytes(&self, size: u64) -> u64 {
        self.families.iter().map(|rule| rule.growth_bytes(size)).sum()
    }

    /// Whether its pieces would be too many to keep.
    pub(crate) fn has_too_many_pieces(&self, size: u64) -> bool {
        self.set.piece_rule().is_some_and(|rule| rule.are_too_many_for(size))
    }

    /// The file has this many bytes, unless it changes: then nothing of it is delivered.
    pub(crate) fn expect(&mut self, bytes: u64) {
        self.set.expect(bytes);
    }

    /// Takes the bytes that end at `end`.
    pub(crate) fn update(&mut self, bytes: &[u8], end: u64) -> Result<(), Failure> {
        self.try_update(bytes).map_err(|error| consumer_failed(end, &error))
    }

    fn try_update(&mut self, bytes: &[u8]) -> io::Result<()> {
        let Some(consumer) = get_mut(&mut self.consumer) else {
            self.set.update(bytes);
            return Ok(());
        };
        for part in bytes.chunks(self.step_bytes.unwrap_or(usize::MAX).max(1)) {
            self.set.update(part);
            consumer.bytes(part)?;
            if self.step_bytes.is_some() {
                self.set.take_pieces().into_iter().try_for_each(|piece| consumer.piece(piece))?;
            }
        }
        Ok(())
    }

    /// Ends the file: `read` says what it was and how much of it was read, or why it has no digests.
    pub(crate) fn conclude(
        mut self,
        path: &[u8],
        read: Result<(Option<Stamp>, u64), Failure>,
    ) -> Result<HashedFile, Failure> {
        let finished = catch_unwind(AssertUnwindSafe(|| self.finish(path, read)));
        let result = finished.unwrap_or_else(|_| Err(Failure::panicked()));
        match &result {
            Ok(_) => *get_mut(&mut self.consumer) = None,
            Err(failure) => self.retract(&failure.outcome),
        }
        result
    }

    fn finish(&mut self, path: &[u8], read: Result<(Option<Stamp>, u64), Failure>) -> Result<HashedFile, Failure> {
        let (stamp, bytes_read) = read?;
        let metadata = stamp.map(|stamp| stamp.metadata);
        let mut digests: FileDigests = self.set.finish();
        if digests.too_many_pieces {
            return Err(Failure::too_many_pieces(metadata));
        }
        if let Some(consumer) = get_mut(&mut self.consumer) {
            let failed = |error| Failure { metadata, ..consumer_failed(bytes_read, &error) };
            if self.step_bytes.is_some() {
                std::mem::take(&mut digests.pieces)
                    .into_iter()
                    .try_for_each(|piece| consumer.piece(piece))
                    .map_err(failed)?;
            }
            let found = HashedFile { stamp, bytes_read, digests };
            let record = found.clone().into_record(path.to_vec());
            consumer.finish(&record).map_err(failed)?;
            return Ok(found);
        }
        Ok(HashedFile { stamp, bytes_read, digests })
    }

    fn retract(&mut self, outcome: &Outcome) {
        if let Some(mut consumer) = get_mut(&mut self.consumer).take() {
            // Nothing is left to be done about a panic here: the file has its outcome.
            let _ = catch_unwind(AssertUnwindSafe(move || consumer.retract(outcome)));
        }
    }
}

impl Drop for Individual {
    fn drop(&mut self) {
        self.retract(&Outcome::NotReached);
    }
}

fn consumer_failed(bytes_read: u64, error: &io::Error) -> Failure {
    let error = FileError { kind: ErrorKind::Consumer, errno: error.raw_os_error(), message: error.to_string() };
    Failure { bytes_read, ..Failure::new(Outcome::Unreadable { offset: bytes_read, error }) }
}
