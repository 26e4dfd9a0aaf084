//! Times the candidates behind each algorithm of `pfh-digest` against each other and prints a Markdown table.
//!
//! `cargo run --release` in this folder; a word on the command line restricts it to the algorithms whose name has it.
//! The benchmark times one thread's processor time for hashing data in its cache, without reading. Candidates take
//! turns, so that a change of the machine's clock meets all of them; figures are medians of the runs.
//! Every candidate's value is compared with the first's.

mod candidates;
mod clock;

use std::hint::black_box;
use std::time::Duration;

use candidates::{Group, Run};

const RUNS: usize = 5;
/// Long against the clock's steps, short enough that all candidates of a group meet the same machine.
const RUN_TIME: Duration = Duration::from_millis(40);
/// Fits a core's second-level cache.
const DATA_BYTES: usize = 1 << 20;
const PIECE_BYTES: usize = 64 << 10;
const SMALL_BYTES: usize = 4 << 10;

/// One message in pieces of 64 KiB.
fn stream(run: Run, data: &[u8]) {
    let mut value = [0; 64];
    run(data, PIECE_BYTES, &mut value);
    black_box(value);
}

/// Messages of 4 KiB.
fn small(run: Run, data: &[u8]) {
    for message in data.chunks(SMALL_BYTES) {
        let mut value = [0; 64];
        run(message, SMALL_BYTES, &mut value);
        black_box(value);
    }
}

/// MiB of `data` per second of this thread's processor time.
fn rate(pass: fn(Run, &[u8]), run: Run, data: &[u8]) -> f64 {
    let start = clock::thread_time();
    let mut passes = 0;
    loop {
        pass(run, black_box(data));
        passes += 1;
        let spent = clock::thread_time() - start;
        if spent >= RUN_TIME {
            return (passes * data.len()) as f64 / f64::from(1 << 20) / spent.as_secs_f64();
        }
    }
}

/// The figures of one candidate.
struct Figure {
    /// Median of the runs.
    rate: f64,
    /// Median over the runs of its rate to the first candidate's in the same turn: free of what slowed down both.
    ratio: f64,
}

fn figures(group: &Group, pass: fn(Run, &[u8]), data: &[u8]) -> Vec<Figure> {
    let turns: [Vec<f64>; RUNS] =
        std::array::from_fn(|_| group.candidates.iter().map(|(_, run)| rate(pass, *run, data)).collect());
    let figure = |candidate: usize| Figure {
        rate: median(turns.each_ref().map(|turn| turn[candidate])),
        ratio: median(turns.each_ref().map(|turn| turn[candidate] / turn[0])),
    };
    (0..group.candidates.len()).map(figure).collect()
}

fn median(mut samples: [f64; RUNS]) -> f64 {
    samples.sort_by(f64::total_cmp);
    samples[RUNS / 2]
}

fn agree(group: &Group, data: &[u8]) {
    for length in [0, 1, SMALL_BYTES, data.len()] {
        let value = |(_, run): &(&str, Run)| {
            let mut value = [0; 64];
            run(&data[..length], PIECE_BYTES, &mut value);
            value
        };
        let first = value(&group.candidates[0]);
        for candidate in &group.candidates {
            assert_eq!(value(candidate), first, "{} of {length} bytes by {}", group.algorithm, candidate.0);
        }
    }
}

fn main() {
    let wanted = std::env::args().nth(1).unwrap_or_default();
    let data: Vec<u8> = (0..DATA_BYTES).map(|index| (index % 251) as u8).collect();
    println!("| algorithm | crate | 64 KiB updates, MiB/s | ratio | 4 KiB messages, MiB/s | ratio |");
    println!("| --- | --- | ---: | ---: | ---: | ---: |");
    for group in candidates::groups().iter().filter(|group| group.algorithm.contains(&wanted)) {
        agree(group, &data);
        let (streamed, small) = (figures(group, stream, &data), figures(group, small, &data));
        for (((name, _), streamed), small) in group.candidates.iter().zip(streamed).zip(small) {
            println!(
                "| {} | {name} | {:.0} | {:.2} | {:.0} | {:.2} |",
                group.algorithm, streamed.rate, streamed.ratio, small.rate, small.ratio,
            );
        }
    }
}
