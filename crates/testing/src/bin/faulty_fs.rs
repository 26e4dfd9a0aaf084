//! `faulty_fs DIRECTORY MOUNT_POINT LIST`: shows a directory with the faults of a list, until standard input ends.
//!
//! Says `mounted` on standard output when the mount stands. See `pfh_testing::FaultPlan` for the list.
#![forbid(unsafe_code)]

use std::error::Error;
use std::io::{self, Read, Write};
use std::path::PathBuf;

use pfh_testing::{FaultPlan, FaultyMount};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    let [directory, mount_point, list] = arguments.as_slice() else {
        return Err("usage: faulty_fs DIRECTORY MOUNT_POINT LIST".into());
    };
    let plan = FaultPlan::parse(&std::fs::read(list)?)?;
    let mount = FaultyMount::new(directory, mount_point, plan)?;
    io::stdout().write_all(b"mounted\n")?;
    io::stdout().flush()?;
    // The harness holds the other end: when it is gone, so is the mount.
    io::stdin().lock().read_to_end(&mut Vec::new())?;
    mount.unmount()?;
    Ok(())
}
