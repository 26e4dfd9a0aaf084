//! The library's rate in memory beside the program's over large files.

use anyhow::{Context, Result, bail};

use super::compare::{Bench, Outcome};
use super::corpus::Prepared;
use super::statistics::Spread;
use crate::process;

/// A package of its own, because xtask does not import the library.
const MANIFEST: &str = "bench/rate/Cargo.toml";

/// MB per second in memory.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Rates {
    one_thread: f64,
    all_threads: f64,
}

/// The rates in memory and over the corpus and how they compare, or why that cannot be said.
pub(super) fn note(bench: &Bench<'_>, algorithm: &str, corpus: &Prepared, outcome: &Outcome) -> String {
    match compare(bench, algorithm, corpus, outcome) {
        Ok(note) => note,
        Err(error) => format!("No rate in memory to compare with: {error:#}."),
    }
}

fn compare(bench: &Bench<'_>, algorithm: &str, corpus: &Prepared, outcome: &Outcome) -> Result<String> {
    let Outcome::Measured(samples) = outcome else { bail!("pfh was not measured") };
    let wall = Spread::of(samples.iter().map(|sample| sample.wall_s)).context("no samples")?;
    let over_files = corpus.bytes as f64 / 1e6 / wall.median;
    let Rates { one_thread, all_threads } = in_memory(bench, algorithm)?;
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

fn in_memory(bench: &Bench<'_>, algorithm: &str) -> Result<Rates> {
    let mut cargo = bench.workspace.cargo();
    cargo.args(["run", "--quiet", "--release", "--manifest-path", MANIFEST, "--target-dir"]);
    cargo.arg(bench.workspace.target_folder()?.join("bench-rate"));
    cargo.args(["--", &bench.threads.to_string(), algorithm]);
    let printed = process::stdout(&mut cargo)?;
    parse(&String::from_utf8_lossy(&printed), algorithm).context("cannot read what it printed")
}

/// `name one-thread all-threads`.
fn parse(line: &str, algorithm: &str) -> Option<Rates> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let [name, one_thread, all_threads] = words[..] else { return None };
    let rates = Rates { one_thread: one_thread.parse().ok()?, all_threads: all_threads.parse().ok()? };
    (name == algorithm).then_some(rates)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rates_of_a_line() {
        let rates = Rates { one_thread: 812.5, all_threads: 1600.0 };
        assert_eq!(parse("md5 812.5 1600.0\n", "md5"), Some(rates));
        assert_eq!(parse("md5 812.5 1600.0\n", "sha1"), None);
        assert_eq!(parse("md5 812.5\n", "md5"), None);
    }
}
