//! What happened in a run, and the one function that makes an exit status of it.

use super::message::{self, Partial};
use super::progress;
use std::io;
use std::process::{self, ExitCode};

/// How far the output got.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Written {
    /// To its end.
    #[default]
    Whole,
    /// Its reader closed the pipe before the end.
    Closed,
    /// It could not be written.
    Failed,
}

/// What happened in a run. Commands say what they saw; [`Ending::status`] alone weighs it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Ending {
    /// The command line is wrong, or the run could not begin.
    pub(crate) usage: bool,
    /// pfh itself failed.
    pub(crate) internal: bool,
    pub(crate) written: Written,
    /// Ctrl-C or SIGTERM came.
    pub(crate) interrupted: bool,
    /// There is something to report.
    pub(crate) findings: bool,
    /// Some input could not be read, or could not be expressed in the output format.
    pub(crate) unread: bool,
}

impl Ending {
    /// Everything was done, and there is nothing to report.
    pub(crate) const DONE: Ending = Ending {
        usage: false,
        internal: false,
        written: Written::Whole,
        interrupted: false,
        findings: false,
        unread: false,
    };
    pub(crate) const USAGE: Ending = Ending { usage: true, ..Ending::DONE };
    pub(crate) const INTERNAL: Ending = Ending { internal: true, ..Ending::DONE };
    pub(crate) const INTERRUPTED: Ending = Ending { interrupted: true, ..Ending::DONE };
    pub(crate) const UNREAD: Ending = Ending { unread: true, ..Ending::DONE };

    /// Writing the output ended with this error.
    pub(crate) fn of_output(error: &io::Error) -> Ending {
        let closed = error.kind() == io::ErrorKind::BrokenPipe;
        Ending { written: if closed { Written::Closed } else { Written::Failed }, ..Ending::DONE }
    }

    /// Both happened.
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

    /// The exit status. A run that did not reach its end never looks like one that did: where the reader of the output
    /// has left, what was seen until then decides, and otherwise the status is the one that a shell shows for such
    /// writers.
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

impl From<Ending> for ExitCode {
    fn from(ending: Ending) -> ExitCode {
        ExitCode::from(ending.status().code())
    }
}

/// A command could not begin or could not go on: how it ended by that, and why.
#[derive(Debug)]
pub(crate) struct Failed {
    ending: Ending,
    text: String,
}

impl Failed {
    pub(crate) fn new(ending: Ending, text: impl ToString) -> Failed {
        Failed { ending, text: text.to_string() }
    }

    /// The command line is wrong, or the run could not begin.
    pub(crate) fn usage(text: impl ToString) -> Failed {
        Failed::new(Ending::USAGE, text)
    }

    /// The end of a run whose output could not be written: where only its reader has left, there is nothing to report.
    pub(crate) fn of_output(error: &io::Error, after_error: &str) -> Result<Ending, Failed> {
        match Ending::of_output(error) {
            ending if ending.written == Written::Closed => Ok(ending),
            ending => Err(Failed::new(ending, format_args!("the output could not be written: {error}{after_error}"))),
        }
    }

    /// Reports why.
    pub(crate) fn report(self) -> Ending {
        message::error(self.text);
        self.ending
    }
}

/// Leaves the program after a signal, where the run cannot be waited for. `partial`: what was finished of its output.
#[expect(clippy::exit, reason = "threads that hang in a read cannot be joined")]
pub(crate) fn leave(partial: Option<&Partial>) -> ! {
    progress::clear();
    message::interrupted(partial);
    process::exit(i32::from(Ending::INTERRUPTED.status().code()));
}

/// How the program ended, for the shell.
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
    /// The number that the shell sees.
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

    /// Every combination, by the table of docs/reference/exit-status.md: the first that holds of 2, 4 and 130; then
    /// what was found and what was not read; then a closed pipe.
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
                // Only a whole output, and nothing else, is a success.
                assert_eq!(expected == 0, ending == Ending::DONE, "{ending:?}");
                seen += 1;
            }
        }
        assert_eq!(seen, 96);
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
