//! Reading one file so that it gets a digest only if its content is consistent.
//!
//! The source defines how an unchanged file is recognised ([`Proof`]): by one stamp after a single read, by two stamps
//! before and after that agree, or without a stamp because it cannot change. Files longer than a slot always need two
//! stamps, unless they cannot change.

use crate::digest_budget::Reservation;
use crate::in_flight::{Ahead, InFlight};
use crate::individual::Individual;
use crate::job::{Failure, Job};
use pfh_record::{ErrorKind, FileError, Outcome};
use pfh_source::{CachedRead, EntryKind, Proof, Source, SourceFile, Stamp};
use std::sync::Arc;
use std::time::Instant;

/// A job whose file is open.
pub(crate) struct Opened<S: Source> {
    pub(crate) job: Job<S::Handle>,
    pub(crate) file: S::File,
    /// The stamp before anything was announced, since the kernel may fetch bytes from then on.
    pub(crate) before: Option<Stamp>,
    /// Whether its beginning was in memory.
    pub(crate) was_cached: bool,
    /// Its announced reads.
    pub(crate) ahead: Option<Ahead>,
    /// Reserved memory for its digests that grow.
    pub(crate) growth: Option<Arc<Reservation>>,
    /// Its own digests and consumer, if its treatment differs from the run's.
    pub(crate) individual: Option<Box<Individual>>,
}

/// The result of reading the first slot.
pub(crate) enum First {
    /// The whole file is in the slot, and its content is consistent.
    Whole {
        /// Number of bytes in the slot.
        length: usize,
        /// `None` for streams.
        stamp: Option<Stamp>,
    },
    /// The slot is full, and the file goes on.
    Long {
        /// The stamp that must still hold at the end; `None` for streams.
        stamp: Option<Stamp>,
    },
}

impl First {
    /// Length of the file in bytes, if it is known.
    pub(crate) fn expected_bytes(&self) -> Option<u64> {
        match self {
            First::Whole { length, .. } => Some(*length as u64),
            First::Long { stamp } => stamp.map(|stamp| stamp.metadata.size),
        }
    }
}

/// The result of reading without waiting.
pub(crate) enum FirstCached {
    /// The first slot was read, or reading failed.
    Ready(Result<First, Failure>),
    /// The read would have to wait for the medium.
    WouldBlock,
    /// The system cannot tell.
    Unknown,
}

impl<S: Source> Opened<S> {
    pub(crate) fn new(job: Job<S::Handle>, file: S::File, individual: Option<Box<Individual>>) -> Opened<S> {
        Opened { job, file, before: None, was_cached: false, ahead: None, growth: None, individual }
    }

    /// Reads the first slot.
    pub(crate) fn first(&self, buffer: &mut [u8]) -> Result<First, Failure> {
        self.first_slot(buffer).map_err(|failure| {
            // A file that could not be read still has a size and a time.
            let known = || {
                let stamp = (self.job.entry.kind != EntryKind::Stream).then(|| self.file.stamp().ok())?;
                stamp.filter(|stamp| stamp.is_as_listed).map(|stamp| stamp.metadata)
            };
            Failure { metadata: failure.metadata.or_else(known), ..failure }
        })
    }

    fn first_slot(&self, buffer: &mut [u8]) -> Result<First, Failure> {
        if self.job.entry.kind == EntryKind::Stream {
            let length = fill(&self.file, buffer, 0)?;
            let whole = length < buffer.len();
            return Ok(if whole { First::Whole { length, stamp: None } } else { First::Long { stamp: None } });
        }
        match self.file.proof() {
            Proof::OneStamp => {
                let length = read(&self.file, buffer, 0)?;
                let stamp = self.stamp(length as u64)?;
                self.first_then_stamp(buffer, length, stamp)
            }
            Proof::TwoStamps | Proof::Unchanging => {
                let before = self.before.map_or_else(|| self.stamp(0), Ok)?;
                self.first_between_stamps(buffer, before)
            }
        }
    }

    /// Reads the rest of the first slot of a file whose first `length` bytes are in it, and which is longer.
    pub(crate) fn rest_of_first(&self, buffer: &mut [u8], length: usize, before: Stamp) -> Result<First, Failure> {
        let length = length + self.next(&mut buffer[length..], length as u64, Some(&before))?;
        self.first_after_stamp(buffer, length, before)
    }

    /// Reads the first slot if it is cached, without waiting for the medium.
    pub(crate) fn first_cached(&mut self, buffer: &mut [u8]) -> FirstCached {
        if self.job.entry.kind != EntryKind::Regular || !self.file.tells_cached() {
            return FirstCached::Unknown;
        }
        let proof = self.file.proof();
        if proof != Proof::OneStamp {
            match self.stamp(0) {
                Ok(before) => self.before = Some(before),
                Err(failure) => return FirstCached::Ready(Err(failure)),
            }
        }
        let length = match self.file.read_cached(buffer, 0) {
            CachedRead::Ready(length) => match within(length, buffer, 0) {
                Ok(length) => length,
                Err(failure) => return FirstCached::Ready(Err(failure)),
            },
            CachedRead::WouldBlock => return FirstCached::WouldBlock,
            CachedRead::Unknown => return FirstCached::Unknown,
        };
        let after = match (proof, self.before) {
            (Proof::Unchanging, Some(before)) => Ok(before),
            _ => self.stamp(length as u64),
        };
        match (after, self.before) {
            (Ok(after), _) if length < buffer.len() && after.metadata.size > length as u64 => FirstCached::WouldBlock,
            (Ok(after), None) => FirstCached::Ready(self.first_then_stamp(buffer, length, after)),
            (Ok(_), Some(before)) if length == buffer.len() && before.metadata.size > length as u64 => {
                FirstCached::Ready(Ok(First::Long { stamp: Some(before) }))
            }
            (Ok(after), Some(before)) => {
                let whole = First::Whole { length, stamp: Some(before) };
                FirstCached::Ready(agree(&before, &after, length as u64).map(|()| whole))
            }
            (Err(failure), _) => FirstCached::Ready(Err(failure)),
        }
    }

    /// Judges a first read of `length` bytes by a stamp taken after it.
    fn first_then_stamp(&self, buffer: &mut [u8], length: usize, stamp: Stamp) -> Result<First, Failure> {
        // In doubt, the file is read again between two stamps.
        if stamp.is_settled {
            let size = stamp.metadata.size;
            if size == length as u64 {
                return Ok(First::Whole { length, stamp: Some(stamp) });
            }
            if length == buffer.len() && size > length as u64 {
                return Ok(First::Long { stamp: Some(stamp) });
            }
        }
        self.first_between_stamps(buffer, stamp)
    }

    fn first_between_stamps(&self, buffer: &mut [u8], before: Stamp) -> Result<First, Failure> {
        let length = fill(&self.file, buffer, 0)?;
        self.first_after_stamp(buffer, length, before)
    }

    /// Judges first reads of `length` bytes together by a stamp taken before them.
    fn first_after_stamp(&self, buffer: &[u8], length: usize, before: Stamp) -> Result<First, Failure> {
        if length == buffer.len() && before.metadata.size > length as u64 {
            return Ok(First::Long { stamp: Some(before) });
        }
        self.confirm(&before, length as u64)?;
        Ok(First::Whole { length, stamp: Some(before) })
    }

    /// Whether a regular file has at most this number of bytes. Notes its stamp.
    pub(crate) fn is_within(&mut self, bytes: usize) -> bool {
        if self.job.entry.kind != EntryKind::Regular {
            return false;
        }
        self.before = self.before.or_else(|| self.stamp(0).ok());
        self.before.is_some_and(|before| before.metadata.size <= bytes as u64)
    }

    /// Announces the file's beginning. Returns false if the share for that is used up.
    pub(crate) fn announce(&mut self, in_flight: &Arc<InFlight>, size: u64) -> bool {
        self.ahead.get_or_insert_with(|| Ahead::new(in_flight)).begin(&self.file, size)
    }

    /// Prepares announcing the rest of a long file. If the source reads ahead by itself, nothing more is announced.
    pub(crate) fn begin_reading(&mut self, in_flight: &Arc<InFlight>) {
        let ahead = self.ahead.take().or_else(|| in_flight.goes_on().then(|| Ahead::new(in_flight)));
        self.ahead = ahead.filter(Ahead::goes_on);
    }

    /// Notes that a read of `length` bytes begins at `offset`, and announces what follows.
    pub(crate) fn read_on(&self, offset: u64, length: usize, stamp: Option<&Stamp>) {
        if let (Some(ahead), Some(stamp)) = (&self.ahead, stamp) {
            ahead.read_on(&self.file, offset, length as u64, stamp.metadata.size);
        }
    }

    /// Reads the next slot of a long file. `buffer` is full afterwards unless the file ended. Begins no read past the
    /// expected size, so that a file which grows without end does not hold up the run. Bytes that come from there are
    /// a failure: a digest without them would not be that of the file, although its stamp may stay as it was.
    pub(crate) fn next(&self, buffer: &mut [u8], offset: u64, expected: Option<&Stamp>) -> Result<usize, Failure> {
        let left = expected.map_or(u64::MAX, |stamp| stamp.metadata.size.saturating_sub(offset));
        let wanted = buffer.len().min(usize::try_from(left).unwrap_or(usize::MAX));
        self.read_on(offset, wanted, expected);
        let started = Instant::now();
        let mut filled = 0;
        while filled < wanted {
            // The read gets the whole rest of the slot, even if the file's rest is shorter: direct I/O requires whole
            // blocks.
            let read = read(&self.file, &mut buffer[filled..], offset + filled as u64);
            let metadata = expected.map(|stamp| stamp.metadata);
            match read.map_err(|failure| Failure { metadata, ..failure })? {
                0 => break,
                length => filled += length,
            }
        }
        if let (Some(ahead), Some(stamp)) = (&self.ahead, expected) {
            ahead.observe(stamp.metadata.size, filled as u64, started.elapsed());
        }
        if let Some(stamp) = expected
            && filled > wanted
        {
            self.confirm(stamp, offset + filled as u64)?;
        }
        Ok(filled.min(wanted))
    }

    /// Checks after the last byte that the file did not change and that all of it was read.
    pub(crate) fn confirm(&self, before: &Stamp, bytes_read: u64) -> Result<(), Failure> {
        let after = match self.file.proof() {
            Proof::Unchanging => *before,
            Proof::OneStamp | Proof::TwoStamps => self.stamp(bytes_read)?,
        };
        agree(before, &after, bytes_read)
    }

    pub(crate) fn stamp(&self, bytes_read: u64) -> Result<Stamp, Failure> {
        let stamp = self.file.stamp().map_err(|error| Failure::unreadable(bytes_read, error))?;
        // The walk saw a regular file. If a FIFO or a device has replaced it, its bytes are not the file's.
        if !stamp.is_as_listed {
            let metadata = Some(stamp.metadata);
            return Err(Failure { outcome: Outcome::ChangedWhileReading, metadata, bytes_read });
        }
        Ok(stamp)
    }
}

/// Checks that two stamps are of the same content, and that all of it was read in between.
fn agree(before: &Stamp, after: &Stamp, bytes_read: u64) -> Result<(), Failure> {
    let expected = before.metadata.size;
    let outcome = if !before.is_same_content(after) {
        Outcome::ChangedWhileReading
    } else if bytes_read < expected {
        Outcome::Short { expected, read: bytes_read }
    } else if bytes_read > expected {
        Outcome::ChangedWhileReading
    } else {
        return Ok(());
    };
    Err(Failure { outcome, metadata: Some(after.metadata), bytes_read })
}

fn read<F: SourceFile>(file: &F, buffer: &mut [u8], offset: u64) -> Result<usize, Failure> {
    let read = file.read_at(buffer, offset).map_err(|error| Failure::unreadable(offset, error))?;
    within(read, buffer, offset)
}

/// Refuses a read of more bytes than there was room for: nobody knows which of those in the buffer are the file's.
fn within(read: usize, buffer: &[u8], offset: u64) -> Result<usize, Failure> {
    if read <= buffer.len() {
        return Ok(read);
    }
    let message = "internal error: the source returned more bytes than it was asked for; please report it";
    Err(Failure::unreadable(offset, FileError::new(ErrorKind::Internal, message)))
}

/// Reads until `buffer` is full or the file ends.
fn fill<F: SourceFile>(file: &F, buffer: &mut [u8], offset: u64) -> Result<usize, Failure> {
    let mut filled = 0;
    while filled < buffer.len() {
        match read(file, &mut buffer[filled..], offset + filled as u64)? {
            0 => break,
            length => filled += length,
        }
    }
    Ok(filled)
}
