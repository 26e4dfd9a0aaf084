//! `results.jsonl`: written line by line as results come, and continued after an interruption.

use std::fs::{self, File, Metadata, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use crate::error::Error;
use crate::results::{Entry, Saved};

/// How often a lock is tried, and the time between two attempts.
const LOCK_ATTEMPTS: u32 = 10;
const BETWEEN_ATTEMPTS: Duration = Duration::from_millis(50);

/// The file in the folder of an experiment's results.
pub const FILE: &str = "results.jsonl";

/// Opens a regular file. Nothing else is opened, since a pipe would wait for whoever writes to it.
pub(crate) fn open_regular(path: &Path, options: &OpenOptions) -> io::Result<File> {
    if !fs::metadata(path)?.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file"));
    }
    options.open(path)
}

/// Adds entries to a file. Added entries stay, whatever happens later.
#[derive(Debug)]
pub struct Store {
    path: PathBuf,
    file: File,
    /// Up to here everything is whole.
    bytes: u64,
    /// That the filesystem has no locks.
    remark: Option<String>,
}

impl Store {
    /// A new file in a folder, which is made where it is not there; or an empty one that is there, as a run leaves it
    /// that ends before its first entry.
    ///
    /// # Errors
    /// When there is such a file already, or it cannot be made.
    pub fn create(folder: &Path) -> Result<Store, Error> {
        let path = folder.join(FILE);
        let make = || {
            fs::create_dir_all(folder)?;
            File::options().read(true).write(true).create_new(true).open(&path)
        };
        match make() {
            Ok(file) => Store::lock(path, file),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists && path.exists() => Store::take_over(path),
            Err(source) => Err(Error::Output { path, source }),
        }
    }

    /// An empty file that is there.
    fn take_over(path: PathBuf) -> Result<Store, Error> {
        let is_empty = |metadata: Metadata| metadata.is_file() && metadata.len() == 0;
        let is_there = |path: &Path| {
            Error::input(format!(
                "`{}` is there already; `--resume` continues it, `-o` names another folder",
                path.display()
            ))
        };
        if !fs::metadata(&path).is_ok_and(is_empty) {
            return Err(is_there(&path));
        }
        let file = File::options().read(true).write(true).open(&path);
        let file = file.map_err(|source| Error::Output { path: path.clone(), source })?;
        let store = Store::lock(path, file)?;
        // Before the lock was taken, another run may have begun.
        if store.file.metadata().is_ok_and(is_empty) { Ok(store) } else { Err(is_there(&store.path)) }
    }

    /// The file in a folder, to be continued, and its entries. Everything after the end of the last whole task is
    /// removed.
    ///
    /// # Errors
    /// When it cannot be read, or a line before the last is damaged; the file is then left as it is.
    pub fn open(folder: &Path) -> Result<(Store, Vec<Entry>), Error> {
        let path = folder.join(FILE);
        let file = open_regular(&path, File::options().read(true).write(true)).map_err(Error::file(&path))?;
        let mut store = Store::lock(path, file)?;
        let text = fs::read(&store.path).map_err(Error::file(&store.path))?;
        let damaged = |(line, error): (usize, String)| {
            let path = store.path.display();
            Error::input(format!("`{path}` cannot be continued: line {line} is damaged: {error}"))
        };
        let (entries, whole) = read(&text).map_err(damaged)?;
        store.bytes = whole as u64;
        store.cut().map_err(|source| Error::Output { path: store.path.clone(), source })?;
        Ok((store, entries))
    }

    /// Takes the lock that all runs on this file take. A filesystem without locks is remarked.
    fn lock(path: PathBuf, file: File) -> Result<Store, Error> {
        let mut remark = None;
        for attempt in 1.. {
            match file.try_lock() {
                Ok(()) => break,
                // A runner that another thread starts has the lock, too, until its program takes over.
                Err(TryLockError::WouldBlock) if attempt < LOCK_ATTEMPTS => thread::sleep(BETWEEN_ATTEMPTS),
                Err(TryLockError::WouldBlock) => {
                    return Err(Error::input(format!("`{}`: another run writes there", path.display())));
                }
                Err(TryLockError::Error(error)) => {
                    remark = Some(format!(
                        "`{}` cannot be locked ({error}): make sure that no other run writes there meanwhile",
                        path.display()
                    ));
                    break;
                }
            }
        }
        Ok(Store { path, file, bytes: 0, remark })
    }

    /// That the file could not be locked, in words for the user; `None` where it is.
    #[must_use]
    pub fn remark(&self) -> Option<&str> {
        self.remark.as_deref()
    }

    /// Adds entries, all or none.
    ///
    /// # Errors
    /// When they cannot be written; what was there before is whole.
    pub fn append(&mut self, entries: &[Entry]) -> Result<(), Error> {
        let mut text = Vec::new();
        let mut write = || {
            for entry in entries {
                serde_json::to_writer(&mut text, entry)?;
                text.push(b'\n');
            }
            self.file.write_all(&text)
        };
        match write() {
            Ok(()) => {
                self.bytes += text.len() as u64;
                Ok(())
            }
            Err(source) => {
                // Where even that fails, the half line is cut off when the run is continued.
                let _ = self.cut();
                Err(Error::Output { path: self.path.clone(), source })
            }
        }
    }

    /// Makes sure that everything is on the medium.
    ///
    /// # Errors
    /// When the system says that it is not.
    pub fn sync(&self) -> Result<(), Error> {
        match self.file.sync_data() {
            // Pipes and some filesystems know no such thing.
            Err(source) if source.kind() != io::ErrorKind::InvalidInput => {
                Err(Error::Output { path: self.path.clone(), source })
            }
            _ => Ok(()),
        }
    }

    fn cut(&mut self) -> io::Result<()> {
        self.file.set_len(self.bytes)?;
        io::Seek::seek(&mut self.file, io::SeekFrom::Start(self.bytes)).map(|_| ())
    }
}

/// The entries up to the end of the last whole task, and where that is. Blank lines and entries of kinds that are not
/// known are skipped.
fn read(text: &[u8]) -> Result<(Vec<Entry>, usize), (usize, String)> {
    let (mut entries, mut whole) = (Vec::new(), (0, 0));
    let mut offset = 0;
    for (index, line) in text.split_inclusive(|&byte| byte == b'\n').enumerate() {
        if line.last() != Some(&b'\n') {
            break;
        }
        offset += line.len();
        match Saved::parse(line).map_err(|error| (index + 1, error.to_string()))? {
            Saved::Entry(entry) => {
                let is_whole = !matches!(*entry, Entry::Sample(_));
                entries.push(*entry);
                if is_whole {
                    whole = (entries.len(), offset);
                }
            }
            Saved::Unknown if entries.is_empty() => return Err((index + 1, "it is no header".to_owned())),
            // It is no part of a task.
            Saved::Unknown | Saved::Blank if entries.len() == whole.0 => whole.1 = offset,
            Saved::Unknown | Saved::Blank => {}
        }
    }
    entries.truncate(whole.0);
    Ok((entries, whole.1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::fs::OFlags;
    use std::os::unix::fs::OpenOptionsExt;

    const END: Entry = Entry::End { seconds: 1.0 };

    #[test]
    fn a_second_run_does_not_overwrite_the_first() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut first = Store::create(folder.path()).expect("new");
        first.append(&[END]).expect("written");
        assert!(Store::open(folder.path()).expect_err("locked").to_string().contains("another run"));
        drop(first);
        assert!(Store::create(folder.path()).expect_err("there").to_string().contains("--resume"));
        let (mut again, entries) = Store::open(folder.path()).expect("there");
        assert_eq!(entries, [END]);
        again.append(&[END]).expect("written");
        drop(again);
        assert_eq!(Store::open(folder.path()).expect("there").1, [END, END]);
    }

    /// A run that ends before its first entry leaves one.
    #[test]
    fn an_empty_file_is_taken_over() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join(FILE);
        fs::write(&path, "").expect("written");
        let mut store = Store::create(folder.path()).expect("empty");
        assert!(Store::create(folder.path()).expect_err("locked").to_string().contains("another run"));
        store.append(&[END]).expect("written");
        drop(store);
        assert!(Store::create(folder.path()).expect_err("there").to_string().contains("--resume"));
        assert_eq!(Store::open(folder.path()).expect("there").1, [END]);
    }

    /// A descriptor that leads to a path only has no lock, as a file of a filesystem without them.
    #[test]
    fn results_are_kept_where_there_are_no_locks() {
        let file = File::options().read(true).custom_flags(OFlags::PATH.bits().cast_signed()).open("/").expect("there");
        let store = Store::lock("results".into(), file).expect("no other run");
        let remark = store.remark().expect("no lock");
        assert!(remark.starts_with("`results` cannot be locked (Bad file descriptor"), "{remark}");
    }

    #[test]
    fn what_is_not_whole_is_cut_off() {
        let end = "{\"type\":\"end\",\"seconds\":1.0}\n";
        let sample = r#"{"type":"sample","runner":"a","profile":"today","mode":"digest","algorithm":"md5","bytes":1,"count":1,"chunk_bytes":0,"order":0,"wall_ns":1}"#;
        for rest in ["", "{\"type\":\"co", &format!("{sample}\n"), &format!("{sample}\n{sample}")] {
            let (entries, whole) = read(format!("{end}{rest}").as_bytes()).expect(rest);
            assert_eq!((entries.as_slice(), whole), ([END].as_slice(), end.len()), "{rest}");
        }
        let (entries, _) = read(format!("{end}{sample}\n{end}").as_bytes()).expect("whole");
        assert_eq!(entries.len(), 3);
        let unknown = format!("{end}{{\"type\":\"later\"}}\n{end}");
        assert_eq!(read(unknown.as_bytes()).expect("skipped").1, unknown.len());
        assert_eq!(read(b"{\"type\":\"end\",\"seconds\":1}\nx\n").expect_err("garbage").0, 2);
        // At the end, too, they stay; a damaged line is an error wherever it is, and a blank one nowhere.
        for rest in ["{\"type\":\"later\"}\n", "\n", " \n\n"] {
            let text = format!("{end}{rest}");
            assert_eq!(read(text.as_bytes()).expect(rest), (vec![END], text.len()));
        }
        let damaged = sample.replace("\"wall_ns\":1", "\"wall_ns\":x");
        for line in [damaged.as_str(), "{\"type\":\"end\"}"] {
            assert_eq!(read(format!("{end}\n{line}\n{end}").as_bytes()).expect_err(line).0, 3);
        }
        assert_eq!(read(b"{\"type\":\"later\"}\n").expect_err("no header").0, 1);
    }

    #[test]
    fn a_full_disk_loses_nothing_that_was_saved() {
        let Ok(file) = File::options().write(true).open("/dev/full") else { return };
        let mut store = Store { path: "/dev/full".into(), file, bytes: 0, remark: None };
        let error = store.append(&[END]).expect_err("no space");
        assert!(matches!(error, Error::Output { .. }) && error.to_string().contains("No space left"), "{error}");
    }
}
