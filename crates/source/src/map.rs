//! Files in memory that survive the loss of their file.
//!
//! A map is an exception among the ways in which pfh reads: contents are never mapped (see ARCHITECTURE.md, section
//! 10). Sets of known digests are, because each look-up reads a few bytes anywhere in gigabytes, which a system call
//! for each would make ten times as slow, and because all processes share the memory. The system answers a page that
//! cannot be read, since the file was truncated or its disk fails, with the signal SIGBUS. A handler then puts zeros in
//! the place of the whole file and notes the loss, which [`MappedFile::check`] reports. A file that is written to in
//! place gives no signal; [`MappedFile::check_unchanged`] tells by its length and its time of modification.
//!
//! This is one of the files of this crate with `unsafe`.
#![expect(unsafe_code, reason = "maps and signal handlers have no safe form")]

use std::fs::{File, Metadata};
use std::io;
use std::path::Path;
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};
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
    /// reports none after bytes were read, they were the old ones. Two changes are not told: one that leaves the length
    /// as it is and comes within a tick of the clock (some milliseconds) after the last one before the file was mapped,
    /// and one by a writer who has mapped the file, too, as long as the system has not set the time. A file that was
    /// renamed or removed, or whose name now belongs to another, is unchanged.
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
        // SAFETY: the map has this length and lives as long as `self`. If it is lost, it is replaced by zeros. That
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

/// A handler of a signal with `SA_SIGINFO`.
type Handler = extern "C" fn(libc::c_int, *mut libc::siginfo_t, *mut libc::c_void);

/// This module's handlers of SIGBUS.
///
/// Another one may come in front of ours, keep it as the one before, and call it. So the handler that is then put in
/// front of that one is another of ours, and passes signals on to it: with one for both, they would go round for ever.
/// They do so, whatever is done here, if an action is put in front twice, with one of ours in between: it has only one
/// that it passes signals on to.
static HANDLERS: [Handler; LEVELS] = [on_signal::<0>, on_signal::<1>, on_signal::<2>, on_signal::<3>];

/// Most actions of others that have one of these handlers in front of them.
const LEVELS: usize = 4;

/// The action on SIGBUS behind each of [`HANDLERS`].
static BEFORE: [OnceLock<libc::sigaction>; LEVELS] = [const { OnceLock::new() }; LEVELS];

/// Handles the signal before whatever handles it now, if that is not this module.
fn handle_signal() -> io::Result<()> {
    static CHANGING: Mutex<()> = Mutex::new(());
    let _alone = CHANGING.lock().unwrap_or_else(PoisonError::into_inner);
    let address = |handler: Handler| handler as *const () as usize;
    // SAFETY: all zeros are a valid `sigaction`.
    let (mut present, mut action) = unsafe { std::mem::zeroed::<(libc::sigaction, libc::sigaction)>() };
    // SAFETY: the pointer is of a living value.
    if unsafe { libc::sigaction(libc::SIGBUS, ptr::null(), &mut present) } != 0 {
        return Err(io::Error::last_os_error());
    }
    if HANDLERS.iter().any(|handler| address(*handler) == present.sa_sigaction) {
        return Ok(());
    }
    let is_behind = |before: &OnceLock<libc::sigaction>| {
        let before = before.get_or_init(|| present);
        (before.sa_sigaction, before.sa_flags) == (present.sa_sigaction, present.sa_flags)
    };
    // A map that nobody guards is better than none.
    let Some(level) = BEFORE.iter().position(is_behind) else { return Ok(()) };
    action.sa_sigaction = address(HANDLERS[level]);
    action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK | libc::SA_NODEFER;
    // SAFETY: the pointer is of a living value, and the handler uses only what a handler may use.
    if unsafe { libc::sigaction(libc::SIGBUS, &action, ptr::null_mut()) } != 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(())
}

/// Puts zeros in the place of a map of which a page was lost. A signal for another reason is left to the action before;
/// if that is the default one, it is restored, and the signal comes again: by the instruction, which is repeated, or
/// sent anew.
///
/// Uses only what a handler may use: atomics and system calls.
extern "C" fn on_signal<const LEVEL: usize>(
    signal: libc::c_int,
    info: *mut libc::siginfo_t,
    context: *mut libc::c_void,
) {
    // SAFETY: the system passes the facts about the signal.
    let (code, address) = unsafe { ((*info).si_code, (*info).si_addr() as usize) };
    // A signal that somebody sent has no address.
    let is_fault = code > 0;
    if is_fault && replace(address) {
        return;
    }
    let Some(before) = BEFORE[LEVEL].get() else { return };
    match before.sa_sigaction {
        libc::SIG_IGN if !is_fault => {}
        libc::SIG_DFL | libc::SIG_IGN => {
            // SAFETY: it is the action that the system returned.
            unsafe { libc::sigaction(libc::SIGBUS, before, ptr::null_mut()) };
            if !is_fault {
                // SAFETY: it has no arguments but a number.
                unsafe { libc::raise(signal) };
            }
        }
        handler if before.sa_flags & libc::SA_SIGINFO != 0 => {
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

/// Replaces the map with this address by zeros, all of it: page by page, a file of which many pages are lost would be
/// more maps than a process may have. Returns false if there is none.
fn replace(address: usize) -> bool {
    for place in &PLACES {
        let (start, end) = (place.start.load(Ordering::Acquire), place.end.load(Ordering::Acquire));
        // If the place has become that of another map meanwhile, this may be the end of that one.
        let is_one = place.start.load(Ordering::Acquire) == start;
        if start == 0 || !is_one || !(start..end).contains(&address) {
            continue;
        }
        place.is_lost.store(true, Ordering::Release);
        // SAFETY: these are the pages of the map, the last of which the system completes. Only readers of it exist, who
        // then read zeros.
        let mapped = unsafe {
            libc::mmap(
                start as *mut libc::c_void,
                end - start,
                libc::PROT_READ,
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED,
                -1,
                0,
            )
        };
        return mapped != libc::MAP_FAILED;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Signals that reached [`count_signal`], and [`pass_on`].
    static SIGNALS: [AtomicUsize; 2] = [const { AtomicUsize::new(0) }; 2];

    /// The handler behind [`pass_on`].
    static BEHIND: AtomicUsize = AtomicUsize::new(0);

    extern "C" fn count_signal(_signal: libc::c_int) {
        SIGNALS[0].fetch_add(1, Ordering::Relaxed);
    }

    extern "C" fn pass_on(signal: libc::c_int, info: *mut libc::siginfo_t, context: *mut libc::c_void) {
        SIGNALS[1].fetch_add(1, Ordering::Relaxed);
        // SAFETY: it is a handler of this module.
        let behind = unsafe { std::mem::transmute::<usize, Handler>(BEHIND.load(Ordering::Relaxed)) };
        behind(signal, info, context);
    }

    /// Puts a handler in front of the present one, which is returned.
    fn put(handler: *const (), flags: libc::c_int) -> usize {
        // SAFETY: all zeros are a valid `sigaction`, and the handlers use atomics only.
        unsafe {
            let (mut before, mut action) = std::mem::zeroed::<(libc::sigaction, libc::sigaction)>();
            (action.sa_sigaction, action.sa_flags) = (handler as usize, flags);
            assert_eq!(libc::sigaction(libc::SIGBUS, &action, &mut before), 0);
            before.sa_sigaction
        }
    }

    /// Sends the signal, and returns how often which handler has had it so far.
    fn signals() -> [usize; 2] {
        // SAFETY: the handlers return.
        assert_eq!(unsafe { libc::raise(libc::SIGBUS) }, 0);
        SIGNALS.each_ref().map(|signals| signals.load(Ordering::Relaxed))
    }

    /// A program whose own handler goes on after the signal, as that of a Java machine may, keeps both handlers: if it
    /// had its own before, and if it puts one in front later.
    #[test]
    fn signals_for_other_reasons_reach_the_handlers_of_others_each_time() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("file");
        let mapped = || {
            std::fs::write(&path, vec![7; 1 << 20]).unwrap();
            MappedFile::open(&path).unwrap()
        };
        // Only the second half is lost, and one signal is enough.
        let lose = |map: MappedFile| {
            File::options().write(true).open(&path).unwrap().set_len(1 << 19).unwrap();
            assert_eq!(map.as_ref()[(1 << 20) - 1], 0);
            map.check().unwrap_err();
            assert_eq!(map.as_ref()[0], 0);
        };
        put(count_signal as *const (), 0);
        let map = mapped();
        for count in 1..=3 {
            assert_eq!(signals(), [count, 0]);
        }
        lose(map);
        assert_eq!(signals(), [4, 0]);

        BEHIND.store(put(pass_on as *const (), libc::SA_SIGINFO), Ordering::Relaxed);
        let map = mapped();
        for count in 1..=3 {
            assert_eq!(signals(), [4 + count, count]);
        }
        lose(map);
        assert_eq!(signals(), [8, 4]);
    }
}
