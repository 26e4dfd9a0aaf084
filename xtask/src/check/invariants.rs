//! The named invariants of the architecture, as scans of the source. They see tokens, so neither comments nor strings
//! trip them; they do not resolve names, so they guard against habit, not against malice.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use super::circles::{module_of, names_below};
use super::tokens::{Kind, Tests, Token, lines_with, tokens};
use crate::summary::{Findings, Outcome};
use crate::workspace::Workspace;

/// A named invariant: where it applies, what may not occur there, and which files are excepted and why.
struct Rule {
    name: &'static str,
    applies: fn(&str) -> bool,
    tests: Tests,
    forbidden: &'static [&'static str],
    message: &'static str,
    excepted: &'static [Exception],
}

/// A file, or a folder (with a slash at its end), that a rule leaves alone.
struct Exception {
    path: &'static str,
    #[expect(dead_code, reason = "for the reader")]
    reason: &'static str,
}

const fn except(path: &'static str, reason: &'static str) -> Exception {
    Exception { path, reason }
}

/// Library source of a crate: what is neither a test, an example, a benchmark nor a build script.
fn is_library(path: &str) -> bool {
    path.starts_with("crates/")
        && path.contains("/src/")
        && !path.ends_with("/tests.rs")
        && !path.contains("/src/tests/")
}

fn is_anything(_: &str) -> bool {
    true
}

const RULES: [Rule; 8] = [
    Rule {
        name: "only pfh-source opens files",
        applies: |path| is_library(path) && !path.starts_with("crates/source/"),
        tests: Tests::Left,
        forbidden: &[
            "File::open",
            "File::create",
            "File::create_new",
            "File::options",
            "OpenOptions",
            "fs::read",
            "fs::read_to_string",
            "fs::write",
            "fs::copy",
            "fs::open",
            "openat",
            "openat2",
            "Mmap",
            "MmapOptions",
        ],
        message: "only pfh-source opens a file for its contents; take a `Source`, or `Read` and `Write`, from the caller",
        excepted: &[
            except("crates/testing/", "makes the odd trees that tests read"),
            except("crates/slowfs/src/", "shows the files of a directory as a slower device would"),
            except("crates/lab/src/", "definitions, results, and the data that it makes and hands to runners"),
            except("crates/pfh/src/cli/lab/measuring.rs", "temporary files for samples of `pfh lab advise`"),
            except("crates/pfh/src/cli/lab/survey.rs", "the lists that it is given for them"),
            except("crates/pfh/src/cli/lab/runner.rs", "reads as the runners that it is compared with do"),
            except(
                "crates/list/src/",
                "lists and indexes of digests, which are read, continued and written, never hashed",
            ),
            except("crates/nsrl/src/", "databases of known files, and the archives in which they are published"),
            except(
                "crates/pfh/src/cli/reading.rs",
                "the lists of --files-from and --compat gnu, a profile of bags, and the system's list of users",
            ),
            except("crates/plan/src/", "plans, the lists of shards, and their results"),
            except("crates/copy/src/", "files that are written, and directories of destinations"),
            except("crates/ledger/src/ledger.rs", "takes the name of a new ledger"),
            except("crates/pfh/src/cli/audit/policy.rs", "the policy of an audit"),
            except("crates/pfh/src/cli/audit/head.rs", "heads of ledgers and their time stamps"),
            except("crates/pfh/src/cli/output.rs", "the file of -o"),
            except("crates/pfh/src/cli/keys.rs", "the file of --key-file"),
        ],
    },
    Rule {
        name: "only the program prints or exits",
        applies: is_library,
        tests: Tests::Left,
        forbidden: &[
            "print!",
            "println!",
            "eprint!",
            "eprintln!",
            "dbg!",
            "process::exit",
            "process::abort",
            "io::stdout",
            "io::stderr",
            "stdout()",
            "stderr()",
        ],
        message: "only the program prints or exits; return a value or report through a trait",
        excepted: &[
            except("crates/pfh/src/cli/", "the program"),
            except("crates/pfh/tests/stranger/src/", "a program of somebody else's"),
            except("crates/source/src/standard.rs", "asks whether standard output is open"),
            except("crates/testing/src/bin/", "a program that tests run"),
            except("crates/testing/src/skip.rs", "a test that skips says so where nobody captures it"),
        ],
    },
    Rule {
        name: "one file knows exit statuses",
        applies: |path| path.starts_with("crates/pfh/src/"),
        tests: Tests::Left,
        forbidden: &["ExitStatus", "ExitCode", "process::exit", "process::abort"],
        message: "a command tells what happened by an `Ending`, of which cli/exit.rs alone makes a status",
        excepted: &[
            except("crates/pfh/src/cli/exit.rs", "makes the status"),
            except("crates/pfh/src/main.rs", "hands it to the system"),
        ],
    },
    Rule {
        name: "every command ends in one way",
        applies: |path| path.starts_with("crates/pfh/src/"),
        tests: Tests::Left,
        forbidden: &["Ending {}", "Ending::"],
        message: "a command ends by `Command::finish` or fails by `Failed`: only these make an `Ending`",
        excepted: &[
            except("crates/pfh/src/cli/command.rs", "ends every command"),
            except("crates/pfh/src/cli/exit.rs", "weighs what happened"),
        ],
    },
    Rule {
        name: "names are printed so that they command nothing",
        applies: |path| path.starts_with("crates/pfh/src/cli/"),
        tests: Tests::Left,
        forbidden: &[".display()"],
        message: "a name may hold escape sequences and line feeds: print it by `message::quoted` or `message::quoted_path`",
        excepted: &[],
    },
    Rule {
        name: "pfh-record does no input or output of its own",
        applies: |path| is_library(path) && path.starts_with("crates/record/"),
        tests: Tests::Left,
        forbidden: &["std::fs", "std::net", "std::env", "process::Command", "stdin()", "io::stdin"],
        message: "pfh-record does no I/O beyond the `Read` and `Write` it is given",
        excepted: &[],
    },
    Rule {
        name: "unsafe code has a home",
        applies: |path| path.starts_with("crates/") || path.starts_with("xtask/"),
        tests: Tests::Included,
        forbidden: &["unsafe"],
        message: "unsafe code lives in pfh-vector and pfh-digest (vectors) and in named files of pfh-source (I/O); \
            name a new file in xtask/src/check/invariants.rs with its reason",
        excepted: &[
            except("crates/vector/src/", "kernels of similarity digests, in vector instructions, and prefetching"),
            except("crates/digest/src/lanes/", "kernels that hash, in vector instructions"),
            except("crates/source/src/extent.rs", "the FIEMAP ioctl"),
            except(
                "crates/source/src/descriptor.rs",
                "the system call that gives a thread a descriptor table of its own",
            ),
            except("crates/source/src/map.rs", "maps of known sets, and the signal of those that lose their file"),
            except("crates/source/src/standard.rs", "looks at the standard descriptors before `main`"),
            except("crates/source/tests/leases.rs", "leases, as file servers have them"),
            except("crates/digest/tests/allocation.rs", "an allocator that counts"),
            except("crates/python/src/capsule.rs", "Arrow arrays of others, by the C data interface"),
            except("crates/python/src/interrupt.rs", "counts Ctrl-C in front of Python's handler"),
        ],
    },
    Rule {
        name: "nothing is left for later",
        applies: is_anything,
        tests: Tests::Included,
        forbidden: &["todo!", "unimplemented!", "#[ignore]"],
        message: "finish it or leave it out; a test that does not run is not a test",
        excepted: &[
            except("crates/record/tests/formats/seeds.rs", "writes the fuzz seeds when asked to"),
            except("crates/source/tests/read.rs", "the child process of another test"),
        ],
    },
];

/// Formats of lists and manifests; none of these words may occur in pfh-engine, in whatever case.
const FORMATS: [&str; 12] =
    ["bagit", "bsd_tag", "bsdtag", "coreutils", "csv", "dfxml", "gnu", "hashdeep", "json", "md5deep", "parquet", "sfv"];

/// Crates that may opt in to unsafe code, file by file. Their roots deny it, all others forbid it.
const MAY_BE_UNSAFE: [&str; 4] = ["pfh-vector", "pfh-digest", "pfh-source", "pfh-python"];

pub(super) fn check(workspace: &Workspace) -> Result<Outcome> {
    let mut findings = Findings::default();
    let mut used = vec![false; RULES.iter().map(|rule| rule.excepted.len()).sum()];
    let mut count = 0;
    for path in workspace.files()? {
        let Some(path) = path.to_str().filter(|path| path.ends_with(".rs")) else { continue };
        let source = workspace.read(path)?;
        scan(path, &source, &mut findings, &mut used).with_context(|| path.to_owned())?;
        count += 1;
    }
    // An exception that excuses nothing would excuse the next mistake.
    let exceptions = RULES.iter().flat_map(|rule| rule.excepted.iter().map(move |exception| (rule, exception)));
    for ((rule, exception), used) in exceptions.zip(used) {
        if !used {
            findings.add(format!("{}: the exception `{}` is no longer needed; remove it", rule.name, exception.path));
        }
    }
    judge_commands(workspace, &mut findings)?;
    judge_roots(workspace, &mut findings)?;
    findings.into_result(format!("{} rules over {count} files", RULES.len() + 3))
}

fn scan(path: &str, source: &str, findings: &mut Findings, used: &mut [bool]) -> Result<()> {
    let all = tokens(source, Tests::Included)?;
    let without_tests = tokens(source, Tests::Left)?;
    let mut first_exception = 0;
    for rule in &RULES {
        let exceptions = first_exception..first_exception + rule.excepted.len();
        first_exception = exceptions.end;
        if !(rule.applies)(path) {
            continue;
        }
        let seen = if rule.tests == Tests::Left { &without_tests } else { &all };
        let excepted = rule.excepted.iter().position(|exception| covers(exception.path, path));
        for pattern in rule.forbidden {
            for line in lines_with(seen, &tokens_of(pattern)?) {
                match excepted {
                    Some(index) => used[exceptions.start + index] = true,
                    None => findings.add(format!("{path}:{line}: `{pattern}`: {}", rule.message)),
                }
            }
        }
    }
    if is_library(path) && path.starts_with("crates/engine/") {
        for (line, word) in format_words(&without_tests) {
            findings.add(format!("{path}:{line}: `{word}`: pfh-engine names no file format"));
        }
    }
    Ok(())
}

fn covers(exception: &str, path: &str) -> bool {
    if exception.ends_with('/') { path.starts_with(exception) } else { path == exception }
}

/// The tokens of a pattern. An attribute and a struct lose their closing brackets, so that they also fit with what may
/// stand in them.
fn tokens_of(pattern: &str) -> Result<Vec<Token>> {
    let mut tokens = tokens(pattern, Tests::Included)?;
    if pattern.ends_with([']', '}']) {
        tokens.pop();
    }
    Ok(tokens)
}

fn format_words(tokens: &[Token]) -> Vec<(usize, &str)> {
    let is_text = |token: &&Token| token.kind != Kind::Punctuation;
    let names_format = |token: &&Token| {
        let text = token.text.to_ascii_lowercase();
        FORMATS.iter().any(|format| text.contains(format))
    };
    tokens.iter().filter(is_text).filter(names_format).map(|token| (token.line, token.text.as_str())).collect()
}

/// The commands, and what they share.
const COMMAND_LINE: &str = "crates/pfh/src/cli/";

/// No command is another one's library.
fn judge_commands(workspace: &Workspace, findings: &mut Findings) -> Result<()> {
    let program = workspace.read(format!("{COMMAND_LINE}mod.rs"))?;
    let commands = commands(&tokens(&program, Tests::Left)?)?;
    for path in workspace.files()? {
        let Some(inner) = path.to_str().and_then(|path| path.strip_prefix(COMMAND_LINE)) else { continue };
        if inner == "mod.rs" || !inner.ends_with(".rs") {
            continue;
        }
        for command in imported_commands(&commands, inner, &workspace.read(&path)?)? {
            findings.add(format!(
                "{COMMAND_LINE}{inner}: imports `{command}`: what two commands need is a module of its own, which \
                 neither of them is"
            ));
        }
    }
    Ok(())
}

/// The modules of the commands: those that the program calls, one for each command that its arguments can have.
fn commands(program: &[Token]) -> Result<BTreeSet<String>> {
    const COMMAND: [&str; 6] = ["args", ":", ":", "Command", ":", ":"];
    let words: Vec<&str> = program.iter().map(|token| token.text.as_str()).collect();
    let mut commands = BTreeSet::new();
    for arm in (0..words.len()).map(|place| &words[place..]).filter(|rest| rest.starts_with(&COMMAND)) {
        let called = arm.iter().skip_while(|word| **word != ">").nth(1).context("a command without a module")?;
        ensure!(words.windows(2).any(|pair| pair == ["mod", *called]), "`{called}` is called, and is no module");
        commands.insert((*called).to_owned());
    }
    ensure!(!commands.is_empty(), "{COMMAND_LINE}mod.rs calls no commands");
    Ok(commands)
}

/// The commands that a file of the command line imports, but for the one that it is a part of.
fn imported_commands(commands: &BTreeSet<String>, path: &str, source: &str) -> Result<Vec<String>> {
    let own = module_of(path);
    let imported = names_below(&["cli"], path, &tokens(source, Tests::Left)?);
    Ok(imported.into_iter().filter(|name| *name != own && commands.contains(name)).collect())
}

const FORBID: &str = "#![forbid(unsafe_code)]";

/// Each crate root forbids unsafe code, or denies it where named files may allow it.
fn judge_roots(workspace: &Workspace, findings: &mut Findings) -> Result<()> {
    let metadata = workspace.metadata(&["--no-deps"])?;
    for package in metadata["packages"].as_array().into_iter().flatten() {
        let name = package["name"].as_str().context("a package without name")?;
        let may_opt_in = MAY_BE_UNSAFE.contains(&name);
        let wanted: &[&str] = if may_opt_in { &[FORBID, "#![deny(unsafe_code)]"] } else { &[FORBID] };
        for root in package["targets"].as_array().into_iter().flatten().filter(|target| is_lib_or_bin(target)) {
            let path = root["src_path"].as_str().context("a target without source")?;
            let tokens = tokens(&workspace.read(path)?, Tests::Included)?;
            let mut found = false;
            for attribute in wanted {
                found |= !lines_with(&tokens, &tokens_of(attribute)?).is_empty();
            }
            if !found {
                let path = Path::new(path).strip_prefix(&workspace.root).unwrap_or(Path::new(path));
                findings.add(format!("{}: lacks `{}`", path.display(), wanted.join("` or `")));
            }
        }
    }
    Ok(())
}

fn is_lib_or_bin(target: &Value) -> bool {
    target["kind"]
        .as_array()
        .is_some_and(|kinds| kinds.iter().any(|kind| kind == "lib" || kind == "bin" || kind == "cdylib"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn findings(path: &str, source: &str) -> Vec<String> {
        let mut findings = Findings::default();
        scan(path, source, &mut findings, &mut [false; 64]).expect("Rust");
        findings.lines().to_vec()
    }

    #[test]
    fn only_the_source_crate_opens_files() {
        let source = "fn f() {\n    let _ = std::fs::File::open(path);\n}";
        assert_eq!(findings("crates/engine/src/x.rs", source).len(), 1);
        assert!(findings("crates/engine/src/x.rs", source)[0].starts_with("crates/engine/src/x.rs:2: `File::open`"));
        assert!(findings("crates/source/src/x.rs", source).is_empty());
        assert!(findings("crates/engine/tests/x.rs", source).is_empty());
    }

    #[test]
    fn only_the_program_prints() {
        for source in ["fn f() { println!(\"x\") }", "fn f() { std::process::exit(1) }", "fn f() { stderr().write() }"]
        {
            assert_eq!(findings("crates/record/src/x.rs", source).len(), 1, "{source}");
            assert!(findings("crates/pfh/src/cli/exit.rs", source).is_empty(), "{source}");
        }
        assert!(findings("crates/record/src/x.rs", "#[cfg(test)] mod tests { fn f() { println!() } }").is_empty());
    }

    #[test]
    fn commands_know_no_status() {
        for source in ["fn f() -> ExitCode { x }", "fn f() { process::exit(1) }"] {
            assert!(!findings("crates/pfh/src/cli/x.rs", source).is_empty(), "{source}");
        }
        assert!(findings("crates/pfh/src/cli/exit.rs", "fn f() -> ExitCode { x }").is_empty());
        for source in ["fn f() { Ok(Ending::DONE) }", "fn f() { Ending { usage: true } }"] {
            assert_eq!(findings("crates/pfh/src/cli/x.rs", source).len(), 1, "{source}");
            assert!(findings("crates/pfh/src/cli/command.rs", source).is_empty(), "{source}");
        }
        assert!(findings("crates/pfh/src/cli/x.rs", "fn f() -> Result<Ending, Failed> { x }").is_empty());
    }

    #[test]
    fn no_command_is_another_ones_library() {
        let of_program = |source: &str| commands(&tokens(source, Tests::Left).expect("Rust"));
        let program = "mod args; mod copy; mod hash; mod output; fn run() { match arguments.command { \
            args::Command::Copy(arguments) => copy::run(&arguments), \
            args::Command::Hash(arguments) => hash::run(output::open(arguments)?), } }";
        let commands = of_program(program).expect("commands");
        assert_eq!(Vec::from_iter(&commands), ["copy", "hash"]);
        assert!(of_program("mod hash; fn run() { match x { args::Command::Hash(x) => { hash::run(x) } } }").is_err());
        let imported = |path: &str, source: &str| imported_commands(&commands, path, source).expect("Rust");
        for source in [
            "use super::hash::g;",
            "use super::{args, hash};",
            "use crate::cli::hash;",
            "use crate::cli::{hash::g, output};",
            "fn f() { super::hash::g() }",
        ] {
            assert_eq!(imported("copy.rs", source), ["hash"], "{source}");
            assert_eq!(imported("output.rs", source), ["hash"], "{source}");
        }
        assert_eq!(imported("copy/order.rs", "use super::super::hash;"), ["hash"]);
        for source in ["use super::output;", "use pfh::hash::g;", "use super::copy::g;", "use super::hash_list;"] {
            assert!(imported("copy.rs", source).is_empty(), "{source}");
        }
        // Its own children.
        assert!(imported("copy/order.rs", "use super::hash; use crate::cli::copy::g;").is_empty());
    }

    #[test]
    fn unsafe_code_stays_at_home_even_in_tests() {
        let source = "#[cfg(test)] mod tests { fn f() { unsafe { g() } } }";
        assert_eq!(findings("crates/engine/src/x.rs", source).len(), 1);
        assert!(findings("crates/source/src/extent.rs", source).is_empty());
        assert!(findings("crates/engine/src/lib.rs", "#![forbid(unsafe_code)]").is_empty());
    }

    #[test]
    fn nothing_is_left_for_later() {
        for source in
            ["fn f() { todo!() }", "#[test]\n#[ignore]\nfn t() {}", "#[test]\n#[ignore = \"slow\"]\nfn t() {}"]
        {
            assert_eq!(findings("fuzz/x.rs", source).len(), 1, "{source}");
        }
    }

    #[test]
    fn the_engine_names_no_format() {
        assert_eq!(findings("crates/engine/src/x.rs", "fn f() { JsonLines::new(\"a.csv\") }").len(), 2);
        assert!(findings("crates/engine/src/x.rs", "/// JSON\nfn f() { format!(\"x\") }").is_empty());
        assert!(findings("crates/record/src/x.rs", "fn f() { JsonLines::new() }").is_empty());
    }

    #[test]
    fn records_do_no_io() {
        assert_eq!(findings("crates/record/src/x.rs", "use std::fs;").len(), 1);
    }
}
