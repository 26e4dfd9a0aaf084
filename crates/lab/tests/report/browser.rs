//! Reports in a real browser: no sideways scrolling of the page, and every text readable in both schemes.

use std::path::Path;

use crate::chromium::{chromium, run};
use crate::skip::{Need, skipped};
use crate::synthetic::{Synthetic, algorithms, ciphers, languages, strings};
use pfh_lab::report::{Options, Report, frash};

/// A phone and a desktop, in CSS pixels.
const WIDTHS: [u32; 2] = [390, 1280];

/// Measures the page in the frame: widths, and the least contrast of any text, by the definition of WCAG 2.2. SVG text
/// has its colour in `fill`, and stands on the page or on a rectangle drawn before it.
const PROBE: &str = r#"
const frame = document.querySelector('iframe');
frame.addEventListener('load', () => {
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
  document.title = JSON.stringify({ width: root.clientWidth, scroll: root.scrollWidth, escaped, least, worst, texts,
    page: page.slice(0, 3), svg: svgs.length, figures: inner.querySelectorAll('figure').length, cut, small, first, height });
  document.documentElement.setAttribute('data-done', '1');
});
"#;

fn attribute(text: &str) -> String {
    text.replace('&', "&amp;").replace('"', "&quot;")
}

/// Shows a page in a frame of a width, which has any width that one asks for (a window has not), beside a script, and
/// returns the JSON that the script makes the title.
fn probe(browser: &Path, folder: &Path, page: &str, width: u32, is_dark: bool, script: &str) -> serde_json::Value {
    // The page's policy allows no script, the wrapper's does.
    let wrapper = format!(
        "<!DOCTYPE html><html><body><iframe width={width} height=800 style=\"border:0\" srcdoc=\"{}\"></iframe>\
         <script>{script}</script></body></html>",
        attribute(page)
    );
    let path = folder.join("wrapper.html");
    std::fs::write(&path, wrapper).expect("written");
    let arguments = [
        format!("--blink-settings=preferredColorScheme={}", u8::from(!is_dark)),
        "--virtual-time-budget=20000".to_owned(),
        "--dump-dom".to_owned(),
        format!("file://{}", path.display()),
    ];
    let dom = run(browser, folder, &arguments).expect("the browser ends");
    let title = dom.split("<title>").nth(1).and_then(|rest| rest.split("</title>").next()).expect("the probe ran");
    let title = title.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&");
    serde_json::from_str(&title).unwrap_or_else(|error| panic!("{error}: {title}"))
}

/// All kinds of pages that are made here.
fn pages() -> Vec<(&'static str, String)> {
    let made =
        [("languages", languages()), ("strings", strings()), ("ciphers", ciphers()), ("algorithms", algorithms())];
    let page = |made: &Synthetic| Report::new(&made.measurements(), Options::default()).document().html();
    let pages = made.iter().map(|(name, made)| (*name, page(made)));
    pages.chain([("frash", frash::document(&crate::frash::rows()).html())]).collect()
}

#[test]
fn pages_fit_the_screen_and_can_be_read() {
    let Some(browser) = chromium() else {
        skipped(Need::Browser, "no Chromium on this machine (Debian: apt-get install chromium)");
        return;
    };
    let folder = tempfile::tempdir().expect("a folder");
    for (name, page) in pages() {
        for width in WIDTHS {
            for scheme in ["light", "dark"] {
                let probe = probe(&browser, folder.path(), &page, width, scheme == "dark", PROBE);
                let context = format!("{name}, {width} px, {scheme}: {probe}");
                println!("{context}");
                assert_eq!(probe["width"], width, "{context}");
                assert_eq!(probe["scroll"], width, "{context}");
                assert_eq!(probe["escaped"], 0, "{context}");
                assert!(probe["texts"].as_u64().is_some_and(|texts| texts > 200), "{context}");
                assert!(probe["svg"].as_u64().is_some_and(|count| count >= 3), "{context}");
                // Of the two drawings of a figure one is shown, whole and in letters that can be read.
                assert_eq!(probe["svg"], probe["figures"], "{context}");
                assert_eq!((&probe["cut"], &probe["small"]), (&0.into(), &0.into()), "{context}");
                // Before anything is unfolded the page is one that a person reads to its end.
                assert!(probe["height"].as_u64().is_some_and(|height| height < 25_000), "{context}");
                assert!(probe["least"].as_f64().is_some_and(|least| least >= 4.5), "{context}");
                // The scheme that was asked for is the one that is shown.
                let is_dark = probe["page"][0].as_u64().is_some_and(|red| red < 128);
                assert_eq!(is_dark, scheme == "dark", "{context}");
            }
        }
    }
}

/// Runs axe-core in the frame, over all that can be unfolded, with the rules of WCAG 2.2 AA and its best practices.
const AXE: &str = r"
const frame = document.querySelector('iframe');
frame.addEventListener('load', async () => {
  const inner = frame.contentDocument;
  for (const folded of inner.querySelectorAll('details')) folded.open = true;
  const found = await frame.contentWindow.axe.run(inner, { resultTypes: ['violations', 'incomplete'] });
  const list = all => all.map(one => [one.id, one.nodes.length, one.nodes[0].html.slice(0, 200)]);
  document.title = JSON.stringify({ violations: list(found.violations), passes: found.passes.length });
});
";

/// `PFH_TEST_AXE` names axe.min.js of axe-core.
#[test]
fn nothing_keeps_readers_out() {
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
    for (name, page) in pages() {
        // The page's own policy would forbid it.
        let begin = page.find("<meta http-equiv=\"Content-Security-Policy\"").expect("a policy");
        let end = begin + page[begin..].find('>').expect("its end") + 1;
        let page = format!("{}{}", &page[..begin], &page[end..]);
        let page = page.replace("</body>", &format!("<script>{axe}</script></body>"));
        // Colours do not depend on the width, nor the layout on the scheme.
        for (width, is_dark) in [(WIDTHS[0], true), (WIDTHS[1], false)] {
            let probe = probe(&browser, folder.path(), &page, width, is_dark, AXE);
            let context = format!("{name}, {width} px, {probe}");
            println!("{context}");
            assert_eq!(probe["violations"], serde_json::json!([]), "{context}");
            assert!(probe["passes"].as_u64().is_some_and(|passes| passes > 15), "{context}");
        }
    }
}
