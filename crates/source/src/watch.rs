//! Progress information about a source while it is read.

use crate::{LocalSource, Totals};

/// A source that reports which files are open and how much there is to read.
pub trait Watch: Sync {
    /// Begins to note which files are open.
    fn watch(&self);

    /// Returns the path of the file that has been open for longest, if a file is open and [`Watch::watch`] was called
    /// before.
    fn being_read(&self) -> Option<Vec<u8>>;

    /// Sums up the files to read, during the reading. `report` gets the sums from time to time, and returns false to
    /// stop. Returns `None` if it was stopped, or if the source cannot know.
    fn expected(&self, report: &mut dyn FnMut(Totals) -> bool) -> Option<Totals>;
}

impl Watch for LocalSource {
    fn watch(&self) {
        LocalSource::watch(self);
    }

    fn being_read(&self) -> Option<Vec<u8>> {
        LocalSource::being_read(self)
    }

    fn expected(&self, report: &mut dyn FnMut(Totals) -> bool) -> Option<Totals> {
        self.measure(report)
    }
}
