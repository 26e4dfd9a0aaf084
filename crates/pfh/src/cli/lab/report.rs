//! `pfh lab report` and `pfh lab compare`.

use super::{Ending, Error, Failed, message};
use crate::cli::command::Command;
use crate::cli::lab_args::{CompareArguments, ReportArguments};
use crate::cli::output::Output;
use pfh_lab::measurements::Measurements;
use pfh_lab::report::{self, Document, Options, Report, frash};
use pfh_list::place_of;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// Writes the report in all its forms.
pub(super) fn report(arguments: &ReportArguments) -> Result<Ending, Failed> {
    if arguments.volume == Some(0) {
        return Err(Failed::usage("--volume must be greater than 0"));
    }
    let command = Command::printing()?;
    if let Some(rows) = frash::open(&arguments.results)? {
        return frash_report(command, arguments, &frash::document(&rows));
    }
    let measurements = Measurements::open(&arguments.results)?.by(arguments.clock.into());
    let defaults = Options::default();
    let options = Options {
        volume_bytes: arguments.volume.unwrap_or(defaults.volume_bytes),
        key_space: arguments.key_space.unwrap_or(defaults.key_space),
    };
    let page = page_of(arguments);
    let report = Report::new(&measurements, options);
    let document = report.document();
    let (mut csv, mut json_lines) = (Vec::new(), Vec::new());
    report.write_csv(&mut csv).map_err(Failed::usage)?;
    report.write_json_lines(&mut json_lines).map_err(Failed::usage)?;
    let others = [("csv", csv), ("jsonl", json_lines), ("md", document.markdown().into_bytes())];
    let others = others.map(|(extension, text)| (page.with_extension(extension), text));
    write_all(arguments, &page, &document, &others)?;
    let answer = document.answer().join("\n");
    command.print(format!("{answer}\n{}, and the same as .md, .csv and .jsonl\n", quote(&page)))
}

/// Writes the report of `pfh frash`; its figures are the results themselves.
fn frash_report(command: Command, arguments: &ReportArguments, document: &Document) -> Result<Ending, Failed> {
    let page = page_of(arguments);
    let markdown = (page.with_extension("md"), document.markdown().into_bytes());
    write_all(arguments, &page, document, &[markdown])?;
    command.print(format!("{}\n{}, and the same as .md\n", document.answer().join("\n"), quote(&page)))
}

/// The file of the page: the one that was named, or one beside the results.
fn page_of(arguments: &ReportArguments) -> PathBuf {
    arguments.output.clone().unwrap_or_else(|| {
        let results = &arguments.results;
        let folder = if results.is_dir() { results } else { results.parent().unwrap_or(results) };
        folder.join("report.html")
    })
}

/// Writes a page and the files beside it, unless one of them would take the place of another or of the results.
fn write_all(
    arguments: &ReportArguments,
    page: &Path,
    document: &Document,
    others: &[(PathBuf, Vec<u8>)],
) -> Result<(), Failed> {
    for path in others.iter().map(|(path, _)| path.as_path()).chain([page]) {
        spare_results(path, &arguments.results)?;
    }
    let place = place_of(page);
    if others.iter().any(|(path, _)| place_of(path) == place) {
        return Err(Failed::usage(format_args!(
            "{}: the page needs another extension, as in report.html",
            quote(page)
        )));
    }
    // The page last: where it is, the others are.
    for (path, text) in others {
        write(path, text)?;
    }
    Ok(write(page, document.html().as_bytes())?)
}

/// Prints what is different, or writes it as a page.
pub(super) fn compare(arguments: &CompareArguments) -> Result<Ending, Failed> {
    let command = Command::printing()?;
    let clock = arguments.clock.into();
    let [a, b] = [Measurements::open(&arguments.a)?.by(clock), Measurements::open(&arguments.b)?.by(clock)];
    let [a, b] = [&a, &b].map(|measurements| Report::new(measurements, Options::default()));
    let document = report::compare(&a, &b);
    match &arguments.output {
        Some(page) if page != Path::new("-") => {
            spare_results(page, &arguments.a)?;
            spare_results(page, &arguments.b)?;
            command.set_output(whole(page)?);
            command.print(document.html())
        }
        Some(_) => command.print(document.html()),
        None => command.print(document.markdown()),
    }
}

fn quote(path: &Path) -> String {
    message::quoted(path.as_os_str().as_bytes())
}

/// No report takes the place of the results that it is made from.
fn spare_results(path: &Path, results: &Path) -> Result<(), Failed> {
    let same = |results: &Path| path.canonicalize().ok().zip(results.canonicalize().ok()).is_some_and(|(a, b)| a == b);
    let is_taken = match results.is_dir() {
        true => [pfh_lab::store::FILE, frash::FILE].iter().any(|file| same(&results.join(file))),
        false => same(results),
    };
    if is_taken {
        Err(Failed::usage(format_args!("{} holds the results; name the report otherwise", quote(path))))
    } else {
        Ok(())
    }
}

/// Opens a file that appears whole or not at all.
fn whole(path: &Path) -> Result<Output, Error> {
    Output::whole(path).map_err(|source| Error::Output { path: path.to_owned(), source })
}

/// Writes a file that appears whole or not at all.
fn write(path: &Path, text: &[u8]) -> Result<(), Error> {
    let mut output = whole(path)?;
    let written = output.write(text).and_then(|()| output.finish());
    written.map_err(|source| Error::Output { path: path.to_owned(), source })
}
