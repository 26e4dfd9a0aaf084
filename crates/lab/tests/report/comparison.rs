//! Two results side by side.

use crate::synthetic::{MIB, Synthetic, languages, languages_measured};
use pfh_lab::report::{Options, Report, compare};

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
        ["Of 9 cells that both have, B is faster in 3, slower in 3, the same within 3 % in 3; 0 are unclear."]
    );
    let markdown = document.markdown();
    for text in ["B faster", "B slower", "| same |", "Only in B: only-b (today).", "Other CPU", "| G3 |"] {
        assert!(markdown.contains(text), "{text}: {markdown}");
    }
}

#[test]
fn a_result_beside_itself_is_the_same() {
    let measurements = languages_measured();
    let report = Report::new(measurements, Options::default());
    let answer = compare(&report, &report).answer().join("");
    assert!(answer.contains("faster in 0, slower in 0") && answer.contains("; 0 are unclear"), "{answer}");
}

#[test]
fn results_without_a_common_cell_say_so() {
    let [a, b] = [languages().measurements(), Synthetic::new("x").measurements()];
    let [a, b] = [&a, &b].map(|measurements| Report::new(measurements, Options::default()));
    assert_eq!(compare(&a, &b).answer(), ["The two results have no cell in common."]);
}
