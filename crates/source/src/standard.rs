//! The standard descriptors that were closed when the program was started.
//!
//! Before `main`, Rust's runtime opens `/dev/null` in place of closed ones, so that no file takes their numbers. From
//! then on a closed descriptor looks like one that the user redirected to `/dev/null`, also by its flags (other
//! runtimes open it for reading and writing for their children). So the check runs earlier: the loader calls it with
//! the initialisers of the program.
#![allow(unsafe_code, reason = "an entry in the table of initialisers; it argues for itself")]

use rustix::io::{Errno, fcntl_getfd};
use std::os::fd::AsFd;
use std::sync::atomic::{AtomicBool, Ordering};

static STDIN_CLOSED: AtomicBool = AtomicBool::new(false);
static STDOUT_CLOSED: AtomicBool = AtomicBool::new(false);

// SAFETY: the section holds addresses of functions of this type. This one allocates nothing, starts nothing and makes
// two system calls, so it needs nothing that is set up later.
#[used]
#[unsafe(link_section = ".init_array")]
static LOOK: extern "C" fn() = look;

extern "C" fn look() {
    let is_closed = |descriptor: std::os::fd::BorrowedFd<'_>| fcntl_getfd(descriptor) == Err(Errno::BADF);
    STDIN_CLOSED.store(is_closed(rustix::stdio::stdin().as_fd()), Ordering::Relaxed);
    STDOUT_CLOSED.store(is_closed(rustix::stdio::stdout().as_fd()), Ordering::Relaxed);
}

/// Whether the program was started without standard input.
pub fn stdin_was_closed() -> bool {
    STDIN_CLOSED.load(Ordering::Relaxed)
}

/// Whether the program was started without standard output.
pub fn stdout_was_closed() -> bool {
    STDOUT_CLOSED.load(Ordering::Relaxed)
}
