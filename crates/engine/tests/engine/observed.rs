//! A source that observes the calls to another source.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use pfh_source::{CachedRead, Entry, FileError, Found, LookAhead, Proof, Source, SourceFile, Stamp};

/// Called with the number of each call, from 1, before the call is passed on.
type Hook = Box<dyn Fn(u64) + Send + Sync>;

/// Passes all calls on to `inner`, and counts them.
pub(crate) struct Observed<S> {
    pub(crate) inner: S,
    account: Arc<Account>,
}

#[derive(Default)]
struct Account {
    hook: Option<Hook>,
    calls: AtomicU64,
    walked: AtomicU64,
    buffer_bytes_max: AtomicUsize,
    errors: Mutex<Vec<Failed>>,
    announced: AtomicU64,
    announced_max: AtomicU64,
    announced_sum: AtomicU64,
}

/// A call that failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Failed {
    pub(crate) path: Vec<u8>,
    /// The first byte that the caller lacks because of it; `None` if the call was about a path, not an open file.
    pub(crate) offset: Option<u64>,
    pub(crate) errno: Option<i32>,
}

impl<S: Source> Observed<S> {
    pub(crate) fn new(inner: S) -> Observed<S> {
        Observed { inner, account: Arc::default() }
    }

    /// Calls `hook` at every `open`, `stamp` and `read_at`.
    pub(crate) fn with_hook(inner: S, hook: impl Fn(u64) + Send + Sync + 'static) -> Observed<S> {
        let account = Account { hook: Some(Box::new(hook)), ..Account::default() };
        Observed { inner, account: Arc::new(account) }
    }

    /// Number of calls so far.
    pub(crate) fn calls(&self) -> u64 {
        self.account.calls.load(Ordering::SeqCst)
    }

    /// Number of entries that the walk has listed.
    pub(crate) fn walked(&self) -> u64 {
        self.account.walked.load(Ordering::SeqCst)
    }

    /// Length of the longest buffer of a read.
    pub(crate) fn buffer_bytes_max(&self) -> usize {
        self.account.buffer_bytes_max.load(Ordering::SeqCst)
    }

    /// Calls that failed permanently, in their order.
    pub(crate) fn errors(&self) -> Vec<Failed> {
        self.account.errors.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Most bytes announced at one time for open files.
    pub(crate) fn announced_max(&self) -> u64 {
        self.account.announced_max.load(Ordering::SeqCst)
    }

    /// Total of the announced bytes.
    pub(crate) fn announced_sum(&self) -> u64 {
        self.account.announced_sum.load(Ordering::SeqCst)
    }
}

impl Account {
    fn call(&self) {
        let call = self.calls.fetch_add(1, Ordering::SeqCst) + 1;
        if let Some(hook) = &self.hook {
            hook(call);
        }
    }

    /// Notes an error.
    fn note<T>(&self, path: &[u8], offset: Option<u64>, result: Result<T, FileError>) -> Result<T, FileError> {
        result.inspect_err(|error| {
            let failed = Failed { path: path.to_vec(), offset, errno: error.errno };
            self.errors.lock().unwrap_or_else(PoisonError::into_inner).push(failed);
        })
    }
}

impl<S: Source> Source for Observed<S> {
    type Handle = S::Handle;
    type File = ObservedFile<S::File>;

    fn walk(&self, visit: &mut dyn FnMut(Found<S::Handle>) -> bool) {
        self.inner.walk(&mut |found| {
            self.account.walked.fetch_add(1, Ordering::SeqCst);
            visit(found)
        });
    }

    fn open(&self, entry: &Entry<S::Handle>) -> Result<Self::File, FileError> {
        self.account.call();
        let path = entry.path();
        let inner = self.account.note(&path, Some(0), self.inner.open(entry))?;
        let (read, announced) = (AtomicU64::new(0), AtomicU64::new(0));
        Ok(ObservedFile { inner, path, account: Arc::clone(&self.account), read, announced })
    }

    fn stamp(&self, entry: &Entry<S::Handle>) -> Result<Stamp, FileError> {
        self.account.call();
        self.account.note(&entry.path(), None, self.inner.stamp(entry))
    }

    fn physical_position(&self, entry: &Entry<S::Handle>) -> Option<u64> {
        self.inner.physical_position(entry)
    }

    fn look_ahead(&self) -> LookAhead {
        self.inner.look_ahead()
    }
}

/// An open file of an [`Observed`] source.
pub(crate) struct ObservedFile<F> {
    inner: F,
    path: Vec<u8>,
    account: Arc<Account>,
    /// End offset of the bytes read.
    read: AtomicU64,
    announced: AtomicU64,
}

impl<F: SourceFile> SourceFile for ObservedFile<F> {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> Result<usize, FileError> {
        self.account.call();
        self.account.buffer_bytes_max.fetch_max(buffer.len(), Ordering::SeqCst);
        let length = self.account.note(&self.path, Some(offset), self.inner.read_at(buffer, offset))?;
        self.read.fetch_max(offset + length as u64, Ordering::SeqCst);
        Ok(length)
    }

    fn tells_cached(&self) -> bool {
        self.inner.tells_cached()
    }

    fn read_cached(&self, buffer: &mut [u8], offset: u64) -> CachedRead {
        self.inner.read_cached(buffer, offset)
    }

    fn proof(&self) -> Proof {
        self.inner.proof()
    }

    fn stamp(&self) -> Result<Stamp, FileError> {
        self.account.call();
        let read = self.read.load(Ordering::SeqCst);
        self.account.note(&self.path, Some(read), self.inner.stamp())
    }

    fn announce(&self, offset: u64, length: u64) {
        self.announced.fetch_add(length, Ordering::SeqCst);
        let announced = self.account.announced.fetch_add(length, Ordering::SeqCst) + length;
        self.account.announced_max.fetch_max(announced, Ordering::SeqCst);
        self.account.announced_sum.fetch_add(length, Ordering::SeqCst);
        self.inner.announce(offset, length);
    }

    fn release(&self, offset: u64) {
        self.inner.release(offset);
    }
}

impl<F> Drop for ObservedFile<F> {
    fn drop(&mut self) {
        self.account.announced.fetch_sub(self.announced.load(Ordering::SeqCst), Ordering::SeqCst);
    }
}
