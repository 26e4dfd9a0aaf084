//! What a run asks of its caller: where records go, what becomes of them, and which files are left out.

use pfh_record::{Metadata, Record};
use std::ops::ControlFlow;

/// Where finished records go, one at a time and, unless [`Options::unordered`], in the order of the walk.
pub trait Sink: Send {
    /// What a record becomes before it is delivered; made in parallel by [`run`]'s `prepare`.
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

/// A question about a file that is open but not yet read: true leaves it out of the run.
pub type Skip<'a> = &'a (dyn Fn(&[u8], &Metadata) -> bool + Sync);

/// Makes the delivered item from a record; called by many threads at once.
pub type Prepare<'a, T> = &'a (dyn Fn(Record) -> T + Sync);
