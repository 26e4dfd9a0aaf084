//! A1 to A5: nine functions over short strings.

use super::rules::{about, more};
use super::view::{Side, View};
use super::{Claim, Finding, Statement};
use crate::published;

const STUDY: &str = "Adhiwijna 2019";
const EXPERIMENT: &str = "strings";

const fn claim(id: &'static str, text: &'static str) -> Claim {
    Claim { id, study: STUDY, text, experiment: EXPERIMENT }
}

static A1: Claim = claim("A1", "MD4, MD5 and SHA-1 are the cheapest of nine functions on short strings");
static A2: Claim = claim("A2", "RIPEMD-160 costs about 36 %, Whirlpool about 80 % more than SHA-256");
static A3: Claim = claim("A3", "SHA-1 < SHA-256 < SHA3-256");
static A4: Claim = claim("A4", "BLAKE2s is cheaper than BLAKE2b on short strings");
static A5: Claim = claim("A5", "Time is linear in the number of strings");

pub(super) const CLAIMS: &[&Claim] = &[&A1, &A2, &A3, &A4, &A5];

/// The nine functions, as runners and as the study name them; the three that the study calls cheapest come first.
const FUNCTIONS: [(&str, &str); 9] = [
    ("md4", "MD4"),
    ("md5", "MD5"),
    ("sha1", "SHA-1"),
    ("sha256", "SHA-256"),
    ("sha3-256", "SHA3-256"),
    ("blake2b", "BLAKE2b"),
    ("blake2s", "BLAKE2s"),
    ("ripemd160", "RIPEMD-160"),
    ("whirlpool", "Whirlpool"),
];

const CHEAP: usize = 3;

/// The study timed a scripting language; then the library below it without one.
const RUNNERS: [&str; 2] = ["py-hashlib", "c-openssl"];

/// R² from which a line counts as explaining the times.
const LINEAR: f64 = 0.999;

fn name(algorithm: &str) -> &'static str {
    FUNCTIONS.iter().find(|(id, _)| *id == algorithm).map_or("", |(_, name)| name)
}

fn published_ratio(a: &str, b: &str) -> Option<f64> {
    let medians = published::strings_medians_ms();
    let of = |algorithm: &str| medians.iter().find(|(published, _)| published == name(algorithm)).map(|(_, ms)| *ms);
    Some(of(a)? / of(b)?)
}

pub(super) fn evaluate(view: &View<'_>) -> Vec<Finding> {
    let measured = |runner: &&str| view.series(Side("strings", runner, "sha256")).is_some();
    let runners: Vec<&str> = RUNNERS.into_iter().filter(measured).collect();
    if runners.is_empty() {
        let reason = "It needs Python's hashlib or OpenSSL over strings.";
        return CLAIMS.iter().map(|claim| Finding::not_measured(claim, view, reason)).collect();
    }
    let mut findings: Vec<Finding> = runners.into_iter().flat_map(|runner| of_runner(view, runner)).collect();
    findings.sort_by_key(|finding| finding.claim.id);
    findings
}

fn of_runner(view: &View<'_>, runner: &str) -> [Finding; 5] {
    let side = |algorithm| Side("strings", runner, algorithm);
    let ratio = |a: &'static str, b: &'static str| {
        (format!("{} / {}", name(a), name(b)), view.ratio(side(a), side(b)), published_ratio(a, b))
    };
    let costs_more = |a, b| {
        let (subject, measured, published) = ratio(a, b);
        more(subject, measured, published)
    };
    let costs_about = |a, b, times| {
        let (subject, measured, published) = ratio(a, b);
        about(subject, measured, times, published)
    };
    let cheapest = cheap_below_others(view, runner);
    let linear = view.linear("R², SHA-256".to_owned(), side("sha256"), LINEAR, None);
    let linear = linear.lacking(view.uncovered(side("sha256"), 1_000, 10_000_000));
    [
        Finding::new(&A1, view, runner, cheapest),
        Finding::new(
            &A2,
            view,
            runner,
            vec![costs_about("ripemd160", "sha256", 1.36), costs_about("whirlpool", "sha256", 1.80)],
        ),
        Finding::new(&A3, view, runner, vec![costs_more("sha256", "sha1"), costs_more("sha3-256", "sha256")]),
        Finding::new(&A4, view, runner, vec![costs_more("blake2b", "blake2s")]),
        Finding::new(&A5, view, runner, vec![linear]).note(format!(
            "Explained is: R² of at least {LINEAR}. Less is against it only where no line passes through the intervals of all points."
        )),
    ]
}

/// Each of the other six against the dearest of the three cheap ones.
fn cheap_below_others(view: &View<'_>, runner: &str) -> Vec<Statement> {
    let side = |algorithm| Side("strings", runner, algorithm);
    let cheap: Vec<_> = FUNCTIONS[..CHEAP]
        .iter()
        .filter(|(algorithm, _)| view.series(side(algorithm)).is_some())
        .map(|(algorithm, _)| side(algorithm))
        .collect();
    let absent: Vec<&str> = FUNCTIONS[..CHEAP]
        .iter()
        .filter(|(algorithm, _)| view.series(side(algorithm)).is_none())
        .map(|(_, name)| *name)
        .collect();
    let missing = (!absent.is_empty()).then(|| format!("without {}", absent.join(" and ")));
    let published_cheap = FUNCTIONS[..CHEAP].iter().filter_map(|(cheap, _)| published_ratio(cheap, "sha256"));
    let published_dearest = published_cheap.reduce(f64::max);
    FUNCTIONS[CHEAP..]
        .iter()
        .map(|(other, name)| {
            let sides = [vec![side(other)], cheap.clone()].concat();
            let over_dearest = |times: &[f64]| times[0] / times[1..].iter().copied().fold(0.0, f64::max);
            let measured = if cheap.is_empty() { None } else { view.of_medians(&sides, &over_dearest) };
            let published = published_ratio(other, "sha256").zip(published_dearest).map(|(a, b)| a / b);
            more(format!("{name} / dearest of MD4, MD5, SHA-1"), measured, published).lacking(missing.clone())
        })
        .collect()
}
