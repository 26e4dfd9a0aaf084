//! Results of shards: whether one is there and whole, and all of them joined.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::ops::ControlFlow;

use pfh_record::quote::quoted;
use pfh_record::{
    Entry, FormatName, Header, ListEnd, OBJECT_BYTES_MAX, Piece, ReadError, ReadOptions, Reader, Record, Summary,
};

use crate::{Plan, PlanError};

const BUFFER_BYTES: usize = 1 << 18;

/// Most bytes of a header: it has the command line, which the system bounds.
const HEADER_BYTES_MAX: u64 = 16 << 20;

/// Bytes at the end in which the last line lies.
const END_BYTES: u64 = 4096;

/// Whether the result of a shard is there.
#[derive(Clone, Debug, PartialEq)]
pub enum ResultState {
    /// It is not there.
    Missing,
    /// It is there, its header is one of the plan, and it has its end. Its records were not examined.
    Whole(Box<Header>, Summary),
    /// It is there and no result of this shard, for this reason.
    Damaged(String),
}

/// All results, joined.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Joined {
    /// The sums of the counts, bytes and times of all shards.
    pub summary: Summary,
}

impl Plan {
    /// Returns whether the result of a shard is there, from its first and its last line.
    ///
    /// # Errors
    /// [`PlanError::Io`].
    pub fn state(&self, shard: u32) -> Result<ResultState, PlanError> {
        let path = self.result_path(shard);
        let file = match File::open(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(ResultState::Missing),
            file => file.map_err(PlanError::io(&path))?,
        };
        let ends = ends(file).map_err(PlanError::io(&path))?;
        let mut reader = Reader::new(FormatName::Jsonl, &ends[..], ReadOptions::default());
        let header = reader.header().clone();
        if let Some(Err(error)) = reader.by_ref().find(Result::is_err) {
            return Ok(ResultState::Damaged(error.to_string()));
        }
        if let Some(reason) = self.differs(&header) {
            return Ok(ResultState::Damaged(reason));
        }
        let entries = self.shards().get(shard as usize).map_or(0, |shard| shard.entries);
        Ok(match reader.trailer() {
            Some(trailer) if trailer.end == ListEnd::Complete => match trailer.summary {
                Some(summary) if summary.files() == entries => ResultState::Whole(Box::new(header), summary),
                _ => ResultState::Damaged("it has another number of records than the list".to_owned()),
            },
            _ => ResultState::Damaged("it has no end".to_owned()),
        })
    }

    /// Returns what a header has that results of this plan do not.
    fn differs(&self, header: &Header) -> Option<String> {
        let options = self.options();
        let facts = header.facts.map(|counting| counting.word().to_owned());
        let reason = match () {
            () if header.selection.as_ref() != Some(&options.selection) => "it has other algorithms than the plan",
            () if header.directory.as_ref() != Some(&options.directory) => "it is of another directory than the plan",
            () if header.piece_bytes != options.piece_bytes => "its pieces have another length than those of the plan",
            () if facts != options.facts => "it has other facts about contents than the plan",
            () => return None,
        };
        Some(reason.to_owned())
    }

    /// Calls `visit` with the records of all results, in the order of the walk. Memory: one record.
    ///
    /// # Errors
    /// [`PlanError::List`] and [`PlanError::Result`] if a list or a result is not of this plan: each record must be
    /// the one of the list's entry. Records before that were visited.
    pub fn join(&self, visit: &mut dyn FnMut(Record) -> ControlFlow<()>) -> Result<Joined, PlanError> {
        let mut joined = Joined::default();
        for shard in 0..self.shards().len() as u32 {
            let mut list = self.list(shard)?;
            let path = self.result_path(shard);
            let damaged = |reason: String| PlanError::Result { path: path.clone(), shard, reason };
            let file = File::open(&path).map_err(PlanError::io(&path))?;
            let mut records = Records::of(BufReader::with_capacity(BUFFER_BYTES, file));
            if let Some(reason) = self.differs(records.reader.header()) {
                return Err(damaged(reason));
            }
            while let Some(expected) = list.next()? {
                let record = match records.next() {
                    Some(record) => record.map_err(|error| damaged(error.to_string()))?,
                    None => return Err(damaged(format!("it ends before {}", quoted(expected.path())))),
                };
                if record.path != expected.path() {
                    return Err(damaged(format!(
                        "it has {} where the list has {}",
                        quoted(&record.path),
                        quoted(expected.path())
                    )));
                }
                if visit(record).is_break() {
                    return Ok(joined);
                }
            }
            match records.next() {
                None => {}
                Some(Err(error)) => return Err(damaged(error.to_string())),
                Some(Ok(record)) => {
                    return Err(damaged(format!("it has {}, which is not in the list", quoted(&record.path))));
                }
            }
            match records
                .reader
                .trailer()
                .and_then(|trailer| trailer.summary.filter(|_| trailer.end == ListEnd::Complete))
            {
                Some(summary) => {
                    joined.summary.add(&summary);
                    joined.summary.elapsed += summary.elapsed;
                }
                None => return Err(damaged("it has no end".to_owned())),
            }
        }
        Ok(joined)
    }
}

/// Returns the first line of a file and its last one.
fn ends(file: File) -> io::Result<Vec<u8>> {
    let mut reader = BufReader::new(file);
    let mut lines = Vec::new();
    reader.by_ref().take(HEADER_BYTES_MAX).read_until(b'\n', &mut lines)?;
    let header_bytes = lines.len() as u64;
    let length = reader.seek(SeekFrom::End(0))?;
    reader.seek(SeekFrom::Start(length.saturating_sub(END_BYTES).max(header_bytes)))?;
    let mut end = Vec::new();
    reader.take(END_BYTES).read_to_end(&mut end)?;
    let text = end.strip_suffix(b"\n").unwrap_or(&end);
    let start = text.iter().rposition(|&byte| byte == b'\n').map_or(0, |before| before + 1);
    lines.extend_from_slice(&end[start..]);
    Ok(lines)
}

/// The records of a result: entries of pieces follow that of their file.
struct Records<R> {
    reader: Reader<R>,
    next: Option<Entry>,
}

impl<R: BufRead> Records<R> {
    fn of(input: R) -> Records<R> {
        let options = ReadOptions { line_bytes_max: Some(OBJECT_BYTES_MAX), ..ReadOptions::default() };
        Records { reader: Reader::new(FormatName::Jsonl, input, options), next: None }
    }
}

impl<R: BufRead> Iterator for Records<R> {
    type Item = Result<Record, ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        let entry = match self.next.take() {
            Some(entry) => entry,
            None => match self.reader.next()? {
                Ok(entry) => entry,
                Err(error) => return Some(Err(error)),
            },
        };
        let mut record = entry.into_record();
        loop {
            match self.reader.next() {
                Some(Ok(mut entry)) => match entry.piece.take() {
                    Some(piece) => record.pieces.push(Piece::new(piece.offset, piece.length, entry.digests)),
                    None => {
                        self.next = Some(entry);
                        break;
                    }
                },
                Some(Err(error)) => return Some(Err(error)),
                None => break,
            }
        }
        Some(Ok(record))
    }
}
