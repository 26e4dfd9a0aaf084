//! Reports in a real browser: no sideways scrolling of the page, and every text readable in both schemes.

use crate::looked_at::{examine, look};
use crate::recorded::OF_PROGRAMS;
use crate::synthetic::all;
use pfh_lab::report::{Options, Report, frash};

/// All kinds of pages: of made results, and of recorded runs of whole programs.
fn with_pages(of: impl FnOnce(&[(&str, &str)])) {
    let frash = frash::document(&crate::frash::rows()).html();
    let reports = all().map(|made| (made.name, made.html.as_str()));
    let recorded = OF_PROGRAMS.iter().map(|(name, html)| (*name, html.as_str()));
    let made = Report::new(&crate::programs::fixity().measurements(), Options::default()).document().html();
    let others = [("frash", frash.as_str()), ("fixity with all costs", made.as_str())];
    let pages: Vec<(&str, &str)> = reports.into_iter().chain(recorded).chain(others).collect();
    of(&pages);
}

#[test]
fn pages_fit_the_screen_and_can_be_read() {
    with_pages(|pages| {
        look(pages, |probe, context| {
            assert!(probe["texts"].as_u64().is_some_and(|texts| texts > 200), "{context}");
            assert!(probe["svg"].as_u64().is_some_and(|count| count >= 3), "{context}");
            // Before anything is unfolded the page is one that a person reads to its end.
            assert!(probe["height"].as_u64().is_some_and(|height| height < 25_000), "{context}");
        });
    });
}

#[test]
fn nothing_keeps_readers_out() {
    with_pages(examine);
}
