//! `pfh audit accept` and `forget`.

use super::super::audit_args::DecideArguments;
use super::super::command::Command;
use super::super::exit::{self, Ending, Failed};
use super::super::message;
use super::collection::{Collection, full_path, person, subject};
use pfh_ledger::{Error, Ledger, Status, Subject};

/// Runs `pfh audit accept`.
pub(super) fn accept(arguments: &DecideArguments) -> Result<Ending, Failed> {
    decide(arguments, "accepted", Ledger::accept)
}

/// Runs `pfh audit forget`.
pub(super) fn forget(arguments: &DecideArguments) -> Result<Ending, Failed> {
    decide(arguments, "forgotten", Ledger::forget)
}

/// Decides about a file or directory; by whom and why.
type Decision = fn(&mut Ledger, &Subject, &str, &str) -> Result<Vec<(Subject, Status)>, Error>;

fn decide(arguments: &DecideArguments, done: &str, decision: Decision) -> Result<Ending, Failed> {
    let collection = Collection::of(&arguments.ledger)?;
    let (lock, mut ledger) = collection.open_alone(arguments.wait)?;
    let failed = |error| collection.failed(error);
    let (by, why) = person(arguments.by.as_deref(), &arguments.why)?;
    let roots = ledger.roots().map_err(failed)?;
    let (mut text, mut decided) = (String::new(), Ok(()));
    for path in &arguments.paths {
        let files = subject(&ledger, &roots, path).and_then(|at| decision(&mut ledger, &at, &by, why));
        match files {
            Ok(files) => {
                for (subject, status) in files {
                    let path = message::quoted(&full_path(&roots, &subject));
                    text += &format!("{done:<10} {path} (was {})\n", status.word());
                }
            }
            Err(error) => {
                decided = Err(failed(match error {
                    Error::Undecided(at, reason) => {
                        Error::Refused(reason.about(&message::quoted(&full_path(&roots, &at))))
                    }
                    error => error,
                }));
                break;
            }
        }
    }
    drop(lock);
    // The decisions before one that was refused are in the ledger, so they are told, too.
    let printed = Command::printing().and_then(|command| command.print(text));
    Ok(exit::with_others(printed, vec![decided]))
}
