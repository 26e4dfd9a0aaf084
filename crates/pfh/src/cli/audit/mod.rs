//! `pfh audit`.

mod collection;
mod decide;
mod deliver;
mod describe;
mod export;
mod head;
mod look;
mod metrics;
mod page;
mod perform;
mod policy;
mod premis;
mod relocate;
mod report;
mod reported;
mod run;

use super::audit_args::{AuditArguments, AuditCommand};
use super::exit::{Ending, Failed};

/// Runs `pfh audit`.
pub(crate) fn run(arguments: &AuditArguments) -> Result<Ending, Failed> {
    match &arguments.command {
        AuditCommand::Init(arguments) => run::init(arguments),
        AuditCommand::Run(arguments) => run::run(arguments),
        AuditCommand::Migrate(arguments) => run::migrate(arguments),
        AuditCommand::Status(arguments) => look::status(arguments),
        AuditCommand::History(arguments) => look::history(arguments),
        AuditCommand::Report(arguments) => report::run(arguments),
        AuditCommand::Export(arguments) => export::run(arguments),
        AuditCommand::Accept(arguments) => decide::accept(arguments),
        AuditCommand::Forget(arguments) => decide::forget(arguments),
        AuditCommand::Relocate(arguments) => relocate::run(arguments),
        AuditCommand::Head(arguments) => head::head(arguments),
        AuditCommand::VerifyLedger(arguments) => head::verify(arguments),
    }
}
