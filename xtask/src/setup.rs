//! Finds or installs the programs that tests and benchmarks run beside pfh.

use std::io::{self, IsTerminal, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::{Mutex, PoisonError};

use rustix::process::geteuid;

use crate::process::find_program;

/// A program, the Debian package that brings it, and what we use it for.
#[derive(Clone, Copy)]
pub(crate) struct Program {
    pub(crate) name: &'static str,
    package: &'static str,
    used_for: &'static str,
}

const fn program(name: &'static str, package: &'static str, used_for: &'static str) -> Program {
    Program { name, package, used_for }
}

/// The programs that the tests use.
pub(crate) fn for_tests() -> Vec<Program> {
    vec![
        program("hashdeep", "hashdeep", "reads our hashdeep files and we read its"),
        program("md5deep", "hashdeep", "reads our md5deep files and we read its"),
        program("hfind", "sleuthkit", "indexes lists of known files, whose digests we read too"),
        program("dc3dd", "dc3dd", "images files, and we read its logs"),
        program("dcfldd", "dcfldd", "images files, and we read its logs"),
        program("ewfacquire", "ewf-tools", "images files, and we read its logs"),
        program("md5sum", "coreutils", "checks our GNU and BSD output"),
        program("rhash", "rhash", "checks our SFV and BSD output, independent digests"),
        program("curl", "curl", "asks our server"),
        program("cksfv", "cksfv", "checks our SFV"),
        program("fish", "fish", "completes names"),
        program("zsh", "zsh", "completes names"),
        program("openssl", "openssl", "independent digests"),
        program("xxhsum", "xxhash", "independent digests"),
        program("b3sum", "b3sum", "independent digests"),
        program("python3", "python3", "independent digests, CSV and JSON readers"),
        program("java", "default-jre-headless", "runs Spark"),
        program("xmllint", "libxml2-utils", "says whether DFXML is well-formed and PREMIS is valid"),
        program("systemd-analyze", "systemd", "checks our units"),
        program("fusermount3", "fuse3", "file systems that misbehave"),
        program("setfattr", "attr", "extended attributes"),
        program("script", "bsdutils", "a terminal for the progress line"),
        program("ssdeep", "ssdeep", "reads our lists and we read its"),
        program("valgrind", "valgrind", "counts instructions"),
        // The C++ compiler brings the C library; Debian's C compiler comes without one.
        program("aarch64-linux-gnu-g++", "g++-aarch64-linux-gnu", "builds tests for AArch64"),
        program("qemu-aarch64", "qemu-user", "runs tests for AArch64"),
    ]
}

/// The programs that pfh is measured against, in addition to those of the tests.
pub(crate) fn for_benchmarks() -> Vec<Program> {
    vec![
        program("hashdeep", "hashdeep", "peer"),
        program("md5deep", "hashdeep", "peer"),
        program("md5sum", "coreutils", "peer"),
        program("rhash", "rhash", "peer"),
        program("openssl", "openssl", "peer"),
        program("b3sum", "b3sum", "peer"),
        program("ssdeep", "ssdeep", "peer"),
        program("tlsh", "tlsh-tools", "peer"),
        program("find", "findutils", "feeds the peers that do not walk"),
        program("xargs", "findutils", "runs peers in parallel"),
    ]
}

/// How packages are installed, in words for whoever is asked.
pub(crate) const APT_GET: &str = "apt-get, nothing of it upgraded";

/// Whether something may be installed on this machine.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Consent {
    /// The user at the terminal is asked. Without a terminal nobody can refuse, and the installed packages are
    /// reported.
    Ask,
    No,
}

impl Consent {
    /// Whether a user at a terminal is asked.
    pub(crate) fn asks(self) -> bool {
        self == Consent::Ask && io::stdin().is_terminal()
    }

    /// Says what would be installed and by which program, and asks.
    pub(crate) fn given(self, by: &str, what: &str) -> bool {
        if self == Consent::No {
            return false;
        }
        // Steps that run at the same time ask one after the other.
        static ASKING: Mutex<()> = Mutex::new(());
        let _asking = ASKING.lock().unwrap_or_else(PoisonError::into_inner);
        println!("to be installed by {by}: {what}");
        if !self.asks() {
            return true;
        }
        print!("install? [Y/n] ");
        let mut answer = String::new();
        let asked = io::stdout().flush().and_then(|()| io::stdin().read_line(&mut answer));
        asked.is_ok_and(|bytes| bytes > 0) && matches!(answer.trim(), "" | "y" | "Y" | "yes")
    }
}

/// Installs what is missing where that is possible and allowed. Returns the programs that are still missing.
pub(crate) fn install(programs: &[Program], consent: Consent) -> Vec<Program> {
    let missing = report_found(programs);
    if missing.is_empty() {
        return missing;
    }
    let packages = packages(&missing);
    match Installer::find() {
        Ok(installer) if consent.given(APT_GET, &packages.join(" ")) => installer.install(&packages),
        Ok(_) => println!("nothing is installed"),
        Err(reason) => println!("nothing is installed: {reason}"),
    }
    report_missing(programs)
}

/// Whether packages can be installed by plain `apt-get`, as the laboratory's definitions spell it; if not, why. Sees to
/// package lists.
pub(crate) fn can_install_as_root() -> Result<(), &'static str> {
    let installer = Installer::find()?;
    if !installer.prefix.is_empty() {
        return Err("only root can, without a password");
    }
    if !lists_exist() {
        installer.update();
    }
    Ok(())
}

fn report_found(programs: &[Program]) -> Vec<Program> {
    let (found, missing): (Vec<Program>, Vec<Program>) =
        programs.iter().partition(|program| find_program(program.name).is_some());
    let names: Vec<&str> = found.iter().map(|program| program.name).collect();
    println!("found: {}", names.join(" "));
    missing
}

fn report_missing(programs: &[Program]) -> Vec<Program> {
    let missing: Vec<Program> =
        programs.iter().copied().filter(|program| find_program(program.name).is_none()).collect();
    for Program { name, package, used_for } in &missing {
        println!("MISSING: {name} (Debian package {package}; {used_for}): what needs it says that it skips");
    }
    missing
}

fn packages(programs: &[Program]) -> Vec<&'static str> {
    let mut packages: Vec<&str> = programs.iter().map(|program| program.package).collect();
    packages.sort_unstable();
    packages.dedup();
    packages
}

fn lists_exist() -> bool {
    Path::new("/var/lib/apt/lists").read_dir().is_ok_and(|lists| lists.count() > 2)
}

/// A way to install Debian packages without being asked anything.
struct Installer {
    prefix: &'static [&'static str],
}

impl Installer {
    fn find() -> Result<Self, &'static str> {
        if find_program("apt-get").is_none() {
            return Err("there is no apt-get");
        }
        if geteuid().is_root() {
            return Ok(Self { prefix: &[] });
        }
        let mut sudo = Command::new("sudo");
        sudo.args(["-n", "true"]).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        if sudo.status().is_ok_and(|status| status.success()) {
            return Ok(Self { prefix: &["sudo", "-n"] });
        }
        Err("neither root nor sudo without a password")
    }

    /// All at once; if that fails with fresh package lists too, one by one, so that one unknown package does not cost
    /// the rest.
    fn install(&self, packages: &[&str]) {
        if lists_exist() && self.apt_install(packages) {
            return;
        }
        self.update();
        if !self.apt_install(packages) && packages.len() > 1 {
            for package in packages {
                self.apt_install(&[package]);
            }
        }
    }

    fn update(&self) {
        println!("apt-get update");
        self.apt_get(&["update", "-qq"]);
    }

    fn apt_install(&self, packages: &[&str]) -> bool {
        let options = ["install", "-qq", "--yes", "--no-install-recommends", "--no-upgrade"];
        self.apt_get(&[&options, packages].concat())
    }

    fn apt_get(&self, arguments: &[&str]) -> bool {
        let environment = ["env", "DEBIAN_FRONTEND=noninteractive", "apt-get"];
        let words = [self.prefix, &environment, arguments].concat();
        let mut command = Command::new(words[0]);
        command.args(&words[1..]).stdin(Stdio::null()).stdout(Stdio::null());
        command.status().is_ok_and(|status| status.success())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_package_is_named_once() {
        let packages = packages(&for_tests());
        assert_eq!(packages.iter().filter(|package| **package == "hashdeep").count(), 1);
        assert!(packages.is_sorted());
    }
}
