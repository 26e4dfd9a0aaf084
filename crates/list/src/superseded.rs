//! Journals that later runs continued: the lines that do not count, since later ones are about the same paths.

use std::fs::File;
use std::io::{self, Read};

use crate::resume::Fingerprints;
use crate::sort::ExternalSort;
use crate::spool::{Spool, SpoolReader};

/// Memory for each of the two sorts, which are there at the same time; the rest is in temporary files.
const SORT_BYTES: u64 = 32 << 20;

const BUFFER_BYTES: usize = 1 << 18;

/// Bytes of a fingerprint of a path, and of that with the number of a line.
const PATH_BYTES: usize = 16;
const RECORD_BYTES: usize = PATH_BYTES + size_of::<u64>();

/// The lines of a journal, sorted by the paths that they are about.
pub(crate) struct LinesByPath {
    fingerprints: Fingerprints,
    records: ExternalSort<RECORD_BYTES>,
}

impl LinesByPath {
    pub(crate) fn new() -> LinesByPath {
        LinesByPath { fingerprints: Fingerprints::new(), records: ExternalSort::new(SORT_BYTES) }
    }

    /// Adds a line, counted from 1. The pieces of a file have the line of the whole.
    pub(crate) fn push(&mut self, path: &[u8], line: u64) -> io::Result<()> {
        let [first, second] = self.fingerprints.path_wide(path);
        let mut record = [0; RECORD_BYTES];
        for (part, number) in record.chunks_exact_mut(8).zip([first, second, line]) {
            part.copy_from_slice(&number.to_be_bytes());
        }
        self.records.push(record)
    }

    /// Returns the lines after which others about the same paths come.
    pub(crate) fn superseded(self) -> io::Result<Superseded> {
        let mut earlier: ExternalSort<8> = ExternalSort::new(SORT_BYTES);
        let (mut last, mut count) = ([0; RECORD_BYTES], 0);
        self.records.into_each(|record| {
            let before = std::mem::replace(&mut last, record);
            if before[..PATH_BYTES] == record[..PATH_BYTES] && before != record && line_of(&before) > 0 {
                count += 1;
                earlier.push(line_of(&before).to_be_bytes())?;
            }
            Ok(())
        })?;
        let mut spool = Spool::default();
        earlier.into_each(|line| spool.push(&line))?;
        let mut superseded = Superseded { lines: spool.reader()?, next: None, count };
        superseded.advance()?;
        Ok(superseded)
    }
}

/// The numbers of the lines that do not count, in order.
#[derive(Default)]
pub(crate) struct Superseded {
    lines: SpoolReader,
    next: Option<u64>,
    count: u64,
}

impl Superseded {
    fn advance(&mut self) -> io::Result<()> {
        let line = self.lines.next()?.and_then(|line| line.first_chunk::<8>().copied());
        self.next = line.map(u64::from_be_bytes);
        Ok(())
    }

    /// Whether a line does not count. Lines are asked about in their order, each any number of times.
    pub(crate) fn has(&mut self, line: u64) -> io::Result<bool> {
        while self.next.is_some_and(|next| next < line) {
            self.advance()?;
        }
        Ok(self.next == Some(line))
    }

    /// Returns the number of lines that do not count.
    pub(crate) fn count(&self) -> u64 {
        self.count
    }
}

/// Returns the number of the line in a record.
fn line_of(record: &[u8; RECORD_BYTES]) -> u64 {
    record.last_chunk::<8>().map_or(0, |line| u64::from_be_bytes(*line))
}

/// Returns the number of line feeds in a file.
pub(crate) fn line_feeds(mut file: File) -> io::Result<u64> {
    let mut buffer = vec![0; BUFFER_BYTES];
    let mut count = 0;
    loop {
        match file.read(&mut buffer) {
            Ok(0) => return Ok(count),
            Ok(read) => count += buffer[..read].iter().filter(|&&byte| byte == b'\n').count() as u64,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}
