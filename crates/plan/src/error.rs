//! The reasons why a plan cannot be made, opened or joined.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use pfh_record::quote::quoted_path;

/// The reason why a plan, a list or a result cannot be used. `Display` names the file and says what to do.
#[derive(Debug)]
#[non_exhaustive]
pub enum PlanError {
    /// The system refuses.
    Io {
        /// The file or folder.
        path: PathBuf,
        /// The error of the system.
        error: io::Error,
    },
    /// The folder has no `plan.json`.
    NoPlan {
        /// The folder.
        folder: PathBuf,
    },
    /// The folder, which is to become a plan, has a plan already.
    Exists {
        /// The folder.
        folder: PathBuf,
    },
    /// The folder, which is to become a plan, has other files.
    NotEmpty {
        /// The folder.
        folder: PathBuf,
    },
    /// `plan.json` has another version, which a later pfh wrote.
    Version {
        /// The file.
        path: PathBuf,
        /// Its version.
        version: u64,
    },
    /// `plan.json` is not what pfh writes.
    Plan {
        /// The file.
        path: PathBuf,
        /// The fault.
        reason: String,
    },
    /// The caller stopped the planning.
    Stopped,
    /// A list was cut or altered.
    List {
        /// The file.
        path: PathBuf,
        /// The fault.
        reason: String,
    },
    /// A result is not whole, or not of this plan.
    Result {
        /// The file.
        path: PathBuf,
        /// The number of the shard.
        shard: u32,
        /// The fault.
        reason: String,
    },
}

impl PlanError {
    pub(crate) fn io(path: &Path) -> impl FnOnce(io::Error) -> PlanError {
        let path = path.to_owned();
        move |error| PlanError::Io { path, error }
    }
}

impl fmt::Display for PlanError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PlanError::Io { path, error } => write!(f, "{}: {error}", quoted_path(path)),
            PlanError::NoPlan { folder } => write!(
                f,
                "{} has no plan.json, so it is no plan; `pfh shard -o` makes one, and writes that file last",
                quoted_path(folder)
            ),
            PlanError::Exists { folder } => {
                write!(f, "{} has a plan already; name a new folder, or remove that one", quoted_path(folder))
            }
            PlanError::NotEmpty { folder } => write!(
                f,
                "{} is not empty; name a new folder for the plan (an interrupted `pfh shard` leaves lists without plan.json)",
                quoted_path(folder)
            ),
            PlanError::Version { path, version } => write!(
                f,
                "{} has version {version}, and this program reads version 1; use the pfh that wrote it on all machines",
                quoted_path(path)
            ),
            PlanError::Plan { path, reason } => {
                write!(f, "{} is not as pfh wrote it: {reason}; make the plan anew", quoted_path(path))
            }
            PlanError::Stopped => f.write_str("stopped before the plan was made"),
            PlanError::List { path, reason } => write!(
                f,
                "{} was cut or altered after planning: {reason}; restore it, or make the plan anew",
                quoted_path(path)
            ),
            PlanError::Result { path, shard, reason } => {
                write!(
                    f,
                    "{} is not the result of shard {shard}: {reason}; remove it and run the shard again",
                    quoted_path(path)
                )
            }
        }
    }
}

impl std::error::Error for PlanError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            PlanError::Io { error, .. } => Some(error),
            _ => None,
        }
    }
}
