//! With low limits on open files, no file is lost.

use std::fs;
use std::path::Path;

use crate::fixture::*;

/// Makes directories beside and below each other, with files that fit a slot and files that do not.
fn tree(root: &Path) {
    for directory in 0..30 {
        let directory = root.join(format!("tree/{directory:02}"));
        fs::create_dir_all(&directory).unwrap();
        for file in 0..20 {
            fs::write(directory.join(format!("{file:02}")), contents(file, 100 * file)).unwrap();
        }
        fs::write(directory.join("long"), contents(7, 300_000)).unwrap();
    }
    let mut deep = root.join("tree/deep");
    for level in 0..60 {
        fs::create_dir(&deep).unwrap();
        fs::write(deep.join("file"), level.to_string()).unwrap();
        deep.push("d");
    }
}

/// Prepares the program with `limit` open files, soft and hard.
fn limited<'a>(root: &Path, limit: u64, arguments: impl IntoIterator<Item = &'a str>) -> Run {
    let script = format!("ulimit -n {limit} && exec \"$0\" hash \"$@\"");
    let program = ["-c", &script, env!("CARGO_BIN_EXE_pfh")].map(str::to_owned);
    Run::new("sh", root, program.into_iter().chain(arguments.into_iter().map(str::to_owned)))
}

/// Returns the least limit that a refusal names.
fn least(said: &str) -> u64 {
    said.split("(ulimit -n ").nth(1).and_then(|rest| rest.split(')').next()).unwrap().parse().unwrap()
}

#[test]
fn a_low_limit_on_open_files_loses_no_file() {
    let directory = scratch();
    let root = directory.path();
    tree(root);
    let (mut done, mut refused) = (0, 0);
    for algorithm in ["md5", "blake3"] {
        let expected = hash(root, ["-a", algorithm, "tree"]).run().done().to_vec();
        assert_eq!(expected.iter().filter(|&&byte| byte == b'\n').count(), 30 * 21 + 60);
        for mode in [
            &["--mode", "adaptive"][..],
            &["--mode", "mtp"],
            &["--mode", "smt"],
            &["--io", "direct"],
            &["--mode", "mtp", "-p", "5"],
            &["--order", "physical", "--progress", "always"],
        ] {
            for threads in ["1", "4", "16"] {
                for limit in [32, 48, 64, 128] {
                    let arguments = [&["-a", algorithm, "-t", threads], mode, &["tree"]].concat();
                    let ended = limited(root, limit, arguments.iter().copied()).run();
                    if ended.code() == 2 {
                        let said = format!("pfh: the limit of {limit} open files is too low for ");
                        assert!(ended.stderr.starts_with(&said), "{arguments:?}: {}", ended.stderr);
                        assert!(ended.stdout.is_empty() && least(&ended.stderr) > limit);
                        let enough = limited(root, least(&ended.stderr), arguments.iter().copied()).run();
                        assert_eq!(enough.code(), 0, "{arguments:?}: {}", enough.stderr);
                        enough.printed(&expected);
                        refused += 1;
                    } else {
                        assert_eq!(ended.code(), 0, "{arguments:?} with {limit}: {}", ended.stderr);
                        ended.printed(&expected);
                        done += 1;
                    }
                }
            }
        }
    }
    assert!(done > refused && refused > 0, "{done} done, {refused} refused");
}

/// The limit includes lists, journals and lists of files.
#[test]
fn the_least_limit_is_enough_for_the_output_too() {
    let directory = scratch();
    let root = directory.path();
    tree(root);
    let expected = hash(root, ["tree"]).run().done().to_vec();
    let arguments = ["-t", "3", "-o", "list", "tree"];
    let refused = limited(root, 16, arguments).run();
    assert_eq!((refused.code(), root.join("list").exists()), (2, false));
    let enough = least(&refused.stderr);
    limited(root, enough, arguments).run().done();
    assert_eq_bytes(&fs::read(root.join("list")).unwrap(), &expected);
    // A journal and a list of files are already open when the rest is divided.
    limited(root, enough + 1, ["-t", "3", "-o", "journal", "--resume", "tree"]).run().done();
    limited(root, enough + 1, ["-t", "3", "-o", "journal", "--resume", "tree"]).run().done();
    let journal = fs::read_to_string(root.join("journal")).unwrap();
    assert_eq!(journal.matches("\"path\":").count(), 30 * 21 + 60, "{journal}");
    fs::write(root.join("paths"), "tree\n").unwrap();
    let listed = limited(root, enough + 1, ["-t", "3", "--files-from", "paths"]).run();
    assert_eq_bytes(listed.done(), &expected);
}

/// A soft limit that can be raised does not restrict the program.
#[test]
fn the_soft_limit_is_raised() {
    let directory = scratch();
    fs::write(directory.path().join("file"), "1").unwrap();
    let script = "ulimit -S -n 20 && exec \"$0\" hash -t 16 file";
    let ended = Run::new("sh", directory.path(), ["-c", script, env!("CARGO_BIN_EXE_pfh")]).run();
    assert_eq!(ended.done(), line(b"1", "file").as_bytes());
}
