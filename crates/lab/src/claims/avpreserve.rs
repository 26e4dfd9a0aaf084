//! V1, the one claim of AVPreserve's that needs no storage.

use super::rules::about;
use super::view::{Side, View};
use super::{Claim, Finding, Statement};
use crate::published;

static V1: Claim = Claim {
    id: "V1",
    study: "AVPreserve 2014",
    text: "MD5 needs 72 % of SHA-256's processor time",
    experiment: "languages",
};

pub(super) const CLAIMS: &[&Claim] = &[&V1];

pub(super) fn evaluate(view: &View<'_>) -> Vec<Finding> {
    let runs = published::fixity_runs();
    let cpu = |algorithm: &str| runs.iter().filter(|run| run.algorithm == algorithm).map(|run| run.cpu_s).sum::<f64>();
    let published = cpu("SHA-256") / cpu("MD5");
    let side = |algorithm| Side("digest", "c-openssl", algorithm);
    let measured = view.cpu_ratio(side("sha256"), side("md5"));
    let statement: Statement = about("SHA-256 / MD5, processor time", measured, published, Some(published));
    vec![
        Finding::new(&V1, view, "c-openssl", vec![statement])
            .note("Stated the other way round: SHA-256 needs 1.38 times MD5's."),
    ]
}
