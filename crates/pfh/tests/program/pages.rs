//! The pages of audits, verifications, certificates and advice in a real browser, on a phone and a desktop, light and
//! dark.

use std::fs;
use std::path::Path;

use pfh_testing::Random;

use crate::fixture::*;
use crate::looked_at::{examine, look};

/// Changes contents and nothing else that a listing shows.
fn rot(path: &Path, contents: &str) {
    let modified = fs::metadata(path).unwrap().modified().unwrap();
    let file = fs::File::options().write(true).truncate(true).open(path).unwrap();
    std::io::Write::write_all(&mut &file, contents.as_bytes()).unwrap();
    file.set_modified(modified).unwrap();
}

/// A collection in which something of each kind happened, with long names and names of other scripts; and many of a
/// kind.
fn pages() -> Vec<(&'static str, String)> {
    let directory = scratch();
    let d = directory.path();
    let tree = d.join("t");
    let long = format!("{}/{}", "a".repeat(200), "b".repeat(200));
    let odd = ["Ödön von Horváth – “Geschichten”.txt", "קובץ.txt", "two words and a\nbreak", long.as_str()];
    let mut random = Random::new(1);
    for name in odd.map(str::to_owned).into_iter().chain((0..60).map(|number| format!("box/letter {number}"))) {
        let path = tree.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, random.number().to_string()).unwrap();
    }
    let run = |arguments: &[&str]| pfh(d, arguments).run();
    let html = |arguments: &[&str], code: i32| {
        let ended = run(arguments);
        assert_eq!(ended.code(), code, "{}", ended.stderr);
        String::from_utf8(ended.stdout).unwrap()
    };
    assert_eq!(run(&["audit", "init", "l", "t"]).code(), 0);
    assert_eq!(run(&["hash", "t", "-f", "jsonl", "-o", "list"]).code(), 0);
    let verified = html(&["verify", "list", "-f", "html"], 0);
    rot(&tree.join(&long), "other");
    rot(&tree.join(odd[1]), "other");
    fs::write(tree.join("box/letter 1"), "another letter").unwrap();
    fs::rename(tree.join("box/letter 2"), tree.join("moved")).unwrap();
    fs::copy(tree.join("box/letter 3"), tree.join("copied")).unwrap();
    (4..50).for_each(|number| fs::remove_file(tree.join(format!("box/letter {number}"))).unwrap());
    (0..45).for_each(|number| fs::write(tree.join(format!("new {number}")), format!("new {number}")).unwrap());
    assert_eq!(run(&["audit", "run", "l", "--full"]).code(), 1);
    let by = ["--by", "A. Person", "--role", "examiner", "--case", "2026-117", "--device", "USB stick", "--host"];
    // Many files, since a page of advice does without long files.
    (0..200).for_each(|number| fs::write(tree.join(format!("small {number}")), vec![7; 100_000]).unwrap());
    let advice = ["lab", "advise", "t", "--seconds", "5", "--volume", "25TB", "--deadline", "8h", "--html"];
    vec![
        ("advice", html(&advice, 0)),
        ("audit", html(&["audit", "report", "l", "-f", "html"], 0)),
        ("first audit", html(&["audit", "report", "l", "--run", "1", "-f", "html"], 0)),
        ("verified", verified),
        ("not verified", html(&["verify", "list", "-f", "html"], 1)),
        ("certificate", html(&[&["certify", "list"], by.as_slice()].concat(), 0)),
    ]
}

#[test]
fn pages_about_files_can_be_read_by_everybody() {
    let pages = pages();
    let pages: Vec<(&str, &str)> = pages.iter().map(|(name, page)| (*name, page.as_str())).collect();
    let page = |name: &str| pages.iter().find(|(other, _)| *other == name).unwrap().1;
    // Many rows of one kind are folded, and columns without a value are left out.
    for text in ["Time to read and hash everything once", "95 % interval", "How far to trust this"] {
        assert!(page("advice").contains(text), "{text}: {}", page("advice"));
    }
    for text in ["What else is new in this run: 47 rows", "What is wrong in this run: 49 rows"] {
        assert!(page("audit").contains(text), "{text}");
    }
    assert!(page("not verified").contains("Files that are missing: 46 rows"), "{}", page("not verified"));
    assert!(!page("verified").contains("<details"));
    look(&pages, |probe, context| {
        assert!(probe["height"].as_u64().is_some_and(|height| height < 12_000), "{context}");
        assert!(probe["texts"].as_u64().is_some_and(|texts| texts > 20), "{context}");
    });
    examine(&pages);
}
