//! `pfh bag`.

use super::bag_args::{BagArguments, BagCommand};
use super::exit::{Ending, Failed};
use super::{bag_make, bag_verify};

/// Runs `pfh bag`.
pub(crate) fn run(arguments: &BagArguments) -> Result<Ending, Failed> {
    match &arguments.command {
        BagCommand::Create(arguments) => bag_make::create(arguments),
        BagCommand::Verify(arguments) => bag_verify::run(arguments),
        BagCommand::Update(arguments) => bag_make::update(arguments),
    }
}
