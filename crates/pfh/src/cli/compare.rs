//! `pfh compare`.

use super::args::CompareArguments;
use super::command::{Command, Reporting};
use super::common_args::WalkArguments;
use super::exit::{Ending, Failed};
use super::gather::DigestCollector;
use super::heatmap;
use super::lists;
use super::pairs::{PairWriter, Relation, own_format};
use super::reading;
use super::similar::{Comparison, checked_threshold, family_of};
use pfh_list::{DigestIndex, Name, NamedDigests};
use pfh_similarity::Family;
use std::ffi::OsString;
use std::io::{self, Write};

/// Runs `pfh compare`.
pub(crate) fn run(arguments: &CompareArguments) -> Result<Ending, Failed> {
    let options = &arguments.options;
    let words = arguments.digests.iter().chain(&arguments.against_digests).chain(&arguments.paths);
    reading::one_input(words.map(OsString::as_os_str), Some(&arguments.walk))?;
    let has_lists = !(arguments.digests.is_empty() && arguments.against_digests.is_empty());
    lists::refuse_needless_format(arguments.read_as, has_lists)?;
    let mut lists = lists::open_all(&arguments.digests, arguments.read_as, None)?;
    let mut against_lists = lists::open_all(&arguments.against_digests, arguments.read_as, None)?;
    if let (Some(family), true) = (arguments.family, arguments.index.is_some()) {
        check_index(family)?;
    }
    let index = arguments.index.as_ref().map(|path| DigestIndex::open(path, arguments.family)).transpose();
    let index = index.map_err(Failed::usage)?;
    let family = match (arguments.family, &index) {
        (Some(family), _) => family,
        (None, Some(index)) => index.family(),
        (None, None) => family_of(lists.iter_mut().chain(&mut against_lists))?,
    };
    let threshold = checked_threshold(family, options)?;
    if index.is_some() && family == Family::Ssdeep && threshold == 0 {
        return Err(Failed::usage("--threshold 0 cannot be used with --index, which finds only scores of 1 or more"));
    }
    if arguments.build_index.is_some() {
        check_index(family)?;
    }
    let picture = arguments.heatmap.as_deref();
    // The output is opened before the work, so that errors appear early.
    let path = picture.or(arguments.build_index.as_deref()).or(options.output.as_deref());
    let mut command = Command::begin(Reporting::of(options.messages, options.allow_empty), None);
    let inputs = arguments.digests.iter().chain(&arguments.against_digests).map(OsString::as_os_str);
    let inputs = inputs.chain(arguments.index.as_ref().map(|index| index.as_os_str()));
    command.set_output(reading::open_output(path, inputs)?);

    let has_right = !(arguments.against.is_empty() && arguments.against_digests.is_empty());
    let bytes_max = options.memory / if has_right { 4 } else { 2 };
    let files_max = if picture.is_some() { heatmap::FILES_MAX } else { usize::MAX };
    let collector = DigestCollector { options, families: &arguments.families, files_max };
    // Useless lists are reported before files are read.
    let mut right = has_right.then(|| NamedDigests::new(family, bytes_max));
    if let (Some(right), []) = (&mut right, &arguments.against[..]) {
        collector.lists(&mut command, std::mem::take(&mut against_lists), true, right)?;
    }
    let mut left = NamedDigests::new(family, bytes_max);
    collector.paths(&mut command, &arguments.paths, &arguments.walk, &mut left)?;
    collector.lists(&mut command, lists, !arguments.has_files(), &mut left)?;
    if left.len() > files_max {
        return Err(Failed::usage(format_args!(
            "--heatmap draws at most {files_max} files, and there are more: choose some with --include, or a smaller directory"
        )));
    }
    if let (Some(right), [_, ..]) = (&mut right, &arguments.against[..]) {
        // Lists of files belong to the left side.
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
        let written = left.write_index(&mut output);
        return command.finish(written, count, None);
    }
    let profile = arguments.families.sdhash_profile.into();
    let comparison = Comparison { options, profile, left: &left, right: right.as_ref() };
    if picture.is_some() {
        let (worst, best) = if family == Family::Tlsh { (threshold.max(1), 0) } else { (0, 100) };
        let drawn = comparison.collect(command.cancel());
        let written = drawn.and_then(|found| output.write_all(heatmap::svg(&left, &found, worst, best).as_bytes()));
        return command.finish(written, count, None);
    }
    let mut writer =
        PairWriter::new(output, options.format.unwrap_or(own_format(family)), Some(family), options.messages.quiet);
    let mut written = writer.header(&[family.name()], Some(threshold), arguments.clusters);
    if written.is_ok() {
        written = match index {
            Some(mut index) => look_up(&mut index, &left, threshold, &mut writer)?,
            None if arguments.clusters => comparison.print_clusters(&mut writer),
            None => comparison.print_pairs(arguments.top, &mut writer),
        };
    }
    writer.finish(command, written, comparison.count())
}

/// Refuses families that have no index.
fn check_index(family: Family) -> Result<(), Failed> {
    if family.has_index() { Ok(()) } else { Err(Failed::usage("only ssdeep and tlsh digests can be indexed")) }
}

/// Looks up every digest in an index, and prints the similar ones. Returns the result of printing.
fn look_up(
    index: &mut DigestIndex,
    named: &NamedDigests,
    threshold: u32,
    writer: &mut PairWriter,
) -> Result<io::Result<()>, Failed> {
    for number in 0..named.len() {
        let Some(digest) = named.digests().get(number) else { break };
        let found = index.matches(&digest, threshold).map_err(Failed::unread)?;
        let name = named.name(number as u32);
        let printed = found
            .iter()
            .try_for_each(|one| writer.pair(name, Name { list: None, name: &one.name }, Relation::Similar(one.score)))
            .and_then(|()| if found.is_empty() { Ok(()) } else { writer.end_group() });
        if printed.is_err() {
            return Ok(printed);
        }
    }
    Ok(Ok(()))
}
