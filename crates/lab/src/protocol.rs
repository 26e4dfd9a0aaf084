//! The lines that go between the laboratory and a runner (`docs/reference/runner-protocol.md`).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::results::Hello;

/// The version that this laboratory speaks.
pub const VERSION: u32 = 1;

/// Longest line in either direction, in bytes.
pub const LINE_BYTES_MAX: usize = 64 << 10;

/// Ciphers and password functions among the names of algorithms; all others are digests.
pub const CIPHERS: [&str; 4] = ["des-cbc", "des-ede3-cbc", "rc2-128-cbc", "aes-128-cbc"];
/// See [`CIPHERS`].
pub const PASSWORD_FUNCTIONS: [&str; 4] = ["pbkdf2-hmac-sha256", "bcrypt", "scrypt", "argon2id"];

/// The work of one repeat.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Mode {
    /// Hash a file that is held in memory.
    Digest,
    /// Open, read and hash a file.
    DigestFile,
    /// Open and read a file.
    ReadFile,
    /// Encrypt a file that is held in memory.
    Cipher,
    /// Open, read and encrypt a file.
    CipherFile,
    /// Hash each line of a file.
    Strings,
    /// Hash each of many messages of one length.
    Messages,
    /// Derive from a password, several times.
    Password,
}

impl Mode {
    /// Its name in the protocol.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Mode::Digest => "digest",
            Mode::DigestFile => "digest-file",
            Mode::ReadFile => "read-file",
            Mode::Cipher => "cipher",
            Mode::CipherFile => "cipher-file",
            Mode::Strings => "strings",
            Mode::Messages => "messages",
            Mode::Password => "password",
        }
    }

    /// The mode that gives the same answers with the data in memory.
    #[must_use]
    pub(crate) fn in_memory(self) -> Mode {
        match self {
            Mode::DigestFile => Mode::Digest,
            Mode::CipherFile => Mode::Cipher,
            other => other,
        }
    }
}

/// A message of the laboratory.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "kebab-case")]
pub enum Request {
    /// A task for a runner.
    Task(Task),
}

/// A task for a runner.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Task {
    /// Number, given back with each answer.
    pub id: u64,
    /// The work of one repeat.
    pub mode: Mode,
    /// The algorithm.
    pub algorithm: String,
    /// The file with the data; empty where the mode has none.
    #[serde(default)]
    pub path: String,
    /// With the number of the repeat after it, the file with the data of each repeat; empty where all have those of
    /// `path`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub repeat_path: String,
    /// Size of the file in bytes, and of each repeat's.
    #[serde(default)]
    pub bytes: u64,
    /// Number of strings, messages or derivations.
    #[serde(default = "one")]
    pub count: u64,
    /// Size of one update in bytes; 0 for a single call.
    #[serde(default)]
    pub chunk_bytes: u64,
    /// Passes before those that are timed.
    #[serde(default)]
    pub warm_up: u32,
    /// Timed passes.
    pub repeats: u32,
    /// Parameters of password functions, as fields of their own.
    #[serde(flatten)]
    pub parameters: BTreeMap<String, serde_json::Value>,
}

fn one() -> u64 {
    1
}

/// A message of a runner.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "kebab-case")]
pub enum Message {
    /// Its first line.
    Hello(Hello),
    /// Instead of hello: its library is not there.
    Unavailable {
        /// Why.
        message: String,
    },
    /// The answer of a pass that is not timed.
    Check {
        /// The task's number.
        id: u64,
        /// The answer.
        answer: String,
    },
    /// The data of a repeat are in place; the timed pass follows at once. Only where each repeat has its own data.
    Begin {
        /// The task's number.
        id: u64,
        /// Number of the pass, from 0.
        repeat: u32,
    },
    /// One timed pass.
    Sample(Sample),
    /// The end of a task.
    Done(Done),
    /// The runner does not have this algorithm or mode.
    NotOffered {
        /// The task's number.
        id: u64,
        /// Why.
        #[serde(default)]
        message: String,
    },
    /// The runner tried and failed.
    Error {
        /// The task's number.
        id: u64,
        /// Description of the event.
        #[serde(default)]
        message: String,
    },
}

/// One timed pass.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sample {
    /// The task's number.
    pub id: u64,
    /// Number of the pass, from 0.
    pub repeat: u32,
    /// Time by a monotonic clock, in nanoseconds.
    pub wall_ns: u64,
    /// Time of the processor, in nanoseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_ns: Option<u64>,
    /// The answer.
    pub answer: String,
}

/// The end of a task.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Done {
    /// The task's number.
    pub id: u64,
    /// Garbage collections during the task.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gc_count: Option<u64>,
    /// Their time in nanoseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gc_ns: Option<u64>,
    /// Largest resident size of the process so far, in bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub peak_bytes: Option<u64>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_task_is_written_as_documented() {
        let task = Task {
            id: 7,
            mode: Mode::Digest,
            algorithm: "sha256".to_owned(),
            path: "/tmp/x/2097152".to_owned(),
            repeat_path: "/tmp/x/2097152-repeat-".to_owned(),
            bytes: 2_097_152,
            count: 1,
            chunk_bytes: 65_536,
            warm_up: 1,
            repeats: 10,
            parameters: BTreeMap::from([("cost".to_owned(), 10.into())]),
        };
        let request = Request::Task(task);
        let text = serde_json::to_string(&request).expect("serializable");
        assert_eq!(
            text,
            r#"{"type":"task","id":7,"mode":"digest","algorithm":"sha256","path":"/tmp/x/2097152","repeat_path":"/tmp/x/2097152-repeat-","bytes":2097152,"count":1,"chunk_bytes":65536,"warm_up":1,"repeats":10,"cost":10}"#
        );
        assert_eq!(serde_json::from_str::<Request>(&text).expect("as written"), request);
    }

    #[test]
    fn unknown_fields_of_a_message_are_ignored() {
        let text = r#"{"type":"sample","id":7,"repeat":0,"wall_ns":1093211,"answer":"00","future":[1]}"#;
        let Message::Sample(sample) = serde_json::from_str(text).expect("a sample") else { panic!("another message") };
        assert_eq!((sample.wall_ns, sample.cpu_ns), (1_093_211, None));
    }
}
