//! A file that was split: the values of its parts, joined into its record.

use pfh_digest::parts::{Join, PartValue};
use pfh_record::{Metadata, Outcome, Part, Posix, Record, Selection};

/// The parts of a file so far, from the first one on.
pub(crate) struct SplitFile {
    path: Vec<u8>,
    size: u64,
    /// The end of the last part.
    end: u64,
    joins: Vec<Join>,
    first: Option<Stamp>,
    /// The outcome of the first part that was not read completely.
    failed: Option<Record>,
    /// The metadata of the first part that was of another content of the file.
    changed: Option<Metadata>,
}

/// The content that a part was read of.
struct Stamp {
    metadata: Metadata,
    any_tree: bool,
}

impl SplitFile {
    /// Begins a file. `None` if parts cannot be joined with an algorithm.
    pub(crate) fn new(path: Vec<u8>, size: u64, selection: &Selection) -> Option<SplitFile> {
        let joins = selection.algorithms().iter().map(|&algorithm| Join::new(algorithm)).collect::<Option<_>>()?;
        Some(SplitFile { path, size, end: 0, joins, first: None, failed: None, changed: None })
    }

    /// Whether this is the next part.
    pub(crate) fn is_continued_by(&self, path: &[u8], size: u64, offset: u64) -> bool {
        (&*self.path, self.size, self.end) == (path, size, offset)
    }

    pub(crate) fn path(&self) -> &[u8] {
        &self.path
    }

    /// Takes the next part.
    ///
    /// # Errors
    /// The reason, if it lacks what every part has that was read.
    pub(crate) fn push(&mut self, record: Record, part: &Part) -> Result<(), String> {
        self.end += part.length;
        if record.outcome != Outcome::Complete {
            // As one run, which reads on until the first failure.
            self.failed.get_or_insert(record);
            return Ok(());
        }
        let metadata = record.metadata.ok_or("a part has no size")?;
        let algorithms = self.joins.iter().map(Join::algorithm);
        if !algorithms.eq(part.values.iter().map(PartValue::algorithm)) {
            return Err("a part lacks values of the plan's algorithms".to_owned());
        }
        self.joins.iter_mut().zip(&part.values).for_each(|(join, value)| join.push(value, part.length));
        let stamp = Stamp { metadata, any_tree: part.any_tree };
        if metadata.size != self.size || self.first.as_ref().is_some_and(|first| !first.is_same_content(&stamp)) {
            self.changed.get_or_insert(metadata);
        }
        self.first.get_or_insert(stamp);
        Ok(())
    }

    /// Whether the last part was taken.
    pub(crate) fn is_whole(&self) -> bool {
        self.end == self.size
    }

    /// Returns the record of the file. It has digests only if all of its bytes were read, and of one content.
    pub(crate) fn finish(self) -> Record {
        let SplitFile { path, size, joins, first, failed, changed, .. } = self;
        let first = first.map(|stamp| stamp.metadata);
        if let Some(mut failed) = failed {
            failed.metadata = failed.metadata.or(first);
            failed.is_size_known |= failed.metadata.is_some();
            return failed;
        }
        let digests: Option<Vec<_>> = joins.into_iter().map(Join::finish).collect();
        let mut record = match (changed, digests) {
            (None, Some(digests)) => {
                let mut record = Record::new(path, Outcome::Complete);
                record.digests = digests;
                record
            }
            _ => Record::new(path, Outcome::ChangedWhileReading),
        };
        record.metadata = changed.or(first);
        record.bytes_read = size;
        record
    }
}

impl Stamp {
    /// Whether two parts were read of the same content. Copies of a tree have inodes of their own.
    fn is_same_content(&self, other: &Stamp) -> bool {
        let inode = |stamp: &Stamp| stamp.metadata.posix.map(|Posix { ctime, inode, .. }| (ctime, inode));
        (self.metadata.size, self.metadata.mtime) == (other.metadata.size, other.metadata.mtime)
            && (self.any_tree || other.any_tree || inode(self) == inode(other))
    }
}
