//! Sets of blocks of files: building them, and the places of their blocks.

use std::io::{self, Write};

use pfh_digest::{Algorithm, Digest};
use pfh_list::{ByteSort, be_number};

use crate::about::{About, BlockTotals, Origin};
use crate::block_hasher::BlockKinds;
use crate::block_sections::{BlockSections, FILE};
use crate::fragments::BlockPlace;
use crate::layout::{BLOCKS_VERSION, FILE_BYTES, Kind, number};
use crate::sections::{Column, SetFile, TableWriter};
use crate::set::KnownSet;
use crate::strings::{NAME_BYTES_MAX, StringsWriter, text_at};

/// Most places of a block that a reader takes; a writer keeps fewer.
const PLACES_READ_MAX: u64 = 255;

/// The greatest number of occurrences that is kept.
const OCCURS_MAX: u64 = u16::MAX as u64;

/// Collects the blocks of files, sorts them within a limit of memory, and writes a set.
///
/// ```
/// use pfh_digest::Algorithm;
/// use pfh_known::{BlockFile, BlockHasher, BlockPlace, BlockSetBuilder, KnownSet, Origin};
///
/// let sha256 = Algorithm::from_name("sha256")?;
/// let mut builder = BlockSetBuilder::new(sha256, 512, Origin::default(), 1 << 20)?;
/// let contents: Vec<u8> = (0..1500_u32).map(|number| (number * number >> 3) as u8).collect();
/// let file = builder.begin_file()?;
/// let mut hasher = BlockHasher::new(sha256, 512, 512)?;
/// let kinds = hasher.hash(&contents, &mut |offsets, digests| {
///     let blocks = offsets.iter().zip(digests);
///     blocks.into_iter().try_for_each(|(offset, digest)| builder.push(file, (offset / 512) as u64, digest))
/// })?;
/// builder.end_file(&BlockFile { id: file, name: b"a file", bytes: 1500, kinds })?;
/// let mut set = Vec::new();
/// builder.write(&mut set, "an example")?;
///
/// let set = KnownSet::from_bytes(set)?;
/// let found = set.find(&sha256.digest(&contents[512..1024]))?.unwrap();
/// let mut places = Vec::new();
/// set.blocks().unwrap().places(found, &mut places)?;
/// assert_eq!(places, [BlockPlace { file: 0, block: 1 }]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct BlockSetBuilder {
    algorithm: Algorithm,
    block_bytes: u64,
    origin: Origin,
    /// Digest, number of the file as it was begun, number of the block in it.
    rows: ByteSort,
    pushed: u64,
    /// The number in the set of each file that was begun; `DROPPED` unless it was ended.
    numbers: Vec<u32>,
    files: Vec<FileRecord>,
    names: StringsWriter,
    /// Blocks of all files so far.
    blocks: u64,
    totals: BlockTotals,
    row: Vec<u8>,
}

/// A file that was begun.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FileId(u32);

/// A file all of whose blocks were added.
#[derive(Clone, Copy, Debug)]
pub struct BlockFile<'a> {
    /// The number that [`BlockSetBuilder::begin_file`] gave.
    pub id: FileId,
    /// Its name in raw bytes.
    pub name: &'a [u8],
    /// Its length in bytes.
    pub bytes: u64,
    /// Its blocks.
    pub kinds: BlockKinds,
}

struct FileRecord {
    first: u64,
    bytes: u64,
    placed: u64,
}

const DROPPED: u32 = u32::MAX;

/// Bytes of a row after the digest: file and block.
const FILE_ID_BYTES: usize = 4;
const BLOCK_BYTES: usize = 6;

impl BlockSetBuilder {
    /// Most places that a set keeps of a block: those that come first in the order of files and blocks.
    pub const PLACES_MAX: usize = 16;

    /// Begins a set of blocks of this length, sorted in at most about `memory_bytes` of memory; temporary files
    /// take the rest. Each file needs about 40 bytes beside.
    ///
    /// # Errors
    /// If a temporary file cannot be created.
    ///
    /// # Panics
    /// If the algorithm has digests of fewer than 8 or more than 64 bytes.
    pub fn new(
        algorithm: Algorithm,
        block_bytes: u64,
        origin: Origin,
        memory_bytes: u64,
    ) -> io::Result<BlockSetBuilder> {
        assert!((8..=64).contains(&algorithm.digest_bytes()), "digests have 8 to 64 bytes");
        Ok(BlockSetBuilder {
            algorithm,
            block_bytes,
            origin: Origin { rows: 0, entries: 0, ..origin },
            rows: ByteSort::new(memory_bytes),
            pushed: 0,
            numbers: Vec::new(),
            files: Vec::new(),
            names: StringsWriter::new()?,
            blocks: 0,
            totals: BlockTotals::default(),
            row: Vec::new(),
        })
    }

    /// Returns the source of the files, to complete what is known of it at the end.
    pub fn origin(&mut self) -> &mut Origin {
        &mut self.origin
    }

    /// Begins a file; several may be under way. It is in the set only if it is ended, too.
    ///
    /// # Errors
    /// If there are more than 4,294,967,295 files.
    pub fn begin_file(&mut self) -> io::Result<FileId> {
        let id = u32::try_from(self.numbers.len()).ok().filter(|id| *id < DROPPED);
        let id =
            id.ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "a set has at most 4,294,967,295 files"))?;
        self.numbers.push(DROPPED);
        Ok(FileId(id))
    }

    /// Adds a block of a file that was begun.
    ///
    /// # Errors
    /// If a temporary file cannot be created, written or read.
    pub fn push(&mut self, file: FileId, block: u64, digest: &Digest) -> io::Result<()> {
        self.row.clear();
        self.row.extend_from_slice(digest.bytes());
        self.row.extend_from_slice(&file.0.to_be_bytes());
        self.row.extend_from_slice(&block.to_be_bytes()[8 - BLOCK_BYTES..]);
        self.pushed += 1;
        self.rows.push(&self.row)
    }

    /// Ends a file. Files have the order in the set in which they are ended.
    ///
    /// # Errors
    /// If a temporary file cannot be created or written.
    pub fn end_file(&mut self, file: &BlockFile<'_>) -> io::Result<()> {
        let blocks = file.bytes / self.block_bytes;
        if blocks == 0 {
            self.totals.short_files += 1;
            return Ok(());
        }
        self.totals.files += 1;
        self.totals.blocks += blocks;
        self.totals.constant += file.kinds.constant;
        self.totals.nonprobative += file.kinds.nonprobative;
        if let Some(number) = self.numbers.get_mut(file.id.0 as usize) {
            *number = self.files.len() as u32;
        }
        self.files.push(FileRecord { first: self.blocks, bytes: file.bytes, placed: 0 });
        self.names.push(&file.name[..file.name.len().min(NAME_BYTES_MAX)])?;
        self.blocks += blocks;
        Ok(())
    }

    /// Writes the set: each digest once, with its places. `program` is the name of the program that builds it.
    ///
    /// # Errors
    /// If the output cannot be written, or a temporary file cannot be created, written or read.
    pub fn write(self, output: &mut impl Write, program: &str) -> io::Result<About> {
        let BlockSetBuilder { algorithm, block_bytes, mut origin, rows, pushed, numbers, mut files, names, .. } = self;
        let mut file = SetFile::begin(output, BLOCKS_VERSION)?;
        let mut table = TableWriter::new(algorithm, false)?;
        let (mut firsts, mut located) = (Column::new(pushed + 1)?, Column::new(self.blocks)?);
        let mut occurs = Column::new(OCCURS_MAX + 1)?;
        let (mut entries, mut kept_rows, mut kept_places) = (0_u64, 0_u64, 0_u64);
        let starts: Vec<u64> = files.iter().map(|one| one.first).collect();
        let mut take = |block: &mut Gathered| -> io::Result<()> {
            if block.count == 0 {
                return Ok(());
            }
            block.keep_first();
            table.push(&block.digest, entries)?;
            firsts.push(kept_places)?;
            occurs.push(block.count.min(OCCURS_MAX))?;
            for &(number, place) in &block.places {
                located.push(place)?;
                files[number as usize].placed += 1;
            }
            entries += 1;
            kept_rows += block.count;
            kept_places += block.places.len() as u64;
            Ok(())
        };

        let mut current = Gathered::default();
        let digest_bytes = algorithm.digest_bytes();
        rows.into_each(|row| {
            let (digest, place) = row.split_at(digest_bytes);
            let (id, block) = place.split_at(FILE_ID_BYTES);
            if current.digest != digest {
                take(&mut current)?;
                current.begin(digest);
            }
            let number = numbers[be_number(id) as usize];
            if number != DROPPED {
                current.add(number, starts[number as usize] + be_number(block));
            }
            Ok(())
        })?;
        take(&mut current)?;
        firsts.push(kept_places)?;
        table.write(&mut file, entries)?;
        firsts.write(&mut file, Kind::Firsts, "")?;
        located.write(&mut file, Kind::Located, "")?;
        occurs.write(&mut file, Kind::Occurs, "")?;
        let shapes: Vec<u8> = [1, 0, 0, entries].into_iter().flat_map(u64::to_le_bytes).collect();
        file.section(Kind::Shapes, "", 16, &mut &*shapes)?;
        let records = files.iter().flat_map(|one| [one.first, one.bytes, one.placed, 0]);
        let records: Vec<u8> = records.flat_map(u64::to_le_bytes).collect();
        file.section(Kind::Files, "", FILE_BYTES as u32, &mut &*records)?;
        names.write(&mut file, FILE)?;
        (origin.rows, origin.entries) = (kept_rows, entries);
        let about = About {
            program: program.to_owned(),
            rows: kept_rows,
            entries,
            block_bytes,
            sources: vec![origin],
            blocks: Some(BlockTotals { places_left_out: kept_rows - kept_places, ..self.totals }),
        };
        file.end(&about)?;
        Ok(about)
    }
}

/// The places of one digest.
#[derive(Default)]
struct Gathered {
    digest: Vec<u8>,
    count: u64,
    /// The numbers of the file and of the block among all blocks.
    places: Vec<(u32, u64)>,
}

impl Gathered {
    fn begin(&mut self, digest: &[u8]) {
        self.digest.clear();
        self.digest.extend_from_slice(digest);
        self.count = 0;
        self.places.clear();
    }

    fn add(&mut self, number: u32, place: u64) {
        self.count += 1;
        self.places.push((number, place));
        if self.places.len() >= 64 * BlockSetBuilder::PLACES_MAX {
            self.keep_first();
        }
    }

    fn keep_first(&mut self) {
        self.places.sort_unstable();
        self.places.truncate(BlockSetBuilder::PLACES_MAX);
    }
}

/// The places of the blocks of a set.
#[derive(Clone, Copy, Debug)]
pub struct Blocks<'a> {
    set: &'a KnownSet,
    sections: &'a BlockSections,
}

/// A file of a set of blocks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct KnownFile {
    /// Its name in raw bytes.
    pub name: Vec<u8>,
    /// Its length in bytes.
    pub bytes: u64,
    /// Blocks whose places the set has.
    pub blocks: u64,
    /// The place of its source in [`About::sources`].
    pub source: usize,
}

impl KnownSet {
    /// Returns the places of blocks and their files, if the set is of blocks.
    pub fn blocks(&self) -> Option<Blocks<'_>> {
        self.blocks.as_ref().map(|sections| Blocks { set: self, sections })
    }
}

impl Blocks<'_> {
    /// Returns the length of the blocks in bytes.
    pub fn block_bytes(&self) -> u64 {
        self.set.about().block_bytes
    }

    /// Returns the number of files.
    pub fn files(&self) -> u64 {
        self.sections.files.records
    }

    /// Returns how often a block occurs in all files; 65,535 for that often and more.
    ///
    /// # Errors
    /// If the file cannot be read, or was truncated.
    pub fn occurrences(&self, entry: u64) -> io::Result<u64> {
        let occurs = self.set.number(&self.sections.occurs, entry).unwrap_or(0);
        self.set.check()?;
        Ok(occurs)
    }

    /// Fills `places` with the places of a block, in order: as many as the set keeps.
    ///
    /// # Errors
    /// If the file cannot be read, or was truncated.
    pub fn places(&self, entry: u64, places: &mut Vec<BlockPlace>) -> io::Result<()> {
        places.clear();
        let first = |entry| self.set.number(&self.sections.firsts, entry);
        let (Some(start), Some(end)) = (first(entry), entry.checked_add(1).and_then(first)) else {
            return self.set.check();
        };
        for number in start..end.min(start.saturating_add(PLACES_READ_MAX)) {
            let Some(place) = self.set.number(&self.sections.located, number) else { break };
            places.extend(self.place_of(place));
        }
        // In a damaged set they may be in any order.
        if !places.is_sorted_by(|one, next| one < next) {
            places.sort_unstable();
            places.dedup();
        }
        self.set.check()
    }

    /// Returns the place of a block by its number among all blocks; `None` if its file is not that long, as in a
    /// damaged set.
    fn place_of(&self, place: u64) -> Option<BlockPlace> {
        let records = self.set.section(&self.sections.files).as_chunks::<FILE_BYTES>().0;
        let end = records.partition_point(|record| number(&record[..8]) <= place);
        let file = end.checked_sub(1)?;
        let (first, bytes) = (number(&records[file][..8]), number(&records[file][8..16]));
        let block = place.checked_sub(first)?;
        (block < bytes / self.block_bytes()).then_some(BlockPlace { file: file as u64, block })
    }

    /// Returns a file by its number; empty if there is none, or the set is damaged.
    ///
    /// # Errors
    /// If the file of the set cannot be read, or was truncated.
    pub fn file(&self, file: u64) -> io::Result<KnownFile> {
        let record = self.set.record(&self.sections.files, file);
        let strings = (self.set.section(&self.sections.strings), self.set.section(&self.sections.blocks));
        let found = record.map(|record| KnownFile {
            name: text_at(strings.0, strings.1, file, NAME_BYTES_MAX).unwrap_or_default(),
            bytes: number(&record[8..16]),
            blocks: number(&record[16..24]),
            source: number(&record[24..32]) as usize,
        });
        self.set.check()?;
        Ok(found.unwrap_or_default())
    }
}
