//! Judges the claims of the studies by measurements made here: [`evaluate`].
//!
//! A claim consists of statements about one figure each (a ratio of two times, a share, a number of minutes). A
//! statement is judged by where the *interval* of its figure lies, never by the figure alone ([`rules`]); a claim by
//! its statements.

mod adhiwijna;
mod avpreserve;
mod breitinger;
mod gurjar;
mod java_net;
mod listing;
pub mod rules;
#[cfg(test)]
mod shipped;
mod view;

use std::fmt;

pub use listing::{page, verdicts};

use pfh_statistics::Estimate;

use crate::measurements::Measurements;
use view::View;

/// A sentence of a study that can be tested.
#[derive(Debug, PartialEq, Eq)]
pub struct Claim {
    /// Short name in the ledger (`G4`).
    pub id: &'static str,
    /// The study.
    pub study: &'static str,
    /// The claim itself.
    pub text: &'static str,
    /// The experiment that measures it.
    pub experiment: &'static str,
}

/// All claims that experiments test, in the order of the ledger.
#[must_use]
pub fn claims() -> Vec<&'static Claim> {
    [gurjar::CLAIMS, breitinger::CLAIMS, adhiwijna::CLAIMS, avpreserve::CLAIMS, java_net::CLAIMS].concat()
}

/// The verdict of the measurements on a statement or a claim, the worst last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// There are no measurements of it.
    NotMeasured,
    /// The interval lies wholly where the statement says.
    Holds,
    /// The direction is right, and the figure is farther from no difference than the published one, by as much again as
    /// half of it on a logarithmic scale.
    Stronger,
    /// The measured part holds, or is stronger; but the claim covers more than was measured.
    HoldsInPart,
    /// The interval reaches into more than one region, or there are too few repeats for one.
    Undecided,
    /// The direction is not contradicted, but the figure is nearer to no difference than to the published one.
    Weaker,
    /// The interval lies wholly on the other side: the measurements contradict the statement.
    Reversed,
}

impl Verdict {
    /// As the ledger prints it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Verdict::NotMeasured => "not measured",
            Verdict::Holds => "holds",
            Verdict::Stronger => "stronger",
            Verdict::HoldsInPart => "holds in part",
            Verdict::Undecided => "undecided",
            Verdict::Weaker => "weaker",
            Verdict::Reversed => "reversed",
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// Kind and unit of a figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Figure {
    /// One time as a multiple of another.
    Ratio,
    /// A share, 0 to 1.
    Share,
    /// The coefficient of determination, 0 to 1.
    RSquared,
    /// Minutes.
    Minutes,
}

/// One figure of a claim.
#[derive(Clone, Debug, PartialEq)]
pub struct Statement {
    /// The things that the figure compares (`Java over C, SHA-1`).
    pub subject: String,
    /// Kind and unit of the figure.
    pub figure: Figure,
    /// The measured value; `None` if it was not measured.
    pub measured: Option<Estimate>,
    /// The value that the study published, if its tables survive.
    pub published: Option<f64>,
    /// The part of the statement that the figure does not cover; `None` if it covers all.
    pub missing: Option<String>,
    /// The verdict that follows.
    pub verdict: Verdict,
}

impl Statement {
    /// Whether the figure covers all that the statement speaks of.
    fn is_whole(&self) -> bool {
        self.verdict != Verdict::NotMeasured && self.missing.is_none()
    }

    /// The same, of a figure that does not cover this part of the statement.
    fn lacking(self, missing: Option<String>) -> Statement {
        Statement { missing, ..self }
    }
}

/// A claim under one profile.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// The claim.
    pub claim: &'static Claim,
    /// The profile's id.
    pub profile: String,
    /// Which runners it was tested on.
    pub subject: String,
    /// The verdict that follows from the statements.
    pub verdict: Verdict,
    /// The figures.
    pub statements: Vec<Statement>,
    /// A note for the reader about the figures, possibly empty.
    pub note: String,
}

impl Finding {
    fn new(claim: &'static Claim, view: &View<'_>, subject: impl Into<String>, statements: Vec<Statement>) -> Finding {
        Finding {
            claim,
            profile: view.profile.to_owned(),
            subject: subject.into(),
            verdict: all_of(&statements),
            statements,
            note: String::new(),
        }
    }

    /// Whether anything of it was measured.
    #[must_use]
    pub fn has_figure(&self) -> bool {
        self.statements.iter().any(|statement| statement.measured.is_some())
    }

    fn note(mut self, note: impl Into<String>) -> Finding {
        self.note = note.into();
        self
    }

    /// There is nothing to judge by, for this reason.
    fn not_measured(claim: &'static Claim, view: &View<'_>, reason: impl Into<String>) -> Finding {
        Finding::new(claim, view, "", Vec::new()).note(reason)
    }
}

/// A claim is all of its statements at once: the worst verdict among those that were measured. It holds only if all
/// were.
fn all_of(statements: &[Statement]) -> Verdict {
    let worst = statements.iter().map(|statement| statement.verdict).max().unwrap_or(Verdict::NotMeasured);
    let holds = matches!(worst, Verdict::Holds | Verdict::Stronger);
    if holds && !statements.iter().all(Statement::is_whole) { Verdict::HoldsInPart } else { worst }
}

/// Judges every claim under every profile that has measurements: `today` first, each claim at least once for each
/// profile.
#[must_use]
pub fn evaluate(measurements: &Measurements) -> Vec<Finding> {
    let mut findings = Vec::new();
    for profile in measurements.profiles() {
        let view = View { measurements, profile };
        findings.extend(gurjar::evaluate(&view));
        findings.extend(breitinger::evaluate(&view));
        findings.extend(adhiwijna::evaluate(&view));
        findings.extend(avpreserve::evaluate(&view));
        findings.extend(java_net::evaluate(&view));
    }
    findings
}
