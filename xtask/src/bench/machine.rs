//! Facts about the machine that a reader needs to judge a figure.

use std::ffi::OsStr;
use std::fs;
use std::path::Path;
use std::process::Command;

use crate::process;
use crate::workspace::Workspace;

/// A fact and its value.
pub(super) type Facts = Vec<(&'static str, String)>;

/// CPU features that decide which code runs, as `/proc/cpuinfo` calls them.
const FEATURES: [&str; 16] = [
    "ssse3",
    "sse4_2",
    "pclmulqdq",
    "aes",
    "bmi2",
    "avx2",
    "avx512f",
    "avx512bw",
    "avx512dq",
    "avx512vl",
    "sha_ni",
    "vaes",
    "vpclmulqdq",
    "hypervisor",
    "sha2",
    "sha3",
];

/// Processor, memory, kernel, and the file system that holds `folder`.
pub(super) fn facts(folder: &Path, path: &OsStr) -> Facts {
    let cpu = read("/proc/cpuinfo");
    let memory = read("/proc/meminfo");
    let flags = field(&cpu, "flags").or_else(|| field(&cpu, "Features")).unwrap_or_default();
    let features = FEATURES.into_iter().filter(|feature| flags.split_whitespace().any(|flag| flag == *feature));
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    let sh = |command: &str| first_line(Command::new("sh").args(["-c", command]).env("PATH", path));
    vec![
        ("processor", field(&cpu, "model name").unwrap_or_else(|| "unknown".to_owned())),
        (
            "family, model, stepping",
            ["cpu family", "model", "stepping"].map(|key| field(&cpu, key).unwrap_or_default()).join(", "),
        ),
        ("features", features.collect::<Vec<_>>().join(" ")),
        ("threads in use", cores.to_string()),
        ("caches", caches()),
        ("memory", field(&memory, "MemTotal").unwrap_or_default()),
        ("memory available", field(&memory, "MemAvailable").unwrap_or_default()),
        ("kernel", sh("uname -srm")),
        ("file system", file_system(folder)),
        ("load before", read("/proc/loadavg").split_whitespace().take(3).collect::<Vec<_>>().join(" ")),
    ]
}

/// Versions of everything that runs.
pub(super) fn versions(path: &OsStr, workspace: &Workspace) -> Facts {
    let ask = |words: &[&str]| first_line(Command::new(words[0]).args(&words[1..]).env("PATH", path));
    vec![
        ("pfh", format!("{}, commit {}", ask(&["pfh", "--version"]), commit(workspace))),
        ("rustc", ask(&["rustc", "--version"])),
        ("hashdeep, md5deep", ask(&["hashdeep", "-V"])),
        ("coreutils", ask(&["md5sum", "--version"])),
        ("RHash", ask(&["rhash", "--version"])),
        ("OpenSSL", ask(&["openssl", "version"])),
        ("b3sum", ask(&["b3sum", "--version"])),
        ("ssdeep", ask(&["ssdeep", "-V"])),
        ("sdhash", ask(&["sdhash", "--version"])),
        ("TLSH", ask(&["tlsh", "-version"])),
        ("findutils", ask(&["xargs", "--version"])),
    ]
}

/// Versions of what the library is made from.
pub(super) fn compiler(path: &OsStr, workspace: &Workspace) -> Facts {
    vec![
        ("pfh-digest", format!("commit {}", commit(workspace))),
        ("rustc", first_line(Command::new("rustc").arg("--version").env("PATH", path))),
    ]
}

fn commit(workspace: &Workspace) -> String {
    first_line(workspace.command("git").args(["describe", "--always", "--dirty", "--abbrev=12"]))
}

fn first_line(command: &mut Command) -> String {
    let output = process::stdout(command).unwrap_or_else(|_| b"not there".to_vec());
    String::from_utf8_lossy(&output).lines().next().unwrap_or_default().to_owned()
}

fn read(path: &str) -> String {
    fs::read_to_string(path).unwrap_or_default()
}

/// The value of the first `key : value` line.
fn field(text: &str, key: &str) -> Option<String> {
    let pairs = text.lines().filter_map(|line| line.split_once(':'));
    pairs.into_iter().find(|(name, _)| name.trim() == key).map(|(_, value)| value.trim().to_owned())
}

/// `L1 Data 48K, L2 Unified 2048K …` of the first processor.
fn caches() -> String {
    let describe = |index: u32| {
        let folder = format!("/sys/devices/system/cpu/cpu0/cache/index{index}");
        let value = |name: &str| fs::read_to_string(format!("{folder}/{name}")).ok().map(|text| text.trim().to_owned());
        Some(format!("L{} {} {}", value("level")?, value("type")?, value("size")?))
    };
    (0..).map_while(describe).collect::<Vec<_>>().join(", ")
}

/// Type, device and options of the mount that holds a folder.
fn file_system(folder: &Path) -> String {
    let mounts = read("/proc/self/mounts");
    mount_of(&mounts, folder).unwrap_or_else(|| "unknown".to_owned())
}

/// Lines are `device mount-point type options …`; the longest mount point wins, the last of equal ones lies on top.
fn mount_of(mounts: &str, folder: &Path) -> Option<String> {
    let mounts = mounts.lines().filter_map(|line| {
        let mut words = line.split(' ');
        Some((words.next()?, words.next()?, words.next()?, words.next()?))
    });
    let holding = mounts.filter(|(_, point, _, _)| folder.starts_with(point));
    let (device, _, kind, options) = holding.max_by_key(|(_, point, _, _)| point.len())?;
    Some(format!("{kind} on {device} ({options})"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_of_proc_files() {
        let text = "processor\t: 0\nmodel name\t: Example CPU: fast\nmodel\t\t: 7\n";
        assert_eq!(field(text, "model name").as_deref(), Some("Example CPU: fast"));
        assert_eq!(field(text, "model").as_deref(), Some("7"));
        assert_eq!(field(text, "flags"), None);
    }

    #[test]
    fn the_innermost_mount_is_found() {
        let mounts = "/dev/a / ext4 rw 0 0\n/dev/b /data xfs rw,noatime 0 0\ntmpfs /data/x tmpfs rw 0 0\n";
        assert_eq!(mount_of(mounts, Path::new("/data/y")).as_deref(), Some("xfs on /dev/b (rw,noatime)"));
        assert_eq!(mount_of(mounts, Path::new("/database")).as_deref(), Some("ext4 on /dev/a (rw)"));
    }
}
