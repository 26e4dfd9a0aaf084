//! Which files a run reads, and in which order.

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek, Write};

use pfh_list::ByteSort;

use crate::Subject;

/// Which files that seem unchanged are read all the same. All others are always read: new ones, those whose size, times
/// or inode changed, and those that were missing or could not be read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    /// All of them, those first that were verified longest ago.
    pub unchanged: bool,
    /// Those that were last verified before this time, in seconds since 1970-01-01T00:00:00Z, or after now by the
    /// clock: then that of the verification was ahead.
    pub verified_before: Option<i64>,
    /// Of those, only a share of all bytes: one part in this number. Those that an interrupted part of the run has
    /// read count.
    pub share: Option<u64>,
    /// No more files once this number of bytes was given out.
    pub bytes_max: Option<u64>,
}

/// A file to read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Task {
    /// The file.
    pub subject: Subject,
    /// Size in bytes, when the walk saw it.
    pub size: u64,
    /// Number of its device.
    pub device: u64,
    /// Its inode number.
    pub inode: u64,
    /// Whether it seems unchanged, and is read all the same.
    pub is_unchanged: bool,
    /// Whether the ledger expects nothing of it yet, so that it may be moved from elsewhere.
    pub is_new: bool,
}

/// The files to read, in the order of reading: first those that must be read, then the others. Of both, those come
/// first that were tried longest ago.
#[derive(Debug)]
pub struct Tasks {
    file: BufReader<File>,
    /// Number of files, and of their bytes.
    files: u64,
    bytes: u64,
    /// Number of files that were given out, and of their bytes, less those that were given back.
    given: u64,
    given_bytes: u64,
    bytes_max: u64,
    /// Bytes of files that seem unchanged that may still be given out.
    share_left_bytes: u64,
    error: Option<io::Error>,
}

/// Collects tasks.
pub(crate) struct Tasker {
    sort: ByteSort,
    record: Vec<u8>,
    files: u64,
    must_bytes: u64,
    unchanged_bytes: u64,
}

impl Tasker {
    pub(crate) fn new(memory_bytes: u64) -> Tasker {
        Tasker { sort: ByteSort::new(memory_bytes), record: Vec::new(), files: 0, must_bytes: 0, unchanged_bytes: 0 }
    }

    /// Adds a file. `tried`: the event after which it was last read, or could not be; `None` if it never was tried.
    pub(crate) fn push(&mut self, task: &Task, tried: Option<i64>) -> io::Result<()> {
        let Task { subject, size, device, inode, is_unchanged, is_new } = task;
        self.record.clear();
        self.record.push(u8::from(*is_unchanged));
        self.record.extend_from_slice(&tried.unwrap_or(0).to_be_bytes());
        self.record.extend_from_slice(&subject.root.to_be_bytes());
        self.record.extend_from_slice(&subject.path);
        self.record.push(0);
        for number in [size, device, inode] {
            self.record.extend_from_slice(&number.to_be_bytes());
        }
        self.record.push(u8::from(*is_new));
        self.files += 1;
        *if *is_unchanged { &mut self.unchanged_bytes } else { &mut self.must_bytes } += size;
        self.sort.push(&self.record)
    }

    /// Ends with the files in order. `all_bytes`: of all files that the walk found; `done_bytes`: of those that seemed
    /// unchanged and that an interrupted part of this run has read.
    pub(crate) fn end(self, plan: &Plan, all_bytes: u64, done_bytes: u64) -> io::Result<Tasks> {
        let mut file = BufWriter::new(tempfile::tempfile()?);
        self.sort.into_each(|record| {
            // A record of the sort has less than 64 KiB.
            file.write_all(&(record.len() as u16).to_be_bytes())?;
            file.write_all(record)
        })?;
        let mut file = file.into_inner().map_err(io::IntoInnerError::into_error)?;
        file.rewind()?;
        let share_bytes = plan.share.map(|parts| all_bytes.div_ceil(parts.max(1)).max(1));
        let share_left_bytes = share_bytes.map_or(u64::MAX, |bytes| bytes.saturating_sub(done_bytes));
        let bytes = self.must_bytes + self.unchanged_bytes.min(share_left_bytes);
        Ok(Tasks {
            file: BufReader::new(file),
            files: self.files,
            bytes: bytes.min(plan.bytes_max.unwrap_or(u64::MAX)),
            given: 0,
            given_bytes: 0,
            bytes_max: plan.bytes_max.unwrap_or(u64::MAX),
            share_left_bytes,
            error: None,
        })
    }
}

impl Tasks {
    /// The number of files, of which limits may leave some for the next run.
    pub fn files(&self) -> u64 {
        self.files
    }

    /// The approximate number of bytes that will be read.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The number of files that were not given out.
    pub fn left(&self) -> u64 {
        self.files - self.given
    }

    /// Takes back bytes of files that were given out and could not be read. Returns whether the iteration, which had
    /// ended by the limit on bytes, goes on for it.
    pub fn give_back(&mut self, bytes: u64) -> bool {
        let was_limited = self.given_bytes >= self.bytes_max;
        self.given_bytes = self.given_bytes.saturating_sub(bytes);
        was_limited && self.given_bytes < self.bytes_max
    }

    /// Returns the error that ended the iteration, if one did.
    pub fn take_error(&mut self) -> Option<io::Error> {
        self.error.take()
    }

    /// Reads the next file, whatever the limits are.
    pub(crate) fn read(&mut self) -> io::Result<Option<Task>> {
        let mut length = [0; 2];
        match self.file.read_exact(&mut length) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
            Err(error) => return Err(error),
        }
        let mut record = vec![0; usize::from(u16::from_be_bytes(length))];
        self.file.read_exact(&mut record)?;
        let damaged = || io::Error::from(io::ErrorKind::InvalidData);
        let (front, rest) = record.split_at_checked(13).ok_or_else(damaged)?;
        let (path, numbers) = rest.split_at_checked(rest.len().wrapping_sub(26)).ok_or_else(damaged)?;
        let mut values = [0; 3];
        for (value, bytes) in values.iter_mut().zip(numbers[1..25].as_chunks::<8>().0) {
            *value = u64::from_be_bytes(*bytes);
        }
        let [size, device, inode] = values;
        let mut root = [0; 4];
        root.copy_from_slice(&front[9..]);
        let subject = Subject { root: u32::from_be_bytes(root), path: path.to_vec() };
        Ok(Some(Task { subject, size, device, inode, is_unchanged: front[0] == 1, is_new: numbers[25] == 1 }))
    }
}

impl Iterator for Tasks {
    type Item = Task;

    fn next(&mut self) -> Option<Task> {
        if self.given_bytes >= self.bytes_max {
            return None;
        }
        match self.read() {
            Ok(Some(task)) if task.is_unchanged && self.share_left_bytes == 0 => None,
            Ok(Some(task)) => {
                // The last file may exceed a limit: otherwise a file that is larger than it would never be read.
                self.given += 1;
                self.given_bytes = self.given_bytes.saturating_add(task.size);
                if task.is_unchanged {
                    self.share_left_bytes = self.share_left_bytes.saturating_sub(task.size);
                }
                Some(task)
            }
            Ok(None) => None,
            Err(error) => {
                self.error = Some(error);
                None
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn task(path: &str, size: u64, is_unchanged: bool) -> Task {
        let subject = Subject { root: 1, path: path.as_bytes().to_vec() };
        Task { subject, size, device: 3, inode: u64::MAX, is_unchanged, is_new: path == "must" }
    }

    fn order(plan: &Plan, done_bytes: u64) -> Vec<String> {
        let mut tasker = Tasker::new(0);
        let unchanged = [("new", 10, Some(30)), ("old", 20, Some(5)), ("older", 30, Some(4)), ("empty", 0, None)];
        for (path, size, checked) in unchanged {
            tasker.push(&task(path, size, true), checked).unwrap();
        }
        tasker.push(&task("must/b", 7, false), Some(1)).unwrap();
        tasker.push(&task("must", 8, false), None).unwrap();
        let mut tasks = tasker.end(plan, 75, done_bytes).unwrap();
        assert_eq!(tasks.files(), 6);
        let paths = tasks.by_ref().map(|task| {
            assert_eq!((task.subject.root, task.device, task.inode), (1, 3, u64::MAX));
            assert_eq!(task.is_new, task.subject.path == b"must");
            String::from_utf8(task.subject.path).unwrap()
        });
        let paths = paths.collect();
        assert!(tasks.take_error().is_none());
        paths
    }

    #[test]
    fn what_must_be_read_comes_first_and_then_the_oldest() {
        assert_eq!(order(&Plan::default(), 0), ["must", "must/b", "empty", "older", "old", "new"]);
        let share = |parts| Plan { share: Some(parts), ..Plan::default() };
        // A third of 75 bytes is reached by the first, a half by the first two.
        assert_eq!(order(&share(3), 0), ["must", "must/b", "empty", "older"]);
        assert_eq!(order(&share(2), 0), ["must", "must/b", "empty", "older", "old"]);
        // An interrupted part of the run has read some of it, or all.
        assert_eq!(order(&share(2), 10), ["must", "must/b", "empty", "older"]);
        assert_eq!(order(&share(2), 100), ["must", "must/b"]);
        let limit = |bytes| Plan { bytes_max: Some(bytes), ..Plan::default() };
        assert_eq!(order(&limit(8), 0), ["must"]);
        assert_eq!(order(&limit(9), 0), ["must", "must/b"]);
        assert_eq!(order(&limit(16), 0), ["must", "must/b", "empty", "older"]);
    }

    /// One file that fails in each run holds up no others.
    #[test]
    fn files_that_must_be_read_come_in_the_order_of_their_last_try() {
        let mut tasker = Tasker::new(0);
        for (path, tried) in [("a", Some(9)), ("b", Some(8)), ("c", None), ("d", Some(1 << 40))] {
            tasker.push(&task(path, 100, false), tried).unwrap();
        }
        let mut tasks = tasker.end(&Plan { bytes_max: Some(150), ..Plan::default() }, 400, 0).unwrap();
        let next = |tasks: &mut Tasks| tasks.next().map(|task| String::from_utf8(task.subject.path).unwrap());
        assert_eq!(next(&mut tasks).as_deref(), Some("c"));
        assert!(next(&mut tasks).as_deref() == Some("b") && next(&mut tasks).is_none());
        // Of one of them 50 bytes could not be read, which does not suffice for another, and then all.
        assert!(!tasks.give_back(50) && next(&mut tasks).is_none() && tasks.left() == 2);
        assert!(tasks.give_back(50) && next(&mut tasks).as_deref() == Some("a") && next(&mut tasks).is_none());
        assert!(tasks.give_back(1000) && next(&mut tasks).as_deref() == Some("d") && next(&mut tasks).is_none());
        assert!(!tasks.give_back(1000) && tasks.left() == 0);
    }
}
