//! The command lines of `pfh shard` and `pfh merge`.

use super::common_args::{
    CountingWord, FamilyArguments, MessageArguments, StyleArguments, Suggested, WalkArguments, digest_names,
    format_names, parse_format, parse_piece,
};
use super::quantity::parse_bytes;
use clap::builder::StringValueParser;
use clap::{Args, ValueHint};
use pfh_digest::parts::is_part_bytes;
use pfh_plan::SHARDS_MAX;
use pfh_record::FormatName;
use std::ffi::OsString;
use std::path::PathBuf;

const SHARD_EXAMPLES: &str = "\
Examples:
  pfh shard /data -o plan --shards 64
      walks /data, and cuts what it finds into 64 shards of about the same weight
  pfh hash --plan plan --shard 5
      hashes one of them, on any machine
  pfh hash --plan plan --shard 0/4
      every fourth of them, one after the other
  pfh shard /images -o plan --shards 64 -a blake3 --split 1G
      files of more than 1 GiB in parts, which several machines read at the same time
  pfh shard --status plan
      the numbers of the shards without result
  pfh merge plan -o list
      the list, as `pfh hash /data` prints it

Exit status:
  0    all done
  2    the command line is wrong, there is a plan already, or the walk could not begin
  3    something could not be listed (it is in the plan), or with --status: a shard has no result
  4    the plan could not be written
  130  interrupted
  141  the reader of standard output closed it before the end";

#[derive(Debug, Args)]
#[command(after_help = SHARD_EXAMPLES, after_long_help = SHARD_EXAMPLES)]
#[command(mut_arg("quiet", |quiet| quiet.help("Do not print warnings, nor how the shards turned out")))]
pub(crate) struct ShardArguments {
    /// Files and directories to plan (walked, hidden files included). No file is opened.
    #[arg(value_name = "PATH", value_hint = ValueHint::AnyPath, required_unless_present_any = ["files_from", "files_from0", "status"])]
    pub(crate) paths: Vec<OsString>,

    /// The folder of the plan, which must be new or empty. All machines need it, under any path.
    #[arg(short, long, value_name = "PLAN", value_hint = ValueHint::DirPath, required_unless_present = "status")]
    pub(crate) output: Option<PathBuf>,

    /// Number of shards: 8 to 32 for each worker, so that none waits long for the last one.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=i64::from(SHARDS_MAX)), required_unless_present_any = ["shard_size", "status"])]
    pub(crate) shards: Option<u32>,

    /// As many shards as it takes for a mean weight of at most SIZE (K, M, G: powers of 1024).
    #[arg(long, value_name = "SIZE", value_parser = parse_shard, conflicts_with = "shards")]
    pub(crate) shard_size: Option<u64>,

    /// Weight of a file beside its size: the bytes that are read in the time that it takes to open one.
    #[arg(long, value_name = "SIZE", value_parser = parse_bytes, default_value = "64K")]
    pub(crate) per_file: u64,

    /// Split files of more than SIZE bytes into parts of SIZE, which several tasks read at the same time (K, M, G).
    ///
    /// SIZE is a power of two, and 1M or more. `pfh merge` joins the values of the parts into the digest of the file,
    /// which is the same as without this option. That is possible for BLAKE3, CRC-32, CRC-32C, CRC-64/NVME and
    /// Adler-32 only: every other digest needs all bytes of a file in their order, and is refused.
    #[arg(long, value_name = "SIZE", value_parser = parse_split, conflicts_with_all = ["status", "piecewise", "facts"])]
    pub(crate) split: Option<u64>,

    /// Print the numbers of the shards of PLAN that have no result, instead of planning.
    #[arg(long, value_name = "PLAN", value_hint = ValueHint::DirPath, conflicts_with_all = ["paths", "output", "shards", "shard_size", "files_from", "files_from0"])]
    pub(crate) status: Option<PathBuf>,

    /// Algorithms, separated by commas, or repeated, as of `pfh hash`; all shards compute them.
    ///
    /// Those that take a key are excluded, because a plan cannot check that all shards have the same one.
    #[arg(short, long = "algorithm", value_name = "LIST", value_delimiter = ',', default_value = "sha256", hide_possible_values = true, value_parser = Suggested(StringValueParser::new(), digest_names))]
    pub(crate) algorithms: Vec<String>,

    /// Also compute the digest of every piece of SIZE bytes (K, M, G: powers of 1024).
    #[arg(long, value_name = "SIZE", value_parser = parse_piece)]
    pub(crate) piecewise: Option<u64>,

    /// Also find facts about contents, as `pfh hash` does.
    #[arg(long, value_name = "COUNTING", num_args = 0..=1, require_equals = true, default_missing_value = "sampled")]
    pub(crate) facts: Option<CountingWord>,

    #[command(flatten)]
    pub(crate) families: FamilyArguments,

    #[command(flatten)]
    pub(crate) walk: WalkArguments,

    #[command(flatten)]
    pub(crate) messages: MessageArguments,
}

/// Parses the length of parts.
fn parse_split(text: &str) -> Result<u64, String> {
    let bytes = parse_bytes(text)?;
    match is_part_bytes(bytes) {
        true => Ok(bytes),
        false => Err("parts have a power of two of bytes, and at least 1M: 1M, 2M … 512M, 1G, 2G …".to_owned()),
    }
}

const MERGE_EXAMPLES: &str = "\
Examples:
  pfh merge plan -o SHA256SUMS
      one list, in the order of the walk, as `pfh hash` prints it
  pfh merge plan -f dfxml -o list.xml
      the same in another format

Exit status:
  0    all done
  1    a file bears the marks of a collision attack (-a sha1dc)
  2    the command line is wrong, there is no plan, the format cannot list these digests, or the list would replace
       a file of the plan
  3    a shard has no result or a damaged one (with -o, nothing is written then), some file could
       not be read, or could not be expressed in the format
  4    the output could not be written
  5    1 and 3 together
  130  interrupted
  141  the reader of standard output closed it before the end";

#[derive(Debug, Args)]
#[command(after_help = MERGE_EXAMPLES, after_long_help = MERGE_EXAMPLES)]
pub(crate) struct MergeArguments {
    /// The folder of the plan.
    #[arg(value_name = "PLAN", value_hint = ValueHint::DirPath)]
    pub(crate) plan: PathBuf,

    /// Only the files that begin in this shard: those of its list, and those whose first part is there. The shards in
    /// which the last of them goes on must have results, too.
    #[arg(long, value_name = "I")]
    pub(crate) shard: Option<u32>,

    /// Format of the list, as of `pfh hash` [default: that of `pfh hash` for these digests].
    #[arg(short, long, value_name = "FORMAT", hide_possible_values = true, value_parser = Suggested(parse_format, format_names))]
    pub(crate) format: Option<FormatName>,

    /// Write to FILE, which appears whole or not at all; `-` is standard output [default: -].
    #[arg(short, long, value_name = "LIST", value_hint = ValueHint::FilePath)]
    pub(crate) output: Option<PathBuf>,

    /// Replace an existing LIST of -o even with a list that has not a single complete file.
    #[arg(long)]
    pub(crate) allow_empty: bool,

    #[command(flatten)]
    pub(crate) style: StyleArguments,

    #[command(flatten)]
    pub(crate) messages: MessageArguments,
}

/// A shard, or all those with a certain remainder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ShardWord {
    One(u32),
    EachNth { first: u32, step: u32 },
}

impl ShardWord {
    pub(crate) fn parse(text: &str) -> Result<ShardWord, String> {
        let number = |text: &str| match text.bytes().all(|byte| byte.is_ascii_digit()) {
            true => text.parse::<u32>().map_err(|error| error.to_string()),
            false => Err("neither a number nor I/N".to_owned()),
        };
        let Some((first, step)) = text.split_once('/') else { return number(text).map(ShardWord::One) };
        match (number(first)?, number(step)?) {
            (first, step) if first < step => Ok(ShardWord::EachNth { first, step }),
            (_, step) => Err(format!("I/N has I from 0 to N - 1, and N is {step}")),
        }
    }

    /// Returns the numbers that are meant, of this many shards.
    pub(crate) fn numbers(self, shards: u32) -> Result<impl Iterator<Item = u32>, String> {
        let (first, step) = match self {
            ShardWord::One(number) if number >= shards => {
                return Err(format!("shard {number} is not in the plan, which has shards 0 to {}", shards - 1));
            }
            ShardWord::One(number) => (number, shards),
            ShardWord::EachNth { first, step } => (first, step),
        };
        Ok((first..shards).step_by(step as usize))
    }
}

fn parse_shard(text: &str) -> Result<u64, String> {
    match parse_bytes(text)? {
        0 => Err("a shard has a weight of at least one byte".to_owned()),
        bytes => Ok(bytes),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shards_are_named_by_number_or_remainder() {
        let numbers = |text: &str, shards| -> Vec<u32> {
            ShardWord::parse(text).and_then(|word| word.numbers(shards)).unwrap().collect()
        };
        assert_eq!(numbers("3", 4), [3]);
        assert_eq!(numbers("0", 1), [0]);
        assert_eq!(numbers("1/3", 8), [1, 4, 7]);
        assert_eq!(numbers("0/1", 3), [0, 1, 2]);
        assert!(numbers("5/7", 3).is_empty());
        for text in ["", "-1", "+1", "1/", "/2", "2/2", "1/0", "a", "1/2/3", "4294967296"] {
            assert!(ShardWord::parse(text).is_err(), "{text}");
        }
        assert!(ShardWord::parse("4").unwrap().numbers(4).is_err());
    }
}
