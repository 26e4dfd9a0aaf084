//! Runs named steps, lets all of them run whatever the others did, and says at the end how each went.

use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::Result;

/// Problems, one line each; empty if there are none.
#[derive(Debug, Default)]
pub(crate) struct Findings(Vec<String>);

impl Findings {
    pub(crate) fn add(&mut self, finding: impl Into<String>) {
        self.0.push(finding.into());
    }

    /// The note when nothing was found, an error that lists everything otherwise.
    pub(crate) fn into_result(self, note: impl Into<String>) -> Result<String> {
        if self.0.is_empty() { Ok(note.into()) } else { Err(anyhow::Error::msg(self.0.join("\n"))) }
    }

    #[cfg(test)]
    pub(crate) fn lines(&self) -> &[String] {
        &self.0
    }
}

/// The beginning of a note that says why nothing, or not all, could be checked.
pub(crate) const SKIPPED: &str = "SKIPPED";

/// Steps may be silent for long: this often, a line says that one goes on.
const SIGN_OF_LIFE: Duration = Duration::from_secs(60);

/// How the steps went so far.
#[derive(Default)]
pub(crate) struct Summary {
    steps: Vec<(String, Result<String>, Duration)>,
}

impl Summary {
    /// Runs one step. `Ok` carries a short note for the summary (may be empty); one that begins with [`SKIPPED`] is
    /// listed and counted apart.
    pub(crate) fn step(&mut self, name: &str, body: impl FnOnce() -> Result<String>) {
        println!("── {name}");
        let start = Instant::now();
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
        if let Err(error) = &result {
            println!("{error:#}");
        }
        self.steps.push((name.to_owned(), result, start.elapsed()));
    }

    /// Prints the table and says whether all steps passed.
    pub(crate) fn finish(self) -> bool {
        println!("── summary");
        for (name, result, duration) in &self.steps {
            let seconds = duration.as_secs_f64();
            match result {
                Ok(note) if note.starts_with(SKIPPED) => println!("  skip   {name:<12} {seconds:>7.1} s  {note}"),
                Ok(note) => println!("   ok    {name:<12} {seconds:>7.1} s  {note}"),
                Err(error) => {
                    let text = format!("{error:#}");
                    let first = text.lines().next().unwrap_or_default();
                    let more = text.lines().count().saturating_sub(1);
                    let more = if more == 0 { String::new() } else { format!(" (and {more} more lines, above)") };
                    println!(" FAILED  {name:<12} {seconds:>7.1} s  {first}{more}");
                }
            }
        }
        let failed = self.steps.iter().filter(|(_, result, _)| result.is_err()).count();
        match failed {
            0 => {
                let is_skipped = |result: &Result<String>| result.as_ref().is_ok_and(|note| note.starts_with(SKIPPED));
                match self.steps.iter().filter(|(_, result, _)| is_skipped(result)).count() {
                    0 => println!("all {} steps passed", self.steps.len()),
                    skipped => println!("{} steps passed, {skipped} skipped", self.steps.len() - skipped),
                }
            }
            _ => println!("{failed} of {} steps FAILED", self.steps.len()),
        }
        failed == 0
    }
}
