//! External sorting: orders any number of records of one length within a memory limit, with the rest in temporary
//! files.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek, Write};

/// Most sorted parts. Before there are more, they are merged into one, so that few files are open, however many records
/// come.
const RUNS_MAX: usize = 64;

/// Least number of records that are sorted at a time.
const RECORDS_MIN: usize = 1024;

const BUFFER_BYTES: usize = 1 << 16;

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
    /// The sorted parts.
    runs: Vec<File>,
}

impl<const N: usize> ExternalSort<N> {
    /// Makes a sort that takes at most `memory_bytes` of memory, or the memory of 1024 records, and while merging a
    /// buffer of 64 KiB for each of at most 64 files.
    pub fn new(memory_bytes: u64) -> ExternalSort<N> {
        const { assert!(N > 0, "a record has bytes") };
        let records_max = usize::try_from(memory_bytes).unwrap_or(usize::MAX) / N;
        ExternalSort { records: Vec::new(), records_max: records_max.max(RECORDS_MIN), runs: Vec::new() }
    }

    /// Adds a record.
    ///
    /// # Errors
    /// If a temporary file cannot be created, written or read.
    pub fn push(&mut self, record: [u8; N]) -> io::Result<()> {
        if self.records.len() == self.records_max {
            self.end_run()?;
        }
        if self.records.len() == self.records.capacity() {
            // Grows without exceeding the limit.
            let more = self.records.len().max(RECORDS_MIN).min(self.records_max - self.records.len());
            self.records.reserve_exact(more);
        }
        self.records.push(record);
        Ok(())
    }

    /// Calls `each` with all records in order.
    ///
    /// # Errors
    /// If a temporary file cannot be read, and the errors of `each`.
    pub fn into_each(mut self, each: impl FnMut([u8; N]) -> io::Result<()>) -> io::Result<()> {
        self.records.sort_unstable();
        merge(self.runs, self.records.into_iter(), each)
    }

    /// Sorts the records in memory and writes them to a file.
    fn end_run(&mut self) -> io::Result<()> {
        if self.runs.len() == RUNS_MAX {
            let mut run = Run::new()?;
            merge(std::mem::take(&mut self.runs), std::iter::empty(), |record: [u8; N]| run.push(&record))?;
            self.runs.push(run.end()?);
        }
        self.records.sort_unstable();
        let mut run = Run::new()?;
        self.records.drain(..).try_for_each(|record| run.push(&record))?;
        self.runs.push(run.end()?);
        Ok(())
    }
}

/// A sorted part that is being written.
struct Run(BufWriter<File>);

impl Run {
    fn new() -> io::Result<Run> {
        Ok(Run(BufWriter::with_capacity(BUFFER_BYTES, tempfile::tempfile()?)))
    }

    fn push(&mut self, record: &[u8]) -> io::Result<()> {
        self.0.write_all(record)
    }

    /// Ends the part and returns its file, rewound.
    fn end(self) -> io::Result<File> {
        let mut file = self.0.into_inner().map_err(io::IntoInnerError::into_error)?;
        file.rewind()?;
        Ok(file)
    }
}

/// Calls `each` with the records of the runs and the rest, in order. Each run and the rest are sorted.
fn merge<const N: usize>(
    runs: Vec<File>,
    mut rest: impl Iterator<Item = [u8; N]>,
    mut each: impl FnMut([u8; N]) -> io::Result<()>,
) -> io::Result<()> {
    if runs.is_empty() {
        return rest.try_for_each(each);
    }
    let mut runs: Vec<_> = runs.into_iter().map(|run| BufReader::with_capacity(BUFFER_BYTES, run)).collect();
    let last = runs.len();
    let mut next = |run: usize| match runs.get_mut(run) {
        Some(run) => read(run),
        None => Ok(rest.next()),
    };
    let mut heads = BinaryHeap::new();
    for run in 0..=last {
        heads.extend(next(run)?.map(|record| Reverse((record, run))));
    }
    while let Some(mut head) = heads.peek_mut() {
        let Reverse((record, run)) = *head;
        each(record)?;
        match next(run)? {
            Some(record) => *head = Reverse((record, run)),
            None => {
                PeekMut::pop(head);
            }
        }
    }
    Ok(())
}

/// Reads the next record of a file. Returns `None` at its end.
fn read<const N: usize>(run: &mut BufReader<File>) -> io::Result<Option<[u8; N]>> {
    let mut record = [0; N];
    let mut filled = 0;
    while filled < N {
        match run.read(&mut record[filled..]) {
            Ok(0) if filled == 0 => return Ok(None),
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(bytes) => filled += bytes,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(Some(record))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sorted(count: u32) -> (usize, Vec<[u8; 12]>, Vec<[u8; 12]>) {
        let record = |i: u32| {
            let mut record = [0; 12];
            for (bytes, number) in record.chunks_exact_mut(4).zip([i.wrapping_mul(2_654_435_761) >> 20, i % 7, i]) {
                bytes.copy_from_slice(&number.to_be_bytes());
            }
            record
        };
        let mut expected: Vec<[u8; 12]> = (0..count).map(record).collect();
        let mut sort = ExternalSort::new(0);
        expected.iter().for_each(|record| sort.push(*record).unwrap());
        let runs = sort.runs.len();
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
        for count in [0_u32, 1, 1023, 1024, 1025, 10_000] {
            let (runs, found, expected) = sorted(count);
            assert_eq!(runs, (count as usize).saturating_sub(1) / RECORDS_MIN);
            assert_eq!(found, expected, "{count}");
        }
    }

    #[test]
    fn files_stay_few() {
        for runs in [RUNS_MAX, RUNS_MAX + 1, 2 * RUNS_MAX, 3 * RUNS_MAX] {
            let (open, found, expected) = sorted((runs * RECORDS_MIN + 1) as u32);
            assert!(open <= RUNS_MAX, "{open}");
            assert!(found == expected, "{runs} runs");
        }
    }
}
