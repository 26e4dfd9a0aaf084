//! Descriptions of devices: presets, and files of one's own.

use serde::Deserialize;
use std::fmt;
use std::time::Duration;

/// Most requests that a device serves at once.
const AT_ONCE_MAX: usize = 256;

/// Most bytes that a device keeps in memory of its own (1 GiB).
const READ_AHEAD_BYTES_MAX: u64 = 1 << 30;

/// Longest time of anything that a device does.
const TIME_MAX_SECONDS: f64 = 3600.0;

/// A storage device: its speed and its faults.
#[derive(Clone, Debug, PartialEq)]
pub struct Device {
    /// Bytes that all requests together transfer in a second.
    pub bytes_per_second: f64,
    /// Time before each read that does not continue the previous one.
    pub seek: Duration,
    /// Time for each read beside seeking and transfer.
    pub read: Duration,
    /// Time for each other operation: looking a name up, attributes, opening, a part of a listing.
    pub operation: Duration,
    /// Share by which seeks, reads and operations are longer or shorter, at most; 0 to 1.
    pub jitter: f64,
    /// Seed of the jitter and of the choice of files with faults.
    pub seed: u64,
    /// Bytes that the device reads on by itself after a read, into its own memory: reads that continue find them there.
    pub read_ahead_bytes: u64,
    /// Requests that are served at once: their times overlap, but for the transfer.
    pub at_once: usize,
    /// For how long the kernel answers by itself with names and attributes that it was told.
    pub remembered: Duration,
    /// Ranges that cannot be read.
    pub bad: Vec<BadRange>,
    /// Reads that hang.
    pub stalls: Vec<Stall>,
}

/// A range of bytes that cannot be read (EIO).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadRange {
    /// The files that have it.
    pub files: Files,
    /// Its first byte in the file.
    pub offset: u64,
    /// Its length in bytes.
    pub length: u64,
    /// For how long the device tries, before each error.
    pub after: Duration,
}

/// A read that takes long; each happens once in the life of a mount.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stall {
    /// The files whose first read stalls.
    pub files: Files,
    /// Bytes that the device must have transferred before.
    pub after_bytes: u64,
    /// The time that the read takes longer.
    pub duration: Duration,
}

/// The files that a fault concerns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Files {
    /// Every file.
    All,
    /// The file of this path below the directory.
    One(String),
    /// About one file in this number, chosen by seed and path.
    OneIn(u64),
}

/// A device with a name.
#[derive(Clone, Copy, Debug)]
pub struct Preset {
    /// Its name on the command line.
    pub name: &'static str,
    /// One sentence about it.
    pub about: &'static str,
    /// Its description, as a file of one's own would have it.
    pub text: &'static str,
}

/// The devices with names.
pub const PRESETS: [Preset; 4] = [
    Preset {
        name: "hdd",
        about: "a hard disk: 150 MB/s, 8 ms for each seek, one request at a time",
        text: "bytes_per_second = 150e6\nseek_seconds = 0.008\noperation_seconds = 0.0001\nat_once = 1\n\
               read_ahead_bytes = 2097152\nremembered_seconds = 3600\n",
    },
    Preset {
        name: "ssd",
        about: "a solid-state disk behind SATA: 500 MB/s, 0.1 ms for each read, 32 requests at once",
        text: "bytes_per_second = 500e6\nread_seconds = 0.0001\noperation_seconds = 0.0001\nat_once = 32\n\
               remembered_seconds = 3600\n",
    },
    Preset {
        name: "nas",
        about: "a network storage behind gigabit Ethernet: 118 MB/s, about 0.7 ms for each operation, 16 at once",
        text: "bytes_per_second = 118e6\nread_seconds = 0.0007\noperation_seconds = 0.0007\njitter = 0.3\n\
               at_once = 16\nremembered_seconds = 3\n",
    },
    Preset {
        name: "dying",
        about: "a hard disk that dies: a bad sector in one file of a hundred, each tried for 2 s, and one stall of 10 s",
        text: "like = \"hdd\"\njitter = 0.3\n[[bad]]\none_in = 100\noffset = 0\nlength = 4096\nseconds = 2\n\
               [[stall]]\nafter_bytes = 20000000\nseconds = 10\n",
    },
];

/// The text of a device as it is written.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct File {
    like: Option<String>,
    bytes_per_second: Option<f64>,
    seek_seconds: Option<f64>,
    read_seconds: Option<f64>,
    operation_seconds: Option<f64>,
    jitter: Option<f64>,
    seed: Option<u64>,
    read_ahead_bytes: Option<u64>,
    at_once: Option<usize>,
    remembered_seconds: Option<f64>,
    bad: Vec<BadFile>,
    stall: Vec<StallFile>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct BadFile {
    file: Option<String>,
    one_in: Option<u64>,
    offset: u64,
    length: u64,
    #[serde(default)]
    seconds: f64,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct StallFile {
    file: Option<String>,
    one_in: Option<u64>,
    #[serde(default)]
    after_bytes: u64,
    seconds: f64,
}

/// The reason why a text describes no device.
#[derive(Debug)]
pub struct DeviceError(String);

impl fmt::Display for DeviceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for DeviceError {}

impl Device {
    /// A device without limits or faults: as fast as the directory itself, and answering one request at a time.
    fn unlimited() -> Device {
        Device {
            bytes_per_second: 1e12,
            seek: Duration::ZERO,
            read: Duration::ZERO,
            operation: Duration::ZERO,
            jitter: 0.0,
            seed: 1,
            read_ahead_bytes: 0,
            at_once: 1,
            remembered: Duration::ZERO,
            bad: Vec::new(),
            stalls: Vec::new(),
        }
    }

    /// Returns the device of a name in [`PRESETS`].
    pub fn named(name: &str) -> Option<Device> {
        let preset = PRESETS.iter().find(|preset| preset.name == name)?;
        Device::parse(preset.text).ok()
    }

    /// Reads a description in TOML; `docs/reference/devices.md` explains its keys.
    /// # Errors
    /// The place of what is no TOML, an unknown key, or a value outside of its range.
    pub fn parse(text: &str) -> Result<Device, DeviceError> {
        let file: File = toml::from_str(text).map_err(|error| DeviceError(error.to_string().trim_end().to_owned()))?;
        Device::of(file).map_err(DeviceError)
    }

    fn of(file: File) -> Result<Device, String> {
        let mut device = match &file.like {
            None => Device { bytes_per_second: f64::NAN, ..Device::unlimited() },
            Some(name) => Device::named(name).ok_or_else(|| {
                let names: Vec<&str> = PRESETS.iter().map(|preset| preset.name).collect();
                format!("`like = \"{name}\"` names no device: these are {}", names.join(", "))
            })?,
        };
        set(&mut device.bytes_per_second, file.bytes_per_second);
        if device.bytes_per_second.is_nan() {
            return Err("`bytes_per_second` is missing (or `like` with the name of a device)".to_owned());
        }
        if !(device.bytes_per_second >= 1.0 && device.bytes_per_second <= 1e12) {
            return Err("`bytes_per_second` must be from 1 to 1e12".to_owned());
        }
        for (field, key, value) in [
            (&mut device.seek, "seek_seconds", file.seek_seconds),
            (&mut device.read, "read_seconds", file.read_seconds),
            (&mut device.operation, "operation_seconds", file.operation_seconds),
            (&mut device.remembered, "remembered_seconds", file.remembered_seconds),
        ] {
            if let Some(value) = value {
                *field = seconds(key, value)?;
            }
        }
        set(&mut device.jitter, file.jitter);
        if !(0.0..=1.0).contains(&device.jitter) {
            return Err("`jitter` must be from 0 to 1".to_owned());
        }
        set(&mut device.seed, file.seed);
        set(&mut device.read_ahead_bytes, file.read_ahead_bytes);
        if device.read_ahead_bytes > READ_AHEAD_BYTES_MAX {
            return Err(format!("`read_ahead_bytes` must be at most {READ_AHEAD_BYTES_MAX}"));
        }
        set(&mut device.at_once, file.at_once);
        if !(1..=AT_ONCE_MAX).contains(&device.at_once) {
            return Err(format!("`at_once` must be from 1 to {AT_ONCE_MAX}"));
        }
        for bad in file.bad {
            if bad.length == 0 || bad.offset.checked_add(bad.length).is_none() {
                return Err("`length` of a `[[bad]]` must be at least 1, and end within 64 bits".to_owned());
            }
            let files = files(bad.file, bad.one_in)?;
            let after = seconds("seconds", bad.seconds)?;
            device.bad.push(BadRange { files, offset: bad.offset, length: bad.length, after });
        }
        for stall in file.stall {
            let files = files(stall.file, stall.one_in)?;
            let duration = seconds("seconds", stall.seconds)?;
            device.stalls.push(Stall { files, after_bytes: stall.after_bytes, duration });
        }
        Ok(device)
    }
}

/// The speed, the faults and the memory, in words; what the device lacks is not named.
impl fmt::Display for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let milliseconds = |time: Duration| 1e3 * time.as_secs_f64();
        write!(f, "{} MB/s", self.bytes_per_second / 1e6)?;
        for (time, what) in [(self.seek, "seek"), (self.read, "read"), (self.operation, "other operation")] {
            if !time.is_zero() {
                write!(f, ", {} ms for each {what}", milliseconds(time))?;
            }
        }
        if self.jitter > 0.0 {
            write!(f, ", up to {} % longer or shorter (seed {})", 100.0 * self.jitter, self.seed)?;
        }
        write!(f, ", {} at once", self.at_once)?;
        if self.read_ahead_bytes > 0 {
            write!(f, ", {} KiB read ahead", self.read_ahead_bytes >> 10)?;
        }
        write!(f, ", names remembered for {} s", self.remembered.as_secs_f64())?;
        for BadRange { files, offset, length, after } in &self.bad {
            write!(f, ", {length} bytes from {offset} on that cannot be read in {files}")?;
            if !after.is_zero() {
                write!(f, ", tried for {} s", after.as_secs_f64())?;
            }
        }
        for Stall { files, after_bytes, duration } in &self.stalls {
            write!(f, ", a read that takes {} s after {after_bytes} bytes, in {files}", duration.as_secs_f64())?;
        }
        Ok(())
    }
}

impl fmt::Display for Files {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Files::All => f.write_str("any file"),
            Files::One(path) => write!(f, "the file {}", path.escape_debug()),
            Files::OneIn(number) => write!(f, "one file of {number}"),
        }
    }
}

fn set<T>(field: &mut T, value: Option<T>) {
    if let Some(value) = value {
        *field = value;
    }
}

fn seconds(key: &str, value: f64) -> Result<Duration, String> {
    if (0.0..=TIME_MAX_SECONDS).contains(&value) {
        Ok(Duration::from_secs_f64(value))
    } else {
        Err(format!("`{key}` must be from 0 to {TIME_MAX_SECONDS}"))
    }
}

fn files(file: Option<String>, one_in: Option<u64>) -> Result<Files, String> {
    match (file, one_in) {
        (None, None) => Ok(Files::All),
        (Some(path), None) => Ok(Files::One(path)),
        (None, Some(0)) => Err("`one_in` must be at least 1".to_owned()),
        (None, Some(number)) => Ok(Files::OneIn(number)),
        (Some(_), Some(_)) => Err("a fault has `file` or `one_in`, not both".to_owned()),
    }
}

impl Files {
    /// Whether the file of a path, below the directory, is one of them.
    pub fn has(&self, path: &[u8], seed: u64) -> bool {
        match self {
            Files::All => true,
            Files::One(one) => one.as_bytes() == path,
            Files::OneIn(number) => fnv_1a(seed, path).is_multiple_of(*number),
        }
    }
}

/// FNV-1a of a path (draft-eastlake-fnv-21), begun with a seed, and mixed once more because its low bits mix badly.
fn fnv_1a(seed: u64, path: &[u8]) -> u64 {
    let start = 0xcbf2_9ce4_8422_2325 ^ seed;
    let hash = path.iter().fold(start, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
    (hash ^ hash >> 32).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 16
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_preset_is_a_device() {
        for preset in PRESETS {
            assert!(Device::named(preset.name).is_some(), "{}: {:?}", preset.name, Device::parse(preset.text));
        }
        let dying = Device::named("dying").expect("a device");
        assert_eq!((dying.seek, dying.at_once, dying.bad.len()), (Duration::from_millis(8), 1, 1));
        assert_eq!(Device::named("floppy"), None);
    }

    #[test]
    fn devices_are_described_in_one_line() {
        for (name, text) in [
            (
                "hdd",
                "150 MB/s, 8 ms for each seek, 0.1 ms for each other operation, 1 at once, 2048 KiB read ahead, names remembered for 3600 s",
            ),
            (
                "nas",
                "118 MB/s, 0.7 ms for each read, 0.7 ms for each other operation, up to 30 % longer or shorter (seed 1), 16 at once, names remembered for 3 s",
            ),
        ] {
            assert_eq!(Device::named(name).expect("a device").to_string(), text);
        }
        let dying = Device::named("dying").expect("a device").to_string();
        let faults = ", 4096 bytes from 0 on that cannot be read in one file of 100, tried for 2 s, a read that takes 10 s after 20000000 bytes, in any file";
        assert!(dying.ends_with(faults), "{dying}");
        let file = Files::One("a\nb".to_owned()).to_string();
        assert_eq!(file, "the file a\\nb");
    }

    #[test]
    fn a_file_changes_what_it_names() {
        let text = "like = \"nas\"\nbytes_per_second = 12e6\nat_once = 8\n[[stall]]\nfile = \"a/b\"\nseconds = 1.5\n";
        let device = Device::parse(text).expect("a device");
        let nas = Device::named("nas").expect("a device");
        let stalls =
            vec![Stall { files: Files::One("a/b".to_owned()), after_bytes: 0, duration: Duration::from_millis(1500) }];
        assert_eq!(device, Device { bytes_per_second: 12e6, at_once: 8, stalls, ..nas });
    }

    #[test]
    fn what_is_no_device_is_refused() {
        for (text, reason) in [
            ("", "`bytes_per_second` is missing"),
            ("like = \"tape\"", "these are hdd, ssd, nas, dying"),
            ("like = \"hdd\"\nseek = 1", "unknown field `seek`"),
            ("bytes_per_second = 0", "from 1 to 1e12"),
            ("bytes_per_second = nan", "is missing"),
            ("bytes_per_second = inf", "from 1 to 1e12"),
            ("like = \"hdd\"\nseek_seconds = -1", "`seek_seconds` must be from 0 to 3600"),
            ("like = \"hdd\"\njitter = 2", "`jitter` must be from 0 to 1"),
            ("like = \"hdd\"\nat_once = 0", "`at_once` must be from 1 to 256"),
            ("like = \"hdd\"\nread_ahead_bytes = 2000000000", "at most 1073741824"),
            ("like = \"hdd\"\n[[bad]]\noffset = 1", "missing field `length`"),
            ("like = \"hdd\"\n[[bad]]\noffset = 1\nlength = 0", "at least 1"),
            ("like = \"hdd\"\n[[stall]]\nseconds = 1\none_in = 0", "`one_in` must be at least 1"),
            ("like = \"hdd\"\n[[stall]]\nseconds = 1\none_in = 2\nfile = \"a\"", "not both"),
        ] {
            let error = Device::parse(text).expect_err(text).to_string();
            assert!(error.contains(reason), "{text}: {error}");
        }
    }

    #[test]
    fn about_one_file_in_many_is_chosen_and_by_seed() {
        let chosen = |seed| -> Vec<u32> {
            (0..10_000).filter(|number| Files::OneIn(100).has(format!("d/{number}").as_bytes(), seed)).collect()
        };
        assert!((60..140).contains(&chosen(1).len()), "{}", chosen(1).len());
        assert_eq!(chosen(1), chosen(1));
        assert_ne!(chosen(1), chosen(2));
    }
}
