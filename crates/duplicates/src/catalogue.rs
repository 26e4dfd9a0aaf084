//! Collecting the items to compare.

use crate::DIGEST_BYTES_MAX;
use crate::digested::{Digested, FOUND, LISTED};
use crate::item::{Content, Item, Place, Presence, Presences, SIZE_UNKNOWN, Side, identity};
use crate::paths::PathWriter;
use crate::record_file::{Following, RecordFile, each_group, number, record};
use crate::sift::Sifted;
use pfh_digest::Algorithm;
use pfh_list::ExternalSort;
use std::collections::BTreeMap;
use std::io;

/// Number of equal shares of the memory. At most six sorts hold records at the same time, each up to a share. The paths
/// have one share, and what was sorted keeps a half: of these there are seven at most, with no more than three sorts.
const SHARES: u64 = 8;

/// A file in a list.
#[derive(Clone, Copy, Debug)]
pub struct Listed<'a> {
    /// The path in raw bytes.
    pub path: &'a [u8],
    /// Size in bytes, if the list states it.
    pub size: Option<u64>,
    /// Number of the file, if the list states it and the file has several links.
    pub inode: Option<u64>,
    /// Device and number of the file that is at this path now, so that it is the same as one that was found.
    pub identity: Option<(u64, u64)>,
    /// The path from the root of the file system, so that it is the same as one in another list, or as one that was
    /// found; `None` if it is not known. Begins with a slash.
    pub whole_path: Option<&'a [u8]>,
    /// The state of the file now, which decides whether it is compared ([`Sifted::presences`]).
    pub presence: Presence,
    /// The digest, at most [`DIGEST_BYTES_MAX`] bytes; `None` if the list has none, because the file was not read.
    pub digest: Option<&'a [u8]>,
}

/// Length of a record of a listed file: place, digest of the path, number, digest, size, identity, side, whether the
/// whole path is known, whether the file was not read, presence, digest of the whole path.
const LISTED_BYTES: usize = 4 + 16 + 8 + DIGEST_BYTES_MAX + 8 + 16 + 1 + 1 + 1 + 1 + 16;

/// Length of a record of a found file, and of the part of it that is the same for one that was found before.
const FOUND_PATH_BYTES: usize = FOUND_KEY_BYTES + 8;
const FOUND_KEY_BYTES: usize = 16 + 1 + 16;

/// Returns the first bytes of the digest of a path.
fn hash_of(path: &[u8]) -> [u8; 16] {
    record(&[&Algorithm::BLAKE3.digest(path).bytes()[..16]])
}

/// Collects what there is.
pub struct Catalogue {
    paths: PathWriter,
    memory_bytes: u64,
    with_empty: bool,
    two_sides: bool,
    /// Size, whether it is read (listed files come first), identity, number, side.
    sizes: ExternalSort<34>,
    listed: ExternalSort<LISTED_BYTES>,
    /// As in [`Digested`], of files that were found.
    whole_paths: ExternalSort<25>,
    /// Of files that were found: digest of the whole path, side, identity, number.
    found_paths: ExternalSort<FOUND_PATH_BYTES>,
    files: u64,
}

impl Catalogue {
    /// Makes a catalogue that, with all that follows from it, takes about `memory_bytes` of memory. `with_empty`: files
    /// of no bytes are compared, too. `two_sides`: only files of different sides are compared with each other.
    pub fn new(memory_bytes: u64, with_empty: bool, two_sides: bool) -> Catalogue {
        let share_bytes = memory_bytes / SHARES;
        Catalogue {
            paths: PathWriter::new(share_bytes),
            memory_bytes: share_bytes,
            with_empty,
            two_sides,
            sizes: ExternalSort::new(share_bytes),
            listed: ExternalSort::new(share_bytes),
            whole_paths: ExternalSort::new(share_bytes),
            found_paths: ExternalSort::new(share_bytes),
            files: 0,
        }
    }

    /// Adds a name in a directory, or a file. `whole_path` is as of [`Listed`], and of use where lists may have the
    /// same file, or where it may be found again. A file that is found again on its side by the same path, and has the
    /// same identity, counts once.
    ///
    /// # Errors
    /// If a temporary file cannot be written.
    pub fn push(
        &mut self,
        path: &[u8],
        content: Content,
        side: Side,
        place: Place,
        whole_path: Option<&[u8]>,
    ) -> io::Result<()> {
        let item = self.paths.push(path, content, side, place)?;
        let Content::File { size, identity: found } = content else { return Ok(()) };
        self.files += 1;
        let item_bytes = item.to_be_bytes();
        if let Some(hash) = whole_path.map(hash_of) {
            // Where two sides are compared, identities tell which files of a list were found.
            if !self.two_sides {
                self.whole_paths.push(record(&[&hash, &[FOUND], &item_bytes]))?;
            }
            // With `..` after a symbolic link, a path can look like that of another file.
            if let Some((device, inode)) = found {
                let identity = [device.to_be_bytes(), inode.to_be_bytes()];
                self.found_paths.push(record(&[&hash, &[side as u8], identity.as_flattened(), &item_bytes]))?;
            }
        }
        if size > 0 || self.with_empty {
            push_size(&mut self.sizes, size, 1, identity(content, place.number, item), item, side)?;
        }
        Ok(())
    }

    /// Adds a file of a list. If a list has a path twice, the later one counts.
    ///
    /// # Errors
    /// If a temporary file cannot be written.
    pub fn push_listed(&mut self, listed: Listed<'_>, side: Side, place: u32) -> io::Result<()> {
        let Listed { path, size, inode, identity: found, whole_path, presence, digest } = listed;
        let content = match digest {
            Some(_) => Content::Listed { size, inode },
            None => Content::Missing,
        };
        let item = self.paths.push(path, content, side, Place { number: place, base_bytes: None })?;
        let mut padded = [0; DIGEST_BYTES_MAX];
        let digest = digest.unwrap_or_default();
        padded[..digest.len()].copy_from_slice(digest);
        let (device, inode) = found.unwrap_or_else(|| identity(content, place, item));
        let size = size.unwrap_or(SIZE_UNKNOWN);
        let whole_hash = whole_path.map_or([0; 16], hash_of);
        self.listed.push(record(&[
            &place.to_be_bytes(),
            &hash_of(path),
            &item.to_be_bytes(),
            &padded,
            &size.to_be_bytes(),
            &device.to_be_bytes(),
            &inode.to_be_bytes(),
            &[side as u8, u8::from(whole_path.is_some()), u8::from(content == Content::Missing), presence as u8],
            &whole_hash,
        ]))
    }

    /// Decides which files must be read, because others have the same size.
    ///
    /// # Errors
    /// If a temporary file cannot be written or read.
    pub fn sift(self) -> io::Result<Sifted> {
        let Catalogue {
            paths,
            memory_bytes,
            with_empty,
            two_sides,
            mut sizes,
            listed,
            whole_paths,
            found_paths,
            mut files,
        } = self;
        let paths = paths.finish()?;
        let again = found_again(found_paths, memory_bytes)?;
        if !again.is_empty() {
            files -= again.len();
            sizes = ExternalSort::new(memory_bytes);
            let mut again = Following::new(&again);
            let mut items = paths.scan();
            while let Some(&Item { number, content, side, place, .. }) = items.next_item()? {
                if let Content::File { size, .. } = content
                    && (size > 0 || with_empty)
                    && again.of(number)?.is_none()
                {
                    push_size(&mut sizes, size, 1, identity(content, place, number), number, side)?;
                }
            }
        }
        let mut digested = Digested::new(memory_bytes, whole_paths, again);
        let mut last_of_each = ExternalSort::<LISTED_BYTES>::new(memory_bytes);
        let after_digest = 28 + DIGEST_BYTES_MAX;
        let is_unread = |listed: &[u8; LISTED_BYTES]| listed[after_digest + 26] == 1;
        let presence = |listed: &[u8; LISTED_BYTES]| Presence::of_number(listed[after_digest + 27]);
        let place = |listed: &[u8; LISTED_BYTES]| listed.first_chunk().map_or(0, |bytes| u32::from_be_bytes(*bytes));
        let mut presences = BTreeMap::<u32, Presences>::new();
        each_group(
            listed,
            20,
            |last: &mut Option<[u8; LISTED_BYTES]>, listed| *last = Some(*listed),
            |last, _| {
                if let Some(listed) = &*last {
                    if !is_unread(listed) {
                        presences.entry(place(listed)).or_default().add(presence(listed));
                    }
                    last_of_each.push(*listed)?;
                }
                Ok(false)
            },
            |_, _| Ok(()),
        )?;
        let mut has_sizeless = false;
        last_of_each.into_each(|listed| {
            let (item, size) = (number(&listed, 20), number(&listed, after_digest));
            let is_unread = is_unread(&listed);
            let list = presences.get(&place(&listed));
            if !is_unread && list.is_some_and(|list| !list.counts(presence(&listed))) {
                return Ok(());
            }
            if listed[after_digest + 25] == 1 && (two_sides || !is_unread) {
                let rank = if two_sides { listed[after_digest + 24] } else { LISTED };
                digested.whole_paths.push(record(&[&listed[after_digest + 28..], &[rank], &listed[20..28]]))?;
            }
            if is_unread {
                digested.unread += 1;
                return Ok(());
            }
            files += 1;
            if size == 0 && !with_empty {
                return Ok(());
            }
            let identity = (number(&listed, after_digest + 8), number(&listed, after_digest + 16));
            let side = if listed[after_digest + 24] == Side::B as u8 { Side::B } else { Side::A };
            digested.push(item, identity, size, side, &listed[28..after_digest])?;
            if size == SIZE_UNKNOWN {
                has_sizeless = true;
                Ok(())
            } else {
                push_size(&mut sizes, size, 0, identity, item, side)
            }
        })?;
        let mut sifted = Sifted::new(paths, digested, sizes, memory_bytes, two_sides, has_sizeless, files)?;
        sifted.presences = presences;
        Ok(sifted)
    }
}

fn push_size(
    sizes: &mut ExternalSort<34>,
    size: u64,
    is_read: u8,
    (device, inode): (u64, u64),
    item: u64,
    side: Side,
) -> io::Result<()> {
    sizes.push(record(&[
        &size.to_be_bytes(),
        &[is_read],
        &device.to_be_bytes(),
        &inode.to_be_bytes(),
        &item.to_be_bytes(),
        &[side as u8],
    ]))
}

/// Finds the files that were found before on their side, as [`Digested::again`] has them.
fn found_again(found_paths: ExternalSort<FOUND_PATH_BYTES>, memory_bytes: u64) -> io::Result<RecordFile<16>> {
    let mut again = ExternalSort::new(memory_bytes);
    each_group(
        found_paths,
        FOUND_KEY_BYTES,
        |first: &mut Option<u64>, found| {
            first.get_or_insert(number(found, FOUND_KEY_BYTES));
        },
        |_, range| Ok(range.count > 1),
        |first, found| {
            let item = number(found, FOUND_KEY_BYTES);
            match *first {
                Some(first) if first < item => again.push(record(&[&item.to_be_bytes(), &first.to_be_bytes()])),
                _ => Ok(()),
            }
        },
    )?;
    RecordFile::of(again, memory_bytes)
}
