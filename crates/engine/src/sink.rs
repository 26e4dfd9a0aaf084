//! The caller's part of a run: the sink of records, their preparation, and the decision on each file.

use crate::consumer::Consumer;
use pfh_record::{Metadata, Record, Selection, SkipReason};
use std::ops::ControlFlow;

/// Takes finished records, one at a time and, unless [`Options::unordered`](crate::Options::unordered), in the order of the walk.
pub trait Sink: Send {
    /// The form in which a record is delivered; made in parallel by [`run`](crate::run())'s `prepare`.
    type Item: Send;

    /// Takes the next one. `Break` stops the run.
    fn deliver(&mut self, item: Self::Item) -> ControlFlow<()>;

    /// A group of records was delivered; the next may take a while. `Break` stops the run.
    fn end_group(&mut self) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

/// Collects records in memory.
impl Sink for Vec<Record> {
    type Item = Record;
    fn deliver(&mut self, record: Record) -> ControlFlow<()> {
        self.push(record);
        ControlFlow::Continue(())
    }
}

/// The caller's decision on one file.
pub enum Decision {
    /// It is read and gets all digests of the run.
    Hash,
    /// It is read and treated otherwise than the run's files. One thread reads and hashes all of it, and it is read
    /// even where the content of another of its hard links is known.
    HashWith(FileOptions),
    /// It is not read: its record has its metadata, the outcome [`Outcome::Skipped`](pfh_record::Outcome::Skipped)
    /// with this reason, and no digests.
    RecordOnly(SkipReason),
    /// It gets no record; [`Report::left_out`](crate::Report::left_out) counts it.
    LeaveOut,
}

/// The treatment of one file that differs from the run's files. The default does not differ.
#[derive(Default)]
pub struct FileOptions {
    /// Those of the run's digests that this file gets; `None` for all. Others than the run's are not added.
    pub selection: Option<Selection>,
    /// Takes the file's bytes while they are hashed.
    pub consumer: Option<Box<dyn Consumer>>,
}

/// Decides on a file that is open and not yet read, from its path and metadata. Called by many threads at once, and
/// again for a file that had to wait until another of its hard links was read. A panic costs the file.
pub type Decide<'a> = &'a (dyn Fn(&[u8], &Metadata) -> Decision + Sync);

/// Makes the delivered item from a record; called by many threads at once.
pub type Prepare<'a, T> = &'a (dyn Fn(Record) -> T + Sync);
