//! Hands the compiler's version to the program, which says it in `hello`.

use std::process::Command;

fn main() {
    let output = Command::new(std::env::var_os("RUSTC").expect("cargo sets it")).arg("--version").output();
    let version = String::from_utf8(output.expect("rustc starts").stdout).expect("a version is ASCII");
    println!("cargo::rustc-env=RUSTC_VERSION={}", version.trim().trim_start_matches("rustc "));
    println!("cargo::rerun-if-changed=build.rs");
}
