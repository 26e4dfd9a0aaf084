//! The table of mounted filesystems, from `/proc/self/mountinfo` (proc(5)).

use std::fs;

/// One line of the table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Mount {
    pub(crate) id: u64,
    /// Device number of the filesystem; on btrfs, files have another one.
    pub(crate) number: u64,
    /// `ext4`, `nfs4`, `fuse.sshfs` …
    pub(crate) kind: String,
    /// `/dev/sda1`, `server:/export`, `tmpfs` …
    pub(crate) source: String,
    /// Options of the filesystem, separated by commas.
    pub(crate) options: String,
}

/// Returns the mounts that this process sees; none if `/proc` is not mounted.
pub(crate) fn read() -> Vec<Mount> {
    let table = fs::read("/proc/self/mountinfo").unwrap_or_default();
    table.split(|&byte| byte == b'\n').filter_map(parse).collect()
}

/// Parses a line such as `36 35 98:0 /root /mount/point rw,noatime shared:1 - ext4 /dev/sda1 rw,discard`. The number of
/// fields between the mount's options and the hyphen varies.
fn parse(line: &[u8]) -> Option<Mount> {
    let line = String::from_utf8_lossy(line);
    let mut fields = line.split(' ');
    let id = fields.next()?.parse().ok()?;
    let (major, minor) = fields.nth(1)?.split_once(':')?;
    let number = rustix::fs::makedev(major.parse().ok()?, minor.parse().ok()?);
    fields.find(|&field| field == "-")?;
    let kind = unescape(fields.next()?);
    let source = unescape(fields.next()?);
    let options = unescape(fields.next().unwrap_or_default());
    Some(Mount { id, number, kind, source, options })
}

/// Decodes blank, tab, line feed and backslash, which are written as three octal digits.
fn unescape(field: &str) -> String {
    ["\\040", "\\011", "\\012"]
        .iter()
        .zip([" ", "\t", "\n"])
        .fold(field.to_owned(), |text, (escape, character)| text.replace(escape, character))
        .replace("\\134", "\\")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_taken_apart() {
        // The example of proc(5), and one with escapes and without optional fields.
        let mount = parse(b"36 35 98:0 /mnt1 /mnt2 rw,noatime master:1 - ext3 /dev/root rw,errors=continue").unwrap();
        assert_eq!(
            mount,
            Mount {
                id: 36,
                number: rustix::fs::makedev(98, 0),
                kind: "ext3".into(),
                source: "/dev/root".into(),
                options: "rw,errors=continue".into()
            }
        );
        let mount = parse(b"7 1 0:40 / /a\\040b rw - cifs //server/my\\040share\\134 rw").unwrap();
        assert_eq!((mount.kind.as_str(), mount.source.as_str()), ("cifs", "//server/my share\\"));
        for damaged in [&b""[..], b"36", b"36 35 98 / / rw - ext3 x rw", b"36 35 98:0 /mnt1 /mnt2 rw,noatime"] {
            assert_eq!(parse(damaged), None);
        }
    }

    #[test]
    fn this_process_sees_its_own_mounts() {
        assert!(read().iter().any(|mount| mount.kind == "proc"));
    }
}
