//! `pfh compare`.

use super::args::{CompareArguments, SimilarityArguments, WalkArguments};
use super::delivery::Delivery;
use super::exit::Failed;
use super::gather::DigestCollector;
use super::index_file::{self, IndexFile};
use super::lists;
use super::named_digests::NamedDigests;
use super::pairs::{PairWriter, own_format};
use super::similar::{self, Similar};
use super::{Ending, heatmap, message};
use pfh_list::List;
use pfh_record::DigestKind;
use pfh_similarity::Family;
use std::io::Write;

/// Does what `pfh compare` is asked to.
pub(crate) fn run(arguments: CompareArguments) -> Ending {
    compare(&arguments).unwrap_or_else(Failed::report)
}

fn compare(arguments: &CompareArguments) -> Result<Ending, Failed> {
    let how = &arguments.how;
    let mut lists = lists::open_all(&arguments.digests)?;
    let mut against_lists = lists::open_all(&arguments.against_digests)?;
    let family = match (arguments.family, &arguments.index) {
        (Some(family), _) => family,
        (None, Some(path)) => index_file::family(path)?,
        (None, None) => family_of(lists.iter_mut().chain(&mut against_lists))?,
    };
    let threshold = threshold(family, how)?;
    if arguments.index.is_some() && family == Family::Ssdeep && threshold == 0 {
        return Err(Failed::usage("--threshold 0: an index finds what scores 1 or more"));
    }
    if arguments.build_index.is_some() {
        index_file::check(family)?;
    }
    let index = arguments.index.as_deref().map(|path| IndexFile::open(path, family)).transpose()?;
    let picture = arguments.heatmap.as_deref();
    // Whether it can be written is known before the work.
    let path = picture.or(arguments.build_index.as_deref()).or(how.output.as_deref());
    let mut delivery = Delivery::open(path)?;

    let has_right = !(arguments.against.is_empty() && arguments.against_digests.is_empty());
    let bytes_max = how.memory / if has_right { 4 } else { 2 };
    let cancel = delivery.cancel().clone();
    let mut gather = DigestCollector::new(how, &arguments.families, &cancel, delivery.own_files());
    // Lists that have nothing are to be known before files are read.
    let mut right = has_right.then(|| NamedDigests::new(family, bytes_max));
    if let (Some(right), []) = (&mut right, &arguments.against[..]) {
        gather.lists(std::mem::take(&mut against_lists), true, right)?;
    }
    let mut left = NamedDigests::new(family, bytes_max);
    gather.paths(&arguments.paths, &arguments.walk, &mut left)?;
    gather.lists(lists, !arguments.has_files(), &mut left)?;
    if let (Some(right), [_, ..]) = (&mut right, &arguments.against[..]) {
        // The lists of files are of the left side.
        let walk = WalkArguments { files_from: None, files_from0: None, ..arguments.walk.clone() };
        gather.paths(&arguments.against, &walk, right)?;
        gather.lists(against_lists, false, right)?;
    }
    let ending = Ending { unread: gather.unread > 0, ..Ending::DONE };

    let is_spared = delivery.empties(left.len(), how.allow_empty);
    if is_spared {
        delivery.say_spared();
    }
    gather.end();
    if is_spared {
        return Ok(ending.and(Ending::UNREAD));
    }
    if arguments.build_index.is_some() {
        let written = index_file::write(&left, &mut delivery);
        return delivery.end(written, ending);
    }
    let profile = arguments.families.sdhash_profile.into();
    let similar = Similar { how, profile, left: &left, right: right.as_ref() };
    if picture.is_some() {
        if left.len() > heatmap::FILES_MAX {
            return Err(Failed::usage(format_args!(
                "--heatmap draws at most {} files, and there are {}: choose some with --include, or a smaller directory",
                heatmap::FILES_MAX,
                left.len()
            )));
        }
        let (worst, best) = if family == Family::Tlsh { (threshold.max(1), 0) } else { (0, 100) };
        let drawn = similar.collect(&delivery);
        let written = drawn.and_then(|found| delivery.write_all(heatmap::svg(&left, &found, worst, best).as_bytes()));
        return delivery.end(written, ending);
    }
    let mut sheet = PairWriter::new(delivery, how.format.unwrap_or(own_format(family)), Some(family));
    let mut written = sheet.header(&[family.name()], Some(threshold), arguments.clusters);
    if written.is_ok() {
        written = match index {
            Some(mut index) => index.look_up(&left, threshold, &mut sheet)?,
            None if arguments.clusters => similar.print_clusters(&mut sheet),
            None => similar.print_pairs(arguments.top, &mut sheet),
        };
    }
    sheet.end(written, similar.count(), ending)
}

/// The family of the first list that has similarity digests, or ssdeep.
pub(super) fn family_of<'a>(lists: impl Iterator<Item = &'a mut List>) -> Result<Family, Failed> {
    let mut family = None;
    for list in lists {
        match list.family() {
            Some(first) => family = family.or(Some(first)),
            None if matches!(list.first_kind(), Some(DigestKind::Algorithm(_))) => {
                let name = message::quoted(list.name());
                return Err(Failed::usage(format_args!(
                    "{name} begins with cryptographic digests; if it has similarity digests too, -a says of which family"
                )));
            }
            None => {}
        }
    }
    Ok(family.unwrap_or(Family::Ssdeep))
}

/// The threshold; refuses one that no score reaches, and options of other families.
pub(super) fn threshold(family: Family, how: &SimilarityArguments) -> Result<u32, Failed> {
    let own = [
        ("symmetric", how.symmetric, Family::Sdhash),
        ("sample", how.sample.is_some(), Family::Sdhash),
        ("fast", how.fast, Family::Sdhash),
        ("resemblance", how.resemblance, Family::MrshV2),
    ];
    if let Some((name, _, owner)) = own.into_iter().find(|&(_, is_given, owner)| is_given && owner != family) {
        return Err(Failed::usage(format_args!("--{name} is for {owner}, and the digests are of {family}")));
    }
    match how.threshold {
        Some(threshold @ 101..) if family != Family::Tlsh => {
            Err(Failed::usage(format_args!("--threshold {threshold}: scores of {family} are at most 100")))
        }
        _ => Ok(similar::threshold(family, how)),
    }
}
