//! Assigns tasks to runners: the cells of an experiment.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::data::{Data, DataFile, VARIANTS_MAX};
use crate::error::Error;
use crate::experiment::{Definition, Experiment, Extent, Part};
use crate::protocol::{Mode, Task};
use crate::results::Cell;
use crate::roster::Entrant;
use crate::runner::TODAY;
use crate::truth::Question;

/// Only these; empty for all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    /// Ids of variants.
    pub runners: Vec<String>,
    /// Names of algorithms.
    pub algorithms: Vec<String>,
    /// Ids of profiles.
    pub profiles: Vec<String>,
    /// Names of devices.
    pub devices: Vec<String>,
    /// Names of comparisons of whole programs.
    pub comparisons: Vec<String>,
}

fn allows(list: &[String], name: &str) -> bool {
    list.is_empty() || list.iter().any(|one| one == name)
}

/// One cell of the tables.
#[derive(Clone, Debug)]
pub(crate) struct Planned {
    /// The place of its contestant in the roster.
    pub(crate) entrant: usize,
    pub(crate) cell: Cell,
    pub(crate) task: Task,
    /// None where the laboratory knows the answer itself: a size.
    pub(crate) question: Option<Question>,
    /// Whether the runner announces the algorithm.
    pub(crate) is_announced: bool,
}

impl Planned {
    /// The questions for a runner, and the file with the data of each.
    pub(crate) fn questions(&self) -> Vec<(Question, String)> {
        let Some(question) = &self.question else { return Vec::new() };
        let varied = (0..self.task.repeats.min(VARIANTS_MAX))
            .filter(|_| !self.task.repeat_path.is_empty())
            .map(|repeat| (question.of_repeat(repeat), format!("{}{repeat}", self.task.repeat_path)));
        std::iter::once((question.clone(), self.task.path.clone())).chain(varied).collect()
    }
}

impl Selection {
    /// Whether a contestant takes part in an experiment.
    #[must_use]
    pub fn takes(&self, experiment: &Experiment, runner: &str, profile: &str) -> bool {
        let within = |list: &Option<Vec<String>>, name| list.as_ref().is_none_or(|list| allows(list, name));
        let definition = &experiment.definition;
        allows(&self.runners, runner)
            && allows(&self.profiles, profile)
            && within(&definition.runners, runner)
            // Who names a profile wants it.
            && (!self.profiles.is_empty() || within(&definition.profiles, profile))
    }

    /// Whether a whole program takes part in an experiment.
    pub(crate) fn takes_program(&self, definition: &Definition, program: &str, profile: &str) -> bool {
        let of_experiment = definition.profiles.as_ref().is_none_or(|list| allows(list, profile));
        allows(&self.runners, program)
            && allows(&self.profiles, profile)
            && (!self.profiles.is_empty() || of_experiment)
    }

    pub(crate) fn takes_algorithm(&self, name: &str) -> bool {
        allows(&self.algorithms, name)
    }

    pub(crate) fn takes_device(&self, name: &str) -> bool {
        allows(&self.devices, name)
    }

    pub(crate) fn takes_comparison(&self, name: &str) -> bool {
        allows(&self.comparisons, name)
    }

    /// Says what of the selection, or of the runners and profiles of the experiment, is in no experiment and no
    /// catalogue.
    ///
    /// # Errors
    /// The first such name.
    pub fn validate(&self, experiment: &Experiment, entrants: &[Entrant<'_>]) -> Result<(), Error> {
        let known = |name: &str, names: &BTreeSet<&str>, what: &str| {
            if names.contains(name) {
                return Ok(());
            }
            let names: Vec<&str> = names.iter().copied().collect();
            Err(Error::input(format!("there is no {what} `{name}`; there are {}", names.join(", "))))
        };
        let Definition { parts, programs, trials, .. } = &experiment.definition;
        let of_parts = parts.iter().flat_map(|part| part.runners.iter().flatten());
        let of_definition = experiment.definition.runners.iter().flatten().chain(of_parts);
        let runners = entrants.iter().map(|entrant| entrant.contestant.variant.id.as_str());
        let runners = runners.chain(programs.iter().map(|program| program.id.as_str())).collect();
        let profiles = entrants.iter().map(|entrant| entrant.contestant.profile_id());
        let of_programs = programs.iter().flat_map(|one| one.profiles.keys().map(String::as_str));
        // Whole programs have it as well, also where no runner is.
        let profiles = profiles.chain(of_programs).chain([TODAY]).collect();
        let devices: BTreeSet<&str> = trials.iter().flat_map(|trial| &trial.device).map(String::as_str).collect();
        let algorithms: BTreeSet<&str> = parts
            .iter()
            .flat_map(|part| &part.algorithms)
            .chain(trials.iter().flat_map(|trial| &trial.algorithms))
            .map(String::as_str)
            .collect();
        self.devices.iter().try_for_each(|name| known(name, &devices, "device in this experiment called"))?;
        let comparisons = experiment.definition.comparisons();
        let comparisons = comparisons.iter().map(String::as_str).collect();
        self.comparisons.iter().try_for_each(|name| known(name, &comparisons, "comparison"))?;
        self.runners.iter().chain(of_definition).try_for_each(|name| known(name, &runners, "runner"))?;
        let of_definition = experiment.definition.profiles.iter().flatten();
        self.profiles.iter().chain(of_definition).try_for_each(|name| known(name, &profiles, "profile"))?;
        if algorithms.contains(crate::experiment::EVERY_DIGEST) {
            return Ok(());
        }
        let what = format!("algorithm in the experiment `{}` called", experiment.name);
        self.algorithms.iter().try_for_each(|name| known(name, &algorithms, &what))
    }
}

/// The modes and sizes of all data.
pub(crate) fn extents(experiment: &Experiment) -> Vec<(Mode, Extent)> {
    let parts = experiment.definition.parts.iter();
    parts.flat_map(|part| part.extents().into_iter().map(|extent| (part.mode.in_memory(), extent))).collect()
}

/// The cells of one contestant, of which there is no second with the same name.
pub(crate) fn cells(
    experiment: &Experiment,
    selection: &Selection,
    entrants: &[Entrant<'_>],
    entrant: usize,
    data: &mut Data,
) -> Result<Vec<Planned>, Error> {
    let Some(hello) = entrants[entrant].hello() else { return Ok(Vec::new()) };
    let contestant = entrants[entrant].contestant;
    let mut planned: BTreeMap<Cell, Planned> = BTreeMap::new();
    for part in &experiment.definition.parts {
        if part.runners.as_ref().is_some_and(|runners| !allows(runners, &contestant.variant.id)) {
            continue;
        }
        for algorithm in part.algorithms_for(&hello.algorithms) {
            if part.mode != Mode::ReadFile && !allows(&selection.algorithms, &algorithm) {
                continue;
            }
            let is_announced = part.mode == Mode::ReadFile || hello.algorithms.contains(&algorithm);
            for extent in part.extents() {
                let file = data.file(part.mode, extent)?;
                let cell = Cell {
                    runner: contestant.variant.id.clone(),
                    profile: contestant.profile_id().to_owned(),
                    mode: part.mode.name().to_owned(),
                    algorithm: algorithm.clone(),
                    bytes: file.bytes,
                    count: extent.count,
                    chunk_bytes: part.chunk_bytes.0,
                    dimensions: BTreeMap::new(),
                };
                let question = question(experiment, part, &algorithm, extent, &file);
                let mut task = task(experiment, part, &algorithm, extent, &file);
                if hello.varies {
                    task.repeat_path = data.variants(part.mode, &file, task.repeats)?;
                }
                planned.insert(cell.clone(), Planned { entrant, cell, task, question, is_announced });
            }
        }
    }
    Ok(planned.into_values().collect())
}

fn question(
    experiment: &Experiment,
    part: &Part,
    algorithm: &str,
    extent: Extent,
    file: &DataFile,
) -> Option<Question> {
    let algorithm = experiment.definition.same_digest.get(algorithm).map_or(algorithm, String::as_str);
    (part.mode != Mode::ReadFile).then(|| Question {
        mode: part.mode.in_memory(),
        algorithm: algorithm.to_owned(),
        bytes: file.bytes,
        count: extent.count,
        variant: 0,
    })
}

fn task(experiment: &Experiment, part: &Part, algorithm: &str, extent: Extent, file: &DataFile) -> Task {
    Task {
        id: 0,
        mode: part.mode,
        algorithm: algorithm.to_owned(),
        // The laboratory made the path itself, below folders whose names it was given; the protocol is UTF-8.
        path: file.path.to_string_lossy().into_owned(),
        repeat_path: String::new(),
        bytes: file.file_bytes,
        count: extent.count,
        chunk_bytes: part.chunk_bytes.0,
        warm_up: part.warm_up.unwrap_or(experiment.definition.warm_up),
        repeats: experiment.definition.repeats,
        parameters: part.parameters.iter().map(|(name, value)| (name.clone(), Value::from(*value))).collect(),
    }
}
