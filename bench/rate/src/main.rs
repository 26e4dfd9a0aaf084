//! `pfh-bench-rate THREADS ALGORITHM…` prints, for each algorithm, MB (10^6 bytes) per second of one thread and of
//! THREADS threads at once, each hashing one message in updates of 256 KiB from a buffer that lies in its cache.
#![forbid(unsafe_code)]

use std::error::Error;
use std::hint::black_box;
use std::thread;
use std::time::{Duration, Instant};

use pfh_digest::Algorithm;

/// As large as a slot of pfh's memory table.
const UPDATE_BYTES: usize = 256 << 10;
const RUN_TIME: Duration = Duration::from_millis(500);
const RUNS: usize = 5;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let threads: usize = arguments.next().ok_or("usage: pfh-bench-rate THREADS ALGORITHM…")?.parse()?;
    for name in arguments {
        let algorithm = Algorithm::from_name(&name).map_err(|error| error.to_string())?;
        // In turn, so that a change of the clock rate meets both.
        let (mut alone, mut together) = (Vec::new(), Vec::new());
        for _ in 0..RUNS {
            alone.push(rate(algorithm, 1));
            together.push(rate(algorithm, threads));
        }
        println!("{} {:.1} {:.1}", algorithm.name(), median(alone), median(together));
    }
    Ok(())
}

/// MB per second of several threads together.
fn rate(algorithm: Algorithm, threads: usize) -> f64 {
    thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(|| rate_of_one(algorithm))).collect();
        workers.into_iter().filter_map(|worker| worker.join().ok()).sum()
    })
}

fn rate_of_one(algorithm: Algorithm) -> f64 {
    let buffer: Vec<u8> = (0..=250).cycle().take(UPDATE_BYTES).collect();
    let mut hasher = algorithm.hasher();
    hasher.update(black_box(&buffer));
    let start = Instant::now();
    let mut bytes = 0;
    while start.elapsed() < RUN_TIME {
        hasher.update(black_box(&buffer));
        bytes += buffer.len();
    }
    black_box(hasher.finish());
    bytes as f64 / 1e6 / start.elapsed().as_secs_f64()
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    values[values.len() / 2]
}
