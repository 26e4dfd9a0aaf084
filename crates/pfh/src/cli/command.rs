//! The context of a command that reads and writes: its output, signals, progress, messages and tally, and the one way
//! in which it ends.

use super::args::When;
use super::exit::{Ending, Failed};
use super::output::{Output, SharedOutput};
use super::signals::{Guard, Signals};
use super::warnings::{Missing, Wanted, Warning, Warnings};
use super::{message, named_paths, progress, warnings};
use pfh_engine::{CancelToken, Counters, Decide, Options, Prepare, Report, Sink};
use pfh_list::FileIdentity;
use pfh_record::{Record, Summary};
use pfh_source::{Source, Watch};
use std::ffi::OsString;
use std::io;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

/// The options on messages.
#[derive(Clone, Copy)]
pub(crate) struct Reporting {
    pub(crate) quiet: bool,
    pub(crate) verbose: bool,
    pub(crate) progress: When,
    /// An output without any result may take the place of a file.
    pub(crate) allow_empty: bool,
}

/// Makes the end of an output of which a part is of use, from the counts of what it has.
pub(crate) type Footer = Arc<dyn Fn(&mut Summary) -> Vec<u8> + Send + Sync>;

/// Counts of a command beside those of outcomes.
#[derive(Default)]
pub(crate) struct Tally {
    /// Files with findings, or pairs that were found.
    pub(crate) findings: u64,
    /// Files and lines that could not be read or expressed.
    pub(crate) unread: u64,
    /// Files among them that the format cannot express.
    pub(crate) not_expressed: u64,
    /// Lines of lists among them.
    pub(crate) lines: u64,
}

/// A file on its way to a command: what the command makes of it, and what there is to report.
pub(crate) struct Item<T> {
    pub(crate) made: T,
    /// Goes to the output as it is.
    pub(crate) bytes: Vec<u8>,
    pub(crate) warning: Option<Warning>,
    pub(crate) is_finding: bool,
    pub(crate) is_unread: bool,
    pub(crate) is_not_expressed: bool,
    /// The count of the summary that it belongs to.
    counter: fn(&mut Summary) -> &mut u64,
}

impl<T> Item<T> {
    /// An item with what every command reports of a record.
    pub(crate) fn new(record: &Record, made: T) -> Item<T> {
        Item {
            made,
            bytes: Vec::new(),
            warning: message::about(record),
            is_finding: false,
            is_unread: message::is_failure(&record.outcome),
            is_not_expressed: false,
            counter: Summary::counter(&record.outcome),
        }
    }

    /// The same with something else that was made.
    pub(crate) fn with<U>(self, made: U) -> Item<U> {
        let Item { bytes, warning, is_finding, is_unread, is_not_expressed, counter, .. } = self;
        Item { made, bytes, warning, is_finding, is_unread, is_not_expressed, counter }
    }
}

/// A command at work. It ends by [`Command::finish`]; where it is dropped instead, nothing is left of its output.
pub(crate) struct Command {
    output: SharedOutput,
    /// Of an output of which a part is of use.
    footer: Option<Footer>,
    /// Of the first run: an output of which a part is of use has no other.
    counters: Option<Arc<Counters>>,
    signals: &'static Signals,
    _guard: Guard,
    reporting: Reporting,
    warnings: Warnings,
    pub(crate) tally: Tally,
    /// The totals are not to be reported, or were.
    has_totals: bool,
    /// How writing went so far.
    written: io::Result<()>,
}

impl Command {
    /// Begins a command, before there is a file that a signal could leave behind.
    pub(crate) fn begin(reporting: Reporting, footer: Option<Footer>) -> Command {
        let signals = Signals::listen();
        let output = SharedOutput::new(signals.cancel().clone());
        let counters = Arc::new(Counters::default());
        let guard = {
            let (output, footer, counters, started) =
                (output.clone(), footer.clone(), Arc::clone(&counters), Instant::now());
            signals.guard(move || {
                // A read that hangs holds no lock on the output: what is finished can be saved.
                let mut delivered = output.try_lock()?;
                let Some(footer) = &footer else {
                    delivered.output.discard();
                    return None;
                };
                let bytes = counters.bytes.load(Ordering::Relaxed);
                let mut summary = Summary { bytes, elapsed: started.elapsed(), interrupted: true, ..delivered.summary };
                delivered.output.finish_partial(&footer(&mut summary)).ok().flatten()
            })
        };
        Command {
            output,
            footer,
            counters: Some(counters),
            signals,
            _guard: guard,
            reporting,
            warnings: Warnings::new(Wanted::by(reporting.quiet, reporting.verbose)),
            tally: Tally::default(),
            has_totals: false,
            written: Ok(()),
        }
    }

    /// Writes to this output from now on.
    pub(crate) fn set_output(&self, output: Output) {
        self.output.lock().output = output;
    }

    /// The output, for whoever writes to it.
    pub(crate) fn output(&self) -> SharedOutput {
        self.output.clone()
    }

    /// The token that signals cancel.
    pub(crate) fn cancel(&self) -> &CancelToken {
        self.signals.cancel()
    }

    /// Whether only errors are to be reported.
    pub(crate) fn is_quiet(&self) -> bool {
        self.reporting.quiet
    }

    /// The files that the output consists of, which are not to be read.
    pub(crate) fn own_files(&self) -> Vec<FileIdentity> {
        self.output.lock().output.identities()
    }

    /// Appends to the output, unless an earlier writing failed: [`Command::finish`] tells.
    pub(crate) fn write(&mut self, bytes: &[u8]) {
        if self.written.is_ok() {
            self.written = self.output.lock().output.write(bytes);
        }
    }

    /// How many files of each outcome there were.
    pub(crate) fn summary(&self) -> Summary {
        self.output.lock().summary
    }

    /// Sets how many files of each outcome there were, where it is not [`Command::hash`] that reads them.
    pub(crate) fn set_summary(&self, summary: Summary) {
        self.output.lock().summary = summary;
    }

    /// Something else reports the totals.
    pub(crate) fn without_totals(&mut self) {
        self.has_totals = true;
    }

    /// Looks at the paths of the command line before the run; see [`named_paths::look`].
    pub(crate) fn look_at(&mut self, paths: &[OsString]) -> Vec<(usize, FileIdentity)> {
        named_paths::look(paths, &mut self.warnings)
    }

    /// Counts lines of lists that could not be read.
    pub(crate) fn count_lines(&mut self, lines: u64) {
        self.tally.lines += lines;
        self.tally.unread += lines;
    }

    /// Hashes files, while progress is shown: `prepare` makes an item of each record, and `deliver` takes it in the
    /// order of the output.
    ///
    /// # Errors
    /// Where the run cannot begin.
    pub(crate) fn hash<S: Source + Watch, T: Send>(
        &mut self,
        options: &Options,
        source: &S,
        decide: Option<Decide<'_>>,
        prepare: Prepare<'_, Item<T>>,
        deliver: &mut (dyn FnMut(T) -> ControlFlow<()> + Send),
    ) -> Result<Report, pfh::Error> {
        let (counters, cancel) = (self.counters.take().unwrap_or_default(), self.cancel().clone());
        let report = progress::of_run(self.reporting.progress, source, &counters, || {
            let mut items = Items { command: self, deliver };
            pfh::run_on(options, source, prepare, &mut items, decide, &counters, &cancel)
        });
        self.warnings.end();
        report
    }

    /// Whether the output would take the place of a file that is there, with nothing in it: `results` is how much there
    /// is.
    pub(crate) fn spares(&self, results: u64) -> bool {
        let is_empty = results == 0 && !self.reporting.allow_empty && !self.signals.came();
        is_empty && self.output.lock().output.replaced().is_some()
    }

    /// Reports the totals, once, where something could not be read.
    pub(crate) fn report_totals(&mut self) {
        if self.tally.unread > 0 && !self.has_totals {
            self.has_totals = true;
            let Tally { not_expressed, lines, .. } = self.tally;
            warnings::say_totals(&self.output.lock().summary, Missing { not_expressed, lines });
        }
    }

    /// Ends the command: its output, what there is left to report, and what it all was. `written`: how writing went;
    /// `results`: how much there is in the output; `summary`: what the end of a list tells, where it has one.
    ///
    /// # Errors
    /// [`Failed`] where the output could not be written.
    pub(crate) fn finish(
        mut self,
        written: io::Result<()>,
        results: u64,
        summary: Option<&mut Summary>,
    ) -> Result<Ending, Failed> {
        let interrupted = self.signals.came();
        let footer = match (&self.footer, summary) {
            (Some(footer), Some(summary)) => Some(footer(summary)),
            _ => None,
        };
        let spares = self.spares(results);
        let after_error = self.output.lock().output.after_error();
        let written = std::mem::replace(&mut self.written, Ok(())).and(written);
        let ended = match (written, &footer) {
            // What has stopped the writing is the signal.
            (_, None) if interrupted => {
                message::interrupted(None);
                Ok(())
            }
            (Err(error), _) => Err(error),
            (Ok(()), Some(footer)) if interrupted => {
                let saved = self.output.lock().output.finish_partial(footer);
                saved.map(|partial| message::interrupted(partial.as_ref()))
            }
            (Ok(()), _) if spares => {
                self.report_spared();
                Ok(())
            }
            (Ok(()), footer) => {
                let output = &mut self.output.lock().output;
                if let (Some(_), 0, 0, Some(path)) = (footer, results, self.tally.unread, output.target()) {
                    let path = message::quoted_path(path);
                    message::error(format_args!("no file was found to read, so {path} is empty"));
                }
                footer.as_ref().map_or(Ok(()), |footer| output.write(footer)).and_then(|()| output.finish())
            }
        };
        self.report_totals();
        let unread = self.tally.unread > 0 || spares;
        let ending = Ending { interrupted, findings: self.tally.findings > 0, unread, ..Ending::DONE };
        match ended {
            Ok(()) => Ok(ending),
            Err(error) => Failed::of_output(&error, after_error).map(|closed| ending.and(closed)),
        }
    }

    /// Reports that the file that is there stays as it is.
    fn report_spared(&self) {
        let replaced = self.output.lock().output.replaced().map(Path::to_owned);
        if let Some(path) = replaced {
            message::spared(&path);
        }
    }
}

/// Nothing is left behind where the end was not reached. (The signal handler holds on to the output.)
impl Drop for Command {
    fn drop(&mut self) {
        self.output.lock().output.discard();
    }
}

/// The one sink of all commands: keeps the tally, reports, and hands on what was made.
struct Items<'a, T> {
    command: &'a mut Command,
    deliver: &'a mut (dyn FnMut(T) -> ControlFlow<()> + Send),
}

impl<T: Send> Sink for Items<'_, T> {
    type Item = Item<T>;

    fn deliver(&mut self, item: Item<T>) -> ControlFlow<()> {
        let tally = &mut self.command.tally;
        tally.findings += u64::from(item.is_finding);
        tally.unread += u64::from(item.is_unread || item.is_not_expressed);
        tally.not_expressed += u64::from(item.is_not_expressed);
        if let Some(warning) = &item.warning {
            self.command.warnings.say(warning);
        }
        {
            // A signal finds what is written counted.
            let mut delivered = self.command.output.lock();
            *(item.counter)(&mut delivered.summary) += 1;
            if self.command.written.is_ok() {
                self.command.written = delivered.output.write(&item.bytes);
            }
        }
        match self.command.written {
            Ok(()) => (self.deliver)(item.made),
            Err(_) => ControlFlow::Break(()),
        }
    }

    fn end_group(&mut self) -> ControlFlow<()> {
        self.command.written = self.command.output.lock().output.end_group();
        if self.command.written.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    }
}
