//! Writing to the directory that is shown.

use std::ffi::OsStr;
use std::fs::{self, DirBuilder, File, OpenOptions, Permissions};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirBuilderExt, FileExt, OpenOptionsExt, PermissionsExt, lchown};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use fuser::{FileAttr, INodeNo, RenameFlags, TimeOrNow};
use rustix::fs::{AtFlags, CWD, RenameFlags as Flags, Timespec, Timestamps, UTIME_NOW, UTIME_OMIT};
use rustix::fs::{renameat_with, statvfs, utimensat};
use rustix::io::Errno;

use super::{Nodes, Shown, plan};

/// The unit of `statfs`.
pub(super) const BLOCK_BYTES: u32 = 512;

/// A filesystem that can be written to: how it differs from others. A file that is removed while it is open is lost,
/// unless it is hidden.
#[derive(Clone, Copy, Debug, Default)]
pub struct Writing {
    /// `renameat2` refuses `RENAME_NOREPLACE` (EINVAL).
    pub without_noreplace: bool,
    /// Nothing can have several names (EPERM).
    pub without_hard_links: bool,
    /// Writes wait in the page cache, so that their errors come late: by `close` and by `syncfs`.
    pub late: bool,
    /// A file that is removed while it is open has a name that begins with `.fuse_hidden` until it is closed, as on
    /// filesystems made with libfuse, and much as on NFS.
    pub hides_removed: bool,
}

impl Nodes {
    pub(super) fn add(&mut self, path: PathBuf, number: u64) {
        self.paths[number as usize - 1].push(path.clone());
        self.numbers.insert(path, number);
    }

    fn remove(&mut self, path: &Path) {
        if let Some(number) = self.numbers.remove(path) {
            self.paths[number as usize - 1].retain(|other| other != path);
        }
    }

    /// Gives everything at a path, and below it, another path.
    fn rename(&mut self, from: &Path, to: &Path) {
        self.remove(to);
        let moved: Vec<PathBuf> = self.numbers.keys().filter(|path| path.starts_with(from)).cloned().collect();
        for path in moved {
            let number = self.numbers[&path];
            self.remove(&path);
            let below = path.strip_prefix(from).unwrap_or(&path);
            self.add(if path == from { to.to_owned() } else { to.join(below) }, number);
        }
    }
}

impl Shown {
    /// The path that something is to get.
    fn place(&self, parent: INodeNo, name: &OsStr) -> io::Result<PathBuf> {
        let path = self.path(parent)?.join(name);
        self.plan.of(path.as_os_str().as_bytes()).map_or(Ok(()), plan::FileFaults::name)?;
        Ok(path)
    }

    pub(super) fn make(
        &self,
        parent: INodeNo,
        name: &OsStr,
        make: impl FnOnce(&Path) -> io::Result<()>,
    ) -> io::Result<FileAttr> {
        let path = self.place(parent, name)?;
        make(&self.directory.join(&path))?;
        self.attributes(&path)
    }

    pub(super) fn make_link(&self, node: INodeNo, parent: INodeNo, name: &OsStr) -> io::Result<FileAttr> {
        if self.options.writing.is_some_and(|writing| writing.without_hard_links) {
            return Err(Errno::PERM.into());
        }
        let path = self.place(parent, name)?;
        fs::hard_link(self.directory.join(self.path(node)?), self.directory.join(&path))?;
        self.nodes().add(path.clone(), node.0);
        self.attributes(&path)
    }

    pub(super) fn remove(
        &self,
        parent: INodeNo,
        name: &OsStr,
        remove: impl FnOnce(&Path) -> io::Result<()>,
    ) -> io::Result<()> {
        let path = self.path(parent)?.join(name);
        remove(&self.directory.join(&path))?;
        self.nodes().remove(&path);
        Ok(())
    }

    /// Removes a file, or hides it.
    pub(super) fn remove_file(&self, parent: INodeNo, name: &OsStr) -> io::Result<()> {
        if !self.options.writing.is_some_and(|writing| writing.hides_removed) {
            return self.remove(parent, name, |path| fs::remove_file(path));
        }
        let path = self.path(parent)?.join(name);
        // Held, so that the file is not closed meanwhile.
        let mut nodes = self.nodes();
        let number = nodes.numbers.get(&path).copied();
        let is_last = |number: &u64| nodes.paths[*number as usize - 1].len() == 1;
        match number.filter(|number| nodes.opened.contains_key(number) && is_last(number)) {
            Some(number) => {
                let hidden = path.with_file_name(format!(".fuse_hidden{number:016x}"));
                fs::rename(self.directory.join(&path), self.directory.join(&hidden))?;
                nodes.rename(&path, &hidden);
                nodes.hidden.insert(number, hidden);
            }
            None => {
                fs::remove_file(self.directory.join(&path))?;
                nodes.remove(&path);
            }
        }
        Ok(())
    }

    pub(super) fn opened(&self, node: INodeNo) {
        *self.nodes().opened.entry(node.0).or_default() += 1;
    }

    /// Removes a hidden file that nobody has open any more.
    pub(super) fn closed(&self, node: INodeNo) {
        let mut nodes = self.nodes();
        let Some(count) = nodes.opened.get_mut(&node.0) else { return };
        *count -= 1;
        if *count > 0 {
            return;
        }
        nodes.opened.remove(&node.0);
        if let Some(hidden) = nodes.hidden.remove(&node.0) {
            let _ = fs::remove_file(self.directory.join(&hidden));
            nodes.remove(&hidden);
        }
    }

    pub(super) fn give_name(
        &self,
        (parent, name): (INodeNo, &OsStr),
        (new_parent, new_name): (INodeNo, &OsStr),
        flags: RenameFlags,
    ) -> io::Result<()> {
        let is_refused = flags == RenameFlags::RENAME_NOREPLACE
            && self.options.writing.is_some_and(|writing| writing.without_noreplace);
        // Exchanges are not followed up in the nodes.
        if is_refused || !(flags - RenameFlags::RENAME_NOREPLACE).is_empty() {
            return Err(Errno::INVAL.into());
        }
        let (from, to) = (self.path(parent)?.join(name), self.place(new_parent, new_name)?);
        let flags = Flags::from_bits_retain(flags.bits());
        renameat_with(CWD, self.directory.join(&from), CWD, self.directory.join(&to), flags)?;
        self.nodes().rename(&from, &to);
        Ok(())
    }

    pub(super) fn write_file(&self, node: INodeNo, offset: u64, data: &[u8]) -> io::Result<usize> {
        let path = self.path(node)?;
        let file = OpenOptions::new().write(true).open(self.directory.join(&path))?;
        let mut done = 0;
        while done < data.len() {
            let allowed = self.plan.write(path.as_os_str().as_bytes(), offset + done as u64, data.len() - done)?;
            file.write_all_at(&data[done..][..allowed], offset + done as u64)?;
            done += allowed;
            // Of the cached pages, the kernel writes all or has an error.
            if !self.options.writing.is_some_and(|writing| writing.late) {
                break;
            }
        }
        Ok(done)
    }

    pub(super) fn sync_file(&self, node: INodeNo) -> io::Result<()> {
        let path = self.path(node)?;
        self.plan.sync(path.as_os_str().as_bytes())?;
        File::open(self.directory.join(&path))?.sync_all()
    }

    /// The size of the filesystem and what is free of it, in blocks.
    pub(super) fn space(&self) -> io::Result<[u64; 2]> {
        let real = statvfs(&self.directory)?;
        let [all, free] = [real.f_blocks, real.f_bavail].map(|blocks| blocks.saturating_mul(real.f_frsize));
        let free = self.plan.left().map_or(free, |left| left.min(free));
        Ok([all, free].map(|bytes| bytes / u64::from(BLOCK_BYTES)))
    }
}

pub(super) fn create(path: &Path, mode: u32) -> io::Result<()> {
    OpenOptions::new().write(true).create_new(true).mode(mode).open(path).map(drop)
}

pub(super) fn make_directory(path: &Path, mode: u32) -> io::Result<()> {
    DirBuilder::new().mode(mode).create(path)
}

/// Sets attributes.
pub(super) fn set(
    path: &Path,
    mode: Option<u32>,
    (user, group): (Option<u32>, Option<u32>),
    size: Option<u64>,
    (accessed, modified): (Option<TimeOrNow>, Option<TimeOrNow>),
) -> io::Result<()> {
    if user.is_some() || group.is_some() {
        lchown(path, user, group)?;
    }
    if let Some(mode) = mode {
        fs::set_permissions(path, Permissions::from_mode(mode & 0o7777))?;
    }
    if let Some(size) = size {
        OpenOptions::new().write(true).open(path)?.set_len(size)?;
    }
    if accessed.is_some() || modified.is_some() {
        let times = Timestamps { last_access: timespec(accessed), last_modification: timespec(modified) };
        utimensat(CWD, path, &times, AtFlags::SYMLINK_NOFOLLOW)?;
    }
    Ok(())
}

/// A time before 1970 becomes the beginning of that year.
fn timespec(time: Option<TimeOrNow>) -> Timespec {
    match time {
        None => Timespec { tv_sec: 0, tv_nsec: UTIME_OMIT },
        Some(TimeOrNow::Now) => Timespec { tv_sec: 0, tv_nsec: UTIME_NOW },
        Some(TimeOrNow::SpecificTime(time)) => {
            let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
            Timespec { tv_sec: since.as_secs().cast_signed(), tv_nsec: since.subsec_nanos().into() }
        }
    }
}
