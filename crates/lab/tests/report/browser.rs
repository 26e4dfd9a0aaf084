//! Reports in a real browser: no sideways scrolling of the page, every text readable in both schemes, and all of it on
//! paper.

use serde_json::Value;

use crate::looked_at::{examine, look};
use crate::on_paper::print;
use crate::recorded::PAGES;
use crate::synthetic::all;
use pfh_lab::report::{Options, Report, frash};

/// The reports of made results, of all kinds.
fn with_made(of: impl FnOnce(&[(&str, &str)])) {
    let frash = frash::document(&crate::frash::rows()).html();
    let reports = all().map(|made| (made.name, made.html.as_str()));
    let made = Report::new(&crate::programs::fixity().measurements(), Options::default()).document().html();
    let others = [("frash", frash.as_str()), ("fixity with all costs", made.as_str())];
    let pages: Vec<(&str, &str)> = reports.into_iter().chain(others).collect();
    of(&pages);
}

/// The recorded pages: reports of experiments, or all others.
fn recorded(are_reports: bool) -> Vec<(&'static str, &'static str)> {
    let chosen = PAGES.iter().filter(|page| page.is_report == are_reports);
    chosen.map(|page| (page.name.as_str(), page.html.as_str())).collect()
}

/// A report has many texts, and plots.
fn is_a_report(probe: &Value, context: &str) {
    assert!(probe["texts"].as_u64().is_some_and(|texts| texts > 200), "{context}");
    assert!(probe["svg"].as_u64().is_some_and(|count| count >= 3), "{context}");
    // Before anything is unfolded the page is one that a person reads to its end.
    assert!(probe["height"].as_u64().is_some_and(|height| height < 25_000), "{context}");
}

#[test]
fn pages_fit_the_screen_and_can_be_read() {
    with_made(|pages| look(pages, is_a_report));
}

#[test]
fn recorded_pages_fit_the_screen_and_can_be_read() {
    look(&recorded(true), is_a_report);
    // Advice is short, and has no plots.
    look(&recorded(false), |probe, context| {
        assert!(probe["texts"].as_u64().is_some_and(|texts| texts > 20), "{context}");
        assert!(probe["height"].as_u64().is_some_and(|height| height < 12_000), "{context}");
    });
}

#[test]
fn pages_can_be_printed() {
    with_made(print);
}

#[test]
fn recorded_pages_can_be_printed() {
    print(&recorded(true));
    print(&recorded(false));
}

#[test]
fn nothing_keeps_readers_out() {
    with_made(examine);
}

#[test]
fn nothing_keeps_readers_out_of_recorded_pages() {
    examine(&recorded(true));
    examine(&recorded(false));
}
