//! Puts any number of pairs into order, within a memory ceiling: what exceeds it waits in temporary files.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek, Write};

/// Sorted by its first number, then by its second ….
pub(crate) type Row = [u32; 3];

const ROW_BYTES: usize = size_of::<Row>();

/// One number that orders rows, which is compared faster than three.
fn key(&[first, second, third]: &Row) -> u128 {
    u128::from(first) << 64 | u128::from(second) << 32 | u128::from(third)
}

/// Collects rows.
pub(crate) struct Sorted {
    rows: Vec<Row>,
    rows_max: usize,
    /// Sorted parts.
    runs: Vec<File>,
}

impl Sorted {
    /// Takes at most so many bytes of memory, or a few kilobytes.
    pub(crate) fn new(memory_bytes: u64) -> Sorted {
        let rows_max = usize::try_from(memory_bytes).unwrap_or(usize::MAX) / ROW_BYTES;
        Sorted { rows: Vec::new(), rows_max: rows_max.max(1024), runs: Vec::new() }
    }

    /// Adds a row.
    ///
    /// # Errors
    /// Where a temporary file cannot be written.
    pub(crate) fn push(&mut self, row: Row) -> io::Result<()> {
        if self.rows.len() == self.rows_max {
            self.rows.sort_unstable_by_key(key);
            let mut run = BufWriter::with_capacity(1 << 16, tempfile::tempfile()?);
            for row in self.rows.drain(..) {
                row.iter().try_for_each(|number| run.write_all(&number.to_le_bytes()))?;
            }
            let mut run = run.into_inner().map_err(io::IntoInnerError::into_error)?;
            run.rewind()?;
            self.runs.push(run);
        }
        if self.rows.len() == self.rows.capacity() {
            // Not beyond the ceiling by doubling.
            let more = self.rows.len().max(1024).min(self.rows_max - self.rows.len());
            self.rows.reserve_exact(more);
        }
        self.rows.push(row);
        Ok(())
    }

    /// Calls `each` with all rows in order.
    ///
    /// # Errors
    /// Where a temporary file cannot be read, and those of `each`.
    pub(crate) fn into_each(mut self, mut each: impl FnMut(Row) -> io::Result<()>) -> io::Result<()> {
        self.rows.sort_unstable_by_key(key);
        if self.runs.is_empty() {
            return self.rows.into_iter().try_for_each(each);
        }
        let mut runs: Vec<_> = self.runs.into_iter().map(|run| BufReader::with_capacity(1 << 14, run)).collect();
        let mut rest = self.rows.into_iter();
        let last = runs.len();
        let mut next = |run: usize| match runs.get_mut(run) {
            Some(run) => read(run),
            None => Ok(rest.next()),
        };
        let mut heads = BinaryHeap::new();
        for run in 0..=last {
            heads.extend(next(run)?.map(|row| Reverse((row, run))));
        }
        while let Some(mut head) = heads.peek_mut() {
            let Reverse((row, run)) = *head;
            each(row)?;
            match next(run)? {
                Some(row) => *head = Reverse((row, run)),
                None => {
                    PeekMut::pop(head);
                }
            }
        }
        Ok(())
    }
}

fn read(run: &mut impl Read) -> io::Result<Option<Row>> {
    let mut row = [0; 3];
    for (place, number) in row.iter_mut().enumerate() {
        let mut bytes = [0; 4];
        match run.read_exact(&mut bytes) {
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof && place == 0 => return Ok(None),
            read => read?,
        }
        *number = u32::from_le_bytes(bytes);
    }
    Ok(Some(row))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_number_of_rows_comes_back_in_order() {
        for count in [0_u32, 1, 1023, 1024, 1025, 10_000] {
            let mut sorted = Sorted::new(0);
            let mut expected: Vec<Row> = (0..count).map(|i| [i.wrapping_mul(2_654_435_761) >> 20, i % 7, i]).collect();
            expected.iter().for_each(|row| sorted.push(*row).unwrap());
            assert_eq!(sorted.runs.len(), (count as usize).saturating_sub(1) / 1024);
            expected.sort_unstable();
            let mut rows = Vec::new();
            sorted
                .into_each(|row| {
                    rows.push(row);
                    Ok(())
                })
                .unwrap();
            assert_eq!(rows, expected);
        }
    }
}
