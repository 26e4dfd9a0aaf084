//! J1 to J5: the cryptographic libraries of Java and .NET.

use pfh_statistics::{Estimate, Repeats, bootstrap, share_of_sums};

use super::rules::{about, at_least, at_most, equal, more};
use super::view::{Side, View};
use super::{Claim, Figure, Finding, Statement, Verdict};
use crate::quantity::counted;

const STUDY: &str = "Java/.NET 2007";
const EXPERIMENT: &str = "ciphers";

const fn claim(id: &'static str, text: &'static str) -> Claim {
    Claim { id, study: STUDY, text, experiment: EXPERIMENT }
}

static J1: Claim = claim("J1", ".NET's ciphers take about half of Java's time, except 128-bit Rijndael (about equal)");
static J2: Claim = claim("J2", "DES is the fastest cipher in .NET; Rijndael is in Java");
static J3: Claim = claim("J3", ".NET's digests beat Java's, except MD5 (no clear difference)");
static J4: Claim = claim("J4", "File I/O is a material share of the time");
static J5: Claim = claim("J5", "Garbage collection takes about 0.3 % of the time: negligible");

pub(super) const CLAIMS: &[&Claim] = &[&J1, &J2, &J3, &J4, &J5];

/// The nearest to the study's side first: Microsoft's runtime, then the managed code of Mono.
const NET: [&str; 2] = ["cs-dotnet", "cs-mono"];
/// Cryptix is the library of the study.
const JAVA: [&str; 2] = ["java-cryptix", "java-sun"];

const CIPHERS: [(&str, &str); 4] =
    [("des-cbc", "DES"), ("rc2-128-cbc", "RC2"), ("aes-128-cbc", "Rijndael"), ("des-ede3-cbc", "Triple DES")];
const DIGESTS: [(&str, &str); 4] = [("md5", "MD5"), ("sha1", "SHA-1"), ("sha256", "SHA-256"), ("sha512", "SHA-512")];

/// "About equal", "no clear difference".
const ABOUT_EQUAL: f64 = 1.15;
/// A share of the time from which something is material.
const MATERIAL: f64 = 0.1;
/// A share of the time up to which something is negligible: three times what the study found.
const NEGLIGIBLE: f64 = 0.01;

pub(super) fn evaluate(view: &View<'_>) -> Vec<Finding> {
    let sides = [NET, JAVA].map(|runners| {
        let measured = |runner: &&str| {
            view.measurements
                .series
                .keys()
                .any(|key| key.runner == **runner && key.profile == view.profile && key.mode.starts_with("cipher"))
        };
        runners.into_iter().filter(measured).collect::<Vec<_>>()
    });
    let [net, java] = &sides;
    let mut findings = Vec::new();
    let pairs: Vec<(&str, &str)> = net.iter().flat_map(|net| java.iter().map(|java| (*net, *java))).collect();
    if pairs.is_empty() {
        let reason = "It needs a C# and a Java runner with ciphers.";
        findings.extend([&J1, &J3].map(|claim| Finding::not_measured(claim, view, reason)));
    }
    for (net, java) in pairs {
        findings.push(half_of_java(view, net, java));
        findings.push(digests(view, net, java));
    }
    findings.push(fastest_cipher(view, net, java));
    findings.push(file_share(view, &[net.as_slice(), java.as_slice()].concat()));
    findings.push(collection(view, &[net.as_slice(), java.as_slice()].concat()));
    findings.sort_by_key(|finding| finding.claim.id);
    findings
}

/// Time of one runner over that of another, without reading: in memory where that was measured, else with the reading
/// of the same file subtracted, as the study did.
fn net_ratio(view: &View<'_>, mode: &str, a: (&str, &str), b: (&str, &str)) -> Option<Estimate> {
    view.ratio(Side(mode, a.0, a.1), Side(mode, b.0, b.1)).or_else(|| {
        let mode = format!("{mode}-file");
        let sides = [
            Side(&mode, a.0, a.1),
            Side("read-file", a.0, "none"),
            Side(&mode, b.0, b.1),
            Side("read-file", b.0, "none"),
        ];
        view.of_medians(&sides, &|times| (times[0] - times[1]) / (times[2] - times[3]))
    })
}

fn half_of_java(view: &View<'_>, net: &str, java: &str) -> Finding {
    let statements = CIPHERS.map(|(algorithm, name)| {
        let measured = net_ratio(view, "cipher", (java, algorithm), (net, algorithm));
        let subject = format!("Java / .NET, {name}");
        if algorithm == "aes-128-cbc" {
            equal(subject, measured, ABOUT_EQUAL, Some(1.0))
        } else {
            about(subject, measured, 2.0, Some(2.0))
        }
    });
    Finding::new(&J1, view, format!("{net} against {java}"), statements.into())
}

fn fastest_cipher(view: &View<'_>, net: &[&str], java: &[&str]) -> Finding {
    // Where there is no runner of one side, its half of the claim is not measured.
    let sides = [(net.first(), CIPHERS[0], ".NET"), (java.first(), CIPHERS[2], "Java")];
    let mut statements: Vec<Statement> = Vec::new();
    for (runner, (fastest, name), platform) in sides {
        for (other, other_name) in CIPHERS.into_iter().filter(|(other, _)| *other != fastest) {
            let measured = runner.and_then(|runner| net_ratio(view, "cipher", (runner, other), (runner, fastest)));
            let place = runner.copied().unwrap_or(platform);
            statements.push(more(format!("{other_name} / {name}, {place}"), measured, None));
        }
    }
    let subjects: Vec<_> = sides.into_iter().filter_map(|(runner, ..)| runner.copied()).collect();
    if subjects.is_empty() {
        return Finding::not_measured(&J2, view, "It needs a C# or a Java runner with ciphers.");
    }
    Finding::new(&J2, view, subjects.join(" and "), statements)
}

fn digests(view: &View<'_>, net: &str, java: &str) -> Finding {
    let statements = DIGESTS.map(|(algorithm, name)| {
        let measured = net_ratio(view, "digest", (java, algorithm), (net, algorithm));
        let subject = format!("Java / .NET, {name}");
        if algorithm == "md5" {
            equal(subject, measured, ABOUT_EQUAL, Some(1.0))
        } else {
            more(subject, measured, None)
        }
    });
    Finding::new(&J3, view, format!("{net} against {java}"), statements.into())
}

fn file_share(view: &View<'_>, runners: &[&str]) -> Finding {
    let mut statements = Vec::new();
    for runner in runners {
        for (algorithm, name) in CIPHERS {
            let sides = [Side("read-file", runner, "none"), Side("cipher-file", runner, algorithm)];
            if let Some(measured) = view.of_medians(&sides, &|times| times[0] / times[1]) {
                let subject = format!("reading in all, {name}, {runner}");
                // From the page cache the share is a lower bound of that from a disk: a small one decides nothing.
                let otherwise = Verdict::Undecided;
                statements.push(at_least(subject, Figure::Share, Some(measured), MATERIAL, otherwise, None));
            }
        }
    }
    if statements.is_empty() {
        return Finding::not_measured(&J4, view, "It needs the modes `read-file` and `cipher-file`.");
    }
    Finding::new(&J4, view, runners.join(", "), statements).note(
        "Material is: a tenth or more. Files are in the page cache here; the study read them from a disk of 2007. So the share is a \
         lower bound, and a small one decides nothing.",
    )
}

fn collection(view: &View<'_>, runners: &[&str]) -> Finding {
    let mut statements = Vec::new();
    for runner in runners {
        let costs: Vec<(f64, f64)> = view
            .measurements
            .series
            .iter()
            .filter(|(key, _)| key.runner == *runner && key.profile == view.profile)
            .flat_map(|(_, series)| &series.points)
            .flat_map(|point| &point.costs)
            .filter_map(|(cost, task_ns)| Some((cost.gc_ns? as f64, *task_ns)))
            .collect();
        if let Some(measured) = share_of_total(&costs) {
            let subject = format!("collection in all, {runner}, over {}", counted(costs.len(), "task", "tasks"));
            // The share is an upper bound: a large one decides nothing.
            let otherwise = Verdict::Undecided;
            statements.push(at_most(subject, Figure::Share, Some(measured), NEGLIGIBLE, otherwise, Some(0.003)));
        }
    }
    if statements.is_empty() {
        return Finding::not_measured(&J5, view, "No runner told the time of its collections.");
    }
    Finding::new(&J5, view, runners.join(", "), statements).note(
        "Negligible is: up to 1 %. Collections of the warm-up are counted and its time is not, so the share is an upper bound, and a \
         large one decides nothing.",
    )
}

/// The sum of the parts over the sum of the wholes. Most tasks end before anything is collected, so that the share of a
/// typical task is 0 whatever the collector takes.
fn share_of_total(costs: &[(f64, f64)]) -> Option<Estimate> {
    // A task is drawn with its part and its whole: what is resampled are places in the list.
    let places = Repeats::from((0..costs.len()).map(|place| place as f64).collect::<Vec<_>>());
    let share = |places: &mut [f64]| {
        let of = |place: &f64| costs.get(*place as usize).copied().unwrap_or_default();
        share_of_sums(places.iter().map(of))
    };
    let value = share(&mut places.values().collect::<Vec<_>>())?;
    Some(Estimate { value, interval: bootstrap(&[&places], &mut |drawn| share(&mut drawn[0])) })
}
