//! Where the list goes: standard output, a file that appears whole or not at all, or a journal that grows.

use super::message::{self, Partial};
use pfh_record::Summary;
use rustix::fs::{Access, AtFlags, CWD, OFlags, access, linkat};
use rustix::io::Errno;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, IsTerminal, Seek, Write};
use std::os::fd::AsRawFd;
use std::os::unix::fs::{FileTypeExt, MetadataExt, OpenOptionsExt, PermissionsExt, fchown};
use std::path::{Path, PathBuf};
use tempfile::TempPath;

const BUFFER_BYTES: usize = 256 << 10;

/// What is shared with the signal handler: the list, and how many records of each outcome it has so far.
pub(crate) struct Delivered {
    pub(crate) output: Output,
    pub(crate) summary: Summary,
}

/// The list that is being written.
pub(crate) struct Output {
    to: To,
}

enum To {
    /// Standard output, or a file that is no regular file (`/dev/null`, a FIFO).
    Stream {
        writer: BufWriter<Box<dyn Write + Send>>,
        /// Somebody reads along, at a terminal or behind a pipe: each group goes out when it is complete, since nobody
        /// knows when the next will be.
        followed: bool,
        standard: bool,
    },
    /// A temporary file beside the target, which takes its place at the end.
    Whole {
        writer: BufWriter<File>,
        temporary: Temporary,
        target: PathBuf,
        /// There is a file of this name already.
        replaces: bool,
    },
    /// The target itself; every group of records reaches the system at once.
    Journal {
        writer: BufWriter<File>,
        target: PathBuf,
    },
    Closed,
}

/// Where a file is until it gets its name.
enum Temporary {
    /// It has none: nothing stays, however the program ends.
    Unnamed,
    /// Where the filesystem has no unnamed files; it goes with this value.
    Named(TempPath),
}

/// Device and inode of a file that is ours and must not be read.
pub(crate) type FileIdentity = (u64, u64);

impl Output {
    fn new(to: To) -> Output {
        Output { to }
    }

    /// None yet.
    pub(crate) fn unopened() -> Output {
        Output::new(To::Closed)
    }

    /// Standard output.
    pub(crate) fn standard() -> io::Result<Output> {
        let stdout = message::standard_output()?;
        let piped = rustix::fs::fstat(&stdout).is_ok_and(|stat| {
            let kind = rustix::fs::FileType::from_raw_mode(stat.st_mode);
            kind.is_fifo() || kind.is_socket()
        });
        let followed = piped || stdout.is_terminal();
        Ok(Output::new(To::Stream {
            writer: BufWriter::with_capacity(BUFFER_BYTES, Box::new(stdout)),
            followed,
            standard: true,
        }))
    }

    /// A file that appears under its name only when it is whole. A symbolic link is followed; a file that is there keeps its
    /// mode and, where that is permitted, its owner.
    pub(crate) fn whole(target: &Path) -> io::Result<Output> {
        let existing = fs::metadata(target).ok();
        if let Some(metadata) = &existing
            && !metadata.is_file()
        {
            let followed = metadata.file_type().is_fifo();
            let file = OpenOptions::new().write(true).open(target)?;
            let writer = BufWriter::with_capacity(BUFFER_BYTES, Box::new(file) as Box<dyn Write + Send>);
            return Ok(Output::new(To::Stream { writer, followed, standard: false }));
        }
        let target = followed(target)?;
        let directory = directory_of(&target);
        // Asked beforehand, so that the message does not speak of a temporary file.
        access(directory, Access::WRITE_OK | Access::EXEC_OK)?;
        if existing.is_some() {
            // Renaming would replace a list that its owner has protected from writing.
            access(&target, Access::WRITE_OK)?;
        }
        let (file, temporary) = temporary_in(directory)?;
        if let Some(existing) = &existing {
            keep_owner_and_mode(&file, existing, &target);
        }
        let writer = BufWriter::with_capacity(BUFFER_BYTES, file);
        Ok(Output::new(To::Whole { writer, temporary, target, replaces: existing.is_some() }))
    }

    /// The file that is there and whose place this one will take.
    pub(crate) fn replaced(&self) -> Option<&Path> {
        match &self.to {
            To::Whole { target, replaces: true, .. } => Some(target),
            _ => None,
        }
    }

    /// The file that this one will be under a name of its own.
    pub(crate) fn target(&self) -> Option<&Path> {
        match &self.to {
            To::Whole { target, .. } => Some(target),
            _ => None,
        }
    }

    /// A journal, to which lines are appended where the file stands.
    pub(crate) fn journal(target: &Path, file: File) -> Output {
        let writer = BufWriter::with_capacity(BUFFER_BYTES, file);
        Output::new(To::Journal { writer, target: target.to_owned() })
    }

    /// The files that this output consists of, so that a run does not hash its own list.
    pub(crate) fn identities(&self) -> Vec<FileIdentity> {
        let identity = |metadata: fs::Metadata| (metadata.dev(), metadata.ino());
        match &self.to {
            To::Stream { standard: true, .. } => {
                // The shell's own file, in `pfh hash . > list`.
                let own = rustix::fs::fstat(io::stdout()).into_iter();
                let regular = |stat: &rustix::fs::Stat| rustix::fs::FileType::from_raw_mode(stat.st_mode).is_file();
                own.filter(regular).map(|stat| (stat.st_dev, stat.st_ino)).collect()
            }
            To::Stream { .. } | To::Closed => Vec::new(),
            To::Whole { writer, target, .. } => {
                let own = writer.get_ref().metadata();
                own.into_iter().chain(fs::metadata(target)).map(identity).collect()
            }
            To::Journal { writer, .. } => writer.get_ref().metadata().into_iter().map(identity).collect(),
        }
    }

    /// Appends bytes.
    pub(crate) fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        match &mut self.to {
            To::Stream { writer, .. } => writer.write_all(bytes),
            To::Whole { writer, .. } => writer.write_all(bytes),
            To::Journal { writer, .. } => writer.write_all(bytes),
            To::Closed => Ok(()),
        }
    }

    /// A group of records is complete.
    pub(crate) fn end_group(&mut self) -> io::Result<()> {
        match &mut self.to {
            To::Journal { writer, .. } => writer.flush(),
            To::Stream { writer, followed: true, .. } => writer.flush(),
            _ => Ok(()),
        }
    }

    /// Ends the list as the whole that it is.
    pub(crate) fn finish(&mut self) -> io::Result<()> {
        match std::mem::replace(&mut self.to, To::Closed) {
            To::Stream { mut writer, .. } => writer.flush(),
            To::Journal { writer, .. } => writer.into_inner().map_err(io::IntoInnerError::into_error)?.sync_all(),
            To::Whole { writer, temporary, target, .. } => persist(writer, temporary, &target),
            To::Closed => Ok(()),
        }
    }

    /// Ends the list early: what there is stays valid, under a name that says so. Returns where it is.
    pub(crate) fn finish_partial(&mut self, footer: &[u8]) -> io::Result<Option<Partial>> {
        self.write(footer)?;
        match std::mem::replace(&mut self.to, To::Closed) {
            To::Whole { writer, temporary, target, .. } => {
                let mut name = target.into_os_string();
                name.push(".partial");
                let partial = PathBuf::from(name);
                persist(writer, temporary, &partial)?;
                Ok(Some(Partial::File(partial)))
            }
            To::Journal { mut writer, target } => {
                writer.flush()?;
                Ok(Some(Partial::File(target)))
            }
            To::Stream { mut writer, standard, .. } => writer.flush().map(|()| standard.then_some(Partial::Stream)),
            To::Closed => Ok(None),
        }
    }

    /// What is left of the list after an error in writing it, to go behind the error's text.
    pub(crate) fn after_error(&self) -> &'static str {
        match self.to {
            To::Stream { .. } | To::Closed => "",
            To::Whole { .. } => "; no list was left behind",
            To::Journal { .. } => "; what was written before is still there, and --resume continues it",
        }
    }

    /// Ends a list that did not reach its end: a file that would have been whole goes, and what is still in the buffer is not
    /// written. Nothing happens to one that did. (The signal handler holds on to this value, so that it is never dropped.)
    pub(crate) fn discard(&mut self) {
        match std::mem::replace(&mut self.to, To::Closed) {
            To::Stream { writer, .. } => drop(writer.into_parts()),
            To::Whole { writer, .. } | To::Journal { writer, .. } => drop(writer.into_parts()),
            To::Closed => {}
        }
    }
}

/// Links that lead to one another without end are as many for the system, too.
const LINKS_MAX: usize = 40;

/// Where a name leads to, whether or not there is something.
fn followed(path: &Path) -> io::Result<PathBuf> {
    let mut path = path.to_owned();
    for _ in 0..LINKS_MAX {
        match fs::read_link(&path) {
            // (Joining an absolute path gives that path.)
            Ok(leads) => path = directory_of(&path).join(leads),
            Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::InvalidInput) => {
                return Ok(path);
            }
            Err(error) => return Err(error),
        }
    }
    Err(Errno::LOOP.into())
}

fn directory_of(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

/// How the temporary files are called that have a name.
const PREFIX: &str = ".pfh-";

/// An empty file on the filesystem of a directory: without a name where that is possible, so that nothing can be left behind.
/// As for an ordinary new file, the user's umask decides on its mode.
fn temporary_in(directory: &Path) -> io::Result<(File, Temporary)> {
    let mut unnamed = OpenOptions::new();
    unnamed.read(true).write(true).mode(0o666).custom_flags(OFlags::TMPFILE.bits().cast_signed());
    if let Ok(file) = unnamed.open(directory)
        && descriptor_path(&file).exists()
    {
        return Ok((file, Temporary::Unnamed));
    }
    let (file, path) = named_in(directory)?;
    Ok((file, Temporary::Named(path)))
}

fn named_in(directory: &Path) -> io::Result<(File, TempPath)> {
    let permissions = fs::Permissions::from_mode(0o666);
    let file = tempfile::Builder::new().prefix(PREFIX).permissions(permissions).tempfile_in(directory)?;
    // In parts: errors in writing the whole would speak of the temporary file.
    Ok(file.into_parts())
}

/// The name by which the system knows an open file; it needs a mounted /proc.
fn descriptor_path(file: &File) -> PathBuf {
    PathBuf::from(format!("/proc/self/fd/{}", file.as_raw_fd()))
}

/// As `existing`. Where the owner cannot be kept, that is said.
fn keep_owner_and_mode(file: &File, existing: &fs::Metadata, target: &Path) {
    let own = file.metadata().map(|own| (own.uid(), own.gid())).ok();
    let mut kept = Ok(());
    if own != Some((existing.uid(), existing.gid())) {
        // The group alone can often be kept.
        kept = fchown(file, Some(existing.uid()), Some(existing.gid()));
        if kept.is_err() {
            let _ = fchown(file, None, Some(existing.gid()));
        }
    }
    // After the owner: a change of owner takes bits away.
    let kept = kept.and(file.set_permissions(fs::Permissions::from_mode(existing.mode() & 0o7777)));
    if let Err(error) = kept {
        let target = message::quoted_path(target);
        message::error(format_args!(
            "{target}: the new file will not have the owner or the mode of the old one: {error}"
        ));
    }
}

fn persist(writer: BufWriter<File>, temporary: Temporary, target: &Path) -> io::Result<()> {
    let file = writer.into_inner().map_err(io::IntoInnerError::into_error)?;
    file.sync_all()?;
    match temporary {
        Temporary::Named(path) => path.persist(target).map_err(|error| error.error),
        Temporary::Unnamed => give_name(file, target),
    }
}

/// Gives a file without name its name. A link cannot take the place of another file: then it gets a temporary name first.
fn give_name(mut file: File, target: &Path) -> io::Result<()> {
    let source = descriptor_path(&file);
    let link = |name: &Path| linkat(CWD, &source, CWD, name, AtFlags::SYMLINK_FOLLOW);
    match link(target) {
        Ok(()) => return Ok(()),
        Err(Errno::EXIST) => {
            let make = |name: &Path| link(name).map_err(io::Error::from);
            if let Ok(linked) = tempfile::Builder::new().prefix(PREFIX).make_in(directory_of(target), make) {
                return linked.into_temp_path().persist(target).map_err(|error| error.error);
            }
        }
        Err(_) => {}
    }
    // A filesystem that makes unnamed files and does not link them: better a copy than no list after hours.
    let (mut copy, path) = named_in(directory_of(target))?;
    copy.set_permissions(file.metadata()?.permissions())?;
    file.rewind()?;
    io::copy(&mut file, &mut copy)?;
    copy.sync_all()?;
    path.persist(target).map_err(|error| error.error)
}
