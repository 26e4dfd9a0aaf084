//! Archives with their check values.
#![expect(clippy::unwrap_used, reason = "the functions that tests share are tests too")]

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

use pfh_digest::Algorithm;
use pfh_nsrl::{ChainOptions, Database, Error, Options, verify_chain};
use rusqlite::Connection;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

#[path = "shared/schemas.rs"]
mod schemas;

fn hex(algorithm: &str, message: &[u8]) -> String {
    Algorithm::from_name(algorithm).unwrap().digest(message).to_string()
}

/// A folder with `rds.zip` and its check values, which all agree.
fn release() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let database = folder.path().join("rds.db");
    let connection = Connection::open(&database).unwrap();
    connection.execute_batch(schemas::MINIMAL).unwrap();
    let insert = format!("INSERT INTO FILE VALUES ('', '', '{}', '', 'a', 1, 1)", hex("md5", b"a"));
    connection.execute(&insert, []).unwrap();
    drop(connection);
    let dbhash = Database::open(&database).unwrap().dbhash(&mut |_| Ok(())).unwrap();
    fs::write(folder.path().join("dbhashes.txt"), format!("{dbhash}  rds.db\n    1. combine everything\n")).unwrap();

    let contents = fs::read(&database).unwrap();
    let signatures =
        format!("SHA256(rds.db)= {}\r\nSHA256(readme.txt)= {}\r\n", hex("sha256", &contents), hex("sha256", b"read"));
    let members =
        [("rds/rds.db", &contents[..]), ("rds/readme.txt", b"read"), ("rds/signatures.txt", signatures.as_bytes())];
    pack(folder.path(), &members);
    folder
}

fn pack(folder: &Path, members: &[(&str, &[u8])]) {
    let path = folder.join("rds.zip");
    let mut zip = ZipWriter::new(File::create(&path).unwrap());
    for (name, contents) in members {
        zip.start_file(*name, SimpleFileOptions::default()).unwrap();
        zip.write_all(contents).unwrap();
    }
    zip.finish().unwrap();
    let sha1 = hex("sha1", &fs::read(path).unwrap()).to_uppercase();
    fs::write(folder.join("rds.zip.sha"), format!("{sha1}  rds.zip\n")).unwrap();
}

fn links(folder: &Path) -> Vec<String> {
    let links = verify_chain(&folder.join("rds.zip"), &ChainOptions::default(), &mut |_| Ok(())).unwrap();
    links.iter().map(ToString::to_string).collect()
}

#[test]
fn a_release_that_agrees() {
    let folder = release();
    assert_eq!(
        links(folder.path()),
        [
            "rds.zip: SHA-1 of the archive: agrees",
            "rds/rds.db: SHA-256 of a member: agrees",
            "rds/readme.txt: SHA-256 of a member: agrees",
            "rds/rds.db: dbhash of a database: agrees",
        ]
    );
}

#[test]
fn a_database_is_read_from_its_archive() {
    let folder = release();
    let archive = folder.path().join("rds.zip");
    let mut bytes = 0;
    let mut count = |more| {
        bytes += more;
        Ok(())
    };
    let mut database = Database::open_zip(&archive, 1 << 20, &mut count).unwrap();
    assert_eq!(bytes, fs::metadata(folder.path().join("rds.db")).unwrap().len());
    assert_eq!(database.each(&Options::default(), &mut |_| Ok(()), &mut |_| Ok(())).unwrap().rows, 1);

    let reason = |bytes_max| Database::open_zip(&archive, bytes_max, &mut |_| Ok(())).unwrap_err().to_string();
    assert_eq!(reason(4096), "the archive cannot be read: rds/rds.db has more than 4096 bytes");
    pack(folder.path(), &[("a.txt", b"a")]);
    assert_eq!(reason(4096), "the archive cannot be read: it has no database");
    pack(folder.path(), &[("a.db", b"a"), ("b/a.DB", b"a")]);
    assert_eq!(reason(4096), "the archive cannot be read: it has several databases");
}

#[test]
fn what_differs_is_named_with_both_values() {
    let folder = release();
    let zero = "0".repeat(40);
    let dbhashes = fs::read_to_string(folder.path().join("dbhashes.txt")).unwrap();
    let sha = fs::read_to_string(folder.path().join("rds.zip.sha")).unwrap();
    fs::write(folder.path().join("dbhashes.txt"), format!("{zero}  rds.db")).unwrap();
    fs::write(folder.path().join("rds.zip.sha"), &zero).unwrap();
    let found = links(folder.path());
    let differs = |hex: &str| format!("differs: published is {zero}, found {}", hex.to_lowercase());
    assert_eq!(found[0], format!("rds.zip: SHA-1 of the archive: {}", differs(&sha[..40])));
    assert_eq!(found[3], format!("rds/rds.db: dbhash of a database: {}", differs(&dbhashes[..40])));

    let digest = hex("sha256", b"b");
    let signatures = format!("SHA256(a.txt)= {digest}\nSHA256(gone.txt)= {digest}\n");
    let members = [("a.txt", &b"a"[..]), ("other.txt", b"x"), ("signatures.txt", signatures.as_bytes())];
    pack(folder.path(), &members);
    assert_eq!(
        links(folder.path())[1..],
        [
            format!(
                "a.txt: SHA-256 of a member: differs: published is {}, found {}",
                hex("sha256", b"b"),
                hex("sha256", b"a")
            ),
            "other.txt: SHA-256 of a member: cannot be checked: signatures.txt does not name it".to_owned(),
            "gone.txt: SHA-256 of a member: cannot be checked: the archive has no such member".to_owned(),
        ]
    );
}

#[test]
fn without_check_values_nothing_is_claimed() {
    let folder = release();
    fs::remove_file(folder.path().join("dbhashes.txt")).unwrap();
    fs::remove_file(folder.path().join("rds.zip.sha")).unwrap();
    let found = links(folder.path());
    let missing = "No such file or directory (os error 2)";
    assert_eq!(found[0], format!("rds.zip: SHA-1 of the archive: cannot be checked: rds.zip.sha: {missing}"));
    assert_eq!(found[3], format!("rds/rds.db: dbhash of a database: cannot be checked: dbhashes.txt: {missing}"));
    pack(folder.path(), &[("delta.sql", b"x")]);
    assert_eq!(
        links(folder.path())[1..],
        ["delta.sql: SHA-256 of a member: cannot be checked: the archive has no signatures.txt"]
    );
}

#[test]
fn a_database_that_is_too_long_or_none_is_not_checked() {
    let folder = release();
    let archive = folder.path().join("rds.zip");
    let options = ChainOptions { database_bytes_max: 4096, ..ChainOptions::default() };
    let found = verify_chain(&archive, &options, &mut |_| Ok(())).unwrap();
    let reason = "cannot be checked: the archive cannot be read: rds/rds.db has more than 4096 bytes";
    assert_eq!(found[3].to_string(), format!("rds/rds.db: dbhash of a database: {reason}"));

    pack(folder.path(), &[("rds.db", b"no database")]);
    let reason = "cannot be checked: this is not an SQLite database";
    assert_eq!(links(folder.path())[2], format!("rds.db: dbhash of a database: {reason}"));
}

#[test]
fn damaged_archives_are_errors_or_links_but_never_a_panic() {
    let folder = release();
    let path = folder.path().join("rds.zip");
    let verify = || verify_chain(&path, &ChainOptions::default(), &mut |_| Ok(()));
    let stopped = verify_chain(&path, &ChainOptions::default(), &mut |_| Err(io::Error::other("enough")));
    assert!(matches!(&stopped, Err(Error::Stopped(error)) if error.to_string() == "enough"), "{stopped:?}");

    let contents = fs::read(&path).unwrap();
    fs::write(&path, &contents[..contents.len() / 2]).unwrap();
    assert!(matches!(verify(), Err(Error::Archive(_))));
    let mut random = 0x9e37_79b9_7f4a_7c15_u64;
    for _ in 0..300 {
        let mut damaged = contents.clone();
        for _ in 0..3 {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            damaged[(random >> 32) as usize % contents.len()] = (random >> 24) as u8;
        }
        let is_changed = damaged != contents;
        fs::write(&path, damaged).unwrap();
        if let Ok(links) = verify() {
            // The digest of the archive alone is enough to know.
            assert_eq!(links[0].to_string().contains("differs"), is_changed);
        }
    }
}
