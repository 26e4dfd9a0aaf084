//! The runs that are recorded in bench/lab.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

use pfh_lab::measurements::Measurements;
use pfh_lab::report::{Options, Report};

/// The folder of all records.
pub(crate) fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../bench/lab")
}

/// The measurements of a record.
pub(crate) fn measurements(name: &str) -> Measurements {
    let file = folder().join(name).join("results.jsonl.gz");
    let unpacked = Command::new("gzip").arg("-dc").arg(&file).output().expect("gzip");
    Measurements::read(unpacked.stdout.as_slice()).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

/// The reports on whole programs, as they are made of the records today.
pub(crate) static OF_PROGRAMS: LazyLock<[(&str, String); 4]> = LazyLock::new(|| {
    ["tree", "fixity", "device", "frash"]
        .map(|name| (name, Report::new(&measurements(name), Options::default()).document().html()))
});
