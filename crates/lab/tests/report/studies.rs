//! The page of the studies' tables and claims, docs/reference/studies.md, against the records, the claims and the
//! published tables.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use pfh_lab::claims::{self, Claim, claims};
use pfh_lab::measurements::Measurements;

use crate::recorded;

/// The experiments that judge claims; a test of the claims knows that there are no others.
const EXPERIMENTS: [&str; 5] = ["languages", "tree", "strings", "fixity", "ciphers"];

fn repository() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The cells of all rows of the first table after a heading, without its head.
fn rows(page: &str, heading: &str) -> Vec<Vec<String>> {
    let (_, after) = page.split_once(heading).unwrap_or_else(|| panic!("no {heading}"));
    let lines = after.lines().skip_while(|line| !line.starts_with('|')).take_while(|line| line.starts_with('|'));
    let cells = |line: &str| line.trim_matches('|').split('|').map(|cell| cell.trim().to_owned()).collect();
    lines.skip(2).map(cells).collect()
}

fn page() -> String {
    fs::read_to_string(repository().join("docs/reference/studies.md")).expect("the page")
}

fn claim(id: &str) -> &'static Claim {
    claims().into_iter().find(|claim| claim.id == id).unwrap_or_else(|| panic!("no claim {id}"))
}

/// The numbers of tables in a text, such as `tables 3 to 5`, `11 and 14` or `X, XI`; others than numbers are no tables.
fn tables(text: &str) -> BTreeSet<String> {
    let words: Vec<&str> = text.split([' ', ',']).filter(|word| !word.is_empty()).collect();
    let mut tables: BTreeSet<String> = words
        .iter()
        .filter(|word| word.chars().all(|c| c.is_ascii_digit()) || word.chars().all(|c| "IVX".contains(c)))
        .map(|word| (*word).to_owned())
        .collect();
    for range in words.windows(3).filter(|words| words[1] == "to") {
        if let (Ok(first), Ok(last)) = (range[0].parse::<u32>(), range[2].parse::<u32>()) {
            tables.extend((first..=last).map(|number| number.to_string()));
        }
    }
    tables
}

/// The verdicts of the recorded runs on all claims, as `pfh lab claims RESULTS…` prints them.
#[test]
fn the_rows_of_claims_are_those_of_the_records() {
    let records: Vec<(String, Measurements)> =
        EXPERIMENTS.iter().map(|name| ((*name).to_owned(), recorded::measurements(name))).collect();
    let printed = format!("## Claims\n{}", claims::verdicts(&records));
    let (printed, listed) = (rows(&printed, "## Claims"), rows(&page(), "## Claims"));
    assert_eq!(printed.len(), claims().len());
    for (printed, listed) in printed.iter().zip(&listed) {
        let [id, says, experiment, verdicts, record] = &printed[..] else { panic!("{printed:?}") };
        let [on_page @ .., command, of_page, results] = &listed[..] else { panic!("{listed:?}") };
        assert_eq!((on_page, of_page), (&[id.clone(), says.clone(), experiment.clone()][..], verdicts), "{id}");
        assert_eq!(results, &format!("[{record}](../../bench/lab/{record}/report.md)"), "{id}");
        assert!(command.starts_with(&format!("`pfh lab run {record} ")), "{id}: {command}");
    }
    assert_eq!(printed.len(), listed.len());
}

/// A claim stands beside a table from which it is, under the experiment that judges it, with the verdict of today.
#[test]
fn the_rows_of_tables_name_the_claims_of_these_tables_and_their_experiments() {
    let page = page();
    let today: BTreeMap<String, String> = rows(&page, "## Claims")
        .into_iter()
        .map(|row| (row[0].clone(), row[4].split(';').next().unwrap_or_default().replace("today: ", "")))
        .collect();
    let printed = claims::page();
    let mut from: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for study in printed.split("\n## ").filter(|study| study.contains("| id |")) {
        from.extend(rows(study, "\n").into_iter().map(|row| (row[0].clone(), tables(&row[2]))));
    }
    assert_eq!(from.len(), claims().len());
    let mut named = BTreeSet::new();
    for row in rows(&page, "## Tables") {
        let [study, table, _, by, record, command, verdicts] = &row[..] else { panic!("{row:?}") };
        let here = tables(table);
        let (_, experiment) = by.split_once('`').unwrap_or_else(|| panic!("no experiment: {row:?}"));
        let experiment = experiment.split('`').next().unwrap_or_default();
        assert!(command.starts_with(&format!("`pfh lab run {experiment} ")), "{study}, {table}: {command}");
        let report = format!("../../bench/lab/{experiment}/report.md");
        let is_recorded = record != "not recorded";
        assert!(!is_recorded || record.starts_with(&format!("[{experiment}]({report})")), "{study}, {table}: {record}");
        if is_recorded {
            let report = repository().join(format!("bench/lab/{experiment}/report.md"));
            let report = fs::read_to_string(report).expect("a report");
            // Sections and trials are named as they are there.
            let place = if by.contains("section") { "\n## " } else { "" };
            for title in by.split('"').skip(1).step_by(2) {
                let is_there = report.contains(&format!("{place}{title}"));
                assert!(is_there, "{study}, {table}: no {title} in the report of `{experiment}`");
            }
        }
        if verdicts == "no claim" {
            let of_study = claims().into_iter().filter(|claim| study.starts_with(claim.study));
            let judged: Vec<_> = of_study.filter(|claim| !from[claim.id].is_disjoint(&here)).collect();
            assert!(judged.is_empty(), "{study}, {table}: {judged:?}");
            continue;
        }
        for entry in verdicts.split("; ") {
            let (id, verdict) = entry.split_once(' ').unwrap_or_else(|| panic!("{row:?}"));
            assert!(claim(id).study.starts_with(study.split(' ').next().unwrap_or_default()), "{id}: {study}");
            assert_eq!(claim(id).experiment, experiment, "{id}, {table}");
            assert_eq!(today[id], verdict, "{id}, {table}");
            assert!(from[id].is_empty() || !from[id].is_disjoint(&here), "{id} is of {:?}, not of {table}", from[id]);
            assert!(named.insert(id.to_owned()), "{id} stands in two rows");
        }
    }
    assert_eq!(named, claims().iter().map(|claim| claim.id.to_owned()).collect());
}

/// Each table whose figures come with pfh has a row, and each that a claim is from.
#[test]
fn every_published_table_has_a_row() {
    let rows = rows(&page(), "## Tables");
    let of = |study: &str| -> BTreeSet<String> {
        rows.iter().filter(|row| row[0] == study).flat_map(|row| tables(&row[1])).collect()
    };
    let published = repository().join("lab/published/breitinger2013_tables.csv");
    let published = fs::read_to_string(published).expect("published tables");
    let published: BTreeSet<String> =
        published.lines().skip(1).filter_map(|line| Some(line.split_once(',')?.0.to_owned())).collect();
    assert!(published.len() > 10 && published.is_subset(&of("Breitinger 2013")), "{published:?}");
    assert_eq!(of("Gurjar 2015"), tables("tables 3 to 15"));
    for study in ["Adhiwijna 2019", "AVPreserve 2014", "Java/.NET 2007"] {
        assert!(rows.iter().any(|row| row[0] == study), "{study}");
    }
}
