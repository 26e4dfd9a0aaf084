//! The progress line on a terminal.

use super::args::When;
use super::quantity::{Bytes, Clock, Count};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use pfh_engine::{CancelToken, Counters};
use pfh_source::LocalSource;
use std::io::{self, IsTerminal};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::{Builder, Scope};
use std::time::{Duration, Instant};

const REDRAW: Duration = Duration::from_millis(200);
/// The rate is that of the last so many redraws.
const RATE_SAMPLES: usize = 25;

/// What there is to read in all, as far as it has been counted; final once `known` is set.
#[derive(Debug, Default)]
struct Totals {
    files: AtomicU64,
    bytes: AtomicU64,
    known: AtomicBool,
}

/// Does a run of hashing, while a line shows how far it is, if that is wanted. `run` drops the line before it returns.
pub(crate) fn of_run<R>(when: When, source: &LocalSource, counters: &Counters, run: impl FnOnce(Progress) -> R) -> R {
    if !is_wanted(when) {
        return run(Progress::hidden());
    }
    let (totals, ended) = (Totals::default(), CancelToken::default());
    std::thread::scope(|scope| {
        // Where the system refuses a thread, the remaining time stays unknown.
        let _ = Builder::new().spawn_scoped(scope, || count(source, &totals, &ended));
        let result = run(Progress::start(scope, counters, &totals));
        ended.cancel();
        result
    })
}

/// Counts what there is to read, for the remaining time.
fn count(source: &LocalSource, totals: &Totals, ended: &CancelToken) {
    let store = |sums: pfh_source::Totals| {
        totals.files.store(sums.files, Ordering::Relaxed);
        totals.bytes.store(sums.bytes, Ordering::Relaxed);
    };
    let all = source.measure(&mut |sums| {
        store(sums);
        !ended.is_cancelled()
    });
    if let Some(all) = all {
        store(all);
        totals.known.store(true, Ordering::Relaxed);
    }
}

/// A line that is redrawn until it is dropped. Warnings are printed through it, so that lines do not mix.
pub(crate) struct Progress {
    bar: ProgressBar,
    _stop: Option<Sender<()>>,
}

/// Whether progress is to be shown.
pub(super) fn is_wanted(when: When) -> bool {
    match when {
        When::Always => true,
        When::Never => false,
        When::Auto => io::stderr().is_terminal() && std::env::var_os("TERM").is_none_or(|term| term != "dumb"),
    }
}

impl Progress {
    /// A line that shows nothing.
    pub(crate) fn hidden() -> Progress {
        Progress { bar: ProgressBar::hidden(), _stop: None }
    }

    /// Starts a thread that redraws the line: files and bytes of a run.
    fn start<'scope>(scope: &'scope Scope<'scope, '_>, counters: &'scope Counters, totals: &'scope Totals) -> Progress {
        let mut samples = std::collections::VecDeque::from([(Instant::now(), 0)]);
        Progress::showing(scope, move || {
            let bytes = counters.bytes.load(Ordering::Relaxed);
            samples.push_back((Instant::now(), bytes));
            if samples.len() > RATE_SAMPLES {
                samples.pop_front();
            }
            describe(counters, totals, rate(&samples))
        })
    }

    /// Starts a thread that redraws a line with any text, if that is wanted.
    pub(crate) fn of<'scope>(
        when: When,
        scope: &'scope Scope<'scope, '_>,
        text: impl FnMut() -> String + Send + 'scope,
    ) -> Progress {
        if is_wanted(when) { Progress::showing(scope, text) } else { Progress::hidden() }
    }

    fn showing<'scope>(scope: &'scope Scope<'scope, '_>, mut text: impl FnMut() -> String + Send + 'scope) -> Progress {
        // Drawn even where standard error is no terminal (`--progress always`), then as lines of their own.
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
        if let Ok(style) = ProgressStyle::with_template("{msg}") {
            bar.set_style(style);
        }
        let (stop, stopped) = channel::<()>();
        let line = bar.clone();
        let redraw = move || {
            while stopped.recv_timeout(REDRAW) == Err(RecvTimeoutError::Timeout) {
                let text = text();
                if line.is_hidden() {
                    super::message::error(text);
                } else {
                    line.set_message(text);
                    line.tick();
                }
            }
            line.finish_and_clear();
        };
        if Builder::new().spawn_scoped(scope, redraw).is_err() {
            return Progress::hidden();
        }
        Progress { bar, _stop: Some(stop) }
    }

    /// Prints a line above the progress line.
    pub(crate) fn print(&self, line: impl std::fmt::Display) {
        self.bar.suspend(|| super::message::error(line));
    }
}

fn rate(samples: &std::collections::VecDeque<(Instant, u64)>) -> u64 {
    let (Some((from, before)), Some((to, after))) = (samples.front(), samples.back()) else { return 0 };
    let seconds = to.duration_since(*from).as_secs_f64();
    if seconds > 0.0 { ((after - before) as f64 / seconds) as u64 } else { 0 }
}

fn describe(counters: &Counters, totals: &Totals, rate: u64) -> String {
    let files = counters.files.load(Ordering::Relaxed);
    let bytes = counters.bytes.load(Ordering::Relaxed);
    let failed = counters.failed.load(Ordering::Relaxed);
    let known = totals.known.load(Ordering::Relaxed);
    let mut text = format!("{} files", Count(files));
    if known {
        text += &format!(" of {}", Count(totals.files.load(Ordering::Relaxed).max(files)));
    }
    text += &format!(", {}, {}/s", Bytes(bytes), Bytes(rate));
    if failed > 0 {
        text += &format!(", {} failed", Count(failed));
    }
    let all = totals.bytes.load(Ordering::Relaxed);
    if known && all > 0 {
        text += &format!(", {} %", (bytes.min(all) as u128 * 100 / u128::from(all)));
        if let Some(seconds) = all.saturating_sub(bytes).checked_div(rate) {
            text += &format!(", {} left", Clock(Duration::from_secs(seconds)));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_tells_what_is_known() {
        let counters = Counters::default();
        counters.files.store(1200, Ordering::Relaxed);
        counters.bytes.store(3_000_000_000, Ordering::Relaxed);
        let totals = Totals::default();
        assert_eq!(describe(&counters, &totals, 0), "1,200 files, 3.00 GB, 0 B/s");
        totals.files.store(2000, Ordering::Relaxed);
        totals.bytes.store(4_000_000_000, Ordering::Relaxed);
        totals.known.store(true, Ordering::Relaxed);
        counters.failed.store(2, Ordering::Relaxed);
        assert_eq!(
            describe(&counters, &totals, 100_000_000),
            "1,200 files of 2,000, 3.00 GB, 100 MB/s, 2 failed, 75 %, 0:10 left"
        );
    }
}
