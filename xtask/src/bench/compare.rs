//! One comparison: do all contenders agree, and how long does each take.

use std::ffi::OsStr;

use anyhow::{Result, bail};

use super::cache::Cache;
use super::contenders::Contender;
use super::corpus::{Corpus, Prepared, Store};
use super::digests::{self, Digests};
use super::rate::{self, Measured, Yardstick};
use super::runner::{self, Sample};
use crate::process::find_program_in;
use crate::workspace::Workspace;

/// Some contenders over one corpus in one state of the page cache. Ratios refer to the first contender.
pub(super) struct Comparison {
    pub(super) id: String,
    pub(super) corpus: Corpus,
    pub(super) cache: Cache,
    pub(super) contenders: Vec<Contender>,
    /// The measure with which the first contender is compared.
    pub(super) yardstick: Option<Yardstick>,
}

/// Results of a comparison.
pub(super) struct Results {
    /// One for each contender, in their order; empty when the comparison was skipped.
    pub(super) rows: Vec<Row>,
    pub(super) notes: Vec<String>,
}

pub(super) struct Row {
    pub(super) label: String,
    pub(super) command: String,
    pub(super) memory_option_bytes: Option<u64>,
    pub(super) outcome: Outcome,
}

pub(super) enum Outcome {
    Measured(Vec<Sample>),
    /// The program is not on this machine.
    Missing,
    /// It failed, or its digests are not those of the others.
    Failed(String),
}

impl Results {
    /// False when a contender failed or disagreed.
    pub(super) fn all_well(&self) -> bool {
        self.rows.iter().all(|row| !matches!(row.outcome, Outcome::Failed(_)))
    }
}

/// How comparisons are run.
pub(super) struct Bench<'a> {
    pub(super) workspace: &'a Workspace,
    pub(super) store: &'a Store<'a>,
    /// `PATH` of all commands.
    pub(super) path: &'a OsStr,
    pub(super) threads: usize,
    pub(super) runs: usize,
    pub(super) rates: Measured,
}

impl Bench<'_> {
    pub(super) fn compare(&self, comparison: &Comparison, corpus: &Prepared) -> Result<Results> {
        let mut results = Results { rows: Vec::new(), notes: Vec::new() };
        if let Some(reason) = comparison.cache.unavailable() {
            println!("skipped: {reason}");
            results.notes.push(format!("Skipped: {reason}."));
            return Ok(results);
        }
        let mut expected = None;
        for contender in &comparison.contenders {
            let outcome = match self.check(contender, corpus, &mut expected) {
                Ok(true) => Outcome::Measured(Vec::new()),
                Ok(false) => Outcome::Missing,
                Err(error) => {
                    println!("   {}: {error:#}", contender.label);
                    Outcome::Failed(format!("{error:#}"))
                }
            };
            results.rows.push(Row {
                label: contender.label.clone(),
                command: contender.command(corpus, self.threads),
                memory_option_bytes: contender.memory_option_bytes,
                outcome,
            });
        }
        drop(expected);
        for round in 0..self.runs {
            self.round(round, comparison, corpus, &mut results)?;
        }
        if let Some(yardstick) = comparison.yardstick {
            results.notes.push(rate::note(self, yardstick, corpus, &results.rows));
        }
        Ok(results)
    }

    /// Runs a contender once for its digests and compares them with those of the ones before it. This also warms the
    /// page cache. False when the program is missing.
    fn check(&self, contender: &Contender, corpus: &Prepared, expected: &mut Option<Digests>) -> Result<bool> {
        if contender.program != "pfh" && find_program_in(contender.program, self.path).is_none() {
            return Ok(false);
        }
        // One job: the output of several at a time would mix.
        let command = contender.command(corpus, 1);
        let output = runner::output(&command, self.store.folder(), self.path)?;
        let Some(list) = contender.list else { return Ok(true) };
        let observed = digests::parse(list, &output)?;
        match expected {
            Some(expected) => {
                if let Some(difference) = digests::difference(expected, &observed) {
                    bail!("disagrees with those before it: {difference}");
                }
            }
            None if !list.has_every_file() || observed.len() as u64 == corpus.files => *expected = Some(observed),
            None => bail!("lists {} of {} files", observed.len(), corpus.files),
        }
        Ok(true)
    }

    /// Each contender once, beginning with another one each time.
    fn round(&self, round: usize, comparison: &Comparison, corpus: &Prepared, results: &mut Results) -> Result<()> {
        let count = results.rows.len();
        for turn in 0..count {
            let row = &mut results.rows[(round + turn) % count];
            let Outcome::Measured(samples) = &mut row.outcome else { continue };
            comparison.cache.prepare(&self.store.folder().join(&corpus.folder))?;
            match runner::measure(&row.command, self.store.folder(), self.path) {
                Ok(sample) => {
                    println!("   {}/{} {:>9.3} s  {}", round + 1, self.runs, sample.wall_s, row.label);
                    samples.push(sample);
                }
                Err(error) => {
                    println!("   {}/{} failed: {error:#}", round + 1, self.runs);
                    row.outcome = Outcome::Failed(format!("{error:#}"));
                }
            }
        }
        Ok(())
    }
}
