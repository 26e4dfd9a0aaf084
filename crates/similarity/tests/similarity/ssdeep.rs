//! ssdeep against the vectors, against the program where it is installed, and by properties.

use std::collections::HashMap;
use std::path::Path;
use std::process::Command;
use std::{env, fs};

use pfh_similarity::ssdeep::list::{HEADER, Lines, Writer};
use pfh_similarity::ssdeep::{Comparer, Digest, Hasher, ManyHasher};
use pfh_vector::Backend;
use proptest::prelude::*;

use crate::inputs::{Random, random, records, text};
use crate::seeds::similarity::read;
use crate::skip::{Need, skipped};
use crate::vectors::{self, contents, inputs, pairs};

fn digest(bytes: &[u8]) -> Digest {
    let mut hasher = Hasher::new();
    hasher.update(bytes);
    hasher.finish().expect("short enough")
}

fn parse(text: &str) -> Digest {
    text.parse().unwrap_or_else(|error| panic!("{text}: {error}"))
}

#[test]
fn digests_agree_with_the_vectors() {
    for line in inputs() {
        assert_eq!(digest(contents(line)).to_string(), vectors::text(line, "ssdeep"), "{}", line["id"]);
    }
}

#[test]
fn scores_agree_with_the_vectors() {
    let digests: HashMap<&str, Digest> =
        inputs().map(|line| (vectors::text(line, "id"), parse(vectors::text(line, "ssdeep")))).collect();
    for line in pairs() {
        let (a, b) = (&digests[vectors::text(line, "a")], &digests[vectors::text(line, "b")]);
        assert_eq!(line["ssdeep"].as_u64(), Some(u64::from(a.compare(b))), "{} {}", line["a"], line["b"]);
        assert_eq!(a.compare(b), b.compare(a));
    }
}

/// Inputs of every kind, sizes around every block size edge among them.
fn assorted() -> Vec<Vec<u8>> {
    let mut all = Vec::new();
    for level in 0..12 {
        let edge: usize = (3 << level) * 64;
        for bytes in [edge - 1, edge, edge + 1, edge * 3 / 4] {
            let seed = (level * 10 + bytes) as u64;
            all.push(random(seed, bytes));
            all.push(text(seed, bytes));
            all.push(records(seed, bytes));
            all.push(random(seed, 100).into_iter().cycle().take(bytes).collect());
            let mut sparse = vec![0; bytes];
            sparse[bytes / 2..].copy_from_slice(&random(seed, bytes - bytes / 2));
            all.push(sparse);
        }
    }
    for bytes in 0..70 {
        all.push(random(7, bytes));
        all.push(vec![0; bytes]);
        all.push(vec![0xFF; bytes * 1000]);
        all.push((0..bytes * 50).map(|i| (i % (bytes + 1)) as u8).collect());
    }
    // Runs of one byte between noise, and periods that end pieces very often or nearly never.
    let mut odd = Random(99);
    for _ in 0..150 {
        let mut bytes = Vec::new();
        for _ in 0..odd.next() % 12 {
            let length = (odd.next() % 3000) as usize;
            match odd.next() % 4 {
                0 => bytes.extend(random(odd.next(), length)),
                1 => bytes.resize(bytes.len() + length, odd.next() as u8),
                2 => bytes
                    .extend(random(odd.next(), 1 + (odd.next() % 20) as usize).into_iter().cycle().take(8 * length)),
                _ => bytes.extend(text(odd.next(), length)),
            }
        }
        all.push(bytes);
    }
    all
}

/// With every backend, what the plain hasher says.
fn assert_many_agree(inputs: &[Vec<u8>]) {
    let slices: Vec<&[u8]> = inputs.iter().map(Vec::as_slice).collect();
    let expected: Vec<Digest> = inputs.iter().map(|bytes| digest(bytes)).collect();
    for backend in Backend::offered() {
        let found = ManyHasher::with_backend(backend).digest_many(&slices);
        assert_eq!(found.len(), expected.len());
        for ((input, found), expected) in inputs.iter().zip(found).zip(&expected) {
            assert_eq!(found.as_ref(), Ok(expected), "{backend:?}, {} bytes", input.len());
        }
    }
}

#[test]
fn many_at_once_agree_with_one_by_one() {
    assert_many_agree(&[]);
    assert_many_agree(&assorted());
    // Every length around the widths of the kernels, ends of zeros and ends of pieces at the very end among them.
    let bytes = random(5, 2500);
    assert_many_agree(&(0..2500).map(|length| bytes[2500 - length..].to_vec()).collect::<Vec<_>>());
    assert_many_agree(&(0..700).map(|length| bytes[..length].to_vec()).collect::<Vec<_>>());
    assert_many_agree(&(0..700).map(|length| [&bytes[..length], &[0; 9]].concat()).collect::<Vec<_>>());
    // One among many short ones that is cut into parts.
    let mut uneven: Vec<Vec<u8>> = (0..100).map(|seed| text(seed, 300)).collect();
    uneven.insert(40, random(6, 3_000_000));
    assert_many_agree(&uneven);
}

#[test]
fn a_hasher_of_many_can_be_used_again() {
    let inputs = assorted();
    let mut hasher = ManyHasher::new();
    for inputs in inputs.chunks(7) {
        let slices: Vec<&[u8]> = inputs.iter().map(Vec::as_slice).collect();
        let expected: Vec<_> = inputs.iter().map(|bytes| Ok(digest(bytes))).collect();
        assert_eq!(hasher.digest_many(&slices), expected);
    }
}

fn ssdeep(folder: &Path, arguments: &[&str]) -> String {
    let output = Command::new("ssdeep").args(arguments).current_dir(folder).output().expect("ssdeep runs");
    String::from_utf8(output.stdout).expect("names are ASCII")
}

#[test]
fn digests_lists_and_scores_agree_with_the_program() {
    if !Command::new("ssdeep").arg("-V").output().is_ok_and(|output| output.status.success()) {
        skipped(Need::Peers, "there is no ssdeep");
        return;
    }
    let folder = env::temp_dir().join(format!("pfh-ssdeep-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("a folder");
    let inputs = assorted();
    let mut ours = Writer::new(Vec::new()).expect("memory");
    let mut digests = Vec::new();
    let mut names = Vec::new();
    for (index, bytes) in inputs.iter().enumerate() {
        let name = format!("f{index:04}");
        fs::write(folder.join(&name), bytes).expect("written");
        digests.push(digest(bytes));
        ours.entry(&digests[index], name.as_bytes()).expect("memory");
        names.push(name);
    }
    let ours = String::from_utf8(ours.into_inner()).expect("ASCII");
    let mut arguments = vec!["-b"];
    arguments.extend(names.iter().map(String::as_str));
    for (theirs, ours) in ssdeep(&folder, &arguments).lines().zip(ours.lines()) {
        assert_eq!(theirs, ours);
    }
    // All scores above 0, as `-x` finds them among the digests of the list.
    fs::write(folder.join("list"), &ours).expect("written");
    let mut theirs: Vec<String> = ssdeep(&folder, &["-x", "-c", "list"]).lines().map(str::to_owned).collect();
    let mut found = Vec::new();
    for (a, left) in digests.iter().enumerate() {
        for (b, right) in digests.iter().enumerate() {
            let score = left.compare(right);
            if a != b && score > 0 {
                found.push(format!("\"{}\",\"{}\",{score}", names[a], names[b]));
            }
        }
    }
    theirs.retain(|line| !line.is_empty());
    theirs.sort();
    found.sort();
    fs::remove_dir_all(&folder).expect("removed");
    assert!(found.len() > 1000, "{} matches", found.len());
    assert_eq!(found, theirs);
}

#[test]
fn a_broken_digest_says_what_and_where() {
    let cases = [
        ("", "byte 0: block size is not followed by `:`"),
        ("3", "byte 1: block size is not followed by `:`"),
        (":a:b", "byte 0: block size is not a number that a block size can be"),
        ("03:a:b", "byte 0: block size is not a number that a block size can be"),
        ("-3:a:b", "byte 0: block size is not a number that a block size can be"),
        ("99999999999999999999999999:a:b", "byte 0: block size is not a number that a block size can be"),
        ("7:a:b", "byte 0: block size is not 3 times a power of two"),
        ("6442450944:a:b", "byte 0: block size is not 3 times a power of two"),
        ("3:a", "byte 3: first part is not followed by `:`"),
        ("3:a b:c", "byte 3: first part has a character that is not of the Base64 alphabet"),
        ("3:a:b:c", "byte 5: second part has a character that is not of the Base64 alphabet"),
    ];
    for (text, message) in cases {
        assert_eq!(text.parse::<Digest>().expect_err(text).to_string(), message, "{text}");
    }
    let long = format!("3:{}:", "a".repeat(65));
    assert_eq!(
        long.parse::<Digest>().expect_err("too long").to_string(),
        "byte 66: first part has more than 64 characters"
    );
    assert_eq!(parse("3221225472::").block_bytes(), 3 << 30);
}

#[test]
fn lists_go_on_after_a_broken_line() {
    let list =
        format!("{HEADER}\r\n3:a6/G:asG,\"a\\\"b\"\r\n3:x:x,b\n5::,\"c\"\n\n3::,\"d\n3:x:x,\"a\\\\\"\n6::,\"e\"");
    let mut good = Vec::new();
    let mut bad = Vec::new();
    for entry in read::<Lines>(list.as_bytes()) {
        match entry {
            Ok(entry) => good.push((entry.line, String::from_utf8(entry.name).expect("ASCII"))),
            Err(error) => bad.push(error),
        }
    }
    assert_eq!(good, [(2, "a\"b".to_owned()), (7, "a\\\\".to_owned()), (8, "e".to_owned())]);
    assert_eq!(
        bad,
        [
            "line 3: byte 6: name does not begin with a quote",
            "line 4: byte 0: block size is not 3 times a power of two",
            "line 6: byte 6: name does not end with a quote",
        ]
    );
}

#[test]
fn what_is_no_list_is_refused_at_once() {
    // A digest in the first line is a list without a header.
    for text in ["", "\n", "3:,\"a\"\n3::,\"a\"\n", "ssdeep,2.0--blocksize:hash:hash,filename\n3::,\"a\"\n"] {
        let items: Vec<_> =
            read::<Lines>(text.as_bytes()).into_iter().map(|item| item.map(|entry| entry.name)).collect();
        let [Err(error)] = &items[..] else { panic!("{text:?}: {items:?}") };
        assert!(error.starts_with("this is no ssdeep list: "), "{error}");
    }
}

/// Text of a digest as the original could have made it, or nearly.
fn digest_text() -> impl Strategy<Value = String> {
    (0..31_u32, "[A-D/+]{0,64}", "[A-D/+]{0,32}")
        .prop_map(|(k, first, second)| format!("{}:{first}:{second}", 3_u64 << k))
}

proptest! {
    #[test]
    fn pieces_give_what_one_shot_gives(
        seed in any::<u64>(),
        cuts in prop::collection::vec(0..400_usize, 0..40),
        kind in 0..3,
    ) {
        let bytes = match kind {
            0 => random(seed, 20_000),
            1 => text(seed, 20_000),
            _ => random(seed, 11).into_iter().cycle().take(20_000).collect(),
        };
        let mut hasher = Hasher::new();
        let mut rest = &bytes[..];
        for cut in cuts {
            let (piece, after) = rest.split_at(cut.min(rest.len()));
            hasher.update(piece);
            rest = after;
        }
        hasher.update(rest);
        prop_assert_eq!(hasher.finish().expect("short enough"), digest(&bytes));
    }

    #[test]
    fn many_give_what_each_gives(
        files in prop::collection::vec((any::<u64>(), 0..6000_usize, 1..40_usize, 0..4), 0..50),
    ) {
        let content = |&(seed, bytes, period, kind): &(u64, usize, usize, i32)| match kind {
            0 => random(seed, bytes),
            1 => text(seed, bytes),
            2 => random(seed, period).into_iter().cycle().take(bytes).collect(),
            // Ends with zeros, after which the rolling hash is zero.
            _ => [random(seed, bytes), vec![0; period]].concat(),
        };
        assert_many_agree(&files.iter().map(content).collect::<Vec<_>>());
    }

    #[test]
    fn what_is_printed_is_read_back(text in digest_text()) {
        prop_assert_eq!(parse(&text).to_string(), text);
    }

    #[test]
    fn scores_are_symmetric_and_at_most_100(a in digest_text(), b in digest_text()) {
        let (a, b) = (parse(&a), parse(&b));
        prop_assert_eq!(a.compare(&b), b.compare(&a));
        prop_assert!(a.compare(&b) <= 100);
        prop_assert_eq!(a.compare(&a), 100);
        prop_assert_eq!(Comparer::new(&a).compare(&b), a.compare(&b));
    }

    #[test]
    fn written_lists_are_read_back(entries in prop::collection::vec((digest_text(), "[ -~]{1,20}"), 0..20)) {
        let mut writer = Writer::new(Vec::new()).expect("memory");
        for (text, name) in &entries {
            writer.entry(&parse(text), name.as_bytes()).expect("memory");
        }
        let list = writer.into_inner();
        let read: Vec<_> = read::<Lines>(&list).into_iter().map(|entry| entry.expect("well-formed")).collect();
        let read: Vec<_> = read.iter().map(|entry| (entry.digest.to_string(), entry.name.clone())).collect();
        let expected: Vec<_> = entries.into_iter().map(|(text, name)| (text, name.into_bytes())).collect();
        prop_assert_eq!(read, expected);
    }

    #[test]
    fn any_bytes_are_a_list_or_an_error(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let list = [HEADER.as_bytes(), b"\n", &bytes].concat();
        prop_assert!(read::<Lines>(&list).len() <= 301);
    }
}

#[test]
fn a_name_with_a_line_feed_is_refused() {
    let mut writer = Writer::new(Vec::new()).expect("memory");
    writer.entry(&parse("3::"), b"a\nb").expect_err("not expressible");
    assert_eq!(writer.into_inner(), format!("{HEADER}\n").into_bytes());
}
