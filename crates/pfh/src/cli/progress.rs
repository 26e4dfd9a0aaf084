//! Progress of a run: a line that is redrawn on a terminal, or a line a minute for a log.

use super::line::{clear, line};
use super::message;
use super::quantity::{Bytes, Clock, Count};
use clap::ValueEnum;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use pfh_engine::{CancelToken, Counters};
use pfh_record::Timestamp;
use pfh_record::quote::quoted;
use pfh_source::Watch;
use std::collections::VecDeque;
use std::io::{self, IsTerminal};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::{Builder, Scope};
use std::time::{Duration, Instant, SystemTime};

const REDRAW: Duration = Duration::from_millis(200);
const LOG_INTERVAL: Duration = Duration::from_secs(60);
/// Number of redraws over which the rate is measured.
const RATE_SAMPLES: usize = 25;

/// When progress is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum When {
    /// When standard error is a terminal.
    Auto,
    /// Also elsewhere, in the form of `log`.
    Always,
    /// One line per minute with the time, and one at the end, as suits log files.
    Log,
    Never,
}

/// The files and bytes to read, as far as they have been counted; final once `known` is set.
#[derive(Debug, Default)]
struct Totals {
    files: AtomicU64,
    bytes: AtomicU64,
    known: AtomicBool,
}

/// Does a run of hashing, and shows its progress if that is wanted.
pub(crate) fn of_run<R>(when: When, source: &impl Watch, counters: &Counters, run: impl FnOnce() -> R) -> R {
    let form = Form::of(when);
    if form == Form::Nothing {
        return run();
    }
    source.watch();
    let (totals, ended) = (Totals::default(), CancelToken::default());
    std::thread::scope(|scope| {
        // If the system refuses a thread, the remaining time stays unknown.
        let _ = Builder::new().spawn_scoped(scope, || count(source, &totals, &ended));
        let started = Instant::now();
        let mut samples = VecDeque::from([(started, 0)]);
        let totals = &totals;
        let progress = Progress::showing(form, scope, move || {
            samples.push_back((Instant::now(), counters.bytes.load(Ordering::Relaxed)));
            if samples.len() > RATE_SAMPLES {
                samples.pop_front();
            }
            describe(counters, totals, rate(&samples), started.elapsed(), source.being_read().as_deref())
        });
        let result = run();
        drop(progress);
        ended.cancel();
        result
    })
}

/// Does other work, and shows its progress by this text if that is wanted.
pub(crate) fn of_work<R>(when: When, text: impl FnMut() -> String + Send, work: impl FnOnce() -> R) -> R {
    std::thread::scope(|scope| {
        let progress = Progress::of(when, scope, text);
        let result = work();
        drop(progress);
        result
    })
}

/// Counts the files and bytes to read, for the remaining time.
fn count(source: &impl Watch, totals: &Totals, ended: &CancelToken) {
    let store = |sums: pfh_source::Totals| {
        totals.files.store(sums.files, Ordering::Relaxed);
        totals.bytes.store(sums.bytes, Ordering::Relaxed);
    };
    let all = source.expected(&mut |sums| {
        store(sums);
        !ended.is_cancelled()
    });
    if let Some(all) = all {
        store(all);
        totals.known.store(true, Ordering::Relaxed);
    }
}

/// The form of progress messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Nothing,
    /// A line that is redrawn.
    Line,
    /// Whole lines with the time, one a minute and one at the end.
    Log,
}

impl Form {
    fn of(when: When) -> Form {
        let can_redraw = || io::stderr().is_terminal() && std::env::var_os("TERM").is_none_or(|term| term != "dumb");
        match when {
            When::Never => Form::Nothing,
            When::Log => Form::Log,
            When::Auto | When::Always if can_redraw() => Form::Line,
            When::Auto => Form::Nothing,
            When::Always => Form::Log,
        }
    }
}

/// Shows progress until it is dropped.
pub(crate) struct Progress {
    _stop: Option<Sender<()>>,
}

impl Progress {
    /// Shows the text, if progress is wanted.
    pub(crate) fn of<'scope>(
        when: When,
        scope: &'scope Scope<'scope, '_>,
        text: impl FnMut() -> String + Send + 'scope,
    ) -> Progress {
        match Form::of(when) {
            Form::Nothing => Progress { _stop: None },
            form => Progress::showing(form, scope, text),
        }
    }

    fn showing<'scope>(
        form: Form,
        scope: &'scope Scope<'scope, '_>,
        mut text: impl FnMut() -> String + Send + 'scope,
    ) -> Progress {
        let (stop, stopped) = channel::<()>();
        let show = move || {
            if form == Form::Line {
                let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
                // The message is cut at the width of the terminal.
                if let Ok(style) = ProgressStyle::with_template("{wide_msg}") {
                    bar.set_style(style);
                }
                *line() = Some(bar.clone());
                while stopped.recv_timeout(REDRAW) == Err(RecvTimeoutError::Timeout) {
                    bar.set_message(text());
                    bar.tick();
                }
                clear();
            } else {
                log(LOG_INTERVAL, &stopped, text, message::error);
            }
        };
        // If the system refuses a thread, nothing is shown.
        Progress { _stop: Builder::new().spawn_scoped(scope, show).is_ok().then_some(stop) }
    }
}

/// Prints a line after each interval, and one at the end.
fn log(
    interval: Duration,
    stopped: &std::sync::mpsc::Receiver<()>,
    mut text: impl FnMut() -> String,
    mut tell: impl FnMut(String),
) {
    loop {
        let ended = stopped.recv_timeout(interval) != Err(RecvTimeoutError::Timeout);
        tell(format!(
            "{} {}{}",
            Timestamp::from(SystemTime::now()).to_seconds_text(),
            text(),
            if ended { ", ended" } else { "" }
        ));
        if ended {
            return;
        }
    }
}

fn rate(samples: &VecDeque<(Instant, u64)>) -> u64 {
    let (Some((from, before)), Some((to, after))) = (samples.front(), samples.back()) else { return 0 };
    let seconds = to.duration_since(*from).as_secs_f64();
    if seconds > 0.0 { ((after - before) as f64 / seconds) as u64 } else { 0 }
}

fn describe(counters: &Counters, totals: &Totals, rate: u64, elapsed: Duration, reading: Option<&[u8]>) -> String {
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
    text += &format!(", {} elapsed", Clock(elapsed));
    // The path is last, because the end is cut on narrow terminals.
    if let Some(path) = reading {
        text += &format!(", reading {}", quoted(path));
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
        let elapsed = Duration::from_secs(75);
        let told = describe(&counters, &totals, 0, elapsed, None);
        assert_eq!(told, "1,200 files, 3.00 GB, 0 B/s, 1:15 elapsed");
        totals.files.store(2000, Ordering::Relaxed);
        totals.bytes.store(4_000_000_000, Ordering::Relaxed);
        totals.known.store(true, Ordering::Relaxed);
        counters.failed.store(2, Ordering::Relaxed);
        assert_eq!(
            describe(&counters, &totals, 100_000_000, elapsed, Some(b"a/\x1b[2J")),
            "1,200 files of 2,000, 3.00 GB, 100 MB/s, 2 failed, 75 %, 0:10 left, 1:15 elapsed, reading `a/\\u{1b}[2J`"
        );
    }

    /// There is one line after each interval and one at the end, each with the time.
    #[test]
    fn a_log_has_whole_lines() {
        let (stop, stopped) = channel::<()>();
        let (mut stop, mut told, mut count) = (Some(stop), Vec::new(), 0);
        let text = || {
            count += 1;
            format!("text {count}")
        };
        log(Duration::from_millis(1), &stopped, text, |line: String| {
            told.push(line);
            if told.len() == 3 {
                stop = None;
            }
        });
        assert_eq!(told.len(), 4);
        for (place, line) in told.iter().enumerate() {
            let (time, text) = line.split_once(' ').unwrap();
            assert!(time.len() == 20 && time.ends_with('Z'), "{line}");
            let ended = if place == 3 { ", ended" } else { "" };
            assert_eq!(text, format!("text {}{ended}", place + 1));
        }
    }
}
