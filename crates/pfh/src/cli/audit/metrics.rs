//! Metrics of a collection for the textfile collector of Prometheus' node exporter.

use super::reported::Reported;
use pfh_ledger::{Error, Finding, RunEnd};
use std::fmt::Write as _;
use std::io::Write;

/// Writes the metrics, which are of the collection as it stands, and of the run, which is the last one.
pub(super) fn write(reported: &Reported<'_>, output: &mut dyn Write) -> Result<(), Error> {
    let standing = reported.ledger.standing(None)?;
    let name = reported.ledger.path().file_stem().unwrap_or_default().to_string_lossy();
    let collection = name.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
    let end = reported.info.end.clone().unwrap_or_default();
    let mut text = String::new();
    let mut metric = |name: &str, help: &str, values: &[(String, i64)]| {
        let _ = writeln!(text, "# HELP pfh_audit_{name} {help}\n# TYPE pfh_audit_{name} gauge");
        for (labels, value) in values {
            let _ = writeln!(text, "pfh_audit_{name}{{collection=\"{collection}\"{labels}}} {value}");
        }
    };
    let one = |value: u64| [(String::new(), value.cast_signed())];
    let by_finding = |count: &dyn Fn(&RunEnd, Finding) -> u64| {
        let findings = Finding::OF_FILES.iter().filter(|finding| **finding != Finding::MovedAway);
        findings
            .map(|finding| (format!(",finding=\"{finding}\""), count(&end, *finding).cast_signed()))
            .collect::<Vec<_>>()
    };
    metric("files", "Files that are expected.", &one(standing.files));
    metric("bytes", "Bytes of the files that are expected.", &one(standing.bytes));
    let open: Vec<(String, i64)> = Finding::ALARMS
        .iter()
        .map(|finding| {
            let count = standing.open.get(finding.word()).copied().unwrap_or(0);
            (format!(",finding=\"{finding}\""), count.cast_signed())
        })
        .collect();
    metric("open_findings", "Files with a finding that nobody accepted, and that is not gone.", &open);
    let of_run = by_finding(&|end, finding| end.findings.get(finding.word()).copied().unwrap_or(0));
    metric("run_findings", "Files by finding of the last run.", &of_run);
    metric("run_files_read", "Files that the last run read.", &one(end.read));
    metric("run_bytes_read", "Bytes that the last run read.", &one(end.read_bytes));
    metric("run_files_left", "Files that the last run left for the next one.", &one(end.left));
    metric("run_files_unseen", "Files that the last run could not see, and that are not missing.", &one(end.unseen));
    let (began, ended) = reported.info.times;
    metric("run_began_timestamp_seconds", "When the last run began.", &[(String::new(), began)]);
    if let Some(ended) = ended {
        metric("run_ended_timestamp_seconds", "When the last run ended.", &[(String::new(), ended)]);
    }
    if let Some(oldest) = standing.oldest {
        let help = "When the file was read that was not read since for longest.";
        metric("oldest_verification_timestamp_seconds", help, &[(String::new(), oldest)]);
    }
    Ok(output.write_all(text.as_bytes())?)
}
