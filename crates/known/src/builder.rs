//! Building a set.

use std::io::{self, Write};

use pfh_digest::{Algorithm, Digest, Status};
use pfh_list::{ByteSort, ExternalSort, be_number};

use crate::about::{About, Origin};
use crate::layout::{Kind, VERSION};
use crate::sections::{Column, DistinctSizes, SetFile, TableWriter};
use crate::strings::{StringsWriter, TEXT_BYTES_MAX};

/// One line of a source: the digests of a file, and what is known of it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Row<'a> {
    /// The digests, of one or more algorithms.
    pub digests: &'a [Digest],
    /// Size of the file in bytes.
    pub size: Option<u64>,
    /// Name of the file in raw bytes; empty where unknown.
    pub name: &'a [u8],
    /// The product that the file belongs to; empty where unknown.
    pub product: &'a [u8],
    /// The category of the file in the words of its source; empty where unknown.
    pub category: &'a [u8],
    /// The number of the package that the row is of; 0 where there is none. With deletions it tells rows of the same
    /// file apart.
    pub package: i64,
}

/// The facts that a set keeps beside digests. The default is nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Keep {
    /// The size of each file.
    pub size: bool,
    /// A name of each file.
    pub name: bool,
    /// A product of each file.
    pub product: bool,
    /// A category of each file.
    pub category: bool,
    /// The way from an entry to its digests by all algorithms, so that one digest leads to the others.
    pub digests: bool,
}

/// The names of the columns of texts, in the order of [`Row`]'s fields in a sorted row.
pub(crate) const TEXTS: [&str; 3] = ["category", "product", "name"];
pub(crate) const SOURCE: &str = "source";
pub(crate) const SIZE: &str = "size";

impl Keep {
    fn texts(self) -> [bool; 3] {
        [self.category, self.product, self.name]
    }
}

/// Bytes of an entry's number in a record to be sorted.
const ENTRY_BYTES: usize = 5;

/// Most algorithms of a set.
pub const ALGORITHMS_MAX: usize = 12;

/// Collects rows, sorts them within a limit of memory, and writes a set.
pub struct SetBuilder {
    /// By strength, the strongest first: the bits of a shape count from here.
    algorithms: Vec<Algorithm>,
    keep: Keep,
    memory_bytes: u64,
    rows: ByteSort,
    /// The shapes that occurred.
    shapes: Vec<u16>,
    origins: Vec<Origin>,
    /// The source of the next rows.
    source: usize,
    /// The source that the next rows change: the same one, or that of the database of a delta.
    base: usize,
    /// Whether rows may be deleted, so that they have to be told apart.
    deletes: bool,
    /// The sizes of all rows; `None` once a row had none.
    sizes: Option<DistinctSizes>,
    /// Whether the rows that come are of a set whose sizes were all added.
    has_sizes_of_set: bool,
    largest_size: u64,
    row: Vec<u8>,
}

/// The part of the memory in which sizes are sorted: no more than one of the sorts of the written set gets.
const SIZES_PART: u64 = 64;

/// Returns how much an algorithm says that a file is the known one: for sorting, the greatest first.
fn strength(algorithm: Algorithm) -> (bool, usize) {
    (is_trusted(algorithm), algorithm.digest_bytes())
}

/// Whether no files with the same digest can be made.
pub(crate) fn is_trusted(algorithm: Algorithm) -> bool {
    matches!(algorithm.status(), Status::Current | Status::Legacy)
}

impl SetBuilder {
    /// Begins a set of digests by these algorithms, sorted in at most about `memory_bytes` of memory; temporary files
    /// take the rest.
    ///
    /// # Panics
    /// If an algorithm has digests of fewer than 8 or more than 64 bytes, or there are more than 12 algorithms.
    pub fn new(algorithms: &[Algorithm], keep: Keep, memory_bytes: u64) -> SetBuilder {
        assert!(algorithms.len() <= ALGORITHMS_MAX);
        assert!(algorithms.iter().all(|one| (8..=64).contains(&one.digest_bytes())), "digests have 8 to 64 bytes");
        let mut distinct: Vec<Algorithm> = Vec::new();
        for algorithm in algorithms {
            if !distinct.contains(algorithm) {
                distinct.push(*algorithm);
            }
        }
        distinct.sort_by_key(|&one| std::cmp::Reverse(strength(one)));
        SetBuilder {
            algorithms: distinct,
            keep,
            memory_bytes,
            rows: ByteSort::new(memory_bytes / 2),
            shapes: Vec::new(),
            origins: Vec::new(),
            source: 0,
            base: 0,
            deletes: false,
            sizes: Some(DistinctSizes::new(memory_bytes / SIZES_PART)),
            has_sizes_of_set: false,
            largest_size: 0,
            row: Vec::new(),
        }
    }

    /// Prepares for rows that are deleted again. To be called before the first row.
    pub fn expect_deletions(&mut self) {
        self.deletes = true;
    }

    /// Begins a source, of which all following rows are, and returns its number.
    ///
    /// # Errors
    /// If there are more than 65,535 sources.
    pub fn begin_source(&mut self, origin: Origin) -> io::Result<usize> {
        if self.origins.len() == usize::from(u16::MAX) {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "a set has at most 65,535 sources"));
        }
        self.origins.push(Origin { rows: 0, entries: 0, ..origin });
        self.source = self.origins.len() - 1;
        self.base = self.source;
        self.has_sizes_of_set = false;
        Ok(self.source)
    }

    /// Begins a source whose rows change those of an earlier one, `base`: deletions concern only the rows of `base` and
    /// of deltas that were begun for it before.
    ///
    /// # Errors
    /// As for [`SetBuilder::begin_source`].
    ///
    /// # Panics
    /// If there is no source of the number `base`.
    pub fn begin_delta(&mut self, origin: Origin, base: usize) -> io::Result<usize> {
        assert!(base < self.origins.len());
        let source = self.begin_source(origin)?;
        self.base = base;
        Ok(source)
    }

    /// Makes a source that was begun before the one of all following rows.
    ///
    /// # Panics
    /// If there is no source of this number.
    pub fn select_source(&mut self, source: usize) {
        assert!(source < self.origins.len());
        (self.source, self.base) = (source, source);
    }

    /// Returns the source of the next rows, to be completed when it was read.
    pub fn origin(&mut self) -> Option<&mut Origin> {
        self.origins.get_mut(self.source)
    }

    /// Returns all sources.
    pub(crate) fn origins(&mut self) -> &mut [Origin] {
        &mut self.origins
    }

    /// Adds a row of the current source. Digests of other algorithms than the set's are left out; returns whether any
    /// was left.
    ///
    /// # Errors
    /// If a temporary file cannot be created, written or read.
    ///
    /// # Panics
    /// If no source was begun.
    pub fn push(&mut self, row: &Row<'_>) -> io::Result<bool> {
        self.push_row(row, true)
    }

    /// Deletes the rows of the delta's base, and of earlier deltas of that, which equal this one in digests, size,
    /// package and name. An entry is gone when all of its rows are.
    ///
    /// Within one delta deletions come before additions, whatever their order: a row that it both adds and deletes
    /// stays. Rows do not have all that is in a database (such as CRC32, and the case of digits), so these may be two.
    ///
    /// # Errors
    /// As for [`SetBuilder::push`].
    ///
    /// # Panics
    /// If [`SetBuilder::expect_deletions`] was not called, or the source was not begun by [`SetBuilder::begin_delta`].
    pub fn delete(&mut self, row: &Row<'_>) -> io::Result<bool> {
        assert!(self.deletes && self.base != self.source, "only deltas delete rows");
        self.push_row(row, false)
    }

    fn push_row(&mut self, row: &Row<'_>, adds: bool) -> io::Result<bool> {
        let mut bytes = std::mem::take(&mut self.row);
        bytes.clear();
        let mut shape = 0_u16;
        bytes.extend_from_slice(&[0, 0]);
        for (place, algorithm) in self.algorithms.iter().enumerate() {
            if let Some(digest) = row.digests.iter().find(|digest| digest.algorithm() == *algorithm) {
                shape |= 1 << place;
                bytes.extend_from_slice(digest.bytes());
            }
        }
        if shape == 0 {
            self.row = bytes;
            return Ok(false);
        }
        bytes[..2].copy_from_slice(&shape.to_be_bytes());
        if !self.shapes.contains(&shape) {
            self.shapes.push(shape);
        }
        let place = self.source;
        let origin = &mut self.origins[place];
        if self.deletes {
            let mut hasher = Algorithm::BLAKE3.hasher();
            hasher.update(&(self.base as u16).to_le_bytes());
            hasher.update(&row.size.unwrap_or(u64::MAX).to_le_bytes());
            hasher.update(&row.package.to_le_bytes());
            // Also those that the set does not keep, which tell rows apart.
            let mut digests: Vec<&Digest> = row.digests.iter().collect();
            digests.sort_unstable_by_key(|digest| digest.algorithm());
            for digest in digests {
                hasher.update(digest.bytes());
            }
            hasher.update(row.name);
            bytes.extend_from_slice(&hasher.finish().bytes()[..16]);
            bytes.extend_from_slice(&(place as u16).to_be_bytes());
            bytes.push(adds.into());
        }
        bytes.push(origin.class as u8);
        bytes.extend_from_slice(&(place as u16).to_be_bytes());
        if adds {
            origin.rows += 1;
            if !self.has_sizes_of_set {
                push_size(&mut self.sizes, row.size)?;
            }
            self.largest_size = self.largest_size.max(row.size.unwrap_or(0));
        }
        // Unknown sizes last.
        bytes.extend_from_slice(&row.size.unwrap_or(u64::MAX).to_be_bytes());
        for (text, keeps) in [row.category, row.product, row.name].into_iter().zip(self.keep.texts()) {
            if keeps {
                let text = &text[..text.len().min(TEXT_BYTES_MAX)];
                bytes.extend_from_slice(&(text.len() as u16).to_be_bytes());
                bytes.extend_from_slice(text);
            }
        }
        let pushed = self.rows.push(&bytes);
        self.row = bytes;
        pushed.map(|()| true)
    }

    /// Takes the sizes of another set, whose entries state one size each of perhaps several, or none; `None` if it
    /// lacks some. The rows that follow are the set's, until another source begins.
    pub(crate) fn push_sizes(&mut self, sizes: Option<impl Iterator<Item = io::Result<u64>>>) -> io::Result<()> {
        self.has_sizes_of_set = true;
        match sizes {
            Some(mut sizes) => sizes.try_for_each(|size| push_size(&mut self.sizes, Some(size?))),
            None => push_size(&mut self.sizes, None),
        }
    }

    /// Writes the set: each tuple of digests once. `program` is the name of the program that builds it.
    /// The output needs no buffer, since it gets 2 MiB at a time.
    ///
    /// # Errors
    /// If the output cannot be written, or a temporary file cannot be created, written or read.
    pub fn write(self, output: &mut impl Write, program: &str) -> io::Result<About> {
        let SetBuilder { algorithms, keep, memory_bytes, rows, mut shapes, origins, deletes, sizes, .. } = self;
        let mut file = SetFile::begin(output, VERSION)?;
        shapes.sort_unstable();
        let row_layout = RowLayout { algorithms: &algorithms, keep, deletes };
        let of_shapes = shapes.iter().fold(0, |all, shape| all | shape);
        let present: Vec<usize> = (0..algorithms.len()).filter(|place| of_shapes >> place & 1 == 1).collect();
        let pushed: u64 = origins.iter().map(|origin| origin.rows).sum();

        // If all entries have the same algorithms, the strongest one's digests come in order by themselves.
        let leader = if let [shape] = shapes[..] { Some(shape.trailing_zeros() as usize) } else { None };
        let sorts = present.len() * (1 + usize::from(keep.digests)) + 2 * TEXTS.len() + 1;
        let share = memory_bytes / 2 / sorts as u64;
        let mut linked: Vec<ByteSort> = algorithms.iter().map(|_| ByteSort::new(share)).collect();
        let mut texts: Vec<Option<ByteSort>> =
            keep.texts().into_iter().map(|keeps| keeps.then(|| ByteSort::new(share))).collect();
        let has_sources = origins.len() > 1;
        let mut sources = Column::new(origins.len() as u64)?;
        // A size is stored plus one: 0 is an unknown one.
        let mut file_sizes = Column::new(self.largest_size.saturating_add(2))?;
        let mut leading = match leader {
            Some(place) => Some(TableWriter::new(algorithms[place], false)?),
            None => None,
        };
        let mut about = About {
            program: program.to_owned(),
            rows: pushed,
            entries: 0,
            block_bytes: 0,
            sources: origins,
            blocks: None,
        };
        let (mut first_entries, mut record): (Vec<(u16, u64)>, _) = (Vec::new(), Vec::new());
        let mut take = |entry: &mut Entry| {
            if entry.is_deleted(&row_layout) {
                return Ok(());
            }
            let number = about.entries;
            about.entries += 1;
            about.sources[usize::from(entry.source())].entries += 1;
            if first_entries.last().is_none_or(|(shape, _)| *shape != entry.shape) {
                first_entries.push((entry.shape, number));
            }
            for (place, digest) in row_layout.digests(entry.shape, &entry.digests) {
                match &mut leading {
                    Some(table) if leader == Some(place) => table.push(digest, number)?,
                    _ => {
                        record.clear();
                        record.extend_from_slice(digest);
                        record.extend_from_slice(&entry_bytes(number));
                        linked[place].push(&record)?;
                    }
                }
            }
            if has_sources {
                sources.push(entry.source().into())?;
            }
            if keep.size {
                file_sizes.push(entry.size().wrapping_add(1))?;
            }
            for (sort, text) in texts.iter_mut().zip(entry.texts(&row_layout)) {
                if let Some(sort) = sort {
                    put_text_record(text, number, &mut record);
                    sort.push(&record)?;
                }
            }
            Ok::<(), io::Error>(())
        };
        let mut current: Option<Entry> = None;
        rows.into_each(|row| {
            match &mut current {
                Some(entry) if entry.has(row) => {}
                Some(entry) => {
                    take(entry)?;
                    entry.begin(&row_layout, row);
                }
                None => current.insert(Entry::default()).begin(&row_layout, row),
            }
            current.iter_mut().for_each(|entry| entry.add(&row_layout, row));
            Ok(())
        })?;
        current.iter_mut().try_for_each(take)?;

        if let Some(table) = leading {
            table.write(&mut file, about.entries)?;
        }
        let count = about.entries;
        for (place, sort) in linked.into_iter().enumerate() {
            if Some(place) != leader && present.contains(&place) {
                write_linked(&mut file, algorithms[place], sort, count, keep.digests.then_some(share))?;
            }
        }
        let mut shape_bytes = Vec::new();
        for (shape, first) in first_entries.into_iter().chain([(0, count)]) {
            // The bits of a shape count the algorithms of the set's tables.
            let bits = (present.iter().enumerate())
                .fold(0_u64, |bits, (bit, place)| bits | u64::from(shape >> place & 1) << bit);
            shape_bytes.extend_from_slice(&bits.to_le_bytes());
            shape_bytes.extend_from_slice(&first.to_le_bytes());
        }
        file.section(Kind::Shapes, "", 16, &mut &*shape_bytes)?;
        if has_sources {
            sources.write(&mut file, Kind::Numbers, SOURCE)?;
        }
        if keep.size {
            file_sizes.write(&mut file, Kind::Numbers, SIZE)?;
        }
        for (sort, name) in texts.into_iter().zip(TEXTS) {
            if let Some(sort) = sort {
                write_texts(&mut file, name, sort, count, share)?;
            }
        }
        if let Some(sizes) = sizes {
            sizes.write(&mut file)?;
        }
        file.end(&about)?;
        Ok(about)
    }
}

/// Adds a size. Without one, a file of any size may be known.
fn push_size(sizes: &mut Option<DistinctSizes>, size: Option<u64>) -> io::Result<()> {
    match (&mut *sizes, size) {
        (Some(sizes), Some(size)) => sizes.push(size),
        (_, None) => {
            *sizes = None;
            Ok(())
        }
        (None, Some(_)) => Ok(()),
    }
}

fn entry_bytes(entry: u64) -> [u8; ENTRY_BYTES] {
    let mut bytes = [0; ENTRY_BYTES];
    bytes.copy_from_slice(&entry.to_be_bytes()[8 - ENTRY_BYTES..]);
    bytes
}

/// Puts a text and its entry into `record` so that texts come in order: two zeros end a text, and a zero in it is
/// followed by 255.
fn put_text_record(text: &[u8], entry: u64, record: &mut Vec<u8>) {
    record.clear();
    for &byte in text {
        record.push(byte);
        if byte == 0 {
            record.push(255);
        }
    }
    record.extend_from_slice(&[0, 0]);
    record.extend_from_slice(&entry_bytes(entry));
}

/// Returns the text of a record without its entry.
fn unescaped(text: &[u8]) -> Vec<u8> {
    let mut plain = Vec::with_capacity(text.len());
    let mut bytes = text[..text.len() - 2].iter();
    while let Some(&byte) = bytes.next() {
        plain.push(byte);
        if byte == 0 {
            bytes.next();
        }
    }
    plain
}

/// The layout of a row to be sorted: shape, digests, with deletions what is done with which row, and the
/// row's tail: class, source, size and texts.
struct RowLayout<'a> {
    algorithms: &'a [Algorithm],
    keep: Keep,
    deletes: bool,
}

/// With deletions: bytes that tell rows of the same digests and of different bases apart, and after them the number of
/// the source and whether the row is added.
const ROW_BYTES: usize = 16;
const DELETABLE_BYTES: usize = ROW_BYTES + 2 + 1;

/// Bytes of class, source and size, with which a tail begins.
const CLASS_AND_SOURCE_BYTES: usize = 1 + 2;
const SIZE_BYTES: usize = 8;

impl RowLayout<'_> {
    /// Returns the digests of a shape with the places of their algorithms.
    fn digests<'d>(&self, shape: u16, mut bytes: &'d [u8]) -> impl Iterator<Item = (usize, &'d [u8])> {
        let places = self.algorithms.iter().enumerate().filter(move |(place, _)| shape >> place & 1 == 1);
        places.map(move |(place, algorithm)| {
            let (digest, rest) = bytes.split_at(algorithm.digest_bytes());
            bytes = rest;
            (place, digest)
        })
    }

    fn digests_bytes(&self, shape: u16) -> usize {
        let places = self.algorithms.iter().enumerate().filter(|(place, _)| shape >> place & 1 == 1);
        places.map(|(_, algorithm)| algorithm.digest_bytes()).sum()
    }

    /// Returns the texts of a tail.
    fn texts<'t>(&self, tail: &'t [u8]) -> [&'t [u8]; 3] {
        let mut rest = &tail[CLASS_AND_SOURCE_BYTES + SIZE_BYTES..];
        self.keep.texts().map(|keeps| {
            if !keeps {
                return &rest[..0];
            }
            let (length, after) = rest.split_at(2);
            let (text, after) = after.split_at(u16::from_be_bytes([length[0], length[1]]).into());
            rest = after;
            text
        })
    }
}

fn shape_of(row: &[u8]) -> u16 {
    u16::from_be_bytes([row[0], row[1]])
}

/// The facts about one tuple of digests, from its rows. Each fact is that of the first row, in the order of their
/// tails, that has it.
#[derive(Default)]
struct Entry {
    shape: u16,
    digests: Vec<u8>,
    /// The tails of those rows: for class and source, size, and each text. Empty where no row has the fact.
    tails: [Vec<u8>; 2 + TEXTS.len()],
    /// With deletions, the latest row, which another one may still replace.
    pending: Vec<u8>,
}

impl Entry {
    /// Begins with the digests of a row.
    fn begin(&mut self, layout: &RowLayout<'_>, row: &[u8]) {
        self.shape = shape_of(row);
        self.digests.clear();
        self.digests.extend_from_slice(&row[2..2 + layout.digests_bytes(self.shape)]);
        self.tails.iter_mut().for_each(Vec::clear);
        self.pending.clear();
    }

    /// Whether a row has the same digests.
    fn has(&self, row: &[u8]) -> bool {
        shape_of(row) == self.shape && row[2..].starts_with(&self.digests)
    }

    /// Adds a row with the same digests.
    fn add(&mut self, layout: &RowLayout<'_>, row: &[u8]) {
        let row = &row[2 + self.digests.len()..];
        if !layout.deletes {
            return self.add_tail(layout, row);
        }
        if self.pending.get(..ROW_BYTES) != row.get(..ROW_BYTES) {
            self.settle(layout);
        }
        self.pending.clear();
        self.pending.extend_from_slice(row);
    }

    /// Takes the facts of the pending row, unless it is deleted.
    fn settle(&mut self, layout: &RowLayout<'_>) {
        let pending = std::mem::take(&mut self.pending);
        if pending.get(DELETABLE_BYTES - 1) == Some(&1) {
            self.add_tail(layout, &pending[DELETABLE_BYTES..]);
        }
        self.pending = pending;
    }

    fn add_tail(&mut self, layout: &RowLayout<'_>, tail: &[u8]) {
        let texts = layout.texts(tail).map(|text| !text.is_empty());
        let facts = [true, size_of(tail) != u64::MAX].into_iter().chain(texts);
        for (best, has_fact) in self.tails.iter_mut().zip(facts) {
            if has_fact && (best.is_empty() || tail < &best[..]) {
                best.clear();
                best.extend_from_slice(tail);
            }
        }
    }

    /// Whether all rows were deleted. To be asked after the last row.
    fn is_deleted(&mut self, layout: &RowLayout<'_>) -> bool {
        self.settle(layout);
        self.tails[0].is_empty()
    }

    fn source(&self) -> u16 {
        u16::from_be_bytes([self.tails[0][1], self.tails[0][2]])
    }

    /// Returns the size in bytes, `u64::MAX` if it is unknown.
    fn size(&self) -> u64 {
        if self.tails[1].is_empty() { u64::MAX } else { size_of(&self.tails[1]) }
    }

    fn texts(&self, layout: &RowLayout<'_>) -> [&[u8]; 3] {
        let mut texts = [&b""[..]; 3];
        for (place, text) in texts.iter_mut().enumerate() {
            let tail = &self.tails[2 + place];
            if !tail.is_empty() {
                *text = layout.texts(tail)[place];
            }
        }
        texts
    }
}

/// Returns the size of a tail.
fn size_of(tail: &[u8]) -> u64 {
    let mut size = [0; SIZE_BYTES];
    size.copy_from_slice(&tail[CLASS_AND_SOURCE_BYTES..CLASS_AND_SOURCE_BYTES + SIZE_BYTES]);
    u64::from_be_bytes(size)
}

/// Writes the digests of an algorithm other than the leader's, with the entry of each, from records of both.
fn write_linked(
    file: &mut SetFile<'_, impl Write>,
    algorithm: Algorithm,
    sort: ByteSort,
    entries: u64,
    places_memory_bytes: Option<u64>,
) -> io::Result<()> {
    let mut table = TableWriter::new(algorithm, true)?;
    let mut places = places_memory_bytes.map(ExternalSort::<{ 2 * ENTRY_BYTES }>::new);
    let mut number = 0;
    sort.into_each(|record| {
        let (digest, entry) = record.split_at(algorithm.digest_bytes());
        table.push(digest, be_number(entry))?;
        if let Some(places) = &mut places {
            let mut pair = [0; 2 * ENTRY_BYTES];
            pair[..ENTRY_BYTES].copy_from_slice(entry);
            pair[ENTRY_BYTES..].copy_from_slice(&entry_bytes(number));
            places.push(pair)?;
        }
        number += 1;
        Ok(())
    })?;
    table.write(file, entries)?;
    let Some(places) = places else { return Ok(()) };
    // One more than the place, so that 0 is left for entries without a digest by this algorithm.
    let (mut column, mut next) = (Column::new(number + 1)?, 0);
    places.into_each(|pair| {
        let (entry, place) = pair.split_at(ENTRY_BYTES);
        let entry = be_number(entry);
        (next..entry).try_for_each(|_| column.push(0))?;
        next = entry + 1;
        column.push(be_number(place) + 1)
    })?;
    (next..entries).try_for_each(|_| column.push(0))?;
    column.write(file, Kind::Places, algorithm.name())
}

/// Writes a column of texts from records of text and entry.
fn write_texts(
    file: &mut SetFile<'_, impl Write>,
    name: &str,
    sort: ByteSort,
    entries: u64,
    memory_bytes: u64,
) -> io::Result<()> {
    let mut strings = StringsWriter::new()?;
    let mut numbers = ExternalSort::<{ 2 * ENTRY_BYTES }>::new(memory_bytes);
    let mut last: Option<Vec<u8>> = None;
    sort.into_each(|record| {
        let (text, entry) = record.split_at(record.len() - ENTRY_BYTES);
        if last.as_deref() != Some(text) {
            strings.push(&unescaped(text))?;
            last = Some(text.to_vec());
        }
        let mut pair = [0; 2 * ENTRY_BYTES];
        pair[..ENTRY_BYTES].copy_from_slice(entry);
        pair[ENTRY_BYTES..].copy_from_slice(&entry_bytes(strings.len() - 1));
        numbers.push(pair)
    })?;
    let mut column = Column::new(strings.len())?;
    debug_assert!(entries == 0 || strings.len() > 0);
    numbers.into_each(|pair| column.push(be_number(&pair[ENTRY_BYTES..])))?;
    column.write(file, Kind::Texts, name)?;
    strings.write(file, name)
}
