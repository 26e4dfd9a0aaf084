//! Tables that a reader sorts, in a real browser.

use crate::chromium::{chromium, run};
use crate::skip::{Need, skipped};
use pfh_page::{Cell, Document, Section, Table};

/// Clicks on headings in the frame, and tells the order of the rows and the one that each heading states.
const PROBE: &str = r"
const frame = document.querySelector('iframe');
frame.addEventListener('load', () => {
  const table = frame.contentDocument.querySelector('table'), heads = [...table.tHead.rows[0].cells];
  const state = () => [...table.tBodies[0].rows].map(row => row.cells[0].textContent).join('')
    + ' ' + heads.map(head => head.getAttribute('aria-sort') || '-').join(' ');
  const states = [state()];
  for (const column of [1, 1, 2, 0, 0]) {
    const button = heads[column].querySelector('button');
    if (button) button.click();
    states.push(state());
  }
  document.title = JSON.stringify(states);
});
";

/// Returns the answer of the probe.
fn probe(page: &str) -> Option<String> {
    let Some(browser) = chromium() else {
        skipped(Need::Browser, "no Chromium on this machine (Debian: apt-get install chromium)");
        return None;
    };
    let folder = tempfile::tempdir().expect("a folder");
    let source = page.replace('&', "&amp;").replace('"', "&quot;");
    let wrapper = format!(
        "<!DOCTYPE html><html><body><iframe width=800 height=800 srcdoc=\"{source}\"></iframe><script>{PROBE}</script></body></html>"
    );
    let path = folder.path().join("wrapper.html");
    std::fs::write(&path, wrapper).expect("written");
    let arguments =
        ["--virtual-time-budget=5000".to_owned(), "--dump-dom".to_owned(), format!("file://{}", path.display())];
    let dom = run(&browser, folder.path(), &arguments).expect("the browser ends");
    let title = dom.split("<title>").nth(1).and_then(|rest| rest.split("</title>").next());
    Some(title.expect("the probe ran").to_owned())
}

fn table() -> Table {
    let mut table = Table::new("Files", ["Name", "Files", "Bytes"]);
    table.push([Cell::text("b"), Cell::number("1,010"), Cell::quantity("1.5 KiB", 1536.0)]);
    table.push([Cell::text("a"), Cell::number("–"), Cell::quantity("2 B", 2.0)]);
    table.push([Cell::text("c"), Cell::number("9"), Cell::quantity("1 MiB", 1_048_576.0)]);
    table
}

#[test]
fn rows_are_sorted_as_numbers_and_as_text() {
    let page = Document::new("x").section(Section::new("a", "A").with(table().sortable())).html();
    let Some(states) = probe(&page) else { return };
    let expected = [
        "bac none none none",
        "cba none ascending none",
        // A cell without a number is last in both directions.
        "bca none descending none",
        "abc none none ascending",
        "abc ascending none none",
        "cba descending none none",
    ];
    let expected: Vec<String> = expected.iter().map(|state| format!("\"{state}\"")).collect();
    assert_eq!(states, format!("[{}]", expected.join(",")));
}

/// The policy names the digest of one script: with a blank more, it is another one.
#[test]
fn another_script_does_not_run() {
    let sortable = Document::new("x").section(Section::new("a", "A").with(table().sortable())).html();
    let changed = sortable.replacen("const table of", "const  table of", 1);
    assert!(changed.contains("const  table of"));
    let Some(states) = probe(&changed) else { return };
    assert!(states.starts_with("[\"bac - - -\",\"bac - - -\""), "{states}");
}
