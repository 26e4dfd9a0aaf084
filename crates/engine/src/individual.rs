//! Files with treatment of their own: with only some of the run's digests, or with a consumer of their bytes.

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

/// The most pieces whose digests wait for the consumer.
const PIECES_HELD_MAX: u64 = 64;

/// The digests of one file, and the consumer of its bytes. If it is dropped before the end of the file, the run was
/// stopped, and the consumer is retracted.
pub(crate) struct Individual {
    set: DigestSet,
    families: Vec<FamilyRule>,
    /// The lock is never contended. It makes this `Sync`, as opened files must be, without requiring it of consumers.
    consumer: Mutex<Option<Box<dyn Consumer>>>,
    /// Bytes between two checks for ended pieces, if the consumer takes pieces.
    step_bytes: Option<usize>,
}

impl Individual {
    /// Makes the state for one file. `families` and `pieces` are those of the run.
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
            set: DigestSet::new(&algorithms, &options.keys, &families, pieces).with_facts(options),
            families,
            consumer: Mutex::new(consumer),
            step_bytes,
        }
    }

    /// Memory that the file's growing digests may need while it is read, in bytes.
    pub(crate) fn growth_bytes(&self, size: u64) -> u64 {
        self.families.iter().map(|rule| rule.growth_bytes(size)).sum()
    }

    /// Whether a file of `size` bytes has too many pieces to keep.
    pub(crate) fn has_too_many_pieces(&self, size: u64) -> bool {
        self.set.piece_rule().is_some_and(|rule| rule.are_too_many_for(size))
    }

    /// Announces the length of the file. If the file changes, its digests are discarded anyway.
    pub(crate) fn expect(&mut self, bytes: u64) {
        self.set.expect(bytes);
    }

    /// Adds the file's next bytes, which end at offset `end`.
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

    /// Ends the file. `read` has its stamp and the number of bytes read, or why it has no digests.
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
            // A panic has no effect here: the file already has its outcome.
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
    let error = FileError::new(ErrorKind::Consumer, error.to_string()).with_errno(error.raw_os_error());
    Failure { bytes_read, ..Failure::new(Outcome::Unreadable { offset: bytes_read, error }) }
}
