//! G1 to G8: languages and their libraries over large data.

use pfh_statistics::{Estimate, Line};

use super::rules::{EQUAL_WITHIN, about, at_least, equal, more, no_less};
use super::view::{Side, View};
use super::{Claim, Figure, Finding, Statement, Verdict};
use crate::published::{self, HOUSEHOLD_BYTES};

const STUDY: &str = "Gurjar et al. 2015";
const EXPERIMENT: &str = "languages";

const fn claim(id: &'static str, text: &'static str) -> Claim {
    Claim { id, study: STUDY, text, experiment: EXPERIMENT }
}

static G1: Claim = claim("G1", "Implementations over OpenSSL (C, Python, Ruby) have the same slope on Linux");
static G2: Claim = claim(
    "G2",
    "OpenJDK is slower than OpenSSL on Linux: about 2 times with MD5, 3 with SHA-1, 1.65 with SHA-256, 3.7 with SHA-512",
);
static G3: Claim = claim("G3", "On Linux the order by cost is MD5 < SHA-1 < SHA-256 ≤ SHA-512");
static G4: Claim = claim("G4", "MD5 and SHA-1 are about three times as fast as SHA-256 and SHA-512");
static G5: Claim = claim("G5", "Time is linear in the size: a + b·x explains it from 2 MB to 1 GB");
static G6: Claim = claim("G6", "C# spikes at 1 GB: far more than twice the time for 512 MB");
static G7: Claim = claim("G7", "SHA-512 beats SHA-256 on 64-bit Windows");
static G8: Claim = claim(
    "G8",
    "For 722 GB the choice of implementation is worth over 83 minutes with SHA-256 and 322 minutes with SHA-512",
);

pub(super) const CLAIMS: &[&Claim] = &[&G1, &G2, &G3, &G4, &G5, &G6, &G7, &G8];

const REFERENCE: &str = "c-openssl";

/// The study's implementations on Linux and the runners that stand for them.
const LINUX: [(&str, &str); 4] =
    [("C", "c-openssl"), ("Python", "py-hashlib"), ("Ruby", "ruby-openssl"), ("Java", "java-sun")];

/// The study's algorithms, as runners and as the study name them, with G2's factor.
const ALGORITHMS: [(&str, &str, f64); 4] =
    [("md5", "MD5", 2.0), ("sha1", "SHA-1", 3.0), ("sha256", "SHA-256", 1.65), ("sha512", "SHA-512", 3.7)];

/// R² from which a line counts as explaining the times. The published series, the one with the spike left out, have
/// 0.9998 or more.
const LINEAR: f64 = 0.999;

/// "Within a few percent."
const SAME_SLOPE: f64 = 1.05;

fn side<'a>(runner: &'a str, algorithm: &'a str) -> Side<'a> {
    Side("digest", runner, algorithm)
}

/// Slope of the published times, fitted again: the printed fits have rows swapped.
fn published_slope(algorithm: &str, implementation: &str) -> Option<f64> {
    let row = published::fits()
        .into_iter()
        .find(|row| row.algorithm == algorithm && row.os == "linux" && row.implementation == implementation)?;
    published::refit(&row).map(|(line, _)| line.slope.value)
}

fn published_ratio(a: (&str, &str), b: (&str, &str)) -> Option<f64> {
    Some(published_slope(a.0, a.1)? / published_slope(b.0, b.1)?)
}

pub(super) fn evaluate(view: &View<'_>) -> Vec<Finding> {
    vec![
        same_slope(view),
        java(view),
        order(view),
        three_times(view),
        linear(view),
        spike(view),
        windows(view),
        household(view),
    ]
}

/// The part of the study's sizes that one of two sides does not cover.
fn uncovered(view: &View<'_>, a: Side<'_>, b: Side<'_>) -> Option<String> {
    [a, b].into_iter().find_map(|side| view.uncovered(side, 2 * MIB, GIB))
}

fn same_slope(view: &View<'_>) -> Finding {
    let mut statements = Vec::new();
    for (algorithm, name, _) in ALGORITHMS {
        for (language, runner) in &LINUX[1..3] {
            let (a, b) = (side(runner, algorithm), side(REFERENCE, algorithm));
            let published = published_ratio((name, language), (name, "C"));
            let same = equal(format!("{language} / C, {name}"), view.slope_ratio(a, b), SAME_SLOPE, published);
            statements.push(same.lacking(uncovered(view, a, b)));
        }
    }
    Finding::new(&G1, view, "py-hashlib and ruby-openssl against c-openssl", statements)
        .note("The same is: within 5 %.")
}

fn java(view: &View<'_>) -> Finding {
    let statements = ALGORITHMS.map(|(algorithm, name, factor)| {
        let (a, b) = (side("java-sun", algorithm), side(REFERENCE, algorithm));
        let published = published_ratio((name, "Java"), (name, "C"));
        let slower = about(format!("Java / C, {name}"), view.slope_ratio(a, b), factor, published);
        slower.lacking(uncovered(view, a, b))
    });
    Finding::new(&G2, view, "java-sun against c-openssl", statements.into())
}

/// A rule for an order: of a subject, its figure, and the published one.
type Rule = fn(String, Option<Estimate>, Option<f64>) -> Statement;

fn order(view: &View<'_>) -> Finding {
    let ordered = |b: usize, a: usize, rule: Rule| {
        let (slower, faster) = (ALGORITHMS[b], ALGORITHMS[a]);
        let sides = (side(REFERENCE, slower.0), side(REFERENCE, faster.0));
        let published = published_ratio((slower.1, "C"), (faster.1, "C"));
        let statement = rule(format!("{} / {}", slower.1, faster.1), view.slope_ratio(sides.0, sides.1), published);
        statement.lacking(uncovered(view, sides.0, sides.1))
    };
    let statements = vec![ordered(1, 0, more), ordered(2, 1, more), ordered(3, 2, no_less)];
    Finding::new(&G3, view, REFERENCE, statements)
}

fn three_times(view: &View<'_>) -> Finding {
    let pairs = [(2, 0), (3, 0), (2, 1), (3, 1)];
    let statements = pairs.map(|(slow, fast)| {
        let (slow, fast) = (ALGORITHMS[slow], ALGORITHMS[fast]);
        let (a, b) = (side(REFERENCE, slow.0), side(REFERENCE, fast.0));
        let published = published_ratio((slow.1, "C"), (fast.1, "C"));
        let times = about(format!("{} / {}", slow.1, fast.1), view.slope_ratio(a, b), 3.0, published);
        times.lacking(uncovered(view, a, b))
    });
    Finding::new(&G4, view, REFERENCE, statements.into())
}

fn linear(view: &View<'_>) -> Finding {
    let mut statements = Vec::new();
    for (algorithm, name, _) in ALGORITHMS {
        for (language, runner) in LINUX {
            let published = published::fits()
                .into_iter()
                .find(|row| row.algorithm == name && row.os == "linux" && row.implementation == language)
                .and_then(|row| published::refit(&row))
                .map(|(line, _)| line.r_squared);
            let side = side(runner, algorithm);
            let linear = view.linear(format!("R², {language}, {name}"), side, LINEAR, published);
            statements.push(linear.lacking(view.uncovered(side, 2 * MIB, GIB)));
        }
    }
    Finding::new(&G5, view, "the study's four implementations", statements).note(format!(
        "Explained is: R² of at least {LINEAR}. Less is against it only where no line passes through the intervals of all points."
    ))
}

/// The runners that run C#, the nearest to the study's first.
const CSHARP: [&str; 2] = ["cs-dotnet", "cs-mono"];

const MIB: u64 = 1 << 20;
const GIB: u64 = 1 << 30;

fn spike(view: &View<'_>) -> Finding {
    let at = |runner: &str, algorithm: &str, bytes: u64| {
        view.series(side(runner, algorithm))?.points.iter().find(|point| point.bytes == bytes)
    };
    let both = |runner: &str, algorithm: &str| Some((at(runner, algorithm, GIB)?, at(runner, algorithm, GIB / 2)?));
    let Some(runner) = CSHARP.into_iter().find(|runner| both(runner, "sha256").is_some()) else {
        return Finding::not_measured(&G6, view, "It needs a C# runner with 512 MiB and 1 GiB (--full).");
    };
    let statements = [("sha256", "SHA-256"), ("sha512", "SHA-512")].map(|(algorithm, name)| {
        let spike = |times: &[f64]| times[0] / (2.0 * times[1]);
        let measured = both(runner, algorithm)
            .and_then(|(whole, half)| pfh_statistics::of_medians(&[whole.times_ns(), half.times_ns()], &spike));
        let published = |size: f64| {
            let mut times = published::times().into_iter();
            let is_it = |time: &published::PublishedTime| {
                time.algorithm == name && time.os == "windows" && time.implementation == "C#" && time.size_mb == size
            };
            times.find(is_it).map(|time| time.mean_ms)
        };
        let published = published(1024.0).zip(published(512.0)).map(|(whole, half)| spike(&[whole, half]));
        about(format!("1 GiB / (2 × 512 MiB), {name}"), measured, published.unwrap_or(2.8), published)
    });
    Finding::new(&G6, view, runner, statements.into()).note("The study's machine had 4 GB of memory, and ran Windows.")
}

fn windows(view: &View<'_>) -> Finding {
    let environment = &view.measurements.header.environment;
    let is_windows = environment.get("os").is_some_and(|os| os.to_ascii_lowercase().contains("windows"));
    if !is_windows {
        return Finding::not_measured(&G7, view, "This machine does not run Windows; Wine would measure Wine.");
    }
    let runners = ["win-cng", "win-capi", "cs-dotnet", "c-openssl"];
    let native =
        |runner: &&str| !view.measurements.is_stand_in(runner) && view.series(side(runner, "sha512")).is_some();
    let Some(runner) = runners.into_iter().find(native) else {
        return Finding::not_measured(&G7, view, "No runner of the system's own library was measured.");
    };
    let measured = view.slope_ratio(side(runner, "sha256"), side(runner, "sha512"));
    Finding::new(&G7, view, runner, vec![more("SHA-256 / SHA-512", measured, None)])
}

/// Difference between the slowest and the fastest of some lines at the study's volume, in minutes.
fn minutes(lines: &[Line]) -> f64 {
    let seconds = lines.iter().map(|line| line.at(HOUSEHOLD_BYTES as f64).value / 1e9);
    let (least, greatest) = seconds
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(least, greatest), value| (least.min(value), greatest.max(value)));
    (greatest - least) / 60.0
}

fn household(view: &View<'_>) -> Finding {
    let statements = [("sha256", "SHA-256"), ("sha512", "SHA-512")].map(|(algorithm, name)| {
        let sides: Vec<_> = LINUX.iter().map(|(_, runner)| side(runner, algorithm)).collect();
        let measured: Option<Estimate> = view.of_lines(&sides, minutes);
        let seconds: Vec<f64> = published::projections()
            .into_iter()
            .filter(|row| row.algorithm == name && row.os == "linux")
            .map(|row| row.seconds)
            .collect();
        let published = seconds.iter().copied().reduce(f64::max).zip(seconds.iter().copied().reduce(f64::min));
        let published = published.map(|(slowest, fastest)| (slowest - fastest) / 60.0);
        // Less is less than stated, and not the contrary: the slowest never takes less time than the fastest.
        let bound = published.unwrap_or(f64::INFINITY) / EQUAL_WITHIN;
        let subject = format!("slowest less fastest, {name}");
        at_least(subject, Figure::Minutes, measured, bound, Verdict::Weaker, published)
    });
    Finding::new(&G8, view, "the study's four implementations", statements.into()).note(
        "Judged by what the study's own table gives for one system: 72 minutes with SHA-256 on Linux. Its 83 are between Java on \
         Linux and Ruby on Windows.",
    )
}
