//! Looking up digests in a set.

use std::fs::File;
use std::io;
use std::ops::Range;
use std::path::Path;

use pfh_digest::{Algorithm, Digest};
use pfh_source::MappedFile;

use crate::about::About;
use crate::block_sections::BlockSections;
use crate::builder::{ALGORITHMS_MAX, SIZE, SOURCE, TEXTS, is_trusted};
use crate::filter::{self, Filter};
use crate::index::{Index, LINE_BYTES, first_bits};
use crate::layout::{BLOCKS_VERSION, FOOTER_BYTES, Footer, Kind, OpenError, Section, number};
use crate::links::LinkLayout;
use crate::look_up::{self, Batch, Sorted};
use crate::starts::{Beginning, Starts, left_out_of};
use crate::strings::{TEXT_BYTES_MAX, text_at};

/// An open set.
#[derive(Debug)]
pub struct KnownSet {
    bytes: Bytes,
    footer: Footer,
    tables: Vec<Table>,
    /// The shapes of entries: each begins where the one before ends.
    shapes: Vec<Shape>,
    entries: u64,
    about: About,
    source: Option<Section>,
    size: Option<Section>,
    texts: [Option<TextColumn>; TEXTS.len()],
    sizes: Option<Section>,
    pub(crate) blocks: Option<BlockSections>,
}

#[derive(Debug)]
enum Bytes {
    /// Bytes of which the set begins at this offset.
    Owned(Vec<u8>, usize),
    Mapped(MappedFile),
}

/// The digests of an algorithm and their index.
#[derive(Debug)]
struct Table {
    algorithm: Algorithm,
    digests: Section,
    index: Section,
    filter: Option<Section>,
    /// `None` where the section has whole digests.
    starts: Option<Section>,
    layout: LinkLayout,
    /// `None` where the number of a digest is that of its entry.
    links: Option<Section>,
    places: Option<Section>,
}

/// Entries with digests of the same algorithms.
#[derive(Debug)]
struct Shape {
    /// Of each table, whether it has digests of these entries.
    tables: u64,
    end: u64,
}

#[derive(Debug)]
struct TextColumn {
    numbers: Section,
    strings: Section,
    blocks: Section,
}

/// The entries among which are those that agree with some digests.
pub(crate) struct Candidates<'a> {
    set: &'a KnownSet,
    /// Of each shape the places of the digests that it has, those of the digest that the fewest entries have first.
    shapes: Vec<Vec<(&'a Table, Range<u64>)>>,
}

impl Candidates<'_> {
    /// Returns their number.
    pub(crate) fn count(&self) -> u64 {
        self.shapes.iter().filter_map(|digests| digests.first()).map(|(_, places)| length(places)).sum()
    }

    /// Returns those that agree with all digests, in order. The caller checks afterwards that all was read.
    pub(crate) fn agreeing(&self) -> impl Iterator<Item = u64> {
        let (set, of_shapes) = (self.set, self.shapes.iter().filter_map(|digests| digests.split_first()));
        of_shapes.flat_map(move |((fewest, places), others)| {
            let in_others = move |entry: &u64| {
                others.iter().all(|(table, places)| {
                    let place = set.before(table, places, *entry);
                    place < places.end && set.entry(table, place) == Some(*entry)
                })
            };
            places.clone().filter_map(move |place| set.entry(fewest, place)).filter(in_others)
        })
    }
}

#[cfg(test)]
thread_local! {
    /// Number of times that this thread has read the entry of a digest.
    pub(crate) static ENTRIES_READ: std::cell::Cell<u64> = const { std::cell::Cell::new(0) };
}

/// Bytes that are checked between two questions whether to stop.
const CHECKED_BYTES: usize = 16 << 20;

/// A text that a set may keep about an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Text {
    /// The category, in the words of the source.
    Category,
    /// A product that has the file.
    Product,
    /// A name of the file.
    Name,
}

impl KnownSet {
    /// Opens the set in a file. Reads its end only, so that the time does not depend on its size;
    /// [`KnownSet::is_intact`] reads the rest.
    ///
    /// The file is mapped, and all processes that use it share its memory. If it is truncated or cannot be read later,
    /// look-ups return an error. If it is overwritten in place, look-ups may be wrong until
    /// [`KnownSet::check_unchanged`] notices.
    ///
    /// # Errors
    /// [`OpenError`].
    pub fn open(path: &Path) -> Result<KnownSet, OpenError> {
        KnownSet::of(Bytes::Mapped(MappedFile::open(path)?))
    }

    /// Opens the set in an open file, as [`KnownSet::open`].
    ///
    /// # Errors
    /// [`OpenError`].
    pub fn of_file(file: &File) -> Result<KnownSet, OpenError> {
        KnownSet::of(Bytes::Mapped(MappedFile::of(file)?))
    }

    /// Opens a set in memory.
    ///
    /// # Errors
    /// [`OpenError`].
    pub fn from_bytes(mut bytes: Vec<u8>) -> Result<KnownSet, OpenError> {
        // Look-ups read lines of memory, and sections begin with one if the set does: otherwise each takes two.
        bytes.reserve_exact(LINE_BYTES - 1);
        let (set_bytes, start) = (bytes.len(), bytes.as_ptr().align_offset(LINE_BYTES));
        bytes.resize(set_bytes + start, 0);
        bytes.copy_within(..set_bytes, start);
        KnownSet::of(Bytes::Owned(bytes, start))
    }

    fn of(bytes: Bytes) -> Result<KnownSet, OpenError> {
        let all = bytes.all();
        let footer = Footer::read(all)?;
        let section = |kind, name: &str| footer.section(kind, name).cloned();
        let needed = |kind, name: &str| section(kind, name).ok_or(OpenError::Damaged);
        let shapes = &all[needed(Kind::Shapes, "")?.range()];
        let shapes = shapes.as_chunks::<16>().0.iter().map(|shape| {
            let (tables, first) = shape.split_at(8);
            (number(tables), number(first))
        });
        let shapes: Vec<(u64, u64)> = shapes.collect();
        let entries = shapes.last().ok_or(OpenError::Damaged)?.1;
        let mut tables: Vec<Table> = Vec::new();
        for digests in footer.sections.iter().filter(|section| section.kind == Kind::Digests) {
            let algorithm = Algorithm::from_name(&digests.name).map_err(|_| OpenError::Damaged)?;
            let (links, places) = (section(Kind::Links, &digests.name), section(Kind::Places, &digests.name));
            let starts = section(Kind::Starts, &digests.name);
            let left_out = left_out_of(starts.as_ref().map_or(0, |starts| starts.records));
            let layout = LinkLayout::new(entries, left_out.ok_or(OpenError::Damaged)?);
            let links_are_whole = match &links {
                Some(links) => layout.section_bytes(digests.records) == Some(links.records),
                None => digests.records == entries && layout.low_bytes == 0,
            };
            let is_whole = algorithm.digest_bytes() == digests.record_bytes as usize
                && links_are_whole
                && places.as_ref().is_none_or(|places| places.records == entries);
            // Look-ups would see only the first of two tables.
            let is_repeated = tables.iter().any(|table| table.algorithm == algorithm);
            if !is_whole || is_repeated || tables.len() == ALGORITHMS_MAX {
                return Err(OpenError::Damaged);
            }
            let index = needed(Kind::Index, &digests.name)?;
            let filter = section(Kind::Filter, &digests.name);
            if filter.as_ref().is_some_and(|filter| filter.records != filter::blocks(digests.records)) {
                return Err(OpenError::Damaged);
            }
            tables.push(Table { algorithm, digests: digests.clone(), index, filter, starts, layout, links, places });
        }
        let column = |kind, name| match section(kind, name) {
            Some(column) if column.records != entries => Err(OpenError::Damaged),
            column => Ok(column),
        };
        let text = |name| -> Result<_, OpenError> {
            let Some(numbers) = column(Kind::Texts, name)? else { return Ok(None) };
            let (strings, blocks) = (needed(Kind::Strings, name)?, needed(Kind::Blocks, name)?);
            Ok(Some(TextColumn { numbers, strings, blocks }))
        };
        let (source, size) = (column(Kind::Numbers, SOURCE)?, column(Kind::Numbers, SIZE)?);
        let texts = [text(TEXTS[0])?, text(TEXTS[1])?, text(TEXTS[2])?];
        let about = &all[needed(Kind::About, "")?.range()];
        let about: About = serde_json::from_slice(about).map_err(|_| OpenError::Damaged)?;
        let sizes = section(Kind::Sizes, "");
        let is_of_blocks = footer.version == BLOCKS_VERSION;
        if is_of_blocks != (about.block_bytes > 0) {
            return Err(OpenError::Damaged);
        }
        let blocks = if is_of_blocks { Some(BlockSections::of(&footer, entries)?) } else { None };
        let shapes = shapes_of(&shapes, &tables).ok_or(OpenError::Damaged)?;
        bytes.check()?;
        Ok(KnownSet { bytes, footer, tables, shapes, entries, about, source, size, texts, sizes, blocks })
    }

    /// Returns the algorithms of which the set has digests, the one that says most about a file first.
    pub fn algorithms(&self) -> impl Iterator<Item = Algorithm> + '_ {
        self.tables.iter().map(|table| table.algorithm)
    }

    /// Returns the algorithms that a file has to be hashed with, so that each entry can be found. Of an entry with
    /// several digests, the strongest is enough; all are needed if files with the same digest can be made.
    pub fn needed_algorithms(&self) -> Vec<Algorithm> {
        let mut needed = 0_u64;
        for shape in &self.shapes {
            let strongest = shape.tables.trailing_zeros() as usize;
            let is_enough = self.tables.get(strongest).is_some_and(|table| is_trusted(table.algorithm));
            needed |= if is_enough { 1 << strongest } else { shape.tables };
        }
        let tables = self.tables.iter().enumerate();
        tables.filter(|(place, _)| needed >> place & 1 == 1).map(|(_, table)| table.algorithm).collect()
    }

    /// Whether each entry has a digest by one of these algorithms, so that a file with digests by all of them that is
    /// not found is not known.
    pub fn can_be_asked(&self, has: impl Fn(Algorithm) -> bool) -> bool {
        let tables = self.tables.iter().enumerate().filter(|(_, table)| has(table.algorithm));
        let asked = tables.fold(0_u64, |asked, (place, _)| asked | 1 << place);
        self.shapes.iter().all(|shape| shape.tables & asked != 0)
    }

    /// Returns the number of digests by an algorithm.
    pub fn len(&self, algorithm: Algorithm) -> u64 {
        self.table(algorithm).map_or(0, |table| table.digests.records)
    }

    /// Whether the set has no entry.
    pub fn is_empty(&self) -> bool {
        self.entries == 0
    }

    /// Returns the number of entries: different digests, or tuples of digests where sources have several of a file.
    pub fn entries(&self) -> u64 {
        self.entries
    }

    /// Returns the length of the file in bytes.
    pub fn file_bytes(&self) -> u64 {
        self.footer.file_bytes
    }

    /// Returns what the set says about itself.
    pub fn about(&self) -> &About {
        &self.about
    }

    /// Returns the facts about the set as `pfh known info --json` and servers tell them: `entries`, `file_bytes`, the
    /// number of `digests` by algorithm, `sizes` ([`KnownSet::has_sizes`]) and `about` ([`About`]).
    pub fn to_json(&self) -> serde_json::Value {
        let digests: serde_json::Map<_, _> =
            self.algorithms().map(|algorithm| (algorithm.name().to_owned(), self.len(algorithm).into())).collect();
        serde_json::json!({
            "file_bytes": self.file_bytes(), "entries": self.entries(), "digests": digests, "sizes": self.has_sizes(),
            "about": self.about,
        })
    }

    /// Whether all bytes are those that were written.
    ///
    /// # Errors
    /// If the file cannot be read, or was truncated.
    pub fn is_intact(&self) -> io::Result<bool> {
        Ok(self.is_intact_unless(&|| false)? == Some(true))
    }

    /// As [`KnownSet::is_intact`]; `None` if `stops` said so before the end.
    ///
    /// # Errors
    /// If the file cannot be read, or was truncated.
    pub fn is_intact_unless(&self, stops: &dyn Fn() -> bool) -> io::Result<Option<bool>> {
        let all = self.bytes.all();
        let mut hasher = Algorithm::BLAKE3.hasher();
        for part in all[..all.len() - FOOTER_BYTES].chunks(CHECKED_BYTES) {
            if stops() {
                return Ok(None);
            }
            hasher.update(part);
        }
        let is_intact = hasher.finish().bytes() == self.footer.contents;
        self.bytes.check()?;
        Ok(Some(is_intact))
    }

    /// Checks that the file has not been overwritten in place since the set was opened: only then were the look-ups
    /// before right. It takes about as long as a look-up, so that one check after many is best. A file that was
    /// replaced by renaming another is unchanged. Once a change was seen, look-ups return the same error.
    ///
    /// # Errors
    /// If the file was changed or truncated, or cannot be read.
    pub fn check_unchanged(&self) -> io::Result<()> {
        match &self.bytes {
            Bytes::Owned(..) => Ok(()),
            Bytes::Mapped(file) => file.check_unchanged(),
        }
    }

    /// Returns the number of a digest among those of its algorithm, in order; `None` if the set does not have it. If it
    /// is there several times, in several entries, returns one of them.
    ///
    /// # Errors
    /// If the file cannot be read, or was truncated.
    pub fn find(&self, digest: &Digest) -> io::Result<Option<u64>> {
        let found = self.table(digest.algorithm()).and_then(|table| look_up::find(&self.sorted(table), digest.bytes()));
        self.bytes.check()?;
        Ok(found)
    }

    /// Calls `found` for each digest, in their order, with its number as [`KnownSet::find`] returns it. Several
    /// look-ups are under way at a time, so that they wait for memory together.
    ///
    /// # Errors
    /// If the file cannot be read, or was truncated; what was found up to then may be wrong.
    pub fn find_many(&self, digests: &[Digest], mut found: impl FnMut(&Digest, Option<u64>)) -> io::Result<()> {
        let mut batch = Batch::default();
        for same in
            Batch::parts(digests).flat_map(|part| part.chunk_by(|one, other| one.algorithm() == other.algorithm()))
        {
            let Some(table) = same.first().and_then(|digest| self.table(digest.algorithm())) else {
                same.iter().for_each(|digest| found(digest, None));
                continue;
            };
            let filter = Filter::new(table.filter.as_ref().map_or(&[], |filter| self.section(filter)));
            batch.find_part(&self.sorted(table), filter, same, &mut found);
        }
        self.bytes.check()
    }

    /// Returns the entry of a digest that was found at a place, if no other entry has the digest.
    pub(crate) fn only_entry(&self, digest: &Digest, place: u64) -> Option<u64> {
        let table = self.table(digest.algorithm())?;
        // With one algorithm, entries are different digests.
        if self.tables.len() > 1 {
            let rest = &digest.bytes()[table.layout.low_bytes..];
            let has = |place| self.record(&table.digests, place).is_some_and(|record| record.starts_with(rest));
            if place.checked_sub(1).is_some_and(has) || has(place + 1) {
                return None;
            }
        }
        self.entry(table, place)
    }

    /// Returns the entries with a digest, in order.
    ///
    /// # Errors
    /// If the file cannot be read, or was truncated.
    pub fn entries_of(&self, digest: &Digest) -> io::Result<Vec<u64>> {
        let Some((_, table, places)) = self.places_of(digest)? else { return Ok(Vec::new()) };
        let entries = places.filter_map(|place| self.entry(table, place)).collect();
        self.bytes.check()?;
        Ok(entries)
    }

    /// Returns the places of a digest in its table, whose number comes with it. Their entries are in order.
    fn places_of(&self, digest: &Digest) -> io::Result<Option<(usize, &Table, Range<u64>)>> {
        let number = self.tables.iter().position(|table| table.algorithm == digest.algorithm());
        let (Some(number), Some(found)) = (number, self.find(digest)?) else { return Ok(None) };
        let table = &self.tables[number];
        let starts = self.starts(table);
        let (alike, rest) = (starts.range(first_bits(digest.bytes())), &digest.bytes()[starts.left_out()..]);
        let has = |place: u64| self.record(&table.digests, place).is_some_and(|record| record.starts_with(rest));
        let first = partition(alike.start..found, |place| !has(place));
        let end = partition(found + 1..alike.end, has);
        Ok(Some((number, table, first..end)))
    }

    /// Returns the entries that have one of these digests, and none other than these by the same algorithms: those that
    /// a file with these digests is. In order.
    ///
    /// The time depends on the digest that the fewest entries have, even if millions have another one.
    ///
    /// # Errors
    /// If the file cannot be read, or was truncated.
    pub fn agreeing(&self, digests: &[Digest]) -> io::Result<Vec<u64>> {
        let candidates = self.candidates(digests)?;
        let entries = candidates.agreeing().collect();
        self.bytes.check()?;
        Ok(entries)
    }

    /// Whether an entry agrees with these digests, as [`KnownSet::agreeing`] says. The first one is enough, even if
    /// millions do.
    ///
    /// # Errors
    /// If the file cannot be read, or was truncated.
    pub fn has_agreeing(&self, digests: &[Digest]) -> io::Result<bool> {
        let candidates = self.candidates(digests)?;
        let is_there = candidates.agreeing().next().is_some();
        self.bytes.check()?;
        Ok(is_there)
    }

    /// Returns the entries among which are those that agree with these digests.
    pub(crate) fn candidates(&self, digests: &[Digest]) -> io::Result<Candidates<'_>> {
        let mut asked = Vec::new();
        for digest in digests {
            if let Some(number) = self.tables.iter().position(|table| table.algorithm == digest.algorithm()) {
                asked.push((number, self.places_of(digest)?.map_or(0..0, |(.., places)| places)));
            }
        }
        let (mut shapes, mut first) = (Vec::new(), 0);
        // Entries of the same shape follow each other, and those of a digest are in order.
        for shape in &self.shapes {
            let (has, begin) = (|table: &usize| shape.tables >> table & 1 == 1, first);
            first = shape.end;
            let of_shape = asked.iter().filter(|(table, _)| has(table)).map(|(table, places)| {
                let table = &self.tables[*table];
                (table, self.before(table, places, begin)..self.before(table, places, shape.end))
            });
            let mut of_shape: Vec<(&Table, Range<u64>)> = of_shape.collect();
            of_shape.sort_by_key(|(_, places)| length(places));
            shapes.push(of_shape);
        }
        Ok(Candidates { set: self, shapes })
    }

    /// Returns the first place of a digest, among these, whose entry is not before this one.
    fn before(&self, table: &Table, places: &Range<u64>, entry: u64) -> u64 {
        partition(places.clone(), |place| self.entry(table, place).is_some_and(|own| own < entry))
    }

    /// Whether a file of this size may be known. Only if the set has the size of every file, it may not.
    ///
    /// # Errors
    /// If the file of the set cannot be read, or was truncated.
    pub fn may_have_size(&self, size: u64) -> io::Result<bool> {
        let Some(sizes) = &self.sizes else { return Ok(true) };
        let first = partition(0..sizes.records, |place| self.number(sizes, place) < Some(size));
        let found = first < sizes.records && self.number(sizes, first) == Some(size);
        self.bytes.check()?;
        Ok(found)
    }

    /// Whether [`KnownSet::may_have_size`] can tell files apart.
    pub fn has_sizes(&self) -> bool {
        self.sizes.is_some()
    }

    /// Returns the sizes of all files, in order, if the set has that of every file.
    pub(crate) fn sizes(&self) -> Option<impl Iterator<Item = io::Result<u64>>> {
        let sizes = self.sizes.as_ref()?;
        let size = |place| self.number(sizes, place).ok_or_else(|| io::ErrorKind::InvalidData.into());
        Some((0..sizes.records).map(move |place| self.bytes.check().and_then(|()| size(place))))
    }

    /// Returns the digests of an entry, as far as the set keeps the way to them.
    ///
    /// # Errors
    /// If the file cannot be read, or was truncated.
    pub fn digests(&self, entry: u64) -> io::Result<Vec<Digest>> {
        let digests = self.tables.iter().filter_map(|table| {
            let place = match (&table.links, &table.places) {
                (None, _) => entry,
                (Some(_), Some(places)) => self.number(places, entry)?.checked_sub(1)?,
                (Some(_), None) => return None,
            };
            let (beginning, _) = self.starts(table).beginning(place);
            let mut digest = DigestBytes::default();
            Digest::new(table.algorithm, digest.of_record(&beginning, self.record(&table.digests, place)?))
        });
        let digests = digests.collect();
        self.bytes.check()?;
        Ok(digests)
    }

    /// Returns the number of algorithms of which an entry has digests, whether the set keeps the way to them or not.
    pub fn algorithms_of(&self, entry: u64) -> u32 {
        self.tables_of(entry).count_ones()
    }

    /// Whether [`KnownSet::digests`] returns all digests of an entry.
    pub fn keeps_digests(&self) -> bool {
        self.tables.iter().all(|table| table.links.is_none() || table.places.is_some())
    }

    /// Calls `each` with every digest of an algorithm and its entry, in the order of the digests. In a damaged set,
    /// digests without an entry are left out.
    ///
    /// # Errors
    /// If the file cannot be read, or was truncated; and the errors of `each`.
    pub fn each(&self, algorithm: Algorithm, mut each: impl FnMut(u64, &[u8]) -> io::Result<()>) -> io::Result<()> {
        let Some(table) = self.table(algorithm) else { return Ok(()) };
        let (starts, mut digest) = (self.starts(table), DigestBytes::default());
        let (mut beginning, mut end) = starts.beginning(0);
        for place in 0..table.digests.records {
            if place >= end {
                (beginning, end) = starts.beginning(place);
            }
            if let (Some(entry), Some(record)) = (self.entry(table, place), self.record(&table.digests, place)) {
                each(entry, digest.of_record(&beginning, record))?;
            }
        }
        self.bytes.check()
    }

    /// Returns the place of an entry's source in [`About::sources`].
    ///
    /// # Errors
    /// If the file cannot be read, or was truncated.
    pub fn source(&self, entry: u64) -> io::Result<usize> {
        let Some(column) = &self.source else { return Ok(0) };
        let source = self.number(column, entry).unwrap_or(0);
        self.bytes.check()?;
        Ok(source as usize)
    }

    /// Returns the size of an entry's file in bytes, if the set keeps it.
    ///
    /// # Errors
    /// If the file cannot be read, or was truncated.
    pub fn size(&self, entry: u64) -> io::Result<Option<u64>> {
        let Some(column) = &self.size else { return Ok(None) };
        let size = self.number(column, entry);
        self.bytes.check()?;
        Ok(size.and_then(|size| size.checked_sub(1)))
    }

    /// Returns a text about an entry; empty if the set does not keep it.
    ///
    /// # Errors
    /// If the file cannot be read, or was truncated.
    pub fn text(&self, text: Text, entry: u64) -> io::Result<Vec<u8>> {
        let Some(column) = &self.texts[text as usize] else { return Ok(Vec::new()) };
        let text = self.number(&column.numbers, entry).and_then(|number| {
            text_at(self.section(&column.strings), self.section(&column.blocks), number, TEXT_BYTES_MAX)
        });
        self.bytes.check()?;
        Ok(text.unwrap_or_default())
    }

    fn table(&self, algorithm: Algorithm) -> Option<&Table> {
        self.tables.iter().find(|table| table.algorithm == algorithm)
    }

    /// Returns which tables have digests of an entry, in bits.
    fn tables_of(&self, entry: u64) -> u64 {
        let place = self.shapes.partition_point(|shape| shape.end <= entry);
        self.shapes.get(place).map_or(0, |shape| shape.tables)
    }

    fn starts(&self, table: &Table) -> Starts<'_> {
        let starts = table.starts.as_ref().map_or(&[][..], |starts| self.section(starts));
        Starts::new(starts, table.layout.low_bytes, table.digests.records)
    }

    /// Returns the entry of the digest at this place; `None` if the set is damaged, and has no such entry.
    fn entry(&self, table: &Table, place: u64) -> Option<u64> {
        #[cfg(test)]
        ENTRIES_READ.set(ENTRIES_READ.get() + 1);
        let entry = match &table.links {
            Some(links) => table.layout.entry(self.record(&table.digests, place)?, self.section(links), place)?,
            None => place,
        };
        (entry < self.entries).then_some(entry)
    }

    fn sorted(&self, table: &Table) -> Sorted<'_> {
        Sorted {
            records: self.section(&table.digests),
            index: Index::new(self.section(&table.index), table.digests.records),
            starts: self.starts(table),
        }
    }

    pub(crate) fn section(&self, section: &Section) -> &[u8] {
        &self.bytes.all()[section.range()]
    }

    pub(crate) fn record(&self, section: &Section, place: u64) -> Option<&[u8]> {
        let width = section.record_bytes as usize;
        self.section(section).get(usize::try_from(place).ok()?.checked_mul(width)?..)?.get(..width)
    }

    pub(crate) fn number(&self, column: &Section, place: u64) -> Option<u64> {
        self.record(column, place).map(number)
    }
}

impl KnownSet {
    /// Checks that what was read is the file's.
    pub(crate) fn check(&self) -> io::Result<()> {
        self.bytes.check()
    }
}

/// Returns the shapes of entries from the records about them: the tables of each and its first entry. `None` unless
/// they follow each other from the first entry on, and each table has one digest for each entry of its shapes. So there
/// are no more entries than digests.
fn shapes_of(records: &[(u64, u64)], tables: &[Table]) -> Option<Vec<Shape>> {
    let (mut shapes, mut digests) = (Vec::new(), vec![0; tables.len()]);
    for (&(of_shape, first), &(_, end)) in records.iter().zip(records.iter().skip(1)) {
        let entries = end.checked_sub(first)?;
        if of_shape == 0 || of_shape >> tables.len() != 0 {
            return None;
        }
        for (table, digests) in digests.iter_mut().enumerate() {
            *digests += entries * (of_shape >> table & 1);
        }
        shapes.push(Shape { tables: of_shape, end });
    }
    let is_whole = records.first()?.1 == 0
        && tables.iter().zip(&digests).all(|(table, digests)| table.digests.records == *digests);
    is_whole.then_some(shapes)
}

/// The bytes of a digest that is put together.
struct DigestBytes([u8; Digest::BYTES_MAX]);

impl Default for DigestBytes {
    fn default() -> DigestBytes {
        DigestBytes([0; Digest::BYTES_MAX])
    }
}

impl DigestBytes {
    /// Joins what is left out of a record and what it has.
    fn of_record(&mut self, beginning: &Beginning, record: &[u8]) -> &[u8] {
        let (digest, beginning) = (&mut self.0[..record.len()], beginning.as_ref());
        let (first, rest) = digest.split_at_mut(beginning.len());
        first.copy_from_slice(beginning);
        rest.copy_from_slice(&record[..rest.len()]);
        digest
    }
}

impl Bytes {
    fn all(&self) -> &[u8] {
        match self {
            Bytes::Owned(bytes, start) => &bytes[*start..],
            Bytes::Mapped(file) => file.as_ref(),
        }
    }

    fn check(&self) -> io::Result<()> {
        match self {
            Bytes::Owned(..) => Ok(()),
            Bytes::Mapped(file) => file.check(),
        }
    }
}

/// Returns the length of a range, which ends before it begins in some damaged sets.
fn length(range: &Range<u64>) -> u64 {
    range.end.saturating_sub(range.start)
}

/// Returns the first place of a range at which a condition no longer holds, which holds for all places before it; the
/// end of the range if it always holds.
fn partition(range: Range<u64>, holds: impl Fn(u64) -> bool) -> u64 {
    let Range { start: mut first, mut end } = range;
    while first < end {
        let middle = first.midpoint(end);
        if holds(middle) { first = middle + 1 } else { end = middle }
    }
    first
}
