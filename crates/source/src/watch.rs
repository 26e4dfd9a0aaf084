//! What can be told of a source while it is read.

use crate::{LocalSource, Totals};

/// A source that tells how far the reading of it is.
pub trait Watch: Sync {
    /// Begins to note which files are open.
    fn watch(&self);

    /// The path of the file that has been open for longest, if any is; [`Watch::watch`] was called before.
    fn being_read(&self) -> Option<Vec<u8>>;

    /// Finds out how much there is to read, beside the reading. `report` is called with the sums so far from time to
    /// time, and returns false to stop. `None` where it was stopped, and where the source cannot know.
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
