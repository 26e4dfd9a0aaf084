//! Opening and reading one file so that a digest is given only for a consistent content.
//!
//! # How few looks at the metadata suffice
//! The time of the inode's last change (`ctime`) is set by the kernel at every write and truncation and cannot be set by
//! a program. If, *after* the last read, `ctime` is older than the moment of opening (by [`MARGIN_SECONDS`], for clock
//! granularity and small steps), nothing changed in between: one look after a single read proves a small file. Files
//! touched more recently than that, files whose times are not this system's ([`pfh_source::Device::local_times`]) and files
//! of several slots are looked at before *and* after reading, and both must agree.

use crate::digest_budget::Reservation;
use crate::individual::Individual;
use crate::job::{Failure, Job};
use crate::links::same_content;
use pfh_record::{Metadata, Outcome, Timestamp};
use pfh_source::{CachedRead, EntryKind, Medium, SourceFile};
use std::io;
use std::sync::Arc;
use std::time::SystemTime;

const MARGIN_SECONDS: i64 = 2;
const MODE_TYPE: u32 = 0o170_000;
const MODE_REGULAR: u32 = 0o100_000;

/// A job whose file is open.
pub(crate) struct Opened<F> {
    pub(crate) job: Job,
    pub(crate) file: F,
    /// Seconds since the epoch.
    opened_at: i64,
    /// What it was before anything of it was announced: bytes that come later may have been fetched then.
    pub(crate) before: Option<Metadata>,
    /// Bytes that the look-ahead window announced for it.
    pub(crate) announced_bytes: u64,
    /// Room for its digests that grow.
    pub(crate) growth: Option<Arc<Reservation>>,
    /// How it is treated, if otherwise than the run's files.
    pub(crate) individual: Option<Box<Individual>>,
}

/// What the first slot revealed.
pub(crate) enum First {
    /// The whole file is in the slot, and consistent.
    Whole {
        /// Bytes in the slot.
        length: usize,
        /// Absent for streams.
        metadata: Option<Metadata>,
    },
    /// The slot is full, and the file goes on.
    Long {
        /// What must still hold at the end; absent for streams.
        metadata: Option<Metadata>,
    },
}

/// What came of reading without waiting.
pub(crate) enum FirstCached {
    /// The first slot was read, or the file is at fault.
    Ready(Result<First, Failure>),
    /// The medium would have to be waited for.
    WouldBlock,
    /// That cannot be told.
    Unknown,
}

impl<F: SourceFile> Opened<F> {
    pub(crate) fn new(job: Job, file: F, individual: Option<Box<Individual>>) -> Opened<F> {
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |time| time.as_secs() as i64);
        Opened { job, file, opened_at: now, before: None, announced_bytes: 0, growth: None, individual }
    }

    /// Reads the first slot.
    pub(crate) fn first(&self, buffer: &mut [u8]) -> Result<First, Failure> {
        self.first_slot(buffer).map_err(|failure| {
            // What could not be read still has a size and a time.
            let is_promised = |metadata: &Metadata| match self.job.entry.kind {
                EntryKind::Regular => metadata.mode & MODE_TYPE == MODE_REGULAR,
                EntryKind::BlockDevice => true,
                EntryKind::Stream => false,
            };
            let known = || self.file.metadata().ok().filter(is_promised);
            Failure { metadata: failure.metadata.or_else(known), ..failure }
        })
    }

    fn first_slot(&self, buffer: &mut [u8]) -> Result<First, Failure> {
        match self.job.entry.kind {
            EntryKind::Stream => {
                let length = fill(&self.file, buffer, 0)?;
                let whole = length < buffer.len();
                Ok(if whole { First::Whole { length, metadata: None } } else { First::Long { metadata: None } })
            }
            EntryKind::Regular if self.has_local_times() => {
                let length = read(&self.file, buffer, 0)?;
                let metadata = self.stat(length as u64)?;
                self.first_then_stat(buffer, length, metadata)
            }
            EntryKind::Regular | EntryKind::BlockDevice => {
                let before = self.before.map_or_else(|| self.stat(0), Ok)?;
                self.first_between_stats(buffer, before)
            }
        }
    }

    fn has_local_times(&self) -> bool {
        self.job.entry.directory.device().local_times
    }

    /// Reads the first slot of a file that is in memory already; otherwise says what is known.
    pub(crate) fn first_cached(&self, buffer: &mut [u8]) -> FirstCached {
        let entry = &self.job.entry;
        if entry.kind != EntryKind::Regular || entry.directory.device().medium == Medium::Network {
            return FirstCached::Unknown;
        }
        let before = match self.has_local_times() {
            true => None,
            false => match self.stat(0) {
                Ok(before) => Some(before),
                Err(failure) => return FirstCached::Ready(Err(failure)),
            },
        };
        let length = match self.file.read_cached(buffer, 0) {
            CachedRead::Ready(length) => length,
            CachedRead::WouldBlock => return FirstCached::WouldBlock,
            CachedRead::Unknown => return FirstCached::Unknown,
        };
        match (self.stat(length as u64), before) {
            (Ok(after), _) if length < buffer.len() && after.size > length as u64 => FirstCached::WouldBlock,
            (Ok(after), None) => FirstCached::Ready(self.first_then_stat(buffer, length, after)),
            (Ok(_), Some(before)) if length == buffer.len() && before.size > length as u64 => {
                FirstCached::Ready(Ok(First::Long { metadata: Some(before) }))
            }
            (Ok(after), Some(before)) => {
                let whole = First::Whole { length, metadata: Some(before) };
                FirstCached::Ready(agree(&before, after, length as u64).map(|()| whole))
            }
            (Err(failure), _) => FirstCached::Ready(Err(failure)),
        }
    }

    /// After a first read of `length` bytes, and a look at the metadata behind it.
    fn first_then_stat(&self, buffer: &mut [u8], length: usize, metadata: Metadata) -> Result<First, Failure> {
        // Anything doubtful starts again below.
        if self.is_settled(&metadata.ctime) {
            if metadata.size == length as u64 {
                return Ok(First::Whole { length, metadata: Some(metadata) });
            }
            if length == buffer.len() && metadata.size > length as u64 {
                return Ok(First::Long { metadata: Some(metadata) });
            }
        }
        self.first_between_stats(buffer, metadata)
    }

    fn first_between_stats(&self, buffer: &mut [u8], before: Metadata) -> Result<First, Failure> {
        let length = fill(&self.file, buffer, 0)?;
        if length == buffer.len() && before.size > length as u64 {
            return Ok(First::Long { metadata: Some(before) });
        }
        self.confirm(&before, length as u64)?;
        Ok(First::Whole { length, metadata: Some(before) })
    }

    /// Reads the next slot of a long file: `buffer` is full afterwards unless the file ended. Never reads past the size
    /// that is expected, so that a file which grows without end does not hold the run.
    pub(crate) fn next(&self, buffer: &mut [u8], offset: u64, expected: Option<&Metadata>) -> Result<usize, Failure> {
        let left = expected.map_or(u64::MAX, |metadata| metadata.size.saturating_sub(offset));
        let wanted = buffer.len().min(usize::try_from(left).unwrap_or(usize::MAX));
        let mut filled = 0;
        while filled < wanted {
            // The whole rest of the slot is offered even where the file's rest is shorter: direct I/O wants whole blocks.
            let read = read(&self.file, &mut buffer[filled..], offset + filled as u64);
            match read.map_err(|failure| Failure { metadata: expected.copied(), ..failure })? {
                0 => break,
                length => filled += length,
            }
        }
        Ok(filled.min(wanted))
    }

    /// After the last byte: the file must be what it was, and all of it must have been read.
    pub(crate) fn confirm(&self, before: &Metadata, bytes_read: u64) -> Result<(), Failure> {
        agree(before, self.stat(bytes_read)?, bytes_read)
    }

    pub(crate) fn stat(&self, bytes_read: u64) -> Result<Metadata, Failure> {
        let metadata = self.file.metadata().map_err(|error| Failure::unreadable(bytes_read, error))?;
        // The walk saw a regular file; if a FIFO or a device stands there now, its bytes are not the file's.
        if self.job.entry.kind == EntryKind::Regular && metadata.mode & MODE_TYPE != MODE_REGULAR {
            return Err(Failure { outcome: Outcome::ChangedWhileReading, metadata: Some(metadata), bytes_read });
        }
        Ok(metadata)
    }

    fn is_settled(&self, ctime: &Timestamp) -> bool {
        ctime.seconds < self.opened_at - MARGIN_SECONDS
    }
}

/// Whether two looks saw the same file, of which all was read in between.
fn agree(before: &Metadata, after: Metadata, bytes_read: u64) -> Result<(), Failure> {
    let outcome = if !same_content(before, &after) {
        Outcome::ChangedWhileReading
    } else if bytes_read < before.size {
        Outcome::Short { expected: before.size, read: bytes_read }
    } else if bytes_read > before.size {
        Outcome::ChangedWhileReading
    } else {
        return Ok(());
    };
    Err(Failure { outcome, metadata: Some(after), bytes_read })
}

/// One read, again when interrupted.
pub(crate) fn read<F: SourceFile>(file: &F, buffer: &mut [u8], offset: u64) -> Result<usize, Failure> {
    loop {
        match file.read_at(buffer, offset) {
            Ok(length) => return Ok(length.min(buffer.len())),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(Failure::unreadable(offset, error)),
        }
    }
}

/// Reads until `buffer` is full or the file ends.
pub(crate) fn fill<F: SourceFile>(file: &F, buffer: &mut [u8], offset: u64) -> Result<usize, Failure> {
    let mut filled = 0;
    while filled < buffer.len() {
        match read(file, &mut buffer[filled..], offset + filled as u64)? {
            0 => break,
            length => filled += length,
        }
    }
    Ok(filled)
}
