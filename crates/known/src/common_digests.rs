//! Tests with a digest that many entries have, such as that of a placeholder: the time must not grow with the number of
//! files times that of the entries.

use std::cell::Cell;

use pfh_digest::{Algorithm, Digest};

use crate::about::{Class, ComparedSet, Origin};
use crate::builder::{Keep, Row, SetBuilder};
use crate::classifier::{ClassifiedSet, Classifier, Known};
use crate::import::Importer;
use crate::set::{ENTRIES_READ, KnownSet};

/// Number of the entries, and of the files.
const COUNT: u32 = 1000;

/// Most entries that may be read for each file: those by which the digest's places are found.
const READ_MAX: u64 = 50;

fn md5() -> Algorithm {
    Algorithm::from_name("md5").unwrap()
}

fn common() -> Digest {
    md5().digest(b"common")
}

/// Makes a set whose entries have the same MD5. Each third is of a source of bad files, whose algorithm was guessed.
fn set() -> KnownSet {
    let mut builder = SetBuilder::new(&[md5(), Algorithm::SHA256], Keep::default(), 1 << 20);
    builder.begin_source(Origin { class: Class::Good, ..Origin::default() }).unwrap();
    let bad = Origin { class: Class::Bad, guessed: vec!["md5".to_owned()], ..Origin::default() };
    builder.begin_source(bad).unwrap();
    for number in 0..COUNT {
        builder.select_source(usize::from(number % 3 == 0));
        let digests = [common(), Algorithm::SHA256.digest(&number.to_le_bytes())];
        builder.push(&Row { digests: &digests, ..Row::default() }).unwrap();
    }
    let mut file = Vec::new();
    builder.write(&mut file, "a test").unwrap();
    KnownSet::from_bytes(file).unwrap()
}

#[test]
fn files_are_classified() {
    let mut classifier = Classifier::default();
    for class in [None, Some(Class::Other)] {
        classifier.push(ClassifiedSet { name: b"set".to_vec(), class, set: set() });
    }
    let bad = (0..).find(|entry| classifier.sets()[0].set.source(*entry).unwrap() == 1).unwrap();
    let known = classifier.classify(&[common()]).unwrap();
    assert_eq!(known.first(), Some(&Known { class: Class::Bad, set: 0, entry: bad }));
    assert_eq!(known.len(), 2 * COUNT as usize);
    assert!(known.confirms(0, 1, "md5") && known.confirms(1, 1, "md5") && !known.confirms(0, 0, "md5"));
    let noted = Cell::new(0);
    let note = |_: &Known| noted.set(noted.get() + 1);
    let before = ENTRIES_READ.get();
    for _ in 0..COUNT {
        assert_eq!(classifier.first_known(&[common()]).unwrap(), Some((common(), known.clone())));
        assert_eq!(classifier.classify_by(None, &[common()], |_, _| true, Some(&note)).unwrap(), known);
    }
    assert!(ENTRIES_READ.get() - before < 4 * u64::from(COUNT) * READ_MAX);
    assert_eq!(noted.get(), 2 * COUNT);
    // Those of one set are other answers, and so are those of a file with a further digest.
    assert_eq!(classifier.classify_by(None, &[common()], |set, _| set == 1, None).unwrap().len(), COUNT as usize);
    let whole = [common(), Algorithm::SHA256.digest(&7_u32.to_le_bytes())];
    assert_eq!(classifier.classify(&whole).unwrap().len(), 2);
    assert_eq!(classifier.classify(&[md5().digest(b"other")]).unwrap().len(), 0);
}

#[test]
fn files_are_left_out_of_a_set() {
    let builder = SetBuilder::new(&[md5()], Keep::default(), 1 << 20);
    let mut importer = Importer::new(builder, 1 << 20);
    importer.builder().begin_source(Origin::default()).unwrap();
    importer.keep_only(ComparedSet::default(), set());
    importer.leave_out(ComparedSet::default(), set());
    let before = ENTRIES_READ.get();
    for _ in 0..COUNT {
        assert!(importer.push(&Row { digests: &[common()], ..Row::default() }).unwrap());
    }
    assert_eq!(importer.left_out(), u64::from(COUNT));
    assert!(ENTRIES_READ.get() - before < 2 * u64::from(COUNT) * READ_MAX);
}
