//! Where records come from: a run, or a thread that reads a list.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::Duration;

use pfh::engine::Counters;
use pfh::list::ReadError;
use pfh::{CancelToken, Report};
use pyo3::prelude::*;

use crate::errors;
use crate::record::Item;

/// Something of a list that cannot be read, or is not there.
pub(crate) enum Fault {
    Line(ReadError),
    /// The list has not all files of its run, as these words tell.
    End(&'static str),
}

impl Fault {
    /// `ListError`; `name` is that of the list.
    pub(crate) fn error(&self, py: Python<'_>, name: &[u8]) -> PyErr {
        match self {
            Fault::Line(error) => errors::of_line(py, name, error),
            Fault::End(missing) => errors::of_end(py, name, missing),
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::Line(error) => error.fmt(f),
            Fault::End(missing) => f.write_str(missing),
        }
    }
}

/// Entries of a list that are handed over together; a group without any is the end.
pub(crate) type Group = Vec<Result<Item, Fault>>;

pub(crate) enum Feed {
    Run(pfh::Records),
    List(ListFeed),
}

/// The next thing of a feed.
#[expect(clippy::large_enum_variant, reason = "items are moved on at once, and a box for each would cost time")]
pub(crate) enum Next {
    Item(Item),
    Broken(Box<Fault>),
    /// The thread ended without having told the end.
    Lost,
    End,
}

impl Feed {
    /// Waits until `next` returns at once, no longer than `timeout`; false if it does not.
    pub(crate) fn wait(&mut self, timeout: Duration) -> bool {
        match self {
            Feed::Run(records) => records.wait(timeout),
            Feed::List(list) => list.wait(timeout),
        }
    }

    pub(crate) fn next(&mut self) -> Next {
        match self {
            Feed::Run(records) => match records.next() {
                Some(record) => Next::Item(Item { record, part: None }),
                None => Next::End,
            },
            Feed::List(list) => list.next(),
        }
    }

    /// The report of a feed that has ended, or is to be stopped.
    pub(crate) fn finish(self) -> Option<Report> {
        match self {
            Feed::Run(records) => Some(records.finish()),
            Feed::List(_) => None,
        }
    }
}

/// The entries of a list, which a thread reads.
pub(crate) struct ListFeed {
    groups: Receiver<Group>,
    group: std::vec::IntoIter<Result<Item, Fault>>,
    end: Option<End>,
    pub(crate) cancel: CancelToken,
    pub(crate) counters: Arc<Counters>,
}

/// The state of the thread that reads a list.
#[derive(Clone, Copy)]
enum End {
    Told,
    Lost,
}

impl ListFeed {
    /// Takes the first group, and the others as they come.
    pub(crate) fn new(first: Group, groups: Receiver<Group>) -> ListFeed {
        let (cancel, counters) = (CancelToken::default(), Arc::default());
        ListFeed { groups, group: first.into_iter(), end: None, cancel, counters }
    }

    fn wait(&mut self, timeout: Duration) -> bool {
        if self.group.len() > 0 || self.end.is_some() || self.cancel.is_cancelled() {
            return true;
        }
        match self.groups.recv_timeout(timeout) {
            Ok(group) => self.take(group),
            Err(RecvTimeoutError::Disconnected) => self.end = Some(End::Lost),
            Err(RecvTimeoutError::Timeout) => return false,
        }
        true
    }

    fn take(&mut self, group: Group) {
        if group.is_empty() {
            self.end = Some(End::Told);
        }
        self.group = group.into_iter();
    }

    fn next(&mut self) -> Next {
        if self.cancel.is_cancelled() {
            return Next::End;
        }
        if self.group.len() == 0 && self.end.is_none() {
            match self.groups.recv() {
                Ok(group) => self.take(group),
                Err(_) => self.end = Some(End::Lost),
            }
        }
        match (self.group.next(), self.end) {
            (Some(Ok(item)), _) => {
                self.counters.files.fetch_add(1, Ordering::Relaxed);
                let is_failure = item.record.outcome.is_failure();
                self.counters.failed.fetch_add(u64::from(is_failure), Ordering::Relaxed);
                Next::Item(item)
            }
            (Some(Err(fault)), _) => Next::Broken(Box::new(fault)),
            (None, Some(End::Lost)) => Next::Lost,
            (None, _) => Next::End,
        }
    }
}
