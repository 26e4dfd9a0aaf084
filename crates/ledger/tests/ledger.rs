//! Ledgers from outside: findings, tampering, damage, interruption.
#![forbid(unsafe_code)]
#![expect(clippy::unwrap_used, reason = "the functions that tests share are tests too")]

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::Instant;

use pfh_digest::Algorithm;
use pfh_ledger::{
    Digests, Error, Finding, Ledger, Observation, Plan, Problem, Run, RunEnd, RunOptions, Seen, Settings, Status,
    Stopped, Subject, Survey, VERSION,
};
use pfh_record::Timestamp;
use rusqlite::Connection;

/// A file of a tree that exists in memory only.
#[derive(Clone, Debug, PartialEq, Eq)]
struct File {
    contents: Vec<u8>,
    mtime: i64,
    ctime: i64,
    inode: u64,
}

/// A tree, whose files can be changed behind the back of the filesystem.
#[derive(Clone, Default)]
struct Tree {
    files: BTreeMap<String, File>,
    clock: i64,
    inodes: u64,
}

impl Tree {
    fn write(&mut self, path: &str, contents: &str) {
        self.clock += 1;
        self.inodes += 1;
        let inode = self.files.get(path).map_or(self.inodes, |file| file.inode);
        let file = File { contents: contents.into(), mtime: self.clock, ctime: self.clock, inode };
        self.files.insert(path.to_owned(), file);
    }

    fn rename(&mut self, from: &str, to: &str) {
        self.clock += 1;
        let file = self.files.remove(from).unwrap();
        self.files.insert(to.to_owned(), File { ctime: self.clock, ..file });
    }

    fn rot(&mut self, path: &str) {
        self.files.get_mut(path).unwrap().contents[0] ^= 1;
    }
}

fn subject(path: &str) -> Subject {
    Subject { root: 0, path: path.as_bytes().to_vec() }
}

fn seen(file: &File) -> Seen {
    let time = |seconds| Timestamp { seconds, nanoseconds: 5 };
    Seen { size: file.contents.len() as u64, mtime: time(file.mtime), ctime: time(file.ctime), inode: file.inode }
}

fn digests(names: &[String], contents: &[u8]) -> Digests {
    let all: Vec<_> = names.iter().map(|name| Algorithm::from_name(name).unwrap().digest(contents)).collect();
    Digests::new(&all)
}

fn options(mode: &str, algorithms: &[&str]) -> RunOptions {
    let algorithms = algorithms.iter().map(|&name| name.to_owned()).collect();
    RunOptions { mode: mode.to_owned(), algorithms, ..RunOptions::default() }
}

/// Begins a run and reads files, `stop_after` of them at most. Returns what is not read.
fn part(path: &Path, tree: &Tree, options: RunOptions, plan: &Plan, stop_after: usize) -> (RunEnd, usize, Vec<String>) {
    let ledger = Ledger::open(path, true).unwrap();
    let mut run = Run::begin(ledger, options, &Settings::default()).unwrap();
    let mut survey = Survey::new(1 << 20);
    for (path, file) in &tree.files {
        survey.push(&subject(path), &seen(file), 7).unwrap();
    }
    let (surveyed, tasks) = survey.compare(&run, plan).unwrap();
    let algorithms = run.options().algorithms.clone();
    let (mut read, mut order, mut handed) = (0, Vec::new(), 0);
    let all = tasks.files();
    for task in tasks {
        if read == stop_after {
            run.save().unwrap();
            return (RunEnd::default(), read, order);
        }
        handed += 1;
        read += 1;
        let path = String::from_utf8(task.subject.path.clone()).unwrap();
        let file = &tree.files[&path];
        assert_eq!((task.size, task.inode, task.device), (file.contents.len() as u64, file.inode, 7));
        let observation = Observation::Read { seen: seen(file), digests: digests(&algorithms, &file.contents) };
        run.record(task.subject, observation).unwrap();
        order.push(path);
    }
    let stopped = if handed < all { Stopped::Limit } else { Stopped::No };
    let is_gone = &mut |subject: &Subject| !tree.files.contains_key(str::from_utf8(&subject.path).unwrap());
    let (end, _) = run.end(&surveyed, stopped, is_gone).unwrap();
    (end, read, order)
}

fn whole(path: &Path, tree: &Tree, mode: &str) -> RunEnd {
    let plan = Plan { unchanged: mode == "full", ..Plan::default() };
    part(path, tree, options(mode, &["sha256"]), &plan, usize::MAX).0
}

fn create(path: &Path) {
    drop(Ledger::create(path, &[b"/tree".to_vec()], &Settings::default()).unwrap());
}

fn counts(counts: &BTreeMap<String, u64>) -> Vec<(&str, u64)> {
    counts.iter().map(|(word, count)| (word.as_str(), *count)).collect()
}

fn findings(path: &Path, file: &str) -> Vec<Finding> {
    let events = Ledger::open(path, false).unwrap().history(&subject(file)).unwrap().unwrap();
    events.into_iter().map(|event| event.finding).collect()
}

#[track_caller]
fn intact(path: &Path) {
    let verified = Ledger::open(path, false).unwrap().verify(None, &|| false).unwrap();
    assert_eq!((verified.problems, verified.clock_went_back), (Vec::new(), Vec::new()));
}

#[test]
fn each_change_has_its_finding() {
    let directory = tempfile::tempdir().unwrap();
    let path = &directory.path().join("ledger");
    create(path);
    let mut tree = Tree::default();
    for name in ["a/same", "a/moved", "a/gone", "a/edited", "a/rotten", "twin/1", "twin/2", "empty", "z"] {
        let contents = if name.starts_with("twin") { "twin" } else { name };
        tree.write(name, if name == "empty" { "" } else { contents });
    }
    let end = whole(path, &tree, "init");
    assert_eq!((counts(&end.findings), end.read, end.state.as_str()), (vec![("first", 9)], 9, "complete"));
    assert_eq!(counts(&whole(path, &tree, "incremental").findings), []);
    assert_eq!(counts(&whole(path, &tree, "full").findings), [("matched", 9)]);

    let before = tree.clone();
    tree.rename("a/moved", "b/renamed");
    tree.files.remove("a/gone").unwrap();
    tree.write("a/edited", "edited again");
    tree.rot("a/rotten");
    // Of two equal files one is renamed: the other one is no candidate, since its name is still there.
    tree.rename("twin/2", "twin/3");
    // An empty file is never moved.
    tree.rename("empty", "void");
    tree.write("copy", "z");
    tree.write("brand new", "brand new");
    let end = whole(path, &tree, "incremental");
    let expected = [("changed", 1), ("copied", 1), ("missing", 2), ("moved", 2), ("new", 2)];
    assert_eq!((counts(&end.findings), counts(&end.open)), (expected.to_vec(), vec![("changed", 1), ("missing", 2)]));
    // The metadata of what rotted did not change, so only a full run finds it.
    let end = whole(path, &tree, "full");
    assert_eq!(counts(&end.findings), [("bit-rot", 1), ("changed", 1), ("matched", 8)]);
    assert_eq!(counts(&end.open), [("bit-rot", 1), ("changed", 1), ("missing", 2)]);
    // An open finding stays so, and a file that changed is no bit rot because it stays as it was.
    let again = whole(path, &tree, "full");
    assert_eq!((counts(&again.findings), counts(&again.open)), (counts(&end.findings), counts(&end.open)));
    assert_eq!(findings(path, "twin/2"), [Finding::First, Finding::Matched, Finding::MovedAway]);
    assert_eq!(findings(path, "twin/3"), [Finding::Moved, Finding::Matched, Finding::Matched]);
    assert_eq!(findings(path, "empty"), [Finding::First, Finding::Matched, Finding::Missing]);
    let moved = &Ledger::open(path, false).unwrap().history(&subject("b/renamed")).unwrap().unwrap()[0];
    assert_eq!(moved.other, Some(subject("a/moved")));
    intact(path);

    // A backup brings back what was there.
    let mut restored = tree.clone();
    for name in ["a/gone", "a/edited", "a/rotten"] {
        restored.clock += 1;
        let file = File { ctime: restored.clock, ..before.files[name].clone() };
        restored.files.insert(name.to_owned(), file);
    }
    let end = whole(path, &restored, "incremental");
    assert_eq!((counts(&end.findings), counts(&end.open)), (vec![("back", 3)], vec![("missing", 1)]));
    intact(path);
}

#[test]
fn people_decide() {
    let directory = tempfile::tempdir().unwrap();
    let path = &directory.path().join("ledger");
    create(path);
    let mut tree = Tree::default();
    for name in ["d/edited", "d/gone", "kept", "d.x"] {
        tree.write(name, name);
    }
    whole(path, &tree, "init");
    tree.write("d/edited", "other");
    tree.files.remove("d/gone").unwrap();
    assert_eq!(counts(&whole(path, &tree, "incremental").open), [("changed", 1), ("missing", 1)]);
    let mut ledger = Ledger::open(path, true).unwrap();
    let refused = ledger.accept(&subject("kept"), "me", "why").unwrap_err().to_string();
    assert_eq!(refused, "no finding is open for `kept`");
    let decided = ledger.accept(&subject("d"), "me", "cleared out").unwrap();
    let expected = [(subject("d/edited"), Status::Changed), (subject("d/gone"), Status::Missing)];
    assert_eq!(decided, expected);
    let last = ledger.history(&subject("d/gone")).unwrap().unwrap().pop().unwrap();
    let decision = ("me".to_owned(), "cleared out".to_owned());
    assert_eq!((last.finding, Ledger::decision(&last.note.unwrap())), (Finding::Accepted, Some(decision)));
    drop(ledger);
    let end = whole(path, &tree, "full");
    assert_eq!((counts(&end.findings), counts(&end.open)), (vec![("matched", 3)], vec![]));
    let mut ledger = Ledger::open(path, true).unwrap();
    assert_eq!(ledger.forget(&subject("kept"), "me", "moved out").unwrap(), [(subject("kept"), Status::Sound)]);
    assert!(ledger.forget(&subject("kept"), "me", "again").is_err());
    drop(ledger);
    // It is still there, so it is new again.
    assert_eq!(counts(&whole(path, &tree, "incremental").findings), [("new", 1)]);
    assert_eq!(findings(path, "kept"), [Finding::First, Finding::Matched, Finding::Forgotten, Finding::New]);
    intact(path);
}

#[test]
fn a_file_that_cannot_be_read_is_no_other_finding_later() {
    let directory = tempfile::tempdir().unwrap();
    let path = &directory.path().join("ledger");
    create(path);
    let mut tree = Tree::default();
    tree.write("f", "contents");
    whole(path, &tree, "init");
    tree.write("f", "edited");
    // Before the edited file can be read, there are errors.
    let fail = |observation: Observation| {
        let ledger = Ledger::open(path, true).unwrap();
        let mut run = Run::begin(ledger, options("incremental", &["sha256"]), &Settings::default()).unwrap();
        let mut survey = Survey::new(1 << 20);
        survey.push(&subject("f"), &seen(&tree.files["f"]), 7).unwrap();
        let (surveyed, tasks) = survey.compare(&run, &Plan::default()).unwrap();
        assert_eq!(tasks.files(), 1);
        run.record(subject("f"), observation).unwrap();
        run.end(&surveyed, Stopped::No, &mut |_| false).unwrap().0
    };
    let end = fail(Observation::Failed { offset: 4096, error: "input/output error".to_owned() });
    assert_eq!(counts(&end.open), [("unreadable", 1)]);
    assert_eq!(counts(&fail(Observation::Changing).open), [("changing", 1)]);
    let refused = Ledger::open(path, true).unwrap().accept(&subject("f"), "me", "why").unwrap_err().to_string();
    assert!(refused.contains("could not be read"), "{refused}");
    assert_eq!(counts(&whole(path, &tree, "incremental").findings), [("changed", 1)]);
    let history = Ledger::open(path, false).unwrap().history(&subject("f")).unwrap().unwrap();
    let failure = Ledger::failure(history[1].note.as_deref().unwrap());
    assert_eq!(failure, Some((4096, "input/output error".to_owned())));
    intact(path);
}

/// Before a file has been read for the first time, nobody knows that it was moved.
#[test]
fn a_moved_file_that_could_not_be_read_at_first_is_moved() {
    let directory = tempfile::tempdir().unwrap();
    let path = &directory.path().join("ledger");
    create(path);
    let mut tree = Tree::default();
    tree.write("a", "contents");
    tree.write("z", "kept");
    whole(path, &tree, "init");
    tree.rename("a", "b");
    let ledger = Ledger::open(path, true).unwrap();
    let mut run = Run::begin(ledger, options("incremental", &["sha256"]), &Settings::default()).unwrap();
    let mut survey = Survey::new(1 << 20);
    for name in ["b", "z"] {
        survey.push(&subject(name), &seen(&tree.files[name]), 7).unwrap();
    }
    let (surveyed, tasks) = survey.compare(&run, &Plan::default()).unwrap();
    assert_eq!(tasks.files(), 1);
    run.record(subject("b"), Observation::Failed { offset: 0, error: "refused".to_owned() }).unwrap();
    let (end, _) = run.end(&surveyed, Stopped::No, &mut |at| at.path == b"a").unwrap();
    assert_eq!(counts(&end.findings), [("missing", 1), ("unreadable", 1)]);
    // An interrupted run has read it already, and does not read it again.
    let plan = Plan { unchanged: true, ..Plan::default() };
    let (_, _, order) = part(path, &tree, options("full", &["sha256"]), &plan, 1);
    assert_eq!(order, ["b"]);
    let (end, _, order) = part(path, &tree, options("full", &["sha256"]), &plan, usize::MAX);
    assert_eq!(order, ["z"]);
    assert_eq!((counts(&end.findings), counts(&end.open)), (vec![("matched", 1), ("moved", 1)], vec![]));
    assert_eq!(findings(path, "a"), [Finding::First, Finding::Missing, Finding::MovedAway]);
    assert_eq!(findings(path, "b"), [Finding::Unreadable, Finding::Moved]);
    intact(path);
}

/// A run whose walk is refused has not begun.
#[test]
fn a_run_that_compares_nothing_is_not_recorded() {
    let directory = tempfile::tempdir().unwrap();
    let path = &directory.path().join("ledger");
    create(path);
    let other = Settings { exclude: vec!["*.tmp".to_owned()], ..Settings::default() };
    let mut ledger = Ledger::open(path, true).unwrap();
    ledger.prepare_settings(&other).unwrap();
    drop(Run::begin(ledger, options("init", &["sha256"]), &other).unwrap());
    let ledger = Ledger::open(path, false).unwrap();
    assert_eq!((ledger.head().unwrap().events, ledger.settings().unwrap()), (2, Settings::default()));
    intact(path);
}

/// A run that is stopped anywhere, again and again, reads each file once and finds the same.
#[test]
fn an_interrupted_run_goes_on() {
    let directory = tempfile::tempdir().unwrap();
    let mut tree = Tree::default();
    for number in 0..40 {
        tree.write(&format!("{}/{number}", number % 7), &format!("contents {}", number / 2));
    }
    let changed = {
        let mut tree = tree.clone();
        for number in 0..10 {
            tree.rename(&format!("{}/{number}", number % 7), &format!("new/{number}"));
            tree.write(&format!("{}/{}", (20 + number) % 7, 20 + number), "edited");
        }
        tree
    };
    let mut results = Vec::new();
    for step in [usize::MAX, 1, 3, 7] {
        let path = &directory.path().join(format!("ledger {step}"));
        create(path);
        let plan = Plan { unchanged: true, ..Plan::default() };
        for (mode, tree) in [("init", &tree), ("full", &changed)] {
            let mut read = 0;
            let end = loop {
                let (end, more, _) = part(path, tree, options(mode, &["sha256"]), &plan, step);
                read += more;
                if !end.state.is_empty() {
                    break end;
                }
                intact(path);
            };
            assert_eq!((read, end.read, end.files), (40, 40, 40), "{step} {mode}");
            results.push((
                step,
                mode,
                counts(&end.findings).iter().map(|&(w, c)| (w.to_owned(), c)).collect::<Vec<_>>(),
            ));
        }
        intact(path);
        assert_eq!(Ledger::open(path, false).unwrap().runs().unwrap().len(), 2);
    }
    for (step, mode, found) in &results {
        let (_, _, expected) = results.iter().find(|(_, other, _)| other == mode).unwrap();
        assert_eq!(found, expected, "{step} {mode}");
    }
}

#[test]
fn rolling_runs_verify_all_in_turn() {
    let directory = tempfile::tempdir().unwrap();
    let path = &directory.path().join("ledger");
    create(path);
    let mut tree = Tree::default();
    for number in 0..30 {
        tree.write(&format!("{number:02}"), &"x".repeat(10 + number % 3));
    }
    whole(path, &tree, "init");
    let plan = Plan { unchanged: true, share: Some(5), ..Plan::default() };
    let mut seen = Vec::new();
    for _ in 0..5 {
        let (end, read, order) = part(path, &tree, options("rolling", &["sha256"]), &plan, usize::MAX);
        assert!((5..=7).contains(&read) && end.state == "limited" && end.left == 30 - read as u64, "{read} {end:?}");
        seen.extend(order);
    }
    let mut all: Vec<String> = seen[..30.min(seen.len())].to_vec();
    all.sort();
    all.dedup();
    assert_eq!(all.len(), seen.len().min(30), "{seen:?}");
    assert!(seen.len() >= 30, "{seen:?}");
    // Those that were read longest ago come first again.
    let (.., order) = part(path, &tree, options("rolling", &["sha256"]), &plan, usize::MAX);
    assert!(order.iter().all(|path| seen[..14].contains(path)), "{order:?}");
    // The rest of an interrupted run reads the rest of its share.
    let (_, first, _) = part(path, &tree, options("rolling", &["sha256"]), &plan, 3);
    let (end, rest, _) = part(path, &tree, options("rolling", &["sha256"]), &plan, usize::MAX);
    assert!(first == 3 && (2..=4).contains(&rest) && end.read == 3 + rest as u64, "{rest} {end:?}");
    // A file that must be read comes before them.
    tree.write("99", "new");
    let limit = Plan { bytes_max: Some(1), ..plan };
    let (_, _, order) = part(path, &tree, options("rolling", &["sha256"]), &limit, usize::MAX);
    assert_eq!(order, ["99"]);
    let never = Plan { unchanged: true, verified_before: Some(0), ..Plan::default() };
    assert_eq!(part(path, &tree, options("rolling", &["sha256"]), &never, usize::MAX).1, 0);
    let always = Plan { verified_before: Some(i64::MAX), ..never };
    assert_eq!(part(path, &tree, options("rolling", &["sha256"]), &always, usize::MAX).1, 31);
    intact(path);
}

#[test]
fn migration_takes_only_what_agrees() {
    let directory = tempfile::tempdir().unwrap();
    let path = &directory.path().join("ledger");
    create(path);
    let mut tree = Tree::default();
    for name in ["a", "b", "rotten"] {
        tree.write(name, name);
    }
    let run = |tree: &Tree, mode: &str, names: &[&str], stop: usize| {
        part(path, tree, options(mode, names), &Plan { unchanged: mode == "full", ..Plan::default() }, stop)
    };
    run(&tree, "init", &["md5"], usize::MAX);
    tree.rot("rotten");
    assert_eq!(run(&tree, "migrate", &["md5", "sha256"], 1).1, 1);
    let (end, read, _) = run(&tree, "migrate", &["md5", "sha256"], usize::MAX);
    assert_eq!((counts(&end.findings), read), (vec![("bit-rot", 1), ("migrated", 2)], 2));
    let ledger = Ledger::open(path, false).unwrap();
    assert_eq!((ledger.without("sha256").unwrap(), ledger.without("md5").unwrap()), (1, 0));
    // The crosswalk: both digests in one event.
    let event = ledger.history(&subject("a")).unwrap().unwrap().pop().unwrap();
    assert_eq!(event.digests, Some(digests(&["md5".to_owned(), "sha256".to_owned()], b"a")));
    drop(ledger);
    // Later runs compare by the new digest alone.
    let (end, ..) = run(&tree, "full", &["sha256", "md5"], usize::MAX);
    assert_eq!(counts(&end.findings), [("bit-rot", 1), ("matched", 2)]);
    intact(path);
}

/// Equal files are paired with equal files in the order of their paths, those that keep their names first.
#[test]
fn many_equal_files_move_and_are_copied() {
    const FILES: usize = 3000;
    let directory = tempfile::tempdir().unwrap();
    for is_equal in [false, true] {
        let path = &directory.path().join(format!("ledger-{is_equal}"));
        create(path);
        let mut tree = Tree::default();
        let contents = |number: usize| format!("{}", if is_equal { 0 } else { number });
        for number in 0..FILES {
            tree.write(&format!("a/{number:04}"), &contents(number));
            tree.write(&format!("c/{number:04}"), &contents(FILES + number));
        }
        whole(path, &tree, "init");
        for number in 0..FILES {
            tree.rename(&format!("a/{number:04}"), &format!("b/{number:04}"));
            tree.rename(&format!("c/{number:04}"), &format!("d/x{number:04}"));
        }
        assert_eq!(counts(&whole(path, &tree, "incremental").findings), [("moved", 2 * FILES as u64)]);
        for number in 0..FILES {
            tree.write(&format!("e/{number:04}"), &contents(number));
        }
        assert_eq!(counts(&whole(path, &tree, "incremental").findings), [("copied", FILES as u64)]);
        let ledger = Ledger::open(path, false).unwrap();
        for number in (0..FILES).step_by(97) {
            for (from, to) in [("a/", "b/"), ("c/", "d/x")] {
                let events = ledger.history(&subject(&format!("{to}{number:04}"))).unwrap().unwrap();
                assert_eq!(events[0].other, Some(subject(&format!("{from}{number:04}"))));
            }
        }
    }
}

/// Changes a ledger with SQLite, and returns the problems that show.
fn tampered(path: &Path, sql: &str, head: Option<(i64, [u8; 32])>) -> Vec<Problem> {
    let copy = path.with_extension("copy");
    fs::copy(path, &copy).unwrap();
    let connection = Connection::open(&copy).unwrap();
    connection.execute_batch(sql).unwrap();
    drop(connection);
    let verified = Ledger::open(&copy, false).unwrap().verify(head, &|| false).unwrap();
    fs::remove_file(&copy).unwrap();
    verified.problems
}

#[test]
fn tampering_shows() {
    let directory = tempfile::tempdir().unwrap();
    let path = &directory.path().join("ledger");
    create(path);
    let mut tree = Tree::default();
    for name in ["a", "b", "c"] {
        tree.write(name, name);
    }
    whole(path, &tree, "init");
    tree.rename("a", "d");
    whole(path, &tree, "full");
    let ledger = Ledger::open(path, false).unwrap();
    let (last, hash) = ledger.last_event();
    drop(ledger);
    assert_eq!(tampered(path, "SELECT 1", Some((last, hash))), []);
    // Events before the first one, which no hash covers: of a file, of the settings, and of a run.
    for (id, which) in [(-1, "kind = 11"), (0, "kind = 1"), (-10_001, "kind = 3"), (i64::MIN, "kind = 4")] {
        let sql = format!(
            "CREATE TEMP TABLE forged AS SELECT * FROM event WHERE {which} LIMIT 1; UPDATE forged SET id = {id}; \
             INSERT INTO event SELECT * FROM forged"
        );
        assert_eq!(tampered(path, &sql, None), [Problem::Number(id)], "{which}");
    }
    for sql in [
        "UPDATE event SET time = time + 1 WHERE id = 5",
        "UPDATE event SET digests = zeroblob(32) WHERE id = 5",
        "UPDATE event SET kind = 12 WHERE id = 9",
        "UPDATE event SET note = NULL WHERE id = 1",
        "UPDATE event SET other = NULL WHERE other IS NOT NULL",
        "UPDATE event SET hash = zeroblob(32) WHERE id = 5",
        "UPDATE event SET hash = x'00' WHERE id = 5",
        "DELETE FROM event WHERE id = 5",
        "DELETE FROM event WHERE id = 1",
        "UPDATE file SET path = x'78' WHERE path = x'62'",
        "UPDATE file SET status = 1 WHERE path = x'62'",
        "UPDATE file SET status = 99 WHERE path = x'62'",
        "UPDATE file SET expected = 8 WHERE path = x'62'",
        "DELETE FROM file WHERE path = x'62'",
        "INSERT INTO file VALUES(0, x'79', 77, 0, 4, 4, 4)",
        "UPDATE root SET path = x'2f78'",
        "DELETE FROM root",
        "UPDATE algorithms SET names = 'sha3-256'",
        "CREATE TRIGGER t AFTER INSERT ON event BEGIN DELETE FROM file; END",
        "CREATE VIEW v AS SELECT 1",
        "DROP INDEX event_of_file",
    ] {
        assert_ne!(tampered(path, sql, None), [], "{sql}");
    }
    // A view in the place of a table is not even opened.
    let copy = &path.with_extension("copy");
    fs::copy(path, copy).unwrap();
    let view = "ALTER TABLE event RENAME TO other; CREATE VIEW event AS SELECT * FROM other";
    Connection::open(copy).unwrap().execute_batch(view).unwrap();
    assert!(matches!(Ledger::open(copy, false), Err(Error::Damaged(_))));
    // One that is first needed by a run.
    fs::copy(path, copy).unwrap();
    Connection::open(copy).unwrap().execute_batch("DROP TABLE pending").unwrap();
    let ledger = Ledger::open(copy, true).unwrap();
    let begun = Run::begin(ledger, options("incremental", &["sha256"]), &Settings::default());
    assert!(matches!(begun, Err(Error::Damaged(_))));
    // Losing the end, and all that followed from it, shows only to those who kept a head.
    let sql = format!("DELETE FROM event WHERE id = {last}");
    assert_eq!(tampered(path, &sql, None), []);
    assert_eq!(tampered(path, &sql, Some((last, hash))), [Problem::Head { event: last, is_there: false }]);
    let other = Problem::Head { event: last, is_there: true };
    assert_eq!(tampered(path, "SELECT 1", Some((last, [0; 32]))), [other]);
}

/// A run that compares with digests that nobody accepted, since the table was changed and changed back, shows.
#[test]
fn a_state_that_was_changed_for_a_run_shows() {
    let directory = tempfile::tempdir().unwrap();
    let path = &directory.path().join("ledger");
    create(path);
    let mut tree = Tree::default();
    tree.write("a", "good");
    whole(path, &tree, "init");
    tree.write("a", "evil");
    assert_eq!(counts(&whole(path, &tree, "full").findings), [("changed", 1)]);
    let change = |sql: &str| Connection::open(path).unwrap().execute_batch(sql).unwrap();
    let first: i64 =
        Connection::open(path).unwrap().query_row("SELECT expected FROM file", [], |row| row.get(0)).unwrap();
    change("UPDATE file SET status = 0, expected = checked");
    assert_eq!(counts(&whole(path, &tree, "full").findings), [("matched", 1)]);
    let last = Ledger::open(path, false).unwrap().last_event().0 - 1;
    change(&format!("UPDATE file SET expected = {first}"));
    assert_eq!(tampered(path, "SELECT 1", None), [Problem::Expected(last)]);
}

/// Paths are bytes, and the table of roots follows from the events.
#[test]
fn relocations_are_events() {
    let directory = tempfile::tempdir().unwrap();
    let path = &directory.path().join("ledger");
    let roots = [b"/a".to_vec(), b"/b".to_vec()];
    let mut ledger = Ledger::create(path, &roots, &Settings::default()).unwrap();
    let names: [&[u8]; 3] = ["/new \"name\"".as_bytes(), b"/\xff\n", b"/b"];
    for name in names {
        ledger.relocate(1, name, "Anna", "new disk").unwrap();
        assert_eq!(ledger.roots().unwrap(), [&b"/a"[..], name]);
    }
    let (last, _) = ledger.last_event();
    assert!(matches!(ledger.relocate(2, b"/c", "Anna", "none"), Err(Error::Refused(_))));
    assert_eq!(ledger.last_event().0, last);
    drop(ledger);
    let ledger = Ledger::open(path, false).unwrap();
    let found: Vec<_> = ledger.relocations().unwrap().into_iter().map(|one| (one.root, one.from, one.to)).collect();
    let expected = [(&b"/b"[..], names[0]), (names[0], names[1]), (names[1], names[2])];
    assert_eq!(found, expected.map(|(from, to)| (1, from.to_vec(), to.to_vec())));
    assert_eq!(ledger.relocations().unwrap()[0].why, "new disk");
    drop(ledger);
    intact(path);
    assert_eq!(tampered(path, "UPDATE root SET path = x'2f78' WHERE id = 1", None), [Problem::Root(1)]);
    for note in ["x''", "CAST('{\"root\":9,\"path\":\"/x\",\"by\":\"\",\"why\":\"\"}' AS BLOB)"] {
        let sql = format!("UPDATE event SET note = {note} WHERE id = {last}");
        let problems = tampered(path, &sql, None);
        assert!(matches!(problems[..], [Problem::Hash(_), Problem::Database(_)]), "{problems:?}");
    }
}

/// Whatever byte is damaged, there is an error or a report, and no panic; what lies in the tables is found.
#[test]
fn damage_of_the_file_is_an_error() {
    let directory = tempfile::tempdir().unwrap();
    let path = &directory.path().join("ledger");
    create(path);
    let mut tree = Tree::default();
    for number in 0..60 {
        tree.write(&format!("file {number}"), &format!("{number}"));
    }
    whole(path, &tree, "init");
    let bytes = fs::read(path).unwrap();
    let copy = &directory.path().join("copy");
    let is_sound = |bytes: &[u8]| {
        fs::write(copy, bytes).unwrap();
        let verified = Ledger::open(copy, false).and_then(|mut ledger| ledger.verify(None, &|| false));
        verified.is_ok_and(|verified| verified.problems.is_empty())
    };
    assert!(is_sound(&bytes));
    for end in (0..bytes.len()).step_by(bytes.len() / 40) {
        assert!(!is_sound(&bytes[..end]), "{end}");
    }
    for place in (0..bytes.len()).step_by(997) {
        let mut damaged = bytes.clone();
        damaged[place] ^= 0x10;
        // Some bytes of pages are not used.
        is_sound(&damaged);
    }
    // A digest of a file, of which pages may have older copies that are not used any more.
    let digest = Algorithm::from_name("sha256").unwrap().digest(b"33");
    let mut damaged = bytes.clone();
    let places: Vec<usize> =
        (0..bytes.len() - 32).filter(|&place| bytes[place..].starts_with(digest.bytes())).collect();
    places.iter().for_each(|&place| damaged[place] ^= 1);
    assert!(!places.is_empty() && !is_sound(&damaged));
}

/// A table that nothing reads but a run, and a header that SQLite does not know.
#[test]
fn damage_that_only_sqlite_sees_is_told() {
    let directory = tempfile::tempdir().unwrap();
    let path = &directory.path().join("ledger");
    create(path);
    let connection = Connection::open(path).unwrap();
    let number = |sql: &str| connection.query_row(sql, [], |row| row.get::<_, i64>(0)).unwrap() as usize;
    let from = number("SELECT rootpage FROM sqlite_schema WHERE name = 'root'");
    let to = number("SELECT rootpage FROM sqlite_schema WHERE name = 'pending'");
    let size = number("PRAGMA page_size");
    drop(connection);
    let bytes = fs::read(path).unwrap();
    let mut damaged = bytes.clone();
    damaged.copy_within((from - 1) * size..from * size, (to - 1) * size);
    fs::write(path, &damaged).unwrap();
    let verified = Ledger::open(path, false).unwrap().verify(None, &|| false).unwrap();
    assert!(matches!(&verified.problems[..], [Problem::Database(_), ..]), "{:?}", verified.problems);
    // The size of the pages.
    let mut damaged = bytes;
    damaged[16] = 0xff;
    fs::write(path, &damaged).unwrap();
    assert!(matches!(Ledger::open(path, false), Err(Error::Damaged(_))));
}

#[test]
fn what_is_no_ledger_is_not_opened() {
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name);
    let told = |name: &str, writes| Ledger::open(&at(name), writes).unwrap_err().to_string();
    assert!(matches!(Ledger::open(&at("none"), true), Err(Error::NotFound)));
    fs::write(at("text"), "no database, whatever the name says: ".repeat(200)).unwrap();
    fs::write(at("empty"), "").unwrap();
    Connection::open(at("other")).unwrap().execute_batch("CREATE TABLE t(x)").unwrap();
    for name in ["text", "empty", "other"] {
        assert_eq!(told(name, true), "this is not a ledger of pfh", "{name}");
    }
    create(&at("newer"));
    Connection::open(at("newer")).unwrap().pragma_update(None, "user_version", VERSION + 1).unwrap();
    for writes in [false, true] {
        let expected = "the ledger has version 2, and this program knows version 1 and older; use a later pfh";
        assert_eq!(told("newer", writes), expected);
    }
    assert!(matches!(Ledger::create(&at("newer"), &[], &Settings::default()), Err(Error::Exists)));
}

/// A file that could not become a ledger does not keep its name.
#[test]
fn a_ledger_that_cannot_be_made_leaves_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("ledger");
    let made = || Ledger::create(&path, &[b"/tree".to_vec()], &Settings::default());
    // The place of SQLite's log is taken.
    let taken = directory.path().join("ledger-wal");
    fs::create_dir(&taken).unwrap();
    let failed = made().unwrap_err();
    assert!(matches!(failed, Error::NotMade(_)) && failed.to_string().ends_with("; no ledger was made"), "{failed}");
    assert!(!path.exists());
    fs::remove_dir(taken).unwrap();
    drop(made().unwrap());
    intact(&path);
}

/// Another program has the database locked: this is an error after a few seconds, and does no harm.
#[test]
fn a_locked_database_is_waited_for_and_reported() {
    let directory = tempfile::tempdir().unwrap();
    let path = &directory.path().join("ledger");
    create(path);
    let other = Connection::open(path).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let started = Instant::now();
    let begun = Run::begin(Ledger::open(path, true).unwrap(), options("init", &["sha256"]), &Settings::default());
    assert!(matches!(begun, Err(Error::Locked)));
    assert!(started.elapsed().as_secs() >= 4);
    // Readers see what was there before.
    assert_eq!(Ledger::open(path, false).unwrap().head().unwrap().events, 2);
    other.execute_batch("COMMIT").unwrap();
    assert!(Run::begin(Ledger::open(path, true).unwrap(), options("init", &["sha256"]), &Settings::default()).is_ok());
}

/// Nothing is told of directories that could not be listed, and a name that is there again is not gone.
#[test]
fn only_what_is_really_gone_is_missing() {
    let directory = tempfile::tempdir().unwrap();
    let path = &directory.path().join("ledger");
    create(path);
    let mut tree = Tree::default();
    for name in ["locked/a", "locked/deep/b", "locked.x", "lock", "there again", "gone"] {
        tree.write(name, name);
    }
    whole(path, &tree, "init");
    let ledger = Ledger::open(path, true).unwrap();
    let run = Run::begin(ledger, options("incremental", &["sha256"]), &Settings::default()).unwrap();
    let mut survey = Survey::new(1 << 20);
    survey.unseen(subject("locked"));
    let (surveyed, _) = survey.compare(&run, &Plan::default()).unwrap();
    assert_eq!(surveyed.unseen, 2);
    let (end, _) = run.end(&surveyed, Stopped::No, &mut |at| at.path != b"there again").unwrap();
    assert_eq!((counts(&end.findings), end.unseen), (vec![("missing", 3)], 3));
    intact(path);
}
