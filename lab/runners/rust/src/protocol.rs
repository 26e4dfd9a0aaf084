//! The lines in both directions.

use std::io::{self, Write};

use serde::{Deserialize, Serialize};

/// A task of the laboratory; a field that the mode does not need is 0 or empty.
#[derive(Clone, Deserialize)]
pub struct Task {
    pub id: u64,
    pub mode: String,
    pub algorithm: String,
    #[serde(default)]
    pub path: String,
    /// With the number of the repeat after it, the data of each repeat; empty where all have those of `path`.
    #[serde(default)]
    pub repeat_path: String,
    #[serde(default)]
    pub bytes: usize,
    #[serde(default)]
    pub chunk_bytes: usize,
    #[serde(default)]
    pub warm_up: u32,
    #[serde(default)]
    pub repeats: u32,
    #[serde(default)]
    pub count: usize,
    #[serde(default)]
    pub iterations: u32,
    #[serde(default)]
    pub cost: u32,
    #[serde(default)]
    pub n: u64,
    #[serde(default)]
    pub r: u32,
    #[serde(default)]
    pub p: u32,
    #[serde(default)]
    pub memory_kib: u32,
    #[serde(default)]
    pub lanes: u32,
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "kebab-case")]
pub enum Line<'a> {
    Hello {
        protocol: u32,
        language: &'a str,
        language_version: &'a str,
        library: &'a str,
        library_version: &'a str,
        provider: &'a str,
        backend: &'a str,
        stand_in: bool,
        varies: bool,
        clock_ns: i64,
        algorithms: Vec<&'a str>,
    },
    Check {
        id: u64,
        answer: String,
    },
    Begin {
        id: u64,
        repeat: u32,
    },
    Sample {
        id: u64,
        repeat: u32,
        wall_ns: u64,
        cpu_ns: i64,
        answer: String,
    },
    Done {
        id: u64,
        peak_bytes: u64,
    },
    NotOffered {
        id: u64,
        message: String,
    },
    Error {
        id: u64,
        message: String,
    },
}

impl Line<'_> {
    pub fn say(&self) -> io::Result<()> {
        let mut out = io::stdout().lock();
        serde_json::to_writer(&mut out, self)?;
        out.write_all(b"\n")?;
        out.flush()
    }
}
