//! Directories and symbolic links.

use super::super::command::Command;
use super::super::warnings::Warning;
use super::order::Order;
use super::publishing::Publisher;
use pfh_copy::{Destination, Items, Kind};
use pfh_list::ByteSort;
use pfh_record::Metadata;
use std::io;
use std::sync::Arc;

/// Makes directories and symbolic links, and then gives the directories their attributes.
pub(super) fn finish_tree(
    command: &Command,
    order: &Order<'_>,
    items: &mut Items,
    publisher: &mut Publisher<'_>,
) -> io::Result<()> {
    items.rewind()?;
    let targets = Arc::clone(&publisher.targets);
    let mut directories = ByteSort::new(order.options.memory / 8);
    while let Some(item) = items.next()? {
        if command.cancel().is_cancelled() {
            return Ok(());
        }
        let source = order.roots[item.source as usize].source(&item.path);
        match item.kind {
            Kind::File { .. } => {}
            Kind::Directory => {
                let depth = item.path.iter().filter(|&&byte| byte == b'/').count() as u32;
                directories.push(&[&(!depth).to_be_bytes()[..], &item.source.to_be_bytes(), &item.path].concat())?;
                publisher.make_everywhere(&item.path, &|destination| destination.make_directory(&item.path));
            }
            Kind::Link { target: text } => {
                let mtime = attributes(publisher, &source, false).and_then(|found| found.mtime);
                let make = |destination: &Destination| destination.make_link(&item.path, &text, mtime);
                publisher.copied.links += u64::from(publisher.make_everywhere(&item.path, &make));
            }
        }
    }
    // The deepest first, because a mode can forbid what is to be done below.
    directories.into_each(|record| {
        let Some((number, path)) = record.get(4..).and_then(|rest| rest.split_first_chunk::<4>()) else {
            return Ok(());
        };
        let source = order.roots[u32::from_be_bytes(*number) as usize].source(path);
        // Of a directory that is gone meanwhile, there is nothing to keep.
        let Some(found) = attributes(publisher, &source, true) else { return Ok(()) };
        for target in targets.iter().filter(|target| target.is_alive()) {
            // Why it was not made has been told.
            let _ = target.destination.keep_attributes(path, &found);
        }
        Ok(())
    })
}

/// Returns the attributes of a directory or of a symbolic link in a source. Unless it is gone meanwhile, reports why
/// they cannot be kept.
fn attributes(publisher: &mut Publisher<'_>, source: &[u8], follow: bool) -> Option<Metadata> {
    match pfh_source::metadata_at(source, follow) {
        Ok(found) => Some(found),
        Err(error) => {
            if !matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) {
                publisher.failed += 1;
                publisher.warnings.say(&Warning::new(source, format!("its attributes are not kept: {error}")));
            }
            None
        }
    }
}
