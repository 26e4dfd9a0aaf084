//! Storage to measure on: the disk of the results, a folder of the user's, or a simulated device.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crate::data::Data;
use crate::error::Error;
use crate::mounts::{detach, is_mount_point};
use crate::process::{Launch, Process};
use crate::results;

/// How long a mount may take.
const MOUNT_LIMIT: Duration = Duration::from_secs(20);
/// A simulated device takes little memory.
const MOUNT_MEMORY_BYTES_MAX: u64 = 1 << 30;

/// A device of an experiment.
#[derive(Debug)]
pub(super) struct Device {
    name: String,
    kind: Kind,
}

#[derive(Debug)]
enum Kind {
    /// A folder of ours on it, with the corpora.
    Folder(Data),
    /// The folder in which corpora are kept.
    Kept(PathBuf),
    /// Shows the corpora of the disk of results as if they lay on the device, which is described in words.
    Simulated {
        source: PathBuf,
        mounted: Option<Mounted>,
        mount_point: PathBuf,
        /// Holds the mount point, and is removed after the mount.
        _data: Box<Data>,
        behaviour: String,
    },
}

/// A child that shows a folder until it is dropped.
#[derive(Debug)]
struct Mounted {
    process: Process,
    mount_point: PathBuf,
}

impl Drop for Mounted {
    fn drop(&mut self) {
        // It ends with its input, and takes the mount with it.
        self.process.close_input();
        self.process.wait_for_end(MOUNT_LIMIT);
        if is_mount_point(&self.mount_point) {
            // The program of the mount was killed; nobody answers there any more.
            detach(&self.mount_point);
        }
    }
}

impl Device {
    pub(super) fn folder(name: &str, data: Data) -> Device {
        Device { name: name.to_owned(), kind: Kind::Folder(data) }
    }

    /// The device of the folder in which corpora are kept.
    pub(super) fn kept(name: &str, folder: PathBuf) -> Device {
        Device { name: name.to_owned(), kind: Kind::Kept(folder) }
    }

    /// A device that `pfh lab mount` knows, which shows the corpora of another folder. It is mounted once, to see that
    /// it can be, and how it behaves.
    pub(super) fn simulated(name: &str, source: &Path, program: &Path, cancel: &AtomicBool) -> Result<Device, Error> {
        // The mounts that killed runs left there are taken away.
        let data = Data::new(&std::env::temp_dir(), 0)?;
        let mount_point = data.mount_point()?;
        let mounted = mount(program, source, &mount_point, name, cancel).map_err(Error::Input)?;
        let behaviour = mounted.behaviour().unwrap_or_default();
        drop(mounted);
        let kind =
            Kind::Simulated { source: source.to_owned(), mounted: None, mount_point, _data: Box::new(data), behaviour };
        Ok(Device { name: name.to_owned(), kind })
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// The folder in which programs find the corpora.
    pub(super) fn path(&self) -> &Path {
        match &self.kind {
            Kind::Folder(data) => data.folder(),
            Kind::Kept(folder) => folder,
            Kind::Simulated { mount_point, .. } => mount_point,
        }
    }

    /// The folder in which the corpora lie: a simulated device shows that of another.
    pub(super) fn origin(&self) -> &Path {
        match &self.kind {
            Kind::Folder(_) | Kind::Kept(_) => self.path(),
            Kind::Simulated { source, .. } => source,
        }
    }

    pub(super) fn is_simulated(&self) -> bool {
        matches!(self.kind, Kind::Simulated { .. })
    }

    /// Makes it ready with nothing in its cache, if it is simulated; a folder is left as it is.
    pub(super) fn renew(&mut self, program: &Path, cancel: &AtomicBool) -> Result<(), String> {
        self.release();
        self.attach(program, cancel).map(|_| ())
    }

    /// Makes it ready, if it is not. Returns whether it is mounted anew, with nothing in its cache.
    pub(super) fn attach(&mut self, program: &Path, cancel: &AtomicBool) -> Result<bool, String> {
        if let Kind::Simulated { source, mount_point, mounted, .. } = &mut self.kind {
            // One whose program was killed serves nobody.
            if mounted.as_mut().is_some_and(|mounted| mounted.process.wait_for_end(Duration::ZERO).is_some()) {
                *mounted = None;
            }
            if mounted.is_none() {
                *mounted = Some(mount(program, source, mount_point, &self.name, cancel)?);
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Takes a simulated device away.
    pub(super) fn release(&mut self) {
        if let Kind::Simulated { mounted, .. } = &mut self.kind {
            *mounted = None;
        }
    }

    /// As it is saved.
    pub(super) fn to_entry(&self) -> results::Device {
        let mut facts = BTreeMap::new();
        let mounts = fs::read_to_string("/proc/self/mounts").unwrap_or_default();
        if let Some(mount) = mount_of(&mounts, self.origin()) {
            facts.insert("filesystem".to_owned(), mount);
        }
        match &self.kind {
            Kind::Folder(_) => {}
            Kind::Kept(folder) => {
                facts.insert(results::KEPT.to_owned(), folder.to_string_lossy().into_owned());
            }
            Kind::Simulated { behaviour, .. } => {
                facts.insert("behaviour".to_owned(), behaviour.clone());
            }
        }
        results::Device { device: self.name.clone(), simulated: self.is_simulated(), facts }
    }
}

fn mount(
    program: &Path,
    source: &Path,
    mount_point: &Path,
    device: &str,
    cancel: &AtomicBool,
) -> Result<Mounted, String> {
    let text = |path: &Path| path.to_string_lossy().into_owned();
    let arguments = ["lab", "mount", "--until-closed", "--device", device].map(str::to_owned);
    let launch = Launch {
        program: text(program),
        arguments: arguments.into_iter().chain([text(source), text(mount_point)]).collect(),
        environment: Vec::new(),
        directory: source.to_owned(),
    };
    let process = Process::start(&launch, MOUNT_MEMORY_BYTES_MAX).map_err(|error| error.to_string())?;
    let mut mounted = Mounted { process, mount_point: mount_point.to_owned() };
    let until = Instant::now() + MOUNT_LIMIT;
    while mounted.behaviour().is_none() || !is_mount_point(mount_point) {
        let has_ended = mounted.process.wait_for_end(Duration::ZERO).is_some();
        if has_ended || cancel.load(Ordering::Relaxed) || Instant::now() > until {
            return Err(format!("the device `{device}` cannot be simulated: {}", mounted.end()));
        }
        thread::sleep(Duration::from_millis(2));
    }
    Ok(mounted)
}

impl Mounted {
    /// The description of the device, at the end of the line that tells that the mount stands.
    fn behaviour(&self) -> Option<String> {
        self.process.said().rsplit_once("`: ").map(|(_, behaviour)| behaviour.to_owned())
    }

    /// Ends it, and returns what it said.
    fn end(mut self) -> String {
        self.process.close_input();
        self.process.wait_for_end(Duration::from_secs(1));
        self.process.said()
    }
}

/// Type, device and options of the mount that holds a folder. Lines are `device mount-point type options …`, with some
/// characters as octal digits; the longest mount point wins, the last of equal ones lies on top.
fn mount_of(mounts: &str, folder: &Path) -> Option<String> {
    let mounts = mounts.lines().filter_map(|line| {
        let mut words = line.split(' ').map(unescape);
        Some((words.next()?, words.next()?, words.next()?, words.next()?))
    });
    let holding = mounts.filter(|(_, point, _, _)| folder.starts_with(point));
    let (device, _, kind, options) = holding.max_by_key(|(_, point, _, _)| point.len())?;
    Some(format!("{kind} on {device} ({options})"))
}

/// Decodes blank, tab, line feed, `#` and backslash.
fn unescape(word: &str) -> String {
    [("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\043", "#"), ("\\134", "\\")]
        .iter()
        .fold(word.to_owned(), |word, (digits, character)| word.replace(digits, character))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_innermost_mount_holds_a_folder() {
        let mounts = "/dev/a / ext4 rw 0 0\nproc /proc proc rw 0 0\nserver:/x /data nfs ro 0 0\n";
        assert_eq!(mount_of(mounts, Path::new("/data/y")).as_deref(), Some("nfs on server:/x (ro)"));
        assert_eq!(mount_of(mounts, Path::new("/database")).as_deref(), Some("ext4 on /dev/a (rw)"));
        assert_eq!(mount_of("", Path::new("/")), None);
        let spaced = "/dev/a / ext4 rw 0 0\n//server/a\\134040\\043b /mnt/My\\040Disk cifs rw 0 0\n";
        let found = mount_of(spaced, Path::new("/mnt/My Disk/x"));
        assert_eq!(found.as_deref(), Some("cifs on //server/a\\040#b (rw)"));
    }
}
