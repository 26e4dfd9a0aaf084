//! Prints rates of the lane kernels, and their ratios to OpenSSL's EVP of the same algorithm.
//!
//! `pfh-bench-kernels [--raw] [kernels|backends|strings] [ALGORITHM…]`. CPU time of the thread, in alternating rounds.
//! The ratio is the median over rounds; the second one is of the best round of either side, which neighbours on the
//! same core disturb less. Every digest is compared. `--raw` prints a line for each round instead: experiment,
//! algorithm, what is measured, unit, round, its rate and OpenSSL's (empty where OpenSSL lacks the algorithm), parted
//! by commas.

mod openssl;

use openssl::OpenSsl;
use pfh_digest::Algorithm;
use pfh_digest::lanes::{Backend, BatchHasher, Event, LaneManager, kernels_of};
use rustix::time::{ClockId, clock_gettime};

const MESSAGE_BYTES: usize = 8 << 10;
const ROUNDS: usize = 7;
const ROUND_SECONDS: f64 = 0.06;

/// Names of the registry, and of OpenSSL.
const ALGORITHMS: &[(&str, &str)] = &[
    ("md4", "MD4"),
    ("md5", "MD5"),
    ("sha1", "SHA1"),
    ("sha256", "SHA256"),
    ("sha512", "SHA512"),
    ("sha3-256", "SHA3-256"),
    ("sha3-512", "SHA3-512"),
    ("ripemd160", "RIPEMD160"),
    ("sm3", "SM3"),
    ("blake2b", "BLAKE2B-512"),
    ("blake2s", "BLAKE2S-256"),
    ("tiger", ""),
    ("whirlpool", "WHIRLPOOL"),
];

fn main() {
    let mut arguments = std::env::args().skip(1).peekable();
    let raw = arguments.next_if(|argument| argument == "--raw").is_some();
    let mode = arguments.next().unwrap_or_else(|| "backends".to_owned());
    let wanted: Vec<String> = arguments.collect();
    println!("{}; messages of {MESSAGE_BYTES} bytes; ratios are medians of {ROUNDS} rounds", openssl::version());
    for &(name, openssl_name) in ALGORITHMS {
        if !wanted.is_empty() && !wanted.iter().any(|wanted| wanted == name) {
            continue;
        }
        let Ok(algorithm) = Algorithm::from_name(name) else { continue };
        let openssl = OpenSsl::new(openssl_name);
        let report = Report { raw, mode: &mode, algorithm };
        match mode.as_str() {
            "kernels" => kernels(&report, openssl),
            "backends" => backends(&report, openssl),
            "strings" => strings(&report, openssl),
            _ => panic!("unknown mode {mode}"),
        }
    }
}

/// How figures are printed.
struct Report<'a> {
    raw: bool,
    mode: &'a str,
    algorithm: Algorithm,
}

impl Report<'_> {
    fn print(&self, what: &str, figures: &Figures, unit: &str, note: &str) {
        let Report { mode, algorithm, .. } = self;
        if !self.raw {
            println!("{algorithm:>10} {what:>18} {} {note}", figures.with_unit(unit));
            return;
        }
        for (round, rate) in figures.lanes.iter().enumerate() {
            let openssl = figures.openssl.get(round).map_or(String::new(), |rate| format!("{rate:.4}"));
            println!("{mode},{algorithm},{what},{unit},{},{rate:.4},{openssl}", round + 1);
        }
    }
}

/// Each kernel alone, all lanes full.
fn kernels(report: &Report<'_>, mut openssl: Option<OpenSsl>) {
    let algorithm = report.algorithm;
    let mut seen = Vec::new();
    for backend in Backend::offered() {
        for (kernel, lanes) in kernels_of(backend, algorithm) {
            if seen.contains(&kernel) {
                continue;
            }
            let manager = LaneManager::with_kernel(algorithm, backend, &kernel).expect("listed");
            let figures = measure(algorithm, manager, &mut openssl);
            let block_ns = (algorithm.block_bytes() * lanes) as f64 / figures.best();
            report.print(&kernel, &figures, "GB/s", &format!("{block_ns:8.1} ns/step"));
            seen.push(kernel);
        }
    }
}

/// Each backend, all lanes full.
fn backends(report: &Report<'_>, mut openssl: Option<OpenSsl>) {
    let algorithm = report.algorithm;
    for backend in Backend::offered() {
        if let Some(manager) = LaneManager::with_backend(&[algorithm], backend) {
            let lanes = manager.lanes();
            let figures = measure(algorithm, manager, &mut openssl);
            report.print(&format!("{backend} {lanes} lanes"), &figures, "GB/s", "");
        }
    }
}

/// Short messages in memory, as lists of passwords or identifiers are hashed.
fn strings(report: &Report<'_>, mut openssl: Option<OpenSsl>) {
    const MESSAGES: usize = 1 << 12;
    let algorithm = report.algorithm;
    for backend in Backend::offered() {
        for bytes in [16, 100] {
            let content: Vec<u8> = (0..=250).cycle().take(MESSAGES * bytes).collect();
            let messages: Vec<&[u8]> = content.chunks(bytes).collect();
            let mut hasher = BatchHasher::with_backend(algorithm, backend);
            let mut digests = vec![algorithm.digest(b""); MESSAGES];
            hasher.hash(&messages, &mut digests);
            for (message, digest) in messages.iter().zip(&digests) {
                assert_eq!(digest, &algorithm.digest(message));
            }
            let mut figures = Figures::default();
            for _ in 0..ROUNDS {
                let time = seconds(|| (0..25).for_each(|_| hasher.hash(&messages, &mut digests)));
                figures.lanes.push((25 * MESSAGES) as f64 / time / 1e6);
                if let Some(openssl) = &mut openssl {
                    let time = seconds(|| {
                        for message in messages.iter().cycle().take(3 * MESSAGES) {
                            std::hint::black_box(openssl.digest(message));
                        }
                    });
                    figures.openssl.push((3 * MESSAGES) as f64 / time / 1e6);
                }
            }
            report.print(&format!("{backend} {bytes} bytes"), &figures, "M/s", "");
        }
    }
}

fn measure(algorithm: Algorithm, mut manager: LaneManager<Vec<u8>, usize>, openssl: &mut Option<OpenSsl>) -> Figures {
    let lanes = manager.lanes();
    let message: Vec<u8> = (0..=250).cycle().take(MESSAGE_BYTES).collect();
    let mut buffers = vec![message.clone(); lanes];
    buffers.iter_mut().for_each(|buffer| buffer.resize(MESSAGE_BYTES + LaneManager::<Vec<u8>, ()>::RESERVE_BYTES, 0));

    let expected = openssl.as_mut().map(|openssl| openssl.digest(&message));
    let expected = expected.as_ref().map(|digest| &digest[..algorithm.digest_bytes()]);
    let mut hash = |messages: usize, buffers: &mut Vec<Vec<u8>>| {
        let mut submitted = 0;
        loop {
            while submitted < messages
                && let Some(buffer) = buffers.pop()
            {
                manager.submit(submitted, buffer, MESSAGE_BYTES, true);
                submitted += 1;
            }
            match manager.advance() {
                Event::Finished { buffer, digests, .. } => {
                    assert!(expected.is_none_or(|expected| digests[0].bytes() == expected));
                    buffers.push(buffer);
                }
                Event::NeedsData { .. } => unreachable!(),
                Event::Idle => break,
            }
        }
    };
    // As many as take about a round, in full sets of lanes.
    let probe = seconds(|| hash(8 * lanes, &mut buffers)) / 8.0;
    let messages = lanes * (ROUND_SECONDS / probe).ceil() as usize;
    let probe = openssl.as_mut().map_or(1.0, |openssl| {
        seconds(|| {
            (0..32).for_each(|_| {
                std::hint::black_box(openssl.digest(&message));
            })
        }) / 32.0
    });
    let openssl_messages = (ROUND_SECONDS / probe).ceil() as usize;

    let mut figures = Figures::default();
    for _ in 0..ROUNDS {
        let lane = (messages * MESSAGE_BYTES) as f64 / seconds(|| hash(messages, &mut buffers));
        figures.lanes.push(lane / 1e9);
        if let Some(openssl) = openssl {
            let time = seconds(|| {
                (0..openssl_messages).for_each(|_| {
                    std::hint::black_box(openssl.digest(&message));
                })
            });
            figures.openssl.push((openssl_messages * MESSAGE_BYTES) as f64 / time / 1e9);
        }
    }
    figures
}

/// Rates in each round.
#[derive(Default)]
struct Figures {
    lanes: Vec<f64>,
    openssl: Vec<f64>,
}

impl Figures {
    fn best(&self) -> f64 {
        max(&self.lanes)
    }
}

impl Figures {
    fn with_unit(&self, unit: &str) -> String {
        let rate = median(self.lanes.clone());
        if self.openssl.is_empty() {
            return format!("{rate:7.2} {unit}");
        }
        let ratios = self.lanes.iter().zip(&self.openssl).map(|(lanes, openssl)| lanes / openssl).collect();
        let best = max(&self.lanes) / max(&self.openssl);
        format!("{rate:7.2} {unit} {:6.2}x (best {best:5.2}x)", median(ratios))
    }
}

fn max(values: &[f64]) -> f64 {
    values.iter().copied().fold(f64::NAN, f64::max)
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// CPU time of this thread.
fn seconds(work: impl FnOnce()) -> f64 {
    let now = || {
        let time = clock_gettime(ClockId::ThreadCPUTime);
        time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
    };
    let start = now();
    work();
    now() - start
}
