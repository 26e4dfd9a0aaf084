//! Properties of ledgers and of their time stamps.

use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::{env, fs, process};

use pfh_digest::Algorithm;
use pfh_ledger::chain::Hash;
use pfh_ledger::timestamp::{Answer, parse_request, request};
use pfh_ledger::{
    Digests, Error, Event, Ledger, Observation, Plan, Run, RunOptions, Seen, Settings, Stopped, Subject, Survey,
};
use pfh_record::Timestamp;

/// An answer that can be read cannot be cut off or longer, and a request for its digest can be read, too.
pub fn timestamp(input: &[u8]) {
    if let Ok(answer) = Answer::parse(input) {
        assert!(Answer::parse(&input[..input.len() - 1]).is_err());
        assert!(Answer::parse(&[input, &[0]].concat()).is_err());
        assert!(answer.time.is_ascii() && answer.time.ends_with('Z'));
        let made = request(&answer.digest, u64::from(input[input.len() - 1]));
        assert!(parse_request(&made).is_ok_and(|(digest, _)| digest == answer.digest));
    }
    if let Ok((digest, nonce)) = parse_request(input)
        && let Ok(bytes) = <[u8; 8]>::try_from(&nonce[..])
        && bytes[0] & 0x80 == 0
    {
        assert_eq!(parse_request(&request(&digest, u64::from_be_bytes(bytes))).map(|(again, _)| again), Ok(digest));
    }
}

type Events = Vec<(Event, Hash)>;

/// A ledger of two runs, as bytes, and its events.
static SOUND: LazyLock<(Vec<u8>, Events)> = LazyLock::new(|| {
    let path = own_path("sound");
    remove(&path);
    drop(Ledger::create(&path, &[b"/kept".to_vec()], &Settings::default()).expect("a new ledger"));
    audit(&path, &[("a", 1), ("b/moved", 2), ("b/rotten", 3), ("c", 4)]).expect("a first run");
    audit(&path, &[("a", 1), ("b/rotten", 5), ("d/moved", 2), ("new", 6)]).expect("a second run");
    let bytes = fs::read(&path).expect("a ledger");
    let events = events(&Ledger::open(&path, false).expect("a ledger")).expect("events");
    remove(&path);
    (bytes, events)
});

fn own_path(name: &str) -> PathBuf {
    env::temp_dir().join(format!("pfh-fuzz-{}-{name}.pfhl", process::id()))
}

/// Removes a ledger and what SQLite has beside it.
fn remove(path: &Path) {
    for end in ["", "-wal", "-shm", "-journal"] {
        let mut name = path.as_os_str().to_owned();
        name.push(end);
        let _ = fs::remove_file(name);
    }
}

/// Audits files, whose contents are numbers, and which all look unchanged.
fn audit(path: &Path, files: &[(&str, u8)]) -> Result<(), Error> {
    let algorithms = vec!["md5".to_owned(), "sha256".to_owned()];
    let subject = |path: &str| Subject { root: 0, path: path.as_bytes().to_vec() };
    let time = Timestamp { seconds: 1, nanoseconds: 2 };
    let seen = Seen { size: 1, mtime: time, ctime: time, inode: 3 };
    let options = RunOptions { mode: "full".to_owned(), algorithms: algorithms.clone(), ..RunOptions::default() };
    let mut run = Run::begin(Ledger::open(path, true)?, options, &Settings::default())?;
    let mut survey = Survey::new(1 << 20);
    for (path, _) in files {
        survey.push(&subject(path), &seen, 1)?;
    }
    let (surveyed, tasks) = survey.compare(&run, &Plan { unchanged: true, ..Plan::default() })?;
    for task in tasks {
        let Some((_, contents)) = files.iter().find(|(path, _)| path.as_bytes() == task.subject.path) else { continue };
        let digests = algorithms.iter().map(|name| Algorithm::from_name(name).expect("an algorithm"));
        let digests = Digests::new(&digests.map(|algorithm| algorithm.digest(&[*contents])).collect::<Vec<_>>());
        run.record(task.subject, Observation::Read { seen, digests })?;
    }
    let is_gone = &mut |subject: &Subject| files.iter().all(|(path, _)| path.as_bytes() != subject.path);
    run.end(&surveyed, Stopped::No, is_gone).map(drop)
}

fn events(ledger: &Ledger) -> Result<Events, Error> {
    let mut events = Vec::new();
    ledger.each_event(i64::MIN, i64::MAX, &mut |event, hash| {
        events.push((event, hash));
        Ok(())
    })?;
    Ok(events)
}

/// Reads all that a ledger has. Damage is an error.
fn look(ledger: &Ledger) -> Result<(), Error> {
    let mut subjects = Vec::new();
    let files = ledger.each_file(false, &mut |file| {
        subjects.push(file.subject);
        Ok(())
    });
    for subject in &subjects {
        let _ = (ledger.history(subject), ledger.has(subject));
    }
    let _ = (ledger.roots(), ledger.settings(), ledger.runs(), ledger.head(), Run::unfinished(ledger));
    let _ = (ledger.standing(Some(0)), ledger.without("sha256"));
    files
}

/// Each four bytes of the input change one byte of a sound ledger, and the rest cuts it off: it is none, or it is read
/// to its end, and if it is called intact, its events are those of the sound one as far as they go. A run ends, too.
pub fn damaged(input: &[u8]) {
    let (sound, expected) = &*SOUND;
    let mut bytes = sound.clone();
    let (edits, rest) = input.as_chunks::<4>();
    for [high, middle, low, byte] in edits {
        let place = usize::from(*high) << 16 | usize::from(*middle) << 8 | usize::from(*low);
        let end = bytes.len();
        bytes[place % end] = *byte;
    }
    if let [high, low, ..] = rest {
        bytes.truncate(usize::from(*high) << 8 | usize::from(*low));
    }
    let path = own_path("damaged");
    remove(&path);
    fs::write(&path, bytes).expect("a file for the ledger");
    if let Ok(mut ledger) = Ledger::open(&path, false) {
        let verified = ledger.verify(None, &|| false);
        if verified.is_ok_and(|verified| verified.problems.is_empty()) {
            assert!(expected.starts_with(&events(&ledger).expect("an intact ledger can be read")));
            look(&ledger).expect("an intact ledger can be read");
        }
        let _ = look(&ledger);
    }
    let _ = audit(&path, &[("a", 1), ("b/rotten", 5), ("new", 7)]);
    remove(&path);
}
