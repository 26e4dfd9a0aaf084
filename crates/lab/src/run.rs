//! An experiment from its definition to its results.
//!
//! The cells are measured in rounds. In each round the runners come in a shuffled order, each in a new process, and
//! each gets its cells in a shuffled order: what drifts (heat, other load) meets all of them alike, and what one
//! process happens to be given (addresses, decisions of its compiler) differs from round to round.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Instant, SystemTime};

use fastrand::Rng;

use crate::catalogue::{Catalogue, Contestant};
use crate::data::{self, Data};
use crate::environment::{self, Difference, MEMORY_PERCENT};
use crate::error::Error;
use crate::experiment::trials::{HERE, MODE};
use crate::experiment::{Definition, EVERY_DIGEST, Experiment, is_digest};
use crate::plan::{self, Planned, Selection};
use crate::programs::cells::{self, ProgramCell};
use crate::programs::{self, Measured, Places, Setting, Stage, Subject};
use crate::quantity::counted;
use crate::results::{self, Cell, Corpus, Cost, Entry, Failure, FailureKind, Header, Hello, Sample, Truth};
use crate::roster::{Cancelled, Entrant, Roster, START_LIMIT};
use crate::runner::{TODAY, Variant};
use crate::session::{Answers, Ended, Failed, Limits, Session};
use crate::store::Store;
use crate::truth::{self, Question, Vote};

/// Number of consecutive failures that cost its process after which a runner gets no further questions.
const BROKEN_MAX: u32 = 3;

/// Who is asked first for the right answers; then the others, by name.
const WITNESSES: [&str; 4] = ["c-openssl", "pfh", "pfh-lanes", "py-hashlib"];

/// The experiment to run, and its options.
#[derive(Clone, Debug)]
pub struct Options {
    /// The folder of the results.
    pub folder: PathBuf,
    /// Continue what is in the folder.
    pub resume: bool,
    /// Seed of the data and the order; none for one of the system's.
    pub seed: Option<u64>,
    /// Number of rounds in the place of the definition's, which those of its trials give way to as well.
    pub rounds: Option<u32>,
    /// The part of the experiment to run.
    pub selection: Selection,
    /// Resident bytes of a runner's processes together, at most.
    pub memory_bytes: u64,
    /// Tells why the program has no algorithm of a name; nothing for those that it has.
    pub unknown_algorithm: fn(&str) -> Option<String>,
    /// Tells why there is no simulated device of a name; nothing for those that there are.
    pub unknown_device: fn(&str) -> Option<String>,
    /// Version of the program, for the header.
    pub version: String,
    /// Devices and files of the user's, for whole programs.
    pub places: Places,
}

/// An event of a run.
#[derive(Debug)]
pub enum Event<'a> {
    /// A runner is built; that can take minutes.
    Building(&'a str),
    /// A contestant is there.
    Available {
        /// The variant.
        runner: &'a str,
        /// The profile.
        profile: &'a str,
        /// The description that it gave of itself.
        hello: &'a Hello,
    },
    /// A contestant is not there.
    Unavailable {
        /// The variant.
        runner: &'a str,
        /// The profile.
        profile: &'a str,
        /// Why.
        reason: &'a str,
    },
    /// Something that the user should know, and that changes nothing.
    Note(&'a str),
    /// The data is made, in this folder.
    MakingData(&'a Path),
    /// The number of known answers, and of all.
    Settled(usize, usize),
    /// A runner could not vouch for an answer.
    NoVote {
        /// The variant.
        runner: &'a str,
        /// Why.
        failed: &'a Failed,
    },
    /// A task begins.
    Task {
        /// Tasks that have ended.
        done: u64,
        /// All tasks.
        all: u64,
        /// The cell.
        cell: &'a Cell,
    },
    /// A task gave nothing.
    Failed(&'a Failure),
    /// A runner did not end as it should.
    BadEnd {
        /// The variant.
        runner: &'a str,
        /// The fault.
        message: &'a str,
    },
}

/// Who is told.
pub type Observer<'a> = &'a mut dyn FnMut(Event<'_>);

/// How a run ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Contestants that are there.
    pub available: usize,
    /// Contestants that are not.
    pub unavailable: usize,
    /// Samples saved by this run.
    pub samples: u64,
    /// Failures of this run, by kind.
    pub failures: BTreeMap<String, u64>,
    /// Failures of the runs that it continues, by kind.
    pub earlier_failures: BTreeMap<String, u64>,
    /// Lists on which whole programs disagree, with nobody to tell who is right.
    pub disagreements: u64,
    /// The user wanted to stop.
    pub cancelled: bool,
}

impl Summary {
    /// Failures that are somebody's fault, of this run and of those that it continues, and disagreements: not failures
    /// of runners that lack an algorithm, or lack a second opinion.
    #[must_use]
    pub fn faults(&self) -> u64 {
        faults(&self.failures) + self.earlier_faults() + self.disagreements
    }

    /// Those of the runs that it continues.
    #[must_use]
    pub fn earlier_faults(&self) -> u64 {
        faults(&self.earlier_failures)
    }
}

/// The number of failures that are somebody's fault.
fn faults(failures: &BTreeMap<String, u64>) -> u64 {
    let innocent = [FailureKind::NotOffered, FailureKind::Unverified].map(name);
    failures.iter().filter(|(kind, _)| !innocent.contains(kind)).map(|(_, count)| count).sum()
}

/// The name of a kind of failure, as it is saved.
#[must_use]
pub fn name(kind: FailureKind) -> String {
    serde_json::to_value(kind).ok().and_then(|value| value.as_str().map(str::to_owned)).unwrap_or_default()
}

/// Why a run stops before its end.
enum Stop {
    Cancelled,
    Error(Error),
}

impl From<Cancelled> for Stop {
    fn from(_: Cancelled) -> Stop {
        Stop::Cancelled
    }
}

impl From<Error> for Stop {
    fn from(error: Error) -> Stop {
        Stop::Error(error)
    }
}

/// Runs an experiment. With `resume`, the definition is that of the results.
///
/// # Errors
/// When it cannot begin, or results cannot be saved. Failures of runners are results.
pub fn run(
    experiment: Experiment,
    catalogue: &Catalogue,
    options: &Options,
    observer: Observer<'_>,
    cancel: &AtomicBool,
) -> Result<Summary, Error> {
    let started = Instant::now();
    let mut roster = Roster::new(catalogue, options.memory_bytes);
    let validate = |experiment: &Experiment, roster: &Roster<'_>| {
        options.selection.validate(experiment, roster.entrants())?;
        validate_notes(&experiment.definition, options)?;
        validate_devices(experiment, options)
    };
    if !options.resume {
        validate(&experiment, &roster)?;
        validate_algorithms(&experiment, options, &mut roster, observer, cancel)?;
    }
    let (store, mut header, earlier) = open(&experiment, options, observer)?;
    let mut experiment = if options.resume {
        let stored = Experiment::parse(&header.experiment, header.definition.clone(), header.full);
        let stored = stored.map_err(Error::Input)?;
        validate(&stored, &roster)?;
        stored
    } else {
        experiment
    };
    let has_other_rounds = options.rounds.is_some_and(|rounds| header.rounds != Some(rounds));
    if has_other_rounds {
        header.rounds = options.rounds;
        header.started = environment::timestamp(SystemTime::now());
    }
    if let Some(rounds) = header.rounds {
        experiment.definition.set_rounds(rounds);
    }
    let seed = header.seed;
    let mut run = Run {
        definition: &experiment.definition.clone(),
        experiment,
        program: catalogue.program.clone(),
        options,
        roster,
        store,
        seed,
        continuation: has_other_rounds.then_some(header),
        observer,
        cancel,
        states: BTreeMap::new(),
        truths: BTreeMap::new(),
        answers: Vec::new(),
        order: 0,
        summary: Summary::default(),
    };
    run.remember(&earlier);
    match run.all(&earlier) {
        Ok(false) if !lacks_end(&earlier) => {}
        Ok(_) => run.store.append(&[Entry::End { seconds: started.elapsed().as_secs_f64() }])?,
        Err(Stop::Cancelled) => {
            run.summary.cancelled = true;
            run.store.append(&[Entry::Stop { seconds: started.elapsed().as_secs_f64() }])?;
        }
        Err(Stop::Error(error)) => return Err(error),
    }
    run.store.sync()?;
    run.summary.disagreements = truth::disagreements(&run.answers);
    Ok(run.summary)
}

/// Whether tasks were done after the last end, as it is when a run was killed or stopped between its last task and its
/// end.
fn lacks_end(earlier: &[Entry]) -> bool {
    let last = earlier.iter().rev().find(|entry| {
        matches!(entry, Entry::Sample(_) | Entry::Cost(_) | Entry::Failure(_) | Entry::Stop { .. } | Entry::End { .. })
    });
    last.is_some_and(|entry| !matches!(entry, Entry::End { .. }))
}

/// Refuses an algorithm that nobody knows: neither the program, nor a definition of a runner, nor a runner. Runners are
/// asked only if nobody else knows it.
fn validate_algorithms(
    experiment: &Experiment,
    options: &Options,
    roster: &mut Roster<'_>,
    observer: Observer<'_>,
    cancel: &AtomicBool,
) -> Result<(), Error> {
    let Definition { parts, same_digest, .. } = &experiment.definition;
    let of_parts = parts.iter().flat_map(|part| &part.algorithms);
    let names = of_parts.chain(same_digest.iter().flat_map(|(name, other)| [name, other]));
    let digests =
        names.filter(|name| is_digest(name) && *name != EVERY_DIGEST && options.selection.takes_algorithm(name));
    let mut unknown: Vec<(&String, String)> =
        digests.filter_map(|name| Some((name, (options.unknown_algorithm)(name)?))).collect();
    for index in 0..roster.entrants().len() {
        let contestant = roster.entrants()[index].contestant;
        let Variant { id, implementations, witness_for, .. } = contestant.variant;
        unknown.retain(|(name, _)| !implementations.contains_key(*name) && !witness_for.contains(*name));
        if unknown.is_empty() || !Selection::default().takes(experiment, id, contestant.profile_id()) {
            continue;
        }
        match roster.ask(index, cancel, |folder| observer(Event::Building(folder))) {
            Ok(Ok(hello)) => unknown.retain(|(name, _)| !hello.algorithms.contains(*name)),
            Ok(Err(_)) => {}
            // The run itself stops where it starts the runners.
            Err(Cancelled) => return Ok(()),
        }
    }
    match unknown.first() {
        None => Ok(()),
        Some((_, reason)) => {
            Err(Error::input(format!("the experiment `{}`: {reason}; and no runner announces it", experiment.name)))
        }
    }
}

/// Refuses a device that nobody knows: neither `here`, nor a folder of the user's, nor a simulated one.
fn validate_devices(experiment: &Experiment, options: &Options) -> Result<(), Error> {
    for trial in &experiment.definition.trials {
        let is_open = |name: &&String| {
            *name != HERE && !options.places.devices.contains_key(*name) && options.selection.takes_device(name)
        };
        for name in trial.device.iter().filter(is_open) {
            if let Some(reason) = (options.unknown_device)(name) {
                return Err(Error::input(format!(
                    "the experiment `{}`, trial `{}`, `device`: {reason}; `--device {name}=DIR` takes the folder DIR for it",
                    experiment.name, trial.title
                )));
            }
        }
    }
    Ok(())
}

/// Refuses descriptions of devices on which nothing is measured.
fn validate_notes(definition: &Definition, options: &Options) -> Result<(), Error> {
    let devices = definition.trials.iter().flat_map(|trial| &trial.device).map(String::as_str);
    let devices: BTreeSet<&str> = devices.filter(|name| options.selection.takes_device(name)).collect();
    let Some(name) = options.places.notes.keys().find(|name| !devices.contains(name.as_str())) else { return Ok(()) };
    let devices: Vec<&str> = devices.into_iter().collect();
    Err(Error::input(format!(
        "`--device-note` describes `{name}`, on which nothing is measured; the devices are {}",
        devices.join(", ")
    )))
}

/// A device as it is saved, with the description that an earlier run was given, unless it has one.
fn noted(mut device: results::Device, earlier: &[Entry]) -> Entry {
    let note = earlier.iter().rev().find_map(|entry| match entry {
        Entry::Device(there) if there.device == device.device => there.facts.get(results::NOTE),
        _ => None,
    });
    if let Some(note) = note {
        device.facts.entry(results::NOTE.to_owned()).or_insert_with(|| note.clone());
    }
    Entry::Device(device)
}

/// The file of the results, its header, and what was there already.
fn open(
    experiment: &Experiment,
    options: &Options,
    observer: Observer<'_>,
) -> Result<(Store, Header, Vec<Entry>), Error> {
    let environment = environment::facts();
    if !options.resume {
        let header = Header {
            version: 1,
            experiment: experiment.name.clone(),
            definition: experiment.text.clone(),
            started: environment::timestamp(SystemTime::now()),
            program: options.version.clone(),
            seed: options.seed.unwrap_or_else(|| Rng::new().u64(..u64::from(u32::MAX))),
            full: experiment.full,
            rounds: options.rounds,
            environment,
        };
        let mut store = Store::create(&options.folder)?;
        if let Some(remark) = store.remark() {
            observer(Event::Note(remark));
        }
        store.append(&[Entry::Header(header.clone())])?;
        return Ok((store, header, Vec::new()));
    }
    let (store, mut entries) = Store::open(&options.folder)?;
    if let Some(remark) = store.remark() {
        observer(Event::Note(remark));
    }
    let folder = options.folder.display();
    if entries.is_empty() {
        return Err(Error::input(format!("`{folder}` holds no results to continue; run without `--resume`")));
    }
    let Entry::Header(mut header) = entries.remove(0) else {
        return Err(Error::input(format!("`{folder}`: the results lack their header")));
    };
    let differs = |what: &str, there: &str, here: &str| {
        Err(Error::input(format!("`{folder}` cannot be continued: {what} is {there} there and {here} here")))
    };
    if header.version != 1 {
        return differs("the format", &format!("version {}", header.version), "version 1");
    }
    if header.experiment != experiment.name {
        return differs("the experiment", &header.experiment, &experiment.name);
    }
    if experiment.full && !header.full {
        return differs("the size", "the default", "--full");
    }
    if let Some(seed) = options.seed.filter(|seed| *seed != header.seed) {
        return differs("the seed", &header.seed.to_string(), &seed.to_string());
    }
    let stored = Experiment::parse(&header.experiment, header.definition.clone(), header.full);
    let given = Experiment::parse(&experiment.name, experiment.text.clone(), header.full);
    if stored.ok().zip(given.ok()).is_some_and(|(stored, given)| stored.definition != given.definition) {
        observer(Event::Note(&format!(
            "`{folder}` is continued with the definition that it holds, and not with that of `{}`, which is another now; \
             to use that, run it anew",
            experiment.name
        )));
    }
    for Difference { fact, there, here, is_slight } in environment::differences(&header.environment, &environment) {
        let what = format!("the machine's `{fact}`");
        if !is_slight {
            return differs(&what, &there, &here);
        }
        observer(Event::Note(&format!(
            "`{folder}` is continued although {what} is {there} there and {here} here: they differ by less than \
             {MEMORY_PERCENT} %"
        )));
    }
    let later = entries.iter().rev().find_map(|entry| match entry {
        Entry::Header(later) => later.rounds,
        _ => None,
    });
    header.rounds = later.or(header.rounds);
    Ok((store, header, entries))
}

/// Refuses to continue results whose corpus had other files: their times are of other work.
fn is_the_same(corpus: &Corpus, earlier: &[Entry], folder: &Path) -> Result<(), Error> {
    let is_it = |entry: &&Entry| matches!(entry, Entry::Corpus(there) if there.corpus == corpus.corpus);
    let Some(Entry::Corpus(there)) = earlier.iter().rev().find(is_it) else { return Ok(()) };
    let work = |corpus: &Corpus| (corpus.files, corpus.bytes, corpus.longest_bytes);
    // Older results have no digest.
    let is_other = there.sha256.as_ref().zip(corpus.sha256.as_ref()).is_some_and(|(there, here)| there != here);
    if !is_other && work(there) == work(corpus) {
        return Ok(());
    }
    let told = |corpus: &Corpus| {
        let digest = corpus.sha256.as_deref().map_or("unknown", |digest| digest.get(..16).unwrap_or(digest));
        format!("{} of {} bytes together, SHA-256 {digest}…", counted(corpus.files, "file", "files"), corpus.bytes)
    };
    Err(Error::input(format!(
        "`{}` cannot be continued: the corpus `{}` has other files: {} there, and {} here; installed files, which make \
         documents, or those of `--corpus` have changed. Run it anew; with `--keep-corpora` its files stay for later",
        folder.display(),
        corpus.corpus,
        told(there),
        told(corpus)
    )))
}

/// Refuses to continue results whose device of the same name was another one: their times are of that one.
fn is_the_same_device(device: &results::Device, earlier: &[Entry], folder: &Path) -> Result<(), Error> {
    let is_it = |entry: &&Entry| matches!(entry, Entry::Device(there) if there.device == device.device);
    let Some(Entry::Device(there)) = earlier.iter().rev().find(is_it) else { return Ok(()) };
    let nature = |device: &results::Device| {
        let nature = if device.simulated { "a simulated one" } else { "a real one" };
        nature.to_owned()
    };
    let behaviour = |device: &results::Device| device.facts.get("behaviour").cloned();
    // Its options, and the name of the disk, may be others after a restart.
    let filesystem = |device: &results::Device| {
        let kind = device.facts.get("filesystem").and_then(|text| text.split(' ').next());
        kind.map(str::to_owned)
    };
    let facts = |device: &results::Device| [Some(nature(device)), behaviour(device), filesystem(device)];
    // A fact that one of them lacks is unknown.
    let mut pairs = facts(there).into_iter().zip(facts(device)).filter_map(|(there, here)| there.zip(here));
    match pairs.find(|(there, here)| there != here) {
        None => Ok(()),
        Some((there, here)) => Err(Error::input(format!(
            "`{}` cannot be continued: the device `{}` is another: {there} there, and {here} here. Run it anew",
            folder.display(),
            device.device
        ))),
    }
}

/// Whether the latest entry of a runner says anything else, or there is none.
fn is_news(runner: &results::Runner, earlier: &[Entry]) -> bool {
    let latest = earlier.iter().rev().find_map(|entry| match entry {
        Entry::Runner(there) if (&there.runner, &there.profile) == (&runner.runner, &runner.profile) => Some(there),
        _ => None,
    });
    latest != Some(runner)
}

/// Refuses to continue results of a runner that was another one: its times are of that one.
fn is_the_same_runner(runner: &results::Runner, earlier: &[Entry], folder: &Path) -> Result<(), Error> {
    fn facts(hello: &Hello) -> [(&'static str, &str); 4] {
        let Hello { library, library_version, provider, backend, .. } = hello;
        let facts = [("library", library), ("version", library_version), ("provider", provider), ("backend", backend)];
        facts.map(|(name, value)| (name, value.as_str()))
    }
    let is_it = |id: &str, profile: &str| id == runner.runner && profile == runner.profile;
    let there = earlier.iter().rev().find_map(|entry| match entry {
        Entry::Runner(there) if is_it(&there.runner, &there.profile) => there.hello.as_ref(),
        _ => None,
    });
    let Some((there, here)) = there.zip(runner.hello.as_ref()) else { return Ok(()) };
    // A fact that one of them lacks is unknown.
    let mut pairs = facts(there).into_iter().zip(facts(here)).filter(|((_, a), (_, b))| !a.is_empty() && !b.is_empty());
    let Some(((what, there), (_, here))) = pairs.find(|((_, there), (_, here))| there != here) else { return Ok(()) };
    let is_of_it =
        |entry: &Entry| matches!(entry, Entry::Sample(Sample { cell, .. }) if is_it(&cell.runner, &cell.profile));
    if !earlier.iter().any(is_of_it) {
        return Ok(());
    }
    Err(Error::input(format!(
        "`{}` cannot be continued: `{}` ({}) is another: its {what} is `{there}` there, and `{here}` here. Install that \
         one again, name the other runners with `--runner`, or run it anew",
        folder.display(),
        runner.runner,
        runner.profile
    )))
}

/// How far a cell is.
#[derive(Clone, Copy, Debug, Default)]
struct State {
    rounds: u32,
    failed: bool,
}

/// The contestants after they were started, by their places in the roster.
struct Started {
    /// Those that are there.
    available: Vec<usize>,
    /// Entries to be saved.
    entries: Vec<Entry>,
    /// Those that are others than were measured, and why that refuses to measure more of them.
    others: Vec<(usize, Error)>,
}

struct Run<'a> {
    experiment: Experiment,
    /// The definition of the experiment, which the stage of programs borrows.
    definition: &'a Definition,
    /// The program `pfh` itself.
    program: PathBuf,
    options: &'a Options,
    roster: Roster<'a>,
    store: Store,
    seed: u64,
    /// The header with another number of rounds, which is saved before something is measured.
    continuation: Option<Header>,
    observer: Observer<'a>,
    cancel: &'a AtomicBool,
    states: BTreeMap<Cell, State>,
    truths: BTreeMap<Question, Result<Truth, String>>,
    /// The lists of whole programs, as they are saved.
    answers: Vec<Truth>,
    /// Number of the next task.
    order: u64,
    summary: Summary,
}

impl Run<'_> {
    /// Takes over what an earlier run has saved.
    fn remember(&mut self, earlier: &[Entry]) {
        for entry in earlier {
            match entry {
                Entry::Cost(Cost { cell, order, .. }) => {
                    self.states.entry(cell.clone()).or_default().rounds += 1;
                    self.order = self.order.max(order + 1);
                }
                Entry::Failure(Failure { cell, order, kind, .. }) => {
                    self.states.entry(cell.clone()).or_default().failed = true;
                    self.order = self.order.max(order + 1);
                    *self.summary.earlier_failures.entry(name(*kind)).or_default() += 1;
                }
                Entry::Truth(truth) if truth.mode == MODE => self.answers.push(truth.clone()),
                _ => {}
            }
        }
    }

    /// Does what is left; whether there was anything.
    fn all(&mut self, earlier: &[Entry]) -> Result<bool, Stop> {
        // The data of runners live until these are done.
        let (planned, _data) = if self.definition.parts.is_empty() {
            (Vec::new(), None)
        } else {
            let (planned, data) = self.plan_runners(earlier)?;
            (planned, Some(data))
        };
        let programs = self.enter_programs(earlier)?;
        if planned.is_empty() && programs.is_empty() {
            return Ok(false);
        }
        if !planned.is_empty() {
            self.runners(&planned, earlier)?;
        }
        let has_measured = !programs.is_empty() && self.programs(programs, earlier)?;
        Ok(!planned.is_empty() || has_measured)
    }

    /// Saves what has to stand before the first measurement.
    fn begin(&mut self) -> Result<(), Error> {
        match self.continuation.take() {
            Some(header) => self.store.append(&[Entry::Header(header)]),
            None => Ok(()),
        }
    }

    /// The cells of runners that are left, with their data.
    fn plan_runners(&mut self, earlier: &[Entry]) -> Result<(Vec<Vec<Planned>>, Data), Stop> {
        let Started { available, entries, others } = self.start_all(earlier)?;
        let extents = plan::extents(&self.experiment);
        let folder = data::folder_for(
            self.experiment.definition.place,
            &self.options.folder,
            &extents,
            self.experiment.definition.repeats,
        );
        (self.observer)(Event::MakingData(&folder));
        let mut data = Data::new(&folder, self.seed)?;
        let mut planned = Vec::new();
        for entrant in available {
            let entrants = self.roster.entrants();
            let cells = plan::cells(&self.experiment, &self.options.selection, entrants, entrant, &mut data)?;
            if cells.is_empty() {
                continue;
            }
            planned.push(cells);
        }
        let rounds = self.experiment.definition.rounds;
        let is_left = |run: &Self, planned: &Planned| {
            run.states.get(&planned.cell).is_none_or(|state| !state.failed && state.rounds < rounds)
        };
        for cells in &mut planned {
            cells.retain(|planned| is_left(self, planned));
        }
        planned.retain(|cells| !cells.is_empty());
        let is_open = |entrant: usize| planned.iter().flatten().any(|planned| planned.entrant == entrant);
        if let Some((_, error)) = others.into_iter().find(|(entrant, _)| is_open(*entrant)) {
            return Err(error.into());
        }
        self.store.append(&entries)?;
        Ok((planned, data))
    }

    /// Lets runners do what is left of their cells.
    fn runners(&mut self, planned: &[Vec<Planned>], earlier: &[Entry]) -> Result<(), Stop> {
        self.begin()?;
        self.fail_what_is_not_announced(planned)?;
        self.establish(planned, earlier)?;
        self.fail_what_is_not_verified(planned)?;
        for round in 0..self.experiment.definition.rounds {
            let mut random = Rng::with_seed(self.seed ^ u64::from(round).rotate_right(16));
            let mut order: Vec<usize> = (0..planned.len()).collect();
            random.shuffle(&mut order);
            for index in order {
                let mut cells: Vec<&Planned> = planned[index].iter().collect();
                cells.retain(|planned| {
                    self.states.get(&planned.cell).is_none_or(|state| !state.failed && state.rounds <= round)
                });
                random.shuffle(&mut cells);
                self.visit(&cells, planned)?;
            }
        }
        Ok(())
    }

    /// The cells of whole programs that are left, of programs that are there.
    fn enter_programs(&mut self, earlier: &[Entry]) -> Result<Vec<ProgramCell>, Stop> {
        let mut cells = cells::cells(self.definition, &self.options.selection);
        let contestants: BTreeSet<(usize, String)> =
            cells.iter().map(|cell| (cell.program, cell.cell.profile.clone())).collect();
        let mut entries = Vec::new();
        for (index, profile) in contestants {
            let program = &self.definition.programs[index];
            let meter =
                programs::meter(self.definition, &self.options.folder, &self.program, self.options.memory_bytes);
            let entry = programs::enter(program, &profile, &meter, self.cancel);
            if self.cancel.load(Ordering::Relaxed) {
                // Its version may not be known.
                return Err(Stop::Cancelled);
            }
            let is_of_it = |cell: &ProgramCell| cell.program == index && cell.cell.profile == profile;
            let is_saved = match is_the_same_runner(&entry, earlier, &self.options.folder) {
                Ok(()) => is_news(&entry, earlier),
                Err(error) if cells.iter().any(|cell| is_of_it(cell) && self.has_rounds_left(cell)) => {
                    return Err(error.into());
                }
                Err(_) => {
                    // Its list would be taken for that of the one that was measured.
                    cells.retain(|cell| !is_of_it(cell));
                    false
                }
            };
            match (&entry.hello, &entry.unavailable) {
                (Some(hello), _) => {
                    (self.observer)(Event::Available { runner: &program.id, profile: &profile, hello });
                    self.summary.available += 1;
                }
                (None, reason) => {
                    let reason = reason.as_deref().unwrap_or_default();
                    (self.observer)(Event::Unavailable { runner: &program.id, profile: &profile, reason });
                    self.summary.unavailable += 1;
                    cells.retain(|cell| cell.program != index);
                }
            }
            entries.extend(is_saved.then_some(Entry::Runner(entry)));
        }
        self.store.append(&entries)?;
        Ok(cells)
    }

    /// Whether a cell of a program is to be measured further. The numbers of its files may not be known yet.
    fn has_rounds_left(&self, cell: &ProgramCell) -> bool {
        let is_done = |(there, state): (&Cell, &State)| {
            let is_it = Cell { count: cell.cell.count, bytes: cell.cell.bytes, ..there.clone() } == cell.cell;
            is_it && (state.failed || state.rounds >= cell.rounds)
        };
        !self.states.iter().any(is_done)
    }

    /// Measures whole programs: in each round, all that share device, files and cache together, in shuffled order.
    /// Returns whether anything was left to measure.
    fn programs(&mut self, mut cells: Vec<ProgramCell>, earlier: &[Entry]) -> Result<bool, Stop> {
        let setting = Setting {
            folder: &self.options.folder,
            places: &self.options.places,
            program: &self.program,
            seed: self.seed,
            memory_bytes: self.options.memory_bytes,
        };
        (self.observer)(Event::MakingData(&self.options.folder));
        let Some(mut stage) = Stage::new(self.definition, &cells, &setting, self.cancel)? else {
            return Err(Stop::Cancelled);
        };
        for corpus in stage.corpus_entries() {
            is_the_same(&corpus, earlier, &self.options.folder)?;
        }
        for device in stage.device_entries() {
            is_the_same_device(&device, earlier, &self.options.folder)?;
        }
        for cell in &mut cells {
            let counts = stage.counts(&cell.corpus);
            (cell.cell.count, cell.cell.bytes) = (counts.files, counts.bytes);
        }
        let is_left = |run: &Self, cell: &ProgramCell, round: u32| {
            let state = run.states.get(&cell.cell).copied().unwrap_or_default();
            !state.failed && state.rounds <= round && round < cell.rounds
        };
        let rounds = cells.iter().map(|cell| cell.rounds).max().unwrap_or(0);
        let is_open = |run: &Self, cell: &ProgramCell| (0..rounds).any(|round| is_left(run, cell, round));
        if !cells.iter().any(|cell| is_open(self, cell)) {
            return Ok(false);
        }
        stage.remember(&self.answers);
        let open = cells.iter().filter(|cell| is_open(self, cell)).filter_map(|cell| stage.subject(&cell.cell));
        let unsettled: BTreeSet<Subject> = open.filter(|subject| !stage.is_settled(subject)).collect();
        // Programs that have been measured are asked again where their lists decide which one is right.
        cells.retain(|cell| {
            let has_failed = self.states.get(&cell.cell).is_some_and(|state| state.failed);
            let is_asked = || stage.subject(&cell.cell).is_some_and(|subject| unsettled.contains(&subject));
            is_open(self, cell) || !has_failed && is_asked()
        });
        self.begin()?;
        let devices = stage.device_entries().into_iter().map(|device| noted(device, earlier));
        let corpora = stage.corpus_entries().into_iter().map(Entry::Corpus);
        self.store.append(&devices.chain(corpora).collect::<Vec<_>>())?;
        let all: u64 = cells.iter().map(|cell| u64::from(cell.rounds)).sum();
        let mut done = 0;
        for cell in &cells {
            (self.observer)(Event::Task { done, all, cell: &cell.cell });
            if stage.ask(cell, self.cancel).is_none() {
                return Err(Stop::Cancelled);
            }
        }
        if stage.settle(self.cancel)?.is_none() {
            return Err(Stop::Cancelled);
        }
        for dispute in stage.disputes() {
            (self.observer)(Event::Note(&dispute));
        }
        for cell in &cells {
            if let Err(failed) = stage.verdict(&cell.cell) {
                self.fail(&cell.cell, failed)?;
            }
        }
        let measured =
            self.states.iter().filter(|(cell, state)| cell.mode == MODE && state.rounds > 0 && !state.failed);
        let wrong: Vec<(Cell, Failed)> =
            measured.filter_map(|(cell, _)| Some((cell.clone(), stage.verdict_of_earlier(cell).err()?))).collect();
        for (cell, failed) in wrong {
            self.fail(&cell, failed)?;
        }
        let mut truths = stage.truths();
        truths.retain(|truth| !self.answers.contains(truth));
        self.answers.extend_from_slice(&truths);
        let truths = truths.into_iter().map(Entry::Truth);
        let outputs = stage.take_outputs().into_iter().map(Entry::Output);
        self.store.append(&truths.chain(outputs).collect::<Vec<_>>())?;
        for round in 0..rounds {
            let mut random = Rng::with_seed(self.seed ^ u64::from(round).rotate_right(16));
            let mut groups: BTreeMap<_, Vec<&ProgramCell>> = BTreeMap::new();
            for cell in &cells {
                groups.entry((&cell.device, &cell.corpus, cell.cache)).or_default().push(cell);
            }
            let mut groups: Vec<Vec<&ProgramCell>> = groups.into_values().collect();
            random.shuffle(&mut groups);
            for mut group in groups {
                random.shuffle(&mut group);
                for cell in group {
                    done += u64::from(round < cell.rounds);
                    if !is_left(self, cell, round) {
                        continue;
                    }
                    (self.observer)(Event::Task { done, all, cell: &cell.cell });
                    match stage.measure(cell, self.cancel) {
                        Ok(Some(measured)) => self.save_program(&cell.cell, measured)?,
                        Ok(None) => return Err(Stop::Cancelled),
                        Err(failed) => self.fail(&cell.cell, failed)?,
                    }
                }
            }
        }
        Ok(true)
    }

    fn save_program(&mut self, cell: &Cell, measured: Measured) -> Result<(), Error> {
        let Measured { wall_ns, cpu_ns, system_ns, peak_bytes, device_bytes, .. } = measured;
        let cost = Cost {
            cell: cell.clone(),
            order: self.order,
            gc_count: None,
            gc_ns: None,
            peak_bytes: Some(peak_bytes),
            device_bytes: Some(device_bytes),
            system_ns: Some(system_ns),
        };
        self.save_samples(cell, [(wall_ns, Some(cpu_ns))], cost)
    }

    /// Starts all contestants once.
    fn start_all(&mut self, earlier: &[Entry]) -> Result<Started, Stop> {
        let (mut available, mut entries, mut others) = (Vec::new(), Vec::new(), Vec::new());
        for index in 0..self.roster.entrants().len() {
            let contestant = self.roster.entrants()[index].contestant;
            let (runner, profile) = (&contestant.variant.id, contestant.profile_id());
            if !self.options.selection.takes(&self.experiment, runner, profile) {
                continue;
            }
            let observer = &mut *self.observer;
            let state = self.roster.ask(index, self.cancel, |folder| observer(Event::Building(folder)))?;
            match state {
                Ok(hello) => {
                    (self.observer)(Event::Available { runner, profile, hello });
                    available.push(index);
                }
                Err(reason) => (self.observer)(Event::Unavailable { runner, profile, reason }),
            }
            let entry = self.roster.entrants()[index].to_entry();
            match is_the_same_runner(&entry, earlier, &self.options.folder) {
                Ok(()) => entries.extend(is_news(&entry, earlier).then_some(Entry::Runner(entry))),
                Err(error) => others.push((index, error)),
            }
            self.summary.available += usize::from(available.last() == Some(&index));
            self.summary.unavailable += usize::from(available.last() != Some(&index));
        }
        Ok(Started { available, entries, others })
    }

    fn fail_what_is_not_announced(&mut self, planned: &[Vec<Planned>]) -> Result<(), Error> {
        for planned in planned.iter().flatten().filter(|planned| !planned.is_announced) {
            let message = "not among the algorithms that it announces".to_owned();
            self.fail(&planned.cell, Failed { kind: FailureKind::NotOffered, message })?;
        }
        Ok(())
    }

    fn fail_what_is_not_verified(&mut self, planned: &[Vec<Planned>]) -> Result<(), Error> {
        for planned in planned.iter().flatten().filter(|planned| planned.is_announced) {
            let mut unknown =
                planned.questions().into_iter().filter_map(|(question, _)| self.truths.get(&question)?.as_ref().err());
            if let Some(message) = unknown.next() {
                let failed = Failed { kind: FailureKind::Unverified, message: message.clone() };
                self.fail(&planned.cell, failed)?;
            }
        }
        Ok(())
    }

    /// Finds the right answers: asks one runner after the other until different implementations agree on each.
    fn establish(&mut self, planned: &[Vec<Planned>], earlier: &[Entry]) -> Result<(), Stop> {
        // A witness is asked in memory, once.
        let mut open: BTreeMap<Question, (Planned, Vec<Vote>)> = BTreeMap::new();
        for planned in planned.iter().flatten().filter(|planned| planned.is_announced) {
            for (question, path) in planned.questions() {
                let of_question = || {
                    let mut planned = planned.clone();
                    (planned.task.path, planned.task.repeat_path) = (path, String::new());
                    (planned, Vec::new())
                };
                open.entry(question).or_insert_with(of_question);
            }
        }
        for entry in earlier {
            let Entry::Truth(truth) = entry else { continue };
            let known = open.keys().find(|question| {
                question.mode.name() == truth.mode
                    && question.algorithm == truth.algorithm
                    && (question.bytes, question.count) == (truth.bytes, truth.count)
                    && question.variant == truth.variant
            });
            if let Some(question) = known.cloned() {
                open.remove(&question);
                self.truths.insert(question, Ok(truth.clone()));
            }
        }
        let all = open.len() + self.truths.len();
        let mut witnesses: Vec<usize> = (0..self.roster.entrants().len()).collect();
        witnesses.retain(|index| self.roster.entrants()[*index].contestant.profile_id() == TODAY);
        witnesses.sort_by_key(|index| {
            let id = &self.roster.entrants()[*index].contestant.variant.id;
            (WITNESSES.iter().position(|first| first == id).unwrap_or(WITNESSES.len()), id.clone())
        });
        for witness in witnesses {
            (self.observer)(Event::Settled(self.truths.len(), all));
            if open.is_empty() {
                break;
            }
            self.hear(witness, &mut open)?;
            let settled: Vec<(Question, Truth)> = open
                .iter()
                .filter_map(|(question, (_, votes))| Some((question.clone(), truth::settle(question, votes)?)))
                .collect();
            for (question, truth) in settled {
                open.remove(&question);
                self.store.append(&[Entry::Truth(truth.clone())])?;
                self.truths.insert(question, Ok(truth));
            }
        }
        (self.observer)(Event::Settled(self.truths.len(), all));
        for (question, (_, votes)) in open {
            let is_missing = |entrant: &&Entrant<'_>| {
                let Contestant { variant, profile, .. } = entrant.contestant;
                profile.is_none() && entrant.hello().is_none() && variant.witness_for.contains(&question.algorithm)
            };
            let name = |entrant: &Entrant<'_>| {
                let Contestant { variant, folder, .. } = entrant.contestant;
                format!("{} (`pfh lab doctor --install {}`)", variant.id, folder.definition.group)
            };
            let missing: Vec<String> = self.roster.entrants().iter().filter(is_missing).map(name).collect();
            let reason = truth::explain(&votes, &missing);
            self.truths.insert(question, Err(reason));
        }
        Ok(())
    }

    /// Asks one runner all open questions that it can answer.
    fn hear(&mut self, witness: usize, open: &mut BTreeMap<Question, (Planned, Vec<Vote>)>) -> Result<(), Stop> {
        let observer = &mut *self.observer;
        let Ok(hello) = self.roster.ask(witness, self.cancel, |folder| observer(Event::Building(folder)))? else {
            return Ok(());
        };
        let offered: BTreeSet<String> = hello.algorithms.iter().cloned().collect();
        let entrant = &self.roster.entrants()[witness];
        let id = entrant.contestant.variant.id.clone();
        let implementations: BTreeMap<String, String> = offered
            .iter()
            .filter_map(|algorithm| Some((algorithm.clone(), entrant.implementation(algorithm)?)))
            .collect();
        let launch = entrant.launch.clone();
        let limits = self.limits();
        let mut session = None;
        let mut broken = 0;
        for (question, (planned, votes)) in
            open.iter_mut().filter(|(question, _)| offered.contains(&question.algorithm))
        {
            if broken == BROKEN_MAX {
                break;
            }
            let running = match session.take() {
                Some(session) => session,
                None => match Session::start(&launch, limits, self.cancel) {
                    Ok(Some(session)) => session,
                    Ok(None) => return Err(Stop::Cancelled),
                    Err(_) => break,
                },
            };
            let mut task = planned.task.clone();
            task.mode = question.mode;
            task.algorithm.clone_from(&question.algorithm);
            (task.warm_up, task.repeats) = (0, 1);
            let failed = match running.ask(&task, self.cancel) {
                Ok((running, answers)) => {
                    session = Some(running);
                    let answer = answers.samples.into_iter().next().map(|sample| sample.answer).unwrap_or_default();
                    let implementation = implementations.get(&question.algorithm).cloned().unwrap_or_default();
                    let witness = id.clone();
                    votes.push(Vote { witness, implementation, check: answers.check, answer });
                    broken = 0;
                    continue;
                }
                Err(Ended::Cancelled) => return Err(Stop::Cancelled),
                Err(Ended::Refused(running, failed)) => {
                    session = Some(*running);
                    failed
                }
                Err(Ended::Broken(failed)) => {
                    broken += 1;
                    failed
                }
            };
            if failed.kind != FailureKind::NotOffered {
                (self.observer)(Event::NoVote { runner: &id, failed: &failed });
            }
        }
        if let Some(session) = session {
            // The way it ends is checked after each visit.
            let _ = session.finish();
        }
        Ok(())
    }

    fn limits(&self) -> Limits {
        let task = self.experiment.definition.task_limit();
        Limits { start: START_LIMIT, task, memory_bytes: self.options.memory_bytes }
    }

    /// Lets one contestant do its cells of one round.
    fn visit(&mut self, cells: &[&Planned], all: &[Vec<Planned>]) -> Result<(), Stop> {
        let Some(entrant) = cells.first().map(|planned| planned.entrant) else { return Ok(()) };
        let launch = self.roster.entrants()[entrant].launch.clone();
        let limits = self.limits();
        let mut session: Option<Session> = None;
        let mut broken = 0;
        for (position, planned) in cells.iter().enumerate() {
            if self.cancel.load(Ordering::Relaxed) {
                return Err(Stop::Cancelled);
            }
            let (done, all) = (self.done(all), self.tasks(all));
            (self.observer)(Event::Task { done, all, cell: &planned.cell });
            let running = match session.take() {
                Some(session) => Ok(session),
                None => match Session::start(&launch, limits, self.cancel) {
                    Ok(Some(session)) => Ok(session),
                    Ok(None) => return Err(Stop::Cancelled),
                    Err(failed) => Err(failed),
                },
            };
            let task = crate::protocol::Task { id: self.order, ..planned.task.clone() };
            let outcome = match running {
                Err(failed) => Err((None, failed)),
                Ok(running) => match running.ask(&task, self.cancel) {
                    Ok((running, answers)) => match self.judge(planned, &answers) {
                        Ok(()) => Ok((running, answers)),
                        Err(wrong) => Err((None, running.dismiss(FailureKind::WrongAnswer, &wrong))),
                    },
                    Err(Ended::Cancelled) => return Err(Stop::Cancelled),
                    Err(Ended::Refused(running, failed)) => Err((Some(*running), failed)),
                    Err(Ended::Broken(failed)) => Err((None, failed)),
                },
            };
            match outcome {
                Ok((running, answers)) => {
                    session = Some(running);
                    broken = 0;
                    self.save(&planned.cell, answers)?;
                }
                Err((running, failed)) => {
                    // A refusal says nothing of the others, and a wrong answer nothing of the process.
                    broken += u32::from(running.is_none() && failed.kind != FailureKind::WrongAnswer);
                    session = running;
                    let kind = failed.kind;
                    self.fail(&planned.cell, failed)?;
                    if broken == BROKEN_MAX {
                        let message = format!("not asked: the runner had failed {BROKEN_MAX} times in a row");
                        for planned in &cells[position + 1..] {
                            self.fail(&planned.cell, Failed { kind, message: message.clone() })?;
                        }
                        return Ok(());
                    }
                }
            }
        }
        if let Some(Err(message)) = session.map(Session::finish) {
            let runner = &self.roster.entrants()[entrant].contestant.variant.id;
            (self.observer)(Event::BadEnd { runner, message: &message });
        }
        Ok(())
    }

    /// Whether the answers are right; if not, how.
    fn judge(&self, planned: &Planned, answers: &Answers) -> Result<(), String> {
        let size;
        let truth = match planned.question.as_ref().map(|question| self.truths.get(question)) {
            Some(Some(Ok(truth))) => truth,
            Some(_) => return Err("the right answer is not known".to_owned()),
            None => {
                size = truth::of_size(planned.task.mode, planned.cell.bytes);
                &size
            }
        };
        if !truth::is_right_check(truth, &answers.check) {
            let expected = truth.check.as_ref().unwrap_or(&truth.answer);
            return Err(format!("its check says {}, not {expected}", answers.check));
        }
        for sample in &answers.samples {
            let varied = planned.question.as_ref().filter(|_| !planned.task.repeat_path.is_empty());
            let expected = match varied.map(|question| self.truths.get(&question.of_repeat(sample.repeat))) {
                None => &truth.answer,
                Some(Some(Ok(truth))) => &truth.answer,
                Some(_) => return Err("the right answer is not known".to_owned()),
            };
            if sample.answer != *expected {
                let is_cached = sample.answer == truth.answer;
                let of = if is_cached { ", which is right for the data of another pass" } else { "" };
                return Err(format!("repeat {} says {}{of}, not {expected}", sample.repeat, sample.answer));
            }
        }
        Ok(())
    }

    /// A task's samples and its cost, together or not at all.
    fn save(&mut self, cell: &Cell, answers: Answers) -> Result<(), Error> {
        let done = answers.done;
        let cost = Cost {
            cell: cell.clone(),
            order: self.order,
            gc_count: done.gc_count,
            gc_ns: done.gc_ns,
            peak_bytes: done.peak_bytes,
            device_bytes: None,
            system_ns: None,
        };
        self.save_samples(cell, answers.samples.iter().map(|sample| (sample.wall_ns, sample.cpu_ns)), cost)
    }

    fn save_samples(
        &mut self,
        cell: &Cell,
        times_ns: impl IntoIterator<Item = (u64, Option<u64>)>,
        cost: Cost,
    ) -> Result<(), Error> {
        let order = self.order;
        let sample = |(wall_ns, cpu_ns)| Entry::Sample(Sample { cell: cell.clone(), order, wall_ns, cpu_ns });
        let mut entries: Vec<Entry> = times_ns.into_iter().map(sample).collect();
        self.summary.samples += entries.len() as u64;
        entries.push(Entry::Cost(cost));
        self.store.append(&entries)?;
        self.states.entry(cell.clone()).or_default().rounds += 1;
        self.order += 1;
        Ok(())
    }

    fn fail(&mut self, cell: &Cell, Failed { kind, message }: Failed) -> Result<(), Error> {
        let failure = Failure { cell: cell.clone(), order: self.order, kind, message };
        (self.observer)(Event::Failed(&failure));
        self.store.append(&[Entry::Failure(failure)])?;
        *self.summary.failures.entry(name(kind)).or_default() += 1;
        self.states.entry(cell.clone()).or_default().failed = true;
        self.order += 1;
        Ok(())
    }

    fn tasks(&self, all: &[Vec<Planned>]) -> u64 {
        all.iter().map(Vec::len).sum::<usize>() as u64 * u64::from(self.experiment.definition.rounds)
    }

    fn done(&self, all: &[Vec<Planned>]) -> u64 {
        let rounds = self.experiment.definition.rounds;
        let of = |planned: &Planned| match self.states.get(&planned.cell) {
            Some(State { failed: true, .. }) => rounds,
            Some(state) => state.rounds.min(rounds),
            None => 0,
        };
        all.iter().flatten().map(|planned| u64::from(of(planned))).sum()
    }
}
