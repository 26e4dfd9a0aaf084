//! The ledger of a command, with its policy, and how its files are named.

use super::super::exit::Failed;
use super::super::message;
use super::super::output::descriptor_named_by;
use super::super::reading;
use super::policy::{Policy, is_policy};
use pfh_ledger::{Error, Ledger, Lock, Settings, Subject};
use pfh_list::place_of;
use pfh_record::Timestamp;
use pfh_source::{LocalSource, WalkOptions};
use std::ffi::OsStr;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Component, Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

/// A ledger that is named on the command line, or by a policy.
pub(super) struct Collection {
    pub(super) ledger: PathBuf,
    pub(super) policy: Option<Policy>,
}

impl Collection {
    /// Reads the policy, if the path names one.
    pub(super) fn of(path: &Path) -> Result<Collection, Failed> {
        if is_policy(path) {
            let policy = Policy::read(path)?;
            return Ok(Collection { ledger: policy.ledger.clone(), policy: Some(policy) });
        }
        Ok(Collection { ledger: path.to_owned(), policy: None })
    }

    /// Makes a failure of an error of the ledger.
    pub(super) fn failed(&self, error: Error) -> Failed {
        failed(&self.ledger, error)
    }

    /// Makes a failure of an error of a ledger that is being opened or locked.
    pub(super) fn not_opened(&self, error: Error) -> Failed {
        match error {
            Error::NoSpace | Error::NotShared | Error::Failed(_) => self.failed(error),
            error => Failed::usage(format_args!("{}: {error}", message::quoted_path(&self.ledger))),
        }
    }

    /// Refuses to write a file that is the ledger, or one of those beside it, under whatever name.
    pub(super) fn spare(&self, written: impl IntoIterator<Item = PathBuf>) -> Result<(), Failed> {
        let own = Ledger::files(&place_of(&self.ledger));
        let identity = |path: &Path| pfh_source::identity_of(path.as_os_str().as_bytes()).ok();
        for path in written {
            let (place, file) = (place_of(&path), identity(&path));
            if own.iter().any(|own| *own == place || (file.is_some() && identity(own) == file)) {
                let path = message::quoted_path(&path);
                return Err(Failed::usage(format_args!(
                    "{path} is the ledger or belongs to it, and would be overwritten: name another file"
                )));
            }
        }
        Ok(())
    }

    /// Returns the settings of the policy, or else those of the ledger.
    pub(super) fn settings(&self, ledger: &Ledger) -> Result<Settings, Failed> {
        match &self.policy {
            Some(policy) => Ok(policy.settings.clone()),
            None => ledger.settings().map_err(|error| self.failed(error)),
        }
    }

    /// Refuses to replace a file that runs read by one that the command line names. A new one is only told, and so are
    /// those of a policy: no run must fail because of the place of its report.
    pub(super) fn stay_outside(
        &self,
        roots: &[Vec<u8>],
        settings: &Settings,
        named: &[PathBuf],
        of_policy: &[PathBuf],
        quiet: bool,
    ) -> Result<(), Failed> {
        let walk = filters(settings)?;
        let audited = |path: &PathBuf| {
            if path.as_os_str() == "-" || descriptor_named_by(path).is_some() {
                return None;
            }
            let place = place_of(path);
            let root = roots.iter().find(|root| {
                let below = place.strip_prefix(place_of(Path::new(OsStr::from_bytes(root))));
                below.is_ok_and(|below| walk.wants_below(root, below.as_os_str().as_bytes()))
            })?;
            let (path, root, ledger) =
                (message::quoted_path(path), message::quoted(root), message::quoted_path(&self.ledger));
            Some((place, format!("{path} lies in {root}, which {ledger} describes")))
        };
        let replaced = named.iter().filter_map(audited).find(|(place, _)| place.exists());
        if let Some((_, told)) = replaced {
            return Err(Failed::usage(format_args!("{told}, and would be replaced: name another file")));
        }
        // One of them suffices, of a policy that of the later run.
        if !quiet && let Some((_, told)) = named.iter().chain(of_policy.iter().rev()).find_map(audited) {
            message::error(format_args!(
                "{told}, and the next run will find it there: write it elsewhere, or exclude it"
            ));
        }
        Ok(())
    }

    /// Opens the ledger for reading.
    pub(super) fn open(&self) -> Result<Ledger, Failed> {
        Ledger::open(&self.ledger, false).map_err(|error| self.not_opened(error))
    }

    /// Opens the ledger for writing, and keeps others off it.
    pub(super) fn open_alone(&self, waits: bool) -> Result<(Lock, Ledger), Failed> {
        // A lock beside something that is no ledger would be left behind.
        drop(self.open()?);
        let lock = Lock::take(&self.ledger, waits).map_err(|error| self.not_opened(error))?;
        let ledger = Ledger::open(&self.ledger, true).map_err(|error| self.not_opened(error))?;
        Ok((lock, ledger))
    }
}

/// Returns a source that knows which names the settings leave out, and walks nowhere.
pub(super) fn filters(settings: &Settings) -> Result<LocalSource, Failed> {
    let (include, exclude) = (settings.include.clone(), settings.exclude.clone());
    LocalSource::new(WalkOptions { include, exclude, ..WalkOptions::default() }).map_err(Failed::usage)
}

/// Returns the file of `-o`, or the one to which standard output leads.
pub(super) fn output_file(output: Option<&Path>) -> PathBuf {
    output.filter(|path| path.as_os_str() != "-").unwrap_or(Path::new("/dev/stdout")).to_owned()
}

/// Returns a text as one line, with everything unprintable escaped: it may be of other people.
pub(super) fn one_line(text: &str) -> String {
    message::escaped_lines(text).replace('\n', "\\n")
}

/// Makes a failure of an error of a ledger.
pub(super) fn failed(path: &Path, error: Error) -> Failed {
    let error = match Ledger::unless_unread(path, error) {
        Error::Temporary(error) => return Failed::temporary(error),
        error => error,
    };
    let text = format!("{}: {error}", message::quoted_path(path));
    if is_of_files(&error) { Failed::internal(text) } else { Failed::usage(text) }
}

/// Whether an error of a ledger, once there is one, is that of its files.
fn is_of_files(error: &Error) -> bool {
    match error {
        Error::NoSpace | Error::NotShared | Error::Io(_) | Error::Failed(_) | Error::Sqlite(_) => true,
        Error::NotMade(reason) => is_of_files(reason),
        _ => false,
    }
}

/// Returns roots for display.
pub(super) fn quoted_roots(roots: &[Vec<u8>]) -> String {
    let quoted: Vec<String> = roots.iter().map(|root| message::quoted(root)).collect();
    quoted.join(", ")
}

/// Returns the absolute path of a file.
pub(super) fn full_path(roots: &[Vec<u8>], subject: &Subject) -> Vec<u8> {
    let mut path = roots.get(subject.root as usize).cloned().unwrap_or_default();
    if !subject.path.is_empty() {
        if !path.ends_with(b"/") {
            path.push(b'/');
        }
        path.extend_from_slice(&subject.path);
    }
    path
}

/// Returns the file or directory that a path on the command line names. A relative one starts from the current
/// directory.
pub(super) fn subject(ledger: &Ledger, roots: &[Vec<u8>], path: &OsStr) -> Result<Subject, Error> {
    if path.is_empty() {
        return Err(Error::Refused("an empty path names no file".to_owned()));
    }
    let written: PathBuf = std::path::absolute(path)?.components().collect();
    let resolved = match (written.parent(), written.file_name()) {
        (Some(parent), Some(name)) => place_of(parent).join(name),
        _ => place_of(&written),
    };
    let place = |root: &Vec<u8>| place_of(Path::new(OsStr::from_bytes(root))).into_os_string().into_vec();
    let places: Vec<Vec<u8>> = roots.iter().map(place).collect();
    let mut named = None;
    // As it is written first: a root may be a link by now, and runs may follow links in the collection.
    for (roots, path) in [(roots, &written), (roots, &resolved), (&places[..], &resolved)] {
        if path.components().any(|part| part == Component::ParentDir) {
            continue;
        }
        let Some(subject) = Subject::below(roots, path.as_os_str().as_bytes()) else { continue };
        if ledger.has(&subject)? {
            return Ok(subject);
        }
        named.get_or_insert(subject);
    }
    // Reports of earlier runs have the paths of their time.
    for earlier in ledger.relocations()?.into_iter().rev() {
        let Some(below) = Subject::below(&[earlier.from], written.as_os_str().as_bytes()) else { continue };
        let subject = Subject { root: earlier.root, ..below };
        if ledger.has(&subject)? {
            return Ok(subject);
        }
        named.get_or_insert(subject);
    }
    // The path may be a link to a root.
    let named = named.or_else(|| Subject::below(&places, place_of(&written).as_os_str().as_bytes()));
    named.ok_or_else(|| {
        Error::Refused(format!(
            "{} is below no root of the ledger: {}. A relative path starts from the current directory; write an absolute \
             one to be sure",
            message::quoted_path(&resolved),
            quoted_roots(roots)
        ))
    })
}

/// Returns a time of the ledger as text.
pub(super) fn time(seconds: i64) -> String {
    Timestamp { seconds, nanoseconds: 0 }.to_seconds_text()
}

/// Returns the current time in seconds since 1970-01-01T00:00:00Z.
pub(super) fn now() -> i64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs().cast_signed())
}

/// Returns who decides, which is the user if nobody is named, and why.
pub(super) fn person<'a>(by: Option<&str>, why: &'a str) -> Result<(String, &'a str), Failed> {
    let by = by.map_or_else(user, str::to_owned);
    if by.trim().is_empty() || why.trim().is_empty() {
        return Err(Failed::usage("the ledger keeps who decides and why; neither can be empty"));
    }
    Ok((by, why))
}

/// Largest list of users that is read.
const USERS_BYTES_MAX: u64 = 16 << 20;

/// Returns the name of the user, for the ledger.
pub(super) fn user() -> String {
    let named = ["LOGNAME", "USER"].iter().find_map(|name| std::env::var(name).ok().filter(|name| !name.is_empty()));
    let number = rustix::process::getuid().as_raw();
    // Containers set no names. Beyond this file, the system could ask a server.
    let listed = || {
        let users = reading::read_small(Path::new("/etc/passwd"), USERS_BYTES_MAX).ok()?;
        name_of(number, &String::from_utf8_lossy(&users))
    };
    named.or_else(listed).unwrap_or_else(|| format!("uid {number}"))
}

/// Returns the name of the user with this number, of the text of `/etc/passwd`.
fn name_of(number: u32, users: &str) -> Option<String> {
    users.lines().find_map(|line| {
        let mut fields = line.split(':');
        let (name, own) = (fields.next()?, fields.nth(1)?);
        (own.parse::<u32>() == Ok(number) && !name.is_empty()).then(|| name.to_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_of_a_user_has_a_name() {
        let users = "root:x:0:0:root:/root:/bin/sh\n\n+\n:x:7:7::/:\nanna:x:1000:100:1001:/home/anna:/bin/sh\n";
        let name = |number| name_of(number, users);
        assert_eq!((name(0), name(1000)), (Some("root".to_owned()), Some("anna".to_owned())));
        assert_eq!([name(7), name(100), name(1001)], [None, None, None]);
    }
}
