//! Devices and their media. The medium decides how many readers a device gets, and the order of reading.

use std::collections::HashMap;
use std::fs;
use std::io;
use std::os::fd::AsFd;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use rustix::fs::{AtFlags, CWD, Mode, OFlags, StatxFlags, fstat, fstatfs, major, minor, openat, statx};

use crate::long_path;
use crate::mounts::{self, Mount};

/// The kind of medium of a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Medium {
    /// Rotating disks, which get one reader in physical order because their heads move.
    Rotating,
    /// Flash, and virtual disks whose medium cannot be known.
    SolidState,
    /// NFS, SMB, FUSE …: filesystems with latency and clocks of their own.
    Network,
    /// Memory: tmpfs, ramfs.
    Memory,
}

/// A device as the system describes it.
#[derive(Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Device {
    /// `st_dev` of the files on it, or the own number of a block device that is itself read.
    pub number: u64,
    /// The kind of its medium.
    pub medium: Medium,
    /// Name for display: `nvme0n1`, `tmpfs`, `//server/share`.
    pub name: String,
    /// True if only this system changes its files, stamps each change with its own clock, and lets no program set
    /// `ctime`. False for network, FUSE and cluster filesystems, and for overlays, whose layers may be on one.
    pub local_times: bool,
}

impl Device {
    /// Makes a device whose files other systems may change and stamp, too.
    pub fn new(number: u64, medium: Medium, name: impl Into<String>) -> Device {
        Device { number, medium, name: name.into(), local_times: false }
    }
}

/// A filesystem met on the walk.
#[derive(Debug)]
pub(crate) struct Filesystem {
    pub(crate) device: Arc<Device>,
    /// Whether the kernel generates its files. Such a filesystem is entered only if the user names it, and its files
    /// are read as streams.
    pub(crate) pseudo: bool,
    /// Whether its reports of holes in sparse files hold while others write.
    pub(crate) holes_trusted: bool,
}

impl Filesystem {
    pub(crate) fn plain(device: Arc<Device>) -> Self {
        Self { device, pseudo: false, holes_trusted: false }
    }
}

/// The place where a type of filesystem has its bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Class {
    Block,
    Network,
    Memory,
    Pseudo,
}

/// Types of filesystem that are not on a block device: name, `f_type` of statfs(2) (used if there is no mount table),
/// class. All other types are taken to be on a block device.
const TYPES: [(&str, u64, Class); 44] = [
    ("tmpfs", 0x0102_1994, Class::Memory),
    ("ramfs", 0x8584_58f6, Class::Memory),
    ("nfs", 0x6969, Class::Network),
    ("nfs4", 0x6969, Class::Network),
    ("cifs", 0xff53_4d42, Class::Network),
    ("smb3", 0xfe53_4d42, Class::Network),
    ("smbfs", 0x517b, Class::Network),
    ("9p", 0x0102_1997, Class::Network),
    ("fuse", 0x6573_5546, Class::Network),
    ("virtiofs", 0x6573_5546, Class::Network),
    ("ceph", 0x00c3_6400, Class::Network),
    ("afs", 0x5346_414f, Class::Network),
    ("coda", 0x7375_7245, Class::Network),
    ("lustre", 0x0bd0_0bd0, Class::Network),
    ("vboxsf", 0x786f_4256, Class::Network),
    ("beegfs", 0x1983_0326, Class::Network),
    ("proc", 0x9fa0, Class::Pseudo),
    ("sysfs", 0x6265_6572, Class::Pseudo),
    ("devpts", 0x1cd1, Class::Pseudo),
    ("cgroup", 0x0027_e0eb, Class::Pseudo),
    ("cgroup2", 0x6367_7270, Class::Pseudo),
    ("debugfs", 0x6462_6720, Class::Pseudo),
    ("tracefs", 0x7472_6163, Class::Pseudo),
    ("securityfs", 0x7363_6673, Class::Pseudo),
    ("selinuxfs", 0xf97c_ff8c, Class::Pseudo),
    ("smackfs", 0x4341_5d53, Class::Pseudo),
    ("pstore", 0x6165_676c, Class::Pseudo),
    ("bpf", 0xcafe_4a11, Class::Pseudo),
    ("configfs", 0x6265_6570, Class::Pseudo),
    ("mqueue", 0x1980_0202, Class::Pseudo),
    ("hugetlbfs", 0x9584_58f6, Class::Pseudo),
    ("fusectl", 0x6573_5543, Class::Pseudo),
    ("binfmt_misc", 0x4249_4e4d, Class::Pseudo),
    ("efivarfs", 0xde5e_81e4, Class::Pseudo),
    ("autofs", 0x0187, Class::Pseudo),
    ("rpc_pipefs", 0x6759_6969, Class::Pseudo),
    ("nsfs", 0x6e73_6673, Class::Pseudo),
    ("nfsd", 0x6e66_7364, Class::Pseudo),
    ("resctrl", 0x0765_5821, Class::Pseudo),
    ("binder", 0x6c6f_6f70, Class::Pseudo),
    ("functionfs", 0x0a64_7361, Class::Pseudo),
    // statfs reports these as tmpfs, cgroup and ramfs; only the mount table tells them apart.
    ("devtmpfs", u64::MAX, Class::Pseudo),
    ("cpuset", u64::MAX, Class::Pseudo),
    ("rootfs", u64::MAX, Class::Memory),
];

/// Filesystems on which `SEEK_DATA` also considers pages not yet written. Others reported holes for data that was still
/// in memory, or depend on a server.
const HOLES_TRUSTED: [&str; 4] = ["ext4", "xfs", "btrfs", "tmpfs"];

/// Filesystems of this kernel to which only this system writes, and which store their own `ctime`. FAT and exFAT store
/// none and show `mtime` instead, which programs can set; GFS2 and OCFS2 have writers with other clocks.
const LOCAL_TIMES: [&str; 25] = [
    "ext2", "ext3", "ext4", "xfs", "btrfs", "bcachefs", "zfs", "f2fs", "jfs", "reiserfs", "nilfs2", "ntfs3", "hfsplus",
    "udf", "iso9660", "squashfs", "erofs", "cramfs", "romfs", "ubifs", "jffs2", "tmpfs", "devtmpfs", "ramfs", "rootfs",
];

fn class_of(kind: Option<&str>, magic: u64) -> Class {
    let by_name = |kind: &str| TYPES.iter().find(|(name, ..)| *name == kind);
    let found = match kind {
        Some(kind) if kind.starts_with("fuse.") => by_name("fuse"),
        Some(kind) => by_name(kind),
        None => TYPES.iter().find(|(_, type_magic, _)| *type_magic == magic),
    };
    found.map_or(Class::Block, |(.., class)| *class)
}

/// Whether an open file is on a network or FUSE filesystem. There, writing can fail after the system took the bytes.
pub fn is_remote(file: impl AsFd) -> bool {
    fstatfs(file).is_ok_and(|statfs| class_of(None, statfs.f_type as u64) == Class::Network)
}

/// Filesystems that show files of others, beside those of FUSE.
const STACKED: [&str; 5] = ["overlay", "ecryptfs", "unionfs", "aufs", "shiftfs"];

/// FUSE programs whose files are those of a server.
const SERVED: [&str; 3] = ["fuse.sshfs", "fuse.rclone", "fuse.s3fs"];

/// The filesystem that a path leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct View {
    /// `st_dev` of what the path leads to.
    pub device: u64,
    /// The type of the filesystem, if its files may be those of another filesystem of this machine, seen once more
    /// under other numbers: overlays, and FUSE programs such as mergerfs and bindfs.
    pub stacked: Option<String>,
}

/// Returns the filesystem that a path of any length leads to, also by symbolic links.
///
/// # Errors
/// If there is nothing, or it cannot be examined.
pub fn view_of(path: &[u8]) -> io::Result<View> {
    let resolved = long_path::resolve(CWD, path)?;
    let file = openat(&resolved, resolved.rest, OFlags::PATH | OFlags::CLOEXEC, Mode::empty())?;
    let device = fstat(&file)?.st_dev;
    let (mounts, mount_id) = (mounts::read(), mount_id(&file));
    let kind = find_mount(&mounts, mount_id, device).map(|mount| mount.kind.clone());
    Ok(View { device, stacked: kind.filter(|kind| is_stacked(kind)) })
}

/// Whether files of a type of filesystem may be those of another one of this machine.
fn is_stacked(kind: &str) -> bool {
    let is_fuse = kind == "fuse" || kind.starts_with("fuse.");
    STACKED.contains(&kind) || (is_fuse && !SERVED.contains(&kind))
}

/// Filesystems by device number, each looked up once.
#[derive(Debug)]
pub(crate) struct Filesystems {
    /// Overrides the medium that the system reports.
    medium: Option<Medium>,
    known: Mutex<Known>,
}

#[derive(Debug, Default)]
struct Known {
    filesystems: HashMap<u64, Arc<Filesystem>>,
    mounts: Vec<Mount>,
}

impl Filesystems {
    pub(crate) fn new(medium: Option<Medium>) -> Self {
        Self { medium, known: Mutex::default() }
    }

    /// Returns the filesystem with this device number. `open` opens a file on it, and is called if the filesystem is
    /// new.
    pub(crate) fn of<F: AsFd>(&self, number: u64, open: impl FnOnce() -> Option<F>) -> Arc<Filesystem> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(filesystem) = known.filesystems.get(&number) {
            return Arc::clone(filesystem);
        }
        let open = open();
        let magic = open.as_ref().and_then(|file| fstatfs(file).ok()).map_or(0, |statfs| statfs.f_type as u64);
        let mount_id = open.as_ref().and_then(mount_id);
        if find_mount(&known.mounts, mount_id, number).is_none() {
            known.mounts = mounts::read();
        }
        let mount = find_mount(&known.mounts, mount_id, number);
        let mut device = identify(&System::default(), number, mount, magic);
        device.medium = self.medium.unwrap_or(device.medium);
        let kind = mount.map(|mount| mount.kind.as_str());
        let filesystem = Arc::new(Filesystem {
            device: Arc::new(device),
            pseudo: class_of(kind, magic) == Class::Pseudo,
            holes_trusted: kind.is_some_and(|kind| HOLES_TRUSTED.contains(&kind)),
        });
        known.filesystems.insert(number, Arc::clone(&filesystem));
        filesystem
    }

    /// Returns the filesystem with this device number, of a file that a path leads to.
    pub(crate) fn of_path(&self, number: u64, path: &[u8]) -> Arc<Filesystem> {
        self.of(number, || {
            let resolved = long_path::resolve(CWD, path).ok()?;
            openat(&resolved, resolved.rest, OFlags::PATH | OFlags::CLOEXEC, Mode::empty()).ok()
        })
    }

    /// Returns the filesystem of a block device that is itself read, by its own number: the place of its node does not
    /// matter.
    pub(crate) fn of_block_device(&self, number: u64) -> Arc<Filesystem> {
        let mut device = identify(&System::default(), number, None, 0);
        device.medium = self.medium.unwrap_or(device.medium);
        Arc::new(Filesystem::plain(Arc::new(device)))
    }
}

/// Returns the mount through which a file was opened. It tells more than the device number, which on btrfs is in no
/// table.
fn mount_id(file: impl AsFd) -> Option<u64> {
    let statx = statx(file, c"", AtFlags::EMPTY_PATH, StatxFlags::MNT_ID).ok()?;
    (statx.stx_mask & StatxFlags::MNT_ID.bits() != 0).then_some(statx.stx_mnt_id)
}

fn find_mount(mounts: &[Mount], id: Option<u64>, number: u64) -> Option<&Mount> {
    mounts.iter().find(|mount| id == Some(mount.id)).or_else(|| mounts.iter().find(|mount| mount.number == number))
}

/// The place where the kernel describes block devices.
struct System {
    /// `/sys/dev/block`
    block: PathBuf,
}

impl Default for System {
    fn default() -> Self {
        Self { block: PathBuf::from("/sys/dev/block") }
    }
}

/// A whole disk, or a volume of several.
#[derive(Debug, PartialEq, Eq)]
struct Disk {
    name: String,
    rotating: bool,
}

fn identify(system: &System, number: u64, mount: Option<&Mount>, magic: u64) -> Device {
    let source = || mount.map_or_else(|| format!("{}:{}", major(number), minor(number)), |mount| mount.source.clone());
    let (medium, name) = match class_of(mount.map(|mount| mount.kind.as_str()), magic) {
        Class::Network => (Medium::Network, source()),
        Class::Memory | Class::Pseudo => (Medium::Memory, mount.map_or_else(source, |mount| mount.kind.clone())),
        Class::Block => match system.disk(number).or_else(|| mount.and_then(|mount| system.disk_behind(mount))) {
            Some(disk) if disk.rotating => (Medium::Rotating, disk.name),
            Some(disk) => (Medium::SolidState, disk.name),
            None => (Medium::SolidState, source()),
        },
    };
    // A block device that is itself read has no mount, and without a mount table nothing has one.
    let local_times = mount.is_some_and(|mount| LOCAL_TIMES.contains(&mount.kind.as_str()));
    Device { number, medium, name, local_times }
}

impl System {
    /// Most levels of devices made of devices; more are taken for a loop.
    const NESTING_MAX: usize = 8;

    fn disk(&self, number: u64) -> Option<Disk> {
        self.disk_by_number(number, 0)
    }

    /// Returns the disk of a filesystem whose files have a device number of their own: btrfs names its disk as source,
    /// an overlay the directory that it writes to.
    fn disk_behind(&self, mount: &Mount) -> Option<Disk> {
        if mount.kind == "overlay" {
            let option = |name| mount.options.split(',').find_map(|option| option.strip_prefix(name));
            let directory = option("upperdir=").or_else(|| option("lowerdir=")?.split(':').next())?;
            return self.disk(fs::metadata(directory).ok()?.dev());
        }
        Path::new(&mount.source)
            .is_absolute()
            .then(|| fs::metadata(&mount.source).ok())?
            .and_then(|source| self.disk(source.rdev()))
    }

    fn disk_by_number(&self, number: u64, nesting: usize) -> Option<Disk> {
        let place = self.block.join(format!("{}:{}", major(number), minor(number)));
        self.disk_at(&fs::canonicalize(place).ok()?, nesting)
    }

    fn disk_at(&self, place: &Path, nesting: usize) -> Option<Disk> {
        if nesting > Self::NESTING_MAX {
            return None;
        }
        if place.join("partition").exists() {
            return self.disk_at(place.parent()?, nesting + 1);
        }
        let kernel_name = place.file_name()?.to_string_lossy().into_owned();
        if let Some(file) = text(&place.join("loop/backing_file")) {
            let below = fs::metadata(file).ok().and_then(|file| self.disk_by_number(file.dev(), nesting + 1));
            return Some(below.unwrap_or(Disk { name: kernel_name, rotating: false }));
        }
        let mut below = Vec::new();
        for slave in fs::read_dir(place.join("slaves")).into_iter().flatten().flatten() {
            below.extend(fs::canonicalize(slave.path()).ok().and_then(|slave| self.disk_at(&slave, nesting + 1)));
        }
        if below.len() == 1 {
            return below.pop();
        }
        let rotating = if below.is_empty() {
            // Virtual disks report 1 by default.
            !["vd", "xvd", "zram", "ram", "loop", "nbd"].iter().any(|kind| is_numbered(&kernel_name, kind))
                && text(&place.join("queue/rotational")).as_deref() == Some("1")
        } else {
            below.iter().any(|disk| disk.rotating)
        };
        Some(Disk { name: text(&place.join("dm/name")).unwrap_or(kernel_name), rotating })
    }
}

/// Whether a name is a kind followed by only letters or only digits, as `vda` or `ram0`, and not the longer name of
/// another kind.
fn is_numbered(name: &str, kind: &str) -> bool {
    name.strip_prefix(kind).is_some_and(|rest| {
        rest.bytes().all(|byte| byte.is_ascii_digit()) || rest.bytes().all(|byte| byte.is_ascii_lowercase())
    })
}

/// Reads a file of sysfs as one line.
fn text(path: &Path) -> Option<String> {
    fs::read_to_string(path).ok().map(|text| text.trim_end_matches('\n').to_owned())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use rustix::fs::makedev;

    use super::*;

    /// A sysfs with the layout of the kernel's: `devices/…/block/NAME` and links to it by number.
    struct Fake {
        root: tempfile::TempDir,
    }

    impl Fake {
        fn new() -> Self {
            let root = tempfile::tempdir().unwrap();
            fs::create_dir_all(root.path().join("dev/block")).unwrap();
            Self { root }
        }

        /// Adds a device with its files; the path is below `devices`.
        fn device(&self, number: &str, path: &str, files: &[(&str, &str)]) -> &Self {
            let place = self.root.path().join("devices").join(path);
            fs::create_dir_all(&place).unwrap();
            for (name, text) in files {
                fs::create_dir_all(place.join(name).parent().unwrap()).unwrap();
                fs::write(place.join(name), text).unwrap();
            }
            symlink(&place, self.root.path().join("dev/block").join(number)).unwrap();
            self
        }

        /// Makes `upper` a device made of `lower`.
        fn slave(&self, upper: &str, lower: &str) -> &Self {
            let slaves = self.root.path().join("devices").join(upper).join("slaves");
            fs::create_dir_all(&slaves).unwrap();
            let lower = self.root.path().join("devices").join(lower);
            symlink(&lower, slaves.join(lower.file_name().unwrap())).unwrap();
            self
        }

        fn system(&self) -> System {
            System { block: self.root.path().join("dev/block") }
        }

        fn disk(&self, major: u32, minor: u32) -> Option<(String, bool)> {
            self.system().disk(makedev(major, minor)).map(|disk| (disk.name, disk.rotating))
        }
    }

    const ROTATING: (&str, &str) = ("queue/rotational", "1\n");
    const SOLID: (&str, &str) = ("queue/rotational", "0\n");

    fn named(name: &str, rotating: bool) -> Option<(String, bool)> {
        Some((name.to_owned(), rotating))
    }

    #[test]
    fn partitions_belong_to_their_disk_and_virtual_disks_do_not_rotate() {
        let fake = Fake::new();
        fake.device("8:0", "ata1/block/sda", &[ROTATING])
            .device("8:1", "ata1/block/sda/sda1", &[("partition", "1\n")])
            .device("259:0", "nvme/nvme0n1", &[SOLID])
            .device("259:2", "nvme/nvme0n1/nvme0n1p2", &[("partition", "2\n")])
            .device("254:0", "virtio0/block/vda", &[ROTATING])
            .device("254:1", "virtio0/block/vda/vda1", &[("partition", "1\n")])
            .device("202:0", "xen/block/xvda", &[ROTATING])
            .device("252:7", "virtual/block/zram0", &[ROTATING]);
        assert_eq!(fake.disk(8, 1), named("sda", true));
        assert_eq!(fake.disk(259, 2), named("nvme0n1", false));
        assert_eq!(fake.disk(254, 1), named("vda", false));
        assert_eq!(fake.disk(202, 0), named("xvda", false));
        assert_eq!(fake.disk(252, 7), named("zram0", false));
        assert_eq!(fake.disk(9, 9), None);
    }

    #[test]
    fn mapped_devices_are_what_they_are_made_of() {
        let fake = Fake::new();
        fake.device("8:0", "block/sda", &[ROTATING])
            .device("8:3", "block/sda/sda3", &[("partition", "3\n")])
            .device("8:16", "block/sdb", &[SOLID])
            .device("253:0", "block/dm-0", &[("dm/name", "vg-root\n"), ROTATING])
            .slave("block/dm-0", "block/sda/sda3")
            .device("9:0", "block/md0", &[SOLID])
            .slave("block/md0", "block/sda/sda3")
            .slave("block/md0", "block/sdb")
            .device("253:1", "block/dm-1", &[("dm/name", "striped\n")])
            .slave("block/dm-1", "block/sdb")
            .slave("block/dm-1", "block/md0")
            .device("9:9", "block/md9", &[])
            .slave("block/md9", "block/md9");
        assert_eq!(fake.disk(253, 0), named("sda", true));
        assert_eq!(fake.disk(9, 0), named("md0", true));
        assert_eq!(fake.disk(253, 1), named("striped", true));
        // A device that claims to be made of itself does not recurse for ever.
        assert!(fake.disk(9, 9).is_none_or(|(_, rotating)| !rotating));
    }

    #[test]
    fn a_loop_device_is_where_its_file_is() {
        let fake = Fake::new();
        let file = fake.root.path().join("image");
        fs::write(&file, "").unwrap();
        let number = fs::metadata(&file).unwrap().dev();
        let backing = format!("{}\n", file.display());
        fake.device(&format!("{}:{}", major(number), minor(number)), "block/sdz", &[ROTATING])
            .device("7:3", "block/loop3", &[("loop/backing_file", &backing), ROTATING])
            .device("7:4", "block/loop4", &[("loop/backing_file", "/no/such/file (deleted)\n"), ROTATING]);
        assert_eq!(fake.disk(7, 3), named("sdz", true));
        assert_eq!(fake.disk(7, 4), named("loop4", false));
    }

    #[test]
    fn the_type_of_filesystem_comes_first() {
        let fake = Fake::new();
        fake.device("8:0", "block/sda", &[ROTATING]);
        let identify = |kind: &str, source: &str| {
            let mount = Mount {
                id: 1,
                number: makedev(8, 0),
                kind: kind.into(),
                source: source.into(),
                options: String::new(),
            };
            let device = identify(&fake.system(), mount.number, Some(&mount), 0);
            (device.medium, device.name, device.local_times)
        };
        assert_eq!(identify("ext4", "/dev/root"), (Medium::Rotating, "sda".into(), true));
        assert_eq!(identify("fuseblk", "/dev/sda1"), (Medium::Rotating, "sda".into(), false));
        assert_eq!(identify("overlay", "overlay"), (Medium::Rotating, "sda".into(), false));
        assert_eq!(identify("vfat", "/dev/sda1"), (Medium::Rotating, "sda".into(), false));
        assert_eq!(identify("unheard-of", "none"), (Medium::Rotating, "sda".into(), false));
        assert_eq!(identify("nfs4", "server:/export"), (Medium::Network, "server:/export".into(), false));
        assert_eq!(identify("fuse.sshfs", "me@host:"), (Medium::Network, "me@host:".into(), false));
        assert_eq!(identify("tmpfs", "shm"), (Medium::Memory, "tmpfs".into(), true));
    }

    #[test]
    fn pools_and_overlays_show_files_of_others() {
        for kind in ["overlay", "ecryptfs", "fuse", "fuse.mergerfs", "fuse.bindfs"] {
            assert!(is_stacked(kind), "{kind}");
        }
        for kind in ["ext4", "btrfs", "nfs4", "fuseblk", "fusectl", "fuse.sshfs", "proc"] {
            assert!(!is_stacked(kind), "{kind}");
        }
        let proc = view_of(b"/proc/self").unwrap();
        assert_eq!(proc, View { device: fs::metadata("/proc/self").unwrap().dev(), stacked: None });
        assert_eq!(view_of(b"/nonexistent").unwrap_err().kind(), io::ErrorKind::NotFound);
    }

    #[test]
    fn without_a_mount_table_statfs_tells() {
        assert_eq!(class_of(None, 0x9fa0), Class::Pseudo);
        assert_eq!(class_of(None, 0x6969), Class::Network);
        assert_eq!(class_of(None, 0xef53), Class::Block);
        assert_eq!(class_of(Some("devtmpfs"), 0x0102_1994), Class::Pseudo);
        assert_eq!(class_of(Some("fuse.sshfs"), 0x6573_5546), Class::Network);
        let unknown = identify(&Fake::new().system(), makedev(0, 40), None, 0xef53);
        assert_eq!((unknown.medium, unknown.name.as_str()), (Medium::SolidState, "0:40"));
        assert!(!unknown.local_times);
    }

    #[test]
    fn files_of_this_system_are_not_remote() {
        assert!(!is_remote(fs::File::open("/proc/self/mountinfo").unwrap()));
        assert!(!is_remote(std::io::pipe().unwrap().0));
    }

    #[test]
    fn the_override_wins_and_leaves_the_times_as_they_are() {
        let filesystems = Filesystems::new(Some(Medium::Rotating));
        let proc = fs::File::open("/proc/self/mountinfo").unwrap();
        let number = proc.metadata().unwrap().dev();
        let filesystem = filesystems.of(number, || Some(&proc));
        assert!(filesystem.pseudo);
        assert_eq!((filesystem.device.medium, filesystem.device.number), (Medium::Rotating, number));
        assert!(Arc::ptr_eq(&filesystem, &filesystems.of(number, || None::<&fs::File>)));
        assert!(!filesystem.device.local_times);
    }
}
