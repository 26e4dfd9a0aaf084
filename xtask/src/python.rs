//! The Python package: its wheel, and its tests in interpreters.

use std::collections::BTreeSet;
use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;

use anyhow::{Context, Result, bail, ensure};

use crate::need::Need;
use crate::process::{self, find_program};
use crate::setup::Consent;
use crate::skips;
use crate::summary::Outcome;
use crate::workspace::Workspace;

/// The features of the module with which it is built together with the program: for others, and for tests.
const FOR_OTHERS: &str = "beside-program";
const FOR_TESTS: &str = "beside-tests";

/// The packages that building the wheel and testing it take.
const TOOLS: &str = "python/requirements.txt";

/// Those of them that are published for interpreters without a global lock.
const FREE_THREADED_TOOLS: &str = "python/requirements-free-threaded.txt";

/// The engines of clusters that tests use.
const ENGINES: &str = "python/requirements-engines.txt";

/// The program that installs packages, and the place.
const PIP: &str = "pip into target/python";

/// The first version of Python that the module loads in, and the first without a global lock.
const MINOR_MIN: u32 = 11;
const FREE_THREADED_MINOR_MIN: u32 = 14;

/// The last version that is looked for.
const MINOR_MAX: u32 = 30;

/// Names an interpreter without a global lock.
const FREE_THREADED_VARIABLE: &str = "PFH_TEST_FREE_THREADED";

/// Pages of the reference, and the script that makes them of the stubs.
pub(crate) const REFERENCE: &str = "docs/reference/python.md";
const REFERENCE_SCRIPT: &str = "python/reference.py";

/// `cargo xtask wheel [--profile PROFILE] [--free-threaded]`: builds the wheel for others.
pub(crate) fn wheel(workspace: &Workspace, arguments: &[String]) -> Result<bool> {
    let (mut profile, mut is_free_threaded) = ("dist", false);
    let mut arguments = arguments.iter().map(String::as_str);
    while let Some(argument) = arguments.next() {
        match argument {
            "--profile" => profile = arguments.next().context("--profile takes the name of a profile")?,
            "--free-threaded" => is_free_threaded = true,
            other => bail!("unexpected argument `{other}`; wheel takes --profile PROFILE and --free-threaded"),
        }
    }
    let environment = if is_free_threaded {
        Environment::free_threaded(workspace, Consent::Ask)?
    } else {
        let Some(python) = interpreters().into_iter().next() else { bail!("{}", missing()) };
        Environment::new(workspace, &python, Consent::Ask)?
    };
    let wheel = build(workspace, &environment, profile, true)?;
    println!("{} ({} bytes)", wheel.display(), fs::metadata(&wheel)?.len());
    Ok(true)
}

/// Builds the wheel of the profile of tests, and runs the tests of the package.
pub(crate) fn test(workspace: &Workspace, consent: Consent) -> Result<Outcome> {
    let interpreters = interpreters();
    let Some(python) = interpreters.first() else { return Ok(Outcome::skipped(Need::Python, missing())) };
    let environment = match Environment::new(workspace, python, consent) {
        Ok(environment) => environment,
        Err(error) => {
            return Ok(Outcome::skipped(Need::Python, format!("the packages of its tests cannot be had: {error:#}")));
        }
    };
    let fetches_engines = !environment.has(workspace, ENGINES)? && consent.given(PIP, ENGINES);
    // The engines are large, and fetching them keeps no core busy.
    let (wheel, engines) = thread::scope(|scope| {
        let engines = scope.spawn(|| (environment.engines(workspace, fetches_engines), process::cpu_time()));
        let wheel = build(workspace, &environment, "dev", false);
        let (engines, cpu_time) = engines.join().expect("nothing there panics");
        process::add_cpu_time(cpu_time);
        (wheel, engines)
    });
    let (wheel, mut skipped) = (wheel?, engines?);
    let run = |command: &mut Command| process::run(command.current_dir(workspace.root.join("python")));

    // With nothing beside it: the wheel has no dependencies.
    let alone = environment.folder.join("alone");
    process::run(Command::new(&python.path).args(["-m", "venv", "--clear", "--without-pip"]).arg(&alone))?;
    let alone_python = alone.join("bin/python");
    environment.install_wheel(&wheel, &alone_python)?;
    run(Command::new(&alone_python).arg("tests/smoke.py"))?;
    let packages = process::stdout(
        Command::new(&alone_python).args(["-c", "import sysconfig; print(sysconfig.get_path('purelib'), end='')"]),
    )?;
    let packages = String::from_utf8(packages)?;
    for other in &interpreters[1..] {
        run(Command::new(&other.path).arg("tests/smoke.py").env("PYTHONPATH", &packages))?;
    }

    skipped.extend(environment.test(workspace, &wheel, &skipped, GlobalLock::AsItIs)?);
    run(environment.python().args(["-m", "mypy", "--strict"]))?;
    run(environment.python().args([
        "-m",
        "mypy.stubtest",
        "pfh",
        "--concise",
        "--mypy-config-file",
        "pyproject.toml",
    ]))?;
    // Its own is no Python program: it fetches one that runs it, where that can be had.
    let can_run = Command::new(environment.executable()).args(["-m", "pyright", "--version"]).output();
    if can_run.is_ok_and(|output| output.status.success()) {
        run(environment.python().args(["-m", "pyright", "--pythonpath"]).arg(environment.executable()))?;
    } else {
        skipped.push(Need::Pyright);
        println!("pyright SKIPPED: it cannot fetch the program that runs it");
    }
    let mut versions: Vec<String> = interpreters.iter().map(|python| format!("3.{}", python.minor)).collect();
    // The module is built anew for it, so it comes last: until then nothing was.
    match Environment::free_threaded(workspace, consent) {
        Ok(environment) => {
            let wheel = build(workspace, &environment, "dev", false)?;
            skipped.extend(environment.test(workspace, &wheel, &[Need::Dask, Need::Spark], GlobalLock::Off)?);
            versions.push("one without a global lock".to_owned());
        }
        Err(error) => {
            skipped.push(Need::FreeThreading);
            println!("tests without a global lock SKIPPED: {error:#}");
        }
    }
    Ok(Outcome::Passed(format!("Python {}", versions.join(", ")), skipped))
}

fn missing() -> String {
    format!("there is no Python 3.{MINOR_MIN} or later with pip and venv")
}

/// An interpreter that the module loads in.
struct Interpreter {
    path: PathBuf,
    minor: u32,
}

/// Interpreters of this machine, one of each version, that of `python3` first.
fn interpreters() -> Vec<Interpreter> {
    const QUESTION: &str = "import sys, sysconfig, venv, ensurepip; print(sys.version_info[0], sys.version_info[1], \
                            sysconfig.get_config_var('Py_GIL_DISABLED') or 0, end='')";
    let mut candidates: Vec<PathBuf> = find_program("python3").into_iter().collect();
    candidates.extend((MINOR_MIN..=MINOR_MAX).filter_map(|minor| find_program(&format!("python3.{minor}"))));
    let home = env::var_os("HOME").map(PathBuf::from).unwrap_or_default();
    for folder in fs::read_dir(home.join(".pyenv/versions")).into_iter().flatten().flatten() {
        candidates.push(folder.path().join("bin/python3"));
    }
    let (mut found, mut minors) = (Vec::new(), BTreeSet::new());
    for path in candidates {
        let Ok(answer) = Command::new(&path).args(["-c", QUESTION]).output() else { continue };
        let answer = String::from_utf8_lossy(&answer.stdout).into_owned();
        let numbers: Vec<u32> = answer.split(' ').filter_map(|number| number.parse().ok()).collect();
        if let [3, minor, 0] = numbers[..]
            && minor >= MINOR_MIN
            && minors.insert(minor)
        {
            found.push(Interpreter { path, minor });
        }
    }
    found
}

/// Whether tests run with the global lock of the interpreter.
#[derive(Clone, Copy, PartialEq, Eq)]
enum GlobalLock {
    AsItIs,
    Off,
}

/// The packages that building and testing take, in a virtual environment that is kept.
struct Environment {
    folder: PathBuf,
}

impl Environment {
    fn new(workspace: &Workspace, python: &Interpreter, consent: Consent) -> Result<Self> {
        Self::kept(workspace, workspace.target_folder()?.join("python"), &python.path, TOOLS, consent)
    }

    /// That of the newest interpreter without a global lock, or of the one that the environment names.
    fn free_threaded(workspace: &Workspace, consent: Consent) -> Result<Self> {
        let minors = (FREE_THREADED_MINOR_MIN..=MINOR_MAX).rev();
        let named = env::var_os(FREE_THREADED_VARIABLE).map(PathBuf::from);
        let python =
            named.or_else(|| minors.map(|minor| format!("python3.{minor}t")).find_map(|name| find_program(&name)));
        let python = python.with_context(|| {
            format!(
                "there is no python3.{FREE_THREADED_MINOR_MIN}t or later; {FREE_THREADED_VARIABLE} names one elsewhere"
            )
        })?;
        let folder = workspace.target_folder()?.join("python/free-threaded");
        Self::kept(workspace, folder, &python, FREE_THREADED_TOOLS, consent)
            .context("the packages of its tests cannot be had")
    }

    /// The environment of a folder, made anew where it was of another interpreter, or had other packages.
    fn kept(
        workspace: &Workspace,
        folder: PathBuf,
        python: &Path,
        requirements: &str,
        consent: Consent,
    ) -> Result<Self> {
        let environment = Self { folder };
        let interpreter = python.display().to_string();
        let maker = environment.folder.join("interpreter.txt");
        let is_its_own = fs::read_to_string(&maker).is_ok_and(|path| path == interpreter);
        if is_its_own && environment.has(workspace, requirements)? {
            return Ok(environment);
        }
        ensure!(consent.given(PIP, requirements), "nothing is to be installed");
        let _ = fs::remove_dir_all(environment.folder.join("tools"));
        fs::create_dir_all(&environment.folder)?;
        process::stdout(Command::new(python).args(["-m", "venv"]).arg(environment.folder.join("tools")))?;
        environment.install(workspace, requirements)?;
        fs::write(maker, interpreter)?;
        Ok(environment)
    }

    /// Installs the wheel in another environment.
    fn install_wheel(&self, wheel: &Path, python: &Path) -> Result<()> {
        let mut pip = self.python();
        pip.args(["-m", "pip", "--python"]).arg(python).args(["install", "--quiet", "--no-deps", "--no-index"]);
        process::run(pip.arg("--force-reinstall").arg(wheel))
    }

    /// Installs the wheel, and runs the tests of the package but those of the engines that are not there; returns the
    /// needs of tests that were skipped.
    fn test(&self, workspace: &Workspace, wheel: &Path, without: &[Need], lock: GlobalLock) -> Result<Vec<Need>> {
        self.install_wheel(wheel, &self.executable())?;
        let mut tests = self.python();
        if lock == GlobalLock::Off {
            // Other packages would switch it on.
            tests.env("PYTHON_GIL", "0");
        }
        tests.current_dir(workspace.root.join("python")).args(["-m", "pytest", "-q", "--durations=5"]);
        for need in without {
            // `test_dask.py`, `test_spark.py`.
            tests.arg(format!("--ignore=tests/test_{}.py", need.name()));
        }
        skips::run_tests(workspace, &mut tests)
    }

    /// Whether the packages of a list of requirements, as it is now, were installed.
    fn has(&self, workspace: &Workspace, requirements: &str) -> Result<bool> {
        let installed = fs::read_to_string(self.stamp(requirements)).ok();
        Ok(installed == Some(workspace.read(requirements)?))
    }

    /// The copy of a list of requirements that was installed: inside, so that it vanishes with the packages.
    fn stamp(&self, requirements: &str) -> PathBuf {
        self.folder.join("tools").join(requirements.replace('/', "-"))
    }

    /// Installs the engines of clusters, which are large, if they are to be fetched; returns those that are not there.
    fn engines(&self, workspace: &Workspace, fetch: bool) -> Result<Vec<Need>> {
        if fetch && let Err(error) = self.install(workspace, ENGINES) {
            println!("{ENGINES} cannot be installed: {error:#}");
        }
        let has = |module: &str| {
            let output = self.python().args(["-c", &format!("import {module}")]).output();
            output.is_ok_and(|output| output.status.success())
        };
        let mut missing = Vec::new();
        if !has("distributed") {
            println!("tests of Dask SKIPPED: it cannot be installed");
            missing.push(Need::Dask);
        }
        if find_program("java").is_none() || !has("pyspark, pyarrow") {
            println!("tests of Spark SKIPPED: it takes PySpark, and a program `java`");
            missing.push(Need::Spark);
        }
        Ok(missing)
    }

    /// Installs the packages of a list of requirements, and notes that they are there.
    fn install(&self, workspace: &Workspace, requirements: &str) -> Result<()> {
        let mut pip = self.python();
        pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r"]);
        process::stdout(pip.arg(workspace.root.join(requirements)))?;
        fs::write(self.stamp(requirements), workspace.read(requirements)?)?;
        Ok(())
    }

    fn executable(&self) -> PathBuf {
        self.folder.join("tools/bin/python")
    }

    fn python(&self) -> Command {
        Command::new(self.executable())
    }
}

/// Builds the program and the module, and the wheel of both. One that is shipped names no folder of this machine.
fn build(workspace: &Workspace, environment: &Environment, profile: &str, is_shipped: bool) -> Result<PathBuf> {
    let root = workspace.root.to_str().context("the workspace has no path in UTF-8")?;
    let home = env::var("HOME").unwrap_or_default();
    let cargo_home = env::var("CARGO_HOME").unwrap_or_else(|_| format!("{home}/.cargo"));
    let rust = process::stdout(workspace.command("rustc").args(["--print", "sysroot"]))?;
    let rust = String::from_utf8(rust)?.trim().to_owned();
    let mut variables: Vec<(&str, OsString)> = Vec::new();
    // Other flags make other artefacts, which would push out those of a usual build.
    let mut target = workspace.target_folder()?;
    if is_shipped {
        let remap = [(root, "/pfh"), (&cargo_home, "/cargo"), (&rust, "/rust")];
        let flags: Vec<String> = remap.iter().map(|(from, to)| format!("--remap-path-prefix={from}={to}")).collect();
        variables.push(("CARGO_ENCODED_RUSTFLAGS", flags.join("\x1f").into()));
        variables.push(("CFLAGS", format!("-ffile-prefix-map={cargo_home}=/cargo").into()));
        target = target.join("wheel");
    }
    variables.push(("CARGO_TARGET_DIR", target.clone().into()));
    let built = target.join(if profile == "dev" { "debug" } else { profile }).join("pfh");
    let mut cargo = workspace.cargo();
    let features = if is_shipped { FOR_OTHERS } else { FOR_TESTS };
    cargo.args(["build", "--locked", "--profile", profile, "--features", &format!("pfh-python/{features}")]);
    process::run(cargo.args(["-p", "pfh", "-p", "pfh-python"]).envs(variables.clone()))?;

    let scripts = workspace.root.join("python/data/scripts");
    fs::create_dir_all(&scripts)?;
    let program = scripts.join("pfh");
    let _ = fs::remove_file(&program);
    fs::copy(&built, &program).with_context(|| format!("cannot copy `{}`", built.display()))?;
    process::run(Command::new("strip").arg(&program)).context("the program is stripped by binutils")?;

    let out = environment.folder.join(if is_shipped { "shipped" } else { "built" });
    let _ = fs::remove_dir_all(&out);
    let mut maturin = environment.python();
    maturin.current_dir(workspace.root.join("python"));
    maturin.args(["-m", "maturin", "build", "--quiet", "--locked", "--strip", "--profile", profile]);
    // The program is nearly all of it, and the usual level leaves it 3 % longer.
    maturin.args(["--compression-level", "9"]);
    maturin.args(["--features", features, "--out"]).arg(&out).arg("--interpreter").arg(environment.executable());
    if !is_shipped {
        // Tests run on this machine.
        maturin.args(["--compatibility", "linux"]);
    }
    process::run(maturin.envs(variables))?;
    let wheels: Vec<PathBuf> = fs::read_dir(&out)?.flatten().map(|entry| entry.path()).collect();
    let [wheel] = &wheels[..] else { bail!("one wheel was expected in `{}`", out.display()) };

    let mut check = environment.python();
    check.arg(workspace.root.join("python/check_wheel.py")).arg(wheel);
    if is_shipped {
        check.args(["--shipped", root, &cargo_home, &rust]);
        if home.len() > 1 {
            check.arg(format!("{home}/"));
        }
    }
    process::run(&mut check).context("the wheel is not as it should be")?;
    Ok(wheel.clone())
}

/// The page that the script makes of the stubs; `None` where there is no Python.
pub(crate) fn reference(workspace: &Workspace) -> Result<Option<Vec<u8>>> {
    let Some(python) = find_program("python3") else { return Ok(None) };
    let page = process::stdout(workspace.command(python).arg(REFERENCE_SCRIPT))?;
    ensure!(!page.is_empty(), "{REFERENCE_SCRIPT} printed nothing");
    Ok(Some(page))
}
