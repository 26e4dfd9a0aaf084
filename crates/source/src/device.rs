//! What a device is: the medium decides how many readers it gets and in which order.

use std::collections::HashMap;
use std::os::fd::AsFd;
use std::sync::{Arc, Mutex, PoisonError};

use crate::options::WalkOptions;

/// What kind of medium a device is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Medium {
    /// Heads move: one reader, in physical order.
    Rotating,
    /// Flash, and virtual disks whose medium cannot be known.
    SolidState,
    /// NFS, SMB, FUSE …: latency, and clocks that are not ours.
    Network,
    /// tmpfs, ramfs.
    Memory,
}

/// A device as the system describes it.
#[derive(Debug, PartialEq, Eq)]
pub struct Device {
    /// `st_dev`.
    pub number: u64,
    /// What it is.
    pub medium: Medium,
    /// Name for people: `nvme0n1`, `tmpfs`, `//server/share`.
    pub name: String,
}

/// A filesystem met on the walk.
#[derive(Debug)]
pub(crate) struct Filesystem {
    pub(crate) device: Arc<Device>,
    /// Its files are made up by the kernel: entered only if the user names it, read as streams.
    pub(crate) pseudo: bool,
    /// What it says of holes in sparse files is known to hold while others write.
    pub(crate) holes_trusted: bool,
}

impl Filesystem {
    pub(crate) fn plain(device: Arc<Device>) -> Self {
        Self { device, pseudo: false, holes_trusted: false }
    }
}

/// Filesystems by device number: each is looked up once.
#[derive(Debug)]
pub(crate) struct Filesystems {
    medium: Option<Medium>,
    known: Mutex<HashMap<u64, Arc<Filesystem>>>,
}

impl Filesystems {
    pub(crate) fn new(options: &WalkOptions) -> Self {
        Self { medium: options.medium, known: Mutex::default() }
    }

    /// The filesystem with this device number. `open` gives a file on it, and is called if it was not met before.
    pub(crate) fn of<F: AsFd>(&self, number: u64, _open: impl FnOnce() -> Option<F>) -> Arc<Filesystem> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(known.entry(number).or_insert_with(|| {
            let medium = self.medium.unwrap_or(Medium::SolidState);
            Arc::new(Filesystem::plain(Arc::new(Device { number, medium, name: String::new() })))
        }))
    }
}
