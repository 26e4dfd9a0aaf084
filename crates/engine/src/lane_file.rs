//! A file in a lane, or in transit from one worker's lanes to another's.

use crate::digesting::{DigestSet, FileDigests};
use crate::job::Job;
use crate::reading::Opened;
use pfh_digest::lanes::Detached;
use pfh_source::{Source, Stamp};

/// A long file between two chunks, in transit to another worker's lanes.
pub(crate) type MovingFile<S> = Detached<LaneFile<S>>;

/// A file in a lane.
#[expect(clippy::large_enum_variant, reason = "a worker has one for each lane, and no allocation for a file")]
pub(crate) enum LaneFile<S: Source> {
    /// The whole file is in the slot. The file is closed, and the digests without lanes are computed.
    Whole { job: Job<S::Handle>, stamp: Option<Stamp>, bytes: u64, others: FileDigests },
    /// There is more to read. While such a file has an exclusive lane, its worker begins no other files.
    Long { opened: Opened<S>, stamp: Stamp, offset: u64, streamed: Option<DigestSet>, is_exclusive: bool },
}
