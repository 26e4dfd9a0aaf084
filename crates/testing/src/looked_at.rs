//! Pages in a real browser: no sideways scrolling, every text readable in both schemes, nothing that keeps readers out.
#![allow(unreachable_pub, reason = "crates include the file in their tests")]

use std::path::Path;

use crate::chromium::{chromium, run};
use crate::skip::{Need, skipped};
use serde_json::{Value, json};

/// A phone and a desktop, in CSS pixels.
pub const WIDTHS: [u32; 2] = [390, 1280];

/// A sheet of A4 within margins of a centimetre, in CSS pixels.
const PAPER: u32 = 718;

/// The size of pages that are shown in one browser.
const BATCH_BYTES: usize = 8_000_000;

/// Measures the page in each frame: widths, and the least contrast of any text, by the definition of WCAG 2.2. SVG text
/// has its colour in `fill`, and stands on the page or on a rectangle drawn before it.
const MEASURE: &str = r#"
const measure = async frame => {
  const inner = frame.contentDocument, root = inner.documentElement, view = frame.contentWindow;
  const parse = text => (text.match(/[\d.]+/g) || []).map(Number);
  const luminance = rgb => { const [r, g, b] = rgb.slice(0, 3).map(v => v / 255)
    .map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
  const contrast = (a, b) => { const [x, y] = [luminance(a), luminance(b)];
    return (Math.max(x, y) + 0.05) / (Math.min(x, y) + 0.05); };
  const page = parse(view.getComputedStyle(inner.body).backgroundColor);
  const below = element => { for (let e = element; e; e = e.parentElement) {
    const colour = parse(view.getComputedStyle(e).backgroundColor);
    if (colour.length === 3 || colour[3] > 0.99) return colour; } return page; };
  const height = root.scrollHeight;
  for (const folded of inner.querySelectorAll('details')) folded.open = true;
  const svgs = [...inner.querySelectorAll('svg')].filter(svg => svg.checkVisibility());
  // Texts of a plot that are cut at its edge, or smaller than a reader can bear.
  const within = (a, b) => a.x >= b.x - 1 && a.right <= b.right + 1 && a.y >= b.y - 1 && a.bottom <= b.bottom + 1;
  let cut = 0, small = 0, first = '';
  for (const svg of svgs) for (const text of svg.querySelectorAll('text')) {
    const box = text.getBoundingClientRect();
    if (!within(box, svg.getBoundingClientRect())) { cut++; first += text.textContent + '; '; }
    if (box.height < 11) small++;
  }
  let least = 99, worst = '', texts = 0;
  const walker = inner.createTreeWalker(inner.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const element = node.parentElement;
    if (!node.textContent.trim() || element.closest('title,desc,style') || !element.checkVisibility()) continue;
    const style = view.getComputedStyle(element);
    let colour = parse(style.color), ground;
    if (element.closest('svg')) {
      colour = parse(style.fill); ground = page;
      const box = element.getBoundingClientRect(), x = box.x + box.width / 2, y = box.y + box.height / 2;
      for (const rect of element.closest('svg').querySelectorAll('rect')) {
        const r = rect.getBoundingClientRect();
        if (r.x <= x && x <= r.right && r.y <= y && y <= r.bottom) ground = parse(view.getComputedStyle(rect).fill);
      }
    } else ground = below(element);
    const value = contrast(colour, ground); texts++;
    if (value < least) { least = value; worst = node.textContent.trim().slice(0, 40); }
  }
  const escaped = [...inner.querySelectorAll('body *')].filter(e => !e.closest('.scroll') && !e.closest('pre') &&
    !e.closest('.skip') && e.getBoundingClientRect().right > root.clientWidth + 1).length;
  // Screen readers need names and headings, and no tool has to be fetched to look for them.
  const named = svg => svg.getAttribute('role') === 'img' && (svg.getAttribute('aria-label') || '').length > 20;
  const headed = table => table.caption && table.querySelector('thead th[scope=col]') &&
    ![...table.querySelectorAll('th')].some(head => !head.scope);
  const all = (selector, bad) => [...inner.querySelectorAll(selector)].filter(bad).length;
  // A number that is broken at the end of a line is read as another one.
  const words = cell => { const range = inner.createRange(), node = cell.firstChild;
    return [...(node?.nodeType === 3 ? node.data : '').matchAll(/\S+/g)].map(word => {
      range.setStart(node, word.index); range.setEnd(node, word.index + word[0].length);
      return new Set([...range.getClientRects()].map(box => box.y)).size; }); };
  const broken = all('td.number', cell => words(cell).some(lines => lines > 1));
  const touching = all('td[data-label]', cell => { const style = view.getComputedStyle(cell);
    return style.display === 'grid' && !(parseFloat(style.columnGap) > 4); });
  const unnamed = all('svg', svg => !named(svg)), headless = all('table', table => !headed(table));
  return ({ width: root.clientWidth, scroll: root.scrollWidth, escaped, least, worst, texts,
    page: page.slice(0, 3), svg: svgs.length, figures: inner.querySelectorAll('figure').length, cut, small, first, height,
    broken, touching, unnamed, headless, language: root.lang });
};
"#;

/// Runs axe-core in each frame, over all that can be unfolded, with the rules of WCAG 2.2 AA and its best practices.
const AXE: &str = r"
const measure = async frame => {
  const inner = frame.contentDocument;
  for (const folded of inner.querySelectorAll('details')) folded.open = true;
  const found = await frame.contentWindow.axe.run(inner, { resultTypes: ['violations', 'incomplete'] });
  const list = all => all.map(one => [one.id, one.nodes.length, one.nodes[0].html.slice(0, 200)]);
  return ({ violations: list(found.violations), passes: found.passes.length });
};
";

/// Makes the title of the answers of `measure` for all frames, when they are loaded.
const COLLECT: &str = r"
addEventListener('load', async () => {
  const told = [];
  for (const frame of document.querySelectorAll('iframe')) told.push(await measure(frame));
  document.title = JSON.stringify(told);
});
";

fn attribute(text: &str) -> String {
    text.replace('&', "&amp;").replace('"', "&quot;")
}

/// The argument of a browser that prefers one scheme.
pub fn preferring(is_dark: bool) -> String {
    format!("--blink-settings=preferredColorScheme={}", u8::from(!is_dark))
}

/// Shows pages in frames of some width, which have any width that one asks for (a window has not), beside a script, and
/// returns the answer of its function `measure` for each. Many are in one browser, whose start takes longer than a
/// small page; a browser with all large ones would take longer than it may.
pub fn probe(browser: &Path, folder: &Path, frames: &[(u32, &str)], is_dark: bool, script: &str) -> Vec<Value> {
    let mut told = Vec::new();
    let mut rest = frames;
    while !rest.is_empty() {
        let mut bytes = 0;
        let fitting = rest.iter().take_while(|(_, page)| {
            bytes += page.len();
            bytes <= BATCH_BYTES
        });
        let (batch, others) = rest.split_at(fitting.count().max(1));
        told.extend(probe_batch(browser, folder, batch, is_dark, script));
        rest = others;
    }
    told
}

fn probe_batch(browser: &Path, folder: &Path, frames: &[(u32, &str)], is_dark: bool, script: &str) -> Vec<Value> {
    let mut wrapper = "<!DOCTYPE html><html><head><meta charset=\"utf-8\"></head><body>".to_owned();
    for (width, page) in frames {
        // The page's policy allows no script, the wrapper's does.
        wrapper +=
            &format!("<iframe width={width} height=800 style=\"border:0\" srcdoc=\"{}\"></iframe>", attribute(page));
    }
    wrapper += &format!("<script>{script}{COLLECT}</script></body></html>");
    let path = folder.join("wrapper.html");
    std::fs::write(&path, wrapper).expect("written");
    let arguments = [
        preferring(is_dark),
        "--virtual-time-budget=60000".to_owned(),
        "--dump-dom".to_owned(),
        format!("file://{}", path.display()),
    ];
    let dom = run(browser, folder, &arguments).expect("the browser ends");
    let title = dom.split("<title>").nth(1).and_then(|rest| rest.split("</title>").next()).expect("the probe ran");
    let title = title.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&");
    let told: Vec<Value> = serde_json::from_str(&title).unwrap_or_else(|error| panic!("{error}: {title}"));
    assert_eq!(told.len(), frames.len(), "{told:?}");
    told
}

/// A page by its rules for paper.
fn printed(page: &str) -> String {
    page.replace("@media screen", "@media speech").replace("@media print", "@media all")
}

/// Shows each page on a phone and on a desktop, light and dark, and on paper; `check` is told what was measured of it
/// on screens, and where.
///
/// # Panics
/// Where a page scrolls sideways, cuts texts or has small ones, is not readable in a scheme, or has pictures without
/// names, tables without headings or no language.
pub fn look(pages: &[(&str, &str)], check: impl Fn(&Value, &str)) {
    let Some(browser) = chromium() else {
        skipped(Need::Browser, "no Chromium on this machine (Debian: apt-get install chromium)");
        return;
    };
    let folder = tempfile::tempdir().expect("a folder");
    let frames: Vec<(&str, (u32, &str))> =
        pages.iter().flat_map(|(name, page)| WIDTHS.map(|width| (*name, (width, *page)))).collect();
    let shown: Vec<(u32, &str)> = frames.iter().map(|(_, frame)| *frame).collect();
    for scheme in ["light", "dark"] {
        let told = probe(&browser, folder.path(), &shown, scheme == "dark", MEASURE);
        for (probe, (name, (width, _))) in told.iter().zip(&frames) {
            let context = format!("{name}, {width} px, {scheme}: {probe}");
            can_be_read(probe, *width, &context);
            assert_eq!(probe["small"], 0, "{context}");
            // The scheme that was asked for is the one that is shown.
            let is_dark = probe["page"][0].as_u64().is_some_and(|red| red < 128);
            assert_eq!(is_dark, scheme == "dark", "{context}");
            let [unnamed, headless, language] = ["unnamed", "headless", "language"].map(|key| &probe[key]);
            assert_eq!((unnamed, headless, language), (&json!(0), &json!(0), &json!("en")), "{context}");
            check(probe, &context);
        }
    }
    let papers: Vec<String> = pages.iter().map(|(_, page)| printed(page)).collect();
    let shown: Vec<(u32, &str)> = papers.iter().map(|page| (PAPER, page.as_str())).collect();
    for scheme in ["light", "dark"] {
        for (probe, (name, _)) in probe(&browser, folder.path(), &shown, scheme == "dark", MEASURE).iter().zip(pages) {
            let context = format!("{name}, on paper where {scheme} is preferred: {probe}");
            can_be_read(probe, PAPER, &context);
            // Paper is light for everybody.
            assert!(probe["page"][0].as_u64().is_some_and(|red| red > 230), "{context}");
        }
    }
}

/// Asserts that nothing leaves the page, that its plots are whole, and that its texts have contrast.
fn can_be_read(probe: &Value, width: u32, context: &str) {
    assert_eq!((&probe["width"], &probe["scroll"]), (&json!(width), &json!(width)), "{context}");
    assert_eq!(probe["escaped"], 0, "{context}");
    // Numbers are whole, and labels are apart from their values.
    assert_eq!((&probe["broken"], &probe["touching"]), (&json!(0), &json!(0)), "{context}");
    // Of the two drawings of a figure one is shown.
    assert_eq!((&probe["svg"], &probe["cut"]), (&probe["figures"], &json!(0)), "{context}");
    assert!(probe["least"].as_f64().is_some_and(|least| least >= 4.5), "{context}");
}

/// Lets axe-core look at pages; `PFH_TEST_AXE` names its axe.min.js.
///
/// # Panics
/// Where it finds a violation.
pub fn examine(pages: &[(&str, &str)]) {
    let Some(axe) = std::env::var_os("PFH_TEST_AXE") else {
        skipped(Need::Axe, "PFH_TEST_AXE names no axe.min.js (npm pack axe-core)");
        return;
    };
    let Some(browser) = chromium() else {
        skipped(Need::Browser, "no Chromium on this machine (Debian: apt-get install chromium)");
        return;
    };
    let axe = std::fs::read_to_string(axe).expect("axe.min.js");
    let folder = tempfile::tempdir().expect("a folder");
    let scripted: Vec<(&str, String)> = pages
        .iter()
        .map(|(name, page)| {
            // The page's own policy would forbid it.
            let begin = page.find("<meta http-equiv=\"Content-Security-Policy\"").expect("a policy");
            let end = begin + page[begin..].find('>').expect("its end") + 1;
            let page = format!("{}{}", &page[..begin], &page[end..]);
            (*name, page.replace("</body>", &format!("<script>{axe}</script></body>")))
        })
        .collect();
    // Colours do not depend on the width, nor the layout on the scheme.
    for (width, is_dark) in [(WIDTHS[0], true), (WIDTHS[1], false)] {
        let frames: Vec<(u32, &str)> = scripted.iter().map(|(_, page)| (width, page.as_str())).collect();
        let told = probe(&browser, folder.path(), &frames, is_dark, AXE);
        for (probe, (name, _)) in told.iter().zip(&scripted) {
            let context = format!("{name}, {width} px, {probe}");
            assert_eq!(probe["violations"], json!([]), "{context}");
            assert!(probe["passes"].as_u64().is_some_and(|passes| passes > 15), "{context}");
        }
    }
}
