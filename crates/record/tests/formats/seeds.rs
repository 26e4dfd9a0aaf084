//! Regression tests that run the seeds of the fuzz targets through the same properties. The seeds are made from the
//! samples by `cargo test -p pfh-record -- --ignored write_seeds`; findings of a fuzzer are added by hand.

use std::fs;
use std::path::{Path, PathBuf};

use pfh_record::FormatName;

use crate::known::known_lists;
use crate::samples::*;
use crate::similarity;

#[expect(unreachable_pub, reason = "public to the fuzz targets")]
#[path = "../../../../fuzz/src/property.rs"]
mod property;

fn seeds() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/seeds")
}

fn run(target: &str, input: &[u8]) {
    match target {
        "gnu" => property::list(FormatName::Gnu, input),
        "md5deep" => property::md5deep(input),
        "journal" => property::journal(input),
        "detect" => property::detect(input),
        "columns" => property::columns(input),
        name => property::list(format(&name.replace('_', "-")), input),
    }
}

#[test]
fn every_seed() {
    let mut count = 0;
    for target in fs::read_dir(seeds()).unwrap() {
        let target = target.unwrap().path();
        let name = target.file_name().unwrap().to_str().unwrap().to_owned();
        if ["similarity_", "known_", "list_", "nsrl_", "serve_", "bag_", "ledger_", "plan_", "fixity_"]
            .iter()
            .any(|prefix| name.starts_with(prefix))
        {
            continue; // Run by the crates that read them.
        }
        for seed in fs::read_dir(&target).unwrap() {
            run(&name, &fs::read(seed.unwrap().path()).unwrap());
            count += 1;
        }
    }
    assert!(count >= 20, "{count}");
}

/// Seeds are kept small, since fuzzers work best with small ones.
const SEED_BYTES_MAX: usize = 4096;

#[test]
#[ignore = "writes the seeds"]
fn write_seeds() {
    let write = |target: &str, name: &str, bytes: &[u8]| {
        let directory = seeds().join(target);
        fs::create_dir_all(&directory).unwrap();
        fs::write(directory.join(name), &bytes[..bytes.len().min(SEED_BYTES_MAX)]).unwrap();
    };
    for format in [FormatName::Csv, FormatName::Jsonl, FormatName::Dfxml] {
        write(format.name(), "similarity", &[&[0], &*similarity::sample(format, b"hello")].concat());
    }
    let manifest = format!("\0{MD5}  data/hello.txt\r\n{MD5} *data/100%25%0d\n");
    write("bagit", "md5", manifest.as_bytes());
    for (format, form, list) in known_lists() {
        write(&format.name().replace('-', "_"), form, &[&[0], &*list].concat());
        write("detect", &format!("{}-{form}", format.name()), &list[..list.len().min(256)]);
    }
    let table = format!("File;MD5;Size\n\"a; \"\"b\";{MD5};5\n");
    for columns in ["md5=MD5,name=\"File\",size=3", "digest=2,product=1,separator=semicolon"] {
        write("columns", &columns[..6], format!("{columns}\n{table}").as_bytes());
    }
    for (format, options, document) in documents() {
        let kind = match (options.null_terminated, options.piecewise) {
            (false, false) => "plain",
            (true, _) => "null",
            (_, true) => "piecewise",
        };
        let flags = [u8::from(options.null_terminated) | u8::from(options.piecewise) << 1];
        let short = &document[..document.len().min(SEED_BYTES_MAX - 2)];
        match format {
            FormatName::Md5deep(form) => {
                let form = u8::from(form.asterisk)
                    | u8::from(form.size) << 1
                    | u8::from(form.comma) << 2
                    | u8::from(form.time) << 3;
                write("md5deep", &format!("{}-{kind}", format.name()), &[&[form][..], &flags, short].concat());
            }
            FormatName::Bsd => write("gnu", &format!("bsd-{kind}"), &[&flags[..], short].concat()),
            _ => write(format.name(), kind, &[&flags[..], short].concat()),
        }
        if format == FormatName::Jsonl {
            write("journal", kind, &document);
        }
        write("detect", &format!("{}-{kind}", format.name()), &document[..document.len().min(256)]);
    }
}
