//! The context of a command: its output, signals, progress, messages and tally, and its one way to end.

use super::common_args::MessageArguments;
use super::common_args::WalkArguments;
use super::exit::{Ending, Failed};
use super::message::Partial;
use super::output::{Output, SharedOutput};
use super::progress::When;
use super::signals::{Guard, Signals};
use super::warnings::{Missing, Wanted, Warning, Warnings};
use super::{message, named_paths, progress, reading, warnings};
use pfh_engine::{CancelToken, Counters, Decide, Options, Prepare, Report, Sink};
use pfh_record::{FileIdentity, Record, Summary};
use pfh_source::{Source, Watch};
use std::ffi::OsString;
use std::io;
use std::ops::ControlFlow;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// The options for messages.
#[derive(Clone, Copy)]
pub(crate) struct Reporting {
    pub(crate) quiet: bool,
    pub(crate) verbose: bool,
    pub(crate) progress: When,
    /// Whether an output without results may replace a file.
    pub(crate) allow_empty: bool,
}

impl Reporting {
    /// The values for a command that has no such options.
    pub(crate) const DEFAULT: Reporting =
        Reporting { quiet: false, verbose: false, progress: When::Never, allow_empty: true };

    /// Takes the values from options.
    pub(crate) fn of(messages: MessageArguments, allow_empty: bool) -> Reporting {
        let MessageArguments { quiet, verbose, progress } = messages;
        Reporting { quiet, verbose, progress, allow_empty }
    }
}

/// Makes the end of a list from the counts of its records. Only formats of which a part is useful have one.
pub(crate) type Footer = Arc<dyn Fn(&mut Summary) -> Vec<u8> + Send + Sync>;

/// The counts of a command beside those of outcomes.
#[derive(Default)]
pub(crate) struct Tally {
    /// Files with findings, or pairs that were found.
    pub(crate) findings: u64,
    /// Files and lines that could not be read or expressed.
    pub(crate) unread: u64,
    /// Files among them that the format cannot express.
    pub(crate) not_expressed: u64,
    /// Files that are too long for a similarity digest.
    pub(crate) too_long: u64,
    /// Lines of lists among them.
    pub(crate) lines: u64,
    /// Files all of whose bytes are the same.
    pub(crate) uniform: u64,
}

/// A file's result for a command, with everything to report about it.
pub(crate) struct Item<T> {
    pub(crate) made: T,
    /// Bytes for the output.
    pub(crate) bytes: Vec<u8>,
    /// Boxed, since few items have one and all of them are moved.
    pub(crate) warning: Option<Box<Warning>>,
    pub(crate) is_finding: bool,
    pub(crate) is_unread: bool,
    pub(crate) is_not_expressed: bool,
    /// Whether it is too long for a similarity digest, or for the memory of the run.
    pub(crate) is_too_long: bool,
    /// Whether all bytes of the file are the same.
    is_uniform: bool,
    /// The counter of its outcome.
    counter: fn(&mut Summary) -> &mut u64,
}

impl<T> Item<T> {
    /// Makes an item with the reports that every command gives about a record.
    pub(crate) fn new(record: &Record, made: T) -> Item<T> {
        Item {
            made,
            bytes: Vec::new(),
            warning: warnings::about(record).map(Box::new),
            is_finding: false,
            is_unread: record.outcome.is_failure(),
            is_not_expressed: false,
            is_too_long: false,
            is_uniform: warnings::only_byte(record).is_some(),
            counter: Summary::counter(&record.outcome),
        }
    }

    /// Returns the item with another result, made of this one.
    pub(crate) fn map<U>(self, make: impl FnOnce(T) -> U) -> Item<U> {
        let Item { made, bytes, warning, is_finding, is_unread, is_not_expressed, is_too_long, is_uniform, counter } =
            self;
        let made = make(made);
        Item { made, bytes, warning, is_finding, is_unread, is_not_expressed, is_too_long, is_uniform, counter }
    }
}

/// A running command. It ends by [`Command::finish`]; if it is dropped instead, nothing remains of its output.
pub(crate) struct Command {
    output: SharedOutput,
    /// The footer, if a part of the output is useful.
    footer: Option<Footer>,
    /// The counters of the first run; outputs with a footer have only one run.
    counters: Option<Arc<Counters>>,
    /// The token of the first run, if it has one of its own.
    first_run: Option<CancelToken>,
    signals: &'static Signals,
    /// Absent if the program always waits for the command after a signal.
    guard: Option<Guard>,
    /// The advice how to continue after a signal, if the command saves its results by itself.
    continuation: Option<String>,
    reporting: Reporting,
    /// The word for the file of the output, if an error of writing it is to name it.
    output_word: Option<&'static str>,
    warnings: Warnings,
    pub(crate) tally: Tally,
    /// Whether a signal is no interruption: the command waits for one, or goes on to its end whatever comes.
    is_uninterruptible: bool,
    /// Whether the totals were reported, or are not to be.
    has_totals: bool,
    /// The result of writing so far.
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
                // A hanging read holds no lock on the output, so the finished part can be saved.
                let mut delivered = output.try_lock()?;
                let Some(footer) = &footer else {
                    delivered.output.discard();
                    return None;
                };
                let bytes = counters.bytes.load(Ordering::Relaxed);
                let mut summary = delivered.summary;
                (summary.bytes, summary.elapsed, summary.interrupted) = (bytes, started.elapsed(), true);
                delivered.output.finish_partial(&footer(&mut summary)).ok().flatten()
            })
        };
        Command {
            output,
            footer,
            counters: Some(counters),
            first_run: None,
            signals,
            guard: Some(guard),
            continuation: None,
            reporting,
            output_word: None,
            warnings: Warnings::new(Wanted::by(reporting.quiet, reporting.verbose)),
            tally: Tally::default(),
            is_uninterruptible: false,
            has_totals: false,
            written: Ok(()),
        }
    }

    /// Begins a command that prints to standard output, and does not count files.
    ///
    /// # Errors
    /// [`Failed`] if the program was started without standard output.
    pub(crate) fn printing() -> Result<Command, Failed> {
        let mut command = Command::begin(Reporting::DEFAULT, None);
        command.without_totals();
        command.set_output(reading::open_output(None, [])?);
        Ok(command)
    }

    /// Appends a text to the output and ends the command; see [`Command::finish`].
    ///
    /// # Errors
    /// [`Failed`] if the output could not be written.
    pub(crate) fn print(mut self, text: impl AsRef<[u8]>) -> Result<Ending, Failed> {
        self.write(text.as_ref());
        self.finish(Ok(()), 1, None)
    }

    /// Makes the program wait for the command after a signal, however long its end takes, because the command saves its
    /// results as they come and ends the programs that it started. `continuation` tells the user how to continue.
    pub(crate) fn saves_by_itself(&mut self, continuation: String) {
        drop(self.guard.take());
        self.continuation = Some(continuation);
    }

    /// Makes the program go on to the end of the command whatever signal comes, because what is done cannot be undone.
    pub(crate) fn go_to_the_end(&mut self) {
        drop(self.guard.take());
        self.is_uninterruptible = true;
    }

    /// Whether a signal has come that stops the command.
    pub(crate) fn is_stopped(&self) -> bool {
        self.cancel().is_cancelled() && !self.is_uninterruptible
    }

    /// Writes out what was appended to the output, which takes no more after that. Returns whether it was written.
    pub(crate) fn deliver_now(&mut self) -> bool {
        if self.written.is_ok() {
            let deliver = || self.output.lock().output.finish();
            let is_followed = self.output.lock().output.is_followed();
            self.written = match &self.guard {
                Some(guard) if !is_followed => guard.suspended(deliver),
                _ => deliver(),
            };
        }
        self.written.is_ok()
    }

    /// Waits for the signal that ends the command, for commands that go on until then: it is no interruption of them.
    /// The end of one of the inputs counts as a signal.
    #[cfg(any(feature = "serve", feature = "slowfs"))]
    pub(crate) fn run_until_signal(&mut self, inputs: impl IntoIterator<Item = Box<dyn io::Read + Send>>) {
        drop(self.guard.take());
        self.signals.wait(inputs);
        self.is_uninterruptible = true;
    }

    /// Sets the output.
    pub(crate) fn set_output(&self, output: Output) {
        self.output.lock().output = output;
    }

    /// Makes errors of writing name the file of the output, by this word and its path.
    pub(crate) fn name_output(&mut self, word: &'static str) {
        self.output_word = Some(word);
    }

    /// Returns the output, for its writers.
    pub(crate) fn output(&self) -> SharedOutput {
        self.output.clone()
    }

    /// Returns the token that signals cancel.
    pub(crate) fn cancel(&self) -> &CancelToken {
        self.signals.cancel()
    }

    /// Returns the flag that signals set, for libraries without tokens.
    pub(crate) fn cancel_flag(&self) -> &'static AtomicBool {
        self.signals.flag()
    }

    /// Whether only errors are to be reported.
    pub(crate) fn is_quiet(&self) -> bool {
        self.reporting.quiet
    }

    /// Appends to the output, unless writing failed before. [`Command::finish`] reports errors.
    pub(crate) fn write(&mut self, bytes: &[u8]) {
        if self.written.is_ok() {
            self.written = self.output.lock().output.write(bytes);
        }
    }

    /// Passes what was appended to the output to whoever reads along.
    pub(crate) fn end_group(&mut self) {
        // An earlier error stands.
        if self.written.is_ok() {
            self.written = self.output.lock().output.end_group();
        }
    }

    /// Whether all that was appended to the output could be written so far.
    pub(crate) fn is_writing(&self) -> bool {
        self.written.is_ok()
    }

    /// Counts an item, reports its warning, and writes its bytes.
    pub(crate) fn count<T>(&mut self, item: &Item<T>) {
        self.tally.findings += u64::from(item.is_finding);
        self.tally.unread += u64::from(item.is_unread || item.is_not_expressed || item.is_too_long);
        self.tally.not_expressed += u64::from(item.is_not_expressed);
        self.tally.too_long += u64::from(item.is_too_long);
        self.tally.uniform += u64::from(item.is_uniform);
        if let Some(warning) = &item.warning {
            self.warnings.say(warning);
        }
        // Counting and writing are under one lock, so that a signal finds both consistent.
        let mut delivered = self.output.lock();
        *(item.counter)(&mut delivered.summary) += 1;
        if self.written.is_ok() {
            self.written = delivered.output.write(&item.bytes);
        }
    }

    /// Reports the numbers of warnings that were only counted, for commands that do not read files by
    /// [`Command::hash`].
    pub(crate) fn end_warnings(&mut self) {
        self.warnings.end();
    }

    /// Discards what was appended to the output, and the output.
    pub(crate) fn discard_output(&mut self) {
        self.output.lock().output.discard();
    }

    /// Returns the number of files by outcome.
    pub(crate) fn summary(&self) -> Summary {
        self.output.lock().summary
    }

    /// Sets the number of files by outcome, for commands that do not read them by [`Command::hash`].
    pub(crate) fn set_summary(&self, summary: Summary) {
        self.output.lock().summary = summary;
    }

    /// Forgets what was counted, before the same files are read again.
    pub(crate) fn forget(&mut self) {
        self.tally = Tally::default();
        self.set_summary(Summary::default());
    }

    /// Leaves out the totals, because they are reported elsewhere.
    pub(crate) fn without_totals(&mut self) {
        self.has_totals = true;
    }

    /// Returns the counters of the run that comes first, which grow while it lasts.
    pub(crate) fn counters(&mut self) -> Arc<Counters> {
        Arc::clone(self.counters.get_or_insert_default())
    }

    /// Returns a token that cancels the run that comes first, and nothing else. Signals cancel that run, too.
    pub(crate) fn first_run(&mut self) -> CancelToken {
        let token = self.signals.cancel().child();
        self.first_run.insert(token).clone()
    }

    /// Checks the paths of the command line before the run; see [`named_paths::look`].
    ///
    /// # Errors
    /// [`Failed`] if one of them, or a list of paths, is also the output.
    pub(crate) fn look_at(&mut self, paths: &[OsString], walk: &WalkArguments) -> Result<(), Failed> {
        let own = self.output.lock().output.identities();
        self.look_at_inputs(paths, walk, &own)
    }

    /// Does the same for an output of these identities, before the command has it.
    pub(crate) fn look_at_inputs(
        &mut self,
        paths: &[OsString],
        walk: &WalkArguments,
        own: &[FileIdentity],
    ) -> Result<(), Failed> {
        let named = named_paths::look(paths, &mut self.warnings);
        if let Some(&(place, _)) = named.iter().find(|(_, identity)| own.contains(identity)) {
            return Err(reading::is_output(paths[place].as_bytes()));
        }
        reading::refuse_inputs(own, reading::path_lists(walk))
    }

    /// Counts lines of lists that could not be read.
    pub(crate) fn count_lines(&mut self, lines: u64) {
        self.tally.lines += lines;
        self.tally.unread += lines;
    }

    /// Does work that reads no files, and shows this text while it lasts if progress is wanted.
    pub(crate) fn work<R>(&mut self, text: impl FnMut() -> String + Send, work: impl FnOnce(&mut Command) -> R) -> R {
        progress::of_work(self.reporting.progress, text, || work(self))
    }

    /// Hashes files and shows the progress: `prepare` makes an item of each record, and `deliver` takes the items in
    /// the order of the output.
    ///
    /// # Errors
    /// If the run cannot begin.
    pub(crate) fn hash<S: Source + Watch, T: Send>(
        &mut self,
        options: &Options,
        source: &S,
        decide: Option<Decide<'_>>,
        prepare: Prepare<'_, Item<T>>,
        deliver: &mut (dyn FnMut(T) -> ControlFlow<()> + Send),
    ) -> Result<Report, pfh::Error> {
        let counters = self.counters.take().unwrap_or_default();
        let cancel = self.first_run.take().unwrap_or_else(|| self.cancel().clone());
        let report = progress::of_run(self.reporting.progress, source, &counters, || {
            let mut items = Items { command: self, deliver };
            pfh::run_on(options, source, prepare, &mut items, decide, &counters, &cancel)
        });
        self.warnings.end();
        report
    }

    /// Whether an output without results would replace an existing file. `results` is the number of results.
    pub(crate) fn spares(&self, results: u64) -> bool {
        let is_empty = results == 0 && !self.reporting.allow_empty && !self.signals.came();
        is_empty && self.output.lock().output.replaced().is_some()
    }

    /// Reports the totals once, if something could not be read, or the bytes of a file are all the same.
    pub(crate) fn report_totals(&mut self) {
        if self.tally.unread + self.tally.uniform > 0 && !self.has_totals {
            self.has_totals = true;
            let Tally { not_expressed, too_long, lines, uniform, .. } = self.tally;
            let missing = Missing { not_expressed, too_long, lines, uniform };
            warnings::say_totals(&self.output.lock().summary, missing);
        }
    }

    /// Ends the command: completes its output, prints the last reports, and returns the ending. `written` is the result
    /// of writing, `results` the number of results in the output, and `summary` the counts for the end of a list, if it
    /// has one.
    ///
    /// # Errors
    /// [`Failed`] if the output could not be written.
    pub(crate) fn finish(
        mut self,
        written: io::Result<()>,
        results: u64,
        summary: Option<&mut Summary>,
    ) -> Result<Ending, Failed> {
        // A list is stored however long that takes. Whoever reads along may never take the rest.
        if !self.output.lock().output.is_followed() {
            drop(self.guard.take());
        }
        let interrupted = self.signals.came() && !self.is_uninterruptible;
        let footer = match (&self.footer, summary) {
            (Some(footer), Some(summary)) => Some(footer(summary)),
            _ => None,
        };
        let spares = self.spares(results);
        let (output_name, after_error) = self.names_of_failure();
        let written = std::mem::replace(&mut self.written, Ok(())).and(written);
        let ended = match (written, &footer) {
            // The signal stopped the writing.
            (_, None) if interrupted => {
                self.report_interrupted(None);
                Ok(())
            }
            (Err(error), _) => Err(error),
            (Ok(()), Some(footer)) if interrupted => {
                let saved = self.output.lock().output.finish_partial(footer);
                saved.map(|partial| self.report_interrupted(partial.as_ref()))
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
            Err(error) => Failed::of_named_output(&error, &output_name, &after_error).map(|closed| ending.and(closed)),
        }
    }

    /// Returns the words for the output, and those after an error of writing it.
    fn names_of_failure(&self) -> (String, String) {
        let delivered = self.output.lock();
        match (self.output_word, delivered.output.target()) {
            (Some(word), Some(path)) => {
                (format!("the {word} {}", message::quoted_path(path)), format!("; no {word} was made"))
            }
            _ => ("the output".to_owned(), delivered.output.after_error().to_owned()),
        }
    }

    /// Reports that a signal stopped the command, and the place of its results.
    fn report_interrupted(&self, partial: Option<&Partial>) {
        match &self.continuation {
            Some(continuation) => message::error(format_args!("interrupted; {continuation}")),
            None => message::interrupted(partial),
        }
    }

    /// Reports that the existing file is not replaced.
    fn report_spared(&self) {
        let replaced = self.output.lock().output.replaced().map(Path::to_owned);
        if let Some(path) = replaced {
            message::spared(&path);
        }
    }
}

/// Discards an output that was not finished. (The signal handler holds on to the output.)
impl Drop for Command {
    fn drop(&mut self) {
        self.output.lock().output.discard();
    }
}

/// The one sink of all commands: keeps the tally, reports warnings, and passes on the results.
struct Items<'a, T> {
    command: &'a mut Command,
    deliver: &'a mut (dyn FnMut(T) -> ControlFlow<()> + Send),
}

impl<T: Send> Sink for Items<'_, T> {
    type Item = Item<T>;

    fn deliver(&mut self, item: Item<T>) -> ControlFlow<()> {
        self.command.count(&item);
        match self.command.written {
            Ok(()) => (self.deliver)(item.made),
            Err(_) => ControlFlow::Break(()),
        }
    }

    fn end_group(&mut self) -> ControlFlow<()> {
        self.command.end_group();
        if self.command.written.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    }
}
