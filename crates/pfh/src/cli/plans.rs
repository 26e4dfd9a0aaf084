//! Plans of hashing on many machines, for the commands that make and use them.

use super::common_args::FamilyArguments;
use super::exit::Failed;
use pfh_facts::Counting;
use pfh_plan::{Plan, PlanError, PlanOptions, ResultState};
use pfh_record::{Header, WriteOptions};
use std::ops::Range;
use std::path::Path;

/// Opens a plan. It is found also after the working directory has changed.
pub(crate) fn open(folder: &Path) -> Result<Plan, Failed> {
    let folder = std::path::absolute(folder).map_err(Failed::usage)?;
    Plan::open(&folder).map_err(failed)
}

/// Makes the failure of a plan that cannot be made or used.
pub(crate) fn failed(error: PlanError) -> Failed {
    match error {
        PlanError::List { .. } | PlanError::Result { .. } => Failed::unread(error),
        error => Failed::usage(error),
    }
}

/// Returns the options of plan.json that are words of the command line.
pub(crate) fn families(plan: &Plan) -> Result<FamilyArguments, Failed> {
    let variants = FamilyArguments::of_variants(&plan.options().variants);
    variants.map_err(|reason| unknown(plan, &reason))
}

/// Returns which facts about contents the plan wants.
pub(crate) fn facts(options: &PlanOptions, plan: &Plan) -> Result<Option<Counting>, Failed> {
    let facts = options.facts.as_deref().map(str::parse);
    facts.transpose().map_err(|error: pfh_facts::UnknownCounting| unknown(plan, &error.to_string()))
}

fn unknown(plan: &Plan, reason: &str) -> Failed {
    let path = plan.folder().join("plan.json");
    failed(PlanError::Plan { path, reason: reason.to_owned() })
}

/// Returns the options of formats that follow from a plan.
pub(crate) fn write_options(plan: &Plan) -> Result<WriteOptions, Failed> {
    Ok(WriteOptions {
        piecewise: plan.options().piece_bytes.is_some(),
        facts: plan.options().facts.is_some(),
        sdhash_segment: families(plan)?.segment(),
        ..WriteOptions::default()
    })
}

/// The results that a plan has.
#[derive(Default)]
pub(crate) struct Results {
    /// The numbers of shards without result.
    pub(crate) missing: Vec<u32>,
    /// Results that are damaged.
    pub(crate) damaged: Vec<PlanError>,
    /// The facts that the headers of all whole results have in common; of times, the earliest.
    pub(crate) header: Option<Header>,
}

/// Looks at the results of shards: at the first and the last line of each.
pub(crate) fn results(plan: &Plan, shards: Range<u32>) -> Result<Results, Failed> {
    let mut results = Results::default();
    for shard in shards {
        match plan.state(shard).map_err(failed)? {
            ResultState::Missing => results.missing.push(shard),
            ResultState::Damaged(reason) => {
                results.damaged.push(PlanError::Result { path: plan.result_path(shard), shard, reason });
            }
            ResultState::Whole(header, _) => match &mut results.header {
                None => results.header = Some(*header),
                Some(common) => reduce(common, *header),
            },
        }
    }
    Ok(results)
}

/// Leaves what two headers have in common.
fn reduce(common: &mut Header, other: Header) {
    if (&common.program, &common.program_version) != (&other.program, &other.program_version) {
        (common.program, common.program_version) = (None, None);
    }
    if common.command_line != other.command_line {
        common.command_line = None;
    }
    common.started = common.started.min(other.started);
    if common.host != other.host {
        common.host = None;
    }
    if common.uid != other.uid {
        common.uid = None;
    }
}
