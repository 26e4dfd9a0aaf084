//! Asking for the size of each file on several threads, for walks that want to know them.
//!
//! The walk goes ahead without sizes and collects what it finds in groups. Helpers ask for the sizes of the files of a
//! group, and the walk visits the groups in their order. It takes what no helper has begun. While a helper works on the
//! next group, the walk works on others, and waits only if there is none. If a helper leaves an entry alone, the walk
//! asks for its size itself.

use std::collections::VecDeque;
use std::io;
use std::os::fd::{AsFd as _, BorrowedFd};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use pfh_record::FileIdentity;
use rustix::fs::{AtFlags, statat};
use rustix::io::retry_on_intr;

use crate::device::Medium;
use crate::directory::LocalHandle;
use crate::options::FileList;
use crate::source::{Entry, Found};
use crate::walk::{LocalFound, Scope, Walk};

/// Number of findings in a group.
const GROUP: usize = 256;

/// Most groups that wait. Each finding has a path and a directory.
const GROUPS_MAX: usize = 8;

/// Most helpers: the walk itself has no more work for them.
const HELPERS_MAX: usize = 3;

/// Findings that follow each other.
type Group = Vec<LocalFound>;

/// Walks, and visits every regular file with its size.
pub(crate) fn walk(
    scope: &Scope,
    list: Option<FileList>,
    goes_on: &dyn Fn() -> bool,
    visit: &mut dyn FnMut(LocalFound) -> bool,
) {
    let helpers = thread::available_parallelism().map_or(0, |cores| cores.get() - 1).min(HELPERS_MAX);
    walk_with(scope, list, helpers, goes_on, visit);
}

fn walk_with(
    scope: &Scope,
    list: Option<FileList>,
    helpers: usize,
    goes_on: &dyn Fn() -> bool,
    visit: &mut dyn FnMut(LocalFound) -> bool,
) {
    if helpers == 0 {
        return Walk::new(scope, true, goes_on, visit).run(list);
    }
    let shared = Shared::default();
    thread::scope(|threads| {
        let mut sized = Sized { shared: &shared, group: Group::new(), visit, has_stopped: false };
        let mut started = 0;
        let _end = End(&shared);
        Walk::new(scope, false, goes_on, &mut |found| {
            let is_pause = matches!(found, Found::Pause);
            sized.group.push(found);
            if is_pause {
                return sized.visit_all();
            }
            if sized.group.len() < GROUP {
                return true;
            }
            // With fewer helpers, or none, the walk is slower, but its result is the same.
            while started < helpers {
                started += 1;
                let _ = thread::Builder::new().name("walk sizes".to_owned()).spawn_scoped(threads, || shared.help());
            }
            sized.hand_over();
            sized.visit_down_to(GROUPS_MAX - 1)
        })
        .run(list);
        if !sized.has_stopped {
            sized.visit_all();
        }
    });
}

/// Whether the size of an entry is still to be asked for. Those of arguments were, as far as they have one.
fn lacks_size(entry: &Entry<LocalHandle>) -> bool {
    entry.size_hint.is_none() && !entry.handle.directory().holds_arguments()
}

/// Asks for size and identity of a file in a directory that is open.
fn ask(entry: &mut Entry<LocalHandle>, directory: BorrowedFd<'_>) -> io::Result<()> {
    let stat = retry_on_intr(|| statat(directory, entry.handle.name(), AtFlags::SYMLINK_NOFOLLOW))?;
    entry.size_hint = Some(stat.st_size as u64);
    entry.identity_hint = Some(FileIdentity::new(stat.st_dev, stat.st_ino));
    Ok(())
}

/// The side of the walk.
struct Sized<'a> {
    shared: &'a Shared,
    /// The group that is being collected.
    group: Group,
    visit: &'a mut dyn FnMut(LocalFound) -> bool,
    /// Whether the visitor has ended the walk.
    has_stopped: bool,
}

impl Sized<'_> {
    /// Gives the collected group to the helpers.
    fn hand_over(&mut self) {
        let group = std::mem::replace(&mut self.group, Group::with_capacity(GROUP));
        self.shared.lock().places.push_back(Place::Waiting(group));
        self.shared.wake.notify_one();
    }

    /// Visits everything that was found so far. Returns whether the walk goes on.
    fn visit_all(&mut self) -> bool {
        let group = std::mem::take(&mut self.group);
        self.visit_down_to(0) && self.visit_group(group)
    }

    /// Visits groups until no more than `left` wait. Returns whether the walk goes on.
    fn visit_down_to(&mut self, left: usize) -> bool {
        while let Some(group) = self.shared.take_above(left) {
            if !self.visit_group(group) {
                return false;
            }
        }
        true
    }

    fn visit_group(&mut self, group: Group) -> bool {
        let goes_on = group.into_iter().all(|mut found| {
            if let Found::Entry(entry) = &mut found
                && lacks_size(entry)
            {
                let directory = Arc::clone(entry.handle.directory());
                let asked = directory.descriptor().and_then(|descriptor| ask(entry, descriptor.as_fd()));
                if let Err(error) = asked {
                    found = Found::Failed(entry.path(), error.into());
                }
            }
            (self.visit)(found)
        });
        self.has_stopped = !goes_on;
        goes_on
    }
}

/// The groups that were handed over and not yet visited.
#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    /// Notified when there is a group for a helper, and at the end.
    wake: Condvar,
    /// Notified when a helper has finished a group.
    finished: Condvar,
}

#[derive(Default)]
struct State {
    places: VecDeque<Place>,
    /// The number of the first place.
    first: u64,
    has_ended: bool,
}

enum Place {
    Waiting(Group),
    Running,
    Done(Group),
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes the first group if there are more than `left`. While a helper works on it, works on others.
    fn take_above(&self, left: usize) -> Option<Group> {
        let mut state = self.lock();
        loop {
            if state.places.len() <= left {
                return None;
            }
            match state.places.pop_front()? {
                Place::Waiting(group) | Place::Done(group) => {
                    state.first += 1;
                    return Some(group);
                }
                Place::Running => {
                    state.places.push_front(Place::Running);
                    state = self.work_or_wait(state, &self.finished);
                }
            }
        }
    }

    /// Works on groups until the end.
    fn help(&self) {
        let mut state = self.lock();
        while !state.has_ended {
            state = self.work_or_wait(state, &self.wake);
        }
    }

    /// Works on the first group that waits. If there is none, waits for `change`.
    fn work_or_wait<'s>(&'s self, mut state: MutexGuard<'s, State>, change: &Condvar) -> MutexGuard<'s, State> {
        let first = state.first;
        let waiting = state.places.iter_mut().zip(first..).find_map(|(place, number)| match place {
            Place::Waiting(group) => {
                let group = std::mem::take(group);
                *place = Place::Running;
                Some((number, group))
            }
            _ => None,
        });
        let Some((number, group)) = waiting else { return change.wait(state).unwrap_or_else(PoisonError::into_inner) };
        drop(state);
        Running { shared: self, number, group }.ask();
        self.lock()
    }
}

/// A group that a helper works on. It becomes done however the work ends, so the walk never waits for ever.
struct Running<'a> {
    shared: &'a Shared,
    number: u64,
    group: Group,
}

impl Running<'_> {
    fn ask(mut self) {
        for found in &mut self.group {
            let Found::Entry(entry) = found else { continue };
            let directory = Arc::clone(entry.handle.directory());
            // The walk may open directories again, which the limit on open files allows it alone. The head of a disk
            // would move between the groups.
            if lacks_size(entry)
                && directory.device().medium != Medium::Rotating
                && let Some(Ok(descriptor)) = directory.kept()
            {
                // The walk meets the same error, and reports it.
                let _ = ask(entry, descriptor.as_fd());
            }
        }
    }
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        let mut state = self.shared.lock();
        let place = (self.number - state.first) as usize;
        if let Some(place) = state.places.get_mut(place) {
            *place = Place::Done(std::mem::take(&mut self.group));
        }
        drop(state);
        self.shared.finished.notify_all();
    }
}

/// Ends the helpers, however the walk ends.
struct End<'a>(&'a Shared);

impl Drop for End<'_> {
    fn drop(&mut self) {
        self.0.lock().has_ended = true;
        self.0.wake.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::ffi::OsStrExt;

    use super::*;
    use crate::local::LocalSource;
    use crate::options::WalkOptions;

    /// Number of files, which is that of many groups in places and of a part of one.
    const FILES: usize = 2 * GROUP * GROUPS_MAX + 100;

    fn tree() -> tempfile::TempDir {
        let root = tempfile::tempdir().unwrap();
        for number in 0..FILES {
            let directory = root.path().join(format!("{:02}", number / 100));
            fs::create_dir_all(&directory).unwrap();
            fs::write(directory.join(format!("{number:05}")), &[0; 64][..number % 64]).unwrap();
        }
        fs::create_dir(root.path().join("05/empty")).unwrap();
        root
    }

    fn source(root: &tempfile::TempDir, open_directories_max: usize) -> LocalSource {
        let roots = vec![root.path().as_os_str().as_bytes().to_vec()];
        let open_directories_max = Some(open_directories_max);
        LocalSource::new(WalkOptions { roots, want_others: true, open_directories_max, ..WalkOptions::default() })
            .unwrap()
    }

    /// Returns what a walk finds, until `visit` returns false.
    fn found(source: &LocalSource, helpers: usize, mut visit: impl FnMut(usize) -> bool) -> Vec<String> {
        let mut all = Vec::new();
        walk_with(&source.scope, None, helpers, &|| true, &mut |found| {
            all.push(match found {
                Found::Entry(entry) => {
                    let path = String::from_utf8(entry.path()).unwrap();
                    format!("{path} {:?} {:?}", entry.size_hint, entry.identity_hint)
                }
                found => format!("{found:?}"),
            });
            visit(all.len())
        });
        all
    }

    #[test]
    fn helpers_change_nothing() {
        let root = tree();
        let alone = found(&source(&root, 100), 0, |_| true);
        assert_eq!(alone.len(), FILES + 1);
        assert!(
            alone[..70].iter().enumerate().all(|(number, line)| line.contains(&format!(" Some({}) ", number % 64)))
        );
        for (helpers, open_directories_max) in [(1, 100), (3, 100), (3, 0)] {
            assert!(found(&source(&root, open_directories_max), helpers, |_| true) == alone, "{helpers} helpers");
        }
    }

    #[test]
    fn the_visitor_ends_the_walk_at_any_place() {
        let root = tree();
        for last in [1, GROUP, GROUP + 1, FILES] {
            assert_eq!(found(&source(&root, 100), 3, |count| count < last).len(), last);
        }
    }

    #[test]
    fn a_file_that_is_gone_is_a_failure_in_its_place() {
        let root = tempfile::tempdir().unwrap();
        for number in 0..FILES {
            fs::write(root.path().join(format!("{number:05}")), "").unwrap();
        }
        // At the first visit the directory was listed, and the last groups were not handed over.
        let gone = root.path().join(format!("{:05}", FILES - 2));
        let all = found(&source(&root, 100), 3, |count| {
            if count == 1 {
                fs::remove_file(&gone).unwrap();
            }
            true
        });
        assert_eq!(all.len(), FILES);
        let failed = |line: &String| line.starts_with("Failed");
        assert_eq!((all.iter().position(failed), all.iter().rposition(failed)), (Some(FILES - 2), Some(FILES - 2)));
    }
}
