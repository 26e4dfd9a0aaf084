//! Findings: the class of each file, and why.

use crate::class::{Class, Counts};
use crate::file::{Codec, File, damaged, take};
use crate::path::{push_key, split_key};
use pfh_list::ByteSort;
use std::io;

/// The class of a file, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The class.
    pub class: Class,
    /// What was expected, if a file was. Of a copied file: the file whose contents it has.
    pub expected: Option<File>,
    /// What was found, if a file was.
    pub found: Option<File>,
    /// The reason in words, where the class alone does not tell it; else empty.
    pub reason: String,
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
}

/// All findings, which are listed class by class in the order of their paths.
pub struct Findings {
    sort: ByteSort,
    pub(crate) codec: Codec,
    totals: Totals,
    /// Whether files that matched are listed, too.
    lists_matched: bool,
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
    pub(crate) fn new(codec: Codec, lists_matched: bool, memory_bytes: u64) -> Findings {
        let sort = ByteSort::new(memory_bytes);
        Findings { sort, codec, totals: Totals::default(), lists_matched, record: Vec::new() }
    }

    /// Counts a finding and keeps it.
    pub(crate) fn push(&mut self, finding: &Finding) -> io::Result<()> {
        let Finding { class, expected, found, reason } = finding;
        let Totals { expected: of_expected, found: of_found, files } = &mut self.totals;
        files.add(*class);
        // The file whose contents a copy has counts for itself.
        if expected.is_some() && *class != Class::Copied {
            of_expected.add(*class);
        }
        if found.is_some() {
            of_found.add(*class);
        }
        if *class == Class::Matched && !self.lists_matched && reason.is_empty() {
            return Ok(());
        }
        self.record.clear();
        self.record.push(rank(*class));
        push_key(finding.path(), &mut self.record);
        self.record.push(*class as u8);
        for file in [expected, found] {
            self.record.push(u8::from(file.is_some()));
            if let Some(file) = file {
                push_key(&file.path, &mut self.record);
                self.codec.write(file, &mut self.record);
            }
        }
        // Messages of the system are short; this is only for what nobody foresaw.
        let bytes = reason.floor_char_boundary(1024);
        self.record.extend_from_slice(&reason.as_bytes()[..bytes]);
        self.sort.push(&self.record)
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
            let rest = record.get(1..).ok_or_else(damaged)?;
            let (_, mut rest) = split_key(rest).ok_or_else(damaged)?;
            let [class] = take(&mut rest)?;
            let class = *Class::ALL.get(usize::from(class)).ok_or_else(damaged)?;
            let mut file = || -> io::Result<Option<File>> {
                let [is_there] = take(&mut rest)?;
                if is_there == 0 {
                    return Ok(None);
                }
                let (path, bytes) = split_key(rest).ok_or_else(damaged)?;
                let (file, bytes) = codec.read(path, bytes)?;
                rest = bytes;
                Ok(Some(file))
            };
            let (expected, found) = (file()?, file()?);
            let reason = String::from_utf8_lossy(rest).into_owned();
            each(&Finding { class, expected, found, reason })
        })
    }
}
