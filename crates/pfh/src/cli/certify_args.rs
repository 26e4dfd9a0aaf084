//! The command line of `pfh certify`.

use clap::{Args, ValueHint};
use pfh_record::FormatName;
use std::ffi::OsString;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  pfh certify evidence.jsonl --by \"A. Person\" --role \"forensic examiner\" --case 2026-117 -o report.html
      a page to print, sign and file with the list
  pfh certify evidence.jsonl --by \"A. Person\" --device \"USB stick, serial 4C53\" --json -o report.json
      the same for programs
  pfh certify SHA256SUMS --by \"A. Person\" -o report.html
      a list that another program wrote, which tells less about its run

Exit status:
  0    all done; files without digests are exceptions in the report
  2    the command line is wrong, or the list cannot be opened
  3    some lines of the list could not be read, its end is missing, or it changed meanwhile
  4    the report could not be written
  130  interrupted
  141  the reader of standard output closed it before the end";

/// Write the report of a list that is filed with it: what was hashed, by whom, when and how, and the list's digests.
///
/// The report is a page that prints well, with lines to sign on, or JSON. It is no legal advice, and no certificate by
/// itself: laws that ask for one ask for the statement of a person, to which such a report is attached.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, after_long_help = EXAMPLES)]
pub(crate) struct CertifyArguments {
    /// The list, a file in any format that pfh reads.
    #[arg(value_name = "LIST", value_hint = ValueHint::FilePath)]
    pub(crate) list: OsString,

    /// Who makes the report. Nobody is assumed: an account is not a person.
    #[arg(long, value_name = "NAME")]
    pub(crate) by: Option<String>,

    /// The role of this person: forensic examiner, archivist, owner of the device.
    #[arg(long, value_name = "TEXT")]
    pub(crate) role: Option<String>,

    /// The case that the report belongs to.
    #[arg(long, value_name = "TEXT")]
    pub(crate) case: Option<String>,

    /// The evidence or the item that was hashed.
    #[arg(long, value_name = "TEXT")]
    pub(crate) evidence: Option<String>,

    /// A device that was hashed or used: make, model, serial number. May be repeated.
    #[arg(long = "device", value_name = "TEXT")]
    pub(crate) devices: Vec<String>,

    /// Also name the machine and the user: those of this report, and those that the list states.
    #[arg(long)]
    pub(crate) host: bool,

    /// Read the list as this format, instead of recognising it: a format of `pfh hash`, or one that is only read.
    #[arg(long = "as", value_name = "FORMAT")]
    pub(crate) read_as: Option<FormatName>,

    /// Write a JSON object instead of a page.
    #[arg(long)]
    pub(crate) json: bool,

    /// Write to FILE, which appears whole or not at all [default: standard output].
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) output: Option<PathBuf>,
}
