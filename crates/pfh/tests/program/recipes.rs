//! The recipes for Slurm and Kubernetes: their shell, with the variables that those set.

use std::env;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use crate::fixture::*;

fn contrib(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../contrib").join(path).canonicalize().unwrap()
}

/// Prepares a run of a script, with the program, and further ones in `directory/bin`, in `PATH`.
fn script<const N: usize>(directory: &Path, arguments: [&str; N]) -> Run {
    let program = Path::new(env!("CARGO_BIN_EXE_pfh")).parent().unwrap().to_owned();
    let path = env::var_os("PATH").unwrap_or_default();
    let path = env::join_paths([program, directory.join("bin")].into_iter().chain(env::split_paths(&path))).unwrap();
    Run::new("bash", directory, arguments).with(|command| command.env("PATH", path))
}

fn planned(shards: &str) -> tempfile::TempDir {
    let directory = scratch();
    for number in 0..30 {
        let folder = directory.path().join(format!("t/{}", number / 10));
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join(format!("{number:02}")), contents(number, 3000)).unwrap();
    }
    pfh(directory.path(), ["shard", "-q", "-o", "plan", "--shards", shards, "t"]).run().done();
    directory
}

fn is_whole(directory: &Path) {
    let one = hash(directory, ["t"]).run();
    assert_eq_bytes(&fs::read(directory.join("list")).unwrap(), one.done());
}

#[test]
fn a_slurm_array_hashes_its_shards() {
    let directory = planned("6");
    let root = directory.path();
    let array = contrib("slurm/pfh-array.sh");
    let task = |number: &str, tasks: &[&str]| {
        let arguments = [array.to_str().unwrap(), "plan", tasks.first().copied().unwrap_or("")];
        let run = script(root, arguments);
        run.with(|command| command.env("SLURM_ARRAY_TASK_ID", number).env("SLURM_CPUS_PER_TASK", "2")).run()
    };
    task("4", &[]).done();
    assert_eq!(names(&root.join("plan")).len(), 6 + 1 + 1);
    // More shards than tasks.
    for number in ["0", "1"] {
        task(number, &["2"]).done();
    }
    assert_eq!(task("7", &[]).code(), 2);
    let merge = contrib("slurm/pfh-merge.sh");
    script(root, [merge.to_str().unwrap(), "plan", "list", "-f", "gnu"]).run().done();
    is_whole(root);
}

/// The shards that are missing are submitted. In place of Slurm there is a program that runs each task of an array,
/// except for one on a node that fails.
#[test]
fn what_is_missing_is_submitted_again() {
    const SBATCH: &str = r#"#!/bin/bash
set -eu
[ "$1" = --parsable ]; shift
echo "$@" >> submitted
case $1 in
--array=*)
    tasks=${1#--array=}; shift
    for task in $(tr , ' ' <<< "${tasks%%%*}"); do
        if [ "$task" = 3 ] && ! [ -e failed ]; then touch failed; continue; fi
        SLURM_ARRAY_TASK_ID=$task bash "$@"
    done ;;
--dependency=afterany:17) shift; bash "$@" || true ;;
*) bash "$@" ;;
esac
echo 17
"#;
    let directory = planned("5");
    let root = directory.path();
    fs::create_dir(root.join("bin")).unwrap();
    fs::write(root.join("bin/sbatch"), SBATCH).unwrap();
    fs::set_permissions(root.join("bin/sbatch"), fs::Permissions::from_mode(0o755)).unwrap();
    let submit = contrib("slurm/pfh-submit.sh");
    let submit = || script(root, [submit.to_str().unwrap(), "plan", "list", "2"]).run();
    let first = submit();
    assert_eq!(first.code(), 0, "{}", first.stderr);
    assert!(first.stderr.contains("1 of 5 shards have no result: 3"), "{}", first.stderr);
    assert!(!root.join("list").exists());
    submit().done();
    is_whole(root);
    // Nothing is missing: only merging.
    fs::remove_file(root.join("list")).unwrap();
    submit().done();
    is_whole(root);
    let submitted = fs::read_to_string(root.join("submitted")).unwrap();
    let words: Vec<&str> = submitted.lines().map(|line| line.split(' ').next().unwrap()).collect();
    assert_eq!(
        words[..4],
        ["--array=0,1,2,3,4%2", "--dependency=afterany:17", "--array=3%2", "--dependency=afterany:17"]
    );
    assert_eq!(words.len(), 5);
    // Where results are damaged, or there is no plan, nothing is submitted.
    fs::write(root.join("plan/00002.jsonl"), "").unwrap();
    let damaged = submit();
    assert!(damaged.code() == 3 && damaged.stderr.contains("is not the result of shard 2"), "{}", damaged.stderr);
    fs::remove_file(root.join("plan/plan.json")).unwrap();
    assert_eq!(submit().code(), 2);
    assert_eq!(fs::read_to_string(root.join("submitted")).unwrap(), submitted);
}

#[test]
fn a_pod_hashes_the_shard_of_its_index() {
    let directory = planned("3");
    let root = directory.path();
    let job = fs::read_to_string(contrib("kubernetes/pfh-job.yaml")).unwrap();
    let mut lines = job.lines().skip_while(|line| line.trim() != "- |").skip(1);
    let shell = lines.next().unwrap().trim();
    assert!(shell.starts_with("exec pfh hash ") && lines.next().unwrap().trim() == "env:", "{shell}");
    for index in ["0", "1", "2", "1"] {
        let variables = [("PLAN", "plan"), ("THREADS", "2"), ("JOB_COMPLETION_INDEX", index)];
        script(root, ["-c", shell]).with(|command| command.envs(variables)).run().done();
    }
    pfh(root, ["merge", "plan", "-o", "list"]).run().done();
    is_whole(root);
}
