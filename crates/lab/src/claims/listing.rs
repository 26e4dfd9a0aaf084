//! All claims of the five studies, those that the laboratory judges and those that it does not yet: [`page`].

use std::fmt::Write as _;

use super::{Claim, claims};
use crate::published::{self, Refit};

/// A claim of a study: where it stands there, and what becomes of it here.
struct Listed {
    id: &'static str,
    /// The tables or the section of the study.
    source: &'static str,
    figure: &'static str,
    judged: Judged,
}

enum Judged {
    /// By an experiment of the laboratory, which [`Claim`] names, by this rule.
    By(&'static str),
    /// Not yet.
    NotYet { says: &'static str, reason: &'static str },
}

use Judged::{By, NotYet};

const fn listed(id: &'static str, source: &'static str, figure: &'static str, judged: Judged) -> Listed {
    Listed { id, source, figure, judged }
}

const NEEDS_CORPUS: &str =
    "It needs the study's corpus on a slow device, read cold; no experiment of the laboratory reads a disk.";
const NEEDS_STORAGE: &str = "It needs storage; no experiment of the laboratory reads a disk or a network.";

/// A study, and its claims in its own order.
const STUDIES: [(&str, &str, &[Listed]); 5] = [
    (
        "Gurjar et al. 2015",
        "Gurjar, Baggili, Breitinger, Fischer: An Empirical Comparison of Widely Adopted Hash Functions in Digital Forensics (ADFSL \
         2015)",
        &[
            listed("G1", "tables 4, 7, 10, 13", "slopes within 2 %", By("ratio of slopes, the same within 5 %")),
            listed("G2", "tables 3 to 14", "2.02, 3.08, 1.65, 3.73 ×", By("ratio of slopes, about the stated factor")),
            listed(
                "G3",
                "tables 4, 7, 10, 13",
                "2.75, 3.02, 8.96, 9.56 ms/MB",
                By("ratios of neighbours' slopes, above 1"),
            ),
            listed("G4", "tables 4, 7, 10, 13", "3.0 to 3.5 ×", By("ratios of slopes, about 3")),
            listed("G5", "tables 3 to 14", "R² 0.9999 and more", By("R² of at least 0.999, over 2 MiB to 1 GiB")),
            listed(
                "G6",
                "tables 11 and 14",
                "2.84 and 3.27 ×",
                By("1 GiB over twice 512 MiB, about the published ratio"),
            ),
            listed(
                "G7",
                "tables 11 and 14",
                "9.67 and 9.27 ms/MB in C",
                By("ratio of slopes, above 1; on Windows only"),
            ),
            listed(
                "G8",
                "table 15",
                "72 (83 with Windows) and 322 min",
                By("difference of the lines at 722 GB, at least the table's for one system"),
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
                NotYet {
                    says: "On a slow device MTP with one prefetcher and one worker saves about 40 % of stand-alone ssdeep's time; SMT saves 17.5 %",
                    reason: NEEDS_CORPUS,
                },
            ),
            listed(
                "B2",
                "table IV",
                "51.64 to 52.19 s, sdhash 89.09 s",
                NotYet {
                    says: "With MTP every algorithm but sdhash takes the same time at two threads: the device is the limit",
                    reason: NEEDS_CORPUS,
                },
            ),
            listed(
                "B3",
                "table IX",
                "52.05 and 60.09 s",
                NotYet {
                    says: "A second prefetcher costs about 15 % on one hard disk",
                    reason: "It needs a hard disk.",
                },
            ),
            listed(
                "B4",
                "table VIII",
                "66.20 to 66.39 s, 51.62 to 51.81 s",
                NotYet { says: "The size of the memory table (128 to 512 MB) does not matter", reason: NEEDS_CORPUS },
            ),
            listed(
                "B5",
                "table VII",
                "10.15 and 5.30 s against 17.68 and 6.23 s",
                NotYet {
                    says: "With the corpus cached, SMT beats MTP at two and four threads",
                    reason: "`cargo xtask bench` measures pfh's modes over cached trees; it is no experiment of the laboratory.",
                },
            ),
            listed(
                "B6",
                "table I",
                "0.58, 2.24, 2.78, 9.79 ×",
                NotYet {
                    says: "Relative cost to SHA-1: MD5 0.58, MRSH-v2 2.24, ssdeep 2.78, sdhash 9.78",
                    reason: "No runner offers similarity digests.",
                },
            ),
            listed(
                "B7",
                "table XII",
                "52.04, 69.81, 337.11 s",
                NotYet {
                    says: "MTP beats GNU parallel, which beats ppss",
                    reason: "No experiment of the laboratory compares programs over files.",
                },
            ),
            listed(
                "B8",
                "table V",
                "68.34 of 119.21 s, 186.56 of 4140 s",
                NotYet {
                    says: "All-against-all with ssdeep takes 57 % of stand-alone's time; sdhash falls from over 69 minutes to 187 s",
                    reason: "No experiment of the laboratory compares similarity digests.",
                },
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
                By("each of the other six over the dearest of the three, above 1"),
            ),
            listed("A2", "runs of 10⁷ strings", "1.36 and 1.83 ×", By("ratios to SHA-256, about 1.36 and 1.80")),
            listed("A3", "runs of 10⁷ strings", "7.9, 10.0, 11.5 s", By("ratios of neighbours, above 1")),
            listed("A4", "runs of 10⁷ strings", "1.19 ×", By("BLAKE2b over BLAKE2s, above 1")),
            listed("A5", "runs of 10³ to 10⁷ strings", "R² 0.999999", By("R² of SHA-256 of at least 0.999")),
        ],
    ),
    (
        "AVPreserve 2014",
        "Duryee: What Is the Real Impact of SHA-256? (AVPreserve 2014)",
        &[
            listed(
                "V1",
                "sixteen runs, processor time",
                "72.6 %",
                By("processor time of SHA-256 over MD5's, about 1.38"),
            ),
            listed(
                "V2",
                "sixteen runs",
                "9.8 and 12.0 %",
                NotYet {
                    says: "On network storage processor time is 10 to 12 % of real time, and the algorithms' real times overlap (quartiles)",
                    reason: NEEDS_STORAGE,
                },
            ),
            listed(
                "V3",
                "sixteen runs",
                "3 and 46 %",
                NotYet {
                    says: "Processor time varies within 3 % of its mean, real time by up to 46 %",
                    reason: NEEDS_STORAGE,
                },
            ),
            listed(
                "V4",
                "the runs on a local disk",
                "within 15 %",
                NotYet {
                    says: "On a local solid-state disk processor time and real time are within 15 % of each other",
                    reason: NEEDS_STORAGE,
                },
            ),
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
                By("ratios without reading, about 2; Rijndael the same within 15 %"),
            ),
            listed("J2", "ciphers", "–", By("each other cipher over the named one, above 1; .NET and Java")),
            listed("J3", "digests", "–", By("ratios without reading, above 1; MD5 the same within 15 %")),
            listed(
                "J4",
                "input and output",
                "–",
                By("reading over reading and encrypting, at least a tenth; from the page cache a lower bound"),
            ),
            listed(
                "J5",
                "garbage collection",
                "0.3 %",
                By("time of collection over all time, at most 1 %; an upper bound"),
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
    let judged =
        STUDIES.iter().flat_map(|(_, _, listed)| *listed).filter(|listed| matches!(listed.judged, By(_))).count();
    let all: usize = STUDIES.iter().map(|(_, _, listed)| listed.len()).sum();
    let _ = write!(
        page,
        "\nOf {all} claims {judged} are judged. With the studies' own figures each of these holds; a test verifies this.\n"
    );
    for (study, title, listed) in STUDIES {
        let _ = write!(page, "\n## {study}\n\n{title}.\n\n");
        page += "| id | the study says | where | its figure | judged by |\n| --- | --- | --- | --- | --- |\n";
        for Listed { id, source, figure, judged } in listed {
            let (says, how) = match (judged, claim(id)) {
                (By(rule), Some(claim)) => (claim.text, format!("`{}`: {rule}", claim.experiment)),
                (By(rule), None) => ("", (*rule).to_owned()),
                (NotYet { says, reason }, _) => (*says, format!("not yet. {reason}")),
            };
            let _ = writeln!(page, "| {id} | {says} | {source} | {figure} | {how} |");
        }
    }
    page + &fits()
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
    fn every_claim_is_listed_once_and_as_it_is_judged() {
        let ids: Vec<&str> = STUDIES.iter().flat_map(|(_, _, listed)| *listed).map(|listed| listed.id).collect();
        assert_eq!(ids.len(), 30);
        assert_eq!(ids.iter().collect::<std::collections::BTreeSet<_>>().len(), ids.len());
        for (study, _, listed) in STUDIES {
            for Listed { id, judged, .. } in listed {
                match (judged, claim(id)) {
                    (By(_), Some(claim)) => assert_eq!(claim.study, study, "{id}"),
                    (NotYet { .. }, None) => {}
                    _ => panic!("{id} is judged and not listed so, or the other way round"),
                }
            }
        }
        assert!(claims().iter().all(|claim| ids.contains(&claim.id)));
    }

    #[test]
    fn the_published_fits_are_shown() {
        assert!(page().contains("33 of the published lines are the same within rounding,\n6 are printed in the row of another implementation, 1 is"));
    }
}
