//! The things that a machine may lack, so that a test or a step of the gate is skipped there.
#![allow(unreachable_pub, reason = "the gate and crates below this one include the file")]

/// The environment variable that lists, separated by commas, the needs that must be met: where one of them is not, the
/// skip is a failure.
pub const REQUIRED_VARIABLE: &str = "PFH_CI_REQUIRED";

/// Something that a test or a step of the gate needs, and that not every machine has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Need {
    /// The standard library of Rust for AArch64.
    Aarch64,
    /// axe-core, which npm fetches.
    Axe,
    /// bagit.py, which pip installs.
    Bagit,
    /// A block device, or a loop device that can be set up.
    BlockDevice,
    /// A Chromium that draws pages.
    Browser,
    /// Dask, which pip installs.
    Dask,
    /// fclones, which no distribution packages.
    Fclones,
    /// Python 3.14 or later without a global lock, and the packages of the tests that are published for it.
    FreeThreading,
    /// `/dev/fuse`, and the right to mount with it.
    Fuse,
    /// Valgrind, and the processor architecture that the recorded instruction counts are from.
    Instructions,
    /// Vector instructions that the lanes of an algorithm use.
    Lanes,
    /// Miri, which only nightly toolchains have.
    Miri,
    /// The right to mount a filesystem.
    Mount,
    /// The right to make namespaces of users, processes and mounts, as containers have.
    Namespaces,
    /// A compiler and an emulator for AArch64.
    Neon,
    /// A network filesystem that somebody provides.
    NetworkFilesystem,
    /// ocfl-py, which pip installs.
    Ocfl,
    /// The programs that pfh is compared with and that the tests run.
    Peers,
    /// The XML schema of PREMIS, which the Library of Congress publishes.
    Premis,
    /// The files below `/proc`.
    Proc,
    /// Pyright, and the program that runs it.
    Pyright,
    /// Python 3.11 or later, and a package index that has what the tests of the package use.
    Python,
    /// The runtimes of the laboratory's runners that are quickly installed.
    Runners,
    /// PySpark, which pip installs, and Java.
    Spark,
    /// The rights of the superuser.
    Superuser,
    /// A filesystem that makes files without a name.
    UnnamedFiles,
}

impl Need {
    /// All of them, in order of their names.
    pub const ALL: [Self; 26] = [
        Self::Aarch64,
        Self::Axe,
        Self::Bagit,
        Self::BlockDevice,
        Self::Browser,
        Self::Dask,
        Self::Fclones,
        Self::FreeThreading,
        Self::Fuse,
        Self::Instructions,
        Self::Lanes,
        Self::Miri,
        Self::Mount,
        Self::Namespaces,
        Self::Neon,
        Self::NetworkFilesystem,
        Self::Ocfl,
        Self::Peers,
        Self::Premis,
        Self::Proc,
        Self::Pyright,
        Self::Python,
        Self::Runners,
        Self::Spark,
        Self::Superuser,
        Self::UnnamedFiles,
    ];

    /// Returns the name by which `PFH_CI_REQUIRED` and reports of skips call it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Aarch64 => "aarch64",
            Self::Axe => "axe",
            Self::Bagit => "bagit",
            Self::BlockDevice => "block-device",
            Self::Browser => "browser",
            Self::Dask => "dask",
            Self::Fclones => "fclones",
            Self::FreeThreading => "free-threading",
            Self::Fuse => "fuse",
            Self::Instructions => "instructions",
            Self::Lanes => "lanes",
            Self::Miri => "miri",
            Self::Mount => "mount",
            Self::Namespaces => "namespaces",
            Self::Neon => "neon",
            Self::NetworkFilesystem => "network-filesystem",
            Self::Ocfl => "ocfl",
            Self::Peers => "peers",
            Self::Premis => "premis",
            Self::Proc => "proc",
            Self::Pyright => "pyright",
            Self::Python => "python",
            Self::Runners => "runners",
            Self::Spark => "spark",
            Self::Superuser => "superuser",
            Self::UnnamedFiles => "unnamed-files",
        }
    }

    /// Returns the need of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|need| need.name() == name)
    }

    /// Reads a list as in `PFH_CI_REQUIRED`; an empty one is allowed.
    ///
    /// # Errors
    /// Names the first entry that is no need, and all that there are.
    pub fn parse_list(list: &str) -> Result<Vec<Self>, String> {
        let names = list.split(',').map(str::trim).filter(|name| !name.is_empty());
        let parsed = names.map(|name| {
            Self::from_name(name).ok_or_else(|| {
                let known = Self::ALL.map(Self::name).join(", ");
                format!("{REQUIRED_VARIABLE}: unknown name `{name}`; names are {known}")
            })
        });
        parsed.collect()
    }

    /// Reads the list in the environment.
    ///
    /// # Errors
    /// As [`Self::parse_list`], and where the variable is not UTF-8.
    pub fn required() -> Result<Vec<Self>, String> {
        match std::env::var(REQUIRED_VARIABLE) {
            Ok(list) => Self::parse_list(&list),
            Err(std::env::VarError::NotPresent) => Ok(Vec::new()),
            Err(error) => Err(format!("{REQUIRED_VARIABLE}: {error}")),
        }
    }
}
