//! Where the list goes: standard output, a file that appears whole or not at all, or a journal that grows.

use pfh_record::Summary;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, IsTerminal, Write};
use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt};
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
        /// Where the file is until then; it goes with this value.
        temporary: TempPath,
        target: PathBuf,
    },
    /// The target itself; every group of records reaches the system at once.
    Journal {
        writer: BufWriter<File>,
        target: PathBuf,
    },
    Closed,
}

/// Device and inode of a file that is ours and must not be read.
pub(crate) type FileIdentity = (u64, u64);

impl Output {
    fn new(to: To) -> Output {
        Output { to }
    }

    /// Standard output.
    pub(crate) fn standard() -> Output {
        let stdout = io::stdout();
        let piped = rustix::fs::fstat(&stdout).is_ok_and(|stat| {
            let kind = rustix::fs::FileType::from_raw_mode(stat.st_mode);
            kind.is_fifo() || kind.is_socket()
        });
        let followed = piped || stdout.is_terminal();
        Output::new(To::Stream {
            writer: BufWriter::with_capacity(BUFFER_BYTES, Box::new(stdout)),
            followed,
            standard: true,
        })
    }

    /// A file that appears under its name only when it is whole.
    pub(crate) fn whole(target: &Path) -> io::Result<Output> {
        if let Ok(metadata) = fs::metadata(target)
            && !metadata.is_file()
        {
            let followed = metadata.file_type().is_fifo();
            let file = OpenOptions::new().write(true).open(target)?;
            let writer = BufWriter::with_capacity(BUFFER_BYTES, Box::new(file) as Box<dyn Write + Send>);
            return Ok(Output::new(To::Stream { writer, followed, standard: false }));
        }
        let directory = match target.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        };
        // Asked beforehand, so that the message does not speak of a temporary file.
        rustix::fs::access(directory, rustix::fs::Access::WRITE_OK | rustix::fs::Access::EXEC_OK)?;
        // As an ordinary new file: the user's umask decides.
        let permissions = fs::Permissions::from_mode(0o666);
        let file = tempfile::Builder::new().prefix(".pfh-").permissions(permissions).tempfile_in(directory)?;
        // In parts: errors in writing the whole would speak of the temporary file.
        let (file, temporary) = file.into_parts();
        let writer = BufWriter::with_capacity(BUFFER_BYTES, file);
        Ok(Output::new(To::Whole { writer, temporary, target: target.to_owned() }))
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
            To::Whole { writer, temporary, target } => persist(writer, temporary, &target),
            To::Closed => Ok(()),
        }
    }

    /// Ends the list early: what there is stays valid, under a name that says so. Returns where it is.
    pub(crate) fn finish_partial(&mut self, footer: &[u8]) -> io::Result<Option<PathBuf>> {
        self.write(footer)?;
        match std::mem::replace(&mut self.to, To::Closed) {
            To::Whole { writer, temporary, target } => {
                let mut name = target.into_os_string();
                name.push(".partial");
                let partial = PathBuf::from(name);
                persist(writer, temporary, &partial)?;
                Ok(Some(partial))
            }
            To::Journal { mut writer, target } => {
                writer.flush()?;
                Ok(Some(target))
            }
            To::Stream { mut writer, .. } => writer.flush().map(|()| None),
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

fn persist(writer: BufWriter<File>, temporary: TempPath, target: &Path) -> io::Result<()> {
    let file = writer.into_inner().map_err(io::IntoInnerError::into_error)?;
    file.sync_all()?;
    temporary.persist(target).map_err(|error| error.error)
}
