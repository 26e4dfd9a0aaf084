//! The destination of a list: standard output, a file that appears whole or not at all, or a journal that grows.

use super::message::{self, Partial};
use super::terminal::Shown;
use pfh_engine::{CancelToken, Decide, Decision};
use pfh_list::{AtomicFile, FileIdentity, place_of};
use pfh_record::{Metadata, Summary};
use rustix::io::Errno;
use std::ffi::OsStr;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, IsTerminal, Stdout, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

const BUFFER_BYTES: usize = 256 << 10;

/// The state that is shared with the signal handler: the list, and the number of its records by outcome.
pub(crate) struct Delivered {
    pub(crate) output: Output,
    pub(crate) summary: Summary,
}

/// The output of a command, shared with its writers and with the signal handler.
#[derive(Clone)]
pub(crate) struct SharedOutput {
    delivered: Arc<Mutex<Delivered>>,
    cancel: CancelToken,
}

impl SharedOutput {
    /// Makes an output that is not opened yet. `cancel` ends the writing.
    pub(crate) fn new(cancel: CancelToken) -> SharedOutput {
        let delivered = Delivered { output: Output::unopened(), summary: Summary::default() };
        SharedOutput { delivered: Arc::new(Mutex::new(delivered)), cancel }
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, Delivered> {
        self.delivered.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns `None` if another thread holds the lock.
    pub(crate) fn try_lock(&self) -> Option<MutexGuard<'_, Delivered>> {
        self.delivered.try_lock().ok()
    }

    /// The token that ends the writing.
    pub(crate) fn cancel(&self) -> &CancelToken {
        &self.cancel
    }

    /// Returns the files that a run does not read, because it writes or replaces them.
    pub(crate) fn own_files(&self) -> OwnFiles {
        self.lock().output.own_files()
    }
}

/// The files that a run does not read, because it writes or replaces them.
#[derive(Default)]
pub(crate) struct OwnFiles {
    /// Those that are left out under every name.
    identities: Vec<FileIdentity>,
    /// The file that will be replaced, if other names lead to it, too, and its path without symbolic links. The other
    /// names keep it, so they are files like any other.
    replaced: Option<(FileIdentity, PathBuf)>,
}

/// A [`Decide`] that is kept.
type OwnDecide<'a> = Box<dyn Fn(&[u8], Option<&Metadata>) -> Decision + Sync + 'a>;

impl OwnFiles {
    /// Returns the same with one more file, which is left out under every name.
    pub(crate) fn with(mut self, other: Option<FileIdentity>) -> OwnFiles {
        self.identities.extend(other);
        self
    }

    /// Returns the files that are left out under every name, for the options of a run. [`OwnFiles::before`] leaves out
    /// the others.
    pub(crate) fn identities(&self) -> Vec<FileIdentity> {
        self.identities.clone()
    }

    /// Whether a file is one of them. `path` is asked for only if the identity alone does not tell.
    pub(crate) fn has(&self, identity: FileIdentity, path: impl FnOnce() -> Vec<u8>) -> bool {
        self.identities.contains(&identity) || self.is_replaced(identity, path)
    }

    fn is_replaced(&self, identity: FileIdentity, path: impl FnOnce() -> Vec<u8>) -> bool {
        self.replaced.as_ref().is_some_and(|(replaced, own)| {
            *replaced == identity && fs::canonicalize(OsStr::from_bytes(&path())).is_ok_and(|path| path == *own)
        })
    }

    /// Returns what decides on the files of a run: it leaves out the one that only its path tells, and asks `decide`
    /// about the others.
    pub(crate) fn before<'a>(&'a self, decide: Option<Decide<'a>>) -> Option<OwnDecide<'a>> {
        if self.replaced.is_none() {
            return decide.map(|decide| Box::new(decide) as OwnDecide<'a>);
        }
        Some(Box::new(move |path: &[u8], metadata: Option<&Metadata>| {
            let posix = metadata.and_then(|metadata| metadata.posix);
            let identity = posix.map(|posix| FileIdentity::new(posix.device, posix.inode));
            if identity.is_some_and(|identity| self.is_replaced(identity, || path.to_vec())) {
                return Decision::LeaveOut;
            }
            decide.map_or(Decision::Hash, |decide| decide(path, metadata))
        }))
    }
}

/// Returns the error that ends writing and reading after a signal.
pub(crate) fn interrupted() -> io::Error {
    io::Error::other("interrupted")
}

impl Write for SharedOutput {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.cancel.is_cancelled() {
            return Err(interrupted());
        }
        self.lock().output.write(bytes).map(|()| bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.lock().output.end_group()
    }
}

/// The list that is being written.
pub(crate) struct Output {
    to: To,
}

enum To {
    /// Standard output, another open descriptor, or a file that is no regular file (`/dev/null`, a FIFO).
    Stream {
        writer: BufWriter<Shown<Stream>>,
        /// Whether somebody reads along, at a terminal or through a pipe. Then each group is written when it is
        /// complete, since the next may take long.
        followed: bool,
    },
    /// A file that gets its name at the end.
    Whole(AtomicFile),
    /// A file that gets its name at the end, unless another one has it by then.
    Once(AtomicFile),
    /// The target itself; every group of records is passed to the system at once.
    Journal {
        writer: BufWriter<File>,
        target: PathBuf,
    },
    Closed,
}

/// A place to which a list is written as it comes.
enum Stream {
    Standard(Stdout),
    Opened(File),
}

impl Write for Stream {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Stream::Standard(stdout) => stdout.write(bytes),
            Stream::Opened(file) => file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Stream::Standard(stdout) => stdout.flush(),
            Stream::Opened(file) => file.flush(),
        }
    }
}

impl AsFd for Stream {
    fn as_fd(&self) -> BorrowedFd<'_> {
        match self {
            Stream::Standard(stdout) => stdout.as_fd(),
            Stream::Opened(file) => file.as_fd(),
        }
    }
}

impl Stream {
    /// Returns the identity of the regular file that is written to, such as that of the shell in `pfh hash . > list`.
    fn identity(&self) -> Option<FileIdentity> {
        let stat = rustix::fs::fstat(self).ok()?;
        let is_regular = rustix::fs::FileType::from_raw_mode(stat.st_mode).is_file();
        is_regular.then(|| FileIdentity::new(stat.st_dev, stat.st_ino))
    }

    /// Waits until a network or FUSE filesystem has stored the file. Otherwise nobody would hear of an error that comes
    /// after the bytes were taken, such as that of a full disk or quota.
    fn store_if_remote(&self) -> io::Result<()> {
        if !pfh_source::is_remote(self) {
            return Ok(());
        }
        match rustix::fs::fsync(self) {
            // A FIFO, or a filesystem that stores at once.
            Err(Errno::INVAL) => Ok(()),
            stored => Ok(stored?),
        }
    }
}

/// Returns the identity of the file to which a path leads, if there is one.
fn identity(path: &Path) -> Option<FileIdentity> {
    pfh_source::identity_of(path.as_os_str().as_bytes()).ok()
}

/// Returns the number of the descriptor that a path such as `/dev/stdout` leads to.
pub(crate) fn descriptor_named_by(path: &Path) -> Option<u32> {
    let mut path = path.to_owned();
    // Two links lead there: /dev/stdout, /proc/self/fd/1.
    for _ in 0..3 {
        let below = ["/proc/self/fd", "/dev/fd"].iter().find_map(|directory| path.strip_prefix(directory).ok());
        if let Some(number) = below.and_then(Path::to_str).and_then(|number| number.parse().ok()) {
            return Some(number);
        }
        let leads = fs::read_link(&path).ok()?;
        path = path.parent()?.join(leads);
    }
    None
}

impl Output {
    fn new(to: To) -> Output {
        Output { to }
    }

    /// Makes an output that is not opened yet.
    pub(crate) fn unopened() -> Output {
        Output::new(To::Closed)
    }

    /// Opens standard output.
    pub(crate) fn standard() -> io::Result<Output> {
        let stdout = message::standard_output()?;
        let piped = rustix::fs::fstat(&stdout).is_ok_and(|stat| {
            let kind = rustix::fs::FileType::from_raw_mode(stat.st_mode);
            kind.is_fifo() || kind.is_socket()
        });
        let followed = piped || stdout.is_terminal();
        Ok(Output::stream(Stream::Standard(stdout), followed))
    }

    /// Makes an output that is written as it comes.
    fn stream(stream: Stream, followed: bool) -> Output {
        let is_terminal = stream.as_fd().is_terminal();
        let writer = BufWriter::with_capacity(BUFFER_BYTES, Shown::new(stream, is_terminal));
        Output::new(To::Stream { writer, followed })
    }

    /// Creates a file that appears under its name only when it is whole. A symbolic link is followed; an existing file
    /// keeps its mode and, if permitted, its owner.
    pub(crate) fn whole(target: &Path) -> io::Result<Output> {
        // The file behind an open descriptor may have more than this list, and is not replaced.
        match descriptor_named_by(target) {
            Some(1) => return Output::standard(),
            Some(_) => {
                let file = OpenOptions::new().append(true).open(target)?;
                return Ok(Output::stream(Stream::Opened(file), false));
            }
            None => {}
        }
        // If there is no such directory, the system would tell so only when the file gets its name.
        if target.as_os_str().as_bytes().ends_with(b"/") {
            return Err(Errno::ISDIR.into());
        }
        if let Ok(metadata) = fs::metadata(target)
            && !metadata.is_file()
        {
            let kind = metadata.file_type();
            if kind.is_block_device() {
                // Perhaps the evidence, with the option before the wrong word.
                let text = "it is a block device, and a list would overwrite what is on it; name a file";
                return Err(io::Error::new(io::ErrorKind::InvalidInput, text));
            }
            let file = OpenOptions::new().write(true).open(target)?;
            return Ok(Output::stream(Stream::Opened(file), kind.is_fifo()));
        }
        let file = AtomicFile::create(target)?;
        if let Some(error) = file.not_kept() {
            let target = message::quoted_path(file.target());
            message::error(format_args!(
                "{target}: the new file will not have the owner or the mode of the old one: {error}"
            ));
        }
        Ok(Output::new(To::Whole(file)))
    }

    /// Creates a file that appears under its name only when it is whole, and unless there is one by then. A symbolic
    /// link is not followed.
    pub(crate) fn once(target: &Path) -> io::Result<Output> {
        Ok(Output::new(To::Once(AtomicFile::create_unfollowed(target)?)))
    }

    /// Returns the existing file that this one will replace.
    pub(crate) fn replaced(&self) -> Option<&Path> {
        match &self.to {
            To::Whole(file) if file.replaces() => Some(file.target()),
            _ => None,
        }
    }

    /// Returns the files that a run does not read, because it writes or replaces them.
    pub(crate) fn own_files(&self) -> OwnFiles {
        let replaced = self.replaced_under_one_name();
        let mut identities = self.identities();
        identities.retain(|own| replaced.as_ref().is_none_or(|(identity, _)| own != identity));
        OwnFiles { identities, replaced }
    }

    /// Returns the existing file that this one will replace if other names lead to it, too: its identity, and its path
    /// without symbolic links.
    fn replaced_under_one_name(&self) -> Option<(FileIdentity, PathBuf)> {
        let path = fs::canonicalize(self.replaced()?).ok()?;
        let metadata = fs::metadata(&path).ok()?;
        (metadata.nlink() > 1).then(|| (FileIdentity::new(metadata.dev(), metadata.ino()), path))
    }

    /// Whether somebody reads along, who may never take the rest.
    pub(crate) fn is_followed(&self) -> bool {
        matches!(self.to, To::Stream { followed: true, .. })
    }

    /// Returns the path at which the whole file will appear.
    pub(crate) fn target(&self) -> Option<&Path> {
        match &self.to {
            To::Whole(file) => Some(file.target()),
            _ => None,
        }
    }

    /// Returns the path below a directory at which the whole file will appear, if it is in that, under whatever name.
    pub(crate) fn below(&self, directory: &Path) -> Option<PathBuf> {
        let path = place_of(self.target()?);
        let directory = identity(directory)?;
        let above = path.ancestors().skip(1).find(|above| identity(above) == Some(directory))?;
        path.strip_prefix(above).ok().map(Path::to_owned)
    }

    /// Whether this will replace a file, or writes to it.
    pub(crate) fn is(&self, file: &Path) -> bool {
        identity(file).is_some_and(|identity| self.identities().contains(&identity))
    }

    /// Makes an output that appends to a journal at the file's position.
    pub(crate) fn journal(target: &Path, file: File) -> Output {
        let writer = BufWriter::with_capacity(BUFFER_BYTES, file);
        Output::new(To::Journal { writer, target: target.to_owned() })
    }

    /// Returns the identities of the output's files; [`Output::own_files`] has those that a run does not read.
    pub(crate) fn identities(&self) -> Vec<FileIdentity> {
        let identity = |metadata: fs::Metadata| FileIdentity::new(metadata.dev(), metadata.ino());
        match &self.to {
            To::Stream { writer, .. } => writer.get_ref().get_ref().identity().into_iter().collect(),
            To::Closed => Vec::new(),
            To::Whole(file) | To::Once(file) => file.identities(),
            To::Journal { writer, .. } => writer.get_ref().metadata().into_iter().map(identity).collect(),
        }
    }

    /// Appends bytes.
    pub(crate) fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        match &mut self.to {
            To::Stream { writer, .. } => writer.write_all(bytes),
            To::Whole(file) | To::Once(file) => file.write_all(bytes),
            To::Journal { writer, .. } => writer.write_all(bytes),
            To::Closed => Ok(()),
        }
    }

    /// Notes that a group of records is complete.
    pub(crate) fn end_group(&mut self) -> io::Result<()> {
        match &mut self.to {
            To::Journal { writer, .. } => writer.flush(),
            To::Stream { writer, followed: true } => writer.flush(),
            _ => Ok(()),
        }
    }

    /// Ends a complete list.
    pub(crate) fn finish(&mut self) -> io::Result<()> {
        match std::mem::replace(&mut self.to, To::Closed) {
            To::Stream { mut writer, .. } => {
                writer.flush()?;
                writer.get_ref().get_ref().store_if_remote()
            }
            To::Journal { writer, .. } => writer.into_inner().map_err(io::IntoInnerError::into_error)?.sync_all(),
            To::Whole(file) => file.persist(),
            // Whoever was faster has the same in it.
            To::Once(file) => file.persist_new().map(drop),
            To::Closed => Ok(()),
        }
    }

    /// Ends an incomplete list: its finished part stays valid, under a name that says so. Returns its place.
    pub(crate) fn finish_partial(&mut self, footer: &[u8]) -> io::Result<Option<Partial>> {
        self.write(footer)?;
        match std::mem::replace(&mut self.to, To::Closed) {
            To::Whole(file) => {
                let partial = pfh_list::named_after(file.target(), ".partial");
                file.persist_as(&partial)?;
                Ok(Some(Partial::File(partial)))
            }
            To::Journal { writer, target } => {
                writer.into_inner().map_err(io::IntoInnerError::into_error)?.sync_all()?;
                Ok(Some(Partial::File(target)))
            }
            To::Stream { mut writer, .. } => {
                writer.flush()?;
                let stream = writer.get_ref().get_ref();
                stream.store_if_remote()?;
                Ok(matches!(stream, Stream::Standard(_)).then_some(Partial::Stream))
            }
            To::Once(file) => {
                file.discard();
                Ok(None)
            }
            To::Closed => Ok(None),
        }
    }

    /// Returns what remains of the list after an error of writing it, as a continuation of the error's text.
    pub(crate) fn after_error(&self) -> &'static str {
        match self.to {
            To::Stream { .. } | To::Closed => "",
            To::Whole(_) | To::Once(_) => "; no list was left behind",
            To::Journal { .. } => "; what was written before is still there, and --resume continues it",
        }
    }

    /// Ends an incomplete list: a file that should become whole is removed, and the rest of the buffer is not written.
    /// A finished list is unchanged. (The signal handler holds on to this value, so it is never dropped.)
    pub(crate) fn discard(&mut self) {
        match std::mem::replace(&mut self.to, To::Closed) {
            To::Stream { writer, .. } => drop(writer.into_parts()),
            To::Whole(file) | To::Once(file) => file.discard(),
            To::Journal { writer, .. } => drop(writer.into_parts()),
            To::Closed => {}
        }
    }
}
