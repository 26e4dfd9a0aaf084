//! Properties of readers that hold for any input. Shared by the fuzz targets and by the tests of `pfh-record`, which
//! run the seeds.

use pfh_record::jsonl::{Journal, LineContent};
use pfh_record::{
    Columns, Entry, FormatName, Md5deepForm, Outcome, ReadOptions, Reader, RunFacts, Selection, WriteOptions,
};
use pfh_similarity::Family;

/// Short, so that a fuzzer meets the limit.
const LINE_BYTES_MAX: usize = 1 << 14;

/// The first byte chooses options, the rest is the list: reading ends, yields no more items than there are bytes, and
/// what was found is found again after it was written in the same format.
pub fn list(format: FormatName, input: &[u8]) {
    let [flags, input @ ..] = input else { return };
    let options = ReadOptions {
        algorithm: None,
        null_terminated: flags & 1 != 0 && format.has_null_form(),
        piecewise: flags & 2 != 0,
        line_bytes_max: Some(LINE_BYTES_MAX),
        ..ReadOptions::default()
    };
    let mut count = 0;
    let mut found = Vec::new();
    for item in Reader::new(format, input, options) {
        count += 1;
        found.extend(item.ok());
    }
    assert!(count <= input.len() + 1, "more items than bytes");
    for listed in found.iter().filter(|listed| listed.piece.is_none() && !options.piecewise) {
        comes_back(format, listed, options);
    }
}

/// As [`list`], with the form in a byte before the options.
pub fn md5deep(input: &[u8]) {
    let [form, input @ ..] = input else { return };
    let bit = |place: u8| form >> place & 1 == 1;
    let form = Md5deepForm { asterisk: bit(0), size: bit(1), comma: bit(2), time: bit(3) };
    list(FormatName::Md5deep(form), input);
}

/// The first line names the columns of the table that follows: reading ends, and yields no more items than there are
/// bytes.
pub fn columns(input: &[u8]) {
    let Some(end) = input.iter().position(|&byte| byte == b'\n') else { return };
    let (columns, table) = (&input[..end], &input[end + 1..]);
    let Some(columns) = str::from_utf8(columns).ok().and_then(|text| text.parse::<Columns>().ok()) else { return };
    let options = ReadOptions { line_bytes_max: Some(LINE_BYTES_MAX), ..ReadOptions::default() };
    let count = Reader::with_columns(columns, table, options).count();
    assert!(count <= table.len() + 1, "more items than bytes");
}

/// Reading a journal ends, and tells whole lines from others.
pub fn journal(input: &[u8]) {
    let (mut entries, mut kept) = (0, Vec::new());
    let read = Journal::read(input, |line| {
        entries += u64::from(matches!(line.content, LineContent::File(_)));
        kept.extend_from_slice(line.bytes);
        kept.push(b'\n');
    });
    let Ok(journal) = read else { return };
    assert_eq!(journal.entries, entries);
    let whole = usize::try_from(journal.whole_bytes).expect("an offset within the input");
    assert!(whole <= input.len() && input[..whole].last().is_none_or(|&byte| byte == b'\n'));
    assert!(journal.torn.is_some() || journal.broken.count > 0 || whole == input.len());
    // Where only an interruption came in between, it is whole once it is cut, but for a byte-order mark.
    if journal.broken.count == 0 {
        let mark_bytes = if input.starts_with(b"\xEF\xBB\xBF") { 3 } else { 0 };
        assert_eq!(kept, &input[mark_bytes.min(whole)..whole]);
    }
    // The whole lines make up a journal without faults, with the same entries.
    let salvaged = Journal::read(&kept[..], |_| ()).expect("a journal");
    assert!(salvaged.torn.is_none() && salvaged.broken.count == 0);
    assert!(salvaged.entries == entries && salvaged.whole_bytes == kept.len() as u64);
}

/// Detection looks and does not panic.
pub fn detect(input: &[u8]) {
    let _ = pfh_record::detect(input, ReadOptions::default());
}

/// Writes what was read and reads it again.
fn comes_back(format: FormatName, entry: &Entry, options: ReadOptions) {
    let mut selection: Selection = entry.digests.iter().map(|digest| digest.algorithm()).collect();
    selection.extend(entry.similarities.iter().map(|similarity| similarity.family));
    let has_repeated = selection.len() < entry.digests.len() + entry.similarities.len();
    let write_options =
        WriteOptions { null_terminated: options.null_terminated, piecewise: false, ..WriteOptions::default() };
    // The forms that name no algorithm take one; whatever it is, the reader is told.
    let Ok(writer) = format.writer(&selection, &write_options) else { return };
    let stands_for_stdin = matches!(format, FormatName::Hashdeep | FormatName::Md5deep(_)) && entry.path == b"-";
    // A list of mrsh-v2 begins with a name, and the beginning of a list may be a byte-order mark.
    let is_mark = [&b"\xFF\xFE"[..], b"\xFE\xFF", b"\xEF\xBB\xBF"].iter().any(|mark| entry.path.starts_with(mark));
    if is_mark && format == FormatName::Similarity(Family::MrshV2) {
        return;
    }
    if stands_for_stdin || has_repeated {
        return;
    }
    // Digests are written of complete files only.
    let mut record = entry.clone().into_record();
    record.outcome = Outcome::Complete;
    let mut document = Vec::new();
    writer.header(&RunFacts { selection: selection.clone(), ..RunFacts::default() }, &mut document);
    if writer.record(&record, &mut document).is_err() {
        return;
    }
    writer.footer(&Default::default(), &mut document);
    let algorithm = if let [one] = selection.algorithms() { Some(*one) } else { None };
    // Escapes and the words of our own may make it longer than it came.
    let options = ReadOptions { algorithm, line_bytes_max: None, ..options };
    let again: Vec<Entry> =
        Reader::new(format, &document[..], options).map(|item| item.expect("our own line")).collect();
    let sorted = |entry: &Entry| {
        let mut digests = entry.digests.clone();
        digests.sort_by_key(|digest| digest.algorithm());
        digests
    };
    // The tag form has one line per digest.
    let digests: Vec<_> = again.iter().flat_map(|again| again.digests.clone()).collect();
    assert!(again.iter().all(|again| again.path == entry.path), "the path changed");
    let mut merged = entry.clone();
    merged.digests = digests;
    assert_eq!(sorted(&merged), sorted(entry), "the digests changed");
    let similarities = again.iter().flat_map(Entry::similarity_digests);
    assert!(similarities.eq(entry.similarity_digests()), "the similarity digests changed");
}
