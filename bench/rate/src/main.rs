//! `pfh-bench-rate THREADS ALGORITHM…` prints three rates for each algorithm, in MB (10^6 bytes) per second: one thread
//! that hashes one message, THREADS threads that hash one message each, and THREADS threads that hash many messages
//! each, side by side where there are lanes. All messages lie in the caches of the cores.
#![forbid(unsafe_code)]

use std::error::Error;
use std::hint::black_box;
use std::thread;
use std::time::{Duration, Instant};

use pfh_digest::Algorithm;
use pfh_digest::lanes::BatchHasher;

/// As large as a slot of pfh's memory table.
const UPDATE_BYTES: usize = 256 << 10;
/// Fills all lanes of every kernel, and half of a second-level cache of 1 MiB.
const BATCH_MESSAGES: usize = 64;
const BATCH_MESSAGE_BYTES: usize = 8 << 10;
const RUN_TIME: Duration = Duration::from_millis(300);
const RUNS: usize = 5;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let threads: usize = arguments.next().ok_or("usage: pfh-bench-rate THREADS ALGORITHM…")?.parse()?;
    for name in arguments {
        let algorithm = Algorithm::from_name(&name).map_err(|error| error.to_string())?;
        // In turn, so that a change of the clock rate meets all of them.
        let (mut alone, mut together, mut batches) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..RUNS {
            alone.push(rate(1, || rate_of_stream(algorithm)));
            together.push(rate(threads, || rate_of_stream(algorithm)));
            batches.push(rate(threads, || rate_of_batches(algorithm)));
        }
        println!("{} {:.1} {:.1} {:.1}", algorithm.name(), median(alone), median(together), median(batches));
    }
    Ok(())
}

/// MB per second of several threads together.
fn rate(threads: usize, one: impl Fn() -> f64 + Sync) -> f64 {
    thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(&one)).collect();
        workers.into_iter().filter_map(|worker| worker.join().ok()).sum()
    })
}

fn rate_of_stream(algorithm: Algorithm) -> f64 {
    let buffer: Vec<u8> = (0..=250).cycle().take(UPDATE_BYTES).collect();
    let mut hasher = algorithm.hasher();
    let rate = timed(buffer.len(), || hasher.update(black_box(&buffer)));
    black_box(hasher.finish());
    rate
}

fn rate_of_batches(algorithm: Algorithm) -> f64 {
    let messages: Vec<Vec<u8>> = (0..BATCH_MESSAGES as u8).map(|byte| vec![byte; BATCH_MESSAGE_BYTES]).collect();
    let mut digests = vec![algorithm.digest(b""); messages.len()];
    let mut hasher = BatchHasher::new(algorithm);
    timed(BATCH_MESSAGES * BATCH_MESSAGE_BYTES, || hasher.hash(black_box(&messages), black_box(&mut digests)))
}

/// MB per second of work that is repeated, after one pass that does not count.
fn timed(bytes: usize, mut work: impl FnMut()) -> f64 {
    work();
    let start = Instant::now();
    let mut done_bytes = 0;
    while start.elapsed() < RUN_TIME {
        work();
        done_bytes += bytes;
    }
    done_bytes as f64 / 1e6 / start.elapsed().as_secs_f64()
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    values[values.len() / 2]
}
