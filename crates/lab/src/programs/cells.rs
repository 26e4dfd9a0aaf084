//! The cells of whole programs: every combination of a trial that a program takes part in.

use std::collections::{BTreeMap, BTreeSet};

use crate::experiment::Definition;
use crate::experiment::trials::{CACHE, CORPUS, Cache, DEVICE, MODE, Program, Trial};
use crate::measurements::TODAY;
use crate::plan::Selection;
use crate::results::Cell;

/// One cell of a program.
#[derive(Clone, Debug)]
pub(crate) struct ProgramCell {
    /// The place of the program in the definition.
    pub(crate) program: usize,
    /// Its bytes and files are those of the definition until the corpus is made.
    pub(crate) cell: Cell,
    pub(crate) corpus: String,
    pub(crate) device: String,
    pub(crate) cache: Cache,
    pub(crate) rounds: u32,
}

/// The cells that are selected, in the order of the definition. A cell of two trials is measured once, as often as the
/// one wants that wants more.
pub(crate) fn cells(definition: &Definition, selection: &Selection) -> Vec<ProgramCell> {
    let mut cells: Vec<ProgramCell> = Vec::new();
    let mut places: BTreeMap<Cell, usize> = BTreeMap::new();
    for trial in &definition.trials {
        for (index, program) in definition.programs.iter().enumerate() {
            if !trial.programs.contains(&program.id) {
                continue;
            }
            for profile in std::iter::once(TODAY).chain(program.profiles.keys().map(String::as_str)) {
                if !selection.takes_program(definition, &program.id, profile) {
                    continue;
                }
                for mut cell in of_program(definition, trial, program, selection) {
                    cell.program = index;
                    cell.cell.profile = profile.to_owned();
                    match places.get(&cell.cell) {
                        Some(&place) => cells[place].rounds = cells[place].rounds.max(cell.rounds),
                        None => {
                            places.insert(cell.cell.clone(), cells.len());
                            cells.push(cell);
                        }
                    }
                }
            }
        }
    }
    cells
}

fn of_program(
    definition: &Definition,
    trial: &Trial,
    program: &Program,
    selection: &Selection,
) -> impl Iterator<Item = ProgramCell> {
    let mut cells = Vec::new();
    let algorithms = trial.algorithms.iter().filter(|name| selection.takes_algorithm(name) && program.has(name));
    for algorithm in algorithms {
        for corpus in definition.corpora.iter().filter(|corpus| trial.corpus.contains(&corpus.name)) {
            for device in trial.device.iter().filter(|device| selection.takes_device(device)) {
                for &cache in &trial.cache {
                    if !selection.takes_comparison(&trial.comparison(&corpus.name, algorithm, cache)) {
                        continue;
                    }
                    for mut dimensions in combinations(trial, program) {
                        dimensions.insert(CORPUS.to_owned(), corpus.name.clone());
                        dimensions.insert(DEVICE.to_owned(), device.clone());
                        dimensions.insert(CACHE.to_owned(), cache.name().to_owned());
                        cells.push(ProgramCell {
                            program: 0,
                            cell: Cell {
                                runner: program.id.clone(),
                                profile: TODAY.to_owned(),
                                mode: MODE.to_owned(),
                                algorithm: algorithm.clone(),
                                bytes: corpus.bytes.0,
                                count: corpus.files,
                                chunk_bytes: 0,
                                dimensions,
                            },
                            corpus: corpus.name.clone(),
                            device: device.clone(),
                            cache,
                            rounds: trial.rounds.unwrap_or(definition.rounds),
                        });
                    }
                }
            }
        }
    }
    cells.into_iter()
}

/// Every combination of the values of the dimensions that a program takes.
fn combinations(trial: &Trial, program: &Program) -> BTreeSet<BTreeMap<String, String>> {
    let taken = trial.dimensions.iter().filter(|(name, _)| program.takes.contains(name));
    let mut combinations = BTreeSet::from([BTreeMap::new()]);
    for (name, values) in taken {
        combinations = combinations
            .iter()
            .flat_map(|one: &BTreeMap<String, String>| {
                values.iter().map(|value| {
                    let mut one = one.clone();
                    one.insert(name.clone(), value.clone());
                    one
                })
            })
            .collect();
    }
    combinations
}
