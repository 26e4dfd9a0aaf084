//! Arguments that several commands share: what to read, how, with which key, and in which variants.

use super::progress::When;
use super::quantity::parse_bytes;
use clap::builder::{PossibleValue, TypedValueParser};
use clap::{ArgAction, Args, ValueEnum, ValueHint};
use pfh_digest::Algorithm;
use pfh_digest::lanes::{Backend, BackendError};
use pfh_engine::{Mode, Order};
use pfh_facts::Counting;
use pfh_plan::Variants;
use pfh_record::{Encoding, FormatName};
use pfh_similarity::{Family, SimilarityOptions, mrsh_v2, sdhash};
use std::ffi::{OsStr, OsString};
use std::num::NonZero;
use std::path::PathBuf;

#[derive(Debug, Args)]
#[command(next_help_heading = "Keyed digests")]
pub(crate) struct KeyArguments {
    /// Read the key of hmac-… and keyed-… algorithms from FILE; `-` is standard input.
    ///
    /// All bytes of FILE are the key, including a line break at the end. A key is never given on the command line,
    /// which other users can see.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) key_file: Option<OsString>,

    /// The key file holds hexadecimal digits; white space between them is ignored.
    #[arg(long, requires = "key_file")]
    pub(crate) key_hex: bool,

    /// Derive keys from the files, in this context (blake3-derive-key; `b3sum --derive-key`).
    #[arg(long, value_name = "CONTEXT")]
    pub(crate) derive_key: Option<String>,
}

#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "What to read")]
pub(crate) struct WalkArguments {
    /// Accepted for compatibility: directories are always walked.
    #[arg(short, long, action = ArgAction::SetTrue)]
    pub(crate) recursive: bool,

    /// Also read paths from FILE, one per line; `-` is standard input.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, conflicts_with = "files_from0")]
    pub(crate) files_from: Option<PathBuf>,

    /// Also read paths from FILE, each terminated by NUL (as `find -print0` writes them); `-` is standard input.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) files_from0: Option<PathBuf>,

    /// Read only files that match GLOB (repeatable: any one suffices). Quote it for the shell.
    ///
    /// A GLOB without `/` is matched against the name, one with `/` against the whole path as printed. `*` and `?` do
    /// not match `/`, `**` does; `[a-z]` and `{jpg,png}` work; a leading dot is not special. Files named as arguments
    /// are filtered, too.
    #[arg(long, value_name = "GLOB")]
    pub(crate) include: Vec<String>,

    /// Exclude files and directories that match GLOB (repeatable). `GLOB/` excludes directories only.
    #[arg(long, value_name = "GLOB")]
    pub(crate) exclude: Vec<String>,

    /// Exclude files smaller than SIZE.
    #[arg(long, value_name = "SIZE", value_parser = parse_bytes)]
    pub(crate) min_size: Option<u64>,

    /// Exclude files larger than SIZE.
    #[arg(long, value_name = "SIZE", value_parser = parse_bytes)]
    pub(crate) max_size: Option<u64>,

    /// Descend at most N levels below the given paths; 1 means only the files directly in a directory.
    #[arg(long, value_name = "N")]
    pub(crate) max_depth: Option<usize>,

    /// Stay on the filesystem of each given path.
    #[arg(short = 'x', long)]
    pub(crate) one_file_system: bool,

    /// Read files that symbolic links point to. (Links among the given paths are always followed.)
    #[arg(long)]
    pub(crate) follow_files: bool,

    /// Walk directories that symbolic links point to; loops are detected.
    #[arg(long)]
    pub(crate) follow_directories: bool,

    /// Preserve access times where the system permits it.
    #[arg(long)]
    pub(crate) preserve_access_time: bool,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "How to read")]
pub(crate) struct EngineArguments {
    /// Number of threads [default: one per core].
    #[arg(short, long, visible_short_alias = 'j', aliases = ["jobs", "num-threads"], value_name = "N", value_parser = clap::value_parser!(u16).range(1..=4096))]
    pub(crate) threads: Option<u16>,

    /// Number of readers per device, where threads only read (--mode mtp, --io direct, rotating disks).
    ///
    /// With --mode mtp they are among the threads of --threads, with --io direct they are additional.
    // Other programs mean the size of pieces by `-p`, and these begin with 512.
    #[arg(short, long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..512))]
    pub(crate) prefetchers: u16,

    /// Memory limit for all buffers together (K, M, G: powers of 1024).
    #[arg(short, long, value_name = "SIZE", default_value = "256M", value_parser = parse_bytes)]
    pub(crate) memory: u64,

    /// Largest slot of the memory table: what one read asks for at most [default: 64K to 1M, by what is computed; 4M
    /// with --io direct].
    ///
    /// If --memory is not enough for as many slots as the threads need, they are smaller; `--stats` tells their length.
    #[arg(long, value_name = "SIZE", value_parser = parse_slot)]
    pub(crate) slot: Option<u32>,

    /// How threads share reading and hashing.
    #[arg(long, value_name = "MODE", default_value = "adaptive")]
    pub(crate) mode: ModeWord,

    /// The order in which files are read; the output is always in the order of the walk.
    ///
    /// Files are sorted in batches; a batch is as large as --memory allows.
    #[arg(long, value_name = "ORDER", default_value = "auto")]
    pub(crate) order: OrderWord,

    /// With --mode mtp: prefer files that fit the free part of the memory table.
    #[arg(long)]
    pub(crate) balance: bool,

    /// Instructions for hashing many files at once and for similarity digests, instead of the best that this CPU has;
    /// `pfh cpu` lists the names.
    ///
    /// The environment variable PFH_BACKEND does the same for a whole session. All backends compute the same digests.
    /// Data that is hashed as a single stream (checksums, BLAKE3, --mode smt and mtp) is not affected, except by
    /// similarity digests.
    #[arg(long, value_name = "NAME", value_parser = parse_backend)]
    pub(crate) backend: Option<Backend>,

    /// How reading uses the page cache.
    #[arg(long, value_name = "METHOD", default_value = "buffered")]
    pub(crate) io: IoWord,

    /// Type of storage that the files are on, if the system does not know it or is wrong.
    #[arg(long, value_name = "MEDIUM")]
    pub(crate) medium: Option<MediumWord>,
}

/// Which messages are printed.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct MessageArguments {
    /// Show progress on standard error.
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    pub(crate) progress: When,

    /// Do not print warnings about single files and lines (the totals at the end and the exit status still count them).
    #[arg(short, long)]
    pub(crate) quiet: bool,

    /// Print every warning, rather than the first ten of each kind in each directory.
    #[arg(long, conflicts_with = "quiet")]
    pub(crate) verbose: bool,
}

/// How lists are written, in formats that leave that open.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct StyleArguments {
    /// End records with NUL instead of a line feed, and escape nothing (formats gnu, bsd, md5deep).
    #[arg(short = '0', long, visible_alias = "zero")]
    pub(crate) null: bool,

    /// Write digests in upper-case hexadecimal (formats gnu, bsd, sfv).
    #[arg(long, conflicts_with = "base64")]
    uppercase: bool,

    /// Write digests in base64 (formats gnu, bsd), as `cksum --base64` does.
    #[arg(long)]
    base64: bool,
}

impl StyleArguments {
    /// Returns the encoding of digests.
    pub(crate) fn encoding(self) -> Encoding {
        match (self.uppercase, self.base64) {
            (true, _) => Encoding::UpperHexadecimal,
            (_, true) => Encoding::Base64,
            _ => Encoding::Hexadecimal,
        }
    }
}

impl WalkArguments {
    /// Whether paths come from a list.
    pub(crate) fn has_list(&self) -> bool {
        self.files_from.is_some() || self.files_from0.is_some()
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ModeWord {
    /// Every worker reads and hashes; reads ahead where reads wait; idle workers help with large files.
    Adaptive,
    /// As published: prefetchers only read, the other threads only hash.
    Mtp,
    /// As published: every thread reads and hashes its own file.
    Smt,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum OrderWord {
    /// By path; by physical position on rotating disks.
    Auto,
    Path,
    Inode,
    /// By position on the medium, where the filesystem reports it.
    Physical,
    /// Largest first.
    Size,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum IoWord {
    /// Through the page cache.
    Buffered,
    /// Through it, but cached pages are dropped before and after reading.
    Drop,
    /// Around it (O_DIRECT); like `drop` where the filesystem refuses, which --stats counts.
    Direct,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum MediumWord {
    Rotating,
    SolidState,
    Network,
    Memory,
}

impl From<ModeWord> for Mode {
    fn from(word: ModeWord) -> Mode {
        match word {
            ModeWord::Adaptive => Mode::Adaptive,
            ModeWord::Mtp => Mode::Mtp,
            ModeWord::Smt => Mode::Smt,
        }
    }
}

impl From<OrderWord> for Order {
    fn from(word: OrderWord) -> Order {
        match word {
            OrderWord::Auto => Order::Auto,
            OrderWord::Path => Order::Path,
            OrderWord::Inode => Order::Inode,
            OrderWord::Physical => Order::Physical,
            OrderWord::Size => Order::Size,
        }
    }
}

impl From<IoWord> for pfh_source::IoMethod {
    fn from(word: IoWord) -> Self {
        match word {
            IoWord::Buffered => Self::Buffered,
            IoWord::Drop => Self::Drop,
            IoWord::Direct => Self::Direct,
        }
    }
}

impl From<MediumWord> for pfh_source::Medium {
    fn from(word: MediumWord) -> Self {
        match word {
            MediumWord::Rotating => Self::Rotating,
            MediumWord::SolidState => Self::SolidState,
            MediumWord::Network => Self::Network,
            MediumWord::Memory => Self::Memory,
        }
    }
}

/// A parser, and a list of values for completions, which need not be complete.
#[derive(Clone)]
pub(crate) struct Suggested<P>(pub(crate) P, pub(crate) fn() -> Vec<String>);

impl<P: TypedValueParser> TypedValueParser for Suggested<P> {
    type Value = P::Value;

    fn parse_ref(
        &self,
        command: &clap::Command,
        argument: Option<&clap::Arg>,
        value: &OsStr,
    ) -> Result<P::Value, clap::Error> {
        self.0.parse_ref(command, argument, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(self.1().into_iter().map(PossibleValue::new)))
    }
}

/// Names that `-a` accepts.
pub(crate) fn digest_names() -> Vec<String> {
    let algorithms = Algorithm::all().map(|algorithm| algorithm.to_string());
    algorithms.chain(family_names()).chain(["none".to_owned()]).collect()
}

pub(crate) fn family_names() -> Vec<String> {
    Family::ALL.iter().map(|family| family.to_string()).collect()
}

fn parse_backend(name: &str) -> Result<Backend, BackendError> {
    Backend::from_name(name)
}

/// Segment size of sdhash in MiB, as in the original.
const SDHASH_SEGMENTS: u32 = 128;

#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Variants of similarity digests")]
pub(crate) struct FamilyArguments {
    /// Version of sdhash that digests and scores are compatible with.
    ///
    /// A digest does not record which version made it. 4.0 finds more, but very repetitive files match anything.
    #[arg(long, value_name = "VERSION", default_value = "3.4")]
    pub(crate) sdhash_profile: ProfileWord,

    /// Block size of sdhash in KiB, 1 to 16, or 0 for none (`sdhash -b`) [default: 16 from 16 MiB on, none below].
    #[arg(long, value_name = "KIB", value_parser = parse_blocks)]
    pub(crate) sdhash_blocks: Option<Blocks>,

    /// Segment size of sdhash in MiB (`sdhash -z`); 0 for none.
    ///
    /// In block mode, a longer file has one digest for each segment, under the name of the file and the offset of the
    /// segment: `disk.dd.0128M`. In lists of other formats than sdhash's own it has a single digest.
    #[arg(long, value_name = "MIB", default_value_t = SDHASH_SEGMENTS)]
    pub(crate) sdhash_segments: u32,

    /// Compute mrsh-v2 digests as its build for network packets does, without the first and the last chunk.
    #[arg(long)]
    pub(crate) mrsh_network: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ProfileWord {
    #[value(name = "3.4")]
    V3_4,
    #[value(name = "4.0")]
    V4_0,
}

impl From<ProfileWord> for sdhash::Profile {
    fn from(word: ProfileWord) -> sdhash::Profile {
        match word {
            ProfileWord::V3_4 => sdhash::Profile::V3_4,
            ProfileWord::V4_0 => sdhash::Profile::V4_0,
        }
    }
}

/// Stream mode, or blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Blocks {
    mode: sdhash::Mode,
    kibibytes: u32,
}

fn parse_blocks(text: &str) -> Result<Blocks, String> {
    let kibibytes: u32 = text.parse().map_err(|_| "neither 0 nor a number from 1 to 16".to_owned())?;
    let size = sdhash::BlockSize::from_kibibytes(kibibytes);
    match (kibibytes, size) {
        (0, _) => Ok(Blocks { mode: sdhash::Mode::Stream, kibibytes }),
        (_, Some(size)) => Ok(Blocks { mode: sdhash::Mode::Blocks(size), kibibytes }),
        (_, None) => Err("neither 0 nor a number from 1 to 16".to_owned()),
    }
}

impl FamilyArguments {
    /// How digests are made.
    pub(crate) fn similarity_options(&self) -> SimilarityOptions {
        let mode = self.sdhash_blocks.map_or(sdhash::Mode::Automatic, |blocks| blocks.mode);
        SimilarityOptions {
            sdhash: sdhash::Options { profile: self.sdhash_profile.into(), mode, input_bytes: None },
            mrsh_v2: if self.mrsh_network { mrsh_v2::Build::Network } else { mrsh_v2::Build::Normal },
        }
    }

    /// The variants in words, for a plan.
    pub(crate) fn variants(&self) -> Variants {
        let profile = self.sdhash_profile.to_possible_value();
        Variants {
            sdhash_profile: profile.map(|word| word.get_name().to_owned()),
            sdhash_blocks: self.sdhash_blocks.map(|blocks| blocks.kibibytes),
            sdhash_segments: Some(self.sdhash_segments),
            mrsh_network: self.mrsh_network,
        }
    }

    /// Takes the variants from the words of a plan.
    pub(crate) fn of_variants(variants: &Variants) -> Result<FamilyArguments, String> {
        let profile = variants.sdhash_profile.as_deref().map(|word| ProfileWord::from_str(word, false));
        let blocks = variants.sdhash_blocks.map(|kibibytes| parse_blocks(&kibibytes.to_string()));
        Ok(FamilyArguments {
            sdhash_profile: profile.transpose()?.unwrap_or(ProfileWord::V3_4),
            sdhash_blocks: blocks.transpose()?,
            sdhash_segments: variants.sdhash_segments.unwrap_or(SDHASH_SEGMENTS),
            mrsh_network: variants.mrsh_network,
        })
    }

    /// Segment size of sdhash in MiB.
    pub(crate) fn segment(&self) -> Option<NonZero<u32>> {
        NonZero::new(self.sdhash_segments)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum CountingWord {
    /// The first 4096 bytes, and of the others 32 in each 1024.
    Sampled,
    /// All bytes.
    Exact,
}

impl From<CountingWord> for Counting {
    fn from(word: CountingWord) -> Counting {
        match word {
            CountingWord::Sampled => Counting::Sampled,
            CountingWord::Exact => Counting::Exact,
        }
    }
}

pub(crate) fn format_names() -> Vec<String> {
    FormatName::ALL.iter().map(|format| format.name().to_owned()).collect()
}

pub(crate) fn parse_format(name: &str) -> Result<FormatName, String> {
    if name == "json" {
        return Ok(FormatName::Jsonl);
    }
    FormatName::from_name(name).map_err(|error| error.to_string())
}

fn parse_slot(text: &str) -> Result<u32, String> {
    match u32::try_from(parse_bytes(text)?) {
        Ok(bytes) if (16 << 10..=64 << 20).contains(&bytes) => Ok(bytes),
        _ => Err(format!("`{text}` is not from 16K to 64M")),
    }
}

pub(crate) fn parse_piece(text: &str) -> Result<u64, String> {
    match parse_bytes(text)? {
        0 => Err("a piece has at least one byte".to_owned()),
        bytes => Ok(bytes),
    }
}
