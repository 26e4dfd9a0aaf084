//! Databases of every kind, made by SQLite itself.
#![expect(clippy::unwrap_used, reason = "the functions that tests share are tests too")]

use std::fs;
use std::io;
use std::path::PathBuf;

use pfh_digest::Algorithm;
use pfh_nsrl::{Counts, Database, Error, Kind, Options};
use rusqlite::Connection;

#[path = "shared/schemas.rs"]
mod schemas;

use schemas::{FULL, IPED, KDB, MINIMAL};

/// A folder with one database, which `statements` make.
struct Made(tempfile::TempDir);

impl Made {
    fn new(statements: &[&str]) -> Made {
        let folder = tempfile::tempdir().unwrap();
        let connection = Connection::open(folder.path().join("a database?#%.db")).unwrap();
        statements.iter().for_each(|sql| connection.execute_batch(sql).unwrap());
        Made(folder)
    }

    fn path(&self) -> PathBuf {
        self.0.path().join("a database?#%.db")
    }

    fn open(&self) -> Result<Database, Error> {
        Database::open(&self.path())
    }

    fn rows(&self) -> (Vec<String>, Vec<String>, Counts) {
        read(&mut self.open().unwrap()).unwrap()
    }
}

/// The rows and the refused ones as texts.
fn read(database: &mut Database) -> Result<(Vec<String>, Vec<String>, Counts), Error> {
    let (mut rows, mut refused) = (Vec::new(), Vec::new());
    let counts = database.each(
        &Options::default(),
        &mut |row| {
            let digests: Vec<_> = row.digests.iter().map(|digest| format!("{}:{digest}", digest.algorithm())).collect();
            let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
            let size = row.size.map_or("-".to_owned(), |size| size.to_string());
            let (name, product, category) = (text(row.name), text(row.product), text(row.category));
            rows.push(format!("{} {size} {name} [{product}] {category}", digests.join(" ")));
            Ok(())
        },
        &mut |row| {
            refused.push(row.to_string());
            Ok(())
        },
    )?;
    Ok((rows, refused, counts))
}

fn of(algorithm: &str, message: &str) -> String {
    let algorithm = Algorithm::from_name(algorithm).unwrap();
    format!("{algorithm}:{}", algorithm.digest(message.as_bytes()))
}

fn hex(algorithm: &str, message: &str) -> String {
    Algorithm::from_name(algorithm).unwrap().digest(message.as_bytes()).to_string()
}

/// The values of the three digests of a message, in upper case.
fn values(message: &str) -> String {
    let value = |algorithm| format!("'{}'", hex(algorithm, message).to_uppercase());
    [value("sha256"), value("sha1"), value("md5")].join(", ")
}

fn three(message: &str) -> String {
    [of("sha256", message), of("sha1", message), of("md5", message)].join(" ")
}

const PACKAGES: &str = "INSERT INTO PKG VALUES (7, 'Word', '1.0', 1, 1, 'English', 'Office');
    INSERT INTO PKG VALUES (7, 'Word', '1.0', 1, 1, 'German', 'Office');
    INSERT INTO PKG VALUES (8, 'It''s', '', 1, 1, 'English', 'Office');
    INSERT INTO VERSION VALUES ('2026.03.1', 'modern_minimal', '2026-02-27', '2026-03-01', 'the first');
    INSERT INTO VERSION VALUES ('2026.06.1', 'modern_minimal', '2026-05-27', '2026-06-01', 'a delta');";

#[test]
fn minimal() {
    let file = format!(
        "INSERT INTO FILE VALUES ({}, '3610A686', 'a.txt', 5, 7);
         INSERT INTO FILE VALUES ({}, '3610A686', 'naïve name', 0, 8);
         INSERT INTO FILE VALUES ({}, '3610A686', 'no package', 6, 9);",
        values("a"),
        values("b").to_lowercase(),
        values("c"),
    );
    let made = Made::new(&[MINIMAL, PACKAGES, &file]);
    let mut database = made.open().unwrap();
    assert_eq!(database.kind(), Kind::Minimal);
    let release = database.release().unwrap().clone();
    assert_eq!(
        [release.version, release.set, release.date, release.description],
        ["2026.06.1", "modern_minimal", "2026-06-01", "a delta"]
    );
    let (rows, refused, counts) = read(&mut database).unwrap();
    assert_eq!(
        rows,
        [
            format!("{} 5 a.txt [Word 1.0] ", three("a")),
            format!("{} 0 naïve name [It's] ", three("b")),
            format!("{} 6 no package [] ", three("c")),
        ]
    );
    assert!(refused.is_empty());
    assert_eq!(counts, Counts { rows: 3, refused: 0, without_product: 1 });
    // Reading again gives the same.
    assert_eq!(read(&mut database).unwrap().0, rows);
}

#[test]
fn the_first_releases_had_no_crc32_and_columns_may_stand_in_another_order() {
    let made = Made::new(&[
        "CREATE TABLE file (file_name VARCHAR, package_id INTEGER, MD5 VARCHAR, sha1 VARCHAR, sha256 VARCHAR)",
        &format!("INSERT INTO file (sha256, sha1, md5, file_name) VALUES ({}, 'x')", values("a")),
    ]);
    assert_eq!(made.open().unwrap().release(), None);
    assert_eq!(made.rows().0, [format!("{} - x [] ", three("a"))]);
}

#[test]
fn rows_without_usable_digests_are_refused_with_their_number() {
    let table = "CREATE TABLE FILE (sha256, sha1, md5, file_name, file_size, package_id);";
    let md5 = hex("md5", "a");
    let rows = [
        format!("(10, NULL, NULL, '{md5}', NULL, NULL, NULL)"),
        format!("(11, '', '', X'{md5}', X'FF00', '12', 3)"),
        format!("(12, NULL, NULL, '{}', 'x', 1, 1)", &md5[1..]),
        format!("(13, NULL, '{}g', '{md5}', 'x', 1, 1)", &hex("sha1", "a")[1..]),
        "(14, NULL, NULL, NULL, 'x', 1, 1)".to_owned(),
        "(15, NULL, NULL, 12345, 'x', 1, 1)".to_owned(),
        format!("(16, NULL, NULL, '{md5}', 'x', -1, 'y')"),
        // The digits of MD5 are as many as the bytes of SHA-256.
        format!("(17, '{md5}', NULL, NULL, 'x', 1, 1)"),
    ];
    let insert = "INSERT INTO FILE (rowid, sha256, sha1, md5, file_name, file_size, package_id) VALUES";
    let made = Made::new(&[table, &format!("{insert} {}", rows.join(", "))]);
    let (rows, refused, counts) = made.rows();
    let md5 = of("md5", "a");
    assert_eq!(rows, [format!("{md5} -  [] "), format!("{md5} 12 \u{fffd}\0 [] "), format!("{md5} - x [] ")]);
    assert_eq!(
        refused,
        [
            "row 12 of table FILE: its md5 is not a digest",
            "row 13 of table FILE: its sha1 is not a digest",
            "row 14 of table FILE: it has no digest",
            "row 15 of table FILE: its md5 is not a digest",
            "row 17 of table FILE: its sha256 is not a digest",
        ]
    );
    assert_eq!(counts, Counts { rows: 3, refused: 5, without_product: 3 });
}

/// Objects 1 to 3: in two packages, in one, in none. The third has its names in base64 only.
fn full() -> [String; 2] {
    let row = |object: u32, message: &str, name: &str| {
        let digests = values(message).to_lowercase();
        format!(
            "INSERT INTO METADATA (metadata_id, object_id, sha256, sha1, md5, bytes, file_name, file_name_b64, \
                extension, extension_b64) VALUES ({object}, {object}, {digests}, {object}, {name});"
        )
    };
    let metadata = [
        row(1, "a", "'setup', NULL, 'exe', NULL"),
        row(2, "b", "'README', '', '', ''"),
        row(3, "c", "'', '/w==', NULL, 'dHh0'"),
    ];
    let others = "INSERT INTO PACKAGE_OBJECT VALUES (1, 70, 1), (2, 71, 1), (3, 70, 2);
        INSERT INTO APPLICATION (application_id, package_id, name, name_b64, version) VALUES
            (1, 70, 'Word', NULL, '1.0'), (2, 71, '', 'RXhjZWw=', '');";
    [metadata.concat(), others.to_owned()]
}

#[test]
fn the_full_set_is_read_without_its_views() {
    let [metadata, others] = full();
    let made = Made::new(&[FULL, "CREATE INDEX by_object ON PACKAGE_OBJECT (object_id)", &metadata, &others]);
    assert_eq!(made.open().unwrap().kind(), Kind::Full);
    let (rows, _, counts) = made.rows();
    assert_eq!(
        rows,
        [
            format!("{} 1 setup.exe [Word 1.0] ", three("a")),
            format!("{} 1 setup.exe [Excel] ", three("a")),
            format!("{} 2 README [Word 1.0] ", three("b")),
            format!("{} 3 \u{fffd}.txt [] ", three("c")),
        ]
    );
    assert_eq!(counts, Counts { rows: 4, refused: 0, without_product: 1 });

    // The same from the view, which leaves out files without a package.
    let connection = Connection::open(made.path()).unwrap();
    let mut view = connection.prepare("SELECT lower(sha256), file_size, file_name FROM FILE ORDER BY 2, 3").unwrap();
    let view = view.query_map([], |row| {
        Ok(format!("{} {} {}", row.get::<_, String>(0)?, row.get::<_, i64>(1)?, row.get::<_, String>(2)?))
    });
    let view: Vec<_> = view.unwrap().map(Result::unwrap).collect();
    let plain = |(message, rest): &(&str, &str)| format!("{} {rest}", hex("sha256", message));
    assert_eq!(
        view,
        [("a", "1 setup.exe"), ("a", "1 setup.exe"), ("b", "2 README")].iter().map(plain).collect::<Vec<_>>()
    );
}

#[test]
fn without_an_index_the_full_set_has_no_products() {
    let [metadata, others] = full();
    let made = Made::new(&[FULL, &metadata, &others]);
    let (rows, _, counts) = made.rows();
    assert_eq!(rows.len(), 3);
    assert_eq!(rows[0], format!("{} 1 setup.exe [] ", three("a")));
    assert_eq!(counts.without_product, 3);
}

#[test]
fn sleuth_kit() {
    let blob = |algorithm, message| format!("X'{}'", hex(algorithm, message));
    let hashes = format!(
        "INSERT INTO hashes VALUES (1, {}, NULL, NULL);
         INSERT INTO hashes VALUES (2, {}, {}, {});
         INSERT INTO hashes VALUES (3, X'00', NULL, NULL);
         INSERT INTO hashes VALUES (9, {}, NULL, NULL);",
        blob("md5", "a"),
        blob("md5", "b"),
        blob("sha1", "b"),
        blob("sha256", "b"),
        blob("md5", "c"),
    );
    let texts = "INSERT INTO file_names VALUES ('z', 2), ('a', 2), ('of nothing', 4), ('bad', 3), ('last', 9);
        INSERT INTO comments VALUES ('seen', 9), ('lost', 1000);";
    let made = Made::new(&[KDB, &hashes, texts]);
    assert_eq!(made.open().unwrap().kind(), Kind::SleuthKit);
    let (rows, refused, counts) = made.rows();
    let b = [of("md5", "b"), of("sha1", "b"), of("sha256", "b")].join(" ");
    assert_eq!(
        rows,
        [
            format!("{} -  [] ", of("md5", "a")),
            format!("{b} - z [] "),
            format!("{b} - a [] "),
            format!("{} - last [seen] ", of("md5", "c")),
        ]
    );
    assert_eq!(refused, ["row 3 of table hashes: its md5 is not a digest"]);
    assert_eq!(counts, Counts { rows: 4, refused: 1, without_product: 3 });
}

#[test]
fn iped() {
    let sql = format!(
        "INSERT INTO HASHES (HASH_ID, MD5, SHA512) VALUES (5, X'{}', X'{}');
         INSERT INTO HASHES (HASH_ID, SHA1) VALUES (6, X'{}');
         INSERT INTO PROPERTIES VALUES (1, 'status'), (2, 'set'), (3, 'other');
         INSERT INTO HASHES_PROPERTIES VALUES (5, 1, 'known'), (5, 2, 'NSRL'), (6, 3, 'x');",
        hex("md5", "a"),
        hex("sha512", "a"),
        hex("sha1", "b"),
    );
    let made = Made::new(&[IPED, &sql]);
    assert_eq!(made.open().unwrap().kind(), Kind::Iped);
    let (rows, _, _) = made.rows();
    let a = [of("md5", "a"), of("sha512", "a")].join(" ");
    assert_eq!(rows, [format!("{a} -  [NSRL] known"), format!("{} -  [] ", of("sha1", "b"))]);
}

#[test]
fn nothing_hostile_runs() {
    let endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT";
    let columns = "i AS sha256, i AS sha1, i AS md5, i AS file_name, i AS file_size, i AS package_id FROM n";
    let refusal = |statements: &[&str]| match Made::new(statements).open() {
        Err(Error::Schema(reason)) => reason,
        other => panic!("{other:?}"),
    };
    assert_eq!(
        refusal(&[&format!("CREATE VIEW FILE AS {endless} {columns}")]),
        "FILE is not an ordinary table, and there is no table METADATA"
    );
    assert_eq!(
        refusal(&["CREATE TABLE FILE (sha256 PRIMARY KEY, sha1, md5, file_name) WITHOUT ROWID"]),
        "FILE is not an ordinary table, and there is no table METADATA"
    );
    assert_eq!(
        refusal(&["CREATE TABLE other (x)"]),
        "it has the tables neither of NSRL nor of the Sleuth Kit nor of IPED"
    );

    // A computed column would run at every row.
    let computed = "CREATE TABLE FILE (sha256, sha1, md5, file_name AS (hex(zeroblob(1000000))), package_id)";
    let made = Made::new(&[computed, "INSERT INTO FILE VALUES ('', '', '', 1)"]);
    match read(&mut made.open().unwrap()) {
        Err(Error::Schema(reason)) => assert_eq!(reason, "column file_name of table FILE is computed"),
        other => panic!("{other:?}"),
    }

    // Views of the other names, triggers and tables of strange names are left alone.
    let made = Made::new(&[
        MINIMAL,
        "DROP TABLE PKG; DROP TABLE VERSION; CREATE TABLE log (x); CREATE TABLE \"a\"\"; DROP TABLE FILE\" (x);",
        &format!("CREATE VIEW PKG AS {endless} i AS package_id, i AS name, i AS version FROM n"),
        &format!("CREATE VIEW VERSION AS {endless} i AS version FROM n"),
        "CREATE TRIGGER t AFTER INSERT ON FILE BEGIN INSERT INTO log VALUES (1); END;",
        &format!("INSERT INTO FILE VALUES ({}, '', 'x', 1, 1)", values("a")),
    ]);
    assert_eq!(made.rows().0, [format!("{} 1 x [] ", three("a"))]);
}

#[test]
fn products_stay_within_their_memory() {
    let made = Made::new(&[MINIMAL, PACKAGES]);
    let mut database = made.open().unwrap();
    let options = Options { products_bytes_max: 64 };
    match database.each(&options, &mut |_| Ok(()), &mut |_| Ok(())) {
        Err(Error::Products(64)) => {}
        other => panic!("{other:?}"),
    }
}

#[test]
fn what_is_no_database() {
    let folder = tempfile::tempdir().unwrap();
    let reason = |contents: &[u8]| {
        let path = folder.path().join("file");
        fs::write(&path, contents).unwrap();
        Database::open(&path).unwrap_err().to_string()
    };
    assert_eq!(reason(b""), "this is not an SQLite database");
    assert_eq!(reason(b"SQLite format 2\0"), "this is not an SQLite database");
    assert_eq!(reason(b"SQLite format 3\0"), "the database is truncated: it has 16 bytes of 100");
    assert_eq!(Database::open(folder.path()).unwrap_err().to_string(), "this is not an SQLite database");
    let missing = Database::open(&folder.path().join("missing")).unwrap_err();
    assert!(matches!(&missing, Error::Io(error) if error.kind() == io::ErrorKind::NotFound), "{missing:?}");
    assert!(!folder.path().join("missing").exists());
}

#[test]
fn a_database_in_use_is_refused() {
    let made = Made::new(&[MINIMAL]);
    let writer = Connection::open(made.path()).unwrap();
    writer.pragma_update(None, "journal_mode", "WAL").unwrap();
    writer.execute("INSERT INTO VERSION (version) VALUES ('2')", []).unwrap();
    let reason = "the database is in use, or was not closed: a file with `-wal` after its name lies beside it";
    assert_eq!(made.open().unwrap_err().to_string(), reason);
    drop(writer);
    assert_eq!(made.open().unwrap().release().unwrap().version, "2");
}

#[test]
fn a_change_while_reading_is_found() {
    let made = Made::new(&[MINIMAL, &format!("INSERT INTO FILE VALUES ({}, '', 'x', 1, 1)", values("a"))]);
    let mut database = made.open().unwrap();
    let path = made.path();
    let mut append = |_: pfh_nsrl::Row<'_>| {
        let contents = fs::read(&path)?;
        fs::write(&path, [&contents[..], &[0; 4096]].concat())
    };
    let changed = database.each(&Options::default(), &mut append, &mut |_| Ok(()));
    assert!(matches!(changed, Err(Error::Changed)), "{changed:?}");
}

/// A database of a few hundred pages.
fn large() -> Made {
    let made = Made::new(&[MINIMAL, PACKAGES]);
    let mut connection = Connection::open(made.path()).unwrap();
    let transaction = connection.transaction().unwrap();
    for number in 0..2000 {
        let row = format!("INSERT INTO FILE VALUES ({}, '', 'name {number}', 1, 7)", values(&number.to_string()));
        transaction.execute(&row, []).unwrap();
    }
    transaction.commit().unwrap();
    made
}

#[test]
fn a_truncated_database_is_an_error() {
    let made = large();
    let contents = fs::read(made.path()).unwrap();
    for length in [101, 4096, contents.len() / 2, contents.len() - 1] {
        fs::write(made.path(), &contents[..length]).unwrap();
        let reason = made.open().unwrap_err().to_string();
        assert_eq!(reason, format!("the database is truncated: it has {length} bytes of {}", contents.len()));
    }
    // The header may not know.
    let mut old = contents[..contents.len() / 2].to_vec();
    old[92..96].fill(0);
    fs::write(made.path(), old).unwrap();
    let error = made.open().and_then(|mut database| read(&mut database)).unwrap_err();
    assert!(matches!(error, Error::Damaged { .. }), "{error}");
}

#[test]
fn damaged_bytes_are_errors_or_rows_but_never_a_panic() {
    let made = large();
    let contents = fs::read(made.path()).unwrap();
    let mut random = 0x9e37_79b9_7f4a_7c15_u64;
    let mut failed = 0;
    for round in 0..300 {
        let mut damaged = contents.clone();
        for _ in 0..1 + round % 20 {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            // Half of the damage is where pages begin: the numbers that lead from one to the next.
            let place = (random >> 32) as usize % damaged.len();
            let place = if random >> 20 & 1 == 0 { place } else { place & !4095 | place & 63 };
            damaged[place] = (random >> 24) as u8;
        }
        fs::write(made.path(), damaged).unwrap();
        let read = made.open().and_then(|mut database| {
            let (rows, refused, _) = read(&mut database)?;
            // Rows are not invented.
            assert!(rows.len() + refused.len() <= 4000, "{}", rows.len());
            database.dbhash(&mut |_| Ok(()))
        });
        failed += u32::from(read.is_err());
    }
    assert!((50..300).contains(&failed), "{failed}");
}

#[test]
fn pages_that_lead_back_do_not_go_on_forever() {
    let made = large();
    let contents = fs::read(made.path()).unwrap();
    let connection = Connection::open(made.path()).unwrap();
    let sql = "SELECT rootpage FROM sqlite_schema WHERE type = 'table' AND name = 'FILE'";
    let root = connection.query_row(sql, [], |row| row.get::<_, u32>(0)).unwrap() as usize;
    // Every child of the root is the first one.
    let page = 4096 * (root - 1);
    let mut looped = contents;
    assert_eq!(looped[page], 5);
    let cells = usize::from(u16::from_be_bytes([looped[page + 3], looped[page + 4]]));
    let cell = |looped: &[u8], index: usize| {
        let at = page + 12 + 2 * index;
        page + usize::from(u16::from_be_bytes([looped[at], looped[at + 1]]))
    };
    let first = cell(&looped, 0);
    for index in 1..cells {
        let at = cell(&looped, index);
        looped.copy_within(first..first + 4, at);
    }
    fs::write(made.path(), looped).unwrap();
    let error = read(&mut made.open().unwrap()).unwrap_err().to_string();
    assert!(error.ends_with("its rows are out of order"), "{error}");
}

#[test]
fn the_digest_of_a_database_is_that_of_sqlite_itself() {
    // The expected values are from SQLite's `dbhash` 3.40.1.
    let values = "CREATE TABLE b (x, y); CREATE TABLE A (k PRIMARY KEY, r REAL) WITHOUT ROWID;
        CREATE TABLE \"odd \"\" name\" (t); CREATE INDEX i ON b (y); CREATE VIEW v AS SELECT 1;
        INSERT INTO b VALUES (NULL, -1), (9223372036854775807, 1.5), ('text é', X'00FF'), ('', X'');
        INSERT INTO A VALUES ('z', 1), ('a', -0.25); INSERT INTO \"odd \"\" name\" VALUES (0);
        CREATE TABLE sequence (n INTEGER PRIMARY KEY AUTOINCREMENT); INSERT INTO sequence VALUES (5);";
    for (statements, expected) in [
        (&[MINIMAL][..], "0f9cfb08a7c7a17f9f9fbcbeb03c409335e4cbb8"),
        (&[MINIMAL, values], "eaec5606043a9938c406259f516fca06c7e8b598"),
        (&["PRAGMA encoding = 'UTF-16le'", MINIMAL, values], "eaec5606043a9938c406259f516fca06c7e8b598"),
        (&[MINIMAL, PACKAGES], "702c1adf93807501d10d1a35d46aa630a10bb1d2"),
    ] {
        let digest = Made::new(statements).open().unwrap().dbhash(&mut |_| Ok(())).unwrap();
        assert_eq!(digest.to_string(), expected, "{statements:?}");
    }
}
