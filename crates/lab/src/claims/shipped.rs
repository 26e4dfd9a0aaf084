//! Every cell that a claim asks for is one of an experiment that comes with pfh: a runner or program that exists only
//! in a test's made results would hide that a claim can never be judged.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::{claims, evaluate};
use crate::catalogue::{Catalogue, Places};
use crate::experiment::{EVERY_DIGEST, Experiment};
use crate::measurements::{Measurements, TODAY};
use crate::plan::Selection;
use crate::programs::cells;
use crate::protocol::Mode;
use crate::results::{Cell, Cost, Entry, Header, Sample};

/// Runs of each cell, which differ.
const RUNS: u64 = 4;

fn lab() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../lab")
}

/// All cells of an experiment with the sizes of the study: of each runner that comes with pfh, and of each program.
fn cells_of(experiment: &Experiment, catalogue: &Catalogue) -> Vec<Cell> {
    let mut all: Vec<Cell> = Vec::new();
    for contestant in catalogue.contestants().iter().filter(|contestant| contestant.profile_id() == TODAY) {
        let id = &contestant.variant.id;
        for part in &experiment.definition.parts {
            let is_named = part.runners.as_ref().is_none_or(|runners| runners.contains(id));
            let algorithms: Vec<String> = match part.algorithms.as_slice() {
                _ if !is_named => continue,
                [] => vec!["none".to_owned()],
                // No claim asks for these: their experiment has no study.
                all if all.iter().any(|name| name == EVERY_DIGEST) => continue,
                named => named.to_vec(),
            };
            for (algorithm, extent) in algorithms
                .iter()
                .flat_map(|algorithm| part.extents().into_iter().map(move |extent| (algorithm, extent)))
            {
                let bytes = if part.mode == Mode::Strings { extent.count * 51 } else { extent.bytes };
                all.push(Cell {
                    runner: id.clone(),
                    profile: TODAY.to_owned(),
                    mode: part.mode.name().to_owned(),
                    algorithm: algorithm.clone(),
                    bytes,
                    count: extent.count,
                    chunk_bytes: part.chunk_bytes.0,
                    dimensions: std::collections::BTreeMap::new(),
                });
            }
        }
    }
    let of_programs = cells::cells(&experiment.definition, &Selection::default());
    all.extend(of_programs.into_iter().map(|cell| cell.cell).filter(|cell| cell.profile == TODAY));
    all
}

/// Results in which every cell was measured.
fn measured(experiment: &Experiment, cells: &[Cell], os: &str) -> Measurements {
    let mut entries = vec![Entry::Header(Header {
        version: 1,
        experiment: experiment.name.clone(),
        definition: experiment.text.clone(),
        started: "2026-01-02T03:04:05Z".to_owned(),
        program: "0".to_owned(),
        seed: 1,
        full: true,
        rounds: None,
        environment: [("os".to_owned(), os.to_owned())].into(),
    })];
    let mut order = 0;
    for cell in cells {
        for run in 0..RUNS {
            let wall_ns = (1000 + 10 * run) * (cell.bytes + cell.count + 1);
            entries.push(Entry::Sample(Sample { cell: cell.clone(), order, wall_ns, cpu_ns: Some(wall_ns / 2) }));
            let (gc_count, gc_ns) = (Some(1), Some(wall_ns / 100));
            let (peak_bytes, device_bytes, system_ns) = (None, None, None);
            let cell = cell.clone();
            entries.push(Entry::Cost(Cost { cell, order, gc_count, gc_ns, peak_bytes, device_bytes, system_ns }));
            order += 1;
        }
    }
    let text: String = entries.iter().map(|entry| serde_json::to_string(entry).expect("an entry") + "\n").collect();
    Measurements::read(text.as_bytes()).expect("well-formed")
}

/// Fewer than five rounds have no interval, and decide no claim.
#[test]
fn experiments_of_claims_have_enough_rounds_to_decide() {
    for claim in claims() {
        let file = lab().join(format!("experiments/{}.toml", claim.experiment));
        for full in [false, true] {
            let definition = Experiment::read(&file, full).expect("an experiment").definition;
            let rounds = definition.trials.iter().filter_map(|trial| trial.rounds).chain([definition.rounds]);
            assert!(rounds.min() >= Some(5), "{}, full: {full}", claim.experiment);
        }
    }
}

#[test]
fn every_cell_that_a_claim_asks_for_is_one_of_an_experiment() {
    let cache = tempfile::tempdir().expect("a folder");
    let places =
        Places { lab: Some(lab()), runners: None, cache: cache.path().to_owned(), program: PathBuf::from("pfh") };
    let catalogue = Catalogue::find(&places).expect("the runners that come with pfh");
    let mut unjudged: BTreeSet<String> = BTreeSet::new();
    let mut judged = BTreeSet::new();
    let experiments: BTreeSet<&str> = claims().iter().map(|claim| claim.experiment).collect();
    for name in experiments {
        let file = lab().join(format!("experiments/{name}.toml"));
        let experiment = Experiment::read(&file, true).expect("an experiment");
        let cells = cells_of(&experiment, &catalogue);
        // G7 is about Windows, and all others may be judged anywhere.
        for os in ["Debian", "Windows"] {
            for finding in evaluate(&measured(&experiment, &cells, os)) {
                if finding.claim.experiment != name || (finding.claim.id == "G7") != (os == "Windows") {
                    continue;
                }
                judged.insert(finding.claim.id);
                if finding.statements.is_empty() {
                    unjudged.insert(format!("{}: {}", finding.claim.id, finding.note));
                }
                let missing = finding.statements.iter().filter(|statement| statement.measured.is_none());
                unjudged.extend(missing.map(|statement| format!("{}: {}", finding.claim.id, statement.subject)));
            }
        }
    }
    assert_eq!(unjudged, BTreeSet::new());
    assert_eq!(judged, claims().iter().map(|claim| claim.id).collect());
}
