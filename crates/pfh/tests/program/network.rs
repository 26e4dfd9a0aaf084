//! A network filesystem whose server changes files while they are read, and whose client caches attributes.

use super::fixture::*;
use std::collections::HashSet;
use std::env;
use std::fs;
use std::os::unix::fs::FileExt;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

/// The variable with `SERVER:CLIENT`: a directory, and where it is mounted from its server, best with long-lived cached
/// attributes: `mount -t nfs4 -o actimeo=60 127.0.0.1:/export /mnt`, then `PFH_TEST_NFS=/export:/mnt`.
const VARIABLE: &str = "PFH_TEST_NFS";
const FILES: u8 = 8;
const VERSIONS: u8 = 16;
const LENGTH: usize = 1_000_000;

/// Every version of a file repeats one byte, and is written in place, so the digest of two mixed versions is none of
/// these.
#[test]
fn a_network_filesystem_gives_no_torn_digest() {
    let directories = env::var(VARIABLE).unwrap_or_default();
    let Some((server, client)) = directories.split_once(':') else {
        return skipped(Need::NetworkFilesystem, format_args!("{VARIABLE} names no export and no mount of it"));
    };
    let (server, client) = (PathBuf::from(server), PathBuf::from(client));
    let name = format!("pfh-{}", std::process::id());
    let shown = server.join(&name);
    fs::create_dir(&shown).unwrap();
    let version = |number: u8| vec![number; LENGTH];
    let whole: HashSet<String> = (0..VERSIONS).map(|number| digest("md5", &version(number)).to_string()).collect();
    let path = |file: u8| shown.join(file.to_string());
    for file in 0..FILES {
        fs::write(path(file), version(0)).unwrap();
    }
    let ended = AtomicBool::new(false);
    let (complete, changed) = thread::scope(|scope| {
        scope.spawn(|| {
            for round in (1..VERSIONS).cycle() {
                for file in 0..FILES {
                    if ended.load(Ordering::Relaxed) {
                        return;
                    }
                    let file = fs::File::options().write(true).open(path(file)).unwrap();
                    // The file is written in pieces, so that readers see it half written.
                    for offset in (0..LENGTH).step_by(100_000) {
                        file.write_all_at(&vec![round; 100_000], offset as u64).unwrap();
                    }
                }
            }
        });
        let (mut complete, mut changed) = (0, 0);
        for _ in 0..10 {
            for mode in ["adaptive", "smt", "mtp"] {
                let run = hash(&client, ["-a", "md5", "-f", "csv", "--mode", mode, &name]).run();
                for line in String::from_utf8(run.stdout).unwrap().lines().skip(1) {
                    match line.rsplit_once(',') {
                        Some((rest, md5)) if rest.contains(",complete,") => {
                            assert!(whole.contains(md5), "torn: {mode} {line}");
                            complete += 1;
                        }
                        _ => changed += 1,
                    }
                }
            }
        }
        ended.store(true, Ordering::Relaxed);
        (complete, changed)
    });
    fs::remove_dir_all(&shown).unwrap();
    assert!(complete > 0 && changed > 0, "{complete} complete, {changed} changed: nothing was tried");
}
