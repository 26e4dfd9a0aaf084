//! Deltas: what their statements change, and what cannot be applied.
#![expect(clippy::unwrap_used, reason = "the functions that tests share are tests too")]

use std::io::{self, BufRead, BufReader, Read};

use pfh_digest::Algorithm;
use pfh_nsrl::{Change, Delta, DeltaCounts, DeltaError, Options};

const NAME: &str = "RDS_2026.06.1_modern_minimal_delta.sql";

/// The digests of `a` and `b`.
fn digest(algorithm: &str, message: &str) -> String {
    Algorithm::from_name(algorithm).unwrap().digest(message.as_bytes()).to_string()
}

#[derive(Debug)]
struct Outcome {
    changes: Vec<String>,
    refused: Vec<String>,
    counts: DeltaCounts,
    version: String,
}

fn read(sql: &str) -> Result<Outcome, DeltaError> {
    let (mut changes, mut refused) = (Vec::new(), Vec::new());
    // A short buffer, so that every token is cut somewhere.
    let mut delta = Delta::new(BufReader::with_capacity(7, sql.as_bytes()), NAME, &Options::default());
    let counts = delta.each(
        &mut |change| {
            let (sign, row) = match change {
                Change::Insert(row) => ('+', row),
                Change::Delete(row) => ('-', row),
            };
            let digests: Vec<_> = row.digests.iter().map(|digest| digest.to_string()).collect();
            let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
            let (name, product) = (text(row.name), text(row.product));
            changes.push(format!("{sign}{} {:?} {name:?} {:?} [{product}]", digests.join(","), row.size, row.package));
            Ok(())
        },
        &mut |statement| {
            refused.push(statement.to_string());
            Ok(())
        },
    )?;
    let version = delta.release().unwrap().version.clone();
    Ok(Outcome { changes, refused, counts, version })
}

#[test]
fn statements_as_nsrl_writes_them() {
    let [sha256, sha1, md5] = ["sha256", "sha1", "md5"].map(|algorithm| digest(algorithm, "a"));
    let upper = [&sha256, &sha1, &md5].map(|digest| digest.to_uppercase());
    let [sha256_b, sha1_b, md5_b] = ["sha256", "sha1", "md5"].map(|algorithm| digest(algorithm, "b"));
    let sql = format!(
        "-- a delta\nBEGIN TRANSACTION;
        INSERT INTO MFG (manufacturer_id, name) VALUES (1, 'It''s; a ''firm''');
        INSERT INTO PKG (package_id, name, version, operating_system_id, manufacturer_id, language, application_type)
            VALUES (45, 'Word', '1.0', 1, 1, 'English', 'Office');
        INSERT INTO FILE (sha256, sha1, md5, crc32, file_name, file_size, package_id)
            VALUES ('{0}', '{1}', '{2}', '3610A686', 'it''s', 123, 45);
        INSERT OR IGNORE INTO \"main\".[file] (file_name, package_id, md5) VALUES
            ('x', 45, '{md5}'), /* two rows */ (NULL, '46', X'{md5_b}');
        insert into FILE values ('{sha256_b}', '{sha1_b}', '{md5_b}', '', 'y', -1, 46);
        INSERT INTO FILE VALUES ('{sha256_b}', '{sha1_b}', '{md5_b}', 'z', 0, 46);
        DELETE FROM FILE WHERE sha256 = '{0}' AND sha1='{1}' AND md5=='{2}' AND crc32 = '3610A686'
            AND file_name = 'it''s' AND file_size = 123 AND package_id IS 45;
        DELETE FROM PKG WHERE package_id = 7 OR 1;
        UPDATE OS SET name = 'x' WHERE operating_system_id = 1;
        INSERT INTO VERSION (version, build_set, release_date) VALUES ('2026.09.1', 'modern_minimal', '2026-09-01');
        COMMIT;",
        upper[0], upper[1], upper[2]
    );
    let read = read(&sql).unwrap();
    let three = format!("{sha256},{sha1},{md5}");
    let three_b = format!("{sha256_b},{sha1_b},{md5_b}");
    assert_eq!(
        read.changes,
        [
            format!("+{three} Some(123) \"it's\" Some(45) [Word 1.0]"),
            format!("+{md5} None \"x\" Some(45) [Word 1.0]"),
            format!("+{md5_b} None \"\" Some(46) []"),
            format!("+{three_b} None \"y\" Some(46) []"),
            format!("+{three_b} Some(0) \"z\" Some(46) []"),
            format!("-{three} Some(123) \"it's\" Some(45) [Word 1.0]"),
        ]
    );
    assert_eq!(read.refused, [""; 0]);
    assert_eq!(read.counts, DeltaCounts { inserted: 5, deleted: 1, refused: 0, other: 5 });
    assert_eq!(read.version, "2026.09.1");
}

#[test]
fn what_needs_the_database_is_refused_with_its_line() {
    let md5 = digest("md5", "a");
    let unknown = "which rows it deletes, only the database can tell";
    let not_whole = "it does not name all digests, name, size and package of a row";
    let whole =
        format!("sha256 = '' AND sha1 = '' AND md5 = '{md5}' AND file_name = 'x' AND file_size = 1 AND package_id = 2");
    let deleted = read(&format!("DELETE FROM FILE WHERE {whole};")).unwrap().changes;
    assert_eq!(deleted, [format!("-{md5} Some(1) \"x\" Some(2) []")]);
    for (statement, reason) in [
        ("UPDATE FILE SET file_size = 1 WHERE package_id = 3", "which rows it changes, only the database can tell"),
        ("UPDATE PKG SET name = 'x'", "it changes names of packages that files already have"),
        ("DELETE FROM FILE", unknown),
        ("DELETE FROM FILE WHERE package_id = 3", unknown),
        (&format!("DELETE FROM FILE WHERE md5 = '{md5}' OR 1"), unknown),
        (&format!("DELETE FROM FILE WHERE md5 = '{md5}' AND rowid = 1"), unknown),
        (&format!("DELETE FROM FILE WHERE md5 = '{md5}' AND md5 = ''"), unknown),
        (&format!("DELETE FROM FILE WHERE md5 = '{md5}' || ''"), unknown),
        ("DELETE FROM FILE WHERE md5 IN ('x;y')", "its conditions are not values of columns"),
        ("INSERT INTO FILE SELECT * FROM other", "it does not insert values"),
        ("INSERT INTO FILE (md5) VALUES (lower('x'))", "a value is computed"),
        ("INSERT INTO FILE (md5) VALUES ('a' || 'b')", "a value is computed"),
        ("INSERT INTO FILE (md5) VALUES (X'abc')", "the bytes of a value are not written in hexadecimal"),
        ("INSERT INTO FILE (md5) VALUES ('a', 'b')", "its values are not as many as the columns"),
        ("INSERT INTO FILE VALUES (1)", "its values are not as many as the columns"),
        ("INSERT INTO FILE (md5) VALUES (NULL)", "a row cannot be used: it has no digest"),
        ("INSERT INTO FILE (md5) VALUES ('12')", "a row cannot be used: its md5 is not a digest"),
        // The digits of MD5 are as many as the bytes of SHA-256.
        (&format!("INSERT INTO FILE (sha256) VALUES ('{md5}')"), "a row cannot be used: its sha256 is not a digest"),
        (&format!("DELETE FROM FILE WHERE md5 = '{md5}'"), not_whole),
        (&format!("DELETE FROM FILE WHERE {}", whole.replacen("sha1 = '' AND ", "", 1)), not_whole),
        (&format!("DELETE FROM FILE WHERE {}", whole.replacen("file_name = 'x' AND ", "", 1)), not_whole),
        (&format!("DELETE FROM FILE WHERE {}", whole.replacen("'x'", "1", 1)), not_whole),
        (&format!("DELETE FROM FILE WHERE {}", whole.replacen("file_size = 1 AND ", "", 1)), not_whole),
        (&format!("DELETE FROM FILE WHERE {}", whole.replacen(" AND package_id = 2", "", 1)), not_whole),
        (
            &format!("DELETE FROM FILE WHERE {}", whole.replacen(&format!("'{md5}'"), "12", 1)),
            "a row cannot be used: its md5 is not a digest",
        ),
        ("CREATE TABLE x (y)", "this is no statement that a delta has"),
        ("ROLLBACK", "this is no statement that a delta has"),
        ("'", ""),
    ] {
        let sql = format!("BEGIN;\n{statement};\nINSERT INTO FILE (md5) VALUES ('{md5}');\nCOMMIT;");
        if reason.is_empty() {
            assert!(matches!(read(&sql), Err(DeltaError::Unfinished(_))), "{statement}");
            continue;
        }
        let read = read(&sql).unwrap();
        assert_eq!(read.refused, [format!("line 2: {reason}")], "{statement}");
        // The statements after it are applied.
        assert_eq!(read.changes, [format!("+{md5} None \"\" None []")], "{statement}");
        assert_eq!(read.counts, DeltaCounts { inserted: 1, deleted: 0, refused: 1, other: 0 });
        assert_eq!(read.version, "2026.06.1");
    }
}

#[test]
fn rows_beside_a_bad_one_are_applied() {
    let md5 = digest("md5", "a");
    let read = read(&format!("INSERT INTO FILE (md5) VALUES ('{md5}'),\n('bad'),\n('{md5}');")).unwrap();
    assert_eq!(read.changes.len(), 2);
    assert_eq!(read.refused, ["line 2: a row cannot be used: its md5 is not a digest"]);
}

#[test]
fn a_truncated_delta_is_an_error() {
    let md5 = digest("md5", "a");
    let sql = format!("BEGIN TRANSACTION;\nINSERT INTO FILE (md5) VALUES ('{md5}');\nCOMMIT;");
    // Up to the last keyword, which needs no semicolon.
    for length in 6..sql.len() - 1 {
        let cut = read(&sql[..length]);
        assert!(matches!(cut, Err(DeltaError::Unfinished(_))), "{:?}: {cut:?}", &sql[..length]);
    }
    assert_eq!(read(&sql).unwrap().counts.inserted, 1);
    // The same after a byte order mark.
    let marked = format!("\u{feff}{sql}");
    let read_marked = read(&marked).unwrap();
    assert_eq!((read_marked.counts.inserted, read_marked.refused.len()), (1, 0));
    assert!(matches!(read(marked.strip_suffix("COMMIT;").unwrap()), Err(DeltaError::Unfinished(_))));
    let trigger = format!("CREATE TEMP TRIGGER t DELETE ON FILE BEGIN DELETE FROM FILE WHERE md5 = '{md5}'; END;");
    assert!(matches!(read(&trigger), Err(DeltaError::Trigger(1))));
}

#[test]
fn a_delta_of_a_full_set_is_an_error() {
    for statement in
        ["INSERT INTO METADATA VALUES (1)", "DELETE FROM main.package_object", "UPDATE APPLICATION SET a = 1"]
    {
        let found = read(&format!("BEGIN;\nINSERT INTO LANGUAGE VALUES (1);\n{statement};\nCOMMIT;"));
        assert!(matches!(found, Err(DeltaError::FullSet)), "{statement}: {found:?}");
    }
}

#[test]
fn products_stay_within_their_memory() {
    /// Endless packages.
    struct Packages(u64);
    impl Read for Packages {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            self.0 += 1;
            let statement = format!("INSERT INTO PKG (package_id, name) VALUES ({}, 'a name');\n", self.0);
            buffer[..statement.len()].copy_from_slice(statement.as_bytes());
            Ok(statement.len())
        }
    }
    fn each(input: impl BufRead) -> DeltaError {
        let options = Options { products_bytes_max: 1 << 20 };
        Delta::new(input, NAME, &options).each(&mut |_| Ok(()), &mut |_| Ok(())).unwrap_err()
    }
    assert!(matches!(each(BufReader::new(Packages(0))), DeltaError::Products(_)));
    assert!(matches!(each(BufReader::new((&b"'"[..]).chain(io::repeat(b'x')))), DeltaError::TooLong(1)));
}
