//! Sets of known files that the command line names, and what they say about files, as text, CSV and JSON Lines.

use super::args::{MatchArguments, PairFormat};
use super::exit::Failed;
use super::json_header;
use super::known_args::VerdictFormat;
use super::lists::{BrokenLines, Loaded};
use super::{lists, message};
use pfh_digest::{Algorithm, Digest, Status};
use pfh_known::{Class, ClassifiedSet, Classifier, Facts, Importer, Keep, KnownSet, OpenError, Origin, SetBuilder};
use pfh_record::FormatName;
use pfh_record::csv::push_field;
use pfh_record::jsonl::{end_line, push_bytes_field, push_string};
use std::ffi::{OsStr, OsString};
use std::io::{self, ErrorKind};
use std::ops::AddAssign;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// The algorithms that sets take from lists unless the command line names others.
const ALGORITHMS: [&str; 12] = [
    "md5",
    "sha1",
    "sha224",
    "sha256",
    "sha384",
    "sha512",
    "sha3-256",
    "sha3-512",
    "blake2b",
    "blake3",
    "tiger",
    "whirlpool",
];

/// The digests that such a set has.
const WANTED: &str = "cryptographic algorithms of at least 8 bytes";

/// Sets up to this length are read whole when they are opened: some hundredths of a second. Others are opened at once.
const ALWAYS_CHECKED_BYTES: u64 = 64 << 20;

/// Splits CLASS=PATH. A path that contains such a beginning itself is written with `./`.
pub(crate) fn split_class(argument: &OsStr) -> (Option<Class>, &OsStr) {
    let bytes = argument.as_bytes();
    let found = Class::ALL.into_iter().find_map(|class| {
        let path = bytes.strip_prefix(class.name().as_bytes())?.strip_prefix(b"=")?;
        Some((Some(class), OsStr::from_bytes(path)))
    });
    found.unwrap_or((None, argument))
}

impl VerdictFormat {
    /// Returns the form that an option chooses among those of pairs. `with` names the reason for answers of this kind.
    pub(crate) fn of(format: Option<PairFormat>, with: &str) -> Result<VerdictFormat, Failed> {
        match format {
            None => Ok(VerdictFormat::Text),
            Some(PairFormat::Csv) => Ok(VerdictFormat::Csv),
            Some(PairFormat::Jsonl) => Ok(VerdictFormat::Jsonl),
            Some(_) => Err(Failed::usage(format_args!("--format: with {with}, use csv or jsonl"))),
        }
    }
}

/// Returns the files that options of `pfh match` name to be read.
pub(crate) fn inputs(arguments: &MatchArguments) -> impl Iterator<Item = &OsStr> {
    let known = arguments.known.iter().map(|argument| split_class(argument).1);
    let digests = arguments.digests.iter().map(OsString::as_os_str);
    known.chain(digests).chain(arguments.keys.key_file.as_deref())
}

/// Whether files are to be classified: a list has a class, or is a set.
pub(crate) fn are_classified(known: &[OsString]) -> bool {
    known.iter().any(|argument| {
        let (class, path) = split_class(argument);
        class.is_some() || !matches!(open_if_set(path), Ok(None))
    })
}

/// Opens a set; `None` for what is none, such as a list.
pub(crate) fn open_if_set(path: &OsStr) -> Result<Option<KnownSet>, Failed> {
    if path == "-" {
        return Ok(None);
    }
    match KnownSet::open(Path::new(path)) {
        Ok(set) => of_files(Path::new(path), set).map(Some),
        Err(OpenError::NotASet) => Ok(None),
        // A list need not be a file that can be mapped, and errors of opening come again. A set has to be, as far as
        // there is room for maps.
        Err(OpenError::Io(error)) if !matches!(error.kind(), ErrorKind::QuotaExceeded | ErrorKind::OutOfMemory) => {
            Ok(None)
        }
        Err(error) => Err(refused(Path::new(path), &error)),
    }
}

/// Refuses a set of which some byte is not as it was written. All of it goes into something new, whose own check would
/// then find nothing. If `stops` says so, it is left unchecked.
pub(crate) fn refuse_damaged(path: &Path, set: &KnownSet, stops: &dyn Fn() -> bool) -> Result<(), Failed> {
    let path = message::quoted_path(path);
    match set.is_intact_unless(stops) {
        Ok(Some(false)) => Err(Failed::usage(format_args!("{path} is damaged; build or copy it again"))),
        Ok(_) => Ok(()),
        Err(error) => Err(Failed::unread(format_args!("{path}: {error}"))),
    }
}

/// Refuses a damaged set by which files are judged, if it is so short that this takes no time, or if it is asked for.
fn check_opened(path: &Path, set: &KnownSet, is_asked_for: bool) -> Result<(), Failed> {
    if is_asked_for || set.file_bytes() <= ALWAYS_CHECKED_BYTES { refuse_damaged(path, set, &|| false) } else { Ok(()) }
}

/// Refuses the answers of a set that was overwritten in place or lost since it was opened: they may be wrong.
pub(crate) fn refuse_changed(path: &Path, set: &KnownSet) -> Result<(), Failed> {
    let failed = |error| Failed::unread(format_args!("{}: {error}", message::quoted_path(path)));
    set.check_unchanged().map_err(failed)
}

/// As [`refuse_changed`], of the sets of the command line that [`open_all`] has opened.
pub(crate) fn refuse_any_changed(known: &[OsString], classifier: &Classifier) -> Result<(), Failed> {
    let mut sets = known.iter().zip(classifier.sets());
    sets.try_for_each(|(argument, one)| refuse_changed(Path::new(split_class(argument).1), &one.set))
}

/// Returns the failure of a look-up in these sets. If one was overwritten or lost, the failure names it.
pub(crate) fn unread(known: &[OsString], classifier: &Classifier, error: &io::Error) -> Failed {
    refuse_any_changed(known, classifier).err().unwrap_or_else(|| Failed::unread(error))
}

fn refused(path: &Path, error: &OpenError) -> Failed {
    Failed::usage(format_args!("{}: {error}", message::quoted_path(path)))
}

/// Opens a set of files.
pub(crate) fn open_set(path: &Path) -> Result<KnownSet, Failed> {
    open_any_set(path).and_then(|set| of_files(path, set))
}

/// Opens a set of files of which every byte is as it was written.
pub(crate) fn open_intact_set(path: &Path) -> Result<KnownSet, Failed> {
    let set = open_set(path)?;
    refuse_damaged(path, &set, &|| false)?;
    Ok(set)
}

/// Opens a set of files or of blocks.
pub(crate) fn open_any_set(path: &Path) -> Result<KnownSet, Failed> {
    KnownSet::open(path).map_err(|error| refused(path, &error))
}

/// Refuses a set of blocks where whole files are compared.
fn of_files(path: &Path, set: KnownSet) -> Result<KnownSet, Failed> {
    let Some(blocks) = set.blocks() else { return Ok(set) };
    let (path, block_bytes) = (message::quoted_path(path), blocks.block_bytes());
    Err(Failed::usage(format_args!(
        "{path} is a set of blocks of {block_bytes} bytes: it knows no whole files, and cannot be joined, exported or \
         asked about digests; `pfh match --blocks {block_bytes}` finds fragments with it, and `pfh known build --blocks \
         {block_bytes}` makes one set of the files of several"
    )))
}

/// Opens a set of blocks of this length. CLASS=PATH gives its files another class. `check`: a damaged one is refused
/// even if it is large.
pub(crate) fn open_block_set(argument: &OsStr, block_bytes: u64, check: bool) -> Result<ClassifiedSet, Failed> {
    let (class, path) = split_class(argument);
    let set = open_any_set(Path::new(path))?;
    let quoted = message::quoted(path.as_bytes());
    match set.blocks().map(|blocks| blocks.block_bytes()) {
        None => {
            return Err(Failed::usage(format_args!(
                "{quoted} is a set of whole files; `pfh known build --blocks` makes one of blocks"
            )));
        }
        Some(own) if own != block_bytes => {
            return Err(Failed::usage(format_args!("{quoted} is a set of blocks of {own} bytes: `--blocks {own}`")));
        }
        Some(_) => check_opened(Path::new(path), &set, check)?,
    }
    let name = Path::new(path).file_name().unwrap_or(path).as_bytes().to_vec();
    Ok(ClassifiedSet { name, class, set })
}

/// Whether sets can have digests by an algorithm.
fn is_of_sets(algorithm: Algorithm) -> bool {
    (8..=64).contains(&algorithm.digest_bytes())
}

/// Returns the algorithms of these names, or those that sets take by default.
pub(crate) fn set_algorithms(names: &[String]) -> Result<Vec<Algorithm>, Failed> {
    let of = |name: &str| {
        let algorithm = Algorithm::from_name(name).map_err(Failed::usage)?;
        if is_of_sets(algorithm) {
            Ok(algorithm)
        } else {
            Err(Failed::usage(format_args!("{name} has too short digests for a set: at least 8 bytes")))
        }
    };
    if names.len() > ALGORITHMS.len() {
        return Err(Failed::usage(format_args!("a set has digests by at most {} algorithms", ALGORITHMS.len())));
    }
    if names.is_empty() {
        return ALGORITHMS.into_iter().map(of).collect();
    }
    names.iter().map(|name| of(name)).collect()
}

/// Opens the sets of the command line; `check`: damaged ones are refused even if they are large. A list, in a format
/// that is given or else recognised, becomes a set in a temporary file. Returns them and the number of lines that could
/// not be read.
pub(crate) fn open_all(
    known: &[OsString],
    check: bool,
    format: Option<FormatName>,
    algorithm: Option<Algorithm>,
    memory_bytes: u64,
    quiet: bool,
) -> Result<(Classifier, u64), Failed> {
    let (mut classifier, mut unread) = (Classifier::default(), 0);
    for argument in known {
        let (class, path) = split_class(argument);
        let set = match open_if_set(path)? {
            Some(set) => {
                check_opened(Path::new(path), &set, check)?;
                set
            }
            None => {
                let (set, broken) = temporary_set(path, format, algorithm, memory_bytes, quiet)?;
                unread += broken;
                set
            }
        };
        let name = Path::new(path).file_name().unwrap_or(path).as_bytes().to_vec();
        classifier.push(ClassifiedSet { name, class, set });
    }
    Ok((classifier, unread))
}

/// Makes a set of a list, in a temporary file without a name.
fn temporary_set(
    path: &OsStr,
    format: Option<FormatName>,
    algorithm: Option<Algorithm>,
    memory_bytes: u64,
    quiet: bool,
) -> Result<(KnownSet, u64), Failed> {
    let mut list = lists::open_as(path, format, lists::of_files(algorithm)).map_err(|failed| {
        let file = Path::new(path);
        if pfh_nsrl::Database::open(file).is_ok() || pfh_nsrl::Database::is_in_archive(file) {
            let shown = message::quoted_path(file);
            return Failed::usage(format_args!(
                "{shown} is a database of known files: `pfh known build SET {shown}` makes a set of it"
            ));
        }
        failed
    })?;
    let names: Vec<String> = algorithm.iter().map(|algorithm| algorithm.name().to_owned()).collect();
    let mut keep = Keep::default();
    (keep.name, keep.product, keep.category) = (true, true, true);
    let builder = SetBuilder::new(&set_algorithms(&names)?, keep, memory_bytes);
    let mut importer = Importer::new(builder, memory_bytes);
    importer.builder().begin_source(Origin::default()).map_err(Failed::temporary)?;
    let name = list.name().to_vec();
    let mut broken = BrokenLines::new(&name, quiet);
    let added =
        importer.add_list(&mut list, &mut |error| broken.report(&error), &|| false).map_err(Failed::temporary)?;
    broken.note_end(&list);
    let wanted = algorithm.map_or(WANTED, |algorithm| algorithm.name());
    let Loaded { broken, useless } = broken.end(added.contents, added.is_useful, added.without_digest, wanted, "");
    if let Some(mut useless) = useless {
        let can_be_named = |name: &&'static str| {
            let is_other = algorithm.is_none() && !ALGORITHMS.contains(name);
            is_other && Algorithm::from_name(name).is_ok_and(|one| is_of_sets(one) && one.status() != Status::Checksum)
        };
        if let Some(name) = useless.has.iter().copied().find(can_be_named) {
            useless.wanted = format!("the algorithms that are taken without -a (`-a {name}` takes them)");
        }
        return Err(Failed::usage(useless));
    }
    let mut file = tempfile::tempfile().map_err(Failed::temporary)?;
    importer.into_builder().write(&mut file, "pfh").map_err(Failed::temporary)?;
    let set = KnownSet::of_file(&file).map_err(Failed::internal)?;
    Ok((set, broken))
}

/// The class of a file or a digest, and why.
pub(crate) struct Verdict<'a> {
    /// The list of the entry; `None` for a file.
    pub(crate) list: Option<&'a [u8]>,
    /// The name of the file, or the digest.
    pub(crate) name: &'a [u8],
    pub(crate) digests: &'a [Digest],
    /// The class and the facts of the entry that decides; `None` for unknown files.
    pub(crate) known: Option<(Class, Facts<'a>)>,
    /// Number of entries that the file is.
    pub(crate) entries: usize,
    /// Of a look-up of a digest, the other digests of the entry that decides, as far as its set keeps them.
    pub(crate) others: Option<&'a [Digest]>,
}

/// Numbers of files by class.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    pub(crate) bad: u64,
    pub(crate) other: u64,
    pub(crate) good: u64,
    pub(crate) unknown: u64,
}

impl Counts {
    pub(crate) fn add(&mut self, class: Option<Class>) {
        *match class {
            Some(Class::Bad) => &mut self.bad,
            Some(Class::Other) => &mut self.other,
            Some(Class::Good) => &mut self.good,
            None => &mut self.unknown,
        } += 1;
    }

    pub(crate) fn all(self) -> u64 {
        self.bad + self.other + self.good + self.unknown
    }
}

impl AddAssign for Counts {
    fn add_assign(&mut self, more: Counts) {
        self.bad += more.bad;
        self.other += more.other;
        self.good += more.good;
        self.unknown += more.unknown;
    }
}

/// Bytes of most verdicts beside the name of the file.
const LINE_BYTES: usize = 200;

/// Appends verdicts to an output.
pub(crate) struct VerdictWriter {
    format: VerdictFormat,
    /// The byte after each name, if nothing else is printed.
    name_end: Option<u8>,
}

/// Returns the word for a class.
pub(crate) fn word(class: Option<Class>) -> &'static str {
    match class {
        Some(Class::Bad) => "known-bad",
        Some(Class::Other) => "known-other",
        Some(Class::Good) => "known-good",
        None => "unknown",
    }
}

impl VerdictWriter {
    pub(crate) fn new(format: VerdictFormat) -> VerdictWriter {
        VerdictWriter { format, name_end: None }
    }

    /// Makes the writer of names as they are, each with this byte after it.
    pub(crate) fn of_names(end: u8) -> VerdictWriter {
        VerdictWriter { format: VerdictFormat::Text, name_end: Some(end) }
    }

    /// Whether a verdict with this name can be told apart from others.
    pub(crate) fn can_express(&self, name: &[u8]) -> bool {
        self.name_end.is_none_or(|end| !name.contains(&end))
    }

    /// Appends the beginning.
    pub(crate) fn header(&self, algorithms: &[Algorithm], out: &mut Vec<u8>) {
        match self.format {
            VerdictFormat::Text => {}
            VerdictFormat::Csv => {
                out.extend_from_slice(b"class,path,list,set,source,release,product,category,name,entries");
                for algorithm in algorithms {
                    out.push(b',');
                    out.extend_from_slice(algorithm.name().as_bytes());
                }
                out.extend_from_slice(b"\r\n");
            }
            VerdictFormat::Jsonl => {
                let start = out.len();
                json_header::begin(out);
                json_header::push_algorithms(algorithms.iter().map(|one| one.name()), out);
                end_line(start, out);
            }
        }
    }

    /// Appends a verdict. `algorithms` are those of the header.
    pub(crate) fn verdict(&self, verdict: &Verdict<'_>, algorithms: &[Algorithm], out: &mut Vec<u8>) {
        let Verdict { list, name, digests, known, entries, others } = verdict;
        let (class, facts) = (known.as_ref().map(|(class, _)| *class), known.as_ref().map(|(_, facts)| facts));
        let origin = facts.and_then(|facts| facts.origin);
        let digests = || digests.iter().chain(others.unwrap_or_default());
        if let Some(end) = self.name_end {
            out.extend_from_slice(name);
            return out.push(end);
        }
        out.reserve(name.len() + LINE_BYTES);
        let start = out.len();
        match self.format {
            VerdictFormat::Text => {
                let word = word(class);
                out.extend_from_slice(word.as_bytes());
                out.extend_from_slice(&b"             "[word.len()..]);
                if let Some(list) = list {
                    push_escaped(list, out);
                    out.push(b':');
                }
                push_escaped(name, out);
                if let Some(facts) = facts {
                    out.extend_from_slice(b"  (");
                    push_escaped(facts.set, out);
                    let release = origin.map_or("", |origin| &origin.release);
                    for text in [release.as_bytes(), &facts.product, &facts.category, &facts.name] {
                        if !text.is_empty() {
                            out.extend_from_slice(b": ");
                            push_escaped(text, out);
                        }
                    }
                    out.push(b')');
                    if let Some(others) = others {
                        push_entry(*entries, facts.size, others, out);
                    }
                }
                out.push(b'\n');
            }
            VerdictFormat::Csv => {
                out.extend_from_slice(word(class).as_bytes());
                let (source, release) = origin.map_or(("", ""), |origin| (&*origin.name, &*origin.release));
                let none: &[u8] = b"";
                let of = facts.map_or([none; 4], |facts| [facts.set, &facts.product, &facts.category, &facts.name]);
                let [set, product, category, known_name] = of;
                let fields = [
                    *name,
                    list.unwrap_or(none),
                    set,
                    source.as_bytes(),
                    release.as_bytes(),
                    product,
                    category,
                    known_name,
                ];
                for field in fields {
                    out.push(b',');
                    push_field(field, out);
                }
                out.extend_from_slice(format!(",{entries}").as_bytes());
                for algorithm in algorithms {
                    let own = digests().find(|digest| digest.algorithm() == *algorithm);
                    out.push(b',');
                    out.extend_from_slice(own.map_or_else(String::new, ToString::to_string).as_bytes());
                }
                out.extend_from_slice(b"\r\n");
            }
            VerdictFormat::Jsonl => {
                out.extend_from_slice(b"{\"type\":\"file\"");
                push_bytes_field("path", "path_base64", name, out);
                if let Some(list) = list {
                    push_bytes_field("list", "list_base64", list, out);
                }
                push_bytes_field("class", "", word(class).as_bytes(), out);
                if let Some(facts) = facts {
                    push_bytes_field("set", "set_base64", facts.set, out);
                    if let Some(origin) = origin {
                        push_bytes_field("source", "", origin.name.as_bytes(), out);
                        push_bytes_field("release", "", origin.release.as_bytes(), out);
                    }
                    let texts = [
                        ("product", "product_base64", &facts.product),
                        ("category", "category_base64", &facts.category),
                        ("name", "name_base64", &facts.name),
                    ];
                    for (key, key_base64, text) in texts {
                        if !text.is_empty() {
                            push_bytes_field(key, key_base64, text, out);
                        }
                    }
                    if let Some(size) = facts.size {
                        out.extend_from_slice(format!(",\"size\":{size}").as_bytes());
                    }
                    out.extend_from_slice(format!(",\"entries\":{entries}").as_bytes());
                }
                out.extend_from_slice(b",\"digests\":{");
                for (place, digest) in digests().enumerate() {
                    out.extend_from_slice(if place > 0 { b"," } else { b"" });
                    push_string(digest.algorithm().name(), out);
                    out.push(b':');
                    push_string(&digest.to_string(), out);
                }
                out.push(b'}');
                end_line(start, out);
            }
        }
    }

    /// Appends the end.
    pub(crate) fn summary(&self, counts: Counts, unread: u64, out: &mut Vec<u8>) {
        if self.format == VerdictFormat::Jsonl {
            let (start, Counts { bad, other, good, unknown }) = (out.len(), counts);
            let text = format!(
                "{{\"type\":\"summary\",\"files\":{},\"bad\":{bad},\"other\":{other},\"good\":{good},\"unknown\":{unknown},\"unread\":{unread}",
                counts.all()
            );
            out.extend_from_slice(text.as_bytes());
            end_line(start, out);
        }
    }
}

/// Appends to a text of an entry the facts by which somebody would look for its file elsewhere.
fn push_entry(entries: usize, size: Option<u64>, others: &[Digest], out: &mut Vec<u8>) {
    let number = (entries > 1).then(|| format!("first of {entries} entries"));
    let size = size.map(|size| format!("size {size}"));
    let others = others.iter().map(|digest| format!("{} {digest}", digest.algorithm()));
    for (place, fact) in number.into_iter().chain(size).chain(others).enumerate() {
        out.extend_from_slice(if place > 0 { b", " } else { b"  " });
        out.extend_from_slice(fact.as_bytes());
    }
}

/// Appends a name to a text. Unprintable characters are escaped as in messages, and backslashes doubled.
pub(crate) fn push_escaped(name: &[u8], out: &mut Vec<u8>) {
    // Without a branch for each byte, the compiler compares many at once.
    let is_plain = |byte: u8| matches!(byte, b' '..=b'[' | b']'..=b'~');
    if name.iter().fold(true, |all, byte| all & is_plain(*byte)) {
        return out.extend_from_slice(name);
    }
    for (place, part) in name.split(|byte| *byte == b'\\').enumerate() {
        out.extend_from_slice(if place > 0 { b"\\\\" } else { b"" });
        out.extend_from_slice(message::escaped(part).as_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Names that differ are told apart, and none commands the terminal.
    #[test]
    fn names_are_escaped_as_in_messages() {
        for (name, expected) in [
            (&b"a b~"[..], "a b~"),
            (b"", ""),
            ("é日\u{a0}".as_bytes(), "é日\u{a0}"),
            (b"a\\nb", "a\\\\nb"),
            (b"a\nb\\", "a\\nb\\\\"),
            (b"\x1b]0;x\x07\x7f", "\\u{1b}]0;x\\u{7}\\u{7f}"),
            ("\u{9b}31m\u{202e}\u{2028}".as_bytes(), "\\u{9b}31m\\u{202e}\\u{2028}"),
            (b"a\x80b", "a\\x80b"),
            (b"a\x81b", "a\\x81b"),
        ] {
            let mut out = Vec::new();
            push_escaped(name, &mut out);
            assert_eq!(String::from_utf8_lossy(&out), expected);
        }
    }
}
