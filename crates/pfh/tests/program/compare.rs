//! `pfh compare` and `pfh match`: their output, their exit statuses, and agreement with the original programs.

use std::fs::{self, File};
use std::path::Path;

use pfh_testing::Random;
use tempfile::TempDir;

use crate::fixture::*;

/// Returns bytes without a pattern.
fn noise(seed: u64, length: usize) -> Vec<u8> {
    Random::new(seed).bytes(length)
}

/// Makes files: a, b, c and e have much in common, d is unrelated, and empty has no bytes.
fn files() -> TempDir {
    let directory = scratch();
    let a = noise(1, 20_000);
    let write = |name: &str, bytes: &[u8]| fs::write(directory.path().join(name), bytes).unwrap();
    write("a", &a);
    write("b", &[&a[..15_000], &noise(2, 5_000)].concat());
    write("c", &a[5_000..]);
    write("d", &noise(3, 20_000));
    write("e", &a);
    write("q\"u,o", &a[..19_000]);
    directory
}

const FILES: [&str; 6] = ["a", "b", "c", "d", "e", "q\"u,o"];

fn run(directory: &Path, command: &str, more: &[&str]) -> Ended {
    pfh(directory, [&[command], more].concat()).run()
}

#[test]
fn ssdeep_prints_the_same() {
    let directory = files();
    let d = directory.path();
    let options_of = |own: &str, theirs: &str| {
        let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        (words(own), words(theirs))
    };
    for (own, theirs) in [
        ("", "-d"),
        ("--threshold 0", "-d -a"),
        ("--threshold 78", "-d -t 77"),
        ("-f ssdeep-pretty", "-p"),
        ("-f ssdeep-pretty --threshold 0", "-p -a"),
    ] {
        let (own, theirs) = options_of(own, theirs);
        let theirs = theirs.iter().map(String::as_str).chain(["-l"]).chain(FILES);
        let Some(expected) = peer("ssdeep", d, theirs) else { return };
        assert!(!expected.stdout.is_empty());
        for threads in ["1", "4"] {
            let own = own.iter().map(String::as_str).chain(["-j", threads]).chain(FILES);
            let own: Vec<&str> = own.collect();
            assert_eq_bytes(run(d, "compare", &own).done(), &expected.stdout);
        }
    }
    // Lists of ssdeep.
    for (list, files) in [("one", &FILES[..]), ("two", &["a", "d", "b"])] {
        let made = peer("ssdeep", d, ["-l"].iter().chain(files)).unwrap();
        fs::write(d.join(list), made.stdout).unwrap();
    }
    let x = peer("ssdeep", d, ["-x", "one", "two"]).unwrap();
    let own = run(d, "compare", &["-f", "ssdeep-pretty", "--digests", "one", "--digests", "two"]);
    assert_eq_bytes(own.done(), &x.stdout);
    let k = peer("ssdeep", d, ["-k", "one", "two"]).unwrap();
    assert_eq_bytes(run(d, "compare", &["--digests", "two", "--against-digests", "one"]).done(), &k.stdout);
    assert_eq_bytes(run(d, "match", &["--digests", "two", "--known", "one"]).expect(1, ""), &k.stdout);
    let m = peer("ssdeep", d, ["-l", "-m", "one", "a", "d"]).unwrap();
    assert_eq_bytes(run(d, "match", &["--known", "one", "a", "d"]).expect(1, ""), &m.stdout);
}

#[test]
fn forms() {
    let directory = files();
    let d = directory.path();
    let pair = |format: &str, more: &[&str]| {
        let arguments = [&["-f", format, "a", "e", "d"], more].concat();
        String::from_utf8(run(d, "compare", &arguments).done().to_vec()).unwrap()
    };
    assert_eq!(pair("ssdeep", &[]), "e matches a (100)\n");
    assert_eq!(pair("ssdeep-pretty", &[]), "a matches e (100)\n\ne matches a (100)\n\n");
    assert_eq!(pair("sdhash", &["-a", "sdhash"]), "a|e|100\n");
    assert_eq!(pair("mrsh-v2", &["-a", "mrsh-v2"]), "a | e | 100 \n");
    assert_eq!(pair("tlsh", &["-a", "tlsh"]), "a\te\t0\n");
    assert_eq!(pair("csv", &["-a", "tlsh"]), "first,second,distance\r\na,e,0\r\n");
    let version = env!("CARGO_PKG_VERSION");
    assert_eq!(
        unchecked(&pair("jsonl", &[])),
        format!(
            "{{\"type\":\"header\",\"version\":1,\"program\":\"pfh\",\"program_version\":\"{version}\",\
             \"algorithms\":[\"ssdeep\"],\"threshold\":1}}\n\
             {{\"type\":\"pair\",\"first\":\"a\",\"second\":\"e\",\"score\":100}}\n\
             {{\"type\":\"summary\",\"digests\":3,\"found\":1}}\n"
        )
    );
    let clusters = ["--clusters", "a", "d", "e"];
    run(d, "compare", &clusters).printed(b"** Cluster size 2\na\ne\n\n");
    let csv = ["-f", "csv", "--clusters", "a", "d", "e"];
    run(d, "compare", &csv).printed(b"cluster,name\r\n1,a\r\n1,e\r\n");
    let jsonl = run(d, "compare", &["-f", "jsonl", "--clusters", "a", "d", "e"]);
    let text = unchecked(str::from_utf8(jsonl.done()).unwrap());
    let cluster = "{\"type\":\"cluster\",\"files\":[{\"path\":\"a\"},{\"path\":\"e\"}]}";
    assert_eq!(text.lines().nth(1), Some(cluster));
    // Lists may have the same names.
    for list in ["one", "two"] {
        hash(d, ["-a", "ssdeep", "-f", "jsonl", "-o", list, "a"]).run().done();
    }
    let jsonl = run(d, "compare", &["-f", "jsonl", "--clusters", "--digests", "one", "--digests", "two"]);
    let text = unchecked(str::from_utf8(jsonl.done()).unwrap());
    let files = "[{\"path\":\"a\",\"list\":\"one\"},{\"path\":\"a\",\"list\":\"two\"}]";
    let cluster = format!("{{\"type\":\"cluster\",\"files\":{files}}}");
    assert_eq!(text.lines().nth(1), Some(cluster.as_str()));
    let top = ["--top", "1", "a", "b", "e"];
    let lines = String::from_utf8(run(d, "compare", &top).done().to_vec()).unwrap();
    assert!(
        lines.starts_with("a matches e (100)\nb matches a (") && lines.ends_with("\ne matches a (100)\n"),
        "{lines}"
    );
    assert_eq!(lines.lines().count(), 3);
}

#[test]
fn names_that_a_form_cannot_express_are_said() {
    let directory = scratch();
    let d = directory.path();
    for name in ["a", "b\nc"] {
        fs::write(d.join(name), noise(1, 9_000)).unwrap();
    }
    fs::write(d.join(path(b"\xff")), noise(1, 9_000)).unwrap();
    let ended = run(d, "compare", &["a", "b\nc"]);
    let said = "pfh: `b\\nc` is left out: only csv and jsonl can express names with line feeds\n";
    assert_eq!(ended.expect(3, said), b"");
    assert_eq!(run(d, "compare", &["--clusters", "a", "b\nc"]).expect(3, said), b"");
    // A file counts once, in however many pairs it is.
    fs::copy(d.join("a"), d.join("d")).unwrap();
    for (form, expected) in
        [("--top=9", "a matches d (100)\nd matches a (100)\n"), ("--clusters", "** Cluster size 2\na\nd\n\n")]
    {
        let ended = run(d, "compare", &[form, "a", "b\nc", "d"]);
        assert_eq_bytes(ended.expect(3, said), expected.as_bytes());
        let totals = "pfh: totals: 3 files complete, 1 not expressible in the format\n";
        assert!(ended.stderr.ends_with(totals), "{}", ended.stderr);
    }
    fs::remove_file(d.join("d")).unwrap();
    // The first ten are named.
    fs::create_dir(d.join("many")).unwrap();
    for number in 0..12 {
        fs::copy(d.join("a"), d.join(format!("many/{number}\n"))).unwrap();
    }
    let ended = run(d, "compare", &["many"]);
    let messages: Vec<&str> = ended.said().lines().collect();
    let named = messages.iter().filter(|message| message.starts_with("pfh: `many/")).count();
    assert_eq!((ended.code(), named, messages.len()), (3, 10, 11), "{}", ended.stderr);
    assert_eq!(messages[10], "pfh: further names with line feeds are left out, too");
    run(d, "compare", &["-q", "many"]).expect(3, "");
    run(d, "compare", &["-f", "csv", "a", "b\nc"]).printed(b"first,second,score\r\na,\"b\nc\",100\r\n");
    let json = run(d, "compare", &["-f", "jsonl", "--include", path(b"?").to_str().unwrap(), "."]);
    let text = String::from_utf8(json.done().to_vec()).unwrap();
    assert!(text.contains("\"second\":\"./\u{fffd}\",\"second_base64\":\"Li//\""), "{text}");
}

#[test]
fn any_memory_and_any_threads_give_the_same() {
    let directory = scratch();
    let d = directory.path();
    let base = noise(7, 30_000);
    for number in 0..60 {
        let own = noise(100 + number, 2_000 + 100 * number as usize);
        fs::write(d.join(format!("f{number:02}")), [&base[..20_000 - 300 * number as usize], &own].concat()).unwrap();
    }
    for family in ["ssdeep", "sdhash", "mrsh-v2", "tlsh"] {
        let threshold = if family == "tlsh" { "400" } else { "1" };
        let compare = |more: &[&str]| {
            let fixed = ["-a", family, "--threshold", threshold, "-f", "csv"];
            run(d, "compare", &[&fixed, more].concat()).done().to_vec()
        };
        let expected = compare(&["--include", "f??", "."]);
        let pairs = expected.iter().filter(|&&byte| byte == b'\n').count() - 1;
        assert!(pairs > 1000, "{family}: {pairs}");
        assert_eq_bytes(&compare(&["-j", "1", "--include", "f??", "."]), &expected);
        // Lists in the family's own format and in pfh's; blocks of a few digests, and pairs that wait in files.
        for format in [family, "jsonl", "csv", "dfxml"] {
            hash(d, ["-a", family, "-f", format, "--include", "f??", "-o", "list", "."]).run().done();
            assert_eq_bytes(&compare(&["-j", "3", "-m", "400K", "--digests", "list"]), &expected);
        }
        if family != "tlsh" {
            // By definition, each is compared with each.
            let all = ["-a", family, "--threshold", "0", "-f", "csv", "--digests", "list"];
            let all = run(d, "compare", &all).done().to_vec();
            let all: Vec<u8> = all
                .split_inclusive(|&byte| byte == b'\n')
                .filter(|line| !line.ends_with(b",0\r\n"))
                .flatten()
                .copied()
                .collect();
            assert_eq_bytes(&all, &expected);
        }
    }
}

/// Many files of a large collection have one digest. Only printing all of their pairs takes time with the square.
#[test]
fn equal_digests_are_compared_once() {
    let directory = files();
    let d = directory.path();
    let copies = (0..3).flat_map(|number| ["a", "b", "c", "d"].map(|name| (name, format!("{number}{name}"))));
    let copies: Vec<(&str, String)> = copies.collect();
    for (name, copy) in &copies {
        fs::copy(d.join(name), d.join(copy)).unwrap();
    }
    let names: Vec<&str> = copies.iter().map(|(_, copy)| copy.as_str()).collect();
    let printed = |more: &[&str]| {
        let ended = run(d, "compare", &[more, &names[..]].concat());
        String::from_utf8(ended.done().to_vec()).unwrap()
    };
    for (family, threshold, same) in [("ssdeep", "1", "100"), ("tlsh", "300", "0")] {
        // The best matches are the same as those of all pairs.
        let options = ["-a", family, "--threshold", threshold, "-f", "csv"];
        let all = printed(&options);
        let mut rows = Vec::new();
        for line in all.lines().skip(1) {
            let [first, second, score] = line.split(',').collect::<Vec<_>>()[..] else { panic!("{line}") };
            let score: i64 = score.parse().unwrap();
            let rank = if family == "tlsh" { score } else { -score };
            rows.extend([(first, rank, second), (second, rank, first)]);
        }
        rows.sort_unstable();
        for (top, word) in [(1, "1"), (2, "2"), (20, "20")] {
            let best = rows.chunk_by(|one, other| one.0 == other.0).flat_map(|own| own.iter().take(top));
            let best = best.map(|(first, rank, second)| format!("{first},{second},{}\n", rank.abs()));
            let best: Vec<String> = best.collect();
            let found = printed(&[&options[..], &["--top", word]].concat());
            let (_, found) = found.split_once("\r\n").unwrap();
            assert_eq!(found.replace('\r', ""), best.concat(), "{family} {top}");
        }
        let clusters = ["a", "b", "c", "d"].map(|name| format!("** Cluster size 3\n0{name}\n1{name}\n2{name}\n\n"));
        assert_eq!(printed(&["-a", family, "--threshold", same, "--clusters"]), clusters.concat(), "{family}");
    }
    const COUNT: usize = 20_000;
    let good = "384:+3yTuMviVbAnF0GaJVaAnrXM4GAEUqcZ3qXB2mT00X5gpWg6TZI:yfMwJDrcl2Z3cFrU4TG";
    let header = "ssdeep,1.1--blocksize:hash:hash,filename\n".to_owned();
    let ssdeep = (0..COUNT).fold(header, |list, number| list + good + ",\"" + &number.to_string() + "\"\n");
    let zeros = format!("T1{}\t", "0".repeat(70));
    let tlsh = (0..COUNT).fold(String::new(), |list, number| list + &zeros + &number.to_string() + "\n");
    for list in [ssdeep, tlsh] {
        fs::write(d.join("list"), list).unwrap();
        for form in [&["--clusters"][..], &["--top", "1"]] {
            let ended = run(d, "compare", &[form, &["-f", "csv", "--digests", "list"]].concat());
            let lines = ended.done().iter().filter(|&&byte| byte == b'\n').count();
            assert_eq!(lines, COUNT + 1, "{form:?}");
        }
    }
}

#[test]
fn indexes_find_what_comparing_finds() {
    let directory = files();
    let d = directory.path();
    for (family, threshold) in [("ssdeep", "1"), ("tlsh", "300")] {
        let options = ["-a", family, "--threshold", threshold, "-f", "csv"];
        run(d, "compare", &[&["-a", family, "--build-index", "index"], &FILES[..]].concat()).done();
        let index = d.join("index");
        let lines = |more: &[&str]| -> Vec<String> {
            let ended = run(d, "compare", &[&options, more, &FILES].concat());
            String::from_utf8(ended.done().to_vec()).unwrap().lines().map(str::to_owned).collect()
        };
        let mut found = lines(&["--index", "index"]);
        // The index states its family.
        let own = run(d, "compare", &["--index", "index", "a", "--threshold", threshold]);
        assert_eq!(
            own.done(),
            run(d, "compare", &["-a", family, "--index", "index", "a", "--threshold", threshold]).done()
        );
        let against: Vec<&str> = FILES.iter().flat_map(|file| ["--against", file]).collect();
        let mut expected = lines(&against);
        found.sort();
        expected.sort();
        assert_eq!(found, expected);
        assert!(found.len() > 15);
        let bytes = fs::read(&index).unwrap();
        fs::write(&index, &bytes[..bytes.len() / 2]).unwrap();
        let ended = run(d, "compare", &["-a", family, "--index", "index", "a"]);
        assert!(ended.code() == 2 || ended.code() == 3, "{}", ended.code());
        fs::remove_file(&index).unwrap();
    }
}

#[test]
fn broken_lines_are_said_and_the_others_go_on() {
    let directory = scratch();
    let d = directory.path();
    let good = "384:+3yTuMviVbAnF0GaJVaAnrXM4GAEUqcZ3qXB2mT00X5gpWg6TZI:yfMwJDrcl2Z3cFrU4TG";
    let list = format!(
        "ssdeep,1.1--blocksize:hash:hash,filename\n{good},\"one\"\n99999999999999999999:a:b,\"two\"\n{good},\"three\n\
         {good},\"fo:ur\"\n"
    );
    fs::write(d.join("list"), &list).unwrap();
    let ended = run(d, "compare", &["--digests", "list"]);
    assert_eq!(ended.code(), 3);
    ended.printed(b"list:fo:ur matches list:one (100)\n");
    let messages: Vec<&str> = ended.said().lines().collect();
    assert_eq!(messages.len(), 2, "{messages:?}");
    assert!(
        messages[0].starts_with("pfh: `list`: line 3, byte ") && messages[0].contains("block size"),
        "{messages:?}"
    );
    assert!(messages[1].starts_with("pfh: `list`: line 4, byte ") && messages[1].contains("name"), "{messages:?}");
    assert_eq!(run(d, "compare", &["-q", "--digests", "list"]).expect(3, ""), b"list:fo:ur matches list:one (100)\n");
    // Truncated anywhere, an index is at worst an error.
    for length in (0..list.len()).step_by(7) {
        fs::write(d.join("short"), &list[..length]).unwrap();
        let code = run(d, "compare", &["--digests", "short"]).code();
        assert!([0, 2, 3].contains(&code), "{length}: {code}");
    }
    fs::write(d.join("other"), "nothing of the kind\n").unwrap();
    let said = "pfh: `other` is not a list of digests that pfh can read; --as names the format of one that is not \
                recognised\n";
    run(d, "compare", &["--digests", "other"]).expect(2, said);
    fs::write(d.join("sums"), "d41d8cd98f00b204e9800998ecf8427e  a\n").unwrap();
    run(d, "compare", &["--digests", "sums"]).expect(
        2,
        "pfh: `sums` begins with cryptographic digests; if it has similarity digests too, name their family with -a\n",
    );
    fs::write(d.join("tlsh"), format!("TNULL\tname\nT1{}\tother\n", "0".repeat(70))).unwrap();
    run(d, "compare", &["--digests", "tlsh"]).done();
    // Other digests in a list do not matter.
    fs::write(d.join("text"), noise(4, 5000)).unwrap();
    fs::copy(d.join("text"), d.join("same")).unwrap();
    hash(d, ["-a", "md5,tlsh,ssdeep", "-f", "jsonl", "-o", "both", "same", "text"]).run().done();
    assert_eq!(run(d, "compare", &["--digests", "both"]).done(), b"same\ttext\t0\n");
    let nothing = "pfh: `tlsh` has no digests of ssdeep; it has tlsh\n";
    assert_eq!(run(d, "compare", &["-a", "ssdeep", "--digests", "tlsh"]).expect(2, nothing), b"");
    // Of a file that only seems to be a list, the first lines are reported.
    fs::write(d.join("numbers"), (1000..3000).map(|number| format!("{number}\n")).collect::<String>()).unwrap();
    let ended = run(d, "compare", &["--digests", "numbers"]);
    assert_eq!((ended.code(), ended.stderr.lines().count()), (2, 102), "{}", ended.stderr);
    let last: Vec<&str> = ended.stderr.lines().skip(100).collect();
    assert_eq!(
        last,
        ["pfh: `numbers`: further lines that cannot be read are not reported", "pfh: `numbers` has no digests"]
    );
    run(d, "compare", &["--digests", "missing"]).expect(2, "pfh: `missing`: No such file or directory (os error 2)\n");
}

/// Lines of any length, at the beginning of a list and later, are read in bounded memory.
#[test]
fn endless_lines_take_no_memory() {
    let directory = scratch();
    let d = directory.path();
    let good = "384:+3yTuMviVbAnF0GaJVaAnrXM4GAEUqcZ3qXB2mT00X5gpWg6TZI:yfMwJDrcl2Z3cFrU4TG";
    let ssdeep = format!("ssdeep,1.1--blocksize:hash:hash,filename\n{good},\"one\"\n");
    let mut sdbf = Vec::new();
    let mut hasher = pfh_similarity::Hasher::new(pfh_similarity::Family::Sdhash);
    hasher.update(&noise(1, 9_000));
    sdbf.extend_from_slice(hasher.finish().unwrap().with_name(b"a").to_string().as_bytes());
    sdbf.push(b'\n');
    for (start, code) in [(ssdeep.as_bytes(), 3), (&sdbf, 3), (b"x:1:0:1:", 2)] {
        let list = d.join("list");
        let mut file = fs::File::create(&list).unwrap();
        std::io::Write::write_all(&mut file, start).unwrap();
        // A sparse gibibyte of NUL, without a line end.
        file.set_len(1 << 30).unwrap();
        drop(file);
        let ended = run(d, "compare", &["-m", "1M", "--digests", "list"]);
        assert_eq!(ended.code(), code, "{}", ended.stderr);
        assert!(ended.stderr.len() < 300, "{}", ended.stderr);
        // A line may have 64 MiB, in a buffer that grows by doubling.
        ended.kept_below(128 + 64);
    }
}

#[test]
fn what_cannot_be_compared_is_said() {
    let directory = files();
    let d = directory.path();
    fs::write(d.join("tiny"), "tiny").unwrap();
    let ended = run(d, "compare", &["-a", "tlsh", "a", "e", "tiny"]);
    assert_eq!(ended.expect(0, "pfh: 1 file is too small for tlsh, and not compared\n"), b"a\te\t0\n");
    let ended = run(d, "compare", &["a", "missing"]);
    assert!(ended.code() == 3 && ended.stderr.starts_with("pfh: `missing`: "), "{}", ended.stderr);
    run(d, "compare", &["--threshold", "101", "a"])
        .expect(2, "pfh: --threshold 101: scores of ssdeep are at most 100\n");
    hash(d, ["-a", "ssdeep", "-o", "list", "a", "b", "c", "d"]).run().done();
    run(d, "compare", &["-m", "1K", "--digests", "list"])
        .expect(2, "pfh: 3 digests take more than their share of the memory option; give a larger -m\n");
    let ended = run(d, "compare", &["-m", "1K", "a"]);
    assert!(ended.code() == 2 && ended.stderr.contains("1024 bytes of memory are too few"), "{}", ended.stderr);
    let least = ended.stderr.split_whitespace().find_map(|word| word.parse::<u64>().ok().filter(|&least| least > 1024));
    run(d, "compare", &["-m", &least.unwrap().to_string(), "a"]).done();
    // Its digest would not fit the memory. That is no reason to call it small.
    fs::write(d.join("long"), noise(9, 4 << 20)).unwrap();
    let ended = run(d, "compare", &["-j", "1", "-a", "sdhash", "-m", "1K", "a"]);
    let least = ended.stderr.split_whitespace().find_map(|word| word.parse::<u64>().ok().filter(|&least| least > 1024));
    let ended = run(d, "compare", &["-j", "1", "-a", "sdhash", "-m", &least.unwrap().to_string(), "a", "e", "long"]);
    let said = "pfh: 1 file is too long for sdhash, and not compared; give a larger -m\n";
    assert_eq!(ended.expect(3, said), b"a|e|100\n");
    assert_eq!(run(d, "compare", &["-o", "/dev/full", "a", "e"]).code(), 4);
    run(d, "compare", &["-a", "sdhash", "--build-index", "x", "a"])
        .expect(2, "pfh: only ssdeep and tlsh digests can be indexed\n");
    assert!(!d.join("x").exists());
    run(d, "compare", &["--index", "list", "a"]).expect(2, "pfh: `list`: this is no index of ssdeep digests\n");
    run(d, "compare", &["--build-index", "index", "a"]).done();
    run(d, "compare", &["--index", "index", "--threshold", "0", "a"])
        .expect(2, "pfh: --threshold 0 cannot be used with --index, which finds only scores of 1 or more\n");
    for wrong in
        [&["a", "--clusters", "--top", "3"][..], &["a", "--index", "i", "--against", "b"], &[], &["-a", "md5", "a"]]
    {
        assert_eq!(run(d, "compare", wrong).code(), 2, "{wrong:?}");
    }
}

/// Digests of different variants have the same form, and scores between them mean nothing.
#[test]
fn lists_of_another_variant_are_refused() {
    let directory = files();
    let d = directory.path();
    for (family, options, told, way) in [
        (
            "sdhash",
            &["--sdhash-profile", "4.0"][..],
            "`4.0`, which cannot be compared with those of 3.4",
            "`--sdhash-profile 4.0` compares its digests",
        ),
        (
            "mrsh-v2",
            &["--mrsh-network"],
            "`network`, which cannot be compared with those of normal",
            "`--mrsh-network` compares its digests",
        ),
    ] {
        let make = |options: &[&str]| {
            let fixed = ["-q", "-a", family, "-f", "jsonl", "-o", "list", "a", "e"];
            hash(d, fixed.iter().chain(options).copied()).run().done();
        };
        make(options);
        let refused = format!("pfh: `list` has {family} digests of the variant {told}; {way}\n");
        run(d, "compare", &["--digests", "list"]).expect(2, &refused);
        run(d, "compare", &["a", "--against-digests", "list"]).expect(2, &refused);
        run(d, "match", &["--known", "list", "a"]).expect(2, &refused);
        let accepted: Vec<&str> = ["--digests", "list"].iter().chain(options).copied().collect();
        assert!(!run(d, "compare", &accepted).done().is_empty());
        // A conversion keeps the variant.
        pfh(d, ["convert", "-q", "-f", "jsonl", "-o", "converted", "list"]).run().done();
        run(d, "compare", &["--digests", "converted"]).expect(2, &refused.replace("`list`", "`converted`"));
        make(&[]);
        assert!(!run(d, "compare", &["--digests", "list"]).done().is_empty());
        assert_eq!(run(d, "compare", &accepted).code(), 2);
    }
}

/// A file that could not be read could be similar to another. One that is too small has no digest by its contents.
#[test]
fn files_that_a_list_has_without_digest_are_counted() {
    let directory = files();
    let d = directory.path();
    fs::write(d.join("tiny"), "tiny").unwrap();
    let hashed = hash(d, ["-q", "-a", "tlsh", "-f", "jsonl", "-o", "list", "a", "e", "tiny", "/proc/self/mem"]).run();
    assert_eq!(hashed.code(), 3, "{}", hashed.stderr);
    let said = "pfh: `list`: 1 file is too small for tlsh, and not compared\n\
                pfh: `list`: 1 file without a digest by tlsh cannot be compared\n";
    assert_eq!(run(d, "compare", &["--digests", "list"]).expect(3, said), b"a\te\t0\n");
    assert_eq!(run(d, "compare", &["-q", "--digests", "list"]).expect(3, ""), b"a\te\t0\n");
    assert_eq!(run(d, "compare", &["a", "--against-digests", "list"]).code(), 3);
    assert_eq!(run(d, "match", &["--known", "list", "a"]).code(), 5);
    hash(d, ["-q", "-a", "tlsh", "-f", "jsonl", "-o", "list", "a", "e", "tiny"]).run().done();
    let said = said.lines().next().unwrap().to_owned() + "\n";
    assert_eq!(run(d, "compare", &["--digests", "list"]).expect(0, &said), b"a\te\t0\n");
    // A list of nothing else tells why, too.
    fs::write(d.join("zeros"), [0; 5000]).unwrap();
    hash(d, ["-q", "-a", "md5,tlsh", "-f", "jsonl", "-o", "none", "tiny", "zeros"]).run().done();
    let why = "pfh: `none` has no digests of tlsh: 1 file is too short, 1 file is too uniform; it has md5\n";
    run(d, "compare", &["-a", "tlsh", "--digests", "none"]).expect(2, why);
    // A list without its end may lack others.
    let list = fs::read_to_string(d.join("list")).unwrap();
    fs::write(d.join("list"), &list[..list.find("{\"type\":\"summary\"").unwrap()]).unwrap();
    let said = format!("pfh: `list`: its end is missing\n{said}");
    assert_eq!(run(d, "compare", &["--digests", "list"]).expect(3, &said), b"a\te\t0\n");
}

#[test]
fn progress_tells_how_much_is_compared() {
    let directory = scratch();
    let d = directory.path();
    fs::write(d.join("large"), noise(3, 20 << 20)).unwrap();
    hash(d, ["-a", "sdhash", "-o", "list", "large"]).run().done();
    // The work takes one thread seconds, and there is a line every fifth of a second.
    let lists = ["--digests", "list"].repeat(16);
    let ended = run(d, "compare", &[&["-j", "1", "--progress", "always"], &lists[..]].concat());
    assert_eq!(ended.code(), 0);
    assert!(
        ended.stderr.starts_with("pfh: 20")
            && ended.stderr.contains("Z 16 digests, ")
            && ended.stderr.contains(" % compared, 0:0"),
        "{}",
        ended.stderr
    );
    ended.printed("large|large|100\n".repeat(120).as_bytes());
}

#[test]
fn scores_become_a_picture() {
    let directory = files();
    let d = directory.path();
    run(d, "compare", &["--heatmap", "map.svg", "a", "b", "q\"u,o"]).done();
    let svg = fs::read_to_string(d.join("map.svg")).unwrap();
    assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"));
    // The key has six steps; the rest are cells.
    assert_eq!(svg.matches("<rect x=").count(), 6 + 9);
    assert!(svg.contains("<title>a – b: ") && svg.contains(">q\"u,o</text>"), "{svg}");
    fs::copy(d.join("a"), d.join("x\u{202e}")).unwrap();
    run(d, "compare", &["--heatmap", "odd.svg", "a", "x\u{202e}"]).done();
    let svg = fs::read_to_string(d.join("odd.svg")).unwrap();
    assert!(svg.contains("<title>a – x\\u{202e}: 100</title>") && !svg.contains('\u{202e}'), "{svg}");
    fs::create_dir(d.join("many")).unwrap();
    for number in 0..513 {
        fs::write(d.join(format!("many/{number}")), b"").unwrap();
    }
    // Reading all of it would take hours.
    File::create(d.join("z")).unwrap().set_len(1 << 40).unwrap();
    let ended = run(d, "compare", &["--heatmap", "too-many.svg", "many", "z"]);
    assert!(ended.code() == 2 && ended.stderr.contains("at most 512 files, and there are more"), "{}", ended.stderr);
    assert!(!d.join("too-many.svg").exists());
}

#[test]
fn an_interrupted_comparison_leaves_nothing() {
    let directory = scratch();
    let d = directory.path();
    fifo(&d.join("pipe"));
    let running = pfh(d, ["compare", "-o", "pairs", "pipe"]).start();
    running.wait_until_it_hangs();
    running.signal(rustix::process::Signal::INT);
    let ended = running.end();
    assert_eq!((ended.code(), ended.stderr.as_str()), (130, "pfh: interrupted\n"));
    assert_eq!(names(d), [Path::new("pipe")]);
}

#[test]
fn known_digests_are_found() {
    let directory = files();
    let d = directory.path();
    let bytes = fs::read(d.join("a")).unwrap();
    let hex = digest("md5", &bytes).to_string();
    let found = format!("a matches {hex}\ne matches {hex}\n");
    run(d, "match", &["--digest", &hex, "a", "b", "e"]).printed(found.as_bytes());
    assert_eq!(run(d, "match", &["--digest", &hex, "a"]).code(), 1);
    run(d, "match", &["-a", "md5", "--digest", &hex, "b", "d"]).done();
    assert_eq!(run(d, "match", &["--digest", &hex, "b", "missing"]).code(), 3);
    assert_eq!(run(d, "match", &["--digest", &hex, "a", "missing"]).code(), 5);
    let blake3 = digest("blake3", &bytes).to_string();
    assert_eq!(run(d, "match", &["-a", "blake3", "--digest", &blake3, "a"]).code(), 1);
    assert_eq!(run(d, "match", &["--digest", "12345", "a"]).code(), 2);
    // Every format of `pfh hash`, and bare hexadecimal digests.
    for format in ["gnu", "bsd", "hashdeep", "csv", "jsonl", "dfxml"] {
        hash(d, ["-a", "sha256", "-f", format, "-o", "known", "a", "d"]).run().done();
        let ended = run(d, "match", &["--known", "known", "b", "d", "e"]);
        assert_eq_bytes(ended.expect(1, ""), b"d matches known:d\ne matches known:a\n");
    }
    fs::write(d.join("plain"), format!("{hex}\n")).unwrap();
    assert_eq_bytes(
        run(d, "match", &["--known", "plain", "b", "e"]).expect(1, ""),
        format!("e matches plain:{hex}\n").as_bytes(),
    );
    // All digests of an entry count.
    let wrong = digest("sha1", b"something else");
    let hashdeep = format!("%%%% HASHDEEP-1.0\n%%%% size,md5,sha1,filename\n20000,{hex},{wrong},a\n");
    fs::write(d.join("forged"), hashdeep).unwrap();
    run(d, "match", &["--known", "forged", "a"]).done();
    hash(d, ["-a", "sha256", "-o", "own", "a", "b"]).run().done();
    hash(d, ["-a", "sha256", "-o", "known", "e"]).run().done();
    let ended = run(d, "match", &["--known", "known", "--digests", "own"]);
    assert_eq_bytes(ended.expect(1, ""), b"own:a matches known:e\n");
    let ended = run(d, "match", &["-f", "csv", "--known", "known", "a"]);
    assert_eq_bytes(ended.expect(1, ""), b"first,second,names\r\na,e,1\r\n");
}

#[test]
fn similar_ones_to_one_digest_are_found() {
    let directory = files();
    let d = directory.path();
    for family in pfh_similarity::Family::ALL {
        let mut hasher = pfh_similarity::Hasher::new(family);
        hasher.update(&fs::read(d.join("a")).unwrap());
        let digest = hasher.finish().unwrap().with_name(b"known").to_string();
        let ended = run(d, "match", &["--digest", &digest, "-f", "csv", "a", "d"]);
        assert_eq!((ended.code(), ended.stderr.as_str()), (1, ""), "{family}");
        assert_eq!(ended.stdout.split(|&byte| byte == b'\n').count(), 3, "{family}");
        assert_eq!(run(d, "match", &["--digest", &digest, "d"]).code(), 0, "{family}");
    }
}

#[test]
fn experiments_are_printed_as_csv() {
    let directory = files();
    let d = directory.path();
    let fast = ["--runs", "1", "--bytes", "20000"];
    let all = run(d, "frash", &fast);
    let text = String::from_utf8(all.done().to_vec()).unwrap();
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some(pfh_lab::report::frash::HEADER));
    let tests: std::collections::HashSet<&str> = lines.clone().map(|line| line.split(',').next().unwrap()).collect();
    assert_eq!(tests.len(), pfh_similarity::frash::Test::ALL.len());
    assert!(lines.all(|line| line.split(',').count() == 12));
    // With a tenth of `a` cut off at its end, both families still match, in the one run.
    let own = ["--tests", "fragment", "-a", "sdhash,tlsh", "-o", "own.csv", "a"];
    run(d, "frash", &[&fast, &own[..]].concat()).done();
    let text = fs::read_to_string(d.join("own.csv")).unwrap();
    assert!(
        text.contains("\r\nfragment,end,sdhash,10,1,1,") && text.contains("\r\nfragment,end,tlsh,10,1,1,"),
        "{text}"
    );
    // The laboratory makes a report of them, and never in their place.
    let pictures = ["--plots", "plots", "-o", "own.csv"];
    run(d, "frash", &[&fast[..], &pictures, &["--tests", "needle,noise"]].concat()).done();
    let picture = fs::read_to_string(d.join("plots/noise.svg")).unwrap();
    assert!(picture.contains("<title id=\"title\">Noise</title>") && picture.contains("prefers-color-scheme:dark"));
    assert!(d.join("plots/needle.svg").exists() && !d.join("plots/fragment.svg").exists());
    let ended = run(d, "lab", &["report", "own.csv", "-o", "own.html"]);
    assert!(String::from_utf8_lossy(ended.done()).starts_with("The most noise is borne by "));
    assert!(fs::read_to_string(d.join("own.html")).unwrap().contains("Most noise, of the length"));
    assert!(d.join("own.md").exists() && !d.join("own.jsonl").exists());
    assert_eq!(run(d, "lab", &["report", "own.csv", "-o", "own.csv"]).code(), 2);
    fs::write(d.join("damaged.csv"), format!("{}\r\nnoise,,tlsh,x,1\r\n", pfh_lab::report::frash::HEADER)).unwrap();
    let ended = run(d, "lab", &["report", "damaged.csv"]);
    assert!(ended.code() == 2 && ended.stderr.contains("damaged.csv"), "{}", ended.stderr);
    let ended = run(d, "frash", &[&fast, &own[..], &["missing"]].concat());
    assert!(ended.code() == 3 && ended.stderr.starts_with("pfh: `missing`: "), "{}", ended.stderr);
    // Contents that are larger than the memory together are refused before the first experiment.
    let bytes = fs::metadata(d.join("a")).unwrap().len();
    for (memory_bytes, code) in [(bytes, 0), (bytes - 1, 2)] {
        let memory_bytes = memory_bytes.to_string();
        let ended = run(d, "frash", &[&fast, &own[..], &["-m", &memory_bytes]].concat());
        assert_eq!((ended.code(), ended.stderr.contains("(--memory)")), (code, code == 2), "{}", ended.stderr);
    }
    for wrong in [["--tests", "nothing"], ["-a", "md5"], ["--runs", "0"], ["--bytes", "0"], ["--bytes", "1T"]] {
        assert_eq!(run(d, "frash", &wrong).code(), 2, "{wrong:?}");
    }
    assert_eq!(run(d, "frash", &[&fast[..], &["-o", "/dev/full"]].concat()).code(), 4);
}

/// Neither the table that an earlier run left nor the one that is being written is an input of the experiments.
#[test]
fn experiments_do_not_read_their_own_table() {
    let directory = scratch();
    let d = directory.path();
    fs::create_dir(d.join("documents")).unwrap();
    for (seed, name) in [(1, "a"), (2, "b")] {
        fs::write(d.join("documents").join(name), noise(seed, 5_000)).unwrap();
    }
    let table = || {
        run(d, "frash", &["--tests", "needle", "-a", "ssdeep", "-o", "documents/table.csv", "documents"]).done();
        fs::read_to_string(d.join("documents/table.csv")).unwrap()
    };
    let first = table();
    assert!(first.contains("\r\nneedle,front-cut,ssdeep,2,"), "{first}");
    assert_eq!(table(), first);
}
