//! The data that runners hash: seeded random files, created once and removed after the run.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use fastrand::Rng;
use tempfile::TempDir;

use crate::error::Error;
use crate::experiment::{Extent, Place};
use crate::mounts;
use crate::protocol::Mode;
use crate::quantity::size;

/// Longest string in characters; the shortest has 1, as in the study of 2019.
const STRING_CHARACTERS_MAX: usize = 100;
/// The printable characters of ASCII.
const PRINTABLE: std::ops::RangeInclusive<u8> = 0x20..=0x7E;

/// A filesystem in memory, where there is one.
const MEMORY: &str = "/dev/shm";
/// At most this share of the available memory is filled with data: runners hold it once more.
const MEMORY_SHARE: u64 = 4;

/// Most repeats with data of their own; later ones use these again, so that disks and answers stay few.
pub(crate) const VARIANTS_MAX: u32 = 8;

const PREFIX: &str = "pfh-lab-";
const LOCK: &str = "lock";
/// The folder in it on which a simulated device is mounted.
const MOUNT: &str = "mount";

/// The folder of the data.
#[derive(Debug)]
pub struct Data {
    folder: TempDir,
    /// Tells later runs that this one lives.
    _lock: File,
    seed: u64,
    files: BTreeMap<Key, DataFile>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Key {
    Bytes(u64),
    Strings(u64),
}

/// One file of data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DataFile {
    /// Where it is; empty where the mode has no data.
    pub path: PathBuf,
    /// Its size.
    pub file_bytes: u64,
    /// Bytes that are hashed: without the ends of lines.
    pub bytes: u64,
}

/// Returns the places for the data of these tasks, with other data for each repeat.
#[must_use]
pub fn folder_for(place: Place, results: &Path, extents: &[(Mode, Extent)], repeats: u32) -> PathBuf {
    let mut sizes: Vec<(Mode, Extent)> = extents.to_vec();
    sizes.sort_unstable_by_key(|(mode, extent)| (*mode, *extent));
    sizes.dedup();
    let once: u64 = sizes.iter().map(|(mode, extent)| estimate(*mode, *extent)).sum();
    let wanted = once.saturating_mul(u64::from(repeats.min(VARIANTS_MAX)) + 1);
    match place {
        Place::Disk => results.to_owned(),
        Place::Memory if wanted <= free_bytes(Path::new(MEMORY)).min(available_memory() / MEMORY_SHARE) => {
            MEMORY.into()
        }
        Place::Memory => std::env::temp_dir(),
    }
}

fn estimate(mode: Mode, extent: Extent) -> u64 {
    match mode {
        // One character and an end of line more than on average.
        Mode::Strings => extent.count.saturating_mul(STRING_CHARACTERS_MAX as u64 / 2 + 2),
        Mode::Password => 0,
        _ => extent.bytes,
    }
}

fn free_bytes(folder: &Path) -> u64 {
    rustix::fs::statvfs(folder).map_or(0, |about| about.f_bavail.saturating_mul(about.f_frsize))
}

/// Refuses to write more than there is room for: a full disk harms others, too.
///
/// # Errors
/// `StorageFull`.
pub(crate) fn check_room(folder: &Path, bytes: u64) -> io::Result<()> {
    let free = free_bytes(folder);
    if bytes <= free {
        return Ok(());
    }
    let text = format!("no room for {}: {} are free there", size(bytes), size(free));
    Err(io::Error::new(io::ErrorKind::StorageFull, text))
}

fn available_memory() -> u64 {
    let text = fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"));
    line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<u64>().ok()).map_or(0, |kib| kib << 10)
}

impl Data {
    /// An empty folder below `parent`. Leftovers of killed runs are removed.
    ///
    /// # Errors
    /// When it cannot be made.
    pub fn new(parent: &Path, seed: u64) -> Result<Data, Error> {
        remove_stale(parent);
        let make = || {
            // Runners have other working directories.
            let parent = fs::canonicalize(parent)?;
            let folder = tempfile::Builder::new().prefix(PREFIX).tempdir_in(parent)?;
            // It takes its name when it is locked, so that nobody finds it without.
            let unnamed = folder.path().join("unnamed");
            let lock = File::create(&unnamed)?;
            lock.lock()?;
            fs::rename(&unnamed, folder.path().join(LOCK))?;
            Ok(Data { folder, _lock: lock, seed, files: BTreeMap::new() })
        };
        make().map_err(Error::file(parent))
    }

    /// The folder itself, whose path is absolute.
    #[must_use]
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// An empty folder in it, on which a device can be mounted. Of a killed run, a later one takes the mount away, too.
    ///
    /// # Errors
    /// When it cannot be made.
    pub(crate) fn mount_point(&self) -> Result<PathBuf, Error> {
        let path = self.folder().join(MOUNT);
        fs::create_dir(&path).map_err(Error::file(&path))?;
        Ok(path)
    }

    /// The file of a task, made at the first call.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn file(&mut self, mode: Mode, extent: Extent) -> Result<DataFile, Error> {
        let key = match mode {
            Mode::Password => return Ok(DataFile { path: PathBuf::new(), file_bytes: 0, bytes: 0 }),
            Mode::Strings => Key::Strings(extent.count),
            _ => Key::Bytes(extent.bytes),
        };
        if let Some(file) = self.files.get(&key) {
            return Ok(file.clone());
        }
        let (name, number) = match key {
            Key::Bytes(bytes) => (bytes.to_string(), bytes),
            Key::Strings(count) => (format!("{count}-strings"), !count),
        };
        let path = self.folder.path().join(name);
        // Neighbouring numbers give unlike streams.
        let mut random = Rng::with_seed(Rng::with_seed(self.seed ^ number).u64(..));
        let mut write = |path: &Path| match key {
            Key::Bytes(bytes) => write_bytes(path, bytes, &mut random),
            Key::Strings(count) => write_strings(path, count, &mut random),
        };
        check_room(self.folder.path(), estimate(mode, extent)).map_err(Error::file(&path))?;
        let bytes = write(&path).map_err(Error::file(&path))?;
        let file_bytes = bytes + if let Key::Strings(count) = key { count } else { 0 };
        let file = DataFile { path, file_bytes, bytes };
        self.files.insert(key, file.clone());
        Ok(file)
    }

    /// Writes other data of the same sizes for each repeat, to files named like the returned one with the number of the
    /// repeat after it. Every byte differs from that in `file`, and so does every string and every message. Returns an
    /// empty name if the mode has no data.
    ///
    /// # Errors
    /// When they cannot be written.
    pub fn variants(&mut self, mode: Mode, file: &DataFile, repeats: u32) -> Result<String, Error> {
        if mode == Mode::Password {
            return Ok(String::new());
        }
        // The laboratory made the path itself, below folders whose names it was given; the protocol is UTF-8.
        let prefix = format!("{}-repeat-", file.path.to_string_lossy());
        for repeat in 0..repeats {
            let path = PathBuf::from(format!("{prefix}{repeat}"));
            let first = repeat % VARIANTS_MAX;
            let make = || match first == repeat {
                true => write_variant(&file.path, &path, mode == Mode::Strings, repeat),
                false => fs::hard_link(format!("{prefix}{first}"), &path),
            };
            if !path.exists() {
                make().map_err(Error::file(&path))?;
            }
        }
        Ok(prefix)
    }
}

/// Copies a file with every byte changed by the number of the repeat; strings stay strings of their lengths.
fn write_variant(from: &Path, to: &Path, are_strings: bool, repeat: u32) -> io::Result<()> {
    let by = repeat as u8 + 1;
    let change = |byte: u8| match byte {
        b'\n' if are_strings => byte,
        _ if are_strings => {
            PRINTABLE.start() + (byte - PRINTABLE.start() + by) % (PRINTABLE.end() - PRINTABLE.start() + 1)
        }
        _ => byte ^ by,
    };
    let mut source = File::open(from)?;
    let mut target = File::create(to)?;
    let mut buffer = vec![0; 1 << 20];
    loop {
        let count = source.read(&mut buffer)?;
        if count == 0 {
            return Ok(());
        }
        buffer[..count].iter_mut().for_each(|byte| *byte = change(*byte));
        target.write_all(&buffer[..count])?;
    }
}

fn write_bytes(path: &Path, bytes: u64, random: &mut Rng) -> io::Result<u64> {
    let mut file = File::create(path)?;
    let mut buffer = vec![0; 1 << 20];
    let mut left = bytes;
    while left > 0 {
        let piece = buffer.len().min(usize::try_from(left).unwrap_or(usize::MAX));
        random.fill(&mut buffer[..piece]);
        file.write_all(&buffer[..piece])?;
        left -= piece as u64;
    }
    Ok(bytes)
}

fn write_strings(path: &Path, count: u64, random: &mut Rng) -> io::Result<u64> {
    let mut file = BufWriter::new(File::create(path)?);
    let mut line = Vec::with_capacity(STRING_CHARACTERS_MAX + 1);
    let mut bytes = 0;
    for _ in 0..count {
        line.clear();
        let characters = random.usize(1..=STRING_CHARACTERS_MAX);
        line.extend((0..characters).map(|_| random.u8(PRINTABLE)));
        bytes += line.len() as u64;
        line.push(b'\n');
        file.write_all(&line)?;
    }
    file.flush()?;
    Ok(bytes)
}

/// Removes the folders whose run was killed, with what is mounted there: nobody holds their lock.
fn remove_stale(parent: &Path) {
    for entry in fs::read_dir(parent).into_iter().flatten().flatten() {
        if !entry.file_name().as_encoded_bytes().starts_with(PREFIX.as_bytes()) {
            continue;
        }
        let folder = entry.path();
        if let Ok(lock) = File::options().write(true).open(folder.join(LOCK))
            && lock.try_lock().is_ok()
        {
            let mount_point = folder.join(MOUNT);
            if mounts::is_mount_point(&mount_point) {
                mounts::detach(&mount_point);
            }
            // Folders of other users cannot be removed, and need not be.
            let _ = fs::remove_dir_all(&folder);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_more_is_written_than_there_is_room_for() {
        let folder = tempfile::tempdir().unwrap();
        assert!(check_room(folder.path(), 1).is_ok());
        let error = check_room(folder.path(), u64::MAX).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::StorageFull);
        assert!(error.to_string().starts_with("no room for 16 EiB: "), "{error}");
    }

    fn strings(seed: u64) -> (Vec<u8>, u64) {
        let parent = tempfile::tempdir().expect("a folder");
        let mut data = Data::new(parent.path(), seed).expect("a folder");
        let file = data.file(Mode::Strings, Extent { bytes: 0, count: 1000 }).expect("written");
        (fs::read(file.path).expect("read"), file.bytes)
    }

    #[test]
    fn strings_are_as_the_protocol_says() {
        let (text, bytes) = strings(1);
        assert_eq!(text.last(), Some(&b'\n'));
        let lines: Vec<&[u8]> = text[..text.len() - 1].split(|&byte| byte == b'\n').collect();
        assert_eq!(lines.len(), 1000);
        assert!(lines.iter().all(|line| (1..=100).contains(&line.len()) && line.iter().all(|b| PRINTABLE.contains(b))));
        assert_eq!(bytes, lines.iter().map(|line| line.len() as u64).sum::<u64>());
        let mean = bytes as f64 / 1000.0;
        // The deviation of a mean of 1000 is 0.9.
        assert!((mean - 50.5).abs() < 5.0, "{mean}");
    }

    #[test]
    fn the_data_of_each_repeat_are_others_of_the_same_sizes() {
        let parent = tempfile::tempdir().expect("a folder");
        let mut data = Data::new(parent.path(), 1).expect("a folder");
        for (mode, extent) in
            [(Mode::Strings, Extent { bytes: 0, count: 500 }), (Mode::Digest, Extent { bytes: 70_000, count: 1 })]
        {
            let file = data.file(mode, extent).expect("written");
            let prefix = data.variants(mode, &file, 3).expect("written");
            let mut texts = vec![fs::read(&file.path).expect("read")];
            texts.extend((0..3).map(|repeat| fs::read(format!("{prefix}{repeat}")).expect("read")));
            for (index, text) in texts.iter().enumerate() {
                for other in &texts[..index] {
                    assert_eq!(text.len(), other.len());
                    let is_other = |(a, b): (&u8, &u8)| a != b || (mode == Mode::Strings && *a == b'\n' && *b == b'\n');
                    assert!(text.iter().zip(other).all(is_other), "{mode:?}");
                }
                assert!(mode != Mode::Strings || text.iter().all(|byte| *byte == b'\n' || PRINTABLE.contains(byte)));
            }
        }
    }

    #[test]
    fn the_seed_decides() {
        assert_eq!(strings(1), strings(1));
        assert_ne!(strings(1).0, strings(2).0);
    }

    #[test]
    fn files_have_their_size_and_vanish() {
        let parent = tempfile::tempdir().expect("a folder");
        let mut data = Data::new(parent.path(), 7).expect("a folder");
        for bytes in [0, 16, (1 << 20) + 1] {
            let file = data.file(Mode::Digest, Extent { bytes, count: 1 }).expect("written");
            assert_eq!((fs::metadata(&file.path).expect("there").len(), file.bytes), (bytes, bytes));
            assert_eq!(data.file(Mode::ReadFile, Extent { bytes, count: 1 }).expect("made"), file);
        }
        drop(data);
        assert_eq!(fs::read_dir(parent.path()).expect("listed").count(), 0);
    }

    #[test]
    fn only_what_killed_runs_left_is_removed() {
        let parent = tempfile::tempdir().expect("a folder");
        let killed = parent.path().join("pfh-lab-killed");
        fs::create_dir(&killed).expect("made");
        fs::write(killed.join(LOCK), "").expect("written");
        let other = parent.path().join("pfh-lab-notes");
        fs::create_dir(&other).expect("made");
        let first = Data::new(parent.path(), 1).expect("a folder");
        let second = Data::new(parent.path(), 1).expect("a folder");
        assert!(!killed.exists() && other.exists());
        assert!(first.folder.path().exists() && second.folder.path().exists());
    }
}
