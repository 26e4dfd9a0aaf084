//! Files as a run found them, and the judgement of one that was expected.

use crate::class::Class;
use crate::expected::OneExpected;
use crate::file::{Agreement, File, compare};
use pfh_record::FileIdentity;

/// A file as a run found it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// The path and the size, and the digests if it was hashed.
    pub file: File,
    /// Whether it was hashed.
    pub state: State,
}

/// Whether a file that was found was hashed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum State {
    /// It was read to its end.
    Hashed,
    /// It was not read, on request.
    NotHashed,
    /// It could not be read to its end. The reason in words.
    Unreadable(String),
    /// It is no file, but a directory that could not be listed, so that nothing is known of files in it. The reason in
    /// words.
    NotListed(String),
}

/// The thing at the path of an expected file that was not found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Presence {
    /// Nothing.
    Gone,
    /// Nothing, at a path that the run was asked to leave out.
    LeftOut,
    /// Something that is no file. The reason in words.
    NoFile(String),
    /// A file. It was left out on request, or came late, or its directory has it by another name.
    File {
        /// The file that it is.
        identity: FileIdentity,
        /// Whether the run may have left it out on request.
        is_left_out: bool,
    },
    /// Something that may lead to a file, and was not followed, or that is read only if it is named. The reason in
    /// words.
    NotFollowed(String),
    /// Nothing is known of it, because the system does not tell. The reason in words.
    Unknown(String),
}

/// Tells what is at a path.
pub type Look<'a> = &'a mut (dyn FnMut(&[u8]) -> Presence + Send);

/// Judges a file that was expected at its path.
pub(crate) fn judge(one: &OneExpected, found: &Found) -> (Class, String) {
    let agreement = compare(&one.file, &found.file);
    match (&found.state, agreement) {
        (State::Unreadable(reason) | State::NotListed(reason), _) => (Class::Unreadable, reason.clone()),
        (_, Agreement::OtherSize) => {
            let size = |file: &File| file.size.unwrap_or(0);
            (Class::Changed, format!("size {} instead of {}", size(&found.file), size(&one.file)))
        }
        (_, Agreement::OtherDigest(algorithm)) => (Class::Changed, format!("other {algorithm}")),
        _ if one.contradicts => (Class::Changed, "the list states different values for it".to_owned()),
        (State::NotHashed, _) => (Class::NotChecked, String::new()),
        (State::Hashed, Agreement::Same) => (Class::Matched, String::new()),
        (State::Hashed, Agreement::NotCompared) => {
            let reason =
                if one.file.digests.is_empty() { "the list has no digest of it" } else { "no digest of it was made" };
            (Class::NotChecked, reason.to_owned())
        }
    }
}
