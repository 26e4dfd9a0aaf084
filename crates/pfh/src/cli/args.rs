//! The command line. Doc comments are the help: first line short, the rest for `--help`.

use super::audit_args::AuditArguments;
use super::bag_args::BagArguments;
use super::blocks_args::FragmentArguments;
use super::certify_args::CertifyArguments;
use super::common_args::{
    CountingWord, EngineArguments, FamilyArguments, KeyArguments, MessageArguments, StyleArguments, Suggested,
    WalkArguments, digest_names, family_names, format_names, parse_format, parse_piece,
};
use super::convert_args::ConvertArguments;
use super::copy_args::CopyArguments;
use super::known_args::{KnownArguments, VerdictClass};
use super::lab_args::LabArguments;
use super::quantity::parse_bytes;
use super::shard_args::{MergeArguments, ShardArguments, ShardWord};
use super::verify_args::VerifyArguments;
use clap::builder::StringValueParser;
use clap::{Args, Parser, Subcommand, ValueEnum, ValueHint};
use pfh_record::FormatName;
use pfh_similarity::Family;
use pfh_similarity::frash::Test;
use std::ffi::OsString;
use std::path::PathBuf;

/// Parallel framework for hashing: digests of everything, at the speed of the hardware.
///
/// `pfh hash PATH` hashes every file below PATH. A digest is printed only if every byte of the file was read.
///
/// Names of algorithms are commands, too: `pfh md5 PATH` is `pfh hash -a md5 PATH`, with all its options.
#[derive(Debug, Parser)]
#[command(name = "pfh", version, max_term_width = 100, propagate_version = true, subcommand_required = true)]
#[command(arg_required_else_help = true)]
#[command(after_help = "Names of algorithms are commands, too: `pfh md5 PATH` is `pfh hash -a md5 PATH`.")]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Print digests of files, directories, devices and standard input.
    Hash(Box<HashArguments>),
    /// Find similar files: all against all, two sides, clusters, indexes.
    Compare(Box<CompareArguments>),
    /// Find files, and entries of lists, whose digests are known or similar to known ones.
    Match(Box<MatchArguments>),
    /// Build sets of known files, and look digests up in them.
    Known(KnownArguments),
    /// Compare files with a list of digests, of any format that pfh reads.
    Verify(Box<VerifyArguments>),
    /// Write lists of digests in another format, and tell what that format cannot express.
    Convert(ConvertArguments),
    /// Write the report on a list that is filed with it: what was hashed, by whom, when and how.
    Certify(Box<CertifyArguments>),
    /// Find files, and whole directories, with the same contents, and what they cost.
    Dupes(Box<DupesArguments>),
    /// Find files of which there is no copy elsewhere: may this disk be wiped?
    Covers(Box<CoversArguments>),
    /// Verify collections over the years: what changed, moved, went missing or rotted.
    Audit(AuditArguments),
    /// Make, verify and update bags (BagIt): directories whose contents are listed with digests.
    Bag(BagArguments),
    /// Copy files and directories, and verify each copy by reading it back.
    Copy(Box<CopyArguments>),
    /// Plan hashing on many machines: walk once, and cut the listing into shards.
    Shard(Box<ShardArguments>),
    /// Join the results of the shards of a plan into one list.
    Merge(MergeArguments),
    /// Measure how similarity digests behave (FRASH): times, lengths, blocks in common, fragments, noise.
    Frash(FrashArguments),
    /// List the algorithms: names, digest length, how far to trust them, code path on this CPU.
    Algorithms(AlgorithmsArguments),
    /// Show what hashing uses on this CPU: features, backends, and the kernels of each algorithm and similarity family.
    Cpu(CpuArguments),
    /// Measure hash and cipher implementations of many languages, and check their answers.
    Lab(LabArguments),
    /// Print completions for a shell.
    ///
    /// For bash: `pfh completions bash > /etc/bash_completion.d/pfh`.
    Completions(CompletionsArguments),
    /// Write the man pages into a directory.
    #[command(hide = true)]
    Man(ManArguments),
}

const HASH_EXAMPLES: &str = "\
Examples:
  pfh hash DIR
      SHA-256 of every file below DIR, as `sha256sum` prints it
  pfh hash -a md5 -o sums DIR && md5sum -c sums
      a list that coreutils checks
  pfh hash -f hashdeep -o known DIR && hashdeep -rlak known DIR
      a list that hashdeep audits (-l: the list has relative paths)
  pfh hash -a ssdeep -o known.ssdeep DIR && ssdeep -m known.ssdeep FILE
      a list in which ssdeep finds files similar to FILE
  pfh hash -o archive.jsonl --resume /archive
      a journal that an interrupted run continues
  find . -name '*.jpg' -print0 | pfh hash --files-from0 -
      files that another program chooses
  tar c DIR | pfh hash -a blake3 -
      digest of a stream
  pfh hash --piecewise 1M disk.img
      digest of the whole and of each MiB
  pfh hash --facts -f csv *.img
      also how much of each image is zero, and the entropy of its bytes

Exit status:
  0    all done
  1    a file bears the marks of a collision attack (-a sha1dc)
  2    the command line is wrong, or the run could not begin
  3    some input could not be read, or could not be expressed in the format
  4    the output could not be written
  5    1 and 3 together
  130  interrupted
  141  the reader of standard output closed it before the end";

#[derive(Debug, Args)]
#[command(after_help = HASH_EXAMPLES, after_long_help = HASH_EXAMPLES)]
pub(crate) struct HashArguments {
    /// Files, directories (walked, hidden files included), block devices; `-` is standard input.
    #[arg(value_name = "PATH", value_hint = ValueHint::AnyPath, required_unless_present_any = ["files_from", "files_from0", "plan"])]
    pub(crate) paths: Vec<OsString>,

    /// Algorithms, separated by commas, or repeated; one read computes them all. `pfh algorithms` lists them.
    ///
    /// They include ssdeep, sdhash, mrsh-v2 and tlsh, whose digests show how similar files are. A file that is too
    /// small for one of these gets no such digest; this is reported, and is not an error.
    ///
    /// A length in bits may follow (`blake3-512`, `blake2b-256`, `shake128-512`). `hmac-sha256`, `keyed-blake3` and the
    /// like take a key (--key-file); `blake3-derive-key` takes a context (--derive-key).
    ///
    /// `all` means every algorithm that `pfh algorithms` lists, except keyed ones and ssdeep, sdhash, mrsh-v2 and tlsh.
    /// `none` reads everything and hashes nothing: the baseline that any hashing is measured against. With `-f csv`,
    /// `jsonl` or `dfxml` it lists the files that can be read.
    #[arg(short, long = "algorithm", value_name = "LIST", value_delimiter = ',', default_value = "sha256", hide_possible_values = true, value_parser = Suggested(StringValueParser::new(), digest_names))]
    pub(crate) algorithms: Vec<String>,

    #[command(flatten)]
    pub(crate) output: OutputArguments,

    #[command(flatten)]
    pub(crate) keys: KeyArguments,

    #[command(flatten)]
    pub(crate) families: FamilyArguments,

    #[command(flatten)]
    pub(crate) walk: WalkArguments,

    #[command(flatten)]
    pub(crate) engine: EngineArguments,

    /// Take the options that `pfh lab advise --save` found (threads, prefetchers, mode, order, method, medium) from
    /// FILE, except those that are given here.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "How to read")]
    pub(crate) profile: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) shards: ShardsArguments,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Many machines")]
pub(crate) struct ShardsArguments {
    /// Hash shards of the plan in the folder PLAN, which `pfh shard` made, instead of paths. Results appear there.
    ///
    /// The plan says which files, and which digests. A result appears when it is whole, and where there is one already,
    /// nothing is done: a shard may be started any number of times, also at once.
    #[arg(long, value_name = "PLAN", value_hint = ValueHint::DirPath, requires = "shard", conflicts_with_all = [
        "paths", "algorithms", "files_from", "files_from0", "include", "exclude", "min_size", "max_size", "max_depth",
        "one_file_system", "follow_files", "follow_directories", "key_file", "derive_key", "format", "tag", "json",
        "output", "allow_empty", "null", "uppercase", "base64", "resume", "unordered", "piecewise", "facts", "stats",
        "sdhash_profile", "sdhash_blocks", "sdhash_segments", "mrsh_network",
    ])]
    pub(crate) plan: Option<PathBuf>,

    /// The number of the shard, from 0; or I/N: every shard whose number is I modulo N, one after the other.
    #[arg(long, value_name = "I", requires = "plan", value_parser = ShardWord::parse)]
    pub(crate) shard: Option<ShardWord>,

    /// Hash what lies at the paths of the plan even if the directories there are not those that were planned.
    ///
    /// They are recognised by their inode numbers and, where the filesystem states them, the times when they were made.
    /// Other filesystems, copies of the tree, and some filesystems in user space change these.
    #[arg(long, requires = "plan")]
    pub(crate) any_tree: bool,
}

const COMPARE_EXAMPLES: &str = "\
Examples:
  pfh compare DIR
      pairs of similar files below DIR, as `ssdeep -l -r -d` prints them
  pfh compare -a tlsh --threshold 50 -f csv DIR
      by TLSH, distances up to 50, as CSV
  pfh compare --digests old.ssdeep --against-digests new.ssdeep
      existing lists, compared with each other
  pfh compare --clusters --threshold 80 DIR
      groups of files joined by scores of 80 and more
  pfh compare --build-index known.index --digests known.ssdeep
  pfh compare --index known.index FILE
      an index on disk, and one file looked up in it

Exit status:
  0    all done
  2    the command line is wrong, or the run could not begin
  3    some input could not be read, or a line of a list could not be parsed
  4    the output could not be written
  130  interrupted
  141  the reader of standard output closed it before the end";

#[derive(Debug, Args)]
#[command(after_help = COMPARE_EXAMPLES, after_long_help = COMPARE_EXAMPLES)]
pub(crate) struct CompareArguments {
    /// Files and directories to compare.
    #[arg(value_name = "PATH", value_hint = ValueHint::AnyPath, required_unless_present_any = ["digests", "files_from", "files_from0"])]
    pub(crate) paths: Vec<OsString>,

    /// Also compare the digests in LIST (repeatable), which ssdeep, sdhash, mrsh-v2, tlsh or `pfh hash` wrote; `-` is
    /// standard input.
    #[arg(long, value_name = "LIST", value_hint = ValueHint::FilePath)]
    pub(crate) digests: Vec<OsString>,

    /// Compare with the files below PATH instead of with each other (repeatable).
    #[arg(long, value_name = "PATH", value_hint = ValueHint::AnyPath)]
    pub(crate) against: Vec<OsString>,

    /// Compare with the digests in LIST instead of with each other (repeatable).
    #[arg(long, value_name = "LIST", value_hint = ValueHint::FilePath)]
    pub(crate) against_digests: Vec<OsString>,

    /// Read the lists as this format, instead of recognising it: a format of `pfh hash`, or one that is only read.
    #[arg(long = "as", value_name = "FORMAT")]
    pub(crate) read_as: Option<FormatName>,

    /// Family of digests: ssdeep, sdhash, mrsh-v2 or tlsh [default: that of the lists or the index, or ssdeep].
    #[arg(short = 'a', long = "algorithm", value_name = "NAME", hide_possible_values = true, value_parser = Suggested(parse_family, family_names))]
    pub(crate) family: Option<Family>,

    /// Print only the K best matches of each file; of equally good ones, the first.
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) top: Option<u32>,

    /// Print groups of files that pairs join, directly or indirectly, instead of the pairs.
    #[arg(long, conflicts_with_all = ["against", "against_digests", "top"])]
    pub(crate) clusters: bool,

    /// Write a picture of all scores as SVG, for at most 512 files, instead of printing pairs.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, conflicts_with_all = ["against", "against_digests", "top", "clusters", "output", "format"])]
    pub(crate) heatmap: Option<PathBuf>,

    /// Write an index of the digests (ssdeep, tlsh) instead of comparing them.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, conflicts_with_all = ["against", "against_digests", "top", "clusters", "heatmap", "index", "output", "format", "threshold"])]
    pub(crate) build_index: Option<PathBuf>,

    /// Compare with the digests in this index instead of with each other.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, conflicts_with_all = ["against", "against_digests", "top", "clusters", "heatmap"])]
    pub(crate) index: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) options: SimilarityArguments,

    #[command(flatten)]
    pub(crate) families: FamilyArguments,

    #[command(flatten)]
    pub(crate) walk: WalkArguments,
}

const MATCH_EXAMPLES: &str = "\
Examples:
  pfh match --digest 5d41402abc4b2a76b9719d911017c592 DIR
      files below DIR with this MD5
  pfh match --digest '3:a6/G:asG' --threshold 60 DIR
      files similar to the one with this ssdeep digest
  pfh match --known known.hashdeep DIR
      files below DIR whose digests are in a list
  pfh match --known good=nsrl.pfhk --known bad=case.md5 --only bad,unknown DIR
      files that are known to be bad, and those that are not known
  pfh match --known case.pfhk --blocks 4096 disk.img
      fragments of known files in a disk image (the set is one of `pfh known build --blocks`)
  pfh match --known malware.ssdeep DIR
      as `ssdeep -l -r -m malware.ssdeep DIR`
  pfh match --known known.sdbf --digests seized.sdbf
      one list with another, as `sdhash -c seized.sdbf known.sdbf`

Exit status:
  0    nothing matches
  1    something matches
  2    the command line is wrong, or the run could not begin
  3    nothing matches, but some input could not be read, or a line of a list could not be parsed
  4    the output could not be written
  5    something matches, and some input could not be read, or a line of a list could not be parsed
  130  interrupted
  141  the reader of standard output closed it before the end, and nothing had matched so far";

#[derive(Debug, Args)]
#[command(after_help = MATCH_EXAMPLES, after_long_help = MATCH_EXAMPLES)]
pub(crate) struct MatchArguments {
    /// Files and directories to look through.
    #[arg(value_name = "PATH", value_hint = ValueHint::AnyPath, required_unless_present_any = ["digests", "files_from", "files_from0"])]
    pub(crate) paths: Vec<OsString>,

    /// Also look through the digests in LIST (repeatable); `-` is standard input.
    #[arg(long, value_name = "LIST", value_hint = ValueHint::FilePath)]
    pub(crate) digests: Vec<OsString>,

    /// The digest to look for: hexadecimal, or as ssdeep, sdhash, mrsh-v2 or tlsh write it.
    #[arg(long, value_name = "DIGEST", required_unless_present = "known", conflicts_with = "known")]
    pub(crate) digest: Option<OsString>,

    /// A list of digests to look for (repeatable): in any format of `pfh hash`, plain hexadecimal, or as ssdeep,
    /// sdhash, mrsh-v2 or tlsh wrote it.
    ///
    /// Also a set that `pfh known build` made. CLASS=LIST says what it means that a file is in it: good, bad or other.
    /// With a set or a class, every file gets one line with its class: known-bad, known-other, known-good or unknown;
    /// the first of these that applies counts.
    ///
    /// A file for which the list has several digests matches if all of them do. If neither the list nor `-a` names the
    /// algorithm, the name of the list (`SHA256SUMS`, `known.blake3`) and the length of the digests decide. If only the
    /// length decided and nothing matches, this is reported, and the exit status is 3.
    #[arg(long, value_name = "LIST", value_hint = ValueHint::FilePath)]
    pub(crate) known: Vec<OsString>,

    /// Read each set whole before anything else, and refuse one of which a byte is not as it was written.
    ///
    /// Sets of up to 64 MiB always are. Of a larger one, only the end is checked without this option, so that it is
    /// opened at once: a file is not found then by a damaged digest. `pfh known info --verify` checks a set once, such
    /// as after copying it.
    #[arg(long, requires = "known")]
    pub(crate) check_sets: bool,

    /// Read the lists as this format, instead of recognising it: a format of `pfh hash`, or one that is only read.
    ///
    /// Sets stay sets.
    #[arg(long = "as", value_name = "FORMAT")]
    pub(crate) read_as: Option<FormatName>,

    /// Print only files of these classes: good, bad, other, known (all three) or unknown.
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub(crate) only: Vec<VerdictClass>,

    /// Print the files that --only would leave out.
    #[arg(long, requires = "only")]
    pub(crate) negate: bool,

    /// Print nothing but the names of files, one in a line, as they are.
    ///
    /// Names with line feeds are left out, reported and counted; --null prints them, too.
    #[arg(long, conflicts_with = "format")]
    pub(crate) names_only: bool,

    /// With --names-only: end names with NUL instead of a line feed, as `xargs -0` reads them.
    #[arg(short = '0', long, visible_alias = "zero", requires = "names_only")]
    pub(crate) null: bool,

    /// Print the entries of sets that no file was, instead of files.
    #[arg(long, conflicts_with_all = ["only", "negate"])]
    pub(crate) not_found: bool,

    /// Exit with status 1 if there is a file of these classes; `none` for never [default: bad; with --blocks: known].
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub(crate) fail_on: Vec<VerdictClass>,

    /// Look only for digests of this algorithm or family, and assume it where a list names none [default: the one that
    /// the list names, or by length: CRC-32, MD5, SHA-1, SHA-224, SHA-256, SHA-384, SHA-512].
    #[arg(short, long, value_name = "NAME", hide_possible_values = true, value_parser = Suggested(StringValueParser::new(), digest_names))]
    pub(crate) algorithm: Option<String>,

    /// Print only the K most similar known digests for each file.
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) top: Option<u32>,

    /// Print every name that the lists give for a cryptographic digest, not only the first in each list and the number
    /// of others.
    #[arg(long)]
    pub(crate) all_names: bool,

    #[command(flatten)]
    pub(crate) fragments: FragmentArguments,

    #[command(flatten)]
    pub(crate) keys: KeyArguments,

    #[command(flatten)]
    pub(crate) options: SimilarityArguments,

    #[command(flatten)]
    pub(crate) families: FamilyArguments,

    #[command(flatten)]
    pub(crate) walk: WalkArguments,
}

const DUPES_EXAMPLES: &str = "\
Examples:
  pfh dupes DIR
      directories and files below DIR with the same contents, largest saving first
  pfh dupes /mnt/old /mnt/new --exclude .git/
      below both, without what is in directories named .git
  pfh dupes --digests monday.jsonl --digests tuesday.jsonl
      from lists that `pfh hash` wrote: nothing is read again
  pfh dupes -f fclones DIR > report && fclones link --dry-run < report
      a report with which fclones replaces copies

Exit status:
  0    there are no duplicates
  1    there are duplicates
  2    the command line is wrong, or the run could not begin
  3    no duplicates were found, but some input could not be read
  4    the output could not be written
  5    there are duplicates, and some input could not be read
  130  interrupted
  141  the reader of standard output closed it before the end, and nothing had been found so far";

#[derive(Debug, Args)]
#[command(after_help = DUPES_EXAMPLES, after_long_help = DUPES_EXAMPLES)]
pub(crate) struct DupesArguments {
    /// Files and directories to look through.
    #[arg(value_name = "PATH", value_hint = ValueHint::AnyPath, required_unless_present_any = ["digests", "files_from", "files_from0"])]
    pub(crate) paths: Vec<OsString>,

    /// Also look through the files in LIST (repeatable), which `pfh hash` or another program wrote; `-` is standard
    /// input.
    ///
    /// If a list has a path twice, the later line counts. A file that several lists have, or that is below a PATH, too,
    /// is one file, as far as its list tells where it is. Directories are compared below paths only.
    #[arg(long, value_name = "LIST", value_hint = ValueHint::FilePath)]
    pub(crate) digests: Vec<OsString>,

    /// Compare files only.
    ///
    /// Otherwise directories with the same names and contents are reported as such. A directory from which something
    /// was left out, or in which something could not be read, is not compared.
    #[arg(long)]
    pub(crate) no_directories: bool,

    /// Also print what lies in directories that are printed themselves.
    #[arg(long, conflicts_with = "no_directories")]
    pub(crate) all: bool,

    /// Also print files without contents, which are all the same.
    #[arg(long)]
    pub(crate) empty: bool,

    /// Format of the groups.
    #[arg(short, long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: GroupFormat,

    #[command(flatten)]
    pub(crate) options: ContentArguments,

    #[command(flatten)]
    pub(crate) walk: WalkArguments,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum GroupFormat {
    /// For people.
    Text,
    /// JSON Lines: a header, groups, each followed by its members, a summary.
    #[value(alias = "json")]
    Jsonl,
    /// Comma-separated values with a header: a line for each member.
    Csv,
    /// As `fclones group`: groups of files, for `fclones link`, `dedupe`, `move` and `remove`; not with
    /// --digests.
    Fclones,
}

const COVERS_EXAMPLES: &str = "\
Examples:
  pfh covers /mnt/old-disk --by /archive
      files on the old disk whose contents are nowhere in the archive
  pfh covers --digests old-disk.jsonl --by-digests archive.jsonl
      the same from lists: nothing is read again

Exit status:
  0    all contents have a copy
  1    there are files without a copy, which are printed
  2    the command line is wrong, or the run could not begin
  3    no file without a copy was found, but some input could not be read, or there was no file to be
       covered, so that nothing is proven
  4    the output could not be written
  5    there are files without a copy, and some input could not be read
  130  interrupted
  141  the reader of standard output closed it before the end, and nothing had been found so far";

#[derive(Debug, Args)]
#[command(after_help = COVERS_EXAMPLES, after_long_help = COVERS_EXAMPLES)]
pub(crate) struct CoversArguments {
    /// Files and directories whose contents are to be found elsewhere.
    #[arg(value_name = "PATH", value_hint = ValueHint::AnyPath, required_unless_present_any = ["digests", "files_from", "files_from0"])]
    pub(crate) paths: Vec<OsString>,

    /// Also find the files in LIST elsewhere (repeatable); `-` is standard input.
    #[arg(long, value_name = "LIST", value_hint = ValueHint::FilePath)]
    pub(crate) digests: Vec<OsString>,

    /// Look for them below PATH (repeatable). Files that are among those to be found do not count.
    #[arg(long, value_name = "PATH", value_hint = ValueHint::AnyPath, required_unless_present = "by_digests")]
    pub(crate) by: Vec<OsString>,

    /// Look for them in LIST (repeatable).
    #[arg(long, value_name = "LIST", value_hint = ValueHint::FilePath)]
    pub(crate) by_digests: Vec<OsString>,

    /// Format of the files without a copy.
    #[arg(short, long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: FileFormat,

    #[command(flatten)]
    pub(crate) options: ContentArguments,

    #[command(flatten)]
    pub(crate) walk: WalkArguments,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum FileFormat {
    /// A path on each line.
    Text,
    /// JSON Lines: a header, files, a summary.
    #[value(alias = "json")]
    Jsonl,
    /// Comma-separated values with a header.
    Csv,
    /// Paths, each terminated by NUL, as `xargs -0` reads them.
    Null,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "How to compare")]
pub(crate) struct ContentArguments {
    /// Algorithm whose digests are compared [default: the first of the lists, or blake3].
    #[arg(short, long, value_name = "NAME", hide_possible_values = true, value_parser = Suggested(StringValueParser::new(), digest_names))]
    pub(crate) algorithm: Option<String>,

    /// Read the lists as this format, instead of recognising it: a format of `pfh hash`, or one that is only read.
    #[arg(long = "as", value_name = "FORMAT")]
    pub(crate) read_as: Option<FormatName>,

    /// Write to FILE, which appears whole or not at all; `-` is standard output [default: -].
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) output: Option<PathBuf>,

    /// Replace an existing FILE of -o even if not a single file was found; with `pfh covers`, no file to be covered
    /// counts as covered.
    #[arg(long)]
    pub(crate) allow_empty: bool,

    /// Number of threads [default: one per core].
    #[arg(short, long, visible_short_alias = 'j', alias = "jobs", value_name = "N", value_parser = clap::value_parser!(u16).range(1..=4096))]
    pub(crate) threads: Option<u16>,

    /// Memory limit for reading and sorting (K, M, G: powers of 1024).
    ///
    /// Records that do not fit wait in temporary files. Results do not depend on it.
    #[arg(short, long, value_name = "SIZE", default_value = "256M", value_parser = parse_bytes)]
    pub(crate) memory: u64,

    #[command(flatten)]
    pub(crate) messages: MessageArguments,
}

const FRASH_EXAMPLES: &str = "\
Examples:
  pfh frash --plots frash -o frash.csv
      all experiments with all families, on random bytes, as a table and as pictures
  pfh lab report frash.csv -o frash.html
      the report: a summary, precision and recall, and all plots
  pfh frash --tests fragment,noise -a ssdeep,tlsh *.html
      how much of these files can be missing or changed";

#[derive(Debug, Args)]
#[command(after_help = FRASH_EXAMPLES, after_long_help = FRASH_EXAMPLES)]
pub(crate) struct FrashArguments {
    /// Files and directories whose contents are cut, added to and changed, up to 16 MiB each [default: random bytes].
    #[arg(value_name = "PATH", value_hint = ValueHint::AnyPath)]
    pub(crate) paths: Vec<OsString>,

    /// Experiments: generation, comparison, compression, common-block, fragment, alignment, noise, repetition, variety,
    /// needle, cross, threshold [default: all].
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub(crate) tests: Vec<Test>,

    /// Families: ssdeep, sdhash, mrsh-v2, tlsh [default: all].
    #[arg(short = 'a', long = "algorithm", value_name = "LIST", value_delimiter = ',', hide_possible_values = true, value_parser = Suggested(parse_family, family_names))]
    pub(crate) families: Vec<Family>,

    /// Seed of the random numbers: the same seed gives the same results, except for times.
    #[arg(long, value_name = "N", default_value = "1")]
    pub(crate) seed: u64,

    /// Also draw each experiment, as SVG, into a directory, which is created if it does not exist.
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) plots: Option<PathBuf>,

    /// Number of repetitions, each with other random bytes and offsets.
    #[arg(long, value_name = "N", default_value = "5", value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub(crate) runs: u32,

    /// Length of the files that are given a common block [default: 512 KiB, 2 MiB, 8 MiB], and of the longest file that
    /// is timed [default: 2048000].
    #[arg(long, value_name = "SIZE", value_parser = parse_bytes)]
    pub(crate) bytes: Option<u64>,

    /// Memory limit for the contents of all files together (K, M, G: powers of 1024).
    ///
    /// Experiments need them all at once, so they do not begin where there are more.
    #[arg(short, long, value_name = "SIZE", default_value = "1G", value_parser = parse_bytes)]
    pub(crate) memory: u64,

    /// Write to FILE, which appears whole or not at all; `-` is standard output [default: -].
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) output: Option<PathBuf>,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "How to compare")]
pub(crate) struct SimilarityArguments {
    /// Lowest score to report, 0 to 100; with tlsh the largest distance [default: 1; tlsh: 30].
    ///
    /// With 0 all pairs are printed, which takes time and space in proportion to the square of the number of
    /// files.
    #[arg(long, value_name = "N")]
    pub(crate) threshold: Option<u32>,

    /// sdhash: if two digests have the same number of filters, compare both ways and take the higher score.
    ///
    /// Without this option names and order decide, as in the original, so renaming a file can change a score.
    #[arg(long)]
    pub(crate) symmetric: bool,

    /// sdhash: use only the first N filters of the first digest of a pair (`sdhash -s`).
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) sample: Option<u32>,

    /// sdhash: compare filters folded to a quarter of their length, with the scores of `sdhash --fast` in version 4.0.
    #[arg(long)]
    pub(crate) fast: bool,

    /// mrsh-v2: score how much of the larger file is in the smaller one, that is, how alike they are (`mrsh -f`).
    #[arg(long)]
    pub(crate) resemblance: bool,

    /// Format of the pairs [default: that of the family's own program].
    #[arg(short, long, value_name = "FORMAT")]
    pub(crate) format: Option<PairFormat>,

    /// Write to FILE, which appears whole or not at all; `-` is standard output [default: -].
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) output: Option<PathBuf>,

    /// Replace an existing FILE of -o even with a result for which there was not a single digest.
    #[arg(long)]
    pub(crate) allow_empty: bool,

    /// Number of threads [default: one per core].
    // No `-t`: in the families' own programs it is the threshold.
    #[arg(short = 'j', long, alias = "jobs", value_name = "N", value_parser = clap::value_parser!(u16).range(1..=4096))]
    pub(crate) threads: Option<u16>,

    /// Memory limit for digests, comparison and sorting (K, M, G: powers of 1024).
    ///
    /// The digests must fit into half of it (a quarter if there are two sides). Pairs that exceed a quarter wait in
    /// temporary files.
    #[arg(short, long, value_name = "SIZE", default_value = "1G", value_parser = parse_bytes)]
    pub(crate) memory: u64,

    #[command(flatten)]
    pub(crate) messages: MessageArguments,
}

impl OutputArguments {
    /// The format that an option asks for.
    pub(crate) fn format(&self) -> Option<FormatName> {
        match (self.tag, self.json) {
            (true, _) => Some(FormatName::Bsd),
            (_, true) => Some(FormatName::Jsonl),
            _ => self.format,
        }
    }
}

impl CompareArguments {
    /// Whether there is more to compare than digests of lists.
    pub(crate) fn has_files(&self) -> bool {
        !self.paths.is_empty() || self.walk.has_list()
    }
}

impl MatchArguments {
    /// Whether there is more to look through than digests of lists.
    pub(crate) fn has_files(&self) -> bool {
        !self.paths.is_empty() || self.walk.has_list()
    }
}

impl DupesArguments {
    /// Whether there is more to look through than digests of lists.
    pub(crate) fn has_files(&self) -> bool {
        !self.paths.is_empty() || self.walk.has_list()
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum PairFormat {
    /// As `ssdeep -d` and `-m`: `LATER matches EARLIER (SCORE)`.
    Ssdeep,
    /// As `ssdeep -p` and `-x`: each pair in both directions, grouped by file.
    SsdeepPretty,
    /// As `sdhash -g` and `-c`: `NAME|NAME|SCORE`.
    Sdhash,
    /// As `mrsh -g`: `NAME | NAME | SCORE`.
    MrshV2,
    /// As `tlsh -xref`: names and score between tabs.
    Tlsh,
    /// Comma-separated values with a header.
    Csv,
    /// JSON Lines: a header, pairs, a summary.
    #[value(alias = "json")]
    Jsonl,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
pub(crate) struct OutputArguments {
    /// Format of the list: gnu, bsd, hashdeep, md5deep, sfv, csv, jsonl, dfxml, ssdeep, sdhash, mrsh-v2 or tlsh
    /// [default: gnu for one algorithm, bsd for several, jsonl with --resume].
    ///
    /// For `-a ssdeep`, `sdhash`, `mrsh-v2` or `tlsh` alone the default is the list that the program of this name
    /// writes (these formats contain no other digests); beside other digests it is jsonl. csv and dfxml contain them,
    /// too.
    ///
    /// Only csv, jsonl and dfxml list files that could not be read. `md5deep-`, followed by any of the letters k, z, c,
    /// t, writes what md5deep writes with its options of these names.
    #[arg(short, long, value_name = "FORMAT", hide_possible_values = true, value_parser = Suggested(parse_format, format_names))]
    pub(crate) format: Option<FormatName>,

    /// Accepted for compatibility: contents are always read as they are.
    #[arg(short, long, alias = "text")]
    pub(crate) binary: bool,

    /// Same as `-f bsd`.
    #[arg(long, conflicts_with_all = ["format", "json"])]
    pub(crate) tag: bool,

    /// Same as `-f jsonl`.
    #[arg(long, conflicts_with = "format")]
    pub(crate) json: bool,

    /// Write to FILE, which appears whole or not at all; `-` is standard output [default: -].
    ///
    /// An existing FILE keeps its mode and, where that is permitted, its owner; a symbolic link is followed. An
    /// interrupted run leaves its records so far in FILE.partial.
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) output: Option<PathBuf>,

    /// Replace an existing FILE of -o even with a list that has not a single complete file.
    #[arg(long)]
    pub(crate) allow_empty: bool,

    #[command(flatten)]
    pub(crate) style: StyleArguments,

    /// Continue the JSON Lines file given with -o: skip files that it records with the same path, size and modification
    /// time.
    ///
    /// The file is written during the run, in the order in which files finish, so that a crash loses only the files in
    /// flight. Files that failed are tried again; if a path is recorded twice, the later line counts. The file is
    /// locked: a second run on it ends with status 2. Damaged lines are dropped, and the damaged file is kept beside
    /// the new one.
    #[arg(long, requires = "output")]
    pub(crate) resume: bool,

    /// With --resume: first drop lines that are superseded by a later line about the same path.
    #[arg(long, requires = "resume")]
    pub(crate) compact: bool,

    /// Print records as they finish rather than in the order of the walk.
    #[arg(long)]
    pub(crate) unordered: bool,

    /// Also print the digest of every piece of SIZE bytes (K, M, G: powers of 1024).
    #[arg(long, value_name = "SIZE", value_parser = parse_piece)]
    pub(crate) piecewise: Option<u64>,

    /// Also find facts about contents: the longest run of one byte, sectors of zeros, the entropy of a byte.
    ///
    /// Lists have them as CSV, DFXML or JSON Lines, which is then the default. A file all of whose bytes are the same
    /// is reported, since its digests cannot show that: a disk image of zeros, for example. The entropy of a file
    /// above 4 KiB is taken from a sample, or with `exact` from all bytes, which takes about as long as hashing them.
    #[arg(long, value_name = "COUNTING", num_args = 0..=1, require_equals = true, default_missing_value = "sampled")]
    pub(crate) facts: Option<CountingWord>,

    /// Print where the time went, on standard error.
    #[arg(long, value_name = "FORM", num_args = 0..=1, require_equals = true, default_missing_value = "text")]
    pub(crate) stats: Option<StatsForm>,

    #[command(flatten)]
    pub(crate) messages: MessageArguments,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum StatsForm {
    /// For people.
    Text,
    /// One JSON object.
    Json,
}

#[derive(Debug, Args)]
pub(crate) struct AlgorithmsArguments {
    /// Print JSON Lines instead of a table.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct CpuArguments {
    /// Print one JSON object instead of tables.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct CompletionsArguments {
    /// The shell.
    pub(crate) shell: clap_complete::Shell,
}

#[derive(Debug, Args)]
pub(crate) struct ManArguments {
    /// Where to write the pages.
    pub(crate) directory: PathBuf,
}

fn parse_family(name: &str) -> Result<Family, String> {
    name.parse::<Family>().map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn definitions_are_consistent() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn every_option_has_a_text() {
        let arguments = Arguments::command();
        let below = arguments.get_subcommands().flat_map(clap::Command::get_subcommands);
        for command in arguments.get_subcommands().chain(below) {
            for argument in command.get_arguments() {
                assert!(argument.get_help().is_some(), "{} {}", command.get_name(), argument.get_id());
            }
        }
    }
}
