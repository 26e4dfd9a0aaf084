//! Records in temporary files without names, of which nothing remains, however the program ends.

use crate::file::damaged;
use std::fs;
use std::io::{self, BufReader, BufWriter, Read, Seek, Write};

const BUFFER_BYTES: usize = 1 << 16;

/// Records, in the order in which they come.
#[derive(Default)]
pub(crate) struct Spool {
    /// Absent while there is no record.
    writer: Option<BufWriter<fs::File>>,
    records: u64,
}

impl Spool {
    /// Returns the number of records.
    pub(crate) fn len(&self) -> u64 {
        self.records
    }

    pub(crate) fn push(&mut self, record: &[u8]) -> io::Result<()> {
        if self.writer.is_none() {
            self.writer = Some(BufWriter::with_capacity(BUFFER_BYTES, tempfile::tempfile()?));
        }
        let Some(writer) = &mut self.writer else { return Ok(()) };
        self.records += 1;
        writer.write_all(&(record.len() as u32).to_be_bytes())?;
        writer.write_all(record)
    }

    /// Ends the writing.
    pub(crate) fn reader(self) -> io::Result<SpoolReader> {
        let Some(writer) = self.writer else { return Ok(SpoolReader::default()) };
        let mut file = writer.into_inner().map_err(io::IntoInnerError::into_error)?;
        file.rewind()?;
        Ok(SpoolReader { file: Some(BufReader::with_capacity(BUFFER_BYTES, file)), record: Vec::new() })
    }

    /// Calls `each` with the records.
    pub(crate) fn into_each(self, mut each: impl FnMut(&[u8]) -> io::Result<()>) -> io::Result<()> {
        let mut reader = self.reader()?;
        while let Some(record) = reader.next()? {
            each(record)?;
        }
        Ok(())
    }
}

/// A reader of records.
#[derive(Default)]
pub(crate) struct SpoolReader {
    file: Option<BufReader<fs::File>>,
    record: Vec<u8>,
}

impl SpoolReader {
    /// Returns the next record.
    pub(crate) fn next(&mut self) -> io::Result<Option<&[u8]>> {
        let Some(file) = &mut self.file else { return Ok(None) };
        let mut length = [0; 4];
        match file.read_exact(&mut length) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
            Err(error) => return Err(error),
        }
        self.record.resize(u32::from_be_bytes(length) as usize, 0);
        file.read_exact(&mut self.record).map_err(|_| damaged())?;
        Ok(Some(&self.record))
    }

    /// Begins again with the first record.
    pub(crate) fn rewind(&mut self) -> io::Result<()> {
        self.file.as_mut().map_or(Ok(()), Seek::rewind)
    }
}
