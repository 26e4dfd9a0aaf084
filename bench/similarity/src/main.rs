//! Prints rates of similarity digests, one by one and many at once, and their ratios to what others make of the same
//! bytes.
//!
//! `pfh-bench-similarity ssdeep|sdhash|mrsh-v2|tlsh [BACKEND]`. One thread. Rounds alternate between the contenders; a
//! figure is the best of its rounds, which neighbours on the same core disturb least. Every digest is compared. The
//! files are noise, once so few that they stay in the second-level cache, as when they have just been read, and once
//! [`MANY_BYTES`].
//!
//! ssdeep, sdhash and mrsh-v2 are the programs, with files in memory (`/dev/shm`), less the time that they take for one
//! file of no bytes. They are looked for in `$PFH_BENCH_PEERS` first.

use std::fs;
use std::hint::black_box;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use fast_tlsh::GeneratorType;
use pfh_similarity::{Backend, mrsh_v2, sdhash, ssdeep, tlsh};

const SIZES: [usize; 5] = [512, 4 << 10, 16 << 10, 64 << 10, 1 << 20];
const FEW_BYTES: usize = 1 << 20;
const MANY_BYTES: usize = 32 << 20;
const ROUNDS: usize = 7;
const FOLDER: &str = "/dev/shm/pfh-bench-similarity";

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let backend = match arguments.get(1) {
        Some(name) => Backend::from_name(name).expect("a backend of this CPU"),
        None => Backend::chosen(),
    };
    let bytes = noise(MANY_BYTES);
    println!("{}; GB/s, ratio to the first column in parentheses; best of {ROUNDS} rounds", backend.name());
    for size in SIZES {
        for total in [FEW_BYTES, MANY_BYTES] {
            let files: Vec<&[u8]> = bytes[..total].chunks(size).collect();
            match arguments.first().map(String::as_str) {
                Some("ssdeep") => ssdeep(backend, &files),
                Some("sdhash") => sdhash(backend, &files),
                Some("mrsh-v2") => mrsh_v2(backend, &files),
                Some("tlsh") => tlsh(backend, &files),
                _ => panic!("ssdeep, sdhash, mrsh-v2 or tlsh"),
            }
        }
    }
}

fn noise(bytes: usize) -> Vec<u8> {
    let mut state = 1_u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 56) as u8
    };
    (0..bytes).map(|_| next()).collect()
}

/// A contender: its name, and what hashes all files and gives the digests as text if it is asked for them.
type Contender<'a> = (&'static str, Box<dyn FnMut(bool) -> Vec<String> + 'a>);

/// Runs all in turn and prints a line. `overhead` is what the first one takes without the work.
fn report(files: &[&[u8]], mut contenders: Vec<Contender<'_>>, mut overhead: impl FnMut()) {
    let expected = contenders[0].1(true);
    assert_eq!(expected.len(), files.len());
    for (name, run) in &mut contenders[1..] {
        assert_eq!(run(true), expected, "{name}");
    }
    let mut best = vec![f64::MAX; contenders.len()];
    let mut least_overhead = f64::MAX;
    for _ in 0..ROUNDS {
        least_overhead = least_overhead.min(seconds(1, &mut overhead));
        for ((_, run), best) in contenders.iter_mut().zip(&mut best) {
            // Some 30 ms, if it is not a slow one.
            let once = seconds(1, || drop(run(false)));
            let times = (0.03 / once).ceil() as usize;
            *best = best.min(seconds(times, || drop(run(false))));
        }
    }
    best[0] -= least_overhead;
    let bytes: usize = files.iter().map(|file| file.len()).sum();
    print!("{:>5} files of {:>7} bytes:", files.len(), files[0].len());
    for ((name, _), time) in contenders.iter().zip(&best) {
        print!("  {name} {:.3} ({:.1})", bytes as f64 / time / 1e9, best[0] / time);
    }
    println!();
}

fn seconds(times: usize, mut run: impl FnMut()) -> f64 {
    let start = Instant::now();
    (0..times).for_each(|_| run());
    start.elapsed().as_secs_f64() / times as f64
}

fn texts<T>(wanted: bool, digests: Vec<T>, text: impl Fn(T) -> String) -> Vec<String> {
    if wanted {
        digests.into_iter().map(text).collect()
    } else {
        black_box(digests);
        Vec::new()
    }
}

/// Reports a program, which prints a line for each file, beside others. A line that is no digest is `None`.
fn against(program: &[&str], digest: fn(&str) -> Option<&str>, files: &[&[u8]], others: Vec<Contender<'_>>) {
    let folder = Path::new(FOLDER);
    fs::create_dir_all(folder).expect("a folder");
    let names: Vec<String> = (0..files.len()).map(name).collect();
    for (name, bytes) in names.iter().zip(files) {
        fs::write(folder.join(name), bytes).expect("written");
    }
    fs::write(folder.join("empty"), []).expect("written");
    let peer = std::env::var_os("PFH_BENCH_PEERS").map(|peers| Path::new(&peers).join(program[0]));
    let path = peer.filter(|path| path.exists()).unwrap_or_else(|| program[0].into());
    let run = |names: &[String]| {
        let output = Command::new(&path).args(&program[1..]).args(names).current_dir(folder).output();
        String::from_utf8(output.expect("the program runs").stdout).expect("ASCII")
    };
    let mut contenders: Vec<Contender<'_>> = vec![(
        "program",
        Box::new(|wanted| {
            let lines = run(&names);
            if wanted { lines.lines().filter_map(digest).map(str::to_owned).collect() } else { Vec::new() }
        }),
    )];
    contenders.extend(others);
    let empty = ["empty".to_owned()];
    report(files, contenders, || drop(run(&empty)));
    fs::remove_dir_all(folder).expect("removed");
}

/// Of the file at this place.
fn name(index: usize) -> String {
    format!("{index:06}")
}

fn ssdeep(backend: Backend, files: &[&[u8]]) {
    let mut many = ssdeep::ManyHasher::with_backend(backend);
    let one = |bytes: &&[u8]| {
        let mut hasher = ssdeep::Hasher::with_backend(backend);
        hasher.update(bytes);
        hasher.finish()
    };
    let text = |digest: Result<ssdeep::Digest, _>| digest.expect("not too long").to_string();
    let others: Vec<Contender<'_>> = vec![
        ("one by one", Box::new(|wanted| texts(wanted, files.iter().map(one).collect(), text))),
        ("many", Box::new(|wanted| texts(wanted, many.digest_many(files), text))),
    ];
    // The first line is a head.
    let digest: fn(&str) -> Option<&str> =
        |line| line.split_once(',').map(|(digest, _)| digest).filter(|&digest| digest != "ssdeep");
    against(&["ssdeep", "-b", "-s"], digest, files, others);
}

fn sdhash(backend: Backend, files: &[&[u8]]) {
    let one = |bytes: &&[u8]| {
        let options = sdhash::Options { input_bytes: Some(bytes.len() as u64), ..sdhash::Options::default() };
        let mut hasher = sdhash::Hasher::with_backend(options, backend);
        hasher.update(bytes);
        hasher.finish()
    };
    let text = |(index, digest): (usize, Result<sdhash::Digest, _>)| {
        digest.expect("not too short").with_name(name(index)).to_string()
    };
    let run = |wanted| texts(wanted, files.iter().map(one).enumerate().collect(), text);
    against(&["sdhash", "-p", "1"], |line| Some(line), files, vec![("one by one", Box::new(run))]);
}

fn mrsh_v2(backend: Backend, files: &[&[u8]]) {
    let one = |bytes: &&[u8]| {
        let mut hasher = mrsh_v2::Hasher::with_backend(mrsh_v2::Build::Normal, backend);
        hasher.update(bytes);
        hasher.finish()
    };
    let text = |(index, digest): (usize, Result<mrsh_v2::Digest, _>)| {
        digest.expect("every file has one").with_name(name(index)).to_string()
    };
    let run = |wanted| texts(wanted, files.iter().map(one).enumerate().collect(), text);
    against(
        &["mrsh-v2", "-p"],
        |line| Some(line).filter(|line| !line.is_empty()),
        files,
        vec![("one by one", Box::new(run))],
    );
}

fn tlsh(backend: Backend, files: &[&[u8]]) {
    let mut many = tlsh::ManyHasher::with_backend(backend);
    let one = |bytes: &&[u8]| {
        let mut hasher = tlsh::Hasher::with_backend(backend);
        hasher.update(bytes);
        hasher.finish()
    };
    let fast = |bytes: &&[u8]| {
        let mut generator = fast_tlsh::TlshGenerator::new();
        generator.update(bytes);
        generator.finalize()
    };
    let tlsh2 = |bytes: &&[u8]| tlsh2::TlshDefaultBuilder::build_from(bytes);
    let text = |digest: Result<tlsh::Digest, _>| digest.map_or(String::new(), |digest| digest.to_string());
    let contenders: Vec<Contender<'_>> = vec![
        (
            "fast-tlsh",
            Box::new(|wanted| {
                let text =
                    |digest: Result<fast_tlsh::Tlsh, _>| digest.map_or(String::new(), |digest| digest.to_string());
                texts(wanted, files.iter().map(fast).collect(), text)
            }),
        ),
        (
            "tlsh2",
            Box::new(|wanted| {
                let text = |digest: Option<tlsh2::TlshDefault>| {
                    digest.map_or(String::new(), |digest| String::from_utf8_lossy(&digest.hash()).into_owned())
                };
                texts(wanted, files.iter().map(tlsh2).collect(), text)
            }),
        ),
        ("one by one", Box::new(|wanted| texts(wanted, files.iter().map(one).collect(), text))),
        ("many", Box::new(|wanted| texts(wanted, many.digest_many(files), text))),
    ];
    report(files, contenders, || {});
}
