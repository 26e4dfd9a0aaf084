//! A Chromium that draws the pages of tests.
#![allow(unreachable_pub, reason = "crates include the file in their tests")]

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Starting a browser on a busy machine takes its time.
const LIMIT: Duration = Duration::from_secs(120);

/// Finds a Chromium in `PATH`.
pub fn chromium() -> Option<PathBuf> {
    let names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
    let folders = std::env::var_os("PATH")?;
    std::env::split_paths(&folders).flat_map(|folder| names.map(|name| folder.join(name))).find(|path| path.is_file())
}

/// Runs the browser until it ends by itself, and returns its output; a hang is a failure, not a wait.
pub fn run(browser: &Path, folder: &Path, arguments: &[String]) -> Result<String, String> {
    let out = folder.join("stdout");
    let file = std::fs::File::create(&out).map_err(|error| error.to_string())?;
    let mut child = Command::new(browser)
        .args([
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-dev-shm-usage",
            "--no-first-run",
            "--disable-sync",
        ])
        .args(["--disable-background-networking", "--disable-component-update", "--disable-quic", "--hide-scrollbars"])
        .arg(format!("--user-data-dir={}", folder.join("profile").display()))
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(file)
        .stderr(Stdio::null())
        .spawn()
        .map_err(|error| error.to_string())?;
    let begin = Instant::now();
    let status = loop {
        match child.try_wait().map_err(|error| error.to_string())? {
            Some(status) => break status,
            None if begin.elapsed() > LIMIT => {
                let _ = child.kill();
                let _ = child.wait();
                return Err(format!("no end within {LIMIT:?}"));
            }
            None => std::thread::sleep(Duration::from_millis(50)),
        }
    };
    let text = std::fs::read_to_string(&out).map_err(|error| error.to_string())?;
    if status.success() { Ok(text) } else { Err(format!("{status}: {text}")) }
}
