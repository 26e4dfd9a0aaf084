//! Lists of paths, filters, statistics, progress, and the other commands.

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Write};
use std::os::unix::fs::symlink;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use pfh_digest::Algorithm;
use pfh_digest::lanes::{Backend, LaneManager};
use pfh_similarity::Family;
use serde_json::Value;
use tempfile::TempDir;

use crate::fixture::*;

fn tree() -> TempDir {
    let directory = scratch();
    for (name, length) in [("a.jpg", 10), ("b.txt", 2000), (".c.jpg", 30), ("d/e.jpg", 40), ("d/f/g.txt", 5)] {
        let file = directory.path().join("t").join(name);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, contents(length, length)).unwrap();
    }
    directory
}

/// Returns the printed paths; lines of `crc32` have ten characters before them.
fn paths(directory: &TempDir, arguments: &[&str]) -> Vec<String> {
    let ended = hash(directory.path(), [&["-a", "crc32"], arguments].concat()).run();
    String::from_utf8(ended.done().to_vec()).unwrap().lines().map(|line| line[10..].to_owned()).collect()
}

#[test]
fn filters() {
    let directory = tree();
    let all = ["t/.c.jpg", "t/a.jpg", "t/b.txt", "t/d/e.jpg", "t/d/f/g.txt"];
    assert_eq!(paths(&directory, &["t"]), all);
    assert_eq!(paths(&directory, &["-r", "t"]), all);
    assert_eq!(paths(&directory, &["--include", "*.jpg", "t"]), ["t/.c.jpg", "t/a.jpg", "t/d/e.jpg"]);
    assert_eq!(paths(&directory, &["--include", "*.jpg", "--include", "b*", "t"])[..3], all[..3]);
    assert_eq!(paths(&directory, &["--exclude", "d/", "t"]), all[..3]);
    assert_eq!(paths(&directory, &["--include", "*.jpg", "--exclude", "t/d/**", "t"]), all[..2]);
    assert_eq!(paths(&directory, &["--min-size", "30", "--max-size", "1K", "t"]), ["t/.c.jpg", "t/d/e.jpg"]);
    assert_eq!(paths(&directory, &["--max-depth", "1", "t"]), all[..3]);
    assert_eq!(paths(&directory, &["--max-depth", "2", "t"]), all[..4]);
    assert_eq!(paths(&directory, &["--exclude", "*", "t"]), [""; 0]);
    symlink("b.txt", directory.path().join("t/link")).unwrap();
    assert_eq!(paths(&directory, &["t"]), all);
    let followed = ["t/.c.jpg", "t/a.jpg", "t/b.txt", "t/d/e.jpg", "t/d/f/g.txt", "t/link"];
    assert_eq!(paths(&directory, &["--follow-files", "t"]), followed);
    assert_eq!(paths(&directory, &["t/link"]), ["t/link"]);
}

#[test]
fn lists_of_paths() {
    let directory = tree();
    fs::write(directory.path().join("lines"), "t/b.txt\nt/d\nt/a.jpg").unwrap();
    fs::write(directory.path().join("nuls"), "t/b.txt\0t/d\0t/a.jpg\0").unwrap();
    let expected = ["t/b.txt", "t/d/e.jpg", "t/d/f/g.txt", "t/a.jpg"];
    assert_eq!(paths(&directory, &["--files-from", "lines"]), expected);
    assert_eq!(paths(&directory, &["--files-from0", "nuls"]), expected);
    // Arguments come first.
    assert_eq!(paths(&directory, &["--files-from", "lines", "t/.c.jpg"])[..2], ["t/.c.jpg", "t/b.txt"]);
    let piped = hash(directory.path(), ["-a", "crc32", "--files-from", "-"]).input("t/b.txt\nt/gone\n").run();
    let value = digest("crc32", &contents(2000, 2000));
    let said = "pfh: `t/gone`: No such file or directory (os error 2)\n";
    assert_eq!(piped.expect(3, said), format!("{value}  t/b.txt\n").as_bytes());
    // Whoever reads standard input second would find nothing there.
    for option in ["--files-from", "--files-from0"] {
        let twice = hash(directory.path(), [option, "-", "-"]).input("t/b.txt\n").run();
        twice.expect(2, "pfh: `-` is given 2 times, and standard input can be read only once\n");
    }
    // An empty list is no error.
    fs::write(directory.path().join("empty"), "").unwrap();
    assert_eq!(paths(&directory, &["--files-from", "empty"]), [""; 0]);
}

/// The run does not begin, rather than report a file that it could not read.
#[test]
fn a_directory_is_no_list_of_paths() {
    let directory = tree();
    fs::create_dir(directory.path().join("folder")).unwrap();
    for option in ["--files-from", "--files-from0"] {
        let ended = hash(directory.path(), [option, "folder"]).run();
        ended.expect(2, "pfh: `folder`: Is a directory (os error 21)\n");
    }
}

/// The parser of profiles explains itself in several lines, and a message has one.
#[test]
fn a_wrong_profile_is_told_in_a_line() {
    let directory = tree();
    for (profile, reason) in [("[options]\nthreads = \"many\"\n", "invalid type"), ("not TOML", "line 1: ")] {
        fs::write(directory.path().join("profile"), profile).unwrap();
        let ended = hash(directory.path(), ["--profile", "profile", "t"]).run();
        assert!(ended.code() == 2 && ended.stderr.lines().count() == 1, "{}", ended.stderr);
        assert!(ended.stderr.starts_with("pfh: `profile`: ") && ended.stderr.contains(reason), "{}", ended.stderr);
        assert!(ended.stderr.ends_with("a profile is what `pfh lab advise --save` writes\n"), "{}", ended.stderr);
    }
}

/// Each path is answered before the next one is sent.
#[test]
fn a_list_that_pauses() {
    let directory = tree();
    for mode in ["adaptive", "mtp", "smt"] {
        let (paths, mut to_paths) = io::pipe().unwrap();
        let (from_list, list) = io::pipe().unwrap();
        let arguments = ["-a", "crc32", "--mode", mode, "-t", "2", "--files-from", "-"];
        let run = hash(directory.path(), arguments).with(|command| command.stdin(paths).stdout(list));
        let running = run.start();
        let (sender, lines) = mpsc::channel();
        thread::spawn(move || BufReader::new(from_list).lines().try_for_each(|line| sender.send(line.unwrap())));
        // Three come at once: the first wakes the workers, and the others must not wait for the fourth.
        for names in [&["t/a.jpg", "t/b.txt", "t/.c.jpg"][..], &["t/d/e.jpg"]] {
            to_paths.write_all((names.join("\n") + "\n").as_bytes()).unwrap();
            for name in names {
                let message = fs::read(directory.path().join(name)).unwrap();
                let line = lines.recv_timeout(Duration::from_secs(30)).expect(mode);
                assert_eq!(line, format!("{}  {name}", digest("crc32", &message)), "{mode}");
            }
        }
        drop(to_paths);
        running.end().done();
    }
}

/// The output of `find -print0` is read correctly, whatever the names.
#[test]
fn a_list_of_odd_paths() {
    let (directory, files) = odd();
    let list: Vec<u8> = files.iter().flat_map(|file| [&file.path[..], b"\0"].concat()).collect();
    let ended = hash(directory.path(), ["-0", "-a", "md5", "--files-from0", "-"]).input(list).run();
    let line = |file: &pfh_testing::OddFile| {
        [format!("{}  ", digest("md5", &file.contents)).as_bytes(), &file.path, b"\0"].concat()
    };
    assert_eq_bytes(ended.done(), &files.iter().flat_map(line).collect::<Vec<u8>>());
}

#[test]
fn statistics() {
    let directory = tree();
    let ended = hash(directory.path(), ["--stats=json", "-t", "2", "-m", "16M", "-q", "t", "gone"]).run();
    assert_eq!((ended.code(), ended.stderr.lines().count()), (3, 1), "{}", ended.stderr);
    let stats: Value = serde_json::from_str(&ended.stderr).unwrap();
    assert_eq!(stats["type"], "stats");
    assert_eq!(stats["mode"], "adaptive");
    assert_eq!((&stats["threads"], &stats["memory_bytes"]), (&2.into(), &(16 << 20).into()));
    assert_eq!(
        stats["files"],
        serde_json::json!({ "complete": 5, "changed": 0, "short": 0, "unreadable": 1, "skipped": 0 })
    );
    assert_eq!(stats["bytes"], 2085);
    for timer in ["total_s", "read_s", "hash_s", "wait_file_s", "wait_space_s"] {
        let seconds = stats[timer].as_f64().unwrap();
        assert!((0.0..60.0).contains(&seconds), "{timer} {seconds}");
    }
    let table = |memory: &str| {
        let ended = hash(directory.path(), ["--stats=json", "-t", "2", "-m", memory, "-q", "-a", "ssdeep", "t"]).run();
        let stats: Value = serde_json::from_str(&ended.stderr).unwrap();
        let number = |name: &str| stats[name].as_u64().unwrap();
        assert!(number("slots") * number("slot_bytes") <= number("memory_bytes") / 8 * 5, "{stats}");
        number("slot_bytes")
    };
    assert!(table("20M") < table("256M"));
    let text = hash(directory.path(), ["--stats", "t"]).run();
    assert_eq!(text.code(), 0);
    assert!(text.stderr.contains("\nmemory table  "), "{}", text.stderr);
    assert!(
        text.stderr.starts_with("files                           5 complete, 0 failed, 0 skipped\n"),
        "{}",
        text.stderr
    );
    assert!(text.stderr.contains("\nwaiting for space  "), "{}", text.stderr);
    assert_eq!(text.stdout.iter().filter(|&&byte| byte == b'\n').count(), 5);
}

/// Slots change how files are read, never their digests.
#[test]
fn slots_have_the_length_that_is_asked_for() {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("f"), vec![7; 300_000]).unwrap();
    let usual = hash(directory.path(), ["-a", "md5,ssdeep", "-f", "csv", "f"]).run();
    for (slot, length, method) in
        [("16K", 16_384, "buffered"), ("101k", 102_400, "buffered"), ("2M", 2 << 20, "direct")]
    {
        let arguments = ["-a", "md5,ssdeep", "-f", "csv", "--slot", slot, "--io", method, "--stats=json", "f"];
        let ended = hash(directory.path(), arguments).run();
        assert_eq!((ended.code(), &ended.stdout), (0, &usual.stdout));
        let stats: serde_json::Value = serde_json::from_str(ended.stderr.lines().last().unwrap()).unwrap();
        assert_eq!(stats["slot_bytes"], length, "{stats}");
    }
    for wrong in ["15K", "65M", "many"] {
        let ended = hash(directory.path(), ["--slot", wrong, "f"]).run();
        assert_eq!(ended.code(), 2);
        assert!(ended.stderr.contains("from 16K to 64M") || ended.stderr.contains("is not a size"), "{}", ended.stderr);
    }
}

/// Progress, warnings and statistics never get into the list.
#[test]
fn progress_is_for_standard_error() {
    let directory = tree();
    File::create(directory.path().join("sparse")).unwrap().set_len(1 << 30).unwrap();
    let calm = hash(directory.path(), ["-a", "sha1", "t", "sparse"]).run();
    let calm = calm.done();
    let loud = hash(directory.path(), ["-a", "sha1", "--progress=always", "t", "sparse", "gone"])
        .with(|command| command.env("TERM", "xterm"))
        .run();
    assert_eq!(loud.code(), 3);
    assert_eq_bytes(&loud.stdout, calm);
    // Without a terminal, there are whole lines with the time: one at the end in any case.
    let is_log = |line: &&str| line.contains("Z 7 files") && line.contains(" elapsed") && line.ends_with(", ended");
    assert_eq!(loud.stderr.lines().filter(is_log).count(), 1, "{:?}", loud.stderr);
    assert!(loud.stderr.contains("pfh: `gone`: No such file or directory"), "{:?}", loud.stderr);
    for never in [&["--progress=never"][..], &[]] {
        let ended = hash(directory.path(), [never, &["-a", "sha1", "t", "sparse"]].concat()).run();
        assert_eq_bytes(ended.done(), calm);
    }
}

/// On a terminal a line is redrawn, unless the terminal is dumb. The list itself is the same.
#[test]
fn progress_on_a_terminal() {
    let directory = tree();
    File::create(directory.path().join("sparse")).unwrap().set_len(3 << 30).unwrap();
    let program = env!("CARGO_BIN_EXE_pfh");
    for (terminal, is_drawn) in [("xterm", true), ("dumb", false)] {
        let command = format!("{program} hash -a sha1 -o list t sparse");
        let run = Run::new("env", directory.path(), ["script", "-qec", &command, "/dev/null"]);
        let ended = run.with(|command| command.env("TERM", terminal).env("NO_COLOR", "1")).run();
        if ended.code() == 127 {
            skipped(Need::Peers, "there is no script");
            return;
        }
        assert_eq!(ended.code(), 0, "{}", ended.stderr);
        let drawn = String::from_utf8_lossy(&ended.stdout);
        assert_eq!(drawn.contains("/s"), is_drawn, "{terminal}: {drawn:?}");
        assert_eq!(drawn.contains('\x1b'), is_drawn, "{terminal}: {drawn:?}");
        assert!(!drawn.contains("\x1b[3"), "colours in spite of NO_COLOR: {drawn:?}");
        assert_eq!(fs::read_to_string(directory.path().join("list")).unwrap().lines().count(), 6);
    }
}

/// There are no escape codes except on terminals.
#[test]
fn no_colours_off_a_terminal() {
    let directory = tree();
    for arguments in [&["hash", "--help"][..], &["--help"], &["hash", "--such"], &["hash", "gone"], &["algorithms"]] {
        for (name, value) in [("NO_COLOR", "1"), ("TERM", "dumb"), ("TERM", "xterm")] {
            let ended = pfh(directory.path(), arguments).with(|command| command.env(name, value)).run();
            assert!(!ended.stdout.contains(&0x1b) && !ended.stderr.contains('\x1b'), "{arguments:?} {name}");
        }
    }
}

#[test]
fn algorithms_are_listed() {
    let directory = scratch();
    let table = pfh(directory.path(), ["algorithms"]).run();
    let table = str::from_utf8(table.done()).unwrap();
    let json = pfh(directory.path(), ["algorithms", "--json"]).run();
    let lines: Vec<Value> =
        str::from_utf8(json.done()).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), Algorithm::all().count() + Family::ALL.len());
    for (family, line) in Family::ALL.into_iter().zip(&lines[Algorithm::all().count()..]) {
        assert_eq!((&line["name"], &line["status"]), (&family.name().into(), &"similarity".into()));
        let row = table.lines().find(|row| row.split(' ').next() == Some(family.name())).unwrap();
        assert!(row.contains("similarity"), "{row}");
        for alias in line["aliases"].as_array().unwrap() {
            assert_eq!(alias.as_str().unwrap().parse(), Ok(family));
        }
    }
    for (algorithm, line) in Algorithm::all().zip(&lines) {
        assert_eq!(line["name"], algorithm.name());
        assert_eq!(line["bits"], algorithm.digest_bytes() * 8);
        assert_eq!(line["bits_most"], algorithm.digest_bytes_range().end() * 8);
        for keyed in line["keyed"].as_array().unwrap() {
            let keyed = Algorithm::from_name(keyed.as_str().unwrap()).unwrap();
            assert!(keyed.is_keyed() && keyed.has_same_hash(algorithm) && keyed != algorithm);
        }
        let row = table.lines().find(|row| row.split(' ').next() == Some(algorithm.name())).unwrap();
        assert!(row.contains(line["status"].as_str().unwrap()), "{row}");
        // Every listed alias works.
        for alias in line["aliases"].as_array().unwrap() {
            assert_eq!(Algorithm::from_name(alias.as_str().unwrap()).unwrap(), algorithm);
        }
    }
    let full = File::options().write(true).open("/dev/full").unwrap();
    pfh(directory.path(), ["algorithms"])
        .with(|command| command.stdout(full))
        .run()
        .expect(4, "pfh: the output could not be written: No space left on device (os error 28)\n");
}

#[test]
fn the_cpu_is_described() {
    let directory = scratch();
    let table = pfh(directory.path(), ["cpu"]).run();
    let table = str::from_utf8(table.done()).unwrap();
    let json = pfh(directory.path(), ["cpu", "--json"]).run();
    let json: Value = serde_json::from_slice(json.done()).unwrap();
    assert_eq!(json["architecture"], std::env::consts::ARCH);
    let offered: Vec<&str> = Backend::offered().map(Backend::name).collect();
    let backends = json["backends"].as_array().unwrap();
    assert!(Backend::names().eq(backends.iter().map(|backend| backend["name"].as_str().unwrap())));
    for backend in backends {
        let name = backend["name"].as_str().unwrap();
        assert_eq!(backend["offered"], offered.contains(&name));
        // Backends that are not offered lack a feature, which is listed as absent.
        let missing = backend["missing"].as_array().unwrap();
        assert_eq!(missing.is_empty(), offered.contains(&name));
        assert!(missing.iter().all(|feature| json["features"][feature.as_str().unwrap()] == false), "{backend}");
        assert_eq!(backend["chosen"], name == offered[0]);
        assert!(table.contains(&format!("\n{name:<9} ")), "{table}");
    }
    let algorithms = json["algorithms"].as_array().unwrap();
    assert_eq!(algorithms.len(), Algorithm::all().count());
    for (algorithm, told) in Algorithm::all().zip(algorithms) {
        assert_eq!((&told["name"], &told["stream"]), (&algorithm.name().into(), &algorithm.backend().into()));
        let manager = LaneManager::<Vec<u8>, ()>::with_backend(&[algorithm], Backend::from_name(offered[0]).unwrap());
        // Two processes measure different times, so their kernels may differ; only that lanes gain is certain.
        assert_eq!(told["lanes"] != 1, manager.is_some_and(|manager| manager.pays()), "{algorithm}");
        let kernels = told["kernels"].as_array().unwrap();
        assert_eq!(kernels.first().map_or(&1.into(), |widest| &widest["lanes"]), &told["lanes"], "{algorithm}");
        assert!(kernels.iter().all(|kernel| kernel["block_ns"].as_f64().unwrap() > 0.0), "{algorithm}");
        assert!(table.contains(&format!("\n{:<12} ", algorithm.name())), "{table}");
    }
    for (family, told) in Family::ALL.into_iter().zip(json["families"].as_array().unwrap()) {
        assert_eq!(told["name"], family.name());
        let kernels = told["kernels"].as_array().unwrap();
        let kernel = |kernel: &Value| format!("{} {}", kernel["work"], kernel["instructions"]).replace('"', "");
        let kernels: Vec<_> = kernels.iter().map(kernel).collect();
        let expected = family.kernels(Backend::from_name(offered[0]).unwrap());
        assert!(
            kernels
                .iter()
                .eq(&expected.iter().map(|one| format!("{} {}", one.work, one.instructions)).collect::<Vec<_>>())
        );
        assert!(table.contains(&format!("\n{:<12} {}\n", family.name(), kernels.join(", "))), "{table}");
    }
    let forced = pfh(directory.path(), ["cpu"]).with(|command| command.env("PFH_BACKEND", "portable")).run();
    let forced = str::from_utf8(forced.done()).unwrap();
    assert!(forced.contains("\nportable  chosen: "));
    assert!(forced.contains("\nsdhash       ranks portable, popularity portable, filters portable\n"), "{forced}");
}

/// Every backend makes the same list, by option and by environment. An unavailable one is an error that names the
/// others.
#[test]
fn backends() {
    let directory = tree();
    for index in 0..100 {
        fs::write(directory.path().join(format!("t/many-{index}")), contents(index, 37 * index)).unwrap();
    }
    let list = |arguments: &[&str], variable: &str| {
        let all = "md5,sha512,sha3-256,crc32,ssdeep,sdhash,mrsh-v2,tlsh";
        let arguments = [arguments, &["-q", "-f", "csv", "-a", all, "t"]].concat();
        let ended = hash(directory.path(), arguments).with(|command| command.env("PFH_BACKEND", variable)).run();
        ended.done().to_vec()
    };
    let expected = list(&[], "");
    for backend in Backend::offered() {
        assert_eq_bytes(&list(&["--backend", backend.name()], ""), &expected);
        assert_eq_bytes(&list(&[], backend.name()), &expected);
    }
    // The option overrides the environment.
    assert_eq_bytes(&list(&["--backend", "portable"], "abacus"), &expected);

    let offered: Vec<_> = Backend::offered().map(|backend| format!("`{backend}`")).collect();
    let told = format!("there is no backend `abacus`; this CPU offers {}", offered.join(", "));
    let wrong = hash(directory.path(), ["--backend", "abacus", "t"]).run();
    assert_eq!(wrong.status.code(), Some(2));
    assert!(wrong.stderr.contains(&told), "{}", wrong.stderr);
    for arguments in [&["hash", "t"][..], &["cpu"]] {
        let wrong = pfh(directory.path(), arguments).with(|command| command.env("PFH_BACKEND", "abacus")).run();
        assert_eq!(wrong.expect(2, &format!("pfh: PFH_BACKEND: {told}\n")), b"");
    }
}

/// Every algorithm of the registry goes through the whole program, together and alone.
#[test]
fn every_algorithm() {
    let directory = scratch();
    let message = contents(5, 100_000);
    fs::write(directory.path().join("f"), &message).unwrap();
    let all: Vec<&str> = Algorithm::all().map(Algorithm::name).collect();
    let ended = hash(directory.path(), ["-f", "csv", "-a", &all.join(","), "f"]).run();
    let printed = str::from_utf8(ended.done()).unwrap();
    // The last column is for the marks that `sha1dc` detects.
    let line = printed.trim_end().rsplit("\r\n").next().and_then(|line| line.strip_suffix(',')).unwrap();
    let values: Vec<&str> = line.split(',').skip(5).collect();
    let expected: Vec<String> = all.iter().map(|name| digest(name, &message).to_string()).collect();
    assert_eq!(values, expected);
    for (name, value) in all.iter().zip(&expected) {
        assert_eq!(
            hash(directory.path(), ["-a", name, "f"]).run().done(),
            format!("{value}  f\n").as_bytes(),
            "{name}"
        );
    }
}

#[test]
fn completions_manuals_and_help() {
    let directory = scratch();
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let ended = pfh(directory.path(), ["completions", shell]).run();
        let script = str::from_utf8(ended.done()).unwrap();
        assert!(script.contains("--files-from0") || script.contains("files-from0"), "{shell}");
    }
    pfh(directory.path(), ["man", "."]).run().done();
    let pages = names(directory.path());
    assert_eq!(pages.len(), 50, "{pages:?}");
    for page in pages {
        let text = fs::read_to_string(directory.path().join(&page)).unwrap();
        assert!(text.contains(".TH ") && text.contains(".SH NAME"), "{page:?}");
    }
    assert_eq!(pfh(directory.path(), ["man", "no/such"]).run().code(), 4);
    for arguments in [&["--help"][..], &["-h"], &["hash", "--help"], &["hash", "-h"], &["help", "hash"], &["--version"]]
    {
        assert!(!pfh(directory.path(), arguments).run().done().is_empty(), "{arguments:?}");
    }
}

/// Whatever the number of files, the memory stays below the option and a constant.
#[test]
fn memory_for_many_files() {
    const FILES: usize = 25_000;
    let directory = scratch();
    for outer in 0..25 {
        let d = directory.path().join(format!("t/{outer:02}"));
        fs::create_dir_all(&d).unwrap();
        for inner in 0..FILES / 25 {
            fs::write(d.join(format!("{inner:04}")), [outer as u8]).unwrap();
        }
    }
    for options in [&["--mode", "adaptive"][..], &["--mode", "mtp", "-t", "2"], &["--order", "size", "-f", "jsonl"]] {
        let run = hash(directory.path(), [&["-a", "md5,crc32", "-m", "4M"], options, &["t"]].concat());
        let ended = run.limit(Duration::from_secs(50)).run();
        assert!(ended.done().iter().filter(|&&byte| byte == b'\n').count() >= FILES);
        ended.kept_below(4);
    }
}
