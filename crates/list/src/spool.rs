//! Records in temporary files without names, of which nothing remains, however the program ends.

use std::fs;
use std::io::{self, BufReader, BufWriter, Read, Seek, Write};

const BUFFER_BYTES: usize = 1 << 16;

/// Records of any length, each of less than 4 GiB, in the order in which they come. They are in a temporary file.
///
/// ```
/// let mut spool = pfh_list::Spool::default();
/// spool.push(b"first")?;
/// spool.push(b"")?;
/// let mut reader = spool.reader()?;
/// assert_eq!(reader.next()?, Some(&b"first"[..]));
/// assert_eq!(reader.next()?, Some(&b""[..]));
/// assert_eq!(reader.next()?, None);
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug, Default)]
pub struct Spool {
    /// Absent while there is no record.
    writer: Option<BufWriter<fs::File>>,
    records: u64,
}

impl Spool {
    /// Returns the number of records.
    pub fn len(&self) -> u64 {
        self.records
    }

    /// Whether there is no record.
    pub fn is_empty(&self) -> bool {
        self.records == 0
    }

    /// Appends a record.
    ///
    /// # Errors
    /// If the record is too long, or the temporary file cannot be created or written.
    pub fn push(&mut self, record: &[u8]) -> io::Result<()> {
        if self.writer.is_none() {
            self.writer = Some(BufWriter::with_capacity(BUFFER_BYTES, tempfile::tempfile()?));
        }
        let Some(writer) = &mut self.writer else { return Ok(()) };
        let length = u32::try_from(record.len()).map_err(|_| io::ErrorKind::FileTooLarge)?;
        self.records += 1;
        writer.write_all(&length.to_be_bytes())?;
        writer.write_all(record)
    }

    /// Ends the writing.
    ///
    /// # Errors
    /// If the temporary file cannot be written.
    pub fn reader(self) -> io::Result<SpoolReader> {
        let Some(writer) = self.writer else { return Ok(SpoolReader::default()) };
        let mut file = writer.into_inner().map_err(io::IntoInnerError::into_error)?;
        file.rewind()?;
        let file = Some(BufReader::with_capacity(BUFFER_BYTES, file));
        Ok(SpoolReader { file, records: self.records, left: self.records, record: Vec::new() })
    }

    /// Calls `each` with the records.
    ///
    /// # Errors
    /// The errors of the temporary file and of `each`.
    pub fn into_each(self, mut each: impl FnMut(&[u8]) -> io::Result<()>) -> io::Result<()> {
        let mut reader = self.reader()?;
        while reader.advance()? {
            each(reader.record())?;
        }
        Ok(())
    }
}

/// A reader of the records of a [`Spool`].
#[derive(Debug, Default)]
pub struct SpoolReader {
    file: Option<BufReader<fs::File>>,
    records: u64,
    /// Number of records that were not read yet.
    left: u64,
    record: Vec<u8>,
}

impl SpoolReader {
    /// Goes to the next record. Returns whether there is one.
    ///
    /// # Errors
    /// If the temporary file cannot be read.
    pub fn advance(&mut self) -> io::Result<bool> {
        let Some(file) = self.file.as_mut().filter(|_| self.left > 0) else { return Ok(false) };
        self.left -= 1;
        let mut length = [0; 4];
        file.read_exact(&mut length)?;
        self.record.resize(u32::from_be_bytes(length) as usize, 0);
        file.read_exact(&mut self.record)?;
        Ok(true)
    }

    /// Returns the record that [`SpoolReader::advance`] went to.
    pub fn record(&self) -> &[u8] {
        &self.record
    }

    /// Goes to the next record, and returns it.
    ///
    /// # Errors
    /// If the temporary file cannot be read.
    #[expect(clippy::should_implement_trait, reason = "it lends its records, and can fail")]
    pub fn next(&mut self) -> io::Result<Option<&[u8]>> {
        Ok(if self.advance()? { Some(self.record()) } else { None })
    }

    /// Begins again with the first record.
    ///
    /// # Errors
    /// If the temporary file cannot be read.
    pub fn rewind(&mut self) -> io::Result<()> {
        self.left = self.records;
        self.file.as_mut().map_or(Ok(()), Seek::rewind)
    }
}
