//! The state of the page cache before a run.

use std::fs::{self, File};
use std::path::Path;

use anyhow::{Context, Result};
use nix::fcntl::{PosixFadviseAdvice, posix_fadvise};

/// State of the page cache when a run starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cache {
    /// Everything, as the run before left it.
    Hot,
    /// No contents of the corpus; names and inodes still (`posix_fadvise` DONTNEED on each file).
    Evicted,
    /// Nothing at all (`sync`, then 3 into `/proc/sys/vm/drop_caches`).
    Cold,
}

const DROP_CACHES: &str = "/proc/sys/vm/drop_caches";

impl Cache {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Hot => "hot",
            Self::Evicted => "evicted",
            Self::Cold => "cold",
        }
    }

    /// Brings the cache into this state.
    pub(super) fn prepare(self, corpus: &Path) -> Result<()> {
        match self {
            Self::Hot => Ok(()),
            Self::Evicted => {
                // Pages that wait for being written cannot be evicted.
                nix::unistd::sync();
                evict(corpus)
            }
            Self::Cold => {
                nix::unistd::sync();
                fs::write(DROP_CACHES, "3\n").with_context(|| format!("cannot write to {DROP_CACHES}"))
            }
        }
    }

    /// Why this state cannot be had here, if so.
    pub(super) fn unavailable(self) -> Option<String> {
        let denied = match self {
            Self::Cold => File::options().write(true).open(DROP_CACHES).err()?,
            Self::Hot | Self::Evicted => return None,
        };
        Some(format!("cannot empty the page cache: {DROP_CACHES}: {denied}"))
    }
}

fn evict(folder: &Path) -> Result<()> {
    for entry in fs::read_dir(folder).with_context(|| format!("cannot list `{}`", folder.display()))? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            evict(&entry.path())?;
        } else {
            let file = File::open(entry.path()).with_context(|| format!("cannot open `{}`", entry.path().display()))?;
            posix_fadvise(&file, 0, 0, PosixFadviseAdvice::POSIX_FADV_DONTNEED)?;
        }
    }
    Ok(())
}
