//! The options for blocks of files.

use super::exit::Failed;
use super::quantity::parse_bytes;
use clap::Args;
use pfh_known::BlockError;

#[derive(Debug, Args)]
#[command(next_help_heading = "Fragments of files")]
pub(crate) struct FragmentArguments {
    /// Look for fragments of known files: the paths are disk images, and the set has digests of blocks of SIZE bytes.
    ///
    /// `pfh known build --blocks` makes such sets. Blocks that follow each other in an image as in a known file are one
    /// fragment, which is one line: its offset in the image, its length, its file and the offset in it. At the end each
    /// file has a line with the number of its blocks that were found. Blocks of one byte value, and others that say
    /// nothing about where they come from, are not looked up.
    #[arg(long, value_name = "SIZE", value_parser = parse_bytes, requires = "known", conflicts_with_all = ["digest", "digests", "only", "names_only", "not_found", "top", "all_names", "threshold", "key_file", "read_as"])]
    pub(crate) blocks: Option<u64>,

    /// With --blocks: look for blocks at every multiple of SIZE bytes in the image; SIZE is a multiple of 512 that
    /// divides the length of blocks [default: 512].
    ///
    /// The length of blocks itself is faster, and finds the files of a file system whose clusters begin at multiples of
    /// it.
    #[arg(long, value_name = "SIZE", value_parser = parse_bytes, requires = "blocks")]
    pub(crate) step: Option<u64>,
}

/// Returns the failure of a length or a step that is not possible.
pub(crate) fn of_option(block_bytes: u64, error: &BlockError) -> Failed {
    Failed::usage(format_args!("--blocks {block_bytes}: {error}"))
}
