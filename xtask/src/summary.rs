//! Runs named steps, lets all of them run whatever the others did, and says at the end how each went.

use std::collections::BTreeMap;
use std::panic::resume_unwind;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Error, Result, bail};
use rustix::process::setpriority_process;

use crate::need::{Need, REQUIRED_VARIABLE};
use crate::process;

/// How a step ended that found nothing wrong.
#[derive(Debug, PartialEq)]
pub(crate) enum Outcome {
    /// A note on it, which may be empty, and the needs of the tests in it that were skipped, one for each test.
    Passed(String, Vec<Need>),
    /// Nothing could be checked: what is missing, and how to get it.
    Skipped(Need, String),
}

impl Outcome {
    pub(crate) fn passed(note: impl Into<String>) -> Self {
        Self::Passed(note.into(), Vec::new())
    }

    pub(crate) fn skipped(need: Need, reason: impl Into<String>) -> Self {
        Self::Skipped(need, reason.into())
    }

    fn missing(&self) -> &[Need] {
        match self {
            Self::Passed(_, missing) => missing,
            Self::Skipped(need, _) => std::slice::from_ref(need),
        }
    }
}

/// Problems, one line each; empty if there are none.
#[derive(Debug, Default)]
pub(crate) struct Findings(Vec<String>);

impl Findings {
    pub(crate) fn add(&mut self, finding: impl Into<String>) {
        self.0.push(finding.into());
    }

    /// Passes with the note when nothing was found, and is an error that lists everything otherwise.
    pub(crate) fn into_result(self, note: impl Into<String>) -> Result<Outcome> {
        if self.0.is_empty() { Ok(Outcome::passed(note)) } else { Err(Error::msg(self.0.join("\n"))) }
    }

    #[cfg(test)]
    pub(crate) fn lines(&self) -> &[String] {
        &self.0
    }
}

/// Steps that are run one after the other, with their names.
pub(crate) type Row<'a> = Vec<(&'a str, Box<dyn FnOnce() -> Result<Outcome> + Send + 'a>)>;

/// The niceness of what takes the rest of the processor.
const BEHIND: i32 = 10;

/// Steps may be silent for long: this often, a line says that one goes on.
const SIGN_OF_LIFE: Duration = Duration::from_secs(60);

/// The time that a step took.
#[derive(Clone, Copy)]
struct Times {
    wall: Duration,
    /// Of the programs that it ran.
    cpu: Duration,
}

/// How the steps went so far.
pub(crate) struct Summary {
    /// Needs whose skips are failures.
    required: Vec<Need>,
    steps: Vec<(String, Result<Outcome>, Times)>,
}

impl Summary {
    /// No steps yet; what is required is read from the environment.
    pub(crate) fn new() -> Result<Self> {
        Ok(Self { required: Need::required().map_err(Error::msg)?, steps: Vec::new() })
    }

    /// Runs one step.
    pub(crate) fn step(&mut self, name: &str, body: impl FnOnce() -> Result<Outcome>) {
        let (result, times) = attended(name, body);
        self.note(name, result, times);
    }

    /// Runs two rows of steps at the same time; the second takes what the first leaves of the processor. Their output
    /// alternates.
    pub(crate) fn two_rows<'a>(&mut self, first: Row<'a>, second: Row<'a>) {
        let run =
            |row: Row<'a>| -> Vec<_> { row.into_iter().map(|(name, body)| (name, attended(name, body))).collect() };
        let ended = thread::scope(|scope| {
            let second = scope.spawn(|| {
                // Of this thread, and so of the programs that it starts. Without it, the row is only later.
                let _ = setpriority_process(None, BEHIND);
                run(second)
            });
            [run(first), second.join().unwrap_or_else(|panic| resume_unwind(panic))]
        });
        for (name, (result, times)) in ended.into_iter().flatten() {
            self.note(name, result, times);
        }
    }

    fn note(&mut self, name: &str, result: Result<Outcome>, times: Times) {
        let result = result.and_then(|outcome| self.judge(outcome));
        if let Err(error) = &result {
            println!("{name}: {error:#}");
        }
        self.steps.push((name.to_owned(), result, times));
    }

    /// Skips of what is required are failures.
    fn judge(&self, outcome: Outcome) -> Result<Outcome> {
        if let Some(need) = outcome.missing().iter().find(|need| self.required.contains(need)) {
            let reason = match &outcome {
                Outcome::Skipped(_, reason) => reason.clone(),
                Outcome::Passed(note, _) => format!("tests were skipped ({note})"),
            };
            bail!("{REQUIRED_VARIABLE} requires {}: {reason}", need.name());
        }
        Ok(outcome)
    }

    /// Runs a task that is one step. Returns whether it did not fail.
    pub(crate) fn of_one(name: &str, body: impl FnOnce() -> Result<Outcome>) -> Result<bool> {
        let mut summary = Self::new()?;
        summary.step(name, body);
        Ok(summary.finish())
    }

    /// Prints the table and says whether no step failed.
    pub(crate) fn finish(self) -> bool {
        println!("── summary");
        for (name, result, Times { wall, cpu }) in &self.steps {
            // Seconds by the clock, and of processors.
            let times = format!("{name:<12} {:>7.1} s {:>7.1} cpu", wall.as_secs_f64(), cpu.as_secs_f64());
            match result {
                Ok(Outcome::Skipped(need, reason)) => {
                    println!("  skip   {times}  {}: {reason}", need.name());
                }
                Ok(Outcome::Passed(note, _)) => println!("   ok    {times}  {note}"),
                Err(error) => {
                    let text = format!("{error:#}");
                    let first = text.lines().next().unwrap_or_default();
                    let more = text.lines().count().saturating_sub(1);
                    let more = if more == 0 { String::new() } else { format!(" (and {more} more lines, above)") };
                    println!(" FAILED  {times}  {first}{more}");
                }
            }
        }
        println!("{}", self.last_line());
        self.steps.iter().all(|(_, result, _)| result.is_ok())
    }

    /// The numbers of all steps by how they ended, and of the tests that were skipped in those that passed.
    fn last_line(&self) -> String {
        let (mut passed, mut failed) = (0, 0);
        let (mut steps, mut tests) = (Vec::new(), Vec::new());
        for (_, result, _) in &self.steps {
            match result {
                Ok(Outcome::Passed(_, missing)) => {
                    passed += 1;
                    tests.extend(missing);
                }
                Ok(Outcome::Skipped(need, _)) => steps.push(*need),
                Err(_) => failed += 1,
            }
        }
        let failed = if failed == 0 { String::new() } else { format!("{failed} FAILED, ") };
        format!("steps: {failed}{passed} passed, {}; tests: {}", skipped(&steps), skipped(&tests))
    }
}

/// Runs the body of a step, and gives signs of life. Returns how long it took.
fn attended(name: &str, body: impl FnOnce() -> Result<Outcome>) -> (Result<Outcome>, Times) {
    println!("── {name}");
    let (start, cpu_before) = (Instant::now(), process::cpu_time());
    let result = thread::scope(|scope| {
        let (ended, end) = channel::<()>();
        scope.spawn(move || {
            while end.recv_timeout(SIGN_OF_LIFE) == Err(RecvTimeoutError::Timeout) {
                println!("── {name}: {} s so far", start.elapsed().as_secs());
            }
        });
        let result = body();
        drop(ended);
        result
    });
    (result, Times { wall: start.elapsed(), cpu: process::cpu_time() - cpu_before })
}

/// Such as `3 skipped (browser, fuse 2)`.
fn skipped(needs: &[Need]) -> String {
    let mut counts = BTreeMap::<Need, usize>::new();
    needs.iter().for_each(|need| *counts.entry(*need).or_default() += 1);
    let words = counts.into_iter().map(|(need, count)| match count {
        1 => need.name().to_owned(),
        _ => format!("{} {count}", need.name()),
    });
    let words = words.collect::<Vec<_>>().join(", ");
    if words.is_empty() { "0 skipped".to_owned() } else { format!("{} skipped ({words})", needs.len()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn summary(required: &[Need]) -> Summary {
        let mut summary = Summary { required: required.to_vec(), steps: Vec::new() };
        summary.step("clippy", || Ok(Outcome::passed("")));
        summary.step("miri", || Ok(Outcome::skipped(Need::Miri, "no Miri")));
        let skips = vec![Need::Fuse, Need::Browser, Need::Fuse];
        summary.step("cargo test", || Ok(Outcome::Passed("3 skips".to_owned(), skips)));
        summary
    }

    #[test]
    fn skips_are_counted_apart() {
        let summary = summary(&[Need::Neon]);
        let expected = "steps: 2 passed, 1 skipped (miri); tests: 3 skipped (browser, fuse 2)";
        assert_eq!(summary.last_line(), expected);
        assert!(summary.finish());
    }

    #[test]
    fn two_rows_run_at_once_and_are_noted_in_order() {
        let mut summary = Summary { required: Vec::new(), steps: Vec::new() };
        let (sender, receiver) = channel();
        let first = move || Ok(Outcome::passed(receiver.recv_timeout(SIGN_OF_LIFE)?));
        let second = move || {
            sender.send("sent by the second")?;
            bail!("the second fails")
        };
        let third = || Ok(Outcome::passed(""));
        summary
            .two_rows(vec![("first", Box::new(first))], vec![("second", Box::new(second)), ("third", Box::new(third))]);
        assert!(matches!(&summary.steps.pop(), Some((name, Ok(_), _)) if name == "third"));
        let [(first, Ok(Outcome::Passed(note, _)), _), (second, Err(_), _)] = &summary.steps[..] else {
            panic!("{:?}", summary.last_line())
        };
        assert_eq!((&**first, &**note, &**second), ("first", "sent by the second", "second"));
        assert!(!summary.finish());
    }

    #[test]
    fn skips_of_what_is_required_fail() {
        for (required, message, last) in [
            (
                Need::Miri,
                "PFH_CI_REQUIRED requires miri: no Miri",
                "steps: 1 FAILED, 2 passed, 0 skipped; tests: 3 skipped (browser, fuse 2)",
            ),
            (
                Need::Fuse,
                "PFH_CI_REQUIRED requires fuse: tests were skipped (3 skips)",
                "steps: 1 FAILED, 1 passed, 1 skipped (miri); tests: 0 skipped",
            ),
        ] {
            let summary = summary(&[required]);
            let failed = summary.steps.iter().find_map(|(_, result, _)| result.as_ref().err());
            assert_eq!(failed.map(ToString::to_string).as_deref(), Some(message));
            assert_eq!(summary.last_line(), last);
            assert!(!summary.finish());
        }
    }

    /// CI's own list.
    #[test]
    fn the_list_of_ci_names_what_there_is() {
        let script = include_str!("../../.ci/run");
        let lists = script.lines().filter_map(|line| line.trim().strip_prefix(REQUIRED_VARIABLE));
        let lists = lists.filter_map(|line| line.trim_start_matches('+').strip_prefix('='));
        // A part that a condition adds is a part of the list.
        let lists: String = lists.map(|list| list.replace("${debian:+", "").replace('}', "")).collect();
        assert!(Need::parse_list(&lists).expect("names").len() > 1);
    }
}
