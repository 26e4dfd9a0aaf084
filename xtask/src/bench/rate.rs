//! The library's rate in memory beside the program's over large files.

use anyhow::{Context, Result, ensure};

use super::compare::{Bench, Outcome};
use super::corpus::Prepared;
use super::runner;
use super::statistics::Spread;

const COMMAND: &str = "pfh algorithms --measure";

/// One sentence: the rate in memory, the rate over the corpus, and their ratio; or why there is none.
pub(super) fn note(bench: &Bench<'_>, algorithm: &str, corpus: &Prepared, outcome: &Outcome) -> String {
    let rates = in_memory(bench, algorithm).and_then(|in_memory| {
        let Outcome::Measured(samples) = outcome else { anyhow::bail!("pfh was not measured") };
        let wall = Spread::of(samples.iter().map(|sample| sample.wall_s)).context("no samples")?;
        Ok((in_memory, corpus.bytes as f64 / wall.median))
    });
    match rates {
        Ok((in_memory, over_files)) => {
            let cores = bench.threads as f64;
            format!(
                "{algorithm} in memory: {:.0} MB/s per core (`{COMMAND}`), × {cores} cores = {:.0} MB/s; over the files: \
                 {:.0} MB/s, {:.1} % of that.",
                in_memory / 1e6,
                in_memory * cores / 1e6,
                over_files / 1e6,
                100.0 * over_files / (in_memory * cores)
            )
        }
        Err(error) => format!("No rate in memory to compare with: {error:#}."),
    }
}

/// Bytes per second of one core.
fn in_memory(bench: &Bench<'_>, algorithm: &str) -> Result<f64> {
    let output = runner::shell(COMMAND, bench.store.folder(), bench.path).output()?;
    ensure!(output.status.success(), "this pfh does not know `{COMMAND}`");
    parse(&String::from_utf8_lossy(&output.stdout), algorithm)
        .with_context(|| format!("`{COMMAND}` states no MB/s for {algorithm}"))
}

/// The number before `MB/s` in the line that begins with the algorithm's name.
fn parse(table: &str, algorithm: &str) -> Option<f64> {
    let line = table.lines().find(|line| line.split_whitespace().next() == Some(algorithm))?;
    let (before, _) = line.split_once("MB/s")?;
    before.split_whitespace().last()?.parse::<f64>().ok().map(|megabytes| megabytes * 1e6)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rate_of_a_line() {
        let table = "name bits rate\nmd5-x 128 9 MB/s\nmd5   128  broken  812.5 MB/s\nsha1 160 broken\n";
        assert_eq!(parse(table, "md5"), Some(812.5e6));
        assert_eq!(parse(table, "sha1"), None);
        assert_eq!(parse(table, "sha256"), None);
    }
}
