//! The library's rates in memory beside the program's over files: how near the program comes to what the machine
//! allows.

use std::cell::RefCell;
use std::collections::BTreeMap;

use anyhow::{Context, Result, bail};

use super::compare::{Bench, Outcome, Row};
use super::corpus::Prepared;
use super::experiments::READ_FLOOR;
use super::statistics::Spread;
use crate::process;

/// A package of its own, because xtask does not import the library.
const MANIFEST: &str = "bench/rate/Cargo.toml";

/// The measure with which the first contender of a comparison is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Yardstick {
    /// The rate of one stream in memory on all threads.
    Streams(&'static str),
    /// The bound of the machine for these algorithms: see [`Bound`].
    Bound(&'static [&'static str]),
}

/// MB per second in memory.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Rates {
    /// One message.
    one_thread: f64,
    /// One message on each thread.
    all_threads: f64,
    /// Many messages on each thread, in lanes where there are some.
    batches: f64,
}

/// The rates that have been measured, by algorithm.
pub(super) type Measured = RefCell<BTreeMap<String, Option<Rates>>>;

/// The least time in which a machine can hash a corpus: the greater of two.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Bound {
    /// Reading everything, and then hashing everything at the best rate that there is.
    all_files_s: f64,
    /// The longest file, as one stream by the slowest algorithm.
    longest_file_s: f64,
}

impl Bound {
    fn new(floor_s: f64, bytes: u64, longest_bytes: u64, rates: &[Rates]) -> Bound {
        let seconds = |bytes: u64, rate: f64| bytes as f64 / 1e6 / rate;
        Bound {
            all_files_s: floor_s + rates.iter().map(|rates| seconds(bytes, rates.batches)).sum::<f64>(),
            // Several digests of one file run on several threads.
            longest_file_s: rates.iter().map(|rates| seconds(longest_bytes, rates.one_thread)).fold(0.0, f64::max),
        }
    }

    fn seconds(self) -> f64 {
        self.all_files_s.max(self.longest_file_s)
    }
}

/// How the first contender compares with the yardstick, or why that cannot be said.
pub(super) fn note(bench: &Bench<'_>, yardstick: Yardstick, corpus: &Prepared, rows: &[Row]) -> String {
    let note = match yardstick {
        Yardstick::Streams(algorithm) => streams(bench, algorithm, corpus, rows),
        Yardstick::Bound(algorithms) => bound(bench, algorithms, corpus, rows),
    };
    note.unwrap_or_else(|error| format!("No rate in memory to compare with: {error:#}."))
}

fn streams(bench: &Bench<'_>, algorithm: &str, corpus: &Prepared, rows: &[Row]) -> Result<String> {
    let over_files = corpus.bytes as f64 / 1e6 / median_s(rows.first())?;
    let Rates { one_thread, all_threads, .. } = in_memory(bench, algorithm)?;
    let threads = bench.threads;
    let product = one_thread * threads as f64;
    Ok(format!(
        "{algorithm} in memory, streaming: {one_thread:.0} MB/s on one thread, times {threads} threads {product:.0} MB/s; \
         {all_threads:.0} MB/s on {threads} threads at once. Over the files: {over_files:.0} MB/s, {:.1} % of the product, \
         {:.1} % of the rate at once.",
        100.0 * over_files / product,
        100.0 * over_files / all_threads
    ))
}

fn bound(bench: &Bench<'_>, algorithms: &[&str], corpus: &Prepared, rows: &[Row]) -> Result<String> {
    let pfh_s = median_s(rows.first())?;
    let floor_s = median_s(rows.iter().find(|row| row.label == READ_FLOOR))?;
    let rates: Vec<Rates> = algorithms.iter().map(|algorithm| in_memory(bench, algorithm)).collect::<Result<_>>()?;
    let longest_bytes = bench.store.longest_bytes(corpus)?;
    let bound = Bound::new(floor_s, corpus.bytes, longest_bytes, &rates);
    let batches: Vec<String> = algorithms
        .iter()
        .zip(&rates)
        .map(|(algorithm, rates)| {
            format!("{algorithm} {:.0} MB/s in lanes and {:.0} as one stream", rates.batches, rates.one_thread)
        })
        .collect();
    Ok(format!(
        "Bound of this machine: read floor {floor_s:.3} s + hashing = {:.3} s for all files, {:.3} s for the longest ({:.0} MB); in \
         memory, {}. {} reaches {:.0} % of it.",
        bound.all_files_s,
        bound.longest_file_s,
        longest_bytes as f64 / 1e6,
        batches.join(", "),
        rows[0].label,
        100.0 * bound.seconds() / pfh_s
    ))
}

fn median_s(row: Option<&Row>) -> Result<f64> {
    let row = row.context("nothing was measured")?;
    let Outcome::Measured(samples) = &row.outcome else { bail!("{} was not measured", row.label) };
    Ok(Spread::of(samples.iter().map(|sample| sample.wall_s)).context("no samples")?.median)
}

/// Measures an algorithm, once for each benchmark.
fn in_memory(bench: &Bench<'_>, algorithm: &str) -> Result<Rates> {
    let known = bench.rates.borrow().get(algorithm).copied();
    let rates = match known {
        Some(rates) => rates,
        None => {
            let mut cargo = bench.workspace.cargo();
            cargo.args(["run", "--quiet", "--release", "--manifest-path", MANIFEST, "--target-dir"]);
            cargo.arg(bench.workspace.target_folder()?.join("bench-rate"));
            cargo.args(["--", &bench.threads.to_string(), algorithm]);
            let printed = process::stdout(&mut cargo)?;
            let rates = parse(&String::from_utf8_lossy(&printed), algorithm);
            bench.rates.borrow_mut().insert(algorithm.to_owned(), rates);
            rates
        }
    };
    rates.context("cannot read what the benchmark of rates printed")
}

/// `name one-thread all-threads batches`.
fn parse(line: &str, algorithm: &str) -> Option<Rates> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let [name, one_thread, all_threads, batches] = words[..] else { return None };
    let rates = Rates {
        one_thread: one_thread.parse().ok()?,
        all_threads: all_threads.parse().ok()?,
        batches: batches.parse().ok()?,
    };
    (name == algorithm).then_some(rates)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rates_of_a_line() {
        let rates = Rates { one_thread: 812.5, all_threads: 1600.0, batches: 9000.0 };
        assert_eq!(parse("md5 812.5 1600.0 9000.0\n", "md5"), Some(rates));
        assert_eq!(parse("md5 812.5 1600.0 9000.0\n", "sha1"), None);
        assert_eq!(parse("md5 812.5 1600.0\n", "md5"), None);
    }

    #[test]
    fn the_bound_is_the_greater_of_all_files_and_the_longest() {
        let md5 = Rates { one_thread: 500.0, all_threads: 1000.0, batches: 8000.0 };
        let sha256 = Rates { one_thread: 1000.0, all_threads: 2000.0, batches: 4000.0 };
        let bound = Bound::new(0.5, 4_000_000_000, 100_000_000, &[md5, sha256]);
        assert_eq!(bound, Bound { all_files_s: 0.5 + 0.5 + 1.0, longest_file_s: 0.2 });
        assert_eq!(bound.seconds(), 2.0);
        assert_eq!(Bound::new(0.5, 4_000_000_000, 2_000_000_000, &[md5]).seconds(), 4.0);
    }
}
