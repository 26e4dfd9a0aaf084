//! Facts about contents (`--facts`): against Python's own computation, in lists, messages and journals.

use std::fs;
use std::path::Path;

use serde_json::Value;
use tempfile::TempDir;

use crate::fixture::*;

/// Computes the facts about each file as the documentation describes them: in the order of arguments, a JSON object
/// with the entropy of the sample and that of all bytes.
const PYTHON: &str = r#"
import collections, itertools, json, math, sys
def entropy(data, is_counted):
    whole, lines = collections.Counter(data[:4096]), collections.Counter()
    for offset in range(4096, len(data)):
        if is_counted(offset):
            lines[data[offset]] += 1
    n, counted = len(data), sum(lines.values())
    if n == 0:
        return 0.0, 0
    scale = (n - min(n, 4096)) / counted if counted else 0.0
    bits = 0.0
    for byte in set(whole) | set(lines):
        weight = whole[byte] + scale * lines[byte]
        bits -= weight / n * math.log2(weight / n)
        variance = scale * (scale - 1) * lines[byte] * (1 - lines[byte] / counted) if counted else 0
        bits += variance / weight / (2 * math.log(2) * n)
    return bits, min(n, 4096) + counted
def is_in_sample(offset):
    group, line = (offset - 4096) // 1024, (offset - 4096) % 1024 // 32
    return line == group * 0x9E3779B97F4A7C15 % 2**64 >> 59
for name in sys.argv[1:]:
    data = open(name, 'rb').read()
    best, offset = None, 0
    for byte, run in itertools.groupby(data):
        length = len(list(run))
        if best is None or length > best[2]:
            best = (byte, offset, length)
        offset += length
    zero = sum(not any(data[at:at + 512]) for at in range(0, len(data), 512))
    facts = {'all_zero': len(data) > 0 and not any(data), 'zero_sectors': zero, 'sectors': -(-len(data) // 512)}
    if best:
        facts['longest_run'] = dict(zip(('byte', 'offset', 'bytes'), best))
    print(json.dumps([facts, entropy(data, is_in_sample), entropy(data, lambda offset: True)]))
"#;

const NAMES: [&str; 8] = ["empty", "image", "letter", "noise", "ones", "text", "twice", "zeros"];

fn files() -> TempDir {
    let directory = scratch();
    let write = |name: &str, bytes: &[u8]| fs::write(directory.path().join(name), bytes).unwrap();
    let mut image = contents(1, 700_000);
    image[100_000..430_000].fill(0);
    image[500_001..500_900].fill(0);
    write("empty", b"");
    write("image", &image);
    write("letter", b"x");
    write("noise", &contents(2, 30_000));
    write("ones", &[0xFF; 5000]);
    write("text", "    let x = 1;\n\n\n        y();\n".repeat(900).as_bytes());
    write("twice", &[&[7; 300][..], b"-", &[8; 300]].concat());
    write("zeros", &[0; 300_000]);
    directory
}

/// The lines of the files in JSON Lines.
fn records(printed: &[u8]) -> Vec<Value> {
    let lines = str::from_utf8(printed).unwrap().lines();
    let lines: Vec<Value> = lines.map(|line| serde_json::from_str(line).unwrap()).collect();
    lines.into_iter().filter(|line| line["type"] == "file").collect()
}

const SAID: &str = "pfh: `ones`: all of its bytes are 0xff\npfh: `zeros`: all of its bytes are zero\n\
                    pfh: totals: 8 files complete, 2 of one repeated byte\n";

/// Checks the exit status and all messages, totals too; returns standard output.
#[track_caller]
fn told<'e>(ended: &'e Ended, code: i32, stderr: &str) -> &'e [u8] {
    assert_eq!((ended.code(), &*ended.stderr), (code, stderr));
    &ended.stdout
}

#[test]
fn facts_are_those_that_python_finds() {
    let directory = files();
    let t = directory.path();
    let sampled = records(told(&hash(t, [&["--facts"][..], &NAMES].concat()).run(), 0, SAID));
    let exact = records(told(&hash(t, [&["--facts=exact", "-a", "none"][..], &NAMES].concat()).run(), 0, SAID));
    let Some(output) = peer("python3", t, [&["-c", PYTHON][..], &NAMES].concat()) else { return };
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let expected: Vec<Value> =
        str::from_utf8(&output.stdout).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(expected.len(), NAMES.len());
    for (place, name) in NAMES.iter().enumerate() {
        for (record, entropy) in [(&sampled[place], &expected[place][1]), (&exact[place], &expected[place][2])] {
            let mut facts = record["facts"].clone();
            let facts = facts.as_object_mut().unwrap();
            let bits = facts.remove("entropy").unwrap().as_f64().unwrap();
            let distance = (bits - entropy[0].as_f64().unwrap().min(8.0)).abs();
            assert!(distance < 1.5e-6, "{name}: {bits}, {entropy}");
            assert_eq!(facts.remove("entropy_bytes").unwrap(), entropy[1], "{name}");
            assert_eq!(Value::from(facts.clone()), expected[place][0], "{name}");
        }
    }
}

#[test]
fn lists_are_the_same_in_every_mode_and_with_every_backend() {
    let directory = files();
    let t = directory.path();
    let list = |arguments: &[&str]| {
        let arguments = [&["--facts", "-f", "csv", "-q", "-a", "blake3,sha256,crc32"][..], arguments, &NAMES].concat();
        let ended = hash(t, arguments).run();
        told(&ended, 0, "pfh: totals: 8 files complete, 2 of one repeated byte\n").to_vec()
    };
    let expected = list(&[]);
    let header = "path,size,mtime,outcome,error,blake3,sha256,crc32,all_zero,longest_run_byte,longest_run_offset,\
                  longest_run_bytes,zero_sectors,entropy,entropy_bytes\r\n";
    assert!(expected.starts_with(header.as_bytes()));
    for arguments in [
        &["--mode", "mtp", "-t", "3"][..],
        &["--mode", "smt", "-t", "1"],
        &["-t", "1"],
        &["--io", "direct", "-t", "2"],
        &["--memory", "4M", "-t", "2"],
    ] {
        assert_eq_bytes(&list(arguments), &expected);
    }
    for backend in pfh::digest::lanes::Backend::offered() {
        assert_eq_bytes(&list(&["--backend", backend.name()]), &expected);
    }
}

#[test]
fn messages_and_exit_statuses() {
    let directory = files();
    let t = directory.path();
    // Formats without a place for facts still report files of one byte.
    let lines = fs::read(t.join("zeros")).map(|zeros| line(&zeros, "zeros")).unwrap();
    let said = "pfh: `zeros`: all of its bytes are zero\npfh: totals: 1 file complete, 1 of one repeated byte\n";
    assert_eq_bytes(told(&hash(t, ["--facts", "-f", "gnu", "zeros"]).run(), 0, said), lines.as_bytes());
    let totals = "pfh: totals: 1 file complete, 1 of one repeated byte\n";
    assert_eq_bytes(told(&hash(t, ["--facts", "-q", "-f", "gnu", "zeros"]).run(), 0, totals), lines.as_bytes());
    // Without the option nothing is reported, nor are one byte or none.
    assert_eq_bytes(hash(t, ["zeros"]).run().done(), lines.as_bytes());
    told(&hash(t, ["--facts", "letter", "empty", "twice"]).run(), 0, "");
    let ended = hash(t, ["--facts", "-q", "zeros", "gone"]).run();
    told(&ended, 3, "pfh: totals: 1 file complete, 1 unreadable, 1 of one repeated byte\n");
    assert_eq!(hash(t, ["--facts=guessed", "zeros"]).run().code(), 2);
    // A stream, and pieces, which have no facts of their own.
    let ended = hash(t, ["--facts", "--piecewise", "1K", "-"]).input(vec![0; 4097]).run();
    let said = "pfh: `-`: all of its bytes are zero\npfh: totals: 1 file complete, 1 of one repeated byte\n";
    let found = records(told(&ended, 0, said));
    assert_eq!(found[0]["facts"]["longest_run"]["bytes"], 4097);
    assert_eq!(found[0]["pieces"].as_array().unwrap().len(), 5);
    assert!(found[0]["pieces"][0].get("facts").is_none());
}

#[test]
fn a_journal_goes_on_with_the_same_facts() {
    let directory = files();
    let t = directory.path();
    let journal = |arguments: &[&str]| hash(t, [&["-q", "-o", "list", "--resume"][..], arguments].concat()).run();
    journal(&["--facts", "image", "noise"]).expect(0, "");
    let begun = fs::read_to_string(t.join("list")).unwrap();
    for (other, code) in [(&["image"][..], 2), (&["--facts=exact", "image"], 2), (&["--facts", "image", "text"], 0)] {
        let ended = journal(other);
        assert_eq!(ended.code(), code, "{other:?}: {}", ended.said());
        if code == 2 {
            assert!(
                ended.said().contains("was begun with `-a sha256 --facts`: continue with the same"),
                "{}",
                ended.said()
            );
        }
    }
    let whole = fs::read(t.join("list")).unwrap();
    assert!(whole.starts_with(begun.lines().next().unwrap().as_bytes()));
    let mut found = records(&whole);
    // A journal is written as files finish.
    found.sort_by_key(|record| record["path"].to_string());
    assert_eq!(found.len(), 3);
    let alone = records(hash(t, ["--facts", "image", "noise", "text"]).run().done());
    for (record, expected) in found.iter().zip(&alone) {
        assert_eq!((&record["path"], &record["facts"]), (&expected["path"], &expected["facts"]));
    }
    // A line without its facts is damaged, and its file is hashed again.
    let damaged = String::from_utf8(whole).unwrap();
    let line = damaged.lines().find(|line| line.contains("\"path\":\"noise\"")).unwrap();
    let (start, rest) = line.split_once(",\"facts\":{").unwrap();
    let rest = rest.split_once("},\"outcome\"").unwrap().1;
    fs::write(t.join("list"), damaged.replace(line, &format!("{start},\"outcome\"{rest}"))).unwrap();
    assert_eq!(journal(&["--facts", "image", "noise", "text"]).code(), 3);
    assert!(records(&fs::read(t.join("list")).unwrap()).iter().all(|record| record.get("facts").is_some()));
    // DFXML and CSV are lists, too, which other commands read.
    for format in ["csv", "dfxml", "jsonl"] {
        hash(t, ["--facts", "-f", format, "-o", "known", "image", "noise"]).run().done();
        assert_matches(t, "known");
    }
}

fn assert_matches(directory: &Path, list: &str) {
    let ended = pfh(directory, ["match", "--known", list, "image", "noise", "text"]).run();
    let printed = str::from_utf8(ended.expect(1, "")).unwrap();
    assert_eq!(printed.lines().count(), 2, "{printed}");
}
