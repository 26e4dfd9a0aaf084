//! The options of a run.

use pfh_digest::Keys;
use pfh_digest::lanes::Backend;
use pfh_facts::Counting;
use pfh_record::Selection;
use pfh_similarity::SimilarityOptions;
use pfh_source::FileIdentity;
use std::fmt;
use std::str::FromStr;

/// How threads share reading and hashing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Mode {
    /// Every worker reads its own files and hashes them. A window of opened and announced files is ahead of it while
    /// reads wait; idle workers take over parts of large files.
    #[default]
    Adaptive,
    /// Published multi-threaded prefetching (Breitinger & Petrov 2013): prefetchers only read into the memory table,
    /// the other threads only hash. Beyond the publication, a prefetcher with nothing left to read becomes a hasher.
    Mtp,
    /// Published simple multi-threading: every thread reads and hashes its own file.
    Smt,
}

/// The order in which files are read. The order of *output* is always that of the walk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Order {
    /// `Path`, except on rotating media, where it is `Physical`.
    #[default]
    Auto,
    /// The order of the walk.
    Path,
    /// By inode number.
    Inode,
    /// By position on the medium, if the filesystem reports it.
    Physical,
    /// Largest first.
    Size,
}

/// The error of a word that is none of the choices.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownWord {
    word: String,
    choices: &'static str,
}

impl fmt::Display for UnknownWord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` is not a valid choice; choose one of {}", self.word, self.choices)
    }
}

impl std::error::Error for UnknownWord {}

impl FromStr for Mode {
    type Err = UnknownWord;
    fn from_str(word: &str) -> Result<Mode, UnknownWord> {
        match word {
            "adaptive" => Ok(Mode::Adaptive),
            "mtp" => Ok(Mode::Mtp),
            "smt" => Ok(Mode::Smt),
            _ => Err(UnknownWord { word: word.to_owned(), choices: "adaptive, mtp, smt" }),
        }
    }
}

impl FromStr for Order {
    type Err = UnknownWord;
    fn from_str(word: &str) -> Result<Order, UnknownWord> {
        match word {
            "auto" => Ok(Order::Auto),
            "path" => Ok(Order::Path),
            "inode" => Ok(Order::Inode),
            "physical" => Ok(Order::Physical),
            "size" => Ok(Order::Size),
            _ => Err(UnknownWord { word: word.to_owned(), choices: "auto, path, inode, physical, size" }),
        }
    }
}

/// The options of a run.
#[derive(Clone, Debug)]
pub struct Options {
    /// The digests to compute, in the order in which records list them: of algorithms, and of similarity families,
    /// which digest only whole files. An empty selection reads everything and hashes nothing.
    pub selection: Selection,
    /// The key and the context of the algorithms that need one.
    pub keys: Keys,
    /// Options of similarity digests.
    pub similarity: SimilarityOptions,
    /// Threads that work (read, hash); 0 counts as 1. In [`Mode::Mtp`] the prefetchers are among them, as published,
    /// but at least one thread hashes.
    pub threads: usize,
    /// Readers per device: prefetchers in [`Mode::Mtp`] and with direct I/O; at most this many workers read from one
    /// rotating device at a time. At least 1.
    pub prefetchers: usize,
    /// The limit of all buffers in bytes: the memory table, reads announced ahead, waiting jobs and finished records.
    pub memory_bytes: u64,
    /// Largest slot of the memory table in bytes: what one read asks for at most. It is rounded down to a multiple of
    /// 4096, and 16 KiB at least. `None`: as it suits the mode and the digests. If the memory is not enough for slots
    /// of this size, they are shorter.
    pub slot_bytes_max: Option<usize>,
    /// How threads share reading and hashing.
    pub mode: Mode,
    /// The order in which files are read.
    pub order: Order,
    /// In [`Mode::Mtp`]: prefer, among the next jobs, one that fits the free part of the memory table (published
    /// listing 3). This needs sizes from the walk.
    pub balance: bool,
    /// The instructions of the kernels that hash many files at once, and of those of similarity digests. They do not
    /// change digests.
    pub backend: Backend,
    /// Also digest every piece of this many bytes, 1 at least, with the algorithms; families digest whole files only.
    pub piece_bytes: Option<u64>,
    /// Also find the facts about the contents of each file: runs of one byte, zero sectors, and the entropy of all
    /// bytes or of a sample. `None`: none.
    pub facts: Option<Counting>,
    /// Deliver records as they finish, rather than in the order of the walk.
    pub unordered: bool,
    /// Reads bypass the page cache, so the kernel does not overlap them with hashing. Prefetchers read and workers
    /// hash, as in [`Mode::Mtp`], but the prefetchers are in addition to `threads`. `None`: as the source says
    /// ([`Source::is_direct`](pfh_source::Source::is_direct)).
    pub direct: Option<bool>,
    /// Files that are not to be read, such as the caller's own output.
    pub own_files: Vec<FileIdentity>,
    /// Number of files that all workers together may hold open, ahead of reading and side by side. Each worker may
    /// always have one, and one more in transit to it. `None`: [`Options::OPEN_FILES_DEFAULT`], which a caller that
    /// knows the system's limit replaces.
    pub open_files_max: Option<usize>,
    /// Readers with which the adaptive mode begins for places that answer late, as [`Report::readers`] of an earlier
    /// run has them: a short run then reads as a long one does. At least 1, and no more than the memory is enough for.
    ///
    /// [`Report::readers`]: crate::Report::readers
    pub readers_at_start: usize,
    /// Measure the timers of [`Report`](crate::Report). This costs a few clock readings for each file.
    pub measure: bool,
}

impl Options {
    /// Default of [`Options::memory_bytes`]: 256 MiB.
    pub const MEMORY_BYTES_DEFAULT: u64 = 256 << 20;

    /// Default of [`Options::open_files_max`]: half of the usual limit of 1024 descriptors of a process.
    pub const OPEN_FILES_DEFAULT: usize = 512;

    /// Returns the default options with these digests: adaptive, one thread per available core, one prefetcher, 256
    /// MiB.
    pub fn new(selection: impl Into<Selection>) -> Options {
        Options {
            selection: selection.into(),
            keys: Keys::default(),
            similarity: SimilarityOptions::default(),
            threads: std::thread::available_parallelism().map_or(1, usize::from),
            prefetchers: 1,
            memory_bytes: Options::MEMORY_BYTES_DEFAULT,
            slot_bytes_max: None,
            mode: Mode::default(),
            order: Order::default(),
            balance: false,
            backend: Backend::chosen(),
            piece_bytes: None,
            facts: None,
            unordered: false,
            direct: None,
            own_files: Vec::new(),
            open_files_max: None,
            readers_at_start: 1,
            measure: false,
        }
    }
}
