//! `pfh audit status` and `history`.

use super::super::audit_args::{HistoryArguments, StatusArguments};
use super::super::command::Command;
use super::super::exit::{Ending, Failed};
use super::super::message;
use super::super::quantity::{Bytes, Count};
use super::collection::{Collection, full_path, now, one_line, subject, time};
use super::describe::{describe, event_json};
use super::reported::files;
use super::run::alarms;
use pfh_ledger::{Finding, RunEnd};
use serde_json::json;

/// Files with open findings that are named.
const NAMED_MAX: usize = 100;

/// Runs `pfh audit status`.
pub(super) fn status(arguments: &StatusArguments) -> Result<Ending, Failed> {
    let collection = Collection::of(&arguments.ledger)?;
    let ledger = collection.open()?;
    let failed = |error| collection.failed(error);
    let interval = arguments.interval.or(collection.policy.as_ref().and_then(|policy| policy.interval));
    let before = interval.map(|interval| now() - interval.as_secs().cast_signed());
    let standing = ledger.standing(before).map_err(failed)?;
    let (roots, settings, head) =
        (ledger.roots().map_err(failed)?, ledger.settings().map_err(failed)?, ledger.head().map_err(failed)?);
    let runs = ledger.runs().map_err(failed)?;
    let relocations = ledger.relocations().map_err(failed)?;
    let mut command = Command::printing()?;
    let open = RunEnd { open: standing.open.clone(), ..RunEnd::default() };
    command.tally.findings = alarms(&settings, &open);
    let mut named = Vec::new();
    ledger
        .each_file(true, &mut |file| {
            if named.len() <= NAMED_MAX {
                named.push((file.state.status.word(), full_path(&roots, &file.subject)));
            }
            Ok(())
        })
        .map_err(failed)?;
    if arguments.json {
        let last = runs.last();
        let text = json!({
            "roots": roots.iter().map(|root| String::from_utf8_lossy(root)).collect::<Vec<_>>(),
            "relocations": relocations.iter().map(|one| json!({
                "root": one.root,
                "from": String::from_utf8_lossy(&one.from),
                "to": String::from_utf8_lossy(&one.to),
                "time": time(one.time),
                "by": one.by,
                "why": one.why,
            })).collect::<Vec<_>>(),
            "settings": settings,
            "files": standing.files,
            "bytes": standing.bytes,
            "open": standing.open,
            "oldest_verification": standing.oldest.map(time),
            "never_read": standing.never,
            "overdue": before.map(|_| standing.overdue),
            "runs": runs.len(),
            "last_run": last.map(|run| json!({
                "number": run.number,
                "mode": run.options.mode,
                "began": time(run.times.0),
                "ended": run.times.1.map(time),
                "unseen": run.end.as_ref().map(|end| end.unseen),
            })),
            "events": head.events,
            "head": head.hash_text(),
        });
        return command.print(format!("{text}\n"));
    }
    let mut text = String::new();
    for (number, root) in (0..).zip(&roots) {
        text += &format!("collection   {}\n", message::quoted(root));
        for one in relocations.iter().filter(|one| one.root == number) {
            let (until, by, why) = (time(one.time), one_line(&one.by), one_line(&one.why));
            text += &format!("             until {until} {} (by {by}: {why})\n", message::quoted(&one.from));
        }
    }
    text += &format!("algorithms   {}\n", one_line(&settings.algorithms.join(", ")));
    text += &format!("files        {}, {}\n", Count(standing.files), Bytes(standing.bytes));
    match runs.last() {
        Some(run) => {
            let ended = match run.times.1 {
                Some(at) => format!("ended {}", time(at)),
                None => "was interrupted, or goes on".to_owned(),
            };
            text += &format!("last run     {} ({}), {ended}\n", run.number, one_line(&run.options.mode));
        }
        None => text += "last run     none\n",
    }
    let unseen = runs.last().and_then(|run| run.end.as_ref()).map_or(0, |end| end.unseen);
    if unseen > 0 {
        text += &format!(
            "out of sight {} in the last run: excluded, or in directories that it could not list\n",
            files(unseen)
        );
    }
    if let Some(oldest) = standing.oldest {
        let except = match standing.never {
            0 => String::new(),
            never => format!(", except {}, never read to the end", files(never)),
        };
        text += &format!("verified     each file at {} or later{except}\n", time(oldest));
    }
    if before.is_some() {
        text += &format!("overdue      {}\n", files(standing.overdue));
    }
    text += &format!("events       {}\n", Count(head.events.cast_unsigned()));
    let words = Finding::OF_FILES.into_iter().map(Finding::word);
    let open: Vec<String> =
        words.filter_map(|word| standing.open.get(word).map(|count| format!("{word} {}", Count(*count)))).collect();
    text += &format!("open         {}\n", if open.is_empty() { "nothing".to_owned() } else { open.join(", ") });
    for (word, path) in named.iter().take(NAMED_MAX) {
        text += &format!("  {word:<10} {}\n", message::quoted(path));
    }
    if named.len() > NAMED_MAX {
        text += "  … and more; `pfh audit report -f csv` lists those of a run\n";
    }
    command.print(text)
}

/// Runs `pfh audit history`.
pub(super) fn history(arguments: &HistoryArguments) -> Result<Ending, Failed> {
    let collection = Collection::of(&arguments.ledger)?;
    let ledger = collection.open()?;
    let failed = |error| collection.failed(error);
    let roots = ledger.roots().map_err(failed)?;
    let subject = subject(&ledger, &roots, &arguments.path).map_err(failed)?;
    let path = full_path(&roots, &subject);
    let Some(events) = ledger.history(&subject).map_err(failed)? else {
        let path = message::quoted(&path);
        return Err(Failed::usage(format_args!("the ledger never had {path}")));
    };
    let command = Command::printing()?;
    let mut text = Vec::new();
    if !arguments.json {
        text.extend_from_slice(format!("{}\n", message::quoted(&path)).as_bytes());
    }
    for event in &events {
        if arguments.json {
            event_json(&ledger, &roots, event, &mut text).map_err(failed)?;
            continue;
        }
        let what = describe(&ledger, &roots, event).map_err(failed)?;
        let line = format!("{}  run {:<4} {:<10} {what}", time(event.time), event.run, event.finding);
        text.extend_from_slice(line.trim_end().as_bytes());
        text.push(b'\n');
    }
    command.print(text)
}
