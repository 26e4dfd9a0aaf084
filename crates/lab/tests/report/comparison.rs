//! Two results side by side.

use std::fs::read_to_string;

use crate::recorded;
use crate::synthetic::{MIB, Synthetic, languages, languages_reported, program};
use pfh_lab::measurements::{Clock, Measurements};
use pfh_lab::report::{Options, Report, compare};
use pfh_lab::results::{Corpus, Device};

fn made(md5: f64, sha1: f64, sha256: f64) -> Synthetic {
    let mut made = Synthetic::new("languages");
    for (algorithm, speed) in [("md5", md5), ("sha1", sha1), ("sha256", sha256)] {
        made.series("c-openssl", "today", "digest", algorithm, &[MIB, 2 * MIB, 4 * MIB], speed);
    }
    made
}

#[test]
fn faster_slower_and_the_same() {
    let a = made(1000.0, 1000.0, 1000.0);
    let mut b = made(2000.0, 500.0, 1001.0);
    b.header().environment.insert("cpu".to_owned(), "Other CPU".to_owned());
    b.series("only-b", "today", "digest", "md5", &[MIB], 1.0);
    let [a, b] = [a.measurements(), b.measurements()];
    let [a, b] = [&a, &b].map(|measurements| Report::new(measurements, Options::default()));
    let document = compare(&a, &b);
    assert_eq!(
        document.answer(),
        [
            "Of 9 cells that both have, B is faster in 3, slower in 3, the same within 3 % in 3; 0 are unclear.",
            "Of 3 projections to 722 GiB that both have, 1 of B's (33.3 %) lie in A's 95 % intervals.",
        ]
    );
    let markdown = document.markdown();
    for text in ["B faster", "B slower", "| same |", "Only in B: only-b (today).", "Other CPU", "| G3 |"] {
        assert!(markdown.contains(text), "{text}: {markdown}");
    }
}

#[test]
fn a_result_beside_itself_is_the_same() {
    let measurements = languages_reported().measurements;
    let report = Report::new(measurements, Options::default());
    let answer = compare(&report, &report).answer().join("");
    assert!(answer.contains("faster in 0, slower in 0") && answer.contains("; 0 are unclear"), "{answer}");
    assert!(answer.contains("(100 %) lie in A's 95 % intervals"), "{answer}");
}

#[test]
fn the_clock_is_told_where_it_is_not_the_usual_one() {
    let page = |clocks: [Clock; 2]| {
        let [a, b] = clocks.map(|clock| made(1000.0, 1000.0, 1000.0).measurements().by(clock));
        let [a, b] = [&a, &b].map(|measurements| Report::new(measurements, Options::default()));
        compare(&a, &b).markdown()
    };
    let is_told = |page: &str| page.contains("Compared") || page.contains("The clocks differ");
    assert!(!is_told(&page([Clock::Wall; 2])));
    let cpu = page([Clock::Cpu; 2]);
    assert!(cpu.contains("Compared") && !cpu.contains("The clocks differ"), "{cpu}");
    let mixed = page([Clock::Wall, Clock::Cpu]);
    assert!(mixed.contains("The clocks differ: A has wall time, B processor time."), "{mixed}");
}

/// Whole programs are compared where both have the same conditions and the same files.
#[test]
fn whole_programs_are_compared() {
    let made = |seconds: f64, files: &str| {
        let mut made = Synthetic::new("device");
        made.header().definition = include_str!("../../../../lab/experiments/device.toml").to_owned();
        made.runner("pfh", "today", "pfh, reading only", "program");
        for (prefetchers, factor) in [("1", 1.0), ("2", 2.0)] {
            let dimensions = [("corpus", files), ("device", "here"), ("cache", "cold"), ("prefetchers", prefetchers)];
            made.given(&program("pfh", "none", &dimensions), &[(factor * seconds * 1e9, 1e8); 5]);
        }
        made.measurements()
    };
    let compared = |b: &Measurements| {
        let a = made(1.0, "small");
        let [a, b] = [&a, b].map(|measurements| Report::new(measurements, Options::default()));
        compare(&a, &b)
    };
    let document = compared(&made(2.0, "small"));
    let answer = "Of 2 cells that both have, B is faster in 0, slower in 2, the same within 3 % in 0; 0 are unclear.";
    assert_eq!(document.answer(), [answer]);
    let page = document.markdown();
    let row = page.lines().find(|line| line.contains("| cold, small, here, 2 prefetchers |")).expect(&page);
    assert!(
        row.starts_with("| pfh, reading only |")
            && row.contains("| 2.00 | 4.00 | 2.00 (")
            && row.ends_with("| B slower |")
    );
    assert_eq!(compared(&made(2.0, "large")).answer(), ["The two results have no cell in common."]);
    // Another device is named as a difference, and other files, though as many, are not compared.
    let with = |digest: &str, simulated: bool| {
        let mut made = made(1.0, "small");
        let (corpus, sha256) = ("small".to_owned(), Some(digest.repeat(32)));
        let corpus = Corpus { corpus, files: 4457, bytes: 1_867_096_000, longest_bytes: 512, sha256 };
        made.corpora.insert("small".to_owned(), corpus);
        let facts = [("filesystem".to_owned(), "ext4 on /dev/x (rw)".to_owned())].into();
        made.devices.insert("here".to_owned(), Device { device: "here".to_owned(), simulated, facts });
        made
    };
    let page = |a: Measurements, b: Measurements| {
        let [a, b] = [&a, &b].map(|measurements| Report::new(measurements, Options::default()));
        compare(&a, &b).markdown().replace('\\', "")
    };
    let others = page(with("ab", false), with("ab", true));
    let row = "| device here | real; filesystem: ext4 on /dev/x (rw) | simulated; filesystem: ext4 on /dev/x (rw) |";
    assert!(others.contains(row) && others.contains("Of 2 cells that both have"), "{others}");
    let others = page(with("ab", false), with("cd", false));
    assert!(others.contains("The two results have no cell in common."), "{others}");
    assert!(others.contains("| files small | 4457 files, ") && others.contains("SHA-256 abab"), "{others}");
}

/// The same experiment again: the true time is the same, the processes differ from round to round. The intervals of the
/// first projections must not miss the second ones more often than two uncertain figures do (83 % of exact intervals
/// would hold them).
#[test]
fn a_repeats_projections_lie_in_the_intervals_of_the_first() {
    let run = |seed| {
        let mut made = Synthetic::with_seed("languages", seed);
        made.between_rounds = 0.05;
        for runner in 0..150 {
            let sizes = [2, 4, 8, 16].map(|size| size * MIB);
            made.series(&format!("runner-{runner}"), "today", "digest", "sha256", &sizes, 1000.0);
        }
        made.measurements()
    };
    let [first, second] = [run(1), run(2)];
    let [first, second] = [&first, &second].map(|measurements| Report::new(measurements, Options::default()));
    let answer = compare(&first, &second).answer().join("");
    let (_, rest) =
        answer.split_once("that both have, ").and_then(|(_, rest)| rest.split_once("that both have, ")).expect("both");
    let inside: u32 = rest.split(' ').next().and_then(|count| count.parse().ok()).expect("a count");
    assert!((112..=148).contains(&inside), "{answer}");
}

/// The published runs of bench/lab, of one machine, 14 minutes apart.
#[test]
fn the_committed_repeat_lies_in_the_intervals_of_the_first() {
    let [first, second] = ["languages", "languages-again"].map(recorded::measurements);
    let [first, second] = [&first, &second].map(|measurements| Report::new(measurements, Options::default()));
    let document = compare(&first, &second);
    let readme = read_to_string(recorded::folder().join("README.md")).expect("committed");
    let coverage = &document.answer()[1];
    assert!(readme.replace('\n', " ").contains(coverage), "the README does not say: {coverage}");
}

#[test]
fn results_without_a_common_cell_say_so() {
    let [a, b] = [languages().measurements(), Synthetic::new("x").measurements()];
    let [a, b] = [&a, &b].map(|measurements| Report::new(measurements, Options::default()));
    assert_eq!(compare(&a, &b).answer(), ["The two results have no cell in common."]);
}
