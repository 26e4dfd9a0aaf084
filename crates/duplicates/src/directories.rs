//! Directories with the same names and contents, found in one pass over the items of a walk: a directory's digest is
//! complete when the walk leaves it, so only one level for each open directory is in memory.

use crate::item::{Content, Item, identity};
use crate::paths::Paths;
use crate::record_file::{Following, RecordFile, each_group, number, record};
use pfh_digest::Algorithm;
use pfh_list::ExternalSort;
use std::io;

/// The number of the group of files that could not be read.
pub(crate) const UNREAD: u64 = u64::MAX;

/// A file's record: number, group, number of its first hard link, size, and whether it is a copy that takes room, or
/// [`AGAIN`].
pub(crate) type Class = [u8; 33];

/// In place of whether it is a copy: the file was found before by the same path.
pub(crate) const AGAIN: u8 = 2;

/// Whether an item lies below the directory that is the first `end` bytes of `path`.
pub(crate) fn is_below(item: &Item, path: &[u8], end: usize) -> bool {
    item.path.len() > end
        && item.path[..end] == path[..end]
        && (item.path[end] == b'/' || item.path[..end].ends_with(b"/"))
}

/// Returns the name of the child of a directory: `path` from the end of the directory's path on, without a slash.
fn name(path: &[u8], end: usize) -> &[u8] {
    let name = &path[end..];
    if path[..end].ends_with(b"/") { name } else { name.strip_prefix(b"/").unwrap_or(name) }
}

/// Bytes of a [`Chain`] that are hashed together.
const CHAIN_BYTES: usize = 1 << 10;

/// A digest of values that follow each other. They are hashed many at a time, because a digest costs more than the few
/// bytes of one value.
struct Chain {
    /// The digest of the values before, at first zeros, and the values that are not hashed yet.
    bytes: Vec<u8>,
}

impl Chain {
    fn new() -> Chain {
        Chain { bytes: vec![0; 32] }
    }

    /// Adds a value that consists of parts.
    fn push(&mut self, parts: &[&[u8]]) {
        parts.iter().for_each(|part| self.bytes.extend_from_slice(part));
        if self.bytes.len() >= CHAIN_BYTES {
            let digest = self.digest();
            self.bytes.clear();
            self.bytes.extend_from_slice(&digest);
        }
    }

    fn digest(&self) -> [u8; 32] {
        record(&[Algorithm::BLAKE3.digest(&self.bytes).bytes()])
    }
}

/// A directory that the pass is in.
struct Level {
    /// Length of its path.
    end: usize,
    /// Number of its first item.
    first: u64,
    /// The names and contents so far.
    contents: Chain,
    /// The identities of the files so far. They are compared where contents are equal.
    identities: Chain,
    files: u64,
    /// Whether a file in it has the content of an earlier one, and is no hard link of it.
    has_copies: bool,
    /// Whether all of it is known.
    is_known: bool,
}

impl Level {
    fn add(&mut self, kind: u8, name: &[u8], content: &[u8], identity: &[u8]) {
        self.contents.push(&[&[kind], &(name.len() as u64).to_be_bytes(), name, content]);
        self.identities.push(&[identity]);
    }
}

/// The directories of the pass.
struct Pass {
    path: Vec<u8>,
    place: u32,
    levels: Vec<Level>,
    /// The path of the last item with unknown contents.
    missing: Option<Vec<u8>>,
    /// Contents, identities, number of the first item, length of the path, whether there are copies in it.
    found: ExternalSort<81>,
}

impl Pass {
    /// Leaves the innermost directory.
    fn leave(&mut self) -> io::Result<()> {
        let Some(level) = self.levels.pop() else { return Ok(()) };
        let Level { end, first, contents, identities, files, has_copies, is_known } = level;
        let (contents, identities) = (contents.digest(), identities.digest());
        if is_known && files > 0 {
            let place = [first.to_be_bytes(), (end as u64).to_be_bytes()];
            self.found.push(record(&[&contents, &identities, &place[0], &place[1], &[u8::from(has_copies)]]))?;
        }
        if let Some(parent) = self.levels.last_mut() {
            parent.add(b'd', name(&self.path[..end], parent.end), &contents, &identities);
            parent.files += files;
            parent.has_copies |= has_copies;
            parent.is_known &= is_known;
        }
        Ok(())
    }

    /// Goes to the directory of an item.
    fn go_to(&mut self, item: &Item) -> io::Result<()> {
        while let Some(level) = self.levels.last()
            && (item.place != self.place || !is_below(item, &self.path, level.end))
        {
            self.leave()?;
        }
        self.path.clone_from(&item.path);
        self.place = item.place;
        let Some(base) = item.base_bytes else { return Ok(()) };
        let mut end = match self.levels.last() {
            Some(level) => next_slash(&item.path, level.end),
            None => Some(base as usize).filter(|&base| is_below(item, &item.path, base)),
        };
        while let Some(place) = end {
            let is_known = self.missing.as_deref() != Some(&item.path[..place]);
            let (contents, identities) = (Chain::new(), Chain::new());
            let (first, files, has_copies) = (item.number, 0, false);
            self.levels.push(Level { end: place, first, contents, identities, files, has_copies, is_known });
            end = next_slash(&item.path, place);
        }
        Ok(())
    }
}

/// Returns the length of the path of the next directory on the way to the item, below the one whose path ends at `end`.
fn next_slash(path: &[u8], end: usize) -> Option<usize> {
    let start = end + 1;
    path.get(start..)?.iter().position(|&byte| byte == b'/').map(|slash| start + slash)
}

/// Finds directories with the same contents. Returns records of those that have others: number of the first item,
/// length of the path, number of the group; in the order of the walk. Of directories whose files are the same, as hard
/// links are, only the first has a record. Where no further directory has a file of its own, because all of its files
/// are hard links of earlier ones or have no bytes, none has a record, unless `with_empty`: so a group always has
/// something to tell, if only copies that take no room because they share that of others.
pub(crate) fn equal_directories(
    paths: &Paths,
    classes: &RecordFile<33>,
    with_empty: bool,
    memory_bytes: u64,
) -> io::Result<RecordFile<24>> {
    let mut classes = Following::new(classes);
    let found = ExternalSort::new(memory_bytes);
    let mut pass = Pass { path: Vec::new(), place: 0, levels: Vec::new(), missing: None, found };
    let mut items = paths.scan();
    while let Some(item) = items.next_item()? {
        pass.go_to(item)?;
        let class = classes.of(item.number)?;
        let content = content_of(item, class, with_empty);
        if content.is_none() {
            pass.missing = Some(item.path.clone());
        }
        let Some(level) = pass.levels.last_mut() else { continue };
        match content {
            None => level.is_known = false,
            Some((kind, value)) => {
                let (device, inode) = identity(item.content, item.place, item.number);
                let identity = [device.to_be_bytes(), inode.to_be_bytes()];
                let identity = if kind == b'f' { identity.as_flattened() } else { &[] };
                level.add(kind, name(&item.path, level.end), &value, identity);
                level.files += u64::from(kind == b'f');
                level.has_copies |= class.is_some_and(|class| class[32] == 1);
            }
        }
    }
    while !pass.levels.is_empty() {
        pass.leave()?;
    }
    #[derive(Default)]
    struct Equal {
        others: u64,
        last: Option<[u8; 32]>,
        /// The first item of the directory that was found first, and whether there are copies in it.
        first: Option<(u64, bool)>,
        /// Whether there are copies in a further one.
        has_copies: bool,
        group: u64,
    }
    impl Equal {
        fn see(&mut self, found: &[u8; 81]) {
            if !self.is_other(found) {
                return;
            }
            self.others += 1;
            let (item, has_copies) = (number(found, 64), found[80] == 1);
            match self.first {
                Some((first, _)) if first < item => self.has_copies |= has_copies,
                before => {
                    self.has_copies |= before.is_some_and(|(_, has_copies)| has_copies);
                    self.first = Some((item, has_copies));
                }
            }
        }

        fn is_other(&mut self, found: &[u8; 81]) -> bool {
            let identities = found[32..].first_chunk().copied();
            let is_other = self.last != identities;
            self.last = identities;
            is_other
        }
    }
    let mut sorted = ExternalSort::new(memory_bytes);
    let mut groups = 0_u64;
    each_group(
        pass.found,
        32,
        |equal: &mut Equal, found| equal.see(found),
        |equal, _| {
            let is_group = equal.others > 1 && (with_empty || equal.has_copies);
            (equal.last, equal.group) = (None, groups);
            groups += u64::from(is_group);
            Ok(is_group)
        },
        |equal, found| {
            let is_other = equal.is_other(found);
            let place = record(&[&found[64..72], &found[72..80], &equal.group.to_be_bytes()]);
            if is_other { sorted.push(place) } else { Ok(()) }
        },
    )?;
    RecordFile::of(sorted, memory_bytes)
}

/// Returns the kind of an item and a value that is the same for equal contents; `None` if they are not known.
fn content_of(item: &Item, class: Option<Class>, with_empty: bool) -> Option<(u8, Vec<u8>)> {
    let numbers = |kind: u8, numbers: &[u64]| {
        Some((kind, numbers.iter().flat_map(|number| number.to_be_bytes()).collect::<Vec<u8>>()))
    };
    match item.content {
        Content::Missing => None,
        Content::Link(target) => numbers(b'l', &target),
        Content::EmptyDirectory => numbers(b'e', &[]),
        Content::File { size: 0, .. } | Content::Listed { size: Some(0), .. } if !with_empty => numbers(b'f', &[0]),
        Content::File { .. } | Content::Listed { .. } => match class {
            Some(class) if number(&class, 8) == UNREAD => None,
            Some(class) => numbers(b'f', &[1, number(&class, 8)]),
            // Nothing else has the same content, but for its own links.
            None => {
                let (device, inode) = identity(item.content, item.place, item.number);
                numbers(b'f', &[2, device, inode])
            }
        },
    }
}
