//! Which contestants are there: each is made ready and started once, when somebody first asks.

use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use crate::builder::{self, NotReady};
use crate::catalogue::{Catalogue, Contestant};
use crate::process::Launch;
use crate::results::{self, FailureKind, Hello};
use crate::runner::Variant;
use crate::session::{Failed, Limits, Session};
use crate::truth;

/// A virtual machine, or Wine, makes its first start.
pub(crate) const START_LIMIT: Duration = Duration::from_secs(60);

/// A contestant, and whether it is there.
#[derive(Clone, Debug)]
pub struct Entrant<'a> {
    /// Which.
    pub contestant: Contestant<'a>,
    /// How it is started.
    pub launch: Launch,
    /// Not known before somebody has asked.
    state: Option<Result<Hello, String>>,
}

/// All contestants.
#[derive(Clone, Debug)]
pub struct Roster<'a> {
    entrants: Vec<Entrant<'a>>,
    /// Folders that were made ready, or why not.
    prepared: BTreeMap<String, Result<(), NotReady>>,
    catalogue: &'a Catalogue,
    memory_bytes: u64,
}

/// The user wants to stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cancelled;

impl<'a> Roster<'a> {
    /// All that the catalogue has, none started.
    #[must_use]
    pub fn new(catalogue: &'a Catalogue, memory_bytes: u64) -> Roster<'a> {
        let enter = |contestant: Contestant<'a>| Entrant {
            contestant,
            launch: contestant.launch(&catalogue.program),
            state: None,
        };
        let entrants = catalogue.contestants().into_iter().map(enter).collect();
        Roster { entrants, prepared: BTreeMap::new(), catalogue, memory_bytes }
    }

    /// Its entrants.
    #[must_use]
    pub fn entrants(&self) -> &[Entrant<'a>] {
        &self.entrants
    }

    /// Makes one ready and starts it, unless that was done before. `before_build` is called where something is built.
    ///
    /// # Errors
    /// When the user wants to stop.
    pub fn ask(
        &mut self,
        index: usize,
        cancel: &AtomicBool,
        before_build: impl FnOnce(&str),
    ) -> Result<&Result<Hello, String>, Cancelled> {
        if self.entrants[index].state.is_none() {
            let state = match self.make_ready(index, cancel, before_build) {
                Ok(()) => self.start(index, cancel)?,
                Err(NotReady::Cancelled) => return Err(Cancelled),
                Err(NotReady::Unavailable(reason)) => Err(self.with_advice(index, &reason)),
            };
            self.entrants[index].state = Some(state);
        }
        match &self.entrants[index].state {
            Some(state) => Ok(state),
            None => Err(Cancelled),
        }
    }

    fn make_ready(
        &mut self,
        index: usize,
        cancel: &AtomicBool,
        before_build: impl FnOnce(&str),
    ) -> Result<(), NotReady> {
        let Contestant { folder, variant, .. } = self.entrants[index].contestant;
        if !self.prepared.contains_key(&folder.name) {
            let result = builder::prepare(folder, &self.catalogue.program, cancel, || before_build(&folder.name));
            if result == Err(NotReady::Cancelled) {
                return result;
            }
            self.prepared.insert(folder.name.clone(), result);
        }
        self.prepared[&folder.name].clone()?;
        builder::check_requirements(folder, variant)
    }

    fn start(&self, index: usize, cancel: &AtomicBool) -> Result<Result<Hello, String>, Cancelled> {
        let limits = Limits { start: START_LIMIT, task: START_LIMIT, memory_bytes: self.memory_bytes };
        match Session::start(&self.entrants[index].launch, limits, cancel) {
            Ok(None) => Err(Cancelled),
            Ok(Some(session)) => {
                let mut hello = session.hello().clone();
                hello.stand_in |= self.entrants[index].contestant.variant.stand_in;
                // How it ends does not matter here: it does again after each visit.
                let _ = session.finish();
                Ok(Ok(hello))
            }
            // It is installed; how to install it would not help.
            Err(Failed { kind: FailureKind::Memory, message }) => Ok(Err(message)),
            Err(Failed { message, .. }) => Ok(Err(self.with_advice(index, &message))),
        }
    }

    fn with_advice(&self, index: usize, reason: &str) -> String {
        let definition = &self.entrants[index].contestant.folder.definition;
        let is_installed = definition.install.is_empty() && definition.fetch.is_empty() && definition.advice.is_empty();
        if is_installed || definition.foreign_system().is_some() {
            return reason.to_owned();
        }
        format!("{reason}; `pfh lab doctor --install {}` shows how to install it", definition.group)
    }
}

impl Entrant<'_> {
    /// The description that it gave of itself; none if it is unavailable, or was not asked.
    #[must_use]
    pub fn hello(&self) -> Option<&Hello> {
        self.state.as_ref()?.as_ref().ok()
    }

    /// Whose code it runs for an algorithm; none where it is not there.
    #[must_use]
    pub fn implementation(&self, algorithm: &str) -> Option<String> {
        let Variant { implementation, implementations, .. } = self.contestant.variant;
        let defined = implementations.get(algorithm).or(implementation.as_ref()).map(String::as_str);
        self.hello().map(|hello| truth::implementation(defined, hello))
    }

    /// As it is saved.
    #[must_use]
    pub fn to_entry(&self) -> results::Runner {
        results::Runner {
            runner: self.contestant.variant.id.clone(),
            profile: self.contestant.profile_id().to_owned(),
            label: self.contestant.label(),
            language: self.contestant.folder.definition.language.clone(),
            hello: self.hello().cloned(),
            unavailable: self.state.as_ref().and_then(|state| state.as_ref().err().cloned()),
        }
    }
}
