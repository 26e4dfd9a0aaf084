//! `pfh known build --blocks`: a set of the blocks of files.

use super::blocks_args::of_option;
use super::command::{Command, Item, Reporting};
use super::common_args::WalkArguments;
use super::ended::{Ended, lock};
use super::exit::{Ending, Failed};
use super::known_args::BuildArguments;
use super::output::{Output, interrupted};
use super::quantity::Count;
use super::{gather, message, verdicts, written_set};
use pfh_digest::{Algorithm, Digest};
use pfh_engine::{Consumer, Decision, FileOptions, Options};
use pfh_known::{BlockFile, BlockHasher, BlockKinds, BlockSetBuilder, BlockTotals, FileId, KnownSet, Origin};
use pfh_record::{Metadata, Outcome, Record, Selection};
use std::io;
use std::ops::ControlFlow;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock};

/// The algorithm of sets of blocks unless the command line names another.
const ALGORITHM: &str = "sha256";

/// Bytes of a file that are hashed together.
const PART_BYTES: usize = 1 << 18;

/// Builds a set of the blocks of all files below the sources.
pub(crate) fn build(arguments: &BuildArguments, block_bytes: u64, output: Output) -> Result<Ending, Failed> {
    let algorithm = match &arguments.algorithms[..] {
        [] => Algorithm::from_name(ALGORITHM).map_err(Failed::usage)?,
        [_] => verdicts::set_algorithms(&arguments.algorithms)?[0],
        _ => return Err(Failed::usage("a set of blocks has digests by one algorithm")),
    };
    BlockHasher::new(algorithm, block_bytes, block_bytes).map_err(|error| of_option(block_bytes, &error))?;
    if let Some(set) = arguments.sources.iter().find(|source| KnownSet::open(Path::new(source)).is_ok()) {
        return Err(Failed::usage(format_args!(
            "{} is a known set, and sets of blocks are made of the files themselves",
            message::quoted_path(Path::new(set))
        )));
    }
    let mut origin = Origin::default();
    origin.name = name_of(&arguments.sources);
    origin.format = "blocks".to_owned();
    (origin.class, origin.release, origin.note) =
        (arguments.class.into(), arguments.release.clone(), arguments.note.clone());
    let failed = |error: io::Error| Failed::internal(error.to_string());
    let builder = BlockSetBuilder::new(algorithm, block_bytes, origin, arguments.memory / 2).map_err(failed)?;
    let reporting = Reporting { quiet: arguments.quiet, allow_empty: arguments.allow_empty, ..Reporting::DEFAULT };
    let mut command = Command::begin(reporting, None);
    command.set_output(output);
    command.name_output("set");
    let mut engine = Options::new(Selection::from_iter([] as [Algorithm; 0]));
    engine.memory_bytes = arguments.memory / 2;
    let walk = WalkArguments::default();
    let (source, engine, own_files) = gather::prepare_run(&mut command, &arguments.sources, &walk, None, engine)?;
    let collector = Arc::new(Collector {
        algorithm,
        block_bytes,
        builder: Mutex::new(Some(builder)),
        hashers: Mutex::default(),
        ended: Ended::default(),
        failed: OnceLock::new(),
    });
    let decide = |_: &[u8], _: Option<&Metadata>| {
        let consumer = FileBlocks {
            collector: Arc::clone(&collector),
            id: None,
            bytes: 0,
            part: Vec::new(),
            kinds: BlockKinds::default(),
        };
        Decision::HashWith(FileOptions { selection: None, consumer: Some(Box::new(consumer)) })
    };
    let prepare = |record: Record| {
        let item = Item::new(&record, ());
        let ended = if record.outcome == Outcome::Complete { collector.ended.take(&record.path) } else { None };
        item.map(|()| ended.map(|ended| (record.path, ended)))
    };
    let mut deliver = |ended: Option<(Vec<u8>, EndedFile)>| {
        if let (Some((name, EndedFile { id, bytes, kinds })), Some(builder)) = (ended, &mut *lock(&collector.builder)) {
            collector.note(builder.end_file(&BlockFile { id, name: &name, bytes, kinds }));
        }
        if collector.failed.get().is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let report = command.hash(&engine, &source, own_files.before(Some(&decide)).as_deref(), &prepare, &mut deliver);
    report.map_err(|error| gather::start_error_of(error, arguments.memory))?;
    if command.cancel().is_cancelled() {
        return command.finish(Err(interrupted()), 0, None);
    }
    let builder = lock(&collector.builder).take();
    let mut builder = match (collector.failed.get(), builder) {
        (None, Some(builder)) => builder,
        (Some(error), _) => return Err(Failed::internal(error.to_string())),
        (None, None) => return Err(Failed::internal("the set was already written")),
    };
    let unread = command.tally.unread;
    if unread > 0 && !arguments.keep_going {
        return Err(Failed::unread(format_args!(
            "no set is made, because files could not be read: {}; --keep-going leaves them out",
            Count(unread)
        )));
    }
    builder.origin().refused = unread;
    let (about, written) = written_set::write(&command, |output| builder.write(output, super::PROGRAM))?;
    if let Some(about) = &about {
        let BlockTotals { files, short_files, blocks, constant, nonprobative, .. } = about.blocks.unwrap_or_default();
        if !arguments.quiet {
            message::error(format_args!(
                "files: {}, shorter than a block: {}, blocks: {}, constant: {}, nonprobative: {}, repeated: {}, known: {}",
                Count(files),
                Count(short_files),
                Count(blocks),
                Count(constant),
                Count(nonprobative),
                Count(about.rows - about.entries),
                Count(about.entries)
            ));
        }
        if about.entries == 0 && !command.cancel().is_cancelled() {
            let block_bytes = Count(block_bytes);
            return Err(Failed::usage(format_args!(
                "no file has a block of {block_bytes} bytes that can be looked for"
            )));
        }
    }
    command.finish(written, about.map_or(0, |about| about.entries), None)
}

/// Returns the name of the sources in the set: that of the first, and how many others there are.
fn name_of(sources: &[std::ffi::OsString]) -> String {
    let Some(first) = sources.first() else { return String::new() };
    let name = Path::new(first).file_name().unwrap_or(first).as_bytes();
    let name = String::from_utf8_lossy(name);
    if sources.len() > 1 { format!("{name} and {} more", sources.len() - 1) } else { name.into_owned() }
}

/// Collects the blocks of all files. They are sorted later, so files may come side by side.
struct Collector {
    algorithm: Algorithm,
    block_bytes: u64,
    builder: Mutex<Option<BlockSetBuilder>>,
    /// Hashers that no file uses at the moment.
    hashers: Mutex<Vec<BlockHasher>>,
    /// Files that ended, until their records are delivered.
    ended: Ended<EndedFile>,
    /// The first error of the set, which ends the run.
    failed: OnceLock<io::Error>,
}

/// A file that was read to its end.
struct EndedFile {
    id: FileId,
    bytes: u64,
    kinds: BlockKinds,
}

impl Collector {
    fn note(&self, done: io::Result<()>) {
        if let Err(error) = done {
            // Later errors follow from the first.
            let _ = self.failed.set(error);
        }
    }

    fn begin_file(&self) -> io::Result<FileId> {
        lock(&self.builder).as_mut().ok_or_else(|| io::Error::other("the set is written"))?.begin_file()
    }

    /// Hashes whole blocks of a file, of which the first has this number.
    fn hash(&self, id: FileId, first: u64, bytes: &[u8]) -> io::Result<BlockKinds> {
        let hasher = lock(&self.hashers).pop();
        let mut hasher = match hasher {
            Some(hasher) => hasher,
            None => BlockHasher::new(self.algorithm, self.block_bytes, self.block_bytes).map_err(io::Error::other)?,
        };
        let mut push = |offsets: &[usize], digests: &[Digest]| {
            let mut builder = lock(&self.builder);
            let Some(builder) = &mut *builder else { return Ok(()) };
            offsets
                .iter()
                .zip(digests)
                .try_for_each(|(offset, digest)| builder.push(id, first + *offset as u64 / self.block_bytes, digest))
        };
        let kinds = hasher.hash(bytes, &mut push)?;
        lock(&self.hashers).push(hasher);
        Ok(kinds)
    }
}

/// The blocks of one file while it is read.
struct FileBlocks {
    collector: Arc<Collector>,
    id: Option<FileId>,
    /// Bytes that were hashed, and left out at the end.
    bytes: u64,
    part: Vec<u8>,
    kinds: BlockKinds,
}

impl FileBlocks {
    fn hash_whole_blocks(&mut self) -> io::Result<()> {
        let block_bytes = self.collector.block_bytes as usize;
        let whole = self.part.len() / block_bytes * block_bytes;
        if whole == 0 {
            return Ok(());
        }
        let id = match self.id {
            Some(id) => id,
            None => *self.id.insert(self.collector.begin_file()?),
        };
        let first = self.bytes / self.collector.block_bytes;
        self.kinds.add(self.collector.hash(id, first, &self.part[..whole])?);
        self.bytes += whole as u64;
        self.part.drain(..whole);
        Ok(())
    }

    fn add(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.part.extend_from_slice(bytes);
        if self.part.len() >= PART_BYTES { self.hash_whole_blocks() } else { Ok(()) }
    }

    fn end(&mut self, path: &[u8]) -> io::Result<()> {
        self.hash_whole_blocks()?;
        let id = match self.id {
            Some(id) => id,
            None => self.collector.begin_file()?,
        };
        let ended = EndedFile { id, bytes: self.bytes + self.part.len() as u64, kinds: self.kinds };
        self.collector.ended.put(path, ended);
        Ok(())
    }
}

/// An error is one of the set, not of the file: it is noted, and ends the run.
impl Consumer for FileBlocks {
    fn bytes(&mut self, bytes: &[u8]) -> io::Result<()> {
        if self.collector.failed.get().is_some() {
            return Err(io::Error::other("the run has failed"));
        }
        let added = self.add(bytes);
        self.collector.note(added);
        Ok(())
    }

    fn finish(&mut self, record: &Record) -> io::Result<()> {
        let ended = self.end(&record.path);
        self.collector.note(ended);
        Ok(())
    }

    fn retract(&mut self, _: &Outcome) {}
}
