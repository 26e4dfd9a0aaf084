//! Verified copies, for `pfh copy` and `pfh bag create --copy-to`.
//!
//! The engine reads each file once, and a consumer stages it at all destinations (`reading.rs`). A thread of its own
//! takes the files in groups: makes them durable, reads them back by a second run of the engine, and gives those their
//! names that are equal (`publishing.rs`). Meanwhile the next files are read.

mod order;
mod publishing;
mod reading;
mod targets;
mod tree;

pub(crate) use order::{Order, Root};
pub(crate) use publishing::Copied;

use super::bag_files::fail;
use super::command::{Command, Item};
use super::ended::lock;
use super::exit::Failed;
use super::message;
use super::quantity::{Bytes, Count};
use order::is_staging;
use pfh_copy::{Items, Kind, Place, STAGING, Survey, is_left_over};
use pfh_record::{ErrorKind, FileError, Metadata, Outcome, Record, SkipReason};
use pfh_source::{EntryKind, Found, Other, Source as _, Totals, WalkOptions};
use publishing::{Paths, Publisher};
use std::io;
use std::sync::{Arc, Mutex};
use targets::{Destinations, Target, any_is_alive};

/// Copies. `None` if a signal has stopped that.
pub(crate) fn copy(
    command: &mut Command,
    order: &Order<'_>,
    destinations: Destinations,
) -> Result<Option<Finished>, Failed> {
    pfh_source::raise_open_file_limit();
    let memory = order.options.memory;
    let mut survey = Survey::new(memory / 4);
    let mut copied = Copied::default();
    for (number, root) in (0..).zip(&order.roots) {
        walk(command, order, number, root, &mut survey, &mut copied)?;
    }
    let totals = survey.totals();
    let mut items = survey.into_items().map_err(Failed::temporary)?;
    warn_of_space(&destinations, totals.bytes, &mut items).map_err(Failed::temporary)?;
    let items = Arc::new(Mutex::new(items));
    if command.cancel().is_cancelled() {
        destinations.leave();
        return Ok(None);
    }
    let targets = Arc::clone(&destinations.0);
    let mut publisher = Publisher::new(command, order, &destinations, copied)?;
    reading::read(command, order, &items, Totals::new(totals.files, totals.bytes), &mut publisher)?;
    if !command.cancel().is_cancelled() && any_is_alive(&targets) {
        tree::finish_tree(command, order, &mut lock(&items), &mut publisher).map_err(Failed::temporary)?;
    }
    publisher.warnings.end();
    let Publisher { findings, failed, mut copied, lacking, standing, broken, .. } = publisher;
    copied.missing = totals.files.saturating_sub(copied.files);
    command.tally.findings += findings;
    command.tally.unread += failed;
    if let Some(broken) = broken {
        return Err(broken);
    }
    if command.cancel().is_cancelled() {
        destinations.leave();
        return Ok(None);
    }
    let mut failures = Vec::new();
    for target in targets.iter() {
        if let Some(error) = &*lock(&target.failure) {
            failures.push(format!("{}: {error}", message::quoted_path(target.destination.path())));
        }
    }
    if !failures.is_empty() {
        destinations.leave();
        return Err(Failed::internal(format_args!(
            "{}: nothing more was copied to there; {} of {} files are at all destinations, and the same command goes on",
            failures.join("; "),
            Count(copied.files),
            Count(totals.files)
        )));
    }
    Ok(Some(Finished { copied, destinations, lacking, standing }))
}

/// Says which destinations have less room than the files take that are not there.
fn warn_of_space(destinations: &Destinations, bytes: u64, items: &mut Items) -> io::Result<()> {
    for Target { destination, .. } in destinations.0.iter() {
        let Some(free) = destination.free_bytes().filter(|free| *free < bytes) else { continue };
        let mut wanted = 0;
        while let Some(item) = items.next()? {
            if let Kind::File { size, leader: None, .. } = item.kind
                && destination.place(&item.path) == Place::Free
            {
                wanted += size;
            }
        }
        items.rewind()?;
        if free < wanted {
            message::error(format_args!(
                "{} has {} free, and {} are to be copied; what does not fit can be copied later by the same command",
                message::quoted_path(destination.path()),
                Bytes(free),
                Bytes(wanted)
            ));
        }
    }
    Ok(())
}

/// A copy that has ended, and what is needed to list it.
pub(crate) struct Finished {
    pub(crate) copied: Copied,
    destinations: Destinations,
    /// Files of which this run has written a line to the journal, and that are not at all destinations.
    lacking: Paths,
    /// Files that are at all destinations as a line says that the journal had before this run. The other earlier lines
    /// are of files that the sources of this run do not have, or have in another state.
    standing: Arc<Mutex<Paths>>,
}

impl Finished {
    /// Calls `each` with the record of every file that is at all destinations, by its path below them.
    pub(crate) fn each(&mut self, mut each: impl FnMut(Record) -> io::Result<()>) -> Result<io::Result<()>, Failed> {
        let Some(target) = self.destinations.0.first() else { return Ok(Ok(())) };
        let lists = target.journal()?;
        let (standing, mut left_out, mut listed) = (lock(&self.standing), Paths::default(), Paths::default());
        for entry in lists.into_iter().flatten() {
            // A list that lacks a file would look complete.
            let entry = match entry {
                Ok(entry) => entry,
                Err(error) => return Ok(Err(io::Error::other(error.to_string()))),
            };
            // The earlier line of a path, of which there is only one, comes first.
            let is_earlier = target.destination.knew(&entry.path) && !standing.contains(&entry.path);
            if is_earlier && left_out.insert(&entry.path) || self.lacking.contains(&entry.path) {
                continue;
            }
            // Equal files of several sources have a line each.
            if !target.has_own_paths && !listed.insert(&entry.path) {
                continue;
            }
            if let Err(error) = each(entry.into_record()) {
                return Ok(Err(error));
            }
        }
        Ok(Ok(()))
    }

    /// Removes the directories for staged files and the journals. One that stays is told, and is no failure.
    pub(crate) fn end(self) -> Result<(), Failed> {
        let mut failures = Vec::new();
        for Target { destination, .. } in self.destinations.0.iter() {
            if let Err(error) = destination.end(true) {
                let path = destination.path().join(STAGING);
                message::error(format_args!(
                    "{} cannot be removed: {error}; no copy needs it",
                    message::quoted_path(&path)
                ));
            }
            if let Err(error) = destination.sync() {
                failures.push(format!("{}: {error}", message::quoted_path(destination.path())));
            }
        }
        if failures.is_empty() {
            return Ok(());
        }
        Err(Failed::internal(format_args!("not everything was made durable: {}", failures.join("; "))))
    }
}

/// Reports that the name of the directory for staged files is left out of a source. It is an error, unless an
/// interrupted copy to this source has left it.
fn leave_out_staging(command: &mut Command, order: &Order<'_>, root: &Root) {
    let path = root.path().join(STAGING);
    if !is_left_over(&path) {
        let text = "it is not copied, because pfh keeps unfinished copies under this name; rename it";
        fail(command, path.into_os_string().into_encoded_bytes(), FileError::new(ErrorKind::Other, text));
    } else if !order.options.messages.quiet {
        message::error(format_args!(
            "{} is not copied: an interrupted copy to {} has left it",
            message::quoted_path(&path),
            message::quoted_path(root.path())
        ));
    }
}

/// Adds what a walk of a source finds.
fn walk(
    command: &mut Command,
    order: &Order<'_>,
    number: u32,
    root: &Root,
    survey: &mut Survey,
    copied: &mut Copied,
) -> Result<(), Failed> {
    let walk = WalkOptions {
        roots: vec![root.path.clone()],
        include: order.include.clone(),
        exclude: order.exclude.clone(),
        one_file_system: order.one_file_system,
        want_others: true,
        ..WalkOptions::default()
    };
    let (source, _) = order.run(walk, 0).into_parts().map_err(Failed::usage)?;
    if root.path().is_dir() {
        survey.directory(number, &root.prefix).map_err(Failed::temporary)?;
    }
    let cancel = command.cancel().clone();
    let too_long =
        || FileError::new(ErrorKind::NameTooLong, "the path is too long to be copied: 16,384 bytes are the most");
    let (mut result, mut has_staging) = (Ok(()), false);
    source.walk(&mut |found| {
        let path = match &found {
            Found::Entry(entry) => entry.path(),
            Found::Skipped(path, _) | Found::Failed(path, _) | Found::Other(path, _) => path.clone(),
            Found::Pause => return true,
        };
        let below = root.below(&path);
        if is_staging(root.inside(&path)) {
            copied.left_out += u64::from(matches!(&found, Found::Entry(entry) if entry.kind == EntryKind::Regular));
            // A filter leaves it out on purpose.
            if !has_staging && !matches!(found, Found::Other(_, Other::LeftOut)) {
                has_staging = true;
                leave_out_staging(command, order, root);
            }
            return true;
        }
        if below.len() > Survey::PATH_BYTES_MAX {
            fail(command, path, too_long());
            return true;
        }
        result = match found {
            Found::Entry(entry) if entry.kind == EntryKind::Regular => match source.stamp(&entry) {
                Ok(stamp) => {
                    let Metadata { size, mtime, .. } = stamp.metadata;
                    survey.file(number, &below, size, mtime.unwrap_or_default(), stamp.identity, stamp.links)
                }
                Err(error) => {
                    fail(command, path, error);
                    Ok(())
                }
            },
            Found::Entry(_) | Found::Skipped(_, SkipReason::NotRegular) => {
                copied.others += 1;
                // Others are met on a walk, and this one was asked for.
                if path == root.path {
                    let text = "it is a device, socket or pipe, which is not copied";
                    fail(command, path, FileError::new(ErrorKind::Other, text));
                }
                Ok(())
            }
            Found::Skipped(path, reason) => {
                command.count(&Item::new(&Record::new(path, Outcome::Skipped(reason)), ()));
                Ok(())
            }
            Found::Failed(path, error) => {
                fail(command, path, error);
                Ok(())
            }
            Found::Other(_, Other::Link(target)) => survey.link(number, &below, &target),
            Found::Other(_, Other::EmptyDirectory) => survey.directory(number, &below),
            Found::Other(_, Other::LeftOut) | Found::Pause => Ok(()),
        };
        result.is_ok() && !cancel.is_cancelled()
    });
    result.map_err(Failed::temporary)
}
