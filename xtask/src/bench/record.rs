//! The dated record of an experiment: Markdown for people, CSV with every sample beside it. Written anew after each
//! comparison, so that a later failure loses nothing.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result};

use super::cache::Cache;
use super::compare::{Comparison, Outcome, Results};
use super::corpus::Prepared;
use super::experiments::READ_FLOOR;
use super::machine::Facts;
use super::runner::Sample;
use super::statistics::Spread;

pub(super) struct Record {
    path: PathBuf,
    text: String,
    csv: String,
}

/// One experiment's part of a record: Markdown, and lines of CSV.
pub(super) struct Sheet {
    pub(super) text: String,
    pub(super) csv: String,
}

/// The head of a record.
pub(super) struct Head<'h> {
    pub(super) name: &'static str,
    pub(super) question: &'static str,
    pub(super) command: &'h str,
    /// How was measured, in sentences.
    pub(super) method: &'h str,
    pub(super) machine: &'h Facts,
    pub(super) versions: &'h Facts,
    pub(super) csv_head: &'static str,
}

pub(super) const CSV_HEAD: &str =
    "comparison,contender,files,bytes,run,wall_s,user_s,system_s,peak_rss_bytes,device_bytes\r\n";

/// How whole processes are measured.
pub(super) fn method(runs: usize) -> String {
    format!(
        "Whole processes, output to /dev/null, {runs} runs each in turning order after one warm-up in which all digests were \
         compared. MB are 10^6 bytes, MiB 2^20. Peak memory is that of the largest single process. *Time ÷* is the contender's \
         median over that of the first line. The *read floor* reads everything and hashes nothing."
    )
}

impl Record {
    pub(super) fn new(folder: &Path, head: &Head<'_>) -> Result<Self> {
        fs::create_dir_all(folder).with_context(|| format!("cannot make `{}`", folder.display()))?;
        let date = date(SystemTime::now().duration_since(UNIX_EPOCH)?.as_secs());
        let mut text = format!("# `{}`, {date}\n\n{}\n\n", head.name, head.question);
        writeln!(text, "Written by `{}`. {}\n", head.command, head.method)?;
        for (title, facts) in [("machine", head.machine), ("version", head.versions)] {
            writeln!(text, "| {title} | |\n| --- | --- |")?;
            for (name, value) in facts {
                writeln!(text, "| {name} | {} |", value.replace('|', "\\|"))?;
            }
            text.push('\n');
        }
        let path = unused(folder, &format!("{date}-{}", head.name));
        Ok(Self { path, text, csv: head.csv_head.to_owned() })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Adds a comparison and writes both files.
    pub(super) fn add(&mut self, comparison: &Comparison, corpus: &Prepared, results: &Results) -> Result<()> {
        let text = section(comparison, corpus, results);
        self.add_sheet(&Sheet { text, csv: csv_lines(&comparison.id, corpus, results) })
    }

    /// Adds a part and writes both files.
    pub(super) fn add_sheet(&mut self, sheet: &Sheet) -> Result<()> {
        println!("{}", sheet.text);
        self.text.push_str(&sheet.text);
        self.csv.push_str(&sheet.csv);
        for (extension, contents) in [("md", &self.text), ("csv", &self.csv)] {
            let path = self.path.with_extension(extension);
            fs::write(&path, contents).with_context(|| format!("cannot write `{}`", path.display()))?;
        }
        Ok(())
    }
}

/// A path (with `.md`) that no earlier record has.
fn unused(folder: &Path, name: &str) -> PathBuf {
    let candidates = std::iter::once(name.to_owned()).chain((2..).map(|number| format!("{name}-{number}")));
    let mut paths = candidates.map(|name| folder.join(format!("{name}.md")));
    paths.find(|path| !path.exists()).unwrap_or_else(|| folder.join(format!("{name}.md")))
}

/// `2026-11-20` (UTC) for seconds since 1970. Days to date as in Howard Hinnant, "chrono-compatible low-level date
/// algorithms", `civil_from_days`.
fn date(seconds: u64) -> String {
    let days = seconds / 86_400 + 719_468;
    let (era, day_of_era) = (days / 146_097, days % 146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    // Months counted from March, so that the leap day comes last.
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    let year = era * 400 + year_of_era + u64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02}")
}

/// The medians of a contender's samples.
struct Figures {
    wall: Spread,
    user_s: f64,
    system_s: f64,
    peak_rss_bytes: f64,
    device_bytes: f64,
}

impl Figures {
    fn of(samples: &[Sample]) -> Option<Self> {
        let median = |value: fn(&Sample) -> f64| Spread::of(samples.iter().map(value)).map(|spread| spread.median);
        Some(Self {
            wall: Spread::of(samples.iter().map(|sample| sample.wall_s))?,
            user_s: median(|sample| sample.user_s)?,
            system_s: median(|sample| sample.system_s)?,
            // The greatest, not the median: a ceiling is to be kept always.
            peak_rss_bytes: Spread::of(samples.iter().map(|sample| sample.peak_rss_bytes as f64))?.greatest,
            device_bytes: median(|sample| sample.device_bytes as f64)?,
        })
    }
}

fn section(comparison: &Comparison, corpus: &Prepared, results: &Results) -> String {
    let mut text = format!(
        "## {}\n\nCorpus `{}`: {} files, {} bytes; cache {}.\n\n",
        comparison.id,
        corpus.folder,
        corpus.files,
        corpus.bytes,
        comparison.cache.name()
    );
    if !results.rows.is_empty() {
        table(&mut text, comparison, corpus, results);
        text.push_str("\n```\n");
        for row in &results.rows {
            text.push_str(&format!("{}\n", row.command));
        }
        text.push_str("```\n\n");
    }
    for note in notes(comparison, corpus, results) {
        text.push_str(&format!("{note}\n\n"));
    }
    text
}

fn table(text: &mut String, comparison: &Comparison, corpus: &Prepared, results: &Results) {
    const MIB: f64 = 1024.0 * 1024.0;
    let with_option = results.rows.iter().any(|row| row.memory_option_bytes.is_some());
    let with_device = comparison.cache != Cache::Hot;
    let mut heads = vec!["contender", "median s", "min–max s", "MB/s", "files/s", "user s", "system s", "peak MiB"];
    heads.extend(with_option.then_some("peak − option MiB"));
    heads.extend(with_device.then_some("from device MB"));
    heads.push("time ÷");
    text.push_str(&format!("| {} |\n|{}\n", heads.join(" | "), " --- |".repeat(heads.len())));
    let reference = results.rows.first().and_then(|row| row.figures()).map(|figures| figures.wall.median);
    for row in &results.rows {
        let mut cells = vec![row.label.replace('|', "\\|")];
        match (&row.outcome, row.figures()) {
            (Outcome::Measured(_), Some(figures)) => {
                let wall = figures.wall;
                cells.push(format!("{:.3}", wall.median));
                cells.push(format!("{:.3}–{:.3}", wall.least, wall.greatest));
                cells.push(format!("{:.0}", corpus.bytes as f64 / 1e6 / wall.median));
                cells.push(format!("{:.0}", corpus.files as f64 / wall.median));
                cells.push(format!("{:.2}", figures.user_s));
                cells.push(format!("{:.2}", figures.system_s));
                cells.push(format!("{:.1}", figures.peak_rss_bytes / MIB));
                if with_option {
                    let above = row.memory_option_bytes.map(|option| (figures.peak_rss_bytes - option as f64) / MIB);
                    cells.push(above.map_or(String::new(), |above| format!("{above:.1}")));
                }
                if with_device {
                    cells.push(format!("{:.1}", figures.device_bytes / 1e6));
                }
                cells.push(reference.map_or(String::new(), |reference| format!("{:.2}", wall.median / reference)));
            }
            (Outcome::Missing, _) => cells.push("not installed".to_owned()),
            (Outcome::Failed(_) | Outcome::Measured(_), _) => cells.push("FAILED".to_owned()),
        }
        cells.resize(heads.len(), String::new());
        text.push_str(&format!("| {} |\n", cells.join(" | ")));
    }
}

impl super::compare::Row {
    fn figures(&self) -> Option<Figures> {
        match &self.outcome {
            Outcome::Measured(samples) => Figures::of(samples),
            Outcome::Missing | Outcome::Failed(_) => None,
        }
    }
}

fn notes(comparison: &Comparison, corpus: &Prepared, results: &Results) -> Vec<String> {
    let mut notes = results.notes.clone();
    for row in &results.rows {
        if let Outcome::Failed(error) = &row.outcome {
            notes.push(format!("**{} failed:** {error}", row.label));
        }
        let device_bytes = row.figures().map_or(0.0, |figures| figures.device_bytes);
        // Programs and libraries are read too: a few MB say nothing.
        if comparison.cache == Cache::Hot && device_bytes > 0.01 * corpus.bytes as f64 + 20e6 {
            let share = 100.0 * device_bytes / corpus.bytes as f64;
            notes.push(format!("**Not hot:** {} read {share:.0} % of the bytes from the device.", row.label));
        }
        if comparison.cache != Cache::Hot && row.figures().is_some() && device_bytes < 0.5 * corpus.bytes as f64 {
            notes.push(format!("**Not {}:** {} found bytes in the page cache.", comparison.cache.name(), row.label));
        }
    }
    let floor = results.rows.iter().find(|row| row.label == READ_FLOOR).and_then(|row| row.figures());
    let first = results.rows.first().filter(|row| row.label != READ_FLOOR).and_then(|row| row.figures());
    if let (Some(floor), Some(first)) = (floor, first) {
        let share = 100.0 * floor.wall.median / first.wall.median;
        notes.push(format!("{} reaches {share:.0} % of the read floor's speed.", results.rows[0].label));
    }
    notes
}

fn csv_lines(id: &str, corpus: &Prepared, results: &Results) -> String {
    let mut lines = String::new();
    for row in &results.rows {
        let Outcome::Measured(samples) = &row.outcome else { continue };
        for (run, sample) in samples.iter().enumerate() {
            let Sample { wall_s, user_s, system_s, peak_rss_bytes, device_bytes } = sample;
            lines.push_str(&format!(
                "{id},\"{}\",{},{},{},{wall_s:.6},{user_s:.6},{system_s:.6},{peak_rss_bytes},{device_bytes}\r\n",
                row.label.replace('"', "\"\""),
                corpus.files,
                corpus.bytes,
                run + 1
            ));
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::super::compare::Row;
    use super::super::corpus::Corpus;
    use super::*;

    fn row(label: &str, walls: &[f64]) -> Row {
        let sample =
            |&wall_s: &f64| Sample { wall_s, user_s: 1.0, system_s: 0.5, peak_rss_bytes: 24 << 20, device_bytes: 0 };
        Row {
            label: label.to_owned(),
            command: format!("{label} x"),
            memory_option_bytes: None,
            outcome: Outcome::Measured(walls.iter().map(sample).collect()),
        }
    }

    fn comparison() -> Comparison {
        Comparison {
            id: "hot/real/md5".to_owned(),
            corpus: Corpus::Real,
            cache: Cache::Hot,
            contenders: Vec::new(),
            yardstick: None,
        }
    }

    #[test]
    fn dates() {
        // As Python's datetime has them: the epoch, a leap day, a century without one, 10^9 seconds.
        for (seconds, expected) in [
            (0, "1970-01-01"),
            (951_782_400, "2000-02-29"),
            (4_107_456_000, "2100-02-28"),
            (4_107_542_400, "2100-03-01"),
            (1_000_000_000, "2001-09-09"),
        ] {
            assert_eq!(date(seconds), expected);
        }
    }

    #[test]
    fn a_section_states_medians_and_ratios() {
        let corpus = Prepared { folder: "real".to_owned(), files: 100, bytes: 200_000_000 };
        let mut rows = vec![row("pfh", &[1.0, 3.0, 2.0]), row(READ_FLOOR, &[1.0]), row("peer", &[8.0, 8.0])];
        rows[0].memory_option_bytes = Some(20 << 20);
        let results = Results { rows, notes: Vec::new() };
        let text = section(&comparison(), &corpus, &results);
        assert!(text.contains("| pfh | 2.000 | 1.000–3.000 | 100 | 50 | 1.00 | 0.50 | 24.0 | 4.0 | 1.00 |"), "{text}");
        assert!(text.contains("| peer | 8.000 | 8.000–8.000 | 25 | 12 | 1.00 | 0.50 | 24.0 |  | 4.00 |"), "{text}");
        assert!(text.contains("pfh reaches 50 % of the read floor's speed."), "{text}");
        assert_eq!(csv_lines("hot/real/md5", &corpus, &results).lines().count(), 6);
    }

    #[test]
    fn failures_and_wrong_cache_states_are_told() {
        let corpus = Prepared { folder: "real".to_owned(), files: 1, bytes: 1000 };
        let mut rows = vec![row("pfh", &[1.0]), row("wrong", &[1.0])];
        rows[1].outcome = Outcome::Failed("disagrees".to_owned());
        let results = Results { rows, notes: Vec::new() };
        assert!(section(&comparison(), &corpus, &results).contains("**wrong failed:** disagrees"));
        let cold = Comparison { cache: Cache::Cold, ..comparison() };
        assert!(section(&cold, &corpus, &results).contains("**Not cold:** pfh found bytes in the page cache."));
    }
}
