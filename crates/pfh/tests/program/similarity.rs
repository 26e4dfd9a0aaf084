//! Similarity digests: the vectors of the original programs, by every command and option.

use std::fs;
use std::path::Path;

use pfh_digest::Algorithm;
use pfh_similarity::{Family, Hasher};
use serde_json::Value;

use crate::fixture::*;
use crate::inputs::{generate, random, text};

/// The vectors: name, contents, and all fields. See the README beside them.
fn vectors() -> Vec<(String, Vec<u8>, Value)> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../similarity/tests/vectors/similarity.jsonl");
    let vectors = fs::read_to_string(path).unwrap();
    let lines = vectors.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let inputs = lines.filter(|line| line["id"].is_string() && line["len"].as_u64() < Some(1 << 20));
    inputs.map(|line| (line["id"].as_str().unwrap().to_owned(), generate(&line["input"]), line)).collect()
}

fn digest_of(family: Family, contents: &[u8]) -> Option<String> {
    let mut hasher = Hasher::new(family);
    hasher.update(contents);
    hasher.finish().ok().map(|digest| digest.to_string())
}

/// Whether a line equals that of a vector, or has its hash.
fn is_line(line: &str, expected: &str) -> bool {
    match expected.strip_prefix("sha256:") {
        Some(hash) => {
            hash == format!("{}:{}", Algorithm::from_name("sha256").unwrap().digest(line.as_bytes()), line.len())
        }
        None => line == expected,
    }
}

#[test]
fn lists_are_those_of_the_original_programs() {
    let directory = scratch();
    let vectors = vectors();
    assert!(vectors.len() > 40);
    for (name, contents, _) in &vectors {
        fs::write(directory.path().join(name), contents).unwrap();
    }
    for family in Family::ALL {
        // A single family is listed in its own format.
        let names = vectors.iter().map(|(name, ..)| name.as_str());
        let run = hash(directory.path(), ["-q", "-a", family.name()].into_iter().chain(names)).run();
        let list = String::from_utf8(run.done().to_vec()).unwrap();
        let mut lines = list.lines().filter(|line| !line.is_empty());
        if family == Family::Ssdeep {
            assert_eq!(lines.next(), Some("ssdeep,1.1--blocksize:hash:hash,filename"));
        }
        let mut count = 0;
        for (name, _, vector) in &vectors {
            let expected = match family {
                Family::Ssdeep => vector["ssdeep"].as_str().map(|digest| format!("{digest},\"{name}\"")),
                Family::Sdhash if vector["sdhash34"] != "same" => vector["sdhash34"].as_str().map(str::to_owned),
                Family::Sdhash => vector["sdhash"].as_str().map(str::to_owned),
                Family::MrshV2 => vector["mrsh_v2"].as_str().map(str::to_owned),
                Family::Tlsh => vector["tlsh"].as_str().map(|digest| format!("{digest}\t{name}")),
            };
            if let Some(expected) = expected {
                let line = lines.next().unwrap_or_default();
                assert!(is_line(line, &expected), "{family}, {name}: {line}");
                count += 1;
            }
        }
        assert_eq!(lines.next(), None, "{family}");
        assert!(count > 30, "{family}");
    }
}

#[test]
fn variants_are_those_of_the_original_programs() {
    let directory = scratch();
    let vectors = vectors();
    for (name, contents, _) in &vectors {
        fs::write(directory.path().join(name), contents).unwrap();
    }
    let names = || vectors.iter().map(|(name, ..)| name.as_str());
    let of_profile_4_0 = ["-a", "sdhash", "--sdhash-profile", "4.0"];
    for (options, field) in [
        (&of_profile_4_0[..], "sdhash"),
        (&["-a", "sdhash", "--sdhash-blocks", "1"], "sdhash_dd1"),
        (&["-a", "sdhash", "--sdhash-blocks", "4"], "sdhash_dd"),
        (&["-a", "sdhash", "--sdhash-blocks", "16"], "sdhash_dd16"),
        (&["-a", "mrsh-v2", "--mrsh-network"], "mrsh_v2_net"),
    ] {
        let run = hash(directory.path(), ["-q"].iter().chain(options).copied().chain(names())).run();
        let list = String::from_utf8(run.done().to_vec()).unwrap();
        let lines: Vec<&str> = list.lines().filter(|line| !line.is_empty()).collect();
        let expected: Vec<&str> = vectors.iter().filter_map(|(.., vector)| vector[field].as_str()).collect();
        assert_eq!(lines.len(), expected.len(), "{field}");
        assert!(
            lines.len() > 30 && lines.iter().zip(expected).all(|(line, expected)| is_line(line, expected)),
            "{field}"
        );
    }
    let resumed = hash(directory.path(), of_profile_4_0.iter().copied().chain(["--resume", "-o", "j", "x"])).run();
    assert_eq!(resumed.code(), 2);
    assert!(resumed.stderr.contains("--resume cannot check"), "{}", resumed.stderr);
}

#[test]
fn scores_of_variants_are_those_of_the_original_programs() {
    let directory = scratch();
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../similarity/tests/vectors/similarity.jsonl");
    let all = fs::read_to_string(path).unwrap();
    let pairs: Vec<Value> = all
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
        .filter(|line| line["a"].is_string())
        .collect();
    let vectors = vectors();
    for (name, contents, _) in &vectors {
        fs::write(directory.path().join(name), contents).unwrap();
    }
    for (options, field) in [
        (&["-a", "sdhash"][..], "sdhash34"),
        (&["-a", "sdhash", "--sdhash-profile", "4.0"], "sdhash"),
        (&["-a", "mrsh-v2"], "mrsh_v2"),
        (&["-a", "mrsh-v2", "--resemblance"], "mrsh_v2_f"),
        (&["-a", "mrsh-v2", "--mrsh-network"], "mrsh_v2_net"),
    ] {
        // Comparing all with all gives one direction; comparing two sides gives the vector's direction.
        let names = || vectors.iter().map(|(name, ..)| name.as_str());
        let against = names().flat_map(|name| ["--against", name]);
        let run = pfh(
            directory.path(),
            ["compare", "-q", "-f", "csv"].iter().chain(options).copied().chain(names()).chain(against),
        )
        .run();
        let found = String::from_utf8(run.done().to_vec()).unwrap();
        let score = |a: &str, b: &str| {
            let line = found.lines().find_map(|line| line.strip_prefix(&format!("{a},{b},")));
            line.map_or(0, |score| score.trim_end().parse().unwrap())
        };
        let mut above = 0;
        for pair in &pairs {
            let (a, b) = (pair["a"].as_str().unwrap(), pair["b"].as_str().unwrap());
            if let (Some(expected), true, true) =
                (pair[field].as_i64(), names().any(|name| name == a), names().any(|name| name == b))
            {
                assert_eq!(score(a, b), expected.max(0), "{field} of {a} and {b}");
                above += u32::from(expected > 0);
            }
        }
        assert!(above > 10, "{field}: {above}");
    }
}

#[test]
fn long_files_have_a_digest_for_each_segment() {
    let directory = scratch();
    let contents = random(7, (2 << 20) + 9000);
    fs::write(directory.path().join("disk"), &contents).unwrap();
    fs::write(directory.path().join("end"), &contents[2 << 20..]).unwrap();
    let blocks = ["-a", "sdhash", "--sdhash-blocks", "16", "--sdhash-segments"];
    let list = |segments: &str| {
        let run = hash(directory.path(), blocks.iter().copied().chain([segments, "disk"])).run();
        String::from_utf8(run.done().to_vec()).unwrap()
    };
    let heads = |list: &str| -> Vec<String> {
        list.lines().map(|line| line.split(':').skip(3).take(2).collect::<Vec<_>>().join(":")).collect()
    };
    assert_eq!(heads(&list("1")), ["disk.0000M:1048576", "disk.0001M:1048576", "disk.0002M:9000"]);
    assert_eq!(heads(&list("0")), ["disk:2106152"]);
    let run = pfh(directory.path(), ["compare"].iter().chain(&blocks).copied().chain(["1", "disk", "end"])).run();
    assert_eq!(run.done(), b"disk.0002M|end|100\n");
}

#[test]
fn variants_of_other_families_are_refused() {
    let directory = scratch();
    fs::write(directory.path().join("f"), "Hello, world!\n").unwrap();
    for (family, option) in
        [("ssdeep", "--fast"), ("mrsh-v2", "--symmetric"), ("sdhash", "--resemblance"), ("tlsh", "--sample=1")]
    {
        let run = pfh(directory.path(), ["compare", "-a", family, option, "f"]).run();
        assert_eq!(run.code(), 2);
        assert!(run.stderr.contains(&format!("the digests are of {family}")), "{}", run.stderr);
    }
}

const ALL: &str = "md5,sha256,ssdeep,sdhash,mrsh-v2,tlsh";

/// The record of a file in JSON Lines has the digests of the libraries.
fn check(record: &Value, contents: &[u8], setting: &str) {
    assert_eq!(record["outcome"], "complete", "{setting}");
    for name in ["md5", "sha256"] {
        assert_eq!(record["digests"][name], digest(name, contents).to_string(), "{setting}");
    }
    for family in Family::ALL {
        let name = family.name();
        match digest_of(family, contents) {
            Some(digest) => {
                assert_eq!(record["digests"][name], digest, "{setting}: {}", record["path"]);
                assert!(record["unfit"][name].is_null());
            }
            None => {
                assert!(record["digests"][name].is_null());
                assert_eq!(record["unfit"][name]["minimum_bytes"], family.minimum_bytes(), "{setting}");
            }
        }
    }
}

fn records(list: &[u8]) -> Vec<Value> {
    let lines = list.split(|&byte| byte == b'\n').filter(|line| !line.is_empty());
    let lines = lines.map(|line| serde_json::from_slice::<Value>(line).unwrap());
    lines.filter(|line| line["type"] == "file").collect()
}

#[test]
fn all_families_beside_digests_in_one_read_in_every_mode_and_little_memory() {
    let directory = scratch();
    fs::create_dir(directory.path().join("t")).unwrap();
    let lengths = [0, 14, 50, 511, 512, 5000, 70_000, 300_001, 1_000_000];
    let files: Vec<(String, Vec<u8>)> = lengths
        .iter()
        .flat_map(|&length| {
            [("r", random(3, length)), ("t", text(4, length))].map(|(kind, bytes)| (length, kind, bytes))
        })
        .map(|(length, kind, bytes)| (format!("t/{length:07}{kind}"), bytes))
        .collect();
    for (name, contents) in &files {
        fs::write(directory.path().join(name), contents).unwrap();
    }
    for setting in [
        &["-t1"][..],
        &["-t3"],
        &["-t3", "--mode", "mtp"],
        &["-t2", "--mode", "smt"],
        &["-t2", "--io", "direct"],
        &["-t2", "-m4M"],
        &["-t2", "-m5M", "--mode", "mtp"],
    ] {
        let run = hash(directory.path(), ["-a", ALL].iter().chain(setting).chain(&["t"])).run();
        // Files without a digest of a family are no failures and cause no messages: the list states it.
        let records = records(run.done());
        assert_eq!(records.len(), files.len());
        for (record, (name, contents)) in records.iter().zip(&files) {
            assert_eq!(record["path"], name.as_str());
            check(record, contents, &format!("{setting:?}"));
        }
    }
}

#[test]
fn a_large_file_and_a_stream() {
    let directory = scratch();
    let contents = [text(1, 5 << 20), random(2, 4 << 20)].concat();
    fs::write(directory.path().join("f"), &contents).unwrap();
    let list = hash(directory.path(), ["-t3", "-a", ALL, "f"]).run();
    check(&records(list.done())[0], &contents, "file");
    let list = hash(directory.path(), ["-t3", "-a", ALL, "-"]).input(contents.clone()).run();
    check(&records(list.done())[0], &contents, "stream");
}

#[test]
fn a_list_that_cannot_say_what_has_no_digest_leaves_it_to_standard_error() {
    let directory = scratch();
    fs::write(directory.path().join("f"), "hello").unwrap();
    let told = "pfh: `f`: no tlsh digest: 5 bytes are too few: a digest takes at least 50\n";
    assert!(hash(directory.path(), ["-a", "tlsh", "f"]).run().expect(0, told).is_empty());
    assert!(hash(directory.path(), ["-q", "-a", "tlsh", "f"]).run().done().is_empty());
    hash(directory.path(), ["-a", "TLSH1", "-f", "csv", "f"]).run().expect(0, told);
    hash(directory.path(), ["-a", "tlsh", "-f", "jsonl", "f"]).run().done();
}

/// A file without a digest for want of memory is no file that cannot have one.
#[test]
fn files_too_long_for_the_memory_count_as_missing() {
    let directory = scratch();
    let file = fs::File::create(directory.path().join("f")).unwrap();
    file.set_len(100 << 20).unwrap();
    let told =
        "pfh: `f`: no sdhash digest: 104857600 bytes are more than the memory option has room for; give a larger -m\n";
    let totals = "pfh: totals: 1 file complete, 1 too long for a digest\n";
    for format in ["sdhash", "csv", "jsonl", "dfxml"] {
        let arguments = ["-a", "sdhash", "-m", "4M", "-f", format, "f"];
        hash(directory.path(), arguments).run().expect(3, told);
    }
    let quiet = hash(directory.path(), ["-q", "-a", "sdhash", "-m", "4M", "-f", "csv", "f"]).run();
    assert_eq!((quiet.code(), &quiet.stderr[..]), (3, totals));
}

#[test]
fn names_and_formats() {
    let directory = scratch();
    fs::write(directory.path().join("f"), "Hello, world!\n").unwrap();
    let list = "ssdeep,1.1--blocksize:hash:hash,filename\n3:a6/G:asG,\"f\"\n";
    for arguments in [&["-a", "ssdeep", "f"][..], &["-a", "CTPH,spamsum", "f"], &["-a", "ssdeep", "-f", "ssdeep", "f"]]
    {
        assert_eq!(hash(directory.path(), arguments).run().done(), list.as_bytes());
    }
    let refused = |arguments: &[&str]| {
        let run = hash(directory.path(), arguments).run();
        assert_eq!(run.code(), 2, "{arguments:?}");
        run.stderr
    };
    assert!(refused(&["-a", "md5,ssdeep", "-f", "gnu", "f"]).contains("no place for ssdeep digests"));
    assert!(refused(&["-a", "md5,ssdeep", "-f", "ssdeep", "f"]).contains("nothing else"));
    assert!(
        refused(&["-a", "sdeep", "f"])
            .starts_with("pfh: unknown algorithm or similarity family `sdeep`; close to `ssdeep`;")
    );
    let table = String::from_utf8(pfh(directory.path(), ["algorithms"]).run().done().to_vec()).unwrap();
    assert!(table.contains("\nsdhash") && table.contains("similarity"), "{table}");
}

#[test]
fn a_journal_with_similarity_digests_goes_on() {
    let directory = scratch();
    fs::create_dir(directory.path().join("t")).unwrap();
    for seed in 0..4 {
        fs::write(directory.path().join(format!("t/{seed}")), random(seed, 9000)).unwrap();
    }
    let resume = |algorithms: &str| hash(directory.path(), ["-a", algorithms, "-o", "j", "--resume", "t"]).run();
    resume(ALL).done();
    // The list looks as if it had been interrupted within the third file.
    let journal = fs::read(directory.path().join("j")).unwrap();
    let third = journal.split_inclusive(|&byte| byte == b'\n').take(3).map(<[u8]>::len).sum::<usize>() + 100;
    fs::write(directory.path().join("j"), &journal[..third]).unwrap();
    let resumed = resume(ALL);
    assert_eq!(resumed.code(), 0);
    assert!(resumed.stderr.contains("the last line was incomplete"), "{}", resumed.stderr);
    let records = records(&fs::read(directory.path().join("j")).unwrap());
    assert_eq!(records.len(), 4);
    for record in &records {
        let contents = fs::read(directory.path().join(record["path"].as_str().unwrap())).unwrap();
        check(record, &contents, "resumed");
    }
    let other = resume("md5,sha256,ssdeep");
    assert_eq!(other.code(), 2);
    assert!(other.stderr.contains(&format!("was begun with `-a {ALL}`")), "{}", other.stderr);
}
