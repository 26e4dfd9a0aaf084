//! The caller's part of a run: the sink of records, their preparation, and the decision on each file.

use crate::consumer::Consumer;
use pfh_record::{Metadata, Record, Selection, SkipReason};
use std::ops::ControlFlow;

/// Takes finished records, one at a time and, unless [`Options::unordered`](crate::Options::unordered), in the order of
/// the walk.
pub trait Sink: Send {
    /// The form in which a record is delivered. The `prepare` of [`run`](crate::run()) makes it, in parallel.
    type Item: Send;

    /// Reports that the run has begun: all of its threads have started, and no [`StartError`](crate::StartError) can
    /// follow. Called once, before anything is listed. `Break` stops the run.
    fn begin(&mut self) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    /// Takes the next item. `Break` stops the run.
    fn deliver(&mut self, item: Self::Item) -> ControlFlow<()>;

    /// Reports that a group of records was delivered and that the next may take a while. `Break` stops the run.
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
    /// Reads the file and computes all digests of the run.
    Hash,
    /// Reads the file, with treatment of its own. One thread reads and hashes all of it, even if the content is known
    /// from another of its hard links.
    HashWith(FileOptions),
    /// Does not read the file: its record has the metadata, the outcome
    /// [`Outcome::Skipped`](pfh_record::Outcome::Skipped) with this reason, and no digests.
    RecordOnly(SkipReason),
    /// Makes no record of the file; [`Report::left_out`](crate::Report::left_out) counts it.
    LeaveOut,
}

/// The treatment of one file. The default is that of the run.
#[derive(Default)]
pub struct FileOptions {
    /// The digests of the run that this file gets; `None` for all. Digests that the run does not compute are ignored:
    /// with nothing but such, the file is read and gets none.
    pub selection: Option<Selection>,
    /// Takes the file's bytes while they are hashed.
    pub consumer: Option<Box<dyn Consumer>>,
}

/// Decides on a file that is open and not yet read, by its path and metadata. There is no metadata of streams and block
/// devices, whose size is not known before they are read. Many threads call it at once, and again for a file that had
/// to wait until another of its hard links was read. A panic becomes that file's error.
pub type Decide<'a> = &'a (dyn Fn(&[u8], Option<&Metadata>) -> Decision + Sync);

/// Makes the delivered item from a record. Many threads call it at once.
pub type Prepare<'a, T> = &'a (dyn Fn(Record) -> T + Sync);
