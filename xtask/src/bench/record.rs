//! Dated records: the laboratory's report, its figures, and every single run.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde_json::Value;

/// The file with every single run, in the folder of the results.
pub(super) const RESULTS: &str = "results.jsonl";

/// Facts that a record tells beside the report.
pub(super) struct Head<'h> {
    pub(super) name: &'h str,
    pub(super) command: &'h str,
    pub(super) notes: &'h [String],
}

/// Copies the report of some results to a folder, as `DATE-NAME.md`, with `.csv` and `.jsonl` beside it. An earlier
/// record stays as it is.
pub(super) fn file(results: &Path, folder: &Path, head: &Head<'_>) -> Result<PathBuf> {
    let read = |name: &str| {
        let path = results.join(name);
        fs::read_to_string(&path).with_context(|| format!("cannot read `{}`", path.display()))
    };
    let (runs, figures, report) = (read(RESULTS)?, read("report.csv")?, read("report.md")?);
    fs::create_dir_all(folder).with_context(|| format!("cannot make `{}`", folder.display()))?;
    let record = unused(folder, &format!("{}-{}", date(&runs)?, head.name));
    for (extension, text) in [("jsonl", runs), ("csv", figures), ("md", with_head(&report, head))] {
        let path = record.with_extension(extension);
        fs::write(&path, text).with_context(|| format!("cannot write `{}`", path.display()))?;
    }
    Ok(record)
}

/// The report, with a paragraph after its title.
fn with_head(report: &str, head: &Head<'_>) -> String {
    let (title, rest) = report.split_once('\n').unwrap_or((report, ""));
    let written = format!("Written by `{}`.", head.command);
    let paragraph: Vec<&str> = std::iter::once(written.as_str()).chain(head.notes.iter().map(String::as_str)).collect();
    format!("{title}\n\n{}\n{rest}", paragraph.join(" "))
}

/// The day on which these results were begun: `2026-11-24`.
fn date(runs: &str) -> Result<String> {
    let header: Value =
        serde_json::from_str(runs.lines().next().unwrap_or_default()).context("no header of results")?;
    let started = header["started"].as_str().and_then(|time| time.get(..10));
    Ok(started.context("the header of the results lacks its time")?.to_owned())
}

/// A path (with `.md`) that no earlier record has.
fn unused(folder: &Path, name: &str) -> PathBuf {
    let candidates = std::iter::once(name.to_owned()).chain((2..).map(|number| format!("{name}-{number}")));
    let mut paths = candidates.map(|name| folder.join(format!("{name}.md")));
    paths.find(|path| !path.exists()).unwrap_or_else(|| folder.join(format!("{name}.md")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_has_the_day_and_never_replaces_another() {
        let folder = std::env::temp_dir().join(format!("xtask-record-{}", std::process::id()));
        let (results, records) = (folder.join("run"), folder.join("records"));
        fs::create_dir_all(&results).expect("a folder");
        let header = "{\"type\":\"header\",\"started\":\"2026-11-24T10:00:00Z\"}\n";
        for (name, text) in [(RESULTS, header), ("report.csv", "a,b\n"), ("report.md", "# Title\n\nText.\n")] {
            fs::write(results.join(name), text).expect("written");
        }
        let notes = ["Skipped something.".to_owned()];
        let head = Head { name: "hot", command: "cargo xtask bench", notes: &notes };
        let first = file(&results, &records, &head).expect("a record");
        let second = file(&results, &records, &head).expect("another record");
        let names = [first.clone(), second].map(|path| path.file_name().expect("a name").to_owned());
        assert_eq!(names, ["2026-11-24-hot.md", "2026-11-24-hot-2.md"]);
        let text = fs::read_to_string(&first).expect("there");
        assert_eq!(text, "# Title\n\nWritten by `cargo xtask bench`. Skipped something.\n\nText.\n");
        assert_eq!(fs::read_to_string(first.with_extension("jsonl")).expect("there"), header);
        fs::write(results.join(RESULTS), "{}\n").expect("written");
        assert!(file(&results, &records, &head).is_err());
        fs::remove_dir_all(folder).expect("ours");
    }
}
