//! Groups of equal files and directories, and files without a copy on the other side.

use crate::DIGEST_BYTES_MAX;
use crate::bits::Bits;
use crate::digested::{Digested, LISTED};
use crate::directories::{AGAIN, Class, UNREAD, equal_directories, is_below};
use crate::item::{Content, Item, SIZE_UNKNOWN, Side};
use crate::paths::{PathReader, Paths};
use crate::record_file::{ByteWriter, Following, Range, RecordFile, RecordReader, each_group, number, record};
use pfh_digest::Algorithm;
use pfh_list::ExternalSort;
use std::cell::RefCell;
use std::io;

/// The groups that are reported.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Whether whole directories are compared.
    pub directories: bool,
    /// Whether what lies in equal directories is reported, too.
    pub inside: bool,
    /// Whether groups are reported in which nothing can be saved, because all files have no bytes.
    pub with_empty: bool,
}

/// Returns a value that two files have in common if they share all of their room on the medium (reflinks); `None` if it
/// is not known, or they share it with no other file.
type SharedRoom<'a> = &'a mut dyn FnMut(&Item) -> Option<Vec<u8>>;

/// The digests of all files that may have copies.
pub struct Digests {
    pub(crate) paths: Paths,
    pub(crate) digested: Digested,
    pub(crate) memory_bytes: u64,
    pub(crate) files: u64,
}

/// The sums of a search for duplicates. Each file is counted once, whatever groups it is in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Files that were found, or that lists have.
    pub files: u64,
    /// Files whose contents are not known.
    pub unread: u64,
    /// Reported groups of files.
    pub groups: u64,
    /// Reported groups of directories.
    pub directory_groups: u64,
    /// Files that have the content of an earlier one, and are no hard links of it.
    pub duplicates: u64,
    /// Hard links of files that have copies: names without contents of their own.
    pub links: u64,
    /// Bytes that could be saved.
    pub saved_bytes: u64,
    /// Bytes of duplicates that take no room, because they share that of another file.
    pub shared_bytes: u64,
}

/// The files with one digest.
#[derive(Default)]
struct Same {
    identities: u64,
    identity: Option<(u64, u64)>,
    /// The number of the first link of the current identity.
    link: u64,
    first: Option<u64>,
    size: Option<u64>,
    group: u64,
}

impl Same {
    /// Goes on to the next file. Returns whether it is no link of the one before.
    fn next(&mut self, identity: (u64, u64), item: u64) -> bool {
        let is_new = self.identity.replace(identity) != Some(identity);
        if is_new {
            self.link = item;
        }
        is_new
    }
}

const IDENTITY: usize = DIGEST_BYTES_MAX;

fn identity_in(digest: &[u8]) -> (u64, u64) {
    (number(digest, IDENTITY), number(digest, IDENTITY + 8))
}

impl Digests {
    /// Finds groups of equal files and directories. A file whose whole path was found, or is in several lists, is one
    /// file, and so is one that was found several times by the same path.
    ///
    /// # Errors
    /// If a temporary file cannot be written or read.
    pub fn groups(self, options: Options, shared_room: SharedRoom<'_>) -> io::Result<Groups> {
        let Digests { paths, digested, memory_bytes, files } = self;
        let Digested { digests, failed, unread, whole_paths, again } = digested;
        let (digests, repeated) = each_once(digests, whole_paths, memory_bytes)?;
        let mut totals = Totals { files: files - repeated, unread, ..Totals::default() };
        let mut classes = ExternalSort::<33>::new(memory_bytes);
        let (mut known, mut groups) = (ByteWriter::new(memory_bytes / 2), 0_u64);
        each_group(
            digests,
            DIGEST_BYTES_MAX,
            |same: &mut Same, digest| {
                let item = number(digest, IDENTITY + 16);
                same.identities += u64::from(same.next(identity_in(digest), item));
                same.first = Some(same.first.map_or(item, |first| first.min(item)));
                let size = Some(number(digest, IDENTITY + 24)).filter(|&size| size != SIZE_UNKNOWN);
                same.size = same.size.or(size);
            },
            |same, _| {
                let is_group = same.identities > 1;
                (same.identity, same.group) = (None, groups);
                groups += u64::from(is_group);
                Ok(is_group)
            },
            |same, digest| {
                let item = number(digest, IDENTITY + 16);
                if same.identity.is_none() {
                    known.write(&digest[..DIGEST_BYTES_MAX])?;
                    known.write(&same.size.unwrap_or(SIZE_UNKNOWN).to_be_bytes())?;
                }
                let is_new = same.next(identity_in(digest), item);
                let is_copy = is_new && same.first != Some(item);
                totals.duplicates += u64::from(is_copy);
                totals.links += u64::from(!is_new);
                let numbers = [item, same.group, same.link, same.size.unwrap_or(0)].map(u64::to_be_bytes);
                classes.push(record(&[&numbers[0], &numbers[1], &numbers[2], &numbers[3], &[u8::from(is_copy)]]))
            },
        )?;
        failed.into_each(|item| classes.push(record(&[&item, &UNREAD.to_be_bytes(), &[0; 17]])))?;
        let classes = with_again(RecordFile::of(classes, memory_bytes)?, &again, memory_bytes)?;
        let shared = sharing(&paths, &classes, memory_bytes, shared_room)?;
        let known = RecordFile::written(known, groups)?;
        let equal = match options.directories {
            true => Some(equal_directories(&paths, &classes, options.with_empty, memory_bytes)?),
            false => None,
        };
        let (members, directories) =
            assign(&paths, &classes, &shared, equal.as_ref(), options.inside, memory_bytes, &mut totals)?;
        Groups::new(paths, known, members, directories, memory_bytes, totals)
    }

    /// Finds the files of side A whose content no file of side B has. Files that are on both sides, by hard links or
    /// because the sides overlap, belong to A; so do those whose whole path lists of both sides have.
    ///
    /// # Errors
    /// If a temporary file cannot be written or read.
    pub fn uncovered(self, mut visit: impl FnMut(&Item) -> io::Result<()>) -> io::Result<Uncovered> {
        let Digests { paths, digested: Digested { digests, failed, whole_paths, again, .. }, memory_bytes, .. } = self;
        let digests = with_same_paths(digests, whole_paths, memory_bytes)?;
        #[derive(Default)]
        struct Sides {
            identity: Option<(u64, u64)>,
            sides: [bool; 2],
            is_covered: bool,
        }
        impl Sides {
            fn end_identity(&mut self) {
                self.is_covered |= self.sides == [false, true];
                self.sides = [false; 2];
            }
        }
        let mut answers = ExternalSort::<9>::new(memory_bytes);
        each_group(
            digests,
            DIGEST_BYTES_MAX,
            |same: &mut Sides, digest| {
                let identity = identity_in(digest);
                if same.identity.replace(identity) != Some(identity) {
                    same.end_identity();
                }
                same.sides[usize::from(digest[IDENTITY + 32] & 1)] = true;
            },
            |same, _| {
                same.end_identity();
                Ok(true)
            },
            |same, digest| {
                let item = &digest[IDENTITY + 16..IDENTITY + 24];
                answers.push(record(&[item, &[u8::from(same.is_covered)]]))
            },
        )?;
        failed.into_each(|item| answers.push(record(&[&item, &[2]])))?;
        let mut answers = Following::new(&RecordFile::of(answers, memory_bytes)?);
        let mut again = Following::new(&again);
        let mut uncovered = Uncovered::default();
        let mut items = paths.scan();
        while let Some(item) = items.next_item()? {
            let answer = answers.of(item.number)?.map(|answer| answer[8]);
            let is_file = match item.content {
                Content::File { .. } => true,
                // A line that a later one of its list supersedes has no answer.
                Content::Listed { .. } => answer.is_some(),
                _ => false,
            };
            if item.side == Side::B || !is_file || again.of(item.number)?.is_some() {
                continue;
            }
            uncovered.files += 1;
            match answer {
                Some(1) => uncovered.covered += 1,
                Some(2) => uncovered.unread += 1,
                _ => {
                    uncovered.uncovered += 1;
                    uncovered.uncovered_bytes =
                        uncovered.uncovered_bytes.saturating_add(item.content.size().unwrap_or(0));
                    visit(item)?;
                }
            }
        }
        Ok(uncovered)
    }
}

/// The sums of a comparison of two sides. The files are covered, uncovered and unread ones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Uncovered {
    /// Files on side A that were found.
    pub files: u64,
    /// Files among them whose content is on side B, too.
    pub covered: u64,
    /// Files among them whose content no file of side B has.
    pub uncovered: u64,
    /// Sizes of these together, in bytes, as far as they are known.
    pub uncovered_bytes: u64,
    /// Files among them that could not be read.
    pub unread: u64,
}

/// A file with its digest, as in [`Digested`].
type DigestRecord = [u8; DIGEST_BYTES_MAX + 33];

/// Moves listed files of side B to side A if a list of that side has the same whole path.
fn with_same_paths(
    digests: ExternalSort<{ DIGEST_BYTES_MAX + 33 }>,
    whole_paths: ExternalSort<25>,
    memory_bytes: u64,
) -> io::Result<ExternalSort<{ DIGEST_BYTES_MAX + 33 }>> {
    let mut same = ExternalSort::<8>::new(memory_bytes);
    each_group(
        whole_paths,
        16,
        |sides: &mut [bool; 2], path| sides[usize::from(path[16] & 1)] = true,
        |sides, _| Ok(*sides == [true; 2]),
        |_, path| same.push(number(path, 17).to_be_bytes()),
    )?;
    let same = RecordFile::of(same, memory_bytes)?;
    if same.is_empty() {
        return Ok(digests);
    }
    let mut moved = ExternalSort::new(memory_bytes);
    each_with(digests, &same, memory_bytes, |mut digest, same| {
        if same.is_some() {
            digest[IDENTITY + 32] = Side::A as u8;
        }
        moved.push(digest)
    })?;
    Ok(moved)
}

/// Leaves out listed files if a file with the same whole path and the same digest was found, or is in an earlier list.
/// Also returns the number of listed files that are the same as others by their paths.
fn each_once(
    digests: ExternalSort<{ DIGEST_BYTES_MAX + 33 }>,
    whole_paths: ExternalSort<25>,
    memory_bytes: u64,
) -> io::Result<(ExternalSort<{ DIGEST_BYTES_MAX + 33 }>, u64)> {
    #[derive(Default)]
    struct Path {
        found: u64,
        listed: u64,
        first: Option<u64>,
    }
    let mut repeated = 0;
    // Number, number of the first with this path, rank.
    let mut same = ExternalSort::<17>::new(memory_bytes);
    each_group(
        whole_paths,
        16,
        |sum: &mut Path, path| {
            let count = if path[16] == LISTED { &mut sum.listed } else { &mut sum.found };
            *count += 1;
            sum.first.get_or_insert(number(path, 17));
        },
        |sum, _| {
            let others = if sum.found > 0 { sum.listed } else { sum.listed.saturating_sub(1) };
            repeated += others;
            Ok(others > 0)
        },
        |sum, path| same.push(record(&[&path[17..], &sum.first.unwrap_or(0).to_be_bytes(), &[path[16]]])),
    )?;
    let same = RecordFile::of(same, memory_bytes)?;
    if same.is_empty() {
        return Ok((digests, repeated));
    }
    const KEY_BYTES: usize = 8 + DIGEST_BYTES_MAX;
    let mut once = ExternalSort::new(memory_bytes);
    // Number of the first with this path, digest; then rank, number, and the rest of the record.
    let mut named = ExternalSort::<{ KEY_BYTES + 42 }>::new(memory_bytes);
    each_with(digests, &same, memory_bytes, |digest, same| match same {
        Some(same) => named.push(record(&[
            &same[8..16],
            &digest[..DIGEST_BYTES_MAX],
            &same[16..],
            &same[..8],
            &digest[DIGEST_BYTES_MAX..],
        ])),
        None => once.push(digest),
    })?;
    let mut last = None;
    named.into_each(|entry| {
        let key: [u8; KEY_BYTES] = record(&[&entry[..KEY_BYTES]]);
        let is_repeated = last.replace(key) == Some(key) && entry[KEY_BYTES] == LISTED;
        if is_repeated { Ok(()) } else { once.push(record(&[&entry[8..KEY_BYTES], &entry[KEY_BYTES + 9..]])) }
    })?;
    Ok((once, repeated))
}

/// Passes over digests by the numbers of their files, each with the record that begins with its number, if there is
/// one.
fn each_with<const N: usize>(
    digests: ExternalSort<{ DIGEST_BYTES_MAX + 33 }>,
    records: &RecordFile<N>,
    memory_bytes: u64,
    mut take: impl FnMut(DigestRecord, Option<[u8; N]>) -> io::Result<()>,
) -> io::Result<()> {
    let mut by_number = ExternalSort::<{ DIGEST_BYTES_MAX + 41 }>::new(memory_bytes);
    digests.into_each(|digest| by_number.push(record(&[&digest[IDENTITY + 16..IDENTITY + 24], &digest])))?;
    let mut records = Following::new(records);
    by_number.into_each(|entry| take(record(&[&entry[8..]]), records.of(number(&entry, 0))?))
}

/// Gives files that were found before by the same path the classes of the first, so that directories are the same
/// whatever else was found in them.
fn with_again(classes: RecordFile<33>, again: &RecordFile<16>, memory_bytes: u64) -> io::Result<RecordFile<33>> {
    if again.is_empty() {
        return Ok(classes);
    }
    let mut by_first = ExternalSort::<16>::new(memory_bytes);
    for pair in again.scan(0) {
        let pair = pair?;
        by_first.push(record(&[&pair[8..], &pair[..8]]))?;
    }
    let mut all = ExternalSort::<33>::new(memory_bytes);
    classes.scan(0).try_for_each(|class| all.push(class?))?;
    let mut classes = Following::new(&classes);
    let mut last: Option<(u64, Option<Class>)> = None;
    by_first.into_each(|pair| {
        let first = number(&pair, 0);
        let class = match last {
            Some((known, class)) if known == first => class,
            _ => classes.of(first)?,
        };
        last = Some((first, class));
        let Some(mut class) = class else { return Ok(()) };
        class[..8].copy_from_slice(&pair[8..]);
        class[32] = AGAIN;
        all.push(class)
    })?;
    RecordFile::of(all, memory_bytes)
}

/// Finds copies that take no room of their own. Returns their numbers, in order.
fn sharing(
    paths: &Paths,
    classes: &RecordFile<33>,
    memory_bytes: u64,
    shared_room: SharedRoom<'_>,
) -> io::Result<RecordFile<8>> {
    let mut rooms = ExternalSort::<32>::new(memory_bytes);
    let mut paths = paths.reader();
    for class in classes.scan(0) {
        let class = class?;
        let (item, group, link) = (number(&class, 0), number(&class, 8), number(&class, 16));
        if group == UNREAD || item != link {
            continue;
        }
        let found = paths.get(item)?;
        if let Content::File { .. } = found.content
            && let Some(room) = shared_room(&found)
        {
            let room = Algorithm::BLAKE3.digest(&room);
            rooms.push(record(&[&group.to_be_bytes(), &room.bytes()[..16], &item.to_be_bytes()]))?;
        }
    }
    let mut shared = ExternalSort::new(memory_bytes);
    each_group(
        rooms,
        24,
        |_: &mut bool, _| {},
        |_, Range { count, .. }| Ok(count > 1),
        |is_further, room| {
            let is_copy = std::mem::replace(is_further, true);
            if is_copy { shared.push(number(room, 24).to_be_bytes()) } else { Ok(()) }
        },
    )?;
    RecordFile::of(shared, memory_bytes)
}

/// A directory with equal ones that the pass is in.
struct Open {
    end: usize,
    place: u32,
    first: u64,
    group: u64,
    /// Whether it is the first of its group, which stays.
    is_first: bool,
    saved_bytes: u64,
    files: u64,
    bytes: u64,
}

/// A member of a group of files: group, first link, number, and whether it saves its size.
type FileMember = [u8; 25];

/// A member of a group of directories: group, number of the first item, length of the path, bytes that could be saved,
/// files, bytes.
type DirectoryMember = [u8; 48];

/// Divides what could be saved among directories and files: what lies in a directory that is a copy is saved with it.
/// Returns the members of the groups.
fn assign(
    paths: &Paths,
    classes: &RecordFile<33>,
    shared: &RecordFile<8>,
    equal: Option<&RecordFile<24>>,
    inside: bool,
    memory_bytes: u64,
    totals: &mut Totals,
) -> io::Result<(ExternalSort<25>, ExternalSort<48>)> {
    let mut members = ExternalSort::<25>::new(memory_bytes);
    let mut directories = ExternalSort::<48>::new(memory_bytes);
    let mut equal = equal.map(Following::new);
    let (mut classes, mut shared) = (Following::new(classes), Following::new(shared));
    let (mut first_of, mut open, mut path) = (Bits::default(), Vec::<Open>::new(), Vec::new());
    let mut close = |open: Open| {
        let Open { first, end, group, saved_bytes, files, bytes, .. } = open;
        let numbers = [group, first, end as u64, saved_bytes, files, bytes].map(u64::to_be_bytes);
        directories.push(*numbers.as_flattened().first_chunk().ok_or(io::ErrorKind::InvalidData)?)
    };
    let mut items = paths.scan();
    while let Some(item) = items.next_item()? {
        while let Some(last) = open.last()
            && (last.place != item.place || !is_below(item, &path, last.end))
        {
            open.pop().map_or(Ok(()), &mut close)?;
        }
        path.clone_from(&item.path);
        while let Some(next) = equal.as_mut().and_then(|equal| equal.up_to(item.number)) {
            let next = next?;
            if inside || open.iter().all(|open| open.is_first) {
                let (first, end, group) = (number(&next, 0), number(&next, 8) as usize, number(&next, 16));
                let is_first = first_of.insert(group);
                let place = item.place;
                open.push(Open { end, place, first, group, is_first, saved_bytes: 0, files: 0, bytes: 0 });
            }
        }
        if let Content::File { .. } | Content::Listed { .. } = item.content {
            for open in &mut open {
                open.files += 1;
                open.bytes = open.bytes.saturating_add(item.content.size().unwrap_or(0));
            }
        }
        let Some(class) = classes.of(item.number)? else { continue };
        let (group, link, size) = (number(&class, 8), number(&class, 16), number(&class, 24));
        if group == UNREAD || class[32] == AGAIN {
            continue;
        }
        let mut is_copy = class[32] == 1;
        if is_copy && shared.of(item.number)?.is_some() {
            is_copy = false;
            totals.shared_bytes = totals.shared_bytes.saturating_add(size);
        }
        let saved_bytes = if is_copy { size } else { 0 };
        // Lists may state any size.
        totals.saved_bytes = totals.saved_bytes.saturating_add(saved_bytes);
        let mut is_inside = false;
        for open in open.iter_mut().filter(|open| !open.is_first) {
            open.saved_bytes = open.saved_bytes.saturating_add(saved_bytes);
            is_inside = true;
        }
        if inside || !is_inside {
            let numbers = [group, link, item.number].map(u64::to_be_bytes);
            members.push(record(&[&numbers[0], &numbers[1], &numbers[2], &[u8::from(is_copy)]]))?;
        }
    }
    open.into_iter().rev().try_for_each(close)?;
    Ok((members, directories))
}

/// Groups of equal files and directories.
pub struct Groups {
    paths: Paths,
    /// Digest and size of each group of files.
    known: RecordFile<{ DIGEST_BYTES_MAX + 8 }>,
    files: RecordFile<25>,
    directories: RecordFile<48>,
    /// Bytes that are not saved (the complement), first item, length of the path, kind, number, first member, count.
    order: RecordFile<49>,
    totals: Totals,
}

/// The kind of a group's members, and their facts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GroupKind {
    /// Files.
    Files {
        /// Their digest, with zeros up to [`DIGEST_BYTES_MAX`] bytes.
        digest: [u8; DIGEST_BYTES_MAX],
        /// Size of each in bytes; `None` if no list states it.
        size: Option<u64>,
    },
    /// Directories.
    Directories {
        /// Number of files in each.
        files: u64,
        /// Size of these together, in bytes.
        bytes: u64,
    },
}

/// A group of equal files or directories.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// The kind of its members.
    pub kind: GroupKind,
    /// Bytes that could be saved, if only the first member remained.
    pub saved_bytes: u64,
    /// Number of members, hard links included.
    pub members: u64,
}

/// A file or directory of a group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// The path in raw bytes.
    pub path: Vec<u8>,
    /// The number of the argument or list that it comes from.
    pub place: u32,
    /// Whether it is a hard link of the member before it.
    pub is_link: bool,
}

/// The members of a group, in the order of finding, each file before its other hard links.
pub struct Members<'a> {
    readers: &'a RefCell<Readers>,
    is_files: bool,
    next: u64,
    end: u64,
    link: Option<u64>,
}

/// The readers of the members of all groups.
struct Readers {
    paths: PathReader,
    files: RecordReader<25>,
    directories: RecordReader<48>,
}

impl Iterator for Members<'_> {
    type Item = io::Result<Member>;

    fn next(&mut self) -> Option<io::Result<Member>> {
        let number = self.next;
        self.next += 1;
        (number < self.end).then(|| self.member(number))
    }
}

impl Members<'_> {
    fn member(&mut self, member: u64) -> io::Result<Member> {
        let Readers { paths, files, directories } = &mut *self.readers.borrow_mut();
        if self.is_files {
            let file = files.get(member)?;
            let Item { path, place, .. } = paths.get(number(&file, 16))?;
            let is_link = self.link.replace(number(&file, 8)) == Some(number(&file, 8));
            Ok(Member { path, place, is_link })
        } else {
            let directory = directories.get(member)?;
            let Item { mut path, place, .. } = paths.get(number(&directory, 8))?;
            path.truncate(number(&directory, 16) as usize);
            Ok(Member { path, place, is_link: false })
        }
    }
}

impl Groups {
    fn new(
        paths: Paths,
        known: RecordFile<{ DIGEST_BYTES_MAX + 8 }>,
        members: ExternalSort<25>,
        directories: ExternalSort<48>,
        memory_bytes: u64,
        mut totals: Totals,
    ) -> io::Result<Groups> {
        let mut order = ExternalSort::<49>::new(memory_bytes);
        let mut push = |saved: u64, first: u64, end: u64, kind: u8, number: u64, range: Range| {
            let numbers = [!saved, first, end, number, range.first, range.count].map(u64::to_be_bytes);
            let [saved, first, end, number, start, count] = &numbers;
            order.push(record(&[saved, first, end, &[kind], number, start, count]))
        };
        #[derive(Default)]
        struct Sum {
            identities: u64,
            link: Option<u64>,
            copies: u64,
            first: Option<u64>,
            group: u64,
        }
        let mut digests = known.reader();
        let files = each_group(
            members,
            8,
            |sum: &mut Sum, member: &FileMember| {
                sum.group = number(member, 0);
                let link = number(member, 8);
                sum.identities += u64::from(sum.link.replace(link) != Some(link));
                sum.copies += u64::from(member[24]);
                sum.first.get_or_insert(number(member, 16));
            },
            |sum, range| {
                if sum.identities > 1 {
                    let size = Some(number(&digests.get(sum.group)?, DIGEST_BYTES_MAX));
                    let size = size.filter(|&size| size != SIZE_UNKNOWN).unwrap_or(0);
                    push(sum.copies.saturating_mul(size), sum.first.unwrap_or(0), u64::MAX, 1, sum.group, range)?;
                    totals.groups += 1;
                }
                Ok(false)
            },
            |_, _| Ok(()),
        )?;
        let directories = each_group(
            directories,
            8,
            |sum: &mut [u64; 4], member: &DirectoryMember| {
                if sum[0] == 0 {
                    (sum[1], sum[2]) = (number(member, 8), number(member, 16));
                }
                sum[0] += 1;
                sum[3] = sum[3].saturating_add(number(member, 24));
            },
            |&mut [count, first, end, saved], range| {
                // Groups without anything to tell were not opened. The files of further members are told here only.
                if count > 1 {
                    push(saved, first, end, 0, 0, range)?;
                    totals.directory_groups += 1;
                }
                Ok(false)
            },
            |_, _| Ok(()),
        )?;
        Ok(Groups { paths, known, files, directories, order: RecordFile::of(order, memory_bytes)?, totals })
    }

    /// The sums.
    pub fn totals(&self) -> Totals {
        self.totals
    }

    /// Calls `visit` with each group and its members: those that could save most first, then in the order of finding.
    ///
    /// # Errors
    /// If a temporary file cannot be read, and the errors of `visit`.
    pub fn each(&self, mut visit: impl FnMut(&Group, Members<'_>) -> io::Result<()>) -> io::Result<()> {
        let mut digests = self.known.reader();
        let (paths, files) = (self.paths.reader(), self.files.reader());
        let readers = RefCell::new(Readers { paths, files, directories: self.directories.reader() });
        for order in self.order.scan(0) {
            let order = order?;
            let (group, first, members) = (number(&order, 25), number(&order, 33), number(&order, 41));
            let (is_files, end) = (order[24] == 1, first + members);
            let kind = if is_files {
                let known = digests.get(group)?;
                let mut digest = [0; DIGEST_BYTES_MAX];
                digest.copy_from_slice(&known[..DIGEST_BYTES_MAX]);
                let size = Some(number(&known, DIGEST_BYTES_MAX)).filter(|&size| size != SIZE_UNKNOWN);
                GroupKind::Files { digest, size }
            } else {
                let last = readers.borrow_mut().directories.get(end - 1)?;
                GroupKind::Directories { files: number(&last, 32), bytes: number(&last, 40) }
            };
            let group = Group { kind, saved_bytes: !number(&order, 0), members };
            visit(&group, Members { readers: &readers, is_files, next: first, end, link: None })?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Catalogue, Place};

    /// A group: what could be saved, and its members, of which hard links begin with `= `.
    type Found = (u64, Vec<String>);

    fn found(saved_bytes: u64, members: &[&str]) -> Found {
        (saved_bytes, members.iter().map(|&member| member.to_owned()).collect())
    }

    /// Searches below `t`, for files with these paths, numbers and contents. `shared`: those with the same content
    /// share their room.
    fn search(files: &[(&str, u64, &str)], options: Options, shared: bool) -> (Vec<Found>, Totals) {
        let mut catalogue = Catalogue::new(0, options.with_empty, false);
        for &(path, number, content) in files {
            let content = Content::File { size: content.len() as u64, identity: Some((1, number)) };
            let place = Place { number: 0, base_bytes: Some(1) };
            catalogue.push(path.as_bytes(), content, Side::A, place, None).unwrap();
        }
        let mut agreeing = catalogue.sift().unwrap().agree().unwrap();
        for file in agreeing.needed() {
            let file = file.unwrap();
            let (.., content) = files.iter().find(|(path, ..)| path.as_bytes() == file.path).unwrap();
            let digest = Algorithm::BLAKE3.digest(content.as_bytes());
            agreeing.push(&file, Some(digest.bytes())).unwrap();
        }
        let mut room = |_: &Item| shared.then(|| b"room".to_vec());
        let groups = agreeing.finish().groups(options, &mut room).unwrap();
        let mut all = Vec::new();
        groups
            .each(|group, members| {
                let members = members.map(|member| {
                    let Member { path, is_link, .. } = member.unwrap();
                    let link = if is_link { "= " } else { "" };
                    format!("{link}{}", String::from_utf8(path).unwrap())
                });
                all.push((group.saved_bytes, members.collect()));
                Ok(())
            })
            .unwrap();
        (all, groups.totals())
    }

    const DIRECTORIES: Options = Options { directories: true, inside: false, with_empty: false };

    /// Copies that share their room are copies, though they save nothing.
    #[test]
    fn reflinked_directories_are_told() {
        let files = [("t/a/x", 1, "hello"), ("t/a/y", 2, "world"), ("t/b/x", 3, "hello"), ("t/b/y", 4, "world")];
        let (all, totals) = search(&files, DIRECTORIES, true);
        assert_eq!(all, [found(0, &["t/a", "t/b"])]);
        assert_eq!((totals.directory_groups, totals.groups, totals.duplicates), (1, 0, 2));
        assert_eq!((totals.saved_bytes, totals.shared_bytes), (0, 10));
        let (all, _) = search(&files, DIRECTORIES, false);
        assert_eq!(all, [found(10, &["t/a", "t/b"])]);
        let (all, _) = search(&files, Options { inside: true, ..DIRECTORIES }, true);
        assert_eq!(all.len(), 3);
        let (all, _) = search(&files, Options { directories: false, ..DIRECTORIES }, true);
        assert_eq!(all, [found(0, &["t/a/x", "t/b/x"]), found(0, &["t/a/y", "t/b/y"])]);
    }

    /// Directories of hard links are no group, and their files are told with the others.
    #[test]
    fn files_of_linked_directories_are_told() {
        let files = [("t/a/f", 1, "hello"), ("t/b/x", 2, "hello"), ("t/c/x", 1, "hello")];
        for shared in [false, true] {
            let (all, totals) = search(&files, DIRECTORIES, shared);
            let saved = if shared { 0 } else { 5 };
            assert_eq!(all, [found(saved, &["t/a/f", "= t/c/x", "t/b/x"])]);
            assert_eq!((totals.directory_groups, totals.groups, totals.links), (0, 1, 1));
        }
        // With a copy among them, they are one.
        let files = [("t/a/f", 1, "hello"), ("t/b/s/x", 2, "hello"), ("t/c/s/x", 1, "hello"), ("t/d/s/x", 3, "hello")];
        let (all, totals) = search(&files, DIRECTORIES, false);
        assert_eq!(all, [found(5, &["t/a/f", "t/b/s/x"]), found(5, &["t/b", "t/c", "t/d"])]);
        assert_eq!((totals.duplicates, totals.saved_bytes), (2, 10));
        // It may be the one that was found first that has no copies.
        let files = [("t/a/x", 7, "hello"), ("t/b/x", 2, "hello")];
        assert_eq!(search(&files, DIRECTORIES, false).0, [found(5, &["t/a", "t/b"])]);
        let links = [("t/a/x", 7, "hello"), ("t/b/x", 7, "hello")];
        assert!(search(&links, DIRECTORIES, false).0.is_empty());
    }

    /// Directories of files without bytes are told on request.
    #[test]
    fn directories_without_bytes_are_told_on_request() {
        let files = [("t/a/x", 1, ""), ("t/b/x", 2, "")];
        assert!(search(&files, DIRECTORIES, false).0.is_empty());
        let options = Options { with_empty: true, ..DIRECTORIES };
        assert_eq!(search(&files, options, false).0, [found(0, &["t/a", "t/b"])]);
    }
}
