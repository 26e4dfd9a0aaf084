//! `--stats`: the published system's timers.

use super::args::StatsForm;
use super::quantity::{Bytes, Count};
use pfh_engine::Report;
use pfh_record::Summary;

/// The options of a run that statistics state.
pub(crate) struct Setting {
    pub(crate) mode: &'static str,
    pub(crate) threads: usize,
    pub(crate) memory_bytes: u64,
    pub(crate) direct_fallbacks: u64,
}

/// Returns the statistics of a run, as text of several lines or one JSON object.
pub(crate) fn describe(form: StatsForm, summary: &Summary, report: &Report, setting: &Setting) -> String {
    let seconds = summary.elapsed.as_secs_f64();
    let rate = if seconds > 0.0 { (summary.bytes as f64 / seconds) as u64 } else { 0 };
    let timers = &report.timers;
    match form {
        StatsForm::Text => {
            let failed = summary.changed + summary.short + summary.unreadable;
            let mut text = format!(
                "files              {:>14} complete, {} failed, {} skipped\n\
                 bytes              {:>14}\n\
                 total              {:>12.3} s   {}/s\n\
                 memory table       {:>14} slots of {}\n\
                 summed over {} threads ({} mode)\n\
                 read               {:>12.3} s\n\
                 hash               {:>12.3} s\n\
                 waiting for a file {:>12.3} s\n\
                 waiting for space  {:>12.3} s",
                Count(summary.complete),
                Count(failed),
                Count(summary.skipped),
                Count(summary.bytes),
                seconds,
                Bytes(rate),
                Count(report.slots as u64),
                Bytes(report.slot_bytes as u64),
                setting.threads,
                setting.mode,
                timers.read.as_secs_f64(),
                timers.hash.as_secs_f64(),
                timers.wait_file.as_secs_f64(),
                timers.wait_space.as_secs_f64(),
            );
            if setting.direct_fallbacks > 0 {
                text += &format!("\nread through the page cache after all: {} files", Count(setting.direct_fallbacks));
            }
            text
        }
        StatsForm::Json => serde_json::json!({
            "type": "stats",
            "mode": setting.mode,
            "threads": setting.threads,
            "memory_bytes": setting.memory_bytes,
            "slots": report.slots,
            "slot_bytes": report.slot_bytes,
            "files": { "complete": summary.complete, "changed": summary.changed, "short": summary.short,
                       "unreadable": summary.unreadable, "skipped": summary.skipped },
            "bytes": summary.bytes,
            "bytes_per_second": rate,
            "total_s": seconds,
            "read_s": timers.read.as_secs_f64(),
            "hash_s": timers.hash.as_secs_f64(),
            "wait_file_s": timers.wait_file.as_secs_f64(),
            "wait_space_s": timers.wait_space.as_secs_f64(),
            "direct_fallbacks": setting.direct_fallbacks,
        })
        .to_string(),
    }
}
