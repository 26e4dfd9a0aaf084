//! A run with a progress display and an end.

use std::sync::atomic::Ordering;
use std::thread;
use std::time::Duration;

/// Hashes until `seconds` have passed, and tells every second how far it is.
pub fn hash_for(run: pfh::HashRun, seconds: u64) -> Result<pfh::Report, pfh::Error> {
    let mut records = run.stream()?;
    let (cancel, counters) = (records.cancel_token(), records.counters());
    let (ended, has_ended) = std::sync::mpsc::channel::<()>();
    thread::scope(|scope| {
        scope.spawn(move || {
            for _ in 0..seconds {
                // An error other than a timeout: the run has ended before.
                if has_ended.recv_timeout(Duration::from_secs(1)) != Err(std::sync::mpsc::RecvTimeoutError::Timeout) {
                    return;
                }
                println!("{} files", counters.files.load(Ordering::Relaxed));
            }
            cancel.cancel();
        });
        records.by_ref().for_each(drop);
        drop(ended);
    });
    Ok(records.finish())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn a_run_is_stopped() {
        let scratch = tempfile::tempdir().unwrap();
        for name in 0..2000 {
            fs::write(scratch.path().join(name.to_string()), "x").unwrap();
        }
        let run = || pfh::HashRun::new(["md5"]).unwrap().path(scratch.path());
        let report = hash_for(run(), 600).unwrap();
        assert!(!report.summary.interrupted && report.summary.complete == 2000);
        // No time at all: what is finished by then is counted, and the run says that it was stopped.
        let records = run().stream().unwrap();
        records.cancel_token().cancel();
        assert!(records.finish().summary.interrupted);
        // One that is dropped stops, too.
        let mut records = run().stream().unwrap();
        assert!(records.next().is_some());
        drop(records);
    }
}
