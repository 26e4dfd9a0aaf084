//! Similarity digests of files, for comparing: a walk and workers that read whole files.

use pfh_engine::CancelToken;
use pfh_record::Metadata;
use pfh_similarity::{Digest, Family, Hasher, Unfit};
use pfh_source::{Entry, EntryKind, Found, Source, SourceFile};
use std::fmt;
use std::io;
use std::num::NonZero;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, sync_channel};
use std::sync::{Mutex, PoisonError};

/// Why a file has no digest.
#[derive(Debug)]
#[non_exhaustive]
pub enum Unhashed {
    /// It could not be read.
    Io(io::Error),
    /// Its size or times changed, or it ended early.
    Changed,
    /// The family has no digest for such a file: it is too small, or too uniform.
    Unfit(Unfit),
}

impl fmt::Display for Unhashed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unhashed::Io(error) => error.fmt(f),
            Unhashed::Changed => {
                f.write_str("changed while it was read; it is not compared. Run again when it is at rest")
            }
            Unhashed::Unfit(unfit) => unfit.fmt(f),
        }
    }
}

impl std::error::Error for Unhashed {}

impl From<io::Error> for Unhashed {
    fn from(error: io::Error) -> Unhashed {
        Unhashed::Io(error)
    }
}

const PIECE_BYTES: usize = 256 << 10;

/// Files that wait for a worker.
const WAITING_MAX: usize = 256;

type Numbered = (usize, Found);

/// Digests of everything that `source` walks, in the order of the walk: paths, each with its digest or the reason that there is none.
/// What is neither a file nor readable is passed over, but for errors of the walk. Ends early, with what it has, when cancelled.
pub fn hash_paths<S: Source>(
    source: &S,
    family: Family,
    threads: NonZero<usize>,
    cancel: &CancelToken,
) -> Vec<(Vec<u8>, Result<Digest, Unhashed>)> {
    let (sender, receiver) = sync_channel::<Numbered>(WAITING_MAX);
    let receiver = Mutex::new(receiver);
    let mut results = std::thread::scope(|scope| {
        scope.spawn(move || {
            let mut number = 0;
            source.walk(&mut |found| {
                number += 1;
                !cancel.is_cancelled() && sender.send((number, found)).is_ok()
            });
        });
        let worker = || work(source, family, &receiver, cancel);
        let workers: Vec<_> = (0..threads.get()).map(|_| scope.spawn(worker)).collect();
        let joined = workers.into_iter().filter_map(|worker| worker.join().ok());
        joined.flatten().collect::<Vec<_>>()
    });
    results.sort_unstable_by_key(|(number, ..)| *number);
    results.into_iter().map(|(_, path, result)| (path, result)).collect()
}

type Hashed = (usize, Vec<u8>, Result<Digest, Unhashed>);

fn work<S: Source>(source: &S, family: Family, jobs: &Mutex<Receiver<Numbered>>, cancel: &CancelToken) -> Vec<Hashed> {
    let mut results = Vec::new();
    let mut buffer = vec![0; PIECE_BYTES];
    loop {
        let job = jobs.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok((number, found)) = job else { return results };
        match found {
            Found::Entry(entry) if !cancel.is_cancelled() => {
                let path = entry.path();
                if let Some(result) = guarded(|| hash(source, &entry, family, &mut buffer, cancel)).transpose() {
                    let result = result.map(|digest| digest.with_name(&path));
                    results.push((number, path, result));
                }
            }
            Found::Failed(path, error) => results.push((number, path, Err(Unhashed::Io(error)))),
            _ => {}
        }
    }
}

/// A panic is the file's error, and the worker goes on.
fn guarded(hash: impl FnOnce() -> Result<Option<Digest>, Unhashed>) -> Result<Option<Digest>, Unhashed> {
    let failed = |_| Err(Unhashed::Io(io::Error::other("pfh failed on this file; please report what is said above")));
    catch_unwind(AssertUnwindSafe(hash)).unwrap_or_else(failed)
}

/// `None` for what turns out to be no file, and when cancelled.
fn hash<S: Source>(
    source: &S,
    entry: &Entry,
    family: Family,
    buffer: &mut [u8],
    cancel: &CancelToken,
) -> Result<Option<Digest>, Unhashed> {
    let file = source.open(entry)?;
    let before = file.metadata()?;
    if entry.kind == EntryKind::Regular && before.mode & FORMAT_BITS != REGULAR {
        return Ok(None);
    }
    let mut hasher = Hasher::new(family);
    let mut offset = 0;
    loop {
        if cancel.is_cancelled() {
            return Ok(None);
        }
        match file.read_at(buffer, offset) {
            Ok(0) => break,
            Ok(bytes) => {
                hasher.update(&buffer[..bytes]);
                offset += bytes as u64;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error.into()),
        }
        if entry.kind == EntryKind::Regular && offset > before.size {
            return Err(Unhashed::Changed);
        }
    }
    if entry.kind == EntryKind::Regular {
        let look = |metadata: &Metadata| (metadata.size, metadata.mtime, metadata.ctime);
        if offset != before.size || look(&before) != look(&file.metadata()?) {
            return Err(Unhashed::Changed);
        }
    }
    hasher.finish().map(Some).map_err(Unhashed::Unfit)
}

/// The part of a mode that says what a file is, and its value for a regular one.
const FORMAT_BITS: u32 = 0o170_000;
const REGULAR: u32 = 0o100_000;
