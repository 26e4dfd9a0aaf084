//! `pfh lab advise` on devices with known limits and faults. The devices sleep for nearly all of the time, so a busy
//! processor matters little.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use rustix::process::Signal;
use serde_json::Value;
use tempfile::TempDir;

use crate::advise::{advise, json, said};
use crate::fixture::*;
use crate::mount::Mount;

/// A tree of files of `bytes`, a hundred in a directory, to be shown as `device`, and the mount.
fn shown(files: usize, bytes: usize, device: &str) -> Option<(TempDir, Mount)> {
    let directory = scratch();
    let root = directory.path();
    for number in 0..files {
        let folder = root.join(format!("real/{:02}", number / 100));
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join(format!("{number:04}")), contents(number, bytes + number % 7)).unwrap();
    }
    fs::create_dir(root.join("shown")).unwrap();
    fs::write(root.join("own.toml"), device).unwrap();
    let mount = Mount::start(root, &["--device", "own.toml"])?;
    Some((directory, mount))
}

fn end(mount: Mount) {
    mount.signal(Signal::TERM);
    mount.end();
}

/// Mounts anew, so that the system has forgotten everything, and returns the seconds that `pfh hash` takes.
fn really(root: &Path, mount: Mount, options: &Value) -> (f64, Mount) {
    end(mount);
    let mount = Mount::start(root, &["--device", "own.toml"]).unwrap();
    let options = options.as_array().unwrap().iter().map(|word| word.as_str().unwrap().to_owned());
    let words = ["-a", "sha256", "-o", "list", "--stats=json", "shown"].map(str::to_owned);
    let ended = hash(root, words.into_iter().chain(options)).limit(Duration::from_secs(240)).run();
    let stats: Value = serde_json::from_str(ended.said().lines().last().unwrap()).unwrap();
    assert_eq!(ended.code(), 0, "{}", ended.said());
    (stats["total_s"].as_f64().unwrap(), mount)
}

#[track_caller]
fn within_15_percent(advice: &Value, seconds: f64) {
    let predicted = advice["forecasts"][0]["seconds"].as_f64().unwrap();
    let is_near = (1.0 / 1.15..=1.15).contains(&(predicted / seconds));
    assert!(is_near, "predicted {predicted} s, took {seconds} s: {advice:#}");
}

/// Seeks of 10 ms; 1 GB/s for the bytes.
#[test]
fn a_device_that_seeks_is_limited_by_the_number_of_files() {
    let _turn = crate::beside_others();
    let device = "bytes_per_second = 1e9\nseek_seconds = 0.01\nremembered_seconds = 3600\n";
    let Some((directory, mount)) = shown(1200, 3000, device) else { return };
    let advice = json(&advise(directory.path(), ["shown", "--seconds", "10", "-a", "sha256,md5", "--json"]).run());
    assert_eq!(advice["limit"], "files", "{advice:#}");
    assert_eq!((&advice["files"], &advice["medium"]), (&1200.into(), &"network".into()));
    let per_file = advice["seconds_per_file"].as_f64().unwrap();
    assert!((0.009..0.013).contains(&per_file), "{per_file}");
    // SHA-256 costs nothing where both wait for the device.
    assert!(advice["sha256_over_md5_seconds"].as_f64().unwrap().abs() < 0.01);
    let (seconds, mount) = really(directory.path(), mount, &advice["options"]);
    within_15_percent(&advice, seconds);
    end(mount);
}

/// 30 MB/s, without any other time.
#[test]
fn a_device_that_is_slow_by_the_byte_is_limited_by_bandwidth() {
    let _turn = crate::beside_others();
    let Some((directory, mount)) = shown(60, 3_000_000, "bytes_per_second = 30e6\nremembered_seconds = 3600\n") else {
        return;
    };
    let advice = json(&advise(directory.path(), ["shown", "--seconds", "10", "-a", "sha256", "--json"]).run());
    assert_eq!(advice["limit"], "bandwidth", "{advice:#}");
    let rate = advice["bytes_per_second"].as_f64().unwrap();
    assert!((25e6..33e6).contains(&rate), "{rate}");
    let (seconds, mount) = really(directory.path(), mount, &advice["options"]);
    within_15_percent(&advice, seconds);
    end(mount);
}

/// 5 ms for each answer, 32 at once: two threads would take 12 ms for a file, but the adaptive mode finds out how many
/// readers are answered.
#[test]
fn a_device_with_latency_is_read_by_many_at_once() {
    let _turn = crate::beside_others();
    let device = "bytes_per_second = 1e9\nread_seconds = 0.005\noperation_seconds = 0.005\nat_once = 32\nremembered_seconds = 1\n";
    let Some((directory, mount)) = shown(6000, 2000, device) else { return };
    let advice = json(&advise(directory.path(), ["shown", "--seconds", "20", "-a", "sha256", "--json"]).run());
    assert_eq!(advice["limit"], "files", "{advice:#}");
    let per_file = advice["seconds_per_file"].as_f64().unwrap();
    assert!(per_file < 0.004, "{per_file}");
    let (seconds, mount) = really(directory.path(), mount, &advice["options"]);
    within_15_percent(&advice, seconds);
    end(mount);
}

/// 30 ms for each answer: samples of a second are mostly beginnings, and a run takes seconds to find out how many
/// readers are answered.
#[test]
fn a_device_with_long_latency_is_not_judged_by_beginnings() {
    let _turn = crate::beside_others();
    let device =
        "bytes_per_second = 1e9\nread_seconds = 0.03\noperation_seconds = 0.03\nat_once = 32\nremembered_seconds = 1\n";
    let Some((directory, mount)) = shown(2000, 2000, device) else { return };
    let advice = json(&advise(directory.path(), ["shown", "--seconds", "30", "-a", "sha256", "--json"]).run());
    assert_eq!(advice["limit"], "files", "{advice:#}");
    assert!(advice["start_seconds"].as_f64().unwrap() > 1.0, "{advice:#}");
    let (seconds, mount) = really(directory.path(), mount, &advice["options"]);
    within_15_percent(&advice, seconds);
    end(mount);
}

/// A device that gives far more than all cores hash with a slow algorithm. Other programs may share the cores, so the
/// processor's time of real runs is compared with what the samples say that it needs. The cores of a virtual machine
/// change their speed within seconds, so there is a real run before the samples and one after them, and a second and a
/// third try.
#[test]
fn a_slow_algorithm_on_a_fast_device_is_limited_by_the_processor() {
    let _turn = crate::alone();
    let device = "bytes_per_second = 4e9\nat_once = 32\nremembered_seconds = 3600\n";
    let Some((directory, mount)) = shown(150, 2_000_000, device) else { return };
    end(mount);
    let mounted = || Mount::start(directory.path(), &["--device", "own.toml"]).unwrap();
    let needed_seconds = || {
        let mount = mounted();
        let command = format!("{} hash -a streebog512 shown", env!("CARGO_BIN_EXE_pfh"));
        let ended = pfh(directory.path(), ["lab", "measure", "--", &command]).limit(Duration::from_secs(240)).run();
        let measured: Value = serde_json::from_slice(ended.done()).unwrap();
        end(mount);
        measured["cpu_ns"].as_f64().unwrap() / 1e9
    };
    let mut tries = Vec::new();
    for _ in 0..3 {
        let before = needed_seconds();
        let mount = mounted();
        let words = ["shown", "--seconds", "10", "-a", "streebog512,md5", "--json"];
        let advice = json(&advise(directory.path(), words).run());
        end(mount);
        let after = needed_seconds();
        assert_eq!((&advice["limit"], &advice["is_simulated"]), (&"processor".into(), &true.into()), "{advice:#}");
        let forecast = &advice["forecasts"][0];
        let [seconds, processor_seconds] =
            ["seconds", "processor_seconds"].map(|name| forecast[name].as_f64().unwrap());
        assert!(seconds >= 0.99 * processor_seconds, "{advice:#}");
        // Without the correction by the checks, which is of the time that passed; of all cores together.
        let cores = advice["machine"]["cores"].as_f64().unwrap();
        let predicted = cores * processor_seconds / advice["correction"].as_f64().unwrap();
        if (before.min(after) / 1.15..=before.max(after) * 1.15).contains(&predicted) {
            return;
        }
        tries.push((before, predicted, after));
    }
    panic!("seconds of the processor, before, predicted, and after: {tries:?}");
}

/// Documents over a network: bytes come while other files are asked for, so the time of a beginning is no part of that
/// of a whole file. Volumes of longer files are judged by an interval that holds the truth, or not at all.
#[test]
fn volumes_of_longer_files_are_within_the_interval_or_not_forecast() {
    let _turn = crate::beside_others();
    for (device, truth) in [("like = \"nas\"\n", 25e12 / 118e6), ("like = \"hdd\"\n", 25e12 / 150e6 + 1.2e6 * 0.0081)] {
        let Some((directory, mount)) = shown(600, 96_000, device) else { return };
        let words = ["shown", "--seconds", "10", "-a", "sha256", "--json", "--volume", "25TB", "--files", "1.2M"];
        let ended = advise(directory.path(), words).run();
        end(mount);
        if ended.code() == 3 {
            assert!(said(&ended).contains("the volume has 20.8 MB in each, and every time from "), "{}", said(&ended));
            continue;
        }
        let advice = json(&ended);
        let [low, high] = ["seconds_low", "seconds_high"].map(|name| advice["forecasts"][0][name].as_f64().unwrap());
        assert!(low <= truth && truth <= high, "{device}: {truth} s, {advice:#}");
        assert_eq!(advice["is_extrapolated"], true, "{advice:#}");
    }
}

/// Some files have bad sectors. Each costs one sample, and is then left out.
#[test]
fn a_file_that_cannot_be_read_fails_once() {
    let _turn = crate::beside_others();
    let bad = "[[bad]]\none_in = 40\noffset = 0\nlength = 4096\n";
    let device = format!("bytes_per_second = 1e9\nremembered_seconds = 3600\n{bad}");
    let Some((directory, mount)) = shown(200, 5000, &device) else { return };
    let advice = json(&advise(directory.path(), ["shown", "--seconds", "5", "-a", "md5", "--json"]).run());
    let bad = hash(directory.path(), ["-a", "md5", "-o", "list", "shown"]).limit(Duration::from_secs(60)).run();
    let bad = bad.said().lines().filter(|line| line.contains("Input/output error")).count() as u64;
    let failed = advice["failed_files"].as_u64().unwrap();
    assert!(bad > 0 && (1..=bad).contains(&failed), "{failed} of {bad}: {advice:#}");
    end(mount);
}

/// Far less than a megabyte a second.
#[test]
fn a_very_slow_device_is_measured_all_the_same() {
    let _turn = crate::beside_others();
    let device = "bytes_per_second = 400e3\nremembered_seconds = 3600\n";
    let Some((directory, mount)) = shown(20, 1_000_000, device) else { return };
    let advice = json(&advise(directory.path(), ["shown", "--seconds", "8", "-a", "sha256", "--json"]).run());
    assert_eq!(advice["limit"], "bandwidth", "{advice:#}");
    let rate = advice["bytes_per_second"].as_f64().unwrap();
    assert!((200e3..600e3).contains(&rate), "{rate}");
    end(mount);
}

#[test]
fn files_that_cannot_be_read_are_no_data() {
    let _turn = crate::beside_others();
    let device = "bytes_per_second = 1e9\nremembered_seconds = 3600\n[[bad]]\none_in = 1\noffset = 0\nlength = 9000\n";
    let Some((directory, mount)) = shown(300, 5000, device) else { return };
    let ended = advise(directory.path(), ["shown", "--seconds", "5"]).run();
    let said = said(&ended);
    assert_eq!(ended.code(), 3, "{said}");
    assert!(said.contains("not enough data to advise: "), "{said}");
    assert!(said.contains("files of the samples could not be read"), "{said}");
    assert!(
        said.contains("no sample is left; the first error: `shown/") && said.contains("Input/output error"),
        "{said}"
    );
    end(mount);
}

/// Reads that hang for half a minute: none is waited for.
#[test]
fn stalls_are_given_up() {
    let _turn = crate::beside_others();
    let fast = "bytes_per_second = 1e9\nat_once = 16\nremembered_seconds = 3600\n".to_owned();
    let stall = |after: u64| format!("[[stall]]\nafter_bytes = {after}\nseconds = 30\n");
    let Some((directory, mount)) = shown(1200, 5000, &(fast.clone() + &stall(200_000))) else { return };
    let ended = advise(directory.path(), ["shown", "--seconds", "15", "-a", "md5"]).run();
    let text = String::from_utf8(ended.stdout.clone()).unwrap();
    assert_eq!(ended.code(), 0, "{}", said(&ended));
    assert!(text.contains(" a read did not come back in time"), "{text}");
    end(mount);

    let stalls: String = (0..16).map(|number| stall(number * 10_000)).collect();
    let Some((directory, mount)) = shown(300, 5000, &(fast + &stalls)) else { return };
    let began = Instant::now();
    let ended = advise(directory.path(), ["shown", "--seconds", "5", "-a", "md5"]).run();
    let said = said(&ended);
    assert_eq!(ended.code(), 3, "{said}");
    assert!(said.contains("a read did not come back in time"), "{said}");
    assert!(began.elapsed() < Duration::from_secs(100), "{:?}", began.elapsed());
    end(mount);
}

/// The program of the mount dies while it is measured.
#[test]
fn a_mount_that_vanishes_ends_the_measuring() {
    let _turn = crate::beside_others();
    let device = "bytes_per_second = 1e9\nread_seconds = 0.01\nremembered_seconds = 3600\n";
    let Some((directory, mount)) = shown(300, 5000, device) else { return };
    let root = directory.path();
    let running = advise(root, ["shown", "--seconds", "20", "-a", "md5"]).start();
    std::thread::sleep(Duration::from_secs(3));
    mount.signal(Signal::KILL);
    let ended = running.end();
    let said = said(&ended);
    match ended.code() {
        0 => {
            let text = String::from_utf8_lossy(&ended.stdout).into_owned();
            assert!(text.contains("could not be read"), "{text}");
        }
        code => assert!(code == 3 && said.contains("not enough data to advise"), "{code}: {said}"),
    }
    let _ = std::process::Command::new("fusermount3").args(["-u", "-z", "shown"]).current_dir(root).status();
    let _ = rustix::mount::unmount(root.join("shown"), rustix::mount::UnmountFlags::DETACH);
    mount.end();
}
