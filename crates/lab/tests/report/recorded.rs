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

/// A page that is recorded: a report of an experiment, or a page of its own.
#[derive(Debug)]
pub(crate) struct Page {
    /// Its path in the folder of all records.
    pub(crate) name: String,
    pub(crate) html: String,
    /// Whether it is the report of an experiment.
    pub(crate) is_report: bool,
}

/// All pages that are recorded, and the reports that would be made of the records today where they differ.
pub(crate) static PAGES: LazyLock<Vec<Page>> = LazyLock::new(|| {
    let page = |name: String, is_report: bool| {
        let html = std::fs::read_to_string(folder().join(&name)).unwrap_or_else(|error| panic!("{name}: {error}"));
        Page { name, html, is_report }
    };
    let mut pages = Vec::new();
    for entry in std::fs::read_dir(folder()).expect("a folder") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().and_then(|name| name.to_str()).expect("a name in UTF-8");
        if path.join("report.html").is_file() {
            let recorded = page(format!("{name}/report.html"), true);
            let html = Report::new(&measurements(name), Options::default()).document().html();
            if html != recorded.html {
                pages.push(Page { name: format!("{name}, made today"), html, is_report: true });
            }
            pages.push(recorded);
        } else if path.extension().is_some_and(|extension| extension == "html") {
            pages.push(page(name.to_owned(), false));
        }
    }
    pages.sort_by(|a, b| a.name.cmp(&b.name));
    for (is_report, kind) in [(true, "reports"), (false, "pages of their own")] {
        assert!(pages.iter().any(|page| page.is_report == is_report), "{} has no {kind}", folder().display());
    }
    pages
});
