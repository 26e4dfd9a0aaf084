//! Help for users of other programs: names of algorithms as commands, and advice on options that pfh does not have, or
//! that have another meaning.

use super::args::Command;
use super::{message, usage};
use clap::Subcommand;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use pfh_digest::Algorithm;
use pfh_list::List;
use pfh_record::{DigestKind, ReadOptions};
use pfh_similarity::Family;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// Advice for options of other programs.
struct Foreign {
    /// The commands to which the advice applies.
    commands: &'static [&'static str],
    /// The options as typed. Options that pfh also has are here by their long name, for wrong values.
    options: &'static [&'static str],
    /// One sentence or several.
    advice: &'static str,
}

const HASH: &[&str] = &["hash"];
const SIMILAR: &[&str] = &["compare", "match"];
const COMPARE: &[&str] = &["compare"];
const MATCH: &[&str] = &["match"];
const VERIFY: &[&str] = &["verify"];
const BAG: &[&str] = &["bag"];
const ALL: &[&str] = &["hash", "compare", "match"];
/// Commands whose `-a` takes names of algorithms.
const WITH_ALGORITHMS: &[&str] = &["hash", "compare", "match", "verify", "dupes", "covers", "copy", "shard"];

const fn row(commands: &'static [&'static str], options: &'static [&'static str], advice: &'static str) -> Foreign {
    Foreign { commands, options, advice }
}

/// The advice; the first matching row counts.
const TABLE: &[Foreign] = &[
    // Checking (coreutils, b3sum, xxhsum, rhash), and hashdeep's choice of algorithms.
    row(
        HASH,
        &["-c", "--check"],
        "lists are checked by `pfh verify LIST`; as coreutils prints it: `pfh verify --compat gnu LIST`. To choose algorithms, as hashdeep does: `-a md5,sha1`",
    ),
    row(
        HASH,
        &["--status", "--strict", "--ignore-missing", "--warn", "--skip-ok", "--ignore-case"],
        "it belongs to the checking of lists: `pfh verify --compat gnu LIST` has it",
    ),
    row(
        HASH,
        &["-w"],
        "it belongs to the checking of lists (coreutils) or to matching (md5deep); `pfh match --known LIST PATH` always prints which entry of LIST a file matches",
    ),
    // hashdeep and md5deep.
    row(
        HASH,
        &["-k", "--check-embedded"],
        "lists of known digests are for `pfh match --known LIST PATH`, which finds files that LIST has; audits: `pfh verify LIST PATH`, or as hashdeep prints them: `pfh verify --compat hashdeep LIST PATH`",
    ),
    row(
        HASH,
        &["--memory"],
        "`-m` is the memory ceiling (`-m 512M`). Files that a list has (`hashdeep -m`, `md5deep -m LIST`): `pfh match --known LIST PATH`",
    ),
    row(
        HASH,
        &["-M"],
        "files that a list has, and which entry they match (hashdeep, md5deep): `pfh match --known LIST PATH`. MD5 (rhash): `-a md5`",
    ),
    row(
        HASH,
        &["-X"],
        "files that a list does not have (hashdeep, md5deep): `pfh match --known good=LIST --only unknown PATH`",
    ),
    row(HASH, &["-n"], "entries of a list that no file was (md5deep): `pfh match --known good=LIST --not-found PATH`"),
    row(HASH, &["--no-names"], "`pfh hash PATH | cut -d' ' -f1` prints digests only"),
    row(HASH, &["-e", "--percents"], "`--progress always` shows progress and the time that is left"),
    row(HASH, &["-s", "-S"], "`-q` leaves out messages about single files"),
    row(
        HASH,
        &["-l", "--length"],
        "leave hashdeep's `-l` out: paths are printed as they are given. A length (`b2sum -l`, `cksum -l`, `b3sum -l`) is part of the algorithm's name, in bits: `-a blake2b-256`, `-a blake3-512`",
    ),
    row(
        HASH,
        &["-z"],
        "sizes (md5deep): `-f md5deep-z`; `-f csv`, `-f jsonl` and `-f hashdeep` have them too. A line that ends with NUL: `--zero`",
    ),
    row(HASH, &["-d"], "DFXML (hashdeep): `-f dfxml`"),
    row(HASH, &["-W"], "to write to a file (hashdeep): `-o FILE`. Whirlpool (rhash): `-a whirlpool`"),
    row(HASH, &["-v"], "write --verbose: it names every file that could not be read; `--stats` prints totals"),
    row(
        HASH,
        &["-u", "-F", "-D", "-E"],
        "leave hashdeep's `-u`, `-F`, `-D` and `-E` out: names are printed as they are, and `--io` chooses how files are read",
    ),
    row(HASH, &["-i", "-I"], "a limit to sizes (hashdeep): `--max-size SIZE`, `--min-size SIZE`"),
    row(
        HASH,
        &["--threads"],
        "`-t` is the number of threads (`-t 4`, or `-j 4`). Leave coreutils' `-t` (text) out: contents are read as they are. Times (md5deep): `-f md5deep-t`",
    ),
    row(
        HASH,
        &["--format"],
        "`-f` is the format of the list. Files from a list of paths (hashdeep, md5deep, sdhash): `--files-from FILE`",
    ),
    row(
        HASH,
        &["--prefetchers"],
        "`-p` is the number of readers of a device. Digests of pieces (hashdeep, md5deep): `--piecewise SIZE`. A template (rhash): there are none; `-f csv` and `-f jsonl` have all that is known of a file",
    ),
    row(HASH, &["--printf"], "there are no templates: `-f csv` and `-f jsonl` have all that is known of a file"),
    row(
        HASH,
        &["--algorithm"],
        "`-a` names algorithms (`-a md5,sha256`). Audits: `pfh verify LIST PATH`, or as hashdeep prints them: `pfh verify --compat hashdeep LIST PATH`",
    ),
    // coreutils' cksum, b3sum, xxhsum.
    row(HASH, &["--untagged", "--simple"], "lines without the name of the algorithm: `-f gnu`"),
    row(HASH, &["--bsd"], "`-f bsd`, or `--tag`"),
    row(HASH, &["--raw"], "digests as bytes: `pfh hash FILE | cut -d' ' -f1 | xxd -r -p`"),
    row(HASH, &["--keyed"], "a digest with a key: `-a keyed-blake3 --key-file FILE`"),
    row(HASH, &["--no-mmap", "--debug"], "leave it out"),
    row(HASH, &["--seek"], "only the beginning of the output can be printed: `-a blake3-512` prints 512 bits of it"),
    row(
        HASH,
        &["-H"],
        "xxhsum's `-H0`, `-H1`, `-H2` and `-H3`: `-a xxh32`, `-a xxh64`, `-a xxh128`, `-a xxh3`. SHA-1 (rhash): `-a sha1`",
    ),
    row(HASH, &["--little-endian"], "digests are printed as xxhsum prints them without this option"),
    // rhash.
    row(HASH, &["-C"], "`-a crc32`; as an SFV list: `-a crc32 -f sfv`"),
    row(HASH, &["--sfv"], "`-a crc32 -f sfv`"),
    row(
        HASH,
        &["-A", "-G", "-L", "-T", "--tth", "--ed2k", "--aich", "--btih", "--magnet", "--torrent"],
        "`pfh algorithms` lists what there is: networks' own hashes are not among it",
    ),
    row(HASH, &["--all"], "`-a all`; `pfh algorithms` lists the names"),
    row(HASH, &["-B", "--benchmark"], "`pfh lab run` measures implementations, `pfh hash -a none PATH` reading alone"),
    row(HASH, &["--list-hashes"], "`pfh algorithms`"),
    row(HASH, &["--maxdepth"], "`--max-depth N`"),
    row(HASH, &["--accept"], "`--include GLOB`, as `--include '*.jpg'`"),
    row(HASH, &["--base32"], "digests are printed in hexadecimal"),
    row(HASH, &["--hmac", "-hmac"], "a digest with a key: `-a hmac-sha256 --key-file FILE`"),
    row(HASH, &["--update"], "`-o FILE.jsonl --resume` adds what is new"),
    // ssdeep, sdhash, mrsh-v2, tlsh. For three of these four programs `-t` is a threshold, so it must not be taken for
    // threads.
    row(
        SIMILAR,
        &["-t"],
        "ssdeep, sdhash and mrsh-v2 use it for the threshold: `--threshold N` (ssdeep's `-t 60` is `--threshold 61`). Threads: `-j N`, `--threads N`",
    ),
    row(SIMILAR, &["-T"], "the largest distance (tlsh): `-a tlsh --threshold N`"),
    row(
        SIMILAR,
        &["--memory"],
        "`-m` is the memory ceiling (`-m 512M`). Files that are similar to those of a list (ssdeep): `pfh match --known LIST PATH`",
    ),
    row(
        SIMILAR,
        &["--algorithm"],
        "`-a` names the digests (`-a tlsh`). All pairs, also those without similarity (`ssdeep -a`): `--threshold 0`",
    ),
    row(
        SIMILAR,
        &["--format"],
        "`-f` is the format of the pairs. Files from a list of paths (sdhash): `--files-from FILE`; how alike two files are (`mrsh -f`): `--resemblance`",
    ),
    row(MATCH, &["-k"], "`--known LIST`"),
    row(COMPARE, &["-k"], "one list with another (ssdeep): `--digests LIST --against-digests KNOWN`"),
    row(SIMILAR, &["-d"], "leave it out: `pfh compare PATH` prints what `ssdeep -d` prints"),
    row(SIMILAR, &["-p"], "each pair in both directions (ssdeep): `-f ssdeep-pretty`. Threads (sdhash): `-j N`"),
    row(
        COMPARE,
        &["-c"],
        "as CSV (ssdeep): `-f csv`. Digests that a list has (sdhash, mrsh-v2, tlsh): `--digests LIST`, with another list `--against-digests LIST`",
    ),
    row(
        MATCH,
        &["-c", "--check"],
        "as CSV (ssdeep): `-f csv`. Digests that a list has (sdhash, mrsh-v2, tlsh): `--digests LIST --known LIST`",
    ),
    row(COMPARE, &["-g"], "groups (ssdeep): `--clusters`. All against all (sdhash, mrsh-v2): leave it out"),
    row(MATCH, &["-g"], "groups of similar files: `pfh compare --clusters PATH`"),
    row(
        SIMILAR,
        &["-l", "--length"],
        "leave ssdeep's `-l` out: paths are printed as they are given. A list of digests (tlsh): `--digests LIST`",
    ),
    row(
        SIMILAR,
        &["-s"],
        "`-q` leaves out messages about single files (ssdeep). The first filters only (sdhash): `--sample N`",
    ),
    row(
        SIMILAR,
        &["-b"],
        "blocks (sdhash): `--sdhash-blocks KIB`. Names without directories (ssdeep) are not in pfh: run it in the directory",
    ),
    row(SIMILAR, &["-z"], "segments (sdhash): `--sdhash-segments MIB`"),
    row(SIMILAR, &["-L"], "one list with another (mrsh-v2): `pfh match -a mrsh-v2 --digests LIST --known LIST`"),
    row(SIMILAR, &["-v"], "write --verbose: it names every file that could not be read"),
    row(SIMILAR, &["-xref"], "`pfh compare -a tlsh PATH`"),
    row(SIMILAR, &["-ojson", "-ocsv"], "`-f jsonl` or `-f csv`"),
    row(
        COMPARE,
        &["-X", "-n", "-M", "-w"],
        "files with the same digests as those of a list: `pfh match --known LIST PATH`",
    ),
    row(MATCH, &["-M", "-w"], "leave it out: the entry of the list that a file matches is always printed"),
    row(MATCH, &["-X", "--negative"], "files that a list does not have: `--known good=LIST --only unknown`"),
    row(MATCH, &["-n"], "entries of a list that no file was: `--known good=LIST --not-found`"),
    // Checking by other programs.
    row(
        VERIFY,
        &["-c", "--check"],
        "leave it out: `pfh verify LIST`; as coreutils prints it: `pfh verify --compat gnu LIST`",
    ),
    row(
        VERIFY,
        &["-k"],
        "leave it out, and name the list first: `pfh verify LIST PATH`; as hashdeep prints it: `pfh verify --compat hashdeep LIST PATH`",
    ),
    // bagit.py.
    row(
        BAG,
        &["--md5", "--sha1", "--sha224", "--sha256", "--sha384", "--sha512", "--blake2b", "--blake2s"],
        "`pfh bag create -a sha256,md5 DIR` makes manifests by these algorithms; `pfh bag verify` takes those that there are",
    ),
    row(BAG, &["--validate"], "`pfh bag verify BAG`"),
    row(
        BAG,
        &[
            "--source-organization",
            "--organization-address",
            "--contact-name",
            "--contact-phone",
            "--contact-email",
            "--external-description",
            "--external-identifier",
            "--bag-size",
            "--bag-group-identifier",
            "--bag-count",
            "--internal-sender-identifier",
            "--internal-sender-description",
            "--bagit-profile-identifier",
        ],
        "metadata are given by their labels: `pfh bag create --tag Contact-Name='A. B.' DIR`",
    ),
    row(BAG, &["--processes"], "`-j N` is the number of threads"),
    row(BAG, &["--log"], "messages are on standard error: `2> FILE`"),
];

/// Replaces a name of algorithms in the place of the command: `pfh sha256 FILE` becomes `pfh hash --algorithm sha256
/// FILE`.
pub(super) fn with_short_forms(words: Vec<OsString>) -> Vec<OsString> {
    let is_help = words.get(1).is_some_and(|word| word == "help");
    let place = if is_help { 2 } else { 1 };
    // Commands come first, since making the table of all names of algorithms takes 0.4 ms.
    let is_name = |word: &&str| !Command::has_subcommand(word) && are_algorithms(word);
    let Some(named) = words.get(place).and_then(|word| word.to_str()).filter(is_name) else {
        return words;
    };
    let hash = [OsString::from("hash")].into_iter();
    let options = [OsString::from("--algorithm"), OsString::from(named)];
    let before = words[..place].iter().cloned().chain(hash);
    let options = options.into_iter().filter(|_| !is_help);
    before.chain(options).chain(words[place + 1..].iter().cloned()).collect()
}

/// Whether each of these names, separated by commas, is one of an algorithm or a family.
fn are_algorithms(names: &str) -> bool {
    names.split(',').all(|name| Algorithm::from_name(name).is_ok() || name.parse::<Family>().is_ok())
}

/// Returns the advice for words that are one option elsewhere, but that pfh would take for several short options or an
/// option with its value.
pub(super) fn refused_word(words: &[OsString]) -> Option<String> {
    let command = words.get(1)?.to_str()?;
    let long =
        words[2..].iter().filter_map(|word| word.to_str()).filter(|word| word.len() > 2 && !word.starts_with("--"));
    long.filter_map(|word| Some((word, find(command, word)?)))
        .next()
        .map(|(word, row)| refused(command, word, row.advice))
}

fn refused(command: &str, option: &str, advice: &str) -> String {
    format!("`{option}` is not an option of `pfh {command}`: {advice}")
}

/// Returns more specific advice than the parser's for a refused command line, if there is some. `words` is the whole
/// command line.
pub(super) fn advice(error: &clap::Error, words: &[OsString]) -> Option<String> {
    let context = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text.as_str()),
        _ => None,
    };
    let command = words.get(1)?.to_str().unwrap_or_default();
    if error.kind() == ErrorKind::InvalidSubcommand {
        // Of `pfh bag make`, the second word is the unknown one.
        let word = words.get(1)?;
        let is_first = context(ContextKind::InvalidSubcommand).is_none_or(|unknown| unknown == word.to_string_lossy());
        return if is_first { unknown_command(word) } else { None };
    }
    if ALL.contains(&command)
        && let Some(text) = words[2..].iter().find_map(|word| of_openssl(word.to_str()?))
    {
        return Some(text);
    }
    let argument = context(ContextKind::InvalidArg)?;
    // The parser gives the option with the name of its value, as in `--threads <N>`.
    let option = argument.split([' ', '=']).next()?;
    match error.kind() {
        ErrorKind::UnknownArgument => {
            let row = find(command, option);
            let text = row.map(|row| row.advice.to_owned()).or_else(|| of_name(command, option))?;
            let mut text = refused(command, option, &text);
            if let ("-c" | "--check", "hash", Some(checking)) = (option, command, checking_command(&words[2..])) {
                text += &format!(". To check this list: `{checking}`");
            }
            Some(text)
        }
        ErrorKind::ValueValidation | ErrorKind::InvalidValue => {
            let row = find(command, option)?;
            Some(format!("{}: {}", usage::refused_value(error, option), row.advice))
        }
        _ => None,
    }
}

fn find(command: &str, option: &str) -> Option<&'static Foreign> {
    TABLE.iter().find(|row| row.commands.contains(&command) && row.options.contains(&option))
}

/// Returns the advice for an option that is the name of an algorithm (`rhash --sha256`).
fn of_name(command: &str, option: &str) -> Option<String> {
    let name = option.strip_prefix("--").filter(|_| WITH_ALGORITHMS.contains(&command))?;
    are_algorithms(name).then(|| match command {
        "hash" => format!("`-a {name}`, or `pfh {name} PATH`"),
        _ => format!("`-a {name}`"),
    })
}

/// Returns the advice for an option of `openssl dgst`, which has long options with a single hyphen.
fn of_openssl(word: &str) -> Option<String> {
    let name = word.strip_prefix('-').filter(|name| name.len() > 2 && !name.starts_with('-'))?;
    are_algorithms(name).then(|| format!("`{word}`: `-a {name}`, or `pfh {name} PATH`"))
}

/// Returns the advice for the name of a program such as `sha256sum`.
fn of_sum(word: &str) -> Option<String> {
    let name = match word.strip_suffix("sum")? {
        "sha" => "sha1",
        "b2" => "blake2b",
        "xxh" => "xxh64",
        name => name,
    };
    are_algorithms(name).then(|| {
        format!("`{word}` is not a command: `pfh {name} PATH` prints digests, and `pfh verify LIST` checks a list")
    })
}

fn unknown_command(word: &OsStr) -> Option<String> {
    if let Some(text) = word.to_str().and_then(of_sum) {
        return Some(text);
    }
    let quoted = message::quoted(word.as_bytes());
    if Path::new(word).symlink_metadata().is_ok() {
        return Some(format!(
            "{quoted} is not a command. To print its SHA-256: `pfh hash PATH`, or `pfh sha256 PATH`; `pfh --help` lists the commands"
        ));
    }
    let name = word.to_str()?;
    // Most mistakes resemble a command, which clap suggests; others may resemble an algorithm.
    let unknown = Algorithm::from_name(name).err()?.to_string();
    unknown.contains("close to").then(|| format!("{quoted} is not a command; as the name of an algorithm: {unknown}"))
}

/// Returns the command line that checks the first list among these words, if there is one.
fn checking_command(words: &[OsString]) -> Option<String> {
    let is_file = |word: &&OsString| !word.as_bytes().starts_with(b"-") && Path::new(word).is_file();
    let path = words.iter().find(is_file)?;
    let mut list = List::open(path, ReadOptions::default()).ok()?;
    matches!(list.first_kind(), Some(DigestKind::Algorithm(_))).then_some(())?;
    let path =
        path.to_str().filter(|path| path.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"/._-".contains(&byte)));
    Some(format!("pfh verify {}", path.unwrap_or("LIST")))
}

/// Returns the advice for an unknown algorithm that looks like options of hashdeep or md5deep in one word (`-rak`).
pub(super) fn of_letters(name: &str) -> Option<&'static str> {
    let is_cluster = name.len() <= 6 && name.chars().all(|letter| "kvmxMXnelrsw".contains(letter));
    is_cluster.then(|| find("hash", "--algorithm").map(|row| row.advice)).flatten()
}

/// Warns if `-x` seems to be followed by a list, as in `md5deep -x LIST` and `ssdeep -x LIST`.
pub(super) fn warn_of_exclusion(words: &[OsString]) {
    if !words.get(1).is_some_and(|command| ALL.iter().any(|name| command == name)) {
        return;
    }
    let ends_with_x = |word: &OsStr| {
        let word = word.as_bytes();
        word.starts_with(b"-") && !word.starts_with(b"--") && word.ends_with(b"x")
    };
    let after = words.windows(2).find(|pair| ends_with_x(&pair[0]) && Path::new(&pair[1]).is_file());
    let Some(path) = after.map(|pair| &pair[1]) else { return };
    let has_digests = List::open(path, ReadOptions::default()).is_ok_and(|mut list| list.first_kind().is_some());
    if has_digests {
        message::error(format_args!(
            "`-x` stays on one filesystem, and {} is read like any other file. With its digests: `pfh match --known`, \
             `pfh compare --digests`",
            message::quoted(path.as_bytes())
        ));
    }
}

#[cfg(test)]
mod tests {
    use super::super::args::Arguments;
    use super::*;
    use clap::Parser;

    fn words(words: &[&str]) -> Vec<OsString> {
        words.iter().map(OsString::from).collect()
    }

    /// Every option of the table is refused, alone and with a value, and its advice is given.
    #[test]
    fn every_row_is_reached() {
        for row in TABLE {
            for (command, option) in
                row.commands.iter().flat_map(|command| row.options.iter().map(move |option| (command, option)))
            {
                // To the parser, any text may be the name of an algorithm.
                let words = match *option {
                    "--algorithm" => words(&["pfh", command, "PATH", option]),
                    _ => words(&["pfh", command, option, "x.list", "PATH"]),
                };
                let advice = refused_word(&words).unwrap_or_else(|| {
                    let error = Arguments::try_parse_from(&words).expect_err(option);
                    advice(&error, &words).unwrap_or_else(|| panic!("{command} {option}: {error}"))
                });
                assert!(advice.contains(row.advice), "{command} {option}: {advice}");
                assert!(!row.advice.ends_with('.'), "{}", row.advice);
            }
        }
    }

    /// Each option occurs once for each command, so no row hides another.
    #[test]
    fn no_row_is_hidden() {
        for row in TABLE {
            for (command, option) in
                row.commands.iter().flat_map(|command| row.options.iter().map(move |option| (command, option)))
            {
                let found = find(command, option).map(|found| found.advice);
                assert_eq!(found, Some(row.advice), "{command} {option}");
            }
        }
    }

    #[test]
    fn short_forms() {
        let short = |text: &str| -> String {
            let words = with_short_forms(text.split(' ').map(OsString::from).collect());
            words.iter().map(|word| word.to_str().unwrap()).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(short("pfh sha256 -q a"), "pfh hash --algorithm sha256 -q a");
        assert_eq!(short("pfh SHA-256 a"), "pfh hash --algorithm SHA-256 a");
        assert_eq!(short("pfh md5,ssdeep a"), "pfh hash --algorithm md5,ssdeep a");
        assert_eq!(short("pfh help tlsh"), "pfh help hash");
        for unchanged in ["pfh", "pfh hash sha256", "pfh sha257 a", "pfh match", "pfh help", "pfh md5,x a"] {
            assert_eq!(short(unchanged), unchanged);
        }
    }
}
