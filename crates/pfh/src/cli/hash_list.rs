//! The list of `pfh hash`, which `pfh merge` makes of the results of shards: its digests, its usual format, its lines.

use super::command::Item;
use super::exit::Failed;
use super::foreign;
use super::warnings::{self, Warning};
use pfh_digest::{Algorithm, Digest};
use pfh_record::{DigestKind, Format, FormatName, Record, Selection, Similarity};

/// Parses the names of algorithms and families, each once; none for `none`.
pub(crate) fn selection(names: &[String]) -> Result<Selection, Failed> {
    let mut selection = Selection::default();
    for name in names.iter().filter(|name| !name.trim().is_empty()) {
        match name.trim() {
            "none" if names.len() > 1 => return Err(Failed::usage("`none` cannot be combined with algorithms")),
            "none" => return Ok(selection),
            "all" => selection.extend(Algorithm::all()),
            name => match name.parse::<DigestKind>() {
                Ok(kind) => selection.extend([kind]),
                Err(unknown) => {
                    let advice = foreign::of_letters(name).map_or_else(String::new, |advice| format!("; {advice}"));
                    return Err(Failed::usage(format_args!("{unknown}{advice}")));
                }
            },
        }
    }
    if selection.is_empty() {
        return Err(Failed::usage("no algorithm is named; `pfh algorithms` lists them"));
    }
    Ok(selection)
}

/// Returns the usual format for these digests; `None` if nothing is listed.
pub(crate) fn usual_format(selection: &Selection, has_facts: bool) -> Option<FormatName> {
    Some(match (selection.algorithms(), selection.families()) {
        // Few formats have facts about contents.
        _ if has_facts => FormatName::Jsonl,
        ([], []) => return None,
        ([], [family]) => FormatName::Similarity(*family),
        ([one], []) if !one.is_keyed() => FormatName::Gnu,
        (_, []) => FormatName::Bsd,
        _ => FormatName::Jsonl,
    })
}

/// Formats a record, with its warnings. `tells_missing_digests`: the format itself states which files have no
/// similarity digest.
pub(crate) fn item(format: &dyn Format, tells_missing_digests: bool, record: &Record) -> Item<()> {
    // In most formats the digests and the path are most of the bytes, so this usually allocates once.
    let hex = |digest: &Digest| 2 * digest.bytes().len() + 4;
    let texts: usize = record.similarities.iter().map(Similarity::text_bytes).sum();
    let mut bytes = Vec::with_capacity(record.path.len() + texts + record.digests.iter().map(hex).sum::<usize>());
    let mut item = Item::new(record, ());
    item.is_finding = warnings::has_finding(record);
    item.is_too_long = warnings::is_too_long(record);
    match format.record(record, &mut bytes) {
        Ok(()) if tells_missing_digests && !item.is_too_long => {}
        Ok(()) => item.warning = item.warning.or_else(|| warnings::no_digest(record).map(Box::new)),
        Err(why) => {
            item.warning = Some(Box::new(Warning::new(&record.path, why.to_string())));
            item.is_not_expressed = true;
        }
    }
    item.bytes = bytes;
    item
}
