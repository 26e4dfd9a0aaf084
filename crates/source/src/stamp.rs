//! Stamps, by which an unchanged file is recognised: the identity of a file, and the version of its content.

use std::time::SystemTime;

use pfh_record::{FileIdentity, Metadata, Timestamp};

/// The version of a file's content: 32 bytes that differ between two contents of one file. A source whose version names
/// are longer uses a digest of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct Version([u64; 4]);

impl Version {
    /// Returns the version of a content with these times.
    pub fn of_times(mtime: Timestamp, ctime: Timestamp) -> Version {
        let nanoseconds = u64::from(mtime.nanoseconds) << 32 | u64::from(ctime.nanoseconds);
        Version([mtime.seconds.cast_unsigned(), ctime.seconds.cast_unsigned(), nanoseconds, 0])
    }

    /// Returns the version with this name, or with a name of this digest.
    pub fn of_name(name: [u8; 32]) -> Version {
        let mut version = [0; 4];
        for (word, bytes) in version.iter_mut().zip(name.as_chunks::<8>().0) {
            *word = u64::from_le_bytes(*bytes);
        }
        Version(version)
    }
}

/// The state of a file at one moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Stamp {
    /// The metadata for its record.
    pub metadata: Metadata,
    /// The identity of the file, if it is known.
    pub identity: Option<FileIdentity>,
    /// The version of the content.
    pub version: Version,
    /// Number of hard links; more than 1 only with an identity.
    pub links: u64,
    /// False if the file was replaced by something else than the kind that the walk saw, such as a FIFO.
    pub is_as_listed: bool,
    /// With [`Proof::OneStamp`]: whether the file cannot have changed between opening and this stamp.
    pub is_settled: bool,
}

impl Stamp {
    /// Makes a stamp of a file with one name, which is the listed one, and not settled.
    pub fn new(metadata: Metadata, identity: Option<FileIdentity>, version: Version) -> Stamp {
        Stamp { metadata, identity, version, links: 1, is_as_listed: true, is_settled: false }
    }

    /// Whether both stamps are of the same content of the same file.
    pub fn is_same_content(&self, other: &Stamp) -> bool {
        let part = |stamp: &Stamp| (stamp.metadata.size, stamp.identity, stamp.version);
        part(self) == part(other)
    }

    /// Returns the identity if the file has other hard links.
    pub fn shared_identity(&self) -> Option<FileIdentity> {
        self.identity.filter(|_| self.links > 1)
    }
}

/// The proof that a file did not change while it was read. Exhaustive: an engine that does not know a proof cannot use
/// it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Proof {
    /// One stamp after the last read suffices for a file of one slot if it [is settled](Stamp::is_settled). Otherwise
    /// two stamps are needed.
    OneStamp,
    /// A stamp before the first read and one after the last must agree.
    TwoStamps,
    /// The open file cannot change, so one stamp suffices, taken at any moment.
    Unchanging,
}

/// The moment of opening a file, for files that only this system stamps.
///
/// The kernel sets the time of the inode's last change (`ctime`) at every write and truncation, and programs cannot set
/// it. If after the last read it is older than the moment of opening, nothing changed in between. The margin of two
/// seconds allows for the granularity of timestamps and for small steps of the clock.
#[derive(Clone, Copy, Debug)]
pub struct OpenedAt {
    seconds: i64,
}

impl OpenedAt {
    const MARGIN_SECONDS: i64 = 2;

    /// Returns the current moment.
    pub fn now() -> OpenedAt {
        let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
        OpenedAt { seconds: since.map_or(0, |time| time.as_secs().cast_signed()) }
    }

    /// Whether a file whose last change was at `ctime` has not changed since opening.
    pub fn settles(self, ctime: Timestamp) -> bool {
        ctime.seconds < self.seconds - OpenedAt::MARGIN_SECONDS
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part_of_a_time_makes_another_version() {
        let time = |seconds, nanoseconds| Timestamp { seconds, nanoseconds };
        let versions = [
            Version::of_times(time(1, 2), time(3, 4)),
            Version::of_times(time(-1, 2), time(3, 4)),
            Version::of_times(time(1, 4), time(3, 2)),
            Version::of_times(time(1, 2), time(3, 5)),
            Version::of_times(time(1, 2), time(-3, 4)),
            Version::of_name(*b"0123456789abcdef0123456789abcdef"),
            Version::of_name(*b"0123456789abcdef0123456789abcdeg"),
        ];
        for (place, version) in versions.iter().enumerate() {
            assert!(!versions[..place].contains(version), "{place}");
        }
    }

    #[test]
    fn what_changed_lately_is_not_settled() {
        let opened = OpenedAt { seconds: 1000 };
        let settled = |seconds| opened.settles(Timestamp { seconds, nanoseconds: 999_999_999 });
        assert!(settled(997) && !settled(998) && !settled(1000) && !settled(2000));
    }
}
