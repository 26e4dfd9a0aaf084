//! `pfh audit report`: what a run found, for people and for programs.

use super::super::audit_args::{ReportArguments, ReportFormat};
use super::super::command::{Command, Reporting};
use super::super::exit::{Ending, Failed};
use super::super::reading;
use super::super::{json_header, message};
use super::collection::{Collection, full_path, one_line, output_file, quoted_roots, time};
use super::describe::{describe, event_json, expected, found, found_bytes, hex};
use super::reported::{Reported, is_news, summary};
use super::{metrics, page, premis};
use pfh_ledger::{Error, Finding, Ledger};
use pfh_record::csv::push_field;
use pfh_record::jsonl::end_line;
use std::io::{self, Write};

/// Runs `pfh audit report`.
pub(super) fn run(arguments: &ReportArguments) -> Result<Ending, Failed> {
    let collection = Collection::of(&arguments.ledger)?;
    collection.spare([output_file(arguments.output.as_deref())])?;
    let ledger = collection.open()?;
    let failed = |error| collection.failed(error);
    let (roots, settings) = (ledger.roots().map_err(failed)?, collection.settings(&ledger)?);
    collection.stay_outside(&roots, &settings, arguments.output.as_slice(), &[], false)?;
    let runs = ledger.runs().map_err(failed)?;
    let last = runs.iter().rev().find(|run| run.end.is_some()).map(|run| run.number);
    let number = match arguments.run {
        Some(number) if runs.iter().all(|run| run.number != number) => {
            return Err(Failed::usage(format_args!(
                "the ledger has no run {number}; its runs are 1 to {}",
                runs.len()
            )));
        }
        Some(number) if arguments.format == ReportFormat::Prometheus && last != Some(number) => {
            return Err(Failed::usage(
                "format `prometheus` has the collection as it stands and the last run; leave --run out",
            ));
        }
        Some(number) => number,
        None => last.ok_or_else(|| Failed::usage("no run has ended yet"))?,
    };
    let command = Command::begin(Reporting::DEFAULT, None);
    command.set_output(reading::open_output(arguments.output.as_deref(), [])?);
    let written = write_whole(&ledger, number, arguments.format, &mut command.output());
    let written = into_io(written).map_err(failed)?;
    command.finish(written, 1, None)
}

/// Takes the errors of the output out of those of the ledger.
pub(super) fn into_io(written: Result<(), Error>) -> Result<io::Result<()>, Error> {
    match written {
        Ok(()) => Ok(Ok(())),
        Err(Error::Io(error)) => Ok(Err(error)),
        Err(error) => Err(error),
    }
}

/// Writes the report of a run that is kept: a text begins with the collection, the times and the totals, which a run
/// itself prints elsewhere.
pub(super) fn write_whole(
    ledger: &Ledger,
    number: i64,
    format: ReportFormat,
    output: &mut dyn Write,
) -> Result<(), Error> {
    let reported = reported(ledger, number)?;
    if format == ReportFormat::Text {
        heading(&reported, output)?;
    }
    write_in(format, &reported, output)
}

fn heading(reported: &Reported<'_>, output: &mut dyn Write) -> Result<(), Error> {
    let Reported { roots, info, .. } = reported;
    let (began, ended) = info.times;
    let ended = ended.map_or_else(|| "did not end".to_owned(), |ended| format!("ended {}", time(ended)));
    writeln!(output, "audit of {}, began {}, {ended}", quoted_roots(roots), time(began))?;
    if let Some(end) = &info.end {
        writeln!(output, "{}", one_line(&summary(info.number, &info.options.mode, end)))?;
    }
    Ok(writeln!(output)?)
}

/// Writes the report of a run.
pub(super) fn write(ledger: &Ledger, number: i64, format: ReportFormat, output: &mut dyn Write) -> Result<(), Error> {
    write_in(format, &reported(ledger, number)?, output)
}

fn reported(ledger: &Ledger, number: i64) -> Result<Reported<'_>, Error> {
    let info = ledger.runs()?.into_iter().find(|run| run.number == number);
    let info = info.ok_or_else(|| Error::Refused(format!("the ledger has no run {number}")))?;
    Ok(Reported { ledger, roots: ledger.roots()?, info })
}

fn write_in(format: ReportFormat, reported: &Reported<'_>, output: &mut dyn Write) -> Result<(), Error> {
    match format {
        ReportFormat::Text => text(reported, output),
        ReportFormat::Jsonl => json_lines(reported, output),
        ReportFormat::Csv => csv(reported, output),
        ReportFormat::Premis => premis::write(reported, output),
        ReportFormat::Prometheus => metrics::write(reported, output),
        ReportFormat::Html => page::write(reported, output),
    }
}

fn text(reported: &Reported<'_>, output: &mut dyn Write) -> Result<(), Error> {
    // Alarms come first.
    for is_wrong in [true, false] {
        reported.each(&mut |event| {
            if is_news(event.finding) && Finding::ALARMS.contains(&event.finding) == is_wrong {
                let path = event.subject.as_ref().map_or(Vec::new(), |subject| full_path(&reported.roots, subject));
                let what = describe(reported.ledger, &reported.roots, event)?;
                let line = format!("{:<10} {}  {what}", event.finding, message::quoted(&path));
                writeln!(output, "{}", line.trim_end())?;
            }
            Ok(())
        })?;
    }
    Ok(())
}

fn json_lines(reported: &Reported<'_>, output: &mut dyn Write) -> Result<(), Error> {
    let info = &reported.info;
    let value = |value: serde_json::Value| value.to_string();
    let mut line = Vec::new();
    json_header::begin(&mut line);
    write!(
        line,
        ",\"run\":{},\"mode\":{},\"algorithms\":{},\"options\":{},\"run_by\":{},\"host\":{},\"user\":{},\
         \"began\":\"{}\"",
        info.number,
        value(info.options.mode.clone().into()),
        value(info.options.algorithms.clone().into()),
        value(info.options.options.clone().into()),
        value(info.options.program.clone().into()),
        value(info.options.host.clone().into()),
        value(info.options.user.clone().into()),
        time(info.times.0)
    )?;
    end_line(0, &mut line);
    output.write_all(&line)?;
    reported.each(&mut |event| {
        let mut line = Vec::new();
        event_json(reported.ledger, &reported.roots, event, &mut line)?;
        Ok(output.write_all(&line)?)
    })?;
    if let (Some(end), Some(ended)) = (&info.end, info.times.1) {
        let counts = serde_json::to_string(end).map_err(|error| Error::Refused(error.to_string()))?;
        let mut line = format!("{{\"type\":\"summary\",\"ended\":\"{}\",{}", time(ended), &counts[1..counts.len() - 1])
            .into_bytes();
        end_line(0, &mut line);
        output.write_all(&line)?;
    }
    Ok(())
}

fn csv(reported: &Reported<'_>, output: &mut dyn Write) -> Result<(), Error> {
    output.write_all(b"event,run,time,finding,bytes,expected,found,other,note,path\r\n")?;
    reported.each(&mut |event| {
        let digests = |digests: pfh_ledger::Digests| digests.split().iter().map(hex).collect::<Vec<_>>().join(" ");
        let bytes = found_bytes(reported.ledger, event)?.map_or_else(String::new, |bytes| bytes.to_string());
        let mut line =
            format!("{},{},{},{},{bytes},", event.id, event.run, time(event.time), event.finding).into_bytes();
        line.extend_from_slice(digests(expected(reported.ledger, event)?).as_bytes());
        line.push(b',');
        line.extend_from_slice(digests(found(reported.ledger, event)?).as_bytes());
        line.push(b',');
        let path = |subject: Option<&pfh_ledger::Subject>| {
            subject.map_or(Vec::new(), |subject| full_path(&reported.roots, subject))
        };
        push_field(&path(event.other.as_ref()), &mut line);
        line.push(b',');
        let note = match event.note.as_deref().and_then(Ledger::failure) {
            Some((0, error)) => error,
            Some((offset, error)) => format!("from byte {offset} on: {error}"),
            None => String::new(),
        };
        push_field(note.as_bytes(), &mut line);
        line.push(b',');
        push_field(&path(event.subject.as_ref()), &mut line);
        line.extend_from_slice(b"\r\n");
        Ok(output.write_all(&line)?)
    })
}
