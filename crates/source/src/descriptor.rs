//! Descriptors that any thread can use, also one with a descriptor table of its own.
//!
//! All threads of a process share a descriptor table, and each file that is opened or closed takes its lock: sixteen
//! threads that read small files wait for it most of the time. [`own_table`] gives a thread a table of its own. A
//! number is then valid in the table in which it was opened, and only a thread of that table may close it. So a
//! [`Descriptor`] knows its table. Another thread opens the same file once more, through the list of open files that
//! the system shows for each thread, and leaves the closing to a thread of the table.
//!
//! This is one of the files of this crate with `unsafe`.
#![expect(unsafe_code, reason = "no safe wrapper of this system call exists")]

use std::cell::RefCell;
use std::io;
use std::mem::forget;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use rustix::fs::{AtFlags, CWD, Mode, OFlags, openat, statat};
use rustix::path::DecInt;
use rustix::process::{Pid, getpid};
use rustix::thread::gettid;

/// Most copies that a thread keeps open: directories, and files that other threads began.
const COPIES_MAX: usize = 64;

/// The table of the process, which all threads share that did not ask for one.
static PROCESS: Table = Table::new(String::new());

/// Whether threads can have tables of their own here, found out by the first one that asks.
static USABLE: OnceLock<bool> = OnceLock::new();

/// The next number of a descriptor that was copied.
static NEXT_COPIED: AtomicU64 = AtomicU64::new(0);

thread_local! {
    static HERE: RefCell<Here> = const { RefCell::new(Here::of_process()) };
}

/// The view of one thread.
struct Here {
    /// `None` if the thread shares the table of the process.
    own: Option<Arc<Table>>,
    /// The directory in which the system lists the descriptors of the process, in a thread with a table of its own.
    of_process: Option<OwnedFd>,
    /// Copies of descriptors of other tables, with their numbers among all that were copied. The one used last is at
    /// the end.
    copies: Vec<(u64, Rc<OwnedFd>)>,
    copies_max: usize,
}

/// A descriptor table.
#[derive(Debug)]
struct Table {
    /// The directory in which the system lists the descriptors of the table, if it is a thread's own.
    listed: String,
    /// Descriptors of the table that other threads left to be closed.
    left: Mutex<Vec<OwnedFd>>,
    has_left: AtomicBool,
}

impl Table {
    const fn new(listed: String) -> Table {
        Table { listed, left: Mutex::new(Vec::new()), has_left: AtomicBool::new(false) }
    }

    fn leave(&self, number: OwnedFd) {
        self.left().push(number);
        self.has_left.store(true, Ordering::Release);
    }

    /// Closes what other threads left. Called by threads of this table.
    fn close_left(&self) {
        if self.has_left.load(Ordering::Acquire) {
            let mut left = self.left();
            self.has_left.store(false, Ordering::Release);
            left.clear();
        }
    }

    fn left(&self) -> MutexGuard<'_, Vec<OwnedFd>> {
        self.left.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The table itself is gone with its thread, and its numbers mean other files elsewhere.
impl Drop for Table {
    fn drop(&mut self) {
        self.left().drain(..).for_each(forget);
    }
}

/// An open file, owned.
#[derive(Debug)]
pub(crate) struct Descriptor {
    /// `None` once it is closed, or left to its table.
    number: Option<OwnedFd>,
    /// `None` for the table of the process.
    table: Option<Arc<Table>>,
    /// How another thread opens the file once more; `None` if it cannot, since that would begin a stream anew.
    flags: Option<OFlags>,
    /// The number of the descriptor among those that other threads copied.
    copied: OnceLock<u64>,
}

/// A number that is valid in the calling thread.
#[derive(Debug)]
pub(crate) enum Valid<'a> {
    Borrowed(BorrowedFd<'a>),
    /// A copy of a descriptor of another table.
    Copied(Rc<OwnedFd>),
    /// One that is closed after use.
    Owned(OwnedFd),
}

impl Valid<'_> {
    /// Returns a descriptor of its own.
    pub(crate) fn into_owned(self) -> io::Result<OwnedFd> {
        match self {
            Valid::Owned(number) => Ok(number),
            number => number.as_fd().try_clone_to_owned(),
        }
    }
}

impl AsFd for Valid<'_> {
    fn as_fd(&self) -> BorrowedFd<'_> {
        match self {
            Valid::Borrowed(number) => *number,
            Valid::Copied(copy) => copy.as_fd(),
            Valid::Owned(number) => number.as_fd(),
        }
    }
}

impl Descriptor {
    /// Takes a descriptor that the calling thread has opened. Another thread opens the file with `flags`.
    pub(crate) fn new(number: OwnedFd, flags: Option<OFlags>) -> Descriptor {
        let table = HERE.with_borrow(|here| {
            here.table().close_left();
            here.own.clone()
        });
        Descriptor { number: Some(number), table, flags, copied: OnceLock::new() }
    }

    /// Returns a number by which the calling thread reaches the file.
    ///
    /// # Errors
    /// The system's, if the file cannot be opened once more.
    pub(crate) fn here(&self) -> io::Result<Valid<'_>> {
        self.here_if(|_| Ok(true))
    }

    /// The same, if `is_same` finds that the file opened once more is the right one. So a mistake about
    /// tables could not lead to another directory; contents of files are proved by their stamps.
    ///
    /// # Errors
    /// As for [`Descriptor::here`]; `NotFound` for another file.
    pub(crate) fn here_if(&self, is_same: impl FnOnce(&OwnedFd) -> io::Result<bool>) -> io::Result<Valid<'_>> {
        HERE.with_borrow_mut(|here| match &self.number {
            Some(number) if here.is_of(self) => Ok(Valid::Borrowed(number.as_fd())),
            _ => here.copy(self, is_same).map(Valid::Copied),
        })
    }
}

impl Drop for Descriptor {
    fn drop(&mut self) {
        let is_here = HERE.try_with(|here| here.try_borrow().is_ok_and(|here| here.is_of(self))).unwrap_or(false);
        match self.number.take() {
            Some(number) if !is_here => self.table.as_deref().unwrap_or(&PROCESS).leave(number),
            closed => drop(closed),
        }
    }
}

impl Here {
    const fn of_process() -> Here {
        Here { own: None, of_process: None, copies: Vec::new(), copies_max: COPIES_MAX }
    }

    fn table(&self) -> &Table {
        self.own.as_deref().unwrap_or(&PROCESS)
    }

    /// Whether the descriptor is of the table of this thread.
    fn is_of(&self, descriptor: &Descriptor) -> bool {
        match (&self.own, &descriptor.table) {
            (None, None) => true,
            (Some(own), Some(table)) => Arc::ptr_eq(own, table),
            _ => false,
        }
    }

    /// Returns the copy of a descriptor of another table.
    fn copy(
        &mut self,
        descriptor: &Descriptor,
        is_same: impl FnOnce(&OwnedFd) -> io::Result<bool>,
    ) -> io::Result<Rc<OwnedFd>> {
        let copied = *descriptor.copied.get_or_init(|| NEXT_COPIED.fetch_add(1, Ordering::Relaxed));
        let place = self.copies.iter().rposition(|(number, _)| *number == copied);
        let copy = match place {
            Some(place) => self.copies.remove(place),
            None => {
                let copy = self.open_again(descriptor)?;
                if !is_same(&copy)? {
                    return Err(io::ErrorKind::NotFound.into());
                }
                (copied, Rc::new(copy))
            }
        };
        if self.copies.len() == self.copies_max {
            self.copies.remove(0);
        }
        let valid = Rc::clone(&copy.1);
        self.copies.push(copy);
        Ok(valid)
    }

    /// Opens the file of a descriptor of another table once more.
    fn open_again(&self, descriptor: &Descriptor) -> io::Result<OwnedFd> {
        // The system shows an open file as a symbolic link.
        let flags = descriptor.flags.ok_or(io::ErrorKind::Unsupported)? - OFlags::NOFOLLOW;
        let number = descriptor.number.as_ref().ok_or(io::ErrorKind::NotFound)?.as_raw_fd();
        let again = match (&descriptor.table, &self.of_process) {
            (None, Some(listed)) => openat(listed, DecInt::new(number), flags, Mode::empty()),
            (None, None) => openat(CWD, format!("{}/{number}", listed_of_process()), flags, Mode::empty()),
            (Some(table), _) => openat(CWD, format!("{}/{number}", table.listed), flags, Mode::empty()),
        };
        Ok(again?)
    }
}

/// Gives the calling thread a descriptor table of its own, where the system permits it. The thread keeps at most
/// `kept_max` files of other tables open. It must not have opened a [`Descriptor`] before, and threads that it starts
/// must ask for a table, too.
pub(crate) fn own_table(kept_max: usize) {
    if !*USABLE.get_or_init(can_list) {
        return;
    }
    match unshare() {
        Ok(()) => hold_apart(kept_max),
        // The system has no memory for another table. The thread goes on in that of the one that started it, where its
        // copies count towards the same limit.
        Err(_) => hold_apart(1),
    }
}

/// Makes the calling thread use and close only the numbers that it opens itself, and reach all others by copies: at
/// most `kept_max` that it keeps. That is right in a table of its own, and also in one that it shares: the numbers of
/// both threads differ there, and the system lists them for either. Descriptors that others leave to a thread that
/// shares a table may then stay open as long as the table does.
fn hold_apart(kept_max: usize) {
    let listed = listed(gettid());
    // Without this descriptor, paths lead there, too.
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let of_process = openat(CWD, listed_of_process(), flags, Mode::empty()).ok();
    let own = Some(Arc::new(Table::new(listed)));
    let copies_max = kept_max.clamp(1, COPIES_MAX);
    HERE.with_borrow_mut(|here| *here = Here { own, of_process, copies: Vec::new(), copies_max });
}

/// Closes what other threads left to the table of this one.
pub(crate) fn close_left() {
    let _ = HERE.try_with(|here| here.try_borrow().map(|here| here.table().close_left()));
}

/// Whether the calling thread has a table of its own.
pub(crate) fn has_own_table() -> bool {
    HERE.with_borrow(|here| here.own.is_some())
}

/// The directory in which the system lists the descriptors of a thread.
fn listed(thread: Pid) -> String {
    format!("/proc/self/task/{}/fd", thread.as_raw_nonzero())
}

/// The same for the first thread of the process.
fn listed_of_process() -> String {
    listed(getpid())
}

/// Whether a thread with a table of its own would reach the descriptors of the process.
fn can_list() -> bool {
    let of_process = listed_of_process();
    let Ok(probe) = openat(CWD, "/", OFlags::PATH | OFlags::CLOEXEC, Mode::empty()) else { return false };
    let found = statat(CWD, format!("{of_process}/{}", probe.as_raw_fd()), AtFlags::empty());
    let root = statat(CWD, "/", AtFlags::empty());
    let same =
        |found: &rustix::fs::Stat, root: &rustix::fs::Stat| (found.st_dev, found.st_ino) == (root.st_dev, root.st_ino);
    matches!((found, root), (Ok(found), Ok(root)) if same(&found, &root)) && is_permitted()
}

/// Whether the system gives a thread a table of its own; tried in one that does nothing else.
fn is_permitted() -> bool {
    std::thread::scope(|scope| {
        let tried = std::thread::Builder::new().spawn_scoped(scope, || unshare().is_ok());
        tried.is_ok_and(|tried| tried.join().unwrap_or(false))
    })
}

/// Gives the calling thread a copy of its table.
fn unshare() -> io::Result<()> {
    // Docker permits the second call alone.
    unshare_by_name().or_else(|_| unshare_by_closing())
}

fn unshare_by_name() -> io::Result<()> {
    // SAFETY: the call takes no pointers. Numbers opened before stay valid in this thread, and those that it opens or
    // closes from now on are tracked by `Descriptor`.
    match unsafe { libc::unshare(libc::CLONE_FILES) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

/// Closes no number, in a table that is a copy (since Linux 5.9).
fn unshare_by_closing() -> io::Result<()> {
    let (none, flags) = (libc::c_uint::MAX, libc::CLOSE_RANGE_UNSHARE);
    // SAFETY: as above; no number is as high as these.
    match unsafe { libc::syscall(libc::SYS_close_range, none, none, flags) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

#[cfg(test)]
mod tests {
    use std::fs::{self, File};
    use std::os::fd::FromRawFd;
    use std::os::unix::fs::MetadataExt;
    use std::path::Path;
    use std::sync::mpsc::channel;
    use std::thread;

    use rustix::io::pread;

    use super::*;

    fn open(path: &Path) -> Descriptor {
        Descriptor::new(File::open(path).unwrap().into(), Some(OFlags::RDONLY | OFlags::CLOEXEC))
    }

    fn content(file: &Descriptor) -> Vec<u8> {
        let mut buffer = vec![0; 100];
        let length = pread(file.here().unwrap(), &mut buffer, 0).unwrap();
        buffer[..length].to_vec()
    }

    /// Returns the number of files in a directory that this thread has open.
    fn open_here(directory: &Path) -> usize {
        open_in(listed(gettid()), directory)
    }

    fn open_in(listed: String, directory: &Path) -> usize {
        let opened = fs::read_dir(listed).unwrap().filter_map(|one| fs::read_link(one.unwrap().path()).ok());
        opened.filter(|file| file.starts_with(directory)).count()
    }

    fn files(names: &[&str]) -> tempfile::TempDir {
        let root = tempfile::tempdir().unwrap();
        for name in names {
            fs::write(root.path().join(name), name).unwrap();
        }
        root
    }

    /// Runs in a thread with a table of its own.
    fn apart<T: Send>(work: impl FnOnce() -> T + Send) -> T {
        thread::scope(|scope| {
            let apart = scope.spawn(|| {
                own_table(COPIES_MAX);
                assert!(has_own_table(), "this system gives no thread a table of its own");
                work()
            });
            apart.join().unwrap()
        })
    }

    #[test]
    fn numbers_of_two_tables_are_told_apart() {
        let root = files(&["of the process", "apart"]);
        let of_process = open(&root.path().join("of the process"));
        let number = of_process.here().unwrap().as_fd().as_raw_fd();
        apart(|| {
            // The table begins as a copy; this closes the copy, so that a file gets its number once those below are
            // taken, which other tests may have given up before the table was copied.
            // SAFETY: nothing in this table refers to it.
            drop(unsafe { OwnedFd::from_raw_fd(number) });
            let mut others = Vec::new();
            let own = loop {
                let own = open(&root.path().join("apart"));
                let its = own.here().unwrap().as_fd().as_raw_fd();
                if its >= number {
                    assert_eq!(its, number);
                    break own;
                }
                others.push(own);
            };
            assert_eq!((content(&of_process), content(&own)), (b"of the process".to_vec(), b"apart".to_vec()));
            // A copy is opened once.
            let copies = [(), ()].map(|()| of_process.here().unwrap().as_fd().as_raw_fd());
            assert_eq!(copies[0], copies[1]);
            assert_ne!(copies[0], number);
        });
        assert_eq!(content(&of_process), b"of the process");
    }

    #[test]
    fn a_file_is_reached_under_another_name_and_closed_where_it_was_opened() {
        let root = files(&["a", "b"]);
        let root = &root.path().canonicalize().unwrap();
        let (to_here, from_apart) = channel();
        let (to_apart, from_here) = channel::<()>();
        thread::scope(|scope| {
            scope.spawn(move || {
                own_table(COPIES_MAX);
                to_here.send(open(&root.join("a"))).unwrap();
                from_here.recv().unwrap();
                // The other thread has given it up; what is opened next closes it.
                assert_eq!(open_here(root), 1);
                let next = open(&root.join("b"));
                assert_eq!(open_here(root), 1);
                drop(next);
                assert_eq!(open_here(root), 0);
            });
            let file = from_apart.recv().unwrap();
            fs::rename(root.join("a"), root.join("renamed")).unwrap();
            fs::write(root.join("a"), "another").unwrap();
            assert_eq!(content(&file), b"a");
            let inode = rustix::fs::fstat(file.here().unwrap()).unwrap().st_ino;
            assert_eq!(inode, fs::metadata(root.join("renamed")).unwrap().ino());
            drop(file);
            to_apart.send(()).unwrap();
        });
    }

    /// As where the system has no memory for another table.
    #[test]
    fn a_thread_without_a_table_shares_that_of_the_thread_that_started_it() {
        let root = files(&["of the process", "apart"]);
        let root = &root.path().canonicalize().unwrap();
        let of_process = &open(&root.join("of the process"));
        let (to_here, from_apart) = channel();
        let (to_apart, from_here) = channel::<()>();
        thread::scope(|scope| {
            scope.spawn(move || {
                hold_apart(1);
                assert_eq!(content(of_process), b"of the process");
                let apart = root.join("apart");
                to_here.send(open(&apart)).unwrap();
                from_here.recv().unwrap();
                // The other thread has a copy, and has given up the file, which this closes.
                assert_eq!(open_here(&apart), 2);
                close_left();
                assert_eq!(open_here(&apart), 1);
            });
            let file = from_apart.recv().unwrap();
            assert_eq!(content(&file), b"apart");
            drop(file);
            to_apart.send(()).unwrap();
        });
        assert_eq!(content(of_process), b"of the process");
    }

    #[test]
    fn what_a_thread_leaves_to_the_process_is_closed() {
        let root = files(&["a"]);
        let root = &root.path().canonicalize().unwrap();
        let file = open(&root.join("a"));
        apart(move || drop(file));
        // Another test may have closed it already.
        close_left();
        assert_eq!(open_here(root), 0);
    }

    #[test]
    fn either_call_copies_the_table() {
        for unshare in [unshare_by_name, unshare_by_closing] {
            let root = files(&["before", "after"]);
            let root = &root.path().canonicalize().unwrap();
            let _before = File::open(root.join("before")).unwrap();
            thread::scope(|scope| {
                scope.spawn(|| {
                    unshare().unwrap();
                    assert_eq!(open_here(root), 1);
                    let _after = File::open(root.join("after")).unwrap();
                    assert_eq!(open_here(root), 2);
                    assert_eq!(open_in(listed_of_process(), root), 1);
                });
            });
        }
    }

    #[test]
    fn copies_are_few() {
        let root = files(&["a"]);
        let root = &root.path().canonicalize().unwrap();
        let all: Vec<_> = (0..3 * COPIES_MAX).map(|_| open(&root.join("a"))).collect();
        apart(|| {
            let before = open_here(root);
            for file in all.iter().chain(&all) {
                assert_eq!(content(file), b"a");
            }
            assert_eq!(open_here(root) - before, COPIES_MAX);
        });
    }

    #[test]
    fn another_file_is_refused() {
        let root = files(&["a"]);
        let file = open(&root.path().join("a"));
        let refused = apart(|| file.here_if(|_| Ok(false)).unwrap_err().kind());
        assert_eq!(refused, io::ErrorKind::NotFound);
    }

    #[test]
    fn a_stream_is_not_begun_anew() {
        let root = files(&["a"]);
        let stream = Descriptor::new(File::open(root.path().join("a")).unwrap().into(), None);
        apart(|| assert_eq!(stream.here().unwrap_err().kind(), io::ErrorKind::Unsupported));
        assert_eq!(content(&stream), b"a");
    }
}
