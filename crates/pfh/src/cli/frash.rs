//! `pfh frash`.

use super::args::FrashArguments;
use super::command::{Command, Reporting};
use super::exit::{Ending, Failed};
use super::output::{Output, OwnFiles};
use super::{message, reading};
use pfh_lab::report::frash as report;
use pfh_record::Summary;
use pfh_similarity::Family;
use pfh_similarity::frash::{Frash, Row};
use pfh_source::{EntryKind, ErrorKind, FileError, Found, LocalSource, Source, SourceFile, WalkOptions};
use std::io::Write;
use std::ops::ControlFlow;
use std::os::unix::ffi::OsStrExt;

/// Largest input: inputs are held in memory, and grow sixfold.
const FILE_BYTES_MAX: usize = 16 << 20;

/// Runs `pfh frash`.
pub(crate) fn run(arguments: &FrashArguments) -> Result<Ending, Failed> {
    let mut frash = Frash { seed: arguments.seed, runs: arguments.runs, ..Frash::default() };
    if let Some(bytes) = arguments.bytes {
        frash.bytes = usize::try_from(bytes).unwrap_or(usize::MAX);
        frash.common_block_bytes = vec![frash.bytes];
    }
    if !(1..=FILE_BYTES_MAX * 8).contains(&frash.bytes) {
        return Err(Failed::usage(format_args!("--bytes must be from 1 to {}", FILE_BYTES_MAX * 8)));
    }
    if !arguments.tests.is_empty() {
        frash.tests.clone_from(&arguments.tests);
    }
    if !arguments.families.is_empty() {
        frash.families.clone_from(&arguments.families);
    }
    if let Some(directory) = &arguments.plots {
        let failed = |error| Failed::usage(format_args!("{}: {error}", message::quoted_path(directory)));
        std::fs::create_dir_all(directory).map_err(failed)?;
    }
    let mut command = Command::begin(Reporting::DEFAULT, None);
    command.set_output(reading::open_output(arguments.output.as_deref(), [])?);
    let mut output = command.output();
    let (files, unread) = read(arguments, &output.own_files())?;
    let mut result = output.write_all(format!("{}\r\n", report::HEADER).as_bytes());
    let mut rows: Vec<report::Row> = Vec::new();
    if result.is_ok() {
        let _ = frash.run(&files, &mut |row| {
            let row = written(&row);
            result = output.write_all(row.to_string().as_bytes()).and_then(|()| output.flush());
            if arguments.plots.is_some() {
                rows.push(row);
            }
            if result.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
    }
    if let (Some(directory), Ok(())) = (&arguments.plots, &result) {
        result = report::plots(&rows).iter().try_for_each(|(name, plot)| {
            let mut picture = Output::whole(&directory.join(name).with_extension("svg"))?;
            picture.write(plot.svg().as_bytes())?;
            picture.finish()
        });
    }
    let complete = files.len() as u64;
    let mut summary = Summary::default();
    (summary.complete, summary.unreadable) = (complete, unread);
    command.set_summary(summary);
    command.tally.unread = unread;
    command.finish(result, complete, None)
}

/// A result as it is written, and read by reports.
fn written(row: &Row) -> report::Row {
    let Row { test, mode, family, parameter, runs, matched, value, spread } = *row;
    let [least, lower_quartile, median, upper_quartile, greatest] = spread.map_or([None; 5], |values| values.map(Some));
    report::Row {
        test: test.name().to_owned(),
        mode: mode.to_owned(),
        family: family.map_or("sha1", Family::name).to_owned(),
        parameter,
        runs,
        matched,
        value,
        least,
        lower_quartile,
        median,
        upper_quartile,
        greatest,
    }
}

/// Returns the contents of all files below the paths, and the number of unreadable ones. The table is none of them, and
/// neither is the one that it replaces: another run with the same seed has the same results.
fn read(arguments: &FrashArguments, own_files: &OwnFiles) -> Result<(Vec<Vec<u8>>, u64), Failed> {
    let roots = arguments.paths.iter().map(|path| path.as_bytes().to_vec()).collect();
    let source = LocalSource::new(WalkOptions { roots, ..WalkOptions::default() }).map_err(Failed::usage)?;
    let (mut files, mut unread) = (Vec::new(), 0);
    let mut left_bytes = Some(arguments.memory);
    source.walk(&mut |found| {
        let (path, contents) = match found {
            Found::Entry(entry)
                if entry.identity_hint.is_some_and(|identity| own_files.has(identity, || entry.path())) =>
            {
                return true;
            }
            Found::Entry(entry) if entry.kind == EntryKind::Regular => {
                (entry.path(), source.open(&entry).and_then(|file| contents(&file)))
            }
            Found::Failed(path, error) => (path, Err(error)),
            _ => return true,
        };
        match contents {
            Ok(contents) => {
                left_bytes = left_bytes.and_then(|bytes| bytes.checked_sub(contents.len() as u64));
                files.push(contents);
            }
            Err(error) => {
                unread += 1;
                message::error(format_args!("{}: {error}", message::quoted(&path)));
            }
        }
        left_bytes.is_some()
    });
    if left_bytes.is_none() {
        return Err(Failed::usage(format_args!(
            "the files have more than {} bytes together (--memory), and experiments need all at once: give fewer files, or more memory",
            arguments.memory
        )));
    }
    if files.is_empty() && !arguments.paths.is_empty() {
        return Err(Failed::unread("there are no files to experiment with"));
    }
    Ok((files, unread))
}

fn contents(file: &impl SourceFile) -> Result<Vec<u8>, FileError> {
    let mut contents = Vec::new();
    let mut buffer = vec![0; 1 << 16];
    loop {
        match file.read_at(&mut buffer, contents.len() as u64)? {
            0 => return Ok(contents),
            bytes => contents.extend_from_slice(&buffer[..bytes]),
        }
        if contents.len() > FILE_BYTES_MAX {
            let message = format!("longer than {FILE_BYTES_MAX} bytes: too long for experiments");
            return Err(FileError::new(ErrorKind::Other, message));
        }
    }
}
