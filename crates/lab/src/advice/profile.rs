//! Measurements and options as a file, for later advice and for `pfh hash --profile`.

use super::{Choice, Machine, Measured, Survey};
use crate::quantity::counted;
use serde::{Deserialize, Serialize};
use std::fmt;

/// The contents of a profile: TOML with the tables `options`, `machine` and `measured`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Profile {
    /// The options to use.
    pub options: Choice,
    /// The measurements by which they were chosen; absent in a profile that was written by hand.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub measured: Option<Measured>,
}

/// The reason why a text is no profile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProfileError(String);

impl fmt::Display for ProfileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for ProfileError {}

/// The fields of `options`; others come from a later version.
const OPTIONS: [&str; 6] = ["threads", "prefetchers", "mode", "order", "io", "medium"];

/// Longer times and later rounds are not measured.
const SECONDS_MAX: f64 = 1e9;
const ROUND_MAX: u32 = 1000;

/// The tables and fields at the top.
const TABLES: [&str; 2] = ["options", "measured"];

impl Profile {
    /// Makes a profile of measurements.
    #[must_use]
    pub fn of(measured: Measured) -> Profile {
        let usual = || Choice::usual(measured.machine.cores);
        let options = measured.choices.get(measured.best).cloned().unwrap_or_else(usual);
        Profile { options, measured: Some(measured) }
    }

    /// Reads a profile. Also returns the names of fields that are not known, which are left out of account.
    ///
    /// # Errors
    /// The place of what is no TOML, and fields that are missing, of another type, or without sense.
    pub fn parse(text: &str) -> Result<(Profile, Vec<String>), ProfileError> {
        // Its own text has several lines.
        let failed = |error: toml::de::Error| {
            let line =
                error.span().and_then(|place| text.get(..place.start)).map(|before| before.matches('\n').count());
            let place = line.map_or_else(String::new, |line| format!("line {}: ", line + 1));
            ProfileError(place + &error.message().replace('\n', "; "))
        };
        let table: toml::Table = toml::from_str(text).map_err(failed)?;
        let mut unknown: Vec<String> =
            table.keys().filter(|key| !TABLES.contains(&key.as_str())).map(|key| format!("`{key}`")).collect();
        if let Some(options) = table.get("options").and_then(toml::Value::as_table) {
            let others = options.keys().filter(|key| !OPTIONS.contains(&key.as_str()));
            unknown.extend(others.map(|key| format!("`options.{key}`")));
        }
        let profile: Profile = toml::from_str(text).map_err(failed)?;
        profile.measured.as_ref().map_or(Ok(()), check).map_err(ProfileError)?;
        Ok((profile, unknown))
    }

    /// Returns the text of the profile.
    ///
    /// # Errors
    /// A number that TOML cannot express.
    pub fn text(&self) -> Result<String, ProfileError> {
        let body = toml::to_string(self).map_err(|error| ProfileError(error.to_string()))?;
        Ok(format!("# Written by `pfh lab advise`; `pfh hash --profile FILE` uses the options.\n{body}"))
    }

    /// Returns the facts of `here` that differ from the machine of the profile; nothing if that is not known.
    #[must_use]
    pub fn differences(&self, here: &Machine) -> Vec<String> {
        let Some(there) = self.measured.as_ref().map(|measured| &measured.machine) else { return Vec::new() };
        let mut differences = Vec::new();
        if there.cpu != here.cpu {
            differences.push(format!("the processor `{}` instead of `{}`", there.cpu, here.cpu));
        }
        if there.cores != here.cores {
            differences.push(format!("{} instead of {}", counted(there.cores, "core", "cores"), here.cores));
        }
        if there.host != here.host {
            differences.push(format!("the host `{}` instead of `{}`", there.host, here.host));
        }
        differences
    }
}

/// Returns what is wrong with measurements that somebody may have edited.
fn check(measured: &Measured) -> Result<(), String> {
    let choices = measured.choices.len();
    let choice = |field: &str, place: usize| match place < choices {
        true => Ok(()),
        false => Err(format!("`measured.{field}` is {place}, and there are {choices} `measured.choices`, from 0 on")),
    };
    let seconds = |field: &str, seconds: f64| match (0.0..=SECONDS_MAX).contains(&seconds) {
        true => Ok(()),
        false => Err(format!("`measured.{field}` is {seconds}, and may be from 0 to {SECONDS_MAX}")),
    };
    let Survey { files, sized_files, list_seconds, .. } = measured.survey;
    if measured.machine.cores == 0 {
        return Err("`measured.machine.cores` is 0, and may be from 1 on".to_owned());
    }
    if sized_files > files {
        return Err(format!("`measured.survey.sized_files` is {sized_files}, and may be up to `files`, {files}"));
    }
    seconds("survey.list_seconds", list_seconds)?;
    choice("best", measured.best)?;
    for (place, run) in measured.processor.iter().enumerate() {
        seconds(&format!("processor[{place}].seconds"), run.seconds)?;
    }
    for (place, batch) in measured.batches.iter().enumerate() {
        seconds(&format!("batches[{place}].seconds"), batch.seconds)?;
        choice(&format!("batches[{place}].choice"), batch.choice)?;
        if batch.round > ROUND_MAX {
            let round = batch.round;
            return Err(format!("`measured.batches[{place}].round` is {round}, and may be from 0 to {ROUND_MAX}"));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::{Batch, Kind, ProcessorRun};
    use super::*;

    fn measured() -> Measured {
        Measured {
            path: "/archive \"old\"".to_owned(),
            made: "2026-11-20T22:33:45Z".to_owned(),
            device: "sda".to_owned(),
            medium: "rotating".to_owned(),
            machine: Machine { host: "here".to_owned(), cpu: "a processor".to_owned(), cores: 4 },
            survey: Survey {
                files: 3,
                sized_files: 2,
                sized_bytes: 10,
                longest_bytes: 7,
                is_complete: true,
                list_seconds: 0.5,
                failed: 0,
            },
            choices: vec![Choice::usual(4), Choice { medium: Some("network".to_owned()), ..Choice::usual(16) }],
            best: 1,
            processor: vec![ProcessorRun {
                algorithm: "md5".to_owned(),
                files: 1,
                bytes: 2,
                seconds: 0.1,
                is_one_stream: true,
            }],
            batches: vec![Batch {
                kind: Kind::Runs,
                choice: 1,
                algorithm: "none".to_owned(),
                files: 3,
                bytes: 4,
                longest_bytes: 3,
                seconds: 0.25,
                failed: 1,
                is_cut: true,
                is_stalled: true,
                is_repeated: true,
                repeated_files: 2,
                round: 3,
            }],
        }
    }

    #[test]
    fn what_is_written_is_read_back() {
        let profile = Profile::of(measured());
        assert_eq!(profile.options.threads, 16);
        assert_eq!(Profile::parse(&profile.text().expect("text")), Ok((profile, Vec::new())));
    }

    #[test]
    fn profiles_of_earlier_versions_know_no_longest_file() {
        let text = Profile::of(measured()).text().expect("text");
        let is_new = |line: &&str| line.starts_with("longest_bytes") || line.starts_with("is_one_stream");
        let (new, old): (Vec<&str>, Vec<&str>) = text.lines().partition(is_new);
        assert_eq!(new.len(), 3, "{text}");
        let (profile, _) = Profile::parse(&old.join("\n")).expect("a profile");
        let mut expected = measured();
        (expected.survey.longest_bytes, expected.batches[0].longest_bytes) = (0, 0);
        expected.processor[0].is_one_stream = false;
        assert_eq!(profile.measured, Some(expected));
    }

    #[test]
    fn options_alone_suffice_and_unknown_fields_are_named() {
        let text = "colour = 1\n[options]\nthreads = 3\nspeed = \"high\"\n";
        let (profile, unknown) = Profile::parse(text).expect("a profile");
        assert_eq!((profile.options, profile.measured), (Choice { threads: 3, ..Choice::usual(1) }, None));
        assert_eq!(unknown, ["`colour`", "`options.speed`"]);
    }

    #[test]
    fn what_is_no_profile_is_refused() {
        for (text, reason) in [
            ("", "missing field `options`"),
            ("[options]\n", "missing field `threads`"),
            ("[options]\nthreads = \"many\"", "invalid type"),
            ("[options]\nthreads = 99999999", "invalid value"),
            ("not TOML", "expected"),
        ] {
            let error = Profile::parse(text).expect_err(text).to_string();
            assert!(error.contains(reason) && !error.contains('\n'), "{text}: {error}");
        }
    }

    #[test]
    fn measurements_without_sense_are_refused_by_their_field() {
        let said = |change: &dyn Fn(&mut Measured)| {
            let mut measured = measured();
            change(&mut measured);
            Profile::parse(&Profile::of(measured).text().expect("text")).expect_err("a reason").to_string()
        };
        for (text, field) in [
            (said(&|of| of.best = 99), "`measured.best` is 99, and there are 2 `measured.choices`"),
            (said(&|of| of.choices.clear()), "`measured.best` is 1, and there are 0"),
            (said(&|of| of.batches[0].choice = 2), "`measured.batches[0].choice` is 2"),
            (said(&|of| of.batches[0].seconds = f64::INFINITY), "`measured.batches[0].seconds` is inf"),
            (said(&|of| of.batches[0].round = u32::MAX), "`measured.batches[0].round` is 4294967295"),
            (said(&|of| of.processor[0].seconds = f64::NAN), "`measured.processor[0].seconds` is NaN"),
            (said(&|of| of.survey.list_seconds = -1.0), "`measured.survey.list_seconds` is -1"),
            (said(&|of| of.survey.sized_files = 4), "`measured.survey.sized_files` is 4, and may be up to `files`, 3"),
            (said(&|of| of.machine.cores = 0), "`measured.machine.cores` is 0"),
        ] {
            assert!(text.starts_with(field), "{field}: {text}");
        }
    }

    #[test]
    fn another_machine_is_told() {
        let profile = Profile::of(measured());
        let here = measured().machine;
        assert!(profile.differences(&here).is_empty());
        let other = Machine { cpu: "another".to_owned(), cores: 8, ..here };
        assert_eq!(
            profile.differences(&other),
            ["the processor `a processor` instead of `another`", "4 cores instead of 8"]
        );
        let (by_hand, _) = Profile::parse("[options]\nthreads = 1").expect("a profile");
        assert!(by_hand.differences(&other).is_empty());
    }
}
