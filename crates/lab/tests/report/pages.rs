//! Reports as they are printed: well-formed, complete, and made of text that stays text.

use std::collections::BTreeSet;

use crate::synthetic::{self, MIB, Synthetic, all, cell, languages_reported, strings};
use pfh_lab::measurements::{Clock, Measurements};
use pfh_lab::report::{Options, Report};
use pfh_lab::results::{Cell, Entry, FailureKind, Runner};
use pfh_page::theme::{self, Rgb};
use quick_xml::events::Event;

fn html(measurements: &Measurements) -> String {
    Report::new(measurements, Options::default()).document().html()
}

/// Elements of HTML that have no end.
const VOID: [&str; 8] = ["meta", "link", "br", "hr", "img", "input", "col", "wbr"];

/// The parts of a page.
#[derive(Default)]
struct Page {
    elements: Vec<(String, Vec<(String, String)>)>,
    text: String,
}

impl Page {
    /// Reads a page, and panics where it is not well-formed.
    fn parse(html: &str) -> Page {
        let mut reader = quick_xml::Reader::from_str(html);
        reader.config_mut().check_end_names = false;
        let mut page = Page::default();
        let mut open: Vec<String> = Vec::new();
        loop {
            let event = reader.read_event().unwrap_or_else(|error| panic!("at {}: {error}", reader.buffer_position()));
            match event {
                Event::Start(start) | Event::Empty(start) => {
                    let name = start.name().as_ref().to_owned();
                    let attributes = start.attributes().map(|attribute| {
                        let attribute = attribute.expect("an attribute");
                        let key = attribute.key.as_ref().to_owned();
                        (key, quick_xml::escape::unescape(&attribute.value).expect("escaped").into_owned())
                    });
                    page.elements.push((name.clone(), attributes.collect()));
                    let closed_itself = html[..reader.buffer_position() as usize].ends_with("/>");
                    if !closed_itself && !VOID.contains(&name.as_str()) {
                        open.push(name);
                    }
                }
                Event::End(end) => {
                    let name = end.name().as_ref().to_owned();
                    assert_eq!(open.pop().as_deref(), Some(name.as_str()), "at {}", reader.buffer_position());
                }
                Event::Text(text) => page.text += &text,
                Event::GeneralRef(reference) => {
                    let name: &str = &reference;
                    page.text += &quick_xml::escape::unescape(&format!("&{name};")).expect("a reference");
                }
                Event::Eof => break,
                _ => {}
            }
        }
        assert!(open.is_empty(), "{open:?}");
        page
    }

    fn attribute<'a>(attributes: &'a [(String, String)], name: &str) -> Option<&'a str> {
        attributes.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }
}

#[test]
fn pages_are_well_formed_and_need_nothing_else() {
    for made in all() {
        let name = made.name;
        let html = &made.html;
        let page = Page::parse(html);
        let ids: Vec<&str> = page.elements.iter().filter_map(|(_, all)| Page::attribute(all, "id")).collect();
        assert_eq!(ids.iter().collect::<BTreeSet<_>>().len(), ids.len(), "{name}: an id twice");
        for (element, attributes) in &page.elements {
            assert!(!["script", "link", "iframe", "object", "embed", "img"].contains(&element.as_str()), "{name}");
            for (key, value) in attributes {
                assert!(!key.starts_with("on"), "{name}: {key}");
                assert!(!["src", "srcset", "action"].contains(&key.as_str()), "{name}: {key}");
                if key == "href" {
                    let target = value.strip_prefix('#').unwrap_or_else(|| panic!("{name}: {value}"));
                    assert!(ids.contains(&target), "{name}: {target}");
                }
            }
        }
        assert!(!html.contains("url(") && !html.contains("@import"), "{name}");
    }
}

/// Alternative texts, headings of rows and columns, and a way by keyboard to all that scrolls.
#[test]
fn pages_can_be_read_without_seeing_them() {
    for made in all() {
        let name = made.name;
        let page = Page::parse(&made.html);
        let count = |element: &str| page.elements.iter().filter(|(other, _)| other == element).count();
        assert!(count("svg") >= 3, "{name}: {} plots", count("svg"));
        assert_eq!(count("desc"), count("svg"), "{name}");
        assert_eq!(count("caption"), count("table"), "{name}");
        assert_eq!(count("h1"), 1, "{name}");
        for (element, attributes) in &page.elements {
            let attribute = |name: &str| Page::attribute(attributes, name);
            match element.as_str() {
                "html" => assert_eq!(attribute("lang"), Some("en")),
                "svg" => {
                    assert_eq!(attribute("role"), Some("img"), "{name}");
                    assert!(attribute("aria-label").is_some_and(|label| label.len() > 20), "{name}: {attributes:?}");
                }
                "th" => assert!(attribute("scope").is_some(), "{name}"),
                "div" if attribute("class") == Some("scroll") => {
                    assert_eq!(attribute("tabindex"), Some("0"), "{name}");
                    assert!(attribute("aria-label").is_some_and(|label| !label.is_empty()), "{name}");
                }
                _ => {}
            }
        }
    }
}

/// Every colour that is drawn is of the theme: another would not change with the scheme.
#[test]
fn plots_are_drawn_in_the_colours_of_the_theme() {
    let paired = [theme::INK, theme::FAINT, theme::RULE].iter().chain(&theme::SERIES).map(|colour| colour.light);
    let allowed: BTreeSet<String> = paired.chain(theme::HEAT).chain([theme::HEAT_INK]).map(hex).collect();
    for made in all() {
        let name = made.name;
        for (element, attributes) in Page::parse(&made.html).elements {
            for (key, value) in attributes.iter().filter(|(key, _)| key == "fill" || key == "stroke") {
                assert!(value == "none" || allowed.contains(value), "{name}: {element} {key}={value}");
            }
        }
    }
}

/// The parts of a page between a heading of level 2 and the next one.
fn section<'a>(html: &'a str, id: &str) -> &'a str {
    let begin = html.find(&format!("<h2 id=\"{id}\"")).unwrap_or_else(|| panic!("no section {id}"));
    let rest = &html[begin..];
    rest.split("</section>").next().unwrap_or(rest)
}

/// One picture has every claim that the experiment tests, in both of its drawings, and leaves no figure out.
#[test]
fn all_claims_are_in_one_picture() {
    for made in all() {
        let name = made.name;
        let (report, html) = (&made.report, &made.html);
        let claims = section(html, "claims");
        let figure = claims.split("<figure>").nth(1).and_then(|rest| rest.split("</figure>").next()).expect("a figure");
        let drawings: Vec<Page> =
            figure.split("<svg ").skip(1).map(|svg| Page::parse(&format!("<svg {}", svg.trim_end()))).collect();
        assert_eq!(drawings.len(), 2, "{name}");
        let mut statements = 0;
        for finding in report.findings() {
            let figures: Vec<_> = finding.statements.iter().filter(|one| one.measured.is_some()).collect();
            statements += figures.len();
            for drawing in &drawings {
                if !figures.is_empty() {
                    assert!(drawing.text.contains(&format!("{}: ", finding.claim.id)), "{name}: {}", finding.claim.id);
                }
                if finding.claim.experiment == name && figures.is_empty() {
                    assert!(drawing.text.contains(finding.claim.id), "{name}: {}", finding.claim.id);
                }
                for figure in &figures {
                    let words = |text: &str| text.split_whitespace().collect::<String>();
                    assert!(words(&drawing.text).contains(&words(&figure.subject)), "{name}: {}", figure.subject);
                }
            }
        }
        assert!(statements > 0, "{name}");
        assert!(!html.contains("all in the JSON Lines beside this report"), "{name}");
    }
}

/// Rates of one kind of work are on one scale, so that runners can be compared across algorithms.
#[test]
fn rates_of_one_kind_of_work_share_a_scale() {
    for made in all() {
        let name = made.name;
        let html = &made.html;
        let rates = section(html, "rates");
        let first_mode = rates.split("<details").next().expect("the plots that are not folded");
        let scales: Vec<Vec<&str>> = first_mode
            .split("<svg ")
            .skip(1)
            .filter(|svg| svg.contains("class=\"wide\""))
            .map(|svg| {
                // Marks of the scale are the small texts in the colour of less weight.
                let faint = format!("font-size=\"11\" fill=\"{}\">", hex(theme::FAINT.light));
                svg.split(faint.as_str()).skip(1).filter_map(|rest| rest.split('<').next()).collect()
            })
            .collect();
        assert!(scales.len() >= 2, "{name}: {} plots", scales.len());
        assert!(scales[0].len() >= 4 && scales.iter().all(|scale| *scale == scales[0]), "{name}: {scales:?}");
    }
}

/// A reader gets to the end: tables are few, and folded.
#[test]
fn tables_are_few_and_folded() {
    for made in all() {
        let name = made.name;
        let html = &made.html;
        let tables = html.matches("<table").count();
        assert!(tables <= 20, "{name}: {tables}");
        let open = html.split("<details").map(|part| part.split_once("</details>").map_or(part, |(_, rest)| rest));
        let unfolded: usize = open.map(|part| part.matches("<table").count()).sum();
        assert!(unfolded <= 3, "{name}: {unfolded}");
    }
}

/// One stream against lanes, from single messages to large data, in one panel for each algorithm.
#[test]
fn rates_over_size_join_messages_and_large_data() {
    let [.., algorithms] = all();
    let sizes = section(&algorithms.html, "sizes");
    let page = Page::parse(sizes);
    for text in ["16 B", "8 KiB", "4 MiB", "pfh, lanes", "pfh, one stream", "SHA-256", "MiB per second"] {
        assert!(page.text.contains(text), "{text}");
    }
}

fn hex((red, green, blue): Rgb) -> String {
    format!("#{red:02X}{green:02X}{blue:02X}")
}

const HOSTILE: [&str; 6] = [
    "<script>alert(1)</script>",
    "\"><img src=x onerror=alert(1)>",
    "</title></style><style>*{display:none}</style>",
    "]]>&lt;&amp;-->",
    "=HYPERLINK(\"http://example.com\")|x|\n# heading `code` <b>",
    "\u{202e}evil\u{0}\u{7}\u{1b}[31m",
];

/// Whatever a runner calls itself, or says when it fails, is text and nothing else.
#[test]
fn every_text_of_a_result_is_escaped() {
    let mut made = Synthetic::new(HOSTILE[0]);
    made.header().definition = format!("title = '''{}'''\nquestion = '''{}'''\n", HOSTILE[2], HOSTILE[1]);
    made.header().environment.insert(HOSTILE[1].to_owned(), HOSTILE[2].to_owned());
    for (index, text) in HOSTILE.into_iter().enumerate() {
        let id = format!("{text}{index}");
        made.runner(&id, "today", text, text);
        made.runner(&id, HOSTILE[0], &format!("{text}, {}", HOSTILE[1]), text);
        for profile in ["today", HOSTILE[0]] {
            made.series(&id, profile, "digest", HOSTILE[index], &[MIB, 2 * MIB, 3 * MIB], 100.0);
            made.series(&id, profile, "digest", "sha256", &[MIB, 2 * MIB, 3 * MIB], 100.0 + index as f64);
            made.series(&id, profile, HOSTILE[index], "md5", &[MIB], 100.0);
        }
        made.unavailable(&format!("absent{index}"), text);
        made.failure(cell(&id, "today", "digest", text, 1), FailureKind::Crash, text);
    }
    made.series("c-openssl", "today", "digest", "sha256", &[MIB, 2 * MIB, 3 * MIB], 100.0);
    let measurements = made.measurements();
    let html = html(&measurements);
    let page = Page::parse(&html.replace(['\u{0}', '\u{7}', '\u{1b}'], "?"));
    assert!(page.elements.iter().all(|(name, attributes)| {
        !["script", "img", "b"].contains(&name.as_str()) && attributes.iter().all(|(key, _)| !key.starts_with("on"))
    }));
    assert_eq!(page.elements.iter().filter(|(name, _)| name == "style").count(), 1);
    for text in &HOSTILE[..3] {
        assert!(page.text.contains(text), "{text} is not shown");
    }
    // Controls are nothing that a page may hold.
    assert!(!html.chars().any(|c| c.is_control() && c != '\n'), "a control character");
    let markdown = Report::new(&measurements, Options::default()).document().markdown();
    assert!(markdown.contains("\\<script\\>alert(1)\\</script\\>"));
    // Outside the verbatim definition no line begins with what a text smuggled in.
    assert!(!markdown.lines().any(|line| line.starts_with("# heading")));
}

#[test]
fn the_figures_alone_can_be_read_back() {
    for made in all() {
        let name = made.name;
        let (measurements, report) = (made.measurements, &made.report);
        let points: usize = measurements.series.values().map(|series| series.points.len()).sum();
        let mut csv_text = Vec::new();
        report.write_csv(&mut csv_text).expect("memory");
        let mut reader = csv::Reader::from_reader(csv_text.as_slice());
        let column =
            reader.headers().expect("a head").iter().position(|name| name == "wall_median_ns").expect("a column");
        let medians: Vec<f64> =
            reader.records().map(|row| row.expect("a row")[column].parse().expect("a number")).collect();
        let expected: Vec<f64> =
            measurements.series.values().flat_map(|series| &series.points).map(|point| point.time.median).collect();
        assert_eq!(medians, expected, "{name}");

        let mut lines = Vec::new();
        report.write_json_lines(&mut lines).expect("memory");
        let objects: Vec<serde_json::Value> = String::from_utf8(lines)
            .expect("UTF-8")
            .lines()
            .map(|line| serde_json::from_str(line).expect("an object"))
            .collect();
        let count = |kind: &str| objects.iter().filter(|object| object["type"] == kind).count();
        assert_eq!((count("header"), count("cell"), count("claim")), (1, points, report.findings().len()), "{name}");
        assert!(count("fit") > 0, "{name}");
    }
}

/// Rates by another clock are not mistaken for those by the usual one.
#[test]
fn the_figures_tell_another_clock() {
    let figures = |clock: Clock| {
        let measurements = synthetic::languages().measurements().by(clock);
        let report = Report::new(&measurements, Options::default());
        let (mut table, mut lines) = (Vec::new(), Vec::new());
        report.write_csv(&mut table).expect("memory");
        report.write_json_lines(&mut lines).expect("memory");
        [table, lines].map(|text| String::from_utf8(text).expect("UTF-8"))
    };
    let [table, lines] = figures(Clock::Cpu);
    let ends: Vec<&str> = table.lines().map(|row| row.rsplit(',').next().expect("a column")).collect();
    assert!(ends.len() > 2 && ends[0] == "clock" && ends[1..].iter().all(|end| *end == "cpu"), "{table}");
    let page = include_str!("../../../../docs/reference/outputs.md");
    let (_, section) = page.split_once("\n## Figures of experiments\n").expect("the section");
    for column in table.lines().next().expect("a head").split(',') {
        assert!(section.contains(&format!("`{column}`")), "{column} is not documented");
    }
    // The header and the cells.
    assert_eq!(lines.matches("\"clock\":\"cpu\"").count(), ends.len(), "{lines}");
    let [table, lines] = figures(Clock::Wall);
    assert!(table.lines().next().is_some_and(|head| head.ends_with(",simulated")), "{table}");
    assert!(!lines.contains("\"clock\":"), "{lines}");
}

/// The first sentence is what people take away: it must not say more than the data bear.
#[test]
fn a_busy_machine_is_answered_by_processor_time_and_noise_by_nothing() {
    let sizes = [2, 4, 8, 16].map(|size| size * MIB);
    let mut busy = Synthetic::new("languages");
    busy.busy = 6.0;
    for (runner, speed) in [("c-openssl", 1000.0), ("py-hashlib", 500.0)] {
        busy.series(runner, "today", "digest", "sha256", &sizes, speed);
    }
    let measurements = busy.measurements();
    let answer = Report::new(&measurements, Options::default()).document().answer().join(" ");
    // 722 GiB at 1000 MiB/s are 739 s; half of the speed costs as much again. By wall time it would be three to four
    // times that.
    assert!(answer.contains("the choice is worth 12 min") && answer.contains("(95 % interval 12 min"), "{answer}");
    assert!(answer.contains("by processor time: the machine was busy"), "{answer}");
    assert!(answer.contains("The verdicts on claims are by wall time, and so of a busy machine"), "{answer}");

    let mut alike = Synthetic::new("languages");
    alike.between_rounds = 0.2;
    for runner in ["c-openssl", "py-hashlib"] {
        alike.series(runner, "today", "digest", "sha256", &sizes, 1000.0);
    }
    let measurements = alike.measurements();
    let answer = Report::new(&measurements, Options::default()).document().answer().join(" ");
    assert!(answer.contains("SHA-256 is undecided on this machine now"), "{answer}");
    assert!(answer.contains("Which of 2 rates is the fastest is undecided on this machine now"), "{answer}");

    alike.series("perl-core", "today", "digest", "sha256", &sizes, 100.0);
    let measurements = alike.measurements();
    let answer = Report::new(&measurements, Options::default()).document().answer().join(" ");
    assert!(answer.contains("MiB/s (undecided against 1 other), slowest SHA-256 by perl-core with "), "{answer}");
}

/// The instructions decide only where both intervals say so.
#[test]
fn instructions_that_may_not_matter_are_undecided() {
    for (masked, verdict) in [
        (500.0, ": they decide which is the faster."),
        (990.0, ": whether they decide which is the faster is undecided on this machine now."),
        (2000.0, ": they do not decide which is the faster."),
    ] {
        let mut made = Synthetic::new("languages");
        made.between_rounds = 0.05;
        for (profile, algorithm, speed) in [
            ("today", "md5", 1000.0),
            ("today", "sha256", 2000.0),
            ("no-sha", "md5", 1000.0),
            ("no-sha", "sha256", masked),
        ] {
            made.series("c-openssl", profile, "digest", algorithm, &[2 * MIB], speed);
        }
        let answer = Report::new(&made.measurements(), Options::default()).document().answer().join(" ");
        assert!(answer.contains(verdict), "{masked}: {answer}");
    }
}

#[test]
fn the_report_answers_in_sentences() {
    let measurements = languages_reported().measurements;
    let options = Options { volume_bytes: 1 << 40, ..Options::default() };
    let document = Report::new(measurements, options).document();
    let answer = document.answer().join(" ");
    // 1 TiB at 120 MiB/s are 8738 s, at 1948 MiB/s 538 s.
    assert!(answer.contains("Over 1 TiB of data the choice is worth 2 h 17 min (95 % interval 2 h 1"), "{answer}");
    assert!(answer.contains("2 h 26 min with Mono"), "{answer}");
    assert!(!answer.contains("busy") && !answer.contains("undecided on this machine"), "{answer}");
    assert!(answer.contains("MiB/s: a factor of 17.1 (17.1 to 17.2)."), "{answer}");
    assert!(answer.contains("SHA-256 takes 0.430 (0.4"), "{answer}");
    assert!(answer.contains("without SHA instructions: "), "{answer}");
    let markdown = document.markdown();
    for text in [
        "## What the studies claim",
        "## Projected to 1 TiB",
        "| Mono | today |",
        "took more than 128 MiB",
        "Not offered, which is no fault",
        "`dotnet` is not found",
        "Effects of the profiles",
        // MD5 with 818 and 815 MiB/s.
        "| OpenSSL libcrypto | without SHA instructions | no SHA instructions | 1.00 (",
    ] {
        assert!(markdown.replace('\\', "").contains(text), "{text}");
    }
}

#[test]
fn key_spaces_and_files() {
    let strings = strings().measurements();
    let options = Options { key_space: 1e9, ..Options::default() };
    let markdown = Report::new(&strings, options).document().markdown();
    // OpenSSL's MD4 in 400 ns: 10⁹ of them in 400 s.
    assert!(markdown.contains("| MD4 | digest | OpenSSL libcrypto |"), "{markdown}");
    assert!(markdown.contains("6 min 4"), "{markdown}");
    let ciphers = synthetic::ciphers().measurements();
    let markdown = Report::new(&ciphers, Options::default()).document().markdown();
    assert!(markdown.contains("## Files: with reading, and without"), "{markdown}");
    // Two thousandths of Java's time go into collecting.
    assert!(markdown.contains("0.200 %"), "{markdown}");
}

/// A runner that takes the same data for each repeat may answer from a cache, and the report says so.
#[test]
fn runners_with_the_same_data_in_each_repeat_are_named() {
    let mut made = Synthetic::new("languages");
    for (id, varies) in [("a", true), ("b", false), ("c", false)] {
        made.runner(id, "today", &format!("Runner {id}"), "any");
        if let Some(Entry::Runner(Runner { hello: Some(hello), .. })) = made.entries.last_mut() {
            hello.varies = varies;
        }
        // The mode `password` has no data.
        made.time(&cell(id, "today", if id == "c" { "password" } else { "digest" }, "md5", 1024), 1e3);
    }
    let markdown = Report::new(&made.measurements(), Options::default()).document().markdown();
    assert!(markdown.contains("would have gone unnoticed: Runner b."), "{markdown}");
}

#[test]
fn cycles_are_counted_where_the_counter_has_a_rate() {
    let mut made = Synthetic::new("algorithms");
    for (id, label) in [("c-openssl", "OpenSSL libcrypto"), ("go-crypto", "Go")] {
        made.runner(id, "today", label, "any");
        made.time(&cell(id, "today", "digest", "md5", 1 << 20), 1.5 * (1 << 20) as f64);
    }
    let markdown = |made: &Synthetic| Report::new(&made.measurements(), Options::default()).document().markdown();
    assert!(!markdown(&made).contains("Cycles per byte"));
    made.header().environment.insert("counter_mhz".to_owned(), "2000.00".to_owned());
    let (_, cycles) =
        markdown(&made).split_once("## Cycles per byte").map(|(a, b)| (a.to_owned(), b.to_owned())).unwrap();
    assert!(cycles.contains("| **MD5** |  |\n| OpenSSL libcrypto | 3.00 |"), "{cycles}");
    assert!(!cycles.split("\n## ").next().is_some_and(|cycles| cycles.contains("| Go |")), "{cycles}");
}

/// Nothing measured, one thing measured, and figures at the ends of their range: a report, and no panic.
#[test]
fn thin_and_extreme_results_have_reports_too() {
    let mut nothing = Synthetic::new("languages");
    nothing.unavailable("c-openssl", "no compiler");
    let document_of = |made: &Synthetic| Report::new(&made.measurements(), Options::default()).document();
    assert!(document_of(&nothing).answer()[0].contains("Nothing was measured"));
    Page::parse(&document_of(&nothing).html());
    nothing.failure(cell("pfh", "today", "digest", "blake9", 1), FailureKind::NotOffered, "no such algorithm");
    let of_nothing = document_of(&nothing);
    assert_eq!(of_nothing.answer()[0], "Nothing was measured: no runner offers what was asked for.");
    nothing.failure(cell("pfh", "today", "digest", "md5", 1), FailureKind::Crash, "ended with status 1");
    assert_eq!(document_of(&nothing).answer()[0], "Nothing was measured; the failures below say why.");

    let mut extreme = Synthetic::new("strings");
    extreme.header().environment.clear();
    extreme.header().definition = "not = [toml".to_owned();
    extreme.header().full = true;
    for mode in ["digest", "cipher", "cipher-file", "read-file", "strings", "messages", "password", "unheard-of"] {
        for (algorithm, ns) in [("md5", 0.0), ("none", 1.8e19), ("ß¹", 1.0)] {
            for size in [0, 1, u64::MAX] {
                let cell =
                    pfh_lab::results::Cell { bytes: size, count: size, ..cell("r", "today", mode, algorithm, 1) };
                extreme.time(&cell, ns);
            }
        }
    }
    let measurements = extreme.measurements();
    for (volume_bytes, key_space) in [(0, 1.0), (u64::MAX, f64::MAX)] {
        let report = Report::new(&measurements, Options { volume_bytes, key_space });
        Page::parse(&report.document().html());
        assert!(!report.document().markdown().is_empty());
        report.write_csv(std::io::sink()).expect("memory");
        report.write_json_lines(std::io::sink()).expect("memory");
    }
}

/// Writes the pages of all made results into the folder that `PFH_LAB_PAGES` names, for inspection.
#[test]
fn pages_to_look_at() {
    let Some(folder) = std::env::var_os("PFH_LAB_PAGES").map(std::path::PathBuf::from) else {
        println!("PFH_LAB_PAGES names no folder: nothing is written");
        return;
    };
    for made in all() {
        let name = made.name;
        assert!(made.made.entries.iter().any(|entry| matches!(entry, Entry::End { .. })));
        std::fs::write(folder.join(format!("{name}.html")), &made.html).expect("written");
        std::fs::write(folder.join(format!("{name}.jsonl")), made.made.text()).expect("written");
    }
}

fn markdown(made: &Synthetic) -> String {
    Report::new(&made.measurements(), Options::default()).document().markdown()
}

/// The same runner with chunks of several sizes has a row for each in every table, and pictures and verdicts take one
/// of them, which the report names. One call takes the whole message.
#[test]
fn chunks_of_several_sizes_have_names_of_their_own() {
    let mut made = Synthetic::new("languages");
    made.header().environment.insert("counter_mhz".to_owned(), "3000".to_owned());
    let sizes = [MIB, 2 * MIB, 4 * MIB];
    for (runner, factor) in [("c-openssl", 1.0), ("pfh", 2.0)] {
        made.runner(runner, "today", runner, "C");
        for (chunk_bytes, ns) in [(0, 1.0), (64, 5.0), (65536, 2.0)] {
            for size in sizes {
                let cell = Cell { chunk_bytes, ..cell(runner, "today", "digest", "sha256", size) };
                made.time(&cell, factor * ns * size as f64);
            }
        }
    }
    let page = markdown(&made);
    for heading in ["Median times, ms: ", "Fits: Data", "Projected to 722 GiB, today", "Cycles per byte: Data"] {
        let table = page.split(&format!("**{heading}")).nth(1).unwrap_or_else(|| panic!("{heading}: {page}"));
        let rows: Vec<&str> = table.lines().filter(|line| line.starts_with("| pfh, ")).take(3).collect();
        let names: BTreeSet<&str> = rows.iter().filter_map(|row| row.split(" |").next()).collect();
        let expected = ["| pfh, one call", "| pfh, updates of 64 B", "| pfh, updates of 64 KiB"];
        assert_eq!(names, expected.into(), "{heading}");
    }
    assert!(page.contains("and of these the largest chunk: one call. The tables have all."), "{page}");
    let measurements = made.measurements();
    let series = measurements.series("pfh", "today", "digest", "sha256").expect("measured");
    assert!((series.points[0].time.median / MIB as f64 - 2.0).abs() < 0.1, "not that of one call");
    assert!(!markdown(&strings()).contains("chunks of several sizes"));
}

/// Two sizes have no line to project by.
#[test]
fn nothing_is_projected_without_a_line() {
    let mut made = Synthetic::new("languages");
    for runner in ["c-openssl", "pfh"] {
        made.series(runner, "today", "digest", "sha256", &[16, 64], 500.0);
    }
    assert!(!markdown(&made).contains("Projected to"));
    made.series("pfh", "today", "digest", "md5", &[16, 64, 256], 500.0);
    made.series("c-openssl", "today", "digest", "md5", &[16, 64, 256], 700.0);
    let page = markdown(&made);
    assert!(page.contains("Projected to 722 GiB, today: 2 rows"), "{page}");
}

/// A runner that is wrong in one round has no figures with that algorithm; one that crashes has those of the others.
#[test]
fn late_failures_say_which_figures_are_kept() {
    for (kind, is_kept) in [(FailureKind::WrongAnswer, false), (FailureKind::Crash, true)] {
        let mut made = Synthetic::new("languages");
        for (runner, speed) in [("liar", 9000.0), ("honest", 500.0)] {
            made.runner(runner, "today", runner, "C");
            for algorithm in ["md5", "sha256"] {
                made.series(runner, "today", "digest", algorithm, &[MIB, 2 * MIB, 4 * MIB], speed);
            }
        }
        made.failure(cell("liar", "today", "digest", "sha256", 4 * MIB), kind, "another digest");
        let measurements = made.measurements();
        assert_eq!(measurements.series("liar", "today", "digest", "sha256").is_some(), is_kept, "{kind:?}");
        assert!(measurements.series("liar", "today", "digest", "md5").is_some(), "the others are not suspected");
        let page = markdown(&made);
        assert_eq!(page.contains("Tasks that failed: 1"), is_kept, "{page}");
        assert_eq!(page.contains("Tasks that gave no figures: 1"), !is_kept, "{page}");
        assert_eq!(page.contains("crash; the figures of its other rounds are kept"), is_kept, "{page}");
        let note = "The figures of liar (today), digest sha256, are left out: an answer was wrong.";
        assert_eq!(page.contains(note), !is_kept, "{page}");
    }
}

/// Times of two machines are never one sample.
#[test]
fn a_continuation_on_another_machine_is_refused() {
    for (fact, value, message) in [
        ("cpu", "Another CPU", "`cpu` is Another CPU instead of Example CPU @ 3.0 GHz"),
        ("cores", "64", "`cores` is 64 instead of 2"),
        ("memory_bytes", "4294967296", "`memory_bytes` is 4294967296 instead of 8589934592"),
        // Two numbers of one machine: the load of another day, and what a kernel keeps.
        ("load_1m", "0.90", ""),
        ("memory_bytes", "8589930000", ""),
    ] {
        let mut made = languages_and_later();
        if let Some(Entry::Header(header)) = made.entries.last_mut() {
            header.environment.insert(fact.to_owned(), value.to_owned());
        }
        match Measurements::read(made.text().as_bytes()) {
            Ok(_) => assert_eq!(message, "", "{fact} {value}"),
            Err(error) => {
                let error = error.to_string();
                assert!(!message.is_empty() && error.contains(message) && error.contains("another machine"), "{error}");
            }
        }
    }
}

/// A few times, and the header of a run that continues them.
fn languages_and_later() -> Synthetic {
    let mut made = Synthetic::new("languages");
    made.series("c-openssl", "today", "digest", "md5", &[MIB], 500.0);
    let header = made.header().clone();
    made.entries.push(Entry::Header(header));
    made
}

/// A small message costs more for each byte: a runner that stopped early is compared with the others at its sizes.
#[test]
fn the_fastest_is_found_at_a_size_that_all_have() {
    let mut made = Synthetic::new("languages");
    // The time of beginning a message is as long as that of a kilobyte.
    let ns = |each: f64, size: u64| each * (size as f64 + 1024.0);
    for (runner, each, sizes) in
        [("quick", 1.0, &[64][..]), ("slow", 3.0, &[64, 1024, MIB]), ("middle", 2.0, &[64, MIB])]
    {
        made.runner(runner, "today", runner, "C");
        for size in sizes {
            made.time(&cell(runner, "today", "digest", "sha256", *size), ns(each, *size));
        }
    }
    let page = markdown(&made);
    let mut lines = page.lines().map(|line| line.trim_matches('*'));
    let line = lines.find(|line| line.starts_with("Fastest was ")).expect("an answer");
    assert!(line.starts_with("Fastest was SHA-256 by quick") && line.contains("slowest SHA-256 by slow"), "{line}");
    assert!(
        line.contains(": a factor of 3.0") && line.ends_with(" At 64 B, the largest size that all have."),
        "{line}"
    );
}
