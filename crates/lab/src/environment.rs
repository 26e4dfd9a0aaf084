//! Facts about the machine that a reader needs to judge a figure.

use std::collections::BTreeMap;
use std::fs;
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// The fact that tells the memory of a machine.
const MEMORY: &str = "memory_bytes";

/// Sizes of memory that differ by less than this are of one machine: kernels and hypervisors keep a part of it.
pub(crate) const MEMORY_PERCENT: u64 = 2;

/// A fact in which two machines differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Difference {
    pub(crate) fact: &'static str,
    pub(crate) there: String,
    pub(crate) here: String,
    /// Whether they may be one machine all the same.
    pub(crate) is_slight: bool,
}

/// The facts by which two machines are told apart, where they differ.
pub(crate) fn differences(there: &BTreeMap<String, String>, here: &BTreeMap<String, String>) -> Vec<Difference> {
    let show = |facts: &BTreeMap<String, String>, fact| facts.get(fact).cloned().unwrap_or("unknown".to_owned());
    let differ = |fact: &'static str| {
        let (there, here) = (show(there, fact), show(here, fact));
        let is_slight = fact == MEMORY && is_same_memory(&there, &here);
        (there != here).then_some(Difference { fact, there, here, is_slight })
    };
    ["cpu", "cores", MEMORY].into_iter().filter_map(differ).collect()
}

/// Whether two sizes of memory are those of one machine.
fn is_same_memory(there: &str, here: &str) -> bool {
    let bytes = there.parse::<u64>().ok().zip(here.parse::<u64>().ok());
    bytes.is_some_and(|(there, here)| there.abs_diff(here) < there.max(here) / 100 * MEMORY_PERCENT)
}

/// The facts, by name; what is not known is absent.
#[must_use]
pub fn facts() -> BTreeMap<String, String> {
    let read = |path: &str| fs::read_to_string(path).ok().map(|text| text.trim().to_owned()).filter(|t| !t.is_empty());
    let cpu = read("/proc/cpuinfo").unwrap_or_default();
    let memory = read("/proc/meminfo").unwrap_or_default();
    let release = read("/etc/os-release").unwrap_or_default();
    let kib = |name: &str| {
        let kib: u64 = field(&memory, name)?.trim_end_matches(" kB").parse().ok()?;
        Some((kib << 10).to_string())
    };
    let flags = field(&cpu, "flags").or_else(|| field(&cpu, "Features"));
    let is_virtual = flags.as_ref().is_some_and(|flags| flags.split(' ').any(|flag| flag == "hypervisor"));
    let cores = thread::available_parallelism().ok().map(|cores| cores.to_string());
    let first = "/sys/devices/system/cpu/cpu0/cpufreq";
    let facts = [
        ("cpu", field(&cpu, "model name")),
        (
            "cpu_model",
            ["cpu family", "model", "stepping"]
                .map(|name| field(&cpu, name))
                .into_iter()
                .collect::<Option<Vec<_>>>()
                .map(|numbers| numbers.join(" ")),
        ),
        ("cpu_flags", flags),
        ("cpu_mhz", field(&cpu, "cpu MHz")),
        ("counter_mhz", counter_mhz(&cpu)),
        (
            "cpu_mhz_max",
            read(&format!("{first}/cpuinfo_max_freq"))
                .and_then(|khz| Some((khz.parse::<u64>().ok()? / 1000).to_string())),
        ),
        ("governor", read(&format!("{first}/scaling_governor"))),
        ("boost", read("/sys/devices/system/cpu/cpufreq/boost")),
        ("smt", read("/sys/devices/system/cpu/smt/active")),
        ("caches", caches()),
        ("microcode", field(&cpu, "microcode")),
        ("cores", cores),
        ("architecture", Some(std::env::consts::ARCH.to_owned())),
        ("memory_bytes", kib("MemTotal")),
        ("memory_available_bytes", kib("MemAvailable")),
        ("load_1m", read("/proc/loadavg").and_then(|load| load.split(' ').next().map(str::to_owned))),
        (
            "kernel",
            read("/proc/sys/kernel/osrelease")
                .map(|release| format!("{} {release}", read("/proc/sys/kernel/ostype").unwrap_or_default())),
        ),
        (
            "os",
            release
                .lines()
                .find_map(|line| line.strip_prefix("PRETTY_NAME="))
                .map(|name| name.trim_matches('"').to_owned()),
        ),
        (
            "virtualisation",
            is_virtual.then(|| {
                read("/sys/class/dmi/id/sys_vendor").map_or("yes".to_owned(), |vendor| format!("yes ({vendor})"))
            }),
        ),
        ("transparent_hugepages", read("/sys/kernel/mm/transparent_hugepage/enabled")),
        ("clock_source", read("/sys/devices/system/clocksource/clocksource0/current_clocksource")),
    ];
    facts.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect()
}

/// How many cores other programs keep busy, observed for this time. The load average counts what has ended, and what
/// waits for storage, too.
#[must_use]
pub fn busy_cores(time: Duration) -> Option<f64> {
    let busy_ticks = || busy_ticks(&fs::read_to_string("/proc/stat").ok()?);
    let (before, started) = (busy_ticks()?, Instant::now());
    thread::sleep(time);
    let ticks = busy_ticks()?.saturating_sub(before);
    Some(ticks as f64 / TICKS_PER_SECOND / started.elapsed().as_secs_f64())
}

/// The unit of `/proc/stat`, which is the same on every machine.
const TICKS_PER_SECOND: f64 = 100.0;

/// The time that all cores together have worked for programs and for the system, by the first line of `/proc/stat`.
fn busy_ticks(stat: &str) -> Option<u64> {
    let fields: Vec<u64> =
        stat.strip_prefix("cpu ")?.lines().next()?.split_whitespace().map_while(|field| field.parse().ok()).collect();
    let &[user, nice, system, _idle, _waiting, interrupts, soft_interrupts, ..] = &fields[..] else { return None };
    Some(user + nice + system + interrupts + soft_interrupts)
}

/// Half of the memory: what a runner may take unless the user says otherwise.
#[must_use]
pub fn half_of_memory() -> u64 {
    let memory = fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let kib = field(&memory, "MemTotal").and_then(|text| text.trim_end_matches(" kB").parse::<u64>().ok());
    kib.map_or(u64::MAX, |kib| kib << 9)
}

/// The value of the first `name : value` line.
fn field(text: &str, name: &str) -> Option<String> {
    let mut pairs = text.lines().filter_map(|line| line.split_once(':'));
    pairs.find(|(found, _)| found.trim() == name).map(|(_, value)| value.trim().to_owned())
}

/// The rate of the time-stamp counter, where it does not follow the clock of the cores: Linux makes "BogoMIPS" of it,
/// two for each tick.
fn counter_mhz(cpu: &str) -> Option<String> {
    let is_constant = field(cpu, "flags")?.split(' ').any(|flag| flag == "constant_tsc");
    let bogomips: f64 = field(cpu, "bogomips")?.parse().ok()?;
    is_constant.then(|| format!("{:.2}", bogomips / 2.0))
}

/// `L1 Data 48K, L2 Unified 2048K …` of the first processor.
fn caches() -> Option<String> {
    let describe = |index: u32| {
        let folder = format!("/sys/devices/system/cpu/cpu0/cache/index{index}");
        let value = |name: &str| fs::read_to_string(format!("{folder}/{name}")).ok().map(|text| text.trim().to_owned());
        Some(format!("L{} {} {}", value("level")?, value("type")?, value("size")?))
    };
    Some((0..).map_while(describe).collect::<Vec<_>>().join(", ")).filter(|text| !text.is_empty())
}

/// A time as `2026-11-20T22:33:45Z`.
#[must_use]
pub fn timestamp(time: SystemTime) -> String {
    let seconds = time.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let (days, of_day) = (seconds / 86_400, seconds % 86_400);
    let (year, month, day) = date(days);
    format!("{year:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}Z", of_day / 3600, of_day / 60 % 60, of_day % 60)
}

/// Year, month and day of a day of the Gregorian calendar, counted from 1 January 1970.
fn date(mut days: u64) -> (u64, u64, u64) {
    let is_leap = |year: u64| (year.is_multiple_of(4) && !year.is_multiple_of(100)) || year.is_multiple_of(400);
    let mut year = 1970;
    while days >= 365 + u64::from(is_leap(year)) {
        days -= 365 + u64::from(is_leap(year));
        year += 1;
    }
    let mut month = 1;
    for length in [31, 28 + u64::from(is_leap(year)), 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] {
        if days < length {
            break;
        }
        days -= length;
        month += 1;
    }
    (year, month, days + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_counter_has_a_rate_where_it_is_constant() {
        let cpu = |flags: &str| format!("processor\t: 0\nflags\t\t: fpu {flags} pni\nbogomips\t: 4600.00\n");
        assert_eq!(counter_mhz(&cpu("constant_tsc")).as_deref(), Some("2300.00"));
        assert_eq!(counter_mhz(&cpu("tsc")), None);
        assert_eq!(counter_mhz("Features\t: fp asimd\nBogoMIPS\t: 50.00\n"), None);
    }

    #[test]
    fn times_are_written_as_rfc_3339_says() {
        // As `date -u -d @N +%FT%TZ` prints them.
        for (seconds, text) in [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_399, "2000-02-28T23:59:59Z"),
            (951_782_400, "2000-02-29T00:00:00Z"),
            (1_767_225_599, "2025-12-31T23:59:59Z"),
            (4_107_542_400, "2100-03-01T00:00:00Z"),
        ] {
            assert_eq!(timestamp(UNIX_EPOCH + Duration::from_secs(seconds)), text);
        }
    }

    #[test]
    fn facts_are_known_here() {
        let facts = facts();
        for name in ["cores", "kernel", "memory_bytes", "load_1m"] {
            assert!(facts.contains_key(name), "{name}: {facts:?}");
        }
    }

    #[test]
    fn cores_that_wait_are_not_busy() {
        let stat = "cpu  100 20 30 4000 500 6 7 8 0 0\ncpu0 1 1 1 1 1 1 1 1 0 0\n";
        assert_eq!(busy_ticks(stat), Some(100 + 20 + 30 + 6 + 7));
        assert_eq!(busy_ticks("cpu0 1 1 1 1 1 1 1 1 0 0\n"), None);
        assert_eq!(busy_ticks("cpu  1 2\n"), None);
    }

    #[test]
    fn fields_of_proc_files() {
        let text = "processor\t: 0\nmodel name\t: Example CPU: fast\nmodel\t\t: 7\n";
        assert_eq!(field(text, "model name").as_deref(), Some("Example CPU: fast"));
        assert_eq!(field(text, "model").as_deref(), Some("7"));
        assert_eq!(field(text, "flags"), None);
    }
}
