//! Results of shards: whether one is there and whole, and all of them joined.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::ops::{ControlFlow, Range};
use std::path::PathBuf;

use pfh_list::open_regular;
use pfh_record::quote::quoted;
use pfh_record::{
    Entry, FormatName, Header, ListEnd, OBJECT_BYTES_MAX, Part, Piece, ReadError, ReadOptions, Reader, Record, Summary,
};

use crate::list::{ListEntry, ShardList};
use crate::split::SplitFile;
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
    /// The counts of the records, and the sums of the bytes and times of all shards.
    pub summary: Summary,
}

impl Plan {
    /// Returns whether the result of a shard is there, from its first and its last line.
    ///
    /// # Errors
    /// [`PlanError::Io`].
    pub fn state(&self, shard: u32) -> Result<ResultState, PlanError> {
        let path = self.result_path(shard);
        let file = match open_regular(&path) {
            // No result could get this name.
            Err(error) if error.kind() == io::ErrorKind::NotFound && path.is_symlink() => {
                return Ok(ResultState::Damaged("it is a symbolic link that leads to nothing".to_owned()));
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(ResultState::Missing),
            Err(error) if error.kind() == io::ErrorKind::InvalidInput => {
                return Ok(ResultState::Damaged(error.to_string()));
            }
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

    /// Calls `visit` with the records of all results, in the order of the walk. A file that was split has one record,
    /// like every other one. Memory: one record.
    ///
    /// # Errors
    /// [`PlanError::List`] and [`PlanError::Result`] if a list or a result is not of this plan: each record must be
    /// the one of the list's entry. Records before that were visited.
    pub fn join(&self, visit: &mut dyn FnMut(Record) -> ControlFlow<()>) -> Result<Joined, PlanError> {
        let mut joined = Joined::default();
        let mut split = None;
        // The bytes of all shards: files with several links may have been read once.
        let mut read = Summary::default();
        for shard in 0..self.shards().len() as u32 {
            let mut result = ShardResult::open(self, shard)?;
            while let Some(record) = result.next_record(&mut split)? {
                joined.summary.count(&record);
                if visit(record).is_break() {
                    return Ok(joined);
                }
            }
            read.add(&result.end()?);
        }
        (joined.summary.bytes, joined.summary.elapsed) = (read.bytes, read.elapsed);
        match split {
            None => Ok(joined),
            Some(split) => Err(self.unfinished(self.shards().len() as u32 - 1, &split)),
        }
    }

    /// Returns the shards in which the files lie that begin in this one: itself, and those in which the last of them
    /// goes on.
    ///
    /// # Errors
    /// As [`Plan::list`], and [`PlanError::List`].
    pub fn shards_of(&self, shard: u32) -> Result<Range<u32>, PlanError> {
        if self.options().split_bytes.is_none() {
            return Ok(shard..shard + 1);
        }
        let mut unfinished = None;
        for number in shard..self.shards().len() as u32 {
            let mut list = self.list(number)?;
            while let Some(entry) = list.next()? {
                let ListEntry::Part { path, size, offset, length, .. } = entry else { continue };
                if number == shard && offset == 0 {
                    unfinished = Some(path);
                } else if unfinished.as_ref() == Some(&path) && offset.saturating_add(length) >= size {
                    unfinished = None;
                }
            }
            if unfinished.is_none() {
                return Ok(shard..number + 1);
            }
        }
        Ok(shard..self.shards().len() as u32)
    }

    /// Calls `visit` with the records of the files that begin in a shard. A file whose first part is its last entry is
    /// joined with its parts in the shards that follow.
    ///
    /// # Errors
    /// As [`Plan::join`], of this shard and those that it goes on in.
    pub fn records_of(
        &self,
        shard: u32,
        visit: &mut dyn FnMut(Record) -> ControlFlow<()>,
    ) -> Result<Joined, PlanError> {
        let (mut joined, mut split) = (Joined::default(), None);
        for number in shard..self.shards().len() as u32 {
            let mut result = ShardResult::open(self, number)?;
            if number == shard {
                result.skip_continued()?;
            }
            while number == shard || split.is_some() {
                let Some(record) = result.next_record(&mut split)? else { break };
                joined.summary.count(&record);
                if visit(record).is_break() {
                    return Ok(joined);
                }
            }
            if number == shard {
                result.end()?;
            }
            if split.is_none() {
                return Ok(joined);
            }
        }
        match split {
            None => Ok(joined),
            Some(split) => Err(self.unfinished(self.shards().len() as u32 - 1, &split)),
        }
    }

    fn unfinished(&self, shard: u32, split: &SplitFile) -> PlanError {
        let reason = format!("it ends before the last part of {}", quoted(split.path()));
        PlanError::List { path: self.list_path(shard), reason }
    }
}

/// The list of a shard and its result, side by side.
struct ShardResult<'p> {
    plan: &'p Plan,
    shard: u32,
    path: PathBuf,
    list: ShardList,
    records: Records<BufReader<File>>,
    /// An entry that was examined and not used.
    next: Option<ListEntry>,
}

impl<'p> ShardResult<'p> {
    fn open(plan: &'p Plan, shard: u32) -> Result<ShardResult<'p>, PlanError> {
        let list = plan.list(shard)?;
        let path = plan.result_path(shard);
        let file = open_regular(&path).map_err(PlanError::io(&path))?;
        let records = Records::of(BufReader::with_capacity(BUFFER_BYTES, file));
        let mut result = ShardResult { plan, shard, path, list, records, next: None };
        match plan.differs(result.records.reader.header()) {
            Some(reason) => Err(result.damaged(reason)),
            None => Ok(result),
        }
    }

    fn damaged(&self, reason: impl ToString) -> PlanError {
        PlanError::Result { path: self.path.clone(), shard: self.shard, reason: reason.to_string() }
    }

    fn bad_list(&self, reason: String) -> PlanError {
        PlanError::List { path: self.plan.list_path(self.shard), reason }
    }

    /// Skips the parts at the beginning whose file begins in a shard before.
    fn skip_continued(&mut self) -> Result<(), PlanError> {
        while let Some(entry) = self.list.next()? {
            if !matches!(entry, ListEntry::Part { offset: 1.., .. }) {
                self.next = Some(entry);
                break;
            }
            self.record_of(&entry)?;
        }
        Ok(())
    }

    /// Returns the record of an entry of the list, and the part if it is one.
    fn record_of(&mut self, expected: &ListEntry) -> Result<(Record, Option<Box<Part>>), PlanError> {
        let (record, part) = match self.records.next() {
            Some(Ok(record)) => record,
            Some(Err(error)) => return Err(self.damaged(error)),
            None => return Err(self.damaged(format_args!("it ends before {}", quoted(expected.path())))),
        };
        if record.path != expected.path() {
            return Err(self.damaged(format_args!(
                "it has {} where the list has {}",
                quoted(&record.path),
                quoted(expected.path())
            )));
        }
        let wanted = match expected {
            ListEntry::Part { offset, length, .. } => Some((*offset, *length)),
            ListEntry::File { .. } | ListEntry::Other(_) => None,
        };
        if wanted != part.as_ref().map(|part| (part.offset, part.length)) {
            let what = quoted(expected.path());
            return Err(self.damaged(format_args!("of {what}, it has another part than the list")));
        }
        Ok((record, part))
    }

    /// Returns the next record, or `None` at the end of the list. `split` is the file whose parts are not all there.
    fn next_record(&mut self, split: &mut Option<SplitFile>) -> Result<Option<Record>, PlanError> {
        loop {
            let next = match self.next.take() {
                Some(entry) => Some(entry),
                None => self.list.next()?,
            };
            let Some(entry) = next else { return Ok(None) };
            let mut file = split.take();
            match (&entry, &file) {
                (ListEntry::Part { path, size, offset: 0, .. }, None) => {
                    file = SplitFile::new(path.clone(), *size, &self.plan.options().selection);
                    if file.is_none() {
                        return Err(self.bad_list(format!("parts of {} cannot be joined", quoted(path))));
                    }
                }
                (ListEntry::Part { path, size, offset, .. }, Some(file))
                    if file.is_continued_by(path, *size, *offset) => {}
                (ListEntry::Part { path, .. }, _) => {
                    return Err(self.bad_list(format!("it has a part of {} in a wrong place", quoted(path))));
                }
                (_, Some(file)) => {
                    return Err(self.bad_list(format!("a part of {} is missing", quoted(file.path()))));
                }
                (_, None) => {}
            }
            let (record, part) = self.record_of(&entry)?;
            let (Some(mut file), Some(part)) = (file, part) else { return Ok(Some(record)) };
            file.push(record, &part).map_err(|reason| self.damaged(reason))?;
            if file.is_whole() {
                return Ok(Some(file.finish()));
            }
            *split = Some(file);
        }
    }

    /// Checks that nothing follows but the summary, and returns that.
    fn end(&mut self) -> Result<Summary, PlanError> {
        match self.records.next() {
            None => {}
            Some(Err(error)) => return Err(self.damaged(error)),
            Some(Ok((record, _))) => {
                return Err(self.damaged(format_args!("it has {}, which is not in the list", quoted(&record.path))));
            }
        }
        let trailer = self.records.reader.trailer();
        let summary = trailer.and_then(|trailer| trailer.summary.filter(|_| trailer.end == ListEnd::Complete));
        summary.ok_or_else(|| self.damaged("it has no end"))
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

/// The records of a result, and the parts that they are of: entries of pieces follow that of their file.
struct Records<R> {
    reader: Reader<R>,
    next: Option<Entry>,
}

impl<R: BufRead> Records<R> {
    fn of(input: R) -> Records<R> {
        let options = ReadOptions { line_bytes_max: Some(OBJECT_BYTES_MAX), parts: true, ..ReadOptions::default() };
        Records { reader: Reader::new(FormatName::Jsonl, input, options), next: None }
    }
}

impl<R: BufRead> Iterator for Records<R> {
    type Item = Result<(Record, Option<Box<Part>>), ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        let mut entry = match self.next.take() {
            Some(entry) => entry,
            None => match self.reader.next()? {
                Ok(entry) => entry,
                Err(error) => return Some(Err(error)),
            },
        };
        let part = entry.part.take();
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
        Some(Ok((record, part)))
    }
}
