//! External sorting: orders any number of records within a memory limit, with the rest in temporary files.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;
use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Read, Seek, Write};
use std::thread::{self, JoinHandle};

/// Most sorted parts of a size. Before there are more, they are merged into one, so that few files are open, however
/// many records come.
const RUNS_MAX: usize = 64;

/// Least number of records that are sorted at a time.
const RECORDS_MIN: usize = 1024;

const BUFFER_BYTES: usize = 1 << 16;

/// Bytes of each part of a batch for which memory is reserved at first. Memory that is never touched costs nothing, and
/// of this size on, C libraries have the system move what grows: copied, it would need twice as much for a moment.
const RESERVED_BYTES: usize = 32 << 20;

/// Returns the number that a part of a record is, most significant byte first; of at most 8 bytes.
#[inline]
pub fn be_number(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0, |number, byte| number << 8 | u64::from(*byte))
}

/// Collects records of `N` bytes and returns them in the order of their bytes. So a number in a record must have its
/// most significant byte first. Equal records are all kept.
///
/// The temporary files have no names, so nothing remains of them, however the program ends.
///
/// ```
/// let mut sort = pfh_list::ExternalSort::new(1 << 20);
/// for number in [300_u32, 20, 1000] {
///     sort.push(number.to_be_bytes())?;
/// }
/// let mut sorted = Vec::new();
/// sort.into_each(|record| {
///     sorted.push(u32::from_be_bytes(record));
///     Ok(())
/// })?;
/// assert_eq!(sorted, [20, 300, 1000]);
/// # Ok::<(), std::io::Error>(())
/// ```
pub struct ExternalSort<const N: usize> {
    records: Vec<[u8; N]>,
    records_max: usize,
    runs: Runs,
}

impl<const N: usize> ExternalSort<N> {
    /// Makes a sort that takes at most `memory_bytes` of memory, or the memory of 1024 records, and while merging a
    /// buffer of 64 KiB for each of the temporary files, of which there are few.
    pub fn new(memory_bytes: u64) -> ExternalSort<N> {
        const { assert!(N > 0, "a record has bytes") };
        let order_bytes = if N > MOVED_BYTES_MAX { size_of::<Numbered>() } else { 0 };
        let records_max = usize::try_from(memory_bytes).unwrap_or(usize::MAX) / (N + order_bytes);
        let records_max = records_max.clamp(RECORDS_MIN, u32::MAX as usize);
        ExternalSort { records: Vec::new(), records_max, runs: Runs::default() }
    }

    /// Adds a record.
    ///
    /// # Errors
    /// If a temporary file cannot be created, written or read, or the system refuses memory.
    pub fn push(&mut self, record: [u8; N]) -> io::Result<()> {
        if self.records.len() == self.records_max {
            sort(&mut self.records)?;
            let mut run = Run::new()?;
            self.records.drain(..).try_for_each(|record| record.write(&mut run.0))?;
            self.runs.push::<[u8; N]>(run.end()?)?;
        }
        if self.records.len() == self.records.capacity() {
            // Grows without exceeding the limit.
            let more = self.records.len().max(RECORDS_MIN).min(self.records_max - self.records.len());
            self.records.try_reserve_exact(more)?;
        }
        self.records.push(record);
        Ok(())
    }

    /// Returns all records in order if no temporary file was needed for them; otherwise the sort as it is.
    ///
    /// # Errors
    /// If the system refuses memory.
    pub fn into_memory(mut self) -> io::Result<Result<Vec<[u8; N]>, ExternalSort<N>>> {
        if !self.runs.is_empty() {
            return Ok(Err(self));
        }
        sort(&mut self.records)?;
        Ok(Ok(self.records))
    }

    /// Calls `each` with all records in order.
    ///
    /// # Errors
    /// If a temporary file cannot be read, and the errors of `each`.
    pub fn into_each(mut self, mut each: impl FnMut([u8; N]) -> io::Result<()>) -> io::Result<()> {
        sort(&mut self.records)?;
        let mut rest = self.records.into_iter();
        let mut next = |record: &mut [u8; N]| rest.next().map(|next| *record = next).is_some();
        merge(self.runs.into_files(), &mut next, &mut |record| each(*record))
    }
}

/// Longest record that is moved while records are sorted. Longer ones are moved once, to their places.
const MOVED_BYTES_MAX: usize = 32;

/// The first bytes of a record, and its number among those that are sorted.
type Numbered = (u64, u32);

/// Sorts records by their bytes.
fn sort<const N: usize>(records: &mut [[u8; N]]) -> io::Result<()> {
    match N {
        // The compiler compares them as one number.
        ..=FIRST_BYTES => records.sort_unstable(),
        _ if N <= MOVED_BYTES_MAX => {
            records.sort_unstable_by(|one, other| first(one).cmp(&first(other)).then_with(|| one.cmp(other)));
        }
        _ => {
            let mut order = Vec::<Numbered>::new();
            order.try_reserve_exact(records.len())?;
            order.extend(records.iter().zip(0..).map(|(record, number)| (first(record), number)));
            let rest = |number: u32| &records[number as usize][FIRST_BYTES..];
            order.sort_unstable_by(|one, other| one.0.cmp(&other.0).then_with(|| rest(one.1).cmp(rest(other.1))));
            put_in_order(records, &mut order);
        }
    }
    Ok(())
}

/// Moves each record to its place, along the circles in which each is at the place of the next. Then `order` tells
/// nothing any more.
fn put_in_order<const N: usize>(records: &mut [[u8; N]], order: &mut [Numbered]) {
    for start in 0..records.len() {
        let (first, mut place) = (records[start], start);
        loop {
            let next = std::mem::replace(&mut order[place].1, place as u32) as usize;
            if next == start {
                records[place] = first;
                break;
            }
            records[place] = records[next];
            place = next;
        }
    }
}

/// Number of bytes that [`first`] returns.
const FIRST_BYTES: usize = size_of::<u64>();

/// Returns the first bytes of a record, which tell most records apart, as a number of the same order.
fn first(record: &[u8]) -> u64 {
    let mut first = [0; FIRST_BYTES];
    let bytes = record.len().min(FIRST_BYTES);
    first[..bytes].copy_from_slice(&record[..bytes]);
    u64::from_be_bytes(first)
}

/// Like [`ExternalSort`], for records of different lengths, each of less than 64 KiB. A second thread sorts while
/// records are collected.
///
/// ```
/// let mut sort = pfh_list::ByteSort::new(1 << 20);
/// for name in ["seaweed", "sea", ""] {
///     sort.push(name.as_bytes())?;
/// }
/// let mut sorted = Vec::new();
/// sort.into_each(|record| {
///     sorted.push(record.to_vec());
///     Ok(())
/// })?;
/// assert_eq!(sorted, [&b""[..], b"sea", b"seaweed"]);
/// # Ok::<(), std::io::Error>(())
/// ```
pub struct ByteSort {
    batch: Batch,
    batch_bytes_max: usize,
    /// The batch before, on its way to a file.
    sorting: Option<JoinHandle<io::Result<(File, Batch)>>>,
    runs: Runs,
}

impl ByteSort {
    /// Longest record, in bytes.
    pub const RECORD_BYTES_MAX: usize = u16::MAX as usize;

    /// Makes a sort that takes at most `memory_bytes` of memory, or 256 KiB, and while merging a buffer of 64 KiB for
    /// each of the temporary files, of which there are few.
    pub fn new(memory_bytes: u64) -> ByteSort {
        let batch_bytes = usize::try_from(memory_bytes / 2).unwrap_or(usize::MAX);
        ByteSort {
            batch: Batch::default(),
            batch_bytes_max: batch_bytes.clamp(2 * ByteSort::RECORD_BYTES_MAX, 1 << 31),
            sorting: None,
            runs: Runs::default(),
        }
    }

    /// Adds a record.
    ///
    /// # Errors
    /// If it is too long, a temporary file cannot be created, written or read, or the system refuses memory.
    pub fn push(&mut self, record: &[u8]) -> io::Result<()> {
        if record.len() > ByteSort::RECORD_BYTES_MAX {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "a record has more than 64 KiB"));
        }
        if self.batch.used_bytes() + record.len() + PLACE_BYTES > self.batch_bytes_max {
            let empty = self.end_sorting()?;
            let full = std::mem::replace(&mut self.batch, empty);
            self.sorting = Some(thread::Builder::new().spawn(move || full.into_run())?);
        }
        self.batch.push(record, self.batch_bytes_max)
    }

    /// Waits for the batch that is being sorted. Returns it empty.
    fn end_sorting(&mut self) -> io::Result<Batch> {
        let Some(sorting) = self.sorting.take() else { return Ok(Batch::default()) };
        let sorted = sorting.join().unwrap_or_else(|_| Err(io::Error::other("sorting failed")));
        let (run, batch) = sorted?;
        self.runs.push::<Vec<u8>>(run)?;
        Ok(batch)
    }

    /// Calls `each` with all records in order.
    ///
    /// # Errors
    /// If a temporary file cannot be read, and the errors of `each`.
    pub fn into_each(mut self, mut each: impl FnMut(&[u8]) -> io::Result<()>) -> io::Result<()> {
        drop(self.end_sorting()?);
        self.batch.sort();
        let mut rest = 0..self.batch.places.len();
        let batch = &self.batch;
        if self.runs.is_empty() {
            return rest.try_for_each(|place| each(batch.record(place)));
        }
        let mut next = |record: &mut Vec<u8>| {
            rest.next().map(|place| {
                record.clear();
                record.extend_from_slice(batch.record(place));
            })
        };
        merge(self.runs.into_files(), &mut |record| next(record).is_some(), &mut |record| each(record))
    }
}

/// Records of different lengths in memory.
#[derive(Default)]
struct Batch {
    bytes: Vec<u8>,
    places: Vec<Place>,
}

/// A record of a batch: its first bytes, and where it lies.
#[derive(Clone, Copy)]
struct Place {
    first: u64,
    start: u32,
    bytes: u32,
}

const PLACE_BYTES: usize = size_of::<Place>();

impl Batch {
    fn used_bytes(&self) -> usize {
        self.bytes.len() + PLACE_BYTES * self.places.len()
    }

    fn push(&mut self, record: &[u8], bytes_max: usize) -> io::Result<()> {
        reserve(&mut self.bytes, record.len(), bytes_max)?;
        reserve(&mut self.places, 1, bytes_max / PLACE_BYTES)?;
        let (start, bytes) = (self.bytes.len() as u32, record.len() as u32);
        self.places.push(Place { first: first(record), start, bytes });
        self.bytes.extend_from_slice(record);
        Ok(())
    }

    fn record(&self, place: usize) -> &[u8] {
        let Place { start, bytes, .. } = self.places[place];
        &self.bytes[start as usize..][..bytes as usize]
    }

    fn sort(&mut self) {
        let bytes = |place: &Place| &self.bytes[place.start as usize..][..place.bytes as usize];
        self.places
            .sort_unstable_by(|one, other| one.first.cmp(&other.first).then_with(|| bytes(one).cmp(bytes(other))));
    }

    /// Writes the records to a file in order. Returns it and the batch, empty.
    fn into_run(mut self) -> io::Result<(File, Batch)> {
        self.sort();
        let mut run = Run::new()?;
        (0..self.places.len()).try_for_each(|place| write_bytes(self.record(place), &mut run.0))?;
        self.bytes.clear();
        self.places.clear();
        Ok((run.end()?, self))
    }
}

/// Makes room for further elements; in all there are at most `elements_max`.
fn reserve<T>(elements: &mut Vec<T>, more: usize, elements_max: usize) -> io::Result<()> {
    let needed = elements.len() + more;
    if needed > elements.capacity() {
        let wanted = elements.capacity().saturating_mul(2).max(RESERVED_BYTES / size_of::<T>());
        elements.try_reserve_exact(wanted.min(elements_max).max(needed) - elements.len())?;
    }
    Ok(())
}

/// A record of a sorted part.
trait Record: Ord {
    fn empty() -> Self;

    fn write(&self, run: &mut BufWriter<File>) -> io::Result<()>;

    /// Reads the next record; `false` at the end.
    fn read(&mut self, run: &mut BufReader<File>) -> io::Result<bool>;
}

impl<const N: usize> Record for [u8; N] {
    fn empty() -> Self {
        [0; N]
    }

    fn write(&self, run: &mut BufWriter<File>) -> io::Result<()> {
        run.write_all(self)
    }

    fn read(&mut self, run: &mut BufReader<File>) -> io::Result<bool> {
        read_whole(run, self)
    }
}

impl Record for Vec<u8> {
    fn empty() -> Self {
        Vec::new()
    }

    fn write(&self, run: &mut BufWriter<File>) -> io::Result<()> {
        write_bytes(self, run)
    }

    fn read(&mut self, run: &mut BufReader<File>) -> io::Result<bool> {
        let mut length = [0; 2];
        if !read_whole(run, &mut length)? {
            return Ok(false);
        }
        self.resize(u16::from_le_bytes(length).into(), 0);
        run.read_exact(self)?;
        Ok(true)
    }
}

fn write_bytes(record: &[u8], run: &mut BufWriter<File>) -> io::Result<()> {
    run.write_all(&(record.len() as u16).to_le_bytes())?;
    run.write_all(record)
}

/// Fills `bytes`. Returns `false` if the file is at its end.
fn read_whole(run: &mut BufReader<File>, bytes: &mut [u8]) -> io::Result<bool> {
    let rest = loop {
        match run.fill_buf() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            rest => break rest?,
        }
    };
    if rest.is_empty() {
        return Ok(false);
    }
    run.read_exact(bytes)?;
    Ok(true)
}

/// Sorted parts in files.
#[derive(Default)]
struct Runs {
    /// Of each level at most [`RUNS_MAX`]; one run of a level was merged from those of the level below.
    levels: Vec<Vec<File>>,
}

impl Runs {
    fn is_empty(&self) -> bool {
        self.levels.is_empty()
    }

    /// Adds a part. Merges all of a level if they are too many.
    fn push<R: Record>(&mut self, run: File) -> io::Result<()> {
        let mut run = Some(run);
        for level in 0.. {
            if level == self.levels.len() {
                self.levels.push(Vec::new());
            }
            let runs = &mut self.levels[level];
            let full = if runs.len() == RUNS_MAX { Some(std::mem::take(runs)) } else { None };
            runs.extend(run.take());
            let Some(full) = full else { break };
            let mut merged = Run::new()?;
            merge(full, &mut |_: &mut R| false, &mut |record| record.write(&mut merged.0))?;
            run = Some(merged.end()?);
        }
        Ok(())
    }

    fn into_files(self) -> Vec<File> {
        self.levels.into_iter().flatten().collect()
    }
}

/// A sorted part that is being written.
struct Run(BufWriter<File>);

impl Run {
    fn new() -> io::Result<Run> {
        Ok(Run(BufWriter::with_capacity(BUFFER_BYTES, tempfile::tempfile()?)))
    }

    /// Ends the part and returns its file, rewound.
    fn end(self) -> io::Result<File> {
        let mut file = self.0.into_inner().map_err(io::IntoInnerError::into_error)?;
        file.rewind()?;
        Ok(file)
    }
}

/// Calls `each` with the records of the runs and the rest, in order. Each run and the rest are sorted.
fn merge<R: Record>(
    runs: Vec<File>,
    rest: &mut dyn FnMut(&mut R) -> bool,
    each: &mut dyn FnMut(&R) -> io::Result<()>,
) -> io::Result<()> {
    let mut runs: Vec<_> = runs.into_iter().map(|run| BufReader::with_capacity(BUFFER_BYTES, run)).collect();
    let last = runs.len();
    let mut next = |run: usize, record: &mut R| match runs.get_mut(run) {
        Some(run) => record.read(run),
        None => Ok(rest(record)),
    };
    let mut heads = BinaryHeap::new();
    for run in 0..=last {
        let mut record = R::empty();
        if next(run, &mut record)? {
            heads.push(Reverse((record, run)));
        }
    }
    while let Some(mut head) = heads.peek_mut() {
        let Reverse((record, run)) = &mut *head;
        each(record)?;
        if !next(*run, record)? {
            PeekMut::pop(head);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sorted<const N: usize>(count: u32) -> (usize, Vec<[u8; N]>, Vec<[u8; N]>) {
        let record = |i: u32| {
            let mut record = [0; N];
            for (bytes, number) in record.chunks_exact_mut(4).zip([i.wrapping_mul(2_654_435_761) >> 20, i % 7, i]) {
                bytes.copy_from_slice(&number.to_be_bytes());
            }
            record
        };
        let mut expected: Vec<[u8; N]> = (0..count).map(record).collect();
        let mut sort = ExternalSort::new(0);
        expected.iter().for_each(|record| sort.push(*record).unwrap());
        let runs = sort.runs.levels.iter().map(Vec::len).sum();
        expected.sort_unstable();
        let mut found = Vec::new();
        sort.into_each(|record| {
            found.push(record);
            Ok(())
        })
        .unwrap();
        (runs, found, expected)
    }

    #[test]
    fn any_number_of_records_comes_back_in_order() {
        fn test<const N: usize>() {
            for count in [0_u32, 1, 1023, 1024, 1025, 10_000] {
                let (runs, found, expected) = sorted::<N>(count);
                assert_eq!(runs, (count as usize).saturating_sub(1) / RECORDS_MIN);
                assert!(found == expected, "{count} of {N} bytes");
            }
        }
        test::<4>();
        test::<12>();
        test::<{ MOVED_BYTES_MAX + 1 }>();
        test::<97>();
    }

    #[test]
    fn files_stay_few() {
        for runs in [RUNS_MAX, RUNS_MAX + 1, 2 * RUNS_MAX, 3 * RUNS_MAX] {
            let (open, found, expected) = sorted::<12>((runs * RECORDS_MIN + 1) as u32);
            assert!(open <= RUNS_MAX + runs / RUNS_MAX, "{open}");
            assert!(found == expected, "{runs} runs");
        }
    }

    /// Otherwise a limit on the memory of the process would end it, however few records there are.
    #[test]
    fn few_records_reserve_little_memory() {
        let mut sort = ByteSort::new(8 << 30);
        sort.push(b"record").unwrap();
        let Batch { bytes, places } = &sort.batch;
        assert!(bytes.capacity() + PLACE_BYTES * places.capacity() <= 2 * RESERVED_BYTES);
    }

    #[test]
    fn memory_that_the_system_refuses_is_an_error() {
        let refused = reserve(&mut Vec::<Place>::new(), usize::MAX / PLACE_BYTES, usize::MAX).unwrap_err();
        assert_eq!(refused.kind(), io::ErrorKind::OutOfMemory);
    }

    #[test]
    fn records_of_any_length_come_back_in_order() {
        for count in [0_usize, 1, 100, 20_000] {
            let record = |i: usize| {
                let mixed = (i as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
                mixed.to_be_bytes().repeat(11)[..i % 83].to_vec()
            };
            let mut expected: Vec<Vec<u8>> = (0..count).map(record).collect();
            expected.push(vec![7; ByteSort::RECORD_BYTES_MAX]);
            let mut sort = ByteSort::new(0);
            expected.iter().for_each(|record| sort.push(record).unwrap());
            assert_eq!(sort.sorting.is_some(), count == 20_000);
            expected.sort_unstable();
            let mut found = Vec::new();
            sort.into_each(|record| {
                found.push(record.to_vec());
                Ok(())
            })
            .unwrap();
            assert!(found == expected, "{count}");
        }
        assert!(ByteSort::new(0).push(&[0; ByteSort::RECORD_BYTES_MAX + 1]).is_err());
    }
}
