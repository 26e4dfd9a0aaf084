//! Listing directories ahead of the walk if each listing means a wait: on cold disks and network filesystems.
//!
//! The walk goes from directory to directory and waits for each. If that turns out slow, helper threads list the next
//! directories of the same level meanwhile, and the walk takes their listings when it gets there. Only the walk decides
//! the order, so the output does not depend on helpers. In cached trees nothing is slow, and helpers start only where
//! many threads read small directories faster than the walk finds them.
//!
//! A [`Slot`] is *waiting* until a helper takes it (*running*) and finishes it (*done*). The walk takes the listing of
//! a done slot, waits for a running one, and lists a waiting one itself. If a helper fails in any way, the slot has no
//! listing; the walk then meets the same error and reports it.

use std::collections::VecDeque;
use std::ops::Range;
use std::os::fd::{AsFd, OwnedFd};
use std::sync::atomic::{AtomicI32, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use rustix::fs::fstat;

use crate::directory::{self, Directory, Identity, Names};
use crate::limits::listed_ahead;
use crate::listing::{Buffers, Listing};

/// Number of helpers. With network round trips of half a millisecond, 16 at once list 32,000 directories in a second
/// instead of 2,000.
pub(crate) const WINDOW: usize = 16;

/// Most slots at a time, whatever the limit on open files.
const SLOTS_MAX: usize = 256;

/// Most names of one directory that a slot holds. 256 slots of 4,096 names of 32 + 20 bytes are 55 MB at worst.
const NAMES_MAX: usize = 4096;

/// Largest age of a listing that is used: the walk may have spent hours in an earlier directory.
const AGE_MAX: Duration = Duration::from_secs(1);

/// Opening and listing a directory is slow if it takes longer than this …
const SLOW: Duration = Duration::from_micros(100);
/// … plus this for each name: ten times the time for a cached one.
const SLOW_PER_NAME: Duration = Duration::from_micros(2);

/// Weight of a slow listing; a fast one counts 1 against it. One slow listing in ten keeps the helpers working.
const SLOW_WEIGHT: i32 = 8;
/// Slowness at which the helpers start: four slow listings in a row.
const START: i32 = 4 * SLOW_WEIGHT;

/// Threads that read from which on the walk does not keep up with them in cached trees of small directories …
const READERS_MIN: usize = 8;
/// … which have no more names than this on average. Sixteen threads took 0.8 of the time with the helpers where
/// directories had ten files, and longer than without where they had a hundred.
const FEW_NAMES: usize = 32;
/// Helpers where no listing is slow.
const CACHED_HELPERS: usize = 2;
/// Listings over which the mean number of names goes, about.
const MEAN_LISTINGS: usize = 16;

/// The helpers of one walk. They end with it.
#[derive(Debug)]
pub(crate) struct Ahead {
    shared: Arc<Shared>,
    helpers: Vec<JoinHandle<()>>,
    /// Most slots, since they hold descriptors and names.
    slots_max: usize,
    /// [`START`], unless a test wants helpers from the beginning on.
    start: i32,
    /// Whether many threads read what the walk finds.
    has_many_readers: bool,
}

#[derive(Debug, Default)]
struct Shared {
    queue: Mutex<Queue>,
    wake: Condvar,
    /// Measure of how slow recent listings were, from 0 to twice [`START`].
    slowness: AtomicI32,
    /// The mean number of names of recent listings, times [`MEAN_LISTINGS`].
    names: AtomicUsize,
}

#[derive(Debug, Default)]
struct Queue {
    /// The slot that is served first is at the back.
    waiting: VecDeque<Arc<Slot>>,
    done: bool,
}

/// A directory to be listed ahead.
#[derive(Debug)]
pub(crate) struct Slot {
    /// The names of which its own is one.
    names: Arc<Names>,
    place: Range<usize>,
    state: Mutex<State>,
    finished: Condvar,
}

#[derive(Debug)]
enum State {
    Waiting,
    Running,
    Done(Option<Listed>),
}

/// An opened directory and the names in it.
#[derive(Debug)]
pub(crate) struct Listed {
    pub(crate) descriptor: OwnedFd,
    pub(crate) identity: Identity,
    pub(crate) listing: Listing,
    at: Instant,
}

impl Ahead {
    /// Makes the helpers' state; `kept_directories` is the number of directories that the walk may keep open.
    pub(crate) fn new(kept_directories: usize, reading_threads: Option<usize>) -> Self {
        let slots_max = listed_ahead(kept_directories, WINDOW, 2 * WINDOW).min(SLOTS_MAX);
        let has_many_readers = reading_threads.is_some_and(|threads| threads >= READERS_MIN);
        Self { shared: Arc::default(), helpers: Vec::new(), slots_max, start: START, has_many_readers }
    }

    /// Like `new`, with helpers from the first directory on.
    #[cfg(test)]
    pub(crate) fn eager(slots_max: usize) -> Self {
        Self { shared: Arc::default(), helpers: Vec::new(), slots_max, start: 0, has_many_readers: false }
    }

    /// Returns the number of slots that the caller may hold.
    pub(crate) fn slots_max(&self) -> usize {
        self.slots_max
    }

    /// Whether listing ahead would save time.
    pub(crate) fn is_useful(&self) -> bool {
        let lags = self.has_many_readers && self.shared.mean_names() <= FEW_NAMES;
        self.slots_max > 0 && (self.is_slow() || lags)
    }

    fn is_slow(&self) -> bool {
        self.shared.slowness.load(Ordering::Relaxed) >= self.start
    }

    /// Takes the time that opening and listing a directory with this number of names took.
    pub(crate) fn took(&self, time: Duration, names: usize) {
        self.shared.took(time, names);
    }

    /// Returns how many slots the walk lets get used up before it queues further ones. Where a listing is a wait, no
    /// helper may be without work; otherwise waking a helper takes longer than a listing.
    pub(crate) fn used_up(&self) -> usize {
        if self.is_slow() { 1 } else { WINDOW / 2 }
    }

    /// Queues directories for listing, in the order in which the walk needs them. Later calls are served first.
    pub(crate) fn list(&mut self, names: &Arc<Names>, places: Vec<Range<usize>>) -> Vec<Arc<Slot>> {
        if places.is_empty() {
            return Vec::new();
        }
        let helpers_max = if self.is_slow() { WINDOW } else { CACHED_HELPERS };
        while self.helpers.len() < helpers_max {
            let shared = Arc::clone(&self.shared);
            let helper = std::thread::Builder::new().name("walk ahead".to_owned()).spawn(move || shared.help());
            // With fewer helpers, or none, the walk is slower, but its result is the same.
            let Ok(helper) = helper else { break };
            self.helpers.push(helper);
        }
        let slots: Vec<_> = places.into_iter().map(|place| Arc::new(Slot::new(names, place))).collect();
        let mut queue = lock(&self.shared.queue);
        if self.is_slow() {
            queue.waiting.extend(slots.iter().rev().cloned());
        } else {
            // Helpers begin at the far end: the walk, which lists the near ones itself, would have to wait for a helper
            // that is just ahead.
            queue.waiting.extend(slots.iter().cloned());
        }
        let surplus = queue.waiting.len().saturating_sub(self.slots_max);
        queue.waiting.drain(..surplus);
        drop(queue);
        match slots.len() {
            1 => self.shared.wake.notify_one(),
            _ => self.shared.wake.notify_all(),
        }
        slots
    }
}

impl Drop for Ahead {
    fn drop(&mut self) {
        let mut queue = lock(&self.shared.queue);
        queue.done = true;
        queue.waiting.clear();
        drop(queue);
        self.shared.wake.notify_all();
        for helper in self.helpers.drain(..) {
            // A helper that panicked only left work to the walk.
            let _ = helper.join();
        }
    }
}

impl Shared {
    fn took(&self, time: Duration, names: usize) {
        let slow = time > SLOW + SLOW_PER_NAME * u32::try_from(names).unwrap_or(u32::MAX);
        let change = if slow { SLOW_WEIGHT } else { -1 };
        // Losing an update of another thread here does not matter: it is an estimate.
        let slowness = self.slowness.load(Ordering::Relaxed) + change;
        self.slowness.store(slowness.clamp(0, 2 * START), Ordering::Relaxed);
        let sum = self.names.load(Ordering::Relaxed);
        self.names.store(sum - sum / MEAN_LISTINGS + names.min(NAMES_MAX), Ordering::Relaxed);
    }

    fn mean_names(&self) -> usize {
        self.names.load(Ordering::Relaxed) / MEAN_LISTINGS
    }

    /// Serves slots until the walk is done.
    fn help(&self) {
        let mut buffers = Buffers::new();
        let mut queue = lock(&self.queue);
        while !queue.done {
            let Some(slot) = queue.waiting.pop_back() else {
                queue = self.wake.wait(queue).unwrap_or_else(PoisonError::into_inner);
                continue;
            };
            drop(queue);
            if let Some(running) = slot.start() {
                let start = Instant::now();
                let listed = list(&slot.names.directory, slot.name(), &mut buffers);
                if let Some(listed) = &listed {
                    self.took(start.elapsed(), listed.listing.len());
                }
                running.finish(listed);
            }
            queue = lock(&self.queue);
        }
    }
}

impl Slot {
    fn new(names: &Arc<Names>, place: Range<usize>) -> Slot {
        Slot { names: Arc::clone(names), place, state: Mutex::new(State::Waiting), finished: Condvar::new() }
    }

    fn name(&self) -> &[u8] {
        &self.names.bytes[self.place.clone()]
    }

    /// Takes the listing if a helper has made one, waiting for a running helper. Otherwise the caller must list the
    /// directory.
    pub(crate) fn take(&self) -> Option<Listed> {
        let mut state = lock(&self.state);
        while matches!(*state, State::Running) {
            state = self.finished.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        match std::mem::replace(&mut *state, State::Done(None)) {
            State::Done(listed) => listed.filter(|listed| listed.at.elapsed() < AGE_MAX),
            State::Waiting | State::Running => None,
        }
    }

    fn start(&self) -> Option<Running<'_>> {
        let mut state = lock(&self.state);
        match std::mem::replace(&mut *state, State::Running) {
            State::Waiting => Some(Running(self)),
            other => {
                *state = other;
                None
            }
        }
    }
}

/// A slot that a helper works on. It becomes done however the work ends, so the walk never waits for ever.
struct Running<'a>(&'a Slot);

impl Running<'_> {
    fn finish(self, listed: Option<Listed>) {
        *lock(&self.0.state) = State::Done(listed);
    }
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        let mut state = lock(&self.0.state);
        if matches!(*state, State::Running) {
            *state = State::Done(None);
        }
        drop(state);
        self.0.finished.notify_all();
    }
}

/// Lists a directory, or returns `None` in any unusual case, which is left to the walk.
fn list(parent: &Directory, name: &[u8], buffers: &mut Buffers) -> Option<Listed> {
    let holder = parent.descriptor().ok()?;
    let descriptor = directory::open(holder.as_fd(), name, false).ok()?;
    let identity = Identity::of(&fstat(&descriptor).ok()?);
    // A filesystem mounted here may be a kernel filesystem, or one that the user excluded.
    if parent.identity()?.device != identity.device {
        return None;
    }
    let (listing, outcome) = Listing::read(descriptor.as_fd(), buffers, NAMES_MAX);
    outcome.ok()?;
    Some(Listed { descriptor, identity, listing, at: Instant::now() })
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::os::unix::ffi::OsStrExt;

    use super::*;
    use crate::device::{Device, Filesystem, Medium};
    use crate::directory::Opened;
    use crate::limits::Budget;

    /// Returns a slot whose directory holds one name.
    fn slot() -> (tempfile::TempDir, Slot) {
        let root = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(root.path().join("d/name")).unwrap();
        let path = root.path().as_os_str().as_bytes();
        let descriptor = directory::open(rustix::fs::CWD, path, true).unwrap();
        let identity = Identity::of(&fstat(&descriptor).unwrap());
        let device =
            Device { number: identity.device, medium: Medium::SolidState, name: String::new(), local_times: true };
        let opened = Opened { descriptor, identity, filesystem: Arc::new(Filesystem::plain(Arc::new(device))) };
        let (parent, _) = Directory::argument(path, opened, &Budget::new(9));
        let names = Arc::new(Names { directory: parent, bytes: b"d".to_vec(), spent: None });
        (root, Slot::new(&names, 0..1))
    }

    fn listed(slot: &Slot) -> Option<Listed> {
        let running = slot.start().unwrap();
        let listed = list(&slot.names.directory, slot.name(), &mut Buffers::new());
        running.finish(listed);
        slot.take()
    }

    #[test]
    fn a_listing_is_handed_over_once() {
        let (_root, slot) = slot();
        assert_eq!(listed(&slot).unwrap().listing.len(), 1);
        assert!(slot.take().is_none() && slot.start().is_none());
    }

    #[test]
    fn what_the_walk_takes_first_no_helper_begins() {
        let (_root, slot) = slot();
        assert!(slot.take().is_none());
        assert!(slot.start().is_none());
    }

    #[test]
    fn a_helper_that_fails_or_panics_leaves_nothing_and_nobody_waiting() {
        let (root, slot) = slot();
        std::fs::remove_dir_all(root.path().join("d")).unwrap();
        assert!(listed(&slot).is_none());
        let (_root, slot) = self::slot();
        std::thread::scope(|scope| {
            let helper = scope.spawn(|| {
                let _running = slot.start().unwrap();
                panic!("a helper that panics");
            });
            assert!(helper.join().is_err());
        });
        assert!(slot.take().is_none());
    }

    #[test]
    fn an_old_listing_is_not_used() {
        let (_root, slot) = slot();
        let running = slot.start().unwrap();
        let mut listed = list(&slot.names.directory, slot.name(), &mut Buffers::new()).unwrap();
        listed.at -= AGE_MAX;
        running.finish(Some(listed));
        assert!(slot.take().is_none());
    }

    #[test]
    fn slow_listings_start_the_helpers_and_fast_ones_stop_them() {
        let ahead = Ahead::new(1024, None);
        for _ in 0..3 {
            ahead.took(Duration::from_millis(1), 10);
        }
        assert!(!ahead.is_useful());
        ahead.took(Duration::from_millis(1), 10);
        assert!(ahead.is_useful());
        // A millisecond for 10,000 names is not slow.
        ahead.took(Duration::from_millis(1), 10_000);
        assert!(!ahead.is_useful());
        // Each listing holds a descriptor.
        let none = Ahead::new(100, Some(READERS_MIN));
        (0..10).for_each(|_| none.took(Duration::from_millis(1), 10));
        assert!(!none.is_useful());
    }

    #[test]
    fn many_readers_have_helpers_in_small_directories() {
        let (few, many) = (Ahead::new(1024, Some(READERS_MIN - 1)), Ahead::new(1024, Some(READERS_MIN)));
        for ahead in [&few, &many] {
            ahead.took(Duration::ZERO, 10);
        }
        assert!(!few.is_useful() && many.is_useful());
        (0..2 * MEAN_LISTINGS).for_each(|_| many.took(Duration::ZERO, 100));
        assert!(!many.is_useful());
        (0..4 * MEAN_LISTINGS).for_each(|_| many.took(Duration::ZERO, 10));
        assert!(many.is_useful());
    }
}
