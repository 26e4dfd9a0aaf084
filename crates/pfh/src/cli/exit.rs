//! Exit statuses, one enum for all commands.

use std::process::ExitCode;

/// How the program ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ExitStatus {
    /// Everything was done, and there is nothing to report.
    Done,
    /// There are findings: a file bears the marks of a collision attack.
    Findings,
    /// The command line is wrong; nothing was done.
    Usage,
    /// Some input could not be read, or could not be expressed in the output format.
    Unread,
    /// The output could not be written, or pfh itself failed.
    Internal,
    /// Stopped by Ctrl-C or SIGTERM.
    Interrupted,
}

impl ExitStatus {
    /// The number that the shell sees.
    pub(crate) fn code(self) -> u8 {
        match self {
            ExitStatus::Done => 0,
            ExitStatus::Findings => 1,
            ExitStatus::Usage => 2,
            ExitStatus::Unread => 3,
            ExitStatus::Internal => 4,
            ExitStatus::Interrupted => 130,
        }
    }
}

impl From<ExitStatus> for ExitCode {
    fn from(status: ExitStatus) -> ExitCode {
        ExitCode::from(status.code())
    }
}
