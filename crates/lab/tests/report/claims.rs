//! Claims on results whose truth is known.

use crate::synthetic::{MIB, Synthetic, cell, ciphers, languages, languages_reported, program, strings};
use pfh_lab::claims::{self, Finding, Verdict, claims};
use pfh_lab::measurements::{Clock, Measurements};
use pfh_lab::published;
use pfh_lab::report::{Options, Report};

fn finding<'a>(findings: &'a [Finding], id: &str, profile: &str) -> &'a Finding {
    findings
        .iter()
        .find(|finding| finding.claim.id == id && finding.profile == profile)
        .unwrap_or_else(|| panic!("{id} {profile}: no finding"))
}

fn verdict(measurements: &Measurements, id: &str, profile: &str) -> Verdict {
    finding(&claims::evaluate(measurements), id, profile).verdict
}

#[test]
fn the_ledger_has_every_claim() {
    let ids: Vec<_> = claims().iter().map(|claim| claim.id).collect();
    let expected = [
        "G1", "G2", "G3", "G4", "G5", "G6", "G7", "G8", "B1", "B2", "B3", "B4", "B5", "B6", "B7", "B8", "A1", "A2",
        "A3", "A4", "A5", "V1", "V2", "V3", "V4", "J1", "J2", "J3", "J4", "J5",
    ];
    assert_eq!(ids, expected);
    // Each is judged under each profile, measured or not.
    let findings = claims::evaluate(languages_reported().measurements);
    for profile in ["today", "no-sha"] {
        for id in expected {
            finding(&findings, id, profile);
        }
    }
}

/// With SHA instructions SHA-256 beats MD5: the order of 2015 is reversed. Without them it holds.
#[test]
fn an_order_that_new_instructions_reverse() {
    let measurements = languages_reported().measurements;
    let findings = claims::evaluate(measurements);
    let today = finding(&findings, "G3", "today");
    assert_eq!(today.verdict, Verdict::Reversed);
    // SHA-1 over MD5: 818 / 2034.
    let ratio = today.statements[0].measured.expect("measured");
    assert!((ratio.value - 818.0 / 2034.0).abs() < 0.005, "{ratio:?}");
    assert!(ratio.interval.expect("ten repeats").high < 0.41);
    // Published: 3.019 / 2.752.
    assert!((today.statements[0].published.expect("published") - 3.0198 / 2.7523).abs() < 0.001);
    assert_eq!(finding(&findings, "G4", "today").verdict, Verdict::Reversed);
    assert_eq!(finding(&findings, "V1", "today").verdict, Verdict::Reversed);
}

#[test]
fn languages_with_the_figures_of_2015() {
    let mut made = Synthetic::new("languages");
    let sizes = [2, 4, 8, 16].map(|size| size * MIB);
    // The study's slopes: C, then Java.
    for (runner, speeds) in [
        ("c-openssl", [2.752, 3.019, 8.946, 9.547]),
        ("py-hashlib", [2.758, 3.023, 8.956, 9.557]),
        ("ruby-openssl", [2.758, 3.076, 8.959, 9.559]),
        ("java-sun", [5.558, 9.303, 14.789, 36.0]),
    ] {
        for (algorithm, ms_per_mb) in ["md5", "sha1", "sha256", "sha512"].into_iter().zip(speeds) {
            made.series(runner, "today", "digest", algorithm, &sizes, 1000.0 / ms_per_mb);
        }
    }
    let measurements = made.measurements();
    let findings = claims::evaluate(&measurements);
    // The study measured up to 1 GB, and here it is 16 MiB.
    assert_eq!(finding(&findings, "G5", "today").verdict, Verdict::HoldsInPart);
    assert_eq!(
        finding(&findings, "G5", "today").statements[0].missing.as_deref(),
        Some("measured from 2 MiB to 16 MiB only")
    );
    for id in ["G1", "G2", "G3", "G4"] {
        let finding = finding(&findings, id, "today");
        assert_eq!(finding.verdict, Verdict::HoldsInPart, "{finding:#?}");
    }
    let household = finding(&findings, "G8", "today");
    assert_eq!(household.verdict, Verdict::Holds);
    let minutes = household.statements[1].measured.expect("measured").value;
    assert!((minutes - (36.0 - 9.547) * 722.0 * 1.024 / 60.0).abs() < 3.0, "{minutes}");
    // MD5 and SHA-256 of C: 8.946 / 2.752 is far beyond the 1.38 of another study.
    assert_eq!(finding(&findings, "V1", "today").verdict, Verdict::Stronger);
    assert_eq!(finding(&findings, "G6", "today").verdict, Verdict::NotMeasured);
    assert_eq!(finding(&findings, "G7", "today").verdict, Verdict::NotMeasured);
    assert_eq!(finding(&findings, "A1", "today").verdict, Verdict::NotMeasured);
}

/// Results of an experiment of another name are judged as their report judges them, unless there are those of the
/// claim's.
#[test]
fn a_copy_of_an_experiment_is_judged_by_its_figures() {
    let mut copy = languages();
    copy.header().experiment = "mine".to_owned();
    let (own, copy) = (languages_reported().measurements.clone(), copy.measurements());
    let row = |table: &str, id: &str| -> Vec<String> {
        let start = format!("| {id} |");
        table.lines().filter(|line| line.starts_with(&start)).map(str::to_owned).collect()
    };
    let table = claims::verdicts(&[("copy".to_owned(), copy.clone())]);
    let found = row(&table, "G3");
    assert!(found.len() == 1 && found[0].ends_with("| today: reversed; no-sha: reversed | copy |"), "{found:?}");
    assert!(row(&table, "A1")[0].ends_with("| not measured | – |"));
    let table = claims::verdicts(&[("copy".to_owned(), copy), ("own".to_owned(), own)]);
    let found = row(&table, "G3");
    assert!(found.len() == 1 && found[0].ends_with("| own |"), "{found:?}");
}

/// One size has no slope, and the time of a message of 16 bytes is mostly that of beginning it.
#[test]
fn a_single_size_shows_no_slope() {
    let mut made = Synthetic::new("languages");
    for (runner, speeds) in [
        ("c-openssl", [2.752, 3.019, 8.946, 9.547]),
        ("py-hashlib", [2.758, 3.023, 8.956, 9.557]),
        ("ruby-openssl", [2.758, 3.076, 8.959, 9.559]),
        ("java-sun", [5.558, 9.303, 14.789, 36.0]),
    ] {
        for (algorithm, times) in ["md5", "sha1", "sha256", "sha512"].into_iter().zip(speeds) {
            made.time(&cell(runner, "today", "digest", algorithm, 16), times * 1e6);
        }
    }
    let findings = claims::evaluate(&made.measurements());
    for id in ["G1", "G2", "G3", "G4", "G5", "G8"] {
        let finding = finding(&findings, id, "today");
        assert_eq!(finding.verdict, Verdict::NotMeasured, "{finding:#?}");
    }
    let figures = &finding(&findings, "V1", "today").statements[0];
    assert_eq!(figures.missing.as_deref(), Some("judged at 16 B, and the study's files had 911 KiB on average"));
    let page = Report::new(&made.measurements(), Options::default()).document().markdown();
    assert!(page.contains("(Gurjar et al. 2015): measured at 16 B only, and a line needs three sizes."), "{page}");
    // SHA-256 with 1.38 times MD5's processor time would hold, were it not for the size.
    let mut small = Synthetic::new("languages");
    for (algorithm, ns) in [("md5", 1e6), ("sha256", 1.38e6)] {
        small.time(&cell("c-openssl", "today", "digest", algorithm, 16), ns);
    }
    assert_eq!(verdict(&small.measurements(), "V1", "today"), Verdict::HoldsInPart);
}

#[test]
fn what_is_nearer_to_equality_is_weaker_and_what_is_equal_is_undecided() {
    let mut made = Synthetic::new("languages");
    for (runner, sha512) in [("c-openssl", 1000.0), ("java-sun", 900.0)] {
        made.series(runner, "today", "digest", "sha512", &[MIB, 2 * MIB, 4 * MIB], sha512);
    }
    made.series("c-openssl", "today", "digest", "md5", &[MIB, 2 * MIB, 4 * MIB], 1000.0);
    made.series("c-openssl", "today", "digest", "sha1", &[MIB, 2 * MIB, 4 * MIB], 995.0);
    let findings = claims::evaluate(&made.measurements());
    // Java is 1.11 times as slow, not 3.7 times.
    assert_eq!(finding(&findings, "G2", "today").verdict, Verdict::Weaker);
    // SHA-1 costs half a percent more than MD5: no difference to speak of, however many repeats show it.
    assert_eq!(finding(&findings, "G3", "today").statements[0].verdict, Verdict::Undecided);
    // Missing measurements do not count, and are shown.
    let java = finding(&findings, "G2", "today");
    assert_eq!(java.statements.iter().filter(|statement| statement.verdict == Verdict::NotMeasured).count(), 3);
}

#[test]
fn a_single_repeat_decides_nothing() {
    let mut made = Synthetic::new("languages");
    (made.rounds, made.repeats) = (1, 1);
    made.series("c-openssl", "today", "digest", "md5", &[MIB, 2 * MIB, 4 * MIB], 100.0);
    made.series("c-openssl", "today", "digest", "sha1", &[MIB, 2 * MIB, 4 * MIB], 10.0);
    let findings = claims::evaluate(&made.measurements());
    assert_eq!(finding(&findings, "G3", "today").verdict, Verdict::Undecided);
}

#[test]
fn a_curve_is_not_linear_and_a_spike_is_seen() {
    let mut made = Synthetic::new("languages");
    for size in [2, 4, 8, 16, 32, 64] {
        let curve = (size as f64).powi(3) * 1e6;
        made.time(&cell("c-openssl", "today", "digest", "md5", size * MIB), curve);
    }
    for (bytes, ns) in [(512 * MIB, 5.077e9), (1024 * MIB, 28.859e9)] {
        made.time(&cell("cs-mono", "today", "digest", "sha256", bytes), ns);
    }
    let findings = claims::evaluate(&made.measurements());
    assert_eq!(finding(&findings, "G5", "today").verdict, Verdict::Reversed);
    let spike = finding(&findings, "G6", "today");
    // With SHA-256; SHA-512 was not measured.
    assert_eq!((spike.verdict, spike.subject.as_str()), (Verdict::HoldsInPart, "cs-mono"));
}

/// A stand-in never speaks for Windows, and Linux does not either.
#[test]
fn windows_is_only_measured_on_windows() {
    let mut made = languages();
    for (algorithm, speed) in [("sha256", 300.0), ("sha512", 450.0)] {
        made.series("win-cng", "today", "digest", algorithm, &[MIB, 2 * MIB, 4 * MIB], speed);
    }
    assert_eq!(verdict(&made.measurements(), "G7", "today"), Verdict::NotMeasured);
    made.header().environment.insert("os".to_owned(), "Windows 11 Pro".to_owned());
    let measurements = made.measurements();
    let findings = claims::evaluate(&measurements);
    assert_eq!(finding(&findings, "G7", "today").verdict, Verdict::Holds);
    assert_eq!(finding(&findings, "G7", "today").subject, "win-cng");
}

#[test]
fn strings_with_the_order_of_2019() {
    let findings = claims::evaluate(&strings().measurements());
    // A5 is about up to ten million strings.
    let holds = ["A1", "A2", "A3", "A4"].map(|id| (id, Verdict::Holds));
    for (id, verdict) in holds.into_iter().chain([("A5", Verdict::HoldsInPart)]) {
        let both: Vec<_> = findings.iter().filter(|finding| finding.claim.id == id).collect();
        assert_eq!(both.len(), 2, "{id}");
        for finding in both {
            assert_eq!(finding.verdict, verdict, "{finding:#?}");
        }
    }
    let missing = finding(&findings, "A5", "today").statements[0].missing.as_deref();
    assert_eq!(missing, Some("measured from 1000 to 100000 only"));
    assert_eq!(finding(&findings, "G3", "today").verdict, Verdict::NotMeasured);
}

#[test]
fn ciphers_of_mono_and_java() {
    let findings = claims::evaluate(&ciphers().measurements());
    let pairs: Vec<_> = findings.iter().filter(|finding| finding.claim.id == "J1").collect();
    assert_eq!(
        pairs.iter().map(|finding| finding.subject.as_str()).collect::<Vec<_>>(),
        ["cs-mono against java-cryptix", "cs-mono against java-sun"]
    );
    // Mono takes three times Cryptix' time.
    assert!(pairs.iter().all(|finding| finding.verdict == Verdict::Reversed), "{pairs:#?}");
    let ratio = pairs[0].statements[0].measured.expect("measured").value;
    assert!((ratio - 0.3 / 0.9).abs() < 0.01, "{ratio}");
    // AES is the fastest in both: DES is not.
    let fastest = finding(&findings, "J2", "today");
    assert_eq!(fastest.verdict, Verdict::Reversed);
    assert_eq!(fastest.statements.len(), 6);
    // Digests were only measured with files: reading is subtracted, and the true ratio comes out.
    let digests = finding(&findings, "J3", "today");
    let ratio = digests.statements[1].measured.expect("measured").value;
    assert!((ratio - 0.3 / 0.9).abs() < 0.02, "{ratio}");
    assert_eq!(finding(&findings, "J5", "today").verdict, Verdict::Holds);
    // Reading takes little from the page cache, and says nothing of a disk.
    assert_eq!(finding(&findings, "J4", "today").verdict, Verdict::Undecided);
}

/// Most tasks end before anything is collected; the few that do not have all of the time.
#[test]
fn collection_is_a_share_of_all_time() {
    let mut made = Synthetic::new("ciphers");
    for task in 0..20 {
        let cell = cell("java-cryptix", "today", "cipher-file", "aes-128-cbc", (task + 1) * MIB);
        made.time_with(&cell, 1e7, Some(if task < 2 { 0.18 } else { 0.0 }));
    }
    let findings = claims::evaluate(&made.measurements());
    let share = finding(&findings, "J5", "today");
    let measured = share.statements[0].measured.expect("measured");
    assert!((measured.value - 0.018).abs() < 0.001, "{measured:?}");
    assert_eq!(share.verdict, Verdict::Undecided, "an upper bound that is high decides nothing");
}

#[test]
fn half_of_a_claim_never_holds() {
    let mut made = Synthetic::new("ciphers");
    for (algorithm, speed) in [("des-cbc", 70.0), ("rc2-128-cbc", 60.0), ("aes-128-cbc", 400.0), ("des-ede3-cbc", 20.0)]
    {
        made.series("java-sun", "today", "cipher", algorithm, &[MIB, 2 * MIB, 4 * MIB], speed);
    }
    let findings = claims::evaluate(&made.measurements());
    let fastest = finding(&findings, "J2", "today");
    assert_eq!(fastest.verdict, Verdict::HoldsInPart);
    let missing = fastest.statements.iter().filter(|statement| statement.verdict == Verdict::NotMeasured);
    assert!(missing.map(|statement| statement.subject.as_str()).eq([
        "RC2 / DES, .NET",
        "Rijndael / DES, .NET",
        "Triple DES / DES, .NET"
    ]));
    let measurements = made.measurements();
    let page = Report::new(&measurements, Options::default()).document().markdown();
    assert!(page.contains("holds in part") && page.contains("not measured, 3 of 6: RC2 / DES, .NET"), "{page}");
}

/// With the figures of a study as measurements, its claims about them hold.
#[track_caller]
fn all_hold(measurements: &Measurements, ids: &[&str]) {
    let findings = claims::evaluate(measurements);
    for id in ids {
        let of: Vec<_> = findings.iter().filter(|finding| finding.claim.id == *id).collect();
        assert!(!of.is_empty(), "{id}");
        for finding in of {
            assert_eq!(finding.verdict, Verdict::Holds, "{id}: {finding:#?}");
        }
    }
}

#[test]
fn the_claims_of_2015_hold_for_the_studys_own_times() {
    for (os, runners, ids) in [
        (
            "linux",
            [("C", "c-openssl"), ("Python", "py-hashlib"), ("Ruby", "ruby-openssl"), ("Java", "java-sun")].as_slice(),
            ["G1", "G2", "G3", "G4", "G5", "G8"].as_slice(),
        ),
        ("windows", &[("C (win)", "win-cng"), ("C#", "cs-dotnet")], &["G6", "G7"]),
    ] {
        let mut made = Synthetic::new("languages");
        made.header().environment.insert("os".to_owned(), format!("{os}, as in the study"));
        for time in published::times().into_iter().filter(|time| time.os == os) {
            let Some((_, runner)) = runners.iter().find(|(name, _)| *name == time.implementation) else { continue };
            let algorithm = time.algorithm.to_lowercase().replace('-', "");
            let cell = cell(runner, "today", "digest", &algorithm, time.size_mb as u64 * MIB);
            // The study prints the mean of its ten runs only.
            made.given(&cell, &[(time.mean_ms * 1e6, time.mean_ms * 1e6); 10]);
        }
        all_hold(&made.measurements(), ids);
    }
}

#[test]
fn the_claims_of_2019_hold_for_the_studys_own_runs() {
    let mut made = Synthetic::new("strings");
    for row in published::strings_runs() {
        let algorithm = match row.algorithm.as_str() {
            "SHA3-256" => "sha3-256".to_owned(),
            name => name.to_lowercase().replace('-', ""),
        };
        let cell = cell("py-hashlib", "today", "strings", &algorithm, row.strings);
        let runs = [row.run1_ms, row.run2_ms, row.run3_ms].map(|ms| (ms * 1e6, ms * 1e6));
        // Each twice, since three have no interval.
        made.given(&cell, &[runs, runs].concat());
    }
    all_hold(&made.measurements(), &["A1", "A2", "A3", "A4", "A5"]);
}

#[test]
fn the_claim_of_2014_holds_for_the_studys_own_runs() {
    let mut made = Synthetic::new("languages");
    for (name, algorithm) in [("MD5", "md5"), ("SHA-256", "sha256")] {
        let runs = published::fixity_runs().into_iter().filter(|run| run.algorithm == name);
        let runs: Vec<(f64, f64)> = runs.map(|run| (run.real_s * 1e9, run.cpu_s * 1e9)).collect();
        made.given(&cell("c-openssl", "today", "digest", algorithm, 123 << 30), &runs);
    }
    all_hold(&made.measurements(), &["V1"]);
}

/// A time of a table, ten times over: the study prints one for each row.
fn tabled(made: &mut Synthetic, id: &str, dimensions: &[(&str, &str)], row: (&str, &str, &str, Option<u32>)) {
    let seconds = published::tree_seconds(row.0, row.1, row.2, row.3).unwrap_or_else(|| panic!("{row:?}"));
    let algorithm = row.1.to_lowercase().replace("sha-1", "sha1");
    made.given(&program(id, &algorithm, dimensions), &[(seconds * 1e9, seconds * 1e9); 10]);
}

#[test]
fn the_claims_of_2013_hold_for_the_studys_own_times() {
    let mut made = Synthetic::new("tree");
    let (documents, cold) = (("corpus", "documents"), ("cache", "cold"));
    let modes = [("SMT", ("mode", "smt")), ("MTP", ("mode", "mtp"))];
    tabled(&mut made, "ssdeep", &[documents, cold], ("III", "ssdeep", "original", None));
    for (name, mode) in modes {
        let dimensions = [documents, cold, mode, ("threads", "2"), ("memory", "20M")];
        tabled(&mut made, "pfh-family", &dimensions, ("III", "ssdeep", name, None));
        for threads in ["2", "4"] {
            let dimensions = [documents, ("cache", "cached"), mode, ("threads", threads), ("memory", "256M")];
            for algorithm in ["MRSH-v2", "sdhash"] {
                tabled(&mut made, "pfh-family", &dimensions, ("VII", algorithm, name, threads.parse().ok()));
            }
        }
        for (memory, row) in [("128M", 128), ("256M", 256), ("512M", 512)] {
            let times = published::tree_times();
            let row = times
                .iter()
                .find(|time| time.table == "VIII" && time.variant == name && time.memory_mb == Some(row))
                .expect("a row");
            let cell = program("pfh-family", "mrsh-v2", &[documents, cold, mode, ("threads", "4"), ("memory", memory)]);
            made.given(&cell, &[(row.value * 1e9, row.value * 1e9); 10]);
        }
    }
    for algorithm in ["MD5", "SHA-1", "MRSH-v2", "sdhash"] {
        let id = if algorithm.contains("sh-v") || algorithm == "sdhash" || algorithm == "MRSH-v2" {
            "pfh-family"
        } else {
            "pfh"
        };
        let dimensions = [documents, cold, ("mode", "mtp"), ("threads", "2"), ("memory", "20M")];
        tabled(&mut made, id, &dimensions, ("IV", algorithm, "MTP", None));
    }
    for prefetchers in ["1", "2"] {
        let dimensions =
            [documents, cold, ("mode", "mtp"), ("threads", "8"), ("memory", "20M"), ("prefetchers", prefetchers)];
        tabled(&mut made, "pfh", &dimensions, ("IX", "MD5", &format!("MTP p={prefetchers}"), None));
    }
    let single = [("corpus", "single"), ("cache", "cached")];
    for (algorithm, stand_alone) in
        [("MD5", "md5sum"), ("SHA-1", "sha1sum"), ("MRSH-v2", "mrsh-v2"), ("ssdeep", "ssdeep"), ("sdhash", "sdhash")]
    {
        let ours = if matches!(algorithm, "MD5" | "SHA-1") { "pfh" } else { "pfh-family" };
        for id in [stand_alone, ours] {
            tabled(&mut made, id, &single, ("I", algorithm, "stand-alone", None));
        }
    }
    let eight = [documents, cold, ("threads", "8")];
    tabled(&mut made, "parallel", &eight, ("XII", "ssdeep", "parallel", None));
    tabled(&mut made, "ppss-like", &eight, ("XII", "ssdeep", "ppss", None));
    let mtp = [documents, cold, ("threads", "8"), ("mode", "mtp")];
    tabled(&mut made, "pfh-family", &mtp, ("XII", "ssdeep", "MTP", None));
    for algorithm in ["ssdeep", "sdhash"] {
        tabled(&mut made, &format!("{algorithm}-pairs"), &[documents, cold], ("V", algorithm, "original", None));
        tabled(&mut made, "pfh-pairs", &eight, ("V", algorithm, "MTP", None));
    }
    all_hold(&made.measurements(), &["B1", "B2", "B3", "B4", "B5", "B6", "B7", "B8"]);
}

/// Its runs over a network are published; of those on a local disk only the sentence.
#[test]
fn the_claims_of_2014_about_storage_hold_for_the_studys_own_runs() {
    let mut made = Synthetic::new("fixity");
    for (name, algorithm) in [("MD5", "md5"), ("SHA-256", "sha256")] {
        let runs = published::fixity_runs().into_iter().filter(|run| run.algorithm == name);
        let runs: Vec<(f64, f64)> = runs.map(|run| (run.real_s * 1e9, run.cpu_s * 1e9)).collect();
        for id in ["python", "pfh"] {
            let on = |device| [("corpus", "collection"), ("device", device), ("cache", "cold")];
            made.given(&program(id, algorithm, &on("nas")), &runs);
            let local: Vec<(f64, f64)> = runs.iter().map(|(_, cpu)| (cpu * 1.1, *cpu)).collect();
            made.given(&program(id, algorithm, &on("here")), &local);
        }
    }
    all_hold(&made.measurements(), &["V2", "V3", "V4"]);
}

/// Conditions that fit several cells decide nothing.
#[test]
fn a_claim_takes_no_cell_by_chance() {
    let mut made = Synthetic::new("fixity");
    for server in ["a", "b"] {
        let dimensions = [("corpus", "collection"), ("device", "nas"), ("cache", "cold"), ("server", server)];
        for algorithm in ["md5", "sha256"] {
            made.time(&program("python", algorithm, &dimensions), 1e9);
        }
    }
    assert_eq!(verdict(&made.measurements(), "V3", "today"), Verdict::NotMeasured);
}

/// Of the study of 2007 no tables survive, only its sentences: figures as these say.
#[test]
fn the_claims_of_2007_hold_for_figures_as_the_study_states_them() {
    let mut made = Synthetic::new("ciphers");
    let size = 4 * MIB;
    for (runner, ciphers, digests) in [
        // Nanoseconds for each byte.
        ("cs-dotnet", [20.0, 30.0, 40.0, 60.0], [8.0, 9.0, 16.0, 30.0]),
        ("java-cryptix", [42.0, 60.0, 40.0, 120.0], [8.0, 14.0, 24.0, 45.0]),
    ] {
        let read_ns = size as f64 * 20.0;
        made.time(&cell(runner, "today", "read-file", "none", size), read_ns);
        for (algorithm, each) in ["des-cbc", "rc2-128-cbc", "aes-128-cbc", "des-ede3-cbc"].into_iter().zip(ciphers) {
            made.time(&cell(runner, "today", "cipher", algorithm, size), each * size as f64);
            let with_file = each * size as f64 + read_ns;
            made.time_with(&cell(runner, "today", "cipher-file", algorithm, size), with_file, Some(0.003));
        }
        for (algorithm, each) in ["md5", "sha1", "sha256", "sha512"].into_iter().zip(digests) {
            made.time(&cell(runner, "today", "digest", algorithm, size), each * size as f64);
        }
    }
    all_hold(&made.measurements(), &["J1", "J2", "J3", "J4", "J5"]);
}

/// Noise hides what is true and makes nothing false; processor times see through it.
#[test]
fn a_busy_machine_decides_nothing_by_wall_time() {
    let mut made = Synthetic::new("languages");
    made.busy = 6.0;
    for (algorithm, speed) in [("md5", 800.0), ("sha1", 700.0), ("sha256", 250.0), ("sha512", 240.0)] {
        made.series("c-openssl", "today", "digest", algorithm, &[2 * MIB, 4 * MIB, 8 * MIB, 16 * MIB], speed);
    }
    let measurements = made.measurements();
    assert!(measurements.disturbance().expect("both clocks") > 2.0);
    let findings = claims::evaluate(&measurements);
    for id in ["G3", "G5"] {
        assert_eq!(
            finding(&findings, id, "today").verdict,
            Verdict::Undecided,
            "{:#?}",
            finding(&findings, id, "today")
        );
    }
    let findings = claims::evaluate(&measurements.by(Clock::Cpu));
    for (id, expected) in ["G3", "G4", "G5"].map(|id| (id, Verdict::HoldsInPart)) {
        assert_eq!(finding(&findings, id, "today").verdict, expected, "{id}");
    }
}
