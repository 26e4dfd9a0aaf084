//! Making a plan: the listing waits in a file without a name until its weight is known, and is then cut.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufReader, BufWriter, Seek, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use pfh_digest::Algorithm;
use pfh_record::{FileIdentity, Record};

use crate::PlanError;
use crate::cut::{Cut, Cutter, part_bytes, weight};
use crate::list::{ListEntry, Shard, push_file, read_entry};
use crate::plan::{LongestFile, Plan, PlanOptions, PlanTotals, has_plan, list_name};

const BUFFER_BYTES: usize = 1 << 18;

/// Takes a listing, in the order of the walk, and makes a plan of it. Memory: one entry, and the facts about each
/// shard.
pub struct Planner {
    folder: PathBuf,
    /// Whether this planner made the folder.
    made: bool,
    listing: BufWriter<File>,
    per_file_bytes: u64,
    split_bytes: Option<u64>,
    totals: PlanTotals,
    /// The total weight, which may exceed the number in [`PlanTotals`].
    weight: u128,
    longest: Option<LongestFile>,
    entry: Vec<u8>,
}

impl Planner {
    /// Begins a plan in a folder, which is made if it is not there, and must be empty otherwise. A file weighs
    /// `per_file_bytes` beside its size.
    ///
    /// # Errors
    /// [`PlanError`] if the folder has a plan or other files, or cannot be made.
    pub fn create(folder: &Path, per_file_bytes: u64) -> Result<Planner, PlanError> {
        let made = match fs::create_dir(folder) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists && folder.is_dir() => false,
            made => made.map(|()| true).map_err(PlanError::io(folder))?,
        };
        if has_plan(folder) {
            return Err(PlanError::Exists { folder: folder.to_owned() });
        }
        if fs::read_dir(folder).map_err(PlanError::io(folder))?.next().is_some() {
            return Err(PlanError::NotEmpty { folder: folder.to_owned() });
        }
        // Here and not in the usual place, which may lie in memory.
        let listing = tempfile::tempfile_in(folder).map_err(PlanError::io(folder))?;
        Ok(Planner {
            folder: folder.to_owned(),
            made,
            listing: BufWriter::with_capacity(BUFFER_BYTES, listing),
            per_file_bytes,
            split_bytes: None,
            totals: PlanTotals::default(),
            weight: 0,
            longest: None,
            entry: Vec::new(),
        })
    }

    /// Splits files that exceed this number of bytes, a power of two, into parts ([`PlanOptions::split_bytes`]).
    #[must_use]
    pub fn splitting(self, split_bytes: Option<u64>) -> Planner {
        Planner { split_bytes, ..self }
    }

    /// Returns the identity of the file in which the listing waits, so that a walk does not list it.
    pub fn own_file(&self) -> Option<FileIdentity> {
        let metadata = self.listing.get_ref().metadata().ok()?;
        Some(FileIdentity::new(metadata.dev(), metadata.ino()))
    }

    /// Returns the totals so far.
    pub fn totals(&self) -> PlanTotals {
        self.totals
    }

    /// Adds a regular file. `named`: the path was an argument or in a list of paths.
    ///
    /// # Errors
    /// [`PlanError::Io`].
    pub fn file(&mut self, path: &[u8], size: u64, named: bool) -> Result<(), PlanError> {
        if self.longest.as_ref().is_none_or(|longest| longest.size < size) {
            self.longest = Some(LongestFile { path: path.to_vec(), size });
        }
        self.totals.files += 1;
        self.totals.bytes = self.totals.bytes.saturating_add(size);
        let part_bytes = self.split_bytes.and_then(|split_bytes| part_bytes(size, split_bytes));
        let mut offset = 0;
        loop {
            let length = (size - offset).min(part_bytes.unwrap_or(size));
            self.entry.clear();
            push_file(path, size, part_bytes.map(|_| (offset, length)), named, &mut self.entry);
            self.add(weight(length, self.per_file_bytes))?;
            offset += length;
            if offset == size {
                return Ok(());
            }
        }
    }

    /// Adds what will not be read: its record, which is also its result.
    ///
    /// # Errors
    /// [`PlanError::Io`].
    pub fn other(&mut self, record: Record) -> Result<(), PlanError> {
        self.entry.clear();
        ListEntry::Other(Box::new(record)).push(&mut self.entry);
        self.add(OTHER_WEIGHT)
    }

    fn add(&mut self, weight: u64) -> Result<(), PlanError> {
        self.totals.entries += 1;
        self.totals.weight = self.totals.weight.saturating_add(weight);
        self.weight += u128::from(weight);
        self.listing.write_all(&self.entry).map_err(PlanError::io(&self.folder))
    }

    /// Cuts the listing, and writes the lists and, when they are on the disk, `plan.json`. The flag `stop` ends this.
    ///
    /// # Errors
    /// [`PlanError`]; nothing is left in the folder then.
    pub fn finish(mut self, options: PlanOptions, cut: Cut, stop: &AtomicBool) -> Result<Plan, PlanError> {
        let options = PlanOptions { split_bytes: self.split_bytes, ..options };
        let shards = cut.shards(self.weight);
        let mut written = 0;
        let plan = self.write(options, shards, &mut written, stop);
        if plan.is_err() {
            for shard in 0..written {
                let _ = fs::remove_file(self.folder.join(list_name(shard)));
            }
            self.discard();
        }
        plan
    }

    /// Discards the plan, and the folder if it was made for it.
    pub fn discard(self) {
        let Planner { folder, made, listing, .. } = self;
        drop(listing);
        if made {
            let _ = fs::remove_dir(folder);
        }
    }

    /// Writes the plan. `written` is the number of lists that were begun.
    fn write(
        &mut self,
        options: PlanOptions,
        shards: u32,
        written: &mut u32,
        stop: &AtomicBool,
    ) -> Result<Plan, PlanError> {
        let failed = PlanError::io(&self.folder);
        let rewound = self.listing.flush().and_then(|()| self.listing.get_mut().rewind());
        rewound.map_err(failed)?;
        let listing = self.listing.get_ref().try_clone().map_err(PlanError::io(&self.folder))?;
        let mut listing = BufReader::with_capacity(BUFFER_BYTES, listing);
        let mut cutter = Cutter::new(shards, self.weight);
        let mut whole = Algorithm::SHA256.hasher();
        let mut done = Vec::with_capacity(shards as usize);
        let mut list = List::begin(&self.folder, written)?;
        let mut entry = Vec::new();
        while read_entry(&mut listing, &mut entry).map_err(PlanError::io(&self.folder))? {
            if stop.load(Ordering::Relaxed) {
                return Err(PlanError::Stopped);
            }
            // A file counts once, however many parts it has.
            let (files, size) = match ListEntry::parse(&entry) {
                Ok(ListEntry::File { size, .. }) => (1, Some(size)),
                Ok(ListEntry::Part { offset, length, .. }) => (u64::from(offset == 0), Some(length)),
                _ => (0, None),
            };
            let weight = size.map_or(OTHER_WEIGHT, |size| weight(size, self.per_file_bytes));
            let shard = cutter.next(weight);
            while list.number < shard {
                done.push(list.end()?);
                list = List::begin(&self.folder, written)?;
            }
            entry.push(0);
            whole.update(&entry);
            list.add(&entry, files, size.unwrap_or(0), weight)?;
        }
        while list.number + 1 < shards {
            done.push(list.end()?);
            list = List::begin(&self.folder, written)?;
        }
        done.push(list.end()?);
        let longest = self.longest.take();
        let plan = Plan::new(self.folder.clone(), options, self.per_file_bytes, longest, digest(&mut whole), done);
        // One call for all lists; a machine that loses its power afterwards has them.
        let synced = File::open(&self.folder).and_then(|folder| Ok(rustix::fs::syncfs(folder)?));
        synced.map_err(PlanError::io(&self.folder))?;
        // A busy disk may have kept it for long.
        if stop.load(Ordering::Relaxed) {
            return Err(PlanError::Stopped);
        }
        plan.write()?;
        Ok(plan)
    }
}

/// The weight of what is not read.
const OTHER_WEIGHT: u64 = 1;

fn digest(hasher: &mut pfh_digest::Hasher) -> [u8; 32] {
    let mut bytes = [0; 32];
    bytes.copy_from_slice(hasher.finish().bytes());
    bytes
}

/// The list that is being written.
struct List {
    number: u32,
    path: PathBuf,
    writer: BufWriter<File>,
    hasher: pfh_digest::Hasher,
    shard: Shard,
}

impl List {
    fn begin(folder: &Path, written: &mut u32) -> Result<List, PlanError> {
        let path = folder.join(list_name(*written));
        let file = OpenOptions::new().write(true).create_new(true).open(&path).map_err(|error| match error.kind() {
            // Somebody else makes a plan in this folder at the same time.
            io::ErrorKind::AlreadyExists => PlanError::NotEmpty { folder: folder.to_owned() },
            _ => PlanError::Io { path: path.clone(), error },
        })?;
        let number = *written;
        *written += 1;
        Ok(List {
            number,
            path,
            writer: BufWriter::with_capacity(BUFFER_BYTES, file),
            hasher: Algorithm::SHA256.hasher(),
            shard: Shard { entries: 0, files: 0, bytes: 0, weight: 0, sha256: [0; 32] },
        })
    }

    fn add(&mut self, entry: &[u8], files: u64, bytes: u64, weight: u64) -> Result<(), PlanError> {
        self.shard.entries += 1;
        self.shard.files += files;
        self.shard.bytes = self.shard.bytes.saturating_add(bytes);
        self.shard.weight = self.shard.weight.saturating_add(weight);
        self.hasher.update(entry);
        self.writer.write_all(entry).map_err(PlanError::io(&self.path))
    }

    fn end(mut self) -> Result<Shard, PlanError> {
        self.writer.flush().map_err(PlanError::io(&self.path))?;
        Ok(Shard { sha256: digest(&mut self.hasher), ..self.shard })
    }
}
