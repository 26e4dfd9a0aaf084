//! Reading profiles that `pfh lab advise` wrote.

use super::exit::Failed;
use super::{message, reading};
use pfh_lab::advice::{Machine, Profile};
use pfh_lab::environment;
use std::path::Path;

/// Largest profile.
const PROFILE_BYTES_MAX: u64 = 4 << 20;

/// Reads a profile; also returns what is to be reported about it.
pub(crate) fn read(file: &Path) -> Result<(Profile, Vec<String>), Failed> {
    let shown = message::quoted_path(file);
    let bytes = reading::read_small(file, PROFILE_BYTES_MAX)?;
    let text = String::from_utf8(bytes).map_err(|error| Failed::usage(format_args!("{shown}: {error}")))?;
    let (profile, unknown) = Profile::parse(&text).map_err(|error| {
        Failed::usage(format_args!("{shown}: {error}; a profile is what `pfh lab advise --save` writes"))
    })?;
    let mut warnings = Vec::new();
    if !unknown.is_empty() {
        let (unknown, are) = (unknown.join(", "), if unknown.len() == 1 { "is" } else { "are" });
        warnings.push(format!("{shown}: {unknown} {are} not known to this version, and left out of account"));
    }
    let differences = profile.differences(&machine());
    if !differences.is_empty() {
        let differences = differences.join(", ");
        warnings.push(format!("{shown} was measured on another machine: {differences}; it may not fit this one"));
    }
    Ok((profile, warnings))
}

/// Returns this machine, as profiles name it.
pub(crate) fn machine() -> Machine {
    let facts = environment::facts();
    let cores = facts.get("cores").and_then(|cores| cores.parse().ok()).unwrap_or(1);
    let cpu = facts.get("cpu").cloned().unwrap_or_else(|| std::env::consts::ARCH.to_owned());
    let host = rustix::system::uname().nodename().to_string_lossy().into_owned();
    Machine { host, cpu, cores }
}
