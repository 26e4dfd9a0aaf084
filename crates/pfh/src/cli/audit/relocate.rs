//! `pfh audit relocate`.

use super::super::audit_args::RelocateArguments;
use super::super::command::Command;
use super::super::exit::{Ending, Failed};
use super::super::message;
use super::collection::{Collection, full_path, person, quoted_roots};
use super::run::{apart, outside, root};
use pfh_ledger::Subject;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// Expected files of which one must be at the new path.
const TRIED_MAX: u32 = 10_000;

/// Runs `pfh audit relocate`.
pub(super) fn run(arguments: &RelocateArguments) -> Result<Ending, Failed> {
    let collection = Collection::of(&arguments.ledger)?;
    let (by, why) = person(arguments.by.as_deref(), &arguments.why)?;
    let (lock, mut ledger) = collection.open_alone(arguments.wait)?;
    let failed = |error| collection.failed(error);
    let mut roots = ledger.roots().map_err(failed)?;
    let old = std::path::absolute(&arguments.old).unwrap_or_else(|_| arguments.old.clone());
    let is_old = |root: &Vec<u8>| Path::new(OsStr::from_bytes(root)) == old;
    let Some(number) = roots.iter().position(is_old) else {
        return Err(Failed::usage(format_args!(
            "{} is no root of the ledger: {}. Name a root as it is written here",
            message::quoted_path(&old),
            quoted_roots(&roots)
        )));
    };
    let new = root(arguments.new.as_os_str())?;
    let before = std::mem::replace(&mut roots[number], new.as_os_str().as_bytes().to_vec());
    if roots[number] == before {
        return Err(Failed::usage(format_args!("{} is its path in the ledger already", message::quoted_path(&new))));
    }
    apart(&roots)?;
    outside(&collection.ledger, &roots)?;
    let number = number as u32;
    let expected = ledger.expected_below(number, TRIED_MAX).map_err(failed)?;
    let is_file = expected.iter().any(Vec::is_empty);
    if !expected.is_empty() && is_file != new.is_file() {
        let word = if is_file { "regular file" } else { "directory" };
        return Err(Failed::usage(format_args!("{} is no {word}, as it is in the ledger", message::quoted_path(&new))));
    }
    let is_there = |path: &Vec<u8>| {
        let path = full_path(&roots, &Subject { root: number, path: path.clone() });
        Path::new(OsStr::from_bytes(&path)).symlink_metadata().is_ok()
    };
    if !arguments.allow_empty && !expected.is_empty() && !expected.iter().any(is_there) {
        return Err(Failed::usage(format_args!(
            "{} has none of the files that are expected: is it mounted? Nothing was recorded; --allow-empty records the \
             new path all the same",
            message::quoted_path(&new)
        )));
    }
    ledger.relocate(number, &roots[number as usize], &by, why).map_err(failed)?;
    drop(lock);
    let (before, new) = (message::quoted(&before), message::quoted_path(&new));
    let mut text = format!("relocated  {before} to {new}\n");
    if collection.policy.as_ref().is_some_and(|policy| !policy.roots.is_empty()) {
        text += &format!("name {new} in the policy, too: {}\n", message::quoted_path(&arguments.ledger));
    }
    text += "`pfh audit run --full` reads all files where they are now\n";
    Command::printing()?.print(text)
}
