//! Findings: the class of each file, and why.

use crate::class::{Class, Counts};
use crate::file::{Codec, File, damaged, take};
use crate::path::push_key;
use pfh_list::ByteSort;
use pfh_record::is_piece_name;
use std::io;

/// The class of a file, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The class.
    pub class: Class,
    /// The file as it was expected, if one was. Of a copied file: the file whose contents it has.
    pub expected: Option<File>,
    /// The file as it was found, if one was.
    pub found: Option<File>,
    /// The reason in words, where the class alone does not tell it; else empty. Files that were not checked because
    /// they were left out on request have none.
    pub reason: String,
    /// Whether it is about a directory that could not be listed, which is no file and counts as none.
    pub is_directory: bool,
}

impl Finding {
    /// Returns the path under which the file is listed: where it is, or else where it was expected.
    pub fn path(&self) -> &[u8] {
        self.found.as_ref().or(self.expected.as_ref()).map_or(b"", |file| &file.path)
    }
}

/// The numbers of files by class: of those that were expected, of those that were found, and of both together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// The files that were expected.
    pub expected: Counts,
    /// The files that were found.
    pub found: Counts,
    /// All files: one that was expected and found counts once.
    pub files: Counts,
    /// The files among those not checked that nobody asked to leave out: they have a reason.
    pub not_comparable: u64,
    /// The files at their paths of which the list states two sizes, or two digests by one algorithm.
    pub contradicted: u64,
    /// The missing files whose names end as those of pieces do in lists of hashdeep and md5deep.
    pub missing_pieces: u64,
    /// The files that matched and have no contents: they have the same digest by several algorithms.
    pub matched_empty: u64,
    /// The directories that could not be listed: files below them may be unknown.
    pub directories: u64,
    /// The files at their paths that differ in nothing that was compared, and whose sizes were.
    pub sized: u64,
}

impl Totals {
    /// Returns the number of files that are as the list says: by their contents, or with `structure`, for which nothing
    /// is read, by their names and sizes.
    pub fn verified(&self, structure: bool) -> u64 {
        let matched = self.files.of(Class::Matched);
        if structure { matched + self.found.of(Class::NotChecked) } else { matched }
    }

    /// Returns the number of files of which it is unknown whether they are as the list says, and of directories that
    /// could not be listed.
    pub fn unknown(&self) -> u64 {
        self.files.of(Class::Unreadable) + self.not_comparable + self.directories
    }
}

/// A directory that one side has before the paths of moved files, and the other has not. It ends with a slash.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shift {
    /// The list has it.
    Listed(Vec<u8>),
    /// The files that were found have it.
    Found(Vec<u8>),
}

impl Shift {
    /// Returns the shift between two paths, if one is the other below a directory.
    fn between(expected: &[u8], found: &[u8]) -> Option<Shift> {
        let directory = |long: &[u8], short: &[u8]| {
            long.strip_suffix(short).filter(|directory| directory.ends_with(b"/")).map(<[u8]>::to_vec)
        };
        let listed = directory(expected, found).map(Shift::Listed);
        listed.or_else(|| directory(found, expected).map(Shift::Found))
    }
}

/// All findings, which are listed class by class in the order of their paths.
pub struct Findings {
    sort: ByteSort,
    pub(crate) codec: Codec,
    totals: Totals,
    /// Whether files that matched, or were left out on request, are listed, too.
    lists_all: bool,
    /// The shift of the first moved file that has one, and the number of files with the same.
    shift: Option<(Shift, u64)>,
    record: Vec<u8>,
}

/// The place of a class in the listing.
fn rank(class: Class) -> u8 {
    match class {
        Class::Changed => 0,
        Class::Missing => 1,
        Class::Unreadable => 2,
        Class::Moved => 3,
        Class::Copied => 4,
        Class::New => 5,
        Class::NotChecked => 6,
        Class::Matched => 7,
    }
}

impl Findings {
    pub(crate) fn new(codec: Codec, lists_all: bool, memory_bytes: u64) -> Findings {
        let sort = ByteSort::new(memory_bytes);
        Findings { sort, codec, totals: Totals::default(), lists_all, shift: None, record: Vec::new() }
    }

    /// Counts and keeps the finding of these files, the expected one first.
    pub(crate) fn add(&mut self, class: Class, files: [Option<&File>; 2], reason: &str) -> io::Result<()> {
        let [expected, found] = files;
        self.totals.files.add(class);
        // The file whose contents a copy has counts for itself.
        if expected.is_some() && class != Class::Copied {
            self.totals.expected.add(class);
        }
        if found.is_some() {
            self.totals.found.add(class);
        }
        if let (Class::Moved, [Some(expected), Some(found)]) = (class, files) {
            self.count_shift(&expected.path, &found.path);
        }
        self.totals.not_comparable += u64::from(class == Class::NotChecked && !reason.is_empty());
        self.totals.missing_pieces +=
            u64::from(class == Class::Missing && expected.is_some_and(|file| is_piece_name(&file.path)));
        self.totals.matched_empty += u64::from(class == Class::Matched && found.is_some_and(File::is_empty));
        let is_sized = files.iter().all(|file| file.is_some_and(|file| file.size.is_some()));
        self.totals.sized += u64::from(is_sized && matches!(class, Class::Matched | Class::NotChecked));
        if matches!(class, Class::Matched | Class::NotChecked) && reason.is_empty() && !self.lists_all {
            return Ok(());
        }
        self.keep(class, false, files, reason)
    }

    /// Counts and keeps the finding of a directory that could not be listed, for this reason.
    pub(crate) fn add_directory(&mut self, directory: &File, reason: &str) -> io::Result<()> {
        self.totals.directories += 1;
        let reason = format!("the directory cannot be listed: {reason}");
        self.keep(Class::Unreadable, true, [None, Some(directory)], &reason)
    }

    fn keep(&mut self, class: Class, is_directory: bool, files: [Option<&File>; 2], reason: &str) -> io::Result<()> {
        let [expected, found] = files;
        self.record.clear();
        self.record.push(rank(class));
        push_key(found.or(expected).map_or(b"", |file| &file.path), &mut self.record);
        // A path that names no file may have any bytes, so it is not read back from the key.
        let key_bytes = self.record.len() as u16;
        self.record.extend_from_slice(&[class as u8, u8::from(is_directory)]);
        for file in files {
            self.record.push(u8::from(file.is_some()));
            if let Some(file) = file {
                self.record.extend_from_slice(&(file.path.len() as u16).to_be_bytes());
                self.record.extend_from_slice(&file.path);
                self.codec.write(file, &mut self.record);
            }
        }
        // Messages of the system are short; this is only for what nobody foresaw.
        let bytes = reason.floor_char_boundary(1024);
        self.record.extend_from_slice(&reason.as_bytes()[..bytes]);
        self.record.extend_from_slice(&key_bytes.to_be_bytes());
        self.sort.push(&self.record)
    }

    /// Counts a file about which lines of the list contradict each other.
    pub(crate) fn count_contradicted(&mut self) {
        self.totals.contradicted += 1;
    }

    fn count_shift(&mut self, expected: &[u8], found: &[u8]) {
        let Some(shift) = Shift::between(expected, found) else { return };
        let (first, count) = self.shift.get_or_insert((shift.clone(), 0));
        *count += u64::from(*first == shift);
    }

    /// Returns the directory by which the paths of the list are shifted against those of the files: no file is at its
    /// path, and most of those that moved are shifted by it. So it is likely that the paths start from another place.
    pub fn shift(&self) -> Option<&Shift> {
        let count = |class| self.totals.files.of(class);
        let (shift, shifted) = self.shift.as_ref()?;
        let is_any_at_its_path = count(Class::Matched) + count(Class::Changed) > 0;
        (!is_any_at_its_path && shifted * 2 > count(Class::Moved)).then_some(shift)
    }

    /// Returns the numbers of files by class.
    pub fn totals(&self) -> &Totals {
        &self.totals
    }

    /// Calls `each` with all findings: what changed first, what matched last (if it is listed), each in the order of
    /// the paths.
    ///
    /// # Errors
    /// If a temporary file cannot be read, and the errors of `each`.
    pub fn into_each(self, mut each: impl FnMut(&Finding) -> io::Result<()>) -> io::Result<()> {
        let codec = self.codec;
        self.sort.into_each(|record| {
            let (record, key_bytes) = record.split_last_chunk().ok_or_else(damaged)?;
            let mut rest = record.get(u16::from_be_bytes(*key_bytes).into()..).ok_or_else(damaged)?;
            let [class, is_directory] = take(&mut rest)?;
            let class = *Class::ALL.get(usize::from(class)).ok_or_else(damaged)?;
            let mut file = || -> io::Result<Option<File>> {
                let [is_there] = take(&mut rest)?;
                if is_there == 0 {
                    return Ok(None);
                }
                let path_bytes = u16::from_be_bytes(take(&mut rest)?);
                let (path, bytes) = rest.split_at_checked(path_bytes.into()).ok_or_else(damaged)?;
                let mut file = File::new(path);
                rest = codec.read(&mut file, bytes)?;
                Ok(Some(file))
            };
            let (expected, found) = (file()?, file()?);
            let reason = String::from_utf8_lossy(rest).into_owned();
            each(&Finding { class, expected, found, reason, is_directory: is_directory > 0 })
        })
    }
}
