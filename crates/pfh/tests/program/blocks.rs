//! Sets of blocks, and fragments of files in images: against a plain program in Python, damage, exit statuses.

use std::fs;
use std::path::Path;

use pfh_testing::Random;
use rustix::process::Signal;
use serde_json::Value;
use tempfile::TempDir;

use crate::fixture::*;

/// Returns bytes of blocks of every kind, some of them from `common`.
fn file(random: &mut Random, common: &[Vec<u8>], bytes: usize) -> Vec<u8> {
    let mut file = Vec::new();
    while file.len() < bytes {
        let mut sector = random.bytes(512);
        match random.below(12) {
            0 => sector.fill(0),
            1 => sector[..480].fill(b' '),
            2 => sector.as_chunks_mut::<4>().0.iter_mut().zip(7_u32..).for_each(|(word, n)| *word = n.to_le_bytes()),
            3 => sector = common[random.below(common.len() as u64) as usize].repeat(1 + random.below(30) as usize),
            _ => {}
        }
        file.extend(sector);
    }
    file.truncate(bytes);
    file
}

/// Makes files in `files`, and images of parts of them: at sectors and between, whole, cut and scattered.
fn case(seed: u64, images: usize, image_bytes: usize) -> TempDir {
    let (directory, mut random) = (scratch(), Random::new(seed));
    let path = directory.path();
    fs::create_dir(path.join("files")).unwrap();
    let common: Vec<Vec<u8>> = (0..3).map(|_| random.bytes(4096)).collect();
    let mut files = Vec::new();
    for number in 0..8 {
        let bytes = random.below(60_000) as usize * usize::from(number != 3) + number;
        files.push(file(&mut random, &common, bytes));
        fs::write(path.join(format!("files/{number}")), &files[number]).unwrap();
    }
    fs::write(path.join("files/8"), &files[5]).unwrap();
    for image in 0..images {
        let mut bytes = Vec::new();
        while bytes.len() < image_bytes {
            let file = &files[random.below(8) as usize];
            let start = match random.below(3) {
                0 => 0,
                1 => random.below(file.len() as u64 / 512 + 1) as usize * 512,
                _ => random.below(file.len() as u64 + 1) as usize,
            };
            let end = start + random.below((file.len() - start) as u64 + 1) as usize;
            bytes.extend_from_slice(&file[start..end]);
            match random.below(4) {
                0 => bytes.extend(vec![0; random.below(20_000) as usize]),
                1 => bytes.extend(random.bytes(3000)),
                2 => {}
                _ => bytes.resize(bytes.len().next_multiple_of(4096), 0xff),
            }
            bytes.resize(bytes.len().next_multiple_of(if random.below(5) == 0 { 1 } else { 512 }), 0);
        }
        fs::write(path.join(format!("image{image}")), bytes).unwrap();
    }
    directory
}

fn lines(text: &[u8]) -> Vec<Value> {
    let mut lines: Vec<Value> =
        str::from_utf8(text).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    lines.retain(|line| line["type"] != "header");
    for line in &mut lines {
        let line = line.as_object_mut().unwrap();
        ["check", "set", "source", "release"].iter().for_each(|key| drop(line.remove(*key)));
    }
    lines
}

/// Runs, counts, shares and their order are those of the plain program, for every length, step, number of threads and
/// memory.
#[test]
fn fragments_are_those_of_a_plain_program() {
    let mut fragments = 0;
    for (seed, algorithm, block, step) in [
        (1, "sha256", "4096", "512"),
        (2, "md5", "4096", "4096"),
        (3, "sha1", "512", "512"),
        (4, "md5", "1536", "512"),
        (5, "blake3", "8192", "2048"),
    ] {
        let directory = case(seed, 2, 200_000);
        let d = directory.path();
        let judge = include_str!("blocks.py");
        // Python's library has no BLAKE3.
        let plain = if algorithm == "blake3" { "sha256" } else { algorithm };
        let arguments = ["-c", judge, plain, block, step, "files", "image0", "image1"];
        let Some(judged) = peer("python3", d, arguments) else { return };
        assert!(judged.status.success(), "{}", String::from_utf8_lossy(&judged.stderr));
        let expected = lines(&judged.stdout);
        pfh(d, ["known", "build", "-q", "-a", algorithm, "--blocks", block, "set", "files"]).run().expect(0, "");
        fragments += expected.iter().filter(|line| line["type"] == "fragment").count();
        for more in [&[][..], &["-j", "7", "-m", "16M"]] {
            let find = ["match", "--quiet", "--blocks", block, "--step", step, "--known", "set", "-f", "jsonl"];
            let images = ["image0", "image1"];
            let ended = pfh(d, [&find, more, &images[..]].concat()).run();
            let found = lines(ended.expect(i32::from(expected.len() > 1), ""));
            assert_eq!(found.len(), expected.len(), "{seed} {more:?}");
            for (found, expected) in found.iter().zip(&expected) {
                assert_eq!(found, expected, "{seed} {more:?}");
            }
        }
    }
    assert!(fragments > 100, "{fragments}");
}

/// The set depends on the files alone, and tells what was left out.
#[test]
fn a_set_depends_on_its_files() {
    let directory = case(7, 0, 0);
    let d = directory.path();
    let build = |set: &str, more: &[&str]| {
        pfh(d, [&["known", "build", "--blocks", "512", set, "files"], more].concat()).run().expect(0, "").to_vec()
    };
    build("one", &["--quiet"]);
    build("two", &["--quiet", "-m", "16M"]);
    assert!(fs::read(d.join("one")).unwrap() == fs::read(d.join("two")).unwrap());
    let info = pfh(d, ["known", "info", "--verify", "--json", "one"]).run();
    let info: Value = serde_json::from_slice(info.done()).unwrap();
    let (about, blocks) = (&info["about"], &info["about"]["blocks"]);
    let number = |value: &Value| value.as_u64().unwrap();
    assert_eq!(about["block_bytes"], 512);
    assert_eq!(
        number(&blocks["blocks"]),
        number(&about["rows"]) + number(&blocks["constant"]) + number(&blocks["nonprobative"])
    );
    let whole: u64 = (0..9).map(|n| fs::metadata(d.join(format!("files/{n}"))).unwrap().len() / 512).sum();
    assert_eq!(number(&blocks["blocks"]), whole);
    assert!(number(&blocks["places_left_out"]) > 0 && number(&blocks["short_files"]) > 0);
}

fn small() -> TempDir {
    let directory = scratch();
    let d = directory.path();
    fs::create_dir(d.join("files")).unwrap();
    let file = Random::new(1).bytes(9000);
    fs::write(d.join("files/a"), &file).unwrap();
    fs::write(d.join("image"), [vec![0; 4096], file, vec![0; 8192]].concat()).unwrap();
    fs::write(d.join("empty"), vec![0; 8192]).unwrap();
    pfh(d, ["known", "build", "-q", "--class", "bad", "--blocks", "4096", "set", "files"]).run().expect(0, "");
    directory
}

fn find(directory: &Path, arguments: &[&str]) -> Ended {
    pfh(directory, [&["match", "--blocks", "4096", "--known"], arguments].concat()).run()
}

#[test]
fn statuses_say_what_was_found() {
    let directory = small();
    let d = directory.path();
    let counts = "pfh: images: 1, blocks: 34, constant: 9, nonprobative: 11, found: 2, unknown: 12\n";
    let text = "fragment  known-bad    image  4096+8192  files/a  0+8192  (2 of 2 blocks, 100.0 %)\n\
                file      known-bad    files/a  (2 of 2 blocks, 100.0 %)\n";
    assert_eq!(find(d, &["set", "image"]).expect(1, counts), text.as_bytes());
    find(d, &["set", "-q", "empty"]).expect(0, "");
    find(d, &["set", "-q", "--fail-on", "none", "image"]).expect(0, "");
    find(d, &["good=set", "-q", "--fail-on", "bad,other", "image"]).expect(0, "");
    find(d, &["good=set", "-q", "--fail-on", "good", "image"]).expect(1, "");
    assert_eq!(find(d, &["set", "-q", "image", "gone"]).expect(5, ""), text.as_bytes());
    find(d, &["set", "-q", "empty", "gone"]).expect(3, "");
    // An image through a pipe, and two images.
    let piped =
        pfh(d, ["match", "-q", "--blocks", "4096", "--known", "set", "-"]).input(fs::read(d.join("image")).unwrap());
    assert_eq!(piped.run().expect(1, ""), text.replace("image", "-").as_bytes());
    find(d, &["set", "-q", "empty", "image", "-o", "out"]).expect(1, "");
    assert_eq!(fs::read_to_string(d.join("out")).unwrap(), text);
    find(d, &["set", "-q", "image", "-o", "/dev/full"])
        .expect(4, "pfh: the output could not be written: No space left on device (os error 28)\n");
}

#[test]
fn wrong_sets_and_options_are_refused() {
    let directory = small();
    let d = directory.path();
    fs::write(d.join("list"), format!("{}  x\n", digest("md5", b"x"))).unwrap();
    pfh(d, ["known", "build", "-q", "whole", "list"]).run().expect(0, "");
    let refused = |arguments: &[&str], said: &str| {
        let ended = pfh(d, arguments).run();
        assert_eq!((ended.code(), ended.stderr.as_str()), (2, format!("pfh: {said}\n").as_str()), "{arguments:?}");
        assert!(ended.stdout.is_empty());
    };
    let of_blocks = "`set` is a set of blocks of 4096 bytes: it knows no whole files, and cannot be joined, exported or \
                     asked about digests; `pfh match --blocks 4096` finds fragments with it, and `pfh known build \
                     --blocks 4096` makes one set of the files of several";
    refused(&["match", "--known", "set", "image"], of_blocks);
    refused(&["match", "--known", "bad=set", "image"], of_blocks);
    refused(&["known", "lookup", "set", "00"], of_blocks);
    refused(&["known", "export", "set"], of_blocks);
    refused(&["known", "build", "new", "set"], of_blocks);
    refused(&["known", "build", "new", "whole", "set"], of_blocks);
    refused(&["known", "build", "new", "--except", "set", "list"], of_blocks);
    for set in ["set", "whole"] {
        let said = format!("`{set}` is a known set, and sets of blocks are made of the files themselves");
        refused(&["known", "build", "new", "--blocks", "4096", "image", set], &said);
    }
    refused(
        &["match", "--blocks", "4096", "--known", "whole", "image"],
        "`whole` is a set of whole files; `pfh known build --blocks` makes one of blocks",
    );
    refused(
        &["match", "--blocks", "512", "--known", "set", "image"],
        "`set` is a set of blocks of 4096 bytes: `--blocks 4096`",
    );
    refused(
        &["match", "--blocks", "4096", "--known", "list", "image"],
        "`list`: this is not a known set, which `pfh known build` makes",
    );
    let step = "--blocks 4096: the step is a multiple of 512 bytes, of which the length of blocks is a multiple";
    refused(&["match", "--blocks", "4096", "--step", "1000", "--known", "set", "image"], step);
    refused(&["match", "--blocks", "4096", "--step", "0", "--known", "set", "image"], step);
    refused(
        &["known", "build", "--blocks", "4000", "new", "files"],
        "--blocks 4000: a block has 512 bytes to 16 MiB, in whole sectors of 512",
    );
    refused(
        &["known", "build", "-a", "md5,sha1", "--blocks", "4096", "new", "files"],
        "a set of blocks has digests by one algorithm",
    );
    refused(
        &["match", "-a", "md5", "--blocks", "4096", "--known", "set", "image"],
        "the set has digests by sha256; leave out -a",
    );
    refused(
        &["match", "--sample", "3", "--blocks", "4096", "--known", "set", "image"],
        "--sample is for sdhash, and the digests are cryptographic",
    );
    refused(
        &["match", "--blocks", "4096", "--known", "set", "--known", "set", "image"],
        "--blocks takes one set with --known; `pfh known build --blocks` makes one of the files of several",
    );
    refused(
        &["match", "--blocks", "4096", "--known", "set", "-f", "sdhash", "image"],
        "--format: with --blocks, use csv or jsonl",
    );
    refused(
        &["known", "build", "-q", "--blocks", "4096", "new", "empty"],
        "no file has a block of 4,096 bytes that can be looked for",
    );
    assert!(!d.join("new").exists());
}

#[test]
fn a_set_lacks_files_only_if_that_is_wanted() {
    let directory = small();
    let d = directory.path();
    let build = |more: &[&str]| {
        let words = ["known", "build", "-q", "--blocks", "4096", "new", "files", "gone"];
        pfh(d, [&words[..], more].concat()).run()
    };
    build(&[]).expect(3, "pfh: no set is made, because files could not be read: 1; --keep-going leaves them out\n");
    assert!(!d.join("new").exists());
    build(&["--keep-going"]).expect(3, "");
    find(d, &["new", "-q", "image"]).expect(1, "");
    let info = |set: &str| {
        let info = pfh(d, ["known", "info", "--json", set]).run();
        serde_json::from_slice::<Value>(info.expect(0, "")).unwrap()["about"]["sources"][0].clone()
    };
    let refused = |set: &str| info(set)["refused"].as_u64();
    assert_eq!(refused("new"), Some(1));
    assert_eq!(refused("set").unwrap_or(0), 0);
}

/// A set that is cut off or changed at its end is refused; other damage never ends in a panic.
#[test]
fn a_damaged_set_is_refused() {
    let directory = small();
    let d = directory.path();
    let set = fs::read(d.join("set")).unwrap();
    fs::write(d.join("cut"), &set[..set.len() - 1]).unwrap();
    let ended = find(d, &["cut", "image"]);
    assert_eq!((ended.code(), &ended.stdout[..]), (2, &b""[..]));
    let mut damaged = set.clone();
    let end = damaged.len() - 100;
    damaged[end] ^= 1;
    fs::write(d.join("damaged"), &damaged).unwrap();
    let ended = find(d, &["damaged", "image"]);
    assert_eq!(ended.stderr, "pfh: `damaged`: the end of the set is damaged; build or copy it again\n");
}

/// An interrupted run ends at once, and leaves nothing.
#[test]
fn a_signal_ends_the_run() {
    let directory = small();
    let d = directory.path();
    let huge = fs::File::create(d.join("huge")).unwrap();
    huge.set_len(1 << 40).unwrap();
    let running = pfh(d, ["match", "--blocks", "4096", "--known", "set", "-o", "out", "image", "huge"]).start();
    running.wait_until_it_reads(&d.join("huge"));
    running.signal(Signal::INT);
    running.end().expect(130, "pfh: interrupted\n");
    let running = pfh(d, ["known", "build", "--blocks", "4096", "new", "huge"]).start();
    running.wait_until_it_reads(&d.join("huge"));
    running.signal(Signal::TERM);
    running.end().expect(130, "pfh: interrupted\n");
    assert!(!d.join("new").exists() && !d.join("out").exists());
}

/// Neither the length of files and images nor the number of fragments costs memory.
#[test]
fn memory_is_bounded() {
    let (directory, mut random) = (scratch(), Random::new(4));
    let d = directory.path();
    fs::create_dir(d.join("files")).unwrap();
    // Blocks in no order: every block is a fragment.
    let mut blocks: Vec<Vec<u8>> = (0..100_000).map(|_| random.bytes(512)).collect();
    fs::write(d.join("files/a"), blocks.concat()).unwrap();
    blocks.sort_unstable();
    fs::write(d.join("image"), blocks.concat()).unwrap();
    let built = pfh(d, ["known", "build", "-q", "-a", "md5", "--blocks", "512", "-m", "8M", "set", "files"]).run();
    built.expect(0, "");
    built.kept_below(8);
    let find = ["match", "-q", "--blocks", "512", "--known", "set", "-m", "8M", "-j", "4", "image"];
    let found = pfh(d, find).run();
    let lines = str::from_utf8(found.expect(1, "")).unwrap().lines().count();
    assert_eq!(lines, 100_001);
    found.kept_below(8);
}
