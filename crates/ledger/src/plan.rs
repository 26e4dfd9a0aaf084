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
}

/// The files to read, in the order of reading: first those that must be read, then the others, those first that were
/// verified longest ago.
#[derive(Debug)]
pub struct Tasks {
    file: BufReader<File>,
    /// Number of files, and of their bytes.
    files: u64,
    bytes: u64,
    /// Bytes that may still be given out: of all files, and of those that seem unchanged.
    left_bytes: u64,
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

    /// Adds a file. `checked`: the event after which it was last read.
    pub(crate) fn push(&mut self, task: &Task, checked: Option<i64>) -> io::Result<()> {
        let Task { subject, size, device, inode, is_unchanged } = task;
        self.record.clear();
        self.record.push(u8::from(*is_unchanged));
        let checked = if *is_unchanged { checked.unwrap_or(0) } else { 0 };
        self.record.extend_from_slice(&checked.to_be_bytes());
        self.record.extend_from_slice(&subject.root.to_be_bytes());
        self.record.extend_from_slice(&subject.path);
        self.record.push(0);
        for number in [size, device, inode] {
            self.record.extend_from_slice(&number.to_be_bytes());
        }
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
            left_bytes: plan.bytes_max.unwrap_or(u64::MAX),
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

    /// Returns the error that ended the iteration, if one did.
    pub fn take_error(&mut self) -> Option<io::Error> {
        self.error.take()
    }

    fn read(&mut self) -> io::Result<Option<Task>> {
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
        let (path, numbers) = rest.split_at_checked(rest.len().wrapping_sub(25)).ok_or_else(damaged)?;
        let mut values = [0; 3];
        for (value, bytes) in values.iter_mut().zip(numbers[1..].as_chunks::<8>().0) {
            *value = u64::from_be_bytes(*bytes);
        }
        let [size, device, inode] = values;
        let mut root = [0; 4];
        root.copy_from_slice(&front[9..]);
        let subject = Subject { root: u32::from_be_bytes(root), path: path.to_vec() };
        Ok(Some(Task { subject, size, device, inode, is_unchanged: front[0] == 1 }))
    }
}

impl Iterator for Tasks {
    type Item = Task;

    fn next(&mut self) -> Option<Task> {
        if self.left_bytes == 0 {
            return None;
        }
        match self.read() {
            Ok(Some(task)) if task.is_unchanged && self.share_left_bytes == 0 => None,
            Ok(Some(task)) => {
                // The last file may exceed a limit: otherwise a file that is larger than it would never be read.
                self.left_bytes = self.left_bytes.saturating_sub(task.size);
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
        Task { subject, size, device: 3, inode: u64::MAX, is_unchanged }
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
}
