//! The text of pages.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use pfh_digest::Algorithm;
use pfh_page::theme::INK;
use pfh_page::{
    Anchor, Block, Cell, Document, Drawing, FONT, Plot, ROWS_UNFOLDED_MAX, Section, Signature, Table, Tone,
};
use quick_xml::events::Event;

/// Text that would do harm, or vanish, where it was taken for markup.
const HOSTILE: [&str; 7] = [
    "<script>alert(1)</script>",
    "\" onclick=\"x",
    "</style><b>",
    "a & b",
    "\u{1b}[31m",
    "| # *x* `y` <z>",
    "\u{202e}gpj\u{2066}.\u{200b}exe",
];

fn table(text: &str) -> Table {
    let mut table = Table::new(text, [text, "Files"]);
    table.push([Cell::text(text), Cell::number(text)]);
    table.push([Cell::code(text), Cell::quantity(text, 2.5)]);
    table.push([Cell::mark(Tone::Bad, text), Cell::Lines(vec![text.to_owned()])]);
    table
}

fn document(text: &str) -> Document {
    let blocks = [
        Block::Verbatim(text.to_owned()),
        Block::List(vec![text.to_owned()]),
        Block::Facts(vec![(text.to_owned(), text.to_owned())]),
        Block::Signatures(vec![Signature::new(text), Signature::new(text).printed(text)]),
        table(text).into(),
    ];
    let section = blocks.into_iter().fold(Section::new("section", text).text(text), Section::with);
    Document::new(text).question(text).sentence(text).fact(text, text).section(section)
}

/// The names of a page's elements and their attributes.
fn elements(html: &str) -> Vec<(String, Vec<(String, String)>)> {
    let mut reader = quick_xml::Reader::from_str(html);
    reader.config_mut().check_end_names = false;
    let mut all = Vec::new();
    loop {
        match reader.read_event().unwrap_or_else(|error| panic!("at {}: {error}", reader.buffer_position())) {
            Event::Start(start) | Event::Empty(start) => {
                let attributes = start.attributes().map(|attribute| {
                    let attribute = attribute.expect("an attribute");
                    let value = quick_xml::escape::unescape(&attribute.value).expect("escaped").into_owned();
                    (attribute.key.as_ref().to_owned(), value)
                });
                all.push((start.name().as_ref().to_owned(), attributes.collect()));
            }
            Event::Eof => return all,
            _ => {}
        }
    }
}

#[test]
fn text_stays_text() {
    let harmless = elements(&document("x").html());
    for text in HOSTILE {
        let page = document(text);
        let names = |all: &[(String, Vec<(String, String)>)]| {
            let names = |(name, attributes): &(String, Vec<(String, String)>)| {
                (name.clone(), attributes.iter().map(|(key, _)| key.clone()).collect::<Vec<_>>())
            };
            all.iter().map(names).collect::<Vec<_>>()
        };
        assert_eq!(names(&elements(&page.html())), names(&harmless), "{text}");
        let picture = Plot::new(text, text, |width| {
            let mut drawing = Drawing::new(width, FONT);
            drawing.text((0.0, 0.0), Anchor::Start, INK.light, text);
            drawing
        });
        for printed in [page.html(), page.markdown(), picture.svg()] {
            assert!(!printed.contains(['\u{1b}', '\u{202e}', '\u{2066}', '\u{200b}']), "{text}");
        }
        assert!(!page.markdown().contains("<script>") || page.markdown().contains("```"), "{text}");
    }
}

/// A browser runs a script only if its digest is the one that the policy names.
#[test]
fn the_policy_allows_the_script_that_sorts_and_no_other() {
    let sorted = Document::new("x").section(Section::new("a", "A").with(table("t").sortable())).html();
    let script = sorted.split("<script>").nth(1).and_then(|rest| rest.split("</script>").next()).expect("a script");
    let sha256 = Algorithm::from_name("sha256").expect("in the registry");
    let digest = STANDARD.encode(sha256.digest(script.as_bytes()).bytes());
    assert!(sorted.contains(&format!("; script-src 'sha256-{digest}'\"")), "{digest}");
    assert_eq!(sorted.matches("<script").count(), 1);
    let plain = Document::new("x").section(Section::new("a", "A").with(table("t"))).html();
    assert!(!plain.contains("script") && !plain.contains("sortable\""), "{plain}");
}

#[test]
fn parts_that_are_absent_leave_nothing_behind() {
    let html = Document::new("Title").html();
    for absent in ["<dl", "<nav", "question\"", "<section", "class=\"answer\""] {
        assert!(!html.contains(absent), "{absent}");
    }
    assert_eq!(Document::new("Title").markdown(), "# Title\n\n");
}

#[test]
fn numbers_are_aligned_and_keep_the_value_to_sort_by() {
    let html = document("x").html();
    assert!(html.contains("<td class=\"number\" data-label=\"Files\" data-value=\"2.5\">x</td>"), "{html}");
    assert!(html.contains("<td class=\"number\" data-label=\"Files\">x</td>"), "{html}");
}

#[test]
fn markdown_has_lines_to_write_on() {
    let markdown = document("x").markdown();
    assert!(markdown.contains(&format!("- x: {}\n- x: x\n", "\\_".repeat(30))), "{markdown}");
}

/// A table of paths is a list of cards on a phone, where each value has the name of its column before it.
#[test]
fn cells_of_cards_have_the_names_of_their_columns() {
    let html_of = |path: Cell| {
        let mut table = Table::new("Files", ["Path", "When"]);
        table.push([path, Cell::text("2026-01-02T03:04:05Z")]);
        Document::new("x").section(Section::new("a", "A").with(table)).html()
    };
    let cards = html_of(Cell::code("a/b"));
    assert!(cards.contains("<table class=\"prose\">"), "{cards}");
    // A time is not broken at its hyphens.
    assert!(cards.contains("<td class=\"whole\" data-label=\"When\">2026-01-02T03:04:05Z</td>"), "{cards}");
    assert!(!html_of(Cell::text("a/b")).contains("data-label="));
}

/// Paths that differ in runs of spaces alone look different.
#[test]
fn spaces_of_paths_are_kept() {
    let mut table = Table::new("Files", ["Path", "When"]);
    table.push([Cell::code("a  b"), Cell::code(" c")]);
    let document = Document::new("x").section(Section::new("a", "A").with(table));
    let html = document.html();
    assert!(html.contains("<code>a  b</code>") && html.contains("<code> c</code>"), "{html}");
    assert!(html.contains("td code,th code{display:block;max-width:32rem;white-space:pre-wrap}"), "{html}");
    let markdown = document.markdown();
    assert!(markdown.contains("| a &nbsp;b | &nbsp;c |"), "{markdown}");
}

#[test]
fn columns_without_a_value_are_left_out() {
    let mut table = Table::new("Files", ["Path", "Expected", "Found", "Reason"]);
    table.push([Cell::code(""), Cell::code(""), Cell::number("1"), Cell::text("")]);
    table.push([Cell::code("b"), Cell::code(""), Cell::number(""), Cell::Lines(Vec::new())]);
    let markdown = Document::new("x").section(Section::new("a", "A").with(table.without_empty_columns())).markdown();
    assert!(markdown.contains("| Path | Found |") && markdown.contains("| b |"), "{markdown}");
    assert!(!markdown.contains("Expected") && !markdown.contains("Reason"), "{markdown}");
}

#[test]
fn long_tables_are_folded_below_their_caption() {
    let html_of = |rows: usize| {
        let mut table = Table::new("Files", ["Path", "Number"]);
        (0..rows).for_each(|row| table.push([Cell::code("p"), Cell::number(row.to_string())]));
        Document::new("x").section(Section::new("a", "A").with(Block::folded_if_long(table))).html()
    };
    assert!(!html_of(ROWS_UNFOLDED_MAX).contains("<details"));
    assert!(html_of(ROWS_UNFOLDED_MAX + 1).contains("<details><summary>Files: 41 rows</summary>"));
}
