//! Files in memory that survive the loss of their file.
//!
//! A map is an exception among the ways in which pfh reads: contents are never mapped (see ARCHITECTURE.md, section
//! 10). Sets of known digests are, because each look-up reads a few bytes anywhere in gigabytes, which a system call
//! for each would make ten times as slow, and because all processes share the memory. The system answers a page that
//! cannot be read, since the file was truncated or its disk fails, with the signal SIGBUS. A handler then puts a page
//! of zeros there and notes the loss, which [`MappedFile::check`] reports. A file that is written to in place gives no
//! signal; [`MappedFile::check_unchanged`] tells by its length and its time of modification.
//!
//! This is one of the files of this crate with `unsafe`.
#![expect(unsafe_code, reason = "maps and signal handlers have no safe form")]

use std::fs::{File, Metadata};
use std::io;
use std::path::Path;
use std::ptr;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::SystemTime;

use rustix::mm::{MapFlags, ProtFlags, mmap, munmap};

/// Most maps at a time.
const MAPS_MAX: usize = 256;

/// The addresses of a map, for the handler of the signal.
struct Place {
    /// 0 if the place is free.
    start: AtomicUsize,
    end: AtomicUsize,
    is_lost: AtomicBool,
}

static PLACES: [Place; MAPS_MAX] =
    [const { Place { start: AtomicUsize::new(0), end: AtomicUsize::new(0), is_lost: AtomicBool::new(false) } };
        MAPS_MAX];

/// A file in memory, to be read only. Other processes that map it share the memory.
#[derive(Debug)]
pub struct MappedFile {
    start: *mut u8,
    /// Length in bytes; the map itself has whole pages.
    bytes: usize,
    /// The place among [`PLACES`]; `None` for an empty file, which is not mapped.
    place: Option<usize>,
    /// The file that is mapped, whatever has its path later.
    file: File,
    state: State,
}

/// The length of a file, and its time of modification.
///
/// The time of the inode's last change is no part of it: it changes, too, when the file loses its name to a new file,
/// which is how a file in use is to be replaced.
type State = (u64, Option<SystemTime>);

fn state_of(metadata: &Metadata) -> State {
    (metadata.len(), metadata.modified().ok())
}

// SAFETY: the memory is only read, and belongs to this value until it is dropped.
unsafe impl Send for MappedFile {}
// SAFETY: as above.
unsafe impl Sync for MappedFile {}

impl MappedFile {
    /// Maps a regular file.
    ///
    /// # Errors
    /// If it cannot be opened or mapped, or 256 files are mapped already.
    pub fn open(path: &Path) -> io::Result<MappedFile> {
        // Looked at before it is opened: whoever writes to a pipe would notice that it was opened and closed.
        if !path.metadata()?.is_file() {
            return Err(not_regular());
        }
        MappedFile::of(&File::open(path)?)
    }

    /// Maps an open file.
    ///
    /// # Errors
    /// As for [`MappedFile::open`].
    pub fn of(file: &File) -> io::Result<MappedFile> {
        let file = file.try_clone()?;
        // Taken before the first byte is read, so that no later change is missed.
        let metadata = file.metadata()?;
        if !metadata.is_file() {
            return Err(not_regular());
        }
        let bytes = usize::try_from(metadata.len()).map_err(|_| io::ErrorKind::FileTooLarge)?;
        let state = state_of(&metadata);
        if bytes == 0 {
            return Ok(MappedFile { start: ptr::null_mut(), bytes, place: None, file, state });
        }
        handle_signal()?;
        // SAFETY: a new map at an address of the system's choice touches no other memory.
        let start = unsafe { mmap(ptr::null_mut(), bytes, ProtFlags::READ, MapFlags::SHARED, &file, 0) }?;
        let start = start.cast::<u8>();
        let address = start as usize;
        for (place, guarded) in PLACES.iter().enumerate() {
            // The end comes first: the handler looks at places whose start is not 0.
            if guarded.start.compare_exchange(0, usize::MAX, Ordering::AcqRel, Ordering::Relaxed).is_ok() {
                guarded.end.store(address + bytes, Ordering::Release);
                guarded.is_lost.store(false, Ordering::Release);
                guarded.start.store(address, Ordering::Release);
                return Ok(MappedFile { start, bytes, place: Some(place), file, state });
            }
        }
        // SAFETY: the map was made above, and nothing refers to it.
        let _ = unsafe { munmap(start.cast(), bytes) };
        Err(io::Error::new(io::ErrorKind::QuotaExceeded, "too many files are mapped"))
    }

    /// Reports whether what was read of the bytes so far were those of the file. Asks the system nothing.
    ///
    /// # Errors
    /// If a part of the file could not be read since it was mapped: it was truncated, or its disk failed. Zeros were
    /// read in its place. Also if [`MappedFile::check_unchanged`] has seen before that it was changed.
    pub fn check(&self) -> io::Result<()> {
        match self.place {
            Some(place) if PLACES[place].is_lost.load(Ordering::Acquire) => Err(io::Error::other(
                "the file was overwritten or truncated, or could not be read, while it was in use; replace such a file \
                 by renaming a new one (`mv`), never in place (`cp`)",
            )),
            _ => Ok(()),
        }
    }

    /// As [`MappedFile::check`], and asks the system whether the file has been written to since it was mapped. Once it
    /// has, both are errors for good: the old bytes do not come back.
    ///
    /// A change is told by the length and the time of modification, which the system sets before it writes. So if this
    /// reports none after bytes were read, they were the old ones. A file that was renamed or removed, or whose name
    /// now belongs to another, is unchanged.
    ///
    /// # Errors
    /// As for [`MappedFile::check`], if the file was changed, or if the system does not tell.
    pub fn check_unchanged(&self) -> io::Result<()> {
        if let Some(place) = self.place
            && state_of(&self.file.metadata()?) != self.state
        {
            PLACES[place].is_lost.store(true, Ordering::Release);
        }
        self.check()
    }
}

impl AsRef<[u8]> for MappedFile {
    fn as_ref(&self) -> &[u8] {
        if self.place.is_none() {
            return &[];
        }
        // SAFETY: the map has this length and lives as long as `self`. Pages that are lost are replaced by zeros. That
        // another process may write to the file meanwhile is a race that no reader of shared files can exclude: bytes
        // are taken as they are, none is ever taken for something that not every bit pattern is, and readers check
        // every number that they read.
        unsafe { std::slice::from_raw_parts(self.start, self.bytes) }
    }
}

impl Drop for MappedFile {
    fn drop(&mut self) {
        if let Some(place) = self.place {
            PLACES[place].start.store(0, Ordering::Release);
            // SAFETY: the map was made with this length, and nothing refers to it any more.
            let _ = unsafe { munmap(self.start.cast(), self.bytes) };
        }
    }
}

fn not_regular() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, "not a regular file")
}

/// The action on SIGBUS before this module's.
static BEFORE: OnceLock<libc::sigaction> = OnceLock::new();

/// Handles the signal from now on, if this is not the case yet.
fn handle_signal() -> io::Result<()> {
    static HANDLED: OnceLock<Result<(), i32>> = OnceLock::new();
    let handled = HANDLED.get_or_init(|| {
        // SAFETY: all zeros are a valid `sigaction`, and the pointers are of living values.
        unsafe {
            let mut before: libc::sigaction = std::mem::zeroed();
            if libc::sigaction(libc::SIGBUS, ptr::null(), &mut before) != 0 {
                return Err(*libc::__errno_location());
            }
            let _ = BEFORE.set(before);
            let mut action: libc::sigaction = std::mem::zeroed();
            action.sa_sigaction = on_signal as *const () as usize;
            action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK | libc::SA_NODEFER;
            if libc::sigaction(libc::SIGBUS, &action, ptr::null_mut()) != 0 {
                return Err(*libc::__errno_location());
            }
        }
        Ok(())
    });
    handled.map_err(io::Error::from_raw_os_error)
}

/// Puts a page of zeros where a page of a map was lost. A signal for another reason is left to the handler before; if
/// there was none, the default action is restored, and the instruction, which is repeated, meets that.
///
/// Uses only what a handler may use: atomics and system calls.
extern "C" fn on_signal(signal: libc::c_int, info: *mut libc::siginfo_t, context: *mut libc::c_void) {
    /// The smallest page of every system that Linux runs on; larger ones need a larger hole, see below.
    const PAGE_BYTES: usize = 4096;
    // SAFETY: the system passes the facts about the signal.
    let address = unsafe { (*info).si_addr() } as usize;
    for place in &PLACES {
        let (start, end) = (place.start.load(Ordering::Acquire), place.end.load(Ordering::Acquire));
        if start == 0 || start == usize::MAX || !(start..end).contains(&address) {
            continue;
        }
        place.is_lost.store(true, Ordering::Release);
        // The page size is that of the system: the smallest that it accepts.
        for page_bytes in [PAGE_BYTES, 4 * PAGE_BYTES, 16 * PAGE_BYTES] {
            let page = address & !(page_bytes - 1);
            // SAFETY: the page belongs to the map, of which only readers exist, who then read zeros.
            let mapped = unsafe {
                libc::mmap(
                    page as *mut libc::c_void,
                    page_bytes,
                    libc::PROT_READ,
                    libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED,
                    -1,
                    0,
                )
            };
            if mapped != libc::MAP_FAILED {
                return;
            }
        }
    }
    let Some(before) = BEFORE.get() else { return };
    match before.sa_sigaction {
        libc::SIG_DFL | libc::SIG_IGN => {
            // SAFETY: it is the action that the system returned.
            unsafe { libc::sigaction(libc::SIGBUS, before, ptr::null_mut()) };
        }
        handler if before.sa_flags & libc::SA_SIGINFO != 0 => {
            type Handler = extern "C" fn(libc::c_int, *mut libc::siginfo_t, *mut libc::c_void);
            // SAFETY: with this flag, the handler that the system returned has three arguments.
            let handler = unsafe { std::mem::transmute::<usize, Handler>(handler) };
            handler(signal, info, context);
        }
        handler => {
            // SAFETY: without the flag, the handler that the system returned has one argument.
            let handler = unsafe { std::mem::transmute::<usize, extern "C" fn(libc::c_int)>(handler) };
            handler(signal);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    static SIGNALS: AtomicUsize = AtomicUsize::new(0);

    extern "C" fn count_signal(_signal: libc::c_int) {
        SIGNALS.fetch_add(1, Ordering::Relaxed);
    }

    /// A program whose own handler goes on after the signal, as that of a Java machine may, keeps both handlers.
    #[test]
    fn signals_for_other_reasons_reach_the_handler_before_each_time() {
        // SAFETY: all zeros are a valid `sigaction`, and the handler uses one atomic.
        unsafe {
            let mut action: libc::sigaction = std::mem::zeroed();
            action.sa_sigaction = count_signal as *const () as usize;
            assert_eq!(libc::sigaction(libc::SIGBUS, &action, ptr::null_mut()), 0);
        }
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("file");
        std::fs::write(&path, vec![7; 1 << 20]).unwrap();
        let map = MappedFile::open(&path).unwrap();
        for signals in 1..=3 {
            // SAFETY: the handler returns.
            assert_eq!(unsafe { libc::raise(libc::SIGBUS) }, 0);
            assert_eq!(SIGNALS.load(Ordering::Relaxed), signals);
        }
        File::options().write(true).open(&path).unwrap().set_len(0).unwrap();
        assert_eq!(map.as_ref()[1 << 19], 0);
        map.check().unwrap_err();
        assert_eq!(SIGNALS.load(Ordering::Relaxed), 3);
    }
}
