//! Whole programs in reports: the bound of the machine, ratios, the memory option, and page caches in another state.

use crate::synthetic::{Synthetic, program};
use pfh_lab::report::{Options, Report};
use pfh_lab::results::{Corpus, Cost, Device, Doubt, Entry, FailureKind, KEPT, Listed, Output, Runner, Truth};

const DEFINITION: &str = r#"
title = "Programs"
question = "How near?"
rounds = 5
repeats = 1
corpus = [{ name = "c", kind = "noise", files = 10, bytes = 1000 }]

[[program]]
id = "pfh"
label = "pfh"
command = "true"
takes = ["memory"]

[[program]]
id = "peer"
label = "peer"
command = "true"

[[program]]
id = "reading"
label = "reading alone"
command = "true"
limit = "reading"

[[program]]
id = "lanes"
label = "lanes"
command = "true"
limit = "hashing"

[[program]]
id = "longest"
label = "longest"
command = "true"
limit = "longest"

[[trial]]
title = "All"
programs = ["pfh", "peer", "lanes", "longest"]
algorithms = ["md5", "sha256"]
corpus = ["c"]
cache = ["cached", "cold"]
dimensions = { memory = ["20M", "64M"] }

[[trial]]
title = "Reading"
programs = ["reading"]
algorithms = ["none"]
corpus = ["c"]
cache = ["cached"]
"#;

/// A network and FUSE have no blocks that the system could count: what does not come from one says nothing there.
#[test]
fn page_caches_are_judged_where_the_system_counts_blocks() {
    for (filesystem, simulated, is_judged) in [
        ("ext4 on /dev/x (rw)", false, true),
        ("xfs on /dev/nfs (rw)", false, true),
        ("nfs4 on server:/x (rw)", false, false),
        ("cifs on //server/x (rw)", false, false),
        ("fuse.rclone on share: (ro)", false, false),
        ("fuse on share (ro)", false, false),
        ("ext4 on /dev/x (rw)", true, false),
    ] {
        let mut made = Synthetic::new("programs");
        made.header().definition = DEFINITION.to_owned();
        made.runner("peer", "today", "peer", "program");
        let facts = [("filesystem".to_owned(), filesystem.to_owned())].into();
        made.entries.push(Entry::Device(Device { device: "here".to_owned(), simulated, facts }));
        given(&mut made, "peer", "md5", &[("cache", "cold")], 9.0, 0);
        let page = Report::new(&made.measurements(), Options::default()).document().markdown();
        assert_eq!(page.contains("Not out of the page cache"), is_judged, "{filesystem}");
        assert_eq!(page.contains("From the device"), is_judged, "{filesystem}");
    }
}

#[test]
fn simulated_devices_are_described_and_corpora_have_digests() {
    let mut made = Synthetic::new("programs");
    made.header().definition = DEFINITION.to_owned();
    let facts = [("behaviour", "150 MB/s, 8 ms for each seek, 1 at once"), ("filesystem", "ext4 on /dev/x (rw)")];
    let facts = facts.map(|(name, value)| (name.to_owned(), value.to_owned())).into();
    made.entries.push(Entry::Device(Device { device: "hdd".to_owned(), simulated: true, facts }));
    let (corpus, sha256) = ("c".to_owned(), Some("ab".repeat(32)));
    made.entries.push(Entry::Corpus(Corpus { corpus, files: 10, bytes: 1000, longest_bytes: 512, sha256 }));
    given(&mut made, "peer", "md5", &[("cache", "cold")], 9.0, 0);
    given(&mut made, "peer", "md5", &[("cache", "cold"), ("device", "hdd")], 9.0, 1);
    let measurements = made.measurements();
    let report = Report::new(&measurements, Options::default());
    let mut csv_text = Vec::new();
    report.write_csv(&mut csv_text).expect("memory");
    let csv_text = String::from_utf8(csv_text).expect("UTF-8");
    let simulated: Vec<&str> = csv_text.lines().map(|line| line.rsplit(',').next().expect("a column")).collect();
    assert_eq!(simulated, ["simulated", "true", ""], "{csv_text}");
    let page = report.document().markdown().replace('\\', "");
    for text in [
        "as slow as such a device, with 150 MB/s, 8 ms for each seek, 1 at once; ext4 on /dev/x (rw).",
        "SHA-256 of the list of their digests: abab",
    ] {
        assert!(page.contains(text), "{text}: {page}");
    }
}

/// Kept corpora lie on the disk of their folder, and not on that of the results.
#[test]
fn the_disk_of_kept_corpora_is_named() {
    let mut made = Synthetic::new("programs");
    made.header().definition = DEFINITION.to_owned();
    for id in ["pfh", "peer"] {
        made.runner(id, "today", id, "program");
    }
    let facts = [("filesystem", "xfs on /dev/y (rw)"), (KEPT, "/data/corpora")];
    let facts = facts.map(|(name, value)| (name.to_owned(), value.to_owned())).into();
    made.entries.push(Entry::Device(Device { device: "here".to_owned(), simulated: false, facts }));
    given(&mut made, "pfh", "md5", &[("cache", "cold"), ("memory", "20M")], 2.0, 1);
    given(&mut made, "peer", "md5", &[("cache", "cold")], 9.0, 1);
    let page = Report::new(&made.measurements(), Options::default()).document().markdown().replace('\\', "");
    for text in ["cold, from the disk of the kept corpora: ", "real; xfs on /dev/y (rw); kept in /data/corpora."] {
        assert!(page.contains(text), "{text}: {page}");
    }
    assert!(!page.contains("the disk of the results"), "{page}");
}

/// A list of one program, or one of as many programs as another, is no agreement, and an answer counts once.
#[test]
fn lists_that_nobody_confirms_are_told() {
    let truth = |witnesses: &[&str], doubt: Option<Doubt>, is_old: bool| {
        let (corpus, sha256) = ("c".to_owned(), "ab".repeat(32));
        Entry::Truth(Truth {
            mode: "program".to_owned(),
            algorithm: "md5".to_owned(),
            bytes: 1000,
            count: 10,
            variant: 0,
            answer: "10 entries over `c`".to_owned(),
            check: None,
            witnesses: witnesses.iter().map(|id| (*id).to_owned()).collect(),
            list: (!is_old).then_some(Listed { corpus, pairs: false, sha256, doubt }),
        })
    };
    let page = |truths: &[Entry]| {
        let mut made = Synthetic::new("programs");
        made.header().definition = DEFINITION.to_owned();
        given(&mut made, "peer", "md5", &[("cache", "cold")], 9.0, 0);
        made.entries.extend_from_slice(truths);
        Report::new(&made.measurements(), Options::default()).document().markdown()
    };
    let agreed = truth(&["peer", "pfh"], None, false);
    let alone = truth(&["pfh"], Some(Doubt::Alone), false);
    let disputed = ["pfh", "peer"].map(|id| truth(&[id], Some(Doubt::Disputed), false));
    let text = page(&[alone.clone(), agreed.clone(), agreed]);
    assert!(text.contains("| MD5 (program) | 1 | peer, pfh |") && !text.contains("Nobody confirms these"), "{text}");
    for truths in [[alone], [truth(&["pfh"], None, true)]] {
        let text = page(&truths);
        assert!(text.contains("| pfh | no other implementation printed a whole list |"), "{text}");
        assert!(!text.contains("These agreed") && !text.contains("Programs print different lists"), "{text}");
    }
    let text = page(&disputed);
    assert!(text.contains("Programs print different lists") && text.contains("| peer | others disagree"), "{text}");
}

/// A program whose definition tells no version has nothing in the place of one.
#[test]
fn a_program_without_a_version_is_named() {
    let mut made = Synthetic::new("programs");
    made.header().definition = DEFINITION.to_owned();
    made.runner("peer", "today", "peer", "program");
    if let Some(Entry::Runner(Runner { hello: Some(hello), .. })) = made.entries.last_mut() {
        hello.language_version.clear();
        hello.library_version.clear();
    }
    given(&mut made, "peer", "md5", &[("cache", "cold")], 9.0, 0);
    let page = Report::new(&made.measurements(), Options::default()).document().markdown();
    assert!(page.contains("| peer | peer | program | peer |"), "{page}");
}

/// A runner that was measured stays so, whatever was missing when the run was continued.
#[test]
fn a_runner_that_is_gone_later_was_measured() {
    let mut made = Synthetic::new("languages");
    made.runner("py-hashlib", "today", "CPython hashlib", "Python");
    made.series("py-hashlib", "today", "digest", "md5", &[1 << 20], 100.0);
    made.unavailable("py-hashlib", "there is no Python");
    let measurements = made.measurements();
    assert_eq!(measurements.label("py-hashlib"), "CPython hashlib");
    let page = Report::new(&measurements, Options::default()).document().markdown();
    let note = "py-hashlib (today) was there, and was not when the run was continued: there is no Python.";
    assert!(page.contains(note) && !page.contains("Runners that were not available"), "{page}");
}

/// A run that is continued takes as long as its parts together.
#[test]
fn the_time_is_that_of_all_runs() {
    let mut made = Synthetic::new("languages");
    made.series("c-openssl", "today", "digest", "sha256", &[1 << 20], 100.0);
    made.entries.push(Entry::Stop { seconds: 100.0 });
    let took = |made: &Synthetic| {
        let measurements = made.measurements();
        let page = Report::new(&measurements, Options::default()).document().markdown();
        (measurements.seconds, page.lines().find(|line| line.contains("Took")).map(str::to_owned))
    };
    assert_eq!(took(&made), (None, None));
    made.entries.push(Entry::End { seconds: 20.5 });
    assert_eq!(took(&made).0, Some(120.5));
    made.entries.push(Entry::End { seconds: 0.5 });
    let (seconds, line) = took(&made);
    assert!(seconds == Some(121.0) && line.as_ref().is_some_and(|line| line.contains("2 min 1 s")), "{line:?}");
    // Continued after its end, and killed.
    made.series("c-openssl", "today", "digest", "md5", &[1 << 20], 100.0);
    assert_eq!(took(&made), (None, None));
    made.entries.push(Entry::End { seconds: 1.0 });
    assert_eq!(took(&made).0, Some(122.0));
    made.entries.push(Entry::Stop { seconds: 1.0 });
    assert_eq!(took(&made), (None, None));
}

/// Rounds before the one in which a program failed are no measurement, and the failure has its conditions.
#[test]
fn a_program_that_failed_in_a_later_round_has_no_times() {
    let mut made = Synthetic::new("programs");
    made.header().definition = DEFINITION.to_owned();
    made.runner("peer", "today", "peer", "program");
    for cache in ["cached", "cold"] {
        given(&mut made, "peer", "md5", &[("cache", cache)], 9.0, 0);
    }
    let dimensions = [("corpus", "c"), ("device", "here"), ("cache", "cold")];
    made.failure(program("peer", "md5", &dimensions), FailureKind::Error, "no disk today");
    let measurements = made.measurements();
    let caches: Vec<&str> = measurements.series.keys().map(|key| key.dimensions["cache"].as_str()).collect();
    assert_eq!(caches, ["cached"]);
    let page = Report::new(&measurements, Options::default()).document().markdown();
    assert!(page.contains(", cold, c, here | error | no disk today |"), "{page}");
}

/// Sixteen runs of each cell of `fixity`, with all costs of today.
pub(crate) fn fixity() -> Synthetic {
    let mut made = Synthetic::new("fixity");
    made.header().definition = include_str!("../../../../lab/experiments/fixity.toml").to_owned();
    for (id, label) in [("python", "hashlib of Python"), ("pfh", "pfh")] {
        made.runner(id, "today", label, "program");
        for device in ["nas", "here"] {
            for (algorithm, seconds) in [("md5", 1.0), ("sha256", 1.1)] {
                let dimensions = [("corpus", "collection"), ("device", device), ("cache", "cold")];
                let cell = program(id, algorithm, &dimensions);
                let runs = (0..16).map(|run| (seconds + 0.02 * f64::from(run)) * 1e9);
                let runs: Vec<(f64, f64)> = runs.map(|wall| (wall, wall / 10.0)).collect();
                made.given(&cell, &runs);
                let (order, system_ns) = (0, Some(5_000_000));
                let (gc_count, gc_ns, peak_bytes, device_bytes) = (None, None, Some(48 << 20), Some(1_900_000_000));
                made.entries.push(Entry::Cost(Cost {
                    cell,
                    order,
                    gc_count,
                    gc_ns,
                    peak_bytes,
                    device_bytes,
                    system_ns,
                }));
            }
        }
    }
    made
}

/// One scale for all algorithms shows whether their boxes overlap, which separate plots hid.
#[test]
fn runs_of_all_algorithms_scatter_on_one_scale_for_each_device_and_clock() {
    let made = fixity();
    let measurements = made.measurements();
    let document = Report::new(&measurements, Options::default()).document();
    let page = document.html();
    for device in ["here", "nas"] {
        for clock in ["Real time", "Processor time"] {
            let title = format!("{clock} of all runs: Sixteen runs of each, interleaved, device: {device}");
            assert!(page.contains(&title), "{title}");
        }
    }
    for row in ["hashlib of Python: MD5", "hashlib of Python: SHA-256", "pfh: MD5", "pfh: SHA-256"] {
        assert!(page.contains(row), "{row}");
    }
    let markdown = document.markdown();
    let head = markdown.lines().find(|line| line.starts_with("| Program | Conditions")).expect("a table");
    assert!(head.contains("| Quartiles | Times | Share | User + system, s |"), "{head}");
    let row = markdown.lines().find(|line| line.starts_with("| pfh |") && line.contains("| MD5 |")).expect("a row");
    assert!(row.contains("real 1.07 to 1.23<br>CPU 0.107 to 0.122"), "{row}");
    assert!(row.contains("| 0.110 + 0.00500 |"), "{row}");
}

/// Tables without claims have published figures, too, and names of algorithms have one spelling.
#[test]
fn published_times_stand_beside_those_of_the_tree() {
    let mut made = Synthetic::new("tree");
    made.header().definition = include_str!("../../../../lab/experiments/tree.toml").to_owned();
    for (id, label) in [("ssdeep", "ssdeep"), ("pfh-family", "pfh, similarity digests"), ("mrsh-v2", "mrsh-v2")] {
        made.runner(id, "today", label, "program");
    }
    let (hdd, cold) = (("device", "hdd"), ("cache", "cold"));
    for corpus in ["documents", "large"] {
        made.given(&program("ssdeep", "ssdeep", &[("corpus", corpus), hdd, cold]), &[(3e9, 1e9); 5]);
    }
    for (algorithm, mode) in [("ssdeep", "smt"), ("mrsh-v2", "mtp"), ("sdhash", "adaptive")] {
        let options = [("mode", mode), ("threads", "2"), ("memory", "20M")];
        let cell = program("pfh-family", algorithm, &[&[("corpus", "documents"), hdd, cold], &options[..]].concat());
        made.given(&cell, &[(2e9, 1e9); 5]);
    }
    made.failure(program("mrsh-v2", "mrsh-v2", &[hdd]), FailureKind::Error, "no");
    made.failure(program("ssdeep", "ssdeep", &[hdd]), FailureKind::Error, "no");
    let page = Report::new(&made.measurements(), Options::default()).document().markdown().replace('\\', "");
    let row = |of: &[&str]| {
        let is_it = |line: &&str| line.starts_with("| ") && of.iter().all(|part| line.contains(part));
        page.lines().find(is_it).unwrap_or_else(|| panic!("{of:?}: {page}"))
    };
    assert!(row(&["| Program |", "Published, s"]).contains("| Seconds | Published, s | Times |"), "{page}");
    assert!(row(&["| ssdeep |", "| 83.67 |"]).contains("3.00"));
    assert!(row(&["| pfh, similarity digests |", "SMT", "| 69.05 |"]).contains("2.00"));
    row(&["| pfh, similarity digests |", "MTP", "| mrsh-v2 |", "| 51.79 |"]);
    row(&["| pfh, similarity digests |", "adaptive", "| sdhash |", "| – |"]);
    // Table XIII has sixteen large files, and table XI two workstations.
    row(&["| ssdeep |", "| 264 |"]);
    row(&["| ssdeep |", "Mac OS X", "| 1 h 40 min |"]);
    row(&["| pfh, similarity digests |", "Windows 7", "SMT", "| 26 min 42 s |"]);
    for wrong in ["MRSH-v2", "Mrsh-v2", "Ssdeep", "Sdhash"] {
        assert!(!page.contains(wrong), "{wrong}");
    }
    assert!(page.contains("| mrsh-v2 (program)"), "{page}");
}

/// On made numbers: the knee is where the intervals say so, and nowhere else.
#[test]
fn knees_are_decided_by_intervals() {
    let page = |times: &[(u32, &[f64])]| {
        let mut made = Synthetic::new("device");
        made.header().definition = include_str!("../../../../lab/experiments/device.toml").to_owned();
        made.runner("pfh", "today", "pfh, reading only", "program");
        for (prefetchers, seconds) in times {
            let number = prefetchers.to_string();
            let options = [("mode", "mtp"), ("threads", "65"), ("prefetchers", number.as_str())];
            let dimensions = [&[("corpus", "small"), ("device", "here"), ("cache", "cold")], &options[..]].concat();
            let runs: Vec<(f64, f64)> = seconds.iter().map(|seconds| (seconds * 1e9, 1e8)).collect();
            made.given(&program("pfh", "none", &dimensions), &runs);
        }
        let page = Report::new(&made.measurements(), Options::default()).document().markdown().replace('\\', "");
        page.lines().find(|line| line.contains("Files: small, here: ")).map(str::to_owned).unwrap_or_default()
    };
    let steady = |seconds: f64| [0.99, 1.0, 1.0, 1.0, 1.01].map(|factor| factor * seconds);
    let noisy = |seconds: f64| [0.7, 0.9, 1.0, 1.2, 1.4].map(|factor| factor * seconds);
    let said = page(&[(1, &steady(8.0)), (2, &steady(4.0)), (4, &steady(2.0)), (8, &steady(2.0)), (16, &steady(2.01))]);
    assert!(
        said.contains("4 prefetchers read 4.00 (") && said.contains("; up to 16 bring less than 5 % more."),
        "{said}"
    );
    let said = page(&[(1, &steady(8.0)), (2, &steady(4.0)), (4, &steady(2.0)), (8, &steady(3.0))]);
    assert!(said.contains("4 prefetchers read 4.00 (") && said.contains("; 8 take 1.50 ("), "{said}");
    let said = page(&[(1, &steady(8.0)), (2, &steady(4.0)), (4, &steady(2.0))]);
    assert!(said.contains("4 prefetchers read") && said.ends_with("; more were not tried."), "{said}");
    // One reader is never compared with itself.
    let said = page(&[(1, &steady(2.0)), (2, &steady(2.3))]);
    assert!(said.contains("here: 1 prefetcher is enough; 2 take 1.15 ("), "{said}");
    let said = page(&[(1, &steady(2.0)), (2, &steady(2.0)), (4, &steady(2.02))]);
    assert!(said.ends_with("here: 1 prefetcher is enough; up to 4 bring less than 5 % more."), "{said}");
    assert!(!said.contains("1.00 times as fast as 1"), "{said}");
    // Noise: the best may be any of three.
    let said = page(&[(1, &steady(8.0)), (2, &noisy(2.1)), (4, &noisy(2.0)), (8, &noisy(1.9))]);
    assert!(said.contains("is undecided, between 2 and 8; 8 prefetchers read 4."), "{said}");
    let said = page(&[(1, &[8.0, 8.1]), (2, &[4.0, 4.1])]);
    assert!(said.ends_with("bring nothing is undecided: too few runs."), "{said}");
}

/// Sentences about the same files on the same device name what else differs.
#[test]
fn knees_are_told_apart() {
    let mut made = Synthetic::new("device");
    let definition = include_str!("../../../../lab/experiments/device.toml");
    made.header().definition = definition.replace("threads = [\"65\"]", "threads = [\"1\", \"65\"]");
    made.runner("pfh", "today", "pfh, reading only", "program");
    for (threads, prefetchers) in [("1", "1"), ("1", "2"), ("65", "1"), ("65", "2")] {
        let options = [("mode", "mtp"), ("threads", threads), ("prefetchers", prefetchers)];
        let dimensions = [&[("corpus", "small"), ("device", "here"), ("cache", "cold")], &options[..]].concat();
        made.given(&program("pfh", "none", &dimensions), &[(2e9, 1e8); 5]);
    }
    let page = Report::new(&made.measurements(), Options::default()).document().markdown().replace('\\', "");
    for told in ["- Files: small, 1 thread, here: 1 prefetcher", "- Files: small, 65 threads, here: 1 prefetcher"] {
        assert_eq!(page.matches(told).count(), 1, "{told}: {page}");
    }
}

/// On made numbers: the answer comes first, and is decided only by whole intervals.
#[test]
fn a_candidate_is_held_against_the_fastest_of_the_others() {
    let mut made = Synthetic::new("programs");
    let trial = "programs = [\"pfh\", \"peer\", \"lanes\", \"longest\"]\n";
    made.header().definition = DEFINITION.replace(trial, &format!("{trial}candidate = \"peer\"\n"));
    for id in ["pfh", "peer", "lanes"] {
        made.runner(id, "today", id, "program");
    }
    let mut runs = |id: &str, algorithm: &str, more: &[(&str, &str)], seconds: f64, noise: f64| {
        let dimensions = [&[("corpus", "c"), ("device", "here")], more].concat();
        let runs = [1.0 - noise, 1.0, 1.0, 1.0, 1.0 + noise].map(|factor| (factor * seconds * 1e9, 1e8));
        made.given(&program(id, algorithm, &dimensions), &runs);
    };
    for (algorithm, cache, candidate, noise) in
        [("md5", "cached", 1.0, 0.001), ("sha256", "cached", 2.2, 0.001), ("md5", "cold", 2.0, 0.2)]
    {
        runs("pfh", algorithm, &[("cache", cache), ("memory", "20M")], 3.0, 0.001);
        runs("pfh", algorithm, &[("cache", cache), ("memory", "64M")], 2.0, 0.001);
        runs("peer", algorithm, &[("cache", cache)], candidate, noise);
        // A program that does a part of the work is no rival.
        runs("lanes", algorithm, &[("cache", cache)], 0.1, 0.001);
    }
    let page = Report::new(&made.measurements(), Options::default()).document().markdown().replace('\\', "");
    let answer = page.lines().find(|line| line.starts_with("**")).expect("an answer");
    for told in [
        "peer takes 0.500 to 1.10 times as long as the fastest of the other programs, and in 1 of 3 comparisons at most 5 % longer; \
         1 is slower; 1 is undecided.",
        "with SHA-256, files c, cached, from the disk of the results.",
    ] {
        assert!(answer.contains(told), "{told}: {answer}");
    }
    assert!(!page.contains("the fastest is"), "{page}");
    let table: Vec<&str> = page.lines().filter(|line| line.starts_with("| c | here |")).collect();
    assert_eq!(table.len(), 3, "{page}");
    for (cells, verdict) in
        [("| cold | MD5 |", "undecided"), ("| cached | MD5 |", "yes"), ("| cached | SHA-256 |", "no")]
    {
        let row = table.iter().find(|row| row.contains(cells)).expect(cells);
        assert!(row.contains("| peer |") && row.contains("| pfh: 64M memory | 2.00 ("), "{row}");
        assert!(row.contains(&format!("{cells} {verdict} |")), "{row}");
    }
}

/// Five runs of a cell, each with the same time, peak and bytes from the device.
fn given(made: &mut Synthetic, id: &str, algorithm: &str, more: &[(&str, &str)], seconds: f64, device_bytes: u64) {
    let dimensions: Vec<(&str, &str)> = [("corpus", "c"), ("device", "here")].iter().chain(more).copied().collect();
    let cell = program(id, algorithm, &dimensions);
    made.given(&cell, &[(seconds * 1e9, seconds * 1.5e9); 5]);
    made.entries.push(Entry::Cost(Cost {
        cell,
        order: 0,
        gc_count: None,
        gc_ns: None,
        peak_bytes: Some(24 << 20),
        device_bytes: Some(device_bytes),
        system_ns: Some((seconds * 0.5e9) as u64),
    }));
}

#[test]
fn programs_are_held_against_the_bound_and_the_first_of_their_trial() {
    let mut made = Synthetic::new("programs");
    made.header().definition = DEFINITION.to_owned();
    for (id, label) in [("pfh", "pfh"), ("peer", "peer"), ("reading", "reading alone"), ("lanes", "lanes")] {
        made.runner(id, "today", label, "program");
    }
    let facts = [("filesystem".to_owned(), "ext4 on /dev/x (rw)".to_owned())].into();
    made.entries.push(Entry::Device(Device { device: "here".to_owned(), simulated: false, facts }));
    made.entries.push(Entry::Corpus(Corpus {
        corpus: "c".to_owned(),
        files: 10,
        bytes: 1000,
        longest_bytes: 512,
        sha256: None,
    }));
    let text = "a table | of rates\n".to_owned();
    made.entries.push(Entry::Output(Output { runner: "lanes".to_owned(), name: "rates.txt".to_owned(), text }));
    let cached = ("cache", "cached");
    given(&mut made, "reading", "none", &[cached], 0.5, 0);
    for (algorithm, lanes, longest) in [("md5", 0.25, 0.1), ("sha256", 0.25, 1.5)] {
        given(&mut made, "lanes", algorithm, &[cached], lanes, 0);
        given(&mut made, "longest", algorithm, &[cached], longest, 0);
        given(&mut made, "pfh", algorithm, &[cached, ("memory", "20M")], 2.0, 0);
        given(&mut made, "pfh", algorithm, &[cached, ("memory", "64M")], 1.0, 0);
        given(&mut made, "peer", algorithm, &[cached], 8.0, 1_000_000_000);
    }
    // Of 1.87 GB that were to come from the device.
    given(&mut made, "peer", "md5", &[("cache", "cold")], 9.0, 1_000_000);
    given(&mut made, "pfh", "md5", &[("cache", "cold"), ("memory", "20M")], 3.0, 1_900_000_000);
    let measurements = made.measurements();
    let report = Report::new(&measurements, Options::default());
    let mut csv_text = Vec::new();
    report.write_csv(&mut csv_text).expect("memory");
    let csv_text = String::from_utf8(csv_text).expect("UTF-8");
    let lines: Vec<Vec<&str>> = csv_text.lines().map(|line| line.split(',').collect()).collect();
    let column = lines[0].iter().position(|name| *name == "per_second").expect("a column");
    // The longest file alone has 512 bytes, in 0.1 s; all have 1.87 GB, in 8 s.
    for (runner, rate) in [("longest", 5120.0), ("peer", 233_387_000.0)] {
        let line = lines.iter().find(|line| line[0] == runner && line[3] == "md5").expect("a line");
        let found: f64 = line[column].parse().expect("a number");
        assert!((found / rate - 1.0).abs() < 1e-9, "{runner}: {found}");
    }
    let document = report.document();
    let page = document.markdown().replace('\\', "");
    // MD5: 0.5 s and 0.25 s are more than the longest file's 0.1 s; SHA-256: its 1.5 s are more.
    for text in [
        "MD5, files c, cached: the bound is 750 ms: reading 500 ms and hashing 250 ms, or the longest file as one message 100 ms. \
         pfh reaches 37.5 (37.5 to 37.5) % of it, and 25.0 % of the speed of reading alone.",
        "SHA-256, files c, cached: the bound is 1.50 s: ",
        "pfh reaches 75.0 (75.0 to 75.0) % of it, and 25.0 % of the speed of reading alone.",
        "Not cached: peer, MD5, cached, c: 954 MiB came from the device.",
        "Not out of the page cache: peer, MD5, cold, c: only 977 KiB of 1.74 GiB came from the device.",
        "Files c: 10, 1000 B; the longest has 512 B.",
        "a table | of rates",
    ] {
        assert!(page.contains(text), "{text}\n{page}");
    }
    let rows: Vec<&str> = page.lines().filter(|line| line.starts_with('|')).collect();
    let row = |parts: &[&str]| {
        let is_it = |row: &&&str| parts.iter().all(|part| row.contains(part));
        rows.iter().find(is_it).unwrap_or_else(|| panic!("{parts:?}\n{page}"))
    };
    // Four times the time of the first program with the first memory option, and 9.4 % of the bound.
    let peer = row(&["| peer |", "cached", "| MD5 |"]);
    assert!(peer.contains("| 4.00 | 9.38 % | 150 % | 8.00 + 4.00 |"), "{peer}");
    let small = row(&["| pfh |", "20M memory", "| MD5 |", "cached"]);
    assert!(small.contains("| 1.00 | 37.5 % |") && small.contains("24 MiB (4 MiB above the option)"), "{small}");
    let large = row(&["| pfh |", "64M memory", "| SHA-256 |", "cached"]);
    assert!(large.contains("| 0.500 | 150 % |") && !large.contains("above the option"), "{large}");
    // No bound without a measured part, and none for a part.
    assert!(row(&["| peer |", "cold"]).contains("| 3.00 | – |"));
    assert!(row(&["| lanes |", "| MD5 |"]).contains("| 0.125 | – |"));
    // Parts are not the fastest programs.
    assert!(!document.answer().join(" ").contains("the fastest is lanes"), "{:?}", document.answer());
    let answer = document.answer()[0].as_str();
    let expected = "with 1.00 s (1.00 s to 1.00 s), the slowest peer with 8.00 s (8.00 s to 8.00 s), 8.00 (8.00 to 8.00) times as long.";
    assert!(answer.ends_with(expected), "{answer}");
}
