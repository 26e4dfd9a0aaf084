//! All claims of the five studies, and how each is judged: [`page`].

use std::fmt::Write as _;

use super::{Claim, Finding, claims, evaluate};
use crate::measurements::Measurements;
use crate::published::{self, Refit};

/// A claim of a study: where it stands there, and what becomes of it here.
struct Listed {
    id: &'static str,
    /// The tables or the section of the study.
    source: &'static str,
    figure: &'static str,
    /// How it is judged, by the experiment that [`Claim`] names.
    rule: &'static str,
}

const fn listed(id: &'static str, source: &'static str, figure: &'static str, rule: &'static str) -> Listed {
    Listed { id, source, figure, rule }
}

/// A study, and its claims in its own order.
const STUDIES: [(&str, &str, &[Listed]); 5] = [
    (
        "Gurjar et al. 2015",
        "Gurjar, Baggili, Breitinger, Fischer: An Empirical Comparison of Widely Adopted Hash Functions in Digital Forensics (ADFSL \
         2015)",
        &[
            listed("G1", "tables 4, 7, 10, 13", "slopes within 2 %", "ratio of slopes, the same within 5 %"),
            listed("G2", "tables 3 to 14", "2.02, 3.08, 1.65, 3.73 ×", "ratio of slopes, about the stated factor"),
            listed(
                "G3",
                "tables 4, 7, 10, 13",
                "2.75, 3.02, 8.96, 9.56 ms/MB",
                "ratios of neighbours' slopes, above 1",
            ),
            listed("G4", "tables 4, 7, 10, 13", "3.0 to 3.5 ×", "ratios of slopes, about 3"),
            listed("G5", "tables 3 to 14", "R² 0.9999 and more", "R² of at least 0.999, over 2 MiB to 1 GiB"),
            listed("G6", "tables 11 and 14", "2.84 and 3.27 ×", "1 GiB over twice 512 MiB, about the published ratio"),
            listed("G7", "tables 11 and 14", "9.67 and 9.27 ms/MB in C", "ratio of slopes, above 1; on Windows only"),
            listed(
                "G8",
                "table 15",
                "72 (83 with Windows) and 322 min",
                "difference of the lines at 722 GB, at least the table's for one system",
            ),
        ],
    ),
    (
        "Breitinger 2013",
        "Breitinger, Petrov: Reducing time cost in hashing operations (2013)",
        &[
            listed(
                "B1",
                "table III",
                "83.67, 69.05, 52.19 s",
                "stand-alone over MTP and over SMT, about the published ratios",
            ),
            listed(
                "B2",
                "table IV",
                "51.64 to 52.19 s, sdhash 89.09 s",
                "ratios to MD5: the same within 5 %; sdhash above 1",
            ),
            listed("B3", "table IX", "52.05 and 60.09 s", "two over one, about 1.15"),
            listed("B4", "table VIII", "66.20 to 66.39 s, 51.62 to 51.81 s", "ratios to 256 MB, the same within 5 %"),
            listed("B5", "table VII", "10.15 and 5.30 s against 17.68 and 6.23 s", "MTP over SMT, above 1"),
            listed("B6", "table I", "0.58, 2.24, 2.78, 9.79 ×", "ratios of processor time, about the published ones"),
            listed("B7", "table XII", "52.04, 69.81, 337.11 s", "ratios of neighbours, above 1"),
            listed(
                "B8",
                "table V",
                "68.34 of 119.21 s, 186.56 of 4140 s",
                "stand-alone over pfh, about the published ratios",
            ),
        ],
    ),
    (
        "Adhiwijna 2019",
        "Adhiwijna: Hash Function Performance (2019)",
        &[
            listed(
                "A1",
                "runs of 10⁷ strings",
                "7.9 to 8.2 s, the others 10.0 to 18.2 s",
                "each of the other six over the dearest of the three, above 1",
            ),
            listed("A2", "runs of 10⁷ strings", "1.36 and 1.83 ×", "ratios to SHA-256, about 1.36 and 1.80"),
            listed("A3", "runs of 10⁷ strings", "7.9, 10.0, 11.5 s", "ratios of neighbours, above 1"),
            listed("A4", "runs of 10⁷ strings", "1.19 ×", "BLAKE2b over BLAKE2s, above 1"),
            listed("A5", "runs of 10³ to 10⁷ strings", "R² 0.999999", "R² of SHA-256 of at least 0.999"),
        ],
    ),
    (
        "AVPreserve 2014",
        "Duryee: What Is the Real Impact of SHA-256? (AVPreserve 2014)",
        &[
            listed("V1", "sixteen runs, processor time", "72.6 %", "processor time of SHA-256 over MD5's, about 1.38"),
            listed(
                "V2",
                "sixteen runs",
                "9.8 and 12.0 %",
                "processor time in real time, at most 15 %; the boxes between the quartiles overlap",
            ),
            listed(
                "V3",
                "sixteen runs",
                "3 and 46 %",
                "how far from the mean three of four runs lie: processor time at most 5 %, real time more",
            ),
            listed("V4", "the runs on a local disk", "within 15 %", "real over processor time, the same within 15 %"),
        ],
    ),
    (
        "Java/.NET 2007",
        "An Empirical Study on the Performance of Java/.Net Cryptographic APIs (2007); its tables were not at hand, only its sentences",
        &[
            listed(
                "J1",
                "ciphers",
                "about 2 ×, Rijndael 1 ×",
                "ratios without reading, about 2; Rijndael the same within 15 %",
            ),
            listed("J2", "ciphers", "–", "each other cipher over the named one, above 1; .NET and Java"),
            listed("J3", "digests", "–", "ratios without reading, above 1; MD5 the same within 15 %"),
            listed(
                "J4",
                "input and output",
                "–",
                "reading over reading and encrypting, at least a tenth; from the page cache a lower bound",
            ),
            listed(
                "J5",
                "garbage collection",
                "0.3 %",
                "time of collection over all time, at most 1 %; an upper bound",
            ),
        ],
    ),
];

fn claim(id: &str) -> Option<&'static Claim> {
    claims().into_iter().find(|claim| claim.id == id)
}

/// All claims as a page in Markdown.
#[must_use]
pub fn page() -> String {
    let mut page = "# The claims of the studies\n\n\
        This page lists every claim of the five studies that pfh follows, with its place, its figure, and the rule by which the \
        laboratory judges it.\n`pfh lab claims` prints this page from the program's own tables, `pfh lab report` judges the \
        results of an experiment, and\n[bias and method](../concepts/bias-and-method.md#how-claims-are-judged) explains how. \
        The studies' figures are in [lab/published](../../lab/published/README.md).\n"
        .to_owned();
    let all: usize = STUDIES.iter().map(|(_, _, listed)| listed.len()).sum();
    let _ = write!(
        page,
        "\nAll {all} are judged. With the studies' own figures each of them holds; a test verifies this.\n"
    );
    for (study, title, listed) in STUDIES {
        let _ = write!(page, "\n## {study}\n\n{title}.\n\n");
        page += "| id | the study says | where | its figure | judged by |\n| --- | --- | --- | --- | --- |\n";
        for Listed { id, source, figure, rule } in listed {
            let says = claim(id).map_or("", |claim| claim.text);
            let how = claim(id).map_or_else(String::new, |claim| format!("`{}`: {rule}", claim.experiment));
            let _ = writeln!(page, "| {id} | {says} | {source} | {figure} | {how} |");
        }
    }
    page + &fits()
}

/// The verdicts of measurements on all claims, as a table in Markdown: a row for each claim, with the experiment that
/// judges it, and where the results lie by the name that the caller gives. Where no results are of that experiment, all
/// that measured something of the claim are named, as their reports judge it, too.
#[must_use]
pub fn verdicts(results: &[(String, Measurements)]) -> String {
    let findings: Vec<(&str, &Measurements, Vec<Finding>)> =
        results.iter().map(|(name, of)| (name.as_str(), of, evaluate(of))).collect();
    let mut table =
        "| claim | the study says | experiment | verdict | results |\n| --- | --- | --- | --- | --- |\n".to_owned();
    for claim in STUDIES.iter().flat_map(|(_, _, listed)| *listed).filter_map(|listed| claim(listed.id)) {
        let is_of_experiment = |of: &Measurements| of.header.experiment == claim.experiment;
        let has_own = results.iter().any(|(_, of)| is_of_experiment(of));
        let is_judging = |(_, of, findings): &&(&str, &Measurements, Vec<Finding>)| {
            let is_measured = || findings.iter().any(|one| one.claim == claim && one.has_figure());
            if has_own { is_of_experiment(of) } else { is_measured() }
        };
        let mut rows = 0;
        for (name, of, findings) in findings.iter().filter(is_judging) {
            let mut verdicts: Vec<String> = Vec::new();
            for profile in of.profiles() {
                let judged = findings.iter().filter(|one| one.claim == claim && one.profile == profile);
                let mut names: Vec<&str> = judged.map(|one| one.verdict.name()).collect();
                names.dedup();
                verdicts.push(format!("{profile}: {}", names.join(", ")));
            }
            let (id, says, experiment, verdicts) = (claim.id, claim.text, claim.experiment, verdicts.join("; "));
            let _ = writeln!(table, "| {id} | {says} | `{experiment}` | {verdicts} | {name} |");
            rows += 1;
        }
        if rows == 0 {
            let _ = writeln!(table, "| {} | {} | `{}` | not measured | – |", claim.id, claim.text, claim.experiment);
        }
    }
    table
}

/// Compares the published fits of 2015 with fits recomputed from the published times.
fn fits() -> String {
    let (mut reproduced, mut swapped, mut discrepant) = (0, 0, 0);
    let mut rows = String::new();
    for row in published::fits() {
        let Some((line, refit)) = published::refit(&row) else { continue };
        let outcome = match &refit {
            Refit::Reproduced => {
                reproduced += 1;
                "the same".to_owned()
            }
            Refit::Swapped(other) => {
                swapped += 1;
                format!("printed in the row of {other}")
            }
            Refit::Discrepant => {
                discrepant += 1;
                "unexplained".to_owned()
            }
        };
        let _ = writeln!(
            rows,
            "| {} | {} | {} | {:.3} + {:.3} · x | {:.3} + {:.3} · x | {:.6} | {outcome} |",
            row.algorithm,
            row.os,
            row.implementation,
            row.intercept_ms,
            row.slope_ms_per_mb,
            line.intercept.value,
            line.slope.value,
            line.r_squared
        );
    }
    format!(
        "\n## The fits of 2015, recomputed\n\nLeast squares over the published times, in milliseconds over MB: {reproduced} of the \
         published lines are the same within rounding,\n{swapped} are printed in the row of another implementation, {discrepant} is \
         unexplained. If a report compares a slope of the study with one of its own, it uses\nthe recomputed one.\n\n\
         | algorithm | system | implementation | published | recomputed | R² | |\n| --- | --- | --- | --- | --- | --- | --- |\n{rows}"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_claim_is_listed_once_and_judged() {
        let ids: Vec<&str> = STUDIES.iter().flat_map(|(_, _, listed)| *listed).map(|listed| listed.id).collect();
        assert_eq!(ids.len(), 30);
        assert_eq!(ids.iter().collect::<std::collections::BTreeSet<_>>().len(), ids.len());
        for (study, _, listed) in STUDIES {
            for Listed { id, .. } in listed {
                assert_eq!(claim(id).map(|claim| claim.study), Some(study), "{id}");
            }
        }
        assert!(claims().iter().all(|claim| ids.contains(&claim.id)));
    }

    #[test]
    fn without_results_no_claim_has_a_verdict() {
        let table = verdicts(&[]);
        assert_eq!(table.lines().count(), 2 + 30);
        assert!(table.lines().skip(2).all(|line| line.ends_with("| not measured | – |")), "{table}");
    }

    #[test]
    fn the_published_fits_are_shown() {
        assert!(page().contains("33 of the published lines are the same within rounding,\n6 are printed in the row of another implementation, 1 is"));
    }
}
