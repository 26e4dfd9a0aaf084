//! The program `pfh`.
#![forbid(unsafe_code)]

mod cli;

fn main() -> std::process::ExitCode {
    cli::exit::status_of(cli::run)
}
