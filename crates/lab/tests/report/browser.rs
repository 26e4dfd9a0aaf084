//! Reports in a real browser: no sideways scrolling of the page, and every text readable in both schemes.

use crate::chromium::{chromium, run};
use crate::skip::{Need, skipped};
use crate::synthetic::{algorithms, ciphers, languages, strings};
use pfh_lab::report::{Options, Report};

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
  let least = 99, worst = '', texts = 0;
  const walker = inner.createTreeWalker(inner.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const element = node.parentElement;
    if (!node.textContent.trim() || element.closest('title,desc,style')) continue;
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
    page: page.slice(0, 3), svg: inner.querySelectorAll('svg').length });
  document.documentElement.setAttribute('data-done', '1');
});
"#;

fn attribute(text: &str) -> String {
    text.replace('&', "&amp;").replace('"', "&quot;")
}

#[test]
fn pages_fit_the_screen_and_can_be_read() {
    let Some(browser) = chromium() else {
        skipped(Need::Browser, "no Chromium on this machine (Debian: apt-get install chromium)");
        return;
    };
    let folder = tempfile::tempdir().expect("a folder");
    for (name, made) in
        [("languages", languages()), ("strings", strings()), ("ciphers", ciphers()), ("algorithms", algorithms())]
    {
        let measurements = made.measurements();
        let page = Report::new(&measurements, Options::default()).document().html();
        for width in WIDTHS {
            for (scheme, flag) in [("light", "1"), ("dark", "0")] {
                // A frame has any width that one asks for; a window has not. Its policy allows no script, this page's
                // does.
                let wrapper = format!(
                    "<!DOCTYPE html><html><body><iframe width={width} height=800 style=\"border:0\" srcdoc=\"{}\"></iframe>\
                     <script>{PROBE}</script></body></html>",
                    attribute(&page)
                );
                let path = folder.path().join("wrapper.html");
                std::fs::write(&path, wrapper).expect("written");
                let arguments = [
                    format!("--blink-settings=preferredColorScheme={flag}"),
                    "--virtual-time-budget=5000".to_owned(),
                    "--dump-dom".to_owned(),
                    format!("file://{}", path.display()),
                ];
                let dom = run(&browser, folder.path(), &arguments).unwrap_or_else(|error| panic!("{name}: {error}"));
                let title = dom.split("<title>").nth(1).and_then(|rest| rest.split("</title>").next());
                let title = title.unwrap_or_else(|| panic!("{name}: the probe did not run"));
                let probe: serde_json::Value =
                    serde_json::from_str(&title.replace("&amp;", "&").replace("&lt;", "<").replace("&gt;", ">"))
                        .expect("JSON");
                let context = format!("{name}, {width} px, {scheme}: {probe}");
                println!("{context}");
                assert_eq!(probe["width"], width, "{context}");
                assert_eq!(probe["scroll"], width, "{context}");
                assert_eq!(probe["escaped"], 0, "{context}");
                assert!(probe["texts"].as_u64().is_some_and(|texts| texts > 200), "{context}");
                assert!(probe["svg"].as_u64().is_some_and(|count| count >= 3), "{context}");
                assert!(probe["least"].as_f64().is_some_and(|least| least >= 4.5), "{context}");
                // The scheme that was asked for is the one that is shown.
                let is_dark = probe["page"][0].as_u64().is_some_and(|red| red < 128);
                assert_eq!(is_dark, scheme == "dark", "{context}");
            }
        }
    }
}
