//! Advice in plain words.

use pfh_page::{Block, Cell, Document, Section, Table};

use super::units::{JOINT, bytes, sizes, time, unit};
use super::{Advice, Compared, Forecast, Limit};
use crate::quantity::grouped;

/// Width of a line.
const COLUMNS: usize = 100;

/// A difference of times below this share is none.
const NOTHING: f64 = 0.02;

/// If checks differ from what the samples predict by more than this factor, something has changed since.
const UNSTEADY: f64 = 2.0;

/// Returns the advice as text.
#[must_use]
pub fn text(advice: &Advice) -> String {
    let Some(planned) = advice.forecasts.first() else { return String::new() };
    let mut parts = vec![paragraph(&subject(advice)), section("Limit", &limit(advice, planned))];
    parts.push(format!("Time\n{}", table(advice)));
    if let Some(over) = advice.sha256_over_md5_seconds {
        parts.push(section("SHA-256 instead of MD5", &sha256(advice, over)));
    }
    parts.push(format!("{}{}", section("Options", &options(advice)), tried(advice)));
    parts.push(section("Fixity cycle", &cycle(advice, planned)));
    parts.push(format!("Changes that would help\n{}", list(&changes(advice, planned))));
    parts.push(format!("How far to trust this\n{}", list(&trust(advice))));
    parts.join("\n").replace(JOINT, " ")
}

/// Returns the advice as a page, of which the first sentences say the limit and the time.
#[must_use]
pub fn page(advice: &Advice) -> Document {
    let document = Document::new("What hashing this takes").question(said(&subject(advice)));
    let Some(planned) = advice.forecasts.first() else { return document };
    let limit = limit(advice, planned);
    let (short, more) = limit.split_once(". ").unwrap_or((&limit, ""));
    let mut document = document
        .sentences([format!("{}.", short.trim_end_matches('.')), said(&cycle(advice, planned))])
        .section(Section::new("limit", "Limit").text(said(more)))
        .section(Section::new("time", "Time").with(times(advice)));
    if let Some(over) = advice.sha256_over_md5_seconds {
        let text = format!("SHA-256 {}", sha256(advice, over));
        document = document.section(Section::new("sha256", "SHA-256 instead of MD5").text(text));
    }
    let mut chosen = Section::new("options", "Options").text(said(&options(advice)));
    if advice.tried.len() > 1 {
        let mut table = Table::new("Options that were tried", ["options", "time to read", "advice"]);
        for one in &advice.tried {
            let use_it = if one.is_best { "use" } else { "–" };
            let seconds = Cell::quantity(time(one.storage_seconds), one.storage_seconds);
            table.push([Cell::code(one.options.as_str()), seconds, Cell::text(use_it)]);
        }
        chosen.push(table);
    }
    let list = |items: Vec<String>| Block::List(items.iter().map(|item| said(item)).collect());
    document
        .section(chosen)
        .section(Section::new("changes", "Changes that would help").with(list(changes(advice, planned))))
        .section(Section::new("trust", "How far to trust this").with(list(trust(advice))))
}

/// Puts commands between quotation marks, as in prose.
fn said(text: &str) -> String {
    let mut parts = text.split('`');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.zip(['“', '”'].into_iter().cycle()).fold(first, |text, (part, mark)| format!("{text}{mark}{part}"))
}

/// A number in groups of three.
fn count(number: u64) -> String {
    grouped(&number.to_string(), ',')
}

fn counted(number: u64, one: &str, many: &str) -> String {
    format!("{} {}", count(number), if number == 1 { one } else { many })
}

fn percent(share: f64) -> String {
    match share * 100.0 {
        share if share < 1.0 => format!("less than 1{JOINT}%"),
        share => format!("{share:.0}{JOINT}%"),
    }
}

/// Joins lines as they fit.
fn wrapped(text: &str, first: &str, further: &str) -> String {
    let mut out = String::new();
    let mut line = first.to_owned();
    let mut is_empty = true;
    // A command stays on one line.
    let mut is_command = false;
    let joined: String = text
        .chars()
        .map(|letter| {
            is_command ^= letter == '`';
            if is_command && letter == ' ' { JOINT } else { letter }
        })
        .collect();
    for word in joined.split(' ') {
        if !is_empty && line.chars().count() + 1 + word.chars().count() > COLUMNS {
            out += &format!("{line}\n");
            further.clone_into(&mut line);
            is_empty = true;
        }
        if !is_empty {
            line.push(' ');
        }
        line += word;
        is_empty = false;
    }
    format!("{out}{line}\n")
}

fn paragraph(text: &str) -> String {
    wrapped(text, "", "")
}

fn section(title: &str, text: &str) -> String {
    format!("{title}\n{}", wrapped(text, "  ", "  "))
}

fn list(items: &[String]) -> String {
    items.iter().map(|item| wrapped(item, "  - ", "    ")).collect()
}

fn subject(advice: &Advice) -> String {
    let whence = match (advice.is_given, advice.is_partial) {
        (true, _) => "as you named them",
        (false, true) => "found in the time for the walk; there are more",
        (false, false) => "all that the path holds",
    };
    let (files, volume) = (counted(advice.files, "file", "files"), bytes(advice.bytes as f64));
    let Advice { path, device, medium, machine, made, .. } = advice;
    let simulated = if advice.is_simulated { ", simulated" } else { "" };
    format!(
        "{path}: {files}, {volume} ({whence}), on {device} ({medium}{simulated}). {}, {}. Measured {made}.",
        machine.cpu,
        counted(u64::from(machine.cores), "core", "cores"),
    )
}

fn limit(advice: &Advice, planned: &Forecast) -> String {
    let (by_files, by_bytes) = (advice.file_seconds, advice.byte_seconds);
    let storage = by_files + by_bytes;
    let per_file = time(advice.seconds_per_file);
    let beside = match advice.seconds_per_file {
        seconds if seconds < 1e-6 => "What files take beside their bytes is too little to be measured".to_owned(),
        _ => format!("Beside its bytes each file takes {per_file}, {} in all", time(by_files)),
    };
    let rate = advice.bytes_per_second.map_or_else(
        || "its bytes take no time that could be measured".to_owned(),
        |rate| format!("long files come at {}/s", bytes(rate)),
    );
    let processor = format!(
        "The processor needs {} for {} once the data are there",
        time(planned.processor_seconds),
        planned.algorithm
    );
    let start = match advice.start_seconds {
        seconds if seconds <= NOTHING * storage => String::new(),
        seconds => {
            let seconds = time(seconds);
            format!(" A run takes {seconds} once before that, until it knows how many files the storage reads at once.")
        }
    };
    let text = match advice.limit {
        Limit::Files => format!(
            "The number of files limits you: it is the storage that is busy, not the processor. Beside its bytes each file takes {per_file} of its time \
             (finding, opening, seeking): {} in all, {} of the storage's time. Moving the bytes takes {}; {rate}.{start} {processor}.",
            time(by_files),
            percent(by_files / storage),
            time(by_bytes),
        ),
        Limit::Bandwidth => format!(
            "The bandwidth of the storage limits you, not the processor: {rate}, which is {} for all bytes, {} of the \
             storage's time. {beside}.{start} {processor}.",
            time(by_bytes),
            percent(by_bytes / storage),
        ),
        Limit::Processor if is_one_file(planned) => format!(
            "The longest file limits you: one core hashes its {}, {} of all bytes, from the beginning to the end. For \
             {} that takes {} of the {} that the processor needs; the storage delivers everything in {}.",
            bytes(advice.longest_bytes as f64),
            percent(advice.longest_bytes as f64 / advice.bytes.max(1) as f64),
            planned.algorithm,
            time(planned.longest_file_seconds),
            time(planned.processor_seconds),
            time(storage),
        ),
        Limit::Processor => format!(
            "The processor limits you. For {} it needs {}, although all cores hash; the storage delivers everything in \
             {}.",
            planned.algorithm,
            time(planned.processor_seconds),
            time(storage),
        ),
    };
    if !advice.is_extrapolated {
        return text;
    }
    format!(
        "{text} The storage's part is extrapolated from samples of other sizes: the interval tells how far it holds."
    )
}

/// Whether most of the processor's time is that of the longest file, which one core hashes.
fn is_one_file(forecast: &Forecast) -> bool {
    forecast.longest_file_seconds > forecast.processor_seconds / 2.0
}

fn limit_word(limit: Limit) -> &'static str {
    match limit {
        Limit::Bandwidth => "bandwidth",
        Limit::Files => "number of files",
        Limit::Processor => "processor",
    }
}

/// The columns of the times, and the cells of each algorithm, all times in one unit.
fn cells(advice: &Advice) -> ([String; 5], impl Iterator<Item = [String; 5]>) {
    let longest = advice.forecasts.iter().map(|one| one.seconds).fold(0.0, f64::max);
    let (unit, divisor) = unit(longest);
    let in_unit = move |seconds: f64| format!("{:.*}", usize::from(seconds / divisor < 99.95), seconds / divisor);
    let time = format!("time ({unit})");
    let head = ["algorithm", &time, "95 % interval", "processor alone", "limit"].map(str::to_owned);
    let rows = advice.forecasts.iter().map(move |one| {
        let interval = format!("{} – {}", in_unit(one.seconds_low), in_unit(one.seconds_high));
        let [seconds, processor] = [one.seconds, one.processor_seconds].map(in_unit);
        [one.algorithm.clone(), seconds, interval, processor, limit_word(one.limit).to_owned()]
    });
    (head, rows)
}

/// A line for each algorithm.
fn table(advice: &Advice) -> String {
    let row = |[algorithm, seconds, interval, processor, limit]: [String; 5]| {
        format!("  {algorithm:<12} {seconds:>10} {interval:>19} {processor:>17}   {limit}\n")
    };
    let (head, rows) = cells(advice);
    std::iter::once(head).chain(rows).map(row).collect()
}

/// A row for each algorithm.
fn times(advice: &Advice) -> Table {
    let (head, rows) = cells(advice);
    let mut table = Table::new("Time to read and hash everything once", head);
    for [algorithm, seconds, interval, processor, limit] in rows {
        let [seconds, interval, processor] = [seconds, interval, processor].map(Cell::number);
        // With code in it, each row is a card on a phone, where five columns have no room.
        table.push([Cell::code(algorithm), seconds, interval, processor, Cell::text(limit)]);
    }
    table
}

fn sha256(advice: &Advice, over: f64) -> String {
    let find = |name: &str| advice.forecasts.iter().find(|one| one.algorithm == name);
    let (Some(sha256), Some(md5)) = (find("sha256"), find("md5")) else { return String::new() };
    let busy = |one: &Forecast| percent((one.processor_seconds / one.seconds).min(1.0));
    let is_processor = [sha256, md5].map(|one| one.limit == Limit::Processor);
    if over.abs() <= NOTHING * md5.seconds {
        return match is_processor {
            [true, true] => "costs nothing here: the processor takes as long for either.".to_owned(),
            [false, false] => format!(
                "costs nothing here: the storage is slower than either. The processor would be busy {} of the time \
                 with SHA-256, and {} with MD5.",
                busy(sha256),
                busy(md5)
            ),
            _ => "costs nothing here: the processor and the storage take about as long.".to_owned(),
        };
    }
    let (costs, part) = (time(over.abs()), percent(over.abs() / md5.seconds));
    if over < 0.0 {
        let reason = match is_processor {
            [_, true] => "since the processor takes longer for MD5",
            [_, false] => "since the processor takes longer for MD5, and not all of that is while the storage delivers",
        };
        return format!("costs nothing here: it is {costs} faster ({part}), {reason}.");
    }
    let reason = match is_processor {
        [true, true] => "because the processor is the limit, and takes longer for SHA-256",
        [true, false] => "because then the processor is the limit",
        [false, _] => "because the processor takes longer for it, and not all of that is while the storage delivers",
    };
    format!("costs {costs} here, {part} more, {reason}.")
}

fn options(advice: &Advice) -> String {
    let usual = advice.tried.iter().find(|one| one.options == "the defaults");
    let best = advice.tried.iter().find(|one| one.is_best);
    if advice.options.is_empty() {
        if advice.tried.len() < 2 {
            return "Use the defaults; no others were measured.".to_owned();
        }
        let refused = advice.tried.iter().find_map(|one| Some((&one.options, one.compared?)));
        let refused = refused.map_or_else(String::new, |(options, compared)| {
            format!(" `{options}` seemed faster at first, but took {}.", in_turn(compared))
        });
        return format!("Use the defaults: nothing that was measured is clearly faster.{refused}");
    }
    let gain = usual.zip(best).map_or_else(String::new, |(usual, best)| {
        let (from, to) = (usual.storage_seconds, best.storage_seconds);
        format!(" Reading takes {} with them, and {} with the defaults.", time(to), time(from))
    });
    let compared = best.and_then(|best| best.compared);
    let compared = compared.map_or_else(String::new, |compared| format!(" They took {}.", in_turn(compared)));
    // They are sorted, so that faster ones stand before it.
    let is_first = advice.tried.first().is_some_and(|first| first.is_best);
    let doubt = if is_first {
        ""
    } else {
        " Others that seem to take less were not read in turn, or not faster in each round."
    };
    format!("Use `pfh hash {}`.{gain}{compared}{doubt}", advice.options.join(" "))
}

/// Times as parts of the defaults' time.
fn in_turn(Compared { rounds, least, most }: Compared) -> String {
    let parts = if rounds == 1 { format!("{least:.2}") } else { format!("{least:.2} to {most:.2}") };
    let rounds = counted(rounds as u64, "round", "rounds");
    format!("{parts} of the time of the defaults when both were read in turn, in {rounds}")
}

/// Whether the checks took much longer or shorter than the samples predict.
fn is_unsteady(advice: &Advice) -> bool {
    !(1.0 / UNSTEADY..=UNSTEADY).contains(&advice.correction)
}

/// The options that were tried, if that is more than one choice.
fn tried(advice: &Advice) -> String {
    if advice.tried.len() < 2 {
        return String::new();
    }
    let line = |one: &super::Tried| {
        let mark = if one.is_best { "  <- use" } else { "" };
        format!("    {:<44} {:>9}{mark}\n", one.options, time(one.storage_seconds))
    };
    advice.tried.iter().map(line).collect()
}

fn cycle(advice: &Advice, planned: &Forecast) -> String {
    let all = format!("Reading and hashing everything once with {} takes {}", planned.algorithm, time(planned.seconds));
    match (advice.window_seconds, advice.nights) {
        (Some(window), Some(1)) => format!("{all}, which fits into one night of {}.", time(window as f64)),
        (Some(window), Some(nights)) => format!(
            "{all}. With {} each night that is {nights} nights (by the upper end of the interval): verify a share of \
             1/{nights} each night, by `pfh audit run LEDGER --share 1/{nights}`.",
            time(window as f64)
        ),
        _ => format!("{all}. `--deadline 8h` tells how many nights of 8 h that is."),
    }
}

fn changes(advice: &Advice, planned: &Forecast) -> Vec<String> {
    // As the forecasts are.
    let by_bytes = advice.correction * (advice.start_seconds + advice.byte_seconds);
    let storage = by_bytes + advice.correction * advice.file_seconds;
    let (processor, algorithm) = (planned.processor_seconds, &planned.algorithm);
    // On twice as many cores, one still hashes the longest file.
    let halved = planned.longest_file_seconds + (processor - planned.longest_file_seconds) / 2.0;
    let mut items = Vec::new();
    let ceiling = format!(
        "Faster storage helps until the processor is the limit: {} for {algorithm} on this machine, {}/s.",
        time(processor),
        bytes(advice.bytes as f64 / processor.max(1e-9)),
    );
    match advice.limit {
        Limit::Files => {
            items.push(format!(
                "Storage without the time for each file (solid-state instead of rotating disks, local instead of over a \
                 network, or small files packed into containers) with the same bandwidth: about {}.",
                time(advice.together(by_bytes, processor))
            ));
            items.push(ceiling);
        }
        Limit::Bandwidth => items.push(ceiling),
        Limit::Processor => {
            let fastest = advice.forecasts.iter().min_by(|a, b| a.seconds.total_cmp(&b.seconds));
            if let Some(fastest) = fastest.filter(|fastest| fastest.seconds < (1.0 - NOTHING) * planned.seconds) {
                items.push(format!("Another algorithm: {} takes {}.", fastest.algorithm, time(fastest.seconds)));
            }
            let doubled = advice.together(storage, halved);
            if doubled > (1.0 - NOTHING) * advice.together(storage, processor) {
                items.push(
                    "More cores and further machines do not help: one core hashes the longest file. `pfh shard` names it."
                        .to_owned(),
                );
                return items;
            }
            items.push(format!("More cores: twice as many take {}.", time(doubled)));
        }
    }
    let is_storage = advice.limit != Limit::Processor;
    if advice.medium == "network" && is_storage {
        items.push(
            "Reading on the machine that has the disks avoids the network. Run `pfh lab advise` there to see what its \
             disks give: that was not measured here."
                .to_owned(),
        );
    }
    items.push(match (is_storage, advice.medium.as_str()) {
        (true, "network") => "A second machine helps only if the storage gives both together more than one gets. To \
                              find out, run `pfh lab advise` on both at the same time, each on directories of its own; \
                              if each still gets these times, `pfh shard` divides the files between them."
            .to_owned(),
        (true, _) => {
            "A second machine that reads the same storage does not help: it waits for the same disks.".to_owned()
        }
        (false, _) => format!(
            "A second machine that reads the same storage: `pfh shard` divides the files between both; about {}.",
            time(advice.together(storage, halved))
        ),
    });
    items
}

fn trust(advice: &Advice) -> Vec<String> {
    let mut items = Vec::new();
    items.push(format!(
        "The samples: {}, {}, of {} and {}.",
        counted(advice.sampled_files, "file", "files"),
        bytes(advice.sampled_bytes as f64),
        counted(advice.files, "file", "files"),
        bytes(advice.bytes as f64),
    ));
    match advice.checks.as_slice() {
        [] => {
            items.push("No run could check the prediction, so the interval knows only how samples differ.".to_owned())
        }
        checks => {
            let ratios: Vec<String> = checks.iter().map(|ratio| format!("{ratio:.2}")).collect();
            let what = if advice.is_measured_whole { "everything once" } else { "other samples" };
            items.push(format!(
                "Checked by hashing {what} with these options: it took {} times what the samples alone predict. The \
                 times above are corrected by that, and the interval holds it.",
                ratios.join(" and ")
            ));
        }
    }
    if is_unsteady(advice) && (advice.medium == "memory" || advice.limit == Limit::Processor) {
        items.push(
            "Most likely other work took part of the processor's time during some of the measurements. Ask again at another time.".to_owned(),
        );
    } else if is_unsteady(advice) {
        items.push(
            "Most likely the speed of the storage changed while it was measured, as that of virtual disks with a limit does, and of \
             disks whose cache fills. Ask again at another time; a long run gets the lower speed, and differences \
             between options say little."
                .to_owned(),
        );
    }
    if advice.is_simulated {
        items.push(
            "The device is simulated by `pfh lab mount`: this holds for that device, and not for every one of its kind."
                .to_owned(),
        );
    }
    if advice.is_partial {
        items.push("The walk was stopped; files further on may be of other sizes. `--volume` and `--files` tell how many there are.".to_owned());
    }
    if advice.is_extrapolated {
        items.push(format!(
            "The samples read {} of each file, and the files of the volume have {} on average: its time is \
             extrapolated, and the interval holds all that agree with the samples. A path whose files are like those \
             of the volume, or more time (--seconds), gives a narrower one.",
            sizes(advice.sampled_sizes),
            bytes(advice.bytes as f64 / advice.files.max(1) as f64),
        ));
    }
    if advice.is_given {
        items.push(
            "The volume is projected from the files below the path; another mix of sizes takes another time."
                .to_owned(),
        );
    }
    if advice.is_repeated {
        items.push("There were so few files that some were read again; if their data or names stayed in a cache, the times are too short.".to_owned());
    }
    if advice.failed_files > 0 {
        items.push(format!(
            "{} of the samples could not be read, and the samples with them are left out. `pfh hash` lists them; a disk that fails should be copied first.",
            counted(advice.failed_files, "file", "files")
        ));
    }
    if advice.failed_names > 0 {
        items.push(format!(
            "{} could not be listed.",
            counted(advice.failed_names, "directory or file", "directories or files")
        ));
    }
    if advice.stalled > 0 {
        items.push(format!(
            "In {} a read did not come back in time; they are left out, and such pauses are not in the forecast.",
            counted(advice.stalled, "sample", "samples")
        ));
    }
    items.push(
        "Other work on the storage, the network or the processor at the time of the real run makes it longer."
            .to_owned(),
    );
    items
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_and_numbers_as_people_say_them() {
        let said = [percent(0.004), percent(0.873), count(1_200_000)].join(", ");
        assert_eq!(said.replace(JOINT, " "), "less than 1 %, 87 %, 1,200,000");
    }

    #[test]
    fn lines_are_not_longer_than_they_may_be() {
        let text = wrapped(&"word ".repeat(100), "  - ", "    ");
        assert!(text.lines().count() > 4 && text.lines().all(|line| line.len() <= COLUMNS), "{text}");
        assert!(text.lines().skip(1).all(|line| line.starts_with("    word")), "{text}");
    }
}
