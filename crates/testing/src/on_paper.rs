//! Pages as a real browser prints them: nothing is lost, shrunk or dark, and tables keep their heads.
#![allow(unreachable_pub, reason = "crates include the file in their tests")]

use std::path::Path;

use crate::chromium::{chromium, run};
use crate::looked_at::{WIDTHS, preferring, probe};
use crate::skip::{Need, skipped};

/// Reads the PDF that `pdf` holds as hexadecimal digits, as Skia writes it, and compares it with the page in the frame.
///
/// The texts of the page on a desktop, with all that can be unfolded, must follow each other on paper in the same
/// order. Spaces are ignored, for lines break elsewhere, and so are texts that run from right to left.
const COMPARE: &str = r"
const measure = async frame => {
  const bytes = Uint8Array.from(pdf.match(/../g), digits => parseInt(digits, 16));
  // One character stands for each byte, so that positions are the same.
  const file = new TextDecoder('latin1').decode(bytes);
  const table = file.slice(parseInt(file.slice(file.lastIndexOf('startxref') + 9)));
  const places = [...table.matchAll(/(\d{10}) \d{5} [nf]/g)].map(entry => parseInt(entry[1]));
  const dictionary = place => file.slice(place, place + file.slice(place).search(/stream\n|endobj/));
  const dictionaries = places.map((place, number) => number ? dictionary(place) : '');
  const contents = number => {
    const begin = places[number] + dictionaries[number].length + 'stream\n'.length;
    const packed = new Blob([bytes.slice(begin, begin + parseInt(dictionaries[number].match(/\/Length (\d+)/)[1]))]);
    return new Response(packed.stream().pipeThrough(new DecompressionStream('deflate'))).text();
  };
  const fonts = new Map(), unhex = digits => parseInt(digits, 16);
  for (const [number, entries] of dictionaries.entries()) {
    const told = entries.match(/\/ToUnicode (\d+) 0 R/);
    if (!told) continue;
    const characters = new Map(), map = await contents(parseInt(told[1]));
    const utf16 = digits => String.fromCharCode(...digits.match(/..../g).map(unhex));
    for (const [, one] of map.matchAll(/beginbfchar([^]*?)endbfchar/g))
      for (const [, code, text] of one.matchAll(/<(\w+)> <(\w+)>/g)) characters.set(unhex(code), utf16(text));
    for (const [, range] of map.matchAll(/beginbfrange([^]*?)endbfrange/g))
      for (const [, first, last, text] of range.matchAll(/<(\w+)> <(\w+)> <(\w+)>/g))
        for (let code = unhex(first); code <= unhex(last); code++)
          characters.set(code, String.fromCodePoint(utf16(text).codePointAt(0) + code - unhex(first)));
    fonts.set(number, { characters, digits: entries.includes('/Type0') ? /..../g : /../g });
  }
  const plain = text => text.normalize('NFKC').replace(/[\s\u00ad\u200b]/g, '');
  const written = async drawing => {
    let text = '', font;
    for (const [, named, codes, form] of drawing.matchAll(/\/F(\d+) \S+ Tf|<(\w+)> Tj|\/X(\d+) Do/g)) {
      if (named) font = fonts.get(parseInt(named));
      else if (codes) for (const code of codes.match(font.digits)) text += font.characters.get(unhex(code)) ?? '';
      else if (dictionaries[form].includes('/Subtype /Form')) text += await written(await contents(parseInt(form)));
    }
    return text;
  };
  const pages = [];
  for (const entries of dictionaries.filter(entries => /\/Type \/Page\s/.test(entries))) {
    const drawing = await contents(parseInt(entries.match(/\/Contents (\d+)/)[1]));
    // A page begins with the resolution of the printer, the scale of what is printed, and its ground.
    const scale = drawing.match(/^([\d.]+) 0 0 \S+ 0 \S+ cm\s+q\s+([\d.]+) 0 0 /);
    const ground = drawing.match(/^(?:.*\n){0,5}?([\d.]+) ([\d.]+) ([\d.]+) rg\n(?:.*\n)?0 0 \S+ \S+ re\nf\n/);
    pages.push({ text: plain(await written(drawing)), scale: scale[1] * scale[2],
      ground: ground ? Math.min(...ground.slice(1).map(Number)) : 1 });
  }
  const inner = frame.contentDocument, view = frame.contentWindow;
  for (const folded of inner.querySelectorAll('details')) folded.open = true;
  const walker = inner.createTreeWalker(inner.body, NodeFilter.SHOW_TEXT);
  const printed = pages.map(page => page.text).join('');
  const lost = [];
  // The sheets on which texts are, by the ends of these, and the last one of each table.
  const ends = [], sheets = new Map();
  for (const page of pages) ends.push((ends.at(-1) ?? 0) + page.text.length);
  const head = table => plain(table.tHead.textContent);
  let texts = 0, place = 0, headless = 0;
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const element = node.parentElement, text = plain(node.textContent);
    if (!text || /\p{Script=Hebrew}|\p{Script=Arabic}/u.test(text) || !element.checkVisibility()) continue;
    // Controls have no use on paper, and captions that repeat what one unfolds are for screen readers.
    if (element.closest('nav,.skip,title,desc,style,script')) continue;
    if (view.getComputedStyle(element).clipPath !== 'none') continue;
    const found = printed.indexOf(text, place);
    if (found < 0) lost.push(text.slice(0, 60)); else place = found + text.length;
    texts++;
    const table = element.closest('tbody')?.parentElement, sheet = ends.findIndex(end => place <= end);
    if (!table || found < 0) continue;
    if (sheets.has(table) && sheets.get(table) !== sheet && !pages[sheet].text.startsWith(head(table))) headless++;
    sheets.set(table, sheet);
  }
  const headline = pages.length > 0 && pages[0].text.includes(plain(inner.querySelector('h1').textContent));
  return ({ pages: pages.length, headline, texts, lost: lost.length, headless, first: lost.slice(0, 5),
    empty: pages.filter(page => !page.text).length, scale: Math.min(...pages.map(page => page.scale)),
    ground: Math.min(...pages.map(page => page.ground)) });
};
";

/// Prints each page to PDF in a browser that prefers dark pages.
///
/// # Panics
/// Where there is no headline on the first sheet, a sheet is empty or dark or continues a table without its head,
/// something is so wide that the browser shrinks it, or a text that the screen shows is lost.
pub fn print(pages: &[(&str, &str)]) {
    let Some(browser) = chromium() else {
        skipped(Need::Browser, "no Chromium on this machine (Debian: apt-get install chromium)");
        return;
    };
    let folder = tempfile::tempdir().expect("a folder");
    for (name, page) in pages {
        let script = format!("const pdf = '{}';{COMPARE}", pdf(&browser, folder.path(), page));
        let told = &probe(&browser, folder.path(), &[(WIDTHS[1], *page)], false, &script)[0];
        let context = format!("{name}: {told}");
        assert!(told["pages"].as_u64().is_some_and(|pages| pages >= 1), "{context}");
        assert_eq!((&told["headline"], &told["lost"]), (&true.into(), &0.into()), "{context}");
        assert!(told["texts"].as_u64().is_some_and(|texts| texts > 20), "{context}");
        assert_eq!((&told["empty"], &told["headless"]), (&0.into(), &0.into()), "{context}");
        // A pixel of CSS has 0.75 points.
        assert!(told["scale"].as_f64().is_some_and(|scale| (scale - 0.75).abs() < 1e-3), "{context}");
        assert!(told["ground"].as_f64().is_some_and(|ground| ground > 0.9), "{context}");
    }
}

/// The page as a PDF, in hexadecimal digits.
fn pdf(browser: &Path, folder: &Path, page: &str) -> String {
    let [source, printed] = ["page.html", "page.pdf"].map(|name| folder.join(name));
    std::fs::write(&source, page).expect("written");
    let arguments = [
        preferring(true),
        "--no-pdf-header-footer".to_owned(),
        format!("--print-to-pdf={}", printed.display()),
        format!("file://{}", source.display()),
    ];
    run(browser, folder, &arguments).expect("the browser ends");
    let bytes = std::fs::read(&printed).expect("a PDF");
    std::fs::remove_file(&printed).expect("removed");
    bytes.iter().fold(String::with_capacity(2 * bytes.len()), |mut digits, byte| {
        let _ = std::fmt::Write::write_fmt(&mut digits, format_args!("{byte:02x}"));
        digits
    })
}
