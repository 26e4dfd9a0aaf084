//! Results with known truth: made, not measured.

use std::sync::LazyLock;

use pfh_lab::measurements::Measurements;
use pfh_lab::report::{Options, Report};
use pfh_lab::results::{Cell, Cost, Entry, Failure, FailureKind, Header, Hello, Runner, Sample};

/// Builds a file of results. Noise is a few tenths of a percent, to the right, from a fixed seed.
pub(crate) struct Synthetic {
    pub(crate) entries: Vec<Entry>,
    random: fastrand::Rng,
    order: u64,
    pub(crate) rounds: u64,
    pub(crate) repeats: u64,
    /// By how much wall time exceeds the true time at most, which processor time shows; another share in each repeat.
    pub(crate) busy: f64,
    /// By how much the rounds of a cell differ from each other at most, as shares of the true time to either side.
    pub(crate) between_rounds: f64,
}

impl Synthetic {
    pub(crate) fn new(experiment: &str) -> Synthetic {
        Synthetic::with_seed(experiment, 11)
    }

    pub(crate) fn with_seed(experiment: &str, seed: u64) -> Synthetic {
        let definition = format!(
            "title = \"Made for tests: {experiment}\"\nquestion = \"Does the report show what is in the results?\"\n\
             source = \"Nobody, Nowhere 1900\"\nrounds = 5\nrepeats = 2\n[[part]]\nmode = \"digest\"\n"
        );
        let environment = [
            ("cpu", "Example CPU @ 3.0 GHz"),
            ("cores", "2"),
            ("memory_bytes", "8589934592"),
            ("os", "Debian GNU/Linux 12 (bookworm)"),
            ("kernel", "Linux 6.1.0"),
            ("load_1m", "0.10"),
            ("cpu_flags", "fpu sse2 ssse3 avx avx2 sha_ni"),
        ];
        let header = Header {
            version: 1,
            experiment: experiment.to_owned(),
            definition,
            started: "2026-01-02T03:04:05Z".to_owned(),
            program: "0.1.0".to_owned(),
            seed: 7,
            full: false,
            rounds: None,
            environment: environment.map(|(name, value)| (name.to_owned(), value.to_owned())).into(),
        };
        Synthetic {
            entries: vec![Entry::Header(header)],
            random: fastrand::Rng::with_seed(seed),
            order: 0,
            rounds: 5,
            repeats: 2,
            busy: 0.0,
            between_rounds: 0.0,
        }
    }

    pub(crate) fn header(&mut self) -> &mut Header {
        match &mut self.entries[0] {
            Entry::Header(header) => header,
            other => panic!("{other:?}"),
        }
    }

    pub(crate) fn runner(&mut self, id: &str, profile: &str, label: &str, language: &str) {
        self.entries.push(Entry::Runner(Runner {
            runner: id.to_owned(),
            profile: profile.to_owned(),
            label: label.to_owned(),
            language: language.to_owned(),
            hello: Some(Hello {
                protocol: 1,
                language: language.to_owned(),
                language_version: "1.2.3".to_owned(),
                library: label.to_owned(),
                library_version: "4.5".to_owned(),
                ..Hello::default()
            }),
            unavailable: None,
        }));
    }

    pub(crate) fn unavailable(&mut self, id: &str, reason: &str) {
        self.entries.push(Entry::Runner(Runner {
            runner: id.to_owned(),
            profile: "today".to_owned(),
            label: id.to_owned(),
            language: "C#".to_owned(),
            hello: None,
            unavailable: Some(reason.to_owned()),
        }));
    }

    pub(crate) fn failure(&mut self, cell: Cell, kind: FailureKind, message: &str) {
        let message = message.to_owned();
        self.entries.push(Entry::Failure(Failure { cell, order: self.order, kind, message }));
    }

    /// Repeats of a cell around a true time in nanoseconds.
    pub(crate) fn time(&mut self, cell: &Cell, true_ns: f64) {
        self.time_with(cell, true_ns, None);
    }

    /// The same, with a share of the time that went into collecting garbage.
    pub(crate) fn time_with(&mut self, cell: &Cell, true_ns: f64, gc_share: Option<f64>) {
        for _ in 0..self.rounds {
            self.order += 1;
            let mut sum = 0.0;
            let round = if self.between_rounds > 0.0 {
                1.0 + self.between_rounds * (2.0 * self.random.f64() - 1.0)
            } else {
                1.0
            };
            for _ in 0..self.repeats {
                let noise = round * (1.0 + 0.004 * self.random.f64().powi(3));
                let wall = true_ns * noise * (1.0 + self.busy * self.random.f64());
                sum += wall;
                let cpu_ns = Some((true_ns * noise * 0.999) as u64);
                self.entries.push(Entry::Sample(Sample {
                    cell: cell.clone(),
                    order: self.order,
                    wall_ns: wall as u64,
                    cpu_ns,
                }));
            }
            let gc_ns = gc_share.map(|share| (sum * share) as u64);
            self.entries.push(Entry::Cost(Cost {
                cell: cell.clone(),
                order: self.order,
                gc_count: gc_ns.map(|_| 2),
                gc_ns,
                peak_bytes: Some(20 << 20),
                device_bytes: None,
                system_ns: None,
            }));
        }
    }

    /// Values that somebody else has measured, each a round of its own.
    pub(crate) fn given(&mut self, cell: &Cell, wall_and_cpu_ns: &[(f64, f64)]) {
        for (wall_ns, cpu_ns) in wall_and_cpu_ns {
            self.order += 1;
            let cpu_ns = Some(*cpu_ns as u64);
            let (cell, order) = (cell.clone(), self.order);
            self.entries.push(Entry::Sample(Sample { cell, order, wall_ns: *wall_ns as u64, cpu_ns }));
        }
    }

    /// A series with a fixed cost and a rate.
    pub(crate) fn series(
        &mut self,
        runner: &str,
        profile: &str,
        mode: &str,
        algorithm: &str,
        sizes: &[u64],
        mib_per_s: f64,
    ) {
        for &size in sizes {
            let cell = cell(runner, profile, mode, algorithm, size);
            let bytes = cell.bytes as f64;
            self.time(&cell, 2_000.0 + bytes / (mib_per_s * 1_048_576.0) * 1e9);
        }
    }

    pub(crate) fn end(&mut self) {
        self.entries.push(Entry::End { seconds: 123.4 });
    }

    pub(crate) fn text(&self) -> String {
        let lines = self.entries.iter().map(|entry| serde_json::to_string(entry).expect("an entry") + "\n");
        lines.collect()
    }

    pub(crate) fn measurements(&self) -> Measurements {
        Measurements::read(self.text().as_bytes()).expect("well-formed")
    }
}

/// A cell; in the mode `strings`, `size` is the number of strings (of 50 bytes).
pub(crate) fn cell(runner: &str, profile: &str, mode: &str, algorithm: &str, size: u64) -> Cell {
    let (bytes, count) = match mode {
        "strings" => (size * 51, size),
        "password" => (0, size),
        "messages" => (1 << 20, (1 << 20) / size),
        _ => (size, 1),
    };
    Cell {
        runner: runner.to_owned(),
        profile: profile.to_owned(),
        mode: mode.to_owned(),
        algorithm: algorithm.to_owned(),
        bytes,
        count,
        chunk_bytes: if matches!(mode, "strings" | "password") { 0 } else { 65536 },
        dimensions: std::collections::BTreeMap::new(),
    }
}

/// A cell of a whole program.
pub(crate) fn program(id: &str, algorithm: &str, dimensions: &[(&str, &str)]) -> Cell {
    let dimensions = dimensions.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    Cell { dimensions, chunk_bytes: 0, count: 4457, ..cell(id, "today", "program", algorithm, 1_867_096_000) }
}

pub(crate) const MIB: u64 = 1 << 20;

/// `languages` as a machine of today would give it: SHA instructions, and a profile without them. MiB/s of MD5, SHA-1,
/// SHA-256, SHA-512.
pub(crate) fn languages() -> Synthetic {
    let mut made = Synthetic::new("languages");
    let sizes = [2, 4, 8, 16, 32, 64].map(|size| size * MIB);
    let algorithms = ["md5", "sha1", "sha256", "sha512"];
    type Speeds = [f64; 4];
    let runners: [(&str, &str, &str, Speeds, Option<Speeds>); 12] = [
        ("c-openssl", "OpenSSL libcrypto", "C", [818.0, 2034.0, 1902.0, 1111.0], Some([815.0, 1351.0, 680.0, 1065.0])),
        (
            "py-hashlib",
            "CPython hashlib",
            "Python",
            [813.0, 2030.0, 1900.0, 1109.0],
            Some([812.0, 1350.0, 679.0, 1063.0]),
        ),
        ("ruby-openssl", "Ruby OpenSSL", "Ruby", [731.0, 1532.0, 1479.0, 952.0], Some([730.0, 1120.0, 610.0, 920.0])),
        ("ruby-digest", "Ruby Digest", "Ruby", [678.0, 1012.0, 346.0, 506.0], None),
        (
            "java-sun",
            "OpenJDK, provider SUN",
            "Java",
            [809.0, 2041.0, 1937.0, 948.0],
            Some([430.0, 427.0, 302.0, 489.0]),
        ),
        ("java-bc", "Bouncy Castle", "Java", [426.0, 353.0, 266.0, 429.0], None),
        ("cs-mono", "Mono", "C#", [366.0, 244.0, 120.0, 191.0], None),
        ("go-crypto", "Go crypto", "Go", [842.0, 1980.0, 1868.0, 946.0], Some([842.0, 1386.0, 611.0, 958.0])),
        ("node-crypto", "Node crypto", "JavaScript", [793.0, 1992.0, 1874.0, 1086.0], None),
        ("php-hash", "PHP hash()", "PHP", [756.0, 916.0, 300.0, 442.0], None),
        ("perl-core", "Perl Digest::SHA and Digest::MD5", "Perl", [740.0, 976.0, 480.0, 473.0], None),
        ("rs-rustcrypto", "RustCrypto", "Rust", [694.0, 2058.0, 1948.0, 863.0], Some([694.0, 1017.0, 497.0, 802.0])),
    ];
    for (id, label, language, today, masked) in runners {
        made.runner(id, "today", label, language);
        for (algorithm, speed) in algorithms.iter().zip(today) {
            made.series(id, "today", "digest", algorithm, &sizes, speed);
        }
        if let Some(masked) = masked {
            made.runner(id, "no-sha", &format!("{label}, no SHA instructions"), language);
            for (algorithm, speed) in algorithms.iter().zip(masked) {
                made.series(id, "no-sha", "digest", algorithm, &sizes, speed);
            }
        }
    }
    made.unavailable("cs-dotnet", "`dotnet` is not found; install it with: https://dotnet.microsoft.com/download");
    made.failure(
        cell("php-hash", "today", "digest", "sha256", 128 * MIB),
        FailureKind::Memory,
        "took more than 128 MiB",
    );
    made.failure(cell("java-bc", "today", "digest", "blake9", MIB), FailureKind::NotOffered, "no such algorithm");
    made.end();
    made
}

/// `strings` with two runners, one of which is twice as slow.
pub(crate) fn strings() -> Synthetic {
    let mut made = Synthetic::new("strings");
    let ns = [
        ("md4", 400.0),
        ("md5", 420.0),
        ("sha1", 410.0),
        ("sha256", 500.0),
        ("sha3-256", 600.0),
        ("blake2b", 560.0),
        ("blake2s", 510.0),
        ("ripemd160", 680.0),
        ("whirlpool", 910.0),
    ];
    for (runner, label, factor) in [("py-hashlib", "CPython hashlib", 2.0), ("c-openssl", "OpenSSL libcrypto", 1.0)] {
        made.runner(runner, "today", label, "C");
        for (algorithm, each) in ns {
            for count in [1000_u64, 10_000, 100_000] {
                made.time(&cell(runner, "today", "strings", algorithm, count), each * factor * count as f64 + 500.0);
            }
        }
        for (algorithm, each) in [("pbkdf2-hmac-sha256", 1.5e8), ("bcrypt", 5e7), ("scrypt", 3e8), ("argon2id", 4e7)] {
            made.time(&cell(runner, "today", "password", algorithm, 1), each * factor);
        }
    }
    made.end();
    made
}

/// `ciphers`: Mono three times as slow as Java, files that take a fifth of the time, little collecting.
pub(crate) fn ciphers() -> Synthetic {
    let mut made = Synthetic::new("ciphers");
    let speeds = [("des-cbc", 70.0), ("rc2-128-cbc", 60.0), ("aes-128-cbc", 400.0), ("des-ede3-cbc", 20.0)];
    for (runner, label, language, factor) in [
        ("java-sun", "OpenJDK, provider SUN", "Java", 1.0),
        ("java-cryptix", "Cryptix 3.2", "Java", 0.9),
        ("cs-mono", "Mono", "C#", 0.3),
        ("c-openssl", "OpenSSL libcrypto", "C", 1.5),
    ] {
        made.runner(runner, "today", label, language);
        for size in [MIB / 16, MIB, 4 * MIB] {
            let read_ns = 20_000.0 + size as f64 * 0.3;
            made.time(&cell(runner, "today", "read-file", "none", size), read_ns);
            let gc = (language != "C").then_some(0.002);
            for (algorithm, speed) in speeds {
                let work = size as f64 / (speed * factor * 1_048_576.0) * 1e9;
                made.time_with(&cell(runner, "today", "cipher-file", algorithm, size), read_ns + work, gc);
                if size == 4 * MIB {
                    made.time_with(&cell(runner, "today", "cipher", algorithm, size), work, gc);
                }
            }
            for (algorithm, speed) in [("md5", 700.0), ("sha1", 900.0), ("sha256", 800.0), ("sha512", 600.0)] {
                let work = size as f64 / (speed * factor * 1_048_576.0) * 1e9;
                made.time_with(&cell(runner, "today", "digest-file", algorithm, size), read_ns + work, gc);
            }
        }
    }
    made.end();
    made
}

/// `algorithms`: pfh as a single stream and in lanes.
pub(crate) fn algorithms() -> Synthetic {
    let mut made = Synthetic::new("algorithms");
    let speeds = [
        ("md5", 700.0),
        ("sha1", 1800.0),
        ("sha256", 1700.0),
        ("sha512", 1000.0),
        ("blake3", 6000.0),
        ("sha3-256", 500.0),
    ];
    for (runner, label, factor) in
        [("pfh", "pfh, one stream", 1.0), ("pfh-lanes", "pfh, lanes", 4.0), ("c-openssl", "OpenSSL", 1.05)]
    {
        made.runner(runner, "today", label, "Rust");
        for (algorithm, speed) in speeds {
            for size in [16_u64, 64, 1024, 16384] {
                let count = MIB as f64 / size as f64;
                let ns = count * 80.0 + MIB as f64 / (speed * factor * 1_048_576.0) * 1e9;
                made.time(&cell(runner, "today", "messages", algorithm, size), ns);
            }
            made.series(runner, "today", "digest", algorithm, &[65536, MIB, 8 * MIB], speed * factor);
        }
    }
    made.end();
    made
}

/// A made result with its report, which tests share: intervals take most of their time.
pub(crate) struct Reported {
    pub(crate) name: &'static str,
    pub(crate) made: Synthetic,
    pub(crate) measurements: &'static Measurements,
    pub(crate) report: Report<'static>,
    pub(crate) html: String,
}

impl Reported {
    fn of(name: &'static str, made: Synthetic) -> Reported {
        let measurements: &Measurements = Box::leak(Box::new(made.measurements()));
        let report = Report::new(measurements, Options::default());
        let html = report.document().html();
        Reported { name, made, measurements, report, html }
    }
}

static LANGUAGES: LazyLock<Reported> = LazyLock::new(|| Reported::of("languages", languages()));
static STRINGS: LazyLock<Reported> = LazyLock::new(|| Reported::of("strings", strings()));
static CIPHERS: LazyLock<Reported> = LazyLock::new(|| Reported::of("ciphers", ciphers()));
static ALGORITHMS: LazyLock<Reported> = LazyLock::new(|| Reported::of("algorithms", algorithms()));

/// The reports of all made results.
pub(crate) fn all() -> [&'static Reported; 4] {
    [&LANGUAGES, &STRINGS, &CIPHERS, &ALGORITHMS]
}

/// The report of [`languages`].
pub(crate) fn languages_reported() -> &'static Reported {
    &LANGUAGES
}
