//! The output is the same for every mode, number of threads, order, method of reading and memory size.

use std::fs;

use tempfile::TempDir;

use crate::fixture::*;

const MIB: usize = 1 << 20;

/// Makes some hundred small files with lengths around blocks and pages, and a few that exceed small tables.
fn tree() -> (TempDir, Vec<(String, Vec<u8>)>) {
    let directory = scratch();
    let mut files = Vec::new();
    for outer in 0..6 {
        let d = format!("t/{outer}");
        fs::create_dir_all(directory.path().join(&d)).unwrap();
        for inner in 0..40 {
            let length = [0, 1, 63, 64, 65, 1000, 4095, 4096, 4097, 16_384, 70_000, 131_072][(outer + inner) % 12];
            files.push((format!("{d}/{inner:02}"), contents(outer * 40 + inner, length)));
        }
    }
    for (name, length) in [("1/05-large", 3 * MIB), ("3/20-larger", 9 * MIB + 1), ("largest", 20 * MIB - 513)] {
        files.push((format!("t/{name}"), contents(length, length)));
    }
    for (name, message) in &files {
        fs::write(directory.path().join(name), message).unwrap();
    }
    // The order of the walk: by path, component by component.
    files.sort_by(|(left, _), (right, _)| left.split('/').cmp(right.split('/')));
    (directory, files)
}

/// Returns the expected output for a set of algorithms.
fn expected(files: &[(String, Vec<u8>)], set: &str) -> String {
    let names: Vec<&str> = set.split(',').filter(|name| *name != "none").collect();
    let line = |(path, message): &(String, Vec<u8>)| match &names[..] {
        [] => String::new(),
        [name] => format!("{}  {path}\n", digest(name, message)),
        several => several
            .iter()
            .map(|name| format!("{} ({path}) = {}\n", name.to_uppercase(), digest(name, message)))
            .collect(),
    };
    files.iter().map(line).collect()
}

const SETS: [&str; 5] = ["md5", "md5,sha256", "blake3", "sha3-256", "none"];

#[test]
fn one_output() {
    let (directory, files) = tree();
    let expected = SETS.map(|set| expected(&files, set));
    let mut checked = 0;
    let mut check = |set: usize, options: &[&str]| {
        let ended = hash(directory.path(), [&["-a", SETS[set]], options, &["t"]].concat()).run();
        assert_eq!((ended.code(), ended.stderr.as_str()), (0, ""), "{options:?} {}", SETS[set]);
        assert!(ended.stdout == expected[set].as_bytes(), "{options:?} {}", SETS[set]);
        checked += 1;
    };
    // Every mode is combined with every number of threads and every set; the other options rotate.
    let orders = ["auto", "path", "inode", "physical", "size"];
    let methods = ["buffered", "drop", "direct"];
    let memories = ["2M", "5M", "32M", "256M"];
    let mut turn = 0;
    for mode in ["adaptive", "mtp", "smt"] {
        for threads in ["1", "2", "4"] {
            for set in 0..SETS.len() {
                let (order, method, memory) = (orders[turn % 5], methods[turn % 3], memories[turn % 4]);
                check(set, &["--mode", mode, "-t", threads, "--order", order, "--io", method, "-m", memory]);
                turn += 1;
            }
        }
    }
    for order in orders {
        for method in methods {
            check(1, &["-t", "2", "--order", order, "--io", method, "-m", "3M"]);
        }
    }
    for memory in memories {
        check(1, &["-t", "2", "-m", memory]);
        check(2, &["-t", "2", "--mode", "mtp", "-m", memory, "--balance"]);
        check(0, &["-t", "2", "--mode", "smt", "-m", memory]);
    }
    for prefetchers in ["1", "2", "3"] {
        check(1, &["-t", "4", "--mode", "mtp", "-p", prefetchers, "-m", "8M"]);
        check(3, &["-t", "2", "--io", "direct", "-p", prefetchers, "-m", "8M"]);
    }
    for medium in ["rotating", "solid-state", "network", "memory"] {
        check(1, &["-t", "2", "--medium", medium]);
    }
    assert!(checked > 80, "{checked}");
}

/// Without the order, the lines are the same.
#[test]
fn unordered() {
    let (directory, files) = tree();
    let mut expected: Vec<String> = expected(&files, "md5").lines().map(str::to_owned).collect();
    expected.sort();
    for mode in ["adaptive", "mtp", "smt"] {
        let ended = hash(directory.path(), ["-a", "md5", "--unordered", "-t", "4", "--mode", mode, "t"]).run();
        let printed = str::from_utf8(ended.done()).unwrap();
        let mut lines: Vec<&str> = printed.lines().collect();
        lines.sort_unstable();
        assert_eq!(lines, expected, "{mode}");
    }
}

/// Digests of pieces do not depend on where the pieces are in the buffers.
#[test]
fn pieces_in_all_modes() {
    let (directory, files) = tree();
    for (mode, piece_bytes) in [("adaptive", 1000), ("mtp", 4096), ("smt", 700_001)] {
        let expected: String = files
            .iter()
            .flat_map(|(path, message)| {
                let pieces = message.chunks(piece_bytes).enumerate().map(move |(index, piece)| {
                    let start = index * piece_bytes;
                    format!("{}  {path} offset {start}-{}\n", digest("crc32c", piece), start + piece.len() - 1)
                });
                let empty = message.is_empty().then(|| format!("{}  {path} offset 0-0\n", digest("crc32c", b"")));
                let whole = format!("{}  {path}\n", digest("crc32c", message));
                std::iter::once(whole).chain(pieces).chain(empty)
            })
            .collect();
        let size = piece_bytes.to_string();
        let arguments = ["-a", "crc32c", "--piecewise", &size, "-t", "3", "-m", "32M", "--mode", mode, "t"];
        let ended = hash(directory.path(), arguments).run();
        assert!(ended.done() == expected.as_bytes(), "{mode}");
    }
}
