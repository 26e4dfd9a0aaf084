//! `pfh known export`: lists and Bloom filters of sets, read back by pfh and by the programs they are for.

use std::fs;
use std::path::Path;

use tempfile::TempDir;

use crate::fixture::*;

/// Makes files, and a set of them that has names and sizes.
fn case() -> TempDir {
    let directory = scratch();
    let path = directory.path();
    fs::create_dir(path.join("files")).unwrap();
    for number in 0..40 {
        fs::write(path.join(format!("files/{number}.bin")), format!("file {number}")).unwrap();
    }
    pfh(path, ["hash", "-a", "md5,sha1,sha256", "-f", "csv", "-o", "all.csv", "files"]).run().expect(0, "");
    let build = ["known", "build", "-q", "all.pfhk", "--class", "good", "--keep", "name,size", "all.csv"];
    pfh(path, build).run().expect(0, "");
    directory
}

fn hex(algorithm: &str, bytes: &[u8]) -> String {
    digest(algorithm, bytes).to_string()
}

fn text(ended: &Ended, status: i32, message: &str) -> String {
    String::from_utf8(ended.expect(status, message).to_vec()).unwrap()
}

#[test]
fn digests_come_in_order_and_what_is_lost_is_told() {
    let directory = case();
    let path = directory.path();
    let mut expected: Vec<String> = (0..40).map(|number| hex("md5", format!("file {number}").as_bytes())).collect();
    expected.sort();
    let message = "pfh: written: 40; the list does not have the class and the source of any\n\
                   pfh: entries: 40 have digests by other algorithms too, which it lacks\n\
                   pfh: entries: 40 have a name, which it lacks\n\
                   pfh: entries: 40 have a size, which it lacks\n";
    let ended = pfh(path, ["known", "export", "all.pfhk", "-a", "md5"]).run();
    assert_eq!(text(&ended, 0, message), expected.join("\n") + "\n");
    let upper = pfh(path, ["known", "export", "-q", "all.pfhk", "-a", "md5", "--letters", "upper"]).run();
    assert_eq!(text(&upper, 0, ""), expected.join("\n").to_uppercase() + "\n");
    assert_eq!(text(&pfh(path, ["known", "export", "-q", "all.pfhk", "-a", "md5", "--only", "bad"]).run(), 0, ""), "");
    for (arguments, message) in [
        (&["all.pfhk"][..], "pfh: this format has digests of one algorithm: name one with -a\n"),
        (&["all.pfhk", "-a", "sha512"], "pfh: -a sha512: the set has no digests by it\n"),
        (&["all.csv"], "pfh: `all.csv`: this is not a known set, which `pfh known build` makes\n"),
        (
            &["all.pfhk", "-f", "bloom", "--probability", "1"],
            "pfh: --probability: give a number between 0 and 1, such as 0.0001\n",
        ),
    ] {
        pfh(path, [&["known", "export"], arguments].concat()).run().expect(2, message);
    }
}

#[test]
fn only_entries_with_other_digests_count_as_losing_them() {
    let directory = case();
    let path = directory.path();
    fs::write(path.join("plain.md5"), format!("{}\n", hex("md5", b"alone"))).unwrap();
    pfh(path, ["known", "build", "-q", "both.pfhk", "all.csv", "plain.md5"]).run().expect(0, "");
    let ended = pfh(path, ["known", "export", "both.pfhk", "-a", "md5"]).run();
    let message = "pfh: written: 41; the list does not have the class and the source of any\n\
                   pfh: entries: 40 have digests by other algorithms too, which it lacks\n";
    assert_eq!(text(&ended, 0, message).lines().count(), 41);
}

/// Builds a set of a list and returns what it knows of a digest, and its digests.
fn built_of(directory: &Path, list: &str) -> String {
    pfh(directory, ["known", "build", "-q", "again.pfhk", "--keep", "name,size", list]).run().expect(0, "");
    let all = ["known", "export", "-q", "again.pfhk", "-f", "csv", "-a", "md5,sha1,sha256"];
    text(&pfh(directory, all).run(), 0, "")
}

#[test]
fn lists_are_read_back_as_they_were() {
    let directory = case();
    let path = directory.path();
    let expected = built_of(path, "all.csv");
    assert_eq!(expected.lines().count(), 41);
    for format in ["csv", "jsonl", "dfxml", "hashdeep"] {
        let algorithms = if format == "hashdeep" { "md5,sha1,sha256" } else { "sha256,md5,sha1" };
        pfh(path, ["known", "export", "-q", "all.pfhk", "-f", format, "-a", algorithms, "-o", "list"])
            .run()
            .expect(0, "");
        assert_eq!(built_of(path, "list"), expected, "{format}");
    }
}

#[test]
fn a_size_that_is_not_known_is_not_made_up() {
    let directory = case();
    let path = directory.path();
    fs::write(path.join("plain.md5"), format!("{}  a\n{}  b\n", hex("md5", b"a"), hex("md5", b"b"))).unwrap();
    pfh(path, ["known", "build", "-q", "plain.pfhk", "plain.md5"]).run().expect(0, "");
    let ended = pfh(path, ["known", "export", "-q", "plain.pfhk", "-f", "csv"]).run();
    let (first, second) = (hex("md5", b"a").min(hex("md5", b"b")), hex("md5", b"a").max(hex("md5", b"b")));
    let lines = format!("{first},,,complete,,{first}\r\n{second},,,complete,,{second}\r\n");
    assert_eq!(text(&ended, 0, ""), format!("path,size,mtime,outcome,error,md5\r\n{lines}"));
    let ended = pfh(path, ["known", "export", "plain.pfhk", "-f", "hashdeep"]).run();
    let message = "pfh: written: 0; the list does not have the class and the source of any\n\
                   pfh: entries: 2 cannot be expressed in this format, and are left out\n";
    assert!(text(&ended, 3, message).starts_with("%%%% HASHDEEP-1.0\n"));
    let ended = pfh(path, ["known", "export", "plain.pfhk", "-f", "gnu"]).run();
    let message = "pfh: written: 2; the list does not have the class and the source of any\n\
                   pfh: entries: 2 have no name in the set; their digest stands for it\n";
    assert!(text(&ended, 0, message).starts_with(&format!("{first}  {first}\n")));
}

#[test]
fn other_programs_read_the_lists() {
    let directory = case();
    let path = directory.path();
    pfh(path, ["known", "export", "-q", "all.pfhk", "-f", "gnu", "-a", "sha1", "-o", "list.sha1"]).run().expect(0, "");
    let checked = peer("sha1sum", path, ["--check", "--status", "list.sha1"]).unwrap();
    assert!(checked.status.success());
    pfh(path, ["known", "export", "-q", "all.pfhk", "-f", "gnu", "-a", "md5", "-o", "list.md5"]).run().expect(0, "");
    let Some(_) = peer("hfind", path, ["-i", "md5sum", "list.md5"]) else { return };
    let found = |text: &str| {
        let output = peer("hfind", path, ["list.md5", &hex("md5", text.as_bytes())]).unwrap();
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    assert!(found("file 7").contains("files/7.bin"), "{}", found("file 7"));
    assert!(found("other").contains("Hash Not Found"), "{}", found("other"));
}

#[test]
fn a_filter_is_asked_first_and_decides_nothing_else() {
    let directory = case();
    let path = directory.path();
    let export = ["known", "export", "-q", "all.pfhk", "-f", "bloom", "-o", "all.bloom"];
    pfh(path, export).run().expect(0, "");
    let info = text(&pfh(path, ["known", "info", "all.bloom", "--json"]).run(), 0, "");
    let info: serde_json::Value = serde_json::from_str(&info).unwrap();
    assert_eq!((&info["capacity"], &info["probability"], &info["values"]), (&40.into(), &0.0001.into(), &40.into()));
    let (known, other) = (hex("sha1", b"file 7"), hex("sha1", b"other"));
    let lookup = |filter: &str| {
        let arguments = ["known", "lookup", "all.pfhk", "--filter", filter, &known, &other];
        let ended = pfh(path, arguments).run();
        text(&ended, 0, "").lines().map(|line| line.split(' ').next().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(lookup("all.bloom"), ["known-good", "unknown"]);
    // A filter that says "maybe" of all leaves it to the set; one that has nothing leaves nothing known.
    let bytes = fs::read(path.join("all.bloom")).unwrap();
    fs::write(path.join("cut.bloom"), &bytes[..60]).unwrap();
    let damaged = "pfh: `cut.bloom`: the Bloom filter is damaged or cut off; download or make it again\n";
    pfh(path, ["known", "info", "cut.bloom"]).run().expect(2, damaged);
    let bits = bytes.len() - b"{\"algorithm\":\"sha1\"}\n".len();
    let filled = |byte: u8| [&bytes[..48], &vec![byte; bits - 48], &bytes[bits..]].concat();
    fs::write(path.join("full.bloom"), filled(255)).unwrap();
    fs::write(path.join("empty.bloom"), filled(0)).unwrap();
    assert_eq!(lookup("full.bloom"), ["known-good", "unknown"]);
    assert_eq!(lookup("empty.bloom"), ["unknown", "unknown"]);
    pfh(path, ["known", "lookup", "all.pfhk", "--filter", "all.csv", &known])
        .run()
        .expect(2, "pfh: `all.csv`: this is not a Bloom filter of version 1 by DCSO\n");
}

#[test]
fn a_filter_is_asked_about_its_own_algorithm_only() {
    let directory = case();
    let path = directory.path();
    let (known, other) = (&b"file 7"[..], &b"other"[..]);
    let digests: Vec<String> =
        ["md5", "sha1", "sha256"].into_iter().flat_map(|one| [hex(one, known), hex(one, other)]).collect();
    let lookup = |filter: &str, message: &str| {
        let words = ["known", "lookup", "all.pfhk", "--filter", filter].map(str::to_owned);
        let ended = pfh(path, words.iter().chain(&digests)).run();
        text(&ended, 0, message).lines().map(|line| line.split(' ').next().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let expected = ["known-good", "unknown"].repeat(3);
    for algorithm in ["md5", "sha1", "sha256"] {
        let export = ["known", "export", "-q", "all.pfhk", "-f", "bloom", "-a", algorithm, "-o", "one.bloom"];
        pfh(path, export).run().expect(0, "");
        assert_eq!(lookup("one.bloom", ""), expected, "{algorithm}");
        // A filter of another program does not name its algorithm.
        let bytes = fs::read(path.join("one.bloom")).unwrap();
        let bits = bytes.iter().rposition(|byte| *byte == b'{').unwrap();
        fs::write(path.join("foreign.bloom"), &bytes[..bits]).unwrap();
        assert_eq!(lookup("foreign.bloom", ""), expected, "{algorithm}");
    }
    // One that was made of something else decides nothing.
    let bytes = fs::read(path.join("foreign.bloom")).unwrap();
    fs::write(path.join("empty.bloom"), [&bytes[..48], &vec![0; bytes.len() - 48]].concat()).unwrap();
    let said = "pfh: `empty.bloom`: the filter lacks digests of the set by each algorithm, so it is not asked\n";
    assert_eq!(lookup("empty.bloom", said), expected);
}

#[test]
fn only_wanted_entries_count_as_left_out() {
    let directory = scratch();
    let path = directory.path();
    for (class, algorithm) in [("good", "sha256"), ("bad", "md5")] {
        fs::write(path.join(class), format!("{}\n", hex(algorithm, class.as_bytes()))).unwrap();
        pfh(path, ["known", "build", "-q", &format!("{class}.pfhk"), "--class", class, class]).run().expect(0, "");
    }
    pfh(path, ["known", "build", "-q", "both.pfhk", "good.pfhk", "bad.pfhk"]).run().expect(0, "");
    let export = |more: &[&str], lost: &str| {
        let ended = pfh(path, [&["known", "export", "both.pfhk", "-a", "md5"], more].concat()).run();
        let lost = if lost.is_empty() { String::new() } else { format!("pfh: entries: {lost}, and are left out\n") };
        let written = if more.contains(&"good") { 0 } else { 1 };
        let told = format!("pfh: written: {written}; the list does not have the class and the source of any\n{lost}");
        ended.expect(0, &told);
    };
    export(&["--only", "bad"], "");
    export(&["--only", "good"], "1 have no digest by the wanted algorithms");
    export(&["--only", "bad,good"], "1 have no digest by the wanted algorithms");
    export(&[], "1 have no digest by the wanted algorithms");
}

#[test]
fn what_could_not_be_written_is_not_told_as_written() {
    let directory = case();
    let path = directory.path();
    for format in ["digests", "bloom", "csv"] {
        let algorithm = if format == "csv" { "md5,sha1" } else { "sha1" };
        let ended = pfh(path, ["known", "export", "all.pfhk", "-f", format, "-a", algorithm, "-o", "/dev/full"]).run();
        ended.expect(4, "pfh: the output could not be written: No space left on device (os error 28)\n");
    }
}
