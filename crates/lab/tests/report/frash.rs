//! The report of FRASH, on rows of known truth.

use crate::synthetic::Synthetic;
use pfh_lab::report::frash::{FILE, HEADER, Row, document, plots};
use pfh_lab::report::{Options, Report};
use pfh_lab::results::{Entry, Output};

pub(crate) const FAMILIES: [&str; 4] = ["ssdeep", "sdhash", "mrsh-v2", "tlsh"];

/// A row whose values lie around one, half as far apart as `spread`.
fn row(test: &str, mode: &str, family: &str, parameter: u64, matched: Option<u32>, value: f64) -> Row {
    let at = |share: f64| Some(value * share);
    Row {
        test: test.to_owned(),
        mode: mode.to_owned(),
        family: family.to_owned(),
        parameter,
        runs: 10,
        matched,
        value: Some(value),
        least: at(0.8),
        lower_quartile: at(0.9),
        median: at(1.0),
        upper_quartile: at(1.1),
        greatest: at(1.2),
    }
}

/// A score that falls with the place of a setting, or a distance that grows, up to 290.
fn value(family: &str, share: f64) -> f64 {
    if family == "tlsh" { 10.0 + 280.0 * share } else { 90.0 * (1.0 - share) }
}

/// All experiments, as if each family bore what stands here: the smallest block in KiB, percent that are cut, noise in
/// hundredths of a percent.
pub(crate) fn rows() -> Vec<Row> {
    let mut rows = Vec::new();
    for (place, family) in FAMILIES.into_iter().enumerate() {
        let (block, cut, noise) =
            [(128 << 10, 60, 40), (1 << 10, 97, 200), (8 << 10, 80, 100), (256 << 10, 30, 900)][place];
        for (mode, bytes) in [("512KiB", 512_u64 << 10), ("2MiB", 2 << 20), ("8MiB", 8 << 20)] {
            let lengths = (0..22).map(|power| (bytes / 2) >> power).filter(|length| *length > 0);
            for (step, length) in lengths.enumerate() {
                let matched = if length >= block { 10 } else { 0 };
                rows.push(row("common-block", mode, family, length, Some(matched), value(family, step as f64 / 22.0)));
            }
        }
        let mut over = |test: &str, mode: &str, parameters: &[u64], limit: u64| {
            for (step, parameter) in parameters.iter().enumerate() {
                let matched = if *parameter <= limit { 6 } else { 4 };
                let share = step as f64 / parameters.len() as f64;
                rows.push(row(test, mode, family, *parameter, Some(matched), value(family, share)));
            }
        };
        let cuts: Vec<u64> = (5..95).step_by(5).chain(95..100).collect();
        over("fragment", "random", &cuts, cut);
        over("fragment", "end", &cuts, cut);
        let added: Vec<u64> = (10..=500).step_by(10).collect();
        over("alignment", "head", &added, 500);
        over("alignment", "tail", &added, 10);
        over("noise", "", &(1..200).map(|step| step * 5).collect::<Vec<_>>(), noise);
        over("repetition", "", &(1..40).collect::<Vec<_>>(), 3);
        over("variety", "", &(1..100).collect::<Vec<_>>(), 99);
        for mode in ["front-cut", "end-cut", "foreign-block"] {
            rows.push(row("needle", mode, family, 50, Some(10 - 2 * place as u32), 50.0));
        }
        rows.push(row("cross", "", family, 50, Some(place as u32), 50.0));
        for bytes in [100, 10_000, 1_048_576] {
            rows.push(row("generation", "", family, bytes, None, bytes as f64 * 1e-9 * (place + 1) as f64));
            rows.push(row("comparison", "", family, bytes, None, 1e-6 * (place + 1) as f64));
            rows.push(row("compression", "", family, bytes, None, 0.02));
            if place == 0 {
                rows.push(row("generation", "", "sha1", bytes, None, bytes as f64 * 2e-9));
            }
        }
        let thresholds: Vec<u64> =
            if family == "tlsh" { (1..61).map(|step| step * 5).collect() } else { (1..101).collect() };
        for (mode, runs, step) in [("related", 100, 1), ("unrelated", 1000, 50)] {
            for threshold in &thresholds {
                // Of each score or distance from 1 on there is a pair, of unrelated ones one of every fiftieth.
                let matched = if family == "tlsh" { threshold / step } else { (100 - threshold) / step };
                let mut own = row("threshold", mode, family, *threshold, Some(matched as u32), 50.0);
                own.runs = runs;
                rows.push(own);
            }
        }
    }
    rows
}

#[test]
fn the_summary_has_the_limits() {
    let markdown = document(&rows()).markdown();
    for line in [
        "| Smallest block in common, inputs of 512 KiB | 128 KiB | 1 KiB | 8 KiB | 256 KiB |",
        "| Smallest block in common, inputs of 8 MiB | 128 KiB | 1 KiB | 8 KiB | 256 KiB |",
        "| Largest cut at the end | 60 % | 97 % | 80 % | 30 % |",
        "| Most added before | 500 % and more | 500 % and more | 500 % and more | 500 % and more |",
        "| Most added after | 10 % | 10 % | 10 % | 10 % |",
        "| Most noise, of the length | 0.400 % | 2.00 % | 1.00 % | 9.00 % |",
        "| Most repetition | 3 copies | 3 copies | 3 copies | 3 copies |",
        "| Changed files found among others | 30 of 30 | 24 of 30 | 18 of 30 | 12 of 30 |",
        "| Files with a common block found | 0 of 10 | 1 of 10 | 2 of 10 | 3 of 10 |",
        "| Digests made, MiB per second | 954 | 477 | 318 | 238 |",
    ] {
        assert!(markdown.contains(line), "{line}: {}", &markdown[..3000]);
    }
    let answer = document(&rows()).answer().join(" ");
    assert!(answer.contains("inputs of 8 MiB is found by sdhash: 1 KiB."), "{answer}");
    assert!(answer.contains("most noise is borne by tlsh: 9.00 % of the length."), "{answer}");
}

/// Of 100 related pairs 99, 80 … match, and of 1000 unrelated ones 1, 1 …
#[test]
fn precision_and_recall_follow_from_the_pairs() {
    let markdown = document(&rows()).markdown();
    for line in [
        "| score ≥ 1 | 99.0 % | 0.100 % | 99.0 % | 100 | 1000 |",
        "| score ≥ 60 | 40.0 % | 0 % | 100 % | 100 | 1000 |",
        "| distance ≤ 50 | 50.0 % | 0.100 % | 98.0 % | 100 | 1000 |",
    ] {
        assert!(markdown.contains(line), "{line}");
    }
}

/// Distances beyond the greatest that counts as a match are drawn where they are.
#[test]
fn no_distance_is_cut_off() {
    let svg = plots(&rows()).into_iter().find(|(name, _)| name == "fragment").expect("a plot").1.svg();
    // tlsh is the fourth family; its line falls from the upper end of its panel nearly to the lower one, ever on.
    let colour = pfh_page::theme::SERIES[3].light;
    let stroke = format!("stroke=\"#{:02X}{:02X}{:02X}\" stroke-width=\"2\"", colour.0, colour.1, colour.2);
    let lines = svg.split("<polyline points=\"").filter(|line| line.split("/>").next().unwrap_or("").contains(&stroke));
    let points = lines.filter_map(|line| line.split('"').next()).max_by_key(|points| points.len()).expect("a line");
    let heights: Vec<f64> =
        points.split(' ').map(|point| point.split(',').nth(1).expect("y").parse().expect("a number")).collect();
    assert!(heights.len() == 23 && heights.is_sorted_by(|a, b| a < b), "{heights:?}");
}

#[test]
fn pictures_are_files_of_their_own() {
    let all = plots(&rows());
    let names: Vec<&str> = all.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(
        names,
        [
            "common-block",
            "fragment",
            "alignment",
            "noise",
            "needle",
            "generation",
            "comparison",
            "compression",
            "repetition",
            "variety",
            "threshold"
        ]
    );
    for (name, plot) in &all {
        let svg = plot.svg();
        let mut reader = quick_xml::Reader::from_str(&svg);
        while !matches!(
            reader.read_event().unwrap_or_else(|error| panic!("{name}: {error}")),
            quick_xml::events::Event::Eof
        ) {}
        for part in ["role=\"img\"", "<title id=\"title\">", "<desc id=\"description\">", "prefers-color-scheme:dark"] {
            assert!(svg.contains(part), "{name}: {part}");
        }
        // Families are told apart by shapes: a circle, and polygons of three or four corners.
        assert!(svg.contains("<circle") && svg.contains("<polygon"), "{name}");
    }
}

/// Plots with little in them are folded; a report is made of nothing at all, too.
#[test]
fn thin_results_have_a_report() {
    let html = document(&rows()).html();
    let repetition = html.split("<h2 id=\"repetition\"").nth(1).expect("a section");
    assert!(repetition.find("<details").expect("folded") < repetition.find("<figure").expect("a plot"));
    assert!(document(&[]).answer()[0].contains("None of the experiments"));
    let odd = [row("noise", "", "tlsh", u64::MAX, Some(0), f64::MAX), row("else", "<b>", "&", 0, None, -1.0)];
    assert!(!document(&odd).html().contains("<b>") && !document(&odd).markdown().is_empty());
    assert!(document(&[Row { median: None, value: None, ..odd[0].clone() }]).html().contains("nothing"));
}

/// `pfh lab run frash` keeps what `pfh frash` prints.
#[test]
fn an_experiment_that_keeps_the_rows_has_the_report_of_the_rows() {
    let rows = rows();
    let lines: String = rows.iter().map(Row::to_string).collect();
    let reported = |text: String| {
        let mut made = Synthetic::new("frash");
        made.entries.push(Entry::Output(Output { runner: "pfh".to_owned(), name: FILE.to_owned(), text }));
        Report::new(&made.measurements(), Options::default()).document()
    };
    let whole = reported(format!("{HEADER}\r\n{lines}"));
    let alone = document(&rows);
    assert_eq!(whole.answer(), alone.answer());
    let drawn = |html: &str| html.matches("<svg").count();
    assert_eq!(drawn(&whole.html()), drawn(&alone.html()));
    assert!(!whole.html().contains("What programs printed"));
    // Whatever else a program prints under this name stays as it is.
    let other = reported("no rows\n".to_owned()).html();
    assert!(other.contains("What programs printed") && drawn(&other) == 0);
}
