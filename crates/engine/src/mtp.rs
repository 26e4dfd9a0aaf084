//! Multi-threaded prefetching, as published: prefetchers only read into the memory table, the other threads only hash.
//!
//! Beyond the publication, a file larger than the table flows through it, several small files share a slot, and a
//! prefetcher with nothing left to read becomes a hasher.

use crate::chain::Feeding;
use crate::context::{Context, Worker};
use crate::prefetcher::{AtWork, Prefetcher, Rules};
use crate::queue::{Next, Preference, Taker};
use crate::reading::Opened;
use crate::threads;
use pfh_source::Source;
use std::io;
use std::thread::{Builder, Scope};
use std::time::Duration;

/// Starts the threads of a run, or fails at the first one that the system refuses.
pub(crate) fn start<'scope, 'env, 'r: 'scope, 'm: 'scope, S: Source>(
    scope: &'scope Scope<'scope, 'env>,
    context: &'scope Context<'r, 'm, S>,
    readers: usize,
    hashers: usize,
) -> io::Result<()> {
    for _ in 0..readers {
        let at_work = AtWork::begin(&context.queue);
        Builder::new().spawn_scoped(scope, move || {
            context.worker_thread(|context| {
                let mut worker = Worker::reading(context);
                Prefetcher::default().work(&mut worker, &mut Published);
                worker.flush();
                drop(at_work);
                worker.only_reads = false;
                hash(&mut worker);
            });
        })?;
    }
    threads::start(scope, hashers, || context.worker_thread(|context| hash(&mut Worker::new(context))))
}

fn hash<S: Source>(worker: &mut Worker<'_, '_, '_, S>) {
    let context = worker.context;
    loop {
        worker.flush();
        match context.queue.next(Taker::Nobody, Preference::Next, context.clock, &mut worker.timers.wait_file) {
            Next::Hash(ready) => ready.run(worker),
            Next::Read(_) | Next::Adopt(_) | Next::End => break,
        }
    }
}

/// The published rule: a prefetcher reads whatever there is.
struct Published;

impl<'r, 'm, S: Source> Rules<'r, 'm, S> for Published {
    fn taker(&self) -> Taker {
        Taker::Anyone
    }

    fn goes_on(&mut self) -> bool {
        true
    }

    fn prefetch(
        &mut self,
        prefetcher: &mut Prefetcher<'r, 'm>,
        worker: &mut Worker<'_, 'r, 'm, S>,
        opened: Opened<S>,
        _: Duration,
    ) {
        prefetcher.prefetch(worker, opened, usize::MAX, Feeding::ReadOnly, |_, _| ());
    }

    fn left(&mut self) {}
}
