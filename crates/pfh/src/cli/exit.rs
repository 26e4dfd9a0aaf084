//! The events of a run, and the one function that maps them to an exit status.

use super::line;
use super::message::{self, Partial};
use pfh_list::NotDurable;
use std::io;
use std::panic::{UnwindSafe, catch_unwind};
use std::process::{self, ExitCode};

/// The state of the output at the end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Written {
    /// It was written to its end.
    #[default]
    Whole,
    /// Its reader closed the pipe before the end.
    Closed,
    /// It could not be written.
    Failed,
}

/// The events of a run. Commands report them; only [`Ending::status`] weighs them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Ending {
    /// Whether the command line is wrong, or the run could not begin.
    pub(crate) usage: bool,
    /// Whether pfh itself failed.
    pub(crate) internal: bool,
    pub(crate) written: Written,
    /// Whether Ctrl-C or SIGTERM came.
    pub(crate) interrupted: bool,
    /// Whether there are findings to report.
    pub(crate) findings: bool,
    /// Whether some input could not be read, or could not be expressed in the output format.
    pub(crate) unread: bool,
}

impl Ending {
    /// Everything is done, and there are no findings.
    pub(crate) const DONE: Ending = Ending {
        usage: false,
        internal: false,
        written: Written::Whole,
        interrupted: false,
        findings: false,
        unread: false,
    };
    const USAGE: Ending = Ending { usage: true, ..Ending::DONE };
    const INTERNAL: Ending = Ending { internal: true, ..Ending::DONE };
    const INTERRUPTED: Ending = Ending { interrupted: true, ..Ending::DONE };
    const UNREAD: Ending = Ending { unread: true, ..Ending::DONE };

    /// Returns the ending for an error of writing the output.
    fn of_output(error: &io::Error) -> Ending {
        let closed = error.kind() == io::ErrorKind::BrokenPipe;
        Ending { written: if closed { Written::Closed } else { Written::Failed }, ..Ending::DONE }
    }

    /// Combines the events of both.
    #[must_use]
    pub(crate) fn and(self, other: Ending) -> Ending {
        Ending {
            usage: self.usage || other.usage,
            internal: self.internal || other.internal,
            written: self.written.max(other.written),
            interrupted: self.interrupted || other.interrupted,
            findings: self.findings || other.findings,
            unread: self.unread || other.unread,
        }
    }

    /// Returns the exit status. An incomplete run never looks like a complete one. If the reader of the output has
    /// closed it, findings and unread input up to then decide, and otherwise the status is the usual one of a shell for
    /// such writers.
    fn status(self) -> ExitStatus {
        let Ending { usage, internal, written, interrupted, findings, unread } = self;
        match (findings, unread) {
            _ if usage => ExitStatus::Usage,
            _ if internal || written == Written::Failed => ExitStatus::Internal,
            _ if interrupted => ExitStatus::Interrupted,
            (true, true) => ExitStatus::FindingsAndUnread,
            (true, false) => ExitStatus::Findings,
            (false, true) => ExitStatus::Unread,
            (false, false) if written == Written::Closed => ExitStatus::Closed,
            (false, false) => ExitStatus::Done,
        }
    }
}

/// Runs the program, reports its failure, if any, and returns its exit status.
pub(crate) fn status_of(run: impl FnOnce() -> Result<Ending, Failed> + UnwindSafe) -> ExitCode {
    // Panics of single files become their errors, and do not get here. The panic itself has printed what happened and
    // where.
    let ended = catch_unwind(run).unwrap_or_else(|_| {
        Err(Failed::internal(
            "internal error: the run has ended early, and its list is not complete; please report the message above",
        ))
    });
    ExitCode::from(ended.unwrap_or_else(Failed::report).status().code())
}

/// The failure of a command that could not begin or continue: its ending and the message.
#[derive(Debug)]
pub(crate) struct Failed {
    ending: Ending,
    /// Absent if the reason was already reported.
    text: Option<String>,
}

impl Failed {
    fn new(ending: Ending, text: impl ToString) -> Failed {
        Failed { ending, text: Some(text.to_string()) }
    }

    /// Makes the failure of a wrong command line, or of a run that could not begin.
    pub(crate) fn usage(text: impl ToString) -> Failed {
        Failed::new(Ending::USAGE, text)
    }

    /// Makes the failure of a wrong command line whose reason was already reported.
    pub(crate) fn reported_usage() -> Failed {
        Failed { ending: Ending::USAGE, text: None }
    }

    /// Makes the failure of a command whose necessary input cannot be read.
    pub(crate) fn unread(text: impl ToString) -> Failed {
        Failed::new(Ending::UNREAD, text)
    }

    /// Makes the failure of pfh itself, or of writing something other than its output.
    pub(crate) fn internal(text: impl ToString) -> Failed {
        Failed::new(Ending::INTERNAL, text)
    }

    /// Makes the failure of a temporary file, or of the memory that is filled before one is written.
    pub(crate) fn temporary(error: io::Error) -> Failed {
        if error.kind() == io::ErrorKind::OutOfMemory {
            return Failed::usage(
                "the system refused memory for sorting; ask for less memory, or raise the limit (ulimit -v)",
            );
        }
        Failed::internal(format_args!(
            "a temporary file cannot be used: {error}; the variable TMPDIR chooses its directory"
        ))
    }

    /// Returns the end of a run whose output could not be written. If only its reader has closed it, there is nothing
    /// to report.
    pub(crate) fn of_output(error: &io::Error, after_error: &str) -> Result<Ending, Failed> {
        Failed::of_named_output(error, "the output", after_error)
    }

    /// As [`Failed::of_output`], with the words for the output.
    pub(crate) fn of_named_output(error: &io::Error, output: &str, after_error: &str) -> Result<Ending, Failed> {
        match Ending::of_output(error) {
            ending if ending.written == Written::Closed => Ok(ending),
            ending if NotDurable::is(error) => Err(Failed::new(
                ending,
                format_args!("{output}: {error}; run `sync`, since it may be lost if the power fails before"),
            )),
            ending => Err(Failed::new(ending, format_args!("{output} could not be written: {error}{after_error}"))),
        }
    }

    /// Prints the message, if it was not reported before, and returns the ending.
    fn report(self) -> Ending {
        self.text.iter().for_each(message::error);
        self.ending
    }
}

/// Combines the endings of parts of a command, none of which holds back the others: their failures are reported as they
/// come.
pub(crate) fn one_by_one(parts: impl Iterator<Item = Result<Ending, Failed>>) -> Ending {
    parts.map(|ended| ended.unwrap_or_else(Failed::report)).fold(Ending::DONE, Ending::and)
}

/// Combines the ending of a command with the failures of what it did beside, which held nothing back: they are reported
/// here.
pub(crate) fn with_others(ended: Result<Ending, Failed>, others: Vec<Result<(), Failed>>) -> Ending {
    let others = others.into_iter().filter_map(Result::err).map(Err);
    one_by_one([ended].into_iter().chain(others))
}

/// Ends the program after a signal, without waiting for the run. `partial` is the place of the finished part of its
/// output.
#[expect(clippy::exit, reason = "threads that hang in a read cannot be joined")]
pub(crate) fn leave(partial: Option<&Partial>) -> ! {
    line::clear();
    message::interrupted(partial);
    process::exit(i32::from(Ending::INTERRUPTED.status().code()));
}

/// The exit statuses of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ExitStatus {
    Done,
    Findings,
    Usage,
    Unread,
    Internal,
    FindingsAndUnread,
    Interrupted,
    Closed,
}

impl ExitStatus {
    /// Returns the number of the status.
    fn code(self) -> u8 {
        match self {
            ExitStatus::Done => 0,
            ExitStatus::Findings => 1,
            ExitStatus::Usage => 2,
            ExitStatus::Unread => 3,
            ExitStatus::Internal => 4,
            ExitStatus::FindingsAndUnread => 5,
            ExitStatus::Interrupted => 130,
            ExitStatus::Closed => 141,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every combination follows the table of docs/reference/exit-status.md: the first that applies of 2, 4 and 130,
    /// then findings and unread input, then a closed pipe.
    #[test]
    fn every_combination_has_its_status() {
        let flags = [false, true];
        let mut seen = 0;
        for written in [Written::Whole, Written::Closed, Written::Failed] {
            for number in 0..32_u8 {
                let flag = |bit: u8| flags[usize::from(number >> bit & 1)];
                let ending = Ending {
                    usage: flag(0),
                    internal: flag(1),
                    written,
                    interrupted: flag(2),
                    findings: flag(3),
                    unread: flag(4),
                };
                let seen_in_files = [0, 1, 3, 5][usize::from(flag(3)) + 2 * usize::from(flag(4))];
                let expected = if flag(0) {
                    2
                } else if flag(1) || written == Written::Failed {
                    4
                } else if flag(2) {
                    130
                } else if seen_in_files == 0 && written == Written::Closed {
                    141
                } else {
                    seen_in_files
                };
                assert_eq!(ending.status().code(), expected, "{ending:?}");
                // Only a whole output without other events is a success.
                assert_eq!(expected == 0, ending == Ending::DONE, "{ending:?}");
                seen += 1;
            }
        }
        assert_eq!(seen, 96);
    }

    #[test]
    fn refused_memory_is_no_failure_of_a_temporary_file() {
        let status = |kind: io::ErrorKind| Failed::temporary(kind.into()).ending.status();
        assert_eq!(status(io::ErrorKind::OutOfMemory), ExitStatus::Usage);
        assert_eq!(status(io::ErrorKind::StorageFull), ExitStatus::Internal);
    }

    #[test]
    fn what_happened_adds_up() {
        let findings = Ending { findings: true, ..Ending::DONE };
        assert_eq!(findings.and(Ending::UNREAD).status(), ExitStatus::FindingsAndUnread);
        let closed = Ending::of_output(&io::ErrorKind::BrokenPipe.into());
        assert_eq!(closed.and(Ending::UNREAD).status(), ExitStatus::Unread);
        assert_eq!(Ending::UNREAD.and(closed).status(), ExitStatus::Unread);
        assert_eq!(closed.and(Ending::DONE).status(), ExitStatus::Closed);
        let failed = Ending::of_output(&io::ErrorKind::StorageFull.into());
        assert_eq!(closed.and(failed).and(findings).status(), ExitStatus::Internal);
        assert_eq!(Ending::INTERRUPTED.and(closed).status(), ExitStatus::Interrupted);
        assert_eq!(Ending::USAGE.and(Ending::INTERNAL).status(), ExitStatus::Usage);
    }
}
