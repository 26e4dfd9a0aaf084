//! The library's kernels against OpenSSL's, in one process of a package of its own (`bench/kernels`).

use std::fmt::Write;

use anyhow::{Context, Result};

use super::record::Sheet;
use super::statistics::Spread;
use crate::process;
use crate::workspace::Workspace;

/// It links OpenSSL, which pfh does not; and xtask does not import the library.
const MANIFEST: &str = "bench/kernels/Cargo.toml";

/// Name, which the program takes too, and question.
pub(super) const EXPERIMENTS: [(&str, &str); 3] = [
    ("kernels", "How fast is each kernel with all its lanes full, for messages of 8 KiB?"),
    ("backends", "How fast are the lanes of each backend, for messages of 8 KiB?"),
    ("strings", "How fast are strings of 16 and 100 bytes?"),
];

pub(super) const METHOD: &str = "One thread, CPU time of the thread, rounds that alternate with OpenSSL's EVP of the same algorithm \
     (context used again) in the same process; every digest is compared. Ratios are medians over rounds of the ratio in a round.";

pub(super) const CSV_HEAD: &str = "experiment,algorithm,what,unit,round,rate,openssl_rate\r\n";

/// Runs one experiment: a section of the record with a line for each kernel, and the rates of all rounds.
pub(super) fn measure(workspace: &Workspace, name: &str) -> Result<Sheet> {
    let mut cargo = workspace.cargo();
    cargo.args(["run", "--quiet", "--release", "--manifest-path", MANIFEST, "--target-dir"]);
    cargo.arg(workspace.target_folder()?.join("bench-kernels")).args(["--", "--raw", name]);
    let printed = process::stdout(&mut cargo).context("the kernels could not be measured (they need libssl-dev)")?;
    let printed = String::from_utf8_lossy(&printed);
    let (version, lines) = printed.split_once('\n').unwrap_or_default();
    Ok(Sheet { text: section(version, lines), csv: lines.lines().map(|line| format!("{line}\r\n")).collect() })
}

/// The rounds of one kernel, backend or length.
struct Row<'t> {
    algorithm: &'t str,
    what: &'t str,
    unit: &'t str,
    rates: Vec<f64>,
    ratios: Vec<f64>,
}

fn rows(lines: &str) -> Vec<Row<'_>> {
    let mut rows: Vec<Row<'_>> = Vec::new();
    for line in lines.lines() {
        let words: Vec<&str> = line.split(',').collect();
        let [_, algorithm, what, unit, _, rate, openssl] = words[..] else { continue };
        let Ok(rate) = rate.parse::<f64>() else { continue };
        if rows.last().is_none_or(|row| (row.algorithm, row.what) != (algorithm, what)) {
            rows.push(Row { algorithm, what, unit, rates: Vec::new(), ratios: Vec::new() });
        }
        if let Some(row) = rows.last_mut() {
            row.rates.push(rate);
            row.ratios.extend(openssl.parse::<f64>().ok().map(|openssl| rate / openssl));
        }
    }
    rows
}

fn section(version: &str, lines: &str) -> String {
    let mut text = format!("{version}\n\n| algorithm | | median | min–max | | × OpenSSL |\n|{}\n", " --- |".repeat(6));
    for Row { algorithm, what, unit, rates, ratios } in rows(lines) {
        let Some(Spread { median, least, greatest }) = Spread::of(rates) else { continue };
        let ratio = Spread::of(ratios).map_or("–".to_owned(), |ratio| format!("{:.2}", ratio.median));
        let _ = writeln!(text, "| {algorithm} | {what} | {median:.2} | {least:.2}–{greatest:.2} | {unit} | {ratio} |");
    }
    text.push('\n');
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_become_a_line() {
        let lines =
            "kernels,md5,a-x2,GB/s,1,4.0,1.0\nkernels,md5,a-x2,GB/s,2,6.0,1.0\nkernels,tiger,a-x1,GB/s,1,1.0,\n";
        let text = section("OpenSSL 9", lines);
        assert!(text.starts_with("OpenSSL 9\n"));
        assert!(text.contains("| md5 | a-x2 | 5.00 | 4.00–6.00 | GB/s | 5.00 |\n"), "{text}");
        assert!(text.contains("| tiger | a-x1 | 1.00 | 1.00–1.00 | GB/s | – |\n"), "{text}");
    }
}
