//! The things to copy, in the order of the walk: in a temporary file, whose memory does not grow with the tree.

use std::io;

use pfh_list::{ByteSort, ExternalSort, Spool, SpoolReader, be_number};
use pfh_record::{FileIdentity, Timestamp};

/// Something to copy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// Its number, from 0, in the order of the walk.
    pub number: u64,
    /// The number of the source that it was found in.
    pub source: u32,
    /// Its path below the destinations, in raw bytes.
    pub path: Vec<u8>,
    /// The kind of thing that it is.
    pub kind: Kind,
}

/// The kind of an [`Item`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A directory, which comes before everything in it.
    Directory,
    /// A regular file.
    File {
        /// Size in bytes.
        size: u64,
        /// Time of the last modification.
        mtime: Timestamp,
        /// The identity, if the source has one.
        identity: Option<FileIdentity>,
        /// The path below the destinations of an earlier item that is a hard link to the same file.
        leader: Option<Vec<u8>>,
    },
    /// A symbolic link.
    Link {
        /// The text of the link.
        target: Vec<u8>,
    },
}

/// Counts of what a survey has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Number of regular files, each hard link counted.
    pub files: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Number of directories.
    pub directories: u64,
    /// Number of symbolic links.
    pub links: u64,
}

const DIRECTORY: u8 = 0;
const FILE: u8 = 1;
const LINK: u8 = 2;

/// Collects what walks find.
pub struct Survey {
    items: Spool,
    /// Of each file with several hard links: device, inode, number.
    shared: ExternalSort<24>,
    memory_bytes: u64,
    totals: Totals,
    /// The directory of the latest item, and the source it is in.
    directory: Option<(u32, Vec<u8>)>,
    record: Vec<u8>,
}

impl Survey {
    /// The longest path below the destinations, in bytes.
    pub const PATH_BYTES_MAX: usize = 16 << 10;

    /// Makes an empty survey, which takes about `memory_bytes` of memory for files with several hard links.
    pub fn new(memory_bytes: u64) -> Survey {
        Survey {
            items: Spool::default(),
            shared: ExternalSort::new(memory_bytes / 2),
            memory_bytes,
            totals: Totals::default(),
            directory: None,
            record: Vec::new(),
        }
    }

    /// Returns the counts so far.
    pub fn totals(&self) -> Totals {
        self.totals
    }

    /// Adds a directory, and the directories above it that were not added yet. Items must come in the order of a walk.
    ///
    /// # Errors
    /// If the path is too long, and the errors of temporary files.
    pub fn directory(&mut self, source: u32, path: &[u8]) -> io::Result<()> {
        if path.len() > Survey::PATH_BYTES_MAX {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "a path is longer than 16 KiB"));
        }
        let known = match self.directory.take() {
            Some((of, known)) if of == source => known,
            _ => Vec::new(),
        };
        let mut shared = known.iter().zip(path).take_while(|(one, other)| one == other).count();
        let ends = |path: &[u8]| path.get(shared).is_none_or(|&byte| byte == b'/');
        if !(ends(path) && ends(&known)) {
            shared = path[..shared].iter().rposition(|&byte| byte == b'/').unwrap_or(0);
        }
        let ends = (shared..path.len()).filter(|&at| path[at] == b'/').chain([path.len()]);
        for end in ends.filter(|&end| end > shared) {
            self.totals.directories += 1;
            self.push(DIRECTORY, source, &path[..end], &[])?;
        }
        self.directory = Some((source, path.to_vec()));
        Ok(())
    }

    /// Adds a regular file. `links` is its number of hard links.
    ///
    /// # Errors
    /// As [`Survey::directory`].
    pub fn file(
        &mut self,
        source: u32,
        path: &[u8],
        size: u64,
        mtime: Timestamp,
        identity: Option<FileIdentity>,
        links: u64,
    ) -> io::Result<()> {
        self.directory(source, parent(path))?;
        let known = identity.unwrap_or(FileIdentity::new(0, 0));
        if let (Some(identity), true) = (identity, links > 1) {
            let parts = [identity.device, identity.number, self.items.len()].map(u64::to_be_bytes);
            let mut record = [0; 24];
            record.copy_from_slice(parts.as_flattened());
            self.shared.push(record)?;
        }
        self.totals.files += 1;
        self.totals.bytes += size;
        let mut fields = [0; FILE_BYTES];
        let numbers = [size, mtime.seconds.cast_unsigned(), mtime.nanoseconds.into(), known.device, known.number];
        fields[..40].copy_from_slice(numbers.map(u64::to_be_bytes).as_flattened());
        fields[40] = identity.is_some().into();
        self.push(FILE, source, path, &fields)
    }

    /// Adds a symbolic link.
    ///
    /// # Errors
    /// As [`Survey::directory`].
    pub fn link(&mut self, source: u32, path: &[u8], target: &[u8]) -> io::Result<()> {
        self.directory(source, parent(path))?;
        self.totals.links += 1;
        self.push(LINK, source, path, target)
    }

    fn push(&mut self, kind: u8, source: u32, path: &[u8], rest: &[u8]) -> io::Result<()> {
        if path.len() > Survey::PATH_BYTES_MAX {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "a path is longer than 16 KiB"));
        }
        self.record.clear();
        self.record.push(kind);
        self.record.extend_from_slice(&source.to_be_bytes());
        self.record.extend_from_slice(&(path.len() as u32).to_be_bytes());
        self.record.extend_from_slice(path);
        self.record.extend_from_slice(rest);
        self.items.push(&self.record)
    }

    /// Ends the survey.
    ///
    /// # Errors
    /// The errors of temporary files.
    pub fn into_items(self) -> io::Result<Items> {
        // From the numbers of each file's links to pairs of a leader, which is the first one, and another.
        let mut pairs = ExternalSort::<16>::new(self.memory_bytes / 2);
        let mut leader: Option<[u8; 24]> = None;
        self.shared.into_each(|record| {
            match leader.filter(|leader| leader[..16] == record[..16]) {
                Some(leader) => {
                    let mut pair = [0; 16];
                    pair[..8].copy_from_slice(&leader[16..]);
                    pair[8..].copy_from_slice(&record[16..]);
                    pairs.push(pair)?;
                }
                None => leader = Some(record),
            }
            Ok(())
        })?;
        let mut items =
            Items { items: self.items.reader()?, leaders: SpoolReader::default(), next_leader: None, number: 0 };
        // Then from the numbers of leaders to their paths, and into the order of the others.
        let mut named = ByteSort::new(self.memory_bytes / 2);
        let mut current: Option<Item> = None;
        pairs.into_each(|pair| {
            while current.as_ref().is_none_or(|item| item.number < be_number(&pair[..8])) {
                current = items.next()?;
                if current.is_none() {
                    return Err(damaged());
                }
            }
            let path = current.as_ref().map_or(&[][..], |item| &item.path);
            named.push(&[&pair[8..], path].concat())
        })?;
        items.items.rewind()?;
        items.number = 0;
        let mut leaders = Spool::default();
        named.into_each(|record| leaders.push(record))?;
        items.leaders = leaders.reader()?;
        items.next_leader()?;
        Ok(items)
    }
}

/// The bytes of a file's fields.
const FILE_BYTES: usize = 41;

/// Returns the path of the directory that a path lies in; empty for one without.
pub(crate) fn parent(path: &[u8]) -> &[u8] {
    path.iter().rposition(|&byte| byte == b'/').map_or(&[], |end| &path[..end])
}

fn damaged() -> io::Error {
    io::Error::other("a temporary file does not have what was written to it")
}

/// The things to copy, in the order of the walk.
pub struct Items {
    items: SpoolReader,
    leaders: SpoolReader,
    /// The next file that has a leader, by its number, and that leader's path.
    next_leader: Option<(u64, Vec<u8>)>,
    number: u64,
}

impl Items {
    /// Returns the next item.
    ///
    /// # Errors
    /// The errors of the temporary file.
    #[expect(clippy::should_implement_trait, reason = "it can fail")]
    pub fn next(&mut self) -> io::Result<Option<Item>> {
        let Some(record) = self.items.next()? else { return Ok(None) };
        let (Some((&kind, rest)), number) = (record.split_first(), self.number) else { return Err(damaged()) };
        let (source, rest) = rest.split_first_chunk::<4>().ok_or_else(damaged)?;
        let (length, rest) = rest.split_first_chunk::<4>().ok_or_else(damaged)?;
        let (path, rest) = rest.split_at_checked(u32::from_be_bytes(*length) as usize).ok_or_else(damaged)?;
        let (source, path) = (u32::from_be_bytes(*source), path.to_vec());
        let kind = match kind {
            DIRECTORY => Kind::Directory,
            LINK => Kind::Link { target: rest.to_vec() },
            _ => {
                let fields: &[u8; FILE_BYTES] = rest.try_into().map_err(|_| damaged())?;
                let (numbers, _) = fields.as_chunks::<8>();
                let [size, seconds, nanoseconds, device, inode] =
                    [0, 1, 2, 3, 4].map(|place: usize| u64::from_be_bytes(numbers[place]));
                Kind::File {
                    size,
                    mtime: Timestamp { seconds: seconds.cast_signed(), nanoseconds: nanoseconds as u32 },
                    identity: (fields[40] != 0).then(|| FileIdentity::new(device, inode)),
                    leader: None,
                }
            }
        };
        let mut item = Item { number, source, path, kind };
        self.number += 1;
        if let (Kind::File { leader, .. }, Some((next, _))) = (&mut item.kind, &self.next_leader)
            && *next == number
        {
            *leader = self.next_leader.take().map(|(_, path)| path);
            self.next_leader()?;
        }
        Ok(Some(item))
    }

    /// Begins again with the first item.
    ///
    /// # Errors
    /// The errors of the temporary files.
    pub fn rewind(&mut self) -> io::Result<()> {
        self.items.rewind()?;
        self.leaders.rewind()?;
        self.number = 0;
        self.next_leader()
    }

    fn next_leader(&mut self) -> io::Result<()> {
        self.next_leader = match self.leaders.next()? {
            Some(record) => {
                let (number, path) = record.split_first_chunk::<8>().ok_or_else(damaged)?;
                Some((u64::from_be_bytes(*number), path.to_vec()))
            }
            None => None,
        };
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_come_back_with_their_directories_and_leaders() {
        let time = Timestamp { seconds: -1, nanoseconds: 5 };
        let identity = |number| Some(FileIdentity::new(7, number));
        let mut survey = Survey::new(0);
        survey.directory(0, b"t").unwrap();
        survey.file(0, b"t/a/b/1", 10, time, identity(1), 2).unwrap();
        survey.file(0, b"t/a/b/2", 20, time, identity(2), 3).unwrap();
        survey.directory(0, b"t/a/bc").unwrap();
        survey.link(0, b"t/a/bc/l", b"../x").unwrap();
        survey.file(0, b"t/c", 20, time, identity(2), 3).unwrap();
        survey.file(0, b"t/d/e", 10, time, identity(1), 2).unwrap();
        // Another source begins with its directories again.
        survey.file(1, b"t2", 20, time, identity(2), 3).unwrap();
        survey.file(1, b"t3", 0, time, None, 1).unwrap();
        assert_eq!(survey.totals(), Totals { files: 6, bytes: 80, directories: 5, links: 1 });
        let mut items = survey.into_items().unwrap();
        for _ in 0..2 {
            let mut seen = Vec::new();
            while let Some(item) = items.next().unwrap() {
                assert_eq!(item.number, seen.len() as u64);
                let path = String::from_utf8(item.path).unwrap();
                seen.push(match item.kind {
                    Kind::Directory => format!("{path}/"),
                    Kind::Link { target } => format!("{path} -> {}", String::from_utf8(target).unwrap()),
                    Kind::File { size, mtime, leader, .. } => {
                        assert_eq!(mtime, time);
                        let leader = leader.map(|leader| String::from_utf8(leader).unwrap());
                        format!("{path} {size} {}", leader.unwrap_or_default())
                    }
                });
            }
            let expected = [
                "t/",
                "t/a/",
                "t/a/b/",
                "t/a/b/1 10 ",
                "t/a/b/2 20 ",
                "t/a/bc/",
                "t/a/bc/l -> ../x",
                "t/c 20 t/a/b/2",
                "t/d/",
                "t/d/e 10 t/a/b/1",
                "t2 20 t/a/b/2",
                "t3 0 ",
            ];
            assert_eq!(seen, expected);
            items.rewind().unwrap();
        }
    }

    #[test]
    fn long_paths_are_refused() {
        let mut survey = Survey::new(0);
        assert!(survey.directory(0, &vec![b'a'; Survey::PATH_BYTES_MAX + 1]).is_err());
    }
}
