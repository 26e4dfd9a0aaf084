//! Writing sets of known files.

use super::command::Command;
use super::exit::Failed;
use super::output::SharedOutput;
use pfh_known::About;
use std::io::{self, Write};

/// The output of a set, and whether it has failed: all other errors of writing a set are those of temporary files.
pub(super) struct SetOutput {
    output: SharedOutput,
    has_failed: bool,
}

impl Write for SetOutput {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.output.write(bytes).inspect_err(|_| self.has_failed = true)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.output.flush().inspect_err(|_| self.has_failed = true)
    }
}

/// Writes a set to the output of the command. Returns what it is about, and the result of writing to the output.
pub(super) fn write(
    command: &Command,
    write: impl FnOnce(&mut SetOutput) -> io::Result<About>,
) -> Result<(Option<About>, io::Result<()>), Failed> {
    let mut output = SetOutput { output: command.output(), has_failed: false };
    match write(&mut output) {
        Ok(about) => Ok((Some(about), Ok(()))),
        Err(error) if output.has_failed => Ok((None, Err(error))),
        Err(error) => Err(Failed::temporary(error)),
    }
}
