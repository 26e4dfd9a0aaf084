//! `pfh-bench-rate MODE BYTES THREADS ALGORITHM[,ALGORITHM…]` hashes BYTES bytes in memory and ends, so that it can be
//! timed beside programs that hash as many bytes in files. All messages lie in the caches of the cores.
//!
//! | mode | hashes |
//! | --- | --- |
//! | `lanes` | many messages on each thread, side by side where there are lanes; one algorithm after the other |
//! | `streams` | one message on each thread, a part of BYTES each; one algorithm after the other |
//! | `longest` | one message of BYTES; each algorithm on a thread of its own, as many at a time as there are threads |
#![forbid(unsafe_code)]

use std::error::Error;
use std::hint::black_box;
use std::thread;

use pfh_digest::Algorithm;
use pfh_digest::lanes::BatchHasher;

const USAGE: &str = "usage: pfh-bench-rate lanes|streams|longest BYTES THREADS ALGORITHM[,ALGORITHM…]";

/// As large as a slot of pfh's memory table.
const UPDATE_BYTES: usize = 256 << 10;
/// Fills all lanes of every kernel, and half of a second-level cache of 1 MiB.
const BATCH_MESSAGES: usize = 64;
const BATCH_MESSAGE_BYTES: usize = 8 << 10;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [mode, bytes, threads, names] = arguments.as_slice() else { return Err(USAGE.into()) };
    let (bytes, threads): (u64, usize) = (bytes.parse()?, threads.parse::<usize>()?.max(1));
    let algorithms = names.split(',').map(|name| Algorithm::from_name(name).map_err(|error| error.to_string()));
    let algorithms: Vec<Algorithm> = algorithms.collect::<Result<_, _>>()?;
    let each_bytes = bytes / threads as u64;
    match mode.as_str() {
        "lanes" => {
            algorithms.iter().for_each(|&algorithm| together(&vec![algorithm; threads], each_bytes, hash_batches))
        }
        "streams" => {
            algorithms.iter().for_each(|&algorithm| together(&vec![algorithm; threads], each_bytes, hash_stream));
        }
        "longest" => algorithms.chunks(threads).for_each(|some| together(some, bytes, hash_stream)),
        _ => return Err(USAGE.into()),
    }
    Ok(())
}

/// Hashes some bytes with each of these algorithms, on a thread each.
fn together(algorithms: &[Algorithm], bytes: u64, hash: impl Fn(Algorithm, u64) + Sync) {
    thread::scope(|scope| {
        for &algorithm in algorithms {
            let hash = &hash;
            scope.spawn(move || hash(algorithm, bytes));
        }
    });
}

fn hash_stream(algorithm: Algorithm, bytes: u64) {
    let buffer: Vec<u8> = (0..=250).cycle().take(UPDATE_BYTES).collect();
    let mut hasher = algorithm.hasher();
    let mut left = bytes;
    while left > 0 {
        let length = buffer.len().min(usize::try_from(left).unwrap_or(usize::MAX));
        hasher.update(black_box(&buffer[..length]));
        left -= length as u64;
    }
    black_box(hasher.finish());
}

/// Whole batches; the last one may have more bytes than are left.
fn hash_batches(algorithm: Algorithm, bytes: u64) {
    let messages: Vec<Vec<u8>> = (0..BATCH_MESSAGES as u8).map(|byte| vec![byte; BATCH_MESSAGE_BYTES]).collect();
    let mut digests = vec![algorithm.digest(b""); messages.len()];
    let mut hasher = BatchHasher::new(algorithm);
    for _ in 0..bytes.div_ceil((BATCH_MESSAGES * BATCH_MESSAGE_BYTES) as u64) {
        hasher.hash(black_box(&messages), black_box(&mut digests));
    }
}
