//! Bytes that are written once and have several readers, in memory if they are few, and otherwise in temporary files:
//! records of one length, and passes over sorted groups of them.

use pfh_list::ExternalSort;
use std::io::{self, BufWriter, Cursor, Write};
use std::iter::Peekable;
use std::os::unix::fs::FileExt;
use std::sync::Arc;
use tempfile::{SpooledData, SpooledTempFile};

const BUFFER_BYTES: usize = 1 << 16;

/// Bytes of a file that a [`Window`] reads at least.
const WINDOW_BYTES: usize = 4 << 10;

/// A writer of bytes, in memory up to a limit.
pub(crate) struct ByteWriter(BufWriter<SpooledTempFile>);

impl ByteWriter {
    pub(crate) fn new(memory_bytes: u64) -> ByteWriter {
        let spooled = SpooledTempFile::new(usize::try_from(memory_bytes).unwrap_or(usize::MAX));
        ByteWriter(BufWriter::with_capacity(BUFFER_BYTES, spooled))
    }

    pub(crate) fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.0.write_all(bytes)
    }

    pub(crate) fn finish(self) -> io::Result<Stored> {
        let spooled = self.0.into_inner().map_err(io::IntoInnerError::into_error)?;
        Ok(Stored(Arc::new(spooled.into_inner())))
    }
}

/// Bytes that several readers share.
#[derive(Clone)]
pub(crate) struct Stored(Arc<SpooledData>);

impl Stored {
    fn of(bytes: Vec<u8>) -> Stored {
        Stored(Arc::new(SpooledData::InMemory(Cursor::new(bytes))))
    }

    /// Returns a reader of parts.
    pub(crate) fn window(&self) -> Window {
        Window { stored: self.clone(), bytes: Vec::new(), start: 0 }
    }
}

/// Reads parts of stored bytes. Of a file it keeps the bytes around the last part, because the next one is often near.
pub(crate) struct Window {
    stored: Stored,
    bytes: Vec<u8>,
    start: u64,
}

impl Window {
    /// Returns `length` bytes at `offset`, fewer at the end.
    pub(crate) fn get(&mut self, offset: u64, length: usize) -> io::Result<&[u8]> {
        let file = match &*self.stored.0 {
            SpooledData::InMemory(bytes) => return Ok(part(bytes.get_ref(), offset, length)),
            SpooledData::OnDisk(file) => file,
        };
        let end = self.start + self.bytes.len() as u64;
        if offset < self.start || offset + length as u64 > end {
            // Parts that are read in order are read many at a time.
            let goes_on = (self.start..=end + BUFFER_BYTES as u64).contains(&offset);
            let least = if goes_on { BUFFER_BYTES } else { WINDOW_BYTES };
            self.start = offset;
            self.bytes.resize(length.max(least), 0);
            let mut filled = 0;
            while filled < self.bytes.len() {
                match file.read_at(&mut self.bytes[filled..], offset + filled as u64) {
                    Ok(0) => break,
                    Ok(bytes) => filled += bytes,
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                    Err(error) => {
                        self.bytes.clear();
                        return Err(error);
                    }
                }
            }
            self.bytes.truncate(filled);
        }
        Ok(part(&self.bytes, offset - self.start, length))
    }
}

/// Returns `length` bytes at `offset`, fewer at the end.
fn part(bytes: &[u8], offset: u64, length: usize) -> &[u8] {
    let rest = usize::try_from(offset).ok().and_then(|offset| bytes.get(offset..)).unwrap_or_default();
    &rest[..length.min(rest.len())]
}

/// Records of `N` bytes.
pub(crate) struct RecordFile<const N: usize> {
    stored: Stored,
    records: u64,
}

impl<const N: usize> RecordFile<N> {
    /// Takes sorted records. Those that the sort has in memory stay there if they take at most half of `memory_bytes`.
    pub(crate) fn of(sort: ExternalSort<N>, memory_bytes: u64) -> io::Result<RecordFile<N>> {
        let (mut writer, mut count) = (ByteWriter::new(0), 0);
        match sort.into_memory()? {
            Ok(records) => {
                count = records.len() as u64;
                let bytes = records.into_flattened();
                if bytes.len() as u64 <= memory_bytes / 2 {
                    return Ok(RecordFile { stored: Stored::of(bytes), records: count });
                }
                writer.write(&bytes)?;
            }
            Err(sort) => sort.into_each(|record| {
                count += 1;
                writer.write(&record)
            })?,
        }
        RecordFile::written(writer, count)
    }

    /// Ends the writing of `records` records.
    pub(crate) fn written(writer: ByteWriter, records: u64) -> io::Result<RecordFile<N>> {
        Ok(RecordFile { stored: writer.finish()?, records })
    }

    /// Number of records.
    pub(crate) fn len(&self) -> u64 {
        self.records
    }

    /// Whether there is no record.
    pub(crate) fn is_empty(&self) -> bool {
        self.records == 0
    }

    /// Returns a reader of single records.
    pub(crate) fn reader(&self) -> RecordReader<N> {
        RecordReader(self.stored.window())
    }

    /// Reads the records from this number on.
    pub(crate) fn scan(&self, number: u64) -> Scan<N> {
        Scan { reader: self.reader(), numbers: number..self.records }
    }
}

/// A reader of single records of a [`RecordFile`].
pub(crate) struct RecordReader<const N: usize>(Window);

impl<const N: usize> RecordReader<N> {
    /// Returns the record with this number.
    ///
    /// # Errors
    /// If the temporary file cannot be read, or has no such record.
    pub(crate) fn get(&mut self, number: u64) -> io::Result<[u8; N]> {
        let record = self.0.get(number * N as u64, N)?;
        record.first_chunk().copied().ok_or_else(|| io::ErrorKind::UnexpectedEof.into())
    }
}

/// The records of a [`RecordFile`], in order.
pub(crate) struct Scan<const N: usize> {
    reader: RecordReader<N>,
    numbers: std::ops::Range<u64>,
}

impl<const N: usize> Iterator for Scan<N> {
    type Item = io::Result<[u8; N]>;

    fn next(&mut self) -> Option<io::Result<[u8; N]>> {
        self.numbers.next().map(|number| self.reader.get(number))
    }
}

/// The records of a [`RecordFile`], which begin with numbers and are in their order, taken as these numbers go by.
pub(crate) struct Following<const N: usize>(Peekable<Scan<N>>);

impl<const N: usize> Following<N> {
    pub(crate) fn new(file: &RecordFile<N>) -> Following<N> {
        Following(file.scan(0).peekable())
    }

    /// Takes the next record if its number is at most this one.
    pub(crate) fn up_to(&mut self, most: u64) -> Option<io::Result<[u8; N]>> {
        self.0.next_if(|next| next.as_ref().map_or(true, |next| number(next, 0) <= most))
    }

    /// Returns the record with this number. Numbers are asked for in order.
    pub(crate) fn of(&mut self, wanted: u64) -> io::Result<Option<[u8; N]>> {
        while let Some(next) = self.up_to(wanted) {
            let next = next?;
            if number(&next, 0) == wanted {
                return Ok(Some(next));
            }
        }
        Ok(None)
    }
}

/// A group of records that begin with the same bytes: how many there are, and the number of the first.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Range {
    pub(crate) first: u64,
    pub(crate) count: u64,
}

/// Sorts records, and passes twice over each group of those whose first `key_bytes` bytes are equal: `see` sums up the
/// group, `begin` decides by the sum whether `take` gets its records. The result lies in memory if the sort did.
pub(crate) fn each_group<const N: usize, S: Default>(
    sort: ExternalSort<N>,
    key_bytes: usize,
    mut see: impl FnMut(&mut S, &[u8; N]),
    mut begin: impl FnMut(&mut S, Range) -> io::Result<bool>,
    mut take: impl FnMut(&mut S, &[u8; N]) -> io::Result<()>,
) -> io::Result<RecordFile<N>> {
    let file = RecordFile::of(sort, u64::MAX)?;
    let (mut ahead, mut behind) = (file.scan(0).peekable(), file.scan(0));
    let mut first = 0;
    while let Some(record) = ahead.next() {
        let record = record?;
        let (mut sum, mut count) = (S::default(), 1);
        see(&mut sum, &record);
        let is_same = |next: &io::Result<[u8; N]>| match next {
            Ok(next) => next[..key_bytes] == record[..key_bytes],
            Err(_) => true,
        };
        while let Some(next) = ahead.next_if(is_same) {
            see(&mut sum, &next?);
            count += 1;
        }
        let is_wanted = begin(&mut sum, Range { first, count })?;
        for record in behind.by_ref().take(count as usize) {
            let record = record?;
            if is_wanted {
                take(&mut sum, &record)?;
            }
        }
        first += count;
    }
    Ok(file)
}

/// Puts numbers into a record, most significant byte first, so that records sort by them.
pub(crate) fn record<const N: usize>(parts: &[&[u8]]) -> [u8; N] {
    let mut record = [0; N];
    let mut start = 0;
    for part in parts {
        record[start..start + part.len()].copy_from_slice(part);
        start += part.len();
    }
    debug_assert_eq!(start, N);
    record
}

/// Returns the number at `offset` of a record.
pub(crate) fn number(record: &[u8], offset: usize) -> u64 {
    record[offset..].first_chunk().map_or(0, |bytes| u64::from_be_bytes(*bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_shows_any_part() {
        let bytes: Vec<u8> = (0..3 * BUFFER_BYTES as u32).map(|byte| (byte % 251) as u8).collect();
        for memory_bytes in [0, 1 << 20] {
            let mut writer = ByteWriter::new(memory_bytes);
            writer.write(&bytes).unwrap();
            let stored = writer.finish().unwrap();
            assert_eq!(matches!(&*stored.0, SpooledData::InMemory(_)), memory_bytes > 0);
            let mut window = stored.window();
            let (last, buffer) = (bytes.len() - 1, BUFFER_BYTES);
            for offset in [0, 1, 4095, 4090, buffer, buffer - 1, 5, last, last - 9, 2 * buffer + 7, 0] {
                for length in [1, 10, 5000, buffer + 1] {
                    let end = bytes.len().min(offset + length);
                    assert!(window.get(offset as u64, length).unwrap() == &bytes[offset..end], "{length} at {offset}");
                }
            }
            assert!(window.get(1 << 40, 1).unwrap().is_empty());
        }
    }

    #[test]
    fn groups_are_passed_over_twice() {
        let mut sort = ExternalSort::<3>::new(0);
        for record in [*b"b12", *b"a34", *b"b11", *b"c99", *b"a00", *b"b55"] {
            sort.push(record).unwrap();
        }
        let (mut ranges, mut taken) = (Vec::new(), Vec::new());
        let file = each_group(
            sort,
            1,
            |count: &mut u64, _| *count += 1,
            |count, range| {
                ranges.push((range.first, range.count));
                Ok(*count > 1)
            },
            |_, record| {
                taken.push(*record);
                Ok(())
            },
        )
        .unwrap();
        assert_eq!(ranges, [(0, 2), (2, 3), (5, 1)]);
        assert_eq!(taken, [*b"a00", *b"a34", *b"b11", *b"b12", *b"b55"]);
        let mut reader = file.reader();
        assert_eq!(reader.get(5).unwrap(), *b"c99");
        assert_eq!(reader.get(6).unwrap_err().kind(), io::ErrorKind::UnexpectedEof);
        assert_eq!(reader.get(1).unwrap(), *b"a34");
        assert_eq!(file.scan(4).map(Result::unwrap).collect::<Vec<_>>(), [*b"b55", *b"c99"]);
    }
}
