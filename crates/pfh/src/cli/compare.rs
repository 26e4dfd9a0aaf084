//! `pfh compare`.

use super::args::{CompareArguments, WalkArguments};
use super::command::Command;
use super::exit::Failed;
use super::gather::DigestCollector;
use super::index_file::{self, IndexFile};
use super::lists;
use super::named_digests::NamedDigests;
use super::pairs::{PairWriter, own_format};
use super::reading;
use super::similar::{Comparison, checked_threshold, family_of};
use super::{Ending, heatmap};
use pfh_similarity::Family;
use std::io::Write;

/// Does what `pfh compare` is asked to.
pub(crate) fn run(arguments: CompareArguments) -> Ending {
    compare(&arguments).unwrap_or_else(Failed::report)
}

fn compare(arguments: &CompareArguments) -> Result<Ending, Failed> {
    let options = &arguments.options;
    let mut lists = lists::open_all(&arguments.digests)?;
    let mut against_lists = lists::open_all(&arguments.against_digests)?;
    let family = match (arguments.family, &arguments.index) {
        (Some(family), _) => family,
        (None, Some(path)) => index_file::family(path)?,
        (None, None) => family_of(lists.iter_mut().chain(&mut against_lists))?,
    };
    let threshold = checked_threshold(family, options)?;
    if arguments.index.is_some() && family == Family::Ssdeep && threshold == 0 {
        return Err(Failed::usage("--threshold 0: an index finds what scores 1 or more"));
    }
    if arguments.build_index.is_some() {
        index_file::check(family)?;
    }
    let index = arguments.index.as_deref().map(|path| IndexFile::open(path, family)).transpose()?;
    let picture = arguments.heatmap.as_deref();
    // Whether it can be written is known before the work.
    let path = picture.or(arguments.build_index.as_deref()).or(options.output.as_deref());
    let mut command = Command::begin(options.reporting(), None);
    command.set_output(reading::open_output(path)?);

    let has_right = !(arguments.against.is_empty() && arguments.against_digests.is_empty());
    let bytes_max = options.memory / if has_right { 4 } else { 2 };
    let collector = DigestCollector { options, families: &arguments.families };
    // Lists that have nothing are to be known before files are read.
    let mut right = has_right.then(|| NamedDigests::new(family, bytes_max));
    if let (Some(right), []) = (&mut right, &arguments.against[..]) {
        collector.lists(&mut command, std::mem::take(&mut against_lists), true, right)?;
    }
    let mut left = NamedDigests::new(family, bytes_max);
    collector.paths(&mut command, &arguments.paths, &arguments.walk, &mut left)?;
    collector.lists(&mut command, lists, !arguments.has_files(), &mut left)?;
    if let (Some(right), [_, ..]) = (&mut right, &arguments.against[..]) {
        // The lists of files are of the left side.
        let walk = WalkArguments { files_from: None, files_from0: None, ..arguments.walk.clone() };
        collector.paths(&mut command, &arguments.against, &walk, right)?;
        collector.lists(&mut command, against_lists, false, right)?;
    }
    let count = left.len() as u64;
    if command.spares(count) {
        return command.finish(Ok(()), count, None);
    }
    command.report_totals();
    let mut output = command.output();
    if arguments.build_index.is_some() {
        let written = index_file::write(&left, &mut output);
        return command.finish(written, count, None);
    }
    let profile = arguments.families.sdhash_profile.into();
    let comparison = Comparison { options, profile, left: &left, right: right.as_ref() };
    if picture.is_some() {
        if left.len() > heatmap::FILES_MAX {
            return Err(Failed::usage(format_args!(
                "--heatmap draws at most {} files, and there are {}: choose some with --include, or a smaller directory",
                heatmap::FILES_MAX,
                left.len()
            )));
        }
        let (worst, best) = if family == Family::Tlsh { (threshold.max(1), 0) } else { (0, 100) };
        let drawn = comparison.collect(command.cancel());
        let written = drawn.and_then(|found| output.write_all(heatmap::svg(&left, &found, worst, best).as_bytes()));
        return command.finish(written, count, None);
    }
    let mut writer = PairWriter::new(output, options.format.unwrap_or(own_format(family)), Some(family));
    let mut written = writer.header(&[family.name()], Some(threshold), arguments.clusters);
    if written.is_ok() {
        written = match index {
            Some(mut index) => index.look_up(&left, threshold, &mut writer)?,
            None if arguments.clusters => comparison.print_clusters(&mut writer),
            None => comparison.print_pairs(arguments.top, &mut writer),
        };
    }
    writer.finish(command, written, comparison.count())
}
