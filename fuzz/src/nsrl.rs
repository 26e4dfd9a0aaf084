//! Properties of NSRL's deltas, databases and check values.

use std::cell::RefCell;
use std::io::BufReader;
use std::{env, fs, process};

use pfh_digest::Algorithm;
use pfh_nsrl::{ChainOptions, Change, Database, Delta, Options, Verdict, verify_chain};

/// A delta is read the same, however its bytes arrive; its counts are those of what it gave.
pub fn delta(input: &[u8]) {
    let whole = read(input, 1 << 16);
    assert_eq!(read(input, 1), whole);
    assert_eq!(read(input, 7), whole);
}

/// Everything that a delta says, as a text.
fn read(input: &[u8], buffer_bytes: usize) -> String {
    let (mut inserted, mut deleted, mut refused) = (0, 0, 0);
    let said = RefCell::new(String::new());
    let mut delta = Delta::new(BufReader::with_capacity(buffer_bytes, input), "", &Options::default());
    let counts = delta.each(
        &mut |change| {
            match change {
                Change::Insert(row) | Change::Delete(row) => assert!(!row.digests.is_empty() && row.digests.len() <= 3),
            }
            *if matches!(change, Change::Insert(_)) { &mut inserted } else { &mut deleted } += 1;
            said.borrow_mut().push_str(&format!("{change:?}\n"));
            Ok(())
        },
        &mut |statement| {
            refused += 1;
            said.borrow_mut().push_str(&format!("{statement}\n"));
            Ok(())
        },
    );
    if let Ok(counts) = &counts {
        assert_eq!((counts.inserted, counts.deleted, counts.refused), (inserted, deleted, refused));
    }
    let counts = counts.map_err(|error| error.to_string());
    format!("{}{counts:?} {:?}", said.borrow(), delta.release())
}

/// A file is a database or none; it is read the same each time that it is opened, and its counts are those of what it
/// gave.
pub fn database(input: &[u8]) {
    let path = env::temp_dir().join(format!("pfh-fuzz-{}.db", process::id()));
    fs::write(&path, input).expect("a file for the database");
    // SQLite reports some damage once for each connection only.
    let read = || {
        let mut database = Database::open(&path).map_err(|error| error.to_string())?;
        let rows = rows(&mut database);
        Ok::<_, String>((rows, database.dbhash(&mut |_| Ok(())).map_err(|error| error.to_string())))
    };
    assert_eq!(read(), read());
    assert!(fs::read(&path).expect("the file of the database") == input, "the database was changed");
    fs::remove_file(&path).expect("the file of the database");
}

/// Everything that a database says, as a text.
fn rows(database: &mut Database) -> String {
    let (mut given, mut refused) = (0, 0);
    let said = RefCell::new(String::new());
    let counts = database.each(
        &Options::default(),
        &mut |row| {
            given += 1;
            assert!(!row.digests.is_empty());
            said.borrow_mut().push_str(&format!("{row:?}\n"));
            Ok(())
        },
        &mut |row| {
            refused += 1;
            said.borrow_mut().push_str(&format!("{row}\n"));
            Ok(())
        },
    );
    if let Ok(counts) = &counts {
        assert_eq!((counts.rows, counts.refused), (given, refused));
    }
    format!("{}{:?}", said.borrow(), counts.map_err(|error| error.to_string()))
}

/// An archive agrees only with check values that have its digest, and a line that names it is found after any others.
pub fn check_values(input: &[u8]) {
    /// The end of a zip archive without members.
    const ARCHIVE: &[u8] = b"PK\x05\x06\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0";
    let sha1 = Algorithm::from_name("sha1").expect("a name of the registry").digest(ARCHIVE).to_string();
    let folder = env::temp_dir().join(format!("pfh-fuzz-{}", process::id()));
    fs::create_dir_all(&folder).expect("a folder for the archive");
    let (archive, values) = (folder.join("pfh-fuzz.zip"), folder.join("pfh-fuzz.zip.sha"));
    fs::write(&archive, ARCHIVE).expect("a file for the archive");
    let verdict = |text: &[u8]| {
        fs::write(&values, text).expect("a file for the check values");
        let links = verify_chain(&archive, &ChainOptions::default(), &mut |_| Ok(())).expect("an archive");
        links.into_iter().next().expect("the digest of the archive").verdict
    };
    if verdict(input) == Verdict::Agrees {
        assert!(input.windows(sha1.len()).any(|digits| digits.eq_ignore_ascii_case(sha1.as_bytes())));
    }
    let named = [input, format!("\n{sha1}  pfh-fuzz.zip\n").as_bytes()].concat();
    assert!(!matches!(verdict(&named), Verdict::CannotBeChecked(_)), "the line that names it was not found");
    fs::remove_dir_all(&folder).expect("the folder of the archive");
}
