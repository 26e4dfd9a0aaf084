//! A policy: one TOML file that says how a collection is audited.

use super::super::audit_args::ReportFormat;
use super::super::common_args::IoWord;
use super::super::exit::Failed;
use super::super::message;
use super::super::quantity::{parse_bytes, parse_duration, parse_share};
use clap::ValueEnum;
use pfh_ledger::{Finding, Settings};
use serde::Deserialize;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The file as it is written.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct File {
    ledger: PathBuf,
    roots: Vec<PathBuf>,
    algorithms: Option<Vec<String>>,
    include: Vec<String>,
    exclude: Vec<String>,
    min_size: Option<String>,
    max_size: Option<String>,
    one_file_system: bool,
    follow_files: bool,
    follow_directories: bool,
    alarms: Option<Vec<String>>,
    interval: Option<String>,
    share: Option<String>,
    #[serde(rename = "for")]
    time_box: Option<String>,
    bytes: Option<String>,
    rate: Option<String>,
    io: Option<String>,
    idle: bool,
    reports: Reports,
    mail: Option<Mail>,
}

/// The reports of each run.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Reports {
    /// Where they are written, one file for each run and format.
    pub(super) directory: Option<PathBuf>,
    /// The words of the formats.
    formats: Vec<String>,
    /// The file of metrics, which each run replaces.
    pub(super) prometheus: Option<PathBuf>,
}

/// Whom to tell about a run.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Mail {
    /// The addresses.
    pub(super) to: Vec<String>,
    /// The address of the sender.
    pub(super) from: Option<String>,
    /// Whether a run without alarms is told, too.
    #[serde(default)]
    pub(super) always: bool,
    /// The program that takes the message.
    #[serde(default = "sendmail")]
    pub(super) sendmail: PathBuf,
}

fn sendmail() -> PathBuf {
    PathBuf::from("/usr/sbin/sendmail")
}

/// A policy.
#[derive(Debug, Default)]
pub(super) struct Policy {
    pub(super) ledger: PathBuf,
    pub(super) roots: Vec<PathBuf>,
    /// The settings of the ledger; the algorithms only if the policy names them.
    pub(super) settings: Settings,
    pub(super) has_algorithms: bool,
    pub(super) interval: Option<Duration>,
    pub(super) share: Option<u64>,
    pub(super) time_box: Option<Duration>,
    pub(super) bytes: Option<u64>,
    pub(super) rate: Option<u64>,
    pub(super) io: Option<IoWord>,
    pub(super) idle: bool,
    pub(super) reports: Reports,
    /// The formats of the reports of each run. There is a directory for them.
    pub(super) formats: Vec<ReportFormat>,
    pub(super) mail: Option<Mail>,
}

/// Returns the format of reports that a word names.
fn report_format(word: &str) -> Result<ReportFormat, String> {
    ReportFormat::from_str(word, false).map_err(|_| {
        let values = ReportFormat::value_variants().iter().filter_map(ValueEnum::to_possible_value);
        let words: Vec<String> = values.map(|value| value.get_name().to_owned()).collect();
        format!("`{word}` in `formats` is no format of reports: these are {}", words.join(", "))
    })
}

/// Whether a path names a policy and not a ledger.
pub(super) fn is_policy(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "toml")
}

impl Policy {
    /// Reads a policy. Relative paths in it start from its own directory.
    pub(super) fn read(path: &Path) -> Result<Policy, Failed> {
        let shown = message::quoted_path(path);
        let failed = |reason: &dyn std::fmt::Display| Failed::usage(format_args!("{shown}: {reason}"));
        let text = fs::read_to_string(path).map_err(|error| failed(&error))?;
        let file: File = toml::from_str(&text).map_err(|error| failed(&error))?;
        let directory = path.parent().unwrap_or(Path::new(""));
        Policy::of(file, directory).map_err(|reason| failed(&reason))
    }

    fn of(file: File, directory: &Path) -> Result<Policy, String> {
        if file.ledger.as_os_str().is_empty() {
            return Err("it names no ledger (`ledger = \"…\"`)".to_owned());
        }
        let bytes = |text: &Option<String>| text.as_deref().map(parse_bytes).transpose();
        let time = |text: &Option<String>| text.as_deref().map(parse_duration).transpose();
        let has_algorithms = file.algorithms.is_some();
        let usual = Settings::default();
        let alarms = file.alarms.unwrap_or(usual.alarms);
        for word in &alarms {
            if !Finding::from_word(word).is_some_and(|finding| Finding::OF_FILES.contains(&finding)) {
                let words: Vec<&str> = Finding::OF_FILES.iter().map(|finding| finding.word()).collect();
                return Err(format!("`{word}` in `alarms` is no finding: these are {}", words.join(", ")));
            }
        }
        let formats = file.reports.formats.iter().map(|word| report_format(word)).collect::<Result<Vec<_>, _>>()?;
        if !formats.is_empty() && file.reports.directory.is_none() {
            return Err("it names `formats` of reports, and no `directory` for them".to_owned());
        }
        Ok(Policy {
            ledger: directory.join(file.ledger),
            roots: file.roots.iter().map(|root| directory.join(root)).collect(),
            settings: Settings {
                algorithms: file.algorithms.unwrap_or(usual.algorithms),
                include: file.include,
                exclude: file.exclude,
                size_min: bytes(&file.min_size)?,
                size_max: bytes(&file.max_size)?,
                one_file_system: file.one_file_system,
                follow_files: file.follow_files,
                follow_directories: file.follow_directories,
                alarms,
            },
            has_algorithms,
            interval: time(&file.interval)?,
            share: file.share.as_deref().map(parse_share).transpose()?,
            time_box: time(&file.time_box)?,
            bytes: bytes(&file.bytes)?,
            rate: bytes(&file.rate)?,
            io: file.io.as_deref().map(|word| IoWord::from_str(word, false)).transpose()?,
            idle: file.idle,
            reports: Reports {
                directory: file.reports.directory.map(|path| directory.join(path)),
                prometheus: file.reports.prometheus.map(|path| directory.join(path)),
                ..file.reports
            },
            formats,
            mail: file.mail,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pfh_testing::Random;

    const WHOLE: &str = "ledger = 'a.pfhl'\nroots = ['/data', 'more']\nalgorithms = ['md5', 'sha256']\nexclude = ['*.tmp']\n\
        min_size = '1K'\nalarms = ['missing', 'new']\ninterval = '90d'\nshare = '1/30'\nfor = '2h'\nrate = '50M'\n\
        io = 'direct'\nidle = true\n[reports]\ndirectory = 'reports'\nformats = ['csv']\n[mail]\nto = ['a@b.c']\n";

    fn policy(text: &str) -> Result<Policy, String> {
        toml::from_str(text).map_err(|error| error.to_string()).and_then(|file| Policy::of(file, Path::new("/etc")))
    }

    #[test]
    fn a_policy_says_it_all() {
        let read = policy(WHOLE).unwrap();
        assert_eq!(read.ledger, Path::new("/etc/a.pfhl"));
        assert_eq!(read.roots, [Path::new("/data"), Path::new("/etc/more")]);
        assert_eq!((read.settings.size_min, read.share, read.rate), (Some(1024), Some(30), Some(50 << 20)));
        assert_eq!(read.interval, Some(Duration::from_secs(90 * 86_400)));
        assert_eq!((read.time_box, read.io), (Some(Duration::from_secs(7200)), Some(IoWord::Direct)));
        assert!(read.settings.is_alarm(Finding::New) && !read.settings.is_alarm(Finding::Changed) && read.idle);
        assert_eq!(read.reports.directory.as_deref(), Some(Path::new("/etc/reports")));
        assert_eq!(read.formats, [ReportFormat::Csv]);
        assert_eq!(read.mail.unwrap().sendmail, Path::new("/usr/sbin/sendmail"));
        let usual = policy("ledger = '/x'").unwrap();
        assert_eq!((usual.settings, usual.has_algorithms), (Settings::default(), false));
    }

    /// Bytes of other places, and others that mean something.
    #[test]
    fn damaged_policies_are_read_or_refused() {
        let mut random = Random::new(19);
        let mut below = |end: usize| random.below(end as u64) as usize;
        let mut read = 0;
        for _ in 0..20_000 {
            let mut damaged = WHOLE.as_bytes().to_vec();
            for _ in 0..=below(3) {
                let place = below(damaged.len());
                damaged[place] = if below(2) == 0 { damaged[below(damaged.len())] } else { b"\n9KwE.\xff'["[below(9)] };
            }
            read += u32::from(policy(&String::from_utf8_lossy(&damaged)).is_ok());
        }
        assert!((100..19_900).contains(&read), "{read}");
    }

    #[test]
    fn mistakes_are_told() {
        for (text, told) in [
            ("", "names no ledger"),
            ("ledger = 'x'\nintervall = '90d'", "intervall"),
            ("ledger = 'x'\ninterval = '90'", "90"),
            ("ledger = 'x'\nalarms = ['rot']", "`rot` in `alarms` is no finding"),
            ("ledger = 'x'\nshare = '2'", "`2`"),
            ("ledger = 'x'\nio = 'fast'", "fast"),
            ("ledger = 'x'\n[reports]\nformats = ['csv']", "no `directory`"),
            ("ledger = 'x'\n[reports]\ndirectory = 'd'\nformats = ['pdf']", "`pdf` in `formats`"),
            ("ledger = ", "TOML"),
        ] {
            let error = policy(text).unwrap_err();
            assert!(error.contains(told), "{text}: {error}");
        }
    }
}
